"""Every change of every name, in notebook order: bindings, deletions, and mutations of what it holds."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from nbcomponent.analysis.carrying import is_immutable_literal
from nbcomponent.analysis.facts import Statement
from nbcomponent.analysis.namespace import Definition, Namespace, import_path
from nbcomponent.analysis.objects import ObjectTracker
from nbcomponent.core.trees import same_tree


@dataclass(slots=True, eq=False)
class Event:
    """A change of a name at a statement. ``how`` is a binding's kind, ``del``, or the mutation."""

    position: int
    statement: Statement
    how: str
    binds: bool


class Timeline:
    """Changes by name. A second import or definition that equals the first one changes nothing."""

    def __init__(self, namespace: Namespace) -> None:
        self.namespace = namespace
        self._events: dict[str, list[Event]] = {}
        self._mutations: dict[str, list[Event]] = {}
        self._function_changes: list[int] | None = None
        self._tracker = ObjectTracker(namespace)
        for position, statement in enumerate(namespace.statements):
            mutated = self._tracker.step(statement, position)
            if mutated:
                bound = {bind.name for bind in statement.block.binds}
                # many names may hold one object, so one event serves them all
                events = {
                    how: Event(position, statement, how, False) for how in set(mutated.values())
                }
                for name, how in mutated.items():
                    if name not in bound:
                        self._mutations.setdefault(name, []).append(events[how])
        self._all_change = "*" in namespace.deletions
        self._changing = {
            *self._mutations,
            *namespace.deletions,
            *(name for name, every in namespace.definitions.items() if len(every) > 1),
        }

    def changes(self, name: str) -> bool:
        """Whether anything changes a name after its first binding; of most names nothing does."""
        return name in self._changing or self._all_change

    def of(self, name: str) -> list[Event]:
        """All changes of a name, in notebook order."""
        events = self._events.get(name)
        if events is None:
            events = self._bindings(name)
            events += self._mutations.get(name, ())
            deletions = self.namespace.deletions
            for position in (*deletions.get(name, ()), *deletions.get("*", ())):
                events.append(Event(position, self.namespace.statements[position], "del", True))
            events.sort(key=lambda e: e.position)
            self._events[name] = events
        return events

    def _bindings(self, name: str) -> list[Event]:
        events: list[Event] = []
        before: Definition | None = None
        for definition in self.namespace.definitions.get(name, ()):
            if before is None or not self.restates(before, definition):
                kind = definition.bind.kind
                called = kind != "star" and definition.bind not in definition.statement.block.binds
                how = "global" if called else kind
                if not events or events[-1].position != definition.position:
                    events.append(Event(definition.position, definition.statement, how, True))
            before = definition
        return events

    def restates(self, before: Definition, after: Definition) -> bool:
        """Whether a binding gives a name what it already was: the same import, definition or literal.

        A definition reads the values of its defaults and of its class body when it runs: where one of those
        has changed, the same text makes something else.
        """
        return restates(before, after) and not any(
            self._changed_between(name, before.position, after.position)
            for name in after.statement.block.exposed
        )

    def _changed_between(self, name: str, after: int, before: int) -> bool:
        every = self.namespace.definitions.get(name, ())
        return any(
            after < d.position < before and not (n and restates(every[n - 1], d))
            for n, d in enumerate(every)
        ) or any(after < e.position < before for e in self._mutations.get(name, ()))

    def objects(self, name: str, position: int) -> frozenset[int]:
        """The abstract objects that a name holds at a position, where other names may hold them too."""
        return self._tracker.held_at(name, position)

    def between(
        self, name: str, after: int, before: int, without: frozenset[int] = frozenset()
    ) -> list[Event]:
        """Changes of ``name`` at positions strictly between, by cells not in ``without``."""
        return [
            e
            for e in self.of(name)
            if after < e.position < before and e.statement.cell not in without
        ]

    def changes_for_functions(self, after: int, before: int) -> bool:
        """Whether a name that some function reads changes at a position strictly between."""
        if before - after < 2 or not self.namespace.has_functions:
            return False
        if self._function_changes is None:
            bodies = [f.body for s in self.namespace.statements for f in s.block.functions]
            names = {name for body in bodies for name in body.exposed if self.changes(name)}
            self._function_changes = sorted({e.position for n in names for e in self.of(n)})
        changes = self._function_changes
        first = bisect_right(changes, after)
        return first < len(changes) and changes[first] < before


def restates(before: Definition, after: Definition) -> bool:
    """Whether two bindings have the same text: the same import, definition or literal."""
    one, other = before.bind, after.bind
    if one.kind in ("import", "star") and other.kind in ("import", "star"):
        return import_path(one) == import_path(other)
    if one.value is not None and other.value is not None and not one.part and not other.part:
        return (
            one.kind == other.kind == "assign"
            and type(one.value) is type(other.value)
            and is_immutable_literal(one.value)
            and same_tree(one.value, other.value)
        )
    if (one.function or one.klass) and (other.function or other.klass):
        return same_definition(before.statement, after.statement)
    return False


def same_definition(one: Statement, other: Statement) -> bool:
    """Whether two definitions mean the same: comments and layout do not count."""
    return same_tree(one.node, other.node)
