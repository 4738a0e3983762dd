#!/usr/bin/env python3
"""Runs the reader's own runtime, once all steps of the track are there.

    ./learn yours crawl URL      crawls with it; its options: ./learn yours crawl --help
    ./learn yours demo           crawls the practice site with it and with the stages
    ./learn yours check          tests it against the table of promises, row by row
    ./learn yours bench          measures it beside our runtime and asyncio

The program around the crawler and the table of rows are given, in track/; the rows' tests are those of
the steps.
Build products go to .learn/yours/.
"""
from __future__ import annotations

import argparse
import copy
import os
import re
import signal
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

sys.dont_write_bytecode = True
from answers import MODELS, Broken, Build, Outcome, Trouble, judge_build, judge_run, report, run_limited  # noqa: E402
from course import ROOT, Course, Step  # noqa: E402
from terminal import bold, green, quoted, red, say, width  # noqa: E402
from track import SAME, assemble, needed_files, solution_text  # noqa: E402

GIVEN = Path(__file__).resolve().parent / "track"
NEEDS = {  # our targets that must be built
    "crawl": [MODELS[0]],
    "program": [MODELS[0]],
    "check": [MODELS[0]],
    "bench": [MODELS[0], "tests/bench/runtime_bench"],
}
ROW_LIMIT = 5.0  # seconds for a row


def given(course: Course) -> Path:
    """A folder with the given files that are the book's, as they fit to the reader's."""
    folder = course.notes / "yours/given"
    assemble({path.name: solution_text(path, ROOT) for path in GIVEN.glob("*.*")
              if SAME.search(path.read_text(encoding="utf-8"))}, folder)
    return folder


def make(course: Course, build: Build, name: str, sources: list[Path], flags: list[str],
         yours: Path | None = None) -> Path:
    """Builds a program from given sources and the reader's headers, or those in the folder `yours`.

    Throws Broken.
    """
    model = build.model(MODELS[0])
    model = model.with_flags(flags) if flags else copy.copy(model)
    model.compiler = [*model.compiler, f"-I{yours or course.yours}", f"-I{given(course)}"]
    work = course.notes / "yours" / (name if yours is None else f"{name}-{yours.name}")
    work.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        made = list(pool.map(lambda source: model.compile(source, work, []), sources))
    model.link(work / name, [target for target, _ in made])
    return work / name


def crawler(course: Course, build: Build, yours: Path | None = None) -> Path:
    return make(course, build, "crawl", [given(course) / "crawl_main.cpp"], ["-O2"], yours)


# ---- The rows ---------------------------------------------------------------------------


@dataclass
class Row:
    """A promise: what holds, which page explains it, and what goes wrong without it."""
    name: str
    page: str
    text: str
    bites: str = ""


@dataclass
class Table:
    """The rows, in parts."""
    parts: dict[str, list[Row]] = field(default_factory=dict)

    def rows(self) -> list[Row]:
        return [row for part in self.parts.values() for row in part]


def read_table(text: str) -> Table:
    """Reads rows.txt, whose first lines explain its format."""
    table, row = Table(), None
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        found = re.match(r"([A-Z]+\d+) +(\w+) +(\S.*)", line)
        if found:
            row = Row(*found.groups())
            table.parts[next(reversed(table.parts))].append(row)
        elif line.startswith(" ") and row:
            row.bites = f"{row.bites} {line.strip()}".strip()
        else:
            table.parts[line.strip()] = []
    return table


def run_rows(program: Path, rows: list[Row], limit: float = ROW_LIMIT) -> dict[str, Outcome]:
    """The outcome of each row. They run side by side, each in its own process."""
    def run(row: Row) -> Outcome:
        return judge_run(*run_limited(program, limit, f"{row.name}:*"), limit)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip([row.name for row in rows], pool.map(run, rows)))


def rows_tests(course: Course) -> list[Path]:
    """The tests of the steps: their cases are named after the rows."""
    return [step.folder / "test.cpp" for step in course.steps]


def rows_of(test: Path) -> list[str]:
    return re.findall(r'TEST_CASE\w*\([^"]*"(\w+):', test.read_text(encoding="utf-8"))


