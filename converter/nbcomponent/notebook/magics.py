"""What a plain Python script makes of a piece of IPython syntax.

:func:`treatment` says it in one of six ways, with the reason in plain words, and what the magic does
to the process: environment variables, working directory, names. Sources: the magics' own help in
IPython 9, and the documentation of the extensions named.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import Literal

from nbcomponent.notebook.arguments import NAMESPACE_BODIES, SCRIPT_MAGICS, words
from nbcomponent.notebook.model import Magic

TreatmentKind = Literal["drop", "run-code", "skip-code", "translate", "environment", "refuse"]


@dataclass(frozen=True, slots=True)
class Treatment:
    """What becomes of a magic.

    ``kind``: ``drop`` (it only concerns the notebook), ``run-code`` (its Python runs without it),
    ``skip-code`` (a measurement that is not repeated), ``translate`` (Python that does the same),
    ``environment`` (it belongs into the component's environment), ``refuse`` (no script can do it).
    ``reason`` is the sentence of NBC111, ``way_out`` its next step, empty where nothing is to do.
    ``noted``: the user should hear of it although the export goes on.

    ``requirements``: what an ``environment`` line installs, as written (``numpy>=1.26``), with
    ``manager`` (``pip`` or ``conda``); ``system_packages`` what apt and its like install;
    ``requirement_files`` and ``unresolved`` (``{package}``) what cannot be read off the line.
    ``sets_variables``: environment variables set, None in place of a value that is not fixed text.
    ``changes_directory``: the new working directory, ``""`` where it is computed, None: unchanged.
    ``star_modules``: modules whose names all appear (``%pylab``). ``deletes``: names removed, ``*``
    for all. ``restores``: names that come from IPython's storage, ``*`` for all. ``writes_file`` and
    ``appends``: the path that the body is written to.
    """

    kind: TreatmentKind
    reason: str
    way_out: str = ""
    noted: bool = False
    manager: str | None = None
    requirements: tuple[str, ...] = ()
    requirement_files: tuple[str, ...] = ()
    unresolved: tuple[str, ...] = ()
    system_packages: tuple[str, ...] = ()
    sets_variables: tuple[tuple[str, str | None], ...] = ()
    changes_directory: str | None = None
    star_modules: tuple[str, ...] = ()
    deletes: tuple[str, ...] = ()
    restores: tuple[str, ...] = ()
    writes_file: str | None = None
    appends: bool = False


_DROPPED = {
    "matplotlib": "it chooses how the notebook shows plots",
    "config": "it configures the notebook",
    "autoreload": "it reloads modules while a notebook is edited",
    "aimport": "it reloads modules while a notebook is edited",
    "pdb": "it switches the debugger of the notebook",
    "debug": "it opens the debugger of the notebook",
    "xmode": "it chooses how the notebook shows errors",
    "colors": "it chooses the colours of the notebook",
    "precision": "it chooses how the notebook shows numbers",
    "pprint": "it chooses how the notebook shows values",
    "doctest_mode": "it chooses how the notebook shows prompts",
    "automagic": "it configures the notebook",
    "autocall": "it configures the notebook",
    "autoawait": "it configures the notebook",
    "autosave": "it saves the notebook",
    "alias_magic": "it renames magics of the notebook",
    "killbgscripts": "it ends scripts that the notebook started",
    "gui": "it connects a window system to the notebook",
    "logstart": "it logs the notebook", "logstop": "it logs the notebook",
    "logon": "it logs the notebook", "logoff": "it logs the notebook", "logstate": "it logs the notebook",
    "connect_info": "it shows the notebook's kernel", "qtconsole": "it shows the notebook's kernel",
    "watermark": "it shows versions in the notebook",
    "version_information": "it shows versions in the notebook",
    "tensorboard": "it shows TensorBoard in the notebook",
    "javascript": "it runs in the browser", "js": "it runs in the browser",
    "html": "it shows HTML in the notebook", "HTML": "it shows HTML in the notebook",
    "svg": "it shows a picture in the notebook", "SVG": "it shows a picture in the notebook",
    "latex": "it shows a formula in the notebook", "markdown": "it shows text in the notebook",
    "nb_black": "it formats the notebook", "black": "it formats the notebook",
    "wandb": "it shows Weights & Biases in the notebook",
    "quickref": "it shows help", "lsmagic": "it shows help", "magic": "it shows help",
    **dict.fromkeys(
        ("pinfo", "pinfo2", "pdoc", "pdef", "psource", "pfile", "psearch", "page", "pycat"), "it shows help"
    ),
    **dict.fromkeys(
        ("who", "who_ls", "whos", "history", "hist", "notebook", "save", "tb", "dhist", "dirs"),
        "it shows or stores the state of the notebook",
    ),
}  # fmt: skip

_LOADED_FOR_DISPLAY = {
    "autoreload", "watermark", "version_information", "tensorboard", "nb_black", "lab_black", "blackcellmagic",
    "google.colab.data_table", "dotenv", "memory_profiler", "line_profiler", "snakeviz", "rich",
    "jupyter_black", "wurlitzer", "scalene", "pyinstrument", "heat", "storemagic",
}  # fmt: skip

_ALIASES = {
    "ls",
    "ll",
    "lf",
    "lk",
    "ldir",
    "lx",
    "cat",
    "mkdir",
    "rmdir",
    "rm",
    "cp",
    "mv",
    "man",
    "more",
    "less",
}
_SHELLS = {"bash", "sh", "!", "sx", "system"}
_MANAGERS = {"pip", "pip3", "conda", "mamba", "micromamba", "uv", "apt", "apt-get", "yum", "apk"}

_REFUSED = {
    "run": (
        "it runs another script or notebook in the notebook's own namespace",
        "import what the component needs from that file, or copy the code into a cell",
    ),
    "store": (
        "it keeps values in IPython's storage on this machine, which a job does not have",
        "write the value to a file that is an output of one component and an input of the other",
    ),
    "macro": ("it makes a macro of the notebook's history", "write a function"),
    "rerun": ("it runs lines of the notebook's history again", "write the code into the cell"),
    "edit": ("it opens an editor", "write the code into the cell"),
    "ed": ("it opens an editor", "write the code into the cell"),
    "pylab": (
        "it imports all names of numpy and matplotlib.pylab",
        "import what is used: `import numpy as np`, `import matplotlib.pyplot as plt`",
    ),
    "reset": (
        "it deletes the notebook's names",
        "remove it; in a script each component starts with nothing",
    ),
    "reset_selective": ("it deletes the notebook's names", "remove it, or use `del`"),
    "xdel": ("it deletes a name and IPython's own references to it", "use `del`"),
    "sql": (
        "it queries a database through an extension",
        "query it in Python, for example with pandas.read_sql",
    ),
    "bigquery": (
        "it queries BigQuery through an extension",
        "query it in Python with google.cloud.bigquery",
    ),
    "R": ("it runs R through an extension", "put the R code into a component of its own"),
    "cython": (
        "it compiles Cython when the cell runs",
        "put the code into a .pyx module that the environment builds",
    ),
    "px": ("it runs on the engines of ipyparallel", "call ipyparallel in Python"),
    "alias": ("it defines a command of the notebook", "call the program with `!`"),
    "bookmark": ("it uses bookmarks of IPython on this machine", "write the path"),
    "pushd": ("it keeps a stack of directories in IPython", "use `%cd`, or full paths"),
    "popd": ("it keeps a stack of directories in IPython", "use `%cd`, or full paths"),
    "load_ext": ("it loads an IPython extension", "do in Python what its magics do"),
    "reload_ext": ("it loads an IPython extension", "do in Python what its magics do"),
    "dotenv": (
        "it sets environment variables from a file on this machine",
        "declare them under `environment_variables` in the contract",
    ),
}


_OFFERS_TEXT = {
    "load": "a file's text",
    "loadpy": "a file's text",
    "recall": "lines of the history",
    "rep": "lines of the history",
}
"""Magics that put text into the cell for the user to run (``set_next_input``), and run nothing."""


def treatment(magic: Magic) -> Treatment:
    """What a script makes of ``magic``. Pure: nothing is looked up on this machine."""
    if magic.kind == "help":
        return Treatment("drop", _because(magic, "it shows help"))
    if magic.kind == "autocall":
        return Treatment("run-code", f"`{magic.name}` calls a function without parentheses.")
    if magic.kind == "system":
        return _shell(magic, magic.argument)
    if magic.kind == "cell":
        return _cell_magic(magic)
    return _line_magic(magic)


def label(magic: Magic) -> str:
    """The magic as people write it: ``%time``, ``%%bash``, ``!ls``, ``len?``; shortened where long."""
    if magic.kind == "cell":
        return f"%%{magic.name}"
    if magic.kind == "line":
        return f"%{magic.name}"
    text = (
        f"{magic.argument}{magic.name}" if magic.kind == "help" else f"{magic.name}{magic.argument}"
    )
    return text if len(text) <= 40 else f"{text[:37]}..."


def _because(magic: Magic, why: str) -> str:
    return f"`{label(magic)}` is left out: {why}."


def _refused(magic: Magic, why: str, way_out: str, **touched: tuple[str, ...]) -> Treatment:
    return Treatment(
        "refuse",
        f"`{label(magic)}` cannot run in a script: {why}.",
        way_out,
        True,
        **touched,  # type: ignore[arg-type]
    )


def _line_magic(magic: Magic) -> Treatment:
    name = magic.name
    if name == "timeit":
        return _measured(magic)
    if magic.code is not None and name != "debug":
        return Treatment("run-code", f"`%{name}` measures; its statement runs without it.")
    if name in ("time", "prun", "memit", "lprun", "mprun"):
        return Treatment("drop", _because(magic, "it measures nothing"))
    if name in ("env", "set_env"):
        return _env(magic)
    if name == "cd":
        return _cd(magic)
    if name == "pwd":
        return Treatment("translate", "`%pwd` is the working directory.")
    if name in _MANAGERS:
        return _installed(magic, f"{name} {magic.argument}")
    if name in _ALIASES or name in ("sx", "system", "sc"):
        command = magic.argument if name in ("sx", "system") else f"{name} {magic.argument}"
        if name == "sc":
            return _refused(
                magic, "it captures a command's output in an old way", "use `x = !command`"
            )
        return _shell(magic, command)
    if name in ("load_ext", "reload_ext"):
        extension = magic.argument.split()[0] if magic.argument else ""
        if extension in _LOADED_FOR_DISPLAY:
            return Treatment("drop", _because(magic, "the extension only serves the notebook"))
    if name in _OFFERS_TEXT:
        return Treatment(
            "drop",
            f"`{label(magic)}` is left out: it only offers {_OFFERS_TEXT[name]} to be put into the cell, "
            "and runs nothing.",
            "run it once in the notebook, so that the text stands in the cell",
            noted=True,
        )
    if name in _DROPPED:
        if magic.assigned:
            return _refused(magic, "its result belongs to the notebook", "remove the assignment")
        return Treatment("drop", _because(magic, _DROPPED[name]))
    return _unable(magic)


def _cell_magic(magic: Magic) -> Treatment:
    name = magic.name
    if name == "timeit":
        return _measured(magic)
    if name == "time" and magic.argument and magic.argument != "--no-raise-error":
        return _refused(
            magic,
            "IPython itself refuses a statement on the line of `%%time`",
            "write the statement on the next line",
        )
    if name == "capture":
        return _capture(magic)
    if name in NAMESPACE_BODIES:
        return Treatment("run-code", f"`%%{name}` concerns the notebook; the cell runs without it.")
    if name in ("writefile", "file"):
        return _writefile(magic)
    if name in _SHELLS or (name == "script" and words(magic.argument)[:1]):
        if magic.binds:
            return Treatment("translate", f"`%%{name}` runs a shell script and keeps its output.")
        if name in ("bash", "sh", "!", "system", "sx"):
            return _shell(magic, magic.body or "")
        return Treatment("translate", f"`%%{name}` hands the cell to another program.")
    if name in SCRIPT_MAGICS:
        return Treatment("translate", f"`%%{name}` hands the cell to another program.")
    if name in _DROPPED:
        return Treatment("drop", _because(magic, _DROPPED[name]))
    return _unable(magic)


def _unable(magic: Magic) -> Treatment:
    name = magic.name
    if magic.kind == "line" and name.startswith("%"):
        return _refused(
            magic,
            "a cell magic must be the first line of its cell, and IPython takes this for a line magic",
            "move it to the first line; comments such as `#| component: NAME` may stand below it",
        )
    if name in _REFUSED:
        why, way_out = _REFUSED[name]
        arguments = tuple(word for word in magic.argument.split() if not word.startswith("-"))
        if name == "pylab":
            return _refused(magic, why, way_out, star_modules=("numpy", "matplotlib.pylab"))
        if name == "reset":
            return _refused(magic, why, way_out, deletes=("*",))
        if name in ("reset_selective", "xdel"):
            return _refused(magic, why, way_out, deletes=arguments if name == "xdel" else ("*",))
        if name == "store" and "-r" in magic.argument.split():
            return _refused(magic, why, way_out, restores=arguments or ("*",))
        return _refused(magic, why, way_out)
    return _refused(
        magic,
        "it is not one of IPython's own magics, so what it does is not known",
        "write in Python what it does, or tag the cell `skip`",
    )


def _measured(magic: Magic) -> Treatment:
    return Treatment(
        "skip-code",
        f"`{label(magic)}` measures: what it runs many times binds nothing, and is not repeated.",
        "write the statement without it, if its effect is wanted",
        noted=True,
    )


def _capture(magic: Magic) -> Treatment:
    if magic.binds:
        return Treatment(
            "translate",
            f"`%%capture` keeps the cell's output in `{magic.binds[0][0]}`.",
            noted=True,
        )
    return Treatment("translate", "`%%capture` drops the cell's output.")


def _writefile(magic: Magic) -> Treatment:
    names = [word.text for word in words(magic.argument)]
    appends = any(name in ("-a", "--append") for name in names)
    paths = [name for name in names if not name.startswith("-")]
    if len(paths) != 1:
        return _refused(magic, "it names no single file", "name the file to write")
    return Treatment(
        "translate",
        f"`%%{magic.name}` writes the cell's text to {paths[0]}.",
        writes_file=paths[0],
        appends=appends,
    )


_NAMED = re.compile(r"([A-Za-z_]\w*)(?:=|\s+)(.*)\Z", re.DOTALL)


def _env(magic: Magic) -> Treatment:
    """``%env A=b``, ``%env A b``, ``%set_env A b``; ``%env`` and ``%env A`` read."""
    argument = magic.argument
    assignment = _NAMED.match(argument)
    if assignment is None:
        if argument and not magic.assigned:
            return Treatment("drop", _because(magic, "it shows an environment variable"))
        if not argument and not magic.assigned:
            return Treatment("drop", _because(magic, "it shows the environment variables"))
        return Treatment("translate", "`%env` reads environment variables.")
    name, value = assignment[1], assignment[2].strip()
    fixed = None if magic.interpolated else value
    return Treatment(
        "translate",
        f"`%{magic.name}` sets the environment variable {name}.",
        sets_variables=((name, fixed),),
    )


def _cd(magic: Magic) -> Treatment:
    names = [word.text for word in words(magic.argument) if word.text != "-q"]
    if any(name.startswith("-") for name in names):
        return _refused(
            magic, "it uses IPython's history of directories", "write the directory's path"
        )
    target = " ".join(names) or "~"
    return Treatment(
        "translate",
        "`%cd` changes the working directory.",
        changes_directory="" if magic.interpolated else target,
    )


# --- commands ------------------------------------------------------------------------------------

_SEPARATORS = {"&&", "||", ";", "|", "&", "(", ")"}
_PREFIXES = {"sudo", "yes", "time", "nohup", "command", "exec"}
_VALUE_OPTIONS = {
    "-r", "--requirement", "-c", "--constraint", "-i", "--index-url", "--extra-index-url", "-f",
    "--find-links", "-t", "--target", "--root", "--prefix", "--platform", "--python-version",
    "--implementation", "--abi", "-e", "--editable", "--trusted-host", "--proxy", "--cert", "--timeout",
    "--retries", "--cache-dir", "--log", "--progress-bar", "--python", "-p", "-n", "--name", "--channel",
    "--upgrade-strategy", "--no-binary", "--only-binary", "--src", "--config-settings", "--global-option",
    "--file", "--exists-action",
}  # fmt: skip
_CONDA = ("conda", "mamba", "micromamba")
_CHANNEL_OPTION = "-c"


_MAY_INSTALL = re.compile(r"\b(?:pip|conda|mamba|micromamba|apt|yum|apk|cd)", re.IGNORECASE)


def _shell(magic: Magic, command: str) -> Treatment:
    if not _MAY_INSTALL.search(command):
        return Treatment("translate", f"`{label(magic)}` runs a command.")
    steps = _commands(command)
    installs = [step for step in steps if _manager_of(step) is not None]
    others = [
        step
        for step in steps
        if _manager_of(step) is None and step[0] not in ("echo", "true", "cd")
    ]
    if installs and not others:
        return _merged(magic, installs)
    if installs:
        return Treatment(
            "translate",
            f"`{label(magic)}` installs packages and does more; the script runs it as it stands.",
            "move what it installs into a line of its own, so that the environment can have it",
            noted=True,
        )
    if magic.kind == "system" and steps and steps[0][0] == "cd" and len(steps) == 1:
        return Treatment(
            "drop",
            _because(magic, "it changes the directory of a shell that ends with the line"),
            "use `%cd` to change the notebook's directory",
            noted=True,
        )
    return Treatment("translate", f"`{label(magic)}` runs a command.")


def _installed(magic: Magic, command: str) -> Treatment:
    steps = [step for step in _commands(command) if _manager_of(step) is not None]
    return _merged(magic, steps)


# "numpy>=1.2" without quotes is a redirection to a shell, and a requirement to whoever wrote it.
_REDIRECTION = re.compile(
    r"\"[^\"\n]*\"|'[^'\n]*'|(?<!\S)[\d&]?>>?[ \t]*(?:&\d|[^\s=]\S*)|(?<!\S)<[ \t]*\S+"
)


def _quoted_only(found: re.Match[str]) -> str:
    return found[0] if found[0][0] in "\"'" else " "


def _commands(text: str) -> list[list[str]]:
    """The single commands of a shell line (or script), as lists of words; redirections left out."""
    result: list[list[str]] = []
    for line in _REDIRECTION.sub(_quoted_only, text.replace("\\\n", " ")).split("\n"):
        tokens = _words(line)
        current: list[str] = []
        for token in tokens:
            if token in _SEPARATORS:
                if current:
                    result.append(current)
                current = []
            else:
                current.append(token)
        if current:
            result.append(current)
    return [step for command in result if (step := _bare(command))]


def _words(line: str) -> list[str]:
    """The words of a shell line, quotes taken away and ``;``, ``|`` and the like set apart."""
    if not _SYNTAX.search(line):
        return line.split()
    lexer = shlex.shlex(line, posix=True, punctuation_chars="();|&")
    lexer.whitespace_split = True
    lexer.commenters = "#"
    try:
        return list(lexer)
    except ValueError:
        return line.split()


# All that the lexer treats as more than part of a word or one of its four blanks.
_SYNTAX = re.compile(r"[\"'#();|&\\]|[^\S \t\r\n]")


_VARIABLE_SET = re.compile(r"[A-Za-z_]\w*=")


def _bare(command: list[str]) -> list[str]:
    """A command without ``sudo`` and variables set in front."""
    words_left = list(command)
    while words_left and (words_left[0] in _PREFIXES or _VARIABLE_SET.match(words_left[0])):
        words_left.pop(0)
    return words_left


def _manager_of(command: list[str]) -> str | None:
    """The package manager that a command calls: ``pip``, ``conda``, ``apt``, ..."""
    program = command[0].replace("\\", "/").rpartition("/")[2]
    if program == "uv":
        return "pip" if command[1:2] == ["pip"] else None
    if program in _CONDA:
        return "conda"
    if re.fullmatch(r"pip[\d.]*", program):
        return "pip"
    if program in ("apt", "apt-get", "yum", "apk"):
        return "apt"
    if command[1:3] == ["-m", "pip"]:
        return "pip"
    return None


def _merged(magic: Magic, steps: list[list[str]]) -> Treatment:
    manager: str | None = None
    requirements: list[str] = []
    system: list[str] = []
    files: list[str] = []
    unresolved: list[str] = []
    for step in steps:
        program = _manager_of(step)
        if program == "apt":
            _read_install(step, program, system, files, unresolved)
        elif program is not None:
            manager = program
            _read_install(step, program, requirements, files, unresolved)
    if not requirements and not files and not unresolved and not system:
        return Treatment("drop", _because(magic, "it installs nothing"), manager=manager)
    what = "packages" if requirements or not system else "system packages"
    way_out = ""
    if system:
        way_out = "Take an image that has them: `environment: {image: ...}` in the contract."
    elif unresolved:
        way_out = f"Write out what is installed: {', '.join(unresolved)[:200]}."
    return Treatment(
        "environment",
        f"`{label(magic)}` installs {what}; they belong into the component's environment.",
        way_out,
        noted=bool(way_out),
        manager=manager,
        requirements=tuple(dict.fromkeys(requirements)),
        requirement_files=tuple(dict.fromkeys(files)),
        unresolved=tuple(dict.fromkeys(unresolved)),
        system_packages=tuple(dict.fromkeys(system)),
    )


def _read_install(
    step: list[str], manager: str, requirements: list[str], files: list[str], unresolved: list[str]
) -> None:
    if "install" not in step and "add" not in step:
        return
    verb = step.index("install" if "install" in step else "add")
    rest = step[verb + 1 :]
    index = 0
    while index < len(rest):
        word = rest[index]
        index += 1
        option, equals, value = word.partition("=")
        if word.startswith("-") and word != "-":
            if option not in _VALUE_OPTIONS or (manager == "apt" and option != "-t"):
                continue
            if not equals:
                value = rest[index] if index < len(rest) else ""
                index += 1
            if option in ("-r", "--requirement", "--file") and value:
                files.append(value)
            elif option in ("-e", "--editable") and value:
                (unresolved if re.search(r"[{$]", value) else requirements).append(f"-e {value}")
        elif re.search(r"[{}$`]", word):
            unresolved.append(word)
        else:
            requirements.append(word)
