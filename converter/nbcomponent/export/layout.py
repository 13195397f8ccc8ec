"""Writing Python the way ``ruff format`` would leave it, 88 columns wide.

Only what the exporter itself writes goes through here; the notebook's cells stay as they are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

WIDTH = 88


@dataclass(frozen=True, slots=True)
class Group:
    """``head`` + items between brackets + ``tail``; ``head`` ends with the opening bracket."""

    head: str
    items: tuple[Expression, ...]
    tail: str


Expression = str | Group


def call(function: str, *items: Expression) -> Group:
    """``function(items)``."""
    return Group(f"{function}(", items, ")")


def named(name: str, value: Expression) -> Expression:
    """``name=value``."""
    return _prefixed(f"{name}=", value)


def entry(key: str, value: Expression) -> Expression:
    """``key: value`` of a dict."""
    return _prefixed(f"{key}: ", value)


def assign(target: str, value: Expression) -> Expression:
    """``target = value``."""
    return _prefixed(f"{target} = ", value)


def listed(items: tuple[Expression, ...]) -> Group:
    """``[items]``."""
    return Group("[", items, "]")


def lay_out(expression: Expression, indent: int = 0) -> str:
    """The expression as one or more lines, indented by ``indent`` columns."""
    return " " * indent + _lines(expression, indent, 0)


def quote(text: str) -> str:
    """A string literal of one line, with the quotes that ``ruff format`` prefers."""
    body = repr(text)[1:-1]
    if repr(text)[0] == '"':  # repr takes double quotes where the text has single ones only.
        return f'"{body}"'
    plain = body.replace("\\'", "'")
    double = '"' + plain.replace('"', '\\"') + '"'
    single = f"'{body}'"
    return double if double.count("\\") <= single.count("\\") else single


def literal(value: float | int | str | bool | None) -> str:
    """A literal argument's value as source; ``inf`` and ``nan`` have no literal of their own."""
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, float) and not math.isfinite(value):
        return f"float({quote(str(value))})"
    return repr(value)


def _prefixed(prefix: str, value: Expression) -> Expression:
    if isinstance(value, str):
        return prefix + value
    return Group(prefix + value.head, value.items, value.tail)


def _flat(expression: Expression) -> str:
    if isinstance(expression, str):
        return expression
    return expression.head + ", ".join(map(_flat, expression.items)) + expression.tail


def _lines(expression: Expression, indent: int, after: int) -> str:
    flat = _flat(expression)
    if isinstance(expression, str) or not expression.items or indent + len(flat) + after <= WIDTH:
        return flat
    inner = " " * (indent + 4)
    items = [f"{inner}{_lines(item, indent + 4, 1)},\n" for item in expression.items]
    return f"{expression.head}\n{''.join(items)}{' ' * indent}{expression.tail}"
