#!/usr/bin/env python3
"""Runs tests through meson, and tells of each suite how it went. `./learn test` calls it.

    suites.py targets BUILD WHICH...    only prints what ninja must build before these tests can run
    suites.py run BUILD WHICH...        runs them

BUILD is a build directory. WHICH is names of suites or of tests, or options of `meson test`, such as
--suite NAME and --no-suite NAME; without either, it's all tests. On a terminal, the lines of suites that
are still running are updated in place; elsewhere, each suite gets one line when it ends. A suite's time is
counted from the start of the whole run, since meson runs tests of several suites at once. After the last
suite comes what failed, and then `N passed, N failed`. A test of which meson has noted no result has failed.
The exit status is 0 if nothing failed.
"""
from __future__ import annotations

import argparse
import difflib
import json
import os
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

sys.dont_write_bytecode = True  # no __pycache__ beside the sources
from terminal import bold, green, on_terminal, painted, quoted, red, say, width  # noqa: E402

TOLD_IN_FULL = 5   # failures whose logs are shown
LINES_OF_A_LOG = 40
LAST_LINES = 20    # of a log in which nothing says where it went wrong
PATIENCE = 20.0    # seconds for meson to end its tests when it's told to

PASSED, FAILED = {"OK", "EXPECTEDFAIL"}, {"NONE", "FAIL", "TIMEOUT", "ERROR", "INTERRUPT", "UNEXPECTEDPASS"}
ENDED = re.compile(r" *\d+/\d+ +(.+?) +(OK|EXPECTEDFAIL|FAIL|TIMEOUT|ERROR|INTERRUPT|UNEXPECTEDPASS|SKIP|IGNORED) +[\d.]+ ?s\b")


class Trouble(Exception):
    """What is wrong with the request."""


class Stopped(Exception):
    """Somebody has sent us this signal."""


# ---- Which tests ------------------------------------------------------------------------


@dataclass(frozen=True)
class Test:
    name: str
    suites: tuple[str, ...]
    depends: tuple[str, ...]


def read(build: Path, what: str) -> list[dict]:
    return json.loads((build / f"meson-info/intro-{what}.json").read_text(encoding="utf-8"))


def all_tests(build: Path) -> list[Test]:
    return [Test(one["name"], tuple(suite.partition(":")[2] or suite for suite in one["suite"]), tuple(one["depends"]))
            for one in read(build, "tests")]


def select_tests(tests: list[Test], options: argparse.Namespace) -> list[Test]:
    """The tests that are meant, as meson would choose them. Throws Trouble."""
    names = {one.name for one in tests}
    suites = sorted({suite for one in tests for suite in one.suites})
    for word in options.names:
        if word not in names and word not in suites:
            near = sorted(difflib.get_close_matches(word, [*suites, *names], 3))
            raise Trouble(f"there is no suite or test '{word}'."
                          + (f" Did you mean {' or '.join(map(shlex.quote, near))}?" if near else "")
                          + f"\nThe suites are: {', '.join(suites)}")

    if twice := [name for name, times in Counter(one.name for one in tests).items() if times > 1]:
        raise Trouble(f"more than one test is called '{twice[0]}'; their results couldn't be told apart.")

    def meant(one: Test) -> bool:
        own = {one.name, *one.suites}
        return (not own & {*options.no_suite} and (not options.suite or bool(own & {*options.suite}))
                and (not options.names or bool(own & {*options.names})))
    return [one for one in tests if meant(one)]


def targets(build: Path, tests: list[Test]) -> list[str]:
    files = {target["id"]: target["filename"][0] for target in read(build, "targets")}
    return sorted(os.path.relpath(files[id], build.resolve()) for id in {id for one in tests for id in one.depends})


# ---- One line per suite -----------------------------------------------------------------


