"""Exported scripts compute what the cells computed, in clean processes."""

from __future__ import annotations

import ast
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nbcomponent.export.text import indent_code

TRAIN = "component:train"
Exported = Callable[..., Any]


def test_the_cells_code_runs_with_arguments_in_place_of_the_parameters_cell(
    exported: Exported,
) -> None:
    shop = exported(
        ("epochs: int = 3  # passes [1..10]", "parameters"),
        ("total = 0\nfor step in range(epochs):\n    total += step\nprint(total)", TRAIN),
    )
    assert shop.output() == "3\n"
    assert shop.output("--epochs=5") == "10\n"
    assert "nbcomponent" not in shop.text()


def test_the_script_is_what_a_colleague_would_write(exported: Exported) -> None:
    shop = exported(
        ("import math", "shared"),
        ("# Train\n\nFits the line.", "markdown"),
        ("radius = 2  # metres\n# the area\nprint(math.pi * radius**2)", TRAIN),
    )
    assert shop.text() == textwrap.dedent('''\
        """Component train of the notebook nb.ipynb."""

        import argparse
        import math


        def parse_arguments() -> argparse.Namespace:
            """Read the command line."""
            parser = argparse.ArgumentParser(
                description="train, from nb.ipynb",
                allow_abbrev=False,
            )
            return parser.parse_args()


        if __name__ == "__main__":
            arguments = parse_arguments()

            # %% Train
            # Fits the line.
            radius = 2  # metres
            # the area
            print(math.pi * radius**2)
        ''')


