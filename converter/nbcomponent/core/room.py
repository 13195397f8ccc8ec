"""Room and time for work on input that nobody vouches for: a deep stack, and a time limit.

A sum of two thousand terms is a tree two thousand levels deep, and code that walks trees needs a few
calls for each level: more than Python allows by default, and more C stack than the main thread may
have. :func:`with_room` does such work in a thread of its own, whose stack is large (address space only:
pages that are not touched cost nothing).
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from time import monotonic
from typing import TypeVar, Union

Result = TypeVar("Result")

FRAMES = 60_000
"""Nested calls that work in the room may need: some twenty for each level of the deepest cell."""

STACK_BYTES = 512 * 1024 * 1024

_STOP_SECONDS = 5.0
"""How long work that is told to stop may take to clear up."""

_TELL_AGAIN_SECONDS = 1.0
"""Told once is not always enough: what is raised inside a destructor or a callback is swallowed there."""

_NAME = "nbcomponent-room"

_inside = threading.local()
_setting = threading.Lock()


class TimeLimit(BaseException):
    """The work took longer than allowed. No Exception, so that nothing on the way takes it for its own."""


def with_room(task: Callable[[], Result], seconds: float | None = None) -> Result:
    """``task()``, with a deep stack, for ``seconds`` at most (None: as long as it takes).

    What ``task`` raises is raised here. Inside a room the task is called as it is. Raises
    :class:`TimeLimit`; an interruption (Ctrl-C) ends the task first, so that it can clear up.
    """
    if getattr(_inside, "room", False):
        return task()
    outcome: list[Union[tuple[Result], BaseException]] = []

    def work() -> None:
        _inside.room = True
        try:
            outcome.append((task(),))
        except BaseException as error:  # noqa: BLE001 (raised again in the thread that waits)
            outcome.append(error)

    thread = _started(work)
    if thread is None:  # no thread can be had: better little room than none
        return task()
    try:
        thread.join(seconds)
        if thread.is_alive():
            _stop(thread, TimeLimit)
            if not outcome or isinstance(outcome[0], TimeLimit):
                raise TimeLimit
    except KeyboardInterrupt:
        _stop(thread, KeyboardInterrupt)
        raise
    done = outcome[0]
    if isinstance(done, BaseException):
        try:
            raise done
        finally:
            del done, outcome  # the traceback would keep itself alive
    return done[0]


def is_occupied() -> bool:
    """Whether work that was told to stop goes on in this process (inside C code it hears nothing)."""
    return any(thread.name == _NAME for thread in threading.enumerate())


def _stop(thread: threading.Thread, error: type[BaseException]) -> None:
    """Raise ``error`` in the thread until it ends, or for as long as it may take to clear up."""
    latest = monotonic() + _STOP_SECONDS
    while thread.is_alive() and monotonic() < latest:
        _raise_in(thread, error)
        thread.join(_TELL_AGAIN_SECONDS)


def _started(work: Callable[[], None]) -> threading.Thread | None:
    """A started thread with a large stack; None where the system gives none."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), FRAMES))
    thread = threading.Thread(target=work, name=_NAME, daemon=True)
    with _setting:
        before = threading.stack_size(STACK_BYTES)
        try:
            thread.start()
        except (RuntimeError, MemoryError):
            return None
        finally:
            threading.stack_size(before)
    return thread


def _raise_in(thread: threading.Thread, error: type[BaseException]) -> None:
    """Raise ``error`` in another thread, at its next step in Python."""
    import ctypes

    if thread.ident is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(thread.ident), ctypes.py_object(error)
        )
