"""``--boundary auto``: what the analysis does about each hidden dependency, what it lists, what stays an error."""

from __future__ import annotations

import pytest

from nbcomponent.core.diagnostics import Diagnostic, Place

from .small import analysis_of, component_of

SHARED = """
== other
{one} = [1]
{two} = {one}
== main
{two}.append(2)
print({one})
"""


def errors(text: str, name: str = "main") -> list[Diagnostic]:
    found = component_of(text, name, boundary="auto")
    return [d for d in found.diagnostics if d.severity == "error"]


@pytest.mark.parametrize(("one", "two"), [("a", "b"), ("b", "a")])
def test_two_values_that_share_an_object_are_named_in_the_order_of_their_use(
    one: str, two: str
) -> None:
    [error] = errors(SHARED.format(one=one, two=two))
    assert (error.code, error.name, error.place) == ("NBC104", two, Place(1, 1, 1, 1, 2))
    assert error.message == (
        f"`{two}` and `{one}` share an object that main changes; as two inputs they would be two copies"
    )
    assert error.fix is not None
    assert error.fix.title == f"make `{one}` from `{two}` inside main"


CYCLE = """
== one
a = len(input())
== two
{first}, {second} = a + 1, a + 2
== one
print({second}, {first})
"""


@pytest.mark.parametrize(("first", "second"), [("b", "c"), ("c", "b")])
def test_a_cycle_names_the_value_that_is_used_first(first: str, second: str) -> None:
    found = analysis_of(CYCLE.format(first=first, second=second), "auto").diagnostics
    at_one = next(d for d in found if d.component == "one")
    assert (at_one.code, at_one.severity, at_one.name) == ("NBC101", "error", second)
    assert at_one.place == Place(2, 1, 7, 1, 8)
    assert (
        at_one.message == f"one needs `{second}` of two, which in turn needs one: one -> two -> one"
    )


def test_what_a_function_of_another_cell_needs_is_placed_where_the_function_is_used() -> None:
    """And is as wide as the function's name."""
    text = """
    == other
    values = [len(input())]
    other_name = [values]
    def f():
        values.append(1)
    == main
    f()
    print(other_name)
    """
    [error] = errors(text)
    assert (error.code, error.name, error.place) == ("NBC104", "values", Place(1, 1, 1, 1, 2))