def test_generated_code_is_formatted(exported: Exported, tmp_path: Path) -> None:
    contract = (
        "component: train\n"
        "inputs:\n  table: {type: uri_file, format: csv, columns: {a: {dtype: int64, min: 0, max: 9}, "
        "label_of_the_row: {allowed: [one, two, three], nullable: false, meaning: 'what it is'}}}\n"
        "outputs:\n  model: {type: uri_folder, files: [weights.json, metadata.json, a/b.npz]}\n"
    )
    shop = exported(
        (
            "from pathlib import Path\n\nepochs: int = 3  # passes over all of the training data, 50% at a time [1..10]\n"
            'balance: bool = True\nmodel: Path = Path("out/model")',
            "parameters",
        ),
        (contract, "raw", "contract:train"),
        (
            "def scale(x):\n    return x * 2\n\n\ncount = len(table) + epochs + balance\n"
            '(model / "weights.json").write_text("{}")\n(model / "metadata.json").write_text("{}")\nscale(count)',
            TRAIN,
        ),
    )
    command = [
        sys.executable,
        "-m",
        "ruff",
        "format",
        "--isolated",
        "--line-length",
        "88",
        "--diff",
    ]
    result = subprocess.run(
        [*command, str(shop.script())], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout


# Definitions


def test_an_instance_of_a_notebooks_class_is_pickled_and_loaded_elsewhere(
    exported: Exported,
) -> None:
    shop = exported(
        ("class Model:\n    def __init__(self, weight):\n        self.weight = weight", "shared"),
        (
            "import pickle\ndata = pickle.dumps(Model(3))\nprint(pickle.loads(data).weight, Model.__module__)",
            TRAIN,
        ),
    )
    assert shop.output() == "3 __main__\n"


def test_spawned_workers_import_the_script_and_do_not_run_the_cells_again(
    exported: Exported,
) -> None:
    shop = exported(
        ("factor = 10", "parameters"),
        (
            "import math\n\nOFFSET = 1\n\ndef work(x):\n    return math.floor(x) * 2 + OFFSET",
            "shared",
        ),
        (
            'import multiprocessing\nprint("once")\n'
            'with multiprocessing.get_context("spawn").Pool(2) as pool:\n'
            "    print(pool.map(work, [1, factor]))",
            TRAIN,
        ),
    )
    assert shop.output("--factor=4") == "once\n[3, 9]\n"


def test_a_torch_data_loader_has_workers(exported: Exported) -> None:
    shop = exported(
        (
            "import torch\nfrom torch.utils.data import DataLoader, Dataset\n\n"
            "class Squares(Dataset):\n"
            "    def __len__(self):\n        return 4\n"
            "    def __getitem__(self, index):\n        return torch.tensor(index**2)\n\n"
            'loader = DataLoader(Squares(), batch_size=2, num_workers=2, multiprocessing_context="spawn")\n'
            "print([batch.tolist() for batch in loader])",
            TRAIN,
        ),
    )
    assert shop.output() == "[[0, 1], [4, 9]]\n"


def test_global_statements_work(exported: Exported) -> None:
    shop = exported(
        (
            "count = 0\ndef bump():\n    global count\n    count += 1\nbump()\nbump()\nprint(count)",
            TRAIN,
        )
    )
    assert shop.output() == "2\n"


def test_a_function_that_is_defined_twice_keeps_both_meanings(exported: Exported) -> None:
    shop = exported(
        (
            "def f():\n    return 1\nfirst = f()\ndef f():\n    return 2\nprint(first, f())",
            TRAIN,
        )
    )
    assert shop.output() == "1 2\n"


def test_a_default_is_evaluated_when_the_notebook_evaluates_it(exported: Exported) -> None:
    shop = exported(
        ("x = 1\ndef f(a=x):\n    return a\nx = 2\nprint(f(), x)", TRAIN),
    )
    assert shop.output() == "1 2\n"


def test_a_definition_does_not_hide_the_builtin_that_is_used_above_it(exported: Exported) -> None:
    shop = exported(("print(sum([1, 2]))\ndef sum(x):\n    return -1\nprint(sum([1, 2]))", TRAIN))
    assert shop.output() == "3\n-1\n"


def test_process_state_at_the_top_moves_up_with_the_imports(exported: Exported) -> None:
    shop = exported(
        (
            'import os\nos.environ["COLOUR"] = "red"\nimport colorsys\nprint(os.environ["COLOUR"])',
            TRAIN,
        )
    )
    text = shop.text()
    assert (
        text.index('os.environ["COLOUR"] = "red"')
        < text.index("import colorsys")
        < text.index("def ")
    )
    assert shop.output() == "red\n"


def test_an_import_does_not_move_over_a_change_of_process_state(exported: Exported) -> None:
    shop = exported(
        (
            'import sys\nprint("start")\nsys.path.insert(0, "lib")\nimport colorsys\nprint(colorsys.ONE_THIRD > 0)',
            TRAIN,
        )
    )
    assert "\n    import colorsys\n" in shop.text()
    assert shop.output() == "start\nTrue\n"


def test_a_star_import_stays_legal(exported: Exported) -> None:
    shop = exported(("print(1)\nfrom math import *\nprint(floor(2.5))", TRAIN))
    assert shop.output() == "1\n2\n"


def test_a_try_import_moves_as_a_whole(exported: Exported) -> None:
    shop = exported(
        (
            "try:\n    import no_such_module as fast\nexcept ImportError:\n    fast = None\nprint(fast)",
            TRAIN,
        )
    )
    assert shop.text().index("import no_such_module") < shop.text().index("def parse_arguments")
    assert shop.output() == "None\n"


def test_future_imports_come_first(exported: Exported) -> None:
    shop = exported(
        (
            "from __future__ import annotations\ndef f(x: Unknown) -> Other:\n    return x\nprint(f(1))",
            TRAIN,
        )
    )
    assert shop.output() == "1\n"


# Text and layout


def test_strings_of_several_lines_keep_their_text(exported: Exported) -> None:
    source = 'if True:\n    a = """one\n  two\n"""\nb = f"""{1 +\n2}\n x"""\nc = "p\\\n q"\nprint(repr((a, b, c)))'
    expected: dict[str, Any] = {}
    exec(source.replace("print", "result = "), expected)
    shop = exported((source, TRAIN))
    assert shop.output() == f"{expected['result']}\n"


@pytest.mark.parametrize(
    "code",
    [
        "x = '''\n a\n'''",
        "x = [\n1,\n  2,\n]",
        "if x:\n\ty = 1",
        "x = 1 + \\\n2",
        'x = f"""\n{a}\n"""',
        "x = rb'''\n\\\n'''",
        "def f():\n    '''doc\n    more'''\n\n    return 1",
        "# only a comment",
        'x = """a""" """\nb"""; y = 2',
    ],
)
def test_indenting_changes_no_meaning(code: str) -> None:
    block = ast.parse(f"if 1:\n{indent_code(code)}\n    pass").body[0]
    assert isinstance(block, ast.If)
    assert list(map(ast.dump, block.body[:-1])) == list(map(ast.dump, ast.parse(code).body))


def test_top_level_await_runs_in_a_coroutine_with_the_modules_names(exported: Exported) -> None:
    shop = exported(
        ("start: int = 1", "parameters"),
        (
            "import asyncio\n\nasync def later(x):\n    await asyncio.sleep(0)\n    return x + 1\n\n"
            "value: int = await later(start)\ndef show_it():\n    return value\nshow_it()",
            TRAIN,
        ),
        ("values = [await later(n) for n in range(2)]\nprint(values, value)", TRAIN),
    )
    assert shop.output("--start=4") == "5\n[1, 2] 5\n"


def test_names_of_the_cells_do_not_clash_with_the_scripts_own(exported: Exported) -> None:
    shop = exported(
        (
            "arguments, show, argparse, parse_arguments, show_text = 1, 2, 3, 4, 5\n"
            "(arguments, show, argparse, parse_arguments, show_text)",
            TRAIN,
        )
    )
    assert shop.output() == "(1, 2, 3, 4, 5)\n"


def test_a_clash_with_the_exporters_imports_is_avoided(exported: Exported) -> None:
    contract = "component: train\noutputs:\n  result: {type: uri_file, format: json}\n"
    shop = exported(
        (contract, "raw", "contract:train"),
        ('json, Path, sys, Any = "j", "p", "s", "a"\nresult = [json, Path, sys, Any]', TRAIN),
    )
    target = shop.root / "result.json"
    shop.output("--result", str(target))
    assert target.read_text() == '[\n  "j",\n  "p",\n  "s",\n  "a"\n]\n'


# Arguments


PARAMETERS = (
    "epochs: int = 3  # passes, 100% of them [1..10]\n"
    "rate: float = -0.5  # a rate [-1.0..1.0]\n"
    "flag: bool = True  # whether\n"
    'kind: Literal["cnn", "mlp"] = "cnn"\n'
    "limit: int | None = None\n"
    'name: str = "it\'s \\"x\\" %d"\n',
    "parameters",
)
PRINTED = ("print(repr([epochs, rate, flag, kind, limit, name]))", TRAIN)


def test_defaults_and_values_reach_the_cells(exported: Exported) -> None:
    shop = exported(("from typing import Literal", "shared"), PARAMETERS, PRINTED)
    assert shop.output() == "[3, -0.5, True, 'cnn', None, 'it\\'s \"x\" %d']\n"
    assert (
        shop.output(
            "--epochs=5", "--rate=-1e-05", "--flag", "No", "--kind=mlp", "--limit=7", "--name=a b"
        )
        == "[5, -1e-05, False, 'mlp', 7, 'a b']\n"
    )
    assert "100% of them" in shop.output("--help")


@pytest.mark.parametrize("text", ["true", "True", "1", "yes", "YES"])
def test_booleans_are_read(exported: Exported, text: str) -> None:
    shop = exported(("flag: bool = False", "parameters"), ("print(flag)", TRAIN))
    assert shop.output(f"--flag={text}") == "True\n"
    assert shop.output("--flag=False") == "False\n"


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        (
            "--epochs=11",
            "argument --epochs: expected an integer of at least 1 and at most 10, found '11'",
        ),
        (
            "--epochs=2.5",
            "argument --epochs: expected an integer of at least 1 and at most 10, found '2.5'",
        ),
        (
            "--rate=nan",
            "argument --rate: expected a number of at least -1.0 and at most 1.0, found 'nan'",
        ),
        ("--flag=maybe", "argument --flag: expected true or false, found 'maybe'"),
        ("--kind=svm", "argument --kind: invalid choice: 'svm'"),
        ("--epoch=3", "unrecognized arguments: --epoch=3"),
    ],
)
def test_wrong_arguments_end_with_code_2_and_say_why(
    exported: Exported, argument: str, message: str
) -> None:
    shop = exported(("from typing import Literal", "shared"), PARAMETERS, PRINTED)
    result = shop.run(argument)
    assert result.returncode == 2
    assert message in result.stderr
    assert result.stdout == ""


