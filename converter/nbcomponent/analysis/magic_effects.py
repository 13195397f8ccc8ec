"""What IPython syntax does to, or needs from, the process and the disk around it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from nbcomponent.analysis.effect import Effect
from nbcomponent.analysis.facts import NameNode
from nbcomponent.analysis.files import (
    command_effects,
    file_effect,
    words_of,
)
from nbcomponent.notebook.model import Magic

_INSTALLERS = frozenset(
    [
        "pip",
        "pip3",
        "conda",
        "mamba",
        "uv",
        "apt",
        "apt-get",
        "npm",
        "brew",
        "export",
        "nvidia-smi",
        "echo",
    ]
)
VARIABLE = re.compile(r"\$\{?([A-Za-z_]\w*)")
_SHELL_CELLS = frozenset({"bash", "sh", "script", "system", "sx", "!"})


def magic_effects(magic: Magic, node: ast.Call) -> Iterator[Effect]:
    name = magic.name
    argument_ = magic.argument.strip()
    if magic.kind == "system":
        yield from shell_effects(argument_, node)
    elif name in ("env", "set_env") and magic.kind == "line":
        found = re.match(r"(\w+)\s*(?:=|\s)\s*\S", argument_)
        if found:
            yield Effect("env-set", found.group(1), node)
        elif re.fullmatch(r"\w+", argument_):
            yield Effect("env-get", argument_, node)
        elif not argument_ and magic.assigned:
            yield Effect("env-get", "*", node, matters=False)
    elif name in ("cd", "pushd", "popd"):
        absolute = argument_.split()[-1:] and argument_.split()[-1].strip("'\"").startswith(
            ("/", "~")
        )
        if not absolute:
            yield Effect("cwd", f"%{name}", node, matters=False)
        yield Effect("chdir", f"%{name}", node, target="/" if absolute else "")
    elif name in ("pwd", "ls", "ll"):
        yield Effect("cwd", f"%{name}", node)
    elif name in ("writefile", "file") and magic.kind == "cell":
        words = [w for w in argument_.split() if not w.startswith("-")]
        if words:
            yield from file_effect("write", " ".join(words).strip("'\""), node)
    elif name in ("run", "load", "loadpy", "pycat", "pfile") and argument_:
        words = [w for w in words_of(argument_) if not w.startswith("-")]
        if words:
            path = words[0] if "." in words[0] else f"{words[0]}.py"
            yield from file_effect("read", path, node, matters=False)
    elif name in _SHELL_CELLS and magic.kind == "cell":
        for line in (magic.body or "").splitlines():
            yield from shell_effects(line, node)
    elif name == "precision" and magic.kind == "line":
        yield Effect("option", "%precision", node, "numpy", matters=False)
    elif name == "mkdir":
        yield from command_effects(["mkdir", *words_of(argument_)], node)
    elif name in ("cp", "mv", "rm", "cat"):
        yield from command_effects([name, *words_of(argument_)], node)
    elif name == "dotenv":
        yield Effect("env-set", "*", node)


def shell_effects(command: str, node: NameNode) -> Iterator[Effect]:
    words = words_of(command)
    if not words:
        return
    for name in VARIABLE.findall(command):
        yield Effect("env-get", name, node, matters=False, target="shell")
    if words[0] not in _INSTALLERS:
        yield Effect("cwd", words[0], node, matters=False)
    if words[0] not in ("pip", "pip3", "conda", "mamba", "uv", "apt", "apt-get", "export"):
        yield from command_effects(words, node)
