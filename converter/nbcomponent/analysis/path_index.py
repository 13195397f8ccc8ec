"""Many paths by the folders they lie in, so that no path has to be compared with each of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

_LONGEST = 4096
"""Characters. No system has longer paths, and all folders above one would take its length squared."""


class PathIndex:
    """Finds, among paths in normal form, those that a path may have to do with.

    Answers are the paths' numbers, in order. They may be too many, never too few: the caller compares.
    """

    def __init__(self, paths: Sequence[str]) -> None:
        self._count = len(paths)
        self._at: dict[str, list[int]] = {}
        for number, path in enumerate(paths):
            self._at.setdefault(path.rstrip("/"), []).append(number)
        self._patterns = [number for number, path in enumerate(paths) if "*" in path]
        self._sorted = sorted(self._at)

    def near(self, path: str) -> Sequence[int]:
        """The path itself, what lies below it, the folders it lies in, and patterns."""
        if not self._count:
            return ()
        if "*" in path or path in (".", "") or len(path) > _LONGEST:
            return range(self._count)
        return sorted({*self._patterns, *self._above(path), *self._below(path)})

    def has_at_or_above(self, path: str) -> bool:
        """Whether one of the paths is this one, or a folder it lies in."""
        return any(True for _ in self._above(path))

    def has_below(self, path: str) -> bool:
        """Whether one of the paths lies below this one."""
        return any(True for _ in self._below(path))

    def _above(self, path: str) -> Iterator[int]:
        path = path.rstrip("/")
        yield from self._at.get(path, ())
        end = path.rfind("/", 0, _LONGEST)
        while end >= 0:
            yield from self._at.get(path[:end], ())
            end = path.rfind("/", 0, end)

    def _below(self, path: str) -> Iterator[int]:
        start = path.rstrip("/") + "/"
        for at in range(bisect_left(self._sorted, start), len(self._sorted)):
            if not self._sorted[at].startswith(start):
                return
            yield from self._at[self._sorted[at]]
