"""Text as a syntax tree."""

from __future__ import annotations

import ast
import sys
import warnings

import pytest

from nbcomponent.core.parsing import (
    AWAIT_ALLOWED,
    UNPARSABLE,
    parse,
    parsed,
    parsed_expression,
)

WARNED_OF = [
    "pattern = '\\d'",
    "if x is 3: pass",
    "assert (x, 'y')",
    "print('a' 'b'())",
    "0x1for x in y",
]


@pytest.mark.parametrize("text", WARNED_OF)
def test_nothing_that_python_warns_of_is_said_or_raised(text: str) -> None:
    for first in ("error", "always"):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter(first)  # type: ignore[arg-type]
            parsed(text)
            parsed_expression(text)
        assert said == []


def test_filters_for_other_files_stay_as_they_are() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parse("x = 1")
        with pytest.raises((SyntaxWarning, SyntaxError)):
            compile("x is 3", "other.py", "exec")


def test_await_outside_functions_is_for_cells_only() -> None:
    flagged = parse("await x", AWAIT_ALLOWED)
    assert isinstance(flagged.body[0], ast.Expr)
    assert isinstance(flagged.body[0].value, ast.Await)


@pytest.mark.parametrize(
    "text",
    [
        "x = ",
        "(" * 300,
        "\0",
        "'\ud800'",
        "a" + ".b" * 600,
        "x = " + "-" * 3000 + "1",
        "f(" * 90 + ")" * 90 + "(",
    ],
)
def test_what_is_no_python_or_too_deep_is_none(text: str) -> None:
    with pytest.raises(UNPARSABLE):
        parse(text)
    assert parsed(text) is None
    assert parsed_expression(text) is None


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (" list[int] ", "list[int]"),
        ("a\n", "a"),
        ("x = 1", None),
        ("a; b", None),
        ("a\n+b", None),
        ("", None),
        ("import os", None),
    ],
)
def test_an_expression_is_one_expression_and_nothing_else(text: str, shown: str | None) -> None:
    found = parsed_expression(text)
    assert (None if found is None else ast.unparse(found)) == shown


def test_a_tree_as_deep_as_is_allowed_is_read_with_little_stack() -> None:
    limit = sys.getrecursionlimit()
    assert parsed("a" + ".b" * 400) is not None
    assert sys.getrecursionlimit() == limit
