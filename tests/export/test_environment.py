"""From imports and install lines to a pinned environment."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nbcomponent.contract.model import Environment, Interface
from nbcomponent.core.errors import UnusableInput
from nbcomponent.export.distributions import Installed, read_distributions
from nbcomponent.export.environment import (
    CPU_IMAGE,
    GPU_IMAGE,
    Resolved,
    Versions,
    parse_requirement,
    resolve,
)
from nbcomponent.export.local_modules import Imported
from nbcomponent.export.lock import Lock, lock_bytes, read_lock
from nbcomponent.schema.yaml_places import parse_yaml

Exported = Callable[..., Any]
GPU = {"instance_type": "Standard_NC24ads_A100_v4"}


def site(folder: Path, **packages: tuple[str, str, list[str]]) -> Installed:
    """An environment: ``name=(distribution, version, files)``."""
    for distribution, version, files in packages.values():
        info = folder / f"{distribution.replace('-', '_')}-{version}.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n\n"
        )
        (info / "RECORD").write_text("".join(f"{file},,\n" for file in files))
    return Installed("3.11", read_distributions([folder]))


def environment(tmp_path: Path, modules: list[str], *requirements: str, **options: Any) -> Resolved:
    installed = options.pop("installed", None) or site(
        tmp_path / "site",
        numpy=("numpy", "1.26.4", ["numpy/__init__.py"]),
        sklearn=("scikit-learn", "1.5.0", ["sklearn/__init__.py"]),
        torch=("torch", "2.3.0+cpu", ["torch/__init__.py"]),
        cupy=("cupy-cuda12x", "13.0.0", ["cupy/__init__.py"]),
    )
    return resolve(
        Interface("train", **options),
        [Imported(module) for module in modules],
        [parse_requirement(text) for text in requirements],
        Versions(Lock(), lambda: installed),
        tmp_path,
    )


def pip_lines(resolved: Resolved) -> list[str]:
    assert resolved.conda is not None
    data: Any = parse_yaml(resolved.conda.decode()).data
    return next(d["pip"] for d in data["dependencies"] if isinstance(d, dict))


def codes(resolved: Resolved) -> list[str]:
    return [d.code for d in resolved.diagnostics]


def test_imports_become_pinned_distributions(tmp_path: Path) -> None:
    resolved = environment(tmp_path, ["numpy", "sklearn.svm", "os", "json"])
    assert pip_lines(resolved) == ["numpy==1.26.4", "scikit-learn==1.5.0"]
    assert b"python=3.11" in (resolved.conda or b"")
    assert resolved.environment == {"image": CPU_IMAGE, "conda_file": "conda.yml"}
    assert codes(resolved) == []


def test_a_namespace_package_is_told_apart_by_its_files(tmp_path: Path) -> None:
    installed = site(
        tmp_path / "s",
        a=("google-cloud-storage", "2.0", ["google/cloud/storage/__init__.py"]),
        b=("protobuf", "5.0", ["google/protobuf/__init__.py"]),
    )
    resolved = environment(tmp_path, ["google.protobuf"], installed=installed)
    assert pip_lines(resolved) == ["protobuf==5.0"]


def test_an_import_without_distribution_is_nbc301(tmp_path: Path) -> None:
    resolved = environment(tmp_path, ["acme_signals"])
    assert codes(resolved) == ["NBC301"]
    assert "acme_signals" in resolved.diagnostics[0].message


def test_a_well_known_package_that_is_not_installed_is_unpinned(tmp_path: Path) -> None:
    resolved = environment(tmp_path, ["yaml"])
    assert codes(resolved) == ["NBC302"]
    assert pip_lines(resolved) == ["PyYAML"]


def test_an_optional_import_that_is_not_installed_is_left_out(tmp_path: Path) -> None:
    installed = site(tmp_path / "s")
    versions = Versions(Lock(), lambda: installed)
    resolved = resolve(Interface("train"), [Imported("cudf", True)], [], versions, tmp_path)
    assert codes(resolved) == []


def test_install_lines_pin_and_add(tmp_path: Path) -> None:
    resolved = environment(tmp_path, ["numpy"], "numpy==1.25.0", "torch>=2", "extra[all]==1.0")
    assert pip_lines(resolved) == [
        "--extra-index-url https://download.pytorch.org/whl/cpu",
        "extra[all]==1.0",
        "numpy==1.25.0",
        "torch==2.3.0+cpu",
    ]
    assert codes(resolved) == ["NBC303"]


def test_contradicting_pins_are_an_error(tmp_path: Path) -> None:
    resolved = environment(tmp_path, [], "x==1", "x==2")
    assert [(d.code, d.severity) for d in resolved.diagnostics] == [("NBC303", "error")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("git+https://github.com/a/b", ["NBC302"]),
        ("git+https://github.com/a/b@3f2a91c0", []),
        ("https://example.org/x-1.2.0-py3-none-any.whl", []),
    ],
)
def test_an_address_needs_a_version(tmp_path: Path, text: str, found: list[str]) -> None:
    resolved = environment(tmp_path, [], text)
    assert codes(resolved) == found
    assert pip_lines(resolved) == [text]


def test_gpus_need_cuda_and_cuda_needs_gpus(tmp_path: Path) -> None:
    on_gpu = environment(tmp_path / "a", ["torch"], compute=GPU)
    assert on_gpu.environment == {"image": GPU_IMAGE, "conda_file": "conda.yml"}
    assert codes(on_gpu) == ["NBC304"]
    assert pip_lines(on_gpu) == ["torch==2.3.0"]
    on_cpu = environment(tmp_path / "b", ["cupy"])
    assert codes(on_cpu) == ["NBC304"]
    without_cuda = environment(
        tmp_path / "c", ["numpy"], compute=GPU, environment=Environment(image=CPU_IMAGE)
    )
    assert codes(without_cuda) == ["NBC304"]


@pytest.mark.parametrize("image", ["ubuntu", "registry.example.org:5000/x", "x:latest"])
def test_a_floating_image_is_flagged(tmp_path: Path, image: str) -> None:
    resolved = environment(tmp_path, [], environment=Environment(image=image))
    assert codes(resolved) == ["NBC302"]


def test_a_conda_file_of_the_users_is_shipped_and_compared(tmp_path: Path) -> None:
    (tmp_path / "env.yml").write_text("dependencies:\n- python=3.11\n- pip:\n  - numpy==1.0\n")
    resolved = environment(tmp_path, ["numpy", "sklearn"], environment=Environment(conda="env.yml"))
    assert resolved.conda == (tmp_path / "env.yml").read_bytes()
    assert codes(resolved) == ["NBC302"]
    assert "scikit-learn" in resolved.diagnostics[0].message


@pytest.mark.parametrize("name", ["missing.yml", "../outside.yml", "/etc/hostname"])
def test_a_conda_file_elsewhere_is_nbc305(tmp_path: Path, name: str) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "outside.yml").write_text("dependencies: []\n")
    resolved = environment(tmp_path / "inside", [], environment=Environment(conda=name))
    assert codes(resolved) == ["NBC305"]


def test_install_lines_of_the_notebook_count(exported: Exported) -> None:
    shop = exported(
        ("%pip install -q colorama==0.4.6\n!pip install tqdm==4.0.0",),
        ("!pip install other==1.0", "component:other"),
        ("print(1)", "component:train"),
    )
    text = (shop.script().parent / "conda.yml").read_text()
    assert "colorama==0.4.6" in text
    assert "tqdm==4.0.0" in text
    assert "other" not in text


def test_the_lock_decides_from_the_second_export_on(exported: Exported) -> None:
    shop = exported(("import numpy\nnumpy.array(1);", "component:train"))
    lock = shop.folder / "nb.lock.yml"
    import numpy

    assert read_lock(lock).packages["numpy"] == numpy.__version__
    lock.write_bytes(
        lock_bytes(Lock("3.12", {"numpy": "numpy"}, {"numpy": "1.2.3", "pip": "24.0"}))
    )
    export = shop.build([("import numpy\nnumpy.array(1);", "component:train")])
    assert b"numpy==1.2.3" in export.files["train/conda.yml"]
    assert b"python=3.12" in export.files["train/conda.yml"]
    assert export.lock is None
    refreshed = shop.build(
        [("import numpy\nnumpy.array(1);", "component:train")], refresh_lock=True
    )
    assert numpy.__version__.encode() in refreshed.files["train/conda.yml"]
    assert refreshed.lock is not None


@pytest.mark.parametrize(
    "text",
    [
        "- a",
        "schema: other",
        "schema: nbcomponent.lock/1\npackages: [x]",
        "schema: nbcomponent.lock/1\nabsent: pyarrow",
        "a: [",
        "\x00",
    ],
)
def test_a_damaged_lock_is_nbc964(tmp_path: Path, text: str) -> None:
    (tmp_path / "nb.lock.yml").write_text(text)
    with pytest.raises(UnusableInput) as caught:
        read_lock(tmp_path / "nb.lock.yml")
    assert caught.value.diagnostic.code == "NBC964"


def test_storing_a_format_brings_its_library(exported: Exported) -> None:
    shop = exported(
        (
            "component: train\noutputs:\n  t: {type: uri_file, format: parquet}\n",
            "raw",
            "contract:train",
        ),
        ("import pandas\nt = pandas.DataFrame({'a': [1]})", "component:train"),
    )
    text = (shop.script().parent / "conda.yml").read_text()
    assert "pyarrow==" in text
    assert "pandas==" in text


# Serialisers


@pytest.fixture
def without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The notebook's kernel has an environment of its own, with pandas and without pyarrow."""
    environment = tmp_path / "environment"
    packages = environment / "lib" / "python3.11" / "site-packages"
    for name in ("numpy", "pandas"):
        add_distribution(packages, name, "9.9")
    kernel = tmp_path / "jupyter" / "kernels" / "python3"
    kernel.mkdir(parents=True)
    python = environment / "bin" / "python"
    python.parent.mkdir()
    python.touch()
    (kernel / "kernel.json").write_text(json.dumps({"argv": [str(python)]}))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    return packages


