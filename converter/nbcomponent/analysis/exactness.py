"""Whether parquet and npy surely give a table or an array back as it was.

Parquet knows no columns of mixed values, no column names that are numbers, no lists as such, and not
whether a missing text was None or nan; npy (without pickle) knows no objects. Where the text of the
notebook does not show that a value has none of these, it is pickled: a format that fails, or changes a
value, in the middle of a run is worse than one that binds both ends to the same libraries.
"""

from __future__ import annotations

import ast

from nbcomponent.analysis.namespace import Namespace
from nbcomponent.analysis.syntax import dotted
from nbcomponent.analysis.timeline import Event, Timeline
from nbcomponent.analysis.values import type_of
from nbcomponent.core.trees import children

_READER_OPTIONS = frozenset(
    [
        "comment",
        "compression",
        "decimal",
        "delimiter",
        "encoding",
        "engine",
        "filepath_or_buffer",
        "index_col",
        "low_memory",
        "na_values",
        "names",
        "nrows",
        "parse_dates",
        "quotechar",
        "sep",
        "skipinitialspace",
        "skiprows",
        "thousands",
        "usecols",
    ]
)
"""Options of ``pandas.read_csv`` that leave column names text and columns of one kind."""

_TABLE_METHODS = frozenset(
    [
        "clip",
        "copy",
        "drop",
        "drop_duplicates",
        "dropna",
        "head",
        "interpolate",
        "nlargest",
        "nsmallest",
        "query",
        "reset_index",
        "round",
        "sample",
        "sort_index",
        "sort_values",
        "tail",
    ]
)
_COLUMN_METHODS = frozenset(
    [
        "abs",
        "clip",
        "count",
        "cumsum",
        "diff",
        "max",
        "mean",
        "median",
        "min",
        "notna",
        "isna",
        "isin",
        "rank",
        "round",
        "shift",
        "std",
        "sum",
    ]
)
_ARRAY_METHODS = frozenset(
    ["astype", "clip", "copy", "cumsum", "flatten", "ravel", "reshape", "round", "transpose"]
)
_ARRAY_MAKERS = frozenset(
    [
        "arange",
        "empty",
        "eye",
        "identity",
        "linspace",
        "loadtxt",
        "logspace",
        "ones",
        "zeros",
    ]
)
_DEPTH = 12


def is_exact(
    name: str, value_type: str | None, position: int, namespace: Namespace, timeline: Timeline
) -> bool:
    """Whether the plain format for ``value_type`` gives the value that ``name`` has at ``position`` back.

    True for types that parquet and npy have no part in.
    """
    reader = _Reader(namespace, timeline)
    if value_type == "pandas.DataFrame":
        return reader.named_table(name, position, 0)
    if value_type == "numpy.ndarray":
        return reader.named_array(name, position, 0)
    return True


