"""How deep a cell's tree can be is told from its text, so that ordinary cells need no look."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nbcomponent.core.parsing import most_levels
from nbcomponent.notebook.ipython import parse_cell


def levels(tree: ast.AST) -> int:
    count, nodes = 0, [tree]
    while nodes:
        count += 1
        nodes = [child for node in nodes for child in ast.iter_child_nodes(node)]
    return count - 1


_WAYS: dict[str, Callable[[list[str]], str]] = {
    "or": lambda p: f"({p[0]}) or {p[1]} and ({p[2]})",
    "not": lambda p: f"not {p[0]}",
    "minus": lambda p: f"-{p[0]}",
    "sum": lambda p: f"{p[0]} + {p[1]}",
    "power": lambda p: f"{p[0]} ** {p[1]}",
    "in": lambda p: f"({p[0]}) not in ({p[1]})",
    "call": lambda p: f"f({p[0]}, k={p[1]}, **({p[2]}))",
    "item": lambda p: f"x[{p[0]}:{p[1]}, {p[2]}]",
    "attribute": lambda p: f"({p[0]}).y",
    "if": lambda p: f"{p[0]} if {p[1]} else {p[2]}",
    "lambda": lambda p: f"(lambda q={p[0]}, *r: {p[1]})",
    "list": lambda p: f"[{p[0]}, *({p[1]})]",
    "dict": lambda p: "{" + p[0] + ": " + p[1] + ", **(" + p[2] + ")}",
    "comprehension": lambda p: f"[{p[0]} for i in ({p[1]}) if ({p[2]})]",
    "text": lambda p: 'f"{x!r:>{y}} {z}"',
}
_LEAVES = st.sampled_from(["x", "1", "'text'", "None"])
_EXPRESSIONS = st.recursive(
    _LEAVES,
    lambda inner: st.builds(
        lambda way, parts: _WAYS[way](parts), st.sampled_from(sorted(_WAYS)), st.lists(inner, min_size=3, max_size=3)
    ),
    max_leaves=40,
)  # fmt: skip


@given(_EXPRESSIONS)
@settings(max_examples=400)
def test_no_expression_is_deeper_than_its_text_allows(text: str) -> None:
    try:
        tree = ast.parse(text)
    except SyntaxError:  # "-not x" is none
        return
    assert levels(tree) <= most_levels(text)


@pytest.mark.parametrize("count", [1, 5, 40])
@pytest.mark.parametrize(
    "way",
    ["not {}", "-{}", "await ({})", "({})", "[{}]", "f(k={})", "a[{}]", "lambda: {}", "a if b else {}", "x.{}", "1 +{}"],
)  # fmt: skip
def test_no_repeated_construct_is_deeper_than_its_text_allows(way: str, count: int) -> None:
    text = "x"
    for _ in range(count):
        text = way.format(text)
    tree = compile(text, "", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    assert levels(tree) <= most_levels(text)


def test_no_module_of_the_standard_library_is_deeper_than_its_text_allows() -> None:
    files = sorted(Path(ast.__file__).parent.glob("*.py"))
    for path in random.Random(5).sample(files, 60):
        text = path.read_text(encoding="utf-8")
        for statement in ast.parse(text).body:
            its_text = ast.unparse(statement)
            assert levels(ast.parse(its_text)) <= most_levels(its_text)


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "+".join(["a"] * 600),
        "@deco(" + "(" * 0 + "-" * 600 + "1)\ndef f():\n    pass",
        "y = 1; x = " + "-" * 600 + "1; z = 2",
        "if a:\n    pass\n" + "".join(f"elif b == {n}:\n    pass\n" for n in range(600)),
    ],
    ids=["sum", "decorator", "between others", "elif"],
)
def test_a_tree_that_is_too_deep_is_refused_wherever_it_stands(text: str) -> None:
    code = parse_cell(f"a = 1\n{text}\nb = 2\n")
    assert code.tree is None
    assert code.problem is not None
    assert "nested too deeply" in code.problem.message


def test_a_long_cell_that_is_not_deep_is_read() -> None:
    text = "\n".join(f"x{n} = f(a[{n}], [1, 2, (3, 4)], key=-{n} + 1)" for n in range(2_000))
    assert parse_cell(text).tree is not None
