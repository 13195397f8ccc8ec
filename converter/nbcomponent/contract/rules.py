"""Rules over single values of a contract, whatever they were read from."""

from __future__ import annotations

import math
import posixpath
import re
from collections.abc import Iterable
from typing import Union

from nbcomponent.contract.model import Column, Parameter, ParameterType, Port

Problem = tuple[str, str, tuple[Union[str, int], ...]]
"""A code, its message, and the key (for an item of a list with its index) of the value at fault."""

_TYPE_WORDS: dict[ParameterType, str] = {
    "integer": "an integer",
    "number": "a number",
    "string": "a text",
    "boolean": "true or false",
}


def fits_type(value: object, kind: ParameterType) -> bool:
    """Whether ``value`` is one of the type: an int is a number, a bool is neither."""
    if kind == "boolean":
        return isinstance(value, bool)
    if isinstance(value, bool):
        return False
    if kind == "integer":
        return isinstance(value, int)
    if kind == "number":
        return isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))
    return isinstance(value, str)


def value_problem(parameter: Parameter, value: object, what: str) -> str | None:
    """Why ``value`` is none that the parameter accepts; ``what`` names the value in the message."""
    if not fits_type(value, parameter.type):
        return f"{what} {value!r} of {parameter.name} is not {_TYPE_WORDS[parameter.type]}"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if parameter.min is not None and value < parameter.min:
            return f"{what} {value!r} of {parameter.name} is below its minimum {parameter.min!r}"
        if parameter.max is not None and value > parameter.max:
            return f"{what} {value!r} of {parameter.name} is above its maximum {parameter.max!r}"
    if parameter.choices is not None and value not in parameter.choices:
        listed = ", ".join(repr(choice) for choice in parameter.choices)
        return f"{what} {value!r} of {parameter.name} is none of its choices {listed}"
    return None


def parameter_problems(parameter: Parameter) -> Iterable[Problem]:
    """What is wrong with a parameter in itself: its range, its choices, its default."""
    name, kind = parameter.name, parameter.type
    numeric = kind in ("integer", "number")
    bounds = [("min", "minimum", parameter.min), ("max", "maximum", parameter.max)]
    sound = True
    written = [key for key, _, bound in bounds if bound is not None]
    if not numeric and written:
        sound = False
        yield (
            "NBC215",
            f"{name} is {_TYPE_WORDS[kind]}: it has no minimum or maximum",
            (written[0],),
        )
    for key, end, bound in bounds if numeric else ():
        if bound is not None and not fits_type(bound, kind):
            sound = False
            yield "NBC215", f"the {end} {bound!r} of {name} is not {_TYPE_WORDS[kind]}", (key,)
    if (
        sound
        and parameter.min is not None
        and parameter.max is not None
        and parameter.min > parameter.max
    ):
        sound = False
        yield (
            "NBC215",
            f"the minimum {parameter.min!r} of {name} is above its maximum {parameter.max!r}",
            ("min",),
        )
    if parameter.choices is not None:
        yield from _choice_problems(parameter)
        sound = sound and all(fits_type(choice, kind) for choice in parameter.choices)
    if parameter.default is not None and (sound or not fits_type(parameter.default, kind)):
        problem = value_problem(parameter, parameter.default, "the default")
        if problem is not None:
            yield "NBC216", problem, ("default",)


def _choice_problems(parameter: Parameter) -> Iterable[Problem]:
    name, choices = parameter.name, parameter.choices or ()
    if not choices:
        yield "NBC215", f"{name} has an empty list of choices", ("choices",)
    if parameter.type == "boolean":
        yield "NBC215", f"{name} is a boolean: it has no choices", ("choices",)
        return
    seen: set[object] = set()
    for index, choice in enumerate(choices):
        message = None
        if not fits_type(choice, parameter.type):
            message = f"the choice {choice!r} of {name} is not {_TYPE_WORDS[parameter.type]}"
        elif isinstance(choice, (int, float)) and (
            (parameter.min is not None and choice < parameter.min)
            or (parameter.max is not None and choice > parameter.max)
        ):
            message = f"the choice {choice!r} of {name} is outside its range"
        elif choice in seen:
            message = f"{name} lists the choice {choice!r} twice"
        seen.add(choice)
        if message is not None:
            yield "NBC215", message, ("choices", index)


_INTEGER_DTYPE = re.compile(r"u?int(8|16|32|64)|U?Int(8|16|32|64)")
_FLOAT_DTYPE = re.compile(r"float(16|32|64)|Float(32|64)")
_TIME_DTYPE = re.compile(r"(datetime64|timedelta64)(\[(s|ms|us|ns)(, ?[\w/+-]+)?\])?")
_TEXT_DTYPES = frozenset(("str", "string", "object"))
_BOOL_DTYPES = frozenset(("bool", "boolean"))


