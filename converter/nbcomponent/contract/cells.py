"""Contract cells: the YAML contract of one component, read exactly and with places.

The same reader takes the ``contract.yml`` of an exported folder (``exported=True``), which has a few
keys more. What is not written keeps the model's default; :attr:`Contract.stated` says what was.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Literal, TypeVar, cast, get_args

from nbcomponent.contract.model import (
    Column,
    DataType,
    Environment,
    Format,
    Interface,
    Metric,
    Parameter,
    ParameterType,
    Port,
    Scalar,
)
from nbcomponent.contract.rules import column_problems, path_problem
from nbcomponent.contract.written import Contract, place_of_span, span_of_value
from nbcomponent.core.diagnostics import Diagnostic, Fix, Place
from nbcomponent.notebook.model import Cell
from nbcomponent.schema.yaml_places import (
    YamlDocument,
    YamlError,
    YamlPath,
    parse_yaml,
)

CONTRACT_SCHEMA = "nbcomponent.component-contract/1"
"""What the key ``schema`` of an exported contract.yml says."""

DATA_TYPES: tuple[DataType, ...] = get_args(DataType)
FORMATS: tuple[Format, ...] = get_args(Format)
PARAMETER_TYPES: tuple[ParameterType, ...] = get_args(ParameterType)


_FENCE = re.compile(r"[ \t]*(```+|~~~+)[ \t]*([\w+-]*)[^`]*")


def yaml_of_cell(source: str) -> list[tuple[str, int]]:
    """The YAML in a contract cell, each piece with the number of lines before it.

    The fenced blocks marked ``yaml`` or ``yml``; where there are none, the unmarked blocks; where
    there is no fence at all, the whole cell.
    """
    blocks: list[tuple[str, str, int]] = []
    lines = source.split("\n")
    start: int | None = None
    fence = language = ""
    for number, line in enumerate(lines):
        found = _FENCE.fullmatch(line)
        if start is None and found is not None:
            fence, language, start = found.group(1), found.group(2).lower(), number + 1
        elif (
            start is not None
            and line.strip().startswith(fence)
            and not line.strip().strip(fence[0])
        ):
            blocks.append((language, "\n".join(lines[start:number]), start))
            start = None
    if start is not None:
        blocks.append((language, "\n".join(lines[start:]), start))
    for wanted in (("yaml", "yml"), ("",)):
        chosen = [(text, before) for language, text, before in blocks if language in wanted]
        if chosen:
            return chosen
    return [] if blocks else [(source, 0)]


def read_contract_cell(cell: Cell) -> Contract:
    """The contract in a raw or markdown cell."""
    pieces = yaml_of_cell(cell.source)
    if len(pieces) != 1:
        message = (
            "the contract cell has no YAML block; write it between ```yaml and ```"
            if not pieces
            else "the contract cell has several YAML blocks; a contract is one block"
        )
        line = pieces[1][1] if pieces else 1
        diagnostic = Diagnostic("NBC210", "error", message, Place(cell.index, line, 1, line, 1))
        return Contract(Interface(""), diagnostics=(diagnostic,), cell=cell.index)
    text, before = pieces[0]
    return read_contract_text(text, cell.index, before)


def read_contract_text(text: str, cell: int | None = None, origin: int = 0) -> Contract:
    """The contract in YAML ``text`` that begins after ``origin`` lines of ``cell``."""
    try:
        document = parse_yaml(text)
    except YamlError as error:
        diagnostic = Diagnostic(
            "NBC210",
            "error",
            f"the contract is not readable: {error.message}",
            place_of_span(error.span, cell, origin),
        )
        return Contract(Interface(""), diagnostics=(diagnostic,), cell=cell, origin=origin)
    return read_contract(document, cell, origin)


def read_contract(
    document: YamlDocument, cell: int | None = None, origin: int = 0, *, exported: bool = False
) -> Contract:
    """The contract in a YAML document. ``exported``: it is a contract.yml, with its own keys."""
    reader = _Reader(document, cell, origin, exported)
    interface = reader.interface()
    return Contract(
        interface,
        frozenset(reader.document.keys),
        tuple(reader.diagnostics),
        reader.document,
        cell,
        origin,
        frozenset(reader.broken),
    )


def name_problem(name: str) -> str | None:
    """Why ``name`` cannot be a variable of the notebook; None if it can."""
    if not name.isidentifier():
        return "is no Python name"
    if keyword.iskeyword(name):
        return "is a keyword of Python"
    return None


_KEYS: dict[str, tuple[str, ...]] = {
    "contract": (
        "component",
        "version",
        "display_name",
        "description",
        "inputs",
        "parameters",
        "outputs",
        "metrics",
        "invalid_when",
        "deterministic",
        "environment",
        "environment_variables",
        "include",
        "compute",
        "distribution",
        "checkpoint",
        "smoke",
    ),
    "inputs": (
        "type",
        "from",
        "meaning",
        "files",
        "format",
        "columns",
        "schema",
        "optional",
        "default",
        "mode",
    ),
    "outputs": ("type", "meaning", "files", "format", "columns", "schema", "default", "mode"),
    "parameters": (
        "type",
        "default",
        "min",
        "max",
        "choices",
        "meaning",
        "unit",
        "optional",
        "required",
    ),
    "column": (
        "dtype",
        "allowed",
        "nullable",
        "unique",
        "min",
        "max",
        "unit",
        "meaning",
        "required",
    ),
    "metric": ("scope", "goal", "meaning"),
    "environment": ("image", "conda"),
    "compute": ("target", "instance_type", "tier", "min_nodes", "max_nodes"),
    "checkpoint": ("output", "every"),
    "smoke": ("inputs", "parameters"),
}
_EXPORTED_KEYS: dict[str, tuple[str, ...]] = {
    "contract": ("schema", "renamed"),
    "inputs": ("variable", "binds"),
    "outputs": ("variable", "binds", "from", "optional"),
}
_OTHER_WORDS = {
    "description": "meaning",
    "help": "meaning",
    "doc": "meaning",
    "enum": "choices",
    "values": "allowed",
    "isin": "allowed",
    "minimum": "min",
    "maximum": "max",
    "ge": "min",
    "le": "max",
    "path": "default",
    "source": "from",
    "name": "component",
    "params": "parameters",
    "env": "environment_variables",
    "required": "optional",
    "type": "dtype",
    "dataType": "dtype",
    "int": "integer",
    "float": "number",
    "str": "string",
    "bool": "boolean",
    "file": "uri_file",
    "folder": "uri_folder",
    "directory": "uri_folder",
    "max": "maximize",
    "min": "minimize",
}
_OPPOSITES = frozenset(("required",))
"""Other words that say the contrary of the key that takes their place."""

_DISTRIBUTION: dict[str, dict[str, Literal["count", "text", "boolean", "port"]]] = {
    "pytorch": {"nodes": "count", "processes_per_node": "count"},
    "mpi": {"nodes": "count", "processes_per_node": "count"},
    "tensorflow": {"nodes": "count", "worker_count": "count", "parameter_server_count": "count"},
    "ray": {
        "nodes": "count",
        "port": "port",
        "address": "text",
        "include_dashboard": "boolean",
        "dashboard_port": "port",
        "head_node_additional_args": "text",
        "worker_node_additional_args": "text",
    },
}
_INPUT_MODES = ("ro_mount", "download", "direct", "eval_mount", "eval_download")
_OUTPUT_MODES = ("rw_mount", "upload", "direct")
_EVERY = re.compile(r"[1-9][0-9]*(s|m|h)")
_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,249}")  # what Azure ML accepts
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

Choice = TypeVar("Choice", bound=str)


def _kind(value: object) -> str:
    """What a YAML value is, in words."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return f"{'true' if value else 'false'} (a boolean)"
    if isinstance(value, (int, float)):
        return f"the number {value!r}"
    if isinstance(value, str):
        return f"the text {value!r}" if len(value) < 40 else "a text"
    return "a list" if isinstance(value, list) else "a mapping"


