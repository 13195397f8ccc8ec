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


def test_no_command_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "\n    check " in captured.err


MISTYPED = {
    "exprot a.ipynb -o out": "nbcomponent: error: there is no command 'exprot'; did you mean export?",
    "chekc a.ipynb": "nbcomponent: error: there is no command 'chekc'; did you mean check?",
    "zzz": "nbcomponent: error: there is no command 'zzz'; the commands: check, export, run, contract, explain",
    "train.ipynb": "nbcomponent: error: there is no command 'train.ipynb'; "
    "did you mean nbcomponent check train.ipynb?",
    "out/pipeline.yml": "nbcomponent: error: there is no command 'out/pipeline.yml'; "
    "did you mean nbcomponent run out/pipeline.yml?",
    "--vesion": "nbcomponent: error: there is no option --vesion before the command; "
    "did you mean --version?",
    "--format json check .": "nbcomponent: error: there is no option --format before the command; "
    "options of a command stand after its name",
    "check --boundry auto a.ipynb": "nbcomponent check: error: there is no option --boundry; "
    "did you mean --boundary?",
    "check a.ipynb --boundry=auto": "nbcomponent check: error: there is no option --boundry; "
    "did you mean --boundary?",
    "check --zzz a.ipynb": "nbcomponent check: error: there is no option --zzz",
    "export a.ipynb --ouput out": "nbcomponent export: error: there is no option --ouput; "
    "did you mean --output?",
    "export a.ipynb -O out": "nbcomponent export: error: there is no option -O; did you mean -o?",
    "check a.ipynb --format Sarif": "nbcomponent check: error: argument --format: 'Sarif' is none of "
    "text, json, sarif, github; did you mean sarif?",
    "help check": "nbcomponent: error: there is no command 'help'; did you mean nbcomponent --help?",
    "version": "nbcomponent: error: there is no command 'version'; did you mean nbcomponent --version?",
    "contract a.ipynb": "nbcomponent contract: error: there is no command 'a.ipynb'; "
    "did you mean nbcomponent contract show a.ipynb?",
    "contract diff a.ipynb": "nbcomponent contract: error: there is no command 'diff'; "
    "the commands: show",
    "contract shw a.ipynb": "nbcomponent contract: error: there is no command 'shw'; did you mean show?",
    "contract show a.ipynb --compnent=x": "nbcomponent contract show: error: "
    "there is no option --compnent; did you mean --component?",
    "contract show a.ipynb b.ipynb": "nbcomponent contract show: error: "
    "one NOTEBOOK is enough; b.ipynb is more",
    "run a.yml --stp make": "nbcomponent run: error: there is no option --stp; did you mean --step?",
    "explain --lst": "nbcomponent explain: error: there is no option --lst; did you mean --list?",
}


@pytest.mark.parametrize("line", MISTYPED)
def test_what_is_mistyped_is_told_with_usage_and_what_may_be_meant(
    line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(line.split()) == 2
    lines = capsys.readouterr().err.splitlines()
    command = MISTYPED[line].partition(":")[0]
    assert lines[0].startswith(f"usage: {command} ")
    assert lines[-2:] == [MISTYPED[line], f"help: {command} --help"]


def test_paths_may_stand_before_and_after_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["check", "a.ipynb", "--boundary", "auto", "b.ipynb", "--", "-c.ipynb"]) == 2
    found = [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()]
    assert found[:3] == ["a.ipynb", "b.ipynb", "-c.ipynb"]


def test_version_and_commands_that_are_called_well_do_not_import_difflib(tmp_path: Path) -> None:
    code = (
        "import sys; from nbcomponent.cli.main import main; main(sys.argv[1:]); "
        "print([name for name in ('difflib', 'argparse') if name in sys.modules])"
    )
    for arguments, loaded in ((["--version"], []), (["check", str(tmp_path)], ["argparse"])):
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
        )
        assert done.stdout.splitlines()[-1] == str(loaded), done.stdout + done.stderr


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
