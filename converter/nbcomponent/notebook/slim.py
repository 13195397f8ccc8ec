"""Large notebook files without their outputs, before any of it becomes Python objects.

A notebook's size is its outputs. The scan below walks over the JSON text once, keeps the brackets in
balance, and cuts out the values of ``outputs`` and ``attachments`` of cells and of the widget state,
so that ``json.loads`` sees a few percent of the file and memory holds little more than the file.
"""

from __future__ import annotations

import re

# Strings of ordinary length, many at a time; longer ones (pictures) are passed with bytes.find,
# which is ten times as fast there.
_SHORT = rb'"[^"\\]{0,300}(?:\\.[^"\\]{0,300}){0,30}"'
_TOKEN = re.compile(
    rb'"(outputs|attachments|widgets)"\s*:\s*|' + _SHORT + rb'|[\[\]{}"]', re.DOTALL
)
_INSIDE = re.compile(rb'[^\[\]{}"]*(?:' + _SHORT + rb'[^\[\]{}"]*){0,255}', re.DOTALL)
_QUOTE, _BACKSLASH = ord('"'), ord("\\")
_CLOSES = {ord("]"): ord("["), ord("}"): ord("{")}
_OPENS = (ord("["), ord("{"))

# Depth of a key (how many brackets are open around it): root > cells > cell, and nbformat 3's
# root > worksheets > worksheet > cells > cell; widget state: root > metadata.
_CELL_DEPTHS = (3, 5)
_METADATA_DEPTH = 2


def without_outputs(data: bytes) -> bytes | None:
    """``data`` (UTF-8 JSON text) with outputs, attachments and widget state cut to empty values.

    None where brackets or strings do not match: then the text is no JSON, and its parser will say
    where. What lies inside the values cut out is checked for that only.
    """
    kept: list[bytes] = []
    done = 0
    position = 0
    open_brackets = bytearray()
    search = _TOKEN.search
    while found := search(data, position):
        position = found.end()
        first = data[found.start()]
        if found[1] is not None:
            if not _is_skipped(found[1], len(open_brackets)):
                continue
            if data[position : position + 1] not in (b"[", b"{"):
                continue
            end = _end_of_value(data, position)
            if end is None:
                return None
            kept.append(data[done:position])
            kept.append(b"[]" if data[position] == ord("[") else b"{}")
            position = done = end
        elif first in _OPENS:
            open_brackets.append(first)
        elif first in _CLOSES:
            if not open_brackets or open_brackets.pop() != _CLOSES[first]:
                return None
        elif position - found.start() == 1:
            position = _end_of_string(data, position)
            if not position:
                return None
    if open_brackets:
        return None
    kept.append(data[done:])
    return b"".join(kept)


def _is_skipped(key: bytes, depth: int) -> bool:
    if key == b"widgets":
        return depth == _METADATA_DEPTH
    return depth in _CELL_DEPTHS


def _end_of_value(data: bytes, start: int) -> int | None:
    """Where the array or object that begins at ``start`` ends; None where its brackets do not match."""
    open_brackets = bytearray((data[start],))
    position = start + 1
    inside = _INSIDE.match
    size = len(data)
    while open_brackets:
        found = inside(data, position)
        position = found.end() if found else position
        if position >= size:
            return None
        code = data[position]
        position += 1
        if code in _OPENS:
            open_brackets.append(code)
        elif code == _QUOTE:
            position = _end_of_string(data, position)
            if not position:
                return None
        elif open_brackets.pop() != _CLOSES[code]:
            return None
    return position


def _end_of_string(data: bytes, start: int) -> int:
    """Behind the closing quote of the string whose text begins at ``start``; 0 without one."""
    end = data.find(b'"', start)
    while end >= 0:
        before = end - 1
        while before >= start and data[before] == _BACKSLASH:
            before -= 1
        if (end - before) % 2:
            return end + 1
        end = data.find(b'"', end + 1)
    return 0
