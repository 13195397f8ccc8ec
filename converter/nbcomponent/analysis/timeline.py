"""Every change of every name, in notebook order: bindings, deletions, and mutations of what it holds."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from nbcomponent.analysis.facts import Statement
from nbcomponent.analysis.namespace import Namespace, import_path
from nbcomponent.analysis.objects import ObjectTracker


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
        self.events: dict[str, list[Event]] = {}
        self.held: dict[str, list[tuple[int, frozenset[int]]]] = {}
        tracker = ObjectTracker(namespace)
        seen: dict[str, str | Statement] = {}
        for position, statement in enumerate(namespace.statements):
            changes = tracker.step(statement, position)
            same = _restated(statement, seen)
            for name in changes.rebinds:
                self.held.setdefault(name, []).append(
                    (position, tracker.objects.get(name, frozenset()))
                )
            for name, how in changes.rebinds.items():
                if name not in same:
                    self._add(name, Event(position, statement, how, True))
            for definition in namespace.call_bindings.get(position, ()):
                self._add(definition.bind.name, Event(position, statement, "global", True))
            for name, how in changes.mutates.items():
                if name not in changes.rebinds:
                    self._add(name, Event(position, statement, how, False))

    def _add(self, name: str, event: Event) -> None:
        self.events.setdefault(name, []).append(event)

    def objects(self, name: str, position: int) -> frozenset[int]:
        """The abstract objects that a name holds at a position."""
        held: frozenset[int] = frozenset()
        for at, objects in self.held.get(name, ()):
            if at >= position:
                break
            held = objects
        return held

    def between(
        self, name: str, after: int, before: int, without: frozenset[int] = frozenset()
    ) -> list[Event]:
        """Changes of ``name`` at positions strictly between, by cells not in ``without``."""
        return [
            e
            for e in self.events.get(name, ())
            if after < e.position < before and e.statement.cell not in without
        ]


def _restated(statement: Statement, seen: dict[str, str | Statement]) -> set[str]:
    """Names that a statement binds to what they were bound to before (an import made twice)."""
    same: set[str] = set()
    for bind in statement.block.binds:
        name = bind.name
        before = seen.get(name)
        if bind.kind == "import":
            text = import_path(bind)
            if before == text:
                same.add(name)
            seen[name] = text
        elif bind.function is not None or bind.klass is not None:
            if isinstance(before, Statement) and same_definition(before, statement):
                same.add(name)
            seen[name] = statement
        elif before is not None:
            del seen[name]
    return same


def same_definition(one: Statement, other: Statement) -> bool:
    """Whether two definitions mean the same (comments and layout aside)."""
    return ast.dump(one.node) == ast.dump(other.node)


def definition_text(statement: Statement) -> str:
    """A definition's meaning as text, to tell distinct ones apart."""
    return ast.dump(statement.node)
