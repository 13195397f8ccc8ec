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


def render(reports: Sequence[FileReport]) -> str:
    """The report as JSON text, pure ASCII, with a newline at its end."""
    document = {"schema": SCHEMA, "files": [file_object(report) for report in reports]}
    return dumps(document)


def dumps(document: Any) -> str:
    """JSON as every report writes it: ASCII, so that no terminal or pipe can spoil it."""
    return json.dumps(document, indent=1, allow_nan=False) + "\n"


def file_object(report: FileReport) -> dict[str, Any]:
    """One entry of ``files``."""
    return {
        "path": report.path,
        "components": [component_object(component) for component in report.components],
        "diagnostics": [diagnostic_object(diagnostic) for diagnostic in report.diagnostics],
    }


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
