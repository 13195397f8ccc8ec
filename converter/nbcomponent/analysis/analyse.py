"""From cells to the dependencies of each component: the table of contents of the analysis."""

from __future__ import annotations

from collections.abc import Mapping

from nbcomponent.analysis.beside import NOTHING_BESIDE, Beside
from nbcomponent.analysis.component import ComponentReader
from nbcomponent.analysis.crossing import cycles, lost_aliasing
from nbcomponent.analysis.effects import EffectReader
from nbcomponent.analysis.facts import CellFacts
from nbcomponent.analysis.model import (
    Boundary,
    ComponentAnalysis,
    Declared,
    NotebookAnalysis,
)
from nbcomponent.analysis.namespace import Namespace
from nbcomponent.analysis.random_state import states_from_elsewhere, with_random_states
from nbcomponent.analysis.shell import left_behind, trails_of
from nbcomponent.analysis.stars import exports_of
from nbcomponent.analysis.supply import Supplier
from nbcomponent.analysis.surroundings import check_surroundings
from nbcomponent.analysis.timeline import Timeline
from nbcomponent.analysis.visitor import has_future_annotations, read_cell
from nbcomponent.core.diagnostics import in_reading_order
from nbcomponent.notebook.model import CellCode, TaggedNotebook

FactsCache = dict[tuple[str, bool], CellFacts]
"""Facts of cells by their text, kept by callers that look at one notebook again and again."""


def analyse(
    tagged: TaggedNotebook,
    declared: Mapping[str, Declared],
    boundary: Boundary = "strict",
    cache: FactsCache | None = None,
    beside: Beside = NOTHING_BESIDE,
) -> NotebookAnalysis:
    """What every component of a notebook needs from outside its own cells, and how it is met.

    ``declared``: the names that each component's contract and parameters declare. ``boundary``:
    ``strict`` carries imports, effect-free definitions and literal constants from untagged and shared
    cells; ``auto`` also takes them from other components, turns values into outputs and inputs, and
    pulls in untagged statements. ``cache`` is read and filled when given. ``beside`` looks
    at the notebook's folder. Nothing is run.
    """
    if not tagged.component_cells:
        return NotebookAnalysis((), ())
    namespace = Namespace(_facts(tagged, cache), lambda module: exports_of(module, beside))
    timeline = Timeline(namespace)
    effects = EffectReader(namespace, tagged.code)
    supplier = (
        Supplier(tagged, namespace, timeline, effects, beside) if boundary == "auto" else None
    )
    trails = trails_of(namespace, tagged) if boundary == "auto" else []
    components = []
    chains: list[tuple[str, tuple[str, ...]]] = []
    for name, cells in tagged.component_cells.items():
        reader = ComponentReader(
            name,
            cells,
            tagged,
            namespace,
            timeline,
            effects,
            declared.get(name, Declared()),
            boundary,
            supplier,
            beside,
        )
        reader.read()
        states = tuple(states_from_elsewhere(reader))
        surroundings = (*states, *check_surroundings(reader))
        lost = (*lost_aliasing(reader), *left_behind(reader, trails))
        chains += reader.random_chains
        components.append(
            ComponentAnalysis(
                name=name,
                cells=cells,
                dependencies=reader.dependencies(),
                carried=reader.carried(),
                crossings=reader.crossings(),
                files=tuple(sorted(reader.files)),
                reads=frozenset(reader.reads),
                binds=frozenset(reader.binds),
                diagnostics=in_reading_order((*reader.diagnostics, *surroundings, *lost)),
            )
        )
    components = with_random_states(components, chains)
    return NotebookAnalysis(tuple(components), tuple(cycles(components, tagged)), boundary)


def _facts(tagged: TaggedNotebook, cache: FactsCache | None) -> dict[int, CellFacts]:
    facts: dict[int, CellFacts] = {}
    future = False
    for index, code in sorted(tagged.code.items()):
        if "__future__" in code.text:
            future = future or has_future_annotations(code.tree)
        facts[index] = _cell_facts(code, future, tagged.notebook.cells[index].source, cache)
    return facts


def _cell_facts(code: CellCode, future: bool, source: str, cache: FactsCache | None) -> CellFacts:
    if cache is None:
        return read_cell(code, future)
    key = (f"{code.cell}\0{source}", future)
    known = cache.get(key)
    if known is None:
        known = cache[key] = read_cell(code, future)
    return known
