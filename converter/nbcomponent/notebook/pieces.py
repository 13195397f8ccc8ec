"""Finds the pieces of IPython syntax in a cell and puts placeholder calls in their place.

Two ways to the same result. :func:`replace_quickly` knows just enough of Python's lexical structure
(strings, comments, brackets, continued lines) and handles what nearly all cells hold: ``%magic``,
``!command`` and their assignments. It declines whatever is unusual. :func:`replace_exactly` tokenizes
as IPython's ``TransformerManager`` does, piece by piece. Both leave as many lines as there were.
"""

from __future__ import annotations

import re
import sys
import tokenize
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from nbcomponent.core.records import record
from nbcomponent.notebook.lines import Line, joined
from nbcomponent.notebook.model import PLACEHOLDER, MagicKind

TRANSFORM_LIMIT = 500
"""IPython gives a cell up that needs so many replacements."""

SUSPECT = re.compile(
    r"(?:^|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029])[ \t\x0c]*[%!?,;/]"
    r"|=[ \t\x0c]*(?:\\\n[ \t\x0c]*)?[%!]|\?\s*$",
    re.MULTILINE,
)
"""Matches every cell that can hold IPython syntax, and few others."""


@record(frozen=True, slots=True)
class Piece:
    """One piece: ``escape`` (``%``, ``!``, ``?``, ...) and ``content``, the text after it.

    Lines ``first`` to ``last`` (indices) belong to it; in the first it starts at ``start``.
    """

    kind: MagicKind
    escape: str
    content: Line
    first: int
    start: int
    last: int
    assigned: bool = False


@dataclass(frozen=True, slots=True)
class Short:
    """A placeholder that had to be longer than its piece: the end in the text and the true end."""

    line: int
    text_end: int
    true_end: int


Number = Callable[[Piece], int | str]
"""Gives a piece its number, or the Python to put in its place."""


def put(lines: list[Line], piece: Piece, what: int | str, shorts: list[Short]) -> None:
    """Put the placeholder of number ``what``, or Python, in the place of ``piece``."""
    if isinstance(what, int):
        placeholder(lines, piece, what, shorts)
        return
    head = lines[piece.first]
    lines[piece.first] = Line(f"{head.text[: piece.start]}{what}\n", head.origins)
    for index in range(piece.first + 1, piece.last + 1):
        lines[index] = Line("\n", lines[index].origins)


def placeholder(lines: list[Line], piece: Piece, number: int, shorts: list[Short]) -> None:
    """Replace ``piece`` in ``lines`` by the call ``__ipython__(number)`` that ends where it ended.

    The call is filled up with blanks (and line ends) inside its parentheses, so that the positions
    Python finds are those of the cell; where the piece is too short, ``shorts`` takes a note.
    """
    head = lines[piece.first]
    prefix = head.text[: piece.start]
    call = f"{PLACEHOLDER}({number}"
    # A line that ends in a form feed or the like is no line to Python: keep the count of line ends.
    end = "\n" if lines[piece.last].text.endswith("\n") else ";"
    if piece.last == piece.first:
        true_end = _size(head.text.rstrip())
        size = _size(prefix) + len(call) + 1
        lines[piece.first] = Line(prefix + call + " " * (true_end - size) + ")" + end, head.origins)
        if size > true_end:
            shorts.append(Short(piece.first, size, true_end))
        return
    lines[piece.first] = Line(prefix + call + "\n", head.origins)
    for index in range(piece.first + 1, piece.last):
        lines[index] = Line("\n", lines[index].origins)
    tail = lines[piece.last]
    true_end = _size(tail.text.rstrip())
    lines[piece.last] = Line(" " * (true_end - 1) + ")" + end, tail.origins)
    if true_end < 1:
        shorts.append(Short(piece.last, 1, true_end))


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


# --- the quick way -------------------------------------------------------------------------------

_LEXEME = re.compile(
    r"""
      \n | \#[^\n]* | \\\n | [(\[{] | [)\]}]
    | (?:[-+*/%&|^@<>=!:]|//|\*\*|>>|<<)= | =
    | \"\"\"[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*\"\"\"
    | '''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*'''
    | "(?!"")[^"\\\n]*(?:\\.[^"\\\n]*)*"
    | '(?!'')[^'\\\n]*(?:\\.[^'\\\n]*)*'
    | ["'\\]
    """,
    re.VERBOSE | re.DOTALL,
)
_INDENT = re.compile(r"[ \t]*")
_FORMATTED = re.compile(r"(?<![^\W\d])(?:[fFtT][rR]?|[rR][fFtT])\Z")
_HELP_AT_END = re.compile(r"\?[ \t\x0c]*$", re.MULTILINE)
_NESTED_QUOTES = sys.version_info >= (3, 12)
_ASSIGNED = re.compile(r"[ \t]*(?:%(?=[^\W\d])|!(?!=))")
_UNUSUAL_ASSIGNED = re.compile(r"[ \t\x0c]*(?:\\\n|%[ \t\\]|\x0c)")


