"""What blocks of code do to, or need from, the process and the disk around them: the whole notebook."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from nbcomponent.analysis.block_effects import (
    TELLING_METHODS,
    BlockReader,
    may_have_effect,
    mentions,
)
from nbcomponent.analysis.effect import LASTING, Effect
from nbcomponent.analysis.facts import Block, Function, NameNode, Statement
from nbcomponent.analysis.files import (
    FILE_METHODS,
    touches_files,
)
from nbcomponent.analysis.library.options import (
    OPTION_OBJECTS,
    RESTORING,
)
from nbcomponent.analysis.library.packages import BARE_PACKAGES
from nbcomponent.analysis.namespace import Namespace
from nbcomponent.analysis.objects import called_functions
from nbcomponent.analysis.paths import Paths, Texts
from nbcomponent.analysis.syntax import dotted
from nbcomponent.notebook.model import CellCode

_NO_EFFECTS: list[Effect] = []
_DEPTH = 4


class EffectReader:
    """Effects of blocks, each block read once however many components run it."""

    def __init__(self, namespace: Namespace, code: Mapping[int, CellCode]) -> None:
        self.namespace = namespace
        self._code = code
        self.known: dict[int, list[Effect]] = {}
        """The effects of the blocks read so far, by the block's identity: for loops over many blocks."""
        self._telling_calls: dict[tuple[str, ...], bool] = {}
        self._outside: list[tuple[Effect, Statement, int]] | None = None
        self._functions: dict[int, Function] | None = None
        self._file_functions: dict[Function, bool] = {}
        self._unbound: dict[Function, set[tuple[str, str]]] = {}
        self._aliases: frozenset[str] = frozenset()
        self._classes: frozenset[str] = frozenset()
        self._submodules: list[tuple[str, Statement, int]] | None = None
        self._any_files: bool | None = None
        self._at: dict[int, tuple[ast.AST, int]] = {}

    def of(self, block: Block, cell: int) -> list[Effect]:
        """The effects of a block of a cell."""
        known = self.known.get(id(block))
        if known is None:
            known = self.known[id(block)] = self._read(block, cell)
        return known

    def of_statement(self, statement: Statement, position: int) -> list[Effect]:
        """The effects of a statement and of the notebook's functions that it runs."""
        found = self.of(statement.block, statement.cell)
        functions = self.namespace.functions_run_by(statement.block, position)
        if functions:
            found = [*found, *(e for f in functions for e in self.of(f.body, f.cell))]
        return found

    def submodules(self) -> list[tuple[str, Statement, int]]:
        """Submodules that statements import, of packages that do not import them themselves."""
        if self._submodules is None:
            self._submodules = [
                (module, statement, position)
                for position, statement in enumerate(self.namespace.statements)
                for module in statement.block.modules
                if "." in module and module.partition(".")[0] in BARE_PACKAGES
            ]
        return self._submodules

    def lasting(self) -> list[tuple[Effect, Statement, int]]:
        """Every effect of the notebook that other cells can feel, with its statement and position."""
        if self._outside is None:
            statements = self.namespace.statements
            # functions are followed only where one of them has an effect at all
            follow = any(self.of(f.body, f.cell) for s in statements for f in s.block.functions)
            self._outside = []
            for position, statement in enumerate(statements):
                effects = self.known.get(id(statement.block))
                if effects is None:
                    effects = self.of(statement.block, statement.cell)
                if follow:
                    effects = self.of_statement(statement, position)
                for effect in effects:
                    if effect.kind in LASTING:
                        self._outside.append((effect, statement, position))
        return self._outside

    def _read(self, block: Block, cell: int) -> list[Effect]:
        if self._functions is None:
            self._look_around()
        if self._is_plain(block):
            return list(mentions(block)) if block.texts else _NO_EFFECTS
        assert self._functions is not None
        function = self._functions.get(id(block))
        node, position = self._at.get(id(block), (None, len(self.namespace.statements)))
        if function is not None:
            node = function.node
        paths = Paths(self.namespace, position, node, function, None, block.binds)
        reader = BlockReader(block, self.namespace, paths, self._code.get(cell), self._aliases)
        found = list(reader.effects())
        if block.calls and self._any_file_function():
            found.extend(self._of_callees(block, paths, position, _DEPTH))
        if node is not None and any(e.kind in ("option", "patch", "chdir") for e in found):
            restored = _restored(node)
            found = [e for e in found if id(e.node) not in restored or e.kind in ("read", "write")]
        return found

    def _look_around(self) -> None:
        """What the whole notebook tells about each of its blocks."""
        statements = self.namespace.statements
        self._functions = {
            id(f.body): f for s in statements if s.block.functions for f in s.block.functions
        }
        self._at = {id(s.block): (s.node, position) for position, s in enumerate(statements)}
        self._aliases = _aliases(self.namespace)
        self._classes = frozenset(
            b.name for s in statements for b in s.block.binds if b.klass is not None
        )

    def _is_plain(self, block: Block) -> bool:
        """A quick look that finds most blocks to have no effect, but that texts may name files."""
        if block.magics or block.call_stores or block.local_imports:
            return False
        namespace, aliases = self.namespace, self._aliases
        imports, definitions = namespace.imports, namespace.definitions
        telling_calls = self._telling_calls
        for site in block.calls:
            telling = telling_calls.get(site.chain)
            if telling is None:
                telling = telling_calls[site.chain] = self._is_telling(site.chain)
            if telling:
                return False
        for call in block.method_calls:
            func = call.func
            if type(func) is ast.Attribute:
                if func.attr in TELLING_METHODS:
                    return False
                owner = func.value
                if type(owner) is ast.Call:
                    if (dotted(owner.func) or ("",))[-1] in _OPTION_OBJECT_NAMES:
                        return False
                else:
                    root = dotted(owner)
                    if root is not None and (root[0] in imports or root[0] in aliases):
                        return False
        for mutation in block.mutations:
            root_name = mutation.chain[0]
            if (
                root_name in imports
                or root_name in aliases
                or root_name in self._classes
                or root_name not in definitions
            ):
                return False
        for subscript in block.subscripts:
            root = dotted(subscript.value)
            if root is not None and (root[0] in imports or root[0] in aliases):
                return False
        for membership in block.memberships:
            root = dotted(membership.comparators[0])
            if root is not None and (root[0] in imports or root[0] in aliases):
                return False
        for chain in block.references:  # noqa: SIM110 (a generator costs more than the loop)
            if "path" in chain and chain[0] in imports:
                return False
        return True

    def _is_telling(self, chain: tuple[str, ...]) -> bool:
        """Whether a call of a dotted name may have an effect, as far as the name tells."""
        path = self.namespace.resolve(chain)
        if path is not None:
            return may_have_effect(path)
        return (
            chain[-1] in TELLING_METHODS
            or chain[0] in self._aliases
            or (self.namespace.may_run(chain[0]) and self._any_file_function())
        )

    # paths that a function is given by its caller

    def _of_callees(
        self, block: Block, paths: Paths, position: int, depth: int
    ) -> Iterator[Effect]:
        """Files that functions of the notebook touch by the arguments they are called with here."""
        if depth == 0:
            return
        for site in block.calls:
            if self.namespace.resolve(site.chain) is not None:
                continue
            for function, skip in called_functions(self.namespace, site, position):
                if not self._file_function(function):
                    continue
                given = paths.bound_for(function, site.node, skip)
                if given:
                    for effect in self._with(function, given, depth - 1):
                        yield Effect(
                            effect.kind, effect.name, site.node, effect.library, effect.matters,
                            effect.target,
                        )  # fmt: skip

    def _with(self, function: Function, given: dict[str, Texts], depth: int) -> list[Effect]:
        """Effects on files of a function's body for known arguments, beyond those for unknown ones."""
        last = len(self.namespace.statements)
        paths = Paths(self.namespace, last, function.node, function, given)
        reader = BlockReader(function.body, self.namespace, paths, None)
        found = [*reader.files(), *self._of_callees(function.body, paths, last, depth)]
        known = self._unbound.get(function)
        if known is None:
            unbound = Paths(self.namespace, last, function.node, function)
            files = BlockReader(function.body, self.namespace, unbound, None).files()
            known = self._unbound[function] = {(e.kind, e.name) for e in files}
        return [e for e in found if (e.kind, e.name) not in known]

    def _any_file_function(self) -> bool:
        """Whether any function of the notebook touches files; in most notebooks none does."""
        if self._any_files is None:
            assert self._functions is not None
            self._any_files = any(map(self._file_function, self._functions.values()))
        return self._any_files

    def _file_function(self, function: Function) -> bool:
        """Whether a function touches files at all, itself or through functions that it calls."""
        known = self._file_functions.get(function)
        if known is not None:
            return known
        self._file_functions[function] = False  # a cycle adds nothing
        body = function.body
        found = any(
            isinstance(call.func, ast.Attribute) and call.func.attr in FILE_METHODS
            for call in body.method_calls
        )
        for site in body.calls:
            if found:
                break
            path = self.namespace.resolve(site.chain)
            if path is not None:
                found = touches_files(path)
            else:
                found = site.chain[-1] in FILE_METHODS or any(
                    self._file_function(callee)
                    for callee, _ in called_functions(
                        self.namespace, site, len(self.namespace.statements)
                    )
                )
        self._file_functions[function] = found
        return found


