"""Process state: environment, working directory, import path, random state, options (14)."""

from __future__ import annotations

from ..small import Case, case

SETS = [
    ("subscript", 'import os\nos.environ["CASE_TOKEN"] = "x"'),
    ("putenv and subscript", 'import os as o\no.environ["CASE_TOKEN"] = "x"'),
    ("update with a keyword", 'import os\nos.environ.update(CASE_TOKEN="x")'),
    ("update with a dict", 'import os\nos.environ.update({"CASE_TOKEN": "x"})'),
    ("setdefault", 'import os\nos.environ.setdefault("CASE_TOKEN", "x")'),
    ("imported environ", 'from os import environ\nenviron["CASE_TOKEN"] = "x"'),
    ("environ under a name", 'import os\nenv = os.environ\nenv["CASE_TOKEN"] = "x"'),
    ("in place or", 'import os\nos.environ |= {"CASE_TOKEN": "x"}'),
    ("a name for the key", 'import os\nKEY = "CASE_TOKEN"\nos.environ[KEY] = "x"'),
    ("a loop over a dict", 'import os\nfor k, v in {"CASE_TOKEN": "x"}.items():\n    os.environ[k] = v'),
    ("a function", 'import os\ndef setup():\n    os.environ["CASE_TOKEN"] = "x"\nsetup()'),
    ("%env", "%env CASE_TOKEN=x"),
    ("%env with a space", "%env CASE_TOKEN x"),
    ("%set_env", "%set_env CASE_TOKEN=x"),
    ("under try", 'import os\ntry:\n    os.environ["CASE_TOKEN"] = "x"\nexcept KeyError:\n    pass'),
    ("setitem", 'import os\nos.environ.__setitem__("CASE_TOKEN", "x")'),
]  # fmt: skip
GETS = [
    ("subscript", 'import os\nprint(os.environ["CASE_TOKEN"])'),
    ("getenv", 'import os\nprint(os.getenv("CASE_TOKEN"))'),
    ("getenv with a default", 'import os\nprint(os.getenv("CASE_TOKEN", "y"))'),
    ("get", 'import os\nprint(os.environ.get("CASE_TOKEN"))'),
    ("imported getenv", 'from os import getenv\nprint(getenv("CASE_TOKEN"))'),
    ("imported environ", 'from os import environ as e\nprint(e["CASE_TOKEN"])'),
    ("membership", 'import os\nprint("CASE_TOKEN" in os.environ)'),
    ("a name for the key", 'import os\nKEY = "CASE_TOKEN"\nprint(os.environ.get(KEY))'),
    ("environ under a name", 'import os\nenv = os.environ\nprint(env.get("CASE_TOKEN"))'),
    ("a copy", 'import os\nprint(dict(os.environ).get("CASE_TOKEN"))'),
    ("a function", 'import os\ndef token():\n    return os.environ["CASE_TOKEN"]\nprint(token())'),
    ("pop", 'import os\nprint(os.environ.pop("CASE_TOKEN", None))'),
    ("expandvars", 'import os\nprint(os.path.expandvars("$CASE_TOKEN/x"))'),
    ("setdefault", 'import os\nprint(os.environ.setdefault("CASE_TOKEN", "y"))'),
    ("getenvb", 'import os\nprint(os.environb.get(b"CASE_TOKEN"))'),
]  # fmt: skip

