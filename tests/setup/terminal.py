"""How ./learn's Python parts write: how wide a line may be, where it may break, and what is coloured.

The rule, for ./learn too: a line ends at COLUMNS if that is set, else where the terminal ends that
we write to, complain to or read from; without one, after 80 columns. What is updated in place, or
has a colour, is for terminals alone; NO_COLOR, TERM=dumb and CI turn both off.

As a program, it quotes what it reads: ./learn shows logs so.
"""
from __future__ import annotations

import functools
import os
import re
import sys
import textwrap
from contextlib import suppress

COLOUR = re.compile(r"\033\[\d+m")
# What stays in one line if it can: code between backquotes, and a command that the reader may type.
UNBROKEN = re.compile(
    r"`[^`\n]+`|\./learn(?: yours)?(?: [a-z]+(?=[ .,;:)]|$)(?: (?:--?\w[\w-]*|(?:[\dY][\w.]*)?\d|'[^']*'|[\w.+-]*/[\w./+-]*))*)?")

# Code that a compiler shows, with its number or below one, and the line that points at a place in it.
LISTED = re.compile(r" *(?:\d+|\+\+\+)? +\|(?:[ +]|$)")
POINTER = re.compile(r"[ ~^]*\^[ ~^]*")


def width() -> int:
    with suppress(KeyError, ValueError):
        if (columns := int(os.environ["COLUMNS"])) > 0:
            return max(columns, 20)
    for stream in (1, 2, 0):  # what goes into a pipe or a shell's $(...) mostly ends on the same terminal
        with suppress(OSError):
            if columns := os.get_terminal_size(stream).columns:
                return max(columns, 20)
    return 80


def wrapped(text: str, columns: int = 0) -> str:
    """The text in lines that fit. Each of its lines keeps its indentation, and one that begins with
    four blanks is code, or a path, or quoted, and stays as it is."""
    return "\n".join(_wrapped_line(line, columns or width()) for line in text.split("\n"))


def quoted(lines: list[str], margin: int = 4) -> str:
    """What another program has printed, further in. A line that is too long goes on below, with two
    more blanks. But a line of code stays in one line with what points into it: see _cut."""
    room, shown, at = width() - margin, [], 0
    while at < len(lines):
        end = at + 1
        if LISTED.match(lines[at]):
            while end < len(lines) and LISTED.match(lines[end]) and not re.match(" *[0-9]", lines[end]):
                end += 1
            shown += _cut(lines[at:end], lines[at].index("|") + 1, room)
        elif POINTER.fullmatch("".join(lines[end:end + 1])):
            end += 1
            shown += _cut(lines[at:end], 0, room)
        else:
            text = lines[at].strip()
            lead = " " * (len(lines[at].rstrip()) - len(text))
            shown += textwrap.wrap(text, room, initial_indent=lead, subsequent_indent=f"{lead}  ", break_long_words=False,
                                   break_on_hyphens=False) if len(lines[at]) > room else [lead + text]
        at = end
    return "\n".join(f"{' ' * margin}{line}".rstrip() for line in shown)


def _cut(lines: list[str], left: int, room: int) -> list[str]:
    """A line of code, and below it what points into it. If that is too wide, all are cut at the same
    columns, around the first place: broken by us or by the terminal, it would point elsewhere."""
    room -= left
    if room < 10 or all(len(line) <= left + room for line in lines):
        return lines
    place = max(next((line.find("^") for line in lines[1:] if "^" in line), 0) - left, 0)
    begin = place - room // 2 if place > room - 10 else 0

    def part(text: str) -> str:
        seen = text[begin:begin + room]
        if text[:begin].strip():
            seen = f"...{seen[3:]}"
        return f"{seen[:-3]}..." if len(text) > begin + room else seen
    return [line[:left] + part(line[left:]) for line in lines]


def _wrapped_line(line: str, columns: int) -> str:
    if len(COLOUR.sub("", line)) <= columns or line.startswith("    "):
        return line
    lead = re.match(r" *(?:[-*] |\d+\. )?", line)[0]
    room = columns - len(lead)
    glued = UNBROKEN.sub(lambda found: found[0].replace(" ", "\0") if len(found[0]) < room else found[0], line[len(lead):])
    return "\n".join(textwrap.wrap(
        glued, columns, initial_indent=lead, subsequent_indent=" " * len(lead), break_long_words=False,
        break_on_hyphens=False)).replace("\0", " ")


def table(rows: dict[str, str]) -> str:
    """Lines as in `./learn help`: what can be typed, and behind that, or below it if there is no room, what it does."""
    at = max(map(len, rows)) + 4
    if width() - at < 24:
        return "\n".join(f"  {typed}\n" + textwrap.fill(
            does, width(), initial_indent=" " * 6, subsequent_indent=" " * 6, break_on_hyphens=False) for typed, does in rows.items())
    return "\n".join(textwrap.fill(does, width(), initial_indent=f"  {typed:<{at - 2}}", subsequent_indent=" " * at,
                                   break_on_hyphens=False) for typed, does in rows.items())


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


def on_terminal(stream=None) -> bool:
    """May what is printed have colours, or be updated in place?"""
    environment = os.environ
    return (stream or sys.stdout).isatty() and environment.get("TERM", "dumb") != "dumb" and not environment.get("NO_COLOR") \
        and not environment.get("CI")


def painted(text: str, code: str) -> str:
    return f"\033[{code}m{text}\033[0m" if on_terminal() else text


bold, red, green = (functools.partial(painted, code=code) for code in ["1", "31", "32"])


def say(*words: object, sep: str = " ", end: str = "\n", file=None):
    """Prints it at once, in lines that fit."""
    print(wrapped(sep.join(map(str, words))), end=end, file=file, flush=True)



if __name__ == "__main__":
    for stream in (sys.stdin, sys.stdout):
        stream.reconfigure(errors="surrogateescape")  # whatever bytes they are
    print(quoted(sys.stdin.read().splitlines()))