def add_distribution(packages: Path, name: str, version: str) -> None:
    folder = packages / f"{name}-{version}.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(f"Name: {name}\nVersion: {version}\n")
    (folder / "RECORD").write_text(f"{name}/__init__.py,,\n")


TABLE = (
    ("import pandas as pd\ntable = pd.DataFrame({'a': [1, 2]})", "component:make"),
    ("print(table.a.sum())", "component:total"),
)


def test_a_table_crosses_as_pickle_where_parquet_cannot_be_written(
    workshop: Any, without_pyarrow: Path
) -> None:
    export = workshop.build(TABLE, boundary="auto")
    found = [d for d in export.diagnostics if d.code in ("NBC244", "NBC301", "NBC302")]
    assert [(d.code, d.severity, d.component, d.place.cell) for d in found] == [
        ("NBC244", "warning", "total", 1)
    ]
    assert "as pickle, since pyarrow, which parquet needs, is not installed" in found[0].message
    for component in ("make", "total"):
        assert b"pyarrow" not in export.files[f"{component}/conda.yml"]
        assert b"pandas==9.9" in export.files[f"{component}/conda.yml"]
        assert b"format: pickle" in export.files[f"{component}/contract.yml"]
    workshop.export(TABLE, boundary="auto")
    assert workshop.pipeline() == "3\n"


