"""contract.yml: what is written is read back, and a broken file is one clear error."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nbcomponent.contract.cells import read_contract_text
from nbcomponent.contract.document import (
    contract_yaml,
    load_contract,
    parse_contract,
    without_places,
)
from nbcomponent.contract.model import Column, Environment, Interface, Metric, Parameter, Port
from nbcomponent.core.errors import UnusableInput
from nbcomponent.schema.yaml_places import dump

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=10)
MAYBE = st.none() | TEXT
NAMES = st.from_regex(r"[a-z]{1,4}[a-z0-9_]{0,4}q", fullmatch=True)
PATHS = st.lists(
    st.from_regex(r"[a-z0-9_*]{1,5}(\.csv)?", fullmatch=True), min_size=1, max_size=3
).map("/".join)
FINITE = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def parameters(draw: st.DrawFn) -> Parameter:
    kind = draw(st.sampled_from(["integer", "number", "string", "boolean"]))
    values: st.SearchStrategy[Any] = {
        "integer": st.integers(),
        "number": FINITE | st.integers(),
        "string": TEXT,
        "boolean": st.booleans(),
    }[kind]
    shape = draw(st.sampled_from(["default", "optional", "both", "required"]))
    numeric = kind in ("integer", "number")
    return Parameter(
        draw(NAMES),
        kind,  # type: ignore[arg-type]
        default=draw(values) if shape in ("default", "both") else None,
        required=shape == "required",
        optional=shape in ("optional", "both"),
        min=draw(st.none() | st.integers()) if numeric else None,
        max=draw(st.none() | FINITE) if numeric else None,
        choices=draw(st.none() | st.lists(values, min_size=1, max_size=3).map(tuple))
        if kind != "boolean"
        else None,
        description=draw(MAYBE),
        unit=draw(MAYBE),
    )


COLUMNS = st.builds(
    Column,
    name=TEXT,
    dtype=st.sampled_from([None, "object"]),
    allowed=st.none() | st.lists(TEXT | st.booleans(), min_size=1, max_size=3).map(tuple),
    nullable=st.booleans(),
    unique=st.booleans(),
    min=st.none() | st.integers(max_value=0),
    max=st.none() | st.integers(min_value=0),
    unit=MAYBE,
    meaning=MAYBE,
    required=st.booleans(),
)


def ports(output: bool) -> st.SearchStrategy[Port]:
    return st.builds(
        Port,
        name=NAMES,
        variable=NAMES | st.just("größe"),
        type=st.sampled_from(["uri_file", "uri_folder", "mltable", "mlflow_model"]),
        binds_path=st.booleans(),
        format=st.sampled_from([None, "parquet", "csv", "json", "pickle"]),
        source=st.none() | st.just("prepare.data"),
        optional=st.booleans(),
        default=MAYBE,
        description=MAYBE,
        files=st.lists(PATHS, max_size=2).map(tuple),
        columns=st.lists(COLUMNS, max_size=2, unique_by=lambda c: c.name).map(tuple),
        json_schema=st.none() | st.just({"type": "object", "required": ["a"]}),
        mode=st.sampled_from([None, "direct", "upload" if output else "download"]),
    )


INTERFACES = st.builds(
    Interface,
    component=NAMES,
    version=st.none() | st.just("1.10"),
    display_name=MAYBE,
    description=MAYBE,
    parameters=st.lists(parameters(), max_size=3, unique_by=lambda p: p.name).map(tuple),
    inputs=st.lists(ports(False), max_size=2, unique_by=lambda p: p.name).map(tuple),
    outputs=st.lists(ports(True), max_size=2, unique_by=lambda p: p.name).map(tuple),
    metrics=st.lists(
        st.builds(
            Metric,
            name=st.from_regex(r"[a-z/@ ]{0,5}m", fullmatch=True),
            scope=st.sampled_from(["global", "worker"]),
            goal=st.sampled_from([None, "maximize", "minimize"]),
            description=MAYBE,
        ),
        max_size=2,
        unique_by=lambda m: m.name,
    ).map(tuple),
    invalid_when=st.lists(TEXT, max_size=2).map(tuple),
    deterministic=st.none() | st.booleans(),
    environment=st.builds(Environment, image=MAYBE, conda=st.none() | PATHS),
    environment_variables=st.dictionaries(
        st.from_regex(r"[A-Z_][A-Z0-9_]*", fullmatch=True), TEXT, max_size=2
    ),
    include=st.lists(PATHS, max_size=2).map(tuple),
    compute=st.sampled_from([{}, {"target": "cpu", "min_nodes": 0}]),
    distribution=st.sampled_from([{}, {"type": "pytorch", "nodes": 2, "processes_per_node": 2}]),
    checkpoint=st.sampled_from([{}, {"output": "model", "every": "30m"}]),
    smoke=st.sampled_from([{}, {"inputs": {"a": "smoke/a"}, "parameters": {"n": 1}}]),
    renamed=st.sampled_from([{}, {"größe": "groesse"}]),
)


@settings(max_examples=120, deadline=None)
@given(INTERFACES)
def test_an_interface_is_read_back_from_its_contract(interface: Interface) -> None:
    data = contract_yaml(interface)
    assert load_contract(data) == without_places(interface)
    assert parse_contract(dump(data).encode(), "contract.yml") == without_places(interface)


def test_the_file_says_what_matters_in_the_order_of_reading() -> None:
    interface = Interface(
        "train",
        parameters=(
            Parameter("n", "integer", 5, min=1, unit="mm", description="width", cell=1, line=2),
        ),
        outputs=(Port("model", "model", "uri_file", binds_path=False, format="joblib"),),
        deterministic=False,
    )
    assert dump(contract_yaml(interface)) == (
        "schema: nbcomponent.component-contract/1\n"
        "component: train\n"
        "parameters:\n"
        '  "n":\n'
        "    type: integer\n"
        "    default: 5\n"
        "    min: 1\n"
        "    unit: mm\n"
        "    meaning: width\n"
        "outputs:\n"
        "  model:\n"
        "    type: uri_file\n"
        "    binds: value\n"
        "    format: joblib\n"
        "deterministic: false\n"
    )


def test_a_contract_cell_is_a_contract_file_too() -> None:
    text = "component: train\ninputs: {a: {type: uri_file}}\n"
    assert load_contract(
        {"component": "train", "inputs": {"a": {"type": "uri_file"}}}
    ) == without_places(read_contract_text(text).interface)


@pytest.mark.parametrize(
    ("content", "code", "line"),
    [
        (b"component: [", "NBC210", 1),
        (b"component: a\nx: \xff\n", "NBC210", 2),
        (b"component: a\nbogus: 1\n", "NBC212", 2),
        (b"schema: other/1\ncomponent: a\n", "NBC214", 1),
        (b"version: '1'\n", "NBC219", 1),
        (b"- a\n", "NBC213", 1),
    ],
)
def test_a_broken_file_is_one_error_with_its_place(content: bytes, code: str, line: int) -> None:
    with pytest.raises(UnusableInput) as caught:
        parse_contract(content, "x/contract.yml")
    assert caught.value.path == "x/contract.yml"
    assert (caught.value.diagnostic.code, caught.value.diagnostic.place.line) == (code, line)
