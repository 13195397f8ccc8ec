"""What stands behind a magic's name: options, statements, interpolated expressions, names it binds.

Every table here names its source: IPython 9 (``IPython/core/magics``), or the extension's own
documentation for magics that IPython does not bring along.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from string import Formatter

from nbcomponent.notebook.lines import Line

NAMESPACE_BODIES = frozenset(
    {
        # IPython
        "capture", "debug", "prun", "time",
        # memory_profiler, line_profiler, snakeviz, pyinstrument, scalene, memray, pyheat
        "memit", "mprun", "lprun_all", "snakeviz", "pyinstrument", "scalene", "memray_flamegraph", "heat",
        # sparkmagic (the cell that runs beside the notebook), wandb, holoviews, ipytest, manim
        "local", "wandb", "opts", "output", "ipytest", "run_pytest", "manim",
    }
)  # fmt: skip
"""Cell magics whose body is Python of the notebook's namespace."""

FUNCTION_BODIES = frozenset({"timeit"})
"""Cell magics whose body is Python that binds nothing in the notebook."""

STATEMENT_OPTIONS = {
    "time": "",
    "timeit": "n:r:tcp:qov:",
    "prun": "D:l:rs:T:q",
    "debug": "b:",
    "memit": "r:t:i:coh",
    "mprun": "rf:T:c",
    "lprun": "rsf:m:D:T:u:z",
    "snakeviz": "tf:",
}
"""Line magics whose argument is a statement, with their options as ``getopt`` writes them."""

NOT_EXPANDED = frozenset({"time", "timeit", "prun", "debug"})
"""Magics that IPython marks ``no_var_expand``: ``{x}`` and ``$x`` in their line stay as they are."""

SHELL_BODIES = frozenset({"!", "sx", "system"})
"""Cell magics whose whole body goes to the shell with ``{x}`` and ``$x`` expanded."""

SCRIPT_MAGICS = frozenset(
    {"bash", "sh", "script", "perl", "pypy", "python", "python2", "python3", "ruby"}
)
"""Cell magics that hand their body to another program, unchanged (``--out x``, ``--err y``)."""

_OUTPUT_OPTIONS = {
    **dict.fromkeys(SCRIPT_MAGICS, ("--out", "--err", "--proc")),
    **dict.fromkeys(SHELL_BODIES, ("--out",)),
    "R": ("-o", "--output"),
    "octave": ("-o",),
    "matlab": ("-o",),
    "spark": ("-o",),
    "sql": ("-o",),
    "timeit": ("-v",),
}
"""Options whose value is a name that the magic binds (several with commas: ``%%R -o x,y``)."""

_INPUT_OPTIONS = {
    "R": ("-i", "--input"),
    "octave": ("-i",),
    "matlab": ("-i",),
    "lprun": ("-f", "-m"),
    "mprun": ("-f",),
}
"""Options whose value is a name that the magic reads."""

_BINDS_FIRST = frozenset({"capture", "macro", "bigquery"})
_BINDS_ALL = frozenset({"Rpull", "octave_pull"})
_READS_ALL = frozenset({"Rpush", "octave_push", "xdel"})

_WORD = re.compile(r"\"[^\"]*\"|'[^']*'|\S+")
_DOLLAR = re.compile(r"\$(\$?[\w.]+)")
_SQL_TARGET = re.compile(r"(?:^|\s)([^\W\d]\w*)\s*(?:<<|=\s*<<)")
_TARGETS = {"sql": _SQL_TARGET, "SQL": _SQL_TARGET, "sc": re.compile(r"([^\W\d]\w*)=")}
_MAY_BIND = frozenset({*_BINDS_FIRST, *_BINDS_ALL, *_TARGETS, *_OUTPUT_OPTIONS, "store", "cython"})
_CYTHON_NAME = re.compile(
    r"^(?:def|class|cpdef\s+(?:[\w.\[\], *:]+\s)?)\s*([^\W\d]\w*)\s*[(:]", re.M
)

Bound = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a magic's argument, quotes removed; ``start`` is its offset there."""

    text: str
    start: int


def words(argument: str) -> list[Word]:
    """The words of ``argument``, as a shell would part them (quotes keep blanks)."""
    found: list[Word] = []
    for match in _WORD.finditer(argument):
        text, start = match[0], match.start()
        if len(text) > 1 and text[0] in "\"'" and text[-1] == text[0]:
            text, start = text[1:-1], start + 1
        found.append(Word(text, start))
    return found


