"""A contract as it is written, with the places of its keys and values.

Apart from the reader, so that notebooks without a contract do not pay for reading one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nbcomponent.contract.model import Interface
from nbcomponent.core.diagnostics import FILE_START, Diagnostic, Place

if TYPE_CHECKING:
    from nbcomponent.schema.yaml_places import Span, YamlDocument, YamlPath


@dataclass(frozen=True, slots=True)
class Contract:
    """A contract as written.

    ``interface`` holds what was read; ``stated`` the paths of all keys that are written, so that what
    is merely a default can be told from what is said. ``cell`` is None for a file. ``origin`` is the
    number of lines before the first line of the YAML (0 for a file). ``document`` is None where there
    is nothing readable. ``broken`` are the paths of keys and values that a finding is about.
    """

    interface: Interface
    stated: frozenset[YamlPath] = frozenset()
    diagnostics: tuple[Diagnostic, ...] = ()
    document: YamlDocument | None = None
    cell: int | None = None
    origin: int = 0
    broken: frozenset[YamlPath] = frozenset()

    def is_broken(self, *path: str | int) -> bool:
        """Whether something at ``path`` or inside it is wrong: then what seems to be missing may be there."""
        return any(at[: len(path)] == path for at in self.broken)

    def place(self, *path: str | int) -> Place:
        """The place of the value at ``path``, of its key where the value takes several lines."""
        if self.document is None:
            return FILE_START
        return place_of_span(span_of_value(self.document, path), self.cell, self.origin)

    def key_place(self, *path: str | int) -> Place:
        """The place of the key at ``path``."""
        if self.document is None:
            return FILE_START
        return place_of_span(self.document.span_of_key(path), self.cell, self.origin)


NO_CONTRACT = Contract(Interface(""))
"""What a component without a contract cell has written."""


def place_of_span(span: Span, cell: int | None, origin: int) -> Place:
    """A span of the YAML as a place in the cell (or file) that it begins in after ``origin`` lines."""
    return Place(cell, span.line + origin, span.column, span.end_line + origin, span.end_column)


def span_of_value(document: YamlDocument, path: YamlPath) -> Span:
    """Where a finding about the value at ``path`` points: many lines would point at none of them."""
    span = document.span_of(path)
    return span if span.line == span.end_line else document.span_of_key(path)
