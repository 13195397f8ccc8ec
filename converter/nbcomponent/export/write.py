"""Putting an exported folder in its place: at once, without losing what a person changed.

What was written last is noted in ``.nbcomponent/export.json`` of the folder, which belongs into Git
(the ``.gitignore`` beside it leaves everything else there out). A file whose content is neither that
nor what would be written now was edited by hand: it is overwritten only with ``force``. Files that
the export never wrote stay.
"""

from __future__ import annotations

import difflib
import errno
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from nbcomponent.core.atomic import STATE_FOLDER, recover, replace_folder, write_file
from nbcomponent.core.diagnostics import FILE_START, Diagnostic, Fix
from nbcomponent.core.errors import unusable
from nbcomponent.core.files import read_regular
from nbcomponent.export.build import Export
from nbcomponent.export.local_modules import NEVER_SHIPPED

MANIFEST = "export.json"
SCHEMA = "nbcomponent.export/1"

_GITIGNORE = b"*\n!.gitignore\n!export.json\n"

Kind = Literal["added", "changed", "removed"]


@dataclass(frozen=True, slots=True)
class Change:
    """One file that an export adds, changes or removes.

    ``path`` is relative to the exported folder; that of the lock file to the notebook's.
    """

    path: str
    kind: Kind
    beside_notebook: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What writing did, or would do.

    ``edited`` are files that a person changed and that this export would overwrite or remove;
    ``kept`` files that it never wrote. ``diagnostics`` has NBC961 for each edited file that kept the
    export from being written.
    """

    target: Path
    changes: tuple[Change, ...]
    edited: tuple[str, ...]
    kept: tuple[str, ...]
    diff: str
    diagnostics: tuple[Diagnostic, ...]
    written: bool


def write_export(
    export: Export,
    out: Path,
    *,
    force: bool = False,
    check: bool = False,
    dry_run: bool = False,
) -> Outcome:
    """Write ``export`` as ``out/<stem>/``, and its lock file beside the notebook.

    ``check`` and ``dry_run`` write nothing; the outcome says what would change, with ``dry_run`` as a
    unified diff too. Blocked exports write nothing.

    Raises :class:`nbcomponent.core.errors.UnusableInput` where the folder cannot be written (NBC960)
    or would lie outside ``out`` (NBC962); then nothing has changed.
    """
    try:
        target = _target(export, out)
        if export.blocked or not export.files:
            return Outcome(target, (), (), (), "", (), False)
        return _write(export, target, force=force, reading=check or dry_run, diff=dry_run)
    except OSError as error:
        reason = error.strerror or str(error)
        if error.errno in (errno.EEXIST, errno.ENOTDIR):
            reason = "a file stands where a folder is needed"
        raise unusable(
            str(out / export.stem),
            "NBC960",
            f"the export cannot be written: {reason}; nothing was changed",
        ) from error


def _write(export: Export, target: Path, *, force: bool, reading: bool, diff: bool) -> Outcome:
    if not reading:
        target.parent.mkdir(parents=True, exist_ok=True)
        recover(target)
    former = _manifest(target)
    ours = export.files.keys() | former.keys()
    present = {
        path: _bytes_of(target / path) if path in ours else None for path in _present(target)
    }
    edited, removed = [], []
    for path, data in present.items():
        wanted = export.files.get(path)
        if wanted is None and path not in former:
            continue
        if data is not None and data == wanted:
            continue
        if data is None or former.get(path) != _digest(data):
            edited.append(path)
        if wanted is None:
            removed.append(path)
    folders = {str(above) for path in export.files for above in PurePosixPath(path).parents}
    edited += [
        path for path in present if path in folders and path not in former
    ]  # a file or link where a folder must be
    kept = tuple(
        sorted(p for p in present if not (p in export.files or p in former or p in folders))
    )
    changes = [
        Change(path, "changed" if path in present else "added")
        for path, data in export.files.items()
        if present.get(path) != data
    ]
    changes += [Change(path, "removed") for path in removed]
    changes.sort(key=lambda change: change.path)
    if export.lock is not None:
        kind: Kind = "changed" if export.lock_file.exists() else "added"
        changes.append(Change(export.lock_file.name, kind, beside_notebook=True))
    text = "".join(_diff(export, present, changes)) if diff else ""
    problems = () if force or reading else tuple(_edited(target, path) for path in sorted(edited))
    written = False
    if not reading and not problems:
        state = {MANIFEST: _manifest_bytes(export.files), ".gitignore": _GITIGNORE}
        same = all(change.beside_notebook for change in changes)
        if not same or former != {p: _digest(d) for p, d in export.files.items()}:
            replace_folder(target, export.files, keep=kept, state=state)
        if export.lock is not None:
            write_file(export.lock_file, export.lock)
        written = True
    return Outcome(target, tuple(changes), tuple(sorted(edited)), kept, text, problems, written)


def _edited(target: Path, path: str) -> Diagnostic:
    return Diagnostic(
        "NBC961",
        "error",
        f"{target / path} was edited by hand; the export would overwrite it",
        FILE_START,
        fix=Fix("move the change into the notebook, or overwrite it with --force", "edit"),
    )


def _target(export: Export, out: Path) -> Path:
    """The folder to write, after making sure that it lies in ``out`` and nowhere else."""
    stem = export.stem
    if stem in ("", ".", "..") or stem.startswith(".nbcomponent") or "/" in stem or "\0" in stem:
        raise unusable(
            stem, "NBC962", f"a notebook of the name {stem!r} has no folder to export to"
        )
    if "\0" in str(out):
        raise unusable(str(out), "NBC962", "no folder can have a null character in its name")
    target = out / stem
    if target.is_symlink():
        raise unusable(
            str(target),
            "NBC962",
            "the folder to write is a link to somewhere else; remove the link",
        )
    if os.path.lexists(target) and not target.is_dir():
        raise unusable(
            str(target), "NBC962", "a file stands where the exported folder should be; move it"
        )
    for path in export.files:
        parts = PurePosixPath(path)
        if parts.is_absolute() or ".." in parts.parts or parts.parts[0] == STATE_FOLDER:
            raise unusable(path, "NBC962", f"{path} would lie outside the exported folder")
    return target


def _present(folder: Path, prefix: str = "") -> Iterator[str]:
    """What stands in the folder and below, except folders."""
    if not folder.is_dir():
        return
    for entry in sorted(folder.iterdir()):
        name = f"{prefix}{entry.name}"
        if entry.name in NEVER_SHIPPED and not entry.is_symlink():
            continue
        if entry.is_dir() and not entry.is_symlink():
            yield from _present(entry, f"{name}/")
        else:
            yield name


def _bytes_of(path: Path) -> bytes | None:
    """None for what is surely not what was exported: a link, a pipe, a file that cannot be read."""
    try:
        return None if path.is_symlink() else read_regular(path)
    except OSError:
        return None


def _manifest(target: Path) -> dict[str, str]:
    try:
        data = json.loads(read_regular(target / STATE_FOLDER / MANIFEST))
    except (OSError, ValueError, RecursionError):
        return {}
    files = data.get("files") if isinstance(data, dict) else None
    if not isinstance(files, dict):
        return {}
    return {str(path): str(digest) for path, digest in files.items()}


def _manifest_bytes(files: Mapping[str, bytes]) -> bytes:
    data = {"schema": SCHEMA, "files": {path: _digest(files[path]) for path in sorted(files)}}
    return (json.dumps(data, indent=1) + "\n").encode()


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _diff(
    export: Export, present: Mapping[str, bytes | None], changes: list[Change]
) -> Iterator[str]:
    for change in changes:
        if change.beside_notebook:
            before = _bytes_of(export.lock_file) or b""
            after, shown = export.lock or b"", change.path
        else:
            before, after = present.get(change.path) or b"", export.files.get(change.path, b"")
            shown = f"{export.stem}/{change.path}"
        try:
            old, new = before.decode().splitlines(True), after.decode().splitlines(True)
        except UnicodeDecodeError:
            yield f"Binary file {shown} {change.kind}\n"
            continue
        from_name = "/dev/null" if change.kind == "added" else f"a/{shown}"
        to_name = "/dev/null" if change.kind == "removed" else f"b/{shown}"
        for line in difflib.unified_diff(old, new, from_name, to_name):
            yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