class _Reader:
    def __init__(self, namespace: Namespace, timeline: Timeline) -> None:
        self._namespace = namespace
        self._timeline = timeline

    def _events(self, name: str, position: int) -> list[Event]:
        """The changes that make the value: from the last binding on."""
        events = [e for e in self._timeline.of(name) if e.position < position]
        starts = [n for n, e in enumerate(events) if e.binds and e.how not in ("augmented", "del")]
        return events[starts[-1] :] if starts else []

    def _value(self, name: str, event: Event) -> ast.expr | None:
        values = [b.value for b in event.statement.block.binds if b.name == name and not b.part]
        return values[0] if len(values) == 1 else None

    # tables

    def named_table(self, name: str, position: int, depth: int) -> bool:
        events = self._events(name, position)
        if depth > _DEPTH or not events:
            return False
        for event in events:
            if event.binds:
                if not self._table(self._value(name, event), event.position, depth + 1):
                    return False
            elif not self._keeps_table(name, event):
                return False
        return True

    def _keeps_table(self, name: str, event: Event) -> bool:
        mutations = [m for m in event.statement.block.mutations if m.name == name]
        for mutation in mutations:
            if mutation.how == "[]":
                key = getattr(mutation.node, "slice", None)
                if not (isinstance(key, ast.Constant) and isinstance(key.value, str)):
                    return False
                if mutation.value is None or not self._column(mutation.value):
                    return False
            elif mutation.how == ".columns":
                if mutation.value is None or not _texts(mutation.value):
                    return False
            elif mutation.how not in _TABLE_METHODS:
                return False
        return bool(mutations)

    def _table(self, node: ast.expr | None, position: int, depth: int) -> bool:
        if node is None or depth > _DEPTH:
            return False
        if isinstance(node, ast.Name):
            return self.named_table(node.id, position, depth + 1)
        if isinstance(node, ast.Subscript):
            kept = isinstance(node.slice, (ast.Compare, ast.BinOp, ast.Slice)) or _texts(node.slice)
            return kept and self._table(node.value, position, depth + 1)
        if not isinstance(node, ast.Call):
            return False
        chain = dotted(node.func)
        path = self._namespace.resolve(chain) if chain else None
        if path in ("pandas.read_csv", "pandas.read_table"):
            return all(self._plain_option(keyword) for keyword in node.keywords)
        if path == "pandas.DataFrame":
            return self._made_table(node, position)
        if path is None and isinstance(node.func, ast.Attribute):
            method = node.func.attr
            return method in _TABLE_METHODS and self._table(node.func.value, position, depth + 1)
        return False

    def _plain_option(self, keyword: ast.keyword) -> bool:
        if keyword.arg == "header":
            return isinstance(keyword.value, ast.Constant) and keyword.value.value in (0, "infer")
        if keyword.arg == "names":
            return _texts(keyword.value)
        return keyword.arg in _READER_OPTIONS

    def _made_table(self, node: ast.Call, position: int) -> bool:
        options = {k.arg: k.value for k in node.keywords}
        if len(node.args) > 1 or not options.keys() <= {"data", "columns"}:
            return False
        data = node.args[0] if node.args else options.get("data")
        if isinstance(data, ast.Dict):
            return all(
                isinstance(k, ast.Constant) and isinstance(k.value, str) for k in data.keys
            ) and all(_alike(v) or self._array(v, position, 0) for v in data.values)
        columns = options.get("columns")
        return (
            data is not None
            and columns is not None
            and _texts(columns)
            and self._array(data, position, 0)
        )

    def _column(self, node: ast.expr) -> bool:
        """Whether an expression gives a column of one kind (or one value for all rows)."""
        if isinstance(node, ast.Constant):
            return isinstance(node.value, (bool, int, float, str))
        if isinstance(node, (ast.BinOp, ast.Compare, ast.BoolOp, ast.UnaryOp)):
            return all(self._column(part) for part in children(node) if isinstance(part, ast.expr))
        if isinstance(node, ast.Subscript):
            return isinstance(node.value, ast.Name) and isinstance(node.slice, ast.Constant)
        if isinstance(node, ast.Attribute):
            return isinstance(node.value, ast.Name)
        if not isinstance(node, ast.Call):
            return False
        chain = dotted(node.func)
        path = self._namespace.resolve(chain) if chain else None
        if path in (
            "pandas.to_datetime",
            "pandas.to_numeric",
            "numpy.log",
            "numpy.log10",
            "numpy.exp",
        ):
            return True
        if path in ("numpy.sqrt", "numpy.abs", "numpy.log1p", "numpy.log2"):
            return True
        if path is None and isinstance(node.func, ast.Attribute):
            return node.func.attr in _COLUMN_METHODS and self._column(node.func.value)
        return False

    # arrays

    def named_array(self, name: str, position: int, depth: int) -> bool:
        events = self._events(name, position)
        return bool(events) and all(
            not e.binds or self._array(self._value(name, e), e.position, depth + 1) for e in events
        )

    def _array(self, node: ast.expr | None, position: int, depth: int) -> bool:
        if node is None or depth > _DEPTH:
            return False
        if isinstance(node, ast.Name):
            its_type = type_of(node, position, self._namespace)
            return its_type == "numpy.ndarray" and self.named_array(node.id, position, depth + 1)
        if isinstance(node, ast.BinOp):
            sides = (node.left, node.right)
            arrays = [s for s in sides if not _number(s)]
            return bool(arrays) and all(self._array(s, position, depth + 1) for s in arrays)
        if isinstance(node, ast.UnaryOp):
            return self._array(node.operand, position, depth + 1)
        if isinstance(node, ast.Subscript):
            return isinstance(node.slice, ast.Slice) and self._array(
                node.value, position, depth + 1
            )
        if not isinstance(node, ast.Call):
            return False
        chain = dotted(node.func)
        path = self._namespace.resolve(chain) if chain else None
        if path is None:
            if not isinstance(node.func, ast.Attribute) or node.func.attr not in _ARRAY_METHODS:
                return False
            if any("object" in ast.dump(a) for a in (*node.args, *node.keywords)):
                return False
            return self._array(node.func.value, position, depth + 1)
        if any(k.arg == "dtype" and not _plain_dtype(k.value) for k in node.keywords):
            return False
        if path in ("numpy.array", "numpy.asarray"):
            return len(node.args) == 1 and (
                _alike(node.args[0]) or self._array(node.args[0], position, depth + 1)
            )
        return path.startswith("numpy.") and path[6:] in _ARRAY_MAKERS


def _number(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        return _number(node.operand)
    return isinstance(node, ast.Constant) and isinstance(node.value, (int, float, complex))


def _plain_dtype(node: ast.expr) -> bool:
    text = ast.unparse(node)
    return "object" not in text and text not in ('"O"', "'O'")


def _texts(node: ast.expr) -> bool:
    """Whether an expression is a list of different texts, written out."""
    if not isinstance(node, (ast.List, ast.Tuple)):
        return False
    values = [e.value for e in node.elts if isinstance(e, ast.Constant)]
    return (
        len(values) == len(node.elts)
        and all(isinstance(v, str) for v in values)
        and len(set(values)) == len(values)
    )


def _alike(node: ast.expr) -> bool:
    """Whether an expression is a list of values of one kind, written out (of such lists of one length)."""
    if not isinstance(node, (ast.List, ast.Tuple)) or not node.elts:
        return False
    if all(isinstance(e, (ast.List, ast.Tuple)) for e in node.elts):
        lengths = {len(e.elts) for e in node.elts if isinstance(e, (ast.List, ast.Tuple))}
        flat = [x for e in node.elts if isinstance(e, (ast.List, ast.Tuple)) for x in e.elts]
        return len(lengths) == 1 and _alike(ast.List(flat))
    if all(_number(e) and not isinstance(getattr(e, "value", None), bool) for e in node.elts):
        return True
    kinds = {type(e.value) if isinstance(e, ast.Constant) else None for e in node.elts}
    return len(kinds) == 1 and kinds <= {str, bool}
