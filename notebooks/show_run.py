"""Show what a run of the example made: its steps, their outputs and the metrics.

Usage: ``nbcomponent run PIPELINE --format json | python notebooks/show_run.py FOLDER``. Paths in the record
that are relative are taken from FOLDER, where pipeline.yml lies.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path


def size_of(path: Path) -> str:
    """``3 files, 12 kB`` for a folder, ``12 kB`` for a file."""
    files = [path] if path.is_file() else [p for p in path.rglob("*") if p.is_file()]
    kilobytes = f"{sum(p.stat().st_size for p in files) / 1000:,.0f} kB"
    return kilobytes if path.is_file() else f"{len(files)} files, {kilobytes}"


def main(folder: Path) -> int:
    """Print the record on standard input; 1 when the run did not complete."""
    record = json.load(sys.stdin)
    for step in record["steps"]:
        print(
            f"{step['name']:<10} {step['state']:<9} {step['seconds'] or 0:5.1f} s  {step['reason'] or ''}".rstrip()
        )
        for name, path in step["outputs"].items():
            print(f"  {name}: {path} ({size_of(folder / path)})")
    for step in record["steps"]:
        for path in step["outputs"].values():
            metrics = folder / path / "metrics.json"
            if metrics.is_file():
                print(
                    f"\nmetrics of {step['name']}:\n{metrics.read_text(encoding='utf-8').rstrip()}"
                )
    print(f"\npipeline {record['state']}")
    return 0 if record["state"] == "completed" else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
