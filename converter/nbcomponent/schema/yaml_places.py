"""YAML as plain data with the place of every key and value, and plain data as YAML.

Reading builds from PyYAML's events (libyaml's scanner where it is there), so nothing is ever
constructed but dict, list, str, int, float, bool and None, nesting costs no stack, and aliases are
counted before they are followed. Plain scalars are read as people mean them (the core schema of
YAML 1.2): only ``true`` and ``false`` are booleans, ``yes``, ``on``, ``12:30``, ``2024-01-31`` and
``007`` are text, ``1e-3`` is a number. Azure's loader reads YAML 1.1: :attr:`YamlDocument.texts`
keeps what was written, for rules that must know.

Writing quotes what either version of YAML would take for something else than text.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, Protocol, cast

if TYPE_CHECKING:
    import yaml

YamlPath = tuple[str | int, ...]
"""Where a value stands in the data: keys and indexes from the root."""


@dataclass(frozen=True, slots=True)
class Span:
    """Lines and columns from 1 in the text; ``end_column`` is the column after the last character."""

    line: int
    column: int
    end_line: int
    end_column: int


class YamlError(Exception):
    """Text that is no YAML we accept: the one message, with its place."""

    def __init__(self, message: str, span: Span) -> None:
        super().__init__(f"line {span.line}, column {span.column}: {message}")
        self.message = message
        self.span = span

    @property
    def line(self) -> int:
        """Line from 1."""
        return self.span.line

    @property
    def column(self) -> int:
        """Column from 1, in code points."""
        return self.span.column


@dataclass(frozen=True, slots=True)
class YamlProblem:
    """Something wrong that does not stop the reading: a key that stands twice or is no text."""

    kind: Literal["duplicate-key", "key-not-text"]
    message: str
    path: YamlPath
    span: Span


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """One document.

    ``values`` and ``keys`` give the place of each value and of each key. ``texts`` holds, for a plain
    (unquoted) scalar that is not text, what was written (``1.10`` for 1.1). Of two equal keys the last
    counts, as with PyYAML, and ``problems`` has the finding.
    """

    data: object
    values: Mapping[YamlPath, Span] = field(default_factory=dict)
    keys: Mapping[YamlPath, Span] = field(default_factory=dict)
    texts: Mapping[YamlPath, str] = field(default_factory=dict)
    problems: tuple[YamlProblem, ...] = ()

    def span_of(self, path: YamlPath) -> Span:
        """The place of the value at ``path``, or of the nearest thing around it that has one."""
        while path and path not in self.values:
            if path in self.keys:
                return self.keys[path]
            path = path[:-1]
        return self.values.get(path, START)

    def span_of_key(self, path: YamlPath) -> Span:
        """The place of the key at ``path`` (of its value where it is an item of a list)."""
        return self.keys[path] if path in self.keys else self.span_of(path)


@dataclass(frozen=True, slots=True)
class Limits:
    """What one document may need: characters, levels, and values with aliases written out."""

    characters: int = 4_000_000
    depth: int = 64
    values: int = 200_000


START = Span(1, 1, 1, 1)

_FORBIDDEN = re.compile(
    "[^\\t\\n\\r\\x20-\\x7e\\x85\\xa0-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]"
)
_INT = re.compile(r"[-+]?(0|[1-9][0-9]*(_[0-9]+)*)")
_OCTAL_HEX = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|(0|[1-9][0-9]*(_[0-9]+)*)(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_SPECIAL: dict[str, object] = {
    "": None,
    "~": None,
    **dict.fromkeys(("null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
}
_MOST_DIGITS = 400
_TAG = "tag:yaml.org,2002:"
_TYPED_TAGS: dict[str, tuple[type, ...]] = {
    f"{_TAG}int": (int,),
    f"{_TAG}float": (float, int),
    f"{_TAG}bool": (bool,),
    f"{_TAG}null": (type(None),),
}


def decode_yaml(data: bytes) -> str:
    """The text of a YAML file. Raises :class:`YamlError` where it is not UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        good = data[: error.start].decode("utf-8-sig", "replace")
        line = good.count("\n") + 1
        column = len(good) - (good.rfind("\n") + 1) + 1
        span = Span(line, column, line, column + 1)
        raise YamlError(
            "the file is not UTF-8 text here; save it with the encoding UTF-8", span
        ) from error


