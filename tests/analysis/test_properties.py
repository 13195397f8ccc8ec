"""What must hold for every notebook, on generated ones; where it can be run, running it is the authority."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from nbcomponent.analysis.model import ComponentAnalysis

from .small import analysis_of, component_of

Cells = list[tuple[str, str]]

names = st.sampled_from(["a", "b", "c", "d"])
functions = st.sampled_from(["f", "g"])
statements = st.one_of(
    st.builds("{} = [1, 2]".format, names),
    st.builds("{} = {}[:2] + [3]".format, names, names),
    st.builds("{} = [x for x in {}]".format, names, names),
    st.builds("{}.append(4)".format, names),
    st.builds("{} += {}[:1]".format, names, names),
    st.builds("{}, {} = {}, {}".format, names, names, names, names),
    st.builds("len({})".format, names),
    st.builds("for x in [1, 2]:\n    {}.append(x)".format, names),
    st.builds("def {}():\n    return {}\n{name}()".replace("{name}", "f").format, st.just("f"), names),
    st.builds("def g(p={}):\n    y = p[:1]\n    return y\ng()".format, names),
    st.builds("class K:\n    size = len({})\nK()".format, names),
    st.builds("{}()".format, functions),
)  # fmt: skip
sources = st.lists(statements, min_size=1, max_size=3).map("\n".join)


def notebooks(*headers: str) -> st.SearchStrategy[Cells]:
    cell = st.tuples(st.sampled_from(headers), sources)
    return st.lists(cell, min_size=1, max_size=5).map(
        lambda cells: [*cells, ("== main", "len([])")]
    )


def text_of(cells: Cells) -> str:
    return "\n".join(f"{header}\n{source}" for header, source in cells)


def name_error_alone(cells: Cells) -> bool:
    """Whether the component's cells, run by themselves, miss a name."""
    scope: dict[str, object] = {"__name__": "alone"}
    try:
        for header, source in cells:
            if header == "== main":
                exec(source, scope)
    except NameError:
        return True
    return False


@settings(max_examples=400, deadline=None, derandomize=True)
@given(notebooks("== main", "== main", "==", "== other"))
def test_a_component_misses_a_name_alone_exactly_where_a_dependency_is_named(cells: Cells) -> None:
    component = component_of(text_of(cells))
    missing = [d for d in component.dependencies if d.diagnostic not in ("NBC104", "NBC105")]
    if missing:
        assert name_error_alone(cells)
    if not component.dependencies:
        assert not name_error_alone(cells)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(notebooks("== main"))
def test_a_component_of_all_cells_needs_no_other_cell(cells: Cells) -> None:
    """But for names that stand in a later cell only."""
    codes = {d.diagnostic for d in component_of(text_of(cells)).dependencies}
    assert codes <= {"NBC102", "NBC103", "NBC105"}


def moved(component: ComponentAnalysis, new: int) -> ComponentAnalysis:
    """As if a cell stood before cell ``new`` in addition."""

    def cell(number: int) -> int:
        return number + (number >= new)

    def found(cells: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(cell(c) for c in cells)

    return replace(
        component,
        cells=found(component.cells),
        dependencies=tuple(
            replace(d, defined_in=found(d.defined_in), cell=cell(d.cell))
            for d in component.dependencies
        ),
        carried=tuple(replace(c, cell=cell(c.cell)) for c in component.carried),
        diagnostics=tuple(
            replace(
                d,
                message="",
                fix=None,
                defined_in=found(d.defined_in),
                place=replace(d.place, cell=cell(d.place.cell or 0)),
            )
            for d in component.diagnostics
        ),
    )


@settings(max_examples=200, deadline=None, derandomize=True)
@given(notebooks("== main", "== other", "==", "== +shared"), st.integers(0, 6))
def test_an_unrelated_cell_changes_only_the_numbers(cells: Cells, at: int) -> None:
    at = min(at, len(cells))
    more = [*cells[:at], ("==", "fresh = [7]\nlen(fresh)"), *cells[at:]]
    before = analysis_of(text_of(cells)).components
    after = analysis_of(text_of(more)).components
    assert [moved(c, at) for c in before] == [moved(c, len(more)) for c in after]


@settings(max_examples=150, deadline=None, derandomize=True)
@given(notebooks("== main", "== other", "==", "== +shared"))
def test_a_function_may_have_any_name(cells: Cells) -> None:
    def renamed(text: str) -> str:
        return text.replace("f(", "q(")

    before = analysis_of(text_of(cells)).components
    after = analysis_of(renamed(text_of(cells))).components
    for one, other in zip(before, after, strict=True):
        said = [
            (d.code, "q" if d.name == "f" else d.name, d.place, d.defined_in)
            for d in one.diagnostics
        ]
        assert sorted(said, key=str) == sorted(
            ((d.code, d.name, d.place, d.defined_in) for d in other.diagnostics), key=str
        )
