#!/usr/bin/env python3
"""Measures what a fetch that is under way costs in memory: ten thousand of them, and one thousand.

    tests/bench/many_at_once.py BUILD [MANY]      (such as: many_at_once.py build-bench 10000)

A practice site answers each request after two seconds, so that as many are under way as may be.
Stage 3 and a bare libcurl client fetch it, with MANY at once, and with a tenth of that; the
difference between their largest sizes in memory, divided by that between the numbers of fetches,
is what one more costs. Pages are small, so it's not their bytes. Needs twice as many descriptors
as fetches: `ulimit -n`.
"""
from __future__ import annotations

import os
import resource
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from where_it_goes import run, site  # noqa: E402


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    build, many = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if most < many + 100:
        sys.exit(f"a process may have {most} descriptors, and {many} fetches need as many: ulimit -n")
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    stage3, multi = build / "stage3_queue_crawler/stage3", build / "tests/bench/multi_bench"
    with site(build, many * 3 // 2, "--size", "1000", "--latency", "2000") as (url, urls):
        text = "".join(f"{one}\n" for one in urls)
        for name, program, options, known in [
                ("stage 3", stage3, ["-q", "-o", os.devnull, "-w"], ""), ("libcurl alone", multi, [], text)]:
            last = [url] if program == stage3 else []
            few = run([program, *options, many // 10, *last], known).ru_maxrss
            used = run([program, *options, many, *last], known).ru_maxrss
            print(f"{name:14} {many} at once: {used / 1024:4.0f} MB, "
                  f"{(used - few) / (many - many // 10):5.1f} kB for each", flush=True)


if __name__ == "__main__":
    main()
