"""Walking trees: the same nodes in the same order as the standard library's walk."""

from __future__ import annotations

import ast
import inspect
import types

import pytest

from nbcomponent.core.trees import children, walk

MODULES = [ast, inspect, types]


def without_contexts(nodes: list[ast.AST]) -> list[ast.AST]:
    return [node for node in nodes if not isinstance(node, ast.expr_context)]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_the_same_nodes_in_the_same_order(module: types.ModuleType) -> None:
    tree = ast.parse(inspect.getsource(module))
    assert walk(tree) == without_contexts(list(ast.walk(tree)))
    for node in walk(tree):
        assert children(node) == without_contexts(list(ast.iter_child_nodes(node)))


def test_every_kind_of_field_is_looked_at() -> None:
    text = (
        "match x:\n case A(b=C()) if d: pass\n case {'e': [f, *g], **h}: pass\n"
        "async def i(j: k = l, /, *m: n, o=p, **q: r) -> s:\n async for t in u: v = f'{w!r:>{x}}'\n"
        "with a as b, c: pass\ntry: pass\nexcept (A, B) as e: raise C from e\nlambda a=b: c[d:e:f]\n"
    )
    tree = ast.parse(text)
    assert walk(tree) == without_contexts(list(ast.walk(tree)))


def test_nodes_without_some_of_their_fields() -> None:
    node = ast.Name()
    assert walk(node) == [node]
