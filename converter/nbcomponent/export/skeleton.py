"""What a script has around the cells: arguments, data checks, loading and storing of values.

Everything comes from the component's interface. The argument strings are exactly its names.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from nbcomponent.analysis.random_state import RANDOM_STATES
from nbcomponent.contract.model import Column, Format, Interface, Parameter, Port
from nbcomponent.export import helpers
from nbcomponent.export.layout import (
    Expression,
    Group,
    assign,
    call,
    entry,
    lay_out,
    listed,
    literal,
    named,
    quote,
)
from nbcomponent.export.names import Taken
from nbcomponent.export.plain import SHELL_HELPERS, needs_of

SUFFIX: dict[Format, str] = {
    "parquet": ".parquet",
    "csv": ".csv",
    "npy": ".npy",
    "npz": ".npz",
    "json": ".json",
    "text": ".txt",
    "joblib": ".joblib",
    "pickle": ".pickle",
}
"""The suffix of the file that holds a value inside a folder."""

FORMAT_MODULES: dict[Format, tuple[str, ...]] = {
    "parquet": ("pandas", "pyarrow"),
    "csv": ("pandas",),
    "npy": ("numpy",),
    "npz": ("numpy",),
    "json": (),
    "text": (),
    "joblib": ("joblib",),
    "pickle": (),
}
"""Modules that storing and loading a format needs, for the environment."""

_FOLDERS: Mapping[str, tuple[str, ...]] = {
    "uri_folder": (),
    "mltable": ("MLTable",),
    "mlflow_model": ("MLmodel",),
    "triton_model": (),
}

_RANDOM_STATES = {
    variable: (library, *calls)
    for library, variable, calls in (
        ("numpy", RANDOM_STATES["numpy"], ("set_state", "get_state")),
        ("random", RANDOM_STATES["random"], ("setstate", "getstate")),
    )
}
"""Values that are a library's global random state, and how it is set and asked for."""

_PATH = ("pathlib", "Path")


@dataclass(frozen=True, slots=True)
class Skeleton:
    """The parts of a script around the cells' code.

    ``standard``, ``libraries`` and ``displays`` are import lines; ``helpers`` are complete functions and tables;
    ``start`` and ``end`` are lines at the beginning and the end of the guarded block.
    ``modules`` are the libraries that this code needs. ``arguments`` and ``asyncio`` are names;
    ``replaced`` says what stands for each stand-in.
    """

    standard: tuple[str, ...]
    libraries: tuple[str, ...]
    helpers: tuple[str, ...]
    start: tuple[str, ...]
    end: tuple[str, ...]
    modules: tuple[str, ...]
    arguments: str
    asyncio: str | None
    replaced: Mapping[str, str]
    displays: tuple[str, ...]


@dataclass
class _Writer:
    interface: Interface
    taken: Taken
    imported: Mapping[str, str]
    exact_outputs: frozenset[str]
    plain_tables: frozenset[str]
    packages: bool
    absolute: bool
    used: dict[str, str] = field(default_factory=dict)
    standard: dict[str, None] = field(default_factory=dict)
    libraries: dict[str, None] = field(default_factory=dict)
    helpers: dict[str, str] = field(default_factory=dict)
    modules: dict[str, None] = field(default_factory=dict)
    whole: set[str] = field(default_factory=set)

    def module(self, module: str, name: str | None = None, shown: str | None = None) -> str:
        """The name under which the script knows ``module`` (or ``module.name``)."""
        key = f"{module}:{name}" if name else module
        if key in self.used:
            return self.used[key]
        for bound, origin in self.imported.items():
            if origin == key and "." not in bound:
                self.used[key] = bound
                return bound
        wanted = shown or name or module
        local = self.taken.fresh(wanted)
        if name:
            line = f"from {module} import {name}" + (f" as {local}" if local != name else "")
        else:
            line = f"import {module}" + (f" as {local}" if local != module else "")
        root = module.partition(".")[0]
        is_library = root in ("pandas", "numpy", "pandera", "joblib", "jsonschema")
        (self.libraries if is_library else self.standard)[line] = None
        if is_library:
            self.modules[root] = None
        self.used[key] = local
        return local

    def helper(self, name: str, text: str, **names: str) -> str:
        """The name of a helper function, which is written when it is first asked for."""
        if name not in self.used:
            self.used[name] = self.taken.fresh(name)
            self.helpers[name] = text.format(**{name: self.used[name]}, **names)
        return self.used[name]

    def name(self, wanted: str) -> str:
        """A name for a variable of the exporter's own code, the same each time."""
        key = f" name {wanted}"
        if key not in self.used:
            self.used[key] = self.taken.fresh(wanted)
        return self.used[key]

    # The helpers, by what they need.

    def path(self) -> str:
        return self.module(*_PATH)

    def argparse(self) -> str:
        return self.module("argparse")

    def fail(self) -> str:
        never = self.typing("NoReturn")
        return self.helper("fail", helpers.FAIL, sys=self.module("sys"), NoReturn=never)

    def fail_first(self) -> str:
        never = self.typing("NoReturn")
        return self.helper("fail_first", helpers.FAIL_FIRST, fail=self.fail(), NoReturn=never)

    def typing(self, name: str) -> str:
        return self.module("collections.abc" if name == "Callable" else "typing", name)


