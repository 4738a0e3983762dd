"""An exercise of the kind "predict", as data: the file questions.txt in its folder.

A part of exercises.py. From that file come the header that has the questions (questions.h), what the
reader's file begins with, our answer, and the test (test.cpp). The file is made of blocks, with an
empty line between two:

    yours: TEXT              what yours.cpp begins with
    answers: TEXT            what all questions have in common (may be left out, as may the next three)
    why: TEXT                the comment at the top of our answer
    // TEXT                  what the next questions have in common; `yours // TEXT`: the same, in yours.cpp
    constexpr int yes = 1;   and other C++, up to the empty line: for answers that are words
    case TITLE: a b c        a test case, and its questions by name

    a = 7                    a question's name and its answer
    ? TEXT                   the question
    because: TEXT            a comment on the answer, in ours
    if 3 4: TEXT             advice for readers who answer 3 or 4
    ! TEXT                   advice for those who answer something else

A text goes on in the next line if that is indented. What the header declares is defined in program.cpp: `run_program`
finds the true answers. With a run.trace in the folder, `read_trace` in truth.cpp finds them there.
"""
from __future__ import annotations

import json
import re
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

FILE, HEADER_FILE = "questions.txt", "questions.h"
WIDTH = 88
LINE = re.compile(r"(yours //|//|\?|!|(?:yours|answers|why|because|case .+?|if .+?):(?= |$)|\w+ =) *(.*)")
VALUE = re.compile(r"-?\d+|\w+(::\w+)*")  # a number, or a name
NAMES = {"yours //": "group_of_yours", "//": "group", "?": "text", "!": "advice", "because:": "because"}

HEADER = """\
// The questions. program.cpp finds the true answers; yours.cpp holds what you predict.
// (./learn check makes this file, so write nothing here.)
#pragma once

/// A question that you have not answered.
constexpr int unanswered = -1;
{code}
{answers}struct Answers {{
{members}}};

/// What you think. Defined in yours.cpp.
extern const Answers prediction;

/// Finds the true answers. Defined in program.cpp.
Answers run_program();
"""

HEADER_OF_TRACE = """\
// The questions. They are about run.trace; yours.cpp holds what you have found in it.
// (./learn check makes this file, so write nothing here.)
#pragma once

namespace common {{
class Tracer;
}}

/// A question that you have not answered.
constexpr int unanswered = -1;
{code}
{answers}struct Answers {{
{members}}};

/// What you have found. Defined in yours.cpp.
extern const Answers found_by_reader;

/// What was recorded. Defined in program.cpp.
void play(common::Tracer& tracer);

/// The true answers, taken from run.trace. Defined in truth.cpp.
Answers read_trace();
"""


@dataclass
class Question:
    name: str
    answer: str
    text: str = ""
    because: str = ""
    advice: str = ""
    advice_if: list[tuple[list[str], str]] = field(default_factory=list)
    group: str = ""           # a comment before it in the header
    group_of_yours: str = ""  # and in the reader's file


@dataclass
class Questions:
    yours: str = ""
    answers: str = ""
    why: str = ""
    code: list[str] = field(default_factory=list)
    cases: list[tuple[str, list[str]]] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    of_trace: bool = False


class Malformed(Exception):
    """What is wrong with a questions.txt, or with a wrong.txt."""


def read(text: str, of_trace: bool = False) -> Questions:
    """Throws Malformed."""
    found = Questions(of_trace=of_trace)
    group: dict[str, str] = {}
    whole = set()  # keys that a file has once
    for block in re.split(r"\n{2,}", text.strip("\n")):
        if block.startswith(("constexpr ", "namespace ", "/// ")):
            found.code.append(block)
            continue
        one, seen = None, set()
        for key, value in parts_of(block):
            if key in seen or (key in NAMES and not one and NAMES[key] in group):
                raise Malformed(f"{key} is there twice, so the first would be lost; indent what goes on: {value}")
            seen.add(key)
            if key.endswith(" ="):
                one = Question(key[:-2], value, **group)
                group = {}
                found.questions.append(one)
            elif key in ("yours:", "answers:", "why:") and not one:
                if key in whole:
                    raise Malformed(f"{key} is there twice, so the first would be lost: {value}")
                whole.add(key)
                setattr(found, key[:-1], value)
            elif key in ("//", "yours //") and not one:
                group[NAMES[key]] = value
            elif key.startswith("case "):
                found.cases.append((key[len("case "):-1], value.split()))
            elif one and key.startswith("if "):
                one.advice_if.append((key[len("if "):-1].split(), value))
            elif one and key in NAMES:
                setattr(one, NAMES[key], value)
            else:
                raise Malformed(f"this is in a wrong place: {key} {value}")
    if group:
        raise Malformed(f"no question comes after this: {' '.join(group.values())}")
    judge(found)
    return found


def parts_of(block: str) -> list[tuple[str, str]]:
    """The keys of a block, each with its text."""
    parts: list[tuple[str, str]] = []
    for line in block.splitlines():
        start = LINE.fullmatch(line)
        if start:
            parts.append((start[1], start[2].strip()))
        elif parts and line.startswith("  "):
            parts[-1] = (parts[-1][0], f"{parts[-1][1]} {line.strip()}")
        else:
            raise Malformed(f"this line begins with no key, and isn't indented: {line}")
    return parts


