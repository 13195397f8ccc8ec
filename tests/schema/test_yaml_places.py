"""YAML with places: what is read, what is refused, and that writing and reading agree."""

from __future__ import annotations

import math

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from nbcomponent.schema.yaml_places import (
    Limits,
    Span,
    YamlError,
    decode_yaml,
    dump,
    parse_yaml,
)

CONTRACT = """\
component: train
inputs:
  prepared: {type: uri_folder, from: prepare.prepared}
files:
  - a.csv
  - größe.csv
"""


def refused(text: str, **options: bool) -> YamlError:
    with pytest.raises(YamlError) as caught:
        parse_yaml(text, **options)
    return caught.value


def test_data_is_plain() -> None:
    assert parse_yaml(CONTRACT).data == {
        "component": "train",
        "inputs": {"prepared": {"type": "uri_folder", "from": "prepare.prepared"}},
        "files": ["a.csv", "größe.csv"],
    }


@pytest.mark.parametrize("pure", [False, True])
def test_every_key_and_value_has_its_place(pure: bool) -> None:
    document = parse_yaml(CONTRACT, pure=pure)
    assert document.keys[("inputs", "prepared", "from")] == Span(3, 32, 3, 36)
    assert document.values[("inputs", "prepared", "from")] == Span(3, 38, 3, 54)
    assert document.values[("files", 1)] == Span(6, 5, 6, 14)
    assert document.values[("inputs",)] == Span(3, 3, 3, 55)


def test_a_path_without_a_place_takes_the_nearest_around_it() -> None:
    document = parse_yaml("a: {b: 1}\n")
    assert document.span_of(("a", "c", "d")) == Span(1, 4, 1, 10)
    assert document.span_of_key(("a", "b")) == Span(1, 5, 1, 6)


def test_an_odd_line_separator_does_not_shift_lines() -> None:
    document = parse_yaml('a: "x\u2028y"\nb: 1\n')
    assert document.values[("b",)] == Span(2, 4, 2, 5)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("yes", "yes"),
        ("on", "on"),
        ("off", "off"),
        ("n", "n"),
        ("true", True),
        ("False", False),
        ("12:30", "12:30"),
        ("2024-01-31", "2024-01-31"),
        ("007", "007"),
        ("010", "010"),
        ("0o10", 8),
        ("0x1F", 31),
        ("1_000_000", 1_000_000),
        ("-3", -3),
        ("1e-3", 0.001),
        ("1.10", 1.1),
        ("1.2.0", "1.2.0"),
        (".5", 0.5),
        ("5.", 5.0),
        ("-.inf", -math.inf),
        ("~", None),
        ("", None),
        ("null", None),
        ("30m", "30m"),
        ("=", "="),
        ("'5'", "5"),
        ("!!str 1.10", "1.10"),
        ("!!float 3", 3.0),
    ],
)
def test_plain_scalars_mean_what_people_mean(written: str, meant: object) -> None:
    value = parse_yaml(f"key: {written}\n").data
    assert value == {"key": meant}
    assert isinstance(value, dict)
    assert type(value["key"]) is type(meant)


def test_not_a_number_is_read() -> None:
    value = parse_yaml("[.nan]").data
    assert isinstance(value, list)
    assert math.isnan(value[0])


def test_what_was_written_is_kept_for_scalars_that_are_no_text() -> None:
    document = parse_yaml('version: 1.10\nname: "1.10"\n')
    assert document.texts == {("version",): "1.10"}


def test_an_empty_text_is_no_data() -> None:
    assert parse_yaml("# nothing\n").data is None


def test_a_key_that_stands_twice_is_found_at_the_second() -> None:
    document = parse_yaml("a: 1\nb: 2\na: 3\n")
    (problem,) = document.problems
    assert (problem.kind, problem.path, problem.span) == ("duplicate-key", ("a",), Span(3, 1, 3, 2))
    assert "line 1" in problem.message


def test_equal_keys_of_different_mappings_are_no_duplicates() -> None:
    assert parse_yaml("a: {x: 1}\nb: {x: 1}\n").problems == ()


def test_a_key_that_is_no_text_is_found_and_read_as_written() -> None:
    document = parse_yaml("1: a\ntrue: b\n")
    assert document.data == {"1": "a", "true": "b"}
    assert [problem.kind for problem in document.problems] == ["key-not-text"] * 2


@pytest.mark.parametrize(
    ("text", "line", "column", "says"),
    [
        ("a: !!python/object/apply:os.system ['x']", 1, 4, "!!python/object/apply:os.system"),
        ("a: !x 1", 1, 4, "tag !x"),
        ("a: !x {b: 1}", 1, 4, "tag !x"),
        ("a: !!binary aGk=", 1, 4, "!!binary"),
        ("a: !!int x", 1, 4, "!!int"),
        ("a: 1\n---\nb: 2\n", 2, 1, "second YAML document"),
        ("a: 1\n\tb: 2\n", 2, 1, "tab"),
        ("a:\n\t- 1\n", 2, 1, "tab"),
        ("a: 1\n  b: 2\n", 2, 4, "colon"),
        ("a: x: y\n", 1, 5, "colon"),
        ("a: [1, 2\nb: 3\n", 2, 2, "']'"),
        ('a: "open\n', 2, 1, "never closed"),
        ("a: @x\n", 1, 4, "quotes"),
        ("a: b\x00c\n", 1, 5, "U+0000"),
        ("a: \ud800\n", 1, 4, "U+D800"),
        ("a: *missing\n", 1, 4, "no anchor"),
        ("a: &a [*a]\n", 1, 8, "inside what it repeats"),
        ("? [1, 2]\n: x\n", 1, 3, "key must be text"),
        ("? {a: 1}\n: x\n", 1, 3, "key must be text"),
        ("a: 1e999\n", 1, 4, "too large"),
        ("<<: 3\n", 1, 5, "merges mappings"),
        ("a: " + "[" * 100, 1, 67, "nested more than 64"),
        ("a: " + "9" * 5000, 1, 4, "5000 characters"),
    ],
)
@pytest.mark.parametrize("pure", [False, True])
def test_what_is_refused_is_refused_once_with_its_place(
    text: str, line: int, column: int, says: str, pure: bool
) -> None:
    error = refused(text, pure=pure)
    assert says in error.message
    assert (error.line, error.column) == (line, column)


