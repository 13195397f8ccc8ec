"""Each finding about contracts has a page that explains it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import nbcomponent.contract

ROOM = Path(nbcomponent.contract.__file__).parent
PAGES = ROOM.parent / "core" / "explain"
CODES = sorted(
    {
        code
        for path in ROOM.glob("*.py")
        for code in re.findall(r"NBC2\d\d", path.read_text("utf-8"))
    }
)


def test_this_room_has_its_numbers() -> None:
    assert CODES[0] == "NBC210"
    assert CODES[-1] == "NBC254"


@pytest.mark.parametrize("code", CODES)
def test_a_page_says_why_shows_an_example_and_the_fix(code: str) -> None:
    page = (PAGES / f"{code}.md").read_text("utf-8")
    assert page.startswith(f"# {code}: ")
    assert re.findall(r"^## (.*)$", page, re.M) == ["Why it matters", "Example", "How to fix"]
    assert "```" in page
