"""``--boundary auto``: what the analysis does about each hidden dependency, what it lists, what stays an error."""

from __future__ import annotations

import pytest

from nbcomponent.core.diagnostics import Diagnostic, Place

from .small import analysis_of, component_of

SHARED = """
== other
{one} = [1]
{two} = {one}
== main
{two}.append(2)
print({one})
"""


def errors(text: str, name: str = "main") -> list[Diagnostic]:
    found = component_of(text, name, boundary="auto")
    return [d for d in found.diagnostics if d.severity == "error"]


@pytest.mark.parametrize(("one", "two"), [("a", "b"), ("b", "a")])
def test_two_values_that_share_an_object_are_named_in_the_order_of_their_use(
    one: str, two: str
) -> None:
    [error] = errors(SHARED.format(one=one, two=two))
    assert (error.code, error.name, error.place) == ("NBC104", two, Place(1, 1, 1, 1, 2))
    assert error.message == (
        f"`{two}` and `{one}` share an object that main changes; as two inputs they would be two copies"
    )
    assert error.fix is not None
    assert error.fix.title == f"make `{one}` from `{two}` inside main"


CYCLE = """
== one
a = len(input())
== two
{first}, {second} = a + 1, a + 2
== one
print({second}, {first})
"""


@pytest.mark.parametrize(("first", "second"), [("b", "c"), ("c", "b")])
def test_a_cycle_names_the_value_that_is_used_first(first: str, second: str) -> None:
    found = analysis_of(CYCLE.format(first=first, second=second), "auto").diagnostics
    at_one = next(d for d in found if d.component == "one")
    assert (at_one.code, at_one.severity, at_one.name) == ("NBC101", "error", second)
    assert at_one.place == Place(2, 1, 7, 1, 8)
    assert (
        at_one.message == f"one needs `{second}` of two, which in turn needs one: one -> two -> one"
    )


def test_what_a_function_of_another_cell_needs_is_placed_where_the_function_is_used() -> None:
    """And is as wide as the function's name."""
    text = """
    == other
    values = [len(input())]
    other_name = [values]
    def f():
        values.append(1)
    == main
    f()
    print(other_name)
    """
    [error] = errors(text)
    assert (error.code, error.name, error.place) == ("NBC104", "values", Place(1, 1, 1, 1, 2))


# What is solved, by what, and what is listed. A note says what was done; nothing else is said.

