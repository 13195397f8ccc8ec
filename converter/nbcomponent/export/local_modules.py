"""Modules that a notebook imports from beside it, and other files that its contract ships.

Found by reading, never by importing: packages, submodules, relative imports, imports inside
functions and conditions, transitively. All of them are copied into the component's folder, at the same
relative place, and are part of its identity.
"""

from __future__ import annotations

import ast
import os
import stat
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from nbcomponent.core.diagnostics import FILE_START, Diagnostic, Fix, Severity
from nbcomponent.core.files import read_regular, resolved
from nbcomponent.core.trees import children, walk

NEVER_SHIPPED = frozenset(
    {
        "__pycache__",
        ".git",
        ".hg",
        ".svn",
        ".ipynb_checkpoints",
        ".nbcomponent",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".venv",
        "node_modules",
    }
)
"""Folders that change without the code changing: with them nothing is ever reused."""

_NEVER_SUFFIXES = (".pyc", ".pyo")
_LARGEST = 64 * 1024 * 1024
_LARGEST_TOTAL = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Imported:
    """A dotted module that code imports. ``optional``: a failing import is caught."""

    module: str
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Shipped:
    """Files to ship, by their POSIX path relative to the notebook; and what else their code imports."""

    files: dict[str, bytes]
    imports: tuple[Imported, ...]
    modules: frozenset[str]
    diagnostics: tuple[Diagnostic, ...]


def imports_of(nodes: Iterable[ast.AST], package: str = "") -> list[Imported]:
    """Absolute names of all modules that the code imports, wherever it does.

    ``from a import b`` gives ``a`` and ``a.b``, since ``b`` may be a module. ``package`` is the
    package of the code, for relative imports (``""`` at the top).
    """
    found: dict[Imported, None] = {}
    for node in nodes:
        _imports(node, package, False, found)
    return list(found)


def _imports(node: ast.AST, package: str, optional: bool, found: dict[Imported, None]) -> None:
    if isinstance(node, ast.Import):
        for alias in node.names:
            found[Imported(alias.name, optional)] = None
        return
    if isinstance(node, ast.ImportFrom):
        base = node.module or ""
        if node.level:
            parts = package.split(".") if package else []
            parts = parts[: len(parts) - (node.level - 1)] if node.level > 1 else parts
            base = ".".join([*parts, *([node.module] if node.module else [])])
        if base:
            found[Imported(base, optional)] = None
        for alias in node.names:
            if alias.name != "*":
                name = f"{base}.{alias.name}" if base else alias.name
                found[Imported(name, True if base else optional)] = None
        return
    if isinstance(node, ast.Try):
        optional = optional or any(_catches_import_error(h) for h in node.handlers)
    only_for_types = isinstance(node, ast.If) and _is_type_checking(node.test)
    below = node.orelse if isinstance(node, ast.If) and only_for_types else children(node)
    for child in below:
        _imports(child, package, optional, found)


def _catches_import_error(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    names = {n.id for n in walk(handler.type) if isinstance(n, ast.Name)}
    return bool(names & {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})


def _is_type_checking(test: ast.expr) -> bool:
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )


def ship_modules(
    folder: Path,
    imports: Iterable[Imported],
    paths: Sequence[str] = (),
    *,
    behind_python: bool = False,
) -> Shipped:
    """The local modules among ``imports``, with what they import themselves.

    ``folder`` is the notebook's. ``paths`` are further folders, relative to it, that the component
    puts on ``sys.path``. ``behind_python``: Python's own library is looked into before them.
    """
    work = _Shipping(folder, [PurePosixPath("."), *map(PurePosixPath, paths)], behind_python)
    for imported in imports:
        work.module(imported)
    return work.result()


def merged(shipped: Shipped, more: Shipped, data: Shipped, kept: Iterable[Imported]) -> Shipped:
    """Modules of two folders in one, with the ``data`` of the second, and the imports left over (``kept`` too).

    Two files of one name cannot both go there (NBC308).
    """
    added = {**data.files, **more.files}
    clashes = [p for p, text in added.items() if shipped.files.get(p, text) != text]
    return Shipped(
        {**added, **shipped.files},
        (*kept, *more.imports),
        shipped.modules | more.modules,
        (
            *shipped.diagnostics,
            *more.diagnostics,
            *data.diagnostics,
            *(
                _refused(path, "two folders that it imports from have a file of that name")
                for path in clashes
            ),
        ),
    )


