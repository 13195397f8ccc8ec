"""A cell as plain Python: what :mod:`nbcomponent.notebook.magics` says of its IPython syntax, as code.

The code made here calls modules and helpers by names such as ``__nbc_os__``; the script's writer puts
real names in their place once it knows which are free.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from nbcomponent.core.trees import children
from nbcomponent.export.layout import quote
from nbcomponent.export.names import BUILTINS, evaluated_names
from nbcomponent.export.text import offset_of, replace_spans, span_of
from nbcomponent.notebook.arguments import STATEMENT_OPTIONS, interpolated, statement_start, words
from nbcomponent.notebook.magics import Treatment, treatment
from nbcomponent.notebook.model import PLACEHOLDER, CellCode, Magic

STAND_IN = re.compile(r"__nbc_([a-z_]+?)__")
"""A name that the script's writer replaces: a module, or a helper of :data:`SHELL_HELPERS`."""

SHELL_HELPERS = {
    "shell": '''\
def {shell}(command: str) -> None:
    """Run a command in the shell, as ``!command`` does in a notebook."""
    {sys}.stdout.flush()
    {subprocess}.run(command, shell=True, stderr={subprocess}.STDOUT, check=False)
''',
    "shell_lines": '''\
def {shell_lines}(command: str) -> list[str]:
    """The lines that a command prints, as ``x = !command`` has them in a notebook."""
    output = {subprocess}.run(
        command,
        shell=True,
        stdout={subprocess}.PIPE,
        stderr={subprocess}.STDOUT,
        check=False,
        text=True,
    )
    return output.stdout.splitlines()
''',
    "interpret": '''\
def {interpret}(program: list[str], script: str) -> None:
    """Hand a script to another program, as ``%%bash`` does; fail where it fails."""
    {sys}.stdout.flush()
    {subprocess}.run(program, input=script, check=True, text=True)
''',
    "write_file": '''\
def {write_file}(name: str, text: str, append: bool = False) -> None:
    """Write a file, and say so as ``%%writefile`` does in a notebook."""
    done = ("Appending to" if append else "Overwriting") if {os}.path.exists(name) else "Writing"
    print(done, name)
    with open(name, "a" if append else "w", encoding="utf-8") as stream:
        stream.write(text)
''',
    "captured": '''\
class {captured}:
    """What a block printed, as ``%%capture`` keeps it."""

    def __init__(self, stdout: str, stderr: str) -> None:
        self.stdout = stdout
        self.stderr = stderr

    def __str__(self) -> str:
        return self.stdout

    def show(self) -> None:
        """Print it now."""
        {sys}.stdout.write(self.stdout)
        {sys}.stderr.write(self.stderr)
''',
}

_NEEDS = {
    "shell": ("sys", "subprocess"),
    "shell_lines": ("subprocess",),
    "interpret": ("sys", "subprocess"),
    "write_file": ("os",),
    "captured": ("sys",),
}


def needs_of(helper: str) -> tuple[str, ...]:
    """The modules that a helper of :data:`SHELL_HELPERS` uses."""
    return _NEEDS[helper]


class Untranslatable(Exception):
    """IPython syntax that no script can run: the analysis refuses it first (NBC111)."""


@dataclass(frozen=True, slots=True)
class Capture:
    """``%%capture``: what the rest of the cell prints is kept under ``name``, or nowhere."""

    name: str | None
    stdout: bool = True
    stderr: bool = True


@dataclass(frozen=True, slots=True)
class PlainCell:
    """``code`` is Python. ``statement_of`` maps each of its top-level statements to the index of the
    statement of the notebook's cell that it comes from. ``changing``: indexes of statements (of
    ``code``) that change the process. ``capture`` holds for the whole cell.
    """

    code: str
    statement_of: tuple[int, ...]
    changing: frozenset[int] = frozenset()
    capture: Capture | None = None


