"""Notebooks for the tests of the command line, and the command in process and as a process."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from nbcomponent.cli.main import main

Cells = list[tuple[str, str]]
"""Tag (``""``: none) and source of each code cell."""

HIDDEN: Cells = [
    ("", "threshold = max([0.2, 0.5])"),
    ("component:select", "scores = [0.2, 0.9]\nkept = [s for s in scores if s > threshold]\n"),
]
"""One error, NBC101: cell 1, line 2, columns 34 to 43."""

CLEAN: Cells = [("component:main", "import math\narea = math.pi * 2 ** 2\nprint(area)")]


def notebook_text(cells: Cells, **metadata: Any) -> str:
    """An .ipynb file of code cells."""
    return json.dumps(
        {
            "nbformat": 4,
            "nbformat_minor": 5,
            "metadata": {"language_info": {"name": "python"}, **metadata},
            "cells": [
                {
                    "cell_type": "code",
                    "id": f"c{number}",
                    "execution_count": None,
                    "metadata": {"tags": [tag]} if tag else {},
                    "outputs": [],
                    "source": source,
                }
                for number, (tag, source) in enumerate(cells)
            ],
        }
    )


@dataclass(frozen=True)
class Done:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is the current one."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def save(here: Path) -> Callable[..., Path]:
    """Save a notebook in the current folder."""

    def save_notebook(name: str, cells: Cells) -> Path:
        path = here / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(notebook_text(cells), encoding="utf-8")
        return path

    return save_notebook


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Run the command in this process."""

    def run_main(*arguments: str) -> Done:
        capsys.readouterr()
        code = main(list(arguments))
        captured = capsys.readouterr()
        return Done(code, captured.out, captured.err)

    return run_main


@pytest.fixture
def start() -> Callable[..., Done]:
    """Run the command in a process of its own."""

    def run_process(*arguments: str, stdin: str = "", **options: Any) -> Done:
        done = subprocess.run(
            [sys.executable, "-m", "nbcomponent", *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            **options,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    return run_process
