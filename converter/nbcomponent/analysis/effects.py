"""What a block of code does to, or needs from, the process and the disk around it."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from nbcomponent.analysis.facts import Block, NameNode, Statement
from nbcomponent.analysis.library import (
    DISPLAY_OPTIONS,
    MODE_ARGUMENT,
    OPTION_CALL,
    OPTION_PATH,
    OPTION_SETTERS,
    PANDAS_READERS,
    PATH_READS,
    PATH_WRITES,
    RANDOM_FREE,
    RANDOM_FREE_PREFIXES,
    RANDOM_SETTERS,
    RANDOM_SOURCES,
    READERS,
    READING_METHODS,
    WRITERS,
    WRITING_METHODS,
)
from nbcomponent.analysis.namespace import Namespace
from nbcomponent.analysis.visitor import dotted
from nbcomponent.notebook.model import CellCode, Magic

EffectKind = Literal[
    "env-set",
    "env-get",
    "chdir",
    "cwd",
    "path-set",
    "path-get",
    "seed",
    "random",
    "option",
    "read",
    "write",
    "mention",
    "patch",
]


@dataclass(slots=True, eq=False)
class Effect:
    """One effect. ``name`` is as NBC1xx shows it; ``library`` whose state it is (``numpy``).

    ``matters``: results can change by it (a seed, a dtype) and not only looks; for ``env-get``: there is
    no default. ``target``: for ``patch`` the resolved dotted path, for files the normalised path.
    """

    kind: EffectKind
    name: str
    node: NameNode
    library: str = ""
    matters: bool = True
    target: str = ""


class EffectReader:
    """Effects of blocks, each block read once however many components run it."""

    def __init__(self, namespace: Namespace, code: Mapping[int, CellCode]) -> None:
        self.namespace = namespace
        self._code = code
        self._known: dict[int, list[Effect]] = {}
        self._outside: list[tuple[Effect, Statement, int]] | None = None

    def of(self, block: Block, cell: int) -> list[Effect]:
        """The effects of a block of a cell."""
        known = self._known.get(id(block))
        if known is None:
            known = effects_of(block, self.namespace, self._code.get(cell))
            self._known[id(block)] = known
        return known

    def of_statement(self, statement: Statement, position: int) -> list[Effect]:
        """The effects of a statement and of the notebook's functions that it runs."""
        found = self.of(statement.block, statement.cell)
        functions = self.namespace.functions_run_by(statement.block, position)
        if functions:
            found = [*found, *(e for f in functions for e in self.of(f.body, f.cell))]
        return found

    def lasting(self) -> list[tuple[Effect, Statement, int]]:
        """Every effect of the notebook that other cells can feel, with its statement and position."""
        if self._outside is None:
            self._outside = [
                (effect, statement, position)
                for position, statement in enumerate(self.namespace.statements)
                for effect in self.of_statement(statement, position)
                if effect.kind in LASTING
            ]
        return self._outside


LASTING = frozenset({"env-set", "chdir", "path-set", "seed", "option", "write", "patch"})
"""Kinds of effects that stay after the code has run."""


def modules_of(block: Block, namespace: Namespace) -> dict[str, NameNode]:
    """Top-level packages that a block imports or uses, with the first place of each."""
    found: dict[str, NameNode] = {}
    for bind in block.binds:
        if bind.module is not None:
            found.setdefault(bind.module.split(".", 1)[0], bind.node)
    imports = namespace.imports
    for chain, node in block.references.items():
        path = imports.get(chain[0])
        if path is not None:
            found.setdefault(path.split(".", 1)[0], node)
    return found


