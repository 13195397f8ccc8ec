"""The explain pages: one Markdown file per diagnostic code, beside this module in ``explain/``.

Only ``nbcomponent explain`` and reports that carry help texts (SARIF) read them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_FOLDER = Path(__file__).parent / "explain"
_CODE = re.compile(r"NBC\d{3}")
_PREFIX = re.compile(r"NBC\d{0,3}")
_LOOK_ALIKES = str.maketrans("OIL", "011")


@dataclass(frozen=True, slots=True)
class Page:
    """A page: ``title`` is its heading without the code, ``why`` the first paragraph of the section
    *Why it matters*, ``text`` the whole page as Markdown."""

    code: str
    title: str
    why: str
    text: str


def codes() -> tuple[str, ...]:
    """All codes that have a page, sorted: every diagnostic that this version can give."""
    names = (path.stem for path in _FOLDER.glob("*.md"))
    return tuple(sorted(name for name in names if _CODE.fullmatch(name)))


def page(code: str) -> Page | None:
    """The page of ``code`` (``NBC101``), None where there is no such code."""
    if not _CODE.fullmatch(code):
        return None
    try:
        text = (_FOLDER / f"{code}.md").read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    heading, _, rest = text.partition("\n")
    title = heading.lstrip("# ").removeprefix(f"{code}:").strip()
    return Page(code, title, _first_paragraph(rest, "Why it matters"), text)


def as_code(written: str) -> str:
    """A code or prefix as the diagnostics have it: people write ``nbc104`` as well."""
    return written.strip().upper()


def group(prefix: str) -> tuple[str, ...]:
    """The codes that begin with a prefix such as ``NBC1``; none where it is a code or something else."""
    wanted = as_code(prefix)
    if _CODE.fullmatch(wanted) or not _PREFIX.fullmatch(wanted):
        return ()
    return tuple(code for code in codes() if code.startswith(wanted))


def near(code: str) -> tuple[str, ...]:
    """Codes that someone who wrote ``code`` may have meant."""
    from difflib import get_close_matches

    wanted = as_code(code)
    digits = wanted.removeprefix("NBC").translate(_LOOK_ALIKES)
    if digits.isdigit():
        wanted = f"NBC{digits}"
    known = codes()
    if wanted in known:
        return (wanted,)
    if _PREFIX.fullmatch(wanted) and not _CODE.fullmatch(wanted):
        return group(wanted)[:3]
    return tuple(get_close_matches(wanted, known, n=3, cutoff=0.7))


def code_problem(code: str) -> str | None:
    """What is wrong with ``code`` as a choice of findings (a code, or a prefix such as ``NBC1``)."""
    wanted = as_code(code)
    if not _PREFIX.fullmatch(wanted):
        return f"{code!r} is no code; write one such as NBC104, or a prefix such as NBC1"
    if _CODE.fullmatch(wanted) and page(wanted) is None:
        meant = near(wanted)
        return f"there is no diagnostic {wanted}" + (
            f"; did you mean {' or '.join(meant)}?" if meant else ""
        )
    return None


def _first_paragraph(text: str, section: str) -> str:
    _, found, rest = text.partition(f"## {section}\n")
    if not found:
        return ""
    paragraph = rest.strip().partition("\n\n")[0]
    return " ".join(paragraph.split())
