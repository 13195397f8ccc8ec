"""The script of a component: its cells, and around them arguments, checks and stored values."""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import groupby
from pathlib import Path, PurePosixPath

from nbcomponent.analysis.model import ComponentAnalysis
from nbcomponent.contract.model import Interface
from nbcomponent.core.trees import children, walk
from nbcomponent.export.chunks import (
    Chunk,
    Kind,
    changes_process_state,
    dotted,
    import_origin,
    places,
    split_cell,
)
from nbcomponent.export.imports import grouped, needed_only
from nbcomponent.export.names import Taken, all_names, bound_names, called_names, evaluated_names
from nbcomponent.export.plain import STAND_IN, Capture, plain_cell
from nbcomponent.export.quiet import Quiet
from nbcomponent.export.skeleton import Skeleton, skeleton
from nbcomponent.export.text import indent_code, replace_spans, span_of
from nbcomponent.notebook.model import TaggedNotebook

_DISPLAY_MODULES = frozenset(
    {"IPython.display", "IPython.core.display", "IPython.core.display_functions"}
)

_PRINTING = frozenset({"print", "pprint", "str", "repr", "format"})
"""Names of functions that make text of a table."""


@dataclass(frozen=True, slots=True)
class Script:
    """A component's script. ``modules``: libraries that the exporter's own code needs.

    ``trees``: the code of the cells, as plain Python, for whoever looks at its imports.
    ``companions``: modules that must stand beside the script, by file name.
    """

    name: str
    text: str
    modules: tuple[str, ...]
    trees: tuple[ast.stmt, ...]
    companions: Mapping[str, bytes] = field(default_factory=dict)


class InvalidScript(Exception):
    """What was generated is not what was meant: a fault of the exporter, never of the user."""


@dataclass(frozen=True, slots=True)
class _Cell:
    index: int
    chunks: tuple[Chunk, ...]
    rest: str
    own: bool
    capture: Capture | None


def script_name(component: str) -> str:
    """``run_train.py``: a script ``train.py`` or ``statistics.py`` would hide the module it imports."""
    return f"run_{component}.py"


def _nothing(asked: object) -> bool:
    return False


def write_script(
    tagged: TaggedNotebook,
    component: ComponentAnalysis,
    interface: Interface,
    exact_outputs: frozenset[str] = frozenset(),
    plain_tables: frozenset[str] = frozenset(),
    *,
    is_local: Callable[[str], bool] = _nothing,
    has_tables: Callable[[Sequence[ast.stmt]], bool] = _nothing,
) -> Script:
    """The script ``run_<component>.py``.

    ``exact_outputs``: outputs that ``--boundary auto`` made, whose values must survive storing.
    ``plain_tables``: variables that cross as tables without None.
    ``is_local`` tells of a top-level module whether it lies beside the notebook, ``has_tables`` of the
    component's code whether pandas may print what it prints.
    Raises :class:`InvalidScript` when the outcome does not parse or declares other arguments than the
    interface.
    """
    cells = _cells(tagged, component, frozenset(p.variable for p in interface.outputs))
    chunks = [chunk for cell in cells for chunk in cell.chunks]
    given = frozenset(p.name for p in interface.parameters)
    given |= {p.variable for p in (*interface.inputs, *interface.outputs) if p.binds_path}
    given |= {p.variable for p in interface.inputs}
    kinds = places(chunks, given)
    nodes = [node for chunk in chunks for node in chunk.nodes]
    names = {name for node in nodes for name in all_names(node)} | given
    names |= {p.variable for p in interface.outputs}
    # A star import may bind any name that does not begin with an underscore.
    taken = Taken(names, private=any(_has_star(node) for node in nodes))
    bound = {name for node in nodes for name in bound_names(node)}
    reads = {n for node in nodes for n in evaluated_names(node) | called_names(node)}
    display = "display" in reads and "display" not in bound | given
    origins = _origins(chunks, kinds)
    quiet = Quiet(nodes, origins, interface)
    shows = any(_shown(c, k, quiet) is not None for c, k in zip(chunks, kinds, strict=True))
    show = taken.fresh("show") if shows else None
    display_module = _display_module(is_local)
    asynchronous = any(
        _awaits(n) for c, k in zip(chunks, kinds, strict=True) if k == "other" for n in c.nodes
    )
    main = taken.fresh("main") if asynchronous else None
    prints = shows or display or bool(names & _PRINTING) or any(map(_has_template, nodes))
    parts = skeleton(
        interface,
        taken,
        origins,
        description=_summary(tagged, interface),
        exact_outputs=exact_outputs,
        plain_tables=plain_tables,
        packages=any(map(_imports_packages, nodes)),
        absolute_paths=any(_changes_folder(node) for node in nodes),
        asynchronous=asynchronous,
        displays=_display_imports(display_module, show, display=display),
        stand_ins=_stand_ins(cells),
        tables=prints and has_tables(nodes),
    )
    text = "\n".join(_sections(tagged, interface, cells, kinds, parts, show, quiet, main, is_local))
    text = STAND_IN.sub(lambda match: parts.replaced[match[1]], text)
    text = re.sub(r"\n+\Z", "\n", text + "\n")
    _verify(text, interface)
    companions = {f"{display_module}.py": _display_code()} if parts.displays else {}
    return Script(script_name(component.name), text, parts.modules, tuple(nodes), companions)


