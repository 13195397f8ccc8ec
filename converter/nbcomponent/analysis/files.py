"""Files that code reads, writes and asks about: calls, methods, and words of shell lines."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator

from nbcomponent.analysis.effect import Effect, EffectKind
from nbcomponent.analysis.facts import NameNode
from nbcomponent.analysis.library.file_access import (
    ADDED_SUFFIX,
    FOLDER_MAKERS,
    LOOKS,
    MODE_ARGUMENT,
    PANDAS_READERS,
    PATH_LOOKS,
    PATH_READS,
    PATH_WRITES,
    READERS,
    READING_METHODS,
    WRITERS,
    WRITING_METHODS,
)
from nbcomponent.analysis.paths import Paths, begins_unknown, pattern, shown
from nbcomponent.analysis.syntax import dotted
from nbcomponent.analysis.values import type_of

FILE_METHODS = frozenset(
    {
        "mkdir", "write", "read", *WRITING_METHODS, *READING_METHODS, *PATH_READS, *PATH_LOOKS,
        *PATH_WRITES,
    }
)  # fmt: skip
"""Names of methods that may touch a file."""

COMMANDS = frozenset(
    [
        "subprocess.run",
        "subprocess.call",
        "subprocess.check_call",
        "subprocess.check_output",
        "subprocess.Popen",
        "subprocess.getoutput",
        "subprocess.getstatusoutput",
        "os.system",
        "os.popen",
    ]
)
_PATH_KEYWORDS = ("path_or_buf", "path", "fname", "filename", "filepath", "fp", "file", "buf")
_QUOTING = re.compile(r"[\"'\\#]")
_FILE_LIKE = re.compile(r"[^\n<>|\"]{1,300}")
_WRITING_OPTION = re.compile(r"--?[\w-]*(out|save|dest|target|result|export|log)[\w-]*")


def normal_path(path: str) -> str:
    """A path in the form that comparisons use."""
    parts: list[str] = []
    for part in path.replace("\\", "/").split("/"):
        if part in ("", "."):
            continue
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        else:
            parts.append(part)
    return ("/" if path.startswith("/") else "") + "/".join(parts)


def is_url(path: str) -> bool:
    """Whether a path names something that is not on this disk (``https:``, ``s3:``, ``azureml:``)."""
    return _SCHEME.match(path) is not None


_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")


def is_relative(path: str) -> bool:
    """Whether a path counts from the working directory."""
    return not path.startswith(("/", "~", "\0", "{")) and path[1:3] not in (":\\", ":/")


def file_effect(
    kind: EffectKind, path: str, node: NameNode, matters: bool = True
) -> Iterator[Effect]:
    """The effect on the file at ``path`` (which may have unknown parts), none for what is no file."""
    name = shown(path)
    if not name or is_url(name) or name.startswith(":memory:"):
        return
    if _FILE_LIKE.fullmatch(name):
        target = pattern(path)
        if not begins_unknown(target):
            target = normal_path(target)
        yield Effect(kind, name, node, matters=matters, target=target)


def argument(node: ast.Call, index: int, keyword: str) -> ast.expr | None:
    """An argument of a call by its position or name."""
    if index < len(node.args) and not any(
        isinstance(a, ast.Starred) for a in node.args[: index + 1]
    ):
        return node.args[index]
    return next((k.value for k in node.keywords if k.arg == keyword), None)


def _each(
    kind: EffectKind, node: ast.Call, where: ast.expr | None, paths: Paths, suffix: str = ""
) -> Iterator[Effect]:
    for path in paths.of(where):
        added = suffix if suffix and "." not in path.rpartition("/")[2] else ""
        yield from file_effect(kind, path + added, node)


def _mode(node: ast.Call, index: int, default: str = "r") -> tuple[bool, bool]:
    """(reads, writes) by the mode argument of an ``open``-like call."""
    mode = argument(node, index, "mode")
    text = mode.value if isinstance(mode, ast.Constant) else default
    if not isinstance(text, str):
        return True, False
    writes = any(letter in text for letter in "wax+")
    return not writes or "+" in text, writes


def touches_files(path: str) -> bool:
    """Whether a known function reads, writes or asks about a file."""
    return (
        path in READERS
        or path in WRITERS
        or path in LOOKS
        or path in FOLDER_MAKERS
        or path in COMMANDS
        or (path.startswith("pandas.") and path[7:] in PANDAS_READERS)
    )


def call_effects(path: str, node: ast.Call, paths: Paths) -> Iterator[Effect]:
    """What a call of a known function does to files."""
    reader: tuple[int, str] | None = READERS.get(path)
    if reader is None and path.startswith("pandas.") and path[7:] in PANDAS_READERS:
        reader = (0, "filepath_or_buffer" if path != "pandas.read_json" else "path_or_buf")
    if reader is not None:
        where = argument(node, *reader)
        reads, writes = True, False
        if path in MODE_ARGUMENT:
            reads, writes = _mode(node, MODE_ARGUMENT[path])
        if where is None and path in ("os.listdir", "os.scandir"):
            where = ast.Constant(".")
        if reads:
            yield from _each("read", node, where, paths)
        if writes:
            yield from _each("write", node, where, paths)
    writer = WRITERS.get(path)
    if writer is not None:
        suffix = ADDED_SUFFIX.get(path, "")
        if path == "shutil.make_archive":
            kind = argument(node, 1, "format")
            suffix = f".{kind.value!s}" if isinstance(kind, ast.Constant) else ""
        yield from _each("write", node, argument(node, *writer), paths, suffix)
    if path in LOOKS:
        yield from _each("look", node, argument(node, 0, "path"), paths)
    elif path in FOLDER_MAKERS:
        yield from _each("folder", node, argument(node, 0, "name"), paths)
    elif path in COMMANDS:
        yield Effect("cwd", path, node)
        yield from command_effects(_command_words(node, paths), node)


def _command_words(node: ast.Call, paths: Paths) -> list[str]:
    command = node.args[0] if node.args else None
    if isinstance(command, (ast.List, ast.Tuple)):
        return [shown((paths.of(e) or ("",))[0]) for e in command.elts]
    return words_of(shown((paths.of(command) or ("",))[0]))


def method_effects(node: ast.Call, paths: Paths) -> Iterator[Effect]:
    """What a method call on a value does to files, as far as its name tells."""
    func = node.func
    if not isinstance(func, ast.Attribute):
        return
    name = func.attr
    if name in WRITING_METHODS:
        where = node.args[0] if node.args else None
        if where is None:
            where = next((k.value for k in node.keywords if k.arg in _PATH_KEYWORDS), None)
        yield from _each("write", node, where, paths, ADDED_SUFFIX.get(name, ""))
    elif name in READING_METHODS and node.args:
        for path in paths.of(node.args[0]):
            if name != "from_pretrained" or path.startswith((".", "/", "~")):
                yield from file_effect("read", path, node)
    elif name in ("write", "read") and node.args:
        # of most values these take or give content; of these two, a path
        owner = type_of(func.value, paths.position, paths.namespace) or ""
        if name == "write" and owner.endswith("ElementTree"):
            yield from _each("write", node, node.args[0], paths)
        elif name == "read" and owner.endswith("ConfigParser"):
            yield from _each("read", node, node.args[0], paths)
    elif name in PATH_READS or name in PATH_LOOKS or name in PATH_WRITES or name == "mkdir":
        yield from _path_method(name, node, func.value, paths)


def _path_method(name: str, node: ast.Call, owner: ast.expr, paths: Paths) -> Iterator[Effect]:
    if name == "replace" and len(node.args) != 1:
        return  # a method of text
    if name == "open":
        reads, writes = _mode(node, 0)
        if reads:
            yield from _each("read", node, owner, paths)
        if writes:
            yield from _each("write", node, owner, paths)
        return
    if name in PATH_LOOKS:
        yield from _each("look", node, owner, paths)
    elif (name in ("glob", "rglob") and node.args) or name in PATH_READS:
        yield from _each("read", node, owner, paths)
    elif name == "mkdir":
        yield from _each("folder", node, owner, paths)
    else:
        yield from _each("write", node, owner, paths)
        if name in ("rename", "replace") and node.args and paths.of(owner):
            yield from _each("write", node, node.args[0], paths)


# commands of the shell


def words_of(command: str) -> list[str]:
    """The words of a command as a shell parts them."""
    if not _QUOTING.search(command):
        return command.split()
    try:
        return shlex.split(command, comments=True)
    except ValueError:
        return command.split()


def command_effects(words: list[str], node: NameNode) -> Iterator[Effect]:
    """Files that a shell command names: what it surely writes, and words that may be read."""
    for command in _commands(words):
        yield from _one_command(command, node)


def _commands(words: list[str]) -> Iterator[list[str]]:
    current: list[str] = []
    for word in words:
        if word in ("&&", "||", ";", "|", "&"):
            if current:
                yield current
            current = []
        elif word.endswith(";") and len(word) > 1:
            yield [*current, word[:-1]]
            current = []
        else:
            current.append(word)
    if current:
        yield current


_REDIRECTED = re.compile(r"[\d&]?>>?(.*)")


def _one_command(words: list[str], node: NameNode) -> Iterator[Effect]:
    name = words[0].rpartition("/")[2]
    plain: list[str] = []
    output_next = False
    for word in words[1:]:
        redirected = _REDIRECTED.match(word) if ">" in word else None
        if redirected:
            if redirected.group(1):
                yield from _shell_file("write", redirected.group(1), node)
            else:
                output_next = True
        elif output_next:
            yield from _shell_file("write", word, node)
            output_next = False
        elif word in ("-o", "-O", "-C", "-d", "-P") and name in (
            "curl", "wget", "tar", "unzip", "gcc", "aria2c", "sort", "pandoc",
        ):  # fmt: skip
            if not (name == "curl" and word == "-O"):
                output_next = True
        elif _WRITING_OPTION.fullmatch(word.partition("=")[0]):
            if "=" in word:
                yield from _shell_file("write", word.partition("=")[2], node)
            else:
                output_next = True
        elif not word.startswith("-"):
            plain.append(word)
    yield from _plain_words(name, plain, words, node)


def _plain_words(name: str, plain: list[str], words: list[str], node: NameNode) -> Iterator[Effect]:
    if name in ("cp", "mv", "ln", "rsync") and len(plain) > 1:
        yield from _shell_file("write", plain[-1], node)
        plain = plain[:-1]
        if name == "mv":
            for word in plain:
                yield from _shell_file("write", word, node)
    elif name in ("gsutil", "aws", "gcloud", "azcopy") and len(plain) > 1:
        if not is_url(plain[-1]):
            yield from _shell_file("write", plain[-1], node)
        plain = plain[:-1]
    elif name in ("touch", "tee", "rm", "truncate"):
        for word in plain:
            yield from _shell_file("write", word, node)
        return
    elif name in ("mkdir", "rmdir"):
        for word in plain:
            yield from _shell_file("folder", word, node)
        return
    elif name == "git" and plain[:1] == ["clone"] and len(plain) > 1:
        folder = plain[2] if len(plain) > 2 else plain[1].rstrip("/").rpartition("/")[2]
        yield from _shell_file("write", folder.removesuffix(".git"), node)
        return
    elif name in ("wget", "curl") and not any(
        w in words for w in ("-o", "--output", "--output-document")
    ):
        if name == "curl" and "-O" not in words:
            return
        if name == "wget" and "-O" in words:
            return
        for word in plain:
            if is_url(word):
                yield from _shell_file("write", word.partition("?")[0].rpartition("/")[2], node)
        return
    for word in plain:
        if _path_like(word):
            yield from _shell_file("read", word, node)


def _shell_file(kind: EffectKind, word: str, node: NameNode) -> Iterator[Effect]:
    if word and word != "-":
        yield from file_effect(kind, word, node, matters=False)


def _path_like(word: str) -> bool:
    return ("." in word or "/" in word) and bool(
        _PATH_LIKE.fullmatch(word) and not _NUMBER.fullmatch(word)
    )


_PATH_LIKE = re.compile(r"[\w./~+{}-]*[/.][\w./+{}-]+")
_NUMBER = re.compile(r"[\d.]+")


def expression_text(node: ast.expr) -> str:
    """An expression as written, with the arguments of calls left out."""
    chain = dotted(node)
    if chain:
        return ".".join(chain)
    if isinstance(node, ast.Attribute):
        return f"{expression_text(node.value)}.{node.attr}"
    if isinstance(node, ast.Call):
        return f"{expression_text(node.func)}()"
    if isinstance(node, ast.Subscript):
        return expression_text(node.value)
    return "..."
