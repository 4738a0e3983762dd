#!/usr/bin/env python3
r"""Weaves code and program output into the pages of the book, and checks that all is true.

A tutorial lies as soon as its listings and its program differ. So nobody types code into a
page (book/*.md, README.md): the page says what it shows, and this script copies it there.
(book/README.md is no page of the book, it's the map; else it is treated like one.)

    book/weave.py                  brings all listings up to date
    book/weave.py --build build    runs the programs too, and records what they print
    book/weave.py --check          changes nothing; tells what is wrong (--build works here too)
    book/weave.py --list           which page shows which region
    book/weave.py --figures        how long pages and listings are, and what is left out of them

Code. In a source file, mark a region with a pair of plain comments, each alone on its line:
`// [name]` and `// [/name]` in C++, `# [name]` and `# [/name]` in Python, sh and meson, with
`--` in Lua. Regions may nest and overlap. In the page, write two marks; weave fills in what is between:

    <!-- code: common/system/selector.h#ready -->
    <!-- /code -->

A path starts at the repository's root; without `#name` it means the whole file. Listings
have no marker lines, and lose the indentation that all lines share. To show a change, say
from what: `<!-- code: new/future.h#set from=old/future.h#set -->` (or `from=name`, in the
same file). A C++ fence without marks is an error. Code that can't be woven says why, on the
line before its fence: `<!-- sketch: why -->`.

To leave lines out, tell a regular expression that finds them (and no other):

    <!-- code: stage2_coroutines/task.h#step without="trace[(]" without="NOLINT" -->

Each must find something (with from=, on either side). With a line goes all that its brackets
hold, up to the line that closes them; the `if`, `else`, `for` or `while` whose only statement
it is, if that has no braces; and with the last lines of a paragraph, a comment right above
them that is about nothing else. `// …` takes their place, one for neighbours, and below the
listing stands how many lines are left out.

A program that grows has lines that a page doesn't explain yet. later="REGEX" finds them as
`without` does, but nothing takes their place, so the listing is what the reader has so far. In
the next listing that has these lines, they are new: each gets a `+`, and nobody has to say so. If
no listing has them, that is an error.

    <!-- code: stage2_coroutines/small/coroutine.h#promise later="place" -->

The lines that the text is about are marked, with a bar in the site and on paper. (GitHub can't.)
point="REGEX" tells which. The expression is looked for in the whole listing, where `^` and `$` are
the ends of a line, and all lines that it touches are marked; it must be found exactly once:

    <!-- code: common/small/event_loop.h#event-loop point="select\(.*\n.*call" point="stop" -->

Output. `build/` in a command becomes the directory that --build names (also in $BUILD):

    <!-- run: build/stage1_callbacks/busy_fetch http://127.0.0.1:8000/ ; site="--pages 9" -->
    <!-- /run -->

`sh -c` runs it at the root, with LC_ALL=C, NO_COLOR=1, TERM=dumb and no input; stdout and stderr
share one pipe.
Options follow the command, each after ` ; ` (with a blank on either side):

    status=N          the exit status that is right (0); any other is an error
    site="OPTIONS"    start the practice site meanwhile; http://127.0.0.1:8000/ stands for it
    head=N, tail=N    keep only so many first, last lines; an ellipsis marks the gap
    timeout=SECONDS   give up after so long (60)
    terminal          stdout and stderr share a terminal of 80 columns and 50 rows, not a pipe. The
                      page gets what is to be read there in the end, as plain text: what a progress
                      line leaves, but no escape sequences. The site's port has four digits then,
                      like 8000, so that lines are as long as a reader's
    shows="COMMAND"   print this command in place of the one that runs
    normalise=WORDS   numbers: any number may differ between runs; order: the order of lines;
                      exact: nothing may (words are joined by commas)
    unchecked="WHY"   recorded once, never compared (a measurement that takes an hour)

These may always differ: numbers before a unit (ns us µs ms s min h, B kB MiB .. bytes, %,
x/s, x per second) or after port, pid, tid, process; ports of loopback addresses; 0x
addresses; dates and clock times; and the gap beside one of these, as far as it makes up for
its length, so that columns stay. The page keeps the figures of its run while new runs compare
equal. For new ones, empty the block.

Figures. More than 2000 words on a page (outside fences) are worth a warning. If it must be so
long, say why, anywhere on it: `<!-- long: why -->`; on a page that isn't, this is an error.
So is a listing or an output of more than 40 lines: split it by what is said about its parts, or
leave out what nothing is said about. Code to ignore is an error: what IGNORED finds, such as calls
to the tracer. Leave it out, or say that it is what the listing is about, and --figures prints that
(it is an error, too, if there is nothing to ignore):

    <!-- code: common/trace/tracer.h#calls about="traces" -->

Links to try a program. At the foot of a page, weave writes a link for each `run` whose program the
browser can run, if it fits (see try_it.py); nobody types them. --figures tells for all others why not.

Also checked: relative links and images (links to lines are woven, never typed); that some
page shows each region; that numbered pages have "Check your understanding" with at least
two <details>. In other fences and `inline code`, anything goes.
"""
from __future__ import annotations

import argparse
import difflib
import errno
import fcntl
import os
import random
import re
import shlex
import signal
import socket
import struct
import sys
import termios
import textwrap
import time
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from select import select
from subprocess import DEVNULL, Popen, TimeoutExpired
from typing import BinaryIO
from urllib.parse import quote, unquote

sys.dont_write_bytecode = True  # no __pycache__ beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "practice_site"))
import practice_site  # noqa: E402  (its folder has just been put on the path)
import try_it  # noqa: E402  (it is beside this file)

