"""Time, memory, interruption: no file may take the others with it."""

from __future__ import annotations

import contextlib
import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hostile_contents import GOOD, A, cell, notebook

from nbcomponent.cli import batch
from nbcomponent.cli.batch import Failure, run_batch
from nbcomponent.cli.main import main
from nbcomponent.core.room import STACK_BYTES, TimeLimit, with_room


def tangled(functions: int) -> bytes:
    """Functions that all call each other: the work grows with the square of their number."""
    calls = "\n".join(f"    f{number}(x)" for number in range(functions))
    text = "\n".join(f"def f{number}(x):\n{calls}" for number in range(functions))
    return notebook(cell(text), cell("f0(1)", A))


LARGE_AND_SLOW = tangled(330)
"""More than a million bytes."""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "nbcomponent", *arguments]


# Time


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_one_slow_file_is_given_up_and_the_others_are_done(
    jobs: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(6):
        (here / f"good{number}.ipynb").write_bytes(GOOD)
    (here / "good2-slow.ipynb").write_bytes(LARGE_AND_SLOW)
    started = time.monotonic()
    code = main(["check", ".", "--timeout", "0.7", "--jobs", jobs, "--format", "json"])
    assert time.monotonic() - started < 40
    assert code == 2
    reports = json.loads(capsys.readouterr().out)["files"]
    said = {r["path"]: [d["code"] for d in r["diagnostics"]] for r in reports}
    assert said.pop("good2-slow.ipynb") == ["NBC947"]
    assert set(map(tuple, said.values())) == {()}
    assert len(said) == 6


@pytest.mark.parametrize("large", [True, False])
def test_a_single_slow_file(large: bool, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "slow.ipynb").write_bytes(LARGE_AND_SLOW if large else classes(2_000))
    assert main(["check", "slow.ipynb", "--timeout", "0.5", "--format", "text"]) == 2
    said = capsys.readouterr().out
    assert "NBC947 this file is too complex: it was not done within 0.5 seconds" in said
    assert main(["export", "slow.ipynb", "--timeout", "0.5", "-o", "out", "--quiet"]) == 2
    assert not (here / "out").exists()


@pytest.mark.parametrize("given", ["-1", "x", "nan", "inf", ""])
def test_time_limits_that_are_none(given: str, here: Path) -> None:
    (here / "good.ipynb").write_bytes(GOOD)
    assert main(["check", ".", f"--timeout={given}"]) == 2


def sleep(seconds: float) -> float:
    """Sits in C code, where no exception reaches it."""
    time.sleep(seconds)
    return seconds


def test_a_worker_that_heeds_no_limit_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "_GRACE_SECONDS", 0.5)
    started = time.monotonic()
    outcomes = run_batch(sleep, [0.0, 60.0, 0.01, 0.02], 2, timeout=0.5)
    assert time.monotonic() - started < 20
    assert outcomes == [
        0.0, Failure("timeout", "it was not done within 0.5 seconds"), 0.01, 0.02,
    ]  # fmt: skip


