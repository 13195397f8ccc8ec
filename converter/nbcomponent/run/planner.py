"""What a run will do, decided before anything starts: order, inputs, types, files.

A plan is made from the YAML alone; nothing is executed. All mistakes are found in one go.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from nbcomponent.core.diagnostics import Diagnostic, Fix, Place
from nbcomponent.core.errors import UnusableInput, UsageError
from nbcomponent.core.files import kind_of, resolved
from nbcomponent.run.plan import Argument, Plan, PlannedStep, Source, command_values
from nbcomponent.run.report import Finding
from nbcomponent.schema.bindings import PipelineInput, PipelineOutput, StepOutput
from nbcomponent.schema.component import CommandComponent
from nbcomponent.schema.literals import LiteralProblem, rendered
from nbcomponent.schema.pipeline import PipelineJob, Step
from nbcomponent.schema.ports import DataValue, InputSpec, InputValue, OutputSpec
from nbcomponent.schema.reading import one_of, read_yaml_file
from nbcomponent.schema.rendering import TemplateError, render

_LONGEST_COMMAND = 100_000
"""Characters. Linux takes no argument of more than 131,072 bytes."""


def make_plan(
    pipeline: PipelineJob, sets: Mapping[str, str], cwd: Path, only: str | None = None
) -> Plan:
    """Plan a run of ``pipeline``.

    ``sets`` gives values to pipeline inputs (``name``) and step inputs (``step.name``); paths in it are relative to ``cwd``.
    ``only``: plan this one step. Raises UsageError for a name in ``sets`` or ``only`` that does not exist, and for a
    value that does not fit.
    """
    return _Planner(pipeline, sets, cwd, only).plan()


_REMOTE = re.compile(r"azureml:|(?!file:)[A-Za-z][A-Za-z0-9+.-]+:(?://|/)|git\+|runs:")


class _Planner:
    def __init__(
        self, pipeline: PipelineJob, sets: Mapping[str, str], cwd: Path, only: str | None
    ) -> None:
        self._pipeline = pipeline
        self._cwd = cwd
        self._findings: list[Finding] = []
        self._steps = {step.name: step for step in pipeline.steps}
        self._inputs = {value.name: value for value in pipeline.inputs}
        if only is not None and only not in self._steps:
            raise UsageError(f"there is no step {only!r}; steps: {one_of(tuple(self._steps))}")
        self._only = only
        self._incomplete = False
        self._sets = self._resolved_sets(sets)

    def _resolved_sets(self, sets: Mapping[str, str]) -> dict[tuple[str | None, str], str]:
        """``sets`` by (step, input), the step being None for a pipeline input."""
        result: dict[tuple[str | None, str], str] = {}
        known = [*self._inputs]
        for step in self._steps.values():
            known += [f"{step.name}.{name}" for name in self._input_names(step)]
        for name, value in sets.items():
            step_name, dot, input_name = name.rpartition(".")
            if name in self._inputs:
                result[None, name] = value
            elif dot and name in known:
                result[step_name, input_name] = value
            elif self._only and f"{self._only}.{name}" in known:
                result[self._only, name] = value
            else:
                raise UsageError(
                    f"--set {name}: there is no such input; known: {', '.join(known) or 'none'}"
                )
        return result

    @staticmethod
    def _input_names(step: Step) -> tuple[str, ...]:
        if step.component is not None:
            return tuple(spec.name for spec in step.component.inputs)
        return tuple(value.name for value in step.inputs)

    def plan(self) -> Plan:
        path = str(self._pipeline.path)
        steps = [s for s in self._steps.values() if self._only in (None, s.name)]
        places = [step.place for step in self._steps.values()]
        for diagnostic in self._pipeline.problems:
            if self._only is None or not _of_another_step(
                diagnostic.place, self._only, self._steps, places
            ):
                self._findings.append(Finding(path, diagnostic))
        for component in {
            str(s.component.path): s.component for s in steps if s.component and not s.inline
        }.values():
            self._findings += [Finding(str(component.path), d) for d in component.problems]
        planned = [p for step in steps if (p := self._step(step)) is not None]
        ordered = self._ordered(planned)
        outputs = self._outputs(steps) if self._only is None else {}
        findings = tuple(dict.fromkeys(self._findings))
        return Plan(ordered, outputs, findings)

    # Steps

    def _step(self, step: Step) -> PlannedStep | None:
        component = step.component
        if component is None:
            return None
        found_before = len(self._findings)
        self._incomplete = False
        self._check_given(step, component)
        arguments = []
        given = {value.name: value for value in step.inputs}
        for spec in component.inputs:
            argument = self._argument(step, spec, given.get(spec.name))
            if argument is not None:
                arguments.append(argument)
        self._check_code(component)
        self._check_variables(step, component)
        if len(self._findings) == found_before and not self._incomplete:
            self._check_command(component, arguments)
        contract = _read_contract(component)
        notes = []
        if component.environment_variables and not step.inline:
            notes.append(
                "environment_variables of a component are dropped by Azure Machine Learning; write them on the step"
            )
        if component.distribution is not None:
            notes.append(
                f"runs as one process here; the distribution {component.distribution.type!r} is not launched"
            )
        return PlannedStep(
            name=step.name,
            component=component,
            arguments=tuple(arguments),
            outputs=tuple(self._output_spec(spec, step) for spec in component.outputs),
            needs=frozenset(
                argument.source.step
                for argument in arguments
                if argument.source is not None and argument.source.step is not None
            ),
            environment_variables={
                **contract.environment_variables,
                **component.environment_variables,
                **step.environment_variables,
            },
            metrics=contract.metrics,
            timeout=step.timeout,
            notes=tuple(notes),
        )

    def _check_given(self, step: Step, component: CommandComponent) -> None:
        """Names that the component does not have are dropped by the service without a word."""
        for value in step.inputs:
            if component.input(value.name) is None:
                known = ", ".join(spec.name for spec in component.inputs) or "none"
                self._report(
                    "NBC506",
                    f"the component of '{step.name}' has no input '{value.name}' (it has: {known})",
                    value.key,
                )
        for output in step.outputs:
            if component.output(output.name) is None:
                known = ", ".join(spec.name for spec in component.outputs) or "none"
                self._report(
                    "NBC506",
                    f"the component of '{step.name}' has no output '{output.name}' (it has: {known})",
                    output.key,
                )

    def _argument(self, step: Step, spec: InputSpec, value: InputValue | None) -> Argument | None:
        """What the input receives; None where it is not given (or, with a finding, not usable)."""
        override = self._sets.get((step.name, spec.name))
        if override is not None:
            return self._from_command_line(spec, override, f"{step.name}.{spec.name}")
        if value is not None and value.broken:
            self._incomplete = True  # reported when it was read
            return None
        shown = f"{step.name}.{spec.name}"
        place = value.place if value is not None else step.place
        if value is None or (
            value.binding is None and value.data is None and value.literal is None
        ):
            return self._missing(spec, shown, place, f"--set {shown}=...")
        if isinstance(value.binding, StepOutput):
            return self._from_step(step, spec, value.binding, place, shown)
        if isinstance(value.binding, PipelineInput):
            return self._from_pipeline(spec, value.binding, place, shown)
        if isinstance(value.binding, PipelineOutput):
            self._report("NBC503", f"{shown}: an output of the pipeline cannot be an input", place)
            return None
        return self._from_value(spec, value, shown)

    def _missing(self, spec: InputSpec, shown: str, place: Place, hint: str) -> Argument | None:
        if spec.default is not None:
            return Argument(spec, text=rendered(spec.default))
        if not spec.optional:
            self._report(
                "NBC506",
                f"the required input '{shown}' ({spec.type}) is not given",
                place,
                f"give it with {hint}",
            )
        return None

    def _from_pipeline(
        self, spec: InputSpec, binding: PipelineInput, place: Place, shown: str
    ) -> Argument | None:
        source = self._inputs.get(binding.name)
        if source is None:
            known = ", ".join(self._inputs) or "none"
            self._report(
                "NBC503",
                f"{shown}: the pipeline has no input '{binding.name}' (it has: {known})",
                place,
            )
            return None
        if source.broken:
            self._incomplete = True
            return None
        declared = source.declared
        if declared is not None and (declared.literal is None) != (spec.literal is None):
            self._report(
                "NBC503",
                f"{shown} is {spec.type}, but the pipeline's '{binding.name}' is {declared.type}",
                place,
            )
            return None
        override = self._sets.get((None, binding.name))
        if override is not None:
            if declared is not None and declared.literal is not None:
                _fit(declared, override, binding.name)
            return self._from_command_line(spec, override, binding.name)
        if source.literal is None and source.data is None:
            if source.binding is not None:
                self._report(
                    "NBC503",
                    f"the pipeline input '{binding.name}' cannot be a binding",
                    source.place,
                )
                return None
            if declared is not None and declared.default is not None:
                return self._accepted(spec, declared.default, shown, source.place)
            if declared is not None and declared.optional and not spec.required:
                return self._missing(spec, shown, place, "")
            return self._missing(
                spec,
                binding.name if spec.required else shown,
                source.place,
                f"--set {binding.name}=...",
            )
        if source.literal is not None and declared is not None and declared.literal is not None:
            try:
                declared.accept(source.literal)
            except LiteralProblem as problem:
                self._report("NBC505", f"{binding.name}: {problem}", source.place)
                return None
        return self._from_value(spec, source, shown)

    def _from_value(self, spec: InputSpec, value: InputValue, shown: str) -> Argument | None:
        if spec.literal is None:
            if value.data is None:
                self._report(
                    "NBC505",
                    f"{shown} is data ({spec.type}), but a literal is given",
                    value.place,
                    "write a mapping with type and path",
                )
                return None
            return self._local_data(spec, value.data, shown)
        if value.data is not None:
            self._report(
                "NBC505", f"{shown} is a literal ({spec.type}), but data is given", value.place
            )
            return None
        assert value.literal is not None
        return self._accepted(spec, value.literal, shown, value.place)

    def _accepted(
        self, spec: InputSpec, value: object, shown: str, place: Place
    ) -> Argument | None:
        if spec.literal is None:
            self._report("NBC503", f"{shown} is data ({spec.type}), but a literal is given", place)
            return None
        if spec.optional and value == "":
            return None  # an empty value is as good as none: it is never sent
        try:
            return Argument(spec, text=rendered(spec.accept(value)))
        except LiteralProblem as problem:
            self._report("NBC505", f"{shown}: {problem}", place)
            return None

    def _local_data(self, spec: InputSpec, data: DataValue, shown: str) -> Argument | None:
        if _REMOTE.match(data.path):
            self._report(
                "NBC502",
                f"{shown}: {data.path!r} is not on this machine",
                data.place,
                f"give a local copy with --set {shown}=PATH",
            )
            return None
        path = Path(_without_file_scheme(data.path))
        absolute = (self._pipeline.folder / path).absolute()
        problem = _data_problem(absolute, spec)
        if problem is not None:
            self._report("NBC507", f"{shown}: {data.path!r} {problem}", data.place)
            return None
        return Argument(spec, source=Source(path=absolute))

    def _from_command_line(self, spec: InputSpec, text: str, shown: str) -> Argument | None:
        if spec.literal is not None:
            if spec.optional and text == "":
                return None
            return Argument(spec, text=_fit(spec, text, shown))
        if _REMOTE.match(text):
            raise UsageError(f"--set {shown}: {text!r} is not on this machine; give a local path")
        try:
            path = (self._cwd / Path(_without_file_scheme(text)).expanduser()).absolute()
            problem = _data_problem(path, spec) if text else "is no path"
        except (ValueError, RuntimeError) as error:
            raise UsageError(f"--set {shown}: {error}") from error
        if problem is not None:
            raise UsageError(f"--set {shown}: {text!r} {problem}")
        return Argument(spec, source=Source(path=path))

    def _from_step(
        self, step: Step, spec: InputSpec, binding: StepOutput, place: Place, shown: str
    ) -> Argument | None:
        if binding.side != "outputs":
            self._report(
                "NBC503",
                f"{shown}: bind to the value itself, not to the input of '{binding.step}'",
                place,
            )
            return None
        producer = self._steps.get(binding.step)
        if producer is None:
            self._report(
                "NBC503",
                f"{shown}: there is no step '{binding.step}' (steps: {', '.join(self._steps)})",
                place,
            )
            return None
        if producer.component is not None and producer.component.output(binding.name) is None:
            known = ", ".join(o.name for o in producer.component.outputs) or "none"
            self._report(
                "NBC503",
                f"{shown}: the step '{binding.step}' has no output '{binding.name}' (it has: {known})",
                place,
            )
            return None
        if spec.literal is not None:
            self._report(
                "NBC503",
                f"{shown} is a literal ({spec.type}), but '{binding.step}.{binding.name}' is data",
                place,
            )
            return None
        if self._only is not None:
            self._report(
                "NBC506",
                f"'{shown}' comes from the step '{binding.step}', which does not run with --step",
                place,
                f"give it with --set {shown}=PATH",
            )
            return None
        return Argument(spec, source=Source(step=binding.step, output=binding.name))

    def _output_spec(self, spec: OutputSpec, step: Step) -> OutputSpec:
        """The output as the step sees it: the step, or the pipeline for an inline one, may give its type."""
        for output in step.outputs:
            if output.name != spec.name:
                continue
            kind = output.type
            if kind is None and step.inline and isinstance(output.binding, PipelineOutput):
                name = output.binding.name
                kind = next((o.type for o in self._pipeline.outputs if o.name == name), None)
            return replace(spec, type=kind or spec.type, mode=output.mode or spec.mode)
        return spec

    # Files and commands

    def _check_code(self, component: CommandComponent) -> None:
        code, path = component.code, str(component.path)
        if code is not None and code.path is None:
            self._report(
                "NBC502", f"the code {code.text!r} is not on this machine", code.place, path=path
            )
        elif code is not None and code.path is not None:
            problem = _code_problem(code.path, f"code folder {_shown(code.text)}")
            if problem is not None:
                self._report("NBC507", problem, code.place, path=path)
        for include in component.additional_includes:
            problem = _code_problem(component.folder / include, _shown(include))
            if problem is not None:
                text = f"additional_includes: {problem}"
                self._report("NBC507", text, component.place, path=path)

    def _check_variables(self, step: Step, component: CommandComponent) -> None:
        own = ((step.environment_variables, step.place, None),)
        of_component = ((component.environment_variables, component.place, str(component.path)),)
        for variables, place, path in own if step.inline else own + of_component:
            for name, value in variables.items():
                if not name or "=" in name or "\0" in name + value:
                    self._report(
                        "NBC509",
                        f"{name!r} cannot be an environment variable here",
                        place,
                        path=path,
                    )

    def _check_command(self, component: CommandComponent, arguments: Sequence[Argument]) -> None:
        """Render once with the values that are known, so that what cannot be run is refused at once."""
        if component.command.problems or any(d.code == "NBC508" for d in component.problems):
            return
        length = len(component.command.text)
        if length > _LONGEST_COMMAND:
            self._report(
                "NBC508",
                f"command: it has {length:,} characters; at most {_LONGEST_COMMAND:,} can be run",
                component.command_place,
                path=str(component.path),
            )
            return
        try:
            render(component.command, command_values(arguments, component.outputs, {}, {}))
        except TemplateError as problem:
            self._report(
                "NBC508", f"command: {problem}", component.command_place, path=str(component.path)
            )

    # Order and outputs

    def _ordered(self, steps: Sequence[PlannedStep]) -> tuple[PlannedStep, ...]:
        """Rounds of steps that need only those of the rounds before, each in the pipeline's order."""
        place = {step.name: number for number, step in enumerate(steps)}
        sorter = TopologicalSorter({step.name: step.needs & place.keys() for step in steps})
        with contextlib.suppress(CycleError):  # What is not in a circle can be had all the same.
            sorter.prepare()
        ordered: list[PlannedStep] = []
        while ready := sorted(sorter.get_ready(), key=place.__getitem__):
            ordered += [steps[place[name]] for name in ready]
            sorter.done(*ready)
        if len(ordered) == len(steps):
            return tuple(ordered)
        placed = {step.name for step in ordered}
        cycle = _cycle({step.name: step for step in steps if step.name not in placed})
        self._report(
            "NBC504",
            f"the steps wait for each other: {_chain(cycle)}",
            self._steps[cycle[0]].place,
        )
        return ()

    def _outputs(self, steps: Sequence[Step]) -> dict[str, tuple[str, str]]:
        declared = {output.name: output for output in self._pipeline.outputs}
        bound: dict[str, tuple[str, str]] = {}
        for step in steps:
            specs = step.component.outputs if step.component is not None else ()
            known_outputs = {spec.name for spec in specs}
            for output in step.outputs:
                if output.binding is None or output.name not in known_outputs:
                    continue
                if not isinstance(output.binding, PipelineOutput):
                    self._report(
                        "NBC503",
                        f"{step.name}.{output.name}: an output is bound to '${{{{parent.outputs.NAME}}}}' only",
                        output.place,
                    )
                    continue
                name = output.binding.name
                if name not in declared:
                    known = ", ".join(declared) or "none"
                    self._report(
                        "NBC503",
                        f"{step.name}.{output.name}: the pipeline has no output '{name}' (it has: {known})",
                        output.place,
                    )
                elif name in bound:
                    self._report(
                        "NBC503",
                        f"the pipeline's output '{name}' is bound twice: by '{bound[name][0]}' and '{step.name}'",
                        output.place,
                    )
                else:
                    bound[name] = (step.name, output.name)
        for name, output in declared.items():
            if name not in bound:
                self._findings.append(
                    Finding(
                        str(self._pipeline.path),
                        Diagnostic(
                            "NBC503",
                            "warning",
                            f"no step is bound to the pipeline's output '{name}'",
                            output.key,
                        ),
                    )
                )
        return bound

    def _report(
        self, code: str, message: str, place: Place, fix: str | None = None, path: str | None = None
    ) -> None:
        self._findings.append(
            Finding(
                path or str(self._pipeline.path),
                Diagnostic(code, "error", message, place, fix=Fix(fix, "edit") if fix else None),
            )
        )


