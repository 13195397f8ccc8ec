"""From a notebook on disk to what is said about it: shared by ``check`` and ``export``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

# `examine` imports the analysis when it is called, each worker process then by itself; imported here,
# before any worker is forked, it is shared.
import nbcomponent.analysis.analyse  # noqa: F401
from nbcomponent.cli.batch import Failure
from nbcomponent.cli.collect import STDIN, STDIN_NAME
from nbcomponent.cli.report.model import ComponentReport, FileReport
from nbcomponent.contract.examine import Examination, examine
from nbcomponent.contract.model import Interface
from nbcomponent.core.diagnostics import FILE_START, Diagnostic, Fix, in_reading_order
from nbcomponent.core.ignores import Text, apply_ignores
from nbcomponent.core.room import with_room
from nbcomponent.notebook.reader import parse_notebook, read_notebook, read_standard_input
from nbcomponent.notebook.tagging import tag

if TYPE_CHECKING:
    from nbcomponent.analysis.model import Boundary
    from nbcomponent.notebook.model import TaggedNotebook


def examine_path(
    path: str,
    boundary: Boundary,
    prepare: Callable[[TaggedNotebook], TaggedNotebook] = lambda tagged: tagged,
) -> Examination:
    """Read and examine the notebook at ``path`` (``-``: standard input), its tags as ``prepare`` gives.

    Raises:
        UnusableInput: the file cannot be read as a notebook.
    """

    def work() -> Examination:
        if path == STDIN:
            notebook = parse_notebook(read_standard_input(STDIN_NAME), STDIN_NAME)
        else:
            notebook = read_notebook(path)
        return examine(prepare(tag(notebook)), boundary)

    return with_room(work)


def shown_path(path: str) -> str:
    """How reports name a file."""
    return STDIN_NAME if path == STDIN else path


def report_of(path: str, examination: Examination) -> FileReport:
    """Everything found in a notebook, less what its ignore comments silence."""
    applied = apply_ignores(_texts(examination.written), examination.diagnostics)
    diagnostics = in_reading_order((*applied.kept, *applied.problems))
    return FileReport(
        path=path,
        components=_components(examination),
        diagnostics=diagnostics,
        lines=lines_of(examination.written, diagnostics),
    )


def with_chosen(report: FileReport, select: Sequence[str], ignore: Sequence[str]) -> FileReport:
    """The report with the findings that ``select`` and ``ignore`` leave.

    A file that cannot be used keeps its one finding: no choice of codes makes it fine.
    """
    if report.outcome != "checked" or not (select or ignore):
        return report
    kept = tuple(d for d in report.diagnostics if is_chosen(d.code, select, ignore))
    return replace(report, diagnostics=kept)


def is_chosen(code: str, select: Sequence[str], ignore: Sequence[str]) -> bool:
    """Whether findings of ``code`` are wanted: the longest prefix decides, on a tie ``ignore``."""
    wanted = _longest(code, select) if select else 0
    return wanted > _longest(code, ignore)


def failed_report(path: str, failure: Failure) -> FileReport:
    """The report of a file on which the work ended early; what it says, and whose doing it was."""
    if failure.kind == "timeout":
        return FileReport(
            path,
            diagnostics=(
                Diagnostic(
                    "NBC947",
                    "error",
                    f"this file is too complex: {failure.message}",
                    FILE_START,
                    fix=Fix("give it more time with --timeout, or leave it out", "edit"),
                ),
            ),
            outcome="unusable",
        )
    if failure.kind in ("too-deep", "too-large"):
        return FileReport(
            path,
            diagnostics=(
                Diagnostic(
                    "NBC944",
                    "error",
                    f"this file cannot be worked on: {failure.message}",
                    FILE_START,
                ),
            ),
            outcome="unusable",
        )
    if failure.trace and os.environ.get("NBCOMPONENT_DEBUG") == "1":
        sys.stderr.write(f"{path}:\n{failure.trace}")
    return FileReport(
        path,
        diagnostics=(
            Diagnostic(
                "NBC945",
                "error",
                f"nbcomponent itself failed on this file: {failure.message}",
                FILE_START,
            ),
        ),
        outcome="failed",
    )


def _longest(code: str, prefixes: Sequence[str]) -> int:
    return max((len(prefix) for prefix in prefixes if code.startswith(prefix)), default=-1)


def _texts(tagged: TaggedNotebook) -> Iterator[Text]:
    for cell, role in zip(tagged.notebook.cells, tagged.roles, strict=True):
        if cell.kind == "code":
            code = tagged.code.get(cell.index)
            yield Text(cell.index, cell.source, code.text if code and code.tree else None)
        elif role.contract_for is not None:
            yield Text(cell.index, cell.source)


def _components(examination: Examination) -> tuple[ComponentReport, ...]:
    return tuple(
        ComponentReport(
            interface=examination.interfaces.get(component.name) or Interface(component.name),
            cells=component.cells,
            dependencies=component.dependencies,
        )
        for component in examination.analysis.components
    )


def lines_of(
    tagged: TaggedNotebook, diagnostics: Iterable[Diagnostic]
) -> dict[tuple[int | None, int], str]:
    """The lines that the diagnostics point at."""
    split: dict[int, list[str]] = {}
    found: dict[tuple[int | None, int], str] = {}
    cells = tagged.notebook.cells
    for diagnostic in diagnostics:
        cell, line = diagnostic.place.cell, diagnostic.place.line
        if cell is None or not 0 <= cell < len(cells):
            continue
        if cell not in split:
            split[cell] = cells[cell].source.split("\n")
        if 0 < line <= len(split[cell]):
            found[cell, line] = split[cell][line - 1]
    return found
