#!/usr/bin/env python3
"""Does make_modules.py tell ninja what it has read, say what goes wrong, and compile nothing twice? With a compiler
that compiles nothing."""
from __future__ import annotations

import os
import select
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

MAKE = Path(__file__).resolve().with_name("make_modules.py")
ROOT = MAKE.parents[3]
OUTPUTS = ("live.wasm", "tours.wasm", "cases.wasm", "miscompiled.wasm")
# It writes what it is asked to write: that it has read the source, one header of ours, one beside the compiler, and the
# losing queue. And it keeps its options and the source's first line. With a file `clang++.fails`, it can't compile our
# files. With HELD, it writes to a pipe before it writes a module, and waits until somebody has written to another.
COMPILER = """\
#!/bin/sh
[ "$1" != -dumpversion ] || { echo 19.1.7; exit; }
[ "$1" != --version ] || { echo clang 19; exit; }
echo "$*" >>"$0.options"
while [ $# -gt 0 ]; do
    case $1 in
    -MF) depfile=$2; shift ;;
    -o) output=$2; shift ;;
    -I/*) [ ! -f "${1#-I}/tests/live/losing_queue.h" ] || queue=${1#-I}/tests/live/losing_queue.h ;;
    *.cpp) source=$1; read -r line <"$1"; echo "$line" >>"$0.read" ;;
    esac
    shift
done
if [ -f "$0.fails" ] && [ "${source##*/}" != probe.cpp ]; then read -r said <"$0.fails"; echo "$said" >&2; exit 1; fi
case $output in *live.wasm) [ -z "$HELD" ] || { echo >"$HELD.reached"; read -r line <"$HELD"; } ;; esac
echo "$$" >"$output" || exit
[ -z "$depfile" ] || printf 'one.o: %s \\\n  tests/live/crawl.h \\\n %s %s\n' "$source" "$0.h" "$queue" >"$depfile"
"""


