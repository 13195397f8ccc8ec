"""A component's code as chunks, and which of them stand at module level in the script.

A chunk is the lines of one top-level statement (of several where they share a line). Imports,
definitions and constants are *hoisted*: functions and classes can then be pickled, and workers that
import the script find them. Everything else stays where the cell has it, inside the main guard.

A chunk is hoisted only where moving it up cannot change what it means:

- each name it binds is bound by nothing else in the component (the same import repeated aside);
- what it reads while it is executed is hoisted too, or a builtin; so is what functions of the
  notebook read that it calls;
- it calls nothing whose answer depends on when it is called (clocks, random numbers, files);
- an import does not move over a change of process state (``os.environ[...] =``, ``sys.path``,
  ``matplotlib.use``) that precedes it; such a change moves along where nothing else precedes it;
- a star import that stays in place ends hoisting, since it may rebind anything.
"""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from nbcomponent.core.trees import walk
from nbcomponent.export.names import BUILTINS, bound_names, called_names, evaluated_names

Kind = Literal["future", "import", "repeated", "state", "definition", "constant", "other"]


@dataclass(frozen=True, slots=True)
class Chunk:
    """Consecutive whole lines of a cell.

    ``lead``: the comment and blank lines between it and the chunk above. ``changes_state``: a magic
    made it that changes the process (``%env``, ``!pip``). ``carried``: it comes from another cell.
    ``displayed``: the notebook shows the value of its last expression.
    """

    cell: int
    code: str
    nodes: tuple[ast.stmt, ...]
    lead: tuple[str, ...] = ()
    changes_state: bool = False
    carried: bool = False
    displayed: bool = False

    @property
    def comment(self) -> tuple[str, ...]:
        """The comment lines right above the code."""
        return tuple(_own_comment(self.lead))


def places(chunks: Sequence[Chunk], given: frozenset[str]) -> tuple[Kind, ...]:
    """Where each chunk stands in the script. ``given`` are names that arguments bind beforehand.

    ``other`` stays inside the guard, ``repeated`` is an import that stands above already.
    """
    kinds = _hoisted(chunks, given)
    seen: set[str] = set()
    for index, (chunk, kind) in enumerate(zip(chunks, kinds, strict=True)):
        if kind in ("import", "future"):
            same = ast.dump(ast.Module(list(chunk.nodes), []))
            if same in seen:
                kinds[index] = "repeated"
            seen.add(same)
    return tuple(kinds)


def _hoisted(chunks: Sequence[Chunk], given: frozenset[str]) -> list[Kind]:
    bound = [frozenset().union(*(bound_names(n) for n in chunk.nodes)) for chunk in chunks]
    bindings = Counter(name for names in bound for name in names)
    bindings.update(given)
    origins = _import_origins(chunks)
    annotations = not any(_is_future(n, "annotations") for chunk in chunks for n in chunk.nodes)
    functions = {
        n.name: n
        for chunk in chunks
        for n in chunk.nodes
        if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
    }
    changing = {name for name, node in functions.items() if changes_process_state(node)}

    def bound_once(names: frozenset[str]) -> bool:
        return all(
            name not in given
            and (bindings[name] == 1 or bindings[name] == origins.get(name, (None, 0))[1])
            for name in names
        )

    hoisted: set[str] = set()
    imported: set[str] = set()
    read_before: set[str] = set()
    kinds: list[Kind] = []
    state_changed = star_stays = plain_before = False
    for chunk, names in zip(chunks, bound, strict=True):
        kind: Kind = "other"
        reads = frozenset().union(
            *(evaluated_names(n, annotations=annotations) for n in chunk.nodes)
        )
        free_to_move = (
            not star_stays
            and bound_once(names)
            and not any(name in read_before and name in BUILTINS for name in names)
        )
        if all(_is_future(n) for n in chunk.nodes):
            kind = "future"
        elif free_to_move and all(map(is_import, chunk.nodes)):
            star = any(_is_star(n) for n in chunk.nodes)
            if not state_changed and not (star and plain_before):
                kind = "import"
        elif free_to_move and all(map(_is_definition, chunk.nodes)):
            needed = reads | _called(reads, functions)
            timely = any(_depends_on_time(n) for n in chunk.nodes)
            if needed <= hoisted | names | _SAFE_BUILTINS and not timely:
                kind = "definition"
        elif free_to_move and all(map(_is_constant, chunk.nodes)):
            kind = "constant"
        elif (
            not plain_before
            and not names
            and all(_is_state_statement(n) for n in chunk.nodes)
            and reads <= imported | _SAFE_BUILTINS
        ):
            kind = "state"
        kinds.append(kind)
        if kind == "other":
            star_stays = star_stays or any(_is_star(n) for n in chunk.nodes)
            state_changed = state_changed or _changes_state(chunk, changing)
            plain_before = True
        elif kind != "future":
            hoisted |= names
            imported |= names if kind == "import" else frozenset()
        read_before |= reads
        read_before |= frozenset().union(*(called_names(n) for n in chunk.nodes))
    return _drop_unneeded_constants(chunks, kinds, bound, functions)


