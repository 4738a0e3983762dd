#!/usr/bin/env python3
"""Names the places in tests that may wait for more than half a second, and don't say why.

    tests/lint/sleeps.py [ROOT]

In Python, these are calls of `sleep(X)` and `wait(X)`, of whatever object, where X is a number or
a name that the file binds to one. In strings of Python and C++ it's `sleep X`, a command of the
shell. If X exceeds half a second, there must be a comment: on the line, or on the one above. A
command may also have it where its string begins, and a name where it is bound.

`wait` is included, although an event usually ends it: the code doesn't show whether one comes.
Tests that `./learn test` leaves out may wait as they like: see OTHERS. How long a C++ test itself
waits is counted while it runs: see tests/support/waits.h.
Exit status: 0, nothing found; 1, something found.
"""
from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from pathlib import Path
from typing import Iterator

LONGEST = 0.5  # seconds
# What isn't in the suites of `./learn test` without a name.
OTHERS = ["bench", "book", "exercises", "fuzz", "lint", "setup", "stage3/program/reports_test.py", "stage3/redis",
          "stage3/shared_frontier", "stage3/state"]
COMMAND = re.compile(r"\bsleep\s+(\d+\.?\d*|\.\d+)([smhd]?)(?![\w.])")
UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
CPP_TOKEN = re.compile(r'(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<string>R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*")'
                       r"|'(?:\\.|[^'\\\n])'", re.S)
Place = tuple[int, int, str]  # where its string begins or its name is bound, its own line, what it does


def commands(string: str, line: int) -> Iterator[Place]:
    for found in COMMAND.finditer(string):
        if float(found[1]) * UNITS[found[2]] > LONGEST:
            yield line, line + string.count("\n", 0, found.start()), found[0]


def in_cpp(text: str) -> tuple[set[int], list[Place]]:
    comments, places = set(), []
    for found in CPP_TOKEN.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        if found["comment"]:
            comments.update(range(line, line + found[0].count("\n") + 1))
        elif found["string"]:
            places += commands(found[0], line)
    return comments, places


def in_python(text: str) -> tuple[set[int], list[Place]]:
    comments = {token.start[0] for token in tokenize.generate_tokens(io.StringIO(text).readline)
                if token.type == tokenize.COMMENT}
    tree = ast.parse(text)
    numbers = {target.id: node.value for node in ast.walk(tree)
               if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
               for target in node.targets if isinstance(target, ast.Name)}
    places: list[Place] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            places += commands(node.value, node.lineno)
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name not in ("sleep", "wait"):
            continue
        for given in [*node.args[:1], *(word.value for word in node.keywords if word.arg == "timeout")]:
            number = numbers.get(given.id) if isinstance(given, ast.Name) else given
            value = getattr(number, "value", None)
            if isinstance(value, (int, float)) and value > LONGEST:
                places.append((number.lineno, node.lineno, f"{name}({ast.unparse(given)})"))
    return comments, places


def problems(root: Path) -> list[str]:
    found = []
    tests = root / "tests"
    for path in sorted(tests.rglob("*")):
        if path.suffix not in (".py", ".cpp", ".h") or any(path.is_relative_to(tests / other) for other in OTHERS):
            continue
        text = path.read_text(encoding="utf-8")
        comments, places = (in_python if path.suffix == ".py" else in_cpp)(text)
        found += [f"{path.relative_to(root)}:{line}: {what} may take longer than half a second, and no "
                  "comment here or on the line above says why"
                  for first, line, what in sorted(places, key=lambda place: place[1])
                  if not comments & {first - 1, first, line - 1, line}]
    return found


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    found = problems(root)
    print("\n".join(found) or "each long wait has its reason")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
