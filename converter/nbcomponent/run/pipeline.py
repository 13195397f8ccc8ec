"""Run a pipeline job on this machine.

``run_pipeline`` reads ``pipeline.yml`` and nothing private, so what runs here is what ships. Everything of a run
stands in ``.nbcomponent/runs/<run id>/`` beside the pipeline: ``run.json`` (the record, ``nbcomponent.run/1``),
``<step>/<output>``, ``<step>/stdout.log`` and ``stderr.log``, and ``pipeline-outputs/<name>``, links to what the
pipeline itself gives. ``.nbcomponent/runs/latest`` links to the last run.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from pathlib import Path

from nbcomponent.core.atomic import STATE_FOLDER, write_file
from nbcomponent.core.errors import unusable
from nbcomponent.run.events import OnEvent, RunEvent
from nbcomponent.run.plan import Plan, PlannedStep
from nbcomponent.run.planner import make_plan
from nbcomponent.run.report import RunReport, StepRun, as_json
from nbcomponent.run.step import StepContext, StepControl, StepFolder, run_step
from nbcomponent.schema.pipeline import read_pipeline

PIPELINE_OUTPUTS = "pipeline-outputs"
"""Folder of a run with the pipeline's own outputs (a dash: no step of the service is named so)."""

_POLL_SECONDS = 0.2


def run_pipeline(
    path: str | Path,
    sets: Mapping[str, str] | None = None,
    *,
    cwd: Path | None = None,
    step: str | None = None,
    workers: int | None = None,
    timeout: float | None = None,
    python: str = sys.executable,
    on_event: OnEvent | None = None,
    cancel: threading.Event | None = None,
) -> RunReport:
    """Run the pipeline job at ``path``.

    Args:
        path: the pipeline.yml.
        sets: values for inputs, by ``name`` (of the pipeline) or ``step.name``; paths are relative to ``cwd``.
        cwd: where relative paths of ``sets`` start; the current directory by default.
        step: run this one step only; its inputs from other steps come from ``sets``.
        workers: how many steps run at a time; the number of processors, at least 2, by default.
        timeout: seconds that a step may take (``limits.timeout`` of a step counts too).
        python: the interpreter that ``python`` stands for in commands.
        on_event: called as steps start and end, in the calling thread.
        cancel: stops the run when set. In the main thread Ctrl-C and SIGTERM do the same.

    Returns a report: ``completed``, ``failed`` (a step failed), ``cancelled``, or ``refused`` with findings when the
    pipeline has mistakes; then nothing has run. Raises UnusableInput for a file that is no pipeline job or a run folder
    that cannot be written (NBC932), UsageError for a wrong name or value in ``sets`` or ``step``.
    """
    pipeline = read_pipeline(Path(path))
    plan = make_plan(pipeline, sets or {}, cwd or Path.cwd(), step)
    if plan.refused:
        return RunReport(str(path), "refused", findings=plan.findings)
    try:
        folder = _new_run_folder(pipeline.folder.absolute() / STATE_FOLDER)
    except OSError as error:
        name = error.filename or pipeline.folder
        raise unusable(
            str(path), "NBC932", f"the run's folder cannot be written: {error.strerror}: {name}"
        ) from error
    run = _Run(
        plan=plan,
        report=RunReport(
            str(path),
            "running",
            id=folder.name,
            folder=folder,
            started=datetime.now(timezone.utc).isoformat(timespec="seconds"),
            findings=plan.findings,
        ),
        workers=workers or max(2, os.cpu_count() or 1),
        goes_on=pipeline.settings.continue_on_step_failure,
        timeout=timeout,
        python=python,
        on_event=on_event or (lambda event: None),
        cancel=cancel,
    )
    return run.run()