def plain_cell(code: CellCode, known: frozenset[str]) -> PlainCell:
    """The cell ``code`` as plain Python. The cell must have a tree.

    ``known`` are the names that may stand in ``{x}`` and ``$x``: IPython expands a line only where it
    can evaluate all of them, so ``$HOME`` stays for the shell.

    Raises :class:`Untranslatable` for syntax that :func:`treatment` refuses.
    """
    assert code.tree is not None
    tree = ast.parse(code.text)
    if not code.magics:
        return PlainCell(code.text, tuple(range(len(tree.body))))
    work = _Translation(_expanding(code, known))
    for index, statement in enumerate(tree.body):
        work.statement(index, statement)
    edits = sorted(work.edits)
    plain = replace_spans(code.text, edits)
    starts = [span_of(code.text, node)[0] for node in tree.body]
    origins = []
    for node in ast.parse(plain).body:
        offset = _original_offset(offset_of(plain, node.lineno, node.col_offset), edits)
        origins.append(max(bisect_right(starts, offset) - 1, 0))
    return PlainCell(
        plain,
        tuple(origins),
        frozenset(i for i, origin in enumerate(origins) if origin in work.changing),
        work.capture,
    )


def _expanding(code: CellCode, known: frozenset[str]) -> CellCode:
    """The cell with only those magics interpolated that IPython would interpolate."""

    def expands(magic: Magic) -> bool:
        names = (name for e in magic.interpolated for name in evaluated_names(e))
        return all(name in known or name in BUILTINS for name in names)

    magics = [m if expands(m) else replace(m, interpolated=()) for m in code.magics]
    return replace(code, magics=tuple(magics))


def _original_offset(offset: int, edits: list[tuple[int, int, str]]) -> int:
    """Where in the former text something stands that is at ``offset`` after ``edits``."""
    shift = 0
    for start, end, text in edits:
        if offset < start + shift:
            break
        if offset < start + shift + len(text):
            return start
        shift += len(text) - (end - start)
    return offset - shift


@dataclass
class _Translation:
    code: CellCode
    edits: list[tuple[int, int, str]] = field(default_factory=list)
    changing: set[int] = field(default_factory=set)
    capture: Capture | None = None

    def statement(self, index: int, statement: ast.stmt) -> None:
        for node, whole in _placeholders(statement):
            magic = self.code.magics[_number(node)]
            told = treatment(magic)
            if told.kind == "refuse":
                raise Untranslatable(told.reason)
            if _changes_process(magic, told):
                self.changing.add(index)
            if magic.kind == "cell" and magic.name == "capture":
                self.capture = _capture(magic)
            if whole is None:
                start, end = span_of(self.code.text, node)
                self.edits.append((start, end, _expression(magic, told)))
            else:
                self._whole(magic, told, whole, nested=whole is not statement)

    def _whole(self, magic: Magic, told: Treatment, node: ast.Expr, *, nested: bool) -> None:
        text = self.code.text
        start, end = span_of(text, node)
        line_start = text.rfind("\n", 0, start) + 1
        line_end = text.find("\n", end)
        line_end = len(text) if line_end < 0 else line_end
        alone = not text[line_start:start].strip() and text[end:line_end].lstrip()[:1] in (
            "",
            "#",
            ";",
        )
        lines = _lines(magic, told)
        if not lines:
            replacement = "pass" if nested or not alone else ""
            if replacement == "" and not text[end:line_end].strip():
                end = line_end
            self.edits.append((start, end, replacement))
            return
        indent = text[line_start:start] if alone else ""
        self.edits.append((start, end, f"\n{indent}".join("\n".join(lines).split("\n"))))


def _placeholders(statement: ast.stmt) -> Iterator[tuple[ast.Call, ast.Expr | None]]:
    """Placeholder calls in a statement; with the expression statement that one is, if it is one."""
    waiting: list[tuple[ast.AST, ast.Expr | None]] = [(statement, None)]
    while waiting:
        node, parent = waiting.pop()
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == PLACEHOLDER
        ):
            yield node, parent
            continue
        inner = node if isinstance(node, ast.Expr) else None
        waiting += [(child, inner) for child in children(node)]


