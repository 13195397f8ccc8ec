"""From an examined notebook to the files of its exported folder.

Nothing is written here: :mod:`nbcomponent.export.write` puts the files in their place.
"""

from __future__ import annotations

import ast
import hashlib
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path, PurePosixPath

from nbcomponent.analysis.import_path import import_folders
from nbcomponent.analysis.model import ComponentAnalysis, Crossing
from nbcomponent.contract.document import contract_yaml
from nbcomponent.contract.examine import Examination
from nbcomponent.contract.model import Interface, Port
from nbcomponent.core.diagnostics import Diagnostic, Fix, Place, in_reading_order
from nbcomponent.core.errors import unusable
from nbcomponent.core.files import read_regular, resolved
from nbcomponent.core.trees import walk
from nbcomponent.export.component_yaml import LEGAL_VERSION, component_yaml
from nbcomponent.export.distributions import installed
from nbcomponent.export.environment import (
    Requirement,
    Versions,
    implied_modules,
    requirements_of,
    resolve,
)
from nbcomponent.export.local_modules import (
    Imported,
    Shipped,
    data_of_modules,
    imports_of,
    is_local,
    is_regular,
    merged,
    ship_included,
    ship_modules,
)
from nbcomponent.export.lock import Lock, lock_bytes, lock_path, read_lock
from nbcomponent.export.pipeline_yaml import pipeline_yaml
from nbcomponent.export.plain import Untranslatable
from nbcomponent.export.script import Script, script_name, write_script
from nbcomponent.export.serialisers import usable_formats
from nbcomponent.export.skeleton import FORMAT_MODULES
from nbcomponent.notebook.magics import treatment
from nbcomponent.notebook.model import Roles, TaggedNotebook
from nbcomponent.schema.yaml_places import dump


@dataclass(frozen=True, slots=True)
class Taken:
    """Something that a component has from elsewhere. ``how``: ``import``, ``definition``, ``constant``
    (carried over), ``sliced``, ``parameter``, ``input``. ``cells``: where it is defined.
    """

    name: str
    how: str
    cells: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """What export resolved for one component. ``modules`` and ``included`` are shipped files."""

    component: str
    version: str
    taken: tuple[Taken, ...]
    materialised: tuple[str, ...]
    modules: tuple[str, ...]
    included: tuple[str, ...]
    renamed: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Export:
    """The exported folder of one notebook.

    ``stem`` is the folder's name. ``files`` maps POSIX paths relative to it to contents; it is empty
    where an error blocks. ``lock`` is the new content of the lock file at ``lock_file``, None where
    nothing changes. ``diagnostics`` are those of the examination and of the export.
    """

    stem: str
    files: Mapping[str, bytes]
    diagnostics: tuple[Diagnostic, ...]
    listings: tuple[Listing, ...]
    lock_file: Path
    lock: bytes | None

    @property
    def blocked(self) -> bool:
        """Whether an error keeps this notebook from being exported."""
        return any(d.severity == "error" for d in self.diagnostics)


_SURROGATE = re.compile("[\ud800-\udfff]")  # how Python shows bytes of a name that are no text


def build(
    examination: Examination,
    *,
    out_folder: Path | None = None,
    findings: Sequence[Diagnostic] | None = None,
    refresh_lock: bool = False,
) -> Export:
    """The export of an examined notebook.

    ``out_folder`` is where the exported folder ``<stem>/`` will stand: data beside the notebook are
    named relative to it. ``findings`` replaces the examination's diagnostics (less ignored ones).
    ``refresh_lock`` takes all versions from the notebook's environment again.

    Raises :class:`nbcomponent.core.errors.UnusableInput` where the lock file cannot be used.
    """
    tagged = examination.tagged
    notebook = Path(tagged.notebook.path)
    folder = notebook.parent
    if _SURROGATE.search(notebook.name):
        raise unusable(
            str(notebook),
            "NBC962",
            "the notebook's name is not UTF-8 text, so nothing can be named after it; rename the file",
        )
    found = list(examination.diagnostics if findings is None else findings)
    lock_file = lock_path(notebook)
    if any(d.severity == "error" for d in found):
        return Export(notebook.stem, {}, in_reading_order(found), (), lock_file, None)
    former = read_lock(lock_file)
    kernel = tagged.notebook.kernel
    versions = Versions(Lock() if refresh_lock else former, lambda: installed(kernel))
    interfaces, changed = usable_formats(examination, versions)
    found += [replace(d, place=examination.place(d.place)) for d in changed]
    work = _Build(examination, interfaces, folder, notebook.name, versions, found)
    with warnings.catch_warnings():
        # What Python warns of in the cells' code (`assert (a, b)`) is not ours to print.
        warnings.simplefilter("ignore", SyntaxWarning)
        warnings.simplefilter("ignore", DeprecationWarning)
        for component in examination.analysis.components:
            work.component(component)
    if work.files:
        beside = _beside(folder, (out_folder or folder) / notebook.stem)
        data = pipeline_yaml(list(work.built.values()), name=notebook.stem, notebook_folder=beside)
        work.files["pipeline.yml"] = dump(data).encode()
    diagnostics = in_reading_order(work.diagnostics)
    if any(d.severity == "error" for d in diagnostics):
        return Export(notebook.stem, {}, diagnostics, (), lock_file, None)
    new_lock = lock_bytes(versions.locked()) if work.files else None
    return Export(
        notebook.stem,
        dict(sorted(work.files.items())),
        diagnostics,
        tuple(work.listings),
        lock_file,
        new_lock if new_lock is not None and new_lock != _bytes_of(lock_file) else None,
    )


