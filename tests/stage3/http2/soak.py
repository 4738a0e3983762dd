#!/usr/bin/env python3
"""A long crawl over HTTP/2: some streams are reset, and each connection ends with a GOAWAY after some requests. Does
every URL have one record, and was none fetched twice?

    STAGE3=build/stage3_queue_crawler/stage3 tests/stage3/http2/soak.py [--urls 100000] [--seed N]
"""
import argparse
import collections
import itertools
import random
import sys
import time

sys.dont_write_bytecode = True
from program import crawl, records_in  # noqa: E402
from server import ErrorCodes, Server, links  # noqa: E402

CHILDREN = 10
RESETS = [ErrorCodes.INTERNAL_ERROR, ErrorCodes.CANCEL, ErrorCodes.REFUSED_STREAM]


class Site:
    """A tree of pages. Of a hundred requests, one or so is not answered to the end."""

    def __init__(self, urls, seed, resets):
        self.urls, self.resets, self.random = urls, resets, random.Random(seed)
        self.reset, self.answered = collections.Counter(), collections.Counter()

    def get(self, path, no_page):
        if path == "/robots.txt":
            return ""
        number = int(path[1:] or 0)
        return self.answer if number < self.urls else no_page

    def answer(self, stream):
        number = int(stream.path[1:] or 0)
        first = number * CHILDREN + 1
        text = links(*(f"/{child}" for child in range(first, min(first + CHILDREN, self.urls))))
        if self.random.random() >= self.resets:
            self.answered[stream.path] += 1
            stream.page(text)
            return
        self.reset[stream.path] += 1
        if self.random.random() < 0.5:
            stream.head(content_type="text/html", **self.random.choice([{}, {"content_length": 1000}]))
            stream.body("x" * 500, end=False)
        stream.reset(self.random.choice(RESETS))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--urls", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--resets", type=float, default=0.01, help="the share of requests (0.01)")
    parser.add_argument("--requests", type=int, default=1000, help="per connection, before a GOAWAY (1000)")
    parser.add_argument("--workers", type=int, default=20)
    options = parser.parse_args()
    site = Site(options.urls, options.seed, options.resets)
    begun = time.monotonic()
    with Server({}, requests_per_connection=options.requests) as server:
        server.site = site
        done = crawl(server.url, "--http2", "--workers", options.workers, timeout=None)
    seconds = time.monotonic() - begun
    records = records_in(done.stdout)
    counts = collections.Counter(record["url"].removeprefix(server.url[:-1]) for record in records)
    expected = {"/", *(f"/{number}" for number in range(1, options.urls))}
    wrong = {
        "lost": expected - counts.keys(),
        "invented": counts.keys() - expected,
        "twice": {path for path, count in counts.items() if count > 1},
        "not a page": {f"{record['url']} {record['error']}" for record in records if record["outcome"] != "page"},
        "answered twice": {path for path, count in site.answered.items() if count > 1},
        "complaints": server.complaints,
    }
    print(f"seed {options.seed}: {len(records)} records in {seconds:.0f} s, {len(server.requests)} requests on "
          f"{len(server.connections)} connections, {sum(site.reset.values())} streams reset, "
          f"{sum(record['tries'] > 1 for record in records)} URLs tried again, exit status {done.returncode}")
    for what, which in wrong.items():
        if which:
            print(f"{what}: {len(which)}, such as {list(itertools.islice(which, 5))}")
    sys.exit(1 if any(wrong.values()) or done.returncode != 0 else 0)


if __name__ == "__main__":
    main()
