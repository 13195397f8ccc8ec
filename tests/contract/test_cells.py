"""Contract cells: every key is read exactly, and what is wrong is said at its place."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nbcomponent.contract.cells import (
    Contract,
    read_contract_cell,
    read_contract_text,
    yaml_of_cell,
)
from nbcomponent.contract.model import Column, Environment, Interface, Metric, Parameter, Port
from nbcomponent.core.diagnostics import Place
from nbcomponent.notebook.model import Cell

FULL = """\
component: train
version: "1.2.0"
inputs:
  prepared: {type: uri_folder, from: prepare.prepared, meaning: "images", files: [manifest.csv, images/]}
  labels:   {type: uri_file, format: parquet, columns: {label: {dtype: int64, allowed: [0, 1], nullable: false}, id: {unique: true}, width: {dtype: float64, unit: mm, min: 0}}}
parameters:
  epochs: {type: integer, min: 1, max: 100, default: 5, meaning: passes over the training split}
  kind:   {type: string, choices: [cnn, mlp], default: cnn}
outputs:
  model: {type: uri_folder, meaning: "weights", files: [weights.npz]}
metrics:
  val_accuracy: {scope: global, goal: maximize}
invalid_when: ["a split id appears twice in the manifest"]
deterministic: true
environment: {image: "img:1", conda: environment/conda.yml}
environment_variables: {TOKENIZERS_PARALLELISM: "false"}
include: [helpers/]
compute: {target: gpu-cluster, instance_type: Standard_NC24ads_A100_v4, tier: low_priority, min_nodes: 0}
distribution: {type: pytorch, nodes: 2, processes_per_node: 2}
checkpoint: {output: model, every: 30m}
smoke: {inputs: {prepared: smoke/prepared}, parameters: {epochs: 1}}
"""


def read(text: str) -> Contract:
    return read_contract_text(text, 3)


def codes(text: str) -> list[str]:
    return [diagnostic.code for diagnostic in read(text).diagnostics]


def test_the_whole_contract_of_the_manual_is_read() -> None:
    contract = read(FULL)
    assert contract.diagnostics == ()
    assert contract.interface == Interface(
        component="train",
        version="1.2.0",
        parameters=(
            Parameter(
                "epochs",
                "integer",
                5,
                min=1,
                max=100,
                description="passes over the training split",
                cell=3,
                line=7,
            ),
            Parameter("kind", "string", "cnn", choices=("cnn", "mlp"), cell=3, line=8),
        ),
        inputs=(
            Port(
                "prepared",
                "prepared",
                "uri_folder",
                source="prepare.prepared",
                description="images",
                files=("manifest.csv", "images/"),
                cell=3,
                line=4,
            ),
            Port(
                "labels",
                "labels",
                "uri_file",
                binds_path=False,
                format="parquet",
                columns=(
                    Column("label", "int64", (0, 1), nullable=False),
                    Column("id", unique=True),
                    Column("width", "float64", unit="mm", min=0),
                ),
                cell=3,
                line=5,
            ),
        ),
        outputs=(
            Port(
                "model",
                "model",
                "uri_folder",
                description="weights",
                files=("weights.npz",),
                cell=3,
                line=10,
            ),
        ),
        metrics=(Metric("val_accuracy", "global", "maximize"),),
        invalid_when=("a split id appears twice in the manifest",),
        deterministic=True,
        environment=Environment("img:1", "environment/conda.yml"),
        environment_variables={"TOKENIZERS_PARALLELISM": "false"},
        include=("helpers/",),
        compute={
            "target": "gpu-cluster",
            "instance_type": "Standard_NC24ads_A100_v4",
            "tier": "low_priority",
            "min_nodes": 0,
        },
        distribution={"type": "pytorch", "nodes": 2, "processes_per_node": 2},
        checkpoint={"output": "model", "every": "30m"},
        smoke={"inputs": {"prepared": "smoke/prepared"}, "parameters": {"epochs": 1}},
    )


def test_all_keys_are_optional() -> None:
    for text in (
        "",
        "component: train",
        "inputs:",
        "inputs: {a: }",
        "metrics: {m: }",
        "parameters: {}",
    ):
        assert codes(text) == []


@pytest.mark.parametrize(
    ("text", "code", "line", "column", "says"),
    [
        ("a: [1", "NBC210", 1, 6, "not readable"),
        ("a: !!python/name:os.system x", "NBC210", 1, 4, "tag"),
        ("component: a\ncomponent: b", "NBC211", 2, 1, "twice"),
        ("1: a", "NBC213", 1, 1, "not text"),
        ("inputz: {}", "NBC212", 1, 1, "did you mean 'inputs'"),
        ("inputs: {a: {description: x}}", "NBC212", 1, 14, "did you mean 'meaning'"),
        ("parameters: {a: {type: string, enum: [x]}}", "NBC212", 1, 32, "did you mean 'choices'"),
        ("wholly_unknown: 1", "NBC212", 1, 1, "known are"),
        ("compute: {targt: x}", "NBC212", 1, 11, "did you mean 'target'"),
        ("outputs: {a: {from: b.c}}", "NBC212", 1, 15, "not known here"),
        ("- a\n- b", "NBC213", 1, 1, "a mapping"),
        ("inputs: [a]", "NBC213", 1, 9, "a mapping"),
        ("inputs: {a: uri_folder}", "NBC213", 1, 13, "a mapping"),
        ("deterministic: yes", "NBC213", 1, 16, "true or false"),
        ("description: 5", "NBC213", 1, 14, "text"),
        ("invalid_when: a", "NBC213", 1, 15, "a list"),
        ("invalid_when: [1]", "NBC213", 1, 16, "text"),
        ("environment_variables: {A: 1}", "NBC213", 1, 28, "quotes"),
        ("environment_variables: {A: }", "NBC213", 1, 28, "is nothing"),
        ("parameters: {a: {type: string, default: [1]}}", "NBC213", 1, 41, "a number, a text"),
        ("parameters: {a: {type: number, min: low}}", "NBC213", 1, 37, "a number"),
        ("compute: {min_nodes: -1}", "NBC213", 1, 22, "at least 0"),
        ("compute: {max_nodes: 1.5}", "NBC213", 1, 22, "whole number"),
        ("inputs: {a: {schema: x}}", "NBC213", 1, 22, "JSON schema"),
        ("checkpoint: {every: 30}", "NBC213", 1, 21, "text"),
        ("parameters: {a: {type: int}}", "NBC214", 1, 24, "did you mean 'integer'"),
        ("inputs: {a: {type: folder}}", "NBC214", 1, 20, "uri_folder"),
        ("inputs: {a: {format: feather}}", "NBC214", 1, 22, "parquet"),
        ("inputs: {a: {mode: rw_mount}}", "NBC214", 1, 20, "ro_mount"),
        ("inputs: {a: {mode: eval_mount}}", "NBC214", 1, 20, "mltable"),
        ("outputs: {a: {mode: ro_mount}}", "NBC214", 1, 21, "rw_mount"),
        ("metrics: {m: {goal: maximise}}", "NBC214", 1, 21, "did you mean 'maximize'"),
        ("metrics: {m: {scope: all}}", "NBC214", 1, 22, "worker"),
        ("compute: {tier: spot}", "NBC214", 1, 17, "low_priority"),
        ("checkpoint: {every: soon}", "NBC214", 1, 21, "30m"),
        ("schema: other/1", "NBC212", 1, 1, "not known"),
        ("compute: {min_nodes: 3, max_nodes: 2}", "NBC215", 1, 22, "above"),
        ("parameters: {a: {type: string, choices: []}}", "NBC215", 1, 41, "one at least"),
        ("parameters: {a: {choices: [a, 1]}}", "NBC215", 1, 27, "list of texts"),
        (
            "parameters: {a: {type: string, default: x, required: true}}",
            "NBC217",
            1,
            54,
            "keep one",
        ),
        ("inputs: {2a: {}}", "NBC222", 1, 10, "no Python name"),
        ("inputs: {my-data: {}}", "NBC222", 1, 10, "no Python name"),
        ("parameters: {class: {}}", "NBC222", 1, 14, "keyword"),
        ("environment_variables: {A-B: x}", "NBC222", 1, 25, "letters"),
        ("metrics: {' ': {}}", "NBC222", 1, 11, "250"),
        ("inputs: {a: {columns: {c: {dtype: int}}}}", "NBC224", 1, 35, "dtype"),
        ("inputs: {a: {columns: {c: {dtype: string, min: 1}}}}", "NBC224", 1, 48, "no min"),
        ("inputs: {a: {columns: {c: {min: 2, max: 1}}}}", "NBC224", 1, 33, "above"),
        ("inputs: {a: {columns: {c: {dtype: int64, allowed: [a]}}}}", "NBC224", 1, 52, "no int64"),
        ("inputs: {a: {columns: {c: {min: 2, allowed: [1]}}}}", "NBC224", 1, 46, "outside"),
        ("inputs: {a: {columns: {c: {allowed: []}}}}", "NBC224", 1, 37, "no value"),
        ("inputs: {a: {files: [/etc/passwd]}}", "NBC225", 1, 22, "not relative"),
        ("inputs: {a: {files: [../x]}}", "NBC225", 1, 22, ".."),
        ("include: [helpers/../../x]", "NBC225", 1, 11, ".."),
        ("include: ['C:\\x']", "NBC225", 1, 11, "backslash"),
        ("include: [~/x]", "NBC225", 1, 11, "not relative"),
        ("include: ['https://x/y']", "NBC225", 1, 11, "not relative"),
        ("include: ['']", "NBC225", 1, 11, "empty"),
        ("environment: {conda: ../conda.yml}", "NBC225", 1, 22, ".."),
        ("smoke: {inputs: {a: /data}}", "NBC225", 1, 21, "not relative"),
        ("distribution: {type: deepspeed}", "NBC227", 1, 22, "DeepSpeed"),
        ("distribution: {type: horovod}", "NBC227", 1, 22, "pytorch"),
        ("distribution: {nodes: 2}", "NBC227", 1, 1, "needs a type"),
        ("distribution: {type: ray, processes_per_node: 2}", "NBC227", 1, 27, "no meaning"),
        ("distribution: {type: mpi, nodez: 2}", "NBC212", 1, 27, "did you mean 'nodes'"),
        ("distribution: {type: mpi, nodes: 0}", "NBC213", 1, 34, "at least 1"),
        ("version: 1.10", "NBC228", 1, 10, 'version: "1.10"'),
        ("version: 2", "NBC228", 1, 10, 'version: "2"'),
        ('version: "1 2"', "NBC228", 1, 10, "without blanks"),
    ],
)
def test_what_is_wrong_is_said_at_its_place(
    text: str, code: str, line: int, column: int, says: str
) -> None:
    (found,) = read(text).diagnostics
    assert (found.code, found.place.cell) == (code, 3)
    assert (found.place.line, found.place.column) == (line, column)
    assert says in found.message


@pytest.mark.parametrize(
    "text",
    [
        "distribution: {type: pytorch, nodes: 2}",
        "distribution: {type: mpi, processes_per_node: 4}",
        "distribution: {type: tensorflow, worker_count: 2, parameter_server_count: 0}",
        "distribution: {type: ray, port: 6379, include_dashboard: true}",
        "version: 1.2.0",
        "version: '2024-01-31'",
        "inputs: {a: {type: mltable, mode: eval_mount}}",
        "inputs: {a: {files: ['*.png', 'a/b.csv', .hidden]}}",
        "inputs: {t: {columns: {c: {dtype: 'datetime64[ns, UTC]'}, d: {dtype: Int64}, e: {dtype: category, allowed: [a, 1]}}}}",
        "invalid_when: [on, 12:30]",
    ],
)
def test_what_is_right_is_silent(text: str) -> None:
    assert codes(text) == []


def test_the_type_of_a_parameter_is_told_by_its_values() -> None:
    contract = read(
        "parameters: {a: {default: 5}, b: {min: 0.5}, c: {choices: [x]}, d: {default: true}}"
    )
    assert [p.type for p in contract.interface.parameters] == [
        "integer",
        "number",
        "string",
        "boolean",
    ]


def test_a_default_of_null_makes_a_parameter_optional() -> None:
    contract = read("parameters: {a: {type: integer, default: null}, b: {type: integer}}")
    assert [(p.optional, p.required) for p in contract.interface.parameters] == [
        (True, False),
        (False, True),
    ]


def test_what_is_written_is_known_from_what_is_not() -> None:
    contract = read("inputs: {a: {type: uri_file}}")
    assert ("inputs", "a", "type") in contract.stated
    assert ("inputs", "a", "format") not in contract.stated


def test_a_markdown_cell_holds_its_contract_in_a_fence() -> None:
    source = "# Train\n\n```yaml\ncomponent: train\nversion: 1.10\n```\ntext\n"
    contract = read_contract_cell(Cell(7, "markdown", source))
    assert contract.interface.component == "train"
    (found,) = contract.diagnostics
    assert found.place == Place(7, 5, 10, 5, 14)


@pytest.mark.parametrize(
    ("source", "pieces"),
    [
        ("a: 1", [("a: 1", 0)]),
        ("text\n```yml\na: 1\n```", [("a: 1", 2)]),
        ("~~~yaml\na: 1\n~~~\n", [("a: 1", 1)]),
        ("```yaml title\na: 1\n```", [("a: 1", 1)]),
        ("```\na: 1\n```\n```python\nx\n```", [("a: 1", 1)]),
        ("```python\nx\n```", []),
        ("```yaml\na: 1", [("a: 1", 1)]),
        ("```yaml\na: |\n  ``\n```", [("a: |\n  ``", 1)]),
    ],
)
def test_which_text_of_a_cell_is_yaml(source: str, pieces: list[tuple[str, int]]) -> None:
    assert yaml_of_cell(source) == pieces


def test_a_cell_holds_one_contract() -> None:
    several = read_contract_cell(Cell(0, "markdown", "```yaml\na: 1\n```\n```yaml\nb: 1\n```\n"))
    assert [(d.code, d.place.line) for d in several.diagnostics] == [("NBC210", 4)]
    none = read_contract_cell(Cell(0, "markdown", "```python\nx\n```\n"))
    assert [d.code for d in none.diagnostics] == ["NBC210"]


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "inputs",
                    "outputs",
                    "parameters",
                    "type",
                    "from",
                    "columns",
                    "default",
                    "choices",
                    "min",
                    "every",
                    "compute",
                    "smoke",
                    "distribution",
                    "metrics",
                    "environment",
                    "version",
                    "files",
                    "dtype",
                    "allowed",
                ]
            )
            | st.text(max_size=5),
            inner,
            max_size=4,
        )
    ),
    max_leaves=15,
)


@settings(max_examples=150, deadline=None)
@given(JUNK)
def test_any_data_is_read_without_an_error_of_ours(data: object) -> None:
    from nbcomponent.contract.cells import read_contract
    from nbcomponent.schema.yaml_places import YamlDocument

    for exported in (False, True):
        contract = read_contract(YamlDocument(data), 0, exported=exported)
        assert all(d.code.startswith("NBC2") for d in contract.diagnostics)
