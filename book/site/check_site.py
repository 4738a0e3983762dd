#!/usr/bin/env python3
"""Looks at a built site as its readers will: does each link lead somewhere, is each word found?

    book/site/check_site.py build-book/site

Knows nothing of how the site was made, and needs nothing but Python. What it looks for:

- links, anchors, pictures and scripts that are not there;
- whatever is loaded from elsewhere;
- elements that are not closed, ids that are there twice, pictures without a description;
- words of a page that the search doesn't know;
- pages that weigh more than BIGGEST, with all that they load at once, compressed. (Not so files of
  code, which are as long as they are, scenes, and the whole book on one page. Lazy images count for
  nothing, since the page is there without them.)

The last line counts; the exit status is 1 if anything is wrong.
"""
from __future__ import annotations

import gzip
import json
import posixpath
import re
import sys
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

BIGGEST = 25_000  # bytes
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source",
        "track", "wbr"}
LOADS = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "srcset"}
UNSAID = {"svg", "button", "script", "style", "summary"}  # what is in there is no text of a page
IN_WORDS = {"a", "b", "code", "em", "i", "small", "span", "strong", "sub"}  # may split a word
TEXTS = {"page", "exercise", "map", "readme"}  # kinds of pages that the search looks through
WORD = re.compile(r"\w+")


class Look(HTMLParser):
    """What there is on a page."""

    def __init__(self, text: str):
        super().__init__()
        self.ids: Counter[str] = Counter()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.loads_at_once: list[str] = []
        self.text = ""
        self.problems: list[str] = []
        self.kind = ""
        self._open: list[tuple[str, bool]] = []  # elements, and whether their text counts
        self.feed(text)
        self.close()
        if self._open:
            self.problems.append(f"<{self._open[-1][0]}> is never closed")

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        known = {name: value or "" for name, value in attributes}
        if "id" in known:
            self.ids[known["id"]] += 1
        self.links += [known[name] for name in ("href", "src", "action") if name in known]
        if tag in LOADS and LOADS[tag] in known:
            self.loads.append(known[LOADS[tag]])
            if known.get("loading") != "lazy":
                self.loads_at_once.append(known[LOADS[tag]])
        description = {"img": "alt", "svg": "aria-label"}.get(tag, "")
        if description and "aria-hidden" not in known and not known.get(description, "").strip():
            self.problems.append("a picture without a description")
        if tag == "body":
            self.kind = known.get("class", "")
        self._between_words(tag)
        if tag not in VOID:
            counts = self._counts() or tag == "article"
            self._open.append((tag, counts and tag not in UNSAID and "data-unsaid" not in known))

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        self._between_words(tag)
        if tag in VOID:
            return
        if not self._open or self._open[-1][0] != tag:
            inside = f"<{self._open[-1][0]}>" if self._open else "nothing"
            self.problems.append(f"line {self.getpos()[0]}: </{tag}> inside {inside}")
        if self._open:
            self._open.pop()

    def handle_data(self, text: str) -> None:
        if self._counts():
            self.text += text

    def words(self) -> set[str]:
        return set(WORD.findall(self.text.lower()))

    def _between_words(self, tag: str) -> None:
        if tag not in IN_WORDS:
            self.text += " "

    def _counts(self) -> bool:
        return bool(self._open) and self._open[-1][1]


class SiteCheck:
    def __init__(self, folder: Path):
        self.folder = folder
        self.files = {file.relative_to(folder).as_posix() for file in folder.rglob("*")
                      if file.is_file()}
        self.pages = {name: Look((folder / name).read_text(encoding="utf-8"))
                      for name in sorted(self.files) if name.endswith(".html")}
        self.problems: list[str] = []
        self.links = 0
        self.heaviest = (0, "")
        self._sizes: dict[str, int] = {}
        for name, look in self.pages.items():
            self._check_page(name, look)
        self._check_words()

    def complain(self, page: str, what: str) -> None:
        self.problems.append(f"{page}: {what}")

    def _check_page(self, name: str, look: Look) -> None:
        for problem in look.problems if not name.startswith("scenes/") else []:
            self.complain(name, problem)  # (scenes are the viewer's, and have their own tests)
        for id_, times in look.ids.items():
            if times > 1:
                self.complain(name, f"{times} elements have the id {id_}")
        for url in look.loads:
            if re.match(r"(https?:)?//", url):
                self.complain(name, f"loads {url}")
        for url in look.links:
            self._follow(name, url)
        if look.kind and look.kind not in ("source", "print"):
            weight = self.weight(name)
            self.heaviest = max(self.heaviest, (weight, name))
            if weight > BIGGEST:
                self.complain(name, f"weighs {weight} bytes, compressed; {BIGGEST} are allowed")

    def _follow(self, page: str, url: str) -> None:
        if re.match(r"[a-z]+:|//", url):
            return
        self.links += 1
        path, _, anchor = url.partition("#")
        path = unquote(path.partition("?")[0])
        to = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page
        if to not in self.files:
            self.complain(page, f"dead link {url}")
        elif anchor and to in self.pages and unquote(anchor) not in self.pages[to].ids:
            self.complain(page, f"no such place: {url}")

    def weight(self, page: str) -> int:
        """Of a page and all that it loads at once, each file compressed."""
        folder = posixpath.dirname(page)
        loads = {posixpath.normpath(posixpath.join(folder, url)) for url in self.pages[page].loads_at_once}
        return sum(map(self._size, [page, *(name for name in loads if name in self.files)]))

    def _size(self, name: str) -> int:
        if name not in self._sizes:
            self._sizes[name] = len(gzip.compress((self.folder / name).read_bytes(), 9))
        return self._sizes[name]

    def _check_words(self) -> None:
        """Whoever searches a word that a page has, finds the page."""
        index = self.folder / "search-index.js"
        text = index.read_text(encoding="utf-8") if index.exists() else "SEARCH=[]"
        known: dict[str, set[str]] = {}
        for page, url, title, said, *_ in json.loads(text.removeprefix("SEARCH=")):
            words = WORD.findall(f"{page} {title} {said}".lower())
            known.setdefault(url.partition("#")[0], set()).update(words)
        for name, look in self.pages.items():
            missing = sorted(look.words() - known.get(name, set())) if look.kind in TEXTS else []
            if missing:
                self.complain(name, f"a search doesn't find: {', '.join(missing[:5])}")


def main() -> int:
    check = SiteCheck(Path(sys.argv[1]))
    for problem in check.problems:
        print(problem)
    weight, heaviest = check.heaviest
    print(f"{len(check.pages)} pages, {check.links} links; the heaviest is {heaviest}, "
          f"{weight / 1000:.1f} kB; {len(check.problems)} problems")
    return 1 if check.problems else 0


if __name__ == "__main__":
    sys.exit(main())
