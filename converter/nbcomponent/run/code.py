"""A fresh copy of a component's code, as the service would upload it."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nbcomponent.run.ignore import IgnoreRules, read_ignore_rules

MOST_FILES = 100_000
MOST_BYTES = 4 * 1024**3


@dataclass(slots=True)
class _Copy:
    """What was copied so far: code that never ends must not fill the disk."""

    notes: list[str]
    files: int = 0
    size: int = 0

    def file(self, source: Path, target: Path, size: int) -> None:
        """Copy one file. Raises OSError also where it is one too many."""
        self.files += 1
        self.size += size
        if self.files > MOST_FILES or self.size > MOST_BYTES:
            reason = (
                f"the code has more than {MOST_FILES:,} files or {MOST_BYTES // 1024**3} GiB; "
                "name what does not belong to it in .amlignore"
            )
            raise OSError(errno.EFBIG, reason)
        shutil.copy2(source, target)


def copy_code(code: Path | None, includes: Sequence[Path], target: Path) -> tuple[str, ...]:
    """Copy the ``code`` folder (or single file) and ``includes`` into the empty folder ``target``.

    Links are replaced by what they point to, as in an upload; broken links, links in a circle, pipes,
    sockets and devices are left out, and named in the notes that are returned. Raises OSError.
    """
    copy = _Copy([])
    if code is not None:
        if code.is_file():
            copy.file(code, target / code.name, code.stat().st_size)
        else:
            _copy_folder(code, target, "", read_ignore_rules(code), (), copy)
    for include in includes:
        if include.is_dir():
            inner = target / include.name
            inner.mkdir(exist_ok=True)
            _copy_folder(include, inner, "", read_ignore_rules(include), (), copy)
        else:
            copy.file(include, target / include.name, include.stat().st_size)
    return tuple(copy.notes)


def _copy_folder(
    folder: Path,
    target: Path,
    prefix: str,
    rules: IgnoreRules,
    above: tuple[tuple[int, int], ...],
    copy: _Copy,
) -> None:
    status = folder.stat()
    identity = (status.st_dev, status.st_ino)
    if identity in above:
        copy.notes.append(f"{prefix.rstrip('/')} is left out: the link leads in a circle")
        target.rmdir()
        return
    with os.scandir(folder) as entries:
        listed = sorted(entries, key=lambda entry: entry.name)
    for entry in listed:
        relative = f"{prefix}{entry.name}"
        try:
            found = entry.stat()
        except OSError:
            copy.notes.append(f"{relative} is left out: a link to nothing")
            continue
        is_folder = stat.S_ISDIR(found.st_mode)
        if rules.ignores(relative, is_folder):
            continue
        if is_folder:
            inner = target / entry.name
            inner.mkdir()
            _copy_folder(Path(entry.path), inner, f"{relative}/", rules, (*above, identity), copy)
        elif stat.S_ISREG(found.st_mode):
            copy.file(Path(entry.path), target / entry.name, found.st_size)
        else:
            copy.notes.append(f"{relative} is left out: it is no file and no folder")
