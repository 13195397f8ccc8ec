"""Files that another cell writes and the component reads (15)."""

from __future__ import annotations

from ..small import Case, case

P = "/tmp/_nbc_case"
_W = {
    "open": (f"with open('{P}.txt', 'w') as f:\n    f.write('1')", f"{P}.txt"),
    "open without with": (f"f = open('{P}.txt', mode='w')\nf.write('1')\nf.close()", f"{P}.txt"),
    "open to append": (f"with open('{P}.txt', 'a') as f:\n    f.write('1')", f"{P}.txt"),
    "print to a file": (f"print(1, file=open('{P}.txt', 'w'))", f"{P}.txt"),
    "write_text": (f"from pathlib import Path\nPath('{P}.txt').write_text('1')", f"{P}.txt"),
    "a joined Path": ("from pathlib import Path\nd = Path('/tmp')\n(d / '_nbc_case.txt').write_text('1')", f"{P}.txt"),
    "Path.open": (f"from pathlib import Path\nwith Path('{P}.txt').open('w') as f:\n    f.write('1')", f"{P}.txt"),
    "a path in a variable": (f"path = '{P}.txt'\nwith open(path, 'w') as f:\n    f.write('1')", f"{P}.txt"),
    "os.path.join": ("import os\nwith open(os.path.join('/tmp', '_nbc_case.txt'), 'w') as f:\n    f.write('1')", f"{P}.txt"),
    "f-string": ("d = '/tmp'\nwith open(f'{d}/_nbc_case.txt', 'w') as f:\n    f.write('1')", f"{P}.txt"),
    "added text": ("d = '/tmp'\nwith open(d + '/_nbc_case.txt', 'w') as f:\n    f.write('1')", f"{P}.txt"),
    "format": ("with open('/tmp/{}.txt'.format('_nbc_case'), 'w') as f:\n    f.write('1')", f"{P}.txt"),
    "percent": ("with open('/tmp/%s.txt' % '_nbc_case', 'w') as f:\n    f.write('1')", f"{P}.txt"),
    "a function with a parameter": (f"def save(text, path):\n    with open(path, 'w') as f:\n        f.write(text)\nsave('1', '{P}.txt')", f"{P}.txt"),
    "a function with a keyword": (f"def save(text, path):\n    with open(path, 'w') as f:\n        f.write(text)\nsave('1', path='{P}.txt')", f"{P}.txt"),
    "a function of a function": (f"def inner(p):\n    open(p, 'w').write('1')\ndef save(path):\n    inner(path)\nsave('{P}.txt')", f"{P}.txt"),
    "a function with its own path": (f"def save():\n    open('{P}.txt', 'w').write('1')\nsave()", f"{P}.txt"),
    "a default path": (f"def save(path='{P}.txt'):\n    open(path, 'w').write('1')\nsave()", f"{P}.txt"),
    "a frame through a function": (f"import pandas as pd\ndef save(df, path):\n    df.to_csv(path)\nsave(pd.DataFrame({{'a': [1]}}), '{P}.txt')", f"{P}.txt"),
    "json": (f"import json\njson.dump([1], open('{P}.txt', 'w'))", f"{P}.txt"),
    "a shell line": (f"!echo 1 > {P}.txt", f"{P}.txt"),
    "a shell cell": (f"%%bash\necho 1 > {P}.txt", f"{P}.txt"),
    "writefile": (f"%%writefile {P}.txt\n1", f"{P}.txt"),
    "shutil.copy": (f"import shutil\nshutil.copy('/etc/hostname', '{P}.txt')", f"{P}.txt"),
    "os.rename": (f"import os\nopen('{P}.tmp', 'w').write('1')\nos.rename('{P}.tmp', '{P}.txt')", f"{P}.txt"),
    "Path.rename": (f"from pathlib import Path\nPath('{P}.tmp').write_text('1')\nPath('{P}.tmp').rename('{P}.txt')", f"{P}.txt"),
    "to_csv": (f"import pandas as pd\npd.DataFrame({{'a': [1]}}).to_csv('{P}.txt')", f"{P}.txt"),
    "to_csv by keyword": (f"import pandas as pd\npd.DataFrame({{'a': [1]}}).to_csv(path_or_buf='{P}.txt')", f"{P}.txt"),
    "csv.writer": (f"import csv\nwith open('{P}.txt', 'w', newline='') as f:\n    csv.writer(f).writerow([1])", f"{P}.txt"),
    "np.savetxt": (f"import numpy as np\nnp.savetxt('{P}.txt', [1])", f"{P}.txt"),
    "urlretrieve": (f"from urllib.request import urlretrieve\nurlretrieve('file:///etc/hostname', '{P}.txt')", f"{P}.txt"),
    "under if": (f"if len('x'):\n    open('{P}.txt', 'w').write('1')", f"{P}.txt"),
    "time": (f"%time open('{P}.txt', 'w').write('1')", f"{P}.txt"),
}  # fmt: skip
_R = {
    "open": f"print(open('{P}.txt').read())",
    "open with encoding": f"with open('{P}.txt', 'r', encoding='utf-8') as f:\n    print(f.read())",
    "open in binary": f"print(open('{P}.txt', 'rb').read())",
    "read_text": f"from pathlib import Path\nprint(Path('{P}.txt').read_text())",
    "Path.open": f"from pathlib import Path\nprint(Path('{P}.txt').open().read())",
    "a Path given to open": f"from pathlib import Path\nprint(open(Path('{P}.txt')).read())",
    "a path in a variable": f"path = '{P}.txt'\nprint(open(path).read())",
    "a class attribute": f"class C:\n    path = '{P}.txt'\nprint(open(C.path).read())",
    "an entry of a dict": f"cfg = {{'path': '{P}.txt'}}\nprint(open(cfg['path']).read())",
    "os.path.join": "import os\nprint(open(os.path.join('/tmp', '_nbc_case.txt')).read())",
    "a function": f"def load(p):\n    return open(p).read()\nprint(load('{P}.txt'))",
    "a loop": f"for p in ['{P}.txt']:\n    print(open(p).read())",
    "a comprehension": f"print([open(p).read() for p in ('{P}.txt',)])",
    "a shell line": f"out = !cat {P}.txt\nprint(out)",
    "a subprocess": f"import subprocess\nprint(subprocess.run(['cat', '{P}.txt'], capture_output=True).stdout)",
    "os.system": f"import os\nprint(os.system('cat {P}.txt'))",
    "exists": f"import os\nprint(os.path.exists('{P}.txt'))",
    "Path.exists": f"from pathlib import Path\nprint(Path('{P}.txt').exists())",
    "getsize": f"import os\nprint(os.path.getsize('{P}.txt'))",
    "stat": f"from pathlib import Path\nprint(Path('{P}.txt').stat().st_size)",
    "linecache": f"import linecache\nprint(linecache.getline('{P}.txt', 1))",
    "fileinput": f"import fileinput\nprint(list(fileinput.input('{P}.txt')))",
    "np.loadtxt": f"import numpy as np\nprint(np.loadtxt('{P}.txt'))",
    "read_csv": f"import pandas as pd\nprint(pd.read_csv('{P}.txt', header=None))",
    "read_csv by keyword": f"import pandas as pd\nprint(pd.read_csv(filepath_or_buffer='{P}.txt', header=None))",
    "shutil.copy": f"import shutil\nprint(shutil.copy('{P}.txt', '/tmp/_nbc_copy.txt'))",
    "io.open": f"import io\nprint(io.open('{P}.txt').read())",
    "os.open": f"import os\nprint(os.read(os.open('{P}.txt', os.O_RDONLY), 9))",
    "configparser": f"import configparser\nprint(configparser.ConfigParser(allow_no_value=True).read('{P}.ini'))",
}  # fmt: skip

