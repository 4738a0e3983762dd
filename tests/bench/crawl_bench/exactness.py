"""Has a crawler requested every URL of the site once, and nothing else?

A crawler that leaves pages out is fast. So before any time is taken, each contestant crawls once
while the server writes down what it is asked for, and that is held against the manifest.
"""
from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from urllib.parse import urlsplit

EVERYBODY_MAY_ASK = {"/robots.txt"}


@dataclass(frozen=True)
class Manifest:
    """The URLs of a site, by what they are: pages, redirects and dead ones."""
    pages: tuple[str, ...]
    redirects: tuple[str, ...]
    dead: tuple[str, ...]

    def urls(self) -> list[str]:
        return [*self.pages, *self.redirects, *self.dead]

    def paths(self) -> set[str]:
        return {path_of(url) for url in self.urls()}


def read_manifest(lines: list[str]) -> Manifest:
    """From the lines that `practice_site --manifest` prints, without the last."""
    found: dict[str, list[str]] = {"page": [], "redirect": [], "dead": []}
    for line in lines:
        kind, url, *_ = line.split("\t")
        found[kind].append(url)
    return Manifest(tuple(found["page"]), tuple(found["redirect"]), tuple(found["dead"]))


def path_of(url: str) -> str:
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def verdict(manifest: Manifest, asked: list[str]) -> dict:
    """What these paths are, held against the manifest.

    `exact`: what they must be; `found`: all of them, and nothing else, though perhaps some of them twice;
    `faults`: what is wrong, in words.
    """
    known, counts = manifest.paths(), Counter(asked)
    missed, strange = sorted(known - counts.keys()), sorted(counts.keys() - known - EVERYBODY_MAY_ASK)
    twice = sorted(path for path in known if counts[path] > 1)
    problems = [("not asked for", missed), ("asked for more than once", twice), ("not of this site", strange)]
    said = [f"{len(paths):,} {words}, such as {paths[0]}" for words, paths in problems if paths]
    return {"exact": not said, "found": not missed and not strange, "faults": said}
