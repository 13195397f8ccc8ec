"""``nbcomponent export``: options, exit codes and reports; the files themselves are the export room's."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
Save = Callable[..., Path]

CLEAN = [
    ("parameters", "count: int = 3  # how many [1..9]"),
    ("", "import math"),
    ("component:main", "print(math.pi * count)"),
]
HIDDEN = [
    ("", "threshold = max([0.2, 0.5])"),
    ("component:main", "print(threshold)"),
]
CROSSING = [
    ("component:a", "import random\nx = [random.random()]"),
    ("component:b", "print(len(x))"),
]
OPAQUE = [
    ("component:a", "import random\nx = {(1, 2): random.random()}"),
    ("component:b", "print(x)"),
]


def files(folder: Path) -> list[str]:
    """The files below ``folder`` that are not local state."""
    return sorted(
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and ".nbcomponent" not in path.parts
    )


EXPORTED = [
    "a/main/component.yml",
    "a/main/conda.yml",
    "a/main/contract.yml",
    "a/main/run_main.py",
    "a/pipeline.yml",
]


class TestWriting:
    def test_folder_of_the_notebook(self, save: Save, run: Run, here: Path) -> None:
        save("a.ipynb", CLEAN)
        done = run("export", "a.ipynb", "-o", "out")
        assert done.code == 0, done.out + done.err
        assert files(here / "out") == EXPORTED
        assert "a.ipynb -> out/a\n" in done.out
        assert "    carried over, imports: math (cell 1)\n" in done.out
        assert "    parameters: count (cell 0)\n" in done.out
        assert "  added main/run_main.py\n" in done.out
        assert done.out.splitlines()[-2] == "  added a.lock.yml, beside a.ipynb"
        assert done.out.endswith("1 notebook: 1 exported\n")

    def test_exported_script_runs(self, save: Save, run: Run, here: Path) -> None:
        save("a.ipynb", CLEAN)
        run("export", "a.ipynb", "-o", "out")
        script = here / "out" / "a" / "main" / "run_main.py"
        done = subprocess.run(
            [sys.executable, "-I", script, "--count=2"], capture_output=True, text=True, check=False
        )
        assert done.stdout.startswith("6.283"), done.stderr

    def test_second_time_nothing_changes(self, save: Save, run: Run) -> None:
        save("a.ipynb", CLEAN)
        run("export", "a.ipynb", "-o", "out")
        done = run("export", "a.ipynb", "-o", "out")
        assert done.code == 0
        assert "a.ipynb -> out/a (nothing changed)\n" in done.out
        assert done.out.endswith("1 notebook: 1 unchanged\n")

    def test_relative_layout_of_a_folder_is_kept(self, save: Save, run: Run, here: Path) -> None:
        save("nb/a.ipynb", CLEAN)
        save("nb/x/y/b.ipynb", CLEAN)
        assert run("export", "nb", "-o", "out").code == 0
        assert (here / "out" / "a" / "pipeline.yml").exists()
        assert (here / "out" / "x" / "y" / "b" / "pipeline.yml").exists()

    def test_output_folder_is_not_exported_itself(self, save: Save, run: Run, here: Path) -> None:
        save("a.ipynb", CLEAN)
        save("out/old.ipynb", CLEAN)
        assert run("export", ".", "-o", "out").code == 0
        assert not (here / "out" / "out").exists()

    def test_beside_the_notebooks(self, save: Save, run: Run, here: Path) -> None:
        save("nb/a.ipynb", CLEAN)
        assert run("export", "nb", "-o", "nb").code == 0
        assert (here / "nb" / "a" / "pipeline.yml").exists()

    def test_output_folder_is_needed(self, save: Save, run: Run) -> None:
        save("a.ipynb", CLEAN)
        done = run("export", "a.ipynb")
        assert done.code == 2
        assert "-o" in done.err

    def test_standard_input_is_refused(self, run: Run) -> None:
        done = run("export", "-", "-o", "out")
        assert (done.code, done.out) == (2, "")
        assert "standard input has no name" in done.err

    def test_quiet(self, save: Save, run: Run, here: Path) -> None:
        save("a.ipynb", CLEAN)
        done = run("export", "a.ipynb", "-o", "out", "--quiet")
        assert (done.code, done.out, done.err) == (0, "", "")
        assert files(here / "out") == EXPORTED


class TestWhatBlocks:
    def test_error_blocks_its_notebook_only(self, save: Save, run: Run, here: Path) -> None:
        save("a.ipynb", CLEAN)
        save("bad.ipynb", HIDDEN)
        done = run("export", ".", "-o", "out")
        assert done.code == 1
        assert files(here / "out") == EXPORTED
        assert "bad.ipynb: cell 1, line 1:7: error NBC101 " in done.out
        assert "bad.ipynb: not exported, because of the errors above\n" in done.out
        assert done.out.endswith("2 notebooks: 1 exported, 1 blocked by errors\n")

    def test_former_export_stays(self, save: Save, run: Run, here: Path) -> None:
        save("a.ipynb", CLEAN)
        run("export", "a.ipynb", "-o", "out")
        before = (here / "out" / "a" / "pipeline.yml").read_bytes()
        save("a.ipynb", HIDDEN)
        assert run("export", "a.ipynb", "-o", "out").code == 1
        assert (here / "out" / "a" / "pipeline.yml").read_bytes() == before

    def test_warning_does_not_block_but_counts(self, save: Save, run: Run, here: Path) -> None:
        save("a.ipynb", OPAQUE)
        done = run("export", "a.ipynb", "-o", "out", "--boundary", "auto")
        assert done.code == 1
        assert "warning NBC244" in done.out
        assert (here / "out" / "a" / "pipeline.yml").exists()

    def test_ignored_with_a_reason_it_does_not_block(
        self, save: Save, run: Run, here: Path
    ) -> None:
        save(
            "a.ipynb",
            [
                ("component:main", "import random\nx = [1]"),
                ("", "x.append(2)"),
                ("component:main", "print(x)  # nbc: ignore[NBC104] only the plot needs it"),
            ],
        )
        done = run("export", "a.ipynb", "-o", "out")
        assert done.code == 0, done.out
        assert (here / "out" / "a" / "pipeline.yml").exists()

    def test_settings_cannot_hide_what_blocks(self, save: Save, run: Run, here: Path) -> None:
        (here / "pyproject.toml").write_text('[tool.nbcomponent]\nignore = ["NBC1"]\n')
        save("a.ipynb", HIDDEN)
        done = run("export", "a.ipynb", "-o", "out")
        assert done.code == 1
        assert "error NBC101" in done.out
        assert not (here / "out").exists()

    def test_unusable_notebook(self, save: Save, run: Run, here: Path) -> None:
        save("a.ipynb", CLEAN)
        (here / "b.ipynb").write_text("[]")
        done = run("export", "a.ipynb", "b.ipynb", "none.ipynb", "-o", "out")
        assert done.code == 2
        assert "b.ipynb: error NBC902 " in done.out
        assert "none.ipynb: error NBC940 " in done.out
        assert files(here / "out") == EXPORTED

    def test_place_that_cannot_be_written(self, save: Save, run: Run, here: Path) -> None:
        save("a.ipynb", CLEAN)
        (here / "out").write_text("a file")
        done = run("export", "a.ipynb", "-o", "out")
        assert done.code == 2
        assert done.out.startswith(
            "a.ipynb: error NBC960 out/a: the export cannot be written: "
            "a file stands where a folder is needed; nothing was changed\n"
        )
        assert (here / "out").read_text() == "a file"

    def test_notebook_without_components(self, save: Save, run: Run, here: Path) -> None:
        save("a.ipynb", [("", "x = 1")])
        done = run("export", "a.ipynb", "-o", "out")
        assert done.code == 0
        assert "a.ipynb: nothing to export, no cell is tagged component:NAME" in done.out
        assert not (here / "out").exists()


class TestClashes:
    def test_same_folder(self, save: Save, run: Run, here: Path) -> None:
        save("x/a.ipynb", CLEAN)
        save("y/a.ipynb", CLEAN)
        done = run("export", "x/a.ipynb", "y/a.ipynb", "-o", "out")
        assert done.code == 2
        assert (
            "y/a.ipynb: error NBC946 this notebook would be exported to out/a, "
            "the same folder as x/a.ipynb\n" in done.out
        )
        assert files(here / "out") == EXPORTED

    def test_inside_another(self, save: Save, run: Run, here: Path) -> None:
        save("a/main.ipynb", CLEAN)
        save("a.ipynb", CLEAN)
        done = run("export", ".", "-o", "out")
        assert done.code == 2
        assert (
            "a/main.ipynb: error NBC946 this notebook would be exported to out/a/main, "
            "inside the folder of a.ipynb\n" in done.out
        )
        assert files(here / "out") == EXPORTED


class TestBoundary:
    def test_strict_is_the_default(self, save: Save, run: Run) -> None:
        save("a.ipynb", CROSSING)
        assert run("export", "a.ipynb", "-o", "out").code == 1

    def test_auto_lists_what_crosses(self, save: Save, run: Run, here: Path) -> None:
        save("a.ipynb", CROSSING)
        done = run("export", "a.ipynb", "-o", "out", "--boundary", "auto")
        assert done.code == 0, done.out
        assert "    values that cross, stored: a.x\n" in done.out
        assert (here / "out" / "a" / "b" / "component.yml").exists()

    def test_whole(self, save: Save, run: Run, here: Path) -> None:
        save("a.ipynb", [("", "x = [1]"), ("", "print(len(x))")])
        done = run("export", "a.ipynb", "-o", "out", "--whole", "main")
        assert done.code == 0, done.out
        assert files(here / "out") == EXPORTED

    @pytest.mark.parametrize("name", ["Main", "../x", "", "a-b", "1a", "a" * 201])
    def test_whole_needs_a_name(self, save: Save, run: Run, here: Path, name: str) -> None:
        save("a.ipynb", [("", "x = 1")])
        done = run("export", "a.ipynb", "-o", "out", f"--whole={name}")
        assert (done.code, done.out) == (2, "")
        assert "is no component name" in done.err


class TestCheckAndDryRun:
    def test_check_fails_where_nothing_is(self, save: Save, run: Run, here: Path) -> None:
        save("a.ipynb", CLEAN)
        done = run("export", "a.ipynb", "-o", "out", "--check")
        assert done.code == 1
        assert "a.ipynb: out/a is not what would be written\n" in done.out
        assert "  would add pipeline.yml\n" in done.out
        assert files(here) == ["a.ipynb"]

    def test_check_passes_after_the_export(self, save: Save, run: Run) -> None:
        save("a.ipynb", CLEAN)
        run("export", "a.ipynb", "-o", "out")
        done = run("export", "a.ipynb", "-o", "out", "--check")
        assert done.code == 0
        assert "a.ipynb: out/a is up to date\n" in done.out

    def test_check_fails_when_the_notebook_changed(self, save: Save, run: Run, here: Path) -> None:
        save("a.ipynb", CLEAN)
        run("export", "a.ipynb", "-o", "out")
        before = (here / "out" / "a" / "main" / "run_main.py").read_bytes()
        save("a.ipynb", [*CLEAN[:2], ("component:main", "print(math.e * count)")])
        done = run("export", "a.ipynb", "-o", "out", "--check")
        assert done.code == 1
        assert "  would change main/run_main.py\n" in done.out
        assert (here / "out" / "a" / "main" / "run_main.py").read_bytes() == before

    def test_dry_run_shows_the_diff(self, save: Save, run: Run, here: Path) -> None:
        save("a.ipynb", CLEAN)
        run("export", "a.ipynb", "-o", "out")
        save("a.ipynb", [*CLEAN[:2], ("component:main", "print(math.e * count)")])
        done = run("export", "a.ipynb", "-o", "out", "--dry-run")
        assert done.code == 0
        changed = [line for line in done.out.splitlines() if line.startswith(("-", "+"))]
        assert "--- a/a/main/run_main.py" in changed
        assert any("math.pi" in line for line in changed if line.startswith("-"))
        assert any("math.e" in line for line in changed if line.startswith("+"))
        assert run("export", "a.ipynb", "-o", "out", "--check").code == 1

    def test_both(self, save: Save, run: Run) -> None:
        save("a.ipynb", CLEAN)
        done = run("export", "a.ipynb", "-o", "out", "--check", "--dry-run", "--quiet")
        assert done.code == 1
        assert "+++ b/a/pipeline.yml" in done.out


class TestHandEdits:
    @pytest.fixture
    def edited(self, save: Save, run: Run, here: Path) -> Path:
        """An exported script with a line that a person added, of a notebook that changed since."""
        save("a.ipynb", CLEAN)
        run("export", "a.ipynb", "-o", "out")
        script = here / "out" / "a" / "main" / "run_main.py"
        script.write_text(script.read_text() + "# mine\n")
        save("a.ipynb", [*CLEAN[:2], ("component:main", "print(math.e * count)")])
        return script

    def test_not_overwritten(self, edited: Path, run: Run) -> None:
        done = run("export", "a.ipynb", "-o", "out")
        assert done.code == 1
        assert "error NBC961 out/a/main/run_main.py was edited by hand" in done.out
        assert "a.ipynb: not exported, out/a has files that were edited by hand\n" in done.out
        assert edited.read_text().endswith("# mine\n")

    def test_overwritten_with_force(self, edited: Path, run: Run) -> None:
        done = run("export", "a.ipynb", "-o", "out", "--force")
        assert done.code == 0
        assert "  overwrote the edit of main/run_main.py\n" in done.out
        assert "# mine" not in edited.read_text()

    def test_check_sees_them(self, edited: Path, run: Run) -> None:
        done = run("export", "a.ipynb", "-o", "out", "--check")
        assert done.code == 1
        assert "  would overwrite the edit of main/run_main.py\n" in done.out


class TestLock:
    CELLS = [("component:main", "import yaml\nprint(yaml.safe_load('1'))")]  # noqa: RUF012

    def test_versions_stay_until_they_are_refreshed(self, save: Save, run: Run, here: Path) -> None:
        save("a.ipynb", self.CELLS)
        assert run("export", "a.ipynb", "-o", "out").code == 0
        lock = here / "a.lock.yml"
        installed = lock.read_text()
        import yaml

        assert yaml.__version__ in installed
        lock.write_text(installed.replace(yaml.__version__, "6.0.0"))
        assert run("export", "a.ipynb", "-o", "out").code == 0
        conda = here / "out" / "a" / "main" / "conda.yml"
        assert "6.0.0" in conda.read_text()
        assert run("export", "a.ipynb", "-o", "out", "--refresh-lock").code == 0
        assert yaml.__version__ in conda.read_text()
        assert lock.read_text() == installed

    def test_unusable_lock_is_named(self, save: Save, run: Run, here: Path) -> None:
        save("a.ipynb", self.CELLS)
        (here / "a.lock.yml").write_text("packages: [")
        done = run("export", "a.ipynb", "-o", "out")
        assert done.code == 2
        assert "a.ipynb: error NBC964 a.lock.yml: the lock file is not YAML" in done.out
        assert not (here / "out").exists()


class TestJson:
    def test_fields(self, save: Save, run: Run) -> None:
        save("a.ipynb", CLEAN)
        done = run("export", "a.ipynb", "-o", "out", "--format", "json")
        assert done.code == 0
        assert done.json["schema"] == "nbcomponent.export/1"
        (file,) = done.json["files"]
        assert (file["path"], file["target"], file["state"]) == ("a.ipynb", "out/a", "written")
        assert {"path": "pipeline.yml", "kind": "added"} in file["changes"]
        (component,) = file["components"]
        assert component["name"] == "main"
        assert {"name": "math", "how": "import", "defined_in": [1]} in component["taken"]
        assert all(finding["severity"] == "note" for finding in file["diagnostics"])

    def test_states(self, save: Save, run: Run, here: Path) -> None:
        save("a.ipynb", CLEAN)
        save("bad.ipynb", HIDDEN)
        save("empty.ipynb", [("", "x = 1")])
        (here / "no.ipynb").write_text("[]")
        done = run("export", ".", "-o", "out", "--format", "json", "--jobs", "2")
        assert done.code == 2
        states = {file["path"]: file["state"] for file in done.json["files"]}
        assert states == {
            "a.ipynb": "written",
            "bad.ipynb": "blocked",
            "empty.ipynb": "empty",
            "no.ipynb": "unusable",
        }


class TestBatch:
    def test_one_worker_and_two_write_the_same(self, save: Save, run: Run, here: Path) -> None:
        for number in range(12):
            save(f"nb/{number % 3}/{number}.ipynb", CLEAN if number % 4 else HIDDEN)
        # The first export writes the lock files, which the others read.
        run("export", "nb", "-o", "zero")
        one = run("export", "nb", "-o", "one", "--jobs", "1", "--format", "json")
        two = run("export", "nb", "-o", "two", "--jobs", "2", "--format", "json")
        assert one.code == two.code == 1
        assert one.out == two.out.replace('"two/', '"one/')
        assert files(here / "one") == files(here / "two")
        for name in files(here / "one"):
            assert (here / "one" / name).read_bytes() == (here / "two" / name).read_bytes()

    def test_from_export_to_run(self, save: Save, run: Run, start: Run, here: Path) -> None:
        save("a.ipynb", CROSSING)
        assert run("export", "a.ipynb", "-o", "out", "--boundary", "auto").code == 0
        done = start("run", "out/a/pipeline.yml", "--format", "json", cwd=here, env={**os.environ})
        assert done.code == 0, done.out + done.err
        assert [step["stdout"] for step in done.json["steps"]] == ["", "1\n"]


def test_summary_counts_settings_as_settings(save: Save, run: Run, here: Path) -> None:
    save("a.ipynb", CLEAN)
    save("b/b.ipynb", CLEAN)
    (here / "b" / "pyproject.toml").write_text("[tool.nbcomponent]\njobs = 0\n")
    done = run("export", ".", "-o", "out")
    assert done.code == 2
    assert done.out.splitlines()[-1] == "1 notebook and 1 settings file: 1 exported, 1 unusable"


def test_whole_says_where_it_does_nothing(save: Save, run: Run) -> None:
    save("tagged.ipynb", [("component:a", "x = 1")])
    save("plain.ipynb", [("", "x = 1")])
    done = run("export", "tagged.ipynb", "plain.ipynb", "-o", "out", "--whole", "all")
    assert done.code == 0
    assert done.err == (
        "nbcomponent: tagged.ipynb has tagged cells, so --whole does not change it\n"
    )
