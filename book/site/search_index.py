"""What the site's search looks through: the text of each section, each term, each file's path, and
the names that the code defines.

It's a script that sets a variable, since a page from disk may load a script, but may not fetch a
file. An entry is [page's title, where, section's title, text]; search.js reads them.
"""
from __future__ import annotations

import json

from book import GLOSSARY, Book, Page
from glossary import Glossary
from renderer import Rendered
from sources import Sources


def entries_of(page: Page, rendered: Rendered) -> list[list[str]]:
    return [[page.title, page.url + (f"#{section.anchor}" if section.anchor else ""), section.title,
             section.text()] for section in rendered.sections]


def search_index(book: Book, rendered: dict[Page, Rendered], glossary: Glossary,
                 sources: Sources) -> str:
    entries = [entry for page in [*book.order, *book.exercises, book.map, book.readme]
               for entry in entries_of(page, rendered[page])]
    if words := book.pages.get(GLOSSARY):
        entries += [[words.title, f"{words.url}#{term.anchor}", term.word, term.means]
                    for term in glossary.terms]
    entries += [[path, sources.url(path), "", ""] for path in sorted(sources.shown)]
    entries += sources.names()
    return "SEARCH=" + json.dumps(entries, ensure_ascii=False, separators=(",", ":")) + "\n"
