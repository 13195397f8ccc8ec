"""Run a notebook's cells and record which global names each cell really reads, and who bound them.

The cells run in IPython with a dict subclass as namespace. CPython looks names up through the
subclass at module level (``LOAD_NAME``) and in functions (``LOAD_GLOBAL`` takes its slow path when
the globals are no exact dict), so functions of other cells, methods, lambdas, comprehensions, and the
code of ``%timeit`` are seen. Two kinds of access go past the subclass and are seen by tracing the
opcodes of the frames that hold them: reads in class bodies before Python 3.13, and assignments
under ``global``.
"""

from __future__ import annotations

import ast
import dis
import re
import signal
import string
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import Any, cast

SHELL = -1
"""The binder of names that IPython itself sets."""

IPYTHON_STATE = re.compile(
    r"^(_+|_i{1,3}|_i?\d+|_[ido]h|In|Out|exit|quit|open|_exit_code|get_ipython|__\w+__)$"
)
"""Names that IPython (or Python) keeps in the namespace for itself."""

_CLASS_READS = {"LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS", "LOAD_CLASSDEREF"}
_GLOBAL_WRITES = {"STORE_GLOBAL", "DELETE_GLOBAL"}
_CELL_FILE = re.compile(r"^<cell (\d+) (\d+)>$")


class CellTimeout(BaseException):
    """A cell ran longer than it may."""


class Record:
    """What one cell did while it ran."""

    def __init__(self, cell: int) -> None:
        self.cell = cell
        self.reads: dict[tuple[str, int], tuple[int, int]] = {}
        self.binds: dict[str, None] = {}
        self.lines: set[tuple[int, int]] = set()
        self.status = "ok"
        self.error: str | None = None
        self.seconds = 0.0

    def as_json(self) -> dict[str, Any]:
        """``reads``: [name, cell that bound it, cell and line of the code that read it]."""
        lines: dict[int, list[int]] = {}
        for cell, line in sorted(self.lines):
            lines.setdefault(cell, []).append(line)
        return {
            "cell": self.cell,
            "status": self.status,
            "error": self.error,
            "seconds": round(self.seconds, 3),
            "reads": [[name, by, *place] for (name, by), place in self.reads.items()],
            "binds": list(self.binds),
            "lines": {str(cell): numbers for cell, numbers in lines.items()},
        }


class RecordingNamespace(dict[str, Any]):
    """A namespace that tells ``record`` what notebook code reads and binds.

    Only frames whose globals are this namespace are notebook code; what IPython looks up for
    itself is not recorded.
    """

    def __init__(self) -> None:
        super().__init__()
        self.binder: dict[str, int] = {}
        self.record: Record | None = None

    def saw_read(self, name: str, frame: FrameType | None) -> None:
        record = self.record
        if record is None:
            return
        key = (name, self.binder.get(name, SHELL))
        if key not in record.reads:
            record.reads[key] = _place(frame, self)

    def saw_bind(self, name: str, by_notebook: bool) -> None:
        record = self.record
        if record is None or (not by_notebook and IPYTHON_STATE.match(name)):
            self.binder[name] = SHELL
        else:
            self.binder[name] = record.cell
            record.binds[name] = None

    def __getitem__(self, name: str) -> Any:
        value = dict.__getitem__(self, name)
        frame = sys._getframe(1)
        if frame.f_globals is self:
            self.saw_read(name, frame)
        return value

    def get(self, name: str, default: Any = None) -> Any:
        frame = sys._getframe(1)
        if frame.f_globals is self and name in self:
            self.saw_read(name, frame)
        return dict.get(self, name, default)

    def __setitem__(self, name: str, value: Any) -> None:
        by_notebook = sys._getframe(1).f_globals is self
        changed = by_notebook or self._changes(name, value)
        dict.__setitem__(self, name, value)
        if changed:
            self.saw_bind(name, by_notebook)

    def _changes(self, name: str, value: Any) -> bool:
        """Whether IPython really binds: ``%timeit`` stores the whole namespace into itself."""
        return name not in self or dict.__getitem__(self, name) is not value

    def __delitem__(self, name: str) -> None:
        dict.__delitem__(self, name)
        self.binder.pop(name, None)

    def setdefault(self, name: str, default: Any = None) -> Any:
        if name not in self:
            dict.__setitem__(self, name, default)
            self.saw_bind(name, False)
        return dict.__getitem__(self, name)

    def update(self, *args: Any, **more: Any) -> None:
        new = dict(*args, **more)
        changed = [name for name, value in new.items() if self._changes(name, value)]
        dict.update(self, new)
        for name in changed:
            self.saw_bind(name, False)

    def pop(self, name: str, *default: Any) -> Any:
        self.binder.pop(name, None)
        return dict.pop(self, name, *default)

    def __reduce__(self) -> Any:
        raise TypeError("the recording namespace cannot be pickled")


