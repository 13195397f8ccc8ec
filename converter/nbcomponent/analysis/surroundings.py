"""What a component needs from the process and the disk around it, and what cannot leave IPython.

The state of a process is set by code that ran before: in the notebook by other cells, in a script by
nobody. Findings: NBC107 (text that reaches names), NBC108 (process state), NBC109 (files), NBC111
(IPython syntax that has no meaning in a script), NBC112 (patches).
"""

from __future__ import annotations

import ast
import fnmatch
import re
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass

from nbcomponent.analysis.component import ComponentReader, Site
from nbcomponent.analysis.effect import Effect
from nbcomponent.analysis.effects import modules_of
from nbcomponent.analysis.facts import Statement
from nbcomponent.analysis.files import COMMANDS, is_relative, normal_path
from nbcomponent.analysis.library.options import ENVIRONMENT_PREFIXES
from nbcomponent.analysis.library.packages import BARE_PACKAGES, WELL_KNOWN_MODULES
from nbcomponent.analysis.messages import Finding, diagnostic_of
from nbcomponent.analysis.namespace import BUILTINS
from nbcomponent.analysis.path_index import PathIndex
from nbcomponent.analysis.random_state import RANDOM_STATES, may_draw, seeding
from nbcomponent.analysis.syntax import dotted
from nbcomponent.core.diagnostics import Diagnostic
from nbcomponent.notebook.magics import treatment
from nbcomponent.notebook.model import PLACEHOLDER

_DEVICES = ("/dev/", "/proc/")


@dataclass(slots=True, eq=False)
class _Inside:
    """An effect of the component's own code, with the place it is blamed on.

    ``order`` counts the component's effects as they run, ``position`` the notebook's statements.
    """

    effect: Effect
    site: Site
    order: int
    position: int


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

    checks = (
        _environment, _working_directory, _import_path, _submodules, _seeds, _options, _patches, _files,
    )  # fmt: skip
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
    seen: set[tuple[int, int]] = set()
    last = reader.last_position()
    known, effects_of = reader.effects.known, reader.effects.of
    for run in reader.blocks:
        block = run.block
        effects = known.get(id(block))
        if effects is None:
            effects = effects_of(block, run.cell)
        if not effects or (id(block), run.position) in seen:
            continue
        seen.add((id(block), run.position))
        for effect in effects:
            site = run.site or Site(run.cell, effect.node)
            found.append(_Inside(effect, site, len(found), min(run.position, last)))
    return found


def _outside_effects(reader: ComponentReader) -> list[_Outside]:
    lasting = reader.effects.lasting()
    if not lasting:
        return []
    carried, own, roles = reader.carried_keys(), reader.own, reader.tagged.roles
    return [
        _Outside(effect, statement, position)
        for effect, statement, position in lasting
        if statement.cell not in own
        and not roles[statement.cell].parameters
        and (statement.cell, statement.index) not in carried
    ]


def _replayable(reader: ComponentReader, statement: Statement) -> bool:
    """Whether a state-setting statement only sets that state, from constants and imports."""
    if reader.tagged.roles[statement.cell].skip or not isinstance(
        statement.node, (ast.Expr, ast.Assign)
    ):
        return False
    position = reader.namespace.position[id(statement)]
    effects = reader.effects.of_statement(statement, position)
    if any(e.kind not in _REPLAYED for e in effects):
        return False
    return all(
        name in reader.namespace.imports or name in BUILTINS for name in statement.block.exposed
    )


_REPLAYED = frozenset({"option", "env-set", "env-default", "path-set", "path-get", "mention"})


def _felt(item: _Inside, own: Iterable[_Inside], others: Iterable[_Outside]) -> list[_Outside]:
    """What other cells set before ``item``, as far as the component did not set it anew since.

    The order that counts is the notebook's: what runs below is not felt.
    """
    since = max((o.position for o in own if o.order < item.order), default=-1)
    return [o for o in others if since < o.position < item.position]


def _statements(found: Iterable[_Outside]) -> list[Statement]:
    return [o.statement for o in found]


