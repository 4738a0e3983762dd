#!/usr/bin/env python3
"""`./learn bench`: measures our crawlers beside others, and shows what came of it.

    tests/bench/crawl_bench --build build-bench [OPTIONS]       (its options: --help)

    options.py       what can be said on the command line
    contestants.py   who takes part
    servers.py       the practice site; nginx.py: nginx, with the same pages
    measure.py       runs a program, and takes its time
    exactness.py     holds what was asked for against what there is
    sitting.py       puts these together
    report.py        tables; chart.py: pictures
"""
from __future__ import annotations

import datetime
import json
import resource
import signal
import sys

sys.dont_write_bytecode = True
import measure  # noqa: E402
from chart import draw_charts  # noqa: E402
from contestants import missing  # noqa: E402
from measure import Trouble  # noqa: E402
from nginx import find_nginx  # noqa: E402
from options import NEEDS, read_options  # noqa: E402
from report import report  # noqa: E402
from servers import Site  # noqa: E402
from sitting import Plan, measure_part  # noqa: E402
from terminal import say  # noqa: E402  (measure.py has said where it is)


def allow_descriptors(most_at_once: int):
    """Allows the programs that we start enough of them. Throws Trouble if that's impossible."""
    needed = most_at_once + 100
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < needed:
        raise Trouble(f"{most_at_once:,} at once need {needed:,} descriptors, and there are {hard:,} (ulimit -Hn): "
                      "take fewer --workers")
    if soft != resource.RLIM_INFINITY and soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


def pages_for(at_once: int) -> int:
    """Enough that the time with only a few links hardly counts, and few enough to fit into memory."""
    return max(1000, min(100 * at_once, 20_000))


def sit(options) -> dict:
    """Measures all parts. Throws Trouble."""
    kind = "latency" if options.latency else "memory" if options.memory else "cost"
    plan = Plan(kind, options.build.resolve(), options.rounds or (5 if kind == "cost" else 3), options.server,
                options.limit, options.rivals, options.only)
    for target in NEEDS:
        if not (plan.build / target).exists():
            raise Trouble(f"there is no {plan.build / target}: ./learn bench builds it")
    many = measure.two_cores() is not None
    if options.placement == "pinned" and not many:
        raise Trouble("pinned takes two whole cores, and here is one: leave out --placement")
    links = options.links or (10 if kind == "memory" else 30)
    size = options.size if options.size is not None else 2000 if kind == "memory" else 20_000
    workers = options.workers or ([10, 100, 1000] if kind == "latency" else [10])
    allow_descriptors(max(workers))
    if kind == "memory":
        pages = options.pages or 20_000
        plans = [(Site(max(1, pages // 10), links, size), workers[0]), (Site(pages, links, size), workers[0])]
    else:
        plans = [(Site(options.pages or (pages_for(n) if options.latency else 5000), links, size,
                       options.latency or 0), n) for n in workers]
    placements = [options.placement] if options.placement else (
        [*["pinned"] * many, "free"] if kind == "cost" else ["pinned" if many else "free"])
    parts = [measure_part(plan, site, at_once, placement == "pinned")
             for placement in placements for site, at_once in plans]
    absent = missing() + ([] if find_nginx() or options.latency else [("nginx", "nginx")])
    return {"kind": kind, "when": datetime.date.today().isoformat(), "cores": len(measure.cores()),
            "rounds": plan.rounds, "missing": absent, "parts": parts}


def read_sitting(file) -> dict:
    try:
        sitting = json.loads(file.read_text(encoding="utf-8"))
        report(sitting)
        return sitting
    except (ValueError, LookupError, TypeError, AttributeError):
        raise Trouble(f"--from {file}: that isn't what --json writes") from None


def main(words: list[str]) -> int:
    try:
        options = read_options(words)
        if options.needs:
            print(*([] if options.source else NEEDS))
            return 0
        sitting = read_sitting(options.source) if options.source else sit(options)
        print(report(sitting))
        if options.json:
            options.json.write_text(json.dumps(sitting, indent=1) + "\n", encoding="utf-8")
        if options.chart:
            draw_charts(sitting, options.chart)
        exact = all(row["exact"] for part in sitting["parts"] for row in part["rows"] if row["ours"])
        return 0 if exact or options.source else 1  # others may be inexact; ours may not
    except (Trouble, OSError) as trouble:
        measure.tell_on_terminal("")
        say(f"learn: bench: {trouble}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        measure.tell_on_terminal("")
        return 130


def end_politely(number, _):
    sys.exit(128 + number)


if __name__ == "__main__":
    for ending in (signal.SIGTERM, signal.SIGHUP):  # so that servers end, too
        signal.signal(ending, end_politely)
    sys.exit(main(sys.argv[1:]))
