#!/usr/bin/env python3
"""A site of any size that misbehaves at random; the same seed gives the same site.

    tests/hostile/soak_site.py --seed 1 --urls 5000

prints where it is, as JSON, and serves until it's ended. Nothing of the site is stored: what becomes of a URL follows
from the seed and the URL's number. So the two determine all records that a crawl of it must have.

A page leads to those that come `window` numbers after it. So a crawler always knows about that many URLs that it has
not fetched yet, and any growth of its memory is for those that are done.
"""
import argparse
import bisect
import dataclasses
import gzip
import hashlib
import itertools
import json
import os
import sys
import typing

sys.dont_write_bytecode = True
import bodies
import delays
import output
import pieces
import redirects
from expect import Expected, TIMED_OUT, disallowed, error, failed, file, page, redirect
from pieces import KEEP, Pause, Reset, Silence, http, ok, status

MAX_BODY = 64 * 1024
TOO_LARGE = failed("body larger than 64 KiB", 200)
PORTS = 2  # of quick hosts
LOOP = failed("redirect loop", 302)


class Visit(typing.NamedTuple):
    """`part`: the part of the URL after its number. `count`: how often this URL was requested before. `is_first`:
    whether it is the first request on its connection. `body`: what a page of this number should have. `here`: the URL
    without the part."""
    part: str
    count: int
    is_first: bool
    body: bytes
    here: str


@dataclasses.dataclass(frozen=True)
class Fate:
    """What becomes of a URL."""
    name: str
    weight: int  # as a share of the sum of all weights
    answer: typing.Callable  # called with a Visit, returns pieces
    expected: dict  # by what follows the number: "" is the URL itself
    leads_on: bool = False  # it's a page, and its links are read
    host: str = "quick"  # or "busy", which says 503 and 429 and is then left alone; or "closed", by robots.txt


def good(name, weight, answer, host="quick", **fields):
    """A URL that becomes a page."""
    return Fate(name, weight, answer, {"": page(**fields)}, leads_on=True, host=host)


def bad(name, weight, answer, expected, host="quick"):
    return Fate(name, weight, answer, {"": expected}, host=host)


CASES = {case.number: case for section in (bodies, delays, redirects, output) for case in section.CASES}


def like_case(number, weight=20, expected=None, host="quick"):
    """A fate with the answer of one of the cases."""
    case = CASES[number]
    answer = case.answers["/case"]
    return bad(f"{number} {case.title}", weight, answer if callable(answer) else lambda visit: answer,
               expected or case.expected["/case"], host)


def once(what):
    """This the first time, and then the page."""
    return lambda visit: ok(visit.body) if visit.count else what(visit)


def if_first(what):
    """This on a connection that was kept, and the page on a new one."""
    return lambda visit: ok(visit.body) if visit.is_first else what


def packed(visit):
    return bodies.encoded(gzip.compress(visit.body, 1), "gzip")


def in_chunks(visit):
    half = len(visit.body) // 2
    parts = [b"%x\r\n%b\r\n" % (len(part), part) for part in (visit.body[:half], visit.body[half:], b"")]
    return bodies.chunked(b"".join(parts), KEEP)


def dripping(visit):
    step = len(visit.body) // 8 + 1
    parts = [visit.body[at:at + step] for at in range(0, len(visit.body), step)]
    return [*bodies.of_length(len(visit.body), body=b""),
            *itertools.chain.from_iterable((Pause(0.05), part) for part in parts), KEEP]


def with_forged_rest(visit):
    return [bodies.of_length(len(visit.body), body=visit.body)[0] + bodies.FORGED, KEEP]


def cut_off(visit):
    return [http("HTTP/1.1 200 OK", bodies.HTML, f"Content-Length: {len(visit.body) + 1}", body=visit.body)]


def to(location):
    return [http("HTTP/1.1 302 Elsewhere", f"Location: {location}", "Content-Length: 0"), KEEP]


