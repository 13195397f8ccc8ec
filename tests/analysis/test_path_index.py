"""The index of paths: it misses nothing, and looks at few."""

from __future__ import annotations

import fnmatch
import random

import pytest

from nbcomponent.analysis.path_index import PathIndex

PARTS = ("a", "b", "ab", "a*", "..")


def some_paths(seed: int, count: int) -> list[str]:
    chance = random.Random(seed)
    paths = ["", "/", ".", "a" * 5_000, "a/" * 3_000 + "a"]
    for _ in range(count):
        parts = [chance.choice(PARTS) for _ in range(chance.randint(1, 4))]
        paths.append(chance.choice(("", "", "/")) + "/".join(parts))
    return paths


def meet(one: str, other: str) -> bool:
    """What an index may not miss."""
    return (
        one == other
        or one.startswith(other.rstrip("/") + "/")
        or other.startswith(one.rstrip("/") + "/")
        or ("*" in other and fnmatch.fnmatchcase(one, other))
        or ("*" in one and fnmatch.fnmatchcase(other, one))
    )


@pytest.mark.parametrize("seed", range(5))
def test_nothing_that_meets_a_path_is_missed(seed: int) -> None:
    paths = some_paths(seed, 60)
    index = PathIndex(paths)
    for path in some_paths(seed + 100, 60):
        near = list(index.near(path))
        assert near == sorted(set(near))
        assert {n for n, one in enumerate(paths) if meet(one, path)} <= set(near)


@pytest.mark.parametrize("seed", range(5))
def test_above_and_below_are_exact(seed: int) -> None:
    paths = [path for path in some_paths(seed, 12) if path.rstrip("/") and len(path) < 100]
    index = PathIndex(paths)
    for path in [
        path for path in some_paths(seed + 100, 60) if path.rstrip("/") and len(path) < 100
    ]:
        above = any(path == one or path.startswith(one + "/") for one in paths)
        assert index.has_at_or_above(path) == above
        assert index.has_below(path) == any(one.startswith(path + "/") for one in paths)


def test_few_are_looked_at() -> None:
    index = PathIndex([f"data/{n}/part-{n}.csv" for n in range(10_000)])
    assert list(index.near("data/77/part-77.csv")) == [77]
    assert list(index.near("data/77")) == [77]
    assert list(index.near("data/77/part-77.csv/inside")) == [77]
    assert len(index.near("data")) == 10_000
    assert index.near("other") == []
    assert PathIndex([]).near("*") == ()
