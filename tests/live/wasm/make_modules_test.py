#!/usr/bin/env python3
"""Does make_modules.py tell ninja what it has read, and say what goes wrong? With a compiler that compiles nothing."""
from __future__ import annotations

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

MAKE = Path(__file__).resolve().with_name("make_modules.py")
ROOT = MAKE.parents[3]
OUTPUTS = ("live.wasm", "tours.wasm", "miscompiled.wasm")
# It writes what it is asked to write: that it has read the source, and one header of ours.
COMPILER = """\
#!/bin/sh
[ "$1" != -dumpversion ] || { echo 19.1.7; exit; }
while [ $# -gt 0 ]; do
    case $1 in
    -MF) depfile=$2; shift ;;
    -o) echo >"$2" || exit; shift ;;
    *.cpp) source=$1 ;;
    esac
    shift
done
[ -z "$depfile" ] || printf 'one.o: %s \\\n  tests/live/crawl.h\n' "$source" >"$depfile"
"""


class Made(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()

    def make(self) -> subprocess.CompletedProcess[str]:
        self.compiler = self.folder / "clang++"
        self.compiler.write_text(COMPILER, encoding="utf-8")
        self.compiler.chmod(0o755)
        return subprocess.run([sys.executable, MAKE, "make", self.compiler, self.folder, self.folder / "live.wasm.d",
                               *(self.folder / name for name in OUTPUTS)], capture_output=True, text=True, check=False)

    def test_ninja_is_told_what_was_read_and_not_what_was_written(self):
        done = self.make()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        output, _, read = (self.folder / "live.wasm.d").read_text(encoding="utf-8").rstrip("\n").partition(": ")
        self.assertEqual(output, str(self.folder / "live.wasm"))
        self.assertEqual(read.split(), [str(ROOT / "tests/live/crawl.h"), str(MAKE)])

    def test_an_output_that_cannot_be_written_is_an_error(self):
        (self.folder / OUTPUTS[-1] / "in the way").mkdir(parents=True)
        done = self.make()
        self.assertEqual(done.returncode, 1)
        self.assertIn("IsADirectoryError", done.stderr)


if __name__ == "__main__":
    unittest.main()
