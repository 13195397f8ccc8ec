"""What a component needs from the process and the disk around it, and what cannot leave IPython.

The state of a process is set by code that ran before: in the notebook by other cells, in a script by
nobody. Findings: NBC107 (text that reaches names), NBC108 (process state), NBC109 (files), NBC111
(IPython syntax that has no meaning in a script), NBC112 (patches).
"""

from __future__ import annotations

import ast
import fnmatch
import sys
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from nbcomponent.analysis.component import ComponentReader, Site
from nbcomponent.analysis.effects import Effect, is_url, modules_of, normal_path
from nbcomponent.analysis.facts import NameNode, Statement
from nbcomponent.analysis.library import ENVIRONMENT_PREFIXES, WELL_KNOWN_MODULES
from nbcomponent.analysis.messages import Finding, diagnostic_of
from nbcomponent.analysis.namespace import BUILTINS
from nbcomponent.analysis.random_state import RANDOM_STATES, may_draw, seeding
from nbcomponent.core.diagnostics import Diagnostic
from nbcomponent.notebook.magics import treatment

_DEVICES = ("/dev/", "/proc/")


@dataclass(slots=True, eq=False)
class _Inside:
    """An effect of the component's own code, with the place it is blamed on."""

    effect: Effect
    site: Site
    order: int


@dataclass(slots=True, eq=False)
class _Outside:
    """An effect of another cell."""

    effect: Effect
    statement: Statement
    position: int


def check_surroundings(reader: ComponentReader) -> list[Diagnostic]:
    """The findings about process state, files, IPython syntax and patches of one component."""
    inside = _inside_effects(reader)
    outside = _outside_effects(reader)
    found: list[Diagnostic] = []

    def report(code: str, name: str, site: Site, cells: tuple[int, ...], **details: object) -> None:
        finding = Finding(code, name, reader.place(site), cells, reader.name, details)
        found.append(diagnostic_of(finding, reader.tagged))

    checks = (_environment, _working_directory, _import_path, _seeds, _options, _patches, _files)
    for check in checks:
        for code, name, site, statements, details in check(reader, inside, outside):
            cells = tuple(sorted({s.cell for s in statements}))
            if (
                reader.boundary == "auto"
                and code == "NBC108"
                and statements
                and details.get("replay")
                and all(_replayable(reader, s) for s in statements)
            ):
                for statement in statements:
                    reader.replay(statement, site)
                details = {**details, "resolution": "sliced", "severity": "note"}
            repeated = details.get("repeat")
            if isinstance(repeated, Statement):
                reader.replay(repeated, site)
                cells = (repeated.cell,)
                details = {**details, "resolution": "sliced", "severity": "note"}
            report(code, name, site, cells, **details)
    _dynamic(reader, report)
    _magics(reader, report)
    return found


_Finding = tuple[str, str, Site, list[Statement], dict[str, object]]


def _inside_effects(reader: ComponentReader) -> list[_Inside]:
    found: list[_Inside] = []
    order = 0
    seen: set[tuple[int, int]] = set()
    for run in reader.blocks:
        if (id(run.block), run.position) in seen:
            continue
        seen.add((id(run.block), run.position))
        for effect in reader.effects.of(run.block, run.cell):
            site = run.site or Site(run.cell, effect.node)
            found.append(_Inside(effect, site, order))
            order += 1
    return found


def _outside_effects(reader: ComponentReader) -> list[_Outside]:
    carried = reader.carried_keys()
    last = _end(reader)
    return [
        _Outside(effect, statement, position)
        for effect, statement, position in reader.effects.lasting()
        if statement.cell not in reader.own
        and not reader.tagged.roles[statement.cell].parameters
        and (statement.cell, statement.index) not in carried
        and position < last
    ]


def _end(reader: ComponentReader) -> int:
    """The position after which nothing can matter: under ``auto`` the notebook's order is the order."""
    statements = reader.namespace.statements
    if reader.boundary == "strict":
        return len(statements)
    cells = max(reader.cells, default=-1)
    return max((n + 1 for n, s in enumerate(statements) if s.cell <= cells), default=0)


