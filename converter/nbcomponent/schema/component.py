"""Command components: ``component.yml`` as written by anyone, and the command of an inline step."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from nbcomponent.core.diagnostics import Diagnostic, Place
from nbcomponent.core.errors import unusable
from nbcomponent.schema.environment import EnvironmentSpec, read_environment
from nbcomponent.schema.ports import (
    InputSpec,
    OutputSpec,
    read_input_specs,
    read_output_specs,
)
from nbcomponent.schema.reading import YamlFile, read_yaml_file
from nbcomponent.schema.templates import Template, parse_template
from nbcomponent.schema.yaml_places import YamlPath


@dataclass(frozen=True, slots=True)
class Code:
    """The ``code`` of a component: a folder (or one file) that is copied beside nothing else.

    ``text`` is as written; ``path`` is where it is on this machine, None for code that is elsewhere
    (``git+https:``, ``azureml:``).
    """

    text: str
    path: Path | None
    place: Place


@dataclass(frozen=True, slots=True)
class Distribution:
    """``distribution`` as written; ``type`` in lower case."""

    type: str
    settings: Mapping[str, object]
    place: Place


@dataclass(frozen=True, slots=True)
class CommandComponent:
    """A command component. ``folder`` is that of the YAML file: relative paths start there."""

    name: str
    path: Path
    folder: Path
    place: Place
    command: Template
    command_place: Place
    version: str | None = None
    display_name: str | None = None
    inputs: tuple[InputSpec, ...] = ()
    outputs: tuple[OutputSpec, ...] = ()
    code: Code | None = None
    environment: EnvironmentSpec | None = None
    environment_variables: Mapping[str, str] = field(default_factory=dict)
    distribution: Distribution | None = None
    deterministic: bool | None = None
    additional_includes: tuple[str, ...] = ()
    problems: tuple[Diagnostic, ...] = ()

    def input(self, name: str) -> InputSpec | None:
        """The declared input ``name``."""
        return next((spec for spec in self.inputs if spec.name == name), None)

    def output(self, name: str) -> OutputSpec | None:
        """The declared output ``name``."""
        return next((spec for spec in self.outputs if spec.name == name), None)


def read_component(path: Path) -> CommandComponent:
    """Read a command component. Mistakes in it are in ``problems``.

    Raises UnusableInput for a file that is no YAML mapping, and NBC502 for another kind of component.
    """
    file = read_yaml_file(path)
    kind = file.data.get("type", "command")
    if kind != "command":
        raise unusable(
            str(path),
            "NBC502",
            f"a component of type {kind!r} cannot run on this machine; only type 'command' does",
            file.place(("type",)),
        )
    if "command" not in file.data:
        raise unusable(str(path), "NBC501", "the component has no 'command'", file.place(()))
    name = file.text(("name",))
    if name is None:
        file.report("NBC501", "the component has no 'name'", (), severity="warning")
    inputs = read_input_specs(file, ("inputs",))
    outputs = read_output_specs(file, ("outputs",))
    return read_command(file, (), name or path.stem, inputs, outputs)


def read_command(
    file: YamlFile,
    at: YamlPath,
    name: str,
    inputs: tuple[InputSpec, ...],
    outputs: tuple[OutputSpec, ...],
) -> CommandComponent:
    """The command that stands at ``at``: a component file's root, or an inline step."""
    here = (*at, "command")
    template = parse_template(file.text(here) or "")
    for problem in template.problems:
        file.report("NBC508", f"command: {problem.message}", here)
    for ref, optional_group in template.refs():
        _check_reference(file, here, ref.side, ref.name, optional_group, inputs, outputs)
    includes = file.value((*at, "additional_includes"))
    return CommandComponent(
        name=name,
        path=file.path,
        folder=file.path.parent,
        place=file.key_place(at) if at else file.place(()),
        command=template,
        command_place=file.place(here),
        version=file.text((*at, "version")),
        display_name=file.text((*at, "display_name")),
        inputs=inputs,
        outputs=outputs,
        code=_read_code(file, (*at, "code")),
        environment=read_environment(file, (*at, "environment")),
        environment_variables=file.texts((*at, "environment_variables")),
        distribution=_read_distribution(file, (*at, "distribution")),
        deterministic=file.flag((*at, "is_deterministic")),
        additional_includes=tuple(str(entry) for entry in includes)
        if isinstance(includes, list)
        else (),
        problems=tuple(file.problems),
    )


def _check_reference(
    file: YamlFile,
    at: YamlPath,
    side: str,
    name: str,
    optional_group: bool,
    inputs: tuple[InputSpec, ...],
    outputs: tuple[OutputSpec, ...],
) -> None:
    known = [spec.name for spec in (inputs if side == "inputs" else outputs)]
    if name not in known and name.partition(".")[0] not in known:
        listed = ", ".join(known) or "none"
        file.report(
            "NBC508",
            f"command: '${{{{{side}.{name}}}}}' names no {side[:-1]} (declared: {listed})",
            at,
        )
        return
    if side == "inputs" and not optional_group:
        spec = next((spec for spec in inputs if spec.name == name), None)
        if spec is not None and spec.optional and spec.default is None:
            file.report(
                "NBC508",
                f"command: the optional input '{name}' must stand in '$[[ ]]': without a value nothing can replace it",
                at,
            )


_ELSEWHERE = re.compile(r"azureml:|git\+|https?:|[a-z][a-z0-9+]+://")


def _read_code(file: YamlFile, at: YamlPath) -> Code | None:
    text = file.text(at)
    if text is None:
        return None
    local = text.removeprefix("file:")
    path = None if _ELSEWHERE.match(local) else file.path.parent / local
    return Code(text, path, file.place(at))


def _read_distribution(file: YamlFile, at: YamlPath) -> Distribution | None:
    settings = file.mapping(at)
    if not settings:
        return None
    kind = file.text((*at, "type"))
    if kind is None:
        file.report("NBC501", "'distribution' has no 'type'", at)
        return None
    return Distribution(kind.lower(), dict(settings), file.place(at))