def judge(found: Questions):
    names = [one.name for one in found.questions]
    asked = [name for _, questions in found.cases for name in questions]
    if not names or sorted(asked) != sorted(names) or len(set(names)) < len(names):
        raise Malformed(f"each question must be there once, and in one case: {' '.join(sorted({*names} ^ {*asked}) or asked)}")
    for title, questions in found.cases:
        if not questions:
            raise Malformed(f"the case {title} has no questions")
    for one in found.questions:
        values = [value for several, _ in one.advice_if for value in several]
        for value in [one.answer, *values]:
            if not VALUE.fullmatch(value):
                raise Malformed(f"{one.name}: neither a number nor a name: {value}")
        if len(set(values)) < len(values):
            raise Malformed(f"{one.name}: two pieces of advice for one value")
        if not one.advice:
            raise Malformed(f"{one.name} has no advice for a wrong answer")
        if one.answer in values:
            raise Malformed(f"{one.name}: there is advice for the true answer")


# ---- What is made of it -----------------------------------------------------------------


def comment(text: str, mark: str = "//", indent: str = "") -> str:
    """A text as a comment, in lines of 88 characters at most."""
    return "".join(line + "\n" for line in textwrap.wrap(
        text, WIDTH, initial_indent=f"{indent}{mark} ", subsequent_indent=f"{indent}{mark} ",
        break_long_words=False, break_on_hyphens=False)) if text else ""


def header(found: Questions) -> str:
    members = "".join(("\n" if one.group and one is not found.questions[0] else "") + comment(one.group, "//", "    ")
                      + comment(one.text, "///", "    ") + f"    int {one.name} = unanswered;\n" for one in found.questions)
    code = "".join(f"\n{block}\n" for block in found.code)
    return (HEADER_OF_TRACE if found.of_trace else HEADER).format(
        code=code, answers=comment(found.answers, "///"), members=members)


def answer_file(found: Questions, comments: str, values: dict[str, str], of_us: bool = False) -> str:
    """A file with these answers, and the comments of ours or of the reader's file."""
    lines = []
    for at, one in enumerate(found.questions):
        lines += ["\n"] * (at > 0 and bool(one.group_of_yours))
        lines += [comment(one.because if of_us else one.group_of_yours, "//", "    "), f"    .{one.name} = {values[one.name]},\n"]
    name = "found_by_reader" if found.of_trace else "prediction"
    return f'{comment(comments)}#include "questions.h"\n\nconst Answers {name} = {{\n{"".join(lines)}}};\n'


def start(found: Questions) -> str:
    return answer_file(found, found.yours, {one.name: "unanswered" for one in found.questions})


def solution(found: Questions) -> str:
    return answer_file(found, found.why, {one.name: one.answer for one in found.questions}, of_us=True)


def quoted(text: str) -> str:
    """A text as C++ writes it."""
    return json.dumps(text, ensure_ascii=False)


def test(found: Questions, place: str) -> str:
    """The test. A check that fails names the line of the header (at `place`) that has the question."""
    lines = header(found).splitlines()
    parts = "found_by_reader, read_trace" if found.of_trace else "prediction, run_program"
    reader = parts.split(",")[0]
    text = ('#include "questions.h"\n#include "tests/support/prediction.h"\n\n#include <doctest/doctest.h>\n\n'
            f"static const tests::Questions check({parts});\n")
    by_name = {one.name: one for one in found.questions}
    for title, names in found.cases:
        checks = []
        for name in names:
            one, line = by_name[name], lines.index(f"    int {name} = unanswered;") + 1
            advice = "".join(f"{reader}.{name} == {value} ? {quoted(text)} : "
                             for values, text in one.advice_if for value in values) + quoted(one.advice)
            checks.append(f'#line {line} {quoted(place)}\n    check("{name}", &Answers::{name}, {advice});\n')
        text += f'\n{checks[0].splitlines()[0]}\nTEST_CASE({quoted(title)}) {{\n{"".join(checks)}}}\n'
    return text


def of_folder(folder: Path) -> Questions:
    """The questions of an exercise. Throws Malformed."""
    try:
        return read((folder / FILE).read_text(encoding="utf-8"), (folder / "run.trace").exists())
    except (Malformed, UnicodeDecodeError) as why:
        raise Malformed(f"{folder.name}/{FILE}: {why}") from None


def write(path: Path, text: str) -> Path:
    """Leaves a file alone that has its text already, so that nothing is compiled again. There is never half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_bytes() != text.encode():
        new = path.with_name(path.name + ".new")
        new.write_text(text, encoding="utf-8")
        new.replace(path)
    return path


def make(folder: Path, into: Path) -> Path:
    """Makes the header and the test; returns the folder that has them."""
    found = of_folder(folder)
    for place in [into, *[folder] * (folder / HEADER_FILE).exists()]:  # the reader's comes first where programs look
        write(place / HEADER_FILE, header(found))
    write(into / "exercise.h", '#include "questions.h"\n')  # its name in older files of readers
    write(into / "test.cpp", test(found, str(folder / "questions.h")))
    return into
