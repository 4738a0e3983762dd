"""What the programs that measure have in common."""
from __future__ import annotations

import argparse
import ctypes
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

sys.dont_write_bytecode = True
TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / folder) for folder in ("practice_site", "support", "bench/crawl_bench")]
from practice_site import PROGRAM as PRACTICE_SITE  # noqa: E402, F401  (their folders have just been put on the path)
from practice_site import practice_site  # noqa: E402, F401

STAGE3 = "stage3_queue_crawler/stage3"  # in a build directory


class Used(NamedTuple):
    """What a program has taken and said. Times in seconds; `peak`: bytes."""
    wall: float
    user: float
    system: float
    peak: int
    output: str

    @property
    def cpu(self) -> float:
        return self.user + self.system


def run(command: list, given: str = "", good: tuple = (0, 1), **how) -> Used:
    """Runs a program to its end. `given`: its standard input; `good`: exit statuses. A crawler's 1 may only mean that
    links are dead."""
    # Files, no pipes: most programs don't read their input, and some lose what a pipe has no room for.
    temporary = tempfile.TemporaryFile
    with temporary("w+") as stdin, temporary("w+") as stdout, temporary("w+") as said:
        stdin.write(given)
        stdin.seek(0)
        began = time.monotonic()
        program = subprocess.Popen([str(word) for word in command], stdin=stdin, stdout=stdout, stderr=said, **how)
        _, status, used = os.wait4(program.pid, 0)
        wall, program.returncode = time.monotonic() - began, os.waitstatus_to_exitcode(status)
        for file in (stdout, said):
            file.seek(0)
        if good and program.returncode not in good:
            sys.exit(f"{command[0]} ended with {program.returncode}: {said.read()[-500:]}")
        return Used(wall, used.ru_utime, used.ru_stime, used.ru_maxrss * 1024, stdout.read())


def nanoseconds(program: Path) -> dict[str, float]:
    """What a program of ours has measured: a name and a number in each line."""
    return {name: float(ns) for name, ns in (line.split("\t") for line in run([program], good=(0,)).output.splitlines())}


def processor_seconds(pid: int) -> float:
    """The processor time that a process has taken so far."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def libcurl_of(program: Path) -> str:
    """The libcurl that it's linked with, such as libcurl/8.14.1."""
    linked = subprocess.run(["ldd", program], capture_output=True, encoding="utf-8").stdout
    library = next(line.split()[2] for line in linked.splitlines() if "libcurl" in line)
    version = ctypes.CDLL(library).curl_version
    version.restype = ctypes.c_char_p
    return version().decode().split()[0]


def take_descriptors(needed: int = 0):
    """Allows the programs that we start as many as the system lets us have."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if 0 <= most < needed:
        sys.exit(f"a process may have {most} descriptors, and {needed} are needed: ulimit -n")
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def parser_of(doc: str) -> argparse.ArgumentParser:
    """Its help is a module's text."""
    return argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)


def measure_or_show(parser: argparse.ArgumentParser, measure: Callable, table: Callable, keep: str = "--json",
                    words: list[str] | None = None) -> int:
    """The whole of a program that measures, and shows what it has measured, now or earlier. `measure` is called with the
    options, and `table` with its result and with the options."""
    parser.add_argument(keep, type=Path, metavar="FILE", dest="keep", help="write what was measured there")
    parser.add_argument("--from", type=Path, metavar="FILE", dest="source", help="show what was measured earlier")
    options = parser.parse_args(words)
    if "build" in options and not options.build and not options.source:
        parser.error("name the build directory, of --buildtype=release: --build build-bench")
    told = json.loads(options.source.read_text(encoding="utf-8")) if options.source else measure(options)
    if options.keep:
        options.keep.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    print(table(told, options))
    return 0
