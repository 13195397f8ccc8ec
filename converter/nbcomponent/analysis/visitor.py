"""One walk over a cell's tree: what each top-level statement reads, binds and changes.

The walk follows the program's paths: a name is *exposed* when some path reads it before the statement
has surely bound it. Branches are walked one by one and joined (a name is surely bound after them when
every branch that goes on binds it), a loop's body may not run at all, a handler starts from what was
bound before ``try``. Late binding is kept: a function's body is read when the function is defined, but
its reads count where its value is used.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from nbcomponent.analysis.facts import (
    Bind,
    BindKind,
    Block,
    CallSite,
    CellFacts,
    Class,
    Function,
    Mutation,
    NameNode,
    Statement,
    Use,
)
from nbcomponent.analysis.library.calls import MUTATING_METHODS, STORING_METHODS
from nbcomponent.analysis.library.names import NOT_PYTHON
from nbcomponent.analysis.scopes import locals_of, parameter_names
from nbcomponent.analysis.syntax import (
    NAMESPACE_CALLS,
    arguments_of,
    dotted,
    expected_names,
    in_place,
    irrefutable,
    is_copy,
    is_main,
    is_placeholder,
    is_shell,
    known_truth,
    namespace_call,
    object_root,
    parse_text,
    surely_not_empty,
)
from nbcomponent.notebook.arguments import interpolated
from nbcomponent.notebook.model import PLACEHOLDER, CellCode, Magic

_NOTHING: frozenset[str] = frozenset()
_EXITS = frozenset({"exit", "quit", "sys.exit", "os._exit"})
_LAST_OF_EXITS = frozenset({"exit", "quit", "_exit"})
_NAMESPACE_MAGICS = frozenset({"reset", "reset_selective", "xdel", "run", "pylab", "store"})
_CONTAINERS = frozenset({"list", "dict", "set", "bytearray"})
_TEXT_CALLS = frozenset(
    {"exec", "eval", "getattr", "hasattr", "setattr", "delattr", *NAMESPACE_CALLS}
)
_MUTABLE_DISPLAYS = (ast.List, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp)
_QUERY_NAME = re.compile(r"@([A-Za-z_]\w*)")


def read_cell(code: CellCode, future_annotations: bool = False) -> CellFacts:
    """The facts of one cell. ``future_annotations``: annotations are not evaluated (PEP 563)."""
    if code.tree is None:
        return CellFacts(code.cell, ())
    statements = []
    visitor = _Visitor(code, future_annotations)
    for index, node in enumerate(code.tree.body):
        visitor.start()
        visitor.statement(node)
        statements.append(Statement(code.cell, index, node, visitor.finish()))
    return CellFacts(code.cell, tuple(statements))


def has_future_annotations(tree: ast.Module | None) -> bool:
    """Whether a cell switches evaluated annotations off for itself and for all later cells."""
    if tree is None:
        return False
    return any(
        isinstance(node, ast.ImportFrom)
        and node.module == "__future__"
        and any(alias.name == "annotations" for alias in node.names)
        for node in tree.body
    )


class _Scope:
    """A function, comprehension or class body around the code being walked.

    ``alias`` maps a local to the parameter or global that it is, or, for those in ``parts``, a part of; ``fresh`` are parameters
    that are surely bound to something else by now; ``inner`` the functions defined in it.
    """

    __slots__ = ("alias", "fresh", "function", "globals", "inner", "kind", "names", "parts", "top")

    def __init__(
        self,
        kind: Literal["function", "comprehension", "class"],
        names: set[str],
        global_names: Iterable[str] = (),
        function: Function | None = None,
    ) -> None:
        self.kind = kind
        self.names = names
        self.globals = set(global_names)
        self.function = function
        self.alias: dict[str, str] = {}
        self.parts: set[str] = set()
        self.fresh: set[str] = set()
        self.inner: dict[str, Function] = {}
        self.top: frozenset[int] = frozenset()


class _Loop:
    __slots__ = ("breaks", "continues")

    def __init__(self) -> None:
        self.breaks: list[set[str]] = []
        self.continues: list[set[str]] = []


class _Visitor:
    def __init__(self, code: CellCode, future_annotations: bool) -> None:
        self.code = code
        self.walrus = ":=" in code.text
        self.future_annotations = future_annotations
        self.block = Block()
        self.bound: set[str] = set()
        self.used: dict[str, list[tuple[frozenset[str], bool]]] = {}
        self.plain: set[str] = set()
        self.scopes: list[_Scope] = []
        self.loops: list[_Loop] = []
        self.returned: list[set[str]] = []
        self.ended = False
        self.at: NameNode | None = None
        self.dynamic = False
        self.guard = 0
        self.expected: frozenset[str] = frozenset()
        self.classes: list[Class] = []
        self.current: ast.stmt | None = None

    def start(self) -> None:
        """Begin a new top-level statement."""
        self.block = Block()
        self.bound = set()
        self.used = {}
        self.plain = set()
        self.ended = False

    def finish(self) -> Block:
        block = self.block
        bound = self.bound
        for bind in block.binds:
            bind.definite = bind.name in bound
        block.ends = self.ended
        return block

    def note(self, kind: str, item: object) -> None:
        """Add to one of the lists that most blocks have nothing in."""
        known = getattr(self.block, kind)
        if known:
            known.append(item)
        else:
            setattr(self.block, kind, [item])

    def note_first(self, kind: str, name: str, node: NameNode) -> None:
        """Keep the first node of a name in one of the tables that most blocks have nothing in."""
        known = getattr(self.block, kind)
        if known:
            known.setdefault(name, node)
        else:
            setattr(self.block, kind, {name: node})

    # names

    def mangled(self, name: str) -> str:
        if self.classes and name.startswith("__") and not name.endswith("__"):
            return f"_{self.classes[-1].name.lstrip('_')}{name}"
        return name

    def is_global(self, name: str) -> bool:
        innermost = True
        for scope in reversed(self.scopes):
            if name in scope.globals:
                return True
            if scope.kind == "class":
                if innermost and name in scope.names:
                    return False
            elif name in scope.names:
                return False
            innermost = False
        return True

    def read(self, name: str, node: NameNode, stored: bool = False) -> None:
        if name[:2] == "__":
            name = self.mangled(name)
        if self.scopes and not self.is_global(name):
            return
        block = self.block
        if name in self.plain and not self.guard and not self.dynamic and name not in block.guarded:
            return  # nothing that an earlier read of it has not said
        node = self.at or node
        if name not in self.bound and name not in block.exposed:
            block.exposed[name] = node
            if self.guard or name in self.expected:
                block.guarded |= {name}
        elif (
            not self.guard
            and name not in self.expected
            and name in block.guarded
            and name not in self.bound
        ):
            block.guarded -= {name}
        if self.dynamic:
            self.note_first("dynamic_names", name, node)
        if name in self.plain:
            return
        if not stored and not self.bound:
            self.plain.add(name)
            block.uses.append(Use(name, node, _NOTHING, False))
            return
        seen = self.used.get(name)
        if seen is None:
            seen = self.used[name] = []
        for bound, was_stored in seen:
            if (stored or not was_stored) and bound <= self.bound:
                return
        now = frozenset(self.bound) if self.bound else _NOTHING
        seen.append((now, stored))
        block.uses.append(Use(name, node, now, stored))

    def bind(
        self,
        name: str,
        node: NameNode,
        kind: BindKind,
        value: ast.expr | None = None,
        part: bool = False,
        module: str | None = None,
        attribute: str | None = None,
        function: Function | None = None,
        klass: Class | None = None,
        annotation: ast.expr | None = None,
    ) -> None:
        if name[:2] == "__":
            name = self.mangled(name)
        for scope in reversed(self.scopes):
            if scope.kind == "comprehension":
                continue  # only assignment expressions bind here, and they bind around it
            if name in scope.globals:
                break
            if scope.kind == "class":
                scope.names.add(name)
            elif name not in scope.names:
                continue  # declared nonlocal: a function further out binds it
            if value is not None and scope.kind == "function":
                self.alias_local(scope, name, value, part)
            elif kind == "import":
                path = f"{module}.{attribute}" if attribute else str(module)
                self.block.local_imports = {**self.block.local_imports, name: path}
            return
        self.bound.add(name)
        if self.dynamic:
            kind = "dynamic"
        self.block.binds.append(
            Bind(
                name,
                self.at or node,
                kind,
                False,
                value,
                part,
                self.current,
                module,
                attribute,
                function,
                klass,
                annotation,
            )
        )

    def binds_globally(self, name: str) -> bool:
        return all(scope.kind == "comprehension" or name in scope.globals for scope in self.scopes)

    def alias_local(self, scope: _Scope, name: str, value: ast.expr, part: bool) -> None:
        root = None if is_copy(value) else object_root(value)
        if root is None:
            scope.alias.pop(name, None)
            if id(self.current) in scope.top:
                scope.fresh.add(name)
            return
        target = scope.alias.get(root.id, root.id)
        if target != name:
            scope.alias[name] = target
            if value is not root or root.id in scope.parts or part:
                scope.parts.add(name)
            else:
                scope.parts.discard(name)

    def unbind(self, name: str, node: NameNode) -> None:
        for scope in reversed(self.scopes):
            if scope.kind == "class":
                scope.names.discard(name)
                return
            if scope.kind == "function" and name not in scope.globals:
                return
        self.bound.discard(name)
        self.note_first("deleted", name, node)

    def mutate(self, target: ast.expr, node: NameNode, how: str, value: ast.expr | None) -> None:
        root = object_root(target)
        if root is None:
            if how[:1] in ".[" and isinstance(node, (ast.Attribute, ast.Subscript)):
                self.note("call_stores", (node, value))  # getcontext().prec = 9
            return
        name = root.id
        deep = not (target is root or isinstance(target, (ast.NamedExpr, ast.Call)))
        for scope in reversed(self.scopes):
            if scope.kind == "function" and name in scope.alias:
                deep = deep or name in scope.parts
                name = scope.alias[name]
                break
        if self.scopes and not self.is_global(name):
            function = self.of_parameter(name)
            if name in self.block.local_imports and how[:1] in ".[":
                self.note("call_stores", (node, value))
            elif function is not None:
                if how.endswith("=") and not isinstance(value, _MUTABLE_DISPLAYS):
                    function.augmented.add(name)
                else:
                    function.parameter_mutations.add(name)
                    if deep:
                        function.part_mutations.add(name)
                if how[:1] in ".[" and value is not None and name == function.parameters[0]:
                    self.handed_on(value, function, function.keeps)
            return
        chain = dotted(target) or (name,)
        if how.startswith(".") and len(how) > 1 and len(chain) + (root is target) > 1:
            chain = (*chain, how[1:])
        self.block.mutations.append(Mutation(name, self.at or node, how, chain, value, deep))

    def of_parameter(self, name: str) -> Function | None:
        """The function around whose parameter ``name`` still is."""
        for scope in reversed(self.scopes):
            function = scope.function
            if function is not None and name in function.parameters:
                return None if name in scope.fresh else function
            if scope.kind == "function" and name in scope.names:
                return None
        return None

    def handed_on(self, value: ast.expr, function: Function, into: set[str]) -> None:
        """Note the parameters of ``function`` whose objects ``value`` is, or holds."""
        pending = [value]
        while pending:
            part = pending.pop()
            if isinstance(part, (ast.Tuple, ast.List, ast.Set)):
                pending.extend(part.elts)
            elif isinstance(part, ast.Dict):
                pending.extend(part.values)
            elif isinstance(part, ast.IfExp):
                pending.extend((part.body, part.orelse))
            elif isinstance(part, ast.BoolOp):
                pending.extend(part.values)
            else:
                root = object_root(part)
                if root is not None:
                    name = root.id
                    for scope in reversed(self.scopes):
                        if scope.kind == "function":
                            name = scope.alias.get(name, name)
                            break
                    if self.of_parameter(name) is function:
                        into.add(name)

    def inner_call(self, name: str, node: ast.Call) -> None:
        """A call of a function that is local to a function: what it does to its arguments."""
        for scope in reversed(self.scopes):
            inner = scope.inner.get(name)
            if inner is not None:
                for parameter, argument in arguments_of(inner, node, 0):
                    if parameter in inner.parameter_mutations:
                        self.mutate(argument, argument, name, node)
                return
            if name in scope.names:
                return

    # statements

    def body(self, statements: Sequence[ast.stmt]) -> bool:
        """Walk a suite. True when no path leaves it at its end."""
        outer, self.ended = self.ended, False
        for statement in statements:
            self.statement(statement)
        ended, self.ended = self.ended, outer
        return ended

    def statement(self, node: ast.stmt) -> None:
        before, self.current = self.current, node
        handler = _STATEMENTS.get(type(node))
        if handler is None:
            self.children(node)
        else:
            handler(self, node)
        self.current = before

    def join(self, paths: Sequence[tuple[set[str], bool]]) -> None:
        """After branches: bound is what every branch that goes on has bound."""
        going_on = [bound for bound, ended in paths if not ended]
        if going_on:
            self.bound = set.intersection(*going_on) if len(going_on) > 1 else going_on[0]
        else:
            self.bound = set.union(*(bound for bound, _ in paths))
            self.ended = True

    def expression_statement(self, node: ast.Expr) -> None:
        value = node.value
        self.expr(value)
        if type(value) is ast.Call:
            func = value.func
            last = func.id if type(func) is ast.Name else getattr(func, "attr", "")
            if last in _LAST_OF_EXITS and ".".join(dotted(func) or ()) in _EXITS:
                self.ended = True

    def assign(self, node: ast.Assign) -> None:
        value = node.value
        self.expr(value, stored=True)
        if type(value) is ast.Attribute and value.attr in STORING_METHODS:
            self.mutate(value.value, value, value.attr, None)  # push = rows.append
        for target in node.targets:
            self.target(target, node.value)

    def annotated_assign(self, node: ast.AnnAssign) -> None:
        in_function = any(scope.kind == "function" for scope in self.scopes)
        innermost_class = bool(self.scopes) and self.scopes[-1].kind == "class"
        if (not in_function or innermost_class) and not self.future_annotations:
            self.expr(node.annotation)
        if node.value is not None:
            self.expr(node.value, stored=True)
            self.target(node.target, node.value, annotation=node.annotation)
        elif not isinstance(node.target, ast.Name):
            self.target_parts(node.target)

    def augmented_assign(self, node: ast.AugAssign) -> None:
        target = node.target
        if isinstance(target, ast.Name):
            self.read(target.id, target)
            self.expr(node.value)
            self.mutate(target, target, type(node.op).__name__ + "=", node.value)
            self.bind(target.id, target, "augmented", node.value)
            return
        self.target_parts(target)
        self.expr(node.value)
        if isinstance(target, ast.Attribute):
            self.mutate(target.value, target, f".{target.attr}", node.value)
        elif isinstance(target, ast.Subscript):
            self.mutate(target.value, target, "[]", node.value)

    def target_parts(self, target: ast.expr) -> None:
        """Reads that storing into an attribute or an element needs."""
        if isinstance(target, ast.Attribute):
            self.block.attributes.setdefault(target.attr, target)
            self.expr(target.value)
        elif isinstance(target, ast.Subscript):
            self.expr(target.value)
            self.expr(target.slice)

    def target(
        self,
        target: ast.expr,
        value: ast.expr | None,
        kind: BindKind = "assign",
        part: bool = False,
        annotation: ast.expr | None = None,
    ) -> None:
        if isinstance(target, ast.Name):
            if self.code.magics and value is not None and is_placeholder(value):
                kind = "magic"
            self.bind(target.id, target, kind, value, part, annotation=annotation)
        elif isinstance(target, (ast.Tuple, ast.List)):
            values: Sequence[ast.expr | None] = [value] * len(target.elts)
            parts = True
            if (
                isinstance(value, (ast.Tuple, ast.List))
                and len(value.elts) == len(target.elts)
                and not any(isinstance(e, ast.Starred) for e in (*value.elts, *target.elts))
            ):
                values, parts = value.elts, part
            for element, its_value in zip(target.elts, values, strict=True):
                self.target(element, its_value, kind, parts)
        elif isinstance(target, ast.Starred):
            self.target(target.value, value, kind, True)
        elif isinstance(target, ast.Attribute):
            self.target_parts(target)
            if is_main(target.value) and not self.in_function():
                self.bind(target.attr, target, "dynamic", value)
                return
            self.mutate(target.value, target, f".{target.attr}", value)
        elif isinstance(target, ast.Subscript):
            namespace = namespace_call(target.value)
            if namespace:
                self.reach(namespace, target)
            if namespace and not self.in_function():
                if isinstance(target.slice, ast.Constant) and isinstance(target.slice.value, str):
                    self.bind(target.slice.value, target, "dynamic", value)
                else:
                    self.expr(target.slice)
                    self.note("dynamic", (namespace, target.value))
                return
            self.target_parts(target)
            self.mutate(target.value, target, "[]", value)

    def in_function(self) -> bool:
        return any(scope.kind == "function" for scope in self.scopes)

    def delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            elements = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
            for element in elements:
                if isinstance(element, ast.Name):
                    self.read(element.id, element, stored=True)
                    self.unbind(element.id, element)
                else:
                    self.target_parts(element)
                    if isinstance(element, ast.Attribute):
                        self.mutate(element.value, element, f".{element.attr}", None)
                    elif isinstance(element, ast.Subscript):
                        self.mutate(element.value, element, "del []", None)

    def import_(self, node: ast.Import) -> None:
        for alias in node.names:
            self.note_first("modules", alias.name, alias)
            module = alias.name if alias.asname else alias.name.split(".", 1)[0]
            self.bind(alias.asname or module, alias, "import", module=module, attribute=None)

    def import_from(self, node: ast.ImportFrom) -> None:
        module = "." * node.level + (node.module or "")
        self.note_first("modules", module, node)
        for alias in node.names:
            if alias.name == "*":
                self.star(node, module)
            else:
                self.bind(
                    alias.asname or alias.name,
                    alias,
                    "import",
                    module=module,
                    attribute=alias.name,
                )

    def condition(self, test: ast.expr) -> tuple[set[str], set[str]]:
        """(bound when ``test`` held, bound when it did not)."""
        if isinstance(test, ast.BoolOp):
            holds_at_end = isinstance(test.op, ast.And)
            ways_out: list[set[str]] = []
            for value in test.values:
                when_true, when_false = self.condition(value)
                self.bound = when_true if holds_at_end else when_false
                ways_out.append(when_false if holds_at_end else when_true)
            through = self.bound
            early = set.intersection(*ways_out)
            return (through, early) if holds_at_end else (early, through)
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            when_true, when_false = self.condition(test.operand)
            return when_false, when_true
        self.expr(test)
        return set(self.bound), set(self.bound)

    def if_(self, node: ast.If) -> None:
        known = known_truth(node.test)
        when_true, when_false = self.condition(node.test)
        self.bound = when_true
        expected = self.expected
        self.expected = expected | expected_names(node.test)
        ended = self.body(node.body)
        self.expected = expected
        first = (self.bound, ended or known is False)
        self.bound = when_false
        ended = self.body(node.orelse)
        second = (self.bound, ended or known is True)
        self.join((first, second))

    def for_(self, node: ast.For | ast.AsyncFor) -> None:
        self.expr(node.iter)
        before = self.bound
        self.bound = set(before)
        self.target(node.target, node.iter, "target", part=True)
        loop = _Loop()
        self.loops.append(loop)
        ended = self.body(node.body)
        self.loops.pop()
        surely_runs = surely_not_empty(node.iter)
        ends = [] if ended else [self.bound]
        ends += loop.continues
        if not surely_runs:
            ends.append(set(before))
        self.bound = set.intersection(*ends) if ends else set(before)
        if node.orelse:
            ended = self.body(node.orelse)
            if ended and not loop.breaks:
                self.ended = True
            if ended and loop.breaks:
                self.bound = set.intersection(*loop.breaks)
                return
        if loop.breaks:
            self.bound = set.intersection(self.bound, *loop.breaks)

    def while_(self, node: ast.While) -> None:
        known = known_truth(node.test)
        when_true, when_false = self.condition(node.test)
        self.bound = set(when_true)
        loop = _Loop()
        self.loops.append(loop)
        self.body(node.body)
        self.loops.pop()
        if known is True:
            if loop.breaks:
                self.bound = set.intersection(*loop.breaks)
            else:
                self.ended = True
            return
        self.bound = set(when_false)
        self.body(node.orelse)
        if loop.breaks:
            self.bound = set.intersection(self.bound, *loop.breaks)

    def jump(self, node: ast.stmt) -> None:
        if self.loops:
            loop = self.loops[-1]
            paths = loop.breaks if isinstance(node, ast.Break) else loop.continues
            paths.append(set(self.bound))
        self.ended = True

    def return_(self, node: ast.Return) -> None:
        if node.value is not None:
            self.expr(node.value, stored=True)
            for scope in reversed(self.scopes):
                if scope.kind == "function":
                    if scope.function is not None:
                        scope.function.returns.append(node.value)
                        self.handed_on(node.value, scope.function, scope.function.gives)
                    break
        self.returned.append(set(self.bound))
        self.ended = True

    def raise_(self, node: ast.Raise) -> None:
        self.children(node)
        self.ended = True

    def try_(self, node: ast.Try) -> None:
        expects_missing_name = any(
            handler.type is not None and "NameError" in ast.dump(handler.type)
            for handler in node.handlers
        )
        before = set(self.bound)
        self.guard += expects_missing_name
        ended = self.body(node.body)
        self.guard -= expects_missing_name
        if not ended:
            ended = self.body(node.orelse)
        paths = [(self.bound, ended)]
        for handler in node.handlers:
            self.bound = set(before)
            if handler.type is not None:
                self.expr(handler.type)
            # the name is deleted when the handler ends (reference 8.4.1), so it defines nothing
            temporary = handler.name if handler.name and self.binds_globally(handler.name) else None
            if temporary:
                self.bound.add(temporary)
            ended = self.body(handler.body)
            if temporary:
                self.bound.discard(temporary)
                self.block.dropped |= {temporary}
            paths.append((self.bound, ended))
        if node.finalbody:
            self.bound = set(before)
            final_ended = self.body(node.finalbody)
            added = self.bound - before
            paths = [(bound | added, ended or final_ended) for bound, ended in paths]
        self.join(paths)

    def with_(self, node: ast.With | ast.AsyncWith) -> None:
        before = set(self.bound)
        suppresses = False
        for item in node.items:
            self.expr(item.context_expr)
            call = item.context_expr
            if isinstance(call, ast.Call):
                chain = dotted(call.func)
                suppresses |= bool(chain) and chain[-1] in {"suppress", "raises", "assertRaises"}  # type: ignore[index]
            if item.optional_vars is not None:
                self.target(item.optional_vars, item.context_expr, "target")
        entered = set(self.bound)
        ended = self.body(node.body)
        if suppresses:
            self.bound = before | entered
        elif ended:
            self.ended = True

    def match_(self, node: ast.Match) -> None:
        self.expr(node.subject)
        paths = []
        before = self.bound
        exhaustive = False
        for case in node.cases:
            self.bound = set(before)
            self.pattern(case.pattern, node.subject)
            if case.guard is not None:
                self.bound, _ = self.condition(case.guard)
            elif irrefutable(case.pattern):
                exhaustive = True
            ended = self.body(case.body)
            paths.append((self.bound, ended))
        if not exhaustive:
            paths.append((set(before), False))
        self.join(paths)

    def pattern(self, pattern: ast.pattern, subject: ast.expr) -> None:
        for node in ast.walk(pattern):
            if isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name:
                self.bind(node.name, node, "target", subject, part=True)
            elif isinstance(node, ast.MatchMapping):
                for key in node.keys:
                    self.expr(key)
                if node.rest:
                    self.bind(node.rest, node, "target", subject, part=True)
            elif isinstance(node, ast.MatchValue):
                self.expr(node.value)
            elif isinstance(node, ast.MatchClass):
                self.expr(node.cls)

    def global_(self, node: ast.Global) -> None:
        if self.scopes:
            self.scopes[-1].globals.update(node.names)

    # definitions

    def arguments(self, node: ast.arguments) -> None:
        for default in (*node.defaults, *node.kw_defaults):
            if default is not None:
                self.expr(default, stored=True)

    def annotations(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        if self.future_annotations:
            return
        arguments = node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        every += [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
        for argument in every:
            if argument.annotation is not None:
                self.expr(argument.annotation)
        if node.returns is not None:
            self.expr(node.returns)

    def type_parameters(self, node: ast.stmt) -> bool:
        """Open the scope of PEP 695 type parameters; their bounds are evaluated lazily inside it."""
        parameters = getattr(node, "type_params", None)
        if not parameters:
            return False
        self.scopes.append(_Scope("function", {p.name for p in parameters}))
        for parameter in parameters:
            bound = getattr(parameter, "bound", None)
            if bound is not None:
                self.expr(bound)
        return True

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for decorator in node.decorator_list:
            self.expr(decorator)
        self.arguments(node.args)
        opened = self.type_parameters(node)
        self.annotations(node)
        function = self.make_function(node, node.name, node.body)
        if opened:
            self.scopes.pop()
        self.bind(node.name, node, "function", function=function)

    def lambda_(self, node: ast.Lambda, stored: bool) -> None:
        self.arguments(node.args)
        function = self.make_function(node, "<lambda>", [ast.Expr(node.body)])
        if function is None:
            return
        function.returns.append(node.body)
        if not stored:
            self.run_now(function.body)

    def run_now(self, body: Block) -> None:
        """Count what a function passed to a call does as done here, on a path that may not be taken."""
        for name, node in body.exposed.items():
            if name not in self.bound:
                self.block.exposed.setdefault(name, node)
        for use in body.uses:
            now = frozenset(self.bound | use.bound)
            self.block.uses.append(Use(use.name, use.node, now, use.stored))
        block = self.block
        block.mutations.extend(body.mutations)
        block.dynamic_names = {**block.dynamic_names, **body.dynamic_names}
        block.calls.extend(body.calls)
        block.method_calls = [*block.method_calls, *body.method_calls]
        block.texts = [*block.texts, *body.texts]
        block.subscripts = [*block.subscripts, *body.subscripts]
        block.references.update(body.references)
        block.attributes.update(body.attributes)

    def make_function(
        self,
        node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
        name: str,
        body: Sequence[ast.stmt],
    ) -> Function | None:
        """Read a function's body. One inside another function counts as part of that function."""
        local, global_names = locals_of(body, self.walrus)
        names = parameter_names(node.args)
        nested = self.in_function()
        block = self.block if nested else Block()
        function = Function(name, node, self.code.cell, tuple(names), block)
        function.lazy = isinstance(node, ast.AsyncFunctionDef)
        if self.classes and self.scopes and self.scopes[-1].kind == "class":
            function.owner = self.classes[-1]
        outer = (
            self.block, self.bound, self.used, self.plain, self.loops, self.ended, self.current,
            self.returned,
        )  # fmt: skip
        self.block, self.loops, self.ended, self.returned = block, [], False, []
        self.bound = set(self.bound) if nested else set()
        if not nested:
            self.used, self.plain = {}, set()
        scope = _Scope("function", local | set(names), global_names, function)
        scope.top = frozenset(map(id, body))
        self.scopes.append(scope)
        for statement in body:
            if isinstance(statement, ast.Expr) and isinstance(node, ast.Lambda):
                self.expr(statement.value, stored=True)
                self.handed_on(statement.value, function, function.gives)
            else:
                self.statement(statement)
        self.scopes.pop()
        if not nested:
            if self.returned:
                ends = self.returned if self.ended else [*self.returned, self.bound]
                self.bound = set.intersection(*ends)
            self.finish()
            block.ends = False
        (
            self.block, self.bound, self.used, self.plain, self.loops, self.ended, self.current,
            self.returned,
        ) = outer  # fmt: skip
        if nested:
            if not isinstance(node, ast.Lambda) and self.scopes[-1].kind == "function":
                self.scopes[-1].inner[name] = function
            return None
        self.note("functions", function)
        return function

    def class_(self, node: ast.ClassDef) -> None:
        for decorator in node.decorator_list:
            self.expr(decorator)
        opened = self.type_parameters(node)
        for base in node.bases:
            self.expr(base)
        for keyword in node.keywords:
            self.expr(keyword.value)
        klass = Class(node.name, node, self.code.cell, [])
        first = len(self.block.functions)
        self.classes.append(klass)
        self.scopes.append(_Scope("class", set()))
        for statement in node.body:
            self.statement(statement)
        self.scopes.pop()
        self.classes.pop()
        if opened:
            self.scopes.pop()
        klass.functions.extend(self.block.functions[first:])
        self.bind(node.name, node, "class", klass=klass)

    def type_alias(self, node: ast.stmt) -> None:
        opened = self.type_parameters(node)
        self.expr(node.value, stored=True)  # type: ignore[attr-defined]
        if opened:
            self.scopes.pop()
        self.target(node.name, None)  # type: ignore[attr-defined]

    # expressions

    def children(self, node: ast.AST) -> None:
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, ast.expr):
                self.expr(value)
            elif isinstance(value, list):
                for item in value:
                    if isinstance(item, ast.expr):
                        self.expr(item)
                    elif isinstance(item, ast.stmt):
                        self.statement(item)
                    elif isinstance(item, ast.AST):
                        self.children(item)
            elif isinstance(value, ast.AST):
                self.children(value)

    def expr(self, node: ast.expr, stored: bool = False) -> None:
        kind = type(node)
        if kind is ast.Constant:
            return
        if kind is ast.Name:
            self.read(node.id, node, stored)  # type: ignore[attr-defined]
            return
        handler = _EXPRESSIONS.get(kind)
        if handler is None:
            self.children(node)
        else:
            handler(self, node, stored)

    def attribute(self, node: ast.Attribute, stored: bool) -> tuple[str, ...] | None:
        """Read an attribute; its chain where it starts from a name of the notebook's namespace."""
        value = node.value
        if (
            value.id == "__main__"
            if type(value) is ast.Name
            else type(value) is ast.Subscript and is_main(value)
        ):
            self.expr(node.value)
            if node.attr != "__dict__":
                self.dynamic_read(node.attr, node)
            chain = dotted(node)
            return chain if chain is not None and self.is_global(chain[0]) else None
        attributes = self.block.attributes
        parts: tuple[str, ...] = ()
        inner: ast.expr = node
        while type(inner) is ast.Attribute:
            attributes.setdefault(inner.attr, inner)
            parts = (inner.attr, *parts)
            inner = inner.value
        if type(inner) is ast.Name:
            self.read(inner.id, inner, stored)
            if self.scopes and not self.is_global(inner.id):
                return None
            chain = (inner.id, *parts)
            self.block.references.setdefault(chain, self.at or node)
            return chain
        self.expr(inner)
        return None

    def call(self, node: ast.Call, stored: bool) -> None:
        func = node.func
        if type(func) is ast.Name:
            if func.id == PLACEHOLDER:
                self.magic(node)
                return
            if func.id in _TEXT_CALLS and self.plain_name_call(func.id, node):
                return
            self.read(func.id, func)
            if not self.scopes or self.is_global(func.id):
                self.block.calls.append(CallSite((func.id,), node))
            else:
                function = self.of_parameter(func.id)
                if function is not None:
                    function.calls.add(func.id)
                self.inner_call(func.id, node)
        elif type(func) is ast.Attribute:
            namespace = None
            if type(func.value) is not ast.Name:
                namespace = namespace_call(func.value)
            if namespace:
                self.reach(namespace, func)
                chain = None if self.scopes else dotted(func)
            else:
                chain = self.attribute(func, False)
            if chain is not None:
                self.block.calls.append(CallSite(chain, node))
            else:
                self.note("method_calls", node)
            if namespace:
                self.namespace_method(namespace, func.attr, node)
            else:
                self.method(func, node)
        else:
            self.expr(func)
        for argument in node.args:
            kind = type(argument)
            if kind is ast.Name:
                self.read(argument.id, argument)  # type: ignore[attr-defined]
            elif kind is ast.Constant:
                self.text_argument(argument, node)  # type: ignore[arg-type]
            else:
                self.expr(argument)
                if kind is ast.Attribute and argument.attr in STORING_METHODS:  # type: ignore[attr-defined]
                    # map(rows.append, x)
                    self.mutate(argument.value, argument, argument.attr, node)  # type: ignore[attr-defined]
        for keyword in node.keywords:
            value = keyword.value
            if type(value) is ast.Constant:
                self.text_argument(value, node)
            else:
                self.expr(value)
                if keyword.arg == "out":
                    self.mutate(value, value, "out", None)

    def text_argument(self, argument: ast.Constant, node: ast.Call) -> None:
        text = argument.value
        if type(text) is str and "." in text and 2 < len(text) < 300:
            self.note("texts", (text, node))

    def method(self, func: ast.Attribute, node: ast.Call) -> None:
        name = func.attr
        if (
            name in MUTATING_METHODS
            or (name[-1:] == "_" and name[-2:] != "__")
            or name[:4] == "set_"
            or (node.keywords and in_place(node))
        ):
            owner = func.value
            if type(owner) is ast.Name and owner.id in _CONTAINERS and node.args:
                owner = node.args[0]  # list.append(rows, 1)
            self.mutate(owner, func, name, node)
            if name == "shuffle" and node.args:
                self.mutate(node.args[0], func, name, node)
        if name in ("query", "eval") and node.args:
            text = node.args[0]
            if isinstance(text, ast.Constant) and isinstance(text.value, str):
                self.guard += 1
                for found in _QUERY_NAME.findall(text.value):
                    self.read(found, text)
                self.guard -= 1
        elif type(func.value) is ast.Call and is_shell(func.value):
            self.shell_method(name, node)

    def reach(self, namespace: str, node: NameNode) -> None:
        """``get_ipython().user_ns`` needs the shell, ``globals()`` nothing."""
        if namespace == "user_ns":
            self.read("get_ipython", node)

    def namespace_method(self, namespace: str, name: str, node: ast.Call) -> None:
        """A method of ``globals()``, ``vars()``, ``get_ipython().user_ns`` and the like."""
        if self.in_function() and namespace not in ("globals", "user_ns"):
            return
        key = node.args[0] if node.args else None
        plain = isinstance(key, ast.Constant) and isinstance(key.value, str)
        if plain and name in ("get", "pop", "setdefault", "__getitem__"):
            text = str(key.value)  # type: ignore[union-attr]
            self.dynamic_read(text, node, guarded=name in ("get", "setdefault"))
            if name == "setdefault":
                self.bind(text, node, "dynamic", node.args[-1])
        elif plain and name == "__setitem__" and len(node.args) == 2:
            self.bind(str(key.value), node, "dynamic", node.args[1])  # type: ignore[union-attr]
        elif name == "update":
            self.dynamic_update(namespace, node)
        else:
            self.note("dynamic", (namespace, node))

    def dynamic_update(self, namespace: str, node: ast.Call) -> None:
        """Names bound by ``globals().update(...)`` or ``get_ipython().push(...)``."""
        for keyword in node.keywords:
            if keyword.arg:
                self.bind(keyword.arg, node, "dynamic", keyword.value)
            else:
                self.note("dynamic", (namespace, node))
        for argument in node.args[:1]:
            keys = argument.keys if isinstance(argument, ast.Dict) else [None]
            values = argument.values if isinstance(argument, ast.Dict) else [argument]
            for its_key, value in zip(keys, values, strict=True):
                if isinstance(its_key, ast.Constant) and isinstance(its_key.value, str):
                    self.bind(its_key.value, node, "dynamic", value)
                else:
                    self.note("dynamic", (namespace, node))

    def shell_method(self, name: str, node: ast.Call) -> None:
        """``get_ipython().system("echo {x}")`` and others that reach names through text."""
        text = node.args[0] if node.args else None
        plain = text.value if isinstance(text, ast.Constant) else None
        if name == "push":
            self.dynamic_update("push", node)
        elif name in ("run_cell", "ex", "ev", "safe_execfile") and isinstance(plain, str):
            tree = parse_text(plain, "exec")
            if tree is not None:
                self.text(tree, node)
        elif name in ("run_line_magic", "run_cell_magic", "magic", "system", "getoutput"):
            for argument in node.args:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    for expression, _ in interpolated(argument.value):
                        tree = parse_text(expression, "eval")
                        if tree is not None:
                            self.guard += 1
                            self.text(tree, node)
                            self.guard -= 1

    def dynamic_read(self, name: str, node: NameNode, guarded: bool = False) -> None:
        before, self.dynamic = self.dynamic, True
        self.guard += guarded
        self.read(name, node)
        self.guard -= guarded
        self.dynamic = before

    def plain_name_call(self, name: str, node: ast.Call) -> bool:
        """Calls that reach names through text. True when the call was dealt with."""
        if name in ("exec", "eval"):
            if not self.is_global(name) or not node.args:
                return False
            source = node.args[0]
            if isinstance(source, ast.Constant) and isinstance(source.value, str):
                tree = parse_text(source.value, name)
                if tree is not None and len(node.args) == 1:
                    self.text(tree, node)
                    return True
            self.note("dynamic", (name, node))
            return False
        if name in ("getattr", "hasattr", "setattr", "delattr") and len(node.args) > 1:
            self.attribute_call(name, node)
            return False
        if name in NAMESPACE_CALLS and not node.args and self.is_global(name):
            if not self.in_function() or name == "globals":
                # subscripts, methods and memberships of it are read where they stand
                if not getattr(node, "_nbc_seen", False):
                    self.note("dynamic", (name, node))
                return True
            return False
        return False

    def attribute_call(self, name: str, node: ast.Call) -> None:
        """``getattr(sys.modules["__main__"], "x")`` and the like."""
        owner, key = node.args[:2]
        if not is_main(owner):
            return
        if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
            self.note("dynamic", (name, node))
        elif name == "setattr":
            if not self.in_function():
                self.bind(key.value, node, "dynamic", node.args[-1])
        else:
            self.dynamic_read(key.value, node, guarded=name == "hasattr" or len(node.args) > 2)

    def text(self, tree: ast.Module, node: ast.Call) -> None:
        at, self.at = self.at, self.at or node
        dynamic, self.dynamic = self.dynamic, True
        self.body(tree.body)
        self.at, self.dynamic = at, dynamic

    def subscript(self, node: ast.Subscript, stored: bool) -> None:
        value = node.value
        namespace = namespace_call(value)
        if namespace:
            self.reach(namespace, node)
        if namespace and (namespace in ("globals", "user_ns") or not self.in_function()):
            if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
                self.dynamic_read(node.slice.value, node)
            else:
                self.expr(node.slice)
                self.note("dynamic", (namespace, value))
            return
        self.expr(value, stored)
        self.expr(node.slice)
        if isinstance(node.slice, ast.Constant):
            self.note("subscripts", node)

    def compare(self, node: ast.Compare, stored: bool) -> None:
        if (
            len(node.ops) == 1
            and isinstance(node.ops[0], (ast.In, ast.NotIn))
            and isinstance(node.left, ast.Constant)
            and isinstance(node.left.value, str)
        ):
            namespace = namespace_call(node.comparators[0])
            if namespace:
                self.reach(namespace, node)
                if not self.in_function() or namespace in ("globals", "user_ns"):
                    self.dynamic_read(node.left.value, node, guarded=True)
                return
            self.note("memberships", node)
        self.expr(node.left)
        for comparator in node.comparators:
            self.expr(comparator)

    def binary(self, node: ast.BinOp, stored: bool) -> None:
        self.expr(node.left)
        self.expr(node.right)

    def unary(self, node: ast.UnaryOp, stored: bool) -> None:
        self.expr(node.operand)

    def formatted(self, node: ast.JoinedStr, stored: bool) -> None:
        for value in node.values:
            if type(value) is ast.FormattedValue:
                self.expr(value.value)
                if value.format_spec is not None:
                    self.expr(value.format_spec)

    def named(self, node: ast.NamedExpr, stored: bool) -> None:
        self.expr(node.value, stored=True)
        self.bind(node.target.id, node.target, "assign", node.value)

    def boolean(self, node: ast.BoolOp, stored: bool) -> None:
        self.expr(node.values[0], stored)
        after_first = set(self.bound)
        for value in node.values[1:]:
            self.expr(value, stored)
        self.bound = after_first

    def conditional(self, node: ast.IfExp, stored: bool) -> None:
        when_true, when_false = self.condition(node.test)
        self.bound = when_true
        self.expr(node.body, stored)
        first = self.bound
        self.bound = when_false
        self.expr(node.orelse, stored)
        self.bound &= first

    def yield_(self, node: ast.Yield | ast.YieldFrom, stored: bool) -> None:
        if node.value is not None:
            self.expr(node.value)
        for scope in reversed(self.scopes):
            if scope.function is not None:
                scope.function.lazy = True
                break

    def display(self, node: ast.List | ast.Tuple | ast.Set, stored: bool) -> None:
        for element in node.elts:
            self.expr(element, stored)

    def dict_display(self, node: ast.Dict, stored: bool) -> None:
        for key in node.keys:
            if key is not None:
                self.expr(key)
        for value in node.values:
            self.expr(value, stored)

    def comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, stored: bool
    ) -> None:
        generators = node.generators
        self.expr(generators[0].iter)
        before = set(self.bound)
        scope = _Scope("comprehension", set())
        for generator in generators:
            if isinstance(generator.target, ast.Name):
                scope.names.add(generator.target.id)
            else:
                scope.names.update(
                    n.id
                    for n in ast.walk(generator.target)
                    if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
                )
        self.scopes.append(scope)
        self.elements(node)
        if stored and isinstance(node, ast.GeneratorExp) and len(self.scopes) == 1:
            self.run_later(node)
        self.scopes.pop()
        self.bound = before

    def elements(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        """All of a comprehension but its first iterable."""
        for position, generator in enumerate(node.generators):
            if position:
                self.expr(generator.iter)
            self.target_reads(generator.target)
            for condition in generator.ifs:
                self.expr(condition)
        if isinstance(node, ast.DictComp):
            self.expr(node.key)
            self.expr(node.value)
        else:
            self.expr(node.elt)

    def run_later(self, node: ast.GeneratorExp) -> None:
        """A generator that is put somewhere runs where it is used, as a function does."""
        outer = (self.block, self.bound, self.used, self.plain)
        self.block, self.bound, self.used, self.plain = Block(), set(), {}, set()
        function = Function("<genexpr>", node, self.code.cell, (), self.block)
        self.elements(node)
        self.block, self.bound, self.used, self.plain = outer
        self.note("functions", function)

    def target_reads(self, target: ast.expr) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            for element in target.elts:
                self.target_reads(element)
        elif isinstance(target, ast.Starred):
            self.target_reads(target.value)
        else:
            self.target_parts(target)

    # IPython syntax

    def magic(self, node: ast.Call) -> None:
        argument = node.args[0] if node.args else None
        if not isinstance(argument, ast.Constant) or not isinstance(argument.value, int):
            return
        number = argument.value
        if not 0 <= number < len(self.code.magics):
            return
        magic = self.code.magics[number]
        self.note("magics", (number, node))
        self.guard += 1
        for expression in magic.interpolated:
            self.expr(expression)
        self.guard -= 1
        if magic.code is not None:
            if magic.code_scope == "function":
                local, global_names = locals_of(magic.code.body, True)
                self.scopes.append(_Scope("function", local, global_names))
                before = set(self.bound)
                self.body(magic.code.body)
                self.bound = before
                self.scopes.pop()
            else:
                self.body(magic.code.body)
        elif magic.kind == "cell" and magic.body and magic.name not in NOT_PYTHON:
            self.unknown_body(magic)
        if magic.name in _NAMESPACE_MAGICS and magic.kind == "line":
            self.namespace_magic(magic, node)
        for name, line, column in magic.binds:
            place = ast.copy_location(ast.Name(name, ast.Store()), node)
            place.lineno = place.end_lineno = line
            place.col_offset = column - 1
            place.end_col_offset = column - 1 + len(name.encode())
            self.bind(name, place, "magic", node)

    def namespace_magic(self, magic: Magic, node: ast.Call) -> None:
        """Magics that bind or delete names that their line does not spell out."""
        words = [word for word in magic.argument.split() if not word.startswith("-")]
        if magic.name in ("reset", "reset_selective"):
            self.note_first("deleted", "*", node)
            self.bound.clear()
        elif magic.name == "xdel":
            for word in words:
                self.unbind(word, node)
        elif magic.name == "run" and words:
            path = words[0].strip("'\"")
            self.star(node, f"%run {path if '.' in path.rsplit('/', 1)[-1] else path + '.py'}")
        elif (magic.name == "pylab" and "--no-import-all" not in magic.argument) or (
            magic.name == "store" and "-r" in magic.argument.split() and not words
        ):
            self.star(node, f"%{magic.name}")

    def star(self, node: NameNode, module: str) -> None:
        self.block.binds.append(
            Bind("*", node, "star", False, statement=self.current, module=module)
        )

    def unknown_body(self, magic: Magic) -> None:
        """The body of a cell magic that some package brings: where it is Python it may well be run."""
        tree = parse_text(magic.body or "", "exec")
        if tree is None:
            return
        ast.increment_lineno(tree, magic.line)
        before = set(self.bound)
        self.guard += 1
        self.body(tree.body)
        self.guard -= 1
        self.bound = before


_STATEMENTS: dict[type, Callable[..., None]] = {
    ast.Expr: _Visitor.expression_statement,
    ast.Assign: _Visitor.assign,
    ast.AnnAssign: _Visitor.annotated_assign,
    ast.AugAssign: _Visitor.augmented_assign,
    ast.Delete: _Visitor.delete,
    ast.Import: _Visitor.import_,
    ast.ImportFrom: _Visitor.import_from,
    ast.If: _Visitor.if_,
    ast.For: _Visitor.for_,
    ast.AsyncFor: _Visitor.for_,
    ast.While: _Visitor.while_,
    ast.Break: _Visitor.jump,
    ast.Continue: _Visitor.jump,
    ast.Return: _Visitor.return_,
    ast.Raise: _Visitor.raise_,
    ast.Try: _Visitor.try_,
    ast.With: _Visitor.with_,
    ast.AsyncWith: _Visitor.with_,
    ast.Match: _Visitor.match_,
    ast.Global: _Visitor.global_,
    ast.FunctionDef: _Visitor.function,
    ast.AsyncFunctionDef: _Visitor.function,
    ast.ClassDef: _Visitor.class_,
}
for _name, _handler in (("TryStar", _Visitor.try_), ("TypeAlias", _Visitor.type_alias)):
    if hasattr(ast, _name):
        _STATEMENTS[getattr(ast, _name)] = _handler

_EXPRESSIONS: dict[type, Callable[..., object]] = {
    ast.Attribute: _Visitor.attribute,
    ast.Call: _Visitor.call,
    ast.Subscript: _Visitor.subscript,
    ast.Compare: _Visitor.compare,
    ast.NamedExpr: _Visitor.named,
    ast.BinOp: _Visitor.binary,
    ast.UnaryOp: _Visitor.unary,
    ast.JoinedStr: _Visitor.formatted,
    ast.BoolOp: _Visitor.boolean,
    ast.IfExp: _Visitor.conditional,
    ast.Yield: _Visitor.yield_,
    ast.YieldFrom: _Visitor.yield_,
    ast.Lambda: _Visitor.lambda_,
    ast.List: _Visitor.display,
    ast.Tuple: _Visitor.display,
    ast.Set: _Visitor.display,
    ast.Dict: _Visitor.dict_display,
    ast.ListComp: _Visitor.comprehension,
    ast.SetComp: _Visitor.comprehension,
    ast.GeneratorExp: _Visitor.comprehension,
    ast.DictComp: _Visitor.comprehension,
}