# process state


def _environment(
    reader: ComponentReader, inside: list[_Inside], outside: list[_Outside]
) -> Iterator[_Finding]:
    declared = reader.declared.environment_variables
    setters = [o for o in outside if o.effect.kind in ("env-set", "env-default")]
    own = [i for i in inside if i.effect.kind == "env-set"]
    reported: set[str] = set()
    for item in inside:
        wanted = item.effect.name
        if item.effect.kind != "env-get" or wanted == "?":
            continue
        names = [wanted]
        if wanted == "*":
            names = sorted({o.effect.name for o in setters} - {"*"})
        for name in names:
            if name in reported or name in declared:
                continue
            its_own = [i for i in own if i.effect.name in (name, "*")]
            felt = _felt(item, its_own, (o for o in setters if o.effect.name == name))
            felt = felt or _felt(item, its_own, (o for o in setters if o.effect.name == "*"))
            is_set = any(i.order < item.order for i in its_own)
            if not felt and (is_set or wanted == "*" or item.effect.target == "shell"):
                continue
            reported.add(name)
            yield (
                "NBC108", name, item.site, _statements(felt),
                {"what": "env", "required": item.effect.matters, "replay": True},
            )  # fmt: skip
    yield from _read_by_libraries(reader, setters, own, reported)


def _read_by_libraries(
    reader: ComponentReader, setters: list[_Outside], own: list[_Inside], reported: set[str]
) -> Iterator[_Finding]:
    """Variables such as ``CUDA_VISIBLE_DEVICES``, which a library reads by itself."""
    by_name: dict[str, list[_Outside]] = {}
    for other in setters:
        by_name.setdefault(other.effect.name, []).append(other)
    uses = _Uses(reader) if by_name else None
    for name, others in by_name.items():
        if (
            uses is None
            or name in reported
            or name in reader.declared.environment_variables
            or any(i.effect.name == name for i in own)
        ):
            continue
        for prefix, libraries in ENVIRONMENT_PREFIXES:
            if name.startswith(prefix):
                use = uses.first(libraries, min(o.position for o in others))
                if use is not None:
                    felt = [o for o in others if o.position < use.position]
                    yield (
                        "NBC108", name, use.site, _statements(felt),
                        {"what": "env", "severity": "warning", "replay": True},
                    )  # fmt: skip
                break


@dataclass(slots=True, eq=False)
class _Use:
    site: Site
    position: int


class _Uses:
    """Where a component imports or uses packages."""

    def __init__(self, reader: ComponentReader) -> None:
        self.by_package: dict[str, list[_Use]] = {}
        last = reader.last_position()
        for run in reader.blocks:
            for package, node in modules_of(run.block, reader.namespace).items():
                site = run.site or Site(run.cell, node)
                uses = self.by_package.setdefault(package, [])
                uses.append(_Use(site, min(run.position, last)))

    def first(self, packages: Iterable[str], after: int) -> _Use | None:
        """The first use of one of the packages below ``after``."""
        found = [
            use
            for package in packages
            for use in self.by_package.get(package, ())
            if use.position > after
        ]
        return min(found, key=lambda use: use.position, default=None)


def _working_directory(
    reader: ComponentReader, inside: list[_Inside], outside: list[_Outside]
) -> Iterator[_Finding]:
    setters = [o for o in outside if o.effect.kind == "chdir"]
    if not setters:
        return
    own = [i for i in inside if i.effect.kind == "chdir" and i.effect.target == "/"]
    for item in inside:
        kind = item.effect.kind
        relative = kind in ("read", "write", "look", "folder") and is_relative(item.effect.name)
        if not relative and kind != "cwd":
            continue
        felt = _felt(item, own, setters)
        if not felt:
            continue
        absolute = [o.position for o in felt if o.effect.target == "/"]
        if absolute:
            felt = [
                o
                for o in felt
                if o.position >= absolute[-1] or o.effect.name != felt[-1].effect.name
            ]
        by_name: dict[str, list[Statement]] = {}
        for other in felt:
            by_name.setdefault(other.effect.name, []).append(other.statement)
        for name, statements in by_name.items():
            yield "NBC108", name, item.site, statements, {"what": "cwd"}
        return


