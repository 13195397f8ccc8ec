"""``nbcomponent check``: what is wrong with notebooks, without running them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from nbcomponent.cli.collect import STDIN, Collected, Source, collect, is_large
from nbcomponent.cli.options import add_batch_options, codes_option, jobs_for, timeout_for
from nbcomponent.cli.output import wants_colour, write
from nbcomponent.cli.progress import progress
from nbcomponent.cli.report.model import FileReport, exit_code
from nbcomponent.core.errors import UnusableInput, UsageError

if TYPE_CHECKING:
    import argparse

    from nbcomponent.analysis.model import Boundary

Result = TypeVar("Result")

POLL_SECONDS = 0.5

_DESCRIPTION = """\
Find what tagged cells need from elsewhere in the notebook (a hidden dependency makes the component
fail, or compute something else, outside the notebook), and what is wrong with their contracts.
Nothing is run and nothing is written.
"""

_EXAMPLES = """\
examples:
  nbcomponent check train.ipynb
  nbcomponent check notebooks/ --ignore NBC109
  nbcomponent check 'notebooks/**/*.ipynb' --format json > report.json
  nbcomponent check notebooks/ --select NBC1 --watch
  cat train.ipynb | nbcomponent check - --format sarif

A finding is silenced at its line by a comment with a reason:
  rate = scale * 2  # nbc: ignore[NBC104] the reason
What a code means: nbcomponent explain NBC104
"""


@dataclass(frozen=True, slots=True)
class Work:
    """One file to check, with the rules that hold for it. Travels to a worker process."""

    path: str
    boundary: Boundary
    select: tuple[str, ...]
    ignore: tuple[str, ...]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``check``."""
    parser.description = _DESCRIPTION
    parser.epilog = _EXAMPLES
    parser.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="a notebook (.ipynb or py:percent .py), a folder, a glob, or - for standard input",
    )
    parser.add_argument(
        "--format",
        choices=("text", "json", "sarif", "github"),
        default="text",
        help="the form of the report (default: text)",
    )
    parser.add_argument(
        "--select",
        action="append",
        metavar="CODES",
        help="show these codes or prefixes only, such as NBC1,NBC201 (the longest match decides)",
    )
    parser.add_argument(
        "--ignore", action="append", metavar="CODES", help="do not show these codes or prefixes"
    )
    add_batch_options(parser)
    parser.add_argument(
        "--watch", action="store_true", help="check again whenever a file changes, until Ctrl-C"
    )
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    """Run the command."""
    select, ignore = (
        codes_option(options.select, "--select"),
        codes_option(options.ignore, "--ignore"),
    )
    if options.watch:
        if options.format != "text" or STDIN in options.paths:
            raise UsageError("check: --watch works with --format text and with files only")
        return _watch(options, select, ignore)
    collected = collect(options.paths)
    if not options.quiet:
        warn_of_empty(collected)
    if options.format == "json":
        return _check_for_json(options, collected, select, ignore)
    reports = (*collected.problems, *_check(options, collected.sources, select, ignore))
    write(_render(reports, options.format, options.quiet, options.verbose))
    return exit_code(reports)


def _check_for_json(
    options: argparse.Namespace,
    collected: Collected,
    select: tuple[str, ...] | None,
    ignore: tuple[str, ...] | None,
) -> int:
    """As ``execute``: each worker writes the entries of its own files."""
    from nbcomponent.cli.report import json

    entries = [_entry(report) for report in collected.problems]
    entries += _outcomes(options, collected.sources, select, ignore, check_file_for_json, _entry)
    write(json.render([text for text, _ in entries]))
    return max((code for _, code in entries), default=0)


def check_file_for_json(work: Work) -> Entry:
    """The entry of one notebook in the JSON report, and its exit code."""
    return _entry(check_file(work))


def _entry(report: FileReport) -> Entry:
    from nbcomponent.cli.report import json

    return json.file_text(report), exit_code([report])


