"""Trace what the cells of runnable notebooks really read from other cells.

    python bench/trace_reads.py FOLDER -o traces.json

FOLDER holds one folder per repository. Each notebook runs in a process of its own, forked from one
that has the common libraries imported, in a temporary copy of its repository, without network, and
as an unprivileged user where this runs as root (and that user can read this Python). The first cell that fails ends the notebook's trace;
what came before counts. A cell that failed in the author's saved run too may fail. Needs IPython and what the notebooks import.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import importlib
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from notebook_files import SourceNotebook, copy_to_run, note, source_notebooks, table, write_json

PRELOAD = "numpy,pandas,matplotlib.pyplot,scipy.stats,sklearn.linear_model,sklearn.datasets,seaborn"
NOBODY = 65534
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000


@dataclass
class Running:
    """A notebook that runs now."""

    notebook: SourceNotebook
    room: Path
    report: Path
    deadline: float


def open_to_all(path: Path) -> bool:
    """Whether every user may read what is in the folder ``path``."""
    return all(one.stat().st_mode & 0o001 for one in [path, *path.parents])


def drops_privileges() -> bool:
    """Whether notebooks run as nobody: only where that user can read this Python."""
    places = {sys.prefix, sys.base_prefix, str(Path(__file__).resolve().parent)}
    return os.geteuid() == 0 and all(open_to_all(Path(place)) for place in places)


def quiet_environment() -> None:
    """One thread per process, no windows, no network through proxies."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    os.environ.update(MPLBACKEND="Agg", TERM="dumb", PYTHONHASHSEED="0", NO_COLOR="1")
    for name in list(os.environ):
        if name.lower().endswith("_proxy"):
            del os.environ[name]


def confine(memory: int) -> None:
    """Take network, privileges and unbounded memory from this process (as far as it may)."""
    libc = ctypes.CDLL(None, use_errno=True)
    root = os.geteuid() == 0
    libc.unshare(CLONE_NEWNET if root else CLONE_NEWUSER | CLONE_NEWNET)
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (500 << 20, 500 << 20))
    if drops_privileges():
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def give_away(room: Path) -> None:
    """Let the unprivileged user write in ``room``."""
    if drops_privileges():
        for folder, _, files in os.walk(room):
            os.chown(folder, NOBODY, NOBODY)
            for name in files:
                os.chown(Path(folder) / name, NOBODY, NOBODY, follow_symlinks=False)


