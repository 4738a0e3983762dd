"""Runs programs, with nothing else of ours beside them, and reports what they took.

tests/bench/timed.cpp does the timing; it says why. Here is what is around that: where a program
may run, an end to those that have none, and the order of many runs.
"""
from __future__ import annotations

import os
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "setup"))
from terminal import on_terminal, width  # noqa: E402


class Trouble(Exception):
    """Something can't be measured. The message says what to do."""


class Failed(Exception):
    """A contestant can't run, or never ends. The message says how that looked."""


@dataclass
class Run:
    """What one run took: seconds, seconds of the processor, bytes at its peak."""
    wall: float
    cpu: float
    peak: int
    status: int = 0  # its exit status; negative: the signal that ended it


@dataclass
class Contestant:
    """A program to be measured.

    `finds` is False for one that is given the list of URLs, and has nothing to find.
    """
    name: str
    command: list[str]
    finds: bool = True
    ours: bool = False

    def with_urls(self, url: str, urls: Path, folder: Path) -> list[str]:
        """The command, with {url}, {urls} (a file) and {folder} filled in."""
        known = {"{url}": url, "{urls}": str(urls), "{folder}": str(folder)}
        words = list(self.command)
        for name, value in known.items():
            words = [word.replace(name, value) for word in words]
        return words


def cores() -> list[int]:
    """The processor's cores that we may use."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))


def siblings(core: int) -> set[int]:
    """What the system calls cores, and is one with this one: they share what computes."""
    try:
        text = Path(f"/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list").read_text(encoding="ascii")
        ends = [[int(end) for end in part.split("-")] for part in text.strip().split(",")]
    except (OSError, ValueError):
        return {core}
    return {one for end in ends for one in range(end[0], end[-1] + 1)}


def two_cores() -> tuple[int, int] | None:
    """Two that share nothing, if there are."""
    first, *others = cores()
    second = next((core for core in others if core not in siblings(first)), None)
    return None if second is None else (first, second)


def run(timed: Path, command: list[str], stdin: Path, core: int | None = None, limit: float = 600) -> Run:
    """Runs a command. Throws Failed if it can't be run, or does not end within `limit` seconds.

    What it prints is thrown away, other than the end of what it says on standard error if it fails.
    """
    ours, theirs = os.pipe()
    with open(ours, encoding="ascii") as report, tempfile.TemporaryFile() as said, stdin.open("rb") as given:
        try:
            process = subprocess.Popen(
                [timed, str(theirs), "-" if core is None else str(core), *command], pass_fds=[theirs],
                stdin=given, stdout=subprocess.DEVNULL, stderr=said, start_new_session=True)
        finally:
            os.close(theirs)
        try:
            process.wait(limit)
        except subprocess.TimeoutExpired:
            raise Failed(f"did not end within {limit:g} s") from None
        finally:
            if process.poll() is None:  # late; or Ctrl-C, or any other reason to end
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        words = report.read().split()
        said.seek(0)
        last = said.read().decode("utf-8", "replace").strip().splitlines()[-1:]
    status = os.waitstatus_to_exitcode(int(words[4])) if words else 127
    if status in (126, 127) or status < 0:
        raise Failed(" ".join([f"ended with {status}:" if status > 0 else f"was ended by signal {-status}:", *last]))
    return Run(float(words[0]), float(words[1]) + float(words[2]), int(words[3]), status)


def in_turns(contestants: list[Contestant], rounds: int, run_one: Callable[[Contestant], Run],
             tell: Callable[[str], None] = lambda _: None) -> tuple[dict[str, list[Run]], dict[str, str]]:
    """The runs of all, by name; and what was wrong with those that failed, which have no runs.

    In each round another one begins, so that none is always the first. Whatever else the machine does
    falls on all.
    """
    runs: dict[str, list[Run]] = {one.name: [] for one in contestants}
    failed: dict[str, str] = {}
    for i in range(rounds):
        first = i % max(1, len(contestants))
        for one in contestants[first:] + contestants[:first]:
            if one.name in failed:
                continue
            tell(f"round {i + 1} of {rounds}: {one.name}")
            try:
                runs[one.name].append(run_one(one))
            except Failed as failure:
                failed[one.name] = str(failure)
                del runs[one.name]
    return runs, failed


def summary(values: list[float]) -> dict[str, float]:
    """Median, least and most."""
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def spread(values: dict[str, float]) -> float:
    """How far least and most are apart, as a share of the median."""
    return (values["max"] - values["min"]) / values["median"] if values["median"] else 0.0


def tell_on_terminal(words: str):
    """A line that the next one replaces; nothing if that isn't for this output."""
    if on_terminal(sys.stderr):
        print(f"\r\033[K{words[:width() - 1]}", end="", file=sys.stderr, flush=True)
