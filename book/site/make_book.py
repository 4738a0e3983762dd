#!/usr/bin/env python3
"""Builds the book: a site that works from disk, and an EPUB.

    book/site/make_book.py                  into build-book/site and build-book/await-the-web.epub
    book/site/make_book.py --out FOLDER     elsewhere

The pages are the Markdown files that GitHub shows; they stay as they are. What is wrong (a link
that leads nowhere, a picture that is missing) is told at the end, and makes the exit status 1; the
book is built nevertheless, so that one can look. Into a folder that holds something else nothing
is built (2). `./learn book` calls this.
"""
from __future__ import annotations

import argparse
import shutil
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True  # no __pycache__ beside the sources
import needs  # noqa: E402  (what is imported is beside this file)

needs.run_with_them(status_without=1)
from book import EPUB, Book  # noqa: E402
from epub import Epub  # noqa: E402
import live  # noqa: E402  (of the viewer; its folder is on the path since `book` was imported)
from site_pages import NotOurs, Site, refuse_if_not_ours  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]


def make(book: Book, out: Path, address: str = "", program: bytes | None = None) -> Site:
    """Writes the site to out/site, and the EPUB beside it; a copy is for those who visit the site.
    `program`: what live scenes run; without it, they play what was recorded. Throws NotOurs."""
    refuse_if_not_ours(out / "site")  # before the work
    site, epub = Site(book, program), Epub(book, address)
    site.write(out / "site")
    epub.write(out / EPUB)
    shutil.copy(out / EPUB, out / "site")
    return site


def main() -> int:
    options = argparse.ArgumentParser(
        prog="./learn book",
        description="Builds the book: a site that works from disk, and an EPUB.")
    options.add_argument("--out", type=Path, default=ROOT / "build-book", metavar="FOLDER",
                         help="where they go (build-book/)")
    options.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    options.add_argument("--address", default="", metavar="URL",
                         help="where the site will be on the web, for links out of the EPUB")
    options.add_argument("--live", action=argparse.BooleanOptionalAction, default=None,
                         help="let readers change the runs of some scenes (by default, if a clang++ for WebAssembly is installed)")
    given = options.parse_args()
    begun = time.monotonic()
    book = Book(given.root.resolve())
    program, without = None, "--no-live was given"
    try:
        refuse_if_not_ours(given.out / "site")  # before the compiler's work, too
        if given.live is not False:
            program = live.program()
    except live.NoModule as reason:
        without = str(reason)
        if given.live:
            print(f"learn: --live: {reason}", file=sys.stderr)
            return 1
    except NotOurs as error:
        print(f"learn: {error}", file=sys.stderr)
        return 2
    try:
        site = make(book, given.out, given.address, program)
    except NotOurs as error:
        print(f"learn: {error}", file=sys.stderr)
        return 2
    for problem in book.problems:
        print(f"learn: {problem}", file=sys.stderr)
    print(f"{len(book.order)} pages, {len(book.exercises)} exercises, {len(site.scenes)} scenes "
          f"and {len(site.sources.shown)} files of code in {time.monotonic() - begun:.1f} s")
    print(f"Readers can change the runs of {len(site.live)} scenes" if site.live
          else f"Readers can't change the run of any scene: {without}")
    print(f"In a browser, open {(given.out / 'site/index.html').resolve().as_uri()}")
    print(f"For a reader:      {(given.out / EPUB).resolve()}")
    return 1 if book.problems else 0


if __name__ == "__main__":
    sys.exit(main())
