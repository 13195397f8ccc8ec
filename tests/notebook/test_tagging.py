"""Roles of cells: tags, `#|` comments, Kale's tags, and what is said of wrong ones."""

from __future__ import annotations

import json

import pytest

from nbcomponent.notebook.model import Cell, Notebook, Roles, TaggedNotebook
from nbcomponent.notebook.reader import parse_notebook
from nbcomponent.notebook.tagging import is_component_name, tag


def _tagged(*cells: Cell | tuple[str, list[str]], language: str = "python") -> TaggedNotebook:
    made = [
        cell if isinstance(cell, Cell) else Cell(index, "code", cell[0], tuple(cell[1]))
        for index, cell in enumerate(cells)
    ]
    return tag(Notebook("a.ipynb", tuple(made), language=language))


def _codes(tagged: TaggedNotebook) -> list[str]:
    return [found.code for found in tagged.diagnostics]


# --- tags ----------------------------------------------------------------------------------------


def test_component_tags_in_the_order_of_their_first_cell() -> None:
    tagged = _tagged(
        ("a", ["component:train"]),
        ("b", []),
        ("c", ["component:evaluate", "component:train"]),
    )
    assert tagged.component_cells == {"train": (0, 2), "evaluate": (2,)}
    assert tagged.roles[2].components == ("evaluate", "train")
    assert tagged.roles[1] == Roles()


def test_code_of_every_code_cell_is_parsed() -> None:
    tagged = _tagged(("x = 1", ["skip"]), Cell(1, "markdown", "# T"), ("%time y", []))
    assert list(tagged.code) == [0, 2]
    assert tagged.code[2].magics[0].name == "time"


def test_parameters_cell_is_not_among_the_components_cells() -> None:
    tagged = _tagged(("e = 1", ["parameters", "component:train"]), ("f = 2", ["parameters"]))
    assert tagged.component_cells == {}
    assert tagged.roles[0] == Roles(components=("train",), parameters=True)
    assert tagged.roles[1] == Roles(parameters=True)


def test_skip_wins() -> None:
    assert _tagged(("x", ["component:a", "skip", "shared"])).roles[0] == Roles(skip=True)


def test_injected_parameters_are_skipped() -> None:
    assert _tagged(("x", ["injected-parameters", "parameters"])).roles[0] == Roles(skip=True)


def test_contract_cells() -> None:
    tagged = _tagged(
        Cell(0, "raw", "a: 1", ("contract",)), Cell(1, "markdown", "b: 1", ("contract:train",))
    )
    assert [role.contract_for for role in tagged.roles] == ["", "train"]
    assert tagged.diagnostics == ()


def test_foreign_tags_mean_nothing() -> None:
    tagged = _tagged(("x", ["hide-input", "remove", "step", ":", ""]))
    assert (tagged.roles[0], tagged.diagnostics) == (Roles(), ())


def test_script_cell_names_its_file() -> None:
    tagged = _tagged(("%%writefile src/train.py\nimport x\n", ["component:train"]))
    assert tagged.roles[0] == Roles(components=("train",), writes_script="src/train.py")
    assert tagged.component_cells == {"train": (0,)}


# --- wrong tags ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["../x", "Train", "1a", "", "a-b", " a", "a b", "é", "a" * 201, "a\n", "_a", "a/b", "\ud800"],
)
def test_nbc201_name_that_is_not_allowed(name: str) -> None:
    tagged = _tagged(("x", [f"component:{name}"]))
    assert _codes(tagged) == ["NBC201"]
    assert (tagged.roles[0], tagged.component_cells) == (Roles(), {})
    place = tagged.diagnostics[0].place
    assert (place.cell, place.line) == (0, 1)


def test_nbc201_suggests_a_name() -> None:
    fix = _tagged(("x", ["component:Train Model-2"])).diagnostics[0].fix
    assert fix is not None
    assert fix.title == "name it `train_model_2`"


@pytest.mark.parametrize("name", ["a", "train", "train_2", "a" * 200])
def test_names_that_are_allowed(name: str) -> None:
    assert is_component_name(name)


def test_nbc203_shared_and_component() -> None:
    tagged = _tagged(("x", ["shared", "component:a"]))
    assert _codes(tagged) == ["NBC203"]
    assert tagged.roles[0] == Roles(components=("a",))


@pytest.mark.parametrize("tag_", ["component:a", "parameters", "shared"])
def test_nbc204_tag_on_a_markdown_cell(tag_: str) -> None:
    tagged = _tagged(Cell(0, "markdown", "x", (tag_,)))
    assert (_codes(tagged), tagged.roles[0]) == (["NBC204"], Roles())


def test_nbc204_contract_on_a_code_cell() -> None:
    tagged = _tagged(("a: int", ["contract"]))
    assert (_codes(tagged), tagged.roles[0]) == (["NBC204"], Roles())