def test_a_room_has_a_deep_stack_and_a_limit() -> None:
    def deep(levels: int) -> int:
        return levels and deep(levels - 1) + 1

    def endless() -> None:
        while True:
            pass

    assert with_room(lambda: deep(20_000)) == 20_000
    with pytest.raises(TimeLimit):
        with_room(endless, 0.2)
    with pytest.raises(ZeroDivisionError):
        with_room(lambda: 1 // 0)


def test_work_that_swallows_its_end_is_told_again() -> None:
    ends = []

    def stubborn() -> None:
        try:
            while True:
                pass
        except BaseException as end:  # noqa: BLE001 (as Python does in a weak reference's callback)
            ends.append(type(end))
        while True:
            pass

    with pytest.raises(TimeLimit):
        with_room(stubborn, 0.1)
    assert ends == [TimeLimit]


def test_work_inside_a_room_has_limits_of_its_own() -> None:
    done: list[str] = []

    def endless() -> None:
        while True:
            pass

    def stubborn() -> str:
        with contextlib.suppress(TimeLimit):
            endless()
        return "late"

    def several() -> str:
        for work in (endless, stubborn, endless):
            with contextlib.suppress(TimeLimit):
                done.append(str(with_room(work, 0.1)))
            done.append("stopped")
        assert with_room(lambda: 1, 5.0) == 1
        time.sleep(0.6)  # nobody is told once the work is done
        return "end"

    assert with_room(several) == "end"
    assert done == ["stopped"] * 3


def linger(seconds: float) -> int:
    """Says which process it runs in, and heeds no limit for some seconds."""
    latest = time.monotonic() + seconds
    while time.monotonic() < latest:
        with contextlib.suppress(BaseException):
            time.sleep(0.05)
    return os.getpid()


def test_no_item_shares_a_process_with_work_that_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "_GRACE_SECONDS", 1.0)
    first, late, last = run_batch(linger, [0.0, 30.0, 0.0], 1, timeout=0.3)
    assert late == Failure("timeout", "it was not done within 0.3 seconds")
    assert isinstance(first, int)
    assert isinstance(last, int)
    assert first != last


def statements(count: int) -> bytes:
    cells = [cell("def f(x): return x\nx = 0"), *[cell("x = x + f(x)")] * count]
    return notebook(*cells, cell("print(x)", A))


def stores(count: int) -> bytes:
    put = "\n".join(f"def f{n}(): return d\nd['k{n}'] = f{n}" for n in range(count))
    return notebook(cell("d = {}"), cell(put), cell("d['k0']()", A))


def aliases(count: int) -> bytes:
    cells = [cell(f"x{n + 1} = x{n}; x{n}.append({n})") for n in range(count)]
    return notebook(cell("x0 = []"), *cells, cell(f"x{count}.append(1)\nprint(x0)", A))


def chain(count: int) -> bytes:
    made = "\n".join(f"def f{n}(a): return f{n + 1}(a)" for n in range(count))
    return notebook(cell(made + f"\ndef f{count}(a): return a"), cell("f0([])", A))


def container(count: int) -> bytes:
    made = "\n".join(f"def f{n}(): return v{n}" for n in range(count))
    listed = ", ".join(f"f{n}" for n in range(count))
    return notebook(cell(made), cell(f"t = [{listed}]"), cell("for f in t: f()", A))


def classes(count: int) -> bytes:
    made = "\n".join(
        f"class K{n}({f'K{n - 1}' if n else 'object'}):\n    def m(self): return v{n}"
        for n in range(count)
    )
    return notebook(cell(made), cell(f"o = K{count - 1}()\no.m()", A))


def crossing(count: int) -> bytes:
    cells = [
        cell(
            f"x{n % 97} = x{n * 7 % 97} + y{n % 13}\ny{n % 13} = x{n % 97}", f"component:c{n % 50}"
        )
        for n in range(count)
    ]
    return notebook(*cells)


def pipeline(count: int) -> bytes:
    """As many components, each with what the one before made."""
    cells = [cell("x0 = 1", "component:c0")]
    cells += [cell(f"x{n} = x{n - 1} + 1\n!echo x{n}", f"component:c{n}") for n in range(1, count)]
    return notebook(*cells)


def stars(count: int) -> bytes:
    imports = "\n".join(f"from m{n} import *" for n in range(count))
    return notebook(cell(imports), cell("\n".join(f"print(n{n})" for n in range(count)), A))


def names(count: int) -> bytes:
    made = "\n".join(f"n{n} = g({n})" for n in range(count))
    return notebook(cell(made), cell("\n".join(f"print(n{n})" for n in range(count)), A))


def shared_values(count: int) -> bytes:
    made = "v0 = []\n" + "\n".join(f"v{n + 1} = [v{n}]" for n in range(count))
    used = "\n".join(f"v{n}.append(1)" for n in range(count))
    return notebook(cell(made, A), cell(used, "component:b"))


