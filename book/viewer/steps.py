"""Which event is which step of the page. model.js decides it; this says the same, and a test holds
that it does."""
from __future__ import annotations

from traces import Trace

KINDS = {
    "select", "ready", "queue", "schedule", "schedule cancel", "callback begin",
    "callback end",
    "timer set", "timer due", "timer cancel",
    "future new", "future resolve", "future fail", "future cancel",
    "task new", "task step", "task suspend", "task done", "task cancel",
    "coroutine call", "coroutine return", "fetch start", "fetch end", "watch add", "watch remove",
    *(f"generator {phase}" for phase in (
        "new", "next", "send", "throw", "resume", "take", "yield", "end", "reply", "gone")),
}


def step_numbers(trace: Trace) -> list[int | None]:
    """For each event, the number of its step, as `#step=` in the page's address takes it; None if
    it has none of its own."""
    numbers: list[int | None] = []
    count = 0
    select = None
    for event in trace.events:
        if event["event"] == "select":
            select = event
        if is_step(event, select):
            count += 1
            numbers.append(count)
        else:
            numbers.append(None)
    return numbers


def is_step(event: dict, select: dict | None) -> bool:
    if event["event"] == "awake":  # only that of a sleep that no descriptor has ended
        return select is not None and event.get("ready") == 0 and select.get("timeout_ms") != 0
    kind = event["event"]
    if event.get("phase") and kind != "queue":
        kind += " " + event["phase"]
    if kind == "future new" and not event.get("at"):  # told with the suspend that follows
        return False
    return kind in KINDS
