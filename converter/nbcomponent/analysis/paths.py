"""Which paths an expression can name, as far as the text tells.

A path is text in which a part that is not known stands as a mark with what the source says
(``out/{k}.csv``). Names are looked up where they stand: in the function around them, with the arguments of
one of its calls, in the loop or comprehension that binds them, else in the notebook.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from itertools import product

from nbcomponent.analysis.facts import Bind, Function
from nbcomponent.analysis.namespace import Namespace
from nbcomponent.analysis.syntax import arguments_of, dotted

_LIMIT = 16
_DEPTH = 10
_START, _END = "\0", "\1"
_UNKNOWN_PART = re.compile(f"{_START}([^{_END}]*){_END}")
_JOINING = frozenset(
    [
        "pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath", "pathlib.PurePosixPath", "os.path.join",
        "str", "os.fspath", "os.path.abspath", "os.path.realpath", "os.path.expanduser",
        "os.path.normpath",
    ]
)  # fmt: skip
_SAME_PATH = frozenset({"as_posix", "resolve", "absolute", "expanduser"})
_FIRST_ARGUMENT = frozenset({"sorted", "list", "tuple", "set", "reversed", "iter"})

Texts = tuple[str, ...]


def shown(path: str) -> str:
    """A path as people write it: ``out/{k}.csv``."""
    return _UNKNOWN_PART.sub(r"{\1}", path) if _START in path else path


def pattern(path: str) -> str:
    """A path as a pattern: ``out/*.csv``. One whose beginning is not known stays marked."""
    if _START not in path:
        return path
    if path.startswith(_START):
        return _START + shown(path)
    return _UNKNOWN_PART.sub("*", path)


def begins_unknown(path: str) -> bool:
    """Whether not even the beginning of a pattern or path is known."""
    return path.startswith(_START)


class Paths:
    """Evaluates expressions of one block of code.

    ``node``: the statement or function whose code it is; ``function`` with ``given`` (texts by parameter)
    for the body of a function; ``binds``: what the block itself binds (loop targets).
    """

    def __init__(
        self,
        namespace: Namespace,
        position: int,
        node: ast.AST | None = None,
        function: Function | None = None,
        given: Mapping[str, Texts] | None = None,
        binds: list[Bind] | None = None,
    ) -> None:
        self.namespace = namespace
        self.position = position
        self.node = node
        self.function = function
        self.given = given or {}
        self.binds = binds or []
        self._locals: dict[str, list[tuple[ast.expr | None, bool]]] | None = None

    def of(self, node: ast.expr | None) -> Texts:
        """The paths that an expression can name; none where nothing is known of it."""
        found = self._texts(node, 0)
        return tuple(t for t in dict.fromkeys(found) if _UNKNOWN_PART.sub("", t).strip("/"))

    def constant(self, node: ast.expr | None) -> str | None:
        """The one text that an expression surely is."""
        found = self._texts(node, 0)
        return found[0] if len(found) == 1 and _START not in found[0] else None

    def bound_for(self, callee: Function, call: ast.Call, skip: int) -> dict[str, Texts]:
        """What the parameters of a function are in one of its calls, where that is known."""
        given: dict[str, Texts] = {}
        for parameter, argument in arguments_of(callee, call, skip):
            texts = self.of(argument)
            if texts:
                given[parameter] = texts
        return given

    # expressions

    def _texts(self, node: ast.expr | None, depth: int) -> Texts:
        if node is None or depth > _DEPTH:
            return ()
        if isinstance(node, ast.Constant):
            if isinstance(node.value, bytes):
                return (node.value.decode("utf-8", "replace"),)
            return (node.value,) if isinstance(node.value, str) else ()
        if isinstance(node, ast.Name):
            return self._name(node.id, depth + 1)
        if isinstance(node, ast.BinOp):
            return self._operation(node, depth + 1)
        if isinstance(node, ast.JoinedStr):
            parts = []
            for value in node.values:
                if isinstance(value, ast.FormattedValue):
                    plain = value.format_spec is None and value.conversion in (-1, 115)
                    parts.append(self._part(value.value, depth + 1, plain))
                else:
                    parts.append(self._texts(value, depth + 1))
            return _joined("", parts)
        if isinstance(node, ast.IfExp):
            return self._texts(node.body, depth + 1) + self._texts(node.orelse, depth + 1)
        if isinstance(node, ast.BoolOp):
            return tuple(t for value in node.values for t in self._texts(value, depth + 1))
        if isinstance(node, ast.NamedExpr):
            return self._texts(node.value, depth + 1)
        if isinstance(node, ast.Attribute):
            return self._attribute(node, depth + 1)
        if isinstance(node, ast.Subscript):
            return self._element(node, depth + 1)
        if isinstance(node, ast.Call):
            return self._call(node, depth + 1)
        return ()

    def _part(self, node: ast.expr, depth: int, plain: bool = True) -> Texts:
        """A part of a path: what is not known is marked."""
        if isinstance(node, ast.Constant):
            return (str(node.value),)
        known = self._texts(node, depth) if plain else ()
        if known:
            return known
        chain = dotted(node)
        return (f"{_START}{'.'.join(chain) if chain else '...'}{_END}",)

    def _operation(self, node: ast.BinOp, depth: int) -> Texts:
        if isinstance(node.op, ast.Div):
            return _joined("/", [self._part(node.left, depth), self._part(node.right, depth)])
        if isinstance(node.op, ast.Add):
            left, right = self._part(node.left, depth), self._part(node.right, depth)
            return _joined("", [left, right])
        if isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant):
            values = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
            return self._filled(str(node.left.value), values, r"%[-#0 +]*[\d.*]*[sdifr]", depth)
        return ()

    def _filled(self, text: str, values: list[ast.expr], fields: str, depth: int) -> Texts:
        pieces = re.split(fields, text)
        parts: list[Texts] = [(pieces[0],)]
        for index, piece in enumerate(pieces[1:]):
            known = index < len(values)
            parts.append(self._part(values[index], depth) if known else (f"{_START}...{_END}",))
            parts.append((piece,))
        return _joined("", parts)

    def _attribute(self, node: ast.Attribute, depth: int) -> Texts:
        if node.attr == "parent":
            return tuple(
                t.rstrip("/").rpartition("/")[0] or "." for t in self._texts(node.value, depth)
            )
        if isinstance(node.value, ast.Name):
            for definition in self.namespace.reaching(node.value.id, self.position):
                if definition.bind.klass is None:
                    continue
                for inner in definition.bind.klass.node.body:
                    targets = inner.targets if isinstance(inner, ast.Assign) else []
                    if isinstance(inner, ast.AnnAssign):
                        targets = [inner.target]
                    if any(isinstance(t, ast.Name) and t.id == node.attr for t in targets):
                        return self._texts(inner.value, depth)  # type: ignore[attr-defined]
        return ()

    def _element(self, node: ast.Subscript, depth: int) -> Texts:
        container = self._value_of(node.value)
        key = node.slice
        if not isinstance(key, ast.Constant):
            return ()
        if isinstance(container, ast.Dict):
            for its_key, value in zip(container.keys, container.values, strict=True):
                if isinstance(its_key, ast.Constant) and its_key.value == key.value:
                    return self._texts(value, depth)
        if isinstance(container, (ast.List, ast.Tuple)) and isinstance(key.value, int):
            elements = container.elts
            if -len(elements) <= key.value < len(elements):
                return self._texts(elements[key.value], depth)
        return ()

    def _value_of(self, node: ast.expr) -> ast.expr | None:
        """The expression that a name surely stands for."""
        if not isinstance(node, ast.Name):
            return node
        values = [value for value, part in self._values(node.id) if not part]
        return values[0] if len(values) == 1 else None

    def _call(self, node: ast.Call, depth: int) -> Texts:
        chain = dotted(node.func)
        path = self.namespace.resolve(chain) if chain else None
        if path in _JOINING:
            if not node.args:
                return (".",)
            return _joined("/", [self._part(a, depth) for a in node.args])
        if path == "pathlib.Path.home":
            return ("~",)
        if path in ("pathlib.Path.cwd", "os.getcwd"):
            return (".",)
        if path in ("os.path.dirname", "glob.glob", "glob.iglob") and node.args:
            texts = self._texts(node.args[0], depth)
            if path != "os.path.dirname":
                return ()
            return tuple(t.rstrip("/").rpartition("/")[0] or "." for t in texts)
        func = node.func
        if not isinstance(func, ast.Attribute):
            return ()
        if func.attr in _SAME_PATH and not node.args:
            return self._texts(func.value, depth)
        if func.attr == "joinpath":
            parts = [self._part(func.value, depth), *(self._part(a, depth) for a in node.args)]
            return _joined("/", parts)
        if func.attr == "format" and isinstance(func.value, ast.Constant) and not node.keywords:
            return self._filled(str(func.value.value), node.args, r"\{[^{}]*\}", depth)
        if func.attr in ("with_suffix", "with_name") and node.args:
            return self._renamed(func, node, depth)
        return ()

    def _renamed(self, func: ast.Attribute, node: ast.Call, depth: int) -> Texts:
        result = []
        for text in self._texts(func.value, depth):
            for new in self._part(node.args[0], depth):
                folder, slash, name = text.rpartition("/")
                name = new if func.attr == "with_name" else name.partition(".")[0] + new
                result.append(folder + slash + name)
        return tuple(result[:_LIMIT])

    # names

    def _name(self, name: str, depth: int) -> Texts:
        if name in self.given:
            return self.given[name]
        found: list[str] = []
        values = self._values(name)
        for value, part in values:
            if value is None:
                return ()
            texts = self._elements(value, depth) if part else self._texts(value, depth)
            if not texts:
                return ()
            found.extend(texts)
        return tuple(dict.fromkeys(found))[:_LIMIT]

    def _values(self, name: str) -> list[tuple[ast.expr | None, bool]]:
        """What a name may be bound to: (value, whether it is an element of the value)."""
        if self.function is not None:
            if self._locals is None:
                known = self.namespace.local_values
                if self.function not in known:
                    known[self.function] = _local_values(self.function)
                self._locals = known[self.function]
            if name in self._locals:
                return self._locals[name]
        else:
            own = [b for b in self.binds if b.name == name]
            if own:
                return [(b.value, b.part) for b in own if b.kind != "augmented"]
        definitions = self.namespace.reaching(name, self.position)
        if not definitions and self.node is not None:
            return list(_comprehension_values(self.node, name))
        return [
            (d.bind.value if d.bind.kind in ("assign", "target") else None, d.bind.part)
            for d in definitions
        ]

    def _elements(self, node: ast.expr, depth: int) -> Texts:
        """The elements that a loop over an expression meets."""
        if depth > _DEPTH:
            return ()
        if isinstance(node, ast.Name):
            inner = self._value_of(node)
            return self._elements(inner, depth + 1) if inner is not None else ()
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            if len(node.elts) > _LIMIT:
                return ()
            return tuple(t for e in node.elts for t in self._texts(e, depth + 1))
        if isinstance(node, ast.Dict):
            return tuple(t for k in node.keys if k is not None for t in self._texts(k, depth + 1))
        if isinstance(node, ast.Call):
            chain = dotted(node.func)
            path = self.namespace.resolve(chain) if chain else None
            if path in _FIRST_ARGUMENT and node.args:
                return self._elements(node.args[0], depth + 1)
            if path in ("glob.glob", "glob.iglob") and node.args:
                return self._texts(node.args[0], depth + 1)
            func = node.func
            if isinstance(func, ast.Attribute) and func.attr in ("glob", "rglob", "iterdir"):
                folder = self._texts(func.value, depth + 1)
                names = self._texts(node.args[0], depth + 1) if node.args else ("*",)
                return _joined("/", [folder, names]) if folder and names else ()
        return ()


def _joined(separator: str, parts: list[Texts]) -> Texts:
    if any(not part for part in parts):
        return ()
    found: list[str] = []
    for combination in product(*parts):
        text = ""
        for part in combination:
            if not separator:
                text += part
            elif part.startswith(("/", "~")) or text in ("", "."):
                text = part
            else:
                text = f"{text.rstrip('/')}/{part}"
        found.append(text)
        if len(found) >= _LIMIT:
            break
    return tuple(found)


def _local_values(function: Function) -> dict[str, list[tuple[ast.expr | None, bool]]]:
    """What a function's own names are bound to; parameters to their defaults."""
    found: dict[str, list[tuple[ast.expr | None, bool]]] = {}
    if isinstance(function.node, ast.GeneratorExp):
        return found
    arguments = function.node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    for argument in (*positional, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg):
        if argument is not None:
            found[argument.arg] = []
    defaults = zip(positional[::-1], arguments.defaults[::-1], strict=False)
    keyword_defaults = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    for argument, default in (*defaults, *keyword_defaults):
        if default is not None:
            found[argument.arg] = [(default, False)]
    for name, values in found.items():
        if not values:
            found[name] = [(None, False)]
    for node in ast.walk(function.node):
        if type(node) in _BINDING_NODES:
            for name, value, part in _bindings(node):
                found.setdefault(name, []).append((value, part))
    return found


_BINDING_NODES = frozenset(
    {
        ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.For, ast.AsyncFor, ast.comprehension,
        ast.withitem,
    }
)  # fmt: skip


def _bindings(node: ast.AST) -> Iterator[tuple[str, ast.expr | None, bool]]:
    """Names that one node binds, with what they are bound to."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Name):
                yield target.id, node.value, False
            else:
                for inner in ast.walk(target):
                    if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                        yield inner.id, None, False
    elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and isinstance(node.target, ast.Name):
        yield node.target.id, node.value, False
    elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
        for inner in ast.walk(node.target):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                plain = inner is node.target
                yield inner.id, node.iter if plain else None, True
    elif isinstance(node, ast.withitem) and isinstance(node.optional_vars, ast.Name):
        yield node.optional_vars.id, None, False


def _comprehension_values(node: ast.AST, name: str) -> Iterator[tuple[ast.expr | None, bool]]:
    for inner in ast.walk(node):
        if isinstance(inner, (ast.comprehension, ast.NamedExpr)):
            for its_name, value, part in _bindings(inner):
                if its_name == name:
                    yield value, part
