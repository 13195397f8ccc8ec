"""What IPython takes away before it reads a cell: blank lines above, indentation, pasted prompts.

Follows the input transformers of IPython 9 (``leading_empty_lines``, ``leading_indent``,
``classic_prompt``, ``ipython_prompt``); where IPython 8 differs, :func:`indent_of_first_line` is its way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from nbcomponent.notebook.lines import Line

_CLASSIC = re.compile(r"^\s*>>>[ \t]?")
_CLASSIC_MORE = re.compile(r"^\s*\.\.\.[ \t]?")
_IPYTHON = re.compile(r"(?:(?:(?:\[nav\]|\[ins\])? )?In \[\d+\]: |\s*\.{3,}: ?)")
_TRIPLE_QUOTE = re.compile(r"(?<!\\)(\"\"\"|''')")
_STRING_PREFIX = re.compile(r"[rubfRUBF]*$")


def clean(lines: list[Line]) -> tuple[int, list[Line]]:
    """The lines as IPython sees them, as many as before, and the index of the first that it sees."""
    first = next((i for i, line in enumerate(lines) if not line.text.isspace()), None)
    if first is None:
        return 0, lines
    seen = ipython_prompts(classic_prompts(dedented(lines[first:])))
    blank = [line.cut(len(line.text.rstrip("\n"))) for line in lines[:first]]
    return first, blank + seen


def dedented(lines: list[Line]) -> list[Line]:
    """Without the indentation common to all lines; lines of white space only become empty."""
    from textwrap import dedent

    after = dedent("".join(line.text for line in lines)).splitlines(keepends=True)
    if len(after) != len(lines):
        return lines
    return [
        line if line.text == text else line.cut(len(line.text) - len(text))
        for line, text in zip(lines, after, strict=True)
    ]


def indent_of_first_line(lines: list[Line]) -> list[Line]:
    """Without the indentation of the first line, in each line that has it (IPython 8)."""
    first = next((line.text for line in lines if not line.text.isspace()), "")
    indent = first[: len(first) - len(first.lstrip(" \t"))]
    return [
        line.cut(len(indent)) if indent and line.text.startswith(indent) else line for line in lines
    ]


def classic_prompts(lines: list[Line]) -> list[Line]:
    """Without ``>>>`` and ``...`` where ``>>>`` starts some line outside a string statement."""
    if not any(">>>" in line.text for line in lines):
        return lines
    in_string = _inside_string_statement(lines)
    if not any(
        _CLASSIC.match(line.text)
        for line, inside in zip(lines, in_string, strict=True)
        if not inside
    ):
        return lines
    result: list[Line] = []
    start = 0
    while start < len(lines):
        end = start
        while end < len(lines) and in_string[end] == in_string[start]:
            end += 1
        run = lines[start:end]
        if not in_string[start]:
            stripped = [_without(line, (_CLASSIC, _CLASSIC_MORE)) for line in run]
            run = dedented(stripped) if stripped != run else run
        result.extend(run)
        start = end
    return result


def ipython_prompts(lines: list[Line]) -> list[Line]:
    """Without ``In [1]:`` and ``...:`` where one of them starts the first or second line."""
    if not any(_IPYTHON.match(line.text) for line in lines[:2]):
        return lines
    return [_without(line, (_IPYTHON,)) for line in lines]


def _without(line: Line, prompts: Iterable[re.Pattern[str]]) -> Line:
    for prompt in prompts:
        if found := prompt.match(line.text):
            return line.cut(found.end())
    return line


def _inside_string_statement(lines: list[Line]) -> list[bool]:
    """For each line: does it belong to a triple-quoted string that starts its own line?

    IPython's rule of thumb, so that doctests in a docstring stay what they are.
    """
    inside: list[bool] = []
    quote: str | None = None
    keeps = prompt_seen = False
    for line in lines:
        inside.append(quote is not None and keeps)
        for found in _TRIPLE_QUOTE.finditer(line.text):
            if quote is None:
                quote = found[1]
                before = line.text[: found.start()]
                bare = _CLASSIC_MORE.sub("", _CLASSIC.sub("", before, count=1), count=1)
                prompted = bare != before and prompt_seen
                keeps = not prompted and _STRING_PREFIX.match(bare.strip()) is not None
                inside[-1] = keeps
            elif quote == found[1]:
                quote, keeps = None, False
        prompt_seen = prompt_seen or _CLASSIC.match(line.text) is not None
    return inside