class _Reader:
    """Reads section by section; each finding has the place of the key or value it is about."""

    def __init__(
        self, document: YamlDocument, cell: int | None, origin: int, exported: bool
    ) -> None:
        self.document = document
        self.broken: set[YamlPath] = set()
        self._guessed: set[YamlPath] = set()
        self._cell = cell
        self._origin = origin
        self._exported = exported
        self._component: str | None = None
        self.diagnostics: list[Diagnostic] = []

    def interface(self) -> Interface:
        for problem in self.document.problems:
            code = "NBC211" if problem.kind == "duplicate-key" else "NBC213"
            self.broken.add(problem.path)
            place = place_of_span(problem.span, self._cell, self._origin)
            self.diagnostics.append(Diagnostic(code, "error", problem.message, place))
        data = self._mapping(self.document.data, (), "contract")
        self._component = self._text(data, ("component",)) or None
        name = self._component or ""
        if data.get("schema") not in (None, CONTRACT_SCHEMA):
            self._report("NBC214", ("schema",), f"schema must be {CONTRACT_SCHEMA!r}")
        return Interface(
            component=name,
            version=self._version(data),
            display_name=self._text(data, ("display_name",)),
            description=self._text(data, ("description",)),
            parameters=tuple(self._named(data, "parameters", self._parameter)),
            inputs=tuple(self._named(data, "inputs", self._port)),
            outputs=tuple(self._named(data, "outputs", self._port)),
            metrics=tuple(self._metrics(data)),
            invalid_when=self._texts(data, ("invalid_when",)),
            deterministic=self._boolean(data, ("deterministic",)),
            environment=self._environment(data),
            environment_variables=self._environment_variables(data),
            include=self._paths(data, ("include",)),
            compute=self._compute(data),
            distribution=self._distribution(data),
            checkpoint=self._checkpoint(data),
            smoke=self._smoke(data),
            renamed=self._text_map(data, "renamed"),
        )

    # Findings

    def _report(
        self, code: str, path: YamlPath, message: str, *, key: bool = False, fix: str | None = None
    ) -> None:
        self.broken.add(path)
        if path in self._guessed:
            return  # that it does not fit here follows from the key, which was reported
        span = self.document.span_of_key(path) if key else span_of_value(self.document, path)
        self.diagnostics.append(
            Diagnostic(
                code,
                "error",
                message,
                place_of_span(span, self._cell, self._origin),
                component=self._component,
                fix=Fix(fix, "edit") if fix else None,
            )
        )

    def _wrong_type(self, path: YamlPath, value: object, wanted: str) -> None:
        where = ".".join(str(part) for part in path) or "the contract"
        self._report("NBC213", path, f"{where} must be {wanted}, but is {_kind(value)}")

    # Values

    def _mapping(self, value: object, path: YamlPath, kind: str | None) -> dict[str, object]:
        """The mapping at ``path`` with the keys that ``kind`` knows; empty where there is none."""
        if value is None:
            return {}
        if not isinstance(value, dict):
            self._wrong_type(path, value, "a mapping (`key: value`)")
            return {}
        data = cast("dict[str, object]", value)
        if kind is None:
            return data
        known = _KEYS[kind] + (_EXPORTED_KEYS.get(kind, ()) if self._exported else ())
        told = {problem.path for problem in self.document.problems}
        read: dict[str, object] = {}
        for key, item in data.items():
            if key in known:
                read[key] = item
            elif (*path, key) not in told:
                meant = self._unknown_key((*path, key), key, known)
                if meant is not None and meant not in data and meant not in read:
                    read[meant] = item
                    self._read_as((*path, key), meant, item)
        return read

    def _read_as(self, path: YamlPath, meant: str, item: object) -> None:
        """Go on with what was meant by the key at ``path``, so that one slip is one finding."""
        document = self.document
        if not self._guessed:
            document = replace(
                document,
                keys=dict(document.keys),
                values=dict(document.values),
                texts=dict(document.texts),
            )
            self.document = document
        new = (*path[:-1], meant)
        self._guessed.add(new)
        for places in (document.keys, document.values, document.texts):
            assert isinstance(places, dict)
            for below in _paths_in(item):
                if path + below in places:
                    places[new + below] = places[path + below]

    def _unknown_key(self, path: YamlPath, key: str, known: tuple[str, ...]) -> str | None:
        """Report the key. What it is read as, None where that cannot be told."""
        guess = _guess(key, known)
        hint = f"; did you mean {guess!r}?" if guess else f"; known are {', '.join(known)}"
        self._report(
            "NBC212",
            path,
            f"the key {key!r} is not known here{hint}",
            key=True,
            fix=f"write {guess}" if guess else None,
        )
        return guess if key not in _OPPOSITES else None

    def _text(self, data: Mapping[str, object], path: YamlPath) -> str | None:
        value = data.get(str(path[-1]))
        if value is None or isinstance(value, str):
            return value
        self._wrong_type(path, value, "text (put it in quotes)")
        return None

    def _boolean(self, data: Mapping[str, object], path: YamlPath) -> bool | None:
        value = data.get(str(path[-1]))
        if value is None or isinstance(value, bool):
            return value
        self._wrong_type(path, value, "true or false")
        return None

    def _number(self, data: Mapping[str, object], path: YamlPath) -> int | float | None:
        value = data.get(str(path[-1]))
        if value is None:
            return None
        if isinstance(value, (int, float)) and not isinstance(value, bool) and value == value:
            return value
        self._wrong_type(path, value, "a number")
        return None

    def _count(self, data: Mapping[str, object], path: YamlPath, least: int) -> int | None:
        value = data.get(str(path[-1]))
        if value is None:
            return None
        if isinstance(value, int) and not isinstance(value, bool) and value >= least:
            return value
        self._wrong_type(path, value, f"a whole number, at least {least}")
        return None

    def _one_of(
        self,
        data: Mapping[str, object],
        path: YamlPath,
        known: tuple[Choice, ...],
        code: str = "NBC214",
    ) -> Choice | None:
        value = self._text(data, path)
        if value is None:
            return None
        for choice in known:
            if choice == value:
                return choice
        guess = _guess(value, known)
        hint = f"; did you mean {guess!r}?" if guess else ""
        self._report(
            code,
            path,
            f"{path[-1]} must be one of {', '.join(known)}, but is {value!r}{hint}",
            fix=f"write {guess}" if guess else None,
        )
        return next((choice for choice in known if choice == guess), None)

    def _list(self, data: Mapping[str, object], path: YamlPath) -> list[object]:
        value = data.get(str(path[-1]))
        if value is None:
            return []
        if isinstance(value, list):
            return value
        self._wrong_type(path, value, "a list")
        return []

    def _texts(self, data: Mapping[str, object], path: YamlPath) -> tuple[str, ...]:
        texts: list[str] = []
        for index, item in enumerate(self._list(data, path)):
            if isinstance(item, str):
                texts.append(item)
            else:
                self._wrong_type((*path, index), item, "text")
        return tuple(texts)

    def _paths(self, data: Mapping[str, object], path: YamlPath) -> tuple[str, ...]:
        good: list[str] = []
        for index, item in enumerate(self._list(data, path)):
            if not isinstance(item, str):
                self._wrong_type((*path, index), item, "a path")
            elif self._confined((*path, index), item):
                good.append(item)
        return tuple(good)

    def _confined(self, path: YamlPath, text: str) -> bool:
        problem = path_problem(text)
        if problem is not None:
            where = ".".join(str(part) for part in path if isinstance(part, str))
            self._report(
                "NBC225",
                path,
                f"the path {text!r} of {where} {problem}; write a path inside the folder",
            )
        return problem is None

    def _scalar(self, value: object, path: YamlPath) -> Scalar | None:
        if isinstance(value, (str, bool, int)):
            return value
        if isinstance(value, float) and value == value and abs(value) != float("inf"):
            return value
        if value is not None:
            self._wrong_type(path, value, "a number, a text or a boolean")
        return None

    def _text_map(self, data: Mapping[str, object], key: str) -> dict[str, str]:
        texts: dict[str, str] = {}
        for name, value in self._mapping(data.get(key), (key,), None).items():
            if isinstance(value, str):
                texts[name] = value
            else:
                self._wrong_type((key, name), value, "text (put it in quotes)")
        return texts

    # Sections

    def _version(self, data: Mapping[str, object]) -> str | None:
        value = data.get("version")
        if value is None:
            return None
        if not isinstance(value, str):
            written = self.document.texts.get(("version",), str(value))
            self._report(
                "NBC228",
                ("version",),
                f'the version is {_kind(value)}, not text; write version: "{written}"',
                fix=f'write "{written}"',
            )
            return None
        if not _VERSION.fullmatch(value):
            self._report(
                "NBC228",
                ("version",),
                "a version is 1 to 250 letters, digits, dots, hyphens and underscores without blanks, "
                'a letter or digit first, such as "1.2.0"',
            )
            return None
        return value

    def _named(
        self,
        data: Mapping[str, object],
        section: str,
        read: Callable[[str, dict[str, object], YamlPath], Named],
    ) -> Iterable[Named]:
        for name, value in self._mapping(data.get(section), (section,), None).items():
            problem = name_problem(name)
            if problem is not None:
                self._report(
                    "NBC222",
                    (section, name),
                    f"{name!r} in {section} {problem}; the key is the notebook's variable",
                    key=True,
                )
                continue
            path: YamlPath = (section, name)
            yield read(name, self._mapping(value, path, section), path)

    def _parameter(self, name: str, data: dict[str, object], path: YamlPath) -> Parameter:
        default = self._scalar(data.get("default"), (*path, "default"))
        low = self._number(data, (*path, "min"))
        high = self._number(data, (*path, "max"))
        choices = self._choices(data, (*path, "choices"))
        written = self._one_of(data, (*path, "type"), PARAMETER_TYPES)
        optional = self._boolean(data, (*path, "optional"))
        required = self._boolean(data, (*path, "required"))
        if required and (optional or default is not None):
            other = "optional" if optional else "given a default"
            self._report(
                "NBC217", (*path, "required"), f"{name} is required and also {other}; keep one"
            )
            required = False
        optional = bool(optional) or ("default" in data and data["default"] is None)
        return Parameter(
            name=name,
            type=written or _type_of([default, *(choices or ()), low, high]),
            default=default,
            required=bool(required) or (default is None and not optional),
            optional=optional,
            min=low,
            max=high,
            choices=choices,
            description=self._text(data, (*path, "meaning")),
            unit=self._text(data, (*path, "unit")),
            cell=self._cell,
            line=self._line(path),
        )

    def _line(self, path: YamlPath) -> int | None:
        if self._cell is None:
            return None
        return self.document.span_of_key(path).line + self._origin

    def _choices(
        self, data: Mapping[str, object], path: YamlPath
    ) -> tuple[str, ...] | tuple[int, ...] | tuple[float, ...] | None:
        if data.get("choices") is None:
            return None
        items = [
            self._scalar(item, (*path, index)) for index, item in enumerate(self._list(data, path))
        ]
        texts = tuple(item for item in items if isinstance(item, str))
        numbers = tuple(
            item for item in items if isinstance(item, (int, float)) and not isinstance(item, bool)
        )
        if len(texts) == len(items) and texts:
            return texts
        if len(numbers) == len(items) and numbers:
            return numbers
        self._report(
            "NBC215",
            path,
            "choices must be a list of texts or a list of numbers, with one at least",
        )
        return None

    def _port(self, name: str, data: dict[str, object], path: YamlPath) -> Port:
        written = self._one_of(data, (*path, "type"), DATA_TYPES)
        format_ = self._one_of(data, (*path, "format"), FORMATS)
        section = str(path[0])
        kind: DataType = written or ("uri_file" if format_ else "uri_folder")
        binds = self._one_of(data, (*path, "binds"), ("path", "value"))
        source = self._text(data, (*path, "from"))
        schema = data.get("schema")
        if schema is not None and not isinstance(schema, dict):
            self._wrong_type((*path, "schema"), schema, "a JSON schema (a mapping)")
            schema = None
        return Port(
            name=name,
            variable=self._text(data, (*path, "variable")) or name,
            type=kind,
            binds_path=(binds == "path") if binds is not None else format_ is None,
            format=format_,
            source=source,
            optional=bool(self._boolean(data, (*path, "optional"))),
            default=self._text(data, (*path, "default")),
            description=self._text(data, (*path, "meaning")),
            files=self._paths(data, (*path, "files")),
            columns=tuple(self._columns(data, (*path, "columns"))),
            json_schema=cast("dict[str, object] | None", schema),
            mode=self._mode(data, (*path, "mode"), section, kind),
            cell=self._cell,
            line=self._line(path),
        )

    def _mode(
        self, data: Mapping[str, object], path: YamlPath, section: str, kind: DataType
    ) -> str | None:
        mode = self._one_of(data, path, _INPUT_MODES if section == "inputs" else _OUTPUT_MODES)
        if mode is not None and mode.startswith("eval_") and kind != "mltable":
            self._report("NBC214", path, f"the mode {mode} is for mltable only")
            return None
        return mode

    def _columns(self, data: Mapping[str, object], path: YamlPath) -> Iterable[Column]:
        for name, value in self._mapping(data.get("columns"), path, None).items():
            here: YamlPath = (*path, name)
            item = self._mapping(value, here, "column")
            nullable = self._boolean(item, (*here, "nullable"))
            required = self._boolean(item, (*here, "required"))
            allowed: tuple[Scalar, ...] | None = None
            kept: list[int] = []
            if item.get("allowed") is not None:
                scalars = [
                    self._scalar(entry, (*here, "allowed", index))
                    for index, entry in enumerate(self._list(item, (*here, "allowed")))
                ]
                kept = [index for index, entry in enumerate(scalars) if entry is not None]
                allowed = tuple(entry for entry in scalars if entry is not None)
            column = Column(
                name=name,
                dtype=self._text(item, (*here, "dtype")),
                allowed=allowed,
                nullable=True if nullable is None else nullable,
                unique=bool(self._boolean(item, (*here, "unique"))),
                min=self._number(item, (*here, "min")),
                max=self._number(item, (*here, "max")),
                unit=self._text(item, (*here, "unit")),
                meaning=self._text(item, (*here, "meaning")),
                required=True if required is None else required,
            )
            for code, message, at in column_problems(column):
                written = tuple(kept[part] if isinstance(part, int) else part for part in at)
                self._report(code, (*here, *written), message)
            yield column

    def _metrics(self, data: Mapping[str, object]) -> Iterable[Metric]:
        for name, value in self._mapping(data.get("metrics"), ("metrics",), None).items():
            path: YamlPath = ("metrics", name)
            item = self._mapping(value, path, "metric")
            if not name.strip() or len(name) > 250:
                self._report(
                    "NBC222", path, "the name of a metric has 1 to 250 characters", key=True
                )
                continue
            yield Metric(
                name=name,
                scope=self._one_of(item, (*path, "scope"), _SCOPES) or "global",
                goal=self._one_of(item, (*path, "goal"), _GOALS),
                description=self._text(item, (*path, "meaning")),
            )

    def _environment(self, data: Mapping[str, object]) -> Environment:
        item = self._mapping(data.get("environment"), ("environment",), "environment")
        conda = self._text(item, ("environment", "conda"))
        if conda is not None and not self._confined(("environment", "conda"), conda):
            conda = None
        return Environment(image=self._text(item, ("environment", "image")), conda=conda)

    def _environment_variables(self, data: Mapping[str, object]) -> dict[str, str]:
        texts = self._text_map(data, "environment_variables")
        for name in texts:
            if not _VARIABLE.fullmatch(name):
                self._report(
                    "NBC222",
                    ("environment_variables", name),
                    f"{name!r} is no name of an environment variable (letters, digits, underscore)",
                    key=True,
                )
        return {name: text for name, text in texts.items() if _VARIABLE.fullmatch(name)}

    def _compute(self, data: Mapping[str, object]) -> dict[str, object]:
        item = self._mapping(data.get("compute"), ("compute",), "compute")
        read: dict[str, object] = {
            "target": self._text(item, ("compute", "target")),
            "instance_type": self._text(item, ("compute", "instance_type")),
            "tier": self._one_of(item, ("compute", "tier"), ("low_priority", "dedicated")),
            "min_nodes": self._count(item, ("compute", "min_nodes"), 0),
            "max_nodes": self._count(item, ("compute", "max_nodes"), 1),
        }
        low, high = read["min_nodes"], read["max_nodes"]
        if isinstance(low, int) and isinstance(high, int) and low > high:
            self._report(
                "NBC215", ("compute", "min_nodes"), f"min_nodes {low} is above max_nodes {high}"
            )
        return _present(item, read)

    def _distribution(self, data: Mapping[str, object]) -> dict[str, object]:
        path: YamlPath = ("distribution",)
        item = self._mapping(data.get("distribution"), path, None)
        if not item:
            return {}
        known_keys = {key for keys in _DISTRIBUTION.values() for key in keys}
        if "type" not in item:
            item = self._with_meant_type(item, path, known_keys)
        kind = self._text(item, (*path, "type"))
        if kind is None:
            if item.get("type") is None:
                self._report(
                    "NBC227",
                    path,
                    f"distribution needs a type: {', '.join(_DISTRIBUTION)}",
                    key=True,
                )
            return {}
        if kind == "deepspeed":
            self._report(
                "NBC227",
                (*path, "type"),
                "Azure ML has no distribution type deepspeed; write pytorch (DeepSpeed reads the "
                "variables that its launch sets) or mpi, and start the script with DeepSpeed's library",
                fix="write pytorch",
            )
            return {}
        if kind not in _DISTRIBUTION:
            self._one_of(item, (*path, "type"), tuple(_DISTRIBUTION), "NBC227")
            return {}
        read: dict[str, object] = {"type": kind}
        known = _DISTRIBUTION[kind]
        for key in item:
            here: YamlPath = (*path, key)
            if key == "type":
                continue
            if key not in known:
                if key in known_keys:
                    self._report(
                        "NBC227", here, f"{key} has no meaning for the type {kind}", key=True
                    )
                else:
                    self._unknown_key(here, key, ("type", *known))
            elif known[key] == "boolean":
                read[key] = self._boolean(item, here)
            elif known[key] == "text":
                read[key] = self._text(item, here)
            else:
                read[key] = self._count(item, here, 1 if key != "parameter_server_count" else 0)
        return _present(item, read)

    def _with_meant_type(
        self, item: dict[str, object], path: YamlPath, known: set[str]
    ) -> dict[str, object]:
        """The mapping of a distribution with its type, where only the key is misspelt."""
        for key in item:
            if key not in known and _guess(key, ("type", *known)) == "type":
                self._unknown_key((*path, key), key, ("type", *known))
                self._read_as((*path, key), "type", item[key])
                return {"type" if name == key else name: value for name, value in item.items()}
        return item

    def _checkpoint(self, data: Mapping[str, object]) -> dict[str, object]:
        item = self._mapping(data.get("checkpoint"), ("checkpoint",), "checkpoint")
        every = self._text(item, ("checkpoint", "every"))
        if every is not None and not _EVERY.fullmatch(every):
            self._report(
                "NBC214",
                ("checkpoint", "every"),
                f"{every!r} is no interval; write a whole number with s, m or h, such as 30m",
            )
            every = None
        return _present(
            item, {"output": self._text(item, ("checkpoint", "output")), "every": every}
        )

    def _smoke(self, data: Mapping[str, object]) -> dict[str, object]:
        item = self._mapping(data.get("smoke"), ("smoke",), "smoke")
        inputs: dict[str, object] = {}
        parameters: dict[str, object] = {}
        for name, value in self._mapping(item.get("inputs"), ("smoke", "inputs"), None).items():
            if not isinstance(value, str):
                self._wrong_type(("smoke", "inputs", name), value, "a path")
            elif self._confined(("smoke", "inputs", name), value):
                inputs[name] = value
        path: YamlPath = ("smoke", "parameters")
        for name, value in self._mapping(item.get("parameters"), path, None).items():
            scalar = self._scalar(value, (*path, name))
            if scalar is not None:
                parameters[name] = scalar
        return _present(item, {"inputs": inputs, "parameters": parameters})


