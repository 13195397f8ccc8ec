"""What a constant expression means, without running it.

Parameters are written in many ways: ``60 * 60``, ``2 ** 10``, ``-1_000``, ``"a" "b"``,
``Path("data") / "raw"``, ``int(1e6)``. All of these are values that can be told from the text.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Union

from nbcomponent.core.trees import walk

PATH_TYPES = frozenset(
    f"{module}{name}"
    for module in ("", "pathlib.")
    for name in ("Path", "PosixPath", "PurePath", "PurePosixPath", "WindowsPath", "PureWindowsPath")
)
"""Dotted names that mean a path; a bare ``Path`` counts unless it is imported from elsewhere."""


@dataclass(frozen=True, slots=True)
class PathValue:
    """``Path("data") / "raw"``: the text of a path, parts joined with ``/``."""

    text: str


@dataclass(frozen=True, slots=True)
class ContainerValue:
    """A list, tuple, dict or set: a value, but none that an argument can carry."""

    kind: str


Value = Union[int, float, str, bool, None, PathValue, ContainerValue, bytes, complex]


class NotConstant(Exception):
    """The expression needs the notebook to run. ``names``: the names that it reads."""

    def __init__(self, node: ast.expr, names: tuple[str, ...]) -> None:
        super().__init__(ast.dump(node))
        self.node = node
        self.names = names


@dataclass(frozen=True, slots=True)
class Names:
    """What names in annotations and values mean.

    ``imports`` maps a name to what was imported under it (``t`` to ``typing``, ``Opt`` to
    ``typing.Optional``); ``aliases`` maps a name to the type expression assigned to it.
    """

    imports: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, ast.expr] = field(default_factory=dict)

    def dotted(self, node: ast.expr) -> str | None:
        """``t.Optional`` as ``typing.Optional``; None where the expression is no dotted name."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        return ".".join([self.imports.get(node.id, node.id), *reversed(parts)])


def import_names(statement: ast.Import | ast.ImportFrom) -> dict[str, str]:
    """The names that an import binds, each with what it stands for."""
    if isinstance(statement, ast.Import):
        return {
            alias.asname or alias.name.split(".")[0]: (
                alias.name if alias.asname else alias.name.split(".")[0]
            )
            for alias in statement.names
        }
    module = "." * statement.level + (statement.module or "")
    return {
        alias.asname or alias.name: f"{module}.{alias.name}"
        for alias in statement.names
        if alias.name != "*"
    }


_LARGEST = 10**300
_LONGEST = 10_000

_BINARY: dict[type[ast.operator], Callable[[object, object], object]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
    ast.BitXor: operator.xor,
}
_CONTAINERS: dict[type[ast.expr], str] = {
    ast.List: "list",
    ast.Tuple: "tuple",
    ast.Dict: "dict",
    ast.Set: "set",
}
_CASTS: dict[str, Callable[[object], object]] = {
    "int": lambda value: int(value) if isinstance(value, (int, float, str)) else None,
    "float": lambda value: float(value) if isinstance(value, (int, float, str)) else None,
    "str": str,
    "bool": bool,
}


def fold(node: ast.expr, names: Names) -> Value:
    """The value of a constant expression.

    Raises :class:`NotConstant` where that takes running it: names, calls other than ``Path`` and
    ``int``/``float``/``str``/``bool`` of a constant, f-strings with placeholders.
    """
    if isinstance(node, ast.Constant):
        if node.value is Ellipsis:
            raise _not_constant(node)
        assert not isinstance(node.value, type(Ellipsis))
        return node.value
    if type(node) in _CONTAINERS:
        return ContainerValue(_CONTAINERS[type(node)])
    if isinstance(node, ast.JoinedStr):
        if all(isinstance(part, ast.Constant) for part in node.values):
            return "".join(
                str(part.value) for part in node.values if isinstance(part, ast.Constant)
            )
        raise _not_constant(node)
    if isinstance(node, ast.UnaryOp):
        return _unary(node, fold(node.operand, names))
    if isinstance(node, ast.BinOp):
        return _binary(node, fold(node.left, names), fold(node.right, names))
    if isinstance(node, ast.Call):
        return _call(node, names)
    raise _not_constant(node)


def _not_constant(node: ast.expr) -> NotConstant:
    read = {part.id: None for part in walk(node) if isinstance(part, ast.Name)}
    return NotConstant(node, tuple(read))


def _unary(node: ast.UnaryOp, value: Value) -> Value:
    if isinstance(node.op, ast.Not) and not isinstance(value, (PathValue, ContainerValue)):
        return not value
    if isinstance(value, (int, float, complex)):
        if isinstance(node.op, ast.USub):
            return -value
        if isinstance(node.op, ast.UAdd):
            return +value
        if (
            isinstance(node.op, ast.Invert)
            and isinstance(value, int)
            and not isinstance(value, bool)
        ):
            return ~value
    raise _not_constant(node)


def _binary(node: ast.BinOp, left: Value, right: Value) -> Value:
    if isinstance(node.op, ast.Div) and isinstance(left, PathValue):
        if isinstance(right, (str, PathValue)):
            return join_path(left.text, right if isinstance(right, str) else right.text)
        raise _not_constant(node)
    if isinstance(left, str) and isinstance(node.op, ast.Add) and isinstance(right, str):
        return left + right
    if isinstance(left, str) and isinstance(node.op, ast.Mult) and isinstance(right, int):
        if len(left) * right <= _LONGEST:
            return left * right
        raise _not_constant(node)
    if not isinstance(left, (int, float)) or not isinstance(right, (int, float)):
        raise _not_constant(node)
    try:
        return _number(node, left, right)
    except (ArithmeticError, TypeError) as error:
        raise _not_constant(node) from error


def _number(node: ast.BinOp, left: float, right: float) -> Value:
    if isinstance(node.op, ast.Pow):
        if abs(right) * max(1.0, math.log10(abs(left) or 1)) > 300:
            raise OverflowError
        result: object = left**right
    elif isinstance(node.op, (ast.LShift, ast.RShift)):
        if not isinstance(left, int) or not isinstance(right, int) or not 0 <= right <= 900:
            raise OverflowError
        result = left << right if isinstance(node.op, ast.LShift) else left >> right
    elif type(node.op) in _BINARY:
        result = _BINARY[type(node.op)](left, right)
    else:
        raise _not_constant(node)
    if not isinstance(result, (int, float)) or abs(result) > _LARGEST:
        raise OverflowError
    return result


def _call(node: ast.Call, names: Names) -> Value:
    function = names.dotted(node.func)
    if node.keywords or function is None:
        raise _not_constant(node)
    if function in PATH_TYPES:
        parts: list[str] = []
        for argument in node.args:
            value = fold(argument, names)
            if not isinstance(value, (str, PathValue)):
                raise _not_constant(node)
            parts.append(value if isinstance(value, str) else value.text)
        return join_path(*parts)
    if function in _CASTS and len(node.args) == 1:
        value = fold(node.args[0], names)
        if isinstance(value, (int, float, str, bool)):
            try:
                cast = _CASTS[function](value)
            except (ValueError, OverflowError) as error:
                raise _not_constant(node) from error
            if isinstance(cast, (int, float, str, bool)):
                return cast
        if isinstance(value, PathValue) and function == "str":
            return value.text
    raise _not_constant(node)


def join_path(*parts: str) -> PathValue:
    """Parts joined as pathlib does: an absolute part starts anew, ``.`` alone means here."""
    text = ""
    for part in parts:
        if not part:
            continue
        text = part if part.startswith("/") or not text else f"{text.rstrip('/')}/{part}"
    return PathValue(text or ".")
