"""Which cells change a value that another cell holds: mutation, rebinding, deletion, through aliases.

Values are followed as abstract objects. A name *is* an object, or one of several, and *holds* others: the
elements of a list, what an attribute reaches, what an array is a view of. A change of an object is one for
every name that is it or holds it; a change of a part of it also one for what it holds. A copy (`.copy()`,
arithmetic, most calls) is a new object.
"""

from __future__ import annotations

import ast

from nbcomponent.analysis.facts import (
    Block,
    CallSite,
    Class,
    Function,
    Mutation,
    Statement,
    in_order,
)
from nbcomponent.analysis.library.calls import (
    DRAWN_FROM,
    MUTATING_FUNCTIONS,
    MUTATING_METHODS,
    PURE_BUILTINS,
    SHARING_FUNCTIONS,
    SHARING_METHODS,
    STORING_METHODS,
    USED_UP,
)
from nbcomponent.analysis.namespace import Definition, Namespace
from nbcomponent.analysis.syntax import arguments_of, dotted, object_root
from nbcomponent.analysis.values import IN_PLACE_TYPES, definition_type
from nbcomponent.core.records import record

_NOTHING: frozenset[int] = frozenset()
_ITERATORS = frozenset({"zip", "enumerate", "reversed", "iter"})
_PASSING = frozenset({*_ITERATORS, "sorted", "list", "tuple", "set", "tqdm"})
_ELEMENTS = frozenset({"iterrows", "itertuples"})
_MUTABLE_DISPLAYS = (ast.List, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp)
_MAY_PASS = frozenset({ast.GeneratorExp, ast.Name, ast.Call})
_KEYS = (ast.Constant, ast.Name, ast.Attribute, ast.JoinedStr, ast.BinOp, ast.UnaryOp, ast.Call)
_COMPOUND = (ast.For, ast.AsyncFor, ast.While, ast.If, ast.With, ast.AsyncWith, ast.Try, ast.Match)
_UNCHANGING = frozenset(
    {"str", "int", "float", "bool", "bytes", "complex", "tuple", "range", "frozenset"}
)

Parameters = dict[str, bool]
"""Parameters that a function changes, and whether (also) a part of them."""


@record(frozen=True, slots=True)
class Value:
    """The objects that a value may be, and those that it may hold."""

    same: frozenset[int] = _NOTHING
    holds: frozenset[int] = _NOTHING

    def __or__(self, other: Value) -> Value:
        if other is _FRESH:
            return self
        return Value(self.same | other.same, self.holds | other.holds)


_FRESH = Value()


