"""Names in the code of a component: which it binds, which it reads, and which are free for us."""

from __future__ import annotations

import ast
import builtins
import keyword
from collections.abc import Iterable, Iterator

from nbcomponent.core.trees import children, walk

BUILTINS = frozenset(dir(builtins)) | {
    "__name__",
    "__file__",
    "__doc__",
    "__builtins__",
    "__annotations__",
    "__spec__",
}

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Taken:
    """Hands out names that nothing in the component uses.

    ``private``: the names begin with an underscore, as those that no star import binds do.
    """

    def __init__(self, names: Iterable[str], *, private: bool = False) -> None:
        self._names = set(names)
        self._private = private

    def fresh(self, name: str) -> str:
        """``name``, or with underscores after it until the component knows no such name."""
        name = f"_{name}" if self._private else name
        while name in self._names or keyword.iskeyword(name) or name in BUILTINS:
            name += "_"
        self._names.add(name)
        return name

    def is_free(self, name: str) -> bool:
        """Whether nothing uses the name yet."""
        return name not in self._names


def all_names(node: ast.AST) -> Iterator[str]:
    """Every identifier that the code mentions as a name, wherever (attributes aside)."""
    for child in walk(node):
        if isinstance(child, ast.Name):
            yield child.id
        elif isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield child.name
        elif isinstance(child, ast.arg):
            yield child.arg
        elif isinstance(child, ast.alias):
            yield (child.asname or child.name).partition(".")[0]
        elif isinstance(child, (ast.Global, ast.Nonlocal)):
            yield from child.names
        elif isinstance(child, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
            if child.name:
                yield child.name
        elif isinstance(child, ast.MatchMapping) and child.rest:
            yield child.rest


def bound_names(statement: ast.stmt) -> set[str]:
    """Module names that executing the statement may bind or delete.

    A name that a function inside declares ``global`` counts: calling it may rebind the name.
    """
    found: set[str] = set()
    _bound(statement, found)
    for child in walk(statement):
        if isinstance(child, ast.Global):
            found.update(child.names)
    return found


def _bound(node: ast.AST, found: set[str]) -> None:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        found.add(node.name)
        for part in evaluated_parts(node, body=False):
            _bound(part, found)
        return
    if isinstance(node, ast.Lambda):
        for part in evaluated_parts(node, body=False):
            _bound(part, found)
        return
    if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
        # Targets live in the comprehension; only a walrus reaches the module.
        found.update(n.target.id for n in walk(node) if isinstance(n, ast.NamedExpr))
        return
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        found.add(node.id)
    elif isinstance(node, ast.alias):
        if node.name != "*":
            found.add((node.asname or node.name).partition(".")[0])
    elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
        found.add(node.name)
    elif isinstance(node, ast.MatchMapping) and node.rest:
        found.add(node.rest)
    for child in children(node):
        _bound(child, found)


def evaluated_parts(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda,
    *,
    annotations: bool = True,
    body: bool = True,
) -> list[ast.AST]:
    """What is evaluated when a definition is executed: decorators, defaults, bases, annotations.

    ``annotations`` is False under ``from __future__ import annotations``. ``body``: a class's body
    is evaluated too.
    """
    if isinstance(node, ast.ClassDef):
        parts: list[ast.AST] = [*node.decorator_list, *node.bases, *node.keywords]
        return [*parts, *node.body] if body else parts
    arguments = node.args
    parts = [*arguments.defaults, *(d for d in arguments.kw_defaults if d is not None)]
    if isinstance(node, ast.Lambda):
        return parts
    parts = [*node.decorator_list, *parts]
    if annotations:
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        every += [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
        parts += [a.annotation for a in every if a.annotation is not None]
        if node.returns is not None:
            parts.append(node.returns)
    return parts


def evaluated_names(node: ast.AST, *, annotations: bool = True) -> set[str]:
    """Global names that are read when the statement itself is executed (not when it is called)."""
    found: set[str] = set()
    _evaluated(node, annotations, frozenset(), found)
    return found


def _evaluated(node: ast.AST, annotations: bool, local: frozenset[str], found: set[str]) -> None:
    if isinstance(node, ast.ClassDef):
        for part in evaluated_parts(node, annotations=annotations, body=False):
            _evaluated(part, annotations, local, found)
        inner = local | frozenset().union(*(bound_names(s) for s in node.body))
        for statement in node.body:
            _evaluated(statement, annotations, inner, found)
        return
    if isinstance(node, _FUNCTIONS):
        for part in evaluated_parts(node, annotations=annotations):
            _evaluated(part, annotations, local, found)
        return
    if isinstance(node, ast.AnnAssign) and not annotations:
        below: list[ast.AST] = [c for c in (node.target, node.value) if c is not None]
    else:
        below = children(node)
    if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
        targets = {n.id for g in node.generators for n in walk(g.target) if isinstance(n, ast.Name)}
        local = local | targets
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in local:
        found.add(node.id)
    for child in below:
        _evaluated(child, annotations, local, found)


def called_names(node: ast.AST) -> set[str]:
    """Global names that the bodies of functions in ``node`` read when they are called."""
    found: set[str] = set()
    for child in walk(node):
        if isinstance(child, _FUNCTIONS):
            _body_names(child, found)
    return found


def _body_names(
    function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, found: set[str]
) -> None:
    body: list[ast.AST] = (
        list(function.body) if isinstance(function.body, list) else [function.body]
    )
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    every += [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
    inner = [child for part in body for child in walk(part)]
    declared = {n for child in inner if isinstance(child, ast.Global) for n in child.names}
    local = {a.arg for a in every}
    for part in body:
        _bound(part, local)
    local -= declared
    found.update(
        child.id
        for child in inner
        if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Load) and child.id not in local
    )