def _replayable(reader: ComponentReader, statement: Statement) -> bool:
    """Whether a state-setting statement only sets that state, from constants and imports."""
    if reader.tagged.roles[statement.cell].skip or not isinstance(
        statement.node, (ast.Expr, ast.Assign)
    ):
        return False
    position = reader.namespace.position[id(statement)]
    effects = reader.effects.of_statement(statement, position)
    if any(e.kind not in ("option", "env-set", "path-set", "path-get") for e in effects):
        return False
    return all(
        name in reader.namespace.imports or name in BUILTINS for name in statement.block.exposed
    )


# process state


def _environment(
    reader: ComponentReader, inside: list[_Inside], outside: list[_Outside]
) -> Iterator[_Finding]:
    set_inside: dict[str, int] = {}
    for item in inside:
        if item.effect.kind == "env-set":
            set_inside.setdefault(item.effect.name, item.order)
    setters: dict[str, list[Statement]] = {}
    for other in outside:
        if other.effect.kind == "env-set":
            setters.setdefault(other.effect.name, []).append(other.statement)
    reported: set[str] = set()
    for item in inside:
        name = item.effect.name
        if item.effect.kind != "env-get" or name in reported or name == "?":
            continue
        if name in reader.declared.environment_variables:
            continue
        if set_inside.get(name, item.order + 1) < item.order or "*" in set_inside:
            continue
        reported.add(name)
        statements = setters.get(name) or setters.get("*", [])
        yield (
            "NBC108", name, item.site, statements,
            {"what": "env", "required": item.effect.matters, "replay": True},
        )  # fmt: skip
    modules = _modules(reader) if setters else {}
    for name, statements in setters.items():
        if name in reported or name in set_inside or name in reader.declared.environment_variables:
            continue
        for prefix, libraries in ENVIRONMENT_PREFIXES:
            if name.startswith(prefix):
                site = next((modules[m] for m in sorted(modules) if m in libraries), None)
                if site is not None:
                    yield (
                        "NBC108", name, site, statements,
                        {"what": "env", "severity": "warning", "replay": True},
                    )  # fmt: skip
                break


def _modules(reader: ComponentReader) -> dict[str, Site]:
    """Top-level packages that the component imports or uses, with the first place."""
    found: dict[str, Site] = {}
    for run in reader.blocks:
        for module, node in modules_of(run.block, reader.namespace).items():
            if module not in found:
                found[module] = run.site or Site(run.cell, node)
    return found


def _before(outside: list[_Outside], kind: str) -> list[_Outside]:
    return [o for o in outside if o.effect.kind == kind]


def _working_directory(
    reader: ComponentReader, inside: list[_Inside], outside: list[_Outside]
) -> Iterator[_Finding]:
    setters = _before(outside, "chdir")
    if not setters:
        return
    own = next((i.order for i in inside if i.effect.kind == "chdir"), None)
    for item in inside:
        relative = item.effect.kind in ("read", "write") and not item.effect.name.startswith(
            ("/", "~")
        )
        if not (relative or item.effect.kind == "cwd"):
            continue
        if own is not None and own < item.order:
            return
        last = setters[-1]
        statements = [o.statement for o in setters]
        yield "NBC108", last.effect.name, item.site, statements, {"what": "cwd"}
        return


def _import_path(
    reader: ComponentReader, inside: list[_Inside], outside: list[_Outside]
) -> Iterator[_Finding]:
    setters = _before(outside, "path-set")
    if not setters or any(i.effect.kind == "path-set" for i in inside):
        return
    site = next((i.site for i in inside if i.effect.kind == "path-get"), None)
    if site is None:
        for top, its_site in _modules(reader).items():
            if top and top not in sys.stdlib_module_names and top not in WELL_KNOWN_MODULES:
                site = its_site
                break
    if site is None:
        return
    names: dict[str, list[Statement]] = {}
    for other in setters:
        names.setdefault(other.effect.name, []).append(other.statement)
    for name, statements in names.items():
        yield "NBC108", name, site, statements, {"what": "path", "replay": True}


