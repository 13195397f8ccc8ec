"""What a notebook declares of its components: parameters cells and contract cells merged.

A contract and a parameters cell may both speak of a name; what both say must agree, and the contract
adds what the line has no room for. A type that the line does not write (``rate = 1``) is only a guess
from the value, so the contract may say ``number``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from nbcomponent.analysis.model import Declared
from nbcomponent.contract.model import Interface, Parameter, Port
from nbcomponent.contract.written import NO_CONTRACT, Contract
from nbcomponent.core.diagnostics import Diagnostic, Fix, Place, Severity, in_reading_order
from nbcomponent.core.trees import walk
from nbcomponent.notebook.model import TaggedNotebook

if TYPE_CHECKING:
    from nbcomponent.contract.argparse_interface import ScriptArgument, ScriptInterface
    from nbcomponent.contract.parameters import DeclaredName, ParametersCell
    from nbcomponent.contract.values import Names

# The readers are imported where there is something for them to read: most notebooks of a batch have
# neither parameters nor contracts.


@dataclass(frozen=True, slots=True)
class Declarations:
    """What is declared, before it is known what each component reads.

    ``interfaces`` has every component, in the order of their first cell; a parameter that is offered to
    all stands in each, and ``offered`` names those. ``declared`` is what the analysis takes.
    ``contracts`` and ``places`` (by component, section and name) say where things are written;
    ``path_variables`` are the variables that hold a path; ``scripts`` the components that a
    ``%%writefile`` cell holds.
    """

    interfaces: dict[str, Interface]
    declared: dict[str, Declared]
    offered: Mapping[str, frozenset[str]] = field(default_factory=dict)
    contracts: Mapping[str, Contract] = field(default_factory=dict)
    places: Mapping[tuple[str, str, str], Place] = field(default_factory=dict)
    path_variables: frozenset[str] = frozenset()
    scripts: Mapping[str, ScriptInterface] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()


def declare(tagged: TaggedNotebook) -> Declarations:
    """Read all parameters cells, contract cells and scripts of a notebook."""
    diagnostics: list[Diagnostic] = []
    cells = list(_parameters_cells(tagged, diagnostics))
    contracts = _contracts(tagged, diagnostics)
    paths = _path_variables(tagged) if contracts else frozenset()
    interfaces: dict[str, Interface] = {}
    places: dict[tuple[str, str, str], Place] = {}
    offered: dict[str, frozenset[str]] = {}
    scripts: dict[str, ScriptInterface] = {}
    _conflicting_offers(tagged, cells, diagnostics)
    for component in tagged.component_cells:
        contract = contracts.get(component, NO_CONTRACT)
        script = _script(tagged, component, diagnostics)
        if script is not None:
            scripts[component] = script
            lines = list(_script_names(component, script, contract, diagnostics))
        else:
            lines = [
                (name, not tagged.roles[cell.cell].components)
                for cell in cells
                if component in tagged.roles[cell.cell].components
                or not tagged.roles[cell.cell].components
                for name in cell.names
            ]
        if not lines and contract is NO_CONTRACT and script is None:
            interfaces[component] = Interface(component)
            offered[component] = frozenset()
            continue
        merger = _Merger(component, contract, paths | _declared_paths(lines), script is not None)
        interfaces[component] = merger.merge([name for name, _ in lines])
        places.update(merger.places)
        diagnostics += merger.diagnostics
        own = {name.name for name, shared in lines if not shared}
        offered[component] = frozenset(
            name.name
            for name, shared in lines
            if shared and name.name not in own and not _stated(contract, name.name)
        )
    return Declarations(
        interfaces,
        {name: _for_analysis(interface) for name, interface in interfaces.items()},
        offered,
        contracts,
        places,
        paths,
        scripts,
        in_reading_order(diagnostics),
    )


def _parameters_cells(
    tagged: TaggedNotebook, diagnostics: list[Diagnostic]
) -> Iterator[ParametersCell]:
    chosen = [
        index
        for index, role in enumerate(tagged.roles)
        if role.parameters and not role.skip and index in tagged.code
    ]
    if not chosen:
        return
    from nbcomponent.contract.parameters import names_of_notebook, read_parameters

    names = names_of_notebook(tagged)
    for index in chosen:
        cell = read_parameters(tagged.notebook.cells[index], tagged.code[index], names)
        diagnostics += cell.diagnostics
        yield cell


def _conflicting_offers(
    tagged: TaggedNotebook, cells: list[ParametersCell], diagnostics: list[Diagnostic]
) -> None:
    """Two cells that declare one name differently, where both reach one component.

    In the notebook the later cell wins for every cell that runs after it; no component could show both.
    """
    for number, cell in enumerate(cells):
        mine = tagged.roles[cell.cell].components
        for former in cells[:number]:
            theirs = tagged.roles[former.cell].components
            if mine and theirs and not set(mine) & set(theirs):
                continue
            known = {name.name: name for name in former.names}
            for name in cell.names:
                other = known.get(name.name)
                if other is not None and _meaning(other) != _meaning(name):
                    diagnostics.append(
                        Diagnostic(
                            "NBC233",
                            "error",
                            f"{name.name} is declared in cell {former.cell} with another value or "
                            "type; keep one declaration, or tag each cell with its component",
                            name.place,
                            name=None,
                        )
                    )


def _meaning(name: DeclaredName) -> object:
    if name.port is not None:
        return name.port.type, name.port.default
    assert name.parameter is not None
    return name.parameter.type, name.parameter.default


def _contracts(tagged: TaggedNotebook, diagnostics: list[Diagnostic]) -> dict[str, Contract]:
    """The contract of each component; what belongs to none or stands twice is a finding."""
    contracts: dict[str, Contract] = {}
    for cell, role in zip(tagged.notebook.cells, tagged.roles, strict=True):
        if role.contract_for is None or role.skip or cell.kind == "code":
            continue
        from nbcomponent.contract.cells import read_contract_cell

        contract = read_contract_cell(cell)
        named, tag = contract.interface.component, role.contract_for
        diagnostics += [replace(d, component=tag or named or None) for d in contract.diagnostics]
        if any(d.code == "NBC210" for d in contract.diagnostics):
            continue
        if named and tag and named != tag:
            diagnostics.append(
                Diagnostic(
                    "NBC217",
                    "error",
                    f"the cell is tagged contract:{tag}, but its YAML says component: {named}",
                    contract.place("component"),
                    component=tag,
                )
            )
        component = tag or named or _only(tagged.component_cells)
        start = Place(cell.index, contract.origin + 1, 1, contract.origin + 1, 1)
        where = contract.place("component") if named else start
        if component not in tagged.component_cells:
            diagnostics.append(_unknown_component(component, tagged, where))
        elif component in contracts:
            diagnostics.append(
                Diagnostic(
                    "NBC218",
                    "error",
                    f"{component} has a contract in cell {contracts[component].cell} already; "
                    "keep one",
                    where,
                    component=component,
                )
            )
        else:
            contracts[component] = contract
    return contracts


def _only(components: Mapping[str, object]) -> str:
    return next(iter(components)) if len(components) == 1 else ""


def _unknown_component(component: str, tagged: TaggedNotebook, where: Place) -> Diagnostic:
    known = ", ".join(tagged.component_cells) or "none"
    message = (
        f"no cell is tagged component:{component}; the notebook's components: {known}"
        if component
        else f"the contract does not say its component: write `component: NAME` (known: {known})"
    )
    return Diagnostic("NBC219", "error", message, where)


def _script(
    tagged: TaggedNotebook, component: str, diagnostics: list[Diagnostic]
) -> ScriptInterface | None:
    for index in tagged.component_cells[component]:
        if not tagged.roles[index].writes_script or index not in tagged.code:
            continue
        for magic in tagged.code[index].magics:
            if magic.kind == "cell" and magic.body is not None:
                from nbcomponent.contract.argparse_interface import read_argparse

                script = read_argparse(magic.body, index, magic.line)
                diagnostics += [replace(d, component=component) for d in script.diagnostics]
                return script
    return None


def _script_names(
    component: str, script: ScriptInterface, contract: Contract, diagnostics: list[Diagnostic]
) -> Iterator[tuple[DeclaredName, bool]]:
    """A script's arguments as declarations: data by the contract or by type, else literals."""
    from nbcomponent.contract.argparse_interface import looks_like_data, looks_like_output

    interface = contract.interface
    data = {port.name for port in (*interface.inputs, *interface.outputs)}
    outputs = {port.name for port in interface.outputs}
    for argument in script.arguments:
        is_data = argument.name in data or (
            argument.is_data and argument.name not in {p.name for p in interface.parameters}
        )
        yield _script_name(argument, is_data), False
        if argument.name in data or argument.name in {p.name for p in interface.parameters}:
            continue
        if not is_data and argument.type == "string" and looks_like_data(argument.name):
            note = (
                f"{argument.name} sounds like data, but is passed as text: list it under inputs or "
                "outputs of the contract, or give it type=Path, if it is a file or folder"
            )
        elif is_data and argument.name not in outputs and looks_like_output(argument.name):
            note = (
                f"{argument.name} is taken for an input; list it under outputs of the contract if "
                "the script writes it"
            )
        else:
            continue
        diagnostics.append(Diagnostic("NBC252", "note", note, argument.place, component=component))


