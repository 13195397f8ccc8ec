"""Names that Azure ML accepts for the inputs and outputs of a component.

Letters, digits and underscore, no digit first, unique ignoring case, and not one of the names that the
service reserves (Microsoft's reference of the command component YAML). ``help`` is argparse's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

RESERVED = frozenset(("path", "ld_library_path", "user", "logname", "home", "pwd", "shell"))
"""Names of environment variables that Azure ML refuses as inputs and outputs, ignoring case."""

_ACCEPTED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ARGPARSE = frozenset(("help", "h"))


def argument_names(names: Iterable[str]) -> list[str]:
    """An argument's name for each of ``names``, in the same order.

    A name that is accepted as it is stays; the others give way: ``home`` becomes ``home_``, ``größe``
    ``groesse``, ``α`` ``alpha``, and the second of two that differ by case only gets a number.
    """
    wanted = list(names)
    given: list[str | None] = [None] * len(wanted)
    taken: set[str] = set()
    for index, name in enumerate(wanted):
        if _refusal(name) is None and name.lower() not in taken:
            given[index] = name
            taken.add(name.lower())
    for index, name in enumerate(wanted):
        if given[index] is None:
            given[index] = _fresh(_ascii(name), taken)
    return [name for name in given if name is not None]


def rename_reason(name: str) -> str:
    """Why ``name`` could not stay."""
    return _refusal(name) or "Azure ML does not tell names apart that differ by case only"


def _refusal(name: str) -> str | None:
    if not _ACCEPTED.fullmatch(name):
        return "Azure ML accepts letters of English, digits and underscores only"
    if name.lower() in RESERVED:
        return "Azure ML reserves this name"
    if name in _ARGPARSE:
        return "--help is taken by every script"
    return None


def _fresh(name: str, taken: set[str]) -> str:
    base = f"{name}_" if _refusal(name) is not None else name
    candidate, number = base, 2
    while candidate.lower() in taken or _refusal(candidate) is not None:
        candidate = f"{base.rstrip('_')}_{number}"
        number += 1
    taken.add(candidate.lower())
    return candidate


def _ascii(name: str) -> str:
    """``größe`` as ``groesse``, ``α`` as ``alpha``: letters as they are commonly written out."""
    if name.isascii():
        return name
    import unicodedata  # only for names that need it

    parts: list[str] = []
    for character in name:
        plain = unicodedata.normalize("NFKD", _SPELLED.get(character, character))
        plain = "".join(c for c in plain if c.isascii() and (c.isalnum() or c == "_"))
        if not plain:
            word = unicodedata.name(character, "").rpartition(" ")[2].lower()
            plain = word if word.isascii() and word.isalpha() else f"u{ord(character):x}"
        parts.append(plain)
    text = "".join(parts)
    return text if _ACCEPTED.fullmatch(text) else f"_{text}"


_SPELLED = {
    "ä": "ae",
    "ö": "oe",
    "ü": "ue",
    "Ä": "Ae",
    "Ö": "Oe",
    "Ü": "Ue",
    "ß": "ss",
    "æ": "ae",
    "ø": "o",
    "å": "a",
    "ł": "l",
    "đ": "d",
}