def _number(node: ast.Call) -> int:
    value = node.args[0]
    assert isinstance(value, ast.Constant)
    assert isinstance(value.value, int)
    return value.value


def _changes_process(magic: Magic, told: Treatment) -> bool:
    if told.kind != "translate":
        return False
    return magic.name not in ("pwd",) and not (magic.name == "env" and magic.assigned)


# One piece of syntax


def _lines(magic: Magic, told: Treatment) -> list[str]:
    """Statements that stand for ``magic``; none where it is left out."""
    if told.kind in ("drop", "skip-code", "environment") or magic.name == "capture":
        return []
    if told.kind == "run-code":
        if magic.kind == "cell" or magic.code is None:
            return []
        text = _statement_text(magic)
        # Only %time hands on the value of its statement, so only there the notebook shows it.
        is_value = len(magic.code.body) == 1 and isinstance(magic.code.body[0], ast.Expr)
        shown = magic.name == "time" or magic.kind == "autocall"
        return [text if shown or not is_value else f"{text};"]
    if magic.kind == "cell":
        return _cell_lines(magic, told)
    if told.sets_variables:
        return [
            f"__nbc_os__.environ[{quote(name)}] = "
            + (quote(value) if value is not None else _value_after_name(magic))
            for name, value in told.sets_variables
        ]
    if told.changes_directory is not None:
        return [f"__nbc_os__.chdir({_directory(magic, told)})"]
    if magic.name == "pwd" or magic.name in ("!!", "sx", "system"):
        return [_expression(magic, told)]
    command = magic.argument if magic.kind == "system" else f"{magic.name} {magic.argument}"
    return [f"__nbc_shell__({_text(command.strip(), magic)})"]


def _expression(magic: Magic, told: Treatment) -> str:
    """An expression that stands for ``magic`` where its value is used."""
    if told.kind in ("drop", "skip-code"):
        return "None"
    if told.kind == "environment":
        return "[]"
    if told.kind == "run-code":
        return _statement_text(magic)
    if magic.name == "pwd":
        return "__nbc_os__.getcwd()"
    if magic.name == "env":
        name = magic.argument.strip()
        return f"__nbc_os__.environ[{quote(name)}]" if name else "dict(__nbc_os__.environ)"
    if magic.kind == "system" or magic.name in ("sx", "system"):
        return f"__nbc_shell_lines__({_text(magic.argument.strip(), magic)})"
    if magic.kind == "line":
        return f"__nbc_shell_lines__({_text(f'{magic.name} {magic.argument}'.strip(), magic)})"
    raise Untranslatable(told.reason)


def _statement_text(magic: Magic) -> str:
    assert magic.code is not None
    options = STATEMENT_OPTIONS.get(magic.name)
    if options is not None:
        text = magic.argument[statement_start(magic.argument, options) :].strip()
        try:
            if ast.dump(ast.parse(text)) == ast.dump(magic.code):
                return text
        except (SyntaxError, ValueError):
            pass  # The magic's own text is no Python; its tree is.
    return ast.unparse(magic.code)


def _cell_lines(magic: Magic, told: Treatment) -> list[str]:
    body = magic.body or ""
    if told.writes_file is not None:
        path = _text(told.writes_file, magic)
        if told.writes_file.startswith("~"):
            path = f"__nbc_os__.path.expanduser({path})"
        more = ", append=True" if told.appends else ""
        return [f"__nbc_write_file__({path}, {_block(body)}{more})"]
    if magic.name in ("!", "sx", "system"):
        command = _text(body.strip("\n"), magic)
        bound = [name for name, _, _ in magic.binds]
        if bound:
            return [f"{bound[0]} = __nbc_shell_lines__({command})"]
        return [
            f"__nbc_shell_lines__({command})" if magic.name != "!" else f"__nbc_shell__({command})"
        ]
    program = _program(magic)
    captured = _captured_names(magic)
    if not captured:
        return [f"__nbc_interpret__({program}, {_block(body)})"]
    lines = [
        "__nbc_process__ = __nbc_subprocess__.run(",
        f"    {program}, input={_block(body)}, capture_output=True, check=True, text=True",
        ")",
    ]
    return lines + [f"{name} = __nbc_process__.{stream}" for stream, name in captured]


