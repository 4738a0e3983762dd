"""What the book's builder needs beside Python: markdown-it reads Markdown, Pygments colours code.

Both come as packages of the system (python3-markdown-it, python3-pygments), and those belong to
the system's Python, which need not be the first in PATH. `./learn book` finds the right one; who
calls a script by hand is taken there by `run_with_them`.
"""
from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

MODULES = ("markdown_it", "pygments")
PACKAGES = "python3-markdown-it and python3-pygments"
PYTHON_OF_THE_SYSTEM = "/usr/bin/python3"
TRIED = "BOOK_PYTHON_TRIED"  # in the environment: so that nobody goes round in circles


def are_here() -> bool:
    return all(importlib.util.find_spec(name) for name in MODULES)


def run_with_them(status_without: int) -> None:
    """Returns if the modules are here. Else begins this script anew with the system's Python; if
    that hasn't got them, either, it says so and ends, with this exit status."""
    if are_here():
        return
    if Path(PYTHON_OF_THE_SYSTEM).exists() and TRIED not in os.environ:
        os.environ[TRIED] = "1"
        os.execv(PYTHON_OF_THE_SYSTEM, [PYTHON_OF_THE_SYSTEM, *sys.argv])
    print(f"{Path(sys.argv[0]).name}: the book can't be built without {PACKAGES}",
          file=sys.stderr)
    sys.exit(status_without)