def effects_of(block: Block, namespace: Namespace, code: CellCode | None) -> list[Effect]:
    """The effects of a block, in the order of its text as far as that is known."""
    found: list[Effect] = []
    resolve = namespace.resolve
    for site in block.calls:
        path = resolve(site.chain)
        if path is not None and _may_have_effect(path):
            found.extend(_known_call(path, site.chain, site.node, namespace))
        if len(site.chain) > 1 and site.chain[-1] in _TELLING_METHODS:
            found.extend(_method_call(site.node, namespace))
    for call in block.method_calls:
        found.extend(_method_call(call, namespace))
    for text, call in block.texts:
        if "\n" not in text and not is_url(text):
            # it counts only where such a file lies beside the notebook
            found.append(Effect("mention", text, call, target=normal_path(text)))
    for subscript in block.subscripts:
        chain = dotted(subscript.value)
        if (
            chain
            and chain[-1] == "environ"
            and resolve(chain) == "os.environ"
            and isinstance(subscript.ctx, ast.Load)
        ):
            found.append(Effect("env-get", _text(subscript.slice), subscript))
    for membership in block.memberships:
        chain = dotted(membership.comparators[0])
        if chain and resolve(chain) == "os.environ":
            found.append(Effect("env-get", _text(membership.left), membership, matters=False))
    for mutation in block.mutations:
        found.extend(_store(mutation.chain, mutation.node, mutation.how, namespace))
    for chain, node in block.references.items():
        if len(chain) > 1 and "path" in chain and (resolve(chain) or "").startswith("sys.path"):
            found.append(Effect("path-get", ".".join(chain), node))
    if code is not None:
        for number, call in block.magics:
            found.extend(_magic(code.magics[number], call))
    return found


def _text(node: ast.expr) -> str:
    return str(node.value) if isinstance(node, ast.Constant) else "?"


def _argument(node: ast.Call, index: int, keyword: str) -> ast.expr | None:
    if index < len(node.args) and not any(
        isinstance(a, ast.Starred) for a in node.args[: index + 1]
    ):
        return node.args[index]
    return next((k.value for k in node.keywords if k.arg == keyword), None)


@lru_cache(maxsize=20_000)
def _may_have_effect(path: str) -> bool:
    """A quick no for the calls that make up most of a notebook (``print``, ``numpy.array``)."""
    last = path.rsplit(".", 1)[-1]
    return (
        path in RANDOM_SETTERS
        or path in OPTION_SETTERS
        or path in READERS
        or path in WRITERS
        or path.startswith(
            ("os.", "sys.", "site.", "contextlib.", "pathlib.", "dotenv.", "subprocess.")
        )
        or (path.startswith("pandas.") and last in PANDAS_READERS)
        or any(path.startswith(prefix) for prefix, _ in RANDOM_SOURCES)
        or bool(OPTION_CALL.fullmatch(last))
    )


def _known_call(
    path: str, chain: tuple[str, ...], node: ast.Call, namespace: Namespace
) -> Iterator[Effect]:
    written = ".".join(chain)
    if path in RANDOM_SETTERS:
        yield Effect("seed", written, node, RANDOM_SETTERS[path])
        return
    if path in ("os.chdir", "os.fchdir", "contextlib.chdir"):
        yield Effect("chdir", written, node)
        return
    if path in ("os.getcwd", "os.getcwdb", "pathlib.Path.cwd"):
        yield Effect("cwd", written, node)
        return
    if path.startswith("os.environ.") or path in ("os.getenv", "os.putenv", "os.unsetenv"):
        yield from _environment_call(path, written, node)
        return
    if path.startswith("sys.path.") or path == "site.addsitedir":
        yield Effect("path-set", written, node)
        return
    if path in ("dotenv.load_dotenv",):
        yield Effect("env-set", "*", node)
    if path in OPTION_SETTERS:
        library, matters = OPTION_SETTERS[path]
        yield Effect("option", written, node, library, matters)
        return
    if len(chain) > 1 and OPTION_CALL.fullmatch(chain[-1]) and path.split(".")[0] not in ("os",):
        matters = not DISPLAY_OPTIONS.search(path)
        yield Effect("option", written, node, path.split(".")[0], matters)
        return
    library = _random_source(path, node)
    if library:
        yield Effect("random", written, node, library)
    yield from _file_call(path, written, node, namespace)


