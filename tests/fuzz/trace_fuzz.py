#!/usr/bin/env python3
"""What must hold for whatever file `./learn trace FILE` is given: it produces something readable,
or says in one line why it can't and which line of the file is the reason. It raises no exception,
and it ends.

The inputs are recorded traces in which bytes, values or lines have been changed, and they are the
same on every machine. To search for longer, with other inputs:

    tests/fuzz/trace_fuzz.py --seconds 600 --seed 2
"""
from __future__ import annotations

import argparse
import contextlib
import functools
import io
import json
import os
import random
import re
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
VIEWER = ROOT / "book" / "viewer"
sys.path.insert(0, str(VIEWER))
sys.dont_write_bytecode = True
import make_page  # noqa: E402  (its folder has just been put on the path)
import trace_tool  # noqa: E402

SEEDS = [
    ROOT / "tests" / "book" / "small.trace",
    *(ROOT / "book" / "scenes" / name
      for name in ("03-callbacks.trace", "06-send.trace", "12-queue.trace")),
]
TOO_LONG = 60  # seconds for one input: an ordinary one takes some milliseconds
# As JSON has them.
VALUES = [
    "null", "true", "0", "-1", "1.5", "-0.0", "1e999", "NaN", "9" * 30, "9" * 400, '""', '"x"',
    "[]", "{}", "[null]", '[{"name":"f","at":"common/x.h:1"}]', '[{"name":1}]', "[" * 2000 + "]" * 2000,
    '{"a":' * 300 + "0" + "}" * 300, r'"\ud800"', r'"\u001b[2J\r\n"', r'"\u202e"', '"\u2028\x85"',
    '"new"', '"begin"', '"end"', '"suspend"', '"task"', '"future"', '"generator"', '"select"',
    '"trace"', '"common/trace/trace.h:\u00b2"', '"common/trace/trace.h:%s"' % ("9" * 5000),
    r'"common/\u0000.h:1"', '"</script><!--"', '"common/%s.h"' % ("x" * 5000),
]
SAYS_WHERE = re.compile(r"^learn: .*(, line (\d+): | is no trace: its first line | is empty: "
                        r"| is a trace of version | has nothing to show: ).*\n$")


# ---- Inputs -----------------------------------------------------------------------------


def changed_bytes(text: bytes, chance: random.Random) -> bytes:
    """Changes one byte, removes or repeats some, or cuts off the end."""
    at = chance.randrange(len(text))
    end = at + chance.randrange(1, 20)
    return chance.choice([
        text[:at] + bytes([chance.randrange(256)]) + text[at + 1:],
        text[:at] + text[end:],
        text[:end] + text[at:],
        text[:at],
    ])


def changed_value(text: bytes, chance: random.Random) -> bytes:
    """In one line, removes a key, or changes its value or its name."""
    lines = text.split(b"\n")
    number = chance.choice([0, *[chance.randrange(len(lines))] * 7])
    try:
        event = json.loads(lines[number])
        key = chance.choice(list(event))
    except (ValueError, TypeError, IndexError, RecursionError):
        return text
    what = chance.randrange(6)
    if what == 0:
        del event[key]
    elif what == 1:
        event[key + chance.choice(["", "2"])] = chance.choice(list(event.values()))
    elif what == 2:
        event[chance.choice(["at", "phase", "chain", "id", "awaiting", "new"])] = event[key]
    else:
        event[chance.choice([key, "at", "new"])] = "VALUE"
    line = json.dumps(event, separators=(",", ":"))
    lines[number] = line.replace('"VALUE"', chance.choice(VALUES)).encode(errors="surrogatepass")
    return b"\n".join(lines)


def changed_lines(text: bytes, chance: random.Random) -> bytes:
    """Removes, repeats or moves a line."""
    lines = text.split(b"\n")
    line = lines.pop(chance.randrange(len(lines)))
    for _ in range(chance.randrange(3)):
        lines.insert(chance.randrange(len(lines) + 1), line)
    return b"\n".join(lines)


