"""A command of a template and values: what is really started.

The template is the author's text, the values are not: a value never becomes part of shell or Python code.

1. Optional groups are kept when every input they name is given and not empty, otherwise left out
   (an empty value is refused by the service in some paths, so it counts as not given).
2. What is left is read with the quoting rules of the shell, each reference standing for itself. A
   template that asks nothing of a shell is split into words (as ``shlex`` would); then the values are
   put into the words. ``echo ${{inputs.x}}`` gives one argument, whatever the value holds.
3. A template that needs a shell (pipes, ``&&``, several lines, ``$VAR``, ``>``, globs) is run by
   ``bash -c``. The values are positional parameters of that shell, taken into shell variables,
   and each reference becomes a quoted expansion of its variable; where bash would evaluate the value
   (``eval``, arithmetic, backquotes, here-documents, ``[[``), a reference is refused. So it is in the
   code given to ``bash -c`` or ``python -c``. Integers, numbers and booleans may stand anywhere.
4. A literal that is a word of its own after a long option of a Python program is joined to it:
   ``python train.py --lr ${{inputs.lr}}`` runs as ``--lr=-1e-05``. As two words, argparse takes such a value for an
   option. Where no earlier word is a Python interpreter, launcher or script, and for
   short options and paths, the words stay as written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Union

from nbcomponent.schema.templates import Group, Ref, Side, Template


@dataclass(frozen=True, slots=True)
class Value:
    """What a reference stands for.

    ``literal``: an argument of type integer, number, string or boolean (not a path). ``inert``: its
    text cannot be read as code (integers, numbers, booleans).
    """

    text: str
    literal: bool
    inert: bool = False


@dataclass(frozen=True, slots=True)
class Invocation:
    """The command to run: ``argv`` as it is given to the operating system. ``shell``: bash runs it."""

    argv: tuple[str, ...]
    shell: bool


class TemplateError(ValueError):
    """The template cannot be run with these values. ``offset`` tells where in the template."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


_Atom = Union[str, Ref]
_Word = list[_Atom]


def render(template: Template, values: Mapping[tuple[Side, str], Value]) -> Invocation:
    """The command for ``values`` (an input that is not given has no entry).

    Raises TemplateError for a template with problems, a reference without a value outside of
    ``$[[ ]]``, and a value where a program would read it as code.
    """
    if template.problems:
        raise TemplateError(template.problems[0].message, template.problems[0].offset)
    atoms = _flattened(template, values)
    scan = _Scan(atoms, lambda ref: values[ref.side, ref.name])
    scan.run()
    if scan.shell_reason is None:
        return Invocation(tuple(_argv(scan.words, values)), shell=False)
    prelude = "".join(f"__nbc_{n}=${{{n + 1}}};" for n in range(len(scan.variables)))
    script = f"{prelude}set --\n" if prelude else ""
    script += "".join(scan.script)
    texts = [values[ref.side, ref.name].text for ref in scan.variables]
    return Invocation(("bash", "-c", script, "bash", *texts), shell=True)


def _flattened(template: Template, values: Mapping[tuple[Side, str], Value]) -> list[_Atom]:
    """Single characters and references, groups resolved, blanks around the whole removed."""
    atoms: list[_Atom] = []

    def add(part: str | Ref) -> None:
        if isinstance(part, str):
            atoms.extend(part)
        elif (part.side, part.name) not in values:
            raise TemplateError(
                f"'{part.side}.{part.name}' has no value here; an input that may be left out stands in '$[[ ]]'",
                part.offset,
            )
        else:
            atoms.append(part)

    for part in template.parts:
        if isinstance(part, Group):
            refs = [inner for inner in part.parts if isinstance(inner, Ref)]
            given = [values.get((ref.side, ref.name)) for ref in refs]
            if all(value is not None and value.text for value in given):
                for inner in part.parts:
                    add(inner)
        else:
            add(part)
    while atoms and isinstance(atoms[0], str) and atoms[0].isspace():
        del atoms[0]
    while atoms and isinstance(atoms[-1], str) and atoms[-1].isspace():
        if atoms[-2:-1] == ["\\"]:
            break  # an escaped blank belongs to the command
        del atoms[-1]
    return atoms


