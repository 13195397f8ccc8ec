"""Which files the paths of the command line mean."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from nbcomponent.cli.collect import Collected, collect


@pytest.fixture(autouse=True)
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with notebooks, and with what is none; it is the current folder."""
    for name in (
        "a.ipynb",
        "b.ipynb",
        "sub/c.ipynb",
        "sub/deep/d.ipynb",
        ".git/x.ipynb",
        ".venv/x.ipynb",
        "node_modules/x.ipynb",
        "sub/.ipynb_checkpoints/c-checkpoint.ipynb",
        ".nbcomponent/x.ipynb",
        "sub/pipeline.yml",
        "README.md",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    (tmp_path / "sub" / "script.py").write_text("print('%%')\n")
    (tmp_path / "sub" / "percent.py").write_text("# %% [markdown]\n# hello\n\n# %%\nx = 1\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def paths(collected: Collected) -> list[str]:
    return [source.path for source in collected.sources]


def problems(collected: Collected) -> list[tuple[str, str]]:
    assert all(report.outcome == "unusable" for report in collected.problems)
    return [(report.path, report.diagnostics[0].code) for report in collected.problems]


def test_folder_is_searched_and_sorted() -> None:
    found = collect(["."])
    assert paths(found) == [
        "a.ipynb",
        "b.ipynb",
        "sub/c.ipynb",
        "sub/percent.py",
        "sub/deep/d.ipynb",
    ]
    assert {source.root for source in found.sources} == {"."}
    assert problems(found) == []


def test_paths_are_shown_as_given(tree: Path) -> None:
    assert paths(collect(["./a.ipynb", "sub/../b.ipynb"])) == ["./a.ipynb", "sub/../b.ipynb"]
    assert paths(collect(["sub"])) == ["sub/c.ipynb", "sub/percent.py", "sub/deep/d.ipynb"]
    assert paths(collect([str(tree / "sub" / "deep")])) == [str(tree / "sub" / "deep" / "d.ipynb")]


def test_each_file_once() -> None:
    assert paths(collect(["a.ipynb", "./a.ipynb", "*.ipynb"])) == ["a.ipynb", "b.ipynb"]


def test_root_of_a_file_is_its_folder() -> None:
    (source,) = collect(["sub/deep/d.ipynb"]).sources
    assert source.root == "sub/deep"


def test_glob_keeps_the_layout_below_its_fixed_part() -> None:
    found = collect(["sub/**/*.ipynb"])
    assert paths(found) == ["sub/c.ipynb", "sub/deep/d.ipynb"]
    assert {source.root for source in found.sources} == {"sub"}


def test_glob_takes_notebooks_only() -> None:
    assert paths(collect(["*"])) == [
        "a.ipynb",
        "b.ipynb",
        "sub/c.ipynb",
        "sub/percent.py",
        "sub/deep/d.ipynb",
    ]
    assert paths(collect(["sub/*.py"])) == ["sub/percent.py"]


def test_glob_without_match() -> None:
    assert problems(collect(["*.ipnb", "a.ipynb"])) == [("*.ipnb", "NBC940")]


def test_file_with_the_name_of_a_pattern(tree: Path) -> None:
    (tree / "[1].ipynb").write_text("{}")
    assert paths(collect(["[1].ipynb"])) == ["[1].ipynb"]


def test_missing_path() -> None:
    found = collect(["none.ipynb", "a.ipynb"])
    assert problems(found) == [("none.ipynb", "NBC940")]
    assert paths(found) == ["a.ipynb"]


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        ("sub/precent.py", "sub/percent.py"),
        ("sub/percent.ipynb", "sub/percent.py"),
        ("sub/depe", "sub/deep"),
        ("./perc", None),
        ("z.ipynb", None),
        ("README.ipynb", None),
        ("nowhere/a.ipynb", None),
    ],
)
def test_missing_path_names_what_may_be_meant(wrong: str, meant: str | None) -> None:
    (problem,) = collect([wrong]).problems
    hint = f"; did you mean {meant}?" if meant else ""
    assert problem.diagnostics[0].message == f"there is no such file or folder{hint}"