class ObjectTracker:
    """Follows objects through the statements, which must be given in notebook order."""

    def __init__(self, namespace: Namespace) -> None:
        self.namespace = namespace
        self.values: dict[str, Value] = {}
        self._named: dict[int, set[str]] = {}
        self._holders: dict[int, set[str]] = {}
        # By name: from which position on it held which objects, or (not ``whole``) which ones more.
        self._history: dict[str, list[tuple[int, frozenset[int], bool]]] = {}
        self._next = 0
        self._position = 0
        self._passing: dict[str, str] = {}
        self._parameters = _changed_parameters(namespace)

    def step(self, statement: Statement, position: int) -> dict[str, str]:
        """Take one statement in; returns the names whose objects it changed, and how."""
        self._position = position
        block = statement.block
        mutated: dict[str, str] = {}
        bound = {b.name for b in block.binds} if block.mutations else ()
        for mutation in block.mutations:
            name = mutation.name
            if name in bound and name not in block.exposed:
                continue  # what the statement itself binds: below
            if mutation.how.endswith("=") and not self._in_place(name, mutation.value):
                continue
            self._change(mutation, mutated)
            self._put_in(mutation)
        for site in block.calls:
            node = site.node
            if len(site.chain) > 1 or node.args or node.keywords:
                self._call(site, position, mutated)
        for call in block.method_calls:
            self._method_call(call, position, mutated)
        if self.namespace.has_functions:
            for function in self.namespace.functions_run_by(block, position):
                for mutation in function.body.mutations:
                    self._change(mutation, mutated)
        if self._passing:
            self._use_up(block, mutated)
        if block.binds or block.deleted:
            self._bind(statement, position, mutated)
        return mutated

    def _bind(self, statement: Statement, position: int, mutated: dict[str, str]) -> None:
        block = statement.block
        binds = block.binds
        if len(binds) == 1 and binds[0].value is None and not block.deleted:
            self._set(binds[0].name, _FRESH)  # an import or a definition
            if self._passing:
                self._passing.pop(binds[0].name, None)
            return
        fresh: dict[str, Value] = {}
        passing: dict[str, str] = {}
        for bind in binds:
            value = bind.value
            if bind.kind == "augmented" or (value is None and bind.name in fresh):
                continue
            its_value = _FRESH if value is None else self._of(value, bind.part)
            before = fresh.get(bind.name)
            fresh[bind.name] = its_value if before is None else before | its_value
            if value is not None and not bind.part and type(value) in _MAY_PASS:
                kind = self._passing_kind(value, position)
                if kind:
                    passing[bind.name] = kind
        for name in block.deleted:
            fresh[name] = _FRESH
        for name, its_value in fresh.items():
            self._set(name, its_value)
            if self._passing:
                self._passing.pop(name, None)
        if passing:
            self._passing.update(passing)
        if isinstance(statement.node, _COMPOUND) and any(v is not _FRESH for v in fresh.values()):
            # a loop changes the elements that its own target names
            for mutation in block.mutations:
                its_value = fresh.get(mutation.name, _FRESH)
                if its_value is not _FRESH and not mutation.how.endswith("="):
                    self._change(mutation, mutated)
            for site in block.calls:
                self._call(site, position, mutated)

    def held_at(self, name: str, position: int) -> frozenset[int]:
        """The objects that a name is or holds at a position that is past."""
        held: set[int] = set()
        for at, objects, whole in self._history.get(name, ()):
            if at >= position:
                break
            if whole:
                held.clear()
            held |= objects
        return frozenset(held)

    # what names are and hold

    def _set(self, name: str, value: Value) -> None:
        before = self.values.get(name, _FRESH)
        if value is before or (value.same == before.same and value.holds == before.holds):
            return
        no_longer, no_longer_held = before.same - value.same, before.holds - value.holds
        now, now_held = value.same - before.same, value.holds - before.holds
        for one in no_longer:
            self._named[one].discard(name)
        for one in no_longer_held:
            self._holders[one].discard(name)
        self.values[name] = value
        whole = bool(no_longer or no_longer_held)
        objects = value.same | value.holds if whole else now | now_held
        self._history.setdefault(name, []).append((self._position, objects, whole))
        for one in now:
            self._named.setdefault(one, set()).add(name)
        for one in now_held:
            self._holders.setdefault(one, set()).add(name)

    def _new(self) -> frozenset[int]:
        self._next += 1
        return frozenset((self._next,))

    def _value(self, name: str) -> Value:
        """What a name is and holds; an object of its own where nothing else is known."""
        value = self.values.get(name, _FRESH)
        if not value.same:
            if name not in self.namespace.definitions or name in self.namespace.imports:
                return _FRESH
            value = Value(self._new(), value.holds)
            self._set(name, value)
        return value

    def _part_of(self, value: Value, keep: ast.expr) -> Value:
        """A part of a value. ``keep``: the expression, whose name then holds that part."""
        element = self._new()
        root = object_root(keep)
        if root is not None and root.id in self.values:
            for name in self._sharing(self.values[root.id].same):
                known = self.values[name]
                self._set(name, Value(known.same, known.holds | element))
        return Value(value.holds | element, value.holds)

    def _sharing(self, objects: frozenset[int]) -> set[str]:
        """Names that are or hold one of some objects."""
        found: set[str] = set()
        for one in objects:
            found |= self._named.get(one, set())
            found |= self._holders.get(one, set())
        return found

    def _put_in(self, mutation: Mutation) -> None:
        """``rows.append(row)``, ``table["a"] = row``: the object now holds the other."""
        value = mutation.value
        if mutation.how in STORING_METHODS:
            values = list(value.args) if isinstance(value, ast.Call) else []
        elif mutation.how[:1] in ".[" and value is not None:
            values = [value]
        else:
            return
        more = _NOTHING
        for part in values:
            if isinstance(part, (ast.Name, ast.List, ast.Tuple, ast.Dict, ast.Attribute)):
                its_value = self._of(part, False)
                more |= its_value.same | its_value.holds
        if more:
            for name in self._sharing(self._value(mutation.name).same) | {mutation.name}:
                known = self.values.get(name, _FRESH)
                self._set(name, Value(known.same, known.holds | more))

    # changes

    def _change(self, mutation: Mutation, found: dict[str, str]) -> None:
        name, how = mutation.name, mutation.how
        self._mutated(name, how, found)
        if mutation.deep:
            for one in self._reached(mutation):
                self._spread(
                    self._named.get(one, set()) | self._holders.get(one, set()), how, found
                )

    def _reached(self, mutation: Mutation) -> frozenset[int]:
        """The objects, of those that a name holds, that a change of a part of it can meet."""
        value = self.values.get(mutation.name, _FRESH)
        if not value.holds:
            return _NOTHING
        keys: list[object] = []
        node = getattr(mutation.node, "value", None)
        while isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            keys.append(node.slice.value)
            node = node.value
        definitions = self.namespace.reaching(mutation.name, self._position)
        display = definitions[0].bind.value if len(definitions) == 1 else None
        if isinstance(node, ast.Name) and keys and isinstance(display, ast.Dict):
            inner: ast.expr | None = display
            for key in reversed(keys):
                inner = _entry(inner, key)
            if isinstance(inner, ast.Name):
                return self._value(inner.id).same
            if inner is not None:
                return _NOTHING  # a part that was made there
        return value.holds

    def _mutated(self, name: str, how: str, found: dict[str, str], deep: bool = False) -> None:
        found.setdefault(name, how)
        value = self.values.get(name)
        if value is None:
            return
        names = self._sharing(value.same)
        if deep:
            names |= self._sharing(value.holds)
        self._spread(names, how, found)

    def _spread(self, names: set[str], how: str, found: dict[str, str]) -> None:
        for name in names:
            if name not in found and not self._unchanging(name):
                found[name] = how

    def _held(self, value: Value, how: str, found: dict[str, str], deep: bool = False) -> None:
        objects = value.same | value.holds if deep else value.same
        self._spread(self._sharing(objects), how, found)

    def _unchanging(self, name: str) -> bool:
        definitions = self.namespace.reaching(name, self._position)
        return bool(definitions) and all(
            definition_type(d, self.namespace) in _UNCHANGING for d in definitions
        )

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

    # which objects a value is, or holds

    def _of(self, node: ast.expr, part: bool) -> Value:
        kind = type(node)
        if kind is ast.Constant:
            return _FRESH
        if isinstance(node, ast.Name):
            value = self._value(node.id)
            return self._part_of(value, node) if part and value is not _FRESH else value
        if isinstance(node, ast.NamedExpr):
            return self._of(node.value, part)
        if isinstance(node, ast.Attribute):
            inner = self._of(node.value, False)
            return _FRESH if inner is _FRESH else self._part_of(inner, node.value)
        if isinstance(node, ast.Subscript):
            return self._element(node, part)
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            return self._display(node.elts, part)
        if isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values, strict=True)
            return self._display([v for k, v in pairs if k is not None], part)
        if isinstance(node, ast.IfExp):
            return self._of(node.body, part) | self._of(node.orelse, part)
        if isinstance(node, ast.BoolOp):
            return self._any([self._of(e, part) for e in node.values])
        if isinstance(node, (ast.ListComp, ast.SetComp)) and isinstance(node.elt, ast.Name):
            first = node.generators[0]
            if isinstance(first.target, ast.Name) and first.target.id == node.elt.id:
                elements = self._of(first.iter, True)
                return elements if part else Value(_NOTHING, elements.same | elements.holds)
            return _FRESH
        if isinstance(node, ast.Call):
            return self._result(node, part)
        return _FRESH

    def _any(self, values: list[Value]) -> Value:
        found = _FRESH
        for value in values:
            found = found | value if found is not _FRESH else value
        return found

    def _display(self, elements: list[ast.expr], part: bool) -> Value:
        """``[a, *b]`` holds ``a`` and the elements of ``b``; a part of it is one of them."""
        found = self._any(
            [
                self._of(e.value, True) if isinstance(e, ast.Starred) else self._of(e, False)
                for e in elements
            ]
        )
        if part or found is _FRESH:
            return found
        return Value(_NOTHING, found.same | found.holds)

    def _element(self, node: ast.Subscript, part: bool) -> Value:
        """What ``a[key]`` shares with ``a``: an element of a container, a view of an array."""
        if not self._shares(node, part):
            return _FRESH
        inner = self._of(node.value, False)
        return _FRESH if inner is _FRESH else self._part_of(inner, node.value)

    def _shares(self, node: ast.Subscript, part: bool) -> bool:
        key, root = node.slice, node.value
        if isinstance(key, ast.Constant) or (part and isinstance(key, ast.Slice)):
            return True
        if not isinstance(root, ast.Name):
            return False
        types = {
            definition_type(d, self.namespace)
            for d in self.namespace.reaching(root.id, self._position)
        }
        if isinstance(key, (ast.Slice, ast.Tuple)):
            return types <= {"numpy.ndarray", "memoryview"} and bool(types)
        return isinstance(key, _KEYS) and bool(types & {"dict", "list"})

    def _result(self, node: ast.Call, part: bool) -> Value:
        func = node.func
        if isinstance(func, ast.Name):
            if func.id in _PASSING:
                return self._passed(func.id, node.args, part)
            if func.id not in self.namespace.definitions:
                return _FRESH
        chain = dotted(func)
        if chain is not None:
            path = self.namespace.resolve(chain)
            if path is not None:
                if path in SHARING_FUNCTIONS and node.args:
                    return self._part(node.args[0])
                return _FRESH
            if self.namespace.has_functions:
                shared = self._given_back(CallSite(chain, node))
                if shared is not None:
                    return shared
        elif isinstance(func, ast.Attribute) and isinstance(func.value, ast.Call):
            shared = self._given_by_an_instance(func.value.func, func.attr)
            if shared is not _FRESH:
                return shared
        if isinstance(func, ast.Attribute) and (
            func.attr in SHARING_METHODS or (part and func.attr in _ELEMENTS)
        ):
            return self._part(func.value)
        return _FRESH

    def _part(self, node: ast.expr) -> Value:
        inner = self._of(node, False)
        return _FRESH if inner is _FRESH else self._part_of(inner, node)

    def _passed(self, name: str, arguments: list[ast.expr], part: bool) -> Value:
        """``list(a)`` holds the elements of ``a``, and a part of ``zip(a, b)`` is one of them."""
        found = self._any([self._of(a, True) for a in arguments if not isinstance(a, ast.Starred)])
        if part or found is _FRESH:
            return found
        held = found.same | found.holds
        if name in _ITERATORS:
            itself = self._any([self._of(a, False) for a in arguments if isinstance(a, ast.Name)])
            held |= itself.same
        return Value(_NOTHING, held)

    def _given_back(self, site: CallSite) -> Value | None:
        """What a call of the notebook's own code gives back: arguments, globals. None: it calls no such."""
        chain = site.chain
        if len(chain) == 1:
            for definition in self.namespace.reaching(chain[0], self._position):
                if definition.bind.klass is not None:
                    return self._kept(definition.bind.klass, site.node)
        found: Value | None = None
        for function, skip in called_functions(self.namespace, site, self._position):
            found = found or _FRESH
            for shown in _globals_given(function):
                found = found | self._of(shown, False)
            if skip and function.parameters[:1] and function.parameters[0] in function.gives:
                receiver = self._value(chain[0])
                found = found | receiver | Value(receiver.holds, _NOTHING)
            for parameter, argument in arguments_of(function, site.node, skip):
                if parameter in function.gives:
                    given = self._of(argument, False)
                    found = found | given | Value(given.holds, _NOTHING)
        return found

    def _given_by_an_instance(self, made: ast.expr, method: str) -> Value:
        """What ``Rows().all_of()`` gives back of the notebook's values."""
        found = _FRESH
        if isinstance(made, ast.Name):
            for definition in self.namespace.reaching(made.id, self._position):
                for function in definition.bind.klass.functions if definition.bind.klass else ():
                    if function.name == method:
                        for shown in _globals_given(function):
                            found = found | self._of(shown, False)
        return found

    def _kept(self, klass: Class, call: ast.Call) -> Value:
        """Objects that an instance keeps of the arguments it is made with."""
        makers = [f for f in klass.functions if f.name == "__init__"]
        arguments: list[ast.expr] = []
        if not makers and any("dataclass" in ast.dump(d) for d in klass.node.decorator_list):
            arguments = [*call.args, *(k.value for k in call.keywords)]
        for maker in makers:
            pairs = arguments_of(maker, call, 1)
            arguments += [argument for parameter, argument in pairs if parameter in maker.keeps]
        return self._display(arguments, False)

    # calls that change what they are given

    def _call(self, site: CallSite, position: int, mutated: dict[str, str]) -> None:
        node = site.node
        path = self.namespace.resolve(site.chain)
        if path is not None:
            for index in MUTATING_FUNCTIONS.get(path, ()):
                if index < len(node.args):
                    self._argument(node.args[index], site.chain[-1], False, mutated)
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
        changed = changed or {}
        how = chain[-1]
        if len(chain) == 2 and skip and function.parameters and function.parameters[0] in changed:
            self._mutated(chain[0], how, mutated, changed[function.parameters[0]])
        for parameter, argument in arguments_of(function, node, skip):
            if parameter in changed:
                self._argument(argument, how, changed[parameter], mutated)
            elif (
                parameter in function.augmented
                and isinstance(argument, ast.Name)
                and self._in_place(argument.id, None)
            ):
                self._argument(argument, how, False, mutated)

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
                    self._argument(other, function.name, True, mutated)

    def _method_call(self, node: ast.Call, position: int, mutated: dict[str, str]) -> None:
        """A method called on the result of a call: ``Adder().add(rows)``, ``d.get("k").append(1)``."""
        func = node.func
        if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Call):
            return
        made = func.value.func
        classes = [
            d.bind.klass
            for d in (
                self.namespace.reaching(made.id, position) if isinstance(made, ast.Name) else ()
            )
            if d.bind.klass is not None
        ]
        if classes:
            for klass in classes:
                for method in klass.functions:
                    if method.name != func.attr:
                        continue
                    changed = self._parameters.get(method, {})
                    if method.parameters and changed.get(method.parameters[0]):
                        self._held(self._of(func.value, False), func.attr, mutated, deep=True)
                    self._callee(method, node, 1, (func.attr,), mutated)
        elif func.attr in MUTATING_METHODS:
            self._held(self._of(func.value, False), func.attr, mutated)
        if self._parameters:
            self._called_back(node, None, position, mutated)

    def _argument(self, argument: ast.expr, how: str, deep: bool, mutated: dict[str, str]) -> None:
        root = object_root(argument)
        if root is not None:
            self._mutated(root.id, how, mutated, deep or root is not argument)
        elif isinstance(argument, (ast.List, ast.Tuple, ast.Dict, ast.Call)):
            self._held(self._of(argument, False), how, mutated, deep=True)

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
            for function in in_order(namespace.carries(chain[0], position).used)
            if function.owner is not None and function.name == chain[1]
        ]
    return []