ENVIRONMENT: list[Case] = [
    *(
        case(f"environment set by {how}", f'==\n{text}\n== main\nimport os\nprint(os.environ["CASE_TOKEN"])\n',
             "", "CASE_TOKEN=108@0")
        for how, text in SETS
    ),
    *(
        case(f"environment read by {how}", f'==\nimport os\nos.environ["CASE_TOKEN"] = "x"\n== main\n{text}\n',
             "", "CASE_TOKEN=108@0")
        for how, text in GETS
    ),
    case("environment read by a shell line", """
        ==
        import os
        os.environ["CASE_TOKEN"] = "x"
        == main
        !echo $CASE_TOKEN
        """, "", "CASE_TOKEN=108@0", other="!", runs=None),
    case("environment read by a shell cell", """
        ==
        import os
        os.environ["CASE_TOKEN"] = "x"
        == main
        %%bash
        echo ${CASE_TOKEN}
        """, "", "CASE_TOKEN=108@0", other="%%bash", runs=None),
    case("environment read by %env", """
        ==
        import os
        os.environ["CASE_TOKEN"] = "x"
        == main
        %env CASE_TOKEN
        """, "", "CASE_TOKEN=108@0", other="%env", runs=None),
    case("environment read by an assigned %env", """
        ==
        %env CASE_TOKEN=x
        == main
        token = %env CASE_TOKEN
        print(token)
        """, "", "CASE_TOKEN=108@0", other="%env"),
    case("environment set by another component", """
        == other
        import os
        os.environ["CASE_TOKEN"] = "x"
        == main
        import os
        print(os.environ["CASE_TOKEN"])
        """, "", "CASE_TOKEN=108@0"),
    case("environment set in two cells", """
        ==
        import os
        os.environ["CASE_TOKEN"] = "x"
        ==
        os.environ["CASE_TOKEN"] = "y"
        == main
        import os
        print(os.environ["CASE_TOKEN"])
        """, "", "CASE_TOKEN=108@0,1"),
    case("environment deleted elsewhere", """
        == main
        import os
        os.environ["CASE_TOKEN"] = "x"
        ==
        del os.environ["CASE_TOKEN"]
        == main
        print(os.environ.get("CASE_TOKEN"))
        """, "", "CASE_TOKEN=108@1"),
    case("environment changed elsewhere in between", """
        == main
        import os
        os.environ["CASE_TOKEN"] = "x"
        ==
        os.environ["CASE_TOKEN"] = "y"
        == main
        print(os.environ["CASE_TOKEN"])
        """, "", "CASE_TOKEN=108@1"),
    case("environment popped elsewhere in between", """
        == main
        import os
        os.environ["CASE_TOKEN"] = "x"
        ==
        os.environ.pop("CASE_TOKEN")
        == main
        print(os.environ.get("CASE_TOKEN"))
        """, "", "CASE_TOKEN=108@1"),
    case("nobody sets the variable", """
        == main
        import os
        print(os.environ["CASE_NOBODY"])
        """, "", "CASE_NOBODY=108@", runs=None),
    case("the component sets it itself", """
        ==
        import os
        os.environ["CASE_TOKEN"] = "x"
        == main
        import os
        os.environ["CASE_TOKEN"] = "y"
        print(os.environ["CASE_TOKEN"])
        """),
    case("another variable is set elsewhere", """
        ==
        import os
        os.environ["CASE_OTHER"] = "x"
        == main
        import os
        os.environ["CASE_TOKEN"] = "y"
        print(os.environ["CASE_TOKEN"])
        """),
    case("set below the component", """
        == main
        import os
        os.environ["CASE_TOKEN"] = "y"
        print(os.environ["CASE_TOKEN"])
        ==
        os.environ["CASE_TOKEN"] = "x"
        """),
    case("declared in the contract", """
        == +contract:main
        environment_variables: {CASE_TOKEN: "x"}
        ==
        import os
        os.environ["CASE_TOKEN"] = "x"
        == main
        import os
        print(os.environ["CASE_TOKEN"])
        """, runs=None),
    case("a dict named environ", """
        ==
        environ = {"CASE_TOKEN": "x"}
        == main
        environ = {"CASE_TOKEN": "y"}
        print(environ["CASE_TOKEN"])
        """),
]

