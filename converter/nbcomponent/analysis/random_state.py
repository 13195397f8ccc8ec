"""``--boundary auto``: a global random state that is seeded in one component and drawn from in another.

Where nothing in between can draw, the seeding is repeated in the component that draws. Else the state
itself comes over, from component to component in notebook order, as one more output and input: then a
draw that the text does not show (inside a package) counts too.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from nbcomponent.analysis.component import ComponentReader, Site
from nbcomponent.analysis.effects import modules_of
from nbcomponent.analysis.facts import Statement
from nbcomponent.analysis.library.calls import PURE_BUILTINS
from nbcomponent.analysis.messages import Finding, diagnostic_of
from nbcomponent.analysis.model import ComponentAnalysis, Crossing
from nbcomponent.core.diagnostics import Diagnostic

RANDOM_STATES = {"numpy": "numpy_random_state", "random": "python_random_state"}
"""The value that carries a library's global random state from one component to the next."""

_DRAWS_NOTHING = (
    "numpy.",
    "pandas.",
    "matplotlib.",
    "math.",
    "os.",
    "sys.",
    "warnings.",
    "IPython.",
)
_PLAIN_TYPES = frozenset(
    [
        "pandas.DataFrame",
        "pandas.Series",
        "numpy.ndarray",
        "dict",
        "list",
        "str",
        "int",
        "float",
        "bool",
        "set",
        "tuple",
    ]
)
_PLAIN_METHODS = frozenset(
    [
        "append",
        "copy",
        "describe",
        "format",
        "groupby",
        "head",
        "info",
        "items",
        "join",
        "keys",
        "legend",
        "lower",
        "max",
        "mean",
        "min",
        "plot",
        "read",
        "replace",
        "set_title",
        "set_xlabel",
        "set_ylabel",
        "show",
        "sort",
        "split",
        "std",
        "strip",
        "sum",
        "tail",
        "upper",
        "values",
        "write",
    ]
)


@dataclass(frozen=True, slots=True)
class Seeding:
    """How a seeding outside a component reaches it: repeated there, or its state through ``chain``
    (components in notebook order, the last one is the reader); neither where it cannot.
    """

    repeated: Statement | None = None
    chain: tuple[str, ...] = ()


def may_draw(reader: ComponentReader) -> Site | None:
    """Where the component may draw from a global random state without its text saying so."""
    for run in reader.blocks:
        for module, node in modules_of(run.block, reader.namespace).items():
            if module in sys.stdlib_module_names or f"{module}." in _DRAWS_NOTHING:
                continue
            return run.site or Site(run.cell, node)
    for crossing in reader.crossings():
        if crossing.value_type not in _PLAIN_TYPES:
            return reader.site_of(crossing.name)
    return None


def seeding(reader: ComponentReader, library: str, setters: Sequence[Statement]) -> Seeding:
    """How the last of the ``setters``, all above the component's first cell, reaches the component."""
    namespace = reader.namespace
    first = min(
        (
            namespace.position[id(s)]
            for cell in reader.cells
            if cell in namespace.cells
            for s in namespace.cells[cell].statements
        ),
        default=0,
    )
    position, last = max(((namespace.position[id(s)], s) for s in setters), key=lambda p: p[0])
    if position > first:
        return Seeding()
    between = [s for s in namespace.statements[position + 1 : first] if s.cell not in reader.own]
    if _only_seeds(reader, last) and all(_draws_nothing(reader, s) for s in between):
        return Seeding(repeated=last)
    name = RANDOM_STATES.get(library)
    if name is None or name in namespace.definitions:
        return Seeding()
    if any(not _owned(reader, s) and not _draws_nothing(reader, s) for s in between):
        return Seeding()
    return Seeding(chain=_chain(reader, last))


