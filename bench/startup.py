"""Start-up time of the installed ``nbcomponent`` command, in bare starts of the same Python.

Usage: ``python bench/startup.py [--rounds N] [COMMAND ...]``

Runs ``python -c pass`` and the console script by turns, and prints the ratio of their medians for
each command line (default: ``--version``, ``--help``, ``explain NBC101``). The target is at most 5
for ``--version``; the exit code is 1 when it is missed.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

TARGET = 5.0
COMMANDS = ("--version", "--help", "explain NBC101")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15, metavar="N")
    parser.add_argument("commands", nargs="*", default=COMMANDS, metavar="COMMAND")
    options = parser.parse_args()
    script = console_script()
    lines = {command: [script, *command.split()] for command in options.commands}
    times = measure({"": [sys.executable, "-c", "pass"], **lines}, options.rounds)
    bare = statistics.median(times.pop(""))
    print(f"python -c pass: {bare * 1000:.1f} ms (median of {options.rounds})")
    missed = False
    for command, seconds in times.items():
        median = statistics.median(seconds)
        ratio = median / bare
        missed |= command == "--version" and ratio > TARGET
        print(f"nbcomponent {command}: {median * 1000:.1f} ms, {ratio:.2f} bare starts")
    return int(missed)


def measure(lines: dict[str, list[str]], rounds: int) -> dict[str, list[float]]:
    """Seconds of each run, the command lines by turns so that a busy machine hits all alike."""
    for line in lines.values():
        run(line)
    times: dict[str, list[float]] = {name: [] for name in lines}
    for _ in range(rounds):
        for name, line in lines.items():
            start = time.perf_counter()
            run(line)
            times[name].append(time.perf_counter() - start)
    return times


def run(line: Sequence[str]) -> None:
    subprocess.run(line, check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)


def console_script() -> str:
    """The ``nbcomponent`` script of this Python's environment."""
    beside = Path(sys.executable).with_name("nbcomponent")
    found = str(beside) if beside.exists() else shutil.which("nbcomponent")
    if found is None:
        sys.exit("nbcomponent is not installed in this environment")
    return found


if __name__ == "__main__":
    sys.exit(main())
