"""A span's dependencies are compared with its reads, and extra names judged by what ran."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import spans

Trace = Callable[[list[str]], tuple[dict[str, Any], Path]]

CELLS = [
    "a = 1\nb = 2\nc = 3\nn = 0",
    "def f(flag):\n    if flag:\n        return a\n    return b",
    "f(False)",
    "x = n and c",
    "if x == 0:\n    n = 7\nprint(n)",
    "a = 5",
    "print(a)",
]


@pytest.fixture(scope="module")
def traced(trace: Trace) -> tuple[dict[str, Any], dict[str, Any]]:
    found, folder = trace(CELLS)
    return found, json.loads((folder / found["path"]).read_text())


def measured(traced: tuple[dict[str, Any], dict[str, Any]], *cells: int) -> dict[str, Any]:
    found, data = traced
    return spans.measure(spans.Span(found["path"], cells), data, found)


def verdicts(result: dict[str, Any]) -> dict[str, str]:
    return {extra["name"]: extra["verdict"] for extra in result["extra"]}


def test_a_name_on_a_branch_not_taken_is_extra_and_did_not_run(
    traced: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    result = measured(traced, 2)
    assert result["read"] == ["b", "f"]
    assert verdicts(result) == {"a": "not run"}
    assert result["missed"] == []


def test_a_name_behind_a_short_circuit_was_not_evaluated(
    traced: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    result = measured(traced, 3)
    assert result["read"] == ["n"]
    assert verdicts(result) == {"c": "not evaluated"}


def test_a_name_bound_in_a_branch_comes_from_outside_on_some_paths(
    traced: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    assert verdicts(measured(traced, 4)) == {"n": "some paths"}


def test_a_name_that_the_span_binds_first_is_no_dependency(
    traced: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    result = measured(traced, 5, 6)
    assert result["read"] == result["listed"] == []


def test_pyflakes_alone_misses_what_a_carried_function_reads(
    traced: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    peers = measured(traced, 2)["peers"]
    assert peers["pyflakes"]["missed"] == ["b"]
    assert peers["pyflakes, followed"] == {"missed": [], "extra": ["a"]}


def test_a_wrong_extra_is_told_from_an_excused_one(
    traced: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    found, data = traced
    tagged = spans.tag(spans.parse_notebook(spans.tagged_copy(data, (5, 6)), "a.ipynb"))
    ran = {cell["cell"]: cell for cell in found["cells"]}
    span = spans.Span("a.ipynb", (5, 6))
    assert spans.judge_extra("a", span, (6, 1), tagged, ran) == "bound first"
    assert spans.judge_extra("unknown", span, (6, 1), tagged, ran) == "no use"


def test_the_same_seed_draws_the_same_spans(traced: tuple[dict[str, Any], dict[str, Any]]) -> None:
    found, _ = traced
    assert spans.draw([found], 10, 4, 1) == spans.draw([found], 10, 4, 1)
    assert spans.draw([found], 10, 4, 1) != spans.draw([found], 10, 4, 2)
    assert all(0 not in span.cells for span in spans.draw([found], 10, 4, 1))


def test_a_miss_is_counted(traced: tuple[dict[str, Any], dict[str, Any]]) -> None:
    result = measured(traced, 2)
    result["missed"] = [{"name": "b"}]
    totals = spans.summary([result, measured(traced, 3)])
    assert totals["nothing missed %"] == 50.0
    assert totals["names missed"] == 1