def _import_path(
    reader: ComponentReader, inside: list[_Inside], outside: list[_Outside]
) -> Iterator[_Finding]:
    setters = [o for o in outside if o.effect.kind == "path-set"]
    if not setters or any(i.effect.kind == "path-set" for i in inside):
        return
    first = min(o.position for o in setters)
    uses = [_Use(i.site, i.position) for i in inside if i.effect.kind == "path-get"]
    uses.extend(_imported_by_name(reader))
    at_hand = not uses  # Whether all that is imported will be found without the setting.
    for package, its_uses in _Uses(reader).by_package.items():
        if package and package not in sys.stdlib_module_names and package not in WELL_KNOWN_MODULES:
            uses.extend(its_uses)
            at_hand = at_hand and _shipped_from_elsewhere(reader, package)
    use = next((u for u in sorted(uses, key=lambda u: u.position) if u.position > first), None)
    if use is None:
        return
    names: dict[str, list[Statement]] = {}
    for other in setters:
        if other.position < use.position:
            names.setdefault(other.effect.name, []).append(other.statement)
    for name, statements in names.items():
        details: dict[str, object] = {"what": "path", "replay": True}
        if at_hand and not all(_replayable(reader, s) for s in statements):
            details = {"what": "path-shipped", "severity": "note"}
        yield "NBC108", name, use.site, statements, details


def _shipped_from_elsewhere(reader: ComponentReader, package: str) -> bool:
    """Whether a package lies beside the notebook, or in a folder of its project that ``sys.path`` names."""
    if reader.boundary == "strict":
        return False
    if reader.beside.has_module(package):
        return True
    modules = {m for s in reader.namespace.statements for m in s.block.modules}
    return any(m.startswith(f"{package}.") and reader.beside.has_module(m) for m in modules)


def _imported_by_name(reader: ComponentReader) -> Iterator[_Use]:
    """``importlib.import_module("helpers")`` of modules that no package brings."""
    last = reader.last_position()
    for run in reader.blocks:
        for call in run.block.calls:
            path = reader.namespace.resolve(call.chain)
            if path not in ("importlib.import_module", "__import__") or not call.node.args:
                continue
            name = call.node.args[0]
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                package = name.value.split(".")[0]
                if package in sys.stdlib_module_names or package in WELL_KNOWN_MODULES:
                    continue
            yield _Use(run.site or Site(run.cell, call.node), min(run.position, last))


def _submodules(
    reader: ComponentReader, inside: list[_Inside], outside: list[_Outside]
) -> Iterator[_Finding]:
    """``import xml`` here and ``xml.dom.minidom`` used, which only another cell imports."""
    others = reader.effects.submodules()
    if not others:
        return
    own = {module for run in reader.blocks for module in run.block.modules}
    bare = {module for module in own if module in BARE_PACKAGES}
    reported: set[str] = set()
    for run in reader.blocks:
        if not bare:
            return
        for chain, node in run.block.references.items():
            path = reader.namespace.resolve(chain)
            package = chain[0]
            if path is None or path.split(".")[0] not in bare or package in reported:
                continue
            for module, statement, position in others:
                if (
                    statement.cell not in reader.own
                    and position < run.position
                    and f"{path}.".startswith(f"{module}.")
                    and not any(f"{mine}.".startswith(f"{module}.") for mine in own)
                ):
                    reported.add(package)
                    site = run.site or Site(run.cell, node)
                    yield "NBC104", package, site, [statement], {"how": f"import {module}"}
                    break


