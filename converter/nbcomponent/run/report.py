"""What a run did: plain data, its JSON (``nbcomponent.run/1``) and its text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from nbcomponent.core.diagnostics import Diagnostic

SCHEMA = "nbcomponent.run/1"

StepState = Literal["executed", "reused", "failed", "skipped"]
RunState = Literal["running", "completed", "failed", "cancelled", "refused"]
Layer = Literal[
    "contract", "launch", "environment", "user code", "missing output", "timeout", "cancelled"
]
"""Where a step failed: its inputs were refused; it could not be started; a package is missing or the machine
ended it; its own code; it ended well without a declared output; it took too long; it was stopped."""

_MOST_LOG_TEXT = 1_000_000


@dataclass(frozen=True, slots=True)
class Finding:
    """A diagnostic with the file it belongs to."""

    path: str
    diagnostic: Diagnostic


@dataclass(frozen=True, slots=True)
class StepRun:
    """What became of one step.

    ``outputs`` maps names to absolute paths, ``arguments`` inputs to the text that the script received.
    ``stdout`` and ``stderr`` are log files (None when the step did not start). ``tail`` is the last lines
    of a failed step. ``metrics`` are the numbers in its ``metrics.json``.
    """

    name: str
    state: StepState
    reason: str = ""
    layer: Layer | None = None
    seconds: float = 0.0
    exit_code: int | None = None
    command: tuple[str, ...] = ()
    arguments: Mapping[str, str] = field(default_factory=dict)
    outputs: Mapping[str, str] = field(default_factory=dict)
    stdout: Path | None = None
    stderr: Path | None = None
    tail: tuple[str, ...] = ()
    metrics: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunReport:
    """A run. ``refused``: mistakes in the pipeline (``findings``) stopped it before any step started.

    ``folder`` holds everything of the run; ``outputs`` are the pipeline's own, by name, as absolute paths.
    """

    pipeline: str
    state: RunState
    id: str = ""
    folder: Path | None = None
    started: str = ""
    seconds: float = 0.0
    steps: tuple[StepRun, ...] = ()
    outputs: Mapping[str, str] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """0 when every step ended well, else 1."""
        return 0 if self.state == "completed" else 1

    def step(self, name: str) -> StepRun:
        """The step ``name``. Raises KeyError."""
        for step in self.steps:
            if step.name == name:
                return step
        raise KeyError(name)


def as_json(report: RunReport, *, logs: bool = True) -> dict[str, object]:
    """The report as JSON data.

    ``stdout`` and ``stderr`` hold the text itself (the last million bytes; empty without ``logs``),
    ``stdout_log`` and ``stderr_log`` name the files.
    """
    return {
        "schema": SCHEMA,
        "pipeline": report.pipeline,
        "state": report.state,
        "id": report.id,
        "folder": str(report.folder) if report.folder else None,
        "started": report.started,
        "seconds": round(report.seconds, 3),
        "steps": [_step_json(step, logs) for step in report.steps],
        "outputs": dict(report.outputs),
        "notes": list(report.notes),
        "diagnostics": [_finding_json(finding) for finding in report.findings],
    }


def _step_json(step: StepRun, logs: bool) -> dict[str, object]:
    return {
        "name": step.name,
        "state": step.state,
        "reason": step.reason,
        "layer": step.layer,
        "seconds": round(step.seconds, 3),
        "exit_code": step.exit_code,
        "command": list(step.command),
        "arguments": dict(step.arguments),
        "stdout": log_text(step.stdout) if logs else "",
        "stderr": log_text(step.stderr) if logs else "",
        "stdout_log": str(step.stdout) if step.stdout else None,
        "stderr_log": str(step.stderr) if step.stderr else None,
        "outputs": dict(step.outputs),
        "metrics": dict(step.metrics),
        "notes": list(step.notes),
    }


def _finding_json(finding: Finding) -> dict[str, object]:
    diagnostic, place = finding.diagnostic, finding.diagnostic.place
    return {
        "path": finding.path,
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "cell": place.cell,
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
        "fix": {"title": diagnostic.fix.title, "kind": diagnostic.fix.kind}
        if diagnostic.fix
        else None,
    }


def log_text(path: Path | None, most: int = _MOST_LOG_TEXT) -> str:
    """The text of a log, its last ``most`` bytes where it is longer (then the first line says so)."""
    if path is None:
        return ""
    try:
        with path.open("rb") as stream:
            size = stream.seek(0, 2)
            stream.seek(max(0, size - most))
            data = stream.read(most)
    except OSError:
        return ""
    text = data.decode("utf-8", "replace")
    if size > most:
        text = f"[... {size - most} bytes left out; see {path}]\n{text.partition(chr(10))[2]}"
    return text


def as_text(report: RunReport) -> str:
    """The report for people, without the findings (those are shown like all diagnostics)."""
    lines = [f"{report.pipeline}: {report.state} in {report.seconds:.1f} s"]
    width = max((len(step.name) for step in report.steps), default=0)
    for step in report.steps:
        head = f"  {step.name:<{width}}  {step.state:<8} {step.seconds:6.1f} s"
        lines.append(f"{head}  {step.reason}".rstrip())
        if step.state == "failed":
            lines.append(f"    layer: {step.layer}")
            lines += [f"    | {line}" for line in step.tail]
            if step.stderr is not None:
                lines.append(f"    log: {step.stderr}")
        lines += [f"    {name} = {value:g}" for name, value in step.metrics.items()]
        lines += [f"    note: {note}" for note in step.notes]
    if report.outputs:
        lines.append("outputs:")
        lines += [f"  {name}: {path}" for name, path in report.outputs.items()]
    lines += [f"note: {note}" for note in report.notes]
    if report.folder is not None:
        lines.append(f"record: {report.folder / 'run.json'}")
    return "\n".join(lines) + "\n"
