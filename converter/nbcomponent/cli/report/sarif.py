"""``--format sarif``: SARIF 2.1.0, for code scanning services and editors.

Regions count lines and columns in the cell's own source; the cell stands in the logical location
(``cell 4``) and in the result's properties.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any
from urllib.parse import quote

from nbcomponent.cli.report.json import dumps
from nbcomponent.cli.report.model import FileReport
from nbcomponent.core.diagnostics import FILE_START, Diagnostic, Severity
from nbcomponent.core.explain import Page

SCHEMA_URI = "https://json.schemastore.org/sarif-2.1.0.json"

_LEVELS: dict[Severity, str] = {"error": "error", "warning": "warning", "note": "note"}


def render(reports: Sequence[FileReport], page: Callable[[str], Page | None], version: str) -> str:
    """The report as one SARIF run; ``page`` gives the explain page of a code, for the rules."""
    codes = sorted({d.code for report in reports for d in report.diagnostics})
    index = {code: number for number, code in enumerate(codes)}
    unusable = any(report.outcome != "checked" for report in reports)
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "nbcomponent",
                "version": version,
                "semanticVersion": version,
                "rules": [_rule(code, page(code)) for code in codes],
            }
        },
        "invocations": [{"executionSuccessful": not unusable}],
        "columnKind": "unicodeCodePoints",
        "results": [
            _result(report, diagnostic, index[diagnostic.code])
            for report in reports
            for diagnostic in report.diagnostics
        ],
    }
    return dumps({"$schema": SCHEMA_URI, "version": "2.1.0", "runs": [run]})


def _rule(code: str, page: Page | None) -> dict[str, Any]:
    if page is None:
        return {"id": code}
    return {
        "id": code,
        "shortDescription": {"text": page.title},
        "fullDescription": {"text": page.why or page.title},
        "help": {"text": page.text, "markdown": page.text},
    }


def _result(report: FileReport, diagnostic: Diagnostic, rule: int) -> dict[str, Any]:
    message = diagnostic.message
    properties: dict[str, Any] = {
        "cell": diagnostic.place.cell,
        "component": diagnostic.component,
        "name": diagnostic.name,
        "definedIn": list(diagnostic.defined_in),
    }
    if diagnostic.fix is not None:
        message += f"\nnext: {diagnostic.fix.title}"
        properties["fix"] = {"title": diagnostic.fix.title, "kind": diagnostic.fix.kind}
    return {
        "ruleId": diagnostic.code,
        "ruleIndex": rule,
        "level": _LEVELS[diagnostic.severity],
        "message": {"text": message},
        "locations": [_location(report, diagnostic)],
        "partialFingerprints": {"nbcomponent/v1": _fingerprint(report, diagnostic)},
        "properties": {key: value for key, value in properties.items() if value is not None},
    }


def _location(report: FileReport, diagnostic: Diagnostic) -> dict[str, Any]:
    place = diagnostic.place
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(report.path)}}
    if place != FILE_START:
        region: dict[str, Any] = {
            "startLine": place.line,
            "startColumn": place.column,
            "endLine": place.end_line,
            "endColumn": place.end_column,
        }
        line = report.lines.get((place.cell, place.line))
        if line is not None and place.line == place.end_line:
            region["snippet"] = {"text": line[place.column - 1 : place.end_column - 1]}
        physical["region"] = region
    location: dict[str, Any] = {"physicalLocation": physical}
    if place.cell is not None:
        location["logicalLocations"] = [{"name": f"cell {place.cell}", "kind": "object"}]
    return location


def _uri(path: str) -> str:
    """A relative reference, or a file URI for an absolute path."""
    posix = path.replace(os.sep, "/")
    quoted = quote(posix.encode("utf-8", "surrogateescape"), safe="/")
    if posix.startswith("/"):
        return f"file://{quoted}"
    if os.name == "nt" and posix[1:2] == ":":
        return f"file:///{quoted}"
    return quoted


def _fingerprint(report: FileReport, diagnostic: Diagnostic) -> str:
    """The same for a finding that only moved to another line or cell."""
    line = report.lines.get((diagnostic.place.cell, diagnostic.place.line), "")
    parts = (diagnostic.code, report.path, diagnostic.component, diagnostic.name, line.strip())
    return sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
