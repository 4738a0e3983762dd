#!/usr/bin/env python3
"""Counts the instructions that a page costs each stage, and shows where those of stage 3 go.

    tests/bench/where_it_goes.py BUILD [PAGES]      (such as: where_it_goes.py build-bench)

BUILD is a release build; valgrind must be installed. Its tool callgrind runs a program on a
simulated processor and counts, so the numbers don't depend on what else the machine
does, and hardly on the machine. The work is a practice site with pages of 20 kB and 30 links.
Each program crawls a small site and one with PAGES pages more (1000), and what is printed is the
difference per page. So what a program does only once, such as its start, is not included. Stage 3's
start is printed by itself: a crawl of a site with one short page, since every crawl begins like it.

callgrind doesn't see what the kernel does. So stage 3 also crawls a site ten times as large
without it, and the table has the processor time that the program and the kernel took per page:
the medians of five crawls. Seconds depend on the machine, and on what else it does. System
calls are counted under callgrind, which is in slow motion, so more is ready when stage 3 looks: a
program at full speed makes a few more.
"""
from __future__ import annotations

import functools
import os
import re
import shutil
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from common import PRACTICE_SITE, practice_site, run

FEW = 200  # pages of the smaller site
ROUNDS = 5

# What a function is about: the first row that fits. The library that it's in, and its name.
LINKING = "linking libraries"
GROUPS = [
    (LINKING, r"^ld-", r""),
    ("libcurl", r"libcurl", r""),
    ("malloc, free, new and delete", r"", r"^_*(malloc|free|calloc|realloc|int_(malloc|free|realloc)|malloc_\w+"
     r"|unlink_chunk.*|tcache_.*|operator (new|delete).*|cfree|sysmalloc)(\.\w+)*$"),
    ("copying, comparing, searching bytes", r"libc\.so",
     r"mem(cpy|move|set|chr|cmp|rchr|mem)|str\w*(len|cmp|chr|spn)"),
    ("is it UTF-8?", r"", r"valid_length|decoded|[Cc]harset"),
    ("finding links", r"", r"HtmlScanner|find_links|LinkCollector|sort_references|may_hold_links"),
    ("links to URLs", r"", r"UrlParser|resolve_url|append_encoded|is_plain_path|common::Url|Scope::|common::parse_"),
    ("all other code of the crawler", r"stage\d", r""),
    ("all other libraries", r"", r""),
]
READING = "reading, with all that it calls"
SYSTEM_CALLS = ["recv", "send", "poll", "getsockname", "epoll_wait", "epoll_ctl", "read", "write", "connect", "close"]


@contextmanager
def site(build: Path, pages: int, *options: str):
    """Serves this many pages; returns their URL, and the list of everything there is to find."""
    with practice_site(build / PRACTICE_SITE, "--pages", str(pages), "--links", "30",
                       *(options or ("--size", "20000")), "--manifest") as server:
        manifest = takewhile(lambda line: not line.startswith("end"), server.process.stdout)
        yield server.url, [line.split()[1] for line in manifest]


class Event(NamedTuple):
    """What a function has taken itself, or, if another one is named, how often it called that, and what these calls
    took."""
    library: str
    function: str
    instructions: int
    called_library: str = ""
    called: str = ""
    calls: int = 0


def events_of(path: Path) -> Iterator[Event]:
    """All that callgrind has written there. Raises ValueError at the end if a line was not understood."""
    library = function = called_library = called = ""
    calls, in_call, whole, read = 0, False, None, 0
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        key, _, value = line.partition("=")
        if in_call:  # what a call took, with all that it has called: counted there
            in_call = False
            yield Event(library, function, int(line.split()[1]), called_library or library, called, calls)
            called_library = ""
        elif key == "ob":
            library = value
        elif key == "fn":
            function = name_of(value)
        elif key == "cob":
            called_library = value
        elif key == "cfn":
            called = name_of(value)
        elif key == "calls":
            in_call, calls = True, int(value.split()[0])
        elif re.match(r"[+\-*\d]\S* \d+$", line):
            read += int(line.split()[1])
            yield Event(library, function, int(line.split()[1]))
        elif line.startswith("totals:"):
            whole = int(line.split()[1])
    if read != whole:
        raise ValueError(f"{path}: callgrind has counted {whole} instructions, and {read} were read")


