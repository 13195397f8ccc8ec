"""Every bad file of ``hostile_contents.py`` in one batch: one finding each, and the rest of the batch goes on."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest
from hostile_contents import ALL, GOOD, Bad

from nbcomponent.cli.main import main

IDS = [bad.id for bad in ALL]
GOOD_ONES = ("000-good", "middle-good", "zzz-good")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of bad notebooks, with good ones at its beginning, in its middle and at its end."""
    place = tmp_path_factory.mktemp("hostile") / "project" / "notebooks"
    place.mkdir(parents=True)
    for bad in ALL:
        (place / f"{bad.id}.ipynb").write_bytes(bad.data)
    for name in GOOD_ONES:
        (place / f"{name}.ipynb").write_bytes(GOOD)
    return place


@pytest.fixture(scope="module")
def checked(folder: Path) -> dict[str, Any]:
    """What ``check`` says of each file; ``""``: the exit code and what it wrote to standard error."""
    return run(folder, ["check", ".", "--format", "json", "--jobs", "2"])


@pytest.fixture(scope="module")
def exported(folder: Path, checked: dict[str, Any]) -> dict[str, Any]:
    """The same for ``export``, to the folder ``out`` beside the notebooks."""
    return run(folder, ["export", ".", "-o", "../out", "--format", "json", "--jobs", "2"])


def run(folder: Path, arguments: list[str]) -> dict[str, Any]:
    """Run the command in ``folder``; its reports by the stem of their file."""
    with pytest.MonkeyPatch.context() as patch:
        capture = Capture(patch)
        patch.chdir(folder)
        code = main(arguments)
    out, err = capture.texts()
    reports = {Path(report["path"]).stem: report for report in json.loads(out)["files"]}
    return {**reports, "": (code, err)}


class Capture:
    """Standard output and error of a command that runs in this process."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        import io
        import sys

        self.out, self.err = io.StringIO(), io.StringIO()
        patch.setattr(sys, "stdout", self.out)
        patch.setattr(sys, "stderr", self.err)

    def texts(self) -> tuple[str, str]:
        return self.out.getvalue(), self.err.getvalue()


def findings(report: dict[str, Any]) -> list[dict[str, Any]]:
    """Errors and warnings of a report."""
    return [d for d in report["diagnostics"] if d["severity"] != "note"]


def test_there_are_many_cases() -> None:
    assert len(ALL) >= 250
    assert len(set(IDS)) == len(IDS)


@pytest.mark.parametrize("bad", ALL, ids=IDS)
def test_check_says_what_is_wrong_and_where(bad: Bad, checked: dict[str, Any]) -> None:
    found = findings(checked[bad.id])
    places = [(d["code"], d["cell"], d["line"]) for d in found]
    if bad.code is not None:
        assert any(
            code.startswith(bad.code) and (cell, line) == (bad.cell, bad.line)
            for code, cell, line in places
        ), places
    if not bad.several:
        assert len(found) == (bad.code is not None), found
    unusable = [d for d in found if d["code"] in ("NBC901", "NBC902", "NBC944", "NBC947")]
    assert bool(unusable) == (bad.exit == 2)
    assert (bad.exit > 0) == bool(found)


@pytest.mark.parametrize("bad", ALL, ids=IDS)
def test_no_finding_is_a_fault_of_ours_or_endless(bad: Bad, checked: dict[str, Any]) -> None:
    for diagnostic in checked[bad.id]["diagnostics"]:
        assert diagnostic["code"] != "NBC945", diagnostic["message"]
        assert 10 < len(diagnostic["message"]) < 2_000
        assert "Traceback" not in diagnostic["message"]


@pytest.mark.parametrize("bad", ALL, ids=IDS)
def test_export_writes_it_whole_or_not_at_all(
    bad: Bad, exported: dict[str, Any], folder: Path
) -> None:
    report = exported[bad.id]
    target = folder.parent / "out" / bad.id
    states = {
        2: {"unusable"},
        1: {"blocked", "written", "empty"},
        0: {"written", "empty", "blocked"},
    }
    assert report["state"] in states[bad.exit], report["diagnostics"]
    assert target.exists() == (report["state"] == "written")
    if report["state"] == "written":
        assert not [d for d in report["diagnostics"] if d["severity"] == "error"]
        for script in target.glob("*/run_*.py"):
            ast.parse(script.read_bytes())


@pytest.mark.parametrize("name", GOOD_ONES)
def test_the_good_ones_are_done(
    name: str, checked: dict[str, Any], exported: dict[str, Any], folder: Path
) -> None:
    assert [c["name"] for c in checked[name]["components"]] == ["main"]
    assert checked[name]["diagnostics"] == []
    assert exported[name]["state"] == "written"
    assert (folder.parent / "out" / name / "main" / "component.yml").is_file()


def test_the_highest_exit_code_counts(checked: dict[str, Any], exported: dict[str, Any]) -> None:
    assert checked[""][0] == exported[""][0] == 2


def test_nothing_is_said_beside_the_report(
    checked: dict[str, Any], exported: dict[str, Any]
) -> None:
    assert checked[""][1] == ""
    assert exported[""][1] == ""


def test_nothing_ran_and_nothing_else_was_written(exported: dict[str, Any], folder: Path) -> None:
    root = folder.parents[1]
    assert not list(root.rglob("*TRAPPED*"))
    assert {path.name for path in root.iterdir()} == {"project"}
    assert {path.name for path in folder.parent.iterdir()} == {"notebooks", "out"}
    stems = {bad.id for bad in ALL} | set(GOOD_ONES)
    assert {path.name for path in folder.iterdir() if path.suffix == ".ipynb"} == {
        f"{stem}.ipynb" for stem in stems
    }
    # A lock file stands beside each notebook that was exported.
    written = {stem for stem in stems if exported[stem]["state"] == "written"}
    locks = {path.name for path in folder.iterdir() if path.suffix != ".ipynb"}
    assert locks == {f"{stem}.lock.yml" for stem in written}
    assert {path.name for path in (folder.parent / "out").iterdir()} == written


def test_exported_folders_hold_no_links_and_no_odd_names(
    exported: dict[str, Any], folder: Path
) -> None:
    for path in (folder.parent / "out").rglob("*"):
        assert not path.is_symlink()
        assert path.name.isprintable()
        assert set(path.name).isdisjoint('\\:*?"<>|')
