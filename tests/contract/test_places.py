"""Each finding of contracts and parameters marks exactly what is wrong, and nothing else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from nbcomponent.contract.examine import examine
from nbcomponent.core.diagnostics import Diagnostic
from nbcomponent.notebook.model import TaggedNotebook

Notebook = Callable[[list[tuple[str, str]]], TaggedNotebook]


def marked(notebook: TaggedNotebook, diagnostic: Diagnostic) -> str:
    """The text that a finding points at, which stands on one line."""
    place = diagnostic.place
    assert place.cell is not None
    assert place.line == place.end_line
    line = notebook.notebook.cells[place.cell].source.split("\n")[place.line - 1]
    return line[place.column - 1 : place.end_column - 1]


def found(notebook: TaggedNotebook) -> list[tuple[str, str]]:
    return [(d.code, marked(notebook, d)) for d in examine(notebook).diagnostics]


@pytest.mark.parametrize(
    ("line", "code", "text"),
    [
        ("x: int = 5  # passes, in all [10..1]", "NBC215", "10"),
        ("x: int = 5  # passes [ 0.5 .. 9 ] a day", "NBC215", "0.5"),
        ("x: int = 5  # passes [1..9.5]", "NBC215", "9.5"),
        ("x: str = 'a'  # name [1..]", "NBC215", "1"),
        ("x: str = 'a'  # name [..9]", "NBC215", "9"),
        ("x: float = 0.5  # share (0..1]", "NBC215", "(0..1]"),
        ("x: int = 5  # passes [1..many]", "NBC215", "[1..many]"),
        ("x: int = 5  # kinds {5, b}", "NBC215", "{5, b}"),
        ("x: int = 5  # kinds {5, 6, 5}", "NBC215", "5"),
        ("x: int = 5  # [1..5] kinds {5, 6}.", "NBC215", "6"),
        ("x: bool = True  # kinds {a, b}", "NBC215", "{a, b}"),
        ("x: Path = Path('a')  # where [1..9]", "NBC215", "[1..9]"),
        ("x: Path = Path('a')  # where {a, b}", "NBC215", "{a, b}"),
        ("x: Annotated[int, Ge(9), Le(1)] = 5", "NBC215", "Annotated[int, Ge(9), Le(1)]"),
        (
            'x = 5  #@param {type:"integer", min:9, max:1}',
            "NBC215",
            '#@param {type:"integer", min:9, max:1}',
        ),
        ("x = 5  # ü \U0001d465 [9..1]", "NBC215", "9"),
        ("x: int = 50  # passes [1..10]", "NBC216", "50"),
        ("x: int = 5.5", "NBC216", "5.5"),
        ("x: Literal['a'] = 'b'", "NBC216", "'b'"),
        ("x: Path = 3", "NBC216", "3"),
        ("x: str = Path('a')", "NBC216", "Path('a')"),
        ("x, y = 50, 1  # [1..10]", "NBC216", "50"),
        ("x: int | str = 1", "NBC230", "int | str"),
        ("x = 1  # type: complex", "NBC230", "complex"),
        ("x = None", "NBC230", "x"),
        ("x = [1, 2]", "NBC231", "[1, 2]"),
        ("x: list[int] = [1, 2]", "NBC231", "[1, 2]"),
        ("x = open('a')", "NBC232", "open('a')"),
        ("print(1)", "NBC234", "print(1)"),
    ],
)
def test_parameters(notebook: Notebook, line: str, code: str, text: str) -> None:
    built = notebook([("parameters", line), ("component:train", "print(x, y)")])
    assert (code, text) in found(built)
    assert {c for c, _ in found(built) if c.startswith("NBC2")} == {code}


def test_the_comment_above_a_parameter(notebook: Notebook) -> None:
    built = notebook(
        [("parameters", "# passes\n# [10..1] a day\nx: int = 5"), ("component:train", "print(x)")]
    )
    (finding,) = examine(built).diagnostics
    assert (finding.code, finding.place.line, marked(built, finding)) == ("NBC215", 2, "10")


@pytest.mark.parametrize(
    ("rules", "code", "text"),
    [
        ("{min: 9, max: 1}", "NBC215", "9"),
        ("{type: integer, min: 1, max: 2.5}", "NBC215", "2.5"),
        ("{type: string, max: 7}", "NBC215", "7"),
        ("{type: boolean, choices: [a]}", "NBC215", "[a]"),
        ("{type: integer, choices: [1, 2, 8], max: 5}", "NBC215", "8"),
        ("{type: string, choices: [a, b, a]}", "NBC215", "a"),
        ("{type: integer, default: 17, max: 5}", "NBC216", "17"),
        ("{type: integer, default: 17, choices: [5]}", "NBC216", "17"),
        ("{type: int}", "NBC214", "int"),
        ("{type: integer, defualt: 3}", "NBC212", "defualt"),
        ("{type: integer, min: low}", "NBC213", "low"),
        ("{type: integer, min: {a: 1}}", "NBC213", "{a: 1}"),
        ("{meaning: a}", "NBC230", "x"),
    ],
)
def test_parameters_of_a_contract(notebook: Notebook, rules: str, code: str, text: str) -> None:
    built = notebook(
        [("contract:train", f"parameters:\n  x: {rules}\n"), ("component:train", "print(x)")]
    )
    assert found(built) == [(code, text)]


@pytest.mark.parametrize(
    ("rules", "code", "line", "text"),
    [
        (["min: 9", "max: 1"], "NBC215", 3, "9"),
        (["type: integer", "choices:", "- 1", "- b"], "NBC215", 4, "choices"),
        (["type: integer", "choices:", "- 1", "- 8", "max: 5"], "NBC215", 6, "8"),
        (["type: integer", "min:", "  a: 1", "  b: 2"], "NBC213", 4, "min"),
        (["meaning: a"], "NBC230", 2, "x"),
    ],
)
def test_parameters_of_a_contract_in_block_style(
    notebook: Notebook, rules: list[str], code: str, line: int, text: str
) -> None:
    contract = "parameters:\n  x:\n" + "".join(f"    {rule}\n" for rule in rules)
    built = notebook([("contract:train", contract), ("component:train", "print(x)")])
    assert found(built) == [(code, text)]
    assert examine(built).diagnostics[0].place.line == line


@pytest.mark.parametrize(
    ("contract", "code", "text"),
    [
        ("inputs: {x: {columns: {c: {dtype: int}}, format: csv}}", "NBC224", "int"),
        ("inputs: {x: {columns: {c: {dtype: string, max: 1}}, format: csv}}", "NBC224", "1"),
        ("inputs: {x: {columns: {c: {min: 2, max: 1}}, format: csv}}", "NBC224", "2"),
        (
            "inputs: {x: {columns: {c: {dtype: int64, allowed: [1, a]}}, format: csv}}",
            "NBC224",
            "a",
        ),
        ("inputs: {x: {columns: {c: {allowed: [1, 77], max: 5}}, format: csv}}", "NBC224", "77"),
        ("inputs: {x: {files: [a, ../b]}}", "NBC225", "../b"),
        ("inputs: {x: {type: uri_folder, format: csv}}", "NBC226", "uri_folder"),
        ("inputs:\n  x:\n    columns:\n      c: {}\n      d: {}", "NBC226", "columns"),
        ("inputs: {x: {from: other.y}}", "NBC220", "other.y"),
        ("inputs: {x: {}}\noutputs: {y: {}}", "NBC243", "y"),
        ("inputs: {x: {}, unread: {}}", "NBC242", "unread"),
        ("parameters: {unread: {type: string}}\ninputs: {x: {}}", "NBC240", "unread"),
        ("checkpoint: {output: model}\ninputs: {x: {}}", "NBC229", "model"),
        ("smoke: {parameters: {a: 1}}\ninputs: {x: {}}", "NBC229", "a"),
        ("smoke: {parameters: {x: low}}\nparameters: {x: {type: integer}}", "NBC216", "low"),
        ("component: other\ninputs: {x: {}}", "NBC217", "other"),
        ("version: 1.10\ninputs: {x: {}}", "NBC228", "1.10"),
        ("compute: {min_nodes: 3, max_nodes: 2}\ninputs: {x: {}}", "NBC215", "3"),
        ("distribution: {type: horovod}\ninputs: {x: {}}", "NBC227", "horovod"),
        ("inputs: {x: {}}\ninvalid_when:\n  a: b\n  c: d\n", "NBC213", "invalid_when"),
    ],
)
def test_contracts(notebook: Notebook, contract: str, code: str, text: str) -> None:
    built = notebook([("contract:train", contract), ("component:train", "print(x)")])
    assert found(built) == [(code, text)]


@pytest.mark.parametrize(
    ("line", "contract", "code", "text"),
    [
        ("x: int = 5", "parameters: {x: {max: 3}}", "NBC216", "5"),
        ("x: int = 5", "parameters: {x: {max: 3.5}}", "NBC215", "3.5"),
        ("x: int = 5  # [9..]", "parameters: {x: {default: 5}}", "NBC216", "5"),
        ("x: int = 5  # [1..9]", "parameters: {x: {max: 8}}", "NBC217", "8"),
        ("x: int = 5", "parameters: {x: {type: number}}", "NBC217", "number"),
        ("x: int = 5", "inputs: {x: {}}", "NBC217", "x"),
    ],
)
def test_a_line_and_a_contract(
    notebook: Notebook, line: str, contract: str, code: str, text: str
) -> None:
    built = notebook(
        [("parameters", line), ("contract:train", contract), ("component:train", "print(x)")]
    )
    assert (code, text) in found(built)


@pytest.mark.parametrize(
    ("argument", "contract", "code", "text"),
    [
        ("type=int, default=7", "parameters: {x: {max: 5}}", "NBC216", "7"),
        ("type=int, choices=[1, 2]", "parameters: {x: {max: 1}}", "NBC215", "[1, 2]"),
        ("type=bool", "", "NBC250", "bool"),
        ("type=int, default=f()", "", "NBC251", "f()"),
    ],
)
def test_arguments_of_a_script(
    notebook: Notebook, argument: str, contract: str, code: str, text: str
) -> None:
    script = f"%%writefile train.py\nimport argparse\np = argparse.ArgumentParser()\np.add_argument('--x', {argument})\n"
    built = notebook([("component:train", script), ("contract:train", contract or "{}")])
    assert found(built) == [(code, text)]
