"""Compares our reading of code cells with IPython's own, on every notebook of a folder.

    python bench/compare_ipython.py FOLDER [--show N] [--time]

For each Python code cell: IPython's ``TransformerManager`` and ``ast.parse`` must accept it exactly when
``parse_cell`` does, and the trees must be equal once our placeholders are turned back into IPython's
calls. Bodies of ``%%time`` and the like, which IPython reads when the magic runs, are compared too.
Prints the number of notebooks, cells and differences, with the reason of each. ``--time`` measures
both ways instead. Downloads nothing, runs nothing of the notebooks.
"""

from __future__ import annotations

import argparse
import ast
import collections
import json
import re
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

from IPython import version_info
from IPython.core.inputtransformer2 import TransformerManager

from nbcomponent.core.errors import UnusableInput
from nbcomponent.notebook.arguments import FUNCTION_BODIES, NAMESPACE_BODIES, STATEMENT_OPTIONS
from nbcomponent.notebook.ipython import parse_cell
from nbcomponent.notebook.model import PLACEHOLDER, CellCode, Magic
from nbcomponent.notebook.reader import read_notebook

_SHELL_METHODS = ("run_line_magic", "run_cell_magic", "system", "getoutput", "show_usage")

_IPYTHON_FAILS = (
    SyntaxError, ValueError, RecursionError, MemoryError, RuntimeError, AssertionError, SystemError
)  # fmt: skip
"""What IPython and Python raise for cells that are no Python."""
_CLEANED_OTHERWISE = re.compile(r"\A\s|^\s+\S|>>>|^\s*\.\.\.|^%%|\n[ \t]+\n|%\w+ ", re.MULTILINE)


def ipython_tree(source: str) -> ast.Module:
    """What IPython runs, with the bodies of ``%%time``-like magics read as it reads them later."""
    tree = ast.parse(TransformerManager().transform_cell(source))
    call = _shell_call(getattr(tree.body[0], "value", None)) if len(tree.body) == 1 else None
    if call is not None and call.func.attr == "run_cell_magic":  # type: ignore[attr-defined]
        name, _, body = (argument.value for argument in call.args)  # type: ignore[attr-defined]
        if name in NAMESPACE_BODIES and body:
            tree.body += ipython_tree(body).body
    return tree


def _shell_call(node: object) -> ast.Call | None:
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _SHELL_METHODS
        and isinstance(node.func.value, ast.Call)
        and getattr(node.func.value.func, "id", "") == "get_ipython"
    ):
        return node
    return None


class _Normal(ast.NodeTransformer):
    """IPython's tree with blanks around the arguments of its own calls removed."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if _shell_call(node):
            for argument in node.args:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    argument.value = argument.value.strip()
            if node.func.attr == "show_usage":  # type: ignore[attr-defined]
                return ast.parse("get_ipython().run_line_magic('pinfo', '')", mode="eval").body
        return node


class _Rendered(ast.NodeTransformer):
    """Our tree with IPython's calls in the place of our placeholders."""

    def __init__(self, magics: tuple[Magic, ...]) -> None:
        self.magics = magics

    def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.stmt]:
        magic = self._magic(node.value)
        if magic is not None and magic.kind == "autocall" and magic.code is not None:
            return magic.code.body
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        magic = self._magic(node)
        if magic is None:
            return self.generic_visit(node)
        return ast.parse(_as_ipython(magic), mode="eval").body

    def _magic(self, node: ast.expr) -> Magic | None:
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == PLACEHOLDER:
            return self.magics[node.args[0].value]  # type: ignore[attr-defined]
        return None


def _as_ipython(magic: Magic) -> str:
    argument = magic.argument
    if magic.kind == "cell":
        body = (magic.body or "").strip()
        return f"get_ipython().run_cell_magic({magic.name.strip()!r}, {argument!r}, {body!r})"
    if magic.kind == "line":
        return f"get_ipython().run_line_magic({magic.name.strip()!r}, {argument!r})"
    if magic.kind == "system":
        method = "getoutput" if magic.assigned or magic.name == "!!" else "system"
        return f"get_ipython().{method}({argument!r})"
    method = (
        "pinfo2" if magic.name == "??" and argument else "psearch" if "*" in argument else "pinfo"
    )
    return f"get_ipython().run_line_magic({method!r}, {argument!r})"


def _fragments(code: CellCode) -> Iterator[tuple[str, str, ast.Module]]:
    """(name, statement, our tree) of each ``%time``-like line magic whose options IPython leaves out."""
    for magic in code.magics:
        if magic.code is None:
            continue
        if magic.kind == "line" and magic.name == "time":
            yield magic.name, magic.argument, magic.code
        if magic.kind == "cell" and magic.name in FUNCTION_BODIES and not magic.argument:
            yield magic.name, magic.body or "", magic.code


def difference(source: str) -> str | None:
    """The kind of difference between the two readings of one cell, None where they agree."""
    ours = parse_cell(source)
    theirs: ast.Module | None
    try:
        theirs = ipython_tree(source)
    except IndexError:
        return "ours only: IPython itself fails with IndexError" if ours.tree else None
    except _IPYTHON_FAILS:
        theirs = None
    if theirs is None and ours.tree is None:
        return None
    found = _kind_of_difference(source, ours, theirs)
    if found and version_info[0] < 9 and _CLEANED_OTHERWISE.search(source):
        return "IPython 8 strips prompts and indentation in another way than IPython 9"
    return found


