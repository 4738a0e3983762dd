#!/usr/bin/env python3
"""Counts the habits that make prose hard to read, and names the pages that have too much of one.

    tests/lint/prose.py [--counts] [ROOT]

A page may have

- 2 sentences or lines that open with a parenthesis: what matters belongs in the text;
- no "whoever", and no sentence that begins with "Who", unless it is a question;
- 1 "nobody" or "somebody" per thousand words, since the parts of a program aren't people;
- 2 of "stand", "stands", "stood", "tell", "tells" and "told" per thousand words;
- sentences with a median of 12 to 20 words, at least 20 % of them with more than 20.

"Per thousand words" means per thousand begun: a page of 1,200 words may have twice as many. Code,
tables, comments and HTML are skipped. Headings and quoted boxes are searched for words, but their
words and sentences aren't counted, which is why `book/weave.py --figures` finds more words.
A page of fewer than 10 sentences may have them of any length.

The story, pages 00 to 17, may have 22,500 words, and what goes further, pages 18 to 35, 21,500, of
which no page may have more than 1,800.

The counts keep old habits from coming back; they don't make good English. --counts prints them for
all pages, and the sums. Exit status: 0, nothing found; 1, something found.

It also prints signs that a text is too dense, per thousand words: for the page that has fewest of
them, and for the three that have most; with --counts, for each page. They are no faults by
themselves, so no number of them fails.

- naked: numbers without their noun ("after two, it");
- so: conclusions that "so" joins on;
- >35: sentences of more than 35 words;
- chains: sentences with three of "it", "they" and their like.
"""
from __future__ import annotations

import re
import statistics
import sys
from pathlib import Path

PARENTHESES, NOBODIES, STANDS = 2, 1, 2  # on a page; per thousand words; per thousand words
MEDIAN, LONG, LONG_SHARE = (12, 20), 20, 20  # words; words, and how many percent have more
FEW_SENTENCES = 10
MOST_WORDS = {"the story": 22_500, "what goes further": 21_500}
MOST_ON_A_PAGE = 1_800

FENCE = re.compile(r"[\s>]*(?:[-*+] |\d+[.)] )?(`{3,}|~{3,})")
ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
SENTENCE_END = re.compile(r"""(?<=[.!?])["')*_]*\s+(?=["'(*_]*[A-Z0-9])""")
DENSE = {
    "naked": r"(?i)\b(?:with|at|after|for|than|of) (?:one|two|three|ten|a hundred|a thousand|ten thousand|\d[\d,]*"
             r"(?:\.\d+)?)\b(?=[.,;:](?!\d)| (?:or|and|at once|than|the|it|each)\b|$)",
    "so": r"""(?:^|[.?!:;,]["*_)]* )["*_(]*[Ss]o(?![^\W_])(?!["*_)]* that)""",
    ">35": r"^(?:\S+\s+){35}\S",
    "chains": r"(?is)^(?:.*?\b(?:it|its|they|them|their|theirs)\b){3}",
}
OPENS = re.compile(r"""^[\s>*_-]*\(|[.!?]["')*_]*[ \t]+\(""")


def prose_of(text: str) -> list[str]:
    """Its lines, empty where they aren't prose. Inline code becomes a word, a link its text."""
    lines, fence = [], ""
    for line in text.split("\n"):
        found = FENCE.match(line)
        lines.append("" if found or fence else line)
        if found and not fence:
            fence = found[1]
        elif found and found[1].startswith(fence):
            fence = ""
    text = re.sub(r"(`+)[^`\n](?:.*?[^`])?\1(?!`)", "Code", "\n".join(lines))  # it may show a "<!--"
    text = re.sub(r"<!--.*?-->", lambda comment: "\n" * comment[0].count("\n"), text, flags=re.S)
    text = re.sub(r"!?\[([^\]\n]*)\](?:\([^)\n]*\)|\[[^\]\n]*\])", r"\1", text)
    return ["" if re.match(r"[\s>]*[|<]|\[[^\]]+\]: \S+$", line) else line for line in text.split("\n")]


def sentences_of(lines: list[str]) -> list[tuple[int, str]]:
    """All sentences outside headings and boxes, each with the line on which it begins."""
    found, paragraph = [], []
    for number, line in enumerate([*lines, ""], 1):
        ends = not line.strip() or re.match(r"\s*[#>]", line)
        if paragraph and (ends or ITEM.match(line)):
            whole, start, first = "\n".join(paragraph), 0, number - len(paragraph)
            for end in [*(gap.end() for gap in SENTENCE_END.finditer(whole)), len(whole)]:
                found.append((first + whole.count("\n", 0, start), whole[start:end].strip()))
                start = end
            paragraph = []
        if not ends:
            paragraph.append(ITEM.sub("", line))
    return [(at, sentence) for at, sentence in found if words_in(sentence)]


