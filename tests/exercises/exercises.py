#!/usr/bin/env python3
"""The exercises of the book: checks a reader's answers, gives hints, keeps the progress.

This is what ./learn calls; a reader types:

    ./learn check             check the exercise you are at, or the next one
    ./learn check 02          check all exercises of page 02; ./learn check 02.2: that one
    ./learn hint [02.2]       one more hint
    ./learn solution 02.2     our answer, and how yours differs (--give-up: before yours passes)
    ./learn solution Y04 --take    use our file for a step of the track
    ./learn list              your page's exercises, and what is done (--all: every exercise)
    ./learn reset 02.2        start over (your file is kept beside the new one)
    ./learn watch [02.2]      check again whenever you save, and move on when it passes
    ./learn explore 12.2      play your answer in every order of its events, and tell the smallest that
                              breaks it; --order TEXT plays one. With a page (12): what that page builds

An exercise is a folder here; course.py knows which there are and which are done. The reader edits
yours.cpp, and test.cpp decides whether it's right. answers.py compiles, runs and judges the two, and
memory.py runs whatever passed again with sanitizers. README.md there says how to add one.
Exercises Y01, Y02, ... are a track (track.py): each adds a file to the folder `yours`. Build
products are in .learn/exercises/, progress in .learn/progress. The exit status is 0 if everything
that was checked passed, 1 if something didn't, and 2 if there is no such exercise, or no way to
check it.
"""
from __future__ import annotations

import argparse
import difflib
import re
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import redirect_stdout, suppress
from itertools import groupby
from pathlib import Path

sys.dont_write_bytecode = True  # no __pycache__ beside the sources
import questions  # noqa: E402
from answers import (Broken, Build, Outcome, Trouble, count, judge_build, make_program, model_for,  # noqa: E402
                     report, run_limited, state, try_answer)
from course import ROOT, Course, Exercise, Step, free_name, topic_of  # noqa: E402
from memory import look_at_memory  # noqa: E402
from terminal import bold, green, painted, paragraphs, quoted, say, width  # noqa: E402

TIME_LIMIT = 10.0  # seconds for a test program
EXPLORE_LIMIT = 60.0  # for one that plays every order
POLL = 0.3         # seconds between two looks of `watch`


ORDERS = "check_every_order"  # is in a test that plays every order of events
ORDERS_OF_PAGES = {  # the test case that does so with what a page has built, and its program
    "11": ("page 11's task*", "tests/stage3/stage3_small_test"),
    "12": ("page 12's queue*", "tests/stage3/stage3_small_test"),
    "13": ("page 13's crawl*", "tests/stage3/small_crawl_orders_test"),
    "14": ("page 14's *", "tests/stage3/stage3_small_test"),
    "17": ("page 17's crawler*", "tests/stage3/small_crawler_orders_test"),
}

# ---- The commands -----------------------------------------------------------------------


def check(course: Course, build: Build, exercise: Exercise, of_page: Sequence[Exercise] = ()) -> bool:
    """Did it pass? If a whole page is checked, the reader stays at the first of its exercises that is not done."""
    needed = prepare(course, exercise)
    title, work = f"{exercise.number} {exercise.title}", course.work(exercise)
    with course.alone():
        outcome, unseen = try_twice(course, build, exercise, title, work)
    if outcome.kind == "passed" and not course.is_ours(exercise):
        course.mark(exercise, True)
    course.note_last(next((one for one in of_page if not course.is_over(one)), exercise))
    say(report(course.root, title, exercise.yours, outcome))
    if unseen:
        say(f"Its use of memory was not checked: {unseen}.")
    if outcome.kind != "passed":
        left = len(exercise.hints) - course.hints_shown(exercise)
        say(f"For a hint: ./learn hint {exercise.number} ({count(left, 'hint')} left)")
        tell_doubts(course, needed)
        say()
        return False
    if course.is_ours(exercise):
        say(f"This is our file, though. To write your own: ./learn reset {exercise.number}")
    else:
        say(f"Our answer: ./learn solution {exercise.number}")
    tell_doubts(course, needed)
    if exercise in course.steps:
        show_track(course)
    say(next_words(course) + "\n")
    return True


def tell_doubts(course: Course, needed: list[Step]):
    """Names the files that a step builds on and that have not passed as they are now."""
    for one in needed:
        if not course.is_over(one):
            say(f"It builds on {course.path(one.yours)}, whose current version has not passed: "
                f"./learn check {one.number}")


