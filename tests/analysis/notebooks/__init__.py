"""Small notebooks by kind of hidden dependency, each with near misses that are clean."""

from __future__ import annotations

from ..small import Case
from . import definitions, files, imports, kernel, mutations, names, process

CASES: list[Case] = [
    *names.CASES,
    *definitions.CASES,
    *mutations.CASES,
    *imports.CASES,
    *kernel.CASES,
    *process.CASES,
    *files.CASES,
]
