"""``nbcomponent contract show``: the interface of a notebook's components, as text, data or a page."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from nbcomponent.cli.output import write
from nbcomponent.cli.report.json import dumps, finite
from nbcomponent.cli.report.text import printable
from nbcomponent.contract.document import contract_yaml
from nbcomponent.contract.model import Interface, Parameter, Port
from nbcomponent.core.errors import UsageError

if TYPE_CHECKING:
    import argparse

SCHEMA = "nbcomponent.contract/1"
_MOST_LISTED = 10

_EXAMPLES = """\
examples:
  nbcomponent contract show train.ipynb
  nbcomponent contract show train.ipynb --component train --format yaml
  nbcomponent contract show train.ipynb --format markdown > docs/train.md
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add ``contract show`` and its options."""
    import argparse

    parser.description = "The contract of components: what they take, give and mean by it."
    parser.epilog = _EXAMPLES
    commands = parser.add_subparsers(
        dest="contract_command", metavar="COMMAND", required=True, title="commands"
    )
    show = commands.add_parser(
        "show",
        help="show the contract, as the notebook declares it and the contract cells complete it",
        description="Show the interface of each component of a notebook.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    show.add_argument(
        "notebook", metavar="NOTEBOOK", help="an .ipynb or py:percent .py file, or - for stdin"
    )
    show.add_argument("--component", metavar="NAME", help="this component only")
    show.add_argument(
        "--format",
        choices=("text", "yaml", "json", "markdown"),
        default="text",
        help="yaml is what contract.yml of the export holds (default: text)",
    )
    show.add_argument(
        "--boundary",
        choices=("strict", "auto"),
        default="strict",
        help="auto: with the inputs and outputs that 'export --boundary auto' would add",
    )
    show.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    """Run ``contract show``."""
    from nbcomponent.cli.examined import examine_path, report_of, shown_path, with_chosen
    from nbcomponent.cli.report import text
    from nbcomponent.cli.report.model import exit_code

    if os.path.isdir(options.notebook):  # noqa: PTH112
        raise UsageError(_of_folder(options.notebook))
    examination = examine_path(options.notebook, options.boundary)
    path = shown_path(options.notebook)
    # What the analysis found is the business of check; here it is about the contract only.
    report = with_chosen(report_of(path, examination), ("NBC2", "NBC9"), ())
    interfaces = [component.interface for component in report.components]
    if options.component is not None:
        known = [interface.component for interface in interfaces]
        interfaces = [i for i in interfaces if i.component == options.component]
        if not interfaces:
            raise UsageError(
                f"contract show: {path} has no component {options.component!r}; "
                + (f"it has {', '.join(known)}" if known else "no cell is tagged component:NAME")
            )
    write(_RENDERERS[options.format](path, interfaces))
    # What is wrong goes beside the contract, so that the contract can be piped.
    sys.stderr.write(text.render([report], quiet=True))
    return exit_code([report])


def _of_folder(folder: str) -> str:
    """What to type in place of a folder."""
    from itertools import islice
    from shlex import quote

    from nbcomponent.cli.collect import walk

    found = islice(walk(folder, lambda error: None), _MOST_LISTED)
    lines = "".join(f"\n  nbcomponent contract show {quote(path)}" for path in found)
    said = f"contract show: {folder} is a folder"
    return f"{said}; name one notebook:{lines}" if lines else f"{said} without notebooks"


def _json(path: str, interfaces: Sequence[Interface]) -> str:
    return dumps(
        {
            "schema": SCHEMA,
            "path": path,
            "components": [_finite(contract_yaml(interface)) for interface in interfaces],
        }
    )


def _yaml(path: str, interfaces: Sequence[Interface]) -> str:
    from nbcomponent.schema.yaml_places import dump

    documents = (dump(contract_yaml(interface)).rstrip("\n") for interface in interfaces)
    return "---\n".join(f"{document}\n" for document in documents)


def _text(path: str, interfaces: Sequence[Interface]) -> str:
    if not interfaces:
        return f"{printable(path)}: no cell is tagged component:NAME\n"
    return "\n".join(_text_of(interface) for interface in interfaces)


def _text_of(interface: Interface) -> str:
    version = f" {interface.version}" if interface.version else ""
    lines = [f"{interface.component}{version}"]
    if interface.description:
        lines += [f"  {line}" for line in interface.description.splitlines()]
    for title, rows in _sections(interface):
        lines.append(f"  {title}")
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        lines += [
            "    "
            + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        ]
    return "".join(f"{printable(line)}\n" for line in lines)


def _markdown(path: str, interfaces: Sequence[Interface]) -> str:
    return "\n".join(_page(interface) for interface in interfaces)


def _page(interface: Interface) -> str:
    version = f" {interface.version}" if interface.version else ""
    parts = [f"# {interface.component}{version}\n"]
    if interface.description:
        parts.append(f"{interface.description.strip()}\n")
    for title, rows in _sections(interface):
        heads = _HEADS.get(title, ("",) * len(rows[0]))
        table = [heads, tuple("---" for _ in heads), *rows]
        parts.append(f"## {title.capitalize()}\n")
        if title == "invalid when":
            parts.append("".join(f"- {row[0]}\n" for row in rows))
        else:
            parts.append("".join(f"| {' | '.join(map(_cell, row))} |\n" for row in table))
    return "\n".join(parts)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


_HEADS = {
    "parameters": ("name", "type", "value", "meaning"),
    "inputs": ("name", "type", "content", "meaning"),
    "outputs": ("name", "type", "content", "meaning"),
    "metrics": ("name", "scope", "goal", "meaning"),
    "environment": ("key", "value"),
}


def _sections(interface: Interface) -> list[tuple[str, list[tuple[str, ...]]]]:
    """Title and rows of each part of the contract that says something."""
    environment = (
        ("image", interface.environment.image),
        ("conda", interface.environment.conda),
        ("include", ", ".join(interface.include)),
        *interface.environment_variables.items(),
    )
    sections: list[tuple[str, list[tuple[str, ...]]]] = [
        ("inputs", [_port_row(port) for port in interface.inputs]),
        ("parameters", [_parameter_row(interface, p) for p in interface.parameters]),
        ("outputs", [_port_row(port) for port in interface.outputs]),
        (
            "metrics",
            [(m.name, m.scope, m.goal or "", m.description or "") for m in interface.metrics],
        ),
        ("invalid when", [(condition,) for condition in interface.invalid_when]),
        ("environment", [(key, value) for key, value in environment if value]),
    ]
    return [(title, rows) for title, rows in sections if rows]


def _parameter_row(interface: Interface, parameter: Parameter) -> tuple[str, ...]:
    if parameter.required:
        value = "required"
    elif parameter.default is None:
        value = "optional"
    else:
        value = f"= {parameter.default!r}"
    if parameter.choices is not None:
        value += f" one of {', '.join(map(str, parameter.choices))}"
    if parameter.min is not None or parameter.max is not None:
        value += f" [{_bound(parameter.min)}..{_bound(parameter.max)}]"
    unit = f" ({parameter.unit})" if parameter.unit else ""
    return (
        interface.argument(parameter.name),
        parameter.type,
        value,
        f"{parameter.description or ''}{unit}",
    )


def _bound(value: float | None) -> str:
    return "" if value is None else str(value)


def _port_row(port: Port) -> tuple[str, ...]:
    content = []
    if port.source:
        content.append(f"from {port.source}")
    if port.optional:
        content.append("optional")
    if port.format:
        content.append(port.format)
    if port.files:
        content.append(", ".join(port.files))
    if port.columns:
        content.append("columns " + ", ".join(column.name for column in port.columns))
    return (port.name, port.type, "; ".join(content), port.description or "")


def _finite(value: object) -> object:
    """Contract data as JSON can hold it."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return finite(value)


_RENDERERS = {"text": _text, "json": _json, "yaml": _yaml, "markdown": _markdown}
