"""Where something stands in a TOML text: the standard reader gives values without places.

Only for messages about what is wrong. A place is found by trial: what is looked for is replaced where it
could stand, and where the reader then finds the replacement, there it is. So no second reader of TOML
can disagree with the first.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from nbcomponent.core.diagnostics import FILE_START, Place

_STAND_IN = "nbcomponent-stand-in"
_SMALL, _TRIALS, _TRIALS_OF_LARGE = 100_000, 50, 3
_POSITION = re.compile(r"\(at line (\d+), column (\d+)\)$")
_VALUE = re.compile(
    r"""["']?[ \t]*=[ \t]*("(?:[^"\\\n]|\\.)*"|'[^'\n]*'|\[[^\[\]\n]*\]|[^\s#,}\]]+)"""
)


def place_of_problem(message: str, text: str) -> tuple[str, Place]:
    """What the TOML reader says is wrong with ``text``, apart from the place that it ends with."""
    said, _, _ = message.partition(" (at ")
    found = _POSITION.search(message)
    if found is not None:
        line, column = int(found[1]), int(found[2])
        return said, Place(None, line, column, line, column + 1)
    if "(at end of document)" in message:
        return f"{said}, at the end of the file", _place(text, len(text), len(text))
    return said, FILE_START


def place_of_byte(data: bytes, index: int) -> Place:
    """The place of the byte at ``index``, of which all before it can be decoded."""
    before = data[:index].decode("utf-8", "replace")
    line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
    return Place(None, line, column, line, column + 1)


def place_of_key(text: str, *path: str) -> Place:
    """The place of a key in a TOML text that can be read; the start of the file if it is not found."""
    span = _span_of_key(text, path)
    return FILE_START if span is None else _place(text, *span)


def place_of_value(text: str, *path: str) -> Place:
    """The place of the value of a key, that of the key where the value takes several lines."""
    span = _span_of_key(text, path)
    if span is None:
        return FILE_START
    value = _VALUE.match(text, span[1])
    return _place(text, *(span if value is None else value.span(1)))


def place_of_item(text: str, item: str, index: int, *path: str) -> Place:
    """The place of the text ``item``, which stands at ``index`` in the list at ``path``."""
    for start, end, document in _trials(text, item):
        items = _at(document, path)
        if isinstance(items, list) and index < len(items) and items[index] == _STAND_IN:
            return _place(text, start, end)
    return place_of_value(text, *path)


def _span_of_key(text: str, path: tuple[str, ...]) -> tuple[int, int] | None:
    for start, end, document in _trials(text, path[-1]):
        table = _at(document, path[:-1])
        if isinstance(table, dict) and _STAND_IN in table:
            return start, end
    return None


def _trials(text: str, word: str) -> Iterator[tuple[int, int, object]]:
    """Each place where ``word`` stands in what is ours, with what the text says where it is replaced."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    start = text.find("nbcomponent")
    left = _TRIALS if len(text) < _SMALL else _TRIALS_OF_LARGE
    while word and left and (start := text.find(word, start)) >= 0:
        end = start + len(word)
        left -= 1
        try:
            document: object = tomllib.loads(f"{text[:start]}{_STAND_IN}{text[end:]}")
        except (ValueError, RecursionError):
            document = None
        yield start, end, document
        start = end


def _at(document: object, path: tuple[str, ...]) -> object:
    for key in path:
        document = document.get(key) if isinstance(document, dict) else None
    return document


def _place(text: str, start: int, end: int) -> Place:
    first = text.rfind("\n", 0, start) + 1
    line = text.count("\n", 0, start) + 1
    return Place(None, line, start - first + 1, line, end - first + 1)
