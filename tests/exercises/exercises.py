#!/usr/bin/env python3
"""The exercises of the book: checks a reader's answers, gives hints, keeps the progress.

This is what ./learn calls; a reader types:

    ./learn check             check the next exercise that is not done
    ./learn check 02          check all exercises of page 02; ./learn check 02.2: that one
    ./learn hint [02.2]       one more hint
    ./learn solution 02.2     our answer, and how yours differs (--give-up: before yours passes)
    ./learn list              all exercises, and which of them are done
    ./learn reset 02.2        start over (your file is kept beside the new one)
    ./learn watch [02.2]      check again whenever you save, and go on to the next when it passes

An exercise is a folder here. The reader edits yours.cpp, which begins as a copy of start.cpp,
and test.cpp tells whether it's right; answers.py compiles, runs and judges them, and memory.py
looks once more, with sanitizers, at what has passed. What is made
on the way is in .learn/exercises/, what is done in .learn/progress. The exit status is 0 if all
that was checked has passed, 1 if not, and 2 if there is no such exercise, or no way to check it.
"""
from __future__ import annotations

import argparse
import difflib
import fcntl
import functools
import re
import signal
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

sys.dont_write_bytecode = True  # no __pycache__ beside the sources
from answers import (FOLDER, Build, Outcome, Trouble, bold, count, green, model_for, painted, report,  # noqa: E402
                     state, try_answer)
from memory import look_at_memory  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
TIME_LIMIT = 10.0  # seconds for a test program
POLL = 0.3         # seconds between two looks of `watch`

say = functools.partial(print, flush=True)


# ---- What there is, and what is done ----------------------------------------------------


class Exercise:
    def __init__(self, folder: Path):
        self.folder, self.name = folder, folder.name
        self.number = folder.name.split("-")[0]  # 03.2: the second of page 03
        self.page = self.number.split(".")[0]
        self.start, self.yours = folder / "start.cpp", folder / "yours.cpp"
        readme = self.read("README.md")
        self.title = self.find(r"^# \S+ (.+)$", readme)
        self.kind = self.find(r"^Kind: (\w+)\s*$", readme)
        self.minutes = int(self.find(r"^About (\d+) minutes?\.", readme) or 0)
        parts = re.split(r"^## Hint \d+[ \t]*\n", self.read("hints.md"), flags=re.M)
        self.hints = [part.strip() for part in parts[1:]]

    def read(self, file: str) -> str:
        path = self.folder / file
        return path.read_text(encoding="utf-8") if path.exists() else ""

    @staticmethod
    def find(pattern: str, text: str) -> str:
        found = re.search(pattern, text, re.M)
        return found[1].strip() if found else ""


