"""Command components read from YAML: what they declare, and what is wrong with them, with its place."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nbcomponent.core.errors import UnusableInput
from nbcomponent.schema.component import CommandComponent, read_component
from nbcomponent.schema.environment import Requirement

WHOLE = """\
$schema: https://azuremlschemas.azureedge.net/latest/commandComponent.schema.json
type: command
name: train
version: 1.10
inputs:
  data: {type: uri_folder, description: images}
  lr: {type: number, default: 0.1, min: 0, max: 1}
  kind: {type: string, enum: [cnn, mlp], default: cnn}
  tag: {type: string, optional: true}
outputs:
  model: {type: uri_folder}
code: ./src
environment:
  image: python:3.11
  conda_file: ./conda.yml
distribution: {type: PyTorch, process_count_per_instance: 2}
is_deterministic: false
environment_variables: {THREADS: 4}
command: >-
  python t.py --data ${{inputs.data}} --lr ${{inputs.lr}} --kind ${{inputs.kind}}
  $[[--tag ${{inputs.tag}}]] --model ${{outputs.model}}
"""

CONDA = """\
dependencies:
- python=3.11
- conda-forge::numpy=1.26.4=py311
- pip
- pip:
  - scikit_learn==1.4.2
  - pandas[parquet] >= 2
  - --index-url x
"""


def component(tmp_path: Path, text: str) -> CommandComponent:
    (tmp_path / "conda.yml").write_text(CONDA)
    path = tmp_path / "component.yml"
    path.write_text(text, encoding="utf-8")
    return read_component(path)


def test_a_whole_component(tmp_path: Path) -> None:
    found = component(tmp_path, WHOLE)
    assert found.problems == ()
    assert (found.name, found.version) == ("train", "1.10")
    assert [(i.name, i.type, i.required) for i in found.inputs] == [
        ("data", "uri_folder", True),
        ("lr", "number", False),
        ("kind", "string", False),
        ("tag", "string", False),
    ]
    lr = found.input("lr")
    assert lr is not None
    assert (lr.default, lr.minimum, lr.maximum) == (0.1, 0, 1)
    assert [(o.name, o.type) for o in found.outputs] == [("model", "uri_folder")]
    assert found.code is not None
    assert found.code.path == tmp_path / "src"
    assert found.distribution is not None
    assert found.distribution.type == "pytorch"
    assert found.deterministic is False
    assert found.environment_variables == {"THREADS": "4"}


def test_the_packages_of_the_conda_file_are_known(tmp_path: Path) -> None:
    environment = component(tmp_path, WHOLE).environment
    assert environment is not None
    assert environment.requirements == (
        Requirement("python", "3.11", "conda"),
        Requirement("numpy", "1.26.4", "conda"),
        Requirement("pip", None, "conda"),
        Requirement("scikit-learn", "1.4.2", "pip"),
        Requirement("pandas", None, "pip"),
    )


@pytest.mark.parametrize(
    ("old", "new", "code", "line", "column"),
    [
        ("default: 0.1", "default: abc", "NBC505", 7, 31),
        ("default: 0.1", "default: 7", "NBC505", 7, 31),
        ("default: cnn", "default: rnn", "NBC505", 8, 51),
        ("type: number", "type: float", "NBC501", 7, 14),
        ("model: {type: uri_folder}", "model: {type: integer}", "NBC501", 11, 10),
        ("  tag:", "  tag name:", "NBC509", 9, 3),
        ("${{inputs.lr}}", "${{inputs.rate}}", "NBC508", 19, 10),
        ("${{inputs.lr}}", "${inputs.lr}", "NBC508", 19, 10),
        ("$[[--tag ${{inputs.tag}}]]", "--tag ${{inputs.tag}}", "NBC508", 19, 10),
        ("${{outputs.model}}", "${{outputs.weights}}", "NBC508", 19, 10),
        ("./conda.yml", "./missing.yml", "NBC507", 15, 15),
        ("optional: true", "optional: perhaps", "NBC501", 9, 33),
        ("is_deterministic: false", "is_deterministic: false\nname: x", "NBC501", 18, 1),
    ],
)
def test_a_mistake_is_found_at_its_place(
    mistaken: Callable[..., Any], old: str, new: str, code: str, line: int, column: int
) -> None:
    assert (code, line, column) in mistaken(component, WHOLE, old, new)


def test_another_kind_of_component_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnusableInput) as caught:
        component(tmp_path, "type: parallel\nname: x\n")
    assert caught.value.diagnostic.code == "NBC502"
    assert caught.value.diagnostic.place.line == 1


def test_a_component_needs_a_command(tmp_path: Path) -> None:
    with pytest.raises(UnusableInput, match="NBC501 the component has no 'command'"):
        component(tmp_path, "type: command\nname: x\n")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("- a list\n", "NBC501"),
        ("just text\n", "NBC501"),
        ("a: [1, 2\n", "NBC931"),
        ("a: !!python/object/apply:os.system ['true']\n", "NBC931"),
        ("\x07", "NBC931"),
    ],
)
def test_a_file_that_is_no_yaml_mapping_is_refused(tmp_path: Path, text: str, code: str) -> None:
    with pytest.raises(UnusableInput) as caught:
        component(tmp_path, text)
    assert caught.value.diagnostic.code == code


def test_a_pipe_or_folder_or_missing_file_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yml")
    for name in ("pipe.yml", ".", "missing.yml"):
        with pytest.raises(UnusableInput) as caught:
            read_component(tmp_path / name)
        assert caught.value.diagnostic.code == "NBC930"
