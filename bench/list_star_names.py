"""Write what star imports of well-known modules bind, for the analysis to know without importing them.

Run it with each interpreter and environment that counts; the file grows by what each one knows:

    python bench/list_star_names.py converter/nbcomponent/analysis/star_names.txt
"""

from __future__ import annotations

import importlib
import sys
import warnings
from pathlib import Path

STANDARD = """
    abc bisect cmath collections collections.abc contextlib copy ctypes dataclasses datetime decimal enum
    fractions functools glob heapq io itertools json math multiprocessing operator os os.path pathlib pprint
    queue random re shutil socket statistics string struct subprocess sys textwrap threading time tkinter
    turtle types typing urllib.request
""".split()  # noqa: SIM905
OTHERS = """
    numpy numpy.random numpy.linalg numpy.fft pylab matplotlib.pylab matplotlib.pyplot scipy scipy.fftpack
    scipy.integrate scipy.interpolate scipy.linalg scipy.optimize scipy.signal scipy.sparse scipy.special
    scipy.stats sympy ipywidgets sklearn.datasets sklearn.ensemble sklearn.linear_model sklearn.metrics
    sklearn.model_selection sklearn.preprocessing torch torch.nn
""".split()  # noqa: SIM905
BY_HAND = {
    "pyspark.sql.functions+": "abs ascii bin col filter hash hex lit map max min pow round slice sum udf when",
    "jax.numpy+": "abs all any array max min ones pow round sum zeros",
    "cupy+": "abs all any array max min ones round sum zeros",
}
"""Of packages that are too large to install for this: what is used most, and the builtins they hide."""


def names_of(module: str) -> set[str] | None:
    """What ``from module import *`` binds here, None where the module is not installed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = importlib.import_module(module)
    except ImportError:
        return None
    names = getattr(found, "__all__", None)
    if names is None:
        names = [name for name in vars(found) if not name.startswith("_")]
    return set(names)


def main(path: Path) -> None:
    known: dict[str, set[str]] = {}
    if path.exists():
        for line in path.read_text("utf-8").splitlines():
            module, *names = line.split()
            known[module] = set(names)
    for module in (*STANDARD, *OTHERS):
        names = names_of(module)
        if names is not None:
            mark = module if module in STANDARD else f"{module}+"
            known.setdefault(mark, set()).update(names)
    for mark, text in BY_HAND.items():
        known.setdefault(mark, set()).update(text.split())
    lines = [" ".join([module, *sorted(known[module])]) for module in sorted(known)]
    path.write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
