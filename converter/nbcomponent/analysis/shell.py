"""``--boundary auto``: shell lines that may read what shell lines or cells of other components left behind.

Each component begins in a fresh working directory. What ``!git init`` or ``%%file README`` in another
component left there is gone, and ``!git log`` or ``!cat README`` would print something else without a
word: which files a command reads and writes, its text does not say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nbcomponent.analysis.component import ComponentReader, Site
from nbcomponent.analysis.facts import Statement
from nbcomponent.analysis.messages import Finding, diagnostic_of
from nbcomponent.analysis.namespace import Namespace
from nbcomponent.core.diagnostics import Diagnostic
from nbcomponent.notebook.model import Magic, TaggedNotebook

_READS_ONLY = frozenset(
    [
        "cat",
        "conda",
        "date",
        "df",
        "diff",
        "du",
        "echo",
        "env",
        "file",
        "find",
        "free",
        "grep",
        "head",
        "ls",
        "lscpu",
        "md5sum",
        "nproc",
        "nvidia-smi",
        "pip",
        "pip3",
        "printenv",
        "ps",
        "pwd",
        "sort",
        "tail",
        "type",
        "uname",
        "uniq",
        "wc",
        "which",
        "whoami",
    ]
)
"""Commands that write no file (unless their output is redirected)."""

_READS_NOTHING = frozenset(
    [
        "conda",
        "curl",
        "date",
        "df",
        "echo",
        "env",
        "free",
        "lscpu",
        "mkdir",
        "nproc",
        "nvidia-smi",
        "pip",
        "pip3",
        "printenv",
        "ps",
        "pwd",
        "type",
        "uname",
        "wget",
        "which",
        "whoami",
    ]
)
"""Commands whose output has nothing to do with the files in the working directory."""

_WORD = re.compile(r"[^\s;|&<>()'\"]+")


@dataclass(frozen=True, slots=True)
class Trail:
    """A statement that leaves files behind: ``paths`` it surely writes, or ``some`` that nobody can tell."""

    position: int
    statement: Statement
    paths: tuple[str, ...]
    some: bool


def trails_of(namespace: Namespace, tagged: TaggedNotebook) -> list[Trail]:
    """The statements of a notebook whose magics and shell lines may leave files behind, in order."""
    found: list[Trail] = []
    for position, statement in enumerate(namespace.statements):
        code = tagged.code.get(statement.cell) if statement.block.magics else None
        if code is None:
            continue
        paths: list[str] = []
        some = False
        for number, _ in statement.block.magics:
            magic = code.magics[number]
            if magic.kind == "cell" and magic.name in ("writefile", "file"):
                words = magic.argument.split()
                paths += [w.removeprefix("./") for w in words if w not in ("-a", "--append")]
            elif _command(magic) and _may_write(magic):
                some = True
        if paths or some:
            found.append(Trail(position, statement, tuple(paths), some))
    return found


def left_behind(reader: ComponentReader, trails: Sequence[Trail]) -> Iterator[Diagnostic]:
    """NBC109 for each shell line of the component that may read what is not there (``auto``)."""
    if not trails or not any(run.block.magics for run in reader.blocks):
        return
    written: dict[str, Statement] = {}
    left: list[Statement] = []
    end = reader.end()
    carried = reader.carried_keys()
    for trail in trails:
        statement = trail.statement
        if trail.position >= end:
            break
        if statement.cell in reader.own or (statement.cell, statement.index) in carried:
            continue
        written.update(dict.fromkeys(trail.paths, statement))
        if trail.some:
            left.append(statement)
    if not written and not left:
        return
    for run in reader.blocks:
        code = reader.tagged.code.get(run.cell)
        for number, node in run.block.magics if code is not None else ():
            assert code is not None
            magic = code.magics[number]
            if not _command(magic):
                continue
            text = magic.argument if magic.kind != "cell" else magic.body or ""
            words = [w.removeprefix("./") for w in _WORD.findall(text)]
            named = [written[w] for w in words if w in written]
            before = named or (left if _may_read(text) else [])
            if before:
                name = " ".join(text.split())[:60]
                place = reader.place(run.site or Site(run.cell, node))
                cells = tuple(sorted({s.cell for s in before}))
                finding = Finding("NBC109", name, place, cells, reader.name, {"what": "left"})
                yield diagnostic_of(finding, reader.tagged)


def _command(magic: Magic) -> bool:
    return magic.kind == "system" or magic.name in (
        "!",
        "!!",
        "sx",
        "system",
        "bash",
        "sh",
        "script",
    )


def _commands(text: str) -> list[str]:
    """The first word of each command of a shell line."""
    parts = (part.split() for part in re.split(r"[;|&\n]+", text))
    return [words[0] for words in parts if words]


def _may_write(magic: Magic) -> bool:
    text = magic.argument if magic.kind != "cell" else magic.body or ""
    return ">" in text or any(word not in _READS_ONLY for word in _commands(text))


def _may_read(text: str) -> bool:
    return any(word not in _READS_NOTHING for word in _commands(text))
