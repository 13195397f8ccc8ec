"""Random notebooks in which a few names meet in everything that binds, reads, changes or hides a name.

All values are lists, so that most of these notebooks run to their end; names are chosen among those that are
bound by then, but for a few that are not.
"""

from __future__ import annotations

import contextlib
import io
import re
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

VALUES = ("va", "vb", "vc", "vd")
FUNCTIONS = ("fa", "fb")
COROUTINES = ("fc",)
CLASSES = ("Ka",)
ALIASES = ("mod", "fl")
PARAMETERS = ("pa",)
NAMES = (*VALUES, *FUNCTIONS, *COROUTINES, *CLASSES, *ALIASES, *PARAMETERS)

# {w}, {v}: values that are bound; {r}, {s}: values that are read or changed; {f}: a function that is defined,
# {g} one that is called, {h} one that never is; {K}: a class. {a}, {b} are read when a function runs.
_VALUES = [
    "{w} = [1, 2]",
    "{w} = {r}",
    "{w} = {r}[:2] + [3]",
    "{w}: list = {r}[:]",
    "{w} = {r} if {s} else [0]",
    "{w} = [x + 1 for x in {r} if x]",
    "{w} = [y for x in [{r}, {s}] for y in x][:3]",
    "{w} = sorted({r}, key=lambda x: -x + len({s}))",
    "{w} = [n := len({r}), n]",
    "{w}, {v} = {r}, {s}",
    "{w}, *{v} = [{r}, 1, 2]",
    "if {r}:\n    {w} = {s}[:1]\nelse:\n    {w} = [0]",
    "if len({r}) > 99:\n    {w} = [5]",
    "try:\n    {w} = {r}[:1]\nexcept NameError:\n    {w} = []",
    "try:\n    {w} = [{r}[0] / 0]\nexcept (ArithmeticError, IndexError) as problem:\n    {w} = [len(str(problem))]\nfinally:\n    len({s})",
    "import contextlib\nwith contextlib.nullcontext({r}) as {w}:\n    {s}.append(1)",
    "match {r}:\n    case [_, *{w}]:\n        pass\n    case _:\n        {w} = []",
    "for {w} in [{r}, {s}]:\n    len({w})",
    "%time {w} = {r}[:1]",
]  # fmt: skip
_CHANGES = [
    "{r}.append(4)",
    "{r}[:1] = [9]",
    "{r} += {s}[:1]",
    "{r}.extend(x for x in {s}[:2])",
    "for x in {r}[:2]:\n    {s}.append(x)",
    "while len({r}) > 3:\n    {r}.pop()",
    "del {r}[1:]",
    "del {r}",
]
_READS = [
    "print({r}, f'{{len({s})!r:>5}}')",
    "assert {r} is not None, {s}",
    "%matplotlib inline\nlen({r})",
    "len({r});",
]
_DEFINITIONS = [
    "def {f}(p={r}):\n    y = p[:1] + {s}\n    return y",
    "def {f}(p=None):\n    {a}.append(0)\n    return {b}",
    "def {f}(p=None):\n    global {w}\n    {w} = {a}[:]\n    return {w}",
    "def {f}(p=None):\n    def inner(q):\n        return q + {a}\n    return inner({b})",
    "def {f}(p=None):\n    for y in (p or {a})[:2]:\n        yield y",
    "def {f}(p=None):\n    try:\n        return {a}\n    except NameError:\n        return {b}",
    "async def {h}(p=None):\n    return {a}",
    "{f} = lambda p=None: {a}[:1]",
    "class {K}:\n    size = len({r})\n    rest = [{r}, size]\n    def get(self):\n        return {a}",
    "class {K}(list):\n    size = 1\n    def get(self):\n        return {a} + self[:1]",
]
_CALLS = [
    "{w} = list({g}())",
    "{w} = list({g}({r}))",
    "{w} = list(map({g}, [{r}]))[:1]",
    "def {f}(p=None):\n    return {g}({a})",
    "{w} = {r}[:2]\n{w}.extend({g}())",
]
_CLASS_USES = ["{w} = {K}().get()", "{w} = [{K}.size]", "{K}.size = len({r})", "{w} = {K}()"]
_IMPORTS = [
    "import math as mod",
    "from math import floor as fl",
    "from math import *",
    "import os.path",
]
_IMPORT_USES = ["{w} = [mod.floor(2.5)]", "{w} = [fl(2.5)]", "{w} = [floor(len({r})), ceil(2)]"]
_PLAIN = [*_VALUES, *_CHANGES, *_READS, *_DEFINITIONS, *_IMPORTS]