_SAFE_BUILTINS = (BUILTINS | {"__nbc_os__"}) - {
    "print",
    "input",
    "open",
    "exec",
    "eval",
    "globals",
    "locals",
    "vars",
    "next",
}


def _drop_unneeded_constants(
    chunks: Sequence[Chunk],
    kinds: list[Kind],
    bound: Sequence[frozenset[str]],
    functions: Mapping[str, ast.stmt],
) -> list[Kind]:
    """A constant leaves its cell only where a definition reads it, or where it is written as one."""
    needed: set[str] = set()
    for chunk, kind in zip(chunks, kinds, strict=True):
        if kind == "definition":
            for node in chunk.nodes:
                needed |= evaluated_names(node) | called_names(node)
    return [
        "other"
        if kind == "constant"
        and not (chunk.carried or names & needed or all(name.isupper() for name in names))
        else kind
        for chunk, kind, names in zip(chunks, kinds, bound, strict=True)
    ]


def _import_origins(chunks: Sequence[Chunk]) -> dict[str, tuple[str, int]]:
    """For each name that imports bind: where from, and how many chunks import it the same way."""
    origins: dict[str, tuple[str, int]] = {}
    for chunk in chunks:
        for node in chunk.nodes:
            if not isinstance(node, (ast.Import, ast.ImportFrom)):
                continue
            for alias in node.names:
                name, origin = import_origin(node, alias)
                former, count = origins.get(name, (origin, 0))
                origins[name] = (origin, count + 1) if former == origin else (former, -1)
    return origins


def import_origin(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> tuple[str, str]:
    """The name that ``alias`` binds, and what it stands for."""
    if isinstance(node, ast.ImportFrom):
        return alias.asname or alias.name, f"{'.' * node.level}{node.module or ''}:{alias.name}"
    if alias.asname:
        return alias.asname, alias.name
    root = alias.name.partition(".")[0]
    return root, root


def is_import(node: ast.stmt) -> bool:
    """An import, or ``try: import ... except ImportError: ...`` as a whole."""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return not _is_future(node)
    if not isinstance(node, ast.Try) or node.finalbody:
        return False
    handled = all(
        h.type is not None
        and all(n in ("ImportError", "ModuleNotFoundError") for n in _dotted_names(h.type))
        for h in node.handlers
    )
    parts = [*node.body, *node.orelse, *(s for h in node.handlers for s in h.body)]
    return (
        handled
        and any(map(is_import, node.body))
        and all(is_import(s) or isinstance(s, ast.Pass) or _is_constant(s) for s in parts)
    )


def _dotted_names(node: ast.expr) -> list[str]:
    return (
        [dotted(n) or "?" for n in node.elts]
        if isinstance(node, ast.Tuple)
        else [dotted(node) or "?"]
    )


def _is_future(node: ast.stmt, feature: str | None = None) -> bool:
    return (
        isinstance(node, ast.ImportFrom)
        and node.module == "__future__"
        and (feature is None or any(a.name == feature for a in node.names))
    )


def _is_star(node: ast.stmt) -> bool:
    return any(
        isinstance(n, ast.ImportFrom) and any(a.name == "*" for a in n.names) for n in walk(node)
    )


_MAKE_CLASSES = frozenset({"namedtuple", "NamedTuple", "Enum", "IntEnum"})


def _is_definition(node: ast.stmt) -> bool:
    """A function, a class, or ``Point = namedtuple("Point", "x y")``, which must pickle likewise."""
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
        call = node.value
        arguments = [*call.args, *(k.value for k in call.keywords)]
        return (
            len(node.targets) == 1
            and isinstance(node.targets[0], ast.Name)
            and (dotted(call.func) or "").rpartition(".")[2] in _MAKE_CLASSES
            and all(map(is_literal, arguments))
        )
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))


