"""What the book consists of: its pages in reading order, with their parts; exercises; files.

Nothing is listed here. Which pages there are, and in which order, is told by the map that readers
see (page 00, "The map"); exercises are the folders of tests/exercises; files are those that git
knows or would take. What doesn't fit together is no exception but a line in `Book.problems`: who
has broken three links wants to hear of all three.
"""
from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

sys.dont_write_bytecode = True  # no __pycache__ beside the sources
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "viewer")]
sys.path.append(str(HERE.parents[1] / "tests" / "exercises"))
import questions  # noqa: E402  (their folders have just been put on the path)
import try_it  # noqa: E402
from weave import slug_of  # noqa: E402,F401

TITLE = "Await the Web"
SUBTITLE = "One web crawler, built three times in C++20, and a book that explains every step"
EPUB = "await-the-web.epub"
FIRST = "book/00-before-you-start.md"
MAP = "book/README.md"
GLOSSARY = "book/c-glossary.md"
PAGE = re.compile(r"book/[^/]+\.md")
EXERCISE = re.compile(r"tests/exercises/[^/-]+-[^/]+/README\.md")
NOT_SOURCES = re.compile(r"(^|.*/)(build[^/]*|__pycache__|\.(?!ci/|github/)[^/]+)/")
LINK = re.compile(r"\[[^\]]+\]\(([^)#\s]+)\)")
TURN = re.compile(r"\n<!-- turn -->\n.*?<!-- /turn -->\n", re.S)  # for GitHub; see turns.py


@dataclass(eq=False)
class Page:
    """A Markdown file. `url` is where it stands on the site."""
    path: str
    kind: str   # "page", "exercise", "map" or "readme"
    url: str
    text: str
    part: str = ""
    tells: str = ""  # what the map says of it
    number: str = field(init=False)
    name: str = field(init=False)
    tries: dict[str, str] = field(init=False)  # programs, with links that open them in the browser

    def __post_init__(self):
        self.tries = try_it.links_in(self.text)
        self.text = try_it.SECTION.sub("", TURN.sub("", self.text))
        title = re.match(r"# (.+)", self.text)
        self.number, _, self.name = (title[1] if title else self.path).partition(" ")
        if self.kind in ("map", "readme"):
            self.number, self.name = "", f"{self.number} {self.name}"

    @property
    def title(self) -> str:
        return f"{self.number} {self.name}".strip().replace("`", "")


@dataclass
class Part:
    title: str  # "" for what stands before all parts
    pages: list[Page]
    tells: str = ""  # what the map says of it

    @property
    def name(self) -> str:
        """Its title without the number."""
        return re.sub(r"^\d+\. ", "", self.title)


