"""The measuring tools are scripts: their folder is put on the path."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

BENCH = Path(__file__).parents[2] / "bench"
sys.path.insert(0, str(BENCH))


def notebook_json(cells: list[str]) -> str:
    """A notebook of format 4 with these code cells."""
    return json.dumps(
        {
            "cells": [
                {
                    "cell_type": "code",
                    "source": source,
                    "metadata": {},
                    "outputs": [],
                    "execution_count": None,
                }
                for source in cells
            ],
            "metadata": {},
            "nbformat": 4,
            "nbformat_minor": 4,
        }
    )


@pytest.fixture(scope="session", name="notebook_json")
def notebook_json_fixture() -> Callable[[list[str]], str]:
    """Make the text of a notebook file."""
    return notebook_json


@pytest.fixture(scope="session")
def run_tool() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run one of the tools with the interpreter of the tests."""

    def run(tool: str, *arguments: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(BENCH / tool), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    return run


@pytest.fixture(scope="session")
def trace(
    run_tool: Callable[..., subprocess.CompletedProcess[str]],
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[list[str]], tuple[dict[str, Any], Path]]:
    """Trace a notebook with these code cells: its trace, and the folder that it is in."""

    def run(cells: list[str]) -> tuple[dict[str, Any], Path]:
        folder = tmp_path_factory.mktemp("traced")
        (folder / "repository").mkdir()
        (folder / "repository" / "a.ipynb").write_text(notebook_json(cells))
        output = folder / "traces.json"
        done = run_tool(
            "trace_reads.py", folder, "-o", output, "--preload", "", "--cell-timeout", 5
        )
        assert done.returncode == 0, done.stderr
        traces = json.loads(output.read_text())["notebooks"]
        return traces[0], folder

    return run