# The cells


def _has_star(node: ast.AST) -> bool:
    return any(isinstance(n, ast.alias) and n.name == "*" for n in walk(node))


def _imports_packages(node: ast.AST) -> bool:
    for part in walk(node):
        if isinstance(part, ast.Import):
            modules = [a.name for a in part.names]
        elif isinstance(part, ast.ImportFrom):
            modules = ["." * part.level + (part.module or "")]
        else:
            continue
        if any(m.partition(".")[0] not in sys.stdlib_module_names for m in modules):
            return True
    return False


def _has_template(node: ast.AST) -> bool:
    return any(isinstance(n, ast.JoinedStr) for n in walk(node))


def _known_names(tagged: TaggedNotebook, component: ComponentAnalysis) -> frozenset[str]:
    """Names that may have a value where ``{x}`` or ``$x`` stands: others stay text, as in IPython.

    None are looked for where no cell of the component holds IPython syntax.
    """
    cells = {*component.cells, *(c.cell for c in component.carried)}
    if not any(tagged.code[index].magics for index in cells):
        return frozenset()
    known = {*component.binds, *(d.name for d in component.dependencies)}
    for code in tagged.code.values():
        nodes = list(code.tree.body) if code.tree is not None else []
        for magic in code.magics:
            known.update(name for name, _, _ in magic.binds)
            if magic.code is not None and magic.code_scope == "namespace":
                nodes += magic.code.body
        for node in nodes:
            known |= bound_names(node)
    return frozenset(known)


def _cells(
    tagged: TaggedNotebook, component: ComponentAnalysis, stored: frozenset[str]
) -> list[_Cell]:
    carried: dict[int, set[int]] = {}
    for item in component.carried:
        carried.setdefault(item.cell, set()).add(item.index)
    known = _known_names(tagged, component)
    cells = []
    for index in sorted({*component.cells, *carried}):
        code = tagged.code[index]
        own = index in component.cells
        plain = plain_cell(code, known)
        wanted = None
        if not own:
            wanted = frozenset(
                i for i, origin in enumerate(plain.statement_of) if origin in carried[index]
            )
        source = _without_directives(plain.code)
        chunks, rest = split_cell(index, source, carried=wanted, changing=plain.changing)
        chunks = [c for chunk in chunks if (c := _without_display_import(chunk)) is not None]
        if plain.capture is not None:  # What is displayed is captured too, apart from the text.
            chunks = [replace(chunk, displayed=False) for chunk in chunks]
        cells.append(_Cell(index, tuple(chunks), rest, own, plain.capture if own else None))
    needed = iter(needed_only([chunk for cell in cells for chunk in cell.chunks], stored))
    return [replace(cell, chunks=tuple(next(needed) for _ in cell.chunks)) for cell in cells]


