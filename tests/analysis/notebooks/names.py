"""Values from other cells, names nobody defines, order, ambiguity, paths, scopes (01, 02, 05, 06, 09, 16-21)."""

from __future__ import annotations

from ..small import case

VALUES = [
    case("untagged constant", """
        ==
        threshold = 0.5
        == main
        print([s for s in [0.2, 0.9] if s > threshold])
        """, "threshold", "threshold=101@0", quiet="s"),
    case("value of a call", """
        ==
        rows = sorted([3, 1])
        == main
        print(rows)
        """, "rows", "rows=101@0"),
    case("unpacked values", """
        ==
        a, (b, *c) = 1, (2, 3, 4)
        == main
        print(a, b, c)
        """, "a b c", "a=101@0; b=101@0; c=101@0"),
    case("annotated value", """
        ==
        depth: int = 3
        == main
        print(depth)
        """, "depth", "depth=101@0"),
    case("loop variable that stays", """
        ==
        for step in range(3):
            pass
        == main
        print(step)
        """, "step", "step=101@0"),
    case("target of with", """
        ==
        import io
        with io.StringIO("x") as handle:
            first = handle.read()
        == main
        print(handle.closed, first)
        """, "handle first", "handle=101@0; first=101@0"),
    case("walrus elsewhere", """
        ==
        if (n := 4) > 3:
            pass
        == main
        print(n)
        """, "n", "n=101@0"),
    case("walrus in a comprehension elsewhere", """
        ==
        found = [last := x for x in [1, 2]]
        == main
        print(last)
        """, "last", "last=101|105@0", quiet="x"),
    case("value of another component", """
        == other
        total = sum([1, 2])
        == main
        print(total)
        """, "total", "total=101@0"),
    case("value of a skipped cell", """
        == +skip
        total = sum([1, 2])
        == main
        print(total)
        """, "total", "total=101@0"),
    case("value used in a function body, never called", """
        ==
        scale = 2
        == main
        def f(x):
            return x * scale
        """, "scale", "scale=101@0", quiet="x", runs=None),
    case("value used in a branch that is not taken", """
        ==
        scale = 2
        == main
        if False:
            print(scale)
        """, "scale", "scale=101@0", runs=None),
    case("value used in a class body", """
        ==
        width = 2
        == main
        class Box:
            size = width
        print(Box.size)
        """, "width", "width=101@0", quiet="size"),
    case("value used as a default", """
        ==
        width = 2
        == main
        def f(x=width):
            return x
        print(f())
        """, "width", "width=101@0"),
    case("value used by an assert and a raise", """
        ==
        limit = 2
        reason = "big"
        == main
        assert limit, reason
        print("fine")
        """, "limit reason", "limit=101@0; reason=101@0"),
    case("read then bound by itself", """
        ==
        n = 1
        == main
        n = n + 1
        print(n)
        """, "n", "n=101@0"),
    case("augmented", """
        ==
        n = 1
        == main
        n += 1
        print(n)
        """, "n", "n=101@0"),
    case("subscript store needs the container", """
        ==
        table = {}
        == main
        table["a"] = 1
        print(table)
        """, "table", "table=101@0"),
    case("attribute store needs the object", """
        ==
        import types
        box = types.SimpleNamespace()
        == main
        box.x = 1
        print(box)
        """, "box", "box=101@0"),
    case("own value comes first", """
        ==
        n = 1
        == main
        n = 2
        print(n)
        """),
    case("own loop target comes first", """
        ==
        i = 9
        == main
        for i in range(2):
            print(i)
        """),
    case("loop target read after a loop that may not run", """
        ==
        i = 9
        rows = []
        == main
        for i in rows:
            pass
        print(i)
        """, "i rows", "i=101@0; rows=101@0"),
    case("parameter of a function hides it", """
        ==
        x = 1
        == main
        def f(x):
            return x
        print(f(2))
        """),
    case("keyword and attribute names are not names", """
        ==
        alpha = 1
        shape = 2
        == main
        class O:
            shape = 3
        print(dict(alpha=2), O().shape)
        """),
    case("a chain of steps in several cells is one value", """
        ==
        rows = [3, 1, 2]
        ==
        rows = [r for r in rows if r > 1]
        == main
        print(rows)
        """, "rows", "rows=101@0,1"),
    case("counted up in another cell", """
        ==
        n = len([1, 2])
        ==
        n += 1
        == main
        print(n)
        """, "n", "n=101@0,1"),
    case("declared as a parameter", """
        == +parameters
        epochs = 5
        == main
        print(epochs)
        """, "epochs", "", runs=None),
    case("shared definition", """
        == +shared
        def f():
            return 1
        == main
        print(f())
        """, "f", "", runs=None),
]