def _seeds(
    reader: ComponentReader, inside: list[_Inside], outside: list[_Outside]
) -> Iterator[_Finding]:
    setters = [o for o in outside if o.effect.kind == "seed"]
    own = [i for i in inside if i.effect.kind == "seed"]
    if not setters and not own:
        return
    if reader.boundary == "auto":
        met = yield from _states_from_elsewhere(reader, inside, own, setters)
        setters = [o for o in setters if o.effect.library not in met]
    draws = [o for o in outside if o.effect.kind == "random"] if own else []
    reported: set[str] = set()
    for item in inside:
        if item.effect.kind != "random" or item.effect.library in reader.random_states:
            continue
        keys = (item.effect.library, "any")
        its_own = [i for i in own if i.effect.library in keys]
        felt = _felt(item, its_own, (o for o in setters if o.effect.library in keys))
        if any(i.order < item.order for i in its_own):
            # seeded here, and drawn from by other cells since
            felt += _felt(item, its_own, (o for o in draws if o.effect.library in keys))
        by_name: dict[str, list[Statement]] = {}
        for other in felt:
            by_name.setdefault(other.effect.name, []).append(other.statement)
        for name, statements in by_name.items():
            if name not in reported:
                reported.add(name)
                drawn = all(o.effect.kind == "random" for o in felt if o.effect.name == name)
                yield "NBC108", name, item.site, statements, {"what": "draw" if drawn else "seed"}


def _states_from_elsewhere(
    reader: ComponentReader, inside: list[_Inside], own: list[_Inside], setters: list[_Outside]
) -> Generator[_Finding, None, set[str]]:
    """Seedings that reach the component, repeated or as a state (``auto``); returns their libraries."""
    met: set[str] = set()
    last = reader.last_position()
    for library in RANDOM_STATES:
        above = [o for o in setters if o.effect.library == library and o.position < last]
        if not above:
            continue
        seeded = [i.order for i in own if i.effect.library in (library, "any")]
        drawn = next(
            (
                i.site
                for i in inside
                if i.effect.kind == "random"
                and i.effect.library == library
                and not any(order < i.order for order in seeded)
            ),
            None,
        )
        own_library = any(i.effect.library == library for i in own)
        site = drawn or (None if own_library else may_draw(reader))
        if site is None:
            continue
        found = seeding(reader, library, _statements(above))
        name = above[-1].effect.name
        statements = [o.statement for o in above if o.effect.name == name]
        if found.repeated is not None:
            yield "NBC108", name, site, statements, {"what": "seed", "repeat": found.repeated}
        elif found.chain:
            reader.random_chains.append((library, found.chain))
            details = {"what": "seed", "resolution": "input", "producer": found.chain[-2]}
            yield "NBC108", name, site, statements, {**details, "severity": "note"}
        elif drawn is None:
            yield "NBC108", name, site, statements, {"what": "seed", "severity": "warning"}
        else:
            continue
        met.add(library)
    return met


def _options(
    reader: ComponentReader, inside: list[_Inside], outside: list[_Outside]
) -> Iterator[_Finding]:
    setters: dict[str, list[_Outside]] = {}
    for other in outside:
        if other.effect.kind == "option":
            setters.setdefault(other.effect.name, []).append(other)
    if not setters:
        return
    uses = _Uses(reader)
    own = [i for i in inside if i.effect.kind == "option"]
    last = reader.last_position()
    for name, others in setters.items():
        library = others[0].effect.library
        packages = _FAMILIES.get(library, (library,))
        use = uses.first(packages, min(o.position for o in others))
        quiet = library in ("warnings", "logging")
        if use is None and quiet:
            use = _first_call_below(reader, min(o.position for o in others), last)
        if use is None:
            continue
        felt = []
        for other in others:
            its_own = [i for i in own if _same_option(i.effect, other.effect)]
            later = [
                u
                for p in packages
                for u in uses.by_package.get(p, ())
                if u.position > other.position
            ]
            until = max((u.position for u in later), default=use.position)
            if not any(other.position < i.position <= until for i in its_own):
                felt.append(other)
        if not felt:
            continue
        matters = any(o.effect.matters for o in felt)
        severity = "note" if quiet else "error" if matters else "warning"
        yield (
            "NBC108", name, use.site, _statements(felt),
            {"what": "option", "severity": severity, "replay": True},
        )  # fmt: skip


