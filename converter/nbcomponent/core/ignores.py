"""Findings silenced at their line: ``# nbc: ignore[NBC104] the reason``.

A comment at the end of a line silences the named codes for findings whose lines include that line;
a comment that stands alone on its line does so for the next line of code too (some magics take
everything after them as their argument, so nothing can follow on their line). A comment counts
only with a full code and a reason; one that silences nothing is reported, so that none outlives
what it excused.
"""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from nbcomponent.core.diagnostics import Diagnostic, Fix, Place, in_reading_order
from nbcomponent.core.explain import as_code, near, page

_QUICK = "nbc:"
_COMMENT = re.compile(r"#\s*nbc:\s*ignore\b\s*(?P<list>\[(?P<codes>[^\]]*)\])?(?P<reason>.*)")
_FULL_CODE = re.compile(r"NBC\d{3}")


@dataclass(frozen=True, slots=True)
class Text:
    """A cell, or a whole file (``cell`` None), in which ignore comments may stand.

    ``python`` is the same text as pure Python, line for line; None for text in another language
    (a YAML contract), where every ``#`` may begin a comment.
    """

    cell: int | None
    source: str
    python: str | None = None


@dataclass(frozen=True, slots=True)
class Ignore:
    """One code that a comment at ``place`` ignores in lines ``first`` to ``last`` of its cell."""

    code: str
    place: Place
    first: int
    last: int

    def covers(self, diagnostic: Diagnostic) -> bool:
        place = diagnostic.place
        return (
            diagnostic.code == self.code
            and place.cell == self.place.cell
            and place.line <= self.last
            and self.first <= max(place.line, place.end_line)
        )


@dataclass(frozen=True, slots=True)
class Applied:
    """``kept`` are the findings that no comment silences, ``problems`` those about the comments."""

    kept: tuple[Diagnostic, ...]
    problems: tuple[Diagnostic, ...]


def apply_ignores(texts: Iterable[Text], diagnostics: Collection[Diagnostic]) -> Applied:
    """Take out of ``diagnostics`` what comments in ``texts`` silence.

    The problems: NBC950 no reason, NBC951 unknown code, NBC952 silences nothing, NBC953 names no
    code. A comment with one of the first two silences nothing.
    """
    ignores: list[Ignore] = []
    problems: list[Diagnostic] = []
    for text in texts:
        if _QUICK in text.source:
            for found in _read(text):
                if isinstance(found, Ignore):
                    ignores.append(found)
                else:
                    problems.append(found)
    if not ignores:
        return Applied(tuple(diagnostics), in_reading_order(problems))
    used: set[Ignore] = set()
    kept: list[Diagnostic] = []
    for diagnostic in diagnostics:
        covering = [ignore for ignore in ignores if ignore.covers(diagnostic)]
        used.update(covering)
        if not covering:
            kept.append(diagnostic)
    problems += [_unused(ignore) for ignore in ignores if ignore not in used]
    return Applied(tuple(kept), in_reading_order(problems))


def _read(text: Text) -> Iterator[Ignore | Diagnostic]:
    lines = text.source.split("\n")
    for line, column in _comments(text, lines):
        match = _COMMENT.match(lines[line - 1], column - 1)
        if match is None:
            continue
        place = Place(text.cell, line, column, line, len(lines[line - 1].rstrip()) + 1)
        named = [code.strip() for code in (match["codes"] or "").split(",") if code.strip()]
        if not named:
            yield _problem(
                "NBC953",
                "this comment names no code to ignore",
                place,
                "write '# nbc: ignore[NBC104] the reason' with the code of the finding",
            )
            continue
        if not match["reason"].strip(" \t:-#"):
            yield _problem(
                "NBC950",
                f"this comment ignores {', '.join(named)} without a reason, so it does not count",
                place,
                "write after the bracket why the finding does not matter here",
            )
            continue
        last = _next_code_line(lines, line) if not lines[line - 1][: column - 1].strip() else line
        for code in named:
            yield _unknown(code, place) or Ignore(as_code(code), place, line, last)


def _comments(text: Text, lines: list[str]) -> list[tuple[int, int]]:
    """Line and column (from 1) of what may be an ignore comment."""
    candidates = [
        (number, match.start() + 1)
        for number, line in enumerate(lines, 1)
        for match in _COMMENT.finditer(line)
    ]
    if text.python is None or not candidates:
        return candidates
    python = text.python.split("\n")
    real = _python_comments(text.python)
    if real is None:
        return candidates
    return [
        (line, column)
        for line, column in candidates
        # A line that IPython reads itself is not in the Python text; there the comment is taken
        # as it looks.
        if (line, column) in real or line > len(python) or python[line - 1] != lines[line - 1]
    ]


def _python_comments(source: str) -> set[tuple[int, int]] | None:
    """Where comments start in Python code; None when the code cannot be tokenised."""
    import tokenize

    found: set[tuple[int, int]] = set()
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                line, column = token.start
                found.add((line, column + 1))
                # `# checked by hand  # nbc: ignore[...]` is one comment for Python.
                found.update(
                    (line, column + 1 + match.start()) for match in _COMMENT.finditer(token.string)
                )
    except (tokenize.TokenError, SyntaxError):
        return None
    return found


def _next_code_line(lines: list[str], line: int) -> int:
    for number in range(line + 1, len(lines) + 1):
        stripped = lines[number - 1].strip()
        if stripped and not stripped.startswith("#"):
            return number
    return line


def _unknown(code: str, place: Place) -> Diagnostic | None:
    wanted = as_code(code)
    if _FULL_CODE.fullmatch(wanted):
        if page(wanted) is not None:
            return None
        meant = near(wanted)
        said = f"there is no diagnostic {wanted}"
        said += f"; did you mean {' or '.join(meant)}?" if meant else ""
    else:
        said = f"{code!r} is not the full code of one diagnostic"
    return _problem("NBC951", said, place, "write the code that the report shows, such as NBC104")


def _unused(ignore: Ignore) -> Diagnostic:
    return _problem(
        "NBC952",
        f"this comment ignores {ignore.code}, but there is no such finding here",
        ignore.place,
        "remove the comment",
    )


def _problem(code: str, message: str, place: Place, fix: str) -> Diagnostic:
    return Diagnostic(code, "warning", message, place, fix=Fix(fix, "edit"))
