"""Room and time for work on input that nobody vouches for: a deep stack, and a time limit.

A sum of two thousand terms is a tree two thousand levels deep, and code that walks trees needs a few
calls for each level: more than Python allows by default, and more C stack than the main thread may
have. :func:`with_room` does such work in a thread of its own, whose stack is large (address space only:
pages that are not touched cost nothing). Going there and back costs a tenth of the work on a notebook, so
whoever works on many does all of it inside one room, and each with a limit of its own.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from time import monotonic
from typing import TypeVar, cast

Result = TypeVar("Result")

FRAMES = 60_000
"""Nested calls that work in the room may need: some twenty for each level of the deepest cell."""

STACK_BYTES = 512 * 1024 * 1024

_STOP_SECONDS = 5.0
"""How long work that is told to stop may take to clear up."""

_TELL_AGAIN_SECONDS = 1.0
"""Told once is not always enough: what is raised inside a destructor or a callback is swallowed there."""

_WATCH_SECONDS = 0.25
"""How often the one who waits looks whether a limit set inside the room has passed."""

_inside = threading.local()
_setting = threading.Lock()


class TimeLimit(BaseException):
    """The work took longer than allowed. No Exception, so that nothing on the way takes it for its own."""


class _Room:
    """A thread with a deep stack that does one task after the other."""

    def __init__(self) -> None:
        self.tasks: SimpleQueue[Callable[[], object] | None] = SimpleQueue()
        self.outcomes: SimpleQueue[tuple[object] | BaseException] = SimpleQueue()
        self.thread = threading.Thread(target=self._work, name="nbcomponent-room", daemon=True)
        self._limits = threading.Lock()
        self._until: float | None = None  # of what is done inside with a limit of its own
        self._told = False

    def _work(self) -> None:
        _inside.room = self
        with suppress(TimeLimit, KeyboardInterrupt):  # told to stop when the task had just ended
            while (task := self.tasks.get()) is not None:
                outcome: tuple[object] | BaseException
                try:
                    outcome = (task(),)
                except BaseException as error:  # noqa: BLE001 (raised again in the thread that waits)
                    outcome = error
                del task
                self.outcomes.put(outcome)
                del outcome  # what was made belongs to the one who waits

    def outcome(self, until: float | None) -> tuple[object] | BaseException:
        """What comes of the task, waited for until then (None: for ever); raises ``queue.Empty``."""
        while True:
            left = _WATCH_SECONDS if until is None else until - monotonic()
            try:
                return self.outcomes.get(timeout=max(0.0, min(left, _WATCH_SECONDS)))
            except Empty:
                if until is not None and monotonic() >= until:
                    raise
            self._tell_if_late()

    def _tell_if_late(self) -> None:
        with self._limits:  # what has ended is not told
            if self._until is not None and monotonic() >= self._until:
                self._told, self._until = True, monotonic() + _TELL_AGAIN_SECONDS
                _raise_in(self.thread, TimeLimit)

    def limited(self, task: Callable[[], Result], seconds: float) -> Result:
        """``task()``, called in the room's own thread, told to stop when the time is over."""
        self._told, self._until = False, monotonic() + seconds
        try:
            result = task()
        finally:
            with self._limits:
                self._until = None
        if self._told:  # and did not heed it
            raise TimeLimit
        return result

    def close(self) -> None:
        """End the thread when it has done what it was given."""
        self.tasks.put(None)


# Rooms that wait for work: to start a thread with a fresh stack costs as much as a small notebook.
_idle: list[_Room] = []
_MOST_IDLE = 4
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)  # threads do not survive a fork


def with_room(task: Callable[[], Result], seconds: float | None = None) -> Result:
    """``task()``, with a deep stack, for ``seconds`` at most (None: as long as it takes).

    What ``task`` raises is raised here. Inside a room it is called there. Raises
    :class:`TimeLimit`; an interruption (Ctrl-C) ends the task first, so that it can clear up.
    """
    here: _Room | None = getattr(_inside, "room", None)
    if here is not None:
        return task() if seconds is None else here.limited(task, seconds)
    room = _free_room()
    if room is None:  # no thread can be had: better little room than none
        return task()
    room.tasks.put(task)
    try:
        done = room.outcome(None if seconds is None else monotonic() + seconds)
    except Empty:
        done = _stopped(room, TimeLimit)
    except BaseException as error:  # Ctrl-C, or what another handler of a signal raises
        _stopped(room, type(error))
        raise
    else:
        if len(_idle) < _MOST_IDLE:
            _idle.append(room)
        else:
            room.close()
    if isinstance(done, BaseException):
        try:
            raise done
        finally:
            del done  # the traceback would keep itself alive
    return cast(Result, done[0])


def _stopped(room: _Room, error: type[BaseException]) -> tuple[object] | BaseException:
    """Tell the work in a room to stop, and give the room up; what came of the work, or the limit.

    It is told again until it ends, for as long as it may take to clear up.
    """
    room.close()
    latest = monotonic() + _STOP_SECONDS
    while room.thread.is_alive() and monotonic() < latest:
        _raise_in(room.thread, error)
        try:
            return room.outcomes.get(timeout=_TELL_AGAIN_SECONDS)
        except Empty:
            continue
    return TimeLimit()


def _free_room() -> _Room | None:
    """A room that waits for work, or a new one; None where the system gives no thread."""
    while _idle:
        room = _idle.pop()
        if room.thread.is_alive():
            return room
    sys.setrecursionlimit(max(sys.getrecursionlimit(), FRAMES))
    room = _Room()
    with _setting:
        before = threading.stack_size(STACK_BYTES)
        try:
            room.thread.start()
        except (RuntimeError, MemoryError):
            return None
        finally:
            threading.stack_size(before)
    return room


def _raise_in(thread: threading.Thread, error: type[BaseException]) -> None:
    """Raise ``error`` in another thread, at its next step in Python."""
    import ctypes

    if thread.ident is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(thread.ident), ctypes.py_object(error)
        )
