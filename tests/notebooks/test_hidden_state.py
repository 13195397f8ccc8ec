"""The tour of hidden state: each section shows exactly the diagnostic in its heading."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "hidden_state.ipynb"
HEADING = re.compile(r"^## (NBC\d{3}): ", re.MULTILINE)
CODES = [
    "NBC101",
    "NBC102",
    "NBC103",
    "NBC104",
    "NBC105",
    "NBC106",
    "NBC107",
    "NBC108",
    "NBC109",
    "NBC110",
    "NBC111",
    "NBC112",
]
FAILS_IN_A_KERNEL_TOO = {"NBC102", "NBC103"}


def section_of_each_cell(notebook: nbformat.NotebookNode) -> list[str | None]:
    """The code in the heading above each cell; None before the first section."""
    sections: list[str | None] = []
    current = None
    for cell in notebook.cells:
        heading = HEADING.search(cell.source) if cell.cell_type == "markdown" else None
        current = heading[1] if heading else current
        sections.append(current)
    return sections


@pytest.fixture(scope="module")
def findings() -> dict[str | None, set[tuple[str, str]]]:
    """(code, severity) of what check finds in each section."""
    done = subprocess.run(
        [sys.executable, "-m", "nbcomponent", "check", NOTEBOOK, "--format", "json"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1, done.stderr
    sections = section_of_each_cell(nbformat.read(NOTEBOOK, as_version=4))
    found: dict[str | None, set[tuple[str, str]]] = {}
    (file,) = json.loads(done.stdout)["files"]
    for diagnostic in file["diagnostics"]:
        section = sections[diagnostic["cell"]]
        found.setdefault(section, set()).add((diagnostic["code"], diagnostic["severity"]))
    return found


def test_there_is_a_section_for_each_kind_in_order() -> None:
    sections = section_of_each_cell(nbformat.read(NOTEBOOK, as_version=4))
    assert list(dict.fromkeys(section for section in sections if section)) == CODES


@pytest.mark.parametrize("code", CODES)
def test_a_section_shows_its_diagnostic_and_no_other(
    code: str, findings: dict[str | None, set[tuple[str, str]]]
) -> None:
    assert {found for found, _ in findings[code]} == {code}
    assert {severity for _, severity in findings[code]} <= {"error", "warning"}


def test_nothing_is_found_outside_the_sections(
    findings: dict[str | None, set[tuple[str, str]]],
) -> None:
    assert None not in findings


def test_most_sections_run_in_a_kernel_which_is_what_hides_them(tmp_path: Path) -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    NotebookClient(
        notebook, timeout=60, allow_errors=True, resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    failing = {
        section
        for section, cell in zip(section_of_each_cell(notebook), notebook.cells, strict=True)
        for output in cell.get("outputs", [])
        if output.output_type == "error"
    }
    assert failing == FAILS_IN_A_KERNEL_TOO