@dataclass
class _Shipping:
    folder: Path
    roots: list[PurePosixPath]
    behind_python: bool = False
    files: dict[str, bytes] = field(default_factory=dict)
    outside: dict[Imported, None] = field(default_factory=dict)
    modules: set[str] = field(default_factory=set)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def result(self) -> Shipped:
        return Shipped(
            dict(sorted(self.files.items())),
            tuple(self.outside),
            frozenset(self.modules),
            tuple(self.diagnostics),
        )

    def module(self, imported: Imported) -> None:
        parts = imported.module.split(".")
        root = next((r for r in self.roots if self.has(r, parts[0])), None)
        theirs = sys.stdlib_module_names if self.behind_python else sys.builtin_module_names
        if root is None or parts[0] in theirs:
            self.outside[imported] = None
            return
        if parts[0] not in self.modules:
            self.modules.add(parts[0])
            if parts[0] in sys.stdlib_module_names:
                self._say(
                    "NBC306",
                    "note",
                    f"{root / parts[0]} beside the notebook hides the module {parts[0]} of Python's own "
                    "library, here as in the notebook; rename it if that is not meant",
                )
        for length in range(1, len(parts) + 1):
            path = root.joinpath(*parts[:length])
            package = ".".join(parts[:length])
            if (self.folder / path).is_dir():
                self._file(path / "__init__.py", package, imported.optional)
            else:
                module = path.with_name(f"{path.name}.py")
                self._file(module, package.rpartition(".")[0], imported.optional)

    def has(self, root: PurePosixPath, name: str) -> bool:
        """Whether the folder ``root`` holds the module or package ``name``."""
        path = self.folder / root / name
        if path.with_name(f"{name}.py").is_file() or (path / "__init__.py").is_file():
            return True
        if name in sys.stdlib_module_names or not path.is_dir():
            return False
        return any(path.glob("*.py"))  # A namespace package.

    def _file(self, path: PurePosixPath, package: str, optional: bool) -> None:
        key = str(path)
        if key in self.files or not (self.folder / path).is_file():
            return
        data = _read_inside(self.folder, path, self.diagnostics)
        if data is None:
            return
        self.files[key] = data
        try:
            tree = ast.parse(data)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            line = getattr(error, "lineno", None) or 1
            reason = error.msg if isinstance(error, SyntaxError) else str(error)
            reason = reason or "it is nested too deeply"
            self._say(
                "NBC307",
                "error",
                f"{key}, line {line}: the module that the notebook imports is not Python: {reason}",
                Fix(f"repair {key}", "edit"),
            )
            return
        line = _line_that_needs_a_notebook(tree) if b"get_ipython" in data else None
        if line is not None:
            self._say(
                "NBC111",
                "warning" if optional else "error",
                f"{key}, line {line}: importing this module calls get_ipython(), which only a notebook has, "
                "so in a script the import fails",
                Fix(
                    f"ask in {key} whether there is one: `from IPython import get_ipython`", "edit"
                ),
            )
        for imported in imports_of([tree], package):
            self.module(imported)
        for name in _listed_submodules(tree):
            self.module(Imported(f"{package}.{name}" if package else name, True))

    def _say(self, code: str, severity: Severity, message: str, fix: Fix | None = None) -> None:
        self.diagnostics.append(Diagnostic(code, severity, message, FILE_START, fix=fix))


def _line_that_needs_a_notebook(tree: ast.Module) -> int | None:
    """The line that calls ``get_ipython``, as IPython's builtin, while the module is imported.

    Functions that the module itself calls by then are followed; what stands in a condition or a ``try``
    asks first, as a rule.
    """
    if any(
        (
            isinstance(n, (ast.Import, ast.ImportFrom))
            and any(a.name == "get_ipython" for a in n.names)
        )
        or (isinstance(n, ast.FunctionDef) and n.name == "get_ipython")
        for n in walk(tree)
    ):
        return None
    functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    pending: list[ast.stmt] = list(tree.body)
    while pending:
        statement = pending.pop(0)
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.If, ast.Try)):
            continue
        if isinstance(statement, (ast.With, ast.For, ast.While, ast.ClassDef)):
            pending += statement.body
            continue
        for node in walk(statement):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                if node.func.id == "get_ipython":
                    return node.lineno
                called = functions.pop(node.func.id, None)
                pending += called.body if called is not None else []
    return None


def is_regular(folder: Path, module: str) -> bool:
    """Whether the top-level module lies in the folder, and not only as a namespace package.

    Those give way to installed packages, wherever on ``sys.path`` their folder stands.
    """
    path = folder / module.partition(".")[0]
    return path.with_name(f"{path.name}.py").is_file() or (path / "__init__.py").is_file()


def is_local(folder: Path, module: str) -> bool:
    """Whether the top-level module lies beside the notebook."""
    return _Shipping(folder, [PurePosixPath(".")]).has(PurePosixPath("."), module)


