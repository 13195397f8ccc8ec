"""Which names a function body binds for itself.

The rules are those of the language reference (section 4.2, "Naming and binding") as CPython's symtable
applies them: a name bound anywhere in a function is local to the whole function unless it is declared
``global`` or ``nonlocal``; an assignment expression in a comprehension binds in the function around it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def parameter_names(arguments: ast.arguments) -> list[str]:
    """All parameters of a function, positional ones first and in order."""
    names = [a.arg for a in arguments.posonlyargs]
    names += [a.arg for a in arguments.args]
    if arguments.vararg:
        names.append(arguments.vararg.arg)
    names += [a.arg for a in arguments.kwonlyargs]
    if arguments.kwarg:
        names.append(arguments.kwarg.arg)
    return names


def locals_of(body: Iterable[ast.AST], walrus: bool = True) -> tuple[set[str], set[str]]:
    """(names local to a function with this body, names it declares global).

    ``walrus``: expressions may hold assignment expressions; where the text has none, they are passed over.
    """
    bound: set[str] = set()
    global_names: set[str] = set()
    nonlocal_names: set[str] = set()
    pending: list[ast.AST] = list(body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name):
            if type(node.ctx) is not ast.Load:
                bound.add(node.id)
        elif isinstance(node, ast.Starred):
            pending.append(node.value)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            bound.add(node.name)
            if walrus:
                pending.extend(node.decorator_list)
                pending.extend(_defaults(node.args))
        elif isinstance(node, ast.ClassDef):
            bound.add(node.name)
            if walrus:
                pending.extend((*node.decorator_list, *node.bases))
                pending.extend(k.value for k in node.keywords)
        elif isinstance(node, ast.Lambda):
            pending.extend(_defaults(node.args))
        elif isinstance(node, _COMPREHENSIONS):
            # only assignment expressions reach out of a comprehension
            bound.update(walrus_targets(node))
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            bound.update(a.asname or a.name.split(".", 1)[0] for a in node.names)
        elif isinstance(node, ast.Global):
            global_names.update(node.names)
        elif isinstance(node, ast.Nonlocal):
            nonlocal_names.update(node.names)
        elif type(node).__name__ == "TypeAlias":
            alias = getattr(node, "name", None)
            if isinstance(alias, ast.Name):
                bound.add(alias.id)
        else:
            if isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
                if node.name:
                    bound.add(node.name)
            elif isinstance(node, ast.MatchMapping) and node.rest:
                bound.add(node.rest)
            for field in node._fields if walrus else _binding_fields(type(node)):
                value = getattr(node, field, None)
                if isinstance(value, list):
                    pending += [v for v in value if isinstance(v, ast.AST)]
                elif isinstance(value, ast.AST):
                    pending.append(value)
    return bound - global_names - nonlocal_names, global_names


_EXPRESSION_FIELDS = frozenset(
    [
        "value",
        "test",
        "iter",
        "annotation",
        "context_expr",
        "exc",
        "cause",
        "msg",
        "subject",
        "guard",
        "type",
        "keys",
        "cls",
        "ctx",
        "op",
    ]
)
"""Fields of statements that only hold expressions to evaluate, and so bind nothing but by ``:=``."""


def _binding_fields(kind: type[ast.AST]) -> tuple[str, ...]:
    """The fields of a node that may bind names without an assignment expression."""
    fields = _FIELDS.get(kind)
    if fields is None:
        fields = _FIELDS[kind] = tuple(f for f in kind._fields if f not in _EXPRESSION_FIELDS)
    return fields


_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {}


def _defaults(arguments: ast.arguments) -> list[ast.expr]:
    return [d for d in (*arguments.defaults, *arguments.kw_defaults) if d is not None]


def walrus_targets(comprehension: ast.AST) -> set[str]:
    """Names that assignment expressions inside a comprehension bind around it."""
    found: set[str] = set()
    pending: list[ast.AST] = [comprehension]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Lambda):
            continue
        if isinstance(node, ast.NamedExpr):
            found.add(node.target.id)
        pending.extend(ast.iter_child_nodes(node))
    return found
