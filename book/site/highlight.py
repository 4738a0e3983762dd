"""Code as HTML. Pygments reads it; of the many kinds that it tells apart, we show a few.

    k keyword   co what makes a coroutine   t type   f name that is declared   s string   n number
    c comment   p preprocessor   o prompt, and where a change is   b what is typed
    add, del lines of a change
"""
from __future__ import annotations

import re
from functools import lru_cache
from html import escape
from pathlib import PurePath

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Number, String, _TokenType
from pygments.util import ClassNotFound

KINDS = [(Comment.PreprocFile, "s"), (Comment.Preproc, "p"), (Comment, "c"), (String, "s"),
         (Number, "n"), (Keyword.Type, "t"), (Keyword, "k"), (Name.Class, "f"),
         (Name.Function, "f"), (Name.Namespace, "f")]
LANGUAGES = {".cpp": "cpp", ".h": "cpp", ".py": "python", ".sh": "sh", ".js": "javascript",
             ".json": "json", ".css": "css", ".html": "html", ".yml": "yaml", ".build": "meson",
             ".lua": "lua"}
SCRIPTS = {"learn", "run"}  # of a shell, though their names don't say so


def language_of(path: str) -> str:
    name = PurePath(path)
    return "sh" if name.name in SCRIPTS else LANGUAGES.get(name.suffix, "text")


def highlight(text: str, language: str) -> str:
    """HTML with as many lines as the text has; no element goes beyond the end of its line."""
    if language == "console":
        return "\n".join(map(console_line, text.split("\n")))
    if language == "diff":
        return change(text)
    if language == "sh" and "\n" not in text:  # a command: nothing in it needs colours
        return escape(text, quote=False)
    lexer = lexer_for(language)
    return marked_up(text, lexer) if lexer else escape(text, quote=False)


@lru_cache(maxsize=None)
def lexer_for(language: str) -> Lexer | None:
    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False) if language else None
    except ClassNotFound:
        return None


def kind_of(token: _TokenType, value: str) -> str:
    if token in Keyword and value.startswith("co_"):
        return "co"
    return next((kind for type_, kind in KINDS if token in type_), "")


def marked_up(text: str, lexer: Lexer) -> str:
    pieces: list[list[str]] = []  # kind and text; neighbours of one kind are one piece
    for token, value in lexer.get_tokens(text + "\n"):  # without it, a last comment is none
        kind = kind_of(token, value)
        if pieces and (pieces[-1][0] == kind or not value.strip()):
            pieces[-1][1] += value
        else:
            pieces.append([kind, value])
    return "".join(span(kind, value) for kind, value in pieces)[:-1]


def span(kind: str, value: str) -> str:
    """Each line has its own element, and blanks at its end stay outside."""
    if not kind:
        return escape(value, quote=False)
    return re.sub(r"[^\n]*[^\s]",
                  lambda line: f'<span class="{kind}">{escape(line[0], quote=False)}</span>', value)


def console_line(line: str) -> str:
    if not line.startswith("$ "):
        return escape(line, quote=False)
    return f'<span class="o">$ </span><span class="b">{escape(line[2:], quote=False)}</span>'


def change(text: str) -> str:
    """C++ with a sign before each line: the code is read without the signs."""
    lines = text.split("\n")
    code = highlight("\n".join(line[1:] for line in lines), "cpp").split("\n")
    kinds = {"+": "add", "-": "del"}
    return "\n".join(f'<span class="{kinds[line[0]]}">{line[0]}{html}</span>' if line[:1] in kinds
                     else span("o", line) if line.startswith("@@")
                     else f"{line[:1]}{html}" for line, html in zip(lines, code))
