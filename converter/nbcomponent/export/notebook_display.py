"""What a notebook displays, as text: the value of a cell's last expression, and what `display` is given.

The text is IPython's, without the addresses of objects, which differ from run to run.
"""

import re
from collections import Counter, OrderedDict, defaultdict, deque
from inspect import signature
from types import BuiltinFunctionType, FunctionType, SimpleNamespace
from typing import Any

WIDTH = 79
MOST_ITEMS = 1000
ADDRESS = "\0" * len(" at 0x7f0123456789")
"""Stands for an address until the lines are laid out, so that they break where IPython breaks them."""


def show(value: object) -> None:
    """Print the value of a cell's last expression; None is not displayed."""
    if value is not None:
        display(value)


def display(*values: object, **_: object) -> None:
    """Print values, as IPython's `display` does where it can only print."""
    for value in values:
        print(text_of(value))


def text_of(value: object) -> str:
    """The text of a value, as IPython lays it out, without addresses."""
    return _text(value).replace(ADDRESS, "")


def _text(
    value: Any, indent: int = 0, column: int = 0, after: int = 0, inside: tuple[int, ...] = ()
) -> str:
    """The text of a value; a container that is too wide for a line gets one item a line.

    It starts at `column`, goes on at `indent`, and has `after` characters behind it.
    `inside` are the containers around it.
    """
    container = _container(value, indent)
    if container is None:
        return f"\n{' ' * indent}".join(_plain_text(value).splitlines())
    opening, items, closing = container
    if id(value) in inside:
        return f"{opening}...{closing}"
    inside = (*inside, id(value))
    inner = indent + len(opening)
    more = ["..."] if len(items) > MOST_ITEMS else []
    items = items[:MOST_ITEMS]
    flat = [label + _text(item, inner, -(10**9), 0, inside) for label, item in items]
    text = opening + ", ".join(flat + more) + closing
    if "\n" not in text and column + len(text) + after <= WIDTH:
        return text
    lines: list[str] = []
    column += len(opening)
    for label, item in items:
        is_last = len(lines) == len(items) - 1 and not more
        behind = len(closing) + after if is_last else 1
        lines.append(label + _text(item, inner, column + len(label), behind, inside))
        column = inner
    return opening + f",\n{' ' * inner}".join(lines + more) + closing


def _container(value: Any, indent: int) -> tuple[str, list[tuple[str, Any]], str] | None:
    """How a container opens, its items (each with a label), and how it closes."""
    kind, name = _described_by(value), type(value).__name__
    if kind is dict:
        return "{", [(f"{_text(key, indent + 1)}: ", value[key]) for key in value], "}"
    if kind is list:
        return "[", [("", item) for item in value], "]"
    if kind is tuple:
        return "(", [("", item) for item in value], ",)" if len(value) == 1 else ")"
    if kind is set and value:
        return "{", [("", item) for item in _in_order(value)], "}"
    if kind is frozenset and value:
        return "frozenset({", [("", item) for item in _in_order(value)], "})"
    if kind is Counter and value:
        return f"{name}(", [("", dict(value.most_common()))], ")"
    if kind is OrderedDict and value:
        return f"{name}(", [("", list(value.items()))], ")"
    if kind is defaultdict:
        return f"{name}(", [("", value.default_factory), ("", dict(value))], ")"
    if kind is deque:
        limit = [] if value.maxlen is None else [("maxlen=", value.maxlen)]
        return f"{name}(", [("", list(value)), *limit], ")"
    return None


def _in_order(items: set[Any] | frozenset[Any]) -> list[Any]:
    if len(items) >= MOST_ITEMS:
        return list(items)
    try:
        return sorted(items)
    except TypeError:
        return sorted(items, key=str)


def _described_by(value: object) -> type:
    """The class that says how the value is shown: its own, or the first base that does."""
    return next(
        kind for kind in type(value).__mro__ if {"__repr__", "_repr_pretty_"} & vars(kind).keys()
    )


def _plain_text(value: Any) -> str:
    kind = _described_by(value)
    if isinstance(value, (str, bytes)):
        return repr(value)
    if kind is type:
        return f"{_home(value)}{value.__qualname__}"
    if kind is object:
        return f"<{_text(type(value))}{ADDRESS}>"
    if kind in (FunctionType, BuiltinFunctionType):
        try:
            text = f"<function {_home(value)}{value.__qualname__}{signature(value)}>"
        except ValueError:  # It is written in C and does not say.
            text = f"<function {_home(value)}{value.__qualname__}>"
    elif "_repr_pretty_" in vars(kind):
        text = _pretty_text(value)
    else:
        text = repr(value)
    return re.sub(r" at 0x[0-9A-Fa-f]+(?=\.\.\.|[^<>\n]*>)", ADDRESS, text)


def _home(value: Any) -> str:
    return "" if value.__module__ in (None, "builtins") else f"{value.__module__}."


def _pretty_text(value: Any) -> str:
    """What `_repr_pretty_` says, where it does with the simple parts of IPython's printer."""
    parts: list[str] = []
    printer = SimpleNamespace(
        text=parts.append,
        breakable=lambda blank=" ": parts.append(blank),
        pretty=lambda part: parts.append(_text(part)),
    )
    try:
        value._repr_pretty_(printer, False)
    except (AttributeError, TypeError):
        return repr(value)
    return "".join(parts)
