"""The whole of a finding: severity, place, cells, words and way out, for each code of hidden state."""

from __future__ import annotations

import pytest

from nbcomponent.core.diagnostics import Diagnostic, Fix, Place

from .small import component_of

FINDINGS: list[tuple[str, str, list[Diagnostic]]] = [
    (
        "value of an untagged cell",
        """
==
rate = load()
== main
print(1 + rate)
""",
        [
            Diagnostic(
                "NBC101",
                "error",
                "`rate` is defined only outside main, in cell 0",
                Place(1, 1, 11, 1, 15),
                name="rate",
                defined_in=(0,),
                component="main",
                fix=Fix(
                    "tag cell 0 component:main, make `rate` a parameter, or declare it as an input",
                    "promote-parameter",
                ),
            ),
        ],
    ),
    (
        "value of another component",
        """
== other
rate = len("ab")
== main
print(rate)
""",
        [
            Diagnostic(
                "NBC101",
                "error",
                "`rate` is defined only outside main, in cell 0 (component other)",
                Place(1, 1, 7, 1, 11),
                name="rate",
                defined_in=(0,),
                component="main",
                fix=Fix(
                    "declare `rate` as an input of main in its contract (and as an output where it is made), or export with --boundary auto",
                    "declare-input",
                ),
            ),
        ],
    ),
    (
        "constant that is carried over",
        """
==
rate = 3
== main
print(rate)
""",
        [
            Diagnostic(
                "NBC101",
                "note",
                "the constant `rate` is carried over from cell 0",
                Place(1, 1, 7, 1, 11),
                name="rate",
                defined_in=(0,),
                component="main",
                fix=None,
            ),
        ],
    ),
    (
        "no cell",
        """
== main
rows = list(train)
""",
        [
            Diagnostic(
                "NBC102",
                "error",
                "`train` is defined by no cell of the notebook: its cell was deleted, or it lives only in the kernel",
                Place(0, 1, 13, 1, 18),
                name="train",
                defined_in=(),
                component="main",
                fix=Fix(
                    "define `train` in a cell of main, or make it a parameter", "promote-parameter"
                ),
            ),
        ],
    ),
    (
        "below",
        """
== main
print(width)
==
width = len("ab")
""",
        [
            Diagnostic(
                "NBC103",
                "error",
                "`width` is used above cell 1, the only place that defines it",
                Place(0, 1, 7, 1, 12),
                name="width",
                defined_in=(1,),
                component="main",
                fix=Fix("move cell 1 above this cell, or into main", "edit"),
            ),
        ],
    ),
    (
        "changed",
        """
== main
rows = [1]
==
rows.append(2)
== main
print(rows)
""",
        [
            Diagnostic(
                "NBC104",
                "error",
                "`rows` is changed (append) by cell 1, which is not part of main, before it is used here",
                Place(2, 1, 7, 1, 11),
                name="rows",
                defined_in=(1,),
                component="main",
                fix=Fix("tag cell 1 component:main, or work on a copy there", "tag-component"),
            ),
        ],
    ),
    (
        "changed in several cells",
        """
== main
rows = [1]
==
rows.append(2)
==
rows.append(3)
== main
print(rows)
""",
        [
            Diagnostic(
                "NBC104",
                "error",
                "`rows` is changed (append) by cells 1 and 2, which are not part of main, before it is used here",
                Place(3, 1, 7, 1, 11),
                name="rows",
                defined_in=(1, 2),
                component="main",
                fix=Fix(
                    "tag cells 1 and 2 component:main, or work on a copy there", "tag-component"
                ),
            ),
        ],
    ),
    (
        "several definitions",
        """
==
rate = len("a")
==
rate = len("ab")
== main
print(rate)
""",
        [
            Diagnostic(
                "NBC105",
                "error",
                "`rate` is defined in cells 0 and 1: which value it has depends on the order they ran in",
                Place(2, 1, 7, 1, 11),
                name="rate",
                defined_in=(0, 1),
                component="main",
                fix=Fix("define `rate` in one cell, or make it a parameter", "promote-parameter"),
            ),
        ],
    ),
    (
        "some paths",
        """
==
import sys
if len(sys.argv) > 3:
    rate = len("a")
== main
print(rate)
""",
        [
            Diagnostic(
                "NBC105",
                "error",
                "`rate` is bound only on some paths, in cell 0",
                Place(1, 1, 7, 1, 11),
                name="rate",
                defined_in=(0,),
                component="main",
                fix=Fix("bind `rate` on every path, or make it a parameter", "promote-parameter"),
            ),
        ],
    ),
    (
        "carried function",
        """
==
scale = len("abc")
def area(r):
    return r * scale
== main
print(area(2))
""",
        [
            Diagnostic(
                "NBC101",
                "note",
                "the definition of `area` is carried over from cell 0",
                Place(1, 1, 7, 1, 11),
                name="area",
                defined_in=(0,),
                component="main",
                fix=None,
            ),
            Diagnostic(
                "NBC106",
                "error",
                "code brought in here needs `scale` of cell 0, which is not carried over",
                Place(1, 1, 7, 1, 11),
                name="scale",
                defined_in=(0,),
                component="main",
                fix=Fix(
                    "pass `scale` as an argument, make it a parameter, or tag its cell component:main",
                    "promote-parameter",
                ),
            ),
        ],
    ),
    (
        "kernel",
        """
==
1 + 1
== main
print(_)
""",
        [
            Diagnostic(
                "NBC107",
                "error",
                "`_` exists only in the kernel: it comes from cell 0 without a plain assignment",
                Place(1, 1, 7, 1, 8),
                name="_",
                defined_in=(0,),
                component="main",
                fix=Fix("assign the value to a variable and use that instead of `_`", "edit"),
            ),
        ],
    ),
    (
        "unreadable text",
        """
== main
exec(open("a").read())
""",
        [
            Diagnostic(
                "NBC107",
                "error",
                "`exec` reaches names of the notebook through text that cannot be read",
                Place(0, 1, 1, 1, 23),
                name="exec",
                defined_in=(),
                component="main",
                fix=Fix("use the names themselves", "edit"),
            ),
            Diagnostic(
                "NBC109",
                "error",
                "`a` is a relative path that no input covers",
                Place(0, 1, 6, 1, 15),
                name="a",
                defined_in=(),
                component="main",
                fix=Fix(
                    "declare an input in the contract of main and read its path", "declare-input"
                ),
            ),
        ],
    ),
    (
        "environment",
        """
==
import os
os.environ["MODE"] = "fast"
== main
import os
print(os.environ["MODE"])
""",
        [
            Diagnostic(
                "NBC108",
                "error",
                "the environment variable MODE is set in cell 0, outside main",
                Place(1, 2, 7, 2, 25),
                name="MODE",
                defined_in=(0,),
                component="main",
                fix=Fix(
                    "declare MODE under environment_variables in the contract, or set it in main",
                    "edit",
                ),
            ),
        ],
    ),
    (
        "seed",
        """
==
import random
random.seed(3)
== main
import random
print(random.random())
""",
        [
            Diagnostic(
                "NBC108",
                "error",
                "the random state is seeded in cell 0, outside main, which draws from it",
                Place(1, 2, 7, 2, 22),
                name="random.seed",
                defined_in=(0,),
                component="main",
                fix=Fix(
                    "seed in main itself, or pass a generator (random_state=, default_rng(seed))",
                    "edit",
                ),
            ),
        ],
    ),
    (
        "file",
        """
==
open("rows.txt", "w").write("a")
== main
print(open("rows.txt").read())
""",
        [
            Diagnostic(
                "NBC109",
                "error",
                "`rows.txt` is written by cell 0, outside main, and read here",
                Place(1, 1, 7, 1, 23),
                name="rows.txt",
                defined_in=(0,),
                component="main",
                fix=Fix(
                    "declare an input in the contract of main and read its path", "declare-input"
                ),
            ),
        ],
    ),
    (
        "folders of several cells",
        """
==
import os
os.makedirs("out", exist_ok=True)
==
import os
os.makedirs("out", exist_ok=True)
== main
open("out/a.txt", "w").write("a")
""",
        [
            Diagnostic(
                "NBC109",
                "warning",
                "`out/a.txt` is written into a folder that cells 0 and 1, outside main, make",
                Place(2, 1, 1, 1, 23),
                name="out/a.txt",
                defined_in=(0, 1),
                component="main",
                fix=Fix(
                    "make the folder in main, or declare an output and write to its path",
                    "declare-output",
                ),
            ),
        ],
    ),
    (
        "star",
        """
==
from unknown_module import *
== main
print(thing)
""",
        [
            Diagnostic(
                "NBC110",
                "error",
                "`thing` can only come from the star import in cell 0",
                Place(1, 1, 7, 1, 12),
                name="thing",
                defined_in=(0,),
                component="main",
                fix=Fix("import `thing` by name", "move-import"),
            ),
        ],
    ),
    (
        "magic",
        """
== main
!ls | wc
""",
        [],
    ),
    (
        "patch",
        """
==
import math
math.tau = 3
== main
import math
print(math.tau)
""",
        [
            Diagnostic(
                "NBC112",
                "error",
                "`math.tau` is patched in cell 0, outside main",
                Place(1, 2, 7, 2, 15),
                name="math.tau",
                defined_in=(0,),
                component="main",
                fix=Fix(
                    "tag the patching cell component:main, or use a function or subclass instead",
                    "tag-component",
                ),
            ),
        ],
    ),
    (
        "magic",
        """
== main
%edit x
""",
        [
            Diagnostic(
                "NBC111",
                "error",
                "`%edit` cannot run in a script: it opens an editor.",
                Place(0, 1, 1, 1, 8),
                name="%edit",
                defined_in=(),
                component="main",
                fix=Fix("write the code into the cell", "edit"),
            ),
        ],
    ),
    (
        "defined further down in its own cell",
        """
== main
big = 3 > cutoff
cutoff = 50
""",
        [
            Diagnostic(
                "NBC103",
                "error",
                "`cutoff` is used here before it is defined, further down in this cell",
                Place(0, 1, 11, 1, 17),
                name="cutoff",
                defined_in=(0,),
                component="main",
                fix=Fix("define `cutoff` above its first use", "edit"),
            ),
        ],
    ),
    (
        "item assigned by another cell",
        """
== main
rows = {}
==
rows["a"] = 1
== main
print(rows)
""",
        [
            Diagnostic(
                "NBC104",
                "error",
                "`rows` is changed (an item of it is assigned) by cell 1, which is not part of main, "
                "before it is used here",
                Place(2, 1, 7, 1, 11),
                name="rows",
                defined_in=(1,),
                component="main",
                fix=Fix("tag cell 1 component:main, or work on a copy there", "tag-component"),
            ),
        ],
    ),
]


@pytest.mark.parametrize(
    ("text", "expected"), [f[1:] for f in FINDINGS], ids=[f[0] for f in FINDINGS]
)
def test_everything_that_a_finding_says(text: str, expected: list[Diagnostic]) -> None:
    assert list(component_of(text).diagnostics) == expected


def test_every_code_of_hidden_state_has_its_words_here() -> None:
    assert {d.code for f in FINDINGS for d in f[2]} == {f"NBC{n}" for n in range(101, 113)}