def _program(magic: Magic) -> str:
    """The command line of the program that a cell is handed to, as a list."""
    parts = [word.text for word in words(magic.argument)]
    plain: list[str] = [] if magic.name == "script" else [magic.name]
    index = 0
    while index < len(parts):
        word = parts[index]
        if word in ("--out", "--err", "--proc"):
            index += 2
            continue
        if not word.startswith(("--out=", "--err=", "--proc=", "--no-raise-error", "--bg")):
            plain.append(word)
        index += 1
    return f"[{', '.join(map(quote, plain))}]"


def _captured_names(magic: Magic) -> list[tuple[str, str]]:
    found = []
    for stream, option in (("stdout", "--out"), ("stderr", "--err")):
        match = re.search(rf"{option}[= ]\s*([A-Za-z_]\w*)", magic.argument)
        if match:
            found.append((stream, match[1]))
    return found


def _capture(magic: Magic) -> Capture:
    options = magic.argument.split()
    names = [word for word in options if not word.startswith("-")]
    return Capture(
        names[0] if names else None,
        stdout="--no-stdout" not in options,
        stderr="--no-stderr" not in options,
    )


def _value_after_name(magic: Magic) -> str:
    argument = magic.argument.strip()
    match = re.match(r"[A-Za-z_]\w*(?:=|\s+)", argument)
    assert match is not None
    return _text(argument[match.end() :].strip(), magic)


def _directory(magic: Magic, told: Treatment) -> str:
    target = told.changes_directory or ""
    if magic.interpolated:
        return _text(" ".join(w.text for w in words(magic.argument) if w.text != "-q"), magic)
    if target.startswith("~"):
        return f"__nbc_os__.path.expanduser({quote(target)})"
    return quote(target)


def _block(text: str) -> str:
    """A text of several lines as a readable literal."""
    if (
        "\n" in text.rstrip("\n")
        and '"""' not in text
        and "\\" not in text
        and text.isprintable() is False
    ):
        plain = text.replace("\n", "").replace("\t", "")
        if plain.isprintable() and not text.endswith('"') and "\t" not in text:
            return f'"""\\\n{text}"""'
    return quote(text)


def _text(text: str, magic: Magic) -> str:
    """Text in which ``{x}`` and ``$x`` stand for the notebook's values, as an expression."""
    found = interpolated(text) if magic.interpolated else []
    if not found:
        return quote(text)
    pieces: list[tuple[str, str]] = []  # expression and format of each field
    literals: list[str] = []
    position = 0
    for code, offset in found:
        dollar = text[offset - 1] == "$"
        start = offset - 1
        end = offset + len(code) if dollar else _closing(text, start)
        field_text = code if dollar else text[start + 1 : end - 1]
        literals.append(_escaped(text[position:start]))
        pieces.append((code, field_text[len(code) :] if field_text.startswith(code) else ""))
        position = end
    literals.append(_escaped(text[position:]))
    simple = not any(c in code for code, _ in pieces for c in "\"'\\{}#\n")
    body = literals[0]
    for (code, form), rest in zip(pieces, literals[1:], strict=True):
        body += "{" + (code if simple else "") + form + "}" + rest
    if simple:
        return "f" + quote(body)
    return f"{quote(body)}.format({', '.join(code for code, _ in pieces)})"


def _closing(text: str, start: int) -> int:
    depth = 0
    for index in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[index], 0)
        if depth == 0:
            return index + 1
    return len(text)


def _escaped(text: str) -> str:
    """Literal text of IPython's format (``{{`` is a brace) for a Python format."""
    return text.replace("{{", "{").replace("}}", "}").replace("{", "{{").replace("}", "}}")
