"""``nbcomponent export``: components and pipelines of notebooks, written."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from nbcomponent.cli.collect import STDIN, Source, collect, is_large
from nbcomponent.cli.options import add_batch_options, jobs_for, timeout_for
from nbcomponent.cli.output import wants_colour, write
from nbcomponent.cli.progress import progress
from nbcomponent.cli.report.model import FileReport
from nbcomponent.cli.report.text import printable
from nbcomponent.core.diagnostics import FILE_START, Diagnostic, Fix
from nbcomponent.core.errors import UnusableInput, UsageError

if TYPE_CHECKING:
    import argparse

    from nbcomponent.analysis.model import Boundary
    from nbcomponent.cli.report.export import ExportReport, State
    from nbcomponent.contract.examine import Examination

_DESCRIPTION = """\
Write the components of notebooks as scripts, component.yml, contract.yml and conda.yml, and their
pipeline, to DIR/<notebook>/. The notebook is not run. A notebook with errors is not exported; the others
are. A folder is written whole or not at all.
"""

_EXAMPLES = """\
examples:
  nbcomponent export train.ipynb -o out
  nbcomponent export notebooks/ -o out --boundary auto
  nbcomponent export notebooks/ -o out --check
  nbcomponent export train.ipynb -o out --dry-run
  nbcomponent export plain.ipynb -o out --whole report

Warnings do not keep a notebook from being written, but make the exit code 1, as in a check.
"""


@dataclass(frozen=True, slots=True)
class Work:
    """One notebook to export below ``folder``. Travels to a worker process."""

    path: str
    folder: str
    boundary: Boundary
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    whole: str | None
    force: bool
    check: bool
    dry_run: bool
    refresh_lock: bool

    @property
    def target(self) -> str:
        """The folder of this notebook's export."""
        stem = os.path.splitext(os.path.basename(self.path))[0]  # noqa: PTH119, PTH122
        return os.path.normpath(os.path.join(self.folder, stem))  # noqa: PTH118


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``export``."""
    parser.description = _DESCRIPTION
    parser.epilog = _EXAMPLES
    parser.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="a notebook (.ipynb or py:percent .py), a folder (its layout is kept), or a glob",
    )
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        type=_folder,
        metavar="DIR",
        help="the folder to export to",
    )
    parser.add_argument(
        "--whole", metavar="NAME", help="a notebook without tags becomes one component NAME"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="write nothing, show what would change as a diff"
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="write nothing, exit with 1 when DIR is not what would be written",
    )
    parser.add_argument(
        "--force", action="store_true", help="overwrite files that were edited by hand"
    )
    parser.add_argument(
        "--refresh-lock",
        action="store_true",
        help="take the versions of all packages from the notebook's environment again",
    )
    parser.add_argument(
        "--format",
        choices=("text", "json"),
        default="text",
        help="the form of the report (default: text)",
    )
    add_batch_options(parser)
    parser.set_defaults(execute=execute)


def _folder(text: str) -> str:
    import argparse

    if not text:  # most likely a variable that is not set
        raise argparse.ArgumentTypeError("must name a folder; for the current one write .")
    return text


def execute(options: argparse.Namespace) -> int:
    """Run the command."""
    if STDIN in options.paths:
        raise UsageError("export: a notebook on standard input has no name and no folder; save it")
    _check_name(options.whole)
    # Imported before any worker is forked, so that all share it.
    from nbcomponent.cli.batch import Failure, run_batch
    from nbcomponent.cli.check import warn_of_empty
    from nbcomponent.cli.examined import failed_report
    from nbcomponent.cli.report.export import (
        ExportReport,
        export_exit_code,
        render_json,
        render_text,
    )

    collected = collect(options.paths)
    if not options.quiet:
        warn_of_empty(collected)
    works = [_work(source, options) for source in _outside(collected.sources, options.output)]
    clashes = _clashes(works)
    exported = [work for work in works if work not in clashes]
    with progress("exporting", len(exported), options.quiet) as on_done:
        outcomes = run_batch(
            export_notebook,
            exported,
            jobs_for(options.jobs),
            on_done,
            timeout_for(options.timeout),
            lambda work: is_large(work.path),
        )
    done = {
        work: ExportReport(failed_report(work.path, outcome), work.target, _failed_state(outcome))
        if isinstance(outcome, Failure)
        else outcome
        for work, outcome in zip(exported, outcomes, strict=True)
    }
    reports = [
        *(ExportReport(problem, "", "unusable") for problem in collected.problems),
        *(_clash(work, clashes[work]) if work in clashes else done[work] for work in works),
    ]
    if not options.quiet:
        for report in reports:
            if options.whole is not None and _has_own_tags(report, options.whole):
                print(
                    f"nbcomponent: {printable(report.report.path)} has tagged cells, so --whole does "
                    "not change it",
                    file=sys.stderr,
                )
    if options.format == "json":
        write(render_json(reports))
    else:
        reading = options.check or options.dry_run
        write(render_text(reports, wants_colour(), options.quiet, reading, options.verbose))
    return export_exit_code(reports, options.check)


def _has_own_tags(report: ExportReport, whole: str) -> bool:
    names = {component.interface.component for component in report.report.components}
    return bool(names) and names != {whole}


def export_notebook(work: Work) -> ExportReport:
    """Examine, build and write one notebook's export."""
    from pathlib import Path

    from nbcomponent.cli.collect import unreadable_report
    from nbcomponent.cli.examined import report_of
    from nbcomponent.cli.report.export import ExportReport
    from nbcomponent.export.build import build
    from nbcomponent.export.write import write_export

    try:
        examination = _examined(work)
        report = report_of(work.path, examination)
        export = build(
            examination,
            out_folder=Path(work.folder),
            findings=[d for d in report.diagnostics if not _about_comments(d)],
            refresh_lock=work.refresh_lock,
        )
        outcome = write_export(
            export, Path(work.folder), force=work.force, check=work.check, dry_run=work.dry_run
        )
    except UnusableInput as error:
        diagnostic = error.diagnostic
        if error.path != work.path:  # the lock file, or the folder to write
            diagnostic = replace(
                diagnostic, message=f"{error.path}: {diagnostic.message}", place=FILE_START
            )
        return ExportReport(unreadable_report(work.path, diagnostic), work.target, "unusable")
    report = _shown(report, (*export.diagnostics, *outcome.diagnostics), examination, work)
    state: State
    if export.blocked:
        state = "blocked"
    elif not export.files:
        state = "empty"
    elif outcome.diagnostics:
        state = "edited"
    elif work.check or work.dry_run:
        state = "outdated" if outcome.changes else "current"
    else:
        state = "written" if outcome.changes else "unchanged"
    return ExportReport(
        report,
        work.target,
        state,
        export.listings,
        outcome.changes,
        outcome.edited,
        outcome.kept,
        outcome.diff,
    )


