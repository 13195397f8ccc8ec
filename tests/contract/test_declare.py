"""Parameters cells, contract cells and scripts merged into what each component declares."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from nbcomponent.analysis.model import Declared
from nbcomponent.contract.declare import Declarations, declare
from nbcomponent.contract.model import Interface, Parameter, Port
from nbcomponent.core.diagnostics import Place
from nbcomponent.notebook.model import TaggedNotebook

Notebook = Callable[[list[tuple[str, str]]], TaggedNotebook]
CODE = ("component:train", "print(epochs)")


@pytest.fixture
def declared(notebook: Notebook) -> Callable[..., Declarations]:
    """Declarations of a notebook whose last cell is that of the component ``train``."""
    return lambda *cells: declare(notebook([*cells, CODE]))


def codes(declarations: Declarations) -> list[str]:
    return [diagnostic.code for diagnostic in declarations.diagnostics]


def test_a_component_without_declarations_has_an_empty_interface(
    declared: Callable[..., Declarations],
) -> None:
    assert declared().interfaces == {"train": Interface("train")}
    assert declared().declared == {"train": Declared()}


def test_a_parameters_cell_alone_is_offered_to_every_component(notebook: Notebook) -> None:
    found = declare(
        notebook(
            [
                ("parameters", "n: int = 1"),
                ("component:a", "n"),
                ("component:b", "n"),
                ("contract:b", "parameters: {n: {max: 5}}"),
            ]
        )
    )
    assert found.interfaces["a"].parameters == (Parameter("n", "integer", 1, cell=0, line=1),)
    assert found.offered == {"a": {"n"}, "b": frozenset()}
    assert found.diagnostics == ()


def test_a_parameters_cell_of_a_component_is_for_that_one(notebook: Notebook) -> None:
    found = declare(
        notebook([("parameters component:a", "n = 1"), ("component:a", "n"), ("component:b", "n")])
    )
    assert [len(i.parameters) for i in found.interfaces.values()] == [1, 0]
    assert found.offered["a"] == frozenset()


def test_a_contract_completes_a_line(declared: Callable[..., Declarations]) -> None:
    found = declared(
        ("parameters", "epochs = 5  # passes [1..]"),
        (
            "contract:train",
            "parameters: {epochs: {max: 100, unit: pass, meaning: passes over all}}",
        ),
    )
    assert found.diagnostics == ()
    assert found.interfaces["train"].parameters == (
        Parameter(
            "epochs",
            "integer",
            5,
            min=1,
            max=100,
            description="passes over all",
            unit="pass",
            cell=0,
            line=1,
        ),
    )


@pytest.mark.parametrize(
    ("line", "contract", "expected"),
    [
        ("x = 1", "{type: number}", Parameter("x", "number", 1)),
        ("x: int", "{default: 5}", Parameter("x", "integer", 5)),
        ("x: float = 1", "{default: 1.0}", Parameter("x", "number", 1.0)),
        ("x: str = 'a'", "{choices: [a, b]}", Parameter("x", "string", "a", choices=("a", "b"))),
        ("x: int | None = None", "{optional: true}", Parameter("x", "integer", optional=True)),
        ("x: int", "{required: true}", Parameter("x", "integer", required=True)),
    ],
)
def test_what_a_contract_may_add(
    declared: Callable[..., Declarations], line: str, contract: str, expected: Parameter
) -> None:
    found = declared(("parameters", line), ("contract:train", f"parameters: {{x: {contract}}}"))
    assert found.diagnostics == ()
    (parameter,) = found.interfaces["train"].parameters
    assert (parameter.type, parameter.default, parameter.choices) == (
        expected.type,
        expected.default,
        expected.choices,
    )
    assert (parameter.required, parameter.optional) == (expected.required, expected.optional)


@pytest.mark.parametrize(
    ("line", "contract", "code"),
    [
        ("x: int = 1", "parameters: {x: {type: number}}", "NBC217"),
        ("x = 1", "parameters: {x: {default: 2}}", "NBC217"),
        ("x = 1", "parameters: {x: {default: true, type: boolean}}", "NBC217"),
        ("x = 1  # [0..5]", "parameters: {x: {max: 6}}", "NBC217"),
        ("x: Literal['a'] = 'a'", "parameters: {x: {choices: [a, b]}}", "NBC217"),
        ("x: int | None = None", "parameters: {x: {default: 1}}", "NBC217"),
        ("x: int = 1", "parameters: {x: {optional: true}}", "NBC217"),
        ("x = 1", "inputs: {x: {}}", "NBC217"),
        ("x = 'data'", "inputs: {x: {type: uri_folder}}", "NBC217"),
        ("x = 'data'", "outputs: {x: {}}", "NBC217"),
        ("x = Path('a')", "parameters: {x: {type: string}}", "NBC217"),
        ("x = Path('a')", "inputs: {x: {default: b}}", "NBC217"),
        ("x = 1", "parameters: {x: {min: 9, max: 0}}", "NBC215"),
        ("y = 1", "parameters: {x: {type: integer, default: 5, max: 1}}", "NBC216"),
        ("y = 1", "parameters: {x: {type: integer, default: 5.5}}", "NBC216"),
        ("y = 1", "parameters: {x: {type: string, min: 1}}", "NBC215"),
        ("y = 1", "parameters: {x: {type: boolean, choices: [a]}}", "NBC215"),
        ("y = 1", "parameters: {x: {meaning: a}}", "NBC230"),
        ("y = 1", "{inputs: {x: {}}, outputs: {x: {}}}", "NBC221"),
        ("y = 1", "{inputs: {x: {}}, parameters: {x: {type: string}}}", "NBC221"),
        ("y = 1", "checkpoint: {output: model}", "NBC229"),
        ("y = 1", "smoke: {inputs: {a: b}}", "NBC229"),
        ("y = 1", "smoke: {parameters: {a: 1}}", "NBC229"),
        ("y = 1  # [0..5]", "smoke: {parameters: {y: 9}}", "NBC216"),
        ("y = 1", "smoke: {parameters: {y: '1'}}", "NBC216"),
        ("y = 1", "component: other", "NBC217"),
    ],
)
def test_contradictions_are_said(
    declared: Callable[..., Declarations], line: str, contract: str, code: str
) -> None:
    found = declared(("parameters", line), ("contract:train", contract))
    assert codes(found) == [code]
    (diagnostic,) = found.diagnostics
    assert (diagnostic.severity, diagnostic.component) == ("error", "train")
    assert diagnostic.place.cell == 1


@pytest.mark.parametrize("rule", ["min: 2", "choices: [2, 3]"])
def test_a_default_that_the_contract_excludes_is_told_where_it_is_written(
    declared: Callable[..., Declarations], rule: str
) -> None:
    found = declared(("parameters", "x = 1"), ("contract:train", f"parameters: {{x: {{{rule}}}}}"))
    assert codes(found) == ["NBC216"]
    assert found.diagnostics[0].place == Place(0, 1, 5, 1, 6)


def test_a_contradiction_stands_at_the_contract_s_value(
    declared: Callable[..., Declarations],
) -> None:
    found = declared(
        ("parameters", "x = 1"), ("contract:train", "parameters:\n  x:\n    default: 2\n")
    )
    assert found.diagnostics[0].place == Place(1, 3, 14, 3, 15)
    assert "says default 2 for x, but the parameters cell says 1" in found.diagnostics[0].message


def test_data_of_a_line_is_an_input_or_as_the_contract_says_an_output(
    declared: Callable[..., Declarations],
) -> None:
    found = declared(
        ("parameters", "raw: Path = Path('raw.csv')  # as delivered\nmodel_dir = Path('out')"),
        (
            "contract:train",
            "{inputs: {raw: {format: csv}}, outputs: {model_dir: {files: [a.npz]}}}",
        ),
    )
    assert found.diagnostics == ()
    interface = found.interfaces["train"]
    assert interface.inputs == (
        Port(
            "raw",
            "raw",
            "uri_file",
            format="csv",
            default="raw.csv",
            description="as delivered",
            cell=0,
            line=1,
        ),
    )
    assert interface.outputs == (
        Port(
            "model_dir", "model_dir", "uri_folder", default="out", files=("a.npz",), cell=0, line=2
        ),
    )


def test_what_the_analysis_is_told(declared: Callable[..., Declarations]) -> None:
    found = declared(
        ("parameters", "n = 1\nraw = Path('raw.csv')\nout = Path('out')"),
        (
            "contract:train",
            "{outputs: {out: {}, score: {format: json}}, inputs: {t: {format: parquet}}, "
            "environment_variables: {A: x}, include: [helpers/]}",
        ),
    )
    assert found.declared["train"] == Declared(
        parameters=frozenset({"n"}),
        inputs=frozenset({"raw", "out", "t"}),
        outputs=frozenset({"score"}),
        environment_variables=frozenset({"A"}),
        paths=frozenset({"raw.csv", "out", "helpers/"}),
    )


def test_a_variable_that_holds_a_path_receives_the_path(
    declared: Callable[..., Declarations],
) -> None:
    found = declared(
        ("", "root = Path('data')\nlabels = root / 'labels.parquet'"),
        ("contract:train", "inputs: {labels: {format: parquet}, table: {format: parquet}}"),
    )
    assert [(p.name, p.binds_path) for p in found.interfaces["train"].inputs] == [
        ("labels", True),
        ("table", False),
    ]


@pytest.mark.parametrize(
    ("cells", "code", "cell"),
    [
        ([("contract:train", ""), ("contract:train", "")], "NBC218", 1),
        ([("contract:train", ""), ("contract", "component: train")], "NBC218", 1),
        ([("contract:other", "")], "NBC219", 0),
        ([("contract", "component: other")], "NBC219", 0),
        ([("contract", "a: [")], "NBC210", 0),
        ([("parameters", "n = 1"), ("parameters", "n = 2")], "NBC233", 1),
        ([("parameters", "n = 1"), ("parameters component:train", "n = 2")], "NBC233", 1),
    ],
)
def test_one_place_for_each_thing(
    declared: Callable[..., Declarations], cells: list[tuple[str, str]], code: str, cell: int
) -> None:
    found = declared(*cells)
    assert [(d.code, d.place.cell) for d in found.diagnostics] == [(code, cell)]


def test_the_same_declaration_twice_is_fine(declared: Callable[..., Declarations]) -> None:
    assert declared(("parameters", "n = 1"), ("parameters", "n = 1")).diagnostics == ()


def test_parameters_of_different_components_do_not_meet(notebook: Notebook) -> None:
    found = declare(
        notebook(
            [
                ("parameters component:a", "n = 1"),
                ("component:a", "n"),
                ("parameters component:b", "n = 2"),
                ("component:b", "n"),
            ]
        )
    )
    assert found.diagnostics == ()
    assert [i.parameters[0].default for i in found.interfaces.values()] == [1, 2]


def test_a_contract_without_a_name_is_that_of_the_only_component(
    declared: Callable[..., Declarations], notebook: Notebook
) -> None:
    assert declared(("contract", "version: '1'")).interfaces["train"].version == "1"
    two = declare(
        notebook([("contract", "version: '1'"), ("component:a", ""), ("component:b", "")])
    )
    assert codes(two) == ["NBC219"]


SCRIPT = """%%writefile src/train.py
import argparse
from pathlib import Path
p = argparse.ArgumentParser()
p.add_argument("--max-epochs", type=int, default=5)
p.add_argument("--prepared", type=Path, required=True)
p.add_argument("--model")
args = p.parse_args()
"""


def test_a_script_s_arguments_are_its_interface(notebook: Notebook) -> None:
    found = declare(
        notebook(
            [
                ("parameters", "n = 1"),
                (
                    "contract:train",
                    "{outputs: {model: {type: uri_folder}}, parameters: {max_epochs: {max: 9}}}",
                ),
                ("component:train", SCRIPT),
            ]
        )
    )
    assert found.diagnostics == ()
    interface = found.interfaces["train"]
    assert interface.parameters == (Parameter("max_epochs", "integer", 5, max=9, cell=2, line=5),)
    assert interface.inputs == (Port("prepared", "prepared", "uri_folder", cell=2, line=6),)
    assert interface.outputs == (Port("model", "model", "uri_folder", cell=2, line=7),)
    assert found.scripts["train"].options == {
        "max_epochs": "--max-epochs",
        "prepared": "--prepared",
        "model": "--model",
    }


def test_what_a_script_leaves_open_is_a_note(notebook: Notebook) -> None:
    lines = 'p.add_argument("--data_dir")\np.add_argument("--output_dir", type=Path)\n'
    found = declare(
        notebook([("component:train", SCRIPT.replace('p.add_argument("--model")\n', lines))])
    )
    assert [(d.code, d.severity, d.place.line) for d in found.diagnostics] == [
        ("NBC252", "note", 7),
        ("NBC252", "note", 8),
    ]


def test_a_contract_cannot_list_what_the_script_does_not_take(notebook: Notebook) -> None:
    found = declare(
        notebook([("contract:train", "inputs: {labels: {}}"), ("component:train", SCRIPT)])
    )
    assert codes(found) == ["NBC253"]


def test_a_contract_may_give_a_script_s_argument_a_default(notebook: Notebook) -> None:
    found = declare(
        notebook(
            [("contract:train", "parameters: {model: {default: cnn}}"), ("component:train", SCRIPT)]
        )
    )
    assert found.diagnostics == ()
    assert found.interfaces["train"].parameters[1] == Parameter(
        "model", "string", "cnn", cell=1, line=7
    )
