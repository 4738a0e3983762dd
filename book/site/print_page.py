"""The whole book as one page, to print or to save as a PDF: all pages in order, each on a new sheet.

A link from one page to another stays inside, so each page's anchors get its name in front. Links to
what isn't printed (exercises, code) lead to the site's own pages. Answers are open, and a scene is
its still picture. The book's title is the one first heading, so all others are one lower.
"""
from __future__ import annotations

import posixpath
import re
from html import escape
from pathlib import PurePath

from book import SUBTITLE, TITLE, Book, Page, plain
from journey import journey
from layout import PRINT, Layout

TAG = re.compile(r"<[a-z][^>]*>")
ATTRIBUTE = re.compile(r'\b(id|href|src)="([^"]*)"|url\(#([^)]*)\)')
CLOSED = re.compile(r"<details(?! open)")
HEADING = re.compile(r"<(/?)h([1-3])\b")
WATCH = re.compile(r'<a class="watch.*?</a> |<a class="try".*?</a>')  # nobody can click on paper
ANCHOR = re.compile(r' <a class="anchor".*?</a>')


def print_page(book: Book, texts: dict[Page, str], layout: Layout) -> str:
    """`texts` has the HTML of each page of the book."""
    names = {page.url: f"p-{PurePath(page.url).stem}" for page in texts}  # no SVG's id begins with a digit
    way = journey(book, lambda page: f"#{names[page.url]}")
    body = [f"<h1>{TITLE}</h1><p>{SUBTITLE}.</p>\n", way and f"<h2>The journey</h2>\n{way}", contents(book, names)]
    for part in book.parts:
        for page in part.pages:
            over = ""
            if part.title and page is part.pages[0]:
                over = f'<p class="begins"><b>{escape(part.title)}</b> {escape(plain(part.tells))}</p>\n'
            body.append(f'<article id="{names[page.url]}">\n{over}{inside(page, texts[page], names)}</article>\n')
    return layout.page(PRINT, "To print", "".join(body), "print")


def contents(book: Book, names: dict[str, str]) -> str:
    rows = []
    for part in book.parts:
        links = "".join(f'<li><a href="#{names[page.url]}">{escape(page.title)}</a></li>\n' for page in part.pages)
        rows.append(f"<h3>{escape(part.title)}</h3>\n<ul>{links}</ul>\n" if part.title else f"<ul>{links}</ul>\n")
    return f'<section class="whole"><h2>Contents</h2>\n{"".join(rows)}</section>\n'


def inside(page: Page, html: str, names: dict[str, str]) -> str:
    """A page's text as a part of the printed one."""
    name, folder = names[page.url], posixpath.dirname(page.url)

    def place(url: str, anchor: str) -> str:
        return f"{names[url]}-{anchor}" if anchor else names[url]

    def lead(found: re.Match) -> str:
        if found[3]:
            return f"url(#{name}-{found[3]})"
        if found[1] == "id":
            return f'id="{name}-{found[2]}"'
        path, hash_, anchor = found[2].partition("#")
        if re.match(r"[a-z]+:|//", path):
            return found[0]
        url = posixpath.normpath(posixpath.join(folder, path)) if path else page.url
        to = f"#{place(url, anchor)}" if url in names else f"{url}{hash_}{anchor}"
        return f'{found[1]}="{to}"'

    html = ANCHOR.sub("", WATCH.sub("", html)).replace('class="drawing scene"', 'class="drawing"')
    html = HEADING.sub(lambda tag: f"<{tag[1]}h{int(tag[2]) + 1}" + ("" if tag[1] else f' class="was-h{tag[2]}"'), html)
    html = CLOSED.sub('<details open=""', html)
    return TAG.sub(lambda tag: ATTRIBUTE.sub(lead, tag[0]), html)
