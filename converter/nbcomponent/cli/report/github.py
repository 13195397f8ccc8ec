"""``--format github``: workflow commands, which GitHub Actions shows as annotations.

A position in a cell is no line of the .ipynb file, and an annotation on a wrong line misleads; so
findings in cells are placed on the file, and their message begins with cell and line.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

from collections.abc import Sequence

from nbcomponent.cli.report.model import FileReport, where
from nbcomponent.core.diagnostics import FILE_START, Diagnostic, Severity

_COMMANDS: dict[Severity, str] = {"error": "error", "warning": "warning", "note": "notice"}


def render(reports: Sequence[FileReport]) -> str:
    """One workflow command a finding."""
    return "".join(
        _annotation(report.path, diagnostic)
        for report in reports
        for diagnostic in report.diagnostics
    )


def _annotation(path: str, diagnostic: Diagnostic) -> str:
    place = diagnostic.place
    properties = {"title": diagnostic.code, "file": path}
    message = diagnostic.message
    if place.cell is not None:
        message = f"{where(diagnostic)}: {message}"
    elif place != FILE_START:
        properties["line"] = str(place.line)
        properties["endLine"] = str(place.end_line)
        # GitHub takes columns only where the finding stays on one line.
        if place.line == place.end_line:
            properties["col"] = str(place.column)
            properties["endColumn"] = str(place.end_column)
    if diagnostic.fix is not None:
        message += f"\nnext: {diagnostic.fix.title}"
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{_COMMANDS[diagnostic.severity]} {listed}::{_data(message)}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
