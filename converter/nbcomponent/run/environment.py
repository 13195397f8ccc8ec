"""The environment of a step: its variables, its interpreter, and what differs from its conda.yml.

A step sees the caller's environment variables, without those that would let something of this session
leak into it: Python's own settings (``PYTHONPATH``, ``PYTHONSTARTUP``, ``PYTHONHOME``,
``PYTHONSAFEPATH``, ``PYTHONINSPECT``, ``PYTHONEXECUTABLE``), files that bash would run (``BASH_ENV``, ``ENV``), and a kernel's
Matplotlib backend (figures are drawn without a window). What a component needs of these it declares as ``environment_variables``.

Set for every step: ``PYTHONUNBUFFERED`` (logs in order), ``NBCOMPONENT_RUN_ID``, ``NBCOMPONENT_STEP``, and for data
``AZURE_ML_INPUT_<name>`` and ``AZURE_ML_OUTPUT_<name>``, which the service sets too. ``AZUREML_RUN_ID`` is not set:
scripts take it for the proof that a workspace can be reached.
"""

from __future__ import annotations

import os
import platform
import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from nbcomponent.schema.component import Distribution
from nbcomponent.schema.environment import Requirement

_LEAKS = (
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "PYTHONHOME",
    "PYTHONSAFEPATH",
    "PYTHONINSPECT",
    "PYTHONEXECUTABLE",
    "BASH_ENV",
    "ENV",
    "CDPATH",
    "GLOBIGNORE",
    "SHELLOPTS",
    "BASHOPTS",
    "POSIXLY_CORRECT",
)


def step_environment(
    caller: Mapping[str, str],
    *,
    run_id: str,
    step: str,
    declared: Mapping[str, str],
    inputs: Mapping[str, str],
    outputs: Mapping[str, str],
    programs: Path,
    distribution: Distribution | None,
) -> dict[str, str]:
    """The variables of a step. ``programs`` is the folder with its ``python``; ``declared`` wins over all."""
    result = {
        name: value
        for name, value in caller.items()
        if name not in _LEAKS and not name.startswith("BASH_FUNC_")
    }
    if result.get("MPLBACKEND", "module://").startswith("module://"):
        result["MPLBACKEND"] = "agg"  # A window would wait for somebody; the service has none.
    path = result.get("PATH", os.defpath)
    result["PATH"] = os.pathsep.join((str(programs), str(Path(sys.executable).parent), path))
    result["PYTHONUNBUFFERED"] = "1"
    result["NBCOMPONENT_RUN_ID"] = run_id
    result["NBCOMPONENT_STEP"] = step
    for name, value in inputs.items():
        result[f"AZURE_ML_INPUT_{name}"] = value
    for name, value in outputs.items():
        result[f"AZURE_ML_OUTPUT_{name}"] = value
    if distribution is not None:
        result.update(_one_worker(distribution))
    result.update(declared)
    return result


def _one_worker(distribution: Distribution) -> dict[str, str]:
    """What a launch would set, for a group of one process."""
    if distribution.type == "pytorch":
        return {
            "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": str(_free_port()),
            "WORLD_SIZE": "1",
            "NODE_RANK": "0",
            "RANK": "0",
            "LOCAL_RANK": "0",
            "LOCAL_WORLD_SIZE": "1",
        }
    if distribution.type == "mpi":
        return {"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "1"}
    return {}


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def write_python(folder: Path, python: str) -> None:
    """Write ``python`` and ``python3`` into ``folder``: scripts that run the interpreter ``python``.

    Not links: an interpreter of a virtual environment finds that environment by its own place.
    """
    folder.mkdir()
    quoted = "'" + python.replace("'", "'\\''") + "'"
    for name in ("python", "python3"):
        program = folder / name
        program.write_text(f'#!/bin/sh\nexec {quoted} "$@"\n', encoding="utf-8")
        program.chmod(0o755)


def differences(requirements: Sequence[Requirement]) -> tuple[str, ...]:
    """How the current interpreter's environment differs from what a conda file pins, one sentence each.

    Only what can be known here is compared: Python's version, and packages that have metadata. A conda package
    without metadata is no Python package, or has another name there: nothing is said of it.
    """
    from importlib.metadata import PackageNotFoundError, version

    found = []
    for requirement in requirements:
        if requirement.name == "python":
            here = platform.python_version()
            if requirement.exact and not _fits(here, requirement):
                found.append(f"python {requirement.exact} is asked for, {here} is used")
            continue
        if requirement.name == "pip":
            continue
        try:
            installed = version(requirement.name)
        except PackageNotFoundError:
            if requirement.source == "pip":
                found.append(f"{requirement.name} is asked for and not installed")
            continue
        if requirement.exact and not _fits(installed, requirement):
            found.append(
                f"{requirement.name} {requirement.exact} is asked for, {installed} is used"
            )
    return tuple(found)


def _fits(installed: str, requirement: Requirement) -> bool:
    """Whether ``installed`` is what is asked for: conda's ``=1.26`` names leading parts, pip's ``==`` all."""
    assert requirement.exact is not None
    have = installed.split("+")[0].split(".")
    want = requirement.exact.split("+")[0].split(".")
    if requirement.source == "conda":
        return have[: len(want)] == want
    length = max(len(have), len(want))
    return have + ["0"] * (length - len(have)) == want + ["0"] * (length - len(want))