def next_words(course: Course) -> str:
    following = course.next()
    if not following:
        return "That was the last one: all exercises are done."
    after = f", after page {following.after}" if isinstance(following, Step) and following.after else ""
    return (f"Next: ./learn check {following.number}, {following.title} ({following.kind}, about "
            f"{count(following.minutes, 'minute')}{after}).\nThe task: {course.path(following.folder)}/README.md")


def show_track(course: Course):
    """Where the reader is on the track."""
    over = [one for one in course.steps if course.is_over(one)]
    say(f"Your runtime: {bar(len(over), len(course.steps))} steps done.")
    if len(over) == len(course.steps):
        say("It's complete. See it crawl: ./learn yours demo\n"
            "See which promises it keeps: ./learn yours check")


def bar(part: int, whole: int) -> str:
    length = 30 if width() >= 70 else 20
    filled = length * part // max(whole, 1)
    return f"[{green('#' * filled)}{'.' * (length - filled)}] {part} of {whole}"


def prepare(course: Course, exercise: Exercise) -> list[Step]:
    """Makes sure that there is a file to edit. Returns the steps that this one builds on."""
    needed = course.needed(exercise)
    course.require_files(needed, f"{exercise.number} {exercise.title}")
    course.note_last(exercise)
    course.open(exercise)
    return needed


def try_twice(course: Course, build: Build, exercise: Exercise, title: str, work: Path) -> tuple[Outcome, str]:
    """The outcome; and, if it passed but sanitizers could not run, the reason for that.

    An answer counts as passed only after the sanitizers have run. What they find would come back
    later, in a bigger program. After a crash, they know the line.
    """
    outcome = try_answer(build, exercise.folder, exercise.yours, work, TIME_LIMIT)
    if outcome.kind not in ("passed", "crashed"):
        return outcome, ""
    how = "its tests pass" if outcome.kind == "passed" else "it crashes"
    say(f"{bold(title + ':')} {how}. Running it again with sanitizers ...")
    second = look_at_memory(build, course.root, exercise.folder, exercise.yours, work, TIME_LIMIT)
    if outcome.kind == "crashed":
        if second.kind == "memory":
            outcome.details += ["", *second.details]
            outcome.advice = second.advice
        return outcome, ""
    if second.kind in ("passed", "unseen"):
        return outcome, second.headline
    second.printed, second.warnings = outcome.printed, outcome.warnings
    return second, ""


def hint(course: Course, exercise: Exercise):
    shown = course.hints_shown(exercise)
    if shown < len(exercise.hints):
        shown += 1
        course.note_hints(exercise, shown)
    left = len(exercise.hints) - shown
    say(bold(f"{exercise.number} {exercise.title}, hint {shown} of {len(exercise.hints)}"),
        *map(paragraphs, exercise.hints[shown - 1:shown]), sep="\n\n", end="\n\n")
    say(f"{count(left, 'hint')} left." if left else "No hints left. To see our answer: "
        f"./learn solution {exercise.number} --give-up")


def solution(course: Course, exercise: Exercise, give_up: bool) -> int:
    if not course.is_over(exercise) and not give_up:
        say(f"You will see our answer once yours passes: ./learn check {exercise.number}\n"
            f"To see it now: ./learn solution {exercise.number} --give-up")
        return 1
    ours = course.solution_file(exercise)
    say(f"Our answer: {course.path(ours)}")
    if exercise.yours.exists():
        yours = exercise.yours.read_text(errors="replace")
        if exercise.predicts:
            yours = yours.replace('"exercise.h"', f'"{questions.HEADER_FILE}"')  # its name in older files
        texts = [text.splitlines() for text in [yours, exercise.solution_text()]]
        if isinstance(exercise, Step):  # the start's comments state the task, ours what we did
            texts = [[line for line in text if not line.strip().startswith("//")] for text in texts]
        names = map(course.path, (exercise.yours, ours))
        lines = list(difflib.unified_diff(*texts, *names, lineterm=""))
        colours = {"-": "31", "+": "32", "@": "36"}
        say("How yours differs:\n" if lines else "Yours is the same.")
        for line in lines:
            print(painted(line, colours[line[0]]) if line[:1] in colours else line)
    return 0


