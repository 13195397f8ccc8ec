"""Inputs and outputs: as a component declares them, and as a job fills them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Union, cast

from nbcomponent.core.diagnostics import Place
from nbcomponent.schema.bindings import Binding, BindingProblem, parse_binding
from nbcomponent.schema.literals import (
    LITERAL_TYPES,
    LiteralProblem,
    LiteralType,
    Scalar,
    canonical,
    check_range,
)
from nbcomponent.schema.reading import YamlFile, one_of
from nbcomponent.schema.yaml_places import YamlPath

DataType = Literal[
    "uri_file", "uri_folder", "mltable", "mlflow_model", "custom_model", "triton_model"
]
DATA_TYPES: tuple[DataType, ...] = (
    "uri_file",
    "uri_folder",
    "mltable",
    "mlflow_model",
    "custom_model",
    "triton_model",
)
PortType = Union[LiteralType, DataType]

_PORT_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


@dataclass(frozen=True, slots=True)
class InputSpec:
    """An input that a component declares. ``default`` and the limits are already of type ``type``."""

    name: str
    type: PortType
    place: Place
    optional: bool = False
    default: Scalar | None = None
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[Scalar, ...] | None = None
    mode: str | None = None
    description: str | None = None

    @property
    def literal(self) -> LiteralType | None:
        """The type where it is a literal, None where it is data."""
        return self.type if self.type in LITERAL_TYPES else None

    @property
    def required(self) -> bool:
        """It must be given."""
        return not self.optional and self.default is None

    def accept(self, value: object) -> Scalar:
        """``value`` as this literal. Raises LiteralProblem where it does not fit."""
        assert self.literal is not None
        result = canonical(value, self.literal)
        check_range(result, self.minimum, self.maximum, self.choices)
        return result


@dataclass(frozen=True, slots=True)
class OutputSpec:
    """An output that a component declares. ``path`` is only written by jobs."""

    name: str
    type: DataType
    place: Place
    mode: str | None = None
    path: str | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True)
class DataValue:
    """``{type, path, mode}``: data given to a job. ``path`` may be a binding."""

    path: str
    type: DataType | None
    mode: str | None
    place: Place


@dataclass(frozen=True, slots=True)
class InputValue:
    """What a job gives to an input: one of a binding, data, or a literal.

    ``declared`` is the input's declaration where the job itself makes one (``{type: number, default: 1}``).
    ``place`` is the value's, ``key`` the name's. ``broken``: what stands there is none of these, and was
    reported.
    """

    name: str
    place: Place
    key: Place
    binding: Binding | None = None
    data: DataValue | None = None
    literal: Scalar | None = None
    declared: InputSpec | None = None
    broken: bool = False


@dataclass(frozen=True, slots=True)
class OutputValue:
    """What a job says of an output: a binding to a pipeline output, or its type, mode and path."""

    name: str
    place: Place
    key: Place
    binding: Binding | None = None
    type: DataType | None = None
    mode: str | None = None
    path: str | None = None


def port_type(file: YamlFile, at: YamlPath, default: PortType | None) -> PortType | None:
    """The ``type`` at ``at``; a finding and None where it is none."""
    text = file.text(at)
    if text is None:
        return default
    known: tuple[PortType, ...] = (*LITERAL_TYPES, *DATA_TYPES)
    if text in known:
        return text
    file.report("NBC501", f"{text!r} is no type of an input or output; use {one_of(known)}", at)
    return None


def read_input_specs(file: YamlFile, at: YamlPath) -> tuple[InputSpec, ...]:
    """The ``inputs`` of a component."""
    specs = []
    for name in file.mapping(at):
        if usable_name(file, (*at, name), "input"):
            spec = read_input_spec(file, (*at, name))
            if spec is not None:
                specs.append(spec)
    return tuple(specs)


def read_input_spec(file: YamlFile, at: YamlPath) -> InputSpec | None:
    """One declared input; None, with a finding, where its type is unknown."""
    name = str(at[-1])
    if not isinstance(file.value(at), dict):
        file.report("NBC501", f"the input '{name}' needs a mapping with its type", at, key=True)
        return None
    kind = port_type(file, (*at, "type"), None)
    if kind is None:
        if file.value((*at, "type")) is None:
            file.report("NBC501", f"the input '{name}' has no type", at, key=True)
        return None
    literal = kind if kind in LITERAL_TYPES else None
    default = None
    if literal is not None and file.value((*at, "default")) is not None:
        default = _scalar(file, (*at, "default"), literal)
    choices = None
    if isinstance(listed := file.value((*at, "enum")), list) and literal is not None:
        found = [_scalar(file, (*at, "enum", index), literal) for index in range(len(listed))]
        choices = tuple(choice for choice in found if choice is not None)
    spec = InputSpec(
        name=name,
        type=kind,
        place=file.key_place(at),
        optional=file.flag((*at, "optional")) or False,
        default=default,
        minimum=_limit(file, (*at, "min")),
        maximum=_limit(file, (*at, "max")),
        choices=choices,
        mode=file.text((*at, "mode")),
        description=file.text((*at, "description")),
    )
    if default is not None:
        _in_range(file, (*at, "default"), lambda: spec.accept(default), name)
    return spec


def read_output_specs(file: YamlFile, at: YamlPath) -> tuple[OutputSpec, ...]:
    """The ``outputs`` of a component, or of an inline step (where a type may be missing)."""
    specs = []
    for name, value in file.mapping(at).items():
        here = (*at, name)
        if not usable_name(file, here, "output"):
            continue
        if value is not None and not isinstance(value, (dict, str)):
            file.report("NBC501", f"the output '{name}' needs a mapping with its type", here)
            continue
        kind = (
            port_type(file, (*here, "type"), "uri_folder")
            if isinstance(value, dict)
            else "uri_folder"
        )
        if kind is None:
            continue
        data_type = _data_type(kind)
        if data_type is None:
            file.report("NBC501", f"the output '{name}' has type {kind}; outputs are data", here)
            continue
        entry = isinstance(value, dict)
        specs.append(
            OutputSpec(
                name,
                data_type,
                file.key_place(here),
                mode=file.text((*here, "mode")) if entry else None,
                path=file.text((*here, "path")) if entry else None,
                description=file.text((*here, "description")) if entry else None,
            )
        )
    return tuple(specs)


def read_input_values(file: YamlFile, at: YamlPath) -> tuple[InputValue, ...]:
    """The ``inputs`` of a job or step."""
    values = []
    for name in file.mapping(at):
        if usable_name(file, (*at, name), "input"):
            values.append(_input_value(file, (*at, name)))
    return tuple(values)


def _input_value(file: YamlFile, at: YamlPath) -> InputValue:
    name, place, key = str(at[-1]), file.place(at), file.key_place(at)
    value = file.value(at)
    if value is None:
        return InputValue(name, place, key)
    if isinstance(value, list):
        file.report("NBC501", f"the input '{name}' cannot be a list", at)
        return InputValue(name, place, key, broken=True)
    if not isinstance(value, dict):
        if not isinstance(value, str):
            return InputValue(name, place, key, literal=cast(Scalar, value))
        try:
            binding = parse_binding(value)
        except BindingProblem as problem:
            file.report("NBC503", f"{name}: {problem}", at)
            return InputValue(name, place, key, broken=True)
        if binding is None:
            return InputValue(name, place, key, literal=value)
        return InputValue(name, place, key, binding=binding)
    kind = port_type(file, (*at, "type"), None)
    if kind is None and file.value((*at, "type")) is not None:
        return InputValue(name, place, key, broken=True)
    if kind in LITERAL_TYPES:
        declared = read_input_spec(file, at)
        given = file.value((*at, "value"))
        literal = _scalar(file, (*at, "value"), kind) if given is not None else None
        return InputValue(name, place, key, literal=literal, declared=declared)
    path = file.text((*at, "path"))
    mode = file.text((*at, "mode"))
    data_type = _data_type(kind)
    declared = (
        InputSpec(name, data_type, key, optional=file.flag((*at, "optional")) or False, mode=mode)
        if data_type
        else None
    )
    if path is None:
        return InputValue(name, place, key, declared=declared)
    here = file.place((*at, "path"))
    try:
        binding = parse_binding(path)
    except BindingProblem as problem:
        file.report("NBC503", f"{name}: {problem}", (*at, "path"))
        return InputValue(name, place, key, broken=True)
    if binding is not None:
        return InputValue(name, here, key, binding=binding, declared=declared)
    data = DataValue(path, data_type, mode, here)
    return InputValue(name, here, key, data=data, declared=declared)


def read_output_values(file: YamlFile, at: YamlPath) -> tuple[OutputValue, ...]:
    """The ``outputs`` of a job or step."""
    values = []
    for name, value in file.mapping(at).items():
        here = (*at, name)
        if not usable_name(file, here, "output"):
            continue
        place, key = file.place(here), file.key_place(here)
        if value is None:
            values.append(OutputValue(name, place, key))
        elif isinstance(value, str):
            try:
                binding = parse_binding(value)
            except BindingProblem as problem:
                file.report("NBC503", f"{name}: {problem}", here)
                continue
            if binding is None:
                file.report("NBC501", f"the output '{name}' must be a mapping or a binding", here)
                continue
            values.append(OutputValue(name, place, key, binding=binding))
        elif isinstance(value, dict):
            kind = port_type(file, (*here, "type"), None)
            if kind in LITERAL_TYPES:
                file.report(
                    "NBC501", f"the output '{name}' has type {kind}; outputs are data", here
                )
                continue
            path = file.text((*here, "path"))
            output_binding: Binding | None = None
            if path is not None and "${{parent." in path.replace(" ", ""):
                try:
                    output_binding = parse_binding(path)
                except BindingProblem as problem:
                    file.report("NBC503", f"{name}: {problem}", (*here, "path"))
                    continue
            values.append(
                OutputValue(
                    name,
                    place,
                    key,
                    binding=output_binding,
                    type=_data_type(kind),
                    mode=file.text((*here, "mode")),
                    path=None if output_binding else path,
                )
            )
        else:
            file.report("NBC501", f"the output '{name}' must be a mapping or a binding", here)
    return tuple(values)


def usable_name(file: YamlFile, at: YamlPath, what: str) -> bool:
    """Whether a name can be one of an input or output; a finding where it cannot."""
    name = str(at[-1])
    if _PORT_NAME.match(name) and len(name) <= 255:
        return True
    shown = name if len(name) <= 60 else name[:57] + "..."
    file.report(
        "NBC509",
        f"{shown!r} is no name of an {what}: use letters, digits and underscores, no digit first",
        at,
        key=True,
    )
    return False


def _data_type(kind: PortType | None) -> DataType | None:
    return None if kind is None or kind in LITERAL_TYPES else cast(DataType, kind)


def _scalar(file: YamlFile, at: YamlPath, kind: LiteralType) -> Scalar | None:
    try:
        return canonical(file.value(at), kind)
    except LiteralProblem as problem:
        name = ".".join(str(step) for step in at[-2:])
        file.report("NBC505", f"{name}: {problem}", at)
        return None


def _in_range(file: YamlFile, at: YamlPath, check: Callable[[], object], name: str) -> None:
    try:
        check()
    except LiteralProblem as problem:
        file.report("NBC505", f"default of '{name}': {problem}", at)


def _limit(file: YamlFile, at: YamlPath) -> float | None:
    if file.value(at) is None:
        return None
    value = _scalar(file, at, "number")
    return value if isinstance(value, (int, float)) else None
