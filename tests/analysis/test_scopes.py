"""Scoping is Python's: CPython's own symbol table is the authority."""

from __future__ import annotations

import ast
import random
import symtable
import sysconfig
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings

from nbcomponent.analysis.facts import CellFacts
from nbcomponent.analysis.visitor import read_cell
from nbcomponent.notebook.model import CellCode

from .programs import StripLocalAnnotations, compiles, programs


def facts_of(text: str) -> CellFacts:
    return read_cell(CellCode(0, text, ast.parse(text)))


def ours(text: str) -> tuple[set[str], set[str]]:
    """(global names read anywhere, global names bound anywhere)."""
    reads: set[str] = set()
    binds: set[str] = set()
    for statement in facts_of(text).statements:
        for block in (statement.block, *(f.body for f in statement.block.functions)):
            reads |= {use.name for use in block.uses}
            binds |= {bind.name for bind in block.binds}
    return reads, binds - {"*"}


def theirs(text: str) -> tuple[set[str], set[str], set[str]]:
    """(global names read, global names bound, names of class bodies, which may be either)."""
    reads: set[str] = set()
    binds: set[str] = set()
    unclear: set[str] = set()
    pending = [symtable.symtable(text, "<program>", "exec")]
    while pending:
        table = pending.pop()
        pending.extend(table.get_children())
        for symbol in table.get_symbols():
            if table.get_type() == "module" or symbol.is_global():
                if symbol.is_referenced():
                    reads.add(symbol.get_name())
                if symbol.is_assigned() or symbol.is_imported():
                    binds.add(symbol.get_name())
            elif table.get_type() == "class":
                unclear.add(symbol.get_name())
    return reads, binds, unclear


def known_differences(tree: ast.Module) -> tuple[set[str], set[str]]:
    """Names that are read by what symtable takes for a binding, and bindings that do not last."""
    only_read: set[str] = set()
    fleeting: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            only_read.add(node.target.id)
        elif isinstance(node, ast.Delete):
            only_read |= {
                n.id for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name)
            }
        elif isinstance(node, ast.ExceptHandler) and node.name:
            fleeting.add(node.name)
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            for generator in node.generators:
                fleeting |= {n.id for n in ast.walk(generator.target) if isinstance(n, ast.Name)}
    return only_read, fleeting


def assert_agrees(text: str) -> None:
    tree = ast.parse(text)
    reads, binds = ours(text)
    their_reads, their_binds, unclear = theirs(text)
    only_read, fleeting = known_differences(tree)
    unclear |= {"__class__"}  # super() makes the compiler add this cell
    assert reads - unclear - only_read == their_reads - unclear - only_read
    assert binds - fleeting - only_read == their_binds - fleeting - only_read


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs())
def test_global_names_are_those_of_symtable(text: str) -> None:
    assume(compiles(text))
    assert_agrees(text)


def standard_library() -> list[Path]:
    folder = Path(sysconfig.get_paths()["stdlib"])
    files = sorted(
        p
        for p in folder.rglob("*.py")
        if "site-packages" not in p.parts and p.stat().st_size < 60_000
    )
    return random.Random(7).sample(files, 150)


@pytest.mark.parametrize("path", standard_library(), ids=lambda p: p.stem)
def test_global_names_of_the_standard_library_are_those_of_symtable(path: Path) -> None:
    text = path.read_text(encoding="utf-8", errors="replace")
    if any(word in text for word in ("exec(", "eval(", "globals(", "vars(", "locals(")):
        text = text.replace("exec(", "run(").replace("eval(", "run(").replace("globals(", "run(")
        text = text.replace("vars(", "run(").replace("locals(", "run(")
    if not compiles(text):
        return  # files of the test suite that are wrong on purpose
    tree = ast.fix_missing_locations(StripLocalAnnotations().visit(ast.parse(text)))
    assert_agrees(ast.unparse(tree))
