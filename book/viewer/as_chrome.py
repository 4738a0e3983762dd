"""A trace as Chrome's trace events, which Perfetto (ui.perfetto.dev) and chrome://tracing show.

Each lane is a "thread" there, though there is but one: the loop; the callbacks; each task. A
callback and a task's step are bars (B … E), sleep is one of the loop's. What wakes a task is an
arrow (s … f), a fetch lasts from its start to its end (b … e), and the rest are moments (i).
"""
from __future__ import annotations

import json
from typing import NamedTuple

from traces import Trace

PROCESS = 1
LOOP, CALLBACKS = 1, 2
FIRST_TASK = 10


def chrome_of(trace: Trace) -> str:
    made = Maker(trace)
    for event in trace.events:
        made.take(event)
    made.close_all(trace.events[-1]["t"])
    body = ",\n".join(json.dumps(event, ensure_ascii=False) for event in made.events)
    return '{"displayTimeUnit": "ms", "traceEvents": [\n' + body + "\n]}\n"


class Bar(NamedTuple):
    """One that has begun, and not ended."""

    kind: str    # "callback" or "step"
    number: int  # the task's; 0 for a callback
    lane: int
    name: str


class Maker:
    """Goes through a trace once, and remembers what is open."""

    def __init__(self, trace: Trace):
        self.events: list[dict] = []
        self.open: list[Bar] = []
        self.asleep = False
        self.fetches: set[int] = set()
        self.woken: dict[int, int] = {}             # task: the arrow that leads to its next step
        self.waiting: dict[int, list[int]] = {}     # future: tasks
        self.arrows = 0
        self.name("process_name", 0, trace.program)
        self.name("thread_name", LOOP, "the loop")
        self.name("thread_name", CALLBACKS, "callbacks")

    def name(self, what: str, lane: int, name: str) -> None:
        self.events.append({"ph": "M", "name": what, "pid": PROCESS, "tid": lane,
                            "args": {"name": name}})

    def add(self, phase: str, name: str, lane: int, time: int, **more) -> None:
        self.events.append({"ph": phase, "name": name, "pid": PROCESS, "tid": lane, "ts": time,
                            **more})

    def take(self, event: dict) -> None:
        self.wake(event)
        maker = getattr(self, f"take_{event['event']}", None)
        if maker:
            maker(event)
        elif event["event"] not in ("trace", "end", "ready", "awake"):
            self.moment(event)

    # ---- Bars ----

    def begin(self, kind: str, number: int, lane: int, name: str, event: dict) -> None:
        args = {key: event[key] for key in ("at", "fd", "turn") if key in event}
        self.open.append(Bar(kind, number, lane, name))
        self.add("B", name, lane, event["t"], args=args)

    def end(self, kind: str, number: int, time: int) -> None:
        """Ends a bar, and all that began inside it: an exception has ended those."""
        which = [index for index, bar in enumerate(self.open)
                 if (bar.kind, bar.number) == (kind, number)]
        if which:
            self.close_bars(time, which[-1])

    def close_bars(self, time: int, first: int = 0) -> None:
        while len(self.open) > first:
            bar = self.open.pop()
            self.add("E", bar.name, bar.lane, time)

    def close_all(self, time: int) -> None:
        """The trace ends: nothing may stay open."""
        self.close_bars(time)
        if self.asleep:
            self.add("E", "sleep", LOOP, time)
        for number in sorted(self.fetches):
            self.add("e", "fetch", LOOP, time, cat="fetch", id=number)

    def take_select(self, event: dict) -> None:
        self.close_bars(event["t"])  # whoever is still on the stack has been left by an exception
        if event["timeout_ms"] != 0:
            self.asleep = True
            self.add("B", "sleep", LOOP, event["t"],
                     args={"fds": event["fds"], "turn": event["turn"]})

    def wake(self, event: dict) -> None:
        """Whatever happens after a select, the loop sleeps no more."""
        if self.asleep and event["event"] != "select":
            self.asleep = False
            self.add("E", "sleep", LOOP, event["t"])

    def take_callback(self, event: dict) -> None:
        if event["phase"] == "begin":
            self.begin("callback", 0, CALLBACKS, event["name"], event)
        else:
            self.end("callback", 0, event["t"])

    # ---- Tasks, and the arrows that lead to them ----

    def take_task(self, event: dict) -> None:
        number, phase = event["id"], event["phase"]
        lane = FIRST_TASK + number
        if phase == "new":
            self.name("thread_name", lane, f"task {number}: {event.get('name', '?')}")
            self.moment(event, lane)
        elif phase == "step":
            self.begin("step", number, lane, "step", event)
            arrow = self.woken.pop(number, None)
            if arrow is not None:
                self.add("f", "wakes", lane, event["t"], cat="future", id=arrow, bp="e")
        elif phase == "cancel":
            self.moment(event, lane)
        else:
            self.end("step", number, event["t"])
            self.moment(event, lane)
            if "awaiting" in event:
                self.waiting.setdefault(event["awaiting"], []).append(number)

    def take_future(self, event: dict) -> None:
        self.moment(event)
        if event["phase"] == "new":
            return
        for task in self.waiting.pop(event["id"], []):
            self.arrows += 1
            self.woken[task] = self.arrows
            self.add("s", "wakes", self.lane(), event["t"], cat="future", id=self.arrows)

    def take_generator(self, event: dict) -> None:
        """Its steps are bars, as a task's; what is said to it, moments of who says it."""
        number, phase = event["id"], event["phase"]
        lane = FIRST_TASK + number
        if phase == "new":
            self.name("thread_name", lane, f"generator {number}: {event.get('name', '?')}")
        if phase == "resume":
            self.begin("step", number, lane, "step", event)
        elif phase in ("yield", "end"):
            self.end("step", number, event["t"])
            self.moment(event, lane)
        else:
            self.moment(event)

    # ---- Fetches and moments ----

    def take_fetch(self, event: dict) -> None:
        number = event["id"]
        if event["phase"] == "start":
            self.fetches.add(number)
            self.add("b", "fetch", LOOP, event["t"], cat="fetch", id=number,
                     args={"url": event["url"]})
        elif number in self.fetches:
            self.fetches.remove(number)
            self.add("e", "fetch", LOOP, event["t"], cat="fetch", id=number,
                     args={"status": event.get("status"), "bytes": event.get("bytes")})

    def lane(self) -> int:
        """Of who has the thread."""
        return self.open[-1].lane if self.open else LOOP

    def moment(self, event: dict, lane: int | None = None) -> None:
        name = " ".join(filter(None, (event["event"], event.get("phase"))))
        args = {key: value for key, value in event.items() if key not in ("t", "event", "phase")}
        self.add("i", name, self.lane() if lane is None else lane, event["t"], s="t", args=args)
