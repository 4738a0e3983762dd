"""What an event must have, so that whoever shows it need not ask again.

common/trace/trace.h tells what the events are. Those that it doesn't know, and other keys, are
let through: a newer program may have written them.
"""
from __future__ import annotations

NUMBERS = {
    "turn", "version", "fd", "fds", "ready", "call", "task", "id", "awaiting", "waiters", "future",
    "queue", "size", "unfinished", "getters", "putters", "bytes", "number",
}
TEXTS = {
    "event", "phase", "at", "from", "name", "program", "sources", "function", "outcome", "events",
    "url", "next", "error", "item", "by", "word", "how",
}
BROKEN_NUMBERS = {"t", "in_ms"}
NUMBERS_OR_NULL = {"timeout_ms", "status"}
MOST = 2**63  # what the programs count with

NEEDS = {  # beside `t`, `turn` and `event`
    "select": ["timeout_ms", "fds"],
    "awake": ["ready"],
    "ready": ["fd", "events"],
    "watch": ["phase", "fd", "events"],
    "watch add": ["name"],
    "callback": ["phase", "name"],
    "timer": ["phase", "call"],
    "timer set": ["name", "in_ms"],
    "schedule cancel": ["call"],
    "future": ["phase", "id"],
    "task": ["phase", "id"],
    "generator": ["phase", "id"],
    "coroutine": ["phase", "name"],
    "queue": ["phase", "size", "unfinished", "getters", "putters"],
    "fetch": ["phase", "id", "url"],
    "fetch end": ["bytes"],
}


def fault_of(event: dict) -> str | None:
    """What is wrong with it, in a few words; None if nothing is."""
    for key, value in event.items():
        wanted = wanted_of(key, value)
        if wanted:
            return f"{shown(key)} is not {wanted}"
    kind = event["event"]
    for name in (kind, f"{kind} {event.get('phase')}"):
        for key in NEEDS.get(name, []):
            if key not in event:
                return f'there is no "{key}"'
    return None


def wanted_of(key: str, value: object) -> str | None:
    """What the value should be, and isn't."""
    if key == "chain":
        return None if is_chain(value) else "a list of places"
    if key in TEXTS:
        return None if is_text(value) else "a text"
    if key in NUMBERS or (key in NUMBERS_OR_NULL and value is not None):
        return None if is_number(value, int) else "a whole number"
    if key in BROKEN_NUMBERS:
        return None if is_number(value, (int, float)) else "a number"
    is_plain = value is None or isinstance(value, (bool, float)) or is_number(value, int)
    return None if is_text(key) and (is_plain or is_text(value)) else "something that is known"


def is_text(value: object) -> bool:
    """JSON can name half a character, which no file can hold."""
    return isinstance(value, str) and not any("\ud800" <= c <= "\udfff" for c in value)


def is_number(value: object, kinds: type | tuple[type, ...]) -> bool:
    return isinstance(value, kinds) and not isinstance(value, bool) and abs(value) < MOST


def is_chain(value: object) -> bool:
    """Where a task waits: one place for each coroutine."""
    return isinstance(value, list) and all(
        isinstance(link, dict) and {"name", "at"} <= link.keys()
        and all(is_text(key) and is_text(text) for key, text in link.items())
        for link in value)


def shown(text: str) -> str:
    """For a terminal, and in one line: what isn't printable is spelled out."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)
