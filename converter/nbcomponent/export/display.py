"""The helper that prints what a notebook displays.

A notebook displays the value of a cell's last expression; a script does not. The exported script gets
the function below, only where something is displayed. Its text is that of IPython's ``text/plain``:
``repr``, save that containers wider than 79 columns are set one item a line, sets are sorted, classes
and plain objects have their short form, and items after the first thousand are left out.

Where it differs from IPython: functions, compiled patterns and exceptions are printed with ``repr``, and
so are objects whose ``_repr_pretty_`` needs more than text (classes, numbers, text, containers, numpy and
pandas are the same). A value of several lines inside a container inside a container may break its lines
elsewhere. What only a front end shows, such as the line for a figure, is not printed.
"""

from __future__ import annotations

SHOW = '''\
def {show}(value: object) -> None:
    """Print the value of a cell's last expression, as a notebook displays it."""
    if value is not None:
        print({show_text}(value))


def {show_text}(value: {Any}, indent: int = 0, column: int = 0, after: int = 0) -> str:
    """The text of a value; a container wider than 79 columns gets one item a line."""
    own = ("__repr__", "_repr_pretty_")
    kind = next(k for k in type(value).__mro__ if any(name in vars(k) for name in own))
    if "_repr_pretty_" in vars(kind):
        parts: list[str] = []
        pretty = {SimpleNamespace}(
            text=parts.append,
            breakable=lambda blank=" ": parts.append(blank),
            pretty=lambda part: parts.append({show_text}(part)),
        )
        try:
            value._repr_pretty_(pretty, False)
            return "".join(parts)
        except (AttributeError, TypeError):  # It needs more of IPython's printer.
            return repr(value)
    name, base = type(value).__name__, f"{{kind.__module__}}.{{kind.__name__}}"
    rows: list[tuple[str, {Any}]] = []
    if kind is type:
        home = "" if value.__module__ in (None, "builtins") else f"{{value.__module__}}."
        return f"{{home}}{{value.__qualname__}}"
    if kind is object:
        return f"<{{{show_text}(type(value))}} at {{id(value):#x}}>"
    if kind is dict:
        opening, closing = "{{", "}}"
        rows = [({show_text}(key, indent + 1) + ": ", value[key]) for key in value]
    elif kind in (list, tuple):
        opening, closing = "[]" if kind is list else "()"
        rows = [("", item) for item in value]
        closing = ",)" if kind is tuple and len(value) == 1 else closing
    elif kind in (set, frozenset) and value:
        opening, closing = ("{{", "}}") if kind is set else ("frozenset({{", "}})")
        items = list(value)
        if len(items) < 1000:
            try:
                items.sort()
            except TypeError:
                items.sort(key=str)
        rows = [("", item) for item in items]
    elif base == "collections.Counter" and value:
        opening, closing = f"{{name}}(", ")"
        rows = [("", dict(value.most_common()))]
    elif base == "collections.OrderedDict" and value:
        opening, closing = f"{{name}}(", ")"
        rows = [("", list(value.items()))]
    elif base == "collections.defaultdict":
        opening, closing = f"{{name}}(", ")"
        rows = [("", value.default_factory), ("", dict(value))]
    elif base == "collections.deque":
        opening, closing = f"{{name}}(", ")"
        rows = [("", list(value))]
        rows += [] if value.maxlen is None else [("maxlen=", value.maxlen)]
    else:
        return f"\\n{{' ' * indent}}".join(repr(value).splitlines())
    inner = indent + len(opening)
    flat = [label + {show_text}(item, inner, -(10**9)) for label, item in rows[:1000]]
    flat += ["..."] if len(rows) > 1000 else []
    text = opening + ", ".join(flat) + closing
    if "\\n" not in text and column + len(text) + after <= 79:
        return text
    lines, column = [], column + len(opening)
    for number, (label, item) in enumerate(rows[:1000], 1):
        tail = 1 if number < len(rows) else len(closing) + after
        lines.append(label + {show_text}(item, inner, column + len(label), tail))
        column = inner
    lines += ["..."] if len(rows) > 1000 else []
    return opening + f",\\n{{' ' * inner}}".join(lines) + closing
'''

DISPLAY = '''\
def {display}(*values: object) -> None:
    """Print values as a notebook displays them."""
    for value in values:
        print({show_text}(value))
'''


def show_code(show: str, show_text: str, display: str | None, any_type: str, namespace: str) -> str:
    """The helper's source under the given names; ``display`` is None where nothing calls it.

    ``any_type`` and ``namespace`` are what the script calls ``typing.Any`` and ``types.SimpleNamespace``.
    """
    text = SHOW.format(show=show, show_text=show_text, Any=any_type, SimpleNamespace=namespace)
    if display is not None:
        text += "\n\n" + DISPLAY.format(display=display, show_text=show_text)
    return text