def _script_name(argument: ScriptArgument, is_data: bool) -> DeclaredName:
    from nbcomponent.contract.parameters import DeclaredName, data_type_of

    line = argument.place.line
    if is_data:
        path = argument.default_path
        if path is None and isinstance(argument.default, str):
            path = argument.default
        port = Port(
            name=argument.name,
            variable=argument.name,
            type=data_type_of(path),
            optional=not argument.required and path is None,
            default=path,
            description=argument.description,
            cell=argument.place.cell,
            line=line,
        )
        return DeclaredName(argument.name, argument.place, port=port)
    parameter = Parameter(
        name=argument.name,
        type=argument.type,
        default=argument.default,
        required=argument.required,
        optional=not argument.required and argument.default is None,
        min=argument.min,
        max=argument.max,
        choices=argument.choices,
        description=argument.description,
        cell=argument.place.cell,
        line=line,
    )
    return DeclaredName(
        argument.name,
        argument.place,
        parameter=parameter,
        written_type=True,
        parts=argument.parts,
    )


def _declared_paths(lines: Iterable[tuple[DeclaredName, bool]]) -> frozenset[str]:
    return frozenset(name.name for name, _ in lines if name.port is not None)


def _stated(contract: Contract, name: str) -> bool:
    return any((section, name) in contract.stated for section in SECTIONS)


