"""The notebook's one namespace: who binds a name, in notebook order, and what its value can run.

Notebook order (top to bottom) is the order that counts, as in papermill or *Restart and run all*.
"""

from __future__ import annotations

import ast
import builtins
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from nbcomponent.analysis.facts import Bind, Block, CellFacts, Function, Statement, in_order
from nbcomponent.analysis.library.calls import STORING_FUNCTIONS, STORING_METHODS
from nbcomponent.analysis.model import StatementKind
from nbcomponent.analysis.stars import UNKNOWN, Exports
from nbcomponent.analysis.syntax import dotted, root_of

BUILTINS = frozenset(dir(builtins))


@dataclass(slots=True, eq=False)
class Definition:
    """A binding with its place in the notebook: ``position`` counts all top-level statements."""

    position: int
    cell: int
    statement: Statement
    bind: Bind
    definite: bool


@dataclass(slots=True)
class Carries:
    """Functions that a value can run: when it is used at all, and only when it is called itself."""

    used: frozenset[Function]
    called: frozenset[Function]


@dataclass(slots=True)
class _Stored:
    """What can run of the things put into a name: after the first n, the first ``counts[n]`` of ``order``."""

    order: dict[Function, None]
    counts: list[int]


_NO_FUNCTIONS: list[Function] = []
_MANY = 200
_NONE = Carries(frozenset(), frozenset())
_AT_ONCE = frozenset({"map", "filter", "sorted", "copy", "list", "set", "zip", "dict"})
"""Methods of values that run what they are given at once, where the function of that name keeps it."""


