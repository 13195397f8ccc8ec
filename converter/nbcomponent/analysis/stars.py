"""What ``from module import *`` binds, known without importing anything.

``star_names.txt`` holds a line for each well-known module: its name and the names it exports, in every
supported Python version and in the releases of the last years (``bench/list_star_names.py`` writes it). A
``+`` behind the module says that other releases may export more.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from nbcomponent.analysis.beside import Beside, top_level_names


@dataclass(frozen=True, slots=True)
class Exports:
    """``names`` that a star import surely binds; ``exact``: and no others."""

    names: frozenset[str]
    exact: bool


UNKNOWN = Exports(frozenset(), False)

_PYLAB = frozenset(
    {"np", "plt", "numpy", "matplotlib", "pylab", "mlab", "pyplot", "figsize", "getfigs"}
)
"""What ``%pylab`` binds beside the names of pylab and numpy (IPython.core.pylabtools)."""


def exports_of(module: str, beside: Beside) -> Exports:
    """What a star import of ``module`` binds: of a module beside the notebook, or of a well-known one."""
    if module == "%pylab":
        known = _well_known()
        return Exports(known["pylab"].names | known["numpy"].names | _PYLAB, False)
    if module.startswith("%run "):
        text = beside.text(module[5:]) if module.endswith((".py", ".ipy")) else None
        bound = top_level_names(text) if text is not None else None
        return UNKNOWN if bound is None else Exports(bound, True)
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
