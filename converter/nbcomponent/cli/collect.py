"""From the paths of the command line to the files they mean.

``os.path`` here, since paths are shown exactly as the caller wrote them, and ``Path`` rewrites them.
"""

# ruff: noqa: PTH100, PTH112, PTH208, PTH122, PTH118, PTH120, PTH206, PTH207

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch

from nbcomponent.cli.report.model import FileReport, Kind
from nbcomponent.core.diagnostics import FILE_START, Diagnostic, Fix
from nbcomponent.core.errors import UnusableInput
from nbcomponent.core.files import head_of, read_regular
from nbcomponent.core.settings import MAX_BYTES, Settings, settings_for

STDIN = "-"
STDIN_NAME = "<stdin>"
"""How reports name standard input."""

_LARGE_BYTES = 20_000
"""From here on a single file gets a process of its own, which can be ended when it is inside C code."""

_SEARCHED_BYTES = 1024 * 1024
"""How far a Python file that was found in a folder is searched for its first cell mark."""

_MOST_NAMES = 1000
"""How many names of a folder are compared with one that is not there."""

SKIPPED_FOLDERS = frozenset(
    {
        ".eggs",
        ".git",
        ".hg",
        ".ipynb_checkpoints",
        ".mypy_cache",
        ".nbcomponent",
        ".nox",
        ".pytest_cache",
        ".ruff_cache",
        ".svn",
        ".tox",
        ".venv",
        "__pycache__",
        "node_modules",
        "site-packages",
        "venv",
    }
)

YAML_SUFFIXES = (".yml", ".yaml")


@dataclass(frozen=True, slots=True)
class Source:
    """A file to work on. ``path`` is how it is shown; ``root`` the folder that the caller named (for
    a file its own folder), below which relative layout is kept; ``settings`` are its project's."""

    path: str
    root: str
    settings: Settings


@dataclass(frozen=True, slots=True)
class Collected:
    """``sources`` in the order of the arguments, folders sorted, each file once; ``problems`` are
    reports about arguments, folders and settings that cannot be used; ``empty`` are folders in
    which there was nothing to do."""

    sources: tuple[Source, ...]
    problems: tuple[FileReport, ...]
    empty: tuple[str, ...]


def collect(paths: Sequence[str]) -> Collected:
    """The notebooks that ``paths`` (files, folders, globs, ``-``) mean.

    In folders: every ``.ipynb``, and every ``.py`` file with a ``# %%`` cell mark.
    """
    return _Collector().collect(paths)


class _Collector:
    def __init__(self) -> None:
        self.sources: list[Source] = []
        self.problems: list[FileReport] = []
        self.empty: list[str] = []
        self.seen: set[str] = set()
        self.known_settings: dict[str, Settings | None] = {}
        self.bad_settings: set[str] = set()

    def collect(self, paths: Sequence[str]) -> Collected:
        for path in paths:
            if path == STDIN:
                self._add(path, ".")
            elif os.path.isdir(path):
                self._folder(path)
            elif os.path.lexists(path) or not _is_glob(path):
                self._file(path)
            else:
                self._glob(path)
        return Collected(tuple(self.sources), tuple(self.problems), tuple(self.empty))

    def _file(self, path: str) -> None:
        if not os.path.lexists(path):
            message = f"there is no such file or folder{_near(path)}"
            self._problem("path", path, "NBC940", message)
        elif path.lower().endswith(YAML_SUFFIXES):
            self._problem(
                "YAML file",
                path,
                "NBC941",
                "this version of nbcomponent checks notebooks, not YAML files",
                "give the notebook (.ipynb or py:percent .py) instead",
            )
        else:
            self._add(path, os.path.dirname(path) or ".")

    def _folder(self, folder: str) -> None:
        if not self._files_below(folder, folder):
            self.empty.append(folder)

    def _glob(self, pattern: str) -> None:
        from glob import glob

        root = _fixed_part(pattern)
        matches = sorted(glob(pattern, recursive=True), key=_parts)
        found = False
        for match in matches:
            if _skipped(match, pattern):
                continue
            if os.path.isdir(match):
                # `**` yields every folder on the way; what they hold is matched by itself.
                found |= not pattern.endswith("**") and self._files_below(match, root)
            elif is_notebook(match):
                self._add(match, root)
                found = True
        if not found:
            self._problem("pattern", pattern, "NBC940", "no notebook matches this pattern")

    def _files_below(self, folder: str, root: str) -> bool:
        found = False
        for path in walk(folder, self._unreadable):
            settings = self._settings_of(os.path.dirname(path) or ".")
            found = True
            if settings is None or not excluded(path, settings):
                self._add(path, root)
        return found

    def _add(self, path: str, root: str) -> None:
        identity = os.path.abspath(path) if path != STDIN else STDIN
        if identity in self.seen:
            return
        self.seen.add(identity)
        settings = self._settings_of(os.path.dirname(path) or ".")
        # A file whose settings cannot be read is not worked on: it would be judged by other rules.
        if settings is not None:
            self.sources.append(Source(path, root, settings))

    def _settings_of(self, folder: str) -> Settings | None:
        if folder not in self.known_settings:
            try:
                self.known_settings[folder] = settings_for(folder)
            except UnusableInput as error:
                self.known_settings[folder] = None
                if error.path not in self.bad_settings:
                    self.bad_settings.add(error.path)
                    self.problems.append(_settings_report(error))
        return self.known_settings[folder]

    def _unreadable(self, error: OSError) -> None:
        self._problem(
            "folder",
            str(error.filename).removeprefix("." + os.sep),
            "NBC942",
            f"this folder cannot be read: {error.strerror}",
        )

    def _problem(
        self, kind: Kind, path: str, code: str, message: str, fix: str | None = None
    ) -> None:
        diagnostic = Diagnostic(
            code, "error", message, FILE_START, fix=Fix(fix, "edit") if fix else None
        )
        self.problems.append(unusable_report(path, diagnostic, kind))