def check(course: Course, build: Build) -> bool:
    table = read_table((GIVEN / "rows.txt").read_text(encoding="utf-8"))
    tests = {step: test for step, test in zip(course.steps, rows_tests(course)) if step.yours.is_file()}
    known = {name for test in tests.values() for name in rows_of(test)}
    program = make(course, build, "rows", list(tests.values()), [])
    outcomes = run_rows(program, [row for row in table.rows() if row.name in known])
    for part, rows in table.parts.items():
        say(f"\n{bold(part)}")
        for row in rows:
            if row.name in outcomes:
                tell_row(row, outcomes[row.name])
        if rows[0].name not in outcomes:
            say("  left out, since a file isn't there: ./learn list shows which")
    hold = sum(outcome.kind == "passed" for outcome in outcomes.values())
    say(f"\n{hold} of {len(outcomes)} rows hold." + (
        " That is everything a runtime this small has to promise." if hold == len(outcomes) else
        "\nStart with the first that fails; those below it may fail for the same reason."))
    return hold == len(outcomes)


def page_of(row: Row) -> Path | None:
    return next((ROOT / "book").glob(f"{row.page.lower()}-*.md"), None)


def tell_row(row: Row, outcome: Outcome):
    if outcome.kind == "passed":
        say(f"  {row.name:4} {green('holds')}  {row.text}")
        return
    page = page_of(row)
    say(f"  {row.name:4} {red('fails')}  {bold(row.text)}")
    what = {"crashed": "It crashed, perhaps because of a row above.",
            "late": f"It was stopped after {ROW_LIMIT:g} s."}.get(outcome.kind, "")
    for words in filter(None, [f"Without it: {row.bites}", what]):
        say(textwrap.fill(words, width(), initial_indent=" " * 13, subsequent_indent=" " * 15))
    for line in [line for line in [*outcome.told.splitlines(), *outcome.details]
                 if line.strip() and outcome.kind == "failed"][:6]:
        say(quoted([line.replace(f"{ROOT}/", "")], 13))
    say(f"{' ' * 13}Explained in: {page.relative_to(ROOT) if page else f'page {row.page}'}")


# ---- The others -------------------------------------------------------------------------


def bench(course: Course, build: Build) -> int:
    program = make(course, build, "bench", [GIVEN / "bench.cpp"], ["-O2"])
    return subprocess.call([sys.executable, str(ROOT / "tests/bench/runtime_bench.py"), str(build.directory),
                            "--yours", str(program)])


def steps_for(command: str, course: Course) -> list[Step]:
    """The steps whose files a command needs. The crawler doesn't use the generator, and its rows may be left out."""
    texts = {step.file: step.solution_text() for step in course.steps}
    used = needed_files((GIVEN / "bench.cpp").read_text(encoding="utf-8") if command == "bench" else
                        f'#include "{course.steps[-1].file}"\n', texts)
    return [step for step in course.steps if step.file in used]


def run(options: argparse.Namespace, course: Course) -> int:
    if options.command in ("check", "bench") and options.arguments:
        raise Trouble(f"yours {options.command} does not know '{options.arguments[0]}'")
    course.require_files(steps_for(options.command, course), "Your runtime")
    if options.needs:
        say(*NEEDS[options.command])
        return 0
    build = Build(options.build)
    if options.command == "check":
        return 0 if check(course, build) else 1
    if options.command == "bench":
        return bench(course, build)
    program = crawler(course, build)
    if options.command == "program":  # the demo asks for its path
        say(program.relative_to(course.root))
        return 0
    sys.stdout.flush()
    os.execv(program, ["yours", *options.arguments])


def options_of(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./learn yours", description="Your own runtime.", add_help=False)
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--needs", action="store_true", help="only name the targets to build first")
    parser.add_argument("command", choices=NEEDS)
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    options = options_of(arguments)
    try:
        return run(options, Course())
    except Broken as broken:
        say(report(ROOT, "Your runtime", None, judge_build(*broken.args, f"{Course().yours}/")))
        return 1
    except (Trouble, OSError) as trouble:
        say(f"learn: {trouble}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # ./learn yours check | head
    sys.exit(main(sys.argv[1:]))
