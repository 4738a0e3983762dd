"""The book as an EPUB 3: the same pages, for readers made of paper, or nearly.

What such a reader can't do is done otherwise. A scene is its still picture, with a link to where it
can be watched. An answer stands at the end of its page, and a link leads there: many readers show
it in a small window, as they do with footnotes. Code isn't included; links to it lead to the site,
if its address is known, and are plain words otherwise.
"""
from __future__ import annotations

import posixpath
import re
import xml.etree.ElementTree as ElementTree
import zipfile
from datetime import datetime, timezone
from html import escape
from pathlib import Path

from book import SUBTITLE, TITLE, Book, Page, Part, git
from drawings import by_the_book
from epub_renderer import EpubRenderer, name_of
from glossary import Glossary
from journey import journey
from site_pages import own

ANSWER = re.compile(r"<details><summary>(.*?)</summary>(.*?)</details>", re.S)
FOLDED = re.compile(r'<details class="python"><summary>(.*?)</summary>(.*?)</details>', re.S)
ID = "urn:uuid:5c0e8f6a-2f6e-5b1c-9a57-0a3d7c1b5e11"
XML = '<?xml version="1.0" encoding="utf-8"?>\n'
MEDIA = {".xhtml": "application/xhtml+xml", ".svg": "image/svg+xml", ".png": "image/png",
         ".css": "text/css"}
PROPERTIES = {"contents.xhtml": ' properties="nav"', "journey.xhtml": ' properties="svg"',
              "cover.svg": ' properties="cover-image"'}
CONTAINER = f"""{XML}<container version="1.0"
 xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles>
<rootfile full-path="book/package.opf" media-type="application/oebps-package+xml"/>
</rootfiles>
</container>
"""
ACCESS = [
    ("accessMode", "textual"), ("accessMode", "visual"), ("accessModeSufficient", "textual"),
    ("accessibilityFeature", "alternativeText"), ("accessibilityFeature", "structuralNavigation"),
    ("accessibilityFeature", "tableOfContents"), ("accessibilityHazard", "none"),
    ("accessibilitySummary", "All drawings are described in words."),
]