_FAMILIES: dict[str, tuple[str, ...]] = {
    "matplotlib": ("matplotlib", "seaborn", "pylab"),
    "seaborn": ("seaborn", "matplotlib", "pylab"),
    "tensorflow": ("tensorflow", "keras"),
    "keras": ("keras", "tensorflow"),
    "tqdm": ("pandas", "tqdm"),
}
"""Packages that feel the options of another."""


def _same_option(own: Effect, other: Effect) -> bool:
    """Whether the component's own call sets at least what another cell's call sets."""
    if own.library != other.library:
        return False
    if own.target and other.target:
        mine, theirs = own.target.split(","), other.target.split(",")
        return own.target == other.target or set(theirs) <= set(mine)
    return own.name == other.name


def _first_call_below(reader: ComponentReader, after: int, last: int) -> _Use | None:
    """The first call of a package's function below a position: it may warn or log."""
    for run in reader.blocks:
        if run.position <= after:
            continue
        for call in run.block.calls:
            if call.chain[0] in reader.namespace.imports:
                return _Use(run.site or Site(run.cell, call.node), min(run.position, last))
    return None


def _patches(
    reader: ComponentReader, inside: list[_Inside], outside: list[_Outside]
) -> Iterator[_Finding]:
    setters: dict[str, list[_Outside]] = {}
    for other in outside:
        if other.effect.kind == "patch":
            setters.setdefault(other.effect.name, []).append(other)
    if not setters:
        return
    uses = _Uses(reader)
    own = [i for i in inside if i.effect.kind == "patch"]
    for name, others in setters.items():
        effect = others[0].effect
        after = min(o.position for o in others)
        use = _mention(reader, effect, after)
        severity = "error"
        if use is None and effect.library:
            # not named here: it matters where the package itself uses what is replaced
            use = uses.first((effect.library,), after)
            severity = "warning" if effect.matters else "note"
        if use is None:
            continue
        its_own = [i.position for i in own if i.effect.target == effect.target]
        felt = [
            o
            for o in others
            if o.position < use.position
            and not any(o.position < at <= use.position for at in its_own)
        ]
        if felt:
            yield "NBC112", name, use.site, _statements(felt), {"severity": severity}


def _mention(reader: ComponentReader, patch: Effect, after: int) -> _Use | None:
    """The first place below ``after`` that names what is patched, as an attribute or by an import."""
    attribute = patch.target.rsplit(".", 1)[-1]
    last = reader.last_position()
    if not patch.library and not _knows_class(reader, patch.target.split(".")[0]):
        return None
    for run in reader.blocks:
        position = min(run.position, last)
        if position <= after:
            continue
        node = run.block.attributes.get(attribute)
        if node is None:
            node = next((b.node for b in run.block.binds if b.attribute == attribute), None)
        if node is not None:
            return _Use(run.site or Site(run.cell, node), position)
    return None


def _knows_class(reader: ComponentReader, name: str) -> bool:
    return name in reader.bound or name in reader.reads


# files


