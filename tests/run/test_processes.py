"""Nothing is left running: not after a timeout, Ctrl-C, kill -9, or a daemon that hid itself."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from nbcomponent.core.processes import Ended, GuardedProcess
from nbcomponent.run.pipeline import run_pipeline

Project = Any

LINGER = """
import os, subprocess, sys, time
from pathlib import Path
# A child, and a daemon in a session of its own.
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
daemon = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
Path(sys.argv[1]).write_text(f"{os.getpid()} {child.pid} {daemon.pid}")
time.sleep(600)
"""


def start(tmp_path: Path, code: str, **options: Any) -> GuardedProcess:
    return GuardedProcess(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=os.environ,
        stdout=tmp_path / "out",
        stderr=tmp_path / "err",
        **options,
    )


def runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def alive(pids: list[int]) -> list[int]:
    """Those of ``pids`` that still run, after they had a moment to end."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        running = [pid for pid in pids if runs(pid)]
        if not running:
            return []
        time.sleep(0.05)
    return running


def wait_for(path: Path) -> list[int]:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if path.exists() and path.read_text().strip():
            return [int(pid) for pid in path.read_text().split()]
        time.sleep(0.02)
    raise AssertionError(f"{path} never came")


def test_exit_codes_signals_and_logs_are_reported(tmp_path: Path) -> None:
    ended = start(
        tmp_path, "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"
    ).wait()
    assert (ended.outcome, ended.exit_code, ended.signal) == ("exited", 3, None)
    assert (tmp_path / "out").read_text() == "out\n"
    assert (tmp_path / "err").read_text() == "err\n"
    ended = start(tmp_path, "import os; os.kill(os.getpid(), 15)").wait()
    assert (ended.outcome, ended.exit_code, ended.signal) == ("exited", None, 15)


@pytest.mark.parametrize(
    ("argv", "cwd", "detail"),
    [
        (["no-such-program"], ".", "no-such-program: not found on this machine"),
        (["./a"], ".", "Permission denied: ./a"),
        (["ls"], "missing", "No such file or directory"),
        (["ls", "x" * 3_000_000], ".", "the command line is longer than this machine allows"),
    ],
)
def test_why_a_program_did_not_start(
    tmp_path: Path, argv: list[str], cwd: str, detail: str
) -> None:
    (tmp_path / "a").write_text("not executable")
    ended = GuardedProcess(
        argv, cwd=tmp_path / cwd, env=os.environ, stdout=tmp_path / "o", stderr=tmp_path / "e"
    ).wait()
    assert ended.outcome == "not started"
    assert detail in ended.detail


def test_a_timeout_ends_the_whole_family(tmp_path: Path) -> None:
    (tmp_path / "linger.py").write_text(LINGER)
    process = start(
        tmp_path, "import sys; sys.argv = ['', 'pids']; exec(open('linger.py').read())", timeout=1.5
    )
    ended = process.wait()
    assert (ended.outcome, ended.signal) == ("timeout", signal.SIGTERM)
    assert alive(wait_for(tmp_path / "pids")) == []


def test_a_process_that_ignores_sigterm_is_killed_after_the_grace_time(tmp_path: Path) -> None:
    code = "import signal, time; signal.signal(15, signal.SIG_IGN); print('up', flush=True); time.sleep(600)"
    started = time.monotonic()
    ended = start(tmp_path, code, timeout=1.0, grace=0.3).wait()
    assert (ended.outcome, ended.signal) == ("timeout", signal.SIGKILL)
    assert time.monotonic() - started < 10


def test_a_process_can_tidy_up_when_it_is_stopped(tmp_path: Path) -> None:
    code = (
        "import signal, sys, time\n"
        "def bye(*_): print('bye', flush=True); sys.exit(0)\n"
        "signal.signal(15, bye); print('up', flush=True); time.sleep(600)"
    )
    process = start(tmp_path, code)
    result: list[Ended] = []
    thread = threading.Thread(target=lambda: result.append(process.wait()))
    thread.start()
    while not (tmp_path / "out").exists() or "up" not in (tmp_path / "out").read_text():
        time.sleep(0.02)
    process.stop()
    thread.join(10)
    assert result[0].outcome == "cancelled"
    assert (tmp_path / "out").read_text() == "up\nbye\n"


