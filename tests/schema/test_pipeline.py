"""Pipeline jobs read from YAML."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nbcomponent.core.errors import UnusableInput
from nbcomponent.schema.bindings import PipelineInput, PipelineOutput, StepOutput
from nbcomponent.schema.pipeline import PipelineJob, read_pipeline

COMPONENT = """\
type: command
name: c
inputs: {data: {type: uri_folder}, n: {type: integer, default: 1}}
outputs: {out: {type: uri_folder}}
command: python c.py ${{inputs.data}} ${{inputs.n}} ${{outputs.out}}
"""

PIPELINE = """\
type: pipeline
display_name: two steps
inputs:
  raw: {type: uri_folder, path: ./raw}
  n: 3
outputs:
  result: {type: uri_folder}
settings: {default_compute: azureml:cpu, continue_on_step_failure: false}
jobs:
  first:
    type: command
    component: ./c.yml
    inputs: {data: "${{parent.inputs.raw}}", n: "${{parent.inputs.n}}"}
  second:
    component: file:c.yml
    inputs:
      data: {type: uri_folder, path: "${{parent.jobs.first.outputs.out}}", mode: download}
    outputs:
      out: ${{parent.outputs.result}}
    environment_variables: {A: 1}
    limits: {timeout: 60}
    compute: azureml:gpu
  inline:
    command: echo ${{inputs.text}} > ${{outputs.o}}/f
    inputs: {text: hello}
    outputs: {o: }
"""


def pipeline(tmp_path: Path, text: str) -> PipelineJob:
    (tmp_path / "c.yml").write_text(COMPONENT)
    path = tmp_path / "pipeline.yml"
    path.write_text(text, encoding="utf-8")
    return read_pipeline(path)


def test_a_whole_pipeline(tmp_path: Path) -> None:
    found = pipeline(tmp_path, PIPELINE)
    assert found.problems == ()
    first, second, inline = found.steps
    assert [value.binding for value in first.inputs] == [PipelineInput("raw"), PipelineInput("n")]
    assert second.inputs[0].binding == StepOutput("first", "out")
    assert second.outputs[0].binding == PipelineOutput("result")
    assert (second.timeout, second.compute) == (60.0, "azureml:gpu")
    assert second.environment_variables == {"A": "1"}
    assert found.settings.continue_on_step_failure is False
    assert inline.inline
    assert inline.component is not None
    assert [(i.name, i.type) for i in inline.component.inputs] == [("text", "string")]
    assert [(o.name, o.type) for o in inline.component.outputs] == [("o", "uri_folder")]


@pytest.mark.parametrize(
    ("old", "new", "code", "line", "column"),
    [
        ("component: ./c.yml", "component: azureml:c:1", "NBC502", 12, 16),
        ("component: ./c.yml", "component: ./d.yml", "NBC507", 12, 16),
        ("    type: command", "    type: sweep", "NBC502", 11, 11),
        ("  first:", "  ../first:", "NBC509", 10, 3),
        ("  inline:", "  First:", "NBC509", 23, 3),
        ("timeout: 60", "timeout: soon", "NBC501", 21, 23),
        ('"${{parent.inputs.raw}}"', '"a ${{parent.inputs.raw}}"', "NBC503", 13, 20),
        ('"${{parent.inputs.raw}}"', "[1]", "NBC501", 13, 20),
        ("${{inputs.text}}", "${{inputs.word}}", "NBC508", 24, 14),
        # No reference at all, so no binding either.
        ("      out: ${{parent", "      out: $ {{parent", "NBC501", 19, 12),
    ],
)
def test_a_mistake_is_found_at_its_place(
    mistaken: Callable[..., Any], old: str, new: str, code: str, line: int, column: int
) -> None:
    assert (code, line, column) in mistaken(pipeline, PIPELINE, old, new)


def test_a_component_file_that_is_no_yaml_is_named_at_the_step(tmp_path: Path) -> None:
    (tmp_path / "broken.yml").write_text("a: [")
    found = pipeline(tmp_path, PIPELINE.replace("./c.yml", "./broken.yml"))
    assert [d.code for d in found.problems] == ["NBC931"]
    assert found.problems[0].message.startswith("./broken.yml:1:")


@pytest.mark.parametrize(
    "text", ["type: command\ncommand: ls\n", "a: 1\n", "type: pipeline\njobs: x\n"]
)
def test_what_is_no_pipeline_job_is_said(tmp_path: Path, text: str) -> None:
    try:
        codes = [d.code for d in pipeline(tmp_path, text).problems]
    except UnusableInput as problem:
        codes = [problem.diagnostic.code]
    assert "NBC501" in codes