def skeleton(
    interface: Interface,
    taken: Taken,
    imported: Mapping[str, str],
    *,
    description: str,
    exact_outputs: frozenset[str] = frozenset(),
    plain_tables: frozenset[str] = frozenset(),
    packages: bool = False,
    absolute_paths: bool = False,
    asynchronous: bool = False,
    displays: tuple[str, ...] = (),
    stand_ins: Iterable[str] = (),
    tables: bool = False,
) -> Skeleton:
    """The code around the cells of the component that ``interface`` describes.

    ``imported`` maps names that the hoisted imports bind to what they stand for (``np``: ``numpy``,
    ``Path``: ``pathlib:Path``). ``exact_outputs`` are outputs whose stored value must be read back
    unchanged. ``plain_tables``: variables that cross as tables whose missing values are all nan.
    ``packages``: the code imports more than Python's own library.
    ``absolute_paths``: the component changes its working directory. ``asynchronous``: the
    cells await something. ``displays``: the import of what prints displayed
    values. ``stand_ins``: modules, helpers and variables that
    translated IPython syntax needs (see :data:`nbcomponent.export.plain.STAND_IN`). ``tables``: pandas
    prints tables.
    """
    writer = _Writer(
        interface, taken, imported, exact_outputs, plain_tables, packages, absolute_paths
    )
    arguments = taken.fresh("arguments")
    parse = taken.fresh("parse_arguments")
    parse_code = _parse_arguments(writer, parse, description)
    checks = _check_inputs(writer)
    finish = _finish_outputs(writer)
    start = [f"{arguments} = {parse}()"]
    functions = [parse_code]
    if checks:
        name = taken.fresh("check_inputs")
        functions.append(
            _function(writer, name, "Fail unless the inputs are what the contract says.", checks)
        )
        start.append(f"{name}({arguments})")
    if tables:  # pandas asks for a kernel: get_ipython().kernel (pandas.core.config_init).
        pd = writer.module("pandas", shown="pd")
        start.append("# As in a notebook; in a script pandas would fit tables to the terminal.")
        start.append(f'{pd}.set_option("display.max_columns", 20)')
    start += _bindings(writer, arguments)
    end = _stores(writer, arguments)
    _write_check_whole(writer)
    if finish:
        name = taken.fresh("finish_outputs")
        functions.append(
            _function(
                writer, name, "Fail unless the outputs are complete; then name the files.", finish
            )
        )
        end.append(f"{name}({arguments})")
    if asynchronous:
        writer.module("asyncio")
    replaced = {name: _stand_in(writer, name) for name in sorted(stand_ins)}
    return Skeleton(
        _import_lines(writer.standard),
        tuple(writer.libraries),
        (*writer.helpers.values(), *functions),
        tuple(start),
        tuple(end),
        tuple(writer.modules),
        arguments,
        writer.used.get("asyncio"),
        replaced,
        displays,
    )


def _stand_in(writer: _Writer, name: str) -> str:
    if name in SHELL_HELPERS:
        modules = {module: writer.module(module) for module in needs_of(name)}
        return writer.helper(name, SHELL_HELPERS[name], **modules)
    if name in ("os", "subprocess", "contextlib", "io"):
        return writer.module(name)
    return writer.taken.fresh(name)


