"""Classes that a pickled value may need although nothing in it can run: those without methods.

``points = [Point(1, 2)]`` with a dataclass or a named tuple ``Point`` loads only where ``Point`` is defined.
Classes with methods are found with the functions that a value carries (:meth:`Namespace.carries`).
"""

from __future__ import annotations

import ast

from nbcomponent.analysis.facts import Statement
from nbcomponent.analysis.library.calls import PURE_BUILTINS, PURE_FACTORIES
from nbcomponent.analysis.namespace import Definition, Namespace
from nbcomponent.analysis.syntax import dotted
from nbcomponent.analysis.timeline import Timeline
from nbcomponent.core.trees import walk

_MOST = 2000
_MAKE_CLASSES = PURE_FACTORIES & {
    "collections.namedtuple",
    "typing.NamedTuple",
    "enum.Enum",
    "enum.IntEnum",
}


class InstanceClasses:
    """Finds the classes without methods that values of one notebook need."""

    def __init__(self, namespace: Namespace, timeline: Timeline) -> None:
        self._namespace = namespace
        self._timeline = timeline
        self._some = any(
            _is_class(definition, namespace)
            for every in namespace.definitions.values()
            for definition in every
        )
        self._names: dict[int, tuple[str, ...]] = {}

    def of(self, name: str, position: int) -> dict[str, Statement]:
        """The classes without methods, by name, that code may use that makes the value of ``name``.

        Followed backwards from the value's changes above ``position``, through functions and other
        values.
        """
        found: dict[str, Statement] = {}
        if not self._some:
            return found
        namespace, timeline = self._namespace, self._timeline
        pending = [e.statement for e in timeline.of(name) if e.position < position]
        seen = {id(s) for s in pending}
        names = {name}
        while pending and len(seen) < _MOST:
            statement = pending.pop()
            for read in self._names_in(statement):
                if read in names:
                    continue
                names.add(read)
                more = [e.statement for e in timeline.of(read) if e.position < position]
                for definition in namespace.reaching(read, position):
                    if _is_class(definition, namespace):
                        found[read] = definition.statement
                    more.append(definition.statement)
                for other in more:
                    if id(other) not in seen:
                        seen.add(id(other))
                        pending.append(other)
        return found

    def _names_in(self, statement: Statement) -> tuple[str, ...]:
        """The names in a statement, each once; remembered, for many values come from the same ones."""
        names = self._names.get(id(statement))
        if names is None:
            found = (node.id for node in walk(statement.node) if isinstance(node, ast.Name))
            names = self._names[id(statement)] = tuple(dict.fromkeys(found))
        return names


def _is_class(definition: Definition, namespace: Namespace) -> bool:
    bind = definition.bind
    if bind.klass is not None:
        return not bind.klass.functions
    if isinstance(bind.value, ast.Call):
        chain = dotted(bind.value.func)
        return chain is not None and namespace.resolve(chain) in _MAKE_CLASSES
    return False


def only_defines(statement: Statement, namespace: Namespace) -> bool:
    """Whether running a class statement does no more than call what is imported, or plain builtins."""
    for site in statement.block.calls:
        path = namespace.resolve(site.chain)
        if path is None or ("." not in path and path not in PURE_BUILTINS):
            return False
        if path in ("print", "display"):
            return False
    return isinstance(statement.node, ast.ClassDef) and not statement.block.magics
