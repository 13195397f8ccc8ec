"""What a script makes of magics and shell lines."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nbcomponent.notebook.arguments import STATEMENT_OPTIONS
from nbcomponent.notebook.ipython import parse_cell
from nbcomponent.notebook.magics import Treatment, treatment


def _treated(source: str) -> Treatment:
    return treatment(parse_cell(source).magics[0])


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("%matplotlib inline", "drop"),
        ("%config InlineBackend.figure_format = 'retina'", "drop"),
        ("%load_ext autoreload", "drop"),
        ("%load tools.py", "drop"),
        ("%recall 3", "drop"),
        ("%autoreload 2", "drop"),
        ("%pdb on", "drop"),
        ("len?", "drop"),
        ("?len", "drop"),
        ("%pinfo len", "drop"),
        ("%env", "drop"),
        ("%%html\n<b>", "drop"),
        ("%%javascript\nx", "drop"),
        ("%time", "drop"),
        ("!cd data", "drop"),
        ("%time f()", "run-code"),
        ("%prun f()", "run-code"),
        ("%memit f()", "run-code"),
        ("%%time\nf()", "run-code"),
        ("%%prun\nf()", "run-code"),
        ("/f a", "run-code"),
        ("%timeit f()", "skip-code"),
        ("%%timeit\nf()", "skip-code"),
        ("!ls", "translate"),
        ("x = !ls", "translate"),
        ("%ls", "translate"),
        ("%cat a.txt", "translate"),
        ("%%bash\nls", "translate"),
        ("%%bash --out x\nls", "translate"),
        ("%%python\nprint()", "translate"),
        ("%env A=b", "translate"),
        ("x = %env A", "translate"),
        ("%set_env A b", "translate"),
        ("%cd data", "translate"),
        ("%pwd", "translate"),
        ("%%writefile a.txt\nx", "translate"),
        ("%%capture\nx", "translate"),
        ("%%capture out\nx", "translate"),
        ("%pip install a", "environment"),
        ("%conda install a", "environment"),
        ("!pip install a", "environment"),
        ("!conda install a", "environment"),
        ("!{sys.executable} -m pip install a", "environment"),
        ("%%bash\npip install a", "environment"),
        ("pip install a", "environment"),
        ("%run a.py", "refuse"),
        ("%store x", "refuse"),
        ("%%R\nx", "refuse"),
        ("%%sql\nselect 1", "refuse"),
        ("%macro m 1-2", "refuse"),
        ("%pylab", "refuse"),
        ("%reset -f", "refuse"),
        ("%load_ext sql", "refuse"),
        ("%unknown_magic", "refuse"),
        ("%%unknown_magic\nx", "refuse"),
        ("%%time f()\nx", "refuse"),
        ("%cd -", "refuse"),
        ("x = %matplotlib", "refuse"),
    ],
)
def test_kind(source: str, kind: str) -> None:
    assert _treated(source).kind == kind


@pytest.mark.parametrize(
    "source", ["%run a.py", "%store x", "%%R\nx", "%unknown_magic", "%%unknown\nx"]
)
def test_refusal_has_a_reason_and_a_way_out(source: str) -> None:
    found = _treated(source)
    assert found.reason.endswith(".")
    assert found.way_out
    assert found.noted


@pytest.mark.parametrize(
    ("source", "requirements"),
    [
        ("%pip install numpy", ("numpy",)),
        ("%pip install -q -U 'numpy>=1.26' pandas==2.1", ("numpy>=1.26", "pandas==2.1")),
        ("!pip install numpy>=1.26", ("numpy>=1.26",)),
        (
            "!pip3 install \"torch[extra] ; python_version > '3.8'\"",
            ("torch[extra] ; python_version > '3.8'",),
        ),
        ("!pip install a > /dev/null 2>&1", ("a",)),
        ("!pip install a >log.txt", ("a",)),
        ("!pip install -i https://x/simple a --extra-index-url https://y b", ("a", "b")),
        ("!pip install git+https://x/y.git@v1", ("git+https://x/y.git@v1",)),
        ("!pip install -e .", ("-e .",)),
        ("!pip install a && pip install b", ("a", "b")),
        ("!yes | pip install a", ("a",)),
        ("!PIP_QUIET=1 sudo /opt/bin/pip3.11 install a  # comment", ("a",)),
        ("!python -m pip install a", ("a",)),
        ("!uv pip install a", ("a",)),
        ("%conda install -c conda-forge -y a=1.2", ("a=1.2",)),
        ("%%bash\npip install a \\\n  b\n", ("a", "b")),
        ("!pip uninstall -y a", ()),
        ("!pip install -r requirements.txt", ()),
        ("!pip install {package}", ()),
    ],
)
def test_requirements_are_read(source: str, requirements: tuple[str, ...]) -> None:
    assert _treated(source).requirements == requirements


def test_what_cannot_be_read_off_an_install_line_is_told() -> None:
    found = _treated("!pip install -r requirements.txt {package} $other a")
    assert found.requirement_files == ("requirements.txt",)
    assert found.unresolved == ("{package}", "$other")
    assert (found.requirements, found.noted) == (("a",), True)


def test_managers_are_told_apart() -> None:
    assert _treated("%conda install a").manager == "conda"
    assert _treated("!mamba install a").manager == "conda"
    found = _treated("!apt-get install -y graphviz && pip install a")
    assert (found.manager, found.requirements, found.system_packages) == (
        "pip",
        ("a",),
        ("graphviz",),
    )


def test_install_line_that_does_more_is_kept_and_noted() -> None:
    found = _treated("!pip install a && ./build.sh")
    assert (found.kind, found.noted) == ("translate", True)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("%env A=b c", (("A", "b c"),)),
        ("%env A b", (("A", "b"),)),
        ("%set_env A b", (("A", "b"),)),
        ("%env A={x}", (("A", None),)),
        ("%env A=", (("A", ""),)),
        ("%env A", ()),
    ],
)
def test_environment_variables_set(
    source: str, expected: tuple[tuple[str, str | None], ...]
) -> None:
    assert _treated(source).sets_variables == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("%cd ..", ".."),
        ("%cd -q 'a b'", "a b"),
        ("%cd", "~"),
        ("%cd {d}", ""),
        ("!cd ..", None),
        ("%pwd", None),
    ],
)
def test_working_directory(source: str, expected: str | None) -> None:
    assert _treated(source).changes_directory == expected


def test_names_touched() -> None:
    assert _treated("%pylab inline").star_modules == ("numpy", "matplotlib.pylab")
    assert _treated("%reset -f").deletes == ("*",)
    assert _treated("%xdel a").deletes == ("a",)
    assert _treated("%store -r a b").restores == ("a", "b")
    assert _treated("%store -r").restores == ("*",)


def test_file_written() -> None:
    found = _treated("%%writefile -a 'my dir/a.txt'\nx")
    assert (found.writes_file, found.appends) == ("my dir/a.txt", True)


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(["%", "%%", "!", "!!", "x = !", "x = %", ",", "/", "?"]),
    st.sampled_from(
        [
            "pip",
            "conda",
            "env",
            "cd",
            "run",
            "writefile",
            "store",
            "capture",
            "bash",
            "sql",
            *STATEMENT_OPTIONS,
            "",
        ]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
)
def test_any_magic_has_a_treatment_in_words(escape: str, name: str, rest: str) -> None:
    for magic in parse_cell(f"{escape}{name} {rest}").magics:
        found = treatment(magic)
        assert found.reason
        assert found.kind != "refuse" or found.way_out