def _files(
    reader: ComponentReader, inside: list[_Inside], outside: list[_Outside]
) -> Iterator[_Finding]:
    outside_writes = [o for o in outside if o.effect.kind == "write"]
    touching = [
        item
        for item in (*inside, *_imported_files(reader, outside_writes))
        if item.effect.kind in _TOUCHING
    ]
    if not touching:
        return
    outside_folders = [o for o in outside if o.effect.kind == "folder"]
    own_writes = [i for i in inside if i.effect.kind in ("write", "folder")]
    own_index = PathIndex([i.effect.target for i in own_writes])
    written_index = PathIndex([o.effect.target for o in outside_writes])
    folder_index = PathIndex([o.effect.target for o in outside_folders])
    declared = PathIndex([normal_path(path) for path in reader.declared.paths])
    fetched = _fetched_where_missing(reader) if own_writes else frozenset()
    found: set[str] = set()
    reported: set[str] = set()
    for item in touching:
        effect = item.effect
        target = effect.target
        if target in found:
            continue
        if effect.name.startswith(_DEVICES) or _included(declared, target, effect.kind):
            continue
        if effect.kind in ("read", "look"):
            its_own = [
                i
                for i in map(own_writes.__getitem__, own_index.near(target))
                if i.order < item.order and _covers(i.effect, effect)
            ]
            since = max((i.position for i in its_own), default=-1)
            near = map(outside_writes.__getitem__, written_index.near(target))
            others = [o for o in near if _covers(o.effect, effect)]
            if not others:
                folders = map(outside_folders.__getitem__, folder_index.near(target))
                others = [o for o in folders if o.effect.target == target]
            if its_own:
                others = [o for o in others if since < o.position < item.position]
            if others and all(map(_fetches_missing, _statements(others))):
                relative = _relative(reader, target)
                if relative["what"] == "shipped":  # It is there, so nothing was fetched.
                    found.add(target)
                    yield "NBC109", effect.name, item.site, [], relative
                    continue
            if others:
                found.add(target)
                script = any(o.effect.target.endswith(".py") for o in others)
                details = {"what": "written", "script": script}
                yield "NBC109", effect.name, item.site, _statements(others), details
                continue
            if not its_own and effect.kind == "look" and reader.beside.kind(target) == "file":
                relative = _relative(reader, target)
                if relative["what"] == "shipped":  # So that it is there here too.
                    found.add(target)
                    yield "NBC109", effect.name, item.site, [], relative
            if its_own and target in fetched:  # It is there, so nothing was fetched.
                relative = _relative(reader, target)
                if relative["what"] == "shipped":
                    found.add(target)
                    yield "NBC109", effect.name, item.site, [], relative
            if its_own or effect.kind == "look":
                continue
        if _is_command(item) or target.startswith("\0"):
            continue  # a word of a shell line may be anything: only a file that a cell writes counts
        if target in reported:
            continue
        made = list(map(outside_folders.__getitem__, folder_index.near(target)))
        its_own = list(map(own_writes.__getitem__, own_index.near(target)))
        finding = _own_path(reader, item, made, its_own)
        if finding is not None:
            reported.add(target)
            yield finding


_TOUCHING = frozenset({"read", "look", "write", "folder", "mention"})


def _own_path(
    reader: ComponentReader,
    item: _Inside,
    folders: list[_Outside],
    own_writes: list[_Inside],
) -> _Finding | None:
    """A path that the component reads or writes and that no cell makes: absolute, relative, undeclared.

    ``folders`` and ``own_writes``: those of other cells and its own that may have to do with the path.
    """
    effect = item.effect
    absolute = not is_relative(effect.name)
    if effect.kind == "mention":
        written = any(i.effect.target == effect.target for i in own_writes)
        if absolute or written or reader.beside.kind(effect.target) != "file":
            return None
        return "NBC109", effect.name, item.site, [], _relative(reader, effect.target)
    if effect.kind in ("write", "folder"):
        made = [o for o in folders if effect.target.startswith(o.effect.target + "/")]
        if made and not any(
            i.effect.kind == "folder" and effect.target.startswith(i.effect.target + "/")
            for i in own_writes
        ):
            details: dict[str, object] = {"what": "folder", "severity": "warning"}
            return "NBC109", effect.name, item.site, _statements(made), details
        if effect.kind == "folder" and absolute:
            return None
        details = {"what": "absolute", "severity": "warning"} if absolute else {"what": "output"}
        return "NBC109", effect.name, item.site, [], details
    if absolute:
        return "NBC109", effect.name, item.site, [], {"what": "absolute"}
    return "NBC109", effect.name, item.site, [], _relative(reader, effect.target)


