"""What one block of code does to, or needs from, the process and the disk around it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from nbcomponent.analysis.effect import Effect
from nbcomponent.analysis.facts import Block, NameNode
from nbcomponent.analysis.files import (
    FILE_METHODS,
    argument,
    call_effects,
    expression_text,
    is_url,
    method_effects,
    normal_path,
    touches_files,
)
from nbcomponent.analysis.library.options import (
    ASKING,
    DISPLAY_OPTIONS,
    OPTION_CALL,
    OPTION_CONTAINERS,
    OPTION_OBJECTS,
    OPTION_SETTERS,
    OPTION_WORDS,
    QUERIES,
)
from nbcomponent.analysis.library.randomness import (
    NETWORKX_RANDOM,
    NUMPY_RANDOM_FREE,
    RANDOM_CALLS,
    RANDOM_SETTERS,
    SCIPY_RANDOM,
    SKLEARN_RANDOM,
    SKLEARN_SHUFFLED,
    TORCH_LAYERS,
    TORCH_RANDOM_METHODS,
)
from nbcomponent.analysis.magic_effects import VARIABLE, magic_effects
from nbcomponent.analysis.namespace import BUILTINS, Namespace
from nbcomponent.analysis.paths import Paths
from nbcomponent.analysis.syntax import dotted
from nbcomponent.notebook.model import CellCode

_ENVIRON = ("os.environ", "os.environb")


@lru_cache(maxsize=20_000)
def may_have_effect(path: str) -> bool:
    """A quick no for the calls that make up most of a notebook (``print``, ``numpy.array``)."""
    parts = path.split(".")
    last = parts[-1]
    return (
        path in RANDOM_SETTERS
        or path in OPTION_SETTERS
        or touches_files(path)
        or path.startswith(
            (
                "os.",
                "sys.",
                "site.",
                "contextlib.",
                "pathlib.",
                "dotenv.",
                "random.",
                "numpy.random.",
            )
        )
        or parts[0] in _RANDOM_PACKAGES
        or bool(OPTION_CALL.fullmatch(last))
        or not OPTION_CONTAINERS.isdisjoint(parts)
        or last in FILE_METHODS
        or path in ("setattr", "delattr", "dict", "importlib.import_module", "__import__")
    )


_RANDOM_PACKAGES = frozenset(
    [
        "scipy",
        "sklearn",
        "imblearn",
        "torch",
        "torchvision",
        "tensorflow",
        "keras",
        "tf_keras",
        "transformers",
        "pytorch_lightning",
        "lightning",
        "mxnet",
        "paddle",
        "cupy",
        "networkx",
    ]
)


TELLING_METHODS = FILE_METHODS | TORCH_RANDOM_METHODS | {"sample", "rvs"}
"""Methods whose name alone tells that a call may have an effect."""


def mentions(block: Block) -> Iterator[Effect]:
    """Texts that count only where a file of that name lies beside the notebook."""
    for text, call in block.texts:
        if "\n" not in text and not is_url(text):
            yield Effect("mention", text, call, target=normal_path(text))


class BlockReader:
    """Reads the effects of one block, in the order of its text as far as that is known."""

    def __init__(
        self,
        block: Block,
        namespace: Namespace,
        paths: Paths,
        code: CellCode | None,
        aliases: frozenset[str] = frozenset(),
    ) -> None:
        self.block = block
        self.namespace = namespace
        self.paths = paths
        self.code = code
        self.aliases = aliases

    def path_of(self, chain: tuple[str, ...]) -> str | None:
        """The dotted path that a chain stands for, through local imports and plain aliases too."""
        local = self.block.local_imports.get(chain[0])
        if local is not None:
            return ".".join((local, *chain[1:]))
        path = self.namespace.resolve(chain)
        if path is not None or chain[0] not in self.aliases:
            return path
        definitions = self.namespace.reaching(chain[0], self.paths.position)
        if len(definitions) != 1 or definitions[0].bind.part:
            return None
        value = definitions[0].bind.value
        if isinstance(value, ast.Call):
            its_path = self.value_path(value)
            return ".".join((its_path, *chain[1:])) if its_path else None
        its_chain = dotted(value) if isinstance(value, ast.Attribute) else None
        if its_chain is None:
            return None
        path = self.namespace.resolve(its_chain)
        return None if path is None else ".".join((path, *chain[1:]))

    def value_path(self, node: ast.expr) -> str | None:
        """``decimal.getcontext()`` for a call of a function that gives a process-wide object."""
        if not isinstance(node, ast.Call):
            return None
        chain = dotted(node.func)
        path = self.namespace.resolve(chain) if chain else None
        if chain and path is None:
            path = self.block.local_imports.get(chain[0])
            path = ".".join((path, *chain[1:])) if path else None
        return f"{path}()" if path in OPTION_OBJECTS else None

    def effects(self) -> Iterator[Effect]:
        """All effects, those on files among them."""
        yield from self.calls()
        yield from mentions(self.block)
        yield from self.environment_reads()
        yield from self.stores()
        for chain, node in self.block.references.items():
            if "path" in chain:
                path = self.namespace.resolve(chain) or ""
                if path == "sys.path" or path.startswith("sys.path."):
                    yield Effect("path-get", ".".join(chain), node)
        if self.code is not None:
            for number, call in self.block.magics:
                yield from magic_effects(self.code.magics[number], call)

    def files(self) -> Iterator[Effect]:
        """Only what it does to files."""
        for site in self.block.calls:
            path = self.namespace.resolve(site.chain)
            if path is not None and touches_files(path):
                yield from call_effects(path, site.node, self.paths)
            if site.chain[-1] in FILE_METHODS and not self._is_function(site.chain):
                yield from method_effects(site.node, self.paths)
        for call in self.block.method_calls:
            chain = dotted(call.func)
            path = self.block.local_imports.get(chain[0]) if chain else None
            if chain and path is not None:
                full = ".".join((path, *chain[1:]))
                if touches_files(full):
                    yield from call_effects(full, call, self.paths)
            else:
                yield from method_effects(call, self.paths)

    # calls

    def calls(self) -> Iterator[Effect]:
        for site in self.block.calls:
            chain, node = site.chain, site.node
            path = self.namespace.resolve(chain)
            if path is None:
                yield from self.method(chain, node)
            elif may_have_effect(path):
                yield from self.known(path, chain, node)
                if chain[-1] in FILE_METHODS and not self._is_function(chain):
                    yield from method_effects(node, self.paths)
        for call in self.block.method_calls:
            its_chain = dotted(call.func)
            local = self.block.local_imports.get(its_chain[0]) if its_chain else None
            if its_chain and local is not None:
                yield from self.known(".".join((local, *its_chain[1:])), its_chain, call)
            else:
                yield from self.method(its_chain, call)

    def _is_function(self, chain: tuple[str, ...]) -> bool:
        """Whether a call is one of a module's function, and not of a method of a value or class."""
        if len(chain) == 1:
            return True
        if chain[0] not in self.namespace.imports:
            return False
        return not any(part[:1].isupper() for part in chain[:-1]) and len(chain) == 2

    def method(self, chain: tuple[str, ...] | None, node: ast.Call) -> Iterator[Effect]:
        """A method of a value: what its name, and what is known of the value, tell."""
        func = node.func
        if not isinstance(func, ast.Attribute):
            if chain is not None:
                path = self.path_of(chain)
                if path is not None:
                    yield from self.known(path, chain, node)
            return
        name = func.attr
        if name in FILE_METHODS:
            yield from method_effects(node, self.paths)
        if name == "sample" or name == "rvs":
            if not any(k.arg == "random_state" for k in node.keywords):
                yield Effect("random", expression_text(func), node, "numpy", matters=False)
            return
        if name in TORCH_RANDOM_METHODS:
            yield Effect("random", expression_text(func), node, "torch")
            return
        owner = self.value_path(func.value)
        if owner is None and chain is not None and len(chain) > 1:
            owner = self.path_of(chain[:-1])
        if owner is None:
            return
        if owner.endswith("()"):
            if not name.startswith(("is", "get", "copy", "create_decimal", *_LOGGING)):
                library, matters = OPTION_OBJECTS[owner[:-2]]
                yield Effect("option", expression_text(func), node, library, matters, name)
        else:
            yield from self.known(f"{owner}.{name}", chain or (name,), node)

    def known(self, path: str, chain: tuple[str, ...], node: ast.Call) -> Iterator[Effect]:
        """A call of a function whose import path is known."""
        written = ".".join(chain)
        if path in RANDOM_SETTERS:
            yield Effect("seed", written, node, RANDOM_SETTERS[path])
        elif path in ("os.chdir", "os.fchdir"):
            yield from self.change_directory(written, node)
        elif path in ("os.getcwd", "os.getcwdb", "pathlib.Path.cwd"):
            yield Effect("cwd", written, node)
        elif path.startswith(_ENVIRON) or path in (
            "os.getenv",
            "os.getenvb",
            "os.putenv",
            "os.unsetenv",
        ):
            yield from self.environment_call(path, node)
        elif path == "os.path.expandvars" and node.args:
            for text in self.paths.of(node.args[0]):
                for name in VARIABLE.findall(text):
                    yield Effect("env-get", name, node, matters=False)
        elif path == "dict" and node.args and self._is_environ(node.args[0]):
            yield Effect("env-get", "*", node, matters=False)
        elif path.startswith("sys.path.") or path == "site.addsitedir":
            if path.rsplit(".", 1)[-1] not in ("index", "count", "copy"):
                yield Effect("path-set", written, node)
        elif path == "dotenv.load_dotenv":
            yield Effect("env-set", "*", node)
            yield from call_effects(path, node, self.paths)
        elif path in ("setattr", "delattr"):
            yield from self.attribute_call(node)
        elif path in OPTION_SETTERS:
            if path not in QUERIES or len(node.args) + len(node.keywords) > QUERIES[path]:
                library, matters = OPTION_SETTERS[path]
                yield Effect("option", written, node, library, matters, _option_key(node))
        elif self._sets_option(path, chain):
            matters = not DISPLAY_OPTIONS.search(path)
            yield Effect("option", written, node, path.split(".")[0], matters, _option_key(node))
        else:
            library = _random_source(path, node)
            if library:
                yield Effect("random", written, node, library)
            yield from call_effects(path, node, self.paths)

    def _sets_option(self, path: str, chain: tuple[str, ...]) -> bool:
        if len(chain) == 1 and chain[0] not in self.namespace.imports:
            return False
        return _is_option_setter(path)

    def change_directory(self, written: str, node: ast.Call) -> Iterator[Effect]:
        targets = self.paths.of(argument(node, 0, "path"))
        absolute = bool(targets) and all(t.startswith(("/", "~")) for t in targets)
        if not absolute:
            yield Effect("cwd", written, node, matters=False)
        yield Effect("chdir", written, node, target="/" if absolute else "")

    def attribute_call(self, node: ast.Call) -> Iterator[Effect]:
        """``setattr(pd.DataFrame, "hello", f)``."""
        if len(node.args) < 2:
            return
        chain, name = dotted(node.args[0]), self.paths.constant(node.args[1])
        if chain is None or name is None:
            return
        value = node.args[2] if len(node.args) > 2 else None
        yield from self.store((*chain, name), node, f".{name}", value)

    # environment variables

    def _is_environ(self, node: ast.expr) -> bool:
        chain = dotted(node)
        return chain is not None and self.path_of(chain) in _ENVIRON

    def text(self, node: ast.expr | None) -> str:
        """The name of an environment variable; ``?`` where it cannot be told."""
        return self.paths.constant(node) or "?"

    def environment_call(self, path: str, node: ast.Call) -> Iterator[Effect]:
        method = path.rsplit(".", 1)[-1]
        if method in ("update", "clear"):
            for keyword in node.keywords:
                yield Effect("env-set", keyword.arg or "*", node)
            for value in node.args or ([] if node.keywords else [None]):  # type: ignore[list-item]
                yield from self._all_set(value, node)
        elif method in ("copy", "items", "keys", "values"):
            yield Effect("env-get", "*", node, matters=False)
        elif node.args:
            name = self.text(node.args[0])
            has_default = len(node.args) > 1 or any(k.arg == "default" for k in node.keywords)
            if method in ("get", "getenv", "getenvb", "pop", "setdefault", "__getitem__"):
                yield Effect("env-get", name, node, matters=not has_default)
            if method in ("putenv", "unsetenv", "pop", "__setitem__", "__delitem__"):
                yield Effect("env-set", name, node)
            elif method == "setdefault":
                yield Effect("env-default", name, node)

    def _all_set(self, value: ast.expr | None, node: NameNode) -> Iterator[Effect]:
        if not isinstance(value, ast.Dict):
            yield Effect("env-set", "*", node)
            return
        for key in value.keys:
            name = self.text(key) if key is not None else "*"
            yield Effect("env-set", "*" if name == "?" else name, node)

    def environment_reads(self) -> Iterator[Effect]:
        for subscript in self.block.subscripts:
            if isinstance(subscript.ctx, ast.Load) and self._is_environ(subscript.value):
                yield Effect("env-get", self.text(subscript.slice), subscript)
        for membership in self.block.memberships:
            if self._is_environ(membership.comparators[0]):
                yield Effect("env-get", self.text(membership.left), membership, matters=False)

    # what is stored in modules and classes

    def stores(self) -> Iterator[Effect]:
        for mutation in self.block.mutations:
            if mutation.how[:1] in ".[" or mutation.how.endswith("=") or mutation.how == "del []":
                yield from self.store(mutation.chain, mutation.node, mutation.how, mutation.value)
        for target, value in self.block.call_stores:
            yield from self.call_store(target, value)

    def call_store(self, target: ast.expr, value: ast.expr | None) -> Iterator[Effect]:
        """``decimal.getcontext().prec = 9``, and stores through names that a function imports."""
        node = target
        while isinstance(target, (ast.Attribute, ast.Subscript)):
            owner = self.value_path(target.value)
            if owner is not None:
                library, matters = OPTION_OBJECTS[owner[:-2]]
                yield Effect(
                    "option", expression_text(node), node, library, matters, expression_text(node)
                )
                return
            chain = dotted(target)
            if chain is not None:
                break
            target = target.value
        chain = dotted(target)
        if chain is not None and chain[0] in self.block.local_imports:
            how = "[]" if isinstance(node, ast.Subscript) else f".{chain[-1]}"
            yield from self.store(chain, node, how, value)

    def store(
        self, chain: tuple[str, ...], node: NameNode, how: str, value: ast.expr | None
    ) -> Iterator[Effect]:
        path = self.path_of(chain)
        written = ".".join(chain)
        if chain[0] in self.namespace.imports and not self.namespace.is_import(
            chain[0], self.paths.position
        ):
            return  # a value that goes by the name of an import
        if path is None:
            yield from self._class_patch(chain, node, how)
            return
        if "()" in path:
            library, matters = OPTION_OBJECTS[path.partition("()")[0]]
            if len(chain) > 1:
                yield Effect("option", written, node, library, matters, written)
            return
        library = path.split(".")[0]
        if path.startswith(_ENVIRON):
            if how in ("[]", "del []"):
                key = getattr(node, "slice", None)
                name = self.text(key)
                yield Effect("env-set", "*" if name == "?" else name, node)
            elif value is not None:
                yield from self._all_set(value, node)
        elif path == "sys.path" or path.startswith("sys.path."):
            yield Effect("path-set", written, node)
        elif chain[0] not in self.namespace.imports and chain[0] not in self.block.local_imports:
            # through an alias: only options are worth the risk
            if not OPTION_WORDS.isdisjoint(path.split(".")[1:]) and library in self.libraries():
                yield Effect(
                    "option", written, node, library, not DISPLAY_OPTIONS.search(path), path
                )
        elif len(chain) == 1 and how.startswith("."):
            return  # something that a call on it gave
        elif how.endswith("=") and not how.startswith("."):
            return  # an in-place operator binds the name again
        elif not OPTION_WORDS.isdisjoint(path.split(".")[1:]) and not self._is_code(value):
            key = getattr(node, "slice", None)
            which = path if key is None else f"{path}[{self.paths.constant(key)}]"
            yield Effect("option", written, node, library, not DISPLAY_OPTIONS.search(path), which)
        else:
            target = path
            if how in ("[]", "del []"):
                entry = self.paths.constant(getattr(node, "slice", None))
                target = f"{path.removesuffix('.__dict__')}.{entry}" if entry else path
            yield Effect("patch", written, node, library, self._is_code(value), target)

    def _is_code(self, value: ast.expr | None) -> bool:
        """Whether a value is a function of the notebook: storing that is a patch, not an option."""
        if isinstance(value, ast.Name):
            definitions = self.namespace.reaching(value.id, self.paths.position)
            return any(d.bind.function is not None for d in definitions)
        return isinstance(value, ast.Lambda)

    def libraries(self) -> set[str]:
        """Top-level packages that the notebook imports."""
        return {path.split(".")[0] for path in self.namespace.imports.values()}

    def _class_patch(self, chain: tuple[str, ...], node: NameNode, how: str) -> Iterator[Effect]:
        """An attribute set on a class of the notebook from outside its own cell."""
        if len(chain) < 2 or not how.startswith("."):
            return
        for definition in self.namespace.reaching(chain[0], self.paths.position):
            if definition.bind.klass is not None:
                written = ".".join(chain)
                yield Effect("patch", written, node, target=written)
                return