@contextlib.contextmanager
def _orders_to_stop() -> Iterator[list[int]]:
    """Collects SIGINT and SIGTERM instead of letting them end this process in the middle of its books.

    Outside of the main thread, and where somebody else handles them, signals are left alone.
    """
    orders: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield orders
        return
    former = {}
    for number, usual in (
        (signal.SIGINT, signal.default_int_handler),
        (signal.SIGTERM, signal.SIG_DFL),
    ):
        if signal.getsignal(number) is usual:
            former[number] = signal.signal(number, lambda got, _: orders.append(got))
    try:
        yield orders
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


def _new_run_folder(state: Path) -> Path:
    """A new folder for a run; names sort by time and are never used twice."""
    runs = state / "runs"
    runs.mkdir(parents=True, exist_ok=True)
    ignore = state / ".gitignore"
    if not ignore.exists():
        write_file(ignore, b"*\n")
    while True:
        now = datetime.now(timezone.utc).strftime("%Y%m%d-%H%M%S")
        folder = runs / f"{now}-{secrets.token_hex(3)}"
        try:
            folder.mkdir()
        except FileExistsError:
            continue
        return folder


@dataclass(slots=True)
class _Run:
    """One run under way: the scheduler. All methods run in the calling thread."""

    plan: Plan
    report: RunReport
    workers: int
    goes_on: bool
    timeout: float | None
    python: str
    on_event: OnEvent
    cancel: threading.Event | None
    _ended: dict[str, StepRun] = field(default_factory=dict)
    _controls: dict[str, StepControl] = field(default_factory=dict)
    _stopping: str = ""
    _record_problem: str = ""
    _recorded: int = 0
    _record_due: float = 0.0

    @property
    def folder(self) -> Path:
        assert self.report.folder is not None
        return self.report.folder

    def run(self) -> RunReport:
        started = time.monotonic()
        self._write_record()
        self._tell("run-started")
        running: dict[Future[StepRun], str] = {}
        with ThreadPoolExecutor(self.workers, thread_name_prefix="nbcomponent-step") as pool:
            try:
                with _orders_to_stop() as orders:
                    while True:
                        self._obey(orders)
                        self._skip_blocked()
                        self._start_ready(pool, running)
                        if not running:
                            break
                        self._keep_record()
                        self._collect(running)
            finally:
                # Whatever happens here, no step is left running.
                self._stop("the run ended early", at_once=True)
        order = [self._ended[step.name] for step in self.plan.steps]
        failed = any(step.state in ("failed", "skipped") for step in order)
        cancelled = any(step.layer == "cancelled" for step in order) and self._was_cancelled
        self.report = replace(
            self.report,
            state="cancelled" if cancelled else "failed" if failed else "completed",
            seconds=time.monotonic() - started,
            steps=tuple(order),
            outputs=self._link_outputs(),
        )
        self._write_record()
        self._link_latest()
        if self._record_problem:
            self.report = replace(self.report, notes=(*self.report.notes, self._record_problem))
        self._tell("run-ended")
        return self.report

    @property
    def _was_cancelled(self) -> bool:
        return self._stopping.startswith("stopped")

    def _obey(self, orders: list[int]) -> None:
        """Stop the run on Ctrl-C, SIGTERM or a cancellation; a second Ctrl-C kills at once."""
        if self.cancel is not None and self.cancel.is_set() and not self._was_cancelled:
            self._stop("stopped on request")
        while orders:
            name = "Ctrl-C" if orders.pop() == signal.SIGINT else "SIGTERM"
            self._stop(f"stopped by {name}", at_once=self._was_cancelled)

    # Steps

    def _start_ready(self, pool: ThreadPoolExecutor, running: dict[Future[StepRun], str]) -> None:
        if self._stopping:
            return
        for step in self.plan.steps:
            if len(running) >= self.workers:
                return
            if step.name in self._controls or step.name in self._ended:
                continue
            if any(need not in self._ended for need in step.needs):
                continue
            control = StepControl()
            context = self._context(step)
            self._controls[step.name] = control
            running[pool.submit(run_step, step, context, control)] = step.name
            self._tell("step-started", step.name, folder=context.folder)

    def _context(self, step: PlannedStep) -> StepContext:
        paths = {}
        for argument in step.arguments:
            if (source := argument.source) is None:
                continue
            if source.path is not None:
                paths[argument.spec.name] = source.path
            else:
                assert source.step is not None
                assert source.output is not None
                paths[argument.spec.name] = self._output(source.step, source.output)
        return StepContext(
            self.report.id, StepFolder(self.folder / step.name), paths, self.python, self.timeout
        )

    def _output(self, step: str, output: str) -> Path:
        return StepFolder(self.folder / step).output(output)

    def _collect(self, running: dict[Future[StepRun], str]) -> None:
        """Wait a moment for a step to end."""
        done, _ = wait(running, timeout=_POLL_SECONDS, return_when=FIRST_COMPLETED)
        for future in done:
            name = running[future]
            result = future.result()
            del running[future]
            self._end(result)
            if result.state == "failed" and not self.goes_on and not self._stopping:
                self._stop(f"'{name}' failed, and continue_on_step_failure is false")

    def _end(self, result: StepRun) -> None:
        self._ended[result.name] = result
        self._tell("step-ended", result.name, result=result)

    def _skip_blocked(self) -> None:
        """Steps that can no longer run, and those that wait for them."""
        for step in self.plan.steps:
            if step.name in self._ended or step.name in self._controls:
                continue
            if self._stopping:
                self._end(StepRun(step.name, "skipped", self._stopping))
                continue
            for need in sorted(step.needs):
                if need in self._ended and self._ended[need].state in ("failed", "skipped"):
                    verb = "failed" if self._ended[need].state == "failed" else "was skipped"
                    self._end(StepRun(step.name, "skipped", f"'{need}' {verb}"))
                    break

    def _stop(self, reason: str, *, at_once: bool = False) -> None:
        self._stopping = self._stopping or reason
        for name, control in self._controls.items():
            if name not in self._ended:
                control.stop(reason, at_once=at_once)

    # Record and outputs

    def _link_outputs(self) -> dict[str, str]:
        """Links to the pipeline's outputs; the paths of those that exist."""
        found: dict[str, str] = {}
        folder = self.folder / PIPELINE_OUTPUTS
        for name, (step, output) in self.plan.outputs.items():
            source = self._output(step, output)
            if self._ended[step].state not in ("executed", "reused") or not source.exists():
                continue
            found[name] = str(source)
            with contextlib.suppress(OSError):
                folder.mkdir(exist_ok=True)
                (folder / name).symlink_to(Path("..") / step / output)
                found[name] = str(folder / name)
        return found

    def _keep_record(self) -> None:
        """The record of a run under way, which a crash leaves; of a long one it is not written at each step."""
        started = time.monotonic()
        if len(self._ended) == self._recorded or started < self._record_due:
            return
        ended = tuple(self._ended[s.name] for s in self.plan.steps if s.name in self._ended)
        self.report = replace(self.report, steps=ended)
        self._write_record()
        self._recorded = len(ended)
        self._record_due = time.monotonic() + 10 * (time.monotonic() - started)

    def _write_record(self) -> None:
        # While steps run, the log files hold their texts; the last record holds them too.
        content = as_json(self.report, logs=self.report.state != "running")
        data = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
        try:
            write_file(self.folder / "run.json", data.encode("utf-8", "backslashreplace"))
        except OSError as error:
            # The steps decide the run's state; the report says that its record is not whole.
            self._record_problem = f"run.json could not be written: {error.strerror}"

    def _link_latest(self) -> None:
        runs = self.folder.parent
        temporary = runs / f".latest-{self.report.id}"
        with contextlib.suppress(OSError):
            temporary.symlink_to(self.report.id)
            temporary.replace(runs / "latest")

    def _tell(
        self,
        kind: str,
        step: str | None = None,
        result: StepRun | None = None,
        folder: StepFolder | None = None,
    ) -> None:
        self.on_event(
            RunEvent(
                kind,  # type: ignore[arg-type]
                len(self._ended),
                len(self.plan.steps),
                step,
                result,
                folder.stdout if folder else None,
                folder.stderr if folder else None,
            )
        )
