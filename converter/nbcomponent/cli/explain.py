"""``nbcomponent explain``: why a finding matters, an example, how to fix it."""

from __future__ import annotations

import sys

from nbcomponent.cli.output import write
from nbcomponent.core.errors import UsageError
from nbcomponent.core.explain import as_code, codes, group, near, page

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

_EXAMPLES = """\
examples:
  nbcomponent explain NBC104
  nbcomponent explain NBC1
  nbcomponent explain --list
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``explain``."""
    parser.description = "Explain diagnostics: why they matter, an example, how to fix them."
    parser.epilog = _EXAMPLES
    parser.add_argument(
        "codes", nargs="*", metavar="CODE", help="a code such as NBC104, or a prefix such as NBC1"
    )
    parser.add_argument("--list", action="store_true", help="all codes with their titles")
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    """Run the command."""
    if options.list:
        write(_titles(codes()))
        return 0
    if not options.codes:
        raise UsageError("explain: name a code, such as NBC104, or use --list")
    pages = []
    unknown = False
    for code in options.codes:
        found = page(as_code(code))
        if found is None and group(code):
            pages.append(_titles(group(code)))
        elif found is None:
            unknown = True
            meant = near(code)
            hint = (
                f"did you mean {' or '.join(meant)}?"
                if meant
                else "'nbcomponent explain --list' shows all"
            )
            print(f"nbcomponent: there is no diagnostic {code}; {hint}", file=sys.stderr)
        else:
            pages.append(found.text.rstrip("\n") + "\n")
    write("\n".join(pages))
    return 2 if unknown else 0


def _titles(listed: Sequence[str]) -> str:
    found = ((code, page(code)) for code in listed)
    return "".join(f"{code}  {one.title}\n" for code, one in found if one)