def child(notebook: SourceNotebook, folder: Path, report: int, options: argparse.Namespace) -> None:
    """Run the cells; one line of JSON per cell goes to ``report`` as soon as it is done."""
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115
    os.chdir(folder)
    os.environ.update(HOME=str(folder), TMPDIR=str(folder), IPYTHONDIR=str(folder / ".ipython"))
    tempfile.tempdir = None
    confine(options.memory << 20)
    sys.path.insert(0, "")
    warnings.simplefilter("ignore")
    from recording import Session

    random.seed(options.seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(options.seed % 2**32)
    session = Session()
    for index, source in notebook.cells:
        record = session.run(index, source, options.cell_timeout)
        if record.status == "error" and index in notebook.expected_errors:
            record.status = "expected"
        os.write(report, (json.dumps(record.as_json()) + "\n").encode())
        if record.status not in ("ok", "expected"):
            break


def start(notebook: SourceNotebook, options: argparse.Namespace) -> tuple[int, Running]:
    """Fork the process of one notebook."""
    room = Path(tempfile.mkdtemp(prefix="trace-"))
    room.chmod(0o711)
    folder = copy_to_run(notebook, room, options.copy_limit << 20)
    give_away(room)
    handle, name = tempfile.mkstemp(prefix="trace-", suffix=".jsonl")
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            child(notebook, folder, handle, options)
            status = 0
        finally:
            os._exit(status)
    os.close(handle)
    return pid, Running(notebook, room, Path(name), time.monotonic() + options.notebook_timeout)


def finish(running: Running, status: str) -> dict[str, Any]:
    """The trace of a notebook whose process has ended."""
    cells = []
    for line in running.report.read_text().splitlines():
        with contextlib.suppress(ValueError):
            cells.append(json.loads(line))
    running.report.unlink()
    shutil.rmtree(running.room, ignore_errors=True)
    if cells and cells[-1]["status"] not in ("ok", "expected"):
        status = cells[-1]["status"]
    elif status == "complete" and len(cells) != len(running.notebook.cells):
        status = "died"
    return {
        "path": running.notebook.relative,
        "identity": running.notebook.identity,
        "status": status,
        "code_cells": len(running.notebook.cells),
        "cells": cells,
    }


def trace_all(notebooks: list[SourceNotebook], options: argparse.Namespace) -> list[dict[str, Any]]:
    """Trace every notebook, ``options.jobs`` at a time, until ``options.minutes`` are over."""
    waiting, running, traces = list(reversed(notebooks)), dict[int, Running](), []
    end = time.monotonic() + options.minutes * 60
    while waiting or running:
        while waiting and len(running) < options.jobs and time.monotonic() < end:
            pid, one = start(waiting.pop(), options)
            running[pid] = one
        if time.monotonic() >= end:
            waiting.clear()
        for pid, one in list(running.items()):
            done, status = os.waitpid(pid, os.WNOHANG)
            late = time.monotonic() > one.deadline
            if done or late:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(pid, signal.SIGKILL)
                if not done:
                    os.waitpid(pid, 0)
                trace = finish(
                    one, "complete" if done and status == 0 else "timeout" if late else "died"
                )
                del running[pid]
                traces.append(trace)
                note(
                    f"{len(traces):4} {trace['status']:9} {len(trace['cells'])}/{trace['code_cells']} {trace['path']}"
                )
        time.sleep(0.02)
    return sorted(traces, key=lambda trace: str(trace["path"]))


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("folder", type=Path, help="notebooks, one folder per repository")
    made.add_argument("-o", "--output", type=Path, help="write the traces here, as JSON")
    made.add_argument(
        "--seed", type=int, default=0, help="draws notebooks, and seeds their generators"
    )
    made.add_argument(
        "--max-notebooks", type=int, default=10_000, help="trace so many, drawn by the seed"
    )
    made.add_argument("--cell-timeout", type=float, default=60, metavar="S")
    made.add_argument("--notebook-timeout", type=float, default=180, metavar="S")
    made.add_argument(
        "--minutes", type=float, default=60, help="start no further notebook after so long"
    )
    made.add_argument("--jobs", type=int, default=1)
    made.add_argument(
        "--memory", type=int, default=6000, metavar="MB", help="address space per notebook"
    )
    made.add_argument(
        "--copy-limit",
        type=int,
        default=150,
        metavar="MB",
        help="of larger repositories only the notebook's folder is copied",
    )
    made.add_argument(
        "--preload", default=PRELOAD, metavar="MODULES", help="import these once, before forking"
    )
    made.add_argument(
        "--only", default="", metavar="TEXT", help="only notebooks whose path holds this"
    )
    return made


def main(argv: list[str] | None = None) -> int:
    """Trace, write, and print a summary."""
    options = parser().parse_args(argv)
    quiet_environment()
    notebooks = [n for n in source_notebooks(options.folder) if options.only in n.relative]
    random.Random(options.seed).shuffle(notebooks)
    importlib.import_module("IPython")
    for module in filter(None, options.preload.split(",")):
        with contextlib.suppress(ImportError):
            importlib.import_module(module)
    traces = trace_all(notebooks[: options.max_notebooks], options)
    write_json(
        options.output,
        {
            "folder": str(options.folder),
            "python": sys.version.split()[0],
            "seed": options.seed,
            "notebooks": traces,
        },
    )
    rows = []
    groups: dict[str, list[dict[str, Any]]] = {}
    for trace in traces:
        groups.setdefault(trace["path"].split("/")[0], []).append(trace)
    for name, group in [*sorted(groups.items()), ("all", traces)]:
        states = Counter(trace["status"] for trace in group)
        ran = sum(cell["status"] == "ok" for trace in group for cell in trace["cells"])
        reads = sum(
            read[1] not in (cell["cell"], -1)
            for trace in group
            for cell in trace["cells"]
            for read in cell["reads"]
        )
        rows.append(
            (
                name,
                len(group),
                states["complete"],
                states["error"],
                states["timeout"],
                states["died"],
                ran,
                reads,
            )
        )
    print(
        table(
            rows,
            (
                "repository",
                "notebooks",
                "complete",
                "error",
                "timeout",
                "died",
                "cells run",
                "reads across cells",
            ),
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
