"""Options that several commands share."""

from __future__ import annotations

from nbcomponent.core.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence


def add_batch_options(parser: argparse.ArgumentParser) -> None:
    """``--boundary``, ``--jobs`` and ``--quiet``."""
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
    parser.add_argument("--quiet", action="store_true", help="no notes, no summary, no progress")


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
    from nbcomponent.core.explain import code_problem

    codes = tuple(code.strip() for value in values for code in value.split(",") if code.strip())
    if not codes:
        raise UsageError(f"{option} needs a code, such as NBC104, or a prefix, such as NBC1")
    for code in codes:
        problem = code_problem(code)
        if problem:
            raise UsageError(f"{option}: {problem}")
    return codes


def _jobs(text: str) -> int:
    import argparse

    try:
        jobs = int(text)
    except ValueError:
        jobs = 0
    if jobs < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1, not {text!r}")
    return jobs