def _without_directives(code: str) -> str:
    """The code without ``#| component: train`` and the like at its top."""
    lines = code.split("\n")
    for number, line in enumerate(lines):
        if line.strip() and not line.startswith("#"):
            break
        if line.startswith("#|"):
            lines[number] = ""
    return "\n".join(lines)


def _without_display_import(chunk: Chunk) -> Chunk | None:
    """The chunk without imports of IPython's ``display``, which the script has a function for."""
    edits: list[tuple[int, int, str]] = []
    for statement in chunk.nodes:
        for node in walk(statement):
            if not (isinstance(node, ast.ImportFrom) and node.module in _DISPLAY_MODULES):
                continue
            kept = [a for a in node.names if not (a.name == "display" and a.asname is None)]
            if len(kept) == len(node.names):
                continue
            code = ast.unparse(ast.ImportFrom(node.module, kept, node.level)) if kept else "pass"
            whole = ast.parse(chunk.code)
            same = next(
                n
                for n in walk(whole)
                if isinstance(n, ast.ImportFrom) and ast.dump(n) == ast.dump(node)
            )
            edits.append((*span_of(chunk.code, same), code))
    if not edits:
        return chunk
    text = replace_spans(chunk.code, set(edits))
    nodes = ast.parse(text).body
    if all(isinstance(n, ast.Pass) for n in nodes):
        return None
    return _with_code(chunk, text)


def _with_code(chunk: Chunk, code: str) -> Chunk:
    return replace(chunk, code=code, nodes=tuple(ast.parse(code).body))


# What is displayed


def _display_module(is_local: Callable[[str], bool]) -> str:
    """The name of the module that prints what a notebook displays, free beside the notebook."""
    name = "notebook_display"
    while is_local(name):
        name += "_"
    return name


def _display_imports(module: str, show: str | None, *, display: bool) -> tuple[str, ...]:
    names = ["display"] if display else []
    if show is not None:
        names.append("show" if show == "show" else f"show as {show}")
    return (f"from {module} import {', '.join(names)}",) if names else ()


@cache
def _display_code() -> bytes:
    return Path(__file__).with_name("notebook_display.py").read_bytes()


def _shown(chunk: Chunk, kind: Kind, quiet: Quiet) -> ast.expr | None:
    """The expression whose value the chunk must print."""
    last = chunk.nodes[-1]
    if not chunk.displayed or kind != "other" or not isinstance(last, ast.Expr):
        return None
    return None if quiet.is_quiet(last.value) else last.value


def _with_show(chunk: Chunk, kind: Kind, quiet: Quiet, show: str | None) -> str:
    if show is None or _shown(chunk, kind, quiet) is None:
        return chunk.code
    statement = ast.parse(chunk.code).body[-1]
    assert isinstance(statement, ast.Expr)
    start, end = span_of(chunk.code, statement.value)
    expression = chunk.code[start:end]
    call = f"{show}({expression})"
    tree = ast.parse(call).body[0]
    assert isinstance(tree, ast.Expr)
    assert isinstance(tree.value, ast.Call)
    arguments = tree.value.args
    if len(arguments) != 1 or ast.dump(arguments[0]) != ast.dump(statement.value):
        call = f"{show}(({expression}))"
    return replace_spans(chunk.code, [(start, end, call)])


def _origins(chunks: Sequence[Chunk], kinds: Sequence[Kind]) -> dict[str, str]:
    """What the names that hoisted imports bind stand for."""
    return {
        name: origin
        for chunk, kind in zip(chunks, kinds, strict=True)
        if kind == "import"
        for node in chunk.nodes
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
        if alias.name != "*"
        for name, origin in [import_origin(node, alias)]
    }