def leads_to(*hops):
    """Redirects through these parts, hop by hop; the last one is a page."""
    following = dict(zip(("", *hops), hops))
    return lambda visit: to(visit.here + following[visit.part]) if visit.part in following else ok("<p>the end")


def circle(*hops):
    following = dict(zip(("", *hops), (*hops, "")))
    return lambda visit: to(visit.here + following[visit.part])


CHAIN = [f"/{i}" for i in range(1, 22)]
BUSY = status(503)

FATES = [
    good("page", 60_000, lambda visit: ok(visit.body), tries=1),
    good("page, packed", 6_000, packed, tries=1),
    good("page, in chunks", 6_000, in_chunks, tries=1),
    good("page without a length", 1_000, lambda visit: http("HTTP/1.1 200 OK", bodies.HTML, body=visit.body), tries=1),
    good("page whose connection is closed unannounced", 3_000, lambda visit: ok(visit.body)[:1], tries=1),
    good("page followed by a forged answer", 1_000, with_forged_rest, tries=1),
    good("page after 103 Early Hints", 1_000,
         lambda visit: [http("HTTP/1.1 103 Early Hints", "Link: </x.css>; rel=preload"), *ok(visit.body)], tries=1),
    good("page whose length comes twice", 500,
         lambda visit: [*bodies.of_length(len(visit.body), len(visit.body), body=visit.body), KEEP], tries=1),
    good("page that drips", 50, dripping, tries=1),
    # This is not the URL's failure: a server may do anything with an idle connection.
    good("a connection that was kept is closed for a request", 300, if_first([]), tries=1),
    good("a connection that was kept is reset for a request", 300, if_first([Reset()]), tries=1),
    # How many tries these take depends on whether their connection was new.
    good("closed without a word, once", 500, once(lambda visit: [])),
    good("reset, once", 500, once(lambda visit: [Reset()])),
    good("cut off, once", 500, once(cut_off), tries=2),
    good("502, once", 500, once(lambda visit: status(502)), tries=2),
    good("503, once", 500, once(lambda visit: BUSY), host="busy", tries=2),
    Fate("redirect", 4_000, leads_to("/to"), {"": redirect(), "/to": page(bytes=10)}),
    Fate("redirects in a circle", 300, circle("/a", "/b"), {"": redirect(), "/a": redirect(), "/b": LOOP}),
    Fate("21 redirects", 50, leads_to(*CHAIN),
         {**{part: redirect() for part in ["", *CHAIN[:19]]}, CHAIN[19]: failed("redirect limit reached", 302)}),
    bad("404", 5_000, lambda visit: status(404), error(404, tries=1)),
    bad("410", 500, lambda visit: status(410), error(410, tries=1)),
    bad("500", 500, lambda visit: status(500), error(500, tries=1)),
    bad("504 every time", 200, lambda visit: status(504), error(504, tries=2)),
    bad("503 every time", 100, lambda visit: BUSY, error(503, tries=2), host="busy"),
    good("429, once", 100, once(lambda visit: status(429)), host="busy", tries=1),
    bad("forbidden by robots.txt", 300, lambda visit: ok("this should never be fetched"), disallowed(), host="closed"),
    bad("a file", 1_000, lambda visit: ok(visit.body, type="application/pdf"), file(links=0)),
    bad("302 to another program", 100, lambda visit: to("mailto:a@example.org"),
        redirect(next_url="mailto:a@example.org")),
    bad("302 to nowhere", 100, lambda visit: to(""), error(302, "redirect without a target")),
    # Each try lasts until the time limit.
    bad("not a byte", 2, lambda visit: Silence(), failed(TIMED_OUT, tries=2)),
    bad("gzip bomb", 20, lambda visit: bodies.encoded(BOMB, "gzip"), TOO_LARGE),
    like_case("6", 10, TOO_LARGE),
    like_case("7", 10, TOO_LARGE),
    *map(like_case, "3a 4a 4b 10a 10b 10c 10d 10e 12a 12b 12d 14 15 16 17 18a 18b 19a 19b 19c 19d 20a 20b "
                    "22a 22b 22e 22f 34a 71a 71b 71f 72a 73".split()),
    *(like_case(number, 200) for number in "5 8 20f 12c 21a 21b 21e".split()),
]
BOMB = gzip.compress(bytes(10 * bodies.MEGA))
LIMITS = list(itertools.accumulate(fate.weight for fate in FATES))


