"""All that ``check`` says of one notebook: declarations, analysis, and what follows from both.

What a component reads is known only after the analysis: a parameter that is offered to all goes to the
components that read it, an input finds the output that it comes from, values that cross (``--boundary
auto``) become an output there and an input here, and a declaration without effect is a finding.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from nbcomponent.analysis.beside import NOTHING_BESIDE, Beside, Kind
from nbcomponent.analysis.model import (
    Boundary,
    ComponentAnalysis,
    Crossing,
    Dependency,
    NotebookAnalysis,
)
from nbcomponent.contract.declare import Declarations, declare
from nbcomponent.contract.model import Format, Interface, Port
from nbcomponent.contract.names import argument_names, rename_reason
from nbcomponent.contract.written import NO_CONTRACT, Contract
from nbcomponent.core.diagnostics import (
    FILE_START,
    Diagnostic,
    Fix,
    Place,
    Severity,
    in_reading_order,
)
from nbcomponent.core.files import read_regular
from nbcomponent.notebook.model import TaggedNotebook

if TYPE_CHECKING:
    from nbcomponent.analysis.import_path import ImportRoot
    from nbcomponent.contract.argparse_interface import ScriptInterface
    from nbcomponent.notebook.included import Inclusions


@dataclass(frozen=True, slots=True)
class Examination:
    """One notebook as ``check`` and ``export`` see it.

    ``interfaces`` has every component in the order of their first cell. ``diagnostics`` are all
    findings, those about tags and cells included, in reading order. ``scripts`` gives, for a component
    that a ``%%writefile`` cell holds, how each argument is passed. ``inclusions``: ``tagged`` has the code of
    other files in place of ``%run`` lines; the places of findings and dependencies are those of the file.
    ``import_roots``: folders outside the notebook's that its code imports from. ``made_outputs``: the
    outputs (component and variable) that ``--boundary auto`` made, in a format of its choice.
    """

    tagged: TaggedNotebook
    interfaces: dict[str, Interface]
    analysis: NotebookAnalysis
    diagnostics: tuple[Diagnostic, ...]
    scripts: Mapping[str, ScriptInterface]
    inclusions: Inclusions | None = None
    import_roots: tuple[ImportRoot, ...] = ()
    made_outputs: frozenset[tuple[str, str]] = frozenset()

    @property
    def written(self) -> TaggedNotebook:
        """The notebook as its file has it: what places and lines in reports are about."""
        return self.tagged if self.inclusions is None else self.inclusions.written

    def place(self, place: Place) -> Place:
        """A place in ``tagged`` as one in the file."""
        return place if self.inclusions is None else self.inclusions.place(place)


def examine(tagged: TaggedNotebook, boundary: Boundary = "strict") -> Examination:
    """Declarations, analysis and their findings for one notebook. Runs nothing."""
    from nbcomponent.analysis.analyse import analyse

    beside = (
        _beside(Path(tagged.notebook.path).parent)
        if tagged.notebook.path != "-"
        else NOTHING_BESIDE
    )
    inclusions: Inclusions | None = None
    if tagged.component_cells and any(
        magic.name == "run" for code in tagged.code.values() for magic in code.magics
    ):
        from nbcomponent.notebook.included import include

        tagged, inclusions = include(tagged, beside.text)
    roots: tuple[ImportRoot, ...] = ()
    if any("sys.path" in c.source or "addsitedir" in c.source for c in tagged.notebook.cells):
        from nbcomponent.analysis.import_path import import_roots

        trees = [code.tree for code in tagged.code.values() if code.tree is not None]
        roots = import_roots(trees, beside)
        beside = replace(beside, roots=tuple(root.path for root in roots))
    declarations = declare(tagged)
    analysis = analyse(tagged, declarations.declared, boundary, beside=beside)
    found = replace(complete(tagged, declarations, analysis), import_roots=roots)
    return found if inclusions is None else _in_the_file(found, inclusions)


def _in_the_file(found: Examination, inclusions: Inclusions) -> Examination:
    """The examination with the places that its findings and dependencies have in the notebook's file."""
    components = tuple(
        replace(
            component, dependencies=tuple(_moved(d, inclusions) for d in component.dependencies)
        )
        for component in found.analysis.components
    )
    diagnostics = (*map(inclusions.diagnostic, found.diagnostics), *inclusions.notes)
    return replace(
        found,
        analysis=replace(found.analysis, components=components),
        diagnostics=in_reading_order(diagnostics),
        inclusions=inclusions,
    )


