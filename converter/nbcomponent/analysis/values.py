"""The type of a value, as far as the text shows it: what decides how a value can be stored."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from nbcomponent.analysis.carrying import is_literal
from nbcomponent.analysis.library.file_access import PANDAS_READERS
from nbcomponent.analysis.library.value_types import NUMPY_ARRAYS, VALUE_TYPES
from nbcomponent.analysis.namespace import Definition, Namespace
from nbcomponent.analysis.syntax import dotted

if TYPE_CHECKING:
    from nbcomponent.analysis.timeline import Event

IN_PLACE_TYPES = frozenset(
    [
        "list",
        "set",
        "dict",
        "numpy.ndarray",
        "pandas.DataFrame",
        "pandas.Series",
        "collections.Counter",
        "collections.deque",
        "torch.Tensor",
    ]
)
"""Types whose ``+=`` and the like change the object itself."""

_FRAME_METHODS = frozenset(
    [
        "copy",
        "dropna",
        "fillna",
        "head",
        "tail",
        "sample",
        "reset_index",
        "set_index",
        "sort_values",
        "sort_index",
        "drop",
        "rename",
        "assign",
        "merge",
        "join",
        "query",
        "astype",
        "replace",
        "drop_duplicates",
        "select_dtypes",
        "round",
        "clip",
        "interpolate",
        "nlargest",
        "nsmallest",
        "melt",
        "pivot",
        "explode",
        "transform",
        "shift",
        "diff",
    ]
)
_ARRAY_METHODS = frozenset(
    [
        "copy",
        "astype",
        "reshape",
        "ravel",
        "flatten",
        "transpose",
        "clip",
        "cumsum",
        "dot",
        "round",
        "repeat",
        "squeeze",
    ]
)


def value_type(name: str, position: int, namespace: Namespace) -> str | None:
    """The dotted type of a name's value at a position; None where the text does not tell."""
    types = {definition_type(d, namespace) for d in namespace.reaching(name, position)}
    return types.pop() if len(types) == 1 else None


def is_plain(name: str, chain: list[Event], namespace: Namespace) -> bool:
    """Whether JSON gives a list or dict back as it was: plain elements and text keys throughout.

    ``chain``: the changes that make the value; all but the first must put plain elements in.
    """
    keys: tuple[type, ...] = (int,)
    for event in chain:
        block = event.statement.block
        values = [b.value for b in block.binds if b.name == name]
        if event.binds:
            keys = (str,) if isinstance(values[0] if values else None, ast.Dict) else (int,)
            if len(values) != 1 or not _plain(values[0], event.position, namespace):
                return False
            continue
        for mutation in block.mutations:
            if mutation.name != name:
                continue
            value = mutation.value
            if mutation.how == "append" and isinstance(value, ast.Call):
                value = value.args[0] if len(value.args) == 1 else None
            elif mutation.how != "[]" or not _has_key(mutation.node, keys):
                return False
            if not _plain(value, event.position, namespace):
                return False
    return bool(chain)


def _has_key(node: ast.AST, kinds: tuple[type, ...]) -> bool:
    """Whether a subscript is written out: a text for a dict, a position for a list."""
    key = getattr(node, "slice", None)
    return isinstance(key, ast.Constant) and isinstance(key.value, kinds)


def _plain(node: ast.expr | None, position: int, namespace: Namespace) -> bool:
    if node is None:
        return False
    if isinstance(node, ast.Constant):
        return node.value is None or type(node.value) in (int, float, str, bool)
    if isinstance(node, ast.List):
        return all(_plain(e, position, namespace) for e in node.elts)
    if isinstance(node, ast.ListComp):
        return _plain(node.elt, position, namespace)
    if isinstance(node, ast.Dict):
        return all(
            isinstance(k, ast.Constant) and isinstance(k.value, str) for k in node.keys
        ) and all(_plain(v, position, namespace) for v in node.values)
    return type_of(node, position, namespace) in ("int", "float", "str", "bool")


def definition_type(definition: Definition, namespace: Namespace, depth: int = 0) -> str | None:
    """The dotted type that a binding gives its name, None where the text does not tell."""
    bind = definition.bind
    if bind.kind == "magic" or bind.part or bind.value is None or bind.kind == "dynamic":
        return None
    if bind.kind == "target" and isinstance(bind.value, ast.Call):
        chain = dotted(bind.value.func)
        return "file" if chain and chain[-1] == "open" else None
    if bind.kind == "augmented":
        return None
    # Remembered for each depth, since the answer may be cut short there: names that are made of each
    # other would be followed along every path otherwise.
    known = namespace.types.setdefault(definition, {})
    if depth not in known:
        known[depth] = type_of(bind.value, definition.position, namespace, depth)
    return known[depth]


