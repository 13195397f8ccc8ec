"""Code cells: what is Python, what is IPython's, and where each stands in the cell."""

from __future__ import annotations

import ast
import threading
import warnings

import pytest

from nbcomponent.notebook.ipython import parse_cell
from nbcomponent.notebook.model import CellCode, Magic


def _magics(source: str) -> list[tuple[str, str, str]]:
    return [(magic.kind, magic.name, magic.argument) for magic in parse_cell(source).magics]


def _only(source: str) -> Magic:
    (magic,) = parse_cell(source).magics
    return magic


def _python(code: CellCode) -> str:
    assert code.tree is not None, code.problem
    return ast.unparse(code.tree)


def _read(source: str) -> list[tuple[str, int, int]]:
    """Interpolated expressions with line and column (from 1)."""
    return [
        (ast.unparse(found), found.lineno, found.col_offset + 1)
        for magic in parse_cell(source).magics
        for found in magic.interpolated
    ]


# --- kinds ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("%matplotlib inline", ("line", "matplotlib", "inline")),
        ("x = %pwd", ("line", "pwd", "")),
        ("!ls -l", ("system", "!", "ls -l")),
        ("!!ls", ("system", "!!", "ls")),
        ("x = !ls", ("system", "!", "ls")),
        ("len?", ("help", "?", "len")),
        ("len??", ("help", "??", "len")),
        ("?len", ("help", "?", "len")),
        ("%time?", ("help", "?", "%time")),
        ("np.*load*?", ("help", "?", "np.*load*")),
        (",f a b", ("autocall", ",", "f a b")),
        ("/f a b", ("autocall", "/", "f a b")),
        ("%%html\n<b>", ("cell", "html", "")),
        ("    !ls", ("system", "!", "ls")),
        (">>> %pwd", ("line", "pwd", "")),
        ("In [3]: %pwd", ("line", "pwd", "")),
        ("pip install numpy", ("line", "pip", "install numpy")),
    ],
)
def test_one_piece(source: str, expected: tuple[str, str, str]) -> None:
    assert _magics(source) == [expected]


@pytest.mark.parametrize(
    "source",
    [
        "a % b",
        "a != b",
        "x = [1,\n% 2]".replace("% ", "2 % "),
        '"%time"',
        "'''\n%time\n!ls\n'''",
        "# %time\n# why?",
        "a %\\\nb",
    ],
)
def test_python_is_left_alone(source: str) -> None:
    code = parse_cell(source)
    assert (code.magics, code.problem, code.text) == ((), None, source)


def test_top_level_await_is_python() -> None:
    assert parse_cell("await f()\nasync with g() as h:\n    pass").problem is None


def test_pieces_inside_blocks_keep_the_indentation() -> None:
    code = parse_cell("if x:\n    !ls\n    y = !pwd\nelse:\n    %time f()")
    assert _python(code) == (
        "if x:\n    __ipython__(0)\n    y = __ipython__(1)\nelse:\n    __ipython__(2)"
    )


def test_assigned_is_told() -> None:
    assert _only("x = !ls").assigned
    assert not _only("!ls").assigned


def test_continued_magic_is_one_argument() -> None:
    code = parse_cell("!pip install \\\n  numpy \\\n  pandas\nx = 1")
    assert code.magics[0].argument.split() == ["pip", "install", "numpy", "pandas"]
    assert (code.magics[0].line, code.magics[0].end_line) == (1, 3)
    assert code.text.count("\n") == 3
    assert code.tree is not None
    assert code.tree.body[1].lineno == 4


# --- places --------------------------------------------------------------------------------------


def test_place_of_a_piece() -> None:
    magic = parse_cell("x = 1\nif x:\n    files = !ls").magics[0]
    assert (magic.line, magic.column, magic.end_line) == (3, 13, 3)


def test_places_behind_stripped_indentation_and_prompts_are_the_cells_own() -> None:
    for source, column in (("  x = y", 2), (">>> x = y", 4), ("In [12]: x = y", 9)):
        tree = parse_cell(source).tree
        assert tree is not None
        assert tree.body[0].col_offset == column


def test_statements_end_where_the_piece_ends() -> None:
    tree = parse_cell("if x:\n    a = !ls\n%matplotlib inline").tree
    assert tree is not None
    block, magic = tree.body
    assert isinstance(block, ast.If)
    assert block.end_col_offset == block.body[0].end_col_offset == len("    a = !ls")
    assert magic.end_col_offset == len("%matplotlib inline")


