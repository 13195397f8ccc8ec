"""The lock file beside a notebook, ``<stem>.lock.yml``: which versions its components run with.

Written at the first export from the notebook's environment, extended when the notebook imports
something new, read otherwise, so that the same notebook gives the same files on every machine.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from nbcomponent.core.errors import unusable
from nbcomponent.core.files import read_regular
from nbcomponent.schema.yaml_places import YamlError, decode_yaml, dump, parse_yaml

SCHEMA = "nbcomponent.lock/1"

_PYTHON = re.compile(r"[0-9]+(\.[0-9]+){0,2}")
_MODULE = re.compile(r"\w+(\.\w+)*")
_PACKAGE = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
_VERSION = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.!+_-]*[A-Za-z0-9])?")


@dataclass(frozen=True, slots=True)
class Lock:
    """``python`` is ``3.11``; ``imports`` maps modules to distributions where the names differ or were
    looked up; ``packages`` maps distributions to versions; ``absent``: distributions that the export
    could have used and that the environment does not have.
    """

    python: str | None = None
    imports: Mapping[str, str] = field(default_factory=dict)
    packages: Mapping[str, str] = field(default_factory=dict)
    absent: tuple[str, ...] = ()


def lock_path(notebook: Path) -> Path:
    """Where the lock of ``notebook`` lies."""
    return notebook.with_name(f"{notebook.stem}.lock.yml")


def read_lock(path: Path) -> Lock:
    """The lock at ``path``; an empty one where there is none.

    Raises :class:`nbcomponent.core.errors.UnusableInput` (NBC964) where it is no lock.
    """
    try:
        data = parse_yaml(decode_yaml(read_regular(path))).data
    except FileNotFoundError:
        return Lock()
    except OSError as error:
        raise unusable(
            str(path), "NBC964", f"the lock file cannot be read: {error.strerror}"
        ) from error
    except YamlError as error:
        raise unusable(str(path), "NBC964", f"the lock file is not YAML: {error}") from error
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise unusable(
            str(path),
            "NBC964",
            f"this is no lock file (schema: {SCHEMA}); delete it to write a new one",
        )
    python, absent = data.get("python"), data.get("absent", [])
    if not isinstance(absent, list) or not all(isinstance(name, str) for name in absent):
        raise unusable(str(path), "NBC964", "the lock file: absent is no list of packages")
    lock = Lock(
        python if isinstance(python, str) else None,
        _texts(data.get("imports"), path),
        _texts(data.get("packages"), path),
        tuple(absent),
    )
    for what, pattern, texts in (
        ("version of Python", _PYTHON, (lock.python or "3",)),
        ("name of a module", _MODULE, lock.imports.keys()),
        ("name of a package", _PACKAGE, (*lock.imports.values(), *lock.packages.keys())),
        ("version of a package", _VERSION, lock.packages.values()),
    ):
        wrong = next((text for text in texts if not pattern.fullmatch(text)), None)
        if wrong is not None:
            # It would stand in conda.yml, where a line more or an option would be obeyed.
            raise unusable(str(path), "NBC964", f"the lock file: {wrong[:100]!r} is no {what}")
    return lock


def _texts(value: object, path: Path) -> dict[str, str]:
    if value is None:
        return {}
    if isinstance(value, dict) and all(isinstance(v, str) for v in value.values()):
        return dict(value)
    raise unusable(
        str(path), "NBC964", "the lock file holds something else than names and versions in quotes"
    )


def lock_bytes(lock: Lock) -> bytes:
    """The lock as a file."""
    head = "# Versions that the components of this notebook run with.\n"
    data: dict[str, object] = {
        "schema": SCHEMA,
        "python": lock.python,
        "imports": dict(sorted(lock.imports.items())),
        "packages": dict(sorted(lock.packages.items(), key=lambda item: item[0].lower())),
    }
    if lock.absent:
        data["absent"] = list(lock.absent)
    return (head + dump(data)).encode()