DIRECTORY = [
    *(
        case(f"directory changed by {how}", f"==\n{text}\n== main\nimport os\nprint(os.getcwd())\n",
             "", f"{name}=108@0")
        for how, text, name in [
            ("os.chdir", 'import os\nos.chdir("/")', "os.chdir"),
            ("chdir by name", 'from os import chdir\nchdir("/")', "chdir"),
            ("an alias", 'import os as o\no.chdir("/")', "o.chdir"),
            ("%cd", "%cd -q /", "%cd"),
            ("cd without percent", "cd /", "%cd"),
            ("a function", 'import os\ndef go():\n    os.chdir("/")\ngo()', "os.chdir"),
            ("%pushd", "%pushd /", "%pushd"),
        ]
    ),
    *(
        case(f"directory felt by {how}", f'==\nimport os\nos.chdir("/")\n== main\n{text}\n',
             "", "os.chdir=108@0", other=other, runs="differs" if runs else None)
        for how, text, other, runs in [
            ("getcwd", "import os\nprint(os.getcwd())", "", True),
            ("Path.cwd", "from pathlib import Path\nprint(Path.cwd())", "", True),
            ("listdir", "import os\nprint(sorted(os.listdir()))", ". ", True),
            ("listdir of here", 'import os\nprint(sorted(os.listdir(".")))', ".", True),
            ("abspath", 'import os\nprint(os.path.abspath("x"))', "x", True),
            ("resolve", 'from pathlib import Path\nprint(Path("x").resolve())', "x", True),
            ("absolute", 'from pathlib import Path\nprint(Path("x").absolute())', "x", True),
            ("exists", 'import os\nprint(os.path.exists("etc"))', "etc", True),
            ("is_dir", 'from pathlib import Path\nprint(Path("etc").is_dir())', "etc", True),
            ("open", 'print(len(open("etc/passwd").read()) > 0)', "etc/passwd", True),
            ("glob", 'import glob\nprint(glob.glob("et*"))', "et*", True),
            ("read_csv", 'import pandas as pd\nprint(pd.read_csv("etc/passwd", sep=":").shape)', "etc/passwd", True),
            ("%pwd", "here = %pwd\nprint(here)", "", True),
            ("a shell line", "!ls", "!", False),
            ("a subprocess", 'import subprocess\nprint(subprocess.run(["pwd"], capture_output=True).stdout)', "", True),
            ("a function", "import os\ndef f():\n    return os.getcwd()\nprint(f())", "", True),
        ]
    ),
    case("directory changed in two ways", """
        ==
        import os
        os.chdir("/")
        ==
        %cd -q /tmp
        == main
        import os
        print(os.getcwd())
        """, "", "os.chdir=108@0; %cd=108@1"),
    case("directory changed in between", """
        == main
        import os
        os.chdir("/tmp")
        ==
        os.chdir("/")
        == main
        print(os.getcwd())
        """, "", "os.chdir=108@1"),
    case("directory set by the component itself", """
        ==
        import os
        os.chdir("/")
        == main
        import os
        os.chdir("/tmp")
        print(os.getcwd())
        """, other="/tmp"),
    case("absolute paths feel no directory", """
        ==
        import os
        os.chdir("/")
        == main
        print(len(open("/dev/null").read()))
        """),
    case("nothing feels the directory", """
        ==
        import os
        os.chdir("/")
        == main
        print(1 + 1)
        """),
    case("directory changed below", """
        == main
        import os
        print(len(os.getcwd()) > 0)
        ==
        os.chdir("/")
        """),
    case("contextlib.chdir puts it back", """
        ==
        import contextlib
        with contextlib.chdir("/"):
            pass
        == main
        import os
        print(os.getcwd())
        """),
]  # fmt: skip