def as_whole(tagged: TaggedNotebook, name: str) -> TaggedNotebook:
    """An untagged notebook as one component ``name`` (``--whole``): every cell that could be tagged.

    Cells with other roles keep them. A notebook that has components is returned as it is.
    """
    if tagged.component_cells:
        return tagged
    roles = list(tagged.roles)
    cells = []
    for cell, role in zip(tagged.notebook.cells, tagged.roles, strict=True):
        if cell.kind != "code" or role != Roles() or not cell.source.strip():
            continue
        code = tagged.code.get(cell.index)
        if code is None or code.tree is None:
            continue
        roles[cell.index] = Roles(components=(name,))
        cells.append(cell.index)
    return replace(
        tagged, roles=tuple(roles), component_cells={name: tuple(cells)} if cells else {}
    )


def _bytes_of(path: Path) -> bytes | None:
    try:
        return read_regular(path)
    except OSError:
        return None


def _beside(folder: Path, out: Path) -> str:
    """The notebook's folder as seen from the exported one."""
    import os

    try:
        return PurePosixPath(Path(os.path.relpath(resolved(folder), resolved(out)))).as_posix()
    except OSError:  # Links in a circle: writing there will say so.
        return folder.absolute().as_posix()
    except ValueError:  # Another drive.
        return folder.resolve().as_posix()


