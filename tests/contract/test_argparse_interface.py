"""Scripts written by hand: their interface from argparse, and what cannot be read from them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nbcomponent.contract.argparse_interface import ScriptArgument, ScriptInterface, read_argparse
from nbcomponent.core.diagnostics import Place

HEAD = "import argparse\nfrom pathlib import Path\np = argparse.ArgumentParser()\n"


def read(line: str) -> ScriptInterface:
    return read_argparse(f"{HEAD}{line}\nargs = p.parse_args()\n")


def argument(line: str) -> ScriptArgument:
    script = read(line)
    assert script.diagnostics == ()
    (found,) = script.arguments
    return found


def codes(line: str) -> list[str]:
    return [diagnostic.code for diagnostic in read(line).diagnostics]


@pytest.mark.parametrize(
    ("call", "kind", "default"),
    [
        ("'--n', type=int, default=5", "integer", 5),
        ("'--n', type=int, default='5'", "integer", 5),
        ("'--n', type=float, default=1e-3", "number", 0.001),
        ("'--n', type=float, default=60 * 60", "number", 3600),
        ("'--n', default='a'", "string", "a"),
        ("'--n', type=str", "string", None),
        ("'--n', type=lambda s: s.lower() == 'true', default=False", "boolean", False),
        ("'--n', type=lambda s: s in ('yes', 'true')", "boolean", None),
        ("'--n', type=lambda s: bool(strtobool(s))", "boolean", None),
        ("'--n', type=str2bool, default='yes'", "boolean", True),
        ("'--n', type=os.path.abspath", "string", None),
    ],
)
def test_types_and_defaults(call: str, kind: str, default: object) -> None:
    found = argument(f"p.add_argument({call})")
    assert (found.type, found.default, found.required) == (kind, default, False)


def test_a_function_that_compares_with_words_for_true_reads_booleans() -> None:
    script = read_argparse(
        "import argparse\n"
        "def flag(text):\n"
        "    if text.lower() in ('yes', 'true'):\n"
        "        return True\n"
        "    return False\n"
        "p = argparse.ArgumentParser()\n"
        "p.add_argument('--x', type=flag)\n"
    )
    assert [(a.type, a.is_data) for a in script.arguments] == [("boolean", False)]
    assert script.diagnostics == ()


@pytest.mark.parametrize(
    ("call", "name", "option"),
    [
        ("'--max-epochs', type=int", "max_epochs", "--max-epochs"),
        ("'-e', '--epochs', type=int", "epochs", "--epochs"),
        ("'-e', type=int", "e", "-e"),
        ("'--lr', dest='rate', type=float", "rate", "--lr"),
        ("'source'", "source", ""),
    ],
)
def test_names_and_how_they_are_passed(call: str, name: str, option: str) -> None:
    found = argument(f"p.add_argument({call})")
    assert (found.name, found.option) == (name, option)
    assert read(f"p.add_argument({call})").options == {name: option}


def test_required_choices_range_and_help() -> None:
    assert argument("p.add_argument('--n', required=True)").required
    assert argument("p.add_argument('n')").required
    assert not argument("p.add_argument('n', nargs='?', default='x')").required
    assert argument("p.add_argument('--n', choices=['a', 'b'])").choices == ("a", "b")
    assert argument("p.add_argument('--n', type=int, choices=(1, 2))").choices == (1, 2)
    found = argument("p.add_argument('--n', type=int, choices=range(1, 11))")
    assert (found.min, found.max, found.choices) == (1, 10, None)
    text = "'the rate, 5%% (default: %(default)s)'"
    assert argument(f"p.add_argument('--n', help={text})").description == "the rate, 5%"


@pytest.mark.parametrize(
    ("call", "data_type", "path"),
    [
        ("'--d', type=Path", "uri_folder", None),
        ("'--d', type=Path, default='a/b.csv'", "uri_file", "a/b.csv"),
        ("'--d', type=Path, default=Path('a') / 'b'", "uri_folder", "a/b"),
        ("'--d', default=Path('a')", "uri_folder", "a"),
        ("'--d', type=argparse.FileType('r')", "uri_folder", None),
    ],
)
def test_a_path_is_data(call: str, data_type: str, path: str | None) -> None:
    found = argument(f"p.add_argument({call})")
    assert (found.is_data, found.data_type, found.default_path) == (True, data_type, path)


@pytest.mark.parametrize(
    "line",
    [
        "g = p.add_argument_group('g')\ng.add_argument('--n', type=int)",
        "g = p.add_mutually_exclusive_group()\ng.add_argument('--n', type=int)",
        "def add(parser):\n    parser.add_argument('--n', type=int)\nadd(p)",
        "N = 5\np.add_argument('--n', type=int, default=N)",
        "p.add_argument('--n', type=int)\np.set_defaults(n=5)",
        "p.add_argument('--version', action='version', version='1')\np.add_argument('--n', type=int)",
        "base = argparse.ArgumentParser(add_help=False)\nbase.add_argument('--n', type=int)\n"
        "q = argparse.ArgumentParser(parents=[base])",
    ],
)
def test_where_arguments_are_declared(line: str) -> None:
    found = argument(line)
    assert (found.name, found.type, found.default) == ("n", "integer", 5 if "5" in line else None)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("p.add_argument('--n', type=bool)", "NBC250"),
        ("for n in names:\n    p.add_argument(f'--{n}')", "NBC251"),
        ("p.add_argument('--n', **options)", "NBC251"),
        ("p.add_argument('--n', type=parse_date)", "NBC251"),
        ("p.add_argument('--n', type=lambda s: s.split())", "NBC251"),
        ("p.add_argument('--n', default=os.environ['X'])", "NBC251"),
        ("p.add_argument('--n', default=5)", "NBC251"),
        ("p.add_argument('--n', choices=list(KINDS))", "NBC251"),
        ("p.add_argument('--n', action=Own)", "NBC251"),
        ("p.add_argument('--n')\np.add_argument('--n')", "NBC251"),
        ("s = p.add_subparsers()", "NBC251"),
        ("q = argparse.ArgumentParser(parents=[other.parser])", "NBC251"),
        ("q = argparse.ArgumentParser(fromfile_prefix_chars='@')", "NBC251"),
        ("import click", "NBC251"),
        ("from transformers import HfArgumentParser", "NBC251"),
        ("import sys\nx = sys.argv[1]", "NBC251"),
        ("p.add_argument('--n', action='store_true')", "NBC254"),
        ("p.add_argument('--n', action=argparse.BooleanOptionalAction)", "NBC254"),
        ("p.add_argument('--n', action='append')", "NBC254"),
        ("p.add_argument('--n', nargs='+')", "NBC254"),
        ("p.add_argument('--n', nargs=2)", "NBC254"),
    ],
)
def test_what_cannot_be_read_or_passed_is_said(line: str, code: str) -> None:
    assert codes(line) == [code]


def test_arguments_of_subcommands_are_no_arguments_of_the_component() -> None:
    script = read("s = p.add_subparsers()\nq = s.add_parser('a')\nq.add_argument('--n')")
    assert script.arguments == ()


def test_places_are_those_of_the_notebook() -> None:
    script = read_argparse(f"{HEAD}p.add_argument('--n', type=bool)\n", 7, 1)
    assert script.arguments[0].place == Place(7, 5, 1, 5, 33)
    assert script.diagnostics[0].place == Place(7, 5, 28, 5, 32)


def test_a_script_that_is_no_python_has_no_interface() -> None:
    assert read_argparse("def f(:\n") == ScriptInterface()


@settings(max_examples=100, deadline=None)
@given(st.text("ab'-=,(.)\n *", max_size=30))
def test_any_call_is_read_without_an_error_of_ours(text: str) -> None:
    read(f"p.add_argument({text})")
