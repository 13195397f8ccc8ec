"""Command templates: values are data, the template is the author's text."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nbcomponent.schema.rendering import Invocation, TemplateError, Value, render
from nbcomponent.schema.templates import Side, parse_template

HOSTILE = [
    "a b",
    "",
    "-1",
    "--help",
    "it's",
    'say "hi"',
    "`touch x`",
    "$(touch x)",
    "$HOME",
    "${HOME}",
    "; touch x",
    "&& touch x",
    "| cat",
    "> x",
    "line\nbreak\n",
    "tab\there",
    "back\\slash\\",
    "*",
    "~",
    "#no comment",
    "${{inputs.other}}",
    "$[[--x ${{inputs.other}}]]",
    "größe 🎉 ",
    "%s %d",
    "a=b",
    "'\"'\"'",
    "\r",
    "!!",
    "{a,b}",
]


def argv(text: str, **inputs: str | int | float | bool | Path) -> tuple[str, ...]:
    return rendered(text, **inputs).argv


def rendered(text: str, **inputs: str | int | float | bool | Path) -> Invocation:
    values: dict[tuple[Side, str], Value] = {}
    for name, value in inputs.items():
        side: Side = "outputs" if name.startswith("out") else "inputs"
        literal = not isinstance(value, Path)
        inert = isinstance(value, (int, float))
        values[side, name] = Value(str(value), literal, inert)
    return render(parse_template(text), values)


def received(text: str, tmp_path: Path, **inputs: str | int | float | bool | Path) -> list[str]:
    """What a script really receives from the command ``python show.py ...``."""
    show = tmp_path / "show.py"
    show.write_text("import json, sys\nprint(json.dumps(sys.argv[1:]))\n")
    command = rendered(text.replace("show.py", str(show)), **inputs).argv
    command = tuple(sys.executable if word == "python" else word for word in command)
    found = subprocess.run(command, capture_output=True, check=True, cwd=tmp_path, stdin=-3)
    result: list[str] = json.loads(found.stdout)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["show.py"]
    return result


def test_a_plain_command_is_started_without_a_shell() -> None:
    invocation = rendered("python train.py --epochs ${{inputs.epochs}}", epochs=3)
    assert invocation == Invocation(("python", "train.py", "--epochs=3"), shell=False)


def test_spaces_in_references_and_folded_lines_are_fine() -> None:
    assert argv("python  t.py\n", x=1) == ("python", "t.py")
    assert argv("python t.py --x ${{ inputs.x }}", x=1) == ("python", "t.py", "--x=1")


def test_a_value_that_looks_like_an_option_is_joined_to_its_long_option() -> None:
    assert argv("python t.py --lr ${{inputs.lr}}", lr=-1e-05) == ("python", "t.py", "--lr=-1e-05")
    assert argv("python t.py --lr=${{inputs.lr}}", lr=-1e-05) == ("python", "t.py", "--lr=-1e-05")


def test_paths_short_options_and_other_programs_keep_their_words() -> None:
    assert argv("python t.py --data ${{inputs.data}}", data=Path("/a b")) == (
        "python",
        "t.py",
        "--data",
        "/a b",
    )
    assert argv("python t.py -n ${{inputs.n}}", n=5) == ("python", "t.py", "-n", "5")
    assert argv("Rscript t.R --n ${{inputs.n}}", n=5) == ("Rscript", "t.R", "--n", "5")


def test_a_launcher_before_the_script_counts_as_python() -> None:
    assert argv("mpirun -n 2 python t.py --n ${{inputs.n}}", n=5)[-1] == "--n=5"


def test_references_inside_of_words_are_put_there() -> None:
    assert argv("cat ${{inputs.d}}/x.txt", d=Path("/a b")) == ("cat", "/a b/x.txt")
    assert argv("tool --out=${{outputs.out}}/m", out=Path("/o"))[1] == "--out=/o/m"


def test_an_optional_group_is_left_out_when_its_input_is_not_given_or_empty() -> None:
    text = "python t.py $[[--tag ${{inputs.tag}}]] $[[--n ${{inputs.n}}]]"
    assert argv(text, tag="x", n=2) == ("python", "t.py", "--tag=x", "--n=2")
    assert argv(text, n=2) == ("python", "t.py", "--n=2")
    assert argv(text, tag="") == ("python", "t.py")


def test_a_group_may_be_a_part_of_a_word() -> None:
    text = "python t.py --name=run$[[_${{inputs.x}}]]/a"
    assert argv(text, x="1")[2] == "--name=run_1/a"
    assert argv(text)[2] == "--name=run/a"


def test_an_input_outside_of_a_group_must_have_a_value() -> None:
    with pytest.raises(TemplateError, match=r"'inputs.tag' has no value here"):
        argv("python t.py --tag ${{inputs.tag}}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("python t.py ${{inputs.x", "not closed by '}}'"),
        ("python t.py $[[--x ${{inputs.x}}", "not closed by ']]'"),
        ("python t.py $[[--x $[[ ]] ]]", "cannot stand inside another"),
        ("python t.py ${inputs.x}", "needs two braces"),
        ("python t.py ${{search_space.x}}", "belongs into a sweep"),
        ("python t.py ${{parent.inputs.x}}", "belongs into a pipeline"),
        ("python t.py ${{x}}", "neither"),
        ("", "empty"),
        ("python t.py $[[--x ${{inputs.x}}]]$[[--y ${{inputs.x}}]]", "touches what stands before"),
        ("python t.py $[[--x ${{inputs.x}}]]--y", "touches what follows"),
        ("python t.py --y$[[--x ${{inputs.x}}]]", "touches what stands before"),
        ("python 't.py", "quotation mark"),
        ("python t.py \\", "backslash"),
    ],
)
def test_a_malformed_template_is_refused(text: str, message: str) -> None:
    with pytest.raises(TemplateError, match=message.replace("[", r"\[").replace("}", r"\}")):
        argv(text, x="1")


@pytest.mark.parametrize("value", HOSTILE)
def test_text_arrives_unchanged_without_a_shell(value: str, tmp_path: Path) -> None:
    text = "python show.py --x ${{inputs.x}} \"${{inputs.x}}\" '${{inputs.x}}' a${{inputs.x}}b"
    assert received(text, tmp_path, x=value) == [f"--x={value}", value, value, f"a{value}b"]


@pytest.mark.parametrize("value", HOSTILE)
def test_text_arrives_unchanged_through_a_shell(value: str, tmp_path: Path) -> None:
    text = (
        'true && X=${{inputs.x}} python show.py --x ${{inputs.x}} --y "${{inputs.x}}"'
        " --z '${{inputs.x}}' \"a ${{inputs.x}} b\" 'c ${{inputs.x}} d' | cat"
    )
    assert received(text, tmp_path, x=value) == [
        f"--x={value}",
        f"--y={value}",
        f"--z={value}",
        f"a {value} b",
        f"c {value} d",
    ]


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=30))
def test_any_text_is_one_argument_of_the_shell(value: str) -> None:
    command = rendered("printf '%s' ${{inputs.x}} && true", x=value)
    assert command.shell
    found = subprocess.run(command.argv, capture_output=True, check=True)
    assert found.stdout == value.encode()


_TEMPLATE_TEXT = st.text("ab ' \"\\$(){}[]|&;<>`#\n=-~*", max_size=25)


@settings(max_examples=300, deadline=None)
@given(_TEMPLATE_TEXT, _TEMPLATE_TEXT)
def test_rendering_any_template_fails_only_with_a_template_error(left: str, right: str) -> None:
    template = parse_template(f"{left}${{{{inputs.x}}}}{right}")
    try:
        invocation = render(template, {("inputs", "x"): Value("VALUE", literal=True)})
    except TemplateError:
        return
    # The value is data: of a shell command it is never part of the code.
    assert not invocation.shell or "VALUE" not in invocation.argv[2]


@settings(max_examples=200, deadline=None)
@given(st.text("ab'\"\\ -_./:=,@%+", min_size=1, max_size=25))
def test_words_are_those_of_a_posix_shell(text: str) -> None:
    import shlex

    try:
        expected = shlex.split(text)
    except ValueError:
        expected = None
    try:
        invocation = rendered(text)
    except TemplateError:
        assert expected is None or not text.strip()
        return
    if not invocation.shell:
        assert list(invocation.argv) == expected


@pytest.mark.parametrize(
    "text",
    [
        "bash -c 'echo ${{inputs.x}}'",
        'bash -o pipefail -lc "echo ${{inputs.x}}"',
        "timeout 5 sh -c ${{inputs.x}}",
        "python -c 'print(\"${{inputs.x}}\")'",
        "python -u -c ${{inputs.x}}",
        "eval echo ${{inputs.x}}",
        "eval $(date) ${{inputs.x}}",
        "if true; then eval ${{inputs.x}}; fi",
        "echo $(( ${{inputs.x}} ))",
        "(( ${{inputs.x}} )) && true",
        "[[ ${{inputs.x}} -eq 1 ]]",
        "echo `echo ${{inputs.x}}`",
        "cat <<END\n${{inputs.x}}\nEND",
        "declare -i n=${{inputs.x}}; echo $n",
        "test -v ${{inputs.x}} && true",
        "echo ${HOME:-${{inputs.x}}}",
        "awk '{print \"${{inputs.x}}\"}' f",
    ],
)
def test_text_is_refused_where_a_program_reads_it_as_code(text: str) -> None:
    with pytest.raises(TemplateError, match=r"reads it as code|evaluates it"):
        rendered(text, x="a[$(touch x)]")


def test_numbers_and_booleans_may_stand_in_code() -> None:
    command = rendered("echo $(( ${{inputs.n}} * 2 )) ${{inputs.flag}}", n=21, flag=True)
    assert subprocess.run(command.argv, capture_output=True, check=True).stdout == b"42 True\n"


def test_a_script_may_have_an_option_c_of_its_own() -> None:
    assert argv("python t.py -c ${{inputs.x}}", x="conf.yml")[-1] == "conf.yml"


@pytest.mark.parametrize(
    "text",
    [
        "ls | wc",
        "a && b",
        "a; b",
        "a > f",
        "a\nb",
        "cd x",
        "X=1 python t.py",
        "echo $HOME",
        "ls *.csv",
        "a & b",
        "export X=1",
        "echo ~",
        "echo hi # comment",
    ],
)
def test_what_asks_for_a_shell_gets_bash(text: str) -> None:
    assert rendered(text).argv[:2] == ("bash", "-c")


@pytest.mark.parametrize(
    "text", ["echo 'a | b' \"c; d\"", "python t.py --x=a#b a~b", "echo \\$HOME"]
)
def test_what_is_quoted_asks_for_no_shell(text: str) -> None:
    assert not rendered(text).shell


def test_quotes_across_lines_and_continuations_are_kept(tmp_path: Path) -> None:
    text = "python show.py \\\n  --a 'x\ny' \\\n  --b ${{inputs.b}}\n"
    assert received(text, tmp_path, b="1") == ["--a", "x\ny", "--b=1"]
