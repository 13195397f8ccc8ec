"""IPython: magics, shell lines, history, dynamic names (10, 11, 12)."""

from __future__ import annotations

from ..small import case

MAGICS = [
    case("shell assignment elsewhere", """
        ==
        files = !echo a
        == main
        print(len(files))
        """, "files", "files=101|107|111@0"),
    case("magic assignment elsewhere", """
        ==
        here = %pwd
        == main
        print(len(here) > 0)
        """, "here", "here=101|107|111@0"),
    case("capture elsewhere", """
        ==
        %%capture out
        print("hi")
        == main
        print(out.stdout)
        """, "out", "out=101|107|111@0"),
    case("value bound below capture", """
        ==
        %%capture
        size = 3
        == main
        print(size)
        """, "size", "size=101@0"),
    case("bash with output elsewhere", """
        ==
        %%bash --out listing
        echo hi
        == main
        print(listing)
        """, "listing", "listing=101|107|111@0"),
    case("time with an assignment elsewhere", """
        ==
        %time total = sum([1, 2])
        == main
        print(total)
        """, "total", "total=101@0"),
    case("%%time elsewhere", """
        ==
        %%time
        total = sum([1, 2])
        == main
        print(total)
        """, "total", "total=101@0"),
    case("timeit with result", """
        ==
        res = %timeit -o -q -n 1 -r 1 sum([1])
        == main
        print(type(res).__name__)
        """, "res", "res=101|107|111@0"),
    case("time in the component reads", """
        ==
        rows = sorted([2, 1])
        == main
        %time total = sum(rows)
        print(total)
        """, "rows", "rows=101@0"),
    case("timeit in the component reads", """
        ==
        rows = sorted([2, 1])
        == main
        %timeit -n 1 -r 1 sum(rows)
        """, "rows", "rows=101@0", other="%timeit", runs=None),
    case("%%timeit in the component reads its setup and its body", """
        ==
        a = sorted([2, 1])
        b = sorted([3])
        == main
        %%timeit -n 1 -r 1 x = a
        sum(x + b)
        """, "a b", "a=101@0; b=101@0", other="%%timeit", quiet="x", runs=None),
    case("braces in a shell line", """
        ==
        word = sorted("ab")
        == main
        !echo {word}
        """, "word", "word=101|106|111@0", other="!", runs=None),
    case("expression in braces", """
        ==
        words = sorted("ab")
        == main
        !echo {words[0]} {len(words)}
        """, "words", "words=101|106|111@0", other="!", runs=None),
    case("dollar in a shell line", """
        ==
        word = sorted("ab")
        == main
        !echo $word
        """, "word", "word=101|106|111@0", other="!", runs=None),
    case("dollar of the shell itself", """
        == main
        !echo $HOME
        """, other="! HOME", runs=None),
    case("braces in a magic", """
        ==
        folder = sorted("ab")[0]
        == main
        %env CASE_X={folder}
        """, "folder", "folder=101|106|111@0", other="%env CASE_X", runs=None),
    case("dollar in %%bash is the shell's", """
        ==
        f = 1
        == main
        %%bash
        for f in a b; do echo $f; done
        """, other="%%bash", quiet="f a b", runs=None),
    case("braces in pip", """
        ==
        version = sorted("12")[0]
        == main
        %pip install foo=={version}
        """, "version", "version=101|106|111@0", other="%pip", runs=None),
    case("help, matplotlib and % formatting", """
        ==
        name = "n"
        == main
        %matplotlib inline
        len?
        msg = ("value %s"
               % name)
        print(msg)
        """, "name", "name=101@0", runs=None),
    case("help about a name from elsewhere needs nothing", """
        ==
        thing = sorted("ab")
        == main
        thing?
        print(1)
        """, other="? thing?", quiet="thing", runs=None),
    case("writefile elsewhere, run here", """
        ==
        %%writefile /tmp/_nbc_train.py
        print("train")
        == main
        !python /tmp/_nbc_train.py
        """, "", "/tmp/_nbc_train.py=109@0", other="!", runs=None),
    case("%run of a written file", """
        ==
        %%writefile /tmp/_nbc_train.py
        print("train")
        == main
        %run /tmp/_nbc_train.py
        """, "", "/tmp/_nbc_train.py=109@0", other="%run", runs=None),
    case("import of a written module", """
        ==
        %%writefile nbc_helper_x.py
        VALUE = 3
        == main
        import nbc_helper_x
        print(nbc_helper_x.VALUE)
        """, "", "nbc_helper_x.py=109@0"),
    case("%%bash bodies are not Python", """
        ==
        n = 1
        == main
        %%bash
        for f in a b; do echo $f; done
        == main
        print(n)
        """, "n", "n=101@0", other="%%bash", quiet="f a b", runs=None),
    case("%%sql reads nothing of Python", """
        ==
        select = 1
        == main
        %%sql
        select * from x
        """, other="%%sql", quiet="select x", runs=None),
    case("%run elsewhere binds names", """
        ==
        %run helpers_nbc.py
        == main
        print(helper(1))
        """, "helper", "helper=107|111|101@0", runs=None),
    case("%store -r elsewhere", """
        ==
        %store -r kept
        == main
        print(kept)
        """, "kept", "kept=107@0", runs=None),
    case("%store -r in the component", """
        == main
        %store -r kept
        print(kept)
        """, "", "%store=111@", runs=None),
    case("%pylab elsewhere", """
        ==
        %pylab inline
        == main
        print(linspace(0, 1, 3))
        """, "linspace", "linspace=110@0", runs=None),
    case("%pylab gives np and plt", """
        ==
        %pylab inline
        == main
        print(np.zeros(2))
        """, "np", "np=110@0", runs=None),
    case("%load_ext in the component", """
        == main
        %load_ext sql
        print(1)
        """, "", "%load_ext=111@", runs=None),
    case("%load_ext autoreload only serves the notebook", """
        == main
        %load_ext autoreload
        %autoreload 2
        print(1)
        """, runs=None),
    case("pip and conda lines are the environment's", """
        == main
        %pip install numpy
        !pip install pandas
        print(1)
        """, runs=None),
    case("%reset elsewhere deletes", """
        == main
        x = 1
        ==
        %reset -f
        == main
        print(x)
        """, "", "x=104@1", runs=None),
    case("%xdel elsewhere deletes", """
        == main
        x = 1
        ==
        %xdel x
        == main
        print(x)
        """, "", "x=104@1", runs=None),
    case("autocall", """
        ==
        def f(x):
            return x
        == main
        /f 1
        """, "f", "f=101@0", other="/", runs=None),
    case("modulo and shift are no magics", """
        ==
        n = 7
        == main
        x = 10
        y = (x
        %n)
        print(y)
        """, "n", "n=101@0"),
    case("get_ipython call", """
        == main
        get_ipython().run_line_magic("matplotlib", "inline")
        print(1)
        """, "get_ipython", "get_ipython=107@", runs=None),
    case("get_ipython().user_ns", """
        ==
        x = sorted("ab")
        == main
        print(get_ipython().user_ns["x"])
        """, "get_ipython x", "get_ipython=107@; x=107|101@0", runs=None),
    case("get_ipython().system reads braces", """
        ==
        word = sorted("ab")
        == main
        get_ipython().system("echo {word}")
        """, "get_ipython word", "get_ipython=107@; word=101|106|111|107@0", runs=None),
    case("display is there in a script", """
        == main
        display(1)
        """, runs=None),
    case("names bound through push", """
        ==
        get_ipython().push({"pushed": 3})
        == main
        print(pushed)
        """, "pushed", "pushed=107@0", runs=None),
]

