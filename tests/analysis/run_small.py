"""Run small notebooks for real: once whole, once the component's cells alone.

Reads ``[{"id", "alone": bool, "cells": [[source, in the component], ...]}, ...]`` on standard input and
writes, for each, what the component's cells printed in both runs. Those that may touch the process, or
need IPython, run in forks of a process that has the libraries imported; plain ones in this process.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import sys
import tempfile
import warnings
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

_SCRATCH = re.compile(r"/tmp(?=/_nbc|'|/\{\}|/%s)")


def run_plain(cells: list[tuple[str, bool]]) -> list[str]:
    """What each cell of the component printed, and the error that ended the run."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    said: list[str] = []
    for source, own in cells:
        out = io.StringIO()
        failed = ""
        try:
            with redirect_stdout(out), redirect_stderr(io.StringIO()):
                exec(compile(source, "cell", "exec", dont_inherit=True), namespace)
        except Exception as error:  # noqa: BLE001 - the cell's own failure is what is asked for
            failed = f"!{type(error).__name__}: {error}"
        if own or failed:
            said.append(failed or out.getvalue())
        if failed:
            break
    return said


def run_in_ipython(cells: list[tuple[str, bool]]) -> list[str]:
    """The same through IPython's own shell."""
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    said: list[str] = []
    for source, own in cells:
        out = io.StringIO()
        with redirect_stdout(out), redirect_stderr(io.StringIO()):
            result = shell.run_cell(source, store_history=True)
        error = result.error_before_exec or result.error_in_exec
        if own or error:
            said.append(out.getvalue() if error is None else f"!{type(error).__name__}: {error}")
        if error:
            break
    return said


def forked(cells: list[tuple[str, bool]], folder: Path) -> list[str]:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        for number in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), number)  # what other programs print
        os.chdir(folder)
        sys.path.insert(0, str(folder))
        warnings.simplefilter("ignore")
        try:
            answer = run_in_ipython([(_SCRATCH.sub(str(folder), s), own) for s, own in cells])
        except BaseException as problem:  # noqa: BLE001 - the parent must hear of anything
            answer = [f"!{type(problem).__name__}: {problem}"]
        with os.fdopen(writing, "w") as pipe:
            json.dump(answer, pipe)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else ["!died"]


def is_plain(source: str) -> bool:
    try:
        compile(source, "cell", "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return "get_ipython" not in source


def main() -> None:
    os.environ.setdefault("MPLBACKEND", "agg")
    from IPython.core.history import HistoryManager
    from IPython.core.interactiveshell import InteractiveShell

    HistoryManager.enabled = False
    import sklearn.ensemble
    import sklearn.linear_model  # noqa: F401

    warnings.simplefilter("ignore")
    home = Path(tempfile.mkdtemp())
    os.environ["IPYTHONDIR"] = str(home / "ipython")
    InteractiveShell.instance(colors="nocolor")
    for wanted in json.load(sys.stdin):
        cells = [(source, own) for source, own in wanted["cells"]]
        own_cells = [(source, own) for source, own in cells if own]
        if wanted["alone"] and all(is_plain(source) for source, _ in cells):
            whole, alone = run_plain(cells), run_plain(own_cells)
        else:
            whole, alone = forked(cells, home / "work"), forked(own_cells, home / "work")
        print(json.dumps({"id": wanted["id"], "whole": whole, "alone": alone}), flush=True)
    shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    main()