@pytest.mark.parametrize(
    ("make", "count"),
    [(statements, 2_000), (stores, 400), (aliases, 600), (chain, 2_000), (container, 800), (classes, 400), (crossing, 1_000),
     (stars, 300), (names, 3_000), (shared_values, 200), (pipeline, 2_500)],
    ids=lambda value: getattr(value, "__name__", None),
)  # fmt: skip
@pytest.mark.parametrize("boundary", ["strict", "auto"])
def test_large_notebooks_take_seconds(
    make: Callable[[int], bytes],
    count: int,
    boundary: str,
    here: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (here / "large.ipynb").write_bytes(make(count))
    # By far: a machine that is busy otherwise may take ten times as long as an idle one.
    code = main(["check", ".", "--boundary", boundary, "--timeout", "30", "--format", "json"])
    assert code in (0, 1), capsys.readouterr().out[:300]


# Memory


def gather(count: int) -> int:
    """Takes 8 bytes a time, as what grows without end does."""
    return len([None] * count)


def test_an_item_that_takes_too_much_memory_costs_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "_MOST_MEMORY", STACK_BYTES + 200_000_000)
    too_large = Failure("too-large", "there is not enough memory for it")
    assert run_batch(gather, [10, 100_000_000, 20], 1) == [10, too_large, 20]


def stored(count: int) -> bytes:
    put = "\n".join(f"def f{n}(): return d\nd.append(f{n})" for n in range(count))
    return notebook(cell("d = []"), cell(put), cell("d[0]()", A))


def test_memory_grows_with_what_is_stored_and_not_with_its_square(here: Path) -> None:
    for count in (300, 600, 1_200):
        (here / f"{count}.ipynb").write_bytes(stored(count))
    small, medium, large = (peak(here / f"{count}.ipynb") for count in (300, 600, 1_200))
    assert large - medium < 3 * max(medium - small, 5_000_000)


