"""Write docs/diagnostics.md from the explain pages, so that both always say the same.

Usage: ``python docs/build_diagnostics.py [--check]``. With ``--check`` nothing is written and the exit
code is 1 when the file is not what would be written.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "converter" / "nbcomponent" / "core" / "explain"
TARGET = ROOT / "docs" / "diagnostics.md"

GROUPS = {
    "1": "Hidden state of a notebook",
    "2": "Contracts",
    "3": "Environments",
    "4": "Distributed training",
    "5": "Pipelines and jobs",
    "6": "Credentials and safety",
    "7": "Reproducibility",
    "9": "Files",
}

HEAD = """\
# Diagnostics

Every finding of `nbcomponent check` and `nbcomponent export` has a code that never changes its meaning.
`nbcomponent explain CODE` shows these pages in the terminal. One finding is silenced where it stands with
`# nbc: ignore[CODE] reason`.

This file is written by `docs/build_diagnostics.py` from the explain pages; edit those.
"""


def title_of(page: str) -> str:
    """The title of an explain page, without its code: ``# NBC101: a title`` gives ``a title``."""
    return page.splitlines()[0].split(":", 1)[1].strip()


def anchor_of(code: str, title: str) -> str:
    """The anchor that Markdown renderers make of the heading ``CODE: title``."""
    kept = re.sub(r"[^\w\- ]", "", f"{code}: {title}".lower())
    return kept.replace(" ", "-")


def one_level_down(page: str) -> str:
    """``page`` with each heading two levels lower; ``#`` lines inside code blocks stay."""
    lines, in_code = [], False
    for line in page.strip().splitlines():
        if line.startswith("```"):
            in_code = not in_code
        lines.append(f"##{line}" if line.startswith("#") and not in_code else line)
    return "\n".join(lines)


def document(pages: dict[str, str]) -> str:
    """The whole file for ``pages`` (code to Markdown): a table, then each group's pages."""
    rows = [
        f"| [{code}](#{anchor_of(code, title_of(p))}) | {title_of(p)} |"
        for code, p in pages.items()
    ]
    parts = [HEAD, "\n".join(["| code | finds |", "|---|---|", *rows]) + "\n"]
    for digit, heading in GROUPS.items():
        group = [one_level_down(page) for code, page in pages.items() if code[3] == digit]
        if group:
            parts.append("\n\n".join([f"## {heading}", *group]) + "\n")
    return "\n".join(parts)


def main(arguments: list[str]) -> int:
    """Write the file, or compare it with ``--check``; the exit code."""
    pages = {page.stem: page.read_text(encoding="utf-8") for page in sorted(PAGES.glob("NBC*.md"))}
    text = document(pages)
    if arguments == ["--check"]:
        if TARGET.is_file() and TARGET.read_text(encoding="utf-8") == text:
            return 0
        print("docs/diagnostics.md is out of date: run `make docs`", file=sys.stderr)
        return 1
    TARGET.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
