"""Lines of code that remember where in the cell each character came from.

IPython strips indentation and prompts before it looks at a cell, and glues continued magics into
one line. Everything that is found afterwards must still be shown at its place in the cell.
"""

from __future__ import annotations

import ast
from bisect import bisect_right

from nbcomponent.core.records import record


@record(frozen=True, slots=True)
class Line:
    """One line (with its line end, if any) and the origin of its characters.

    ``origins`` holds ``(offset, line, column)`` in ascending offsets, the first offset 0: from
    ``offset`` on the characters stand at ``line`` (from 1) and ``column`` (code points from 0) of
    the cell.
    """

    text: str
    origins: tuple[tuple[int, int, int], ...]

    def place(self, offset: int) -> tuple[int, int]:
        """Line (from 1) and column (code points from 1) in the cell of the character at ``offset``."""
        index = bisect_right(self.origins, offset, key=lambda origin: origin[0]) - 1
        start, line, column = self.origins[max(index, 0)]
        return line, column + max(offset - start, 0) + 1

    def cut(self, start: int, end: int | None = None) -> Line:
        """The part from ``start`` to ``end``, still knowing where it stands."""
        if start == 0 and end is None:
            return self
        line, column = self.place(start)
        later = [(o - start, at, c) for o, at, c in self.origins if o > start]
        return Line(self.text[start:end], ((0, line, column - 1), *later))

    def stripped(self) -> Line:
        """Without white space at both ends."""
        text = self.text.strip()
        start = len(self.text) - len(self.text.lstrip())
        return self.cut(start, start + len(text))


def lines_of(source: str) -> list[Line]:
    """The lines of a cell as IPython splits it: at every line boundary that ``str.splitlines`` knows.

    Python itself ends lines at ``\\n`` only, so after a form feed or U+2028 the place goes on
    counting columns of the same line.
    """
    if not source.endswith("\n"):
        source += "\n"
    lines: list[Line] = []
    number, column = 1, 0
    for text in source.splitlines(keepends=True):
        lines.append(Line(text, ((0, number, column),)))
        if text.endswith("\n"):
            number, column = number + 1, 0
        else:
            column += len(text)
    return lines


def joined(first: Line, rest: list[Line]) -> Line:
    """One line out of a magic continued with backslashes, glued with spaces as IPython glues it."""
    if not rest:
        return Line(first.text.rstrip(), first.origins)
    text = ""
    origins: list[tuple[int, int, int]] = []
    parts = [first, *rest]
    for index, part in enumerate(parts):
        piece = part.text.rstrip()
        if index < len(parts) - 1:
            piece = piece[:-1]
        if index:
            text += " "
        origins.extend((len(text) + o, line, column) for o, line, column in part.origins)
        text += piece
    return Line(text, tuple(origins))


def move(tree: ast.AST, text_lines: list[Line], cell_lines: list[str]) -> None:
    """Set the positions of all nodes of ``tree`` from ``text_lines`` to the cell's own.

    ``text_lines`` is what was parsed; ``cell_lines`` the cell, to count UTF-8 bytes in it.
    """
    for node in ast.walk(tree):
        if isinstance(
            node,
            (ast.expr, ast.stmt, ast.excepthandler, ast.arg, ast.keyword, ast.alias, ast.pattern),
        ):
            node.lineno, node.col_offset = _moved(
                node.lineno, node.col_offset, text_lines, cell_lines
            )
            if node.end_lineno is not None and node.end_col_offset is not None:
                # The end is that of the last character, so that it never slips to the next origin.
                line, offset = _moved(
                    node.end_lineno, node.end_col_offset - 1, text_lines, cell_lines
                )
                node.end_lineno, node.end_col_offset = line, offset + 1


def _moved(
    lineno: int, offset: int, text_lines: list[Line], cell_lines: list[str]
) -> tuple[int, int]:
    if not 0 < lineno <= len(text_lines):
        return lineno, max(offset, 0)
    source = text_lines[lineno - 1]
    if not source.text.isascii():
        offset = len(
            source.text.encode("utf-8", "surrogatepass")[:offset].decode("utf-8", "ignore")
        )
    line, column = source.place(max(offset, 0))
    if not 0 < line <= len(cell_lines):
        return line, column - 1
    own = cell_lines[line - 1]
    if own.isascii():
        return line, column - 1
    return line, len(own[: column - 1].encode("utf-8", "surrogatepass"))