SOLVED = {
    "an import of another component": (
        "== other\nimport math\n== main\nprint(math.pi)",
        "math=import", "0.0 import", "", "NBC101 note math",
    ),
    "a function of another component": (
        "== other\ndef f():\n    return 1\n== main\nprint(f())",
        "f=definition", "0.0 definition", "", "NBC101 note f",
    ),
    "a class of another component": (
        "== other\nclass A:\n    size = 1\n== main\nprint(A.size)",
        "A=definition", "0.0 definition", "", "NBC101 note A",
    ),
    "a constant of another component": (
        "== other\nn = 3\n== main\nprint(n)",
        "n=constant", "0.0 constant", "", "NBC101 note n",
    ),
    "what a carried function needs": (
        "== other\nimport math\nn = 2\ndef f():\n    return n * math.pi\n== main\nprint(f())",
        "f=definition math=import n=constant", "0.0 import, 0.1 constant, 0.2 definition", "",
        "NBC101 note f, NBC101 note math, NBC101 note n",
    ),
    "a value of another component": (
        "== other\nx = sum([1, 2])\n== main\nprint(x)",
        "x=input", "", "x other ?", "NBC101 note x",
    ),
    "a value whose type the text shows": (
        "== other\nimport numpy as np\nx = np.zeros(3)\n== main\nprint(x)",
        "x=input", "", "x other numpy.ndarray", "NBC101 note x",
    ),
    "a value of the last of several components that make it": (
        "== other\nlr = [len('a')]\n== third\nlr = [len('ab')]\n== main\nprint(lr)",
        "lr=input", "", "lr third list", "NBC101 note lr",
    ),
    "a value of the last component that changes it": (
        "== other\nx = [len('a')]\n== third\nx.append(2)\n== main\nprint(x)",
        "x=input", "", "x third list", "NBC101 note x",
    ),
    "a value that is bound on some paths only": (
        "== other\nif len('ab') > 1:\n    x = len('a')\n== main\nprint(x)",
        "x=input", "", "x other int", "NBC101 note x",
    ),
    "a global of a function of another component": (
        "== other\ntable = dict([('a', 1)])\ndef f(k):\n    return table[k]\n== main\nprint(f('a'))",
        "f=definition table=input", "0.1 definition", "table other builtins.dict",
        "NBC101 note f, NBC101 note table",
    ),
    "an untagged statement": (
        "==\nx = sum([1, 2])\n== main\nprint(x)",
        "x=sliced", "0.0 statement", "", "NBC101 note x",
    ),
    "untagged statements that make what it needs": (
        "==\na = sum([1])\nb = sum([2])\nx = a + 1\n== main\nprint(x)",
        "a=sliced x=sliced", "0.0 statement, 0.2 statement", "", "NBC101 note a, NBC101 note x",
    ),
    "an untagged statement that changes what another component makes": (
        "== other\nx = [len('a')]\n==\nx.append(3)\n== main\nprint(x)",
        "x=input", "1.0 statement", "x other list", "NBC101 note x",
    ),
    "an untagged statement that cannot run twice runs in the first that needs it": (
        "==\nx = open('f.txt').read()\n== other\nprint(x)\n== main\nprint(x)",
        "x=input", "", "x other ?", "NBC101 note x",
    ),
    "a value that a package's constructor makes anew": (
        "== other\nimport threading\nx = threading.Lock()\n== main\nwith x:\n    print(1)",
        "threading=import x=sliced", "0.0 import, 0.1 statement", "", "NBC101 note threading, NBC101 note x",
    ),
    "a random value that two components need is made once": (
        "==\nimport random\nx = random.random()\n== other\nprint(x)\n== main\nprint(x)",
        "x=input", "", "x other float", "NBC101 note x",
    ),
    "a function that was defined anew after what needs the former one": (
        "==\ndef f():\n    return 1\nx = [f()]\n==\ndef f():\n    return 2\n== main\nprint(x)\nprint(f())",
        "f=definition x=sliced", "0.0 definition, 0.1 statement, 1.0 definition", "",
        "NBC101 note f, NBC101 note x",
    ),
    "an untagged change of its own value": (
        "== main\na = [1]\n==\na.append(2)\n== main\nprint(a)",
        "", "1.0 statement", "", "NBC104 note a",
    ),
    "a name of a star import": (
        "== other\nfrom math import *\n== main\nprint(sqrt(4))",
        "sqrt=import", "0.0 import", "", "NBC110 note sqrt",
    ),
    "a class whose definition calls a package, and its instance": (
        "== other\nimport string\nclass Words(string.Template):\n    delimiter = string.punctuation\n== main\nprint(Words.delimiter)",
        "Words=definition string=import", "0.0 import, 0.1 definition", "",
        "NBC101 note Words, NBC101 note string",
    ),
    "an environment variable set from a constant": (
        "== other\nimport os\nos.environ['A'] = '1'\n== main\nimport os\nprint(os.environ['A'])",
        "os=import", "0.0 import, 0.1 statement", "", "NBC101 note os, NBC108 note A",
    ),
    "an option set from a constant": (
        "== other\nimport warnings\nwarnings.filterwarnings('ignore')\n== main\nimport warnings\nwarnings.warn('x')",
        "warnings=import", "0.0 import, 0.1 statement", "", "NBC101 note warnings, NBC108 note warnings.filterwarnings",
    ),
    "a seeding after which nothing draws": (
        "== other\nimport random\nrandom.seed(1)\n== main\nprint(random.random())",
        "random=import", "0.0 import, 0.1 statement", "", "NBC101 note random, NBC108 note random.seed",
    ),
    "a seeding after which something draws": (
        "== other\nimport random\nrandom.seed(1)\nx = random.random()\n== main\nprint(random.random())",
        "random=import", "0.0 import", "python_random_state other tuple",
        "NBC101 note random, NBC108 note random.seed",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "dependencies", "carried", "crossings", "said"), SOLVED.values(), ids=SOLVED
)
def test_what_is_solved_is_listed(
    text: str, dependencies: str, carried: str, crossings: str, said: str
) -> None:
    found = component_of(text, boundary="auto")
    assert " ".join(sorted(f"{d.name}={d.resolution}" for d in found.dependencies)) == dependencies
    assert ", ".join(f"{c.cell}.{c.index} {c.kind}" for c in found.carried) == carried
    crossed = [f"{c.name} {c.producer} {c.value_type or '?'}" for c in found.crossings]
    assert ", ".join(crossed) == crossings
    assert ", ".join(sorted(f"{d.code} {d.severity} {d.name}" for d in found.diagnostics)) == said


@pytest.mark.parametrize("text", [case[0] for case in SOLVED.values()], ids=SOLVED)
def test_strict_solves_none_of_these(text: str) -> None:
    """So auto is what solves them."""
    assert any(d.severity != "note" or d.code == "NBC108" for d in component_of(text).diagnostics)


# What no script could do stays an error, and says why.