@dataclass
class _Build:
    examination: Examination
    interfaces: Mapping[str, Interface]
    folder: Path
    notebook: str
    versions: Versions
    diagnostics: list[Diagnostic]
    files: dict[str, bytes] = field(default_factory=dict)
    listings: list[Listing] = field(default_factory=list)
    built: dict[str, Interface] = field(default_factory=dict)
    imports: dict[str, tuple[Imported, ...]] = field(default_factory=dict)
    local: dict[str, bool] = field(default_factory=dict)

    @cached_property
    def crossings(self) -> Mapping[str, Sequence[Crossing]]:
        """For each component the values that it hands over or is given."""
        found: dict[str, list[Crossing]] = {}
        for component in self.examination.analysis.components:
            for crossing in component.crossings:
                for name in {crossing.producer, crossing.consumer}:
                    found.setdefault(name, []).append(crossing)
        return found

    @cached_property
    def installing(self) -> Sequence[int]:
        """The cells with install lines."""
        code = self.examination.tagged.code
        return [
            cell.index
            for cell in self.examination.tagged.notebook.cells
            if cell.index in code
            and any(treatment(m).kind == "environment" for m in code[cell.index].magics)
        ]

    def component(self, analysis: ComponentAnalysis) -> None:
        name = analysis.name
        interface = self.interfaces[name]
        code = self._code(analysis, interface)
        if code is None:
            return
        trees = code.trees
        imports = [*self._imports(trees, interface), *map(Imported, code.modules)]
        shipped = self._modules(imports, trees)
        beside = (
            *analysis.files,
            *data_of_modules(self.folder, shipped.files),
            *(self._downloaded(trees) if self.examination.analysis.boundary == "auto" else ()),
        )
        included = ship_included(self.folder, (*interface.include, *beside))
        imports = [*shipped.imports, *_imports_in(included, shipped)]
        attributes = {n.attr for t in trees for n in walk(t) if isinstance(n, ast.Attribute)}
        imports += implied_modules(attributes, {i.module for i in imports})
        # With the modules that are shipped: what is pickled here may need them wherever it is loaded.
        self.imports[name] = (*imports, *map(Imported, sorted(shipped.modules)))
        resolved = resolve(interface, imports, self._requirements(name), self.versions, self.folder)
        found = (*shipped.diagnostics, *included.diagnostics)
        self.diagnostics += [replace(d, component=name) for d in found]
        self.diagnostics += resolved.diagnostics
        files = {script_name(name): code.text.encode(), **code.companions}
        if resolved.conda is not None:
            files["conda.yml"] = resolved.conda
        for path, data in (*shipped.files.items(), *included.files.items()):
            if path in (*files, "component.yml", "contract.yml") and files.get(path) != data:
                self._clash(name, path)
            files[path] = data
        version = self._version(interface, files, resolved.environment)
        interface = replace(interface, version=version)
        self.built[name] = interface
        files["component.yml"] = dump(self._yaml(interface, version, resolved.environment)).encode()
        files["contract.yml"] = dump(contract_yaml(interface)).encode()
        self.files |= {f"{name}/{path}": data for path, data in files.items()}
        self.listings.append(_listing(analysis, interface, version, shipped, included))

    def _code(self, analysis: ComponentAnalysis, interface: Interface) -> Script | None:
        """The component's script; None where a finding tells why there is none."""
        body = _written_script(self.examination.tagged, analysis)
        if body is not None:
            try:
                return Script(script_name(analysis.name), body, (), tuple(ast.parse(body).body))
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return None  # the finding about the cell blocks the export
        if self._refused_by_python(analysis):
            return None
        crossings = self.crossings.get(analysis.name, ())
        crossing = {c.name for c in crossings if c.producer == analysis.name}
        exact = frozenset(p.name for p in interface.outputs if p.variable in crossing)
        tables = frozenset(
            c.name for c in crossings if c.exact and c.value_type == "pandas.DataFrame"
        )
        try:
            return write_script(
                self.examination.tagged,
                analysis,
                interface,
                exact,
                tables,
                is_local=self._is_local,
                has_tables=lambda trees: self._has_tables(trees, interface),
            )
        except Untranslatable as error:
            cell = analysis.cells[0]
            self.diagnostics.append(
                Diagnostic(
                    "NBC111",
                    "error",
                    str(error),
                    Place(cell, 1, 1, 1, 1),
                    component=analysis.name,
                    fix=Fix("write it in Python", "edit"),
                )
            )
            return None

    def _is_local(self, module: str) -> bool:
        if module not in self.local:
            self.local[module] = is_local(self.folder, module)
        return self.local[module]

    def _imports(self, trees: Sequence[ast.stmt], interface: Interface) -> list[Imported]:
        """What the component's code imports, and what its stored values need."""
        producers = [i for port in interface.inputs for i in self._of_producer(port)]
        return [*imports_of(trees), *_stored(interface), *producers]

    def _modules(self, imports: Sequence[Imported], trees: Sequence[ast.stmt]) -> Shipped:
        """The modules beside the notebook and in the folders that ``sys.path`` names, to go with it.

        Those from outside the notebook's folder stand beside the script, where Python looks first; a
        module that a package brings is left to it, unless the folder was put before the packages.
        """
        shipped = ship_modules(self.folder, imports, import_folders(trees))
        for root in self.examination.import_roots:
            folder = self.folder / root.path
            wanted = [
                i
                for i in shipped.imports
                if (root.first and is_regular(folder, i.module))
                or self.versions.distribution(i.module) is None
            ]
            more = ship_modules(folder, wanted, behind_python=not root.first)
            if more.files:
                data = ship_included(folder, data_of_modules(folder, more.files))
                shipped = merged(
                    shipped, more, data, [i for i in shipped.imports if i not in wanted]
                )
        return shipped

    def _has_tables(self, trees: Sequence[ast.stmt], interface: Interface) -> bool:
        """Whether pandas may print something, and no module beside the notebook tells it how."""
        imports = self._imports(trees, interface)
        shipped = self._modules(imports, trees)
        if any(b"max_columns" in data for data in shipped.files.values()):
            return False
        found = {i.module.partition(".")[0] for i in (*imports, *shipped.imports) if not i.optional}
        return bool(found & _BRING_PANDAS)

    def _downloaded(self, trees: Sequence[ast.stmt]) -> list[str]:
        """Files beside the notebook that its code fetches from a URL where they are missing."""
        urls: list[str] = []
        for node in (n for tree in trees for n in walk(tree)):
            if isinstance(node, (ast.Constant, ast.BinOp, ast.JoinedStr)):
                texts = [n.value for n in walk(node) if isinstance(n, ast.Constant)]
                # Of `"https://host/" + "folder/file.csv"` the last part has the name.
                urls += _URL.findall("".join(t for t in texts if isinstance(t, str)))
        names = dict.fromkeys(url.split("?")[0].rpartition("/")[2] for url in urls)
        return [n for n in names if n not in ("", ".", "..") and (self.folder / n).is_file()]

    def _refused_by_python(self, analysis: ComponentAnalysis) -> bool:
        """Find what parses but does not compile: ``break`` outside a loop, ``return`` in a cell."""
        found = False
        for index in analysis.cells:
            tree = self.examination.tagged.code[index].tree
            assert tree is not None
            try:
                flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
                compile(tree, f"cell {index}", "exec", flags, dont_inherit=True)
            except (SyntaxError, ValueError) as error:
                line = getattr(error, "lineno", None) or 1
                reason = error.msg if isinstance(error, SyntaxError) else str(error)
                found = True
                self.diagnostics.append(
                    Diagnostic(
                        "NBC903",
                        "error",
                        f"cell {index}, line {line} is not Python: {reason}",
                        self.examination.place(Place(index, line, 1, line, 1)),
                        component=analysis.name,
                        fix=Fix("correct the cell; in the notebook it does not run either", "edit"),
                    )
                )
        return found

    def _of_producer(self, port: Port) -> Iterable[Imported]:
        """What loading a pickled value needs: all that its maker imports."""
        if port.binds_path or port.format not in ("pickle", "joblib") or port.source is None:
            return ()
        return self.imports.get(port.source.partition(".")[0], ())

    def _requirements(self, component: str) -> list[Requirement]:
        tagged = self.examination.tagged
        cells = [
            index
            for index in self.installing
            for role in [tagged.roles[index]]
            if not role.skip and (not role.components or component in role.components)
        ]
        found = requirements_of(tagged, cells, self.folder)
        return [replace(r, place=self.examination.place(r.place)) for r in found]

    def _yaml(
        self, interface: Interface, version: str, environment: Mapping[str, object] | str
    ) -> dict[str, object]:
        script = self.examination.scripts.get(interface.component)
        return component_yaml(
            interface,
            script=script_name(interface.component),
            version=version,
            environment=environment,
            notebook=self.notebook,
            passing=None if script is None else script.options,
        )

    def _version(
        self,
        interface: Interface,
        files: Mapping[str, bytes],
        environment: Mapping[str, object] | str,
    ) -> str:
        """The contract's version, else one that says interface, code and environment."""
        if interface.version is not None and LEGAL_VERSION.fullmatch(interface.version):
            return interface.version
        digest = hashlib.sha256(dump(self._yaml(interface, "", environment)).encode())
        digest.update(dump(contract_yaml(replace(interface, version=None))).encode())
        for path in sorted(files):
            digest.update(f"\0{path}\0{len(files[path])}\0".encode())
            digest.update(files[path])
        return f"auto-{digest.hexdigest()[:16]}"

    def _clash(self, component: str, path: str) -> None:
        self.diagnostics.append(
            Diagnostic(
                "NBC308",
                "error",
                f"{path} cannot be shipped with {component}: the export writes a file of that name itself",
                Place(self.examination.tagged.component_cells[component][0], 1, 1, 1, 1),
                component=component,
                fix=Fix(f"rename {path}", "edit"),
            )
        )