_SHELL_CHARACTERS = frozenset("|&;<>()$`*?[{")
_BLANKS = frozenset(" \t\r")
_ENDS_WORD = frozenset(" \t\r\n|&;<>()")
_LONG_OPTION = re.compile(r"--[A-Za-z][A-Za-z0-9_.-]*\Z")
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
_PYTHON = re.compile(
    r"(?:.*/)?(?:python|pypy)[0-9.]*\Z|(?:.*/)?(?:torchrun|deepspeed|accelerate)\Z|.*\.py\Z"
)
_SHELLS = re.compile(r"(?:.*/)?(?:ba|da|z|k|a)?sh\Z")
_INTERPRETERS = re.compile(r"(?:.*/)?(?:(?:python|pypy)[0-9.]*|perl|ruby|node|Rscript)\Z")
_CODE_OPTION = re.compile(r"-[A-Za-z]*[ce]\Z")
_TEXT_PROGRAMS = re.compile(r"(?:.*/)?(?:[gmn]?awk|sed|perl|jq)\Z")
_EVALUATING = frozenset(
    ("eval", "let", "declare", "typeset", "trap", "unset", "read", "[[", "mapfile", "readarray")
)
_KEYWORDS = frozenset(("if", "elif", "then", "else", "while", "until", "do", "!", "time", "{"))
_BUILTINS = frozenset(
    (
        *_KEYWORDS,
        *_EVALUATING,
        *(".", ":", "alias", "builtin", "case", "cd", "command", "exec", "exit", "export", "for"),
        *("function", "local", "popd", "printf", "pushd", "return", "select", "set", "shift"),
        *("source", "test", "type", "ulimit", "umask", "wait"),
    )
)


def _plain(word: _Word) -> str:
    """The word's own text; references show as nothing."""
    return "".join(atom for atom in word if isinstance(atom, str))


def _argv(words: list[_Word], values: Mapping[tuple[Side, str], Value]) -> Iterator[str]:
    """Words with their values, literals joined to the long options of Python programs."""
    texts = [
        "".join(a if isinstance(a, str) else values[a.side, a.name].text for a in word)
        for word in words
    ]
    index = 0
    while index < len(words):
        following = words[index + 1] if index + 1 < len(words) else []
        if (
            len(following) == 1
            and isinstance(following[0], Ref)
            and values[following[0].side, following[0].name].literal
            and _takes_joined(words[: index + 1])
        ):
            yield f"{texts[index]}={texts[index + 1]}"
            index += 2
        else:
            yield texts[index]
            index += 1


def _takes_joined(words: list[_Word]) -> bool:
    """The last of ``words`` is a long option, and an earlier one is a Python program."""
    option = words[-1]
    return (
        all(isinstance(atom, str) for atom in option)
        and _LONG_OPTION.match(_plain(option)) is not None
        and any(_PYTHON.match(_plain(word)) for word in words[:-1])
    )