def peak(path: Path) -> int:
    """The most memory, in bytes, that a check of ``path`` needs."""
    script = (
        "import resource, sys\n"
        "from nbcomponent.cli.main import main\n"
        "code = main(sys.argv[1:])\n"
        "mine = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "workers = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss\n"
        "print(max(mine, workers), file=sys.stderr)\n"
        "sys.exit(code)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "check", str(path), "--quiet"],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    unit = 1 if sys.platform == "darwin" else 1024
    return int(done.stderr.split()[-1]) * unit


@pytest.mark.parametrize("kind", ["text", "many"])
def test_outputs_cost_less_than_one_and_a_half_times_their_size(kind: str, here: Path) -> None:
    outputs: list[dict[str, Any]] = {
        "text": [{"output_type": "stream", "name": "stdout", "text": ["line\n"] * 2_500_000}],
        "many": [{"output_type": "stream", "name": "stdout", "text": "x" * 300}] * 57_500,
    }[kind]
    small, large = here / "small.ipynb", here / "large.ipynb"
    small.write_bytes(GOOD)
    large.write_bytes(notebook(cell("print(1)", A, outputs=outputs)))
    del outputs
    size = large.stat().st_size
    assert size > 19_000_000
    assert peak(large) - peak(small) < 1.5 * size


def test_an_allowance_of_memory_that_is_too_small(here: Path) -> None:
    (here / "a-large.ipynb").write_bytes(notebook(cell("x = [" + "1, " * 3_000_000 + "]", A)))
    (here / "good.ipynb").write_bytes(GOOD)
    limit = 1_100_000_000  # the room's stack takes 512 MB of addresses

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    done = subprocess.run(
        command("check", ".", "--format", "json", "--jobs", "1"),
        capture_output=True, check=False, timeout=100, preexec_fn=limited,
    )  # fmt: skip
    assert done.returncode in (1, 2), done.stderr
    large, good = json.loads(done.stdout)["files"]
    assert [d["code"] for d in large["diagnostics"]] in (["NBC944"], ["NBC903"])
    assert good["diagnostics"] == []


# Interruption


@pytest.mark.parametrize(("count", "large"), [(1, True), (1, False), (3, True)])
def test_ctrl_c_ends_the_work_at_once(count: int, large: bool, here: Path) -> None:
    for number in range(count):
        (here / f"slow{number}.ipynb").write_bytes(LARGE_AND_SLOW if large else classes(2_000))
    process = subprocess.Popen(
        command("check", "."),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    time.sleep(1.5)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert b"Traceback" not in out + err
    assert err.endswith(b"nbcomponent: interrupted\n")


def test_an_export_that_is_killed_leaves_the_former_or_the_new_one(here: Path) -> None:
    def save(number: int) -> None:
        source = f"import math\nversion = {number}\n" + "print(math.pi)\n" * 200
        (here / "nb.ipynb").write_bytes(notebook(cell(source, A)))

    save(0)
    export = command("export", "nb.ipynb", "-o", "out", "--quiet")
    started = time.monotonic()
    subprocess.run(export, check=True, timeout=60)
    usual = time.monotonic() - started
    chance = random.Random(5)
    for number in range(1, 4):
        save(number)
        process = subprocess.Popen(export)
        time.sleep(chance.uniform(0.5, 1.1) * usual)
        process.kill()
        process.wait()
        names = sorted(path.name for path in (here / "out/nb/a").iterdir())
        assert names == ["component.yml", "conda.yml", "contract.yml", "run_a.py"]
        assert (here / "out/nb/a/run_a.py").read_text().count("print(math.pi)") == 200
    subprocess.run(export, check=True, timeout=60)
    assert f"version = {number}" in (here / "out/nb/a/run_a.py").read_text()
    assert [path.name for path in (here / "out").iterdir()] == ["nb"]


def test_a_thousand_notebooks_with_bad_ones_among_them(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(1_000):
        data = b"{" if number % 100 == 7 else GOOD
        (here / f"n{number:03}.ipynb").write_bytes(data)
    assert main(["check", ".", "--format", "json"]) == 2
    reports = json.loads(capsys.readouterr().out)["files"]
    bad = [r["path"] for r in reports if r["diagnostics"]]
    assert len(reports) == 1_000
    assert bad == [f"n{number:03}.ipynb" for number in range(7, 1_000, 100)]


BLANKS = " " * 60_000


@pytest.mark.parametrize(
    "cells",
    [
        [cell("# x" + BLANKS + "x", kind="markdown"), cell("print(1)", A)],
        [cell("# " + "# " * 60_000 + "x", kind="markdown"), cell("print(1)", A)],
        [cell("#| component: a" + BLANKS + "b\nprint(1)")],
        [cell("#| component" + BLANKS + "b\nprint(1)", A)],
        [cell("x: int = 5  # passes [" + BLANKS + "x", "parameters"), cell("print(x)", A)],
        [cell("x: int = 5  # passes (" + "." * 60_000 + "x", "parameters"), cell("print(x)", A)],
        [cell("x: int = 5  # passes [1" + "1 " * 30_000 + "x", "parameters"), cell("print(x)", A)],
        [cell("x: int = 5  # " + "[" * 60_000, "parameters"), cell("print(x)", A)],
        [cell("print(1)  # nbc:" + BLANKS + "ignore[" + BLANKS, A)],
        [cell("%time" + BLANKS + "x" + BLANKS + "= 1", A)],
        [cell("!ls " + "{" * 60_000 + "x", A)],
        [cell("%pip install" + BLANKS + "a" + BLANKS + "==" + BLANKS + "1", A)],
    ],
    ids=["heading", "hashes", "directive", "directive-word", "range", "dots", "numbers", "brackets", "ignore", "magic", "braces", "install"],
)  # fmt: skip
def test_no_search_takes_the_square_of_a_line(cells: list[Any], here: Path) -> None:
    (here / "line.ipynb").write_bytes(notebook(*cells))
    assert main(["export", "line.ipynb", "-o", "out", "--timeout", "10", "--quiet"]) in (0, 1)
