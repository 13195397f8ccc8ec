"""One function over many items, on several processes, where no item can stop the others.

A worker that dies (killed for its memory, crashed in C code) costs the item it was working on;
another takes its place. ``concurrent.futures`` would give up all items that wait, and could not say
which one it was.
"""

from __future__ import annotations

import gc
import os
import sys
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, Union

from nbcomponent.core.room import TimeLimit, with_room

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

Item = TypeVar("Item")
Result = TypeVar("Result")

# A worker that does not heed its time limit (it is inside C code) is killed this much later.
_GRACE_SECONDS = 8.0

# What one worker may take, so that a file that needs more cannot take the machine's memory from all others.
_MOST_MEMORY = 4 * 1024**3

# Two: the worker never waits for its next item, and few items wait behind a slow one.
_AHEAD = 2


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no result. ``too-deep`` and ``too-large`` are the item's doing (recursion,
    memory), ``timeout`` one that was not done in time, ``fault`` ours, with ``trace`` the traceback;
    ``crash``: the worker process died."""

    kind: Literal["too-deep", "too-large", "timeout", "fault", "crash"]
    message: str
    trace: str = ""


Outcome = Union[Result, Failure]


def attempt(
    task: Callable[[Item], Result], item: Item, timeout: float | None = None
) -> Outcome[Result]:
    """``task(item)`` within ``timeout`` seconds, with whatever goes wrong as a :class:`Failure`."""
    try:
        return with_room(lambda: task(item), timeout)
    except TimeLimit:
        return _too_slow(timeout)
    except RecursionError:
        return Failure("too-deep", "it is nested too deeply")
    except MemoryError:
        return Failure("too-large", "there is not enough memory for it")
    except Exception as error:  # noqa: BLE001 (a fault of ours on one item must not stop the others)
        import traceback

        return Failure("fault", f"{type(error).__name__}: {error}", traceback.format_exc())


def _too_slow(timeout: float | None) -> Failure:
    return Failure("timeout", f"it was not done within {timeout or 0:g} seconds")


def run_batch(
    task: Callable[[Item], Result],
    items: Sequence[Item],
    jobs: int,
    on_done: Callable[[int], None] = lambda count: None,
    timeout: float | None = None,
    apart: Callable[[Item], bool] = lambda item: False,
) -> list[Outcome[Result]]:
    """``[task(item) for item in items]``, on ``jobs`` processes, in the order of ``items``.

    A single item is worked on in this process, unless ``apart`` says that it may be long inside C code,
    where this process would hear neither its time limit nor Ctrl-C. ``task`` and ``items`` must be picklable; ``on_done``
    hears the number of items done so far. ``timeout``: seconds that one item may take.
    """
    if not items or (len(items) == 1 and not apart(items[0])):
        outcomes = [attempt(task, item, timeout) for item in items]
        on_done(len(items))
        return outcomes
    return _Pool(task, items, on_done, timeout).run(min(jobs, len(items)))


class SeldomCollector:
    """Garbage collection when much was left behind, and not while an item is worked on.

    The trees of a notebook are many objects that nearly all live until it is done: looking through
    them again and again costs a tenth of the time of ``check`` and frees next to nothing. For a
    process that does nothing else.
    """

    most_left = 200_000
    """Objects that may be left behind: some 20 MB."""

    def __init__(self) -> None:
        gc.disable()
        gc.freeze()  # what is loaded by now stays, and need not be looked through

    def between_items(self) -> None:
        """To be called where no item's objects are alive."""
        if gc.get_count()[0] > self.most_left:  # made and not freed since the last collection
            gc.collect()