def _globals_given(function: Function) -> list[ast.expr]:
    """What a function returns of the notebook's values: ``rows``, ``table["a"]``, each of ``rows, table``."""
    found: list[ast.expr] = []
    pending = list(function.returns)
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.Tuple, ast.List)):
            pending += node.elts
        elif isinstance(node, ast.IfExp):
            pending += (node.body, node.orelse)
        elif isinstance(node, ast.BoolOp):
            pending += node.values
        else:
            root = object_root(node)
            if root is not None and root.id in function.body.exposed:
                found.append(node)
    return found


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


def _entry(display: ast.expr | None, key: object) -> ast.expr | None:
    """The entry of a dict display, None where it has no such key."""
    if isinstance(display, ast.Dict):
        for its_key, value in zip(display.keys, display.values, strict=True):
            if isinstance(its_key, ast.Constant) and its_key.value == key:
                return value
    return None


def _changed_parameters(namespace: Namespace) -> dict[Function, Parameters]:
    """Parameters that each notebook function changes, also through functions that it calls."""
    functions = [f for s in namespace.statements for f in s.block.functions]
    if not functions:
        return {}
    changed: dict[Function, Parameters] = {
        f: {p: p in f.part_mutations for p in f.parameter_mutations} for f in functions
    }
    last = len(namespace.statements)
    methods: dict[str, list[Function]] = {}
    for function in functions:
        if function.owner is not None:
            methods.setdefault(function.name, []).append(function)
    grew = True
    while grew:
        grew = False
        for function in functions:
            if not function.parameters:
                continue
            mine = changed[function]
            before = (len(mine), sum(mine.values()))
            for argument, deep in _changed_arguments(function, changed, methods, namespace, last):
                root = object_root(argument)
                if root is not None and root.id in function.parameters:
                    mine[root.id] = mine.get(root.id, False) or deep or root is not argument
            grew = grew or (len(mine), sum(mine.values())) != before
    return {f: parameters for f, parameters in changed.items() if parameters}