def _import_lines(lines: Iterable[str]) -> tuple[str, ...]:
    """Import lines in the usual order, one for each module."""
    plain: list[str] = []
    members: dict[str, list[str]] = {}
    for line in sorted(lines):
        if line.startswith("from "):
            module, _, name = line[5:].partition(" import ")
            members.setdefault(module, []).append(name)
        else:
            plain.append(line)
    return (*plain, *(f"from {m} import {', '.join(names)}" for m, names in members.items()))


def _function(writer: _Writer, name: str, text: str, lines: list[str]) -> str:
    head = f"def {name}(arguments: {writer.argparse()}.Namespace) -> None:"
    body = "\n".join(f"    {line}" if line else "" for block in lines for line in block.split("\n"))
    return f'{head}\n    """{text}"""\n{body}\n'


# Arguments


def _parse_arguments(writer: _Writer, name: str, description: str) -> str:
    interface, argparse = writer.interface, writer.argparse()
    options: list[Expression] = [named("description", quote(description)), "allow_abbrev=False"]
    known = {interface.argument(p.name) for p in interface.parameters}
    known |= {port.name for port in (*interface.inputs, *interface.outputs)}
    if "help" in known:
        options.append("add_help=False")
    lines = [
        f"def {name}() -> {argparse}.Namespace:",
        '    """Read the command line."""',
        lay_out(assign("parser", call(f"{argparse}.ArgumentParser", *options)), 4),
    ]
    ports = [_port_argument(writer, port, output=False) for port in interface.inputs]
    parameters = [_parameter_argument(writer, p) for p in interface.parameters]
    outputs = [_port_argument(writer, port, output=True) for port in interface.outputs]
    lines += [lay_out(argument, 4) for argument in (*ports, *parameters, *outputs)]
    lines.append("    return parser.parse_args()")
    return "\n".join(lines) + "\n"


def _parameter_argument(writer: _Writer, parameter: Parameter) -> Expression:
    items: list[Expression] = [quote(f"--{writer.interface.argument(parameter.name)}")]
    items.append(named("type", _parameter_type(writer, parameter)))
    if parameter.choices:
        items.append(named("choices", listed(tuple(literal(c) for c in parameter.choices))))
    if parameter.required:
        items.append("required=True")
    elif not (parameter.optional and parameter.default is None):
        items.append(named("default", literal(parameter.default)))
    text = _sentence(parameter.description, parameter.unit)
    if parameter.default is not None and not parameter.required:
        text = f"{text} (default: %(default)s)".strip()
    if text:
        items.append(named("help", quote(text)))
    return call("parser.add_argument", *items)


def _parameter_type(writer: _Writer, parameter: Parameter) -> Expression:
    if parameter.type == "boolean":
        return writer.helper("boolean", helpers.BOOLEAN, argparse=writer.argparse())
    if parameter.type == "string" and parameter.required and not parameter.choices:
        return writer.helper("non_empty", helpers.NON_EMPTY, argparse=writer.argparse())
    convert = {"integer": "int", "number": "float", "string": "str"}[parameter.type]
    if parameter.min is None and parameter.max is None:
        return convert
    within = writer.helper(
        "within",
        helpers.WITHIN,
        argparse=writer.argparse(),
        Callable=writer.typing("Callable"),
    )
    limits: list[Expression] = [convert]
    if parameter.min is not None:
        limits.append(named("minimum", literal(parameter.min)))
    if parameter.max is not None:
        limits.append(named("maximum", literal(parameter.max)))
    return call(within, *limits)


def _port_argument(writer: _Writer, port: Port, *, output: bool) -> Expression:
    absolute = ".absolute()" if writer.absolute else ""
    data_path = writer.helper(
        "data_path",
        helpers.DATA_PATH,
        path=writer.path(),
        argparse=writer.argparse(),
        absolute=absolute,
    )
    items: list[Expression] = [quote(f"--{port.name}"), named("type", data_path)]
    if output or not port.optional:
        items.append("required=True")
    kind = "folder" if port.type in _FOLDERS else "file" if port.type == "uri_file" else "path"
    stored = port.format if port.format and not port.binds_path else kind
    text = _sentence(port.description) or f"{stored} {'to write' if output else 'to read'}"
    items.append(named("help", quote(text)))
    return call("parser.add_argument", *items)


