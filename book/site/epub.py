"""The book as an EPUB 3: the same pages, for readers made of paper, or nearly.

What such a reader can't do is done otherwise. A scene is its still picture, with a link to where it
can be watched. An answer stands at the end of its page, and a link leads there: many readers show
it in a small window, as they do with footnotes. Code isn't included; links to it lead to the site,
if its address is known, and are plain words otherwise.
"""
from __future__ import annotations

import posixpath
import re
import subprocess
import xml.etree.ElementTree as ElementTree
import zipfile
from datetime import datetime, timezone
from html import escape
from pathlib import Path

from book import TITLE, Book, Page, Part
from drawings import by_the_book
from glossary import Glossary
from renderer import Renderer
from site_pages import SCENE, scenes_of

HERE = Path(__file__).resolve().parent
ANSWER = re.compile(r"<details><summary>(.*?)</summary>(.*?)</details>", re.S)
SUBTITLE = "One web crawler, built three times in C++20, and a book that explains every step"
XML = '<?xml version="1.0" encoding="utf-8"?>\n'
MEDIA = {".xhtml": "application/xhtml+xml", ".svg": "image/svg+xml", ".css": "text/css"}
CONTAINER = f"""{XML}<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="book/package.opf" media-type="application/oebps-package+xml"/></rootfiles>
</container>
"""


def name_of(page: Page) -> str:
    stem = page.path.split("/")[-2] if page.kind == "exercise" else Path(page.path).stem
    return ("x-" if page.kind == "exercise" else "p-") + stem + ".xhtml"


class EpubRenderer(Renderer):
    def __init__(self, book: Book, glossary: Glossary, address: str):
        super().__init__(book, glossary)
        self.address, self.pictures = address.rstrip("/"), set()
        self.scenes = scenes_of(book.root)[1]

    def link(self, page: Page, path: str, anchor: str) -> str | None:
        tail = f"#{anchor}" if anchor else ""
        target = self.book.pages.get(path)
        if target is not None and target.kind in ("page", "exercise"):
            return name_of(target) + tail
        if not self.address:
            return None
        if target is not None:
            return f"{self.address}/{target.url}{tail}"
        if path in self.book.files:
            return f"{self.address}/source/{path}.html{tail}"
        return f"{self.address}/source/{path}/index.html"

    def listing(self, code: str, language: str, label: str, caption: str) -> str:
        below = f"<figcaption>{caption}</figcaption>" if caption else ""
        return f'<figure class="listing"><pre class="{language}"><code>{code}</code></pre>{below}</figure>\n'

    def table_open(self, tokens, at, options, env) -> str:
        return "<table>\n"

    def table_close(self, tokens, at, options, env) -> str:
        return "</table>\n"

    def drawing(self, page: Page, stem: str, alt: str) -> str:
        picture = f"{stem}-light.svg"
        self.pictures.add(picture)
        image = f'<img src="pictures/{posixpath.basename(picture)}" alt="{escape(alt)}"/>'
        scene = SCENE.fullmatch(stem)
        if not scene or scene[1] not in self.scenes:
            return f"<figure>{image}</figure>\n"
        watch = (f'<a href="{self.address}/scenes/{scene[1]}.html">Watch it, step by step</a>'
                 if self.address else
                 f"To watch it, step by step: <code>./learn trace --scene {scene[1]}</code>")
        return (f"<figure>{image}<figcaption>{escape(self.scenes[scene[1]])}. {watch}"
                f"</figcaption></figure>\n")


