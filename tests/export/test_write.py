"""An export is written at once, the same everywhere, and never over what a person changed."""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from nbcomponent.core.errors import UnusableInput
from nbcomponent.export.build import Export
from nbcomponent.export.write import write_export

Exported = Callable[..., Any]
CELLS = [
    ("import numpy\nepochs = 3", "parameters"),
    ("import math\n\ndef half(x):\n    return math.floor(x) / 2", "shared"),
    ("names = {'a', 'b', 'c'}\nprint(half(epochs), names)", "component:train"),
]


def content(folder: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(folder)): p.read_bytes()
        for p in sorted(folder.rglob("*"))
        if p.is_file() and ".nbcomponent" not in p.parts
    }


def test_the_same_notebook_gives_the_same_bytes_elsewhere(workshop: Any, tmp_path: Path) -> None:
    workshop.export(CELLS)
    code = (
        "import sys; from pathlib import Path\n"
        "from nbcomponent.contract.examine import examine\n"
        "from nbcomponent.export.build import build\n"
        "from nbcomponent.export.write import write_export\n"
        "from nbcomponent.notebook.reader import read_notebook\n"
        "from nbcomponent.notebook.tagging import tag\n"
        "e = build(examine(tag(read_notebook(sys.argv[1]))), out_folder=Path(sys.argv[2]))\n"
        "assert write_export(e, Path(sys.argv[2])).written\n"
    )
    for seed, where in (("1", "x"), ("77", "deep/er")):
        other = tmp_path / where
        shutil.copytree(workshop.folder, other / "work")
        subprocess.run(
            [sys.executable, "-c", code, "work/nb.ipynb", "out"],
            cwd=other,
            env={**os.environ, "PYTHONHASHSEED": seed, "TZ": "Pacific/Auckland"},
            check=True,
        )
        assert content(other / "out") == content(workshop.out)
        assert (other / "work" / "nb.lock.yml").read_bytes() == (
            workshop.folder / "nb.lock.yml"
        ).read_bytes()


def test_another_export_changes_nothing(workshop: Any) -> None:
    workshop.export(CELLS)
    before = {p: p.stat().st_mtime_ns for p in workshop.out.rglob("*")}
    outcome = write_export(workshop.build(CELLS), workshop.out)
    assert outcome.changes == ()
    assert {p: p.stat().st_mtime_ns for p in workshop.out.rglob("*")} == before


def test_check_says_what_differs_and_writes_nothing(workshop: Any) -> None:
    workshop.export(CELLS)
    assert write_export(workshop.build(CELLS), workshop.out, check=True).changes == ()
    changed = [*CELLS[:2], ("print(half(epochs) + 1)", "component:train")]
    outcome = write_export(workshop.build(changed), workshop.out, check=True)
    assert [(c.path, c.kind) for c in outcome.changes] == [
        ("train/component.yml", "changed"),
        ("train/contract.yml", "changed"),
        ("train/run_train.py", "changed"),
    ]
    assert "+ 1" not in workshop.text()


def test_check_ignores_local_state(workshop: Any) -> None:
    workshop.export(CELLS)
    (workshop.out / "nb" / ".nbcomponent" / "runs").mkdir()
    (workshop.out / "nb" / ".nbcomponent" / "runs" / "log").write_text("x")
    (workshop.script().parent / "__pycache__").mkdir()
    assert write_export(workshop.build(CELLS), workshop.out, check=True).changes == ()


def test_dry_run_shows_a_diff(workshop: Any) -> None:
    workshop.export(CELLS)
    changed = [*CELLS[:2], ("print(half(epochs), 5)", "component:train")]
    outcome = write_export(workshop.build(changed), workshop.out, dry_run=True)
    assert "--- a/nb/train/run_train.py\n+++ b/nb/train/run_train.py\n" in outcome.diff
    assert "+    print(half(epochs), 5)\n" in outcome.diff
    assert not outcome.written


def test_a_hand_edited_file_is_overwritten_only_with_force(workshop: Any) -> None:
    workshop.export(CELLS)
    workshop.script().write_text("# mine\n")
    outcome = write_export(workshop.build(CELLS), workshop.out)
    assert [d.code for d in outcome.diagnostics] == ["NBC961"]
    assert outcome.edited == ("train/run_train.py",)
    assert not outcome.written
    assert workshop.text() == "# mine\n"
    assert write_export(workshop.build(CELLS), workshop.out, force=True).written
    assert "parse_arguments" in workshop.text()


