#!/usr/bin/env python3
"""For authors: proves that each exercise can be done, and that it helps readers who get it wrong.

    tests/exercises/authors_test.py --build build [--sanitized-build DIR] [NAME...]
    tests/exercises/authors_test.py --compare NAME FILE    how FILE differs from our answer, for wrong.txt

For each exercise: its folder is complete (README.md here says of what); what the reader begins with
compiles without warnings and fails in the test case that wrong.txt names, with the message that
wrong.txt names (or crashes there, if that is the exercise's point); the solution passes, also under the
sanitizers and in the second run of ./learn check; each wrong answer compiles, fails, and gets its own
hint from what ./learn check prints, or from the second run if it has `memory:`. For an exercise with
questions: our answers are what the program finds, and each wrong answer gets its advice. If there is a
trace, it is what the program does today (record.py records it). For all together: their pages link to
them, and the first pages have both kinds.

The steps of the track (track.py) are examined in the same way. In addition: with all solutions, the
crawl finds exactly what is on the practice site, and all rows hold; with one left out, the message
names its file; and each runtime in track/wrong.txt fails the row that names what is wrong with it.

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
import questions  # noqa: E402
import wrong  # noqa: E402
import yours  # noqa: E402
from answers import MODELS, Broken, Build, Outcome, Trouble, model_for, report, run_limited, try_answer  # noqa: E402
from course import ROOT, Course, Exercise, Step  # noqa: E402
from memory import look_at_memory  # noqa: E402
from record import comparable, fits_program, record, trace_of  # noqa: E402
from track import assemble  # noqa: E402

os.environ["COLUMNS"] = "1000"  # what a reader is told is compared in one piece
STRICT = ("-Werror",)
TIME_LIMIT = 240.0  # more patient than with readers: sanitizers are slow, and cores are shared
QUICK_LINKER = ["-fuse-ld=gold"] if shutil.which("ld.gold") else []  # a third of the time
KINDS = ["predict", "build", "mend"]  # the last: a program that is there, and goes wrong
PAGES_WITH_BOTH_KINDS = ["01", "02", "03", "04"]  # of the first two


def row_alone(tests: str, row: str) -> str:
    """A step's test without the cases of other rows, which take half of the time to compile."""
    return re.sub(r"^TEST_CASE.*?^}\n", lambda case: case[0] if f'"{row}:' in case[0] else "", tests,
                  flags=re.M | re.S)


def hint_of(section: wrong.Section) -> str:
    return section.keys.get("hint") or section.keys.get("memory", "")