Named = TypeVar("Named", Parameter, Port)

_SCOPES: tuple[Literal["global"], Literal["worker"]] = ("global", "worker")
_GOALS: tuple[Literal["maximize"], Literal["minimize"]] = ("maximize", "minimize")


def _present(item: Mapping[str, object], read: Mapping[str, object]) -> dict[str, object]:
    """What was read, in the order in which it was written."""
    return {key: read[key] for key in item if read.get(key) is not None}


def _type_of(values: Iterable[object]) -> ParameterType:
    """The type that default, choices and range show; text where they show none."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return "boolean"
    if kinds == {int}:
        return "integer"
    return "number" if kinds and kinds <= {int, float} else "string"


def _guess(word: str, known: Iterable[str]) -> str | None:
    """The known word that was probably meant."""
    import difflib  # only where something is wrong

    choices = list(known)
    other = _OTHER_WORDS.get(word)
    if other in choices:
        return other
    wanted = word.lower().replace("-", "_")
    for choice in choices:
        if sorted(choice) == sorted(wanted):  # letters in another order: `form` is `from`
            return choice
    close = difflib.get_close_matches(wanted, choices, 1, 0.7)
    return close[0] if close else None


def _paths_in(item: object) -> Iterator[YamlPath]:
    """The paths of all that ``item`` holds, itself first."""
    waiting: list[tuple[YamlPath, object]] = [((), item)]
    while waiting:
        path, value = waiting.pop()
        yield path
        if isinstance(value, dict):
            waiting += [((*path, key), inner) for key, inner in value.items()]
        elif isinstance(value, list):
            waiting += [((*path, index), inner) for index, inner in enumerate(value)]