# IPython syntax


AS_IN_A_KERNEL = [
    ("%matplotlib inline\nimport os\nname = 'world'",),
    (
        "lines = !echo {name} && echo two\nprint(lines)\nother = !echo {name} $HOME_OF_NOBODY\nother",
    ),
    ("!echo '{name}' $name 100%",),
    ("values = {'a': 'it is', 'b': 3}\n!echo {values['a']} {values['b'] + 1:03d}",),
    ("where = %pwd\nwhere == os.getcwd()",),
    ("%%bash\necho from bash\necho again",),
    ("%%bash --out text\necho kept",),
    ("text",),
    ("%%capture kept\nprint('hidden')\n5",),
    ("kept.stdout",),
    ("for i in range(2):\n    !echo {i}",),
    ("%timeit -n1 -r1 pass",),
    ("x = 1;",),
    ("{'numbers': list(range(40)), 'nested': [('a', {1, 2})], 'type': dict}",),
    ("import numpy as np\nnp.arange(60).reshape(3, 20) * 1000",),
    ("import pandas as pd\nframe = pd.DataFrame({'a': range(3), 'b': list('xyz')})\nframe",),
    ("(frame.a, {'f': np.eye(2)})",),
    ("frame.describe()",),
    ("import collections\ncollections.Counter('hello'), collections.defaultdict(list, a=[1])",),
    ("display(frame.a.tolist(), 'text')\nframe.b == 'x'",),
    ("'a string'",),
    ("class Point:\n    pass\nPoint, [int, Point]",),
    ("print('done')",),
]


