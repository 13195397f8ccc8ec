"""What lies beside the notebook, as far as the analysis may look: which files exist, what modules define."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from nbcomponent.core.parsing import parsed
from nbcomponent.core.trees import children, walk

Kind = Literal["file", "folder", ""]


def _nothing(path: str) -> Kind:
    return ""


def _no_text(path: str) -> str | None:
    return None


@dataclass(frozen=True, slots=True)
class Beside:
    """Looks at the notebook's folder without running anything.

    ``kind`` tells whether a relative path is a file or a folder there; ``text`` gives the text of a
    file, None where there is none. ``roots``: further folders that modules are imported from (``../src``).
    """

    kind: Callable[[str], Kind] = _nothing
    text: Callable[[str], str | None] = _no_text
    roots: tuple[str, ...] = ()

    def has_module(self, module: str) -> bool:
        """Whether a dotted module lies beside the notebook or in one of the further folders."""
        path = module.replace(".", "/")
        return any(
            self.kind(f"{root}{path}.py") == "file"
            or self.kind(f"{root}{path}/__init__.py") == "file"
            for root in ("", *(f"{root}/" for root in self.roots))
        )

    def star_names(self, module: str) -> frozenset[str] | None:
        """Names that ``from module import *`` binds, None where that cannot be told."""
        path = module.lstrip(".").replace(".", "/")
        if not path:
            return None
        for root in ("", *(f"{root}/" for root in self.roots)):
            for file in (f"{root}{path}.py", f"{root}{path}/__init__.py"):
                text = self.text(file)
                if text is not None:
                    return public_names(text)
        return None


def public_names(text: str) -> frozenset[str] | None:
    """Names that a star import of a module with this text binds; None where its text does not tell."""
    tree = parsed(text)
    if tree is None:
        return None
    for node in walk(tree):
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign)):
            targets = [node.target]
        if any(isinstance(t, ast.Name) and t.id == "__all__" for t in targets):
            if not isinstance(node, ast.Assign):
                return None  # __all__ += other.__all__
            try:
                return frozenset(str(n) for n in ast.literal_eval(node.value))
            except (ValueError, TypeError, SyntaxError):
                return None
    names = _bound_by(tree)
    return None if names is None else frozenset(n for n in names if not n.startswith("_"))


def top_level_names(text: str) -> frozenset[str] | None:
    """All names that a script with this text binds when it runs; None where its text does not tell."""
    tree = parsed(text)
    return None if tree is None else _bound_by(tree)


_HOLDING_NAMES = (
    ast.stmt, ast.excepthandler, ast.withitem, ast.Tuple, ast.List, ast.Starred, ast.NamedExpr,
)  # fmt: skip


def _bound_by(tree: ast.Module) -> frozenset[str] | None:
    names: set[str] = set()
    pending: list[ast.AST] = list(tree.body)
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.ImportFrom) and any(a.name == "*" for a in node.names):
            return None
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update(a.asname or a.name.split(".", 1)[0] for a in node.names)
        elif isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Store):
                names.add(node.id)
        elif isinstance(node, _HOLDING_NAMES):
            pending.extend(children(node))
    return frozenset(names)


NOTHING_BESIDE = Beside()
"""For notebooks that are not files."""
