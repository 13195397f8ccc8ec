"""What the cells of a notebook are for: tags, ``#|`` comment directives, Kale's tags.

The names and rules are design.md's *Authoring*; Kale's are those of kale's notebook parser (a cell
without a Kale tag continues the block above it). Tags that nobody here knows mean nothing.

- NBC201: a component's name that is not allowed
- NBC202: tags and comment directives of one cell disagree
- NBC203: ``shared`` and ``component:`` on one cell
- NBC204: a tag on a kind of cell that cannot have it
- NBC205: a script cell (``%%writefile``) whose path is not known, or that shares its component
- NBC206: several contract tags on one cell
- NBC207: a Kale tag without a counterpart
- NBC208: a tag or directive that is nearly one of ours
- NBC209: ``tags`` that are no list of texts (found by the reader)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache

from nbcomponent.core.diagnostics import Diagnostic, Fix, Place, Severity, in_reading_order
from nbcomponent.core.records import record
from nbcomponent.notebook.arguments import words
from nbcomponent.notebook.ipython import parse_cell, script_problem
from nbcomponent.notebook.model import Cell, CellCode, Notebook, Roles, TaggedNotebook

NAME = re.compile(r"[a-z][a-z0-9_]*\Z")
NAME_LENGTH = 200

_DIRECTIVE = re.compile(r"#\|[ \t]*([A-Za-z_][\w-]*)(?:[ \t]*:(.*)|[ \t]*)\Z")
_PLAIN = {"parameters", "shared", "skip"}
_KALE_STEPS = ("step:", "block:")


@record(frozen=True, slots=True)
class _Wanted:
    """What one source (the tags, or the directives) says of a cell."""

    components: tuple[str, ...] = ()
    contracts: tuple[str, ...] = ()
    plain: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.components or self.contracts or self.plain)


_NOTHING = _Wanted()


def tag(notebook: Notebook) -> TaggedNotebook:
    """``notebook`` with the code of every cell parsed and the role of every cell known.

    Never raises: what tags say wrongly, and cells that are no Python, become diagnostics. The code
    cells of a notebook in another language are not parsed (NBC904).
    """
    found: list[Diagnostic] = list(notebook.problems)
    python = notebook.language == "python"
    code: dict[int, CellCode] = {}
    if python:
        code = {c.index: parse_cell(c.source, c.index) for c in notebook.cells if c.kind == "code"}
        found += [parsed.problem for parsed in code.values() if parsed.problem]
    roles = _all_roles(notebook.cells, code, found)
    if not any(role.components for role in roles):
        roles = _kale_roles(notebook.cells, roles, found)
    component_cells: dict[str, list[int]] = {}
    for index, role in enumerate(roles):
        if not role.parameters:
            for name in role.components:
                component_cells.setdefault(name, []).append(index)
    _scripts_alone(roles, component_cells, found)
    if not python:
        found.append(_other_language(notebook, bool(component_cells)))
    return TaggedNotebook(
        notebook=notebook,
        roles=tuple(roles),
        code=code,
        component_cells={name: tuple(cells) for name, cells in component_cells.items()},
        diagnostics=in_reading_order(found),
    )


def is_component_name(name: str) -> bool:
    """May a component be called ``name``? (``^[a-z][a-z0-9_]*$``, 200 characters at most.)"""
    return len(name) <= NAME_LENGTH and NAME.match(name) is not None


# --- one cell ------------------------------------------------------------------------------------


_NO_ROLES = Roles()


def _all_roles(
    cells: Iterable[Cell], code: Mapping[int, CellCode], found: list[Diagnostic]
) -> list[Roles]:
    """The role of each cell. Plain code cells with the same tags share what was found for the first."""
    roles: list[Roles] = []
    shared: dict[tuple[str, ...], Roles] = {(): _NO_ROLES}
    for cell in cells:
        its_code = code.get(cell.index)
        plain = its_code is not None and not its_code.magics and "#|" not in cell.source
        role = shared.get(cell.tags) if plain else None
        if role is None:
            before = len(found)
            role = _roles(cell, its_code, found)
            if plain and len(found) == before:
                shared[cell.tags] = role
        roles.append(role)
    return roles


def _roles(cell: Cell, code: CellCode | None, found: list[Diagnostic]) -> Roles:
    by_tags, by_directives = _NOTHING, _NOTHING
    if cell.tags:
        if "injected-parameters" in cell.tags:
            return Roles(skip=True)
        by_tags = _from_tags(cell, found)
    if cell.kind == "code" and "#|" in cell.source:
        by_directives = _from_directives(cell, code, found)
    if by_tags and by_directives and not _agree(by_tags, by_directives):
        _report(
            found,
            cell,
            "NBC202",
            "The cell's tags and its `#|` comments disagree: the tags say "
            f"{_said(by_tags)}, the comments say {_said(by_directives)}. The tags count.",
            "remove one of the two, or let both say the same",
        )
    wanted = by_tags or by_directives
    if "skip" in by_tags.plain | by_directives.plain:
        return Roles(skip=True)
    if wanted.contracts:
        return _contract_role(cell, wanted, found)
    if not wanted:
        return _NO_ROLES
    if cell.kind != "code":
        _report(
            found,
            cell,
            "NBC204",
            f"{_said(wanted).capitalize()} belongs on a code cell; this is a {cell.kind} cell, "
            "so it does nothing here.",
            "move the tag to a code cell",
            "warning",
        )
        return Roles()
    if "shared" in wanted.plain and wanted.components:
        _report(
            found,
            cell,
            "NBC203",
            "The cell is tagged `shared` and `component:`. A shared cell is offered to all components, "
            "so it cannot belong to one.",
            "keep `shared` for definitions that several components use, else keep `component:`",
        )
    return Roles(
        components=wanted.components,
        parameters="parameters" in wanted.plain,
        shared="shared" in wanted.plain and not wanted.components,
        writes_script=_script(cell, code, found) if wanted.components else None,
    )


def _agree(one: _Wanted, other: _Wanted) -> bool:
    return one.plain == other.plain and set(one.components) == set(other.components)


def _from_tags(cell: Cell, found: list[Diagnostic]) -> _Wanted:
    components: dict[str, None] = {}
    contracts: dict[str, None] = {}
    plain: set[str] = set()
    for text in cell.tags:
        head, colon, name = text.partition(":")
        if text in _PLAIN:
            plain.add(text)
        elif text == "contract":
            contracts[""] = None
        elif colon and head == "component":
            if _allowed(cell, text, name, found):
                components[name] = None
        elif colon and head == "contract":
            if _allowed(cell, text, name, found):
                contracts[name] = None
        elif near := _near(head, bool(colon)):
            meant = f"{near}:{name or 'NAME'}" if near == "component" else near + colon + name
            _nearly(found, cell, f"The tag `{text}`", meant)
    return _Wanted(tuple(components), tuple(contracts), frozenset(plain))


def _from_directives(cell: Cell, code: CellCode | None, found: list[Diagnostic]) -> _Wanted:
    """The ``#|`` lines at the top of the cell, or right below a cell magic whose body is Python."""
    components: dict[str, None] = {}
    plain: set[str] = set()
    magics = {magic.line for magic in code.magics if magic.kind == "cell"} if code else set()
    python_below = code is not None and code.text.count("#|") > 0
    if magics and not python_below and not cell.tags:
        _directive_in_file(cell, code, found)
    for number, line in enumerate(cell.source.split("\n"), start=1):
        text = line.strip()
        if not text or (number in magics and python_below):
            continue
        if not text.startswith("#"):
            break
        directive = _DIRECTIVE.match(text)
        if directive is None:
            continue
        key, value = directive[1], directive[2] and directive[2].strip(" \t")
        if key == "component":
            if _allowed(cell, f"#| component: {value or ''}", value or "", found, number):
                components[value or ""] = None
        elif key in _PLAIN:
            if value in (None, "", "true"):
                plain.add(key)
        elif near := _near(key, value is not None):
            meant = f"#| {near}: {value or 'NAME'}" if near == "component" else f"#| {near}"
            if near != "contract":  # contracts are no code
                _nearly(found, cell, f"The comment `{text}`", meant, number)
    return _Wanted(tuple(components), (), frozenset(plain))


