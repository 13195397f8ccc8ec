"""What :mod:`nbcomponent.core.atomic` promises: the former or the new, never a mixture."""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from nbcomponent.core.atomic import recover, replace_folder, write_file

FILES = 12


def folder_of(letter: str) -> dict[str, bytes]:
    """A folder whose every file names the version it belongs to."""
    return {f"part{n % 3}/file{n}.txt": letter.encode() * 20_000 for n in range(FILES)}


def version_of(target: Path) -> str:
    """The one version that all files of the folder belong to."""
    letters = set()
    found = list(target.rglob("file*.txt"))
    assert len(found) == FILES
    for path in found:
        data = path.read_bytes()
        assert len(data) == 20_000
        letters |= set(data.decode())
    assert len(letters) == 1, f"a mixture of {sorted(letters)}"
    return letters.pop()


def leftovers(parent: Path) -> list[str]:
    return [path.name for path in parent.iterdir() if ".nbcomponent-" in path.name]


def test_a_new_folder_holds_exactly_the_files(tmp_path: Path) -> None:
    replace_folder(tmp_path / "out", {"a.txt": b"1", "b/c.txt": b"2"})
    assert (tmp_path / "out/a.txt").read_bytes() == b"1"
    assert (tmp_path / "out/b/c.txt").read_bytes() == b"2"
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize("exchange", [True, False])
def test_replacing_removes_old_files_and_keeps_local_state_and_kept_files(
    tmp_path: Path, exchange: bool
) -> None:
    target = tmp_path / "out"
    replace_folder(target, {"old.txt": b"1"}, state={"export.json": b"one"})
    (target / ".nbcomponent/runs").mkdir()
    (target / ".nbcomponent/runs/log").write_text("kept")
    (target / "README.md").write_text("mine")
    replace_folder(
        target,
        {"new.txt": b"2"},
        keep=("README.md",),
        state={"export.json": b"two"},
        exchange=exchange,
    )
    assert sorted(p.name for p in target.iterdir()) == [".nbcomponent", "README.md", "new.txt"]
    assert (target / ".nbcomponent/runs/log").read_text() == "kept"
    assert (target / ".nbcomponent/export.json").read_bytes() == b"two"
    assert (target / "README.md").read_text() == "mine"
    assert leftovers(tmp_path) == []


def test_a_file_is_replaced_with_ordinary_permissions(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write_file(path, b"1")
    write_file(path, b"2")
    assert path.read_bytes() == b"2"
    assert path.stat().st_mode & 0o777 == 0o666 & ~current_umask()
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def current_umask() -> int:
    value = os.umask(0o022)
    os.umask(value)
    return value


WRITER = """
import sys
from pathlib import Path
from nbcomponent.core.atomic import replace_folder
target, exchange = Path(sys.argv[1]), sys.argv[2] == "exchange"
print("ready", flush=True)
while True:
    for letter in "AB":
        files = {f"part{n % 3}/file{n}.txt": letter.encode() * 20_000 for n in range(12)}
        replace_folder(target, files, state={"export.json": letter.encode()}, exchange=exchange)
"""


@pytest.mark.parametrize(("how", "kills"), [("exchange", 40), ("journal", 30)])
def test_kill_at_any_moment_leaves_one_version(tmp_path: Path, how: str, kills: int) -> None:
    target = tmp_path / "out"
    replace_folder(target, folder_of("A"), state={"export.json": b"A"})
    (target / ".nbcomponent/evidence").write_text("kept")
    chance = random.Random(7)
    seen = set()
    for _ in range(kills):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(target), how], stdout=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(chance.uniform(0, 0.06))
            process.send_signal(signal.SIGKILL)
        if how == "exchange":  # Whole even before anything repairs it.
            version_of(target)
        recover(target)
        seen.add(version_of(target))
        assert (target / ".nbcomponent/export.json").read_text() == version_of(target)
        assert (target / ".nbcomponent/evidence").read_text() == "kept"
        assert leftovers(tmp_path) == []
    assert seen <= {"A", "B"}


@pytest.mark.parametrize("kept", ["old", "new"])
def test_recovery_between_the_two_renames_goes_forward(tmp_path: Path, kept: str) -> None:
    target = tmp_path / "out"
    replace_folder(target, folder_of("A"))
    new = tmp_path / ".out.nbcomponent-new"
    replace_folder(new, folder_of("B"))
    (tmp_path / ".out.nbcomponent-journal").write_text(f'{{"new": {new.stat().st_ino}}}')
    target.rename(tmp_path / ".out.nbcomponent-old")
    if kept == "old":  # Without the new folder only the former one can come back.
        import shutil

        shutil.rmtree(new)
    recover(target)
    assert version_of(target) == ("B" if kept == "new" else "A")
    assert leftovers(tmp_path) == []


def test_a_full_disk_leaves_the_former_folder(tmp_path: Path) -> None:
    target = tmp_path / "out"
    replace_folder(target, folder_of("A"))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    try:
        with pytest.raises(OSError, match="large"):
            replace_folder(target, folder_of("B"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, ignored)
    assert version_of(target) == "A"
    assert leftovers(tmp_path) == []


def test_two_writers_at_once_do_not_harm_each_other(tmp_path: Path) -> None:
    target = tmp_path / "out"
    problems: list[str] = []

    def write(letter: str) -> None:
        try:
            for _ in range(15):
                replace_folder(target, folder_of(letter))
        except OSError as error:
            problems.append(str(error))

    writers = [threading.Thread(target=write, args=(letter,)) for letter in "AB"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert problems == []
    assert version_of(target) in "AB"
    assert leftovers(tmp_path) == []
