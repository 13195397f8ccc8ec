"""What the analysis says of a notebook: the dependencies of each component, and how each is met."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nbcomponent.core.diagnostics import Diagnostic, Place
from nbcomponent.core.records import record

Boundary = Literal["strict", "auto"]

Resolution = Literal["import", "definition", "constant", "parameter", "input", "sliced", "hidden"]

StatementKind = Literal["import", "definition", "constant", "statement"]


@dataclass(frozen=True, slots=True)
class Declared:
    """Names that a component's contract and parameters cells declare.

    A parameter or an input satisfies a name that the component reads; among the inputs are outputs whose
    variable receives a path. ``outputs`` names the variables that are stored when the component ends.
    ``paths`` are the relative paths that the interface covers (defaults of ports, ``include``).
    """

    parameters: frozenset[str] = frozenset()
    inputs: frozenset[str] = frozenset()
    outputs: frozenset[str] = frozenset()
    environment_variables: frozenset[str] = frozenset()
    paths: frozenset[str] = frozenset()


@record(frozen=True, slots=True)
class Dependency:
    """A global name whose value must come from outside the component's own cells.

    Placed at the use inside the component (a transitive one at the use that brings it in).
    ``diagnostic`` is the code of the finding about it, None where it is met without one.
    """

    name: str
    resolution: Resolution
    defined_in: tuple[int, ...]
    cell: int
    line: int
    column: int
    diagnostic: str | None

    def __reduce__(self) -> tuple[object, ...]:  # many travel between processes: 5 times as fast
        return type(self), (
            self.name,
            self.resolution,
            self.defined_in,
            self.cell,
            self.line,
            self.column,
            self.diagnostic,
        )


@dataclass(frozen=True, slots=True)
class Carried:
    """A top-level statement of another cell that becomes part of the component.

    ``index`` counts the statements of the cell's tree from 0; ``names`` are those it binds.
    ``kind`` ``statement`` is one pulled in by slicing (``--boundary auto``).
    """

    cell: int
    index: int
    names: tuple[str, ...]
    kind: StatementKind


@dataclass(frozen=True, slots=True)
class Crossing:
    """A value made in ``producer`` and read in ``consumer`` (``--boundary auto``).

    It becomes an output there and an input here. ``value_type`` is the dotted type that the
    analysis could see (``pandas.DataFrame``, ``numpy.ndarray``, ``dict``, ``str``), None where unknown.
    ``exact``: the plain format for that type surely gives the value back.
    """

    name: str
    producer: str
    consumer: str
    value_type: str | None
    exact: bool = True


@dataclass(frozen=True, slots=True)
class ComponentAnalysis:
    """One component: ``cells`` are its own; ``carried`` stand in notebook order.

    ``files``: relative paths beside the notebook that the component reads and that go with it (``auto``).
    """

    name: str
    cells: tuple[int, ...]
    dependencies: tuple[Dependency, ...]
    carried: tuple[Carried, ...]
    crossings: tuple[Crossing, ...]
    reads: frozenset[str]
    binds: frozenset[str]
    diagnostics: tuple[Diagnostic, ...]
    files: tuple[str, ...] = ()

    def place_of_use(self, dependency: Dependency) -> Place:
        """The place of a value that comes over, as wide as it is written there.

        What a carried function needs stands where the function is used, which has another name.
        """
        for finding in self.diagnostics:
            if finding.code == "NBC101" and finding.name == dependency.name:
                return finding.place
        line, column = dependency.line, dependency.column
        return Place(dependency.cell, line, column, line, column + len(dependency.name))


@dataclass(frozen=True, slots=True)
class NotebookAnalysis:
    """All components, in the order of their first cell, and findings that belong to none."""

    components: tuple[ComponentAnalysis, ...]
    diagnostics: tuple[Diagnostic, ...]
    boundary: Boundary = "strict"
