"""From a page's Markdown to HTML, as GitHub reads it and as a book shows it.

markdown-it makes tokens of the text. We change some of them (headings get anchors, links lead to
where their target is now, terms are explained), and then markdown-it writes them as HTML. What a
site and an EPUB do differently are a few methods, in site_renderer.py and epub_renderer.py.
"""
from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field
from html import unescape
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token

from book import GLOSSARY, Book, Page, slug_of
from boxes import html_token, shape_boxes, shown_text, text_token
from glossary import Glossary, Term, anchor_of
from highlight import highlight

PICTURE = re.compile(r'<picture>.*?<img src="([^"]+)-light(\.svg|\.png)"(?: alt="([^"]*)")?\s*/?>'
                     r'.*?</picture>', re.S)
COMMENT = re.compile(r"<!--.*?-->\s*", re.S)
ELSEWHERE = re.compile(r"[a-z]+:|//")
RUNS = re.compile(r"\$ build/(?:\w+/)*(.+)")  # the first line of what a program prints
POINTS = re.compile(r"(\d+)(?:-(\d+))?")  # as weave.py names lines behind a fence's language
LISTINGS = {"console": "What it prints", "sh": "To type"}


@dataclass
class Section:
    """What a search finds: the text below one heading. The anchor of a page's beginning is ""."""
    anchor: str
    title: str
    words: list[str] = field(default_factory=list)
    stressed: set[str] = field(default_factory=set)  # what is set in italics

    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


@dataclass
class Rendered:
    html: str
    headings: list[tuple[int, str, str]]  # level, anchor, what is shown
    sections: list[Section]


