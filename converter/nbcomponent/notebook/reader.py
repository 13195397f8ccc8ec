"""Reads notebook files: .ipynb of nbformat 3 and 4 by itself, older ones and py:percent with help.

Neither nbformat nor IPython is imported on the usual path (each costs many times the start of Python).
Whatever the file holds, the result is a notebook or one clear finding:

- NBC901: the file cannot be read
- NBC902: it is not a notebook
- NBC905: a cell of it cannot be read (the other cells can)
- NBC906: a text notebook, and jupytext is not installed
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any, cast

from nbcomponent.core.diagnostics import Diagnostic, Fix, Place
from nbcomponent.core.errors import unusable
from nbcomponent.core.files import read_pieces, read_regular
from nbcomponent.notebook.model import Cell, CellKind, Notebook
from nbcomponent.notebook.slim import without_outputs

SLIM_FROM = 4_000_000
"""Bytes from which on outputs are cut out before parsing: smaller files are parsed faster whole."""

LARGEST_NOTEBOOK = 1024 * 1024 * 1024
"""Bytes. What is larger could take all memory from everything else that runs."""

_UTF8_BOM = b"\xef\xbb\xbf"
_PERCENT = re.compile(rb"^[ \t]*#[ \t]*%%", re.MULTILINE)
_TEXT_SUFFIXES = (".py",)
_STANDARD_INPUT = ("-", "<stdin>")

_KERNEL_LANGUAGES = {"ir": "r", "bash": "bash", "scala": "scala", "javascript": "javascript"}
_PYTHONS = ("python", "ipython", "pyspark")


def read_notebook(path: str) -> Notebook:
    """The notebook in file ``path`` (``-``: standard input).

    Raises UnusableInput with NBC901, NBC902 or NBC906. Never waits for a pipe or a device.
    """
    if path == "-":
        return parse_notebook(read_standard_input(path), path)
    try:
        data = read_regular(path, LARGEST_NOTEBOOK)
    except OSError as error:
        raise unusable(path, "NBC901", f"The file cannot be read: {_reason(error)}.") from None
    return parse_notebook(data, path)


def read_standard_input(path: str = "-") -> bytes:
    """All of standard input; ``path`` names it in findings. Raises UnusableInput with NBC901."""
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None:
        raise unusable(path, "NBC901", "There is no standard input to read.")
    try:
        return read_pieces(stream.read, LARGEST_NOTEBOOK)
    except OSError as error:
        raise unusable(
            path, "NBC901", f"Standard input cannot be read: {_reason(error)}."
        ) from None


def parse_notebook(data: bytes, path: str) -> Notebook:
    """The notebook in ``data``; ``path`` names it in findings, and its suffix tells the format.

    Bytes of standard input are JSON where they begin with ``{``, else a py:percent script.
    Raises UnusableInput with NBC902 or NBC906.
    """
    start = data[:1000].removeprefix(_UTF8_BOM).lstrip()
    if not start and not data.strip():
        raise unusable(path, "NBC902", "The file is empty, so it is not a notebook.")
    is_json = b"{" in start[:8]  # UTF-16 and UTF-32 may have a mark and zeros before it
    if path.endswith(_TEXT_SUFFIXES) or (path in _STANDARD_INPUT and not is_json):
        return _notebook(_percent(data, path), path)
    if not is_json and not path.endswith(".ipynb"):
        raise unusable(
            path,
            "NBC902",
            "This is not a notebook: notebooks are .ipynb files, and .py files with `# %%` cells.",
        )
    if len(data) >= SLIM_FROM and (content := _load_large(data)) is not None:
        return _notebook(content, path)
    return _notebook(_loads(data, path), path)


def _reason(error: OSError) -> str:
    if error.strerror:
        return error.strerror[0].lower() + error.strerror[1:]
    return str(error)


# --- JSON ----------------------------------------------------------------------------------------


def _load_large(data: bytes) -> object | None:
    """The JSON in ``data`` without outputs; None where the usual way must say what is wrong."""
    if data[:4].find(0) >= 0 or data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return None  # UTF-16 or UTF-32
    slim = without_outputs(data)
    if slim is None:
        return None
    try:
        return cast(object, json.loads(slim.removeprefix(_UTF8_BOM)))
    except (ValueError, RecursionError):
        return None


def _loads(data: bytes, path: str) -> object:
    try:
        try:
            return cast(object, json.loads(data.removeprefix(_UTF8_BOM)))
        except json.JSONDecodeError:
            raise
        except UnicodeDecodeError:
            raise
        except ValueError:
            # An integer with more digits than Python converts; none that matters here has so many.
            return cast(object, json.loads(data.removeprefix(_UTF8_BOM), parse_int=_int))
    except json.JSONDecodeError as error:
        place = Place(None, error.lineno, error.colno, error.lineno, error.colno + 1)
        raise unusable(
            path, "NBC902", f"The file is not JSON, so it is not a notebook: {error.msg}.", place
        ) from None
    except UnicodeDecodeError as error:
        raise unusable(
            path,
            "NBC902",
            f"The file is not UTF-8 text, so it is not a notebook: {error.reason} at byte {error.start}.",
        ) from None
    except RecursionError:
        raise unusable(
            path, "NBC902", "The file is JSON nested too deeply to be a notebook."
        ) from None


def _int(digits: str) -> int | float:
    return int(digits) if len(digits) < 1000 else float(digits)


def _percent(data: bytes, path: str) -> object:
    """A py:percent script as the content of a notebook, through jupytext."""
    if not _PERCENT.search(data):
        raise unusable(
            path,
            "NBC902",
            "The script has no `# %%` cells, so it is not a notebook. "
            "Mark its cells with `# %%` lines (the py:percent format).",
        )
    try:
        import jupytext  # type: ignore[import-untyped]
    except ImportError:
        raise unusable(
            path,
            "NBC906",
            "Reading a script as a notebook needs jupytext: pip install jupytext.",
        ) from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise unusable(
            path,
            "NBC902",
            f"The script is not UTF-8 text: {error.reason} at byte {error.start}.",
        ) from None
    try:
        return cast(object, jupytext.reads(text.replace("\r\n", "\n"), fmt="py:percent"))
    except (ValueError, KeyError, TypeError, AttributeError, SyntaxError, RecursionError) as error:
        raise unusable(
            path, "NBC902", f"jupytext cannot read the script as py:percent: {error}."
        ) from None


# --- notebook ------------------------------------------------------------------------------------


def _notebook(content: object, path: str) -> Notebook:
    if not isinstance(content, dict):
        raise unusable(
            path, "NBC902", f"The file is JSON, but not a notebook: it holds {_kind(content)}."
        )
    version = _version(content)
    if version < 3 and "cells" not in content:
        content = _upgraded(content, version, path)
    raw_cells = _raw_cells(content, path)
    metadata = _mapping(content.get("metadata"))
    problems: list[Diagnostic] = []
    cells = tuple(_cell(index, raw, problems) for index, raw in enumerate(raw_cells))
    kernel = _mapping(metadata.get("kernelspec")).get("name")
    return Notebook(
        path=path,
        cells=cells,
        language=_language(metadata, raw_cells),
        kernel=kernel if isinstance(kernel, str) else None,
        nbformat=version,
        problems=tuple(problems),
    )


def _version(content: Mapping[str, Any]) -> int:
    version = content.get("nbformat")
    if isinstance(version, float | str):
        try:
            version = int(version)
        except (ValueError, OverflowError):
            version = None
    if isinstance(version, int) and not isinstance(version, bool):
        return version
    return 3 if "worksheets" in content else 4


def _upgraded(content: Mapping[str, Any], version: int, path: str) -> Mapping[str, Any]:
    """A notebook of nbformat 1 or 2 as one of nbformat 4, by nbformat itself."""
    try:
        import nbformat
    except ImportError:
        raise unusable(
            path,
            "NBC902",
            f"Reading a notebook of nbformat {version} needs nbformat: pip install nbformat.",
        ) from None
    try:
        node = nbformat.reads(json.dumps(content), as_version=4)  # type: ignore[no-untyped-call]
    except (
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        RecursionError,
        nbformat.ValidationError,
    ) as error:
        reason = (str(error).splitlines() or [""])[0][:200].rstrip(".")
        raise unusable(
            path, "NBC902", f"This is not a notebook of nbformat {version}: {reason}."
        ) from None
    return cast(Mapping[str, Any], node)


def _raw_cells(content: Mapping[str, Any], path: str) -> Sequence[object]:
    cells = content.get("cells")
    if isinstance(cells, list):
        return cells
    worksheets = content.get("worksheets")
    if isinstance(worksheets, list):
        found: list[object] = []
        for worksheet in worksheets:
            inner = _mapping(worksheet).get("cells")
            if inner is not None and not isinstance(inner, list):
                raise unusable(
                    path, "NBC902", f"A worksheet's `cells` is {_kind(inner)}, not a list."
                )
            found += inner or []
        return found
    what = "has no list of cells" if cells is None else f"has {_kind(cells)} as `cells`"
    raise unusable(path, "NBC902", f"The file is JSON, but not a notebook: it {what}.")


def _cell(index: int, raw: object, problems: list[Diagnostic]) -> Cell:
    if not isinstance(raw, dict):
        problems.append(_unreadable(index, f"it is {_kind(raw)}, not an object"))
        return Cell(index, "raw", "")
    kind = raw.get("cell_type")
    source = raw.get("source", raw.get("input", "") if kind == "code" else "")
    text = _text(source)
    if text is None:
        problems.append(_unreadable(index, f"its source is {_kind(source)}, not text"))
        return Cell(index, "raw", "")
    if kind == "heading":
        level = raw.get("level")
        kind, text = (
            "markdown",
            "#" * (level if isinstance(level, int) and 0 < level < 7 else 1) + f" {text}",
        )
    elif kind == "html":
        kind = "markdown"
    if kind not in ("code", "markdown", "raw"):
        problems.append(_unreadable(index, f"its cell_type is {kind!r}"[:100]))
        return Cell(index, "raw", "")
    metadata = raw.get("metadata")
    tags = (
        _tags(index, metadata, problems)
        if isinstance(metadata, dict) and "tags" in metadata
        else ()
    )
    count = raw.get("execution_count", raw.get("prompt_number"))
    identity = raw.get("id")
    return Cell(
        index,
        cast(CellKind, kind),
        text,
        tags,
        count if isinstance(count, int) and not isinstance(count, bool) else None,
        identity if isinstance(identity, str) else None,
    )


def _text(source: object) -> str | None:
    if isinstance(source, list):
        try:
            source = "".join(source)
        except TypeError:
            return None
    if not isinstance(source, str):
        return None
    if "\r" in source:
        return source.replace("\r\n", "\n").replace("\r", "\n")
    return source


def _tags(index: int, metadata: Mapping[str, Any], problems: list[Diagnostic]) -> tuple[str, ...]:
    tags = metadata.get("tags")
    if tags is None:
        return ()
    if isinstance(tags, list) and all(isinstance(tag, str) for tag in tags):
        return tuple(tags)
    problems.append(
        Diagnostic(
            "NBC209",
            "warning",
            "The cell's `tags` is not a list of texts; what is no text in it is ignored.",
            Place(index, 1, 1, 1, 1),
            fix=Fix("set the cell's tags again in the notebook editor", "edit"),
        )
    )
    return tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else ()


def _unreadable(index: int, why: str) -> Diagnostic:
    return Diagnostic(
        "NBC905",
        "error",
        f"This cell cannot be read: {why}. The other cells are read without it.",
        Place(index, 1, 1, 1, 1),
        fix=Fix("delete the cell, or restore it from an earlier version of the file", "edit"),
    )


def _language(metadata: Mapping[str, Any], raw_cells: Sequence[object]) -> str:
    """The language of the code cells, ``python`` where the file says nothing."""
    kernelspec = _mapping(metadata.get("kernelspec"))
    named = (
        kernelspec.get("language"),
        _mapping(metadata.get("language_info")).get("name"),
        _kernel_language(kernelspec.get("name")),
        # nbformat 3 names the language on each code cell.
        next(
            (
                raw.get("language")
                for raw in raw_cells
                if isinstance(raw, dict) and "language" in raw
            ),
            None,
        ),
    )
    for name in named:
        if isinstance(name, str) and name.strip():
            language = name.strip().lower()
            return "python" if language.startswith(_PYTHONS) else language
    return "python"


def _kernel_language(kernel: object) -> str | None:
    if not isinstance(kernel, str):
        return None
    return "julia" if kernel.startswith("julia") else _KERNEL_LANGUAGES.get(kernel)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _kind(value: object) -> str:
    """What a JSON value is, in words."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, str):
        return "a text"
    if isinstance(value, int | float):
        return "a number"
    return "a list" if isinstance(value, list) else "an object"
