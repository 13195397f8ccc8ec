"""component.yml and its command line.

Form: Microsoft's command component reference, and what azure-ai-ml 1.35 loads. Literals are passed as
``--name=value``, since a value such as ``-1e-05`` would be taken for an option otherwise. An optional
argument stands in ``$[[ ]]`` with blanks around it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from nbcomponent.contract.model import Interface, Parameter, Port

SCHEMA = "https://azuremlschemas.azureedge.net/latest/commandComponent.schema.json"

LEGAL_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""What Azure ML accepts as the version of an asset."""


def component_yaml(
    interface: Interface,
    *,
    script: str,
    version: str,
    environment: Mapping[str, object] | str,
    notebook: str,
    passing: Mapping[str, str] | None = None,
) -> dict[str, object]:
    """The data of component.yml.

    ``script`` is the script's file name; ``environment`` is inline (image and conda file) or a
    reference (``azureml:name:1``); ``notebook`` is the notebook's file name. ``passing`` says, for a
    script that the user wrote, how an argument is written on the command line.
    """
    inputs: dict[str, object] = {port.name: _port(port, output=False) for port in interface.inputs}
    inputs |= {interface.argument(p.name): _literal(p) for p in interface.parameters}
    data: dict[str, object] = {
        "$schema": SCHEMA,
        "type": "command",
        "name": interface.component,
        "version": version,
        "display_name": interface.display_name or interface.component,
    }
    if interface.description:
        data["description"] = " ".join(interface.description.split())
    data["tags"] = {"notebook": notebook}
    if interface.deterministic is not None:
        data["is_deterministic"] = interface.deterministic
    if inputs:
        data["inputs"] = inputs
    if interface.outputs:
        data["outputs"] = {port.name: _port(port, output=True) for port in interface.outputs}
    data["code"] = "."
    data["environment"] = dict(environment) if isinstance(environment, Mapping) else environment
    distribution = distribution_yaml(interface)
    if distribution:
        data["distribution"] = distribution
    resources = resources_yaml(interface)
    if resources:
        data["resources"] = resources
    data["command"] = command_line(interface, script, passing or {})
    return data


def command_line(interface: Interface, script: str, passing: Mapping[str, str]) -> str:
    """The command on one line, in the order inputs, parameters, outputs."""
    parts = [f"python {script}"]
    for port in interface.inputs:
        text = f"{passing.get(port.name, f'--{port.name}')} ${{{{inputs.{port.name}}}}}".strip()
        parts.append(f"$[[{text}]]" if port.optional else text)
    for parameter in interface.parameters:
        name = interface.argument(parameter.name)
        value = f"${{{{inputs.{name}}}}}"
        if parameter.type == "string":  # A value with blanks must stay one argument.
            value = f"'{value}'"
        option = passing.get(name, f"--{name}")
        text = f"{option}={value}" if option else value
        parts.append(f"$[[{text}]]" if is_optional(parameter) else text)
    for port in interface.outputs:
        option = passing.get(port.name, f"--{port.name}")
        parts.append(f"{option} ${{{{outputs.{port.name}}}}}".strip())
    return " ".join(parts)


def is_optional(parameter: Parameter) -> bool:
    """Whether component.yml leaves the argument out where no value is given.

    Also where the default cannot stand there: an empty text, which the service refuses in places, and
    ``nan`` or infinity. The script has these defaults itself.
    """
    return not parameter.required and yaml_default(parameter) is None


def yaml_default(parameter: Parameter) -> int | float | str | bool | None:
    """The default as component.yml may have it, None where it has none."""
    default = parameter.default
    if isinstance(default, float) and not math.isfinite(default):
        return None
    return default if default != "" else None


def _literal(parameter: Parameter) -> dict[str, object]:
    data: dict[str, object] = {"type": parameter.type}
    default = yaml_default(parameter)
    if is_optional(parameter):
        data["optional"] = True
    elif default is not None and not parameter.required:
        data["default"] = default
    for key, limit in (("min", parameter.min), ("max", parameter.max)):
        if limit is not None and math.isfinite(limit):
            data[key] = limit
    if parameter.type == "string" and parameter.choices:
        data["enum"] = list(parameter.choices)
    text = " ".join((parameter.description or "").split())
    if parameter.unit:
        text = f"{text} [{parameter.unit}]".strip()
    if text:
        data["description"] = text
    return data


def _port(port: Port, *, output: bool) -> dict[str, object]:
    data: dict[str, object] = {"type": port.type}
    if port.optional and not output:
        data["optional"] = True
    if port.mode is not None:
        data["mode"] = port.mode
    text = " ".join((port.description or "").split())
    if not port.binds_path and port.format:
        stored = f"stored as {port.format}"
        text = f"{text} ({stored})" if text else stored
    if text:
        data["description"] = text
    return data


def distribution_yaml(interface: Interface) -> dict[str, object]:
    """``distribution`` of the contract in Azure ML's words."""
    said = interface.distribution
    kind = said.get("type")
    if not isinstance(kind, str):
        return {}
    kind = kind.lower()
    if kind == "tensorflow":
        data: dict[str, object] = {
            "type": kind,
            "worker_count": said.get("workers", said.get("nodes", 1)),
        }
        if "parameter_servers" in said:
            data["parameter_server_count"] = said["parameter_servers"]
        return data
    if kind == "ray":
        return {"type": kind}
    return {"type": kind, "process_count_per_instance": said.get("processes_per_node", 1)}


def resources_yaml(interface: Interface) -> dict[str, object]:
    """``resources``: how many nodes; an instance type only where no cluster is named."""
    data: dict[str, object] = {}
    nodes = interface.distribution.get("nodes")
    if nodes is not None:
        data["instance_count"] = nodes
    target = interface.compute.get("target")
    if target in (None, "serverless") and interface.compute.get("instance_type"):
        data["instance_type"] = interface.compute["instance_type"]
    for key in ("shm_size", "docker_args"):
        if key in interface.compute:
            data[key] = interface.compute[key]
    return data