UNDEFINED = [
    case("nobody defines it", """
        == main 9
        print(train_rows)
        """, "train_rows", "train_rows=102@", runs=None),
    case("in a function that is called", """
        == main
        def f():
            return ghost
        print(f())
        """, "ghost", "ghost=102@", runs=None),
    case("in a lambda", """
        == main
        f = lambda x: x + ghost
        """, "ghost", "ghost=102@", quiet="x", runs=None),
    case("in a comprehension condition", """
        == main
        print([x for x in [1] if x > ghost])
        """, "ghost", "ghost=102@", quiet="x", runs=None),
    case("in a method", """
        == main
        class A:
            def run(self):
                return ghost
        print(A().run())
        """, "ghost", "ghost=102@", quiet="self", runs=None),
    case("in a decorator, a base and a default", """
        == main
        @deco
        def f(a=start):
            return a
        class B(Base):
            pass
        """, "deco start Base", "deco=102@; start=102@; Base=102@", runs=None),
    case("deleted by the component before", """
        == main
        x = 1
        del x
        print(x)
        """, "x", "x=102@", runs=None),
    case("local to a function elsewhere", """
        ==
        def f():
            inner = 1
            return inner
        == main
        print(inner)
        """, "inner", "inner=102@", runs=None),
    case("loop variable of a comprehension elsewhere", """
        ==
        squares = [q * q for q in range(3)]
        == main
        print(q)
        """, "q", "q=102@", runs=None),
    case("class attribute elsewhere is no global", """
        ==
        class A:
            size = 1
        == main
        print(size)
        """, "size", "size=102@", runs=None),
    case("name of an exception is gone after the handler", """
        ==
        try:
            1 / 0
        except ZeroDivisionError as problem:
            pass
        == main
        print(problem)
        """, "problem", "problem=102@", runs=None),
    case("only annotated elsewhere", """
        ==
        size: int
        == main
        print(size)
        """, "size", "size=102@", runs=None),
    case("assigned only under timeit", """
        ==
        %timeit -n 1 -r 1 size = 1
        == main
        print(size)
        """, "size", "size=102@", runs=None),
    case("guarded by NameError", """
        == main
        try:
            cached
        except NameError:
            cached = 1
        print(cached)
        """),
    case("guarded by globals", """
        == main
        if "cached" not in globals():
            cached = 1
        print(cached)
        """),
    case("builtins and module attributes are none", """
        == main
        print(len([]), __name__, NotImplemented, __debug__)
        """),
    case("a builtin that a cell below hides is the builtin", """
        == main
        print(max([1, 2]))
        ==
        max = 3
        """),
]

ORDER = [
    case("used above its only definition", """
        == main 2
        print(x)
        == 1
        x = 1
        """, "x", "x=103@1", runs=None),
    case("execution counts show the other order", """
        == 5
        x = 1
        == main 3
        print(x)
        """, "x", "x=103@0", runs=None),
    case("a function used above", """
        == main 2
        print(f())
        == 1
        def f():
            return 1
        """, "f", "f=103@1", runs=None),
    case("an import used above", """
        == main 2
        print(math.pi)
        == 1
        import math
        """, "math", "math=103@1", runs=None),
    case("used above its definition in the component itself", """
        == main 2
        print(x)
        == main 1
        x = 1
        """, "x", "x=103@1", runs=None),
    case("a global that a function needs is defined below the call", """
        == main 2
        def f():
            return scale
        print(f())
        == 1
        scale = 2
        """, "scale", "scale=103@1", runs=None),
    case("a function of the component called before its global is bound", """
        == main
        def f():
            return scale
        == main
        print(f())
        == main
        scale = 2
        """, "scale", "scale=103@2", runs=None),
    case("the function is called after its global is bound", """
        == main
        def f():
            return scale
        == main
        scale = 2
        print(f())
        """),
    case("defined above and again below", """
        ==
        x = 1
        == main
        print(x)
        ==
        x = 2
        """, "x", "x=101@0"),
    case("counts show that the lower definition was the last", """
        == 1
        x = 1
        == main 3
        print(x)
        == 2
        x = 2
        """, "x", "x=105@0,2", runs=None),
    case("counts in order say nothing", """
        == 1
        x = 1
        == main 2
        print(x)
        """, "x", "x=101@0"),
    case("run again after being read says nothing of order", """
        == main 1
        x = 1
        == main 2
        print(x)
        """),
]