class Namespace:
    """All cells of a notebook together. Pure look-ups; nothing here runs or changes the facts."""

    def __init__(
        self,
        cells: Mapping[int, CellFacts],
        exports: Callable[[str], Exports] = lambda module: UNKNOWN,
    ) -> None:
        self.cells = cells
        self.statements: list[Statement] = []
        self.position: dict[int, int] = {}
        self.definitions: dict[str, list[Definition]] = {}
        self.stars: list[Definition] = []
        self.star_bindings: dict[int, list[Definition]] = {}
        self.imports: dict[str, str] = {}
        self.lambdas: dict[ast.AST, Function] = {}
        self.stores: dict[str, list[tuple[int, ast.expr | Function]]] = {}
        self.deletions: dict[str, list[int]] = {}
        self.call_bindings: dict[int, list[Definition]] = {}
        self._paths: dict[tuple[str, ...], str | None] = {}
        self.kinds: dict[int, StatementKind] = {}
        self.has_functions = False
        self.types: dict[Definition, dict[int, str | None]] = {}
        self.local_values: dict[Function, dict[str, list[tuple[ast.expr | None, bool]]]] = {}
        self._carriers: set[str] = set()
        self._positions: dict[str, list[int]] = {}
        self._memory: dict[tuple[str, int, int], Carries] = {}
        self._stored: dict[str, _Stored] = {}
        self._working: list[Definition] = []
        self._runs: dict[int, list[Function]] = {}
        self._carries: dict[Definition, Carries | None] = {}
        self._returns: dict[Function, Carries | None] = {}
        self._collect(exports)

    # collecting

    def _collect(self, exports: Callable[[str], Exports]) -> None:
        binders: dict[str, list[Function]] = {}
        for cell in sorted(self.cells):
            for statement in self.cells[cell].statements:
                position = len(self.statements)
                self.statements.append(statement)
                self.position[id(statement)] = position
                block = statement.block
                for bind in block.binds:
                    definition = Definition(position, cell, statement, bind, bind.definite)
                    if bind.kind == "star":
                        self.stars.append(definition)
                        continue
                    self.definitions.setdefault(bind.name, []).append(definition)
                    if bind.kind == "import" and bind.name not in self.imports:
                        self.imports[bind.name] = import_path(bind)
                    if bind.function is not None:
                        if bind.function.body.binds:
                            binders.setdefault(bind.name, []).append(bind.function)
                        self._decorated(position, bind)
                    elif bind.klass is not None:
                        for method in bind.klass.functions:
                            if method.body.binds:
                                binders.setdefault(bind.name, []).append(method)
                        self._decorated(position, bind)
                if block.functions:
                    self.has_functions = True
                    for function in block.functions:
                        if isinstance(function.node, (ast.Lambda, ast.GeneratorExp)):
                            self.lambdas[function.node] = function
                for mutation in block.mutations:
                    if mutation.value is not None and (
                        mutation.how[0] in "[." or mutation.how in STORING_METHODS
                    ):
                        self.stores.setdefault(mutation.name, []).append((position, mutation.value))
                for name in (*block.deleted, *block.dropped):
                    self.deletions.setdefault(name, []).append(position)
        if self.stars:
            self._bindings_by_stars(exports)
        if binders:
            self._bindings_by_calls(binders)
        self._positions = {
            name: [d.position for d in every] for name, every in self.definitions.items()
        }
        if self.has_functions:
            self._find_carriers()
            # from top to bottom, so that each look-up finds what it needs already worked out
            for definition in sorted(
                (d for name in self._carriers for d in self.definitions.get(name, ())),
                key=lambda d: d.position,
            ):
                self._carried(definition)

    def _find_carriers(self) -> None:
        """Names whose values may run functions of the notebook; most names never do."""
        carriers = self._carriers
        carriers.update(self.stores)
        grew = True
        while grew:
            before = len(carriers)
            for statement in self.statements:
                block = statement.block
                if not block.binds:
                    continue
                runs = bool(block.functions)
                if not runs:
                    for use in block.uses:
                        if use.name in carriers:
                            runs = True
                            break
                if runs:
                    carriers.update([bind.name for bind in block.binds])
            grew = len(carriers) > before

    def _decorated(self, position: int, bind: Bind) -> None:
        """``@registry.add`` puts the definition into ``registry``."""
        if bind.function is None and bind.klass is None:
            return
        node = bind.node
        for decorator in getattr(node, "decorator_list", ()):
            target = decorator.func if isinstance(decorator, ast.Call) else decorator
            if not isinstance(target, ast.Attribute):
                continue
            root = root_of(target)
            if root is not None and root.id not in self.imports:
                functions = [bind.function] if bind.function else bind.klass.functions  # type: ignore[union-attr]
                stored = self.stores.setdefault(root.id, [])
                stored.extend((position, function) for function in functions)

    def _bindings_by_stars(self, exports: Callable[[str], Exports]) -> None:
        """What star imports are known to bind, of the names that the notebook uses.

        Afterwards ``stars`` are those that may bind other names too.
        """
        used: set[str] = set()
        for statement in self.statements:
            for block in (statement.block, *(f.body for f in statement.block.functions)):
                used.update(block.exposed)
                used.update(use.name for use in block.uses)
        inexact: list[Definition] = []
        for star in self.stars:
            bind, position = star.bind, star.position
            known = exports(bind.module or "")
            if not known.exact:
                inexact.append(star)
            definite = isinstance(star.statement.node, (ast.ImportFrom, ast.Expr))
            for name in sorted(known.names & used):
                its_bind = Bind(
                    name, bind.node, "star", definite, statement=bind.statement,
                    module=bind.module, attribute=name,
                )  # fmt: skip
                definition = Definition(position, star.cell, star.statement, its_bind, definite)
                self.definitions.setdefault(name, []).append(definition)
                self.star_bindings.setdefault(position, []).append(definition)
                if not (bind.module or "").startswith("%"):
                    self.imports.setdefault(name, import_path(its_bind))
        self.stars = inexact
        for definitions in self.definitions.values():
            definitions.sort(key=lambda d: d.position)

    def _bindings_by_calls(self, binders: dict[str, list[Function]]) -> None:
        """A call of a function with ``global`` statements binds names where it is called."""
        for position, statement in enumerate(self.statements):
            called = {site.chain[0]: len(site.chain) == 1 for site in statement.block.calls}
            for name, plain in called.items():
                functions = binders.get(name)
                if not functions:
                    continue
                for function in functions:
                    for bind in function.body.binds:
                        if bind.kind == "star":
                            continue
                        definite = (
                            plain
                            and bind.definite
                            and len(functions) == 1
                            and isinstance(statement.node, (ast.Expr, ast.Assign))
                        )
                        definition = Definition(position, statement.cell, statement, bind, definite)
                        self.definitions.setdefault(bind.name, []).append(definition)
                        self.call_bindings.setdefault(position, []).append(definition)
        for definitions in self.definitions.values():
            definitions.sort(key=lambda d: d.position)

    # looking up

    def resolve(self, chain: tuple[str, ...]) -> str | None:
        """The dotted import path of a chain: ``np.random.seed`` is ``numpy.random.seed``.

        A builtin is itself. None where the root is neither an import nor a builtin.
        """
        if chain in self._paths:
            return self._paths[chain]
        root = self.imports.get(chain[0])
        path: str | None = None
        if root is not None:
            path = ".".join((root, *chain[1:]))
        elif chain[0] in BUILTINS and chain[0] not in self.definitions:
            path = ".".join(chain)
        self._paths[chain] = path
        return path

    def bases(self, name: str, position: int) -> Iterator[str]:
        """Dotted paths of what a class of the notebook is derived from, through its other classes."""
        pending, seen = [name], {name}
        while pending:
            for definition in self.reaching(pending.pop(), position):
                node = definition.bind.node if definition.bind.klass is not None else None
                for base in node.bases if isinstance(node, ast.ClassDef) else ():
                    chain = dotted(base)
                    path = self.resolve(chain) if chain else None
                    if path is not None:
                        yield path
                    elif chain and len(chain) == 1 and chain[0] not in seen:
                        seen.add(chain[0])
                        pending.append(chain[0])

    def reaching(
        self, name: str, position: int, without: frozenset[int] = frozenset()
    ) -> list[Definition]:
        """Definitions of ``name`` that a read at ``position`` can see in notebook order.

        The last one above that surely binds it and everything that may bind it after that; where
        nothing above does, those below. ``without``: cells whose definitions do not count.
        """
        every = self.definitions.get(name)
        if every is None:
            return []
        above: list[Definition] = []
        for at in range(bisect_left(self._positions[name], position) - 1, -1, -1):
            definition = every[at]
            if definition.cell in without:
                continue
            above.append(definition)
            if definition.definite:
                break
        if above:
            above.reverse()
            return above
        return [d for d in every if d.position >= position and d.cell not in without]

    def is_import(self, name: str, position: int) -> bool:
        """Whether a name stands for what an import binds, and not for a value bound since."""
        return name in self.imports and all(
            d.bind.kind in ("import", "star") for d in self.reaching(name, position)
        )

    def carries(self, name: str, position: int) -> Carries:
        """What the value of ``name``, read at ``position``, can run."""
        if name not in self._carriers:
            return _NONE
        stores = self.stores.get(name, ())
        stored = bisect_left(stores, position, key=_place_of_store) if stores else 0
        key = (name, bisect_left(self._positions.get(name, ()), position), stored)
        known = self._memory.get(key)
        if known is None:
            working = len(self._working)
            known = self._carries_of(name, position, stored)
            # Inside a cycle the answer is not complete yet; and one for each of many things that are put
            # into a name would take the square of their number.
            if not working and (not stored or len(known.used) < _MANY):
                self._memory[key] = known
        return known

    def _carries_of(self, name: str, position: int, stored: int) -> Carries:
        used: set[Function] = set()
        called: set[Function] = set()
        for definition in self.reaching(name, position):
            carried = self._carried(definition)
            used |= carried.used
            called |= carried.called
        if stored:
            put = self._stored_in(name, stored)
            if not used and not called:
                return Carries(put, frozenset()) if put else _NONE
            used |= put
        if not used and not called:
            return _NONE
        return Carries(frozenset(used), frozenset(called))

    def _stored_in(self, name: str, stored: int) -> frozenset[Function]:
        """What the first ``stored`` values that were put into ``name`` can run."""
        whole = not self._working  # inside a cycle answers are not complete, and are not kept
        known = self._stored.setdefault(name, _Stored({}, [0]))
        have = min(stored, len(known.counts) - 1)
        if have == stored:
            return frozenset(islice(known.order, known.counts[stored]))
        growing = known.order if whole else dict.fromkeys(islice(known.order, known.counts[have]))
        for at, value in self.stores[name][len(known.counts) - 1 : stored]:
            more = (value,) if isinstance(value, Function) else self._flow(value, at).used
            growing.update(dict.fromkeys(more))
            if whole:
                known.counts.append(len(growing))
        return frozenset(growing)

    def _carried(self, definition: Definition) -> Carries:
        if definition in self._carries:
            return (
                self._carries[definition] or _NONE
            )  # None: being worked out, a cycle adds nothing
        self._carries[definition] = None
        self._working.append(definition)
        bind = definition.bind
        if bind.function is not None:
            result = Carries(frozenset((bind.function,)), frozenset())
        elif bind.klass is not None:
            used = set(bind.klass.functions)
            for base in bind.klass.node.bases:
                used |= self._flow(base, definition.position).used
            for stored_at, value in self.stores.get(bind.name, ()):
                # put on the class later, and reached by instances made before
                if isinstance(value, Function):
                    used.add(value)
                else:
                    used |= self._flow(value, stored_at).used
            result = Carries(frozenset(used), frozenset())
        elif bind.value is not None:
            result = self._flow(bind.value, definition.position)
        else:
            result = _NONE
        self._carries[definition] = result
        self._working.pop()
        return result

    def _union(self, parts: Iterable[ast.expr | None], position: int) -> Carries:
        used: frozenset[Function] = frozenset()
        called: frozenset[Function] = frozenset()
        for part in parts:
            if part is None or isinstance(part, ast.Constant):
                continue
            flow = self._flow(part, position)
            if flow.used:
                used |= flow.used
            if flow.called:
                called |= flow.called
        return Carries(used, called) if used or called else _NONE

    def _flow(self, node: ast.expr, position: int) -> Carries:
        """Functions that the value of an expression can run."""
        kind = type(node)
        if kind is ast.Constant:
            return _NONE
        if isinstance(node, ast.Name):
            return self.carries(node.id, position)
        if isinstance(node, ast.Lambda):
            function = self.lambdas.get(node)
            return Carries(frozenset((function,)), frozenset()) if function else _NONE
        if isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred, ast.Await, ast.NamedExpr)):
            return self._flow(node.value, position)
        if isinstance(node, ast.Call):
            return self._call_flow(node, position)
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            return self._union(node.elts, position)
        if isinstance(node, ast.Dict):
            return self._union(node.values, position)
        if isinstance(node, ast.IfExp):
            return self._union((node.body, node.orelse), position)
        if isinstance(node, ast.BoolOp):
            return self._union(node.values, position)
        if isinstance(node, ast.BinOp):
            return self._union((node.left, node.right), position)
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
            flow = self._union((node.elt, node.generators[0].iter), position)
            later = self.lambdas.get(node)
            return flow if later is None else _join(flow, Carries(frozenset((later,)), frozenset()))
        if isinstance(node, ast.DictComp):
            return self._union((node.value, node.generators[0].iter), position)
        return _NONE

    def _call_flow(self, node: ast.Call, position: int) -> Carries:
        arguments = self._union((*node.args, *(k.value for k in node.keywords)), position)
        chain = dotted(node.func)
        if chain is None:
            inner = self._flow(node.func, position)
            return _join(Carries(inner.used | inner.called, frozenset()), arguments)
        last = chain[-1]
        if len(chain) == 1:
            definitions = self.reaching(last, position)
            own = [
                d for d in definitions if d.bind.function is not None or d.bind.klass is not None
            ]
            if own:
                result = arguments
                for definition in own:
                    if definition.bind.klass is not None:
                        result = _join(result, self._carried(definition))
                    else:
                        result = _join(result, self._returned(definition.bind.function, position))  # type: ignore[arg-type]
                return result
        receiver = self.carries(chain[0], position) if chain[0] not in self.imports else _NONE
        if receiver.used:
            methods = [f for f in receiver.used if f.name == last and f.owner is not None]
            if methods:
                result = arguments
                for method in methods:
                    result = _join(result, self._returned(method, position))
                    if _returns_self(method):
                        result = _join(result, receiver)
                return result
            return _join(receiver, arguments)
        if not arguments.used and not arguments.called:
            return _NONE
        if len(chain) > 1 and last in _AT_ONCE:
            return Carries(frozenset(), arguments.used | arguments.called)
        if last in STORING_FUNCTIONS or last[:1].isupper():
            return Carries(arguments.used | arguments.called, frozenset())
        return Carries(frozenset(), arguments.used | arguments.called)

    def _returned(self, function: Function, position: int) -> Carries:
        """What a notebook function's result can run: itself (a closure) when called, its classes."""
        if function in self._returns:
            return self._returns[function] or _NONE
        self._returns[function] = None
        itself = frozenset((function,))
        # a generator or coroutine runs when it is used, a closure when it is called
        result = Carries(itself, frozenset()) if function.lazy else Carries(frozenset(), itself)
        for name in function.body.exposed:
            for definition in self.reaching(name, position):
                if definition.bind.klass is not None:
                    result = _join(result, self._carried(definition))
                elif (
                    definition.bind.function is not None
                    and definition.bind.function is not function
                ):
                    result = _join(result, self._returned(definition.bind.function, position))
        self._returns[function] = result
        return result

    def may_run(self, name: str) -> bool:
        """Whether the value of a name may run functions of the notebook at all."""
        return name in self._carriers

    def functions_run_by(self, block: Block, position: int) -> list[Function]:
        """Functions of the notebook that running ``block`` at ``position`` can run, transitively."""
        if not self.has_functions:
            return _NO_FUNCTIONS
        known = self._runs.get(position)
        if known is None:
            carriers = self._carriers
            known = _NO_FUNCTIONS
            for use in block.uses:
                if use.name in carriers:  # in most statements nothing is
                    known = self._functions_run_by(block, position)
                    break
            self._runs[position] = known
        return known

    def _functions_run_by(self, block: Block, position: int) -> list[Function]:
        found: dict[Function, None] = {}
        pending = [block]
        for bind in block.binds:
            if bind.function is not None and self.run_by_decorators(bind, position):
                found[bind.function] = None
                pending.append(bind.function.body)
        while pending:
            current = pending.pop()
            uses = [u for u in current.uses if u.name in self._carriers and not u.stored]
            if not uses:
                continue
            called = {site.chain[0] for site in current.calls if len(site.chain) == 1}
            for use in uses:
                # what the statement itself has bound by then stands for the name
                at = position + 1 if current is block and use.name in use.bound else position
                carried = self.carries(use.name, at)
                functions = carried.used | carried.called if use.name in called else carried.used
                for function in in_order(functions):
                    if function not in found:
                        found[function] = None
                        pending.append(function.body)
        return list(found)

    def run_by_decorators(self, bind: Bind, position: int) -> bool:
        """Whether a decorator of the notebook calls the function that it decorates."""
        function = bind.function
        if function is None or isinstance(function.node, (ast.Lambda, ast.GeneratorExp)):
            return False
        for decorator in function.node.decorator_list:
            if isinstance(decorator, ast.Name):
                for definition in self.reaching(decorator.id, position):
                    its_function = definition.bind.function
                    if its_function is not None and its_function.parameters[:1]:
                        return its_function.parameters[0] in its_function.calls
        return False


def _place_of_store(store: tuple[int, ast.expr | Function]) -> int:
    return store[0]


def import_path(bind: Bind) -> str:
    """The dotted path that an import binds: ``from a import b`` is ``a.b``."""
    module = bind.module or ""
    return f"{module}.{bind.attribute}" if bind.attribute else module


def _join(first: Carries, second: Carries) -> Carries:
    if not (second.used or second.called):
        return first
    if not (first.used or first.called):
        return second
    return Carries(first.used | second.used, first.called | second.called)


def _returns_self(method: Function) -> bool:
    if not method.parameters:
        return False
    me = method.parameters[0]
    return any(isinstance(value, ast.Name) and value.id == me for value in method.returns)
