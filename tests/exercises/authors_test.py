#!/usr/bin/env python3
"""For authors: proves that each exercise can be done, and that it helps readers who get it wrong.

    tests/exercises/authors_test.py --build build [--sanitized-build DIR] [NAME...]

For each exercise: its folder is complete; the starting point compiles without warnings and fails in
the test case that test.cpp names, with the message that test.cpp names (or crashes there, if that
is the exercise's point); the solution passes, also under the sanitizers and in the second run of
./learn check; each file in wrong/ compiles, fails, and gets its own hint from what ./learn check
prints. A file that begins with `memory:` passes its tests and gets its hint from that second run.
If there is a trace, it is what the program does today (record.py records it). For all together:
their pages link to them, and the first pages have both kinds.

The files in wrong/ are mistakes that readers make. Each begins with `hint:` and a text that the
reader must then be shown. Most are a NAME.change, which lists what is different from the solution
(or from the starting point, with a line `base: start`) in the form that `changed` describes. If
most of it is different, it is a whole file whose first line is a comment: `// hint: TEXT`.

The steps of the track (track.py) are examined in the same way. In addition: with all solutions, the
crawl finds exactly what is on the practice site, and all rows hold; with one left out, the message
names its file; and each runtime in track/wrong/ fails the row that names what is wrong with it.

This takes minutes, so it's not part of `meson test`; `./learn test --all` runs it. DIR is a build
directory with -Db_sanitize=address,undefined; without it, one is made in .learn/sanitized/.
"""
from __future__ import annotations

import argparse
import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
import yours  # noqa: E402
from answers import MODELS, Broken, Build, Outcome, Trouble, model_for, report, try_answer  # noqa: E402
from course import ROOT, Course, Exercise, Step  # noqa: E402
from memory import look_at_memory  # noqa: E402
from record import comparable, fits_program, record, trace_of  # noqa: E402
from track import assemble  # noqa: E402

STRICT = ("-Werror",)
TIME_LIMIT = 240.0  # more patient than with readers: sanitizers are slow, and cores are shared
QUICK_LINKER = ["-fuse-ld=gold"] if shutil.which("ld.gold") else []  # a third of the time
KINDS = ["predict", "build", "mend"]  # the last: a program that is there, and goes wrong
PAGES_WITH_BOTH_KINDS = ["01", "02", "03", "04"]  # of the first two


def changed(text: str, change: str) -> str:
    """A text with one thing wrong, as a change describes it.

    A change has parts. Each is `--- instead of`, some lines that are in the text exactly once,
    `--- this`, and what takes their place. Anything may come before the first part.
    """
    parts = re.split(r"^--- instead of\n", change, flags=re.M)[1:]
    if not parts:
        raise ValueError("it changes nothing")
    for part in parts:
        old, found, new = part.partition("--- this\n")
        if not found or text.count(old) != 1:
            raise ValueError(f"these lines are not in the text once:\n{old}")
        text = text.replace(old, new)
    return text


def row_alone(tests: str, row: str) -> str:
    """A file of the rows' tests without those of other rows, which take half of the time to compile."""
    return re.sub(r"^TEST_CASE.*?^}\n", lambda case: case[0] if f'"{row}:' in case[0] else "", tests,
                  flags=re.M | re.S)


