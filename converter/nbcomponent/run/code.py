"""A fresh copy of a component's code, as the service would upload it."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Sequence
from pathlib import Path

from nbcomponent.run.ignore import IgnoreRules, read_ignore_rules


def copy_code(code: Path | None, includes: Sequence[Path], target: Path) -> tuple[str, ...]:
    """Copy the ``code`` folder (or single file) and ``includes`` into the empty folder ``target``.

    Links are replaced by what they point to, as in an upload; broken links, links in a circle, pipes,
    sockets and devices are left out, and named in the notes that are returned. Raises OSError.
    """
    notes: list[str] = []
    if code is not None:
        if code.is_file():
            shutil.copy2(code, target / code.name)
        else:
            _copy_folder(code, target, "", read_ignore_rules(code), (), notes)
    for include in includes:
        if include.is_dir():
            inner = target / include.name
            inner.mkdir(exist_ok=True)
            _copy_folder(include, inner, "", read_ignore_rules(include), (), notes)
        else:
            shutil.copy2(include, target / include.name)
    return tuple(notes)


def _copy_folder(
    folder: Path,
    target: Path,
    prefix: str,
    rules: IgnoreRules,
    above: tuple[tuple[int, int], ...],
    notes: list[str],
) -> None:
    status = folder.stat()
    identity = (status.st_dev, status.st_ino)
    if identity in above:
        notes.append(f"{prefix.rstrip('/')} is left out: the link leads in a circle")
        target.rmdir()
        return
    with os.scandir(folder) as entries:
        listed = sorted(entries, key=lambda entry: entry.name)
    for entry in listed:
        relative = f"{prefix}{entry.name}"
        try:
            mode = entry.stat().st_mode
        except OSError:
            notes.append(f"{relative} is left out: a link to nothing")
            continue
        is_folder = stat.S_ISDIR(mode)
        if rules.ignores(relative, is_folder):
            continue
        if is_folder:
            inner = target / entry.name
            inner.mkdir()
            _copy_folder(Path(entry.path), inner, f"{relative}/", rules, (*above, identity), notes)
        elif stat.S_ISREG(mode):
            shutil.copy2(entry.path, target / entry.name)
        else:
            notes.append(f"{relative} is left out: it is no file and no folder")