@pytest.mark.parametrize("name", ["sub/pipeline.yml", "x.YAML"])
def test_yaml_given_explicitly_is_refused(tree: Path, name: str) -> None:
    (tree / name).write_text("type: command\n")
    found = collect([name])
    assert problems(found) == [(name, "NBC941")]
    assert "not YAML" in found.problems[0].diagnostics[0].message


def test_any_other_file_given_explicitly_goes_to_the_reader() -> None:
    assert paths(collect(["README.md", "sub/script.py"])) == ["README.md", "sub/script.py"]


def test_empty_folder_is_named(tree: Path) -> None:
    (tree / "empty").mkdir()
    found = collect(["empty", "a.ipynb"])
    assert found.empty == ("empty",)
    assert problems(found) == []


def test_links_to_folders_are_not_followed(tree: Path) -> None:
    (tree / "sub" / "loop").symlink_to(tree)
    assert len(collect(["."]).sources) == 5


def test_dangling_link_is_left_to_the_reader(tree: Path) -> None:
    (tree / "sub" / "deep" / "e.ipynb").symlink_to("nowhere")
    assert "sub/deep/e.ipynb" in paths(collect(["sub"]))


def test_unreadable_folder(tree: Path) -> None:
    """A folder so deep that its path is too long: nobody can read it, not even root."""
    for _ in range(25):
        os.mkdir("d" * 200)  # noqa: PTH102
        os.chdir("d" * 200)
    os.chdir(tree)
    found = collect(["."])
    ((path, code),) = problems(found)
    assert code == "NBC942"
    assert path.startswith("d" * 200)
    assert found.problems[0].diagnostics[0].message == (
        "this folder cannot be read: File name too long"
    )
    assert "sub/c.ipynb" in paths(found)


def test_settings_of_the_nearest_file(tree: Path) -> None:
    (tree / "pyproject.toml").write_text('[tool.nbcomponent]\nignore = ["NBC109"]\n')
    (tree / "sub" / "pyproject.toml").write_text('[tool.nbcomponent]\nboundary = "auto"\n')
    found = {source.path: source.settings for source in collect(["."]).sources}
    assert found["a.ipynb"].ignore == ("NBC109",)
    assert found["sub/deep/d.ipynb"].boundary == "auto"
    assert found["sub/deep/d.ipynb"].ignore == ()


def test_unusable_settings_stop_only_their_files(tree: Path) -> None:
    (tree / "sub" / "pyproject.toml").write_text("[tool.nbcomponent]\nnope = 1\n")
    found = collect(["."])
    assert problems(found) == [("sub/pyproject.toml", "NBC943")]
    assert paths(found) == ["a.ipynb", "b.ipynb"]


@pytest.mark.parametrize(
    ("pattern", "left"),
    [
        ("sub/", ["a.ipynb", "b.ipynb"]),
        ("deep", ["a.ipynb", "b.ipynb", "sub/c.ipynb", "sub/percent.py"]),
        ("sub/*.py", ["a.ipynb", "b.ipynb", "sub/c.ipynb", "sub/deep/d.ipynb"]),
        ("[ab].ipynb", ["sub/c.ipynb", "sub/percent.py", "sub/deep/d.ipynb"]),
    ],
)
def test_exclude(tree: Path, pattern: str, left: list[str]) -> None:
    (tree / "pyproject.toml").write_text(f"[tool.nbcomponent]\nexclude = ['{pattern}']\n")
    assert paths(collect(["."])) == left


def test_excluded_file_given_explicitly_is_taken(tree: Path) -> None:
    (tree / "pyproject.toml").write_text("[tool.nbcomponent]\nexclude = ['a.ipynb']\n")
    assert paths(collect(["a.ipynb"])) == ["a.ipynb"]


def test_standard_input() -> None:
    assert paths(collect(["-", "-"])) == ["-"]