def _sentence(text: str | None, unit: str | None = None) -> str:
    plain = " ".join((text or "").split())
    if unit:
        plain = f"{plain} [{unit}]".strip()
    return plain.replace("%", "%%")


def argument_value(arguments: str, name: str) -> str:
    """The expression for an argument's value."""
    return (
        f"getattr({arguments}, {quote(name)})" if keyword.iskeyword(name) else f"{arguments}.{name}"
    )


# Checks


def _inner(expression: Expression, indent: int = 4) -> str:
    """The expression laid out for a block ``indent`` columns deep, without that indentation."""
    lines = lay_out(expression, indent).split("\n")
    return "\n".join(line[4:] for line in lines).lstrip()


def _check_inputs(writer: _Writer) -> list[str]:
    blocks = []
    for port in writer.interface.inputs:
        if port.mode == "direct":  # The argument is a URI that the component opens itself.
            continue
        value = argument_value("arguments", port.name)
        lines = _check_port(writer, port, value, output=False)
        if port.optional and lines:
            inner = "\n".join(f"    {line}" for block in lines for line in block.split("\n"))
            lines = [f"if {value} is not None:\n{inner}"]
        blocks += lines
    return blocks


def _check_port(writer: _Writer, port: Port, value: str, *, output: bool) -> list[str]:
    argument = quote(f"--{port.name}")
    stored = _stored_file(port, value)
    if port.type == "custom_model" and not port.files and port.binds_path:
        test = f"if not {value}.exists():"
        return [f'{test}\n    {writer.fail()}({argument}, "a model", f"nothing at {{{value}}}")']
    names = {"path": writer.path(), "fail": writer.fail()}
    lines: list[str] = []
    suffixes: set[str] = set()
    if port.type in _FOLDERS or (port.type == "custom_model" and port.files):
        parts = (*_FOLDERS.get(port.type, ()), *port.files)
        check = writer.helper("check_folder", helpers.CHECK_FOLDER, **names)
        lines.append(_inner(call(check, argument, value, *(quote(part) for part in parts))))
        suffixes = {
            PurePosixPath(part).suffix for part in parts if not any(c in part for c in "*?[")
        }
    else:
        lenient = any(map(_may_be_empty, writer.interface.inputs))
        check = writer.helper(
            "check_file",
            helpers.CHECK_FILE,
            option=", may_be_empty: bool = False" if lenient else "",
            unless="not may_be_empty and " if lenient else "",
            **names,
        )
        extra = ("may_be_empty=True",) if _may_be_empty(port) and not output else ()
        lines.append(_inner(call(check, argument, stored, *extra)))
        suffixes = {
            SUFFIX[port.format] if port.format else PurePosixPath(port.default or "").suffix
        }
    if port.binds_path:
        lines += _check_whole(writer, port, value, argument, suffixes & helpers.BRANCHES.keys())
    if port.columns and (port.binds_path or output):
        lines.append(_check_columns(writer, port, stored, argument))
    if port.json_schema is not None and (port.binds_path or output):
        loaded = f'{writer.module("json")}.loads({stored}.read_text(encoding="utf-8"))'
        lines.append(_check_json_value(writer, port, loaded, argument))
    return lines


def _may_be_empty(port: Port) -> bool:
    """Whether an input file may hold nothing."""
    return port.format == "text" or (port.format is None and not port.columns)


def _check_whole(
    writer: _Writer, port: Port, value: str, argument: str, suffixes: set[str]
) -> list[str]:
    if not suffixes:
        return []
    writer.fail()
    writer.path()
    name = writer.used.setdefault("check_whole", "") or writer.taken.fresh("check_whole")
    writer.used["check_whole"] = name
    writer.helpers.setdefault("check_whole", "")  # Its text is written when all kinds are known.
    writer.whole |= suffixes
    if port.type in _FOLDERS or port.files:
        parts = [
            part
            for part in port.files
            if PurePosixPath(part).suffix in suffixes and not any(c in part for c in "*?[")
        ]
        return [_inner(call(name, argument, f"{value} / {quote(part)}")) for part in parts]
    return [_inner(call(name, argument, value))]