def states_from_elsewhere(reader: ComponentReader) -> Iterator[Diagnostic]:
    """How seedings of other components reach this one (``auto``), as notes.

    Seedings that are repeated here are carried from now on; libraries whose state comes over are in
    ``reader.random_states``. What cannot come over is left to the findings about seeds, except for draws
    that the text does not show: these are warnings.
    """
    if reader.boundary == "strict":
        return
    setters: dict[str, list[tuple[str, Statement]]] = {}
    last = reader.last_position()
    for effect, statement, position in reader.effects.lasting():
        if (
            effect.kind == "seed"
            and position < last
            and statement.cell not in reader.own
            and not reader.tagged.roles[statement.cell].parameters
            and (statement.cell, statement.index) not in reader.carried_keys()
        ):
            setters.setdefault(effect.library, []).append((effect.name, statement))
    for library in RANDOM_STATES:
        if library not in setters:
            continue
        first, site = _first_touch(reader, library)
        if first == "seed":
            continue
        site = site or may_draw(reader)
        if site is None:
            continue
        found = seeding(reader, library, [s for _, s in setters[library]])
        name, statement = setters[library][-1]
        cells = tuple(sorted({s.cell for _, s in setters[library]}))
        details: dict[str, object] = {"what": "seed", "severity": "note"}
        if found.repeated is not None:
            reader.replay(found.repeated, site)
            cells = (statement.cell,)
            details["resolution"] = "sliced"
        elif found.chain:
            reader.random_states.add(library)
            reader.random_chains.append((library, found.chain))
            details |= {"resolution": "input", "producer": found.chain[-2]}
        elif first is None:
            details["severity"] = "warning"
        else:
            continue
        finding = Finding("NBC108", name, reader.place(site), cells, reader.name, details)
        yield diagnostic_of(finding, reader.tagged)


def _first_touch(reader: ComponentReader, library: str) -> tuple[str | None, Site | None]:
    """Whether the component first seeds a library or draws from it, and where it draws."""
    for run in reader.blocks:
        for effect in reader.effects.of(run.block, run.cell):
            if effect.library in (library, "any") and effect.kind in ("seed", "random"):
                return effect.kind, run.site or Site(run.cell, effect.node)
    return None, None


def _owned(reader: ComponentReader, statement: Statement) -> bool:
    role = reader.tagged.roles[statement.cell]
    return bool(role.components) and not role.skip


def _only_seeds(reader: ComponentReader, statement: Statement) -> bool:
    if reader.tagged.roles[statement.cell].skip:
        return False
    block = statement.block
    effects = reader.effects.of_statement(statement, reader.namespace.position[id(statement)])
    return (
        not block.binds
        and not block.magics
        and len(block.calls) == 1
        and not block.method_calls
        and [e.kind for e in effects] == ["seed"]
        and all(name in reader.namespace.imports for name in block.exposed)
    )


def _draws_nothing(reader: ComponentReader, statement: Statement) -> bool:
    block, namespace = statement.block, reader.namespace
    position = namespace.position[id(statement)]
    if block.magics or any(
        e.kind in ("random", "seed") for e in reader.effects.of_statement(statement, position)
    ):
        return False
    for site in block.calls:
        path = namespace.resolve(site.chain)
        if path is None:
            if len(site.chain) == 1 or site.chain[-1] not in _PLAIN_METHODS:
                return False
        elif path not in PURE_BUILTINS and not path.startswith(_DRAWS_NOTHING):
            return False
    return all(
        getattr(call.func, "attr", "") in _PLAIN_METHODS for call in block.method_calls
    ) and not any(b.module and b.kind == "star" for b in block.binds)


def _chain(reader: ComponentReader, setter: Statement) -> tuple[str, ...]:
    """The components from the one that seeds to the reader, where each stands below the one before."""
    role = reader.tagged.roles[setter.cell]
    names = list(reader.tagged.component_cells)
    if not role.components or role.skip:
        return ()
    start, end = names.index(role.components[0]), names.index(reader.name)
    chain = names[start : end + 1]
    cells = reader.tagged.component_cells
    in_order = all(max(cells[one]) < min(cells[other]) for one, other in pairwise(chain))
    return tuple(chain) if len(chain) > 1 and in_order else ()


def with_random_states(
    components: Sequence[ComponentAnalysis], chains: Iterable[tuple[str, tuple[str, ...]]]
) -> list[ComponentAnalysis]:
    """The components with the crossings that hand a random state along the chains."""
    links: dict[tuple[str, str], str] = {}
    for library, chain in chains:
        for producer, consumer in pairwise(chain):
            links[RANDOM_STATES[library], consumer] = producer
    found = []
    for component in components:
        more = [
            Crossing(name, producer, consumer, "tuple")
            for (name, consumer), producer in sorted(links.items())
            if consumer == component.name
        ]
        found.append(
            replace(component, crossings=(*component.crossings, *more)) if more else component
        )
    return found
