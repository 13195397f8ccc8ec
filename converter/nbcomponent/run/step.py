"""One step: a clean process in a temporary copy of its code, and the verdict on how it ended."""

from __future__ import annotations

import os
import re
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from nbcomponent.core.processes import Ended, GuardedProcess
from nbcomponent.run.code import copy_code
from nbcomponent.run.environment import differences, step_environment, write_python
from nbcomponent.run.metrics import read_metrics
from nbcomponent.run.plan import PlannedStep, command_values
from nbcomponent.run.report import Layer, StepRun, log_text
from nbcomponent.schema.ports import OutputSpec
from nbcomponent.schema.rendering import render

TAIL_LINES = 20
_MOST_SEEN = 10_000


@dataclass(slots=True)
class StepControl:
    """Stops a step from another thread, also one that has not started its process yet."""

    reason: str = ""
    _process: GuardedProcess | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def stop(self, reason: str, *, at_once: bool = False) -> None:
        """Ask the step to stop; ``reason`` goes into the report."""
        with self._lock:
            self.reason = self.reason or reason
            if self._process is not None:
                self._process.stop(at_once=at_once)

    def attach(self, process: GuardedProcess) -> None:
        """From now on ``process`` is what a stop ends."""
        with self._lock:
            self._process = process
            if self.reason:
                process.stop()


@dataclass(frozen=True, slots=True)
class StepFolder:
    """Where a step's outputs and logs stand: ``.nbcomponent/runs/<run>/<step>``."""

    path: Path

    @property
    def stdout(self) -> Path:
        """The log of standard output (its dot keeps it apart from outputs)."""
        return self.path / "stdout.log"

    @property
    def stderr(self) -> Path:
        """The log of standard error."""
        return self.path / "stderr.log"

    def output(self, name: str) -> Path:
        """The path that the script receives for an output."""
        return self.path / name


@dataclass(frozen=True, slots=True)
class StepContext:
    """What a step needs to know of its run. ``timeout`` is in seconds."""

    run_id: str
    folder: StepFolder
    input_paths: Mapping[str, Path]
    python: str = sys.executable
    timeout: float | None = None


class _Failure(Exception):
    def __init__(self, layer: Layer, reason: str) -> None:
        super().__init__(reason)
        self.layer: Layer = layer
        self.reason = reason


def run_step(step: PlannedStep, context: StepContext, control: StepControl) -> StepRun:
    """Run one step to its end. Never raises for what goes wrong with the step itself."""
    started = time.monotonic()
    folder = context.folder
    outputs = {spec.name: folder.output(spec.name) for spec in step.outputs}
    values = command_values(step.arguments, step.outputs, context.input_paths, outputs)
    invocation = render(step.component.command, values)
    arguments = {a.spec.name: values["inputs", a.spec.name].text for a in step.arguments}
    notes = [*step.notes, *_environment_notes(step, context.python)]
    ended: Ended | None = None
    failure: _Failure | None = None
    work: Path | None = None
    try:
        work = Path(tempfile.mkdtemp(prefix=f"nbcomponent-{step.name[:40]}-"))
        _prepare(step, folder, work, context.python, notes)
        before = _seen(context.input_paths)
        ended = _execute(step, context, work, invocation.argv, outputs, control)
        failure = _verdict(step, ended, folder, control.reason)
        if failure is None:
            _collect_artifacts(step, work / "code", folder)
            failure = _outputs_verdict(step, folder, notes) or _inputs_verdict(
                before, _seen(context.input_paths)
            )
    except OSError as error:
        failure = _Failure("launch", _os_reason(error))
    finally:
        if work is not None:
            shutil.rmtree(work, ignore_errors=True)
    metrics = read_metrics(outputs)
    if failure is None:
        missing = [name for name in step.metrics if name not in metrics]
        if metrics and missing:
            notes.append(f"declared metrics that metrics.json does not hold: {', '.join(missing)}")
    seconds = ended.seconds if ended is not None else time.monotonic() - started
    return StepRun(
        name=step.name,
        state="executed" if failure is None else "failed",
        reason=failure.reason if failure else "",
        layer=failure.layer if failure else None,
        seconds=seconds,
        exit_code=ended.exit_code if ended else None,
        command=invocation.argv,
        arguments=arguments,
        outputs={name: str(path) for name, path in outputs.items() if path.exists()},
        stdout=folder.stdout if folder.stdout.exists() else None,
        stderr=folder.stderr if folder.stderr.exists() else None,
        tail=_tail(folder) if failure else (),
        metrics=metrics,
        notes=tuple(notes),
    )


