"""The rooms of the package: who may import whom, and where heavy packages are allowed."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "converter" / "nbcomponent"

ROOMS = (
    "core",
    "notebook",
    "analysis",
    "schema",
    "contract",
    "export",
    "tracking",
    "run",
    "azure",
    "plan",
    "cli",
)
"""Lowest first: a room imports itself and those before it."""

HEAVY = (
    "IPython",
    "azure",
    "ast_grep_py",
    "importlib.metadata",
    "ipywidgets",
    "joblib",
    "jsonschema",
    "jupyter_client",
    "jupyter_server",
    "jupytext",
    "mlflow",
    "nbclient",
    "nbformat",
    "numpy",
    "pandas",
    "pandera",
    "pyarrow",
    "sklearn",
    "torch",
)
"""Cost many bare Python starts, or are optional: imported inside functions, each in one room."""


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def label(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def imports_of(path: Path) -> Iterator[tuple[str, int, bool]]:
    """(module, line, whether it runs when the file is imported) of every import in ``path``."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inside_functions = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for node in ast.walk(function)
        if node is not function
    }
    for node in ast.walk(tree):
        at_start = id(node) not in inside_functions
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno, at_start
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{label(path)}:{node.lineno} imports relatively"
            module = node.module or ""
            yield module, node.lineno, at_start
            for alias in node.names:
                yield f"{module}.{alias.name}", node.lineno, at_start
        elif (
            isinstance(node, ast.Call)
            and ast.unparse(node.func) in {"import_module", "importlib.import_module", "__import__"}
            and node.args
            and isinstance(node.args[0], ast.Constant)
        ):
            yield str(node.args[0].value), node.lineno, at_start


def room_of(path: Path) -> str | None:
    """The room a module belongs to; None for the few files beside the rooms."""
    parts = path.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else None


def belongs_to(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


def test_every_folder_is_a_room() -> None:
    folders = {p.name for p in PACKAGE.iterdir() if p.is_dir() and any(p.rglob("*.py"))}
    assert folders <= set(ROOMS)


@pytest.mark.parametrize("path", modules(), ids=label)
def test_a_room_imports_only_rooms_before_it(path: Path) -> None:
    room = room_of(path)
    allowed = ROOMS[: ROOMS.index(room) + 1] if room else ROOMS
    back = [
        f"line {line}: {module}"
        for module, line, _ in imports_of(path)
        for other in ROOMS
        if belongs_to(module, f"nbcomponent.{other}") and other not in allowed
    ]
    assert back == []


@pytest.mark.parametrize("path", modules(), ids=label)
def test_heavy_packages_are_imported_inside_functions(path: Path) -> None:
    early = [
        f"line {line}: {module}"
        for module, line, at_start in imports_of(path)
        if at_start and any(belongs_to(module, heavy) for heavy in HEAVY)
    ]
    assert early == []


@pytest.mark.parametrize("heavy", HEAVY)
def test_a_heavy_package_belongs_to_one_room(heavy: str) -> None:
    rooms = {
        room_of(path)
        for path in modules()
        if any(belongs_to(module, heavy) for module, _, _ in imports_of(path))
    }
    assert len(rooms) <= 1


def test_checking_a_notebook_loads_no_heavy_package() -> None:
    program = (
        "import sys\n"
        "from nbcomponent.cli.main import main\n"
        f"code = main(['check', {str(ROOT / 'notebooks' / 'defect_classifier.ipynb')!r}])\n"
        f"print('loaded:', sorted(set({HEAVY!r}) & set(sys.modules)))\n"
        "sys.exit(code)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, cwd=ROOT
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "loaded: []"