def _is_constant(node: ast.stmt) -> bool:
    if isinstance(node, ast.Assign):
        return all(isinstance(t, ast.Name) for t in node.targets) and is_literal(node.value)
    return (
        isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and node.value is not None
        and is_literal(node.value)
        and all(
            isinstance(n, (ast.Name, ast.Constant)) and _is_builtin(n)
            for n in _leaves(node.annotation)
        )
    )


def _is_builtin(node: ast.AST) -> bool:
    return not isinstance(node, ast.Name) or hasattr(builtins, node.id)


def _leaves(node: ast.expr) -> list[ast.AST]:
    return [n for n in walk(node) if isinstance(n, (ast.Name, ast.Constant, ast.Attribute))]


def is_literal(node: ast.expr) -> bool:
    """A value made of literals only: numbers, text, containers of them, arithmetic on numbers."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return all(map(is_literal, node.elts))
    if isinstance(node, ast.Dict):
        return all(k is not None and is_literal(k) for k in node.keys) and all(
            map(is_literal, node.values)
        )
    if isinstance(node, ast.UnaryOp):
        return is_literal(node.operand)
    if isinstance(node, ast.BinOp):
        return is_literal(node.left) and is_literal(node.right)
    return False


def _called(names: frozenset[str], functions: Mapping[str, ast.stmt]) -> set[str]:
    """What the notebook's functions among ``names`` read when called, transitively."""
    found: set[str] = set()
    waiting = [n for n in names if n in functions]
    done: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in done:
            continue
        done.add(name)
        reads = called_names(functions[name])
        found |= reads
        waiting += [n for n in reads if n in functions]
    return found


_TIMELY_PARTS = frozenset(
    [
        "random",
        "rand",
        "randn",
        "randint",
        "seed",
        "manual_seed",
        "time",
        "now",
        "today",
        "utcnow",
        "uuid",
        "uuid1",
        "uuid4",
        "getenv",
        "environ",
        "getcwd",
        "cwd",
        "urandom",
        "token_hex",
        "perf_counter",
        "monotonic",
        "read_csv",
        "read_parquet",
        "load",
    ]
)
_TIMELY_ROOTS = frozenset({"torch", "tensorflow", "tf", "keras", "nn"})


def _depends_on_time(node: ast.stmt) -> bool:
    """Whether executing the definition calls something whose answer depends on when."""
    decorators = {id(d) for n in walk(node) for d in getattr(n, "decorator_list", ())}
    bodies = _code_run_later(node)
    for child in walk(node):
        if id(child) in bodies or not isinstance(child, (ast.Call, ast.Attribute, ast.Subscript)):
            continue
        function = child.func if isinstance(child, ast.Call) else child
        name = dotted(function)
        if name is None:
            continue
        parts = name.split(".")
        if _TIMELY_PARTS & set(parts):
            return True
        if isinstance(child, ast.Call) and parts[0] in ("print", "input", "open", "next"):
            return True
        if (
            isinstance(child, ast.Call)
            and id(child) not in decorators
            and parts[0] in _TIMELY_ROOTS
        ):
            return True
    return False