AMBIGUOUS = [
    case("two cells, run out of order", """
        == 3
        lr = 0.1
        == 2
        lr = 0.01
        == main 4
        print("lr", lr)
        """, "lr", "lr=105@0,1", runs=None),
    case("two cells, run in order", """
        ==
        lr = 0.1
        ==
        lr = 0.01
        == main
        print("lr", lr)
        """, "lr", "lr=105@0,1"),
    case("three cells", """
        ==
        lr = 0.1
        ==
        lr = 0.01
        ==
        lr = 0.001
        == main
        print(lr)
        """, "lr", "lr=105@0,1,2"),
    case("an untagged cell and another component", """
        ==
        lr = 0.1
        == other
        lr = 0.01
        == main
        print(lr)
        """, "lr", "lr=105@0,1"),
    case("two different functions", """
        ==
        def f():
            return 1
        ==
        def f():
            return 2
        == main
        print(f())
        """, "f", "f=105@0,1"),
    case("two different imports", """
        ==
        from math import sqrt as root
        ==
        from cmath import sqrt as root
        == main
        print(root(4))
        """, "root", "root=105@0,1"),
    case("a function and an import", """
        ==
        from math import sqrt
        ==
        def sqrt(x):
            return x
        == main
        print(sqrt(4))
        """, "sqrt", "sqrt=105@0,1"),
    case("the same import twice is one", """
        ==
        import math
        ==
        import math
        == main
        print(math.pi)
        """, "math", "math=101@0,1"),
    case("the same function twice is one", """
        ==
        def f():
            return 1
        ==
        def f():
            return 1   # again
        == main
        print(f())
        """, "f", "f=101@0,1"),
    case("the same constant twice is one", """
        ==
        lr = 0.1
        ==
        lr = 0.1
        == main
        print(lr)
        """, "lr", "lr=101@0,1"),
    case("twice in one cell", """
        ==
        lr = 0.1
        lr = 0.2
        == main
        print(lr)
        """, "lr", "lr=101@0"),
    case("through a function with global", """
        ==
        lr = 0.1
        def slower():
            global lr
            lr = 0.01
        ==
        slower()
        == main
        print(lr)
        """, "lr", "lr=105@0,1"),
    case("a loop variable and a value", """
        ==
        k = 7
        ==
        for k in range(3):
            pass
        == main
        print(k)
        """, "k", "k=105@0,1"),
    case("the component binds it itself", """
        ==
        lr = 0.1
        ==
        lr = 0.01
        == main
        lr = 1
        print(lr)
        """),
]