def _awaits(node: ast.AST) -> bool:
    """Whether the module itself awaits something in the statement."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        return False
    if isinstance(node, (ast.Await, ast.AsyncFor, ast.AsyncWith)):
        return True
    if isinstance(node, ast.comprehension) and node.is_async:
        return True
    return any(map(_awaits, children(node)))


def _changes_folder(node: ast.stmt) -> bool:
    return any(
        isinstance(n, ast.Call) and (dotted(n.func) or "").rpartition(".")[2] == "chdir"
        for n in walk(node)
    )


# The text


def _summary(tagged: TaggedNotebook, interface: Interface) -> str:
    if interface.description:
        return " ".join(interface.description.split()).replace("%", "%%")
    name = PurePosixPath(tagged.notebook.path.replace("\\", "/")).name
    return f"{interface.component}, from {name}".replace("%", "%%")


def _docstring(tagged: TaggedNotebook, interface: Interface) -> str:
    name = PurePosixPath(tagged.notebook.path.replace("\\", "/")).name
    lines = [f"Component {interface.component} of the notebook {name}."]
    if interface.description:
        lines += ["", *textwrap.wrap(" ".join(interface.description.split()), 84)]
    if interface.invalid_when:
        lines += ["", "The data are invalid when:"]
        for reason in interface.invalid_when:
            lines += textwrap.wrap(reason, 84, initial_indent="- ", subsequent_indent="  ")
    body = "\n".join(lines).replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    if body.endswith('"'):
        body += " "
    return f'"""{body}"""' if len(lines) == 1 else f'"""{body}\n"""'


def _sections(
    tagged: TaggedNotebook,
    interface: Interface,
    cells: Sequence[_Cell],
    kinds: Sequence[Kind],
    parts: Skeleton,
    show: str | None,
    quiet: Quiet,
    main: str | None,
    is_local: Callable[[str], bool],
) -> Iterable[str]:
    kind_of = dict(zip((id(c) for cell in cells for c in cell.chunks), kinds, strict=True))
    chunks = [c for cell in cells for c in cell.chunks]
    yield _docstring(tagged, interface)
    yield ""
    future = [c for c in chunks if kind_of[id(c)] == "future"]
    for chunk in future:
        yield from _commented(chunk)
    if future:
        yield ""
    yield from _imports(chunks, kind_of, parts, is_local)
    yield from _definitions(tagged, cells, kind_of)
    for helper in parts.helpers:
        yield from ("", "", helper.rstrip("\n"))
    yield from ("", "")
    body = "\n".join(_body(tagged, cells, kind_of, parts, show, quiet)).strip("\n")
    if main is None:
        yield 'if __name__ == "__main__":'
        yield indent_code(body)
        return
    names = {
        n
        for c in chunks
        if kind_of[id(c)] == "other"
        for node in c.nodes
        for n in bound_names(node)
    }
    start = [n for line in parts.start for n in bound_names(ast.parse(line).body[0])]
    yield f"async def {main}() -> None:"
    yield '    """Run the cells, which await something."""'
    for name in sorted({*names, *start}):
        yield f"    global {name}"
    yield ""
    yield indent_code(_without_annotations(body))
    yield from ("", "", 'if __name__ == "__main__":', f"    {parts.asyncio}.run({main}())")


def _imports(
    chunks: Sequence[Chunk],
    kind_of: dict[int, Kind],
    parts: Skeleton,
    is_local: Callable[[str], bool],
) -> Iterable[str]:
    """The imports, and the changes of the process that stand between them, in blocks."""
    above = [c for c in chunks if kind_of[id(c)] in ("import", "state")]
    runs = [(kind, list(run)) for kind, run in groupby(above, key=lambda c: kind_of[id(c)])]
    if not runs or runs[0][0] == "state":
        runs.insert(0, ("import", []))
    last = (*parts.libraries, *parts.displays)
    beside = {line.split()[1] for line in parts.displays}
    if last and runs[-1][0] == "state":
        runs.append(("import", []))
    for number, (kind, run) in enumerate(runs):
        if number:
            yield ""
        if kind == "state":
            for chunk in run:
                yield from _commented(chunk)
            continue
        first = parts.standard if number == 0 else ()
        ours = (*first, *(last if number == len(runs) - 1 else ()))
        lines = grouped(ours, run, lambda m: m in beside or is_local(m))
        yield from lines if lines is not None else _as_written(first, run, ours[len(first) :])


def _as_written(
    first: Sequence[str], chunks: Sequence[Chunk], last: Sequence[str]
) -> Iterable[str]:
    """Imports in the notebook's order and layout, between those of the script."""
    yield from first
    for number, chunk in enumerate(chunks):
        if (number or first) and (number == 0 or any(not line.strip() for line in chunk.lead)):
            yield ""
        yield from _commented(chunk)
    if last:
        yield ""
        yield from last