_MARKDOWN = ["# A heading", "Text about va and `fa(vb)`.", "```python\nva = 1\n```", ""]


@dataclass
class _Bound:
    """What is bound by the time that a statement stands there."""

    values: set[str] = field(default_factory=set)
    functions: set[str] = field(default_factory=set)
    classes: set[str] = field(default_factory=set)
    imports: set[str] = field(default_factory=set)
    parameters: bool = False


def _statement(draw: st.DrawFn, bound: _Bound) -> str:
    every = [*_PLAIN] if bound.values else ["{w} = [1, 2]"] * 8 + _DEFINITIONS[1:3]
    if bound.parameters:
        every += ["{w} = [pa, len({r})]"]
    if bound.functions and bound.values:
        every += _CALLS * 3
    if bound.classes and bound.values:
        every += _CLASS_USES * 2
    if bound.values:
        every += [use for use in _IMPORT_USES if _imported(use) in bound.imports] * 3
    template = draw(st.sampled_from(every))
    known = sorted(bound.values)
    readable = st.sampled_from(known * (80 // (len(known) or 1)) + list(VALUES))
    anything = st.sampled_from(VALUES)
    parts = {
        "r": readable, "s": readable, "a": readable, "b": anything, "w": anything, "v": anything,
        "f": st.sampled_from(FUNCTIONS), "h": st.sampled_from(COROUTINES), "K": st.sampled_from(CLASSES),
        "g": st.sampled_from(sorted(bound.functions) or FUNCTIONS),
    }  # fmt: skip
    wanted = [name for name in parts if f"{{{name}}}" in template]
    chosen = {name: draw(parts[name]) for name in wanted}
    if "v" in chosen and chosen["v"] == chosen["w"]:
        chosen["v"] = next(name for name in VALUES if name != chosen["w"])
    if template == "del {r}":
        bound.values.discard(chosen["r"])
    bound.values |= {chosen[name] for name in ("w", "v") if name in chosen}
    bound.functions |= {chosen["f"]} if "f" in chosen else set()
    bound.classes |= {chosen["K"]} if "class" in template else set()
    bound.imports |= {_imported(template)} - {""}
    return template.format(**chosen)


def _imported(text: str) -> str:
    return next((w for w in ("mod", "fl", "math import *") if w in text), "") or (
        "math import *" if "ceil(" in text else ""
    )


Cells = list[tuple[str, str]]


@st.composite
def notebooks(draw: st.DrawFn, *headers: str, most: int = 6) -> Cells:
    """Cells with headers as of :mod:`small`; the last one belongs to ``main``."""
    bound = _Bound()
    cells: Cells = []
    for header in draw(st.lists(st.sampled_from(headers), min_size=1, max_size=most)):
        if "+markdown" in header:
            source = draw(st.sampled_from(_MARKDOWN))
        elif "+parameters" in header:
            bound.parameters = True
            source = draw(st.sampled_from(["pa: int = 3  # passes [1..9]", "pa = 4"]))
        else:
            count = draw(st.integers(1, 3))
            source = "\n".join(_statement(draw, bound) for _ in range(count))
        cells.append((header, source))
    return [*cells, ("== main", "len([])")]


_values, _functions = st.sampled_from(VALUES), st.sampled_from(FUNCTIONS)
_simple = st.one_of(
    st.builds("{} = [1, 2]".format, _values),
    st.builds("{} = {}[:2] + [3]".format, _values, _values),
    st.builds("{} = [x for x in {}]".format, _values, _values),
    st.builds("{}.append(4)".format, _values),
    st.builds("{} += {}[:1]".format, _values, _values),
    st.builds("{}, {} = {}, {}".format, _values, _values, _values, _values),
    st.builds("len({})".format, _values),
    st.builds("for x in [1, 2]:\n    {}.append(x)".format, _values),
    st.builds("def fa():\n    return {}\nfa()".format, _values),
    st.builds("def fb(p={}):\n    y = p[:1]\n    return y\nfb()".format, _values),
    st.builds("class Ka:\n    size = len({})\nKa()".format, _values),
    st.builds("{}()".format, _functions),
)  # fmt: skip


def simple_notebooks(*headers: str) -> st.SearchStrategy[Cells]:
    """Cells in which every statement runs and every name is read: what is missing fails."""
    sources = st.lists(_simple, min_size=1, max_size=3).map("\n".join)
    cell = st.tuples(st.sampled_from(headers), sources)
    return st.lists(cell, min_size=1, max_size=5).map(
        lambda cells: [*cells, ("== main", "len([])")]
    )


EVERYTHING = (
    "== main", "== main", "== main", "== other", "== other", "== third", "== main other", "==", "==",
    "== +shared", "== +skip", "== +markdown", "== +parameters",
)  # fmt: skip


def text_of(cells: Cells) -> str:
    return "\n".join(f"{header}\n{source}" for header, source in cells)


def components_of(header: str) -> tuple[str, ...]:
    """The components that a cell belongs to; none where it is skipped."""
    words = header.split()[1:]
    return () if "+skip" in words else tuple(w for w in words if not w.startswith("+"))


def is_code(header: str) -> bool:
    return "+markdown" not in header and "+raw" not in header


def python_of(source: str) -> str:
    """The cell without its magics, none of which binds a name by itself."""
    return re.sub(
        r"^%time ", "", re.sub(r"^%matplotlib inline$", "pass", source, flags=re.M), flags=re.M
    )


class _Recorder(dict[str, Any]):
    """The kernel's memory, which remembers who bound a name last and who reads it.

    A ``global`` statement stores past ``__setitem__``: a value that nobody was seen to store is the
    running cell's own.
    """

    def __init__(self) -> None:
        super().__init__({"__name__": "__main__"})
        self.cell = 0
        self.bound_in: dict[str, tuple[int, Any]] = {}
        self.reads: list[tuple[int, str, int]] = []
        import builtins

        super().__setitem__(
            "__builtins__", {**vars(builtins), "__build_class__": self._build_class}
        )

    def __setitem__(self, name: str, value: Any) -> None:
        super().__setitem__(name, value)
        self.bound_in[name] = (self.cell, value)

    def __getitem__(self, name: str) -> Any:
        value = super().__getitem__(name)
        self.read(name, value)
        return value

    def read(self, name: str, value: Any) -> None:
        writer, stored = self.bound_in.get(name, (self.cell, None))
        if stored is value:
            self.reads.append((self.cell, name, writer))
        else:
            self.bound_in[name] = (self.cell, value)

    def seen(self) -> None:
        """Take values that were stored unseen as bound by the cell that has just run."""
        for name, value in self.items():
            if self.bound_in.get(name, (0, self))[1] is not value:
                self.bound_in[name] = (self.cell, value)

    def _build_class(self, body: Any, name: str, *bases: type, **options: Any) -> type:
        """Run a class body with a namespace that shows which globals it reads."""
        recorder = self

        class Body(dict[str, Any]):
            def __missing__(self, key: str) -> Any:
                value = dict.__getitem__(recorder, key)  # a KeyError lets Python go on to builtins
                recorder.read(key, value)
                return value

        class Prepared(type):
            @classmethod
            def __prepare__(mcs, *_: object, **__: object) -> Body:
                return Body()

            def __new__(mcs, name: str, bases: tuple[type, ...], body: Any) -> type:
                return type(name, bases, dict(body))

        import builtins

        return builtins.__build_class__(body, name, *bases, metaclass=Prepared, **options)


@dataclass
class Run:
    """``reads``: (reading cell, name, cell that bound it last); ``error``: what ended the run."""

    reads: list[tuple[int, str, int]]
    error: Exception | None
    output: str


def run(cells: Cells, component: str | None = None) -> Run:
    """Run the cells one after another in one namespace; with ``component`` its own cells alone."""
    memory = _Recorder()
    error: Exception | None = None
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        for number, (header, source) in enumerate(cells):
            if not is_code(header) or component not in (None, *components_of(header)):
                continue
            memory.cell = number
            try:
                exec(compile(python_of(source), f"cell {number}", "exec"), memory)
            except Exception as problem:  # noqa: BLE001 - the generated cell's own failure
                error = problem
                break
            memory.seen()
    return Run(memory.reads, error, stream.getvalue())


def with_shown_values(cells: Cells, component: str) -> Cells:
    """Each cell of the component ends in a line that prints the values that it names."""
    shown: Cells = []
    for header, source in cells:
        named = sorted(set(re.findall(r"\bv[abcd]\b", source)))
        own = component in components_of(header) and bool(named)
        shown.append((header, f"{source}\nprint({', '.join(named)})" if own else source))
    return shown


def printed(statements: list[tuple[bool, str]]) -> list[str] | None:
    """What those marked True print when all run one after another; None where one fails."""
    memory: dict[str, Any] = {"__name__": "__main__"}
    said = []
    for own, source in statements:
        stream = io.StringIO()
        try:
            with contextlib.redirect_stdout(stream):
                exec(compile(source, "statement", "exec"), memory)
        except Exception:  # noqa: BLE001 - the generated cell's own failure
            return None
        if own:
            said.append(stream.getvalue())
    return said