@dataclass
class Suite:
    name: str
    size: int = 0
    results: list[str] = field(default_factory=list)

    def is_over(self) -> bool:
        return len(self.results) >= self.size

    def number(self, kinds: set[str]) -> int:
        return sum(result in kinds for result in self.results)

    def row(self, longest: int, digits: int, seconds: float) -> str:
        passed, failed = self.number(PASSED), self.number(FAILED)
        skipped = len(self.results) - passed - failed
        text = f"{self.name:<{longest}}  {passed:>{digits}} of {self.size:>{digits}} passed"
        text += f", {failed} failed" * bool(failed) + f", {skipped} skipped" * bool(skipped)
        text = f"{text}, {seconds:.0f} s"[:width() - 1]
        return red(text) if failed else green(text) if self.is_over() else text


class Screen:
    """The suites' lines: first those that have ended, which stay, then those that are running."""

    def __init__(self, tests: list[Test], wanted: list[str]):
        self.begun, self.drawn = time.monotonic(), 0
        self.live = on_terminal()
        self.suites: dict[str, Suite] = {}
        self.of_test: dict[str, Suite] = {}
        for one in sorted(tests, key=lambda one: one.suites):
            name = next((suite for suite in [*wanted, *one.suites] if suite in one.suites), "tests")
            suite = self.suites.setdefault(name, Suite(name))
            suite.size += 1
            self.of_test[one.name] = suite
        self.widths = max(map(len, self.suites), default=0), len(str(max((one.size for one in self.suites.values()), default=0)))
        self.told: set[str] = set()

    def seconds(self) -> float:
        return time.monotonic() - self.begun

    def line(self, text: str):
        """What meson says when a test has ended."""
        found = ENDED.match(text)
        if found:
            self.ended(self.name_in(found[1]), found[2])

    def name_in(self, words: str) -> str:
        """The name of the test that meson has put project and suites before."""
        return max((name for name in self.of_test if words.endswith(name)), key=len, default="")

    def ended(self, name: str, result: str):
        if name in self.of_test:
            self.of_test[name].results.append(result)
            self.draw()

    def draw(self, last: bool = False):
        """Prints what has ended and, on a terminal, redraws the rest; in the end, all of it stays."""
        text = f"\033[{self.drawn}A\r\033[J" if self.drawn else ""
        running = []
        for suite in self.suites.values():
            row = suite.row(*self.widths, self.seconds()) + "\n"
            if suite.name in self.told:
                continue
            if suite.is_over() or last:
                self.told.add(suite.name)
                text += row
            else:
                running.append(row)
        self.drawn = 0
        if self.live:
            room = shutil.get_terminal_size().lines - 1
            text += "".join(running[:room])
            self.drawn = len(running[:room])
        sys.stdout.write(text)
        sys.stdout.flush()


# ---- What failed ------------------------------------------------------------------------


def helpful(text: str) -> list[str]:
    """The part of a test's output that says what went wrong."""
    lines = [line.rstrip() for line in text.splitlines()]
    begin = next((at for at, line in enumerate(lines) if re.fullmatch("={70}|={79}", line)), None)
    if begin is None:
        return lines[-LAST_LINES:]
    # doctest puts such a line before each test case, unittest before each failure; both end with a sum.
    end = next((at for at in range(begin, len(lines)) if lines[at].startswith(("[doctest] test cases:", "Ran "))), len(lines))
    found = [line for line in lines[begin:end] if not re.fullmatch("[=-]{70,79}", line)]
    return found[:LINES_OF_A_LOG] + [f"... ({len(found) - LINES_OF_A_LOG} more lines)"] * (len(found) > LINES_OF_A_LOG)


def how_it_ended(one: dict) -> str:
    after = f"after {one.get('duration', 0):.1f} s"
    status = one.get("returncode") or 0
    if one["result"] == "TIMEOUT":
        return f"timed out {after}"
    if one["result"] == "NONE":
        return "has no result: it didn't run, or meson didn't note how it ended"
    if one["result"] == "UNEXPECTEDPASS":
        return "passed, although it's expected to fail"
    if one["result"] == "INTERRUPT":
        return f"was interrupted {after}"
    name = f"signal {-status}"
    with suppress(ValueError):
        name = signal.Signals(-status).name
    return f"was killed by {name} {after}" if status < 0 else f"failed with exit status {status} {after}"


