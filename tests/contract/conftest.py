"""Notebooks for the tests of contracts, written as a list of tagged cells."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest

from nbcomponent.notebook.model import Cell, CellCode, Magic, Notebook, Roles, TaggedNotebook

CellText = tuple[str, str]


def _role(tags: tuple[str, ...], source: str) -> Roles:
    components = tuple(tag.split(":")[1] for tag in tags if tag.startswith("component:"))
    contract = next((tag for tag in tags if tag.split(":")[0] == "contract"), None)
    return Roles(
        components=components,
        parameters="parameters" in tags,
        shared="shared" in tags,
        contract_for=None if contract is None else contract.partition(":")[2],
        writes_script=source.split()[1] if source.startswith("%%writefile") else None,
    )


def build(cells: list[CellText]) -> TaggedNotebook:
    """A tagged notebook from ``(tags separated by blanks, source)``; contract cells are raw."""
    parsed: list[Cell] = []
    roles: list[Roles] = []
    code: dict[int, CellCode] = {}
    members: dict[str, list[int]] = {}
    for index, (written, source) in enumerate(cells):
        tags = tuple(written.split())
        role = _role(tags, source)
        kind = "raw" if role.contract_for is not None else "code"
        if "markdown" in tags:
            kind = "markdown"
        parsed.append(Cell(index, kind, source, tags))  # type: ignore[arg-type]
        roles.append(role)
        if kind == "code" and role.writes_script:
            first, _, body = source.partition("\n")
            magic = Magic("cell", "writefile", first.split()[1], 1, 1, source.count("\n") + 1, body)
            text = "__ipython__(0)" + "\n" * source.count("\n")
            code[index] = CellCode(index, text, ast.parse(text), (magic,))
        elif kind == "code":
            code[index] = CellCode(index, source, ast.parse(source))
        if not role.parameters:
            for component in role.components:
                members.setdefault(component, []).append(index)
    return TaggedNotebook(
        Notebook("a.ipynb", tuple(parsed)),
        tuple(roles),
        code,
        {name: tuple(indexes) for name, indexes in members.items()},
    )


@pytest.fixture
def notebook() -> Callable[[list[CellText]], TaggedNotebook]:
    return build