class Book:
    def __init__(self, root: Path):
        self.root = root
        self.problems: list[str] = []
        self.files = files_of(root)
        self.folders = {"/".join(file.split("/")[:depth]) for file in self.files
                        for depth in range(1, file.count("/") + 1)}
        self.pages = {path: self._page(path) for path in sorted(self.files) if kind_of(path)}
        self.readme, self.map = self.pages["README.md"], self.pages[MAP]
        self.parts = self._read_parts()
        self.order = [page for part in self.parts for page in part.pages]
        self.exercises = [page for page in self.pages.values() if page.kind == "exercise"]

    def read(self, path: str) -> str:
        return (self.root / path).read_text(encoding="utf-8")

    def complain(self, where: str, what: str) -> None:
        line = f"{where}: {what}"
        if line not in self.problems:
            self.problems.append(line)

    @staticmethod
    def around(page: Page, row: list[Page]) -> tuple[Page | None, Page | None]:
        """The page before, and the page after."""
        at = row.index(page)
        return row[at - 1] if at else None, row[at + 1] if at + 1 < len(row) else None

    def turns_to(self, page: Page, other: Page, word: str = "Next") -> str:
        """What the link from one page to another says first: a new part is named."""
        if page.part == other.part or not other.part:
            return word
        part = next(part for part in self.parts if part.title == other.part)
        return f"{word} part, {part.name}"

    def exercise_parts(self) -> list[Part]:
        """Those that belong to pages, by their numbers; and tracks, whose numbers begin with a
        letter."""
        parts = [Part("With the pages", []), Part("A runtime of your own", [])]
        for page in self.exercises:
            parts[not page.number[0].isdigit()].pages.append(page)
        return [part for part in parts if part.pages]

    def page_of_exercise(self, exercise: Page) -> Page | None:
        """The page that sends readers there."""
        link = f"(../{exercise.path}"
        return next((page for page in self.order if link in page.text and page.part), None)

    def exercise_facts(self, exercise: Page) -> tuple[str, str]:
        """Its kind, and how long it takes; as its second paragraph says."""
        kind = re.search(r"^Kind: (.+)$", exercise.text, re.M)
        minutes = re.search(r"^About (.*?)\.?$", exercise.text, re.M)
        return kind[1] if kind else "", minutes[1] if minutes else ""

    def _page(self, path: str) -> Page:
        kind = kind_of(path)
        url = {"readme": "readme.html", "map": "book/map.html",
               "exercise": f"exercises/{path.split('/')[-2] if '/' in path else ''}.html",
               "page": path[:-2] + "html"}[kind]
        return Page(path, kind, url, self.read(path) + (self._questions(path) if kind == "exercise" else ""))

    def _questions(self, path: str) -> str:
        """What an exercise asks, without the answers: with that its page ends."""
        file = path.replace("README.md", questions.FILE)
        if file not in self.files:
            return ""
        try:
            asked = questions.read(self.read(file)).questions
        except questions.Malformed as error:
            self.complain(file, str(error))
            return ""
        lines = [f"\n{one.group}\n\n" * bool(one.group) + f"- `{one.name}`" + f": {one.text}" * bool(one.text)
                 for one in asked]
        return "\n## The questions\n\n" + "\n".join(lines) + "\n"

    def _read_parts(self) -> list[Part]:
        """The tables of the map. Each is a part, with the title that stands before it."""
        first = self.pages[FIRST]
        parts, title, tells = [Part("", [first])], "", ""
        for line in first.text.partition("\n## The map\n")[2].splitlines():
            cells = [cell.strip() for cell in line.strip("| ").split("|")]
            if not line.startswith("|"):
                if found := re.match(r"\*\*(.+?)\.?\*\*(.*)|(\S.*):$", line):
                    title, tells = found[1] or found[3], (found[2] or "").strip()
                continue
            linked = [self.pages.get(f"book/{target}") for target in LINK.findall(cells[0])]
            if not linked:
                continue
            if parts[-1].title != title:
                parts.append(Part(title, [], tells))
            for page in filter(None, linked):
                page.part, page.tells = title, cells[1]
                parts[-1].pages.append(page)
        mapped = {page.path for part in parts for page in part.pages}
        for page in self.pages.values():
            if page.kind == "page" and page.path not in mapped:
                self.complain(page.path, f"the map ({FIRST}) does not name it")
        return parts


def kind_of(path: str) -> str:
    if path == "README.md":
        return "readme"
    if path == MAP:
        return "map"
    return "page" if PAGE.fullmatch(path) else "exercise" if EXERCISE.fullmatch(path) else ""


def files_of(root: Path) -> set[str]:
    """Those that git knows or would take; without git (an unpacked archive), all that no build
    has made."""
    if listed := git(root, "ls-files", "-z", "-co", "--exclude-standard"):
        return {name for name in listed.split("\0") if (root / name).is_file()}
    names = (file.relative_to(root).as_posix() for file in root.rglob("*") if file.is_file())
    return {name for name in names if not NOT_SOURCES.match(name)}


def git(root: Path, *arguments: str) -> str:
    """What git says of a repository; "" if there is none, or no git."""
    if not (root / ".git").exists():
        return ""
    try:
        done = subprocess.run(["git", "-C", root, *arguments], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.decode()


def plain(markdown: str) -> str:
    """A few words of Markdown, without its signs."""
    return re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", markdown)
