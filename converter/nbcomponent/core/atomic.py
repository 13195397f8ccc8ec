"""Writing that a crash, a full disk or ``kill -9`` cannot leave half done.

A file is replaced by a rename within its folder. A folder cannot be replaced by one rename where
the target exists, so two folders are exchanged (``renameat2(RENAME_EXCHANGE)`` on Linux,
``renamex_np(RENAME_SWAP)`` on macOS). Where the platform has no exchange, a journal beside the target
says what was under way, and :func:`recover`, which every replacement calls first, completes it.

Beside a target ``OUT/name`` these names may stand for a moment, all in ``OUT``:
``.name.nbcomponent-new`` (what is being written, and after the exchange the former folder),
``.name.nbcomponent-old`` (the former folder, without an exchange) and
``.name.nbcomponent-journal`` (present from the moment the new folder is complete).
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from nbcomponent.core.files import read_regular

STATE_FOLDER = ".nbcomponent"
"""Local state inside an exported folder (runs, evidence): a replacement keeps it."""

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
_RENAME_SWAP = 2


def write_file(path: Path, data: bytes) -> None:
    """Replace the file at ``path`` by ``data``: afterwards it is the former file or all of the new one.

    Raises OSError (also when the disk is full), and then nothing has changed. A symlink at ``path``
    is replaced, not followed.
    """
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name[:100]}.", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except BaseException:  # Ctrl-C and time limits too: what is half written goes away
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


@contextlib.contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Hold ``folder`` (which must exist) against other processes that replace folders in it.

    The lock is on the folder itself, so it leaves no file behind and ends with the process.
    """
    try:
        import fcntl
    except ImportError:  # Windows has no flock; there a lock file stands for it.
        with _lock_file(folder / ".nbcomponent-lock"):
            yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def replace_folder(
    target: Path,
    files: Mapping[str, bytes],
    *,
    keep: tuple[str, ...] = (),
    state: Mapping[str, bytes] | None = None,
    exchange: bool = True,
) -> None:
    """Make the folder ``target`` hold exactly ``files``, at once.

    ``files`` maps relative POSIX paths to contents. ``keep`` are relative paths of the former folder
    that stay as they are (they are linked or copied). ``state`` are files of ``.nbcomponent/`` that
    change together with the folder; the rest of the former ``.nbcomponent/`` moves along.
    ``exchange=False`` uses the journal even where an exchange exists (for tests).

    Raises OSError when something cannot be written; then the former folder is untouched. The parent
    must exist. The caller checks that ``target`` lies where it may write.
    """
    with folder_lock(target.parent):
        recover(target, locked=True)
        steps = _Steps.beside(target)
        try:
            _fill(steps.new, files, target, keep, state or {})
            journal = {"new": steps.new.lstat().st_ino}
            if os.path.lexists(target):
                _write_journal(steps.journal, journal)
        except BaseException:  # Ctrl-C and time limits too: what is half written goes away
            _remove(steps.new)
            steps.journal.unlink(missing_ok=True)
            raise
        if not os.path.lexists(target):
            steps.new.rename(target)
            _sync_folder(target.parent)
            return
        if not (exchange and _exchange(steps.new, target)):
            target.rename(steps.old)
            steps.new.rename(target)
        _sync_folder(target.parent)
        _finish(target, steps)


def recover(target: Path, *, locked: bool = False) -> None:
    """Complete, or take back, a replacement of ``target`` that a crash cut short.

    Cheap when there is nothing to do. ``locked``: the caller holds :func:`folder_lock` of the parent.
    """
    steps = _Steps.beside(target)
    if not any(os.path.lexists(path) for path in (steps.new, steps.old, steps.journal)):
        return
    if not locked:
        with folder_lock(target.parent):
            recover(target, locked=True)
        return
    number = _journal_number(steps.journal)
    if number is None:  # The new folder was not complete yet.
        _remove(steps.new)
        steps.journal.unlink(missing_ok=True)
        return
    if not os.path.lexists(target):
        # Between the two renames of a replacement without exchange: go forward.
        source = steps.new if os.path.lexists(steps.new) else steps.old
        source.rename(target)
    if target.lstat().st_ino == number or os.path.lexists(steps.old):
        _finish(target, steps)
    else:
        _remove(steps.new)
        steps.journal.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class _Steps:
    new: Path
    old: Path
    journal: Path

    @staticmethod
    def beside(target: Path) -> _Steps:
        parent, name = target.parent, target.name
        return _Steps(
            parent / f".{name}.nbcomponent-new",
            parent / f".{name}.nbcomponent-old",
            parent / f".{name}.nbcomponent-journal",
        )