def test_daemons_end_with_a_step_that_ends_well(tmp_path: Path) -> None:
    code = (
        "import subprocess, sys, pathlib\n"
        "p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], start_new_session=True)\n"
        "pathlib.Path('pids').write_text(str(p.pid))"
    )
    ended = start(tmp_path, code).wait()
    assert ended.exit_code == 0
    assert alive(wait_for(tmp_path / "pids")) == []


def test_no_descriptor_of_ours_reaches_the_program(tmp_path: Path) -> None:
    start(tmp_path, "import os; print(sorted(os.listdir('/proc/self/fd')))").wait()
    # 3 is the listing itself.
    assert (tmp_path / "out").read_text() == "['0', '1', '2', '3']\n"


@pytest.fixture
def lingering(project: Project) -> Project:
    project.component("linger", LINGER, command=f"python main.py {project.folder}/pids")
    project.step("linger")
    project.component("never", "raise SystemExit('never')", inputs="data: {type: uri_folder}")
    project.step("never", data="${{parent.jobs.linger.outputs.out}}")
    return project


def runner(project: Project, tmp_path: Path) -> subprocess.Popen[bytes]:
    """A process of its own that runs the pipeline, as the command line does."""
    code = (
        "import json, sys\nfrom nbcomponent.run.pipeline import run_pipeline\n"
        "from nbcomponent.run.report import as_json\n"
        "print(json.dumps(as_json(run_pipeline(sys.argv[1]))))"
    )
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    return subprocess.Popen(
        [sys.executable, "-c", code, str(project.write())],
        stdout=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(temporary)},
    )


@pytest.mark.parametrize(
    ("number", "name"), [(signal.SIGINT, "Ctrl-C"), (signal.SIGTERM, "SIGTERM")]
)
def test_ctrl_c_stops_all_and_keeps_the_record(
    lingering: Project, tmp_path: Path, number: signal.Signals, name: str
) -> None:
    process = runner(lingering, tmp_path)
    pids = wait_for(lingering.folder / "pids")
    process.send_signal(number)
    out, _ = process.communicate(timeout=30)
    record = json.loads(out)
    assert record["state"] == "cancelled"
    assert [(s["name"], s["state"], s["reason"]) for s in record["steps"]] == [
        ("linger", "failed", f"stopped by {name}"),
        ("never", "skipped", f"stopped by {name}"),
    ]
    assert json.loads((Path(record["folder"]) / "run.json").read_text()) == record
    assert alive(pids) == []
    assert list((tmp_path / "tmp").iterdir()) == []


def test_kill_9_leaves_no_process_and_no_temporary_folder(
    lingering: Project, tmp_path: Path
) -> None:
    process = runner(lingering, tmp_path)
    pids = wait_for(lingering.folder / "pids")
    process.kill()
    process.communicate(timeout=30)
    assert alive(pids) == []
    deadline = time.monotonic() + 5
    while list((tmp_path / "tmp").iterdir()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert list((tmp_path / "tmp").iterdir()) == []
    (record,) = (lingering.folder / ".nbcomponent" / "runs").glob("2*/run.json")
    assert json.loads(record.read_text())["state"] == "running"


def test_a_run_in_a_thread_is_stopped_by_its_event(lingering: Project) -> None:
    cancel = threading.Event()
    reports: list[Any] = []
    path = lingering.write()
    thread = threading.Thread(target=lambda: reports.append(run_pipeline(path, cancel=cancel)))
    thread.start()
    pids = wait_for(lingering.folder / "pids")
    cancel.set()
    thread.join(30)
    assert reports[0].state == "cancelled"
    assert reports[0].step("linger").reason == "stopped on request"
    assert alive(pids) == []


def test_the_timeout_of_a_step(lingering: Project) -> None:
    report = run_pipeline(lingering.write(), timeout=1.5)
    assert (report.state, report.step("linger").layer) == ("failed", "timeout")
    assert alive(wait_for(lingering.folder / "pids")) == []


def test_long_logs_are_kept_whole_and_in_order(project: Project) -> None:
    project.component(
        "talk",
        "import sys\nfor i in range(5000): print(f'{i:05d}', 'x' * 60); print(i, file=sys.stderr)\nopen(sys.argv[1] + '/f', 'w')",
    )
    project.step("talk")
    step = run_pipeline(project.write()).step("talk")
    assert step.stdout is not None
    assert step.stderr is not None
    lines = step.stdout.read_text().splitlines()
    assert [line[:5] for line in lines] == [f"{i:05d}" for i in range(5000)]
    assert step.stderr.read_text().split() == [str(i) for i in range(5000)]
