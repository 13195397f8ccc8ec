"""Classes that a pickled value may need although nothing in it can run: those without methods.

``points = [Point(1, 2)]`` with a dataclass or a named tuple ``Point`` loads only where ``Point`` is defined.
Classes with methods are found with the functions that a value carries (:meth:`Namespace.carries`).
"""

from __future__ import annotations

import ast

from nbcomponent.analysis.facts import Statement
from nbcomponent.analysis.library import PURE_BUILTINS, PURE_FACTORIES
from nbcomponent.analysis.namespace import Definition, Namespace
from nbcomponent.analysis.timeline import Timeline
from nbcomponent.analysis.visitor import dotted

_MOST = 2000
_MAKE_CLASSES = PURE_FACTORIES & {
    "collections.namedtuple",
    "typing.NamedTuple",
    "enum.Enum",
    "enum.IntEnum",
}


def classes_of(
    name: str, position: int, namespace: Namespace, timeline: Timeline
) -> dict[str, Statement]:
    """The classes without methods, by name, that code may use that makes the value of ``name``.

    Followed backwards from the value's changes above ``position``, through functions and other values.
    """
    found: dict[str, Statement] = {}
    pending = [e.statement for e in timeline.of(name) if e.position < position]
    seen = {id(s) for s in pending}
    names = {name}
    while pending and len(seen) < _MOST:
        statement = pending.pop()
        for node in ast.walk(statement.node):
            if not isinstance(node, ast.Name) or node.id in names:
                continue
            names.add(node.id)
            more = [e.statement for e in timeline.of(node.id) if e.position < position]
            for definition in namespace.reaching(node.id, position):
                if _is_class(definition, namespace):
                    found[node.id] = definition.statement
                more.append(definition.statement)
            for other in more:
                if id(other) not in seen:
                    seen.add(id(other))
                    pending.append(other)
    return found


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
