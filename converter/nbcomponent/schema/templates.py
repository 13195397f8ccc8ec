"""Command templates: ``${{inputs.x}}``, ``${{outputs.x}}`` and optional groups ``$[[ ... ]]``, parsed.

What becomes of a template is in ``rendering``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

Side = Literal["inputs", "outputs"]


@dataclass(frozen=True, slots=True)
class Ref:
    """``${{inputs.name}}`` or ``${{outputs.name}}``, at ``offset`` (characters) of the template."""

    side: Side
    name: str
    offset: int


@dataclass(frozen=True, slots=True)
class Group:
    """``$[[ ... ]]``: left out when an input in it is not given."""

    parts: tuple[str | Ref, ...]
    offset: int


@dataclass(frozen=True, slots=True)
class TemplateProblem:
    """What is wrong with a template, at ``offset`` (characters from 0)."""

    message: str
    offset: int


@dataclass(frozen=True, slots=True)
class Template:
    """A parsed command. ``problems`` is empty when it can be rendered."""

    text: str
    parts: tuple[str | Ref | Group, ...]
    problems: tuple[TemplateProblem, ...] = ()

    def refs(self) -> Iterator[tuple[Ref, bool]]:
        """All references in order, each with whether it stands in an optional group."""
        for part in self.parts:
            if isinstance(part, Ref):
                yield part, False
            elif isinstance(part, Group):
                for inner in part.parts:
                    if isinstance(inner, Ref):
                        yield inner, True


_REFERENCE = re.compile(r"\s*(inputs|outputs)\s*\.\s*([A-Za-z0-9_][A-Za-z0-9_.-]*)\s*\Z")
_SHELL_STYLE = re.compile(r"\$\{\s*(inputs|outputs)\.")


def parse_template(text: str) -> Template:
    """Parse a command. Never fails: what is wrong is in ``problems``."""
    problems: list[TemplateProblem] = []
    parts: list[str | Ref | Group] = []
    position = 0
    while (start := text.find("$[[", position)) >= 0:
        parts.extend(_references(text, position, start, problems))
        end = text.find("]]", start + 3)
        if end < 0:
            problems.append(TemplateProblem("'$[[' is not closed by ']]'", start))
            position = len(text)
            break
        if "$[[" in text[start + 3 : end]:
            problems.append(TemplateProblem("'$[[ ]]' cannot stand inside another one", start))
        parts.append(Group(tuple(_references(text, start + 3, end, problems)), start))
        position = end + 2
    parts.extend(_references(text, position, len(text), problems))
    problems += [
        TemplateProblem(
            f"'${{{found[1]}.' needs two braces: write '${{{{{found[1]}.name}}}}'", found.start()
        )
        for found in _SHELL_STYLE.finditer(text)
    ]
    problems += _touching(parts)
    if not text.strip():
        problems.append(TemplateProblem("the command is empty", 0))
    if "\0" in text:
        problems.append(TemplateProblem("the command holds a NUL character", text.index("\0")))
    return Template(text, tuple(parts), tuple(sorted(problems, key=lambda p: p.offset)))


def _touching(parts: list[str | Ref | Group]) -> Iterator[TemplateProblem]:
    """Options that would run together with what stands before them: ``--epochs 5--seed 1``."""
    for before, part in pairwise(parts):
        if isinstance(part, Group):
            first = part.parts[0] if part.parts else ""
            ends = before if isinstance(before, str) else "x"
            if isinstance(first, str) and first.startswith("-") and not ends[-1:].isspace():
                yield TemplateProblem(
                    "an optional argument touches what stands before it; put a space before '$[['",
                    part.offset,
                )
        elif isinstance(before, Group) and isinstance(part, str) and part.startswith("-"):
            yield TemplateProblem(
                "an optional argument touches what follows it; put a space after ']]'",
                before.offset,
            )


def _references(
    text: str, start: int, end: int, problems: list[TemplateProblem]
) -> Iterator[str | Ref]:
    position = start
    while (opened := text.find("${{", position, end)) >= 0:
        if opened > position:
            yield text[position:opened]
        closed = text.find("}}", opened, end)
        if closed < 0:
            problems.append(TemplateProblem("'${{' is not closed by '}}'", opened))
            return
        inner = text[opened + 3 : closed]
        found = _REFERENCE.match(inner)
        if found is None:
            problems.append(TemplateProblem(_why_no_reference(inner.strip()), opened))
        else:
            yield Ref("inputs" if found[1] == "inputs" else "outputs", found[2], opened)
        position = closed + 2
    if position < end:
        yield text[position:end]


def _why_no_reference(inner: str) -> str:
    shown = inner if len(inner) <= 60 else inner[:57] + "..."
    if inner.startswith("search_space."):
        return f"'${{{{{shown}}}}}' belongs into a sweep, not into a component's command"
    if inner.startswith("parent."):
        return f"'${{{{{shown}}}}}' belongs into a pipeline's bindings, not into a command"
    return f"'${{{{{shown}}}}}' is neither '${{{{inputs.name}}}}' nor '${{{{outputs.name}}}}'"