def parse_yaml(text: str, limits: Limits | None = None, *, pure: bool = False) -> YamlDocument:
    """Read one YAML document.

    ``pure`` takes PyYAML's own scanner where libyaml's is there too. Raises :class:`YamlError`, and
    nothing else, for text that is not one document of plain data within ``limits``: bad syntax,
    tags, several documents, control characters, too large, too deep, too much through aliases.
    """
    limits = limits or Limits()
    builder = _Builder(text, limits)
    if len(text) > limits.characters:
        raise YamlError(
            f"the YAML has {len(text):,} characters; at most {limits.characters:,} are read", START
        )
    bad = _FORBIDDEN.search(text)
    if bad is not None:
        raise YamlError(
            f"the character U+{ord(bad.group()):04X} is not allowed in YAML; remove it, or write it "
            "as an escape in a text in double quotes",
            builder.span(bad.start(), bad.end()),
        )
    for event in _events(text, builder, pure):
        builder.take(event)
    return builder.document()


def resolve_plain(text: str) -> object:
    """What an unquoted scalar means in YAML 1.2's core schema (with ``1_000`` as in YAML 1.1).

    Raises :class:`ValueError` for a number that is too large to be one.
    """
    if text in _SPECIAL:
        return _SPECIAL[text]
    if text[0] not in "-+.0123456789":
        return text
    if len(text) > _MOST_DIGITS and (_INT.fullmatch(text) or _FLOAT.fullmatch(text)):
        raise ValueError(f"the number has {len(text)} characters")
    if _INT.fullmatch(text):
        return int(text)
    if _OCTAL_HEX.fullmatch(text):
        return int(text, 0)
    if _FLOAT.fullmatch(text):
        number = float(text)
        if math.isinf(number):
            raise ValueError(f"the number {text} is too large")
        return number
    return text


class _Mark(Protocol):
    index: int


class _Event(Protocol):
    start_mark: _Mark
    end_mark: _Mark
    anchor: str | None
    tag: str | None
    value: str
    style: str | None


@dataclass(slots=True)
class _Open:
    """A mapping or list under construction. ``count`` is the number of values before it."""

    container: dict[str, object] | list[object]
    path: YamlPath
    start: int
    anchor: str | None
    count: int
    key: str | None = None
    merging: bool = False
    merged: dict[str, object] = field(default_factory=dict)


