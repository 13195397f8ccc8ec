"""Values that cross components as a whole: cycles between components, and objects that lose their sharing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from nbcomponent.analysis.component import ComponentReader
from nbcomponent.analysis.model import ComponentAnalysis, Dependency
from nbcomponent.core.diagnostics import Diagnostic, Fix
from nbcomponent.notebook.model import TaggedNotebook


def cycles(components: Sequence[ComponentAnalysis], tagged: TaggedNotebook) -> Iterator[Diagnostic]:
    """Components that would need each other's outputs."""
    needs = {c.name: {x.producer for x in c.crossings} for c in components}
    in_question = _not_in_order(needs)
    for component in components:
        path = _way_back(component.name, needs) if component.name in in_question else None
        if path is None:
            continue
        needed = {x.name for x in component.crossings if x.producer == path[1]}
        site = next((d for d in component.dependencies if d.name in needed), None)
        if site is None:
            continue
        yield Diagnostic(
            "NBC101",
            "error",
            f"{component.name} needs `{site.name}` of {path[1]}, which in turn needs {component.name}: "
            + " -> ".join(path),
            component.place_of_use(site),
            name=site.name,
            component=component.name,
            fix=Fix("put the cells that need each other into one component", "tag-component"),
        )


def _not_in_order(needs: dict[str, set[str]]) -> set[str]:
    """The components that no order can have behind all they need: those in cycles, and what needs them."""
    left = {name: len(producers) for name, producers in needs.items()}
    users: dict[str, list[str]] = {}
    for name, producers in needs.items():
        for producer in producers:
            users.setdefault(producer, []).append(name)
    ready = [name for name, count in left.items() if not count]
    ready += [producer for producer in users if producer not in needs]
    while ready:
        done = ready.pop()
        left.pop(done, None)
        for user in users.get(done, ()):
            left[user] -= 1
            if not left[user]:
                ready.append(user)
    return set(left)


def _way_back(start: str, needs: dict[str, set[str]]) -> list[str] | None:
    pending = [[start, producer] for producer in sorted(needs.get(start, ()))]
    seen: set[str] = set()
    while pending:
        path = pending.pop(0)
        if path[-1] == start:
            return path
        if path[-1] in seen:
            continue
        seen.add(path[-1])
        pending.extend([*path, following] for following in sorted(needs.get(path[-1], ())))
    return None


def lost_aliasing(reader: ComponentReader) -> Iterator[Diagnostic]:
    """Two values that share an object in the notebook and would come over as two copies."""
    sites = {d.name: d for d in reader.dependencies()}
    names = sorted((x.name for x in reader.crossings()), key=lambda n: _in_text(reader, sites[n]))
    if len(names) < 2:
        return
    first = reader.namespace.cells[reader.cells[0]].statements
    position = reader.namespace.position[id(first[0])] if first else 0
    last = len(reader.namespace.statements)
    holders: dict[int, list[str]] = {}
    for name in names:
        for held in reader.timeline.objects(name, position):
            holders.setdefault(held, []).append(name)
    changed = {
        name
        for name in {name for group in holders.values() if len(group) > 1 for name in group}
        if any(
            not e.binds and e.statement.cell in reader.own
            for e in reader.timeline.between(name, position - 1, last)
        )
    }
    # Of many names for one object each is told with the next: all pairs would say no more.
    pairs = {pair: None for group in holders.values() for pair in pairwise(group)}
    for one, other in pairs:
        if one in changed or other in changed:
            site = sites[one]
            yield Diagnostic(
                "NBC104",
                "error",
                f"`{one}` and `{other}` share an object that {reader.name} changes; as two inputs "
                "they would be two copies",
                reader.place(reader.site_of(one)),
                name=one,
                defined_in=site.defined_in,
                component=reader.name,
                fix=Fix(f"make `{other}` from `{one}` inside {reader.name}", "edit"),
            )


def _in_text(reader: ComponentReader, site: Dependency) -> tuple[int, ...]:
    """Where a name is needed and, of those that one use brings in, where it is made: no alphabet counts."""
    made = reader.namespace.definitions[site.name][0]
    node = made.bind.node
    return site.cell, site.line, site.column, made.position, node.lineno, node.col_offset
