"""Reads a code cell as IPython would: Python with magics, shell lines and help requests.

:func:`parse_cell` is the room's heart. A cell of plain Python goes straight to the parser: Python that
parses holds no IPython syntax, since every piece of it is a syntax error where IPython looks for it.
Only the other cells are searched for pieces (``pieces``), after IPython's cleaning (``layout``).
"""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from keyword import iskeyword

from nbcomponent.core.diagnostics import Diagnostic, Fix, Place
from nbcomponent.core.parsing import AWAIT_ALLOWED, MOST_LEVELS, UNPARSABLE, parse
from nbcomponent.notebook import arguments, pieces
from nbcomponent.notebook.layout import clean, indent_of_first_line
from nbcomponent.notebook.lines import Line, lines_of, move
from nbcomponent.notebook.model import CellCode, Magic
from nbcomponent.notebook.pieces import Piece, Short

AUTOMAGICS = frozenset(
    {
        "alias", "autoawait", "autocall", "bookmark", "cat", "cd", "conda", "config", "cp", "debug",
        "dirs", "edit", "env", "history", "ldir", "lf", "lk", "ll", "load", "load_ext", "ls", "lx",
        "macro", "mamba", "man", "matplotlib", "micromamba", "mkdir", "more", "mv", "notebook", "pdb",
        "pdef", "pdoc", "pfile", "pinfo", "pip", "popd", "precision", "prun", "psearch", "psource",
        "pushd", "pwd", "pycat", "pylab", "rehashx", "reload_ext", "reset", "rm", "rmdir", "run",
        "save", "set_env", "sx", "system", "time", "timeit", "unalias", "uv", "who", "whos", "xdel",
        "xmode",
    }
)  # fmt: skip
"""Line magics that IPython also takes without ``%`` where they are the whole cell (automagic)."""

# Leading blanks, a cell magic, a pasted prompt: what IPython's cleaning may change.
_TO_CLEAN = re.compile(r"\s|%%|(?:(?:\[nav\]|\[ins\])? )?In \[\d+\]: |\.{3,}:")
_BLANK_IN_STRING = re.compile(r"\n[ \t]+\n")
_UNUSUAL_LINE_ENDS = "\x0b\x0c\x1c\x1d\x1e"
_CELL_MAGIC_HELP = re.compile(r"%%\w+\?")
_AUTOMAGIC = re.compile(r"[ \t]*([^\W\d]\w*)[ \t]+[^\s=,]")

_DEPTH = 50
"""Cell magics in cell magics (``%%time`` below ``%%capture``) that are followed."""


def parse_cell(source: str, cell: int = 0) -> CellCode:
    """The cell's Python, with its IPython syntax set apart.

    ``source`` is a code cell's text, ``cell`` its index in the notebook, for the places of findings.
    Never raises: what is no Python becomes ``problem`` (NBC903, one error with line and column).
    Rules: IPython's ``TransformerManager`` and ``InteractiveShell.transform_cell``.
    """
    if "\r" in source:
        source = source.replace("\r\n", "\n").replace("\r", "\n")
    wants_cleaning = _wants_cleaning(source)
    if not wants_cleaning and not _starts_with_escape(source):
        try:
            return CellCode(cell, source, parse(source, AWAIT_ALLOWED))
        except UNPARSABLE as error:
            if not pieces.SUSPECT.search(source):
                return _automagic(source, cell) or _failed(source, cell, error, lines_of(source))
    reader = _Reader(source, clean=not wants_cleaning)
    try:
        return reader.read(cell)
    except UNPARSABLE as error:
        failure, lines = error, reader.lines
    if reader.quick:
        reader = _Reader(source, exact=True)
        try:
            return reader.read(cell)
        except UNPARSABLE as error:
            failure, lines = error, reader.lines
    if source[:1] in (" ", "\t", "\n"):
        try:
            return _Reader(source, exact=True, first_indent=True).read(cell)
        except UNPARSABLE:
            pass  # the failure of IPython 9's way, above, is the one to show
    return _automagic(source, cell) or _failed(source, cell, failure, lines)


