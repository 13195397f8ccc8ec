"""Bad notebook files: what is in them, and the one finding that each must give."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

TRAP = "import os\nos.system('touch TRAPPED')\nopen('TRAPPED', 'w').write('x')\n"
"""Code that leaves a mark where anything runs it."""

YAML_TRAP = "!!python/object/apply:os.system ['touch TRAPPED']"


@dataclass(frozen=True)
class Bad:
    """A file ``bad.ipynb`` and what is said of it.

    ``exit``: of ``check``. ``code``: the finding (warnings and errors count; None: there is none), at
    ``cell`` and ``line``. ``export``: the exit code of ``export``, where it differs from ``exit``.
    ``several``: there may be other findings beside this one.
    """

    id: str
    data: bytes
    exit: int
    code: str | None = None
    cell: int | None = None
    line: int = 1
    export: int | None = None
    several: bool = False


def cell(source: Any, tags: Any = None, kind: Any = "code", **more: Any) -> dict[str, Any]:
    """A cell as nbformat 4 writes it."""
    metadata = {} if tags is None else {"tags": [tags] if isinstance(tags, str) else tags}
    found: dict[str, Any] = {"cell_type": kind, "metadata": metadata, "source": source}
    if kind == "code":
        found |= {"execution_count": None, "outputs": []}
    return found | more


def notebook(*cells: Any, **more: Any) -> bytes:
    """A notebook file of nbformat 4."""
    content = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells)}
    return json.dumps(content | more).encode()


GOOD = notebook(cell("import math\nprint(math.pi)", "component:main"))
A = "component:a"
FINE = cell("print(1)", A)


def contract(text: str, *more: Any) -> bytes:
    """A notebook with a contract cell (cell 0) for component ``a`` (cell 1)."""
    return notebook(cell(text, "contract:a", "raw"), cell("print(x)", A), *more)


def code(text: str) -> bytes:
    """A notebook with this code in cell 1."""
    return notebook(cell(TRAP), cell(text, A))


def tagged(*tags: Any) -> bytes:
    """A notebook whose cell 1 has these tags."""
    return notebook(cell(TRAP), cell("print(1)", list(tags)))


_WHOLE = GOOD.decode()

NOT_NOTEBOOKS = [
    Bad("empty", b"", 2, "NBC902"),
    Bad("white-space", b" \n\t\n", 2, "NBC902"),
    Bad("nul-bytes", b"\0" * 5000, 2, "NBC902"),
    Bad("random-bytes", bytes(range(256)) * 9, 2, "NBC902"),
    Bad("text", b"import os\n", 2, "NBC902"),
    Bad("trap-as-file", TRAP.encode(), 2, "NBC902"),
    Bad("html", b"<!DOCTYPE html><html></html>", 2, "NBC902"),
    Bad("merge-conflict", b"<<<<<<< HEAD\n" + GOOD, 2, "NBC902"),
    Bad(
        "conflict-inside",
        GOOD.replace(b'"metadata"', b'\n=======\n"metadata"', 1),
        2,
        "NBC902",
        line=2,
    ),
    Bad("truncated", GOOD[:-40], 2, "NBC902"),
    Bad("truncated-in-a-string", GOOD[: GOOD.index(b"math.pi")], 2, "NBC902"),
    Bad("half-an-escape", GOOD[: GOOD.index(b"\\n") + 1], 2, "NBC902"),
    Bad("two-documents", GOOD + b"\n" + GOOD, 2, "NBC902", line=2),
    Bad("python-literal", str(json.loads(_WHOLE)).encode(), 2, "NBC902"),
    Bad("trailing-comma", GOOD[:-1] + b",}", 2, "NBC902"),
    Bad("array", b"[1, 2, 3]", 2, "NBC902"),
    Bad("array-of-notebooks", b"[" + GOOD + b"]", 2, "NBC902"),
    Bad("string", b'"a notebook"', 2, "NBC902"),
    Bad("number", b"42", 2, "NBC902"),
    Bad("null", b"null", 2, "NBC902"),
    Bad("nan", b"NaN", 2, "NBC902"),
    Bad("package-json", b'{"name": "x", "version": "1.0.0"}', 2, "NBC902"),
    Bad("no-cells", b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}}', 2, "NBC902"),
    Bad("cells-null", notebook(cells=None), 2, "NBC902"),
    Bad("cells-object", notebook(cells={"0": FINE}), 2, "NBC902"),
    Bad("cells-text", notebook(cells="[]"), 2, "NBC902"),
    Bad("cells-number", notebook(cells=7), 2, "NBC902"),
    Bad("latin-1", GOOD.replace(b"math.pi", b"'\xe9'"), 2, "NBC902"),
    Bad("half-a-character", GOOD.replace(b"math.pi", b"'\xf0\x9f'"), 2, "NBC902"),
    Bad("gzip", b"\x1f\x8b\x08\x00" + bytes(200), 2, "NBC902"),
    Bad("deep-json", b"[" * 100_000, 2, "NBC902"),
    Bad("deep-json-closed", b"[" * 100_000 + b"]" * 100_000, 2, "NBC902"),
    Bad("deep-objects", b'{"a":' * 100_000 + b"1" + b"}" * 100_000, 2, "NBC902"),
    Bad(
        "worksheets-cells-text",
        json.dumps({"nbformat": 3, "worksheets": [{"cells": "x"}]}).encode(),
        2,
        "NBC902",
    ),
    Bad("nbformat-2-broken", json.dumps({"nbformat": 2, "worksheets": 5}).encode(), 2, "NBC902"),
    Bad("nbformat-1-broken", json.dumps({"nbformat": 1, "metadata": 4}).encode(), 2, "NBC902"),
]
"""Files that are no notebooks at all: exit code 2."""

READ_ANYWAY = [
    Bad("byte-order-mark", b"\xef\xbb\xbf" + GOOD, 0),
    Bad("utf-16", GOOD.decode().encode("utf-16"), 0),
    Bad("crlf-file", json.dumps(json.loads(_WHOLE), indent=1).replace("\n", "\r\n").encode(), 0),
    Bad("crlf-source", notebook(cell("import math\r\nprint(math.pi)\r\n", A)), 0),
    Bad("nbformat-missing", json.dumps({"cells": [FINE]}).encode(), 0),
    Bad("nbformat-text", notebook(FINE, nbformat="4"), 0),
    Bad("nbformat-99", notebook(FINE, nbformat=99), 0),
    Bad("nbformat-nan", notebook(FINE, nbformat=float("nan")), 0),
    Bad("nbformat-infinite", notebook(FINE, nbformat=float("inf")), 0),
    Bad("nbformat-huge", b'{"nbformat": 1' + b"0" * 6000 + b', "cells": []}', 0),
    Bad("nan-in-outputs", notebook(cell("1", A, outputs=[float("nan")])), 0),
    Bad("infinity-in-metadata", notebook(FINE, metadata={"a": float("-inf")}), 0),
    Bad("huge-integer", notebook(FINE, metadata={"a": 0}).replace(b'"a": 0', b'"a": ' + b"9" * 9000), 0),
    Bad("huge-execution-count", notebook(cell("print(1)", A, execution_count=10**300)), 0),
    Bad("negative-execution-count", notebook(cell("print(1)", A, execution_count=-5)), 0),
    Bad("duplicate-keys", GOOD[:-1] + b', "cells": []}', 0),
    Bad("metadata-list", notebook(FINE, metadata=[1, 2]), 0),
    Bad("kernelspec-text", notebook(FINE, metadata={"kernelspec": "python3"}), 0),
    Bad("language-number", notebook(FINE, metadata={"language_info": {"name": 5}}), 0),
    Bad("outputs-text", notebook(cell("print(1)", A, outputs="none")), 0),
    Bad("cell-metadata-list", notebook(cell("1", None, metadata=[]), FINE), 0),
    Bad("deep-metadata", notebook(FINE).replace(b'"metadata": {}', b'"metadata": ' + b'{"a":' * 900 + b"1" + b"}" * 900, 1), 0),
    Bad("empty-source-list", notebook(cell([], A)), 0),
    Bad("no-source", notebook({"cell_type": "code", "metadata": {}}), 0),
    Bad("no-cells-in-it", notebook(), 0),
    Bad("many-empty-cells", notebook(*[cell("")] * 20_000), 0),
    Bad("outputs-of-5-MB", notebook(cell("print(1)", A, outputs=[{"output_type": "stream", "text": "x" * 5_000_000}])), 0),
]  # fmt: skip
"""Odd files that Jupyter, or its users, make: they are read."""

CELLS = [
    Bad("cell-is-null", notebook(None, FINE), 1, "NBC905", 0),
    Bad("cell-is-number", notebook(FINE, 3), 1, "NBC905", 1),
    Bad("cell-is-list", notebook([FINE], FINE), 1, "NBC905", 0),
    Bad("source-number", notebook(cell(5), FINE), 1, "NBC905", 0),
    Bad("source-null", notebook(cell(None), FINE), 1, "NBC905", 0),
    Bad("source-object", notebook(cell({"a": "b"}), FINE), 1, "NBC905", 0),
    Bad("source-nested-list", notebook(cell([["print(1)"]]), FINE), 1, "NBC905", 0),
    Bad("source-mixed-list", notebook(cell(["a = 1\n", 5]), FINE), 1, "NBC905", 0),
    Bad("cell-type-unknown", notebook(cell("1", kind="sql"), FINE), 1, "NBC905", 0),
    Bad("cell-type-list", notebook(cell("1", kind=["code"]), FINE), 1, "NBC905", 0),
    Bad("cell-type-missing", notebook({"source": "1", "metadata": {}}, FINE), 1, "NBC905", 0),
    Bad("cell-type-long", notebook(cell("1", kind="x" * 100_000), FINE), 1, "NBC905", 0),
]
"""Cells that cannot be read, among cells that can."""

SYNTAX = [
    Bad("syntax-error", code("x = 1\ny = = 2"), 1, "NBC903", 1, 2),
    Bad("python-2", code("print 'x'"), 1, "NBC903", 1),
    Bad("null-character", code("x = 'a\0b'"), 1, "NBC903", 1),
    Bad("lone-surrogate", code("x = '\ud800'"), 1, "NBC903", 1),
    Bad("unfinished-string", code("a = 1\nx = '''abc"), 1, "NBC903", 1, 2),
    Bad("unfinished-f-string", code("x = f'{"), 1, "NBC903", 1),
    Bad("tabs-and-blanks", code("if 1:\n\tx = 1\n        y = 2"), 1, "NBC903", 1, 3),
    Bad("bad-indent", code("if 1:\nx = 1"), 1, "NBC903", 1, 2),
    Bad("odd-character", code("x = 1 \u2028 y = 2"), 1, "NBC903", 1),
    Bad("zero-width-space", code("x\u200b = 1"), 1, "NBC903", 1),
    Bad("right-to-left-override", code("x = 1 \u202e # ) ("), 1, "NBC903", 1),
    Bad("many-brackets", code("x = " + "(" * 10_000 + ")" * 10_000), 1, "NBC903", 1),
    Bad("unclosed-brackets", code("x = " + "[" * 10_000), 1, "NBC903", 1),
    Bad("deep-minus", code("x = " + "-" * 50_000 + "1"), 1, "NBC903", 1),
    Bad("deep-not", code("x = " + "not " * 20_000 + "1"), 1, "NBC903", 1),
    Bad("deep-lambda", code("x = " + "lambda: " * 5_000 + "1"), 1, "NBC903", 1),
    Bad("deep-power", code("x = " + "2 ** " * 5_000 + "2"), 1, "NBC903", 1),
    Bad("long-sum", code("x = " + " + ".join(["1"] * 20_000)), 1, "NBC903", 1),
    Bad("long-attribute-chain", code("import a\nx = a" + ".b" * 3_000), 1, "NBC903", 1),
    Bad("long-call-chain", code("import a\nx = a" + ".b()" * 3_000), 1, "NBC903", 1),
    Bad("long-subscript-chain", code("x = []" + "[0]" * 3_000), 1, "NBC903", 1),
    Bad("long-elif-chain", code("if 1: pass\n" + "elif 2: pass\n" * 3_000), 1, "NBC903", 1),
    Bad("long-conditional", code("x = " + "1 if 2 else " * 3_000 + "3"), 1, "NBC903", 1),
    Bad("many-levels", code("".join(" " * n + "if 1:\n" for n in range(200)) + " " * 200 + "x = 1"), 1, "NBC903", 1, 101),
    Bad("many-functions-in-functions", code("".join(" " * n + f"def f{n}():\n" for n in range(150)) + " " * 150 + "pass"), 1, "NBC903", 1, 101),
    Bad("integer-too-long", code("x = " + "9" * 5_000), 1, "NBC903", 1),
    Bad("nested-f-strings", code("x = f'" + "{f'" * 300 + "1" + "'}" * 300 + "'"), 1, "NBC903", 1),
    Bad("magics-in-magics", code("%%time\n" * 5_000 + "x = 1"), 1, "NBC903", 1, several=True),
    Bad("contradicting-escapes", code("%time x = (\n!ls {x"), 1, "NBC903", 1, several=True),
    Bad("not-python-but-fine-elsewhere", notebook(cell("y = = 2"), cell("print(1)", A)), 1, "NBC903", 0),
]  # fmt: skip
"""Cells that are no Python: one finding each, and the other cells are read."""

FINE_CODE = [
    Bad("long-line", code("x = '" + "a" * 5_000_000 + "'"), 0),
    Bad("long-and-chain", code("x = " + " and ".join(["1"] * 20_000)), 0),
    Bad("huge-f-string", code("y = 1\nx = f'" + "{y}" * 2_000 + "'"), 0),
    Bad("huge-list", code("x = [" + "1, " * 20_000 + "]"), 0),
    Bad("long-name", code("a" * 1_000_000 + " = 1"), 0),
    Bad("chain-of-400-terms", code("x = " + " + ".join(["1"] * 400)), 0),
    Bad("ninety-levels", code("".join(" " * n + "if 1:\n" for n in range(90)) + " " * 90 + "x = 1"), 0),
    Bad("form-feed", code("x = 1\n\x0cy = 2"), 0),
    Bad("comments-only", code("# a\n" * 50_000), 0),
    Bad("backslashes", code("x = 1 + \\\n" + "1 + \\\n" * 400 + "1"), 0),
    Bad("normalised-names", code("\ufb01 = 1\nprint(fi)"), 0),
    Bad("homoglyphs", code("\u0430 = 1\nprint(\u0430)"), 0),
    Bad("many-statements", code("x = 0\n" + "x = x + 1\n" * 3_000), 0),
    Bad("names-of-python-itself", code("__builtins__ = None\n__name__ = 'x'\n__file__ = 'y'"), 0),
]  # fmt: skip
"""Large or odd code that is Python."""

TAGS = [
    *(
        Bad(f"tag-{number}", tagged(f"component:{name}"), 1, "NBC201", 1)
        for number, name in enumerate(
            (
                "", " ", "../x", "/etc/x", "a/b", "a\\b", "..", ".", "~", "a b", "A", "Train", "1a", "_a", "a-b",
                "a.b", "a:b", "a\n", "a\0", "\ud800", "é", "ﬁ", "ａ", "a\u200b", "a\u202e", "$(touch TRAPPED)",
                "`touch TRAPPED`", "a;touch TRAPPED", "{x}", "%s", "{{x}}", "C:", "\\\\server\\x", "file:///x",
                "a" * 201, "a" * 1_000_000, "<script>", "'a'", '"a"', "*", "?", "#a", "-a", "--help",
            )
        )
    ),
    Bad("tags-text", notebook(cell(TRAP), cell("1", None, metadata={"tags": "component:a"})), 1, "NBC209", 1),
    Bad("tags-number", notebook(cell("1", None, metadata={"tags": 5})), 1, "NBC209", 0),
    Bad("tags-mixed", notebook(cell("print(1)", [A, 5, None, ["x"]])), 1, "NBC209", 0),
    Bad("shared-and-component", tagged("shared", A), 1, "NBC203", 1),
    Bad("directive-with-path", notebook(cell("#| component: ../../x\nprint(1)")), 1, "NBC201", 0),
    Bad("tag-and-directive-differ", notebook(cell("#| component: b\nprint(1)", A)), 1, "NBC202", 0),
    Bad("contract-on-code", notebook(cell("component: a", "contract"), FINE), 1, "NBC204", 0),
    Bad("script-outside", notebook(cell("%%writefile ../../x.py\nprint(1)", A)), 0),
    Bad("script-absolute", notebook(cell("%%writefile /tmp/x.py\nprint(1)", A)), 0),
    Bad("script-variable", notebook(cell("%%writefile $name.py\nprint(1)", A)), 1, "NBC205", 0),
    Bad("script-no-python", notebook(cell("%%writefile x.py\nprint(", A)), 1, "NBC903", 0, 2, several=True),
    Bad("foreign-tags", tagged(A, *(f"foreign:{n}" for n in range(5_000))), 0),
    Bad("hundred-components", tagged(*(f"component:c{n}" for n in range(100))), 0),
    Bad("longest-name", tagged("component:" + "a" * 200), 0),
    *(
        Bad(f"reserved-{name}", tagged(f"component:{name}"), 0)
        for name in ("con", "nul", "aux", "prn", "com1", "lpt9", "class", "import", "none", "test", "json", "os")
    ),
]  # fmt: skip
"""Tags and directives. What is said of the last ones is said by export, if at all."""

CONTRACTS = [
    Bad("python-object", contract(f"inputs: {YAML_TRAP}"), 1, "NBC210", 0, several=True),
    Bad("python-name", contract("component: !!python/name:os.system"), 1, "NBC210", 0, several=True),
    Bad("python-tuple", contract("include: !!python/tuple [a]"), 1, "NBC210", 0, several=True),
    Bad("unknown-tag", contract("version: !x 1"), 1, "NBC210", 0, several=True),
    Bad("binary-tag", contract("version: !!binary aGk="), 1, "NBC210", 0, several=True),
    Bad("set-tag", contract("inputs: !!set {a, b}"), 1, "NBC210", 0, several=True),
    Bad("tag-directive", contract("%TAG ! tag:yaml.org,2002:python/\n---\nversion: !name:os.system x"), 1, "NBC210", 0, several=True, line=3),
    Bad("alias-bomb", contract("\n".join(["a0: &a0 [x, x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12))])), 1, "NBC210", 0, several=True, line=6),
    Bad("alias-in-itself", contract("inputs: &a\n  x: *a"), 1, "NBC210", 0, several=True, line=2),
    Bad("merge-in-itself", contract("inputs: &a\n  <<: *a"), 1, "NBC210", 0, several=True, line=2),
    Bad("alias-without-anchor", contract("inputs: *nothing"), 1, "NBC210", 0, several=True),
    Bad("deep-yaml", contract("inputs: " + "[" * 5_000 + "]" * 5_000), 1, "NBC210", 0, several=True),
    Bad("deep-blocks", contract("".join(" " * n + "a:\n" for n in range(2_000))), 1, "NBC210", 0, several=True, line=65),
    Bad("ten-megabytes", contract("x: " + "y" * 10_000_000), 1, "NBC210", 0, several=True),
    Bad("too-many-values", contract("include: [" + "a, " * 250_000 + "a]"), 1, "NBC210", 0, several=True),
    Bad("tab-indent", contract("inputs:\n\tx: 1"), 1, "NBC210", 0, several=True, line=2),
    Bad("unclosed", contract("inputs: {x: ["), 1, "NBC210", 0, several=True),
    Bad("two-yaml-documents", contract("component: a\n---\ncomponent: a"), 1, "NBC210", 0, several=True, line=2),
    Bad("yaml-null-character", contract("component: a\0b"), 1, "NBC210", 0, several=True),
    Bad("yaml-surrogate", contract("description: \ud800"), 1, "NBC210", 0, several=True),
    Bad("huge-number", contract("parameters: {x: {type: integer, default: " + "9" * 5_000 + "}}"), 1, "NBC210", 0, several=True),
    Bad("list-not-mapping", contract("- a\n- b"), 1, "NBC2", 0, several=True),
    Bad("text-not-mapping", contract("hello"), 1, "NBC2", 0, several=True),
    Bad("unknown-key", contract("nonsense: 1"), 1, "NBC2", 0, several=True),
    Bad("duplicate-key", contract("component: a\ncomponent: a"), 1, "NBC2", 0, several=True, line=2),
    *(
        Bad(f"wrong-type-{key}-{number}", contract(f"{key}: {value}"), 1, "NBC2", 0, several=True)
        for key in (
            "component", "version", "inputs", "parameters", "outputs", "metrics", "invalid_when", "deterministic",
            "environment", "environment_variables", "include", "compute", "distribution", "checkpoint", "smoke",
        )
        for number, value in enumerate(("[[1]]", "{a: {b: {c: 1}}}", "1.5e3", "'../../../etc/passwd'"))
        if (key, number) not in {("smoke", 1), ("compute", 1), ("distribution", 1), ("version", 2), ("component", 3)}
    ),
    Bad("include-outside", contract("include: [../../../etc/passwd]"), 1, "NBC2", 0, several=True),
    Bad("include-absolute", contract("include: [/etc/passwd]"), 1, "NBC2", 0, several=True),
    Bad("conda-outside", contract("environment: {image: x, conda: ../../../etc/passwd}"), 1, "NBC225", 0, several=True),
    Bad("port-named-path", contract("inputs: {../x: {type: uri_file}}"), 1, "NBC2", 0, several=True),
    Bad("file-outside", contract("outputs: {x: {type: uri_folder, files: [../../x]}}"), 1, "NBC2", 0, several=True),
    Bad("from-a-path", contract("inputs: {x: {type: uri_file, from: ../b.y}}"), 1, "NBC2", 0, several=True),
]  # fmt: skip
"""Contract cells. The component reads ``x``, which nothing else gives it, so that there are other findings."""

OTHER_LANGUAGES = [
    Bad(f"kernel-{name[:12]}", notebook(cell("x <- 1", A), metadata={"kernelspec": {"name": name, "language": language}}), 1, "NBC904", 0)
    for name, language in (("ir", "R"), ("julia-1.9", "julia"), ("bash", "bash"), ("x", "c++"), ("x" * 9_000, "y" * 9_000))
]  # fmt: skip

ALL = [
    *NOT_NOTEBOOKS,
    *READ_ANYWAY,
    *CELLS,
    *SYNTAX,
    *FINE_CODE,
    *TAGS,
    *CONTRACTS,
    *OTHER_LANGUAGES,
]
