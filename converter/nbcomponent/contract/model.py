"""The interface of a component, as the notebook declares it and the contract completes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Union

ParameterType = Literal["integer", "number", "string", "boolean"]
DataType = Literal[
    "uri_file", "uri_folder", "mltable", "mlflow_model", "custom_model", "triton_model"
]
Format = Literal["parquet", "csv", "npy", "npz", "json", "text", "joblib", "pickle"]
Scalar = Union[int, float, str, bool]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A literal argument of the component. ``optional``: it may be left out and is then None.

    ``name`` is the notebook's variable; the argument is :meth:`Interface.argument` of it (another
    name only where Azure refuses this one). ``required``: there is no default and it is not optional.
    ``min`` and ``max`` belong to the range. ``cell`` and ``line`` say where it is declared (the
    parameters cell before the contract), ``line`` from 1.
    """

    name: str
    type: ParameterType
    default: Scalar | None = None
    required: bool = False
    optional: bool = False
    min: float | int | None = None
    max: float | int | None = None
    choices: tuple[str, ...] | tuple[int, ...] | tuple[float, ...] | None = None
    description: str | None = None
    unit: str | None = None
    cell: int | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """What a column of a table must be. ``dtype`` is a numpy/pandas name; ``allowed`` the values."""

    name: str
    dtype: str | None = None
    allowed: tuple[Scalar, ...] | None = None
    nullable: bool = True
    unique: bool = False
    min: float | int | None = None
    max: float | int | None = None
    unit: str | None = None
    meaning: str | None = None
    required: bool = True


@dataclass(frozen=True, slots=True)
class Port:
    """A data input or output.

    ``name`` is the argument's name; ``variable`` the notebook variable it binds. ``binds_path``: the
    variable receives a ``pathlib.Path``; otherwise the value is stored and loaded as ``format``.
    ``source`` is ``step.output`` for an input that another component makes. ``default`` is the path
    that the notebook itself uses.
    """

    name: str
    variable: str
    type: DataType
    binds_path: bool = True
    format: Format | None = None
    source: str | None = None
    optional: bool = False
    default: str | None = None
    description: str | None = None
    files: tuple[str, ...] = ()
    columns: tuple[Column, ...] = ()
    json_schema: Mapping[str, object] | None = None
    mode: str | None = None
    cell: int | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Metric:
    """A number that the component logs. ``scope``: of all workers or of one."""

    name: str
    scope: Literal["global", "worker"] = "global"
    goal: Literal["maximize", "minimize"] | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True)
class Environment:
    """Software of the component: container image and conda file, both as written in the contract."""

    image: str | None = None
    conda: str | None = None


@dataclass(frozen=True, slots=True)
class Interface:
    """The whole contract of one component. Lists keep the order of the notebook.

    ``renamed`` maps a notebook variable to its argument's name where they differ because Azure refuses
    the variable's name. (An input and an output of one variable differ by :attr:`Port.name` alone.)
    ``deterministic`` is None where the contract does not say. ``smoke`` (its inputs and parameters) and
    ``checkpoint`` (its output) name arguments.
    """

    component: str
    version: str | None = None
    display_name: str | None = None
    description: str | None = None
    parameters: tuple[Parameter, ...] = ()
    inputs: tuple[Port, ...] = ()
    outputs: tuple[Port, ...] = ()
    metrics: tuple[Metric, ...] = ()
    invalid_when: tuple[str, ...] = ()
    deterministic: bool | None = None
    environment: Environment = field(default_factory=Environment)
    environment_variables: Mapping[str, str] = field(default_factory=dict)
    include: tuple[str, ...] = ()
    compute: Mapping[str, object] = field(default_factory=dict)
    distribution: Mapping[str, object] = field(default_factory=dict)
    checkpoint: Mapping[str, object] = field(default_factory=dict)
    smoke: Mapping[str, object] = field(default_factory=dict)
    renamed: Mapping[str, str] = field(default_factory=dict)

    def argument(self, variable: str) -> str:
        """The argument (input name in component.yml) of the parameter that ``variable`` names."""
        return self.renamed.get(variable, variable)
