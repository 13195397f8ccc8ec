"""The entry of the ``nbcomponent`` command: finds the command, maps errors to exit codes.

Nothing but ``sys`` is imported before it is known what is asked for, so that the command starts
fast; each command stands in a module of its own.
"""

from __future__ import annotations

import sys

from nbcomponent import __version__

TYPE_CHECKING = False  # importing typing for its constant would cost a quarter of a Python start
if TYPE_CHECKING:
    from collections.abc import Sequence

OK, FOUND, UNUSABLE, FAULT, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 3, 130, 141

COMMANDS = {
    "check": "find what the tagged cells of notebooks need from elsewhere, and other problems",
    "export": "write the components and the pipeline of notebooks",
    "run": "run an exported pipeline on this machine",
    "contract": "show the interface of a notebook's components",
    "explain": "explain a diagnostic: why it matters, an example, how to fix it",
}

_EXIT_CODES = """\
exit codes:
  0  fine (there may be notes)
  1  errors or warnings were found, or a check or a step failed
  2  an input cannot be used, or the command was called wrongly
  3  a fault of nbcomponent itself
Of several files the highest counts.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line ``argv`` (default: this process's) and return its exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments in (["--version"], ["-V"]):
        print(f"nbcomponent {__version__}")
        return OK
    from nbcomponent.core.errors import UnusableInput, UsageError

    try:
        _make_output_robust()
        code = _dispatch(arguments)
        sys.stdout.flush()
        return code
    except SystemExit as stop:  # argparse: --help is 0, wrong usage 2
        return stop.code if isinstance(stop.code, int) else OK
    except UsageError as error:
        return _say(f"{error}", UNUSABLE)
    except UnusableInput as error:
        return _say(f"{error}", UNUSABLE)
    except KeyboardInterrupt:
        return _say("interrupted", INTERRUPTED)
    except BrokenPipeError:  # nbcomponent check . | head
        _drop_output()
        return BROKEN_PIPE
    except OSError as error:
        _drop_output()
        return _say(_reason(error), UNUSABLE)
    except Exception as error:  # noqa: BLE001 (the last resort: whatever it is, it is our fault)
        return _fault(error)


def _dispatch(arguments: list[str]) -> int:
    import argparse
    from importlib import import_module

    from nbcomponent.cli.parser import Parser

    parser = Parser(
        prog="nbcomponent",
        description="Turn the tagged cells of a Jupyter notebook into Azure Machine Learning "
        "components that can be trusted.",
        epilog=_EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("-V", "--version", action="version", version=f"nbcomponent {__version__}")
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", required=True, title="commands"
    )
    chosen = arguments[0] if arguments else ""
    if chosen.startswith("-") and chosen not in ("-h", "--help", "-V", "--version"):
        parser.refuse_option(chosen)
    for name, summary in COMMANDS.items():
        command = commands.add_parser(
            name, help=summary, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        # Only the command that is asked for is imported.
        if name == chosen:
            import_module(f"nbcomponent.cli.{name}").configure(command)
    if not arguments:
        parser.print_help(sys.stderr)
        return UNUSABLE
    options = parser.parse_args(arguments)
    code: int = options.execute(options)
    return code


def _make_output_robust() -> None:
    """Names of files and text of notebooks may hold what the terminal cannot encode.

    A stream that was closed before the start is None: what is said then is said to nobody.
    """
    import os

    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115 (open to the end)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: PTH123, SIM115
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _say(message: str, code: int) -> int:
    from nbcomponent.cli.report.text import printable

    shown = "\n".join(printable(line) for line in message.split("\n"))
    print(f"nbcomponent: {shown}", file=sys.stderr)
    return code


def _reason(error: OSError) -> str:
    import os

    try:
        os.getcwd()  # noqa: PTH109
    except OSError:
        return "the current folder is not there any more; change to one that is"
    return str(error)


def _drop_output() -> None:
    """Forget what cannot be written any more; Python would try once more at its end, and complain."""
    import os

    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fault(error: Exception) -> int:
    import os

    if os.environ.get("NBCOMPONENT_DEBUG") == "1":
        import traceback

        traceback.print_exception(type(error), error, error.__traceback__)
    return _say(
        f"a fault of nbcomponent itself: {type(error).__name__}: {error}\n"
        "Please report it with the command, the version "
        f"({__version__}) and the output of the same command with NBCOMPONENT_DEBUG=1 set.",
        FAULT,
    )
