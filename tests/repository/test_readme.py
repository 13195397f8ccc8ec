"""The minute in the README: its notebook and commands give the outputs that stand there.

``python tests/repository/test_readme.py`` writes the outputs anew.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import jupytext
import nbformat

README = Path(__file__).parents[2] / "README.md"
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
VARIES = (
    (re.compile(r"auto-[0-9a-f]{16}"), "auto-0123456789abcdef"),
    (re.compile(r"\d+\.\d s\b"), "0.1 s"),
    (re.compile(r"^record: .*/out/plates/", re.MULTILINE), "record: /home/ada/out/plates/"),
    (re.compile(r"\d{8}-\d{6}-[0-9a-f]{6}"), "20261130-120000-abc123"),
)


def steady(text: str) -> str:
    """``text`` without what differs from run to run."""
    for pattern, replacement in VARIES:
        text = pattern.sub(replacement, text)
    return text


def write_notebook(block: str, path: Path) -> None:
    """Write the cells of ``block``; where there is a notebook, put each in place of the cell that ends like it."""
    new = jupytext.reads(block, fmt="py:percent")
    if path.exists():
        notebook = nbformat.read(path, as_version=4)
        for cell in new.cells:
            (old,) = [c for c in notebook.cells if cell.source.endswith(c.source)]
            old.source = cell.source
        new = notebook
    nbformat.write(new, path)


def output_of(command: str, folder: Path) -> str:
    """What a person sees of ``command``, without progress lines."""
    scripts = str(Path(sys.executable).parent)
    done = subprocess.run(
        command.split(),
        cwd=folder,
        env={**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "100"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    errors = [line for line in done.stderr.splitlines(True) if not re.match(r"\[\d/\d\] ", line)]
    return done.stdout + "".join(errors)


def as_run(readme: str, folder: Path) -> str:
    """The README with the outputs that its commands give now."""

    def replaced(block: re.Match[str]) -> str:
        kind, text = block.groups()
        if kind == "python":
            write_notebook(text, folder / "plates.ipynb")
            return block[0]
        commands = re.findall(r"^\$ (.*)$", text, re.MULTILINE)
        shown = [f"$ {command}\n{output_of(command, folder)}" for command in commands]
        return "```console\n" + steady("".join(shown)) + "```\n"

    return BLOCK.sub(replaced, readme)


def test_the_outputs_in_the_readme_are_real(tmp_path: Path) -> None:
    readme = README.read_text(encoding="utf-8")
    assert readme == as_run(readme, tmp_path)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        README.write_text(as_run(README.read_text(encoding="utf-8"), Path(name)), encoding="utf-8")
