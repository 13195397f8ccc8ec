"""Processes that leave nothing behind: each in its own session, with a guard as its parent.

See ``process_guard`` for how the guard works. POSIX only: process groups have no equal elsewhere.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

GUARD = Path(__file__).with_name("process_guard.py")

GRACE_SECONDS = 5.0
"""How long a process that is told to stop may take before it is killed."""

Outcome = Literal["exited", "timeout", "cancelled", "not started"]


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended.

    ``exit_code`` is None when a signal ended it (``signal``) or it never started (``detail`` says
    why). ``seconds`` is wall-clock time.
    """

    outcome: Outcome
    seconds: float
    exit_code: int | None = None
    signal: int | None = None
    detail: str = ""


class GuardedProcess:
    """A process under a guard, started by the constructor.

    ``argv[0]`` is looked up on the PATH of ``env``. Standard input is empty. ``stdout`` and
    ``stderr`` are files that are appended to. ``remove``: folders that the guard deletes when this
    process dies before :meth:`wait` returned (otherwise they are the caller's to delete).
    ``timeout`` and ``grace`` are seconds. :meth:`stop` may be called from any thread.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        stdout: Path,
        stderr: Path,
        timeout: float | None = None,
        grace: float = GRACE_SECONDS,
        remove: Sequence[Path] = (),
    ) -> None:
        if os.name != "posix":
            raise OSError("nbcomponent runs processes on Linux and macOS only (use WSL on Windows)")
        self._timeout = timeout
        self._started = time.monotonic()
        self._lock = threading.Lock()
        self._cancelled = False
        control_read, control_write = os.pipe()
        status_read, status_write = os.pipe()
        self._control: int | None = control_write
        self._status = status_read
        try:
            self._guard = subprocess.Popen(
                [sys.executable, "-I", "-S", str(GUARD), str(control_read), str(status_write)],
                pass_fds=(control_read, status_write),
                env=dict(env),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                cwd="/",
            )
        except BaseException:  # Ctrl-C too: no descriptor stays open
            os.close(control_write)
            os.close(status_read)
            raise
        finally:
            os.close(control_read)
            os.close(status_write)
        spec = {
            "argv": list(argv),
            "cwd": str(cwd),
            "stdout": str(stdout),
            "stderr": str(stderr),
            "grace": grace,
            "remove": [str(folder) for folder in remove],
        }
        try:
            _write_all(control_write, json.dumps(spec).encode() + b"\n")
        except BaseException:  # Ctrl-C too: no guard stays behind
            self._close()
            raise

    def stop(self, *, at_once: bool = False) -> None:
        """Ask the process to stop (SIGTERM, later SIGKILL); ``at_once`` kills it now."""
        with self._lock:
            self._cancelled = True
            self._order(b"K" if at_once else b"T")

    def wait(self) -> Ended:
        """Wait for the end, or for the timeout and then the end."""
        timed_out = False
        reply = b""
        try:
            while not reply.endswith(b"\n"):
                if not _readable(self._status, self._remaining(timed_out)):
                    if self._remaining(timed_out):
                        continue
                    timed_out = True
                    with self._lock:
                        self._order(b"T")
                    continue
                chunk = os.read(self._status, 65536)
                if not chunk:
                    break
                reply += chunk
        finally:
            self._close()
        seconds = time.monotonic() - self._started
        if not reply:
            return Ended(
                "not started", seconds, detail="the process that guards the step was killed"
            )
        result = json.loads(reply)
        if not result["started"]:
            return Ended("not started", seconds, detail=result["problem"])
        outcome: Outcome = "timeout" if timed_out else "cancelled" if self._cancelled else "exited"
        return Ended(
            outcome,
            float(result["seconds"]),
            exit_code=result.get("exit_code"),
            signal=result.get("signal"),
        )

    def _remaining(self, timed_out: bool) -> float | None:
        if self._timeout is None or timed_out:
            return None
        return max(0.0, self._started + self._timeout - time.monotonic())

    def _order(self, byte: bytes) -> None:
        if self._control is not None:
            with contextlib.suppress(BrokenPipeError):  # it ended by itself
                os.write(self._control, byte)

    def _close(self) -> None:
        with self._lock:
            if self._control is not None:
                os.close(self._control)
                self._control = None
        os.close(self._status)
        self._guard.wait()


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


_LONGEST_WAIT = 24 * 3600.0
"""Seconds. What counts the time of a poll has an end; the caller waits again."""


def _readable(descriptor: int, timeout: float | None) -> bool:
    # poll, not select: a server may hold more than 1024 open files.
    poller = select.poll()
    poller.register(descriptor, select.POLLIN | select.POLLHUP)
    return bool(poller.poll(None if timeout is None else min(timeout, _LONGEST_WAIT) * 1000))