def _directive_in_file(cell: Cell, code: CellCode | None, found: list[Diagnostic]) -> None:
    """``#| component: NAME`` at the top of a file that the cell writes: text, and meant as a directive."""
    magic = code.magics[0] if code and code.magics else None
    if magic is None or magic.name not in ("writefile", "file"):
        return
    for number, line in enumerate((magic.body or "").split("\n"), start=magic.line + 1):
        directive = _DIRECTIVE.match(line.strip())
        if line.strip() and not line.startswith("#"):
            return
        if directive is not None and directive[1] == "component":
            _report(
                found,
                cell,
                "NBC208",
                f"The comment `{line.strip()}` is text of the file that the cell writes, and means nothing here.",
                f"tag the cell `component:{(directive[2] or '').strip() or 'NAME'}`",
                "warning",
                number,
            )


def _nearly(found: list[Diagnostic], cell: Cell, what: str, meant: str, line: int = 1) -> None:
    _report(
        found,
        cell,
        "NBC208",
        f"{what} means nothing here; did you mean `{meant}`?",
        f"write `{meant}`, or leave it if it belongs to another tool",
        "warning",
        line,
    )


@lru_cache(maxsize=1_000)
def _near(word: str, named: bool) -> str | None:
    """The tag that somebody who wrote ``word`` may have meant. ``named``: with ``:NAME``."""
    if word[:1].lower() not in _INITIALS:
        return None
    from difflib import get_close_matches

    tags = ("component", "contract") if named else ("component", "contract", *sorted(_PLAIN))
    near = get_close_matches(word.lower(), tags, 1, _NEAR)
    return near[0] if near else None


