"""Addresses that pages once had. Each still leads to where the page is now.

A page keeps the rest of its name when it gets another number, so the table names only numbers.
Each old address gets a small page that sends the browser on, with its anchor.
"""
from __future__ import annotations

from html import escape

# Names of pages and exercises without their numbers, with the numbers that they once had.
MOVED = {
    "book": {
        "the-crawler": ["14"], "http-without-sockets": ["13"], "a-crawler-that-survives": ["14a"],
        "how-it-ends": ["15"], "how-fast-and-why": ["16"], "a-hostile-web": ["17"],
        "the-cases": ["17a"], "the-other-side-of-the-socket": ["18"], "the-practice-site": ["18a"],
        "when-the-queue-is-somewhere-else": ["19"], "more-than-one-server": ["19a"]},
    "exercises": {
        "the-first-of-two": ["11.2"], "nobody-left-behind": ["11.3"],
        "a-timer-for-a-c-library": ["13.1"], "a-maze-of-redirects": ["14.1"],
        "what-ctrl-c-leaves": ["15.1"], "ending-without-cancelling": ["15.2"],
        "what-is-the-limit": ["16.1"], "idle-places": ["16.2"], "alive-or-dead": ["17.1"],
        "where-the-circle-closes": ["17.2"], "echo-with-a-limit": ["18.1"],
        "a-slow-client": ["18.2"], "the-lost-answer": ["19.1"], "a-false-zero": ["19.2"],
        "a-future": ["Y04"], "a-queue": ["Y07", "Y08"], "a-time-limit": ["Y08"]},
    "scenes": {"chain": ["08"], "innermost": ["08"], "workers": ["14a"], "two-ends": ["18"], "lost-answer": ["19"]},
}
RENAMED = {"book/11a-nobody-runs-on-alone.html": "book/14-time-limits-and-groups.html",
           "book/08a-a-chain-of-generators.html": "book/18a-stages-1-and-2-grown-up.html",
           "exercises/Y03-call-me-later.html": "exercises/Y07-a-time-limit.html",
           "exercises/Y05-coroutines-that-await.html": "exercises/Y04-a-coroutine.html",
           "exercises/Y06-asked-to-end.html": "exercises/Y05-a-task.html",
           "exercises/Y09-a-fetch.html": "exercises/Y09-a-session.html",
           "exercises/Y10-workers.html": "exercises/Y08-a-group.html"}
PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Moved</title>
<meta http-equiv="refresh" content="1; url={to}"><link rel="canonical" href="{to}">
<script>location.replace("{to}" + location.hash)</script>
<p>This page is now <a href="{to}">{to}</a>.</p></html>
"""


def old_addresses(urls: set[str]) -> dict[str, str]:
    """For each address that is no longer used, the one among `urls` that took its place."""
    found = {old: new for old, new in RENAMED.items() if new in urls}
    for url in urls:
        folder, _, file = url.rpartition("/")
        name = file.removesuffix(".html").partition("-")[2]
        for number in MOVED.get(folder, {}).get(name, []):
            found[f"{folder}/{number}-{name}.html"] = url
    return {old: new for old, new in found.items() if old not in urls}


def moved_pages(urls: set[str]) -> dict[str, str]:
    """The pages at those addresses."""
    return {old: PAGE.format(to=escape(new.rpartition("/")[2]))
            for old, new in old_addresses(urls).items()}
