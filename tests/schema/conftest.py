"""Components and pipelines that are right but for one place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def mistaken(tmp_path: Path) -> Callable[..., list[tuple[str, int, int]]]:
    """The code, line and column of each problem of a text in which ``new`` stands for ``old``."""

    def problems(
        read: Callable[[Path, str], Any], text: str, old: str, new: str
    ) -> list[tuple[str, int, int]]:
        assert text.count(old) == 1
        found = read(tmp_path, text.replace(old, new)).problems
        return [(d.code, d.place.line, d.place.column) for d in found]

    return problems
