"""Reading a YAML file into typed models: places, problems, and fields of the right kind.

Models are read leniently: what is wrong becomes a diagnostic in the model's ``problems`` and the rest
is still read, so that one run shows all mistakes. Only a file that is no YAML mapping ends the reading.
"""

from __future__ import annotations

import errno
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from nbcomponent.core.diagnostics import Diagnostic, Fix, Place, Severity
from nbcomponent.core.errors import unusable
from nbcomponent.core.files import read_regular
from nbcomponent.schema.yaml_places import (
    Span,
    YamlDocument,
    YamlError,
    YamlPath,
    decode_yaml,
    parse_yaml,
)

_MOST_BYTES = 16_000_000


def place_of_span(span: Span) -> Place:
    """A YAML span as the place of a diagnostic."""
    return Place(None, span.line, span.column, span.end_line, span.end_column)


@dataclass(slots=True)
class YamlFile:
    """A YAML file under reading. ``data`` is its mapping; ``problems`` grows as models are read from it.

    ``path`` is as the caller gave it (for messages); paths inside of the file are relative to its folder.
    """

    path: Path
    document: YamlDocument
    problems: list[Diagnostic] = field(default_factory=list)

    @property
    def data(self) -> Mapping[str, object]:
        """The root mapping."""
        data = self.document.data
        assert isinstance(data, dict)
        return data

    def place(self, at: YamlPath) -> Place:
        """The place of the value at ``at``."""
        return place_of_span(self.document.span_of(at))

    def key_place(self, at: YamlPath) -> Place:
        """The place of the key at ``at``."""
        return place_of_span(self.document.span_of_key(at))

    def report(
        self,
        code: str,
        message: str,
        at: YamlPath,
        *,
        key: bool = False,
        severity: Severity = "error",
        fix: str | None = None,
    ) -> None:
        """Add a finding at the value (or ``key``) ``at``."""
        self.problems.append(
            Diagnostic(
                code,
                severity,
                message,
                self.key_place(at) if key else self.place(at),
                fix=Fix(fix, "edit") if fix else None,
            )
        )

    def mapping(self, at: YamlPath) -> Mapping[str, object]:
        """The mapping at ``at``; empty, with a finding, where something else stands there."""
        value = self.value(at)
        if value is None:
            return {}
        if isinstance(value, dict):
            return value
        self.report("NBC501", f"'{at[-1]}' must be a mapping of names to values", at)
        return {}

    def text(self, at: YamlPath) -> str | None:
        """The text at ``at`` (a number is taken as written); None where the key is missing."""
        value = self.value(at)
        if value is None:
            return None
        if isinstance(value, (dict, list)):
            self.report("NBC501", f"'{at[-1]}' must be text", at)
            return None
        return value if isinstance(value, str) else self.document.texts.get(at, str(value))

    def flag(self, at: YamlPath) -> bool | None:
        """The boolean at ``at``; None where the key is missing."""
        value = self.value(at)
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str) and value.lower() in ("true", "false"):
            return value.lower() == "true"
        self.report("NBC501", f"'{at[-1]}' must be true or false", at)
        return None

    def texts(self, at: YamlPath) -> dict[str, str]:
        """A mapping of names to texts; other values are rendered as the service does."""
        result = {}
        for key, value in self.mapping(at).items():
            if isinstance(value, (dict, list)):
                self.report("NBC501", f"'{key}' must be text", (*at, key))
            elif value is not None:
                result[key] = value if isinstance(value, str) else str(value)
        return result

    def value(self, at: YamlPath) -> object:
        """What stands at ``at``; None where there is nothing."""
        node: object = self.document.data
        for step in at:
            if isinstance(node, dict) and isinstance(step, str):
                node = node.get(step)
            elif isinstance(node, list) and isinstance(step, int) and step < len(node):
                node = node[step]
            else:
                return None
        return node


def read_yaml_file(path: Path) -> YamlFile:
    """Read ``path`` as one YAML mapping.

    Raises UnusableInput: NBC930 for a file that cannot be read (missing, a folder, a pipe, too large), NBC931 for
    text that is no YAML of plain data, NBC501 where the root is no mapping.
    """
    shown = str(path)
    data = _read(path, shown)
    try:
        document = parse_yaml(decode_yaml(data))
    except YamlError as error:
        raise unusable(shown, "NBC931", error.message, place_of_span(error.span)) from error
    if not isinstance(document.data, dict):
        raise unusable(
            shown,
            "NBC501",
            "expected a YAML mapping (keys with values)",
            place_of_span(document.span_of(())),
        )
    file = YamlFile(path, document)
    for problem in document.problems:
        file.problems.append(
            Diagnostic("NBC501", "error", problem.message, place_of_span(problem.span))
        )
    return file


def _read(path: Path, shown: str) -> bytes:
    try:
        return read_regular(path, _MOST_BYTES)
    except OSError as error:
        if error.errno == errno.ENOENT:
            reason = "there is no such file"
        else:
            reason = (error.strerror or str(error)).lower()
        raise unusable(shown, "NBC930", f"{shown!r} cannot be read: {reason}") from error


def one_of(words: Sequence[str]) -> str:
    """Names for a message: ``a, b or c``."""
    if len(words) < 2:
        return "".join(words) or "none"
    return f"{', '.join(words[:-1])} or {words[-1]}"
