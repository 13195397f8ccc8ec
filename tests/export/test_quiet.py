"""Calls that a script need not print: what a notebook displays for them is nothing, or an address."""

from __future__ import annotations

import importlib
import io
import operator
import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from IPython.lib.pretty import pretty

from nbcomponent.export.quiet import (
    FUNCTIONS_NONE,
    PLOT_HANDLES,
    PLOT_NONE,
    PYPLOT_NONE,
    TABLE_IN_PLACE,
    TABLE_NONE,
    TABLE_WRITERS,
)

Exported = Callable[..., Any]

X = np.arange(1.0, 5.0)
GRID = np.arange(16.0).reshape(4, 4)

ARGUMENTS: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("plot", "scatter", "fill", "fill_between", "fill_betweenx"), (X, X)),
    **dict.fromkeys(("loglog", "semilogx", "semilogy", "step"), (X, X)),
    **dict.fromkeys(("contour", "contourf", "imshow", "matshow", "pcolormesh"), (GRID,)),
    **dict.fromkeys(("axhline", "axvline", "pause"), (0.1,)),
    **dict.fromkeys(("axhspan", "axvspan", "clim"), (0, 1)),
    **dict.fromkeys(("hlines", "vlines"), (1, 0, 1)),
    **dict.fromkeys(("set_xticks", "set_yticks"), ([0, 1],)),
    **dict.fromkeys(("xscale", "yscale", "set_xscale", "set_yscale"), ("log",)),
    "savefig": (io.BytesIO(),),
    "rc": ("lines",),
    "set_aspect": ("equal",),
    "set_axisbelow": (True,),
    "set_cmap": ("viridis",),
    "set_facecolor": ("w",),
    "set_label": ("label",),
    "set_size_inches": (3, 3),
    "switch_backend": ("Agg",),
}

NOTHING_BUT_ADDRESSES = re.compile(r"\[?(<matplotlib[\w.]+ at 0x[0-9a-f]+>(,\s*)?)+\]?")


@pytest.fixture(autouse=True)
def plots() -> Iterator[None]:
    with warnings.catch_warnings(), plt.rc_context():
        warnings.simplefilter("ignore")
        yield
    plt.close("all")


@pytest.mark.parametrize("name", sorted(PYPLOT_NONE | PLOT_NONE | PLOT_HANDLES))
def test_every_listed_call_of_matplotlib_displays_nothing_or_addresses(name: str) -> None:
    called = 0
    for owner in ("pyplot", "figure", "axes"):
        if owner == "pyplot" and name not in PYPLOT_NONE | PLOT_HANDLES:
            continue
        if owner != "pyplot" and name not in PLOT_NONE | PLOT_HANDLES:
            continue
        figure, axes = plt.subplots()
        image = plt.imshow(GRID)
        method = getattr({"pyplot": plt, "figure": figure, "axes": axes}[owner], name, None)
        if method is None:
            continue
        arguments = (image,) if (owner, name) == ("figure", "colorbar") else ARGUMENTS.get(name, ())
        shown = pretty(method(*arguments))
        if name in PLOT_HANDLES:
            assert NOTHING_BUT_ADDRESSES.fullmatch(shown), (owner, shown)
        else:
            assert shown == "None", (owner, shown)
        called += 1
    assert called


@pytest.mark.parametrize("name", sorted(TABLE_NONE | TABLE_IN_PLACE | TABLE_WRITERS))
def test_every_listed_method_of_tables_gives_none(name: str, tmp_path: Path) -> None:
    table = pd.DataFrame({"a": [2, 1], "b": [1.0, None]})
    arguments: dict[str, tuple[Any, ...]] = {
        "insert": (0, "c", [1, 2]),
        "update": (table.copy(),),
        "drop": (0,),
        "rename": (str,),
        "set_index": ("a",),
        "sort_values": ("a",),
        **{writer: (str(tmp_path / "file"),) for writer in TABLE_WRITERS},
    }
    options = {"inplace": True} if name in TABLE_IN_PLACE else {}
    assert getattr(table, name)(*arguments.get(name, ()), **options) is None


