"""Hostile input: helpers stand beside the tests, so their folder (and that of the fuzzer) is put on the path."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "bench")]
