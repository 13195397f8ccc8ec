"""Explain pages: every code has one of the same form, and the command finds it."""

from __future__ import annotations

import pytest

from nbcomponent.cli.main import main
from nbcomponent.core.explain import codes, near, page


@pytest.mark.parametrize("code", codes())
def test_page_has_the_form_of_all(code: str) -> None:
    found = page(code)
    assert found is not None
    assert found.text.startswith(f"# {code}: ")
    headings = [line for line in found.text.splitlines() if line.startswith("## ")]
    assert headings == ["## Why it matters", "## Example", "## How to fix"]
    example = found.text.partition("## Example")[2].partition("## How to fix")[0]
    assert example.count("```") >= 2
    assert found.title
    assert found.why


def test_the_analysis_codes_are_all_there() -> None:
    analysis = [code for code in codes() if code.startswith("NBC1")]
    assert analysis == [f"NBC{number}" for number in range(101, 113)]


def test_page_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "NBC104"]) == 0
    assert capsys.readouterr().out.startswith(
        "# NBC104: a cell outside the component changes its object\n\n## Why it matters\n"
    )


def test_small_letters_and_several_codes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "nbc101", "NBC102"]) == 0
    out = capsys.readouterr().out
    assert "# NBC101: " in out
    assert "# NBC102: " in out


def test_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(codes())
    assert "NBC102  no cell defines this name" in lines


def test_unknown_code_says_what_may_be_meant(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "NBC1O4"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "there is no diagnostic NBC1O4; did you mean NBC104" in captured.err


def test_unknown_beside_a_known_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "NBC104", "hello"]) == 2
    captured = capsys.readouterr()
    assert captured.out.startswith("# NBC104")
    assert "'nbcomponent explain --list' shows all" in captured.err


@pytest.mark.parametrize("prefix", ["NBC95", "nbc95"])
def test_prefix_shows_its_codes(prefix: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", prefix]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["NBC950", "NBC951", "NBC952", "NBC953"]
    assert lines[0] == "NBC950  an ignore comment without a reason"


def test_prefix_without_codes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "NBC4"]) == 2
    assert capsys.readouterr().err == (
        "nbcomponent: there is no diagnostic NBC4; 'nbcomponent explain --list' shows all\n"
    )


def test_path_like_codes_read_no_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "../explain/NBC104"]) == 2
    assert capsys.readouterr().out == ""


def test_without_a_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain"]) == 2
    assert "name a code" in capsys.readouterr().err


def test_near() -> None:
    assert near("104") == ("NBC104",)
    assert near("NBC10") == ("NBC101", "NBC102", "NBC103")
    assert near("hello") == ()
