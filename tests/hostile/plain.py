"""What stages 1 and 2 make of the cases.

They speak HTTP/1.0 and ask for no compression. They have no robots.txt, no second try, and only one time limit: the
crawl gives up when nothing at all has happened for 30 s. Listed here is where they differ from stage 3.
"""
import re

import cases
import expect
from server import AFTER_BYTES

# Cases that they don't survive, or that mean nothing to them.
WITHOUT = {
    "23": "no limit of time: they wait as long as a byte comes now and then",
    "24a": "no limit of time: they wait as long as a byte comes now and then",
    "35d": "no limit of redirects: the site has no end",
    "45a": "the site has no end, and they have no limit", "45b": "as 45a", "45c": "as 45a", "46a": "as 45a",
    "46b": "as 45a", "47b": "as 45a", "48a": "as 45a", "48b": "as 45a", "48c": "as 45a", "50": "as 45a",
    "22j": "no limit of time: they wait as long as a byte comes now and then", "22n": "they follow only links",
    "22o": "as 22n", "22p": "as 22n",
    "49": "it leads to ten thousand pages, which they fetch",
    "79": "it's about an option of stage 3",
}

COMPRESSED = "compressed, though not asked to be"
TOO_LARGE = "response larger than 16777216 bytes"
LENGTH = "malformed Content-Length"
CUT_CHUNK = "truncated: the connection closed within a chunk"
HEADERS = "headers larger than 64 KiB"
NO_HTTP = "not an HTTP response"
NO_TARGET = "redirect without a target"
RESET = expect.like("connection reset.*")
ABOUT_CONNECTION = expect.like("HTTP status (408|421|425)")

# Why a case's own URLs are dead to them; the start page and /after never are.
DEAD = {
    "1": COMPRESSED, "2": COMPRESSED, "3a": COMPRESSED, "3b": COMPRESSED, "4a": COMPRESSED, "4b": COMPRESSED,
    "5": COMPRESSED, "6": TOO_LARGE, "7": TOO_LARGE, "8": "truncated: 10 of 1000 bytes came",
    "10a": LENGTH, "10b": LENGTH, "10c": LENGTH, "10d": LENGTH,
    "12a": "malformed chunk", "12b": "malformed chunk", "12c": CUT_CHUNK, "13": "malformed chunk",
    "15": HEADERS, "16": TOO_LARGE, "17": HEADERS, "18a": "malformed header", "18b": "malformed header",
    "19a": NO_HTTP, "19b": NO_HTTP, "19c": NO_HTTP, "19d": NO_HTTP,
    "20b": "HTTP status 304",
    "22g": TOO_LARGE, "22h": "truncated: 9 of 1000 bytes came", "22k": "no answer",
    "22l": "no answer", "22m": "no answer", "29c": ABOUT_CONNECTION, "29d": ABOUT_CONNECTION,
    "21a": RESET, "21b": "empty response", "21c": "connection refused", "21e": RESET,
    "24b": "no answer", "24c": "HTTP status 404", "24d": "HTTP status 404",
    "26a": "HTTP status 503", "26b": "HTTP status 503", "26c": "HTTP status 503", "27": "HTTP status 503",
    "28": "HTTP status 503", "29a": "HTTP status 429", "29b": "HTTP status 503",
    "31a": NO_TARGET, "31b": NO_TARGET, "31c": NO_TARGET, "31d": NO_TARGET, "34a": NO_TARGET, "34b": NO_TARGET,
    "36j": HEADERS, "36k": NO_TARGET, "38a": "HTTP status 300", "38b": "HTTP status 304",
    "39b": NO_TARGET, "39c": NO_TARGET, "42b": HEADERS, "58b": TOO_LARGE,
    "71a": "HTTP status 404", "71c": NO_TARGET, "71d": NO_TARGET, "71f": NO_HTTP, "72b": NO_TARGET,
}

# Other paths than those of stage 3, or other outcomes. None: no record.
OTHERS = {
    "14": {"/case": expect.page()},
    "20f": {"/case": expect.page()},
    "21d": {"https://127.0.0.1:{port}/case": None},
    "24e": {"https://127.0.0.1:{port}/case": None},
    "35a": {"/case": expect.redirect()},
    "35b": {"/b": expect.redirect()},
    "35c": {**{f"/c/{i}": expect.redirect() for i in range(50)}, "/c/50": expect.page()},
    "35e": {"/a": expect.redirect(), "/b": expect.redirect(), "/c": expect.redirect()},
    "36i": {"/case": expect.redirect(), "/found": expect.page()},
    "58b": {"/found": None},
    "81b": {"/last": expect.failed("HTTP status 503", 503), "/the-end": None},
}


def cases_to_try():
    return [case for case in cases.all_cases() if case.number not in WITHOUT]


def expected_of(served):
    """The Expected of each URL, of which only the outcome ("failed" means "dead") and the error count."""
    number = served.case.number
    wanted = {}
    for url, stage3 in served.expected.items():
        is_the_case = url not in (served.root, served.url("/after"))
        if is_the_case and number in DEAD:
            wanted[url] = expect.failed(DEAD[number])
        elif stage3.outcome == "disallowed":
            wanted[url] = expect.page()
        else:
            wanted[url] = stage3
    for text, other in OTHERS.get(number, {}).items():
        wanted[served.url(text)] = other
    return {url: one for url, one in wanted.items() if one}


def read_records(output):
    """Reads a line for each URL: outcome, status, bytes, URL, where it leads, why it's dead. The last line has sums."""
    lines = output.decode("latin-1").splitlines()
    for line in lines[:-1]:
        words = re.fullmatch(r"(\w+) +(?:-|\d+) +(\d+)  (\S+)(?: -> \S+)?(?: \((.*)\))?", line)
        if not words:
            raise ValueError(f"no record: {line!r}")
        yield {"outcome": words[1], "bytes": int(words[2]), "url": words[3], "error": words[4]}


def wrong_records(records, served):
    wanted = expected_of(served)
    urls = [record["url"] for record in records]
    for url in set(urls) | set(wanted):
        if urls.count(url) != (url in wanted):
            yield f"{url} has {urls.count(url)} records"
    for record in records:
        one = wanted.get(record["url"])
        if one is None:
            continue
        outcome = "dead" if one.is_dead else one.outcome
        if not expect.fits(outcome, record["outcome"]) or not expect.fits(one.error, record["error"]):
            yield f"{record}, but should be {outcome} ({one.error})"
        if record["url"] == served.url("/after") and "bytes" in one.fields and record["bytes"] != AFTER_BYTES:
            yield f"{record['bytes']} bytes of another page"
