"""Which installed distribution brings a module, read from ``*.dist-info`` without importing anything.

The environment is the one that the notebook runs in: the kernel's interpreter where its kernel
specification names one, else the current interpreter.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from nbcomponent.core.files import read_regular

WELL_KNOWN = {
    "attr": "attrs",
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python-headless",
    "Crypto": "pycryptodome",
    "dateutil": "python-dateutil",
    "docx": "python-docx",
    "dotenv": "python-dotenv",
    "fitz": "PyMuPDF",
    "igraph": "python-igraph",
    "IPython": "ipython",
    "jwt": "PyJWT",
    "mpl_toolkits": "matplotlib",
    "OpenSSL": "pyOpenSSL",
    "PIL": "pillow",
    "pkg_resources": "setuptools",
    "pptx": "python-pptx",
    "psycopg2": "psycopg2-binary",
    "pylab": "matplotlib",
    "pytorch_lightning": "pytorch-lightning",
    "sentence_transformers": "sentence-transformers",
    "serial": "pyserial",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "tensorflow_datasets": "tensorflow-datasets",
    "usb": "pyusb",
    "yaml": "PyYAML",
    "zmq": "pyzmq",
}
"""Distributions of well-known modules that carry another name, for environments that lack them."""

SAME_NAME = frozenset(
    [
        "accelerate",
        "aiohttp",
        "altair",
        "boto3",
        "catboost",
        "click",
        "cupy",
        "dask",
        "datasets",
        "deepspeed",
        "diffusers",
        "duckdb",
        "evaluate",
        "fastapi",
        "flask",
        "gensim",
        "geopandas",
        "h5py",
        "httpx",
        "imageio",
        "jax",
        "joblib",
        "jsonschema",
        "keras",
        "librosa",
        "lightgbm",
        "lightning",
        "matplotlib",
        "mlflow",
        "networkx",
        "nltk",
        "numba",
        "numpy",
        "onnx",
        "onnxruntime",
        "openai",
        "openpyxl",
        "optuna",
        "pandas",
        "pandera",
        "plotly",
        "polars",
        "prophet",
        "psutil",
        "pyarrow",
        "pydantic",
        "pytest",
        "ray",
        "requests",
        "rich",
        "scipy",
        "seaborn",
        "shap",
        "spacy",
        "sqlalchemy",
        "statsmodels",
        "sympy",
        "tensorboard",
        "tensorflow",
        "timm",
        "tokenizers",
        "torch",
        "torchaudio",
        "torchmetrics",
        "torchvision",
        "tqdm",
        "transformers",
        "wandb",
        "xarray",
        "xgboost",
    ]
)
"""Well-known modules whose distribution has the module's name."""


@dataclass(frozen=True)
class Distribution:
    """An installed distribution. ``folder`` is its ``*.dist-info``."""

    name: str
    version: str
    folder: Path

    @cached_property
    def files(self) -> frozenset[str]:
        """Files as RECORD lists them, relative to site-packages."""
        try:
            text = (self.folder / "RECORD").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return frozenset()
        return frozenset(line.split(",", 1)[0].strip('"') for line in text.splitlines() if line)

    @cached_property
    def modules(self) -> frozenset[str]:
        """Top-level modules that it brings."""
        try:
            listed = (self.folder / "top_level.txt").read_text(encoding="utf-8").split()
        except OSError:
            listed = []
        if listed:
            return frozenset(name.partition("/")[0] for name in listed)
        found = set()
        for file in self.files:
            first, slash, _ = file.partition("/")
            if slash and file.endswith((".py", ".so", ".pyd", ".pyi")):
                found.add(first)
            elif not slash and first.endswith((".py", ".so", ".pyd")):
                found.add(first.partition(".")[0])
        return frozenset(name for name in found if name.isidentifier())

    def brings(self, module: str) -> int:
        """How many parts of the dotted ``module`` it brings, 0 for none."""
        parts = module.split(".")
        if parts[0] not in self.modules:
            return 0
        for length in range(len(parts), 1, -1):
            path = "/".join(parts[:length])
            if f"{path}.py" in self.files or f"{path}/__init__.py" in self.files:
                return length
        return 1


