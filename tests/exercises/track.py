"""The track: exercises that build on each other until the reader has a runtime that crawls.

A part of exercises.py. Its exercises are steps (Y01, Y02, ...). Each adds one file to the reader's
folder, `yours`, and includes those of earlier steps. A reader who skips a step takes our file.
"""
from __future__ import annotations

import re
from pathlib import Path

from questions import write

YOURS = "yours"  # the reader's folder, beside those of the exercises

SAME = re.compile(r"// The same as in the book: ([^\s,]+)(?:, (\S+))?\n")


def solution_text(solution: Path, root: Path) -> str:
    """A step's solution, or another file that is given. What the book has, too, it only names: a file, or what
    a file has between two marks."""
    def of_book(same: re.Match) -> str:
        text, mark = (root / same[1]).read_text(encoding="utf-8"), same[2]
        if mark:
            text = text.split(f"// [{mark}]\n")[1].split(f"// [/{mark}]\n")[0]
        into_a_header = same[1].endswith(".cpp") and solution.suffix != ".cpp"
        return translated(in_a_header(text) if into_a_header else text)
    return SAME.sub(of_book, solution.read_text(encoding="utf-8"))


def in_a_header(text: str) -> str:
    """What a source file has, as it would be in a header: its functions are inline."""
    return re.sub(r"^(?=\w[^;{]*\([^;]*\{$)", "inline ", text, flags=re.M)


def translated(text: str) -> str:
    """One of the book's small versions, as it would be in the reader's folder."""
    text = re.sub(r"^ *// (\[/?[\w-]+\]|NOLINT\w*\(.*)\n", "", text, flags=re.M)
    text = re.sub(r" *// NOLINT.*", "", text)
    text = re.sub(r"(?<=namespace )(stage3::)?small\b", "yours", text)
    text = re.sub(r"\bdead_links\b", "yours", text)  # the program
    return re.sub(r'#include "stage\d_\w+/small/', '#include "', text)


def needed_files(text: str, texts: dict[str, str]) -> set[str]:
    """The files that `text` includes, directly or through others; `texts` has all of them by name."""
    found: set[str] = set()
    left = [text]
    while left:
        names = re.findall(r'^#include "(\w+\.h)"', left.pop(), re.M)
        new = set(names) & texts.keys() - found
        found |= new
        left += [texts[name] for name in new]
    return found


def assemble(files: dict[str, str], folder: Path):
    """Fills a reader's folder with these texts; a file that has its text already isn't touched."""
    for name, text in files.items():
        write(folder / name, text)
