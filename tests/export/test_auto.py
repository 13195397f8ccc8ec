"""``--boundary auto``: what comes over from other components, and how, in pipelines that are run."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

Exported = Callable[..., Any]
P1, P2, P3 = "component:p1", "component:p2", "component:p3"


def cells_output(*sources: str) -> str:
    """What the cells print one after the other in one process."""
    import contextlib
    import io

    stream = io.StringIO()
    names: dict[str, object] = {"__name__": "__main__"}
    with contextlib.redirect_stdout(stream):
        for source in sources:
            exec(source, names)  # The notebook, run here to compare with.
    return stream.getvalue()


def errors(export: Any) -> list[str]:
    return [d.code for d in export.diagnostics if d.severity == "error"]


EVERYTHING_SOLVED = (
    (
        "import math, os, random, threading, warnings\nfrom string import *\n"
        "os.environ['NBC_TEST'] = '1'\nwarnings.filterwarnings('ignore')\n"
        "factor = 3\ndef area(r):\n    return factor * math.pi * r\n"
        "class Box:\n    size = 2\nbox = Box()\nbox.size = 5\n"
        "table = dict([('a', 1)])\ndef look(key):\n    return table[key]\n"
        "rate = [len('a')]\ngrown = [len('a')]\nlock = threading.Lock()\n"
        "if len('ab') > 1:\n    some = sum([1, 2])",
        P1,
    ),
    ("parts = sorted([2, 1])\ntotal = sum(parts) + 1\nchance = random.Random(1).random()",),
    ("rate = [len('ab')]\ngrown.append(2)\nprint(chance)", P2),
    ("grown.append(3)",),
    ("own = [1]", P3),
    ("own.append(2)",),
    (
        "print(area(2), Box.size, box.size, look('a'), rate, grown, some, total, chance, own)\n"
        "with lock:\n    print(ascii_letters[:3], os.environ['NBC_TEST'])",
        P3,
    ),
)


def test_everything_that_auto_solves_computes_what_the_notebook_computes(
    exported: Exported,
) -> None:
    shop = exported(*EVERYTHING_SOLVED, boundary="auto")
    assert shop.pipeline() == cells_output(*(cell[0] for cell in EVERYTHING_SOLVED))


def test_a_seeding_is_repeated_where_nothing_draws_in_between(exported: Exported) -> None:
    cells = ("import random\nrandom.seed(7)\nprint('ready')", "print(random.random())")
    shop = exported((cells[0], P1), (cells[1], P2), boundary="auto")
    assert shop.pipeline() == cells_output(*cells)
    assert "random.seed(7)" in shop.text("p2")
    assert "random_state" not in shop.text("p2")


@pytest.mark.parametrize("module", ["random", "numpy.random"])
def test_the_random_state_comes_over_where_something_draws_in_between(
    exported: Exported, module: str
) -> None:
    cells = (
        f"import {module} as rnd\nrnd.seed(7)\nprint(rnd.random())",
        "def draw():\n    return rnd.random()\nprint(draw())",
        "print(draw(), rnd.random())",
    )
    shop = exported((cells[0], P1), (cells[1], P2), (cells[2], P3), boundary="auto")
    assert shop.pipeline() == cells_output(*cells)


def test_a_draw_inside_a_module_that_the_text_does_not_show_counts_too(
    exported: Exported, workshop: Any
) -> None:
    workshop.folder.mkdir()
    (workshop.folder / "dice.py").write_text(
        "import random\n\ndef roll():\n    return random.randint(1, 10**9)\n"
    )
    cells = (
        "import random\nrandom.seed(3)",
        "import dice\nx = dice.roll()",
        "print(x, dice.roll())",
    )
    shop = exported(*zip(cells, (P1, P2, P3), strict=True), boundary="auto")
    expected = (
        "import random\nrandom.seed(3)\nprint(random.randint(1, 10**9), random.randint(1, 10**9))"
    )
    assert shop.pipeline() == cells_output(expected)


def test_a_seeding_below_the_component_does_not_matter(workshop: Any) -> None:
    export = workshop.build(
        [("import random\nx = random.random()", P1), ("import random\nrandom.seed(1)", P2)],
        boundary="auto",
    )
    assert errors(export) == []


def test_a_random_state_that_goes_back_and_forth_stays_an_error(workshop: Any) -> None:
    cells = [
        ("import random\nrandom.seed(1)\nprint(random.random())", P1),
        ("print(random.random())", P2),
        ("print(random.random())", P1),
    ]
    export = workshop.build(cells, boundary="auto")
    assert "NBC108" in errors(export)


PLAIN_TABLE = "import pandas as pd\nframe = pd.read_csv('t.csv')\nframe['c'] = frame.b * 2\n"


def test_a_table_read_from_csv_crosses_as_parquet_with_its_missing_texts(
    exported: Exported, workshop: Any
) -> None:
    workshop.folder.mkdir()
    (workshop.folder / "t.csv").write_text("a,b\nx,1\n,2\n")
    shop = exported(
        (PLAIN_TABLE, P1), ("print(frame.to_dict('list'), frame.dtypes.c)", P2), boundary="auto"
    )
    assert "format: parquet" in (shop.out / "nb" / "p1" / "contract.yml").read_text()
    assert shop.pipeline() == "{'a': ['x', nan], 'b': [1, 2], 'c': [2, 4]} int64\n"


VALUES = [
    "import pandas as pd\nvalue = pd.DataFrame([[1, 'a'], ['b', None]])",
    "import pandas as pd\nvalue = pd.DataFrame({'a': [1, 'x', [2]]})",
    "import pandas as pd\nvalue = pd.DataFrame({'a': [1, 2]}).pivot_table(columns='a', aggfunc=len)",
    "import pandas as pd\nvalue = pd.DataFrame({'a': [1, 2]}, index=pd.date_range('2020', periods=2))",
    "import pandas as pd\nvalue = pd.DataFrame({'a': ['x y']})\nvalue['b'] = value.a.str.split()",
    "import pandas as pd\nvalue = pd.DataFrame({'a': ['x', 1]}).values",
    "import numpy as np\nvalue = np.array([1, 'a', None])",
    "import numpy as np\nvalue = np.array([2])[0]",
    "import numpy as np\nvalue = {'mean': np.mean([1, 2])}",
    "value = {1: (2, 3)}",
    "value = 'a\\r\\nb'",
    "value = [1, float('nan')]",
    "value = {'x': 1}\nvalue[2] = 3",
]


def test_no_value_is_stored_in_a_format_that_would_change_it(exported: Exported) -> None:
    made = "\n".join(re.sub(r"\bvalue\b", f"value_{n}", v) for n, v in enumerate(VALUES))
    shown = "\n".join(f"print(type(value_{n}), repr(value_{n}))" for n in range(len(VALUES)))
    shop = exported((made, P1), (shown, P2), boundary="auto")
    assert shop.pipeline() == cells_output(made, shown)


def test_arrays_of_numbers_cross_as_npy(exported: Exported) -> None:
    shop = exported(
        ("import numpy as np\nx = np.array([[1, 2], [3, 4]]) * 2\ny = x.reshape(4)", P1),
        ("print(x.tolist(), y.tolist())", P2),
        boundary="auto",
    )
    assert (shop.out / "nb" / "p1" / "contract.yml").read_text().count("format: npy") == 2
    assert shop.pipeline() == "[[2, 4], [6, 8]] [2, 4, 6, 8]\n"


def test_what_a_constructor_of_a_package_makes_is_made_again(exported: Exported) -> None:
    cells = (
        "import string\ntext = string.Template('$a')\npair = (text.template, 2)",
        "print(text.substitute(a=1), pair)",
    )
    shop = exported((cells[0], P1), (cells[1], P2), boundary="auto")
    assert "string.Template" in shop.text("p2")
    assert shop.pipeline() == cells_output(*cells)


@pytest.mark.parametrize(
    "cells",
    [
        # It is changed, or handed to something that may change it, where it is made.
        ("import argparse\nvalue = argparse.Namespace(a=1)\nvalue.a = 2", "print(value)"),
        (
            "import argparse\nvalue = argparse.Namespace(a=1)\nsetattr(value, 'a', 2)",
            "print(value)",
        ),
        ("import argparse\nvalue = argparse.Namespace(a=1)\nvalue.__init__(a=2)", "print(value)"),
        # Made again it would be another one.
        ("import random\nvalue = random.Random(1)\nvalue.random();", "print(value.random())"),
    ],
)
def test_what_may_have_changed_is_not_made_again(
    exported: Exported, cells: tuple[str, str]
) -> None:
    shop = exported((cells[0], P1), (cells[1], P2), boundary="auto")
    assert shop.pipeline() == cells_output(*cells)


def test_a_cell_that_writes_a_file_says_so_as_in_a_notebook(exported: Exported) -> None:
    shop = exported(
        ("%%writefile notes.txt\none\n", P1),
        ("%%file -a notes.txt\ntwo\n", P1),
        ("print(open('notes.txt').read())", P1),
    )
    assert shop.output(component="p1") == "Writing notes.txt\nAppending to notes.txt\none\ntwo\n\n"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("%%file README\ntext\n", "!cat README"),
        ("!git init demo", "!git log"),
        ("!touch here", "!ls"),
    ],
)
def test_a_shell_line_that_may_read_what_another_component_left_is_an_error(
    workshop: Any, first: str, second: str
) -> None:
    assert errors(workshop.build([(first, P1), (second, P2)], boundary="auto")) == ["NBC109"]
    assert errors(workshop.build([(first, P1), (second, P1)], boundary="auto")) == []


def test_shell_lines_that_have_nothing_to_do_with_files_stay(workshop: Any) -> None:
    export = workshop.build([("!echo one", P1), ("!echo two", P2)], boundary="auto")
    assert errors(export) == []
    export = workshop.build([("!git init x", P1), ("!echo two", P2)], boundary="auto")
    assert errors(export) == []


def test_a_pickled_value_brings_its_makers_modules_along_every_step(
    exported: Exported, workshop: Any
) -> None:
    workshop.folder.mkdir()
    (workshop.folder / "toys.py").write_text(
        "class Toy:\n    def __init__(self):\n        self.n = [1]\n\n"
        "    def more(self):\n        self.n.append(2)\n        return self\n"
    )
    cells = ("import toys\ntoy = toys.Toy()", "doll = toy.more()", "print(doll.n)")
    shop = exported(*zip(cells, (P1, P2, P3), strict=True), boundary="auto")
    assert shop.pipeline() == "[1, 2]\n"


def test_a_file_that_is_fetched_where_it_is_missing_is_shipped(
    exported: Exported, workshop: Any
) -> None:
    workshop.folder.mkdir()
    (workshop.folder / "words.txt").write_text("w")
    fetch = (
        "import os\nfrom urllib.request import urlretrieve\n"
        "url = 'https://nowhere.invalid/' + 'data/words.txt'\n"
        "if not os.path.exists(os.path.basename(url)):\n"
        "    urlretrieve(url, os.path.basename(url))\nprint('here')"
    )
    shop = exported((fetch, P1), ("print(open('words.txt').read())", P2), boundary="auto")
    assert shop.pipeline() == "here\nw\n"


def test_an_unknown_name_in_a_function_that_never_runs_is_no_error(exported: Exported) -> None:
    cells = ("def later():\n    return Wave(1)\nprint('one')", "print('two')")
    shop = exported((cells[0], P1), (cells[1], P2), boundary="auto")
    assert shop.pipeline() == "one\ntwo\n"


def test_an_unknown_name_in_a_function_that_runs_is_an_error(workshop: Any) -> None:
    define = "def later():\n    return Wave(1)"
    assert errors(workshop.build([(define, P1), ("later()", P2)], boundary="auto")) == ["NBC102"]
    assert errors(workshop.build([(define + "\nlater()", P1)], boundary="auto")) == ["NBC102"]
    assert errors(workshop.build([(define, P1)])) == ["NBC102"]


def test_a_file_that_is_there_is_shipped_although_a_cell_would_fetch_it(
    exported: Exported, workshop: Any
) -> None:
    workshop.folder.mkdir()
    (workshop.folder / "words.txt").write_text("w")
    fetch = (
        "import os\nname = 'words.txt'\nif not os.path.exists(name):\n"
        "    !wget https://nowhere.invalid/data/words.txt"
    )
    shop = exported((fetch, P1), ("print(open(name).read())", P2), boundary="auto")
    assert shop.pipeline() == "w\n"
    (workshop.folder / "words.txt").unlink()
    export = workshop.build([(fetch, P1), ("print(open(name).read())", P2)], boundary="auto")
    assert "NBC109" in errors(export)


def test_values_that_hold_the_global_random_generator_share_it_still(exported: Exported) -> None:
    cells = (
        "import numpy as np\nimport scipy.stats\nnp.random.seed(1)\n"
        "one = scipy.stats.norm(0, 1)\nother = scipy.stats.norm(0, 2)",
        "print(one.rvs(), other.rvs())",
        "print(one.rvs(), other.rvs(), np.random.random())",
    )
    shop = exported(*zip(cells, (P1, P2, P3), strict=True), boundary="auto")
    assert shop.pipeline() == cells_output(*cells)


def test_values_bring_along_classes_that_have_no_methods(exported: Exported) -> None:
    made = (
        "from collections import namedtuple\nfrom dataclasses import dataclass, field\nimport enum\n"
        "@dataclass\nclass Point:\n    x: int\n    tags: list = field(default_factory=list)\n"
        "Pair = namedtuple('Pair', 'a b')\nclass Colour(enum.Enum):\n    RED = 1\n"
        "class Oops(Exception):\n    pass\n"
        "def make():\n    return {1: Point(2)}\n"
        "found = make()\npairs = []\npairs.append(Pair(1, Colour.RED))\nerror = [Oops('no')]"
    )
    shown = "print(found[1].x, found, pairs, error)"
    shop = exported((made, P1), (shown, P2), boundary="auto")
    assert shop.pipeline() == cells_output(made, shown)


def test_the_code_of_a_notebook_that_a_cell_runs_is_carried_like_the_cells(
    exported: Exported, workshop: Any
) -> None:
    workshop.notebook(
        [
            ("import math\nBASE = 3",),
            ("def area(r):\n    return math.pi * r**2 + BASE\n\narea(1)",),
        ],
        "other.ipynb",
    )
    shop = exported(("x = 1\n%run other.ipynb", P1), ("print(area(x))", P2), boundary="auto")
    assert shop.pipeline() == "6.141592653589793\n"
    assert "def area(r):" in shop.text("p2")
    assert "BASE = 3" in shop.text("p2")


def test_a_file_that_another_notebook_s_code_reads_is_found_too(
    exported: Exported, workshop: Any
) -> None:
    workshop.notebook([("text = open('words.txt').read()",)], "other.ipynb")
    (workshop.folder / "words.txt").write_text("one two")
    shop = exported(("%run other.ipynb", P1), ("print(text.split())", P2), boundary="auto")
    assert shop.pipeline() == "['one', 'two']\n"


def test_findings_about_code_that_is_run_from_a_file_stand_at_the_line_that_runs_it(
    workshop: Any,
) -> None:
    workshop.notebook([("import math\n\ny = unknown + 1",)], "other.ipynb")
    export = workshop.build([("x = 1\n%run other.ipynb\nz = missing", P1)])
    found = {d.name: d.place for d in export.diagnostics if d.code == "NBC102"}
    assert (found["unknown"].line, found["unknown"].column) == (2, 1)
    assert (found["missing"].line, found["missing"].column) == (3, 5)


def test_load_runs_nothing_and_says_so(exported: Exported, workshop: Any) -> None:
    export = workshop.build([("%load tools.py", P1), ("print(1)", P1)])
    assert [(d.code, d.severity) for d in export.diagnostics] == [("NBC111", "warning")]
    assert "runs nothing" in export.diagnostics[0].message
    assert exported(("%load tools.py", P1), ("print(1)", P1)).output(component="p1") == "1\n"


CONTROL = """import ipywidgets as widgets
from traitlets import Unicode
class Greeting(widgets.DOMWidget):
    value = Unicode('hello', sync=True)"""


def test_a_live_control_is_made_again_since_pickle_does_not_give_it_back(
    exported: Exported,
) -> None:
    pytest.importorskip("ipywidgets")
    shop = exported(
        (CONTROL, P1), (CONTROL.partition("traitlets import Unicode\n")[2], P1),
        ("w = Greeting()\nw", P1), ("w.value = 'test'\nprint(w.value)", P2),
        ("w = Greeting(value='new')", P2), ("print(w.value)", P3), ("w.value = 'last'", P3),
        boundary="auto",
    )  # fmt: skip
    assert shop.pipeline().splitlines()[-2:] == ["test", "new"]


def test_a_live_control_that_cannot_be_made_again_is_an_error(workshop: Any) -> None:
    cells = [
        ("import ipywidgets as widgets\nw = widgets.IntSlider()\nw.observe(print)", P1),
        ("print(w.value)", P2),
    ]
    export = workshop.build(cells, boundary="auto")
    assert errors(export) == ["NBC101"]
    assert "live control" in next(d.message for d in export.diagnostics if d.severity == "error")


@pytest.mark.parametrize(
    ("body", "blocked"),
    [("x = math.floor(2.5)", False), ("print('made')", True), ("x = random.random()", True)],
)
def test_a_class_is_defined_again_or_refused_and_never_pickled(
    workshop: Any, body: str, blocked: bool
) -> None:
    cells = [(f"import math, random\nclass Point:\n    {body}", P1), ("p = Point()\nprint(p)", P2)]
    export = workshop.build(cells, boundary="auto")
    assert errors(export) == (["NBC101"] if blocked else [])
    if not blocked:
        assert b"class Point" in export.files["p2/run_p2.py"]


def project(workshop: Any, *, marker: str = "") -> None:
    """A project with its notebook in ``work/`` and a module, with data of its own, in ``src/``."""
    (workshop.root / "src").mkdir()
    (workshop.root / "src" / "numbers_of.py").write_text(
        "from pathlib import Path\n\ndef two():\n"
        "    return int(Path(__file__).with_name('two.txt').read_text())\n"
    )
    (workshop.root / "src" / "two.txt").write_text("2")
    if marker:
        (workshop.root / marker).write_text("")


@pytest.mark.parametrize(
    "setting",
    [
        "sys.path.append('../src')",
        "sys.path.insert(0, os.path.abspath(os.path.join('..', 'src')))",
        "where = os.path.join(os.path.dirname(os.getcwd()), 'src')\nsys.path.append(where)",
    ],
)
def test_modules_of_the_project_that_the_import_path_names_go_with_the_component(
    exported: Exported, workshop: Any, setting: str
) -> None:
    project(workshop)
    shop = exported(
        (f"import os, sys\n{setting}\nimport numbers_of\nprint(numbers_of.two())", P1),
        ("print(numbers_of.two() + 1)", P2),
        boundary="auto",
    )
    assert shop.pipeline() == "2\n3\n"


def test_a_computed_import_path_is_looked_for_in_the_project(
    exported: Exported, workshop: Any
) -> None:
    project(workshop, marker="pyproject.toml")
    (workshop.root / "src" / "__init__.py").write_text("")
    cell = "import os, sys\nup = os.getcwd()\nfor _ in range(1):\n    up = os.path.dirname(up)\nsys.path.insert(0, up)"
    shop = exported(
        (f"{cell}\nfrom src.numbers_of import *\nprint(two.__name__)", P1),
        ("print(two.__module__)", P2), boundary="auto",
    )  # fmt: skip
    assert shop.pipeline() == "two\nsrc.numbers_of\n"


def test_an_import_path_that_leads_nowhere_known_stays_an_error(workshop: Any) -> None:
    cells = [
        ("import os, sys\nsys.path.append(os.environ['LIB'])\nimport numbers_of", P1),
        ("print(numbers_of.two())", P2),
    ]
    assert "NBC108" in errors(workshop.build(cells, boundary="auto"))


def test_a_module_of_python_s_own_library_is_not_taken_from_a_folder_behind_it(
    workshop: Any,
) -> None:
    project(workshop)
    (workshop.root / "src" / "json.py").write_text("")
    cells = [("import sys, json\nsys.path.append('../src')\nimport numbers_of", P1)]
    files = workshop.build(cells, boundary="auto").files
    assert "p1/numbers_of.py" in files
    assert "p1/json.py" not in files


@pytest.mark.parametrize(
    ("setting", "shipped"), [("append('../src')", False), ("insert(0, '../src')", True)]
)
def test_an_installed_package_is_hidden_only_by_a_folder_in_front_of_it(
    workshop: Any, setting: str, shipped: bool
) -> None:
    project(workshop)
    (workshop.root / "src" / "joblib.py").write_text("")
    cells = [(f"import sys\nsys.path.{setting}\nimport joblib", P1)]
    files = workshop.build(cells, boundary="auto").files
    assert ("p1/joblib.py" in files) == shipped
    assert (b"joblib" in files["p1/conda.yml"]) != shipped


@pytest.mark.parametrize(
    "line", ["[ -e two.txt ] || echo 3 > two.txt", "test ! -f two.txt && echo 3 > two.txt"]
)
def test_a_file_that_a_shell_line_makes_where_it_is_missing_is_the_one_beside_the_notebook(
    exported: Exported, workshop: Any, line: str
) -> None:
    workshop.folder.mkdir()
    (workshop.folder / "two.txt").write_text("2")
    shop = exported((f"!{line}\nprint(open('two.txt').read())", P1), boundary="auto")
    assert shop.pipeline() == "2\n"


def test_what_needs_a_former_definition_gets_it(exported: Exported) -> None:
    cells = (
        "def f():\n    return 1\nx = [f()]",
        "def f():\n    return 2",
        "print(x)\nprint(f())",
    )
    shop = exported((cells[0],), (cells[1],), (cells[2], P1), boundary="auto")
    assert shop.output(component="p1") == cells_output(*cells)
