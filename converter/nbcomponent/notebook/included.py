"""``%run other.ipynb`` and ``%run script.py``: the code that a cell runs from a file beside the notebook.

What such a line does is what the other file's code does, so that code is put in its place, and all that
follows (dependencies, definitions, the exported script) sees it as if it stood in the cell. Findings keep
the places of the file that the user has open: :class:`Inclusions` takes them back.

What IPython does (``ExecutionMagics.run`` and ``InteractiveShell.safe_execfile_ipy`` of IPython 8 and 9):

- a notebook (or ``.ipy`` file) runs in the notebook's own namespace, cell after cell, and displays no values;
- a script runs in a new namespace as ``__main__``, which is then copied into the notebook's: the same as
  its text in the cell only where neither sees names of the other, which :func:`_keeps_to_itself` tests.

The line stays as it is, and is refused (NBC111), where the file is not beside the notebook or in a folder
below it, is no Python, has cell magics, takes arguments, or asks where it stands; and where another cell
names the file, since it may write it: what lies beside the notebook now need not be what runs then.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from nbcomponent.core.diagnostics import Diagnostic, Place
from nbcomponent.core.errors import UnusableInput
from nbcomponent.core.trees import walk
from nbcomponent.notebook.arguments import words
from nbcomponent.notebook.ipython import parse_cell
from nbcomponent.notebook.model import PLACEHOLDER, CellCode, Magic, TaggedNotebook
from nbcomponent.notebook.reader import parse_notebook

TextOf = Callable[[str], str | None]
"""The text of a file beside the notebook, None where there is none."""

_DEPTH = 5
"""Files that run files that run files are followed so far."""

_ABOUT_ITSELF = frozenset({"__file__", "__spec__", "argv", "exit", "quit", "SystemExit", "_exit"})
"""Names by which a script asks where it stands or what it was given, or ends itself (``%run`` goes on)."""


@dataclass(frozen=True, slots=True)
class Inclusions:
    """What was put in place of ``%run`` lines.

    ``written``: the notebook as its file has it. ``lines``: for each line of a changed cell the line of the
    file that it is, or the place of the ``%run`` that it comes from. ``notes`` list what was replaced.
    """

    written: TaggedNotebook
    lines: Mapping[int, tuple[int | Place, ...]]
    notes: tuple[Diagnostic, ...]

    def place(self, place: Place) -> Place:
        """A place of the changed notebook as one of the file."""
        lines = self.lines.get(place.cell) if place.cell is not None else None
        if lines is None or not 0 < place.line <= len(lines):
            return place
        start, end = lines[place.line - 1], lines[min(place.end_line, len(lines)) - 1]
        if isinstance(start, Place):
            return start
        if isinstance(end, Place):
            return replace(place, line=start, end_line=end.end_line, end_column=end.end_column)
        return replace(place, line=start, end_line=end)

    def diagnostic(self, diagnostic: Diagnostic) -> Diagnostic:
        """A finding about the changed notebook as one about the file."""
        return replace(diagnostic, place=self.place(diagnostic.place))


def include(tagged: TaggedNotebook, text_of: TextOf) -> tuple[TaggedNotebook, Inclusions | None]:
    """The notebook with the code that its ``%run`` lines run in their place, and what was replaced."""
    cells = [index for index, code in tagged.code.items() if _runs_files(tagged, index, code)]
    if not cells:
        return tagged, None
    work = _Work(tagged, text_of)
    for index in cells:
        work.cell(index)
    if not work.lines:
        return tagged, None
    changed = tuple(
        replace(cell, source=work.sources.get(cell.index, cell.source))
        for cell in tagged.notebook.cells
    )
    made = replace(
        tagged,
        notebook=replace(tagged.notebook, cells=changed),
        code={**tagged.code, **work.code},
    )
    return made, Inclusions(tagged, work.lines, tuple(work.notes))


def _runs_files(tagged: TaggedNotebook, index: int, code: CellCode) -> bool:
    role = tagged.roles[index]
    return (
        not role.parameters
        and role.writes_script is None
        and code.tree is not None
        and any(magic.name == "run" and magic.kind == "line" for magic in code.magics)
    )


class _Work:
    """Replaces cell by cell, and remembers what it replaced."""

    def __init__(self, tagged: TaggedNotebook, text_of: TextOf) -> None:
        self._tagged = tagged
        self._text_of = text_of
        self.sources: dict[int, str] = {}
        self.code: dict[int, CellCode] = {}
        self.lines: dict[int, tuple[int | Place, ...]] = {}
        self.notes: list[Diagnostic] = []

    def cell(self, index: int) -> None:
        code = self._tagged.code[index]
        source = self._tagged.notebook.cells[index].source
        found: list[tuple[Magic, str, str]] = []
        for magic in _whole_lines(code, source):
            file = _file_of(magic)
            if file is not None and self._named_elsewhere(file):
                continue
            others = (c for i, c in self._tagged.code.items() if i != index)
            text = self._included(file, others, ()) if file is not None else None
            if file is not None and text is not None:
                found.append((magic, file, text))
        if not found:
            return
        changed, lines = _replaced(index, source, found)
        parsed = parse_cell(changed, index)
        if parsed.tree is None or len(lines) != changed.count("\n") + 1:
            return
        self.sources[index], self.code[index], self.lines[index] = changed, parsed, lines
        self.notes += [self._note(index, magic, file) for magic, file, _ in found]

    def _named_elsewhere(self, file: str) -> bool:
        name = PurePosixPath(file).name
        return any(
            name in line and not line.lstrip().startswith("%run ")
            for cell in self._tagged.notebook.cells
            if cell.kind == "code" and name in cell.source
            for line in cell.source.split("\n")
        )

    def _included(
        self, file: str, others: Iterable[CellCode], running: tuple[str, ...]
    ) -> str | None:
        """The code that running ``file`` runs, None where it cannot stand in a cell."""
        if file in running or len(running) >= _DEPTH:
            return None
        text = self._text_of(file)
        if text is None:
            return None
        if file.endswith(".py"):
            return text if _keeps_to_itself(text, others) else None
        parts: list[str] = []
        sources = _cells_of(file, text)
        if sources is None:
            return None
        for source in sources:
            code = parse_cell(source)
            if code.tree is None or any(magic.kind == "cell" for magic in code.magics):
                return None
            if "__file__" in source:  # There it is the other notebook.
                return None
            runs = [m for m in code.magics if m.name == "run" and m.kind == "line"]
            found: list[tuple[Magic, str, str]] = []
            for magic in _whole_lines(code, source):
                inner = _file_of(magic)
                inner_text = (
                    self._included(inner, others, (*running, file)) if inner is not None else None
                )
                if inner is None or inner_text is None:
                    return None
                found.append((magic, inner, inner_text))
            if len(found) != len(runs):
                return None
            parts.append(_replaced(0, source, found)[0] if found else source)
        return _joined(parts)

    def _note(self, index: int, magic: Magic, file: str) -> Diagnostic:
        components = self._tagged.roles[index].components
        return Diagnostic(
            "NBC111",
            "note",
            f"`%run {magic.argument}` is replaced by the code of {file}, as it is now.",
            _place(index, magic, self._tagged.notebook.cells[index].source),
            name="%run",
            component=components[0] if len(components) == 1 else None,
        )


def _whole_lines(code: CellCode, source: str) -> Iterator[Magic]:
    """``%run`` lines that are statements of the cell and stand alone on their lines."""
    assert code.tree is not None
    lines = source.split("\n")
    for statement in code.tree.body:
        number = _number(statement)
        if number is None:
            continue
        magic = code.magics[number]
        runs = magic.name == "run" and magic.kind == "line" and not magic.assigned
        before = lines[magic.line - 1][: magic.column - 1] if magic.line <= len(lines) else "?"
        if runs and not before.strip():
            yield magic


def _number(statement: ast.stmt) -> int | None:
    """Which piece of IPython syntax a statement is, None for Python."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return None
    number = call.args[0] if call.func.id == PLACEHOLDER and call.args else None
    found = number.value if isinstance(number, ast.Constant) else None
    return found if isinstance(found, int) else None


