"""All files of the site.

Each has a relative address, so that it works from disk as from any server, and nothing is loaded
from elsewhere.
"""
from __future__ import annotations

import re
import tempfile
from html import escape
from pathlib import Path

from book import EPUB, Book, Page, plain
from glossary import Glossary
from journey import journey
from layout import ABOUT, EXERCISES, PRINT, SEARCH, Layout, contents, on_this_page, relative
from make_page import slim_script, slim_style  # of the viewer
from moved import moved_pages
from print_page import print_page
from renderer import Rendered
from scenes import Scene, all_scenes, scene_page  # of the viewer
from search_index import search_index
from site_renderer import SiteRenderer, in_site, live_page, table_in
from sources import Sources

HERE = Path(__file__).resolve().parent
SCRIPTS = ("book.js", "search.js")
MARK = "made-by-learn-book.txt"  # in each site
PALETTE = "--drawings: none;"  # where the colours of drawings go
FOUND = """<h1>Search</h1>
<div id="found" aria-live="polite"><p>Type words, names out of the code, or "several words in
quotes" into the field above.</p></div>
<noscript><p>The search needs JavaScript; the <a href="index.html#contents-of-the-book">contents</a>
don't.</p></noscript>"""

KINDS = {"Predict": "You read a program, and write down what it will do. Then it runs, and your answers are "
                    "compared with what it did.",
         "Build": "You write what is missing. Tests tell you when it works.",
         "Mend": "You get code that hangs, crashes or breaks a promise. You find out why, and repair it."}
ON_EXERCISES = """<p>Type <code>./learn check 01.1</code>, with the number of the exercise that you want: the first time, it
makes the file that you edit, and then it tells you how your answer did. <code>./learn check</code> alone takes you through
the exercises one by one, <code>./learn hint</code> helps, and <code>./learn list</code> shows how far you have got.</p>
"""


class NotOurs(Exception):
    """Where the site is to go, there is something else."""


def refuse_if_not_ours(folder: Path) -> None:
    """A site is written over, and an empty folder. What has no MARK may be a reader's own."""
    around = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not around.is_dir():
        raise NotOurs(f"{around} is a file; the site needs a folder")
    if around == folder and any(folder.iterdir()) and not (folder / MARK).exists():
        raise NotOurs(f"{folder} isn't empty, and ./learn book didn't make it: "
                      "remove it, or choose another folder (--out)")