def replace_quickly(lines: list[Line], number: Number, shorts: list[Short]) -> bool:
    """Replace all pieces in ``lines``; False, with nothing replaced, when only the exact way will do."""
    text = "".join(line.text for line in lines)
    pieces = _scan(lines, text)
    if pieces is None or len(pieces) >= TRANSFORM_LIMIT:
        return False
    for piece in pieces:
        put(lines, piece, number(piece), shorts)
    return True


def _scan(lines: list[Line], text: str) -> list[Piece] | None:
    if _HELP_AT_END.search(text) or "\x0c" in text:
        return None
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line.text))
    pieces: list[Piece] = []
    position = 0
    depth = 0
    line_start: int | None = 0  # where a logical line starts, until its first token was looked at
    logical_start = 0
    assigned = False  # the first "=" of this logical line was seen
    size = len(text)
    while position < size:
        found_piece: Piece | None = None
        if line_start is not None:
            at = _INDENT.match(text, line_start).end()  # type: ignore[union-attr]
            line_start, logical_start, assigned = None, at, False
            escape = text[at : at + 2]
            if escape[:1] in ("?", ",", ";", "/"):
                if escape[:1] != "/" or escape not in ("//", "/="):
                    return None
            elif (escape[:1] == "%" and escape != "%=") or (escape[:1] == "!" and escape != "!="):
                index = bisect_right(starts, at) - 1
                found_piece = escaped_piece(lines, index, at - starts[index])
        if found_piece is None:
            lexeme = _LEXEME.search(text, position)
            if lexeme is None:
                break
            found, position = lexeme[0], lexeme.end()
            kind = found[0]
            if kind == "\n":
                if depth == 0:
                    line_start = position
            elif kind in "([{":
                depth += 1
            elif kind in ")]}":
                depth = max(depth - 1, 0)
            elif kind in "\"'":
                if len(found) == 1:
                    return None
                if _NESTED_QUOTES and found.count("{") != found.count("}"):
                    before = text[max(lexeme.start() - 3, 0) : lexeme.start()]
                    if _FORMATTED.search(before):
                        return None
            elif found == "\\":
                return None
            elif found == "=" and depth == 0 and not assigned:
                assigned = True
                if _UNUSUAL_ASSIGNED.match(text, position):
                    return None
                if after := _ASSIGNED.match(text, position):
                    if text.find("\n", logical_start, position) >= 0:
                        return None
                    index = bisect_right(starts, after.end() - 1) - 1
                    found_piece = assigned_piece(lines, index, after.end() - 1 - starts[index])
            if found_piece is None:
                continue
        pieces.append(found_piece)
        position = starts[found_piece.last + 1]
        line_start, depth = position, 0
    return pieces


# --- what a piece is -----------------------------------------------------------------------------

_KINDS: dict[str, MagicKind] = {
    "%": "line",
    "!": "system",
    "!!": "system",
    "?": "help",
    "??": "help",
    ",": "autocall",
    ";": "autocall",
    "/": "autocall",
}


def _last_line(lines: list[Line], first: int) -> int:
    last = first
    while last < len(lines) and lines[last].text.endswith("\\\n"):
        last += 1
    return min(last, len(lines) - 1)


def escaped_piece(lines: list[Line], first: int, start: int) -> Piece:
    """The piece of a line that starts with an escape character at ``start``."""
    last = _last_line(lines, first)
    whole = joined(lines[first].cut(start), lines[first + 1 : last + 1])
    escape = whole.text[:2] if whole.text[:2] in ("!!", "??") else whole.text[:1]
    return Piece(_kind(escape), escape, whole.cut(len(escape)), first, start, last)


def assigned_piece(lines: list[Line], first: int, start: int) -> Piece:
    """The piece to the right of ``=``: one escape character, the rest of the line."""
    last = _last_line(lines, first)
    whole = joined(lines[first].cut(start), lines[first + 1 : last + 1])
    escape = whole.text[:1]
    return Piece(_kind(escape), escape, whole.cut(1), first, start, last, assigned=True)


def _kind(escape: str) -> MagicKind:
    try:
        return _KINDS[escape]
    except KeyError:
        # Only where Python's tokenizer and str.splitlines disagree on where lines end.
        raise SyntaxError("invalid syntax") from None


# --- the exact way -------------------------------------------------------------------------------

_HELP = re.compile(r"(%{0,2}(?!\d)[\w*]+(?:\.(?!\d)[\w*]+|\[-?[0-9]+\])*)(\?\??)$")

# Errors of Python's tokenizer that IPython takes for the end of a line, not of the cell.
_ENDS_LINE = (
    "unterminated string literal",
    "invalid non-printable character",
    "after line continuation character",
    "invalid decimal literal",
    "invalid binary literal",
    "invalid octal literal",
    "invalid hexadecimal literal",
    "in binary literal",
    "in octal literal",
    "expected EOF",
)