def _write_check_whole(writer: _Writer) -> None:
    if not writer.whole:
        return
    names = {"fail": writer.fail()}
    if ".json" in writer.whole:
        names["json"] = writer.module("json")
    if ".npz" in writer.whole:
        names["zipfile"] = writer.module("zipfile")
    branches = [helpers.BRANCHES[suffix].format(**names) for suffix in sorted(writer.whole)]
    writer.helpers["check_whole"] = helpers.CHECK_WHOLE.format(
        check_whole=writer.used["check_whole"], path=writer.path(), branches="\n".join(branches)
    )


def _check_columns(writer: _Writer, port: Port, stored: str, argument: str) -> str:
    table = _read_table(writer, port, stored)
    return _inner(call(_check_table(writer), argument, table, _schema(writer, port)))


def _check_table(writer: _Writer) -> str:
    return writer.helper(
        "check_table",
        helpers.CHECK_TABLE,
        fail_first=writer.fail_first(),
        pd=writer.module("pandas", shown="pd"),
        pa=writer.module("pandera.pandas", shown="pa"),
    )


def _read_table(writer: _Writer, port: Port, stored: str) -> Expression:
    load = _loader(writer, port)
    read = writer.helper(
        "read",
        helpers.READ,
        path=writer.path(),
        fail=writer.fail(),
        Any=writer.typing("Any"),
        Callable=writer.typing("Callable"),
    )
    return call(read, quote(f"--{port.name}"), stored, load)


def _check_json_value(writer: _Writer, port: Port, loaded: str, argument: str) -> str:
    check = writer.helper(
        "check_json",
        helpers.CHECK_JSON,
        jsonschema=writer.module("jsonschema"),
        fail_first=writer.fail_first(),
    )
    return _inner(call(check, argument, loaded, _value(port.json_schema)))


def _value(value: object) -> Expression:
    if isinstance(value, Mapping):
        return Group("{", tuple(entry(quote(str(k)), _value(v)) for k, v in value.items()), "}")
    if isinstance(value, (list, tuple)):
        return listed(tuple(_value(v) for v in value))
    assert value is None or isinstance(value, (bool, int, float, str))
    return literal(value)


def _schema(writer: _Writer, port: Port) -> str:
    key = f" schema {port.name}"
    if key not in writer.used:
        pa = writer.module("pandera.pandas", shown="pa")
        name = writer.taken.fresh(f"{port.name.upper()}_COLUMNS")
        columns = tuple(
            entry(quote(column.name), _column(pa, column, port.format or _format_of(port)))
            for column in port.columns
        )
        table = assign(name, call(f"{pa}.DataFrameSchema", Group("{", columns, "}")))
        writer.helpers[key] = lay_out(table) + "\n"
        writer.used[key] = name
    return writer.used[key]


def _column(pa: str, column: Column, stored_as: str) -> Expression:
    items: list[Expression] = []
    dtype, coerce = _dtype(column, stored_as)
    if dtype is not None:
        items.append(quote(dtype))
    checks: list[Expression] = []
    if column.allowed is not None:
        checks.append(call(f"{pa}.Check.isin", listed(tuple(literal(v) for v in column.allowed))))
    if column.min is not None:
        checks.append(call(f"{pa}.Check.ge", literal(column.min)))
    if column.max is not None:
        checks.append(call(f"{pa}.Check.le", literal(column.max)))
    if checks:
        items.append(named("checks", checks[0] if len(checks) == 1 else listed(tuple(checks))))
    if column.nullable:
        items.append("nullable=True")
    if column.unique:
        items.append("unique=True")
    if coerce:
        items.append("coerce=True")
    if not column.required:
        items.append("required=False")
    meaning = _sentence(column.meaning, column.unit).replace("%%", "%")
    if meaning:
        items.append(named("description", quote(meaning)))
    return call(f"{pa}.Column", *items)


def _dtype(column: Column, stored_as: str) -> tuple[str | None, bool]:
    """The dtype to check, and whether the table is converted to it first.

    A csv file has no types: whole numbers stand for floats, text for dates, and a column of integers
    with gaps is read as floats. There the values must fit the type, not the reader's guess.
    """
    dtype = column.dtype
    if dtype is None or dtype == "object":
        return None, False
    if dtype in ("str", "string"):
        return "str", stored_as == "csv"
    if stored_as != "csv":
        return dtype, False
    if dtype.lower().startswith(("int", "uint")):
        return "Int64", True  # int64 would take 1.5 for 1.
    return dtype, dtype.startswith(("float", "datetime", "category"))


