"""The module that live scenes carry: compiled once, and kept until its sources change."""
from __future__ import annotations

import sys

from traces import ROOT

sys.path.append(str(ROOT / "tests" / "live" / "wasm"))
from make_modules import NoModule, page_module  # noqa: E402, F401  (its folder is on the path now)

KEPT = ROOT / ".learn" / "live"


def is_kept() -> bool:
    """False: `program` will have to compile it."""
    return (KEPT / "live.wasm").exists()


def program() -> bytes:
    """Takes some ten seconds if it has to be compiled. Throws NoModule if no compiler here can do it."""
    return page_module(KEPT).read_bytes()
