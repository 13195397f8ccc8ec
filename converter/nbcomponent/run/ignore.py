"""Which files of a code folder are left out: ``.amlignore``, or ``.gitignore`` where there is none.

The rules are those of Git's pattern format. Azure Machine Learning leaves the same files out of its upload.
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from pathlib import Path

from nbcomponent.core.files import read_regular

ALWAYS_IGNORED = frozenset(
    ("__pycache__", ".git", ".ipynb_checkpoints", ".nbcomponent", ".amlignore", ".DS_Store")
)
"""Names that never belong to a component: caches, versions, local state."""


@dataclass(frozen=True, slots=True)
class _Rule:
    pattern: re.Pattern[str]
    negated: bool
    folders_only: bool


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """Patterns of one ignore file, the last that matches decides."""

    rules: tuple[_Rule, ...] = ()

    def ignores(self, relative: str, is_folder: bool) -> bool:
        """Whether ``relative`` (slashes, from the code folder) is left out."""
        if relative.rpartition("/")[2] in ALWAYS_IGNORED:
            return True
        ignored = False
        for rule in self.rules:
            if (is_folder or not rule.folders_only) and rule.pattern.match(relative):
                ignored = not rule.negated
        return ignored


def read_ignore_rules(folder: Path) -> IgnoreRules:
    """The rules of ``.amlignore`` in ``folder``, else of ``.gitignore``; an unreadable file counts as none."""
    for name in (".amlignore", ".gitignore"):
        with contextlib.suppress(OSError):
            return parse_ignore_rules(read_regular(folder / name).decode(errors="replace"))
    return IgnoreRules()


def parse_ignore_rules(text: str) -> IgnoreRules:
    """The rules of an ignore file's text."""
    rules = []
    for raw in text.splitlines():
        line = raw.rstrip("\r")
        while line.endswith(" ") and not line.endswith("\\ "):
            line = line[:-1]
        if not line or line.startswith("#"):
            continue
        negated = line.startswith("!")
        line = line[1:] if negated else line
        line = line[1:] if line.startswith(("\\#", "\\!")) else line
        folders_only = line.endswith("/")
        line = line.rstrip("/")
        if not line:
            continue
        anchored = "/" in line
        expression = _expression(line.lstrip("/") if anchored else f"**/{line}")
        try:
            rules.append(_Rule(re.compile(expression), negated, folders_only))
        except re.error:
            continue  # Git too takes a pattern with a broken range for one that matches nothing
    return IgnoreRules(tuple(rules))


def _expression(pattern: str) -> str:
    result, index = "", 0
    while index < len(pattern):
        char = pattern[index]
        if pattern.startswith("**/", index) and (index == 0 or pattern[index - 1] == "/"):
            result += "(?:[^/]+/)*"
            index += 3
        elif pattern[index:] == "**" and (index == 0 or pattern[index - 1] == "/"):
            result += ".+"
            index += 2
        elif char == "*":
            result += "[^/]*"
            index += 1
        elif char == "?":
            result += "[^/]"
            index += 1
        elif char == "[" and (closing := pattern.find("]", index + 2)) > 0:
            inner = pattern[index + 1 : closing].replace("\\", "\\\\")
            inner = "^" + inner[1:] if inner[0] in "!^" else inner
            result += f"(?!/)[{inner}]"
            index = closing + 1
        elif char == "\\" and index + 1 < len(pattern):
            result += re.escape(pattern[index + 1])
            index += 2
        else:
            result += re.escape(char)
            index += 1
    return result + r"\Z"
