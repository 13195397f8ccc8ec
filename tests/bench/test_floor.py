"""The comparison with the floor measures all four on the same notebooks."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import floor


def test_each_figure_is_there_with_its_ratio(
    run_tool: Callable[..., subprocess.CompletedProcess[str]],
    notebook_json: Callable[[list[str]], str],
    tmp_path: Path,
) -> None:
    folder = tmp_path / "notebooks"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.ipynb").write_text(notebook_json(["x = 1", "%time y = x", "print(y)"]))
    (folder / "bad.ipynb").write_text("{")
    output = tmp_path / "floor.json"
    done = run_tool("floor.py", folder, "--repetitions", 1, "-o", output)
    assert done.returncode in (0, 1), done.stderr
    found = json.loads(output.read_text())
    assert (found["notebooks"], found["cells"]) == (3, 9)
    assert set(found["ratios"]) == {"floor", "in-process", "pyflakes", "cli"}
    assert found["ratios"]["floor"] == 1.0
    assert found["repetitions"][0]["in-process"]["components"] == 9


def test_notebooks_that_the_floor_cannot_read_are_left_out(
    notebook_json: Callable[[list[str]], str], tmp_path: Path
) -> None:
    good, bad, old = (tmp_path / name for name in ("good.ipynb", "bad.ipynb", "old.ipynb"))
    good.write_text(notebook_json(["1"]))
    bad.write_text("[")
    old.write_text('{"worksheets": [], "nbformat": 3}')
    assert floor.usable([good, bad, old]) == [good]
