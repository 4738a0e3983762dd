#!/usr/bin/env python3
"""Measures readiness beside completions: page 31's tables.

    tests/bench/completions_bench.py --build build-bench [--json FILE]
    tests/bench/completions_bench.py --from FILE

The small crawl's `fetch` gets one page of 1 kB from a practice site on this machine again and again, with 10, 100 and
1,000 connections at once, on the loop of page 10 with each selector, and on that of page 31. They take turns, and the
medians of the rounds are shown. System calls are counted in a run of their own, by strace, if that is installed. The
site has the machine's other cores, if there are any. A second table shows what ways to receive cost (ring_bench.cpp).
"""
from __future__ import annotations

import os
import re
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from common import PRACTICE_SITE, measure_or_show, nanoseconds, parser_of, practice_site, run, take_descriptors

CONNECTIONS = [10, 100, 1000]
LOOPS = {"select": "small_fetch_bench", "poll": "small_fetch_bench", "epoll": "small_fetch_bench",
         "io_uring": "ring_fetch_bench"}


def fetch(build: Path, loop: str, connections: int, pages: int, url: str, before: list[str] = ()) -> list[float]:
    """Seconds that passed, in the program, and in the kernel."""
    command = [*before, build / "tests/bench" / LOOPS[loop], loop, str(connections), str(pages), url]
    return [float(word) for word in run(command, good=(0,)).output.split()]


def system_calls(build: Path, loop: str, connections: int, pages: int, url: str) -> float | None:
    """For each page: how many more there are with twice the pages, so that the program's start isn't counted."""
    if not shutil.which("strace"):
        return None
    counts = []
    for number in (pages, 2 * pages):
        with tempfile.NamedTemporaryFile("r") as log:
            fetch(build, loop, connections, number, url, ["strace", "-f", "-c", "-o", log.name])
            counts.append(int(re.search(r"(\d+)\s+(?:\d+\s+)?total$", log.read(), re.M)[1]))
    return (counts[1] - counts[0]) / pages


def measure(options) -> dict:
    take_descriptors()
    build, pages, rounds, rows = options.build.resolve(), options.pages, options.rounds, []
    with practice_site(build / PRACTICE_SITE, "--pages", "1", "--links", "1", "--size", "1000", "--keep") as server:
        for connections in CONNECTIONS:
            runs = {loop: [] for loop in LOOPS}
            for _ in range(rounds):
                for loop in LOOPS:
                    runs[loop].append(fetch(build, loop, connections, pages, server.url))
            for loop, found in runs.items():
                wall, user, system = (statistics.median(one[i] for one in found) for i in range(3))
                rows.append({"loop": loop, "connections": connections, "pages": pages, "wall": wall, "user": user,
                             "system": system, "all": found,
                             "calls": system_calls(build, loop, connections, max(3000, connections), server.url)})
                print(rows[-1], file=sys.stderr)
    return {"cores": len(os.sched_getaffinity(0)), "kernel": os.uname().release.split("-")[0], "rounds": rounds,
            "rows": rows, "receiving": nanoseconds(build / "tests/bench/ring_bench")}


def table(found: dict) -> str:
    lines = [f"a page of 1 kB from the same machine, {found['cores']} cores, Linux {found['kernel']}:",
             f"{'connections':>11}  {'loop':<9}{'system calls':>13}{'program':>9}{'kernel':>9}{'pages/s':>9}"]
    for row in found["rows"]:
        calls = f"{row['calls']:.1f}" if row["calls"] is not None else "?"
        each = {name: row[name] / row["pages"] * 1e6 for name in ("user", "system")}
        lines.append(f"{row['connections']:>11,}  {row['loop']:<9}{calls:>13}{each['user']:>6.0f} µs"
                     f"{each['system']:>6.0f} µs{row['pages'] / row['wall']:>9,.0f}")
    return "\n".join(lines)


def receiving(found: dict) -> str:
    return "\n".join(["to send a byte and receive it, through each of 100 sockets:",
                      *(f"  {name:<30}{ns / 1000:>5.1f} µs" for name, ns in found["receiving"].items())])


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument("--build", type=Path, help="the build directory, of --buildtype=release")
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--receiving", action="store_true", help="show only the second table")
    return measure_or_show(parser, measure, lambda found, options: (receiving if options.receiving else table)(found))


if __name__ == "__main__":
    sys.exit(main())