def _place(frame: FrameType | None, namespace: RecordingNamespace) -> tuple[int, int]:
    """The cell and line of the notebook code that runs in ``frame`` (0 where it is not known)."""
    while frame is not None and frame.f_globals is namespace:
        match = _CELL_FILE.match(frame.f_code.co_filename)
        if match:
            return int(match[1]), frame.f_lineno + int(match[2])
        frame = frame.f_back
    return (namespace.record.cell if namespace.record else SHELL), 0


MANY_CALLS = 2000
"""After so many calls of one function in one cell its lines are no longer followed (its reads are)."""

MANY_LINES = 20_000
"""After so many lines of one frame that bring none that is new, its lines are no longer followed."""


class Tracer:
    """A ``sys.settrace`` function: executed lines of notebook code, and what the namespace misses."""

    def __init__(self, namespace: RecordingNamespace) -> None:
        self.namespace = namespace
        self.calls: Counter[CodeType] = Counter()
        self._known: dict[CodeType, tuple[int, int, dict[int, tuple[str, str]]]] = {}

    def _of(self, code: CodeType) -> tuple[int, int, dict[int, tuple[str, str]]]:
        known = self._known.get(code)
        if known is None:
            match = _CELL_FILE.match(code.co_filename)
            cell, offset = (int(match[1]), int(match[2])) if match else (SHELL, 0)
            class_body = not code.co_flags & 0x1 and code.co_name != "<module>"
            wanted = (_CLASS_READS if class_body else set()) | _GLOBAL_WRITES
            opcodes = {
                instruction.offset: (instruction.opname, str(instruction.argval))
                for instruction in dis.get_instructions(code)
                if instruction.opname in wanted
            }
            known = self._known[code] = (cell, offset, opcodes)
        return known

    def __call__(self, frame: FrameType, event: str, arg: object) -> Any:
        namespace = self.namespace
        if frame.f_globals is not namespace or namespace.record is None:
            return None
        cell, offset, opcodes = self._of(frame.f_code)
        if opcodes:
            frame.f_trace_opcodes = True
        else:
            self.calls[frame.f_code] += 1
            if self.calls[frame.f_code] > MANY_CALLS:
                return None
        nothing_new = 0

        def local(frame: FrameType, event: str, arg: object) -> Any:
            record = namespace.record
            if record is None:
                return local
            if event == "line" and cell != SHELL:
                nonlocal nothing_new
                here = (cell, frame.f_lineno + offset)
                if here not in record.lines:
                    record.lines.add(here)
                    nothing_new = 0
                else:
                    nothing_new += 1
                    if nothing_new > MANY_LINES:
                        frame.f_trace_lines = False
            elif event == "opcode":
                found = opcodes.get(frame.f_lasti)
                if found:
                    self._opcode(found, frame)
            return local

        return local

    def _opcode(self, found: tuple[str, str], frame: FrameType) -> None:
        operation, name = found
        if operation == "STORE_GLOBAL":
            self.namespace.saw_bind(name, True)
        elif operation == "DELETE_GLOBAL":
            self.namespace.binder.pop(name, None)
        elif name not in frame.f_locals and dict.__contains__(self.namespace, name):
            self.namespace.saw_read(name, frame)