CALLS: dict[str, Callable[[Any, Path], Any]] = {
    "json.dump": lambda f, p: f({}, io.StringIO()),
    "pickle.dump": lambda f, p: f({}, io.BytesIO()),
    "torch.save": lambda f, p: f({}, io.BytesIO()),
    **dict.fromkeys(
        ("numpy.save", "numpy.savetxt", "numpy.savez", "numpy.savez_compressed"),
        lambda f, p: f(io.BytesIO(), X),
    ),
    **dict.fromkeys(("numpy.random.seed", "random.seed"), lambda f, p: f(1)),
    **dict.fromkeys(("numpy.random.shuffle", "random.shuffle"), lambda f, p: f([1, 2])),
    **dict.fromkeys(
        ("matplotlib.style.use", "matplotlib.pyplot.style.use"), lambda f, p: f("default")
    ),
    "os.makedirs": lambda f, p: f(p / "a" / "b"),
    "os.mkdir": lambda f, p: f(p / "c"),
    "os.remove": lambda f, p: f(p / "file"),
    "os.rename": lambda f, p: f(p / "file", p / "other"),
    "pandas.set_option": lambda f, p: f("display.width", 80),
    "pandas.reset_option": lambda f, p: f("display.width"),
    "seaborn.set_context": lambda f, p: f("notebook"),
    "seaborn.set_palette": lambda f, p: f("deep"),
    "time.sleep": lambda f, p: f(0),
    "warnings.filterwarnings": lambda f, p: f("ignore"),
    "warnings.simplefilter": lambda f, p: f("ignore"),
    **{f"logging.{n}": lambda f, p: f("said") for n in ("critical", "error", "warning", "info")},
    **dict.fromkeys(("logging.debug", "warnings.warn"), lambda f, p: f("said")),
}


@pytest.mark.parametrize("origin", sorted(FUNCTIONS_NONE))
def test_every_listed_function_gives_none(origin: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    package, _, rest = origin.partition(".")
    for module in ("matplotlib.pyplot", "matplotlib.style"):
        importlib.import_module(module)
    function = operator.attrgetter(rest)(importlib.import_module(package))
    assert CALLS.get(origin, lambda f, p: f())(function, tmp_path) is None


PLOTS = "import matplotlib.pyplot as plt\nimport pandas as pd\n"
TRAIN = "component:train"


@pytest.mark.parametrize(
    "cell",
    [
        "plt.plot([1, 2])",
        "plt.savefig('figure.png')",
        "fig, ax = plt.subplots()\nax.plot([1, 2], label='a')",
        "fig, ax = plt.subplots()\nfig.savefig('figure.png')",
        "fig, (left, right) = plt.subplots(ncols=2)\nright.legend()",
        "fig, axes = plt.subplots(2, 2)\naxes[0, 1].imshow([[1]])",
        "fig, axes = plt.subplots(2)\nfirst = axes.ravel()[0]\nfirst.grid()",
        "fig = plt.figure()\nax = fig.add_subplot(projection='polar')\nax.plot([1, 2])",
        "plt.imshow([[1]])\nbar = plt.colorbar()\nbar.set_label('count')",
        "table = pd.DataFrame({'a': [1]})\ntable.info()",
        "table = pd.DataFrame({'a': [1]})\ntable = table.rename(columns=str)\ntable.info()",
        "table = pd.DataFrame({'a': [1]})\ntable.to_csv('table.csv', index=False)",
        "table = pd.DataFrame({'a': [1]})\ntable.dropna(inplace=True)",
        "items = [2, 1]\nitems.sort()",
    ],
)
def test_a_call_made_for_its_effect_is_not_wrapped(exported: Exported, cell: str) -> None:
    shop = exported((PLOTS + cell, TRAIN))
    assert cell.splitlines()[-1] in [line.strip() for line in shop.text().splitlines()]
    assert "notebook_display" not in shop.text()
    assert not (shop.script().parent / "notebook_display.py").exists()


@pytest.mark.parametrize(
    "cell",
    [
        "plt.hist([1, 2, 2])",
        "plt.title('a')",
        "plt.bar([1], [2])",
        "fig, ax = plt.subplots()\nax.set_title('a')",
        "class Axes:\n    def plot(self):\n        return 1\nax = Axes()\nax.plot()",
        "fig, ax = plt.subplots()\nif fig:\n    ax = {1: 2}\nax.clear()",
        "from_call = list(range(3))\nfrom_call.sort()",
        "table = pd.DataFrame({'a': [1]})\ntable.to_csv()",
        "where = None\ntable = pd.DataFrame({'a': [1]})\ntable.to_csv(where)",
        "table = pd.DataFrame({'a': [1]})\ntable.dropna()",
        "table = pd.DataFrame({'a': [1]})\ntable = list(table)\ntable.insert(0, 'b')",
        "table = pd.DataFrame({'a': [1.0, None]})\ntable.fillna(0, inplace=True)",
        "import io\ntable = pd.read_csv(io.StringIO('a'), **{'chunksize': 1})\ntable.info()",
    ],
)
def test_what_may_display_something_is_shown(exported: Exported, cell: str) -> None:
    shop = exported((PLOTS + cell, TRAIN))
    assert f"show({cell.splitlines()[-1]})" in shop.text()
    assert (shop.script().parent / "notebook_display.py").is_file()
