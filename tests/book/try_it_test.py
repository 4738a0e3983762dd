#!/usr/bin/env python3
"""What the links at the pages' feet hold: does it compile, and print what the page prints?

    tests/book/try_it_test.py [COMPILER...]

Each link on each page is read as Compiler Explorer reads it. Its text is compiled, without a warning, and
run with its arguments. What it prints must be what the page prints, but not if the compiler (g++) is a
clang++: it makes coroutine frames of other sizes. That godbolt.org opens the links isn't tried, because no
test reaches the network.
"""
from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "book"))
import try_it  # noqa: E402  (its folder has just been put on the path)
import weave  # noqa: E402

COMPILERS = ["g++"]
FEWEST = 9  # links: fewer would mean that a program has become too long, and nobody has noticed
WARNINGS = ["-Wall", "-Wextra", "-Werror"]


class Link:
    """One of a page: what it holds, and what the page says that it prints."""

    def __init__(self, page: str, shown: str, link: str, text: str):
        self.page, self.shown, self.link = page, shown, link
        session, = try_it.state_in(link)["sessions"]
        runs, = session["executors"]
        self.text, self.arguments = session["source"], runs["arguments"].split()
        self.options = [*runs["compiler"]["options"].split(), *(f"-l{one['name']}" for one in runs["compiler"]["libs"])]
        first = next(line for line in text.split("\n") if line.startswith("$ build/") and line.endswith(f"/{shown}"))
        self.prints = text.partition(f"{first}\n")[2].partition("\n```")[0].split("\n")


def links() -> list[Link]:
    found = []
    for page in sorted(ROOT.glob("book/*.md")):
        text = page.read_text(encoding="utf-8")
        found += [Link(page.name, shown, link, text) for shown, link in try_it.links_in(text).items()]
    return found


class Tried(unittest.TestCase):
    def test_links_are_short_enough_to_be_opened_and_there(self):
        all_links = links()
        self.assertGreaterEqual(len(all_links), FEWEST)
        for one in all_links:
            self.assertLessEqual(len(one.link), try_it.LONGEST, one.shown)

    def test_each_compiles_and_prints_what_the_page_prints(self):
        all_links = links()
        # One that is on several pages has the same text there, and is compiled once.
        texts = {(one.text, *one.options): one.options for one in all_links}
        jobs = [(compiler, key, options) for compiler in COMPILERS for key, options in texts.items()]
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
            made = pool.map(lambda at: self.compiled(Path(folder) / str(at), *jobs[at]), range(len(jobs)))
            programs = {(compiler, key): program for (compiler, key, _), program in zip(jobs, made)}
            for compiler in COMPILERS:
                for one in all_links:
                    with self.subTest(compiler=compiler, page=one.page, shown=one.shown):
                        self.check(programs[compiler, (one.text, *one.options)], compiler, one)

    def compiled(self, program: Path, compiler: str, key: tuple[str, ...], options: list[str]) -> Path:
        command = [compiler, *WARNINGS, "-x", "c++", "-", "-o", program, *options]
        done = subprocess.run(command, input=key[0], capture_output=True, encoding="utf-8")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return program

    def check(self, program: Path, compiler: str, one: Link):
        done = subprocess.run([program, *one.arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              encoding="utf-8", timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout)
        if "clang" not in compiler:
            printed = [line.rstrip() for line in done.stdout.rstrip().split("\n")]
            self.assertEqual(weave.differences(one.prints, printed, ""), [])


if __name__ == "__main__":
    COMPILERS = sys.argv[1:] or COMPILERS
    unittest.main(argv=sys.argv[:1])
