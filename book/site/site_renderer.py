"""A page's text as the site shows it: drawings for both themes, scenes, links to the code."""
from __future__ import annotations

import posixpath
import re
import struct
from html import escape, unescape
from pathlib import Path

from book import GLOSSARY, Book, Page
from drawings import DifferentDrawings, Palette, read_pair, themed, width_of
from glossary import Glossary, Term
from layout import EXERCISES, relative
from renderer import Renderer
from sources import Sources

NARROW = 80  # columns: listings with longer lines have smaller letters
HYPHENED = re.compile(r"-\S{1,20}$")
SCENE = re.compile(r"book/scenes/(.+)")
TRY_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>{program}, on godbolt.org</title>
<meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; url={to}">
<p><a href="{to}" rel="noopener noreferrer">Run <code>{program}</code> on godbolt.org</a></p></html>
"""


class SiteRenderer(Renderer):
    def __init__(self, book: Book, glossary: Glossary, sources: Sources, titles: dict[str, str],
                 live: set[str]):
        """`titles`: of the scenes, by their names. `live`: those whose runs a reader can change."""
        super().__init__(book, glossary)
        self.sources, self.titles, self.live, self.palette = sources, titles, live, Palette()
        self.screenshots: set[str] = set()  # that the pages show
        self.tries: dict[str, str] = {}  # pages that send the browser on to where a program can be tried
        self.md.renderer.rules["code_inline"] = self.code_inline

    def link(self, page: Page, path: str, anchor: str) -> str | None:
        tail = f"#{anchor}" if anchor else ""
        if path == page.path:
            return tail or "#"
        if target := self.book.pages.get(path):
            return relative(page.url, target.url) + tail
        if path == "tests/exercises":
            return relative(page.url, EXERCISES)
        if path in self.book.files or path in self.book.folders:
            return self.sources.link(page, path, anchor)
        self.book.complain(page.path, f"dead link to {path}")
        return None

    def listing(self, code: str, language: str, label: str, caption: str, to_try: str) -> str:
        caption = re.sub(r"/(?=[^<>]*</a>)", "/<wbr />", caption).replace("–", "–\u2060")  # where a line may end
        above = f"<figcaption>{caption}</figcaption>" if caption else ""
        columns = max(map(len, unescape(re.sub("<[^>]*>", "", code)).split("\n")))
        wide = " wide" if columns > NARROW else ""
        below = f'<a class="try" data-unsaid="" href="{to_try}">Run it on godbolt.org</a>' if to_try else ""
        return (f'<figure class="listing">{above}<pre class="{language}{wide}" tabindex="0" role="group" '
                f'aria-label="{label}"><code>{code}</code></pre>{below}</figure>\n')

    def link_to_try(self, page: Page, program: str) -> str:
        """To a page of its own, since the link is as heavy as half a page. It's numbered as the link is."""
        number, at = posixpath.basename(page.url).partition("-")[0], list(page.tries).index(program) + 1
        url = re.sub(r"[^\w./]+", "-", f"try/{number}-{at}-{program}.html")
        self.tries[url] = TRY_PAGE.format(program=escape(program), to=escape(page.tries[program]))
        return relative(page.url, url)

    def code_inline(self, tokens, at, options, env) -> str:
        """A browser would end a line after any hyphen: in `--pages` or `->*`, say."""
        words = [f'<span class="whole-word">{word}</span>' if HYPHENED.match(word) else word
                 for word in escape(tokens[at].content, quote=False).split(" ")]
        return f"<code>{' '.join(words)}</code>"

    def table_open(self, tokens, at, options, env) -> str:
        return table_in("table glossary" if env["page"].path == GLOSSARY else "table")

    def table_close(self, tokens, at, options, env) -> str:
        return "</table></div>\n"

    def heading_link(self, anchor: str, shown: str) -> str:
        return (f' <a class="anchor" data-unsaid="" href="#{anchor}" '
                f'aria-label="Link to “{escape(shown)}”">#</a>')

    def term_attributes(self, term: Term) -> str:
        return f' title="{escape(term.means)}"'

    def drawing(self, page: Page, stem: str, alt: str) -> str:
        name = posixpath.basename(stem)
        try:
            svg = themed(*read_pair(self.book.root, stem), self.palette, alt, name)
        except DifferentDrawings:
            self.book.complain(page.path, f"{stem}: light and dark differ in more than colours")
            return ""
        width = width_of(svg)  # if there's less room than five sixths of it, the drawing scrolls
        svg = svg.replace("<svg ", f'<svg style="max-width:{width}px;--least:{width * 5 // 6}px" ', 1)
        sheet = f'<div class="sheet" tabindex="0" role="group" aria-label="Drawing">{svg}</div>'
        scene = SCENE.fullmatch(stem)
        if not scene or scene[1] not in self.titles:
            return f'<figure class="drawing">{sheet}</figure>\n'
        to = relative(page.url, f"scenes/{name}.html")
        change = relative(page.url, live_page(name))
        change = f'<a class="watch quiet" href="{change}">Change it yourself</a> ' if name in self.live else ""
        return (f'<figure class="drawing scene">{sheet}<figcaption data-unsaid="">'
                f'<a class="watch" href="{to}">Watch it, step by step</a> '
                f"{change}<span>{escape(self.titles[name])}</span></figcaption></figure>\n")

    def screenshot(self, page: Page, stem: str, alt: str) -> str:
        images = ""
        for theme in ("light", "dark"):  # the style sheet shows one of them, and only that one is loaded
            png = f"{stem}-{theme}.png"
            self.screenshots.add(png)
            width, height = size_of(self.book.root / png)
            images += (f'<img class="{theme}" src="{relative(page.url, in_site(png))}" alt="{escape(alt)}" '
                       f'width="{width}" height="{height}" loading="lazy" />')
        return f'<figure class="screenshot">{images}</figure>\n'


def live_page(scene: str) -> str:
    """Where a reader can change its run."""
    return f"scenes/{scene}-live.html"


def in_site(screenshot: str) -> str:
    return f"pictures/{posixpath.basename(screenshot)}"


def size_of(png: Path) -> tuple[int, int]:
    """Its width and height in pixels, which come after the first 16 bytes."""
    return struct.unpack(">II", png.read_bytes()[16:24])


def table_in(classes: str) -> str:
    """A table that is too wide scrolls, and the page doesn't."""
    return f'<div class="{classes}" tabindex="0" role="group" aria-label="Table"><table>\n'
