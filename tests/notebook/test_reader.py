"""Reading notebook files: what people have on disk, and what nobody should have."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nbcomponent.core.errors import UnusableInput
from nbcomponent.notebook import reader
from nbcomponent.notebook.reader import parse_notebook, read_notebook
from nbcomponent.notebook.slim import without_outputs


def _file(**changes: object) -> bytes:
    content: dict[str, object] = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}
    return json.dumps(content | changes).encode()


def _code(source: object, **more: object) -> dict[str, object]:
    return {"cell_type": "code", "metadata": {}, "source": source, "outputs": []} | more


def _refused(data: bytes, path: str = "a.ipynb") -> str:
    with pytest.raises(UnusableInput) as caught:
        parse_notebook(data, path)
    return caught.value.diagnostic.code


def _refused_file(path: Path) -> str:
    with pytest.raises(UnusableInput) as caught:
        read_notebook(str(path))
    return f"{caught.value.diagnostic.code} {caught.value.diagnostic.message}"


# --- formats -------------------------------------------------------------------------------------


def test_source_is_text_or_a_list_of_texts() -> None:
    notebook = parse_notebook(_file(cells=[_code("a\nb"), _code(["a\n", "b"])]), "a.ipynb")
    assert [cell.source for cell in notebook.cells] == ["a\nb", "a\nb"]


def test_cell_keeps_tags_count_and_id() -> None:
    cell = _code("x", id="c1", execution_count=7, metadata={"tags": ["component:a", "other"]})
    read = parse_notebook(_file(cells=[cell]), "a.ipynb").cells[0]
    assert (read.tags, read.execution_count, read.id) == (("component:a", "other"), 7, "c1")


def test_nbformat_3_has_worksheets_inputs_and_headings() -> None:
    data = {
        "nbformat": 3,
        "metadata": {"name": ""},
        "worksheets": [
            {
                "cells": [
                    {"cell_type": "heading", "level": 2, "source": ["Title"], "metadata": {}},
                    {
                        "cell_type": "code",
                        "input": ["x = 1"],
                        "prompt_number": 3,
                        "language": "python",
                    },
                ]
            }
        ],
    }
    notebook = parse_notebook(json.dumps(data).encode(), "a.ipynb")
    heading, code = notebook.cells
    assert (heading.kind, heading.source) == ("markdown", "## Title")
    assert (code.kind, code.source, code.execution_count) == ("code", "x = 1", 3)
    assert (notebook.nbformat, notebook.language) == (3, "python")


def test_nbformat_2_is_upgraded_by_nbformat() -> None:
    data = {
        "nbformat": 2,
        "nbformat_minor": 0,
        "metadata": {"name": "old"},
        "worksheets": [
            {
                "cells": [
                    {"cell_type": "code", "input": "x = 1", "language": "python", "outputs": []}
                ]
            }
        ],
    }
    assert parse_notebook(json.dumps(data).encode(), "a.ipynb").cells[0].source == "x = 1"


@pytest.mark.parametrize(
    ("metadata", "language"),
    [
        ({}, "python"),
        ({"kernelspec": {"name": "python3", "language": "python"}}, "python"),
        ({"language_info": {"name": "ipython"}}, "python"),
        ({"kernelspec": {"name": "ir"}}, "r"),
        ({"language_info": {"name": "R"}}, "r"),
        ({"kernelspec": {"name": "julia-1.10"}}, "julia"),
        ({"kernelspec": {"name": "x", "language": "Scala"}}, "scala"),
        ({"kernelspec": 3, "language_info": ["python"]}, "python"),
    ],
)
def test_language_of_the_kernel(metadata: object, language: str) -> None:
    assert parse_notebook(_file(metadata=metadata), "a.ipynb").language == language


def test_py_percent_script_with_tags(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(
        '# %% tags=["component:train"]\nx = 1\n# %matplotlib inline\n\n# %% [markdown]\n# Text\n',
        "utf-8",
    )
    notebook = read_notebook(str(path))
    assert [(c.kind, c.tags) for c in notebook.cells] == [
        ("code", ("component:train",)),
        ("markdown", ()),
    ]
    assert notebook.cells[0].source == "x = 1\n%matplotlib inline"


def test_standard_input_is_told_apart_by_its_first_character() -> None:
    assert parse_notebook(_file(cells=[_code("x")]), "-").cells[0].source == "x"
    assert parse_notebook(b"# %%\ny = 2\n", "-").cells[0].source == "y = 2"


def test_standard_input_by_the_name_that_reports_give_it() -> None:
    assert parse_notebook(b"# %%\ny = 2\n", "<stdin>").cells[0].source == "y = 2"


@pytest.mark.parametrize("name", ["data.csv", "README.md", "notes", "image.png"])
def test_a_file_of_another_kind_is_told_what_notebooks_are(name: str) -> None:
    with pytest.raises(UnusableInput) as caught:
        parse_notebook(b"a,b\n1,2\n", name)
    assert caught.value.diagnostic.code == "NBC902"
    assert caught.value.diagnostic.message == (
        "This is not a notebook: notebooks are .ipynb files, and .py files with `# %%` cells."
    )


def test_a_notebook_by_another_name_is_read() -> None:
    assert parse_notebook(_file(cells=[_code("x")]), "notebook.json").cells[0].source == "x"


def test_script_without_cell_marks_is_no_notebook() -> None:
    assert _refused(b"x = 1\n", "a.py") == "NBC902"


def test_missing_jupytext_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jupytext", None)
    with pytest.raises(UnusableInput) as caught:
        parse_notebook(b"# %%\nx = 1\n", "a.py")
    assert caught.value.diagnostic.code == "NBC906"
    assert caught.value.diagnostic.message.endswith("needs jupytext: pip install jupytext.")


def test_reading_imports_neither_nbformat_nor_ipython(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_bytes(_file(cells=[_code("%time x = 1\n!ls")]))
    program = (
        "import sys; from nbcomponent.notebook.reader import read_notebook;"
        "from nbcomponent.notebook.tagging import tag; tag(read_notebook(sys.argv[1]));"
        "print([m for m in ('nbformat','IPython','jupytext','importlib.metadata') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


# --- encodings -----------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_encodings_that_json_knows(encoding: str) -> None:
    data = _file(cells=[_code("é = 1")]).decode().encode(encoding)
    assert parse_notebook(data, "a.ipynb").cells[0].source == "é = 1"


def test_line_ends_become_newlines() -> None:
    assert parse_notebook(_file(cells=[_code("a\r\nb\rc")]), "a.ipynb").cells[0].source == "a\nb\nc"


def test_lone_surrogate_stays_in_the_source() -> None:
    data = b'{"nbformat": 4, "cells": [{"cell_type": "code", "source": "x = \'\\ud800\'"}]}'
    assert parse_notebook(data, "a.ipynb").cells[0].source == "x = '\ud800'"


def test_bytes_that_are_no_utf8() -> None:
    assert _refused(b'{"cells": ["\xff\xfe"]}') == "NBC902"


# --- odd and hostile content ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"  \n ",
        b"\xef\xbb\xbf",
        b"not json",
        b"{",
        b'{"cells": [}',
        b"[]",
        b"3",
        b"null",
        b'"text"',
        b"{}",
        b'{"cells": 3}',
        b'{"cells": {"a": 1}}',
        b'{"cells": null}',
        b'{"worksheets": [{"cells": 3}]}',
        b"<<<<<<< HEAD\n{}",
        b'{"cells": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    ],
)
def test_what_is_no_notebook_is_refused(data: bytes) -> None:
    assert _refused(data) == "NBC902"


def test_syntax_error_of_json_has_its_place() -> None:
    with pytest.raises(UnusableInput) as caught:
        parse_notebook(b'{"cells": [\n  oops\n]}', "a.ipynb")
    assert (caught.value.diagnostic.place.line, caught.value.diagnostic.place.column) == (2, 3)


@pytest.mark.parametrize(
    "number",
    [b"NaN", b"Infinity", b"9" * 5000, b"-" + b"9" * 5000, b"1e999", b'"4"', b"true", b"null"],
)
def test_odd_numbers_stop_nothing(number: bytes) -> None:
    data = (
        b'{"nbformat": '
        + number
        + b', "x": '
        + number
        + b', "cells": [{"cell_type": "code", "source": "x"}]}'
    )
    assert parse_notebook(data, "a.ipynb").cells[0].source == "x"


def test_duplicated_keys_take_the_last() -> None:
    data = b'{"cells": [], "cells": [{"cell_type": "raw", "source": "b"}]}'
    assert [cell.source for cell in parse_notebook(data, "a.ipynb").cells] == ["b"]


@pytest.mark.parametrize(
    "cell",
    [
        3,
        None,
        "text",
        [],
        {"cell_type": "code", "source": 5},
        {"cell_type": "code", "source": ["a", 1]},
        {"cell_type": "code", "source": {"a": 1}},
        {"cell_type": "strange", "source": "x"},
        {"cell_type": ["code"], "source": "x"},
        {"source": "x"},
    ],
)
def test_unreadable_cell_costs_only_itself(cell: object) -> None:
    notebook = parse_notebook(_file(cells=[_code("a"), cell, _code("b")]), "a.ipynb")
    assert [found.code for found in notebook.problems] == ["NBC905"]
    assert notebook.problems[0].place.cell == 1
    assert [c.source for c in notebook.cells] == ["a", "", "b"]


@pytest.mark.parametrize("metadata", [None, 3, [], "x", {"tags": None}])
def test_odd_metadata_is_no_tag(metadata: object) -> None:
    notebook = parse_notebook(
        _file(cells=[_code("a", metadata=metadata)], metadata=metadata), "a.ipynb"
    )
    assert (notebook.cells[0].tags, notebook.problems) == ((), ())


@pytest.mark.parametrize(
    ("tags", "kept"), [("component:a", ()), ([1, "x", None], ("x",)), ({"a": 1}, ())]
)
def test_tags_that_are_no_list_of_texts_are_told(tags: object, kept: tuple[str, ...]) -> None:
    notebook = parse_notebook(_file(cells=[_code("a", metadata={"tags": tags})]), "a.ipynb")
    assert notebook.cells[0].tags == kept
    assert [found.code for found in notebook.problems] == ["NBC209"]


# --- files ---------------------------------------------------------------------------------------


def test_missing_file(tmp_path: Path) -> None:
    assert _refused_file(tmp_path / "no.ipynb").startswith(
        "NBC901 The file cannot be read: no such file"
    )


def test_folder(tmp_path: Path) -> None:
    assert _refused_file(tmp_path) == "NBC901 The file cannot be read: it is a folder, not a file."


def test_loop_of_links(tmp_path: Path) -> None:
    link = tmp_path / "a.ipynb"
    link.symlink_to(link)
    assert _refused_file(link).startswith("NBC901")


def test_pipe_is_refused_at_once(tmp_path: Path) -> None:
    pipe = tmp_path / "a.ipynb"
    os.mkfifo(pipe)
    start = time.monotonic()
    assert _refused_file(pipe) == "NBC901 The file cannot be read: it is a pipe, not a file."
    assert time.monotonic() - start < 1


def test_device_is_refused() -> None:
    assert (
        _refused_file(Path("/dev/zero"))
        == "NBC901 The file cannot be read: it is a device, not a file."
    )


def test_path_with_a_null_byte() -> None:
    assert _refused_file(Path("a\0.ipynb")).startswith("NBC901")


def test_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.touch()
    assert _refused_file(path).startswith("NBC902 The file is empty")


def test_unreadable_file(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_bytes(_file())
    path.chmod(0)
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)  # root reads everything
    try:
        message = _refused_file(path)
    finally:
        os.seteuid(user)
    assert message == "NBC901 The file cannot be read: permission denied."


# --- large files ---------------------------------------------------------------------------------

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.sampled_from(['"', "\\", '\\"[', "]}"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.text(max_size=5) | st.sampled_from(["outputs", "attachments", "widgets"]), inner, max_size=3),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(outputs=st.lists(_JSON, max_size=3), metadata=st.dictionaries(st.text(max_size=8), _JSON, max_size=3),
       indent=st.sampled_from([None, 1]), ascii_only=st.booleans())  # fmt: skip
def test_cutting_outputs_leaves_all_that_is_read(
    outputs: list[object], metadata: dict[str, object], indent: int | None, ascii_only: bool
) -> None:
    cells = [
        _code('say "outputs": [', outputs=outputs, metadata=metadata),
        _code("b", attachments={"a": outputs}),
    ]
    content = {
        "cells": cells,
        "metadata": {**metadata, "widgets": {"state": outputs}},
        "nbformat": 4,
    }
    data = json.dumps(content, indent=indent, ensure_ascii=ascii_only).encode()
    slim = without_outputs(data)
    assert slim is not None
    assert parse_notebook(slim, "a.ipynb") == parse_notebook(data, "a.ipynb")
    first, second = json.loads(slim)["cells"]
    assert (first["outputs"], second["attachments"]) == ([], {})


@pytest.mark.parametrize("broken", [b'["a"', b"[{]}", b'["a]', b"[}", b'{"a": ["b"}', b'["\\"]'])
def test_brackets_are_checked_in_what_is_cut(broken: bytes) -> None:
    assert without_outputs(b'{"cells": [{"outputs": ' + broken + b"}]}") is None


def test_broken_output_of_a_large_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "SLIM_FROM", 10)
    assert _refused(b'{"cells": [{"cell_type": "code", "source": "", "outputs": [{]}]}') == "NBC902"


def test_large_and_small_files_are_read_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    data = _file(cells=[_code(["é\n", "%time x"], outputs=[{"data": '\\"]' * 500}]), _code("b")])
    small = parse_notebook(data, "a.ipynb")
    monkeypatch.setattr(reader, "SLIM_FROM", 10)
    assert parse_notebook(data, "a.ipynb") == small


def test_memory_for_large_outputs_stays_near_the_size_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "big.ipynb"
    picture = {"output_type": "display_data", "data": {"image/png": "A" * 12_000_000}}
    lines = {"output_type": "stream", "text": [f'line {i} "quoted"\n' for i in range(300_000)]}
    path.write_bytes(
        _file(
            cells=[_code("x = 1", outputs=[picture]) for _ in range(8)]
            + [_code("y", outputs=[lines])]
        )
    )
    program = (
        "import resource, sys; from nbcomponent.notebook.reader import read_notebook;"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss;"
        "assert len(read_notebook(sys.argv[1]).cells) == 9;"
        "print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 1.5 * path.stat().st_size