SECTIONS = ("parameters", "inputs", "outputs")


class _Merger:
    """Merges the lines and the contract of one component into its interface."""

    def __init__(
        self, component: str, contract: Contract, paths: frozenset[str], is_script: bool
    ) -> None:
        self._component = component
        self._contract = contract
        self._paths = paths
        self._is_script = is_script
        self.places: dict[tuple[str, str, str], Place] = {}
        self.diagnostics: list[Diagnostic] = []

    def merge(self, lines: list[DeclaredName]) -> Interface:
        said = self._contract.interface
        self._one_role_each()
        latest = {line.name: line for line in lines}
        if self._is_script:
            self._without_argument(latest)
        parameters = {p.name: p for p in said.parameters}
        inputs = {p.name: p for p in said.inputs}
        outputs = {p.name: p for p in said.outputs}
        merged_parameters: list[Parameter] = []
        merged_inputs: list[Port] = []
        merged_outputs: list[Port] = []
        for line in latest.values():
            if line.name in outputs:
                port = self._port_with_line("outputs", outputs.pop(line.name), line)
                merged_outputs.append(port)
            elif line.name in inputs:
                port = self._port_with_line("inputs", inputs.pop(line.name), line)
                merged_inputs.append(port)
            elif line.name in parameters:
                parameter = parameters.pop(line.name)
                merged_parameters.append(self._parameter_with_line(parameter, line))
            elif line.parameter is not None:
                self._put("parameters", line.name, line.place)
                merged_parameters.append(line.parameter)
            elif line.port is not None:
                self._put("inputs", line.name, line.place)
                merged_inputs.append(line.port)
        merged_parameters += [self._contract_parameter(p) for p in parameters.values()]
        merged_inputs += [self._contract_port("inputs", p) for p in inputs.values()]
        merged_outputs += [self._contract_port("outputs", p) for p in outputs.values()]
        interface = replace(
            said,
            component=self._component,
            parameters=tuple(merged_parameters),
            inputs=tuple(merged_inputs),
            outputs=tuple(merged_outputs),
        )
        self._references(interface)
        return interface

    # Findings

    def _report(
        self,
        code: str,
        message: str,
        place: Place,
        severity: Severity = "error",
        fix: str | None = None,
    ) -> None:
        self.diagnostics.append(
            Diagnostic(
                code,
                severity,
                message,
                place,
                component=self._component,
                fix=Fix(fix, "edit") if fix else None,
            )
        )

    def _put(self, section: str, name: str, place: Place) -> None:
        self.places[(self._component, section, name)] = place

    def _says(self, section: str, name: str, key: str) -> bool:
        return (section, name, key) in self._contract.stated

    def _one_role_each(self) -> None:
        seen: dict[str, str] = {}
        for section in SECTIONS:
            for item in getattr(self._contract.interface, section):
                if item.name in seen:
                    self._report(
                        "NBC221",
                        f"{item.name} stands under {seen[item.name]} and under {section}; "
                        "one variable has one role",
                        self._contract.key_place(section, item.name),
                    )
                seen.setdefault(item.name, section)

    def _without_argument(self, lines: Mapping[str, DeclaredName]) -> None:
        for section in SECTIONS:
            for item in getattr(self._contract.interface, section):
                if item.name not in lines:
                    self._report(
                        "NBC253",
                        f"the contract lists {item.name} under {section}, but the script has no "
                        f"argument of that name; add parser.add_argument('--{item.name}', ...)",
                        self._contract.key_place(section, item.name),
                    )

    def _contradiction(self, section: str, name: str, key: str, said: object, line: object) -> None:
        self._report(
            "NBC217",
            f"the contract says {key} {_shown(said)} for {name}, but the parameters cell says "
            f"{_shown(line)}; make them agree, or write it in one place only",
            self._contract.place(section, name, key),
        )

    # Parameters

    def _contract_parameter(self, parameter: Parameter) -> Parameter:
        name = parameter.name
        self._put("parameters", name, self._contract.key_place("parameters", name))
        told = (parameter.default, parameter.min, parameter.max, parameter.choices)
        if (
            not self._says("parameters", name, "type")
            and all(item is None for item in told)
            and not self._contract.is_broken("parameters", name)
        ):
            self._report(
                "NBC230",
                f"the type of the parameter {name} is written nowhere; "
                "add type: integer, number, string or boolean",
                self._contract.key_place("parameters", name),
            )
        self._check(parameter)
        return parameter

    def _check(self, parameter: Parameter, line: DeclaredName | None = None) -> None:
        """Findings about a parameter, each where the value at fault is written."""
        from nbcomponent.contract.rules import parameter_problems

        name = parameter.name
        for code, message, path in parameter_problems(parameter):
            in_contract = line is None or self._says("parameters", name, str(path[0]))
            self._report(
                code,
                message,
                self._contract.place("parameters", name, *path)
                if in_contract or line is None
                else line.place_of(*path),
            )

    def _parameter_with_line(self, said: Parameter, line: DeclaredName) -> Parameter:
        name = said.name
        self._put("parameters", name, line.place)
        if line.parameter is None:
            self._report(
                "NBC217",
                f"{name} is a Path in its parameters cell, so it is data, but the contract lists it "
                "under parameters; move it to inputs or outputs",
                self._contract.key_place("parameters", name),
            )
            return said
        merged = line.parameter
        for key in ("type", "default", "min", "max", "choices"):
            if not self._says("parameters", name, key):
                continue
            new, old = getattr(said, key), getattr(merged, key)
            guessed = key == "type" and not line.written_type
            # `x: int | None = None` says None; a script's argument without default says nothing.
            says_none = key == "default" and merged.optional and not self._is_script
            silent = old is None and not (says_none and new is not None)
            if not guessed and not silent and not _same(new, old):
                self._contradiction("parameters", name, key, new, old)
            merged = _with(merged, key, new)
        for key in ("optional", "required"):
            if self._says("parameters", name, key) and getattr(said, key) != getattr(merged, key):
                self._contradiction(
                    "parameters", name, key, getattr(said, key), getattr(merged, key)
                )
        optional = merged.optional and not (self._is_script and merged.default is not None)
        merged = replace(
            merged,
            optional=optional,
            required=merged.default is None and not optional,
            description=said.description or merged.description,
            unit=said.unit or merged.unit,
        )
        if merged != replace(line.parameter, description=merged.description, unit=merged.unit):
            self._check(merged, line)
        return merged

    # Data

    def _contract_port(self, section: str, port: Port) -> Port:
        self._put(section, port.name, self._contract.key_place(section, port.name))
        return self._bound(port)

    def _bound(self, port: Port) -> Port:
        """A variable that holds a path receives the path, whatever format its file has."""
        binds_path = port.format is None or port.variable in self._paths or self._is_script
        return replace(port, binds_path=binds_path)

    def _port_with_line(self, section: str, said: Port, line: DeclaredName) -> Port:
        name = said.name
        self._put(section, name, line.place)
        if line.port is None:
            assert line.parameter is not None
            value = line.parameter.default
            path = repr(value) if isinstance(value, str) else '"..."'
            self._report(
                "NBC217",
                f"{name} is {_article(line.parameter.type)} in its parameters cell, but the contract "
                f"lists it under {section}; a variable that receives data is written "
                f"`{name}: Path = Path({path})`",
                self._contract.key_place(section, name),
                fix=f"write {name}: Path = Path({path})",
            )
            return self._bound(said)
        port = line.port
        if self._says(section, name, "default") and port.default is not None:
            if said.default != port.default:
                self._contradiction(section, name, "default", said.default, port.default)
        elif said.default is not None:
            port = replace(port, default=said.default)
        if self._says(section, name, "optional") and said.optional != port.optional:
            self._contradiction(section, name, "optional", said.optional, port.optional)
        kind = said.type if self._says(section, name, "type") else port.type
        if said.format is not None and not self._says(section, name, "type"):
            kind = "uri_file"
        return self._bound(
            replace(
                said,
                type=kind,
                default=port.default,
                optional=port.optional and section == "inputs",
                description=said.description or port.description,
                cell=port.cell,
                line=port.line,
            ),
        )

    # References between parts of the contract

    def _references(self, interface: Interface) -> None:
        if not (interface.checkpoint or interface.smoke):
            return
        from nbcomponent.contract.rules import value_problem

        output = interface.checkpoint.get("output")
        outputs = {port.name for port in interface.outputs}
        if isinstance(output, str) and output not in outputs:
            self._report(
                "NBC229",
                f"the checkpoint is kept in {output!r}, which is no output of "
                f"{self._component}{_known(outputs)}",
                self._contract.place("checkpoint", "output"),
            )
        inputs = {port.name for port in interface.inputs}
        parameters = {parameter.name: parameter for parameter in interface.parameters}
        for section, known in (("inputs", inputs), ("parameters", set(parameters))):
            written = interface.smoke.get(section)
            for name, value in written.items() if isinstance(written, Mapping) else ():
                if name not in known:
                    self._report(
                        "NBC229",
                        f"the smoke test sets {name!r}, which {self._component} does not have under "
                        f"{section}{_known(known)}",
                        self._contract.key_place("smoke", section, name),
                    )
                elif section == "parameters":
                    problem = value_problem(parameters[name], value, "the smoke test's value")
                    if problem is not None:
                        self._report(
                            "NBC216", problem, self._contract.place("smoke", section, name)
                        )