class Site:
    """All files of the site, in memory, until `write`."""

    def __init__(self, book: Book, program: bytes | None = None):
        """`program`: what live scenes run."""
        self.book, self.glossary, self.layout = book, Glossary(book), Layout(book)
        self.sources = Sources(book, self.layout)
        self.scenes = scenes_of(book)
        self.program = program
        self.live = {name for name, scene in self.scenes.items() if scene.live and program is not None}
        titles = {name: scene.title for name, scene in self.scenes.items()}
        renderer = SiteRenderer(book, self.glossary, self.sources, titles, self.live)
        self.rendered: dict[Page, Rendered] = {page: renderer.render(page)
                                               for page in book.pages.values()}
        self.screenshots = renderer.screenshots
        self.files = {page.url: self._page(page) for page in book.pages.values()} | renderer.tries
        self.files["index.html"] = self._front()
        self.files[EXERCISES] = self._exercises()
        self.files[PRINT] = print_page(book, {page: self._text(page) for page in book.order}, self.layout)
        self.files[SEARCH] = self.layout.page(SEARCH, "Search", FOUND, "search")
        self.files |= self.sources.pages()
        self.files["search-index.js"] = search_index(book, self.rendered, self.glossary,
                                                     self.sources)
        style = own("book.css").replace(PALETTE, renderer.palette.style())
        self.files["book.css"] = slim_style(style)
        self.files |= {name: slim_script(own(name)) for name in SCRIPTS}
        self.files["icon.svg"] = own("icon.svg")
        self.files |= moved_pages({*self.files, *(f"scenes/{name}.html" for name in self.scenes)})
        self.files[MARK] = "`./learn book` made this folder, and replaces it each time.\n"

    def write(self, folder: Path) -> None:
        """Until all is written, what was there before stays. Throws NotOurs."""
        refuse_if_not_ours(folder)
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".site-", dir=folder.parent) as scratch:
            fresh, old = Path(scratch) / "fresh", Path(scratch) / "old"
            for name, text in self.files.items():
                put(fresh / name, text.encode())
            for png in self.screenshots:
                put(fresh / in_site(png), (self.book.root / png).read_bytes())
            for name, scene in self.scenes.items():
                put(fresh / "scenes" / f"{name}.html", scene_page(scene, self.book.root).encode())
            for name in self.live:
                put(fresh / live_page(name), scene_page(self.scenes[name], self.book.root, self.program).encode())
            if folder.exists():
                folder.rename(old)
            fresh.rename(folder)

    def _page(self, page: Page) -> str:
        over = self._over_exercise(page) if page.kind == "exercise" else escape(page.part)
        over = f'<p class="over" data-unsaid="">{over}</p>\n' if over else ""
        row = {"page": self.book.order, "exercise": self.book.exercises}.get(page.kind, [])
        turn = self.layout.turn(page, row) if page in row else ""
        title = ABOUT if page is self.book.readme else page.title
        return self.layout.page(page.url, title, f"<article>\n{over}{self._text(page)}</article>\n{turn}",
                                page.kind, on_this_page(self.rendered[page].headings), plain(page.tells))

    def _text(self, page: Page) -> str:
        """What is on a page, with its number apart from its name."""
        text, number = self.rendered[page].html, re.escape(page.number)
        return re.sub(rf"(<h1[^>]*>){number} ", rf'\1<span class="number">{page.number}</span> ',
                      text, count=1) if number else text

    def _over_exercise(self, page: Page) -> str:
        told = self.book.page_of_exercise(page)
        if told is None:
            return "Exercise"
        return f'Exercise, with <a href="{relative(page.url, told.url)}">{escape(told.title)}</a>'

    def _front(self) -> str:
        """The beginning of README.md, and the contents."""
        lead = self.rendered[self.book.readme].html.partition("<h2")[0]
        buttons = [(self.book.order[0].url, "button", "Start reading"),
                   (EXERCISES, "button quiet", "Exercises"), (EPUB, "button quiet", "As an EPUB"),
                   (PRINT, "button quiet", "To print")]
        start = "\n".join(f'<a class="{kind}" href="{to}">{name}</a>' for to, kind, name in buttons)
        way = journey(self.book, lambda page: page.url)
        body = (f'<article>{lead}</article><p class="start">{start}</p>'
                f'{way and f"<h2>The journey</h2>{chr(10)}{way}"}'
                '<h2 id="contents-of-the-book">Contents</h2>\n'
                f'{contents(self.book.parts, "index.html")}')
        return self.layout.page("index.html", "", body, "front")

    def _exercises(self) -> str:
        titles = ("exercise", "kind", "takes", "with page")
        head = f"<thead><tr>{''.join(f'<th>{title}</th>' for title in titles)}</tr></thead>"
        kinds = "".join(f"<dt>{kind}</dt><dd>{means}</dd>\n" for kind, means in KINDS.items())
        body = f'<h1>Exercises</h1>\n<dl class="kinds">{kinds}</dl>\n{self._where_to_begin()}{ON_EXERCISES}'
        for part in self.book.exercise_parts():
            rows = "".join(map(self._exercise_row, part.pages))
            body += (f"<h2>{escape(part.title)}</h2>\n{table_in('table')}{head}"
                     f"<tbody>{rows}</tbody></table></div>\n")
        return self.layout.page(EXERCISES, "Exercises", body, "exercises")

    def _where_to_begin(self) -> str:
        told = [(exercise, page) for part in self.book.exercise_parts() for exercise in part.pages
                if (page := self.book.page_of_exercise(exercise))]
        if not told:
            return ""
        exercise, page = (f'<a href="{relative(EXERCISES, one.url)}">{escape(one.title)}</a>' for one in told[0])
        return (f"<p>Begin with {exercise}, once you have read {page}. An exercise has the number of its "
                "page.</p>\n")

    def _exercise_row(self, page: Page) -> str:
        kind, minutes = self.book.exercise_facts(page)
        told = self.book.page_of_exercise(page)
        links = [f'<a href="{relative(EXERCISES, one.url)}">{escape(one.title)}</a>'
                 for one in (page, told) if one]
        cells = [links[0], kind, minutes, *links[1:]]
        return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>\n"


def scenes_of(book: Book) -> dict[str, Scene]:
    folder = book.root / "book" / "scenes"
    return all_scenes(folder) if (folder / "scenes.json").exists() else {}


def own(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


def put(file: Path, content: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