def _environment_call(path: str, written: str, node: ast.Call) -> Iterator[Effect]:
    if path.endswith(".update") or path.endswith(".clear"):
        for keyword in node.keywords:
            if keyword.arg:
                yield Effect("env-set", keyword.arg, node)
        for argument in node.args:
            if isinstance(argument, ast.Dict):
                for key in argument.keys:
                    yield Effect("env-set", _text(key) if key is not None else "*", node)
            else:
                yield Effect("env-set", "*", node)
        return
    if not node.args:
        return
    name = _text(node.args[0])
    if path in ("os.putenv", "os.unsetenv", "os.environ.pop") or path == "os.environ.setdefault":
        yield Effect("env-set", name, node)
    elif path in ("os.environ.get", "os.getenv"):
        has_default = len(node.args) > 1 or any(k.arg == "default" for k in node.keywords)
        yield Effect("env-get", name, node, matters=not has_default)


def _random_source(path: str, node: ast.Call) -> str:
    if path in RANDOM_FREE or path.startswith(RANDOM_FREE_PREFIXES):
        return ""
    for keyword in node.keywords:
        if keyword.arg in ("random_state", "seed", "rng", "generator") and not (
            isinstance(keyword.value, ast.Constant) and keyword.value.value is None
        ):
            return ""
    for prefix, library in RANDOM_SOURCES:
        if path.startswith(prefix):
            return library
    return ""


def _store(
    chain: tuple[str, ...], node: NameNode, how: str, namespace: Namespace
) -> Iterator[Effect]:
    path = namespace.resolve(chain)
    if path is None or chain[0] not in namespace.imports:
        return
    written = ".".join(chain)
    if path == "os.environ" or path.startswith("os.environ."):
        target = getattr(node, "slice", None)
        if isinstance(target, ast.Constant):
            yield Effect("env-set", str(target.value), node)
        elif how in ("[]", "del []"):
            yield Effect("env-set", "*", node)
        return
    if path == "sys.path" or path.startswith("sys.path."):
        yield Effect("path-set", written, node)
        return
    if not how.startswith("."):
        if how in ("[]", "del []", "update") and OPTION_PATH.search(path):
            yield Effect(
                "option", written, node, path.split(".")[0], not DISPLAY_OPTIONS.search(path)
            )
        elif how in ("[]", "del []"):
            yield Effect("patch", written, node, path.split(".")[0], target=path)
        return
    if OPTION_PATH.search(".".join(path.split(".")[1:])):
        yield Effect("option", written, node, path.split(".")[0], not DISPLAY_OPTIONS.search(path))
    else:
        yield Effect("patch", written, node, path.split(".")[0], target=path)


# files


def static_path(node: ast.expr | None, namespace: Namespace, depth: int = 0) -> str | None:
    """The path that an expression plainly names, None where it cannot be told from the text."""
    if node is None or depth > 8:
        return None
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.Name):
        definitions = namespace.definitions.get(node.id, [])
        values = {id(d.bind.value): d for d in definitions}
        if len(values) != 1 or not definitions[0].definite:
            return None
        bind = definitions[0].bind
        if bind.kind != "assign" or bind.part or bind.value is None:
            return None
        return static_path(bind.value, namespace, depth + 1)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Div, ast.Add)):
        left = static_path(node.left, namespace, depth + 1)
        right = static_path(node.right, namespace, depth + 1)
        if left is None or right is None:
            return None
        return _joined(left, right) if isinstance(node.op, ast.Div) else left + right
    if isinstance(node, ast.JoinedStr):
        parts = []
        for value in node.values:
            inner = value.value if isinstance(value, ast.FormattedValue) else value
            part = static_path(inner, namespace, depth + 1)
            if part is None:
                return None
            parts.append(part)
        return "".join(parts)
    if isinstance(node, ast.Call):
        return _static_path_call(node, namespace, depth)
    return None