def _seeds(
    reader: ComponentReader, inside: list[_Inside], outside: list[_Outside]
) -> Iterator[_Finding]:
    setters: dict[str, dict[str, list[Statement]]] = {}
    for other in outside:
        if other.effect.kind == "seed":
            by_name = setters.setdefault(other.effect.library, {})
            by_name.setdefault(other.effect.name, []).append(other.statement)
    if not setters:
        return
    own: dict[str, int] = {}
    for item in inside:
        if item.effect.kind == "seed":
            own.setdefault(item.effect.library, item.order)
    drawn: dict[str, Site] = {}
    for item in inside:
        library = item.effect.library
        seeded = min(own.get(library, item.order + 1), own.get("any", item.order + 1))
        if item.effect.kind == "random" and seeded >= item.order:
            drawn.setdefault(library, item.site)
    if reader.boundary == "auto":
        yield from _states_from_elsewhere(reader, drawn, own.keys(), setters)
    reported: set[str] = set()
    for library, site in drawn.items():
        for key in (library, "any"):
            for name, statements in setters.get(key, {}).items():
                if name not in reported:
                    reported.add(name)
                    yield "NBC108", name, site, statements, {"what": "seed"}


def _states_from_elsewhere(
    reader: ComponentReader,
    drawn: dict[str, Site],
    seeded: Collection[str],
    setters: dict[str, dict[str, list[Statement]]],
) -> Iterator[_Finding]:
    """Seedings that reach the component, repeated or as a state (``auto``); these leave ``setters``."""
    for library in RANDOM_STATES:
        names = setters.get(library)
        if not names:
            continue
        site = drawn.get(library) or (None if library in seeded else may_draw(reader))
        if site is None:
            continue
        found = seeding(reader, library, [s for each in names.values() for s in each])
        name, statements = next(reversed(names.items()))
        if found.repeated is not None:
            yield "NBC108", name, site, statements, {"what": "seed", "repeat": found.repeated}
        elif found.chain:
            reader.random_chains.append((library, found.chain))
            details = {"what": "seed", "resolution": "input", "producer": found.chain[-2]}
            yield "NBC108", name, site, statements, {**details, "severity": "note"}
        elif library not in drawn:
            yield "NBC108", name, site, statements, {"what": "seed", "severity": "warning"}
        else:
            continue
        del setters[library]


def _options(
    reader: ComponentReader, inside: list[_Inside], outside: list[_Outside]
) -> Iterator[_Finding]:
    if not any(o.effect.kind == "option" for o in outside):
        return
    modules = _modules(reader)
    own = {i.effect.name for i in inside if i.effect.kind == "option"}
    setters: dict[str, tuple[Effect, list[Statement]]] = {}
    for other in outside:
        if other.effect.kind == "option":
            setters.setdefault(other.effect.name, (other.effect, []))[1].append(other.statement)
    for name, (effect, statements) in setters.items():
        if name in own:
            continue
        library = effect.library
        site = modules.get(library)
        if site is None and library in ("matplotlib", "seaborn"):
            site = modules.get("seaborn") or modules.get("matplotlib")
        severity = "error" if effect.matters else "warning"
        if site is None and library in ("warnings", "logging", "IPython"):
            first = inside[0].site if inside else None
            site, severity = first, "note"
        elif library in ("warnings", "logging"):
            severity = "note"
        if site is not None:
            yield (
                "NBC108", name, site, statements,
                {"what": "option", "severity": severity, "replay": True},
            )  # fmt: skip


def _patches(
    reader: ComponentReader, inside: list[_Inside], outside: list[_Outside]
) -> Iterator[_Finding]:
    setters: dict[str, tuple[Effect, list[Statement]]] = {}
    for other in outside:
        if other.effect.kind == "patch":
            setters.setdefault(other.effect.name, (other.effect, []))[1].append(other.statement)
    if not setters:
        return
    modules = _modules(reader)
    for name, (effect, statements) in setters.items():
        attribute = effect.target.split(".")[-1]
        site = _mention(reader, attribute) or modules.get(effect.library)
        if site is not None:
            yield "NBC112", name, site, statements, {}


def _mention(reader: ComponentReader, attribute: str) -> Site | None:
    for run in reader.blocks:
        node = run.block.attributes.get(attribute)
        if node is not None:
            return run.site or Site(run.cell, node)
    return None


# files