def read_profile(path: Path) -> Counter:
    """Instructions by group, calls of functions that are system calls, and what READING takes."""
    found = Counter({name: 0 for name in (*(group[0] for group in GROUPS), *SYSTEM_CALLS, READING)})
    group = functools.cache(group_of)
    for event in events_of(path):
        if not event.called:
            found[group(event.library, event.function)] += event.instructions
        elif event.called.startswith("common::find_links("):
            found[READING] += event.instructions
        elif event.called in SYSTEM_CALLS:
            found[event.called] += event.calls
    return found


def name_of(function: str) -> str:
    return function.split("'")[0]  # it numbers the levels of a recursion: f'2


def group_of(library: str, function: str) -> str:
    return next(name for name, of, pattern in GROUPS
                if re.search(of, Path(library).name) and re.search(pattern, function))


def count(command: list, urls: list[str], read: Callable[[Path], Counter] = read_profile) -> Counter:
    """What `read` finds in the program's profile. The URLs are its standard input."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "callgrind.out"
        run(["valgrind", "--tool=callgrind", "--compress-strings=no", "--compress-pos=no",
             f"--callgrind-out-file={out}", *command], "".join(f"{url}\n" for url in urls))
        return read(out)


def processor_time(build: Path, pages: int) -> tuple[float, float]:
    """Seconds per page, of the program and of the kernel for it."""
    with site(build, pages) as (url, _):
        used = [run(commands(build, url)["stage 3"]) for _ in range(ROUNDS)]
    return (statistics.median(one.user for one in used) / pages,
            statistics.median(one.system for one in used) / pages)


def commands(build: Path, url: str, at_once: int = 10) -> dict[str, list]:
    return {
        "stage 1": [build / "stage1_callbacks/stage1", url],
        "stage 2": [build / "stage2_coroutines/stage2", url],
        "stage 3": [build / "stage3_queue_crawler/stage3", "-q", "--parse-threads", "0", "-w", at_once,
                    "-o", os.devnull, url],
        "libcurl floor": [build / "tests/bench/multi_bench", at_once],
        "epoll floor": [build / "tests/bench/epoll_bench", at_once],
    }


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    build, more = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    if not shutil.which("valgrind"):
        sys.exit("there is no valgrind: install it (Debian's package has the same name)")
    programs = [build / PRACTICE_SITE, *(words[0] for words in commands(build, "").values())]
    if missing := [str(path) for path in programs if not path.exists()]:
        sys.exit(f"there is no {missing[0]}: set {build} up with --buildtype=release, and build it")
    with site(build, FEW) as (few, few_urls), site(build, FEW + more) as (many, many_urls):
        print("instructions for a page of 20 kB with 30 links:")
        for name, command in commands(build, few).items():
            less, more_of_it = count(command, few_urls), count(commands(build, many)[name], many_urls)
            a_page = {what: (more_of_it[what] - less[what]) / more for what in less}
            whole = sum(a_page[group] for group, _, _ in GROUPS)
            print(f"  {name:14} {whole / 1e3:5.0f} thousand", flush=True)
            if name == "stage 3":
                share = {what: 100 * number / whole for what, number in a_page.items()}
                calls = {what: a_page[what] for what in SYSTEM_CALLS}
        print("of stage 3's:")
        for name in sorted((group[0] for group in GROUPS if group[0] != LINKING), key=lambda group: -share[group]):
            print(f"  {share[name]:3.0f} %  {'#' * round(share[name] / 2):12} {name}")
        print(f"{READING}: {share[READING]:.0f} %")
        print("calls of the kernel, for a page:\n  " + ", ".join(
            f"{name} {number:.1f}" for name, number in calls.items() if number >= 0.05))
    with site(build, 1, "--size", "0") as (url, urls):
        start = count(commands(build, url)["stage 3"], urls)
    print(f"startup: {sum(start[group] for group, _, _ in GROUPS) / 1e6:.1f} million instructions, of which"
          f" {LINKING} takes {start[LINKING] / 1e6:.1f} million")
    user, system = processor_time(build, 10 * more)
    print(f"processor time for a page: {1e6 * user:.0f} us in the program, {1e6 * system:.0f} us in the kernel")


if __name__ == "__main__":
    main()