def _wants_cleaning(source: str) -> bool:
    first = source[:1]
    return (
        ((first in "%[I." or first.isspace()) and _TO_CLEAN.match(source) is not None)
        or ">>>" in source
        or "In [" in source
        or "...:" in source
        # White space alone on a line is dropped by IPython's dedent, inside strings too.
        or (('"""' in source or "'''" in source) and _BLANK_IN_STRING.search(source) is not None)
        or _has_unusual_line_ends(source)
    )


def _has_unusual_line_ends(source: str) -> bool:
    """Whether ``str.splitlines`` knows line ends in ``source`` that Python does not."""
    if source.isascii():
        return any(map(source.__contains__, _UNUSUAL_LINE_ENDS))
    return len(source.splitlines()) != source.count("\n") + (source[-1:] not in ("", "\n"))


def _starts_with_escape(source: str) -> bool:
    return source.startswith(("%", "!", "?", ",", ";", "/")) or "\n%" in source or "\n!" in source


def script_problem(text: str, cell: int, line: int) -> Diagnostic | None:
    """What keeps ``text`` from being a Python script: NBC903, None where it is one.

    The script begins in ``line`` (from 1) of the cell. Scripts hold no IPython syntax.
    """
    try:
        parse(text)
    except UNPARSABLE as error:
        found = _failed(text, cell, error, lines_of(text)).problem
        assert found is not None
        place = replace(
            found.place,
            line=found.place.line + line - 1,
            end_line=found.place.end_line + line - 1,
        )
        message = found.message.replace("This cell is", "The script in this cell is", 1)
        return replace(found, place=place, message=message)
    return None


def _automagic(source: str, cell: int) -> CellCode | None:
    """A cell of one line such as ``pip install x``, where IPython needs no ``%``."""
    found = _AUTOMAGIC.match(source.strip("\n"))
    if found is None or found[1] not in AUTOMAGICS or "\n" in source.strip():
        return None
    try:
        return _Reader(source, automagic=True).read(cell)
    except UNPARSABLE:
        return None


def _failed(source: str, cell: int, error: Exception, lines: list[Line]) -> CellCode:
    """The cell with its one finding: what Python says, where, and the way out."""
    line, column, message = 1, 1, str(error)
    if isinstance(error, SyntaxError):
        message = error.msg
        row = max(error.lineno or 1, 1)
        offset = max((error.offset or 1) - 1, 0)
        if row <= len(lines):
            line, column = lines[row - 1].place(offset)
        elif lines:
            line, column = lines[-1].place(len(lines[-1].text.rstrip("\n")))
    elif isinstance(error, RecursionError | MemoryError):
        message = f"it is nested too deeply (at most {MOST_LEVELS} levels are read)"
    elif isinstance(error, UnicodeError):
        message = "it holds a lone surrogate, which no file can hold"
    fix = Fix("correct the cell, or tag it `skip`", "edit")
    if "Missing parentheses in call to" in message:
        fix = Fix("this is Python 2: write it as Python 3, or tag the cell `skip`", "edit")
    problem = Diagnostic(
        "NBC903",
        "error",
        f"This cell is not Python: {message}.",
        Place(cell, line, column, line, column + 1),
        fix=fix,
    )
    return CellCode(cell, source, None, problem=problem)


