"""Compare what nbcomponent says a span of cells depends on with what the span really read.

    python bench/spans.py traces.json FOLDER -o spans.json

``traces.json`` comes from trace_reads.py over the same FOLDER. Random spans of consecutive cells that
ran are tagged as one component in a copy of the notebook held in memory; the component's
``dependencies`` are compared with the names that the span read while their value had been bound outside.

An extra name is judged by what ran. Every executed load is in the trace, so a name without a recorded
read was not loaded:

not run        no line that loads the name ran during the span
not evaluated  such a line ran, and the load in it did not (short circuit, uncalled lambda, empty loop)
some paths     the span read its own value, bound under a condition (loop, branch, try, callee): the path
               on which the value comes from outside did not run
bound first    wrong: the span read its own value, bound without condition
no use         wrong: no code loads this name
"""

from __future__ import annotations

import argparse
import ast
import dis
import json
import random
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from notebook_files import all_cells, note, table, write_json
from recording import IPYTHON_STATE, SHELL

from nbcomponent.contract.examine import examine
from nbcomponent.notebook.model import CellCode, TaggedNotebook
from nbcomponent.notebook.reader import parse_notebook
from nbcomponent.notebook.tagging import tag

EXCUSED = ("not run", "not evaluated", "some paths")
LOADS = {"LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS", "DELETE_NAME", "DELETE_GLOBAL"}
STORES = {"STORE_NAME", "STORE_GLOBAL"}
BRANCHES = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.Try, ast.With, ast.AsyncWith, ast.Match)


@dataclass(frozen=True)
class Span:
    """Consecutive cells of one traced notebook, as indices among all its cells."""

    path: str
    cells: tuple[int, ...]


def draw(traces: list[dict[str, Any]], count: int, longest: int, seed: int) -> list[Span]:
    """``count`` different spans: a notebook each time, then a length of 1 to ``longest``, then a start."""
    generator = random.Random(seed)
    usable = []
    for trace in traces:
        ran = [cell["cell"] for cell in trace["cells"] if cell["status"] == "ok"]
        ends = [i for i, cell in enumerate(trace["cells"]) if cell["status"] != "ok"]
        if len(ran) >= 3:
            usable.append((trace["path"], [c["cell"] for c in trace["cells"]], set(ends)))
    found: dict[Span, None] = {}
    for _ in range(count * 50):
        if len(found) >= count or not usable:
            break
        path, cells, failed = generator.choice(usable)
        length = generator.randint(1, min(longest, len(cells) - 1))
        first = generator.randint(1, len(cells) - length)
        if not failed & set(range(first, first + length)):
            found[Span(path, tuple(cells[first : first + length]))] = None
    return list(found)


def tagged_copy(data: dict[str, Any], cells: tuple[int, ...]) -> bytes:
    """The notebook as JSON, with ``cells`` as its only component and no other tags or outputs."""
    copy = json.loads(json.dumps(data))
    for index, cell in enumerate(all_cells(copy)):
        metadata = cell.setdefault("metadata", {})
        metadata["tags"] = ["component:span"] if index in cells else []
        if "outputs" in cell:
            cell["outputs"] = []
    return json.dumps(copy).encode()


def instructions(code: CodeType) -> Iterator[tuple[str, str, int]]:
    """(operation, name, line) of every access by name, in this code and all that it holds."""
    line = code.co_firstlineno
    for one in dis.get_instructions(code):
        place = getattr(one, "positions", None)
        if place is not None and place.lineno is not None:
            line = place.lineno
        elif isinstance(one.starts_line, int) and not isinstance(one.starts_line, bool):
            line = one.starts_line
        if one.opname in LOADS | STORES:
            yield one.opname, str(one.argval), line
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from instructions(value)


def accesses(code: CellCode) -> Iterator[tuple[str, str, int]]:
    """What CPython's compiler makes of a cell: (operation, global name, line)."""
    trees: list[ast.Module] = [code.tree] if code.tree else []
    trees += [magic.code for magic in code.magics if magic.code]
    trees += [
        ast.Module([ast.Expr(value, **_position(value))], [])
        for magic in code.magics
        for value in magic.interpolated
    ]
    for tree in trees:
        try:
            compiled = compile(
                tree, "<cell>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True
            )
        except (SyntaxError, ValueError):
            continue
        yield from instructions(compiled)


def _position(node: ast.expr) -> dict[str, Any]:
    return {"lineno": node.lineno, "col_offset": node.col_offset}


