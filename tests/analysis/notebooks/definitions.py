"""Functions, classes, decorators, generators, async: what their bodies need (04, 08, 17, 20, 22)."""

from __future__ import annotations

from ..small import case

FUNCTIONS = [
    case("function from another cell", """
        ==
        def area(r):
            return 3 * r
        == main
        print(area(2))
        """, "area", "area=101@0", quiet="r"),
    case("function of the component with a global from outside", """
        ==
        SCALE = 10
        == main
        def f(x):
            return x * SCALE
        print(f(3))
        """, "SCALE", "SCALE=101@0", quiet="x"),
    case("function carried over needs a value", """
        ==
        SCALE = len("abc")
        def f(x):
            return x * SCALE
        == main
        print(f(3))
        """, "f SCALE", "f=101@0; SCALE=106@0"),
    case("a chain of functions needs a value", """
        ==
        SCALE = len("abc")
        ==
        def h(x):
            return x * SCALE
        ==
        def g(x):
            return h(x)
        ==
        def f(x):
            return g(x)
        == main
        print(f(3))
        """, "f g h SCALE", "f=101@3; g=101@2; h=101@1; SCALE=106@0"),
    case("function carried over needs a constant", """
        ==
        SCALE = 10
        def f(x):
            return x * SCALE
        == main
        print(f(3))
        """, "f SCALE", "f=101@0; SCALE=101|106@0"),
    case("function carried over needs an import", """
        ==
        import math
        def f(x):
            return math.sqrt(x)
        == main
        print(f(4))
        """, "f math", "f=101@0; math=101|106@0"),
    case("function carried over needs a name nobody defines", """
        ==
        def f(x):
            return x * ghost
        == main
        print(f(4))
        """, "f ghost", "f=101@0; ghost=102|106@", runs=None),
    case("the component binds what the carried function needs", """
        ==
        SCALE = len("abc")
        def f(x):
            return x * SCALE
        == main
        SCALE = 2
        print(f(3))
        """, "f", "f=101@0", quiet="SCALE"),
    case("the component binds it only after the call", """
        ==
        SCALE = len("abc")
        def f(x):
            return x * SCALE
        == main
        print(f(3))
        SCALE = 2
        """, "f SCALE", "f=101@0; SCALE=106@0"),
    case("mutual recursion", """
        ==
        def even(n):
            return n == 0 or odd(n - 1)
        def odd(n):
            return n != 0 and even(n - 1)
        == main
        print(even(4))
        """, "even odd", "even=101@0; odd=101|106@0"),
    case("lambda from another cell", """
        ==
        k = len("ab")
        double = lambda x: x * k
        == main
        print(double(2))
        """, "double k", "double=101@0; k=106@0", quiet="x"),
    case("function in a list", """
        ==
        k = len("ab")
        def f(x):
            return x * k
        steps = [f, str]
        == main
        for step in steps:
            print(step(1))
        """, "steps k", "steps=101@0; k=106@0"),
    case("function in a dict", """
        ==
        k = len("ab")
        table = {"f": lambda x: x * k}
        == main
        print(table["f"](2))
        """, "table k", "table=101@0; k=106@0"),
    case("partial of a function", """
        ==
        import functools
        k = len("ab")
        def f(x, y):
            return x * k + y
        g = functools.partial(f, 1)
        == main
        print(g(2))
        """, "g f functools k", "g=101@0; k=106@0; f=101|106@0; functools=101|106@0"),
    case("closure made elsewhere", """
        ==
        k = len("ab")
        def make(n):
            def inner(x):
                return x * n * k
            return inner
        times = make(3)
        == main
        print(times(2))
        """, "times k", "times=101@0; k=106@0", other="make"),
    case("function passed to map", """
        ==
        k = len("ab")
        def f(x):
            return x * k
        == main
        print(list(map(f, [1, 2])))
        """, "f k", "f=101@0; k=106@0"),
    case("default argument of a carried function", """
        ==
        k = len("ab")
        def f(x, y=k):
            return x * y
        == main
        print(f(1))
        """, "f k", "f=101@0; k=106|101@0", runs=None),
    case("function that is only mentioned as text", """
        ==
        def f():
            return 1
        == main
        print("f()")
        """),
    case("name of a parameter is not its global", """
        ==
        rows = [1]
        def total(rows):
            return sum(rows)
        == main
        print(total([2]))
        """, "total", "total=101@0", quiet="rows"),
    case("own function of the same name", """
        ==
        def f():
            return 1
        == main
        def f():
            return 2
        print(f())
        """),
    case("function that binds a global, called elsewhere", """
        ==
        def setup():
            global cfg
            cfg = {"a": 1}
        setup()
        == main
        print(cfg)
        """, "cfg", "cfg=101@0", quiet="setup"),
    case("function that binds a global, called by the component", """
        ==
        def setup():
            global cfg
            cfg = {"a": 1}
        == main
        setup()
        print(cfg)
        """, "setup", "setup=101@0", quiet="cfg"),
    case("method that binds a global, called elsewhere", """
        ==
        class Maker:
            def run(self):
                global made
                made = 1
        Maker().run()
        == main
        print(made)
        """, "made", "made=101|105@0"),
]