Entry = tuple[str, int]


def warn_of_empty(collected: Collected) -> None:
    """Say that a folder holds nothing to do: it may be the wrong one."""
    for folder in collected.empty:
        print(f"nbcomponent: there are no notebooks in {folder}", file=sys.stderr)


def check_file(work: Work) -> FileReport:
    """The report of one notebook."""
    from nbcomponent.cli.collect import unreadable_report
    from nbcomponent.cli.examined import examine_path, report_of, shown_path, with_chosen

    path = shown_path(work.path)
    try:
        examination = examine_path(work.path, work.boundary)
    except UnusableInput as error:
        return unreadable_report(path, error.diagnostic)
    return with_chosen(report_of(path, examination), work.select, work.ignore)


def _check(
    options: argparse.Namespace,
    sources: Sequence[Source],
    select: tuple[str, ...] | None,
    ignore: tuple[str, ...] | None,
) -> list[FileReport]:
    return _outcomes(options, sources, select, ignore, check_file, lambda report: report)


def _outcomes(
    options: argparse.Namespace,
    sources: Sequence[Source],
    select: tuple[str, ...] | None,
    ignore: tuple[str, ...] | None,
    task: Callable[[Work], Result],
    of_report: Callable[[FileReport], Result],
) -> list[Result]:
    """What ``task`` makes of each file; ``of_report`` makes it of the report of one that failed."""
    # Imported before any worker is forked, so that all share it.
    from nbcomponent.cli.batch import Failure, run_batch
    from nbcomponent.cli.examined import failed_report, shown_path

    works = [
        Work(
            source.path,
            options.boundary or source.settings.boundary or "strict",
            source.settings.select if select is None else select,
            source.settings.ignore if ignore is None else ignore,
        )
        for source in sources
    ]
    with progress("checking", len(works), options.quiet) as on_done:
        outcomes = run_batch(
            task,
            works,
            jobs_for(options.jobs),
            on_done,
            timeout_for(options.timeout),
            lambda work: is_large(work.path),
        )
    return [
        of_report(failed_report(shown_path(work.path), outcome))
        if isinstance(outcome, Failure)
        else outcome
        for work, outcome in zip(works, outcomes, strict=True)
    ]


def _render(reports: Sequence[FileReport], form: str, quiet: bool, verbose: bool) -> str:
    if form == "sarif":
        from nbcomponent import __version__
        from nbcomponent.cli.report import sarif
        from nbcomponent.core.explain import page

        return sarif.render(reports, page, __version__)
    if form == "github":
        from nbcomponent.cli.report import github

        return github.render(reports)
    from nbcomponent.cli.report import text

    return text.render(reports, wants_colour(), quiet, verbose)


def _watch(
    options: argparse.Namespace,
    select: tuple[str, ...] | None,
    ignore: tuple[str, ...] | None,
) -> int:
    import time

    checked: dict[Source, tuple[object, FileReport]] = {}
    problems: tuple[FileReport, ...] | None = None
    while True:
        collected = collect(options.paths)
        stamps = {source: _stamp(source.path) for source in collected.sources}
        changed = [
            source
            for source, stamp in stamps.items()
            if source not in checked or checked[source][0] != stamp
        ]
        if changed or collected.problems != problems or checked.keys() - stamps.keys():
            problems = collected.problems
            new = dict(zip(changed, _check(options, changed, select, ignore), strict=True))
            checked = {
                source: (stamp, new[source] if source in new else checked[source][1])
                for source, stamp in stamps.items()
            }
            reports = (*problems, *(report for _, report in checked.values()))
            shown = _render(reports, "text", options.quiet, options.verbose)
            write(f"{time.strftime('%H:%M:%S')}\n{shown}")
        time.sleep(POLL_SECONDS)


def _stamp(path: str) -> tuple[int, int, int] | None:
    try:
        status = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return (status.st_mtime_ns, status.st_size, status.st_ino)
