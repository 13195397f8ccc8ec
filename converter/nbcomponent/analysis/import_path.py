"""Folders outside the notebook's own that its code puts on ``sys.path``.

``sys.path.append("../src")`` in ``notebooks/`` is how most projects reach their own modules. Where the path
is written out it is worked out here, as the notebook's folder has it; where it is computed (a loop that
walks up to the project's root), the folders above the notebook's are looked at, up to that root: the first
that holds one of :data:`PROJECT_FILES`. Nothing is run, and no absolute path is followed.
"""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from nbcomponent.analysis.beside import Beside
from nbcomponent.analysis.syntax import dotted
from nbcomponent.core.trees import walk

PROJECT_FILES = (".git", "pyproject.toml", "setup.py", "setup.cfg")
"""What stands in the root folder of a project."""

_MOST_ABOVE = 6
"""Folders above the notebook's that are looked at where the path is computed."""

_SAME = frozenset(
    {
        "abspath",
        "realpath",
        "normpath",
        "expanduser",
        "str",
        "fspath",
        "Path",
        "PurePath",
        "PosixPath",
    }
)
_SAME_METHODS = frozenset({"resolve", "absolute", "as_posix", "expanduser", "__str__"})
_HERE = frozenset({("os", "getcwd"), ("Path", "cwd"), ("pathlib", "Path", "cwd"), ("getcwd",)})
_ELSEWHERE = frozenset({"environ", "getenv", "home", "prefix", "executable", "argv"})
_ABSOLUTE = ("/", "~", "\\")


@dataclass(frozen=True, slots=True)
class ImportRoot:
    """A folder that modules are imported from, relative to the notebook's (``../src``).

    ``first``: it was put before the folders of installed packages, so its modules hide theirs.
    """

    path: str
    first: bool


def import_roots(trees: Iterable[ast.Module], beside: Beside) -> tuple[ImportRoot, ...]:
    """The folders outside the notebook's that the code of ``trees`` puts on ``sys.path``, in order."""
    code = list(trees)
    values = _assigned_once(code)
    found: dict[ImportRoot, None] = {}
    computed: bool | None = None
    for node, first in _additions(code):
        folder = _folder(node, values, 0)
        if folder is None:
            if computed is None and not _from_elsewhere(node, code):
                computed = first
        elif folder.startswith("..") and beside.kind(folder) == "folder":
            found[ImportRoot(folder, first)] = None
    if computed is not None:
        found |= dict.fromkeys(ImportRoot(path, computed) for path in _above(beside))
    return tuple(found)


def import_folders(trees: Iterable[ast.AST]) -> list[str]:
    """The folders below the notebook's that the code puts on ``sys.path``."""
    code = list(trees)
    folders = (_folder(node, {}, 0) for node, _ in _additions(code))
    return [
        f for f in folders if f is not None and f != "." and not f.startswith((*_ABSOLUTE, ".."))
    ]


def _additions(trees: Iterable[ast.AST]) -> Iterator[tuple[ast.expr, bool]]:
    """What the code adds to ``sys.path``, and whether it puts it in front."""
    for node in (n for tree in trees for n in walk(tree)):
        if isinstance(node, ast.Call):
            chain = dotted(node.func)
            if chain in (("sys", "path", "append"), ("site", "addsitedir")) and node.args:
                yield node.args[0], False
            elif chain == ("sys", "path", "insert") and len(node.args) == 2:
                yield node.args[1], True
            elif chain == ("sys", "path", "extend") and node.args:
                yield from ((part, False) for part in _parts(node.args[0]))
        elif isinstance(node, ast.AugAssign) and dotted(node.target) == ("sys", "path"):
            yield from ((part, False) for part in _parts(node.value))
        elif isinstance(node, ast.Assign):
            yield from _assigned(node)


def _assigned(node: ast.Assign) -> Iterator[tuple[ast.expr, bool]]:
    """``sys.path = [folder] + sys.path``, ``sys.path = [folder, *sys.path]``, ``sys.path[:0] = [folder]``."""
    for target in node.targets:
        part = isinstance(target, ast.Subscript) and dotted(target.value) == ("sys", "path")
        if not part and dotted(target) != ("sys", "path"):
            continue
        sides = [(node.value, True)]
        if isinstance(node.value, ast.BinOp):
            sides = [(node.value.left, True), (node.value.right, False)]
        for side, first in sides:
            for element in _parts(side):
                inner = element.value if isinstance(element, ast.Starred) else element
                if dotted(inner) == ("sys", "path"):
                    first = False
                elif not isinstance(element, ast.Starred):
                    yield element, first