class Site:
    """`origins`: those of the two quick hosts, of those that are sometimes busy, and of the one with rules."""

    def __init__(self, seed, urls, origins, plain=False):
        self.seed, self.urls, self.plain = seed, urls, plain
        self.hosts = {"quick": origins[:PORTS], "busy": origins[PORTS:-1], "closed": origins[-1:]}
        self.window = max(20, min(400, urls // 8))
        self.root = self.url(0)

    def random(self, *what):
        """A number that follows from the seed and from this."""
        return int.from_bytes(hashlib.blake2b(repr((self.seed, *what)).encode(), digest_size=8).digest(), "big")

    def fate(self, number):
        if self.plain or number == 0:
            return FATES[0]
        return FATES[bisect.bisect_right(LIMITS, self.random(number) % LIMITS[-1])]

    def url(self, number):
        fate = self.fate(number)
        hosts = self.hosts[fate.host]
        return f"{hosts[number % len(hosts)]}/{'no/' if fate.host == 'closed' else ''}{number}"

    def body(self, number):
        """The body of a page: its links, some of which are already known, and some text."""
        links = [] if number else range(1, self.window)
        following = number + 1
        while following < self.urls and not self.fate(following).leads_on:
            following += 1
        ahead = range(number + self.window, min(following + self.window, self.urls))
        chance = self.random(number, "links")
        known = min(number + self.window, self.urls)
        again = [chance % known, chance // known % known]
        lines = [f'<a href="{self.url(each)}">x</a>' for each in itertools.chain(links, ahead)]
        lines += [f'<a href="{self.url(each)}#{number}">x</a>' for each in again]
        return ("<!doctype html>\n" + "\n".join(lines)).encode() + b"\n<p>" + b"so on " * (chance % 300)

    def answer(self, path, count, is_first):
        """The answer to a request for this path."""
        number, slash, part = path.removeprefix("/no").lstrip("/").partition("/")
        if not number.isdecimal() or int(number) >= self.urls:
            return status(404)
        number = int(number)
        fate = self.fate(number)
        body = self.body(number) if fate.leads_on else b"<p>so on"
        return fate.answer(Visit(slash + part, count, is_first, body, self.url(number)))

    def expected(self):
        """All records, by URL."""
        wanted = {}
        for number in range(self.urls):
            fate, url = self.fate(number), self.url(number)
            for part, each in fate.expected.items():
                if fate.leads_on:
                    each = Expected(each.outcome, each.status, each.error,
                                    {**each.fields, "bytes": len(self.body(number))})
                wanted[url + part] = each
        return wanted


def serve(options):
    busy = max(4, min(100, options.urls // 1000))
    used = set()  # connections on which there was a request

    def answer(request):
        key = request.site.port, request.connection
        is_first = key not in used
        used.add(key)
        request.site.requests.clear()  # nobody looks at them, and they are many
        return rules.get(request.site, status(404)) if request.path == "/robots.txt" else (
            site.answer(request.path, request.count, is_first))
    ports = [pieces.Site({"*": answer}) for _ in range(PORTS + busy + 1)]
    rules = {ports[-1]: ok("User-agent: *\nDisallow: /no/\n", type="text/plain")}
    site = Site(options.seed, options.urls, [port.origin for port in ports], options.plain)
    print(json.dumps([port.origin for port in ports]), flush=True)
    sys.stdin.read()  # until its end
    os._exit(0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--urls", type=int, default=5000)
    parser.add_argument("--plain", action="store_true", help="all URLs are pages with nothing wrong")
    serve(parser.parse_args())


if __name__ == "__main__":
    main()
