"""Mistakes in a pipeline: all found before anything starts, each with file, line and column."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from nbcomponent.run.pipeline import run_pipeline
from nbcomponent.run.report import RunReport

Project = Any
Binding = Callable[..., str]


@pytest.fixture
def one(project: Project) -> Project:
    """A component ``c`` with a data input, a number with a default, and an output."""
    project.component(
        "c",
        "raise SystemExit('this must not run')",
        inputs="data: {type: uri_folder}, n: {type: number, default: 1}",
        command="python main.py ${{inputs.data}} ${{inputs.n}} ${{outputs.out}}",
    )
    (project.folder / "raw").mkdir()
    return project


RAW = {"type": "uri_folder", "path": "./raw"}


def refused(project: Project) -> list[tuple[str, str]]:
    report: RunReport = run_pipeline(project.write())
    assert report.state == "refused"
    assert report.exit_code == 1
    assert not (project.folder / ".nbcomponent").exists()
    return [(f.diagnostic.code, f.diagnostic.message) for f in report.findings]


def test_a_cycle_is_named(one: Project, binding: Binding) -> None:
    one.step("a", "c", data=binding("b"))
    one.step("b", "c", data=binding("a"))
    assert refused(one) == [("NBC504", "the steps wait for each other: a -> b -> a")]


def test_a_step_that_needs_itself(one: Project, binding: Binding) -> None:
    one.step("a", "c", data=binding("a"))
    assert refused(one) == [("NBC504", "the steps wait for each other: a -> a")]


def test_a_missing_component_file(one: Project) -> None:
    one.step("a", "missing", data=RAW)
    ((code, message),) = refused(one)
    assert code == "NBC507"
    assert "./missing/component.yml" in message


def test_a_missing_code_folder(one: Project) -> None:
    (one.folder / "c" / "src" / "main.py").unlink()
    (one.folder / "c" / "src").rmdir()
    one.step("a", "c", data=RAW)
    assert refused(one) == [("NBC507", "there is no code folder './src' beside the component")]


def test_a_missing_required_input(one: Project) -> None:
    one.step("a", "c")
    assert refused(one) == [("NBC506", "the required input 'a.data' (uri_folder) is not given")]


def test_unknown_inputs_and_outputs_of_a_step(one: Project) -> None:
    one.step("a", "c", data=RAW, lr=0.1, more="outputs: {model: {type: uri_folder}}")
    assert refused(one) == [
        ("NBC506", "the component of 'a' has no input 'lr' (it has: data, n)"),
        ("NBC506", "the component of 'a' has no output 'model' (it has: out)"),
    ]


@pytest.mark.parametrize(
    ("value", "code", "message"),
    [
        ("${{parent.jobs.x.outputs.out}}", "NBC503", "there is no step 'x'"),
        ("${{parent.jobs.a.outputs.y}}", "NBC503", "has no output 'y' (it has: out)"),
        ("${{parent.inputs.x}}", "NBC503", "the pipeline has no input 'x'"),
        ("${{parent.outputs.x}}", "NBC503", "cannot be an input"),
        ("${{pipeline.inputs.x}}", "NBC503", "did you mean"),
        ("./raw", "NBC505", "but a literal is given"),
        ({"type": "uri_folder", "path": "azureml:x:1"}, "NBC502", "not on this machine"),
        ({"type": "uri_folder", "path": "https://x.example/y"}, "NBC502", "not on this machine"),
        ({"type": "uri_folder", "path": "./nothing"}, "NBC507", "does not exist"),
        ({"type": "uri_folder", "path": "./pipeline.yml"}, "NBC507", "a folder is expected"),
    ],
)
def test_data_that_cannot_be_given(one: Project, value: object, code: str, message: str) -> None:
    one.step("a", "c", data=RAW)
    one.step("b", "c", data=value)
    found = refused(one)
    assert [c for c, _ in found] == [code]
    assert message in found[0][1]


@pytest.mark.parametrize("value", ["abc", True, RAW, "${{parent.jobs.a.outputs.out}}"])
def test_a_number_that_is_none(one: Project, value: object) -> None:
    one.step("a", "c", data=RAW)
    one.step("b", "c", data=RAW, n=value)
    assert [code for code, _ in refused(one)] == [
        "NBC503" if isinstance(value, str) and "$" in value else "NBC505"
    ]


def test_a_pipeline_output_is_bound_once(one: Project) -> None:
    one.head += "outputs: {final: {type: uri_folder}}\n"
    for name in ("a", "b"):
        one.step(name, "c", data=RAW, more="outputs: {out: '${{parent.outputs.final}}'}")
    assert refused(one) == [
        ("NBC503", "the pipeline's output 'final' is bound twice: by 'a' and 'b'")
    ]


def test_a_pipeline_output_that_does_not_exist(one: Project) -> None:
    one.step("a", "c", data=RAW, more="outputs: {out: '${{parent.outputs.final}}'}")
    assert refused(one) == [("NBC503", "a.out: the pipeline has no output 'final' (it has: none)")]


def test_an_environment_variable_that_cannot_be_set(one: Project) -> None:
    one.step("a", "c", data=RAW, more="environment_variables: {'A=B': x}")
    assert refused(one) == [("NBC509", "'A=B' cannot be an environment variable here")]


def test_all_mistakes_are_found_in_one_go(one: Project) -> None:
    one.step("a", "c", n="x")
    one.step("b", "missing")
    assert sorted(code for code, _ in refused(one)) == ["NBC505", "NBC506", "NBC507"]


def test_places_are_those_of_the_values(one: Project) -> None:
    one.step("a", "c", data=RAW, n="x")
    (finding,) = run_pipeline(one.write()).findings
    place = finding.diagnostic.place
    line = (one.folder / "pipeline.yml").read_text().splitlines()[place.line - 1]
    assert line[place.column - 1 : place.end_column - 1] == '"x"'
    assert finding.path == str(one.folder / "pipeline.yml")
