"""The module that exported scripts print displayed values with prints what IPython shows."""

from __future__ import annotations

import collections
import functools
import math
import re
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from IPython.lib.pretty import pretty

from nbcomponent.export.notebook_display import display, show, text_of


def without_addresses(text: str) -> str:
    return re.sub(r" at 0x[0-9a-f]+", "", text)


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
    assert text_of(value) == pretty(value)


def leaves_of_a_tree(depth: int, wide: bool = True) -> int:
    return depth


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
        leaves_of_a_tree,
        {"function": leaves_of_a_tree, "builtin": math.sin, "bound": [].append},
        functools.partial(leaves_of_a_tree, 1),
        [plt.Line2D([0], [0]), plt.Circle((0, 0), 1)],
        (number for number in range(3)),
        pd.Series([Plain(), leaves_of_a_tree]),
    ],
)
def test_libraries_and_classes_look_as_in_ipython_without_addresses(value: object) -> None:
    assert text_of(value) == without_addresses(pretty(value))


def test_a_text_that_looks_like_an_address_is_left_as_it_is() -> None:
    assert text_of(["<jump at 0x10>"]) == "['<jump at 0x10>']"
    assert text_of(pd.Series(["jump at 0x10"])) == "0    jump at 0x10\ndtype: str"


def test_a_container_in_itself_ends_as_in_ipython() -> None:
    loop: list[object] = [1]
    loop.append(loop)
    table: dict[str, object] = {"loop": loop}
    table["self"] = table
    assert text_of(loop) == pretty(loop)
    assert text_of(table) == pretty(table)


def test_none_is_displayed_only_where_display_is_called(capsys: pytest.CaptureFixture[str]) -> None:
    show(None)
    display(None, 1, display_id="x")
    assert capsys.readouterr().out == "None\n1\n"


def test_a_printer_that_needs_more_falls_back_on_repr() -> None:
    assert text_of(Long()) == "Long()"