IMPORT_PATH = [
    *(
        case(f"import path set by {how}", f"==\n{text}\n== main\nimport sys\nprint('/nbc_nowhere' in [str(p) for p in sys.path])\n",
             "", f"{name}=108@0")
        for how, text, name in [
            ("append", 'import sys\nsys.path.append("/nbc_nowhere")', "sys.path.append"),
            ("insert", 'import sys\nsys.path.insert(0, "/nbc_nowhere")', "sys.path.insert"),
            ("extend", 'import sys\nsys.path.extend(["/nbc_nowhere"])', "sys.path.extend"),
            ("in place", 'import sys\nsys.path += ["/nbc_nowhere"]', "sys.path"),
            ("assignment", 'import sys\nsys.path = ["/nbc_nowhere", *sys.path]', "sys.path"),
            ("slice", 'import sys\nsys.path[:0] = ["/nbc_nowhere"]', "sys.path"),
            ("an imported path", 'from sys import path\npath.append("/nbc_nowhere")', "path.append"),
            ("a function", 'import sys\ndef f():\n    sys.path.append("/nbc_nowhere")\nf()', "sys.path.append"),
            ("under if", 'import sys\nif "/nbc_nowhere" not in sys.path:\n    sys.path.append("/nbc_nowhere")', "sys.path.append"),
        ]
    ),
    case("import path felt by an import", """
        ==
        import sys
        sys.path.append("../src")
        == main
        import my_local_helpers
        print(my_local_helpers)
        """, "", "sys.path.append=108@0", runs=None),
    case("import path felt by a from import in a function", """
        ==
        import sys
        sys.path.append("../src")
        == main
        def f():
            from my_local.helpers import run
            return run()
        """, "", "sys.path.append=108@0", runs=None),
    case("import path felt by importlib", """
        ==
        import sys
        sys.path.append("../src")
        == main
        import importlib
        importlib.import_module("my_local_helpers")
        """, "", "sys.path.append=108@0", runs=None),
    case("import path felt by an import that is carried over", """
        ==
        import sys
        sys.path.append("../src")
        from my_local import run
        == main
        print(run())
        """, "run", "sys.path.append=108@0; run=101@0", runs=None),
    case("import path set by the component", """
        ==
        import sys
        sys.path.append("../src")
        == main
        import sys
        sys.path.append("../src")
        import my_local_helpers
        """, runs=None),
    case("only packages are imported", """
        ==
        import sys
        sys.path.append("/nbc_nowhere")
        == main
        import math, json
        import numpy as np
        print(math.pi, np.pi)
        """),
    case("import path set below", """
        == main
        import sys
        print(len(sys.path) > 0)
        ==
        sys.path.append("/nbc_nowhere")
        """),
]  # fmt: skip

SEEDED = [
    ("random.seed", "import random\nrandom.seed(0)", "import random\nprint(random.random())"),
    ("seed", "from random import seed\nseed(0)", "import random\nprint(random.random())"),
    ("random.seed", "import random\nrandom.seed(0)", "from random import random as draw\nprint(draw())"),
    ("random.seed", "import random\nrandom.seed(0)", "from random import choice\nprint([choice(range(100)) for _ in range(5)])"),
    ("random.seed", "import random\nrandom.seed(0)", "import random\na = list(range(99))\nrandom.shuffle(a)\nprint(a)"),
    ("random.seed", "import random\nrandom.seed(0)", "import random\ndef f():\n    return random.gauss(0, 1)\nprint(f())"),
    ("np.random.seed", "import numpy as np\nnp.random.seed(0)", "import numpy as np\nprint(np.random.rand(3))"),
    ("np.random.seed", "import numpy as np\nnp.random.seed(0)", "from numpy.random import normal\nprint(normal())"),
    ("np.random.seed", "import numpy as np\nnp.random.seed(0)", "from numpy import random as r\nprint(r.choice(100, 5))"),
    ("np.random.seed", "import numpy as np\nnp.random.seed(0)", "import pandas as pd\nprint(pd.Series(range(99)).sample(5).tolist())"),
    ("np.random.seed", "import numpy as np\nnp.random.seed(0)", "from sklearn.model_selection import train_test_split\nprint(train_test_split(list(range(99)))[0])"),
    ("np.random.seed", "import numpy as np\nnp.random.seed(0)", "from sklearn.utils import shuffle\nprint(shuffle(list(range(99))))"),
    ("np.random.seed", "import numpy as np\nnp.random.seed(0)", "from scipy import stats\nprint(stats.norm.rvs(size=3))"),
    ("np.random.seed", "import numpy as np\nnp.random.seed(0)", "from scipy.stats import norm\nprint(norm(0, 1).rvs(3))"),
    ("np.random.set_state", "import numpy as np\nnp.random.set_state(np.random.RandomState(1).get_state())", "import numpy as np\nprint(np.random.rand(3))"),
    ("random.setstate", "import random\nrandom.setstate(random.Random(1).getstate())", "import random\nprint(random.random())"),
]  # fmt: skip