def _of_another_step(
    place: Place, only: str, steps: Mapping[str, Step], places: Sequence[Place]
) -> bool:
    """Whether a finding stands in a step that will not run (steps follow each other in the file)."""
    above = [p for p in places if (p.line, p.column) <= (place.line, place.column)]
    return bool(above) and max(above, key=lambda p: (p.line, p.column)) != steps[only].place


def _fit(spec: InputSpec, text: str, shown: str) -> str:
    try:
        return rendered(spec.accept(text))
    except LiteralProblem as problem:
        raise UsageError(f"--set {shown}: {problem}") from problem


def _without_file_scheme(text: str) -> str:
    return (
        text.removeprefix("file://") if text.startswith("file:///") else text.removeprefix("file:")
    )


def _data_problem(path: Path, spec: InputSpec) -> str | None:
    """What is wrong with local data, as the end of a sentence; None for nothing."""
    kind = kind_of(path)
    wanted = "folder" if spec.type in ("uri_folder", "mltable") else "file"
    if not kind:
        return "does not exist"
    return None if kind == wanted else f"is a {kind}; a {wanted} is expected ({spec.type})"


def _code_problem(path: Path, shown: str) -> str | None:
    """Why code cannot be copied from ``path``; to copy a device would never end."""
    kind = kind_of(path)
    if not kind:
        return f"there is no {shown} beside the component"
    if kind not in ("file", "folder"):
        return f"{shown} is a {kind}"
    real = resolved(path).as_posix()
    if real == "/" or f"{real}/".startswith(("/dev/", "/proc/", "/sys/")):
        return f"{shown} is a part of the system, not of the component"
    return None


