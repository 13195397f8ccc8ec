"""The command itself: start-up, help, usage errors, pipes and signals."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from nbcomponent import __version__
from nbcomponent.cli.main import COMMANDS, main

HEAVY = (
    "IPython",
    "nbformat",
    "importlib.metadata",
    "mlflow",
    "azure",
    "jupyter_core",
    "jupyter_server",
    "pandas",
    "numpy",
)


def command(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "nbcomponent", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        **options,  # type: ignore[call-overload]
    )


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"nbcomponent {__version__}\n"


def test_version_starts_within_five_bare_starts() -> None:
    bench = Path(__file__).parents[2] / "bench" / "startup.py"
    done = subprocess.run(
        [sys.executable, bench, "--rounds", "7", "--", "--version"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "bare starts" in done.stdout


def test_help_lists_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    listed = [line.split()[0] for line in out.splitlines() if line.startswith("    ")]
    assert [name for name in COMMANDS if name not in listed] == []
    assert "exit codes:" in out


@pytest.mark.parametrize(
    "arguments", [[name] for name in COMMANDS] + [["contract", "show"]], ids=" ".join
)
def test_every_command_has_help_with_examples(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*arguments, "--help"]) == 0
    out = capsys.readouterr().out
    assert (
        f"\n  nbcomponent {arguments[0]}"
        in out.partition("examples:\n")[1] + "\n" + (out.partition("examples:\n")[2])
    )


def test_no_command_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "COMMAND" in capsys.readouterr().err


def test_unknown_command_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chekc", "a.ipynb"]) == 2
    assert "invalid choice: 'chekc'" in capsys.readouterr().err


def test_module_and_script_are_the_same_command() -> None:
    script = Path(sys.executable).with_name("nbcomponent")
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=False)
    assert done.stdout == command("--version").stdout == f"nbcomponent {__version__}\n"


def test_check_imports_nothing_heavy(tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text(
        '{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "code", '
        '"metadata": {"tags": ["component:a"]}, "source": "%time x = 1", "outputs": []}]}'
    )
    code = (
        "import sys; from nbcomponent.cli.main import main; code = main(['check', 'a.ipynb']); "
        f"print([name for name in {HEAVY!r} if name in sys.modules]); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines()[-1] == "[]", done.stdout + done.stderr


def test_reader_that_goes_away(tmp_path: Path) -> None:
    """``nbcomponent explain --list | true`` says nothing, also not at the end of Python."""
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "nbcomponent", "explain", "--list"],
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)
    assert done.stderr == b""
    assert done.returncode == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_report_that_cannot_be_written() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "nbcomponent", "explain", "--list"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == "nbcomponent: [Errno 28] No space left on device\n"


def test_names_that_the_terminal_cannot_encode(tmp_path: Path) -> None:
    done = command(
        "check",
        "ü漢.ipynb",
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == 2
    assert done.stdout.startswith("\\xfc\\u6f22.ipynb: error NBC940")


def test_names_do_not_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["contract", "show", "a\x1b[2J.ipynb"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("nbcomponent: a\\x1b[2J.ipynb: ")
