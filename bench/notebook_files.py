"""What the measuring tools share: finding notebooks, reading code cells, seeds, tables.

These tools read notebooks on their own, without nbcomponent's reader, so that a mistake there
cannot hide from the measurement.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class SourceNotebook:
    """Code cells of one notebook file: ``cells`` are (index among all cells, source)."""

    path: Path
    relative: str
    repository: str
    language: str
    cells: tuple[tuple[int, str], ...]
    nbformat: int
    expected_errors: frozenset[int] = frozenset()
    folder: Path = Path()

    @property
    def root(self) -> Path:
        """The folder of the notebook's repository."""
        return self.folder / self.repository

    @property
    def identity(self) -> str:
        """A hash of the code alone, so that two copies of one notebook count once."""
        digest = hashlib.sha256()
        for _, source in self.cells:
            digest.update(source.encode("utf-8", "surrogatepass") + b"\0")
        return digest.hexdigest()


def text_of(value: Any) -> str:
    """A multiline string of the notebook format: text, or a list of lines."""
    return "".join(value) if isinstance(value, list) else str(value)


def all_cells(data: dict[str, Any]) -> list[dict[str, Any]]:
    """All cells of a notebook of format 3 or 4, in order."""
    if "worksheets" in data:
        return [cell for sheet in data["worksheets"] for cell in sheet.get("cells", [])]
    return list(data.get("cells", []))


def source_of(cell: dict[str, Any]) -> str:
    """The source of a cell of format 3 (``input``) or 4 (``source``), with ``\\n`` line ends."""
    text = text_of(cell.get("source", cell.get("input", "")))
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_source(path: Path, folder: Path) -> SourceNotebook | None:
    """The code cells of the notebook at ``path``; None for what is no notebook."""
    try:
        data = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    if not isinstance(data, dict) or not ("cells" in data or "worksheets" in data):
        return None
    metadata = data.get("metadata", {})
    spec = metadata.get("kernelspec", {})
    language = (
        metadata.get("language_info", {}).get("name")
        or spec.get("language")
        or ("python" if "python" in str(spec.get("name", "python")) else str(spec.get("name")))
    )
    cells = tuple(
        (index, source_of(cell))
        for index, cell in enumerate(all_cells(data))
        if cell.get("cell_type") == "code"
    )
    relative = path.relative_to(folder)
    return SourceNotebook(
        path=path,
        relative=relative.as_posix(),
        repository=relative.parts[0] if len(relative.parts) > 1 else "",
        language=str(language).lower(),
        cells=cells,
        nbformat=int(data.get("nbformat", 4)),
        expected_errors=frozenset(
            index for index, cell in enumerate(all_cells(data)) if _expects_error(cell)
        ),
        folder=folder,
    )


def _expects_error(cell: dict[str, Any]) -> bool:
    """Whether the author's own run failed in this cell, or its tags say that it may."""
    outputs = cell.get("outputs") or []
    tags = (cell.get("metadata") or {}).get("tags") or []
    return "raises-exception" in tags or any(
        output.get("output_type") in ("error", "pyerr") for output in outputs
    )


def copy_to_run(notebook: SourceNotebook, room: Path, limit: int) -> Path:
    """Copy what the notebook needs below ``room`` and return the folder to run it in.

    The whole repository where it has less than ``limit`` bytes, else the notebook's folder. Files and
    modules that the notebook names, and that stand elsewhere in the repository, are put beside it:
    many books download them from their own repository.
    """
    root = notebook.root
    files = [f for f in root.rglob("*") if f.is_file()] if notebook.repository else []
    size = sum(f.stat().st_size for f in files)
    source = root if files and size < limit else notebook.path.parent
    target = room / "copy"
    shutil.copytree(source, target, ignore=shutil.ignore_patterns(".git", ".ipynb_checkpoints"))
    folder = target / notebook.path.parent.relative_to(source)
    text = "\n".join(source for _, source in notebook.cells)
    named = set(re.findall(r"[\w-]+(?:\.\w+)+", text))
    named |= {f"{name}.py" for name in re.findall(r"(?m)^\s*(?:from|import)\s+(\w+)", text)}
    for file in sorted(files):
        if file.name in named and not (folder / file.name).exists():
            shutil.copyfile(file, folder / file.name)
    return folder


def notebook_paths(folder: Path) -> list[Path]:
    """Notebook files below ``folder`` in a fixed order, without checkpoints."""
    return sorted(
        path
        for path in folder.rglob("*.ipynb")
        if ".ipynb_checkpoints" not in path.parts and path.is_file()
    )


def source_notebooks(folder: Path) -> list[SourceNotebook]:
    """Python notebooks with code below ``folder``, each code once (copies are left out)."""
    found: dict[str, SourceNotebook] = {}
    for path in notebook_paths(folder):
        notebook = read_source(path, folder)
        if notebook is None or not notebook.language.startswith("python"):
            continue
        if any(source.strip() for _, source in notebook.cells):
            found.setdefault(notebook.identity, notebook)
    return list(found.values())


def table(rows: Iterable[Sequence[object]], header: Sequence[str]) -> str:
    """Rows as aligned text."""
    lines = [list(header), *([str(value) for value in row] for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
    return "\n".join(
        "  ".join(value.ljust(width) for value, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def write_json(path: Path | None, value: object) -> None:
    """Write ``value`` as JSON where a path is given."""
    if path is not None:
        path.write_text(json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False) + "\n")


def note(text: str) -> None:
    """A line of progress, on standard error."""
    print(text, file=sys.stderr, flush=True)
