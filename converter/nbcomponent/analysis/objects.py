"""Which cells change a value that another cell holds: mutation, rebinding, deletion, through aliases.

Values are followed as abstract objects: two names that may hold (parts of) one object share it. A copy
(`.copy()`, arithmetic, a call) is a new object.
"""

from __future__ import annotations

import ast

from nbcomponent.analysis.facts import CallSite, Function, Statement
from nbcomponent.analysis.library import MUTATING_FUNCTIONS, PURE_BUILTINS
from nbcomponent.analysis.namespace import Namespace
from nbcomponent.analysis.visitor import dotted, root_of

_NOTHING: frozenset[int] = frozenset()
_PASSING = frozenset({"zip", "enumerate", "reversed", "iter", "sorted", "list", "tuple", "tqdm"})
_VIEWS = frozenset({"items", "values", "keys", "iterrows", "itertuples", "parameters", "children"})
_MUTABLE_DISPLAYS = (ast.List, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp)


class ObjectTracker:
    """Follows objects through the statements, which must be given in notebook order."""

    def __init__(self, namespace: Namespace) -> None:
        self.namespace = namespace
        self.objects: dict[str, frozenset[int]] = {}
        self.names: dict[int, set[str]] = {}
        self._history: dict[str, list[tuple[int, frozenset[int]]]] = {}
        self._next = 0
        self._position = 0
        self._parameters = _mutated_parameters(namespace)

    def step(self, statement: Statement, position: int) -> dict[str, str]:
        """Take one statement in; returns the names whose objects it changed, and how."""
        self._position = position
        block = statement.block
        mutated: dict[str, str] = {}
        for mutation in block.mutations:
            if mutation.how.endswith("=") and not self._in_place(mutation.name, mutation.value):
                continue
            self._mutated(mutation.name, mutation.how, mutated)
        for site in block.calls:
            if site.node.args or site.node.keywords or len(site.chain) > 1:
                self._call(site, position, mutated)
        for function in self.namespace.functions_run_by(block, position):
            for mutation in function.body.mutations:
                self._mutated(mutation.name, mutation.how, mutated)
        fresh: dict[str, frozenset[int]] = {}
        for bind in block.binds:
            if bind.kind == "augmented":
                continue
            shared = _NOTHING if bind.value is None else self._of(bind.value, bind.part)
            fresh[bind.name] = fresh[bind.name] | shared if bind.name in fresh else shared
        for name in block.deleted:
            fresh[name] = _NOTHING
        for name, objects in fresh.items():
            self._set(name, objects)
        return mutated

    def held_at(self, name: str, position: int) -> frozenset[int]:
        """The objects of a name at a position that is past."""
        held = _NOTHING
        for at, objects in self._history.get(name, ()):
            if at >= position:
                break
            held = objects
        return held

    def _set(self, name: str, objects: frozenset[int]) -> None:
        before = self.objects.get(name, _NOTHING)
        if not before and not objects:
            return
        for old in before:
            self.names[old].discard(name)
        self.objects[name] = objects
        self._history.setdefault(name, []).append((self._position, objects))
        for new in objects:
            self.names.setdefault(new, set()).add(name)

    def _new(self) -> frozenset[int]:
        self._next += 1
        return frozenset((self._next,))

    def _mutated(self, name: str, how: str, found: dict[str, str]) -> None:
        found.setdefault(name, how)
        for held in self.objects.get(name, ()):
            for other in self.names.get(held, ()):
                found.setdefault(other, how)

    def _in_place(self, name: str, value: ast.expr | None) -> bool:
        """Whether ``name += value`` changes an object that other names may hold."""
        if isinstance(value, _MUTABLE_DISPLAYS):
            return True
        definitions = self.namespace.definitions.get(name, ())
        return any(isinstance(d.bind.value, _MUTABLE_DISPLAYS) for d in definitions)

    def _of(self, node: ast.expr, part: bool) -> frozenset[int]:
        if isinstance(node, ast.Name):
            known = self.objects.get(node.id)
            if not known and node.id in self.namespace.definitions:
                known = self._new()
                self._set(node.id, known)
            return known or _NOTHING
        if isinstance(node, (ast.Attribute, ast.Starred, ast.NamedExpr)):
            return self._of(node.value, part)
        if isinstance(node, ast.Subscript):
            # a constant key reaches an element; a mask, list or slice mostly makes a copy
            return (
                self._of(node.value, part) if isinstance(node.slice, ast.Constant) else frozenset()
            )
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            return frozenset().union(*(self._of(e, part) for e in node.elts))
        if isinstance(node, ast.Dict):
            return frozenset().union(*(self._of(e, part) for e in node.values))
        if isinstance(node, ast.IfExp):
            return self._of(node.body, part) | self._of(node.orelse, part)
        if isinstance(node, ast.BoolOp):
            return frozenset().union(*(self._of(e, part) for e in node.values))
        if isinstance(node, ast.Call):
            func = node.func
            if isinstance(func, ast.Name) and func.id in _PASSING and part:
                return frozenset().union(*(self._of(a, part) for a in node.args))
            if isinstance(func, ast.Attribute) and func.attr in _VIEWS and part:
                return self._of(func.value, part)
        return _NOTHING

    def _call(self, site: CallSite, position: int, mutated: dict[str, str]) -> None:
        node = site.node
        path = self.namespace.resolve(site.chain)
        if path is not None:
            for index in MUTATING_FUNCTIONS.get(path, ()):
                if index < len(node.args):
                    self._argument(node.args[index], site.chain[-1], mutated)
            return
        for function, skip in called_functions(self.namespace, site, position):
            changed = self._parameters.get(function)
            if not changed:
                continue
            if skip and function.parameters and function.parameters[0] in changed:
                self._mutated(site.chain[0], site.chain[-1], mutated)
            for index, argument in enumerate(node.args):
                at = index + skip
                if at < len(function.parameters) and function.parameters[at] in changed:
                    self._argument(argument, site.chain[-1], mutated)
            for keyword in node.keywords:
                if keyword.arg in changed:
                    self._argument(keyword.value, site.chain[-1], mutated)

    def _argument(self, argument: ast.expr, how: str, mutated: dict[str, str]) -> None:
        root = root_of(argument)
        if root is not None:
            self._mutated(root.id, how, mutated)


