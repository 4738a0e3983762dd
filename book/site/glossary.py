"""The words of the glossary, and where on a page they are met for the first time."""
from __future__ import annotations

import re
from dataclasses import dataclass

from book import GLOSSARY, Book, plain, slug_of

ROW = re.compile(r"^\| (?!word \||---)([^|]+?) \| ([^|]+?) \|([^|\n]*)", re.M)
WHERE = re.compile(r"\s*\(\[[^\]]*\]\(([^)#]*)#?([^)]*)\)\)")  # what explains it: "([05](05-….md))"
# Words of every day. Only where a page sets one in italics, it's the glossary's.
ORDINARY = {"gate", "origin", "parked", "promise", "ready", "record", "resume", "scope", "session",
            "stream", "suspend", "timer", "transfer", "turn"}


@dataclass(frozen=True)
class Term:
    word: str
    means: str
    row: str  # all that the glossary says of it
    page: str  # the file that explains it, and where on its page
    place: str

    @property
    def anchor(self) -> str:
        return anchor_of(self.word)


def anchor_of(word: str) -> str:
    """Where it stands on the glossary's page."""
    return f"term-{slug_of(word)}"


def term_of(word: str, means: str, in_python: str) -> Term:
    page, place = found.groups() if (found := WHERE.search(means)) else ("", "")
    row = f"{means} In Python: {in_python}" if in_python.strip() else means
    return Term(plain(word), plain(WHERE.sub("", means)).strip(), plain(row).strip(), f"book/{page}", place)


class Glossary:
    def __init__(self, book: Book):
        rows = ROW.findall(book.read(GLOSSARY)) if GLOSSARY in book.pages else []
        self.terms = [term_of(*row) for row in rows]
        self._by_word = {term.word.lower(): term for term in self.terms}
        longest_first = sorted(self._by_word, key=len, reverse=True)
        words = "|".join(map(re.escape, longest_first)) or "(?!)"
        # No part of a path, of a file's name, or of `std::future`.
        self._any = re.compile(rf"(?<![\w/.:-])({words})(s?)(?![\w/-]|[.]\w|::)", re.I)

    def find(self, text: str, emphasised: bool, told: set[Term]) -> list[tuple[int, int, Term]]:
        """Where in a text a term begins and ends that the page hasn't `told` yet; adds it there."""
        found = []
        for match in self._any.finditer(text):
            term = self._by_word[match[1].lower()]
            if term in told or (term.word in ORDINARY and not emphasised):
                continue
            told.add(term)
            found.append((match.start(), match.end(), term))
        return found