RANDOM = [
    *(
        case(f"seeded by {name} ({i})", f"==\n{text}\n== main\n{draw}\n", "", f"{name}=108@0")
        for i, (name, text, draw) in enumerate(SEEDED)
    ),
    case("torch seeded", """
        ==
        import torch
        torch.manual_seed(0)
        == main
        import torch
        print(torch.rand(2), torch.nn.Linear(2, 2).weight)
        """, "", "torch.manual_seed=108@0", runs=None),
    case("torch layers and loaders draw", """
        ==
        import torch
        torch.manual_seed(0)
        == main
        from torch import nn
        from torch.utils.data import DataLoader
        net = nn.Sequential(nn.Linear(2, 2))
        """, "", "torch.manual_seed=108@0", runs=None),
    case("torch draws in place", """
        ==
        import torch
        torch.manual_seed(0)
        == main
        import torch
        print(torch.empty(3).uniform_())
        """, "", "torch.manual_seed=108@0", runs=None),
    case("tensorflow seeded", """
        ==
        import tensorflow as tf
        tf.random.set_seed(0)
        == main
        import tensorflow as tf
        print(tf.random.normal([2]))
        """, "", "tf.random.set_seed=108@0", runs=None),
    case("keras layers draw", """
        ==
        import tensorflow as tf
        tf.random.set_seed(0)
        == main
        from tensorflow import keras
        m = keras.Sequential([keras.layers.Dense(1)])
        """, "", "tf.random.set_seed=108@0", runs=None),
    case("one seed for all", """
        ==
        from transformers import set_seed
        set_seed(0)
        == main
        import numpy as np
        print(np.random.rand())
        """, "", "set_seed=108@0", runs=None),
    case("three seeds in a function", """
        ==
        import random
        import numpy as np
        def seed_everything(n):
            random.seed(n)
            np.random.seed(n)
        seed_everything(0)
        == main
        import random
        import numpy as np
        print(random.random(), np.random.rand())
        """, "", "random.seed=108@0; np.random.seed=108@0"),
    case("an estimator without random_state draws", """
        ==
        import numpy as np
        np.random.seed(0)
        == main
        from sklearn.ensemble import RandomForestClassifier
        m = RandomForestClassifier(n_estimators=3)
        """, "", "np.random.seed=108@0", runs=None),
    case("drawn from in between", """
        == main
        import random
        random.seed(0)
        ==
        random.random()
        == main
        print(random.random())
        """, "", "random.random=108@1"),
    case("seeded again in between", """
        == main
        import random
        random.seed(0)
        ==
        random.seed(1)
        == main
        print(random.random())
        """, "", "random.seed=108@1"),
    case("generator made elsewhere is a value", """
        ==
        import numpy as np
        rng = np.random.default_rng(0)
        == main
        print(rng.random())
        """, "rng", "rng=101@0"),
    case("own seed before use", """
        ==
        import random
        random.seed(0)
        == main
        import random
        random.seed(1)
        print(random.random())
        """),
    case("own generator", """
        ==
        import numpy as np
        np.random.seed(0)
        == main
        import numpy as np
        print(np.random.default_rng(3).random())
        """),
    case("own generator of the standard library", """
        ==
        import random
        random.seed(0)
        == main
        import random
        rng = random.Random(3)
        print(rng.random(), rng.sample(range(9), 2))
        """),
    case("own RandomState", """
        ==
        import numpy as np
        np.random.seed(0)
        == main
        import numpy as np
        rs = np.random.RandomState(3)
        print(rs.rand())
        """),
    case("random_state is given", """
        ==
        import numpy as np
        np.random.seed(0)
        == main
        from sklearn.model_selection import train_test_split
        import pandas as pd
        print(train_test_split(list(range(9)), random_state=3)[0])
        print(pd.Series(range(9)).sample(2, random_state=3).tolist())
        """),
    case("another library is seeded", """
        ==
        import numpy as np
        np.random.seed(0)
        == main
        import random
        random.seed(1)
        print(random.random())
        """),
    case("nothing is drawn", """
        ==
        import numpy as np
        np.random.seed(0)
        == main
        import numpy as np
        print(np.zeros(3), np.linspace(0, 1, 3))
        """),
    case("sklearn without randomness", """
        ==
        import numpy as np
        np.random.seed(0)
        == main
        from sklearn.linear_model import LinearRegression
        from sklearn.preprocessing import StandardScaler
        from sklearn.metrics import accuracy_score
        m = LinearRegression().fit([[1], [2]], [1, 2])
        print(round(float(m.coef_[0]), 3), accuracy_score([1], [1]))
        """),
    case("scipy without randomness", """
        ==
        import numpy as np
        np.random.seed(0)
        == main
        from scipy import stats
        print(stats.norm.pdf(0), stats.norm(0, 1).cdf(1))
        """),
    case("torch without randomness", """
        ==
        import torch
        torch.manual_seed(0)
        == main
        import torch
        print(torch.zeros(2) + torch.arange(2) @ torch.ones(2, dtype=torch.int64))
        print(torch.nn.functional.relu(torch.tensor([1.0])), torch.optim.SGD)
        """, runs=None),
    case("seeded below", """
        == main
        import random
        x = random.random()
        ==
        random.seed(0)
        """, runs=None),
    case("a list method named sample or choice", """
        ==
        import random
        random.seed(0)
        == main
        class Deck:
            def choice(self):
                return 1
            def shuffle(self):
                return self
        print(Deck().shuffle().choice())
        """),
]

