"""The module that live scenes carry: compiled once, and kept until its sources change."""
from __future__ import annotations

import shutil
import sys

from traces import ROOT

sys.path.append(str(ROOT / "tests" / "live" / "wasm"))
from make_modules import COMPILERS, NoModule, page_module  # noqa: E402, F401  (its folder is on the path now)

KEPT = ROOT / ".learn" / "live"


def will_compile() -> bool:
    """Does `program` begin with a compiler's work?"""
    return not (KEPT / "live.wasm").exists() and any(map(shutil.which, COMPILERS))


def program() -> bytes:
    """Takes some ten seconds if it has to be compiled. Throws NoModule if no compiler here can do it."""
    return page_module(KEPT).read_bytes()
