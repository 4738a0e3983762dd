"""What the site's search looks through: the text of each section, each term, each file's path, and
the names that the code defines.

It's a script that sets a variable, since a page from disk may load a script, but may not fetch a
file. An entry is [page's title, where, section's title, text], and, of a section that explains
terms, which; search.js reads them.
"""
from __future__ import annotations

import json

from book import GLOSSARY, Book, Page
from glossary import Glossary, Term
from renderer import Rendered, Section
from sources import Sources


def entries_of(page: Page, rendered: Rendered, terms: list[Term]) -> list[list]:
    """Those of a page, with the terms that it explains where it does."""
    at = {term: explained_in(term, rendered.sections) for term in terms}
    entries = []
    for section in rendered.sections:
        where = page.url + (f"#{section.anchor}" if section.anchor else "")
        explains = [term.word.lower() for term in terms if at[term] is section]
        entries.append([page.title, where, section.title, section.text(), *([explains] if explains else [])])
    return entries


def explained_in(term: Term, sections: list[Section]) -> Section:
    """Where a page explains it: where the glossary says, or where the word is first set in italics, or
    is first said."""
    word = term.word.lower()
    rules = [lambda section: term.place and section.anchor == term.place,
             lambda section: word in section.stressed,
             lambda section: word in section.text().lower()]
    return next((section for rule in rules for section in sections if rule(section)), sections[0])


def search_index(book: Book, rendered: dict[Page, Rendered], glossary: Glossary,
                 sources: Sources) -> str:
    entries = [entry for page in [*book.order, *book.exercises, book.map, book.readme]
               for entry in entries_of(page, rendered[page],
                                       [term for term in glossary.terms if term.page == page.path])]
    if words := book.pages.get(GLOSSARY):
        entries += [[words.title, f"{words.url}#{term.anchor}", term.word, term.row] for term in glossary.terms]
    entries += [[path, sources.url(path), "", ""] for path in sorted(sources.shown)]
    entries += sources.names()
    return "SEARCH=" + json.dumps(entries, ensure_ascii=False, separators=(",", ":")) + "\n"
