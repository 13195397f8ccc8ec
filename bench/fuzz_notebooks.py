"""Throws damaged notebooks at the reader, the analysis and the exporter: nothing may escape.

    python bench/fuzz_notebooks.py corpus --cases 20000 --seed 1 -o fuzz.json

Each case takes a few cells of a notebook below FOLDER, tags them, and damages the JSON, the sources, the
tags, the metadata and the contract cells at random; case N of a seed is always the same. It is read,
tagged, examined and exported in memory (nothing is run and nothing is written). Wrong is: an exception
other than UnusableInput, more than ``--limit`` seconds, a worker that dies, and an exported script that
is no Python. The exit code is 1 where anything is wrong. ``--only N`` shows one case.
"""

from __future__ import annotations

import argparse
import ast
import collections
import copy
import json
import random
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbcomponent.cli.batch import Failure, run_batch
from nbcomponent.cli.examined import report_of
from nbcomponent.cli.report import json as json_report
from nbcomponent.contract.examine import examine
from nbcomponent.core.errors import UnusableInput
from nbcomponent.export.build import build
from nbcomponent.notebook.reader import parse_notebook
from nbcomponent.notebook.tagging import tag

MOST_BYTES = 3_000_000
MOST_CELLS = 8

TAGS = (
    "component:a", "component:a", "component:b", "component:b", "component:c", "parameters", "shared", "skip",
    "contract", "contract:a", "injected-parameters", "imports", "functions", "step:x", "block:y", "prev:x",
    "pipeline-parameters", "pipeline-metrics", "component:../x", "component:", "component:A", "foreign", "",
    "component:a\n", "contract:\ud800", "hide-input", "raises-exception",
)  # fmt: skip

SNIPPETS = (
    "%time x = 1", "%%time", "!ls $x {y}", "x = !ls", "x?", "??y", "%%writefile a.py", "%%bash\necho $x",
    "%matplotlib inline", "%%capture out", "await f()", "async with a as b: pass", "global x", "nonlocal x",
    "return 1", "yield x", "break", "del x", "x += 1", "x.append(y)", "from numpy import *", "import os as x",
    "def f(x=y, *a, **k): return x + z", "class K(B): m = 1", "@d\ndef g(): pass", "lambda: x", "exec('x = 1')",
    "globals()['x'] = 1", "eval(x)", "match x:\n    case {'a': y, **z}: pass", "try:\n    x\nexcept E as e: pass",
    "for x in y: pass\nelse: z", "while x: break", "with open('f') as f: x = f.read()", "(x := 1)", "[y := x for x in z]",
    "f'{x!r:>{w}}'", "'''", '"""', "\\", "(", ")", "]", "}", "{", "\t", "  x = 1", "#| component: b", "#| parameters",
    "#| skip", "epochs: int = 5  # passes [1..100]", "data: Path = Path('x')", "y: int | None = None",
    "_", "_1", "In[3]", "Out[2]", "get_ipython()", "os.environ['A'] = 'b'", "np.random.seed(0)", "x = y = z",
    "a, *b = c", "x: 'int' = 1", "\x0c", "\x00", "\ud800", "\u2028", "\ufeff", "e\u0301 = 1", ">>> x", "In [1]: x",
    "...: y", "type X = int", "def f[T](x: T): ...", "x = 1 if y else z", "assert x, y", "raise E from e",
    "# nbc: ignore[NBC101] reason", "# nbc: ignore", "%%timeit -n 1\nx", "%run x.py", "%store x", "%load_ext y",
    "display(x)", "x;", "print(x, end='')", "if True:", "else:", "import a.b.c", "from . import x", "from .m import *",
)  # fmt: skip