class Author:
    """Examines exercises; each examination returns the list of its problems."""

    def __init__(self, course: Course, build: Build, sanitized: Build):
        self.course, self.build, self.sanitized = course, build, sanitized

    def examine(self, exercise: Exercise) -> list[str]:
        problems = self.folder(exercise)
        if not problems:
            problems = (self.start(exercise) + self.solution(exercise)
                        + self.wrong_answers(exercise) + self.trace(exercise))
        return problems

    def folder(self, exercise: Exercise) -> list[str]:
        folder, number = exercise.folder, exercise.number
        needed = ["README.md", "hints.md", exercise.start.name, exercise.solution.name, "test.cpp"]
        problems = [f"{name} is missing" for name in needed if not (folder / name).exists()]
        if problems:
            return problems
        readme, hints, test = map(exercise.read, ["README.md", "hints.md", "test.cpp"])
        numbers = re.findall(r"^## Hint (\d+)[ \t]*$", hints, re.M)
        for fine, problem in [
                (readme.startswith(f"# {number} "), f"README.md does not begin with `# {number} Title`"),
                (exercise.kind in KINDS, f"README.md: no `Kind:` line with one of {KINDS}"),
                (exercise.after, "README.md: no line `After page NN.`"),
                (exercise.minutes > 0, "README.md: no line `About N minutes.`"),
                (f"./learn check {number}" in readme, f"README.md does not say ./learn check {number}"),
                (exercise.yours.name in readme, f"README.md does not say which file to edit: {exercise.yours.name}"),
                (len(numbers) >= 2 and numbers == [str(n + 1) for n in range(len(numbers))],
                 "hints.md: needs `## Hint 1`, `## Hint 2`, ..., at least two"),
                (all(exercise.hints), "hints.md: a hint is empty"),
                (self.named(test, "fails in"), "test.cpp: no line `// start fails in: TEST CASE`"),
                (self.named(test, "fails with"), "test.cpp: no line `// start fails with: TEXT`"),
                (self.wrong_files(exercise), "no wrong/*")]:
            if not fine:
                problems.append(problem)
        hints_of = [self.hint(path) for path in self.wrong_files(exercise)]
        problems += [f"wrong/{path.name} does not begin with a line `hint: TEXT` or `memory: TEXT`"
                     for path, text in zip(self.wrong_files(exercise), hints_of) if not text]
        if len(set(hints_of)) < len(hints_of):
            problems.append("two files in wrong/ have the same hint")
        return problems

    @staticmethod
    def named(test: str, what: str) -> str:
        found = re.search(rf"^// start {what}: (\S.*)$", test.split("#include")[0], re.M)
        return found[1].strip() if found else ""

    @staticmethod
    def wrong_files(exercise: Exercise) -> list[Path]:
        return sorted(path for path in (exercise.folder / "wrong").glob("*")
                      if path.suffix in (".change", exercise.suffix))

    @staticmethod
    def hint(wrong: Path) -> str:
        found = re.match(r"(?:// )?(?:hint|memory): (\S.*)", wrong.read_text(encoding="utf-8"))
        return found[1].strip() if found else ""

    @staticmethod
    def fails_later(wrong: Path) -> bool:
        return re.match("(// )?memory: ", wrong.read_text(encoding="utf-8")) is not None

    def answer(self, exercise: Exercise, path: Path) -> Path:
        """The file to try. A step's file is put where it finds the files that it includes."""
        step = isinstance(exercise, Step)
        if not step and path.suffix != ".change":
            return path
        text = exercise.solution_text() if path == exercise.solution else path.read_text(encoding="utf-8")
        if path.suffix == ".change":
            from_start = re.search(r"^base: start$", text, re.M)
            text = changed(exercise.read(exercise.start.name) if from_start else exercise.solution_text(), text)
        name = exercise.file if step else f"{path.stem}.cpp"
        folder = self.course.notes / "authors/answers" / exercise.number / path.stem
        assemble({one.file: one.solution_text() for one in self.course.needed(exercise)} | {name: text}, folder)
        return folder / name

    def work(self, exercise: Exercise, build: Build, answer: Path) -> Path:
        folder = self.course.notes / "authors" / ("plain" if build is self.build else "sanitized")
        folder = folder / exercise.number
        if isinstance(exercise, Step):  # its one test is compiled anew with each answer
            folder /= answer.parent.name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def attempt(self, exercise: Exercise, answer: Path, build: Build, flags=STRICT) -> tuple[Outcome, str]:
        """The outcome of an answer, and what a reader is told about it."""
        work = self.work(exercise, build, answer)
        outcome = try_answer(build, exercise.folder, answer, work, TIME_LIMIT, flags, STRICT)
        return outcome, self.told(exercise, answer, outcome)

    def told(self, exercise: Exercise, answer: Path, outcome: Outcome) -> str:
        return report(self.course.root, f"{exercise.number} {exercise.title}", answer, outcome)

    def second_look(self, exercise: Exercise, answer: Path) -> tuple[Outcome, str]:
        """The same for an answer that has passed."""
        outcome = look_at_memory(self.build, self.course.root, exercise.folder, answer,
                                 self.work(exercise, self.build, answer), TIME_LIMIT)
        return outcome, self.told(exercise, answer, outcome)

    def start(self, exercise: Exercise) -> list[str]:
        outcome, told = self.attempt(exercise, self.answer(exercise, exercise.start), self.build)
        test = exercise.read("test.cpp")
        case, text = self.named(test, "fails in"), self.named(test, "fails with")
        expected = self.named(test, "ends as") or "failed"  # some exercises are about a crash
        if outcome.kind != expected:
            return [f"{exercise.start.name} should end as '{expected}', and it {outcome.kind}:\n{told}"]
        if outcome.case != case:
            return [f"{exercise.start.name} should fail in the test case '{case}':\n{told}"]
        problems = [] if text in told else [f"{exercise.start.name}: a reader is not told '{text}':\n{told}"]
        for wrong in self.wrong_files(exercise):
            if self.hint(wrong) in told or text == self.hint(wrong):
                problems.append(f"{exercise.start.name} gets the hint of wrong/{wrong.name}")
        return problems

    def solution(self, exercise: Exercise) -> list[str]:
        problems, name = [], exercise.solution.name
        answer = self.answer(exercise, exercise.solution)
        for build, how in [(self.build, ""), (self.sanitized, " with sanitizers")]:
            outcome, told = self.attempt(exercise, answer, build)
            if outcome.kind != "passed" or "GCC 12" in told:
                problems.append(f"{name}{how} should pass:\n{told}")
        if not problems:
            outcome, told = self.second_look(exercise, answer)
            if outcome.kind != "passed":
                problems.append(f"{name} should pass the look at its memory:\n{told}")
        return problems

    def wrong_answers(self, exercise: Exercise) -> list[str]:
        problems = []
        for wrong in self.wrong_files(exercise):
            try:
                answer = self.answer(exercise, wrong)
            except ValueError as why:
                problems.append(f"wrong/{wrong.name}: {why}")
                continue
            outcome, told = self.attempt(exercise, answer, self.build, flags=())
            expected = "memory" if self.fails_later(wrong) else "failed"
            if expected == "memory" and outcome.kind == "passed":
                outcome, told = self.second_look(exercise, answer)
            if outcome.kind != expected:
                problems.append(f"wrong/{wrong.name} should end as '{expected}', and it {outcome.kind}:\n{told}")
            elif self.hint(wrong) not in told:
                problems.append(f"wrong/{wrong.name}: a reader is not told '{self.hint(wrong)}':\n{told}")
        return problems

    def trace(self, exercise: Exercise) -> list[str]:
        """The trace that the reader looks at is what the program would record today."""
        if not trace_of(exercise).exists():
            return []
        anew = f"tests/exercises/record.py {exercise.number}"
        if not fits_program(exercise):
            return [f"run.trace was recorded with another program.cpp: {anew}"]
        try:
            fresh = record(exercise, self.build, self.work(exercise, self.build, exercise.start))
        except Trouble as trouble:
            return [str(trouble)]
        recorded = trace_of(exercise).read_text(encoding="utf-8")
        if comparable(fresh) != comparable(recorded):
            return [f"run.trace is not what its program does today: {anew}"]
        return []

    def links(self, exercise: Exercise) -> list[str]:
        """Its page must link to it, as soon as there are pages."""
        pages = sorted((self.course.root / "book").glob("*-*.md"))
        if isinstance(exercise, Step):
            linked = any(f"tests/exercises/{exercise.name}" in page.read_text(encoding="utf-8") for page in pages)
            return [] if linked else [f"orphaned: no page links to tests/exercises/{exercise.name}"]
        own = [page for page in pages
               if re.match(exercise.page.lower() + "[a-z]?-", page.name)]
        if pages and not own:
            return [f"there is no page book/{exercise.page}-*.md"]
        if own and not any(f"tests/exercises/{exercise.name}" in page.read_text(encoding="utf-8")
                           for page in own):
            return [f"orphaned: {own[0].name} does not link to tests/exercises/{exercise.name}"]
        return []

    def kinds(self, page: str) -> list[str]:
        there = {exercise.kind for exercise in self.course.exercises if exercise.page == page}
        return [f"no exercise of kind '{kind}'" for kind in KINDS[:2] if kind not in there]