class Renderer:
    """One for a site or an EPUB; `render` gives a page. What is wrong goes to book.problems."""

    def __init__(self, book: Book, glossary: Glossary):
        self.book, self.glossary = book, glossary
        self.md = MarkdownIt("commonmark", {"html": True, "xhtmlOut": True})
        self.md.enable(["table", "strikethrough"])
        for rule in ("fence", "code_block", "html_block", "html_inline", "table_open",
                     "table_close", "tr_open"):
            self.md.renderer.rules[rule] = getattr(self, rule)

    # ---- What a site and an EPUB do differently -----------------------------------------

    def link(self, page: Page, path: str, anchor: str) -> str | None:
        """Where a file or folder of the repository is now; None: it isn't there."""
        raise NotImplementedError

    def drawing(self, page: Page, stem: str, alt: str) -> str:
        """A picture, of which there are STEM-light.svg and STEM-dark.svg."""
        raise NotImplementedError

    def screenshot(self, page: Page, stem: str, alt: str) -> str:
        """A picture, of which there are STEM-light.png and STEM-dark.png."""
        raise NotImplementedError

    def listing(self, code: str, language: str, label: str, caption: str, to_try: str) -> str:
        """`code`: HTML, in which the lines that are the point are a <mark> each. `to_try`: a link that
        opens the program that prints this, or ""."""
        raise NotImplementedError

    def table_open(self, tokens: list[Token], at: int, options, env) -> str:
        raise NotImplementedError

    def table_close(self, tokens: list[Token], at: int, options, env) -> str:
        raise NotImplementedError

    def link_to_try(self, page: Page, program: str) -> str:
        """Where a program of the page can be tried; "": nowhere."""
        return ""

    def heading_link(self, anchor: str, shown: str) -> str:
        """What stands behind a heading."""
        return ""

    def term_attributes(self, term: Term) -> str:
        return ""

    # ---- A page -------------------------------------------------------------------------

    def render(self, page: Page) -> Rendered:
        tokens = self.md.parse(page.text)
        shape_boxes(tokens, self.md)
        self.used: dict[str, int] = {}  # anchors, and how often
        self.told: set[Term] = set()
        headings, sections = [], [Section("", "")]
        in_table = in_heading = 0
        for at, token in enumerate(tokens):
            in_table += {"table_open": 1, "table_close": -1}.get(token.type, 0)
            in_heading += {"heading_open": 1, "heading_close": -1}.get(token.type, 0)
            if token.type == "heading_open":
                anchor, shown = self._heading(token, tokens[at + 1])
                if token.tag != "h1":
                    sections.append(Section(anchor, shown))
                if token.tag in ("h2", "h3"):
                    headings.append((int(token.tag[1]), anchor, shown))
            elif token.type in ("fence", "code_block"):
                sections[-1].words.append(token.content)
            elif token.type == "inline":
                explain = not in_table and not in_heading and not token.meta
                sections[-1].stressed |= {after.content.lower() for mark, after in zip(token.children, token.children[1:])
                                          if mark.type == "em_open"}
                self._inline(page, token, explain)
                term = page.path == GLOSSARY and tokens[at - 1].type == "td_open"
                if not in_heading and not term:  # these are told apart from the text
                    sections[-1].words.append(shown_text(token))
        move_captions(tokens)
        html = self.md.renderer.render(tokens, self.md.options, {"page": page})
        return Rendered(html, headings, sections)

    def _heading(self, token: Token, inline: Token) -> tuple[str, str]:
        slug = slug_of(inline.content)
        count = self.used[slug] = self.used.get(slug, -1) + 1
        anchor, shown = f"{slug}-{count}" if count else slug, shown_text(inline)
        token.attrs["id"] = anchor
        if token.tag != "h1":
            inline.children.append(html_token(self.heading_link(anchor, shown)))
        return anchor, shown

    # ---- Inside a paragraph -------------------------------------------------------------

    def _inline(self, page: Page, token: Token, explain: bool) -> None:
        children, linked, dead = [], 0, 0
        for before, child in zip([None, *token.children], token.children):
            if child.type == "link_open":
                href = self._href(page, child.attrs["href"])
                linked += 1
                if href is None:
                    dead += 1
                    continue
                child.attrs["href"] = href
            elif child.type == "link_close":
                linked -= 1
                if dead:
                    dead -= 1
                    continue
            elif child.type == "text" and explain and not linked and page.path != GLOSSARY:
                emphasised = before is not None and before.type == "em_open"
                children += self._explained(page, child, emphasised)
                continue
            children.append(child)
        token.children = children

    def _href(self, page: Page, url: str) -> str | None:
        if ELSEWHERE.match(url):
            return url
        path, _, anchor = url.partition("#")
        target = posixpath.normpath(posixpath.join(posixpath.dirname(page.path), unquote(path)))
        return self.link(page, target if path else page.path, anchor)

    def _explained(self, page: Page, text: Token, emphasised: bool) -> list[Token]:
        """The text, with a link around each term that the page has not used before."""
        tokens, end = [], 0
        for begin, stop, term in self.glossary.find(text.content, emphasised, self.told):
            href = self.link(page, GLOSSARY, term.anchor)
            tokens.append(text_token(text.content[end:begin]))
            tokens.append(html_token(f'<a class="term" href="{href}"{self.term_attributes(term)}>'))
            tokens.append(text_token(text.content[begin:stop]))
            tokens.append(html_token("</a>"))
            end = stop
        return [*tokens, text_token(text.content[end:])]

    # ---- What markdown-it asks us to write ----------------------------------------------

    def fence(self, tokens: list[Token], at: int, options, env) -> str:
        language, _, marked = tokens[at].info.strip().removesuffix("}").partition(" {")
        lines = highlight(tokens[at].content.rstrip("\n"), language).split("\n")
        for first, last in POINTS.findall(marked):
            for number in range(int(first), int(last or first) + 1):
                lines[number - 1] = f"<mark>{lines[number - 1]}</mark>"
        label = LISTINGS.get(language, "Listing")
        if marked:
            which = marked.replace(",", ", ").replace("-", " to ")
            label += f"; marked: {'line' if which.isdigit() else 'lines'} {which}"
        caption = self.md.renderer.renderInline(tokens[at].meta.get("caption", []), options, env)
        runs = RUNS.match(tokens[at].content) if language == "console" else None
        to_try = self.link_to_try(env["page"], runs[1]) if runs and runs[1] in env["page"].tries else ""
        return self.listing("\n".join(lines), language or "text", label, caption, to_try)

    def code_block(self, tokens: list[Token], at: int, options, env) -> str:
        """What is only indented: its language isn't told, and it's the book's."""
        code = highlight(tokens[at].content.rstrip("\n"), "cpp")
        return self.listing(code, "cpp", "Listing", "", "")

    def html_block(self, tokens: list[Token], at: int, options, env) -> str:
        page, html = env["page"], COMMENT.sub("", tokens[at].content)
        if picture := PICTURE.search(html):
            folder = posixpath.dirname(page.path)
            stem = posixpath.normpath(posixpath.join(folder, picture[1]))
            return self._picture(page, stem, picture[2], unescape(picture[3] or ""))
        return html

    def _picture(self, page: Page, stem: str, kind: str, alt: str) -> str:
        missing = [name for name in (f"{stem}-light{kind}", f"{stem}-dark{kind}")
                   if name not in self.book.files]
        for name in missing:
            self.book.complain(page.path, f"there is no picture {name}")
        if not alt.strip():
            self.book.complain(page.path, f"{stem} has no description")
        show = self.drawing if kind == ".svg" else self.screenshot
        return "" if missing else show(page, stem, alt)

    def html_inline(self, tokens: list[Token], at: int, options, env) -> str:
        return COMMENT.sub("", tokens[at].content)

    def tr_open(self, tokens: list[Token], at: int, options, env) -> str:
        """Each of the glossary's words has an anchor."""
        if env["page"].path == GLOSSARY and tokens[at + 1].type == "td_open":
            return f'<tr id="{anchor_of(tokens[at + 2].content)}">\n'
        return "<tr>\n"


def move_captions(tokens: list[Token]) -> None:
    """What weave.py writes above a listing, its file and lines, becomes part of the listing."""
    for at in range(len(tokens) - 3, 0, -1):
        inline, fence = tokens[at], tokens[at + 2]
        if inline.type == "inline" and fence.type == "fence" and inline.content.startswith("<sub>"):
            fence.meta["caption"] = inline.children[1:-1]
            del tokens[at - 1:at + 2]
