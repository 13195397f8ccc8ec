"""Interfaces after the analysis: what is read, wired, carried across and renamed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from nbcomponent.analysis.model import ComponentAnalysis, Crossing, Dependency, NotebookAnalysis
from nbcomponent.contract.declare import declare
from nbcomponent.contract.examine import Examination, complete, examine, format_of
from nbcomponent.contract.model import Port
from nbcomponent.contract.names import argument_names
from nbcomponent.core.diagnostics import Diagnostic, Place
from nbcomponent.notebook.model import TaggedNotebook

Notebook = Callable[[list[tuple[str, str]]], TaggedNotebook]


def component(
    name: str,
    needs: str = "",
    reads: str = "",
    binds: str = "",
    crossings: tuple[Crossing, ...] = (),
) -> ComponentAnalysis:
    """What the analysis says: names needed from outside, read at all, and bound."""
    needed = tuple(Dependency(n, "input", (), 0, 1, 1, None) for n in needs.split())
    return ComponentAnalysis(
        name,
        (),
        needed,
        (),
        crossings,
        frozenset((*needs.split(), *reads.split())),
        frozenset(binds.split()),
        (),
    )


def done(
    tagged: TaggedNotebook, *components: ComponentAnalysis
) -> tuple[Examination, list[tuple[str, str | None]]]:
    examination = complete(tagged, declare(tagged), NotebookAnalysis(components, ()))
    return examination, [(d.code, d.component) for d in examination.diagnostics]


# Which declarations a component uses


def test_an_offered_parameter_goes_to_those_that_read_it(notebook: Notebook) -> None:
    tagged = notebook(
        [("parameters", "n = 1\nd = Path('x')"), ("component:a", ""), ("component:b", "")]
    )
    found, codes = done(tagged, component("a", needs="n"), component("b", needs="d"))
    assert [p.name for p in found.interfaces["a"].parameters] == ["n"]
    assert found.interfaces["a"].inputs == ()
    assert found.interfaces["b"].parameters == ()
    assert [p.name for p in found.interfaces["b"].inputs] == ["d"]
    assert codes == []


def test_an_offered_parameter_that_nothing_reads_is_found_once(notebook: Notebook) -> None:
    tagged = notebook(
        [("parameters", "n = 1\nd = Path('x')"), ("component:a", ""), ("component:b", "")]
    )
    found, codes = done(tagged, component("a"), component("b"))
    assert codes == [("NBC240", None), ("NBC240", None)]
    assert [d.place.line for d in found.diagnostics] == [1, 2]


def test_a_parameter_that_is_overwritten_first_has_no_effect(notebook: Notebook) -> None:
    tagged = notebook([("parameters", "n = 1"), ("component:a", "n = 2\nprint(n)")])
    found, codes = done(tagged, component("a", reads="n", binds="n"))
    assert codes == [("NBC241", "a")]
    assert found.diagnostics[0].place == Place(0, 1, 1, 1, 2)
    assert found.interfaces["a"].parameters == ()


def test_a_parameter_that_is_read_before_it_is_overwritten_has_an_effect(
    notebook: Notebook,
) -> None:
    tagged = notebook([("parameters", "n = 1"), ("component:a", "n = n + 1")])
    found, codes = done(tagged, component("a", needs="n", binds="n"))
    assert codes == []
    assert len(found.interfaces["a"].parameters) == 1


def test_a_parameter_of_one_component_stays_even_when_it_is_not_read(notebook: Notebook) -> None:
    tagged = notebook([("parameters component:a", "n = 1"), ("component:a", "")])
    found, codes = done(tagged, component("a"))
    assert codes == [("NBC240", "a")]
    assert len(found.interfaces["a"].parameters) == 1


def test_an_input_that_is_not_read_is_found(notebook: Notebook) -> None:
    tagged = notebook([("contract:a", "inputs: {x: {}}"), ("component:a", "")])
    _, codes = done(tagged, component("a"))
    assert codes == [("NBC242", "a")]


@pytest.mark.parametrize(
    ("contract", "analysed", "code"),
    [
        ("{format: json}", component("a"), "NBC243"),
        ("{format: json}", component("a", binds="x"), None),
        ("{}", component("a"), "NBC243"),
        ("{}", component("a", needs="x"), None),
        ("{}", component("a", binds="x", reads="x"), "NBC226"),
    ],
)
def test_an_output_must_be_bound_or_its_path_used(
    notebook: Notebook, contract: str, analysed: ComponentAnalysis, code: str | None
) -> None:
    tagged = notebook([("contract:a", f"outputs: {{x: {contract}}}"), ("component:a", "")])
    _, codes = done(tagged, analysed)
    assert codes == ([] if code is None else [(code, "a")])


def test_an_output_path_that_the_component_sets_itself_reaches_nothing(notebook: Notebook) -> None:
    tagged = notebook([("contract:a", "outputs: {x: {}}"), ("component:a", "x = Path('out')")])
    found, codes = done(tagged, component("a", binds="x", reads="x"))
    assert codes == [("NBC241", "a")]
    assert found.diagnostics[0].severity == "error"


# Where inputs come from

TWO = [("component:a", ""), ("component:b", "")]


def wired(
    notebook: Notebook, contract_a: str, contract_b: str, *parameters: tuple[str, str]
) -> tuple[Examination, list[tuple[str, str | None]]]:
    tagged = notebook([*parameters, ("contract:a", contract_a), ("contract:b", contract_b), *TWO])
    return done(
        tagged,
        component("a", needs="out raw", binds="value"),
        component("b", needs="out raw value table"),
    )


def test_an_input_comes_from_where_it_says(notebook: Notebook) -> None:
    found, codes = wired(
        notebook, "outputs: {out: {type: uri_file}}", "inputs: {table: {from: a.out}}"
    )
    (port,) = found.interfaces["b"].inputs
    assert (port.source, port.type, port.binds_path) == ("a.out", "uri_file", True)
    assert codes == []


def test_an_input_without_a_source_comes_from_the_output_of_its_variable(
    notebook: Notebook,
) -> None:
    found, codes = wired(
        notebook, "outputs: {out: {}}", "", ("parameters", "out = Path('out')\nraw = Path('raw')")
    )
    assert [(p.name, p.source) for p in found.interfaces["b"].inputs] == [
        ("out", "a.out"),
        ("raw", None),
    ]
    assert codes == []


def test_an_input_takes_the_format_of_its_source(notebook: Notebook) -> None:
    found, codes = wired(
        notebook,
        "outputs: {value: {format: parquet}}",
        "inputs: {table: {from: a.value, columns: {x: {dtype: int64}}}}",
    )
    (port,) = found.interfaces["b"].inputs
    assert (port.type, port.format, port.binds_path, port.source) == (
        "uri_file",
        "parquet",
        False,
        "a.value",
    )
    assert codes == []


@pytest.mark.parametrize(
    ("contract_a", "contract_b", "code", "component_name"),
    [
        ("", "inputs: {table: {from: nowhere.x}}", "NBC220", "b"),
        ("", "inputs: {table: {from: a.missing}}", "NBC220", "b"),
        ("", "inputs: {table: {from: a}}", "NBC220", "b"),
        ("", "inputs: {table: {from: a.b.c}}", "NBC220", "b"),
        ("", "inputs: {table: {from: b.x}}", "NBC220", "b"),
        ("inputs: {raw: {from: b.table}}", "outputs: {table: {}}", "NBC220", "a"),
        (
            "outputs: {out: {type: uri_folder}}",
            "inputs: {table: {type: uri_file, from: a.out}}",
            "NBC220",
            "b",
        ),
        (
            "outputs: {value: {format: json}}",
            "inputs: {table: {format: parquet, from: a.value}}",
            "NBC226",
            "b",
        ),
    ],
)
def test_a_source_that_cannot_be_is_said(
    notebook: Notebook, contract_a: str, contract_b: str, code: str, component_name: str
) -> None:
    found, codes = wired(notebook, contract_a, contract_b)
    assert codes == [(code, component_name)]
    assert found.diagnostics[0].place.column > 1


def test_components_that_need_each_other_are_a_circle(notebook: Notebook) -> None:
    tagged = notebook(
        [
            ("contract:a", "{inputs: {x: {from: b.y}}, outputs: {x2: {}}}"),
            ("contract:b", "{inputs: {x2: {from: a.x2}}, outputs: {y: {}}}"),
            ("component:a", ""),
            ("component:b", ""),
            ("component:a", ""),
        ]
    )
    found, codes = done(tagged, component("a", needs="x x2"), component("b", needs="x2 y"))
    assert codes == [("NBC220", "b")]
    assert "circle" in found.diagnostics[0].message


# Data as a whole


@pytest.mark.parametrize(
    "port",
    [
        "{type: uri_folder, format: csv}",
        "{type: mltable, format: csv}",
        "{type: uri_folder, columns: {c: {}}}",
        "{type: mlflow_model, columns: {c: {}}}",
        "{type: uri_file, columns: {c: {}}}",
        "{format: json, columns: {c: {}}}",
        "{format: csv, schema: {type: object}}",
        "{format: csv, default: a.parquet}",
        "{type: uri_file, files: [a]}",
    ],
)
def test_a_format_must_fit(notebook: Notebook, port: str) -> None:
    tagged = notebook([("contract:a", f"inputs: {{x: {port}}}"), ("component:a", "")])
    _, codes = done(tagged, component("a", needs="x"))
    assert codes == [("NBC226", "a")]


@pytest.mark.parametrize(
    "port",
    [
        "{format: csv, columns: {c: {}}}",
        "{type: uri_file, default: a.parquet, columns: {c: {}}}",
        "{format: json, schema: {type: object}}",
        "{type: mltable, columns: {c: {}}}",
        "{format: csv, default: a.csv}",
    ],
)
def test_a_format_that_fits_is_silent(notebook: Notebook, port: str) -> None:
    tagged = notebook([("contract:a", f"inputs: {{x: {port}}}"), ("component:a", "")])
    assert done(tagged, component("a", needs="x"))[1] == []


# Values that cross


@pytest.mark.parametrize(
    ("value_type", "expected"),
    [
        ("pandas.DataFrame", "parquet"),
        ("numpy.ndarray", "npy"),
        ("dict", "json"),
        ("list", "json"),
        ("str", "text"),
        ("sklearn.linear_model.LogisticRegression", "joblib"),
        ("pandas.Series", "pickle"),
        ("tuple", "pickle"),
        (None, "pickle"),
    ],
)
def test_a_crossing_value_is_stored_in_a_format_that_fits(
    value_type: str | None, expected: str
) -> None:
    assert format_of(value_type) == expected


def test_a_crossing_is_an_output_there_and_an_input_here(notebook: Notebook) -> None:
    crossing = Crossing("df", "a", "b", "pandas.DataFrame")
    found, codes = done(
        notebook(TWO), component("a", binds="df"), component("b", needs="df", crossings=(crossing,))
    )
    port = Port("df", "df", "uri_file", binds_path=False, format="parquet")
    assert found.interfaces["a"].outputs == (port,)
    assert found.interfaces["b"].inputs == (replace(port, source="a.df"),)
    assert codes == []


def test_a_value_that_is_read_and_passed_on_has_two_names(notebook: Notebook) -> None:
    tagged = notebook([*TWO, ("component:c", "")])
    found, _ = done(
        tagged,
        component("a", binds="df"),
        component(
            "b", needs="df", binds="df", crossings=(Crossing("df", "a", "b", "pandas.DataFrame"),)
        ),
        component("c", needs="df", crossings=(Crossing("df", "b", "c", "pandas.DataFrame"),)),
    )
    middle = found.interfaces["b"]
    assert [(p.name, p.variable, p.source) for p in middle.inputs] == [("df_in", "df", "a.df")]
    assert [(p.name, p.variable) for p in middle.outputs] == [("df", "df")]
    assert found.interfaces["c"].inputs[0].source == "b.df"


def test_a_crossing_uses_the_output_that_the_contract_declares(notebook: Notebook) -> None:
    tagged = notebook([("contract:a", "outputs: {df: {format: csv}}"), *TWO])
    crossing = Crossing("df", "a", "b", "pandas.DataFrame")
    found, _ = done(
        tagged, component("a", binds="df"), component("b", needs="df", crossings=(crossing,))
    )
    assert [p.format for p in found.interfaces["b"].inputs] == ["csv"]
    assert len(found.interfaces["a"].outputs) == 1


def test_a_value_that_crosses_as_a_pickle_is_a_warning(notebook: Notebook) -> None:
    crossing = Crossing("m", "a", "b", None)
    found, codes = done(
        notebook(TWO), component("a", binds="m"), component("b", needs="m", crossings=(crossing,))
    )
    assert codes == [("NBC244", "b")]
    assert found.diagnostics[0].severity == "warning"


# Names of arguments


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["a", "b"], ["a", "b"]),
        (["Y", "y"], ["Y", "y_2"]),
        (["path"], ["path_"]),
        (["Home", "home_"], ["Home_2", "home_"]),
        (["help"], ["help_"]),
        (["größe", "groesse"], ["groesse_2", "groesse"]),
        (["α", "Δx"], ["alpha", "deltax"]),
        (["数"], ["u6570"]),
        (["_x"], ["_x"]),
    ],
)
def test_names_that_azure_refuses_give_way(names: list[str], expected: list[str]) -> None:
    assert argument_names(names) == expected


def test_a_renamed_argument_is_listed(notebook: Notebook) -> None:
    tagged = notebook(
        [
            ("parameters", "path = 'a'\nY = 1\ny = 2"),
            (
                "contract:a",
                "{outputs: {home: {format: json}}, checkpoint: {output: home}, smoke: {parameters: {path: b}}}",
            ),
            ("component:a", ""),
        ]
    )
    found, codes = done(tagged, component("a", needs="path Y y", binds="home"))
    interface = found.interfaces["a"]
    assert interface.renamed == {"path": "path_", "y": "y_2", "home": "home_"}
    assert interface.argument("path") == "path_"
    assert [p.name for p in interface.outputs] == ["home_"]
    assert interface.checkpoint == {"output": "home_"}
    assert interface.smoke == {"parameters": {"path_": "b"}}
    assert codes == [("NBC223", "a")] * 3
    assert {d.severity for d in found.diagnostics} == {"note"}


# All together


def test_findings_of_tags_contracts_and_analysis_stand_in_reading_order(notebook: Notebook) -> None:
    tagged = replace(
        notebook([("contract:a", "bogus: 1"), ("component:a", "x")]),
        diagnostics=(Diagnostic("NBC201", "error", "tag", Place(1, 1, 1, 1, 1)),),
    )
    analysed = replace(
        component("a"), diagnostics=(Diagnostic("NBC102", "error", "x", Place(1, 1, 1, 1, 2), "x"),)
    )
    found, _ = done(tagged, analysed)
    assert [d.code for d in found.diagnostics] == ["NBC212", "NBC102", "NBC201"]


def test_a_notebook_is_examined_from_end_to_end(notebook: Notebook) -> None:
    tagged = notebook(
        [
            (
                "parameters",
                "from pathlib import Path\nepochs: int = 5  # passes [1..100]\nout = Path('out')",
            ),
            ("contract:train", "outputs: {out: {}}"),
            ("component:train", "out.mkdir()\n(out / 'n').write_text(str(epochs))"),
            ("component:evaluate", "print((out / 'n').read_text())"),
        ]
    )
    found = examine(tagged)
    assert found.diagnostics == ()
    assert [p.name for p in found.interfaces["train"].parameters] == ["epochs"]
    assert [p.name for p in found.interfaces["train"].outputs] == ["out"]
    assert [(p.name, p.source) for p in found.interfaces["evaluate"].inputs] == [
        ("out", "train.out")
    ]
    assert found.interfaces["evaluate"].parameters == ()


# One mistake, one finding


def examined(notebook: Notebook, *cells: tuple[str, str]) -> list[tuple[str, str | None]]:
    return [
        (d.code, d.fix.title if d.fix else None) for d in examine(notebook(list(cells))).diagnostics
    ]


@pytest.mark.parametrize(
    "declaration",
    [
        ("contract:train", "parameters:\n  epoch: {type: integer, default: 3}"),
        ("contract:train", "inputs:\n  epoch: {type: uri_folder}"),
        ("parameters", "import math\nepoch: int = 3"),
        ("parameters component:train", "import math\nepoch: int = 3"),
    ],
)
def test_a_misspelt_declaration_is_found_once_where_its_name_is_missing(
    notebook: Notebook, declaration: tuple[str, str]
) -> None:
    found = examined(notebook, declaration, ("component:train", "print(epochs)"))
    title = "write `epochs` in cell 0, line 2, which declares `epoch`, or `epoch` here"
    assert found == [("NBC102", title)]


def test_a_declaration_like_no_missing_name_is_found_as_before(notebook: Notebook) -> None:
    found = examined(
        notebook, ("parameters", "rate: int = 3"), ("component:train", "print(epochs)")
    )
    assert [code for code, _ in found] == ["NBC240", "NBC102"]


def test_an_output_that_is_misspelt_names_what_is_meant(notebook: Notebook) -> None:
    tagged = notebook(
        [("contract:train", "outputs: {modle: {format: json}}"), ("component:train", "model = 1")]
    )
    (finding,) = examine(tagged).diagnostics
    assert (finding.code, finding.message) == (
        "NBC243",
        "train never gives the output modle a value; did you mean model?",
    )


@pytest.mark.parametrize(
    ("contract", "code", "says"),
    [
        ("paramters: {x: {type: integer, default: 3}}", "NBC212", "'parameters'"),
        ("imputs: {x: {type: uri_folder}}", "NBC212", "'inputs'"),
        ("parameters: {x: {tpye: integer}}", "NBC212", "'type'"),
        ("parameters: {x: {defualt: 3}}", "NBC212", "'default'"),
        ("parameters: {x: {default: [3]}}", "NBC213", "a list"),
        ("parameters: {x: {type: intger}}", "NBC214", "'integer'"),
        ("inputs: {x: {form: other.y}}\ncomponent: train", "NBC212", "'from'"),
        ("inputs: {x: {fromat: 3}}", "NBC212", "'format'"),
        ("inputs: {x: {typ: uri_file, columns: {a: {}}, format: csv}}", "NBC212", "'type'"),
        ("inputs: {x: {format: cvs, columns: {a: {}}}}", "NBC214", "'csv'"),
        ("inputs: {x: {format: sqlite, columns: {a: {}}}}", "NBC214", "sqlite"),
        ("inputs: {x: {}}\noutputs: {y: {fromat: npy}}", "NBC212", "'format'"),
        ("inputs: {x: {}}\noutputs: {y: {format: sqlite}}", "NBC214", "sqlite"),
        ("inputs: {x: {}}\ndistribution: {typ: pytorch}", "NBC212", "'type'"),
        ("inputs: {x: {}}\ncompnent: train", "NBC212", "'component'"),
        ("parameters: {x: {type: number, minimum: 9, max: 10, default: 9.5}}", "NBC212", "'min'"),
    ],
)
def test_a_slip_in_a_contract_is_one_finding(
    notebook: Notebook, contract: str, code: str, says: str
) -> None:
    tagged = notebook(
        [
            ("component:other", "y = 1"),
            ("contract:other", "outputs: {y: {format: json}}"),
            ("contract:train", contract),
            ("component:train", "print(x)\ny = x"),
        ]
    )
    (finding,) = examine(tagged).diagnostics
    assert finding.code == code
    assert says in finding.message


def test_what_is_read_in_place_of_a_misspelt_key_has_its_place(notebook: Notebook) -> None:
    tagged = notebook(
        [
            ("contract:train", "paramters:\n  x: {type: integer, minimum: 9, max: 1.5}\n"),
            ("component:train", "print(x)"),
        ]
    )
    found = [(d.code, d.place.line, d.place.column) for d in examine(tagged).diagnostics]
    assert found == [("NBC212", 1, 1), ("NBC212", 2, 22), ("NBC215", 2, 39)]
