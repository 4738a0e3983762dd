#!/usr/bin/env python3
"""Prints the book's queue with one fault: what a cancelled getter was given is lost.

    tests/live/make_losing_queue.py QUEUE.H >losing_queue.h

Its lines keep their numbers. Fails if the text that it replaces isn't there once: the queue has
changed then, and the fault has to be put in anew.
"""
from __future__ import annotations

import sys
from pathlib import Path

REPLACED = {
    """\
            if (!taken && this->future.done() && !this->future.has_failed())
                queue.give_back(take_entry());
""": """\
            // The fault: here, the book's queue gives the item back.
            static_cast<void>(queue);
""",
    "namespace stage3 {\n": "namespace stage3::losing {\n",
    "} // namespace stage3\n": "} // namespace stage3::losing\n",
}


class Changed(Exception):
    """The text that would be replaced isn't there once."""


def losing(text: str) -> str:
    """Raises Changed."""
    for old, new in REPLACED.items():
        if text.count(old) != 1:
            raise Changed(f"this is in queue.h {text.count(old)} times, and not once:\n{old}")
        text = text.replace(old, new)
    return text


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        print(losing(Path(sys.argv[1]).read_text(encoding="utf-8")), end="")
    except Changed as error:
        sys.exit(f"make_losing_queue.py: {error}")
