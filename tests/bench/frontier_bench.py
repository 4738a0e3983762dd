#!/usr/bin/env python3
"""Measures what a crawl in Redis costs there, and works out on paper what a very large one would need.

    tests/bench/frontier_bench.py                    measures, and prints a table
    tests/bench/frontier_bench.py --save FILE        ... and keeps what it measured
    tests/bench/frontier_bench.py --from FILE        prints the table of those numbers
    tests/bench/frontier_bench.py --plan FILE [N]    a crawl that knows N URLs, a billion, on paper
    tests/bench/frontier_bench.py --chaos FILE       a table of what shared_frontier/chaos.py has measured

It starts a Redis of its own, loads the script, and calls it as stage 3 does; there is no crawler and
no network. A page has 30 links, a URL 74 bytes.

Memory: what a key takes (MEMORY USAGE), or how much more Redis uses, for each of many things. These
numbers are the same on each run. Time: what the processor spent in Redis (from INFO) on 20,000 pages,
with this many of them in each call. That depends on the machine.

The plan takes these numbers, and some that can't be measured beforehand. For each it says who could check it.
"""
from __future__ import annotations

import hashlib
import json
import math
import random
import sys
import textwrap
import time
from pathlib import Path

from common import TESTS, measure_or_show, parser_of

sys.path.insert(0, str(TESTS / "stage3/shared_frontier"))

LINKS, HOSTS = 30, 200
BUCKET = 100  # digests in a small hash
# The plan's own numbers: what can only be believed, or looked up.
DAYS, PAGE, WAITING, URLS_A_HOST, DELAY, SERVER = 10, 50_000, 0.3, 100, 1.0, 16e9


def url_of(number: int, hosts: int = HOSTS) -> str:
    """A URL of 74 bytes."""
    return f"https://host-{number % hosts:07}.example/some/folder/or/other/page-{number:014}.html"


