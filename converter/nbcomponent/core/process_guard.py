"""The parent of one step's process: nothing that the step started outlives it.

A script of its own, started as ``python -I -S process_guard.py CONTROL STATUS`` by
``nbcomponent.core.processes``; it imports the standard library only, so that it starts quickly.

CONTROL is a pipe. Its first line is the JSON of what to run; after it each byte is an order: ``T`` asks
the step to stop (SIGTERM, then SIGKILL when the grace time is over). The end of the pipe means
that the caller is gone, however it died: the step is killed and its temporary folders removed.
STATUS receives one JSON line when all is over.

On Linux the guard is the reaper of its descendants, so that also daemons that left the process group
end with the step; the step itself dies with the guard. Elsewhere the process group is what is killed.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def _prctl() -> Callable[[int, int], object] | None:
    """``prctl`` of the C library, on Linux only."""
    if not sys.platform.startswith("linux"):
        return None
    import ctypes

    function = ctypes.CDLL(None).prctl
    return lambda option, value: function(option, value, 0, 0, 0)


def _children() -> list[int]:
    """The processes whose parent is this one (Linux; the kernel may offer no list of them)."""
    mine = str(os.getpid())
    found = []
    for entry in os.listdir("/proc") if sys.platform.startswith("linux") else []:  # noqa: PTH208
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", "rb") as stream:  # noqa: PTH123
                fields = stream.read().rpartition(b")")[2].split()
        except OSError:
            continue  # it ended meanwhile
        if len(fields) > 1 and fields[1].decode() == mine:
            found.append(int(entry))
    return found


def _kill(pid: int, number: int, group: bool = False) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if group:
            os.killpg(pid, number)
        else:
            os.kill(pid, number)


def _sweep(group: int) -> None:
    """Kill what is left: the group, then each descendant as it becomes a child of the guard."""
    _kill(group, signal.SIGKILL, group=True)
    deadline = time.monotonic() + 10.0
    while time.monotonic() < deadline:
        for child in _children():
            _kill(child, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.005)


def _why(error: BaseException, program: str) -> str:
    """What to tell about a step that could not start (``program`` is empty before its exec)."""
    if not isinstance(error, OSError) or not error.errno:
        return f"{type(error).__name__}: {error}"
    if program and error.errno == errno.ENOENT:
        return f"{program}: not found on this machine"
    if program and error.errno == errno.E2BIG:
        return "the command line is longer than this machine allows"
    name = program or os.fsdecode(error.filename or "")
    return f"{os.strerror(error.errno)}: {name}" if name else os.strerror(error.errno)


def _start(spec: dict[str, object], prctl: Callable[[int, int], object] | None) -> tuple[int, str]:
    """Start the step; its process id, or 0 and why it could not be started."""
    argv = [str(word) for word in spec["argv"]]  # type: ignore[attr-defined]
    readable, writable = os.pipe()
    pid = os.fork()
    if pid == 0:
        stage = ""
        try:
            os.setsid()
            if prctl is not None:
                prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
                signal.signal(number, signal.SIG_DFL)
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
            nothing = os.open(os.devnull, os.O_RDONLY)
            out = os.open(str(spec["stdout"]), flags, 0o666)
            err = os.open(str(spec["stderr"]), flags, 0o666)
            os.dup2(nothing, 0)
            os.dup2(out, 1)
            os.dup2(err, 2)
            os.closerange(3, writable)
            os.closerange(writable + 1, 256)
            os.chdir(str(spec["cwd"]))
            stage = argv[0]
            os.execvp(argv[0], argv)
        except BaseException as error:  # noqa: BLE001 (this process must end here, and say why)
            os.write(writable, _why(error, stage).encode("utf-8", "backslashreplace")[:4000])
        os._exit(127)
    os.close(writable)
    problem = b""
    while chunk := os.read(readable, 4096):
        problem += chunk
    os.close(readable)
    if not problem:
        return pid, ""
    os.waitpid(pid, 0)
    return 0, problem.decode("utf-8", "replace")


def _watch(pid: int, control: int, orders: bytes, grace: float) -> int | None:
    """Wait for the step, obeying ``orders`` and those to come. Its wait status; None: the caller is gone."""
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake_write)
    deadline: float | None = None
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status
        timeout = None if deadline is None else max(0.0, deadline - time.monotonic())
        if timeout == 0.0:
            _kill(pid, signal.SIGKILL, group=True)
            timeout = 0.2
        if not orders:
            ready, _, _ = select.select([control, wake_read], [], [], timeout)
            if wake_read in ready:
                os.read(wake_read, 512)
            if control in ready:
                orders = os.read(control, 64)
                if not orders:
                    return None
        if b"K" in orders:
            deadline = time.monotonic()
        elif b"T" in orders and deadline is None:
            deadline = time.monotonic() + grace
            _kill(pid, signal.SIGTERM, group=True)
        orders = b""


def main() -> int:
    """Run what CONTROL says and report on STATUS."""
    control, status_pipe = int(sys.argv[1]), int(sys.argv[2])
    os.set_inheritable(control, False)
    os.set_inheritable(status_pipe, False)
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    prctl = _prctl()
    if prctl is not None:
        prctl(_PR_SET_CHILD_SUBREAPER, 1)
    chunks = [b""]
    while b"\n" not in chunks[-1]:
        chunks.append(os.read(control, 65536))
        if not chunks[-1]:
            return 1  # the caller died before it said what to run
    line, _, orders = b"".join(chunks).partition(b"\n")
    spec = json.loads(line)
    started = time.monotonic()
    pid, problem = _start(spec, prctl)
    result: dict[str, object] = {"started": not problem, "problem": problem}
    if pid:
        status = _watch(pid, control, orders, float(spec["grace"]))
        _sweep(pid)
        if status is None:
            import shutil

            for folder in spec["remove"]:
                shutil.rmtree(folder, ignore_errors=True)
            return 1
        if os.WIFSIGNALED(status):
            result["signal"] = os.WTERMSIG(status)
        else:
            result["exit_code"] = os.WEXITSTATUS(status)
    result["seconds"] = time.monotonic() - started
    with contextlib.suppress(BrokenPipeError):
        os.write(status_pipe, json.dumps(result).encode() + b"\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
