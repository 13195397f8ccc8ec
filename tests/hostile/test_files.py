"""Paths, files that are none, names, pipes, output folders: one clear error, and the others are done."""

from __future__ import annotations

import io
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hostile_contents import GOOD, A, cell, notebook

from nbcomponent.cli.main import main


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with one good notebook in it."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / "good.ipynb").write_bytes(GOOD)
    return folder


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, dict[str, Any]]]:
    """Run a command with ``--format json``; its exit code, and its reports by path."""

    def run_main(*arguments: str) -> tuple[int, dict[str, Any]]:
        capfd.readouterr()
        code = main([*arguments, "--format", "json"])
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        return code, {report["path"]: report for report in json.loads(out)["files"]}

    return run_main


def run_in(place: Path, *arguments: str) -> tuple[int, dict[str, Any]]:
    """The same in a folder, for what several tests look at."""
    with pytest.MonkeyPatch.context() as patch:
        out, err = io.StringIO(), io.StringIO()
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        patch.chdir(place)
        code = main([*arguments, "--format", "json"])
    assert "Traceback" not in err.getvalue()
    return code, {report["path"]: report for report in json.loads(out.getvalue())["files"]}


def start(*arguments: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """Run the command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "nbcomponent", *arguments],
        capture_output="stdout" not in options,
        timeout=100,
        check=False,
        **options,
    )


def codes(report: dict[str, Any]) -> list[str]:
    return [d["code"] for d in report["diagnostics"] if d["severity"] != "note"]


def pipe(path: Path) -> None:
    os.mkfifo(path)


def folder(path: Path) -> None:
    path.mkdir()


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def terminal(path: Path) -> None:
    path.symlink_to("/dev/tty")


def dangling(path: Path) -> None:
    path.symlink_to("nowhere.ipynb")


def loop(path: Path) -> None:
    path.symlink_to(path.name)


def long_loop(path: Path) -> None:
    other = path.with_name("other-link")
    other.symlink_to(path.name)
    path.symlink_to(other.name)


def unix_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path.name)


def process_memory(path: Path) -> None:
    path.symlink_to("/proc/self/mem")


def below_a_file(path: Path) -> None:
    path.symlink_to("good.ipynb/inner.ipynb")


def self_link(path: Path) -> None:
    path.symlink_to(".")


NO_FILES = [
    pipe, device, terminal, dangling, loop, long_loop, unix_socket, process_memory, below_a_file,
]  # fmt: skip


@pytest.fixture(scope="module", params=["named", "in-its-folder"])
def no_files(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[str, Any], dict[str, Any]]:
    """A folder of what is no file beside a good notebook, and what check and export say of them."""
    place = tmp_path_factory.mktemp("here")
    (place / "good.ipynb").write_bytes(GOOD)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)  # the name of a socket must be short
        for make in NO_FILES:
            make(place / f"{make.__name__}.ipynb")
    named = [f"{make.__name__}.ipynb" for make in NO_FILES] + ["good.ipynb"]
    paths = named if request.param == "named" else ["."]
    code, checked = run_in(place, "check", *paths)
    assert code == 2
    code, exported = run_in(place, "export", *paths, "-o", "out")
    assert code == 2
    return place, checked, exported


@pytest.mark.parametrize("make", NO_FILES, ids=lambda make: make.__name__)
def test_what_is_no_file(
    make: Callable[[Path], None], no_files: tuple[Path, dict[str, Any], dict[str, Any]]
) -> None:
    place, checked, exported = no_files
    name = f"{make.__name__}.ipynb"
    assert codes(checked[name]) in (["NBC901"], ["NBC902"])  # memory is no JSON either
    assert checked["good.ipynb"]["diagnostics"] == []
    assert exported[name]["state"] == "unusable"
    assert (place / "out/good/main/component.yml").is_file()
    assert not (place / "out" / make.__name__).exists()


@pytest.mark.parametrize("make", [folder, self_link], ids=lambda make: make.__name__)
def test_a_folder_that_is_named_like_a_notebook(
    make: Callable[[Path], None], here: Path, run: Callable[..., tuple[int, dict[str, Any]]]
) -> None:
    make(here / "bad.ipynb")
    code, reports = run("check", ".")
    assert code == 0
    assert [Path(path).name for path in reports] == ["good.ipynb"]


@pytest.mark.parametrize(
    "path",
    ["missing.ipynb", "missing/a.ipynb", "good.ipynb/a.ipynb", "a" * 300 + ".ipynb", "*.none", "[", "a\0b.ipynb",
     "\ud800.ipynb", "~nobody/a.ipynb", "$HOME.ipynb", "`touch TRAPPED`.ipynb"],
    ids=["missing", "missing-folder", "below-a-file", "too-long", "glob", "bracket", "null", "surrogate", "tilde", "variable", "command"],
)  # fmt: skip
def test_paths_that_mean_nothing(
    path: str, here: Path, run: Callable[..., tuple[int, dict[str, Any]]]
) -> None:
    code, reports = run("check", path, "good.ipynb")
    assert code == 2
    assert reports["good.ipynb"]["diagnostics"] == []
    (bad,) = (report for name, report in reports.items() if name != "good.ipynb")
    assert codes(bad) in (["NBC901"], ["NBC940"])
    assert not list(here.glob("TRAPPED"))


ODD_NAMES = [
    "a\nb", "a\tb", "\x1b[31mred", "a\rb", "-o", "--format", "a b", "$(touch TRAPPED)", "a;b", "é", "\u202etxt", "a" * 240, "..x",
    "con", "%s", "{x}", "'", '"', "a\\b", "*", "?",
]  # fmt: skip


@pytest.fixture(scope="module")
def oddly_named(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A folder of notebooks with odd names, and what is said of each when they are exported."""
    place = tmp_path_factory.mktemp("here")
    for name in ("good", *ODD_NAMES):
        (place / f"{name}.ipynb").write_bytes(GOOD)
    code, reports = run_in(place, "check", ".")
    assert (code, len(reports)) == (0, len(ODD_NAMES) + 1)
    code, reports = run_in(place, "export", ".", "-o", "out")
    assert code in (0, 1, 2)
    assert reports["good.ipynb"]["state"] == "written"
    return place, reports


@pytest.mark.parametrize("name", ODD_NAMES)
def test_odd_names_of_notebooks(name: str, oddly_named: tuple[Path, dict[str, Any]]) -> None:
    place, reports = oddly_named
    state = reports[f"{name}.ipynb"]["state"]
    assert (place / "out" / name).is_dir() == (state == "written")


def test_odd_names_write_nothing_elsewhere(oddly_named: tuple[Path, dict[str, Any]]) -> None:
    place, _ = oddly_named
    names = {"good", *ODD_NAMES}
    assert {path.name for path in place.iterdir()} <= (
        {f"{name}.ipynb" for name in names} | {f"{name}.lock.yml" for name in names} | {"out"}
    )


def test_names_that_are_no_text(here: Path) -> None:
    (here / os.fsdecode(b"\xff\xfe.ipynb")).write_bytes(GOOD)
    done = start("check", ".")
    assert (done.returncode, done.stderr) == (0, b"")
    done = start("export", ".", "-o", "out")
    assert done.returncode in (0, 1, 2)
    assert b"Traceback" not in done.stderr
    assert (here / "out/good/main").is_dir()


def test_control_characters_do_not_reach_the_terminal(here: Path) -> None:
    (here / "\x1b]0;owned\x07.ipynb").write_bytes(b"{")
    done = start("check", ".", "--format", "text")
    assert done.returncode == 2
    assert b"\x1b" not in done.stdout + done.stderr


@pytest.mark.parametrize("name", [".", "..", ".nbcomponent-x", ".nbcomponent"])
def test_stems_that_would_leave_the_output_folder(name: str, here: Path) -> None:
    (here / f"{name}.ipynb").write_bytes(GOOD)
    done = start("export", f"{name}.ipynb", "-o", "deep/out")
    assert b"Traceback" not in done.stderr
    assert {p.name for p in here.iterdir()} <= {"good.ipynb", f"{name}.ipynb", f"{name}.lock.yml", "deep"}  # fmt: skip
    assert not (here / "main").exists()


def test_a_file_that_changes_while_it_is_read(
    here: Path, run: Callable[..., tuple[int, dict[str, Any]]]
) -> None:
    restless = here / "bad.ipynb"
    stop = threading.Event()

    def change() -> None:
        while not stop.is_set():
            restless.write_bytes(GOOD + b" " * 200_000)
            with restless.open("ab") as stream:
                stream.write(b" " * 100_000)
            restless.unlink()

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(15):
            code, reports = run("check", "bad.ipynb", "good.ipynb", "--jobs", "1")
            assert code in (0, 2)
            assert set(codes(reports["bad.ipynb"])) <= {"NBC901", "NBC902", "NBC940"}
            assert reports["good.ipynb"]["diagnostics"] == []
    finally:
        stop.set()
        thread.join()


# Standard input and output


@pytest.mark.parametrize(
    ("data", "code"),
    [(b"", 2), (b"\0" * 100_000, 2), (bytes(range(256)) * 40, 2), (b"{", 2), (b"\xff\xfe", 2), (GOOD, 0),
     (b"[" * 200_000, 2), (b"%%%", 2)],
)  # fmt: skip
def test_standard_input(data: bytes, code: int, here: Path) -> None:
    done = start("check", "-", "--format", "json", input=data)
    assert done.returncode == code, done.stdout + done.stderr
    assert done.stderr == b""
    assert len(json.loads(done.stdout)["files"]) == 1


def test_no_standard_input_at_all(here: Path) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f'exec "{sys.executable}" -m nbcomponent check - good.ipynb <&-'],
        capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 2
    assert b"Traceback" not in done.stdout + done.stderr
    assert b"NBC945" not in done.stdout