def take(course: Course, step: Exercise) -> int:
    """Puts our file where the reader's would be, and keeps theirs under another name."""
    if not isinstance(step, Step):
        raise Trouble(f"{step.number} is not a step of the track, so nothing builds on it. "
                      f"To see our answer: ./learn solution {step.number} --give-up")
    ours = step.solution_text()
    if step.yours.is_file() and step.yours.read_bytes() == ours.encode():
        say(f"{course.path(step.yours)} is our file already.")
        return 0
    keep_away(course, step)
    step.yours.parent.mkdir(exist_ok=True)
    for path in [step.yours, course.work(step) / "taken"]:
        path.write_text(ours, encoding="utf-8")
    course.note_last(step)
    say(f"{course.path(step.yours)} is our file now. To write your own after all: ./learn reset {step.number}")
    for one in course.needed(step):
        if not one.yours.is_file():
            say(f"It builds on {course.path(one.yours)}, which you don't have yet: ./learn check {one.number}, "
                f"or ./learn solution {one.number} --take")
    say(next_words(course))
    return 0


def keep_away(course: Course, exercise: Exercise):
    """Moves the reader's file out of the way; nothing of theirs is lost."""
    yours = exercise.yours
    if not yours.exists():
        return
    if course.is_ours(exercise) or exercise.is_start(yours.read_text(encoding="utf-8", errors="replace")):
        yours.unlink()  # the reader wrote nothing in it
        return
    old = free_name(yours)
    yours.rename(old)
    say(f"Your old file is now {course.path(old)}")


def with_orders(course: Course) -> list[Exercise]:
    return [one for one in course.exercises if ORDERS in one.read("test.cpp")]


def explore(course: Course, build: Build, name: str, order: str | None) -> int:
    """Plays the reader's answer, or what a page has built, in every order, and prints what came out."""
    if order is not None and not re.fullmatch(r"([0-9a-z]*-)?[0-9a-z]*", order):
        raise Trouble(f"'{order}' is no order. `./learn explore {name}` says what follows --order")
    trace = course.notes / "explore.trace"
    course.notes.mkdir(exist_ok=True)
    trace.unlink(missing_ok=True)
    variables = {"EXPLORE": str(trace), "EXPLORE_COMMAND": f"./learn explore {name}"}
    if order is not None:
        variables["ORDER"] = order
    if name in ORDERS_OF_PAGES:
        case, target = ORDERS_OF_PAGES[name]
        build.run_ninja(target)
        program, yours = build.directory / target, None
    else:
        exercise = explored(course, name)
        prepare(course, exercise)
        case, yours = "*every order*", exercise.yours
        try:
            with course.alone():
                program, _ = make_program(build.model(model_for(exercise.folder)), exercise.folder, yours,
                                          course.work(exercise))
        except Broken as broken:
            say(report(course.root, f"{exercise.number} {exercise.title}", yours,
                       judge_build(*broken.args, f"{yours.parent}/" if yours.suffix == ".h" else str(yours))))
            return 1
    said, status, late = run_limited(program, EXPLORE_LIMIT, case, variables)
    print(quoted(re.split(r"={79}\n|\[doctest\]", said)[0].rstrip().splitlines(), 0), flush=True)
    if late:
        say(f"It was stopped after {EXPLORE_LIMIT:g} s.")
    if trace.exists():
        say(f"To watch it:      ./learn trace {course.path(trace)}")
    return 0 if status == 0 and not late else 1


def explored(course: Course, name: str) -> Exercise:
    """The exercise of that name, if its test plays every order."""
    found = [one for one in course.select(name) if one in with_orders(course)]
    if not found:
        numbers = " ".join([*ORDERS_OF_PAGES, *(one.number for one in with_orders(course))])
        raise Trouble(f"The tests of {name} don't play every order. These do: {numbers}")
    return found[0]


def hours(minutes: int) -> str:
    return count(minutes, "minute") if minutes < 90 else f"about {count(round(minutes / 60), 'hour')}"


def marks(course: Course) -> dict[Exercise, str]:
    """What is to be said of each exercise: is it done, begun, skipped, or where the reader is?"""
    following = course.next()
    before = course.exercises[:course.exercises.index(following)] if following else []
    skipped = [one for one in before if not isinstance(one, Step)] if not isinstance(following, Step) else []
    done = course.done()

    def mark(one: Exercise) -> str:
        if course.is_over(one):
            return "ours" if course.is_ours(one) else "done"
        if one is following:
            return "you are here" if one.topic == topic_of(course.last()) else "next"
        if one.topic in done:
            return "changed since it passed"
        return "begun" if course.is_begun(one) else "skipped" if one in skipped else ""
    return {one: mark(one) for one in course.exercises}


