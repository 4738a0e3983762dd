"""The code as pages: each file with numbered lines, and a list of the pages that tell of it.

A listing links to `source/common/small/event_loop.h.html#L20-L41`; there the lines are marked. So
that the link leads there without a script, too, and so that whoever checks links finds its target,
each range that is linked to has an anchor of its own.
"""
from __future__ import annotations

import re
from collections import defaultdict
from html import escape
from urllib.parse import quote

from book import Book, Page
from highlight import highlight, language_of
from layout import CODE, Layout, relative

OURS = re.compile(r"(common|stage\d_\w+)/.*\.(cpp|h)")  # has a page, linked to or not
RANGE = re.compile(r"L(\d+)(?:-L(\d+))?")
REGION = re.compile(r'<span class="c">(//|#|--) \[/?[a-z0-9_-]+\]</span>')  # weave.py's marks
IN_ANGLES = re.compile(r"<[^<>]*>|\[\[.*?\]\] ?")  # what a template is given; attributes
TYPE = re.compile(r"(class|struct|union|enum(?: class)?|concept|using) (\w+)(?: final)?"
                  r" *(?:[{=]|:(?!:)|$)")
FUNCTION = re.compile(r"(?!.*(?:\boperator\b|= (?:delete|default);))"
                      r"(?!(?:friend|static_assert|requires|decltype|alignas)\b)"
                      r"(?:[\w:*& ]+[*& ])?((?:\w+::)*~?\w+)\(")


FOLDERS = ["common", "stage1", "stage2", "stage3", "tests", "book"]  # what stands before the rest
INTRO = """<p>All code of the three stages, and the other files that the book tells of. Each shows
which pages tell of it, and which of its lines they show.</p>"""