ME = "book/weave.py"
SOURCES = ["common", "stage1_callbacks", "stage2_coroutines", "stage3_queue_crawler", "tests",
           "book", "learn", ".ci", "meson.build"]
NOT_SOURCES = re.compile(r".+/(build[^/]*|__pycache__|\.[^/]*)/|tests/book/")
LANGUAGES = {".cpp": "cpp", ".h": "cpp", ".py": "python", ".sh": "sh", "": "sh", ".build": "meson",
             ".lua": "lua"}
COMMENTS = {"cpp": "//", "lua": "--"}  # what begins one; in all others it's a #
SITE = "http://127.0.0.1:8000"

MARKER = re.compile(r"(?://|#|--) \[(/?)([a-z0-9_-]+)\]")
MARK = re.compile(r"(?P<indent>\s*)<!-- (?:(?P<kind>code|run|sketch|long): "
                  r"(?P<body>\S(?:(?!-->).)*?)|/(?P<end>code|run)) -->\s*")
# What begins a statement that has another one in it, without braces.
HEADING_OF_ONE = re.compile(r"\s*(?:(?:\} )?else|for|while|if)\b(?!.*\{(?:\s*//.*)?$)")
LISTING = re.compile(r'(?P<path>[^\s#]+)(?:#(?P<name>\S+))?'
                     r'(?P<options>(?: (?:from=[^\s"]+|(?:without|later|point|about)="[^"]*"))*)')
FENCE = re.compile(r"(?:[\s>]|[-*+] |\d+[.)] )*(`{3,}|~{3,})\s*\{?\.?([\w+#-]*)[^`]*")
PASTED = {"cpp", "c++", "cc", "cxx", "c", "h", "hpp"}
# Comments and inline code: what is in there is neither a link nor a mark.
HIDDEN = re.compile(r"<!--.*?-->|(?<![\\`])(`+)(?!`)(?:(?!\n[ \t]*\n).)+?(?<!`)\1(?!`)", re.S)
HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.*)$", re.M)
LINK = re.compile(r"""\]\(\s*(<[^<>\n]*>|[^\s()<>]*(?:\([^\s()]*\)[^\s()]*)*)"""
                  r"""(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)""")
DEFINITION = re.compile(r"^[ >]*\[([^\]^][^\]]*)\]:\s*(\S+)", re.M)
ATTRIBUTE = re.compile(r"""(?<=\s)(?:src|srcset|href)\s*=\s*["']([^"']*)["']""")
REFERENCE = re.compile(r"\[([^\[\]]+)\]\[(?!\^)([^\[\]]*)\]")

OPTIONS = {"status": r"\d+", "site": r".*", "head": r"[1-9]\d*", "tail": r"[1-9]\d*",
           "timeout": r"\d+(\.\d+)?", "terminal": "", "shows": r".+", "unchecked": r".+",
           "normalise": r"\b(,?\b(numbers|order|exact))+"}
NUMBER = r"\d+(?:[,'\u00a0\u202f]\d{3})*(?:\.\d+)?"
UNIT = (r"(?:ns|us|[µμ]s|ms|s|secs?|seconds?|min|minutes?|h|hours?|[kKMGT]?i?B|bytes?"
        r"|[A-Za-z]+/s|[A-Za-z]+ per second)\b|%")
# What may always differ (without the group, if there is one), and a letter that no text has.
KINDS = {"\ue000": "<address>", "\ue001": "<date>", "\ue002": "<clock>", "\ue003": "<port>",
         "\ue004": "<number>"}
FORGIVEN = [(r"\b0x[0-9a-fA-F]+\b", "\ue000"),
            (r"\b(?:\w{3}, )?\d{1,2} [A-Z][a-z]{2} \d{4}\b|\b\d{4}-\d\d-\d\d(?=\b|T)", "\ue001"),
            (r"(?:\b|T)\d{1,2}:\d\d:\d\d(?:\.\d+)?Z?\b", "\ue002"),
            (r"((?:127\.0\.0\.1|localhost|\[::1\]):)\d+", "\ue003"),
            (r"(?i)\b((?:port|pid|tid|process)[ =:#]+)\d+\b", "\ue004"),
            (rf"(?<![\w.])(?:\d+m)?{NUMBER}(?= ?(?:{UNIT}))", "\ue004")]

ROWS, COLUMNS = 50, 80  # of a terminal
# A sequence that acts on a terminal: one that ends at a letter, one that holds a text, a short one.
ESCAPE = r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\].*?(?:\x07|\x1b\\)|[ -/]*[0-~])"

LONG_PAGE, MOST_LINES = 2000, 40  # words on a page: more are worth a warning; lines of a listing
# What readers must ignore in a listing that is about something else.
IGNORED = re.compile(r"[Tt]racer|\btrace\(|Traced(?!Error)|CallbackRuns|[Ww]itness|NOLINT"
                     r"|FailOnPurpose|fail_parsing|gnu::noinline")


class Trouble(Exception):
    """What a page asks for can't be had. The message says why, and what to do."""


