"""Random small Python programs in which a few names meet in every kind of scope."""

from __future__ import annotations

import ast
import textwrap

from hypothesis import strategies as st

NAMES = ["a", "b", "c", "d", "e"]
names = st.sampled_from(NAMES)


def expressions() -> st.SearchStrategy[str]:
    def deeper(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.one_of(
            st.builds("({} + {})".format, inner, inner),
            st.builds("({} and {})".format, inner, inner),
            st.builds("({} if {} else {})".format, inner, inner, inner),
            st.builds("{}.{}".format, names, st.sampled_from(["x", "y"])),
            st.builds("[{} for {} in {} if {}]".format, inner, names, inner, inner),
            st.builds(
                "{{{}: {} for {} in {} for {} in {}}}".format,
                inner,
                inner,
                names,
                inner,
                names,
                inner,
            ),
            st.builds(
                "(lambda {}, *{}: {})".format, st.just("p"), st.sampled_from(["q", "r"]), inner
            ),
            st.builds("(lambda {}={}: {})".format, names, inner, inner),
            st.builds("({} := {})".format, st.sampled_from(["a", "b"]), inner),
            st.builds("f'{{{}!r:>{{{}}}}}'".format, names, names),
            st.builds("{}({}, k={})".format, names, inner, inner),
            st.builds("{}[{}]".format, names, inner),
        )

    return st.recursive(names, deeper, max_leaves=5)


def _block(text: str) -> str:
    return textwrap.indent(text, "    ")


@st.composite
def statements(draw: st.DrawFn, depth: int = 2) -> str:
    expression = expressions()
    simple = [
        st.builds("{} = {}".format, names, expression),
        st.builds("{}, *{} = {}".format, names, names, expression),
        st.builds("{}.x = {}".format, names, expression),
        st.builds("{}[{}] = {}".format, names, expression, expression),
        st.builds("import {}".format, st.sampled_from(["a", "b.x", "c as d"])),
        st.builds("from {} import {}".format, st.sampled_from(["m", ".m"]), names),
        expression,
        st.builds("assert {}, {}".format, expression, expression),
    ]
    if depth == 0:
        return draw(st.one_of(simple))
    inner = statements(depth - 1)
    body = st.lists(inner, min_size=1, max_size=3).map("\n".join).map(_block)
    compound = [
        st.builds("if {}:\n{}\nelse:\n{}".format, expression, body, body),
        st.builds("for {} in {}:\n{}".format, names, expression, body),
        st.builds("while {}:\n{}".format, expression, body),
        st.builds("with {} as {}:\n{}".format, expression, names, body),
        st.builds("try:\n{}\nexcept {} as {}:\n{}\nfinally:\n{}".format, body, names, st.just("err"), body, body),
        st.builds("match {}:\n    case [{}, *{}]:\n{}\n    case _:\n        pass".format,
                  expression, st.just("a"), st.just("b"), body.map(_block)),
        st.builds("def {}({}, w={}):\n{}".format, names, st.sampled_from(["a", "p", "p: d"]), expression, body),
        st.builds("@{}\ndef {}() -> {}:\n    global {}\n    {} = {}\n{}".format,
                  names, names, names, st.just("c"), st.just("c"), expression, body),
        st.builds("def {}():\n    a = 1\n    def g():\n        nonlocal a\n        a = {}\n{}\n    return g".format,
                  names, expression, body.map(_block)),
        st.builds("class {}({}):\n{}".format, names, names, body),
    ]  # fmt: skip
    return draw(st.one_of(*simple, *compound))


@st.composite
def programs(draw: st.DrawFn) -> str:
    """A program that CPython compiles."""
    return "\n".join(draw(st.lists(statements(), min_size=1, max_size=4))) + "\n"


def compiles(text: str) -> bool:
    """Whether CPython accepts a program (a name cannot be both parameter and global, and the like)."""
    try:
        compile(text, "<program>", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


class StripLocalAnnotations(ast.NodeTransformer):
    """Annotations of a function's own variables are never evaluated, though symtable lists them."""

    def __init__(self) -> None:
        self.depth = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.depth += 1
        self.generic_visit(node)
        self.depth -= 1
        return node

    visit_AsyncFunctionDef = visit_FunctionDef  # type: ignore[assignment]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        self.generic_visit(node)
        node.annotation = ast.Constant(0)
        if node.value is None:
            return ast.Pass()
        return ast.Assign([node.target], node.value, lineno=node.lineno)