# Values: loading and storing


def _format_of(port: Port) -> Format:
    suffixes: dict[str, Format] = {suffix: name for name, suffix in SUFFIX.items()}
    names = [port.default or "", *port.files]
    found = [suffixes[s] for s in (PurePosixPath(n).suffix for n in names) if s in suffixes]
    return found[0] if found else "csv"


def _stored_file(port: Port, value: str) -> str:
    """The file of a port, or the table of a folder whose columns are declared."""
    if port.type not in _FOLDERS:
        return value
    tables = [f for f in port.files if PurePosixPath(f).suffix in (".csv", ".parquet", ".json")]
    return f"{value} / {quote(tables[0])}" if tables else value


def _loader(writer: _Writer, port: Port) -> str:
    """An expression that is a function from the file to the value."""
    stored_as = port.format or _format_of(port)
    loaders: dict[Format, Callable[[], str]] = {
        "parquet": lambda: _parquet_loader(writer, port),
        "csv": lambda: f"{writer.module('pandas', shown='pd')}.read_csv",
        "npy": lambda: f"{writer.module('numpy', shown='np')}.load",
        "npz": lambda: f"lambda file: dict({writer.module('numpy', shown='np')}.load(file))",
        "json": lambda: (
            f'lambda file: {writer.module("json")}.loads(file.read_text(encoding="utf-8"))'
        ),
        "text": lambda: "lambda file: file.read_bytes().decode()",
        "joblib": lambda: f"{writer.module('joblib')}.load",
        "pickle": lambda: writer.helper(
            "unpickle",
            helpers.UNPICKLE,
            path=writer.path(),
            pickle=writer.module("pickle"),
            Any=writer.typing("Any"),
        ),
    }
    return loaders[stored_as]()


def _parquet_loader(writer: _Writer, port: Port) -> str:
    pd = writer.module("pandas", shown="pd")
    if port.variable not in writer.plain_tables or port.binds_path:
        return f"{pd}.read_parquet"
    return writer.helper("read_parquet", helpers.READ_PARQUET, path=writer.path(), pd=pd)


def _bindings(writer: _Writer, arguments: str) -> list[str]:
    lines: list[str] = []
    for port in writer.interface.outputs:
        value = argument_value(arguments, port.name)
        folder = (
            value if port.type in _FOLDERS or _is_checkpoint(writer, port) else f"{value}.parent"
        )
        lines.append(f"{folder}.mkdir(parents=True, exist_ok=True)")
    for port in writer.interface.outputs:
        if port.binds_path:
            lines.append(f"{port.variable} = {_written_path(writer, port, arguments)}")
    for port in writer.interface.inputs:
        value = argument_value(arguments, port.name)
        if port.binds_path:
            lines.append(f"{port.variable} = {value}")
            continue
        loaded = _read_table(writer, port, _stored_file(port, value))
        if port.optional:
            lines += [f"{port.variable} = None", f"if {value} is not None:"]
            lines.append("    " + _inner(assign(port.variable, loaded), 8))
        else:
            lines.append(_inner(assign(port.variable, loaded)))
        if port.columns:
            check = _check_table(writer)
            lines.append(
                _inner(call(check, quote(f"--{port.name}"), port.variable, _schema(writer, port)))
            )
        if port.json_schema is not None:
            lines.append(_check_json_value(writer, port, port.variable, quote(f"--{port.name}")))
        if port.variable in _RANDOM_STATES:
            module, setter, _ = _RANDOM_STATES[port.variable]
            lines.append(f"{_random_module(writer, module)}.{setter}({port.variable})")
    for parameter in writer.interface.parameters:
        value = argument_value(arguments, writer.interface.argument(parameter.name))
        lines.append(f"{parameter.name} = {value}")
    return lines


def _random_module(writer: _Writer, module: str) -> str:
    if module == "random":
        return writer.module("random")
    return f"{writer.module('numpy', shown='np')}.random"


def _is_checkpoint(writer: _Writer, port: Port) -> bool:
    return writer.interface.checkpoint.get("output") in (port.name, port.variable)


def _is_renamed_at_end(writer: _Writer, port: Port) -> bool:
    return port.type == "uri_file" and not _is_checkpoint(writer, port)


