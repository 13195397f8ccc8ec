"""Objects of the component that other cells change or rebind in between (03, 19)."""

from __future__ import annotations

from ..small import Case, case


def between(
    id: str, own: str, outside: str, name: str, reads: str = "", **more: str | None
) -> Case:
    """The component makes a value, an untagged cell does something, the component reads it."""
    text = f"== main\n{own}\n==\n{outside}\n== main\nprint({reads or name})\n"
    return case(id, text, "", f"{name}=104|105@1", **more)  # type: ignore[arg-type]


def harmless(id: str, own: str, outside: str, reads: str) -> Case:
    return case(id, f"== main\n{own}\n==\n{outside}\n== main\nprint({reads})\n")


CHANGED = [
    between("subscript", "d = {}", 'd["a"] = 1', "d"),
    between("subscript of a subscript", 'd = {"a": {}}', 'd["a"]["b"] = 1', "d"),
    between("slice store", "a = [1, 2]", "a[:] = [3]", "a"),
    between("delete an element", "a = [1, 2]", "del a[0]", "a"),
    between("delete an attribute", "import types\nb = types.SimpleNamespace(x=1)", "del b.x", "b"),
    between("attribute", "import types\nb = types.SimpleNamespace()", "b.x = 1", "b"),
    between("attribute of an element", "import types\nb = [types.SimpleNamespace()]", "b[0].x = 1", "b"),
    between("append", "a = []", "a.append(1)", "a"),
    between("append in a loop", "a = []", "for i in range(3):\n    a.append(i)", "a"),
    between("append in a comprehension", "a = []", "_ = [a.append(i) for i in range(3)]", "a"),
    between("append under if", "a = []", "if len('x'):\n    a.append(1)", "a"),
    between("update", "d = {}", "d.update(x=1)", "d"),
    between("setdefault", "d = {}", 'd.setdefault("x", []).append(1)', "d"),
    between("pop", "a = [1, 2]", "last = a.pop()", "a", quiet="last"),
    between("sort", "a = [2, 1]", "a.sort()", "a"),
    between("set methods", "s = set()", "s |= {1}\ns.add(2)", "s"),
    between("method of the class", "a = []", "list.append(a, 1)", "a"),
    between("bound method passed on", "a = []", "list(map(a.append, [1]))", "a"),
    between("bound method under a name", "a = []", "push = a.append\npush(1)", "a"),
    between("augmented list", "a = [1]", "a += [2]", "a"),
    between("augmented number", "n = 1", "n += 1", "n"),
    between("augmented element", "a = [1]", "a[0] += 1", "a"),
    between("rebound", "x = 1", "x = 2", "x"),
    between("rebound by unpacking", "x = 1", "x, y = 2, 3", "x", quiet="y"),
    between("rebound by a loop", "x = 1", "for x in range(3):\n    pass", "x"),
    between("rebound by with", "x = 1", "import io\nwith io.StringIO() as x:\n    pass", "x", reads="type(x)"),
    between("rebound by an import", "path = 1", "from os import path", "path", reads="type(path)"),
    between("rebound by a function", "f = 1", "def f():\n    return 2", "f", reads="type(f)"),
    between("rebound by a walrus", "x = 1", "if (x := 5):\n    pass", "x"),
    between("rebound by a global statement", "x = 1", "def set_x():\n    global x\n    x = 2\nset_x()", "x"),
    between("rebound through globals", "x = 1", 'globals()["x"] = 2', "x"),
    between("rebound through exec", "x = 1", 'exec("x = 2")', "x"),
    between("rebound under if", "x = 1", "if len('a'):\n    x = 2", "x"),
    between("rebound by match", "x = 1", "match [3]:\n    case [x]:\n        pass", "x"),
    between("rebound by a shell line", "x = 1", "x = !echo hi", "x"),
    between("rebound by capture", "x = 1", "%%capture x\nprint(1)", "x", reads="type(x)"),
    between("rebound by time", "x = 1", "%time x = 2", "x"),
    between("deleted", "x = 1", "del x", "x"),
    between("deleted by a handler", "x = 1", "try:\n    1 / 0\nexcept ZeroDivisionError as x:\n    pass", "x"),
    between("alias", "a = []", "b = a\nb.append(1)", "a", quiet="b"),
    between("alias of an alias", "a = []", "b = a\nc = b\nc.append(1)", "a"),
    between("alias through an element", 'd = {"k": []}', 'b = d["k"]\nb.append(1)', "d"),
    between("alias through a computed element", 'd = {"k": []}\nkey = "k"', "b = d[key]\nb.append(1)", "d"),
    between("alias through get", 'd = {"k": []}', 'd.get("k").append(1)', "d"),
    between("alias through get and a name", 'd = {"k": []}', 'b = d.get("k")\nb.append(1)', "d"),
    between("alias through an attribute", "import types\nb = types.SimpleNamespace(x=[])", "y = b.x\ny.append(1)", "b"),
    between("alias through a list", "a = []", "both = [a, 1]\nboth[0].append(1)", "a"),
    between("alias through a dict", "a = []", 'both = {"a": a}\nboth["a"].append(1)', "a"),
    between("alias through a tuple", "a = []", "x, y = a, 1\nx.append(1)", "a"),
    between("alias through a conditional", "a = []", "b = a if len('x') else None\nb.append(1)", "a"),
    between("alias through or", "a = [1]", "b = a or []\nb.append(1)", "a"),
    between("alias through a walrus", "a = []", "(b := a).append(1)", "a"),
    between("alias through a function that gives it back", "a = []", "def same(x):\n    return x\nb = same(a)\nb.append(1)", "a"),
    between("alias through what a function returns", "a = []", "def all_of():\n    return a\nb = all_of()\nb.append(1)", "a"),
    between("what a function returns, without a name", "a = []", "def all_of():\n    return a\nall_of().append(1)", "a"),
    between("what a function returns of what it is given, without a name", "a = []", "def same(x):\n    return x\nsame(a).append(1)", "a"),
    between("what a function of the component returns", "a = []\ndef all_of():\n    return a", "all_of().append(1)", "a"),
    between("an element that a function returns", "d = {'k': []}", "def first():\n    return d['k']\nb = first()\nb.append(1)", "d"),
    between("one of what a function returns", "a = []", "def both():\n    return a, 1\nb, c = both()\nb.append(1)", "a", quiet="c"),
    between("what a function returns on one path", "a = []", "def some(x):\n    return a if x else None\nb = some(1)\nb.append(1)", "a"),
    between("what a lambda returns", "a = []", "all_of = lambda: a\nall_of().append(1)", "a"),
    between("what a method of an instance without a name returns", "a = []", "class Rows:\n    def all_of(self):\n        return a\nb = Rows().all_of()\nb.append(1)", "a"),
    between("what a method returns", "a = []", "class Rows:\n    def all_of(self):\n        return a\nrows = Rows()\nb = rows.all_of()\nb.append(1)", "a"),
    between("elements of a loop", "rows = [[1], [2]]", "for row in rows:\n    row.append(0)", "rows"),
    between("elements of a loop over items", 'd = {"a": [1]}', "for k, v in d.items():\n    v.append(0)", "d"),
    between("elements of enumerate", "rows = [[1]]", "for i, row in enumerate(rows):\n    row[0] = i + 5", "rows"),
    between("elements of zip", "rows = [[1]]", "for row, n in zip(rows, [5]):\n    row.append(n)", "rows"),
    between("elements by unpacking", "rows = [[1], [2]]", "first, second = rows\nfirst.append(5)", "rows"),
    between("elements by index", "rows = [[1], [2]]", "for i in range(len(rows)):\n    rows[i].append(3)", "rows"),
    between("elements of a slice", "rows = [[1], [2]]", "for row in rows[:1]:\n    row.append(3)", "rows"),
    between("an element put in before", "row = []\nrows = [row]", "rows[0].append(1)", "row"),
    between("the container of what changes", "row = []\nrows = [row]", "row.append(1)", "rows"),
    between("put in, then changed there", "a = []", "box = []\nbox.append(a)\nbox[0].append(1)", "a"),
    between("put in by key, then changed there", "a = []", 'box = {}\nbox["a"] = a\nbox["a"].append(1)', "a"),
    between("elements of a copied list", "rows = [[1]]", "others = list(rows)\nothers[0].append(2)", "rows"),
    between("elements of a filtered list", "rows = [[1]]", "others = [r for r in rows]\nothers[0].append(2)", "rows"),
    between("unpacked into another list", "rows = [[1]]", "others = [*rows]\nothers[0].append(2)", "rows"),
    between("callee", "a = []", "def add(x):\n    x.append(1)\nadd(a)", "a"),
    between("callee by keyword", "a = []", "def add(n, x):\n    x.append(n)\nadd(1, x=a)", "a"),
    between("callee by star", "a = []", "def add(*xs):\n    xs[0].append(1)\nadd(a)", "a"),
    between("callee of a callee", "a = []", "def inner(x):\n    x.append(1)\ndef outer(x):\n    inner(x)\nouter(a)", "a"),
    between("callee three deep", "a = []", "def f(x):\n    x.append(1)\ndef g(x):\n    f(x)\ndef h(x):\n    g(x)\ndef i(x):\n    h(x)\ndef j(x):\n    i(x)\nj(a)", "a"),
    between("callee through a local name", "a = []", "def add(x):\n    y = x\n    y.append(1)\nadd(a)", "a"),
    between("callee through an element", 'd = {"k": []}', 'def add(x):\n    y = x["k"]\n    y.append(1)\nadd(d)', "d"),
    between("callee through a loop", "rows = [[1]]", "def add(x):\n    for row in x:\n        row.append(0)\nadd(rows)", "rows"),
    between("callee in another cell of the component", "a = []\ndef add(x):\n    x.append(1)", "add(a)", "a"),
    between("callee with augmented parameter", "a = [1]", "def add(x):\n    x += [2]\nadd(a)", "a"),
    between("callee that changes a global", "a = []", "def add():\n    a.append(1)\nadd()", "a"),
    between("nested helper", "a = []", "def outer(x):\n    def helper():\n        x.append(1)\n    helper()\nouter(a)", "a"),
    between("nested helper with a parameter", "a = []", "def outer(x):\n    def helper(y):\n        y.append(1)\n    helper(x)\nouter(a)", "a"),
    between("lambda", "a = []", "add = lambda x: x.append(1)\nadd(a)", "a"),
    between("lambda with the global", "a = []", "add = lambda: a.append(1)\nadd()", "a"),
    between("default argument", "a = []", "def add(n, into=a):\n    into.append(n)\nadd(1)", "a"),
    between("partial", "a = []", "import functools\ndef add(x, n):\n    x.append(n)\nfunctools.partial(add, a)(1)", "a"),
    between("map over a callee", "rows = [[1]]", "def add(x):\n    x.append(1)\nlist(map(add, rows))", "rows"),
    between("method of a class", "a = []", "class Adder:\n    def add(self, x):\n        x.append(1)\nAdder().add(a)", "a"),
    between("method of an instance", "a = []", "class Adder:\n    def add(self, x):\n        x.append(1)\nadder = Adder()\nadder.add(a)", "a"),
    between("kept by an object", "a = []", "class Keeper:\n    def __init__(self, x):\n        self.x = x\n    def run(self):\n        self.x.append(1)\nKeeper(a).run()", "a"),
    between("kept by an object with a name", "a = []", "class Keeper:\n    def __init__(self, x):\n        self.x = x\n    def run(self):\n        self.x.append(1)\nkeeper = Keeper(a)\nkeeper.run()", "a"),
    between("own object with a method that changes it", "class Counter:\n    def __init__(self):\n        self.n = 0\n    def up(self):\n        self.n += 1\nc = Counter()", "c.up()", "c", reads="c.n"),
    between("own object changed through its own method", "class Counter:\n    def __init__(self):\n        self.rows = []\n    def up(self):\n        self._up()\n    def _up(self):\n        self.rows.append(1)\nc = Counter()", "c.up()", "c", reads="c.rows"),
    between("setattr", "import types\nb = types.SimpleNamespace()", 'setattr(b, "x", 1)', "b"),
    between("dict of the object", "import types\nb = types.SimpleNamespace()", 'b.__dict__["x"] = 1', "b"),
    between("vars of the object", "import types\nb = types.SimpleNamespace()", 'vars(b)["x"] = 1', "b"),
    between("operator.setitem", "d = {}", "import operator\noperator.setitem(d, 'x', 1)", "d"),
    between("heapq", "heap = []", "import heapq\nheapq.heappush(heap, 1)", "heap"),
    between("bisect", "a = [1, 3]", "import bisect\nbisect.insort(a, 2)", "a"),
    between("random.shuffle", "a = list(range(50))", "import random\nrandom.shuffle(a)", "a"),
    between("shuffle imported by name", "a = list(range(50))", "from random import shuffle\nshuffle(a)", "a"),
    between("np.random.shuffle", "import numpy as np\na = np.arange(50)", "np.random.shuffle(a)", "a", reads="a.tolist()"),
    between("rng.shuffle", "import numpy as np\na = np.arange(50)", "np.random.default_rng(1).shuffle(a)", "a", reads="a.tolist()"),
    between("iterator drawn from", "it = iter([1, 2, 3])", "next(it)", "it", reads="list(it)"),
    between("iterator used up by a loop", "it = iter([1, 2, 3])", "for x in it:\n    break", "it", reads="list(it)"),
    between("iterator used up by list", "it = iter([1, 2, 3])", "rest = list(it)", "it", reads="list(it)"),
    between("iterator used up by unpacking", "it = iter([1, 2, 3])", "first, *rest = it", "it", reads="list(it)"),
    between("generator used up by sum", "it = (x for x in [1, 2, 3])", "total = sum(it)", "it", reads="list(it)"),
    between("generator of a function used up", "def g():\n    yield 1\n    yield 2\nit = g()", "a = [x for x in it]", "it", reads="list(it)"),
    between("zip used up", "it = zip([1], [2])", "d = dict(it)", "it", reads="list(it)"),
    between("file read on", "import io\nf = io.StringIO('a\\nb')", "f.readline()", "f", reads="f.read()"),
    between("generator of random numbers drawn from", "import random\nrng = random.Random(1)", "rng.random()", "rng", reads="rng.random()"),
    between("numpy generator drawn from", "import numpy as np\nrng = np.random.default_rng(1)", "x = rng.normal(size=3)", "rng", reads="rng.random()"),
    between("numpy RandomState drawn from", "import numpy as np\nrng = np.random.RandomState(1)", "x = rng.rand(3)", "rng", reads="rng.rand()"),
    between("deque", "from collections import deque\nq = deque([1, 2])", "q.rotate(1)", "q"),
    between("counter", "from collections import Counter\nc = Counter()", "c['a'] += 1", "c"),
    between("inside a function that runs later", "a = []", "def later():\n    a.append(1)\ncallbacks = [later]\nfor c in callbacks:\n    c()", "a"),
    between("under a decorator that calls", "a = []", "def run(f):\n    f()\n    return f\n@run\ndef g():\n    a.append(1)", "a"),
    between("through exec", "a = []", 'exec("a.append(1)")', "a"),
    between("through time", "a = []", "%time a.append(1)", "a"),
    between("through timeit", "a = []", "%timeit -n 1 -r 1 a.append(1)", "a"),
    between("under %%time", "a = []", "%%time\na.append(1)", "a"),
]  # fmt: skip