class Course:
    """All exercises of a repository, and how far its reader has come."""

    def __init__(self, root: Path = ROOT):
        self.root, self.notes = root, root / ".learn"
        self.exercises = [Exercise(folder) for folder in sorted((root / FOLDER).iterdir())
                          if folder.is_dir() and re.match(r"\d\d\.\d-", folder.name)]

    def select(self, word: str) -> list[Exercise]:
        """The exercise with this number or name (or path, as a shell completes it), or a page's."""
        name = Path(word).name
        found = [one for one in self.exercises
                 if name.lower() in (one.name.lower(), one.number.lower(), one.page.lower())]
        if not found:
            numbers = " ".join(one.number for one in self.exercises)
            raise Trouble(f"There is no exercise or page '{word}'. There are: {numbers}")
        return found

    def one(self, word: str | None) -> Exercise | None:
        """The exercise of that name; without one, the next that is not done, if any is left."""
        if not word:
            return self.next()
        found = self.select(word)
        if len(found) > 1:
            raise Trouble(f"Which one of page {word}? There are: "
                          + " ".join(one.number for one in found))
        return found[0]

    def next(self, after: Exercise | None = None) -> Exercise | None:
        """The first that is not done; with `after`, the first behind that one, if any is left there."""
        done = self.done()
        left = [one for one in self.exercises if one.name not in done]
        behind = [one for one in left if after and one.name > after.name]
        return next(iter(behind + left), None)

    def done(self) -> list[str]:
        with suppress(FileNotFoundError):
            return (self.notes / "progress").read_text(encoding="utf-8").split()
        return []

    def mark(self, exercise: Exercise, done: bool):
        names = [name for name in self.done() if name != exercise.name]
        self.notes.mkdir(exist_ok=True)
        new = self.notes / "progress.new"  # renamed when complete: nobody finds half a file
        new.write_text("".join(name + "\n" for name in names + [exercise.name] * done))
        new.replace(self.notes / "progress")

    def work(self, exercise: Exercise) -> Path:
        """The folder for what is made for this exercise."""
        folder = self.notes / "exercises" / exercise.number
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def hints_shown(self, exercise: Exercise) -> int:
        with suppress(FileNotFoundError, ValueError):
            return int((self.work(exercise) / "hints_shown").read_text())
        return 0

    def open(self, exercise: Exercise):
        """Sees to it that there is a yours.cpp."""
        with suppress(FileExistsError):  # "x": never over a file that an editor is just saving
            with open(exercise.yours, "xb") as file:
                file.write(exercise.start.read_bytes())
            say(f"Your file is {self.path(exercise.yours)}: edit it, and check again.\n"
                f"The task: {self.path(exercise.folder / 'README.md')}\n")

    def path(self, path: Path) -> str:
        return str(path.relative_to(self.root))

    @contextmanager
    def alone(self):
        """Keeps out another check of the same reader, say one that watches."""
        with open(self.notes / "exercises" / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


# ---- The commands -----------------------------------------------------------------------


def check(course: Course, build: Build, exercise: Exercise) -> bool:
    course.open(exercise)
    title, work = f"{exercise.number} {exercise.title}", course.work(exercise)
    with course.alone():
        outcome, unseen = try_twice(course, build, exercise, title, work)
    say(report(course.root, title, exercise.yours, outcome))
    if unseen:
        say(f"(Nobody has looked at how it treats memory: {unseen}.)")
    if outcome.kind != "passed":
        left = len(exercise.hints) - course.hints_shown(exercise)
        say(f"A hint: ./learn hint {exercise.number} ({count(left, 'hint')} left)\n")
        return False
    course.mark(exercise, True)
    following = course.next(after=exercise)
    say(f"Our answer: ./learn solution {exercise.number}")
    say(f"Next: ./learn check {following.number}, {following.title} ({following.kind}, about "
        f"{count(following.minutes, 'minute')}).\nThe task: {course.path(following.folder)}/README.md\n"
        if following else "That was the last: all exercises are done.\n")
    return True


def try_twice(course: Course, build: Build, exercise: Exercise, title: str, work: Path) -> tuple[Outcome, str]:
    """What came of it; and if it passed, but sanitizers could not look at it, why that is.

    It has not passed before they have looked. What they find is what readers get wrong, and who
    goes on with it will find it again, in a bigger program.
    """
    outcome = try_answer(build, exercise.folder, exercise.yours, work, TIME_LIMIT)
    if outcome.kind != "passed":
        return outcome, ""
    say(f"{bold(title + ':')} its tests pass. Once more, with a look at how it treats memory ...")
    second = look_at_memory(build, course.root, exercise.folder, exercise.yours, work, TIME_LIMIT)
    if second.kind in ("passed", "unseen"):
        return outcome, second.headline
    second.printed, second.warnings = outcome.printed, outcome.warnings
    return second, ""


def hint(course: Course, exercise: Exercise):
    shown = course.hints_shown(exercise)
    if shown < len(exercise.hints):
        shown += 1
        (course.work(exercise) / "hints_shown").write_text(str(shown))
    left = len(exercise.hints) - shown
    say(bold(f"{exercise.number} {exercise.title}, hint {shown} of {len(exercise.hints)}"),
        *exercise.hints[shown - 1:shown], sep="\n\n", end="\n\n")
    say(f"{count(left, 'hint')} left." if left else "No hints left. If you want to see our answer: "
        f"./learn solution {exercise.number} --give-up")


def solution(course: Course, exercise: Exercise, give_up: bool) -> int:
    if exercise.name not in course.done() and not give_up:
        say(f"Our answer opens when yours passes: ./learn check {exercise.number}\n"
            f"To see it now: ./learn solution {exercise.number} --give-up")
        return 1
    ours = exercise.folder / "solution.cpp"
    say(f"Our answer: {course.path(ours)}")
    if exercise.yours.exists():
        texts = [path.read_text(errors="replace").splitlines() for path in (exercise.yours, ours)]
        lines = list(difflib.unified_diff(*texts, *map(course.path, (exercise.yours, ours)), lineterm=""))
        colours = {"-": "31", "+": "32", "@": "36"}
        say("From yours to ours:\n" if lines else "Yours is the same.")
        for line in lines:
            say(painted(line, colours[line[0]]) if line[:1] in colours else line)
    return 0


def show_list(course: Course):
    done, following = course.done(), course.next()
    width = max((len(one.title) for one in course.exercises), default=0)
    for one in course.exercises:
        mark = green("done") if one.name in done else bold("next") if one is following else ""
        say(f"  {one.number:4}  {one.title:{width}}  {one.kind:7}  {one.minutes:3} min  {mark}".rstrip())
    total, left = len(course.exercises), [one for one in course.exercises if one.name not in done]
    filled = 30 * (total - len(left)) // max(total, 1)
    minutes = sum(one.minutes for one in left)
    say(f"\n[{green('#' * filled)}{'.' * (30 - filled)}] {total - len(left)} of {total} done"
        + (f", about {count(minutes, 'minute')} left" if left else ""))


def reset(course: Course, exercise: Exercise, sure: bool) -> int:
    if not sure:
        if not sys.stdin.isatty():
            raise Trouble(f"To start {exercise.number} over without being asked: "
                          f"./learn reset {exercise.number} --yes")
        if input(f"Start {exercise.number} {exercise.title} over? [y/N] ").lower() not in ("y", "yes"):
            say("Nothing was changed.")
            return 1
    if exercise.yours.exists():
        names = [f"yours.cpp.old{number or ''}" for number in [0, *range(2, 1000)]]
        kept = [exercise.folder / name for name in names]
        mine = exercise.yours.read_bytes()
        if mine == exercise.start.read_bytes():
            exercise.yours.unlink()  # nothing of the reader's is in it
        else:
            old = next(path for path in kept if not path.exists())
            exercise.yours.rename(old)
            say(f"What you had is now {course.path(old)}")
    course.mark(exercise, False)
    (course.work(exercise) / "hints_shown").unlink(missing_ok=True)
    course.open(exercise)
    return 0


def watch(course: Course, build: Build, exercise: Exercise):
    say("Each time you save, I check. Ctrl-C ends it.\n")
    while exercise:
        course.open(exercise)
        seen = None
        while True:
            now = state([exercise.yours])
            if now and now != seen:  # an editor may take the file away for a moment
                seen = now
                if check(course, build, exercise):
                    break
            time.sleep(POLL)
        exercise = course.next()


def main(arguments: list[str], root: Path = ROOT) -> int:
    parser = argparse.ArgumentParser(prog="./learn", description="The exercises of the book.")
    parser.add_argument("command", choices=["check", "hint", "solution", "list", "reset", "watch"])
    parser.add_argument("name", nargs="?", help="an exercise (02.2), or for check also a page (02)")
    parser.add_argument("--build", type=Path, default=Path("build"), help="meson's build directory")
    parser.add_argument("--give-up", action="store_true", help="solution: show it all the same")
    parser.add_argument("--yes", action="store_true", help="reset: don't ask")
    parser.add_argument("--needs", action="store_true", help="only name the targets that must be built for that")
    options = parser.parse_args(arguments)
    try:
        return run(options, Course(root))
    except Trouble as trouble:
        print(f"learn: {trouble}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        say()
        return 0 if options.command == "watch" else 130


def show_needs(options: argparse.Namespace, course: Course):
    """Who builds them first can show how far that is. What has no name will be refused later."""
    with suppress(Trouble):
        if options.command in ("check", "watch"):
            chosen = course.select(options.name) if options.name else filter(None, [course.next()])
            say(*sorted({model_for(one.folder) for one in chosen}))


def run(options: argparse.Namespace, course: Course) -> int:
    command = options.command
    if options.needs:
        show_needs(options, course)
        return 0
    if command == "list":
        show_list(course)
        return 0
    if command in ("solution", "reset") and not options.name:
        raise Trouble(f"Which exercise? For one: ./learn {command} {course.exercises[0].number}")
    if command == "check" and options.name:
        build = Build(options.build)
        return 0 if all([check(course, build, one) for one in course.select(options.name)]) else 1
    exercise = course.one(options.name)
    if not exercise:
        say("All exercises are done.")
    elif command == "check":
        return 0 if check(course, Build(options.build), exercise) else 1
    elif command == "watch":
        watch(course, Build(options.build), exercise)
    elif command == "hint":
        hint(course, exercise)
    elif command == "solution":
        return solution(course, exercise, options.give_up)
    elif command == "reset":
        return reset(course, exercise, options.yes)
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # ./learn list | head
    sys.stdout.reconfigure(errors="replace")
    sys.exit(main(sys.argv[1:]))
