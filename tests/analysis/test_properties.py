"""What must hold for every notebook, on generated ones; where it can be run, running it is the authority."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nbcomponent.analysis.model import Boundary, ComponentAnalysis
from nbcomponent.cli.examined import report_of
from nbcomponent.cli.report.json import file_text
from nbcomponent.contract.examine import examine
from nbcomponent.notebook.reader import parse_notebook
from nbcomponent.notebook.tagging import tag

from .generated import (
    EVERYTHING,
    NAMES,
    Cells,
    components_of,
    is_code,
    notebooks,
    printed,
    python_of,
    run,
    simple_notebooks,
    text_of,
    with_shown_values,
)  # fmt: skip
from .small import analysis_of, component_of, notebook_of

boundaries = st.sampled_from(["strict", "auto"])
Json = Any


def examples(number: int) -> Callable[[Any], Any]:
    return settings(max_examples=number, deadline=None, derandomize=True, database=None)


# Running is the authority.


def needed(cells: Cells, component: str, boundary: Boundary = "strict") -> set[str]:
    found = component_of(text_of(cells), component, boundary=boundary)
    return {d.name for d in found.dependencies}


@examples(400)
@given(simple_notebooks("== main", "== main", "==", "== other"))
def test_a_component_misses_a_name_alone_exactly_where_a_dependency_is_named(cells: Cells) -> None:
    component = component_of(text_of(cells))
    missing = [d for d in component.dependencies if d.diagnostic not in ("NBC104", "NBC105")]
    fails = isinstance(run(cells, "main").error, NameError)
    if missing:
        assert fails
    if not component.dependencies:
        assert not fails


@examples(400)
@given(notebooks(*EVERYTHING), boundaries)
def test_what_a_run_shows_a_component_to_read_of_other_cells_is_a_dependency(
    cells: Cells, boundary: Boundary
) -> None:
    """Or, where the component had made the name itself before, NBC104."""
    reads = run(cells).reads
    for component in analysis_of(text_of(cells), boundary).components:
        own = set(component.cells)
        changed = {d.name for d in component.diagnostics if d.code == "NBC104"} & component.binds
        told = {d.name for d in component.dependencies} | changed
        seen = {name for cell, name, bound_in in reads if cell in own and bound_in not in own}
        assert {name for name in seen if not name.startswith("__")} <= told


@examples(300)
@given(notebooks(*EVERYTHING), boundaries)
def test_a_component_of_a_notebook_that_runs_misses_alone_only_what_is_a_dependency(
    cells: Cells, boundary: Boundary
) -> None:
    assume(run(cells).error is None)
    for component in {name for header, _ in cells for name in components_of(header)}:
        error = run(cells, component).error
        if isinstance(error, NameError):
            assert error.name in needed(cells, component, boundary)


def with_what_is_carried(cells: Cells, component: ComponentAnalysis) -> list[tuple[bool, str]]:
    """The component's cells (marked True) with the carried statements between them, in notebook order."""
    carried = {(c.cell, c.index) for c in component.carried}
    found: list[tuple[bool, str]] = []
    for number, (header, source) in enumerate(cells):
        if number in component.cells:
            found.append((True, python_of(source)))
        elif is_code(header):
            nodes = enumerate(ast.parse(python_of(source)).body)
            found += [(False, ast.unparse(n)) for i, n in nodes if (number, i) in carried]
    return found


@examples(300)
@given(notebooks("== main", "== main", "== other", "==", "== +shared", most=8), boundaries)
def test_a_component_without_an_error_prints_what_it_prints_in_the_notebook(
    cells: Cells, boundary: Boundary
) -> None:
    """With what is carried over; values that come over from other components are not followed here."""
    cells = with_shown_values(cells, "main")
    whole = printed([("main" in components_of(h), python_of(s)) for h, s in cells])
    assume(whole is not None)
    component = component_of(text_of(cells), boundary=boundary)
    assume(all(d.severity == "note" for d in component.diagnostics) and not component.crossings)
    assert printed(with_what_is_carried(cells, component)) == whole


@examples(300)
@given(notebooks("== main", "== main", "== main", "== +markdown"))
def test_a_component_of_all_cells_needs_no_other_cell(cells: Cells) -> None:
    """But for names that stand in a later cell only, or in none."""
    component = component_of(text_of(cells))
    assert {d.diagnostic for d in component.dependencies} <= {"NBC102", "NBC103", "NBC105"}
    assert {d.resolution for d in component.dependencies} <= {"hidden"}
    assert component.carried == ()


# What a change of the notebook may change in the report.


def report(cells: Cells, boundary: Boundary) -> Json:
    notebook = parse_notebook(notebook_of(text_of(cells)), "/nowhere/small.ipynb")
    return json.loads(file_text(report_of("small.ipynb", examine(tag(notebook), boundary))))