def test_columns_count_bytes_as_ast_does() -> None:
    (found,) = _only("é = !echo é {é}").interpolated
    assert found.col_offset == len("é = !echo é {".encode())


# --- Python inside magics ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "statement", "scope"),
    [
        ("%time x = f(1)", "x = f(1)", "namespace"),
        ("%timeit -n 10 -r3 f(x)", "f(x)", "function"),
        ("%timeit -o -q f(x)", "f(x)", "function"),
        ("%prun -l 5 f(x)", "f(x)", "namespace"),
        ("%memit f(x)", "f(x)", "namespace"),
        ("%lprun -f f f(x)", "f(x)", "namespace"),
        ("%mprun -f f f(x)", "f(x)", "namespace"),
        ("t = %timeit -o f(x)", "f(x)", "function"),
    ],
)
def test_statement_of_a_line_magic(source: str, statement: str, scope: str) -> None:
    magic = _only(source)
    assert magic.code is not None
    assert (ast.unparse(magic.code), magic.code_scope) == (statement, scope)


def test_statement_stands_at_its_place_in_the_cell() -> None:
    magic = parse_cell("x = 1\nif x:\n    %timeit -n 2 f(x)").magics[0]
    assert magic.code is not None
    assert (magic.code.body[0].lineno, magic.code.body[0].col_offset) == (3, 17)


def test_magic_inside_a_statement_of_a_magic() -> None:
    code = parse_cell("%time files = !ls {d}")
    assert [magic.name for magic in code.magics] == ["time", "!"]
    assert code.magics[0].code is not None
    assert ast.unparse(code.magics[0].code) == "files = __ipython__(1)"


@pytest.mark.parametrize("name", ["time", "capture out", "prun", "memit", "debug"])
def test_body_of_a_namespace_magic_is_part_of_the_cell(name: str) -> None:
    code = parse_cell(f"%%{name}\nx = 1\n!ls")
    assert _python(code) == "__ipython__(0)\nx = 1\n__ipython__(1)"
    assert code.tree is not None
    assert [node.lineno for node in code.tree.body] == [1, 2, 3]


def test_cell_magics_within_cell_magics() -> None:
    code = parse_cell("%%capture out\n%%time\nx = 1")
    assert [magic.name for magic in code.magics] == ["capture", "time"]
    assert _python(code) == "__ipython__(0)\n__ipython__(1)\nx = 1"


def test_body_of_timeit_is_code_that_binds_nothing() -> None:
    code = parse_cell("%%timeit -n 3 a = 1\nb = a\n")
    magic = code.magics[0]
    assert magic.code is not None
    assert (ast.unparse(magic.code), magic.code_scope) == ("a = 1\nb = a", "function")
    assert [(node.lineno, node.col_offset) for node in magic.code.body] == [(1, 14), (2, 0)]
    assert _python(code) == "__ipython__(0)"


@pytest.mark.parametrize("name", ["bash", "html", "sql", "writefile a.py", "unknown", "R -i x"])
def test_body_of_another_language_is_no_python(name: str) -> None:
    code = parse_cell(f"%%{name}\nfor f in a b; do echo $f; done\n")
    assert _python(code) == "__ipython__(0)"
    assert code.magics[0].body == "for f in a b; do echo $f; done\n"
    assert code.text.count("\n") == 2


# --- interpolation -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("!echo {x}", [("x", 1, 8)]),
        ("!echo $x $y.z", [("x", 1, 8), ("y.z", 1, 11)]),
        ("!echo {a.b[0]} {f(1):>3}", []),
        ("!echo {x[1:2]}", [("x[1:2]", 1, 8)]),
        ("!echo $$x {{y}}", []),
        ("!awk '{print $1}' f", []),
        ("!awk '$x' $y", [("y", 1, 12)]),
        ("!echo '{\"a\": 1}' {x}", []),
        ("!echo { $x", []),
        ("!echo {x!r} {y!q}", []),
        ("!echo {x!r}{y}", [("x", 1, 8), ("y", 1, 13)]),
        ("%cd {d}", [("d", 1, 6)]),
        ("%time f('{x}')", []),
        ("%%bash -s {x}\necho {y}", [("x", 1, 12)]),
        ("%%sx\necho {y}", [("y", 2, 7)]),
        ("!echo a \\\n  {x}", [("x", 2, 4)]),
        ("x = 1\n!echo {{}} {x}", [("x", 2, 13)]),
        ("%lprun -f work f(x)", [("work", 1, 11)]),
        ("%%R -i a,b\nx", [("a", 1, 8), ("b", 1, 10)]),
        ("%store data", [("data", 1, 8)]),
    ],
)
def test_expressions_read_by_a_magic(source: str, expected: list[tuple[str, int, int]]) -> None:
    assert _read(source) == expected


