"""Compare nbcomponent's check with the least that reading notebooks can cost, in one run.

    python bench/floor.py FOLDER

floor     json.loads, IPython's transformer and ast.parse on every code cell, in one process
in-process  what ``nbcomponent check`` does to each notebook (read, tag, examine), in one process
pyflakes  the floor's transform, then pyflakes on the joined cells (a peer that finds less)
cli       ``nbcomponent check --format json --jobs N`` as users start it, the interpreter's start included

The first three run in fresh processes that time their own loop, and repetitions of all of them
alternate, so that a busy machine slows all alike. Figures are medians; the ratio is taken within each
repetition and its median shown. Notebooks that the floor cannot read at all are left out of all.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from notebook_files import note, notebook_paths, table, write_json

# Each worker gets a file with one path per line and prints the seconds of its loop.
COMMON = """
import ast, gc, json, sys, time
from pathlib import Path
paths = Path(sys.argv[1]).read_text().splitlines()
"""

FLOOR = (
    COMMON
    + """
from IPython.core.inputtransformer2 import TransformerManager
import warnings
warnings.simplefilter("ignore")
started = time.perf_counter()
cells = 0
for path in paths:
    data = json.loads(Path(path).read_bytes())
    for cell in data["cells"]:
        if cell["cell_type"] == "code":
            cells += 1
            source = cell["source"]
            text = "".join(source) if isinstance(source, list) else source
            try:
                ast.parse(TransformerManager().transform_cell(text))
            except (SyntaxError, ValueError):
                pass
print(json.dumps({"seconds": time.perf_counter() - started, "cells": cells}))
"""
)

PYFLAKES = (
    COMMON
    + """
from IPython.core.inputtransformer2 import TransformerManager
from pyflakes import checker
import warnings
warnings.simplefilter("ignore")
started = time.perf_counter()
for path in paths:
    data = json.loads(Path(path).read_bytes())
    good = []
    for cell in data["cells"]:
        if cell["cell_type"] == "code":
            source = cell["source"]
            text = "".join(source) if isinstance(source, list) else source
            try:
                good += ast.parse(TransformerManager().transform_cell(text)).body
            except (SyntaxError, ValueError):
                pass
    checker.Checker(ast.Module(good, []), filename=path)
print(json.dumps({"seconds": time.perf_counter() - started}))
"""
)

OURS = (
    COMMON
    + """
from nbcomponent.cli.batch import SeldomCollector
from nbcomponent.cli.examined import examine_path
from nbcomponent.core.errors import UnusableInput
from nbcomponent.core.room import with_room
# The floor's imports are not counted either.
import nbcomponent.contract.argparse_interface, nbcomponent.contract.cells, nbcomponent.contract.parameters
import warnings
warnings.simplefilter("ignore")
def loop():
    found = components = 0
    collector = SeldomCollector()
    for path in paths:
        examination = None
        collector.between_items()
        try:
            examination = examine_path(path, "strict")
        except UnusableInput:
            continue
        found += len(examination.diagnostics)
        components += len(examination.interfaces)
    return {"diagnostics": found, "components": components}
started = time.perf_counter()
made = with_room(loop)  # as a worker of the batch does
print(json.dumps({"seconds": time.perf_counter() - started, **made}))
"""
)


def usable(paths: list[Path]) -> list[Path]:
    """Notebooks of format 4 that JSON can read: what the floor's loop takes without a special case."""
    good = []
    for path in paths:
        try:
            data = json.loads(path.read_bytes())
        except (OSError, ValueError):
            continue
        cells = data.get("cells") if isinstance(data, dict) else None
        if isinstance(cells, list) and all(
            isinstance(c, dict) and "cell_type" in c and ("source" in c or c["cell_type"] != "code")
            for c in cells
        ):
            good.append(path)
    return good


def tag_thirds(paths: list[Path], room: Path) -> list[Path]:
    """Copies of the notebooks whose code cells are three components each, so that check has work."""
    copies = []
    for number, path in enumerate(paths):
        data = json.loads(path.read_bytes())
        code = [cell for cell in data["cells"] if cell["cell_type"] == "code"]
        for position, cell in enumerate(code):
            tags = cell.setdefault("metadata", {}).setdefault("tags", [])
            tags[:] = [f"component:p{1 + 3 * position // len(code)}"]
        target = room / f"{number:05}.ipynb"
        target.write_text(json.dumps(data, indent=1))
        copies.append(target)
    return copies