WAYS: list[Case] = [
    *(
        case(f"written by {how}", f"==\n{text}\n== main\nprint(open('{P}.txt').read())\n",
             "", f"{name}=109@0")
        for how, (text, name) in _W.items()
    ),
    *(
        case(f"read by {how}", f"==\nopen('{P}.txt', 'w').write('1')\n== main\n{text}\n",
             "", f"{P}.txt=109@0", other="/tmp/_nbc_copy.txt !")
        for how, text in _R.items() if how != "configparser"
    ),
]

FORMATS = [
    case(f"{how}", f"==\n{imports}\n{write}\n== main\n{imports}\n{read}\n", "", f"{path}=109@0",
         runs="differs" if runs else None)
    for how, imports, write, read, path, runs in [
        ("np.save and np.load", "import numpy as np", f"np.save('{P}.npy', np.ones(1))", f"print(np.load('{P}.npy'))", f"{P}.npy", True),
        ("np.savez and np.load", "import numpy as np", f"np.savez('{P}.npz', a=1)", f"print(np.load('{P}.npz')['a'])", f"{P}.npz", True),
        ("np.save without suffix", "import numpy as np", f"np.save('{P}', np.ones(1))", f"print(np.load('{P}.npy'))", f"{P}.npy", True),
        ("tofile and fromfile", "import numpy as np", f"np.ones(1).tofile('{P}.bin')", f"print(np.fromfile('{P}.bin'))", f"{P}.bin", True),
        ("pickle", "import pickle", f"with open('{P}.pkl', 'wb') as f:\n    pickle.dump(1, f)", f"with open('{P}.pkl', 'rb') as f:\n    print(pickle.load(f))", f"{P}.pkl", True),
        ("json", "import json", f"with open('{P}.json', 'w') as f:\n    json.dump(1, f)", f"with open('{P}.json') as f:\n    print(json.load(f))", f"{P}.json", True),
        ("to_parquet", "import pandas as pd", f"pd.DataFrame({{'a': [1]}}).to_parquet('{P}.parquet')", f"print(pd.read_parquet('{P}.parquet'))", f"{P}.parquet", False),
        ("to_pickle", "import pandas as pd", f"pd.DataFrame({{'a': [1]}}).to_pickle('{P}.pkl')", f"print(pd.read_pickle('{P}.pkl'))", f"{P}.pkl", True),
        ("to_json", "import pandas as pd", f"pd.DataFrame({{'a': [1]}}).to_json('{P}.json')", f"print(pd.read_json('{P}.json'))", f"{P}.json", True),
        ("to_excel", "import pandas as pd", f"pd.DataFrame({{'a': [1]}}).to_excel('{P}.xlsx')", f"print(pd.read_excel('{P}.xlsx'))", f"{P}.xlsx", False),
        ("ExcelWriter", "import pandas as pd", f"with pd.ExcelWriter('{P}.xlsx') as w:\n    pd.DataFrame().to_excel(w)", f"print(pd.read_excel('{P}.xlsx'))", f"{P}.xlsx", False),
        ("joblib", "import joblib", f"joblib.dump([1], '{P}.joblib')", f"print(joblib.load('{P}.joblib'))", f"{P}.joblib", True),
        ("torch.save", "import torch", f"torch.save(torch.ones(1), '{P}.pt')", f"print(torch.load('{P}.pt'))", f"{P}.pt", False),
        ("state dict", "import torch", f"torch.save(torch.nn.Linear(1, 1).state_dict(), '{P}.pt')", f"m = torch.nn.Linear(1, 1)\nm.load_state_dict(torch.load('{P}.pt'))", f"{P}.pt", False),
        ("savefig and imread", "import matplotlib\nmatplotlib.use('agg')\nimport matplotlib.pyplot as plt", f"plt.plot([1])\nplt.savefig('{P}.png')", f"print(plt.imread('{P}.png').shape)", f"{P}.png", True),
        ("PIL", "from PIL import Image", f"Image.new('RGB', (1, 1)).save('{P}.png')", f"print(Image.open('{P}.png').size)", f"{P}.png", True),
        ("cv2", "import cv2", f"cv2.imwrite('{P}.png', 0)", f"print(cv2.imread('{P}.png'))", f"{P}.png", False),
        ("sqlite", "import sqlite3", f"con = sqlite3.connect('{P}.db')\ncon.execute('create table if not exists t (a)')\ncon.commit()", f"print(sqlite3.connect('{P}.db').execute('select count(*) from t').fetchone())", f"{P}.db", True),
        ("shelve", "import shelve", f"with shelve.open('{P}_shelf') as s:\n    s['a'] = 1", f"with shelve.open('{P}_shelf') as s:\n    print(s['a'])", f"{P}_shelf", True),
        ("gzip", "import gzip", f"with gzip.open('{P}.gz', 'wt') as f:\n    f.write('1')", f"print(gzip.open('{P}.gz', 'rt').read())", f"{P}.gz", True),
        ("zipfile", "import zipfile", f"with zipfile.ZipFile('{P}.zip', 'w') as z:\n    z.writestr('a', '1')", f"print(zipfile.ZipFile('{P}.zip').namelist())", f"{P}.zip", True),
        ("h5py", "import h5py", f"with h5py.File('{P}.h5', 'w') as f:\n    f['a'] = 1", f"print(h5py.File('{P}.h5', 'r')['a'])", f"{P}.h5", False),
        ("yaml", "import yaml", f"yaml.safe_dump({{}}, open('{P}.yml', 'w'))", f"print(yaml.safe_load(open('{P}.yml')))", f"{P}.yml", True),
        ("configparser", "import configparser", f"with open('{P}.ini', 'w') as f:\n    f.write('[a]')", f"c = configparser.ConfigParser()\nprint(c.read('{P}.ini'))", f"{P}.ini", True),
        ("keras model", "from tensorflow import keras", f"keras.Sequential().save('{P}.keras')", f"keras.models.load_model('{P}.keras')", f"{P}.keras", False),
        ("keras weights", "from tensorflow import keras", f"keras.Sequential().save_weights('{P}.h5')", f"m = keras.Sequential()\nm.load_weights('{P}.h5')", f"{P}.h5", False),
        ("pretrained", "from transformers import AutoModel", f"AutoModel.from_config(None).save_pretrained('{P}_model')", f"AutoModel.from_pretrained('{P}_model')", f"{P}_model", False),
        ("xgboost", "import xgboost", f"xgboost.Booster().save_model('{P}.ubj')", f"b = xgboost.Booster()\nb.load_model('{P}.ubj')", f"{P}.ubj", False),
        ("ElementTree", "import xml.etree.ElementTree as ET", f"ET.ElementTree(ET.Element('a')).write('{P}.xml')", f"print(ET.parse('{P}.xml').getroot().tag)", f"{P}.xml", True),
    ]
]  # fmt: skip

