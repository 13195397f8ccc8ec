"""What must hold in the repository as a whole: diagnostics documented, versions agree, no private traces."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

import nbcomponent

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "converter" / "nbcomponent" / "core" / "explain"
CODE = re.compile(r"NBC\d{3}")
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])


def tracked_files() -> list[Path]:
    """Files under version control, those about to be added included."""
    done = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    paths = [ROOT / name.decode() for name in done.stdout.split(b"\0") if name]
    return [path for path in paths if path.is_file() and not path.is_symlink()]


def emitted_codes() -> set[str]:
    """Codes that stand as a string of their own in the package's Python."""
    return {
        node.value
        for path in (ROOT / "converter").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and CODE.fullmatch(node.value)
    }


def test_every_emitted_code_has_an_explain_page_and_every_page_a_code() -> None:
    pages = {page.stem for page in PAGES.glob("*.md")}
    assert sorted(emitted_codes() - pages) == []
    assert sorted(pages - emitted_codes()) == []


def test_every_emitted_code_is_named_in_a_test() -> None:
    tests = "\n".join(
        path.read_text(encoding="utf-8")
        for path in (ROOT / "tests").rglob("test_*.py")
        if path != Path(__file__)
    )
    assert sorted(emitted_codes() - set(CODE.findall(tests))) == []


@pytest.mark.parametrize("page", sorted(PAGES.glob("*.md")), ids=lambda page: page.stem)
def test_an_explain_page_has_its_four_parts(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    outside_code = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ .*", outside_code, flags=re.MULTILINE)
    assert re.fullmatch(rf"# {page.stem}: \S.*", headings[0])
    assert headings[1:] == ["## Why it matters", "## Example", "## How to fix"]
    example = text.split("## Example")[1].split("## How to fix")[0]
    assert "```" in example


def test_the_list_of_diagnostics_is_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "build_diagnostics.py", "--check"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_the_changelog_begins_with_the_version() -> None:
    headings = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)
    assert headings[0] == nbcomponent.__version__


def test_python_and_javascript_packages_have_one_version() -> None:
    assert json.loads((ROOT / "package.json").read_text())["version"] == nbcomponent.__version__


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks_are_valid_and_stored_without_outputs(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.id for cell in code if cell.outputs or cell.execution_count is not None] == []
    assert "widgets" not in notebook.metadata


def test_no_file_names_the_machine_it_was_written_on() -> None:
    traces = [str(Path.home() / ".")[:-1] + "/.pyenv", "/opt/" + "pypi", "/opt/" + "wheels"]
    if len(ROOT.parts) > 2:
        traces.append(f"{ROOT}/")
    found = [
        f"{path.relative_to(ROOT)}: {trace}"
        for path in tracked_files()
        for trace in traces
        if trace.encode() in path.read_bytes()
    ]
    assert found == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    text = re.sub(r"```.*?```", "", document.read_text(encoding="utf-8"), flags=re.DOTALL)
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text)
    local = [link for link in links if "://" not in link and not link.startswith("mailto:")]
    assert [link for link in local if not (document.parent / link).exists()] == []