def test_no_standard_output_at_all(here: Path) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f'exec "{sys.executable}" -m nbcomponent check . >&-'],
        capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    assert b"Traceback" not in done.stderr
    assert done.returncode in (0, 2)


def test_a_full_disk_for_the_report(here: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = start("check", ".", "--format", "json", stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b"No space left" in done.stderr


def test_a_reader_that_goes_away(here: Path) -> None:
    for number in range(60):
        (here / f"n{number}.ipynb").write_bytes(b"{" * 50)
    command = f'"{sys.executable}" -m nbcomponent check . --format text | head -c 10'
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, check=False, timeout=60)
    assert done.stderr == b""


@pytest.mark.parametrize(
    "arguments",
    [["check", "."], ["check", "{}/good.ipynb"], ["export", "{}/good.ipynb", "-o", "out"]],
)
def test_a_current_folder_that_is_gone(arguments: list[str], here: Path) -> None:
    line = " ".join(["-m", "nbcomponent", *arguments]).format(here)
    command = f'mkdir gone && cd gone && rmdir ../gone && exec "{sys.executable}" {line}'
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, check=False, timeout=60)
    assert done.returncode == 2
    said = b"nbcomponent: the current folder is not there any more; change to one that is\n"
    assert done.stderr.endswith(said)


