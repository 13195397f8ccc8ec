"""``parse_cell`` reads generated cells exactly as IPython's own transformer does."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

_BENCH = Path(__file__).parents[2] / "bench" / "compare_ipython.py"
_spec = importlib.util.spec_from_file_location("compare_ipython", _BENCH)
assert _spec is not None
assert _spec.loader is not None
compare_ipython = importlib.util.module_from_spec(_spec)
sys.modules["compare_ipython"] = compare_ipython
_spec.loader.exec_module(compare_ipython)

pytestmark = pytest.mark.filterwarnings("ignore")

_LINES = st.sampled_from(
    [
        "x = 1",
        "a = b % c",
        "a != b",
        "%matplotlib inline",
        "%time f(x, y=2)",
        "%timeit -n 3 f(x)",
        "  %time y = 2",
        "    !ls {folder}",
        "!echo \"it's\" (",
        "!!ls",
        "files = !ls $HOME",
        "files, x = %sx ls",
        "x = %pwd",
        "x=!!ls",
        "x = % pwd",
        "!ls \\",
        "  | wc",
        "len?",
        "??len",
        "a.b[0]??",
        "%time?",
        "x = len?",
        "!ls *?",
        "if x:",
        "    pass",
        "    y = 'é%'",
        "def f(a='%', b=\"!\"):",
        "    return a % b",
        "s = '''",
        "%s and !x",
        "'''",
        's = """a',
        '   ',
        'b"""',
        "# comment ?",
        "t = (1,",
        "% 2)",
        "u = [",
        "! 3",
        "]",
        "/f a b",
        ",f a b",
        ";f a b",
        ", ",
        "await x",
        "",
        ">>> z = 1",
        "... z",
        "In [3]: x",
        "   ...: y",
        "%%time",
        "%%bash",
        "%%timeit",
        "v = f'{x!r} {y=} {z:%d}'",
        "w = 'unclosed",
        "%",
        "!",
        "?",
        "x = !",
        "if y: z = !ls",
        "a = b = !ls",
        "print 1",
        "a, b = 1, 2; c = %pwd",
        "x = 5 \\",
        "% 3",
        "é = !ls é",
        "@dec",
        "x: int = !ls",
        "x += !ls",
    ]
)  # fmt: skip
_CELLS = st.lists(_LINES, max_size=7).map("\n".join)
_NOISE = st.text(st.sampled_from("ab =%!?,;/\\\n\t'\"()[]{}#:.$0é"), max_size=25)


def _explained(kind: str | None) -> bool:
    """Differences with a reason that is no fault of ours (the tool names each)."""
    return kind is None or not kind.endswith(("unexplained", "differ"))


@settings(max_examples=1500, deadline=None, suppress_health_check=list(HealthCheck))
@given(_CELLS)
def test_cells_of_ordinary_lines_are_read_as_ipython_reads_them(source: str) -> None:
    assert _explained(compare_ipython.difference(source)), compare_ipython.difference(source)


@settings(max_examples=1500, deadline=None, suppress_health_check=list(HealthCheck))
@given(_NOISE)
def test_cells_of_noise_are_read_as_ipython_reads_them(source: str) -> None:
    assert _explained(compare_ipython.difference(source)), compare_ipython.difference(source)


@pytest.mark.parametrize(
    "source",
    [
        "",
        "\n\n",
        "x = 1\n%matplotlib inline",
        "    x = 1\n    y = '''\n  \n    '''",
        "def f():\n    '''\n    >>> f()\n    '''",
        'x = """\n>>> 1\n"""',
        "%%time\n%%capture out\n!ls\nx = f'{y}'",
        "%%prun\nfor i in x:\n    %time f(i)",
        "!pip install \\\n  a \\\n  b\nx = 1",
        "x = 1\x0c\ny = 2",
        "s = 'a\u2028b'",
        "s = 'a'\u2028%pwd\nx",
        "f'{x}' + '''\n%a\n'''\n!ls",
        "x = {'a': 1}\n!echo {x['a']} ${y}",
    ],
)
def test_chosen_cells_are_read_as_ipython_reads_them(source: str) -> None:
    assert _explained(compare_ipython.difference(source))
