"""Imports and star imports (07, 13)."""

from __future__ import annotations

from ..small import case

IMPORTS = [
    case("plain, from, and dotted", """
        ==
        import math
        from pathlib import PurePath
        import os.path
        == main
        print(math.pi, PurePath("."), os.path.sep)
        """, "math PurePath os", "math=101@0; PurePath=101@0; os=101@0"),
    case("import with an alias", """
        ==
        import numpy as np
        == main
        print(np.zeros(2))
        """, "np", "np=101@0", quiet="numpy"),
    case("from with alias", """
        ==
        from math import sqrt as root
        == main
        print(root(4))
        """, "root", "root=101@0", quiet="sqrt"),
    case("submodule with alias", """
        ==
        import os.path as p
        == main
        print(p.sep)
        """, "p", "p=101@0"),
    case("several on a line", """
        ==
        import math, json
        == main
        print(math.pi, json.dumps(1))
        """, "math json", "math=101@0; json=101@0"),
    case("try and except", """
        ==
        try:
            import ujson as js
        except ImportError:
            import json as js
        == main
        print(js.dumps(1))
        """, "js", "js=101@0"),
    case("try with None", """
        ==
        try:
            import ujson
        except ImportError:
            ujson = None
        == main
        print(ujson is None)
        """, "ujson", "ujson=101@0"),
    case("under if", """
        ==
        import sys
        if sys.version_info > (3, 0):
            import json as js
        else:
            import simplejson as js
        == main
        print(js.dumps(1))
        """, "js sys", "js=101@0; sys=101|106@0"),
    case("inside a function is local", """
        ==
        def f():
            import math
            return math.pi
        == main
        print(f())
        """, "f", "f=101@0", quiet="math"),
    case("inside a function with global", """
        ==
        def setup():
            global math
            import math
        setup()
        == main
        print(math.pi)
        """, "math", "math=101@0"),
    case("used in a decorator", """
        ==
        import functools
        == main
        @functools.lru_cache
        def f():
            return 1
        print(f())
        """, "functools", "functools=101@0"),
    case("used in an annotation", """
        ==
        from typing import Optional
        == main
        def f(x: Optional[int] = None):
            return x
        print(f())
        """, "Optional", "Optional=101@0"),
    case("used as an exception", """
        ==
        from json import JSONDecodeError
        == main
        try:
            int("x")
        except (JSONDecodeError, ValueError):
            print("no")
        """, "JSONDecodeError", "JSONDecodeError=101@0"),
    case("own try import binds", """
        ==
        other = 1
        == main
        try:
            import ujson as json
        except ImportError:
            import json
        print(json.dumps(other))
        """, "other", "other=101@0", quiet="json ujson"),
    case("own import", """
        ==
        import math
        == main
        import math
        print(math.pi)
        """),
    case("own import under another name", """
        ==
        import math as m
        == main
        import math
        print(math.pi)
        """),
    case("import in another component", """
        == other
        import math
        == main
        print(math.pi)
        """, "math", "math=101@0"),
    case("import that a function of the component needs", """
        ==
        import math
        == main
        def f():
            return math.pi
        print(f())
        """, "math", "math=101@0"),
    case("rebound import", """
        ==
        import math
        ==
        math = 3
        == main
        print(math)
        """, "math", "math=105@0,1"),
    case("__import__", """
        ==
        m = __import__("math")
        == main
        print(m.pi)
        """, "m", "m=101@0"),
    case("importlib", """
        ==
        import importlib
        m = importlib.import_module("math")
        == main
        print(m.pi)
        """, "m", "m=101@0", quiet="importlib"),
    # one that no library imports by itself: what runs must really miss it
    case("submodule that another cell imports", """
        == main
        import wsgiref
        ==
        import wsgiref.headers
        == main
        print(wsgiref.headers.__name__)
        """, "", "wsgiref=104@1"),
    case("submodule that the component imports too", """
        == main
        import xml.dom.minidom
        ==
        import xml.dom.minidom
        == main
        print(xml.dom.minidom.__name__)
        """),
    case("submodule that comes with its package", """
        == main
        import os
        ==
        import os.path
        == main
        print(os.path.sep)
        """),
]