def _environment_notes(step: PlannedStep, python: str) -> tuple[str, ...]:
    environment = step.component.environment
    if environment is None or environment.requirements is None or python != sys.executable:
        return ()
    return differences(environment.requirements)


def _prepare(
    step: PlannedStep, folder: StepFolder, work: Path, python: str, notes: list[str]
) -> None:
    """The working directory, the interpreter's name, and the places of the outputs."""
    component = step.component
    code = work / "code"
    code.mkdir()
    includes = [component.folder / include for include in component.additional_includes]
    notes += copy_code(component.code.path if component.code else None, includes, code)
    for name in ("outputs", "logs"):
        (code / name).mkdir(exist_ok=True)  # the service makes both
    write_python(work / "bin", python)
    folder.path.mkdir(parents=True)
    for spec in step.outputs:
        if spec.type != "uri_file":
            folder.output(spec.name).mkdir()


def _execute(
    step: PlannedStep,
    context: StepContext,
    work: Path,
    argv: tuple[str, ...],
    outputs: Mapping[str, Path],
    control: StepControl,
) -> Ended:
    if control.reason:
        return Ended("cancelled", 0.0)
    environment = step_environment(
        os.environ,
        run_id=context.run_id,
        step=step.name,
        declared=step.environment_variables,
        inputs={name: str(path) for name, path in context.input_paths.items()},
        outputs={name: str(path) for name, path in outputs.items()},
        programs=work / "bin",
        distribution=step.component.distribution,
    )
    if argv[0] in ("python", "python3"):
        argv = (context.python, *argv[1:])
    limits = [limit for limit in (context.timeout, step.timeout) if limit is not None]
    process = GuardedProcess(
        argv,
        cwd=work / "code",
        env=environment,
        stdout=context.folder.stdout,
        stderr=context.folder.stderr,
        timeout=min(limits, default=None),
        remove=(work,),
    )
    control.attach(process)
    return process.wait()


# Verdicts

_IMPORT = re.compile(r"(?:\w+\.)*(?:ModuleNotFoundError|ImportError): (.*)")
_DATA_CHECK = re.compile(r"error: -{0,2}([A-Za-z_]\w*): expected .*")
"""What exported scripts say of data that is not as the contract has it, with exit code 1."""
_EXCEPTION = re.compile(r"[A-Za-z_][\w.]*(?:Error|Exception|Warning|Interrupt|Exit)\b.*|\w+: .*")


def _verdict(step: PlannedStep, ended: Ended, folder: StepFolder, stopped: str) -> _Failure | None:
    """Why the process failed; None when it ended well."""
    if ended.outcome == "not started":
        return _Failure("launch", ended.detail)
    if ended.outcome == "timeout":
        return _Failure("timeout", "it ran longer than its timeout and was stopped")
    if stopped and (ended.outcome == "cancelled" or ended.exit_code != 0):
        return _Failure("cancelled", stopped)
    if ended.signal is not None:
        name = signal.Signals(ended.signal).name
        if ended.signal == signal.SIGKILL:
            return _Failure("environment", f"killed by {name}; the machine may be out of memory")
        return _Failure("user code", f"ended by the signal {name}")
    if ended.exit_code == 0:
        return None
    lines = [line.strip() for line in _last_lines(folder.stderr, 50) if line.strip()]
    last = lines[-1] if lines else ""
    code = f"exit code {ended.exit_code}"
    found = next((m for line in reversed(lines[-5:]) if (m := _IMPORT.match(line))), None)
    if found is not None:
        return _Failure("environment", f"{code}: {found[0]}")
    check = next((m for line in reversed(lines[-10:]) if (m := _DATA_CHECK.match(line))), None)
    if check is not None and ended.exit_code == 1:
        is_output = check[1] in {spec.name for spec in step.outputs}
        return _Failure("missing output" if is_output else "contract", f"{code}: {check[0]}")
    if ended.exit_code == 127 and "not found" in last:
        return _Failure("launch", f"{code}: {last}")
    if ended.exit_code == 2 and re.search(r"\berror: ", last):
        return _Failure("contract", f"{code}: {last}")
    if last.startswith(("python", "/")) and "can't open file" in last:
        return _Failure("launch", f"{code}: {last}")
    return _Failure("user code", f"{code}: {last}" if _EXCEPTION.match(last) else code)


