"""Small notebooks with their true hidden dependencies: names exactly, each with a fitting code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nbcomponent.analysis.analyse import analyse
from nbcomponent.analysis.model import ComponentAnalysis
from nbcomponent.contract.declare import declare
from nbcomponent.notebook.reader import read_notebook
from nbcomponent.notebook.tagging import tag

CASES = Path(__file__).parent.parent / "data" / "cases"
INDEX = json.loads((CASES / "cases.json").read_text())
DIAGNOSTICS_ONLY = {"mutation", "env", "cwd", "syspath", "rng", "option", "patch", "file"}


def analysed(file: str) -> ComponentAnalysis:
    tagged = tag(read_notebook(str(CASES / file)))
    return analyse(tagged, declare(tagged).declared).components[0]


@pytest.mark.parametrize("case", INDEX["cases"], ids=lambda c: c["id"])
def test_dependencies_are_the_names_that_come_from_outside(case: dict) -> None:
    component = analysed(case["file"])
    expected = {e["name"] for e in case["expected"] if e["kind"] not in DIAGNOSTICS_ONLY}
    assert {d.name for d in component.dependencies} == expected


@pytest.mark.parametrize("case", INDEX["cases"], ids=lambda c: c["id"])
def test_each_expected_name_has_a_finding_of_its_kind(case: dict) -> None:
    component = analysed(case["file"])
    codes: dict[str, set[str]] = {}
    places: dict[str, set[tuple[int, ...]]] = {}
    for diagnostic in component.diagnostics:
        codes.setdefault(diagnostic.name or "", set()).add(diagnostic.code)
        places.setdefault(diagnostic.name or "", set()).add(diagnostic.defined_in)
    for expected in case["expected"]:
        allowed = set(INDEX["codes_by_kind"][expected["kind"]])
        assert codes.get(expected["name"], set()) & allowed, expected
        assert tuple(expected["from_cells"]) in places[expected["name"]], expected


@pytest.mark.parametrize("case", INDEX["cases"], ids=lambda c: c["id"])
def test_nothing_is_said_of_names_that_are_fine(case: dict) -> None:
    component = analysed(case["file"])
    assert not {d.name for d in component.diagnostics} & set(case["must_not_report"])
