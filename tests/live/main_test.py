#!/usr/bin/env python3
"""Does the program `crawl` write its trace where it's told to, and say what is wrong?

    tests/live/main_test.py CRAWL
"""
from __future__ import annotations

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CRAWL = sys.argv.pop(1) if len(sys.argv) > 1 else sys.exit(__doc__)


def crawl(*words: str | Path, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([CRAWL, *words], input=given, capture_output=True, text=True, check=False)


class Crawl(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "run.trace"

    def test_a_trace_file_has_the_lines_that_are_printed_otherwise(self):
        for settings in ([], ["workers=2", "room=1"]):
            printed = crawl(*settings, given="\n").stdout
            written = crawl("--trace", self.file, *settings)
            self.assertEqual((written.returncode, written.stderr), (0, ""))
            self.assertEqual(written.stdout.count("\n"), 1)
            self.assertEqual(written.stdout + self.file.read_text(encoding="utf-8"), printed)

    def test_a_wrong_setting_is_named_before_anything_is_written(self):
        self.file.write_text("kept", encoding="utf-8")
        done = crawl("--trace", self.file, "workers=0")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, "crawl: workers: '0' is no number from 1 to 20\n")
        self.assertEqual(self.file.read_text(encoding="utf-8"), "kept")

    def test_a_file_that_cannot_be_written_is_named(self):
        done = crawl("--trace", self.file / "below", "workers=2")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn(f"crawl: cannot write the trace file '{self.file / 'below'}': No such file or directory", done.stderr)

    def test_called_in_another_way_it_says_how_to_call_it(self):
        for words in (["--trace"], ["room=1", "--trace", self.file], ["--traces", self.file], ["--help"]):
            done = crawl(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("call it like this: crawl --trace FILE workers=2 room=1\n", done.stderr)
        self.assertFalse(self.file.exists())

    def test_a_run_for_each_line_even_after_a_wrong_one(self):
        done = crawl(given="workers=0\nworkers=1\n")
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stdout.startswith('{"error"'))
        self.assertTrue(done.stdout.endswith(crawl("workers=1").stdout))

    @unittest.skipUnless(Path("/dev/full").exists(), "there is no /dev/full here")
    def test_what_cannot_be_written_to_the_end_is_an_error(self):
        done = crawl("--trace", "/dev/full", "workers=2")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("No space left on device", done.stderr)


if __name__ == "__main__":
    unittest.main()
