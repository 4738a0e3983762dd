#!/usr/bin/env python3
"""The outcome of each hostile case, and the time and memory that it takes.

    tests/hostile/record.py --record FILE    tries all cases, one after the other, and writes that down
    tests/hostile/record.py --table N        what is written down of a section: 1 bodies, 2 delays, 3 redirects,
                                             4 endless, 5 documents, 6 output, 7 scheduling
    tests/hostile/record.py --only 1-12,24a  ... or of these cases: 1 to 12, each with all its letters, and 24a

Seconds and memory depend on the machine. The outcome of a case doesn't: hostile_test.py compares it with what has been
recorded.
"""
import argparse
import json
import os
import pathlib
import string
import sys
import textwrap
import time

sys.dont_write_bytecode = True
import cases
import crawls
import trial

BOOK = crawls.HERE.parents[1] / "book/figures/hostile.json"
WIDTHS = (36, 33)  # of what the server does, and of what is said of it


def read(path=BOOK):
    return json.loads(path.read_text(encoding="utf-8"))


def rows(path=BOOK):
    """The rows by the cases' numbers; none if nothing has been recorded."""
    return {row["number"]: row for row in read(path)["cases"]} if path.exists() else {}


def row_of(case, section, tried):
    return {"number": case.number, "section": section, "title": case.title, "outcome": tried.outcome,
            "error": tried.error, "status": tried.status, "seconds": round(tried.seconds, 2), "peak_mb": round(tried.peak / 1e6, 1)}


def told_otherwise(case, tried, rows):
    """Yields what the book says about this case but isn't so."""
    row = rows.get(case.number, {})
    found = {"title": case.title, "outcome": tried.outcome, "error": tried.error, "status": tried.status}
    for name, value in found.items():
        if row.get(name) != value:
            yield f"its {name} is {value!r}, but the book has {row.get(name)!r}"


def record(path):
    told = {"kind": "hostile", "when": time.strftime("%Y-%m-%d"), "cores": os.cpu_count(), "cases": []}
    wrong = []
    for section in cases.SECTIONS:
        for case in cases.cases_of(section):
            tried = trial.try_case(case)
            told["cases"].append(row_of(case, section, tried))
            wrong += [f"{case.number}, {case.title}: {what}" for what in tried.wrong]
            print(f"{case.number:5}{tried.outcome}", file=sys.stderr)
    if wrong:  # then nothing is recorded
        print("\n".join(wrong), file=sys.stderr)
        return 1
    write(path, told, "cases")
    return 0


def write(path, told, name):
    """What is told, with a line for each of the rows that it has under this name."""
    lines = ",\n".join("  " + json.dumps(row) for row in told.pop(name))
    path.write_text(json.dumps(told)[:-1] + f', "{name}": [\n' + lines + "\n]}\n", encoding="utf-8")


def lines_of(number, texts, widths, figures):
    """A row's lines: a long text continues on the next one. `number`: as wide as it's to be."""
    columns = [textwrap.wrap(text, width, break_on_hyphens=False) for text, width in zip(texts, widths)]
    for at in range(max(map(len, columns))):
        first, second = (column[at] if at < len(column) else "" for column in columns)
        line = f"{'' if at else number:{len(number)}}{first:{widths[0]}}  {second:{widths[1]}}"
        yield line.rstrip() if at else line + figures


def table(told, is_wanted):
    """The table. `is_wanted`: whether a row is in it.

    The exit status has a column if it is ever anything other than 1 (something is dead) or 0, which are as expected."""
    rows = [row for row in told["cases"] if is_wanted(row)]
    with_status = any(row["status"] not in (0, 1) for row in rows)
    widths = (WIDTHS[0], WIDTHS[1] - 6 * with_status)
    head = f"{'':5}{'what the server does':{widths[0]}}  {'what is said of it':{widths[1]}}"
    lines = [head + "  exit" * with_status + f"{'s':>6}{'MB':>5}"]
    for row in rows:
        said = row["outcome"] + (f": {row['error']}" if row["error"] else "")
        figures = f"{row['status']:6}" * with_status + f"{row['seconds']:6.2f}{row['peak_mb']:5.0f}"
        lines += lines_of(f"{row['number']:5}", (_shown(row["title"]), _shown(said)), widths, figures)
    return "\n".join(lines)


def is_between(number, first, last):
    """Whether a case's number, such as 24a, is this one or, if there is a last one, one from first to last."""
    if not last:
        return number == first
    return (first + last).isdigit() and int(first) <= int(number.rstrip(string.ascii_lowercase)) <= int(last)


def _shown(text):
    """The text with anything but printable ASCII escaped, because errors also contain a server's words."""
    return "".join(c if " " <= c <= "~" else "\\x%02x" % ord(c) if ord(c) < 256 else "\\u%04x" % ord(c) for c in text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--record", type=pathlib.Path, metavar="FILE")
    what.add_argument("--table", type=int, choices=cases.SECTIONS, metavar="N")
    what.add_argument("--only", metavar="NUMBERS")
    parser.add_argument("--from", type=pathlib.Path, default=BOOK, metavar="FILE", dest="source",
                        help="where it's recorded (book/figures/hostile.json)")
    options = parser.parse_args()
    if options.record:
        return record(options.record)
    told = read(options.source)
    asked = [one.partition("-") for one in options.only.split(",")] if options.only else []
    for first, dash, last in asked:
        if not any(is_between(row["number"], first, last) for row in told["cases"]):
            parser.error(f"there is no case {first}{dash}{last}")
    print(table(told, lambda row: row["section"] == options.table
                or any(is_between(row["number"], first, last) for first, _, last in asked)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
