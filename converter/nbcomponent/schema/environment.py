"""Environments: an image, a conda file (beside the YAML or written into it), or a reference to the workspace."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from nbcomponent.core.diagnostics import Place
from nbcomponent.core.errors import UnusableInput
from nbcomponent.schema.reading import YamlFile, read_yaml_file
from nbcomponent.schema.yaml_places import YamlPath


@dataclass(frozen=True, slots=True)
class Requirement:
    """A package that an environment asks for. ``exact`` is the pinned version, None where it floats.

    ``name`` is normalised (lower case, dashes), ``source`` is ``conda`` or ``pip``.
    """

    name: str
    exact: str | None
    source: str


@dataclass(frozen=True, slots=True)
class EnvironmentSpec:
    """An environment as written. ``requirements`` is None where they are not known here (an image only)."""

    place: Place
    reference: str | None = None
    image: str | None = None
    conda_file: Path | None = None
    requirements: tuple[Requirement, ...] | None = None


def read_environment(file: YamlFile, at: YamlPath) -> EnvironmentSpec | None:
    """The environment at ``at`` of a component or step; None where none is written."""
    value = file.value(at)
    if value is None:
        return None
    place = file.place(at)
    if isinstance(value, str):
        if value.startswith("azureml:"):
            return EnvironmentSpec(place, reference=value)
        path = file.path.parent / value.removeprefix("file:")
        try:
            inner = read_yaml_file(path)
        except UnusableInput as problem:
            file.report("NBC507", f"environment: {problem.diagnostic.message}", at)
            return EnvironmentSpec(place)
        return _from_mapping(inner, (), place)
    if isinstance(value, dict):
        return _from_mapping(file, at, place)
    file.report("NBC501", "'environment' must be a reference, a path or a mapping", at)
    return None


def _from_mapping(file: YamlFile, at: YamlPath, place: Place) -> EnvironmentSpec:
    image = file.text((*at, "image"))
    conda = file.value((*at, "conda_file"))
    if isinstance(conda, dict):
        requirements = _requirements(conda)
        return EnvironmentSpec(place, image=image, requirements=requirements)
    if not isinstance(conda, str):
        return EnvironmentSpec(place, image=image)
    path = file.path.parent / conda.removeprefix("file:")
    try:
        data = read_yaml_file(path).data
    except UnusableInput as problem:
        file.report("NBC507", f"conda_file: {problem.diagnostic.message}", (*at, "conda_file"))
        return EnvironmentSpec(place, image=image, conda_file=path)
    return EnvironmentSpec(place, image=image, conda_file=path, requirements=_requirements(data))


_CONDA = re.compile(
    r"(?:[^:\s]+::)?([A-Za-z0-9._-]+)\s*(?:={1,2}\s*([A-Za-z0-9._!+]+)(?:=\S*)?)?\s*\Z"
)
_CONDA_NAME = re.compile(r"(?:[^:\s]+::)?([A-Za-z0-9._-]+)")
_PIP = re.compile(
    r"([A-Za-z0-9._-]+)\s*(?:\[[^\]]*\])?\s*(?:===?\s*([A-Za-z0-9._!+]+))?\s*(?:;.*)?\Z"
)
_PIP_NAME = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)")


def _requirements(conda: object) -> tuple[Requirement, ...]:
    """The packages of a conda file's ``dependencies``; what cannot be read is left out."""
    found = []
    dependencies = conda.get("dependencies") if isinstance(conda, dict) else None
    for entry in dependencies if isinstance(dependencies, list) else []:
        if isinstance(entry, str):
            match = _CONDA.match(entry) or _CONDA_NAME.match(entry)
            if match:
                found.append(_requirement(match, "conda"))
        elif isinstance(entry, dict) and isinstance(listed := entry.get("pip"), list):
            for line in listed:
                if isinstance(line, str) and not line.strip().startswith(("-", "#")):
                    match = _PIP.match(line.strip()) or _PIP_NAME.match(line.strip())
                    if match:
                        found.append(_requirement(match, "pip"))
    return tuple(found)


def _requirement(match: re.Match[str], source: str) -> Requirement:
    exact = match[2] if match.re.groups > 1 else None
    name = re.sub(r"[-_.]+", "-", match[1]).lower()
    return Requirement(name, exact if exact and "*" not in exact else None, source)