def _imported_files(reader: ComponentReader, writes: list[_Outside]) -> Iterator[_Inside]:
    """Modules that the component imports and another cell writes (``%%writefile helpers.py``)."""
    scripts = {o.effect.target for o in writes if o.effect.target.endswith(".py")}
    if not scripts:
        return
    last = reader.last_position()
    for run in reader.blocks:
        for module, node in run.block.modules.items():
            path = module.lstrip(".").replace(".", "/")
            for target in (f"{path}.py", f"{path}/__init__.py"):
                if target in scripts:
                    effect = Effect("read", target, node, target=target)
                    site = run.site or Site(run.cell, node)
                    yield _Inside(effect, site, 0, min(run.position, last))


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


def _fetches_missing(statement: Statement) -> bool:
    """Whether the statement writes only what is missing (``if not exists(name): !wget ...``)."""
    tests = (n.test for n in ast.walk(statement.node) if isinstance(n, (ast.If, ast.IfExp)))
    calls = (n for test in tests for n in ast.walk(test) if isinstance(n, ast.Call))
    names = {(dotted(call.func) or ("",))[-1] for call in calls}
    return bool(names & {"exists", "isfile", "is_file"})


_WHERE_MISSING = re.compile(
    r"(?:\[\s+-[ef]\s+|\btest\s+-[ef]\s+)([^\s;|&\]]+)(?:\s+\])?\s*\|\|"
    r"|(?:\[\s+!\s+-[ef]\s+|\btest\s+!\s+-[ef]\s+)([^\s;|&\]]+)(?:\s+\])?\s*&&"
)
"""``[ -e data.csv ] || curl ...``, ``test ! -f data.csv && wget ...``"""


def _fetched_where_missing(reader: ComponentReader) -> frozenset[str]:
    """Files that shell lines of the notebook make only where they are not there."""
    texts = (
        text
        for code in reader.tagged.code.values()
        for magic in code.magics
        for text in (magic.argument, magic.body or "")
        if "-e " in text or "-f " in text
    )
    matches = (match for text in texts for match in _WHERE_MISSING.finditer(text))
    return frozenset(normal_path((m[1] or m[2]).strip("'\"")) for m in matches)


_COMMAND_NAMES = frozenset(command.rsplit(".", 1)[-1] for command in COMMANDS)


def _is_command(item: _Inside) -> bool:
    """Whether a path is a word of a shell line."""
    node = item.effect.node
    chain = dotted(node.func) if isinstance(node, ast.Call) else None
    if chain is None:
        return False
    return chain == (PLACEHOLDER,) or chain[-1] in _COMMAND_NAMES


def _covers(written: Effect, read: Effect) -> bool:
    """Whether what is read can be what was written: the same file, one in a folder, a pattern."""
    one, other = written.target, read.target
    if one == other:
        return True
    if one.startswith("\0") or other.startswith("\0") or written.kind == "folder":
        return False
    if other in (".", ""):
        return is_relative(one) and "/" not in one
    if one.startswith(other.rstrip("/") + "/") or other.startswith(one.rstrip("/") + "/"):
        return True
    return ("*" in other and fnmatch.fnmatchcase(one, other)) or (
        "*" in one and fnmatch.fnmatchcase(other, one)
    )


def _included(declared: PathIndex, path: str, kind: str) -> bool:
    """Whether the interface covers a path; making the folder that a declared path stands in is fine."""
    return declared.has_at_or_above(path) or (
        kind in ("write", "folder") and declared.has_below(path)
    )


# dynamic names and IPython syntax


def _dynamic(reader: ComponentReader, report: Callable[..., None]) -> None:
    for run in reader.blocks:
        if run.block.dynamic:
            for name, node in run.block.dynamic:
                report("NBC107", name, run.site or Site(run.cell, node), (), dynamic=True)


def _magics(reader: ComponentReader, report: Callable[..., None]) -> None:
    seen: set[tuple[int, int]] = set()
    for run in reader.blocks:
        code = reader.tagged.code.get(run.cell) if run.block.magics else None
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
                report("NBC111", name, site, (), reason=treated.reason, way_out=treated.way_out)
            elif treated.kind == "drop" and treated.noted:
                report(
                    "NBC111", name, site, (), reason=treated.reason, way_out=treated.way_out,
                    severity="warning",
                )  # fmt: skip
