"""Which event is which step of the page: steps.json names the kinds of steps for model.js, too, and
a test holds that both count alike."""
from __future__ import annotations

from traces import KNOWN, Trace


def step_numbers(trace: Trace) -> list[int | None]:
    """For each event, the number of its step, as `#step=` in the page's address takes it; None if
    it has none of its own."""
    numbers: list[int | None] = []
    count = 0
    select = None
    for event in trace.events:
        if event["event"] == "select":
            select = event
        is_one = is_step(event, select)
        count += is_one
        numbers.append(count if is_one else None)
    return numbers


def is_step(event: dict, select: dict | None) -> bool:
    kind, phase = KNOWN["kinds"].get(event["event"]), event.get("phase")
    if isinstance(kind, dict):
        kind = kind.get(phase or "now")
    if kind == "awake":  # only that of a sleep that no descriptor has ended
        return select is not None and event.get("ready") == 0 and select.get("timeout_ms") != 0
    if kind == "queue":
        return bool(phase)
    if kind == "future":  # without a place it's told with the suspend that follows
        return bool(event.get("at"))
    return kind is not None