def rows(chosen: list[Exercise], mark: dict[Exercise, str], of: list[Exercise]) -> list[str]:
    """A line for each of the chosen exercises, as wide as those of a whole list. What doesn't fit is left out."""
    titles = {one: one.title + f" (after page {one.after})" * (of == chosen and isinstance(one, Step) and one.after != "")
              for one in of}
    longest = max(map(len, titles.values()), default=0)
    room = width() - max((len(mark[one]) for one in of), default=0)
    paint = {"done": green, "next": bold, "you are here": bold}

    def row(one: Exercise) -> str:
        what = f"  {one.kind:7}  {one.minutes:3} min" if room >= longest + 28 else ""
        return f"  {one.number:4}  {titles[one]:{longest}}{what}  {paint.get(mark[one], str)(mark[one])}".rstrip()
    return [row(one) for one in chosen]


def show_list(course: Course, everything: bool):
    mark, following = marks(course), course.next()
    if everything:
        for page, group in groupby(course.exercises, key=lambda one: one.after):
            say(bold(f"{page} {course.title_of(page)}".rstrip()), *rows([*group], mark, course.exercises), sep="\n")
    else:
        show_pages(course, mark)
    total, left = len(course.exercises), [one for one in course.exercises if not course.is_over(one)]
    say(f"\n{bar(total - len(left), total)} done"
        + (f", {hours(sum(one.minutes for one in left))} left" if left else ""))
    other = next((one for one in left if one is not following and course.can_begin(one)), None)
    if following:
        say(f"`./learn check` takes {following.number}"
            + (f"; to take another, name it, as in `./learn check {other.number}`." if other else "."))
    if not everything:
        say("Every exercise, with its title: ./learn list --all")
    elif course.steps:
        say(f"{course.steps[0].number} to {course.steps[-1].number} add up to a runtime of your own: "
            "book/e-your-own-runtime.md")
    for path, now in course.stranded():
        say(f"{course.path(path)} belongs to an exercise that was removed." if now is None else
            f"{course.path(path)} belongs to {now.number} today:\n    mv {course.path(path)} {course.path(now.folder)}/")


def show_pages(course: Course, mark: dict[Exercise, str]):
    """The reader's page in full; the pages before and after it in as few lines as possible."""
    following = course.next()
    pages = {page: [*group] for page, group in groupby(
        (one for one in course.exercises if not isinstance(one, Step)), key=lambda one: one.page)}
    if course.steps:
        pages["Y"] = [*course.steps]
    for (kind, part), run in groupby(pages.items(), key=lambda pair: kind_of(*pair, following, mark, course.parts)):
        several = [*run]
        chosen = [one for _, group in several for one in group]
        page = several[0][0]
        name = "Your own runtime" if page == "Y" else part if len(several) > 1 else course.title_of(page)
        numbers = f"{chosen[0].number} to {chosen[-1].number}" if page == "Y" else \
            page if len(several) == 1 else f"{page} to {several[-1][0]}"
        over = sum(map(course.is_over, chosen))
        amount = f"{len(chosen)} {'step' if page == 'Y' else 'exercise'}{'' if len(chosen) == 1 else 's'}"
        how = f"{amount} done" if over == len(chosen) else f"{over} of {len(chosen)} done" if over or kind in ("here", "begun") else \
            f"{amount}, {'skipped' if kind == 'skipped' else hours(sum(one.minutes for one in chosen))}"
        say((bold if kind == "here" else str)(f"{numbers}{name and ' '}{name}: {how}"))
        if kind == "here":
            say(*rows(chosen, mark, chosen), sep="\n")


def kind_of(page: str, group: list[Exercise], following: Exercise | None, mark: dict[Exercise, str],
            parts: dict[str, str]) -> tuple[str, str]:
    """How a page is shown, and, if the next one is to stand in the same line if it's shown in that way, its part."""
    if following in group:
        return "here", page
    kinds = {mark[one] for one in group}
    if kinds <= {"done", "ours"}:
        return "done", "" if page != "Y" else page
    if kinds == {"skipped"}:
        return "skipped", ""
    return ("ahead", parts.get(page, page)) if kinds == {""} else ("begun", page)


def reset(course: Course, exercise: Exercise, sure: bool) -> int:
    if not sure:
        if not sys.stdin.isatty():
            raise Trouble(f"To start {exercise.number} over without confirming it: "
                          f"./learn reset {exercise.number} --yes")
        if input(f"Start {exercise.number} {exercise.title} over? [y/N] ").lower() not in ("y", "yes"):
            say("Nothing was changed.")
            return 1
    keep_away(course, exercise)
    for old in sorted(exercise.yours.parent.glob(f"{exercise.yours.name}.old*")):
        say(f"An earlier file of yours: {course.path(old)}")
    course.mark(exercise, False)
    (course.work(exercise) / "hints_shown").unlink(missing_ok=True)
    course.open(exercise)
    return 0


