"""The splitting test: the pipeline of a split notebook must print what the notebook printed."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import split_notebooks

Run = Callable[..., subprocess.CompletedProcess[str]]


def test_what_changes_from_run_to_run_is_not_compared() -> None:
    first = split_notebooks.normal("<C at 0x7f12>\n\x1b[1ma  b\x1b[0m\n10 ms per loop\n")
    second = split_notebooks.normal("<C at 0x9999>\na b \n12 ms per loop")
    assert first == second == ["<C>", "a b"]


def test_handles_of_plots_are_not_compared() -> None:
    line = "<matplotlib.lines.Line2D at 0x7f12>"
    assert split_notebooks.normal(f"[{line}]\n[{line},\n {line}]\n{line}\n1") == ["1"]
    shown = split_notebooks.normal(f"{{'boxes': [{line}]}}\n(array([1.]), {line})")
    assert shown == [
        "{'boxes': [<matplotlib.lines.Line2D>]}",
        "(array([1.]), <matplotlib.lines.Line2D>)",
    ]


def test_values_are_compared() -> None:
    assert split_notebooks.normal("1.0") != split_notebooks.normal("1.1")


def test_a_cut_leaves_no_part_empty_and_keeps_the_order() -> None:
    for seed in range(50):
        parts = split_notebooks.cut([2, 3, 5, 8], random.Random(seed))
        assert list(parts.values()) == sorted(parts.values())
        assert set(parts.values()) == {"p1", "p2", "p3"}


def test_printed_joins_streams_and_displayed_text() -> None:
    outputs = [
        {"output_type": "stream", "name": "stdout", "text": ["a\n", "b\n"]},
        {"output_type": "stream", "name": "stderr", "text": "progress"},
        {"output_type": "execute_result", "data": {"text/plain": "3"}},
        {"output_type": "display_data", "data": {"text/plain": "W", "text/html": "<b>W</b>"}},
    ]
    notebook = {"cells": [{"cell_type": "code", "outputs": outputs}]}
    assert split_notebooks.printed(notebook) == "a\nb\n3\nW\n"


def test_codes_of_a_report_are_counted_without_notes() -> None:
    report = {
        "files": [
            {
                "diagnostics": [
                    {"code": "NBC104", "severity": "error"},
                    {"code": "NBC101", "severity": "note"},
                    {"code": "NBC104", "severity": "error"},
                ]
            }
        ]
    }
    assert split_notebooks.found_errors(json.dumps(report)) == {"NBC104": 2}


@pytest.fixture(scope="module")
def verdicts(
    run_tool: Run,
    notebook_json: Callable[[list[str]], str],
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, dict[str, Any]]:
    """The verdict of each notebook of a folder by one call of the tool."""
    folder = tmp_path_factory.mktemp("split")
    notebooks = {
        "good": ["a = 2", "def double(x):\n    return 2 * x", "b = double(a)\nprint(b)", "b + a"],
        "unstable": ["import time", "print(time.time())", "1"],
        "failing": ["a = 1", "a / 0", "print(a)"],
        "unstorable": ["lines = (i for i in range(3))", "print(next(lines))", "print(next(lines))"],
    }
    (folder / "repository").mkdir()
    for name, cells in notebooks.items():
        (folder / "repository" / f"{name}.ipynb").write_text(notebook_json(cells))
    output = folder / "split.json"
    done = run_tool("split_notebooks.py", folder, "--least-cells", 3, "-o", output)
    found = json.loads(output.read_text())
    assert found["summary"]["notebooks"] == 2, done.stderr
    return {Path(one["notebook"]).stem: one for one in found["splits"]}


def test_a_notebook_whose_pipeline_prints_the_same_is_equal(
    verdicts: dict[str, dict[str, Any]],
) -> None:
    assert verdicts["good"]["verdict"] == "equal"


def test_what_cannot_cross_is_announced_with_its_code(verdicts: dict[str, dict[str, Any]]) -> None:
    assert verdicts["unstorable"]["verdict"] == "announced"
    assert verdicts["unstorable"]["codes"]


def test_notebooks_that_fail_or_differ_between_two_runs_are_left_out(
    verdicts: dict[str, dict[str, Any]],
) -> None:
    assert set(verdicts) == {"good", "unstorable"}
