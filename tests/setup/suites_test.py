#!/usr/bin/env python3
"""Tests of suites.py: it runs the tests of a made-up project that fail in every way that there is."""
import contextlib
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import textwrap
import unittest
import unittest.mock
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import suites  # noqa: E402
import terminal  # noqa: E402

SUITES = Path(__file__).with_name("suites.py")
ESCAPES = re.compile(r"\033\[\d*[A-Za-z]")
DOCTEST = f"""\
[doctest] doctest version is "2.4.9"
[doctest] run with "--help" for options
{'=' * 79}
a_test.cpp:7:
TEST CASE:  it is so

a_test.cpp:9: ERROR: CHECK( a == b ) is NOT correct!
  values: CHECK( 1 == 2 )

{'=' * 79}
[doctest] test cases:  1 |  0 passed | 1 failed | 0 skipped
[doctest] assertions:  1 |  0 passed | 1 failed |
[doctest] Status: FAILURE!
"""
UNITTEST = f"""\
.F.
{'=' * 70}
FAIL: test_it (a_test.It)
{'-' * 70}
Traceback (most recent call last):
AssertionError: 1 != 2

{'-' * 70}
Ran 3 tests in 0.1s

FAILED (failures=1)
"""
PROJECT = """\
project('made up')
sh = find_program('sh')
made = {}
foreach name : ['common', 'slow']
  made += {name: custom_target(name, output: name + '.txt', command: [sh, '-c', 'echo made >"$1"', 'sh', '@OUTPUT@'])}
endforeach
test('quick one', sh, args: ['-c', 'true'], suite: 'quick', depends: made['common'])
test('quick two', sh, args: ['-c', 'exit 77'], suite: ['quick', 'odd'])
test('it fails', sh, args: ['-c', 'seq 50; echo a sentence that says why; exit 3'], suite: 'bad')
test('it crashes', sh, args: ['-c', 'kill -SEGV $$'], suite: 'bad')
test('it hangs', sh, args: ['-c', 'echo so far so good; sleep 600'], suite: 'bad', timeout: 1)
test('as expected', sh, args: ['-c', 'false'], suite: 'bad', should_fail: true, depends: [made['slow'], made['common']])
test('not as expected', sh, args: ['-c', 'true'], suite: 'bad', should_fail: true)
test('it waits', sh, args: ['-c', 'exec >"$1"; sleep 600', 'sh', meson.project_source_root() / 'fifo'],
     suite: 'long', timeout: 600)
"""


