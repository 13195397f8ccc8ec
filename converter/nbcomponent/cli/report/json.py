"""``--format json``: the report ``nbcomponent.check/1``."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from nbcomponent.analysis.model import Dependency
from nbcomponent.cli.report.model import ComponentReport, FileReport
from nbcomponent.contract.model import Parameter, Port
from nbcomponent.core.diagnostics import Diagnostic

SCHEMA = "nbcomponent.check/1"


def render(files: Sequence[str]) -> str:
    """The report as JSON text, pure ASCII, with a newline at its end.

    ``files``: what :func:`file_text` gives for each file.
    """
    return f'{{"schema": {_line(SCHEMA)}, "files": [{_lines(files)}]}}\n'


def file_text(report: FileReport) -> str:
    """One entry of ``files``, with a line for each component and each finding.

    Written in lines, and not with an indentation, a report of many findings is a third as long, and
    the encoder written in C can make it.
    """
    components = _lines([_line(component_object(c)) for c in report.components])
    diagnostics = _lines([_line(diagnostic_object(d)) for d in report.diagnostics])
    return (
        f'{{"path": {_line(report.path)}, "components": [{components}], '
        f'"diagnostics": [{diagnostics}]}}'
    )


def _line(value: Any) -> str:
    return json.dumps(value, allow_nan=False)


def _lines(entries: Sequence[str]) -> str:
    return "\n" + ",\n".join(entries) + "\n" if entries else ""


def dumps(document: Any) -> str:
    """JSON as every report writes it: ASCII, so that no terminal or pipe can spoil it."""
    return json.dumps(document, indent=1, allow_nan=False) + "\n"


def component_object(component: ComponentReport) -> dict[str, Any]:
    """One entry of ``components``."""
    interface = component.interface
    return {
        "name": interface.component,
        "cells": list(component.cells),
        "parameters": [_parameter(parameter) for parameter in interface.parameters],
        "inputs": [
            {
                "name": port.name,
                "type": port.type,
                "from": port.source,
                "description": port.description,
            }
            for port in interface.inputs
        ],
        "outputs": [_output(port) for port in interface.outputs],
        "dependencies": [_dependency(dependency) for dependency in component.dependencies],
    }


def diagnostic_object(diagnostic: Diagnostic) -> dict[str, Any]:
    """One entry of ``diagnostics``."""
    place, fix = diagnostic.place, diagnostic.fix
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "name": diagnostic.name,
        "defined_in": list(diagnostic.defined_in),
        "component": diagnostic.component,
        "cell": place.cell,
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
        "fix": None if fix is None else {"title": fix.title, "kind": fix.kind},
    }


def _parameter(parameter: Parameter) -> dict[str, Any]:
    choices = parameter.choices
    return {
        "name": parameter.name,
        "type": parameter.type,
        "default": finite(parameter.default),
        "min": finite(parameter.min),
        "max": finite(parameter.max),
        "choices": None if choices is None else [finite(choice) for choice in choices],
        "required": parameter.required,
        "description": parameter.description,
        "cell": parameter.cell,
        "line": parameter.line,
    }


def _output(port: Port) -> dict[str, Any]:
    return {"name": port.name, "type": port.type, "description": port.description}


def _dependency(dependency: Dependency) -> dict[str, Any]:
    return {
        "name": dependency.name,
        "resolution": dependency.resolution,
        "defined_in": list(dependency.defined_in),
        "cell": dependency.cell,
        "line": dependency.line,
        "column": dependency.column,
        "diagnostic": dependency.diagnostic,
    }


def finite(value: Any) -> Any:
    """JSON knows no infinity and no NaN; as text (``"inf"``) they survive and are seen."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value