class Epub:
    def __init__(self, book: Book, address: str = ""):
        self.book = book
        self.renderer = EpubRenderer(book, Glossary(book), address)
        self.parts = [*book.parts, *(Part(f"Exercises: {part.title[0].lower()}{part.title[1:]}", part.pages)
                                     for part in book.exercise_parts())]
        self.modified = modified(book.root)

    def write(self, file: Path) -> None:
        files = {"book/cover.svg": (HERE / "cover.svg").read_text(encoding="utf-8"),
                 "book/book.css": (HERE / "epub.css").read_text(encoding="utf-8"),
                 "book/cover.xhtml": xhtml(TITLE, f'<div class="cover"><img src="cover.svg" alt="{TITLE}. '
                                                  f'{SUBTITLE}."/></div>'),
                 "book/contents.xhtml": self._contents()}
        for part in self.parts:
            for page in part.pages:
                files[f"book/{name_of(page)}"] = self._page(page)
        for picture in sorted(self.renderer.pictures):
            name = f"book/pictures/{posixpath.basename(picture)}"
            files[name] = by_the_book(self.book.read(picture))
        files["book/package.opf"] = self._package(list(files))
        files["META-INF/container.xml"] = CONTAINER
        file.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(file, "w") as archive:
            when = self.modified.timetuple()[:6]  # so that the same book is the same file
            archive.writestr(zipfile.ZipInfo("mimetype", when), "application/epub+zip")
            for name, text in files.items():
                archive.writestr(zipfile.ZipInfo(name, when), text, zipfile.ZIP_DEFLATED)

    def _page(self, page: Page) -> str:
        html = self.renderer.render(page).html
        answers: list[str] = []

        def take(found: re.Match) -> str:
            number = len(answers) + 1
            answers.append(f'<aside epub:type="footnote" id="answer-{number}"><h3>{found[1]} {number}'
                           f"</h3>{found[2]}</aside>")
            return (f'<p class="answer"><a epub:type="noteref" href="#answer-{number}">{found[1]} '
                    f"{number}</a></p>")

        html = ANSWER.sub(take, html)
        if answers:
            html += '<section class="answers">\n<h2>Answers</h2>\n' + "\n".join(answers) + "</section>"
        text = xhtml(page.title, html)
        try:
            ElementTree.fromstring(text)
        except ElementTree.ParseError as error:
            self.book.complain(page.path, f"its XHTML is not well-formed ({error})")
        return text

    def _contents(self) -> str:
        rows = []
        for part in self.parts:
            links = "".join(f'<li><a href="{name_of(page)}">{escape(page.title)}</a></li>\n'
                            for page in part.pages)
            rows.append(f"<li><span>{escape(part.title)}</span><ol>{links}</ol></li>\n"
                        if part.title else links)
        return xhtml("Contents", f'<nav epub:type="toc" id="toc"><h1>Contents</h1><ol>{"".join(rows)}</ol></nav>'
                     '<nav epub:type="landmarks" hidden="hidden"><ol>'
                     '<li><a epub:type="toc" href="#toc">Contents</a></li>'
                     f'<li><a epub:type="bodymatter" href="{name_of(self.book.order[0])}">The book</a></li>'
                     "</ol></nav>")

    def _package(self, files: list[str]) -> str:
        names = [file.removeprefix("book/") for file in files]
        extra = {"contents.xhtml": ' properties="nav"', "cover.svg": ' properties="cover-image"'}
        items = "\n".join(f'<item id="{id_of(name)}" href="{name}" media-type="{MEDIA[Path(name).suffix]}"'
                          f'{extra.get(name, "")}/>' for name in names)
        spine = "\n".join(f'<itemref idref="{id_of(name)}"/>' for name in names if name.endswith(".xhtml"))
        described = "\n".join(f'<meta property="schema:{key}">{value}</meta>' for key, value in ACCESS)
        return f"""{XML}<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" xml:lang="en">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">urn:uuid:5c0e8f6a-2f6e-5b1c-9a57-0a3d7c1b5e11</dc:identifier>
<dc:title>{TITLE}</dc:title>
<dc:description>{SUBTITLE}.</dc:description>
<dc:language>en</dc:language>
<dc:creator>The authors of {TITLE}</dc:creator>
<meta property="dcterms:modified">{self.modified:%Y-%m-%dT%H:%M:%SZ}</meta>
{described}
</metadata>
<manifest>
{items}
</manifest>
<spine>
{spine}
</spine>
</package>
"""


ACCESS = [("accessMode", "textual"), ("accessMode", "visual"), ("accessModeSufficient", "textual"),
          ("accessibilityFeature", "alternativeText"),
          ("accessibilityFeature", "structuralNavigation"),
          ("accessibilityFeature", "tableOfContents"), ("accessibilityHazard", "none"),
          ("accessibilitySummary", "All drawings are described in words.")]


def id_of(name: str) -> str:
    return "i-" + re.sub(r"[^\w.-]", "-", name)


def modified(root: Path) -> datetime:
    """When the last commit was made; without git, now."""
    told = subprocess.run(["git", "-C", root, "log", "-1", "--format=%ct"], capture_output=True,
                          text=True).stdout.strip() if (root / ".git").exists() else ""
    return datetime.fromtimestamp(int(told), timezone.utc) if told else datetime.now(timezone.utc)


def xhtml(title: str, body: str) -> str:
    return (f'{XML}<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml" '
            'xmlns:epub="http://www.idpf.org/2007/ops" lang="en" xml:lang="en">\n'
            f'<head><title>{escape(title)}</title><link rel="stylesheet" href="book.css"/></head>\n'
            f"<body>\n{body}\n</body>\n</html>\n")