PATHS = [
    case("if without else", """
        ==
        flag = True
        if flag:
            size = 1
        == main
        print(size)
        """, "size", "size=105|101@0"),
    case("if with else binds surely", """
        ==
        flag = len("abc")
        if flag:
            size = 1
        else:
            size = 2
        == main
        print(size)
        """, "size", "size=101@0"),
    case("one branch of several", """
        ==
        flag = 2
        if flag == 1:
            size = 1
        elif flag == 2:
            size = 2
        == main
        print(size)
        """, "size", "size=105|101@0"),
    case("try with an empty handler", """
        ==
        try:
            size = int("3")
        except ValueError:
            pass
        == main
        print(size)
        """, "size", "size=105|101@0"),
    case("try with a handler that binds", """
        ==
        try:
            size = int("x")
        except ValueError:
            size = 0
        == main
        print(size)
        """, "size", "size=101@0"),
    case("handler that ends the program", """
        ==
        try:
            size = int("3")
        except ValueError:
            raise
        == main
        print(size)
        """, "size", "size=101@0"),
    case("while", """
        ==
        n = 0
        while n < 2:
            last = n
            n += 1
        == main
        print(last)
        """, "last", "last=105|101@0"),
    case("for over values that are not known", """
        ==
        rows = [1, 2]
        for row in rows:
            last = row
        == main
        print(last)
        """, "last", "last=105|101@0"),
    case("for over a range surely runs", """
        ==
        for i in range(3):
            last = i
        == main
        print(last)
        """, "last", "last=101@0"),
    case("with that suppresses", """
        ==
        import contextlib
        with contextlib.suppress(ValueError):
            size = int("3")
        == main
        print(size)
        """, "size", "size=105|101@0"),
    case("with that does not", """
        ==
        import io
        with io.StringIO():
            size = int("3")
        == main
        print(size)
        """, "size", "size=101@0"),
    case("match", """
        ==
        command = ["go", 3]
        match command:
            case ["go", speed]:
                pass
        == main
        print(speed)
        """, "speed", "speed=105|101@0"),
    case("match with a case for everything", """
        ==
        command = ["go", 3]
        match command:
            case ["go", n]:
                speed = n
            case _:
                speed = 0
        == main
        print(speed)
        """, "speed", "speed=101@0"),
    case("bound on some paths, by the component too", """
        ==
        size = 1
        == main
        if len("x") > 3:
            size = 2
        print(size)
        """, "size", "size=101@0"),
    case("bound on both paths by the component", """
        ==
        size = 1
        == main
        if len("x") > 3:
            size = 2
        else:
            size = 3
        print(size)
        """),
    case("conditional in the component alone is its own affair", """
        == main
        if len("x"):
            size = 2
        print(size)
        """),
    case("conditional import elsewhere", """
        ==
        try:
            import ujson as fast
        except ImportError:
            import json as fast
        == main
        print(fast.dumps(1))
        """, "fast", "fast=101@0"),
    case("conditional function elsewhere", """
        ==
        mode = "a"
        if mode == "a":
            def f():
                return 1
        else:
            def f():
                return 2
        == main
        print(f())
        """, "f", "f=101|105@0"),
]

