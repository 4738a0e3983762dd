"""The contestants: ours, what no crawler can be faster than, and others that are installed."""
from __future__ import annotations

import os
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from measure import Contestant, Trouble, cores

HERE = Path(__file__).resolve().parent
TIMED = "tests/bench/timed"
LIBCURL = "tests/bench/multi_bench"
EPOLL = "tests/bench/epoll_bench"
STAGES = {1: "stage1_callbacks/stage1", 2: "stage2_coroutines/stage2", 3: "stage3_queue_crawler/stage3"}
HAS_EPOLL = sys.platform == "linux"
OTHERS = {"wget": "wget", "wget2": "wget2"}  # the command, and the package of Debian that brings it


@dataclass
class Rival:
    """A crawler that isn't ours: NAME=COMMAND, as it's given with --rival."""
    name: str
    command: list[str]


def read_rival(text: str) -> Rival:
    """Throws Trouble if it can't be that."""
    name, equals, command = text.partition("=")
    example = "write it like --rival 'wget2, 4 threads=wget2 -q -r --max-threads=4 -O /dev/null {url}'"
    try:
        words = shlex.split(command)
    except ValueError as problem:
        raise Trouble(f"--rival {text}: {problem}; {example}") from None
    if not name.strip() or not equals or not words:
        raise Trouble(f"--rival {text} has no name, or no command; {example}")
    if not any(place in command for place in ("{url}", "{urls}")):
        raise Trouble(f"--rival {text} does not say where the URL goes: put {{url}} there, "
                      "or {urls} for a file with all URLs, one a line")
    if shutil.which(words[0]) is None:
        raise Trouble(f"--rival {text}: there is no program '{words[0]}'; is it in PATH?")
    return Rival(name.strip(), words)


def floors(build: Path, at_once: int) -> list[Contestant]:
    """The floors: they are given the list of URLs, and read no page."""
    epoll = Contestant("epoll floor", [str(build / EPOLL), str(at_once)], finds=False)
    libcurl = Contestant("libcurl floor", [str(build / LIBCURL), str(at_once)], finds=False)
    return [epoll, libcurl] if HAS_EPOLL else [libcurl]


def stage3(build: Path, at_once: int, *more: str, name: str = "stage 3") -> Contestant:
    return Contestant(name, [str(build / STAGES[3]), "-q", "-w", str(at_once), *more, "-o", os.devnull, "{url}"],
                      ours=True)


def stages(build: Path) -> list[Contestant]:
    """The first two know no limit: they fetch all at once that they know of."""
    return [Contestant(f"stage {number}", [str(build / STAGES[number]), "{url}"], ours=True) for number in (1, 2)]


def others(at_once: int) -> list[Contestant]:
    """Other programs, as near to the same work as their options get. (wget has one connection, and forgets
    what it doesn't write.) Only those that are installed."""
    known = {
        "wget2": ["-q", "-r", "-l", "inf", f"--max-threads={at_once}", "--no-robots", "-O", os.devnull, "{url}"],
        "wget": ["-q", "-r", "-l", "inf", "-e", "robots=off", "--delete-after", "-P", "{folder}", "{url}"],
    }
    found = [Contestant(name, [name, *words]) for name, words in known.items() if shutil.which(name)]
    crawl = Contestant("Python's asyncio", [sys.executable, str(HERE.parent / "asyncio_crawl.py"), "-w",
                                            str(at_once), "{url}"])
    return [*found, crawl]


def missing() -> list[tuple[str, str]]:
    """The programs that are not here, each with its package."""
    return [(name, package) for name, package in OTHERS.items() if shutil.which(name) is None]


def line_up(kind: str, build: Path, at_once: int, rivals: list[Rival], only: list[str], free: bool = False) -> list[
        Contestant]:
    """The contestants in a measurement of this kind: "cost", "latency" or "memory".

    Where answers wait, all have the same number at once: who can't be told isn't there. Of memory, what the
    floors have says nothing. How many threads read pages matters where there is a core for them.
    """
    all_of_them = [stage3(build, at_once)]
    if kind != "latency":
        all_of_them = [*stages(build), *all_of_them,
                       stage3(build, at_once, "--format", "jsonl", name="stage 3, jsonl")]
    if kind == "cost" and free:
        all_of_them += [stage3(build, at_once, f"--parse-threads={number}", name=f"stage 3, {words}")
                        for number, words in ((0, "no thread"), (1, "1 thread"), (3, "3 threads"))
                        if number < max(2, len(cores()))]
    if kind != "memory":
        all_of_them = floors(build, at_once) + all_of_them
    all_of_them += [one for one in others(at_once) if kind != "latency" or one.name != "wget"]
    all_of_them += [Contestant(rival.name, [word.replace("{n}", str(at_once)) for word in rival.command],
                               finds="{urls}" not in " ".join(rival.command)) for rival in rivals]
    names = [one.name for one in all_of_them]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise Trouble(f"two contestants are called '{twice}': give your rival another name")
    chosen = [one for one in all_of_them if not only or any(word in one.name for word in only)]
    if not chosen:
        raise Trouble(f"--only {','.join(only)} leaves no crawler; there are: {', '.join(names)}")
    return chosen
