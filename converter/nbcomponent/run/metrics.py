"""Metrics of a step: numbers in a JSON output.

A step reports metrics in a file ``metrics.json`` at the top of one of its outputs, or in an output of type
``uri_file`` named ``metrics``: an object of numbers, objects in it flattened with dots. (MLflow runs are the tracking
room's.)
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path

from nbcomponent.core.files import read_regular

_MOST_BYTES = 1_000_000


def read_metrics(outputs: Mapping[str, Path]) -> dict[str, float]:
    """The metrics in a step's outputs; empty where there are none."""
    found: dict[str, float] = {}
    for name, path in outputs.items():
        file = path / "metrics.json" if path.is_dir() else path
        if path.is_dir() or name == "metrics" or path.name == "metrics.json":
            found.update(_numbers(file))
    return found


def _numbers(path: Path) -> Iterator[tuple[str, float]]:
    try:
        data = json.loads(read_regular(path, _MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return  # not there, or not metrics
    pending = [("", data)]
    while pending:
        name, value = pending.pop(0)
        if isinstance(value, dict):
            pending += [(f"{name}.{key}" if name else key, item) for key, item in value.items()]
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            try:
                number = float(value)
            except OverflowError:
                continue
            if name and math.isfinite(number):
                yield name, number
