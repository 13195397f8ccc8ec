"""Running a pipeline: order, wiring, records, and what becomes of steps that fail."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from nbcomponent.core.errors import UnusableInput, UsageError
from nbcomponent.run.events import RunEvent
from nbcomponent.run.pipeline import run_pipeline
from nbcomponent.run.report import as_json, as_text

Project = Any
Binding = Callable[..., str]

WRITE = "import sys, pathlib\npathlib.Path(sys.argv[-1], 'f').write_text('x')\n"


def test_a_wired_pipeline_runs_in_the_order_of_its_bindings(chain: Project) -> None:
    report = run_pipeline(chain.write())
    assert report.state == "completed"
    assert report.exit_code == 0
    assert [(s.name, s.state) for s in report.steps] == [
        ("make", "executed"),
        ("add", "executed"),
        ("report", "executed"),
    ]
    assert Path(report.step("add").outputs["total"]).read_text() == "10"
    assert report.step("report").metrics == {"total": 10.0}


def test_outputs_logs_and_record_stand_in_documented_places(chain: Project) -> None:
    report = run_pipeline(chain.write())
    runs = chain.folder / ".nbcomponent" / "runs"
    assert report.folder == runs / report.id
    assert report.step("add").outputs == {"total": str(runs / report.id / "add" / "total")}
    assert (runs / report.id / "make" / "stdout.log").read_text() == "made 5\n"
    assert (runs / "latest").resolve() == report.folder
    link = runs / report.id / "pipeline-outputs" / "report"
    assert report.outputs == {"report": str(link)}
    assert json.loads((link / "metrics.json").read_text()) == {"total": 10}
    assert (chain.folder / ".nbcomponent" / ".gitignore").read_text() == "*\n"


def test_the_record_is_the_documented_json(chain: Project) -> None:
    report = run_pipeline(chain.write())
    assert report.folder is not None
    record = json.loads((report.folder / "run.json").read_text())
    assert record == as_json(report)
    assert record["schema"] == "nbcomponent.run/1"
    assert record["pipeline"] == str(chain.folder / "pipeline.yml")
    assert record["state"] == "completed"
    step = record["steps"][0]
    assert (step["name"], step["state"], step["reason"]) == ("make", "executed", "")
    assert (step["stdout"], step["stderr"]) == ("made 5\n", "")
    assert step["seconds"] > 0
    assert step["outputs"] == {"out": str(report.folder / "make" / "out")}


def test_the_text_names_steps_metrics_and_outputs(chain: Project) -> None:
    text = as_text(run_pipeline(chain.write()))
    assert "pipeline.yml: completed in" in text
    assert "total = 10" in text
    assert "pipeline-outputs/report" in text


def test_set_changes_pipeline_and_step_inputs(chain: Project) -> None:
    path = chain.write()
    assert run_pipeline(path, {"count": "3"}).step("report").metrics == {"total": 3.0}
    assert run_pipeline(path, {"make.count": "2"}).step("report").metrics == {"total": 1.0}


def test_an_unknown_name_in_set_lists_the_known_ones(chain: Project) -> None:
    with pytest.raises(
        UsageError, match=r"--set cuont: .*known: count, report.total, .*make.count"
    ):
        run_pipeline(chain.write(), {"cuont": "3"})
    assert not (chain.folder / ".nbcomponent").exists()


@pytest.mark.parametrize(("value", "message"), [("0", "below the minimum 1"), ("x", "integer")])
def test_a_value_that_does_not_fit_stops_before_anything_starts(
    chain: Project, value: str, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        run_pipeline(chain.write(), {"count": value})
    assert not (chain.folder / ".nbcomponent").exists()


def test_a_literal_out_of_range_in_the_yaml_refuses_the_run(chain: Project) -> None:
    chain.head = chain.head.replace("count: 5", "count: 500")
    report = run_pipeline(chain.write())
    assert (report.state, report.exit_code, report.steps) == ("refused", 1, ())
    (finding,) = report.findings
    assert finding.diagnostic.code == "NBC505"
    assert (finding.diagnostic.place.line, finding.diagnostic.place.column) == (2, 17)
    assert "500 is above the maximum 100" in finding.diagnostic.message
    assert not (chain.folder / ".nbcomponent").exists()


def test_one_step_runs_alone_with_given_inputs(chain: Project, tmp_path: Path) -> None:
    (tmp_path / "total.txt").write_text("7")
    report = run_pipeline(chain.write(), {"total": "total.txt"}, step="report", cwd=tmp_path)
    assert [s.name for s in report.steps] == ["report"]
    assert report.step("report").metrics == {"total": 7.0}


def test_a_single_step_says_which_input_it_lacks(chain: Project) -> None:
    report = run_pipeline(chain.write(), step="add")
    (finding,) = report.findings
    assert finding.diagnostic.code == "NBC506"
    assert "'add.numbers' comes from the step 'make'" in finding.diagnostic.message
    with pytest.raises(UsageError, match="no step 'sum'; steps: report, add or make"):
        run_pipeline(chain.write(), step="sum")


def test_independent_steps_run_side_by_side(project: Project) -> None:
    # Each waits for the sign of the other: one after the other they would never end.
    meet = """
        import sys, time
        from pathlib import Path
        mine, other, folder, out = sys.argv[1:]
        Path(folder, mine).touch()
        while not Path(folder, other).exists():
            time.sleep(0.01)
        Path(out, "f").touch()
        """
    shared = project.folder / "meeting"
    shared.mkdir()
    for mine, other in (("a", "b"), ("b", "a")):
        project.component(
            mine, meet, command=f"python main.py {mine} {other} {shared} ${{{{outputs.out}}}}"
        )
        project.step(mine)
    assert run_pipeline(project.write(), workers=2, timeout=30).state == "completed"


def test_no_more_steps_than_workers_run_at_a_time(project: Project) -> None:
    project.component("nap", "import sys, time\ntime.sleep(0.2)\nopen(sys.argv[-1] + '/f', 'w')\n")
    for index in range(3):
        project.step(f"s{index}", "nap")
    running: list[int] = []

    def count(event: RunEvent) -> None:
        running.append(
            running[-1] + {"step-started": 1, "step-ended": -1}.get(event.kind, 0) if running else 0
        )

    assert run_pipeline(project.write(), workers=1, on_event=count).state == "completed"
    assert max(running) == 1


def test_a_failing_step_skips_its_dependents_only(project: Project, binding: Binding) -> None:
    project.component("good", WRITE)
    project.component("bad", "import sys\nprint('almost')\nx = {}\nx['missing']\n")
    project.component("after", WRITE, inputs="data: {type: uri_folder}")
    project.step("bad")
    project.step("next", "after", data=binding("bad"))
    project.step("last", "after", data=binding("next"))
    project.step("good")
    report = run_pipeline(project.write(), workers=1)
    assert (report.state, report.exit_code) == ("failed", 1)
    assert {s.name: (s.state, s.reason) for s in report.steps} == {
        "bad": ("failed", "exit code 1: KeyError: 'missing'"),
        "next": ("skipped", "'bad' failed"),
        "last": ("skipped", "'next' was skipped"),
        "good": ("executed", ""),
    }
    bad = report.step("bad")
    assert (bad.layer, bad.exit_code) == ("user code", 1)
    assert bad.tail[-2:] == ("    ~^^^^^^^^^^^", "KeyError: 'missing'")
    assert "KeyError: 'missing'" in as_text(report)


def test_a_pipeline_may_stop_at_the_first_failure(project: Project) -> None:
    project.component("slow", "import time\ntime.sleep(60)\n")
    project.component("bad", "import time\ntime.sleep(0.3)\nraise SystemExit(4)\n")
    project.component("good", WRITE)
    project.head += "settings: {continue_on_step_failure: false}\n"
    for name in ("slow", "bad", "good"):
        project.step(name)
    started = time.monotonic()
    report = run_pipeline(project.write(), workers=2)
    assert time.monotonic() - started < 30
    assert (report.step("bad").state, report.step("bad").exit_code) == ("failed", 4)
    assert (report.step("slow").state, report.step("slow").layer) == ("failed", "cancelled")
    assert report.step("good").state == "skipped"
    assert "continue_on_step_failure" in report.step("good").reason
    assert report.state == "failed"


@pytest.mark.parametrize(
    ("script", "layer", "reason"),
    [
        ("import no_such_package_here", "environment", "No module named 'no_such_package_here'"),
        (
            "import argparse\nargparse.ArgumentParser().parse_args()",
            "contract",
            "unrecognized arguments",
        ),
        (
            "import sys\nsys.exit('error: table: expected a column id, found columns a, b')",
            "contract",
            "exit code 1: error: table: expected a column id",
        ),
        (
            "import sys\nsys.exit('error: --table: expected a, found b (1 of 9 findings)'"
            " + '\\n  expected a, found c' * 4 + '\\n  and 4 more')",
            "contract",
            "exit code 1: error: --table: expected a, found b (1 of 9 findings)",
        ),
        (
            "import sys\nsys.exit('error: out: expected files, found none')",
            "missing output",
            "exit code 1: error: out: expected files, found none",
        ),
        ("import os\nos.kill(os.getpid(), 9)", "environment", "killed by SIGKILL"),
        ("import os\nos.kill(os.getpid(), 11)", "user code", "SIGSEGV"),
        (
            "print('x', file=open('/dev/full', 'w'), flush=True)",
            "user code",
            "No space left on device",
        ),
        ("pass", "missing output", "'out' (uri_folder) is empty"),
        (
            "import sys, os\nos.rmdir(sys.argv[1])",
            "missing output",
            "'out' (uri_folder) was not written",
        ),
    ],
)
def test_the_layer_of_a_failure(project: Project, script: str, layer: str, reason: str) -> None:
    project.component("step", script)
    project.step("step")
    step = run_pipeline(project.write()).step("step")
    assert (step.state, step.layer) == ("failed", layer)
    assert reason in step.reason


def test_a_file_output_must_be_a_file(project: Project) -> None:
    project.component(
        "step", "import sys, os\nos.mkdir(sys.argv[1])", outputs="out: {type: uri_file}"
    )
    project.step("step")
    assert "is a folder, not a file" in run_pipeline(project.write()).step("step").reason


def test_a_program_or_script_that_is_not_there_is_a_launch_failure(project: Project) -> None:
    project.component("none", WRITE, command="no-such-program ${{outputs.out}}")
    project.component("script", WRITE, command="python other.py ${{outputs.out}}")
    project.component("shell", WRITE, command="true && no-such-program ${{outputs.out}}")
    for name in ("none", "script", "shell"):
        project.step(name)
    report = run_pipeline(project.write())
    assert [s.layer for s in report.steps] == ["launch"] * 3
    assert report.step("none").reason == "no-such-program: not found on this machine"
    assert "can't open file" in report.step("script").reason


def test_a_step_that_changes_its_input_fails(project: Project, binding: Binding) -> None:
    project.component("make", WRITE)
    project.component(
        "spoil",
        "import sys, pathlib\npathlib.Path(sys.argv[1], 'g').touch()\npathlib.Path(sys.argv[2], 'f').touch()",
        inputs="data: {type: uri_folder}",
        command="python main.py ${{inputs.data}} ${{outputs.out}}",
    )
    project.step("make")
    project.step("spoil", data=binding("make"))
    step = run_pipeline(project.write()).step("spoil")
    assert (step.state, step.layer) == ("failed", "contract")
    assert "the input 'data' was changed while the step ran" in step.reason


def test_declared_metrics_that_are_missing_are_noted(chain: Project) -> None:
    (chain.folder / "report" / "contract.yml").write_text(
        "metrics: {total: {scope: global}, accuracy: {goal: maximize}}\n"
        "environment_variables: {FROM_CONTRACT: 'yes'}\n"
    )
    step = run_pipeline(chain.write()).step("report")
    assert step.metrics == {"total": 10.0}
    assert any("accuracy" in note for note in step.notes)


def test_two_runs_at_once_do_not_harm_each_other(chain: Project) -> None:
    path = chain.write()
    reports: dict[int, Any] = {}

    def run(index: int) -> None:
        reports[index] = run_pipeline(path, {"count": str(index + 2)}, workers=1)

    threads = [threading.Thread(target=run, args=(index,)) for index in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [reports[i].step("report").metrics["total"] for i in range(4)] == [1, 3, 6, 10]
    assert len({report.id for report in reports.values()}) == 4


def test_events_tell_the_progress(chain: Project) -> None:
    events: list[RunEvent] = []
    run_pipeline(chain.write(), on_event=events.append)
    assert [(e.kind, e.step, e.done) for e in events] == [
        ("run-started", None, 0),
        ("step-started", "make", 0),
        ("step-ended", "make", 1),
        ("step-started", "add", 1),
        ("step-ended", "add", 2),
        ("step-started", "report", 2),
        ("step-ended", "report", 3),
        ("run-ended", None, 3),
    ]
    assert all(
        e.stdout and e.stdout.name == "stdout.log" for e in events if e.kind == "step-started"
    )


def test_folders_with_spaces_and_other_letters(
    project_at: Callable[[Path], Project], tmp_path: Path
) -> None:
    project = project_at(tmp_path / "Größe & 'Maß' $HOME 数据")
    (project.folder / "ein gabe.csv").write_text("1,2\n")
    project.component(
        "copy",
        "import sys, shutil\nshutil.copy(sys.argv[1], sys.argv[2])",
        inputs="table: {type: uri_file}",
        command="python main.py ${{inputs.table}} ${{outputs.out}} && cat ${{inputs.table}}",
    )
    project.step("copy", table={"type": "uri_file", "path": "./ein gabe.csv"})
    report = run_pipeline(project.write())
    assert report.state == "completed"
    assert Path(report.step("copy").outputs["out"], "ein gabe.csv").read_text() == "1,2\n"
    assert as_json(report)["steps"][0]["stdout"] == "1,2\n"  # type: ignore[index]


def test_relative_paths_in_yaml_and_in_set_start_at_different_places(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in (project.folder, tmp_path / "elsewhere"):
        folder.mkdir(exist_ok=True)
        (folder / "data.txt").write_text(folder.name)
    project.component(
        "copy",
        "import sys, shutil\nshutil.copy(*sys.argv[1:])",
        inputs="table: {type: uri_file}",
        command="python main.py ${{inputs.table}} ${{outputs.out}}",
    )
    project.step("copy", table={"type": "uri_file", "path": "data.txt"})
    path = project.write()
    monkeypatch.chdir(tmp_path / "elsewhere")
    first = run_pipeline(os.path.relpath(path))
    second = run_pipeline(path, {"copy.table": "data.txt"})
    texts = [Path(r.step("copy").outputs["out"], "data.txt").read_text() for r in (first, second)]
    assert texts == ["project", "elsewhere"]


def test_missing_local_data_is_said_before_anything_starts(project: Project) -> None:
    project.component("use", WRITE, inputs="table: {type: uri_file}")
    project.step("use", table={"type": "uri_file", "path": "missing.csv"})
    path = project.write()
    (finding,) = run_pipeline(path).findings
    assert finding.diagnostic.code == "NBC507"
    with pytest.raises(UsageError, match=r"'nowhere\.csv' does not exist"):
        run_pipeline(path, {"use.table": "nowhere.csv"})
    with pytest.raises(UsageError, match="is a folder; a file is expected"):
        run_pipeline(path, {"use.table": str(project.folder)})
    with pytest.raises(UsageError, match="not on this machine"):
        run_pipeline(path, {"use.table": "azureml:x:1"})


def test_a_run_folder_that_cannot_be_written_is_one_clear_error(chain: Project) -> None:
    (chain.folder / ".nbcomponent").write_text("a file where the folder should be")
    with pytest.raises(UnusableInput) as caught:
        run_pipeline(chain.write())
    assert caught.value.diagnostic.code == "NBC932"
    assert "cannot be written" in caught.value.diagnostic.message


def test_python_is_the_current_interpreter_also_through_a_shell(project: Project) -> None:
    script = "import sys, pathlib\npathlib.Path(sys.argv[-1], 'f').write_text(sys.prefix)\n"
    project.component("direct", script)
    project.component("shell", script, command="true && python3 main.py ${{outputs.out}}")
    project.step("direct")
    project.step("shell")
    report = run_pipeline(project.write())
    prefixes = [Path(s.outputs["out"], "f").read_text() for s in report.steps]
    assert prefixes == [sys.prefix, sys.prefix]


INLINE = """\
type: pipeline
outputs: {table: {type: uri_file}}
jobs:
  hello:
    command: echo "hello" && echo ${{inputs.word}} > ${{outputs.world}}/world.txt
    inputs: {word: "big  world"}
    outputs: {world: }
  read:
    command: cat ${{inputs.world}}/world.txt
    inputs: {world: "${{parent.jobs.hello.outputs.world}}"}
  table:
    command: echo 1,2 > ${{outputs.table}}
    outputs: {table: "${{parent.outputs.table}}"}
  keep:
    command: echo "world" > ./outputs/world.txt
    outputs: {artifacts: }
  kept:
    command: cat ${{inputs.world}}/outputs/world.txt
    inputs: {world: "${{parent.jobs.keep.outputs.artifacts}}"}