BLOCKED = {
    "no cell defines it": ("== main\nprint(x)", "NBC102 x", "is defined by no cell"),
    "only below": ("== main\nprint(x)\n== other\nx = 1", "NBC103 x", "used above cell 1"),
    "a cell that is skipped": (
        "== +skip\nx = sum([1, 2])\n== main\nprint(x)",
        "NBC101 x", "tagged skip and is never exported",
    ),
    "deleted after it was made": (
        "== other\nx = sum([1, 2])\n==\ndel x\n== main\nprint(x)",
        "NBC101 x", "bound or deleted in a way that a script cannot repeat",
    ),
    "bound by a shell line": (
        "==\nx = !ls\n== main\nprint(x)",
        "NBC101 x", "bound or deleted in a way that a script cannot repeat",
    ),
    "changed again by its maker": (
        "== other\nx = [len('a')]\n== main\nprint(x)\n== other\nx.append(1)",
        "NBC101 x, NBC104 x", "other changes it again in cell 2, after it is read here",
    ),
    "needed as two components leave it": (
        "== other\nx = [len('a')]\n== main\nprint(x)\n== third\nx.append(2)\n== main\nprint(x)",
        "NBC105 x", "needed once as other leaves it and once as third does",
    ),
    "its own value changed by another component": (
        "== main\na = [1]\n== other\na.append(2)\n== main\nprint(a)",
        "NBC104 a", "changed (append) by cell 1",
    ),
    "a lambda in a container": (
        "== other\nx = [lambda: 1]\n== main\nprint(x[0]())", "NBC101 x", "holds a lambda",
    ),
    "an open file": (
        "== other\nx = open('f.txt')\n== main\nprint(x.read())", "NBC101 x", "it is an open file",
    ),
    "a generator": (
        "== other\nx = (i for i in [1])\n== main\nprint(list(x))",
        "NBC101 x", "it is an iterator or generator",
    ),
    "a generator of a function": (
        "== other\ndef g():\n    yield 1\nx = g()\n== main\nprint(list(x))",
        "NBC101 x", "it is an iterator or generator",
    ),
    "a database connection": (
        "== other\nimport sqlite3\nx = sqlite3.connect('a.db')\n== main\nprint(x)",
        "NBC101 x", "other makes it, and it is",
    ),
    "a class whose definition has effects": (
        "== other\nclass A:\n    print('made')\n== main\nprint(A)",
        "NBC101 A", "it is a class, which cannot be stored",
    ),
    "an instance of such a class": (
        "== other\nclass A:\n    print('made')\n    def get(self):\n        return 1\nx = A()\n== main\nprint(x.get())",
        "NBC101 x", "whose definition in cell 0 has effects",
    ),
    "the kernel's history": (
        "== other\n1 + 1\n== main\nprint(_)", "NBC107 _", "exists only in the kernel",
    ),
    "a name made through globals": (
        "== other\nglobals()['x'] = 1\n== main\nprint(x)", "NBC107 x", "exists only in the kernel",
    ),
    "the working directory": (
        "== other\nimport os\nos.chdir('work')\n== main\nprint(open('a.txt').read())",
        "NBC108 os.chdir, NBC109 a.txt", "working directory",
    ),
    "an environment variable that is computed": (
        "== other\nimport os\nos.environ['A'] = os.getcwd()\n== main\nimport os\nprint(os.environ['A'])",
        "NBC108 A", "the environment variable A is set in cell 0",
    ),
    "a file that another component writes": (
        "== other\nopen('t.txt', 'w').write('x')\n== main\nprint(open('t.txt').read())",
        "NBC109 t.txt", "is written by cell 0",
    ),
    "a patch of a module": (
        "== other\nimport math\nmath.twice = len\n== main\nimport math\nprint(math.twice('a'))",
        "NBC112 math.twice", "is patched in cell 0",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "codes", "why"), BLOCKED.values(), ids=BLOCKED)
def test_what_cannot_be_solved_stays_an_error_and_says_why(text: str, codes: str, why: str) -> None:
    found = errors(text)
    assert ", ".join(sorted(f"{d.code} {d.name}" for d in found)) == codes
    assert any(why in d.message for d in found)


# A definition has an effect when its decorator does more than wrap: it would happen again where it is carried to.

WRAPS = {
    "gives it back": "    return f",
    "wraps it": "    def inner(*a):\n        print('called')\n        return f(*a)\n    return inner",
    "wraps it as functools does": "    @functools.wraps(f)\n    def inner(*a):\n        return f(*a)\n    return inner",
    "asks for its name": "    name = f.__name__.upper()\n    return lambda *a: (name, f(*a))",
    "is used with arguments": "    def deco(g):\n        return g\n    return deco",
}
DOES_MORE = {
    "prints": "    print('made')\n    return f",
    "calls it": "    f()\n    return f",
    "calls another function": "    note(f)\n    return f",
    "writes a file": "    open('log', 'w').write(f.__name__)\n    return f",
    "registers it": "    known.append(f)\n    return f",
    "prints when it is used with arguments": "    def deco(g):\n        print('made')\n        return g\n    return deco",
}


def decorated(body: str) -> str:
    use = "deco(1)" if "def deco" in body else "deco"
    return (
        "== +shared\nimport functools\nknown = []\ndef note(x):\n    print(x)\n"
        f"def deco(f):\n{body}\n@{use}\ndef g():\n    return 1\n== main\nprint(g())"
    )


@pytest.mark.parametrize("body", WRAPS.values(), ids=WRAPS)
def test_a_function_whose_decorator_only_wraps_is_carried(body: str) -> None:
    found = component_of(decorated(body))
    assert "g" in [name for c in found.carried for name in c.names]
    assert found.diagnostics == ()


@pytest.mark.parametrize("body", DOES_MORE.values(), ids=DOES_MORE)
def test_a_function_whose_decorator_does_more_is_not_carried(body: str) -> None:
    found = component_of(decorated(body))
    assert [(d.code, d.severity, d.name) for d in found.diagnostics] == [("NBC101", "error", "g")]
