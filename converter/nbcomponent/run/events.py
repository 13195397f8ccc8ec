"""Progress of a run, for a terminal or for JupyterLab. Called in the thread that called ``run_pipeline``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from nbcomponent.run.report import StepRun

EventKind = Literal["run-started", "step-started", "step-ended", "run-ended"]


@dataclass(frozen=True, slots=True)
class RunEvent:
    """One thing that happened. ``done`` of ``total`` steps have ended.

    ``step`` is set for steps; ``result`` when one ended (skipped ones too); ``stdout`` and ``stderr`` when one started: its
    logs, which grow while it runs.
    """

    kind: EventKind
    done: int
    total: int
    step: str | None = None
    result: StepRun | None = None
    stdout: Path | None = None
    stderr: Path | None = None


OnEvent = Callable[[RunEvent], None]
