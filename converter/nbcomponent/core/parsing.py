"""Text as a syntax tree: without a word about its warnings, and never deeper than can be walked."""

from __future__ import annotations

import ast
import re
import warnings

UNPARSABLE = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError, SystemError)
"""What ``compile`` raises for text that is no Python: ValueError for null bytes and surrogates,
SystemError by the tokenizer of Python 3.13.0 for some unfinished f-strings."""

MOST_LEVELS = 500
"""Trees deeper than this are refused. Cells of public notebooks have some twenty levels; CPython's own
limits differ by version (3.12.1 compiles no chain of 900 calls) and by how much of the stack is left."""

_LEADS_DOWN = b"([{.+-~*/%@&|^<>=:,\\"
_LEVELS_EACH = 2
_LEVELS_AROUND = 10
_SHALLOW = MOST_LEVELS // _LEVELS_EACH - _LEVELS_AROUND
"""Characters that cannot make a tree of more than ``MOST_LEVELS`` levels."""

AWAIT_ALLOWED = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
"""Flag of :func:`parse`: ``await`` may stand outside functions, as in a cell."""

_FILE = "<nbcomponent>"
_quiet: object = None


def parse(text: str, flags: int = 0) -> ast.Module:
    """``text`` as a tree, without a word about its warnings.

    Warnings are silenced by a filter for this file name only, set once per process and again where
    somebody put others before it: entering ``catch_warnings`` for each text is not safe with threads.

    Raises:
        one of ``UNPARSABLE``: the text is no Python, or nested too deeply.
    """
    global _quiet
    if not warnings.filters or warnings.filters[0] is not _quiet:
        warnings.filterwarnings("ignore", module=re.escape(_FILE))
        _quiet = warnings.filters[0]
    tree: ast.Module = compile(text, _FILE, "exec", flags | ast.PyCF_ONLY_AST, dont_inherit=True)
    if len(text) > _SHALLOW and most_levels(text) > MOST_LEVELS and _too_deep(tree, text):
        raise RecursionError
    return tree


def most_levels(text: str) -> int:
    """No tree of the Python in ``text`` has more levels than this.

    Only brackets, operators, ``:``, ``not``, ``await`` and ``else`` lead further down, each by two levels at
    most (a call and its keyword argument); ``_LEVELS_AROUND`` stands for a statement, a context, and the
    levels of ``or``, ``and`` and comparisons, which nest in one another once without brackets.
    """
    data = text.encode("utf-8", "surrogatepass")
    leading = len(data) - len(data.translate(None, _LEADS_DOWN))
    leading += data.count(b"not") + data.count(b"await") + data.count(b"else")
    return _LEVELS_EACH * (leading + _LEVELS_AROUND)


def _too_deep(tree: ast.Module, text: str) -> bool:
    """Whether the tree has more than ``MOST_LEVELS`` levels. Most statements need no look."""
    lines = text.split("\n")
    above = 0
    for statement in tree.body:
        end = statement.end_lineno or statement.lineno
        own = "\n".join(lines[min(above, statement.lineno - 1) : end])  # decorators stand above
        if most_levels(own) > MOST_LEVELS and _levels_exceed(statement, MOST_LEVELS):
            return True
        above = end
    return False


def _levels_exceed(node: ast.AST, limit: int) -> bool:
    nodes: list[ast.AST] = [node]
    for _ in range(limit):
        nodes = [child for node in nodes for child in ast.iter_child_nodes(node)]
        if not nodes:
            return False
    return True


def parsed(text: str) -> ast.Module | None:
    """``text`` as a tree, None where it is no Python."""
    try:
        return parse(text)
    except UNPARSABLE:
        return None


def parsed_expression(text: str) -> ast.expr | None:
    """The one expression that ``text`` is; None where it is something else."""
    tree = parsed(text.strip())
    if tree is None or len(tree.body) != 1 or not isinstance(tree.body[0], ast.Expr):
        return None
    return tree.body[0].value
