"""Ignore comments: what they silence, and when they do not count."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nbcomponent.core.diagnostics import Diagnostic, Place
from nbcomponent.core.ignores import Text, apply_ignores


def finding(
    code: str = "NBC104", line: int = 1, end_line: int | None = None, cell: int = 0
) -> Diagnostic:
    return Diagnostic(code, "error", "m", Place(cell, line, 1, end_line or line, 5))


def applied(
    source: str, *findings: Diagnostic, python: str | None = ""
) -> tuple[list[str], list[str]]:
    """Codes kept, and codes of the problems; the Python text is the source itself by default."""
    text = Text(0, source, source if python == "" else python)
    result = apply_ignores([text], findings)
    return [d.code for d in result.kept], [d.code for d in result.problems]


def test_comment_with_reason_silences_its_line() -> None:
    assert applied("x = y  # nbc: ignore[NBC104] only a plot", finding()) == ([], [])


def test_other_lines_codes_and_cells_stay() -> None:
    source = "x = y  # nbc: ignore[NBC104] only a plot\nz = y"
    kept = [finding(line=2), finding("NBC101"), finding(cell=1)]
    assert applied(source, finding(), *kept) == (["NBC104", "NBC101", "NBC104"], [])


def test_several_codes() -> None:
    source = "x = y  # nbc:ignore[NBC104,NBC105] both are known"
    assert applied(source, finding(), finding("NBC105")) == ([], [])


def test_codes_in_any_case() -> None:
    source = "x = y  # nbc: ignore[nbc104, Nbc105] both are known"
    assert applied(source, finding(), finding("NBC105")) == ([], [])


def test_comment_on_the_last_line_of_a_long_statement() -> None:
    source = "x = f(\n  y)  # nbc: ignore[NBC104] a reason"
    assert applied(source, finding(line=1, end_line=2)) == ([], [])


def test_comment_alone_on_its_line_is_for_the_next_code_line() -> None:
    source = "# nbc: ignore[NBC111] the listing is for readers\n\n# more\n%ls\n%ls"
    python = (
        "# nbc: ignore[NBC111] the listing is for readers\n\n# more\n__ipython__(0)\n__ipython__(1)"
    )
    kept, problems = applied(source, finding("NBC111", 4), finding("NBC111", 5), python=python)
    assert (kept, problems) == (["NBC111"], [])


def test_comment_after_a_magic() -> None:
    source = "!ls  # nbc: ignore[NBC111] for readers"
    assert applied(source, finding("NBC111"), python="__ipython__(0)") == ([], [])


def test_comment_behind_another_comment() -> None:
    source = "x = y  # checked by hand  # nbc: ignore[NBC104] see there"
    assert applied(source, finding()) == ([], [])


def test_text_in_a_string_is_no_comment() -> None:
    source = "x = '# nbc: ignore[NBC104] not a comment'"
    assert applied(source, finding()) == (["NBC104"], [])


def test_comment_in_a_contract() -> None:
    source = "inputs:  # nbc: ignore[NBC104] a reason"
    assert applied(source, finding(), python=None) == ([], [])


def test_without_reason_it_does_not_count() -> None:
    assert applied("x = y  # nbc: ignore[NBC104]", finding()) == (["NBC104"], ["NBC950"])
    assert applied("x = y  # nbc: ignore[NBC104] --", finding()) == (["NBC104"], ["NBC950"])


def test_unknown_code() -> None:
    result = apply_ignores(
        [Text(0, "x = y  # nbc: ignore[NBC014] a reason", None)], [finding("NBC104")]
    )
    assert [d.code for d in result.kept] == ["NBC104"]
    (problem,) = result.problems
    assert problem.code == "NBC951"
    assert problem.message.startswith("there is no diagnostic NBC014; did you mean NBC")
    assert problem.place == Place(0, 1, 8, 1, 38)


def test_prefix_is_no_code() -> None:
    assert applied("x = y  # nbc: ignore[NBC1] a reason", finding()) == (["NBC104"], ["NBC951"])


def test_comment_that_silences_nothing() -> None:
    assert applied("x = y  # nbc: ignore[NBC104] a reason") == ([], ["NBC952"])
    source = "x = y  # nbc: ignore[NBC104, NBC105] a reason"
    assert applied(source, finding()) == ([], ["NBC952"])


def test_comment_without_codes() -> None:
    assert applied("x = y  # nbc: ignore", finding()) == (["NBC104"], ["NBC953"])
    assert applied("x = y  # nbc: ignore[] why", finding()) == (["NBC104"], ["NBC953"])


def test_every_problem_names_the_next_step() -> None:
    source = "a # nbc: ignore\nb # nbc: ignore[NBC104]\nc # nbc: ignore[NBC1] r\nd # nbc: ignore[NBC104] r"
    problems = apply_ignores([Text(0, source, source)], []).problems
    assert [d.code for d in problems] == ["NBC953", "NBC950", "NBC951", "NBC952"]
    assert all(d.severity == "warning" and d.fix for d in problems)


def test_no_comment_no_change() -> None:
    assert applied("x = y  # nbconvert: ignore", finding()) == (["NBC104"], [])


@given(st.text(alphabet="#nbc: ignore[NBC104]'\"\n\\(x", max_size=60), st.booleans())
def test_any_text_is_read(source: str, python: bool) -> None:
    result = apply_ignores([Text(0, source, source if python else None)], [finding()])
    assert len(result.kept) <= 1
