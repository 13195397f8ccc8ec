"""``--boundary auto``: values that a component makes anew rather than receives.

``units = pint.UnitRegistry()`` cannot be pickled, and need not be: making it again gives the same. So
is a value made by the constructor of an imported package's class (or of a class of the notebook that only
gives attributes to one) from literals, other such values, their
attributes and arithmetic, where nothing outside the reading component calls it, changes it or hands it
on. Not: classes of modules beside the notebook and those of the notebook with methods (making an object may
print or count), anything that may draw random numbers (layers of networks), opens something, or reads a file.
"""

from __future__ import annotations

import ast

from nbcomponent.analysis.beside import Beside
from nbcomponent.analysis.effects import EffectReader
from nbcomponent.analysis.facts import Statement
from nbcomponent.analysis.namespace import Definition, Namespace
from nbcomponent.analysis.syntax import dotted
from nbcomponent.core.trees import walk

_NOT_TWICE = frozenset(
    [
        "concurrent",
        "flax",
        "h5py",
        "http",
        "io",
        "itertools",
        "jax",
        "keras",
        "mlflow",
        "multiprocessing",
        "netCDF4",
        "paddle",
        "queue",
        "requests",
        "selenium",
        "socket",
        "sqlalchemy",
        "sqlite3",
        "subprocess",
        "tempfile",
        "tensorboard",
        "tensorflow",
        "tf_keras",
        "torch",
        "torchvision",
        "transformers",
        "urllib",
        "uuid",
        "wandb",
        "zipfile",
    ]
)
"""Packages whose objects hold something open, differ each time, or draw random numbers when made."""

_DEPTH = 20


class Repeater:
    """Tells which values can be made anew in another component."""

    def __init__(self, namespace: Namespace, effects: EffectReader, beside: Beside) -> None:
        self._namespace = namespace
        self._effects = effects
        self._beside = beside

    def makes_again(self, name: str, own: frozenset[int], statement: Statement) -> Statement | None:
        """``statement``, which alone makes ``name``, where the component of the cells ``own`` may repeat it."""
        definitions = [
            d for d in self._namespace.definitions.get(name, ()) if d.statement is statement
        ]
        return self._maker(name, own, 0, definitions)

    def _maker(
        self, name: str, own: frozenset[int], depth: int, definitions: list[Definition]
    ) -> Statement | None:
        if depth > _DEPTH or len(definitions) != 1 or self._namespace.deletions.get(name):
            return None
        statement = definitions[0].statement
        node = statement.node
        if (
            not isinstance(node, ast.Assign)
            or len(node.targets) != 1
            or not definitions[0].definite
        ):
            return None
        target = node.targets[0]
        if not isinstance(target, ast.Name) or target.id != name or statement.block.magics:
            return None
        made_at = self._namespace.position[id(statement)]
        if not self._no_effects(statement) or not self._repeats(node.value, own, depth, made_at):
            return None
        statements = self._namespace.statements
        last = self._last(own)
        for position, other in enumerate(statements[: last + 1]):
            if other is statement or other.cell in own or _only_read(name, other.node):
                continue
            if position > made_at or other.block.functions:
                return None
        return statement

    def _last(self, own: frozenset[int]) -> int:
        """The position of the last statement of the component: what stands below is of no concern to it."""
        statements = self._namespace.statements
        return max((n for n, s in enumerate(statements) if s.cell in own), default=len(statements))

    def _no_effects(self, statement: Statement) -> bool:
        position = self._namespace.position[id(statement)]
        return all(
            effect.kind == "mention" and not self._beside.kind(effect.target)
            for effect in self._effects.of_statement(statement, position)
        )

    def _repeats(self, node: ast.expr, own: frozenset[int], depth: int, at: int) -> bool:
        """Whether evaluating the expression of position ``at`` again gives the same and does nothing else."""
        if isinstance(node, ast.Constant):
            return True
        if isinstance(node, ast.Name):
            if node.id in self._namespace.imports:
                return self._namespace.resolve((node.id,)) is not None
            every = self._namespace.definitions.get(node.id, [])
            return self._maker(node.id, own, depth + 1, every) is not None
        if isinstance(node, ast.Attribute):
            return self._repeats(node.value, own, depth, at)
        if isinstance(node, ast.BinOp):
            return all(self._repeats(side, own, depth, at) for side in (node.left, node.right))
        if isinstance(node, ast.UnaryOp):
            return self._repeats(node.operand, own, depth, at)
        if isinstance(node, (ast.Tuple, ast.List)):
            return all(self._repeats(e, own, depth, at) for e in node.elts)
        if isinstance(node, ast.Call):
            arguments = (*node.args, *(k.value for k in node.keywords))
            return self._constructs(node, own, at) and all(
                self._repeats(a, own, depth, at) for a in arguments
            )
        return False

    def _constructs(self, node: ast.Call, own: frozenset[int], at: int) -> bool:
        chain = dotted(node.func)
        path = self._namespace.resolve(chain) if chain else None
        if path is None and chain and len(chain) == 1:
            return self._only_gives_attributes(chain[0], own, at)
        return path is not None and self._is_class_of_a_package(path)

    def _only_gives_attributes(self, name: str, own: frozenset[int], at: int) -> bool:
        """Whether a class of the notebook only gives attributes to a class of a package.

        One that is defined anew before the component ends would be another class there.
        """
        definitions = self._namespace.reaching(name, at)
        if any(
            at < d.position <= self._last(own) for d in self._namespace.definitions.get(name, ())
        ):
            return False
        node = definitions[0].bind.node if len(definitions) == 1 else None
        if not isinstance(node, ast.ClassDef) or node.decorator_list or node.keywords:
            return False
        bases = [self._namespace.resolve(dotted(base) or ("",)) for base in node.bases]
        return (
            bool(bases)
            and all(base is not None and self._is_class_of_a_package(base) for base in bases)
            and all(self._is_attribute(part, at) for part in node.body)
        )

    def _is_attribute(self, node: ast.stmt, at: int) -> bool:
        if isinstance(node, ast.Assign):
            value: ast.expr | None = node.value
            if not all(isinstance(t, ast.Name) and not _special(t.id) for t in node.targets):
                return False
        elif isinstance(node, ast.AnnAssign):
            value = node.value
        else:
            return isinstance(node, ast.Pass) or (
                isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            )
        return value is None or self._repeats(value, frozenset(), _DEPTH, at)

    def _is_class_of_a_package(self, path: str) -> bool:
        if "." not in path:
            return False
        parts = path.split(".")
        if path == "logging.getLogger":
            return True
        if not parts[-1][:1].isupper() or "random" in path.lower() or parts[0] in _NOT_TWICE:
            return False
        return not (self._beside.has_module(parts[0]) or self._beside.kind(parts[0]))


def _special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _only_read(name: str, node: ast.AST) -> bool:
    """Whether the code does no more with the name than show it, look at attributes and calculate.

    A plain assignment gives the name another value, and has nothing to do with this one.
    """
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Name):
        return True
    if isinstance(node, ast.Assign) and all(isinstance(t, ast.Name) for t in node.targets):
        node = node.value
    mentions = {id(n) for n in walk(node) if isinstance(n, ast.Name) and n.id == name}
    if not mentions:
        return True
    called = {id(n.func) for n in walk(node) if isinstance(n, ast.Call)}
    for part in walk(node):
        if isinstance(part, ast.Attribute) and id(part) not in called:
            if isinstance(part.ctx, ast.Load):
                mentions.discard(id(part.value))
        elif isinstance(part, ast.BinOp):
            mentions -= {id(part.left), id(part.right)}
    return not mentions
