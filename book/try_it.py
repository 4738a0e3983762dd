"""A program of the book and all that it includes, as one text, in a link that opens it in the browser.

The link leads to Compiler Explorer, which compiles the text and shows what the program prints. The whole
text is in the link: nothing is stored anywhere, and nothing is fetched until a reader clicks. weave.py
puts these links at the foot of a page, and the site puts each below the output of its program.

Which programs have a link is a rule, not a list. A page shows what the program prints, and that is
checked; its command is `build/FOLDER/NAME ARGUMENTS` and no more; it needs no socket, and no library but
fmt; and the link has at most LONGEST characters. If it has more, the comments of all files but the
program's own are left out.

What a program includes is found by its `#include "..."` lines; beside a header, the source of that name
counts too. A file in STAND_INS takes the place of the one with the same path, and of its source: with a
smaller one that does the same, a program may be short enough.

Compiler Explorer's docs/API.md (GET /clientstate) tells the form of a link: JSON, packed with zlib, in
base64. Its lib/clientstate.ts tells what the JSON may hold, and etc/config/c++.amazon.properties the
names of compilers and libraries: these are Debian 12's. That godbolt.org opens our links has not been
tried: no test of ours reaches the network. tests/book/try_it_test.py compiles and runs what they hold.
"""
from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path

SITE = "https://godbolt.org/clientstate/"
LONGEST = 8_000  # characters of a link; some servers on the way refuse more than 8,192
COMPILER = {"id": "g122", "options": "-std=c++20 -O2", "libs": [{"name": "fmt", "ver": "910"}]}
STAND_INS = "book/stand_ins"

COMMAND = re.compile(r"build/([\w/]+)/(\w+)((?: [\w.:/=-]+)*)")
INCLUDE = re.compile(r'#include "([^"]+)"(?:\s*//.*)?')
SYSTEM_INCLUDE = re.compile(r"#include (<[^>]+>)(?:\s*//.*)?")
# What isn't there: other libraries than C++'s, the system's and fmt; and sockets.
NOT_THERE = re.compile(r"<(?!fmt/|sys/)[^>]*/|<(sys/(socket|un)|netdb|zlib|sqlite3|liburing|libpsl|gnutls)\.h>")
OURS = re.compile(r"#(ifdef|ifndef) (?:ON|WITH)_[A-Z_]+")  # defined only if meson.build says so: not here
RAW_STRING = re.compile(r'(?:\b|u8|[uUL])R"')
NOISE = re.compile(r"#pragma once|// \[/?[a-z0-9_-]+\]|// NOLINT.*")
COMMENT = re.compile(r"^[ \t]*//.*\n|[ \t]+//(?: |/).*$", re.M)

SECTION = re.compile(r"\n<!-- try -->\n.*?<!-- /try -->\n", re.S)
DEFINED = re.compile(r"\[`([^`\]]+)`\]\[(try-\d+)\]")


class NotToTry(Exception):
    """This program can't have a link. The message says why."""


# ---- The text ---------------------------------------------------------------------------

