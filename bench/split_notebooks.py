"""Split complete notebooks into three components at random cuts, export, run, compare the output.

    python bench/split_notebooks.py FOLDER --traces traces.json -o split.json

Takes notebooks that run from top to bottom (``--traces``: those that trace_reads.py saw complete; without
it every notebook is tried), runs each twice in a fresh kernel, and keeps those whose text output is the
same both times. Their code cells are tagged as components p1, p2, p3, the parts of one random cut;
``nbcomponent export --boundary auto`` and ``nbcomponent run`` follow, and what the steps print is
compared with what the notebook prints and displays (text/plain), in order. Verdicts:

equal         the pipeline printed what the notebook printed
announced     export refused, with the diagnostics that say why
SILENT        export and run ended well and the output differs
FAILED RUN    export ended well and the run did not
TOOL ERROR    export or run ended with a fault of their own

Needs nbclient, ipykernel and what the notebooks import, in the interpreter that runs this.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from notebook_files import (
    SourceNotebook,
    all_cells,
    copy_to_run,
    note,
    source_notebooks,
    table,
    text_of,
    write_json,
)

PLACEHOLDER = re.compile(
    r"<Figure size .*>|<IPython\.(?:core|lib)\.display\.\w+ object>|interactive\(children="
    r"|\[?(?:<matplotlib[\w.]+>(?:, ?|\]?$))+$"
)
"""What a display of an image, of HTML, of a live control or of a handle of Matplotlib says as text: nothing
that a script must show."""

PARTS = ("p1", "p2", "p3")

KERNEL = """
import json, sys
import nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], as_version=4)
client = NotebookClient(notebook, timeout=float(sys.argv[2]), kernel_name="python3", resources={"metadata": {"path": sys.argv[3]}})
client.execute()
nbformat.write(notebook, sys.argv[4])
"""


def normal(text: str) -> list[str]:
    """Lines of output without what changes from run to run: addresses, timings, folders, images, white space."""
    text = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text)
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", text)
    text = re.sub(r"0x[0-9a-fA-F]+", "0x", text)
    text = re.sub(r"/tmp/[\w./-]+", "/tmp", text)
    text = re.sub(r"<(?:ipython-input|cell|stdin)[^>]*>", "<cell>", text)
    text = re.sub(
        r"(?m)^.*(?:CPU times:|Wall time:|per loop|^Compiler\s*:|Parser\s*:).*$", "", text
    )
    lines = (" ".join(raw.split()) for raw in text.split("\n"))
    return [line for line in lines if line and not PLACEHOLDER.match(line)]


def printed(notebook: dict[str, Any]) -> str:
    """What the cells printed to stdout and displayed as text, in order."""
    parts = []
    for cell in all_cells(notebook):
        for output in cell.get("outputs", []):
            kind = output.get("output_type")
            if kind == "stream" and output.get("name") == "stdout":
                parts.append(text_of(output["text"]))
            elif kind in ("display_data", "execute_result", "pyout"):
                data = output.get("data", {})
                text = text_of(data.get("text/plain", ""))
                if text:
                    parts.append(text + "\n")
    return "".join(parts)


def environment(room: Path) -> dict[str, str]:
    """The same for the kernel and for the exported steps."""
    kept = {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")}
    return {
        **kept,
        "MPLBACKEND": "Agg",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
        "NO_COLOR": "1",
        "COLUMNS": "80",
        "PYTHONWARNINGS": "ignore",
        "HOME": str(room),
        "IPYTHONDIR": str(room / ".ipython"),
        "JUPYTER_RUNTIME_DIR": str(room / ".runtime"),
        "PYTHONPATH": os.pathsep.join(
            [str(Path(__file__).parents[1] / "converter"), os.environ.get("PYTHONPATH", "")]
        ).rstrip(os.pathsep),
    }


def call(command: list[str], folder: Path, room: Path, limit: float) -> tuple[int, str, str]:
    """Run a command, its whole process group ended after ``limit`` seconds: exit (-9), stdout, stderr."""
    with subprocess.Popen(
        command,
        cwd=folder,
        env=environment(room),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            out, err = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            return -9, out, err
        return process.returncode, out, err


def run_notebook(notebook: SourceNotebook, options: argparse.Namespace) -> str | None:
    """What the notebook prints in a fresh kernel; None where it does not run to its end."""
    with tempfile.TemporaryDirectory(prefix="split-") as name:
        room = Path(name)
        folder = copy_to_run(notebook, room, options.copy_limit << 20)
        done = room / "done.ipynb"
        code, _, _ = call(
            [
                sys.executable,
                "-c",
                KERNEL,
                str(folder / notebook.path.name),
                str(options.cell_timeout),
                str(folder),
                str(done),
            ],
            folder,
            room,
            options.notebook_timeout,
        )
        return printed(json.loads(done.read_bytes())) if code == 0 else None


def cut(cells: list[int], generator: random.Random) -> dict[int, str]:
    """Which part each code cell belongs to: two different cuts, no part empty."""
    first, second = sorted(generator.sample(range(1, len(cells)), 2))
    return {
        cell: PARTS[(position >= first) + (position >= second)]
        for position, cell in enumerate(cells)
    }


def tag_parts(path: Path, parts: dict[int, str]) -> None:
    """Write the component tags into the notebook at ``path`` (and take its outputs out)."""
    data = json.loads(path.read_bytes())
    for index, cell in enumerate(all_cells(data)):
        metadata = cell.setdefault("metadata", {})
        metadata["tags"] = [f"component:{parts[index]}"] if index in parts else []
        if "outputs" in cell:
            cell["outputs"] = []
    path.write_text(json.dumps(data))


def split(
    notebook: SourceNotebook, expected: str, parts: dict[int, str], options: argparse.Namespace
) -> dict[str, Any]:
    """Export and run one split notebook, and judge."""
    with tempfile.TemporaryDirectory(prefix="split-") as name:
        room = Path(name)
        folder = copy_to_run(notebook, room, options.copy_limit << 20)
        path = folder / notebook.path.name
        tag_parts(path, parts)
        out = room / "out"
        base = [sys.executable, "-m", "nbcomponent"]
        code, text, err = call(
            [*base, "export", path.name, "-o", str(out), "--boundary", "auto", "--format", "json"],
            folder,
            room,
            options.notebook_timeout,
        )
        codes = found_errors(text)
        if code not in (0, 1) or (code == 1 and not codes and not list(out.rglob("pipeline.yml"))):
            return {"verdict": "TOOL ERROR", "detail": (err or text)[-3000:], "exit": code}
        pipelines = sorted(out.rglob("pipeline.yml"))
        if not pipelines:
            return {"verdict": "announced", "codes": codes}
        keep(options, notebook, out)
        code, text, err = call(
            [*base, "run", str(pipelines[0]), "--format", "json"],
            room,
            room,
            options.notebook_timeout,
        )
        try:
            report = json.loads(text)
        except ValueError:
            return {"verdict": "TOOL ERROR", "detail": (err or text)[-3000:], "exit": code}
        steps = {step["name"]: step for step in report.get("steps", [])}
        if code != 0:
            failed = [step for step in report["steps"] if step["state"] == "failed"]
            detail = "\n".join(
                f"{step['name']}: {step.get('reason', '')}\n{(step.get('stderr') or '')[-1500:]}"
                for step in failed
            )
            return {
                "verdict": "FAILED RUN",
                "detail": detail or (text + err)[-3000:],
                "warned": codes,
            }
        actual = "".join(
            _with_end(steps[part].get("stdout") or "") for part in PARTS if part in steps
        )
    want, got = normal(expected), normal(actual)
    if want == got or joined(want) == joined(got):
        return {"verdict": "equal", "lines": len(want), "warned": codes}
    difference = list(difflib.unified_diff(want, got, "notebook", "pipeline", lineterm="", n=1))
    return {"verdict": "SILENT", "detail": "\n".join(difference[:60]), "warned": codes}


def keep(options: argparse.Namespace, notebook: SourceNotebook, out: Path) -> None:
    """Copy what was exported to ``--keep``, to look at."""
    if options.keep:
        target = options.keep / notebook.relative.replace("/", "__").removesuffix(".ipynb")
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(out, target)


def joined(lines: list[str]) -> str:
    """All words in order: where lines break depends on which output came before."""
    return "".join("".join(lines).split())


def _with_end(text: str) -> str:
    return text if text.endswith("\n") or not text else text + "\n"


def found_errors(report: str) -> dict[str, int]:
    """How often each code of an error or warning stands in a JSON report of export."""
    try:
        data = json.loads(report)
    except ValueError:
        return {}
    found: Counter[str] = Counter()

    def look(value: Any) -> None:
        if isinstance(value, dict):
            if "code" in value and value.get("severity") in ("error", "warning"):
                found[str(value["code"])] += 1
            for part in value.values():
                look(part)
        elif isinstance(value, list):
            for part in value:
                look(part)

    look(data)
    return dict(sorted(found.items()))


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("folder", type=Path)
    made.add_argument(
        "-o", "--output", type=Path, help="write every verdict and the summary here, as JSON"
    )
    made.add_argument(
        "--traces", type=Path, help="take only notebooks that these traces saw complete"
    )
    made.add_argument("--notebooks", type=int, default=30, help="split so many")
    made.add_argument("--cuts", type=int, default=1, help="different cuts of each notebook")
    made.add_argument("--least-cells", type=int, default=5)
    made.add_argument("--seed", type=int, default=0, help="draws notebooks and cuts")
    made.add_argument(
        "--minutes", type=float, default=30, help="start no further notebook after so long"
    )
    made.add_argument("--cell-timeout", type=float, default=60, metavar="S")
    made.add_argument("--notebook-timeout", type=float, default=180, metavar="S")
    made.add_argument("--copy-limit", type=int, default=150, metavar="MB")
    made.add_argument(
        "--only", default="", metavar="TEXT", help="only notebooks whose path holds this"
    )
    made.add_argument(
        "--expected", type=Path, help="a file that keeps the notebooks' own output between calls"
    )
    made.add_argument("--keep", type=Path, help="copy the exported folders there")
    return made


def candidates(options: argparse.Namespace) -> list[SourceNotebook]:
    """Notebooks to try, in an order that takes repositories in turn."""
    found = [
        n
        for n in source_notebooks(options.folder)
        if options.only in n.relative and len(n.cells) >= options.least_cells
    ]
    if options.traces:
        traces = json.loads(options.traces.read_text())["notebooks"]
        good = {
            t["path"]: t
            for t in traces
            if t["status"] == "complete" and all(c["status"] == "ok" for c in t["cells"])
        }
        found = [n for n in found if n.relative in good]
    generator = random.Random(options.seed)
    generator.shuffle(found)
    turns: dict[str, int] = {}
    order = []
    for notebook in found:
        turns[notebook.repository] = turns.get(notebook.repository, 0) + 1
        order.append((turns[notebook.repository], notebook))
    return [notebook for _, notebook in sorted(order, key=lambda pair: pair[0])]


def expected_output(
    notebook: SourceNotebook, known: dict[str, str | None], options: argparse.Namespace
) -> str | None:
    """The notebook's output where two runs agree, else None; from ``known`` where it was found before."""
    key = notebook.identity
    if key not in known:
        first = run_notebook(notebook, options)
        second = run_notebook(notebook, options) if first is not None else None
        same = first is not None and second is not None and normal(first) == normal(second)
        known[key] = first if same else None
        write_json(options.expected, known)
    return known[key]