_INITIALS = frozenset({"c", "p", "s"})
_NEAR = 0.83
"""``componet`` and ``Parameters`` are near, ``parameterize`` and ``skip-execution`` are tags of their own."""


def _contract_role(cell: Cell, wanted: _Wanted, found: list[Diagnostic]) -> Roles:
    if cell.kind == "code":
        _report(
            found,
            cell,
            "NBC204",
            "A contract is YAML, so its tag belongs on a raw or markdown cell; this is a code cell.",
            "change the cell's type to raw, or remove the tag",
        )
        return Roles()
    if len(wanted.contracts) > 1:
        _report(
            found,
            cell,
            "NBC206",
            "The cell has several contract tags; a contract is for one component. "
            f"It is read for {_contract_name(wanted.contracts[0])}.",
            "keep one contract tag, and write one cell per contract",
        )
    if wanted.components or wanted.plain:
        rest = replace(wanted, contracts=())
        _report(
            found,
            cell,
            "NBC204",
            f"{_said(rest).capitalize()} belongs on a code cell; on a contract cell it does nothing.",
            "remove the tag",
            "warning",
        )
    return Roles(contract_for=wanted.contracts[0])


def _script(cell: Cell, code: CellCode | None, found: list[Diagnostic]) -> str | None:
    """The path that a ``%%writefile`` cell writes, where the cell is such a one."""
    magic = code.magics[0] if code and code.magics else None
    if magic is None or magic.kind != "cell" or magic.name not in ("writefile", "file"):
        return None
    names = words(magic.argument)
    paths = [word.text for word in names if word.text not in ("-a", "--append")]
    if len(paths) == 1 and not paths[0].endswith((".py", "}")) and "$" not in paths[0]:
        return None  # It writes a text, a README or a table: a cell like any other.
    if len(paths) != 1 or magic.interpolated or not paths[0].endswith(".py"):
        _report(
            found,
            cell,
            "NBC205",
            "The cell is tagged as a component's script, but what it writes is no Python file with a "
            f"fixed name: `%%{magic.name} {magic.argument}`.",
            "write a path that ends in .py and holds no variable",
        )
        return None
    if len(names) > 1:
        _report(
            found,
            cell,
            "NBC205",
            f"The cell appends to {paths[0]}, so the script is spread over several cells. "
            "Only this part of it is the component's source.",
            "write the whole script in one `%%writefile` cell",
        )
    elif problem := script_problem(magic.body or "", cell.index, magic.line + 1):
        found.append(problem)
    return paths[0]


