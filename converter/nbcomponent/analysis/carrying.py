"""Which statements may move into a component: imports, effect-free definitions, literal constants.

A definition is effect-free when running it only makes the function or class: its decorators, defaults,
bases and class body call nothing that could do more (design: strict carries nothing else).
"""

from __future__ import annotations

import ast

from nbcomponent.analysis.facts import Function, Statement
from nbcomponent.analysis.library.calls import PURE_BUILTINS, PURE_DECORATORS, PURE_FACTORIES
from nbcomponent.analysis.model import StatementKind
from nbcomponent.analysis.namespace import Namespace
from nbcomponent.analysis.syntax import dotted

_PURE_CALLS = frozenset(
    [
        "datetime.timedelta",
        "datetime.datetime",
        "datetime.date",
        "decimal.Decimal",
        "fractions.Fraction",
        "collections.OrderedDict",
        "types.MappingProxyType",
    ]
)
_WRAPPING_BUILTINS = PURE_BUILTINS - {"print", "display", "map", "filter"}
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_NUMBER_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Pow, ast.Mod)


def kind_of(statement: Statement, namespace: Namespace) -> StatementKind:
    """What moving this statement means: an import, a definition, a constant, or anything else."""
    position = namespace.position[id(statement)]
    kind = namespace.kinds.get(position)
    if kind is None:
        kind = namespace.kinds[position] = _kind_of(statement, namespace)
    return kind


def _kind_of(statement: Statement, namespace: Namespace) -> StatementKind:
    node = statement.node
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return "import"
    if isinstance(node, (ast.Try, ast.If)) and _only_imports(node):
        return "import"
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return "definition" if _pure_function(node, statement, namespace) else "statement"
    if isinstance(node, ast.ClassDef):
        return "definition" if _pure_class(node, statement, namespace) else "statement"
    if type(node).__name__ == "TypeAlias":
        return "definition"
    if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if not all(_plain_target(t) for t in targets):
            return "statement"
        if is_literal(node.value):
            return "constant"
        if isinstance(node.value, ast.Lambda):
            defaults = (*node.value.args.defaults, *node.value.args.kw_defaults)
            pure = all(d is None or pure_expression(d, namespace) for d in defaults)
            return "definition" if pure else "statement"
        if _pure_factory(node.value, namespace):
            return "definition"
    return "statement"


def _plain_target(target: ast.expr) -> bool:
    if isinstance(target, (ast.Tuple, ast.List)):
        return all(_plain_target(e) for e in target.elts)
    return isinstance(target, ast.Name)


def is_literal(node: ast.expr) -> bool:
    """Numbers, text, None, True/False and displays of them; arithmetic on numbers."""
    kind = type(node)
    if kind is ast.Constant:
        return True
    if kind is ast.Call or kind is ast.Name or kind is ast.Attribute:
        return False
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return all(is_literal(e) for e in node.elts)
    if isinstance(node, ast.Dict):
        return all(k is not None and is_literal(k) for k in node.keys) and all(
            is_literal(v) for v in node.values
        )
    if isinstance(node, ast.UnaryOp):
        return is_literal(node.operand)
    if isinstance(node, ast.BinOp):
        return (
            isinstance(node.op, _NUMBER_OPERATORS)
            and is_literal(node.left)
            and is_literal(node.right)
        )
    if isinstance(node, ast.JoinedStr):
        return all(isinstance(v, ast.Constant) for v in node.values)
    return False


def is_immutable_literal(node: ast.expr) -> bool:
    """A literal that no use of it can change."""
    if type(node) is ast.Constant:
        return True
    return is_literal(node) and not any(
        isinstance(n, (ast.List, ast.Set, ast.Dict)) for n in ast.walk(node)
    )


def _only_imports(node: ast.Try | ast.If) -> bool:
    """``try: import x except ImportError: x = None`` and the like."""
    imports = 0
    suites = [node.body, node.orelse]
    if isinstance(node, ast.Try):
        suites += [h.body for h in node.handlers] + [node.finalbody]
        if not node.handlers:
            return False
    elif not _version_test(node.test):
        return False
    for suite in suites:
        for statement in suite:
            if isinstance(statement, (ast.Import, ast.ImportFrom)) or (
                isinstance(statement, (ast.Try, ast.If)) and _only_imports(statement)
            ):
                imports += 1
            elif isinstance(statement, ast.Pass) or (
                isinstance(statement, ast.Assign) and is_literal(statement.value)
            ):
                continue
            else:
                return False
    return imports > 0


def _version_test(test: ast.expr) -> bool:
    return any(
        (isinstance(n, ast.Attribute) and n.attr in ("version_info", "platform"))
        or (isinstance(n, ast.Name) and n.id == "TYPE_CHECKING")
        for n in ast.walk(test)
    )


