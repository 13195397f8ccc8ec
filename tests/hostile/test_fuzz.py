"""A sample of what ``bench/fuzz_notebooks.py`` does, and what it found before."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from fuzz_notebooks import Case, cases, data_of, run_case, run_data
from hostile_contents import A, cell, notebook

from nbcomponent.core.room import with_room

ROOT = Path(__file__).parents[2]
BATCH = 50
FOUND: tuple[str, ...] = ("unusable", "examined", "blocked", "exported")


@pytest.mark.parametrize("start", range(0, 300, BATCH))
def test_damaged_notebooks_never_raise(start: int) -> None:
    every = [*cases(ROOT / "notebooks", 150, seed=3), *cases(ROOT / "tests" / "data", 150, seed=4)]
    for case in every[start : start + BATCH]:
        outcome = with_room(lambda case=case: run_case(case), 60)  # type: ignore[misc]
        assert outcome in FOUND, (case, outcome)


def test_a_case_is_always_the_same() -> None:
    path = str(ROOT / "notebooks" / "hidden_state.ipynb")
    one, other = Case(path, 5, 17), Case(path, 5, 18)
    assert data_of(one) == data_of(one)
    assert data_of(one) != data_of(other)


MARKED = [
    cell("# a \ud800 heading\n\nand \0 text", kind="markdown"),
    cell("print(1)", A),
]


@pytest.mark.parametrize("boundary", ["strict", "auto"])
@pytest.mark.parametrize(
    "data",
    [
        notebook(*MARKED),
        notebook(cell("%time x = '\ud800' + y", A)),
        notebook(cell("!echo \ud800 $y {z}", A)),
        notebook(cell("x = 1\n\x0cy = 2\nif x:\n    x = 1\n\x0c    y = 3", A)),
        notebook(cell("assert (1, 'always')\nx = '\\d'", A)),
        notebook(cell("%pip install numpy\ud800==1\nprint(1)", A)),
        notebook(cell("%%writefile a.py\nprint(", A)),
        notebook(cell("%%writefile a.py\nx = '\ud800'", A)),
    ],
    ids=[
        "markdown",
        "magic",
        "shell",
        "form-feed",
        "warning",
        "install",
        "script",
        "script-surrogate",
    ],
)
def test_what_the_fuzzer_found(
    data: bytes, boundary: Literal["strict", "auto"], recwarn: pytest.WarningsRecorder
) -> None:
    assert run_data(data, "found.ipynb", boundary) in FOUND
    assert not [w for w in recwarn if issubclass(w.category, SyntaxWarning)]
