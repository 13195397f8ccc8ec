"""What an expression is by its form alone: dotted names, what they start from, the notebook's namespace."""

from __future__ import annotations

import ast

from nbcomponent.analysis.facts import Function
from nbcomponent.analysis.library.calls import SHARING_METHODS
from nbcomponent.core.parsing import parsed, parsed_expression
from nbcomponent.notebook.model import PLACEHOLDER

NAMESPACE_CALLS = frozenset({"globals", "locals", "vars", "dir"})


def dotted(node: ast.AST) -> tuple[str, ...] | None:
    """(``np``, ``random``, ``seed``) of a dotted name, None of any other expression."""
    parts: tuple[str, ...] = ()
    while type(node) is ast.Attribute:
        parts = (node.attr, *parts)
        node = node.value
    return (node.id, *parts) if type(node) is ast.Name else None


def root_of(node: ast.AST) -> ast.Name | None:
    """The name that an attribute or subscript expression starts from."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
        node = node.value
    return node if isinstance(node, ast.Name) else None


def object_root(node: ast.AST) -> ast.Name | None:
    """The name whose object an expression reaches, also through calls that share: ``d.get("k")[0]``."""
    while True:
        if isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred, ast.NamedExpr)):
            node = node.value
        elif isinstance(node, ast.Call):
            func = node.func
            if isinstance(func, ast.Attribute) and func.attr in SHARING_METHODS:
                node = func.value
            elif isinstance(func, ast.Name) and func.id == "vars" and len(node.args) == 1:
                node = node.args[0]
            else:
                return None
        else:
            return node if isinstance(node, ast.Name) else None


def arguments_of(function: Function, call: ast.Call, skip: int) -> list[tuple[str, ast.expr]]:
    """(parameter, argument) of a call; ``skip``: parameters that the receiver takes (1 for methods)."""
    if isinstance(function.node, ast.GeneratorExp):
        return []
    spec = function.node.args
    positional = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    rest = spec.vararg.arg if spec.vararg else None
    keywords = spec.kwarg.arg if spec.kwarg else None
    named = {*positional, *(a.arg for a in spec.kwonlyargs)}
    found: list[tuple[str, ast.expr]] = []
    for index, argument in enumerate(call.args, skip):
        if index < len(positional):
            found.append((positional[index], argument))
        elif rest is not None:
            found.append((rest, argument))
    for keyword in call.keywords:
        if keyword.arg in named:
            found.append((str(keyword.arg), keyword.value))
        elif keywords is not None:
            found.append((keywords, keyword.value))
    given = {parameter for parameter, _ in found}
    defaults = list(zip(positional[::-1], spec.defaults[::-1], strict=False))
    defaults += [
        (a.arg, d) for a, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if d is not None
    ]
    found += [(name, default) for name, default in defaults if name not in given]
    return found


def is_copy(node: ast.expr) -> bool:
    """``a[:]``, which makes a new list."""
    return (
        isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Slice)
        and node.slice.lower is None
        and node.slice.upper is None
    )


def in_place(node: ast.Call) -> bool:
    return any(
        keyword.arg == "inplace"
        and isinstance(keyword.value, ast.Constant)
        and keyword.value.value is True
        for keyword in node.keywords
    )


def is_placeholder(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == PLACEHOLDER
    )


def is_main(node: ast.expr) -> bool:
    """``__main__``, ``sys.modules["__main__"]`` or ``sys.modules[__name__]``: the notebook's namespace."""
    if isinstance(node, ast.Name):
        return node.id == "__main__"
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute):
        key = node.slice
        return node.value.attr == "modules" and (
            (isinstance(key, ast.Constant) and key.value == "__main__")
            or (isinstance(key, ast.Name) and key.id == "__name__")
        )
    return False


def is_shell(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "get_ipython"
    )


def namespace_call(node: ast.expr) -> str | None:
    """``globals`` for ``globals()`` and others that give the notebook's names as a dict, else None."""
    if isinstance(node, ast.Attribute):
        if node.attr in ("user_ns", "user_global_ns") and is_shell(node.value):
            return "user_ns"
        return "globals" if node.attr == "__dict__" and is_main(node.value) else None
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return None
    name = node.func.id
    if name == "vars" and len(node.args) == 1 and is_main(node.args[0]):
        return "globals"
    if name in NAMESPACE_CALLS and not node.args:
        node._nbc_seen = True  # type: ignore[attr-defined]
        return name
    return None


def parse_text(text: str, mode: str) -> ast.Module | None:
    if mode == "exec":
        return parsed(text)
    expression = parsed_expression(text)
    return None if expression is None else ast.Module([ast.Expr(expression)], [])


def known_truth(test: ast.expr) -> bool | None:
    if isinstance(test, ast.Constant):
        return bool(test.value)
    if (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and test.left.id == "__name__"
        and isinstance(test.ops[0], ast.Eq)
        and isinstance(test.comparators[0], ast.Constant)
        and test.comparators[0].value == "__main__"
    ):
        return True
    return None


def surely_not_empty(iterable: ast.expr) -> bool:
    if isinstance(iterable, (ast.List, ast.Tuple, ast.Set)):
        return any(not isinstance(e, ast.Starred) for e in iterable.elts)
    if isinstance(iterable, ast.Constant):
        return isinstance(iterable.value, (str, bytes)) and bool(iterable.value)
    if isinstance(iterable, ast.Call) and isinstance(iterable.func, ast.Name):
        arguments = iterable.args
        if iterable.func.id == "range" and 1 <= len(arguments) <= 3:
            try:
                return len(range(*(ast.literal_eval(a) for a in arguments))) > 0
            except (ValueError, TypeError, SyntaxError, OverflowError):
                return False
        if iterable.func.id in ("enumerate", "reversed", "sorted", "list", "tuple") and arguments:
            return surely_not_empty(arguments[0])
        if iterable.func.id == "zip" and arguments:
            return all(surely_not_empty(a) for a in arguments)
        if iterable.func.id in ("tqdm", "trange", "track") and arguments:
            return surely_not_empty(arguments[0])
    return False


def expected_names(test: ast.expr) -> frozenset[str]:
    """``x`` of ``if "x" in globals():``, where the code below expects that it may be missing."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return frozenset().union(*(expected_names(value) for value in test.values))
    if (
        isinstance(test, ast.Compare)
        and isinstance(test.ops[0], ast.In)
        and isinstance(test.left, ast.Constant)
        and isinstance(test.left.value, str)
        and namespace_call(test.comparators[0])
    ):
        return frozenset({test.left.value})
    return frozenset()


def irrefutable(pattern: ast.pattern) -> bool:
    if isinstance(pattern, ast.MatchAs):
        return pattern.pattern is None or irrefutable(pattern.pattern)
    if isinstance(pattern, ast.MatchOr):
        return any(irrefutable(p) for p in pattern.patterns)
    return False
