"""A component's environment: from imports and install lines to a pinned conda.yml and an image.

Software and hardware stay separate: conda.yml says which packages in which versions, the image and
the compute say on what they run. Where the two cannot fit, NBC304 says so.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from nbcomponent.contract.model import Interface
from nbcomponent.core.diagnostics import FILE_START, Diagnostic, Fix, Place, Severity
from nbcomponent.core.files import read_regular, resolved
from nbcomponent.export.distributions import SAME_NAME, WELL_KNOWN, Installed, normal
from nbcomponent.export.local_modules import Imported
from nbcomponent.export.lock import Lock
from nbcomponent.notebook.magics import treatment
from nbcomponent.notebook.model import TaggedNotebook
from nbcomponent.schema.yaml_places import YamlError, decode_yaml, dump, parse_yaml

CPU_IMAGE = "mcr.microsoft.com/azureml/openmpi5.0-ubuntu24.04:20260901.v1"
"""Azure ML's own base image for CPUs, by a dated tag: it never changes under the component."""

GPU_IMAGE = "mcr.microsoft.com/azureml/openmpi5.0-cuda12.4-ubuntu22.04:20260715.v1"
"""The same with CUDA 12.4."""

_GPU_SIZE = re.compile(r"(?i)standard_n[cdvg]")
_CUDA_PACKAGE = re.compile(
    r"(?i)(cupy-cuda\w*|nvidia-\w[\w-]*|onnxruntime-gpu|tensorflow-gpu|.*-cu1\d+)\Z"
)
_REQUIREMENT = re.compile(
    r"\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(\[[^\]]*\])?\s*([^;@]*?)\s*(;.*)?\Z",
    re.DOTALL,
)
_PIN = re.compile(r"===?\s*([A-Za-z0-9][\w.!+-]*)\Z")
_CONDA_PIN = re.compile(r"==?\s*([A-Za-z0-9][\w.!+-]*)(?:=[\w.]+)?\Z")
_METHODS = {
    "read_parquet": "pyarrow",
    "to_parquet": "pyarrow",
    "read_feather": "pyarrow",
    "to_feather": "pyarrow",
    "read_excel": "openpyxl",
    "to_excel": "openpyxl",
    "read_hdf": "tables",
    "to_hdf": "tables",
}
"""Methods of pandas that need a library which the code does not import."""

_TORCH = frozenset({"torch", "torchvision", "torchaudio"})


@dataclass(frozen=True, slots=True)
class Requirement:
    """One thing to install. ``text`` as written; ``pin`` the exact version it asks for."""

    text: str
    name: str | None
    extras: str = ""
    pin: str | None = None
    manager: str = "pip"
    place: Place = FILE_START


@dataclass(frozen=True, slots=True)
class Resolved:
    """The environment of one component.

    ``conda`` are the bytes of conda.yml, None where the contract refers to an environment asset.
    ``environment`` is what component.yml says. ``imports`` and ``packages`` are what was looked up.
    """

    conda: bytes | None
    environment: dict[str, object] | str
    packages: Mapping[str, str]
    diagnostics: tuple[Diagnostic, ...]


@dataclass
class Versions:
    """Versions from the lock, and from the notebook's environment where the lock says nothing.

    The environment is only looked at when it is needed. ``lock`` grows by what was looked up.
    """

    lock: Lock
    look: Callable[[], Installed]
    imports: dict[str, str] = field(default_factory=dict)
    packages: dict[str, str] = field(default_factory=dict)
    absent: set[str] = field(default_factory=set)
    _installed: Installed | None = None

    def __post_init__(self) -> None:
        self.imports = dict(self.lock.imports)
        self.packages = dict(self.lock.packages)
        self.absent = set(self.lock.absent)

    @property
    def installed(self) -> Installed:
        if self._installed is None:
            self._installed = self.look()
        return self._installed

    def python(self) -> str:
        """The Python version, ``3.11``."""
        return self.lock.python or self.installed.python

    def distribution(self, module: str) -> str | None:
        """The distribution of a dotted module, None where nobody knows it."""
        root = module.partition(".")[0]
        for known in (module, root):
            if known in self.imports:
                return self.imports[known]
        found = self.installed.distribution(module)
        name = found.name if found else WELL_KNOWN.get(root)
        if name is None and root in SAME_NAME:
            name = root
        if name is not None and found is not None:
            self.imports[root] = name
        return name

    def version(self, distribution: str) -> str | None:
        """The version of a distribution, None where neither lock nor environment has it."""
        known = {normal(name): version for name, version in self.packages.items()}
        if normal(distribution) in known:
            return known[normal(distribution)]
        version = self.installed.version(distribution)
        if version is not None:
            self.packages[distribution] = version
        return version

    def has(self, distribution: str) -> bool:
        """Whether there is a distribution that the export may do without.

        That it is absent goes into the lock too, so that another machine decides likewise.
        """
        if distribution in self.absent:
            return False
        if self.version(distribution) is None:
            self.absent.add(distribution)
            return False
        return True

    def locked(self) -> Lock:
        """The lock with everything that was looked up."""
        return Lock(self.python(), self.imports, self.packages, tuple(sorted(self.absent)))