def _commented(chunk: Chunk) -> Iterable[str]:
    yield from chunk.comment
    yield chunk.code


def _definitions(
    tagged: TaggedNotebook, cells: Sequence[_Cell], kind_of: dict[int, Kind]
) -> Iterable[str]:
    former: Kind | None = None
    for cell in cells:
        whole = all(kind_of[id(c)] != "other" for c in cell.chunks)
        first = True
        for chunk in cell.chunks:
            kind = kind_of[id(chunk)]
            if kind not in ("definition", "constant"):
                continue
            heading = _context(tagged, cell) if whole and first and cell.own else []
            if kind == "definition" or former == "definition":
                yield from ("", "")
            elif former is None or first or heading or any(not line.strip() for line in chunk.lead):
                yield ""
            yield from heading
            yield from chunk.comment
            yield chunk.code
            former, first = kind, False


def _body(
    tagged: TaggedNotebook,
    cells: Sequence[_Cell],
    kind_of: dict[int, Kind],
    parts: Skeleton,
    show: str | None,
    quiet: Quiet,
) -> Iterable[str]:
    yield from parts.start
    former: _Cell | None = None
    for cell in cells:
        lines: list[str] = []
        loose: list[str] = []
        for chunk in cell.chunks:
            kind = kind_of[id(chunk)]
            if kind != "other":
                loose += chunk.lead[: len(chunk.lead) - len(chunk.comment)]
                continue
            lines += _few_blanks([*loose, *chunk.lead], at_start=not lines)
            loose = []
            lines.append(_with_show(chunk, kind, quiet, show))
        if not lines:
            continue
        if cell.rest:
            lines += _few_blanks([*loose, *cell.rest.split("\n")], at_start=False)
        yield ""
        if cell.own:
            yield from _context(tagged, cell) or ["# %%"]
        elif former is None or former.own:
            yield "# From other cells of the notebook."
        former = cell
        yield _captured("\n".join(lines), cell.capture)
    if parts.end:
        yield from ("", "# The outputs.", *parts.end)


def _captured(code: str, capture: Capture | None) -> str:
    """The code of a cell whose output ``%%capture`` takes."""
    if capture is None or not (capture.stdout or capture.stderr):
        return code
    streams = [
        s for s, wanted in (("stdout", capture.stdout), ("stderr", capture.stderr)) if wanted
    ]
    items = [
        f"    __nbc_contextlib__.redirect_{s}(__nbc_io__.StringIO()) as __nbc_{s}__,\n"
        for s in streams
    ]
    text = f"with (\n{''.join(items)}):\n{indent_code(code)}"
    if capture.name is not None:
        values = [f"__nbc_{s}__.getvalue()" if s in streams else '""' for s in ("stdout", "stderr")]
        text += f"\n{capture.name} = __nbc_captured__({', '.join(values)})"
    return text