# --- names that magics bind ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("%%capture out\nx", (("out", 1, 11),)),
        ("%%capture --no-stderr out\nx", (("out", 1, 23),)),
        ("%%capture\nx", ()),
        ("%store -r a b", (("a", 1, 11), ("b", 1, 13))),
        ("%%bash --out o --err=e\nls", (("o", 1, 14), ("e", 1, 22))),
        ("%%script bash --out o\nls", (("o", 1, 21),)),
        ("%%R -o x,y\nz", (("x", 1, 8), ("y", 1, 10))),
        ("%%sql result <<\nselect 1", (("result", 1, 7),)),
        ("%sql result << select 1", (("result", 1, 6),)),
        ("%%bigquery df\nselect 1", (("df", 1, 12),)),
        ("%timeit -v t f()", (("t", 1, 12),)),
        ("%env A=b", ()),
        ("%%cython\ncdef int g(): pass\ndef f(int x): return x", (("f", 3, 5),)),
    ],
)
def test_names_bound_by_a_magic(source: str, expected: tuple[tuple[str, int, int], ...]) -> None:
    assert _only(source).binds == expected


# --- cells that are no Python --------------------------------------------------------------------


def test_syntax_error_has_cell_line_and_column() -> None:
    problem = parse_cell("x = 1\ny = = 2", cell=7).problem
    assert problem is not None
    assert (problem.code, problem.severity) == ("NBC903", "error")
    assert (problem.place.cell, problem.place.line, problem.place.column) == (7, 2, 5)


def test_python_2_gets_its_own_advice() -> None:
    problem = parse_cell("print 1").problem
    assert problem is not None
    assert problem.fix is not None
    assert "Python 2" in problem.fix.title


def test_place_of_an_error_inside_a_magic() -> None:
    problem = parse_cell("x = 1\nif x:\n    %time y = = 2").problem
    assert problem is not None
    assert (problem.place.line, problem.place.column) == (3, 15)


def test_error_in_the_body_of_time_is_one_of_the_cell() -> None:
    problem = parse_cell("%%time\n  x = 1\n  y = = 2").problem
    assert problem is not None
    assert (problem.place.line, problem.place.column) == (3, 7)


@pytest.mark.parametrize(
    "source",
    [
        "x\0y",
        "x = '\ud800'",
        "(" * 100_000,
        "-" * 100_000 + "1",
        "a." * 100_000 + "b",
        "1+" * 100_000 + "1",
        "9" * 5_000 + "x",
        "'" * 100_001,
        "%time " * 2_000 + "x",
        "%%time\n" * 2_000 + "x",
        "\n".join(["!ls"] * 500),
        "@" * 10_000,
    ],
)
def test_hostile_cells_are_findings(source: str) -> None:
    code = parse_cell(source, cell=2)
    assert code.tree is None
    assert code.problem is not None
    assert (code.problem.code, code.problem.place.cell) == ("NBC903", 2)


def test_as_many_magics_as_ipython_takes() -> None:
    assert len(parse_cell("\n".join(["!ls"] * 499)).magics) == 499


@pytest.mark.parametrize("source", ["", "\n\n", "   ", "# only a comment", "\x0c", "%", "!", "?"])
def test_cells_with_nearly_nothing(source: str) -> None:
    assert parse_cell(source).problem is None


def test_warnings_of_the_cells_python_are_not_shown() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert parse_cell("x = '\\d'\ny = 1if x else 2").problem is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert parse_cell("x = '\\d'").problem is None
    assert caught == []


def test_cells_are_parsed_in_threads() -> None:
    results: list[bool] = []

    def work() -> None:
        results.extend(parse_cell(f"x{i} = '\\d'\n!ls").problem is None for i in range(200))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 800
