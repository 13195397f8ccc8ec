"""Every kind of hidden dependency in its variations, and near misses of which nothing may be said.

What each small notebook claims is checked by running it: the component's cells alone fail or print
something else exactly where a hidden dependency is claimed.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from .notebooks import CASES, definitions, mutations, names
from .small import Case, cells_of, complaints

_PLAIN = [
    *names.CASES, *mutations.CASES, *definitions.FUNCTIONS, *definitions.CLASSES, *definitions.GENERATORS,
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_what_is_said_is_what_is_true(case: Case) -> None:
    assert complaints(case) == []


def test_identifiers_are_unique() -> None:
    assert len({case.id for case in CASES}) == len(CASES)


@pytest.fixture(scope="module")
def runs() -> dict[str, dict[str, list[str]]]:
    """What the component's cells print in the whole notebook and alone, by case."""
    plain = {case.id for case in _PLAIN}
    wanted = []
    for number, case in enumerate(CASES):
        if case.runs is None or (case.id not in plain and number % 3):
            continue  # of those that need a process of their own a third will do
        cells = [
            [cell.source, "component:main" in cell.tags]
            for cell in cells_of(case.text)
            if not any(tag.startswith("contract") for tag in cell.tags)
        ]
        wanted.append({"id": case.id, "alone": case.id in plain, "cells": cells})
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("run_small.py"))],
        input=json.dumps(wanted),
        capture_output=True,
        text=True,
        check=True,
    )
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == len(wanted)
    return {run["id"]: run for run in found}


def test_running_shows_what_each_notebook_claims(runs: dict[str, dict[str, list[str]]]) -> None:
    expected = {case.id: case.runs for case in CASES}
    wrong = {}
    for id, run in runs.items():
        differs = run["whole"] != run["alone"]
        if differs != (expected[id] == "differs"):
            wrong[id] = run
    assert not wrong
    assert len(runs) > 400


def test_no_notebook_fails_as_a_whole(runs: dict[str, dict[str, list[str]]]) -> None:
    """But for those in which another cell deletes what the component needs."""
    broken = {id for id, run in runs.items() if any(text.startswith("!") for text in run["whole"])}
    assert broken <= {"deleted", "deleted by a handler"}
