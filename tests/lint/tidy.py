#!/usr/bin/env python3
"""Runs clang-tidy over files of the repository, each by itself, and reports each finding once.

    tests/lint/tidy.py BUILD WORK FILE...

BUILD is a build directory set up with -Dunity=off, so that each file that doesn't include all that
it uses is found. In WORK, a plugin is made of this folder's C++ files (see there), and what follows.

Half of the time would go into reading the same headers of the system's again and again. So sets of
them are precompiled, and each file gets one that has nothing in it that the file doesn't include
anyway, itself or in headers of ours. But these come before its first line, so a header of ours
that relies on its includer goes unnoticed here. arrows.py looks for these.
"""
from __future__ import annotations

import functools
import itertools
import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
PLUGIN = ("own_code", "coroutine_forms", "lent_temporaries")
JUDGE = ROOT / "tests/stage3/lifetime_traps/judge.py"  # knows what must be found in wrong.cpp there
# The headers that take longest to read.
HEAVY = frozenset("""algorithm chrono coroutine doctest/doctest.h filesystem fmt/core.h fstream functional map
    memory mutex optional random sstream string thread unordered_map vector""".split())
COST = 2  # the cost of a set: as much as it saves for this many files
DEFINED_BY_TIDY = "-D__clang_analyzer__=1"
# In tests, the static analyzer follows calls only into small functions. It would take half of the time
# otherwise, for paths that the sanitizers run anyway.
SHALLOW = ["-Xclang", "-analyzer-config", "-Xclang", "mode=shallow"]


@functools.cache
def includes(file: Path) -> tuple[frozenset[str], frozenset[str]]:
    """Those of the system, and ours."""
    found = re.findall(r'^#include ([<"])(\S+)[>"]', file.read_text(encoding="utf-8"), re.M)
    return tuple(frozenset(name for mark, name in found if mark == kind) for kind in '<"')


def heavy_headers(file: Path) -> frozenset[str]:
    """Those that a file includes by name, itself or in headers of ours."""
    result, todo, seen = set(), [file], set()
    while todo:
        one = todo.pop()
        if one in seen or not one.exists():
            continue
        seen.add(one)
        theirs, ours = includes(one)
        result |= theirs
        todo += [folder / name for name in ours for folder in (ROOT, one.parent)]
    return HEAVY & result


def best(sets: list[frozenset[str]], needs: frozenset[str]) -> frozenset[str]:
    """The largest set that has nothing but what is needed."""
    return max((one for one in sets if one <= needs), key=len, default=frozenset())


def choose_sets(needs: list[frozenset[str]]) -> list[frozenset[str]]:
    """Takes the set that saves most, until none saves more than it costs."""
    sets: list[frozenset[str]] = []
    candidates = sorted({one & other for one, other in itertools.product(set(needs), repeat=2)}, key=sorted)
    while candidates:
        had = [(one, len(best(sets, one))) for one in needs]
        saved, chosen = max((sum(max(0, len(new) - old) for one, old in had if new <= one) - COST * len(new), new)
                            for new in candidates)
        if saved <= 0:
            break
        sets.append(chosen)
    return sets


def options(command: str) -> list[str]:
    """A compiler's command, less its files. (To share headers, all are compiled as if for one program, and
    optimized alike.)
    And less ccache: a set that it kept was made of another file, with another time in it."""
    words = iter(shlex.split(command))
    kept = []
    for word in words:
        if not kept and Path(word).name == "ccache":
            continue
        if word in ("-MQ", "-MF", "-o", "-c"):
            next(words)
        elif word not in ("-MD", "-fPIC", "-pthread") and not re.match("-fsanitize|-O", word):
            kept.append(word)
    return [*kept, "-pthread"]


