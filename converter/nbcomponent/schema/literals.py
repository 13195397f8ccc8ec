"""Literal inputs: integer, number, string, boolean, as Azure Machine Learning renders them to text.

A literal reaches the script as text: integers and numbers as Python prints them, booleans as ``True``
and ``False``, strings unchanged. What YAML or a command line gives is checked against the declared
type, range and choices before it is rendered.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, Union, cast

LiteralType = Literal["integer", "number", "string", "boolean"]

LITERAL_TYPES: tuple[LiteralType, ...] = ("integer", "number", "string", "boolean")

Scalar = Union[bool, int, float, str]


class LiteralProblem(ValueError):
    """A value that does not fit its declaration. The message follows the input's name and a colon."""


def canonical(value: object, kind: LiteralType) -> Scalar:
    """``value`` (parsed YAML, or text from a command line) as a value of type ``kind``.

    Raises LiteralProblem where it is none: no rounding (3.7 is no integer), no guessing
    (``yes`` is no boolean), no infinities (a job cannot carry them).
    """
    if kind == "boolean":
        return _boolean(value)
    if kind == "integer":
        return _integer(value)
    if kind == "number":
        return _number(value)
    if isinstance(value, (dict, list)) or value is None:
        raise LiteralProblem(f"expected a string, found {_shown(value)}")
    text = value if isinstance(value, str) else rendered(cast(Scalar, value))
    if "\0" in text:
        raise LiteralProblem("a string with a NUL character cannot be given to a program")
    return text


def rendered(value: Scalar) -> str:
    """The text that the script receives."""
    return value if isinstance(value, str) else str(value)


def check_range(
    value: Scalar,
    minimum: float | None,
    maximum: float | None,
    choices: Sequence[Scalar] | None,
) -> None:
    """Raise LiteralProblem when ``value`` lies outside the range or is none of the choices."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if minimum is not None and value < minimum:
            raise LiteralProblem(f"{value} is below the minimum {minimum}")
        if maximum is not None and value > maximum:
            raise LiteralProblem(f"{value} is above the maximum {maximum}")
    if choices and rendered(value) not in {rendered(choice) for choice in choices}:
        known = ", ".join(rendered(choice) for choice in choices)
        raise LiteralProblem(f"{_shown(value)} is none of the choices {known}")


def type_of(value: Scalar) -> LiteralType:
    """The type of a literal for which none is declared (an inline step's input)."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    return "number" if isinstance(value, float) else "string"


def _boolean(value: object) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lower() in ("true", "false"):
        return value.strip().lower() == "true"
    raise LiteralProblem(f"expected true or false, found {_shown(value)}")


def _integer(value: object) -> int:
    if isinstance(value, bool):
        raise LiteralProblem(f"expected an integer, found {_shown(value)}")
    if isinstance(value, int):
        return value
    if isinstance(value, str):
        try:
            return int(value)
        except ValueError:
            pass
    raise LiteralProblem(f"expected an integer, found {_shown(value)}")


def _number(value: object) -> int | float:
    if not isinstance(value, bool):
        if isinstance(value, int):
            return value
        if isinstance(value, (float, str)):
            try:
                return int(value) if isinstance(value, str) else _finite(value)
            except ValueError:
                pass
            try:
                return _finite(float(value))
            except ValueError:
                pass
    raise LiteralProblem(f"expected a finite number, found {_shown(value)}")


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise ValueError
    return value


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "nothing"
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
