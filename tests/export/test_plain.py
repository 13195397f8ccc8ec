"""IPython syntax as plain Python."""

from __future__ import annotations

import ast

import pytest

from nbcomponent.export.plain import Untranslatable, plain_cell
from nbcomponent.notebook.ipython import parse_cell

KNOWN = frozenset({"name", "n", "d"})


def plain(source: str) -> str:
    cell = plain_cell(parse_cell(source), KNOWN)
    ast.parse(cell.code)
    return cell.code.strip("\n")


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("%matplotlib inline", ""),
        ("if n:\n    %matplotlib inline", "if n:\n    pass"),
        ("%time x = f(1)", "x = f(1)"),
        ("x = %time f(1)", "x = f(1)"),
        ("%prun f(1)", "f(1);"),
        ("%timeit f(1)", ""),
        ("len?", ""),
        ("%pip install numpy", ""),
        ("!ls -l", '__nbc_shell__("ls -l")'),
        ("!echo {name} $name", '__nbc_shell__(f"echo {name} {name}")'),
        ("!echo {n!r} {name[1:2]} {{x}}", '__nbc_shell__(f"echo {n!r} {name[1:2]} {{x}}")'),
        ("!echo {n:03d}", '__nbc_shell__("echo {n:03d}")'),  # IPython cannot evaluate it either.
        ("!echo {d['a']}", """__nbc_shell__("echo {}".format(d['a']))"""),
        ("!echo {name} $HOME", '__nbc_shell__("echo {name} $HOME")'),
        ("files = !ls", 'files = __nbc_shell_lines__("ls")'),
        ("%cd data", '__nbc_os__.chdir("data")'),
        ("%cd ~/x", '__nbc_os__.chdir(__nbc_os__.path.expanduser("~/x"))'),
        ("%env A=b c", '__nbc_os__.environ["A"] = "b c"'),
        ("x = %env HOME", 'x = __nbc_os__.environ["HOME"]'),
        ("%%time\nx = 1", "x = 1"),
        ("%%bash\necho 1", '__nbc_interpret__(["bash"], "echo 1\\n")'),
        (
            "for n in d:\n    !echo {n}\n    %time f(n)",
            'for n in d:\n    __nbc_shell__(f"echo {n}")\n    f(n)',
        ),
    ],
)
def test_each_piece_has_its_translation(source: str, code: str) -> None:
    assert plain(source) == code


@pytest.mark.parametrize(
    "body", ['line "one"\n\n  two \\n\\\n', "a = '''x'''\n", 'b = """x"""\n', "tab\there\n", "é\n"]
)
def test_writefile_writes_the_same_text(body: str) -> None:
    tree = ast.parse(plain(f"%%writefile made.txt\n{body}"))
    texts = {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant)}
    assert body in texts


def test_statements_keep_their_index() -> None:
    cell = plain_cell(parse_cell("%matplotlib inline\na = 1\n%env B=2\nc = 3"), KNOWN)
    assert cell.statement_of == (1, 2, 3)
    assert cell.changing == {1}


def test_what_no_script_can_run_is_refused() -> None:
    with pytest.raises(Untranslatable, match="cannot run in a script"):
        plain("%run other.ipynb")