def input_from(seeds: list[bytes], chance: random.Random) -> bytes:
    text = chance.choice(seeds)
    for _ in range(chance.randrange(1, 4)):
        change = chance.choice([changed_bytes, changed_value, changed_value, changed_lines])
        text = change(text, chance) or b"\n"
    return text


# ---- What must hold ---------------------------------------------------------------------


def no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def check_text(text: str, _out: Path) -> None:
    for line in text.removesuffix("\n").split("\n"):
        assert line.isprintable(), f"a terminal gets {line!r}"


def check_page(_text: str, out: Path) -> None:
    page = out.read_text(encoding="utf-8")
    meta = re.search(r'<script id="meta" type="application/json">(.*?)</script>', page, re.S)
    json.loads(meta[1], parse_constant=no_constant)
    events = re.search(r'<script id="trace" type="application/x-ndjson">(.*?)</script>', page, re.S)
    if events:  # a big one is packed
        for line in events[1].removesuffix("\n").split("\n"):
            json.loads(line, parse_constant=no_constant)


FORMATS = {"--text": check_text, "": check_page}


def check(file: Path, option: str, lines: int) -> str:
    """Runs the tool on this file. Returns the outcome; raises AssertionError."""
    out = file.with_suffix(".out")
    words = ["trace_tool.py", "--kept", str(file.parent), str(file), *filter(None, [option])]
    if option != "--text":
        words += ["-o", str(out)]
    said, complaint = io.StringIO(), io.StringIO()
    with (mock.patch.object(sys, "argv", words), contextlib.redirect_stdout(said),
          contextlib.redirect_stderr(complaint), mock.patch.dict(os.environ, COLUMNS="10000")):  # each sentence in one piece
        status = trace_tool.main()
    if status == 0:
        assert complaint.getvalue().count("\n") <= 1, f"says {complaint.getvalue()!r}"
        FORMATS[option](said.getvalue(), out)
        check_text(said.getvalue(), out)
        return "shown"
    assert status == 1 and said.getvalue() == "", f"status {status}, {said.getvalue()!r}"
    found = SAYS_WHERE.match(complaint.getvalue())
    assert found and complaint.getvalue()[:-1].isprintable(), f"says {complaint.getvalue()!r}"
    assert found[2] is None or int(found[2]) <= lines, f"there are {lines} lines: {found[0]}"
    return "refused"


def late(_signal, _frame) -> None:
    raise AssertionError(f"it takes longer than {TOO_LONG} s")


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--inputs", type=int, default=700)
    options.add_argument("--seconds", type=float, help="as many inputs as fit")
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    chance = random.Random(given.seed)
    seeds = [seed.read_bytes() for seed in SEEDS]
    counts = {"shown": 0, "refused": 0}
    # Most of the time is spent there, on texts that are always the same.
    slim = mock.patch.object(make_page, "slim_script", functools.cache(make_page.slim_script))
    signal.signal(signal.SIGALRM, late)
    began, tried = time.monotonic(), 0
    with slim, tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "x.trace"
        while (tried < given.inputs if given.seconds is None
               else time.monotonic() - began < given.seconds):
            text = input_from(seeds, chance)
            file.write_bytes(text)
            option = list(FORMATS)[tried % len(FORMATS)]
            tried += 1
            try:
                signal.alarm(TOO_LONG)
                counts[check(file, option, text.count(b"\n") + 1)] += 1
                signal.alarm(0)
            except Exception:  # anything else is what this looks for
                signal.alarm(0)
                kept = Path(tempfile.gettempdir()) / "trace_fuzz.trace"
                kept.write_bytes(text)
                traceback.print_exc()
                print(f"input {tried} of seed {given.seed}, kept as {kept}: ./learn trace {option}")
                return 1
    print(f"{tried} inputs: {counts['shown']} shown, {counts['refused']} refused")
    return 0 if all(counts.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
