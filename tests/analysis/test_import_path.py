"""Folders that the notebook's code puts on ``sys.path``: where modules outside its own folder come from."""

from __future__ import annotations

import ast

import pytest

from nbcomponent.analysis.beside import Beside, Kind
from nbcomponent.analysis.import_path import ImportRoot, import_folders, import_roots

FOLDERS = {"..", "../..", "../src", "../../lib", "src"}


def roots(code: str, *files: str) -> list[tuple[str, bool]]:
    """The roots that ``code`` names, in a notebook's folder below a project with these files."""

    def kind(path: str) -> Kind:
        return "file" if path in files else "folder" if path in FOLDERS else ""

    return [(r.path, r.first) for r in import_roots([ast.parse(code)], Beside(kind))]


@pytest.mark.parametrize(
    "folder",
    [
        "'../src'",
        "os.path.join('..', 'src')",
        "os.path.abspath('../src')",
        "os.path.abspath(os.path.join(os.getcwd(), '..', 'src'))",
        "os.path.join(os.path.dirname(os.getcwd()), 'src')",
        "str(Path('..') / 'src')",
        "str(Path.cwd().parent / 'src')",
        "str(Path('.').resolve().parents[0] / 'src')",
        "str(Path.cwd().parent.joinpath('src'))",
        "os.getcwd() + '/../src'",
        "os.path.join(os.pardir, 'src')",
    ],
)
def test_a_path_that_is_written_out_is_worked_out(folder: str) -> None:
    assert roots(f"sys.path.append({folder})") == [("../src", False)]
    assert roots(f"where = {folder}\nsys.path.append(where)") == [("../src", False)]


@pytest.mark.parametrize(
    ("code", "first"),
    [
        ("sys.path.insert(0, '../src')", True),
        ("sys.path = ['../src'] + sys.path", True),
        ("sys.path = ['../src', *sys.path]", True),
        ("sys.path[:0] = ['../src']", True),
        ("sys.path = sys.path + ['../src']", False),
        ("sys.path = [*sys.path, '../src']", False),
        ("sys.path += ['../src']", False),
        ("sys.path.extend(['../src'])", False),
        ("site.addsitedir('../src')", False),
        ("if '../src' not in sys.path:\n    sys.path.append('../src')", False),
    ],
)
def test_what_stands_in_front_hides_installed_packages(code: str, first: bool) -> None:
    assert roots(code) == [("../src", first)]


@pytest.mark.parametrize("folder", ["'/opt/lib'", "'~/lib'", "'../missing'", "'src'", "'.'"])
def test_absolute_missing_and_inner_folders_are_none(folder: str) -> None:
    assert roots(f"sys.path.append({folder})", "../pyproject.toml") == []


COMPUTED = """root = os.getcwd()
while not os.path.isdir(os.path.join(root, "tools")):
    root = os.path.dirname(root)
sys.path.insert(0, root)"""


def test_a_computed_path_is_looked_for_up_to_the_root_of_the_project() -> None:
    assert roots(COMPUTED, "../../pyproject.toml") == [("..", True), ("../..", True)]
    assert roots(COMPUTED, "../setup.py") == [("..", True)]


def test_nothing_above_is_looked_at_where_no_project_begins() -> None:
    assert roots(COMPUTED) == []
    assert roots(COMPUTED, "pyproject.toml") == []  # It begins at the notebook itself.


@pytest.mark.parametrize(
    "code",
    [
        "sys.path.append(os.environ['LIB'])",
        "sys.path.append(os.path.join(Path.home(), name))",
        "base = '/opt/' + name\nsys.path.append(base)",
    ],
)
def test_a_computed_path_that_starts_elsewhere_is_not_guessed(code: str) -> None:
    assert roots(code, "../pyproject.toml") == []


def test_folders_below_the_notebook_s() -> None:
    trees = [ast.parse("sys.path.append('src')\nsys.path.insert(0, os.path.join('a', 'b'))")]
    assert import_folders(trees) == ["src", "a/b"]
    assert import_folders([ast.parse("sys.path.append('../src')\nsys.path.append('/x')")]) == []
    assert import_roots(trees, Beside()) == ()
    assert ImportRoot("..", True) != ImportRoot("..", False)
