"""``--boundary auto``: shell lines that may read what shell lines or cells of other components left behind.

Each component begins in a fresh working directory. What ``!git init`` or ``%%file README`` in another
component left there is gone, and ``!git log`` or ``!cat README`` would print something else without a
word: which files a command reads and writes, its text does not say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from nbcomponent.analysis.component import ComponentReader, Site
from nbcomponent.analysis.facts import Statement
from nbcomponent.analysis.messages import Finding, diagnostic_of
from nbcomponent.core.diagnostics import Diagnostic
from nbcomponent.notebook.model import Magic

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


def left_behind(reader: ComponentReader) -> Iterator[Diagnostic]:
    """NBC109 for each shell line of the component that may read what is not there (``auto``)."""
    if reader.boundary == "strict":
        return
    written: dict[str, Statement] = {}
    left: list[Statement] = []
    end = reader.end()
    carried = reader.carried_keys()
    for position, statement in enumerate(reader.namespace.statements):
        if position >= end:
            break
        if statement.cell in reader.own or (statement.cell, statement.index) in carried:
            continue
        for magic in _magics(reader, statement):
            if magic.kind == "cell" and magic.name in ("writefile", "file"):
                for word in magic.argument.split():
                    if word not in ("-a", "--append"):
                        written[word.removeprefix("./")] = statement
            elif _command(magic) and _may_write(magic):
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


def _magics(reader: ComponentReader, statement: Statement) -> list[Magic]:
    code = reader.tagged.code.get(statement.cell)
    if code is None:
        return []
    return [code.magics[number] for number, _ in statement.block.magics]


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