def called_functions(
    namespace: Namespace, site: CallSite, position: int
) -> list[tuple[Function, int]]:
    """Notebook functions that a call runs, with 1 for methods (their first parameter is the receiver)."""
    chain = site.chain
    if len(chain) == 1:
        return [
            (d.bind.function, 0)
            for d in namespace.reaching(chain[0], position)
            if d.bind.function is not None
        ]
    if len(chain) == 2 and namespace.has_functions:
        return [
            (function, 1)
            for function in namespace.carries(chain[0], position).used
            if function.owner is not None and function.name == chain[1]
        ]
    return []


def may_be_changed_by_call(namespace: Namespace, site: CallSite, name: str) -> bool:
    """Whether a call can change the object that ``name`` holds, when ``name`` is an argument of it."""
    path = namespace.resolve(site.chain)
    if path in PURE_BUILTINS:
        return False
    arguments = (*site.node.args, *(k.value for k in site.node.keywords))
    if not any(isinstance(a, ast.Name) and a.id == name for a in arguments):
        return False
    return path is None or path in MUTATING_FUNCTIONS or not path.startswith(("numpy.", "pandas."))


def _mutated_parameters(namespace: Namespace) -> dict[Function, set[str]]:
    """Parameters that each notebook function changes, also through functions that it calls."""
    functions = [f for s in namespace.statements for f in s.block.functions]
    if not functions:
        return {}
    changed = {f: set(f.parameter_mutations) for f in functions}
    last = len(namespace.statements)
    for _ in range(3):
        grew = False
        for function in functions:
            for site in function.body.calls:
                callees: list[tuple[tuple[str, ...], set[str]]] = []
                path = namespace.resolve(site.chain)
                if path in MUTATING_FUNCTIONS:
                    names = tuple(str(i) for i in range(len(site.node.args)))
                    callees.append((names, {str(i) for i in MUTATING_FUNCTIONS[path or ""]}))
                elif path is None and len(site.chain) == 1:
                    callees.extend(
                        (d.bind.function.parameters, changed[d.bind.function])
                        for d in namespace.reaching(site.chain[0], last)
                        if d.bind.function is not None and d.bind.function in changed
                    )
                for parameters, its_changes in callees:
                    for index, argument in enumerate(site.node.args):
                        root = root_of(argument)
                        if (
                            root is not None
                            and root.id in function.parameters
                            and index < len(parameters)
                            and parameters[index] in its_changes
                            and root.id not in changed[function]
                        ):
                            changed[function].add(root.id)
                            grew = True
        if not grew:
            break
    return changed


def chain_text(node: ast.expr) -> str:
    """A dotted name as written, for messages."""
    return ".".join(dotted(node) or ("?",))
