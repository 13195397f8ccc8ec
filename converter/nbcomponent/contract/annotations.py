"""The type of a parameter from its annotation, in every way people write one."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from typing import Literal, Union

from nbcomponent.contract.values import PATH_TYPES, Names, NotConstant, fold
from nbcomponent.core.parsing import parsed_expression

Kind = Literal["integer", "number", "string", "boolean", "path", "any"]
"""``path`` is data, ``any`` is told by the value (``Final``, ``Any``)."""

ChoiceValue = Union[str, int, float]


@dataclass(frozen=True, slots=True)
class TypeReading:
    """What an annotation says. ``min``, ``max`` and ``description`` come from ``Annotated[...]``."""

    kind: Kind
    optional: bool = False
    choices: tuple[ChoiceValue, ...] | None = None
    min: int | float | None = None
    max: int | float | None = None
    description: str | None = None


class UnknownType(Exception):
    """An annotation that is none of the types a parameter can have; ``text`` shows it."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


_KINDS: dict[str, Kind] = {
    "int": "integer",
    "float": "number",
    "str": "string",
    "bool": "boolean",
    "numbers.Integral": "integer",
    "numbers.Real": "number",
    "typing.Any": "any",
    "Any": "any",
    "object": "any",
    "numpy.bool_": "boolean",
    "numpy.str_": "string",
    "typing.Text": "string",
    **{f"numpy.{sign}int{bits}": "integer" for sign in ("", "u") for bits in (8, 16, 32, 64)},
    **{f"numpy.float{bits}": "number" for bits in (16, 32, 64)},
    **dict.fromkeys(PATH_TYPES, "path"),
}
_DEPTH = 20


def read_annotation(node: ast.expr, names: Names) -> TypeReading:
    """What the annotation ``node`` says of a parameter. Raises :class:`UnknownType`."""
    return _read(node, names, 0)


def is_type_expression(node: ast.expr, names: Names) -> bool:
    """Whether an assigned value is a type (``Kind = Literal["cnn", "mlp"]``), not a parameter."""
    return isinstance(node, ast.Subscript) and _special(node.value, names) is not None


def _special(node: ast.expr, names: Names) -> str | None:
    """``Optional`` for ``typing.Optional``, ``t.Optional`` and a bare ``Optional``; None for others."""
    dotted = names.dotted(node)
    if dotted is None:
        return None
    module, _, name = dotted.rpartition(".")
    if module in ("", "typing", "typing_extensions") and name in (
        "Optional",
        "Union",
        "Literal",
        "Final",
        "Annotated",
        "ClassVar",
    ):
        return name
    return None


def _read(node: ast.expr, names: Names, depth: int) -> TypeReading:
    if depth > _DEPTH:
        raise _unknown(node)
    if isinstance(node, ast.Constant):
        return _constant(node, names, depth)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _union([node.left, node.right], node, names, depth)
    if isinstance(node, ast.Subscript):
        return _subscript(node, names, depth)
    if isinstance(node, ast.Name) and node.id in names.aliases:
        return _read(names.aliases[node.id], names, depth + 1)
    dotted = names.dotted(node)
    if dotted is not None:
        if _special(node, names) == "Final":
            return TypeReading("any")
        kind = _KINDS.get(dotted.removeprefix("builtins."))
        if kind is not None:
            return TypeReading(kind)
    raise _unknown(node)


def _unknown(node: ast.expr) -> UnknownType:
    return UnknownType(ast.unparse(node))


def _constant(node: ast.Constant, names: Names, depth: int) -> TypeReading:
    if node.value is None:
        return TypeReading("any", optional=True)
    if isinstance(node.value, str):
        inner = parsed_expression(node.value)
        if inner is None:
            raise UnknownType(node.value)
        return _read(inner, names, depth + 1)
    raise _unknown(node)


def _subscript(node: ast.Subscript, names: Names, depth: int) -> TypeReading:
    special = _special(node.value, names)
    items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if special == "Literal":
        return _literal(node, items, names)
    if special == "Optional" and len(items) == 1:
        return replace(_read(items[0], names, depth + 1), optional=True)
    if special == "Union":
        return _union(items, node, names, depth)
    if special in ("Final", "ClassVar") and len(items) == 1:
        return _read(items[0], names, depth + 1)
    if special == "Annotated" and len(items) > 1:
        return _annotated(_read(items[0], names, depth + 1), items[1:], names)
    raise _unknown(node)


def _union(items: list[ast.expr], node: ast.expr, names: Names, depth: int) -> TypeReading:
    readings = [_read(item, names, depth + 1) for item in items]
    optional = any(reading.optional for reading in readings)
    real = [reading for reading in readings if reading != TypeReading("any", optional=True)]
    kinds = {reading.kind for reading in real}
    if not real:
        return TypeReading("any", optional=True)
    if len(real) == 1:
        return replace(real[0], optional=optional)
    if kinds == {"integer", "number"}:
        return TypeReading("number", optional=optional)
    if len(kinds) == 1:
        every = [reading.choices for reading in real]
        choices = tuple(choice for group in every for choice in group or ())
        return TypeReading(
            real[0].kind, optional=optional, choices=None if None in every else choices
        )
    raise _unknown(node)


def _literal(node: ast.expr, items: list[ast.expr], names: Names) -> TypeReading:
    values: list[object] = []
    for item in items:
        try:
            values.append(fold(item, names))
        except NotConstant as error:
            raise _unknown(node) from error
    optional = None in values
    values = [value for value in values if value is not None]
    types = {type(value) for value in values}
    if not values:
        return TypeReading("any", optional=True)
    if types == {bool}:
        return TypeReading("boolean", optional=optional)
    kinds: dict[frozenset[type], Kind] = {
        frozenset({str}): "string",
        frozenset({int}): "integer",
        frozenset({float}): "number",
        frozenset({int, float}): "number",
    }
    kind = kinds.get(frozenset(types))
    if kind is None:
        raise _unknown(node)
    choices = tuple(dict.fromkeys(v for v in values if isinstance(v, (str, int, float))))
    return TypeReading(kind, optional=optional, choices=choices)


_BOUNDS = {"ge": "min", "Ge": "min", "le": "max", "Le": "max"}


def _annotated(reading: TypeReading, metadata: list[ast.expr], names: Names) -> TypeReading:
    """Text is the meaning; ``Ge``, ``Le``, ``Interval`` and ``Field`` give the range."""
    for item in metadata:
        if isinstance(item, ast.Constant) and isinstance(item.value, str):
            reading = replace(reading, description=item.value.strip() or None)
        elif isinstance(item, ast.Call):
            function = (names.dotted(item.func) or "").rpartition(".")[2]
            given = {keyword.arg or "": keyword.value for keyword in item.keywords}
            if function in ("Ge", "Le") and len(item.args) == 1:
                given[function] = item.args[0]
            elif function not in ("Field", "Interval", "Ge", "Le"):
                continue
            reading = _bounds(reading, given, names)
    return reading


def _bounds(reading: TypeReading, given: dict[str, ast.expr], names: Names) -> TypeReading:
    for key, node in given.items():
        try:
            value = fold(node, names)
        except NotConstant:
            continue
        if key in _BOUNDS and isinstance(value, (int, float)) and not isinstance(value, bool):
            reading = (
                replace(reading, min=value)
                if _BOUNDS[key] == "min"
                else replace(reading, max=value)
            )
        elif key == "description" and isinstance(value, str):
            reading = replace(reading, description=value)
    return reading
