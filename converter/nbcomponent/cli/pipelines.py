"""From what the caller of ``run`` named to the pipeline that is meant."""

# ruff: noqa: PTH112, PTH113, PTH118, PTH119, PTH120, PTH122

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator

from nbcomponent.cli.collect import SKIPPED_FOLDERS, YAML_SUFFIXES, is_notebook, walk
from nbcomponent.core.errors import UnusableInput, UsageError

_NAMES = ("pipeline.yml", "pipeline.yaml")
_COMPONENT = "component.yml"
_MOST_LISTED = 10


def pipeline_of(path: str) -> str:
    """The file to run: ``path`` itself, or the one pipeline in the folder ``path``.

    Raises:
        UsageError: it is a notebook, or a folder with no pipeline or with several; says what to type.
    """
    if os.path.isdir(path):
        return _in_folder(path)
    if os.path.isfile(path) and is_notebook(path):
        stem = os.path.splitext(os.path.basename(path))[0]
        raise UsageError(
            f"run: {path} is a notebook; export it, then run its pipeline:\n"
            f"  nbcomponent export {shlex.quote(path)} -o out\n"
            f"  nbcomponent run {shlex.quote(os.path.join('out', stem, _NAMES[0]))}"
        )
    return path


def explained(path: str, error: UnusableInput) -> Exception:
    """``error`` of reading the pipeline ``path``, with what to type where something else was named."""
    if error.path != path or error.diagnostic.code not in ("NBC501", "NBC931"):
        return error
    folder = os.path.dirname(path) or "."
    component = _run_of_component(folder)
    if path.lower().endswith(YAML_SUFFIXES):
        return UsageError(f"{error}{component}") if component else error
    return UsageError(
        f"run: {path} is no pipeline; name the pipeline.yml that export writes, or a YAML file of a "
        f"pipeline job of your own{component}"
    )


def _in_folder(folder: str) -> str:
    found = list(_pipelines(folder))
    if len(found) == 1:
        return found[0]
    if found:
        shown = "".join(f"\n  nbcomponent run {shlex.quote(path)}" for path in found[:_MOST_LISTED])
        more = len(found) - _MOST_LISTED
        raise UsageError(
            f"run: there are {len(found)} pipelines in {folder}; run one of them:{shown}"
            + (f"\n  and {more} more" if more > 0 else "")
        )
    component = _run_of_component(folder)
    if component:
        raise UsageError(f"run: {folder} holds a component, no pipeline{component}")
    notebooks = next(walk(folder, lambda error: None), None)
    what = shlex.quote(folder) if notebooks else "NOTEBOOK"
    raise UsageError(
        f"run: there is no pipeline.yml in {folder} or below it; export writes one:\n"
        f"  nbcomponent export {what} -o out\n"
        "  nbcomponent run out"
    )


def _pipelines(folder: str) -> Iterator[str]:
    """The pipelines in ``folder`` or below it, sorted; below one none is looked for."""
    for place, folders, names in os.walk(folder):
        present = [name for name in _NAMES if name in names]
        if present:
            yield os.path.normpath(os.path.join(place, present[0]))
            folders.clear()
        folders[:] = sorted(name for name in folders if name not in SKIPPED_FOLDERS)


def _run_of_component(folder: str) -> str:
    """How to run the component in ``folder`` by the pipeline above it; empty where there is none."""
    pipeline = os.path.normpath(os.path.join(folder, os.pardir, _NAMES[0]))
    if not (os.path.isfile(os.path.join(folder, _COMPONENT)) and os.path.isfile(pipeline)):
        return ""
    step = os.path.basename(os.path.abspath(folder))  # noqa: PTH100
    return (
        "; run the component as a step of its pipeline:\n"
        f"  nbcomponent run {shlex.quote(pipeline)} --step {shlex.quote(step)}"
    )