@dataclass(frozen=True)
class Installed:
    """What is installed in one environment. ``python`` is ``3.11``."""

    python: str
    distributions: tuple[Distribution, ...]

    @cached_property
    def _by_name(self) -> dict[str, Distribution]:
        return {normal(d.name): d for d in reversed(self.distributions)}

    def version(self, name: str) -> str | None:
        """The installed version of a distribution, None where it is not installed."""
        found = self._by_name.get(normal(name))
        return None if found is None else found.version

    def distribution(self, module: str) -> Distribution | None:
        """The distribution that brings the dotted ``module``; of several, that which brings most."""
        best: tuple[int, Distribution] | None = None
        for distribution in self.distributions:
            length = distribution.brings(module)
            if length and (best is None or length > best[0]):
                best = length, distribution
        return None if best is None else best[1]


def normal(name: str) -> str:
    """A distribution's name as the packaging specification compares names."""
    return re.sub(r"[-_.]+", "-", name).lower()


def installed(kernel: str | None = None) -> Installed:
    """What is installed where the notebook runs. ``kernel``: the name of its kernel specification."""
    python = _kernel_python(kernel)
    if python is None:
        version = f"{sys.version_info[0]}.{sys.version_info[1]}"
        return Installed(version, read_distributions([Path(p) for p in sys.path if p]))
    folders = sorted((python.parent.parent / "lib").glob("python3*/site-packages"))
    version = folders[0].parent.name.removeprefix("python") if folders else "3"
    return Installed(version, read_distributions(folders))


def read_distributions(folders: Iterable[Path]) -> tuple[Distribution, ...]:
    """The distributions in these folders, in a fixed order; the first of a name counts."""
    found: dict[str, Distribution] = {}
    for folder in folders:
        try:
            entries = sorted(folder.glob("*.dist-info"))
        except OSError:
            continue
        for entry in entries:
            name, version = _name_and_version(entry)
            if name and version:
                found.setdefault(normal(name), Distribution(name, version, entry))
    return tuple(found[name] for name in sorted(found))


def _name_and_version(folder: Path) -> tuple[str | None, str | None]:
    try:
        with (folder / "METADATA").open(encoding="utf-8", errors="replace") as stream:
            fields: dict[str, str] = {}
            for line in stream:
                if not line.strip():
                    break
                key, _, value = line.partition(":")
                if key in ("Name", "Version"):
                    fields[key] = value.strip()
    except OSError:
        return None, None
    return fields.get("Name"), fields.get("Version")


def _kernel_python(kernel: str | None) -> Path | None:
    """The kernel's own interpreter, None where it is the current one or not known."""
    if kernel is None or not re.fullmatch(r"[A-Za-z0-9._-]+", kernel):
        return None
    for folder in _kernel_folders():
        try:
            spec = json.loads(read_regular(folder / kernel / "kernel.json"))
            program = Path(spec["argv"][0])
        except (OSError, ValueError, KeyError, IndexError, TypeError, RecursionError):
            continue
        if not program.is_absolute() or not program.exists():
            return None
        same = program.parent.parent.resolve() == Path(sys.prefix).resolve()
        return None if same else program
    return None


def _kernel_folders() -> Sequence[Path]:
    """Where Jupyter looks for kernel specifications, in its order."""
    named = os.environ.get("JUPYTER_PATH", "").split(os.pathsep)
    folders = [Path(path) for path in named if path]
    data = os.environ.get("JUPYTER_DATA_DIR")
    home = Path(data) if data else Path.home() / ".local" / "share" / "jupyter"
    folders += [home, Path(sys.prefix) / "share" / "jupyter"]
    folders += [Path("/usr/local/share/jupyter"), Path("/usr/share/jupyter")]
    return [folder / "kernels" for folder in folders]
