"""Pipeline jobs: ``pipeline.yml`` as written by anyone, with the components of its steps."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Union

from nbcomponent.core.diagnostics import Diagnostic, Place
from nbcomponent.core.errors import UnusableInput, unusable
from nbcomponent.core.files import kind_of
from nbcomponent.schema.bindings import PipelineInput
from nbcomponent.schema.component import CommandComponent, read_command, read_component
from nbcomponent.schema.literals import type_of
from nbcomponent.schema.ports import (
    InputSpec,
    InputValue,
    OutputValue,
    read_input_specs,
    read_input_values,
    read_output_specs,
    read_output_values,
)
from nbcomponent.schema.reading import YamlFile, read_yaml_file
from nbcomponent.schema.yaml_places import YamlPath

MOST_STEPS = 2_000
_FOREVER = 1e9
"""Seconds: a timeout of thirty years is a mistake, and more than clocks count."""

STEP_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*\Z")
"""Names that are safe as folders; Azure Machine Learning itself asks for lower-case identifiers."""


@dataclass(frozen=True, slots=True)
class Settings:
    """``settings`` of a pipeline. ``continue_on_step_failure``: other branches go on when a step fails."""

    default_compute: str | None = None
    default_datastore: str | None = None
    continue_on_step_failure: bool = True
    force_rerun: bool | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One step. ``component`` is None where it cannot run here: then ``problems`` of the pipeline say why.

    ``inline``: the command stands in the pipeline file, and its inputs' declarations follow from their values.
    ``timeout`` is in seconds.
    """

    name: str
    place: Place
    component: CommandComponent | None
    inline: bool
    inputs: tuple[InputValue, ...] = ()
    outputs: tuple[OutputValue, ...] = ()
    compute: str | None = None
    environment_variables: Mapping[str, str] = field(default_factory=dict)
    timeout: float | None = None


@dataclass(frozen=True, slots=True)
class PipelineJob:
    """A pipeline job. ``problems`` belong to its own file; those of component files are in the components."""

    path: Path
    folder: Path
    name: str | None
    display_name: str | None
    inputs: tuple[InputValue, ...]
    outputs: tuple[OutputValue, ...]
    steps: tuple[Step, ...]
    settings: Settings
    compute: str | None
    problems: tuple[Diagnostic, ...]


_KIND_REASONS = {
    "sweep": "a sweep runs on a compute cluster",
    "parallel": "parallel steps need the service's own driver",
    "automl": "automated ML runs in the service",
    "spark": "Spark steps need a Spark cluster",
    "pipeline": "pipelines inside of pipelines are not run on this machine",
    "data_transfer": "data transfer happens in the workspace",
    "import": "data imports happen in the workspace",
    "finetuning": "fine-tuning runs in the service",
}


def read_pipeline(path: Path) -> PipelineJob:
    """Read a pipeline job and the components that it names.

    Raises UnusableInput for a file that is no pipeline job. A step that cannot run on this machine
    is a finding NBC502, a component file that is not there NBC507.
    """
    file = read_yaml_file(path)
    kind = file.data.get("type")
    if kind != "pipeline" and not (kind is None and "jobs" in file.data):
        said = f"of type {kind!r}" if kind is not None else "without 'type: pipeline'"
        raise unusable(
            str(path),
            "NBC501",
            f"expected a pipeline job; this file is {said}",
            file.place(("type",)),
        )
    inputs = read_input_values(file, ("inputs",))
    outputs = read_output_values(file, ("outputs",))
    steps = _read_steps(file, inputs)
    settings = _read_settings(file)
    return PipelineJob(
        path=path,
        folder=path.parent,
        name=file.text(("name",)),
        display_name=file.text(("display_name",)),
        inputs=inputs,
        outputs=outputs,
        steps=steps,
        settings=settings,
        compute=file.text(("compute",)),
        problems=tuple(file.problems),
    )


def _read_settings(file: YamlFile) -> Settings:
    at: YamlPath = ("settings",)
    file.mapping(at)
    goes_on = file.flag((*at, "continue_on_step_failure"))
    return Settings(
        default_compute=file.text((*at, "default_compute")),
        default_datastore=file.text((*at, "default_datastore")),
        continue_on_step_failure=True if goes_on is None else goes_on,
        force_rerun=file.flag((*at, "force_rerun")),
    )


def _read_steps(file: YamlFile, pipeline_inputs: tuple[InputValue, ...]) -> tuple[Step, ...]:
    jobs = file.mapping(("jobs",))
    if not jobs and file.value(("component",)) is not None:
        file.report("NBC502", _KIND_REASONS["pipeline"], ("component",))
    elif not jobs:
        file.report("NBC501", "the pipeline has no 'jobs'", ("jobs",))
    if len(jobs) > MOST_STEPS:
        text = f"the pipeline has {len(jobs):,} steps; at most {MOST_STEPS:,} are read"
        file.report("NBC501", text, ("jobs",), key=True)
        return ()
    steps: list[Step] = []
    loaded: _Loaded = {}
    seen: set[str] = set()
    for name in jobs:
        at = ("jobs", name)
        if not STEP_NAME.match(name) or len(name) > 200:
            shown = name if len(name) <= 60 else name[:57] + "..."
            file.report(
                "NBC509",
                f"{shown!r} is no name of a step: use lower-case letters, digits and underscores",
                at,
                key=True,
            )
        elif name.lower() in seen:
            file.report("NBC509", f"two steps differ by case only: '{name}'", at, key=True)
        elif not isinstance(jobs[name], dict):
            file.report("NBC501", f"the step '{name}' must be a mapping", at)
        else:
            seen.add(name.lower())
            steps.append(_read_step(file, at, pipeline_inputs, loaded))
    return tuple(steps)