def in_any_order(value: Json) -> Json:
    """Findings at one place stand in the order of their names, which a new name may change."""
    if isinstance(value, dict):
        return {key: in_any_order(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return sorted((in_any_order(inner) for inner in value), key=repr)
    return value


_CELLS_IN_WORDS = re.compile(r"(?<=\bcell )\d+|(?<=\bcells )\d+(?:(?:, | and )\d+)*")


def moved(value: Json, new: int, key: str = "") -> Json:
    """The report as if one more cell stood before cell ``new``."""
    if isinstance(value, dict):
        return {name: moved(inner, new, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [moved(inner, new, key) for inner in value]
    if key in ("cell", "cells", "defined_in") and value is not None:
        return value + (value >= new)
    if key in ("message", "title"):
        return _CELLS_IN_WORDS.sub(
            lambda cells: re.sub(r"\d+", lambda n: str(moved(int(n[0]), new, "cell")), cells[0]),
            value,
        )
    return value


UNRELATED = [
    ("==", "fresh = [7]\nlen(fresh)"),
    ("==", "import json as fresh\nfor fresh_one in fresh.loads('[1]'):\n    print(fresh_one)"),
    ("==", "def fresh(p):\n    return [p for q in p]\nfresh([1])"),
    ("==", "class Fresh:\n    def get(self):\n        return Fresh"),
    ("== +skip", "fresh = unheard_of()"),
    ("== +shared", "def fresh(p=1):\n    return p"),
    ("== +markdown", "# About va\n\n`fa()` and `Ka`"),
    ("== +raw", "va = [1]\ndel vb"),
    ("==", ""),
    ("==", "# only a comment about va"),
    ("==", "%matplotlib inline"),
]


@examples(200)
@given(notebooks(*EVERYTHING), st.integers(0, 6), st.sampled_from(UNRELATED), boundaries)
def test_an_unrelated_cell_changes_only_the_numbers_of_cells(
    cells: Cells, at: int, unrelated: tuple[str, str], boundary: Boundary
) -> None:
    at = min(at, len(cells))
    more = [*cells[:at], unrelated, *cells[at:]]
    assert report(more, boundary) == moved(report(cells, boundary), at)


def renamed(value: Json, cells: Cells, old: str, new: str) -> Json:
    """The report as if ``old`` were called ``new``: in names, words and places."""
    word = re.compile(rf"\b{old}(?=\b|_in\b)")  # an input beside an output of one name
    if isinstance(value, list):
        return [renamed(inner, cells, old, new) for inner in value]
    if not isinstance(value, dict):
        return word.sub(new, value) if isinstance(value, str) else value
    found = {key: renamed(inner, cells, old, new) for key, inner in value.items()}
    for line_key, key in (("line", "column"), ("end_line", "end_column")):
        if found.get("cell") is not None and key in found:
            line = cells[found["cell"]][1].split("\n")[found[line_key] - 1]
            found[key] = len(word.sub(new, line[: found[key] - 1])) + 1
    return found


other_names = st.one_of(
    st.from_regex(r"[z][a-z0-9_]{0,70}", fullmatch=True),
    st.sampled_from(["Z", "Zz", "zZ9", "ZETA", "ünder", "名前", "z" * 300, "fresh"]),
)


@examples(200)
@given(notebooks(*EVERYTHING), st.sampled_from(NAMES), other_names, boundaries)
def test_another_name_changes_nothing_but_the_name(
    cells: Cells, old: str, new: str, boundary: Boundary
) -> None:
    text = text_of(cells)
    assume(old in text and new not in text)
    assume(new.isascii() or boundary == "strict")  # Azure ML calls an argument otherwise
    others = [(header, re.sub(rf"\b{old}\b", new, source)) for header, source in cells]
    expected = renamed(report(cells, boundary), cells, old, new)
    assert in_any_order(report(others, boundary)) == in_any_order(expected)


# The report is the same wherever it is made.


@pytest.fixture(scope="module")
def batch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of generated notebooks."""
    folder = tmp_path_factory.mktemp("generated")
    made: list[bytes] = []

    @examples(80)
    @given(notebooks(*EVERYTHING, most=9))
    def collect(cells: Cells) -> None:
        made.append(notebook_of(text_of(cells)))

    collect()
    for number, notebook in enumerate(made):
        (folder / f"{number}.ipynb").write_bytes(notebook)
    assert len(made) >= 80
    return folder


def check(folder: Path, boundary: str, seed: str) -> bytes:
    done = subprocess.run(
        [sys.executable, "-m", "nbcomponent", "check", ".", "--format", "json", "--jobs", "1",
         "--boundary", boundary],
        cwd=folder, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    return done.stdout


@pytest.mark.parametrize("boundary", ["strict", "auto"])
def test_the_report_does_not_depend_on_the_seed_of_hashes(batch: Path, boundary: str) -> None:
    first, *others = (check(batch, boundary, seed) for seed in ("0", "1", "2", "77"))
    assert json.loads(first)["files"][40]["components"]
    assert all(other == first for other in others)


def test_the_report_does_not_depend_on_where_objects_lie_in_memory() -> None:
    functions = "".join(
        f"import tool{n}\n@tool{n}.register\ndef step{n}(x):\n    return x\n" for n in range(8)
    )
    text = f"== prepare\n{functions}\n== prepare\nsteps = dict(a=[{', '.join(f'step{n}' for n in range(8))}])\n== main\nprint(steps)\n"
    kept, messages = [], set()
    for _ in range(40):
        kept.append(component_of(text, boundary="auto"))  # what is kept moves what is made next
        messages.update(d.message for d in kept[-1].diagnostics if d.name == "steps")
    assert messages == {
        "`steps` is defined only outside main, in cell 1 (component prepare): it needs step0, "
        "whose definition in cell 0 has effects"
    }
