"""Parameters cells: every way people write a parameter, and what each one means."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nbcomponent.contract.model import Parameter, Port
from nbcomponent.contract.parameters import (
    ParametersCell,
    names_of_notebook,
    read_parameters,
)
from nbcomponent.contract.values import Names
from nbcomponent.core.diagnostics import Place
from nbcomponent.notebook.model import Cell, CellCode, Magic, TaggedNotebook


def read(source: str, names: Names | None = None) -> ParametersCell:
    return read_parameters(
        Cell(0, "code", source), CellCode(0, source, ast.parse(source)), names or Names()
    )


def parameter(source: str, names: Names | None = None) -> Parameter:
    """The only parameter of ``source``, without its place."""
    cell = read(source, names)
    assert cell.diagnostics == ()
    (declared,) = cell.names
    assert declared.parameter is not None
    return replace(declared.parameter, cell=None, line=None)


def data(source: str, names: Names | None = None) -> Port:
    cell = read(source, names)
    assert cell.diagnostics == ()
    (declared,) = cell.names
    assert declared.port is not None
    return replace(declared.port, cell=None, line=None)


def codes(source: str) -> list[str]:
    return [diagnostic.code for diagnostic in read(source).diagnostics]


TYPING = Names(
    {
        "t": "typing",
        "Opt": "typing.Optional",
        "P": "pathlib.Path",
        "pathlib": "pathlib",
        "np": "numpy",
        "annotated_types": "annotated_types",
    },
    {"Kind": ast.parse('Literal["cnn", "mlp"]', mode="eval").body},
)


def test_a_line_as_the_manual_writes_it() -> None:
    assert parameter("epochs: int = 5  # passes over the training split [1..100]") == Parameter(
        "epochs", "integer", 5, min=1, max=100, description="passes over the training split"
    )


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x: int = 5", Parameter("x", "integer", 5)),
        ("x: float = 5", Parameter("x", "number", 5)),
        ("x: str = 'a'", Parameter("x", "string", "a")),
        ("x: bool = False", Parameter("x", "boolean", False)),
        ("x: int", Parameter("x", "integer", required=True)),
        ("x: int\nx = 5", Parameter("x", "integer", 5)),
        ("x = 5", Parameter("x", "integer", 5)),
        ("x = 5.0", Parameter("x", "number", 5.0)),
        ("x = 'a'", Parameter("x", "string", "a")),
        ("x = True", Parameter("x", "boolean", True)),
        ("x: int | None = None", Parameter("x", "integer", optional=True)),
        ("x: None | int = 3", Parameter("x", "integer", 3, optional=True)),
        ("x: Optional[int] = None", Parameter("x", "integer", optional=True)),
        ("x: Optional[int]", Parameter("x", "integer", optional=True)),
        ("x: t.Optional[int] = None", Parameter("x", "integer", optional=True)),
        ("x: Opt[int] = None", Parameter("x", "integer", optional=True)),
        ("x: Union[int, None] = None", Parameter("x", "integer", optional=True)),
        ("x: t.Union[int, float] = 1", Parameter("x", "number", 1)),
        ("x: 'int' = 5", Parameter("x", "integer", 5)),
        ("x: 'int | None' = None", Parameter("x", "integer", optional=True)),
        ("x: Optional['int'] = None", Parameter("x", "integer", optional=True)),
        ("x: Final = 5", Parameter("x", "integer", 5)),
        ("x: Final[float] = 5", Parameter("x", "number", 5)),
        ("x: t.Final[int] = 5", Parameter("x", "integer", 5)),
        ("x: Annotated[int, 'passes'] = 5", Parameter("x", "integer", 5, description="passes")),
        (
            "x: t.Annotated[int, Field(ge=1, le=9, description='d')] = 5",
            Parameter("x", "integer", 5, min=1, max=9, description="d"),
        ),
        ("x: Annotated[int, annotated_types.Ge(0)] = 5", Parameter("x", "integer", 5, min=0)),
        ("x: t.Any = 5", Parameter("x", "integer", 5)),
        ("x: np.int64 = 5", Parameter("x", "integer", 5)),
        ("x = 5  # type: int", Parameter("x", "integer", 5)),
        ("x = 5  # type: float  # the rate", Parameter("x", "number", 5, description="the rate")),
        ("x = None  # type: Optional[int]", Parameter("x", "integer", optional=True)),
        ("x = 5  # type: ignore", Parameter("x", "integer", 5)),
        ("x = 5  # noqa: E501", Parameter("x", "integer", 5)),
        ("x = 5  # passes  # noqa: E501", Parameter("x", "integer", 5, description="passes")),
        ("x = 5  # see issue #7", Parameter("x", "integer", 5, description="see issue #7")),
        ('x: Literal["a", "b"] = "a"', Parameter("x", "string", "a", choices=("a", "b"))),
        ("x: t.Literal[1, 2] = 1", Parameter("x", "integer", 1, choices=(1, 2))),
        ('x: Literal["a", None] = None', Parameter("x", "string", optional=True, choices=("a",))),
        ('x: Literal["a"] | Literal["b"] = "a"', Parameter("x", "string", "a", choices=("a", "b"))),
        ('x: Kind = "mlp"', Parameter("x", "string", "mlp", choices=("cnn", "mlp"))),
        ("x = -1", Parameter("x", "integer", -1)),
        ("x = 1_000_000", Parameter("x", "integer", 1_000_000)),
        ("x = 1e-3", Parameter("x", "number", 0.001)),
        ("x = 60 * 60", Parameter("x", "integer", 3600)),
        ("x = 2 ** 10", Parameter("x", "integer", 1024)),
        ("x = 1024 ** 2 * 4", Parameter("x", "integer", 4194304)),
        ("x = -(2 + 3)", Parameter("x", "integer", -5)),
        ("x = 1 / 4", Parameter("x", "number", 0.25)),
        ("x = 7 // 2", Parameter("x", "integer", 3)),
        ("x = 1 << 4", Parameter("x", "integer", 16)),
        ("x = int(1e6)", Parameter("x", "integer", 1_000_000)),
        ("x = 0x10", Parameter("x", "integer", 16)),
        ("x = not True", Parameter("x", "boolean", False)),
        ("x = 'a # b'  # c", Parameter("x", "string", "a # b", description="c")),
        ("x = 'a' 'b'", Parameter("x", "string", "ab")),
        ("x = 'a' + 'b'", Parameter("x", "string", "ab")),
        ("x = ('a'\n     'b')", Parameter("x", "string", "ab")),
        (r"x = r'\d+'", Parameter("x", "string", r"\d+")),
        ("x = f'plain'", Parameter("x", "string", "plain")),
        ("x = '-' * 3", Parameter("x", "string", "---")),
        ("x = \\\n    5  # passes", Parameter("x", "integer", 5, description="passes")),
        (
            "x: int = (\n    5  # passes [1..9]\n)",
            Parameter("x", "integer", 5, min=1, max=9, description="passes"),
        ),
        ("# passes\nx = 5", Parameter("x", "integer", 5, description="passes")),
        ("#| parameters\nx = 5", Parameter("x", "integer", 5)),
        ("x = 'größe'", Parameter("x", "string", "größe")),
    ],
)
def test_every_way_people_write_a_parameter(source: str, expected: Parameter) -> None:
    found = parameter(source, TYPING)
    assert found == expected
    assert type(found.default) is type(expected.default)


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("[1..100]", Parameter("x", "integer", 5, min=1, max=100)),
        (
            "passes [1..100] of them",
            Parameter("x", "integer", 5, min=1, max=100, description="passes of them"),
        ),
        ("[0..]", Parameter("x", "integer", 5, min=0)),
        ("[..10]", Parameter("x", "integer", 5, max=10)),
        ("[0..inf]", Parameter("x", "integer", 5, min=0)),
        ("[-1_000 .. 1_000]", Parameter("x", "integer", 5, min=-1000, max=1000)),
        ("(0..10)", Parameter("x", "integer", 5, min=1, max=9)),
        ("[0..10)", Parameter("x", "integer", 5, min=0, max=9)),
        ("{5, 6}", Parameter("x", "integer", 5, choices=(5, 6))),
        ("width [mm]", Parameter("x", "integer", 5, unit="mm", description="width")),
        (
            "width [0..50] [mm]",
            Parameter("x", "integer", 5, min=0, max=50, unit="mm", description="width"),
        ),
        (
            "width [%] [0..50]",
            Parameter("x", "integer", 5, min=0, max=50, unit="%", description="width"),
        ),
        ("width [optional]", Parameter("x", "integer", 5, description="width [optional]")),
        ("either [0, 1]", Parameter("x", "integer", 5, description="either [0, 1]")),
        ("files (and so on..)", Parameter("x", "integer", 5, description="files (and so on..)")),
        ("see [../data]", Parameter("x", "integer", 5, description="see [../data]")),
        ('@param {type:"integer"}', Parameter("x", "integer", 5)),
        (
            '@param {type:"slider", min:1, max:9, step:1}',
            Parameter("x", "integer", 5, min=1, max=9),
        ),
        ("@param [5, 6]", Parameter("x", "integer", 5, choices=(5, 6))),
    ],
)
def test_what_a_comment_says(comment: str, expected: Parameter) -> None:
    assert parameter(f"x = 5  # {comment}") == expected


def test_ranges_of_numbers_may_have_fractions_and_exponents() -> None:
    assert parameter("x = 0.5  # [0.0..1.0]") == Parameter("x", "number", 0.5, min=0.0, max=1.0)
    assert parameter("x = 0.5  # [1e-5..1e-0]") == Parameter("x", "number", 0.5, min=1e-5, max=1.0)
    assert parameter("x = 0.5  # [0..1]") == Parameter("x", "number", 0.5, min=0, max=1)


def test_choices_of_texts_may_be_quoted() -> None:
    expected = Parameter("x", "string", "a", choices=("a", "b c"), description="kind")
    assert parameter("x = 'a'  # kind {a, 'b c'}") == expected


def test_a_bracket_of_a_text_is_no_unit() -> None:
    assert parameter("x = 'a'  # name [mm]").description == "name [mm]"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("d: Path = Path('data/x.csv')", Port("d", "d", "uri_file", default="data/x.csv")),
        ("d = Path('data')", Port("d", "d", "uri_folder", default="data")),
        ("d = pathlib.Path('data') / 'x.csv'", Port("d", "d", "uri_file", default="data/x.csv")),
        ("d = P('data', 'raw')", Port("d", "d", "uri_folder", default="data/raw")),
        ("d: Path = 'data/x.csv'", Port("d", "d", "uri_file", default="data/x.csv")),
        ("d: Path", Port("d", "d", "uri_folder")),
        ("d: Path | None = None", Port("d", "d", "uri_folder", optional=True)),
        (
            "d: Optional[Path] = None  # more",
            Port("d", "d", "uri_folder", optional=True, description="more"),
        ),
        ("d: Path = 'v1.0/'", Port("d", "d", "uri_folder", default="v1.0/")),
        ("d: 'pathlib.Path' = Path()", Port("d", "d", "uri_folder", default=".")),
    ],
)
def test_a_path_is_data(source: str, expected: Port) -> None:
    assert data(source, TYPING) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a = b = 1", {"a": 1, "b": 1}),
        ("a, b = 1, 2", {"a": 1, "b": 2}),
        ("(a, b) = (1, 2)", {"a": 1, "b": 2}),
        ("[a, b] = 1, 2", {"a": 1, "b": 2}),
        ("a, (b, c) = 1, (2, 3)", {"a": 1, "b": 2, "c": 3}),
        ("a = 1; b = 2", {"a": 1, "b": 2}),
        ("a: int = 1; b: str = 'x'", {"a": 1, "b": "x"}),
    ],
)
def test_several_on_a_line(source: str, expected: dict[str, object]) -> None:
    cell = read(source)
    assert cell.diagnostics == ()
    assert {n.name: n.parameter and n.parameter.default for n in cell.names} == expected


def test_the_comment_of_a_line_is_for_all_its_names() -> None:
    cell = read("a = 1; b = 2  # size [1..9]")
    found = [n.parameter for n in cell.names if n.parameter]
    assert [(p.description, p.min, p.max) for p in found] == [("size", 1, 9)] * 2


def test_a_type_comment_of_several_names_is_read_one_by_one() -> None:
    cell = read("a, b = 1, 2  # type: int, float")
    assert [n.parameter and n.parameter.type for n in cell.names] == ["integer", "number"]


def test_the_heading_of_a_group_describes_nothing() -> None:
    cell = read("# training\na = 1\nb = 2\n")
    assert [n.parameter and n.parameter.description for n in cell.names] == [None, None]


def test_a_place_is_the_names_own() -> None:
    cell = read("x = 1\n  \nwidth: int = 5\n")
    assert cell.names[1].place == Place(0, 3, 1, 3, 6)
    assert cell.names[1].parameter is not None
    assert (cell.names[1].parameter.cell, cell.names[1].parameter.line) == (0, 3)


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("x = None", "NBC230"),
        ("x: None = None", "NBC230"),
        ("x: list[int] = 5", "NBC230"),
        ("x: datetime.date", "NBC230"),
        ("x: Literal['a', 1] = 1", "NBC230"),
        ("x: int | str = 1", "NBC230"),
        ("x: 'int |' = 1", "NBC230"),
        ("x = [1, 2]", "NBC231"),
        ("x: list[int] = [1, 2]", "NBC231"),
        ("x = {'a': 1}", "NBC231"),
        ("x = 1, 2", "NBC231"),
        ("x = ()", "NBC231"),
        ("x = b'a'", "NBC231"),
        ("x = 3j", "NBC231"),
        ("x = open('a')", "NBC232"),
        ("x = os.environ['A']", "NBC232"),
        ("x = f'{y}'", "NBC232"),
        ("x = 9 ** 9 ** 9", "NBC232"),
        ("x = 1 / 0", "NBC232"),
        ("x = 'a' * 10 ** 9", "NBC232"),
        ("x = int('a')", "NBC232"),
        ("x: int = 5.5", "NBC216"),
        ("x: int = True", "NBC216"),
        ("x: bool = 1", "NBC216"),
        ("x: str = 1", "NBC216"),
        ("x: str = Path('a')", "NBC216"),
        ("x: Path = 3", "NBC216"),
        ("x = float('inf')", "NBC216"),
        ("x = 5  # [6..9]", "NBC216"),
        ("x = 5  # [1..4]", "NBC216"),
        ("x = 5  # {1, 2}", "NBC216"),
        ("x: Literal['a'] = 'b'", "NBC216"),
        ("x = 5  # [9..1]", "NBC215"),
        ("x = 5  # [1..many]", "NBC215"),
        ("x = 5  # [0...9]", "NBC215"),
        ("x = 5  # [..]", "NBC215"),
        ("x = 5  # [0.5..9]", "NBC215"),
        ("x = 0.5  # (0..1]", "NBC215"),
        ("x = 'a'  # [1..9]", "NBC215"),
        ("x = 5  # {a, b}", "NBC215"),
        ("x = True  # {a, b}", "NBC215"),
        ("d: Path = Path('a')  # [1..9]", "NBC215"),
        ("x = 1\nx = 2", "NBC233"),
        ("print(1)", "NBC234"),
        ("if True:\n    x = 1", "NBC234"),
        ("def f(): pass", "NBC234"),
        ("x.y = 1", "NBC234"),
    ],
)
def test_what_is_no_parameter_is_said(source: str, code: str) -> None:
    assert codes(source) == [code]


def test_an_unpacked_value_is_computed_for_each_name() -> None:
    assert codes("a, *b = f()") == ["NBC232", "NBC232"]


def test_a_value_computed_from_a_parameter_names_it() -> None:
    (found,) = read("a = 1\nb = a * 2\n").diagnostics
    assert (found.code, found.place) == ("NBC232", Place(0, 2, 5, 2, 10))
    assert "computed from a" in found.message


def test_a_parameter_that_is_changed_in_its_cell_is_computed() -> None:
    cell = read("a = 1\na += 1\n")
    assert [d.code for d in cell.diagnostics] == ["NBC232"]
    assert cell.names == ()


def test_magics_are_no_declarations() -> None:
    text = "__ipython__(0)\nx = __ipython__(1)\n"
    magics = (
        Magic("line", "matplotlib", "inline", 1, 1, 1),
        Magic("system", "!", "ls", 2, 5, 2, assigned=True),
    )
    cell = read_parameters(
        Cell(0, "code", "%matplotlib inline\nx = !ls\n"),
        CellCode(0, text, ast.parse(text), magics),
        Names(),
    )
    assert [d.code for d in cell.diagnostics] == ["NBC234", "NBC232"]
    assert "matplotlib" in cell.diagnostics[0].message


@pytest.mark.parametrize(
    "source",
    [
        '"""The parameters."""',
        "from pathlib import Path\nimport typing as t",
        "if TYPE_CHECKING:\n    import x",
        "Kind = Literal['a', 'b']",
        "Kind: TypeAlias = Literal['a', 'b']",
        "pass",
        "",
    ],
)
def test_what_may_stand_beside_declarations(source: str) -> None:
    assert read(source) == ParametersCell(0, (), ())


def test_imports_and_aliases_of_all_cells_count(
    notebook: Callable[[list[tuple[str, str]]], TaggedNotebook],
) -> None:
    tagged = notebook(
        [
            ("", "import typing as t\nfrom pathlib import Path as P\nfrom app import Path"),
            ("", "Kind = t.Literal['a', 'b']"),
            ("parameters", "k: Kind = 'a'\nd = P('x')\ne = Path('x')"),
        ]
    )
    cell = read_parameters(tagged.notebook.cells[2], tagged.code[2], names_of_notebook(tagged))
    assert [n.name for n in cell.names] == ["k", "d"]
    assert [d.code for d in cell.diagnostics] == ["NBC232"]


# Round trip: a parameter written as a line is read back.

TEXTS = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), max_size=12)
WORDS = st.lists(
    st.text("abcdefghijklmnopqrstuvwxyz,.'", min_size=1, max_size=6), min_size=1, max_size=4
).map(" ".join)
NAMES = st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True).filter(
    lambda name: name.isidentifier() and name not in __import__("keyword").kwlist
)


@st.composite
def parameters(draw: st.DrawFn) -> Parameter:
    kind = draw(st.sampled_from(["integer", "number", "string", "boolean"]))
    values = {
        "integer": st.integers(-(10**9), 10**9),
        "number": st.floats(-1e9, 1e9),
        "string": TEXTS,
        "boolean": st.booleans(),
    }[kind]
    default = draw(values)
    low = high = None
    if kind in ("integer", "number"):
        low = draw(st.none() | st.integers(-(10**10), -(10**9)))
        high = draw(st.none() | st.integers(10**9, 10**10))
    shape = draw(st.sampled_from(["default", "required", "optional", "null"]))
    return Parameter(
        draw(NAMES),
        kind,  # type: ignore[arg-type]
        default=default if shape in ("default", "optional") else None,
        required=shape == "required",
        optional=shape in ("optional", "null"),
        min=low,
        max=high,
        description=draw(st.none() | WORDS.filter(lambda w: not w.startswith((".", ",")))),
        unit=draw(st.none() | st.sampled_from(["mm", "%", "m/s"])) if low is not None else None,
    )


def written(p: Parameter) -> str:
    word = {"integer": "int", "number": "float", "string": "str", "boolean": "bool"}[p.type]
    line = f"{p.name}: {word}{' | None' if p.optional else ''}"
    if not p.required:
        line += f" = {p.default!r}"
    parts = [p.description or ""]
    if p.min is not None or p.max is not None:
        parts.append(f"[{'' if p.min is None else p.min}..{'' if p.max is None else p.max}]")
    if p.unit:
        parts.append(f"[{p.unit}]")
    comment = " ".join(part for part in parts if part)
    return f"{line}  # {comment}" if comment else line


@settings(max_examples=300, deadline=None)
@given(parameters())
def test_a_written_parameter_is_read_back(p: Parameter) -> None:
    assert parameter(written(p)) == p


@settings(max_examples=200, deadline=None)
@given(st.text("xab=:# [](){}.,0123456789'\"\n+-*/|\\", max_size=40))
def test_any_python_is_read_without_an_error_of_ours(source: str) -> None:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return
    cell = read_parameters(Cell(0, "code", source), CellCode(0, source, tree), Names())
    assert json.dumps([n.parameter and n.parameter.default for n in cell.names])
