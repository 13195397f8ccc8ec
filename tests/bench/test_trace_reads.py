"""The trace holds every name that a cell really read, and the cell that bound it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Trace = Callable[[list[str]], tuple[dict[str, Any], Path]]

CELLS = {
    "values": "a = 1\nb = 2\nc = 3\nimport math",
    "functions": "def f():\n    return a + g()\ndef g():\n    global k\n    k = b\n    return k",
    "class": "class C:\n    z = a\n    def m(self):\n        return c\nobj = C()",
    "call": "f()",
    "method": "obj.m()",
    "global": "k",
    "timeit": "%timeit -n1 -r1 f()",
    "comprehension": "[math.pi + a for _unused in range(2)]",
    "time": "%%time\n\nq = b\ndef late():\n    return c",
    "late": "late()",
    "shell": "!echo {a + 1} $b",
    "line time": "%time w = c",
    "star": "from math import *",
    "starred": "sin(w)",
    "not taken": "x = 5\nif x > 10:\n    print(a)\ny = x > 10 and b",
    "container": "table = {'f': lambda: c}",
    "through container": "table['f']()",
    "await": "import asyncio\nawait asyncio.sleep(0)\nprint(k)",
    "state": "_",
    "capture": "%%capture out\nprint(b)",
    "captured": "out.stdout",
    "decorator": "def twice(h):\n    return lambda: h() + a",
    "decorated": "@twice\ndef one():\n    return 1\none()",
    "error": "1/0",
    "after": "a",
}
NUMBER = {name: number for number, name in enumerate(CELLS)}


@pytest.fixture(scope="module")
def cells(trace: Trace) -> dict[str, dict[str, Any]]:
    found, _ = trace(list(CELLS.values()))
    names = list(CELLS)
    return {names[cell["cell"]]: cell for cell in found["cells"]}


def read(cell: dict[str, Any]) -> dict[str, str]:
    """Names read in a cell, with the cell that had bound each; what IPython binds left out."""
    names = list(CELLS)
    return {name: names[by] for name, by, *_ in cell["reads"] if by >= 0}


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("class", {"a": "values", "C": "class"}),
        ("call", {"f": "functions", "a": "values", "g": "functions", "b": "values", "k": "call"}),
        ("method", {"obj": "class", "c": "values"}),
        ("global", {"k": "call"}),
        (
            "timeit",
            {"f": "functions", "a": "values", "g": "functions", "b": "values", "k": "timeit"},
        ),
        ("comprehension", {"math": "values", "a": "values"}),
        ("time", {"b": "values"}),
        ("late", {"late": "time", "c": "values"}),
        ("shell", {"a": "values", "b": "values"}),
        ("line time", {"c": "values"}),
        ("starred", {"sin": "star", "w": "line time"}),
        ("not taken", {"x": "not taken"}),
        ("through container", {"table": "container", "c": "values"}),
        ("await", {"asyncio": "await", "k": "timeit"}),
        ("state", {}),
        ("capture", {"b": "values"}),
        ("captured", {"out": "capture"}),
        ("decorated", {"twice": "decorator", "one": "decorated", "a": "values"}),
    ],
)
def test_reads_of_a_cell(
    cells: dict[str, dict[str, Any]], cell: str, expected: dict[str, str]
) -> None:
    assert read(cells[cell]) == expected


def test_the_place_of_a_read_is_the_line_of_the_function_that_reads(
    cells: dict[str, dict[str, Any]],
) -> None:
    places = {name: (cell, line) for name, _, cell, line in cells["call"]["reads"]}
    assert places["b"] == (NUMBER["functions"], 5)
    assert places["f"] == (NUMBER["call"], 1)


def test_lines_of_a_branch_not_taken_are_not_among_the_executed(
    cells: dict[str, dict[str, Any]],
) -> None:
    own = cells["not taken"]["lines"][str(NUMBER["not taken"])]
    assert own == [1, 2, 4]


def test_lines_under_a_cell_magic_are_those_of_the_cell(cells: dict[str, dict[str, Any]]) -> None:
    assert cells["late"]["lines"][str(NUMBER["time"])] == [5]


def test_the_first_failing_cell_ends_the_trace(cells: dict[str, dict[str, Any]]) -> None:
    assert cells["error"]["status"] == "error"
    assert "ZeroDivisionError" in cells["error"]["error"]
    assert "after" not in cells


def test_a_cell_that_takes_too_long_ends_the_trace(trace: Trace) -> None:
    found, _ = trace(["a = 1", "while True: pass", "a"])
    assert found["status"] == "timeout"
    assert [cell["status"] for cell in found["cells"]] == ["ok", "timeout"]


def test_there_is_no_network(trace: Trace) -> None:
    found, _ = trace(["import socket", "socket.create_connection(('192.0.2.1', 80), timeout=3)"])
    assert "unreachable" in found["cells"][1]["error"]
