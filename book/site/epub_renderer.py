"""A page's text as an EPUB shows it: in one theme, without scripts, with fewer links."""
from __future__ import annotations

import posixpath
from html import escape
from pathlib import PurePath

from book import Book, Page
from glossary import Glossary
from renderer import Renderer
from site_pages import scenes_of
from site_renderer import SCENE


def name_of(page: Page) -> str:
    """Its file in the EPUB."""
    if page.kind == "exercise":
        return f"x-{page.path.split('/')[-2]}.xhtml"
    return f"p-{PurePath(page.path).stem}.xhtml"


class EpubRenderer(Renderer):
    def __init__(self, book: Book, glossary: Glossary, address: str):
        super().__init__(book, glossary)
        self.address = address.rstrip("/")
        self.pictures: set[str] = set()  # that the pages show
        self.titles = {name: scene.title for name, scene in scenes_of(book).items()}

    def link(self, page: Page, path: str, anchor: str) -> str | None:
        tail = f"#{anchor}" if anchor else ""
        target = self.book.pages.get(path)
        if target is not None and target.kind in ("page", "exercise"):
            return name_of(target) + tail
        if not self.address:
            return None
        if target is not None:
            return f"{self.address}/{target.url}{tail}"
        if path == "tests/exercises":
            return f"{self.address}/exercises/index.html"
        if path in self.book.files:
            return f"{self.address}/source/{path}.html{tail}"
        return f"{self.address}/source/{path}/index.html"

    def listing(self, code: str, language: str, label: str, caption: str, to_try: str) -> str:
        above = f"<figcaption>{caption}</figcaption>" if caption else ""
        lines = "".join(map(hanging, code.splitlines(keepends=True)))
        return (f'<figure class="listing">{above}<pre class="{language}"><code>{lines}</code></pre>'
                "</figure>\n")

    def table_open(self, tokens, at, options, env) -> str:
        return "<table>\n"

    def table_close(self, tokens, at, options, env) -> str:
        return "</table>\n"

    def drawing(self, page: Page, stem: str, alt: str) -> str:
        image = self._image(f"{stem}-light.svg", alt)
        scene = SCENE.fullmatch(stem)
        if not scene or scene[1] not in self.titles:
            return f"<figure>{image}</figure>\n"
        watch = f"To watch it, step by step: <code>./learn trace --scene {scene[1]}</code>"
        if self.address:
            watch = f'<a href="{self.address}/scenes/{scene[1]}.html">Watch it, step by step</a>'
        title = escape(self.titles[scene[1]])
        return f"<figure>{image}<figcaption>{title}. {watch}</figcaption></figure>\n"

    def screenshot(self, page: Page, stem: str, alt: str) -> str:
        return f"<figure>{self._image(f'{stem}-light.png', alt)}</figure>\n"

    def _image(self, picture: str, alt: str) -> str:
        self.pictures.add(picture)
        return f'<img src="pictures/{posixpath.basename(picture)}" alt="{escape(alt)}"/>'


def hanging(line: str) -> str:
    """A line of code whose rest, if the screen is too narrow, stays right of its beginning."""
    code = line.removeprefix("<mark>").replace("</mark>", "")
    hang = min(len(code) - len(code.lstrip(" ")), 20) + 4
    point = "" if code == line else " point"
    return f'<span class="line{point}" style="padding-left:{hang}ch;text-indent:-{hang}ch">{code}</span>'
