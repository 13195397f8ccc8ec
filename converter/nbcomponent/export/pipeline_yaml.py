"""pipeline.yml: the components of a notebook as steps, outputs wired to inputs."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Mapping, Sequence

from nbcomponent.contract.model import Interface, Port
from nbcomponent.export.component_yaml import is_optional, yaml_default

SCHEMA = "https://azuremlschemas.azureedge.net/latest/pipelineJob.schema.json"

_IS_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")


def pipeline_yaml(
    interfaces: Sequence[Interface], *, name: str, notebook_folder: str
) -> dict[str, object]:
    """The data of pipeline.yml.

    ``interfaces`` in notebook order. ``name`` is the notebook's stem. ``notebook_folder`` is the
    notebook's folder as seen from the pipeline's, for data that lie beside the notebook.

    A required parameter becomes a pipeline input without a value, an empty text: a pipeline job cannot
    declare one otherwise, and both the service and the script refuse it until a value is set.
    """
    steps = in_dependency_order(interfaces)
    by_name = {interface.component: interface for interface in interfaces}
    shared = _parameter_names(interfaces)
    external = _external_names(interfaces, set(shared.values()), by_name)
    final = _final_names(interfaces, by_name)
    inputs: dict[str, object] = {}
    for interface in steps:
        for port in interface.inputs:
            key = external.get((interface.component, port.name))
            if (
                key is not None
                and key not in inputs
                and not (port.optional and port.default is None)
            ):
                inputs[key] = _data_input(port, notebook_folder)
        for parameter in interface.parameters:
            key = shared[interface.component, parameter.name]
            default = yaml_default(parameter)
            if key not in inputs and default is not None:
                inputs[key] = default
            elif key not in inputs and parameter.required:
                inputs[key] = ""
    data: dict[str, object] = {"$schema": SCHEMA, "type": "pipeline", "display_name": name}
    if inputs:
        data["inputs"] = inputs
    outputs = {
        key: {"type": port.type}
        for interface in steps
        for port in interface.outputs
        for key in [final.get((interface.component, port.name))]
        if key is not None
    }
    if outputs:
        data["outputs"] = outputs
    data["settings"] = {"default_compute": _default_compute(interfaces)}
    data["jobs"] = {
        interface.component: _step(interface, by_name, shared, external, final, inputs)
        for interface in steps
    }
    return data


def in_dependency_order(interfaces: Sequence[Interface]) -> list[Interface]:
    """Steps after those that they read from, otherwise in notebook order; a cycle keeps its order."""
    waiting = list(interfaces)
    names = {interface.component for interface in interfaces}
    done: list[Interface] = []
    placed: set[str] = set()
    while waiting:
        ready = next(
            (i for i in waiting if _sources(i) & names <= placed | {i.component}),
            waiting[0],
        )
        waiting.remove(ready)
        done.append(ready)
        placed.add(ready.component)
    return done


def _sources(interface: Interface) -> set[str]:
    return {p.source.partition(".")[0] for p in interface.inputs if p.source is not None}


def source_of(port: Port, interfaces: Mapping[str, Interface]) -> tuple[str, str] | None:
    """Step and output that an input comes from, None where it comes from outside."""
    if port.source is None:
        return None
    step, _, output = port.source.partition(".")
    producer = interfaces.get(step)
    if producer is None:
        return None
    for made in producer.outputs:
        if made.name == output:
            return step, made.name
    for made in producer.outputs:
        if made.variable == output:
            return step, made.name
    return None


def _parameter_names(interfaces: Sequence[Interface]) -> dict[tuple[str, str], str]:
    """The pipeline input of each parameter: one for all steps where type and default agree."""
    kinds: dict[str, set[tuple[object, ...]]] = {}
    for interface in interfaces:
        for p in interface.parameters:
            said = (p.type, repr(p.default), p.required, p.optional)
            kinds.setdefault(interface.argument(p.name).lower(), set()).add(said)
    return {
        (interface.component, p.name): (
            argument if len(kinds[argument.lower()]) == 1 else f"{interface.component}_{argument}"
        )
        for interface in interfaces
        for p in interface.parameters
        for argument in [interface.argument(p.name)]
    }


def _external_names(
    interfaces: Sequence[Interface], taken: set[str], by_name: Mapping[str, Interface]
) -> dict[tuple[str, str], str]:
    """The pipeline input of each input from outside: one where steps read the same data."""
    found = [
        (interface.component, port)
        for interface in interfaces
        for port in interface.inputs
        if source_of(port, by_name) is None
    ]
    same: dict[str, set[tuple[str, str | None]]] = {}
    for _, port in found:
        same.setdefault(port.name, set()).add((port.type, port.default))
    return {
        (component, port.name): (
            port.name
            if len(same[port.name]) == 1 and port.name not in taken
            else f"{component}_{port.name}"
        )
        for component, port in found
    }


def _final_names(
    interfaces: Sequence[Interface], by_name: Mapping[str, Interface]
) -> dict[tuple[str, str], str]:
    """The pipeline output of each output that no step reads."""
    read = {source_of(p, by_name) for i in interfaces for p in i.inputs}
    final = [
        (i.component, port.name)
        for i in interfaces
        for port in i.outputs
        if (i.component, port.name) not in read
    ]
    count = Counter(name.lower() for _, name in final)
    return {
        (component, name): name if count[name.lower()] == 1 else f"{component}_{name}"
        for component, name in final
    }


def _data_input(port: Port, notebook_folder: str) -> dict[str, object]:
    data: dict[str, object] = {"type": port.type}
    if port.default is not None:
        outside = _IS_URI.match(port.default) or posixpath.isabs(port.default)
        path = port.default if outside else posixpath.join(notebook_folder, port.default)
        data["path"] = path if outside else posixpath.normpath(path)
    return data


def _default_compute(interfaces: Sequence[Interface]) -> str:
    targets = Counter(
        str(i.compute["target"]) for i in interfaces if i.compute.get("target") is not None
    )
    if not targets or sum(targets.values()) < len(interfaces):
        return "azureml:serverless"
    return compute_reference(targets.most_common(1)[0][0])


def compute_reference(target: str) -> str:
    """``azureml:gpu-cluster`` of ``gpu-cluster``."""
    return target if target.startswith("azureml:") or target == "local" else f"azureml:{target}"


def _step(
    interface: Interface,
    by_name: Mapping[str, Interface],
    shared: Mapping[tuple[str, str], str],
    external: Mapping[tuple[str, str], str],
    final: Mapping[tuple[str, str], str],
    pipeline_inputs: Mapping[str, object],
) -> dict[str, object]:
    step = interface.component
    data: dict[str, object] = {"type": "command", "component": f"./{step}/component.yml"}
    inputs: dict[str, object] = {}
    for port in interface.inputs:
        source = source_of(port, by_name)
        if source is not None:
            inputs[port.name] = f"${{{{parent.jobs.{source[0]}.outputs.{source[1]}}}}}"
        elif external[step, port.name] in pipeline_inputs:
            inputs[port.name] = f"${{{{parent.inputs.{external[step, port.name]}}}}}"
    for parameter in interface.parameters:
        key = shared[step, parameter.name]
        if key in pipeline_inputs and not (
            is_optional(parameter) and yaml_default(parameter) is None
        ):
            inputs[interface.argument(parameter.name)] = f"${{{{parent.inputs.{key}}}}}"
    if inputs:
        data["inputs"] = inputs
    outputs: dict[str, object] = {}
    for port in interface.outputs:
        key_ = final.get((step, port.name))
        outputs[port.name] = f"${{{{parent.outputs.{key_}}}}}" if key_ else {"type": port.type}
    if outputs:
        data["outputs"] = outputs
    target = interface.compute.get("target")
    if target is not None:
        data["compute"] = compute_reference(str(target))
    if interface.environment_variables:
        data["environment_variables"] = dict(interface.environment_variables)
    return data
