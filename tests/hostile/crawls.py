"""Crawls of hostile servers, by the real programs: STAGE3 in the environment (and STAGE1, STAGE2, DEAD_LINKS) names them, else
they are those of ../../build.
"""
import collections
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE.parents[1] / "build"
PROGRAMS = {
    "stage1": os.environ.get("STAGE1") or str(BUILD / "stage1_callbacks/stage1"),
    "stage2": os.environ.get("STAGE2") or str(BUILD / "stage2_coroutines/stage2"),
    "small": os.environ.get("DEAD_LINKS") or str(BUILD / "stage3_queue_crawler/dead_links"),
    "stage3": os.environ.get("STAGE3") or str(BUILD / "stage3_queue_crawler/stage3"),
}

# What all crawls have in common; if an option is given twice, the last one counts. Time limits are short only in cases
# that are about time, so that a busy machine doesn't make others fail.
COMMON = ["--fetch-timeout", "20", "--max-body", "2M", "--max-tries", "2", "--workers", "4"]

# status: as in a shell, or "late" if the program had to be killed. peak: of its memory, in bytes.
Result = collections.namedtuple("Result", "status output said seconds peak")


def run(program, arguments, within=60, descriptors=0):
    """Runs "stage1", "stage2", "small" or "stage3" until it ends or its time is up."""
    command = [sys.executable, "-I", "-S", str(HERE / "took.py"), str(within), str(descriptors), PROGRAMS[program]]
    # Files instead of pipes, so that its output need not be read while it runs.
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as said:
        command += map(str, arguments)
        subprocess.run(command, stdin=subprocess.DEVNULL, stdout=output, stderr=said, check=False)
        output.seek(0)
        said.seek(0)
        words, _, told = said.read().rpartition(b"\ntook: ")
        if not told:
            raise RuntimeError(words.decode("latin-1"))
        status, seconds, peak = told.split()
        return Result("late" if status == b"late" else int(status), output.read(), words, float(seconds), int(peak))


def crawl(urls, options=(), within=60, descriptors=0):
    """By stage 3."""
    return run("stage3", [*COMMON, "--format", "jsonl", *options, *urls], within, descriptors)