def bound_without_condition(code: CellCode, name: str) -> bool:
    """Whether a statement of the cell's top level binds ``name`` on every path."""
    if code.tree is None:
        return False
    for statement in code.tree.body:
        if isinstance(statement, BRANCHES):
            continue
        try:
            compiled = compile(ast.Module([statement], []), "<cell>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            continue
        if any(
            one.opname == "STORE_NAME" and one.argval == name
            for one in dis.get_instructions(compiled)
        ):
            return True
    return False


def judge_extra(
    name: str,
    span: Span,
    place: tuple[int, int],
    tagged: TaggedNotebook,
    ran: Mapping[int, dict[str, Any]],
) -> str:
    """Why an extra name is no mistake, or which it is (see the module's text)."""
    own = set(span.cells)
    lines = {
        (int(cell), line)
        for index in span.cells
        for cell, numbers in ran[index]["lines"].items()
        for line in numbers
    }
    if any(
        read[0] == name and read[1] in own for index in span.cells for read in ran[index]["reads"]
    ):
        if place not in lines:
            return "not run"
        if not any(
            bound_without_condition(tagged.code[index], name)
            for index in span.cells
            if index in tagged.code
        ):
            return "some paths"
        return "bound first"
    loads = {
        (index, line)
        for index, code in tagged.code.items()
        for operation, loaded, line in accesses(code)
        if loaded == name and operation in LOADS
    }
    if not loads:
        return "no use"
    return "not evaluated" if loads & lines else "not run"


def read_outside(
    span: Span, ran: Mapping[int, dict[str, Any]]
) -> dict[str, tuple[int, int, int, int]]:
    """Names that the span read with a value from outside: name -> (binder, reader, place's cell, line)."""
    found: dict[str, tuple[int, int, int, int]] = {}
    for index in span.cells:
        for name, by, cell, line in ran[index]["reads"]:
            if by != SHELL and by not in span.cells and not IPYTHON_STATE.match(name):
                found.setdefault(name, (by, index, cell, line))
    return found


def measure(
    span: Span, data: dict[str, Any], trace: dict[str, Any], folder: Path = Path()
) -> dict[str, Any]:
    """One span: what it read, what the analysis says, and the difference.

    ``folder`` holds the notebook at the span's path: what lies beside it is looked at, as ``check`` does.
    """
    ran = {cell["cell"]: cell for cell in trace["cells"]}
    truth = read_outside(span, ran)
    found = examine(tag(parse_notebook(tagged_copy(data, span.cells), str(folder / span.path))))
    tagged = found.written
    components = [c for c in found.analysis.components if c.name == "span"]
    listed = {d.name: d for component in components for d in component.dependencies}
    sources = {index: cell.source.split("\n") for index, cell in enumerate(tagged.notebook.cells)}
    extra = []
    for name, dependency in sorted(listed.items()):
        if name not in truth:
            place = (dependency.cell, dependency.line)
            verdict = judge_extra(name, span, place, found.tagged, ran)
            text = _line(sources, *place)
            extra.append(
                {
                    "name": name,
                    "verdict": verdict,
                    "cell": place[0],
                    "line": place[1],
                    "text": text,
                    "resolution": dependency.resolution,
                }
            )
    missed = [
        {
            "name": name,
            "bound_in": by,
            "read_by": reader,
            "cell": cell,
            "line": line,
            "text": _line(sources, cell, line),
        }
        for name, (by, reader, cell, line) in sorted(truth.items())
        if name not in listed
    ]
    peers = peer_names(tagged, span)
    return {
        "notebook": span.path,
        "cells": list(span.cells),
        "read": sorted(truth),
        "listed": sorted(listed),
        "missed": missed,
        "extra": extra,
        "peers": {
            peer: {"missed": sorted(set(truth) - names), "extra": sorted(names - set(truth))}
            for peer, names in peers.items()
        },
    }


def _line(sources: Mapping[int, list[str]], cell: int, line: int) -> str:
    lines = sources.get(cell, [])
    return lines[line - 1].strip()[:120] if 0 < line <= len(lines) else ""


def peer_names(tagged: TaggedNotebook, span: Span) -> dict[str, set[str]]:
    """pyflakes' undefined names of the joined span; alone, and with carried definitions followed."""
    try:
        from pyflakes import checker, messages  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        return {}

    def undefined(statements: list[ast.stmt]) -> set[str]:
        tree = ast.Module(statements, [])
        try:
            found = checker.Checker(ast.parse(ast.unparse(tree)), filename="span").messages
        except (SyntaxError, ValueError, RecursionError, AttributeError):
            return set()
        return {
            str(message.message_args[0])
            for message in found
            if isinstance(message, messages.UndefinedName | messages.UndefinedLocal)
        } - {"__ipython__", "display", "get_ipython"}

    def body(index: int) -> list[ast.stmt]:
        code = tagged.code.get(index)
        return list(code.tree.body) if code and code.tree else []

    alone = undefined([statement for index in span.cells for statement in body(index)])
    definitions: dict[str, list[ast.stmt]] = {}
    for index in tagged.code:
        if index not in span.cells:
            for statement in body(index):
                if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                    definitions[statement.name] = [statement]
    followed, waiting = set(alone), list(alone)
    while waiting:
        for name in undefined(definitions.get(waiting.pop(), [])) - followed:
            followed.add(name)
            waiting.append(name)
    return {"pyflakes": alone, "pyflakes, followed": followed}


def summary(results: list[dict[str, Any]]) -> dict[str, Any]:
    """Counts and percentages over all spans."""
    total = len(results) or 1
    verdicts = Counter(extra["verdict"] for result in results for extra in result["extra"])
    whole = sum(not result["missed"] for result in results)
    clean = sum(all(e["verdict"] in EXCUSED for e in result["extra"]) for result in results)
    exact = sum(not result["missed"] and not result["extra"] for result in results)
    peers = {}
    for peer in results[0]["peers"] if results else ():
        misses = sum(bool(result["peers"][peer]["missed"]) for result in results)
        same = sum(
            not result["peers"][peer]["missed"] and not result["peers"][peer]["extra"]
            for result in results
        )
        peers[peer] = {
            "nothing missed %": round(100 - 100 * misses / total, 2),
            "exact %": round(100 * same / total, 2),
        }
    return {
        "spans": len(results),
        "notebooks": len({result["notebook"] for result in results}),
        "names read": sum(len(result["read"]) for result in results),
        "names listed": sum(len(result["listed"]) for result in results),
        "nothing missed": whole,
        "nothing missed %": round(100 * whole / total, 2),
        "exact %": round(100 * exact / total, 2),
        "no wrong extra %": round(100 * clean / total, 2),
        "names missed": sum(len(result["missed"]) for result in results),
        "extra names": dict(sorted(verdicts.items())),
        "peers": peers,
    }


def show(results: list[dict[str, Any]], totals: dict[str, Any]) -> None:
    """The table for people, then each miss and each wrong extra."""
    rows = [(key, value) for key, value in totals.items() if not isinstance(value, dict)]
    rows += [(f"extra: {key}", value) for key, value in totals["extra names"].items()]
    rows += [
        (f"{peer}: {key}", value)
        for peer, values in totals["peers"].items()
        for key, value in values.items()
    ]
    print(table(rows, ("measure", "value")))
    shown: dict[str, list[str]] = {}
    for result in results:
        for miss in result["missed"]:
            place = f"{result['notebook']} cell {miss['cell']}:{miss['line']}: {miss['text']}"
            shown.setdefault(f"MISSED {place}", []).append(miss["name"])
        for extra in result["extra"]:
            if extra["verdict"] not in EXCUSED:
                place = (
                    f"{result['notebook']} cell {extra['cell']}:{extra['line']}: {extra['text']}"
                )
                shown.setdefault(f"EXTRA ({extra['verdict']}) {place}", []).append(extra["name"])
    for place, names in sorted(shown.items()):
        counts = ", ".join(f"{name} x{number}" for name, number in sorted(Counter(names).items()))
        print(f"{place}\n    {counts}")


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("traces", type=Path)
    made.add_argument("folder", type=Path)
    made.add_argument(
        "-o", "--output", type=Path, help="write all spans and the summary here, as JSON"
    )
    made.add_argument("--spans", type=int, default=1000)
    made.add_argument("--longest", type=int, default=8, metavar="CELLS")
    made.add_argument("--seed", type=int, default=0)
    made.add_argument("--minutes", type=float, default=20, help="stop after so long")
    made.add_argument(
        "--goal", type=float, default=99.0, help="exit 1 below this percentage without a miss"
    )
    return made


def main(argv: list[str] | None = None) -> int:
    """Draw, compare, report; 1 where the goal is missed."""
    options = parser().parse_args(argv)
    warnings.simplefilter("ignore", SyntaxWarning)
    traces = json.loads(options.traces.read_text())["notebooks"]
    by_path = {trace["path"]: trace for trace in traces}
    spans = draw(traces, options.spans, options.longest, options.seed)
    end = time.monotonic() + options.minutes * 60
    results = []
    loaded: dict[str, dict[str, Any]] = {}
    for number, span in enumerate(spans):
        if time.monotonic() > end:
            note(f"time is over after {number} of {len(spans)} spans")
            break
        if span.path not in loaded:
            data = json.loads((options.folder / span.path).read_bytes())
            for cell in all_cells(data):
                if "outputs" in cell:
                    cell["outputs"] = []
            loaded[span.path] = data
        results.append(measure(span, loaded[span.path], by_path[span.path], options.folder))
    totals = summary(results)
    write_json(options.output, {"seed": options.seed, "summary": totals, "spans": results})
    show(results, totals)
    wrong = sum(count for verdict, count in totals["extra names"].items() if verdict not in EXCUSED)
    return int(not results or totals["nothing missed %"] < options.goal or wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