def _moved(dependency: Dependency, inclusions: Inclusions) -> Dependency:
    line, column = dependency.line, dependency.column
    place = inclusions.place(Place(dependency.cell, line, column, line, column))
    return replace(dependency, line=place.line, column=place.column)


_LARGEST_MODULE = 2_000_000


def _beside(folder: Path) -> Beside:
    def kind(path: str) -> Kind:
        try:
            place = folder / path
            return "file" if place.is_file() else "folder" if place.is_dir() else ""
        except (OSError, ValueError):
            return ""

    def text(path: str) -> str | None:
        try:
            return read_regular(folder / path, _LARGEST_MODULE).decode(errors="replace")
        except OSError:
            return None

    return Beside(kind, text)


def complete(
    tagged: TaggedNotebook, declarations: Declarations, analysis: NotebookAnalysis
) -> Examination:
    """The examination that follows from ``declarations`` and ``analysis``."""
    work = _Completion(tagged, declarations, analysis)
    interfaces = work.interfaces()
    diagnostics = in_reading_order(
        (
            *tagged.diagnostics,
            *declarations.diagnostics,
            *analysis.diagnostics,
            *(work.with_what_is_meant(d) for c in analysis.components for d in c.diagnostics),
            *work.diagnostics,
        )
    )
    return Examination(
        tagged,
        interfaces,
        analysis,
        diagnostics,
        declarations.scripts,
        made_outputs=frozenset(work.made_outputs),
    )


def place_of_use(component: ComponentAnalysis, name: str) -> Place | None:
    """Where a component first uses a name that comes from outside, None where it does not."""
    for dependency in component.dependencies:
        if dependency.name == name:
            return component.place_of_use(dependency)
    return None


def format_of(value_type: str | None) -> Format:
    """The format that stores a value of this dotted type and gives the same value back."""
    if value_type is None:
        return "pickle"
    if value_type in _FORMATS:
        return _FORMATS[value_type]
    return "joblib" if value_type.partition(".")[0] in _JOBLIB_PACKAGES else "pickle"


_FORMATS: dict[str, Format] = {
    "DataFrame": "parquet",
    "pandas.DataFrame": "parquet",
    "pandas.core.frame.DataFrame": "parquet",
    "ndarray": "npy",
    "numpy.ndarray": "npy",
    "dict": "json",
    "list": "json",
    "int": "json",
    "float": "json",
    "bool": "json",
    "str": "text",
}
_JOBLIB_PACKAGES = frozenset(("sklearn", "imblearn", "lightgbm", "xgboost", "catboost"))


def _why_not_plain(crossing: Crossing) -> str:
    """Why a value crosses in a format that only Python reads."""
    if not crossing.value_type and crossing.exact:
        return "its type is not known"
    name = (crossing.value_type or "").removeprefix("builtins.")
    known = f"its type {name}" if name else "its type"
    if not crossing.exact:
        plain = format_of(crossing.value_type)
        return f"{known} may hold what {plain} does not give back as it was"
    if (
        name != crossing.value_type
    ):  # the analysis calls a list `builtins.list` where json would change it
        return f"{known} may hold more than json gives back as it was"
    return f"{known} has no plainer format"


def _has_arguments(interface: Interface) -> bool:
    return bool(interface.parameters or interface.inputs or interface.outputs)


