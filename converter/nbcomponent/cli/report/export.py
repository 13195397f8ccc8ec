"""What ``export`` did with each notebook, as text and as JSON (``nbcomponent.export/1``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from nbcomponent.cli.report import text
from nbcomponent.cli.report.json import diagnostic_object, dumps
from nbcomponent.cli.report.model import FileReport, exit_code
from nbcomponent.cli.report.text import counted, printable

if TYPE_CHECKING:
    from nbcomponent.export.build import Listing
    from nbcomponent.export.write import Change

SCHEMA = "nbcomponent.export/1"

State = Literal[
    "written",
    "unchanged",
    "current",
    "outdated",
    "blocked",
    "edited",
    "empty",
    "unusable",
    "failed",
]
"""``written`` and ``unchanged``: the folder stands. ``current`` and ``outdated``: what --check and
--dry-run found, nothing was written. ``blocked``: errors keep it from being exported. ``edited``: files
changed by hand keep it. ``empty``: it has no components. ``unusable``, ``failed``: as in a check."""


@dataclass(frozen=True, slots=True)
class ExportReport:
    """One notebook: its findings in ``report``, and what became of its folder ``target``."""

    report: FileReport
    target: str
    state: State
    listings: tuple[Listing, ...] = ()
    changes: tuple[Change, ...] = ()
    edited: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    diff: str = ""


def export_exit_code(reports: Sequence[ExportReport], check: bool) -> int:
    """As of a check; with ``check`` (``--check``) a folder that is outdated is a failed check."""
    outdated = check and any(report.state == "outdated" for report in reports)
    return max(exit_code(report.report for report in reports), int(outdated))


def render_text(
    reports: Sequence[ExportReport],
    colour: bool,
    quiet: bool,
    reading: bool = False,
    verbose: bool = False,
) -> str:
    """Findings, then what each component got from elsewhere, then the files; one line that sums up.

    ``reading``: nothing was to be written (``--check``, ``--dry-run``). ``quiet`` leaves all but
    findings and differences out; ``verbose`` shows each note at its place.
    """
    parts = [_notebook(report, colour, quiet, reading, verbose) for report in reports]
    if not quiet:
        parts.append(_summary(reports) + "\n")
    return "".join(parts)


def render_json(reports: Sequence[ExportReport]) -> str:
    """The report as JSON text."""
    return dumps({"schema": SCHEMA, "files": [_object(report) for report in reports]})


def _notebook(report: ExportReport, colour: bool, quiet: bool, reading: bool, verbose: bool) -> str:
    findings = text.render(
        [report.report],
        colour,
        quiet,
        verbose,
        summarised=False,
        listed=bool(report.listings),
    )
    if quiet:
        return findings + _diff(report.diff)
    path, target = printable(report.report.path), printable(report.target)
    head = {
        "written": f"{path} -> {target}",
        "unchanged": f"{path} -> {target} (nothing changed)",
        "current": f"{path}: {target} is up to date",
        "outdated": f"{path}: {target} is not what would be written",
        "blocked": f"{path}: not exported, because of the errors above",
        "edited": f"{path}: not exported, {target} has files that were edited by hand",
        "empty": f"{path}: nothing to export, no cell is tagged component:NAME (see --whole)",
    }.get(report.state)
    if head is None:
        return findings
    lines = [head]
    for listing in report.listings:
        lines += _listing(listing)
    shown = report.changes if report.state != "edited" else ()
    for change in shown:
        beside = f", beside {report.report.path}" if change.beside_notebook else ""
        lines.append(f"  {_VERBS[reading][change.kind]} {change.path}{beside}")
    if report.edited and report.state != "edited":
        verb = "would overwrite" if reading else "overwrote"
        lines += [f"  {verb} the edit of {path}" for path in report.edited]
    return findings + "".join(f"{printable(line)}\n" for line in lines) + _diff(report.diff)


_VERBS = {
    False: {"added": "added", "changed": "changed", "removed": "removed"},
    True: {"added": "would add", "changed": "would change", "removed": "would remove"},
}

_HOW = {
    "import": "carried over, imports",
    "definition": "carried over, definitions",
    "constant": "carried over, constants",
    "sliced": "statements pulled in for",
    "parameter": "parameters",
    "input": "inputs",
}


def _listing(listing: Listing) -> list[str]:
    lines = [f"  {listing.component} {listing.version}"]
    for how, title in _HOW.items():
        taken = [
            f"{one.name} (cell {', '.join(map(str, one.cells))})" if one.cells else one.name
            for one in listing.taken
            if one.how == how
        ]
        if taken:
            lines.append(f"    {title}: {', '.join(taken)}")
    for title, names in (
        ("values that cross, stored", listing.materialised),
        ("shipped modules", listing.modules),
        ("shipped files", listing.included),
        ("renamed", tuple(f"{old} to {new}" for old, new in listing.renamed.items())),
    ):
        if names:
            lines.append(f"    {title}: {', '.join(names)}")
    return lines


def _diff(diff: str) -> str:
    return "".join(f"{printable(line)}\n" for line in diff.split("\n")[:-1]) if diff else ""


def _summary(reports: Sequence[ExportReport]) -> str:
    said = []
    for state, meaning in (
        ("written", "exported"),
        ("unchanged", "unchanged"),
        ("current", "up to date"),
        ("outdated", "not up to date"),
        ("blocked", "blocked by errors"),
        ("edited", "edited by hand"),
        ("empty", "without components"),
        ("unusable", "unusable"),
        ("failed", "that made nbcomponent fail"),
    ):
        count = sum(report.state == state for report in reports)
        if count:
            said.append(f"{count} {meaning}")
    if not reports:
        return "no notebook to export"
    return f"{counted(report.report for report in reports)}: {', '.join(said)}"


def _object(report: ExportReport) -> dict[str, Any]:
    return {
        "path": report.report.path,
        "target": report.target,
        "state": report.state,
        "components": [
            {
                "name": listing.component,
                "version": listing.version,
                "taken": [
                    {"name": one.name, "how": one.how, "defined_in": list(one.cells)}
                    for one in listing.taken
                ],
                "materialised": list(listing.materialised),
                "modules": list(listing.modules),
                "included": list(listing.included),
                "renamed": dict(listing.renamed),
            }
            for listing in report.listings
        ],
        "changes": [{"path": change.path, "kind": change.kind} for change in report.changes],
        "edited": list(report.edited),
        "kept": list(report.kept),
        "diff": report.diff,
        "diagnostics": [diagnostic_object(d) for d in report.report.diagnostics],
    }