def _kind_of_difference(source: str, ours: CellCode, theirs: ast.Module | None) -> str | None:
    if theirs is None:
        only = ours.magics[0] if len(ours.magics) == 1 else None
        if only and only.kind == "line" and not source.lstrip().startswith("%"):
            return "ours only: automagic (IPython's shell takes it too, not its transformer)"
        if source[:1] in (" ", "\t", "\n"):
            return "ours only: indentation that IPython 8 takes away and IPython 9 does not"
        return "ours only: unexplained"
    if ours.tree is None:
        return _why_only_theirs(source)
    try:
        rendered = _Rendered(ours.magics).visit(ours.tree)
        same = ast.dump(rendered) == ast.dump(_Normal().visit(theirs))
        if not same:
            return "trees differ"
        for name, statement, tree in _fragments(ours):
            expected = _Normal().visit(ipython_tree(statement))
            if ast.dump(expected) != ast.dump(_Rendered(ours.magics).visit(tree)):
                return f"trees under %{name} differ"
    except RecursionError:
        return "too deep to compare"
    return None


def _why_only_theirs(source: str) -> str:
    text = TransformerManager().transform_cell(source)
    calls = [call for node in ast.walk(ast.parse(text)) if (call := _shell_call(node))]
    if text.count("get_ipython()") > len(calls):
        return "theirs only: IPython's own call ends up inside a string or a comment"
    magics = {
        call.args[0].value.strip("%")  # type: ignore[attr-defined]
        for call in calls
        if call.func.attr.startswith("run_")  # type: ignore[attr-defined]
    }
    if magics & {*STATEMENT_OPTIONS, *NAMESPACE_BODIES}:
        return (
            "theirs only: what a magic such as %time runs is no Python (IPython fails when it runs)"
        )
    return "theirs only: unexplained"


def cells_of(folder: Path) -> Iterator[tuple[Path, int, str]]:
    """Every code cell of every readable Python notebook below ``folder``."""
    for path in sorted(folder.rglob("*.ipynb")):
        try:
            notebook = read_notebook(str(path))
        except UnusableInput as error:
            print(f"{path}: {error.diagnostic.code} {error.diagnostic.message}", file=sys.stderr)
            continue
        if notebook.language == "python":
            for cell in notebook.cells:
                if cell.kind == "code":
                    yield path, cell.index, cell.source


def compare(folder: Path, show: int) -> int:
    """Print the differences by kind; the number of unexplained ones."""
    kinds: dict[str, list[str]] = collections.defaultdict(list)
    notebooks: set[Path] = set()
    cells = 0
    for path, index, source in cells_of(folder):
        notebooks.add(path)
        cells += 1
        if kind := difference(source):
            kinds[kind].append(f"{path} cell {index}: {source[:300]!r}")
    total = sum(map(len, kinds.values()))
    print(f"{len(notebooks)} notebooks, {cells} code cells, {total} differences")
    for kind, examples in sorted(kinds.items()):
        print(f"{len(examples):6}  {kind}")
        for example in examples[:show]:
            print(f"        {example}")
    bad = ("unexplained", "differ")
    return sum(len(found) for kind, found in kinds.items() if kind.endswith(bad))


def measure(folder: Path) -> None:
    """Print the CPU time both ways need for all notebooks, reading included; the best of three rounds."""
    paths = sorted(folder.rglob("*.ipynb"))
    manager = TransformerManager()
    floors, times = [], []
    for _ in range(3):
        start = time.process_time()
        for path in paths:
            _floor(path, manager)
        floors.append(time.process_time() - start)
        start = time.process_time()
        for path in paths:
            _ours(path)
        times.append(time.process_time() - start)
    floor, ours = min(floors), min(times)
    print(f"{len(paths)} notebooks: json.loads + transform_cell + ast.parse {floor:.2f} s")
    print(f"read_notebook + parse_cell {ours:.2f} s, ratio {ours / floor:.2f}")


def _ours(path: Path) -> None:
    try:
        notebook = read_notebook(str(path))
    except UnusableInput:
        return
    if notebook.language == "python":
        for cell in notebook.cells:
            if cell.kind == "code":
                parse_cell(cell.source, cell.index)


def _floor(path: Path, manager: TransformerManager) -> None:
    try:
        content = json.loads(path.read_bytes())
        cells = content.get("cells") or [c for w in content["worksheets"] for c in w["cells"]]
    except (ValueError, KeyError, AttributeError):
        return
    if content.get("metadata", {}).get("kernelspec", {}).get("language", "python") != "python":
        return
    for cell in cells:
        if cell.get("cell_type") != "code":
            continue
        source = cell.get("source", cell.get("input", ""))
        text = source if isinstance(source, str) else "".join(source)
        try:
            ast.parse(manager.transform_cell(text))
        except (SyntaxError, ValueError, RecursionError, MemoryError, RuntimeError):
            continue


def main() -> int:
    """Run the comparison or the measurement; 1 when a difference has no explanation."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--show", type=int, default=3, help="examples of each kind (default 3)")
    parser.add_argument("--time", action="store_true", help="measure instead of comparing")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.time:
        measure(arguments.folder)
        return 0
    return 1 if compare(arguments.folder, arguments.show) else 0


if __name__ == "__main__":
    sys.exit(main())
