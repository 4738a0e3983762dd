"""The site: what its pages look like, and all of its files.

Everything is a file with a relative address, so that it works from disk as from any server, and
nothing is loaded from elsewhere.
"""
from __future__ import annotations

import posixpath
import re
import shutil
import sys
from html import escape
from pathlib import Path

from book import GLOSSARY, Book, Page
from drawings import DifferentDrawings, Palette, read_pair, themed, width_of
from glossary import Glossary, Term
from layout import EXERCISES, SEARCH, Layout, contents, on_this_page, relative
from renderer import Rendered, Renderer
from search_index import search_index
from sources import Sources

HERE = Path(__file__).resolve().parent
AS_THEY_ARE = ("book.js", "search.js", "icon.svg")
SCENE = re.compile(r"book/scenes/(.+)")
PALETTE = "/* colours of drawings */"


class SiteRenderer(Renderer):
    def __init__(self, book: Book, glossary: Glossary, sources: Sources, scenes: dict[str, str]):
        super().__init__(book, glossary)
        self.sources, self.scenes, self.palette = sources, scenes, Palette()

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

    def listing(self, code: str, language: str, label: str, caption: str) -> str:
        pre = (f'<pre class="{language}" tabindex="0" role="group" aria-label="{label}">'
               f"<code>{code}</code></pre>")
        below = f"<figcaption>{caption}</figcaption>" if caption else ""
        return f'<figure class="listing">{pre}{below}</figure>\n'

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
            self.book.complain(page.path, f"{stem}: light and dark differ in more than their colours")
            return ""
        sheet = (f'<div class="sheet" tabindex="0" role="group" aria-label="Drawing">'
                 f'{svg.replace("<svg ", f"<svg style=max-width:{width_of(svg)}px ", 1)}</div>')
        scene = SCENE.fullmatch(stem)
        if not scene or scene[1] not in self.scenes:
            return f'<figure class="drawing">{sheet}</figure>\n'
        to = relative(page.url, f"scenes/{name}.html")
        return (f'<figure class="drawing scene">{sheet}<figcaption data-unsaid="">'
                f'<a class="watch" href="{to}">Watch it, step by step</a> '
                f"<span>{escape(self.scenes[name])}</span></figcaption></figure>\n")


class Site:
    """All files of the site, in memory, until `write`."""

    def __init__(self, book: Book):
        self.book, self.glossary, self.layout = book, Glossary(book), Layout(book)
        self.sources = Sources(book, self.layout)
        self.scene_pages, titles = scenes_of(book.root)
        renderer = SiteRenderer(book, self.glossary, self.sources, titles)
        self.rendered: dict[Page, Rendered] = {page: renderer.render(page)
                                               for page in book.pages.values()}
        self.files = {page.url: self._page(page) for page in book.pages.values()}
        self.files["index.html"] = self._home()
        self.files[EXERCISES] = self._exercises()
        self.files[SEARCH] = self.layout.page(SEARCH, "Search", FOUND, "search")
        self.files |= self.sources.pages()
        self.files["search-index.js"] = search_index(book, self.rendered, self.glossary, self.sources)
        style = (HERE / "book.css").read_text(encoding="utf-8")
        self.files["book.css"] = style.replace(PALETTE, renderer.palette.style())
        self.files |= {name: (HERE / name).read_text(encoding="utf-8") for name in AS_THEY_ARE}

    def write(self, folder: Path) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        for name, text in self.files.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        for name, make in self.scene_pages.items():
            file = folder / "scenes" / f"{name}.html"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(make(), encoding="utf-8")

    def _page(self, page: Page) -> str:
        rendered = self.rendered[page]
        body, aside = rendered.html, on_this_page(rendered.headings)
        if page.number:
            body = re.sub(r"(<h1[^>]*>)" + re.escape(page.number) + " ",
                          rf'\1<span class="number">{page.number}</span> ', body, count=1)
        over = self._over_exercise(page) if page.kind == "exercise" else escape(page.part)
        if over:
            body = f'<p class="over" data-unsaid="">{over}</p>\n{body}'
        row = {"page": self.book.order, "exercise": self.book.exercises}.get(page.kind)
        body = f"<article>\n{body}</article>\n"
        if row and page in row:
            body += self.layout.turn(page, row)
        return self.layout.page(page.url, page.title, body, page.kind, aside)

    def _over_exercise(self, page: Page) -> str:
        told = self.book.page_of_exercise(page)
        return ("Exercise" if told is None else
                f'Exercise, with <a href="{relative(page.url, told.url)}">{escape(told.title)}</a>')

    def _home(self) -> str:
        """The beginning of README.md, and the contents."""
        lead = self.rendered[self.book.readme].html.partition("<h2")[0]
        first = self.book.order[0]
        start = (f'<p class="start"><a class="button" href="{first.url}">Start reading</a> '
                 f'<a class="button quiet" href="{EXERCISES}">Exercises</a></p>')
        body = (f"<article>{lead}</article>{start}"
                f'<h2 id="contents-of-the-book">Contents</h2>\n{contents(self.book.parts, "index.html")}')
        return self.layout.page("index.html", "", body, "front")

    def _exercises(self) -> str:
        rows = []
        for part in self.book.exercise_parts():
            head = "".join(f"<th>{name}</th>" for name in ("exercise", "kind", "takes", "with page"))
            rows.append(f"<h2>{escape(part.title)}</h2>\n{table_in('table')}<thead><tr>{head}</tr></thead><tbody>")
            rows += map(self._exercise_row, part.pages)
            rows.append("</tbody></table></div>")
        intro = "<p><code>./learn check</code> takes you through them, one by one.</p>"
        return self.layout.page(EXERCISES, "Exercises", f"<h1>Exercises</h1>{intro}{''.join(rows)}",
                                "exercises")

    def _exercise_row(self, page: Page) -> str:
        kind, minutes = self.book.exercise_facts(page)
        told = self.book.page_of_exercise(page)
        where = f'<a href="{relative(EXERCISES, told.url)}">{escape(told.title)}</a>' if told else ""
        cells = (f'<a href="{relative(EXERCISES, page.url)}">{escape(page.title)}</a>', kind, minutes, where)
        return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>\n"


def table_in(classes: str) -> str:
    return f'<div class="{classes}" tabindex="0" role="group" aria-label="Table"><table>\n'


FOUND = """<h1>Search</h1>
<div id="found" aria-live="polite"></div>
<noscript><p>The search needs JavaScript; the <a href="index.html#contents-of-the-book">contents</a>
don't.</p></noscript>"""


def scenes_of(root: Path):
    """For each scene of the book its page, which is made when it's called for; and their titles."""
    if not (root / "book/scenes/scenes.json").exists():
        return {}, {}
    sys.path.insert(0, str(HERE.parent / "viewer"))
    import scenes  # its folder has just been put on the path
    known = scenes.all_scenes(root / "book/scenes")
    pages = {name: (lambda scene=scene: scenes.scene_page(scene, root)) for name, scene in known.items()}
    return pages, {name: scene.title for name, scene in known.items()}
