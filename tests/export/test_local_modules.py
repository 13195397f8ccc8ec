"""Modules beside the notebook are found without importing them, and shipped."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nbcomponent.export import local_modules
from nbcomponent.export.local_modules import Imported, ship_included, ship_modules

Exported = Callable[..., Any]


def tree(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / (name.replace("__", "/") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def shipped(folder: Path, *modules: str) -> list[str]:
    return list(ship_modules(folder, [Imported(m) for m in modules]).files)


def test_packages_submodules_and_relative_imports_are_followed(tmp_path: Path) -> None:
    tree(
        tmp_path,
        pkg__a="from . import b\nfrom .sub.c import x",
        pkg__b="import numpy",
        pkg__unused="",
        helper="",
    )
    (tmp_path / "pkg" / "__init__.py").write_text("")
    tree(tmp_path, pkg__sub__c="from .. import b\nx = 1\ndef f():\n    import helper")
    (tmp_path / "pkg" / "sub" / "__init__.py").write_text("")
    result = ship_modules(tmp_path, [Imported("pkg.a")])
    assert list(result.files) == [
        "helper.py",
        "pkg/__init__.py",
        "pkg/a.py",
        "pkg/b.py",
        "pkg/sub/__init__.py",
        "pkg/sub/c.py",
    ]
    assert Imported("numpy") in result.imports
    assert result.diagnostics == ()


def test_a_cycle_of_imports_ends(tmp_path: Path) -> None:
    tree(tmp_path, a="import b", b="import a")
    assert shipped(tmp_path, "a") == ["a.py", "b.py"]


def test_a_module_that_is_not_beside_the_notebook_is_not_shipped(tmp_path: Path) -> None:
    result = ship_modules(tmp_path, [Imported("numpy")])
    assert result.files == {}
    assert result.imports == (Imported("numpy"),)


def test_names_in_all_are_submodules_of_a_star_import(tmp_path: Path) -> None:
    tree(tmp_path, pkg__one="", pkg__two="")
    (tmp_path / "pkg" / "__init__.py").write_text('__all__ = ["one"]')
    assert shipped(tmp_path, "pkg") == ["pkg/__init__.py", "pkg/one.py"]


def test_a_module_of_pythons_name_is_noted(tmp_path: Path) -> None:
    tree(tmp_path, statistics="x = 1")
    result = ship_modules(tmp_path, [Imported("statistics")])
    assert [(d.code, d.severity) for d in result.diagnostics] == [("NBC306", "note")]
    assert list(result.files) == ["statistics.py"]


def test_a_module_that_is_not_python_is_nbc307(tmp_path: Path) -> None:
    tree(tmp_path, broken="x = 1\ndef f(\n")
    result = ship_modules(tmp_path, [Imported("broken")])
    assert [d.code for d in result.diagnostics] == ["NBC307"]
    assert "broken.py, line 2" in result.diagnostics[0].message


def test_included_folders_come_without_caches(tmp_path: Path) -> None:
    (tmp_path / "data" / "__pycache__").mkdir(parents=True)
    (tmp_path / "data" / ".ipynb_checkpoints").mkdir()
    (tmp_path / "data" / "__pycache__" / "x.pyc").write_text("")
    (tmp_path / "data" / ".ipynb_checkpoints" / "y").write_text("")
    (tmp_path / "data" / "words.txt").write_text("a")
    assert list(ship_included(tmp_path, ["data/"]).files) == ["data/words.txt"]


@pytest.mark.parametrize(
    "name", ["../secret", "/etc/passwd", "~/x", "missing", "link", "linked/secret", "pipe"]
)
def test_nothing_from_elsewhere_is_included(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (tmp_path / "secret").write_text("s")
    (folder / "link").symlink_to(tmp_path / "secret")
    (folder / "linked").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe")
    result = ship_included(folder, [name])
    assert result.files == {}
    assert [d.code for d in result.diagnostics] == ["NBC308"]


def test_the_component_runs_with_its_modules(exported: Exported, workshop: Any) -> None:
    workshop.folder.mkdir()
    tree(
        workshop.folder,
        helpers="def twice(x):\n    return 2 * x\n",
        lib__more="from helpers import twice\n",
    )
    shop = exported(
        ("x = 1",),
        ("from lib.more import twice\nprint(twice(4))", "component:train"),
    )
    assert shop.output() == "8\n"
    folder = shop.script().parent
    assert (folder / "helpers.py").exists()
    assert not any(folder.rglob("__pycache__"))


def test_a_changed_module_changes_the_version(exported: Exported, workshop: Any) -> None:
    workshop.folder.mkdir()
    tree(workshop.folder, helpers="X = 1\n")
    cells = [("import helpers\nprint(helpers.X)", "component:train")]
    first = workshop.build(cells).listings[0].version
    tree(workshop.folder, helpers="X = 2\n")
    assert workshop.build(cells).listings[0].version != first


def test_auto_ships_the_files_that_cells_and_local_modules_read(
    exported: Exported, workshop: Any
) -> None:
    workshop.folder.mkdir()
    tree(workshop.folder, reading="def words():\n    return open('data/words.txt').read()\n")
    tree(workshop.folder, pkg__table="from pathlib import Path\n\nHERE = Path(__file__).parent\n")
    (workshop.folder / "pkg" / "table.csv").write_text("a,b\n")
    with (workshop.folder / "pkg" / "table.py").open("a") as module:
        module.write("TEXT = (HERE / 'table.csv').read_text()\n")
    (workshop.folder / "data").mkdir()
    (workshop.folder / "data" / "words.txt").write_text("one two")
    (workshop.folder / "title.txt").write_text("T")
    (workshop.folder / "unread.txt").write_text("U")
    shop = exported(
        ("import reading\nfrom pkg.table import TEXT", "component:train"),
        ("print(open('title.txt').read(), reading.words(), TEXT)", "component:train"),
        boundary="auto",
    )
    assert shop.output() == "T one two a,b\n\n"
    folder = shop.script().parent
    assert not (folder / "unread.txt").exists()
    (workshop.folder / "title.txt").write_text("other")
    cells = [("print(open('title.txt').read())", "component:train")]
    one = workshop.build(cells, boundary="auto").listings[0]
    (workshop.folder / "title.txt").write_text("another")
    other = workshop.build(cells, boundary="auto").listings[0]
    assert one.included == other.included == ("title.txt",)
    assert one.version != other.version


def test_strict_ships_no_file_that_the_contract_does_not_name(workshop: Any) -> None:
    workshop.folder.mkdir()
    (workshop.folder / "title.txt").write_text("T")
    export = workshop.build([("print(open('title.txt').read())", "component:train")])
    assert export.blocked
    assert [d.code for d in export.diagnostics] == ["NBC109"]


def test_the_notebooks_whole_folder_is_never_shipped(workshop: Any) -> None:
    workshop.folder.mkdir()
    cells = [("import os\nprint(os.listdir('.'))", "component:train")]
    assert workshop.build(cells, boundary="auto").blocked


def test_files_that_are_too_large_together_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_modules, "_LARGEST_TOTAL", 10)
    (tmp_path / "data").mkdir()
    for name in "abc":
        (tmp_path / "data" / name).write_bytes(b"12345")
    assert len(ship_included(tmp_path, ["data/a", "data/b"]).files) == 2
    refused = ship_included(tmp_path, ["data"])
    assert refused.files == {}
    assert [d.code for d in refused.diagnostics] == ["NBC308"]


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("shell = get_ipython()", 1),
        ("x = 1\nget_ipython().run_line_magic('matplotlib', 'inline')", 2),
        ("def setup():\n    with a:\n        get_ipython().run_cell('1')\nsetup()", 3),
        ("def setup():\n    get_ipython()", None),
        ("from IPython import get_ipython\nget_ipython()", None),
        ("try:\n    get_ipython()\nexcept NameError:\n    pass", None),
        ("if 'get_ipython' in dir():\n    get_ipython()", None),
        ("name = 'get_ipython'", None),
    ],
)
def test_a_module_that_only_a_notebook_can_import_is_an_error(
    tmp_path: Path, code: str, line: int | None
) -> None:
    tree(tmp_path, helper=code)
    found = ship_modules(tmp_path, [Imported("helper")]).diagnostics
    assert [d.code for d in found] == ([] if line is None else ["NBC111"])
    if line is not None:
        assert found[0].severity == "error"
        assert found[0].message.startswith(f"helper.py, line {line}: ")
        optional = ship_modules(tmp_path, [Imported("helper", optional=True)]).diagnostics
        assert [d.severity for d in optional] == ["warning"]