def _stand_ins(cells: Sequence[_Cell]) -> set[str]:
    """Modules, helpers and variables that translated IPython syntax needs."""
    found = {m for cell in cells for c in cell.chunks for m in STAND_IN.findall(c.code)}
    for cell in cells:
        if cell.capture is not None:
            found |= set(STAND_IN.findall(_captured("pass", cell.capture)))
    return found


def _few_blanks(lines: Sequence[str], *, at_start: bool) -> list[str]:
    """Comment and blank lines with at most one blank line in a row, none at the start."""
    kept: list[str] = []
    for line in lines:
        if line.strip() or (kept and kept[-1].strip()) or (not kept and not at_start):
            kept.append(line.rstrip())
    return kept


_HEADING = re.compile(r"#{1,6}\s+(\S.*)$")


_NO_TEXT = re.compile("[\0\ud800-\udfff]")
"""What JSON can hold and no Python file can, not even in a comment."""


def _context(tagged: TaggedNotebook, cell: _Cell) -> list[str]:
    """The heading and the short text that the notebook has right above the cell, as comments."""
    text = ""
    for index in range(cell.index - 1, -1, -1):
        above = tagged.notebook.cells[index]
        if above.kind == "code":
            break
        if above.kind == "markdown" and tagged.roles[index].contract_for is None:
            text = _NO_TEXT.sub("\ufffd", above.source)
            break
    heading = ""
    words: list[str] = []
    for line in text.split("\n"):
        match = _HEADING.match(line.strip())
        if match:
            if words:
                break
            heading = match[1].rstrip("#").rstrip()
        elif line.strip():
            words.append(line.strip())
        elif words:
            break
    plain = " ".join(words)
    lines = [f"# %% {heading}"] if heading else []
    if plain and plain[0] not in "|<!$>-*`" and len(plain) <= 300:
        lines = lines or ["# %%"]
        lines += [f"# {line}" for line in textwrap.wrap(plain, 80)]
    return [line.rstrip() for line in lines]


def _without_annotations(code: str) -> str:
    """The code with ``x: int = 1`` as ``x = 1``: a name that is global in a function has no annotation."""
    edits: list[tuple[int, int, str]] = []
    waiting: list[ast.AST] = list(ast.parse(code).body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            start, end = span_of(code, node)
            text = "pass"
            if node.value is not None:
                value_start, value_end = span_of(code, node.value)
                if code[value_end:end].strip():  # The value stands in brackets that belong to it.
                    value_end = end
                opening = code.rfind("=", start, value_start)
                text = f"{node.target.id} ={code[opening + 1 : value_end]}"
            edits.append((start, end, text))
        waiting += children(node)
    return replace_spans(code, edits)


# Proof


def _verify(text: str, interface: Interface) -> None:
    """Parse back what was written: it compiles, and its arguments are the interface's."""
    try:
        tree = ast.parse(text)
        compile(text, script_name(interface.component), "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        raise InvalidScript(f"{interface.component}: {error}") from error
    found = [
        str(call.args[0].value)
        for function in tree.body
        if isinstance(function, ast.FunctionDef)
        for statement in function.body
        if isinstance(statement, ast.Expr) and isinstance(call := statement.value, ast.Call)
        if dotted(call.func) == "parser.add_argument"
        if call.args and isinstance(call.args[0], ast.Constant)
    ]
    wanted = [port.name for port in interface.inputs]
    wanted += [interface.argument(p.name) for p in interface.parameters]
    wanted += [port.name for port in interface.outputs]
    if found[: len(wanted)] != [f"--{name}" for name in wanted]:
        raise InvalidScript(f"{interface.component}: arguments {found} are not {wanted}")


__all__ = ["InvalidScript", "Script", "changes_process_state", "script_name", "write_script"]