def test_what_is_printed_is_what_a_kernel_shows(exported: Exported, tmp_path: Path) -> None:
    import nbclient
    import nbformat

    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source) for (source,) in AS_IN_A_KERNEL]
    )
    (tmp_path / "kernel").mkdir()
    nbclient.NotebookClient(
        notebook, resources={"metadata": {"path": str(tmp_path / "kernel")}}
    ).execute()
    shown = []
    for cell in notebook.cells:
        for output in cell.outputs:
            if output.output_type == "stream" and output.name == "stdout":
                shown.append(output.text)
            elif output.output_type in ("execute_result", "display_data"):
                shown.append(output.data["text/plain"] + "\n")
    # What magics themselves say about their work is not part of the component's output.
    expected = "".join(shown).replace("\r\n", "\n")
    expected = "".join(line for line in expected.splitlines(True) if " per loop (" not in line)
    shop = exported(*((source, TRAIN) for (source,) in AS_IN_A_KERNEL))
    assert shop.output() == expected


def test_cell_magics_become_python(exported: Exported) -> None:
    shop = exported(
        ("%%bash\necho from bash\necho again", TRAIN),
        ("%%capture kept\nprint('hidden')\n5", TRAIN),
        ("print(repr(kept.stdout))", TRAIN),
        ("%%time\nx = 4\nx", TRAIN),
    )
    assert shop.output() == "from bash\nagain\n'hidden\\n'\n4\n"


def test_a_failing_bash_cell_fails_the_script(exported: Exported) -> None:
    shop = exported(("%%bash\nexit 3", TRAIN))
    assert shop.run().returncode == 1


# Layout


def imports_of_script(shop: Any) -> str:
    """The text between the docstring and the first definition."""
    text: str = shop.text()
    return text.partition('"""\n\n')[2].partition("\n\n\n")[0]


def test_imports_stand_in_groups_around_a_change_of_the_process(exported: Exported) -> None:
    shop = exported(
        ("import os\nimport re\nos.environ['OMP_NUM_THREADS'] = '1'\nos.environ['B'] = '2'", TRAIN),
        ("import pandas as pd\nimport numpy as np\n[re, pd, np]", TRAIN),
    )
    assert imports_of_script(shop) == (
        "import argparse\nimport os\nimport re\n"
        "\n"
        "os.environ['OMP_NUM_THREADS'] = '1'\nos.environ['B'] = '2'\n"
        "\n"
        "import numpy as np\nimport pandas as pd\n"
        "\n"
        "from notebook_display import show"
    )


def test_a_change_of_the_process_without_imports_has_a_blank_line_on_either_side(
    exported: Exported,
) -> None:
    shop = exported(("%env MODE=fast\nimport json\njson.dumps(1)", TRAIN))
    assert imports_of_script(shop) == (
        "import argparse\nimport os\n"
        "\n"
        'os.environ["MODE"] = "fast"\n'
        "\n"
        "import json\n"
        "\n"
        "from notebook_display import show"
    )


def test_commented_imports_keep_their_layout(exported: Exported) -> None:
    shop = exported(
        ("# Text\nimport re\nimport json\n\n# Numbers\nimport numpy as np\n[re, json, np]", TRAIN),
    )
    assert imports_of_script(shop) == (
        "import argparse\n"
        "\n"
        "# Text\nimport re\nimport json\n"
        "\n"
        "# Numbers\nimport numpy as np\n"
        "\n"
        "from notebook_display import show"
    )