CLASSES = [
    case("class, decorator, base class and default", """
        ==
        class Base:
            pass
        DEFAULT = 3
        def deco(c):
            return c
        == main
        @deco
        class Net(Base):
            def run(self, k=DEFAULT):
                return k
        print(Net().run())
        """, "Base DEFAULT deco", "Base=101@0; DEFAULT=101@0; deco=101@0", quiet="k self"),
    case("instance of a class from another cell", """
        ==
        SCALE = len("abc")
        class Net:
            def run(self):
                return SCALE
        net = Net()
        == main
        print(net.run())
        """, "net SCALE", "net=101@0; SCALE=106@0", other="Net"),
    case("base of a base", """
        ==
        k = len("ab")
        class A:
            def run(self):
                return k
        class B(A):
            pass
        == main
        class C(B):
            pass
        print(C().run())
        """, "B A k", "B=101@0; A=101|106@0; k=106@0"),
    case("metaclass", """
        ==
        class Meta(type):
            def __new__(mcls, name, bases, ns):
                return super().__new__(mcls, name, bases, ns)
        == main
        class A(metaclass=Meta):
            pass
        print(type(A).__name__)
        """, "Meta", "Meta=101@0"),
    case("class decorator with arguments", """
        ==
        def tagged(name):
            def wrap(cls):
                cls.tag = name
                return cls
            return wrap
        == main
        @tagged("x")
        class A:
            pass
        print(A.tag)
        """, "tagged", "tagged=101@0", quiet="name wrap cls"),
    case("property and static methods", """
        ==
        k = len("ab")
        class A:
            @property
            def size(self):
                return k
            @staticmethod
            def two():
                return 2
        == main
        print(A().size, A.two())
        """, "A k", "A=101@0; k=106@0"),
    case("subclass in the component overrides", """
        ==
        class A:
            def run(self):
                return 1
        == main
        class B(A):
            def run(self):
                return 2
        print(B().run())
        """, "A", "A=101@0"),
    case("dataclass from another cell", """
        ==
        from dataclasses import dataclass
        @dataclass
        class Row:
            a: int = 1
        == main
        print(Row())
        """, "Row dataclass", "Row=101@0; dataclass=101|106@0"),
    case("exception class from another cell", """
        ==
        class Stop(Exception):
            pass
        == main
        try:
            raise Stop("x")
        except Stop as e:
            print(e)
        """, "Stop", "Stop=101@0", quiet="e"),
    case("class attribute set elsewhere on a class of the component", """
        == main
        class Net:
            size = 1
        ==
        Net.size = 2
        == main
        print(Net.size)
        """, "", "Net=104@1", other="Net.size"),
    case("method put on a class of the component elsewhere", """
        == main
        class Net:
            def run(self):
                return 1
        ==
        def faster(self):
            return 2
        Net.run = faster
        == main
        print(Net().run())
        """, "", "Net=104@1", other="Net.run", quiet="faster"),
    case("class defined again elsewhere", """
        == main
        class Net:
            size = 1
        ==
        class Net:
            size = 2
        == main
        print(Net.size)
        """, "", "Net=104|105@1"),
]

