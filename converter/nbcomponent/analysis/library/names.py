"""Names that every module has or that only IPython knows, and magics whose body is no Python."""

from __future__ import annotations

import re

IPYTHON_NAMES = re.compile(r"_+|In|Out|_i+|_i?\d+|_[iod]h|_exit_code")
"""Names that exist only in an IPython kernel (IPython documentation, "Output caching system")."""

MODULE_ATTRIBUTES = frozenset(
    [
        "__name__",
        "__doc__",
        "__file__",
        "__builtins__",
        "__builtin__",
        "__spec__",
        "__loader__",
        "__package__",
        "__annotations__",
        "__debug__",
        "__path__",
        "__dict__",
        "__cached__",
    ]
)

IPYTHON_BUILTINS = frozenset({"display", "get_ipython"})

NOT_PYTHON = frozenset(
    [
        "bash",
        "sh",
        "script",
        "system",
        "sx",
        "!",
        "html",
        "HTML",
        "javascript",
        "js",
        "latex",
        "markdown",
        "svg",
        "perl",
        "ruby",
        "python2",
        "pypy",
        "writefile",
        "file",
        "sql",
        "R",
        "cython",
        "bigquery",
        "spark",
        "configure",
        "cmd",
        "powershell",
    ]
)
"""Cell magics whose body is no Python of the notebook."""
