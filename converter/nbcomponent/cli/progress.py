"""A progress line on standard error, on a terminal only."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_WIDTH = 30
_EVERY = 0.1


@contextmanager
def progress(what: str, total: int, quiet: bool = False) -> Iterator[Callable[[int], None]]:
    """Yields a function to call with the number of items done; the line is gone at the end."""
    if quiet or total < 2 or not sys.stderr.isatty():
        yield lambda done: None
        return
    last = 0.0

    def show(done: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < _EVERY and done < total:
            return
        last = now
        filled = _WIDTH * done // total
        bar = "#" * filled + "." * (_WIDTH - filled)
        sys.stderr.write(f"\r{what} [{bar}] {done}/{total}")
        sys.stderr.flush()

    try:
        yield show
    finally:
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()