def test_the_statements_of_other_cells_have_one_heading(exported: Exported) -> None:
    shop = exported(
        ("import random\nfirst = [random.random()]",),
        ("second = [*first, 2]",),
        ("print(len(second))", TRAIN),
        boundary="auto",
    )
    assert shop.text().count("# From other cells of the notebook.") == 1
    assert shop.output() == "2\n"


def test_imports_of_one_module_are_joined_where_they_fit_into_a_line(exported: Exported) -> None:
    names = [f"a_very_long_name_number_{number}" for number in range(3)]
    shop = exported(
        ("from json import loads\nfrom json import dumps", TRAIN),
        (
            f"import json\nfrom re import {names[0]}, {names[1]}\nfrom re import {names[2]}, sub",
            TRAIN,
        ),
        ("json, loads, dumps, sub", TRAIN),
    )
    text = imports_of_script(shop)
    assert "import json\n" in text
    assert "from json import dumps, loads\n" in text
    assert f"from re import {names[0]}, {names[1]}\nfrom re import {names[2]}, sub\n" in text


def test_helpers_have_only_the_options_that_are_used(exported: Exported, tmp_path: Path) -> None:
    shop = exported(
        ("import numpy\nfirst, second = {1: max(1, 0)}, {2: max(2, 0)}", "component:make"),
        ("print(first, second)", TRAIN),
        boundary="auto",
    )
    assert "may_be_empty" not in shop.text() + shop.text("make")
    assert "def partial(file: Path) -> Path:" in shop.text("make")
    assert shop.text("make").count('.open("wb") as stream:') == 2
    files = [f"--{n}={tmp_path / n}" for n in ("first", "second")]
    shop.output(*files, component="make")
    assert shop.output(*files) == "{1: 1} {2: 2}\n"


def test_a_constant_stands_one_line_below_the_imports(exported: Exported) -> None:
    shop = exported(("LIMIT = 3",), ("print(LIMIT)", TRAIN))
    assert "import argparse\n\nLIMIT = 3\n\n\ndef parse_arguments" in shop.text()


# Display


def test_the_last_expression_is_printed_as_the_notebook_shows_it(exported: Exported) -> None:
    shop = exported(
        ("{'a': [1, 2], 'b': 'text'}", TRAIN),
        ("type(1.5)", TRAIN),
        ("None", TRAIN),
        ("3;", TRAIN),
        ("1, 2", TRAIN),
        ("x = [3]\nx.append(4)", TRAIN),
        ("display('shown', x)", TRAIN),
        ("print('said')", TRAIN),
    )
    assert shop.output() == "{'a': [1, 2], 'b': 'text'}\nfloat\n(1, 2)\n'shown'\n[3, 4]\nsaid\n"


def test_nothing_is_added_where_nothing_is_displayed(exported: Exported) -> None:
    shop = exported(("x = [1]\nx.append(2)", TRAIN), ("def f():\n    print(x)\nf()", TRAIN))
    assert "show" not in shop.text()
    assert not (shop.script().parent / "notebook_display.py").exists()


def test_no_address_of_an_object_is_printed(exported: Exported) -> None:
    shop = exported(
        ("import matplotlib.pyplot as plt\nplots = [plt]\nplots[0].plot([1, 2])", TRAIN),
        ("class Thing:\n    pass\n\nThing(), '<b at 0x10>'", TRAIN),
        ("def double(x=2):\n    return x\n\n{'f': double}", TRAIN),
    )
    assert shop.output() == (
        "[<matplotlib.lines.Line2D>]\n"
        "(<__main__.Thing>, '<b at 0x10>')\n"
        "{'f': <function __main__.double(x=2)>}\n"
    )


def test_what_prints_displayed_values_stands_beside_the_script_under_a_free_name(
    exported: Exported, workshop: Any
) -> None:
    workshop.folder.mkdir()
    (workshop.folder / "notebook_display.py").write_text("show = 'theirs'\n")
    shop = exported(
        ("import os\nimport notebook_display\nos.chdir(os.sep)\nnotebook_display.show", TRAIN),
        ("show = 'mine'\nshow", TRAIN),
    )
    assert "from notebook_display_ import show as show_\n" in shop.text()
    assert shop.output() == "'theirs'\n'mine'\n"


def test_the_exporters_module_for_display_passes_to_spawned_workers(exported: Exported) -> None:
    shop = exported(
        ("import multiprocessing\nimport os\n\ndef double(x):\n    return 2 * x", TRAIN),
        (
            "os.chdir(os.sep)\n"
            "with multiprocessing.get_context('spawn').Pool(1) as pool:\n"
            "    doubled = pool.map(double, [1, 2])\n"
            "doubled",
            TRAIN,
        ),
    )
    assert shop.output() == "[2, 4]\n"