CONTRACT = """\
component: a
version: "1.2.0"
inputs:
  x: {type: uri_folder, from: b.y, meaning: m, files: [a.csv]}
  t: {type: uri_file, format: parquet, columns: {l: {dtype: int64, allowed: [0, 1], nullable: false}}}
parameters:
  epochs: {type: integer, min: 1, max: 100, default: 5}
  kind: {type: string, choices: [cnn, mlp], default: cnn}
outputs:
  y: {type: uri_folder, files: [w.npz]}
metrics: {acc: {scope: global, goal: maximize}}
invalid_when: [bad]
deterministic: true
environment: {image: i, conda: conda.yml}
environment_variables: {A: "b"}
include: [helpers/]
compute: {target: gpu, min_nodes: 0}
distribution: {type: pytorch, nodes: 2, processes_per_node: 2}
checkpoint: {output: y, every: 30m}
smoke: {inputs: {x: s}, parameters: {epochs: 1}}
"""

YAML_SNIPPETS = (
    "&a", "*a", "<<: *a", "!!python/object/apply:os.system [x]", "!x", "[", "]", "{", "}", ": ", "- ", "null", "~",
    "1e999", ".nan", "-.inf", "0x10", "010", "yes", "2024-01-01", "'", '"', "|", ">", "\t", "---", "...", "%TAG",
    "[1, 2]", "{a: b}", "a.b.c", "../x", "/x", "9" * 500, "\x00", "\ud800", "# c", "?", "b.y", "a.y", "", "-1", "true",
)  # fmt: skip

JUNK: tuple[Any, ...] = (
    None, True, False, 0, -1, 1e308, float("nan"), 10**40, "", "x", "component:a", [], {}, [[]], [None], {"a": 1},
    ["x", 1], {"tags": "x"}, "\ud800", "code", "markdown", "python", "R", 4, 3, "4.5",
)  # fmt: skip


@dataclass(frozen=True)
class Case:
    """Case ``number`` of ``seed``, made from the notebook ``path``."""

    path: str
    seed: int
    number: int


def sources(folder: Path) -> list[str]:
    """The notebooks below ``folder`` that are not too large, in a fixed order."""
    found = [p for p in folder.rglob("*.ipynb") if p.is_file() and p.stat().st_size <= MOST_BYTES]
    return sorted(str(path) for path in found)


def cases(folder: Path, count: int, seed: int) -> list[Case]:
    """``count`` cases over the notebooks below ``folder``."""
    paths = sources(folder)
    if not paths:
        raise SystemExit(f"there are no notebooks below {folder}")
    chance = random.Random(seed)
    return [Case(chance.choice(paths), seed, number) for number in range(count)]