class Sources:
    def __init__(self, book: Book, layout: Layout):
        self.book, self.layout = book, layout
        # Of each file: the ranges that are linked to ("": the whole), with the pages that do so.
        self.shown: dict[str, dict[str, list[Page]]] = {
            file: defaultdict(list) for file in sorted(book.files) if OURS.fullmatch(file)}
        self.folders: set[str] = set()  # that are linked to

    def url(self, path: str) -> str:
        return f"source/{path}.html" if path in self.book.files else f"source/{path}/index.html"

    def link(self, page: Page, path: str, anchor: str) -> str:
        """Where a file or folder is, from a page. Remembers who has asked."""
        if path in self.book.files:
            known = self.shown.setdefault(path, defaultdict(list))[anchor]
            if page not in known:
                known.append(page)
            if anchor and not RANGE.fullmatch(anchor):
                self.book.complain(page.path, f"a file has no such place: {path}#{anchor}")
        else:
            self.folders.add(path)
        return relative(page.url, self.url(path)) + (f"#{anchor}" if anchor else "")

    def names(self) -> list[list[str]]:
        """What the code defines: file, URL, name and line of each, for the search. Of what a
        source and its header both have, it's the source's; of overloads, the first."""
        found: dict[tuple[str, str], list[str]] = {}
        for path in filter(OURS.fullmatch, self.shown):
            text = self.book.read(path)
            lines = text.split("\n")
            for number, name in names_in(text):
                where, line = f"{self.url(path)}#L{number}", lines[number - 1].strip(" {")
                found.setdefault((path.rpartition(".")[0], name), [path, where, name, line])
        return list(found.values())

    def pages(self) -> dict[str, str]:
        """URLs, and what stands there. All links must have been asked for."""
        paths = [*self.shown, *(f"{folder}/" for folder in self.folders)]
        folders = {"/".join(path.split("/")[:depth]) for path in paths
                   for depth in range(1, path.count("/") + 1)}
        pages = {self.url(path): self._file(path) for path in sorted(self.shown)}
        for folder in sorted(folders):
            pages[self.url(folder)] = self._folder(folder, folders)
        pages[CODE] = self._folder("", folders)
        return pages

    # ---- A file -------------------------------------------------------------------------

    def _file(self, path: str) -> str:
        text = self.book.read(path).rstrip("\n")
        starts = self._starts(path, text.count("\n") + 1)
        rows = []
        for number, line in enumerate(highlight(text, language_of(path)).split("\n"), 1):
            marks = "".join(f'<i id="{anchor}"></i>' for anchor in starts[number])
            dim = ' class="mark"' if REGION.fullmatch(line.strip()) else ""
            rows.append(f'<li id="L{number}"{dim}>{marks}{line}</li>')
        body = (f"{self._crumbs(path)}<h1>{escape(path.split('/')[-1])}</h1>{self._told_by(path)}"
                f'<div class="file" tabindex="0" role="region" aria-label="{escape(path)}">'
                f"<ol>{''.join(rows)}</ol></div>")
        return self.layout.page(self.url(path), path, body, "source")

    def _starts(self, path: str, count: int) -> dict[int, list[str]]:
        """For each line the ranges that begin there."""
        starts = defaultdict(list)
        for anchor, pages in self.shown[path].items():
            found = RANGE.fullmatch(anchor)
            if found and int(found[2] or found[1]) > count:
                self.book.complain(pages[0].path, f"{path} has no line {anchor}")
            elif found and found[2]:
                starts[int(found[1])].append(anchor)
        return starts

    def _crumbs(self, path: str) -> str:
        """The folders above."""
        folders, url = path.split("/")[:-1], self.url(path)
        links = [f'<a href="{relative(url, CODE)}">The code</a>']
        for depth, name in enumerate(folders, 1):
            to = self.url("/".join(folders[:depth]))
            links.append(f'<a href="{relative(url, to)}">{escape(name)}</a>')
        return f'<p class="crumbs">{" / ".join(links)}</p>'

    def _told_by(self, path: str) -> str:
        """The pages that show it, with the lines that each shows."""
        by_page: dict[Page, list[str]] = defaultdict(list)
        for anchor, pages in self.shown[path].items():
            for page in pages:
                by_page[page].append(anchor)
        rows = []
        for page in sorted(by_page, key=list(self.book.pages.values()).index):
            ranges = sorted(filter(RANGE.fullmatch, by_page[page]), key=first_line)
            lines = " ".join(f'<a href="#{one}">{one.replace("L", "").replace("-", "–")}</a>'
                             for one in ranges)
            where = f" <small>lines {lines}</small>" if lines else ""
            to = relative(self.url(path), page.url)
            rows.append(f'<li><a href="{to}">{escape(page.title)}</a>{where}</li>')
        return f'<div class="told"><h2>Told by</h2><ul>{"".join(rows)}</ul></div>' if rows else ""

    # ---- A folder -----------------------------------------------------------------------

    def _folder(self, folder: str, folders: set[str]) -> str:
        start = f"{folder}/" if folder else ""
        inside = sorted({path[len(start):].partition("/")[0] for path in {*self.shown, *folders}
                         if path.startswith(start) and path != folder},
                        key=str if folder else in_order)
        rows = []
        for name in inside:
            slash = "/" if f"{start}{name}" in folders else ""
            to = f"{name}/index.html" if slash else f"{name}.html"
            rows.append(f'<li><a href="{quote(to)}">{escape(name)}{slash}</a></li>')
        crumbs = self._crumbs(folder) if folder else ""
        title = folder.split("/")[-1] + "/" if folder else "The code"
        intro = "" if folder else INTRO
        body = f'{crumbs}<h1>{escape(title)}</h1>{intro}<ul class="folder">{"".join(rows)}</ul>'
        url = self.url(folder) if folder else CODE
        return self.layout.page(url, folder or title, body, "source")


def in_order(path: str) -> tuple[int, str]:
    """By this, the top folders are sorted: as the stages come, and then the rest."""
    at = (n for n, folder in enumerate(FOLDERS) if path.startswith(folder))
    return next(at, len(FOLDERS)), path


def names_in(text: str) -> list[tuple[int, str]]:
    """The types and functions that C++ declares or defines, outside functions, each with its line.

    What is what is told by clang-format's columns: members stand four further in than their class,
    and what stands further in than that is inside a function, or the rest of a long line."""
    found, classes = [], []
    for number, line in enumerate(text.split("\n"), 1):
        inside = 4 * len(classes)
        if classes and line.startswith(" " * (inside - 4) + "}"):
            classes.pop()
            continue
        count = 1
        while count:
            line, count = IN_ANGLES.subn("", line)
        code = line[inside:].removeprefix("template ").strip()
        if line[:inside].strip() or line[inside:inside + 1] == " ":
            continue
        if type_ := TYPE.match(code):
            found.append((number, "::".join([*classes, type_[2]])))
            if type_[1] in ("class", "struct", "union") and not code.endswith((";", "}")):
                classes.append(type_[2])
        elif function := FUNCTION.match(code):
            found.append((number, "::".join([*classes, function[1]])))
    return found


def first_line(anchor: str) -> int:
    return int(RANGE.fullmatch(anchor)[1])
