"""Which cells change a value that another cell holds: mutation, rebinding, deletion, through aliases.

Values are followed as abstract objects: two names that may hold (parts of) one object share it. A copy
(`.copy()`, arithmetic, a call) is a new object.
"""

from __future__ import annotations

import ast

from nbcomponent.analysis.facts import Block, CallSite, Class, Function, Statement
from nbcomponent.analysis.library import (
    DRAWN_FROM,
    MUTATING_FUNCTIONS,
    MUTATING_METHODS,
    PURE_BUILTINS,
    SHARING_FUNCTIONS,
    SHARING_METHODS,
    USED_UP,
)
from nbcomponent.analysis.namespace import Definition, Namespace
from nbcomponent.analysis.values import IN_PLACE_TYPES, definition_type
from nbcomponent.analysis.visitor import arguments_of, dotted, object_root

_NOTHING: frozenset[int] = frozenset()
_PASSING = frozenset({"zip", "enumerate", "reversed", "iter", "sorted", "list", "tuple", "tqdm"})
_ELEMENTS = frozenset({"iterrows", "itertuples"})
_MUTABLE_DISPLAYS = (ast.List, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp)
_KEYS = (ast.Constant, ast.Name, ast.Attribute, ast.JoinedStr, ast.BinOp, ast.UnaryOp, ast.Call)
_COMPOUND = (ast.For, ast.AsyncFor, ast.While, ast.If, ast.With, ast.AsyncWith, ast.Try, ast.Match)