def _changed_arguments(
    function: Function,
    changed: dict[Function, Parameters],
    methods: dict[str, list[Function]],
    namespace: Namespace,
    last: int,
) -> list[tuple[ast.expr, bool]]:
    """Expressions that calls in a function's body change, and whether a part of them."""
    found: list[tuple[ast.expr, bool]] = []
    for site in function.body.calls:
        path = namespace.resolve(site.chain)
        if path is not None:
            for index in MUTATING_FUNCTIONS.get(path, ()):
                if index < len(site.node.args):
                    found.append((site.node.args[index], False))
            continue
        for callee, skip in called_functions(namespace, site, last):
            its_changes = changed.get(callee)
            if its_changes:
                found += [
                    (a, its_changes[p])
                    for p, a in arguments_of(callee, site.node, skip)
                    if p in its_changes
                ]
    if methods:
        for call in function.body.method_calls:
            func = call.func
            if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Name):
                continue
            for method in methods.get(func.attr, ()):
                its_changes = changed[method]
                if method.parameters and method.parameters[0] in its_changes:
                    found.append((func.value, its_changes[method.parameters[0]]))
                found += [
                    (a, its_changes[p])
                    for p, a in arguments_of(method, call, 1)
                    if p in its_changes
                ]
    return found


def chain_text(node: ast.expr) -> str:
    """A dotted name as written, for messages."""
    return ".".join(dotted(node) or ("?",))