class WholeProgram:
    """All files that a program consists of, and the system's headers."""

    def __init__(self, root: Path, sources: list[str]):
        self.root, self.sources = root, sources
        self._system: set[str] = set()
        self._files: dict[str, tuple[str, str]] = {}  # of each path, what stands above it, and its text
        self._begun: set[str] = set()
        self._to_come = list(sources)
        while self._to_come:
            self._add(self._to_come.pop(0))

    def _add(self, path: str) -> None:
        if path in self._begun:
            return
        self._begun.add(path)
        file, title = self.root / path, path.split("/")[-1]
        stand_in = self.root / STAND_INS / path
        source = re.sub(r"\.h$", ".cpp", path)
        if stand_in.is_file():
            file, title = stand_in, f"{title}, a smaller stand-in"
        elif (self.root / source).is_file() and source != path:
            self._to_come.append(source)
        if not file.is_file():
            raise NotToTry(f"there is no {path}")
        lines, conditions = [], 0
        for line in without_ours(file.read_text(encoding="utf-8").split("\n")):
            word = line.strip()
            conditions += word.startswith("#if") - word.startswith("#endif")
            if found := INCLUDE.fullmatch(word):
                self._add(found[1])
            elif re.match(r"#\s*include\b", word) and not SYSTEM_INCLUDE.fullmatch(word):
                raise NotToTry(f"{path} has an include that isn't understood: {word}")
            elif (found := SYSTEM_INCLUDE.fullmatch(word)) and NOT_THERE.match(found[1]):
                raise NotToTry(f"{path} includes {found[1]}")
            elif found and not conditions:
                self._system.add(found[1])
            elif not NOISE.fullmatch(word):
                lines.append(without(re.compile(r"\s+// NOLINT.*"), line))
        self._files[path] = title, "\n".join(lines)  # after the files that it includes

    def text(self, name: str, comments: bool) -> str:
        """The program's own sources are its end; `comments` tells whether the other files keep theirs."""
        about = [f"// {name}, and all that it includes, in one file. The program itself is at the end."]
        if not comments:
            about.append("// The comments of the other files are left out: they would make the link too long.")
        parts = []
        for path in sorted(self._files, key=lambda path: path in self.sources):
            title, text = self._files[path]
            if not comments and path not in self.sources:
                text = without(COMMENT, text)
            parts.append(f"// ==== {title} ====\n\n{text.strip()}")
        includes = [f"#include {header}" for header in sorted(self._system)]
        whole = "\n\n".join(["\n".join(about), "\n".join(includes), *parts])
        return re.sub(r"\n{3,}", "\n\n", whole) + "\n"


def without(comments: re.Pattern, text: str) -> str:
    """A text without these comments. Throws NotToTry if what looks like one may be in a string."""
    if comments is COMMENT and RAW_STRING.search(text):
        raise NotToTry("a raw string may hold what looks like a comment")

    def nothing(found: re.Match) -> str:
        before = text[text.rfind("\n", 0, found.start()) + 1:found.start()]
        if re.sub(r"\\.|'\"'", "", before).count('"') % 2:
            raise NotToTry(f"a string holds what looks like a comment: {before.strip()}{found[0]}")
        return ""
    return comments.sub(nothing, text)


def without_ours(lines: list[str]) -> list[str]:
    """The lines that are left if no macro of ours is defined. Throws NotToTry if its conditions don't match."""
    kept, open_ = [], []  # of each condition: None if it isn't ours, else whether its lines are kept
    for line in lines:
        if line.startswith(("#else", "#elif", "#endif")) and not open_:
            raise NotToTry(f"this belongs to no #if: {line}")
        if line.startswith("#elif") and open_[-1] is not None:
            raise NotToTry(f"this isn't understood after one of our macros: {line}")
        if found := OURS.match(line):
            open_.append(found[1] == "ifndef")
        elif line.startswith("#if"):
            kept += [line] * (False not in open_)
            open_.append(None)
        elif line.startswith("#else") and open_[-1] is not None:
            open_[-1] = not open_[-1]
        elif line.startswith("#endif") and open_.pop() is not None:
            pass
        elif False not in open_:
            kept.append(line)
    if open_:
        raise NotToTry("an #if has no #endif")
    return kept


# ---- The link ---------------------------------------------------------------------------

def state_of(text: str, arguments: str) -> dict:
    """What Compiler Explorer is to show: the text, and beside it what the program prints."""
    runs = {"compiler": COMPILER, "compilerVisible": True, "compilerOutputVisible": True,
            "argumentsVisible": bool(arguments), "arguments": arguments}
    return {"sessions": [{"id": 1, "language": "c++", "compilers": [], "source": text, "executors": [runs]}]}


