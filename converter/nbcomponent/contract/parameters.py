"""Parameters cells: the declarations of a cell, from its syntax tree and its comments.

A parameters cell declares and computes nothing: each name gets a plain value, a type and, in its
comment, a meaning, range, choices and unit. ``Path`` is data, not a literal. Imports and type aliases
may stand there, since annotations need them; a value that is computed from another parameter is an
error, because a run with another value would keep the old result.

What a comment means for which name: it belongs to every name that its statement (or its line, of
several statements) declares. A comment line above counts for a parameter without a comment of its own
when the next line declares nothing, so that the heading of a group is no one's description.
"""

from __future__ import annotations

import ast
import io
import posixpath
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Union

from nbcomponent.contract.annotations import (
    ChoiceValue,
    Kind,
    TypeReading,
    UnknownType,
    is_type_expression,
    read_annotation,
)
from nbcomponent.contract.comments import CommentReading, is_directive, read_comment
from nbcomponent.contract.model import DataType, Parameter, ParameterType, Port
from nbcomponent.contract.rules import parameter_problems
from nbcomponent.contract.values import (
    ContainerValue,
    Names,
    NotConstant,
    PathValue,
    Value,
    fold,
    import_names,
)
from nbcomponent.core.diagnostics import Diagnostic, Fix, Place, Severity
from nbcomponent.core.parsing import parsed_expression
from nbcomponent.core.places import place_of
from nbcomponent.core.trees import walk
from nbcomponent.notebook.model import PLACEHOLDER, Cell, CellCode, TaggedNotebook

Parts = Mapping[tuple[Union[str, int], ...], Place]
"""Places by the key that a contract has for what stands there, and an index for one of several."""


@dataclass(frozen=True, slots=True)
class DeclaredName:
    """One name of a parameters cell: a parameter or, for a ``Path``, data.

    ``written_type``: the type is written (annotation, type comment, form), not told by the value, so
    a contract cannot say another one. ``parts`` says where type, default, range and choices are written.
    """

    name: str
    place: Place
    parameter: Parameter | None = None
    port: Port | None = None
    written_type: bool = False
    parts: Parts = field(default_factory=dict, compare=False)

    def place_of(self, *path: str | int) -> Place:
        """The place of one part: a key of the contract and, for one of several, its index."""
        return self.parts.get(path) or self.parts.get(path[:1]) or self.place


@dataclass(frozen=True, slots=True)
class ParametersCell:
    """What one parameters cell declares, in the order of its lines."""

    cell: int
    names: tuple[DeclaredName, ...]
    diagnostics: tuple[Diagnostic, ...]


@dataclass(slots=True)
class _Raw:
    """A declaration as written. ``value`` is None for a bare annotation."""

    name: str
    place: Place
    statement: ast.stmt
    target_index: int | None
    annotation: ast.expr | None = None
    value: ast.expr | None = None


def names_of_notebook(tagged: TaggedNotebook) -> Names:
    """What imports and type aliases at the top level of all cells make of names in annotations."""
    imports: dict[str, str] = {}
    aliases: dict[str, ast.expr] = {}
    for code in tagged.code.values():
        for statement in code.tree.body if code.tree is not None else ():
            if isinstance(statement, (ast.Import, ast.ImportFrom)):
                imports.update(import_names(statement))
    names = Names(imports)
    for code in tagged.code.values():
        for statement in code.tree.body if code.tree is not None else ():
            alias = _type_alias(statement, names)
            if alias is not None:
                aliases[alias[0]] = alias[1]
    return Names(imports, aliases)


def _type_alias(statement: ast.stmt, names: Names) -> tuple[str, ast.expr] | None:
    if type(statement).__name__ == "TypeAlias":  # `type X = ...`, from Python 3.12 on
        name, value = getattr(statement, "name", None), getattr(statement, "value", None)
        if isinstance(name, ast.Name) and isinstance(value, ast.expr):
            return name.id, value
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        if isinstance(target, ast.Name) and is_type_expression(statement.value, names):
            return target.id, statement.value
    if (
        isinstance(statement, ast.AnnAssign)
        and isinstance(statement.target, ast.Name)
        and statement.value is not None
        and (names.dotted(statement.annotation) or "").rpartition(".")[2] == "TypeAlias"
    ):
        return statement.target.id, statement.value
    return None


