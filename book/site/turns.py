#!/usr/bin/env python3
"""Ends each page of the book, as GitHub shows it, with links to the page before and the page after.

    book/site/turns.py            brings these links up to date
    book/site/turns.py --check    changes nothing; names the pages whose links are not

Which page follows which, and where a part begins, is told by the map on page 00 (see book.py). The
links are between two marks, `<!-- turn -->` and `<!-- /turn -->`. The site and the EPUB leave them
out, because they have their own.
"""
from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # no __pycache__ beside the sources
from book import FIRST, TURN, Book, Page  # noqa: E402  (it is beside this file)

ROOT = Path(__file__).resolve().parents[2]


def links_of(book: Book, page: Page) -> str:
    """What stands at a page's end: one line, in <sub>, as the small print above a listing is."""
    before, after = book.around(page, book.order)
    links = [f"← {link(before)}" if before else "← [Await the Web](../README.md)",
             f"[All pages]({Path(FIRST).name}#the-map)"]
    if after:
        links.append(f"{book.turns_to(page, after)}: {link(after)} →")
    return f"\n<!-- turn -->\n---\n\n<sub>{' · '.join(links)}</sub>\n<!-- /turn -->\n"


def link(page: Page) -> str:
    return f"[{page.number} {page.name}]({Path(page.path).name})"


def stale(book: Book) -> dict[str, str]:
    """The pages whose links aren't what the map says, with what the file should hold."""
    found = {}
    for page in book.order:
        text = book.read(page.path)
        fresh = TURN.sub("", text).rstrip("\n") + "\n" + links_of(book, page)
        if fresh != text:
            found[page.path] = fresh
    return found


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--check", action="store_true", help="change nothing; fail if there is something to do")
    options.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    given = options.parse_args()
    book = Book(given.root.resolve())
    found = stale(book)
    for path, text in found.items():
        if given.check:
            print(f"{path}: its links to the pages around it are old; run book/site/turns.py")
        else:
            (book.root / path).write_text(text, encoding="utf-8")
    return 1 if given.check and found else 0


if __name__ == "__main__":
    sys.exit(main())
