"""Reading files of which nobody says that they are files, or of what size.

A named pipe would be waited for, a device may have no end and opening it may have effects, a link may lead
in a circle, and a file may be larger than the memory: none of it holds a command up.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Union

LARGEST = 64 * 1024 * 1024
"""Bytes of a file beside the input (a module, a lock file); notebooks may have more."""

_PIECE = 64 * 1024


def read_regular(path: Union[str, Path], most: int = LARGEST) -> bytes:
    """The bytes of a regular file of at most ``most`` bytes.

    Never waits. Raises OSError, whose ``strerror`` says what is wrong, also for what is no regular file
    (EISDIR, EINVAL), too large (EFBIG), or no path at all (EINVAL).
    """
    descriptor = _opened(path)
    try:
        size = os.fstat(descriptor).st_size
        if size > most:
            raise _too_large(size, most, str(path))
        # One byte more, to see the end at once.
        return read_pieces(lambda count: os.read(descriptor, count), most, min(size, most) + 1)
    finally:
        os.close(descriptor)


def read_pieces(read: Callable[[int], bytes], most: int, first: int = 1) -> bytes:
    """All that ``read`` gives, ``most`` bytes at most. Raises OSError (EFBIG) where there is more.

    ``first``: how much is likely there. What a file says of its size may be wrong: it grows, or has none.
    """
    pieces: list[bytes] = []
    count = 0
    while piece := read(max(first - count, _PIECE)):
        pieces.append(piece)
        count += len(piece)
        if count > most:
            raise _too_large(count, most)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def head_of(path: Union[str, Path], count: int) -> bytes:
    """The first ``count`` bytes of a regular file. Never waits. Raises OSError."""
    descriptor = _opened(path)
    try:
        return os.read(descriptor, count)
    finally:
        os.close(descriptor)


def kind_of(path: Union[str, Path]) -> str:
    """``file``, ``folder``, ``pipe``, ``socket`` or ``device``; empty where nothing can be reached there."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116
    except (OSError, ValueError):
        return ""
    return "file" if stat.S_ISREG(mode) else _kind(mode)


def resolved(path: Path) -> Path:
    """``path`` without links. Raises OSError where links lead in a circle (Python to 3.12: RuntimeError)."""
    try:
        return path.resolve()
    except RuntimeError as error:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path)) from error


def _opened(path: Union[str, Path]) -> int:
    """A descriptor of a regular file; nothing else is even opened."""
    try:
        _expect_regular(os.stat(path).st_mode, path)  # noqa: PTH116 (a Path costs as much as the call)
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        descriptor = os.open(path, flags | getattr(os, "O_CLOEXEC", 0))
    except ValueError as error:  # a null character, or half a character
        raise OSError(errno.EINVAL, str(error), str(path)) from error
    try:
        _expect_regular(os.fstat(descriptor).st_mode, path)  # it may have been replaced meanwhile
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _expect_regular(mode: int, path: Union[str, Path]) -> None:
    if stat.S_ISREG(mode):
        return
    number = errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL
    raise OSError(number, f"it is a {_kind(mode)}, not a file", str(path))


def _kind(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "folder"
    if stat.S_ISFIFO(mode):
        return "pipe"
    if stat.S_ISSOCK(mode):
        return "socket"
    return "device"


def _too_large(size: int, most: int, path: str | None = None) -> OSError:
    return OSError(errno.EFBIG, f"it has {size:,} bytes or more; at most {most:,} are read", path)