class ObjectTracker:
    """Follows objects through the statements, which must be given in notebook order."""

    def __init__(self, namespace: Namespace) -> None:
        self.namespace = namespace
        self.objects: dict[str, frozenset[int]] = {}
        self.names: dict[int, set[str]] = {}
        self._history: dict[str, list[tuple[int, frozenset[int]]]] = {}
        self._next = 0
        self._position = 0
        self._passing: dict[str, str] = {}
        self._parameters = _changed_parameters(namespace)

    def step(self, statement: Statement, position: int) -> dict[str, str]:
        """Take one statement in; returns the names whose objects it changed, and how."""
        self._position = position
        block = statement.block
        mutated: dict[str, str] = {}
        bound = {b.name for b in block.binds} if block.binds else ()
        for mutation in block.mutations:
            name = mutation.name
            if name in bound and name not in block.exposed:
                continue  # what the statement itself binds: below
            if mutation.how.endswith("=") and not self._in_place(name, mutation.value):
                continue
            self._mutated(name, mutation.how, mutated)
        for site in block.calls:
            if site.node.args or site.node.keywords or len(site.chain) > 1:
                self._call(site, position, mutated)
        for call in block.method_calls:
            self._method_call(call, position, mutated)
        for function in self.namespace.functions_run_by(block, position):
            for mutation in function.body.mutations:
                self._mutated(mutation.name, mutation.how, mutated)
        if self._passing:
            self._use_up(block, mutated)
        if block.binds or block.deleted:
            self._bind(statement, position, mutated)
        return mutated

    def _bind(self, statement: Statement, position: int, mutated: dict[str, str]) -> None:
        block = statement.block
        fresh: dict[str, frozenset[int]] = {}
        passing: dict[str, str] = {}
        for bind in block.binds:
            value = bind.value
            if bind.kind == "augmented" or (value is None and bind.name in fresh):
                continue
            shared = _NOTHING if value is None else self._of(value, bind.part)
            fresh[bind.name] = fresh[bind.name] | shared if bind.name in fresh else shared
            kind = "" if value is None or bind.part else self._passing_kind(value, position)
            if kind:
                passing[bind.name] = kind
        for name in block.deleted:
            fresh[name] = _NOTHING
        for name, objects in fresh.items():
            self._set(name, objects)
            if self._passing:
                self._passing.pop(name, None)
        self._passing.update(passing)
        if isinstance(statement.node, _COMPOUND) and any(fresh.values()):
            # a loop changes the elements that its own target names
            for mutation in block.mutations:
                if fresh.get(mutation.name) and not mutation.how.endswith("="):
                    self._mutated(mutation.name, mutation.how, mutated)
            for site in block.calls:
                self._call(site, position, mutated)

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
        self._held(self.objects.get(name, _NOTHING), how, found)

    def _held(self, objects: frozenset[int], how: str, found: dict[str, str]) -> None:
        for held in objects:
            for other in self.names.get(held, ()):
                found.setdefault(other, how)

    def _in_place(self, name: str, value: ast.expr | None) -> bool:
        """Whether ``name += value`` changes an object that other names may hold."""
        if isinstance(value, _MUTABLE_DISPLAYS):
            return True
        for definition in self.namespace.reaching(name, self._position):
            if isinstance(definition.bind.value, _MUTABLE_DISPLAYS):
                return True
            if definition_type(definition, self.namespace) in IN_PLACE_TYPES:
                return True
        return False

    # which objects a value is, or shares

    def _of(self, node: ast.expr, part: bool) -> frozenset[int]:
        kind = type(node)
        if kind is ast.Constant:
            return _NOTHING
        if isinstance(node, ast.Name):
            known = self.objects.get(node.id)
            if not known and node.id in self.namespace.definitions:
                known = self._new()
                self._set(node.id, known)
            return known or _NOTHING
        if isinstance(node, (ast.Attribute, ast.NamedExpr)):
            return self._of(node.value, part)
        if isinstance(node, ast.Starred):
            return self._of(node.value, part) if part else _NOTHING  # a display makes a new list
        if isinstance(node, ast.Subscript):
            return self._element(node, part)
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            return _NOTHING.union(*(self._of(e, part) for e in node.elts))
        if isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values, strict=True)
            return _NOTHING.union(*(self._of(v, part) for k, v in pairs if k is not None))
        if isinstance(node, ast.IfExp):
            return self._of(node.body, part) | self._of(node.orelse, part)
        if isinstance(node, ast.BoolOp):
            return _NOTHING.union(*(self._of(e, part) for e in node.values))
        if isinstance(node, ast.Call):
            return self._result(node, part)
        return _NOTHING

    def _element(self, node: ast.Subscript, part: bool) -> frozenset[int]:
        """What ``a[key]`` shares with ``a``: an element of a container, a view of an array."""
        key = node.slice
        root = node.value
        if isinstance(key, ast.Constant) or (part and isinstance(key, ast.Slice)):
            return self._of(root, part)
        if not isinstance(root, ast.Name):
            return _NOTHING
        types = {
            definition_type(d, self.namespace)
            for d in self.namespace.reaching(root.id, self._position)
        }
        if isinstance(key, (ast.Slice, ast.Tuple)):
            shares = types <= {"numpy.ndarray", "memoryview"} and bool(types)
        else:
            shares = isinstance(key, _KEYS) and bool(types & {"dict", "list"})
        return self._of(root, part) if shares else _NOTHING

    def _result(self, node: ast.Call, part: bool) -> frozenset[int]:
        func = node.func
        if isinstance(func, ast.Name):
            if func.id in _PASSING:
                if part or func.id in ("iter", "zip", "enumerate", "reversed"):
                    return _NOTHING.union(*(self._of(a, part) for a in node.args))
                return _NOTHING
            if func.id not in self.namespace.definitions:
                return _NOTHING
        chain = dotted(func)
        if chain is not None:
            path = self.namespace.resolve(chain)
            if path is not None:
                if path in SHARING_FUNCTIONS and node.args:
                    return self._of(node.args[0], part)
                return _NOTHING
            if self.namespace.has_functions:
                shared = self._given_back(CallSite(chain, node))
                if shared is not None:
                    return shared
        if isinstance(func, ast.Attribute) and (
            func.attr in SHARING_METHODS or (part and func.attr in _ELEMENTS)
        ):
            root = object_root(func)
            if root is not None and root.id not in self.namespace.imports:
                return self._of(root, part)
        return _NOTHING

    def _given_back(self, site: CallSite) -> frozenset[int] | None:
        """What a call of the notebook's own code gives back of its arguments. None: it calls no such."""
        chain = site.chain
        if len(chain) == 1:
            for definition in self.namespace.reaching(chain[0], self._position):
                if definition.bind.klass is not None:
                    return self._kept(definition.bind.klass, site.node)
        found: frozenset[int] | None = None
        for function, skip in called_functions(self.namespace, site, self._position):
            found = found or _NOTHING
            if skip and function.parameters[:1] and function.parameters[0] in function.gives:
                found |= self.objects.get(chain[0], _NOTHING)
            for parameter, argument in arguments_of(function, site.node, skip):
                if parameter in function.gives:
                    found |= self._of(argument, False)
        return found

    def _kept(self, klass: Class, call: ast.Call) -> frozenset[int]:
        """Objects that an instance keeps of the arguments it is made with."""
        makers = [f for f in klass.functions if f.name == "__init__"]
        if not makers and any(
            "dataclass" in ast.dump(decorator) for decorator in klass.node.decorator_list
        ):
            arguments = (*call.args, *(k.value for k in call.keywords))
            return _NOTHING.union(*(self._of(a, False) for a in arguments))
        kept = _NOTHING
        for maker in makers:
            for parameter, argument in arguments_of(maker, call, 1):
                if parameter in maker.keeps:
                    kept |= self._of(argument, False)
        return kept

    # calls that change what they are given

    def _call(self, site: CallSite, position: int, mutated: dict[str, str]) -> None:
        node = site.node
        path = self.namespace.resolve(site.chain)
        if path is not None:
            for index in MUTATING_FUNCTIONS.get(path, ()):
                if index < len(node.args):
                    self._argument(node.args[index], site.chain[-1], mutated)
        elif self.namespace.has_functions:
            for function, skip in called_functions(self.namespace, site, position):
                self._callee(function, node, skip, site.chain, mutated)
        if self._parameters:
            self._called_back(node, path, position, mutated)

    def _callee(
        self,
        function: Function,
        node: ast.Call,
        skip: int,
        chain: tuple[str, ...],
        mutated: dict[str, str],
    ) -> None:
        changed = self._parameters.get(function)
        if not changed and not function.augmented:
            return
        changed = changed or set()
        how = chain[-1]
        if skip and function.parameters and function.parameters[0] in changed:
            self._mutated(chain[0], how, mutated)
        for parameter, argument in arguments_of(function, node, skip):
            if parameter in changed or (
                parameter in function.augmented
                and isinstance(argument, ast.Name)
                and self._in_place(argument.id, None)
            ):
                self._argument(argument, how, mutated)

    def _called_back(
        self, node: ast.Call, path: str | None, position: int, mutated: dict[str, str]
    ) -> None:
        """``map(f, rows)``, ``df.pipe(f)``, ``partial(f, rows)``: ``f`` gets what else is given."""
        arguments = (*node.args, *(k.value for k in node.keywords))
        for argument in arguments:
            if isinstance(argument, ast.Lambda):
                functions = [self.namespace.lambdas.get(argument)]
            elif isinstance(argument, ast.Name) and argument.id in self.namespace.definitions:
                functions = [
                    d.bind.function for d in self.namespace.reaching(argument.id, position)
                ]
            else:
                continue
            for function in functions:
                if function is None or not self._parameters.get(function):
                    continue
                others = [a for a in arguments if a is not argument]
                if isinstance(node.func, ast.Attribute) and path is None:
                    others.append(node.func.value)
                for other in others:
                    self._argument(other, function.name, mutated)

    def _method_call(self, node: ast.Call, position: int, mutated: dict[str, str]) -> None:
        """A method called on the result of a call: ``Adder().add(rows)``, ``d.get("k").append(1)``."""
        func = node.func
        if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Call):
            return
        made = func.value.func
        if isinstance(made, ast.Name) and self.namespace.has_functions:
            for definition in self.namespace.reaching(made.id, position):
                klass = definition.bind.klass
                if klass is None:
                    continue
                for method in klass.functions:
                    if method.name != func.attr:
                        continue
                    chain = (made.id, func.attr)
                    changed = self._parameters.get(method, set())
                    if method.parameters and method.parameters[0] in changed:
                        self._held(self._of(func.value, False), func.attr, mutated)
                    self._callee(method, node, 1, chain, mutated)
        elif func.attr in MUTATING_METHODS:
            self._held(self._of(func.value, False), func.attr, mutated)
        if self._parameters:
            self._called_back(node, None, position, mutated)

    def _argument(self, argument: ast.expr, how: str, mutated: dict[str, str]) -> None:
        root = object_root(argument)
        if root is not None:
            self._mutated(root.id, how, mutated)
        elif isinstance(argument, (ast.List, ast.Tuple, ast.Dict, ast.Call)):
            self._held(self._of(argument, False), how, mutated)

    # iterators, files and random generators: using them changes them

    def _passing_kind(self, node: ast.expr, position: int) -> str:
        """``used up`` or ``drawn from`` for a value that its use changes, else nothing."""
        if isinstance(node, ast.GeneratorExp):
            return "used up"
        if isinstance(node, ast.Name):
            return self._passing.get(node.id, "")
        if not isinstance(node, ast.Call):
            return ""
        chain = dotted(node.func)
        if chain is None:
            return ""
        path = self.namespace.resolve(chain)
        if path is not None:
            return "used up" if path in USED_UP else "drawn from" if path in DRAWN_FROM else ""
        if len(chain) == 1:
            for definition in self.namespace.reaching(chain[0], position):
                function = definition.bind.function
                if (
                    function is not None
                    and function.lazy
                    and not isinstance(function.node, ast.AsyncFunctionDef)
                ):
                    return "used up"
        return ""

    def _use_up(self, block: Block, mutated: dict[str, str]) -> None:
        for use in block.uses:
            if self._passing.get(use.name) == "used up" and use.name in block.exposed:
                unpacked = any(
                    b.part and isinstance(b.value, ast.Name) and b.value.id == use.name
                    for b in block.binds
                )
                if not use.stored or unpacked:
                    self._mutated(use.name, "used up", mutated)
        for site in block.calls:
            names = [a.id for a in site.node.args if isinstance(a, ast.Name)]
            names += [k.value.id for k in site.node.keywords if isinstance(k.value, ast.Name)]
            if len(site.chain) > 1:
                names.append(site.chain[0])
            for name in names:
                if self._passing.get(name) == "drawn from" and name in block.exposed:
                    self._mutated(name, site.chain[-1], mutated)