@pytest.mark.parametrize(
    "environment",
    [{}, {"HOME": "/nonexistent"}, {"HOME": "~"}, {"TMPDIR": "/nonexistent"}, {"LANG": "C", "LC_ALL": "C", "PYTHONIOENCODING": "ascii"},
     {"JUPYTER_PATH": "/dev/zero:/proc/self/mem:\n", "JUPYTER_DATA_DIR": "/nonexistent"}],
    ids=["empty", "no-home", "odd-home", "no-temporary-folder", "ascii", "jupyter"],
)  # fmt: skip
def test_odd_environments(environment: dict[str, str], here: Path) -> None:
    done = start("export", ".", "-o", "out", env=environment)
    assert (done.returncode, done.stderr) == (0, b""), done.stdout
    assert (here / "out/good/main/component.yml").is_file()


# Where the export goes


def as_file(here: Path) -> str:
    (here / "out").write_text("precious")
    return "out"


def as_file_above(here: Path) -> str:
    (here / "out").write_text("precious")
    return "out/deep/er"


def target_is_file(here: Path) -> str:
    (here / "out").mkdir()
    (here / "out/good").write_text("precious")
    return "out"


def target_is_link(here: Path) -> str:
    (here / "out").mkdir()
    (here.parent / "elsewhere").mkdir()
    (here / "out/good").symlink_to(here.parent / "elsewhere")
    return "out"


