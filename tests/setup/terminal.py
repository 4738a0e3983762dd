"""How ./learn's Python parts write: how wide a line may be, where it may break, and what is coloured.

The rule, for ./learn too: a line ends at COLUMNS if that is set, else where the terminal ends, and
in a file or a pipe after 80 columns. What is updated in place, or has a colour, is for terminals
alone; NO_COLOR, TERM=dumb and CI turn both off.
"""
from __future__ import annotations

import functools
import os
import re
import shutil
import sys
import textwrap

COLOUR = re.compile(r"\033\[\d+m")
# What stays in one line if it can: code between backquotes, and a command that the reader may type.
UNBROKEN = re.compile(
    r"`[^`\n]+`|\./learn(?: yours)?(?: [a-z]+(?=[ .,;:)]|$)(?: (?:--?\w[\w-]*|[\dY][\w.]*\d|'[^']*'|[\w.+-]*/[\w./+-]*))*)?")


def width() -> int:
    return max(shutil.get_terminal_size((80, 24)).columns, 20)


def wrapped(text: str, columns: int = 0) -> str:
    """The text in lines that fit. Each of its lines keeps its indentation, and one that begins with
    four blanks is code, or another program's output, which stays as it is."""
    return "\n".join(_wrapped_line(line, columns or width()) for line in text.split("\n"))


def _wrapped_line(line: str, columns: int) -> str:
    if len(COLOUR.sub("", line)) <= columns or line.startswith("    "):
        return line
    lead = re.match(r" *(?:[-*] |\d+\. )?", line)[0]
    room = columns - len(lead)
    glued = UNBROKEN.sub(lambda found: found[0].replace(" ", "\0") if len(found[0]) < room else found[0], line[len(lead):])
    return "\n".join(textwrap.wrap(
        glued, columns, initial_indent=lead, subsequent_indent=" " * len(lead), break_long_words=False,
        break_on_hyphens=False)).replace("\0", " ")


def paragraphs(markdown: str) -> str:
    """Markdown as a terminal shows it: the lines of a paragraph are one text."""
    lines: list[str] = []
    for line in markdown.splitlines():
        goes_on = line.strip() and not re.match(r" {4}|[-*] |\d+\. ", line)
        if goes_on and lines and lines[-1].strip() and not lines[-1].startswith("    "):
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line)
    return wrapped("\n".join(lines))


def on_terminal() -> bool:
    """May what is printed have colours?"""
    environment = os.environ
    return sys.stdout.isatty() and environment.get("TERM") != "dumb" and not environment.get("NO_COLOR") \
        and not environment.get("CI")


def painted(text: str, code: str) -> str:
    return f"\033[{code}m{text}\033[0m" if on_terminal() else text


bold, red, green = (functools.partial(painted, code=code) for code in ["1", "31", "32"])


def say(*words: object, sep: str = " ", end: str = "\n", file=None):
    """Prints it at once, in lines that fit."""
    print(wrapped(sep.join(map(str, words))), end=end, file=file, flush=True)

