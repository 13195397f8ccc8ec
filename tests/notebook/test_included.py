"""``%run`` of a notebook or script beside the notebook: its code stands in the cell, places stay."""

from __future__ import annotations

import json

import pytest

from nbcomponent.core.diagnostics import Place
from nbcomponent.notebook.included import Inclusions, include
from nbcomponent.notebook.model import Cell, Notebook, TaggedNotebook
from nbcomponent.notebook.tagging import tag


def other(*sources: str, language: str = "python") -> str:
    """The text of a notebook file with these code cells."""
    cells = [
        {"cell_type": "code", "metadata": {}, "source": s, "outputs": [], "execution_count": None}
        for s in sources
    ]
    metadata = {"language_info": {"name": language}}
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 4})


def included(
    files: dict[str, str], *sources: str
) -> tuple[TaggedNotebook, tuple[str, ...], Inclusions | None]:
    """The notebook of these cells, the text of its cells and what was put in."""
    cells = tuple(Cell(i, "code", s, ("component:a",)) for i, s in enumerate(sources))
    made, inclusions = include(tag(Notebook("nb.ipynb", cells)), files.get)
    return made, tuple(c.source for c in made.notebook.cells), inclusions


def test_a_notebook_gives_its_cells() -> None:
    _, (text,), found = included(
        {"other.ipynb": other("import math", "def f(x):\n    return x")},
        "a = 1\n%run other.ipynb\nf(a)",
    )
    assert text == "a = 1\nimport math\n\ndef f(x):\n    return x\nf(a)"
    assert found is not None
    assert [d.message for d in found.notes] == [
        "`%run other.ipynb` is replaced by the code of other.ipynb, as it is now."
    ]
    assert found.notes[0].code == "NBC111"
    assert found.notes[0].severity == "note"


def test_places_are_those_of_the_file_that_the_user_has_open() -> None:
    _, _, found = included(
        {"other.ipynb": other("x = 1\ny = 2")}, "a = 1\n  \n%run other.ipynb\nprint(a)"
    )
    assert found is not None
    assert found.place(Place(0, 1, 1, 1, 2)) == Place(0, 1, 1, 1, 2)
    assert found.place(Place(0, 4, 3, 4, 5)) == Place(0, 3, 1, 3, 17)
    assert found.place(Place(0, 5, 1, 5, 6)) == Place(0, 4, 1, 4, 6)
    assert found.place(Place(None, 5, 1, 5, 6)) == Place(None, 5, 1, 5, 6)


def test_the_last_value_of_the_other_notebook_is_not_displayed() -> None:
    made, _, _ = included({"other.ipynb": other("x = 1\nx")}, "%run other.ipynb")
    tree = made.code[0].tree
    assert tree is not None
    assert type(tree.body[-1]).__name__ == "Pass"


def test_files_that_run_files_are_followed() -> None:
    files = {"one.ipynb": other("%run two.py\nx = y"), "two.py": "y = 2\n"}
    _, (text,), _ = included(files, "%run one.ipynb")
    assert text == "y = 2\nx = y"


def test_a_file_that_runs_itself_stays() -> None:
    _, _, found = included({"one.ipynb": other("%run one.ipynb")}, "%run one.ipynb")
    assert found is None


@pytest.mark.parametrize("line", ["%run tools", "%run tools.py", "%run ./tools.py"])
def test_a_script_may_be_named_without_its_suffix(line: str) -> None:
    _, (text,), _ = included({"tools.py": "def f():\n    return 1\n"}, line)
    assert text == "def f():\n    return 1"


@pytest.mark.parametrize(
    "line",
    [
        "%run -i tools.py",
        "%run tools.py 3",
        "%run ../tools.py",
        "%run /tools.py",
        "%run missing.py",
        "%run {name}.py",
        "if True:\n    %run tools.py",
        "x = %run tools.py",
    ],
)
def test_what_says_more_or_names_a_file_elsewhere_stays(line: str) -> None:
    files = dict.fromkeys(["tools.py", "../tools.py", "/tools.py"], "x = 1\n")
    _, (text,), found = included(files, line)
    assert (text, found) == (line, None)


@pytest.mark.parametrize(
    "script",
    [
        "print(__file__)",
        "import sys\nprint(sys.argv)",
        "import sys\nsys.exit()",
        "from __future__ import annotations\n",
        "from .a import b",
        "from a import *",
        "%matplotlib inline",
        "def f(:",
    ],
)
def test_a_script_that_asks_where_it_stands_or_is_no_plain_python_stays(script: str) -> None:
    _, _, found = included({"tools.py": script}, "%run tools.py")
    assert found is None


def test_a_script_runs_in_a_namespace_of_its_own() -> None:
    # In IPython `f` goes on to see the script's `scale`; in one namespace it would see the notebook's.
    script = "scale = 2\ndef f(x):\n    return scale * x\n"
    assert included({"tools.py": script}, "%run tools.py", "scale = 3")[2] is None
    assert included({"tools.py": script}, "%run tools.py", "other = 3")[2] is not None


def test_a_script_that_would_see_a_name_of_the_notebook_stays() -> None:
    script = "try:\n    n\nexcept NameError:\n    m = 1\n"
    assert included({"tools.py": script}, "n = 1", "%run tools.py")[2] is None


def test_the_same_import_in_both_is_no_clash() -> None:
    script = "import math\ndef f(x):\n    return math.sqrt(x)\n"
    assert included({"tools.py": script}, "%run tools.py", "import math")[2] is not None
    assert included({"tools.py": script}, "%run tools.py", "import cmath as math")[2] is None


@pytest.mark.parametrize(
    "writer", ["%%writefile tools.py\nx = 1", "open('tools.py', 'w').write('x = 1')"]
)
def test_a_file_that_the_notebook_may_write_is_not_what_lies_there_now(writer: str) -> None:
    assert included({"tools.py": "x = 2"}, writer, "%run tools.py")[2] is None


@pytest.mark.parametrize(
    "text",
    [
        "{",
        other("print(__file__)"),
        other("%%bash\nls"),
        other("x = ("),
        other("x <- 1", language="R"),
    ],
)
def test_what_cannot_stand_in_a_cell_stays(text: str) -> None:
    assert included({"other.ipynb": text}, "%run other.ipynb")[2] is None