@dataclass(slots=True)
class _Scan:
    """One pass over the atoms: words for a direct start, and the script for a shell."""

    atoms: list[_Atom]
    value: Callable[[Ref], Value]
    words: list[_Word] = field(default_factory=list)
    script: list[str] = field(default_factory=list)
    variables: list[Ref] = field(default_factory=list)
    shell_reason: str | None = None
    _word: _Word | None = None
    _command: list[_Word] = field(default_factory=list)
    _stack: list[str] = field(default_factory=list)
    _outer: list[tuple[list[_Word], _Word | None]] = field(default_factory=list)
    _heredoc: bool = False
    _at: int = 0

    def run(self) -> None:
        while self._at < len(self.atoms):
            atom = self.atoms[self._at]
            state = self._stack[-1] if self._stack else ""
            if isinstance(atom, Ref):
                self._reference(atom, state)
            elif state == "'":
                self._single(atom)
            elif state == '"':
                self._double(atom)
            elif state in ("`", "((", "${", "$'"):
                self._opaque(atom, state)
            else:
                self._normal(atom, state)
            self._at += 1
        if self._stack and self._stack[-1] in ("'", '"'):
            raise TemplateError("the command has a quotation mark without its partner", 0)
        self._end_word()
        self._end_command()

    # Characters

    def _next(self) -> _Atom | None:
        return self.atoms[self._at + 1] if self._at + 1 < len(self.atoms) else None

    def _add(self, atom: _Atom) -> None:
        if self._word is None:
            self._word = []
        self._word.append(atom)

    def _needs_shell(self, why: str) -> None:
        self.shell_reason = self.shell_reason or why

    def _normal(self, char: str, state: str) -> None:
        self.script.append(char)
        if char in _BLANKS:
            self._end_word()
        elif char == "\n":
            self._needs_shell("several lines")
            self._end_word()
            self._end_command()
        elif char == "'":
            self._open("'")
        elif char == '"':
            self._open('"')
        elif char == "\\":
            self._escape()
        elif char == "#" and self._word is None:
            self._needs_shell("a comment")
            self._comment()
        elif char == "~" and self._word is None:
            self._needs_shell("~")
            self._add(char)
        elif char == "$" and self._next() in ("(", "{", "'", '"', "["):
            self._dollar()
        elif char == "`":
            self._needs_shell(char)
            self._add(char)
            self._stack.append("`")
        elif char == "(":
            self._needs_shell(char)
            self._end_word()
            self._end_command()
            self._open_parenthesis()
        elif char == ")":
            self._needs_shell(char)
            self._end_word()
            self._end_command()
            if state == "(":
                self._stack.pop()
                self._command, self._word = self._outer.pop()
        elif char in "|&;":
            self._needs_shell(char)
            self._end_word()
            self._end_command()
        elif char in "<>":
            self._needs_shell(char)
            self._end_word()
            if char == "<" and self._next() == "<":
                self._heredoc = True
        else:
            if char in _SHELL_CHARACTERS:
                self._needs_shell(char)
            self._add(char)

    def _open(self, quote: str) -> None:
        if self._word is None:
            self._word = []
        self._stack.append(quote)

    def _open_parenthesis(self) -> None:
        """A command inside of another (or arithmetic, which is skipped)."""
        if self._next() == "(":
            self._stack.append("((")
            return
        self._stack.append("(")
        self._outer.append((self._command, self._word))
        self._command, self._word = [], None

    def _escape(self) -> None:
        following = self._next()
        if following is None:
            raise TemplateError("the command ends with a backslash", 0)
        if isinstance(following, Ref):
            raise TemplateError("a backslash stands before a reference", following.offset)
        self._at += 1
        self.script.append(following)
        if following != "\n":
            self._add(following)

    def _comment(self) -> None:
        while self._next() not in ("\n", None):
            self._at += 1  # a reference in a comment is a comment
            atom = self.atoms[self._at]
            self.script.append(atom if isinstance(atom, str) else "")

    def _dollar(self) -> None:
        """``$(``, ``$((``, ``${``, ``$'``, ``$"``, ``$[``."""
        self._needs_shell("$")
        self._at += 1
        opened = self.atoms[self._at]
        assert isinstance(opened, str)
        self.script.append(opened)
        self._add("$")
        if opened == "(":
            self._open_parenthesis()
        elif opened == '"':
            self._stack.append('"')
        else:
            self._stack.append({"{": "${", "'": "$'", "[": "(("}[opened])

    def _single(self, char: str) -> None:
        self.script.append(char)
        if char == "'":
            self._stack.pop()
        else:
            self._add(char)

    def _double(self, char: str) -> None:
        self.script.append(char)
        if char == '"':
            self._stack.pop()
        elif char == "\\":
            following = self._next()
            if isinstance(following, str) and following in '"\\$`\n':
                self._at += 1
                self.script.append(following)
                if following != "\n":
                    self._add(following)
            else:
                self._add(char)
        elif char == "$" and self._next() in ("(", "{"):
            self._dollar()
        elif char in "$`":
            self._needs_shell(char)
            self._add(char)
            if char == "`":
                self._stack.append("`")
        else:
            self._add(char)

    def _opaque(self, char: str, state: str) -> None:
        """Inside of constructs in which no text value may stand: only their end is looked for."""
        self.script.append(char)
        if char == "\\" and isinstance(self._next(), str):
            self._at += 1
            following = self.atoms[self._at]
            assert isinstance(following, str)
            self.script.append(following)
        elif state == "((":
            if char == ")" and self._next() == ")":
                self._at += 1
                self.script.append(")")
                self._stack.pop()
        elif char == {"`": "`", "${": "}", "$'": "'"}[state]:
            self._stack.pop()

    # References

    def _reference(self, ref: Ref, state: str) -> None:
        value = self.value(ref)
        self._add(ref)
        if state in ("'", '"'):
            self._join_quoted(ref, state)
        if value.inert:
            joined = self._joined(ref) if state in ("", "(") else None
            self.script.append(joined or value.text)
            return
        if state in ("`", "((", "${", "$'") or self._heredoc:
            raise TemplateError(
                f"'{ref.side}.{ref.name}' stands where the shell evaluates it;"
                " give it to a program as a quoted argument instead",
                ref.offset,
            )
        expansion = f"${{__nbc_{self._variable(ref)}}}"
        if state == "'":
            self.script.append(f"'\"{expansion}\"'")
        elif state == '"':
            self.script.append(expansion)
        else:
            self.script.append(self._joined(ref) or f'"{expansion}"')

    def _variable(self, ref: Ref) -> int:
        for index, known in enumerate(self.variables):
            if (known.side, known.name) == (ref.side, ref.name):
                return index
        self.variables.append(ref)
        return len(self.variables) - 1

    def _joined(self, ref: Ref) -> str | None:
        """Where the unquoted reference is a word after a long option: the text joined by ``=``."""
        following = self._next()
        alone = following is None or (isinstance(following, str) and following in _ENDS_WORD)
        if not (alone and self._word == [ref] and self._after_option(ref)):
            return None
        value = self.value(ref)
        return f"={value.text}" if value.inert else f'="${{__nbc_{self._variable(ref)}}}"'

    def _join_quoted(self, ref: Ref, quote: str) -> None:
        """The same for ``--name "${{inputs.x}}"``: the blank before the quotation mark becomes ``=``."""
        after = self.atoms[self._at + 1 : self._at + 3]
        closes = bool(after) and after[0] == quote
        alone = len(after) < 2 or (isinstance(after[1], str) and after[1] in _ENDS_WORD)
        if closes and alone and self._word == [ref] and self._after_option(ref, quoted=True):
            self.script.append(f"={quote}")

    def _after_option(self, ref: Ref, quoted: bool = False) -> bool:
        """Whether the word before is a long option of a Python program; then drops the blank after it."""
        if not self.value(ref).literal or not self._command:
            return False
        if not _takes_joined(self._command):
            return False
        tail = len(self.script)
        if quoted:
            tail -= 1  # the opening quotation mark
        start = tail
        while start > 0 and self.script[start - 1] in _BLANKS:
            start -= 1
        if start == tail:
            return False
        del self.script[start:]
        return True

    # Words and commands

    def _end_word(self) -> None:
        if self._word is None:
            return
        if not self._command and _ASSIGNMENT.match(_plain(self._word)):
            self._needs_shell("an assignment before the command")
        if not self._command and _plain(self._word) in _BUILTINS:
            self._needs_shell(_plain(self._word))
        self.words.append(self._word)
        self._command.append(self._word)
        self._word = None

    def _end_command(self) -> None:
        """Refuse text values that the command would read as code."""
        names = [_plain(word) for word in self._command]
        start = 0
        while start < len(names) and (names[start] in _KEYWORDS or _ASSIGNMENT.match(names[start])):
            start += 1
        for position in range(start + 1, len(names)):
            word = self._command[position]
            ref = next((a for a in word if isinstance(a, Ref) and not self.value(a).inert), None)
            if ref is not None and self._reads_code(names[start:], position - start, word, ref):
                raise TemplateError(
                    f"'{ref.side}.{ref.name}' stands where '{names[start]}' reads it as code;"
                    " give it as an argument of its own instead",
                    ref.offset,
                )
        self._command = []

    def _reads_code(self, names: list[str], position: int, word: _Word, ref: Ref) -> bool:
        """Whether the word at ``position`` of a command is code or a name to its program."""
        program, before = names[0], names[position - 1]
        if program in _EVALUATING or (program in ("test", "[", "printf") and before == "-v"):
            return True
        for index, name in enumerate(names[: position - 1]):
            between = names[index + 1 : position]
            code = _CODE_OPTION.match(before) is not None
            if code and _SHELLS.match(name):
                return True
            # What follows a script's name are the script's own options.
            if code and _INTERPRETERS.match(name) and all(n.startswith("-") for n in between):
                return True
        embedded = len(word) > 1 and self.value(ref).literal
        return embedded and any(_TEXT_PROGRAMS.match(name) for name in names[:position])