def target_is_pipe(here: Path) -> str:
    (here / "out").mkdir()
    os.mkfifo(here / "out/good")
    return "out"


def no_such_place(here: Path) -> str:
    return "/proc/nbcomponent/out"


def below_a_device(here: Path) -> str:
    return "/dev/null/out"


def link_loop(here: Path) -> str:
    (here / "out").symlink_to("out")
    return "out"


def too_long(here: Path) -> str:
    return "a" * 300


def null_character(here: Path) -> str:
    return "o\0ut"


@pytest.mark.parametrize(
    "place",
    [as_file, as_file_above, target_is_file, target_is_link, target_is_pipe, no_such_place, below_a_device, link_loop,
     too_long, null_character],
    ids=lambda place: place.__name__,
)  # fmt: skip
def test_output_folders_that_cannot_be(
    place: Callable[[Path], str], here: Path, run: Callable[..., tuple[int, dict[str, Any]]]
) -> None:
    output = place(here)
    before = {p: p.lstat().st_mtime_ns for p in here.parent.rglob("*") if p.name != "out"}
    code, reports = run("export", "good.ipynb", "-o", output)
    assert code == 2
    assert codes(reports["good.ipynb"]) in (["NBC960"], ["NBC962"])
    assert reports["good.ipynb"]["state"] == "unusable"
    after = {p: p.lstat().st_mtime_ns for p in here.parent.rglob("*") if p.name != "out"}
    assert after == before
    for precious in (here / "out", here / "out/good"):
        if precious.is_file():
            assert precious.read_text() == "precious"


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
from nbcomponent.cli.main import main
sys.exit(main(sys.argv[2:]))
"""


def limited(size: int, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run the command where no file can grow beyond ``size`` bytes, as on a disk that fills up."""
    return subprocess.run(
        [sys.executable, "-c", LIMITED, str(size), *arguments],
        capture_output=True, check=False, timeout=60,
    )  # fmt: skip


@pytest.mark.parametrize("size", [0, 100, 700])
def test_a_disk_that_fills_up_leaves_the_former_export(size: int, here: Path) -> None:
    assert start("export", "good.ipynb", "-o", "out").returncode == 0
    former = {p: p.read_bytes() for p in (here / "out").rglob("*") if p.is_file()}
    (here / "good.ipynb").write_bytes(GOOD.replace(b"math.pi", b"math.e, " + b"1, " * 3_000))
    done = limited(size, "export", "good.ipynb", "-o", "out")
    assert done.returncode == 2, done.stdout + done.stderr
    assert b"Traceback" not in done.stdout + done.stderr
    assert {p: p.read_bytes() for p in (here / "out").rglob("*") if p.is_file()} == former


def test_a_disk_that_is_full_from_the_start(here: Path) -> None:
    done = limited(0, "export", "good.ipynb", "-o", "out")
    assert done.returncode == 2
    assert not [p for p in here.rglob("*") if p.is_file() and p.name != "good.ipynb"]


def test_two_notebooks_for_one_folder(
    here: Path, run: Callable[..., tuple[int, dict[str, Any]]]
) -> None:
    (here / "other").mkdir()
    (here / "other/good.ipynb").write_bytes(GOOD.replace(b"math.pi", b"math.e"))
    code, reports = run("export", "good.ipynb", "other/good.ipynb", "-o", "out")
    assert code == 2
    assert sorted(r["state"] for r in reports.values()) == ["unusable", "written"]


# Settings