FRAMES = [
    between("column", "import pandas as pd\ndf = pd.DataFrame({'x': [1, 2]})", 'df["y"] = df.x * 2', "df"),
    between("column attribute", "import pandas as pd\ndf = pd.DataFrame({'x': [1, 2]})", "df.x = 5", "df"),
    between("columns", "import pandas as pd\ndf = pd.DataFrame({'x': [1, 2]})", "df.columns = ['z']", "df"),
    between("index", "import pandas as pd\ndf = pd.DataFrame({'x': [1, 2]})", "df.index = [5, 6]", "df"),
    between("loc", "import pandas as pd\ndf = pd.DataFrame({'x': [1, 2]})", "df.loc[0, 'x'] = 9", "df"),
    between("at", "import pandas as pd\ndf = pd.DataFrame({'x': [1, 2]})", "df.at[0, 'x'] = 9", "df"),
    between("iloc", "import pandas as pd\ndf = pd.DataFrame({'x': [1, 2]})", "df.iloc[0, 0] = 9", "df"),
    between("inplace", "import pandas as pd\ndf = pd.DataFrame({'x': [1, 2], 'z': [1, 2]})", "df.drop(columns=['z'], inplace=True)", "df"),
    between("del column", "import pandas as pd\ndf = pd.DataFrame({'x': [1, 2], 'z': [1, 2]})", "del df['z']", "df"),
    between("pop column", "import pandas as pd\ndf = pd.DataFrame({'x': [1, 2], 'z': [1, 2]})", "z = df.pop('z')", "df"),
    between("insert column", "import pandas as pd\ndf = pd.DataFrame({'x': [1, 2]})", "df.insert(0, 'w', 1)", "df"),
    between("frame by another name", "import pandas as pd\ndf = pd.DataFrame({'x': [1, 2]})", "other = df\nother['y'] = 1", "df"),
    between("rebound frame", "import pandas as pd\ndf = pd.DataFrame({'x': [1, 2]})", "df = df[df.x > 1]", "df"),
    between("frame through a function", "import pandas as pd\ndf = pd.DataFrame({'x': [1, 2]})", "def prepare(d):\n    d['y'] = 1\n    return d\nready = prepare(df)", "df"),
    between("frame through pipe", "import pandas as pd\ndf = pd.DataFrame({'x': [1, 2]})", "def prepare(d):\n    d['y'] = 1\n    return d\nready = df.pipe(prepare)", "df", runs=None),
    between("array element", "import numpy as np\na = np.zeros(3)", "a[0] = 1", "a"),
    between("array in place", "import numpy as np\na = np.zeros(3)", "a += 1", "a"),
    between("array view by slice", "import numpy as np\na = np.zeros(3)", "v = a[1:]\nv[0] = 9", "a"),
    between("array view by reshape", "import numpy as np\na = np.zeros(4)", "v = a.reshape(2, 2)\nv[0, 0] = 9", "a"),
    between("array view by T", "import numpy as np\na = np.zeros((2, 2))", "v = a.T\nv[0, 0] = 9", "a"),
    between("array view by ravel", "import numpy as np\na = np.zeros((2, 2))", "a.ravel()[0] = 9", "a"),
    between("array alias in place", "import numpy as np\na = np.zeros(3)", "b = a\nb *= 0\nb += 2", "a"),
    between("array out", "import numpy as np\na = np.zeros(3)", "np.add(1, 2, out=a)", "a"),
    between("array fill", "import numpy as np\na = np.zeros(3)", "a.fill(2)", "a"),
    between("array sort", "import numpy as np\na = np.array([2, 1])", "a.sort()", "a"),
    between("array shape", "import numpy as np\na = np.zeros(4)", "a.shape = (2, 2)", "a"),
    between("np.fill_diagonal", "import numpy as np\na = np.zeros((2, 2))", "np.fill_diagonal(a, 1)", "a"),
    between("asarray shares", "import numpy as np\na = np.zeros(3)", "b = np.asarray(a)\nb[0] = 1", "a"),
    between("estimator fitted", "from sklearn.linear_model import LinearRegression\nm = LinearRegression()", "m.fit([[1], [2]], [1, 2])", "m", reads="hasattr(m, 'coef_')"),
    between("estimator with parameters set", "from sklearn.linear_model import LinearRegression\nm = LinearRegression()", "m.set_params(fit_intercept=False)", "m"),
]  # fmt: skip