def test_ipythons_display_is_not_needed(exported: Exported) -> None:
    shop = exported(("from IPython.display import display\ndisplay([1])", TRAIN))
    assert "from IPython" not in shop.text()
    assert shop.output() == "[1]\n"


# Data


DATA = (
    "from pathlib import Path\n\nsource: Path = Path('data/in')\nmodel: Path = Path('data/model')",
    "parameters",
)
CONTRACT = (
    "component: train\n"
    "inputs:\n  source: {type: uri_folder, files: [rows.json, parts/]}\n"
    "outputs:\n  model: {type: uri_folder, files: [weights.json]}\n",
    "raw",
    "contract:train",
)
COPY = (
    "text = (source / 'rows.json').read_text()\n(model / 'weights.json').write_text(text);",
    TRAIN,
)


def prepared(folder: Path) -> Path:
    (folder / "parts").mkdir(parents=True)
    (folder / "parts" / "one").write_text("1")
    (folder / "rows.json").write_text("[1]")
    return folder


def test_good_data_pass(exported: Exported, tmp_path: Path) -> None:
    shop = exported(DATA, CONTRACT, COPY)
    source = prepared(tmp_path / "in")
    shop.output("--source", str(source), "--model", str(tmp_path / "deep" / "model"))
    assert (tmp_path / "deep" / "model" / "weights.json").read_text() == "[1]"


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ("none", "error: --source: expected a folder, found nothing at"),
        ("missing", "error: --source: expected rows.json in"),
        ("empty-folder", "error: --source: expected files in"),
        ("empty-file", "error: --source: expected content in"),
        ("truncated", "error: --source: expected JSON in"),
    ],
)
def test_bad_data_end_with_code_1_and_name_argument_expectation_and_finding(
    exported: Exported, tmp_path: Path, damage: str, message: str
) -> None:
    shop = exported(DATA, CONTRACT, COPY)
    source = tmp_path / "in"
    if damage != "none":
        prepared(source)
    if damage == "missing":
        (source / "rows.json").unlink()
    if damage == "empty-folder":
        (source / "parts" / "one").unlink()
    if damage == "empty-file":
        (source / "rows.json").write_text("")
    if damage == "truncated":
        (source / "rows.json").write_text("[1")
    result = shop.run("--source", str(source), "--model", str(tmp_path / "model"))
    assert result.returncode == 1
    assert result.stderr.startswith(message)
    assert not (tmp_path / "model").exists()


def test_an_incomplete_output_is_an_error(exported: Exported, tmp_path: Path) -> None:
    shop = exported(DATA, CONTRACT, ("len(list(source.iterdir()) + [model])", TRAIN))
    result = shop.run("--source", str(prepared(tmp_path / "in")), "--model", str(tmp_path / "m"))
    assert result.returncode == 1
    assert "error: --model: expected weights.json in" in result.stderr


def test_a_failing_run_leaves_no_file_of_the_outputs_name(
    exported: Exported, tmp_path: Path
) -> None:
    shop = exported(
        ("from pathlib import Path\n\nreport: Path = Path('report.txt')", "parameters"),
        ("component: train\noutputs:\n  report: {type: uri_file}\n", "raw", "contract:train"),
        ("report.write_text('half')\nraise ValueError('no')", TRAIN),
    )
    result = shop.run("--report", str(tmp_path / "report.txt"))
    assert result.returncode == 1
    assert not (tmp_path / "report.txt").exists()


TABLE_CONTRACT = (
    "component: train\n"
    "inputs:\n  table: {type: uri_file, format: csv, columns: {label: {dtype: int64, allowed: [0, 1], "
    "nullable: false}, width: {dtype: float64, unit: mm, min: 0}}}\n"
    "outputs:\n  clean: {type: uri_file, format: parquet}\n",
    "raw",
    "contract:train",
)