def _aliases(namespace: Namespace) -> frozenset[str]:
    """Names that stand for something of a package: ``env = os.environ``, ``log = logging.getLogger()``."""
    found: set[str] = set()
    for name, definitions in namespace.definitions.items():
        for definition in definitions:
            value = definition.bind.value
            kind = type(value)
            if kind is ast.Attribute or (
                kind is ast.Call and (dotted(value.func) or ("",))[-1] in _OPTION_OBJECT_NAMES  # type: ignore[union-attr]
            ):
                found.add(name)
    return frozenset(found)


_OPTION_OBJECT_NAMES = frozenset(path.rsplit(".", 1)[-1] for path in OPTION_OBJECTS)


def _restored(node: ast.AST) -> set[int]:
    """Nodes inside ``with`` blocks that put back at their end what is set in them."""
    found: set[int] = set()
    if isinstance(node, _WITHOUT_SUITE):
        return found
    for part in ast.walk(node):
        if not isinstance(part, (ast.With, ast.AsyncWith)):
            continue
        for item in part.items:
            call = item.context_expr
            name = call.func if isinstance(call, ast.Call) else call
            if isinstance(name, ast.Attribute):
                last = name.attr
            else:
                last = name.id if isinstance(name, ast.Name) else ""
            if last in RESTORING:
                found.update(id(inner) for inner in ast.walk(part))
    return found


_WITHOUT_SUITE = (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Import, ast.ImportFrom)


def modules_of(block: Block, namespace: Namespace) -> dict[str, NameNode]:
    """Top-level packages that a block imports or uses, with the first place of each."""
    found: dict[str, NameNode] = {}
    for module, node in block.modules.items():
        found.setdefault(module.split(".", 1)[0], node)
    for chain, node in block.references.items():
        path = namespace.imports.get(chain[0])
        if path is not None:
            found.setdefault(path.split(".", 1)[0], node)
    for use in block.uses:
        path = namespace.imports.get(use.name)
        if path is not None:
            found.setdefault(path.split(".", 1)[0], use.node)
    return found
