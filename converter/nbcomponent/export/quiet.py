"""Calls that stand at the end of a cell for what they do: a notebook displays nothing of use for them.

Their value is None, or a handle of Matplotlib of which a notebook shows the address and no more. What is
not listed here, and what only may be such a call, is displayed as any other value.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from nbcomponent.analysis.library.file_access import PANDAS_READERS
from nbcomponent.contract.model import Interface
from nbcomponent.core.trees import children
from nbcomponent.export.chunks import dotted
from nbcomponent.export.names import bound_names

PYPLOT_NONE = frozenset(
    [
        "autoscale",
        "cla",
        "clf",
        "clim",
        "close",
        "draw",
        "grid",
        "minorticks_off",
        "minorticks_on",
        "pause",
        "rc",
        "rcdefaults",
        "savefig",
        "set_cmap",
        "show",
        "subplots_adjust",
        "switch_backend",
        "tick_params",
        "ticklabel_format",
        "tight_layout",
        "xscale",
        "yscale",
    ]
)
PLOT_NONE = frozenset(
    [
        "autofmt_xdate",
        "autoscale",
        "cla",
        "clear",
        "clf",
        "grid",
        "invert_xaxis",
        "invert_yaxis",
        "label_outer",
        "minorticks_off",
        "minorticks_on",
        "savefig",
        "set_aspect",
        "set_axis_off",
        "set_axis_on",
        "set_axisbelow",
        "set_facecolor",
        "set_label",
        "set_size_inches",
        "set_xscale",
        "set_yscale",
        "show",
        "subplots_adjust",
        "tick_params",
        "ticklabel_format",
        "tight_layout",
    ]
)
"""Methods of figures and axes."""

PLOT_HANDLES = frozenset(
    [
        "axhline",
        "axhspan",
        "axvline",
        "axvspan",
        "colorbar",
        "contour",
        "contourf",
        "fill",
        "fill_between",
        "fill_betweenx",
        "hlines",
        "imshow",
        "legend",
        "loglog",
        "matshow",
        "pcolormesh",
        "plot",
        "scatter",
        "semilogx",
        "semilogy",
        "set_xticks",
        "set_yticks",
        "step",
        "vlines",
    ]
)
"""What pyplot, figures and axes return where the text is ``[<matplotlib.lines.Line2D at 0x...>]`` or so."""

TABLE_NONE = frozenset({"info", "insert", "update"})

TABLE_IN_PLACE = frozenset(
    [
        "drop",
        "drop_duplicates",
        "dropna",
        "rename",
        "reset_index",
        "set_index",
        "sort_index",
        "sort_values",
    ]
)
"""None with ``inplace=True``; pandas 3 gives the table back for ``fillna``, ``replace`` and others."""

TABLE_WRITERS = frozenset({"to_csv", "to_json", "to_parquet", "to_pickle"})
"""None where a path is given; the text otherwise."""

FUNCTIONS_NONE = frozenset(
    [
        "json.dump",
        "logging.basicConfig",
        "logging.critical",
        "logging.debug",
        "logging.error",
        "logging.info",
        "logging.warning",
        "matplotlib.pyplot.style.use",
        "matplotlib.style.use",
        "numpy.random.seed",
        "numpy.random.shuffle",
        "numpy.save",
        "numpy.savetxt",
        "numpy.savez",
        "numpy.savez_compressed",
        "os.makedirs",
        "os.mkdir",
        "os.remove",
        "os.rename",
        "pandas.reset_option",
        "pandas.set_option",
        "pickle.dump",
        "random.seed",
        "random.shuffle",
        "seaborn.despine",
        "seaborn.set",
        "seaborn.set_context",
        "seaborn.set_palette",
        "seaborn.set_style",
        "seaborn.set_theme",
        "time.sleep",
        "torch.save",
        "warnings.filterwarnings",
        "warnings.simplefilter",
        "warnings.warn",
    ]
)

_CONTAINERS = {
    ast.List: "list",
    ast.ListComp: "list",
    ast.Dict: "dict",
    ast.DictComp: "dict",
    ast.Set: "set",
    ast.SetComp: "set",
}
_CONTAINER_NONE = {
    "list": frozenset({"append", "extend", "insert", "remove", "reverse", "sort", "clear"}),
    "dict": frozenset({"update", "clear"}),
    "set": frozenset({"add", "update", "discard", "remove", "clear"}),
}
_PATH_NONE = frozenset({"mkdir", "touch", "unlink", "rmdir"})

_MAKERS = {
    **dict.fromkeys((f"pandas.{reader}" for reader in PANDAS_READERS), "table"),
    "pandas.DataFrame": "table",
    **dict.fromkeys(
        (
            f"matplotlib.pyplot.{name}"
            for name in ["axes", "colorbar", "figure", "gca", "gcf", "subplot", "subplots"]
        ),
        "plot",
    ),
}
_NO_TABLE = frozenset({"pandas.read_html", "pandas.read_pickle"})
_SEVERAL = frozenset({"chunksize", "iterator", "sheet_name", "squeeze", "typ"})
"""Options with which a reader may give something else than one table."""

_KEEPS = {
    "table": frozenset(
        [
            "assign",
            "astype",
            "copy",
            "drop",
            "drop_duplicates",
            "dropna",
            "fillna",
            "head",
            "rename",
            "reset_index",
            "set_index",
            "sort_index",
            "sort_values",
            "tail",
        ]
    ),
    "plot": frozenset(
        ["add_axes", "add_subplot", "flatten", "gca", "ravel", "subplots", "twinx", "twiny"]
    ),
}
"""Methods that give the same kind of thing again."""


class Quiet:
    """Knows the calls of one component whose value a script need not print."""

    def __init__(
        self, nodes: Sequence[ast.stmt], origins: dict[str, str], interface: Interface
    ) -> None:
        """``origins``: what the names that hoisted imports bind stand for."""
        self._origins = origins
        self._bound: dict[str, list[ast.stmt]] = {}
        for node in nodes:
            for name in bound_names(node):
                self._bound.setdefault(name, []).append(node)
        self._given: dict[str, str | None] = {p.name: None for p in interface.parameters}
        for port in interface.inputs:
            self._given[port.variable] = "table" if port.format in ("csv", "parquet") else None
        for port in (*interface.inputs, *interface.outputs):
            if port.binds_path:
                self._given[port.variable] = "path"
        self._kinds: dict[str, str | None] = {}

    def is_quiet(self, value: ast.expr) -> bool:
        """Whether displaying ``value`` would show nothing, whatever happens, or an address."""
        if isinstance(value, ast.Constant):
            return value.value is None
        if not isinstance(value, ast.Call):
            return False
        function = value.func
        if isinstance(function, ast.Name) and function.id not in self._bound:
            return function.id in ("print", "display", "delattr", "setattr")
        origin = self._origin(function)
        if origin is not None:
            module, _, name = origin.rpartition(".")
            if module == "matplotlib.pyplot":
                return name in PYPLOT_NONE | PLOT_HANDLES
            return origin in FUNCTIONS_NONE
        if isinstance(function, ast.Name):
            return self._returns_nothing(function.id)
        if not isinstance(function, ast.Attribute):
            return False
        kind, method = self._kind(function.value), function.attr
        if kind == "plot":
            return method in PLOT_NONE | PLOT_HANDLES
        if kind == "path":
            return method in _PATH_NONE
        if kind == "table":
            return self._is_quiet_table(value, method)
        return kind is not None and method in _CONTAINER_NONE[kind]

    def _is_quiet_table(self, call: ast.Call, method: str) -> bool:
        if method in TABLE_IN_PLACE:
            return any(
                k.arg == "inplace" and isinstance(k.value, ast.Constant) and k.value.value is True
                for k in call.keywords
            )
        if method in TABLE_WRITERS:
            return bool(call.args) and self._is_path(call.args[0])
        return method in TABLE_NONE

    def _is_path(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Constant):
            return isinstance(node.value, str)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            return self._is_path(node.left) or self._is_path(node.right)
        return isinstance(node, ast.JoinedStr) or self._kind(node) == "path"

    def _kind(self, node: ast.expr) -> str | None:
        """What sort of thing an expression's value surely is."""
        if type(node) in _CONTAINERS:
            return _CONTAINERS[type(node)]
        if isinstance(node, ast.Name):
            if node.id not in self._kinds:
                self._kinds[node.id] = self._named_kind(node.id)
            return self._kinds[node.id]
        if isinstance(node, ast.Subscript):
            kind = self._kind(node.value)
            same = kind == "plot" or isinstance(node.slice, (ast.List, ast.Compare))
            return kind if same and kind in _KEEPS else None
        if isinstance(node, ast.Attribute):
            kind = self._kind(node.value)
            return kind if kind == "plot" and node.attr in ("T", "ax", "figure", "flat") else None
        if not isinstance(node, ast.Call):
            return None
        origin = self._origin(node.func)
        if origin is not None:
            several = any(k.arg is None or k.arg in _SEVERAL for k in node.keywords)
            return None if several or origin in _NO_TABLE else _MAKERS.get(origin)
        if isinstance(node.func, ast.Attribute):
            kind = self._kind(node.func.value)
            kept = kind is not None and node.func.attr in _KEEPS.get(kind, ())
            in_place = any(k.arg == "inplace" for k in node.keywords)
            return kind if kept and not in_place else None
        return None

    def _named_kind(self, name: str) -> str | None:
        """What all bindings of a name agree on, those that are made of the name itself included."""
        bound = self._bound.get(name, [])
        before = self._kinds
        self._kinds = {**before, name: None}
        first = self._given.get(name)
        if name not in self._given and bound:
            first = self._bound_kind(name, bound[0])
        self._kinds = {**before, name: first}
        if first is not None and all(self._bound_kind(name, s) == first for s in bound):
            return first
        self._kinds = before  # What was concluded from the guess goes with it.
        return None

    def _bound_kind(self, name: str, statement: ast.stmt) -> str | None:
        """The kind that a statement gives a name."""
        if not isinstance(statement, ast.Assign):
            return None
        kinds = set()
        for target in statement.targets:
            if isinstance(target, ast.Name):
                kinds.add(self._kind(statement.value) if target.id == name else None)
            elif isinstance(target, (ast.Tuple, ast.List)):
                # Figure and axes, or axes alone: `fig, (left, right) = plt.subplots(ncols=2)`.
                kind = self._kind(statement.value)
                starred = any(isinstance(n, ast.Starred) for n in target.elts)
                kinds.add(kind if kind == "plot" and not starred else None)
            else:
                return None
        return kinds.pop() if len(kinds) == 1 else None

    def _origin(self, function: ast.expr) -> str | None:
        name = dotted(function)
        if name is None:
            return None
        root, _, rest = name.partition(".")
        origin = self._origins.get(root)
        if origin is None or len(self._bound.get(root, [])) > 1:
            return None
        full = origin.replace(":", ".")
        return f"{full}.{rest}" if rest else full

    def _returns_nothing(self, name: str) -> bool:
        bound = self._bound[name]
        if len(bound) != 1 or not isinstance(bound[0], ast.FunctionDef) or bound[0].decorator_list:
            return False
        waiting: list[ast.AST] = list(bound[0].body)
        while waiting:
            node = waiting.pop()
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
                continue
            if isinstance(node, (ast.Yield, ast.YieldFrom)):
                return False
            if isinstance(node, ast.Return) and node.value is not None:
                return False
            waiting += children(node)
        return True