_URL = re.compile(r"https?://[^\s'\"<>|;]+")

_BRING_PANDAS = frozenset({"pandas", "geopandas", "seaborn", "statsmodels", "empiricaldist"})
"""Packages whose values are tables or are printed as such."""


def _stored(interface: Interface) -> list[Imported]:
    """Libraries that the formats of stored values and checked tables need."""
    found = []
    for port in (*interface.inputs, *interface.outputs):
        is_table = bool(port.columns)
        if port.format is not None and (is_table or not port.binds_path):
            found += [Imported(module) for module in FORMAT_MODULES[port.format]]
        elif is_table and any(f.endswith(".parquet") for f in (*port.files, port.default or "")):
            found.append(Imported("pyarrow"))
    return found


def _imports_in(included: Shipped, shipped: Shipped) -> list[Imported]:
    """What included Python files import from outside."""
    found: list[Imported] = []
    local = {PurePosixPath(path).parts[0].removesuffix(".py") for path in included.files}
    for path, data in included.files.items():
        if path.endswith(".py"):
            try:
                found += imports_of([ast.parse(data)])
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue  # It may be no module that is ever imported.
    local |= shipped.modules
    return [i for i in found if i.module.partition(".")[0] not in local]


def _written_script(tagged: TaggedNotebook, analysis: ComponentAnalysis) -> str | None:
    """The body of the ``%%writefile`` cell that is the component, None where cells are."""
    for index in analysis.cells:
        if tagged.roles[index].writes_script is not None:
            return tagged.code[index].magics[0].body or ""
    return None


def _listing(
    analysis: ComponentAnalysis,
    interface: Interface,
    version: str,
    shipped: Shipped,
    included: Shipped,
) -> Listing:
    taken = tuple(
        Taken(d.name, d.resolution, d.defined_in)
        for d in analysis.dependencies
        if d.resolution != "hidden"
    )
    materialised = tuple(sorted({f"{c.producer}.{c.name}" for c in analysis.crossings}))
    return Listing(
        analysis.name,
        version,
        taken,
        materialised,
        tuple(shipped.files),
        tuple(included.files),
        dict(interface.renamed),
    )
