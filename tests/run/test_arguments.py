"""Values reach scripts unchanged, and nothing of them is ever read as code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nbcomponent.run.pipeline import run_pipeline

Project = Any

SHOW = """
import json, sys
from pathlib import Path
Path(sys.argv[-1], "argv.json").write_text(json.dumps(sys.argv[1:-1]), encoding="utf-8")
"""

HOSTILE = [
    'it\'s "quoted"',
    "two\nlines\n",
    "$(touch pwned)`touch pwned`",
    "; touch pwned #",
    "--help",
    "-1e-05",
    "größe 🎉\u2028",
    "${{inputs.other}} $[[--x ${{outputs.out}}]]",
    "C:\\temp\\",
    " spaces  around ",
]


def shown(project: Project, sets: dict[str, str]) -> list[str]:
    report = run_pipeline(project.write(), sets)
    assert report.state == "completed", report
    found: list[str] = json.loads(Path(report.step("show").outputs["out"], "argv.json").read_text())
    return found


@pytest.fixture
def text_project(project: Project) -> Project:
    project.component(
        "show",
        SHOW,
        inputs="text: {type: string}",
        command="python main.py --text ${{inputs.text}} ${{inputs.text}} ${{outputs.out}}",
    )
    return project


def test_hostile_text_on_the_command_line_arrives_byte_for_byte(text_project: Project) -> None:
    text_project.step("show", text="default")
    for value in HOSTILE:
        assert shown(text_project, {"show.text": value}) == [f"--text={value}", value]
    assert not list(text_project.folder.rglob("pwned"))


@pytest.mark.parametrize("value", [v for v in HOSTILE if "${{" not in v])
def test_hostile_text_in_the_yaml_arrives_byte_for_byte(text_project: Project, value: str) -> None:
    text_project.step("show", text=value)
    assert shown(text_project, {}) == [f"--text={value}", value]


def test_hostile_text_through_a_shell_arrives_byte_for_byte(project: Project) -> None:
    project.component(
        "show",
        SHOW,
        inputs="text: {type: string}",
        command='cd . && python main.py --text ${{inputs.text}} "<${{inputs.text}}>" ${{outputs.out}} | cat',
    )
    project.step("show", text="default")
    for value in HOSTILE:
        assert shown(project, {"show.text": value}) == [f"--text={value}", f"<{value}>"]
    assert not list(project.folder.rglob("pwned"))


def test_types_are_rendered_as_the_service_does(project: Project) -> None:
    project.component(
        "show",
        SHOW,
        inputs="i: {type: integer}, n: {type: number}, b: {type: boolean, default: false}, s: {type: string}",
        command="python main.py --i ${{inputs.i}} --n ${{inputs.n}} --b ${{inputs.b}} --s ${{inputs.s}} ${{outputs.out}}",
    )
    project.step("show", i=3, n=-1e-05, b=True, s="")
    assert shown(project, {}) == ["--i=3", "--n=-1e-05", "--b=True", "--s="]
    sets = {"show.i": "-4", "show.n": "1e3", "show.b": "FALSE", "show.s": "x"}
    assert shown(project, sets) == ["--i=-4", "--n=1000.0", "--b=False", "--s=x"]


def test_an_optional_input_left_out_or_empty_is_not_sent(project: Project) -> None:
    project.component(
        "show",
        SHOW,
        inputs="tag: {type: string, optional: true}, n: {type: integer, optional: true}",
        command="python main.py $[[--tag ${{inputs.tag}}]] $[[--n ${{inputs.n}}]] ${{outputs.out}}",
    )
    project.step("show")
    assert shown(project, {}) == []
    assert shown(project, {"show.tag": "", "show.n": "2"}) == ["--n=2"]
    assert shown(project, {"show.tag": "x"}) == ["--tag=x"]


def test_text_where_the_shell_would_evaluate_it_is_refused(project: Project) -> None:
    project.component(
        "show", SHOW, inputs="text: {type: string}", command="bash -c 'echo ${{inputs.text}}'"
    )
    project.step("show", text="$(touch pwned)")
    report = run_pipeline(project.write())
    assert report.state == "refused"
    assert [f.diagnostic.code for f in report.findings] == ["NBC508"]
    assert report.findings[0].path.endswith("component.yml")


def test_standard_input_is_empty_and_variables_do_not_leak(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", "/leaked")
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    monkeypatch.setenv("KEPT", "kept")
    project.component(
        "show",
        """
        import json, os, sys
        from pathlib import Path
        found = {k: os.environ.get(k) for k in ("PYTHONPATH", "MPLBACKEND", "KEPT", "DECLARED", "AZURE_ML_OUTPUT_out")}
        found["stdin"] = sys.stdin.read()
        Path(sys.argv[-1], "argv.json").write_text(json.dumps(found))
        """,
    )
    project.step("show", more="environment_variables: {DECLARED: 5}")
    report = run_pipeline(project.write())
    out = report.step("show").outputs["out"]
    assert json.loads(Path(out, "argv.json").read_text()) == {
        "PYTHONPATH": None,
        "MPLBACKEND": "agg",
        "KEPT": "kept",
        "DECLARED": "5",
        "AZURE_ML_OUTPUT_out": out,
        "stdin": "",
    }


def test_a_distributed_component_runs_as_one_worker_with_a_note(project: Project) -> None:
    project.component(
        "show",
        "import os, sys, json\njson.dump([os.environ[k] for k in ('RANK', 'WORLD_SIZE')], open(sys.argv[1] + '/f', 'w'))",
        more="distribution: {type: pytorch, process_count_per_instance: 4}",
    )
    project.step("show")
    step = run_pipeline(project.write()).step("show")
    assert json.loads(Path(step.outputs["out"], "f").read_text()) == ["0", "1"]
    assert any("one process" in note for note in step.notes)


def test_differences_from_the_conda_file_are_noted(project: Project) -> None:
    project.component(
        "show",
        SHOW,
        more="environment: {image: x, conda_file: {dependencies: [python=2.7, {pip: [PyYAML==1.0, no-such-package-here]}]}}",
    )
    project.step("show")
    notes = run_pipeline(project.write()).step("show").notes
    assert [note.split(" is ")[0] for note in notes] == [
        "python 2.7",
        "pyyaml 1.0",
        "no-such-package-here",
    ]