def other_than(one: questions.Question) -> str:
    """A number for which there is no advice of its own. (It may be a word's: words stand for small numbers.)"""
    return next(str(value) for value in range(9000, 9999) if str(value) != one.answer)


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
        needed = (["README.md", "questions.txt", "program.cpp"] if exercise.predicts else
                  ["README.md", f"solution{exercise.suffix}", "test.cpp", wrong.FILE])
        problems = [f"{name} is missing" for name in needed if not (folder / name).exists()]
        if problems:
            return problems
        readme = exercise.read("README.md")
        numbers = re.findall(r"^<details><summary>Hint (\d+)</summary>$", readme, re.M)
        for fine, problem in [
                (readme.startswith(f"# {number} "), f"README.md does not begin with `# {number} Title`"),
                (exercise.kind in KINDS, f"README.md: no `Kind:` line with one of {KINDS}"),
                (exercise.predicts == (exercise.kind == KINDS[0]), f"{questions.FILE} is for the kind {KINDS[0]}"),
                (exercise.after, "README.md: no line `After page NN.`"),
                (exercise.minutes > 0, "README.md: no line `About N minutes.`"),
                (f"./learn check {number}" in readme, f"README.md does not say ./learn check {number}"),
                (exercise.yours.name in readme, f"README.md does not say which file to edit: {exercise.yours.name}"),
                (len(numbers) == len(exercise.hints) >= 2 and numbers == [str(n + 1) for n in range(len(numbers))],
                 "README.md: needs `<details><summary>Hint 1</summary>`, `Hint 2`, ..., at least two"),
                (all(exercise.hints), "README.md: a hint is empty")]:
            if not fine:
                problems.append(problem)
        try:
            return problems + (questions.of_folder(folder) and [] if exercise.predicts else self.sections(exercise))
        except (questions.Malformed) as why:
            return [*problems, str(why)]

    @staticmethod
    def sections(exercise: Exercise) -> list[str]:
        """What is wrong with wrong.txt."""
        found = wrong.of_folder(exercise.folder)
        start, others = found.pop("start", wrong.Section("start")), [*found.values()]
        hints = [hint_of(one) for one in others]
        return ([f"{wrong.FILE}: the start has no line `{key}: TEXT`" for key in ("fails in", "fails with")
                 if not start.keys.get(key)]
                + [f"{wrong.FILE}: {one.name} has no line `hint: TEXT` or `memory: TEXT`"
                   for one, hint in zip(others, hints) if not hint]
                + ["two wrong answers have the same hint"] * (len(set(hints)) < len(hints))
                + [f"{wrong.FILE}: there is no wrong answer"] * (not others))

    def answer(self, exercise: Exercise, name: str, text: str) -> Path:
        """A file with this answer. A step's is put where it finds the files that it includes."""
        folder = self.course.notes / "authors/answers" / exercise.number / name
        file = exercise.file if isinstance(exercise, Step) else f"{name}.cpp"
        assemble({one.file: one.solution_text() for one in self.course.needed(exercise)} | {file: text}, folder)
        return folder / file

    def start_of(self, exercise: Exercise) -> Path:
        return self.answer(exercise, "start", exercise.start_text())

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
        outcome, told = self.attempt(exercise, self.start_of(exercise), self.build)
        if exercise.predicts:
            title, names = questions.of_folder(exercise.folder).cases[0]
            keys, hints = {"fails in": title, "fails with": f"{names[0]} is not answered yet"}, {}
        else:
            found = wrong.of_folder(exercise.folder)
            keys = found.pop("start").keys
            hints = {name: hint_of(one) for name, one in found.items()}
        expected, case, text = keys.get("ends as", "failed"), keys["fails in"], keys["fails with"]
        if outcome.kind != expected:  # some exercises are about a crash
            return [f"the start should end as '{expected}', and it {outcome.kind}:\n{told}"]
        if outcome.case != case:
            return [f"the start should fail in the test case '{case}':\n{told}"]
        problems = [] if text in told else [f"at the start, a reader is not told '{text}':\n{told}"]
        return problems + [f"the start gets the hint of {name}" for name, hint in hints.items()
                           if hint in told or hint == text]

    def solution(self, exercise: Exercise) -> list[str]:
        problems = []
        answer = self.answer(exercise, "solution", exercise.solution_text())
        for build, how in [(self.build, ""), (self.sanitized, " with sanitizers")]:
            outcome, told = self.attempt(exercise, answer, build)
            if outcome.kind != "passed" or "GCC 12" in told:
                problems.append(f"the solution{how} should pass:\n{told}")
        if not problems:
            outcome, told = self.second_look(exercise, answer)
            if outcome.kind != "passed":
                problems.append(f"the solution should pass the look at its memory:\n{told}")
        return problems

    def wrong_answers(self, exercise: Exercise) -> list[str]:
        if exercise.predicts:
            return self.predictions(exercise)
        problems = []
        found = wrong.of_folder(exercise.folder)
        for name, section in found.items():
            if name == "start":
                continue
            try:
                answer = self.answer(exercise, name, wrong.answer(found, name, exercise.solution_text()))
            except wrong.Malformed as why:
                problems.append(str(why))
                continue
            outcome, told = self.attempt(exercise, answer, self.build, flags=())
            expected = "memory" if "memory" in section.keys else "failed"
            if expected == "memory" and outcome.kind == "passed":
                outcome, told = self.second_look(exercise, answer)
            if outcome.kind != expected:
                problems.append(f"{name} should end as '{expected}', and it {outcome.kind}:\n{told}")
            elif hint_of(section) not in told:
                problems.append(f"{name}: a reader is not told '{hint_of(section)}':\n{told}")
        return problems

    def predictions(self, exercise: Exercise) -> list[str]:
        """Each wrong value gets its advice. They are tried together: in each round, all answers are wrong."""
        asked = questions.of_folder(exercise.folder).questions
        tries = {one.name: [(value, text) for values, text in one.advice_if for value in values]
                 + [(other_than(one), one.advice)] for one in asked}
        problems = []
        for turn in range(max(map(len, tries.values()))):
            chosen = {name: several[min(turn, len(several) - 1)] for name, several in tries.items()}
            text = questions.answer_file(questions.of_folder(exercise.folder), "",
                                         {name: value for name, (value, _) in chosen.items()})
            answer = self.answer(exercise, f"wrong{turn}", text)
            outcome, told = self.attempt(exercise, answer, self.build)
            if outcome.kind != "failed":
                problems.append(f"wrong numbers should end as 'failed', and they {outcome.kind}:\n{told}")
                continue
            program = self.work(exercise, self.build, answer) / f"test-{answer.stem}"
            printed = " ".join(run_limited(program, TIME_LIMIT)[0].split())  # all cases, not only the first
            problems += [f"for {name} = {value}, a reader is not told: {advice}" for name, (value, advice) in chosen.items()
                         if not re.search(rf"{name} is not -?\d+: {re.escape(' '.join(advice.split()))}", printed)]
        return problems

    def trace(self, exercise: Exercise) -> list[str]:
        """The trace that the reader looks at is what the program would record today."""
        if not trace_of(exercise).exists():
            return []
        anew = f"tests/exercises/record.py {exercise.number}"
        if not fits_program(exercise):
            return [f"run.trace was recorded with another program.cpp: {anew}"]
        try:
            fresh = record(exercise, self.build, self.start_of(exercise), self.work(exercise, self.build, self.start_of(exercise)))
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
        self.sources = yours.rows_tests(course)
        yours.given(course)  # before examinations run side by side

    def examinations(self) -> dict[str, Callable[[], list[str]]]:
        convicted = {f"track, {name}": functools.partial(self.convicts, section)
                     for name, section in wrong.of_folder(yours.GIVEN).items()}
        return {"track: finds all of a site": self.crawls, "track: a file is left out": self.misses,
                "track: all rows hold": self.rows_hold, **convicted}

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
                    command = "bench" if left_out is course.steps[0] else "program"  # a crawler needs no generator
                    yours.run(yours.options_of(["--needs", command]), course)
                    said = "nothing"
                except Trouble as trouble:
                    said = str(trouble)
                named = [one.file for one in course.steps if f"yours/{one.file}" in said]
                if named != [left_out.file] or f"./learn check {left_out.number}" not in said:
                    problems.append(f"without {left_out.file}, a reader is told:\n{said}")
        return problems

    def rows_hold(self) -> list[str]:
        tests = [set(yours.rows_of(one)) for one in self.sources]
        names = [name for found in tests for name in found]
        rows = self.table.rows()
        program = yours.make(self.course, self.build, "rows", self.sources, [], self.folder("all", {}))
        outcomes = yours.run_rows(program, rows, TIME_LIMIT)
        return ([f"{row.name}: not in one step's test, or no page {row.page}, or no line on what goes wrong without it"
                 for row in rows if names.count(row.name) != 1 or not yours.page_of(row) or not row.bites]
                + [f"{name}: it's not in rows.txt" for name in names if name not in outcomes]
                + [f"{name} should hold:\n{outcome.headline}" for name, outcome in outcomes.items()
                   if outcome.kind != "passed"])

    def convicts(self, section: wrong.Section) -> list[str]:
        """A runtime with one idea broken fails the row that names it."""
        file, name = section.keys.get("file"), section.keys.get("row")
        if file not in self.solutions or not name:
            return ["it has no line `file: FILE.h`, or no line `row: ROW`"]
        row = next((one for one in self.table.rows() if one.name == name), None)
        if not row:
            return [f"there is no row {name}"]
        source = next(one for one in self.sources if f'"{row.name}:' in one.read_text(encoding="utf-8"))
        try:
            folder = self.folder(section.name, {file: section.applied(self.solutions[file]),
                                                source.name: row_alone(source.read_text(encoding="utf-8"), row.name)})
            source = folder / source.name
            program = yours.make(self.course, self.build, "rows", [source], [], folder)
        except (wrong.Malformed, Broken) as why:
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


def compare(name: str, file: str) -> int:
    try:
        print(wrong.compared(Course(ROOT).one(name).solution_text(), Path(file).read_text(encoding="utf-8")), end="")
    except (Trouble, OSError, wrong.Malformed) as why:
        print(f"authors_test.py: {why}", file=sys.stderr)
        return 1
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="an exercise or a page; all, if none")
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--sanitized-build", type=Path)
    parser.add_argument("--compare", nargs=2, metavar=("NAME", "FILE"), help="print lines for wrong.txt")
    options = parser.parse_args()
    if options.compare:
        return compare(*options.compare)
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
    except (Trouble, questions.Malformed) as trouble:
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