def tell_failures(failures: list[dict], build: Path, log: Path, alone: bool = False):
    """`alone`: no other test was run."""
    for at, one in enumerate(failures):
        text = f"{one.get('stdout', '')}\n{one.get('stderr', '')}".strip("\n") if at < TOLD_IN_FULL else ""
        say(f"\n{bold(repr(one['test']))} {how_it_ended(one)}{':' if text else '.'}")
        if text:
            print(quoted(helpful(text.replace(f"{build}/../", ""))))  # meson names sources so
        if not alone:
            say(f"To run it alone: ./learn test {shlex.quote(one['test'])}")
    say(f"\nThe whole log:\n    {log}")  # in a line of its own, whole, whatever blanks it has


# ---- Running them -----------------------------------------------------------------------


def follow(process: subprocess.Popen, screen: Screen, log: TextIO, until: float = float("inf")) -> bool:
    """Reads what meson prints until it ends; False if that takes too long. Once a second, the screen's times are
    brought up to date."""
    rest = b""
    while time.monotonic() < until:
        tick = 1 - screen.seconds() % 1 if screen.live or until < float("inf") else None
        if not select.select([process.stdout], [], [], tick)[0]:
            screen.draw()
            continue
        piece = os.read(process.stdout.fileno(), 1 << 16)
        if not piece:
            return True
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            text = line.decode(errors="replace")
            log.write(text + "\n")
            screen.line(text)
    return False


def run_meson(command: list[str], screen: Screen, told: Path) -> int:
    """Runs meson in a session of its own, so that Ctrl-C comes to us alone; meson would end one test each time.
    Returns its exit status."""
    with open(told, "w", encoding="utf-8") as log, subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True) as process:
        try:
            screen.draw()
            follow(process, screen, log)
        except BaseException:
            process.terminate()  # it ends its tests, and still tells how
            with open(os.devnull, "w", encoding="utf-8") as nothing:
                if not follow(process, Screen([], []), nothing, time.monotonic() + PATIENCE):
                    os.killpg(process.pid, signal.SIGKILL)
            raise
    return process.returncode


def results(log: Path, tests: list[Test], screen: Screen) -> list[dict]:
    """What meson has noted of each of these tests; of one without a note, that it has none."""
    noted = {}
    with suppress(FileNotFoundError):
        for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
            with suppress(ValueError):  # of a meson that was killed, the last line may be cut off
                one = json.loads(line)
                noted[screen.name_in(one["name"])] = one
    return [{"result": "NONE", **noted.get(one.name, {}), "test": one.name} for one in tests]


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def stop(number: int, _frame: object):
    for one in SIGNALS:
        signal.signal(one, signal.SIG_IGN)
    raise Stopped(number)


def run(build: Path, options: argparse.Namespace, others: list[str]) -> int:
    tests = select_tests(all_tests(build), options)
    screen = Screen(tests, [*options.names, *options.suite])
    options.log = f"testlog-{os.getpid()}"  # another run may be under way
    for number in SIGNALS:
        signal.signal(number, stop)
    try:
        remove_old_logs(build / "meson-logs")
        status = run_meson(command_for(build, options, others, tests), screen, build / told_in(options)) if tests else 1
        found = results(build / logged_in(options, "json"), tests, screen)
        # What meson has noted counts, even if a line that it printed wasn't understood.
        for suite in screen.suites.values():
            suite.results = []
        for one in found:
            screen.of_test[one["test"]].results.append(one["result"])
        screen.draw(last=True)
        return tell(build, found, status, options)
    except Stopped as why:
        screen.draw(last=True)
        say(f"Stopped after {screen.seconds():.0f} s, with {sum(len(one.results) for one in screen.suites.values())} "
            f"of {len(tests)} tests done.")
        return 128 + why.args[0]