@pytest.mark.parametrize(
    "text",
    ["[tool.nbcomponent]\nx = 1", "[tool.nbcomponent\n", "[tool]\nnbcomponent = 5", "nbcomponent = \ud800", "# nbcomponent\0",
     "[tool.nbcomponent]\njobs = 'many'", "[tool.nbcomponent]\nexclude = 5", "[tool.nbcomponent]\na = " + "[" * 2_000],
    ids=["key", "syntax", "type", "surrogate", "null", "jobs", "exclude", "deep"],
)  # fmt: skip
def test_bad_settings(
    text: str, here: Path, run: Callable[..., tuple[int, dict[str, Any]]]
) -> None:
    (here / "pyproject.toml").write_bytes(text.encode("utf-8", "surrogatepass"))
    code, reports = run("check", ".")
    assert code == 2
    assert codes(reports["pyproject.toml"]) == ["NBC943"]


# What lies beside the notebook


BESIDE = {
    "pyproject.toml": "print(1)",
    "bad.lock.yml": "import numpy\nprint(numpy)",
    "requirements.txt": "%pip install -r requirements.txt\nprint(1)",
    "helpers.py": "import helpers\nprint(helpers)",
    "helpers/__init__.py": "import helpers\nprint(helpers)",
    "helpers/inner.py": "import helpers.inner\nprint(helpers)",
    "names.py": "from names import *\nprint(other)",
    "data.csv": "print(open('data.csv').read())",
    "config.json": "name = 'config.json'\nprint(open(name).read())",
}


def folder_of(name: str) -> str:
    """Each thing lies beside a notebook in a folder of its own."""
    return name.replace("/", "-").replace(".", "-")


def odd_exports(place: Path, make: Callable[[Path], None], boundary: str) -> dict[str, Any]:
    for name, source in BESIDE.items():
        beside = place / folder_of(name)
        (beside / name).parent.mkdir(parents=True, exist_ok=True)
        (beside / "bad.ipynb").write_bytes(notebook(cell(source, A)))
        (beside / "good.ipynb").write_bytes(GOOD)
        make(beside / name)
    code, reports = run_in(
        place, "export", ".", "-o", "out", "--boundary", boundary, "--timeout", "20"
    )
    assert code in (0, 1, 2)
    return reports


@pytest.fixture(scope="module")
def odd_things(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., dict[str, Any]]:
    """What is said of notebooks beside which a thing of a kind lies; each kind is exported once."""
    known: dict[tuple[str, str], dict[str, Any]] = {}

    def reports(make: Callable[[Path], None], boundary: str) -> dict[str, Any]:
        key = (make.__name__, boundary)
        if key not in known:
            known[key] = odd_exports(tmp_path_factory.mktemp("here"), make, boundary)
        return known[key]

    return reports


@pytest.mark.parametrize("name", BESIDE)
@pytest.mark.parametrize("boundary", ["strict", "auto"])
@pytest.mark.parametrize("make", [pipe, folder, device, loop], ids=lambda make: make.__name__)
def test_odd_things_beside_the_notebook_hold_nothing_up(
    make: Callable[[Path], None],
    name: str,
    boundary: str,
    odd_things: Callable[..., dict[str, Any]],
) -> None:
    reports = odd_things(make, boundary)
    place = folder_of(name)
    mine = {path: r for path, r in reports.items() if path.startswith(f"{place}/")}
    found = {d["code"] for report in mine.values() for d in report["diagnostics"]}
    assert not {"NBC945", "NBC947"} & found
    if name == "pyproject.toml":
        assert found == {"NBC943"} or make is folder
    else:
        assert f"{place}/bad.ipynb" in mine
        assert mine[f"{place}/good.ipynb"]["state"] == "written"


