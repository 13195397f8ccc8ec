"""Builders of small hand-written pipelines."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest


class Project:
    """A folder with components and a pipeline, written as people write them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.steps: list[str] = []
        self.head = "type: pipeline\n"

    def component(
        self,
        name: str,
        script: str,
        inputs: str = "",
        outputs: str = "out: {type: uri_folder}",
        command: str = "",
        more: str = "",
    ) -> None:
        """A component in the folder ``name`` with the script ``main.py``."""
        folder = self.folder / name
        (folder / "src").mkdir(parents=True)
        (folder / "src" / "main.py").write_text(textwrap.dedent(script), encoding="utf-8")
        command = command or "python main.py ${{outputs.out}}"
        text = f"type: command\nname: {name}\ncode: ./src\n"
        text += f"inputs: {{{inputs}}}\noutputs: {{{outputs}}}\n{more}\n"
        text += f"command: {json.dumps(command, ensure_ascii=False)}\n"
        (folder / "component.yml").write_text(text, encoding="utf-8")

    def step(self, name: str, component: str = "", more: str = "", **inputs: object) -> None:
        """A step of the pipeline; its inputs are bindings, literals or mappings."""
        text = f"  {name}:\n    component: ./{component or name}/component.yml\n"
        if inputs:
            text += f"    inputs: {json.dumps(inputs, ensure_ascii=False)}\n"
        self.steps.append(text + textwrap.indent(more, "    ") + "\n")

    def write(self) -> Path:
        """Write pipeline.yml."""
        path = self.folder / "pipeline.yml"
        path.write_text(self.head + "jobs:\n" + "".join(self.steps), encoding="utf-8")
        return path


def from_step(step: str, output: str = "out") -> str:
    return f"${{{{parent.jobs.{step}.outputs.{output}}}}}"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project")


@pytest.fixture
def project_at() -> Callable[[Path], Project]:
    return Project


@pytest.fixture
def binding() -> Callable[..., str]:
    return from_step


@pytest.fixture
def chain(project: Project) -> Project:
    """Three steps in a row: numbers are made, summed, and reported."""
    project.component(
        "make",
        """
        import argparse
        from pathlib import Path
        p = argparse.ArgumentParser()
        p.add_argument("--count", type=int)
        p.add_argument("--out", type=Path)
        a = p.parse_args()
        (a.out / "numbers.txt").write_text("\\n".join(map(str, range(a.count))))
        print("made", a.count)
        """,
        inputs="count: {type: integer, default: 4, min: 1, max: 100}",
        command="python main.py --count ${{inputs.count}} --out ${{outputs.out}}",
    )
    project.component(
        "add",
        """
        import sys
        from pathlib import Path
        total = sum(map(int, Path(sys.argv[1], "numbers.txt").read_text().split()))
        Path(sys.argv[2]).write_text(str(total))
        """,
        inputs="numbers: {type: uri_folder}",
        outputs="total: {type: uri_file}",
        command="python main.py ${{inputs.numbers}} ${{outputs.total}}",
    )
    project.component(
        "report",
        """
        import json, sys
        from pathlib import Path
        total = int(Path(sys.argv[1]).read_text())
        Path(sys.argv[2], "metrics.json").write_text(json.dumps({"total": total}))
        print("total", total)
        """,
        inputs="total: {type: uri_file}",
        command="python main.py ${{inputs.total}} ${{outputs.out}}",
    )
    project.head = "type: pipeline\ninputs: {count: 5}\noutputs: {report: {type: uri_folder}}\n"
    project.step(
        "report",
        total=from_step("add", "total"),
        more="outputs: {out: '${{parent.outputs.report}}'}",
    )
    project.step("add", numbers=from_step("make"))
    project.step("make", count="${{parent.inputs.count}}")
    return project
