"""The command line's parser: argparse's, which says what was meant where something is mistyped."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    # argparse calls the method by this signature; its overloads are for callers.
    from argparse import Action, Namespace


class Parser(argparse.ArgumentParser):
    """A parser whose commands answer for themselves.

    argparse leaves what a command does not know to the parser above it, which can only show its own
    usage; and it takes paths before the options or after them, not both.
    """

    _words: Sequence[str] = ()
    _values: Sequence[str] = ()  # what stands after --

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Namespace | None = None
    ) -> tuple[Namespace, list[str]]:
        """As argparse's; whoever has no commands below says what it does not know."""
        words = list(args or ())
        end = words.index("--") if "--" in words else len(words)
        self._words, self._values = words[:end], words[end + 1 :]
        found, extras = super().parse_known_args(args, namespace)
        if extras and self._subparsers is None:
            self._take(found, [word for word in extras if word != "--"])
            extras = []
        return found, extras

    def _take(self, found: Namespace, extras: Sequence[str]) -> None:
        """Words that stand after an option are further values of the last positional argument."""
        for word in extras:
            if word.startswith("-") and word not in self._values:
                self.error(f"there is no option {word}")
        last = self._get_positional_actions()[-1]
        if last.nargs not in ("+", "*"):
            self.error(f"one {last.metavar} is enough; {' '.join(extras)} is more")
        getattr(found, last.dest).extend(extras)

    def _meant(self, word: str) -> str:
        return did_you_mean(word.partition("=")[0], self._option_string_actions)

    def _check_value(self, action: Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        known = ", ".join(map(str, action.choices))
        meant = did_you_mean(str(value), map(str, action.choices))
        if isinstance(action, argparse._SubParsersAction):
            meant = self._meant_by_word(str(value), list(action.choices)) or meant
            self.error(f"there is no command {value!r}{meant or f'; the commands: {known}'}")
        raise argparse.ArgumentError(action, f"{value!r} is none of {known}{meant}")

    def _meant_by_word(self, word: str, commands: Sequence[str]) -> str:
        """What to type in place of a word that people write where a command stands."""
        if word in ("help", "version"):
            return f"; did you mean {self.prog} --{word}?"
        if not word.endswith((".ipynb", ".py", ".yml", ".yaml")):
            return ""
        wanted = "run" if word.endswith((".yml", ".yaml")) else "check"
        command = wanted if wanted in commands else commands[0]
        return f"; did you mean {self.prog} {command} {word}?"

    def refuse_option(self, word: str) -> NoReturn:
        """End with what is wrong with an option that stands before the command."""
        name = word.partition("=")[0]
        self.error(
            f"there is no option {name} before the command"
            f"{self._meant(word) or '; options of a command stand after its name'}"
        )

    def error(self, message: str) -> NoReturn:
        """End with usage, what is wrong, and where there is more."""
        # Of an option that is mistyped, argparse may say that it is missing, or nothing at all.
        unknown = next((word for word in self._words if self._is_unknown(word)), None)
        if unknown is not None:
            message = f"there is no option {unknown.partition('=')[0]}{self._meant(unknown)}"
        self.print_usage(sys.stderr)
        self.exit(2, f"{self.prog}: error: {message}\nhelp: {self.prog} --help\n")

    def _is_unknown(self, word: str) -> bool:
        name = word.partition("=")[0]
        if not re.match(r"--?[A-Za-z]", name) or " " in name or self._subparsers is not None:
            return False
        known = self._option_string_actions
        if name.startswith("--"):
            return not any(option.startswith(name) for option in known)
        return name[:2] not in known


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``; did you mean --boundary?`` where ``word`` is close to something known, else nothing."""
    from difflib import get_close_matches  # only where something is wrong

    names = list(known)
    by_lower = {name.lower(): name for name in names}
    close = get_close_matches(word.lower(), by_lower, n=1, cutoff=0.6)
    return f"; did you mean {by_lower[close[0]]}?" if close else ""
