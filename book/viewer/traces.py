"""Reads what the programs write with --trace: one event a line, as JSON.

common/trace/trace.h tells what the events are. A place, in a trace, is a source file and a line
as seen from the repository's root, "stage2_coroutines/task.h:42"; or a file alone.
"""
from __future__ import annotations

import hashlib
import json
import math
import re
import sys
from pathlib import Path
from typing import Iterator

from shapes import fault_of, shown

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "live"))
import make_losing_queue  # noqa: E402  (its folder is on the path now)

QUEUE = "stage3_queue_crawler/runtime/sync/queue.h"
LIVE, LOSING_QUEUE = "tests/live/crawl.cpp", "tests/live/losing_queue.h"
FOLDERS = ["common", "stage1_callbacks", "stage2_coroutines", "stage3_queue_crawler"]
VERSION = 2
PLACE = re.compile(r"(.*):([0-9]{1,9})", re.S)
# The kinds of steps, and the stages of our programs: model.js takes both from there, too.
KNOWN = json.loads((Path(__file__).parent / "steps.json").read_text(encoding="utf-8"))


class BadTrace(Exception):
    """It can't be shown. The text says why, and what to do."""


class Trace:
    """A trace that was read. `events` has all, in order, the first one ("trace") included."""

    def __init__(self, name: str, events: list[dict], cut_off: bool):
        self.name, self.events, self.cut_off = name, events, cut_off
        self.program = shown(events[0].get("program") or "?")
        self.talks = any(event["event"] == "generator" for event in events)
        self.stage = KNOWN["stages"].get(self.program) or self._stage_by_events()

    def _stage_by_events(self) -> int:
        """Of a program that isn't ours: as model.js finds it."""
        if any(event.get("name") == "mailbox" for event in self.events):
            return 3  # its loop begins with that
        return 2 if any(event["event"] in ("task", "generator") for event in self.events) else 1

    def places(self) -> list[str]:
        """All that are named, each once, in the order in which they come."""
        return list(dict.fromkeys(place for event in self.events for place in places_of(event)))

    def text(self) -> str:
        return "".join(one_line(event) + "\n" for event in self.events)


def one_line(event: dict) -> str:
    return json.dumps(event, ensure_ascii=False, separators=(",", ":"))


def places_of(event: dict) -> Iterator[str]:
    for holder in (event, *event.get("chain", [])):
        for key in ("at", "from"):
            if isinstance(holder.get(key), str):
                yield holder[key]


def with_places(event: dict, moved: dict[str, str]) -> dict:
    """The same event, with each place replaced by what it has become."""
    event = {key: moved.get(value, value) if key in ("at", "from") else value
             for key, value in event.items()}
    if "chain" in event:
        event["chain"] = [with_places(link, moved) for link in event["chain"]]
    return event


def split_place(place: str) -> tuple[str, int | None]:
    """"a/b.cpp:42" is a/b.cpp and 42; a file alone has no line."""
    found = PLACE.fullmatch(place)
    return (found[1], int(found[2])) if found else (place, None)


# ---- Reading ----------------------------------------------------------------------------


def read(path: Path | str) -> Trace:
    """Throws BadTrace."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        raise BadTrace(f"there is no file {path}; a program writes one with --trace FILE, "
                       "and `./learn trace` without a file records a run") from None
    except OSError as error:
        raise BadTrace(f"{path} can't be read: {error.strerror}") from None
    return parse(text, str(path))


def parse(text: str, name: str = "the trace") -> Trace:
    """Throws BadTrace. A trace whose end is missing is good: what is there, happened."""
    # Nothing else ends a line: it may stand in a text.
    lines = text.removesuffix("\n").split("\n") if text else []
    events = []
    for number, line in enumerate(lines, 1):
        event = event_of(line)
        if number == 1:
            check_first(event, name)
        if event is None and number == len(lines):
            break  # cut off in the middle of a line
        fault = "this is no event" if event is None else fault_of(event)
        if fault:
            raise BadTrace(f"{name}, line {number}: {fault}. Was the file changed? Record it anew")
        events.append(event)
    if not events:
        raise BadTrace(f"{name} is empty: the program has ended before it wrote anything")
    cut_off = events[-1].get("event") != "end"
    if len(events) - (not cut_off) < 2:
        raise BadTrace(f"{name} has nothing to show: nothing had happened yet when it ended")
    return Trace(name, events, cut_off)


def event_of(line: str) -> dict | None:
    try:
        event = json.loads(line, parse_float=finite, parse_constant=finite)
    except (ValueError, RecursionError):
        return None
    if not isinstance(event, dict) or not isinstance(event.get("event"), str):
        return None
    return event if all(isinstance(event.get(key), (int, float)) for key in ("t", "turn")) else None


def finite(text: str) -> float:
    """A number that can be written as JSON again."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def check_first(event: dict | None, name: str) -> None:
    if event is None or event["event"] != "trace":
        raise BadTrace(f"{name} is no trace: its first line should tell which program wrote it. "
                       "A program writes a trace with --trace FILE")
    version = event.get("version")
    if version != VERSION:
        said = version if isinstance(version, int) else "?"
        raise BadTrace(f"{name} is a trace of version {said}, and version {VERSION} is what is "
                       "known here. Record it anew, with the programs of this checkout")


# ---- Sources ----------------------------------------------------------------------------


def sources_hash(root: Path = ROOT) -> str:
    """Tells one state of the sources from another: all that a trace can name a line of."""
    total = hashlib.sha256()
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".h", ".cpp"):
                name = path.relative_to(root).as_posix()
                total.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()[:12]


def losing_queue(root: Path) -> str | None:
    """The book's queue with a fault: a build makes it, and so it's in no checkout. None, too, if a reader has changed
    the queue where the fault would be."""
    text = source_of(QUEUE, root)
    try:
        return None if text is None else make_losing_queue.losing(text)
    except make_losing_queue.Changed:
        return None


def source_of(path: str, root: Path = ROOT) -> str | None:
    """A source's text; None if there is none. Whatever else a trace may name, it gets no file
    but the stages' sources, the exercises' programs, and those of a live crawl."""
    parts = path.split("/")
    is_source = parts[0] in FOLDERS and path.endswith((".h", ".cpp"))
    is_program = parts[:2] == ["tests", "exercises"] and parts[-1] == "program.cpp" or path == LIVE
    if path == LOSING_QUEUE:
        return losing_queue(root)
    if not (is_source or is_program) or ".." in parts:
        return None
    try:
        return (root / path).read_text(encoding="utf-8")
    except (OSError, ValueError):  # a name that no file can have is a ValueError
        return None