def replace_exactly(lines: list[Line], number: Number, shorts: list[Short]) -> None:
    """Replace all pieces in ``lines`` one after the other, as IPython's token transformers do.

    Raises SyntaxError where IPython would, also for more than 499 pieces in one cell.
    """
    restart = 0
    for _ in range(TRANSFORM_LIMIT):
        for tokens in _logical_lines([line.text for line in lines[restart:]]):
            done = _replace_in(lines, tokens, restart, number, shorts)
            if done is not None:
                if tokens[0].start[1] == 0 and tokens[0].type != tokenize.INDENT:
                    restart = done + 1
                break
        else:
            return
    raise SyntaxError(
        f"IPython gives a cell with {TRANSFORM_LIMIT} or more magics and commands up",
        ("<cell>", 1, 1, ""),
    )


def _replace_in(
    lines: list[Line],
    tokens: list[tokenize.TokenInfo],
    base: int,
    number: Number,
    shorts: list[Short],
) -> int | None:
    """Replace the first piece of a logical line; the index of the last line done, None without one."""
    for piece in _candidates(lines, tokens, base):
        what = number(piece)
        put(lines, piece, what, shorts)
        # Python in the place of a call without parentheses is searched again, as IPython does.
        return piece.last if isinstance(what, int) else base - 1
    return None


def _candidates(lines: list[Line], tokens: list[tokenize.TokenInfo], base: int) -> Iterator[Piece]:
    first = 0
    while first < len(tokens) and tokens[first].type in (tokenize.INDENT, tokenize.DEDENT):
        first += 1
    if first == len(tokens):
        return
    row, column = tokens[first].start[0] - 1 + base, tokens[first].start[1]
    # In the same place help comes first, so that "%magic?" asks about the magic.
    if len(tokens) > 2 and tokens[-2].string == "?":
        last = tokens[-2].start[0] - 1 + base
        whole = "".join(line.text for line in lines[row : last + 1])[column:]
        if asked := _HELP.search(whole):
            content = _inside(lines[row : last + 1], column + asked.start(1)).cut(0, len(asked[1]))
            yield Piece("help", asked[2], content, row, column, last)
    if tokens[first].string in ("!", "?", "%", ",", ";", "/"):
        piece = escaped_piece(lines, row, column)
        if piece.escape != "/" or piece.content.text.partition(" ")[0]:
            yield piece
    start = _assigned_start(tokens)
    if start is not None:
        yield assigned_piece(lines, start[0] - 1 + base, start[1])


def _inside(lines: list[Line], offset: int) -> Line:
    """The rest of the line that holds ``offset``, counted over all of ``lines``."""
    for line in lines:
        if offset < len(line.text):
            return line.cut(offset)
        offset -= len(line.text)
    return lines[-1].cut(len(lines[-1].text))


def _assigned_start(tokens: list[tokenize.TokenInfo]) -> tuple[int, int] | None:
    """Where ``%`` or ``!`` of ``x = %magic`` or ``x = !command`` stands."""
    depth = 0
    for count, token in enumerate(tokens, start=1):
        if token.string == "=" and depth == 0:
            after = tokens[count:]
            break
        if token.string in ("(", "[", "{"):
            depth += 1
        elif token.string in (")", "]", "}"):
            depth = max(depth - 1, 0)
    else:
        return None
    if len(after) > 1 and after[0].string == "%" and after[1].type == tokenize.NAME:
        return after[0].start
    if token.line.strip().startswith("="):
        return None
    for candidate in after:
        if candidate.string == "!" and candidate.type in (tokenize.ERRORTOKEN, tokenize.OP):
            return candidate.start
        # Before Python 3.12 each blank in front of "!" is a token of its own.
        if candidate.type != tokenize.ERRORTOKEN or not candidate.string.isspace():
            return None
    return None


def _logical_lines(texts: list[str]) -> Iterator[list[tokenize.TokenInfo]]:
    """Python's tokens, grouped by logical line as far as the text can be tokenized."""
    group: list[tokenize.TokenInfo] = []
    last: tokenize.TokenInfo | None = None
    depth = 0
    try:
        for token in tokenize.generate_tokens(iter(texts).__next__):
            last = token
            group.append(token)
            if token.type == tokenize.NEWLINE or (token.type == tokenize.NL and depth <= 0):
                yield group
                group = []
            elif token.type == tokenize.OP and token.string in ("(", "[", "{"):
                depth += 1
            elif token.type == tokenize.OP and token.string in (")", "]", "}"):
                depth = max(depth - 1, 0)
    except tokenize.TokenError as error:
        if any(text in str(error.args[0]) for text in _ENDS_LINE):
            place = (last.start[0], last.end[0]) if last else (1, 0)
            line = last.line if last else ""
            group.append(tokenize.TokenInfo(tokenize.ERRORTOKEN, "", place, place, line))
    if group:
        yield group
