"""The manual names every command and option that the command line has, and no other."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from nbcomponent.cli.main import COMMANDS

MANUAL = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
SUBCOMMANDS = {"contract": ["contract", "show"]}


def section(command: str) -> str:
    """The text under the heading of ``command``."""
    heading = " ".join(SUBCOMMANDS.get(command, [command]))
    match = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", MANUAL, re.MULTILINE | re.DOTALL)
    assert match is not None, f"docs/cli.md has no section {heading}"
    return match[1]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_manual_names_each_option_of_a_command(command: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "nbcomponent", *SUBCOMMANDS.get(command, [command]), "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    heads = re.findall(r"^  (-\S.*?)(?:  |$)", done.stdout, re.MULTILINE)
    has = set(re.findall(r"--[a-z][a-z-]*", " ".join(heads))) - {"--help"}
    says = set(re.findall(r"`(--[a-z][a-z-]*)[ `]", section(command)))
    assert says == has


def test_the_manual_lists_each_command() -> None:
    table = MANUAL.split("**Exit codes.**")[0]
    assert set(re.findall(r"^\| \[`([a-z]+)", table, re.MULTILINE)) == set(COMMANDS)
