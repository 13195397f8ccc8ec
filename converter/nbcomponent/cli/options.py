"""Options that several commands share."""

from __future__ import annotations

from nbcomponent.core.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence


TIMEOUT_SECONDS = 60.0
"""What one file may take: the largest of public notebooks take a second."""


def add_batch_options(parser: argparse.ArgumentParser) -> None:
    """``--boundary``, ``--jobs``, ``--timeout``, ``--quiet`` and ``--verbose``."""
    parser.add_argument(
        "--boundary",
        choices=("strict", "auto"),
        help="strict: what is not declared or harmless to carry over is an error; auto: values that "
        "cross components become inputs and outputs (default: strict, or as pyproject.toml says)",
    )
    parser.add_argument(
        "--jobs",
        type=_jobs,
        metavar="N",
        help="worker processes (default: all cores, or as pyproject.toml says)",
    )
    parser.add_argument(
        "--timeout",
        type=_seconds,
        default=TIMEOUT_SECONDS,
        metavar="S",
        help="seconds that one file may take; 0: as long as it takes (default: %(default)g)",
    )
    parser.add_argument("--quiet", action="store_true", help="no notes, no summary, no progress")
    parser.add_argument(
        "--verbose",
        action="store_true",
        help="each note at its place (otherwise one line a component says what it gets from elsewhere)",
    )


def jobs_for(asked: int | None) -> int:
    """The number of worker processes: as asked, as the settings here say, or all cores."""
    from nbcomponent.cli.batch import usable_cores
    from nbcomponent.core.errors import UnusableInput
    from nbcomponent.core.settings import settings_for

    if asked is not None:
        return asked
    try:
        return settings_for(".").jobs or usable_cores()
    except UnusableInput:  # reported with the files that it governs
        return usable_cores()


def codes_option(values: Sequence[str] | None, option: str) -> tuple[str, ...] | None:
    """``--select NBC1,NBC201 --select NBC3`` as a tuple; None where the option was not given.

    Raises:
        UsageError: a code that is none.
    """
    if values is None:
        return None
    from nbcomponent.core.explain import as_code, code_problem

    codes = tuple(code.strip() for value in values for code in value.split(",") if code.strip())
    if not codes:
        raise UsageError(f"{option} needs a code, such as NBC104, or a prefix, such as NBC1")
    for code in codes:
        problem = code_problem(code)
        if problem:
            raise UsageError(f"{option}: {problem}")
    return tuple(map(as_code, codes))


def timeout_for(asked: float) -> float | None:
    """The time limit for one file in seconds, None for none."""
    return asked or None


def _seconds(text: str) -> float:
    import argparse

    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 1_000_000:
        raise argparse.ArgumentTypeError(f"must be a number of seconds from 0, not {text!r}")
    return seconds


def _jobs(text: str) -> int:
    import argparse

    try:
        jobs = int(text)
    except ValueError:
        jobs = 0
    if jobs < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1, not {text!r}")
    return jobs