def setUpModule():
    global build, fifo
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    source = Path(folder.name)
    (source / "meson.build").write_text(PROJECT)
    build, fifo = source / "build", source / "fifo"
    os.mkfifo(fifo)
    subprocess.run(["meson", "setup", build, source], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def environment(**more):
    plain = {name: value for name, value in os.environ.items() if name not in ("CI", "NO_COLOR", "COLUMNS", "LINES")}
    return {**plain, "TERM": "xterm", "MESON_TESTTHREADS": "8", **more}


def run(*words, stderr=subprocess.PIPE, **more):
    return subprocess.run([sys.executable, SUITES, *words], env=environment(**more), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=stderr, text=True)


def on_terminal(columns, *words, **more):
    """What it prints on a terminal of that width, and its exit status."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
    process = subprocess.Popen([sys.executable, SUITES, *words], stdin=theirs, stdout=theirs, stderr=theirs,
                               env=environment(**more))
    os.close(theirs)
    said = b""
    with contextlib.suppress(OSError):  # so a terminal's other side ends
        while piece := os.read(ours, 65536):
            said += piece
    os.close(ours)
    return said.decode(), process.wait()


class Told(unittest.TestCase):
    def test_a_suite_gets_one_line_in_a_pipe(self):
        said = run("run", build, "quick")
        self.assertRegex(said.stdout, r"\Aquick  1 of 2 passed, 1 skipped, \d+ s\n\n1 passed, 0 failed, 1 skipped\n\Z")
        self.assertEqual((said.returncode, said.stderr), (0, ""))

    def test_what_failed_is_told_with_its_log_and_its_command(self):
        numbers = build / "numbers"
        said = run("run", build, "bad", "quick", "--counts", numbers)
        self.assertEqual((said.returncode, said.stderr), (1, ""))
        self.assertNotRegex(said.stdout, "[\r\033]")
        self.assertRegex(said.stdout, r"(?m)^bad    1 of 5 passed, 4 failed, \d+ s$")
        for words in [r"'it fails' failed with exit status 3 after \d\.\d s:\n    32\n",
                      r"\n    a sentence that says why\nTo run it alone: ./learn test 'it fails'\n",
                      r"'it crashes' was killed by SIGSEGV after ", r"'not as expected' passed, although it's expected to fail",
                      r"'it hangs' timed out after \d\.\d s:\n    so far so good\n"]:
            self.assertRegex(said.stdout, words)
        self.assertNotIn("\n    31\n", said.stdout)
        self.assertNotIn("ninja", said.stdout)
        self.assertEqual(said.stdout.splitlines()[-1], "2 passed, 4 failed, 1 skipped")
        self.assertEqual(numbers.read_text(), "2 4 1\n")

    def test_a_test_without_a_result_has_failed(self):
        said_by_meson = '{"name": "made up:quick / quick one", "result": "OK"}\n{"name": "made up:qu'
        log = 'while [ "$1" != --logbase ]; do shift; done; echo ' \
              f"'{said_by_meson}' >\"$LOGS/$2.json\"; echo killed; exit "
        for status, said, failed in [(9, "meson ended with status 9. The last that it said:\n    killed", 1), (0, "", 1)]:
            with self.subTest(status), tempfile.TemporaryDirectory() as folder:
                meson = Path(folder) / "meson"
                meson.write_text(f"#!/bin/sh\n{log}{status}\n")
                meson.chmod(0o755)
                done = run("run", build, "quick", PATH=f"{folder}:{os.environ['PATH']}", LOGS=str(build / "meson-logs"))
                self.assertEqual(done.returncode, 1)
                self.assertIn("'quick two' has no result", done.stdout)
                self.assertEqual(done.stdout.splitlines()[-1], f"1 passed, {failed} failed")
                self.assertIn(said, done.stderr)

    def test_an_error_of_meson_is_a_failure_even_if_all_tests_passed(self):
        with tempfile.TemporaryDirectory() as folder:
            meson = Path(folder) / "meson"
            meson.write_text('#!/bin/sh\nwhile [ "$1" != --logbase ]; do shift; done\n'
                             'echo \'{"name": "made up:bad / it fails", "result": "OK"}\' >"$LOGS/$2.json"\nexit 1\n')
            meson.chmod(0o755)
            done = run("run", build, "it fails", PATH=f"{folder}:{os.environ['PATH']}", LOGS=str(build / "meson-logs"))
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1]), (1, "1 passed, 1 failed"))

    def test_a_test_that_was_run_alone_is_not_told_how_to_be(self):
        said = run("run", build, "it fails").stdout
        self.assertIn("a sentence that says why\n\nThe whole log:\n", said)
        self.assertNotIn("alone", said)

    def test_only_some_logs_are_shown_if_much_has_failed(self):
        with contextlib.redirect_stdout(sys.stdout), unittest.mock.patch("builtins.print") as printed:
            suites.tell_failures([{"test": f"t{number}", "result": "FAIL", "returncode": 1, "stdout": f"log {number}"}
                                  for number in range(1, 8)], build, build / "log")
        text = "\n".join(str(call.args[0]) for call in printed.call_args_list)
        self.assertIn("log 5", text)
        self.assertIn("To run it alone: ./learn test t5", text)
        self.assertNotIn("log 6", text)
        self.assertIn("./learn test t7", text)

    def test_lines_fit_the_terminal_and_are_updated_in_place(self):
        for columns in (60, 80, 120):
            with self.subTest(columns):
                said, status = on_terminal(columns, "run", build, "bad", "--then", "Next: nothing.")
                self.assertEqual(status, 1)
                self.assertRegex(said, r"\033\[1A\r\033\[J.*bad  \d of 5 passed, \d failed, 1 s")
                for line in re.split("[\r\n]+", ESCAPES.sub("", said)):
                    self.assertLessEqual(len(line), columns - line.startswith("bad"), line)
                self.assertRegex(ESCAPES.sub("", said).replace("\r", ""),
                                 r"1 passed, 4 failed\nNext: look at the first failure above; once it's mended:\s\./learn")

    def test_a_terminal_without_colours_gets_plain_lines(self):
        for name, value in [("NO_COLOR", "1"), ("TERM", "dumb"), ("CI", "true")]:
            with self.subTest(name):
                said, status = on_terminal(80, "run", build, "quick", "--then", "Next: read.", **{name: value})
                self.assertEqual(status, 0)
                self.assertNotIn("\033", said)
                self.assertRegex(said.replace("\r", ""), r"\Aquick  .*\n\n1 passed, 0 failed, 1 skipped\nNext: read.\n\Z")

    def test_many_suites_take_no_more_lines_than_the_terminal_has(self):
        out = unittest.mock.Mock()
        tests = [suites.Test(f"t{number}", (f"s{number}",), ()) for number in range(50)]
        with unittest.mock.patch.dict(os.environ, LINES="20", COLUMNS="80"), unittest.mock.patch.object(sys, "stdout", out):
            screen = suites.Screen(tests, [])
            screen.live = True
            screen.draw()
            screen.ended("t40", "OK")
        first, second = (call.args[0] for call in out.write.call_args_list)
        self.assertEqual(first.count("\n"), 19)
        self.assertTrue(second.startswith("\033[19A\r\033[J"))
        self.assertIn("s40  1 of 1 passed", second)

    def test_a_line_of_another_meson_is_understood(self):
        screen = suites.Screen([suites.Test("reads", ("io",), ()), suites.Test("it reads", ("io",), ())], [])
        with unittest.mock.patch.object(sys, "stdout"):
            for line in ["1/2 made-up:io / it reads        OK              0.05s", "garbage",
                         "2/2 io - made-up:reads   FAIL   12.50s   exit status 1"]:
                screen.line(line)
        self.assertEqual(screen.suites["io"].results, ["OK", "FAIL"])
        self.assertEqual([screen.name_in("io - made-up:reads"), screen.name_in("made-up:io / it reads")], ["reads", "it reads"])

    def test_what_helps_is_cut_out_of_a_log(self):
        self.assertEqual(suites.helpful(DOCTEST)[1:3], ["TEST CASE:  it is so", ""])
        self.assertEqual(len(suites.helpful(DOCTEST)), 6)
        self.assertEqual(suites.helpful(UNITTEST)[:2] + suites.helpful(UNITTEST)[-2:],
                         ["FAIL: test_it (a_test.It)", "Traceback (most recent call last):", "AssertionError: 1 != 2", ""])
        self.assertEqual(suites.helpful("a\n" * 3), ["a"] * 3)
        long = "=" * 79 + "\n" + "a line\n" * 100
        self.assertEqual(suites.helpful(long)[-2:], ["a line", "... (60 more lines)"])

    def test_ctrl_c_ends_the_tests_too(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen([sys.executable, SUITES, "run", build, "quick", "long"], stdout=subprocess.PIPE, text=True,
                                       env=environment())
            self.assertIn("quick", process.stdout.readline())
            with open(fifo, encoding="ascii") as test:  # which has begun, since it has opened it
                process.send_signal(number)
                self.assertEqual(test.read(), "")  # it has ended
            self.assertRegex(process.stdout.read(), r"\Along   0 of 1 passed, \d+ s\n(?s:.*)Stopped after \d+ s, with 2 of 3 tests done.\n\Z")
            process.stdout.close()
            self.assertEqual(process.wait(), 128 + number)


    def test_a_reader_who_has_read_enough_gets_no_traceback(self):
        read, write = os.pipe()
        os.close(read)
        done = subprocess.run([sys.executable, SUITES, "run", build, "quick"], env=environment(), stdin=subprocess.DEVNULL,
                              stdout=write, stderr=subprocess.PIPE, text=True)
        os.close(write)
        self.assertEqual((done.returncode, done.stderr), (128 + signal.SIGPIPE, ""))


class Selected(unittest.TestCase):
    def test_names_are_of_suites_or_tests(self):
        for words, number in [(["quick"], 2), (["odd"], 1), (["it fails"], 1), (["quick", "it fails"], 3), ([], 8),
                              (["--no-suite", "quick"], 6), (["--suite", "quick", "--suite", "bad", "--no-suite", "odd"], 6)]:
            with self.subTest(words):
                options = suites.options_of(["run", str(build), *words])
                self.assertEqual(len(suites.select_tests(suites.all_tests(build), options)), number)

    def test_an_unknown_name_is_refused(self):
        said = run("run", build, "baad")
        self.assertEqual((said.returncode, said.stdout), (2, ""))
        self.assertEqual(said.stderr, "learn: there is no suite or test 'baad'. Did you mean bad?\n"
                                      "The suites are: bad, long, odd, quick\n")

    def test_no_test_at_all_is_a_failure(self):
        said = run("run", build, "--suite", "none", stderr=subprocess.STDOUT)  # in one pipe, so that their order is seen
        self.assertEqual((said.returncode, said.stdout), (1, "learn: no test was run.\n\n0 passed, 1 failed\n"))

    def test_targets_are_those_of_the_chosen_tests(self):
        for words, files in [(["quick"], ["common.txt"]), (["bad"], ["common.txt", "slow.txt"]), (["long"], []), (["quick one", "it fails"], ["common.txt"]),
                             ([], ["common.txt", "slow.txt"]), (["--no-suite", "bad"], ["common.txt"])]:
            with self.subTest(words):
                said = run("targets", build, *words)
                self.assertEqual((said.returncode, said.stdout.split(), said.stderr), (0, files, ""))


class Wrapped(unittest.TestCase):
    def test_lines_break_between_words(self):
        for columns in range(20, 100):
            text = terminal.wrapped("A sentence that is longer than most lines, with words-and-hyphens in it.", columns)
            self.assertLessEqual(max(map(len, text.splitlines())), columns)
            self.assertEqual(" ".join(text.split()), "A sentence that is longer than most lines, with words-and-hyphens in it.")

    def test_commands_and_code_stay_whole(self):
        for code in ["./learn check 02.1", "./learn solution Y04 --give-up", "./learn yours check", "`co_await next()`",
                     "./learn test 'it fails'"]:
            for columns in range(30, 60):
                self.assertIn(code, terminal.wrapped(f"This is longer than the line: {code} and goes on and on.", columns))
        self.assertLessEqual(len(terminal.wrapped("Then ./learn list shows what is missing, and why.", 30).split("\n")[0]), 30)

    def test_code_that_no_line_holds_is_broken(self):
        self.assertEqual(terminal.wrapped("`throw one of these: a, b, or c`", 20), "`throw one of these:\na, b, or c`")

    def test_indented_lines_and_lists(self):
        self.assertEqual(terminal.wrapped("    int x = 1; // this is code\n- one two three four five\n  one two three four", 20),
                         "    int x = 1; // this is code\n- one two three four\n  five\n  one two three four")

    def test_what_is_quoted_is_broken_between_words(self):
        with unittest.mock.patch.dict(os.environ, COLUMNS="30"):
            self.assertEqual(terminal.quoted(["a.cpp:7: ERROR: CHECK( a == b ) is NOT correct!", "", "  values: CHECK( 1 == 2 ) and more"]),
                             "    a.cpp:7: ERROR: CHECK( a\n      == b ) is NOT correct!\n\n      values: CHECK( 1 == 2 )\n        and more")

    def test_a_line_of_code_is_cut_together_with_what_points_into_it(self):
        code = "const auto text = co_await read(socket);"
        for shown, fits in [
                ([f"   12 | {code}", "      |        ^~~~", "   13 |"],
                 ["   12 | const auto text...", "      |        ^~~~", "   13 |"]),
                ([f"   12 | {code}", "      |                            ^~~~", "      |                            label of it"],
                 ["   12 |...await read(so...", "      |         ^~~~", "      |         label o..."]),
                ([code, "                  ^~~~"], ["...to text = co_await r...", "             ^~~~"]),
                ([f"  +++ |+{code}"], ["  +++ |+const auto text..."]),
                (["2 | int x = y;", "  |         ^"], ["2 | int x = y;", "  |         ^"])]:
            with unittest.mock.patch.dict(os.environ, COLUMNS="30"):
                self.assertEqual(terminal.quoted(shown), textwrap.indent("\n".join(fits), "    "))

    def test_a_word_that_no_line_holds_keeps_its_margin(self):
        with unittest.mock.patch.dict(os.environ, COLUMNS="30"):
            path = "a/path/that/is/longer/than/the/line.cpp:7:"
            self.assertEqual(terminal.quoted([f"{path} error: this is it"]), f"    {path}\n      error: this is it")

    def test_the_width_is_that_of_any_terminal_that_we_are_on(self):
        script = "import sys; sys.path.insert(0, sys.argv[1]); import terminal; print('width', terminal.width(), file=sys.stderr)"
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, 61, 0, 0))
        for stream in ("stdin", "stdout", "stderr", ""):
            with self.subTest(stream), tempfile.TemporaryFile("w+") as said:
                others = {"stdin": subprocess.DEVNULL, "stdout": said, "stderr": said}
                subprocess.run([sys.executable, "-c", script, SUITES.parent], env=environment(), check=True,
                               **{**others, **({stream: theirs} if stream else {})})
                said.seek(0)
                told = os.read(ours, 100).decode() if stream == "stderr" else said.read()
                self.assertEqual(told.strip(), f"width {61 if stream else 80}")
        os.close(theirs)
        os.close(ours)

    def test_a_paragraph_is_one_text(self):
        markdown = textwrap.dedent("""\
            One sentence.
            Another one.

                int code;
                int more;

            - an item
              that goes on
            - the last
            """)
        with unittest.mock.patch.dict(os.environ, COLUMNS="80"):
            self.assertEqual(terminal.paragraphs(markdown), "One sentence. Another one.\n\n    int code;\n    int more;\n\n"
                                                            "- an item that goes on\n- the last")


if __name__ == "__main__":
    unittest.main()
