"""Notebooks made of a few cells, exported for real and run in processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from nbcomponent.contract.examine import examine
from nbcomponent.export.build import Export, as_whole, build
from nbcomponent.export.write import Outcome, write_export
from nbcomponent.notebook.reader import read_notebook
from nbcomponent.notebook.tagging import tag

Cell = tuple[str, ...]
"""``(source, tag, ...)`` is a code cell, ``("# text", "markdown")`` a markdown cell,
``("yaml", "raw", "contract:x")`` a raw one."""


def notebook_json(cells: Sequence[Cell], kernel: str = "python3") -> str:
    made = []
    for source, *tags in cells:
        kind = next((k for k in ("markdown", "raw") if k in tags), "code")
        cell: dict[str, Any] = {
            "cell_type": kind,
            "metadata": {"tags": [t for t in tags if t != kind]},
            "source": source,
        }
        if kind == "code":
            cell |= {"execution_count": None, "outputs": []}
        made.append(cell)
    return json.dumps(
        {
            "cells": made,
            "metadata": {
                "kernelspec": {"name": kernel, "display_name": kernel, "language": "python"}
            },
            "nbformat": 4,
            "nbformat_minor": 4,
        }
    )


@dataclass
class Workshop:
    """A folder with a notebook in ``folder`` and the exported components in ``out``."""

    root: Path

    @property
    def folder(self) -> Path:
        return self.root / "work"

    @property
    def out(self) -> Path:
        return self.root / "out"

    def notebook(self, cells: Sequence[Cell], name: str = "nb.ipynb") -> Path:
        self.folder.mkdir(exist_ok=True)
        path = self.folder / name
        path.write_text(notebook_json(cells), encoding="utf-8")
        return path

    def build(
        self,
        cells: Sequence[Cell],
        *,
        boundary: Any = "strict",
        whole: str | None = None,
        name: str = "nb.ipynb",
        refresh_lock: bool = False,
    ) -> Export:
        tagged = tag(read_notebook(str(self.notebook(cells, name))))
        if whole is not None:
            tagged = as_whole(tagged, whole)
        return build(examine(tagged, boundary), out_folder=self.out, refresh_lock=refresh_lock)

    def export(self, cells: Sequence[Cell], **options: Any) -> Outcome:
        export = self.build(cells, **options)
        assert not export.blocked, [d.message for d in export.diagnostics if d.severity == "error"]
        outcome = write_export(export, self.out)
        assert outcome.written
        return outcome

    def script(self, component: str = "train", stem: str = "nb") -> Path:
        return self.out / stem / component / f"run_{component}.py"

    def text(self, component: str = "train") -> str:
        return self.script(component).read_text(encoding="utf-8")

    def run(
        self, *arguments: str, component: str = "train", python: str = sys.executable
    ) -> subprocess.CompletedProcess[str]:
        """Run the script as a job would: its own process, in its own folder, nothing on the path."""
        script = self.script(component)
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        return subprocess.run(
            [python, "-W", "ignore", script.name, *arguments],
            cwd=script.parent,
            env={**environment, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def output(self, *arguments: str, component: str = "train") -> str:
        result = self.run(*arguments, component=component)
        assert result.returncode == 0, result.stderr
        return result.stdout

    def pipeline(self, stem: str = "nb") -> str:
        """What the steps of the exported pipeline print, in order; the run must end well."""
        result = subprocess.run(
            [
                sys.executable,
                "-m",
                "nbcomponent",
                "run",
                str(self.out / stem / "pipeline.yml"),
                "--format",
                "json",
            ],
            cwd=self.root,
            env={**os.environ, "PYTHONWARNINGS": "ignore"},
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
        assert result.stdout, result.stderr
        report = json.loads(result.stdout)
        failed = [s for s in report["steps"] if s["state"] != "executed"]
        assert result.returncode == 0, [(s["name"], s["reason"], s["stderr"]) for s in failed]
        return "".join(s["stdout"] for s in report["steps"])


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path)


@pytest.fixture
def exported(workshop: Workshop) -> Callable[..., Workshop]:
    def export(*cells: Cell, **options: Any) -> Workshop:
        workshop.export(cells, **options)
        return workshop

    return export