FOLDERS = [
    case("folder and glob", f"""
        ==
        import os
        os.makedirs("{P}_d", exist_ok=True)
        open("{P}_d/a.txt", "w").write("1")
        == main
        import glob
        print(glob.glob("{P}_d/*.txt"))
        """, "", f"{P}_d/*.txt=109@0"),
    case("folder and listdir", f"""
        ==
        import os
        os.makedirs("{P}_d", exist_ok=True)
        open("{P}_d/a.txt", "w").write("1")
        == main
        import os
        print(os.listdir("{P}_d"))
        """, "", f"{P}_d=109@0"),
    case("folder and iterdir", f"""
        ==
        from pathlib import Path
        Path("{P}_d").mkdir(exist_ok=True)
        (Path("{P}_d") / "a.txt").write_text("1")
        == main
        from pathlib import Path
        print([p.name for p in Path("{P}_d").iterdir()])
        """, "", f"{P}_d=109@0"),
    case("folder and rglob", f"""
        ==
        from pathlib import Path
        Path("{P}_d").mkdir(exist_ok=True)
        (Path("{P}_d") / "a.txt").write_text("1")
        == main
        from pathlib import Path
        print([p.name for p in Path("{P}_d").rglob("*.txt")])
        """, "", f"{P}_d=109@0"),
    case("folder in a constant that both cells share", f"""
        ==
        from pathlib import Path
        FOLDER = Path("{P}_d")
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / "a.txt").write_text("1")
        == main
        print((FOLDER / "a.txt").read_text())
        """, "FOLDER", f"{P}_d/a.txt=109@0; FOLDER=101@0"),
    case("path in a constant that both cells share", f"""
        ==
        PATH = "{P}.txt"
        with open(PATH, "w") as f:
            f.write("1")
        == main
        print(open(PATH).read())
        """, "PATH", f"{P}.txt=109@0; PATH=101@0"),
    case("files in a loop of f-strings", f"""
        ==
        for i in range(3):
            with open(f"{P}_{{i}}.txt", "w") as f:
                f.write("1")
        == main
        print(open("{P}_1.txt").read())
        """, "", f"{P}_1.txt=109@0"),
    case("files written and read in loops of f-strings", f"""
        ==
        for i in range(3):
            with open(f"{P}_{{i}}.txt", "w") as f:
                f.write("1")
        == main
        for k in range(3):
            print(open(f"{P}_{{k}}.txt").read())
        """, "", f"{P}_{{k}}.txt=109@0"),
    case("read through a part of a path that is not known", f"""
        ==
        import os
        os.makedirs("{P}_d", exist_ok=True)
        open("{P}_d/a.txt", "w").write("1")
        == main
        import os
        for name in ["a.txt"]:
            print(open(os.path.join("{P}_d", name)).read())
        """, "", f"{P}_d/a.txt=109@0"),
    case("archive unpacked", f"""
        ==
        import zipfile
        with zipfile.ZipFile("{P}.zip", "w") as z:
            z.writestr("a.txt", "1")
        zipfile.ZipFile("{P}.zip").extractall("{P}_u")
        == main
        print(open("{P}_u/a.txt").read())
        """, "", f"{P}_u/a.txt=109@0"),
    case("moved by shutil", f"""
        ==
        import shutil
        open("{P}.tmp", "w").write("1")
        shutil.move("{P}.tmp", "{P}.txt")
        == main
        print(open("{P}.txt").read())
        """, "", f"{P}.txt=109@0"),
    case("downloaded by the shell", f"""
        ==
        !curl -s -o {P}.txt file:///etc/hostname
        == main
        print(open("{P}.txt").read())
        """, "", f"{P}.txt=109@0", runs=None),
    case("written by a program that a cell runs", f"""
        ==
        !python make.py --out {P}.txt
        == main
        print(open("{P}.txt").read())
        """, "", f"{P}.txt=109@0", runs=None),
    case("relative path, written elsewhere", """
        ==
        with open("nbc_rel.txt", "w") as f:
            f.write("1")
        == main
        print(open("nbc_rel.txt").read())
        """, "", "nbc_rel.txt=109@0"),
    case("relative path, written with a dot", """
        ==
        with open("./nbc_rel.txt", "w") as f:
            f.write("1")
        == main
        print(open("nbc_rel.txt").read())
        """, "", "nbc_rel.txt=109@0"),
    case("relative path in a folder, joined in parts", """
        ==
        import os
        os.makedirs("nbc_dir/sub", exist_ok=True)
        with open("nbc_dir/sub/a.txt", "w") as f:
            f.write("1")
        == main
        from pathlib import Path
        base = Path("nbc_dir")
        print(Path(base, "sub", "a.txt").read_text())
        """, "", "nbc_dir/sub/a.txt=109@0"),
    case("removed elsewhere", f"""
        == main
        open("{P}_r.txt", "w").write("1")
        ==
        import os
        os.remove("{P}_r.txt")
        == main
        import os
        print(os.path.exists("{P}_r.txt"))
        """, "", f"{P}_r.txt=109@1"),
    case("written again in between", f"""
        == main
        open("{P}_r.txt", "w").write("1")
        ==
        open("{P}_r.txt", "w").write("2")
        == main
        print(open("{P}_r.txt").read())
        """, "", f"{P}_r.txt=109@1"),
    case("written by another component", f"""
        == other
        open("{P}.txt", "w").write("1")
        == main
        print(open("{P}.txt").read())
        """, "", f"{P}.txt=109@0"),
    case("written in two cells", f"""
        ==
        open("{P}.txt", "w").write("1")
        ==
        open("{P}.txt", "a").write("2")
        == main
        print(open("{P}.txt").read())
        """, "", f"{P}.txt=109@0,1"),
    case("written through a handle that was opened elsewhere", f"""
        ==
        out = open("{P}.txt", "w")
        ==
        out.write("1")
        out.close()
        == main
        print(open("{P}.txt").read())
        """, "", f"{P}.txt=109@0"),
    case("relative path nobody covers", """
        == main
        print(open("data/nbc.txt").read())
        """, "", "data/nbc.txt=109@", runs=None),
    case("home path", """
        == main
        import os
        print(open(os.path.expanduser("~/nbc.txt")).read())
        """, "", "~/nbc.txt=109@", runs=None),
    case("absolute path", """
        == main
        print(open("/data/nbc.txt").read())
        """, "", "/data/nbc.txt=109@", runs=None),
    case("Windows path", r"""
        == main
        print(open("C:\\data\\nbc.txt").read())
        """, "", r"C:\data\nbc.txt=109@", runs=None),
    case("Path.home", """
        == main
        from pathlib import Path
        print((Path.home() / "nbc.txt").read_text())
        """, "", "~/nbc.txt=109@", runs=None),
]