class _Reader:
    """One attempt at a cell: the magics found so far, and the lines that were last parsed."""

    def __init__(
        self,
        source: str,
        exact: bool = False,
        first_indent: bool = False,
        automagic: bool = False,
        clean: bool = False,
    ) -> None:
        self.source = source
        self.cell_lines = source.split("\n")
        self.exact, self.first_indent, self.automagic = exact, first_indent, automagic
        self.clean = clean  # the cell as a whole needs no cleaning
        self.quick = False  # the quick way was taken somewhere
        self.depth = 0  # of cell magics and statements of magics within each other
        self.moved = False  # columns are no longer those of the cell
        self.lines: list[Line] = []
        self.magics: list[Magic | None] = []

    def read(self, cell: int) -> CellCode:
        lines = lines_of(self.source)
        guessed = self.whole_lines(lines) if self.clean else None
        if guessed is not None:
            tree, found = guessed
        else:
            found, shorts = self.whole_automagic(lines) if self.automagic else self.block(lines)
            tree = self.parse(found, shorts, move_nodes=self.moved)
        text = "".join(line.text for line in found)
        if not self.source.endswith("\n"):
            text = text[:-1]
        return CellCode(cell, text, tree, tuple(magic for magic in self.magics if magic))

    def whole_lines(self, lines: list[Line]) -> tuple[ast.Module, list[Line]] | None:
        """The tree of a cell whose pieces are unindented lines of their own; None for any other cell.

        Taken for granted, and then seen in the tree: what is put in the place of a piece is a statement
        only where a statement could begin, which is where IPython looks for the piece.
        """
        rows = [row for row, line in enumerate(lines) if line.text[0] in "%!"]
        if not 0 < len(rows) < pieces.TRANSFORM_LIMIT or lines[0].text.startswith("%%"):
            return None
        for row in rows:
            text = lines[row].text.rstrip()
            # continued, help on the magic, or an operator
            if text.endswith(("\\", "?")) or text[1:2] == "=":
                return None
        found, shorts = list(lines), list[Short]()
        try:
            for row in rows:
                piece = pieces.escaped_piece(lines, row, 0)
                pieces.put(found, piece, self.number(piece, found), shorts)
            tree = self.parse(found, shorts, move_nodes=False)
        except UNPARSABLE:
            self.magics = []
            return None
        begins = {statement.lineno for statement in tree.body if not statement.col_offset}
        if all(row + 1 in begins for row in rows):
            return tree, found
        self.magics = []
        return None

    def parse(self, lines: list[Line], shorts: list[Short], move_nodes: bool) -> ast.Module:
        """The tree of ``lines`` with positions in the cell."""
        self.lines = lines = _physical(lines)
        tree = parse("".join(line.text for line in lines), AWAIT_ALLOWED)
        for short in shorts:
            _trim(tree, short)
        if move_nodes:
            move(tree, lines, self.cell_lines)
        return tree

    def block(self, lines: list[Line]) -> tuple[list[Line], list[Short]]:
        """A cell, or the body of a cell magic that is read as a cell: Python with placeholders."""
        self.lines = lines
        self.depth += 1
        if self.depth > _DEPTH:
            raise RecursionError
        if self.clean and self.depth == 1:
            first, cleaned = 0, lines
        elif self.first_indent:
            cleaned = indent_of_first_line(lines)
            first, cleaned = clean(cleaned)
        else:
            first, cleaned = clean(lines)
        self.moved = self.moved or (
            cleaned is not lines
            and any(a is not b and b.text != "\n" for a, b in zip(lines, cleaned, strict=True))
        )
        above, seen = cleaned[:first], cleaned[first:]
        found, shorts = self.replaced(seen)
        self.depth -= 1
        return above + found, _lower(shorts, first)

    def replaced(self, lines: list[Line]) -> tuple[list[Line], list[Short]]:
        """Cleaned lines with placeholders in the place of IPython syntax."""
        head = lines[0].text if lines else ""
        if head.startswith("%%") and not _CELL_MAGIC_HELP.match(head):
            return self.cell_magic(lines)
        found, shorts = list(lines), list[Short]()

        def number(piece: Piece) -> int | str:
            return self.number(piece, found)

        if not self.exact:
            before, quick = len(self.magics), self.quick
            self.quick = True
            if pieces.replace_quickly(found, number, shorts):
                return found, shorts
            self.quick = quick
            del self.magics[before:]
        pieces.replace_exactly(found, number, shorts)
        return found, shorts

    def fragment(self, lines: list[Line]) -> ast.Module:
        """Python inside a magic (``%time f(x)``), as a tree of its own."""
        if not lines[-1].text.endswith("\n"):
            lines = [*lines[:-1], Line(lines[-1].text + "\n", lines[-1].origins)]
        found, shorts = self.block(lines)
        return self.parse(found, shorts, move_nodes=True)

    def number(self, piece: Piece, lines: list[Line]) -> int | str:
        """Make the magic of ``piece``; its number, or Python for a call written without parentheses."""
        line, column = lines[piece.first].place(piece.start)
        end_line = lines[piece.last].place(0)[0]
        if piece.kind == "autocall":
            call = _call(piece.escape, piece.content.text)
            try:
                code = parse(call, AWAIT_ALLOWED)
            except UNPARSABLE:
                return call
            if not code.body:
                return call  # ";# text" turns into a comment
            origin = ((0, line, column - 1),)
            move(code, [Line(call, origin)], self.cell_lines)
            self.magics.append(
                Magic(
                    "autocall", piece.escape, piece.content.text, line, column, end_line, code=code
                )
            )
            return len(self.magics) - 1
        index = len(self.magics)
        self.magics.append(None)
        if piece.kind == "line":
            name = piece.content.text.partition(" ")[0]
            argument = piece.content.cut(len(name) + 1).stripped()
            self.magics[index] = self.line_magic(
                name, argument, line, column, end_line, piece.assigned
            )
        else:
            argument = piece.content.stripped()
            expressions = self.expressions(argument) if piece.kind == "system" else ()
            self.magics[index] = Magic(
                piece.kind,
                piece.escape,
                argument.text,
                line,
                column,
                end_line,
                assigned=piece.assigned,
                interpolated=expressions,
            )
        return index

    def line_magic(
        self, name: str, argument: Line, line: int, column: int, end_line: int, assigned: bool
    ) -> Magic:
        code: ast.Module | None = None
        if (options := arguments.STATEMENT_OPTIONS.get(name)) is not None:
            code = self.statement(argument, options)
        return Magic(
            "line",
            name,
            argument.text,
            line,
            column,
            end_line,
            assigned=assigned,
            code=code,
            code_scope="function" if name in arguments.FUNCTION_BODIES else "namespace",
            interpolated=self.reads(name, argument),
            binds=tuple(arguments.bound_names(name, argument, None)),
        )

    def statement(self, argument: Line, options: str) -> ast.Module | None:
        statement = argument.cut(arguments.statement_start(argument.text, options))
        return self.fragment([statement]) if statement.text else None

    def cell_magic(self, lines: list[Line]) -> tuple[list[Line], list[Short]]:
        head, body = lines[0], lines[1:]
        line, column = head.place(0)
        name, _, rest = head.text[2:].rstrip().partition(" ")
        argument = head.cut(len(name) + 3, len(name) + 3 + len(rest)).stripped()
        index = len(self.magics)
        self.magics.append(None)
        code: ast.Module | None = None
        inner = [Line("\n" if part.text.endswith("\n") else "", part.origins) for part in body]
        inner_shorts: list[Short] = []
        options = arguments.STATEMENT_OPTIONS.get(name, "")
        if name in arguments.FUNCTION_BODIES:
            setup = self.statement(argument, options)
            code = self.fragment(body) if body else None
            if setup is not None:
                code = ast.Module([*setup.body, *(code.body if code else ())], [])
        elif name in arguments.NAMESPACE_BODIES:
            if name in ("prun", "memit"):
                code = self.statement(argument, options)
            if body:
                inner, inner_shorts = self.block(body)
        text = _glued(body)
        expressions = self.reads(name, argument)
        if name in arguments.SHELL_BODIES:
            expressions += self.expressions(text)
        self.magics[index] = Magic(
            "cell",
            name,
            argument.text,
            line,
            column,
            max(line, (body or lines)[-1].place(0)[0]),
            body=text.text,
            code=code,
            code_scope="function" if name in arguments.FUNCTION_BODIES else "namespace",
            interpolated=expressions,
            binds=tuple(arguments.bound_names(name, argument, text)),
        )
        shorts: list[Short] = []
        header = [head]
        whole = Piece("cell", "%%", argument, 0, 0, 0)
        pieces.put(header, whole, index, shorts)
        return header + inner, shorts + _lower(inner_shorts, 1)

    def whole_automagic(self, lines: list[Line]) -> tuple[list[Line], list[Short]]:
        shorts: list[Short] = []
        row = next(i for i, line in enumerate(lines) if not line.text.isspace())
        start = len(lines[row].text) - len(lines[row].text.lstrip())
        content = lines[row].cut(start).stripped()
        piece = Piece("line", "%", content, row, start, row)
        pieces.put(lines, piece, self.number(piece, lines), shorts)
        # The blanks in front would be indentation.
        lines[row] = lines[row].cut(start)
        self.moved = start > 0
        return lines, shorts if start == 0 else []

    def reads(self, name: str, argument: Line) -> tuple[ast.expr, ...]:
        """The expressions that a magic reads: ``{x}``, ``$x``, and names given to its options."""
        found = [
            tree
            for text, start in arguments.read_names(name, argument.text)
            if (tree := self.expression(text, argument.cut(start, start + len(text)))) is not None
        ]
        if name not in arguments.NOT_EXPANDED:
            found += self.expressions(argument)
        return tuple(found)

    def expressions(self, text: Line) -> tuple[ast.expr, ...]:
        """``{x}`` and ``$x`` in ``text``; none where one of them is no Python, as IPython has it."""
        found: list[ast.expr] = []
        for expression, start in arguments.interpolated(text.text):
            tree = self.expression(expression, text.cut(start, start + len(expression)))
            if tree is None:
                return ()
            found.append(tree)
        return tuple(found)

    def expression(self, text: str, origin: Line) -> ast.expr | None:
        blanks = len(text) - len(text.lstrip(" \t"))
        line = origin.cut(blanks)
        if "\n" in text:
            return None
        if text.isascii() and text.isidentifier() and not iskeyword(text):
            name = ast.Name(text, ast.Load(), **_position(len(text)))
            move(name, [line], self.cell_lines)
            return name
        try:
            tree = parse(text[blanks:], AWAIT_ALLOWED)
            if len(tree.body) != 1 or not isinstance(tree.body[0], ast.Expr):
                return None
        except UNPARSABLE:
            return None
        move(tree, [Line(text[blanks:], line.origins)], self.cell_lines)
        return tree.body[0].value


