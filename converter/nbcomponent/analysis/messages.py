"""What each finding of the analysis says, and the way out it offers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from nbcomponent.core.diagnostics import Diagnostic, Fix, Place, Severity
from nbcomponent.notebook.model import TaggedNotebook

_HOW = {
    "del": "deleted",
    "[]": "changed (an item of it is assigned)",
    "del []": "changed (an item of it is deleted)",
    "assign": "assigned again",
    "augmented": "changed with an in-place operator",
    "target": "assigned again",
    "import": "bound by another import",
    "star": "bound by a star import",
    "function": "defined again",
    "class": "defined again",
    "global": "assigned again by a function",
    "magic": "bound by IPython syntax",
    "dynamic": "bound through exec or globals()",
}


@dataclass(slots=True, eq=False)
class Finding:
    """A finding before it is worded. ``details`` is what its message needs beside the name."""

    code: str
    name: str
    place: Place
    cells: tuple[int, ...]
    component: str
    details: Mapping[str, object] = field(default_factory=dict)


def diagnostic_of(finding: Finding, tagged: TaggedNotebook) -> Diagnostic:
    """Word a finding."""
    severity, message, fix = _WORDS[finding.code](finding, tagged)
    wanted = finding.details.get("severity")
    return Diagnostic(
        code=finding.code,
        severity=cast(Severity, wanted) if wanted else severity,
        message=message,
        place=finding.place,
        name=finding.name,
        defined_in=finding.cells,
        component=finding.component,
        fix=fix,
    )


_MOST_CELLS = 20
_SHOWN_CELLS = 12


def cells_text(cells: tuple[int, ...]) -> str:
    """``cell 2``, ``cells 2 and 5``, ``cells 1, 2 and 5``."""
    if not cells:
        return "no cell"
    if len(cells) == 1:
        return f"cell {cells[0]}"
    if len(cells) > _MOST_CELLS:
        shown = ", ".join(map(str, cells[:_SHOWN_CELLS]))
        return f"cells {shown} and {len(cells) - _SHOWN_CELLS:,} more"
    return "cells " + ", ".join(map(str, cells[:-1])) + f" and {cells[-1]}"


def _others(finding: Finding, tagged: TaggedNotebook) -> str:
    for cell in finding.cells:
        for owner in tagged.roles[cell].components:
            if owner != finding.component:
                return f" (component {owner})"
    return ""


def _nbc101(f: Finding, t: TaggedNotebook) -> tuple[Severity, str, Fix | None]:
    resolution = f.details.get("resolution")
    where = cells_text(f.cells)
    if resolution == "input":
        producer = f.details.get("producer")
        return "note", f"`{f.name}` becomes an output of {producer} and an input here", None
    if resolution == "sliced":
        return "note", f"the statements of {where} that make `{f.name}` are pulled in", None
    if resolution is not None:
        what = {
            "import": "the import of",
            "definition": "the definition of",
            "constant": "the constant",
        }
        return (
            "note",
            f"{what.get(str(resolution), 'the value of')} `{f.name}` is carried over from {where}",
            None,
        )
    why = f.details.get("why")
    others = _others(f, t)
    message = f"`{f.name}` is defined only outside {f.component}, in {where}{others}"
    if why:
        message += f": {why}"
    if others:
        way_in = Fix(
            f"declare `{f.name}` as an input of {f.component} in its contract "
            "(and as an output where it is made), or export with --boundary auto",
            "declare-input",
        )
    else:
        way_in = Fix(
            f"tag {where} component:{f.component}, make `{f.name}` a parameter, "
            "or declare it as an input",
            "promote-parameter",
        )
    return "error", message, way_in


def _nbc102(f: Finding, t: TaggedNotebook) -> tuple[Severity, str, Fix | None]:
    return (
        "error",
        f"`{f.name}` is defined by no cell of the notebook: its cell was deleted, or it lives only in the kernel",
        Fix(
            f"define `{f.name}` in a cell of {f.component}, or make it a parameter",
            "promote-parameter",
        ),
    )


def _nbc103(f: Finding, t: TaggedNotebook) -> tuple[Severity, str, Fix | None]:
    where = cells_text(f.cells)
    if f.place.cell in f.cells:
        return (
            "error",
            f"`{f.name}` is used here before it is defined, further down in this cell",
            Fix(f"define `{f.name}` above its first use", "edit"),
        )
    if f.cells and f.place.cell is not None and min(f.cells) > f.place.cell:
        only = "the only place that defines" if len(f.cells) == 1 else "the only places that define"
        message = f"`{f.name}` is used above {where}, {only} it"
    else:
        message = (
            f"`{f.name}` comes from {where}, which by the execution counts ran later than this cell"
        )
    if f.cells and f.place.cell is not None and max(f.cells) < f.place.cell:
        way_out = f"run the notebook from top to bottom, or tag {where} component:{f.component}"
    else:
        way_out = f"move {where} above this cell, or into {f.component}"
    return "error", message, Fix(way_out, "edit")


def _cannot_come_over(f: Finding, why: object, way_out: str) -> tuple[Severity, str, Fix]:
    return "error", f"`{f.name}` cannot come over: {why}", Fix(way_out, "edit")


def _changed(how: str) -> str:
    """What a mutation does, in words: ``[]``, ``.attribute`` or a method."""
    if how.startswith("."):
        return f"changed (its attribute `{how[1:]}` is assigned)"
    return f"changed ({how})" if how else "changed"


def _nbc104(f: Finding, t: TaggedNotebook) -> tuple[Severity, str, Fix | None]:
    where = cells_text(f.cells)
    if f.details.get("resolution") == "sliced":
        return "note", f"what {where} does to `{f.name}` in between is pulled in", None
    why = f.details.get("why")
    if why:
        return _cannot_come_over(f, why, f"keep the changes of `{f.name}` in one component")
    how = str(f.details.get("how", ""))
    what = _HOW.get(how) or _changed(how)
    are = "is" if len(f.cells) == 1 else "are"
    return (
        "error",
        f"`{f.name}` is {what} by {where}, which {are} not part of {f.component}, before it is used here",
        Fix(f"tag {where} component:{f.component}, or work on a copy there", "tag-component"),
    )


def _nbc105(f: Finding, t: TaggedNotebook) -> tuple[Severity, str, Fix | None]:
    why = f.details.get("why")
    if why:
        return _cannot_come_over(f, why, "give the two values two names")
    if len(f.cells) == 1:
        message = f"`{f.name}` is bound only on some paths, in cell {f.cells[0]}"
        return (
            "error",
            message,
            Fix(f"bind `{f.name}` on every path, or make it a parameter", "promote-parameter"),
        )
    return (
        "error",
        f"`{f.name}` is defined in {cells_text(f.cells)}: which value it has depends on the order they ran in",
        Fix(f"define `{f.name}` in one cell, or make it a parameter", "promote-parameter"),
    )


def _nbc106(f: Finding, t: TaggedNotebook) -> tuple[Severity, str, Fix | None]:
    why = f.details.get("why")
    message = f"code brought in here needs `{f.name}` of {cells_text(f.cells)}{_others(f, t)}, which is not carried over"
    if why:
        message += f": {why}"
    return (
        "error",
        message,
        Fix(
            f"pass `{f.name}` as an argument, make it a parameter, or tag its cell component:{f.component}",
            "promote-parameter",
        ),
    )


def _nbc107(f: Finding, t: TaggedNotebook) -> tuple[Severity, str, Fix | None]:
    kind = f.details.get("dynamic")
    if kind:
        return (
            "error",
            f"`{f.name}` reaches names of the notebook through text that cannot be read",
            Fix("use the names themselves", "edit"),
        )
    if f.cells:
        where = cells_text(f.cells)
        message = f"`{f.name}` exists only in the kernel: it comes from {where} without a plain assignment"
    else:
        message = f"`{f.name}` exists only in an IPython kernel"
    return (
        "error",
        message,
        Fix(f"assign the value to a variable and use that instead of `{f.name}`", "edit"),
    )


def _nbc108(f: Finding, t: TaggedNotebook) -> tuple[Severity, str, Fix | None]:
    what = str(f.details.get("what"))
    where = cells_text(f.cells)
    if f.details.get("resolution") == "sliced":
        return "note", f"`{f.name}` of {where} is repeated in {f.component}", None
    if f.details.get("resolution") == "input":
        return (
            "note",
            f"the random state that `{f.name}` of {where} begins becomes an output of "
            f"{f.details.get('producer')} and an input here",
            None,
        )
    if what == "env":
        if not f.cells:
            return (
                "warning" if f.details.get("required") else "note",
                f"the environment variable {f.name} is read and nothing declares it: it may be set only on this machine",
                Fix(
                    f"declare {f.name} under environment_variables in the contract, or make it a parameter",
                    "edit",
                ),
            )
        return (
            "error",
            f"the environment variable {f.name} is set in {where}, outside {f.component}",
            Fix(
                f"declare {f.name} under environment_variables in the contract, or set it in {f.component}",
                "edit",
            ),
        )
    words = {
        "cwd": f"the working directory is changed by {where}, and {f.component} uses relative paths",
        "path": f"the import path is extended by {where}, and {f.component} imports from it",
        "path-shipped": f"the import path is extended by {where}; what {f.component} imports from there is "
        "copied into it",
        "draw": f"{where}, outside {f.component}, {'draws' if len(f.cells) == 1 else 'draw'} from the random state that {f.component} seeded",
        "seed": f"the random state is seeded in {where}, outside {f.component}, which draws from it",
        "option": f"`{f.name}` sets an option for the whole process in {where}, outside {f.component}",
    }
    fixes = {
        "cwd": "use a path that an input declares",
        "path": "put the modules beside the notebook, or list them under include in the contract",
        "draw": "draw from a generator of its own (random.Random, default_rng) in one of them",
        "seed": f"seed in {f.component} itself, or pass a generator (random_state=, default_rng(seed))",
        "option": f"repeat the call in a cell of {f.component}",
    }
    fix = fixes.get(what)
    return "error", words[what], Fix(fix, "edit") if fix else None


def _nbc109(f: Finding, t: TaggedNotebook) -> tuple[Severity, str, Fix | None]:
    what = f.details.get("what")
    where = cells_text(f.cells)
    declare = Fix(
        f"declare an input in the contract of {f.component} and read its path", "declare-input"
    )
    if what == "left":
        return (
            "error",
            f"`{f.name}` may read files that {where} left in the working directory; {f.component} "
            "begins in a fresh one",
            Fix(
                f"put the cell into the component of {where}, or declare the files", "tag-component"
            ),
        )
    if what == "written":
        if f.details.get("script"):
            return (
                "error",
                f"`{f.name}` is written by {where}, outside {f.component}",
                Fix(
                    f"tag {where} component:NAME so that the script is a component, or include the file",
                    "tag-component",
                ),
            )
        return (
            "error",
            f"`{f.name}` is written by {where}, outside {f.component}, and read here",
            declare,
        )
    if what == "shipped":
        return "note", f"`{f.name}` lies beside the notebook and goes with {f.component}", None
    if what == "folder":
        return (
            "warning",
            f"`{f.name}` is written into a folder that {where}, outside {f.component}, "
            f"{'makes' if len(f.cells) == 1 else 'make'}",
            Fix(
                f"make the folder in {f.component}, or declare an output and write to its path",
                "declare-output",
            ),
        )
    if what == "absolute":
        return "error", f"`{f.name}` is a path of this machine", declare
    if what == "output":
        return (
            "warning",
            f"`{f.name}` is written to a place that no output declares, and is lost when the job ends",
            Fix(
                f"declare an output in the contract of {f.component} and write to its path",
                "declare-output",
            ),
        )
    return "error", f"`{f.name}` is a relative path that no input covers", declare


def _nbc110(f: Finding, t: TaggedNotebook) -> tuple[Severity, str, Fix | None]:
    where = cells_text(f.cells)
    if f.details.get("resolution"):
        return "note", f"the star import in {where} is carried over for `{f.name}`", None
    return (
        "error",
        f"`{f.name}` can only come from the star import in {where}",
        Fix(f"import `{f.name}` by name", "move-import"),
    )


def _nbc111(f: Finding, t: TaggedNotebook) -> tuple[Severity, str, Fix | None]:
    reason = str(f.details.get("reason") or "cannot run in a script")
    way_out = f.details.get("way_out") or "write it as Python, or leave it out of the component"
    return (
        "error",
        reason if reason.startswith(f"`{f.name}`") else f"`{f.name}`: {reason}",
        Fix(str(way_out), "edit"),
    )


def _nbc112(f: Finding, t: TaggedNotebook) -> tuple[Severity, str, Fix | None]:
    return (
        "error",
        f"`{f.name}` is patched in {cells_text(f.cells)}, outside {f.component}",
        Fix(
            f"tag the patching cell component:{f.component}, or use a function or subclass instead",
            "tag-component",
        ),
    )


_WORDS = {
    "NBC101": _nbc101,
    "NBC102": _nbc102,
    "NBC103": _nbc103,
    "NBC104": _nbc104,
    "NBC105": _nbc105,
    "NBC106": _nbc106,
    "NBC107": _nbc107,
    "NBC108": _nbc108,
    "NBC109": _nbc109,
    "NBC110": _nbc110,
    "NBC111": _nbc111,
    "NBC112": _nbc112,
}
