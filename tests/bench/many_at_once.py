#!/usr/bin/env python3
"""Measures how much memory a fetch under way costs, with ten thousand of them and with one thousand.

    tests/bench/many_at_once.py BUILD [MANY]      (such as: many_at_once.py build-bench 10000)

A practice site answers each request after two seconds, so that as many are under way as may be.
Stage 3 and a bare libcurl client fetch it, with MANY at once, and with a tenth of that; the
difference between their largest sizes in memory, divided by that between the numbers of fetches,
is what one more costs. It also prints the processor time per URL with both numbers. Pages are
small, so their bytes don't count. Needs as many descriptors as fetches, for each program: `ulimit -n`.
"""
from __future__ import annotations

import os
import sys
from pathlib import Path

from common import STAGE3, run, take_descriptors
from where_it_goes import site


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    build, many = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    take_descriptors(many + 100)
    stage3, multi = build / STAGE3, build / "tests/bench/multi_bench"
    with site(build, many * 3 // 2, "--size", "1000", "--latency", "2000") as (url, urls):
        text = "".join(f"{one}\n" for one in urls)
        for name, command, known in [
                ("stage 3", lambda n: [stage3, "-q", "-o", os.devnull, "-w", n, url], ""),
                ("libcurl floor", lambda n: [multi, n], text)]:
            few, all_of_them = run(command(many // 10), known), run(command(many), known)
            for number, used in [(many // 10, few), (many, all_of_them)]:
                user, system = (1e6 * time / len(urls) for time in (used.user, used.system))
                print(f"{name:14} {number:6} at once: {used.peak / 2**20:4.0f} MB; for a URL "
                      f"{user:4.0f} us in the program, {system:3.0f} in the kernel", flush=True)
            each = (all_of_them.peak - few.peak) / 1024 / (many - many // 10)
            print(f"{'':14} one more: {each:.1f} kB", flush=True)


if __name__ == "__main__":
    main()
