"""``run`` on hostile YAML: refused with the place before anything starts, and nothing else is read or written."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from nbcomponent.cli.main import main
from nbcomponent.run import code as run_code

COMPONENT = (
    "type: command\nname: c\nversion: '1'\ncode: .\ncommand: touch RAN\nenvironment: {image: x}\n"
)
BOMB = "\n".join(
    ["a0: &a0 [x, x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12))]
)


def pipeline(component: str = "./c/component.yml", more: str = "") -> str:
    return f"type: pipeline\njobs:\n  s:\n    component: {component}\n{more}"


def steps(count: int, text: str) -> str:
    return "type: pipeline\njobs:\n" + "".join(f"  s{n}: {text}\n".format(n=n, next=(n + 1) % count) for n in range(count))  # fmt: skip


@dataclass(frozen=True)
class Bad:
    """A pipeline, its component, and the finding (a part of its message) that refuses the run."""

    id: str
    code: str
    message: str
    pipeline: str = pipeline()
    component: str = COMPONENT


def component(id: str, code: str, message: str, more: str, less: str = "") -> Bad:
    """A component in which ``more`` stands, in the place of ``less``."""
    assert less in COMPONENT
    text = COMPONENT.replace(less, "") + more + "\n"
    return Bad(id, code, message, component=text)


ALL = [
    Bad("alias-bomb", "NBC931", "more than 200,000 values", BOMB),
    Bad("alias-in-itself", "NBC931", "stands inside what it repeats", "type: pipeline\njobs: &j\n  s: *j"),
    Bad("python-tag", "NBC931", "is refused", pipeline("!!python/object/apply:os.system ['touch RAN']")),
    Bad("deep", "NBC931", "nested more than 64 levels", "jobs: " + "{a: " * 5_000 + "}" * 5_000),
    Bad("large", "NBC930", "at most 16,000,000 are read", pipeline() + "#" + "x" * 16_000_000),
    Bad("binary", "NBC931", "U+0000", "\0\1\2"),
    Bad("many-steps", "NBC501", "5,000 steps; at most 2,000", steps(5_000, "{{component: ./c/component.yml}}")),
    Bad("circle", "NBC504", "(290 more)", steps(300, "{{component: ./c/component.yml, inputs: {{x: '${{{{parent.jobs.s{next}.outputs.o}}}}'}}}}"),
        COMPONENT + "inputs: {x: {type: uri_file}}\noutputs: {o: {type: uri_file}}\n"),
    Bad("itself", "NBC502", "type 'pipeline' cannot run", pipeline("./pipeline.yml")),
    Bad("no-yaml-mapping", "NBC501", "/etc/passwd:1:1", pipeline("/etc/passwd")),
    Bad("device", "NBC507", "no component file '/dev/zero'", pipeline("/dev/zero")),
    Bad("null", "NBC507", "no component file 'a\\x00b'", pipeline('"a\\0b"')),
    Bad("long", "NBC507", "no component file 'aaa", pipeline("a" * 5_000)),
    Bad("step-path", "NBC509", "'../../x' is no name", "type: pipeline\njobs: {../../x: {component: ./c/component.yml}}"),
    Bad("timeout-nan", "NBC501", "'timeout' must be", pipeline(more="    limits: {timeout: .nan}")),
    Bad("timeout-infinite", "NBC501", "'timeout' must be", pipeline(more="    limits: {timeout: .inf}")),
    Bad("timeout-huge", "NBC501", "'timeout' must be", pipeline(more="    limits: {timeout: 1e300}")),
    Bad("variable", "NBC509", "'A=B' cannot be", pipeline(more="    environment_variables: {A=B: x}")),
    Bad("input-device", "NBC507", "is a device; a file is expected", pipeline(more="    inputs: {x: {type: uri_file, path: /dev/zero}}"),
        COMPONENT + "inputs: {x: {type: uri_file}}"),
    Bad("input-long", "NBC507", "does not exist", pipeline(more="    inputs: {x: {type: uri_file, path: " + "a" * 500 + "}}"),
        COMPONENT + "inputs: {x: {type: uri_file}}"),
    component("component-bomb", "NBC931", "more than 200,000 values", BOMB),
    component("code-long", "NBC507", "(5,000 characters)", "code: " + "a" * 5_000, "code: .\n"),
    component("code-null", "NBC507", "'a\\x00b'", 'code: "a\\0b"', "code: .\n"),
    component("code-device", "NBC507", "is a device", "code: /dev/zero", "code: .\n"),
    component("code-root", "NBC507", "part of the system", "code: /", "code: .\n"),
    component("code-process", "NBC507", "part of the system", "code: /proc/self", "code: .\n"),
    component("include-device", "NBC507", "is a device", "additional_includes: [/dev/zero]"),
    component("include-long", "NBC507", "(5,000 characters)", f"additional_includes: [{'a' * 5_000}]"),
    component("include-outside", "NBC507", "'../../../nothing'", "additional_includes: [../../../nothing]"),
    component("command-long", "NBC508", "at most 100,000", "command: 'x " + "y" * 200_000 + "'", "command: touch RAN\n"),
    component("command-null", "NBC508", "NUL", 'command: "a\\0b"', "command: touch RAN\n"),
    component("output-path", "NBC509", "'../../../x' is no name", "outputs: {../../../x: {type: uri_file}}"),
]  # fmt: skip


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a folder ``c`` for a component."""
    folder = tmp_path / "project"
    (folder / "c").mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


