"""Settings in pyproject.toml, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from nbcomponent.core.errors import UnusableInput
from nbcomponent.core.settings import Settings, settings_for


def write(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "pyproject.toml"
    path.write_text(text, encoding="utf-8")
    return path


def problem(folder: Path) -> str:
    with pytest.raises(UnusableInput) as caught:
        settings_for(str(folder))
    assert caught.value.diagnostic.code == "NBC943"
    assert caught.value.path == str(folder / "pyproject.toml")
    return caught.value.diagnostic.message


def place(folder: Path) -> tuple[int, int, int]:
    """Line, column and end of the finding about the settings in ``folder``."""
    with pytest.raises(UnusableInput) as caught:
        settings_for(str(folder))
    found = caught.value.diagnostic.place
    assert found.cell is None
    assert found.end_line == found.line
    return found.line, found.column, found.end_column


def test_all_keys_are_read(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        '[tool.nbcomponent]\nselect = ["NBC1"]\nignore = ["NBC104"]\n'
        'exclude = ["old/"]\nboundary = "auto"\njobs = 3\n',
    )
    assert settings_for(str(tmp_path)) == Settings(
        path=str(path),
        select=("NBC1",),
        ignore=("NBC104",),
        exclude=("old/",),
        boundary="auto",
        jobs=3,
    )


def test_nearest_file_with_the_table_decides(tmp_path: Path) -> None:
    write(tmp_path, "[tool.nbcomponent]\njobs = 1\n")
    write(tmp_path / "a", "[tool.nbcomponent]\njobs = 2\n")
    write(tmp_path / "a" / "b", '[project]\nname = "b"\n[tool.other]\nnbcomponent = 1\n')
    assert settings_for(str(tmp_path / "a" / "b" / "c")).jobs == 2


def test_no_file_means_defaults(tmp_path: Path) -> None:
    assert settings_for(str(tmp_path)) == Settings()


def test_inline_table_is_read(tmp_path: Path) -> None:
    write(tmp_path, "[tool]\nnbcomponent = {jobs = 4}\n")
    assert settings_for(str(tmp_path)).jobs == 4


def test_unknown_key_is_named_with_what_may_be_meant(tmp_path: Path) -> None:
    write(tmp_path, '[tool.nbcomponent]\nselct = ["NBC1"]\n')
    assert problem(tmp_path) == (
        "settings: [tool.nbcomponent] has no key 'selct'; did you mean 'select'?"
    )


def test_unknown_key_like_no_other_lists_the_keys(tmp_path: Path) -> None:
    write(tmp_path, "[tool.nbcomponent]\nzzz = 1\n")
    assert problem(tmp_path).endswith("it knows boundary, exclude, ignore, jobs, select")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("jobs = 0", "'jobs' must be a whole number from 1, not 0"),
        ("jobs = true", "'jobs' must be a whole number from 1, not True"),
        ('jobs = "2"', "'jobs' must be a whole number from 1, not '2'"),
        ('boundary = "loose"', "'boundary' must be \"strict\" or \"auto\", not 'loose'"),
        ('select = "NBC1"', "'select' must be a list of strings, not 'NBC1'"),
        ("exclude = [1]", "'exclude' must be a list of strings, not [1]"),
        ('ignore = ["E501"]', "'E501' is no code"),
        ('ignore = ["NBC199"]', "there is no diagnostic NBC199"),
    ],
)
def test_wrong_values(tmp_path: Path, line: str, said: str) -> None:
    write(tmp_path, f"[tool.nbcomponent]\n{line}\n")
    assert said in problem(tmp_path)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"[tool.nbcomponent\n", "is not TOML"),
        (b"# \xff\n[tool.nbcomponent]\n", "is not UTF-8"),
        (b"[tool]\nnbcomponent = 3\n", "must be a table"),
        (b"x = " + b"[" * 50_000 + b" # nbcomponent", "is not TOML"),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, data: bytes, said: str) -> None:
    (tmp_path / "pyproject.toml").write_bytes(data)
    assert said in problem(tmp_path)


def test_folder_in_place_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").mkdir()
    assert "cannot be read" in problem(tmp_path)


def test_broken_file_of_another_tool_is_no_concern(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.other\n")
    assert settings_for(str(tmp_path)) == Settings()


HEAD = '[project]\nname = "nbcomponent-demo"\njobs = 3\n\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[tool.nbcomponent]\njobs = 0\n", (6, 8, 9)),
        ('[tool.nbcomponent]\n"jobs" = "0"  # jobs\n', (6, 10, 13)),
        ('[tool.nbcomponent]\n# selct\nselct = ["NBC1"]\n', (7, 1, 6)),
        ('[tool.nbcomponent]\nboundary="loose" # not "loose"\n', (6, 10, 17)),
        ('[tool.nbcomponent]\nselect = "NBC1"\n', (6, 10, 16)),
        ("[tool.nbcomponent]\nexclude = [1]\n", (6, 11, 14)),
        ('[tool.nbcomponent]\nignore = [\n  "NBC1", # E501\n  "E501",\n]\n', (8, 4, 8)),
        ('[tool.nbcomponent]\nselect = ["NBC199"]\nignore = ["NBC199"]\n', (6, 12, 18)),
        ("[tool]\nnbcomponent = {jobs = -1}\n", (6, 23, 25)),
        ("[tool]\nnbcomponent = 3\n", (6, 1, 12)),
        ("[[tool.nbcomponent]]\n", (5, 8, 19)),
        ("[tool.nbcomponent]\njobs = \n", (6, 8, 9)),
        ("[tool.nbcomponent]\njobs = 1 2\n", (6, 10, 11)),
        ('[tool.nbcomponent]\nselect = """', (6, 13, 13)),
    ],
)
def test_what_is_wrong_is_told_with_its_place(
    tmp_path: Path, text: str, expected: tuple[int, int, int]
) -> None:
    write(tmp_path, HEAD + text)
    assert place(tmp_path) == expected


def test_place_of_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_bytes("[tool.nbcomponent]\n# ü".encode() + b"\xff\n")
    assert place(tmp_path) == (2, 4, 5)


def test_codes_in_any_case(tmp_path: Path) -> None:
    write(tmp_path, '[tool.nbcomponent]\nselect = ["nbc1"]\nignore = ["Nbc104"]\n')
    settings = settings_for(str(tmp_path))
    assert (settings.select, settings.ignore) == (("NBC1",), ("NBC104",))
