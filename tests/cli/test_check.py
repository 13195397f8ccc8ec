"""``nbcomponent check``: every option, exit code and form of report, on real notebooks."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nbcomponent.cli.main import main

Run = Callable[..., Any]
Save = Callable[..., Path]

HIDDEN = [
    ("", "threshold = max([0.2, 0.5])"),
    ("component:select", "scores = [0.2, 0.9]\nkept = [s for s in scores if s > threshold]\n"),
]
CLEAN = [("component:main", "import math\narea = math.pi * 2 ** 2\nprint(area)")]
NOTE = [("", "import math"), ("component:main", "print(math.pi)")]


def errors(done: Any) -> list[str]:
    """The codes of the errors in a JSON report."""
    found = [d for file in done.json["files"] for d in file["diagnostics"]]
    return [d["code"] for d in found if d["severity"] == "error"]


def codes(done: Any) -> list[str]:
    """The codes of a JSON report, in its order."""
    return [d["code"] for file in done.json["files"] for d in file["diagnostics"]]


class TestExitCodes:
    def test_nothing_found(self, save: Save, run: Run) -> None:
        save("a.ipynb", CLEAN)
        done = run("check", "a.ipynb")
        assert (done.code, done.out) == (0, "1 notebook checked: nothing found\n")

    def test_notes_are_fine(self, save: Save, run: Run) -> None:
        save("a.ipynb", NOTE)
        done = run("check", "a.ipynb", "--verbose")
        assert done.code == 0
        assert ": note NBC101 " in done.out

    def test_errors_are_found(self, save: Save, run: Run) -> None:
        save("a.ipynb", HIDDEN)
        assert run("check", "a.ipynb").code == 1

    def test_cell_that_is_no_python_counts_as_found(self, save: Save, run: Run) -> None:
        save("a.ipynb", [("component:main", "print("), ("component:main", "x = 1")])
        done = run("check", "a.ipynb", "--format", "json")
        assert done.code == 1
        (finding,) = done.json["files"][0]["diagnostics"]
        assert finding["code"].startswith("NBC9")
        assert (finding["cell"], finding["line"]) == (0, 1)

    def test_missing_file_is_unusable(self, save: Save, run: Run) -> None:
        save("a.ipynb", HIDDEN)
        done = run("check", "none.ipynb", "a.ipynb")
        assert done.code == 2
        assert "none.ipynb: error NBC940 there is no such file or folder\n" in done.out
        assert "a.ipynb: cell 1, line 2:34: error NBC101" in done.out

    def test_wrong_option_is_a_usage_error(self, run: Run) -> None:
        done = run("check", "a.ipynb", "--format", "xml")
        assert (done.code, done.out) == (2, "")
        assert "'xml' is none of text, json, sarif, github" in done.err

    def test_what_cannot_be_used_is_named_as_what_it_is(
        self, save: Save, run: Run, here: Path
    ) -> None:
        save("a.ipynb", CLEAN)
        (here / "broken.ipynb").write_text("not json")
        (here / "data.csv").write_text("a,b\n")
        (here / "script.py").write_text("x = 1\n")
        (here / "pipeline.yml").write_text("type: pipeline\n")
        (here / "x").mkdir()
        (here / "x" / "pyproject.toml").write_text("[tool.nbcomponent]\njobs = 0\n")
        (here / "x" / "b.ipynb").write_text("{}")
        paths = ("a.ipynb", "broken.ipynb", "data.csv", "script.py", "pipeline.yml", "x", "y", "z*")
        done = run("check", *paths)
        assert done.code == 2
        assert done.out.splitlines()[-1] == (
            "1 notebook checked: 7 errors in 1 notebook, 1 script, 1 settings file, 1 YAML file, "
            "1 file, 1 path and 1 pattern; 1 notebook, 1 script, 1 settings file, 1 YAML file, "
            "1 file, 1 path and 1 pattern cannot be used"
        )

    def test_no_path_is_a_usage_error(self, run: Run) -> None:
        assert run("check").code == 2

    def test_folder_without_notebooks_is_named(self, here: Path, run: Run) -> None:
        done = run("check", ".")
        assert done.code == 0
        assert done.err == "nbcomponent: there are no notebooks in .\n"


class TestText:
    def test_finding_with_its_line_and_next_step(self, save: Save, run: Run) -> None:
        save("a.ipynb", HIDDEN)
        lines = run("check", "a.ipynb").out.splitlines()
        assert lines[0].startswith("a.ipynb: cell 1, line 2:34: error NBC101 ")
        assert "threshold" in lines[0]
        assert lines[1] == "    kept = [s for s in scores if s > threshold]"
        assert lines[2] == "    " + " " * 33 + "^" * 9
        assert lines[3].startswith("  next: ")
        assert lines[-1] == "1 notebook checked: 1 error in 1 notebook"

    def test_quiet(self, save: Save, run: Run) -> None:
        save("a.ipynb", NOTE)
        done = run("check", "a.ipynb", "--quiet")
        assert (done.code, done.out, done.err) == (0, "", "")

    def test_no_colours_and_no_progress_in_a_pipe(self, save: Save, start: Run, here: Path) -> None:
        save("a.ipynb", HIDDEN)
        save("b.ipynb", HIDDEN)
        done = start("check", ".", cwd=here)
        assert done.code == 1
        assert "\x1b" not in done.out
        assert done.err == ""

    def test_colours_and_progress_on_a_terminal(self, save: Save, here: Path) -> None:
        for number in range(5):
            save(f"{number}.ipynb", HIDDEN)
        shown = on_a_terminal(here, {})
        assert b"\x1b[1;31merror\x1b[0m" in shown
        assert b"checking [" in shown
        assert b"5/5" in shown

    def test_no_color_is_honoured(self, save: Save, here: Path) -> None:
        save("a.ipynb", HIDDEN)
        shown = on_a_terminal(here, {"NO_COLOR": "1"})
        assert b"error NBC101" in shown
        assert b"\x1b[1;31m" not in shown


def on_a_terminal(folder: Path, environment: dict[str, str]) -> bytes:
    """What ``nbcomponent check .`` shows on a terminal."""
    import pty

    reading, writing = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "nbcomponent", "check", "."],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=writing,
        stderr=writing,
        env={**os.environ, "TERM": "xterm", **environment},
    )
    os.close(writing)
    shown = b""
    while True:
        try:
            data = os.read(reading, 4096)
        except OSError:  # Linux says so when the other end is closed
            break
        if not data:
            break
        shown += data
    os.close(reading)
    assert process.wait(30) == 1
    return shown


class TestFormats:
    def test_json(self, save: Save, run: Run) -> None:
        save("a.ipynb", HIDDEN)
        done = run("check", "a.ipynb", "--format", "json")
        assert done.code == 1
        assert done.json["schema"] == "nbcomponent.check/1"
        (file,) = done.json["files"]
        assert file["path"] == "a.ipynb"
        (component,) = file["components"]
        assert (component["name"], component["cells"]) == ("select", [1])
        assert component["dependencies"] == [
            {
                "name": "threshold",
                "resolution": "hidden",
                "defined_in": [0],
                "cell": 1,
                "line": 2,
                "column": 34,
                "diagnostic": "NBC101",
            }
        ]
        (finding,) = file["diagnostics"]
        assert finding["message"]
        assert finding["fix"].keys() == {"title", "kind"}
        assert {key: finding[key] for key in finding if key not in ("message", "fix")} == {
            "code": "NBC101",
            "severity": "error",
            "name": "threshold",
            "defined_in": [0],
            "component": "select",
            "cell": 1,
            "line": 2,
            "column": 34,
            "end_line": 2,
            "end_column": 43,
        }

    def test_json_has_the_interface(self, save: Save, run: Run) -> None:
        save(
            "a.ipynb",
            [
                ("parameters", "epochs: int = 5  # passes over the data [1..100]"),
                ("component:train", "print(epochs)"),
            ],
        )
        done = run("check", "a.ipynb", "--format", "json")
        (parameter,) = done.json["files"][0]["components"][0]["parameters"]
        assert parameter == {
            "name": "epochs",
            "type": "integer",
            "default": 5,
            "min": 1,
            "max": 100,
            "choices": None,
            "required": False,
            "description": "passes over the data",
            "cell": 0,
            "line": 1,
        }

    def test_sarif(self, save: Save, run: Run) -> None:
        save("a.ipynb", HIDDEN)
        done = run("check", "a.ipynb", "--format", "sarif")
        assert done.code == 1
        (result,) = done.json["runs"][0]["results"]
        assert result["ruleId"] == "NBC101"
        (location,) = result["locations"]
        assert location["physicalLocation"]["region"] == {
            "startLine": 2,
            "startColumn": 34,
            "endLine": 2,
            "endColumn": 43,
            "snippet": {"text": "threshold"},
        }
        assert location["logicalLocations"][0]["name"] == "cell 1"

    def test_github(self, save: Save, run: Run) -> None:
        save("a.ipynb", HIDDEN)
        done = run("check", "a.ipynb", "--format", "github")
        assert done.code == 1
        assert done.out.startswith("::error title=NBC101,file=a.ipynb::cell 1, line 2:34: ")

    @pytest.mark.parametrize("form", ["json", "sarif", "github"])
    def test_nothing_found_is_a_report_too(self, save: Save, run: Run, form: str) -> None:
        save("a.ipynb", CLEAN)
        done = run("check", "a.ipynb", "--format", form)
        assert done.code == 0
        if form != "github":
            assert json.loads(done.out)


class TestStandardInput:
    def test_notebook(self, save: Save, start: Run) -> None:
        text = save("a.ipynb", HIDDEN).read_text()
        done = start("check", "-", "--format", "json", stdin=text)
        assert done.code == 1
        assert done.json["files"][0]["path"] == "<stdin>"
        assert codes(done) == ["NBC101"]

    def test_no_notebook(self, start: Run) -> None:
        done = start("check", "-", stdin="{}")
        assert done.code == 2
        assert done.out.startswith("<stdin>: error NBC9")


CARRIED = [
    (
        "",
        "import math\nSCALE = 3\ndef area(r):\n    return math.pi * r * SCALE\nclass Box:\n    pass",
    ),
    ("component:prepare", "import numpy\nsizes = numpy.ones(3)\nbox, lid = Box(), Box()"),
    ("", "offset = len(sizes)"),
    ("component:train", "print(area(2), sizes, offset)\nprint(box)\nprint(lid)"),
]


class TestWhatIsCarried:
    """What components get from elsewhere is listed, one line a component."""

    def test_strict(self, save: Save, run: Run) -> None:
        save("a.ipynb", [*CARRIED[:2], ("component:train", "print(area(2), math.e)")])
        done = run("check", "a.ipynb")
        assert done.code == 0
        assert done.out == (
            "a.ipynb: prepare: carries over Box (cell 0)\n"
            "a.ipynb: train: carries over SCALE, area, math (cell 0)\n"
            "1 notebook checked: nothing found\n"
        )

    def test_auto(self, save: Save, run: Run) -> None:
        save("a.ipynb", CARRIED)
        done = run("check", "a.ipynb", "--boundary", "auto")
        assert done.code == 1
        assert done.out == (
            "a.ipynb: cell 3, line 2:7: warning NBC244 box goes from prepare to train as pickle, "
            "since its type Box has no plainer format; both need the same libraries in the same versions\n"
            "    print(box)\n"
            "          ^^^\n"
            "  also: lid (cell 3, line 3:7)\n"
            "  next: declare box under outputs with a format\n"
            "a.ipynb: prepare: carries over Box (cell 0)\n"
            "a.ipynb: train: carries over SCALE, area, math (cell 0); pulls in the statements for "
            "offset (cell 2); takes sizes, box, lid from prepare\n"
            "1 notebook checked: 2 warnings in 1 notebook\n"
        )

    def test_verbose_tells_each_at_its_place(self, save: Save, run: Run) -> None:
        save("a.ipynb", CARRIED)
        done = run("check", "a.ipynb", "--boundary", "auto", "--verbose")
        lines = done.out.splitlines()
        assert sum(": warning NBC244 " in line for line in lines) == 2
        assert sum(": note NBC101 " in line for line in lines) == 8
        assert lines[-1] == "1 notebook checked: 2 warnings, 8 notes in 1 notebook"
        assert "carries over" not in done.out

    def test_quiet_leaves_it_out(self, save: Save, run: Run) -> None:
        save("a.ipynb", CARRIED[:2])
        assert run("check", "a.ipynb", "--quiet").out == ""

    def test_reports_for_programs_have_each(self, save: Save, run: Run) -> None:
        save("a.ipynb", CARRIED)
        for verbose in ((), ("--verbose",)):
            done = run("check", "a.ipynb", "--boundary", "auto", "--format", "json", *verbose)
            found = [d["code"] for d in done.json["files"][0]["diagnostics"]]
            assert sorted(found) == ["NBC101"] * 8 + ["NBC244"] * 2

    def test_what_is_not_chosen_is_not_listed(self, save: Save, run: Run) -> None:
        save("a.ipynb", CARRIED[:2])
        assert run("check", "a.ipynb", "--ignore", "NBC101").out == (
            "1 notebook checked: nothing found\n"
        )

    def test_a_seed_that_is_repeated(self, save: Save, run: Run) -> None:
        save(
            "a.ipynb",
            [
                ("", "import random\nrandom.seed(7)"),
                ("component:draw", "print(random.random())"),
            ],
        )
        assert run("check", "a.ipynb", "--boundary", "auto").out == (
            "a.ipynb: draw: carries over random (cell 0); `random.seed` of cell 0 is repeated in draw\n"
            "1 notebook checked: nothing found\n"
        )

    def test_a_note_with_a_next_step_stays_a_finding(self, save: Save, run: Run) -> None:
        save("a.ipynb", [("component:draw", "import os\nprint(os.environ.get('LEVEL', 'low'))")])
        done = run("check", "a.ipynb")
        assert ": note NBC108 the environment variable LEVEL " in done.out
        assert done.out.endswith("1 notebook checked: 1 note in 1 notebook\n")

    def test_export_lists_it_once(self, save: Save, run: Run) -> None:
        save("a.ipynb", CARRIED)
        done = run("export", "a.ipynb", "-o", "out", "--boundary", "auto")
        assert "carries over" not in done.out
        assert ": note " not in done.out
        assert "    carried over, definitions: area (cell 0)\n" in done.out
        assert (
            "    values that cross, stored: prepare.box, prepare.lid, prepare.sizes\n" in done.out
        )

    def test_export_that_is_blocked_lists_it_too(self, save: Save, run: Run) -> None:
        save("a.ipynb", CARRIED)
        done = run("export", "a.ipynb", "-o", "out")
        assert "a.ipynb: train: carries over SCALE, area, math (cell 0)\n" in done.out
        assert done.out.endswith("1 notebook: 1 blocked by errors\n")


class TestChoiceOfCodes:
    BOTH = (
        *HIDDEN,
        ("component:select", "print(train_rows)"),
    )

    def test_all_by_default(self, save: Save, run: Run) -> None:
        save("a.ipynb", self.BOTH)
        assert codes(run("check", "a.ipynb", "--format", "json")) == ["NBC101", "NBC102"]

    @pytest.mark.parametrize(
        ("options", "left"),
        [
            (["--select", "NBC102"], ["NBC102"]),
            (["--select", "NBC1"], ["NBC101", "NBC102"]),
            (["--select", "NBC2,NBC102"], ["NBC102"]),
            (["--select", "NBC9", "--select", "NBC101"], ["NBC101"]),
            (["--ignore", "NBC102"], ["NBC101"]),
            (["--ignore", "nbc102"], ["NBC101"]),
            (["--select", "nbc1,Nbc102", "--ignore", "nbc101"], ["NBC102"]),
            (["--ignore", "NBC1"], []),
            (["--ignore", "NBC1", "--select", "NBC102"], ["NBC102"]),
            (["--ignore", "NBC101", "--select", "NBC1"], ["NBC102"]),
            (["--ignore", "NBC101", "--select", "NBC101"], []),
        ],
        ids=" ".join,
    )
    def test_select_and_ignore(
        self, save: Save, run: Run, options: list[str], left: list[str]
    ) -> None:
        save("a.ipynb", self.BOTH)
        done = run("check", "a.ipynb", "--format", "json", *options)
        assert codes(done) == left
        assert done.code == bool(left)

    @pytest.mark.parametrize("wrong", ["E501", "NBC1x", "n101", "nbc199", ",", "NBC1011"])
    def test_no_code(self, save: Save, run: Run, wrong: str) -> None:
        save("a.ipynb", CLEAN)
        done = run("check", "a.ipynb", "--select", wrong)
        assert (done.code, done.out) == (2, "")
        assert "--select" in done.err

    def test_unusable_file_cannot_be_ignored(self, here: Path, run: Run) -> None:
        (here / "a.ipynb").write_text("not json")
        assert run("check", "a.ipynb", "--ignore", "NBC").code == 2
        assert run("check", "a.ipynb", "--select", "NBC1").code == 2

    def test_settings_of_the_project(self, save: Save, run: Run, here: Path) -> None:
        save("a.ipynb", self.BOTH)
        (here / "pyproject.toml").write_text('[tool.nbcomponent]\nignore = ["NBC101"]\n')
        assert codes(run("check", "a.ipynb", "--format", "json")) == ["NBC102"]

    def test_options_win_over_settings(self, save: Save, run: Run, here: Path) -> None:
        save("a.ipynb", self.BOTH)
        (here / "pyproject.toml").write_text('[tool.nbcomponent]\nselect = ["NBC101"]\n')
        done = run("check", "a.ipynb", "--format", "json", "--select", "NBC102")
        assert codes(done) == ["NBC102"]

    def test_unusable_settings(self, save: Save, run: Run, here: Path) -> None:
        save("a.ipynb", self.BOTH)
        (here / "pyproject.toml").write_text("[tool.nbcomponent]\nignored = []\n")
        done = run("check", "a.ipynb")
        assert done.code == 2
        assert done.out.startswith(
            "pyproject.toml: line 2:1: error NBC943 settings: [tool.nbcomponent] has no key "
            "'ignored'; did you mean 'ignore'?\n    ignored = []\n    ^^^^^^^\n"
            "no notebook checked: 1 error in 1 settings file; "
        )


class TestIgnoreComments:
    def test_silenced_at_its_line(self, save: Save, run: Run) -> None:
        save(
            "a.ipynb",
            [HIDDEN[0], ("component:a", "x = threshold  # nbc: ignore[NBC101] set by the host")],
        )
        assert run("check", "a.ipynb").code == 0

    def test_without_reason(self, save: Save, run: Run) -> None:
        save("a.ipynb", [HIDDEN[0], ("component:a", "x = threshold  # nbc: ignore[NBC101]")])
        done = run("check", "a.ipynb", "--format", "json")
        assert codes(done) == ["NBC101", "NBC950"]

    def test_silences_nothing(self, save: Save, run: Run) -> None:
        save("a.ipynb", [("component:a", "x = 1  # nbc: ignore[NBC101] no more")])
        done = run("check", "a.ipynb", "--format", "json")
        assert codes(done) == ["NBC952"]
        assert done.code == 1


class TestBoundary:
    CROSSING = (
        ("component:a", "import random\nx = [random.random()]"),
        ("component:b", "print(len(x))"),
    )

    def test_strict_is_the_default(self, save: Save, run: Run) -> None:
        save("a.ipynb", self.CROSSING)
        assert codes(run("check", "a.ipynb", "--format", "json")) == ["NBC101"]

    def test_auto(self, save: Save, run: Run) -> None:
        save("a.ipynb", self.CROSSING)
        done = run("check", "a.ipynb", "--format", "json", "--boundary", "auto")
        assert (done.code, errors(done)) == (0, [])
        (dependency,) = done.json["files"][0]["components"][1]["dependencies"]
        assert (dependency["name"], dependency["resolution"]) == ("x", "input")

    def test_settings(self, save: Save, run: Run, here: Path) -> None:
        save("a.ipynb", self.CROSSING)
        (here / "pyproject.toml").write_text('[tool.nbcomponent]\nboundary = "auto"\n')
        assert errors(run("check", "a.ipynb", "--format", "json")) == []
        done = run("check", "a.ipynb", "--format", "json", "--boundary", "strict")
        assert errors(done) == ["NBC101"]


class TestBatch:
    def test_one_worker_and_two_say_the_same(self, save: Save, run: Run, here: Path) -> None:
        kinds = [HIDDEN, CLEAN, NOTE, [("component:a", "print(")]]
        for number in range(300):
            save(f"n{number % 7}/{number}.ipynb", kinds[number % len(kinds)])
        (here / "n3" / "bad.ipynb").write_text("[]")
        one, two = (run("check", ".", "--format", "json", "--jobs", jobs) for jobs in "12")
        assert one.code == two.code == 2
        assert one.out == two.out
        paths = [file["path"] for file in one.json["files"]]
        assert len(paths) == 301
        assert paths == sorted(paths, key=lambda path: path.split("/"))

    def test_one_of_every_bad_kind(self, save: Save, run: Run, here: Path) -> None:
        save("good.ipynb", HIDDEN)
        bad = {
            "array.ipynb": b"[]",
            "binary.ipynb": bytes(range(256)),
            "deep.ipynb": b"[" * 200_000,
            "empty.ipynb": b"",
            "latin1.ipynb": '{"cells": ["ü"]}'.encode("latin-1"),
            "nocells.ipynb": b'{"nbformat": 4, "metadata": {}}',
            "notjson.ipynb": b"not json",
            "number.ipynb": b"4",
            "truncated.ipynb": (here / "good.ipynb").read_bytes()[:-10],
            "wrongcell.ipynb": b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [3]}',
        }
        for name, data in bad.items():
            (here / name).write_bytes(data)
        (here / "dangling.ipynb").symlink_to("nowhere")
        os.mkfifo(here / "pipe.ipynb")
        (here / "self.ipynb").symlink_to("self.ipynb")
        done = run("check", ".", "--format", "json", "--jobs", "2")
        assert done.code == 2
        files = {file["path"]: file["diagnostics"] for file in done.json["files"]}
        assert files.pop("good.ipynb")[0]["code"] == "NBC101"
        assert files.keys() == {*bad, "dangling.ipynb", "pipe.ipynb", "self.ipynb"}
        for name, diagnostics in files.items():
            assert len(diagnostics) == 1, name
            assert diagnostics[0]["code"].startswith("NBC9"), name
            assert diagnostics[0]["code"] != "NBC945", name
            assert diagnostics[0]["message"], name

    def test_cell_nested_too_deeply_costs_only_itself(self, save: Save, run: Run) -> None:
        deep = "x = " + "(" * 5000 + ")" * 5000
        long = "y = " + "+".join(["1"] * 50_000)
        save("a.ipynb", [("component:a", deep), ("component:b", long), *HIDDEN])
        save("b.ipynb", HIDDEN)
        done = run("check", "a.ipynb", "b.ipynb", "--format", "json")
        first, second = done.json["files"]
        assert done.code in (1, 2)
        assert all(d["code"] != "NBC945" for d in first["diagnostics"])
        assert [d["code"] for d in second["diagnostics"]] == ["NBC101"]

    def test_jobs_must_be_a_number(self, run: Run) -> None:
        done = run("check", "a.ipynb", "--jobs", "none")
        assert done.code == 2
        assert "must be a whole number from 1, not 'none'" in done.err
        assert run("check", "a.ipynb", "--jobs", "0").code == 2

    def test_same_report_from_another_folder(self, save: Save, start: Run, here: Path) -> None:
        save("sub/a.ipynb", HIDDEN)
        first = start("check", "sub", "--format", "json", cwd=here)
        second = start(
            "check", "sub", "--format", "json", cwd=here, env={**os.environ, "PYTHONHASHSEED": "7"}
        )
        assert first.out == second.out


class TestPercentFiles:
    TEXT = "# %% tags=['component:a']\nprint(threshold)\n"

    def test_checked_like_a_notebook(self, here: Path, run: Run) -> None:
        (here / "a.py").write_text(
            '# %%\nthreshold = max([1])\n\n# %% tags=["component:a"]\nprint(threshold)\n'
        )
        done = run("check", "a.py", "--format", "json")
        assert done.code == 1
        (finding,) = done.json["files"][0]["diagnostics"]
        assert (finding["code"], finding["cell"], finding["line"]) == ("NBC101", 1, 1)


class TestWatch:
    def test_checks_again_when_a_file_changes(self, save: Save, here: Path) -> None:
        path = save("a.ipynb", HIDDEN)
        process = subprocess.Popen(
            [sys.executable, "-u", "-m", "nbcomponent", "check", ".", "--watch"],
            cwd=here,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        try:
            assert "1 error" in until_summary(process.stdout)
            replacement = path.with_suffix(".new")
            replacement.write_text(save("b.txt", CLEAN).read_text())
            replacement.replace(path)
            assert "nothing found" in until_summary(process.stdout)
            save("second.ipynb", HIDDEN)
            assert until_summary(process.stdout).startswith("2 notebooks checked: 1 error")
            (here / "pyproject.toml").write_text('[tool.nbcomponent]\nignore = ["NBC1"]\n')
            assert "nothing found" in until_summary(process.stdout)
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(10) == 130
        assert process.stderr is not None
        assert process.stderr.read() == "nbcomponent: interrupted\n"

    @pytest.mark.parametrize("extra", [["--format", "json"], ["-"]])
    def test_only_for_people_and_files(self, save: Save, run: Run, extra: list[str]) -> None:
        save("a.ipynb", CLEAN)
        assert run("check", "a.ipynb", "--watch", *extra).code == 2


def until_summary(lines: Any) -> str:
    """The summary line of the next report."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        line = lines.readline()
        if "checked:" in line:
            return str(line)
    raise AssertionError("no report came")