def _outputs_verdict(step: PlannedStep, folder: StepFolder, notes: list[str]) -> _Failure | None:
    """Whether each declared output was written. One that the command does not name is only noted."""
    named = {ref.name for ref, _ in step.component.command.refs() if ref.side == "outputs"}
    missing = []
    for spec in step.outputs:
        problem = _output_problem(spec, folder.output(spec.name))
        if problem is None:
            continue
        if spec.name in named:
            missing.append(f"'{spec.name}' ({spec.type}) {problem}")
        else:
            notes.append(f"the output '{spec.name}' {problem}; the command does not name it")
    if not missing:
        return None
    return _Failure("missing output", f"it ended well, but its output {', '.join(missing)}")


def _output_problem(spec: OutputSpec, path: Path) -> str | None:
    if spec.type == "uri_file":
        if path.is_dir():
            return "is a folder, not a file"
        return None if path.exists() else "was not written"
    if not path.exists():
        return "was not written"
    if path.is_dir():
        with os.scandir(path) as entries:
            return (
                None if next(entries, None) is not None else "is empty: nothing was written into it"
            )
    return "is a file, not a folder" if spec.type in ("uri_folder", "mltable") else None


_Snapshot = dict[str, tuple[int, int]]


def _seen(paths: Mapping[str, Path]) -> dict[str, _Snapshot]:
    """Sizes and times of the files of each input, of the first ten thousand."""
    return {name: _snapshot(path) for name, path in paths.items()}


def _snapshot(root: Path) -> _Snapshot:
    found: _Snapshot = {}
    pending = [root]
    while pending and len(found) < _MOST_SEEN:
        path = pending.pop()
        try:
            if (path.is_dir() and not path.is_symlink()) or (path == root and path.is_dir()):
                pending += sorted(p for p in path.iterdir() if p.name != "__pycache__")
            else:
                status = path.lstat() if path.is_symlink() else path.stat()
                found[str(path)] = (status.st_size, status.st_mtime_ns)
        except OSError:
            continue  # it went away, or is not ours to read
    return found


def _inputs_verdict(
    before: Mapping[str, _Snapshot], after: Mapping[str, _Snapshot]
) -> _Failure | None:
    """Inputs are read-only in the service; here a step could change what others read."""
    for name, files in before.items():
        if after.get(name) != files:
            now = after.get(name, {})
            changed = sorted(path for path in {*files, *now} if files.get(path) != now.get(path))
            return _Failure(
                "contract",
                f"the input '{name}' was changed while the step ran: {changed[0]}; inputs are read-only",
            )
    return None


def _collect_artifacts(step: PlannedStep, code: Path, folder: StepFolder) -> None:
    """What the script wrote to ``./outputs`` and ``./logs``, which the service keeps.

    An output named ``artifacts`` is the service's name for them, where a pipeline binds to it.
    """
    named = {ref.name for ref, _ in step.component.command.refs() if ref.side == "outputs"}
    is_declared = any(spec.name == "artifacts" for spec in step.outputs)
    target = folder.output("artifacts")
    if is_declared and "artifacts" in named:
        target = folder.path / "job.artifacts"
    for name in ("outputs", "logs"):
        source = code / name
        if any(source.iterdir()):
            shutil.copytree(source, target / name, symlinks=True, dirs_exist_ok=True)


def _os_reason(error: OSError) -> str:
    name = f": {error.filename}" if error.filename else ""
    return f"{error.strerror or error}{name}"


def _last_lines(path: Path, count: int) -> list[str]:
    return log_text(path, 65_536).splitlines()[-count:]


def _tail(folder: StepFolder) -> tuple[str, ...]:
    lines = _last_lines(folder.stderr, TAIL_LINES) or _last_lines(folder.stdout, TAIL_LINES)
    return tuple(line[:500] for line in lines)
