#!/usr/bin/env python3
"""For authors: records the traces that come with some exercises, such as 03.3.

    tests/exercises/record.py --build build [NAME...]      all of them, if none is named

Such an exercise has a run.trace in its folder, and a test case "record" in truth.cpp that runs its
program.cpp and writes run.trace to the current folder. The trace names lines of program.cpp. So its
first line holds a hash of program.cpp, and once that changes, a test asks for a new recording.
authors_test.py also checks that a new run would give the same trace, except for its times. After
recording, check whether questions.txt still fits.
"""
from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
import questions  # noqa: E402
from answers import Build, Trouble, try_answer  # noqa: E402
from course import ROOT, Course, Exercise  # noqa: E402

TIME_LIMIT = 60.0
TIMES = ["t", "timeout_ms", "in_ms"]  # these differ from run to run


def trace_of(exercise: Exercise) -> Path:
    return exercise.folder / "run.trace"


def program_hash(exercise: Exercise) -> str:
    return hashlib.sha256(exercise.read("program.cpp").encode()).hexdigest()[:12]


def record(exercise: Exercise, build: Build, answer: Path, work: Path) -> str:
    """A new trace of the exercise's program, which doesn't depend on the answer."""
    outcome = try_answer(build, exercise.folder, answer, work, TIME_LIMIT)
    fresh = work / "run.trace"
    fresh.unlink(missing_ok=True)
    if outcome.kind != "broken":
        subprocess.run([work / f"test-{answer.stem}", "--no-skip", "--test-case=record"], cwd=work,
                       timeout=TIME_LIMIT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
    if not fresh.exists():
        raise Trouble(f"{exercise.name} has recorded nothing: does it compile? Has truth.cpp "
                      'a test case "record"?')
    # The compiler was given absolute paths; a trace names files relative to the repository's root.
    first, *rest = fresh.read_text().replace(f"{ROOT}/", "").splitlines()
    first = first.replace('"program":', f'"program_cpp":"{program_hash(exercise)}","program":')
    return "".join(line + "\n" for line in [first, *rest])


def comparable(trace: str) -> list[dict]:
    """Its events without times, and without lines outside the exercise, since those move."""
    trace = re.sub(r'(?<!/program\.cpp):\d+"', '"', trace)
    return [{key: value for key, value in json.loads(line).items() if key not in TIMES}
            for line in trace.splitlines()]


def fits_program(exercise: Exercise) -> bool:
    """Whether program.cpp is unchanged since the recording."""
    first = json.loads(exercise.read("run.trace").splitlines()[0])
    return first.get("program_cpp") == program_hash(exercise)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="an exercise; all that have one, if none")
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    options = parser.parse_args()
    course = Course(ROOT)
    try:
        build = Build(options.build)
        chosen = [one for name in options.names for one in course.select(name)]
        for exercise in chosen or [one for one in course.exercises if trace_of(one).exists()]:
            work = course.notes / "authors/plain" / exercise.number
            work.mkdir(parents=True, exist_ok=True)
            trace = record(exercise, build, questions.write(work / "start.cpp", exercise.start_text()), work)
            trace_of(exercise).write_text(trace)
            print(f"{exercise.number} {exercise.title}: {len(trace.splitlines())} events")
    except (Trouble, questions.Malformed) as trouble:
        print(f"record.py: {trouble}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