def dtype_kind(dtype: str) -> str | None:
    """``integer``, ``number``, ``text``, ``boolean``, ``time``, ``category``; None if unknown."""
    if _INTEGER_DTYPE.fullmatch(dtype):
        return "integer"
    if _FLOAT_DTYPE.fullmatch(dtype):
        return "number"
    if _TIME_DTYPE.fullmatch(dtype):
        return "time"
    if dtype in _TEXT_DTYPES:
        return "text"
    if dtype in _BOOL_DTYPES:
        return "boolean"
    return "category" if dtype == "category" else None


def column_problems(column: Column) -> Iterable[Problem]:
    """What is wrong with the rule of a column: its dtype, its allowed values, its range."""
    name = column.name
    kind = dtype_kind(column.dtype) if column.dtype is not None else "any"
    if kind is None:
        yield (
            "NBC224",
            f"the column {name} has the dtype {column.dtype!r}, which is no name of numpy or pandas "
            "(int64, float64, bool, string, object, category, datetime64[ns])",
            ("dtype",),
        )
        return
    written = [key for key in ("min", "max") if getattr(column, key) is not None]
    if written and kind not in ("any", "integer", "number") and column.dtype != "object":
        message = f"the column {name} has the dtype {column.dtype}: it has no min or max"
        yield "NBC224", message, (written[0],)
    if column.min is not None and column.max is not None and column.min > column.max:
        message = f"the min {column.min!r} of the column {name} is above its max {column.max!r}"
        yield "NBC224", message, ("min",)
    for index, value in enumerate(column.allowed or ()):
        where: tuple[str | int, ...] = ("allowed", index)
        if not _fits_dtype(value, kind, column.dtype):
            message = f"the allowed value {value!r} of the column {name} is no {column.dtype}"
            yield "NBC224", message, where
        elif (
            isinstance(value, (int, float))
            and not isinstance(value, bool)
            and (
                (column.min is not None and value < column.min)
                or (column.max is not None and value > column.max)
            )
        ):
            message = f"the allowed value {value!r} of the column {name} is outside its range"
            yield "NBC224", message, where
    if column.allowed is not None and not column.allowed:
        yield "NBC224", f"the column {name} allows no value at all", ("allowed",)


def _fits_dtype(value: object, kind: str, dtype: str | None) -> bool:
    if kind == "boolean":
        return isinstance(value, bool)
    if kind == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if kind == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind == "text" and dtype != "object":
        return isinstance(value, str)
    return True


def path_problem(path: str) -> str | None:
    """Why a relative path of a contract is none that stays inside its folder; None if it does."""
    if not path or path.isspace():
        return "is empty"
    if "\0" in path or "\n" in path:
        return "holds a control character"
    if "\\" in path:
        return "has a backslash; separate folders with /"
    if path.startswith(("/", "~")) or re.match(r"[A-Za-z]:", path) or "://" in path:
        return "is not relative"
    if ".." in path.split("/"):
        return "leaves its folder with .."
    return None


_TABLES = ("parquet", "csv")
_SUFFIXES = {
    ".parquet": "parquet",
    ".csv": "csv",
    ".npy": "npy",
    ".npz": "npz",
    ".json": "json",
    ".txt": "text",
    ".joblib": "joblib",
    ".pkl": "pickle",
    ".pickle": "pickle",
}


def port_problems(port: Port) -> Iterable[Problem]:
    """What is wrong with data in itself: its type, format, columns and files."""
    name, kind, format_ = port.name, port.type, port.format
    if format_ is not None and kind != "uri_file":
        if not port.binds_path:
            yield (
                "NBC226",
                f"{name} is stored as {format_}, which is one file: its type is uri_file, not {kind}",
                ("type",),
            )
        elif not (kind == "uri_folder" and format_ == "parquet"):
            yield (
                "NBC226",
                f"{name} has the type {kind}, which has no format {format_}",
                ("format",),
            )
    suffix = _SUFFIXES.get(posixpath.splitext(port.default or "")[1].lower())
    if format_ is not None and suffix is not None and suffix != format_ and kind == "uri_file":
        yield (
            "NBC226",
            f"{name} has the format {format_}, but its path is {port.default!r}",
            ("format",),
        )
    if port.columns:
        table = format_ if format_ is not None else suffix
        if kind == "uri_folder" and format_ != "parquet":
            yield (
                "NBC226",
                f"{name} is a folder, but columns describe one table; make it a uri_file, or say in "
                "meaning and files what the folder holds",
                ("columns",),
            )
        elif kind not in ("uri_file", "uri_folder", "mltable"):
            yield "NBC226", f"{name} has the type {kind}, which has no columns", ("columns",)
        elif table not in _TABLES and kind != "mltable":
            what = f"the format {table}" if table else "no format"
            yield (
                "NBC226",
                f"{name} has columns, but {what}; write format: parquet or format: csv",
                ("columns",),
            )
    if port.json_schema is not None and (format_ or suffix) != "json":
        yield "NBC226", f"{name} has a JSON schema, but not the format json", ("schema",)
    if port.files and kind not in ("uri_folder", "mlflow_model", "custom_model", "triton_model"):
        yield "NBC226", f"{name} is one file, but lists files; make it a uri_folder", ("files",)
