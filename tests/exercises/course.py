"""Which exercises there are, and how far the reader of this repository has come with them.

A part of exercises.py, which has the commands. Most exercises go with a page and depend on no
other exercise. Those of the track (Y01, Y02, ...) are steps that build on each other: see track.py.
"""
from __future__ import annotations

import fcntl
import functools
import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import questions
import wrong
from answers import FOLDER, Trouble, count  # this also lets Python find terminal.py
from terminal import say
from track import YOURS, needed_files, solution_text

ROOT = Path(__file__).resolve().parents[2]

HINT = re.compile(r"^<details><summary>Hint \d+</summary>[ \t]*\n(.*?)^</details>[ \t]*$", re.M | re.S)


def topic_of(name: str) -> str:
    """An exercise's name without its number."""
    return name.partition("-")[2]


class Exercise:
    """An exercise of a page: the reader edits yours.cpp in its folder."""

    suffix = ".cpp"

    def __init__(self, folder: Path):
        self.folder, self.name = folder, folder.name
        self.number, _, self.topic = folder.name.partition("-")  # 03.2: the second of page 03
        self.page = self.after = self.number.split(".")[0]
        self.yours = folder / "yours.cpp"
        self.predicts = (folder / questions.FILE).exists()
        readme = self.read("README.md")
        self.title = self.find(r"^# \S+ (.+)$", readme)
        self.kind = self.find(r"^Kind: (\w+)\s*$", readme)
        self.minutes = int(self.find(r"^About (\d+) minutes?\.", readme) or 0)
        self.hints = [hint.strip() for hint in HINT.findall(readme)]

    def read(self, file: str) -> str:
        path = self.folder / file
        return path.read_text(encoding="utf-8") if path.exists() else ""

    @staticmethod
    def find(pattern: str, text: str) -> str:
        found = re.search(pattern, text, re.M)
        return found[1].strip() if found else ""

    def solution_text(self) -> str:
        return questions.solution(questions.of_folder(self.folder)) if self.predicts else self.read("solution.cpp")

    def start_text(self) -> str:
        """What the reader begins with."""
        if self.predicts:
            return questions.start(questions.of_folder(self.folder))
        found = wrong.of_folder(self.folder)
        if "start" not in found:
            raise wrong.Malformed(f"{self.name}/{wrong.FILE} has no section `start`")
        return wrong.answer(found, "start", self.solution_text())

    def is_start(self, text: str) -> bool:
        """Did the reader change nothing? (The header with the questions once had another name.)"""
        start = self.start_text()
        return start in (text, text.replace("exercise.h", questions.HEADER_FILE))

    def is_called(self, name: str) -> bool:
        return name.lower() in (self.name.lower(), self.number.lower(), self.page.lower())


class Step(Exercise):
    """An exercise of the track: the reader's file is one of those in the folder `yours`.

    `after` is the last page that it needs, and `was` has the files that this one has replaced.
    """

    suffix = ".h"

    def __init__(self, folder: Path):
        super().__init__(folder)
        self.page = self.number[0]
        self.after = self.find(r"^After page (\d\d)\.$", self.read("README.md"))
        self.file = self.find(r"^File: yours/(\S+)\s*$", self.read("README.md"))
        self.yours = folder.parent / YOURS / self.file
        self.was = [self.yours.with_name(name)
                    for name in re.findall(r"^<!-- Was: yours/(\S+) -->\s*$", self.read("README.md"), re.M)]

    def solution_text(self) -> str:
        return solution_text(self.folder / "solution.h", self.folder.parents[2])

    def start_text(self) -> str:
        return self.read("start.h")

    def is_called(self, name: str) -> bool:
        short = self.number.replace("0", "", 1) if self.number[1] == "0" else self.number  # Y4
        return super().is_called(name) or name.lower() in (short.lower(), self.file.lower())


def free_name(path: Path) -> Path:
    """A name beside it that no file has, for what the reader wrote."""
    names = [f"{path.name}.old{number or ''}" for number in [0, *range(2, 1000)]]
    return next(one for one in map(path.with_name, names) if not one.exists())