def read_parameters(cell: Cell, code: CellCode, names: Names) -> ParametersCell:
    """The parameters and data that ``cell`` declares.

    ``names`` says what imports and aliases mean (:func:`names_of_notebook`). A cell that is no Python
    declares nothing; the finding about its syntax is in ``code.problem``.
    """
    if code.tree is None:
        return ParametersCell(cell.index, (), ())
    return _Reader(cell, code, names).read(code.tree)


class _Reader:
    """Collects raw declarations statement by statement, then reads types, values and comments."""

    def __init__(self, cell: Cell, code: CellCode, names: Names) -> None:
        self._cell = cell.index
        self._lines = cell.source.split("\n")
        self._names = names
        self._comments, self._comment_lines = _comments(code.text)
        self._magics = {index: magic.name for index, magic in enumerate(code.magics)}
        self._raw: dict[str, _Raw] = {}
        self._diagnostics: list[Diagnostic] = []
        self._statement_lines: set[int] = set()

    def read(self, tree: ast.Module) -> ParametersCell:
        self._statement_lines = {
            line
            for statement in tree.body
            for line in range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
        }
        for statement in tree.body:
            self._statement(statement)
        declared = [self._declared(raw) for raw in self._raw.values()]
        return ParametersCell(
            self._cell,
            tuple(name for name in declared if name is not None),
            tuple(self._diagnostics),
        )

    # Statements

    def _statement(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            if _type_alias(statement, self._names) is None:
                self._add(statement.target, statement, statement.value, statement.annotation)
        elif isinstance(statement, ast.Assign):
            if _type_alias(statement, self._names) is None:
                for target in statement.targets:
                    self._bind(target, statement.value, statement)
        elif isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            self._computed(statement.target.id, statement.target, (statement.target.id,))
            self._raw.pop(statement.target.id, None)
        elif not _declares_nothing(statement):
            self._no_declaration(statement)

    def _bind(
        self, target: ast.expr, value: ast.expr, statement: ast.stmt, index: int | None = None
    ) -> None:
        if isinstance(target, ast.Name):
            self._add(target, statement, value, None, index)
        elif (
            isinstance(target, (ast.Tuple, ast.List))
            and isinstance(value, (ast.Tuple, ast.List))
            and len(target.elts) == len(value.elts)
            and not any(isinstance(item, ast.Starred) for item in (*target.elts, *value.elts))
        ):
            for position, (inner, item) in enumerate(zip(target.elts, value.elts, strict=True)):
                self._bind(inner, item, statement, position)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for part in walk(target):
                if isinstance(part, ast.Name):
                    self._computed(part.id, part, ())
        else:
            self._no_declaration(statement)

    def _add(
        self,
        target: ast.Name,
        statement: ast.stmt,
        value: ast.expr | None,
        annotation: ast.expr | None,
        index: int | None = None,
    ) -> None:
        place = place_of(target, self._cell, self._lines)
        raw = _Raw(target.id, place, statement, index, annotation, value)
        former = self._raw.get(target.id)
        if former is not None:
            if former.value is not None and value is not None:
                self._report(
                    "NBC233",
                    "error",
                    f"{target.id} is declared twice in this cell, first on line "
                    f"{former.place.line}; keep one",
                    place,
                )
            raw.annotation = annotation or former.annotation
            raw.value = value or former.value
        self._raw[target.id] = raw

    def _no_declaration(self, statement: ast.stmt) -> None:
        magic = _magic_index(statement)
        what = f"the magic {self._magics.get(magic, '')}" if magic is not None else "this statement"
        self._report(
            "NBC234",
            "warning",
            f"{what} declares no parameter and is not part of any component; move it to another cell",
            place_of(statement, self._cell, self._lines),
        )

    def _computed(self, name: str, node: ast.expr, reads: tuple[str, ...]) -> None:
        known = [read for read in reads if read in self._raw]
        if known:
            why = (
                f"is computed from {', '.join(dict.fromkeys(known))}, so a run with another "
                "value would keep the old result"
            )
        else:
            why = "is computed when the notebook runs, so its value cannot be read from the text"
        self._report(
            "NBC232",
            "error",
            f"{name} {why}; give it a plain value, or compute it in the cell that uses it",
            place_of(node, self._cell, self._lines),
        )

    # Declarations

    def _declared(self, raw: _Raw) -> DeclaredName | None:
        value: Value = None
        if raw.value is not None:
            if _magic_index(raw.value) is not None:
                self._computed(raw.name, raw.value, ())
                return None
            try:
                value = fold(raw.value, self._names)
            except NotConstant as error:
                self._computed(raw.name, raw.value, error.names)
                return None
        comment = self._comment(raw)
        reading = self._type(raw, comment, value)
        if reading is None:
            return None
        kind = reading.kind
        if kind == "any" and isinstance(value, PathValue):
            kind = "path"
        if kind == "path":
            return self._data(raw, reading, value, comment)
        return self._literal(raw, reading, value)

    def _type(self, raw: _Raw, comment: CommentReading, value: Value) -> TypeReading | None:
        annotation = raw.annotation or _type_comment(comment, raw.target_index)
        if annotation is None:
            return TypeReading(_FORM_KINDS.get(comment.form_type or "", "any"))
        try:
            return read_annotation(annotation, self._names)
        except UnknownType as error:
            if isinstance(value, ContainerValue):
                self._container(raw, value.kind)
            else:
                self._report(
                    "NBC230",
                    "error",
                    f"{raw.name} has the type {error.text}, which no argument of a component can "
                    "have; use int, float, str, bool, Literal[...] or Path",
                    self._place_of_type(raw, comment),
                )
            return None

    def _data(
        self, raw: _Raw, reading: TypeReading, value: Value, comment: CommentReading
    ) -> DeclaredName | None:
        if isinstance(value, str):
            value = PathValue(value)
        if value is not None and not isinstance(value, PathValue):
            self._report(
                "NBC216",
                "error",
                f"{raw.name} is a Path, but its value {value!r} is none",
                self._place_of_value(raw),
            )
            return None
        if comment.min is not None or comment.max is not None or comment.choices:
            written = comment.range_text or comment.choices_text
            self._report(
                "NBC215",
                "error",
                f"{raw.name} is a Path: it has no range or choices",
                self._place_in_comment(raw, written),
            )
        return DeclaredName(
            raw.name,
            raw.place,
            port=Port(
                name=raw.name,
                variable=raw.name,
                type=data_type_of(value.text if value is not None else None),
                optional=reading.optional or (raw.value is not None and value is None),
                default=value.text if value is not None else None,
                description=comment.description or reading.description,
                cell=self._cell,
                line=raw.place.line,
            ),
            written_type=True,
            parts=self._parts(raw, comment),
        )

    def _literal(self, raw: _Raw, reading: TypeReading, value: Value) -> DeclaredName | None:
        if isinstance(value, ContainerValue):
            self._container(raw, value.kind)
            return None
        if isinstance(value, (bytes, complex)):
            self._container(raw, type(value).__name__)
            return None
        if isinstance(value, PathValue):
            self._report(
                "NBC216",
                "error",
                f"{raw.name} is declared as {_WORDS.get(reading.kind, reading.kind)}, but its value "
                "is a path; annotate it as Path",
                self._place_of_value(raw),
            )
            return None
        kind = reading.kind if reading.kind != "any" else _kind_of(value)
        if kind is None or kind == "path" or kind == "any":
            self._report(
                "NBC230",
                "error",
                f"the type of {raw.name} cannot be told"
                f"{' from None' if raw.value is not None else ''}; write it: "
                f"`{raw.name}: int | None = None`",
                raw.place,
            )
            return None
        comment = self._comment(raw, numeric=kind in ("integer", "number"))
        parameter = Parameter(
            name=raw.name,
            type=kind,
            default=value,
            required=raw.value is None and not reading.optional,
            optional=reading.optional or (raw.value is not None and value is None),
            min=reading.min,
            max=reading.max,
            choices=_choices(reading.choices),
            description=comment.description or reading.description,
            unit=comment.unit,
            cell=self._cell,
            line=raw.place.line,
        )
        declared = DeclaredName(
            raw.name,
            raw.place,
            parameter=self._with_comment(raw, parameter, comment),
            written_type=reading.kind != "any",
            parts=self._parts(raw, comment),
        )
        assert declared.parameter is not None
        for code, message, path in parameter_problems(declared.parameter):
            self._report(code, "error", message, declared.place_of(*path))
        return declared

    def _container(self, raw: _Raw, kind: str) -> None:
        self._report(
            "NBC231",
            "error",
            f"{raw.name} is a {kind}; an argument of a component is a number, a text or a boolean. "
            "Pass text and take it apart in the cell that uses it (json.loads, split), write one "
            "parameter for each part, or put it into a file that is an input",
            self._place_of_value(raw),
        )

    def _with_comment(self, raw: _Raw, parameter: Parameter, comment: CommentReading) -> Parameter:
        """The parameter with the range and choices of its comment, where they can be meant."""
        if comment.bad_range is not None:
            self._report(
                "NBC215",
                "error",
                f"{comment.bad_range} in the comment of {raw.name} is no range; write "
                "`[1..100]`, `[0..]` or `[..10]` with plain numbers",
                self._place_in_comment(raw, comment.bad_range),
            )
        for end, bound, is_open in (
            ("min", comment.min, comment.min_open),
            ("max", comment.max, comment.max_open),
        ):
            if bound is None:
                continue
            if is_open and parameter.type != "integer":
                self._report(
                    "NBC215",
                    "error",
                    f"the range of {raw.name} leaves its end {bound} out, which only integers can; "
                    "write the smallest or largest allowed number in square brackets",
                    self._place_in_comment(raw, comment.range_text),
                )
                is_open = False
            if isinstance(bound, float) and bound.is_integer() and parameter.type == "integer":
                bound = int(bound)
            if end == "min":
                parameter = replace(parameter, min=bound + 1 if is_open else bound)
            else:
                parameter = replace(parameter, max=bound - 1 if is_open else bound)
        if comment.choices is not None:
            choices = convert_choices(comment.choices, parameter.type)
            if choices is None:
                self._report(
                    "NBC215",
                    "error",
                    f"the choices in the comment of {raw.name} do not fit its type "
                    f"{parameter.type}",
                    self._place_in_comment(raw, comment.choices_text),
                )
            else:
                parameter = replace(parameter, choices=choices)
        return parameter

    # Comments

    def _comment(self, raw: _Raw, numeric: bool = True) -> CommentReading:
        texts = [self._comments[line] for line in self._lines_of_comment(raw)]
        return read_comment(" ".join(texts), numeric)

    def _lines_of_comment(self, raw: _Raw) -> list[int]:
        first, last = raw.statement.lineno, raw.statement.end_lineno or raw.statement.lineno
        lines = [line for line in range(first, last + 1) if line in self._comments]
        if not lines and last + 1 not in self._statement_lines:
            above = first - 1
            while above in self._comment_lines and not is_directive(self._comments[above]):
                lines.insert(0, above)
                above -= 1
        return lines

    # Places

    def _place_of_value(self, raw: _Raw) -> Place:
        return raw.place if raw.value is None else place_of(raw.value, self._cell, self._lines)

    def _place_of_type(self, raw: _Raw, comment: CommentReading) -> Place:
        if raw.annotation is not None:
            return place_of(raw.annotation, self._cell, self._lines)
        if comment.type_text is not None:
            return self._place_in_comment(raw, comment.type_text)
        return self._place_of_value(raw)

    def _place_in_comment(self, raw: _Raw, text: str | None) -> Place:
        """Where the comment of a declaration has ``text``; all of the comment where it is not one piece."""
        places = list(self._places_of_comment(raw))
        for place in places if text else ():
            assert text is not None
            written = self._lines[place.line - 1][place.column - 1 : place.end_column - 1]
            start = written.find(text)
            if start >= 0:
                column = place.column + start
                return replace(place, column=column, end_column=column + len(text))
        return places[0] if places else raw.place

    def _places_of_comment(self, raw: _Raw) -> Iterator[Place]:
        for line in self._lines_of_comment(raw):
            comment = self._comments[line]
            start = self._lines[line - 1].rfind(comment) + 1
            if start:
                yield Place(self._cell, line, start, line, start + len(comment))

    def _parts(self, raw: _Raw, comment: CommentReading) -> Parts:
        """Where type, default, range and choices of a declaration are written."""
        of_type = self._place_of_type(raw, comment)
        parts: dict[tuple[str | int, ...], Place] = {("type",): of_type}
        if raw.value is not None:
            parts["default",] = self._place_of_value(raw)
        parts["min",] = parts["max",] = parts["choices",] = of_type
        if comment.min is not None or comment.max is not None:
            whole = self._place_in_comment(raw, comment.range_text)
            parts["min",], parts["max",] = _ends_of_range(whole, comment.range_text)
        if comment.choices is not None:
            whole = self._place_in_comment(raw, comment.choices_text)
            parts["choices",] = whole
            parts.update(_items_of_choices(whole, comment.choices_text))
        return parts

    def _report(self, code: str, severity: Severity, message: str, place: Place) -> None:
        fix = Fix("move the line to the cell that uses it", "edit") if code == "NBC232" else None
        self._diagnostics.append(Diagnostic(code, severity, message, place, fix=fix))


def _ends_of_range(whole: Place, text: str | None) -> tuple[Place, Place]:
    """The places of both numbers of a range such as ``[1..100]``; one that is missing has that of all."""
    if text is None or whole.end_column - whole.column != len(text):
        return whole, whole
    low, dots, high = text[:-1].partition("..")
    return (
        _within(whole, low[1:], whole.column + 1),
        _within(whole, high, whole.column + len(low) + len(dots)),
    )


def _items_of_choices(whole: Place, text: str | None) -> dict[tuple[str | int, ...], Place]:
    """The place of each of the choices such as ``{cnn, mlp}``."""
    places: dict[tuple[str | int, ...], Place] = {}
    if text is None or whole.end_column - whole.column != len(text):
        return places
    column = whole.column + 1
    for item in text[1:-1].split(","):
        if item.strip():
            places["choices", len(places)] = _within(whole, item, column)
        column += len(item) + 1
    return places


def _within(whole: Place, text: str, column: int) -> Place:
    """The place of ``text`` without blanks around it, which begins at ``column``."""
    inner = text.strip()
    if not inner:
        return whole
    start = column + text.find(inner)
    return replace(whole, column=start, end_column=start + len(inner))


_FORM_KINDS: dict[str, Kind] = {
    "integer": "integer",
    "number": "number",
    "string": "string",
    "boolean": "boolean",
}
_WORDS = {"integer": "int", "number": "float", "string": "str", "boolean": "bool"}


def data_type_of(default: str | None) -> DataType:
    """``uri_file`` for a path with a suffix, else ``uri_folder`` (design: authoring, `Path`)."""
    if default is None or default.endswith(("/", "\\")):
        return "uri_folder"
    return "uri_file" if len(posixpath.splitext(default)[1]) > 1 else "uri_folder"


def convert_choices(
    texts: Iterable[str], kind: ParameterType
) -> tuple[str, ...] | tuple[int, ...] | tuple[float, ...] | None:
    """Choices written as text, as values of the parameter's type; None where one is not."""
    items = [_unquoted(text) for text in texts]
    try:
        if kind == "string":
            return tuple(items)
        if kind == "integer":
            return tuple(int(item) for item in items)
        if kind == "number":
            return tuple(float(item) for item in items)
    except ValueError:
        return None
    return None


def _unquoted(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"`":
        return text[1:-1]
    return text


def _choices(
    choices: tuple[ChoiceValue, ...] | None,
) -> tuple[str, ...] | tuple[int, ...] | tuple[float, ...] | None:
    if choices is None:
        return None
    texts = tuple(choice for choice in choices if isinstance(choice, str))
    if texts:
        return texts
    numbers = tuple(choice for choice in choices if isinstance(choice, (int, float)))
    return numbers or None


def _kind_of(value: Value) -> Kind | None:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    return "string" if isinstance(value, str) else None


def _declares_nothing(statement: ast.stmt) -> bool:
    """Statements that may stand beside declarations: imports, texts, ``pass``, type aliases."""
    if isinstance(statement, (ast.Import, ast.ImportFrom, ast.Pass)):
        return True
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return True
    if isinstance(statement, ast.If) and not statement.orelse:
        test = ast.unparse(statement.test)
        return test.rpartition(".")[2] == "TYPE_CHECKING" and all(
            map(_declares_nothing, statement.body)
        )
    return type(statement).__name__ == "TypeAlias"


def _magic_index(node: ast.AST) -> int | None:
    """The number of the piece of IPython syntax that ``node`` stands for, None for Python."""
    call = node.value if isinstance(node, ast.Expr) else node
    if (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id == PLACEHOLDER
        and call.args
        and isinstance(call.args[0], ast.Constant)
        and isinstance(call.args[0].value, int)
    ):
        return call.args[0].value
    return None


def _type_comment(comment: CommentReading, index: int | None) -> ast.expr | None:
    if comment.type_text is None:
        return None
    # The type may be followed by text: take the longest beginning that is an expression.
    words = comment.type_text.split(" ")
    for count in range(len(words), 0, -1):
        node = parsed_expression(" ".join(words[:count]))
        if node is None:
            continue
        if isinstance(node, ast.Tuple) and index is not None and index < len(node.elts):
            return node.elts[index]
        return node
    return None


def _comments(text: str) -> tuple[dict[int, str], frozenset[int]]:
    """Comments by line, and the lines that hold nothing else."""
    comments: dict[int, str] = {}
    alone: set[int] = set()
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                comments[token.start[0]] = token.string
                if not token.line[: token.start[1]].strip():
                    alone.add(token.start[0])
    except (tokenize.TokenError, SyntaxError):
        # The cell parses, so only its end can be odd (a continuation before the last line end).
        pass
    return comments, frozenset(alone)
