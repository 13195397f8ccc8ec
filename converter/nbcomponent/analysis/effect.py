"""One effect of code on the process or the disk around it, or one thing it needs from there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nbcomponent.analysis.facts import NameNode

EffectKind = Literal[
    "env-set",
    "env-default",
    "env-get",
    "chdir",
    "cwd",
    "path-set",
    "path-get",
    "seed",
    "random",
    "option",
    "read",
    "look",
    "write",
    "folder",
    "mention",
    "patch",
]
"""``env-default`` sets a variable only where none is set; ``look`` only asks about a file; ``folder`` makes
a folder; ``mention`` is text that may name a file beside the notebook."""


@dataclass(slots=True, eq=False)
class Effect:
    """One effect. ``name`` is as NBC1xx shows it; ``library`` whose state it is (``numpy``).

    ``matters``: results can change by it (a seed, a dtype) and not only looks; for ``env-get``: there is
    no default; for files: it is a finding even where no cell writes the file. ``target``: for ``patch``
    the resolved dotted path, for ``option`` which one, for files the normalised path or pattern, for
    ``chdir`` where to.
    """

    kind: EffectKind
    name: str
    node: NameNode
    library: str = ""
    matters: bool = True
    target: str = ""


LASTING = frozenset(
    {
        "env-set", "env-default", "chdir", "path-set", "seed", "random", "option", "write", "folder",
        "patch",
    }
)  # fmt: skip
"""Kinds of effects that stay after the code has run."""