def hash_of(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


class Course:
    """All exercises of a repository, in the order of the book, and how far its reader has come."""

    def __init__(self, root: Path = ROOT):
        self.root, self.notes = root, root / ".learn"
        self.yours = root / FOLDER / YOURS  # what the track has the reader build
        # (Git leaves a folder that it has moved elsewhere, if a reader's file is in it.)
        folders = sorted(readme.parent for readme in (root / FOLDER).glob("*/README.md"))
        self.steps = [Step(folder) for folder in folders if re.match(r"Y\d\d-", folder.name)]
        of_pages = [Exercise(folder) for folder in folders if re.match(r"\d\d\.\d-", folder.name)]
        # A step comes after the exercises of its page.
        self.exercises: list[Exercise] = sorted([*of_pages, *self.steps], key=lambda one: one.after or "99")

    def select(self, word: str) -> list[Exercise]:
        """The exercise with this number or name (or path, as a shell completes it), or a page's."""
        found = [one for one in self.exercises if one.is_called(Path(word).name)]
        if not found:
            page = " ".join(one.number for one in self.exercises if one.number.split(".")[0] == word.split(".")[0])
            raise Trouble(f"There is no exercise or page '{word}'. "
                          + (f"That page has: {page}" if page else "To see all exercises: ./learn list --all"))
        return found

    def one(self, word: str | None) -> Exercise | None:
        """The exercise of that name; without one, the next that is not done, if any is left."""
        if not word:
            return self.next()
        found = self.select(word)
        if len(found) > 1:
            raise Trouble(f"Page {word} has more than one. Choose one of: "
                          + " ".join(one.number for one in found))
        return found[0]

    def next(self) -> Exercise | None:
        """What `./learn check` takes: the exercise that the reader was at, or else the one after it.

        That is the next one that is not done: of the track if the reader was on the track, unless it
        needs a page beyond those whose exercises they have begun, and of the pages otherwise. If
        none is left there, it is the first that is left at all.
        """
        left = [one for one in self.exercises if not self.is_over(one) and self.can_begin(one)]
        last = next((one for one in self.exercises if one.topic == topic_of(self.last())), None)
        if last is None or last in left:
            return last or next(iter(left), None)
        of_pages = [one for one in left if not isinstance(one, Step)]
        if isinstance(last, Step):
            reached = self.page_reached()
            if reached < last.after:  # they have gone ahead of the exercises
                reached = "99"
            steps = [one for one in left if isinstance(one, Step) and one.after <= reached]
            further = [one for one in steps if one.name > last.name]
            further += steps + [one for one in of_pages if one.after >= last.after]
        else:
            further = [one for one in of_pages if one.name > last.name]
        return next(iter(further + of_pages + left), None)

    def page_reached(self) -> str:
        """The last page of which the reader has begun an exercise; if there is none, all count as read."""
        return max((one.page for one in self.exercises if not isinstance(one, Step) and self.is_begun(one)), default="99")

    def is_begun(self, exercise: Exercise) -> bool:
        return exercise.yours.is_file() or self.is_over(exercise)

    def can_begin(self, exercise: Exercise) -> bool:
        """A step can't before the files that it builds on are there."""
        return all(one.yours.is_file() for one in self.needed(exercise))

    def last(self) -> str:
        """The name of the exercise that the reader was at last, or an empty string."""
        with suppress(FileNotFoundError):
            return (self.notes / "exercises/last").read_text(encoding="utf-8")
        return ""

    def names_done(self) -> list[str]:
        """The names of all that is done, as they were then: their numbers may have changed since."""
        with suppress(FileNotFoundError):
            return (self.notes / "progress").read_text(encoding="utf-8").split()
        return []

    def done(self) -> list[str]:
        """The topics of all that is done."""
        return [topic_of(name) for name in self.names_done()]

    def is_over(self, exercise: Exercise) -> bool:
        """Done. A step is done if its file is ours, or is the reader's as it was when it passed.

        It's also done if a file that this one has replaced has passed, until the reader begins anew.
        """
        if isinstance(exercise, Step):
            files = [exercise.yours, *([] if self.is_begun_anew(exercise) else exercise.was)]
            return self.is_ours(exercise) or any(map(self.has_passed, files))
        return exercise.topic in self.done()

    def is_ours(self, step: Exercise) -> bool:
        """Is it a step, and is the reader's file the one that they took from us?

        What they took may be older than what we have today.
        """
        if not isinstance(step, Step) or not step.yours.is_file():
            return False
        text = step.yours.read_text(encoding="utf-8", errors="replace")
        return text in [step.solution_text(), *self.notes_of_steps("taken")]

    def mark(self, exercise: Exercise, done: bool):
        names = [name for name in self.names_done() if topic_of(name) != exercise.topic]
        self.notes.mkdir(exist_ok=True)
        new = self.notes / "progress.new"  # renamed when complete, so there is never half a file
        new.write_text("".join(name + "\n" for name in names + [exercise.name] * done))
        new.replace(self.notes / "progress")
        if done and isinstance(exercise, Step):
            hashes = dict.fromkeys([*self.passed(exercise), hash_of(exercise.yours)])
            (self.work(exercise) / "passed").write_text("".join(one + "\n" for one in hashes))

    def work(self, exercise: Exercise) -> Path:
        """The folder for everything built for this exercise."""
        folder = self.notes / "exercises" / exercise.number
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def hints_shown(self, exercise: Exercise) -> int:
        with suppress(FileNotFoundError, ValueError):
            shown, topic = (self.work(exercise) / "hints_shown").read_text().split()
            return int(shown) if topic == exercise.topic else 0
        return 0

    def note_hints(self, exercise: Exercise, shown: int):
        (self.work(exercise) / "hints_shown").write_text(f"{shown} {exercise.topic}")

    def note_last(self, exercise: Exercise):
        (self.work(exercise).parent / "last").write_text(exercise.name)

    def note_place(self):
        """Leaves a note on where the reader is, for `./learn` alone, which must do without Python."""
        place = self.notes / "place"
        if not self.last() and not self.names_done():
            place.unlink(missing_ok=True)
            return
        following, done = self.next(), sum(map(self.is_over, self.exercises))
        words = f"{done} of {count(len(self.exercises), 'exercise')} {'is' if done == 1 else 'are'} done."
        if following:
            page = self.title_of(following.after)
            words = (f"You are on page {following.after}{page and ', '}{page}; {words}\n"
                     f"Next: {following.number} {following.title} ({following.kind}, about "
                     f"{count(following.minutes, 'minute')}).\nThe task: {self.path(following.folder)}/README.md")
        self.notes.mkdir(exist_ok=True)
        new = self.notes / "place.new"  # as for `mark`: ./learn may read it at any moment
        new.write_text(words + "\n", encoding="utf-8")
        new.replace(place)

    def title_of(self, page: str) -> str:
        """A page's title, without its number."""
        file = next((self.root / "book").glob(f"{page.lower()}-*.md"), None)
        return file.read_text(encoding="utf-8").partition("\n")[0].partition(page)[2].strip() if file else ""

    @functools.cached_property
    def parts(self) -> dict[str, str]:
        """The part of the book in which a page is, by the page's number, as the map of page 00 has it."""
        file, part, found = self.root / "book/00-before-you-start.md", "", {}
        for line in file.read_text(encoding="utf-8").partition("\n## The map\n")[2].splitlines() if file.exists() else []:
            if title := re.match(r"\*\*(?:\d+\. )?(.+?)\.?\*\*", line):
                part = title[1]
            elif page := re.match(r"\| \[(\w+) ", line):
                found[page[1]] = part
        return found

    def open(self, exercise: Exercise):
        """Makes sure that the reader has a file to edit, and the questions, if there are any."""
        exercise.yours.parent.mkdir(exist_ok=True)
        start = exercise.start_text()
        news = []
        with suppress(FileExistsError):  # "x": never over a file that an editor is just saving
            with open(exercise.yours, "x", encoding="utf-8") as file:
                file.write(start)
            (self.work(exercise) / "opened").write_text(exercise.topic)
            news = [f"Your file is {self.path(exercise.yours)}. Edit it, and check again until this prints "
                    f"`{exercise.number} {exercise.title}: passed`.",
                    f"The task: {self.path(exercise.folder / 'README.md')}"]
        news += self.give_questions(exercise)
        if news:
            say(*news, "", sep="\n")

    def give_questions(self, exercise: Exercise) -> list[str]:
        """Puts the questions beside the reader's file, if there are any. Returns what is new about that."""
        file = exercise.folder / questions.HEADER_FILE
        made = self.work(exercise) / questions.HEADER_FILE  # as it was when it was made last
        text = questions.header(questions.of_folder(exercise.folder)) if exercise.predicts else ""
        there = file.read_bytes() if file.exists() else b""
        if not text or there == text.encode():
            return []
        news = []
        if there and there != (made.read_bytes() if made.exists() else b""):
            old = free_name(file)
            file.rename(old)
            news = [f"What you wrote in {self.path(file)} is in {self.path(old)} now: answers belong in {exercise.yours.name}."]
        questions.write(file, text)
        questions.write(made, text)
        return [*news, f"The questions: {self.path(file)}"]

    def solution_file(self, exercise: Exercise) -> Path:
        """Our answer, as a file."""
        if exercise.predicts:
            return questions.write(self.work(exercise) / "solution.cpp", exercise.solution_text())
        return exercise.folder / f"solution{exercise.suffix}"

    def path(self, path: Path) -> str:
        return str(path.relative_to(self.root))

    def stranded(self) -> list[tuple[Path, Exercise | None]]:
        """The reader's files in folders that are no longer exercises, and where they belong now."""
        return [(path, next((one for one in self.exercises if one.topic == topic_of(path.parent.name)), None))
                for path in sorted((self.root / FOLDER).glob("*/yours.cpp*"))
                if not (path.parent / "README.md").exists()]

    # What steps build on.

    def needed(self, step: Exercise) -> list[Step]:
        """The steps whose files this one's file or test includes, directly or through another."""
        if not isinstance(step, Step):
            return []
        files = needed_files(step.solution_text() + step.read("test.cpp"),
                             {one.file: one.solution_text() for one in self.steps}) - {step.file}
        return [one for one in self.steps if one.file in files]

    def require_files(self, steps: list[Step], who: str):
        """Makes sure that the reader has these files, or says what to do."""
        missing = [one for one in steps if not one.yours.is_file()]
        if missing:
            raise Trouble("\n".join(
                [f"{who} builds on files that you don't have yet:"]
                + [f"  {YOURS}/{one.file}: write it (./learn check {one.number}), or take ours "
                   f"(./learn solution {one.number} --take)" for one in missing]))

    def passed(self, step: Step) -> list[str]:
        """The hashes of all files that have passed as this step's, or under its number as another's."""
        with suppress(FileNotFoundError):
            return (self.work(step) / "passed").read_text().split()
        return []

    def notes_of_steps(self, name: str) -> list[str]:
        """What is noted of all steps: their numbers may have changed since, their files haven't."""
        return [path.read_text(encoding="utf-8") for path in (self.notes / "exercises").glob(f"Y*/{name}")]

    def has_passed(self, file: Path) -> bool:
        """Is the file of a step there, and is it one that has passed?"""
        return file.is_file() and hash_of(file) in " ".join(self.notes_of_steps("passed")).split()

    def is_begun_anew(self, step: Step) -> bool:
        """Is the reader's file one that we have made for this step, and not an older one of the same name?"""
        with suppress(FileNotFoundError):
            return step.yours.is_file() and (self.work(step) / "opened").read_text() == step.topic
        return False

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keeps out another check by the same reader, such as one that watches."""
        with open(self.notes / "exercises" / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