def _allowed(cell: Cell, written: str, name: str, found: list[Diagnostic], line: int = 1) -> bool:
    if is_component_name(name):
        return True
    shown = written if len(written) <= 60 else written[:57] + "..."
    suggestion = re.sub(r"[^a-z0-9_]+", "_", name.lower()).strip("_").lstrip("0123456789_")
    suggestion = suggestion[:NAME_LENGTH]
    _report(
        found,
        cell,
        "NBC201",
        f"{shown!r} names no component: a name starts with a lower-case letter and goes on with "
        f"lower-case letters, digits and underscores, {NAME_LENGTH} characters at most.",
        f"name it `{suggestion[:60]}`" if suggestion else "give it a name such as `train`",
        line=line,
    )
    return False


def _report(
    found: list[Diagnostic],
    cell: Cell,
    code: str,
    message: str,
    fix: str,
    severity: Severity = "error",
    line: int = 1,
) -> None:
    place = Place(cell.index, line, 1, line, 1)
    found.append(Diagnostic(code, severity, message, place, fix=Fix(fix, "edit")))


def _said(wanted: _Wanted) -> str:
    said = [f"`component:{name}`" for name in wanted.components]
    said += [_contract_name(name) for name in wanted.contracts]
    said += [f"`{name}`" for name in sorted(wanted.plain)]
    return ", ".join(said[:10]) + (", ..." if len(said) > 10 else "")


def _contract_name(name: str) -> str:
    return f"`contract:{name}`" if name else "`contract`"


# --- the notebook --------------------------------------------------------------------------------


def _scripts_alone(
    roles: list[Roles], component_cells: dict[str, list[int]], found: list[Diagnostic]
) -> None:
    """A component is either one script or cells, not both."""
    for name, cells in component_cells.items():
        scripts = [index for index in cells if roles[index].writes_script is not None]
        if scripts and len(cells) > 1:
            others = ", ".join(str(index) for index in cells if index != scripts[0])
            place = Place(scripts[0], 1, 1, 1, 1)
            message = (
                f"Component `{name}` is the script in this cell, and also cell {others}. "
                "A component is either one script or cells."
            )
            fix = Fix("remove the tag from the other cells, or from this one", "edit")
            found.append(Diagnostic("NBC205", "error", message, place, component=name, fix=fix))


def _other_language(notebook: Notebook, tagged: bool) -> Diagnostic:
    first = next((cell.index for cell in notebook.cells if cell.kind == "code"), None)
    return Diagnostic(
        "NBC904",
        "error" if tagged else "note",
        f"The notebook's code is {notebook.language[:60]!r}, not Python, so its cells are not read.",
        Place(first, 1, 1, 1, 1),
        fix=Fix("choose a Python kernel, if the cells are Python", "edit"),
    )


# --- Kale ----------------------------------------------------------------------------------------


def _kale_roles(cells: Iterable[Cell], roles: list[Roles], found: list[Diagnostic]) -> list[Roles]:
    """Roles by Kale's tags, where some code cell is a step; else ``roles`` unchanged."""
    cells = tuple(cells)
    if not any(
        text.startswith(_KALE_STEPS) for cell in cells if cell.kind == "code" for text in cell.tags
    ):
        return roles
    result: list[Roles] = []
    before = Roles()
    last_step = Roles()
    for cell, role in zip(cells, roles, strict=True):
        if cell.kind != "code" or role.skip or role.contract_for is not None:
            result.append(role)
            continue
        if "pipeline-metrics" in cell.tags:
            _report(
                found,
                cell,
                "NBC207",
                "Kale's `pipeline-metrics` has no counterpart: the cell is read as part of the step "
                "above it.",
                "name the metrics in that component's contract, under `metrics`",
                "note",
            )
            before = last_step
        else:
            before = _kale_role(cell, found) or before
        if before.components:
            last_step = before
        result.append(before if role == Roles() else role)
    return result


def _kale_role(cell: Cell, found: list[Diagnostic]) -> Roles | None:
    """The role that the cell's own Kale tags give it; None without any: the block above goes on."""
    steps: dict[str, None] = {}
    tagged = False
    for text in cell.tags:
        if text in ("imports", "functions"):
            return Roles(shared=True)
        if text == "pipeline-parameters":
            return Roles(parameters=True)
        if text.startswith(_KALE_STEPS):
            tagged = True
            name = text.partition(":")[2]
            if _allowed(cell, text, name, found):
                steps[name] = None
    return Roles(components=tuple(steps)) if tagged else None
