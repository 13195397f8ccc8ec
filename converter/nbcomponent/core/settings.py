"""Project settings: the ``[tool.nbcomponent]`` table of a ``pyproject.toml``.

The settings of a file are those of the nearest ``pyproject.toml``, in its folder or above, that has
the table. A file further up is not merged in: one place decides.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from nbcomponent.core.diagnostics import FILE_START, Place
from nbcomponent.core.errors import unusable
from nbcomponent.core.files import read_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

SETTINGS_FILE = "pyproject.toml"
KEYS = ("boundary", "exclude", "ignore", "jobs", "select")
MAX_BYTES = 4 * 1024 * 1024
_LONGEST_MESSAGE = 500


@dataclass(frozen=True, slots=True)
class Settings:
    """What a project sets once; options of the command line win over it.

    ``select`` and ``ignore`` are codes or prefixes (``NBC104``, ``NBC1``); ``exclude`` are patterns
    relative to the folder of ``path``, the settings file (None: no settings file).
    """

    path: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    boundary: Literal["strict", "auto"] | None = None
    jobs: int | None = None


def settings_for(folder: str) -> Settings:
    """The settings that govern the files in ``folder``.

    Raises:
        UnusableInput: NBC943, for a settings file that is no TOML, or has an unknown key or a value
            of the wrong type.
    """
    here = Path(folder).absolute()
    for place in (here, *here.parents):
        path = str(place / SETTINGS_FILE)
        found = _table(path)
        if found is not None:
            return _Reader(path, *found).settings()
    return Settings()


def _table(path: str) -> tuple[str, Mapping[str, Any]] | None:
    """The text of the file and our table in it; None where there is none."""
    try:
        data = read_regular(path, MAX_BYTES)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _wrong(path, f"cannot be read: {error.strerror}") from error
    # Most files have no such table, and to parse TOML costs more than to check a small notebook.
    if b"nbcomponent" not in data:
        return None
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        text = data.decode()
        document = tomllib.loads(text)
    except UnicodeDecodeError as error:
        from nbcomponent.core.toml_places import place_of_byte

        message = f"is not UTF-8: {error.reason} at byte {error.start}"
        raise _wrong(path, message, place_of_byte(data, error.start)) from error
    except (ValueError, RecursionError) as error:  # TOML's own errors, and numbers of many digits
        from nbcomponent.core.toml_places import place_of_problem

        said, place = place_of_problem(str(error), text)
        raise _wrong(path, f"is not TOML: {said}", place) from error
    tool = document.get("tool")
    table = tool.get("nbcomponent") if isinstance(tool, dict) else None
    if table is None:
        return None
    if not isinstance(table, dict):
        from nbcomponent.core.toml_places import place_of_key

        message = "'tool.nbcomponent' must be a table: write [tool.nbcomponent]"
        raise _wrong(path, message, place_of_key(text, "tool", "nbcomponent"))
    return text, table


class _Reader:
    """Reads the table; each thing that is wrong is told with its place."""

    def __init__(self, path: str, text: str, table: Mapping[str, Any]) -> None:
        self._path = path
        self._text = text
        self._table = table

    def settings(self) -> Settings:
        for key in self._table:
            if key not in KEYS:
                raise self._wrong(f"[tool.nbcomponent] has no key '{key}'{_hint(key)}", key, False)
        boundary = self._table.get("boundary")
        if boundary not in (None, "strict", "auto"):
            message = f'\'boundary\' must be "strict" or "auto", not {boundary!r}'
            raise self._wrong(message, "boundary")
        jobs = self._table.get("jobs")
        if jobs is not None and (isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1):
            raise self._wrong(f"'jobs' must be a whole number from 1, not {jobs!r}", "jobs")
        return Settings(
            path=self._path,
            select=self._codes("select"),
            ignore=self._codes("ignore"),
            exclude=self._strings("exclude"),
            boundary=boundary,
            jobs=jobs,
        )

    def _strings(self, key: str) -> tuple[str, ...]:
        value = self._table.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self._wrong(f"'{key}' must be a list of strings, not {value!r}", key)
        return tuple(value)

    def _codes(self, key: str) -> tuple[str, ...]:
        from nbcomponent.core.explain import as_code, code_problem

        written = self._strings(key)
        for index, code in enumerate(written):
            problem = code_problem(code)
            if problem:
                from nbcomponent.core.toml_places import place_of_item

                place = place_of_item(self._text, code, index, "tool", "nbcomponent", key)
                raise _wrong(self._path, f"'{key}': {problem}", place)
        return tuple(map(as_code, written))

    def _wrong(self, message: str, key: str, value: bool = True) -> Exception:
        from nbcomponent.core.toml_places import place_of_key, place_of_value

        place = (place_of_value if value else place_of_key)(self._text, "tool", "nbcomponent", key)
        return _wrong(self._path, message, place)


def _hint(key: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(key, KEYS, n=1)
    if near:
        return f"; did you mean '{near[0]}'?"
    return f"; it knows {', '.join(KEYS)}"


def _wrong(path: str, message: str, place: Place = FILE_START) -> Exception:
    if len(message) > _LONGEST_MESSAGE:
        message = message[:_LONGEST_MESSAGE] + "..."
    return unusable(path, "NBC943", f"settings: {message}", place)