HISTORY = [
    case("last output, Out, In and a number", """
        == 1
        1 + 1
        == main 2
        print(_, Out[1], In[1], _1)
        """, "_ Out In _1", "_=107@0; Out=107@0; In=107@0; _1=107@0"),
    case("two outputs back", """
        == 1
        1 + 1
        == 2
        3
        == main 3
        print(__)
        """, "__", "__=107@0"),
    case("three outputs back", """
        == 1
        1 + 1
        == 2
        3
        == 3
        4
        == main 4
        print(___)
        """, "___", "___=107@0"),
    case("a cell without output in between", """
        == 1
        1 + 1
        == 2
        x = 3
        == 3
        print("no output")
        == main 4
        print(_)
        """, "_", "_=107@0"),
    case("an output that a semicolon hides is not kept", """
        == 1
        1 + 1
        == 2
        7;
        == main 3
        print(_)
        """, "_", "_=107@0"),
    case("input history", """
        == 1
        1 + 1
        == main 2
        print(_i, _ii, _i1, _ih[1])
        """, "_i _ii _i1 _ih", "_i=107@0; _i1=107@0; _ih=107@0; _ii=107@", runs=None),
    case("output history under its other name", """
        == 1
        1 + 1
        == main 2
        print(_oh[1])
        """, "_oh", "_oh=107@0"),
    case("directory history", """
        == 1
        1 + 1
        == main 2
        print(len(_dh))
        """, "_dh", "_dh=107@", runs=None),
    case("own output", """
        == main 1
        1 + 1
        == main 2
        print(_)
        """, "_", "_=107@0", runs=None),
    case("underscore of a loop is a variable", """
        == main
        for _ in range(2):
            pass
        print(_)
        """),
    case("underscore of unpacking elsewhere", """
        ==
        x, _ = 1, 2
        == main
        y, _ = 3, 4
        print(_)
        """),
    case("underscore function", """
        ==
        def _(text):
            return text.upper()
        == main
        print(_("a"))
        """, "_", "_=101@0"),
    case("a private name with a number", """
        ==
        _x1 = 3
        == main
        print(_x1)
        """, "_x1", "_x1=101@0"),
    case("Out of a computed number", """
        == 1
        1 + 1
        == main 2
        n = 1
        print(Out[n])
        """, "Out", "Out=107@", other="", runs="differs"),
    case("In with a negative number", """
        == 1
        1 + 1
        == main 2
        print(In[-2])
        """, "In", "In=107@0", runs="differs"),
    case("own variable named Out", """
        == main
        Out = {1: 2}
        print(Out[1])
        """),
]