def test_without_the_note_of_what_was_written_every_difference_is_an_edit(workshop: Any) -> None:
    workshop.export(CELLS)
    (workshop.out / "nb" / ".nbcomponent" / "export.json").unlink()
    assert write_export(workshop.build(CELLS), workshop.out).written
    (workshop.out / "nb" / ".nbcomponent" / "export.json").unlink()
    changed = [*CELLS[:2], ("print(1)", "component:train")]
    assert write_export(workshop.build(changed), workshop.out).edited != ()


def test_the_note_is_kept_in_git_and_the_rest_of_the_state_is_not(workshop: Any) -> None:
    workshop.export(CELLS)
    assert (
        workshop.out / "nb" / ".nbcomponent" / ".gitignore"
    ).read_text() == "*\n!.gitignore\n!export.json\n"


def test_files_of_others_and_local_state_stay_and_old_components_go(workshop: Any) -> None:
    workshop.export([*CELLS, ("print(2)", "component:other")])
    (workshop.out / "nb" / "README.md").write_text("mine")
    (workshop.out / "nb" / ".nbcomponent" / "evidence").write_text("kept")
    workshop.export(CELLS)
    assert (workshop.out / "nb" / "README.md").read_text() == "mine"
    assert (workshop.out / "nb" / ".nbcomponent" / "evidence").read_text() == "kept"
    assert not (workshop.out / "nb" / "other").exists()


def test_a_link_in_the_place_of_the_folder_is_not_followed(workshop: Any, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    workshop.out.mkdir()
    (workshop.out / "nb").symlink_to(elsewhere)
    with pytest.raises(UnusableInput) as caught:
        write_export(workshop.build(CELLS), workshop.out)
    assert caught.value.diagnostic.code == "NBC962"
    assert list(elsewhere.iterdir()) == []


def test_a_linked_file_counts_as_edited(workshop: Any, tmp_path: Path) -> None:
    workshop.export(CELLS)
    (tmp_path / "victim").write_text("v")
    workshop.script().unlink()
    workshop.script().symlink_to(tmp_path / "victim")
    assert write_export(workshop.build(CELLS), workshop.out).edited == ("train/run_train.py",)
    assert write_export(workshop.build(CELLS), workshop.out, force=True).written
    assert (tmp_path / "victim").read_text() == "v"


@pytest.mark.parametrize("path", ["../x", "/x", ".nbcomponent/x"])
def test_a_path_outside_the_folder_is_refused(tmp_path: Path, path: str) -> None:
    export = Export("nb", {path: b""}, (), (), tmp_path / "nb.lock.yml", None)
    with pytest.raises(UnusableInput) as caught:
        write_export(export, tmp_path / "out")
    assert caught.value.diagnostic.code == "NBC962"
    assert list(tmp_path.iterdir()) == []


@contextmanager
def full_disk(size: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)


def test_a_full_disk_is_one_error_and_changes_nothing(workshop: Any) -> None:
    workshop.export(CELLS)
    before = content(workshop.out)
    changed = workshop.build([*CELLS[:2], ("print(half(epochs), 5)", "component:train")])
    with full_disk(200), pytest.raises(UnusableInput) as caught:
        write_export(changed, workshop.out)
    assert caught.value.diagnostic.code == "NBC960"
    assert content(workshop.out) == before
    assert [p.name for p in workshop.out.iterdir()] == ["nb"]


WRITER = """
import sys
from pathlib import Path
from nbcomponent.export.build import Export
from nbcomponent.export.write import write_export
out, lock = Path(sys.argv[1]), Path(sys.argv[2])
def export(letter):
    files = {f"{n % 3}/file{n}": letter.encode() * 9000 for n in range(9)}
    assert write_export(Export("nb", files, (), (), lock, None), out).written
export("B")
print("ready", flush=True)
while True:
    export("A")
    export("B")
"""


def test_a_killed_export_leaves_the_former_or_the_new_one(tmp_path: Path) -> None:
    out, lock = tmp_path / "out", tmp_path / "nb.lock.yml"
    chance = random.Random(3)
    for _ in range(30):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(out), str(lock)], stdout=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(chance.uniform(0, 0.08))
            process.kill()
        found = content(out / "nb")
        assert len(found) == 9
        assert len({data[:1] for data in found.values()}) == 1
        assert {len(data) for data in found.values()} == {9000}
    files = {f"{n % 3}/file{n}": b"C" for n in range(9)}
    assert write_export(Export("nb", files, (), (), lock, None), out).written
    assert set(content(out / "nb").values()) == {b"C"}
    assert [p.name for p in out.iterdir()] == ["nb"]
