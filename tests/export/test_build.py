"""From an examined notebook to files: blocking, versions, whole notebooks, written scripts, listings."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from nbcomponent.contract.examine import examine
from nbcomponent.export.build import build
from nbcomponent.notebook.reader import read_notebook
from nbcomponent.notebook.tagging import tag
from nbcomponent.schema.yaml_places import parse_yaml

Exported = Callable[..., Any]
TRAIN = "component:train"


def test_an_error_blocks_the_export(workshop: Any) -> None:
    export = workshop.build([("hidden = open('x').read()",), ("print(hidden)", TRAIN)])
    assert export.blocked
    assert export.files == {}


def test_a_cell_that_python_refuses_is_one_error_with_its_place(workshop: Any) -> None:
    export = workshop.build([("x = 1\nbreak", TRAIN)])
    assert [(d.code, d.place.cell, d.place.line) for d in export.diagnostics] == [("NBC903", 0, 2)]


def test_the_folder_holds_the_documented_files(workshop: Any) -> None:
    export = workshop.build([("print(1)", TRAIN)])
    assert list(export.files) == [
        "pipeline.yml",
        "train/component.yml",
        "train/conda.yml",
        "train/contract.yml",
        "train/run_train.py",
    ]


def test_the_version_follows_interface_code_and_environment(workshop: Any) -> None:
    def version(*cells: Any) -> str:
        return workshop.build(cells).listings[0].version

    base = version(("n = 1  # count", "parameters"), ("print(n)", TRAIN))
    assert base == version(("n = 1  # count", "parameters"), ("print(n)", TRAIN))
    assert base.startswith("auto-")
    assert base != version(("n = 2  # count", "parameters"), ("print(n)", TRAIN))
    assert base != version(("n = 1  # count", "parameters"), ("print(n + 1)", TRAIN))
    assert base != version(
        ("%pip install colorama==0.4.6",), ("n = 1  # count", "parameters"), ("print(n)", TRAIN)
    )


def test_the_contracts_version_is_taken(workshop: Any) -> None:
    export = workshop.build(
        [('component: train\nversion: "1.10"\n', "raw", "contract:train"), ("print(1)", TRAIN)]
    )
    data: Any = parse_yaml(export.files["train/component.yml"].decode()).data
    assert data["version"] == "1.10"


def test_an_untagged_notebook_is_one_component(exported: Exported) -> None:
    shop = exported(("x = 1",), ("print(x + 1)",), ("print('no')", "skip"), whole="all_of_it")
    assert shop.output(component="all_of_it") == "2\n"


def test_a_written_script_is_exported_as_it_stands(exported: Exported) -> None:
    body = (
        "import argparse\n\nparser = argparse.ArgumentParser()\n"
        "parser.add_argument('--rate', type=float, default=0.5)\n"
        "parser.add_argument('--out_file', type=str, required=True)\n"
        "arguments = parser.parse_args()\nprint(arguments.rate)\n"
    )
    shop = exported((f"%%writefile src/train.py\n{body}", TRAIN))
    assert shop.text() == body
    data: Any = parse_yaml((shop.script().parent / "component.yml").read_text()).data
    assert "--rate=${{inputs.rate}}" in data["command"]
    assert shop.output("--out_file", "x", "--rate=2") == "2.0\n"


def test_what_is_carried_over_is_listed(workshop: Any) -> None:
    export = workshop.build(
        [
            (
                "import math\n\nFACTOR = 3\n\ndef area(r):\n    return math.pi * r * FACTOR",
                "shared",
            ),
            ("r = 2", "parameters"),
            ("print(area(r))", TRAIN),
        ]
    )
    assert {(t.name, t.how) for t in export.listings[0].taken} == {
        ("FACTOR", "constant"),
        ("area", "definition"),
        ("math", "import"),
        ("r", "parameter"),
    }


def test_only_what_is_needed_is_carried(exported: Exported) -> None:
    shop = exported(
        ("def used():\n    return 1\n\ndef unused():\n    return 2", "shared"),
        ("print(used())", TRAIN),
    )
    assert "unused" not in shop.text()


def test_values_cross_in_auto(exported: Exported, tmp_path: Path) -> None:
    shop = exported(
        ("rows = list(range(4))\nprint(rows)", "component:make"),
        ("print(sum(rows))", TRAIN),
        boundary="auto",
    )
    data: Any = parse_yaml((shop.out / "nb" / "pipeline.yml").read_text()).data
    assert data["jobs"]["train"]["inputs"] == {"rows": "${{parent.jobs.make.outputs.rows}}"}
    assert shop.output("--rows", str(tmp_path / "rows"), component="make") == "[0, 1, 2, 3]\n"
    assert shop.output("--rows", str(tmp_path / "rows")) == "6\n"


def test_a_value_that_storing_would_change_is_an_error_not_another_result(
    exported: Exported, tmp_path: Path
) -> None:
    shop = exported(
        ("rows = list(zip('ab', range(2)))\nprint(rows)", "component:make"),
        ("print(rows)", TRAIN),
        boundary="auto",
    )
    result = shop.run("--rows", str(tmp_path / "rows"), component="make")
    stored = (tmp_path / "rows").exists()
    assert stored == (result.returncode == 0)
    if stored:
        assert shop.output("--rows", str(tmp_path / "rows")) == "[('a', 0), ('b', 1)]\n"
    else:
        assert "error: --rows: expected a value that can be stored exactly" in result.stderr


def test_nothing_of_the_notebook_runs(workshop: Any, tmp_path: Path) -> None:
    workshop.build(
        [
            (f"open({str(tmp_path / 'ran')!r}, 'w')\n!touch {tmp_path}/ran2", TRAIN),
            ("%pip install x==1",),
        ]
    )
    assert not (tmp_path / "ran").exists()
    assert not (tmp_path / "ran2").exists()


OTHER_PYTHONS = sorted(
    path
    for minor in (10, 12, 13)
    for path in (Path.home() / ".pyenv" / "versions").glob(f"3.{minor}.*/bin/python")
)


@pytest.mark.parametrize("python", OTHER_PYTHONS, ids=lambda path: path.parent.parent.name)
def test_other_pythons_write_the_same_script(workshop: Any, python: Path, tmp_path: Path) -> None:
    import yaml

    cells = [
        ("n: int = 1  # count [1..5]", "parameters"),
        ("def f(x):\n    return f'''{x\n}'''", "shared"),
        ("%time y = f(n)\n!echo {y} {n + 1}\n[y, '''a\n b''']", TRAIN),
    ]
    here = workshop.build(cells)
    code = (
        "import sys\nfrom pathlib import Path\n"
        "from nbcomponent.contract.examine import examine\n"
        "from nbcomponent.export.build import build\n"
        "from nbcomponent.notebook.reader import read_notebook\n"
        "from nbcomponent.notebook.tagging import tag\n"
        "e = build(examine(tag(read_notebook(sys.argv[1]))), out_folder=Path(sys.argv[2]))\n"
        "sys.stdout.buffer.write(e.files['train/run_train.py'])\n"
    )
    stub = tmp_path / "stub"
    stub.mkdir()
    (stub / "yaml").symlink_to(Path(yaml.__file__).parent)
    root = Path(__file__).resolve().parents[2] / "converter"
    result = subprocess.run(
        [str(python), "-c", code, str(workshop.folder / "nb.ipynb"), str(workshop.out)],
        env={**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{stub}"},
        capture_output=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr.decode()
    assert result.stdout == here.files["train/run_train.py"]


def test_the_work_for_each_component_does_not_grow_with_their_number(workshop: Any) -> None:
    def lines_of(count: int) -> int:
        """How many lines of the export are executed for a row of components."""
        cells = [("value_0 = 1", "component:c0")]
        for number in range(1, count):
            code = f"value_{number} = value_{number - 1} + 1\nprint(value_{number})"
            cells.append((code, f"component:c{number}"))
        examination = examine(tag(read_notebook(str(workshop.notebook(cells)))), "auto")
        lines = 0

        def trace(frame: FrameType, event: str, _: Any) -> Any:
            nonlocal lines
            if event == "call":
                is_build = frame.f_code.co_filename.endswith(("build.py", "pipeline_yaml.py"))
                return trace if is_build else None
            lines += 1
            return trace

        sys.settrace(trace)
        try:
            assert not build(examination, out_folder=workshop.out).blocked
        finally:
            sys.settrace(None)
        return lines

    assert lines_of(160) < 2.3 * lines_of(80)
