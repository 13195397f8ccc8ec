"""Literals: checked against their declaration, and rendered as the service renders them."""

from __future__ import annotations

import pytest

from nbcomponent.schema.literals import (
    LiteralProblem,
    LiteralType,
    canonical,
    check_range,
    rendered,
    type_of,
)


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (5, "integer", "5"),
        ("5", "integer", "5"),
        ("-7", "integer", "-7"),
        (0.1, "number", "0.1"),
        (1e-05, "number", "1e-05"),
        ("1e-5", "number", "1e-05"),
        (3, "number", "3"),
        ("3", "number", "3"),
        (True, "boolean", "True"),
        ("false", "boolean", "False"),
        ("True", "boolean", "True"),
        ("text", "string", "text"),
        (5, "string", "5"),
        (True, "string", "True"),
        ("", "string", ""),
    ],
)
def test_a_fitting_value_is_rendered_as_text(value: object, kind: LiteralType, text: str) -> None:
    assert rendered(canonical(value, kind)) == text


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (3.7, "integer"),
        (True, "integer"),
        ("3.7", "integer"),
        ("abc", "number"),
        (float("nan"), "number"),
        ("inf", "number"),
        (True, "number"),
        ("yes", "boolean"),
        (1, "boolean"),
        ([1], "string"),
        ({}, "string"),
        (None, "string"),
        ("a\0b", "string"),
    ],
)
def test_a_value_of_another_type_is_refused(value: object, kind: LiteralType) -> None:
    with pytest.raises(LiteralProblem):
        canonical(value, kind)


def test_the_range_includes_its_ends() -> None:
    check_range(1, 1, 5, None)
    check_range(5, 1, 5, None)
    with pytest.raises(LiteralProblem, match="6 is above the maximum 5"):
        check_range(6, 1, 5, None)
    with pytest.raises(LiteralProblem, match="0 is below the minimum 1"):
        check_range(0, 1, 5, None)


def test_choices_are_listed_when_none_fits() -> None:
    check_range("cnn", None, None, ["cnn", "mlp"])
    with pytest.raises(LiteralProblem, match="none of the choices cnn, mlp"):
        check_range("rnn", None, None, ["cnn", "mlp"])


def test_an_undeclared_literal_has_the_type_of_its_value() -> None:
    assert [type_of(value) for value in (True, 1, 1.5, "x")] == [
        "boolean",
        "integer",
        "number",
        "string",
    ]
