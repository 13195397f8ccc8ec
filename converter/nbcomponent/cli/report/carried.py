"""What each component gets from elsewhere, in one line: what the notes of a report say one by one.

A note with a next step is advice and stays a finding. A note without one records what an export does
(strict carries, ``--boundary auto`` carries, slices and stores); there are many of them, and a reader wants
to see the list, not each at its place. ``--verbose`` and the formats for programs keep them all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nbcomponent.cli.report.model import FileReport
from nbcomponent.core.diagnostics import Diagnostic

_OF_DEPENDENCIES = ("NBC101", "NBC104", "NBC110")
_LISTED_BY_EXPORT = (*_OF_DEPENDENCIES, "NBC109", "NBC223")


def is_record(diagnostic: Diagnostic) -> bool:
    """Whether a finding only records what a component gets."""
    return (
        diagnostic.severity == "note"
        and diagnostic.fix is None
        and diagnostic.component is not None
        and (diagnostic.code.startswith("NBC1") or diagnostic.code == "NBC223")
    )


def carried_lines(report: FileReport, listed: bool = False) -> list[str]:
    """One line for each component that has records. ``listed``: an export lists most of them itself."""
    wrong = {(d.component, d.name) for d in report.diagnostics if d.severity == "error"}
    records: dict[str, list[Diagnostic]] = {}
    for diagnostic in report.diagnostics:
        if (
            is_record(diagnostic)
            and (diagnostic.component, diagnostic.name) not in wrong
            and not (listed and diagnostic.code in _LISTED_BY_EXPORT)
        ):
            records.setdefault(diagnostic.component or "", []).append(diagnostic)
    return [
        f"{component}: {'; '.join(_parts(report, component, found))}"
        for component, found in records.items()
    ]


def _parts(report: FileReport, component: str, records: Sequence[Diagnostic]) -> list[str]:
    resolutions, sources = _met(report, component)
    taken: dict[str, list[Diagnostic]] = {"carries over": [], "pulls in the statements for": []}
    from_one: dict[str, list[Diagnostic]] = {}
    others: list[str] = []
    for record in records:
        name = record.name or ""
        resolution = resolutions.get(name) if record.code in _OF_DEPENDENCIES else None
        if resolution in ("import", "definition", "constant"):
            taken["carries over"].append(record)
        elif resolution == "sliced":
            taken["pulls in the statements for"].append(record)
        elif resolution == "input" and name in sources:
            from_one.setdefault(sources[name], []).append(record)
        else:
            others.append(record.message.rstrip("."))
    named = [f"{verb} {_names(found)}" for verb, found in taken.items() if found]
    named += [f"takes {_names(found, False)} from {one}" for one, found in from_one.items()]
    return named + list(dict.fromkeys(others))


def _met(report: FileReport, component: str) -> tuple[dict[str, str], dict[str, str]]:
    """How each name that the component needs is met, and which component each input comes from."""
    for one in report.components:
        if one.interface.component == component:
            return (
                {dependency.name: dependency.resolution for dependency in one.dependencies},
                {
                    port.variable: port.source.partition(".")[0]
                    for port in one.interface.inputs
                    if port.source
                },
            )
    return {}, {}


def _names(records: Iterable[Diagnostic], cells: bool = True) -> str:
    """``math, area (cell 0), widths (cell 1)``: names by the cells that they come from."""
    by_cells: dict[tuple[int, ...], list[str]] = {}
    for record in records:
        names = by_cells.setdefault(record.defined_in if cells else (), [])
        if record.name and record.name not in names:
            names.append(record.name)
    return ", ".join(
        ", ".join(names)
        + (f" (cell{'s' if len(where) > 1 else ''} {', '.join(map(str, where))})" if where else "")
        for where, names in by_cells.items()
    )