def _static_path_call(node: ast.Call, namespace: Namespace, depth: int) -> str | None:
    chain = dotted(node.func)
    path = namespace.resolve(chain) if chain else None
    if path in ("pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath", "os.path.join", "str", "os.fspath",
                "os.path.abspath", "os.path.realpath", "os.path.expanduser", "os.path.normpath"):  # fmt: skip
        if not node.args:
            return "."
        parts = [static_path(a, namespace, depth + 1) for a in node.args]
        result = ""
        for part in parts:
            if part is None:
                return None
            result = _joined(result, part) if result else part
        return result
    if path == "pathlib.Path.home":
        return "~"
    if isinstance(node.func, ast.Attribute) and node.func.attr in (
        "as_posix", "resolve", "absolute", "expanduser",
    ):  # fmt: skip
        return static_path(node.func.value, namespace, depth + 1)
    if isinstance(node.func, ast.Attribute) and node.func.attr == "joinpath":
        left = static_path(node.func.value, namespace, depth + 1)
        for argument in node.args:
            right = static_path(argument, namespace, depth + 1)
            if left is None or right is None:
                return None
            left = _joined(left, right)
        return left
    return None


def _joined(left: str, right: str) -> str:
    if right.startswith("/"):
        return right
    return f"{left.rstrip('/')}/{right}" if left not in ("", ".") else right


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
    return bool(re.match(r"[A-Za-z][A-Za-z0-9+.-]+:", path))


_FILE_LIKE = re.compile(r"[^\n<>|*?\"]{1,300}")


def _file(kind: Literal["read", "write"], path: str | None, node: NameNode) -> Iterator[Effect]:
    if (
        path
        and _FILE_LIKE.fullmatch(path.replace("*", "").replace("?", "") or "x")
        and not is_url(path)
    ):
        yield Effect(kind, path, node, target=normal_path(path))


def _mode_writes(node: ast.Call, index: int) -> tuple[bool, bool]:
    """(reads, writes) by the mode argument of an ``open``-like call."""
    mode = _argument(node, index, "mode")
    if not isinstance(mode, ast.Constant) or not isinstance(mode.value, str):
        return True, False
    writes = any(letter in mode.value for letter in "wax+")
    return not writes or "+" in mode.value, writes


def _file_call(path: str, written: str, node: ast.Call, namespace: Namespace) -> Iterator[Effect]:
    reader: tuple[int, str] | None = READERS.get(path)
    if reader is None and path.startswith("pandas.") and path[7:] in PANDAS_READERS:
        reader = (0, "filepath_or_buffer")
    if reader is not None:
        named = static_path(_argument(node, *reader), namespace)
        reads, writes = True, False
        if path in MODE_ARGUMENT:
            reads, writes = _mode_writes(node, MODE_ARGUMENT[path])
        if reads:
            yield from _file("read", named, node)
        if writes:
            yield from _file("write", named, node)
    writer = WRITERS.get(path)
    if writer is not None:
        yield from _file("write", static_path(_argument(node, *writer), namespace), node)
    if path in ("subprocess.run", "subprocess.call", "subprocess.check_call", "subprocess.check_output",
                "subprocess.Popen", "os.system", "os.popen") and node.args:  # fmt: skip
        command = node.args[0]
        if isinstance(command, (ast.List, ast.Tuple)):
            words = [static_path(e, namespace) or "" for e in command.elts]
        else:
            words = _words(static_path(command, namespace) or "")
        yield from _command(words, node)


_TELLING_METHODS = frozenset(
    {"sample", *WRITING_METHODS, *READING_METHODS, *PATH_READS, *PATH_WRITES}
)


