"""Reading one component: its statements in order, and whatever they bring in from outside.

The reader knows which names the component has surely bound so far. A name read before that must come
from outside: it is looked up in the notebook's namespace and either carried over (import, definition,
constant), met by a declaration (parameter, input), or hidden.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections import deque
from dataclasses import dataclass

from nbcomponent.analysis.beside import NOTHING_BESIDE, Beside
from nbcomponent.analysis.carrying import is_immutable_literal, is_literal, kind_of
from nbcomponent.analysis.effects import EffectReader
from nbcomponent.analysis.facts import Block, Function, NameNode, Statement, in_order
from nbcomponent.analysis.library.names import (
    IPYTHON_BUILTINS,
    IPYTHON_NAMES,
    MODULE_ATTRIBUTES,
)
from nbcomponent.analysis.messages import Finding, diagnostic_of
from nbcomponent.analysis.model import (
    Boundary,
    Carried,
    Crossing,
    Declared,
    Dependency,
    Resolution,
    StatementKind,
)
from nbcomponent.analysis.namespace import BUILTINS, Definition, Namespace, import_path
from nbcomponent.analysis.objects import may_be_changed_by_call
from nbcomponent.analysis.supply import Supplier, Supply
from nbcomponent.analysis.syntax import dotted
from nbcomponent.analysis.timeline import Event, Timeline, same_definition
from nbcomponent.core.diagnostics import Diagnostic, Place, Severity
from nbcomponent.core.places import place_of
from nbcomponent.notebook.model import PLACEHOLDER, TaggedNotebook

_FIRST_OF = ("NBC107", "NBC110", "NBC102", "NBC105", "NBC103", "NBC104", "NBC106", "NBC101")
_NO_NAMES: frozenset[str] = frozenset()
_GIVES_NONE = frozenset(
    [
        "print",
        "display",
        "append",
        "extend",
        "insert",
        "sort",
        "reverse",
        "clear",
        "update",
        "remove",
        "add",
        "discard",
        "seed",
        "exec",
        "setattr",
        "show",
        "info",
        "close",
        "shuffle",
    ]
)
"""Functions and methods that give ``None``, so that a cell that ends in them has no output."""

_KIND_RESOLUTION: dict[StatementKind, Resolution] = {
    "import": "import",
    "definition": "definition",
    "constant": "constant",
    "statement": "sliced",
}


@dataclass(slots=True, eq=False)
class Site:
    """A place inside the component: what an outside name is blamed on."""

    cell: int
    node: NameNode
    place: Place | None = None


@dataclass(slots=True, eq=False)
class RunBlock:
    """Code that runs as part of the component. ``site``: where it is brought in, None for its own."""

    block: Block
    cell: int
    position: int
    site: Site | None


@dataclass(slots=True)
class _Need:
    name: str
    site: Site
    position: int
    outside: bool
    guarded: bool
    dynamic: bool


class ComponentReader:
    """Walks one component and collects its dependencies, carried statements and findings."""

    def __init__(
        self,
        name: str,
        cells: tuple[int, ...],
        tagged: TaggedNotebook,
        namespace: Namespace,
        timeline: Timeline,
        effects: EffectReader,
        declared: Declared,
        boundary: Boundary,
        supplier: Supplier | None = None,
        beside: Beside = NOTHING_BESIDE,
    ) -> None:
        self.name = name
        self.cells = cells
        self.own = frozenset(cells)
        self.tagged = tagged
        self.namespace = namespace
        self.timeline = timeline
        self.effects = effects
        self.declared = declared
        self.boundary = boundary
        self.supplier = supplier
        self.beside = beside
        self.reads: set[str] = set()
        self.binds: set[str] = set()
        self.bound: set[str] = set()
        self.bound_at: dict[str, int] = {}
        self.deleted_at: dict[str, int] = {}
        self.blocks: list[RunBlock] = []
        self.files: set[str] = set()
        self.random_chains: list[tuple[str, tuple[str, ...]]] = []
        self.random_states: set[str] = set()
        self._left_over = False
        self.diagnostics: list[Diagnostic] = []
        self._dependencies: dict[str, Dependency] = {}
        self._sites: dict[str, Site] = {}
        self._carried: dict[tuple[int, int], StatementKind] = {}
        self._crossings: dict[str, Crossing] = {}
        self._done: set[Function] = set()  # applied, and nothing that they need changed since
        self._ran: set[Function] = set()
        self._last_position = -1
        self._changed: set[str] = set()
        self._changes_of_others: dict[str, list[Event]] = {}
        self._pending: deque[tuple[Function, Site, int] | _Need] = deque()
        self._covered: dict[str, list[tuple[int, int]]] = {}
        self._dynamic: list[int] | None = None
        self._lines: dict[int, list[str]] = {}

    # results

    def dependencies(self) -> tuple[Dependency, ...]:
        """In the order of their places."""
        return tuple(
            sorted(self._dependencies.values(), key=lambda d: (d.cell, d.line, d.column, d.name))
        )

    def carried(self) -> tuple[Carried, ...]:
        """Statements of other cells that become part of the component, in notebook order."""
        result = []
        for (cell, index), kind in sorted(self._carried.items()):
            statement = self.namespace.cells[cell].statements[index]
            names = tuple(dict.fromkeys(b.name for b in statement.block.binds))
            result.append(Carried(cell, index, names, kind))
        return tuple(result)

    def last_position(self) -> int:
        """The position of the component's last statement; what stands below it comes too late."""
        for cell in reversed(self.cells):
            facts = self.namespace.cells.get(cell)
            if facts is not None and facts.statements:
                return self.namespace.position[id(facts.statements[-1])]
        return -1

    def carried_keys(self) -> set[tuple[int, int]]:
        """(cell, index) of every carried statement."""
        return set(self._carried)

    def crossings(self) -> tuple[Crossing, ...]:
        """Values that come from other components (``auto``), by name."""
        return tuple(self._crossings[name] for name in sorted(self._crossings))

    # walking

    def read(self) -> None:
        """Walk the component's cells in notebook order."""
        for cell in self.cells:
            facts = self.namespace.cells.get(cell)
            if facts is None:
                continue
            for statement in facts.statements:
                self._statement(statement)
        self._left_over_functions()
        self._declared_outputs()

    def _statement(self, statement: Statement) -> None:
        block = statement.block
        namespace = self.namespace
        position = namespace.position[id(statement)]
        if self._done and self.timeline.changes_for_functions(self._last_position, position):
            self._done.clear()
        self._last_position = position
        if block.exposed or block.uses:
            self._read_block(block, statement.cell, position)
            if self._pending:
                self._drain()
        self.blocks.append(RunBlock(block, statement.cell, position, None))
        redefined = False
        for bind in block.binds:
            if bind.kind == "star":
                continue
            redefined = redefined or bind.function is not None or bind.klass is not None
            self.binds.add(bind.name)
            if bind.definite:
                self.bound.add(bind.name)
                self.bound_at[bind.name] = position
                self._changed.discard(bind.name)
        if namespace.call_bindings:
            for definition in namespace.call_bindings.get(position, ()):
                self.binds.add(definition.bind.name)
                if definition.definite:
                    self.bound.add(definition.bind.name)
                    self.bound_at[definition.bind.name] = position
        if namespace.star_bindings:
            for definition in namespace.star_bindings.get(position, ()):
                self.binds.add(definition.bind.name)
                if definition.definite:
                    self.bound.add(definition.bind.name)
                    self.bound_at[definition.bind.name] = position
                    self._changed.discard(definition.bind.name)
        if block.deleted:
            if "*" in block.deleted:
                self.bound.clear()
            for name in block.deleted:
                self.bound.discard(name)
                if isinstance(statement.node, ast.Delete):
                    self.deleted_at[name] = position
        if redefined:
            self._done.clear()

    def _read_block(self, block: Block, cell: int, position: int) -> None:
        self.reads.update(block.exposed)
        namespace, bound, changes = self.namespace, self.bound, self.timeline.changes
        definitions = namespace.definitions
        for name, node in block.exposed.items():
            if name in bound:
                if name not in self._changed and changes(name):
                    self._unchanged(name, Site(cell, node), position)
            elif not (
                (name in self._dependencies and self.supplier is None)
                or (name in BUILTINS and name not in definitions and not namespace.stars)
            ):
                site = Site(cell, node)
                self._pending.append(
                    _Need(
                        name,
                        site,
                        position,
                        False,
                        name in block.guarded,
                        name in block.dynamic_names,
                    )
                )
        if namespace.has_functions:
            may_run = namespace.may_run
            uses = [u for u in block.uses if may_run(u.name) and not u.stored]
            if not uses:
                return
            called = {site.chain[0] for site in block.calls if len(site.chain) == 1}
            for use in uses:
                self._run_name(use.name, use.name in called, cell, use.node, position, use.bound)

    def _run_name(
        self,
        name: str,
        called: bool,
        cell: int,
        node: NameNode,
        position: int,
        bound: frozenset[str],
        site: Site | None = None,
    ) -> None:
        """The functions that the value of ``name`` can run, run at ``node``, or at ``site`` where given."""
        carried = self.namespace.carries(name, position + 1 if name in bound else position)
        functions = carried.used | carried.called if called else carried.used
        functions -= self._done
        if not functions:
            return
        site = site or Site(cell, node)
        for function in in_order(functions):
            if function not in self._done:
                if bound - self.bound:
                    self._apply(function, site, position, bound)
                else:
                    self._pending.append((function, site, position))

    def _drain(self) -> None:
        """Work off what is pending; a list and not recursion, since chains of functions can be long."""
        while self._pending:
            item = self._pending.popleft()
            if isinstance(item, _Need):
                self._need(item)
            else:
                self._apply(*item)

    def _apply(
        self, function: Function, site: Site, position: int, bound: frozenset[str] = frozenset()
    ) -> None:
        """A function of the notebook runs, or may run, at ``site``."""
        if function in self._done:
            return
        if not bound:
            self._done.add(function)
            self._ran.add(function)
        own = function.cell in self.own
        body = function.body
        self.blocks.append(RunBlock(body, function.cell, position, None if own else site))
        changes, changed = self.timeline.changes, self._changed
        self.reads.update(body.exposed)
        for name, node in body.exposed.items():
            if name in self.bound:
                if name not in changed and changes(name):
                    place = Site(function.cell, node) if own else site
                    self._unchanged(name, place, position)
            elif name not in bound:
                place = Site(function.cell, node) if own else site
                self._pending.append(
                    _Need(
                        name,
                        place,
                        position,
                        not own,
                        name in body.guarded,
                        name in body.dynamic_names,
                    )
                )
        for bind in body.binds:
            self.binds.add(bind.name)
        called = {call.chain[0] for call in body.calls if len(call.chain) == 1}
        may_run = self.namespace.may_run
        for use in body.uses:
            if not use.stored and may_run(use.name):
                self._run_name(
                    use.name,
                    use.name in called,
                    function.cell,
                    use.node,
                    position,
                    _NO_NAMES,
                    None if own else site,
                )

    def end(self) -> int:
        """The position after which nothing can matter: under ``auto`` the notebook's order is the order."""
        statements = self.namespace.statements
        if self.boundary == "strict":
            return len(statements)
        return bisect_right(statements, max(self.cells, default=-1), key=lambda s: s.cell)

    def _left_over_functions(self) -> None:
        """Functions that the component defines and does not run: their globals are needed all the same."""
        last = self.end()
        self._left_over = True
        for cell in self.cells:
            facts = self.namespace.cells.get(cell)
            if facts is None:
                continue
            for statement in facts.statements:
                for function in statement.block.functions:
                    if function not in self._ran:
                        self._pending.append((function, Site(cell, function.node), last))
                        self._drain()
        self._left_over = False

    def _declared_outputs(self) -> None:
        """A variable that the contract stores must reach the component's end."""
        last = len(self.namespace.statements)
        for name in sorted(self.declared.outputs):
            if name not in self.bound and name not in self.binds and self.cells:
                cell = self.cells[-1]
                self.reads.add(name)
                node = ast.Constant(None, lineno=1, col_offset=0, end_lineno=1, end_col_offset=0)
                if name in self.namespace.definitions and name not in self._dependencies:
                    self._pending.append(_Need(name, Site(cell, node), last, False, False, False))
        self._drain()

    # own values changed from outside (NBC104)

    def _unchanged(self, name: str, site: Site, position: int) -> None:
        if name in self._changed:
            return
        others = self._changes_of_others.get(name)
        if others is None:
            others = [e for e in self.timeline.of(name) if e.statement.cell not in self.own]
            self._changes_of_others[name] = others
        if not others:
            return
        since = self.bound_at.get(name, -1)
        events = [e for e in others if since < e.position < position]
        if not events:
            return
        if self.namespace.is_import(name, position):
            events = [e for e in events if e.binds]  # what is set on a module is NBC108 or NBC112
        if not events:
            return
        self._changed.add(name)
        if self.boundary == "auto" and self._slice_events(name, events, site):
            return
        self._report("NBC104", name, site, _cells(events), how=events[-1].how)

    # names from outside

    def _need(self, need: _Need) -> None:
        name = need.name
        known = self._dependencies.get(name)
        if known is not None:
            if self.supplier is None:
                return
            if known.resolution in ("sliced", "input"):
                self._supply_again(need)
            elif known.resolution in ("import", "definition", "constant"):
                self._carry_again(need)
            return
        if name in MODULE_ATTRIBUTES:
            return
        every = [d for d in self.namespace.definitions.get(name, ()) if d.cell not in self.own]
        if not every:
            self._undefined(need)
            return
        since = self._deleted_since(name)
        above = [d for d in every if since < d.position < need.position]
        if not above and (name in BUILTINS or need.guarded):
            return
        if name in self.binds and not above:
            if since >= 0:
                self._undefined(need)
            return  # bound on some paths by the component, and by nothing else before
        if self._declared_elsewhere(name, need, above):
            return
        reaching = self.namespace.reaching(name, need.position, self.own) if above else every
        self._resolve(need, [d for d in reaching if d.position > since] or reaching, above)

    def _deleted_since(self, name: str) -> int:
        """Where the component itself deleted a name that it has not bound since; -1: nowhere."""
        at = self.deleted_at.get(name, -1)
        return at if at > self.bound_at.get(name, -1) else -1

    def _declared_elsewhere(self, name: str, need: _Need, above: list[Definition]) -> bool:
        declared = self.declared
        if name in declared.inputs:
            self._depend(name, "input", need.site, tuple(sorted({d.cell for d in above})), None)
            return True
        if name in declared.parameters:
            roles = self.tagged.roles
            defined = [d for d in above if roles[d.cell].parameters] or above
            since = max((d.position for d in defined), default=-1)
            events = [
                e
                for e in self.timeline.between(name, since, need.position, self.own)
                if not roles[e.statement.cell].parameters
            ]
            code = None
            if events and any(roles[d.cell].parameters for d in defined):
                code = "NBC104"
                self._report(code, name, need.site, _cells(events), how=events[-1].how)
            self._depend(
                name, "parameter", need.site, tuple(sorted({d.cell for d in defined})), code
            )
            return True
        return False

    def _undefined(self, need: _Need) -> None:
        name, site = need.name, need.site
        if name in self.declared.inputs:
            self._depend(name, "input", site, (), None)
            return
        if name in self.declared.parameters or name in self.declared.outputs:
            self._depend(name, "parameter", site, (), None)
            return
        if need.guarded or (name in self.binds and self._deleted_since(name) < 0):
            return
        if IPYTHON_NAMES.fullmatch(name) or name == "get_ipython":
            self._hidden(need, ("NBC107",), self._history_cells(name, site))
            return
        if name in BUILTINS or name in IPYTHON_BUILTINS:
            return
        stars = self._stars(name, need.position)
        if any(s.cell in self.own for s in stars):
            return
        below = self._own_below(name, need.position)
        if below:
            self._hidden(need, ("NBC103",), below)
            return
        if stars:
            self._from_stars(need, stars)
            return
        dynamic = self._dynamic_cells()
        if dynamic:
            self._hidden(need, ("NBC107",), tuple(sorted(set(dynamic))))
            return
        # A function that the component does not run fails no more than it would in the notebook.
        unused = self._left_over and self.boundary == "auto" and not need.outside
        self._hidden(need, ("NBC102",), (), severity="warning" if unused else None)

    def _stars(self, name: str, position: int) -> list[Definition]:
        """Star imports above ``position`` of modules that may export ``name``: nobody knows."""
        if name.startswith("_"):
            return []
        return [star for star in self.namespace.stars if star.position < position]

    def _own_below(self, name: str, position: int) -> tuple[int, ...]:
        """Cells of the component that define a name only below its use."""
        definitions = self.namespace.definitions.get(name, ())
        return tuple(sorted({d.cell for d in definitions if d.position > position}))

    def _from_stars(self, need: _Need, stars: list[Definition]) -> None:
        cells = tuple(sorted({s.cell for s in stars}))
        roles = self.tagged.roles
        magics = [m for m in (s.bind.module or "" for s in stars) if m.startswith("%")]
        if self.boundary == "strict" or magics or any(roles[s.cell].skip for s in stars):
            codes = ["NBC107"] if magics else []
            if len(magics) < len(stars) or "%pylab" in magics:
                codes.append("NBC110")
            self._hidden(need, tuple(codes), cells)
            return
        self._depend(need.name, "import", need.site, cells, "NBC110")
        self._report("NBC110", need.name, need.site, cells, severity="note", resolution="import")
        for star in stars:
            self._carry(star.statement, "import", need.site, need.position)

    def _dynamic_cells(self) -> list[int]:
        """Cells of others that may bind names which their text does not show."""
        if self._dynamic is None:
            self._dynamic = [
                s.cell
                for s in self.namespace.statements
                if s.cell not in self.own and self._binds_dynamically(s)
            ]
        return self._dynamic

    def _binds_dynamically(self, statement: Statement) -> bool:
        """Whether a statement may bind names that its text does not show."""
        block = statement.block
        if any(called in ("exec", "globals", "locals", "vars") for called, _ in block.dynamic):
            return True
        if any(self._patches_builtins(m.chain) for m in block.mutations):
            return True
        code = self.tagged.code.get(statement.cell)
        return code is not None and any(
            code.magics[number].name in ("load", "macro") for number, _ in block.magics
        )

    def _patches_builtins(self, chain: tuple[str, ...]) -> bool:
        return len(chain) > 1 and self.namespace.imports.get(chain[0]) == "builtins"

    def _magic_of(self, definition: Definition) -> str:
        """The magic that binds a name, nothing where none does."""
        call, code = definition.bind.value, self.tagged.code.get(definition.cell)
        if definition.bind.kind != "magic" or code is None or not isinstance(call, ast.Call):
            return ""
        number = call.args[0] if call.args else None
        if not isinstance(number, ast.Constant) or not isinstance(number.value, int):
            return ""
        return code.magics[number.value].name

    def _history_cells(self, name: str, site: Site) -> tuple[int, ...]:
        """The cells whose output or input a history name stands for, where that can be told."""
        if name in ("get_ipython", "_dh", "_exit_code"):
            return ()
        code, cells = self.tagged.code, self.tagged.notebook.cells
        digits = name.lstrip("_i")
        if digits.isdigit() or name in ("In", "Out", "_ih", "_oh"):
            numbers = {int(digits)} if digits.isdigit() else self._history_numbers(site.cell, name)
            return tuple(i for i in sorted(code) if cells[i].execution_count in numbers)
        before = [i for i in sorted(code) if i < site.cell]
        if set(name) == {"_"}:
            before = [i for i in before if self._has_output(i)]
        depth = max(1, len(name) if set(name) == {"_"} else len(name) - 1)
        return (before[-depth],) if len(before) >= depth else ()

    def _has_output(self, cell: int) -> bool:
        """Whether a cell ends in an expression whose value IPython keeps (``None`` is not kept)."""
        statements = self.namespace.cells[cell].statements
        if not statements or not isinstance(statements[-1].node, ast.Expr):
            return False
        value = statements[-1].node.value
        if isinstance(value, ast.Constant) and value.value is None:
            return False
        if isinstance(value, ast.Call):
            chain = dotted(value.func)
            name = chain[-1] if chain else getattr(value.func, "attr", "")
            if name in _GIVES_NONE or name == PLACEHOLDER:
                return False
        return not self.tagged.notebook.cells[cell].source.rstrip().endswith(";")

    def _history_numbers(self, cell: int, name: str) -> set[int]:
        """Execution counts that ``In[...]`` or ``Out[...]`` in a cell asks for; ``In[-2]`` counts back."""
        count = self.tagged.notebook.cells[cell].execution_count
        numbers: set[int] = set()
        for statement in self.namespace.cells[cell].statements:
            for subscript in ast.walk(statement.node):
                if (
                    isinstance(subscript, ast.Subscript)
                    and isinstance(subscript.value, ast.Name)
                    and subscript.value.id == name
                    and is_literal(subscript.slice)
                ):
                    number = _whole_number(subscript.slice)
                    if number is not None and number >= 0:
                        numbers.add(number)
                    elif number is not None and count is not None and name in ("In", "_ih"):
                        numbers.add(count + 1 + number)
        return numbers

    def _resolve(self, need: _Need, reaching: list[Definition], above: list[Definition]) -> None:
        name = need.name
        cells = _cells_of(above or reaching)
        codes: list[str] = []
        kinds = {d.bind.kind for d in reaching}
        if (
            need.dynamic
            or "dynamic" in kinds
            or ("magic" in kinds and any(self._magic_of(d) == "store" for d in reaching))
        ):
            codes.append("NBC107")
        if "star" in kinds:
            if all(d.bind.kind == "star" for d in above) and above:
                self._from_stars(need, reaching)
                return
            codes.append("NBC110")
        later = self._ran_after(above, need) if above else []
        if later:
            cells = tuple(sorted({*cells, *later}))
            codes.append("NBC105")
        if (len(cells) > 1 and self._distinct(above or reaching)) or (
            not any(d.definite for d in reaching) and any(map(_conditional, reaching))
        ):
            codes.append("NBC105")
        if not above or self._ran_later(cells, need.site.cell):
            codes.append("NBC103")
        carriable = (
            None
            if codes and not (self.boundary == "auto" and above)
            else self._carriable(name, reaching, need)
        )
        if carriable is not None and (not codes or self.boundary == "auto"):
            kind, statements = carriable
            untagged = all(not self.tagged.roles[s.cell].shared and
                           not self.tagged.roles[s.cell].parameters for s in statements)  # fmt: skip
            code = "NBC101" if untagged else None
            self._depend(name, _KIND_RESOLUTION[kind], need.site, cells, code)
            if untagged:
                self._report(
                    "NBC101", name, need.site, cells, severity="note", resolution=kind,
                )  # fmt: skip
            for statement in statements:
                self._carry(statement, kind, need.site, need.position)
            return
        if self.supplier is not None and "NBC107" not in codes and self._supply(need, cells):
            return
        changed = self._changed_outside(name, reaching, need)
        if changed:
            codes.append("NBC104")
        codes.append("NBC106" if need.outside else "NBC101")
        self._hidden(need, tuple(codes), cells, changed)

    def _changed_outside(
        self, name: str, reaching: list[Definition], need: _Need
    ) -> tuple[int, ...]:
        if not self.timeline.changes(name) or self.namespace.is_import(name, need.position):
            return ()
        since = max((d.position for d in reaching if d.position < need.position), default=-1)
        definers = {d.cell for d in reaching}
        events = self.timeline.between(name, since, need.position, self.own)
        return tuple(sorted({e.statement.cell for e in events if not e.binds} - definers))

    def _distinct(self, definitions: list[Definition]) -> bool:
        """Whether definitions in several cells differ, so that their order counts.

        An import, a definition or a literal made twice does not; a step that makes a new value of the
        old one (``n += 1``) can only come after it.
        """
        first = definitions[0]
        return any(
            d.cell != first.cell
            and not self.timeline.restates(first, d)
            and d.bind.name not in d.statement.block.exposed
            for d in definitions[1:]
        )

    def _ran_after(self, above: list[Definition], need: _Need) -> list[int]:
        """Cells below the use that define the name and by the execution counts ran before it, but last."""
        cells = self.tagged.notebook.cells
        used = cells[need.site.cell].execution_count
        if used is None or len(self.namespace.definitions[need.name]) == 1:
            return []
        last = max(cells[d.cell].execution_count or used for d in above)
        return [
            d.cell
            for d in self.namespace.definitions[need.name]
            if d.position > need.position
            and d.cell not in self.own
            and last < (cells[d.cell].execution_count or 0) < used
        ]

    def _ran_later(self, defined_in: tuple[int, ...], cell: int) -> bool:
        """Whether execution counts show that the only defining cell ran after the reading one."""
        if len(defined_in) != 1:
            return False
        cells = self.tagged.notebook.cells
        defined, used = cells[defined_in[0]].execution_count, cells[cell].execution_count
        return defined is not None and used is not None and defined > used

    def _may_carry_from(self, cell: int, kind: StatementKind) -> bool:
        role = self.tagged.roles[cell]
        if role.skip:
            return False
        if role.parameters:
            return kind in ("import", "definition")
        return self.boundary == "auto" or not role.components

    def _carriable(
        self, name: str, reaching: list[Definition], need: _Need
    ) -> tuple[StatementKind, list[Statement]] | None:
        """The statements that bring a name over as an import, a definition or a constant."""
        candidates = reaching
        if all(d.bind.kind == "import" for d in reaching):
            # the same import made in several cells may come from any of them
            paths = {import_path(d.bind) for d in reaching}
            every = [
                d
                for d in self.namespace.definitions[name]
                if d.cell not in self.own
                and d.bind.kind == "import"
                and import_path(d.bind) in paths
                and d.position < need.position
            ]
            candidates = [d for d in every if self._may_carry_from(d.cell, "import")][-1:]
        statements = list({id(d.statement): d.statement for d in candidates}.values())
        if not statements:
            return None
        if len(statements) > 1:
            kinds = {kind_of(s, self.namespace) for s in statements}
            if kinds != {"import"} and not self._same_definition(statements):
                return None
            statements = statements[-1:]
        kind = kind_of(statements[0], self.namespace)
        if kind == "statement" or not self._may_carry_from(statements[0].cell, kind):
            return None
        definition = next(d for d in candidates if d.statement is statements[0])
        if definition.bind.kind in ("augmented", "dynamic", "magic"):
            return None
        if definition.bind not in statements[0].block.binds:
            return None  # bound by a call of a function with a global statement
        if kind == "constant" and not self._unchanging(name, definition):
            return None
        if kind == "definition" and self._definition_changed(name, definition, need):
            return None
        return kind, statements

    def _same_definition(self, statements: list[Statement]) -> bool:
        return all(same_definition(statements[0], s) for s in statements[1:])

    def _definition_changed(self, name: str, definition: Definition, need: _Need) -> bool:
        events = self.timeline.between(name, definition.position, need.position, self.own)
        return any(not e.binds for e in events)

    def _unchanging(self, name: str, definition: Definition) -> bool:
        """Whether nothing in the notebook rebinds or mutates a constant."""
        same = {
            d.position
            for d in self.namespace.definitions[name]
            if d is definition or self.timeline.restates(definition, d)
        }
        if any(e.position not in same for e in self.timeline.of(name)):
            return False
        if self.namespace.deletions.get(name):
            return False
        value = definition.bind.value
        if value is None:
            return False
        if is_immutable_literal(value):
            return True
        return not any(
            may_be_changed_by_call(self.namespace, site, name)
            for statement in self.namespace.statements
            if statement.cell not in self.own
            for site in statement.block.calls
        )

    def _carry(self, statement: Statement, kind: StatementKind, site: Site, position: int) -> None:
        key = (statement.cell, statement.index)
        if key in self._carried:
            return
        self._carried[key] = kind
        at = self.namespace.position[id(statement)]
        block = statement.block
        self.blocks.append(RunBlock(block, statement.cell, at, site))
        for name in block.exposed:
            in_time = name in self.bound and (
                kind != "statement" or self.bound_at.get(name, at) < at
            )
            if not in_time:
                self._pending.append(_Need(name, site, at, True, name in block.guarded, False))
        for function in block.functions:
            self._pending.append((function, site, position))
        may_run = self.namespace.may_run
        for use in block.uses:
            if not use.stored and may_run(use.name):
                self._run_name(use.name, True, site.cell, site.node, at, _NO_NAMES, site)

    # auto: values from other components, statements from untagged cells

    def _supply(self, need: _Need, cells: tuple[int, ...]) -> bool:
        assert self.supplier is not None
        supply = self.supplier.supply(self.name, self.own, need.name, need.position)
        if supply is None:
            return False
        if supply.problem:
            codes = (supply.code, "NBC106" if need.outside else "NBC101")
            self._hidden(need, tuple(dict.fromkeys(codes)), cells, why=supply.problem)
            return True
        if supply.producer is not None:
            self._crossings[need.name] = Crossing(
                need.name, supply.producer, self.name, supply.value_type, supply.exact
            )
            resolution: Resolution = "input"
        else:
            resolution = "sliced"
        self._depend(need.name, resolution, need.site, cells, "NBC101")
        self._report(
            "NBC101", need.name, need.site, cells, severity="note",
            resolution=resolution, producer=supply.producer,
        )  # fmt: skip
        for statement in supply.definitions:
            self._carry(statement, kind_of(statement, self.namespace), need.site, need.position)
        self._carry_all(need, supply)
        return True

    def _carry_again(self, need: _Need) -> None:
        """A name that was carried over is read where it may have been defined anew."""
        if not self.timeline.changes(need.name):
            return
        reaching = self.namespace.reaching(need.name, need.position, self.own)
        carriable = self._carriable(need.name, reaching, need) if reaching else None
        if carriable is None:
            self._supply_again(need)
            return
        kind, statements = carriable
        for statement in statements:
            self._carry(statement, kind, need.site, need.position)

    def _supply_again(self, need: _Need) -> None:
        """A pulled-in statement reads an earlier value of a name that is already supplied."""
        assert self.supplier is not None
        if need.name in self.declared.inputs:
            return
        stretches = self._covered.get(need.name, ())
        if any(start < need.position <= end for start, end in stretches):
            return
        supply = self.supplier.supply(self.name, self.own, need.name, need.position)
        if supply is None:
            return
        if supply.problem:
            self._report(supply.code, need.name, need.site, (), why=supply.problem)
            return
        if supply.producer is not None:
            self._crossings.setdefault(
                need.name,
                Crossing(need.name, supply.producer, self.name, supply.value_type, supply.exact),
            )
        self._carry_all(need, supply)

    def _carry_all(self, need: _Need, supply: Supply) -> None:
        """Pull in the statements that make a value, and remember the stretch that they cover.

        Between the first of them and ``need`` the value was never begun anew, so an earlier read in
        that stretch needs some of the same statements and nothing else.
        """
        if supply.producer is None and supply.statements:
            start = self.namespace.position[id(supply.statements[0])]
            self._covered.setdefault(need.name, []).append((start, need.position))
        for statement in supply.statements:
            self._carry(statement, "statement", need.site, need.position)

    def _slice_events(self, name: str, events: list[Event], site: Site) -> bool:
        """Pull in what untagged cells do to the component's own value. False: it cannot be done."""
        roles = self.tagged.roles
        statements = [e.statement for e in events]
        if any(
            roles[s.cell].components or roles[s.cell].skip or roles[s.cell].parameters
            for s in statements
        ):
            return False
        for statement in statements:
            self._carry(statement, "statement", site, self.namespace.position[id(statement)])
        self._report(
            "NBC104", name, site, _cells(events), severity="note", resolution="sliced",
        )  # fmt: skip
        return True

    def site_of(self, name: str) -> Site:
        """Where a name from outside is used, as something to blame."""
        return self._sites[name]

    def replay(self, statement: Statement, site: Site) -> None:
        """Carry a statement that sets process state (``auto``)."""
        self._carry(statement, "statement", site, self.namespace.position[id(statement)])
        self._drain()

    # reporting

    def _hidden(
        self,
        need: _Need,
        codes: tuple[str, ...],
        cells: tuple[int, ...],
        changed: tuple[int, ...] = (),
        why: str | None = None,
        severity: Severity | None = None,
    ) -> None:
        if need.dynamic and "NBC107" not in codes:
            codes = ("NBC107", *codes)
        first = next((c for c in _FIRST_OF if c in codes), codes[0])
        self._depend(need.name, "hidden", need.site, cells, first)
        for code in dict.fromkeys(codes):
            if code in ("NBC101", "NBC106") and len(codes) > 1 and first in (
                "NBC102", "NBC103", "NBC105", "NBC107", "NBC110",
            ):  # fmt: skip
                continue  # the sharper finding says it all
            places = changed if code == "NBC104" else cells
            self._report(code, need.name, need.site, places, why=why, severity=severity)

    def _depend(
        self,
        name: str,
        resolution: Resolution,
        site: Site,
        defined_in: tuple[int, ...],
        diagnostic: str | None,
    ) -> None:
        if name in self._dependencies:
            return
        place = self.place(site)
        self._sites[name] = site
        self._dependencies[name] = Dependency(
            name, resolution, defined_in, site.cell, place.line, place.column, diagnostic
        )

    def place(self, site: Site) -> Place:
        """The place of a site, in code points."""
        if site.place is None:
            lines = self._lines.get(site.cell)
            if lines is None:
                source = self.tagged.notebook.cells[site.cell].source
                lines = self._lines[site.cell] = source.split("\n")
            site.place = place_of(site.node, site.cell, lines)
        return site.place

    def _report(
        self, code: str, name: str, site: Site, cells: tuple[int, ...], **details: object
    ) -> None:
        finding = Finding(code, name, self.place(site), cells, self.name, details)
        self.diagnostics.append(diagnostic_of(finding, self.tagged))

    def report(self, finding: Finding) -> None:
        """Add a finding of another part of the analysis."""
        self.diagnostics.append(diagnostic_of(finding, self.tagged))


def _whole_number(node: ast.expr) -> int | None:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return None
    return value if isinstance(value, int) else None


def _cells_of(definitions: list[Definition]) -> tuple[int, ...]:
    if len(definitions) == 1:
        return (definitions[0].cell,)
    return tuple(sorted({d.cell for d in definitions}))


def _cells(events: list[Event]) -> tuple[int, ...]:
    return tuple(sorted({e.statement.cell for e in events}))


def _conditional(definition: Definition) -> bool:
    return not isinstance(definition.statement.node, (ast.For, ast.AsyncFor))