def _shown(text: str) -> str:
    """A path of any length for a message."""
    return repr(text) if len(text) <= 200 else f"{text[:100]!r}... ({len(text):,} characters)"


def _chain(names: Sequence[str]) -> str:
    """A circle of steps for a message, its middle left out where it is long."""
    if len(names) > 12:
        names = [*names[:6], f"({len(names) - 11} more)", *names[-5:]]
    return " -> ".join(names)


def _cycle(waiting: Mapping[str, PlannedStep]) -> list[str]:
    """Steps of one circle, the first again at the end."""
    path: list[str] = []
    name = next(iter(waiting))
    while name not in path:
        path.append(name)
        name = min(waiting[name].needs & waiting.keys())
    return [*path[path.index(name) :], name]


@dataclass(frozen=True, slots=True)
class _Contract:
    environment_variables: Mapping[str, str] = field(default_factory=dict)
    metrics: tuple[str, ...] = ()


def _read_contract(component: CommandComponent) -> _Contract:
    """What ``contract.yml`` beside the component says that a run needs; nothing where there is none."""
    path = component.folder / "contract.yml"
    if not path.is_file():
        return _Contract()
    try:
        file = read_yaml_file(path)
    except UnusableInput:
        return _Contract()  # `check` reports it; the component itself runs without
    return _Contract(file.texts(("environment_variables",)), tuple(file.mapping(("metrics",))))