OPTION_SETS = [
    ("pd.set_option", "import pandas as pd", 'pd.set_option("display.max_rows", 5)', 'print(pd.get_option("display.max_rows"))'),
    ("pd.options.display.max_rows", "import pandas as pd", "pd.options.display.max_rows = 5", "print(pd.options.display.max_rows)"),
    ("np.set_printoptions", "import numpy as np", "np.set_printoptions(precision=2)", "print(np.array([1 / 3]))"),
    ("np.seterr", "import numpy as np", 'np.seterr(all="raise")', "print(np.geterr())"),
    ("decimal.getcontext().prec", "import decimal", "decimal.getcontext().prec = 3", "print(decimal.Decimal(1) / 3)"),
    ("sys.setrecursionlimit", "import sys", "sys.setrecursionlimit(3456)", "print(sys.getrecursionlimit())"),
    ("socket.setdefaulttimeout", "import socket", "socket.setdefaulttimeout(3)", "print(socket.getdefaulttimeout())"),
    ("logging.getLogger().setLevel", "import logging", "logging.getLogger().setLevel(10)", "print(logging.getLogger().level)"),
    ("logging.basicConfig", "import logging", "logging.basicConfig(level=10, force=True)", "print(logging.getLogger().level)"),
    ("logging.disable", "import logging", "logging.disable(50)", "print(logging.getLogger('x').isEnabledFor(40))"),
    ("warnings.filterwarnings", "import warnings", 'warnings.filterwarnings("error")', "try:\n    warnings.warn('x')\nexcept UserWarning:\n    print('raised')"),
    ("warnings.simplefilter", "import warnings", 'warnings.simplefilter("error")', "try:\n    warnings.warn('x')\nexcept UserWarning:\n    print('raised')"),
    ("locale.setlocale", "import locale", 'locale.setlocale(locale.LC_ALL, "C")', "print(locale.setlocale(locale.LC_CTYPE))"),
    ("csv.field_size_limit", "import csv", "csv.field_size_limit(123)", "print(csv.field_size_limit())"),
    ("matplotlib.rcParams", "import matplotlib", 'matplotlib.rcParams["lines.linewidth"] = 7', 'print(matplotlib.rcParams["lines.linewidth"])'),
    ("matplotlib.rc", "import matplotlib", 'matplotlib.rc("lines", linewidth=7)', 'print(matplotlib.rcParams["lines.linewidth"])'),
    ("sklearn.set_config", "import sklearn", "sklearn.set_config(assume_finite=True)", "print(sklearn.get_config()['assume_finite'])"),
    ("gc.disable", "import gc", "gc.disable()", "print(gc.isenabled())"),
    ("sys.set_int_max_str_digits", "import sys", "sys.set_int_max_str_digits(9999)", "print(sys.get_int_max_str_digits())"),
]  # fmt: skip