def type_of(node: ast.expr, position: int, namespace: Namespace, depth: int = 0) -> str | None:
    """The dotted type of an expression's value, None where the text does not tell."""
    if depth > 12:
        return None
    if isinstance(node, ast.Constant):
        return type(node.value).__name__ if node.value is not None else None
    if isinstance(node, ast.JoinedStr):
        return "str"
    if isinstance(node, (ast.List, ast.ListComp)):
        return "list"
    if isinstance(node, (ast.Dict, ast.DictComp)):
        return "dict"
    if isinstance(node, (ast.Set, ast.SetComp)):
        return "set"
    if isinstance(node, ast.Tuple):
        return "tuple"
    if isinstance(node, ast.GeneratorExp):
        return "iterator"
    if isinstance(node, ast.Lambda):
        return "function"
    if isinstance(node, ast.UnaryOp):
        return type_of(node.operand, position, namespace, depth + 1)
    if isinstance(node, ast.BinOp):
        if is_literal(node.left) and is_literal(node.right):
            left = type_of(node.left, position, namespace, depth + 1)
            right = type_of(node.right, position, namespace, depth + 1)
            return left if left == right and not isinstance(node.op, ast.Div) else None
        sides = {type_of(side, position, namespace, depth + 1) for side in (node.left, node.right)}
        for array in ("pandas.DataFrame", "pandas.Series", "numpy.ndarray"):
            if array in sides and sides <= {array, "int", "float"}:
                return array
        return None
    if isinstance(node, ast.Name):
        types = {
            definition_type(d, namespace, depth + 1) for d in namespace.reaching(node.id, position)
        }
        return types.pop() if len(types) == 1 else None
    if isinstance(node, ast.Call):
        return _call_type(node, position, namespace, depth)
    if isinstance(node, ast.Attribute):
        if node.attr == "values":
            inner = type_of(node.value, position, namespace, depth + 1)
            return "numpy.ndarray" if inner in ("pandas.DataFrame", "pandas.Series") else None
        if node.attr == "T":
            return type_of(node.value, position, namespace, depth + 1)
        return None
    if isinstance(node, ast.Subscript):
        inner = type_of(node.value, position, namespace, depth + 1)
        if inner == "pandas.DataFrame":
            if isinstance(node.slice, ast.Constant):
                return "pandas.Series"
            if isinstance(node.slice, (ast.List, ast.Compare)):
                return "pandas.DataFrame"
        if inner in ("list", "str", "numpy.ndarray") and isinstance(node.slice, ast.Slice):
            return inner
        return None
    return None


def _call_type(node: ast.Call, position: int, namespace: Namespace, depth: int) -> str | None:
    chain = dotted(node.func)
    path = namespace.resolve(chain) if chain else None
    if path is not None:
        known = VALUE_TYPES.get(path)
        if known is not None:
            return known
        if path.startswith("pandas.") and path[7:] in PANDAS_READERS:
            many = any(k.arg in ("chunksize", "iterator", "sheet_name") for k in node.keywords)
            return (
                None
                if many or path in ("pandas.read_html", "pandas.read_pickle")
                else "pandas.DataFrame"
            )
        parts = path.split(".")
        if parts[0] == "numpy" and len(parts) == 2 and parts[1] in NUMPY_ARRAYS:
            return "numpy.ndarray" if parts[1] not in ("where", "dot", "load", "meshgrid") else None
        if parts[0] in ("sklearn", "xgboost", "lightgbm", "catboost") and parts[-1][:1].isupper():
            return path
        if parts[-1] == "open":
            return "file"
        return path if parts[-1][:1].isupper() and len(parts) > 1 else None
    if isinstance(node.func, ast.Attribute):
        inner = type_of(node.func.value, position, namespace, depth + 1)
        method = node.func.attr
        if inner == "pandas.DataFrame" and method in _FRAME_METHODS:
            return inner
        if inner == "pandas.Series" and method in (
            "copy",
            "dropna",
            "fillna",
            "astype",
            "map",
            "apply",
        ):
            return inner
        if inner == "numpy.ndarray" and method in _ARRAY_METHODS:
            return inner
        if inner in ("pandas.DataFrame", "pandas.Series") and method in ("to_numpy",):
            return "numpy.ndarray"
        if inner == "str":
            return (
                "str"
                if method in ("lower", "upper", "strip", "replace", "format", "join")
                else None
            )
        if method == "fit" and inner:
            return inner
        if method in ("open",) and inner == "pathlib.Path":
            return "file"
        if method in ("read_text",):
            return "str"
    elif chain and len(chain) == 1:
        for definition in namespace.reaching(chain[0], position):
            if definition.bind.klass is not None:
                return definition.bind.klass.name
            function = definition.bind.function
            if (
                function is not None
                and function.lazy
                and not isinstance(function.node, ast.AsyncFunctionDef)
            ):
                return "iterator"
    return None
