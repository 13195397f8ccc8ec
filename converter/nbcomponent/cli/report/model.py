"""What every renderer gets: one :class:`FileReport` a file, in the order of the report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from nbcomponent.analysis.model import Dependency
from nbcomponent.contract.model import Interface
from nbcomponent.core.diagnostics import Diagnostic

Outcome = Literal["checked", "unusable", "failed"]
Kind = Literal[
    "notebook", "script", "settings file", "YAML file", "file", "folder", "path", "pattern"
]
"""What a report is about, in words: not everything that is named turns out to be a notebook."""


@dataclass(frozen=True, slots=True)
class ComponentReport:
    """One component of a notebook: its own cells, its interface, and what it needs from outside."""

    interface: Interface
    cells: tuple[int, ...]
    dependencies: tuple[Dependency, ...]


@dataclass(frozen=True, slots=True)
class FileReport:
    """All that is said about one file.

    ``path`` is as the caller gave it. ``lines`` holds the text of the lines that diagnostics point
    at, by cell and line. ``kind``: what the file is. ``outcome``: ``unusable`` when the file could not be read at all (exit
    code 2), ``failed`` when nbcomponent itself failed on it (3).
    """

    path: str
    components: tuple[ComponentReport, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    lines: Mapping[tuple[int | None, int], str] = field(default_factory=dict)
    outcome: Outcome = "checked"
    kind: Kind = "notebook"


def exit_code(reports: Iterable[FileReport]) -> int:
    """The exit code of a batch: the highest of its files (0 fine, 1 found, 2 unusable, 3 fault)."""
    return max((_file_code(report) for report in reports), default=0)


def _file_code(report: FileReport) -> int:
    if report.outcome == "failed":
        return 3
    if report.outcome == "unusable":
        return 2
    return int(any(diagnostic.severity != "note" for diagnostic in report.diagnostics))


def where(diagnostic: Diagnostic) -> str:
    """A place for people: ``cell 4, line 3:9``, in files without cells ``line 3:9``."""
    place = diagnostic.place
    position = f"line {place.line}:{place.column}"
    return position if place.cell is None else f"cell {place.cell}, {position}"
