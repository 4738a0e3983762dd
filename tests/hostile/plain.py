"""What stages 1 and 2 make of the cases.

They speak HTTP/1.0 and ask for no compression. They have no robots.txt, no second try, and only one time limit: the
crawl gives up when nothing at all has happened for 30 s. Listed here is where they differ from stage 3.
"""
import re

import cases
import expect
from redirects import NO_URLS
from server import AFTER_BYTES

def by_number(groups):
    """What is said of each of these cases."""
    return {number: words for words, numbers in groups for number in numbers.split()}


# Cases that they don't survive, or that mean nothing to them.
WITHOUT = by_number([
    ("no limit of time: they wait as long as a byte comes now and then", "23 24a 22j"),
    ("no limit of redirects: the site has no end", "35d"),
    ("the site has no end, and they have no limit", "45a 45b 45c 46a 46b 47b 48a 48b 48c 50"),
    ("they follow only links", "22n 22o 22p"),
    ("it leads to ten thousand pages, which they fetch", "49"),
    ("it's about an option of stage 3", "79"),
])

# Why a case's own URLs are dead to them; the start page and /after never are.
DEAD = by_number([
    ("compressed, though not asked to be", "1 2 3a 3b 4a 4b 5"),
    ("response larger than 16777216 bytes", "6 7 16 22g 58b"),
    ("truncated: 10 of 1000 bytes came", "8"),
    ("malformed Content-Length", "10a 10b 10c 10d"),
    ("malformed chunk", "12a 12b 13"),
    ("truncated: the connection closed within a chunk", "12c"),
    ("headers larger than 64 KiB", "15 17 36j 42b"),
    ("malformed header", "18a 18b"),
    ("not an HTTP response", "19a 19b 19c 19d 71f"),
    ("HTTP status 304", "20b 38b"),
    ("truncated: 9 of 1000 bytes came", "22h"),
    ("no answer", "22k 22l 22m 24b"),
    (expect.like("HTTP status (408|421|425)"), "29c 29d"),
    (expect.like("connection reset.*"), "21a 21e"),
    ("empty response", "21b"),
    ("connection refused", "21c"),
    ("HTTP status 404", "24c 24d 71a"),
    ("HTTP status 503", "26a 26b 26c 27 28 29b"),
    ("HTTP status 429", "29a"),
    ("redirect without a target", "31a 31b 31c 31d 34a 34b 36k 39b 39c 71c 71d 72b"),
    ("HTTP status 300", "38a"),
])

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
    "39a": dict.fromkeys(NO_URLS),
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