class _Completion:
    """Completes the interfaces step by step; each step takes what the one before has made."""

    def __init__(
        self, tagged: TaggedNotebook, declarations: Declarations, analysis: NotebookAnalysis
    ) -> None:
        self._tagged = tagged
        self._declarations = declarations
        self._components = {component.name: component for component in analysis.components}
        self._crossings = [c for component in analysis.components for c in component.crossings]
        self._misnamed: dict[tuple[str, str], tuple[str, Place]] = {}
        self.diagnostics: list[Diagnostic] = []
        self.made_outputs: set[tuple[str, str]] = set()

    def interfaces(self) -> dict[str, Interface]:
        made = {
            name: self._narrowed(interface)
            for name, interface in self._declarations.interfaces.items()
        }
        self._unread_offers(made)
        for crossing in self._crossings:
            self._cross(made, crossing)
        made = {
            name: self._renamed(interface) if _has_arguments(interface) else interface
            for name, interface in made.items()
        }
        made = {
            name: self._wired(interface, made) if interface.inputs else interface
            for name, interface in made.items()
        }
        self._cycles(made)
        for interface in made.values():
            self._check_ports(interface)
        return made

    # Findings and places

    def _report(
        self,
        code: str,
        severity: Severity,
        message: str,
        place: Place,
        component: str | None,
        fix: Fix | None = None,
    ) -> None:
        self.diagnostics.append(
            Diagnostic(code, severity, message, place, component=component, fix=fix)
        )

    def _contract(self, component: str) -> Contract:
        return self._declarations.contracts.get(component, NO_CONTRACT)

    def _place(self, component: str, section: str, name: str) -> Place:
        place = self._declarations.places.get((component, section, name))
        if place is not None:
            return place
        cells = self._tagged.component_cells.get(component)
        return Place(cells[0], 1, 1, 1, 1) if cells else FILE_START

    # Names that are misspelt: what reads nothing, and what nothing defines, are one mistake

    def _is_misnamed(self, component: str, name: str, place: Place) -> bool:
        """Whether the component misses a name so like ``name``, which it does not read, that it is meant."""
        analysis = self._components[component]
        missing = [d.name for d in analysis.dependencies if d.diagnostic in ("NBC101", "NBC102")]
        meant = _nearest(name, missing)
        if meant is not None:
            self._misnamed[component, meant] = (name, place)
        return meant is not None

    def with_what_is_meant(self, diagnostic: Diagnostic) -> Diagnostic:
        """A finding about a missing name, with the declaration in which it is probably misspelt."""
        if diagnostic.code not in ("NBC101", "NBC102") or diagnostic.component is None:
            return diagnostic
        found = self._misnamed.get((diagnostic.component, diagnostic.name or ""))
        if found is None:
            return diagnostic
        declared, place = found
        title = (
            f"write `{diagnostic.name}` in cell {place.cell}, line {place.line}, which declares "
            f"`{declared}`, or `{declared}` here"
        )
        return replace(diagnostic, fix=Fix(title, "edit"))

    # Which declarations a component uses

    def _narrowed(self, interface: Interface) -> Interface:
        """Offered parameters and data that the component does not read are not part of it."""
        component = interface.component
        analysis = self._components.get(component)
        if (
            analysis is None
            or component in self._declarations.scripts
            or not _has_arguments(interface)
        ):
            return interface
        offered = self._declarations.offered.get(component, frozenset())
        parameters = [
            parameter
            for parameter in interface.parameters
            if self._keeps(analysis, "parameters", parameter.name, offered)
        ]
        inputs = [
            port
            for port in interface.inputs
            if self._keeps(analysis, "inputs", port.variable, offered)
        ]
        for port in interface.outputs:
            self._check_output(analysis, port)
        return replace(interface, parameters=tuple(parameters), inputs=tuple(inputs))

    def _keeps(
        self, analysis: ComponentAnalysis, section: str, name: str, offered: frozenset[str]
    ) -> bool:
        """Whether a declared name stays; one that has no effect is a finding."""
        needed = any(dependency.name == name for dependency in analysis.dependencies)
        if needed:
            return True
        if name in analysis.reads and name in analysis.binds:
            what = "parameter" if section == "parameters" else "input"
            self._report(
                "NBC241",
                "warning",
                f"{analysis.name} gives {name} a value of its own before it reads it, so the {what} "
                "has no effect; remove that assignment or the declaration",
                self._place(analysis.name, section, name),
                analysis.name,
            )
            return name not in offered
        if name in analysis.reads:
            return True
        if name in offered:
            return False
        if self._is_misnamed(analysis.name, name, self._place(analysis.name, section, name)):
            return True
        code, what = ("NBC240", "parameter") if section == "parameters" else ("NBC242", "input")
        self._report(
            code,
            "warning",
            f"nothing in {analysis.name} reads the {what} {name}; remove it, or use it",
            self._place(analysis.name, section, name),
            analysis.name,
        )
        return True

    def _check_output(self, analysis: ComponentAnalysis, port: Port) -> None:
        name, place = port.variable, self._place(analysis.name, "outputs", port.variable)
        needed = any(dependency.name == name for dependency in analysis.dependencies)
        if not port.binds_path:
            if name not in analysis.binds and not needed:
                meant = _nearest(name, analysis.binds)
                self._report(
                    "NBC243",
                    "error",
                    f"{analysis.name} never gives the output {name} a value; "
                    + (
                        f"did you mean {meant}?"
                        if meant
                        else "assign it in one of its cells, or remove the output"
                    ),
                    place,
                    analysis.name,
                )
        elif needed:
            return
        elif name in analysis.binds:
            is_path = name in self._declarations.path_variables
            if not is_path and self._contract(analysis.name).is_broken("outputs", name):
                return  # what is written there may be the format
            self._report(
                "NBC241" if is_path else "NBC226",
                "error",
                f"{analysis.name} gives {name} a path of its own, so what it writes does not reach "
                f"the output; declare `{name}: Path` in a parameters cell instead"
                if is_path
                else f"{name} is no path, so the output must say how its value is stored: "
                "add format (parquet, npy, json, text, joblib)",
                place,
                analysis.name,
            )
        else:
            self._report(
                "NBC243",
                "error",
                f"nothing in {analysis.name} uses the path {name}, so nothing is written to the "
                "output; write to it, or remove the output",
                place,
                analysis.name,
            )

    def _unread_offers(self, made: Mapping[str, Interface]) -> None:
        """An offered parameter that no component took and none overwrites: a run cannot feel it."""
        if not self._components:
            return
        used = {
            name
            for interface in made.values()
            for name in (
                *(parameter.name for parameter in interface.parameters),
                *(port.variable for port in (*interface.inputs, *interface.outputs)),
            )
        }
        told = {(d.code, d.place) for d in self.diagnostics}
        seen: set[str] = set()
        for component, names in self._declarations.offered.items():
            for section in ("parameters", "inputs"):
                for name in sorted(names - used - seen):
                    place = self._declarations.places.get((component, section, name))
                    if place is None or ("NBC241", place) in told:
                        continue
                    seen.add(name)
                    if any(self._is_misnamed(other, name, place) for other in self._components):
                        continue
                    what = "parameter" if section == "parameters" else "path"
                    self._report(
                        "NBC240",
                        "warning",
                        f"no component reads the {what} {name}; remove it, or use it",
                        place,
                        None,
                    )

    # Values that cross

    def _cross(self, made: dict[str, Interface], crossing: Crossing) -> None:
        producer, consumer = made.get(crossing.producer), made.get(crossing.consumer)
        if producer is None or consumer is None:
            return
        output = _by_variable(producer.outputs, crossing.name)
        if output is None:
            output = self._new_output(crossing)
            self.made_outputs.add((crossing.producer, crossing.name))
            made[crossing.producer] = replace(producer, outputs=(*producer.outputs, output))
            consumer = made[crossing.consumer]
        source = f"{crossing.producer}.{crossing.name}"
        known = _by_variable(consumer.inputs, crossing.name)
        if known is not None:
            inputs = tuple(
                replace(port, source=port.source or source) if port is known else port
                for port in consumer.inputs
            )
        else:
            port = replace(output, source=source, description=None, default=None)
            inputs = (*consumer.inputs, port)
        made[crossing.consumer] = replace(consumer, inputs=inputs)

    def _new_output(self, crossing: Crossing) -> Port:
        format_ = format_of(crossing.value_type) if crossing.exact else "pickle"
        if format_ in ("pickle", "joblib"):
            self._report(
                "NBC244",
                "warning",
                f"{crossing.name} goes from {crossing.producer} to {crossing.consumer} as "
                f"{format_}, since {_why_not_plain(crossing)}; both need "
                "the same libraries in the same versions",
                self._place_of_use(crossing),
                crossing.consumer,
                Fix(f"declare {crossing.name} under outputs with a format", "declare-output"),
            )
        return Port(
            name=crossing.name,
            variable=crossing.name,
            type="uri_file",
            binds_path=False,
            format=format_,
        )

    def _place_of_use(self, crossing: Crossing) -> Place:
        place = place_of_use(self._components[crossing.consumer], crossing.name)
        return place or self._place(crossing.consumer, "inputs", crossing.name)

    # Names of arguments

    def _renamed(self, interface: Interface) -> Interface:
        """Arguments with names that Azure ML accepts; each renaming is a note."""
        component = interface.component
        both = {p.variable for p in interface.inputs} & {p.variable for p in interface.outputs}
        declared = {
            port.variable
            for port in interface.inputs
            if (component, "inputs", port.variable) in self._declarations.places
        }
        wanted: list[tuple[str, str, str]] = []
        for parameter in interface.parameters:
            wanted.append(("parameters", parameter.name, parameter.name))
        taken = {parameter.name for parameter in interface.parameters}
        for section, ports in (("inputs", interface.inputs), ("outputs", interface.outputs)):
            for port in ports:
                name = port.variable
                if name in both and section == ("outputs" if name in declared else "inputs"):
                    name += "_out" if section == "outputs" else "_in"
                elif name in taken:
                    name += "_in" if section == "inputs" else "_out"
                wanted.append((section, port.variable, name))
        given = argument_names([name for _, _, name in wanted])
        arguments = {
            (section, variable): argument
            for (section, variable, _), argument in zip(wanted, given, strict=True)
        }
        renamed: dict[str, str] = {}
        for (section, variable, name), argument in zip(wanted, given, strict=True):
            if argument == name:
                continue
            if section == "parameters" or variable not in both:
                renamed[variable] = argument
            self._report(
                "NBC223",
                "note",
                f"{variable} is called {argument} as an argument of {component}: "
                f"{rename_reason(name)}",
                self._place(component, section, variable),
                component,
            )
        return replace(
            interface,
            inputs=tuple(
                replace(p, name=arguments["inputs", p.variable]) for p in interface.inputs
            ),
            outputs=tuple(
                replace(p, name=arguments["outputs", p.variable]) for p in interface.outputs
            ),
            renamed=renamed,
            checkpoint=_with_output_name(interface, arguments),
            smoke={
                section: (
                    {arguments.get((section, name), name): value for name, value in said.items()}
                    if isinstance(said, Mapping)
                    else said
                )
                for section, said in interface.smoke.items()
            },
        )

    # Where inputs come from

    def _wired(self, interface: Interface, made: Mapping[str, Interface]) -> Interface:
        """Inputs with the output that they come from: as ``from`` says, else of the same variable."""
        inputs = []
        for port in interface.inputs:
            if port.source is None:
                inputs.append(self._from_earlier(interface.component, port, made))
            else:
                inputs.append(self._from_stated(interface.component, port, made))
        return replace(interface, inputs=tuple(inputs))

    def _from_earlier(self, component: str, port: Port, made: Mapping[str, Interface]) -> Port:
        """The last component before this one that has an output of the same variable."""
        if component in self._declarations.scripts:
            return port
        names = list(made)
        for producer in reversed(names[: names.index(component)]):
            if producer in self._declarations.scripts:
                continue
            output = _by_variable(made[producer].outputs, port.variable)
            if output is not None:
                return self._taking(component, port, producer, output)
        return port

    def _from_stated(self, component: str, port: Port, made: Mapping[str, Interface]) -> Port:
        assert port.source is not None
        producer, dot, name = port.source.partition(".")
        place = self._contract(component).place("inputs", port.variable, "from")
        problem: str | None = None
        if not dot or not producer or not name or "." in name:
            problem = f"from: {port.source!r} is not of the form component.output"
        elif producer == component:
            problem = f"{component} takes its input {port.variable} from itself"
        elif producer not in made:
            problem = f"from: {port.source} names no component of this notebook (it has {', '.join(made)})"
        elif self._runs_later(producer, component):
            problem = (
                f"{port.variable} comes from {producer}, whose cells all stand below those of "
                f"{component}"
            )
        if problem is not None:
            self._report("NBC220", "error", problem, place, component)
            return replace(port, source=None)
        outputs = made[producer].outputs
        output = _by_variable(outputs, name) or next((o for o in outputs if o.name == name), None)
        if output is None:
            listed = ", ".join(o.variable for o in outputs) or "none"
            self._report(
                "NBC220",
                "error",
                f"{producer} has no output {name} (its outputs: {listed})",
                place,
                component,
                Fix(f"list {name} under outputs of {producer}", "declare-output"),
            )
            return replace(port, source=None)
        return self._taking(component, port, producer, output)

    def _runs_later(self, producer: str, component: str) -> bool:
        cells = self._tagged.component_cells
        return min(cells[producer]) > max(cells[component])

    def _taking(self, component: str, port: Port, producer: str, output: Port) -> Port:
        """The input with the type and format of its source, where it does not say its own."""
        contract = self._contract(component)
        says = {
            key for key in ("type", "format") if ("inputs", port.variable, key) in contract.stated
        }
        source = f"{producer}.{output.name}"
        if "type" in says and port.type != output.type:
            self._report(
                "NBC220",
                "error",
                f"{port.variable} is a {port.type}, but {source} is a {output.type}",
                contract.place("inputs", port.variable, "type"),
                component,
            )
        if "format" in says and output.format is not None and port.format != output.format:
            self._report(
                "NBC226",
                "error",
                f"{port.variable} has the format {port.format}, but {source} is stored as "
                f"{output.format}",
                contract.place("inputs", port.variable, "format"),
                component,
            )
        format_ = port.format if "format" in says else output.format
        is_path = (
            port.variable in self._declarations.path_variables
            or component in self._declarations.scripts
            or (port.binds_path and port.default is not None)
        )
        return replace(
            port,
            source=source,
            type=port.type if "type" in says else output.type,
            format=format_,
            binds_path=is_path or (format_ is None or (output.binds_path and "format" not in says)),
        )

    def _cycles(self, made: dict[str, Interface]) -> None:
        """Inputs that close a circle lose their source; each circle is one finding."""
        if any(interface.inputs for interface in made.values()):
            state: dict[str, str] = {}
            for component in list(made):
                if component not in state:
                    self._visit(component, made, state)

    def _visit(self, component: str, made: dict[str, Interface], state: dict[str, str]) -> None:
        state[component] = "open"
        for port in made[component].inputs:
            producer = (port.source or "").partition(".")[0]
            if not producer:
                continue
            if state.get(producer) == "open":
                self._report(
                    "NBC220",
                    "error",
                    f"{component} needs {port.source}, but {producer} needs what {component} "
                    "makes: the components form a circle",
                    self._contract(component).place("inputs", port.variable, "from"),
                    component,
                )
                made[component] = _without_source(made[component], port)
            elif producer not in state:
                self._visit(producer, made, state)
        state[component] = "done"

    # Data as a whole

    def _check_ports(self, interface: Interface) -> None:
        contract = self._contract(interface.component)
        if not contract.stated:
            return
        from nbcomponent.contract.rules import port_problems

        for section, ports in (("inputs", interface.inputs), ("outputs", interface.outputs)):
            for port in ports:
                path = (section, port.variable)
                if path not in contract.stated or any(
                    contract.is_broken(*path, key) for key in ("type", "format")
                ):
                    continue
                for code, message, at in port_problems(replace(port, name=port.variable)):
                    place = contract.place(*path, *at)
                    self._report(code, "error", message, place, interface.component)


def _nearest(name: str, names: Iterable[str]) -> str | None:
    """The name that differs from ``name`` by a slip of the hand; None where there is none."""
    from difflib import get_close_matches  # only where something is wrong

    close = get_close_matches(name, sorted(names), 1, 0.8)
    return close[0] if close else None


def _by_variable(ports: Iterable[Port], variable: str) -> Port | None:
    return next((port for port in ports if port.variable == variable), None)


def _without_source(interface: Interface, port: Port) -> Interface:
    inputs = tuple(replace(p, source=None) if p == port else p for p in interface.inputs)
    return replace(interface, inputs=inputs)


def _with_output_name(
    interface: Interface, arguments: Mapping[tuple[str, str], str]
) -> Mapping[str, object]:
    output = interface.checkpoint.get("output")
    if not isinstance(output, str):
        return interface.checkpoint
    return {**interface.checkpoint, "output": arguments.get(("outputs", output), output)}