def worker(code: str, listing: Path, environment: dict[str, str]) -> dict[str, Any]:
    """Run one of the loops above in a fresh process."""
    done = subprocess.run(
        [sys.executable, "-c", code, str(listing)],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"a loop failed:\n{done.stderr[-3000:]}")
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def whole_command(folder: Path, jobs: int, environment: dict[str, str]) -> dict[str, Any]:
    """Time ``nbcomponent check`` as a user starts it."""
    command = [
        sys.executable,
        "-m",
        "nbcomponent",
        "check",
        str(folder),
        "--format",
        "json",
        "--jobs",
        str(jobs),
    ]
    started = time.perf_counter()
    done = subprocess.run(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        check=False,
    )
    if done.returncode not in (0, 1, 2):
        raise SystemExit(f"check failed:\n{done.stderr[-3000:]}")
    return {"seconds": time.perf_counter() - started, "exit": done.returncode}


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("folder", type=Path)
    made.add_argument("-o", "--output", type=Path, help="write every repetition here, as JSON")
    made.add_argument("--repetitions", type=int, default=5)
    made.add_argument("--max-notebooks", type=int, default=400)
    made.add_argument("--max-size", type=int, default=5_000_000, metavar="BYTES")
    made.add_argument("--jobs", type=int, default=2, help="processes of the batch")
    made.add_argument("--seed", type=int, default=0, help="draws the notebooks")
    made.add_argument(
        "--minutes", type=float, default=20, help="start no further repetition after so long"
    )
    made.add_argument(
        "--untagged",
        action="store_true",
        help="leave the notebooks' tags as they are (default: every code cell in one of three components, which is more work)",
    )
    return made


def main(argv: list[str] | None = None) -> int:
    """Measure and print; 1 where a goal of 1.0 (one process) or 0.65 (batch) is missed."""
    options = parser().parse_args(argv)
    import random

    paths = [
        p for p in usable(notebook_paths(options.folder)) if p.stat().st_size <= options.max_size
    ]
    random.Random(options.seed).shuffle(paths)
    paths = paths[: options.max_notebooks]
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    # Installed packages are compiled once; without this each start would compile the tool anew.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    repetitions: list[dict[str, dict[str, Any]]] = []
    end = time.monotonic() + options.minutes * 60
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "notebooks"
        folder.mkdir()
        if options.untagged:
            copies = []
            for number, path in enumerate(paths):
                copies.append(folder / f"{number:05}.ipynb")
                copies[-1].write_bytes(path.read_bytes())
        else:
            copies = tag_thirds(paths, folder)
        listing = Path(name) / "paths"
        listing.write_text("\n".join(map(str, copies)))
        size = sum(path.stat().st_size for path in copies)
        note(f"{len(copies)} notebooks, {size / 1e6:.1f} MB")
        for number in range(options.repetitions + 1):
            if number > 1 and time.monotonic() > end:
                break
            one = {
                "floor": worker(FLOOR, listing, environment),
                "in-process": worker(OURS, listing, environment),
                "pyflakes": worker(PYFLAKES, listing, environment),
                "cli": whole_command(folder, options.jobs, environment),
            }
            if number:  # the first one fills the caches of files and bytecode
                repetitions.append(one)
            note("  ".join(f"{key} {value['seconds']:.3f} s" for key, value in one.items()))
    rows, ratios = [], {}
    for key in ("floor", "in-process", "pyflakes", "cli"):
        seconds = [one[key]["seconds"] for one in repetitions]
        ratios[key] = statistics.median(
            one[key]["seconds"] / one["floor"]["seconds"] for one in repetitions
        )
        rows.append(
            (
                key,
                f"{statistics.median(seconds):.3f}",
                f"{min(seconds):.3f}",
                f"{max(seconds):.3f}",
                f"{ratios[key]:.3f}",
            )
        )
    cells = repetitions[0]["floor"]["cells"]
    print(
        f"{len(paths)} notebooks, {cells} code cells, {size / 1e6:.1f} MB, {len(repetitions)} repetitions, batch on {options.jobs} processes"
    )
    print(table(rows, ("what", "median s", "least s", "most s", "of the floor")))
    write_json(
        options.output,
        {
            "notebooks": len(paths),
            "cells": cells,
            "bytes": size,
            "jobs": options.jobs,
            "seed": options.seed,
            "ratios": ratios,
            "repetitions": repetitions,
        },
    )
    return int(ratios["in-process"] > 1.0 or ratios["cli"] > 0.65)


if __name__ == "__main__":
    sys.exit(main())