CLEAN = [
    case("own scratch file", f"""
        ==
        x = 1
        == main
        with open("{P}_own.txt", "w") as f:
            f.write("1")
        print(open("{P}_own.txt").read())
        """, other=f"{P}_own.txt"),
    case("own relative scratch file is an output nobody declares, not an input", """
        == main
        with open("nbc_own.txt", "w") as f:
            f.write("1")
        print(open("nbc_own.txt").read())
        """, other="nbc_own.txt"),
    case("another file is written elsewhere", f"""
        ==
        open("{P}_other.txt", "w").write("1")
        == main
        with open("{P}_own.txt", "w") as f:
            f.write("1")
        print(open("{P}_own.txt").read())
        """, other=f"{P}_own.txt"),
    case("devices", """
        == main
        print(open("/dev/null").read())
        """),
    case("addresses are no files", """
        == main
        url = "https://example.org/a.csv"
        print(url, "s3://bucket/x")
        """),
    case("text that looks like a path", """
        == main
        print("data/a.csv", "/usr/lib", "x.y")
        label = "images/x.png"
        """),
    case("in memory", """
        == main
        import io, sqlite3
        print(io.StringIO("a").read(), sqlite3.connect(":memory:").execute("select 1").fetchone())
        """),
    case("temporary files", """
        == main
        import tempfile, os
        with tempfile.TemporaryDirectory() as d:
            p = os.path.join(d, "a.txt")
            with open(p, "w") as f:
                f.write("1")
            print(open(p).read())
        """),
    case("a parameter that is a path", """
        == +parameters
        from pathlib import Path
        data: Path = Path("data")
        == main
        print(data)
        """, "data", "", runs=None),
    case("read before another cell writes it again", f"""
        == main
        with open("{P}_own.txt", "w") as f:
            f.write("1")
        print(open("{P}_own.txt").read())
        ==
        open("{P}_own.txt", "w").write("2")
        """, other=f"{P}_own.txt"),
    case("a method named read or save of something else", """
        == main
        class Store:
            def save(self, name):
                return name
            def read(self, name):
                return name
        print(Store().save("a.txt"), Store().read("b.txt"))
        """, other="a.txt", runs="same"),
]

CASES = [*WAYS, *FORMATS, *FOLDERS, *CLEAN]