STARS = [
    case("star elsewhere", """
        ==
        from math import *
        == main
        print(sqrt(2))
        """, "sqrt", "sqrt=110@0"),
    case("star elsewhere, used in a function", """
        ==
        from math import *
        == main
        def f(x):
            return sqrt(x)
        print(f(2))
        """, "sqrt", "sqrt=110@0", quiet="x"),
    case("several stars, each name from its own", """
        ==
        from math import *
        ==
        from string import *
        == main
        print(sqrt(2), digits)
        """, "sqrt digits", "sqrt=110@0; digits=110@1"),
    case("a name that no known star provides", """
        ==
        from math import *
        == main
        print(ghost)
        """, "ghost", "ghost=102@", runs=None),
    case("a star of an unknown module", """
        ==
        from my_helpers import *
        == main
        print(helper(2))
        """, "helper", "helper=110@0", runs=None),
    case("known and unknown stars", """
        ==
        from math import *
        ==
        from my_helpers import *
        == main
        print(sqrt(2), helper(2))
        """, "sqrt helper", "sqrt=110@0; helper=110@1", runs=None),
    case("star in the component provides it", """
        ==
        unused = 1
        == main
        from math import *
        print(sqrt(2))
        """),
    case("star in the component, value from elsewhere", """
        ==
        threshold = 2
        == main
        from math import *
        print(sqrt(threshold))
        """, "threshold", "threshold=101@0"),
    case("star in the component over a name from elsewhere", """
        ==
        sqrt = abs
        == main
        from math import *
        print(sqrt(4))
        """),
    case("star in the component and a name nobody has", """
        == main
        from math import *
        print(ghost)
        """, "ghost", "ghost=102@", runs=None),
    case("unknown star in the component may provide anything", """
        == main
        from my_helpers import *
        print(helper(1))
        """, runs=None),
    case("star below its use", """
        == main 2
        print(sqrt(2))
        == 1
        from math import *
        """, "sqrt", "sqrt=103|110@1", runs=None),
    case("star in the component below its use", """
        == main 2
        print(sqrt(2))
        == main 1
        from math import *
        """, "sqrt", "sqrt=103|110@1", runs=None),
    case("a definition is nearer than a star", """
        ==
        from math import *
        ==
        def sqrt(x):
            return x
        == main
        print(sqrt(4))
        """, "sqrt", "sqrt=105@0,1"),
    case("a star over a definition", """
        ==
        def sqrt(x):
            return x
        ==
        from math import *
        == main
        print(sqrt(4))
        """, "sqrt", "sqrt=105|110@0,1"),
    case("a star over a builtin", """
        ==
        from math import *
        == main
        print(pow(2, 3))
        """, "pow", "pow=110@0"),
    case("a builtin that no star hides", """
        ==
        from math import *
        == main
        print(len([2, 3]))
        """),
    case("a private name is not part of a star", """
        ==
        from math import *
        == main
        print(_hidden)
        """, "_hidden", "_hidden=102@", runs=None),
    case("star of a submodule", """
        ==
        from os.path import *
        == main
        print(join("a", "b"))
        """, "join", "join=110@0"),
    case("star of numpy", """
        ==
        from numpy import *
        == main
        print(zeros(2))
        """, "zeros", "zeros=110@0"),
    case("star in another component", """
        == other
        from math import *
        == main
        print(sqrt(2))
        """, "sqrt", "sqrt=110@0"),
    case("carried function that needs a star", """
        ==
        from math import *
        def f(x):
            return sqrt(x)
        == main
        print(f(4))
        """, "f sqrt", "f=101@0; sqrt=110|106@0"),
    case("star rebinds a value of the component", """
        == main
        e = 5
        ==
        from math import *
        == main
        print(e)
        """, "", "e=104|105|110@1"),
]

CASES = [*IMPORTS, *STARS]
