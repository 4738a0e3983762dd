"""What is wrong with what a crawler has done: each function yields a line for each thing, and nothing if all is well.

checks_test.py holds doctored results against them.
"""
import collections
import json
import re

import expect

MEGA = 1024 * 1024
A_PROGRAM = 64 * MEGA  # it needs less than this before the first byte of a body
FIELDS = ["url", "depth", "parent", "outcome", "status", "next_url", "error", "content_type", "charset", "bytes",
          "links", "new_links", "tries", "seconds", "kind", "fragment", "excuse",
          "nearest_id", "line", "column", "text", "href"]


# What the last lines of --format jsonl have if a crawl isn't complete.
SHORTFALL = ["incomplete", "why"]


def read_records(output):
    """Those of --format jsonl."""
    return [line for line in map(json.loads, output.splitlines()) if list(line) != SHORTFALL]


def wrong_end(result, status):
    """`status`: the expected exit status."""
    if result.status == "late":
        yield f"it was still running after {result.seconds:.0f} s, and had said {result.said[-300:]!r}"
    elif result.status != status:
        yield f"its exit status is {result.status}, but should be {status}; it said {result.said[-2000:]!r}"


def wrong_memory(result, workers, max_body):
    most = A_PROGRAM + workers * max_body
    if result.peak > most:
        yield f"its peak of memory is {result.peak / MEGA:.0f} MiB, but may be only {most / MEGA:.0f}"


def wrong_records(records, expected, more=False):
    """`expected`: the Expected of each URL. `more`: there may be other URLs."""
    times = collections.Counter(record["url"] for record in records)
    for url, count in times.items():
        if count > 1:
            yield f"{url} has {count} records"
        if url not in expected and not more:
            yield f"{url} has a record, but is not expected"
    found = {record["url"]: record for record in records}
    for url, wanted in expected.items():
        if url not in found:
            yield f"{url} is lost"
        else:
            yield from wrong_record(found[url], wanted)


def wrong_record(record, wanted):
    url = record["url"]
    if not expect.fits(wanted.outcome, record["outcome"]):
        yield (f"{url}: its outcome is {record['outcome']} (status {record['status']}, {record['error']!r}), "
               f"but should be {shown(wanted.outcome)}")
        return
    for field, value in {"status": wanted.status, "error": wanted.error, **wanted.fields}.items():
        if not expect.fits(value, record[field]):
            yield f"{url}: its {field} is {record[field]!r}, but should be {shown(value)!r}"


def shown(wanted):
    return getattr(wanted, "pattern", wanted)


def wrong_bytes(text):
    """What must never reach a terminal: anything but printable ASCII and line ends."""
    for number, line in enumerate(text.split(b"\n"), 1):
        found = re.search(rb"[^ -~]", line)
        if found:
            yield f"line {number}: a byte {found[0]!r} in {line[max(0, found.start() - 60):found.end() + 60]!r}"


def wrong_jsonl(output):
    yield from wrong_bytes(output)
    for line in output.decode("ascii", "replace").splitlines():
        try:
            if list(json.loads(line)) not in (FIELDS, SHORTFALL):
                yield f"other fields than there should be: {line[:200]}"
        except json.JSONDecodeError as error:
            yield f"no JSON, {error}: {line[:200]}"
