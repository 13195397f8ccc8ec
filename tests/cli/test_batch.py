"""Many items on several processes: order, failures, crashes, interruption."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nbcomponent.cli.batch import Failure, attempt, run_batch, usable_cores


def work(item: int | str) -> object:
    """What the tests let workers do, by item."""
    if item == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if item == "exit":
        os._exit(7)
    if item == "leave":
        sys.exit(9)
    if item == "raise":
        raise ValueError("no good")
    if item == "deep":
        return work(item)
    if item == "large":
        raise MemoryError
    if item == "unsendable":
        return lambda: None
    if item == "slow":
        time.sleep(0.2)
    return (item, os.getpid())


def test_results_keep_the_order_of_the_items() -> None:
    outcomes = run_batch(work, ["slow", *range(30)], jobs=3)
    assert [outcome[0] for outcome in outcomes] == ["slow", *range(30)]  # type: ignore[index]


def test_workers_are_other_processes_and_several() -> None:
    outcomes = run_batch(work, ["slow"] * 4, jobs=2)
    processes = {outcome[1] for outcome in outcomes}  # type: ignore[index]
    assert len(processes) == 2
    assert os.getpid() not in processes


def test_a_single_item_needs_no_process() -> None:
    assert run_batch(work, [1], jobs=4) == [(1, os.getpid())]


def test_nothing_to_do() -> None:
    assert run_batch(work, [], jobs=4) == []


@pytest.mark.parametrize("jobs", [1, 2, 5])
@pytest.mark.parametrize(
    ("item", "said"),
    [
        ("kill", "the process was ended by SIGKILL"),
        ("exit", "the process ended with exit code 7"),
        ("leave", "the process ended with exit code 9"),
    ],
)
def test_worker_that_dies_costs_its_item_only(jobs: int, item: str, said: str) -> None:
    items = [0, item, 2, 3, item, 5, 6]
    outcomes = run_batch(work, items, jobs)
    assert outcomes[1] == outcomes[4] == Failure("crash", said)
    others = [outcome[0] for outcome in outcomes if not isinstance(outcome, Failure)]  # type: ignore[index]
    assert others == [0, 2, 3, 5, 6]


def test_all_workers_die_again_and_again() -> None:
    outcomes = run_batch(work, ["kill"] * 9, jobs=2)
    assert outcomes == [Failure("crash", "the process was ended by SIGKILL")] * 9


def test_exceptions_become_failures() -> None:
    first, deep, large = run_batch(work, ["raise", "deep", "large"], jobs=2)
    assert isinstance(first, Failure)
    assert (first.kind, first.message) == ("fault", "ValueError: no good")
    assert 'raise ValueError("no good")' in first.trace
    assert deep == Failure("too-deep", "it is nested too deeply")
    assert large == Failure("too-large", "there is not enough memory for it")


def test_the_same_failures_in_process() -> None:
    assert attempt(work, "deep") == Failure("too-deep", "it is nested too deeply")
    assert attempt(work, 3) == (3, os.getpid())


def test_result_that_cannot_be_sent() -> None:
    odd, fine = run_batch(work, ["unsendable", 1], jobs=1)
    assert isinstance(odd, Failure)
    assert odd.kind == "fault"
    assert "local object" in odd.message
    assert fine[0] == 1  # type: ignore[index]


def test_progress_counts_every_item() -> None:
    counts: list[int] = []
    run_batch(work, [1, "kill", 3, 4], 2, counts.append)
    assert counts == [1, 2, 3, 4]


def test_no_process_is_left() -> None:
    outcomes = run_batch(work, [1, 2, 3], jobs=2)
    for outcome in outcomes:
        with pytest.raises(ProcessLookupError):
            os.kill(outcome[1], 0)  # type: ignore[index]


def test_usable_cores() -> None:
    assert 1 <= usable_cores() <= (os.cpu_count() or 1)


@pytest.mark.parametrize("blow", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_their_parent(tmp_path: Path, blow: signal.Signals) -> None:
    script = tmp_path / "parent.py"
    script.write_text(
        "import os, sys, time\n"
        "from nbcomponent.cli.batch import run_batch\n"
        "def work(item):\n"
        "    with open(item, 'w') as f: f.write(str(os.getpid()))\n"
        "    os.rename(item, item + '.pid')\n"
        "    time.sleep(5)\n"
        "if __name__ == '__main__':\n"
        "    run_batch(work, [sys.argv[1] + str(n) for n in range(6)], 2)\n"
    )
    parent = subprocess.Popen([sys.executable, script, tmp_path / "w"], stderr=subprocess.DEVNULL)
    until(lambda: len(list(tmp_path.glob("w*.pid"))) >= 2)  # both workers are busy
    parent.send_signal(blow)
    assert parent.wait(10) != 0
    workers = {int(path.read_text()) for path in tmp_path.glob("w*.pid")}
    assert len(workers) == 2
    until(lambda: not any(alive(worker) for worker in workers))


def alive(process: int) -> bool:
    stat = Path(f"/proc/{process}/stat")
    try:
        return stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def until(condition: object, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
