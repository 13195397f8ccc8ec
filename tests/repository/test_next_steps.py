"""The next step of a finding is written in one style: a phrase in small letters without a full stop."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from nbcomponent.cli.main import main
from nbcomponent.notebook import magics

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "converter" / "nbcomponent"
NOTEBOOKS = sorted(
    [*(ROOT / "notebooks").glob("*.ipynb"), *(ROOT / "tests" / "data" / "cases").glob("*.ipynb")]
)
NAMES = ("fix", "way_out", "title")
"""What parameters are called that take a next step."""


def in_style(text: str) -> bool:
    return not text[:1].isupper() and not (text.endswith(".") and not text.endswith("..."))


def texts(node: ast.expr | None) -> Iterator[str]:
    """The texts that an argument can be, as far as they are written out; a placeholder is ``x``."""
    if isinstance(node, ast.IfExp):
        yield from texts(node.body)
        yield from texts(node.orelse)
    elif isinstance(node, ast.JoinedStr):
        yield "".join(
            part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else "x"
            for part in node.values
        )
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def next_steps(tree: ast.Module) -> Iterator[str]:
    """What a module gives to ``Fix`` and to its own functions that take a next step."""
    positions = {"Fix": 0}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            names = [argument.arg for argument in node.args.args if argument.arg != "self"]
            for name in NAMES:
                if name in names:
                    positions[node.name] = names.index(name)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func
            name = called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")
            position = positions.get(name)
            if position is not None and position < len(node.args):
                yield from texts(node.args[position])
            for keyword in node.keywords:
                if keyword.arg in NAMES:
                    yield from texts(keyword.value)
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in ("fixes", "title"):
            values = node.value.values if isinstance(node.value, ast.Dict) else [node.value]
            for value in values:
                yield from texts(value)


def test_all_that_are_written_in_the_package() -> None:
    found = [
        (path.relative_to(PACKAGE).as_posix(), text)
        for path in sorted(PACKAGE.rglob("*.py"))
        for text in next_steps(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert len(found) > 90
    assert [one for one in found if not in_style(one[1])] == []
    assert [why for why, step in magics._REFUSED.values() if not in_style(step)] == []


@pytest.mark.parametrize("boundary", ["strict", "auto"])
def test_all_that_the_examples_show(boundary: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", *map(str, NOTEBOOKS), "--boundary", boundary, "--format", "json"])
    shown = [
        diagnostic["fix"]["title"]
        for file in json.loads(capsys.readouterr().out)["files"]
        for diagnostic in file["diagnostics"]
        if diagnostic["fix"]
    ]
    assert len(shown) > 10
    assert [title for title in shown if not in_style(title)] == []
