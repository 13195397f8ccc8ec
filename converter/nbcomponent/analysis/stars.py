"""What ``from module import *`` binds, known without importing anything.

``star_names.txt`` holds a line for each well-known module: its name and the names it exports, in every
supported Python version and in the releases of the last years (``bench/list_star_names.py`` writes it). A
``+`` behind the module says that other releases may export more.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from nbcomponent.analysis.beside import Beside


@dataclass(frozen=True, slots=True)
class Exports:
    """``names`` that a star import surely binds; ``exact``: and no others."""

    names: frozenset[str]
    exact: bool


UNKNOWN = Exports(frozenset(), False)


def exports_of(module: str, beside: Beside) -> Exports:
    """What a star import of ``module`` binds: of a module beside the notebook, or of a well-known one."""
    names = beside.star_names(module)
    if names is not None:
        return Exports(names, True)
    return _well_known().get(module, UNKNOWN)


@lru_cache(maxsize=1)
def _well_known() -> dict[str, Exports]:
    known: dict[str, Exports] = {}
    path = Path(__file__).with_name("star_names.txt")
    for line in path.read_text("utf-8").splitlines():
        module, *names = line.split()
        known[module.rstrip("+")] = Exports(frozenset(names), not module.endswith("+"))
    return known
