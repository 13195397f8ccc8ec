"""What a run will do: its steps in order, with what each input receives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from nbcomponent.run.report import Finding
from nbcomponent.schema.component import CommandComponent
from nbcomponent.schema.ports import InputSpec, OutputSpec
from nbcomponent.schema.rendering import Value
from nbcomponent.schema.templates import Side


@dataclass(frozen=True, slots=True)
class Source:
    """Where a step's data input comes from: an output of another step, or a path on this machine."""

    step: str | None = None
    output: str | None = None
    path: Path | None = None


@dataclass(frozen=True, slots=True)
class Argument:
    """An input of a step that is given: ``text`` of a literal, or the ``source`` of data."""

    spec: InputSpec
    text: str | None = None
    source: Source | None = None


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """A step ready to run. ``needs`` are the steps whose outputs it reads."""

    name: str
    component: CommandComponent
    arguments: tuple[Argument, ...]
    outputs: tuple[OutputSpec, ...]
    needs: frozenset[str]
    environment_variables: Mapping[str, str] = field(default_factory=dict)
    metrics: tuple[str, ...] = ()
    timeout: float | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps in an order in which they can run. ``outputs``: the pipeline's, as (step, output)."""

    steps: tuple[PlannedStep, ...]
    outputs: Mapping[str, tuple[str, str]]
    findings: tuple[Finding, ...]

    @property
    def refused(self) -> bool:
        """Mistakes that must be corrected first."""
        return any(finding.diagnostic.severity == "error" for finding in self.findings)


def command_values(
    arguments: Sequence[Argument],
    outputs: Sequence[OutputSpec],
    input_paths: Mapping[str, Path],
    output_paths: Mapping[str, Path],
) -> dict[tuple[Side, str], Value]:
    """What the references of a command stand for. A path that is not known yet is shown by a name."""
    values: dict[tuple[Side, str], Value] = {}
    for argument in arguments:
        name = argument.spec.name
        if argument.text is not None:
            inert = argument.spec.type != "string"
            values["inputs", name] = Value(argument.text, literal=True, inert=inert)
        else:
            path = str(input_paths.get(name, f"/{name}"))
            values["inputs", name] = Value(path, literal=False)
            values["inputs", f"{name}.path"] = Value(path, literal=False)
    for spec in outputs:
        path = str(output_paths.get(spec.name, f"/{spec.name}"))
        values["outputs", spec.name] = Value(path, literal=False)
        values["outputs", f"{spec.name}.path"] = Value(path, literal=False)
    return values