def watch(course: Course, build: Build, exercise: Exercise):
    say("Checking each time you save. Ctrl-C stops.\n")
    while exercise:
        files = [exercise.yours, *(step.yours for step in prepare(course, exercise))]
        seen = None
        while True:
            now = state(files)
            if now and now != seen:  # an editor may remove the file for a moment
                seen = now
                if check(course, build, exercise):
                    break
            time.sleep(POLL)
        exercise = course.next()


# What each command takes, besides the name of an exercise or a page. `./learn help` explains it.
COMMANDS = {"check": [], "explore": ["--order"], "hint": [], "solution": ["--take", "--give-up"], "list": ["--all"],
            "reset": ["--yes"], "watch": []}


def options_of(arguments: list[str]) -> argparse.Namespace:
    """Throws Trouble."""
    ours = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    ours.add_argument("--build", type=Path, default=Path("build"), help="meson's build directory")
    ours.add_argument("--needs", action="store_true", help="only name the targets to build first")
    options, words = ours.parse_known_args(arguments)
    command = words.pop(0) if words else ""
    if command not in COMMANDS:
        raise Trouble(f"'{command}' is none of: {', '.join(COMMANDS)}")
    theirs = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    theirs.set_defaults(command=command, name=None, take=False, give_up=False, yes=False, all=False, order=None)
    for option in COMMANDS[command]:
        theirs.add_argument(option, action="store" if option == "--order" else "store_true")
    if command != "list":
        theirs.add_argument("name", nargs="?")
    try:
        options, surplus = theirs.parse_known_args(words, options)
    except argparse.ArgumentError as error:
        raise Trouble(f"{command}: {error} (see ./learn {command} --help)") from None
    if surplus and command == "list":
        raise Trouble(f"list does not take '{surplus[0]}': it shows the page that you are at. "
                      "To see every exercise: ./learn list --all")
    if surplus:
        raise Trouble(f"{command} does not take '{surplus[0]}' (see ./learn {command} --help)")
    return options


def main(arguments: list[str], root: Path = ROOT) -> int:
    try:
        options = options_of(arguments)
        course = Course(root)
        try:
            return run(options, course)
        finally:
            if not options.needs:
                with suppress(OSError):  # what was asked for is done, whether or not the note can be left
                    course.note_place()
    except (Trouble, OSError, questions.Malformed) as trouble:
        say(f"learn: {trouble}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        say()
        return 0 if "watch" in arguments else 130


def show_needs(options: argparse.Namespace, course: Course):
    """Names the targets to build, so that ./learn can build them and show its progress.

    The first build may take a minute, so the reader gets their file before it. A name that no
    exercise has is refused later.
    """
    with suppress(Trouble):
        if options.command in ("check", "watch"):
            chosen = course.select(options.name) if options.name else list(filter(None, [course.next()]))
            with redirect_stdout(sys.stderr):
                for one in chosen[:1]:
                    prepare(course, one)
            say(*sorted({model_for(one.folder) for one in chosen}))
        elif options.command == "explore" and options.name in ORDERS_OF_PAGES:
            say(ORDERS_OF_PAGES[options.name][1])
        elif options.command == "explore":
            say(model_for(explored(course, options.name or "").folder))


def run(options: argparse.Namespace, course: Course) -> int:
    command = options.command
    if options.needs:
        show_needs(options, course)
        return 0
    if command == "list":
        show_list(course, options.all)
        return 0
    if command == "explore":
        if not options.name:
            raise Trouble("Which one? For example: ./learn explore 12")
        return explore(course, Build(options.build), options.name, options.order)
    if command in ("solution", "reset") and not options.name:
        raise Trouble(f"Which exercise? For example: ./learn {command} {course.exercises[0].number}")
    if command == "check" and options.name:
        chosen, build = course.select(options.name), Build(options.build)
        if len(chosen) > 1 and isinstance(chosen[0], Step):  # later steps would fail for the same reason
            return 0 if all(check(course, build, one, chosen) for one in chosen) else 1
        return 0 if all([check(course, build, one, chosen) for one in chosen]) else 1
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
        return take(course, exercise) if options.take else solution(course, exercise, options.give_up)
    elif command == "reset":
        return reset(course, exercise, options.yes)
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # ./learn list | head
    sys.stdout.reconfigure(errors="replace")
    sys.exit(main(sys.argv[1:]))