@pytest.mark.parametrize(
    "line",
    [
        "%%writefile {folder}/train.py",
        "%%writefile {name}",
        "%%writefile -a train.py",
        "%%writefile",
    ],
)
def test_nbc205_script_that_cannot_be_a_source(line: str) -> None:
    assert _codes(_tagged((f"{line}\nx = 1\n", ["component:a"]))) == ["NBC205"]


@pytest.mark.parametrize("line", ["%%writefile notes.txt", "%%file README", "%%file -a train.sh"])
def test_a_cell_that_writes_another_file_is_an_ordinary_cell(line: str) -> None:
    tagged = _tagged((f"{line}\ntext\n", ["component:a"]), ("y", ["component:a"]))
    assert _codes(tagged) == []
    assert tagged.roles[0].writes_script is None


def test_nbc205_script_beside_other_cells() -> None:
    tagged = _tagged(("%%writefile a.py\nx = 1\n", ["component:a"]), ("y", ["component:a"]))
    assert _codes(tagged) == ["NBC205"]


def test_untagged_script_cell_is_nothing_special() -> None:
    tagged = _tagged(("%%writefile {folder}/train.sh\nx = 1\n", []))
    assert (tagged.roles[0], tagged.diagnostics) == (Roles(), ())


def test_nbc206_several_contracts_on_a_cell() -> None:
    tagged = _tagged(Cell(0, "raw", "x", ("contract:a", "contract:b")))
    assert (_codes(tagged), tagged.roles[0].contract_for) == (["NBC206"], "a")


def test_nbc209_tags_of_another_type_reach_the_diagnostics() -> None:
    data = {
        "cells": [{"cell_type": "code", "source": "x", "metadata": {"tags": [1, "component:a"]}}]
    }
    tagged = tag(parse_notebook(json.dumps(data).encode(), "a.ipynb"))
    assert _codes(tagged) == ["NBC209"]
    assert tagged.component_cells == {"a": (0,)}


def test_hundred_thousand_tags() -> None:
    tags = [f"t{i}" for i in range(50_000)] + [f"component:c{i}" for i in range(50_000)]
    tagged = _tagged(("x", tags), ("y", ["component:c7"]))
    assert len(tagged.component_cells) == 50_000
    assert tagged.component_cells["c7"] == (0, 1)


# --- comment directives --------------------------------------------------------------------------


def test_directives_at_the_top_of_a_cell() -> None:
    tagged = _tagged(
        ("# A comment\n\n#| component: train\n#|component:evaluate\nx = 1", []),
        ("#| parameters\ne = 1", []),
        ("#| shared\ndef f(): pass", []),
        ("#| skip\nx", []),
    )
    assert tagged.roles == (
        Roles(components=("train", "evaluate")),
        Roles(parameters=True),
        Roles(shared=True),
        Roles(skip=True),
    )


def test_directive_below_code_is_a_comment() -> None:
    assert _tagged(("x = 1\n#| component: train", [])).roles[0] == Roles()


def test_directive_below_a_cell_magic_that_runs_python() -> None:
    assert _tagged(("%%time\n#| component: train\nx", [])).component_cells == {"train": (0,)}


def test_directive_inside_a_file_to_write_is_text_and_a_warning() -> None:
    tagged = _tagged(("%%writefile a.py\n# A script.\n#| component: train\nx", []))
    assert tagged.roles[0] == Roles()
    [warning] = tagged.diagnostics
    assert (warning.code, warning.severity, warning.place.line) == ("NBC208", "warning", 3)
    assert warning.fix is not None
    assert warning.fix.title == "tag the cell `component:train`"


@pytest.mark.parametrize(
    ("source", "tags"),
    [
        ("%%writefile a.py\n#| component: train\nx", ["component:train"]),
        ("%%writefile a.py\nx = 1\n#| component: train", []),
        ("%%writefile a.md\n#| label: fig", []),
        ("%%bash\n#| component: train\nls", []),
    ],
)
def test_what_is_no_slip_in_a_file_to_write(source: str, tags: list[str]) -> None:
    assert _tagged((source, tags)).diagnostics == ()


def test_foreign_directives_mean_nothing() -> None:
    tagged = _tagged(("#| echo: false\n#| label: fig-1\n#|\n#| export\nx", []))
    assert (tagged.roles[0], tagged.diagnostics) == (Roles(), ())


def test_tag_and_directive_that_agree() -> None:
    tagged = _tagged(("#| component: b\n#| component: a\nx", ["component:a", "component:b"]))
    assert (tagged.roles[0].components, tagged.diagnostics) == (("a", "b"), ())


def test_nbc202_tag_and_directive_that_disagree() -> None:
    tagged = _tagged(("#| component: evaluate\nx", ["component:train"]))
    assert (_codes(tagged), tagged.roles[0].components) == (["NBC202"], ("train",))


def test_nbc202_skip_counts_in_either() -> None:
    assert _tagged(("#| skip\nx", ["component:train"])).roles[0] == Roles(skip=True)


def test_nbc201_in_a_directive_has_its_line() -> None:
    (found,) = _tagged(("# c\n#| component: A\nx", [])).diagnostics
    assert (found.code, found.place.line) == ("NBC201", 2)