def _file_of(magic: Magic) -> str | None:
    """The file that a ``%run`` line names, None where it says more or names one elsewhere."""
    named = [word.text for word in words(magic.argument)]
    if len(named) != 1 or magic.interpolated or named[0].startswith("-"):
        return None
    path = PurePosixPath(named[0])
    if path.is_absolute() or ".." in path.parts or "~" in named[0]:
        return None
    file = str(path)
    if path.suffix not in (".py", ".ipy", ".ipynb"):
        file += ".py"
    # A script looks for modules beside itself first, which is the notebook's folder only here.
    return None if file.endswith(".py") and "/" in file else file


def _cells_of(file: str, text: str) -> list[str] | None:
    """The code cells of a notebook (an ``.ipy`` file is one), None where it is no Python notebook."""
    if not file.endswith(".ipynb"):
        return [text]
    try:
        notebook = parse_notebook(text.encode("utf-8", "surrogatepass"), file)
    except UnusableInput:
        return None
    if notebook.language != "python":
        return None
    return [c.source for c in notebook.cells if c.kind == "code" and c.source.strip()]


def _joined(parts: list[str]) -> str:
    """The cells as one text whose last value is not displayed."""
    text = "\n\n".join(part.strip("\n") for part in parts)
    tree = parse_cell(text).tree
    if tree is not None and tree.body and isinstance(tree.body[-1], ast.Expr):
        text += "\npass"
    return text


