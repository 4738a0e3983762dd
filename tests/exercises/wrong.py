"""What an answer looks like that is not right: the file wrong.txt in an exercise's folder.

A part of exercises.py. The file is made of sections. The first, `start`, is what the reader begins
with; the others are mistakes that readers make, and what they must then be shown:

    == start
    fails in: TEST CASE
    fails with: TEXT
    -    lines of our answer
    +    lines that are there instead

    == NAME
    hint: TEXT
         a line that stays, where that is needed to tell which of two alike lines is meant
    -    lines of our answer
    +    lines that are there instead

After an empty line, more lines of the same answer are changed. What is left out is as in our answer;
with `base: NAME` as in another section, and with `base: nothing` there is nothing else. A start that
doesn't end as `failed` says so: `ends as: crashed`. `memory: TEXT` instead of `hint: TEXT` means that
the tests pass, and that the second look at the answer finds it. To write such lines by program:
authors_test.py --compare.
"""
from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, field
from pathlib import Path

from questions import Malformed

FILE = "wrong.txt"
KEY = re.compile(r"(hint|memory|base|fails in|fails with|ends as|file|row): (.*)")


@dataclass
class Section:
    name: str
    keys: dict[str, str] = field(default_factory=dict)
    changes: list[tuple[str, str]] = field(default_factory=list)  # what is replaced, and by what

    def applied(self, base: str) -> str:
        """The answer. Throws Malformed if lines that are replaced aren't there, or are there twice."""
        if not self.changes:
            raise Malformed(f"{self.name}: it changes nothing")
        if self.keys.get("base") == "nothing":
            return self.changes[0][1]
        text = "\n" + base
        for old, new in self.changes:
            if len(re.findall(f"(?=\n{re.escape(old)})", text)) != 1:
                raise Malformed(f"{self.name}: these lines are not there exactly once:\n{old}")
            text = text.replace("\n" + old, "\n" + new)
        return text[1:]


def read(text: str) -> dict[str, Section]:
    """The sections by name. Throws Malformed."""
    found: dict[str, Section] = {}
    before, *parts = re.split(r"^== ", text, flags=re.M)
    if before.strip():
        raise Malformed(f"these lines are before any section:\n{before.strip()}")
    for part in parts:
        name, _, rest = part.partition("\n")
        if name in found:
            raise Malformed(f"{name}: it is there twice")
        section = found[name] = Section(name)
        for block in re.split(r"\n{2,}", rest.strip("\n")):
            lines = block.splitlines()
            while lines and not section.changes and KEY.match(lines[0]):
                key, value = KEY.match(lines.pop(0)).groups()
                section.keys[key] = value
            if any(line[0] not in " -+" for line in lines):
                raise Malformed(f"{name}: a line has no key, and begins with none of `-`, `+` and a space")
            if lines:
                section.changes.append(("".join(line[1:] + "\n" for line in lines if line[0] in " -"),
                                        "".join(line[1:] + "\n" for line in lines if line[0] in " +")))
    return found


def answer(found: dict[str, Section], name: str, ours: str) -> str:
    """The answer of a section; `ours` is our answer, on which it is based unless it says otherwise.
    Throws Malformed."""
    others = {one: section for one, section in found.items() if one != name}  # so a circle is found
    base = found[name].keys.get("base", "nothing")
    if base != "nothing" and base not in others:
        raise Malformed(f"{name}: its base {base} is no other section, or based on this one")
    return found[name].applied(ours if base == "nothing" else answer(others, base, ours))


def of_folder(folder: Path) -> dict[str, Section]:
    path = folder / FILE
    try:
        return read(path.read_text(encoding="utf-8")) if path.exists() else {}
    except (Malformed, UnicodeDecodeError) as why:
        raise Malformed(f"{folder.name}/{FILE}: {why}") from None


# ---- Writing one ------------------------------------------------------------------------


def compared(base: str, wrong: str) -> str:
    """The lines of a section that makes one text of another. Throws Malformed if none can."""
    old, new = base.splitlines(), wrong.splitlines()
    if not old or old == new:
        raise Malformed("there is nothing to compare" if not old else "both are the same")
    hunks = [[first[1], last[2], first[3], last[4]] for first, *_, last in (
        (op, op) for op in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if op[0] != "equal")]
    done: list[list[int]] = []
    for hunk in hunks:
        while not is_unique(old, hunk):  # a line more above, or, at the top, below
            hunk = [hunk[0] - 1, hunk[1], hunk[2] - 1, hunk[3]] if hunk[0] else [0, hunk[1] + 1, 0, hunk[3] + 1]
        while done and done[-1][1] >= hunk[0]:
            hunk = [done[-1][0], hunk[1], done[-1][2], hunk[3]]
            done.pop()
        done.append(hunk)
    text = "\n".join(told(old[a:b], new[c:d]) for a, b, c, d in done)
    if read(f"== it\n{text}")["it"].applied(base) != wrong:
        raise Malformed("the last line may have no end")
    return text


def is_unique(lines: list[str], hunk: list[int]) -> bool:
    wanted = lines[hunk[0]:hunk[1]]
    return bool(wanted) and sum(lines[at:at + len(wanted)] == wanted for at in range(len(lines))) == 1


def told(old: list[str], new: list[str]) -> str:
    """One change. An empty line that stays is told as one that goes and one that comes."""
    lines: list[str] = []
    for what, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        stays = what == "equal" and all(old[a:b])
        lines += [f" {line}" for line in old[a:b]] if stays else [f"-{line}" for line in old[a:b]]
        lines += [] if stays else [f"+{line}" for line in new[c:d]]
    return "".join(line + "\n" for line in lines)