class Memory:
    """The size of things in Redis, in bytes each."""

    def __init__(self, redis, count: int):
        self.redis, self.count = redis, count

    def used(self) -> int:
        with self.redis.client() as client:
            info = client.call("INFO", "memory")
        return int(info.split("used_memory:")[1].split()[0])

    def crawl(self, client, name: str, hosts: int):
        """A crawl in which `count` URLs have been met and are waiting."""
        from script import Script, chunk
        script = Script(client, name)
        script.clock_stands = False
        for first in range(0, self.count, 500):
            urls = [url_of(number, hosts) for number in range(first, min(first + 500, self.count))]
            script.raw_open([chunk(urls, 1, what="l")])
        return script

    def measure(self) -> dict[str, float]:
        with self.redis.client() as client:
            return self.measure_with(client)

    def measure_with(self, client) -> dict[str, float]:
        ask, script = client.call, self.crawl(client, "few", HOSTS)
        sizes = {"entry": ask("MEMORY", "USAGE", script.key("urls"), "SAMPLES", 0) / self.count,
                 "waiting": sum(ask("MEMORY", "USAGE", key, "SAMPLES", 0)
                                for key in ask("KEYS", script.key("queue:*"))) / self.count}
        sizes["record"] = self.record(script)
        before = self.used()
        self.crawl(client, "many", self.count)  # the same, with a host for each URL
        sizes["host"] = (self.used() - before) / self.count - sizes["entry"] - sizes["waiting"]
        for length in (16, 8):
            sizes[f"digest {length}"] = self.digest(length)
        return {what: round(size, 1) for what, size in sizes.items()}

    def record(self, script) -> float:
        from script import done
        session, number = script.open(), min(self.count, 20_000)
        urls = []
        while number > 0:
            results = [done(url, links=LINKS) for url in urls]
            number -= len(results)
            urls = [item.url for item in session.step(100, *results).items]
        key = script.key("records")
        count = script.client.call("XLEN", key)
        return script.client.call("MEMORY", "USAGE", key, "SAMPLES", 0) / count

    def digest(self, length: int) -> float:
        """Of each URL only so many bytes of a digest: in small hashes, which Redis keeps in a row."""
        keys = max(1, self.count // BUCKET)
        with self.redis.client() as client:
            for first in range(0, self.count, 1000):
                digests = [hashlib.sha256(url_of(number).encode()).digest()
                           for number in range(first, min(first + 1000, self.count))]
                client.call_all([["HSET", b"d:%d:%d" % (length, int.from_bytes(one[24:28], "big") % keys),
                                  one[:length], b""] for one in digests])
            return sum(client.call("MEMORY", "USAGE", f"d:{length}:{key}", "SAMPLES", 0)
                       for key in range(keys)) / self.count


def processor(client, at_once: int, pages: int) -> dict[str, float]:
    """A crawl of this many pages that have links to each other."""
    from script import Script, chunk, done
    script = Script(client, "pages")
    script.clock_stands = False
    session = script.open(url_of(0))

    def links(url: str) -> list[str]:
        rnd = random.Random(url)
        return [url_of(number) for number in sorted({rnd.randrange(pages) for _ in range(LINKS)})]

    def spent() -> float:
        info = script.client.call("INFO", "cpu")
        return sum(float(info.split(f"used_cpu_{who}:")[1].split()[0]) for who in ("user", "sys"))
    begin, begun, count, calls, urls = spent(), time.monotonic(), 0, 0, []
    while True:
        reply = session.step(at_once, *(done(url, [chunk(links(url))], links=LINKS) for url in urls))
        count, calls, urls = count + len(urls), calls + 1, [item.url for item in reply.items]
        if reply.state != "running":
            break
    return {"pages": count, "calls": calls, "us": round((spent() - begin) / count * 1e6, 1),
            "seconds": round(time.monotonic() - begun, 2),
            "link": round(script.client.call("MEMORY", "USAGE", script.key("met"), "SAMPLES", 0) / count / LINKS, 1)}


def measure(options) -> dict:
    from redis_server import RedisServer, skip_if_there_is_none
    skip_if_there_is_none()
    with RedisServer() as redis:
        memory = Memory(redis, options.urls).measure()
    times: dict[str, dict] = {}
    for at_once in (1, 10, 100):
        with RedisServer(keeps=True) as redis, redis.client(timeout=600) as client:
            times[str(at_once)] = processor(client, at_once, options.pages)
            version = client.call("INFO", "server").split("redis_version:")[1].split()[0]
    memory["link"] = [one.pop("link") for one in times.values()][-1]
    return {"kind": "frontier", "when": time.strftime("%Y-%m-%d"), "redis": version, "urls": options.urls,
            "bytes": memory, "times": times}


def table(told: dict) -> str:
    size = told["bytes"]
    rows = [f"{what:50}{size[key]:6.0f}" for what, key in [
        ("what is known of a URL", "entry"), ("... one that waits, on top", "waiting"),
        ("... one that is done: its record, on top", "record"), ("a link on a page", "link"), ("a host", "host"),
        ("a URL of which only 16 bytes of a digest are kept", "digest 16"), ("... only 8 bytes", "digest 8")]]
    times = [f"{at_once:>15}{one['us']:12.0f}{1e6 / one['us']:25,.0f}" for at_once, one in told["times"].items()]
    return "\n".join([f"{'memory':50}{'bytes':>6}", *rows, "",
                      f"pages in a call   µs a page   pages a second, a core   (Redis {told['redis']})", *times])


def gigabytes(number: float) -> str:
    return f"{number / 1e9:,.0f} GB"


def collision(urls: float, bits: int) -> str:
    """How likely it is that any two URLs have the same digest."""
    chance = -math.expm1(-urls * urls / 2 / 2.0 ** bits)
    return f"{chance:.1%}" if chance > 0.001 else f"10^{math.log10(chance):.0f}"


def left_out(urls: float) -> str:
    """How many new URLs a Bloom filter takes for known ones while it fills up.

    With 9.6 bits a URL and 7 hashes, it's wrong for 1 % when it is full, and for fewer before.
    """
    steps = 1000
    mean = sum((1 - math.exp(-7 / 9.6 * (step + 0.5) / steps)) ** 7 for step in range(steps)) / steps
    return f"{float(f'{urls * mean:.2g}'):,.0f}"


def plan(told: dict, urls: float) -> str:
    size, us = told["bytes"], told["times"]["10"]["us"]
    hosts, waiting, rate = urls / URLS_A_HOST, urls * WAITING, urls / (DAYS * 86400)
    here = urls * (size["entry"] + size["record"] + LINKS * size["link"])
    digests = urls * size["digest 16"]
    lean = digests + waiting * size["waiting"] + hosts * size["host"]
    rows = [
        ("as it is: all URLs, records, and links", gigabytes(here), "frontier_bench.py"),
        ("lean: 16 bytes of a digest for each URL", gigabytes(digests), "frontier_bench.py"),
        (f"  {WAITING:.0%} of them wait", gigabytes(waiting * size["waiting"]), "HGET meta unfinished"),
        (f"  a host for each {URLS_A_HOST} URLs", gigabytes(hosts * size["host"]), "HLEN hosts"),
        ("  in all (records go to files)", gigabytes(lean), ""),
        (f"  servers, {SERVER / 1e9:.0f} GB each, two thirds full", f"{math.ceil(lean / SERVER * 1.5)}", ""),
        (f"pages a second, to fetch all in {DAYS} days", f"{rate:,.0f}", ""),
        ("  cores that Redis keeps busy", f"{rate * us / 1e6:.2f}", "frontier_bench.py"),
        (f"  of {PAGE // 1000} kB each", f"{rate * PAGE * 8 / 1e9:.2f} Gbit/s", "--format jsonl: bytes"),
        (f"  hosts at work, {DELAY:.0f} s between two requests", f"{rate * DELAY:,.0f}", "robots.txt"),
        ("a URL is taken for another: digest of 64 bits", collision(urls, 64), "arithmetic"),
        ("  of 128 bits", collision(urls, 128), "arithmetic"),
        ("  Bloom filter, 1 % wrong when full: left out", left_out(urls), "arithmetic"),
    ]
    width = max(len(value) for _, value, _ in rows)
    lines = [f"{what:46}{value:>{width}}   {who}".rstrip() for what, value, who in rows]
    return "\n".join([f"{f'{urls:,.0f} URLs':{46 + width}}   who checks it", *lines])


def chaos(told: dict) -> str:
    """A table of what tests/stage3/shared_frontier/chaos.py has measured."""
    stay = {ord(" "): "\N{NO-BREAK SPACE}"}  # in a line: only commas may end it
    faults = ", ".join(f"{count} x {what}".translate(stay) for what, count in told["faults"].items() if what != "a look")
    faults = textwrap.fill(faults, 80).replace("\N{NO-BREAK SPACE}", " ")
    rows = [("URLs that a crawl in memory finds", told["in memory"]), ("records", told["records"]),
            ("... that are wrong, or other faults found", told["wrong"]),
            ("... given up, as if processes had died of them", told["given up"]),
            ("sessions", told["sessions"]), ("answers lost", told["answers lost"]),
            ("taken over from the dead", told["taken over"]), ("fetched again", told["fetched again"])]
    return "\n".join([f"{what:54}{count:9,}" for what, count in rows] + [faults])


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument("--plan", type=Path, metavar="FILE")
    parser.add_argument("--chaos", type=Path, metavar="FILE")
    parser.add_argument("number", type=float, nargs="?", default=1e9, help="of URLs in the plan")
    parser.add_argument("--urls", type=int, default=200_000, help="in the measurement of memory (200,000)")
    parser.add_argument("--pages", type=int, default=20_000, help="in that of time (20,000)")

    def told(options):
        file = options.chaos or options.plan
        return json.loads(file.read_text(encoding="utf-8")) if file else measure(options)

    def shown(told, options):
        return chaos(told) if options.chaos else plan(told, options.number) if options.plan else table(told)
    return measure_or_show(parser, told, shown, "--save")


if __name__ == "__main__":
    sys.exit(main())