def write(project: Path, text: str = pipeline(), of_component: str = COMPONENT) -> None:
    (project / "pipeline.yml").write_text(text, encoding="utf-8")
    (project / "c/component.yml").write_text(of_component, encoding="utf-8")


@pytest.mark.parametrize("bad", ALL, ids=lambda bad: bad.id)
def test_refused_with_a_reason_before_anything_runs(
    bad: Bad, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(project, bad.pipeline, bad.component)
    started = time.monotonic()
    code = main(["run", "pipeline.yml", "--quiet"])
    assert time.monotonic() - started < 20
    out, err = capsys.readouterr()
    assert code in (1, 2), err
    assert bad.code in out + err
    assert bad.message in out + err
    assert "fault of nbcomponent" not in out + err
    assert all(len(line) < 1_000 for line in (out + err).splitlines())
    assert {path.name for path in project.parent.rglob("*")} == {"project", "c", "pipeline.yml", "component.yml"}  # fmt: skip


@pytest.mark.parametrize(
    ("make", "kind"),
    [(lambda path: os.mkfifo(path), "pipe"), (lambda path: path.symlink_to("/dev/zero"), "device")],
    ids=["pipe", "device"],
)
def test_odd_things_among_the_code_are_left_out(
    make: Callable[[Path], None], kind: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(project)
    for name in ("odd", ".amlignore", "contract.yml"):
        make(project / "c" / name)
    assert main(["run", "pipeline.yml", "--quiet", "--format", "json"]) == 0
    (step,) = json.loads(capsys.readouterr().out)["steps"]
    assert step["state"] == "executed"


@pytest.mark.parametrize("limit", ["MOST_FILES", "MOST_BYTES"])
def test_code_without_an_end_fails_the_step(
    limit: str, project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_code, limit, 10)
    write(project)
    for number in range(20):
        (project / "c" / f"n{number}.txt").write_text("x" * 100)
    assert main(["run", "pipeline.yml", "--quiet", "--format", "json"]) == 1
    (step,) = json.loads(capsys.readouterr().out)["steps"]
    assert step["state"] == "failed"
    assert "name what does not belong to it in .amlignore" in step["reason"]


def test_many_steps_read_their_component_once(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from nbcomponent.schema import pipeline as schema_pipeline

    read: list[Path] = []
    real = schema_pipeline.read_component

    def counted(path: Path) -> Any:
        read.append(path)
        return real(path)

    monkeypatch.setattr(schema_pipeline, "read_component", counted)
    write(project, steps(1_000, "{{component: ./c/component.yml}}"))
    assert len(schema_pipeline.read_pipeline(project / "pipeline.yml").steps) == 1_000
    assert read == [project / "c/component.yml"]


@pytest.mark.parametrize("given", ["0", "-1", "nan", "inf", "1e300", "x", ""])
def test_time_limits_that_are_none(given: str, project: Path) -> None:
    write(project)
    assert main(["run", "pipeline.yml", f"--timeout={given}"]) == 2
    assert not (project / ".nbcomponent").exists()


def test_a_time_limit_longer_than_a_clock_counts(project: Path) -> None:
    write(project)
    assert main(["run", "pipeline.yml", "--quiet", "--timeout=999999999"]) == 0