HARMLESS = [
    harmless("read only", "a = [1]", "b = len(a)", "a"),
    harmless("printed", "a = [1]", "print(a)", "a"),
    harmless("copied", "a = [1]", "b = a.copy()\nb.append(2)", "a"),
    harmless("copied by list", "a = [1]", "b = list(a)\nb.append(2)", "a"),
    harmless("copied by a slice", "a = [1]", "b = a[:]\nb.append(2)", "a"),
    harmless("copied by deepcopy", "a = [[1]]", "import copy\nb = copy.deepcopy(a)\nb[0].append(2)", "a"),
    harmless("copied by a display", "a = [1]", "b = [*a]\nb.append(2)", "a"),
    harmless("copied by dict", "d = {}", "e = dict(d)\ne['x'] = 1", "d"),
    harmless("copied by a dict display", "d = {}", "e = {**d}\ne['x'] = 1", "d"),
    harmless("copied by sorted", "a = [2, 1]", "b = sorted(a)\nb.append(3)", "a"),
    harmless("copied by addition", "a = [2, 1]", "b = a + [3]\nb.append(3)", "a"),
    harmless("alias that is bound again", "a = [1]", "b = a\nb = []\nb.append(2)", "a"),
    harmless("alias of a number", "n = 1", "m = n\nm += 1", "n"),
    harmless("alias of text", "s = 'a'", "t = s\nt += 'b'", "s"),
    harmless("alias of a tuple", "s = (1,)", "t = s\nt += (2,)", "s"),
    harmless("comprehension variable", "x = 1", "y = [x for x in range(3)]", "x"),
    harmless("local of a function", "x = 1", "def f():\n    x = 2\n    return x\nf()", "x"),
    harmless("parameter of a function", "x = 1", "def f(x):\n    x = 2\n    return x\nf(3)", "x"),
    harmless("callee that copies first", "a = [1]", "def f(x):\n    x = list(x)\n    x.append(1)\n    return x\nf(a)", "a"),
    harmless("callee that makes its own", "a = [1]", "def f(x):\n    y = []\n    y.append(x)\n    return y\nf(a)", "a"),
    harmless("callee that binds its parameter", "a = [1]", "def f(x):\n    x = x + [1]\n    return x\nf(a)", "a"),
    harmless("callee that reads", "a = [1]", "def f(x):\n    return len(x)\nf(a)", "a"),
    harmless("another object", "a = []", "b = []\nb.append(1)", "a"),
    harmless("attribute of the same name", "items = []", "class A:\n    items = []\nA.items.append(1)", "items"),
    harmless("function never called", "a = []", "def add():\n    a.append(1)", "a"),
    harmless("sum of a list", "a = [1, 2]", "total = sum(a)", "a"),
    harmless("loop over a list", "a = [1, 2]", "for x in a:\n    x += 1", "a"),
    harmless("put into another container", "a = [1]", "box = []\nbox.append(a)", "a"),
    harmless("the same import again", "import math", "import math", "math.pi"),
    harmless("the same function again", "def f():\n    return 1", "def f():\n    return 1", "f()"),
    harmless("the same function again, with a default that is the same", "n = 1\ndef f(p=n):\n    return p", "def f(p=n):\n    return p", "f()"),
    harmless("the same class again, of an imported base", "import json\nclass A(json.JSONEncoder):\n    pass", "import json\nclass A(json.JSONEncoder):\n    pass", "A.__name__"),
    harmless("a copy that a function returns", "a = [1]", "def copied():\n    return a[:]\ncopied().append(2)\nb = copied()\nb.append(3)", "a"),
    harmless("what a function returns that only has the name", "a = [1]", "def made():\n    a = [2]\n    return a\nmade().append(3)", "a"),
    harmless("what a function returns, only read", "a = [1]", "def all_of():\n    return a\nlen(all_of())", "a"),
    harmless("frame copied", "import pandas as pd\ndf = pd.DataFrame({'x': [1, 2]})", "other = df.copy()\nother['y'] = 1", "df"),
    harmless("frame filtered", "import pandas as pd\ndf = pd.DataFrame({'x': [1, 2]})", "other = df[df.x > 1]\nother['y'] = 1", "df"),
    harmless("frame dropped into another", "import pandas as pd\ndf = pd.DataFrame({'x': [1, 2]})", "other = df.drop(columns=['x'])\nother['y'] = 1", "df"),
    harmless("inplace is False", "import pandas as pd\ndf = pd.DataFrame({'x': [1, 2]})", "df.drop(columns=['x'], inplace=False)", "df"),
    harmless("array copied", "import numpy as np\na = np.zeros(3)", "b = a.copy()\nb[0] = 1", "a"),
    harmless("array by arithmetic", "import numpy as np\na = np.zeros(3)", "b = a + 1\nb[0] = 5", "a"),
    harmless("array masked", "import numpy as np\na = np.arange(3)", "b = a[a > 0]\nb[0] = 5", "a"),
    harmless("array from array", "import numpy as np\na = np.zeros(3)", "b = np.array(a)\nb[0] = 5", "a"),
    harmless("numpy sort gives a new array", "import numpy as np\na = np.array([2, 1])", "b = np.sort(a)", "a"),
    harmless("permutation gives a new array", "import numpy as np\na = np.arange(5)", "b = np.random.permutation(a)", "a"),
    harmless("list of frames made into one", "import pandas as pd\na = pd.DataFrame({'x': [1]})", "b = pd.concat([a, a])\nb['y'] = 1", "a"),
    harmless("container of it changed", "a = [1]", 'both = {"a": a}\nboth["b"] = 1', "a"),
    harmless("deep in a container of it", "a = [1]", 'd = {"a": a, "c": {}}\nd["c"]["x"] = 1', "a"),
    harmless("element replaced, not changed", "a = [1]", "rows = [a]\nrows[0] = 5", "a"),
    harmless("text in a container", "s = str(1)", 'd = {"s": s}\nd["t"].append(s) if "t" in d else None', "s"),
    harmless("class made into an instance", "class A:\n    def __init__(self):\n        self.x = 1", "a = A()\na.x = 2", "A.__name__"),
    harmless("instance of another", "class A:\n    def __init__(self):\n        self.x = []\na = A()", "b = A()\nb.x.append(1)", "a.x"),
    harmless("element of another list", "row = [1]\nrows = [row]", "others = [[2]]\nothers[0].append(3)", "rows"),
    harmless("value passed by a comprehension", "a = [1, 2]", "b = [x for x in a]\nb.append(3)", "a"),
    harmless("rebuilt dict", "d = {'x': 1}", "e = {k: v for k, v in d.items()}\ne['y'] = 2", "d"),
    case("bound again by the component before use", """
        == main
        x = 1
        ==
        x = 2
        == main
        x = 3
        print(x)
        """),
    case("made anew by the component before use", """
        == main
        a = []
        ==
        a.append(1)
        == main
        a = []
        print(a)
        """),
    case("changed after the last use", """
        == main
        a = []
        print(a)
        ==
        a.append(1)
        """),
    case("changed by a cell of the component", """
        == main
        a = []
        == main
        a.append(1)
        == main
        print(a)
        """),
    case("timeit does not bind", """
        == main
        x = 1
        ==
        %timeit -n 1 -r 1 x = 2
        == main
        print(x)
        """),
]  # fmt: skip

