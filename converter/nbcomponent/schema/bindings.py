"""Bindings of a pipeline: ``${{parent.inputs.x}}``, ``${{parent.jobs.s.outputs.y}}``, ``${{parent.outputs.z}}``."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NAME = r"[A-Za-z0-9_][A-Za-z0-9_.-]*"
_WHOLE = re.compile(r"\s*\$\{\{(.*)\}\}\s*\Z", re.DOTALL)
_INPUT = re.compile(rf"parent\.inputs\.({_NAME})\Z")
_OUTPUT = re.compile(rf"parent\.outputs\.({_NAME})\Z")
_STEP = re.compile(r"parent\.jobs\.([A-Za-z0-9_-]+)\.(outputs|inputs)\.([A-Za-z0-9_]+)\Z")


@dataclass(frozen=True, slots=True)
class PipelineInput:
    """``${{parent.inputs.name}}``."""

    name: str


@dataclass(frozen=True, slots=True)
class PipelineOutput:
    """``${{parent.outputs.name}}``."""

    name: str


@dataclass(frozen=True, slots=True)
class StepOutput:
    """``${{parent.jobs.step.outputs.name}}``; ``side`` is ``inputs`` where another step's input is taken."""

    step: str
    name: str
    side: str = "outputs"


Binding = PipelineInput | PipelineOutput | StepOutput


class BindingProblem(ValueError):
    """Text with ``${{`` that is no binding."""


def parse_binding(text: str) -> Binding | None:
    """The binding that ``text`` is; None for ordinary text.

    Raises BindingProblem for text that holds ``${{`` and is no binding as a whole: a value is either a
    binding or a literal, never a mixture.
    """
    if "${{" not in text:
        return None
    whole = _WHOLE.match(text)
    if whole is None or "${{" in whole[1]:
        raise BindingProblem(
            f"{text!r} mixes text and a reference; a value is one binding or one literal"
        )
    inner = whole[1].strip()
    if found := _INPUT.match(inner):
        return PipelineInput(found[1])
    if found := _OUTPUT.match(inner):
        return PipelineOutput(found[1])
    if found := _STEP.match(inner):
        return StepOutput(found[1], found[3], found[2])
    hint = ""
    if inner.startswith(("pipeline.", "inputs.", "outputs.", "jobs.", "steps.")):
        rest = inner.removeprefix("pipeline.").replace("steps.", "jobs.", 1)
        hint = f"; did you mean '${{{{parent.{rest}}}}}'?"
    raise BindingProblem(
        f"{text!r} is no binding: expected '${{{{parent.inputs.NAME}}}}',"
        f" '${{{{parent.jobs.STEP.outputs.NAME}}}}' or '${{{{parent.outputs.NAME}}}}'{hint}"
    )