def _from_elsewhere(node: ast.expr, trees: list[ast.Module]) -> bool:
    """Whether a computed path may start from the home folder, a variable or an absolute path."""
    names = {n.id for n in walk(node) if isinstance(n, ast.Name)}
    parts: list[ast.AST] = [node]
    for statement in (n for tree in trees for n in walk(tree)):
        if isinstance(statement, ast.Assign) and any(
            isinstance(t, ast.Name) and t.id in names for t in statement.targets
        ):
            parts.append(statement.value)
    for part in (n for each in parts for n in walk(each)):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            if part.value.startswith(_ABSOLUTE):
                return True
        elif isinstance(part, ast.Attribute) and part.attr in _ELSEWHERE:
            return True
    return False


def _parts(node: ast.expr) -> list[ast.expr]:
    return list(node.elts) if isinstance(node, (ast.List, ast.Tuple)) else [node]


def _assigned_once(trees: Iterable[ast.Module]) -> dict[str, ast.expr]:
    """Names that the code gives one value, with it."""
    values: dict[str, list[ast.expr]] = {}
    for node in (n for tree in trees for n in walk(tree)):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    values.setdefault(target.id, []).append(node.value)
    return {name: found[0] for name, found in values.items() if len(found) == 1}


def _folder(node: ast.expr, values: Mapping[str, ast.expr], depth: int) -> str | None:
    """The folder that an expression names, relative to the notebook's; as it is where absolute."""
    text = _path(node, values, depth)
    if text is None or text.startswith(_ABSOLUTE) or ":" in text:
        return text
    return posixpath.normpath(text)


def _path(node: ast.expr, values: Mapping[str, ast.expr], depth: int) -> str | None:
    if depth > 12:
        return None
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.Name):
        value = values.get(node.id)
        return None if value is None else _path(value, values, depth + 1)
    if isinstance(node, ast.Attribute):
        if dotted(node) in (("os", "pardir"), ("os", "path", "pardir")):
            return ".."
        if dotted(node) in (("os", "curdir"), ("os", "path", "curdir")):
            return "."
        return _joined([node.value], values, depth, "..") if node.attr == "parent" else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return _joined([node.left, node.right], values, depth)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = (_path(side, values, depth + 1) for side in (node.left, node.right))
        return None if left is None or right is None else left + right
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute):
        number = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if node.value.attr == "parents" and isinstance(number, int) and 0 <= number < _MOST_ABOVE:
            return _joined([node.value.value], values, depth, *[".."] * (number + 1))
        return None
    return _called(node, values, depth) if isinstance(node, ast.Call) else None


def _called(node: ast.Call, values: Mapping[str, ast.expr], depth: int) -> str | None:
    chain = dotted(node.func)
    if chain in _HERE:
        return "."
    name = node.func.attr if isinstance(node.func, ast.Attribute) else (chain or ("",))[-1]
    if name in _SAME_METHODS and not node.args and isinstance(node.func, ast.Attribute):
        return _path(node.func.value, values, depth + 1)
    if name == "dirname" and len(node.args) == 1:
        return _joined(node.args, values, depth, "..")
    if name == "join" and chain and chain[-2:-1] == ("path",):
        return _joined(node.args, values, depth)
    if name in ("Path", "PurePath", "PosixPath"):
        return _joined(node.args, values, depth)
    if name == "joinpath" and isinstance(node.func, ast.Attribute):
        return _joined([node.func.value, *node.args], values, depth)
    return _path(node.args[0], values, depth + 1) if name in _SAME and node.args else None


def _joined(
    nodes: Iterable[ast.expr], values: Mapping[str, ast.expr], depth: int, *more: str
) -> str | None:
    parts = [_path(node, values, depth + 1) for node in nodes]
    known = [part for part in parts if part is not None]
    return posixpath.join("", *known, *more) or "." if len(known) == len(parts) else None


def _above(beside: Beside) -> list[str]:
    """The folders above the notebook's up to the root of its project; none where there is no such root."""
    above: list[str] = []
    for level in range(_MOST_ABOVE + 1):
        folder = "/".join([".."] * level)
        if level:
            above.append(folder)
        if any(beside.kind(f"{folder}/{name}" if folder else name) for name in PROJECT_FILES):
            return above
    return []