class Source:
    """A file that pages may show: its lines, and where its regions are."""

    def __init__(self, root: Path, path: str):
        text = (root / path).read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")
        self.path, self.lines = path, text.rstrip("\n").split("\n")
        self.language = LANGUAGES.get(Path(path).suffix, "text")
        self.regions: dict[str, tuple[int, int]] = {}  # first and last line, counted from 1
        self.markers: dict[int, tuple[str, str]] = {}  # line -> "/" or "", name
        self.problems: list[tuple[str, int, str]] = []
        if self.language != "text":
            self._find_regions()

    def _find_regions(self):
        found = {at: MARKER.fullmatch(line.strip()) for at, line in enumerate(self.lines, 1)}
        self.markers = {at: marker.groups() for at, marker in found.items() if marker}
        for name in {name for _, name in self.markers.values()}:
            at = [number for number, marker in self.markers.items() if marker[1] == name]
            if [self.markers[number][0] for number in at] != ["", "/"]:
                self.problems.append((self.path, at[-1], f"region [{name}] must open once and then "
                                      f"close once; it has markers on lines {at}"))
                continue
            self.regions[name] = (at[0] + 1, at[1] - 1)
            if not "".join(self.show(name)[0]).strip():
                self.problems.append((self.path, at[0], f"empty region [{name}]"))

    def show(self, name: str | None) -> tuple[list[str], list[int]]:
        """A region's lines (None: the whole file's), and their numbers."""
        if name and name not in self.regions:
            raise Trouble(f"missing region {self.path}#{name}; there are {sorted(self.regions)}")
        first, last = self.regions[name] if name else (1, len(self.lines))
        numbers = [at for at in range(first, last + 1) if at not in self.markers]
        return textwrap.dedent("\n".join(self.lines[at - 1] for at in numbers)).split("\n"), numbers


def last_line(lines: list[str], first: int, comment: str) -> int:
    """The line that closes the brackets that the first one opens; mostly it is the same."""
    depth = lowest = 0
    for at in range(first, len(lines)):
        code = re.sub(rf"""(["'])(?:\\.|(?!\1|\\).)*\1|(?<!\S){comment}.*""", "", lines[at])
        for bracket in re.findall(r"[][(){}]", code):
            depth += 1 if bracket in "([{" else -1
            lowest = min(lowest, depth)
        if depth <= 0 or lowest < 0:
            break
    if depth or lowest:
        raise Trouble(f"can't leave out `{lines[first].strip()}` alone: a bracket's other end is "
                      "on a line before it, or on none")
    return at


def leave_out(lines: list[str], patterns: list[str], comment: str) -> tuple[list[str], list[int | None]]:
    """The lines with an ellipsis for those in which a pattern is found; and for each of these lines,
    which it was (None: it's an ellipsis)."""
    def is_comment(at: int) -> bool:
        return lines[at].lstrip().startswith(comment)

    def depth(at: int) -> int:
        return len(lines[at]) - len(lines[at].lstrip())

    def heading(at: int) -> int | None:
        above = next((above for above in range(at - 1, -1, -1) if depth(above) < depth(at)), at)
        single = HEADING_OF_ONE.match(lines[above])
        return above if single and last_line(lines, above, comment) == at - 1 else None
    out: set[int] = set()
    for at, line in enumerate(lines):
        if at not in out and any(re.search(pattern, line) for pattern in patterns):
            last = last_line(lines, at, comment)
            while comment == "//" and (above := heading(at)) is not None:
                at = above
            out.update(range(at, last + 1))
            if re.match(r"\s*else\b", "".join(lines[last + 1:last + 2])):
                raise Trouble(f"can't leave out `{line.strip()}` alone: an `else` follows it")
    for first in sorted((at for at in out if at - 1 not in out), reverse=True):
        after = next(at for at in range(first, len(lines) + 1) if at not in out)
        ends = after == len(lines) or not lines[after].strip() or is_comment(after) \
            or depth(after) < depth(first)
        above = first - 1
        while ends and above >= 0 and is_comment(above) and depth(above) == depth(first):
            out.add(above)
            above -= 1
        beyond = next((at for at in range(after, len(lines)) if lines[at].strip()), after)
        out.update(range(after, beyond) if beyond in out else [])
    ellipsis = {at: lines[at][:depth(at)] + f"{comment} …" for at in out if at - 1 not in out}
    shown = [at for at in range(len(lines)) if at in ellipsis or at not in out]
    return [ellipsis.get(at, lines[at]) for at in shown], [None if at in out else at for at in shown]


def not_yet(lines: list[str], pattern: str, comment: str) -> list[int]:
    """The same, but with nothing in the place of the lines that are left out: which remain."""
    kept = [at for at in leave_out(lines, [pattern], comment)[1] if at is not None]
    blank = [not lines[at].strip() for at in kept]
    return [at for at, empty, above in zip(kept, blank, [True, *blank]) if not (empty and above)]


def points(lines: list[str], patterns: list[str]) -> list[int]:
    """The lines that the patterns find, counted from 1. Each must find one place, its own."""
    text = "\n".join(lines)
    found: list[int] = []
    for pattern in patterns:
        said = f'point="{pattern}"'
        try:
            places = list(re.finditer(pattern, text, re.M))
        except re.error as error:
            raise Trouble(f"{said} is no regular expression: {error}") from None
        if not pattern or any(not place[0].strip() for place in places):
            raise Trouble(f"{said} finds nothing but blanks: say which lines are the point")
        if len(places) != 1:
            raise Trouble(f"{said} finds {len(places) or 'no'} places in this listing; it must find one")
        start, end = places[0].span()
        # A line's end, at the beginning or the end of what is found, touches no other line.
        start, end = start + text.startswith("\n", start), end - text.endswith("\n", start, end)
        first, last = (text.count("\n", 0, at) + 1 for at in (start, end))
        if set(found) & set(range(first, last + 1)):
            raise Trouble(f"{said} finds a line that is marked already")
        found += range(first, last + 1)
    if len(found) == len(lines):
        raise Trouble("the whole listing is marked, so nothing is: mark fewer lines")
    return sorted(found)