def _examined(work: Work) -> Examination:
    from nbcomponent.cli.examined import examine_path
    from nbcomponent.export.build import as_whole

    name = work.whole
    if name is None:
        return examine_path(work.path, work.boundary)
    return examine_path(work.path, work.boundary, lambda tagged: as_whole(tagged, name))


def _about_comments(diagnostic: Diagnostic) -> bool:
    """Ignore comments are judged by ``check``: with another boundary one may silence nothing."""
    return diagnostic.code.startswith("NBC95")


def _shown(
    report: FileReport, diagnostics: Sequence[Diagnostic], examination: Examination, work: Work
) -> FileReport:
    """The report with the findings of the export. The project's choice of codes may hide warnings and
    notes; an error that blocks is always shown."""
    from nbcomponent.cli.examined import is_chosen, lines_of

    shown = tuple(
        d
        for d in diagnostics
        if d.severity == "error" or is_chosen(d.code, work.select, work.ignore)
    )
    return replace(report, diagnostics=shown, lines=lines_of(examination.written, shown))


def _failed_state(failure: object) -> State:
    from nbcomponent.cli.batch import Failure

    too_much = isinstance(failure, Failure) and failure.kind in (
        "too-deep",
        "too-large",
        "timeout",
    )
    return "unusable" if too_much else "failed"


def _check_name(name: str | None) -> None:
    import re

    if name is not None and not re.fullmatch(r"[a-z][a-z0-9_]{0,199}", name):
        raise UsageError(
            f"export: --whole {name!r} is no component name; use small letters, digits and _, "
            "with a letter first"
        )


def _outside(sources: Sequence[Source], output: str) -> list[Source]:
    """Without what lies in the output folder, where that is part of the folder to export."""
    out = os.path.abspath(output)  # noqa: PTH100
    return [
        source
        for source in sources
        if not (_within(source.path, out) and _within(out, os.path.abspath(source.root)))  # noqa: PTH100
        or out == os.path.abspath(source.root)  # noqa: PTH100
    ]


def _within(path: str, folder: str) -> bool:
    return os.path.abspath(path).startswith(folder.rstrip(os.sep) + os.sep)  # noqa: PTH100


def _work(source: Source, options: argparse.Namespace) -> Work:
    place = os.path.relpath(os.path.dirname(source.path) or ".", source.root)  # noqa: PTH120
    return Work(
        path=source.path,
        folder=os.path.normpath(os.path.join(options.output, place)),  # noqa: PTH118
        boundary=options.boundary or source.settings.boundary or "strict",
        select=source.settings.select,
        ignore=source.settings.ignore,
        whole=options.whole,
        force=options.force,
        check=options.check,
        dry_run=options.dry_run,
        refresh_lock=options.refresh_lock,
    )


def _clashes(works: Sequence[Work]) -> dict[Work, Work]:
    """Notebooks whose folder is another one's, or lies in it, each with that other one.

    Two that write to one place would overwrite each other, in an order that nobody chose.
    """
    owners: dict[str, Work] = {}
    clashes: dict[Work, Work] = {}
    for work in sorted(works, key=lambda work: work.target.count(os.sep)):
        place = os.path.abspath(work.target)  # noqa: PTH100
        while place not in owners and place != os.path.dirname(place):  # noqa: PTH120
            place = os.path.dirname(place)  # noqa: PTH120
        if place in owners:
            clashes[work] = owners[place]
        else:
            owners[os.path.abspath(work.target)] = work  # noqa: PTH100
    return clashes


def _clash(work: Work, other: Work) -> ExportReport:
    from nbcomponent.cli.report.export import ExportReport

    where = "the same folder as" if work.target == other.target else "inside the folder of"
    diagnostic = Diagnostic(
        "NBC946",
        "error",
        f"this notebook would be exported to {work.target}, {where} {other.path}",
        FILE_START,
        fix=Fix("rename one of them, export to another folder, or name their folder", "edit"),
    )
    return ExportReport(
        FileReport(work.path, diagnostics=(diagnostic,), outcome="unusable"),
        work.target,
        "unusable",
    )