def link_to(state: dict) -> str:
    """The links to one program with other arguments have the same beginning, so a page with several of
    them compresses well."""
    whole = json.dumps(state, separators=(",", ":")).encode()
    at = whole.index(b',"executors":')  # what is in the text has backslashes before its quotes
    packer = zlib.compressobj(9)
    packed = packer.compress(whole[:at]) + packer.flush(zlib.Z_SYNC_FLUSH)
    packed += packer.compress(whole[at:]) + packer.flush()
    return SITE + base64.urlsafe_b64encode(packed).decode().rstrip("=")


def state_in(link: str) -> dict:
    """What a link holds; {} if it can't be read."""
    code = link.removeprefix(SITE)
    try:
        return json.loads(zlib.decompress(base64.urlsafe_b64decode(code + "=" * (-len(code) % 4))))
    except (ValueError, zlib.error):
        return {}


class Tries:
    """The links to the programs of a repository."""

    def __init__(self, root: Path):
        self.root = root
        self._programs: dict[str, WholeProgram | NotToTry] = {}

    def link(self, command: str, old: dict[str, str]) -> tuple[str, str]:
        """What a reader sees of the command, and the link. An old one that holds a right text stays:
        another zlib would pack the same differently. Throws NotToTry."""
        asked = COMMAND.fullmatch(command)
        if not asked:
            raise NotToTry("it's more than a program and its arguments")
        folder, name, arguments = asked[1], asked[2], asked[3].strip()
        program, shown = self._program(folder, name), f"{name} {arguments}".strip()
        texts, why = [program.text(name, comments=True)], ""
        try:
            texts.append(program.text(name, comments=False))
        except NotToTry as kept:
            why = f"; its comments stay: {kept}"
        states = [state_of(text, arguments) for text in texts]
        links = [old[shown]] if state_in(old.get(shown, "")) in states else map(link_to, states)
        for link in links:
            if len(link) <= LONGEST:
                return shown, link
        raise NotToTry(f"the link would have {len(link)} characters{why}")

    def _program(self, folder: str, name: str) -> WholeProgram:
        key = f"{folder}/{name}"
        if key not in self._programs:
            try:
                self._programs[key] = WholeProgram(self.root, self._sources(folder, name))
            except NotToTry as why:
                self._programs[key] = why
        found = self._programs[key]
        if isinstance(found, NotToTry):
            raise found
        return found

    def _sources(self, folder: str, name: str) -> list[str]:
        """As the folder's meson.build says."""
        file = self.root / folder / "meson.build"
        text = file.read_text(encoding="utf-8") if file.is_file() else ""
        found = re.search(rf"\bexecutable\(\s*'{name}',((?:\s*'[^']+\.cpp',)+)", text)
        if not found:
            raise NotToTry(f"{folder}/meson.build names no sources of it")
        return [f"{folder}/{source}" for source in re.findall(r"'([^']+)'", found[1])]


# ---- On a page --------------------------------------------------------------------------

def section(links: dict[str, str]) -> str:
    """What stands at a page's foot: in one line, as small print; and below it, where it leads."""
    names = [f"[`{name}`][try-{at}]" for at, name in enumerate(links, 1)]
    targets = [f"[try-{at}]: {link}" for at, link in enumerate(links.values(), 1)]
    return "\n".join(["", "<!-- try -->", f"<sub>Run it on godbolt.org: {' · '.join(names)}</sub>", "", *targets,
                      "<!-- /try -->", ""])


def links_in(text: str) -> dict[str, str]:
    """The links at a page's foot: what a reader sees of each, and where it leads."""
    found = SECTION.search(text)
    targets = dict(re.findall(r"^\[(try-\d+)\]: (\S+)$", found[0], re.M)) if found else {}
    return {name: targets[label] for name, label in DEFINED.findall(found[0] if found else "") if label in targets}


def with_links(text: str, links: dict[str, str]) -> str:
    """A page's text with these links at its foot, and no others."""
    before, turn, after = text.partition("\n<!-- turn -->\n")
    bare = SECTION.sub("", before)
    if links:
        bare = bare.rstrip("\n") + "\n" + section(links)
    return bare + turn + after