def _code_run_later(node: ast.stmt) -> set[int]:
    later: set[int] = set()
    for child in walk(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            later.update(id(n) for statement in child.body for n in walk(statement))
        elif isinstance(child, ast.Lambda):
            later.update(id(n) for n in walk(child.body))
    return later


_STATE_CALLS = frozenset(
    [
        "os.putenv",
        "os.unsetenv",
        "os.chdir",
        "os.umask",
        "sys.path.append",
        "sys.path.insert",
        "sys.path.extend",
        "sys.path.remove",
        "os.environ.update",
        "os.environ.setdefault",
        "os.environ.pop",
        "os.environ.clear",
        "environ.update",
        "environ.setdefault",
        "matplotlib.use",
        "mpl.use",
        "warnings.filterwarnings",
        "warnings.simplefilter",
        "multiprocessing.set_start_method",
        "mp.set_start_method",
        "site.addsitedir",
        "locale.setlocale",
        "chdir",
        "load_dotenv",
        "dotenv.load_dotenv",
        "logging.disable",
        "importlib.reload",
        "importlib.invalidate_caches",
        "reload",
    ]
)
_STATE_TARGETS = ("os.environ", "environ", "sys.path", "sys.modules")


def changes_process_state(node: ast.AST) -> bool:
    """Whether the code sets what imports may look at: environment, paths, back ends, filters."""
    for child in walk(node):
        if isinstance(child, ast.Call) and dotted(child.func) in _STATE_CALLS:
            return True
        if isinstance(child, (ast.Subscript, ast.Attribute)) and not isinstance(
            child.ctx, ast.Load
        ):
            target = child.value if isinstance(child, ast.Subscript) else child
            if dotted(target) in _STATE_TARGETS:
                return True
        if (
            isinstance(child, ast.Constant)
            and isinstance(child.value, str)
            and child.value.endswith(".py")
        ):
            return True  # A module that the code may write before it imports it.
    return False


def _is_state_statement(node: ast.stmt) -> bool:
    """``os.environ["X"] = "1"`` and the like, with nothing else in it."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        plain = [*node.value.args, *(k.value for k in node.value.keywords)]
        return dotted(node.value.func) in _STATE_CALLS and all(
            is_literal(a) or dotted(a) is not None for a in plain
        )
    return (
        isinstance(node, ast.Assign)
        and is_literal(node.value)
        and all(
            isinstance(t, ast.Subscript) and dotted(t.value) in _STATE_TARGETS for t in node.targets
        )
    )


def _changes_state(chunk: Chunk, changing: set[str]) -> bool:
    if chunk.changes_state or any(map(changes_process_state, chunk.nodes)):
        return True
    return any(
        isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id in changing
        for node in chunk.nodes
        for n in walk(node)
    )


def dotted(node: ast.expr) -> str | None:
    """``a.b.c`` of a chain of attributes on a name, else None."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    root = "os" if node.id == "__nbc_os__" else node.id  # `%env` as code, see plain.py
    return ".".join([root, *reversed(parts)])


def split_cell(
    cell: int,
    code: str,
    *,
    carried: frozenset[int] | None = None,
    changing: frozenset[int] = frozenset(),
) -> tuple[list[Chunk], str]:
    """The chunks of a cell whose code is plain Python, and the comment at its end.

    ``carried``: only these top-level statements are wanted, each for itself. ``changing``: indexes of
    statements that a magic made and that change the process.
    """
    tree = ast.parse(code)
    lines = code.split("\n")
    groups: list[list[int]] = []
    end = 0
    for index, node in enumerate(tree.body):
        if groups and first_line(node) <= end:
            groups[-1].append(index)
        else:
            groups.append([index])
        end = node.end_lineno or node.lineno
    chunks: list[Chunk] = []
    previous = 0
    for group in groups:
        nodes = [tree.body[i] for i in group]
        first, last = first_line(nodes[0]), nodes[-1].end_lineno or nodes[-1].lineno
        gap = lines[previous : first - 1]
        text = "\n".join(lines[first - 1 : last])
        previous = last
        if carried is not None:
            wanted = [i for i in group if i in carried]
            if not wanted:
                continue
            if len(wanted) < len(group):
                nodes = [tree.body[i] for i in wanted]
                text = "\n".join(
                    ast.get_source_segment(code, n, padded=True) or ast.unparse(n) for n in nodes
                )
            gap = _own_comment(gap)
        chunks.append(
            Chunk(
                cell,
                text,
                tuple(nodes),
                tuple(gap),
                changes_state=any(i in changing for i in group),
                carried=carried is not None,
            )
        )
    rest = "" if carried is not None else "\n".join(lines[previous:]).strip("\n")
    if chunks and carried is None:
        chunks[-1] = replace(chunks[-1], displayed=_is_displayed(tree, code))
    return chunks, rest


def first_line(node: ast.stmt) -> int:
    """The first line of a statement, its decorators included."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min(node.lineno, *(d.lineno for d in decorators)) if decorators else node.lineno


def _own_comment(gap: Sequence[str]) -> list[str]:
    """The comment lines right above a statement."""
    kept: list[str] = []
    for line in reversed(gap):
        if not line.lstrip().startswith("#"):
            break
        kept.append(line)
    return kept[::-1]


def _is_displayed(tree: ast.Module, code: str) -> bool:
    """Whether a notebook shows the value of the last statement: an expression without ``;`` after it."""
    node = tree.body[-1]
    if not isinstance(node, ast.Expr):
        return False
    lines = code.split("\n")
    end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or 0
    rest = [lines[end_line - 1].encode()[end_column:].decode(), *lines[end_line:]]
    return not any(part.lstrip(" \t\\)").startswith(";") for part in rest)