def _with(parameter: Parameter, key: str, value: object) -> Parameter:
    changes: dict[str, object] = {key: value}
    return replace(parameter, **changes)  # type: ignore[arg-type]


def _same(said: object, line: object) -> bool:
    if isinstance(said, bool) or isinstance(line, bool):
        return said is line
    return said == line


def _shown(value: object) -> str:
    return "nothing" if value is None else repr(value)


def _article(kind: str) -> str:
    return f"an {kind}" if kind == "integer" else f"a {kind}"


def _known(names: Iterable[str]) -> str:
    listed = ", ".join(sorted(names))
    return f" (it has {listed})" if listed else ""


_NOTHING_DECLARED = Declared()


def _for_analysis(interface: Interface) -> Declared:
    """Names for the analysis: a variable that receives a path is given from outside, output or not."""
    if interface == Interface(interface.component):
        return _NOTHING_DECLARED
    given = [port for port in interface.outputs if port.binds_path]
    ports = (*interface.inputs, *given)
    return Declared(
        parameters=frozenset(parameter.name for parameter in interface.parameters),
        inputs=frozenset(port.variable for port in ports),
        outputs=frozenset(port.variable for port in interface.outputs if not port.binds_path),
        environment_variables=frozenset(interface.environment_variables),
        paths=frozenset(
            path
            for port in (*interface.inputs, *interface.outputs)
            if port.default is not None
            for path in (port.default,)
        )
        | frozenset(interface.include),
    )