class Session:
    """IPython with a recording namespace; :meth:`run` runs one cell and returns its record."""

    def __init__(self) -> None:
        from IPython.core.interactiveshell import InteractiveShell
        from traitlets.config import Config

        config = Config()
        config.HistoryManager.enabled = False
        config.InteractiveShell.colors = "NoColor"
        config.InteractiveShell.xmode = "Minimal"
        self.namespace = RecordingNamespace()
        self.shell = cast(Any, InteractiveShell).instance(user_ns=self.namespace, config=config)
        self.tracer = Tracer(self.namespace)
        self._source = ""
        self._cell = 0
        self._name_code()
        self._watch_interpolation()
        self.shell.register_magic_function(_no_windows, "line", "matplotlib")

    def _name_code(self) -> None:
        """File names of compiled code say the cell, and the lines that IPython took off its top."""
        session = self
        compiler = self.shell.compile

        def code_name(raw: str, transformed: str, number: int) -> str:
            blank = len(raw) - len(raw.lstrip("\n \t"))
            offset = raw[:blank].count("\n")
            if raw.strip() != session._source.strip():
                offset = session._magic_lines()
            return f"<cell {session._cell} {offset}>"

        class Compiler(type(compiler)):  # type: ignore[misc]
            def __call__(self, source: Any, filename: str, symbol: str, *rest: Any) -> Any:
                if filename.startswith("<timed") and session._magic_lines():
                    filename = f"<cell {session._cell} {session._magic_lines()}>"
                return super().__call__(source, filename, symbol, *rest)

        compiler.get_code_name = code_name
        compiler.__class__ = Compiler

    def _magic_lines(self) -> int:
        """How many lines stand above the body of the running cell's cell magic; 0 without one."""
        lead = len(self._source) - len(self._source.lstrip())
        magic, _, body = self._source[lead:].partition("\n")
        if not magic.startswith("%%"):
            return 0
        blank = len(body) - len(body.lstrip())
        return self._source[:lead].count("\n") + 1 + body[:blank].count("\n")

    def _watch_interpolation(self) -> None:
        """``{x}`` and ``$x`` in magics read a copy of the namespace: record the names in them."""
        expand: Callable[..., Any] = self.shell.var_expand
        namespace = self.namespace

        def var_expand(command: str, depth: int = 0, *args: Any, **more: Any) -> Any:
            for name in interpolated_names(command):
                if name in namespace:
                    namespace.saw_read(name, None)
            return expand(command, depth + 1, *args, **more)

        self.shell.var_expand = var_expand

    def run(self, cell: int, source: str, limit: float) -> Record:
        """Run ``source`` as cell number ``cell``, for ``limit`` seconds at most."""
        record = Record(cell)
        self._source, self._cell = source, cell
        namespace = self.namespace

        def too_long(signum: int, frame: object) -> None:
            raise CellTimeout(f"more than {limit:g} s")

        before = signal.signal(signal.SIGALRM, too_long)
        signal.setitimer(signal.ITIMER_REAL, limit)
        started = time.monotonic()
        namespace.record = record
        self.tracer.calls.clear()
        threading.settrace(self.tracer)
        sys.settrace(self.tracer)
        try:
            result = self.shell.run_cell(source, store_history=True)
        except CellTimeout as error:
            result = None
            record.status, record.error = "timeout", str(error)
        finally:
            sys.settrace(None)
            threading.settrace(None)
            namespace.record = None
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
            record.seconds = time.monotonic() - started
        problem = result and (result.error_before_exec or result.error_in_exec)
        if problem:
            record.status = "timeout" if isinstance(problem, CellTimeout) else "error"
            record.error = f"{type(problem).__name__}: {problem}"[:300]
        if source.lstrip().startswith("%%timeit"):
            # IPython compiles the body into a template of its own, whose lines say nothing.
            record.lines |= {(cell, line + 1) for line in range(source.count("\n") + 1)}
        return record


def _no_windows(*_: object) -> None:
    """Stands for ``%matplotlib``: figures stay in memory."""


def interpolated_names(command: str) -> Iterator[str]:
    """Names in the ``{expression}`` and ``$name`` parts of a magic's or system command's text."""
    try:
        fields = [field for _, field, _, _ in string.Formatter().parse(command) if field]
    except ValueError:
        fields = []
    for field in fields:
        try:
            tree = ast.parse(field.strip(), mode="eval")
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Name):
                yield node.id
    yield from re.findall(r"(?<!\$)\$([A-Za-z_]\w*)", command)