_NO_TEXT = re.compile("[\0\ud800-\udfff]")
"""What JSON can hold and no file of requirements can."""


def requirements_of(
    tagged: TaggedNotebook, cells: Iterable[int], folder: Path
) -> list[Requirement]:
    """What the install lines of these cells ask for, files of requirements beside the notebook read."""
    found: list[Requirement] = []
    for index in cells:
        code = tagged.code.get(index)
        for magic in code.magics if code else ():
            told = treatment(magic)
            if told.kind != "environment" or told.manager not in ("pip", "conda"):
                continue
            place = Place(index, magic.line, magic.column, magic.line, magic.column + 1)
            for text in told.requirements:
                found.append(parse_requirement(text, told.manager, place))
            for name in told.requirement_files:
                found += _requirement_file(folder, name, place)
    return found


def _requirement_file(folder: Path, name: str, place: Place) -> list[Requirement]:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        return []
    try:
        text = read_regular(folder / path).decode()
    except (OSError, ValueError):
        return [Requirement(f"-r {name}", None, place=place)]
    lines = (re.sub(r"(^|\s)#.*", "", line).strip() for line in text.splitlines())
    return [
        parse_requirement(line, "pip", place) for line in lines if line and not line.startswith("-")
    ]


def parse_requirement(text: str, manager: str = "pip", place: Place = FILE_START) -> Requirement:
    """One requirement as people write it: ``numpy``, ``numpy>=1.26``, ``x[all]==1``, a URL."""
    plain = _NO_TEXT.sub("\ufffd", text).strip().strip("\"'")
    if "::" in plain:
        plain = plain.partition("::")[2]
    match = _REQUIREMENT.match(plain)
    if match is None or "://" in plain or plain.startswith(("-e ", ".", "/")):
        name = re.match(r"([A-Za-z0-9][\w.-]*)\s*@", plain)
        return Requirement(plain, name[1] if name else None, manager=manager, place=place)
    pin = (_CONDA_PIN if manager == "conda" else _PIN).match(match[3].strip())
    version = pin[1] if pin and not pin[1].endswith("*") and "*" not in match[3] else None
    return Requirement(plain, match[1], match[2] or "", version, manager, place)


def resolve(
    interface: Interface,
    imports: Sequence[Imported],
    requirements: Sequence[Requirement],
    versions: Versions,
    folder: Path,
) -> Resolved:
    """The environment of the component that ``interface`` describes.

    ``imports`` are all modules that its script and the local modules import; ``requirements`` come
    from install lines; ``folder`` is the notebook's, for a conda file that the contract names.
    """
    work = _Resolution(interface, versions)
    wanted = interface.environment
    image = wanted.image or work.image()
    if image.startswith("azureml:"):
        return Resolved(None, image, {}, ())
    needed = work.needed(imports)
    if wanted.conda is not None:
        conda = work.given_conda(folder, wanted.conda, needed)
    else:
        conda = work.conda(needed, requirements)
    work.check_image(image)
    environment: dict[str, object] = {"image": image, "conda_file": "conda.yml"}
    return Resolved(conda, environment, work.pinned, tuple(work.diagnostics))


