"""Errors that end the work on one file with one clear diagnostic."""

from __future__ import annotations

from nbcomponent.core.diagnostics import FILE_START, Diagnostic, Place


class UnusableInput(Exception):
    """A file that cannot be used at all (exit code 2). Carries the one diagnostic to show."""

    def __init__(self, diagnostic: Diagnostic, path: str) -> None:
        place = diagnostic.place
        where = "" if place == FILE_START else f" line {place.line}:{place.column}:"
        super().__init__(f"{path}:{where} {diagnostic.code} {diagnostic.message}")
        self.diagnostic = diagnostic
        self.path = path


class UsageError(Exception):
    """A wrong argument of a command (exit code 2). The message says what to write instead."""


def unusable(path: str, code: str, message: str, place: Place = FILE_START) -> UnusableInput:
    """An :class:`UnusableInput` for ``path`` with an error diagnostic ``code`` at ``place``."""
    return UnusableInput(Diagnostic(code, "error", message, place), path)
