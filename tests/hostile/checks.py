"""What is wrong with what a crawler has done: each function yields a line for each thing, and nothing if all is well.

checks_test.py holds doctored results against them.
"""
import collections
import csv
import io
import json
import re

import expect

MEGA = 1024 * 1024
A_PROGRAM = 64 * MEGA  # it needs less than this before the first byte of a body
FIELDS = ["url", "depth", "parent", "outcome", "status", "next_url", "error", "content_type", "charset", "bytes",
          "links", "new_links", "tries", "seconds", "kind", "fragment", "excuse"]


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


def wrong_bytes(text, line_end=b"\n"):
    """What must never reach a terminal: anything but printable ASCII and line ends."""
    for number, line in enumerate(text.split(line_end), 1):
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


def wrong_csv(output, records):
    """`records`: those of a crawl of the same site, as JSON."""
    yield from wrong_bytes(output, b"\r\n")
    rows = list(csv.reader(io.StringIO(output.decode("latin-1"), newline=""), strict=True))
    if not rows or rows[0] != FIELDS:
        yield f"its first line is {rows[:1]}"
        return
    cells = {row[0]: dict(zip(FIELDS, row)) for row in rows[1:] if row[3] != "incomplete"}
    if len(cells) != len([row for row in rows[1:] if row[3] != "incomplete"]):
        yield "a URL twice"
    for row in rows[1:]:
        if len(row) != len(FIELDS):
            yield f"{len(row)} cells: {row}"
        for cell in row:
            if cell[:1] in tuple("=+-@"):
                yield f"a spreadsheet takes {cell!r} for a formula"
    known = {record["url"]: record for record in records}
    for url in cells.keys() ^ known.keys():
        yield f"{url} is only in one of the two"
    for url in cells.keys() & known.keys():
        fields = ["outcome", "status", "next_url", "error", "content_type", "charset", "links"]
        # How much arrived before it was given up is a matter of chance.
        for field in fields + ["bytes"] * (known[url]["outcome"] != "failed"):
            value, cell = known[url][field], cells[url][field]
            if not re.fullmatch(cell_like("" if value is None else str(value)), cell):
                yield f"{url}: its {field} is {cell!r}, but {value!r} in JSON"


def cell_like(value):
    """A pattern for what a cell has where the JSON has `value`."""
    pattern = ""
    for character in value:
        if character == "\ufffd":  # it stands for bytes that aren't UTF-8
            pattern += r"(\\x[0-9a-f]{2})+"
        else:
            pattern += "".join(re.escape(chr(byte) if 32 <= byte < 127 else rf"\x{byte:02x}")
                               for byte in character.encode())
    return "'?" + pattern if value[:1] in tuple("=+-@") and value else pattern


def wrong_dot(output):
    yield from wrong_bytes(output)
    lines = output.decode("ascii", "replace").splitlines()
    if lines[:1] != ["digraph crawl {"] or lines[-1:] != ["}"]:
        yield f"no graph: {lines[:1]} ... {lines[-1:]}"
    string = r'"(?:[^"\\]|\\.)*"'
    for line in lines[1:-1]:
        if not line.startswith("  // left out: ") and not re.fullmatch(rf"  {string}(?: -> {string})?(?: \[\w+=\w+\])?;", line):
            yield f"no line of a graph: {line[:200]}"


def wrong_report(output, expected):
    """The report for people. `expected`: as for `wrong_records`."""
    yield from wrong_bytes(output)
    lines = output.decode("latin-1").splitlines()
    blank = lines.index("") if "" in lines else len(lines)
    if sum(line.startswith("Done in ") for line in lines) != 1:
        yield "there isn't one line that says it's done"
    outcomes = {words[3]: words[0] for words in (line.split() for line in lines[:blank]) if len(words) > 3}
    if blank != len(expected):
        yield f"{blank} lines, but {len(expected)} URLs"
    for url, wanted in expected.items():
        if not expect.fits(wanted.outcome, outcomes.get(url)):
            yield f"{url}: {outcomes.get(url)}, but should be {shown(wanted.outcome)}"