# --- unreadable code -----------------------------------------------------------------------------


def test_nbc903_costs_only_its_cell() -> None:
    tagged = _tagged(("x = = 1", ["component:a"]), ("y = 2", ["component:a"]))
    assert _codes(tagged) == ["NBC903"]
    assert tagged.code[1].tree is not None
    assert tagged.component_cells == {"a": (0, 1)}


def test_nbc904_cells_of_another_language_are_not_parsed() -> None:
    tagged = _tagged(("x <- 1", []), language="r")
    assert ([(d.code, d.severity) for d in tagged.diagnostics], tagged.code) == (
        [("NBC904", "note")],
        {},
    )


def test_nbc904_is_an_error_where_components_are_tagged() -> None:
    tagged = _tagged(("x <- 1", ["component:a"]), language="r")
    assert [(d.code, d.severity) for d in tagged.diagnostics] == [("NBC904", "error")]


# --- Kale ----------------------------------------------------------------------------------------


def test_kale_tags() -> None:
    tagged = _tagged(
        ("before = 1", []),
        ("import a", ["imports"]),
        ("import b", []),
        ("def f(): pass", ["functions"]),
        ("epochs = 1", ["pipeline-parameters"]),
        ("x", ["block:load_data"]),
        ("y", []),
        ("z", ["skip"]),
        ("u", []),
        ("v", ["step:train", "prev:load_data"]),
        Cell(10, "markdown", "text"),
        ("w", []),
    )
    assert tagged.component_cells == {"load_data": (5, 6, 8), "train": (9, 11)}
    assert [i for i, role in enumerate(tagged.roles) if role.shared] == [1, 2, 3]
    assert [i for i, role in enumerate(tagged.roles) if role.parameters] == [4]
    assert tagged.roles[0] == tagged.roles[10] == Roles()
    assert tagged.roles[7] == Roles(skip=True)
    assert tagged.diagnostics == ()


def test_kale_tags_mean_nothing_beside_our_own() -> None:
    tagged = _tagged(("x", ["step:load"]), ("y", ["component:a"]), ("z", ["imports"]))
    assert tagged.component_cells == {"a": (1,)}
    assert not tagged.roles[2].shared


def test_kale_tags_without_a_step_mean_nothing() -> None:
    assert _tagged(("import a", ["imports"])).roles[0] == Roles()


def test_nbc207_kale_metrics_belong_to_the_last_step() -> None:
    tagged = _tagged(
        ("x", ["step:train"]), ("import a", ["imports"]), ("print(x)", ["pipeline-metrics"])
    )
    assert tagged.component_cells == {"train": (0, 2)}
    assert [(d.code, d.severity) for d in tagged.diagnostics] == [("NBC207", "note")]


def test_nbc201_for_a_kale_step() -> None:
    assert _codes(_tagged(("x", ["step:Load-Data"]))) == ["NBC201"]


# --- slips ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("componet:train", "component:train"),
        ("Component:train", "component:train"),
        ("components:train", "component:train"),
        ("component", "component:NAME"),
        ("contarct:train", "contract:train"),
        ("Parameters", "parameters"),
        ("parameter", "parameters"),
        ("sharde", "shared"),
        ("Skip", "skip"),
    ],
)
def test_a_tag_that_is_nearly_one_of_ours_is_a_warning(written: str, meant: str) -> None:
    tagged = _tagged(("x = 1", [written]))
    (found,) = tagged.diagnostics
    assert (found.code, found.severity) == ("NBC208", "warning")
    assert found.message == f"The tag `{written}` means nothing here; did you mean `{meant}`?"
    assert tagged.roles[0] == Roles()


@pytest.mark.parametrize(
    "tag", ["parameterize", "skip-execution", "hide-input", "solution", "ship", "shape", "raises-exception",
            "step:train", "papermill-error-cell-tag", "remove-cell", "company:train", "context", "slide"],
)  # fmt: skip
def test_a_tag_of_another_tool_is_none(tag: str) -> None:
    assert "NBC208" not in _codes(_tagged(("x = 1", [tag])))


@pytest.mark.parametrize(
    ("comment", "meant"),
    [
        ("#| componnent: a", "#| component: a"),
        ("#| Shared", "#| shared"),
        ("#| parameter", "#| parameters"),
    ],
)
def test_a_comment_that_is_nearly_one_of_ours_is_a_warning(comment: str, meant: str) -> None:
    (found,) = _tagged((f"# a note\n{comment}\nx = 1", [])).diagnostics
    assert (found.code, found.place.line) == ("NBC208", 2)
    assert found.message == f"The comment `{comment}` means nothing here; did you mean `{meant}`?"


@pytest.mark.parametrize(
    "comment", ["#| echo: false", "#| label: fig-cap", "#| include: false", "#| code-fold: show"]
)
def test_a_comment_of_another_tool_is_none(comment: str) -> None:
    assert _codes(_tagged((f"{comment}\nx = 1", []))) == []