def called_functions(
    namespace: Namespace, site: CallSite, position: int
) -> list[tuple[Function, int]]:
    """Notebook functions that a call runs, with 1 for methods (their first parameter is the receiver)."""
    chain = site.chain
    if len(chain) == 1:
        found: list[tuple[Function, int]] = []
        for definition in namespace.reaching(chain[0], position):
            function = _function_of(definition, namespace)
            if function is not None:
                found.append((function, 0))
            elif definition.bind.klass is not None:
                found.extend(
                    (f, 1) for f in definition.bind.klass.functions if f.name == "__init__"
                )
        return found
    if len(chain) == 2 and namespace.has_functions:
        return [
            (function, 1)
            for function in namespace.carries(chain[0], position).used
            if function.owner is not None and function.name == chain[1]
        ]
    return []


def _function_of(definition: Definition, namespace: Namespace) -> Function | None:
    bind = definition.bind
    if isinstance(bind.value, ast.Lambda):
        return namespace.lambdas.get(bind.value)
    return bind.function


def may_be_changed_by_call(namespace: Namespace, site: CallSite, name: str) -> bool:
    """Whether a call can change the object that ``name`` holds, when ``name`` is an argument of it."""
    path = namespace.resolve(site.chain)
    if path in PURE_BUILTINS:
        return False
    arguments = (*site.node.args, *(k.value for k in site.node.keywords))
    if not any(isinstance(a, ast.Name) and a.id == name for a in arguments):
        return False
    return path is None or path in MUTATING_FUNCTIONS or not path.startswith(("numpy.", "pandas."))


