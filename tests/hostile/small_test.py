#!/usr/bin/env python3
"""Hostile servers and the small program of pages 14 to 17: cases that it survives, and tells apart.

    DEAD_LINKS=build/stage3_queue_crawler/dead_links tests/hostile/small_test.py [-v] [Small[.TEST]]

DEAD says which URLs of each case it finds dead, and why; all others of the case are alive. With HOSTILE_MEMORY=no,
memory isn't checked.
"""
import os
import re
import sys
import unittest

sys.dont_write_bytecode = True
import cases
import checks
import crawls
from beside import Program, beside, fail_if

MEMORY = os.environ.get("HOSTILE_MEMORY") != "no"
MAX_BODY = 10 * checks.MEGA

COMPRESSION = "Unrecognized or bad HTTP Content or Transfer-Encoding"
CUT_OFF = "Transferred a partial file"
RESET = "Failure when receiving data from the peer"
TOO_LARGE = "Failed writing received data.*"
LATE = "no answer in time"
CIRCLE = "more than 20 redirects"

DEAD = {
    "1": {"/case": TOO_LARGE},
    "3a": {"/case": COMPRESSION},
    "6": {"/case": TOO_LARGE},
    "8": {"/case": CUT_OFF},
    "9a": {},
    "12c": {"/case": CUT_OFF},
    "20a": {},
    "20c": {},
    "21a": {"/case": RESET},
    "21b": {"/case": r"Server returned nothing.*"},
    "21c": {"{closed}/": "Could(n't| not) connect to server"},
    "21d": {"https://127.0.0.1:{port}/case": ".*SSL.*"},
    "23": {"/case": LATE},
    "24a": {"/case": LATE},
    "24b": {"/case": LATE},
    "24e": {"https://127.0.0.1:{port}/case": LATE},
    "26a": {},  # a 503, and then a page
    "29b": {f"{{second}}/{i}": "HTTP status 503" for i in range(10)},
    "31a": {"/case": "HTTP status 302"},  # leads to a file
    "34a": {"/case": CIRCLE},  # leads nowhere, and that is to itself
    "35a": {"/case": CIRCLE},
    "35b": {"/a": CIRCLE, "/b": CIRCLE},
    "35e": {"/a": CIRCLE, "/b": CIRCLE, "/c": CIRCLE},
    "38a": {"/case": "HTTP status 300"},
}


def read_dead(output):
    """The URLs that are dead, each with the reason."""
    dead = {}
    for line in output.decode("latin-1").splitlines():
        words = re.fullmatch(r"(\S+) \((.*)\), found on (\S+)", line)
        if not words:
            raise ValueError(f"no dead URL: {line!r}")
        dead[words[1]] = words[2]
    return dead


def wrong_dead(dead, wanted):
    for url in set(dead) | set(wanted):
        if url not in dead:
            yield f"{url} is not said to be dead"
        elif url not in wanted:
            yield f"{url} is said to be dead: {dead[url]}"
        elif not re.fullmatch(wanted[url], dead[url]):
            yield f"{url} is dead because of '{dead[url]}', and not '{wanted[url]}'"


def wrong_crawl(case):
    with cases.Served(case) as served:
        wanted = {served.url(text): why for text, why in DEAD[case.number].items()}
        # A slow machine may need a second for what doesn't wait.
        limit = "3" if LATE in wanted.values() else "40"
        result = crawls.run("small", ["--fetch-timeout", limit, served.root], within=60)
        try:
            yield from wrong_dead(read_dead(result.output), wanted)
        except ValueError as error:
            yield str(error)
        known = len(set(served.expected) | set(wanted))
        summary = f"{known} of {known} URLs done, {len(wanted)} dead"
        if result.said.decode().strip() != summary:
            yield f"it says {result.said!r}, and not '{summary}'"
        yield from checks.wrong_end(result, int(bool(wanted)))
        yield from checks.wrong_bytes(result.output)
        if MEMORY:
            yield from checks.wrong_memory(result, 10, MAX_BODY)


def test_of(case):
    return beside(lambda _: fail_if(list(wrong_crawl(case)), f"{case.number}, {case.title}"))


Small = type("Small", (unittest.TestCase,), {
    "__module__": __name__,
    **{f"test_{case.name}": test_of(case) for case in cases.all_cases() if case.number in DEAD}})


class Tables(unittest.TestCase):
    """The table names only cases that exist, and what is wrong is seen."""

    def test_numbers(self):
        self.assertEqual(set(DEAD) - {case.number for case in cases.all_cases()}, set())

    def test_what_is_wrong_is_seen(self):
        url = "http://127.0.0.1/case"
        self.assertEqual(list(wrong_dead({url: "late"}, {url: "la.e"})), [])
        self.assertEqual(len(list(wrong_dead({url: "late"}, {url: "early"}))), 1)
        self.assertEqual(len(list(wrong_dead({url: "late"}, {}))), 1)
        self.assertEqual(len(list(wrong_dead({}, {url: "late"}))), 1)
        self.assertEqual(read_dead(f"{url} (late), found on http://127.0.0.1/\n".encode()), {url: "late"})
        with self.assertRaisesRegex(ValueError, "no dead URL"):
            read_dead(b"what?\n")


if __name__ == "__main__":
    Program()