def remove_old_logs(folder: Path):
    for old in folder.glob("testlog-*.*"):
        number = int(re.match(r"testlog-(\d+)", old.name)[1]) if re.match(r"testlog-\d+", old.name) else 0
        with suppress(OSError):
            if not is_running(number):
                old.unlink()


def is_running(process: int) -> bool:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(process, 0)
        return True
    return False


def command_for(build: Path, options: argparse.Namespace, others: list[str], tests: list[Test]) -> list[str]:
    threads = os.environ.get("MESON_TESTTHREADS") or str(3 * (os.cpu_count() or 1))  # tests mostly wait
    chosen = [one.name for one in tests] if options.names else [
        word for name in options.suite for word in ("--suite", name)] + [
        word for name in options.no_suite for word in ("--no-suite", name)]
    return ["meson", "test", "-C", str(build), "--no-rebuild", "--num-processes", threads,
            "--logbase", options.log, *others, *chosen]


def logged_in(options: argparse.Namespace, kind: str) -> str:
    return f"meson-logs/{options.log}.{kind}"


def told_in(options: argparse.Namespace) -> str:
    """The file with what meson has printed."""
    return logged_in(options, "told")


def tell(build: Path, found: list[dict], status: int, options: argparse.Namespace) -> int:
    """`status` is meson's: if it's an error, something has failed, whatever was noted."""
    passed = [one for one in found if one["result"] in PASSED]
    failures = [one for one in found if one["result"] in FAILED]
    skipped, failed = len(found) - len(passed) - len(failures), len(failures)
    if failures:
        tell_failures(failures, build, build / logged_in(options, "txt"), alone=len(found) == 1)
    if all(one["result"] == "NONE" for one in found):
        say("learn: no test was run.", file=sys.stderr)
    if any(one["result"] == "NONE" for one in found) or (status and not failures and found):
        say(f"learn: meson ended with status {status}. The last that it said:", file=sys.stderr)
        with suppress(FileNotFoundError):
            said = (build / told_in(options)).read_text(encoding="utf-8").splitlines()
            print(quoted(said[-LAST_LINES:]), file=sys.stderr)
    if status and not failures:
        failed = 1
    sums = f"{len(passed)} passed, {failed} failed" + f", {skipped} skipped" * bool(skipped)
    print(f"\n{painted(sums, '31' if failed else '32')}")
    if options.counts:
        options.counts.write_text(f"{len(passed)} {failed} {skipped}\n")
    if sys.stdout.isatty():  # for people; programs read the line above
        names = " ".join(shlex.quote(one["test"]) for one in failures[:TOLD_IN_FULL])
        if names:
            say(f"Next: look at the first failure above; once it's mended: ./learn test {names}")
        elif options.then and not failed:
            say(options.then)
    return 1 if failed else 0


def options_of(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Runs tests, suite by suite.")
    parser.add_argument("command", choices=["targets", "run"])
    parser.add_argument("build", type=Path)
    parser.add_argument("names", nargs="*", help="suites, or tests")
    parser.add_argument("--suite", action="append", default=[])
    parser.add_argument("--no-suite", action="append", default=[])
    parser.add_argument("--timeout-multiplier", default="1")
    parser.add_argument("--counts", type=Path, help="a file for the three numbers")
    parser.add_argument("--then", default="", help="what to say on a terminal if nothing failed")
    return parser.parse_intermixed_args(arguments)


def main(arguments: list[str]) -> int:
    options = options_of(arguments)
    try:
        if options.command == "targets":
            print(*targets(options.build, select_tests(all_tests(options.build), options)), sep="\n")
            return 0
        status = run(options.build, options, ["--timeout-multiplier", options.timeout_multiplier])
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # `| head` has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except Trouble as trouble:
        say(f"learn: {trouble}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