_LOGGING = (
    "debug", "info", "warning", "warn", "error", "critical", "exception", "log", "hasHandlers",
)  # fmt: skip


@lru_cache(maxsize=20_000)
def _is_option_setter(path: str) -> bool:
    """Whether a function sets an option of the process, by its name or by what it belongs to."""
    parts = path.split(".")
    if parts[0] in ("os", "builtins") or parts[0] in BUILTINS:
        return False
    if OPTION_CALL.fullmatch(parts[-1]) and len(parts) > 1:
        return True
    return not OPTION_CONTAINERS.isdisjoint(parts[1:-1]) and not parts[-1].startswith(ASKING)


def _option_key(node: ast.Call) -> str:
    """Which option a setter sets, where its first argument or its keywords tell."""
    parts = [
        str(a.value)
        for a in node.args[:1]
        if isinstance(a, ast.Constant) and isinstance(a.value, str)
    ]
    parts += sorted(k.arg for k in node.keywords if k.arg)
    return ",".join(parts)


def _random_source(path: str, node: ast.Call) -> str:
    """The library whose global random state a call draws from, nothing where it draws from none."""
    for keyword in node.keywords:
        if keyword.arg in ("random_state", "seed", "rng", "generator") and not (
            isinstance(keyword.value, ast.Constant) and keyword.value.value is None
        ):
            return ""
    parts = path.split(".")
    top, last = parts[0], parts[-1]
    if top == "random":
        return "random" if len(parts) == 2 and last in RANDOM_CALLS["random"] else ""
    if path.startswith("numpy.random."):
        return "numpy" if len(parts) == 3 and last not in NUMPY_RANDOM_FREE else ""
    if top == "sklearn":
        if last in SKLEARN_SHUFFLED:
            shuffled = next((k.value for k in node.keywords if k.arg == "shuffle"), None)
            return "numpy" if isinstance(shuffled, ast.Constant) and shuffled.value is True else ""
        made = last.startswith("make_") and "datasets" in parts
        return "numpy" if made or last in SKLEARN_RANDOM else ""
    if top == "imblearn":
        return "numpy" if last[:1].isupper() else ""
    if top == "scipy":
        return "numpy" if last in SCIPY_RANDOM or path == "scipy.sparse.random" else ""
    if top == "torch":
        return "torch" if _torch_draws(parts, node) else ""
    if top == "torchvision":
        return "torch" if "models" in parts or last.startswith("Random") else ""
    if top in ("tensorflow", "keras", "tf_keras"):
        return "tensorflow" if _keras_draws(parts) else ""
    if top == "transformers":
        return "torch" if last == "Trainer" or parts[-2].startswith("AutoModelFor") else ""
    if top in ("pytorch_lightning", "lightning"):
        return "torch" if last == "Trainer" else ""
    if top == "networkx":
        return "random" if NETWORKX_RANDOM.fullmatch(last) else ""
    if top in ("mxnet", "paddle", "cupy"):
        return top if "random" in parts[1:-1] or last in RANDOM_CALLS["torch"] else ""
    return ""


def _torch_draws(parts: list[str], node: ast.Call) -> bool:
    last = parts[-1]
    if len(parts) == 2:
        return last in RANDOM_CALLS["torch"]
    if "init" in parts:
        return not last.startswith(("constant", "zeros", "ones", "eye", "dirac"))
    if last == "DataLoader":
        shuffled = next((k.value for k in node.keywords if k.arg == "shuffle"), None)
        return isinstance(shuffled, ast.Constant) and shuffled.value is True
    return last in TORCH_LAYERS or last in (
        "random_split", "RandomSampler", "WeightedRandomSampler", "dropout",
    )  # fmt: skip


def _keras_draws(parts: list[str]) -> bool:
    last = parts[-1]
    if "random" in parts[1:-1]:
        return last not in ("set_seed", "Generator", "get_global_generator", "set_global_generator")
    if "layers" in parts:
        return last[:1].isupper() and last not in (
            "Input", "InputLayer", "Flatten", "Reshape", "Concatenate", "Add", "MaxPooling2D", "ReLU",
            "Lambda", "Activation", "GlobalAveragePooling2D", "BatchNormalization", "Rescaling",
        )  # fmt: skip
    return "applications" in parts and last[:1].isupper()


# IPython syntax
