"""The interface of a hand-written script, from its argparse calls, without running it.

A ``%%writefile`` cell that is tagged with a component holds such a script. What an argument means for a
component follows from its declaration: ``type=int`` is an integer, ``type=Path`` is data, a converter
that we do not know leaves text. What a component cannot pass (flags, lists) or what cannot be told from
the text (names computed at run time, subcommands) is said and never dropped in silence.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from nbcomponent.contract.model import ParameterType, Scalar
from nbcomponent.contract.parameters import Parts, data_type_of
from nbcomponent.contract.values import (
    PATH_TYPES,
    Names,
    NotConstant,
    PathValue,
    Value,
    fold,
    import_names,
)
from nbcomponent.core.diagnostics import Diagnostic, Place, Severity
from nbcomponent.core.parsing import parsed
from nbcomponent.core.places import place_of
from nbcomponent.core.trees import walk


@dataclass(frozen=True, slots=True)
class ScriptArgument:
    """One argument of a script.

    ``name`` is where argparse stores it; ``option`` how it is passed (``--max-epochs``), empty for a
    positional one. ``is_data``: a path by its type. ``default_path`` is the default of data.
    ``place`` is that of the call, lines from 1 in the script; ``parts`` where its options are written.
    """

    name: str
    option: str
    type: ParameterType
    place: Place
    default: Scalar | None = None
    required: bool = False
    choices: tuple[str, ...] | tuple[int, ...] | tuple[float, ...] | None = None
    min: int | None = None
    max: int | None = None
    description: str | None = None
    is_data: bool = False
    default_path: str | None = None
    parts: Parts = field(default_factory=dict, compare=False)

    @property
    def data_type(self) -> str:
        """``uri_file`` or ``uri_folder``, by the default."""
        return data_type_of(self.default_path)


@dataclass(frozen=True, slots=True)
class ScriptInterface:
    """The arguments of a script in the order of their declaration, and what could not be read."""

    arguments: tuple[ScriptArgument, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def options(self) -> dict[str, str]:
        """How each argument is passed: name to option (empty for a positional argument)."""
        return {argument.name: argument.option for argument in self.arguments}


_PARSERS = frozenset(("argparse.ArgumentParser", "ArgumentParser"))
_OTHER_PARSERS = frozenset(
    ("click", "typer", "fire", "absl", "docopt", "hydra", "jsonargparse", "tap", "simple_parsing")
)
_NUMBERS: dict[str, ParameterType] = {"int": "integer", "float": "number", "str": "string"}
_BOOLEAN_NAME = re.compile(
    r"(str(ing)?_?(2|to)_?bool|strtobool|parse_?bool|to_?bool|boolean|bool_?(arg|type|flag))", re.I
)
_TRUE_WORDS = frozenset(("true", "yes", "1", "y", "t", "on"))
_DATA_END = re.compile(r"_(dir|directory|folder|path|file)$")
_FLAG_ACTIONS = frozenset(("store_true", "store_false", "store_const", "append", "append_const"))
_FLAGS = _FLAG_ACTIONS | {
    "count",
    "extend",
    "argparse.BooleanOptionalAction",
    "BooleanOptionalAction",
}


def looks_like_data(name: str) -> bool:
    """Whether people would take an argument of this name for a file or folder."""
    return bool(_DATA_END.search(name)) or name in (
        "data",
        "dataset",
        "input",
        "inputs",
        "input_data",
        "output",
        "outputs",
        "output_data",
        "training_data",
        "test_data",
        "model_output",
        "model_input",
    )


def looks_like_output(name: str) -> bool:
    """Whether people would take a path of this name for something that the script writes."""
    return bool(re.search(r"(^|_)(out|output|outputs|save|saved|result|results)(_|$)", name))


# What stands in the text of every script that takes arguments in a way known here.
_TELLING = ("add_argument", "ArgumentParser", "argv", "set_defaults", "subparsers", *_OTHER_PARSERS)


def read_argparse(source: str, cell: int | None = None, origin: int = 0) -> ScriptInterface:
    """The interface of the script ``source``.

    ``cell`` and ``origin`` place it: the script begins after ``origin`` lines of the cell. A script
    that is no Python has no interface; its syntax error is another finding.
    """
    if not any(word in source for word in _TELLING):
        return ScriptInterface()
    tree = parsed(source)
    if tree is None:
        return ScriptInterface()
    return _Reader(source, cell, origin).read(tree)


class _Reader:
    def __init__(self, source: str, cell: int | None, origin: int) -> None:
        self._lines = source.split("\n")
        self._cell = cell
        self._origin = origin
        self._names = Names()
        self._constants: dict[str, ast.expr] = {}
        self._booleans: set[str] = set()
        self._subparsers: set[str] = set()
        self._defaults: dict[str, ast.expr] = {}
        self._diagnostics: list[Diagnostic] = []

    def read(self, tree: ast.Module) -> ScriptInterface:
        nodes = walk(tree)
        self._learn(tree, nodes)
        calls = [node for node in nodes if isinstance(node, ast.Call)]
        arguments: dict[str, ScriptArgument] = {}
        for call in sorted(calls, key=lambda node: (node.lineno, node.col_offset)):
            method = call.func.attr if isinstance(call.func, ast.Attribute) else None
            if method == "add_argument":
                argument = self._argument(call)
                if argument is None:
                    continue
                if argument.name in arguments:
                    self._unread(call, f"{argument.name} is declared twice; the first one counts")
                else:
                    arguments[argument.name] = argument
            elif method == "add_subparsers":
                self._unread(
                    call,
                    "subcommands choose their arguments at run time; a component starts a script "
                    "with one set of arguments, so declare them on the parser itself",
                )
            elif method == "set_defaults":
                self._defaults.update({k.arg: k.value for k in call.keywords if k.arg})
            elif self._names.dotted(call.func) in _PARSERS:
                self._parser(call)
        self._other_ways(nodes)
        return ScriptInterface(
            tuple(self._with_set_default(argument) for argument in arguments.values()),
            tuple(self._diagnostics),
        )

    # What the script says elsewhere

    def _learn(self, tree: ast.Module, nodes: list[ast.AST]) -> None:
        imports: dict[str, str] = {}
        for node in nodes:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                imports.update(import_names(node))
            elif isinstance(node, ast.FunctionDef) and _parses_booleans(node):
                self._booleans.add(node.name)
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                self._learn_subparser(node)
        self._names = Names(imports)
        counts: dict[str, int] = {}
        for node in nodes:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                counts[node.id] = counts.get(node.id, 0) + 1
        for statement in tree.body:
            target: ast.expr | None = None
            if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
                target = statement.targets[0]
            elif isinstance(statement, ast.AnnAssign):
                target = statement.target
            if (
                isinstance(target, ast.Name)
                and isinstance(statement, (ast.Assign, ast.AnnAssign))
                and statement.value is not None
                and counts.get(target.id) == 1
            ):
                self._constants[target.id] = statement.value

    def _learn_subparser(self, node: ast.Assign) -> None:
        call = node.value
        assert isinstance(call, ast.Call)
        if isinstance(call.func, ast.Attribute) and call.func.attr == "add_parser":
            self._subparsers.update(t.id for t in node.targets if isinstance(t, ast.Name))

    def _parser(self, call: ast.Call) -> None:
        for keyword in call.keywords:
            if keyword.arg == "parents":
                parents = keyword.value.elts if isinstance(keyword.value, ast.List) else []
                if not parents or not all(isinstance(parent, ast.Name) for parent in parents):
                    self._unread(
                        keyword.value, "arguments of parent parsers that are made elsewhere"
                    )
            elif keyword.arg == "fromfile_prefix_chars":
                self._unread(keyword.value, "arguments that are read from a file")

    def _other_ways(self, nodes: list[ast.AST]) -> None:
        for node in nodes:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                for name in import_names(node).values():
                    package = name.split(".")[0]
                    if package in _OTHER_PARSERS:
                        self._unread(
                            node,
                            f"arguments that {package} reads; declare them in the contract cell, "
                            "or read them with argparse",
                        )
                        break
                    if name == "transformers.HfArgumentParser":
                        self._unread(node, "arguments that HfArgumentParser takes from dataclasses")
            elif isinstance(node, ast.Subscript) and self._names.dotted(node.value) == "sys.argv":
                self._unread(
                    node,
                    "arguments that are taken from sys.argv; declare them with argparse so that "
                    "they have names and types",
                )

    # Arguments

    def _argument(self, call: ast.Call) -> ScriptArgument | None:
        assert isinstance(call.func, ast.Attribute)
        receiver = call.func.value
        if isinstance(receiver, ast.Name) and receiver.id in self._subparsers:
            return None
        flags = self._flags(call)
        if flags is None:
            self._unread(call, "an argument whose name is computed; write each one out")
            return None
        given = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
        if any(keyword.arg is None for keyword in call.keywords):
            self._unread(call, f"the options of {flags[0]} that come with **; write them out")
        action = self._action(given.get("action"))
        if action in ("help", "version"):
            return None
        name, option = self._name(flags, given.get("dest"))
        if action in _FLAGS or not self._takes_one_value(given.get("nargs")):
            self._cannot_pass(call, name, option, action)
            return None
        if action not in (None, "store"):
            self._unread(call, f"the action {action} of {name}; its value is passed as text")
        return self._stored(call, name, option, given)

    def _flags(self, call: ast.Call) -> list[str] | None:
        """The constant names of the call, None where one is computed."""
        flags: list[str] = []
        for argument in call.args:
            value = self._value(argument)
            if not isinstance(value, str) or not value:
                return None
            flags.append(value)
        return flags or None

    def _name(self, flags: list[str], dest: ast.expr | None) -> tuple[str, str]:
        options = [flag for flag in flags if flag.startswith("-")]
        if not options:
            return flags[0].replace("-", "_"), ""
        long = next((flag for flag in options if flag.startswith("--")), options[0])
        written = self._value(dest) if dest is not None else None
        name = written if isinstance(written, str) else long.lstrip("-").replace("-", "_")
        return name, long

    def _action(self, node: ast.expr | None) -> str | None:
        if node is None:
            return None
        value = self._value(node)
        return value if isinstance(value, str) else ast.unparse(node)

    def _takes_one_value(self, node: ast.expr | None) -> bool:
        if node is None:
            return True
        return self._value(node) == "?"

    def _cannot_pass(self, call: ast.Call, name: str, option: str, action: str | None) -> None:
        shown = option or name
        if action in ("store_true", "store_false") or (action or "").endswith("OptionalAction"):
            why = (
                f"{shown} is a flag without a value, which a component cannot switch: Azure ML passes "
                "every argument as `--name value`. Take a boolean as text "
                '(type=lambda text: text.lower() == "true")'
            )
        else:
            why = (
                f"{shown} takes another number of values than one, which a component cannot pass. "
                "Take one text and split it"
            )
        self._report("NBC254", "warning", f"{why}; until then it keeps its default", call)

    def _stored(
        self, call: ast.Call, name: str, option: str, given: dict[str, ast.expr]
    ) -> ScriptArgument:
        kind, is_data = self._type(call, name, given.get("type"))
        default: Value = None
        known = True
        if "default" in given:
            default = self._value(given["default"])
            known = default is not None or _is_none(given["default"])
            if not known:
                self._unread(given["default"], f"the default of {name}, which is computed")
        if isinstance(default, PathValue) and kind == "string":
            is_data = True
        if "type" not in given and isinstance(default, (int, float)):
            self._unread(
                call,
                f"the type of {name}: it has the default {default!r} but no type=, so what is "
                "passed arrives as text",
            )
        nargs = self._value(given["nargs"]) if "nargs" in given else None
        required = (
            self._value(given["required"]) is True
            if "required" in given
            else not option and nargs != "?"
        )
        kind = _kind_with_default(kind, default, "type" in given)
        choices, low, high = self._choices(call, name, given.get("choices"))
        text = self._value(given["help"]) if "help" in given else None
        return ScriptArgument(
            name=name,
            option=option,
            type=kind,
            place=self._place(call),
            default=_plain_default(default, kind) if not is_data else None,
            required=required,
            choices=choices,
            min=low,
            max=high,
            description=_help(text),
            is_data=is_data,
            default_path=_path_default(default) if is_data else None,
            parts={
                (key,): self._place(given[key])
                for key in ("type", "default", "choices")
                if key in given
            },
        )

    def _type(self, call: ast.Call, name: str, node: ast.expr | None) -> tuple[ParameterType, bool]:
        """The type of an argument, and whether it is data."""
        if node is None:
            return "string", False
        if isinstance(node, ast.Lambda):
            if _reads_true(node.body):
                return "boolean", False
            self._unread(node, f"the type of {name}, a lambda; its value is passed as text")
            return "string", False
        if isinstance(node, ast.Call):
            if (self._names.dotted(node.func) or "").endswith("FileType"):
                return "string", True
            self._unread(node, f"the type of {name}; its value is passed as text")
            return "string", False
        dotted = (self._names.dotted(node) or ast.unparse(node)).removeprefix("builtins.")
        if dotted == "bool":
            self._report(
                "NBC250",
                "warning",
                f"type=bool turns every text into True, also `--{name} False`; use a function that "
                'reads the text (lambda text: text.lower() == "true")',
                node,
            )
            return "boolean", False
        if dotted in _NUMBERS:
            return _NUMBERS[dotted], False
        if dotted in PATH_TYPES:
            return "string", True
        if dotted in self._booleans or _BOOLEAN_NAME.search(dotted.rpartition(".")[2]):
            return "boolean", False
        if dotted not in ("os.path.abspath", "os.path.expanduser", "json.loads"):
            self._unread(node, f"the type {dotted} of {name}; its value is passed as text")
        return "string", False

    def _choices(
        self, call: ast.Call, name: str, node: ast.expr | None
    ) -> tuple[
        tuple[str, ...] | tuple[int, ...] | tuple[float, ...] | None, int | None, int | None
    ]:
        if node is None:
            return None, None, None
        if isinstance(node, ast.Name):
            node = self._constants.get(node.id, node)
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            values = [self._value(item) for item in node.elts]
            texts = tuple(value for value in values if isinstance(value, str))
            if len(texts) == len(values) and texts:
                return texts, None, None
            numbers = tuple(
                v for v in values if isinstance(v, (int, float)) and not isinstance(v, bool)
            )
            if len(numbers) == len(values) and numbers:
                return numbers, None, None
        elif isinstance(node, ast.Call) and self._names.dotted(node.func) == "range":
            bounds = [self._value(item) for item in node.args]
            whole = [bound for bound in bounds if isinstance(bound, int)]
            if len(whole) == len(bounds) and len(whole) in (1, 2):
                return None, whole[0] if len(whole) == 2 else 0, whole[-1] - 1
        self._unread(node, f"the choices of {name}, which are computed")
        return None, None, None

    def _with_set_default(self, argument: ScriptArgument) -> ScriptArgument:
        node = self._defaults.get(argument.name)
        if node is None:
            return argument
        value = self._value(node)
        if value is None and not _is_none(node):
            self._unread(node, f"the default of {argument.name}, which is computed")
            return argument
        if argument.is_data:
            return replace(argument, default_path=_path_default(value))
        return replace(argument, default=_plain_default(value, argument.type))

    # Tools

    def _value(self, node: ast.expr) -> Value:
        """A constant's value, also of a constant of the module; None where it is computed."""
        for _ in range(10):
            if isinstance(node, ast.Name) and node.id in self._constants:
                node = self._constants[node.id]
        try:
            return fold(node, self._names)
        except NotConstant:
            return None

    def _place(self, node: ast.expr | ast.stmt) -> Place:
        place = place_of(node, self._cell, self._lines)
        return Place(
            place.cell,
            place.line + self._origin,
            place.column,
            place.end_line + self._origin,
            place.end_column,
        )

    def _unread(self, node: ast.expr | ast.stmt, what: str) -> None:
        self._report("NBC251", "warning", f"not read from the script: {what}", node)

    def _report(
        self, code: str, severity: Severity, message: str, node: ast.expr | ast.stmt
    ) -> None:
        self._diagnostics.append(Diagnostic(code, severity, message, self._place(node)))


