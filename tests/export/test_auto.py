"""``--boundary auto``: what comes over from other components, and how, in pipelines that are run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Exported = Callable[..., Any]
P1, P2, P3 = "component:p1", "component:p2", "component:p3"


def cells_output(*sources: str) -> str:
    """What the cells print one after the other in one process."""
    import contextlib
    import io

    stream = io.StringIO()
    names: dict[str, object] = {"__name__": "notebook"}
    with contextlib.redirect_stdout(stream):
        for source in sources:
            exec(source, names)  # The notebook, run here to compare with.
    return stream.getvalue()


def errors(export: Any) -> list[str]:
    return [d.code for d in export.diagnostics if d.severity == "error"]


def test_a_seeding_is_repeated_where_nothing_draws_in_between(exported: Exported) -> None:
    cells = ("import random\nrandom.seed(7)\nprint('ready')", "print(random.random())")
    shop = exported((cells[0], P1), (cells[1], P2), boundary="auto")
    assert shop.pipeline() == cells_output(*cells)
    assert "random.seed(7)" in shop.text("p2")
    assert "random_state" not in shop.text("p2")


@pytest.mark.parametrize("module", ["random", "numpy.random"])
def test_the_random_state_comes_over_where_something_draws_in_between(
    exported: Exported, module: str
) -> None:
    cells = (
        f"import {module} as rnd\nrnd.seed(7)\nprint(rnd.random())",
        "def draw():\n    return rnd.random()\nprint(draw())",
        "print(draw(), rnd.random())",
    )
    shop = exported((cells[0], P1), (cells[1], P2), (cells[2], P3), boundary="auto")
    assert shop.pipeline() == cells_output(*cells)


def test_a_draw_inside_a_module_that_the_text_does_not_show_counts_too(
    exported: Exported, workshop: Any
) -> None:
    workshop.folder.mkdir()
    (workshop.folder / "dice.py").write_text(
        "import random\n\ndef roll():\n    return random.randint(1, 10**9)\n"
    )
    cells = (
        "import random\nrandom.seed(3)",
        "import dice\nx = dice.roll()",
        "print(x, dice.roll())",
    )
    shop = exported(*zip(cells, (P1, P2, P3), strict=True), boundary="auto")
    expected = (
        "import random\nrandom.seed(3)\nprint(random.randint(1, 10**9), random.randint(1, 10**9))"
    )
    assert shop.pipeline() == cells_output(expected)


def test_a_seeding_below_the_component_does_not_matter(workshop: Any) -> None:
    export = workshop.build(
        [("import random\nx = random.random()", P1), ("import random\nrandom.seed(1)", P2)],
        boundary="auto",
    )
    assert errors(export) == []


def test_a_random_state_that_goes_back_and_forth_stays_an_error(workshop: Any) -> None:
    cells = [
        ("import random\nrandom.seed(1)\nprint(random.random())", P1),
        ("print(random.random())", P2),
        ("print(random.random())", P1),
    ]
    export = workshop.build(cells, boundary="auto")
    assert "NBC108" in errors(export)
