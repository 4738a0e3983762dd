"""The map of the journey: the parts of the book as the legs of one way, each with the ideas that it
adds, drawn, its pages, and what one can run at its end.

Which parts there are, with their titles and pages, is told by the map on page 00. What is here
beside that is what only a drawing can say. The colours are the viewer's: orange is the thread, blue
is the loop. It is HTML, so that it links, and so that on a telephone the legs stand one below the
other; the EPUB and the printed book show the same.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape

from book import Book, Page, Part, plain

MOST_NUMBERS = 12  # more pages than these are told as "18 to 35"


@dataclass(frozen=True)
class Stop:
    name: str
    says: str
    shows: str  # the drawing, in words
    drawing: str


@dataclass(frozen=True)
class Leg:
    stops: list[Stop]
    run: str


def path(classes: str, way: str) -> str:
    return f'<path class="{classes}" d="{way}"/>'


def boxes(classes: str, size: tuple[int, int], *corners: tuple[int, int]) -> str:
    width, height = size
    return path(classes, "".join(f"M{x} {y}h{width}v{height}h{-width}z" for x, y in corners))


def waiting_threads() -> str:
    """Four lines that begin and end with a little work."""
    rows = (16, 34, 52, 70)
    return (path("thread", "".join(f"M8 {y}h16M{end} {y}h14" for y, end in zip(rows, (82, 66, 90, 74))))
            + path("waits", "".join(f"M28 {y}H{end - 4}" for y, end in zip(rows, (82, 66, 90, 74)))))


def loop_around(x: int, y: int, radius: int) -> str:
    """Nearly a circle, with the tip of an arrow."""
    return path("loop", f"M{x + 4} {y - radius}A{radius} {radius} 0 1 1 {x - 8} {y - radius + 2}"
                        f"m-1 -7l2 7l-7 3")


SCATTERED = ((14, 12), (96, 10), (6, 44), (104, 42), (20, 70), (92, 72))
LEGS = {
    "Callbacks": Leg([
        Stop("A thread per page", "Each thread blocks until its server answers.",
             "Four lines, the threads. Each works a little, then waits, then works a little again.",
             waiting_threads()),
        Stop("A loop with callbacks", "One thread waits for everything, but each fetch is cut into pieces.",
             "A loop in the middle, and around it the pieces of a fetch.",
             loop_around(61, 43, 17) + path("thread", "".join(f"M{x} {y}h12" for x, y in SCATTERED))
             + path("waits", "M30 17L44 28M92 15L80 27M22 45H38M100 43H86M34 67L47 58M90 69L77 59")),
    ], "./learn trace 1"),
    "Coroutines": Leg([
        Stop("Coroutines", "A fetch in one piece again: it pauses, and resumes where it left off.",
             "One line, the thread, leaves a function for the loop and comes back to where it left off, twice.",
             path("waits", "M8 24H112") + path("loop", "M8 66H112")
             + path("thread", "M8 24H26C36 24 32 66 42 66C52 66 48 24 58 24H66C76 24 72 66 82 66C92 66 88 24 98 24H112")),
    ], "./learn trace 2"),
    "A runtime": Leg([
        Stop("A runtime with a queue", "Workers share the URLs, tasks can be cancelled, and the crawl ends when it should.",
             "A queue of items on the left; three workers on the right take from it, and put new links into it.",
             boxes("item", (9, 14), (8, 36), (21, 36), (34, 36), (47, 36))
             + path("waits", "M60 43H72M72 43L86 18M72 43H86M72 43L86 68")
             + path("thread", "M90 18a7 7 0 1 0 14 0a7 7 0 1 0 -14 0M90 43a7 7 0 1 0 14 0a7 7 0 1 0 -14 0"
                              "M90 68a7 7 0 1 0 14 0a7 7 0 1 0 -14 0")
             + path("loop", "M86 76C60 86 14 82 12 56m-5 6l5 -6l6 5")),
    ], "./learn crawl small URL"),
    "Going further": Leg([
        Stop("Your own site", "A crawler that is polite, fast and hard to fool finds each dead link.",
             "A page that links to three others. One of the three is dead, and crossed out.",
             boxes("item", (24, 16), (48, 6)) + boxes("item", (24, 16), (10, 50), (48, 50))
             + boxes("waits", (24, 16), (86, 50))
             + path("waits", "M60 22V50M60 34H22V50M60 34H98V50") + path("thread", "M91 53L105 63M105 53L91 63")),
    ], "./learn crawl 3 URL"),
}


def journey(book: Book, address_of: Callable[[Page], str], level: int = 3) -> str:
    """The whole map; "" for a book that has none of these parts. `address_of` gives where a page is, `level` is
    that of the map's headings."""
    rows = [leg_html(part, LEGS[part.name], address_of, level) for part in book.parts if part.name in LEGS]
    return f'<ol class="journey">\n{"".join(rows)}</ol>\n' if rows else ""


def leg_html(part: Part, leg: Leg, address_of: Callable[[Page], str], level: int) -> str:
    first, last = part.pages[0], part.pages[-1]
    if len(part.pages) > MOST_NUMBERS:
        links, pages = "", f'<a href="{address_of(first)}">{first.number} to {last.number}</a>, in any order'
    else:
        links, pages = ' class="leg-pages"', " ".join(
            f'<a href="{address_of(page)}" title="{escape(plain(page.name))}">{page.number}</a>' for page in part.pages)
    stops = "".join(f'<div class="stop"><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 84" role="img" '
                    f'aria-label="{escape(stop.shows)}">{stop.drawing}</svg>'
                    f"<p><b>{escape(stop.name)}</b> {escape(stop.says)}</p></div>\n" for stop in leg.stops)
    return (f'<li class="leg"><h{level}><a href="{address_of(first)}">{escape(part.title)}</a></h{level}>\n'
            f'<div class="stops">{stops}</div>\n'
            f'<p{links}><span>Pages</span> {pages}</p>\n'
            f'<p class="leg-run"><span>At the end, run</span> <code>{leg.run}</code></p></li>\n')
