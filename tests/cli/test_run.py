"""``nbcomponent run``: a hand-written pipeline through the command."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

MAKE = """\
import argparse, json, pathlib
parser = argparse.ArgumentParser()
parser.add_argument("--count", type=int)
parser.add_argument("--out", type=pathlib.Path)
options = parser.parse_args()
options.out.mkdir(parents=True, exist_ok=True)
(options.out / "metrics.json").write_text(json.dumps({"count": options.count}))
print("made", options.count)
if options.count < 0:
    raise SystemExit("count must not be negative")
if options.count > 100:
    import time
    time.sleep(60)
"""
COMPONENT = """\
$schema: https://azuremlschemas.azureedge.net/latest/commandComponent.schema.json
type: command
name: make
inputs:
  count: {type: integer, default: 3}
outputs:
  out: {type: uri_folder}
code: ./src
environment: azureml:python:1
command: python make.py --count ${{inputs.count}} --out ${{outputs.out}}
"""
PIPELINE = """\
$schema: https://azuremlschemas.azureedge.net/latest/pipelineJob.schema.json
type: pipeline
inputs:
  count: 3
outputs:
  result: {type: uri_folder}
jobs:
  first:
    type: command
    component: ./component.yml
    inputs: {count: "${{parent.inputs.count}}"}
    outputs: {out: "${{parent.outputs.result}}"}
  second:
    type: command
    component: ./component.yml