def summary(results: list[dict[str, Any]], taken: int, unstable: int) -> dict[str, Any]:
    """Counts of verdicts. ``taken`` notebooks were split, ``unstable`` ones left out."""
    counts = Counter(result["verdict"] for result in results)
    return {
        "notebooks": taken,
        "splits": len(results),
        "left out (fails or differs between two runs, or prints nothing)": unstable,
        **{
            verdict: counts[verdict]
            for verdict in ("equal", "announced", "SILENT", "FAILED RUN", "TOOL ERROR")
        },
        "equal %": round(100 * counts["equal"] / (len(results) or 1), 1),
    }


def main(argv: list[str] | None = None) -> int:
    """Split, run, compare; 1 for a silent difference, a failed run, or less than 90 % equal."""
    options = parser().parse_args(argv)
    known: dict[str, str | None] = {}
    if options.expected and options.expected.exists():
        known = json.loads(options.expected.read_text())
    end = time.monotonic() + options.minutes * 60
    results: list[dict[str, Any]] = []
    taken = unstable = 0
    for notebook in candidates(options):
        if taken >= options.notebooks or time.monotonic() > end:
            break
        expected = expected_output(notebook, known, options)
        if expected is None or not normal(expected):
            unstable += 1
            continue
        cells = [index for index, source in notebook.cells if source.strip()]
        if len(cells) < len(PARTS):
            continue
        taken += 1
        for number in range(options.cuts):
            generator = random.Random(f"{options.seed} {number} {notebook.identity}")
            parts = cut(cells, generator)
            result = {
                "notebook": notebook.relative,
                "cut": [min(c for c in parts if parts[c] == p) for p in PARTS],
                **split(notebook, expected, parts, options),
            }
            results.append(result)
            write_json(
                options.output,
                {
                    "seed": options.seed,
                    "summary": summary(results, taken, unstable),
                    "splits": results,
                },
            )
            note(
                f"{len(results):3} {result['verdict']:10} {notebook.relative} {result.get('codes', '')}"
            )
    totals = summary(results, taken, unstable)
    write_json(options.output, {"seed": options.seed, "summary": totals, "splits": results})
    print(table(totals.items(), ("measure", "value")))
    for result in results:
        if result["verdict"] == "announced":
            print(f"announced {result['notebook']} {result['cut']}: {result['codes']}")
    for result in results:
        if result["verdict"] not in ("equal", "announced"):
            print(f"\n{result['verdict']} {result['notebook']} {result['cut']}\n{result['detail']}")
    bad = sum(totals[verdict] for verdict in ("SILENT", "FAILED RUN", "TOOL ERROR"))
    return int(not results or bad > 0 or totals["equal %"] < 90)


if __name__ == "__main__":
    sys.exit(main())
