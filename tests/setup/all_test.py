#!/usr/bin/env python3
"""Tests of the steps in all.sh, each alone, in a made-up repository."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ALL = Path(__file__).with_name("all.sh")


class Steps(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = Path(folder.name)

    def write(self, path, text=""):
        file = self.top / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def run_in(self, script):
        """What a script prints that has the functions of all.sh. Without git."""
        done = subprocess.run(["sh", "-euc", f'top=$1 logs=$1/.learn; mkdir -p "$logs"; . "$2"\n{script}', "sh", self.top, ALL], text=True,
                              env={**os.environ, "GIT_DIR": str(self.top / "none")}, capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_without_git_clang_tidy_skips_the_same_files(self):
        for folder in ("common", "tests/stage1", "tests/exercises/01", "tests/lint", "tests/live", "tests/live/wasm", "build/x",
                       "tests/stage3/lifetime_traps"):
            self.write(f"{folder}/wrong.cpp")
        self.write("tests/lint/tidy.py", "import sys\nprint(*sorted(sys.argv[3:]))\n")
        self.assertEqual(self.run_in("open_build() { dir=build; }\nbuild() { :; }\ncheck_tidy"),
                         "common/wrong.cpp tests/live/wrong.cpp tests/stage1/wrong.cpp\n")

    def test_a_compiler_for_webassembly_is_tried_once_for_all_its_packages(self):
        self.write("tests/live/wasm/make_modules.py", "import sys\nopen('tried', 'a').write('tried\\n')\nsys.exit(1)\n")
        rows = self.run_in("is_debian_12() { :; }\nneeds_to_build() { :; }\nneeds_for_book() { :; }\nneeds_for_many() { :; }\n"
                           "cd $top\nneeds_for_all | grep clang++-19-for | while read -r kind rest; do\n"
                           '    has_"$kind" $rest || echo "$kind is missing"\ndone')
        self.assertEqual(rows, "wasm is missing\n" + 4 * "wasm_too is missing\n")
        self.assertEqual((self.top / "tried").read_text(), "tried\n")


if __name__ == "__main__":
    unittest.main()