def _replaced(
    index: int, source: str, found: list[tuple[Magic, str, str]]
) -> tuple[str, tuple[int | Place, ...]]:
    """The cell with the code of files in place of the lines that run them, and where its lines are from."""
    text: list[str] = []
    lines: list[int | Place] = []
    by_line = {magic.line: (magic, included) for magic, _, included in found}
    skipped_to = 0
    for number, line in enumerate(source.split("\n"), 1):
        if number in by_line:
            magic, included = by_line[number]
            new = included.strip("\n").split("\n")
            text += new
            lines += [_place(index, magic, source)] * len(new)
            skipped_to = magic.end_line
        elif number > skipped_to:
            text.append(line)
            lines.append(number)
    return "\n".join(text), tuple(lines)


def _place(index: int, magic: Magic, source: str) -> Place:
    lines = source.split("\n")
    end = len(lines[magic.end_line - 1].rstrip()) + 1 if magic.end_line <= len(lines) else 2
    return Place(index, magic.line, magic.column, magic.end_line, end)


# scripts


def _keeps_to_itself(text: str, others: Iterable[CellCode]) -> bool:
    """Whether a script does the same in the notebook's namespace as in one of its own.

    It does where it asks for no name that the notebook binds, and where the notebook binds none of those
    that its functions read (the notebook's would be seen by them here, and are not in IPython).
    """
    code = parse_cell(text)
    if code.tree is None or code.magics:
        return False
    if any(isinstance(n, ast.ImportFrom) and _unusual(n) for n in walk(code.tree)):
        return False
    read, bound = _names(code.tree)
    if read & _ABOUT_ITSELF or _attributes(code.tree) & _ABOUT_ITSELF:
        return False
    inner = {
        name
        for function in walk(code.tree)
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        for name in _names(function)[0]
    }
    sensitive = (read - set(bound)) | inner
    for other in others:
        if other.tree is None:
            return False
        for name, meaning in _names(other.tree)[1].items():
            if name in sensitive and (meaning is None or bound.get(name) != meaning):
                return False
    return True


def _unusual(node: ast.ImportFrom) -> bool:
    return node.level > 0 or node.module == "__future__" or any(a.name == "*" for a in node.names)


def _attributes(tree: ast.AST) -> set[str]:
    return {n.attr for n in walk(tree) if isinstance(n, ast.Attribute)}


def _names(tree: ast.AST) -> tuple[set[str], dict[str, str | None]]:
    """Names that code reads, and those that it binds anywhere (an import with what it imports)."""
    read: set[str] = set()
    bound: dict[str, str | None] = {}
    for node in walk(tree):
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load):
                read.add(node.id)
            else:
                bound[node.id] = None
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            bound[node.name] = None
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            for alias in node.names:
                name = alias.asname or alias.name.split(".")[0]
                meaning = f"{module}:{alias.name if alias.asname or module else name}"
                bound[name] = None if bound.get(name, meaning) != meaning else meaning
    return read, bound
