"""The example notebook: runs as a notebook, is honest about its score, and exports to the same metrics."""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "defect_classifier.ipynb"
SEEDS = (7, 1, 2)


def run_as_notebook(folder: Path, seed: int) -> Path:
    """Run the notebook in a real kernel in ``folder``; where its data lie then."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    (parameters,) = [c for c in notebook.cells if "parameters" in c.metadata.get("tags", [])]
    parameters.source, replaced = re.subn(
        r"^seed: int = \d+", f"seed: int = {seed}", parameters.source, flags=re.MULTILINE
    )
    assert replaced == 1
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(folder)}}).execute()
    return folder / "defects"


@pytest.fixture(scope="module", params=SEEDS, ids=lambda seed: f"seed {seed}")
def seed(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture(scope="module")
def data(seed: int, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_as_notebook(tmp_path_factory.mktemp(f"seed-{seed}"), seed)


@pytest.fixture(scope="module")
def metrics(data: Path) -> dict[str, object]:
    return dict(json.loads((data / "report" / "metrics.json").read_text()))


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def nbcomponent(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "nbcomponent", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=180,
        cwd=cwd,
    )


def export(folder: Path) -> Path:
    """Export a copy of the notebook (a lock file is written beside it); the exported folder."""
    shutil.copy(NOTEBOOK, folder)
    done = nbcomponent("export", NOTEBOOK.name, "-o", "out", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "out" / NOTEBOOK.stem


def test_balanced_accuracy_is_good_and_not_perfect(metrics: dict[str, float]) -> None:
    assert 0.8 <= metrics["balanced_accuracy"] < 1.0


def test_no_tile_and_no_plate_is_in_two_splits(data: Path) -> None:
    manifest = rows(data / "prepared" / "manifest.csv")
    assert len({row["tile"] for row in manifest}) == len(manifest) == 24 * 20
    assert len({row["sha256"] for row in manifest}) == len(manifest)
    assert len({(row["plate"], row["split"]) for row in manifest}) == 24


def test_training_has_not_seen_the_plates_of_the_evaluation(
    data: Path, metrics: dict[str, list[int]]
) -> None:
    seen = json.loads((data / "model" / "metadata.json").read_text())["plates"]
    assert set(seen) & set(metrics["plates"]) == set()


def test_metrics_follow_from_the_predictions(data: Path, metrics: dict[str, float]) -> None:
    predictions = rows(data / "predictions.csv")
    recalls = []
    for label in ("clean", "scratch", "pit", "inclusion"):
        answers = [row["predicted"] for row in predictions if row["actual"] == label]
        recalls.append(answers.count(label) / len(answers))
    assert metrics["balanced_accuracy"] == pytest.approx(sum(recalls) / 4)
    assert metrics["tiles"] == len(predictions) == 7 * 20


def test_the_confusion_matrix_counts_every_held_out_tile(data: Path) -> None:
    matrix = rows(data / "report" / "confusion.csv")
    assert [row["actual"] for row in matrix] == ["clean", "scratch", "pit", "inclusion"]
    counted = sum(
        int(row[label]) for row in matrix for label in ("clean", "scratch", "pit", "inclusion")
    )
    assert counted == 7 * 20


def test_running_again_in_the_same_folder_gives_the_same_files(tmp_path: Path) -> None:
    def content() -> dict[str, bytes]:
        folder = run_as_notebook(tmp_path, seed=3)
        return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*.*")}

    first = content()
    assert {"report/metrics.json", "model/weights.npz", "prepared/manifest.csv"} <= first.keys()
    assert content() == first


def test_check_finds_nothing(tmp_path: Path) -> None:
    done = nbcomponent("check", NOTEBOOK, "--format", "json", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    (file,) = json.loads(done.stdout)["files"]
    assert file["diagnostics"] == []
    assert [component["name"] for component in file["components"]] == [
        "prepare",
        "train",
        "evaluate",
    ]


def test_the_exported_pipeline_computes_what_the_notebook_computed(
    data: Path, seed: int, tmp_path: Path
) -> None:
    pipeline = export(tmp_path) / "pipeline.yml"
    done = nbcomponent("run", pipeline, "--set", f"seed={seed}", "--format", "json", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert report["state"] == "completed"
    steps = {step["name"]: step for step in report["steps"]}
    assert set(steps) == {"prepare", "train", "evaluate"}
    made = {
        name: pipeline.parent / path
        for step in steps.values()
        for name, path in step["outputs"].items()
    }
    for name in ("metrics.json", "confusion.csv"):
        assert (made["report"] / name).read_bytes() == (data / "report" / name).read_bytes()
    assert made["predictions"].read_bytes() == (data / "predictions.csv").read_bytes()
    manifest = made["prepared"] / "manifest.csv"
    assert manifest.read_bytes() == (data / "prepared" / "manifest.csv").read_bytes()


def test_the_exported_scripts_do_not_need_nbcomponent(tmp_path: Path) -> None:
    scripts = sorted(export(tmp_path).rglob("run_*.py"))
    assert [path.name for path in scripts] == ["run_evaluate.py", "run_prepare.py", "run_train.py"]
    assert [path.name for path in scripts if "nbcomponent" in path.read_text()] == []