def _is_none(node: ast.expr) -> bool:
    return (isinstance(node, ast.Constant) and node.value is None) or (
        ast.unparse(node) == "argparse.SUPPRESS"
    )


def _kind_with_default(kind: ParameterType, default: Value, written: bool) -> ParameterType:
    """argparse keeps text where no type is given, whatever the default is: so do we."""
    if kind == "integer" and isinstance(default, float):
        return "number"
    if not written and isinstance(default, str):
        return "string"
    return kind


def _plain_default(default: Value, kind: ParameterType) -> Scalar | None:
    if kind == "string":
        if isinstance(default, PathValue):
            return default.text
        # argparse leaves a default that is no text as it is; the component passes its text.
        return (
            None if default is None or not isinstance(default, (str, int, float)) else str(default)
        )
    if isinstance(default, str):
        return _parsed(default, kind)
    return default if isinstance(default, (bool, int, float)) else None


def _parsed(text: str, kind: ParameterType) -> Scalar | None:
    """argparse runs the type over a default that is text."""
    try:
        if kind == "integer":
            return int(text)
        if kind == "number":
            return float(text)
    except ValueError:
        return text
    return text.strip().lower() in _TRUE_WORDS


def _path_default(default: Value) -> str | None:
    if isinstance(default, PathValue):
        return default.text
    return default if isinstance(default, str) else None