def data_of(case: Case) -> bytes:
    """The damaged notebook of a case."""
    chance = random.Random(f"{case.seed} {case.number}")
    try:
        content = json.loads(Path(case.path).read_bytes())
        cells = content["cells"]
    except (ValueError, KeyError, TypeError):
        content, cells = {"nbformat": 4, "metadata": {}}, []
    gentle = (
        chance.random() < 0.5
    )  # the beginning of a notebook, with good tags: much of it is exported
    start = 0 if gentle else chance.randrange(max(1, len(cells) - MOST_CELLS + 1))
    cells = copy.deepcopy(cells[start : start + chance.randint(1, MOST_CELLS * (1 + gentle))])
    for number, cell in enumerate(cells):
        cell.pop("outputs", None)
        good = ["component:" + ("a" if number < len(cells) // 2 else "b")]
        cell.setdefault("metadata", {})["tags"] = good if gentle else _tags(chance)
    if chance.random() < (0.05 if gentle else 0.6):
        cells.insert(
            chance.randrange(len(cells) + 1),
            {
                "cell_type": chance.choice(("raw", "markdown")),
                "metadata": {"tags": [chance.choice(("contract", "contract:a", "contract:b"))]},
                "source": _damaged_yaml(chance),
            },
        )
    content = {**content, "cells": cells}
    for _ in range(chance.choice((0, 1, 1, 2, 3, 5))):
        chance.choice(_DAMAGES)(content, chance)
    data = json.dumps(content, ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass")
    return _damaged_bytes(data, chance) if chance.random() < 0.05 else data


def _tags(chance: random.Random) -> list[str]:
    if chance.random() < 0.7:
        return [chance.choice(TAGS[:9])]
    return [chance.choice(TAGS) for _ in range(chance.randrange(4))]


def _cell(content: dict[str, Any], chance: random.Random) -> dict[str, Any] | None:
    cells = content.get("cells")
    if not isinstance(cells, list):
        return None
    usable = [c for c in cells if isinstance(c, dict)]
    return chance.choice(usable) if usable else None


def _source(content: dict[str, Any], chance: random.Random) -> None:
    cell = _cell(content, chance)
    if cell is None:
        return
    source = cell.get("source", "")
    text = "".join(map(str, source)) if isinstance(source, list) else str(source)
    for _ in range(chance.randint(1, 4)):
        text = chance.choice(_TEXT_DAMAGES)(text, chance)
    cell["source"] = text.splitlines(keepends=True) if chance.random() < 0.3 else text


def _insert(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + chance.choice(SNIPPETS) + text[at:]


def _insert_line(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    lines.insert(chance.randrange(len(lines) + 1), chance.choice(SNIPPETS))
    return "\n".join(lines)


def _cut(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + text[at + chance.randint(1, 12) :]


def _swap_lines(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    chance.shuffle(lines)
    return "\n".join(lines)


def _indent_lines(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    first = chance.randrange(len(lines))
    indent = chance.choice((" ", "    ", "\t", "\x0c"))
    return "\n".join(indent + t if n >= first else t for n, t in enumerate(lines))


def _wrap(text: str, chance: random.Random) -> str:
    head = chance.choice(
        ("if x:", "def f(x):", "class K:", "try:", "while x:", "async def g():", "with x as y:")
    )
    tail = "\nexcept E: pass" if head == "try:" else ""
    return head + "\n" + "\n".join("    " + line for line in text.split("\n")) + tail


def _rename(text: str, chance: random.Random) -> str:
    words = [w for w in text.replace("(", " ").replace(".", " ").split() if w.isidentifier()]
    if len(words) < 2:
        return text
    return text.replace(chance.choice(words), chance.choice(words))


def _repeat(text: str, chance: random.Random) -> str:
    return "\n".join([text] * chance.randint(2, 4)) if len(text) < 3_000 else text


_TEXT_DAMAGES: tuple[Callable[[str, random.Random], str], ...] = (
    _insert, _insert, _insert_line, _insert_line, _insert_line, _cut, _cut, _swap_lines, _indent_lines, _wrap, _rename, _repeat,
)  # fmt: skip


def _junk(chance: random.Random) -> Any:
    return copy.deepcopy(chance.choice(JUNK))  # what is put in may itself be damaged later


def _retag(content: dict[str, Any], chance: random.Random) -> None:
    cell = _cell(content, chance)
    if cell is not None and isinstance(cell.get("metadata"), dict):
        cell["metadata"]["tags"] = chance.choice((_tags(chance), [_junk(chance)], _junk(chance)))


def _junk_somewhere(content: dict[str, Any], chance: random.Random) -> None:
    place: Any = content
    for _ in range(chance.randrange(5)):
        if isinstance(place, dict) and place:
            inner = place[chance.choice(sorted(place))]
        elif isinstance(place, list) and place:
            inner = chance.choice(place)
        else:
            break
        if not isinstance(inner, (dict, list)):
            break
        place = inner
    if isinstance(place, dict) and place:
        key = chance.choice(sorted(place))
        if chance.random() < 0.3:
            del place[key]
        else:
            place[key] = _junk(chance)
    elif isinstance(place, list):
        place.insert(chance.randrange(len(place) + 1), _junk(chance))


def _shuffle(content: dict[str, Any], chance: random.Random) -> None:
    if isinstance(content.get("cells"), list):
        chance.shuffle(content["cells"])


def _kind(content: dict[str, Any], chance: random.Random) -> None:
    cell = _cell(content, chance)
    if cell is not None:
        cell["cell_type"] = chance.choice(("code", "raw", "markdown", "heading", "html", "sql"))


_DAMAGES: tuple[Callable[[dict[str, Any], random.Random], None], ...] = (
    _source, _source, _source, _source, _source, _retag, _retag, _junk_somewhere, _shuffle, _kind,
)  # fmt: skip


def _damaged_yaml(chance: random.Random) -> str:
    lines = CONTRACT.split("\n")
    kept = [line for line in lines if chance.random() < 0.7]
    for _ in range(chance.choice((0, 0, 1, 1, 2, 4))):
        if not kept:
            break
        row = chance.randrange(len(kept))
        line, at = kept[row], chance.randrange(len(kept[row]) + 1)
        width = chance.choice((0, 0, 1, 3, 9))
        kept[row] = line[:at] + chance.choice(YAML_SNIPPETS) + line[at + width :]
    return "\n".join(kept)


def _damaged_bytes(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data))
    kind = chance.randrange(4)
    if kind == 0:
        return data[:at]
    if kind == 1:
        return data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]
    if kind == 2:
        return data[:at] + data[at : at + 40] * 3 + data[at:]
    return data[:at] + chance.randbytes(9) + data[at:]


def run_case(case: Case) -> str:
    """What became of a case: ``unusable``, ``examined``, ``blocked``, ``exported``, or ``wrong: ...``."""
    return run_data(data_of(case), case.path, "auto" if case.number % 2 else "strict")


def run_data(data: bytes, path: str, boundary: Any) -> str:
    """What became of the notebook in ``data``, as in :func:`run_case`."""
    try:
        examination = examine(tag(parse_notebook(data, path)), boundary)
        json_report.render([json_report.file_text(report_of(path, examination))])
        export = build(examination, out_folder=Path("out"))
    except UnusableInput:
        return "unusable"
    except Exception as error:  # noqa: BLE001 (this is what is looked for)
        frames = traceback.extract_tb(error.__traceback__)[-3:]
        where = " < ".join(f"{Path(f.filename).name}:{f.lineno} {f.name}" for f in reversed(frames))
        return f"wrong: {type(error).__name__}: {str(error)[:80]} | {where}"
    for name, content in export.files.items():
        if name.endswith(".py"):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    ast.parse(content)
            except (SyntaxError, ValueError) as error:
                return f"wrong: a script is no Python: {error}"
    if export.blocked:
        return "blocked"
    return "exported" if export.files else "examined"


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=float, default=20.0, help="seconds that a case may take")
    parser.add_argument("--only", type=int, help="run this case here, and show its notebook")
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args(arguments)
    every = cases(options.folder, options.cases, options.seed)
    if options.only is not None:
        case = every[options.only]
        print(case.path, data_of(case).decode("utf-8", "replace"), run_case(case), sep="\n")
        return 0
    started = time.monotonic()

    def on_done(count: int) -> None:
        if count % 1000 == 0:
            print(f"{count} of {len(every)}, {time.monotonic() - started:.0f} s", file=sys.stderr)

    outcomes = run_batch(run_case, every, options.jobs, on_done, options.limit)
    said = [f"wrong: {o.kind}: {o.message}" if isinstance(o, Failure) else o for o in outcomes]
    counts = collections.Counter(text.partition(":")[0] for text in said)
    wrong: dict[str, list[int]] = {}
    for number, text in enumerate(said):
        if text.startswith("wrong"):
            wrong.setdefault(text, []).append(number)
    report = {
        "cases": len(every),
        "seed": options.seed,
        "seconds": round(time.monotonic() - started, 1),
        "outcomes": dict(sorted(counts.items())),
        "wrong": {
            text: numbers[:20] for text, numbers in sorted(wrong.items(), key=lambda w: -len(w[1]))
        },
    }
    text = json.dumps(report, indent=1)
    print(text)
    if options.output:
        options.output.write_text(text + "\n", encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
