"""Small notebooks as text, with what is true of them.

A notebook is written as one string. A line ``== main`` begins a cell of the component ``main``, ``==``
an untagged cell, ``== +shared`` one with another tag, ``== +markdown`` and ``== +raw`` one of that kind; a
number at the end is the execution count.
"""

from __future__ import annotations

import json
import re
import textwrap
from dataclasses import dataclass

from nbcomponent.analysis.analyse import analyse
from nbcomponent.analysis.model import Boundary, ComponentAnalysis, Declared, NotebookAnalysis
from nbcomponent.contract.declare import declare
from nbcomponent.core.diagnostics import Diagnostic
from nbcomponent.notebook.model import TaggedNotebook
from nbcomponent.notebook.reader import parse_notebook
from nbcomponent.notebook.tagging import tag

_HEADER = re.compile(r"==(?: (?P<tags>[^\d\n]*?))?(?: ?(?P<count>\d+))?\Z")


@dataclass(frozen=True)
class SmallCell:
    source: str
    tags: tuple[str, ...]
    count: int | None


@dataclass(frozen=True)
class Case:
    """``found``: name -> (codes of which one must be there, cells). ``other``: names that may be said too.

    ``runs``: what running shows. ``differs``: the component's cells alone fail or print something else
    than in the notebook; ``same``: they print the same; None: not to be run (or it shows nothing).
    """

    id: str
    text: str
    dependencies: frozenset[str]
    found: dict[str, tuple[frozenset[str], tuple[int, ...]]]
    other: frozenset[str]
    quiet: frozenset[str]
    runs: str | None


def case(
    id: str,
    text: str,
    deps: str = "",
    found: str = "",
    other: str = "",
    quiet: str = "",
    runs: str | None = "auto",
) -> Case:
    """``found`` is written ``name=101|105@0,2; other=108@1``; dependencies not in it are only names."""
    parsed: dict[str, tuple[frozenset[str], tuple[int, ...]]] = {}
    for part in filter(None, (p.strip() for p in found.split(";"))):
        name, _, rest = part.rpartition("=")
        codes, _, cells = rest.partition("@")
        parsed[name] = (
            frozenset(f"NBC{c}" for c in codes.split("|")),
            tuple(int(c) for c in cells.split(",") if c),
        )
    if runs == "auto":
        runs = "differs" if deps or parsed else "same"
    return Case(
        id,
        text,
        frozenset(deps.split()),
        parsed,
        frozenset(other.split()),
        frozenset(quiet.split()),
        runs,
    )


def cells_of(text: str) -> list[SmallCell]:
    cells: list[SmallCell] = []
    lines: list[str] = []
    for line in textwrap.dedent(text).strip("\n").split("\n"):
        header = _HEADER.fullmatch(line)
        if header is None:
            lines.append(line)
            continue
        if cells:
            cells[-1] = SmallCell("\n".join(lines).strip("\n"), cells[-1].tags, cells[-1].count)
        lines = []
        words = (header["tags"] or "").split()
        tags = tuple(w[1:] if w.startswith("+") else f"component:{w}" for w in words)
        count = int(header["count"]) if header["count"] else None
        cells.append(SmallCell("", tags, count))
    cells[-1] = SmallCell("\n".join(lines).strip("\n"), cells[-1].tags, cells[-1].count)
    return cells


def kind_of(cell: SmallCell) -> str:
    if any(tag == "raw" or tag.startswith("contract") for tag in cell.tags):
        return "raw"
    return "markdown" if "markdown" in cell.tags else "code"


def notebook_of(text: str, counts: bool = True) -> bytes:
    """The notebook as a file; cells without a count get the one of a run from top to bottom."""
    cells = cells_of(text)
    given = any(c.count is not None for c in cells)
    return json.dumps(
        {
            "nbformat": 4,
            "nbformat_minor": 5,
            "metadata": {"language_info": {"name": "python"}},
            "cells": [
                {
                    "id": f"c{i}",
                    "cell_type": kind_of(c),
                    "metadata": {"tags": [t for t in c.tags if t not in ("markdown", "raw")]},
                    "source": c.source,
                    **(
                        {
                            "execution_count": (c.count if given else i + 1) if counts else None,
                            "outputs": [],
                        }
                        if kind_of(c) == "code"
                        else {}
                    ),
                }
                for i, c in enumerate(cells)
            ],
        }
    ).encode()


def tagged_of(text: str) -> TaggedNotebook:
    return tag(parse_notebook(notebook_of(text), "small.ipynb"))


def analysis_of(
    text: str,
    boundary: Boundary = "strict",
    declared: dict[str, Declared] | None = None,
    **options: object,
) -> NotebookAnalysis:
    tagged = tagged_of(text)
    known = declare(tagged).declared if declared is None else declared
    return analyse(tagged, known, boundary, **options)  # type: ignore[arg-type]


def component_of(text: str, name: str = "main", **options: object) -> ComponentAnalysis:
    analysis = analysis_of(text, **options)  # type: ignore[arg-type]
    return next(c for c in analysis.components if c.name == name)


def said(
    component: ComponentAnalysis, code: str | None = None
) -> list[tuple[str, str, tuple[int, ...]]]:
    """(name, code, cells) of every finding."""
    return [
        (d.name or "", d.code, d.defined_in)
        for d in component.diagnostics
        if code in (None, d.code)
    ]


def place(diagnostic: Diagnostic) -> tuple[int | None, int, int, int, int]:
    p = diagnostic.place
    return (p.cell, p.line, p.column, p.end_line, p.end_column)


def complaints(case: Case) -> list[str]:
    """What the analysis says of a small notebook that is not true, or does not say that is."""
    component = component_of(case.text)
    wrong: list[str] = []
    names = {d.name for d in component.dependencies}
    if names != case.dependencies:
        wrong.append(
            f"dependencies: missing {sorted(case.dependencies - names)}, "
            f"too many {sorted(names - case.dependencies)}"
        )
    told = said(component)
    for name, (codes, cells) in case.found.items():
        mine = [(c, w) for n, c, w in told if n == name]
        if not any(c in codes and w == cells for c, w in mine):
            wrong.append(f"{name}: expected {sorted(codes)} {cells}, found {mine}")
    allowed = case.found.keys() | case.other
    wrong += [f"said too much: {t}" for t in told if t[0] not in allowed]
    wrong += [f"must not be named: {t}" for t in told if t[0] in case.quiet]
    return wrong