class _Builder:
    """Takes PyYAML's events one by one and builds the data with its places."""

    def __init__(self, text: str, limits: Limits) -> None:
        self._limits = limits
        self._breaks = [match.start() for match in re.finditer("\n", text)]
        self._text = text
        self._stack: list[_Open] = []
        self._anchors: dict[str, tuple[object, int]] = {}
        self._count = 0
        self._documents = 0
        self._data: object = None
        self._values: dict[YamlPath, Span] = {}
        self._keys: dict[YamlPath, Span] = {}
        self._texts: dict[YamlPath, str] = {}
        self._problems: list[YamlProblem] = []

    def document(self) -> YamlDocument:
        return YamlDocument(
            self._data, self._values, self._keys, self._texts, tuple(self._problems)
        )

    def span(self, start: int, end: int) -> Span:
        line, column = self._at(start)
        # A block ends where the next thing starts: leave out the blank in between.
        while end > start + 1 and self._text[end - 1 : end] in ("\n", " ", ""):
            end -= 1
        return Span(line, column, *self._at(max(end, start)))

    def _at(self, index: int) -> tuple[int, int]:
        line = bisect_right(self._breaks, index - 1)
        return line + 1, index - (self._breaks[line - 1] + 1 if line else 0) + 1

    def take(self, event: _Event) -> None:
        name = type(event).__name__
        if name == "ScalarEvent":
            self._scalar(event)
        elif name == "AliasEvent":
            self._alias(event)
        elif name in ("MappingStartEvent", "SequenceStartEvent"):
            self._open(event, {} if name == "MappingStartEvent" else [])
        elif name in ("MappingEndEvent", "SequenceEndEvent"):
            self._close(event)
        elif name == "DocumentStartEvent":
            self._documents += 1
            if self._documents > 1:
                raise self._error("a second YAML document starts here; only one is read", event)

    def _error(self, message: str, event: _Event) -> YamlError:
        return YamlError(message, self.span(event.start_mark.index, event.end_mark.index))

    def _tally(self, values: int, event: _Event) -> None:
        self._count += values
        if self._count > self._limits.values:
            raise self._error(
                f"the YAML holds more than {self._limits.values:,} values, "
                "those that its aliases repeat included",
                event,
            )

    def _expects_key(self) -> bool:
        top = self._stack[-1] if self._stack else None
        return (
            top is not None
            and isinstance(top.container, dict)
            and top.key is None
            and not top.merging
        )

    def _path(self) -> YamlPath:
        if not self._stack:
            return ()
        top = self._stack[-1]
        if isinstance(top.container, list):
            return (*top.path, len(top.container))
        return (*top.path, "<<" if top.key is None else top.key)

    def _scalar(self, event: _Event) -> None:
        self._tally(1, event)
        value = self._meaning(event)
        if self._expects_key():
            self._key(event, value)
        else:
            path = self._path()
            if not isinstance(value, str):
                self._texts[path] = event.value
            self._values[path] = self.span(event.start_mark.index, event.end_mark.index)
            self._put(value, event)
        if event.anchor is not None:
            self._anchors[event.anchor] = (value, 1)

    def _meaning(self, event: _Event) -> object:
        tag = event.tag
        if tag in ("!", f"{_TAG}str"):
            return event.value
        if tag is not None and tag not in _TYPED_TAGS:
            raise self._tag_error(event)
        if tag is None and event.style:
            return event.value
        try:
            value = resolve_plain(event.value)
        except ValueError as error:
            raise self._error(str(error), event) from error
        if tag is None:
            return value
        if not isinstance(value, _TYPED_TAGS[tag]):
            raise self._error(
                f"{event.value!r} is not what its tag !!{tag[len(_TAG) :]} says", event
            )
        return float(cast("float", value)) if tag == f"{_TAG}float" else value

    def _tag_error(self, event: _Event) -> YamlError:
        tag = str(event.tag)
        shown = f"!!{tag[len(_TAG) :]}" if tag.startswith(_TAG) else tag
        return self._error(
            f"the tag {shown} is refused: this YAML holds plain data only; remove the tag", event
        )

    def _key(self, event: _Event, value: object) -> None:
        top = self._stack[-1]
        assert isinstance(top.container, dict)
        if event.value == "<<" and not event.style:
            top.merging = True
            return
        span = self.span(event.start_mark.index, event.end_mark.index)
        key = value if isinstance(value, str) else event.value
        path = (*top.path, key)
        if not isinstance(value, str):
            shown = key or "null"
            self._problems.append(
                YamlProblem(
                    "key-not-text",
                    f'the key {shown} is not text; write "{shown}" in quotes',
                    path,
                    span,
                )
            )
        if key in top.container:
            self._problems.append(
                YamlProblem(
                    "duplicate-key",
                    f"the key {key!r} stands twice; the first is on line "
                    f"{self._keys[path].line}; keep one",
                    path,
                    span,
                )
            )
        self._keys[path] = span
        top.key = key

    def _alias(self, event: _Event) -> None:
        anchor = str(event.anchor)
        if any(frame.anchor == anchor for frame in self._stack):
            raise self._error(f"the alias *{anchor} stands inside what it repeats", event)
        if anchor not in self._anchors:
            raise self._error(f"the alias *{anchor} has no anchor &{anchor} above it", event)
        value, size = self._anchors[anchor]
        self._tally(size, event)
        if self._expects_key():
            if not isinstance(value, str):
                raise self._error("a key must be text", event)
            span = self.span(event.start_mark.index, event.end_mark.index)
            self._stack[-1].key = value
            path = (*self._stack[-1].path, value)
            self._keys[path] = span
            return
        self._values[self._path()] = self.span(event.start_mark.index, event.end_mark.index)
        self._put(value, event)

    def _open(self, event: _Event, container: dict[str, object] | list[object]) -> None:
        self._tally(1, event)
        if event.tag not in (None, "!", f"{_TAG}map", f"{_TAG}seq"):
            raise self._tag_error(event)
        if self._expects_key():
            raise self._error("a key must be text, not a mapping or a list", event)
        if len(self._stack) >= self._limits.depth:
            raise self._error(f"the YAML is nested more than {self._limits.depth} levels", event)
        self._stack.append(
            _Open(container, self._path(), event.start_mark.index, event.anchor, self._count - 1)
        )

    def _close(self, event: _Event) -> None:
        frame = self._stack.pop()
        if isinstance(frame.container, dict):
            for key, value in frame.merged.items():
                frame.container.setdefault(key, value)
        if frame.path not in self._values:
            self._values[frame.path] = self.span(frame.start, event.end_mark.index)
        if frame.anchor is not None:
            self._anchors[frame.anchor] = (frame.container, self._count - frame.count)
        self._put(frame.container, event)

    def _put(self, value: object, event: _Event) -> None:
        if not self._stack:
            self._data = value
            return
        top = self._stack[-1]
        if isinstance(top.container, list):
            top.container.append(value)
        elif top.merging:
            self._merge(top, value, event)
        else:
            assert top.key is not None
            top.container[top.key] = value
            top.key = None

    def _merge(self, top: _Open, value: object, event: _Event) -> None:
        """``<<: *defaults``: keys of the mappings that the mapping itself does not have."""
        for source in value if isinstance(value, list) else [value]:
            if not isinstance(source, dict):
                raise self._error("<< merges mappings only", event)
            self._tally(len(source), event)
            for key, item in source.items():
                top.merged.setdefault(key, item)
        top.merging = False