def _path_variables(tagged: TaggedNotebook) -> frozenset[str]:
    """Variables that some cell binds to a path, told from the text of the binding."""
    from nbcomponent.contract.parameters import names_of_notebook

    names = names_of_notebook(tagged)
    found: set[str] = set()
    for index in sorted(tagged.code):
        tree = tagged.code[index].tree
        for statement in walk(tree) if tree is not None else ():
            if isinstance(statement, ast.Assign) and _is_path(statement.value, names, found):
                found.update(t.id for t in statement.targets if isinstance(t, ast.Name))
            elif (
                isinstance(statement, ast.AnnAssign)
                and isinstance(statement.target, ast.Name)
                and _holds_path(statement, names, found)
            ):
                found.add(statement.target.id)
    return frozenset(found)


def _holds_path(statement: ast.AnnAssign, names: Names, known: set[str]) -> bool:
    from nbcomponent.contract.values import PATH_TYPES

    return (names.dotted(statement.annotation) or "") in PATH_TYPES or (
        statement.value is not None and _is_path(statement.value, names, known)
    )


_PATH_METHODS = frozenset(
    ("resolve", "absolute", "expanduser", "with_suffix", "with_name", "joinpath", "relative_to")
)


def _is_path(node: ast.expr, names: Names, known: set[str]) -> bool:
    if isinstance(node, ast.Name):
        return node.id in known
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return _is_path(node.left, names, known)
    if isinstance(node, ast.Attribute):
        return node.attr == "parent" and _is_path(node.value, names, known)
    if isinstance(node, ast.Call):
        from nbcomponent.contract.values import PATH_TYPES

        dotted = names.dotted(node.func) or ""
        if dotted in PATH_TYPES or dotted.removesuffix(".cwd").removesuffix(".home") in PATH_TYPES:
            return True
        return (
            isinstance(node.func, ast.Attribute)
            and node.func.attr in _PATH_METHODS
            and _is_path(node.func.value, names, known)
        )
    return False