def ranges(numbers: list[int]) -> str:
    """Ascending numbers as `3,7-9`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def too_long(lines: int) -> str:
    return f"a listing of {lines} lines; over {MOST_LINES}, split it by what is said about its parts"


def fenced(language: str, lines: list[str], points: list[int] = []) -> list[str]:
    """In a fence. Which lines are the point is told behind the language, where GitHub ignores it."""
    if any(MARK.fullmatch(line) for line in lines):
        raise Trouble("the text to weave in has a line that is itself a mark")
    ticks = [len(run) for line in lines for run in re.findall(r"^\s*(`{3,})", line)]
    fence = "`" * (max(ticks, default=2) + 1)
    return [fence + language + f" {{{ranges(points)}}}" * bool(points), *lines, fence]


def indented(lines: list[str], indent: str) -> list[str]:
    return [indent + line if line else line for line in lines]


def changes(old: list[str], new: list[str]) -> list[str]:
    """A unified diff without its header; without @@ lines too if it shows everything."""
    lines = [line.rstrip() for line in difflib.unified_diff(old, new, lineterm="")][2:]
    body = [line for line in lines if not line.startswith("@@")]
    whole = sum(not line.startswith("+") for line in body) == len(old)
    return body if whole and len(body) == len(lines) - 1 else lines


def read_options(body: str) -> dict[str, str]:
    """Takes `command ; option=value ; ...` apart."""
    command, *parts = re.split(r"\s+;\s+", body)
    if re.search(rf";\s*({'|'.join(OPTIONS)})\b", command):
        raise Trouble("an option needs a blank before its `;` too")
    options = {"command": command, "shows": command, "status": "0", "timeout": "60"}
    for part in parts:
        option = re.fullmatch(r'(\w+)(?:=("[^"]*"|[^";]*))?', part)
        name, value = (option[1], (option[2] or "").strip('"')) if option else ("", "")
        if name not in OPTIONS or not re.fullmatch(OPTIONS[name], value):
            raise Trouble(f"unknown option or unfit value `{part}`: see {ME} --help")
        options[name] = value
    return options


def masked(line: str, how: str) -> str:
    """A line in which letters that say what kind it is cover all that may differ between runs."""
    def cover(found: re.Match) -> str:
        kept = "".join(found.groups())
        return kept + letter * (len(found[0]) - len(kept))
    for pattern, letter in FORGIVEN + [(NUMBER, "\ue004")] * ("numbers" in how):
        line = re.sub(pattern, cover, line)
    return line


def normalised(line: str, how: str) -> str:
    """What is left of a line when all that may differ between runs is made equal."""
    new = line if "exact" in how else masked(line, how)
    if new == line:
        return line
    for letter, name in KINDS.items():
        new = re.sub(f"{letter}+", name, new)
    return " ".join(new.split())  # what columns there are, aligned() tells


def aligned(one: str, other: str) -> bool:
    """Whether the gaps between equal words differ only as far as the figures' lengths do.

    At a gap that differs, a word must start or end in its column: counted from the line's
    start, or from an end of a word before it. A figure too long for its column leaves a blank.
    """
    shifts, end, other_end = {0}, 0, 0  # how many columns further right the other's words are
    for word, twin in zip(re.finditer(r"\S+", one), re.finditer(r"\S+", other)):
        start, stop = twin.start() - word.start(), twin.end() - word.end()
        gap, other_gap = word.start() - end, twin.start() - other_end
        too_long = min(gap, other_gap) <= 1 and (gap - other_gap) * stop > 0
        if gap != other_gap and not too_long and shifts.isdisjoint([start, stop]):
            return False
        shifts.add(stop)
        end, other_end = word.end(), twin.end()
    return True


def differences(old: list[str], new: list[str], how: str) -> list[str]:
    """What makes a new output another one than the old; [] if only that which may differ does."""
    pairs = [[(normalised(line, how), line) for line in lines] for lines in (old, new)]
    pairs = [sorted(lines) for lines in pairs] if "order" in how else pairs
    found = changes(*([key for key, _ in lines] for lines in pairs))
    for (_, line), (_, twin) in [] if found else zip(*pairs):
        if not aligned(masked(line, how), masked(twin, how)):
            found += [f"-{line}", f"+{twin}"]
    return found


def short_port() -> int:
    """A free port that is as long as the one that the page shows."""
    for port in random.sample(range(8001, 8100), 99):  # another weave.py may be looking for one, too
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise Trouble("no port from 8001 to 8099 is free for the practice site")


@contextmanager
def site_port(build: Path, options: str, port: int):
    """Runs the practice site while the body of the `with` runs; yields its port. 0: any is right."""
    program = build / practice_site.PROGRAM
    if not program.exists():
        raise Trouble("the practice site is not built: run `meson compile` in that directory")
    try:
        with practice_site.practice_site(program, *shlex.split(options), port=port) as site:
            yield str(site.port)
    except practice_site.NotStarted as error:
        raise Trouble(str(error)) from None


def open_terminal() -> tuple[int, int]:
    """Our end of a new terminal, from which we read what is on the screen, and the programs'.

    stdout and stderr share it: which of two lines came first, two ends couldn't tell.
    """
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", ROWS, COLUMNS, 0, 0))
    return ours, theirs


def left_on_screen(line: str) -> str:
    """What a terminal shows in the end where this line was written."""
    seen: list[str] = []
    at = 0
    for part in re.findall(f"{ESCAPE}|.", line):
        if part == "\r":
            at = 0
        elif part in ("\x1b[K", "\x1b[0K"):  # clears the rest
            del seen[at:]
        elif part == "\x1b[2K":  # clears the line
            seen = [" "] * at
        elif part == "\t" or part[0] >= " ":
            seen[at:at + 1] = [part]
            at += 1
    return "".join(seen)


def read_to_end(ours: BinaryIO, until: float) -> bytes:
    """All that is written at the other end, until no process has that open any more."""
    pieces = []
    while (left := until - time.monotonic()) > 0 and select([ours], [], [], left)[0]:
        try:
            piece = ours.read(65536)
        except OSError as error:  # the end of a terminal, on Linux
            if error.errno != errno.EIO:
                raise
            piece = b""
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)
    raise TimeoutError


def execute(root: Path, build: Path, command: str, timeout: float, terminal: bool) -> tuple[str, int]:
    env = dict(os.environ, LC_ALL="C", BUILD=str(build), NO_COLOR="1", TERM="dumb", COLUMNS=str(COLUMNS))
    until = time.monotonic() + timeout
    ours, theirs = open_terminal() if terminal else os.pipe()
    with open(ours, "rb", buffering=0) as reader:
        with open(theirs, "wb", buffering=0) as writer:
            process = Popen(["sh", "-c", command], cwd=root, env=env, start_new_session=True,
                            stdin=DEVNULL, stdout=writer, stderr=writer)
        with process:
            try:
                output = read_to_end(reader, until).decode("utf-8", "replace")
                process.wait(until - time.monotonic())
            except (TimeoutError, TimeoutExpired):
                raise Trouble(f"`{command}` did not end within {timeout:g} s") from None
            finally:
                with suppress(ProcessLookupError):  # nobody left: the usual case
                    os.killpg(process.pid, signal.SIGKILL)
    if terminal:
        output = "\n".join(left_on_screen(line) for line in output.split("\n"))
    return output, process.returncode if process.returncode >= 0 else 128 - process.returncode


def printed_by(root: Path, build: Path, options: dict[str, str]) -> list[str]:
    """Runs a command, and returns the lines to show, as if `build` were root/build."""
    command, timeout = options["command"], float(options["timeout"])
    command = re.sub(r"(?<![\w./-])(?:\./)?build/", lambda _: shlex.quote(f"{build}/"), command)
    site, terminal = options.get("site"), "terminal" in options
    with nullcontext("8000") if site is None else \
            site_port(build, site, short_port() if terminal else 0) as port:
        command = command.replace(SITE, SITE.replace("8000", port))
        text, status = execute(root, build, command, timeout, terminal)
    text = re.sub(rf"\b{port}\b", "8000", text)
    text = re.sub(rf"{re.escape(str(build))}(?![\w-])", "build", text).replace(f"{root}/", "")
    text = text.replace(f"{os.path.relpath(root, build)}/", "../")  # as compilers name sources
    lines = [line.rstrip() for line in text.rstrip().split("\n")] if text.strip() else []
    if status != int(options["status"]):
        raise Trouble(f"`{options['shows']}` ended with status {status}, not {options['status']};"
                      f" its last line: {lines[-1] if lines else '(it printed nothing)'}")
    head, tail = int(options.get("head", 0)), int(options.get("tail", 0))
    if 0 < head + tail < len(lines):
        lines[head:len(lines) - tail] = ["…"]
    return lines


def command_to_try(body: str) -> str:
    """A command whose output is the same in the browser. Throws NotToTry."""
    options = read_options(body)
    if "site" in options:
        raise try_it.NotToTry("it needs the practice site")
    if "unchecked" in options:
        raise try_it.NotToTry("its output is not checked")
    if options["shows"] != options["command"] or options["status"] != "0" or "terminal" in options:
        raise try_it.NotToTry("what the page shows is not all that it does")
    return options["command"]


@dataclass
class Figures:
    """What --figures tells of a page."""
    words: int = 0
    why_long: str = ""
    listings: int = 0
    left_out: int = 0
    about: list[str] = field(default_factory=list)  # listings, and what they are about
    not_to_try: dict[str, str] = field(default_factory=dict)  # commands, and why the browser can't run them

    def table(self, page: str) -> list[str]:
        """A line with numbers, and indented below it what they count."""
        numbers = (self.words, self.listings, self.left_out)
        return ["".join(f"{number:9}" for number in numbers) + f"  {page}",
                *[f"    long: {self.why_long}"] * bool(self.why_long),
                *[f"    about {text}" for text in self.about],
                *[f"    not to try: {command}: {why}" for command, why in self.not_to_try.items()]]


class Page:
    """A page taken apart: blocks to weave, and prose, which is all that is in no fence."""

    def __init__(self, root: Path, path: str):
        text = (root / path).read_bytes().decode("utf-8", "surrogateescape")
        self.path = path
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self.lines = text.replace("\r\n", "\n").split("\n")
        self.prose = [""] * len(self.lines)
        self.blocks: list[tuple[re.Match, int, int]] = []  # a mark, its line and its end's, from 0
        self.sketches = 0
        self.why_long: dict[int, str] = {}  # a mark's line, from 0, and what it says
        self.problems: list[tuple[str, int, str]] = []
        self._read()
        self.raw = "\n".join(self.prose)
        self.text = HIDDEN.sub(lambda hidden: re.sub(r"[^\n]", " ", hidden[0]), self.raw)

    def complain(self, line: int, text: str):
        self.problems.append((self.path, line + 1, text))

    def complain_at(self, offset: int, text: str):
        self.complain(self.raw.count("\n", 0, offset), text)

    def _read(self):
        at, last = 0, None
        while at < len(self.lines):
            line = self.lines[at]
            fence, mark = FENCE.fullmatch(line), MARK.fullmatch(line)
            if fence:
                sketched = last is not None and last["kind"] == "sketch"
                self.sketches += sketched
                if fence[2].lower() in PASTED and not sketched:
                    self.complain(at, "hand-pasted code: show a region, or mark it as a sketch")
                at = self._after_fence(at, fence[1])
            elif mark and mark["kind"] == "long":
                self.why_long[at] = mark["body"]
                at += 1
            elif mark and mark["kind"] != "sketch":
                at = self._after_block(at, mark)
            else:
                self.prose[at] = line
                at += 1
            last = mark if line.strip() else last

    def _after_fence(self, start: int, fence: str) -> int:
        closing = re.compile(rf"[\s>]*{fence[0]}{{{len(fence)},}}\s*")
        for at in range(start + 1, len(self.lines)):
            if closing.fullmatch(self.lines[at]):
                if at - start - 1 > MOST_LINES:
                    self.complain(start, too_long(at - start - 1))
                return at + 1
        self.complain(start, "this fence is never closed")
        return len(self.lines)

    def _after_block(self, start: int, mark: re.Match) -> int:
        """The next mark must close a block, even in a fence: a broken fence must eat no text."""
        for at in range(start + 1, len(self.lines)):
            other = MARK.fullmatch(self.lines[at])
            if other and mark["kind"] and mark["kind"] == other["end"]:
                self.blocks.append((mark, start, at))
                return at + 1
            if other:
                break
        self.complain(start, f"mark without a partner: <!-- {mark['kind'] or '/' + mark['end']} …")
        return start + 1

    def anchors(self) -> set[str]:
        """The #anchors that GitHub gives to this page's headings, and explicit ids."""
        found = set(re.findall(r"""<[^>]*\s(?:id|name)=["']([^"']+)["']""", self.text))
        times: dict[str, int] = {}
        for heading in HEADING.finditer(self.raw):
            slug = slug_of(heading[1])
            times[slug] = times.get(slug, -1) + 1
            found.add(f"{slug}-{times[slug]}" if times[slug] else slug)
        return found

    def targets(self):
        """Where links and images lead: pairs of an offset and a target."""
        for link in re.finditer(r"\]\(", self.text):
            whole = LINK.match(self.text, link.start())
            if whole:
                yield link.start(), whole[1].strip("<>")
            else:
                self.complain_at(link.start(), "malformed link: write [text](target)")
        labels = set()
        for found in DEFINITION.finditer(self.raw):
            labels.add(" ".join(found[1].lower().split()))
            yield found.start(1), found[2].strip("<>")
        for use in REFERENCE.finditer(self.text):
            start, end = use.span(2 if use[2] else 1)
            if " ".join(self.raw[start:end].lower().split()) not in labels:
                self.complain_at(start, f"dead link: nothing defines [{self.raw[start:end]}]")
        for found in ATTRIBUTE.finditer(self.text):
            for part in found[1].split(","):
                yield found.start(), (part.split() or [""])[0]

    def check_conventions(self):
        if not re.match(r"(?!00)\d\d[a-z]?-", Path(self.path).name):
            return
        title = re.search(r"^(#+) Check your understanding\s*$", self.text, re.M)
        if not title:
            return self.complain(0, 'no heading "Check your understanding" on this page')
        section = re.split(rf"^#{{1,{len(title[1])}}} ", self.text[title.end():], flags=re.M)[0]
        if section.count("<details") < 2:
            self.complain_at(title.start(), "fewer than two <details> in this section")