def usable_cores() -> int:
    """The cores that this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(slots=True, eq=False)
class _Worker:
    process: BaseProcess
    connection: Connection
    given: deque[int] = field(default_factory=deque)
    since: float = 0.0  # when it began the first of those
    overdue: bool = False


class _Pool(Generic[Item, Result]):
    def __init__(
        self,
        task: Callable[[Item], Result],
        items: Sequence[Item],
        on_done: Callable[[int], None],
        timeout: float | None,
    ) -> None:
        import multiprocessing

        # A fork shares what is imported already; elsewhere it is unsafe or missing.
        method = "fork" if sys.platform == "linux" else "spawn"
        self.context = multiprocessing.get_context(method)
        self.forks = method == "fork"
        self.task = task
        self.items = items
        self.on_done = on_done
        self.timeout = timeout
        self.waiting = deque(range(len(items)))
        self.outcomes: dict[int, Outcome[Result]] = {}
        self.workers: list[_Worker] = []

    def run(self, jobs: int) -> list[Outcome[Result]]:
        from multiprocessing.connection import wait

        try:
            for _ in range(jobs):
                self._start()
            while len(self.outcomes) < len(self.items):
                ready = wait([worker.connection for worker in self.workers], self._patience())
                for worker in [w for w in self.workers if w.connection in ready]:
                    self._receive(worker)
                self._kill_overdue()
        finally:
            for worker in self.workers:
                worker.connection.close()
            for worker in self.workers:
                # Idle workers end by themselves when their pipe closes; after an interruption
                # they may be in the middle of a notebook.
                worker.process.join(0.2)
                if worker.process.is_alive():
                    worker.process.kill()
                    worker.process.join()
        return [self.outcomes[number] for number in range(len(self.items))]

    def _start(self) -> None:
        here, there = self.context.Pipe()
        # A forked worker inherits these ends; if it kept them, no worker would notice our death.
        ours = [worker.connection for worker in self.workers] + [here] if self.forks else []
        process: BaseProcess = self.context.Process(  # type: ignore[attr-defined]
            target=_serve, args=(self.task, there, ours, self.timeout), daemon=True
        )
        process.start()
        there.close()
        worker = _Worker(process, here)
        self.workers.append(worker)
        self._feed(worker)

    def _feed(self, worker: _Worker) -> None:
        while self.waiting and len(worker.given) < _AHEAD:
            number = self.waiting.popleft()
            if not worker.given:
                worker.since = monotonic()
            worker.given.append(number)
            try:
                worker.connection.send((number, self.items[number]))
            except OSError:  # it is dead: the next receive says so
                return

    def _receive(self, worker: _Worker) -> None:
        try:
            number, outcome = worker.connection.recv()
        except (EOFError, OSError):
            self._bury(worker)
            return
        worker.given.remove(number)
        worker.since = monotonic()
        self._done(number, outcome)
        self._feed(worker)

    def _patience(self) -> float | None:
        """Seconds until the next worker is overdue; None where none ever is."""
        busy = [worker.since for worker in self.workers if worker.given]
        if self.timeout is None or not busy:
            return None
        return max(0.0, min(busy) + self.timeout + _GRACE_SECONDS - monotonic())

    def _kill_overdue(self) -> None:
        if self.timeout is None:
            return
        latest = monotonic() - self.timeout - _GRACE_SECONDS
        for worker in self.workers:
            if worker.given and worker.since <= latest:
                worker.overdue = True
                worker.process.kill()  # its pipe closes, and the next receive buries it

    def _bury(self, worker: _Worker) -> None:
        worker.connection.close()
        worker.process.join()
        self.workers.remove(worker)
        if worker.given:
            # It works in order: the first item that it owes is the one that killed it.
            number = worker.given.popleft()
            self.waiting.extendleft(reversed(worker.given))
            failure = Failure("crash", _end_of(worker.process.exitcode))
            self._done(number, _too_slow(self.timeout) if worker.overdue else failure)
        if self.waiting:
            self._start()

    def _done(self, number: int, outcome: Outcome[Result]) -> None:
        self.outcomes[number] = outcome
        self.on_done(len(self.outcomes))


def _serve(
    task: Callable[[Any], Any],
    connection: Connection,
    inherited: list[Connection],
    timeout: float | None,
) -> None:
    """What a worker process does: items in, outcomes out, until the pipe closes."""
    import signal

    for other in inherited:
        other.close()
    # Ctrl-C goes to the whole group; the parent alone answers it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _bound_memory(_MOST_MEMORY)
    # All items in one room: they need not be handed to another thread and back.
    with_room(lambda: _serve_items(task, connection, timeout))


def _serve_items(task: Callable[[Any], Any], connection: Connection, timeout: float | None) -> None:
    import pickle

    collector = SeldomCollector()
    while True:
        try:
            number, item = connection.recv()
        except (EOFError, OSError):
            return
        collector.between_items()
        outcome = attempt(task, item, timeout)
        packed = attempt(pickle.dumps, (number, outcome))
        if isinstance(packed, Failure):
            packed = pickle.dumps((number, packed))
        try:
            connection.send_bytes(packed)
        except OSError:  # the parent is gone
            return


def _bound_memory(more: int) -> None:
    """Let this process have ``more`` bytes beyond what it has: then a MemoryError is raised in it."""
    if sys.platform != "linux":
        return  # macOS heeds no such limit
    import resource

    with open("/proc/self/statm", encoding="ascii") as stream:  # noqa: PTH123
        present = int(stream.read().split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = present + more
    if soft == resource.RLIM_INFINITY or wanted < soft:
        resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))


def _end_of(exitcode: int | None) -> str:
    if exitcode is not None and exitcode < 0:
        import signal

        try:
            return f"the process was ended by {signal.Signals(-exitcode).name}"
        except ValueError:
            return f"the process was ended by signal {-exitcode}"
    return f"the process ended with exit code {exitcode}"