def unusable_report(path: str, diagnostic: Diagnostic, kind: Kind) -> FileReport:
    """The report of something that cannot be used, for one reason."""
    return FileReport(path, diagnostics=(diagnostic,), outcome="unusable", kind=kind)


def unreadable_report(path: str, diagnostic: Diagnostic) -> FileReport:
    """The report of a file that was to be read as a notebook and is none."""
    if path == STDIN_NAME or is_notebook(path):
        return unusable_report(path, diagnostic, "notebook")
    return unusable_report(path, diagnostic, "script" if path.endswith(".py") else "file")


def _settings_report(error: UnusableInput) -> FileReport:
    """The report of a settings file, with the line that the finding is about."""
    line = error.diagnostic.place.line
    lines: dict[tuple[int | None, int], str] = {}
    if error.diagnostic.place != FILE_START:
        try:
            text = read_regular(error.path, MAX_BYTES).decode(errors="replace").split("\n")
            lines[None, line] = text[line - 1].rstrip("\r")
        except (OSError, IndexError):
            pass  # it has changed meanwhile
    report = unusable_report(_relative(error.path), error.diagnostic, "settings file")
    return replace(report, lines=lines)


def walk(folder: str, on_error: Callable[[OSError], None]) -> Iterator[str]:
    """The notebooks below ``folder``, sorted, without following links to folders."""
    for place, folders, names in os.walk(folder, onerror=on_error):
        folders[:] = sorted(name for name in folders if name not in SKIPPED_FOLDERS)
        for name in sorted(names):
            path = os.path.join(place, name) if place != "." else name
            if is_notebook(path):
                yield os.path.normpath(path) if place.startswith("." + os.sep) else path


def is_notebook(path: str) -> bool:
    """Whether a file found in a folder is a notebook: by its name, Python files by a cell mark."""
    if path.endswith(".ipynb"):
        return True
    if not path.endswith(".py"):
        return False
    try:
        head = head_of(path, _SEARCHED_BYTES)
    except OSError:
        return False
    return b"\n# %%" in head or head.startswith(b"# %%")


def is_large(path: str) -> bool:
    """Whether a file is so large that a process of its own costs little beside it."""
    try:
        return os.stat(path).st_size > _LARGE_BYTES  # noqa: PTH116
    except (OSError, ValueError):
        return False


def excluded(path: str, settings: Settings) -> bool:
    """Whether the project's ``exclude`` patterns name the file or a folder it lies in."""
    if not settings.exclude or settings.path is None:
        return False
    relative = os.path.relpath(path, os.path.dirname(settings.path)).replace(os.sep, "/")
    parts = relative.split("/")
    whole = ["/".join(parts[: count + 1]) for count in range(len(parts))]
    for pattern in settings.exclude:
        wanted = pattern.rstrip("/").removeprefix("./")
        candidates: Iterable[str] = whole if "/" in wanted else (*whole, *parts)
        if any(fnmatch(candidate, wanted) for candidate in candidates):
            return True
    return False


def _near(path: str) -> str:
    """``; did you mean train.ipynb?`` where a notebook or folder beside ``path`` has nearly its name."""
    from difflib import get_close_matches  # only where something is wrong

    folder, name = os.path.split(path)
    try:
        names = sorted(os.listdir(folder or "."))[:_MOST_NAMES]
    except (OSError, ValueError):
        return ""
    stems: dict[str, str] = {}
    for candidate in names:
        if candidate.endswith((".ipynb", ".py")) or os.path.isdir(os.path.join(folder, candidate)):
            stems.setdefault(os.path.splitext(candidate)[0], candidate)
    close = get_close_matches(os.path.splitext(name)[0], stems, 1, 0.75)
    return f"; did you mean {os.path.join(folder, stems[close[0]])}?" if close else ""


def _is_glob(path: str) -> bool:
    return any(character in path for character in "*?[")


def _fixed_part(pattern: str) -> str:
    """The folder before the first part of ``pattern`` that is one."""
    parts = []
    for part in pattern.split(os.sep):
        if _is_glob(part):
            break
        parts.append(part)
    return os.sep.join(parts) or (os.sep if pattern.startswith(os.sep) else ".")


def _skipped(match: str, pattern: str) -> bool:
    """Whether a glob went into a folder that is never searched, unless it names the folder."""
    return any(part in SKIPPED_FOLDERS and part not in _parts(pattern) for part in _parts(match))


def _parts(path: str) -> list[str]:
    return path.split(os.sep)


def _relative(path: str) -> str:
    """Shorter where the file lies below the current folder."""
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative
