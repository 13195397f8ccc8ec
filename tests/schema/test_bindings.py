"""Bindings of a pipeline."""

from __future__ import annotations

import pytest

from nbcomponent.schema.bindings import (
    BindingProblem,
    PipelineInput,
    PipelineOutput,
    StepOutput,
    parse_binding,
)


@pytest.mark.parametrize(
    ("text", "binding"),
    [
        ("${{parent.inputs.lr}}", PipelineInput("lr")),
        ("${{ parent.inputs.lr }}", PipelineInput("lr")),
        ("${{parent.outputs.model}}", PipelineOutput("model")),
        ("${{parent.jobs.prepare.outputs.table}}", StepOutput("prepare", "table")),
        ("${{parent.jobs.a.inputs.x}}", StepOutput("a", "x", "inputs")),
    ],
)
def test_bindings_are_recognised(text: str, binding: object) -> None:
    assert parse_binding(text) == binding


@pytest.mark.parametrize("text", ["plain", "", "$HOME", "${x}", "a $[[b]]"])
def test_ordinary_text_is_no_binding(text: str) -> None:
    assert parse_binding(text) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x-${{parent.inputs.lr}}", "mixes text and a reference"),
        ("${{parent.inputs.a}}${{parent.inputs.b}}", "mixes text and a reference"),
        ("${{pipeline.inputs.data}}", "did you mean .*parent.inputs.data"),
        ("${{inputs.data}}", "did you mean .*parent.inputs.data"),
        ("${{parent.steps.a}}", "is no binding"),
        ("${{}}", "is no binding"),
    ],
)
def test_other_references_are_refused_with_a_hint(text: str, message: str) -> None:
    with pytest.raises(BindingProblem, match=message):
        parse_binding(text)