DYNAMIC = [
    case("exec and globals elsewhere", """
        ==
        exec("alpha = 3")
        globals()["beta"] = 4
        == main
        print(alpha, beta)
        """, "alpha beta", "alpha=107@0; beta=107@0"),
    case("locals and vars elsewhere", """
        ==
        locals()["alpha"] = 3
        vars()["beta"] = 4
        == main
        print(alpha, beta)
        """, "alpha beta", "alpha=107@0; beta=107@0"),
    case("update of globals elsewhere", """
        ==
        globals().update(alpha=3)
        globals().update({"beta": 4})
        == main
        print(alpha, beta)
        """, "alpha beta", "alpha=107@0; beta=107@0"),
    case("setdefault of globals elsewhere", """
        ==
        globals().setdefault("alpha", 3)
        == main
        print(alpha)
        """, "alpha", "alpha=107@0"),
    case("computed names elsewhere", """
        ==
        for i in range(3):
            globals()[f"x_{i}"] = i
        == main
        print(x_1)
        """, "x_1", "x_1=107@0", quiet="i"),
    case("a dict put into globals", """
        ==
        config = {"alpha": 3}
        globals().update(config)
        == main
        print(alpha)
        """, "alpha", "alpha=107@0"),
    case("exec of a variable", """
        ==
        code = "alpha = 3"
        exec(code)
        == main
        print(alpha)
        """, "alpha", "alpha=107@0"),
    case("exec of several lines", """
        ==
        exec('''
        def f():
            return 3
        ''')
        == main
        print(f())
        """, "f", "f=107@0"),
    case("exec into its own dict binds nothing here", """
        ==
        ns = {}
        exec("alpha = 3", ns)
        == main
        print(ns["alpha"])
        """, "ns", "ns=101|104@0", other="exec"),
    case("eval in the component", """
        ==
        alpha = 3
        == main
        print(eval("alpha + 1"))
        """, "alpha", "alpha=107@0"),
    case("exec in the component", """
        ==
        alpha = 3
        == main
        exec("print(alpha)")
        """, "alpha", "alpha=107@0"),
    case("globals in the component", """
        ==
        alpha = 3
        == main
        print(globals()["alpha"])
        """, "alpha", "alpha=107@0"),
    case("globals().get in the component", """
        ==
        alpha = 3
        == main
        print(globals().get("alpha"))
        """, "alpha", "alpha=107@0"),
    case("globals in a function of the component", """
        ==
        alpha = 3
        == main
        def f():
            return globals()["alpha"]
        print(f())
        """, "alpha", "alpha=107@0"),
    case("membership in globals", """
        ==
        alpha = 3
        == main
        print("alpha" in globals())
        """, "alpha", "alpha=107@0"),
    case("eval of text that cannot be read", """
        ==
        text = "al" + "pha"
        alpha = 3
        == main
        print(eval(text))
        """, "text", "text=101@0; eval=107@", other="alpha"),
    case("exec in the component binds for itself", """
        == main
        exec("gamma = 1")
        print(gamma)
        """, other="gamma exec"),
    case("globals in the component binds for itself", """
        == main
        globals()["gamma"] = 1
        print(gamma)
        """, other="gamma globals"),
    case("eval of a literal needs nothing", """
        == main
        print(eval("1 + 1"))
        """, other="eval"),
    case("ast.literal_eval needs nothing", """
        == main
        import ast
        print(ast.literal_eval("[1]"))
        """),
    case("DataFrame.eval and query read @names", """
        ==
        low = 1
        == main
        import pandas as pd
        df = pd.DataFrame({"x": [1, 2]})
        print(len(df.query("x > @low")))
        """, "low", "low=101@0"),
    case("locals in a function are its own", """
        ==
        alpha = 3
        == main
        def f():
            alpha = 1
            return locals()["alpha"]
        print(f())
        """),
    case("vars of an object is not the namespace", """
        == main
        import types
        print(vars(types.SimpleNamespace(a=1)))
        """),
    case("__main__ is the namespace", """
        ==
        alpha = 3
        == main
        import __main__
        print(__main__.alpha)
        """, "alpha", "alpha=107@0"),
    case("sys.modules of __main__", """
        ==
        alpha = 3
        == main
        import sys
        print(sys.modules["__main__"].alpha)
        """, "alpha", "alpha=107@0"),
    case("getattr of __main__", """
        ==
        alpha = 3
        == main
        import sys
        print(getattr(sys.modules[__name__], "alpha"))
        """, "alpha", "alpha=107@0"),
    case("setattr on __main__ elsewhere", """
        ==
        import sys
        setattr(sys.modules["__main__"], "alpha", 3)
        == main
        print(alpha)
        """, "alpha", "alpha=107@0"),
]

CASES = [*MAGICS, *HISTORY, *DYNAMIC]
