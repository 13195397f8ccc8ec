"""A file that takes too long, or is nested too deeply, costs itself and nothing else."""

from __future__ import annotations

import time

import pytest

from nbcomponent.cli.batch import Failure, attempt, run_batch
from nbcomponent.cli.examined import failed_report


def nap(seconds: float) -> str:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass
    return f"{seconds:g}"


def dive(depth: int) -> int:
    return depth if depth == 0 else dive(depth - 1)


def test_an_item_over_the_time_limit_is_given_up_and_the_others_are_done() -> None:
    outcomes = run_batch(nap, [0.0, 30.0, 0.01], jobs=2, timeout=1.0)
    assert outcomes[0] == "0"
    assert outcomes[2] == "0.01"
    assert isinstance(outcomes[1], Failure)
    assert outcomes[1].kind == "timeout"


def test_a_single_item_has_the_time_limit_too() -> None:
    outcome = attempt(nap, 30.0, 0.5)
    assert isinstance(outcome, Failure)
    assert (outcome.kind, outcome.message) == ("timeout", "it was not done within 0.5 seconds")


def test_endless_recursion_is_the_items_doing() -> None:
    outcome = attempt(dive, 10_000_000, 60)
    assert isinstance(outcome, Failure)
    assert outcome.kind in ("too-deep", "too-large")


@pytest.mark.parametrize(
    ("kind", "code", "next_step"),
    [("timeout", "NBC947", "--timeout"), ("too-deep", "NBC944", ""), ("too-large", "NBC944", "")],
)
def test_the_report_says_what_the_file_did(kind: str, code: str, next_step: str) -> None:
    report = failed_report("a.ipynb", Failure(kind, "why"))  # type: ignore[arg-type]
    (diagnostic,) = report.diagnostics
    assert (diagnostic.code, diagnostic.severity, report.outcome) == (code, "error", "unusable")
    assert "why" in diagnostic.message
    assert next_step in (diagnostic.fix.title if diagnostic.fix else "")
