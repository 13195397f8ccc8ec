"""How values cross, once it is known what the notebook's environment has.

The analysis picks a format by the type of a value and knows no environment. A table crosses as parquet,
which pandas writes with a package of its own; where that is not installed, a pickle does without.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from nbcomponent.contract.examine import Examination, place_of_use
from nbcomponent.contract.model import Interface, Port
from nbcomponent.core.diagnostics import FILE_START, Diagnostic, Fix
from nbcomponent.export.environment import Versions

PARQUET = "pyarrow"


def usable_formats(
    examination: Examination, versions: Versions
) -> tuple[Mapping[str, Interface], list[Diagnostic]]:
    """The interfaces, with formats that the environment can write and read, and a finding for each change.

    Only outputs that ``--boundary auto`` made are changed: a format that a contract names stays.
    """
    interfaces = dict(examination.interfaces)
    tables = {
        (name, port.name)
        for name, interface in interfaces.items()
        for port in interface.outputs
        if port.format == "parquet" and (name, port.variable) in examination.made_outputs
    }
    if not tables or versions.version("pandas") is None or versions.has(PARQUET):
        return interfaces, []
    found: list[Diagnostic] = []
    for name, interface in interfaces.items():
        inputs = []
        for port in interface.inputs:
            step, _, output = (port.source or "").partition(".")
            if (step, output) in tables and port.format == "parquet":
                found.append(_finding(examination, name, port, step))
                port = replace(port, format="pickle")
            inputs.append(port)
        outputs = [
            replace(port, format="pickle") if (name, port.name) in tables else port
            for port in interface.outputs
        ]
        interfaces[name] = replace(interface, inputs=tuple(inputs), outputs=tuple(outputs))
    return interfaces, found


def _finding(examination: Examination, consumer: str, port: Port, producer: str) -> Diagnostic:
    analysis = next(c for c in examination.analysis.components if c.name == consumer)
    place = place_of_use(analysis, port.variable) or FILE_START
    return Diagnostic(
        "NBC244",
        "warning",
        f"{port.variable} goes from {producer} to {consumer} as pickle, since {PARQUET}, which parquet needs, "
        "is not installed where the notebook runs; both need the same libraries in the same versions",
        place,
        component=consumer,
        fix=Fix(f"install {PARQUET} and export with --refresh-lock", "edit"),
    )
