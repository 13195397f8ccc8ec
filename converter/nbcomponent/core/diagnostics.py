"""The one diagnostic that the command line, SARIF, JupyterLab and the widget all show.

A diagnostic is plain data. What a code means, with an example and the fix, is an explain page
(``nbcomponent/core/explain/NBC101.md``) that only ``nbcomponent explain`` reads.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from nbcomponent.core.records import record

Severity = Literal["error", "warning", "note"]

SEVERITY_ORDER: dict[Severity, int] = {"error": 0, "warning": 1, "note": 2}


@record(frozen=True, slots=True)
class Place:
    """Where something stands.

    ``cell`` counts all cells of the notebook from 0 and is None in YAML files and scripts.
    ``line`` and ``column`` count from 1 in the cell's own source (or the file); columns count
    code points. ``end_column`` is the column after the last character.
    """

    cell: int | None
    line: int
    column: int
    end_line: int
    end_column: int

    def __reduce__(self) -> tuple[object, ...]:  # many travel between processes: 5 times as fast
        return type(self), (self.cell, self.line, self.column, self.end_line, self.end_column)


@record(frozen=True, slots=True)
class Fix:
    """A way out: ``title`` for people, ``kind`` for tools (quick fixes, ``check --fix``).

    Kinds: ``tag-shared``, ``promote-parameter``, ``declare-input``, ``declare-output``,
    ``move-import``, ``tag-component``, ``edit`` (for a person to do).
    """

    title: str
    kind: str

    def __reduce__(self) -> tuple[object, ...]:  # many travel between processes: 5 times as fast
        return type(self), (self.title, self.kind)


@record(frozen=True, slots=True)
class Diagnostic:
    """One finding: what, where, and how to fix it.

    ``name`` is set on NBC1xx as written in the notebook; ``defined_in`` lists the cells that
    define or change it; ``component`` is None for findings about the whole file.
    """

    code: str
    severity: Severity
    message: str
    place: Place
    name: str | None = None
    defined_in: tuple[int, ...] = ()
    component: str | None = None
    fix: Fix | None = None

    def __reduce__(self) -> tuple[object, ...]:  # many travel between processes: 5 times as fast
        return type(self), (
            self.code,
            self.severity,
            self.message,
            self.place,
            self.name,
            self.defined_in,
            self.component,
            self.fix,
        )


FILE_START = Place(cell=None, line=1, column=1, end_line=1, end_column=1)
"""Where a finding about a whole file is placed."""


def in_reading_order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Sort by cell, line, column, code, so that reports are the same on every machine. Each once."""
    by_place = {
        (
            -1 if d.place.cell is None else d.place.cell,
            d.place.line,
            d.place.column,
            d.code,
            d.component or "",
            d.name or "",
            d.message,
        ): d
        for d in diagnostics
    }
    return tuple(by_place[key] for key in sorted(by_place))