class Made(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()
        self.compiler = self.folder / "clang++"
        self.compiler.write_text(COMPILER, encoding="utf-8")
        self.compiler.chmod(0o755)
        self.header = self.folder / "clang++.h"
        self.header.write_text("1", encoding="utf-8")

    def run_it(self, *words) -> subprocess.CompletedProcess[str]:
        """On a machine that has no programs but this compiler."""
        return subprocess.run([sys.executable, MAKE, *words], env={"PATH": str(self.folder)}, capture_output=True,
                              text=True, check=False)

    def let_it_fail(self, said: str = "crawl.cpp:1:1: error: no") -> None:
        (self.folder / "clang++.fails").write_text(f"{said}\n", encoding="utf-8")

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
        self.assertEqual(read.split(), sorted([str(self.header), str(ROOT / "tests/live/crawl.h"), str(MAKE)]))

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
        self.assertEqual(len([line for line in self.kept("options") if "-Werror" in line]), 7)

    def test_a_compiler_that_fails_later_breaks_no_build_and_leaves_empty_modules(self):
        self.assertEqual(self.make().returncode, 0)
        for said, told in (("crawl.cpp:1:1: error: no", "no"), ("", "it fails with status 1")):
            self.let_it_fail(said)
            done = self.make()
            self.assertEqual((done.returncode, done.stdout), (0, ""))
            self.assertIn("warning: no module for a page", done.stderr)
            self.assertIn(f"{self.compiler} can't compile it: {told}\n", done.stderr)
            self.assertEqual([(self.folder / name).read_bytes() for name in OUTPUTS], 4 * [b""])
        read = (self.folder / "live.wasm.d").read_text(encoding="utf-8").split()
        for file in (MAKE, ROOT / "tests/live/crawl.h", ROOT / "common/trace/trace.h"):
            self.assertIn(str(file), read)

    def test_a_compiler_that_is_gone_breaks_no_build(self):
        self.compiler.unlink()
        self.assertEqual(self.make().returncode, 0)
        self.assertEqual(self.make("--werror").returncode, 1)

    def test_a_compiler_that_fails_later_is_an_error_if_that_was_asked_for(self):
        self.let_it_fail()
        done = self.make("--werror")
        self.assertEqual((done.returncode, done.stdout), (1, f"{self.compiler} can't compile it: no\n"))
        self.assertIn("crawl.cpp:1:1: error: no\n", done.stderr)

    @unittest.skipUnless(shutil.which("node"), "there is no node")
    def test_an_empty_module_is_a_skipped_test_that_says_why(self):
        self.let_it_fail()
        self.make()
        done = subprocess.run(["node", MAKE.with_name("twins_test.js"), "crawl", "cases", "tour",
                               *(self.folder / name for name in OUTPUTS)], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (77, ""))
        self.assertIn(f"Skipped: {self.compiler} can't compile it: no\n", done.stdout)

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

    # ---- For a page ----

    def page(self) -> subprocess.CompletedProcess[str]:
        return self.run_it("page", self.folder / "page")

    def files(self) -> list[str]:
        return sorted(os.listdir(self.folder / "page"))

    def test_a_page_gets_one_module_and_the_folder_nothing_else(self):
        done = self.page()
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, f"{self.folder}/page/live.wasm\n", ""))
        self.assertEqual(self.files(), ["live.wasm", "live.wasm.json"])
        self.assertFalse([line for line in self.kept("options") if "tours" in line or "cases" in line])

    def test_what_has_not_changed_is_not_compiled_again(self):
        module = self.folder / "page/live.wasm"

        def lets_it_compile(change) -> bool:
            change()
            before = self.kept("options"), module.exists() and module.read_bytes()
            self.assertEqual(self.page().returncode, 0)
            after = self.kept("options"), module.read_bytes()
            self.assertEqual(before[0] == after[0], before[1] == after[1])
            return before != after

        self.header.touch()  # a long time before, as it seems
        os.utime(self.header, (0, 0))
        self.page()
        self.assertFalse(lets_it_compile(lambda: None))
        self.assertFalse(lets_it_compile(lambda: os.utime(self.header, (1, 1))))
        self.assertTrue(lets_it_compile(lambda: (self.header.write_text("2", encoding="utf-8"),
                                                 os.utime(self.header, (1, 1)))))
        self.assertFalse(lets_it_compile(lambda: None))
        self.assertTrue(lets_it_compile(lambda: self.compiler.write_text(COMPILER.replace("clang 19", "clang 19.1"),
                                                                         encoding="utf-8")))
        self.assertTrue(lets_it_compile(module.unlink))
        self.assertTrue(lets_it_compile(lambda: module.write_bytes(b"another")))
        self.assertTrue(lets_it_compile(lambda: module.with_name("live.wasm.json").write_text("[]", encoding="utf-8")))
        self.assertFalse(lets_it_compile(lambda: None))

    def test_what_changes_while_it_is_compiled_is_compiled_again(self):
        os.utime(self.header, (2**32, 2**32))
        self.page()
        self.assertEqual(self.files(), ["live.wasm"])
        before = self.kept("options")
        self.page()
        self.assertNotEqual(self.kept("options"), before)

    def test_two_at_once_do_not_disturb_each_other(self):
        held, reached = self.folder / "pipe", self.folder / "pipe.reached"
        os.mkfifo(held)
        os.mkfifo(reached)
        with open(os.open(held, os.O_RDWR), "w", encoding="utf-8") as to_first, \
                open(os.open(reached, os.O_RDONLY | os.O_NONBLOCK), encoding="utf-8") as from_first, \
                subprocess.Popen([sys.executable, MAKE, "page", self.folder / "page"], stdout=subprocess.PIPE,
                                 text=True, env={"PATH": str(self.folder), "HELD": str(held)}) as first:
            ready, _, _ = select.select([from_first, first.stdout], [], [])
            second = self.page()
            between = {name: (self.folder / "page" / name).read_bytes() for name in self.files() if name[0] != "."}
            to_first.write("go on\n")
            to_first.flush()
            self.assertEqual(first.communicate()[0], f"{self.folder}/page/live.wasm\n")
            self.assertEqual(first.returncode, 0)
        self.assertEqual((ready, second.returncode), ([from_first], 0))  # the first hadn't ended
        self.assertEqual(sorted(between), ["live.wasm", "live.wasm.json"])
        self.assertNotEqual((self.folder / "page/live.wasm").read_bytes(), between["live.wasm"])
        self.assertEqual(self.files(), ["live.wasm", "live.wasm.json"])

    def test_without_a_compiler_a_page_is_told_so(self):
        self.compiler.unlink()
        done = self.page()
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("(there is none); on Debian, clang-19", done.stdout)
        self.assertEqual(self.files(), [])

    def test_a_compiler_that_fails_later_is_told_to_a_page(self):
        self.let_it_fail()
        done = self.page()
        self.assertEqual((done.returncode, done.stdout), (1, "clang++ can't compile it: no\n"))
        self.assertEqual(self.files(), [])

    def test_a_folder_that_cannot_be_made_is_told_to_a_page(self):
        (self.folder / "page").write_text("", encoding="utf-8")
        done = self.page()
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("its files can't be written or read: [Errno", done.stdout)


if __name__ == "__main__":
    unittest.main()
