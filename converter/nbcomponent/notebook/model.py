"""A notebook as read: cells with their tags, and code cells as Python with their IPython syntax."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Literal

from nbcomponent.core.diagnostics import Diagnostic
from nbcomponent.core.records import record

CellKind = Literal["code", "markdown", "raw"]

MagicKind = Literal["line", "cell", "system", "help", "autocall"]

PLACEHOLDER = "__ipython__"
"""The name that stands for IPython syntax in :attr:`CellCode.text`: ``__ipython__(3)`` is ``magics[3]``."""


@record(frozen=True, slots=True)
class Cell:
    """One cell, unchanged. ``index`` counts all cells from 0; ``source`` has ``\\n`` line ends."""

    index: int
    kind: CellKind
    source: str
    tags: tuple[str, ...] = ()
    execution_count: int | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Notebook:
    """A notebook file without its outputs.

    ``path`` is as the caller gave it; ``language`` is lower-case (``python`` where the file says
    nothing); ``kernel`` is the kernel spec's name. ``problems`` are findings about single cells that
    could not be read (such a cell stands as an empty raw cell, so that the others keep their index).
    """

    path: str
    cells: tuple[Cell, ...]
    language: str = "python"
    kernel: str | None = None
    nbformat: int = 4
    problems: tuple[Diagnostic, ...] = ()


@record(frozen=True, slots=True)
class Magic:
    """One piece of IPython syntax in a code cell.

    ``name``: the magic's name (``time``), ``!`` or ``!!`` for system commands, ``?`` or ``??`` for
    help, ``,`` ``;`` ``/`` for autocall. ``argument`` is the text after it (the command of a system
    call, the object of a help request), ``body`` the rest of a cell under a cell magic.
    ``assigned``: the value is bound (``x = !ls``). ``line``/``column`` (from 1) is where the magic
    itself starts, ``end_line`` its last line (of the body for a cell magic).

    ``code``: Python that the magic runs (``%time f(x)``, the argument of ``%timeit``), parsed, with
    positions in the cell; ``code_scope`` is ``namespace`` where its assignments stay in the notebook
    (``%time``, ``%%time``, ``%%capture``, ``%prun``) and ``function`` where they do not (``%timeit``).
    The body of ``%%time``-like cell magics is part of :attr:`CellCode.tree` itself when its scope is
    ``namespace``. ``interpolated``: the expressions in ``{x}`` and ``$x``, with positions in the cell.
    ``binds``: names that the magic sets (``%%capture out``, ``%store -r x``), with line and column.
    """

    kind: MagicKind
    name: str
    argument: str
    line: int
    column: int
    end_line: int
    body: str | None = None
    assigned: bool = False
    code: ast.Module | None = None
    code_scope: Literal["namespace", "function"] = "namespace"
    interpolated: tuple[ast.expr, ...] = ()
    binds: tuple[tuple[str, int, int], ...] = ()


@record(frozen=True, slots=True)
class CellCode:
    """A code cell as Python.

    ``text`` is Python with the same number of lines as the cell, where each piece of IPython syntax is
    a call ``__ipython__(N)`` of the placeholder; elsewhere lines and columns are the cell's own.
    ``tree`` is None when the cell is no Python (``problem`` says why) or when the whole cell belongs to
    a cell magic with a body that is not Python (``%%bash``: then ``magics`` has that one entry, and
    ``tree`` holds its placeholder call). ``column_offsets`` are already applied to ``tree``. ``col_offset`` counts
    UTF-8 bytes, as ast does: use ``nbcomponent.core.places`` to make columns of it.
    """

    cell: int
    text: str
    tree: ast.Module | None
    magics: tuple[Magic, ...] = ()
    problem: Diagnostic | None = None


@record(frozen=True, slots=True)
class Roles:
    """What tags and ``#|`` directives make of one cell.

    ``components``: names of the components the cell belongs to (a copy in each). ``parameters``: it
    declares parameters (for ``components``, or for all when that is empty). ``contract_for``: it holds
    the YAML contract (``""``: of the component that the YAML itself names). ``writes_script``: a
    ``%%writefile`` cell tagged with a component is that component's script.
    """

    components: tuple[str, ...] = ()
    parameters: bool = False
    shared: bool = False
    skip: bool = False
    contract_for: str | None = None
    writes_script: str | None = None


@dataclass(frozen=True, slots=True)
class TaggedNotebook:
    """A notebook with its code parsed and the role of every cell known.

    ``roles[i]`` belongs to ``notebook.cells[i]``; ``code`` maps a code cell's index to its Python.
    ``component_cells`` gives each component's cells, in notebook order, components in the order of
    their first cell. ``diagnostics`` are findings about tags and unreadable cells.
    """

    notebook: Notebook
    roles: tuple[Roles, ...]
    code: dict[int, CellCode]
    component_cells: dict[str, tuple[int, ...]]
    diagnostics: tuple[Diagnostic, ...] = ()
