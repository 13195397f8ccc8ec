"""How commands write: the whole report at once, colours only where a person sees them."""

from __future__ import annotations

import os
import sys


def write(text: str) -> None:
    """Write a report to standard output."""
    sys.stdout.write(text)
    sys.stdout.flush()


def wants_colour() -> bool:
    """Colours on a terminal, unless ``NO_COLOR`` is set (https://no-color.org) or it is dumb."""
    return (
        not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and sys.stdout.isatty()
    )