class TestOurOwnFault:
    def test_report_and_exit_code(
        self, save: Save, run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A real fault: the room that examines meets a type that it does not know."""
        from nbcomponent.cli import examined

        monkeypatch.setattr(examined, "examine", lambda tagged, boundary: 1 / 0)
        save("a.ipynb", CLEAN)
        done = run("check", "a.ipynb", "--format", "json")
        assert done.code == 3
        (finding,) = done.json["files"][0]["diagnostics"]
        assert finding["code"] == "NBC945"
        assert finding["message"] == (
            "nbcomponent itself failed on this file: ZeroDivisionError: division by zero"
        )
        assert done.err == ""
        monkeypatch.setenv("NBCOMPONENT_DEBUG", "1")
        assert "1 / 0" in run("check", "a.ipynb").err

    def test_outside_any_file(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("nbcomponent.cli.check.collect", lambda paths: 1 / 0)
        assert main(["check", "a.ipynb"]) == 3
        err = capsys.readouterr().err
        assert "a fault of nbcomponent itself: ZeroDivisionError" in err
        assert "Please report it" in err
        assert "Traceback" not in err
        monkeypatch.setenv("NBCOMPONENT_DEBUG", "1")
        assert main(["check", "a.ipynb"]) == 3
        assert "Traceback" in capsys.readouterr().err
