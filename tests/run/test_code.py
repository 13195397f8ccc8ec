"""The working directory: a fresh copy of the code folder, without what an upload leaves out."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from nbcomponent.run.code import copy_code
from nbcomponent.run.ignore import parse_ignore_rules
from nbcomponent.run.pipeline import run_pipeline

Project = Any


def tree(folder: Path) -> list[str]:
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if not p.is_dir())


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "src"
    for name in (
        "main.py",
        "pkg/__init__.py",
        "pkg/__pycache__/x.pyc",
        ".git/HEAD",
        ".ipynb_checkpoints/a.ipynb",
        ".nbcomponent/runs/r/run.json",
        "data/big.bin",
        "notes.md",
    ):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return folder


def copied(
    source: Path | None, tmp_path: Path, *includes: Path
) -> tuple[list[str], tuple[str, ...]]:
    target = tmp_path / "copy"
    target.mkdir()
    notes = copy_code(source, includes, target)
    return tree(target), notes


def test_caches_and_local_state_are_left_out(source: Path, tmp_path: Path) -> None:
    assert copied(source, tmp_path)[0] == ["data/big.bin", "main.py", "notes.md", "pkg/__init__.py"]


def test_amlignore_wins_over_gitignore(source: Path, tmp_path: Path) -> None:
    (source / ".gitignore").write_text("main.py\n")
    (source / ".amlignore").write_text("data/\n*.md\n")
    assert copied(source, tmp_path)[0] == [".gitignore", "main.py", "pkg/__init__.py"]


def test_links_become_what_they_point_to(source: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "shared.py").write_text("shared")
    (source / "linked").symlink_to(outside)
    (source / "one.py").symlink_to(outside / "shared.py")
    files, notes = copied(source, tmp_path)
    assert "linked/shared.py" in files
    assert not (tmp_path / "copy" / "one.py").is_symlink()
    assert notes == ()


def test_broken_and_circular_links_and_pipes_are_left_out_with_a_note(
    source: Path, tmp_path: Path
) -> None:
    (source / "broken").symlink_to("nothing")
    (source / "pkg" / "up").symlink_to(source)
    os.mkfifo(source / "pipe")
    files, notes = copied(source, tmp_path)
    assert files == ["data/big.bin", "main.py", "notes.md", "pkg/__init__.py"]
    assert [note.split(" is ")[0] for note in notes] == ["broken", "pipe", "pkg/up"]


def test_a_single_file_and_additional_includes(source: Path, tmp_path: Path) -> None:
    files, _ = copied(source / "main.py", tmp_path, source / "pkg", source / "notes.md")
    assert files == ["main.py", "notes.md", "pkg/__init__.py"]


PATTERNS = """\
# comment
*.log
!keep.log
/top.txt
build/
docs/**/*.tmp
**/cache
a?c.py
[xy].dat
deep/*/end
\\#hash
trailing\\ \n"""


def test_patterns_mean_what_they_mean_to_git(tmp_path: Path) -> None:
    names = [
        *("a.log", "keep.log", "sub/b.log", "sub/keep.log", "top.txt", "sub/top.txt"),
        *("build/x", "sub/build/y", "docs/a.tmp", "docs/x/y/b.tmp", "other/c.tmp"),
        *("cache", "sub/cache/z", "abc.py", "abbc.py", "x.dat", "z.dat", "sub/y.dat"),
        *("deep/1/end", "deep/1/2/end", "#hash", "trailing ", "plain"),
    ]
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / ".gitignore").write_text(PATTERNS)
    rules = parse_ignore_rules(PATTERNS)
    for name in names:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.write_text("")
        git = subprocess.run(["git", "check-ignore", "-q", name], cwd=tmp_path, check=False)
        parts = name.split("/")
        ours = any(
            rules.ignores("/".join(parts[: n + 1]), n < len(parts) - 1) for n in range(len(parts))
        )
        assert ours == (git.returncode == 0), name


def test_a_step_cannot_see_the_files_beside_the_notebook(project: Project) -> None:
    (project.folder / "secret.csv").write_text("x")
    (project.folder / "step" / "src").mkdir(parents=True)
    project.folder.joinpath("step", "src", "__pycache__").mkdir()
    project.folder.joinpath("step", "src", "helper.py").write_text("VALUE = 7")
    (project.folder / "step" / "src").joinpath("main.py").write_text(
        "import os, sys, json, helper\n"
        "json.dump([sorted({*os.listdir('.')} - {'__pycache__'}), os.path.exists('../secret.csv'), helper.VALUE],"
        " open(sys.argv[1] + '/f', 'w'))"
    )
    (project.folder / "step" / "component.yml").write_text(
        "type: command\nname: step\ncode: ./src\noutputs: {out: {type: uri_folder}}\n"
        "command: python main.py ${{outputs.out}}\n"
    )
    project.step("step")
    step = run_pipeline(project.write()).step("step")
    found = Path(step.outputs["out"], "f").read_text()
    assert found == '[["helper.py", "logs", "main.py", "outputs"], false, 7]'
    assert not (project.folder / "step" / "src" / "outputs").exists()


def test_what_a_script_writes_to_outputs_is_kept(project: Project) -> None:
    project.component(
        "step",
        "import sys\nopen('outputs/a.txt', 'w').write('kept')\nopen(sys.argv[1] + '/f', 'w')",
    )
    project.step("step")
    report = run_pipeline(project.write())
    assert report.folder is not None
    assert (report.folder / "step" / "artifacts" / "outputs" / "a.txt").read_text() == "kept"