PATCHES = [
    case("library class patched elsewhere", """
        == main
        import pandas as pd
        ==
        pd.DataFrame.hello = lambda self: 42
        == main
        print(pd.DataFrame().hello())
        """, "", "pd.DataFrame.hello=112@1"),
    case("library class patched with setattr", """
        == main
        import pandas as pd
        ==
        setattr(pd.DataFrame, "hello", lambda self: 42)
        == main
        print(pd.DataFrame().hello())
        """, "", "pd.DataFrame.hello=112@1"),
    case("function of a module patched", """
        == main
        import math
        ==
        math.sqrt = lambda x: 0
        == main
        print(math.sqrt(4))
        """, "", "math.sqrt=112@1"),
    case("function of a module patched under another name", """
        == main
        import math
        ==
        import math as m
        m.sqrt = lambda x: 0
        == main
        print(math.sqrt(4))
        """, "", "m.sqrt=112@1"),
    case("method of an imported class", """
        == main
        from fractions import Fraction
        ==
        Fraction.half = lambda self: self / 2
        == main
        print(Fraction(1).half())
        """, "", "Fraction.half=112@1"),
    case("patched in another component", """
        == other
        import json
        json.dumps = lambda value: "no"
        == main
        import json
        print(json.dumps(1))
        """, "", "json.dumps=112@0"),
    case("patched before the component imports it", """
        ==
        import json
        json.dumps = lambda value: "no"
        == main
        from json import dumps
        print(dumps(1))
        """, "", "json.dumps=112@0"),
    case("patched through a function", """
        ==
        import json
        def patch():
            json.dumps = lambda value: "no"
        patch()
        == main
        import json
        print(json.dumps(1))
        """, "", "json.dumps=112@0"),
    case("patched through the dict of a module", """
        ==
        import json
        json.__dict__["dumps"] = lambda value: "no"
        == main
        import json
        print(json.dumps(1))
        """, "", "json.__dict__=112@0", other="json.dumps"),
    case("class patched in place of an attribute deeper", """
        ==
        import collections.abc
        collections.abc.Sized.hint = 3
        == main
        import collections.abc
        print(collections.abc.Sized.hint)
        """, "", "collections.abc.Sized.hint=112@0"),
    case("decorator that registers in a library", """
        ==
        import json
        class Encoder(json.JSONEncoder):
            pass
        json.JSONEncoder.default = lambda self, o: str(o)
        == main
        import json
        print(json.dumps({1}))
        """, "", "json.JSONEncoder.default=112@0", runs=None),
    case("builtin replaced", """
        ==
        import builtins
        builtins.answer = 42
        == main
        print(answer)
        """, "answer", "answer=107|102|112@0", other="builtins.answer"),
    case("another attribute of a module that the component uses", """
        ==
        import math
        math.twice = lambda x: 2 * x
        == main
        import math
        print(math.sqrt(4))
        """, other="math.twice"),
    case("module that the component does not use", """
        ==
        import math
        math.sqrt = lambda x: 0
        == main
        import json
        print(json.dumps(4))
        """),
    case("patched below the component", """
        == main
        import math
        print(math.sqrt(4))
        ==
        math.sqrt = lambda x: 0
        """),
    case("patched by the component itself", """
        == main
        import math
        math.sqrt = lambda x: 0
        print(math.sqrt(4))
        """),
    case("patched elsewhere and again by the component", """
        ==
        import math
        math.sqrt = lambda x: 0
        == main
        import math
        math.sqrt = lambda x: 1
        print(math.sqrt(4))
        """),
    case("attribute of an instance is no patch", """
        ==
        import types
        box = types.SimpleNamespace()
        box.size = 3
        == main
        import types
        print(types.SimpleNamespace(size=1).size)
        """),
]

GENERATORS = [
    case("generator function from another cell", """
        ==
        k = len("ab")
        def numbers(n):
            for i in range(n):
                yield i * k
        == main
        print(list(numbers(3)))
        """, "numbers k", "numbers=101@0; k=106@0", quiet="i n"),
    case("generator made elsewhere runs here", """
        ==
        k = len("ab")
        def numbers(n):
            for i in range(n):
                yield i * k
        stream = numbers(3)
        == main
        print(list(stream))
        """, "stream k", "stream=101@0; k=106@0", other="numbers"),
    case("generator expression made elsewhere runs here", """
        ==
        k = len("ab")
        stream = (i * k for i in range(3))
        == main
        print(list(stream))
        """, "stream k", "stream=101@0; k=106|101@0", quiet="i"),
    case("context manager from another cell", """
        ==
        from contextlib import contextmanager
        @contextmanager
        def quiet():
            yield 3
        == main
        with quiet() as v:
            print(v)
        """, "quiet contextmanager", "quiet=101@0; contextmanager=101|106@0", quiet="v"),
    case("decorator that wraps", """
        ==
        import functools
        calls = []
        def logged(f):
            @functools.wraps(f)
            def inner(*a):
                calls.append(f.__name__)
                return f(*a)
            return inner
        == main
        @logged
        def g(x):
            return x
        print(g(1))
        """, "logged functools calls", "logged=101@0; functools=101|106@0; calls=106@0"),
    case("decorator object with state", """
        ==
        registry = {}
        def register(f):
            registry[f.__name__] = f
            return f
        == main
        @register
        def g(x):
            return x
        print(sorted(registry))
        """, "register registry", "register=101@0; registry=106|101@0"),
    case("coroutine from another cell", """
        ==
        k = len("ab")
        async def fetch(x):
            return x * k
        == main
        print(await fetch(2))
        """, "fetch k", "fetch=101@0; k=106@0"),
    case("awaited value elsewhere", """
        ==
        async def fetch(x):
            return x
        got = await fetch(2)
        == main
        print(got)
        """, "got", "got=101@0"),
    case("async for and with", """
        ==
        class Stream:
            async def __aenter__(self):
                return self
            async def __aexit__(self, *a):
                pass
            async def __aiter__(self):
                yield 1
        == main
        async with Stream() as s:
            async for item in s:
                print(item)
        """, "Stream", "Stream=101@0", quiet="s item"),
    case("async comprehension", """
        ==
        async def numbers():
            yield 1
        == main
        print([n async for n in numbers()])
        """, "numbers", "numbers=101@0", quiet="n"),
    case("own async function", """
        == main
        import asyncio
        async def f():
            await asyncio.sleep(0)
            return 1
        print(await f())
        """),
]

CASES = [*FUNCTIONS, *CLASSES, *PATCHES, *GENERATORS]