def _files(
    reader: ComponentReader, inside: list[_Inside], outside: list[_Outside]
) -> Iterator[_Finding]:
    written_outside: dict[str, list[Statement]] = {}
    scripts: set[str] = set()
    for other in outside:
        if other.effect.kind == "write":
            written_outside.setdefault(other.effect.target, []).append(other.statement)
            if other.effect.target.endswith(".py"):
                scripts.add(other.effect.target)
    written: list[str] = []
    reported: set[str] = set()
    mentioned: list[_Inside] = []
    for item in inside:
        effect = item.effect
        if effect.kind not in ("read", "write", "mention") or effect.target in reported:
            continue
        if effect.name.startswith(_DEVICES) or is_url(effect.name):
            continue
        if effect.kind == "read" and any(_covers(w, effect.target) for w in written):
            continue
        if _included(reader, effect.target):
            continue
        if effect.kind == "mention":
            mentioned.append(item)
            continue
        matching = [w for w in written_outside if _covers(w, effect.target)]
        if effect.kind == "read" and matching:
            reported.add(effect.target)
            statements = [s for w in matching for s in written_outside[w]]
            script = any(w in scripts for w in matching)
            yield (
                "NBC109",
                effect.name,
                item.site,
                statements,
                {"what": "written", "script": script},
            )
            continue
        if _is_command(item, reader):
            continue  # a word of a shell line may be anything: only a file that a cell writes counts
        absolute = effect.name.startswith(("/", "~")) or effect.name[1:3] in (":\\", ":/")
        if effect.kind == "write":
            written.append(effect.target)
            if not absolute:
                reported.add(effect.target)
                yield "NBC109", effect.name, item.site, [], {"what": "output"}
                continue
        if absolute:
            reported.add(effect.target)
            severity = "warning" if effect.kind == "write" else "error"
            yield "NBC109", effect.name, item.site, [], {"what": "absolute", "severity": severity}
        else:
            reported.add(effect.target)
            yield "NBC109", effect.name, item.site, [], _relative(reader, effect.target)
    for item in mentioned:
        effect = item.effect
        if (
            effect.target not in reported
            and effect.target not in written
            and reader.beside.kind(effect.target) == "file"
        ):
            reported.add(effect.target)
            yield "NBC109", effect.name, item.site, [], _relative(reader, effect.target)


def _relative(reader: ComponentReader, path: str) -> dict[str, object]:
    """A file beside the notebook goes with the component (``auto``), or is a finding."""
    if (
        reader.boundary == "auto"
        and path
        and not path.startswith("..")
        and reader.beside.kind(path)
    ):
        reader.files.add(path)
        return {"what": "shipped"}
    return {"what": "relative"}


def _is_command(item: _Inside, reader: ComponentReader) -> bool:
    node: NameNode = item.effect.node
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return isinstance(node, ast.Call) and ast.unparse(node.func).startswith(
            ("subprocess.", "os.system")
        )
    return node.func.id == "__ipython__"


def _covers(written: str, read: str) -> bool:
    """Whether what is read can be what was written: the same file, one in a folder, a pattern."""
    if written == read or (read in (".", "") and "/" not in written):
        return True
    if written.startswith(read.rstrip("/") + "/") or read.startswith(written.rstrip("/") + "/"):
        return True
    return any(c in read for c in "*?[") and fnmatch.fnmatch(written, read)


def _included(reader: ComponentReader, path: str) -> bool:
    return any(
        path == known or path.startswith(known + "/")
        for known in map(normal_path, reader.declared.paths)
    )


# dynamic names and IPython syntax


def _dynamic(reader: ComponentReader, report: Callable[..., None]) -> None:
    for run in reader.blocks:
        for name, node in run.block.dynamic:
            report("NBC107", name, run.site or Site(run.cell, node), (), dynamic=True)


def _magics(reader: ComponentReader, report: Callable[..., None]) -> None:
    seen: set[tuple[int, int]] = set()
    for run in reader.blocks:
        code = reader.tagged.code.get(run.cell)
        if code is None:
            continue
        for number, node in run.block.magics:
            if (run.cell, number) in seen:
                continue
            seen.add((run.cell, number))
            magic = code.magics[number]
            treated = treatment(magic)
            site = run.site or Site(run.cell, node)
            name = (
                magic.name
                if magic.kind in ("system", "help", "autocall")
                else (f"%%{magic.name}" if magic.kind == "cell" else f"%{magic.name}")
            )
            if treated.kind == "refuse":
                report("NBC111", name, site, (), reason=treated.reason)
