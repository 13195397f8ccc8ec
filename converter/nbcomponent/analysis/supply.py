"""``--boundary auto``: where a value comes from, and whether it can come over.

The last component before the reader, in notebook order, that writes or mutates the value supplies it;
what untagged cells do to it after that is pulled into the reader (backward slicing, Weiser 1984). An
untagged statement with outside effects or randomness runs in one component only, the first that needs
it, and the others receive its values from there.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from nbcomponent.analysis.beside import NOTHING_BESIDE, Beside
from nbcomponent.analysis.carrying import kind_of
from nbcomponent.analysis.effects import EffectReader
from nbcomponent.analysis.exactness import is_exact
from nbcomponent.analysis.facts import Function, Statement, in_order
from nbcomponent.analysis.instances import InstanceClasses, only_defines
from nbcomponent.analysis.library.calls import PURE_BUILTINS
from nbcomponent.analysis.library.value_types import UNSTORABLE_PACKAGES, UNSTORABLE_TYPES
from nbcomponent.analysis.namespace import Namespace
from nbcomponent.analysis.repeating import Repeater
from nbcomponent.analysis.timeline import Event, Timeline
from nbcomponent.analysis.values import is_plain, value_type
from nbcomponent.notebook.model import TaggedNotebook

_REPEATABLE_MODULES = (
    "math.", "json.loads", "json.dumps", "re.", "collections.", "itertools.", "functools.",
    "operator.", "pathlib.Path", "os.path.", "datetime.timedelta", "datetime.date", "string.",
    "statistics.", "fractions.", "decimal.", "numpy.", "pandas.", "copy.", "textwrap.",
)  # fmt: skip
_PLAIN_TYPES = frozenset(
    {"pandas.DataFrame", "numpy.ndarray", "dict", "list", "int", "float", "bool", "str"}
)
"""Types with a format of their own."""

_TOLD_APART = frozenset(
    {"write", "seed", "random", "chdir", "env-set", "path-set", "option", "patch"}
)


@dataclass(frozen=True, slots=True)
class Supply:
    """How a value comes over: from ``producer``, then changed by ``statements`` of untagged cells.

    ``definitions``: statements whose functions or classes the value needs. ``problem`` (with ``code``)
    says why it cannot come over. ``exact``: the plain format for the type surely gives the value back.
    """

    producer: str | None = None
    value_type: str | None = None
    statements: tuple[Statement, ...] = ()
    definitions: tuple[Statement, ...] = ()
    problem: str | None = None
    code: str = "NBC101"
    exact: bool = True


class Supplier:
    """Shared by all components of a notebook: remembers which one runs an unrepeatable statement."""

    def __init__(
        self,
        tagged: TaggedNotebook,
        namespace: Namespace,
        timeline: Timeline,
        effects: EffectReader,
        beside: Beside = NOTHING_BESIDE,
    ) -> None:
        self.tagged = tagged
        self.repeater = Repeater(namespace, effects, beside)
        self.effects = effects
        self.namespace = namespace
        self.timeline = timeline
        self._classes = InstanceClasses(namespace, timeline)
        self.owner: dict[tuple[int, int], str] = {}
        self.producers: dict[tuple[str, str], str] = {}
        self._statement_of: dict[Function, Statement] = {
            f: s for s in namespace.statements for f in s.block.functions
        }

    def supply(
        self, component: str, own: frozenset[int], name: str, position: int
    ) -> Supply | None:
        """Where ``name``, read by ``component`` at ``position``, comes from. None: from nowhere above."""
        events = [
            e
            for e in self.timeline.of(name)
            if e.position < position and e.statement.cell not in own
        ]
        if not events:
            return None
        chain = self._chain(name, events)
        producer: str | None = None
        after: list[Event] = []
        for event in chain:
            owner = self._owner(event, component)
            if owner is not None:
                producer, after = owner, []
            else:
                after.append(event)
        roles = self.tagged.roles
        for event in after:
            if roles[event.statement.cell].skip:
                return Supply(problem="the cell that makes it is tagged skip and is never exported")
            if event.how in ("del", "magic", "dynamic"):
                return Supply(problem="it is bound or deleted in a way that a script cannot repeat")
        statements = tuple(dict.fromkeys(e.statement for e in after))
        if producer is None:
            return self._sliced(component, statements)
        problem = self._changed_again(producer, name, position, own)
        if problem is not None:
            return Supply(problem=problem, code="NBC104")
        known = self.producers.setdefault((component, name), producer)
        if known != producer:
            return Supply(
                problem=f"its value is needed once as {known} leaves it and once as {producer} does",
                code="NBC105",
            )
        return self._stored(producer, own, name, after, chain, statements)

    def _chain(self, name: str, events: list[Event]) -> list[Event]:
        """The changes that make the present value: back to the last one that starts it anew."""
        chain: list[Event] = []
        for event in reversed(events):
            chain.append(event)
            if event.binds and event.how not in ("augmented", "del"):
                block = event.statement.block
                definite = any(b.name == name and b.definite for b in block.binds)
                if definite and name not in block.exposed:
                    break
        chain.reverse()
        return chain

    def _owner(self, event: Event, component: str) -> str | None:
        """The other component in which a change happens, None for an untagged cell."""
        role = self.tagged.roles[event.statement.cell]
        if role.components and not role.skip and not role.parameters:
            return role.components[0]
        owner = self.owner.get((event.statement.cell, event.statement.index))
        return owner if owner != component else None

    def _sliced(self, component: str, statements: tuple[Statement, ...]) -> Supply:
        for statement in statements:
            if not self.repeatable(statement):
                self.owner.setdefault((statement.cell, statement.index), component)
        return Supply(statements=statements)

    def _changed_again(
        self, producer: str, name: str, position: int, own: frozenset[int]
    ) -> str | None:
        cells = self.tagged.component_cells.get(producer, ())
        for event in self.timeline.of(name):
            if (
                event.position > position
                and event.statement.cell in cells
                and event.statement.cell not in own
            ):
                return (
                    f"{producer} changes it again in cell {event.statement.cell}, "
                    "after it is read here"
                )
        return None

    def _stored(
        self,
        producer: str,
        own: frozenset[int],
        name: str,
        after: list[Event],
        chain: list[Event],
        statements: tuple[Statement, ...],
    ) -> Supply:
        at = after[0].position if after else chain[-1].position + 1
        its_type = value_type(name, at, self.namespace)
        if any(b.name == name and b.klass is not None for b in chain[0].statement.block.binds):
            return self._class_again(chain)
        if len(chain) == 1 and not after and its_type not in _PLAIN_TYPES:
            again = self.repeater.makes_again(name, own, chain[0].statement)
            if again is not None:
                return Supply(statements=(again,))
        unstorable = self._unstorable(its_type, at)
        if unstorable is not None:
            return Supply(problem=f"{producer} makes it, and it is {unstorable}")
        if its_type in ("dict", "list") and not is_plain(name, chain, self.namespace):
            its_type = f"builtins.{its_type}"
        exact = is_exact(name, its_type, at, self.namespace, self.timeline)
        definitions: dict[Statement, None] = {}
        for function in in_order(self.namespace.carries(name, at).used):
            statement = self._statement_of.get(function)
            if statement is None or function.cell in own:
                continue
            if isinstance(function.node, ast.Lambda) and not isinstance(
                statement.node, ast.ClassDef
            ):
                return Supply(
                    problem=f"{producer} makes it, and it holds a lambda, which cannot be stored; "
                    "write it as a function with def"
                )
            if kind_of(statement, self.namespace) != "definition":
                return Supply(
                    problem=f"it needs {function.owner.name if function.owner else function.name}, "
                    f"whose definition in cell {statement.cell} has effects"
                )
            definitions[statement] = None
        if its_type not in _PLAIN_TYPES:
            for label, statement in self._classes.of(name, at).items():
                if statement.cell in own:
                    continue
                is_definition = kind_of(statement, self.namespace) == "definition"
                if is_definition or only_defines(statement, self.namespace):
                    definitions[statement] = None
                elif label == its_type:
                    return Supply(
                        problem=f"it needs {label}, whose definition in cell {statement.cell} has effects"
                    )
        ordered = tuple(sorted(definitions, key=lambda s: (s.cell, s.index)))
        return Supply(producer, its_type, statements, ordered, exact=exact)

    def _class_again(self, chain: list[Event]) -> Supply:
        """A class is defined again where it is used: of a class pickle keeps the name alone."""
        statement = chain[0].statement
        told_apart = any(
            effect.kind in _TOLD_APART
            for effect in self.effects.of_statement(statement, chain[0].position)
        )
        if len(chain) == 1 and only_defines(statement, self.namespace) and not told_apart:
            return Supply(statements=(statement,))
        return Supply(
            problem=f"it is a class, which cannot be stored, and its definition in cell {statement.cell} "
            "has effects or is changed later"
        )

    def _unstorable(self, its_type: str | None, position: int) -> str | None:
        """What a value of this type is, in words, where no format can store it."""
        if its_type is None:
            return None
        for kind in (its_type, *self.namespace.bases(its_type, position)):
            package = UNSTORABLE_PACKAGES.get(kind.partition(".")[0])
            if kind in UNSTORABLE_TYPES or (package and "." in kind):
                return UNSTORABLE_TYPES.get(kind, package)
        return None

    def repeatable(self, statement: Statement) -> bool:
        """Whether running a statement in two components does the same twice and nothing else."""
        block = statement.block
        if block.magics or (block.method_calls and not self._method_calls_plain(statement)):
            return False
        for effect in self.effects.of(block, statement.cell):
            if effect.kind in _TOLD_APART:
                return False
        for site in block.calls:
            path = self.namespace.resolve(site.chain)
            if path is None:
                if len(site.chain) > 1 and site.chain[0] not in self.namespace.imports:
                    continue  # a method of a value: judged by what it changes
                return False
            if path in PURE_BUILTINS:
                if path in ("print", "display"):
                    return False
                continue
            if not path.startswith(_REPEATABLE_MODULES):
                return False
        return True

    def _method_calls_plain(self, statement: Statement) -> bool:
        return not any(
            isinstance(call.func, ast.Attribute)
            and call.func.attr in ("show", "plot", "write", "send")
            for call in statement.block.method_calls
        )