def precompile(work: Path, number: int, headers: frozenset[str], command: list[str]) -> Path:
    source = work / f"headers{number}.h"
    source.write_text("".join(f"#include <{name}>\n" for name in sorted(headers)))
    made = source.with_suffix(".pch")
    plain = [word for word in command if not word.startswith("-I")]  # no folder of ours
    subprocess.run([*plain, DEFINED_BY_TIDY, "-x", "c++-header", source, "-o", made], check=True)
    return made


def make_plugin(work: Path) -> Path:
    """All its files as one: it's their headers that take long."""
    flags = subprocess.run(["llvm-config-19", "--cxxflags"], check=True, stdout=subprocess.PIPE, text=True).stdout
    source, made = work / "plugin.cpp", work / "plugin.so"
    source.write_text("".join(f'#include "{FOLDER}/{name}.cpp"\n' for name in PLUGIN))
    subprocess.run(["clang++-19", *flags.split(), "-w", "-fPIC", "-shared", source, "-o", made], check=True)
    return made


def run(command: list) -> tuple[int, str]:
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace")
    return done.returncode, done.stdout


def findings(outputs: list[str]) -> str:
    """Each finding once, though every file that includes a header finds what is wrong in it; and no
    notes, which describe the long way to a finding. If there is no finding, what else is wrong."""
    seen, kept, on = set(), [], False
    for line in "".join(outputs).splitlines():
        if re.search(r"(^|: )(fatal )?(error|warning): ", line):
            on = line not in seen
            seen.add(line)
        elif re.search(r": note: |^\d+ (warning|error)s? .*generated", line):
            on = False
        if on:
            kept.append(line)
    return "\n".join(kept) or "".join(outputs)


def main(build: Path, work: Path, names: list[str]) -> int:
    os.nice(19)  # it runs beside tests, which should be quick
    work.mkdir(parents=True, exist_ok=True)
    entries = {}  # a file that is compiled for several programs is still looked at once
    for entry in json.loads((build / "compile_commands.json").read_text()):
        entries[Path(os.path.normpath(Path(entry["directory"], entry["file"])))] = options(entry["command"])
    for file in map(ROOT.joinpath, names):  # what this build leaves out is compiled like its neighbours
        neighbours = [command for other, command in entries.items() if other.parent == file.parent]
        entries.setdefault(file, neighbours[0] if neighbours else next(iter(entries.values())))
    # The biggest first, or one core would be busy with them long after the others.
    files = sorted((ROOT / name for name in names), key=lambda file: file.stat().st_size, reverse=True)
    needs = {file: heavy_headers(file) for file in files}
    sets = choose_sets(list(needs.values()))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        plugin = pool.submit(make_plugin, work)
        command = next(iter(entries.values()))
        made = dict(zip(sets, pool.map(lambda at: precompile(work, at, sets[at], command), range(len(sets)))))
        database = []
        for file, command in entries.items():
            if file.is_relative_to(ROOT / "tests"):
                command = [*command, *SHALLOW]
            headers = best(sets, needs.get(file, frozenset()))
            if headers:
                command = [*command, "-Xclang", "-include-pch", "-Xclang", str(made[headers])]
            database.append({"directory": str(build.resolve()), "file": str(file),
                             "arguments": [*command, "-c", str(file)]})
        (work / "compile_commands.json").write_text(json.dumps(database))
        tidy = ["clang-tidy-19", f"--load={plugin.result()}", "--quiet", "--warnings-as-errors=*", "-p", work]
        tests = [pool.submit(run, [sys.executable, FOLDER / "plugin_test.py", plugin.result()]),
                 pool.submit(run, [sys.executable, JUDGE, "lint", *tidy])]
        jobs = [pool.submit(run, [*tidy, file]) for file in files]
        wrong = [text for status, text in (job.result() for job in jobs) if status != 0]
        wrong_tests = [text for status, text in (job.result() for job in tests) if status != 0]
    print(findings(wrong), *wrong_tests, sep="\n")
    return 1 if wrong or wrong_tests else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]))