class Track:
    """Examines the track as a whole; each examination returns the list of its problems."""

    def __init__(self, course: Course, build: Build):
        self.course, self.build = course, build
        self.solutions = {step.file: step.solution_text() for step in course.steps}
        self.table = yours.read_table((yours.GIVEN / "rows.txt").read_text(encoding="utf-8"))
        self.sources = sorted(yours.GIVEN.glob("rows_*.cpp"))

    def examinations(self) -> dict[str, Callable[[], list[str]]]:
        wrong = {f"track, {path.name}": functools.partial(self.convicts, path)
                 for path in sorted((yours.GIVEN / "wrong").glob("*.change"))}
        return {"track: finds all of a site": self.crawls, "track: a file is left out": self.misses,
                "track: all rows hold": self.rows_hold, **wrong}

    def folder(self, name: str, files: dict[str, str]) -> Path:
        """A reader's folder, with the solutions but for these files."""
        folder = self.course.notes / "authors/track" / name
        assemble(self.solutions | files, folder)
        return folder

    def crawls(self) -> list[str]:
        """With all solutions, the demo finds exactly what the site's manifest lists."""
        program = yours.crawler(self.course, self.build, self.folder("all", {}))
        self.build.run_ninja("tests/practice_site/demo")
        run = subprocess.run([self.build.directory / "tests/practice_site/demo", "--pages", "100",
                              f"yours={program} -w 10"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return [f"the demo's verdict:\n{run.stdout[-2000:]}"] if run.returncode else []

    def misses(self) -> list[str]:
        """With one file left out, ./learn yours says which."""
        problems = []
        with tempfile.TemporaryDirectory() as root:
            shutil.copytree(self.course.root / "tests/exercises", Path(root) / "tests/exercises",
                            ignore=shutil.ignore_patterns("yours"))
            for stage in self.course.root.glob("stage*"):
                (Path(root) / stage.name).symlink_to(stage)
            course = Course(Path(root))
            for left_out in course.steps:
                assemble(self.solutions, course.yours)
                left_out.yours.unlink()
                try:
                    yours.run(yours.options_of(["--needs", "program"]), course)
                    said = "nothing"
                except Trouble as trouble:
                    said = str(trouble)
                named = [one.file for one in course.steps if f"yours/{one.file}" in said]
                if named != [left_out.file] or f"./learn check {left_out.number}" not in said:
                    problems.append(f"without {left_out.file}, a reader is told:\n{said}")
        return problems

    def rows_hold(self) -> list[str]:
        tests = "".join(one.read_text(encoding="utf-8") for one in self.sources)
        names = re.findall(r'TEST_CASE\w*\([^"]*"(\w+):', tests)
        rows = self.table.rows()
        program = yours.make(self.course, self.build, "rows", self.sources, [], self.folder("all", {}))
        outcomes = yours.run_rows(program, rows)
        return ([f"{row.name}: no test, or no page {row.page}, or no line on what goes wrong without it" for row in rows
                 if row.name not in names or not yours.page_of(row) or not row.bites]
                + [f"{name}: it's not in rows.txt" for name in names if name not in outcomes]
                + [f"{name} should hold:\n{outcome.headline}" for name, outcome in outcomes.items()
                   if outcome.kind != "passed"])

    def convicts(self, wrong: Path) -> list[str]:
        """A runtime with one idea broken fails the row that names it."""
        text = wrong.read_text(encoding="utf-8")
        file, name = (re.search(rf"^{key}: (\S+)$", text, re.M) for key in ["file", "row"])
        if not file or file[1] not in self.solutions or not name:
            return ["it has no line `file: FILE.h`, or no line `row: ROW`"]
        row = next((one for one in self.table.rows() if one.name == name[1]), None)
        if not row:
            return [f"there is no row {name[1]}"]
        source = next(one for one in self.sources if f'"{row.name}:' in one.read_text(encoding="utf-8"))
        try:
            folder = self.folder(wrong.stem, {file[1]: changed(self.solutions[file[1]], text),
                                              source.name: row_alone(source.read_text(encoding="utf-8"), row.name)})
            source = folder / source.name
            program = yours.make(self.course, self.build, "rows", [source], [], folder)
        except (ValueError, Broken) as why:
            return [f"it is no program: {why}"]
        outcome = yours.run_rows(program, [row])[row.name]
        return [f"{row.name} holds all the same"] if outcome.kind == "passed" else []


def sanitized_build(directory: Path) -> Path:
    if not (directory / "build.ninja").exists():
        print(f"Setting up {directory}", flush=True)
        subprocess.run(["meson", "setup", "-Dbuildtype=debug", "-Db_sanitize=address,undefined",
                        "-Db_lundef=false", "-Dcpp_args=-fno-sanitize-recover=all", directory, ROOT],
                       check=True, stdout=subprocess.DEVNULL)
    return directory


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="an exercise or a page; all, if none")
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--sanitized-build", type=Path)
    options = parser.parse_args()
    os.environ.setdefault("UBSAN_OPTIONS", "halt_on_error=1:print_stacktrace=1")
    course = Course(ROOT)
    try:
        chosen = [one for name in options.names for one in course.select(name)] or course.exercises
        sanitized = options.sanitized_build or sanitized_build(course.notes / "sanitized")
        author = Author(course, Build(options.build), Build(sanitized))
        track = Track(course, author.build)
        for target in {model_for(one.folder) for one in chosen} | {MODELS[0]}:
            for build_of in (author.build, author.sanitized):
                build_of.model(target).linker += QUICK_LINKER
    except Trouble as trouble:
        print(f"{trouble}\n0 passed, 1 failed")
        return 2
    failed = total = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        rows = [(f"{one.number} {one.title}", pool.submit(author.examine, one), author.links(one))
                for one in chosen]
        if not options.names:
            rows += [(f"page {page}: both kinds", pool.submit(author.kinds, page), [])
                     for page in PAGES_WITH_BOTH_KINDS]
        if not options.names or "Y" in options.names:
            rows += [(title, pool.submit(examine), []) for title, examine in track.examinations().items()]
        for title, job, more in rows:
            problems = job.result() + more
            total, failed = total + 1, failed + bool(problems)
            print(f"{title}: {'FAILED' if problems else 'ok'}", flush=True)
            for problem in problems:
                print("    " + problem.rstrip().replace("\n", "\n    "), flush=True)
    print(f"{total - failed} passed, {failed} failed")
    return 1 if failed or not total else 0


if __name__ == "__main__":
    sys.exit(main())