"""


def test_steps_whose_commands_stand_in_the_pipeline(tmp_path: Path) -> None:
    (tmp_path / "pipeline.yml").write_text(INLINE)
    report = run_pipeline(tmp_path / "pipeline.yml")
    assert report.state == "completed", as_text(report)
    logs = {s.name: s.stdout.read_text() for s in report.steps if s.stdout}
    assert logs == {
        "hello": "hello\n",
        "read": "big  world\n",
        "table": "",
        "keep": "",
        "kept": "world\n",
    }
    assert Path(report.outputs["table"]).read_text() == "1,2\n"


def test_a_record_under_way_names_its_logs(chain: Project) -> None:
    states: list[Any] = []

    def look(event: RunEvent) -> None:
        (record,) = (chain.folder / ".nbcomponent" / "runs").glob("2*/run.json")
        states.append((event.kind, json.loads(record.read_text())["state"]))

    run_pipeline(chain.write(), on_event=look)
    assert states[0] == ("run-started", "running")
    assert states[-1] == ("run-ended", "completed")


def lines_executed(work: Callable[[], Any], rooms: tuple[str, ...]) -> int:
    """How many lines of these rooms of the package ``work`` executes: of a square it shows each part."""
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        path = Path(frame.f_code.co_filename)
        if event == "call":
            return trace if path.parent.name in rooms else None
        count += 1
        return trace

    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(None)
    return count


def test_the_work_for_each_step_does_not_grow_with_their_number(
    tmp_path: Path, project_at: Callable[[Path], Project], binding: Binding
) -> None:
    def run_of(count: int) -> int:
        """A row of steps whose first fails, so that the others are read, planned, skipped and recorded."""
        project = project_at(tmp_path / str(count))
        project.component("fails", "raise SystemExit(1)")
        project.component("never", WRITE, inputs="x: {type: uri_folder}")
        project.step("s0", "fails")
        for number in range(1, count):
            project.step(f"s{number}", "never", x=binding(f"s{number - 1}"))
        path = project.write()
        return lines_executed(lambda: run_pipeline(path), ("run", "schema"))

    assert run_of(200) < 2.3 * run_of(100)
