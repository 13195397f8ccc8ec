"""What the comment of a parameter says: its meaning, range, choices and unit.

``# passes over the training split [1..100]``: text is the meaning. ``[1..100]`` anywhere is the range,
both ends included; ``[0..]`` and ``[..10]`` are open to one side; ``[1..10)`` leaves an end out, for
integers only. At the end, ``{cnn, mlp}`` lists the choices and, for numbers, ``[mm]`` is the unit.
``[0, 1]`` is plain text: it could mean either. Colab's ``@param`` is read too.
"""

from __future__ import annotations

import ast
import math
import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CommentReading:
    """The parts of a comment.

    ``min_open``/``max_open``: that end of the range is left out. ``choices`` are texts as written.
    ``type_text`` is a type comment's. ``bad_range`` is a bracket that looks like a range and is none.
    ``form_type`` is the type that a Colab form names. ``range_text`` and ``choices_text`` are the range and
    the choices as written, with their brackets, so that they can be found again.
    """

    description: str | None = None
    min: int | float | None = None
    max: int | float | None = None
    min_open: bool = False
    max_open: bool = False
    choices: tuple[str, ...] | None = None
    unit: str | None = None
    type_text: str | None = None
    bad_range: str | None = None
    form_type: str | None = None
    range_text: str | None = None
    choices_text: str | None = None


_NUMBER = r"[-+]?(?:\d[\d_]*(?:\.(?!\.)\d*)?|\.\d+)(?:[eE][-+]?\d+)?|[-+]?(?:inf|∞)"
_LONGEST_RANGE = 500
"""Characters of a comment in which what is like a range is looked for: the search can take their square."""

_RANGE = re.compile(rf"([\[(])\s*(?:({_NUMBER})\s*)?\.\.(?!\.)\s*(?:({_NUMBER})\s*)?([\])])")
_LIKE_RANGE = re.compile(
    r"\[[^\[\]()/]*(?<!\.)\.\.(?!\.)[^\[\]()/]*[\])]|[\[(][-+\s\d.eE_]*\d?\.\.[-+\s\d.eE_]*[\])]"
)
_CHOICES = re.compile(r"\{([^{}]*)\}[.;]?$")
_UNIT = re.compile(r"\[((?:[^\W\d_]|[%°µΩ])[\w%°µΩ·*/^²³⁻¹.-]{0,15})\]$")
_NO_UNIT = frozenset(
    (
        "optional",
        "required",
        "default",
        "deprecated",
        "experimental",
        "todo",
        "fixme",
        "int",
        "float",
    )
)
_TOOL = re.compile(
    r"(noqa|pragma|pylint|mypy|nbc|fmt|isort|ruff|pyright|nosec|flake8|yapf|type:\s*ignore)\b", re.I
)

_NEXT_COMMENT = re.compile(r"\s#+(?:\s+|(?=@|noqa|type:|pylint|pragma))")


def read_comment(text: str, numeric: bool = True) -> CommentReading:
    """The parts of a comment ``text`` (with or without its ``#``).

    ``numeric``: the parameter is a number, so that a bracket at the end can be its unit.
    """
    type_text: str | None = None
    form: dict[str, object] = {}
    pieces: list[str] = []
    for piece in _NEXT_COMMENT.split(text.strip().lstrip("#")):
        piece = piece.strip()
        if piece.startswith("type:") and not _TOOL.match(piece):
            type_text = piece[5:].strip()
        elif piece.startswith("@param"):
            form = _form(piece[6:].strip())
        elif piece and not _TOOL.match(piece):
            pieces.append(piece)
    reading = _parts(" ".join(pieces), numeric)
    return CommentReading(
        description=reading.description,
        min=reading.min if reading.min is not None else _as_number(form.get("min")),
        max=reading.max if reading.max is not None else _as_number(form.get("max")),
        min_open=reading.min_open,
        max_open=reading.max_open,
        choices=reading.choices or _as_choices(form.get("choices")),
        unit=reading.unit,
        type_text=type_text,
        bad_range=reading.bad_range,
        form_type=_as_text(form.get("type")),
        range_text=reading.range_text,
        choices_text=reading.choices_text,
    )


def is_directive(text: str) -> bool:
    """Whether a comment line speaks to tools (``#|``, ``# %%``, ``# noqa``) and is no description."""
    body = text.lstrip("#").strip()
    return (
        text.startswith(("#|", "#!", "#@title")) or body.startswith("%%") or bool(_TOOL.match(body))
    )


def _parts(text: str, numeric: bool) -> CommentReading:
    low = high = None
    low_open = high_open = False
    bad = range_text = None
    found = _RANGE.search(text)
    if found is not None and (found.group(2) or found.group(3)):
        low, high = _number(found.group(2)), _number(found.group(3))
        low_open = found.group(1) == "(" and low is not None
        high_open = found.group(4) == ")" and high is not None
        range_text = found.group()
        text = f"{text[: found.start()].rstrip()} {text[found.end() :].lstrip()}".strip()
    else:
        like = _LIKE_RANGE.search(text[:_LONGEST_RANGE])
        bad = like.group() if like is not None else None
    choices: tuple[str, ...] | None = None
    choices_text: str | None = None
    unit: str | None = None
    while True:
        listed, measured = _CHOICES.search(text), _UNIT.search(text)
        if choices is None and listed is not None and "," in listed.group(1):
            choices = tuple(item.strip() for item in listed.group(1).split(",") if item.strip())
            choices_text = listed.group().rstrip(".;")
            text = text[: listed.start()].rstrip()
        elif (
            unit is None
            and numeric
            and measured is not None
            and measured.group(1).lower() not in _NO_UNIT
        ):
            unit = measured.group(1)
            text = text[: measured.start()].rstrip()
        else:
            break
    return CommentReading(
        description=" ".join(text.split()) or None,
        min=low,
        max=high,
        min_open=low_open,
        max_open=high_open,
        choices=choices,
        unit=unit,
        bad_range=bad,
        range_text=range_text,
        choices_text=choices_text,
    )


def _number(text: str | None) -> int | float | None:
    if text is None or "inf" in text or "∞" in text:
        return None
    try:
        return int(text)
    except ValueError:
        number = float(text)
        return number if math.isfinite(number) else None


def _form(text: str) -> dict[str, object]:
    """``["a", "b"]``, ``{type:"slider", min:1, max:10}`` of a Colab form."""
    if text.startswith("["):
        try:
            choices = ast.literal_eval(text[: text.rfind("]") + 1])
        except (ValueError, SyntaxError):
            return {}
        return {} if "allow-input" in text else {"choices": choices}
    pairs = re.findall(r"[\"']?([\w-]+)[\"']?\s*:\s*[\"']?([-+.\w]+)[\"']?", text)
    form: dict[str, object] = dict(pairs)
    return form


def _as_number(value: object) -> int | float | None:
    if isinstance(value, str) and re.fullmatch(_NUMBER, value):
        return _number(value)
    return None


def _as_choices(value: object) -> tuple[str, ...] | None:
    if isinstance(value, list) and value:
        return tuple(str(item) for item in value)
    return None


def _as_text(value: object) -> str | None:
    return value if isinstance(value, str) else None
