"""Drawings as parts of their pages, in the colours of the page's theme.

Each is there twice, NAME-light.svg and NAME-dark.svg, and the two differ only in their colours. So
one of them goes into the page, and each pair of colours becomes a variable of the style sheet,
`--d7`, which is one of the two. (A browser would choose between two files by what the system
prefers, and not by what the reader has chosen.)
"""
from __future__ import annotations

import re
from html import escape
from pathlib import Path

COLOUR = re.compile(r"#[0-9a-fA-F]{6}\b|#[0-9a-fA-F]{3}\b|rgb\([^)]*\)")
SAID_OTHERWISE = re.compile(r"<(title|desc)>.*?</\1>\n?|<!--.*?-->", re.S)
CODE_FONT = re.compile(r' font-family="[^"]*monospace"')
INHERITED = re.compile(r' (?:font-family="[^"]*sans-serif"|font-weight="normal"|text-anchor="start")')
ROOT_ATTRIBUTES = re.compile(r' (?:role|aria-label|width|height|xmlns)="[^"]*"')


class DifferentDrawings(Exception):
    """Light and dark are not the same drawing."""


class Palette:
    """The pairs of colours that the drawings of a site use."""

    def __init__(self):
        self._names: dict[tuple[str, str], str] = {}

    def name(self, light: str, dark: str) -> str:
        return self._names.setdefault((light, dark), f"--d{len(self._names)}")

    def style(self) -> str:
        return "".join(f"{name}:light-dark({light},{dark});"
                       for (light, dark), name in self._names.items())


def themed(light: str, dark: str, palette: Palette, alt: str, ids: str) -> str:
    """An svg element for both themes. `ids` goes before the ids that it defines, since several
    drawings stand on one page. Throws DifferentDrawings."""
    ids = "in-" + ids  # an SVG id may not begin with a digit
    light, dark = (SAID_OTHERWISE.sub("", text).strip() for text in (light, dark))
    if COLOUR.sub("", light) != COLOUR.sub("", dark):
        raise DifferentDrawings
    others = iter(COLOUR.findall(dark))
    svg = COLOUR.sub(lambda colour: f"var({palette.name(colour[0], next(others))})", light)
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{ids}-\1"', svg)
    svg = re.sub(r'url\(#([^)]+)\)|href="#([^"]+)"',
                 lambda to: f"url(#{ids}-{to[1]})" if to[1] else f'href="#{ids}-{to[2]}"', svg)
    svg = CODE_FONT.sub(' font-family="var(--mono)"', svg)
    head, end, rest = INHERITED.sub("", svg).partition(">")
    head = ROOT_ATTRIBUTES.sub("", head)
    return f'{head} role="img" aria-label="{escape(alt)}"{end}{rest}'


def width_of(svg: str) -> int:
    return int(float(re.search(r'viewBox="[-\d.]+ [-\d.]+ ([\d.]+)', svg)[1]))


def read_pair(root: Path, stem: str) -> tuple[str, str]:
    light, dark = ((root / f"{stem}-{theme}.svg").read_text(encoding="utf-8")
                   for theme in ("light", "dark"))
    return light, dark


def by_the_book(svg: str) -> str:
    """The same for an EPUB, which takes SVG 1.1 only: what is younger moves into a style."""
    return re.sub(r' paint-order="([^"]*)"', r' style="paint-order: \1"', svg)
