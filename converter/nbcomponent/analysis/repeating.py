"""``--boundary auto``: values that a component makes anew rather than receives.

``units = pint.UnitRegistry()`` cannot be pickled, and need not be: making it again gives the same. So
is a value made by the constructor of an imported package's class from literals, other such values, their
attributes and arithmetic, where nothing outside the reading component calls it, changes it or hands it
on. Not: classes of modules beside the notebook and of the notebook itself (making an object may print or
count), anything that may draw random numbers (layers of networks), opens something, or reads a file.
"""

from __future__ import annotations

import ast

from nbcomponent.analysis.beside import Beside
from nbcomponent.analysis.effects import EffectReader
from nbcomponent.analysis.facts import Statement
from nbcomponent.analysis.namespace import Namespace
from nbcomponent.analysis.visitor import dotted

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

    def makes_again(self, name: str, own: frozenset[int]) -> Statement | None:
        """The statement that makes ``name``, where the component of the cells ``own`` may repeat it."""
        return self._maker(name, own, 0)

    def _maker(self, name: str, own: frozenset[int], depth: int) -> Statement | None:
        definitions = self._namespace.definitions.get(name, [])
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
        if not self._no_effects(statement) or not self._repeats(node.value, own, depth):
            return None
        if any(
            s is not statement and s.cell not in own and not _only_read(name, s.node)
            for s in self._namespace.statements
        ):
            return None
        return statement

    def _no_effects(self, statement: Statement) -> bool:
        position = self._namespace.position[id(statement)]
        return all(
            effect.kind == "mention" and not self._beside.kind(effect.target)
            for effect in self._effects.of_statement(statement, position)
        )

    def _repeats(self, node: ast.expr, own: frozenset[int], depth: int) -> bool:
        """Whether evaluating the expression again gives the same and does nothing else."""
        if isinstance(node, ast.Constant):
            return True
        if isinstance(node, ast.Name):
            if node.id in self._namespace.imports:
                return self._namespace.resolve((node.id,)) is not None
            return self._maker(node.id, own, depth + 1) is not None
        if isinstance(node, ast.Attribute):
            return self._repeats(node.value, own, depth)
        if isinstance(node, ast.BinOp):
            return self._repeats(node.left, own, depth) and self._repeats(node.right, own, depth)
        if isinstance(node, ast.UnaryOp):
            return self._repeats(node.operand, own, depth)
        if isinstance(node, (ast.Tuple, ast.List)):
            return all(self._repeats(e, own, depth) for e in node.elts)
        if isinstance(node, ast.Call):
            arguments = (*node.args, *(k.value for k in node.keywords))
            return self._constructs(node) and all(self._repeats(a, own, depth) for a in arguments)
        return False

    def _constructs(self, node: ast.Call) -> bool:
        chain = dotted(node.func)
        path = self._namespace.resolve(chain) if chain else None
        if path is None or "." not in path:
            return False
        parts = path.split(".")
        if path == "logging.getLogger":
            return True
        if not parts[-1][:1].isupper() or "random" in path.lower() or parts[0] in _NOT_TWICE:
            return False
        return not (self._beside.kind(f"{parts[0]}.py") or self._beside.kind(parts[0]))


def _only_read(name: str, node: ast.AST) -> bool:
    """Whether the code does no more with the name than look at attributes and calculate."""
    mentions = {id(n) for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == name}
    if not mentions:
        return True
    called = {id(n.func) for n in ast.walk(node) if isinstance(n, ast.Call)}
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute) and id(part) not in called:
            if isinstance(part.ctx, ast.Load):
                mentions.discard(id(part.value))
        elif isinstance(part, ast.BinOp):
            mentions -= {id(part.left), id(part.right)}
    return not mentions