def _position(size: int) -> dict[str, int]:
    """The position of a node of so many ASCII characters that is all there is."""
    return {"lineno": 1, "col_offset": 0, "end_lineno": 1, "end_col_offset": size}


def _call(escape: str, content: str) -> str:
    """The call that ``,f a b`` (quoted one by one), ``;f a b`` (as one) and ``/f a b`` stand for."""
    name, _, rest = content.partition(" ")
    if escape == ";":
        return f'{name}("{rest}")'
    if escape == ",":
        quoted = '", "'.join(rest.split())
        return f'{name}("{quoted}")'
    return f"{name}({', '.join(rest.split())})"


def _glued(lines: list[Line]) -> Line:
    """All lines as one text that still knows its places."""
    text, origins = "", []
    for line in lines:
        origins += [(len(text) + offset, row, column) for offset, row, column in line.origins]
        text += line.text
    return Line(text, tuple(origins) or ((0, 1, 0),))


def _physical(lines: list[Line]) -> list[Line]:
    """Lines as Python counts them: what ends without ``\\n`` goes together with the next one."""
    if all(line.text.endswith("\n") for line in lines):
        return lines
    result: list[Line] = []
    waiting: list[Line] = []
    for line in lines:
        waiting.append(line)
        if line.text.endswith("\n"):
            result.append(_glued(waiting))
            waiting = []
    return [*result, _glued(waiting)] if waiting else result


def _lower(shorts: list[Short], lines: int) -> list[Short]:
    return [Short(short.line + lines, short.text_end, short.true_end) for short in shorts]


def _trim(tree: ast.Module, short: Short) -> None:
    """Let the nodes that end with a placeholder too long for its piece end where the piece ends."""
    row = short.line + 1
    waiting: list[ast.AST] = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.expr, ast.stmt, ast.excepthandler, ast.match_case)):
            if not isinstance(node, ast.match_case):
                if not node.lineno <= row <= (node.end_lineno or 0):
                    continue
                if (node.end_lineno, node.end_col_offset) == (row, short.text_end):
                    node.end_col_offset = short.true_end
            waiting.extend(ast.iter_child_nodes(node))