def _method_call(node: ast.Call, namespace: Namespace) -> Iterator[Effect]:
    func = node.func
    if not isinstance(func, ast.Attribute):
        return
    name = func.attr
    if name not in _TELLING_METHODS:
        return
    chain = dotted(func)
    if name == "sample" and not any(k.arg == "random_state" for k in node.keywords):
        if chain is None or chain[0] not in namespace.imports:
            yield Effect("random", ".".join(chain) if chain else name, node, "numpy", matters=False)
        return
    if chain is not None and chain[0] in namespace.imports and len(chain) == 2:
        return  # a function of a module, not a method
    if name in WRITING_METHODS:
        argument = (
            node.args[0]
            if node.args
            else next(
                (
                    k.value
                    for k in node.keywords
                    if k.arg in ("path_or_buf", "path", "fname", "filename", "filepath")
                ),
                None,
            )
        )
        yield from _file("write", static_path(argument, namespace), node)
    elif name in READING_METHODS and node.args:
        named = static_path(node.args[0], namespace)
        if name != "from_pretrained" or (named or "").startswith((".", "/", "~")):
            yield from _file("read", named, node)
    elif name in PATH_READS or name in PATH_WRITES:
        named = static_path(func.value, namespace)
        if named is None:
            return
        if name == "open":
            reads, writes = _mode_writes(node, 0)
            if reads:
                yield from _file("read", named, node)
            if writes:
                yield from _file("write", named, node)
        elif name in PATH_READS:
            if name not in ("resolve", "exists", "is_file", "is_dir"):
                yield from _file("read", named, node)
        else:
            yield from _file("write", named, node)


# IPython syntax


def _words(command: str) -> list[str]:
    if not any(quote in command for quote in "'\"\\#"):
        return command.split()  # what shlex would give, in a fraction of its time
    try:
        return shlex.split(command)
    except ValueError:
        return command.split()


def _command(words: list[str], node: NameNode) -> Iterator[Effect]:
    """Paths in a shell command: absolute ones, and any word (a reader may match a written file)."""
    output_next = False
    for position, word in enumerate(words):
        if word in (">", ">>", "-o", "-O", "--output", "--output-document", "-C", "-d"):
            output_next = True
            continue
        redirected = re.match(r"\d?>>?(.+)", word)
        if output_next or redirected:
            yield from _file("write", redirected.group(1) if redirected else word, node)
            output_next = False
        elif position and not word.startswith("-") and _path_like(word):
            yield from _file("read", word, node)


def _path_like(word: str) -> bool:
    return bool(re.fullmatch(r"[\w./~+-]*[/.][\w./+-]+", word)) and not re.fullmatch(
        r"[\d.]+", word
    )


def _magic(magic: Magic, node: ast.Call) -> Iterator[Effect]:
    name = magic.name
    argument = magic.argument.strip()
    if magic.kind == "system":
        words = _words(argument)
        if words and words[0] in ("pip", "pip3", "conda", "mamba", "uv", "apt", "apt-get"):
            return
        if words and words[0] == "mkdir":
            for word in words[1:]:
                if not word.startswith("-"):
                    yield from _file("write", word, node)
            return
        if words and words[0] == "export":
            return  # a shell line has its own environment
        yield from _command(words, node)
    elif name in ("env", "set_env") and magic.kind == "line":
        found = re.match(r"(\w+)\s*(?:=|\s)\s*\S", argument)
        if found:
            yield Effect("env-set", found.group(1), node)
        elif re.fullmatch(r"\w+", argument):
            yield Effect("env-get", argument, node)
    elif name in ("cd", "pushd", "popd"):
        yield Effect("chdir", f"%{name}", node)
    elif name == "pwd":
        yield Effect("cwd", "%pwd", node)
    elif name in ("writefile", "file") and magic.kind == "cell":
        words = [w for w in argument.split() if not w.startswith("-")]
        if words:
            yield from _file("write", " ".join(words).strip("'\""), node)
    elif name in ("run", "load", "loadpy", "pycat", "pfile") and argument:
        words = [w for w in _words(argument) if not w.startswith("-")]
        if words:
            yield from _file("read", words[0] if "." in words[0] else f"{words[0]}.py", node)
    elif name in ("bash", "sh", "script", "system", "sx", "!") and magic.kind == "cell":
        for line in (magic.body or "").splitlines():
            yield from _command(_words(line), node)
    elif name == "precision" and magic.kind == "line":
        yield Effect("option", "%precision", node, "numpy", matters=False)
