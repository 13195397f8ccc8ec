"""``nbcomponent run``: an exported pipeline on this machine."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from nbcomponent.cli.output import wants_colour, write
from nbcomponent.cli.report.text import printable
from nbcomponent.core.errors import UnusableInput, UsageError

if TYPE_CHECKING:
    import argparse

    from nbcomponent.run.events import RunEvent
    from nbcomponent.run.report import Finding, RunReport

_DESCRIPTION = """\
Run the pipeline job in PIPELINE on this machine: each step in a clean process of its own, in a
fresh copy of its code, with the outputs of earlier steps as its inputs. Steps that do not need each
other run side by side. Everything of a run is kept under .nbcomponent/runs/ beside the pipeline.
"""

_EXAMPLES = """\
examples:
  nbcomponent run out/defects/pipeline.yml
  nbcomponent run out/defects
  nbcomponent run out/defects/pipeline.yml --set epochs=2 --set images=data/small
  nbcomponent run out/defects/pipeline.yml --step train --set prepared=data/prepared
  nbcomponent run out/defects/pipeline.yml --format json > run.json
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``run``."""
    parser.description = _DESCRIPTION
    parser.epilog = _EXAMPLES
    parser.add_argument(
        "pipeline", metavar="PIPELINE", help="a pipeline.yml, or the folder that it is in"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a value for an input of the pipeline (or STEP.NAME=VALUE, of a step); paths are "
        "relative to the current folder",
    )
    parser.add_argument(
        "--step",
        metavar="NAME",
        help="run this step only; what it takes from other steps comes from --set",
    )
    parser.add_argument(
        "--timeout", type=_seconds, metavar="SECONDS", help="stop a step that takes longer"
    )
    parser.add_argument(
        "--format",
        choices=("text", "json"),
        default="text",
        help="the form of the report (default: text)",
    )
    parser.add_argument("--quiet", action="store_true", help="no progress; the report remains")
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    """Run the command."""
    from nbcomponent.cli.pipelines import explained, pipeline_of
    from nbcomponent.run.pipeline import run_pipeline

    sets = settings_of(options.set)
    path = pipeline_of(options.pipeline)
    if path != options.pipeline and not options.quiet:
        print(f"nbcomponent: running {printable(path)}", file=sys.stderr, flush=True)
    try:
        report = run_pipeline(
            path,
            sets,
            step=options.step,
            timeout=options.timeout,
            on_event=None if options.quiet else _show,
        )
    except UnusableInput as error:
        raise explained(path, error) from error
    if options.format == "json":
        from nbcomponent.cli.report.json import dumps
        from nbcomponent.run.report import as_json

        write(dumps(as_json(report)))
    else:
        from nbcomponent.run.report import as_text

        write(_findings(report.findings) + as_text(report))
    return exit_code(report)


def exit_code(report: RunReport) -> int:
    """0 for a run whose steps all ended well, 1 for any other, 130 for one that Ctrl-C stopped."""
    return 130 if report.state == "cancelled" else report.exit_code


def settings_of(pairs: Sequence[str]) -> dict[str, str]:
    """``["epochs=2", "prepare.seed=1"]`` as a dict.

    Raises:
        UsageError: a pair without ``=`` or name, or a name that is set twice.
    """
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"run: --set takes NAME=VALUE, not {pair!r}")
        if name in found:
            raise UsageError(f"run: --set gives {name} twice")
        found[name] = value
    return found


def _show(event: RunEvent) -> None:
    """One line a step, on standard error, so that the report can be piped."""
    if event.kind == "step-started":
        print(f"[{event.done}/{event.total}] {event.step} ...", file=sys.stderr, flush=True)
    elif event.kind == "step-ended" and event.result is not None:
        result = event.result
        print(
            f"[{event.done}/{event.total}] {event.step} {result.state} in {result.seconds:.1f} s",
            file=sys.stderr,
            flush=True,
        )


def _findings(findings: Sequence[Finding]) -> str:
    """What the pipeline's YAML does wrong, as ``check`` shows findings."""
    if not findings:
        return ""
    from nbcomponent.cli.report import text
    from nbcomponent.cli.report.model import FileReport

    by_path: dict[str, list[Finding]] = {}
    for finding in findings:
        by_path.setdefault(finding.path, []).append(finding)
    reports = [
        FileReport(path, diagnostics=tuple(finding.diagnostic for finding in found))
        for path, found in by_path.items()
    ]
    return text.render(reports, wants_colour(), summarised=False)


def _seconds(text: str) -> float:
    import argparse
    import math

    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not (0 < seconds < 1e9):
        raise argparse.ArgumentTypeError(f"must be a number of seconds above 0, not {text!r}")
    return seconds