@pytest.mark.parametrize("make", [pipe, folder, device, loop], ids=lambda make: make.__name__)
@pytest.mark.parametrize("key", ["include", "conda"])
def test_odd_things_that_a_contract_names(
    make: Callable[[Path], None],
    key: str,
    here: Path,
    run: Callable[..., tuple[int, dict[str, Any]]],
) -> None:
    contract = {"include": "include: [thing/]", "conda": "environment: {conda: thing/conda.yml}"}
    (here / "bad.ipynb").write_bytes(
        notebook(cell(contract[key], "contract:a", "raw"), cell("print(1)", A))
    )
    (here / "thing").mkdir()
    make(here / "thing/conda.yml")
    code, reports = run("export", ".", "-o", "out", "--timeout", "20")
    assert code in (0, 1, 2)
    assert not {"NBC945", "NBC947"} & {d["code"] for d in reports["bad.ipynb"]["diagnostics"]}
    assert reports["good.ipynb"]["state"] == "written"


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (pipe, "it is a pipe, not a file"),
        (device, "it is a device, not a file"),
        (unix_socket, "it is a socket, not a file"),
        (folder, "it is a folder, not a file"),
        (loop, "Too many levels of symbolic links"),
    ],
    ids=["pipe", "device", "socket", "folder", "loop"],
)
@pytest.mark.parametrize("command", [["check"], ["export", "-o", "out"]], ids=["check", "export"])
@pytest.mark.parametrize("place", [".", ".."], ids=["beside", "above"])
def test_what_stands_in_the_place_of_the_settings(
    make: Callable[[Path], None],
    reason: str,
    command: list[str],
    place: str,
    here: Path,
    run: Callable[..., tuple[int, dict[str, Any]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(place)  # a socket's path must be short
    make(Path("pyproject.toml"))
    monkeypatch.chdir(here)
    code, reports = run(*command, "good.ipynb")
    assert code == 2
    ((path, report),) = reports.items()
    assert Path(path).name == "pyproject.toml"
    assert [d["message"] for d in report["diagnostics"]] == [f"settings: cannot be read: {reason}"]
    assert codes(report) == ["NBC943"]
    assert not (here / "out").exists()


def test_settings_that_may_not_be_read(
    here: Path, run: Callable[..., tuple[int, dict[str, Any]]]
) -> None:
    (here / "pyproject.toml").touch(0)
    user = os.geteuid()
    if user == 0:
        for folder in (here, *here.parents[:2]):
            folder.chmod(0o755)
        os.seteuid(65534)  # root reads everything
    try:
        code, reports = run("check", ".")
    finally:
        os.seteuid(user)
    assert code == 2
    (found,) = reports["pyproject.toml"]["diagnostics"]
    assert found["message"] == "settings: cannot be read: Permission denied"


@pytest.mark.parametrize("link", [False, True], ids=["file", "link"])
def test_settings_through_a_link_count(
    link: bool, here: Path, run: Callable[..., tuple[int, dict[str, Any]]]
) -> None:
    text = "[tool.nbcomponent]\nexclude = ['good.ipynb']\n"
    if link:
        (here.parent / "other.toml").write_text(text)
        (here / "pyproject.toml").symlink_to("../other.toml")
    else:
        (here / "pyproject.toml").write_text(text)
    assert run("check", ".") == (0, {})


# Size


def sparse(path: Path, size: int) -> None:
    """A file that holds nothing but its size."""
    with path.open("wb") as stream:
        stream.truncate(size)


def test_a_notebook_too_large_for_memory_is_refused_before_it_is_read(
    here: Path, run: Callable[..., tuple[int, dict[str, Any]]]
) -> None:
    sparse(here / "huge.ipynb", 10**12)
    code, reports = run("check", ".")
    assert code == 2
    (found,) = reports["huge.ipynb"]["diagnostics"]
    assert found["code"] == "NBC901"
    assert "it has 1,000,000,000,000 bytes or more; at most 1,073,741,824 are read" in found["message"]  # fmt: skip
    assert reports["good.ipynb"]["diagnostics"] == []


def test_standard_input_without_an_end_is_refused(here: Path) -> None:
    script = (
        "import sys\nfrom nbcomponent.notebook import reader\nreader.LARGEST_NOTEBOOK = 100_000\n"
        "from nbcomponent.cli.main import main\nsys.exit(main(['check', '-', '--format', 'json']))"
    )
    with Path("/dev/zero").open("rb") as zero:
        done = subprocess.run([sys.executable, "-c", script], stdin=zero, capture_output=True, timeout=60, check=False)  # fmt: skip
    assert done.returncode == 2
    (report,) = json.loads(done.stdout)["files"]
    assert codes(report) == ["NBC901"]


LARGE_BESIDE = {
    **{name: source for name, source in BESIDE.items() if "/" not in name},
    "script.py": "print(1)",
    "out/{}/bad/kept.bin": "print(1)",
    "out/{}/bad/.nbcomponent/manifest.json": "print(1)",
}


def test_a_terabyte_beside_the_notebook_is_not_read(here: Path) -> None:
    for name, source in LARGE_BESIDE.items():
        place = folder_of(Path(name).name)
        (here / place).mkdir()
        (here / place / "bad.ipynb").write_bytes(notebook(cell(source, A)))
        large = here / name.format(place) if "{}" in name else here / place / name
        large.parent.mkdir(parents=True, exist_ok=True)
        sparse(large, 10**12)
    done = limited_memory("export", ".", "-o", "out", "--format", "json")
    assert done.returncode in (0, 1, 2), done.stderr
    assert b"Traceback" not in done.stderr
    reports = json.loads(done.stdout)["files"]
    assert len(reports) >= len(LARGE_BESIDE)
    assert not {"NBC944", "NBC945", "NBC947"} & {d["code"] for r in reports for d in r["diagnostics"]}  # fmt: skip


def limited_memory(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run the command with 1.5 GB of addresses (the room's stack takes 512 MB of them)."""
    script = LIMITED.replace("RLIMIT_FSIZE", "RLIMIT_AS")
    return subprocess.run(
        [sys.executable, "-c", script, "1500000000", *arguments],
        capture_output=True, check=False, timeout=60,
    )  # fmt: skip


def test_a_script_is_a_notebook_by_a_mark_in_its_first_million_bytes(
    here: Path, run: Callable[..., tuple[int, dict[str, Any]]]
) -> None:
    (here / "near.py").write_text("#\n" * 1_000 + "# %%\nprint(1)\n")
    (here / "far.py").write_text("#\n" * 1_000_000 + "# %%\nprint(1)\n")
    _, reports = run("check", ".")
    assert set(reports) == {"good.ipynb", "near.py"}


# What was there before


LOCK = "schema: nbcomponent.lock/1\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("python: \"3.11\\n  - evil\"", "'3.11\\n  - evil' is no version of Python"),
        ("packages: {numpy: \"1.0\\n  - --index-url http://evil\"}", "is no version of a package"),
        ("packages: {numpy: '1.0; rm -rf /'}", "is no version of a package"),
        ("packages: {numpy: \"1\\0\"}", "is no version of a package"),
        ("packages: {'numpy --pre': '1'}", "'numpy --pre' is no name of a package"),
        ("packages: {../../evil: '1'}", "'../../evil' is no name of a package"),
        ("imports: {numpy: 'numpy @ file:///etc/passwd'}", "is no name of a package"),
        ("imports: {'../x': numpy}", "'../x' is no name of a module"),
        ("imports: {numpy: '" + "x" * 5_000 + "!'}", "is no name of a package"),
        ("packages: {numpy: 1.5}", "something else than names and versions"),
        ("packages: !!python/object/apply:os.system ['touch TRAPPED']", "is refused"),
        ("x: " + "[" * 9_000, "nested too deeply"),
        ("\0", "U+0000"),
    ],
)  # fmt: skip
def test_lock_files_that_would_slip_something_into_the_environment(
    text: str, message: str, here: Path, run: Callable[..., tuple[int, dict[str, Any]]]
) -> None:
    (here / "bad.ipynb").write_bytes(notebook(cell("import numpy\nprint(numpy.pi)", A)))
    (here / "bad.lock.yml").write_text(LOCK + text)
    code, reports = run("export", ".", "-o", "out")
    assert code == 2
    (found,) = reports["bad.ipynb"]["diagnostics"]
    assert found["code"] == "NBC964"
    assert message in found["message"]
    assert len(found["message"]) < 400
    assert not (here / "out/bad").exists()
    assert reports["good.ipynb"]["state"] == "written"


def victim(here: Path) -> Path:
    """A folder elsewhere, with a file that must stay as it is."""
    folder = here.parent / "victim"
    folder.mkdir()
    (folder / "file").write_text("precious")
    return folder


def component_is_link(here: Path) -> None:
    (here / "out/good").mkdir(parents=True)
    (here / "out/good/main").symlink_to(victim(here))


def file_is_link(here: Path) -> None:
    (here / "out/good/main").mkdir(parents=True)
    (here / "out/good/main/run_main.py").symlink_to(victim(here) / "file")


def state_is_link(here: Path) -> None:
    (here / "out/good").mkdir(parents=True)
    (here / "out/good/.nbcomponent").symlink_to(victim(here))


def work_is_link(here: Path) -> None:
    (here / "out").mkdir()
    for step, name in (("new", ""), ("old", ""), ("journal", "file")):
        folder = here.parent / "victim"
        (here / f"out/.good.nbcomponent-{step}").symlink_to(
            (folder if folder.is_dir() else victim(here)) / name
        )


def lock_leads_elsewhere(here: Path) -> None:
    (here / "good.lock.yml").symlink_to(victim(here) / "new")


def journal_is_deep(here: Path) -> None:
    victim(here)
    (here / "out/good").mkdir(parents=True)
    (here / "out/.good.nbcomponent-journal").write_text("[" * 100_000)


def journal_is_a_pipe(here: Path) -> None:
    victim(here)
    (here / "out").mkdir()
    os.mkfifo(here / "out/.good.nbcomponent-journal")


def manifest_is_deep(here: Path) -> None:
    victim(here)
    (here / "out/good/.nbcomponent").mkdir(parents=True)
    (here / "out/good/.nbcomponent/manifest.json").write_text("[" * 100_000)


def manifest_names_others(here: Path) -> None:
    named = {"../../good.ipynb": "x", str(victim(here) / "file"): "x", "../../../victim/file": "x"}
    (here / "out/good/.nbcomponent").mkdir(parents=True)
    (here / "out/good/.nbcomponent/manifest.json").write_text(json.dumps({"files": named}))


@pytest.mark.parametrize(
    ("make", "exit_code"),
    [(component_is_link, 1), (file_is_link, 1), (state_is_link, 0), (work_is_link, 0), (lock_leads_elsewhere, 0),
     (journal_is_deep, 0), (journal_is_a_pipe, 0), (manifest_is_deep, 0), (manifest_names_others, 0)],
    ids=lambda value: getattr(value, "__name__", ""),
)  # fmt: skip
@pytest.mark.parametrize("force", [False, True], ids=["", "force"])
def test_an_output_folder_that_leads_elsewhere(
    make: Callable[[Path], None],
    exit_code: int,
    force: bool,
    here: Path,
    run: Callable[..., tuple[int, dict[str, Any]]],
) -> None:
    make(here)
    code, reports = run("export", "good.ipynb", "-o", "out", *(["--force"] if force else []))
    assert code == (0 if force else exit_code), reports
    assert (reports["good.ipynb"]["state"] == "written") == (code == 0)
    assert [path.name for path in (here.parent / "victim").iterdir()] == ["file"]
    assert (here.parent / "victim/file").read_text() == "precious"
    assert (here / "good.ipynb").read_bytes() == GOOD


def test_no_output_folder(here: Path) -> None:
    assert main(["export", "good.ipynb", "-o", ""]) == 2
    assert {path.name for path in here.iterdir()} == {"good.ipynb"}


@pytest.mark.parametrize(
    "text",
    ["jobs = " + "9" * 10_000, "'" + "k" * 100_000 + "' = 1", "boundary = '" + "x" * 100_000 + "'", "select = ['" + "x" * 100_000 + "']",
     ".".join(["a"] * 2_000) + " = 1"],
    ids=["number", "key", "value", "code", "deep"],
)  # fmt: skip
def test_settings_without_measure_give_a_short_message(
    text: str, here: Path, run: Callable[..., tuple[int, dict[str, Any]]]
) -> None:
    (here / "pyproject.toml").write_text("[tool.nbcomponent]\n" + text)
    code, reports = run("check", ".")
    assert code == 2
    (found,) = reports["pyproject.toml"]["diagnostics"]
    assert found["code"] == "NBC943"
    assert len(found["message"]) < 600
