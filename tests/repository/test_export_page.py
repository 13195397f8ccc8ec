"""The example in docs/export.md runs and gives what the page says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from nbcomponent.schema.yaml_places import parse_yaml

PAGE = (Path(__file__).parents[2] / "docs" / "export.md").read_text(encoding="utf-8")


def blocks(heading: str, language: str) -> list[str]:
    """The code blocks of a language in the section under a heading."""
    section = re.search(rf"^## {heading}\n(.*?)(?=^## )", PAGE, re.MULTILINE | re.DOTALL)
    assert section is not None
    return re.findall(rf"^```{language}\n(.*?)^```$", section[1], re.MULTILINE | re.DOTALL)


def nbcomponent(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "nbcomponent", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_figure_is_kept_as_the_page_says(tmp_path: Path) -> None:
    (source,) = blocks("Figures", "python")
    (contract,) = blocks("Figures", "yaml")
    (tmp_path / "curve.py").write_text(source, encoding="utf-8")
    nbcomponent(tmp_path, "export", "curve.py", "-o", "out")
    exported = tmp_path / "out" / "curve"
    written: Any = parse_yaml((exported / "plot" / "contract.yml").read_text()).data
    said: Any = parse_yaml(contract).data
    assert written["outputs"] == said["outputs"]
    nbcomponent(tmp_path, "run", "out/curve/pipeline.yml")
    figure = exported / ".nbcomponent" / "runs" / "latest" / "plot" / "figure"
    assert figure.read_bytes().startswith(b"\x89PNG")


def test_a_path_with_a_format_is_checked_and_opened_by_the_cells(tmp_path: Path) -> None:
    (port,) = re.findall(r"`(labels: \{.*\})`", PAGE)
    (tmp_path / "t.csv").write_text("label\n0\n7\n")
    (tmp_path / "rates.py").write_text(
        '# %% tags=["parameters"]\n'
        "from pathlib import Path\n"
        "labels: Path = Path('t.csv')\n"
        '# %% [markdown] tags=["contract:rate"]\n'
        f"# ```yaml\n# inputs:\n#   {port}\n# ```\n"
        '# %% tags=["component:rate"]\n'
        "print(labels.read_text())\n"
    )
    nbcomponent(tmp_path, "export", "rates.py", "-o", "out")
    script = tmp_path / "out" / "rates" / "rate" / "run_rate.py"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(script), "--labels", str(tmp_path / "t.csv")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr == (
        "error: --labels: expected one of [0, 1] in column 'label', found 7 in row 2\n"
    )