def _read_step(
    file: YamlFile, at: YamlPath, pipeline_inputs: tuple[InputValue, ...], loaded: _Loaded
) -> Step:
    name = str(at[-1])
    inputs = read_input_values(file, (*at, "inputs"))
    outputs = read_output_values(file, (*at, "outputs"))
    kind = file.text((*at, "type")) or "command"
    reference = file.value((*at, "component"))
    component: CommandComponent | None = None
    inline = False
    if kind != "command":
        why = _KIND_REASONS.get(kind, f"the type {kind!r} is unknown here")
        file.report("NBC502", f"the step '{name}' cannot run on this machine: {why}", (*at, "type"))
    elif isinstance(reference, str):
        component = _load_component(file, (*at, "component"), reference, loaded)
    elif isinstance(reference, dict):
        component = _nested(file, (*at, "component"), name)
    elif file.value((*at, "command")) is not None:
        inline = True
        component = read_command(
            file,
            at,
            name,
            _inferred(inputs, pipeline_inputs),
            read_output_specs(_quiet(file), (*at, "outputs")),
        )
    else:
        file.report("NBC501", f"the step '{name}' has neither 'component' nor 'command'", at)
    return Step(
        name=name,
        place=file.key_place(at),
        component=component,
        inline=inline,
        inputs=inputs,
        outputs=outputs,
        compute=file.text((*at, "compute")),
        environment_variables=file.texts((*at, "environment_variables")),
        timeout=_timeout(file, (*at, "limits", "timeout")),
    )


def _quiet(file: YamlFile) -> YamlFile:
    """The same file for a second look: what is wrong was reported by the first."""
    return YamlFile(file.path, file.document)


def _timeout(file: YamlFile, at: YamlPath) -> float | None:
    value = file.value(at)
    if value is None:
        return None
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < _FOREVER:
        return float(value)
    file.report("NBC501", "'timeout' must be a positive number of seconds", at)
    return None


def _load_component(
    file: YamlFile, at: YamlPath, reference: str, loaded: _Loaded
) -> CommandComponent | None:
    if reference.startswith("azureml:"):
        file.report(
            "NBC502",
            f"the component {reference!r} is in a workspace or registry; only components in files run on this machine",
            at,
            fix="download the component's YAML and code, and write component: ./its_folder/component.yml",
        )
        return None
    path = file.path.parent / reference.removeprefix("file:")
    if path not in loaded:
        loaded[path] = _read_or_refuse(path)
    found = loaded[path]
    if found is None:
        shown = reference if len(reference) <= 200 else f"{reference[:100]}..."
        file.report("NBC507", f"there is no component file {shown!r} beside the pipeline", at)
        return None
    if isinstance(found, UnusableInput):
        diagnostic = found.diagnostic
        where = f"{reference}:{diagnostic.place.line}:{diagnostic.place.column}"
        file.report(diagnostic.code, f"{where}: {diagnostic.message}", at)
        return None
    return found


_Loaded = dict[Path, Union[CommandComponent, UnusableInput, None]]
"""Component files of a pipeline: many steps may share one. None: there is no such file."""


def _read_or_refuse(path: Path) -> CommandComponent | UnusableInput | None:
    if kind_of(path) != "file":
        return None
    try:
        return read_component(path)
    except UnusableInput as problem:
        return problem


def _nested(file: YamlFile, at: YamlPath, name: str) -> CommandComponent | None:
    """A whole component written into the step."""
    kind = file.text((*at, "type")) or "command"
    if kind != "command" or file.value((*at, "command")) is None:
        file.report("NBC502", f"the component written into '{name}' is no command component", at)
        return None
    inputs = read_input_specs(file, (*at, "inputs"))
    outputs = read_output_specs(file, (*at, "outputs"))
    return read_command(file, at, file.text((*at, "name")) or name, inputs, outputs)


def _inferred(
    inputs: tuple[InputValue, ...], pipeline_inputs: tuple[InputValue, ...]
) -> tuple[InputSpec, ...]:
    """The declarations of an inline step's inputs, which only have values."""
    specs = []
    for value in inputs:
        source = value
        if isinstance(value.binding, PipelineInput):
            name = value.binding.name
            source = next((each for each in pipeline_inputs if each.name == name), value)
        if value.declared is not None:
            specs.append(value.declared)
        elif source.declared is not None:
            declared = source.declared
            specs.append(
                InputSpec(value.name, declared.type, value.key, optional=declared.optional)
            )
        elif source.literal is not None:
            specs.append(InputSpec(value.name, type_of(source.literal), value.key))
        else:
            data = source.data.type if source.data else None
            specs.append(InputSpec(value.name, data or "uri_folder", value.key))
    return tuple(specs)
