#!/usr/bin/env python3
"""Tests of character references in attributes: all of HTML's names, and numbers.

The result of `decoded`, which looks each name up once, is compared with the HTML Standard's
states, written here as the Standard describes them, one character at a time. It is also compared
with Python's html.unescape, but only where the rules for attributes make no difference.
"""
from __future__ import annotations

import html
import os
import random
import subprocess
import sys
import unittest
from html.entities import html5
from pathlib import Path

WEB = Path(__file__).resolve().parents[2] / "common/web"
sys.dont_write_bytecode = True
sys.path.insert(0, str(WEB))
import character_names  # noqa: E402

LETTERS_AND_DIGITS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
# The numeric character reference end state's table.
WINDOWS_1252 = {0x80: 0x20AC, 0x82: 0x201A, 0x83: 0x0192, 0x84: 0x201E, 0x85: 0x2026, 0x86: 0x2020, 0x87: 0x2021,
                0x88: 0x02C6, 0x89: 0x2030, 0x8A: 0x0160, 0x8B: 0x2039, 0x8C: 0x0152, 0x8E: 0x017D, 0x91: 0x2018,
                0x92: 0x2019, 0x93: 0x201C, 0x94: 0x201D, 0x95: 0x2022, 0x96: 0x2013, 0x97: 0x2014, 0x98: 0x02DC,
                0x99: 0x2122, 0x9A: 0x0161, 0x9B: 0x203A, 0x9C: 0x0153, 0x9E: 0x017E, 0x9F: 0x0178}


def ours(values: list[str]) -> list[str]:
    given = b"".join(value.encode() + b"\xff" for value in values)
    said = subprocess.run([os.environ["DECODE_VALUES"]], input=given, stdout=subprocess.PIPE, check=True).stdout
    return [value.decode() for value in said.split(b"\xff")[:-1]]


def meant_by(number: int) -> str:
    if number == 0 or number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
        return "\ufffd"
    return chr(WINDOWS_1252.get(number, number))


def numeric_reference(text: str) -> tuple[str, int]:
    """What it means, and its length in the text; 0 if it is no reference. The text begins with "#"."""
    base, at = (16, 2) if text[1:2] in ("x", "X") else (10, 1)
    digits = ""
    while text[at:at + 1] in tuple("0123456789abcdefABCDEF" if base == 16 else "0123456789"):
        digits += text[at]
        at += 1
    if not digits:
        return "", 0
    return meant_by(int(digits, base)), at + text.startswith(";", at)


def named_reference(text: str) -> tuple[str, int]:
    length = next((n for n in range(min(len(text), 40), 0, -1) if text[:n] in html5), 0)
    name, behind = text[:length], text[length:length + 1]
    if name and not name.endswith(";") and (behind == "=" or behind in LETTERS_AND_DIGITS):
        return "", 0
    return html5.get(name, ""), length


def by_the_standard(value: str) -> str:
    result, at = "", 0
    while at < len(value):
        at += 1
        if value[at - 1] == "\0":
            result += "\ufffd"
        elif value[at - 1] != "&":
            result += value[at - 1]
        else:
            rest = value[at:at + 100]
            meant, read = numeric_reference(rest) if rest.startswith("#") else named_reference(rest)
            result += meant if read else "&"
            at += read
    return result


class TheTable(unittest.TestCase):
    def test_matches_what_the_script_generates(self):
        there = (WEB / "character_names_table.h").read_text(encoding="utf-8")
        self.assertEqual(there, character_names.table(), "run common/web/character_names.py (it says how)")

    def test_has_all_names(self):
        self.assertEqual(len(html5), 2231)
        self.assertEqual(sum(name.endswith(";") for name in html5), 2125)


class References(unittest.TestCase):
    maxDiff = 2000

    def compare(self, values: list[str], expected=by_the_standard):
        found = ours(values)
        self.assertEqual(len(found), len(values))
        wrong = [(value, got, expected(value)) for value, got in zip(values, found) if got != expected(value)]
        self.assertEqual(wrong[:10], [])

    def test_every_name_before_every_character_that_matters(self):
        bare = {name.rstrip(";") for name in html5}
        behind = ["", ";", "=", ";=", "a", "Z", "0", "9", ";a", ";0", "&", "-", "/", " ", "\0", "\u00e9", "amp;", "lt"]
        self.compare([f"x&{name}{end}" for name in sorted(bare) for end in behind])

    def test_every_name_cut_short(self):
        starts = {name[:length] for name in html5 for length in range(len(name))}
        self.compare([f"&{start}{end}" for start in sorted(starts) for end in ("", ";", "=", "x", "&")])

    def test_every_name_in_other_case(self):
        self.compare([f"&{change(name)}" for name in html5 for change in (str.upper, str.lower, str.swapcase)])

    def test_python_agrees_about_every_name(self):
        values = [f"&{name}{end}" for name in html5 for end in ("", "&", "<", " ", "\n")]
        values += [f"&{name}{end}" for name in html5 if name.endswith(";") for end in ("=", "a", "0", "-")]
        self.compare(values, html.unescape)

    def test_numbers_at_all_edges(self):
        edges = {0, 0x7F, 0xFF, 0x7FF, 0xD7FF, 0xDFFF, 0xFDCF, 0xFDEF, 0xFFFD, 0x10FFFF, 2**16, 2**31, 2**32, 2**64}
        edges |= {plane + last for plane in range(0, 0x110000, 0x10000) for last in (0xFFFD, 0xFFFF)}
        numbers = {edge + more for edge in edges for more in (-1, 0, 1) if edge + more >= 0} | set(range(0x200))
        forms = ["&#{};", "&#{}", "&#{}=", "&#{}x", "&#{}g;", "&#{}&", "&#000{};", "&#x{:x};", "&#X{:X}", "&#x{:x}=",
                 "&#x{:X}g", "&#x00{:x}-", "&#x{:x};;"]
        self.compare([form.format(number) for number in sorted(numbers) for form in forms])

    def test_text_that_only_looks_like_a_number(self):
        self.compare(["&#", "&#;", "&#x", "&#x;", "&#X;", "&#xg;", "&#a;", "&#-1;", "&# 1;", "&#&#65;", "&#x&#65;",
                      "&#\0;", "&#x\0", "&#xx41;", "&#amp;"])

    def test_zero_bytes(self):
        self.compare(["\0", "a\0b", "\0\0", "&\0", "&amp\0", "&\0amp;", "&am\0p;", "&#6\0;", "&amp;\0&lt;", "\0&"])

    def test_random_combinations(self):
        chance = random.Random(27)
        pieces = ["&", "&", "&", ";", "=", "#", "#x", "\0", "x", "0", "7", "F", " ", "\u00e9", "amp", "not", "in", "copy",
                  "sr", "frac1", "4", "2", "sup", "sub", "e", "lt", "ge", "NewLine", "there", "colon"]
        self.compare(["".join(chance.choices(pieces, k=chance.randint(1, 9))) for _ in range(50_000)])


if __name__ == "__main__":
    unittest.main()