def test_the_lock_keeps_the_choice_until_it_is_refreshed(
    workshop: Any, without_pyarrow: Path
) -> None:
    workshop.export(TABLE, boundary="auto")
    former = workshop.build(TABLE, boundary="auto")
    assert former.lock is None
    add_distribution(without_pyarrow, "pyarrow", "8.8")
    assert workshop.build(TABLE, boundary="auto").files == former.files
    refreshed = workshop.build(TABLE, boundary="auto", refresh_lock=True)
    assert b"pyarrow==8.8" in refreshed.files["total/conda.yml"]
    assert b"format: parquet" in refreshed.files["total/contract.yml"]
    assert refreshed.lock is not None
    assert b"absent" not in refreshed.lock


def test_a_format_that_a_contract_names_stays(workshop: Any, without_pyarrow: Path) -> None:
    contract = ("outputs: {table: {type: uri_file, format: parquet}}", "raw", "contract:make")
    export = workshop.build((*TABLE, contract), boundary="auto")
    assert b"format: parquet" in export.files["total/contract.yml"]
    assert "NBC302" in [d.code for d in export.diagnostics]


def test_nothing_is_concluded_from_an_environment_without_pandas(
    workshop: Any, without_pyarrow: Path
) -> None:
    shutil.rmtree(without_pyarrow)
    export = workshop.build(TABLE, boundary="auto")
    assert b"format: parquet" in export.files["total/contract.yml"]