def _events(text: str, builder: _Builder, pure: bool) -> Iterator[_Event]:
    import yaml

    loader: type[yaml.SafeLoader] | type[yaml.CSafeLoader] = yaml.SafeLoader
    if not pure:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        yield from cast("Iterator[_Event]", yaml.parse(text, Loader=loader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        index = min(mark.index, len(text)) if mark is not None else 0
        raise YamlError(
            _explained(error, text, index), builder.span(index, min(index + 1, len(text)))
        ) from error
    except yaml.YAMLError as error:
        raise YamlError(f"not readable as YAML: {error}", START) from error


def _explained(error: yaml.MarkedYAMLError, text: str, index: int) -> str:
    """PyYAML's words for the frequent mistakes, in words that say what to write."""
    problem = str(error.problem or error.context or "syntax error")
    at = text[index : index + 1]
    line = text[text.rfind("\n", 0, index) + 1 : index + 1]
    if at == "\t" or ("\t" in line and not line.strip()):
        return "a tab stands here; YAML is indented with spaces"
    if "cannot start any token" in problem:
        return f"text that starts with {at!r} must stand in quotes"
    if "mapping values are not allowed" in problem:
        return (
            "a colon followed by a space stands inside unquoted text, or this line is indented "
            "differently from the one above; quote the text or correct the indentation"
        )
    if "expected ':'" in problem:
        return "a key without a colon; write `key: value`"
    if "expected <block end>" in problem or "did not find expected key" in problem:
        return "this line does not fit the indentation of the lines above"
    if "expected ',' or" in problem:
        closing = "]" if "]" in problem else "}"
        return f"a comma or {closing!r} is missing here"
    if "unexpected end of stream" in problem or "found end of" in problem:
        return "a quote or bracket is opened and never closed"
    if "nesting depth" in problem:
        return "the YAML is nested too deeply"
    if "undefined tag handle" in problem:
        return "tags are refused: this YAML holds plain data only; remove the tag"
    return f"not readable as YAML: {problem}"


_PLAIN = re.compile(r"(?:[^\W\d]|[/$]|\.(?=[/A-Za-z_]))[\w ./@+\-=(){}\[\]$,:%^*&!?'\"<>|~;\\#]*")
_NEVER_PLAIN = frozenset(
    ("y", "n", "yes", "no", "on", "off", "true", "false", "null", ".inf", ".nan", "<<", "=")
)
_ESCAPED = re.compile("[\\x7f-\\x9f\\u2028\\u2029\\ufeff\\ufffe\\uffff]")
_LITERAL = re.compile(
    "[\\t\\n\\x20-\\x7e\\xa0-\\u2027\\u202a-\\ud7ff\\ue000-\\ufefe\\uff00-\\ufffd\\U00010000-\\U0010ffff]*"
)


def dump(data: object) -> str:
    """Plain data as YAML in block style, the same text for the same data everywhere.

    ``data`` is made of mappings with text keys (their order is kept), lists or tuples, str, int,
    float, bool and None. Text that YAML 1.1 or 1.2 would read as something else is quoted; text of
    several lines is a literal block. Raises :class:`TypeError` for anything else and
    :class:`ValueError` for text that YAML cannot hold (lone surrogates).
    """
    return "\n".join(_block(data, "")) + "\n"


def _block(value: object, indent: str) -> list[str]:
    if isinstance(value, Mapping):
        if not value:
            return [f"{indent}{{}}"]
        lines = []
        for key, item in value.items():
            if not isinstance(key, str):
                raise TypeError(f"a YAML key must be text, not {type(key).__name__}")
            lines += _entry(f"{indent}{_quoted_if_needed(key)}:", item, indent)
        return lines
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray)):
        if not value:
            return [f"{indent}[]"]
        lines = []
        for item in value:
            inner = _block(item, indent + "  ")
            lines += [f"{indent}- {inner[0][len(indent) + 2 :]}", *inner[1:]]
        return lines
    head, rest = _scalar_lines(value, indent or "  ")
    return [f"{indent}{head}", *rest]


