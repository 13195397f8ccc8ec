"""``nbcomponent contract show``: the interface in every form."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

Run = Callable[..., Any]

CONTRACT = """\
component: train
version: "1.2.0"
description: Trains the model.
inputs:
  prepared: {type: uri_folder, meaning: the | snapshot, files: [manifest.csv]}
outputs:
  model: {type: uri_folder, files: [weights.npz]}
metrics:
  accuracy: {goal: maximize}
invalid_when: ["a split id appears twice"]
environment_variables: {TOKENIZERS_PARALLELISM: "false"}
"""


@pytest.fixture
def notebook(here: Path) -> str:
    """A notebook with two components, one with a contract."""
    cells = [
        ("code", "parameters", "from pathlib import Path\nepochs: int = 5  # passes [1..100]\n"
         "prepared: Path = Path('prepared')\nmodel: Path = Path('model')\n"),
        ("raw", "contract", CONTRACT),
        ("code", "component:train", "model.mkdir()\nrows = (prepared / 'manifest.csv').read_text()\n"
         "(model / 'weights.npz').write_text(rows * epochs)"),
        ("code", "component:report", "print('done')"),
    ]  # fmt: skip
    document = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {},
        "cells": [
            {"cell_type": kind, "id": f"c{n}", "metadata": {"tags": [tag]}, "source": source}
            | ({"outputs": [], "execution_count": None} if kind == "code" else {})
            for n, (kind, tag, source) in enumerate(cells)
        ],
    }
    (here / "a.ipynb").write_text(json.dumps(document))
    return "a.ipynb"


def test_text(notebook: str, run: Run) -> None:
    done = run("contract", "show", notebook)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "train 1.2.0",
        "  Trains the model.",
        "  inputs",
        "    prepared  uri_folder  manifest.csv  the | snapshot",
        "  parameters",
        "    epochs  integer  = 5 [1..100]  passes",
        "  outputs",
        "    model  uri_folder  weights.npz",
        "  metrics",
        "    accuracy  global  maximize",
        "  invalid when",
        "    a split id appears twice",
        "  environment",
        "    TOKENIZERS_PARALLELISM  false",
        "",
        "report",
    ]


def test_one_component(notebook: str, run: Run) -> None:
    done = run("contract", "show", notebook, "--component", "report")
    assert (done.code, done.out) == (0, "report\n")


def test_unknown_component(notebook: str, run: Run) -> None:
    done = run("contract", "show", notebook, "--component", "trian")
    assert (done.code, done.out) == (2, "")
    assert "a.ipynb has no component 'trian'; it has train, report" in done.err


def test_json(notebook: str, run: Run) -> None:
    document = run("contract", "show", notebook, "--format", "json").json
    assert (document["schema"], document["path"]) == ("nbcomponent.contract/1", "a.ipynb")
    train, report = document["components"]
    assert report["component"] == "report"
    assert train["version"] == "1.2.0"
    assert train["parameters"] == {
        "epochs": {"type": "integer", "default": 5, "min": 1, "max": 100, "meaning": "passes"}
    }
    assert train["inputs"]["prepared"]["files"] == ["manifest.csv"]


def test_yaml_is_one_document_a_component(notebook: str, run: Run) -> None:
    done = run("contract", "show", notebook, "--format", "yaml")
    train, report = yaml.safe_load_all(done.out)
    assert train["component"] == "train"
    assert train["invalid_when"] == ["a split id appears twice"]
    assert report["component"] == "report"


def test_markdown(notebook: str, run: Run) -> None:
    done = run("contract", "show", notebook, "--format", "markdown", "--component", "train")
    assert done.out.startswith("# train 1.2.0\n\nTrains the model.\n\n## Inputs\n\n")
    assert "| name | type | value | meaning |\n| --- | --- | --- | --- |\n" in done.out
    assert "| prepared | uri_folder | manifest.csv | the \\| snapshot |\n" in done.out
    assert "- a split id appears twice\n" in done.out


def test_findings_about_the_contract_go_to_standard_error(
    here: Path, save: Callable[..., Path], run: Run
) -> None:
    save("a.ipynb", [("parameters", "epochs: int = 'x'"), ("component:a", "print(epochs)")])
    done = run("contract", "show", "a.ipynb")
    assert done.code == 1
    assert done.out.startswith("a\n")
    assert "NBC2" in done.err


def test_findings_of_the_analysis_do_not_matter_here(save: Callable[..., Path], run: Run) -> None:
    save("a.ipynb", [("component:a", "print(nowhere)")])
    done = run("contract", "show", "a.ipynb")
    assert (done.code, done.out, done.err) == (0, "a\n", "")


def test_values_that_cross_appear_with_auto(save: Callable[..., Path], run: Run) -> None:
    save(
        "a.ipynb",
        [("component:a", "import random\nx = [random.random()]"), ("component:b", "print(len(x))")],
    )
    assert run("contract", "show", "a.ipynb").out == "a\n\nb\n"
    out = run("contract", "show", "a.ipynb", "--boundary", "auto").out
    assert out.splitlines()[:3] == ["a", "  outputs", "    x  uri_file  json"]
    assert "    x  uri_file  from a.x; json" in out


def test_notebook_without_components(save: Callable[..., Path], run: Run) -> None:
    save("a.ipynb", [("", "x = 1")])
    done = run("contract", "show", "a.ipynb")
    assert (done.code, done.out) == (0, "a.ipynb: no cell is tagged component:NAME\n")


def test_unusable_notebook(here: Path, run: Run) -> None:
    (here / "a.ipynb").write_text("[]")
    done = run("contract", "show", "a.ipynb")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("nbcomponent: a.ipynb: NBC902 ")


def test_show_is_needed(run: Run) -> None:
    assert run("contract").code == 2


def test_folder_is_told_what_to_type(save: Callable[..., Path], run: Run, here: Path) -> None:
    save("work/b c.ipynb", [("component:a", "x = 1")])
    save("work/a.ipynb", [("component:a", "x = 1")])
    done = run("contract", "show", "work")
    assert done.code == 2
    assert done.err == (
        "nbcomponent: contract show: work is a folder; name one notebook:\n"
        "  nbcomponent contract show work/a.ipynb\n"
        "  nbcomponent contract show 'work/b c.ipynb'\n"
    )


def test_folder_without_notebooks(run: Run, here: Path) -> None:
    done = run("contract", "show", ".")
    assert (done.code, done.err) == (
        2,
        "nbcomponent: contract show: . is a folder without notebooks\n",
    )
