"""contract.yml: an interface as plain data, and back.

The file stands alone: whoever has the exported folder knows from it what arguments mean, which values
they take and what makes an input invalid. Where component.yml has a field too, both say the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from nbcomponent.contract.cells import CONTRACT_SCHEMA, read_contract
from nbcomponent.contract.model import Column, Interface, Metric, Parameter, Port
from nbcomponent.core.diagnostics import Place
from nbcomponent.core.errors import UnusableInput, unusable
from nbcomponent.schema.yaml_places import (
    Span,
    YamlDocument,
    YamlError,
    YamlPath,
    decode_yaml,
    parse_yaml,
)


def contract_yaml(interface: Interface) -> dict[str, object]:
    """The data of contract.yml, in reading order; what is not set is left out."""
    environment = interface.environment
    return _set(
        {
            "schema": CONTRACT_SCHEMA,
            "component": interface.component,
            "version": interface.version,
            "display_name": interface.display_name,
            "description": interface.description,
            "inputs": {port.name: _port(port) for port in interface.inputs},
            "parameters": {p.name: _parameter(p) for p in interface.parameters},
            "outputs": {port.name: _port(port) for port in interface.outputs},
            "metrics": {metric.name: _metric(metric) for metric in interface.metrics},
            "invalid_when": list(interface.invalid_when),
            "deterministic": interface.deterministic,
            "environment": _set({"image": environment.image, "conda": environment.conda}),
            "environment_variables": dict(interface.environment_variables),
            "include": list(interface.include),
            "compute": _plain(interface.compute),
            "distribution": _plain(interface.distribution),
            "checkpoint": _plain(interface.checkpoint),
            "smoke": _plain(interface.smoke),
            "renamed": dict(interface.renamed),
        }
    )


def load_contract(data: object, path: str = "contract.yml") -> Interface:
    """The interface in the data of a contract.yml (or of a contract cell).

    Raises :class:`UnusableInput`, naming ``path``, with the first finding where the data is none.
    """
    return _interface(_document(data), path)


def parse_contract(content: bytes, path: str) -> Interface:
    """The interface in the bytes of a contract.yml.

    Raises :class:`UnusableInput` with the first finding and its place in the file.
    """
    try:
        document = parse_yaml(decode_yaml(content))
    except YamlError as error:
        span = error.span
        place = Place(None, span.line, span.column, span.end_line, span.end_column)
        raise unusable(
            path, "NBC210", f"the contract is not readable: {error.message}", place
        ) from error
    return _interface(document, path)


def without_places(interface: Interface) -> Interface:
    """The interface without cells and lines, which contract.yml does not hold."""
    return replace(
        interface,
        parameters=tuple(replace(p, cell=None, line=None) for p in interface.parameters),
        inputs=tuple(replace(p, cell=None, line=None) for p in interface.inputs),
        outputs=tuple(replace(p, cell=None, line=None) for p in interface.outputs),
    )


def _interface(document: YamlDocument, path: str) -> Interface:
    contract = read_contract(document, exported=True)
    if contract.diagnostics:
        raise UnusableInput(contract.diagnostics[0], path)
    if not contract.interface.component:
        raise unusable(path, "NBC219", "the contract does not say its component")
    return contract.interface


def _document(data: object) -> YamlDocument:
    """Plain data with its keys listed, as if it had been read from a text without lines."""
    keys: dict[YamlPath, Span] = {}
    open_: list[tuple[YamlPath, object]] = [((), data)]
    while open_:
        path, value = open_.pop()
        if isinstance(value, Mapping):
            for key, item in value.items():
                here: YamlPath = (*path, str(key))
                keys[here] = Span(1, 1, 1, 1)
                open_.append((here, item))
    return YamlDocument(data, keys=keys)


def _parameter(parameter: Parameter) -> dict[str, object]:
    return _set(
        {
            "type": parameter.type,
            "default": parameter.default,
            "required": parameter.required or None,
            "optional": parameter.optional or None,
            "min": parameter.min,
            "max": parameter.max,
            "choices": None if parameter.choices is None else list(parameter.choices),
            "unit": parameter.unit,
            "meaning": parameter.description,
        }
    )


def _port(port: Port) -> dict[str, object]:
    return _set(
        {
            "type": port.type,
            "variable": port.variable if port.variable != port.name else None,
            "binds": "path" if port.binds_path else "value",
            "format": port.format,
            "from": port.source,
            "optional": port.optional or None,
            "default": port.default,
            "meaning": port.description,
            "mode": port.mode,
            "files": list(port.files),
            "columns": {column.name: _column(column) for column in port.columns},
            "schema": None if port.json_schema is None else _plain(port.json_schema),
        }
    )


def _column(column: Column) -> dict[str, object]:
    return _set(
        {
            "dtype": column.dtype,
            "allowed": None if column.allowed is None else list(column.allowed),
            "nullable": None if column.nullable else False,
            "unique": column.unique or None,
            "min": column.min,
            "max": column.max,
            "unit": column.unit,
            "meaning": column.meaning,
            "required": None if column.required else False,
        }
    )


def _metric(metric: Metric) -> dict[str, object]:
    return _set({"scope": metric.scope, "goal": metric.goal, "meaning": metric.description})


def _set(data: Mapping[str, object]) -> dict[str, object]:
    return {
        key: value for key, value in data.items() if value is not None and value not in ([], {})
    }


def _plain(value: object) -> object:
    """Mappings and tuples as dict and list, so that anything can write them."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value