def pure_expression(node: ast.expr, namespace: Namespace) -> bool:
    """Whether evaluating an expression does nothing but make its value."""
    for part in ast.walk(node):
        if isinstance(part, ast.Call):
            chain = dotted(part.func)
            path = namespace.resolve(chain) if chain else None
            if path is None or not (
                path in PURE_FACTORIES
                or (path in PURE_BUILTINS and path not in ("print", "display", "map", "filter"))
                or path.startswith(("typing.", "dataclasses.field", "pathlib.Pure", "pathlib.Path"))
                or path in _PURE_CALLS
            ):
                return False
        elif isinstance(part, (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)):
            return False
    return True


def _pure_decorator(node: ast.expr, statement: Statement, namespace: Namespace) -> bool:
    target = node.func if isinstance(node, ast.Call) else node
    if isinstance(node, ast.Call):
        arguments = (*node.args, *(k.value for k in node.keywords))
        if not all(isinstance(a, ast.Lambda) or pure_expression(a, namespace) for a in arguments):
            return False
    chain = dotted(target)
    if chain is None:
        return False
    path = namespace.resolve(chain)
    if path is not None:
        return path in PURE_DECORATORS
    if len(chain) == 2 and chain[1] in ("setter", "getter", "deleter", "register"):
        return chain[1] != "register"
    if len(chain) == 1:
        position = namespace.position[id(statement)]
        definitions = namespace.reaching(chain[0], position)
        functions = [d.bind.function for d in definitions]
        depth = 2 if isinstance(node, ast.Call) else 1
        return bool(functions) and all(
            f is not None
            and not f.body.binds
            and not f.body.mutations
            and not f.body.dynamic
            and _only_wraps(f, depth, namespace)
            for f in functions
        )
    return False


def _only_wraps(function: Function, depth: int, namespace: Namespace) -> bool:
    """Whether applying a decorator calls nothing that does more than make a function.

    ``depth``: how many functions, one inside the other, run then; what it gives back runs later.
    """
    body = function.node.body if isinstance(function.node, _DEFINITIONS) else []
    pending: list[tuple[ast.AST, int]] = [(statement, depth) for statement in body]
    while pending:
        node, levels = pending.pop()
        if isinstance(node, (*_DEFINITIONS, ast.Lambda)):
            levels -= 1
            if not levels:
                if not isinstance(node, ast.Lambda):
                    pending += [(decorator, 1) for decorator in node.decorator_list]
                continue
        elif isinstance(node, ast.Call):
            chain = dotted(node.func)
            path = namespace.resolve(chain) if chain else None
            if path is None:
                of_a_local = chain is None or chain[0] not in function.body.exposed
                if not (isinstance(node.func, ast.Attribute) and of_a_local):
                    return False
            elif "." not in path and path not in _WRAPPING_BUILTINS:
                return False
        pending += [(child, levels) for child in ast.iter_child_nodes(node)]
    return True


def _pure_function(
    node: ast.FunctionDef | ast.AsyncFunctionDef, statement: Statement, namespace: Namespace
) -> bool:
    defaults = (*node.args.defaults, *node.args.kw_defaults)
    return all(_pure_decorator(d, statement, namespace) for d in node.decorator_list) and all(
        d is None or isinstance(d, ast.Lambda) or pure_expression(d, namespace) for d in defaults
    )


def _pure_class(node: ast.ClassDef, statement: Statement, namespace: Namespace) -> bool:
    if not all(_pure_decorator(d, statement, namespace) for d in node.decorator_list):
        return False
    if not all(pure_expression(b, namespace) for b in node.bases):
        return False
    for keyword in node.keywords:
        if keyword.arg == "metaclass":
            chain = dotted(keyword.value)
            if not chain or chain[-1] not in ("ABCMeta", "EnumMeta", "EnumType", "type"):
                return False
        elif not pure_expression(keyword.value, namespace):
            return False
    for inner in node.body:
        if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if not _pure_function(inner, statement, namespace):
                return False
        elif isinstance(inner, ast.ClassDef):
            if not _pure_class(inner, statement, namespace):
                return False
        elif isinstance(inner, (ast.Assign, ast.AnnAssign)):
            if inner.value is not None and not (
                isinstance(inner.value, ast.Lambda) or pure_expression(inner.value, namespace)
            ):
                return False
        elif isinstance(inner, ast.Expr):
            if not isinstance(inner.value, ast.Constant):
                return False
        elif not isinstance(inner, ast.Pass):
            return False
    return True


def _pure_factory(node: ast.expr, namespace: Namespace) -> bool:
    if not isinstance(node, ast.Call):
        return False
    chain = dotted(node.func)
    path = namespace.resolve(chain) if chain else None
    return path in PURE_FACTORIES and pure_expression(node, namespace)