def _listed_submodules(tree: ast.Module) -> list[str]:
    """Names in ``__all__``: ``from package import *`` imports those that are submodules."""
    for node in tree.body:
        if (
            isinstance(node, ast.Assign)
            and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets)
            and isinstance(node.value, (ast.List, ast.Tuple))
        ):
            values = (e.value for e in node.value.elts if isinstance(e, ast.Constant))
            return [v for v in values if isinstance(v, str) and v.isidentifier()]
    return []


def ship_included(folder: Path, included: Iterable[str]) -> Shipped:
    """Files and folders by name, relative to the notebook's folder.

    A contract's ``include`` names them, and the analysis finds them under ``--boundary auto``. Together
    they may have 256 MiB: more than that is no code but data, which an input carries better.
    """
    files: dict[str, bytes] = {}
    diagnostics: list[Diagnostic] = []
    total = 0
    for name in included:
        path = PurePosixPath(name.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts or name.startswith("~") or ":" in name:
            diagnostics.append(_refused(name, "it must lie beside the notebook or below"))
            continue
        if not os.path.lexists(folder / path):
            diagnostics.append(
                _refused(name, "there is no such file or folder beside the notebook")
            )
            continue
        if not _is_inside(folder, folder / path):
            diagnostics.append(
                _refused(name, "it is a link to somewhere outside the notebook's folder")
            )
            continue
        for file in _files_below(folder, path):
            if str(file) in files:
                continue
            data = _read_inside(folder, file, diagnostics)
            if data is None:
                continue
            files[str(file)] = data
            total += len(data)
            if total > _LARGEST_TOTAL:
                diagnostics.append(
                    _refused(
                        name, "with it the component's files exceed 256 MiB; make it a data input"
                    )
                )
                return Shipped({}, (), frozenset(), tuple(diagnostics))
    return Shipped(dict(sorted(files.items())), (), frozenset(), tuple(diagnostics))


def data_of_modules(folder: Path, modules: Mapping[str, bytes]) -> list[str]:
    """Files that shipped modules name in their text, as the folder or the module's own has them.

    ``read_data("births.csv")`` in a local module opens a file beside the notebook just as a cell does.
    """
    found: dict[str, None] = {}
    for path, data in modules.items():
        if not path.endswith(".py"):
            continue
        try:
            tree = ast.parse(data)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        for node in walk(tree):
            if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
                continue
            name = PurePosixPath(node.value) if _may_name_a_file(node.value) else None
            if name is None or name.is_absolute() or ".." in name.parts:
                continue
            for place in (name, PurePosixPath(path).parent / name):
                full = folder / place
                if full.is_file() and not full.is_symlink() and _is_inside(folder, full):
                    found[str(place)] = None
    return [name for name in found if name not in modules]


def _may_name_a_file(text: str) -> bool:
    return 0 < len(text) <= 255 and "." in text and text.isprintable() and text.strip() == text


def _files_below(folder: Path, path: PurePosixPath) -> Iterable[PurePosixPath]:
    if not (folder / path).is_dir():
        yield path
        return
    for entry in sorted((folder / path).iterdir()):
        if entry.name in NEVER_SHIPPED or entry.name.endswith(_NEVER_SUFFIXES):
            continue
        child = path / entry.name
        if (folder / child).is_symlink() and (folder / child).is_dir():
            continue  # A link to a folder could lead in a circle.
        yield from _files_below(folder, child)


def _is_inside(folder: Path, path: Path) -> bool:
    try:
        return resolved(path).is_relative_to(resolved(folder))
    except OSError:  # Links in a circle lead nowhere.
        return False


def _read_inside(folder: Path, path: PurePosixPath, diagnostics: list[Diagnostic]) -> bytes | None:
    """The bytes of a regular file inside ``folder``, else None and a finding."""
    full = folder / path
    try:
        if not _is_inside(folder, full):
            diagnostics.append(
                _refused(str(path), "it is a link to somewhere outside the notebook's folder")
            )
            return None
        state = full.stat()
        if not stat.S_ISREG(state.st_mode):
            diagnostics.append(_refused(str(path), "it is no regular file"))
            return None
        if state.st_size > _LARGEST:
            diagnostics.append(
                _refused(str(path), "it is larger than 64 MiB; make it a data input")
            )
            return None
        return read_regular(full, _LARGEST)
    except OSError as error:
        diagnostics.append(_refused(str(path), error.strerror or str(error)))
        return None


def _refused(name: str, why: str) -> Diagnostic:
    return Diagnostic(
        "NBC308",
        "error",
        f"{name} cannot be shipped with the component: {why}",
        FILE_START,
        fix=Fix(f"correct or remove {name}", "edit"),
    )
