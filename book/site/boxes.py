"""Paragraphs that look different in a book, and how to tell them in Markdown.

    > [!NOTE]              a callout, as on GitHub
    > **You will** …       what a page begins with: each of its parts on a line of its own
    **In Python:** …       an aside; also <details><summary>In Python</summary>, which is folded
    Kind: predict          an exercise's second paragraph
"""
from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.token import Token

CALLOUT = re.compile(r"\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\n?")

FOLDED = "<details><summary>In Python"


def shape_boxes(tokens: list[Token], md: MarkdownIt) -> None:
    """Gives them their elements and classes, before links and terms are looked at."""
    for at, token in enumerate(tokens):
        if token.type == "blockquote_open":
            shape_quote(tokens, at, md)
        elif token.type == "paragraph_open":
            shape_paragraph(token, tokens[at + 1])
        elif token.type == "html_block":
            token.content = token.content.replace(FOLDED, '<details class="python"><summary>In Python')
        elif token.type == "th_open" and not tokens[at + 1].content:
            token.tag = tokens[at + 2].tag = "td"  # an empty head says nothing to a screen reader


def shape_quote(tokens: list[Token], at: int, md: MarkdownIt) -> None:
    begin, inline = tokens[at], tokens[at + 2]
    end = next(token for token in tokens[at + 1:]
               if token.type == "blockquote_close" and token.level == begin.level)
    if alert := CALLOUT.match(inline.content):
        begin.tag = end.tag = "div"  # an aside is a landmark, which has no place inside the text
        begin.attrs = {"class": f"callout {alert[1].lower()}", "role": "note"}
        inline.content = inline.content[alert.end():]
        inline.children = md.parseInline(inline.content)[0].children
        title = f'<strong class="title" data-unsaid="">{alert[1].title()}</strong>'
        inline.children.insert(0, html_token(title))
    elif inline.content.startswith("**You will**"):
        begin.tag = end.tag = "div"
        begin.attrs = {"class": "brief"}
        inline.meta["no terms"] = True
        said = [child for child in inline.children if child.type != "text" or child.content]
        for child, after in zip(said, said[1:]):
            if child.type == "softbreak" and after.type == "strong_open":
                child.type, child.tag = "hardbreak", "br"


def shape_paragraph(begin: Token, inline: Token) -> None:
    if inline.content.startswith("**In Python:**"):
        begin.attrs["class"] = "python"
    elif inline.content.startswith("Kind: "):
        begin.attrs["class"] = "kind"
        inline.meta["no terms"] = True
        for child in inline.children:
            if child.type == "softbreak":
                child.type, child.content = "text", " · "
            else:
                child.content = child.content.removesuffix(".")


def html_token(html: str) -> Token:
    return Token("html_inline", "", 0, content=html)


def text_token(text: str) -> Token:
    return Token("text", "", 0, content=text)


def shown_text(inline: Token) -> str:
    """What a reader sees of a paragraph, as plain text."""
    shown = {"softbreak": " ", "hardbreak": " "}
    return "".join(child.content if child.type in ("text", "code_inline")
                   else shown.get(child.type, "") for child in inline.children)
