"""The helper that prints values prints what IPython shows."""

from __future__ import annotations

import collections
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from IPython.lib.pretty import pretty

from nbcomponent.export.display import show_code

NAMES: dict[str, Any] = {"Any": Any, "SimpleNamespace": SimpleNamespace}
exec(show_code("show", "show_text", "display", "Any", "SimpleNamespace"), NAMES)
show_text = NAMES["show_text"]

leaves = st.one_of(
    st.integers(),
    st.text(max_size=30),
    st.floats(),
    st.none(),
    st.booleans(),
    st.sampled_from([int, collections.Counter, range(3)]),
)
keys = st.one_of(st.integers(), st.text(max_size=12))
values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=12),
        st.tuples(inner, inner),
        st.tuples(inner),
        st.dictionaries(keys, inner, max_size=8),
        st.sets(keys, max_size=10),
        st.frozensets(keys, max_size=20),
        st.dictionaries(keys, inner, max_size=8).map(collections.OrderedDict),
        st.dictionaries(keys, inner, max_size=8).map(lambda d: collections.defaultdict(list, d)),
        st.lists(keys, max_size=12).map(collections.Counter),
        st.lists(keys, max_size=12).map(collections.deque),
    ),
    max_leaves=30,
)


@given(values)
@settings(max_examples=300, deadline=None)
def test_containers_look_as_in_ipython(value: object) -> None:
    assert show_text(value) == pretty(value)


class Plain:
    pass


class Rows(list):  # type: ignore[type-arg]
    pass


class Short:
    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text("<short ")
        printer.pretty([1])
        printer.text(">")


class Long:
    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        with printer.group(1, "<", ">"):
            printer.text("long")

    def __repr__(self) -> str:
        return "Long()"


@pytest.mark.parametrize(
    "value",
    [
        np.arange(100).reshape(10, 10),
        (np.eye(3), np.eye(2)),
        {"a": np.eye(2), "b": 1, "c": np.eye(3)},
        [[("a", np.eye(2))]],
        list(range(1200)),
        pd.DataFrame({"a": [1, 2], "b": ["x", None]}),
        pd.Series([1.5, 2.5], name="s"),
        pd.DataFrame,
        np.float64(2.5),
        Plain,
        [Plain(), Short()],
        Rows([1, 2]),
        collections.deque([1], maxlen=3),
        frozenset(),
        set(),
        (),
    ],
)
def test_libraries_and_classes_look_as_in_ipython(value: object) -> None:
    assert show_text(value) == pretty(value)


def test_a_printer_that_needs_more_falls_back_on_repr() -> None:
    assert show_text(Long()) == "Long()"