SCOPES = [
    case("comprehension, lambda, except and for names", """
        ==
        k = 2
        i = 7
        q = 8
        e = 9
        == main
        a = [i for i in range(3)]
        f = lambda q: q + k
        try:
            1 / 0
        except ZeroDivisionError as e:
            print(type(e))
        print(a, f(1))
        """, "k", "k=101@0", quiet="i q e"),
    case("condition of a comprehension", """
        ==
        low = 1
        x = 5
        == main
        print([x for x in range(3) if x > low])
        """, "low", "low=101@0", quiet="x"),
    case("inner iterable of nested comprehensions", """
        ==
        rows = [[1], [2]]
        == main
        print([x for row in rows for x in row])
        """, "rows", "rows=101@0", quiet="row x"),
    case("first iterable is read outside the comprehension", """
        ==
        x = [1, 2]
        == main
        print([x for x in x])
        """, "x", "x=101@0"),
    case("class body does not enclose its methods", """
        ==
        size = 3
        == main
        class A:
            size = 1
            def run(self):
                return size
        print(A().run())
        """, "size", "size=101@0"),
    case("class body reads the global before it binds", """
        ==
        size = 3
        == main
        class A:
            size = size + 1
        print(A.size)
        """, "size", "size=101@0"),
    case("comprehension in a class body sees no class names", """
        ==
        n = 2
        == main
        class A:
            n = 5
            rows = [n for _ in range(1)]
        print(A.rows)
        """, "n", "n=101@0", quiet="rows"),
    case("nonlocal", """
        ==
        n = 2
        == main
        def outer():
            n = 0
            def inner():
                nonlocal n
                n += 1
                return n
            return inner()
        print(outer())
        """),
    case("global statement reads the notebook's name", """
        ==
        n = 2
        == main
        def f():
            global n
            n += 1
            return n
        print(f())
        """, "n", "n=101@0"),
    case("global statement that only binds", """
        ==
        n = 2
        == main
        def f():
            global n
            n = 1
        f()
        print(n)
        """),
    case("local of the whole function", """
        ==
        tmp = 1
        == main
        def f():
            tmp = 2
            return tmp
        print(f(), tmp)
        """, "tmp", "tmp=101@0"),
    case("lambda default", """
        ==
        base = 3
        == main
        f = lambda x, y=base: x + y
        print(f(1))
        """, "base", "base=101@0", quiet="x y"),
    case("lambda argument of a comprehension variable", """
        ==
        i = 3
        == main
        fs = [lambda i=i: i for i in range(2)]
        print([f() for f in fs])
        """),
    case("walrus in a condition binds around it", """
        ==
        n = 3
        == main
        if (n := 5) > 1:
            print(n)
        """),
    case("del, then read again", """
        ==
        x = 1
        == main
        x = 2
        del x
        ==
        x = 3
        == main
        print(x)
        """, "x", "x=101@2"),
    case("for and else", """
        ==
        found = 1
        == main
        for x in [1, 2]:
            if x == 5:
                break
        else:
            found = 2
        print(found)
        """, "found", "found=101@0", runs=None),
    case("try and finally", """
        ==
        done = 1
        == main
        try:
            x = 1
        finally:
            done = 2
        print(done)
        """),
    case("nested function reads a local", """
        ==
        k = 1
        == main
        def outer():
            k = 2
            def inner():
                return k
            return inner()
        print(outer())
        """),
    case("star and keyword parameters", """
        ==
        args = 1
        kwargs = 2
        == main
        def f(*args, **kwargs):
            return args, kwargs
        print(f(1, a=2))
        """),
    case("exception name in a handler", """
        ==
        err = 1
        == main
        try:
            int("x")
        except ValueError as err:
            print(err)
        """),
    case("match patterns bind", """
        ==
        cfg = {"lr": 1, "b": 2}
        lr = 5
        == main
        match cfg:
            case {"lr": lr, **rest}:
                print(lr, rest)
            case [a, *others]:
                print(a, others)
        """, "cfg", "cfg=101@0", quiet="lr rest a others"),
    case("match value patterns read", """
        ==
        import types
        Kind = types.SimpleNamespace(A=1)
        == main
        match 1:
            case Kind.A:
                print("a")
        """, "Kind", "Kind=101@0"),
    case("match class patterns read the class", """
        ==
        class P:
            __match_args__ = ("x",)
            def __init__(self, x):
                self.x = x
        == main
        match P(1):
            case P(v):
                print(v)
        """, "P", "P=101@0", quiet="v"),
    case("f-string with nested format", """
        ==
        value = 3.14159
        width = 8
        == main
        print(f"{value:>{width}.2f}")
        """, "value width", "value=101@0; width=101@0"),
    case("annotations of parameters are evaluated, text is not", """
        ==
        class Frame:
            pass
        class Other:
            pass
        == main
        def f(a: Frame) -> "Other":
            return a
        print(f(1))
        """, "Frame", "Frame=101@0", quiet="Other"),
    case("annotations with the future import are not", """
        ==
        class Frame:
            pass
        == main
        from __future__ import annotations
        def f(a: Frame):
            return a
        print(f(1))
        """),
    case("annotations of locals are not", """
        ==
        class Frame:
            pass
        == main
        def f():
            a: Frame = 1
            return a
        print(f())
        """),
    case("annotations of class attributes are", """
        ==
        class Frame:
            pass
        == main
        from dataclasses import dataclass
        @dataclass
        class Row:
            a: Frame
        print(Row(1))
        """, "Frame", "Frame=101@0"),
    case("names in text are not names", """
        ==
        value = 1
        == main
        print("{value}", "value")
        """),
    case("format with keywords reads the values", """
        ==
        value = 1
        == main
        print("{v}".format(v=value))
        """, "value", "value=101@0", quiet="v"),
]

CASES = [*VALUES, *UNDEFINED, *ORDER, *AMBIGUOUS, *PATHS, *SCOPES]
