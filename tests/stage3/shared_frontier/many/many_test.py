#!/usr/bin/env python3
"""`./learn many` as a whole, with few pages: it is exact, and leaves nothing behind, however it ends.

    BUILD=build tests/stage3/shared_frontier/many/many_test.py
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import uuid
from pathlib import Path

sys.dont_write_bytecode = True
import many  # noqa: E402
import redis_server  # noqa: E402
import resp  # noqa: E402

BUILD = Path(os.environ.get("BUILD", "build")).resolve()
TOOL = Path(__file__).with_name("many.py")
PATIENCE = 300  # seconds


def expect_signals():
    """Resets signals, which a process in the background may have been started to ignore."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class Run:
    """The tool, as a process. All processes that it starts have a mark in their environment, by which we find them."""

    def __init__(self, *options, build=BUILD):
        self.mark = uuid.uuid4().hex
        # A file, not a pipe, which a process left behind could keep open.
        self.output = tempfile.TemporaryFile("w+", encoding="utf-8")
        self.process = subprocess.Popen([sys.executable, TOOL, "--build", build, *options], stdin=subprocess.DEVNULL,
                                        stdout=self.output, stderr=subprocess.STDOUT, preexec_fn=expect_signals,
                                        env={**os.environ, "MANY_TEST": self.mark, "COLUMNS": "200"})

    @property
    def said(self):
        return os.pread(self.output.fileno(), 1 << 20, 0).decode()

    def wait_until_it_says(self, text):
        while text not in self.said:
            if self.process.poll() is not None:
                raise AssertionError(f"it never printed '{text}', but:\n{self.said}")
            time.sleep(0.01)

    def give_up(self):
        self.process.kill()
        self.process.wait()
        self.output.close()

    def left_behind(self):
        """Its processes and folders that still exist. If it was killed, these may take a moment to disappear."""
        deadline = time.monotonic() + PATIENCE
        while left := self._there():
            if time.monotonic() > deadline:
                break
            time.sleep(0.05)
        return left

    def _there(self):
        folders = re.findall(r"unix:(/tmp/redis_\w+)/socket", self.said)
        there = [folder for folder in folders if os.path.exists(folder)]
        for process in Path("/proc").glob("[0-9]*"):  # on systems that have /proc
            try:
                command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                # Redis overwrites its environment with its title.
                if self.mark.encode() in (process / "environ").read_bytes() or any(map(command.count, folders)):
                    there.append(command)
            except OSError:
                pass  # it has ended, or belongs to another user
        return there


class Undisturbed(unittest.TestCase):
    """No fault is injected, except for the process that the tool kills itself."""

    @classmethod
    def setUpClass(cls):
        cls.run_ = Run("--pages", "200")
        cls.addClassCleanup(cls.run_.give_up)
        cls.status = cls.run_.process.wait()
        cls.said = cls.run_.said

    def test_the_result_is_exact(self):
        self.assertEqual(self.status, 0, self.said)
        self.assertIn("\nExact: 200 pages, 12 redirects and 6 dead links, each once,", self.said)
        self.assertRegex(self.said, r"Process [13] wrote the report, of 218 records")

    def test_nothing_is_left(self):
        self.assertEqual(self.run_.left_behind(), [])

    def test_the_table_at_the_end_adds_up(self):
        rows = re.findall(r"^ +(\d)  +\d+  (left|taken over) +0 +(\d+)$", self.said, re.MULTILINE)
        self.assertEqual([(number, state) for number, state, _ in rows],
                         [("1", "left"), ("2", "taken over"), ("3", "left")])
        self.assertEqual(sum(int(done) for _, _, done in rows), 218)

    def test_others_take_over_the_urls_of_the_killed_process(self):
        held = int(re.search(r"process 2 is lost: .* Its (\d+) URLs? go back", self.said)[1])
        taken = re.search(r"what process 2 held is done: (.*)", self.said)[1]
        shares = re.findall(r"(\d+)(?: URLs?)? by process ([13])", taken)
        self.assertGreater(held, 0)
        self.assertEqual(sum(int(urls) for urls, _ in shares), held)


class Disturbed(unittest.TestCase):
    def run_until(self, text, *options, build=BUILD):
        run = Run(*options, build=build)
        self.addCleanup(run.give_up)
        run.wait_until_it_says(text)
        return run

    def assert_ends(self, run, status):
        self.assertEqual(run.process.wait(), status, run.said)
        self.assertEqual(run.left_behind(), [])

    def test_nothing_is_left_however_it_ends(self):
        for number, status, moment in [(signal.SIGINT, 130, "process 1 comes"), (signal.SIGTERM, 143, "Serving"),
                                       (signal.SIGHUP, 129, "First"), (signal.SIGINT, 130, "is killed: kill -9"),
                                       (signal.SIGKILL, -9, "is killed: kill -9"), (signal.SIGKILL, -9, "is killed when")]:
            with self.subTest(number=number, moment=moment):
                run = self.run_until(moment, "--pages", "1000")
                self.assertNotEqual(run._there(), [])
                run.process.send_signal(number)
                self.assert_ends(run, status)

    def test_keep_leaves_redis_until_ctrl_c(self):
        run = self.run_until("--report", "--pages", "30", "--processes", "1", "--keep")
        with resp.Client(re.search(r"unix:(\S+/socket)", run.said)[1]) as client:
            self.assertEqual(client.call("HGET", "{many}:meta", "state"), "complete")
            self.assertEqual(client.call("XLEN", "{many}:records"),
                             int(re.search(r"the report, of (\d+) records", run.said)[1]))
        run.process.send_signal(signal.SIGINT)
        self.assert_ends(run, 0)

    def with_another_stage3(self, script):
        """A build directory in which stage3 is that shell script."""
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        for program in (many.STAGE3, many.PRACTICE_SITE):
            (folder / program).parent.mkdir(parents=True)
        (folder / many.PRACTICE_SITE).symlink_to(BUILD / many.PRACTICE_SITE)
        (folder / many.STAGE3).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        (folder / many.STAGE3).chmod(0o755)
        return folder

    def test_differences_are_reported(self):
        build = self.with_another_stage3(f'[ "$1" != --frontier ] || set -- --max-depth 2 "$@"\n'
                                         f'exec {BUILD / many.STAGE3} "$@"')
        run = self.run_until("Not what one process alone found", "--pages", "200", "--kill", "0", build=build)
        self.assert_ends(run, 1)
        self.assertRegex(run.said, r"\n  \d+ URLs missing, such as http://127.0.0.1:\d+/")

    def test_a_process_that_fails_is_reported(self):
        build = self.with_another_stage3(f'[ "$1" != --frontier ] || {{ echo "out of order" >&2; exit 2; }}\n'
                                         f'exec {BUILD / many.STAGE3} "$@"')
        run = self.run_until("ended with status 2", "--pages", "30", build=build)
        self.assert_ends(run, 1)
        self.assertIn("\nout of order\n", run.said)


if __name__ == "__main__":
    redis_server.skip_if_there_is_none()
    unittest.main()
