"""Project settings: the ``[tool.nbcomponent]`` table of a ``pyproject.toml``.

The settings of a file are those of the nearest ``pyproject.toml``, in its folder or above, that has
the table. A file further up is not merged in: one place decides.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

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
        table = _table(path)
        if table is not None:
            return _settings(table, path)
    return Settings()


def _table(path: str) -> Mapping[str, Any] | None:
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
        document = tomllib.loads(data.decode())
    except UnicodeDecodeError as error:
        raise _wrong(path, f"is not UTF-8: {error.reason} at byte {error.start}") from error
    except (ValueError, RecursionError) as error:  # TOML's own errors, and numbers of many digits
        raise _wrong(path, f"is not TOML: {error}") from error
    tool = document.get("tool")
    table = tool.get("nbcomponent") if isinstance(tool, dict) else None
    if table is None:
        return None
    if not isinstance(table, dict):
        raise _wrong(path, "'tool.nbcomponent' must be a table: write [tool.nbcomponent]")
    return table


def _settings(table: Mapping[str, Any], path: str) -> Settings:
    for key in table:
        if key not in KEYS:
            raise _wrong(path, f"[tool.nbcomponent] has no key '{key}'{_hint(key)}")
    boundary = table.get("boundary")
    if boundary not in (None, "strict", "auto"):
        raise _wrong(path, f'\'boundary\' must be "strict" or "auto", not {boundary!r}')
    jobs = table.get("jobs")
    if jobs is not None and (isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1):
        raise _wrong(path, f"'jobs' must be a whole number from 1, not {jobs!r}")
    return Settings(
        path=path,
        select=_codes(table, "select", path),
        ignore=_codes(table, "ignore", path),
        exclude=_strings(table, "exclude", path),
        boundary=boundary,
        jobs=jobs,
    )


def _strings(table: Mapping[str, Any], key: str, path: str) -> tuple[str, ...]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise _wrong(path, f"'{key}' must be a list of strings, not {value!r}")
    return tuple(value)


def _codes(table: Mapping[str, Any], key: str, path: str) -> tuple[str, ...]:
    from nbcomponent.core.explain import code_problem

    codes = _strings(table, key, path)
    for code in codes:
        problem = code_problem(code)
        if problem:
            raise _wrong(path, f"'{key}': {problem}")
    return codes


def _hint(key: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(key, KEYS, n=1)
    if near:
        return f"; did you mean '{near[0]}'?"
    return f"; it knows {', '.join(KEYS)}"


def _wrong(path: str, message: str) -> Exception:
    if len(message) > _LONGEST_MESSAGE:
        message = message[:_LONGEST_MESSAGE] + "..."
    return unusable(path, "NBC943", f"settings: {message}")