LATER = [
    case("used in a function of the component called later", """
        == main
        a = []
        def show():
            print(a)
        ==
        a.append(1)
        == main
        show()
        """, "", "a=104@1"),
    case("changed by another component", """
        == main
        a = []
        == other
        a.append(1)
        == main
        print(a)
        """, "", "a=104@1"),
    case("changed in two cells", """
        == main
        a = []
        ==
        a.append(1)
        ==
        a.append(2)
        == main
        print(a)
        """, "", "a=104@1,2"),
    case("rebound and changed in two cells", """
        == main
        a = []
        ==
        a = [5]
        ==
        a.append(2)
        == main
        print(a)
        """, "", "a=104|105@1,2"),
    case("both cells of a value from outside", """
        ==
        a = []
        ==
        a.append(1)
        == main
        print(a)
        """, "a", "a=104|101@1"),
    *[
        case(f"used by a function that had run before: {how}", f"== main\n{own}\nprint({call})\n==\n{change}\n== main\nprint({call})", "", f"a=104@1")
        for how, own, change, call in [
            ("appended to", "a = [1]\ndef f():\n    return a", "a.append(2)", "f()"),
            ("bound again", "a = 1\ndef f():\n    return a", "a = len('xy')", "f()"),
            ("in a function that it calls", "a = [1]\ndef g():\n    return a\ndef f():\n    return g()", "a.append(2)", "f()"),
            ("in a method", "a = [1]\nclass C:\n    def get(self):\n        return a\nc = C()", "a.append(2)", "c.get()"),
            ("in a lambda", "a = [1]\nf = lambda: a", "a.append(2)", "f()"),
        ]
    ],
    case("used by a function that runs before the change only", """
        == main
        a = [1]
        def f():
            return a
        print(f())
        ==
        a.append(2)
        == main
        print("done")
        """),
    case("used by a function that runs before the change only, and another is defined", """
        == main
        a = [1]
        def f():
            return a
        print(f())
        def g():
            return 1
        ==
        a.append(2)
        == main
        print(g())
        """),
    case("the same function again, with a default that has changed", """
        == main
        n = 1
        def f(p=n):
            return p
        ==
        n = 2
        def f(p=n):
            return p
        == main
        print(f())
        """, "", "f=104|105@1", "n"),
    case("the same class again, with an attribute that has changed", """
        == main
        rows = [1]
        class A:
            size = len(rows)
        ==
        rows.append(2)
        class A:
            size = len(rows)
        == main
        print(A.size)
        """, "", "A=104|105@1", "rows"),
    case("function of the component replaced", """
        == main
        def f():
            return 1
        ==
        def f():
            return 2
        == main
        print(f())
        """, "", "f=104|105@1"),
    case("function of the component replaced, called through another", """
        == main
        def f():
            return 1
        def g():
            return f()
        ==
        def f():
            return 2
        == main
        print(g())
        """, "", "f=104|105@1"),
    case("constant used by a function of the component replaced", """
        == main
        K = 1
        def g():
            return K
        ==
        K = 2
        == main
        print(g())
        """, "", "K=104|105@1"),
]

CASES = [*CHANGED, *FRAMES, *HARMLESS, *LATER]
