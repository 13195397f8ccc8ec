"""``--format text``: the report for people, with the line, a caret and the next step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import get_args

from nbcomponent.cli.report.carried import carried_lines, is_record
from nbcomponent.cli.report.model import FileReport, Kind, where
from nbcomponent.core.diagnostics import FILE_START, Diagnostic, Severity

MAX_WIDTH = 120
TAB = "    "

_REPEATED = ("NBC244",)
"""Codes whose findings begin with a name and may say the same of many: each value that is stored."""

_COLOURS: dict[Severity, str] = {"error": "31", "warning": "33", "note": "36"}


def render(
    reports: Sequence[FileReport],
    colour: bool = False,
    quiet: bool = False,
    verbose: bool = False,
    summarised: bool = True,
    listed: bool = False,
) -> str:
    """The findings of each file, then one line that sums up (unless ``summarised`` is false).

    ``quiet`` leaves out notes and the summary. ``colour`` adds terminal colours. Notes that record what a
    component gets are one line for each component; ``verbose`` shows each at its place, as it shows each
    of several findings that say the same of different names. ``listed``: what records say is said elsewhere.
    """
    parts = []
    for report in reports:
        shown = [d for d in report.diagnostics if not (quiet and d.severity == "note")]
        if not verbose:
            shown = [d for d in shown if not is_record(d)]
        for diagnostic, alike in [(d, []) for d in shown] if verbose else _said_once(shown):
            parts.append(_finding(report, diagnostic, alike, colour))
        if not quiet and not verbose:
            path = _path(report, colour)
            parts += [f"{path}: {printable(line)}\n" for line in carried_lines(report, listed)]
    if summarised and not quiet:
        parts.append(summary(reports, verbose) + "\n")
    return "".join(parts)


def _said_once(diagnostics: Iterable[Diagnostic]) -> list[tuple[Diagnostic, list[Diagnostic]]]:
    """Each finding with those that say the same of other names: told with it, not again."""
    said: dict[object, tuple[Diagnostic, list[Diagnostic]]] = {}
    for diagnostic in diagnostics:
        _, _, rest = diagnostic.message.partition(" ")
        alike = diagnostic.code in _REPEATED
        key = (diagnostic.code, diagnostic.component, rest) if alike else id(diagnostic)
        if key in said:
            said[key][1].append(diagnostic)
        else:
            said[key] = (diagnostic, [])
    return list(said.values())


def summary(reports: Sequence[FileReport], verbose: bool = False) -> str:
    """``3 notebooks checked: 2 errors, 1 note in 1 notebook; 1 settings file cannot be used``.

    Records are not counted unless ``verbose``: they are no findings to work on.
    """
    checked = sum(report.outcome == "checked" for report in reports)
    said = f"{plural(checked, 'notebook')} checked" if checked else "no notebook checked"
    findings = [
        (report, [d for d in report.diagnostics if verbose or not is_record(d)])
        for report in reports
    ]
    counts = {
        severity: sum(d.severity == severity for _, found in findings for d in found)
        for severity in _COLOURS
    }
    total = ", ".join(plural(count, severity) for severity, count in counts.items() if count)
    if total:
        said += f": {total} in {counted(report for report, found in findings if found)}"
    elif checked:
        said += ": nothing found"
    if checked and not any(report.components for report in reports):
        said += "; no cell is tagged component:NAME"
    for outcome, meaning in (("unusable", "cannot be used"), ("failed", "made nbcomponent fail")):
        affected = [report for report in reports if report.outcome == outcome]
        if affected:
            said += f"; {counted(affected)} {meaning}"
    return said


def counted(reports: Iterable[FileReport]) -> str:
    """``2 notebooks and 1 settings file``: how many of what the reports are about."""
    kinds = [report.kind for report in reports]
    known = sorted(set(kinds), key=get_args(Kind).index)
    return listed([plural(kinds.count(kind), kind) for kind in known])


def listed(words: Sequence[str]) -> str:
    """``a, b and c``."""
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)


def plural(count: int, noun: str) -> str:
    """``1 error``, ``2 errors``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def printable(text: str) -> str:
    """``text`` without control characters: a notebook must not steer the reader's terminal."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text
    )


def _path(report: FileReport, colour: bool) -> str:
    path = printable(report.path)
    return f"\x1b[1m{path}\x1b[0m" if colour else path


def _finding(
    report: FileReport, diagnostic: Diagnostic, alike: Sequence[Diagnostic], colour: bool
) -> str:
    place = "" if diagnostic.place == FILE_START else f" {where(diagnostic)}:"
    severity: str = diagnostic.severity
    if colour:
        severity = f"\x1b[1;{_COLOURS[diagnostic.severity]}m{severity}\x1b[0m"
    message = "\n  ".join(printable(line) for line in diagnostic.message.split("\n"))
    text = f"{_path(report, colour)}:{place} {severity} {diagnostic.code} {message}\n"
    line = report.lines.get((diagnostic.place.cell, diagnostic.place.line))
    if line is not None and line.strip() and diagnostic.place != FILE_START:
        text += _caret(line, diagnostic, _COLOURS[diagnostic.severity] if colour else None)
    if alike:
        others = (f"{d.message.partition(' ')[0]} ({where(d)})" for d in alike)
        text += f"  also: {printable(', '.join(others))}\n"
    if diagnostic.fix is not None:
        text += f"  next: {printable(diagnostic.fix.title)}\n"
    return text


def _caret(line: str, diagnostic: Diagnostic, colour: str | None) -> str:
    place = diagnostic.place
    start = min(place.column - 1, len(line))
    end = place.end_column - 1 if place.end_line == place.line else len(line)
    end = max(min(end, len(line)), start + 1)
    # A minified line can be of any length: show what surrounds the place.
    first = max(0, start - MAX_WIDTH // 2) if len(line) > MAX_WIDTH else 0
    shown = line[first : first + MAX_WIDTH]
    before, marked, after = (
        _shown(shown[: start - first]),
        _shown(shown[start - first : end - first]),
        _shown(shown[end - first :]),
    )
    carets = "^" * max(1, _width(marked))
    padding = " " * _width(before)
    if colour:
        carets = f"\x1b[{colour}m{carets}\x1b[0m"
    return f"    {before}{marked}{after}".rstrip() + f"\n    {padding}{carets}\n"


def _shown(text: str) -> str:
    return printable(text.replace("\t", TAB))


def _width(text: str) -> int:
    """Columns that ``text`` takes in a terminal."""
    if text.isascii():
        return len(text)
    import unicodedata

    return sum(
        0
        if unicodedata.combining(character)
        else 2
        if unicodedata.east_asian_width(character) in "FW"
        else 1
        for character in text
    )
