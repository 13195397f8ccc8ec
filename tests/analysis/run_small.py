"""Run small notebooks for real: once whole, once the component's cells alone, each in its own process.

Reads ``[{"id", "cells": [[source, in the component], ...]}, ...]`` on standard input and writes, for each,
what the component's cells printed in both runs. The libraries are imported once; each run is a fork.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
import tempfile
import warnings
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

SCRATCH = "/tmp/_nbc"


def run(cells: list[tuple[str, bool]]) -> list[str]:
    """What each cell of the component printed, and the error that ended the run."""
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
        os.chdir(folder)
        warnings.simplefilter("ignore")
        try:
            answer = run([(s.replace(SCRATCH, f"{folder}/_nbc"), own) for s, own in cells])
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


def main() -> None:
    os.environ.setdefault("MPLBACKEND", "agg")
    from IPython.core.history import HistoryManager
    from IPython.core.interactiveshell import InteractiveShell

    HistoryManager.enabled = False
    import sklearn.ensemble
    import sklearn.linear_model  # noqa: F401

    home = Path(tempfile.mkdtemp())
    os.environ["IPYTHONDIR"] = str(home / "ipython")
    InteractiveShell.instance(colors="nocolor")
    for wanted in json.load(sys.stdin):
        cells = [(source, own) for source, own in wanted["cells"]]
        whole = forked(cells, home / "work")
        alone = forked([(s, own) for s, own in cells if own], home / "work")
        print(json.dumps({"id": wanted["id"], "whole": whole, "alone": alone}), flush=True)
    shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    main()