@dataclass
class _Resolution:
    interface: Interface
    versions: Versions
    pinned: dict[str, str] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def say(
        self,
        code: str,
        severity: Severity,
        message: str,
        place: Place = FILE_START,
        fix: str | None = None,
    ) -> None:
        self.diagnostics.append(
            Diagnostic(
                code,
                severity,
                message,
                place,
                component=self.interface.component,
                fix=Fix(fix, "edit") if fix else None,
            )
        )

    def needed(self, imports: Sequence[Imported]) -> dict[str, str]:
        """Distributions that bring the imported modules, each with one of these modules."""
        found: dict[str, str] = {}
        unknown: set[str] = set()
        for imported in imports:
            root = imported.module.partition(".")[0]
            if root in sys.stdlib_module_names or root == "__future__":
                continue
            name = self.versions.distribution(imported.module)
            if name is not None:
                if imported.optional and self.versions.version(name) is None:
                    continue
                found.setdefault(name, root)
            elif not imported.optional and root not in unknown:
                unknown.add(root)
                self.say(
                    "NBC301",
                    "warning",
                    f"no installed package brings the module {root} that {self.interface.component} imports, "
                    "so its environment lacks it",
                    fix=f"install what brings {root} where the notebook runs, or add a %pip install line",
                )
        return found

    def conda(self, needed: Mapping[str, str], requirements: Sequence[Requirement]) -> bytes:
        pip: dict[str, str] = {}
        conda: dict[str, str] = {}
        options: list[str] = []
        asked: dict[str, Requirement] = {}
        others: list[str] = []
        for requirement in requirements:
            if requirement.name is None:
                self._unnamed(requirement, others)
                continue
            key = normal(requirement.name)
            former = asked.get(key)
            if former and former.pin and requirement.pin and former.pin != requirement.pin:
                self.say(
                    "NBC303",
                    "error",
                    f"{requirement.name} is asked for in version {former.pin} and in version {requirement.pin}",
                    requirement.place,
                    "ask for one version",
                )
            if former is None or former.pin is None:
                asked[key] = requirement
        names = {normal(name): name for name in needed}
        for key, requirement in asked.items():
            name = names.pop(key, requirement.name or key)
            if "://" in requirement.text:
                self._unnamed(requirement, others)
                continue
            version = self._version(name, requirement)
            text = f"{name}{requirement.extras}"
            if requirement.manager == "conda":
                conda[key] = f"{name}={version}" if version else requirement.text
            else:
                pip[key] = f"{text}=={version}" if version else requirement.text
        for key, name in names.items():
            version = self._version(name, None, needed[name])
            pip[key] = f"{name}=={version}" if version else name
        for key in sorted(pip):
            local = re.search(r"\+(cpu|cu\d+|rocm[\d.]+)\Z", pip[key])
            if local and key in _TORCH:
                options = [f"--extra-index-url https://download.pytorch.org/whl/{local[1]}"]
        dependencies: list[object] = [f"python={self.versions.python()}"]
        dependencies += [conda[key] for key in sorted(conda)]
        lines = [*options, *(pip[key] for key in sorted(pip)), *others]
        if lines:
            version = self.versions.version("pip")
            dependencies += [f"pip={version}" if version else "pip", {"pip": lines}]
        return dump(
            {
                "name": self.interface.component,
                "channels": ["conda-forge"],
                "dependencies": dependencies,
            }
        ).encode()

    def _unnamed(self, requirement: Requirement, others: list[str]) -> None:
        text = requirement.text
        if text in others:
            return
        others.append(text)
        if not re.search(
            r"@[0-9a-f]{7,40}\b|@v?\d[\w.]*\b|#sha256=|-\d+(\.\d+)+[\w.+-]*\.(whl|tar\.gz|zip)",
            text,
        ):
            self.say(
                "NBC302",
                "warning",
                f"{text} names no version, so what it installs can change",
                requirement.place,
                "add a commit or a version",
            )

    def _version(
        self, name: str, requirement: Requirement | None, module: str | None = None
    ) -> str | None:
        known = self.versions.version(name)
        place = requirement.place if requirement else FILE_START
        if requirement is not None and requirement.pin is not None:
            if known is not None and known.partition("+")[0] != requirement.pin.partition("+")[0]:
                self.say(
                    "NBC303",
                    "warning",
                    f"the cell asks for {name} {requirement.pin}, but the notebook's environment has {known}; "
                    f"conda.yml takes {requirement.pin}",
                    place,
                    "run the notebook again with the version that it asks for",
                )
            known = requirement.pin
        if known is None:
            what = (
                f"the module {module} needs"
                if module and normal(module) != normal(name)
                else "it needs"
            )
            self.say(
                "NBC302",
                "warning",
                f"{self.interface.component}: {what} {name}, which is not installed where the notebook runs, "
                "so its version is not known",
                place,
                f"install {name}, or ask for a version: %pip install {name}==...",
            )
            return None
        if known.endswith("+cpu") and self.on_gpu():
            self.say(
                "NBC304",
                "warning",
                f"{name} {known} is a build without CUDA, but {self.interface.component} runs on "
                f"{self.interface.compute.get('instance_type')}; conda.yml takes {known.partition('+')[0]}",
                place,
            )
            known = known.partition("+")[0]
        self.pinned[name] = known
        return known

    def given_conda(self, folder: Path, name: str, needed: Mapping[str, str]) -> bytes | None:
        """The conda file that the contract names, checked against what the component imports."""
        path = PurePosixPath(name.replace("\\", "/"))
        full = folder / path
        try:
            if path.is_absolute() or not resolved(full).is_relative_to(resolved(folder)):
                raise FileNotFoundError(name)
            data = read_regular(full)
            document = parse_yaml(decode_yaml(data)).data
        except (OSError, YamlError) as error:
            reason = (
                str(error)
                if isinstance(error, YamlError)
                else "there is no such file beside the notebook"
            )
            self.say(
                "NBC305",
                "error",
                f"the conda file {name} cannot be used: {reason}",
                fix="correct the path",
            )
            return None
        listed = _listed(document)
        for distribution, module in needed.items():
            if normal(distribution) not in listed:
                self.say(
                    "NBC302",
                    "warning",
                    f"{self.interface.component} imports {module}, but {name} does not list {distribution}",
                    fix=f"add {distribution} to {name}",
                )
        return data

    def on_gpu(self) -> bool:
        """Whether the contract names a machine with GPUs."""
        return bool(_GPU_SIZE.match(str(self.interface.compute.get("instance_type", ""))))

    def image(self) -> str:
        return GPU_IMAGE if self.on_gpu() else CPU_IMAGE

    def check_image(self, image: str) -> None:
        """Flag hardware that cannot fit the software, and an image that changes."""
        name = image.rpartition("/")[2]
        if "@sha256:" not in image and (":" not in name or name.endswith(":latest")):
            self.say(
                "NBC302",
                "warning",
                f"the image {image} has no fixed tag, so it can change",
                fix="add a dated tag or a digest",
            )
        if "cuda" in image or "gpu" in image or "nvidia" in image:
            return
        if self.on_gpu():
            self.say(
                "NBC304",
                "warning",
                f"{self.interface.component} runs on {self.interface.compute.get('instance_type')}, which has "
                f"GPUs, but the image {image} brings no CUDA",
                fix="take an image with CUDA, or a size without GPUs",
            )
            return
        for package, version in self.pinned.items():
            if _CUDA_PACKAGE.match(package) or re.search(r"\+cu\d+\Z", version):
                self.say(
                    "NBC304",
                    "warning",
                    f"{package} {version} needs CUDA, but the image {image} brings none and no compute with "
                    "GPUs is named",
                    fix="name a size with GPUs under compute, or an image with CUDA",
                )


def _listed(document: object) -> set[str]:
    found: set[str] = set()
    dependencies = document.get("dependencies") if isinstance(document, dict) else None
    for item in dependencies if isinstance(dependencies, list) else []:
        if isinstance(item, dict):
            for text in item.get("pip") or []:
                name = parse_requirement(str(text)).name
                found |= {normal(name)} if name else set()
        else:
            name = parse_requirement(str(item), "conda").name
            found |= {normal(name)} if name else set()
    return found


def implied_modules(attributes: Iterable[str], imported: Iterable[str]) -> list[Imported]:
    """Libraries that pandas needs for methods the code calls (``attributes``)."""
    if "pandas" not in imported:
        return []
    return [Imported(_METHODS[name]) for name in sorted(set(attributes) & _METHODS.keys())]
