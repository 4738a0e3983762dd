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
OUTPUTS = ("live.wasm", "tours.wasm", "cases.wasm", "miscompiled.wasm")
# It writes what it is asked to write: that it has read the source, and one header of ours. And it keeps its options
# and the source's first line.
COMPILER = """\
#!/bin/sh
[ "$1" != -dumpversion ] || { echo 19.1.7; exit; }
echo "$*" >>"$0.options"
while [ $# -gt 0 ]; do
    case $1 in
    -MF) depfile=$2; shift ;;
    -o) echo >"$2" || exit; shift ;;
    *.cpp) source=$1; read -r line <"$1"; echo "$line" >>"$0.read" ;;
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
        self.compiler = self.folder / "clang++"
        self.compiler.write_text(COMPILER, encoding="utf-8")
        self.compiler.chmod(0o755)

    def run_it(self, *words) -> subprocess.CompletedProcess[str]:
        """On a machine that has no programs but this compiler."""
        return subprocess.run([sys.executable, MAKE, *words], env={"PATH": str(self.folder)}, capture_output=True,
                              text=True, check=False)

    def make(self, *options) -> subprocess.CompletedProcess[str]:
        return self.run_it("make", *options, self.compiler, self.folder, self.folder / "live.wasm.d",
                           *(self.folder / name for name in OUTPUTS))

    def kept(self, what: str) -> list[str]:
        return (self.folder / f"clang++.{what}").read_text(encoding="utf-8").splitlines()

    def test_ninja_is_told_what_was_read_and_not_what_was_written(self):
        done = self.make()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        output, _, read = (self.folder / "live.wasm.d").read_text(encoding="utf-8").rstrip("\n").partition(": ")
        self.assertEqual(output, str(self.folder / "live.wasm"))
        self.assertEqual(read.split(), [str(ROOT / "tests/live/crawl.h"), str(MAKE)])

    def test_names_may_have_blanks_and_other_signs(self):
        self.compiler.write_text(COMPILER.replace("live/crawl.h", r"live/a\\ b\\#c$$.h"), encoding="utf-8")
        self.folder /= "d e"
        self.folder.mkdir()
        self.assertEqual(self.make().returncode, 0)
        text = (self.folder / "live.wasm.d").read_text(encoding="utf-8")
        self.assertTrue(text.startswith(f"{self.folder.parent}/d\\ e/live.wasm: "), text)
        self.assertIn(f" {ROOT}/tests/live/a\\ b\\#c$$.h ", text)

    def test_an_output_that_cannot_be_written_is_an_error(self):
        (self.folder / OUTPUTS[-1] / "in the way").mkdir(parents=True)
        done = self.make()
        self.assertEqual(done.returncode, 1)
        self.assertIn("IsADirectoryError", done.stderr)

    def test_a_warning_is_an_error_only_if_that_was_asked_for(self):
        self.assertEqual(self.make().returncode, 0)
        self.assertFalse([line for line in self.kept("options") if "-Werror" in line])
        self.assertEqual(self.make("--werror").returncode, 0)
        self.assertEqual(len([line for line in self.kept("options") if "-Werror" in line]), 8)

    def test_a_compiler_is_tried_with_all_that_the_modules_need_of_it(self):
        done = self.run_it("find")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "clang++\n", ""))
        self.assertEqual(self.kept("read"), ["#include <fmt/core.h>"])
        self.assertIn("-fexceptions -mllvm -enable-emscripten-cxx-exceptions", self.kept("options")[0])

    def test_without_a_compiler_it_says_so(self):
        self.compiler.unlink()
        done = self.run_it("find")
        self.assertEqual(done.returncode, 1)
        self.assertIn("(there is none); on Debian, clang-19", done.stdout)


if __name__ == "__main__":
    unittest.main()