def _changed_parameters(namespace: Namespace) -> dict[Function, set[str]]:
    """Parameters that each notebook function changes, also through functions that it calls."""
    functions = [f for s in namespace.statements for f in s.block.functions]
    if not functions:
        return {}
    changed = {f: set(f.parameter_mutations) for f in functions}
    last = len(namespace.statements)
    methods: dict[str, list[Function]] = {}
    for function in functions:
        if function.owner is not None:
            methods.setdefault(function.name, []).append(function)
    grew = True
    while grew:
        grew = False
        for function in functions:
            before = len(changed[function])
            if before == len(function.parameters):
                continue
            for argument in _changed_arguments(function, changed, methods, namespace, last):
                root = object_root(argument)
                if root is not None and root.id in function.parameters:
                    changed[function].add(root.id)
            grew = grew or len(changed[function]) > before
    return {f: parameters for f, parameters in changed.items() if parameters}


def _changed_arguments(
    function: Function,
    changed: dict[Function, set[str]],
    methods: dict[str, list[Function]],
    namespace: Namespace,
    last: int,
) -> list[ast.expr]:
    """Expressions that calls in a function's body change."""
    found: list[ast.expr] = []
    for site in function.body.calls:
        path = namespace.resolve(site.chain)
        if path is not None:
            for index in MUTATING_FUNCTIONS.get(path, ()):
                if index < len(site.node.args):
                    found.append(site.node.args[index])
            continue
        for callee, skip in called_functions(namespace, site, last):
            its_changes = changed.get(callee)
            if its_changes:
                found += [a for p, a in arguments_of(callee, site.node, skip) if p in its_changes]
    if methods and function.parameters:
        for call in function.body.method_calls:
            func = call.func
            if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Name):
                continue
            for method in methods.get(func.attr, ()):
                its_changes = changed[method]
                if method.parameters and method.parameters[0] in its_changes:
                    found.append(func.value)
                found += [a for p, a in arguments_of(method, call, 1) if p in its_changes]
    return found


def chain_text(node: ast.expr) -> str:
    """A dotted name as written, for messages."""
    return ".".join(dotted(node) or ("?",))
