"""From ast positions (UTF-8 bytes from 0) to places (code points from 1)."""

from __future__ import annotations

import ast

from nbcomponent.core.diagnostics import Place


def column_of(line_text: str, col_offset: int) -> int:
    """Column from 1, in code points, of the UTF-8 byte offset ``col_offset`` in ``line_text``."""
    if line_text.isascii():
        return col_offset + 1
    # A lone surrogate may stand in a magic's argument; Python's own text never holds one.
    return (
        len(line_text.encode("utf-8", "surrogatepass")[:col_offset].decode("utf-8", "replace")) + 1
    )


def place_of(
    node: ast.expr | ast.stmt | ast.alias | ast.excepthandler | ast.pattern,
    cell: int | None,
    lines: list[str],
) -> Place:
    """The place of an ast node in a cell (or file) whose text is ``lines``."""
    line, end_line = node.lineno, node.end_lineno or node.lineno
    end_offset = node.end_col_offset if node.end_col_offset is not None else node.col_offset
    return Place(
        cell=cell,
        line=line,
        column=_column(lines, line, node.col_offset),
        end_line=end_line,
        end_column=_column(lines, end_line, end_offset),
    )


def _column(lines: list[str], line: int, offset: int) -> int:
    return column_of(lines[line - 1], offset) if 0 < line <= len(lines) else offset + 1