def _entry(key: str, item: object, indent: str) -> list[str]:
    if isinstance(item, (Mapping, Sequence)) and not isinstance(item, (str, bytes)) and item:
        return [key, *_block(item, indent + "  ")]
    if isinstance(item, str) or not isinstance(item, (Mapping, Sequence)):
        head, rest = _scalar_lines(item, indent + "  ")
        return [f"{key} {head}", *rest]
    return [f"{key} {_block(item, '')[0]}"]


def _scalar_lines(value: object, indent: str) -> tuple[str, list[str]]:
    """The first line of a scalar and the lines below it (of a literal block)."""
    if value is None:
        return "null", []
    if isinstance(value, bool):
        return ("true" if value else "false"), []
    if isinstance(value, int):
        return str(value), []
    if isinstance(value, float):
        return _float(value), []
    if not isinstance(value, str):
        raise TypeError(f"{type(value).__name__} is not plain data")
    if not _fits_literal(value):
        return _quoted_if_needed(value), []
    body = value.rstrip("\n")
    chomp = {0: "-", 1: ""}.get(len(value) - len(body), "+")
    lines = (value if chomp == "-" else value[:-1]).split("\n")
    return f"|{chomp}", [f"{indent}{line}" if line else "" for line in lines]


def _fits_literal(text: str) -> bool:
    if "\n" not in text or not _LITERAL.fullmatch(text):
        return False
    lines = text.split("\n")
    return (
        bool(lines[0])
        and lines[0][0] not in " \t"
        and not any(line and not line.strip() for line in lines)
    )


@lru_cache(maxsize=1024)
def _quoted_if_needed(text: str) -> str:
    if (
        _PLAIN.fullmatch(text)
        and ": " not in text
        and " #" not in text
        and text[-1] not in ": "
        and text.lower() not in _NEVER_PLAIN
    ):
        return text
    if ('"' in text or "\\" in text) and "'" not in text and text.isprintable():
        return f"'{text}'"
    import json

    quoted = json.dumps(text, ensure_ascii=False)
    if any("\ud800" <= character <= "\udfff" for character in quoted):
        raise ValueError("text with a lone surrogate cannot be written as YAML")
    return _ESCAPED.sub(lambda match: f"\\u{ord(match.group()):04x}", quoted)


def _float(value: float) -> str:
    if math.isnan(value):
        return ".nan"
    if math.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    text = repr(value)
    # YAML 1.1 takes 1e-05 for text: its numbers have a point.
    return text.replace("e", ".0e") if "e" in text and "." not in text else text