def _written_path(writer: _Writer, port: Port, arguments: str) -> str:
    value = argument_value(arguments, port.name)
    if not _is_renamed_at_end(writer, port):
        return value
    suffixes = any(_kept_suffix(writer, p) for p in writer.interface.outputs)
    partial = writer.helper(
        "partial",
        helpers.PARTIAL,
        path=writer.path(),
        option=', suffix: str = ""' if suffixes else "",
        written="stem}{file.suffix or suffix" if suffixes else "name",
    )
    suffix = _kept_suffix(writer, port)
    return f"{partial}({value}, {quote(suffix)})" if suffix else f"{partial}({value})"


def _kept_suffix(writer: _Writer, port: Port) -> str:
    """The suffix that an output has while cells write it: libraries go by it, and its name may have none."""
    if not port.binds_path or not _is_renamed_at_end(writer, port):
        return ""
    return PurePosixPath(port.default or "").suffix


def _stores(writer: _Writer, arguments: str) -> list[str]:
    lines: list[str] = []
    for port in writer.interface.outputs:
        if port.binds_path or port.format is None:
            continue
        if port.variable in _RANDOM_STATES:
            module, _, getter = _RANDOM_STATES[port.variable]
            lines.append(f"{port.variable} = {_random_module(writer, module)}.{getter}()")
        written = _written_path(writer, port, arguments)
        file = _stored_file(port, written)
        lines += _store(writer, port, f"({file})" if " / " in file else file, file)
    return lines


def _store(writer: _Writer, port: Port, file: str, plain: str) -> list[str]:
    variable, stored_as = port.variable, port.format
    argument = quote(f"--{port.name}")
    lines: list[str]
    if stored_as == "parquet":
        lines = [f"{variable}.to_parquet({plain})"]
    elif stored_as == "csv":
        check = writer.helper(
            "check_index",
            helpers.CHECK_INDEX,
            fail=writer.fail(),
            Any=writer.typing("Any"),
        )
        lines = [
            f"{check}({argument}, {variable})",
            f"{variable}.to_csv({plain}, index=False)",
        ]
    elif stored_as in ("npy", "npz"):
        np = writer.module("numpy", shown="np")
        stream = writer.name("stream")
        save = f"savez({stream}, **{variable})"
        if stored_as == "npy":
            save = f"save({stream}, {variable}, allow_pickle=False)"
        lines = [f'with {file}.open("wb") as {stream}:\n    {np}.{save}']
    elif stored_as == "json":
        text = f"{writer.module('json')}.dumps({variable}, indent=2)"
        lines = [_inner(call(f"{file}.write_text", f'{text} + "\\n"', 'encoding="utf-8"'))]
    elif stored_as == "text":
        lines = [f"{file}.write_bytes({variable}.encode())"]
    elif stored_as == "joblib":
        lines = [f"{writer.module('joblib')}.dump({variable}, {plain})"]
    elif port.name in writer.exact_outputs and writer.packages and variable not in _RANDOM_STATES:
        pickler = writer.helper(
            "Pickler",
            helpers.PICKLER,
            pickle=writer.module("pickle"),
            sys=writer.module("sys"),
            Any=writer.typing("Any"),
        )
        stream = writer.name("stream")
        lines = [f'with {file}.open("wb") as {stream}:\n    {pickler}({stream}).dump({variable})']
    else:
        lines = [f"{file}.write_bytes({writer.module('pickle')}.dumps({variable}))"]
    if port.name in writer.exact_outputs and stored_as in ("parquet", "csv", "npy", "json", "text"):
        exact = writer.helper("exact", helpers.EXACT, fail=writer.fail(), Any=writer.typing("Any"))
        loaded = _read_table(writer, port, plain)
        lines.append(_inner(call(exact, argument, loaded, variable)))
    return lines


def _finish_outputs(writer: _Writer) -> list[str]:
    lines: list[str] = []
    for port in writer.interface.outputs:
        lines += _check_port(writer, port, _written_path(writer, port, "arguments"), output=True)
    for port in writer.interface.outputs:
        if _is_renamed_at_end(writer, port):
            value = argument_value("arguments", port.name)
            lines.append(f"{_written_path(writer, port, 'arguments')}.replace({value})")
    return lines