@pytest.mark.parametrize("pure", [False, True])
def test_any_depth_is_refused_without_using_the_stack(pure: bool) -> None:
    assert "nested" in refused("a: " + "[" * 100_000, pure=pure).message
    assert "nested" in refused("- " * 20_000 + "x", pure=pure).message


def test_aliases_within_bounds_are_followed() -> None:
    document = parse_yaml("a: &x [1, 2]\nb: *x\nc: &k text\nd: {*k : 1}\n")
    assert document.data == {"a": [1, 2], "b": [1, 2], "c": "text", "d": {"text": 1}}
    assert document.span_of(("b", 1)) == Span(2, 4, 2, 6)


def test_a_merge_key_fills_what_the_mapping_does_not_say() -> None:
    document = parse_yaml(
        "base: &b {x: 1, y: 2}\nmine:\n  <<: *b\n  y: 3\nboth: {<<: [*b, {z: 4}]}\n"
    )
    assert document.data == {
        "base": {"x": 1, "y": 2},
        "mine": {"y": 3, "x": 1},
        "both": {"x": 1, "y": 2, "z": 4},
    }


@pytest.mark.parametrize("pure", [False, True])
def test_an_alias_bomb_is_refused_before_it_costs_anything(pure: bool) -> None:
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 20)
    )
    assert "aliases repeat" in refused(bomb, pure=pure).message


def test_too_long_a_text_is_refused() -> None:
    with pytest.raises(YamlError, match="at most 10 are read"):
        parse_yaml("a: 1\nb: 2\nc: 3", Limits(characters=10))


def test_bytes_are_utf8_with_or_without_a_mark() -> None:
    assert decode_yaml("\ufeffa: ü".encode()) == "a: ü"
    with pytest.raises(YamlError, match="not UTF-8") as caught:
        decode_yaml(b"a: 1\nb: \xff\n")
    assert (caught.value.line, caught.value.column) == (2, 4)


def line_of_refusal(text: str, pure: bool) -> int:
    """The line of the error, 0 where the text is read."""
    try:
        parse_yaml(text, pure=pure)
    except YamlError as error:
        return error.line
    return 0


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_read_or_refused_with_a_place_inside_it(text: str) -> None:
    assert 0 <= line_of_refusal(text, pure=False) <= text.count("\n") + 1


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="ab:- \n\t[]{},&*!|>'\"#?%@`<~1.", max_size=40))
def test_yaml_like_text_is_read_or_refused_by_both_scanners(text: str) -> None:
    for pure in (False, True):
        assert 0 <= line_of_refusal(text, pure) <= text.count("\n") + 1


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
    | st.text(alphabet="ab \n\t:#-'\"\\|>[]{}01.e_~", max_size=15)
    | st.sampled_from(
        ["yes", "No", "1.10", "12:30", "0o7", "1e3", "2024-01-31", "null", "<<", "- a"]
    )
)
KEYS = st.text(alphabet="abY01.:- #'\n", max_size=6) | st.text(
    st.characters(exclude_categories=("Cs",)), max_size=6
)
DATA = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None)
@given(DATA)
def test_what_is_written_is_read_back_by_us_and_by_yaml_1_1(data: object) -> None:
    text = dump(data)
    assert parse_yaml(text).data == data
    assert yaml.safe_load(text) == data


def test_dump_writes_block_style_that_people_read() -> None:
    data = {
        "$schema": "https://example.org/schema.json",
        "version": "1.10",
        "command": "python run.py --epochs ${{inputs.epochs}} $[[--width ${{inputs.width}}]]",
        "code": "./src",
        "on": True,
        "rate": 1e-05,
        "empty": {},
        "inputs": [{"name": "a", "values": [1, 2]}, []],
        "description": "two lines\nof text",
        "said": 'he said "no": so',
    }
    assert dump(data) == (
        "$schema: https://example.org/schema.json\n"
        'version: "1.10"\n'
        "command: python run.py --epochs ${{inputs.epochs}} $[[--width ${{inputs.width}}]]\n"
        "code: ./src\n"
        '"on": true\n'
        "rate: 1.0e-05\n"
        "empty: {}\n"
        "inputs:\n"
        "  - name: a\n"
        "    values:\n"
        "      - 1\n"
        "      - 2\n"
        "  - []\n"
        "description: |-\n"
        "  two lines\n"
        "  of text\n"
        "said: 'he said \"no\": so'\n"
    )


@pytest.mark.parametrize(
    "text", [".0", ".5e1", "", " a", "a ", "-", "? a", "0x1", "1_0", "~", "!x", "a: b", "a #b"]
)
def test_dump_quotes_what_would_be_read_as_something_else(text: str) -> None:
    assert dump(text)[0] in "'\""
    assert yaml.safe_load(dump(text)) == parse_yaml(dump(text)).data == text


def test_dump_refuses_what_is_no_plain_data() -> None:
    with pytest.raises(TypeError, match="object is not plain data"):
        dump({"a": object()})
    with pytest.raises(TypeError, match="key must be text"):
        dump({1: "a"})
    with pytest.raises(ValueError, match="lone surrogate"):
        dump("\ud800")