def test_tables_are_loaded_checked_and_stored(exported: Exported, tmp_path: Path) -> None:
    import pandas as pd

    shop = exported(TABLE_CONTRACT, ("clean = table[table.label == 1]", TRAIN))
    (tmp_path / "t.csv").write_text("label,width\n0,1\n1,2\n")
    shop.output("--table", str(tmp_path / "t.csv"), "--clean", str(tmp_path / "clean.parquet"))
    assert pd.read_parquet(tmp_path / "clean.parquet")["width"].tolist() == [2]
    assert "pandera" in (shop.script().parent / "conda.yml").read_text()

    (tmp_path / "t.csv").write_text("label,width\n0,1\n7,2\n")
    result = shop.run(
        "--table", str(tmp_path / "t.csv"), "--clean", str(tmp_path / "again.parquet")
    )
    assert result.returncode == 1
    assert result.stderr == (
        "error: --table: expected one of [0, 1] in column 'label', found 7 in row 2\n"
    )
    assert not (tmp_path / "again.parquet").exists()

    (tmp_path / "t.csv").write_text("width\n1\n")
    result = shop.run(
        "--table", str(tmp_path / "t.csv"), "--clean", str(tmp_path / "again.parquet")
    )
    assert result.stderr == (
        "error: --table: expected a column 'label', found the columns ['width']\n"
    )

    (tmp_path / "t.csv").write_bytes(b"\xff\xfe\x00")
    result = shop.run(
        "--table", str(tmp_path / "t.csv"), "--clean", str(tmp_path / "again.parquet")
    )
    assert result.returncode == 1
    assert "error: --table: expected" in result.stderr


def columns_of(dtypes: str, *, format_: str = "csv") -> tuple[str, ...]:
    return (
        f"inputs:\n  table: {{type: uri_file, format: {format_}, columns: {{{dtypes}}}}}",
        "raw",
        "contract:train",
    )


@pytest.mark.parametrize(
    ("dtypes", "text", "said"),
    [
        ("a: {dtype: int64}", "1.5\n2", "type 'Int64' in column 'a', found 'float64'"),
        ("a: {dtype: int64}", "x\n2", "type 'Int64' in column 'a', found 'x' in row 1"),
        ("a: {nullable: false}", "1\nNA", "a value in column 'a', found nan in row 2"),
        ("a: {min: 0}", "1\n-2.5", "at least 0 in column 'a', found -2.5 in row 2"),
        ("a: {max: 3}", "1\n4", "at most 3 in column 'a', found 4 in row 2"),
        ("a: {dtype: bool}", "x\ny", "type 'bool' in column 'a', found 'str'"),
        ("a: {allowed: [x]}", "x\ny", "one of ['x'] in column 'a', found 'y' in row 2"),
        (
            "a: {unique: true}",
            "1\n5\n5",
            "no value twice in column 'a', found 5 in row 2 (1 of 2 findings)\n"
            "  expected no value twice in column 'a', found 5 in row 3",
        ),
        (
            "a: {min: 0, max: 9}",
            "\n".join(["-1"] * 3 + ["5"] + ["10"] * 4),
            "at least 0 in column 'a', found -1 in row 1 (1 of 7 findings)\n"
            "  expected at least 0 in column 'a', found -1 in row 2\n"
            "  expected at least 0 in column 'a', found -1 in row 3\n"
            "  expected at most 9 in column 'a', found 10 in row 5\n"
            "  expected at most 9 in column 'a', found 10 in row 6\n"
            "  and 2 more",
        ),
    ],
)
def test_an_error_in_a_table_names_row_column_and_what_was_expected(
    exported: Exported, tmp_path: Path, dtypes: str, text: str, said: str
) -> None:
    shop = exported(columns_of(dtypes), ("len(table);", TRAIN))
    (tmp_path / "t.csv").write_text(f"a\n{text}\n")
    result = shop.run("--table", str(tmp_path / "t.csv"))
    assert result.returncode == 1
    assert result.stderr == f"error: --table: expected {said}\n"


def test_a_row_of_a_table_with_an_index_is_named_by_its_label(
    exported: Exported, tmp_path: Path
) -> None:
    import pandas as pd

    shop = exported(columns_of("a: {min: 0}", format_="parquet"), ("len(table);", TRAIN))
    pd.DataFrame({"a": [1, -1]}, index=["x", "y"]).to_parquet(tmp_path / "t.parquet")
    result = shop.run("--table", str(tmp_path / "t.parquet"))
    assert result.stderr == (
        "error: --table: expected at least 0 in column 'a', found -1 at index y\n"
    )