def statement_start(argument: str, options: str) -> int:
    """Offset in ``argument`` at which the statement behind the ``options`` (``getopt``) begins.

    >>> statement_start("-n 10 -r3 f(x)", "n:r:q")
    10
    """
    matches = list(_WORD.finditer(argument))
    index = 0
    while index < len(matches):
        text = matches[index][0]
        if text == "--no-raise-error":
            index += 1
            continue
        if len(text) < 2 or text[0] != "-" or text.startswith("--"):
            break
        takes_next = _takes_next(text[1:], options)
        if takes_next is None:
            break
        index += 2 if takes_next else 1
    return matches[index].start() if index < len(matches) else len(argument)


def _takes_next(letters: str, options: str) -> bool | None:
    """Does the word of option ``letters`` take the next word as its value? None: it is no option."""
    for index, letter in enumerate(letters):
        at = options.find(letter)
        if letter == ":" or at < 0:
            return None
        if options[at + 1 : at + 2] == ":":
            return index == len(letters) - 1
    return False


def interpolated(text: str) -> list[tuple[str, int]]:
    """The expressions of ``{x}`` and ``$x`` in ``text`` with their offsets, as ``var_expand`` sees them.

    IPython leaves the whole text as it is when one of them cannot be evaluated; here: when one is no
    expression, or braces do not match, there are none at all.
    """
    if "{" not in text and "}" not in text and "$" not in text:
        return []
    found: list[tuple[str, int]] = []
    position = 0
    try:
        for literal, field, spec, conversion in Formatter().parse(text):
            _dollars(literal, position, found)
            position += len(literal)
            if field is None:
                # An escaped brace ends its literal: "{{" gave one character.
                position += (
                    literal[-1:] in ("{", "}") and text[position : position + 1] == literal[-1:]
                )
                continue
            expression = f"{field}:{spec}" if spec else field
            found.append((expression, position + 1))
            position += 1 + len(field)
            if conversion:
                if conversion not in "rsa":
                    return []
                position += 2
            if text[position : position + 1] == ":":
                position += 1 + len(spec or "")
            position += 1
    except ValueError:
        return []
    return found


def _dollars(literal: str, base: int, found: list[tuple[str, int]]) -> None:
    if "$" not in literal:
        return
    for match in _DOLLAR.finditer(literal):
        # Not where a single quote is open behind it: awk '{print $1}'.
        if match[1].startswith("$") or literal.count("'", match.end()) % 2:
            continue
        found.append((match[1], base + match.start(1)))


def bound_names(name: str, argument: Line, body: Line | None) -> list[Bound]:
    """The names that magic ``name`` binds in the notebook, with line and column in the cell."""
    if name not in _MAY_BIND:
        return []
    parts = words(argument.text)
    found: list[Word] = []
    if name in _BINDS_FIRST:
        found += [word for word in parts if not word.text.startswith("-")][:1]
    elif name in _BINDS_ALL or (name == "store" and any(word.text == "-r" for word in parts)):
        found += [word for word in parts if not word.text.startswith("-")]
    elif (pattern := _TARGETS.get(name)) and (target := pattern.search(argument.text)):
        found.append(Word(target[1], target.start(1)))
    found += _option_values(parts, _OUTPUT_OPTIONS.get(name, ()))
    bound = [(word.text, *argument.place(word.start)) for word in found if word.text.isidentifier()]
    if name == "cython" and body is not None:
        bound += [
            (match[1], *body.place(match.start(1))) for match in _CYTHON_NAME.finditer(body.text)
        ]
    return bound


def read_names(name: str, argument: str) -> list[tuple[str, int]]:
    """Expressions that magic ``name`` reads by its options or words, with their offsets."""
    if name not in _INPUT_OPTIONS and name not in _READS_ALL and name != "store":
        return []
    parts = words(argument)
    found = _option_values(parts, _INPUT_OPTIONS.get(name, ()))
    plain = [word for word in parts if not word.text.startswith("-")]
    if name in _READS_ALL:
        found += plain
    elif name == "store" and not any(word.text in ("-r", "-d", "-z") for word in parts):
        redirected = next((i for i, word in enumerate(plain) if word.text.startswith(">")), None)
        found += plain[:redirected]
    return [(word.text, word.start) for word in found]


def _option_values(parts: list[Word], options: tuple[str, ...]) -> list[Word]:
    """Values of ``options`` in ``parts``: ``-o x``, ``-ox``, ``--out x``, ``--out=x``, ``-o x,y``."""
    values: list[Word] = []
    for index, word in enumerate(parts):
        for option in options:
            value: Word | None = None
            if word.text == option:
                value = parts[index + 1] if index + 1 < len(parts) else None
            elif option.startswith("--") and word.text.startswith(option + "="):
                value = Word(word.text[len(option) + 1 :], word.start + len(option) + 1)
            elif not option.startswith("--") and word.text.startswith(option):
                value = Word(word.text[len(option) :], word.start + len(option))
            if value is not None:
                start = value.start
                for part in value.text.split(","):
                    values.append(Word(part, start))
                    start += len(part) + 1
    return values