def _fill(
    new: Path,
    files: Mapping[str, bytes],
    former: Path,
    keep: tuple[str, ...],
    state: Mapping[str, bytes],
) -> None:
    new.mkdir()
    folders = {new}
    wanted = {**files, **{f"{STATE_FOLDER}/{name}": data for name, data in state.items()}}
    for name, data in sorted(wanted.items()):
        path = new / name
        path.parent.mkdir(parents=True, exist_ok=True)
        folders.add(path.parent)
        with path.open("xb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
    for name in keep:
        path = new / name
        if os.path.lexists(path):
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        folders.add(path.parent)
        _carry_over(former / name, path)
    for folder in folders:
        _sync_folder(folder)


def _carry_over(source: Path, path: Path) -> None:
    try:
        os.link(source, path, follow_symlinks=False)
    except (OSError, NotImplementedError):
        shutil.copy2(source, path, follow_symlinks=False)


def _finish(target: Path, steps: _Steps) -> None:
    """Move the local state of the former folder into the new one, and clear up."""
    former = steps.old if os.path.lexists(steps.old) else steps.new
    former_state = former / STATE_FOLDER
    if former_state.is_dir() and not former_state.is_symlink():
        state = target / STATE_FOLDER
        state.mkdir(exist_ok=True)
        for entry in sorted(former_state.iterdir()):
            if not os.path.lexists(state / entry.name):
                entry.rename(state / entry.name)
        _sync_folder(state)
    _remove(former)
    steps.journal.unlink(missing_ok=True)


def _write_journal(path: Path, journal: Mapping[str, int]) -> None:
    # Written in place: half a journal reads as none, and nothing has been renamed before it is whole.
    with path.open("w", encoding="utf-8") as stream:
        json.dump(journal, stream)
        stream.flush()
        os.fsync(stream.fileno())
    _sync_folder(path.parent)


def _journal_number(journal: Path) -> int | None:
    try:
        value = json.loads(read_regular(journal))
    except (OSError, ValueError, RecursionError):
        return None
    number = value.get("new") if isinstance(value, dict) else None
    return number if isinstance(number, int) else None


def _remove(path: Path) -> None:
    if not os.path.lexists(path):
        return
    if path.is_symlink() or not path.is_dir():
        path.unlink()
    else:
        shutil.rmtree(path)


def _exchange(left: Path, right: Path) -> bool:
    """Exchange two paths in one step. False where the platform or the file system cannot."""
    library = ctypes.CDLL(None, use_errno=True) if os.name == "posix" else None
    if library is None:
        return False
    if sys.platform == "darwin":
        call = getattr(library, "renamex_np", None)
        arguments: tuple[object, ...] = (os.fsencode(left), os.fsencode(right), _RENAME_SWAP)
    else:
        call = getattr(library, "renameat2", None)
        arguments = (
            _AT_FDCWD,
            os.fsencode(left),
            _AT_FDCWD,
            os.fsencode(right),
            _RENAME_EXCHANGE,
        )
    if call is None:
        return False
    if call(*arguments) == 0:
        return True
    number = ctypes.get_errno()
    if number in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM):
        return False
    raise OSError(number, os.strerror(number), str(right))


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:  # Some file systems cannot sync a folder; the rename is still atomic.
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EBADF):
            raise
    finally:
        os.close(descriptor)


def _umask() -> int:
    value = os.umask(0o022)
    os.umask(value)
    return value


@contextlib.contextmanager
def _lock_file(path: Path) -> Iterator[None]:
    import time

    while True:
        try:
            descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
            break
        except FileExistsError:
            time.sleep(0.05)
    try:
        yield
    finally:
        os.close(descriptor)
        path.unlink(missing_ok=True)