def slug_of(heading: str) -> str:
    """GitHub's anchor for a heading: what is shown of it, lower case, without punctuation."""
    text = re.sub(r"(`[^`]*`)|!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])|<[^>]*>"
                  r"|(?<!\w)_+(?=\w)|(?<=\w)_+(?!\w)|[ #]+$", r"\1\2", heading)
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


class Book:
    """All pages and sources. Without `build`, no program is run."""

    def __init__(self, root: Path, build: Path | None, write: bool):
        self.root, self.build, self.write = root, build, write
        self.problems: list[tuple[str, int, str]] = []
        self.uses: dict[str, list[str]] = {}  # "path#region" -> the places that show it
        self.sources: dict[str, Source] = {}
        self.to_come: dict[tuple[str, int], str] = {}  # a line that a place doesn't show yet, and the place
        self.counts = dict.fromkeys(["pages", "listings", "outputs", "links", "sketches",
                                     "lines left out", "long pages", "listings with a point",
                                     "links to try a program"], 0)
        self.figures: dict[str, Figures] = {}
        self.tries = try_it.Tries(root)

    def weave(self):
        """Goes through all pages, then looks for regions that none of them shows."""
        pages = sorted(f"book/{path.name}" for path in (self.root / "book").glob("*.md"))
        self.counts["pages"] = len(pages) - ("book/README.md" in pages)
        for path in ["README.md"] * (self.root / "README.md").is_file() + pages:
            self.weave_page(path)
        for place in sorted(set(self.to_come.values())):
            lines = [f"{path}:{number}" for (path, number), at in self.to_come.items()
                     if at == place and self.source(path).lines[number - 1].strip()]
            if lines:
                page, _, line = place.rpartition(":")
                self.problems.append((page, int(line), f"no later listing shows what is to come here: {', '.join(lines)}"))
        tops = [self.root / name for name in SOURCES]
        files = [file for top in tops for file in [top, *top.rglob("*")] if file.is_file()]
        paths = sorted(file.relative_to(self.root).as_posix() for file in files)
        for path in [path for path in paths if not NOT_SOURCES.match(path)]:
            self.problems += self.source(path).problems
            for name, (first, _) in self.source(path).regions.items():
                if not self.uses.setdefault(f"{path}#{name}", []) and pages:
                    self.problems.append((path, first - 1, f"unused region [{name}]: show it on a "
                                          "page, or remove its markers"))

    def source(self, path: str) -> Source:
        if path not in self.sources:
            inside = os.path.normpath(path) == path and not path.startswith(("/", "../"))
            if not inside or not (self.root / path).is_file():
                raise Trouble(f"no file `{path}`: write a path from the root, or path#region")
            self.sources[path] = Source(self.root, path)
        return self.sources[path]

    def weave_page(self, path: str):
        figures = self.figures[path] = Figures()
        self.weave_blocks(Page(self.root, path))
        page = Page(self.root, path)
        for offset, target in page.targets():
            if not re.match(r"(https?|mailto):|//", target):
                self.counts["links"] += 1
                try:
                    self.follow(path, target)
                except Trouble as trouble:
                    page.complain_at(offset, f"dead link `{target}`: {trouble}")
        page.check_conventions()
        figures.words = len(re.sub(r"`[^`]*`|(?m:^<sub>.*$|^\[[^\]]+\]: \S+$)|<[^>]*>|\]\([^)]*\)",
                                   lambda part: part[0] if part[0][0] == "`" else " ", page.raw).split())
        figures.why_long = " ".join(page.why_long.values())
        if figures.words > LONG_PAGE:
            self.counts["long pages"] += 1
            if not figures.why_long:
                print(f"warning: {path}: {figures.words} words; over {LONG_PAGE}, split it in two, "
                      "or say <!-- long: why -->")
        for at in page.why_long if figures.words <= LONG_PAGE else []:
            page.complain(at, f"this page isn't long: it has {figures.words} words, of {LONG_PAGE}")
        self.problems += page.problems
        self.counts["sketches"] += page.sketches

    def weave_blocks(self, page: Page):
        """Rewrites a page, or tells what is stale. A page with misplaced marks is left alone."""
        done, at = [], 0
        for mark, start, end in page.blocks:
            done += page.lines[at:start + 1]
            at, woven, line = end, page.lines[start + 1:end], len(done)
            old = [line[len(mark["indent"]):] for line in woven]
            old = old if woven == indented(old, mark["indent"]) else []
            try:
                renew = self.listing if mark["kind"] == "code" else self.output
                new, complaint = renew(mark["body"], old, f"{page.path}:{line}")
                if (count := len(new) - (3 if mark["kind"] == "code" else 2)) > MOST_LINES:
                    self.problems.append((page.path, line, too_long(count)))
                if new != old and (page.problems or not self.write):
                    raise Trouble("\n    ".join(complaint[:9]))
                woven = indented(new, mark["indent"])
            except Trouble as trouble:
                self.problems.append((page.path, line, str(trouble)))
            done += woven
        done = self.with_links_to_try(page, done + page.lines[at:])
        if done != page.lines and self.write:
            text = page.newline.join(done).encode("utf-8", "surrogateescape")
            (self.root / page.path).write_bytes(text)
            print(f"wrote {page.path}")

    def with_links_to_try(self, page: Page, lines: list[str]) -> list[str]:
        """A page's lines, with a link to each program that can be tried in the browser."""
        text = "\n".join(lines)
        old, links = try_it.links_in(text), {}
        for body in [mark["body"] for mark, _, _ in page.blocks if mark["kind"] == "run"]:
            try:
                shown, link = self.tries.link(command_to_try(body), old)
                links[shown] = link
            except try_it.NotToTry as why:
                if body.startswith("build/"):
                    self.figures[page.path].not_to_try[body.split(" ; ")[0]] = str(why)
            except Trouble:
                pass  # this has been told already
        self.counts["links to try a program"] += len(links)
        new = try_it.with_links(text, links)
        if new != text and (page.problems or not self.write):
            at = lines.index("<!-- try -->") + 1 if "<!-- try -->" in lines else len(lines)
            which = sorted(name for name in {*old, *links} if old.get(name) != links.get(name))
            self.problems.append((page.path, at, f"stale links to try {', '.join(which) or 'programs'}; run {ME}"))
            return lines
        return new.split("\n")

    def listing(self, body: str, old: list[str], place: str) -> tuple[list[str], list[str]]:
        """What belongs between two `code` marks, and what to say if that is not `old`."""
        self.counts["listings"] += 1
        asked = LISTING.fullmatch(body)
        options = re.findall(r' (\w+)=("[^"]*"|\S+)', asked["options"]) if asked else []
        given = {key: value.strip('"') for key, value in options}
        every = {kind: [value.strip('"') for key, value in options if key == kind] for kind in ("without", "point")}
        once = [key for key, _ in options if key not in every]
        hits = dict.fromkeys(every["without"], 0)
        if not asked or len(once) > len(set(once)) or "" in [given.get("later"), given.get("about"), *hits]:
            raise Trouble(f"can't read `{body}`: write path#name, then from=path#name, without=\"REGEX\", "
                          'later="REGEX", point="REGEX", or about="WHAT"')
        lines, numbers, link = self.region(asked["path"], asked["name"], place, hits, given.get("later"))
        shown, language = lines, self.source(asked["path"]).language
        are_new = [bool(self.to_come.pop((asked["path"], number), "")) for number in numbers]
        if "from" in given:
            old_path, _, old_name = given["from"].rpartition("#")
            before, _, old_link = self.region(old_path or asked["path"], old_name, place, hits)
            if before == lines:
                raise Trouble("there is no change between the two regions")
            shown, language = changes(before, lines), "diff"
            link += f", changed from {old_link}"
        elif any(are_new) and not all(are_new):
            shown = [("+" if is_new else " " * bool(line)) + line for line, is_new in zip(lines, are_new)]
            language = "diff"
        for pattern in [pattern for pattern, times in hits.items() if not times]:
            raise Trouble(f'without="{pattern}" finds no line in this region')
        marked = points([line[1:] for line in shown] if language == "diff" else shown, every["point"])
        self.counts["listings with a point"] += bool(marked)
        self.measure(place, body.split()[0], shown, given.get("about"))
        new = [f"<sub>{link}</sub>", *fenced(language, shown, marked)]
        return new, [f"stale listing of {body}; run {ME}", *changes(old, new)]

    def measure(self, place: str, name: str, lines: list[str], about: str | None):
        """Readers must not have to ignore any of a listing; notes for --figures what it is about."""
        page, _, line = place.rpartition(":")
        figures = self.figures[page]
        figures.listings += 1
        found = [line.strip() for line in lines if IGNORED.search(line)]
        if about and not found:
            raise Trouble(f'about="{about}", but there is nothing to ignore in this listing')
        if about:
            figures.about.append(f"{about}: {name}")
        elif found:
            text = f"code to ignore in {name}; leave it out, or say what the listing is about:"
            self.problems.append((page, int(line), "\n    ".join([text, *found])))

    def region(self, path: str, name: str | None, place: str, hits: dict[str, int],
               later: str | None = None) -> tuple[list[str], list[int | None], str]:
        """A region's lines without those that match, their numbers (None: an ellipsis), and a link.

        `hits` has the patterns of what to leave out; how often they match is added to it. `later`
        finds what a later page adds. Notes that this place shows the region.
        """
        source = self.source(path)
        lines, numbers = source.show(name)
        first, last = source.regions[name] if name else (1, len(source.lines))
        self.uses.setdefault(f"{path}#{name}" if name else path, []).append(place)
        for pattern in hits:
            try:
                hits[pattern] += sum(bool(re.search(pattern, line)) for line in lines)
            except re.error as error:
                raise Trouble(f'without="{pattern}" is no regular expression: {error}') from None
        comment, yet = COMMENTS.get(source.language, "#"), []
        if later:
            now = not_yet(lines, later, comment)
            yet = sorted(set(numbers) - {numbers[at] for at in now})
            if not any(re.search(later, line) for line in lines):
                raise Trouble(f'later="{later}" finds no line in this region')
            self.to_come.update({(path, number): place for number in yet})
            lines, numbers = [lines[at] for at in now], [numbers[at] for at in now]
        lines, kept = leave_out(lines, list(hits), comment)
        left_out = len(numbers) - sum(at is not None for at in kept)
        self.counts["lines left out"] += left_out
        self.figures[place.rpartition(":")[0]].left_out += left_out
        text, where = path, quote(os.path.relpath(path, os.path.dirname(place) or "."))
        if name or left_out or yet:
            text += f", lines {first}–{last}" if first < last else f", line {first}"
            where += f"#L{first}-L{last}"
        notes = f", {left_out} left out" * bool(left_out) + f", {len(yet)} to come" * bool(yet)
        return lines, [None if at is None else numbers[at] for at in kept], f"[{text}{notes}]({where})"

    def output(self, body: str, old: list[str], _: str) -> tuple[list[str], list[str]]:
        """What belongs between two `run` marks, and what to say if that is not `old`."""
        self.counts["outputs"] += 1
        options = read_options(body)
        mend = f"run {ME} --build {self.build or 'build'}"
        prompt, inner = f"$ {options['shows']}", old[1:-1]
        recorded = inner[:1] == [prompt] and old == fenced("console", inner)
        if recorded and (not self.build or "unchecked" in options):
            return old, []
        if not self.build:
            raise Trouble(f"no output of `{options['shows']}` here; {mend}")
        new = fenced("console", [prompt, *printed_by(self.root, self.build, options)])
        how = options.get("normalise", "")
        complaint = differences(old, new, how)
        if recorded and not complaint:
            return old, []
        return new, [f"stale output of `{options['shows']}`; {mend}", *complaint]

    def follow(self, page: str, target: str):
        """Raises Trouble if a relative link from this page leads nowhere."""
        path, _, anchor = (unquote(part) for part in target.partition("#"))
        file = os.path.normpath(Path(page).parent / path.split("?")[0]) if path else page
        inside = not path.startswith("/") and not re.match(r"\.\.|build\b", file)
        if target in ("", "#") or not inside or not (self.root / file).exists():
            raise Trouble(f"the repository has no {file}")
        if anchor and not (file.endswith(".md") and anchor in Page(self.root, file).anchors()):
            raise Trouble(f"{file} has no such heading (and lines move: weave what you link to)")


def main(arguments: list[str] | None = None, root: Path = Path(__file__).parent.parent) -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing; fail on any problem")
    parser.add_argument("--list", action="store_true", help="tell which page shows which region")
    parser.add_argument("--figures", action="store_true", help="tell how long all is")
    parser.add_argument("--build", type=Path, metavar="DIR", help="run the programs built there")
    chosen = parser.parse_args(arguments)
    if chosen.build and not chosen.build.is_dir():
        parser.error(f"there is no directory {chosen.build}: build first")
    build = chosen.build.resolve() if chosen.build and not chosen.list else None
    book = Book(root.resolve(), build, write=not (chosen.check or chosen.list))
    book.weave()
    if chosen.list:
        for region, places in sorted(book.uses.items()):
            print(f"{region}: {', '.join(places) or 'no page'}")
        return 0
    if chosen.figures:
        print("    words listings left out")
        for path, figures in book.figures.items():
            print("\n".join(figures.table(path)))
    for path, line, text in sorted(book.problems):
        print(f"{path}:{line}: {text}")
    if not book.problems:
        print(", ".join(f"{number} {what}" for what, number in book.counts.items()))
    return 1 if book.problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
