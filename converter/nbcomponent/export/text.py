"""Source text: indenting code without touching strings, and replacing spans of it."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable
from functools import lru_cache

# From Python 3.12 on an f-string is several tokens, from 3.14 on a t-string too.
_STRING_STARTS = {
    getattr(tokenize, name)
    for name in ("FSTRING_START", "TSTRING_START")
    if hasattr(tokenize, name)
}
_STRING_ENDS = {
    getattr(tokenize, name) for name in ("FSTRING_END", "TSTRING_END") if hasattr(tokenize, name)
}


_UP_TO_FORM_FEED = re.compile(r"^[ \t\f]*\f")


_MAY_CHANGE = re.compile(r"""\f|\\|\'{3}|\"{3}|[fFtT][rR]?[\'"]|[^\x00-\x7f]""")
"""Code in which a line may begin inside a string, or whose text is not plain."""


class ChangedMeaning(Exception):
    """Indenting some code would have changed what it means. Carries the code."""


def indent_code(code: str, indent: str = "    ") -> str:
    """The same statements one block deeper.

    Lines that begin inside a string keep their text. Raises :class:`ChangedMeaning` when the
    outcome does not parse to the same tree (which no known code does).
    """
    if not _MAY_CHANGE.search(code):
        return "\n".join(indent + line if line.strip() else "" for line in code.split("\n"))
    inside = _lines_inside_strings(code)
    lines = [
        # A form feed starts the indentation anew, so what stands before it counts for nothing.
        line if number in inside else _UP_TO_FORM_FEED.sub("", line)
        for number, line in enumerate(code.split("\n"), 1)
    ]
    shifted = [
        line if number in inside or not line.strip() else indent + line
        for number, line in enumerate(lines, 1)
    ]
    result = "\n".join(
        "" if not line.strip() and n not in inside else line for n, line in enumerate(shifted, 1)
    )
    block = ast.parse(f"if 1:\n{result}\n{indent}pass").body[0]
    assert isinstance(block, ast.If)
    former, body = ast.parse(code).body, block.body[:-1]
    if [ast.dump(n) for n in body] != [ast.dump(n) for n in former]:
        raise ChangedMeaning(code)
    return result


def _lines_inside_strings(code: str) -> frozenset[int]:
    """Numbers (from 1) of the lines that begin inside a string."""
    inside: set[int] = set()
    starts: list[int] = []
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type == tokenize.STRING:
            inside.update(range(token.start[0] + 1, token.end[0] + 1))
        elif token.type in _STRING_STARTS:
            starts.append(token.start[0])
        elif token.type in _STRING_ENDS:
            inside.update(range(starts.pop() + 1, token.end[0] + 1))
    return frozenset(inside)


@lru_cache(maxsize=4)
def _line_starts(code: str) -> tuple[int, ...]:
    """Where each line starts; asked for again and again for one text."""
    return (0, *(found.end() for found in re.finditer("\n", code)))


def offset_of(code: str, line: int, column: int) -> int:
    """The index in ``code`` of an ast position (line from 1, column in UTF-8 bytes)."""
    start = _line_starts(code)[line - 1]
    end = code.find("\n", start)
    text = code[start:] if end < 0 else code[start:end]
    if text.isascii():
        return start + column
    return start + len(text.encode()[:column].decode("utf-8", "replace"))


def span_of(code: str, node: ast.expr | ast.stmt) -> tuple[int, int]:
    """Start and end index of a node in ``code``."""
    end_line, end_column = node.end_lineno, node.end_col_offset
    assert end_line is not None
    assert end_column is not None
    return offset_of(code, node.lineno, node.col_offset), offset_of(code, end_line, end_column)


def replace_spans(code: str, edits: Iterable[tuple[int, int, str]]) -> str:
    """``code`` with each ``[start, end)`` replaced; spans do not overlap."""
    for start, end, text in sorted(edits, reverse=True):
        code = code[:start] + text + code[end:]
    return code