def _help(text: Value) -> str | None:
    """Help as people read it: argparse's ``%%`` and ``%(default)s`` resolved or dropped."""
    if not isinstance(text, str) or not text.strip():
        return None
    shown = re.sub(r"\s*[(\[][^()\[\]]*%\(\w+\)\w[^()\[\]]*[)\]]", "", text)
    shown = re.sub(r"%\(\w+\)\w", "", shown).replace("%%", "%")
    return " ".join(shown.split()) or None


def _parses_booleans(function: ast.FunctionDef) -> bool:
    """A function that compares text with words for true and returns booleans."""
    returned = [node.value for node in walk(function) if isinstance(node, ast.Return)]
    gives_boolean = any(
        isinstance(value, ast.Constant) and isinstance(value.value, bool) for value in returned
    ) or any(value is not None and _reads_true(value) for value in returned)
    return gives_boolean and any(map(_is_true_word, _strings(function)))


def _reads_true(node: ast.expr) -> bool:
    """``text.lower() == "true"``, ``text in ("yes", "true")``, ``bool(strtobool(text))``."""
    for inner in walk(node):
        if isinstance(inner, ast.Compare) and any(map(_is_true_word, _strings(inner))):
            return True
        if isinstance(inner, ast.Call):
            name = inner.func.attr if isinstance(inner.func, ast.Attribute) else ""
            name = inner.func.id if isinstance(inner.func, ast.Name) else name
            if _BOOLEAN_NAME.fullmatch(name):
                return True
    return False


def _strings(node: ast.AST) -> Iterator[str]:
    for inner in walk(node):
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            yield inner.value


def _is_true_word(text: str) -> bool:
    return text.strip().lower() in _TRUE_WORDS
