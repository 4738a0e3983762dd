"""What all pages of the site have around their text: head, contents, previous and next."""
from __future__ import annotations

import posixpath
import re
from html import escape
from pathlib import Path

from book import SUBTITLE, TITLE, Book, Page, Part, plain

HERE = Path(__file__).resolve().parent
EXERCISES, CODE, SEARCH, PRINT = "exercises/index.html", "source/index.html", "search.html", "print.html"
ABOUT = "About the project"


def relative(url: str, to: str) -> str:
    """The way from one page to another."""
    return posixpath.relpath(to, posixpath.dirname(url) or ".")


class Layout:
    def __init__(self, book: Book):
        self.book = book
        self.template = (HERE / "page.html").read_text(encoding="utf-8")

    def page(self, url: str, title: str, body: str, kind: str, aside: str = "",
             tells: str = "") -> str:
        """A whole page. `kind` is its body's class; `aside` stands beside the text; `tells` is for
        those who find it from elsewhere."""
        parts = {
            "TITLE": escape(f"{title} – {TITLE}" if title else TITLE),
            "DESCRIPTION": escape(tells or f"{SUBTITLE}."),
            "UP": "../" * url.count("/"),  # from here to the site's root
            "KIND": kind,
            "CONTENTS": self._contents(url),
            "BODY": body.strip(),
            "ASIDE": aside,
        }
        return re.sub(r"\{\{([A-Z]+)\}\}", lambda mark: parts[mark[1]], self.template)

    def _contents(self, url: str) -> str:
        rows = []
        for part in self.book.parts:
            here = ' class="here-now"' if any(page.url == url for page in part.pages) else ""
            title = f"<h2{here}>{escape(part.title)}</h2>\n" if part.title else ""
            links = [self._link(url, page.url, page.name, page.number) for page in part.pages]
            rows.append(title + list_of(links))
        more = [(EXERCISES, "Exercises"), (CODE, "The code"), (self.book.map.url, "The map"),
                (PRINT, "The whole book, to print"), (self.book.readme.url, ABOUT)]
        links = [self._link(url, to, name) for to, name in more]
        return "\n".join([*rows, f"<h2>Beside the pages</h2>\n{list_of(links)}"])

    def _link(self, url: str, to: str, name: str, number: str = "") -> str:
        inside = to in (EXERCISES, CODE) and url.startswith(posixpath.dirname(to) + "/")
        here = "page" if to == url else "true" if inside else ""
        current = f' aria-current="{here}"' if here else ""
        shown = f"<span>{number}</span> " if number else ""
        return f'<a href="{relative(url, to)}"{current}>{shown}{escape(plain(name))}</a>'

    def turn(self, page: Page, row: list[Page]) -> str:
        """To the page before, and to the one after."""
        links = []
        for rel, word, key, other in zip(("prev", "next"), ("Previous", "Next"), ("ArrowLeft", "ArrowRight"),
                                         self.book.around(page, row)):
            if other is None:
                links.append("<span></span>")
                continue
            says = self.book.turns_to(page, other, word)
            arrow = {"prev": "←", "next": "→"}[rel]
            links.append(f'<a rel="{rel}" href="{relative(page.url, other.url)}" aria-keyshortcuts="{key}" '
                         f'title="Key: {arrow}"><small>{escape(says)} <kbd aria-hidden="true">{arrow}</kbd></small>'
                         f"{escape(other.title)}</a>")
        return f'<nav class="turn" aria-label="Previous and next">{"".join(links)}</nav>'


def list_of(links: list[str]) -> str:
    return f"<ol>{''.join(f'<li>{link}</li>' + chr(10) for link in links)}</ol>"


def on_this_page(headings: list[tuple[int, str, str]]) -> str:
    """Links to a page's headings, each of which is its level, its anchor and what it says."""
    if len(headings) < 2:
        return ""
    rows = "".join(f'<li class="h{level}"><a href="#{anchor}">{escape(shown)}</a></li>\n'
                   for level, anchor, shown in headings)
    return ('<nav class="here" aria-labelledby="here-title">'
            f'<h2 id="here-title">On this page</h2><ol>{rows}</ol></nav>')


def contents(parts: list[Part], url: str) -> str:
    """All pages, with what the map says of each."""
    rows = []
    for part in parts:
        if part.title:
            tells = f'<p class="part">{escape(plain(part.tells))}</p>' if part.tells else ""
            rows.append(f"<h3>{escape(part.title)}</h3>{tells}")
        rows.append('<ol class="pages">')
        for page in part.pages:
            tells = f"<small>{escape(plain(page.tells))}</small>" if page.tells else ""
            rows.append(f'<li><a href="{relative(url, page.url)}"><span>{page.number}</span> '
                        f"<b>{escape(plain(page.name))}</b>{tells}</a></li>")
        rows.append("</ol>")
    return "\n".join(rows)
