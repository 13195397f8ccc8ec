"""What one cell's Python does to the notebook's namespace, read from its syntax alone.

Facts know nothing of other cells: they can be kept for as long as the cell's text stays the same.
A :class:`Block` describes code that runs as a whole: a top-level statement, or the body of a
function. Names in it are always names of the notebook's namespace (globals); locals of functions,
comprehensions and class bodies never appear.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any, Literal, Union

BindKind = Literal[
    "assign", "augmented", "import", "star", "function", "class", "target", "magic", "dynamic"
]

NameNode = Union[ast.expr, ast.stmt, ast.alias, ast.excepthandler, ast.pattern]
"""An ast node that has a position."""


@dataclass(slots=True, eq=False)
class Function:
    """A function, lambda, method or stored generator expression and what its body does when it runs.

    ``parameters``: names in positional order. ``owner`` is the class for methods. ``body`` is empty
    until the visitor has read it. ``lazy``: a call makes a generator or coroutine, which runs where it is
    used. Of its parameters: ``parameter_mutations`` are changed
    (``part_mutations``: a part of them),
    ``augmented`` are targets of ``+=`` (which changes only some types), ``gives`` are (in) what it
    returns, ``keeps`` are stored in the first one (``self.rows = rows``), ``calls`` are called.
    """

    name: str
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.GeneratorExp
    cell: int
    parameters: tuple[str, ...]
    body: Block
    owner: Class | None = None
    nested: bool = False
    lazy: bool = False
    parameter_mutations: set[str] = field(default_factory=set)
    part_mutations: set[str] = field(default_factory=set)
    augmented: set[str] = field(default_factory=set)
    gives: set[str] = field(default_factory=set)
    keeps: set[str] = field(default_factory=set)
    calls: set[str] = field(default_factory=set)
    returns: list[ast.expr] = field(default_factory=list)


def in_order(functions: Collection[Function]) -> Collection[Function]:
    """The functions of a set by their places, so that no result depends on where objects lie in memory."""
    if len(functions) < 2:
        return functions
    return sorted(functions, key=lambda f: (f.cell, f.node.lineno, f.node.col_offset))


@dataclass(slots=True, eq=False)
class Class:
    """A class statement: its methods and the functions that its body holds."""

    name: str
    node: ast.ClassDef
    cell: int
    functions: list[Function]
    nested: bool = False


@dataclass(slots=True, eq=False)
class Bind:
    """One binding of a global name. ``value`` is what it is bound to, where the syntax shows it.

    ``module``/``attribute``: what an import binds (``from a.b import c``: ``a.b``, ``c``; ``import
    a.b`` binds ``a`` and has module ``a``; ``import a.b as c``: module ``a.b``). ``part``: the name is
    bound to a part of ``value`` (tuple unpacking, a loop's element).
    """

    name: str
    node: NameNode
    kind: BindKind
    definite: bool
    value: ast.expr | None = None
    part: bool = False
    statement: ast.stmt | None = None
    module: str | None = None
    attribute: str | None = None
    function: Function | None = None
    klass: Class | None = None
    annotation: ast.expr | None = None


@dataclass(slots=True, eq=False)
class Use:
    """A read of a name at ``node``. ``bound``: names the block had surely bound by then.

    ``stored``: the value is only put somewhere (``handlers = [f]``), so nothing runs now.
    """

    name: str
    node: NameNode
    bound: frozenset[str]
    stored: bool


@dataclass(slots=True, eq=False)
class Mutation:
    """A change of the object under ``name``: ``how`` is the method, ``[]``, ``.attr`` or an operator.

    ``chain`` is the target as written (``pd.DataFrame.hello``), ``value`` what is stored. ``deep``: what
    changes is a part of the object (``rows[0].append(x)``).
    """

    name: str
    node: NameNode
    how: str
    chain: tuple[str, ...]
    value: ast.expr | None = None
    deep: bool = False


@dataclass(slots=True, eq=False)
class CallSite:
    """A call of a dotted global name: ``chain`` is (``np``, ``random``, ``seed``)."""

    chain: tuple[str, ...]
    node: ast.Call


_NO_ITEMS: Sequence[Any] = ()
_NO_NODES: Mapping[str, Any] = {}
_NO_NAMES: AbstractSet[str] = frozenset()


class Block:
    """Code that runs as a whole.

    ``exposed``: names read on some path before the block itself has surely bound them, each with the
    first such place. ``uses``: the places where the value of a name may run (see :class:`Use`).
    ``attributes``: every attribute name mentioned, with its first node. ``references``: dotted global
    names mentioned (``("np", "pi")``), with their node. ``modules``: dotted names of
    the modules it imports, also under local names (``local_imports``:
    their paths by those names). ``call_stores``: targets such as ``f().x`` with what
    is stored. ``texts``: arguments of calls that could be the
    name of a file. ``dynamic``: calls of exec, eval, globals and
    the like where the names they touch are not plain in the text; ``dynamic_names``: names that they
    plainly read (``eval("x")``, ``globals()["x"]``). ``guarded``: names whose absence the code expects
    (``"x" in globals()``, ``$x`` in a shell line, a handler for NameError). ``dropped``: names that the
    end of an exception handler unbinds, where it runs. ``magics``: placeholders of IPython syntax in it, by number. ``functions``: functions and
    lambdas defined anywhere in it.
    """

    deleted: Mapping[str, NameNode] = _NO_NODES
    method_calls: Sequence[ast.Call] = _NO_ITEMS
    texts: Sequence[tuple[str, ast.Call]] = _NO_ITEMS
    modules: Mapping[str, NameNode] = _NO_NODES
    local_imports: Mapping[str, str] = _NO_NODES
    call_stores: Sequence[tuple[ast.expr, ast.expr | None]] = _NO_ITEMS
    subscripts: Sequence[ast.Subscript] = _NO_ITEMS
    memberships: Sequence[ast.Compare] = _NO_ITEMS
    dynamic: Sequence[tuple[str, ast.Call]] = _NO_ITEMS
    dynamic_names: Mapping[str, NameNode] = _NO_NODES
    guarded: AbstractSet[str] = _NO_NAMES
    dropped: AbstractSet[str] = _NO_NAMES
    magics: Sequence[tuple[int, ast.Call]] = _NO_ITEMS
    functions: Sequence[Function] = _NO_ITEMS
    ends: bool = False
    # A notebook has thousands of blocks: what most of them have nothing of stands in the class.

    def __init__(self) -> None:
        self.exposed: dict[str, NameNode] = {}
        self.uses: list[Use] = []
        self.binds: list[Bind] = []
        self.mutations: list[Mutation] = []
        self.calls: list[CallSite] = []
        self.attributes: dict[str, NameNode] = {}
        self.references: dict[tuple[str, ...], NameNode] = {}

    def definite(self) -> set[str]:
        """Names that the block has surely bound when it ends."""
        return {bind.name for bind in self.binds if bind.definite}


@dataclass(slots=True, eq=False)
class Statement:
    """A top-level statement of a cell. ``index`` counts from 0 in the cell's tree."""

    cell: int
    index: int
    node: ast.stmt
    block: Block


@dataclass(slots=True, eq=False)
class CellFacts:
    """The facts of one code cell, statement by statement."""

    cell: int
    statements: tuple[Statement, ...]