OPTIONS = [
    *(
        case(f"option {name}", f"==\n{imports}\n{text}\n== main\n{imports}\n{use}\n", "", f"{name}=108@0")
        for name, imports, text, use in OPTION_SETS
    ),
    *(
        case(f"option {name} in the component itself", f"==\n{imports}\n{text}\n== main\n{imports}\n{text}\n{use}\n")
        for name, imports, text, use in OPTION_SETS
    ),
    *(
        case(f"option {name} below", f"== main\n{imports}\nprint(1)\n==\n{imports}\n{text}\n")
        for name, imports, text, use in OPTION_SETS
    ),
    *(
        case(f"option {name} by its name only", f"==\n{text}\n== main\n{use}\n", "", f"{name}=108@0", runs=None)
        for name, text, use in [
            ("plt.rcParams", 'import matplotlib.pyplot as plt\nplt.rcParams["figure.figsize"] = (3, 3)', "import matplotlib.pyplot as plt\nplt.plot([1])"),
            ("plt.rcParams.update", 'import matplotlib.pyplot as plt\nplt.rcParams.update({"figure.dpi": 30})', "import matplotlib.pyplot as plt\nplt.plot([1])"),
            ("plt.style.use", 'import matplotlib.pyplot as plt\nplt.style.use("ggplot")', "import matplotlib.pyplot as plt\nplt.plot([1])"),
            ("plt.rc", 'import matplotlib.pyplot as plt\nplt.rc("font", size=3)', "import matplotlib.pyplot as plt\nplt.plot([1])"),
            ("sns.set_theme", "import seaborn as sns\nsns.set_theme()", "import matplotlib.pyplot as plt\nplt.plot([1])"),
            ("sns.set", "import seaborn as sns\nsns.set()", "import seaborn as sns\nsns.lineplot([1])"),
            ("torch.set_default_dtype", "import torch\ntorch.set_default_dtype(torch.float64)", "import torch\nprint(torch.ones(1))"),
            ("torch.set_grad_enabled", "import torch\ntorch.set_grad_enabled(False)", "import torch\nprint(torch.ones(1, requires_grad=True).requires_grad)"),
            ("torch.backends.cudnn.deterministic", "import torch\ntorch.backends.cudnn.deterministic = True", "import torch\nprint(torch.ones(1))"),
            ("tf.keras.backend.set_floatx", 'import tensorflow as tf\ntf.keras.backend.set_floatx("float64")', "import tensorflow as tf\nprint(tf.ones(1))"),
            ("tf.config.run_functions_eagerly", "import tensorflow as tf\ntf.config.run_functions_eagerly(True)", "import tensorflow as tf\nprint(tf.ones(1))"),
            ("getcontext().prec", "from decimal import getcontext\ngetcontext().prec = 3", "from decimal import Decimal\nprint(Decimal(1) / 3)"),
            ("alt.data_transformers.disable_max_rows", "import altair as alt\nalt.data_transformers.disable_max_rows()", "import altair as alt\nprint(alt.Chart)"),
            ("pio.templates.default", 'import plotly.io as pio\npio.templates.default = "x"', "import plotly.express as px\npx.line([1])"),
            ("pl.Config.set_tbl_rows", "import polars as pl\npl.Config.set_tbl_rows(3)", "import polars as pl\nprint(pl.DataFrame())"),
            ("mlflow.set_tracking_uri", 'import mlflow\nmlflow.set_tracking_uri("x")', "import mlflow\nmlflow.start_run()"),
            ("mlflow.autolog", "import mlflow\nmlflow.autolog()", "import mlflow\nmlflow.start_run()"),
            ("tqdm.pandas", "from tqdm import tqdm\ntqdm.pandas()", "import pandas as pd\npd.DataFrame().progress_apply(len)"),
            ("jax.config.update", 'import jax\njax.config.update("jax_enable_x64", True)', "import jax\nprint(jax.numpy.ones(1))"),
            ("spark.conf.set", 'import pyspark.sql\nfrom pyspark.sql import spark\nspark.conf.set("a", "b")', "from pyspark.sql import spark\nprint(spark)"),
        ]
    ),
    case("a column option of another key", """
        ==
        import pandas as pd
        pd.set_option("display.max_rows", 5)
        == main
        import pandas as pd
        pd.set_option("display.max_columns", 5)
        print(pd.get_option("display.max_rows"))
        """, "", "pd.set_option=108@0"),
    case("a library that the component does not use", """
        ==
        import pandas as pd
        pd.set_option("display.max_rows", 5)
        import decimal
        decimal.getcontext().prec = 3
        == main
        import numpy as np
        print(np.zeros(1))
        """),
    case("options in a with block end with it", """
        ==
        import pandas as pd
        with pd.option_context("display.max_rows", 5):
            pass
        == main
        import pandas as pd
        print(pd.get_option("display.max_rows"))
        """),
    case("warnings caught in a with block", """
        ==
        import warnings
        with warnings.catch_warnings():
            warnings.simplefilter("error")
        == main
        import warnings
        warnings.warn("x")
        print(1)
        """),
    case("rc_context and localcontext", """
        ==
        import matplotlib
        import decimal
        with matplotlib.rc_context():
            matplotlib.rcParams["lines.linewidth"] = 7
        with decimal.localcontext():
            decimal.getcontext().prec = 3
        == main
        import matplotlib
        import decimal
        print(matplotlib.rcParams["lines.linewidth"], decimal.Decimal(1) / 3)
        """),
    case("errstate", """
        ==
        import numpy as np
        with np.errstate(all="raise"):
            pass
        == main
        import numpy as np
        print(np.geterr())
        """),
    case("options of a figure are the figure's", """
        ==
        import matplotlib
        matplotlib.use("agg")
        import matplotlib.pyplot as plt
        fig, ax = plt.subplots()
        ax.set_title("x")
        plt.xlabel("y")
        plt.title("t")
        == main
        import math
        print(math.pi)
        """),
    case("functions of a library that only sound like setters", """
        ==
        import numpy as np
        np.set_string_function if False else None
        import json
        x = np.set_options if False else 1
        == main
        import numpy as np
        print(np.zeros(1))
        """),
    case("option set by another component", """
        == other
        import decimal
        decimal.getcontext().prec = 3
        == main
        import decimal
        print(decimal.Decimal(1) / 3)
        """, "", "decimal.getcontext().prec=108@0"),
    case("option set through a function", """
        ==
        import decimal
        def setup():
            decimal.getcontext().prec = 3
        setup()
        == main
        import decimal
        print(decimal.Decimal(1) / 3)
        """, "", "decimal.getcontext().prec=108@0"),
]  # fmt: skip

CASES = [*ENVIRONMENT, *DIRECTORY, *IMPORT_PATH, *RANDOM, *OPTIONS]
