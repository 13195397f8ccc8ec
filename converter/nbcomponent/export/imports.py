"""The imports at the top of a script: only the names that it needs, grouped as isort groups them."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from nbcomponent.export.chunks import Chunk, import_origin
from nbcomponent.export.names import all_names

_ORDER_MATTERS = frozenset(
    [
        "comet_ml",
        "cudf",
        "eventlet",
        "gevent",
        "intel_extension_for_pytorch",
        "modin",
        "sklearnex",
        "tensorflow",
        "torch",
        "unsloth",
    ]
)
"""Packages that change others when they are imported, or must come before them."""


_LINE = 88


def needed_only(chunks: Sequence[Chunk], wanted: frozenset[str]) -> list[Chunk]:
    """The chunks, with imports from other cells cut down to the names that the component uses.

    ``wanted``: names that it needs although no chunk mentions them (stored values).
    """
    used = set(wanted)
    for chunk in chunks:
        if not (chunk.carried and all(map(_is_plain, chunk.nodes))):
            for node in chunk.nodes:
                used.update(all_names(node))
    return [_cut(chunk, used) for chunk in chunks]


def _is_plain(node: ast.stmt) -> bool:
    return isinstance(node, (ast.Import, ast.ImportFrom)) and node.names[0].name != "*"


def _cut(chunk: Chunk, used: set[str]) -> Chunk:
    if not chunk.carried or len(chunk.nodes) != 1:
        return chunk
    node = chunk.nodes[0]
    if not isinstance(node, (ast.Import, ast.ImportFrom)) or not _is_plain(node):
        return chunk
    kept = [a for a in node.names if import_origin(node, a)[0] in used]
    if not kept or len(kept) == len(node.names):
        return chunk
    cut = (
        ast.Import(kept)
        if isinstance(node, ast.Import)
        else ast.ImportFrom(node.module, kept, node.level)
    )
    code = ast.unparse(cut)
    return replace(chunk, code=code, nodes=tuple(ast.parse(code).body))


def grouped(
    lines: Iterable[str], chunks: Sequence[Chunk], is_local: Callable[[str], bool]
) -> list[str] | None:
    """All import lines in groups: Python's own library, packages, modules beside the notebook.

    ``lines`` are the exporter's own, ``chunks`` the notebook's. None where the notebook's order or
    layout must stay: there is a comment, a star, a condition, a module beside the notebook before a
    package (it may change what follows), or a package that changes others.
    """
    entries: list[tuple[int, tuple[int, str], str]] = []
    keep_order = False
    local_seen = False
    for chunk in chunks:
        if chunk.comment or "#" in chunk.code or len(chunk.nodes) != 1:
            return None
        if not _is_plain(chunk.nodes[0]):
            return None
        entry = _entry(chunk.nodes[0], chunk.code, is_local)
        if local_seen and entry[0] == 1:
            return None
        local_seen = local_seen or entry[0] == 2
        root = entry[1][1].partition(".")[0]
        keep_order = keep_order or root in _ORDER_MATTERS
        entries.append(entry)
    entries += [_entry(ast.parse(line).body[0], line, is_local) for line in lines]
    text: list[str] = []
    for group in range(3):
        members = [e for e in entries if e[0] == group]
        if not (keep_order and group == 1):
            members.sort(key=lambda e: e[1])
        found = _merged(list(dict.fromkeys(e[2] for e in members)))
        text += ["", *found] if text and found else found
    return text


def _merged(lines: Sequence[str]) -> list[str]:
    """Import lines with neighbours of one module joined, where they fit into a line."""
    merged: list[str] = []
    for line in lines:
        if merged and (joined := _joined(merged[-1], line)) is not None:
            merged[-1] = joined
        else:
            merged.append(line)
    return merged


def _joined(first: str, second: str) -> str | None:
    """``from x import a, b`` of ``from x import b`` and ``from x import a``."""
    nodes = [ast.parse(text).body[0] for text in (first, second)]
    one, other = nodes
    if not (isinstance(one, ast.ImportFrom) and isinstance(other, ast.ImportFrom)):
        return None
    if "\n" in first + second or (one.module, one.level) != (other.module, other.level):
        return None
    names = sorted({*map(ast.unparse, one.names), *map(ast.unparse, other.names)})
    text = f"from {'.' * one.level}{one.module or ''} import {', '.join(names)}"
    return text if len(text) <= _LINE else None


def _entry(
    node: ast.stmt, code: str, is_local: Callable[[str], bool]
) -> tuple[int, tuple[int, str], str]:
    """Group, place in the group, and text of an import."""
    assert isinstance(node, (ast.Import, ast.ImportFrom))
    if isinstance(node, ast.Import):
        module, key = node.names[0].name, 0
    else:
        module, key = "." * node.level + (node.module or ""), 1
    root = module.partition(".")[0]
    local = not root or is_local(root)
    group = 2 if local else 0 if root in sys.stdlib_module_names else 1
    return group, (key, module), code