def words_in(text: str) -> int:
    return sum(any(map(str.isalnum, word)) for word in text.split())


class Counts:
    """What is counted on a page: for each habit, the lines on which it is found."""

    def __init__(self, text: str):
        lines = prose_of(text)
        sentences = sentences_of(lines)
        lengths = [words_in(sentence) for _, sentence in sentences]

        def lines_with(pattern: str) -> list[int]:
            return [number for number, line in enumerate(lines, 1)
                    for _ in re.findall(pattern, line, re.I)]
        self.words, self.sentences = sum(lengths), len(lengths)
        self.parentheses = [number for number, line in enumerate(lines, 1)
                            for _ in OPENS.findall(line)]
        self.whos = sorted(lines_with(r"\bwhoever\b") + [
            at for at, one in sentences if re.match(r"\W*Who\b", one) and "?" not in one[-3:]])
        self.nobodies = lines_with(r"\b(?:no|some)body\b")
        self.stands = lines_with(r"\b(?:stands?|stood|tells?|told)\b")
        self.dense = {name: sum(len(re.findall(pattern, one.replace("\n", " "))) for _, one in sentences)
                      * 1000 / max(1, self.words) for name, pattern in DENSE.items()}
        self.median = statistics.median(lengths or [0])
        self.long_share = 100 * sum(n > LONG for n in lengths) / max(1, len(lengths))

    def problems(self, name: str) -> list[str]:
        thousands = -(-self.words // 1000)
        found = []
        for lines, allowed, what in [
                (self.parentheses, PARENTHESES, "opens with a parenthesis"),
                (self.whos, 0, '"whoever", or "Who" as a subject'),
                (self.nobodies, NOBODIES * thousands, '"nobody" or "somebody"'),
                (self.stands, STANDS * thousands, '"stand" or "tell"')]:
            if len(lines) > allowed:
                found += [f"{name}:{line}: {what} ({len(lines)} on this page, {allowed} allowed)"
                          for line in lines]
        if self.sentences >= FEW_SENTENCES:
            if not MEDIAN[0] <= self.median <= MEDIAN[1]:
                found.append(f"{name}: the median sentence has {self.median:g} words; "
                             f"{MEDIAN[0]} to {MEDIAN[1]} are right")
            if self.long_share < LONG_SHARE:
                found.append(f"{name}: {self.long_share:.3g} % of the sentences have more than "
                             f"{LONG} words; at least {LONG_SHARE} % should")
        return found

    def row(self, name: str) -> str:
        numbers = [self.words, len(self.parentheses), len(self.whos), len(self.nobodies),
                   len(self.stands), round(self.median), round(self.long_share)]
        return "".join(f"{number:8}" for number in numbers) + self.dense_cells() + f"  {name}"

    def dense_cells(self) -> str:
        return "".join(f"{number:8.1f}" for number in self.dense.values())


def main() -> int:
    arguments = [argument for argument in sys.argv[1:] if argument != "--counts"]
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parents[2]
    pages = {path.relative_to(root).as_posix(): Counts(path.read_text(encoding="utf-8"))
             for path in [root / "README.md", *sorted((root / "book").glob("*.md"))]
             if path.is_file()}
    numbered = [(int(name[5:7]), counts.words) for name, counts in pages.items() if name[5:7].isdigit()]
    parts = {"the story": sum(words for number, words in numbered if number <= 17),
             "what goes further": sum(words for number, words in numbered if number > 17)}
    densest = sorted((sum(counts.dense.values()), name) for name, counts in pages.items()
                     if counts.sentences >= FEW_SENTENCES)
    if "--counts" in sys.argv:
        print("   words       (     who  nobody   stand  median  long %", *(f"{name:>7}" for name in DENSE))
        for name, counts in pages.items():
            print(counts.row(name))
        for part, words in parts.items():
            print(f"{words:8}  words: {part}")
        for _, name in densest[:1]:
            print(f"        fewest naked, so, >35 and chains: {name}")
        return 0
    problems = [problem for name, counts in pages.items() for problem in counts.problems(name)]
    problems += [f"{part} has {words} words; {MOST_WORDS[part]} are allowed"
                 for part, words in parts.items() if words > MOST_WORDS[part]]
    problems += [f"page {number} has {words} words; {MOST_ON_A_PAGE} are allowed"
                 for number, words in numbered if number > 17 and words > MOST_ON_A_PAGE]
    if len(densest) > 1:
        print("signs of density, per thousand words (no fault by themselves; --counts has all pages):")
        print("".join(f"{name:>8}" for name in DENSE))
        for _, name in [densest[0], *densest[:-4:-1]]:
            print(pages[name].dense_cells() + f"  {name}" + "  (the fewest)" * (name == densest[0][1]))
    print("\n".join(problems) or "no page has too much of an old habit")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