class Epub:
    def __init__(self, book: Book, address: str = ""):
        """`address` is where the site is on the web; "" if it's not."""
        self.book = book
        self.renderer = EpubRenderer(book, Glossary(book), address)
        exercises = [Part(f"Exercises: {part.title[0].lower()}{part.title[1:]}", part.pages)
                     for part in book.exercise_parts()]
        self.parts = [*book.parts, *exercises]
        self.modified = modified(book.root)

    def write(self, file: Path) -> None:
        cover = f'<div class="cover"><img src="cover.svg" alt="{TITLE}. {SUBTITLE}."/></div>'
        files = {"cover.svg": own("cover.svg"), "book.css": own("epub.css"),
                 "cover.xhtml": xhtml(TITLE, cover), "contents.xhtml": self._contents()}
        if way := journey(self.book, name_of, level=2):
            files["journey.xhtml"] = xhtml("The journey", f"<h1>The journey</h1>\n{way}")
        for part in self.parts:
            files |= {name_of(page): self._page(page) for page in part.pages}
        for picture in sorted(self.renderer.pictures):
            is_svg = picture.endswith(".svg")
            content = by_the_book(self.book.read(picture)) if is_svg else (self.book.root / picture).read_bytes()
            files[f"pictures/{posixpath.basename(picture)}"] = content
        files["package.opf"] = self._package(list(files))
        file.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(file, "w") as archive:
            when = self.modified.timetuple()[:6]  # so that the same book is the same file
            archive.writestr(zipfile.ZipInfo("mimetype", when), "application/epub+zip")
            archive.writestr(zipfile.ZipInfo("META-INF/container.xml", when), CONTAINER)
            for name, text in files.items():
                entry = zipfile.ZipInfo(f"book/{name}", when)
                archive.writestr(entry, text, zipfile.ZIP_DEFLATED)

    def _page(self, page: Page) -> str:
        text = xhtml(page.title, with_answers_last(self.renderer.render(page).html))
        try:
            ElementTree.fromstring(text)
        except ElementTree.ParseError as error:
            self.book.complain(page.path, f"its XHTML is not well-formed ({error})")
        return text

    def _contents(self) -> str:
        rows = ['<li><a href="journey.xhtml">The journey</a></li>\n'] if journey(self.book, name_of) else []
        for part in self.parts:
            links = "".join(f'<li><a href="{name_of(page)}">{escape(page.title)}</a></li>\n'
                            for page in part.pages)
            rows.append(f"<li><span>{escape(part.title)}</span><ol>{links}</ol></li>\n"
                        if part.title else links)
        begin = name_of(self.book.order[0])
        return xhtml("Contents", f"""<nav epub:type="toc" id="toc"><h1>Contents</h1>
<ol>{"".join(rows)}</ol></nav>
<nav epub:type="landmarks" hidden="hidden"><ol>
<li><a epub:type="toc" href="#toc">Contents</a></li>
<li><a epub:type="bodymatter" href="{begin}">The book</a></li>
</ol></nav>""")

    def _package(self, names: list[str]) -> str:
        """What there is, and in which order it's read."""
        items = "\n".join(
            f'<item id="{id_of(name)}" href="{name}" media-type="{MEDIA[Path(name).suffix]}"'
            f'{PROPERTIES.get(name, "")}/>' for name in names)
        spine = "\n".join(f'<itemref idref="{id_of(name)}"/>' for name in names
                          if name.endswith(".xhtml"))
        access = "\n".join(f'<meta property="schema:{key}">{value}</meta>' for key, value in ACCESS)
        return f"""{XML}<package xmlns="http://www.idpf.org/2007/opf" version="3.0"
 unique-identifier="id" xml:lang="en">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">{ID}</dc:identifier>
<dc:title>{TITLE}</dc:title>
<dc:description>{SUBTITLE}.</dc:description>
<dc:language>en</dc:language>
<dc:creator>The authors of {TITLE}</dc:creator>
<meta property="dcterms:modified">{self.modified:%Y-%m-%dT%H:%M:%SZ}</meta>
{access}
</metadata>
<manifest>
{items}
</manifest>
<spine>
{spine}
</spine>
</package>
"""


def with_answers_last(html: str) -> str:
    """Instead of each answer a link, and the answers as notes at the end."""
    answers: list[str] = []

    def take(found: re.Match) -> str:
        number = len(answers) + 1
        name = found[1] if re.fullmatch(r"Hint \d+", found[1]) else f"{found[1]} {number}"  # hints have numbers
        answers.append(f'<aside epub:type="footnote" id="answer-{number}">'
                       f'<h3><a href="#question-{number}">{name}</a></h3>{found[2]}</aside>\n')
        return (f'<p class="answer" id="question-{number}">'
                f'<a epub:type="noteref" href="#answer-{number}">{name}</a></p>')

    html = FOLDED.sub(r'<div class="python"><p><strong>\1</strong></p>\2</div>', html)
    html = ANSWER.sub(take, html)
    if not answers:
        return html
    # No heading: a reader that shows notes in a window would leave it alone on a page.
    return f'{html}<section class="answers">\n{"".join(answers)}</section>'


def id_of(name: str) -> str:
    return "i-" + re.sub(r"[^\w.-]", "-", name)


def modified(root: Path) -> datetime:
    """When the last commit was made; without git, now."""
    told = git(root, "log", "-1", "--format=%ct")
    return datetime.fromtimestamp(int(told), timezone.utc) if told else datetime.now(timezone.utc)


def xhtml(title: str, body: str) -> str:
    return f"""{XML}<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"
 lang="en" xml:lang="en">
<head><title>{escape(title)}</title><link rel="stylesheet" href="book.css"/></head>
<body>
{body}
</body>
</html>
"""
