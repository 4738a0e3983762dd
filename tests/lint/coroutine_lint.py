#!/usr/bin/env python3
"""Finds the forms of co_await and co_yield that g++ 12 compiles wrongly.

    tests/lint/coroutine_lint.py -p BUILD FILE... [-- FLAGS...]

BUILD is a build directory of clang++'s, whose compile_commands.json tells how each FILE is
compiled, by itself or together with others; or give the compiler's flags after `--`. Headers of
this repository are looked into, wherever they are included. Each finding is a line: what is
wrong, and what to write instead.

Exit status: 0, nothing found; 1, something found; 2, a file could not be checked.

g++ 12.2 makes programs of these forms that crash, or destroy an object twice, though the code is
right (GCC bugs 106188, 99576, 101367; mended in 13). clang-query shows us how clang has
understood the code; a pattern for each form finds it there.
"""
from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Names for patterns. OURS: in a file of this repository. HERE: in the function that is looked at,
# and not in a lambda in it. BARE: a temporary that owns something and is made without a constructor
# or a function, from bare braces, parentheses or a lambda: that's what is copied bit by bit, and
# destroyed twice.
LET = """
let OURS allOf(unless(isExpansionInSystemHeader()), forCallable(functionDecl(hasBody(coroutineBodyStmt())).bind("function")))
let HERE forCallable(functionDecl(equalsBoundNode("function")))
let AWAIT expr(anyOf(coawaitExpr(), coyieldExpr()), HERE)
let HAS expr(anyOf(AWAIT, hasDescendant(AWAIT)))
let BARE cxxBindTemporaryExpr(has(expr(unless(anyOf(callExpr(), cxxConstructExpr(), coawaitExpr(), coyieldExpr(), conditionalOperator(), implicitCastExpr())))), HERE)
"""

# A form's name: how to find it, and what to say of it.
FORMS = {
    "condition": (
        "stmt(OURS, anyOf(ifStmt(hasCondition(HAS)), whileStmt(hasCondition(HAS)), "
        "doStmt(hasCondition(HAS)), forStmt(hasCondition(HAS)), switchStmt(hasCondition(HAS))))",
        "co_await or co_yield in a condition: put its value into a const local first, and test that",
    ),
    "conditional": (
        "conditionalOperator(OURS, hasDescendant(AWAIT))",
        "co_await or co_yield inside ?: (put its value into a const local first, or write an if)",
    ),
    "temporary": (
        "exprWithCleanups(OURS, hasDescendant(AWAIT), hasDescendant(BARE))",
        "an aggregate or a lambda that owns something is made in an expression that waits: "
        "give it a name on a line of its own first",
    ),
    "braces": (
        "initListExpr(OURS, hasDescendant(AWAIT))",
        "co_await or co_yield in braces: put its value into a const local first",
    ),
}


class Unchecked(Exception):
    """A file could not be checked; the message says why."""


def query(tool: str, files: list[str], options: list[str]) -> set[tuple[str, int, int, str]]:
    """The findings in some files, as (path, line, column, form)."""
    commands = [line for line in LET.splitlines() if line]
    commands += ["set bind-root false", "set output diag"]
    commands += [f'm {pattern}.bind("{form}")' for form, (pattern, _) in FORMS.items()]
    arguments = [tool]
    for command in commands:
        arguments += ["-c", command]
    try:
        run = subprocess.run(arguments + options[:2] + files + options[2:], capture_output=True,
                             text=True, errors="replace")
    except FileNotFoundError:
        raise Unchecked(f"{tool} is not installed: it comes with clang-tools-19") from None
    wrong = [line for line in (run.stdout + run.stderr).splitlines()
             if re.search(r"\berror: |^Error |Matcher not found|^\d+:\d+: ", line)]
    if wrong or run.returncode != 0:
        raise Unchecked("\n".join(["clang does not understand the code:"] + wrong[:10]))
    found = re.findall(rf'^([^:\n]+):(\d+):(\d+): note: "({"|".join(FORMS)})" binds here', run.stdout, re.M)
    # The compiler is told paths from where it runs: the build directory.
    return {(os.path.normpath(Path(options[1], path) if options[0] == "-p" else path), int(line), int(column), form)
            for path, line, column, form in found}


def units(build: Path, paths: list[str]) -> list[str]:
    """The files that the compiler is given so that it compiles these: themselves, or one that
    includes several of them (meson's unity builds)."""
    known = build / "compile_commands.json"
    if not known.is_file():
        raise Unchecked(f"{known} is not there: set up a build directory with clang++ first")
    wanted, chosen = set(paths), []
    for entry in json.loads(known.read_text()):
        unit = Path(entry["directory"], entry["file"])
        parts = {os.path.normpath(unit)}
        if "-unity" in unit.name and unit.is_file():
            parts = {os.path.normpath(path) for path in re.findall("#include ?<(.*)>", unit.read_text())}
        if parts & wanted:  # what is compiled for two programs is still looked at once
            wanted -= parts
            chosen.append(str(unit))
    if wanted:
        raise Unchecked(f"{min(wanted)} is not compiled by {build}: give the flags after --")
    return chosen


def lint(tool: str, build: str | None, files: list[str], flags: list[str]) -> list[tuple[str, int, int, str]]:
    """The findings in all files and in this repository's headers that they include."""
    paths = [str(Path(file).resolve()) for file in files]
    if build:
        options = ["-p", os.path.abspath(build)]
        paths = units(Path(build), paths)
    else:
        options = ["--extra-arg=-w", "--extra-arg=-w", "--", *flags]
    cores = os.cpu_count() or 1
    # Several files for each process: to start one costs as much as to look through a small file.
    groups = [group for i in range(4 * cores) if (group := paths[i::4 * cores])]
    with ThreadPoolExecutor(cores) as pool:
        found = set().union(*pool.map(lambda group: query(tool, group, options), groups))
    return sorted(found)


def main() -> int:
    parser = argparse.ArgumentParser(description="Finds the co_await forms that g++ 12 gets wrong.")
    parser.add_argument("-p", dest="build", help="a build directory of clang++'s")
    parser.add_argument("--clang-query", default="clang-query-19", metavar="COMMAND")
    parser.add_argument("files", nargs="+", metavar="FILE")
    arguments = sys.argv[1:]
    flags = []
    if "--" in arguments:
        flags = arguments[arguments.index("--") + 1:]
        arguments = arguments[:arguments.index("--")]
    options = parser.parse_args(arguments)
    if not options.build and not flags:
        parser.error("say how the files are compiled: -p BUILD, or flags after --")
    try:
        findings = lint(options.clang_query, options.build, options.files, flags)
    except Unchecked as error:
        print(f"coroutine_lint: {error}", file=sys.stderr)
        return 2
    for path, line, column, form in findings:
        print(f"{os.path.relpath(path, ROOT)}:{line}:{column}: {form}: {FORMS[form][1]}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