def test_all_first_findings_in_json_are_told(exported: Exported, tmp_path: Path) -> None:
    shop = exported(
        (
            "inputs:\n  options: {type: uri_file, format: json, schema: "
            "{required: [n], properties: {n: {type: integer}, s: {type: string}}}}",
            "raw",
            "contract:train",
        ),
        ("len(options);", TRAIN),
    )
    (tmp_path / "o.json").write_text('{"n": "x", "s": 1}')
    result = shop.run("--options", str(tmp_path / "o.json"))
    assert result.stderr == (
        "error: --options: expected JSON that fits its schema at $.n, "
        "found 'x' is not of type 'integer' (1 of 2 findings)\n"
        "  expected JSON that fits its schema at $.s, found 1 is not of type 'string'\n"
    )


@pytest.mark.parametrize(
    ("format_", "value", "printed"),
    [
        ("json", "{'a': [1, 2.5, None]}", "{'a': [1, 2.5, None]}"),
        ("text", "'zwölf\\n'", "'zwölf\\n'"),
        ("pickle", "{1: (2, 3)}", "{1: (2, 3)}"),
        ("joblib", "[1, {2}]", "[1, {2}]"),
        ("npy", "numpy.arange(3)", "array([0, 1, 2])"),
        ("npz", "{'w': numpy.arange(2)}", "{'w': array([0, 1])}"),
    ],
)
def test_values_cross_from_one_component_to_another(
    exported: Exported, tmp_path: Path, format_: str, value: str, printed: str
) -> None:
    shop = exported(
        ("import numpy", "shared"),
        (
            f"component: make\noutputs:\n  thing: {{type: uri_file, format: {format_}}}\n",
            "raw",
            "contract:make",
        ),
        (
            f"component: train\ninputs:\n  thing: {{type: uri_file, format: {format_}, from: make.thing}}\n",
            "raw",
            "contract:train",
        ),
        (f"thing = {value}\nnumpy.array(0);", "component:make"),
        ("numpy.array(0);\nthing", TRAIN),
    )
    shop.output("--thing", str(tmp_path / "thing"), component="make")
    assert shop.output("--thing", str(tmp_path / "thing")) == f"{printed}\n"


def test_a_line_is_interpolated_where_a_magic_gives_the_name_its_value(exported: Exported) -> None:
    shop = exported(
        (
            "%time total = 3\ndef count():\n    global n\n    n = 5\ncount()\n"
            "for step in range(2):\n    pass\n"
            "!echo {total} $n {step} {[i for i in range(2)]}",
            TRAIN,
        ),
    )
    assert shop.output() == "3 5 1 [0, 1]\n"


def test_tables_are_printed_as_in_a_kernel_and_not_fitted_to_a_terminal(exported: Exported) -> None:
    shop = exported(
        (
            "import pandas as pd\nframe = pd.DataFrame({f'a_long_column_{n}': [n] for n in range(9)})\nframe",
            TRAIN,
        ),
    )
    shown = shop.output()
    assert "..." not in shown
    assert all(f"a_long_column_{n}" in shown for n in range(9))
    silent = exported(("import pandas as pd\nframe = pd.DataFrame()", TRAIN))
    assert "max_columns" not in silent.text()


def test_the_scripts_own_names_give_way_to_those_of_a_star_import(
    exported: Exported, workshop: Any
) -> None:
    workshop.folder.mkdir()
    (workshop.folder / "toys.py").write_text(
        "def show(x):\n    print('shown', x)\n\nargparse = Path = arguments = None\n"
    )
    shop = exported(("from toys import *\nshow(1)\narguments\n2", TRAIN))
    assert shop.output() == "shown 1\n2\n"


def test_only_the_names_that_are_needed_are_imported(exported: Exported) -> None:
    shop = exported(
        ("from math import pi, tau, sqrt\nimport json, textwrap as tw",),
        ("print(sqrt(4), tw.shorten('a b', 9))", TRAIN),
    )
    assert shop.output() == "2.0 a b\n"
    assert "from math import sqrt\n" in shop.text()
    assert "json" not in shop.text()


def test_imports_stand_in_groups_where_their_order_does_not_matter(
    exported: Exported, workshop: Any
) -> None:
    workshop.folder.mkdir()
    (workshop.folder / "toys.py").write_text("x = 1\n")
    shop = exported(
        ("import numpy as np\nimport toys\nimport math", "shared"),
        ("print(np.ones(1), toys.x, math.pi)", TRAIN),
    )
    head = "import argparse\nimport math\n\nimport numpy as np\n\nimport toys\n\n\ndef "
    assert head in shop.text()
    kept = exported(
        ("import toys\nimport numpy as np", "shared"), ("print(np.ones(1), toys.x)", TRAIN)
    )
    assert "import toys\nimport numpy as np\n" in kept.text()