"""


@pytest.fixture
def pipeline(here: Path) -> Path:
    (here / "src").mkdir()
    (here / "src" / "make.py").write_text(MAKE)
    (here / "component.yml").write_text(COMPONENT)
    path = here / "pipeline.yml"
    path.write_text(PIPELINE)
    return path


def test_text(pipeline: Path, run: Run) -> None:
    done = run("run", "pipeline.yml")
    assert done.code == 0, done.out + done.err
    assert done.out.startswith("pipeline.yml: completed in ")
    assert "    count = 3" in done.out
    assert "outputs:\n  result: " in done.out
    assert "first executed in" in done.err
    assert "[2/2]" in done.err


def test_json(pipeline: Path, run: Run) -> None:
    done = run("run", "pipeline.yml", "--format", "json", "--quiet")
    assert (done.code, done.err) == (0, "")
    assert (done.json["schema"], done.json["state"]) == ("nbcomponent.run/1", "completed")
    first, second = done.json["steps"]
    assert (first["name"], first["state"], first["stdout"]) == ("first", "executed", "made 3\n")
    assert second["metrics"] == {"count": 3.0}


def test_set(pipeline: Path, run: Run) -> None:
    done = run("run", "pipeline.yml", "--set", "count=7", "--format", "json")
    assert [step["metrics"]["count"] for step in done.json["steps"]] == [7.0, 3.0]


def test_one_step(pipeline: Path, run: Run) -> None:
    done = run("run", "pipeline.yml", "--step", "second", "--format", "json")
    assert done.code == 0
    ran = [step["name"] for step in done.json["steps"] if step["state"] == "executed"]
    assert ran == ["second"]


def test_failing_step(pipeline: Path, run: Run) -> None:
    done = run("run", "pipeline.yml", "--set", "count=-1")
    assert done.code == 1
    assert "pipeline.yml: failed in " in done.out
    assert "layer: user code" in done.out
    assert "    | count must not be negative" in done.out


def test_timeout(pipeline: Path, run: Run) -> None:
    done = run("run", "pipeline.yml", "--set", "count=101", "--timeout", "1")
    assert done.code == 1
    assert "layer: timeout" in done.out


@pytest.mark.parametrize("wrong", ["0", "-1", "soon", "nan", "inf"])
def test_timeout_is_a_number_of_seconds(pipeline: Path, run: Run, wrong: str) -> None:
    done = run("run", "pipeline.yml", f"--timeout={wrong}")
    assert done.code == 2
    assert f"must be a number of seconds above 0, not '{wrong}'" in done.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--set", "count"], "--set takes NAME=VALUE, not 'count'"),
        (["--set", "=3"], "--set takes NAME=VALUE, not '=3'"),
        (["--set", "count=1", "--set", "count=2"], "--set gives count twice"),
        (["--set", "cuont=1"], "cuont"),
        (["--step", "third"], "third"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_wrong_options(pipeline: Path, run: Run, options: list[str], said: str) -> None:
    done = run("run", "pipeline.yml", *options)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert not (pipeline.parent / ".nbcomponent").exists()


def test_value_with_an_equals_sign(pipeline: Path, run: Run) -> None:
    pipeline.write_text(PIPELINE.replace("count: 3", "count: 3\n  text: a"))
    done = run("run", "pipeline.yml", "--set", "text=a=b")
    assert done.code == 0, done.out + done.err


def test_mistake_in_the_pipeline_is_shown_and_nothing_runs(pipeline: Path, run: Run) -> None:
    pipeline.write_text(PIPELINE.replace("parent.inputs.count", "parent.inputs.cuont"))
    done = run("run", "pipeline.yml")
    assert done.code == 1
    assert "pipeline.yml: line " in done.out
    assert " error NBC5" in done.out
    assert "refused" in done.out


def test_file_that_is_no_pipeline(pipeline: Path, run: Run) -> None:
    done = run("run", "component.yml")
    assert done.code == 2
    assert done.err.startswith("nbcomponent: component.yml: line 2:7: NBC501 ")
    assert run("run", "nowhere.yml").code == 2


def test_interrupted_run_leaves_nothing_running(pipeline: Path, here: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "nbcomponent", "run", "pipeline.yml", "--set", "count=101"],
        cwd=here,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    end = time.monotonic() + 20
    while not list(here.glob(".nbcomponent/runs/*/first/out*/metrics.json")):
        assert time.monotonic() < end
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "cancelled" in out


class TestWhatIsNamed:
    """From a folder, a notebook or another file to the pipeline, or to what must be typed."""

    def test_folder_with_one_pipeline_is_run_and_said(self, pipeline: Path, run: Run) -> None:
        done = run("run", str(pipeline.parent.relative_to(Path.cwd())))
        assert done.code == 0, done.out + done.err
        assert done.out.startswith("pipeline.yml: completed in ")
        assert done.err.startswith("nbcomponent: running pipeline.yml\n")

    def test_pipeline_below_the_folder(self, pipeline: Path, run: Run) -> None:
        (pipeline.parent / "out" / "deep").mkdir(parents=True)
        for name in ("src", "component.yml", "pipeline.yml"):
            (pipeline.parent / name).rename(pipeline.parent / "out" / "deep" / name)
        done = run("run", "out/", "--format", "json")
        assert done.code == 0, done.out + done.err
        assert done.json["pipeline"] == "out/deep/pipeline.yml"

    def test_former_runs_are_no_pipelines(self, pipeline: Path, run: Run) -> None:
        assert run("run", ".", "--quiet").code == 0
        done = run("run", ".", "--quiet")
        assert done.code == 0
        assert done.err == ""

    def test_several_pipelines_are_listed(self, pipeline: Path, run: Run) -> None:
        for name in ("b c", "a"):
            (pipeline.parent / "out" / name).mkdir(parents=True)
            (pipeline.parent / "out" / name / "pipeline.yml").write_text(PIPELINE)
        done = run("run", "out")
        assert done.code == 2
        assert done.err == (
            "nbcomponent: run: there are 2 pipelines in out; run one of them:\n"
            "  nbcomponent run out/a/pipeline.yml\n"
            "  nbcomponent run 'out/b c/pipeline.yml'\n"
        )

    @pytest.mark.parametrize(("notebook", "what"), [("", "NOTEBOOK"), ("a.ipynb", "new")])
    def test_folder_without_pipeline(self, here: Path, run: Run, notebook: str, what: str) -> None:
        (here / "new").mkdir()
        if notebook:
            (here / "new" / notebook).write_text("{}")
        done = run("run", "new")
        assert done.code == 2
        assert done.err == (
            "nbcomponent: run: there is no pipeline.yml in new or below it; export writes one:\n"
            f"  nbcomponent export {what} -o out\n"
            "  nbcomponent run out\n"
        )

    @pytest.mark.parametrize("name", ["train.ipynb", "train.py"])
    def test_notebook_is_to_be_exported_first(self, here: Path, run: Run, name: str) -> None:
        (here / name).write_text("# %%\nx = 1\n" if name.endswith(".py") else "{}")
        done = run("run", name)
        assert done.code == 2
        assert done.err == (
            f"nbcomponent: run: {name} is a notebook; export it, then run its pipeline:\n"
            f"  nbcomponent export {name} -o out\n"
            "  nbcomponent run out/train/pipeline.yml\n"
        )

    @pytest.mark.parametrize("text", ["x = 1\n", "a,b\n1,2\n", "a: [\n"])
    @pytest.mark.parametrize("name", ["train.py", "data.csv"])
    def test_other_file(self, here: Path, run: Run, name: str, text: str) -> None:
        (here / name).write_text(text)
        done = run("run", name)
        assert done.code == 2
        assert done.err == (
            f"nbcomponent: run: {name} is no pipeline; name the pipeline.yml that export writes, "
            "or a YAML file of a pipeline job of your own\n"
        )

    def test_yaml_that_cannot_be_read_is_told_with_its_line(self, here: Path, run: Run) -> None:
        (here / "pipeline.yml").write_text("type: pipeline\njobs: [\n")
        done = run("run", "pipeline.yml")
        assert done.code == 2
        assert done.err.startswith("nbcomponent: pipeline.yml: line 3:1: NBC931 ")

    @pytest.mark.parametrize("name", ["make", "make/component.yml", "make/make.py"])
    def test_component_is_run_as_a_step_of_its_pipeline(
        self, pipeline: Path, run: Run, name: str
    ) -> None:
        folder = pipeline.parent / "make"
        (pipeline.parent / "src").rename(folder)
        (pipeline.parent / "component.yml").rename(folder / "component.yml")
        done = run("run", name)
        assert done.code == 2
        assert done.err.endswith(
            "run the component as a step of its pipeline:\n"
            "  nbcomponent run pipeline.yml --step make\n"
        )
