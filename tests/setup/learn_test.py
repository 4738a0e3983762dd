#!/usr/bin/env python3
"""Tests of what ./learn says before it builds anything."""
import contextlib
import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import tempfile
import termios
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
TOOLS = ["tests/bench/crawl_bench", "book/viewer/trace_tool.py", "book/site/make_book.py",
         "tests/stage3/shared_frontier/many/many.py"]
COMMANDS = (TOP / "learn").read_text(encoding="utf-8").split("\ncommands='")[1].split("'")[0].split()
PROGRAMS = os.environ.get("PROGRAMS", "").split()


def environment(**more):
    plain = {name: value for name, value in os.environ.items() if name not in ("CI", "NO_COLOR", "COLUMNS", "LINES")}
    return {**plain, "TERM": "xterm", **more}


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, env=environment(COLUMNS="80") | more, check=False,
                          stdin=subprocess.DEVNULL)


def learn(*words, **more):
    return run(TOP / "learn", *words, **more)


def on_terminal(columns, *command, awaited=None, fifo=None, **more):
    """What a command prints on a terminal of that width. If it's to go on once it has printed something, it waits for
    a fifo, which is opened then."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment(**more))
    os.close(theirs)
    said = b""
    with contextlib.suppress(OSError):  # so a terminal's other side ends
        while piece := os.read(ours, 65536):
            said += piece
            if awaited and awaited in said:
                awaited = Path(fifo).write_text("go on\n", encoding="ascii") and None
    os.close(ours)
    process.wait()
    return said.decode().replace("\r\n", "\n")


def function_of_learn(name):
    """The text of one of its functions, for a test of it alone."""
    return re.search(rf"^{name}\(\) {{.*?^}}$", (TOP / "learn").read_text(encoding="utf-8"), re.M | re.S)[0]


class WhatLearnSays(unittest.TestCase):
    def assert_no_wider(self, text, columns, what):
        self.assertGreater(len(text.splitlines()), 4, what)
        for line in text.splitlines():
            self.assertLessEqual(len(line), columns, f"{what}: {line}")

    def test_alone_it_names_six_commands_on_twelve_short_lines(self):
        said = learn()
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        self.assert_no_wider(said.stdout, 78, "learn")
        self.assertLessEqual(len(said.stdout.splitlines()), 12)
        self.assertEqual(said.stdout.count("\n  ./learn "), 6 if not (TOP / ".learn/place").exists() else 4)
        self.assertIn("  ./learn book ", said.stdout)
        self.assertIn("./learn help lists all commands", said.stdout)

    def test_help_fits_a_terminal_of_80_columns(self):
        self.assert_no_wider(learn("help").stdout, 80, "learn help")
        for tool in TOOLS:
            with self.subTest(tool):
                self.assert_no_wider(run("python3", TOP / tool, "--help").stdout, 80, tool)
        self.assertGreater(len(PROGRAMS), 3)
        for program in PROGRAMS:
            with self.subTest(program):
                self.assert_no_wider(run(program, "--help").stdout, 80, program)

    def test_help_names_each_command_that_a_typo_is_compared_with(self):
        help_page = learn("help").stdout
        for command in COMMANDS:
            self.assertIn(f"\n  ./learn {command}", help_page)

    def test_each_command_tells_what_it_is(self):
        own = ("crawl", "site", "many", "bench")  # asked above; the first two would be built here
        for words in [*[("help", command) for command in COMMANDS], *[(command, "--help") for command in COMMANDS if command not in own],
                      ("list", "-h"), ("test", "nothing", "--help"), ("trace", "1", "-h")]:
            with self.subTest(words):
                said = learn(*words)
                command = words[words[0] == "help" and words[1] in COMMANDS]
                self.assertEqual((said.returncode, said.stderr), (0, ""))
                self.assertRegex(said.stdout, rf"\A  \./learn {command}\b")
                self.assertNotRegex(said.stdout, "usage:|show this help|--needs|--build")
                for line in said.stdout.splitlines():
                    self.assertLessEqual(len(line), 80, line)
        self.assertEqual(learn("help", "crawl").stdout.splitlines()[-1], "Its options: ./learn crawl --help")
        self.assertEqual(len(learn("help", "yours", "demo").stdout.splitlines()), 1)

    def test_what_is_no_command_has_no_help(self):
        for words, why in [(("help", "chek"), "there is no command 'chek'; did you mean 'check'?"),
                           (("chek", "--help"), "there is no command 'chek'; did you mean 'check'?"),
                           (("help", "demo", "now"), "there is no command 'demo now'; did you mean 'demo'?")]:
            with self.subTest(words):
                said = learn(*words)
                self.assertEqual((said.returncode, said.stdout, said.stderr.split(" (see")[0]), (2, "", f"learn: {why}"))

    def test_a_typo_gets_the_nearest_command(self):
        for typo, command in {"chek": "check", "tets": "test", "hlep": "help", "crawl3": "crawl", "lsit": "list"}.items():
            said = learn(typo)
            self.assertEqual(said.returncode, 2)
            self.assertEqual(said.stderr, f"learn: there is no command '{typo}'; did you mean '{command}'? "
                                          "(see ./learn help)\n")
        for word in ["x", "deploy", "--all"]:
            self.assertEqual(learn(word).stderr, f"learn: there is no command '{word}' (see ./learn help)\n")

    def test_every_line_fits_the_terminal(self):
        for columns in (40, 60, 80, 120):
            for words in [(), ("help",), ("chek",), ("a-word-that-no-command-is-meant-by",), ("demo", "now"), ("yours",),
                          ("test", "--nothing"), ("list",), ("check", "none"), ("list", "none"), ("help", "yours"), ("trace", "--help"),
                          ("trace", "7"), ("trace", "--scene"), ("many", "--kill", "7"), ("bench", "--pages", "many")]:
                with self.subTest(columns=columns, words=words):
                    said = on_terminal(columns, TOP / "learn", *words)
                    self.assertTrue(said)
                    for line in re.sub("\033\\[[0-9;]*[mK]", "", said).splitlines():
                        self.assertLessEqual(len(line), columns, line)

    def test_columns_count_more_than_the_terminal(self):
        said = learn("help", COLUMNS="200").stdout
        self.assertEqual(on_terminal(60, TOP / "learn", "help", COLUMNS="200"), said)
        self.assertEqual(learn("help", COLUMNS="").stdout, learn("help").stdout)  # 80 where it's unknown
        self.assertEqual(learn("help", COLUMNS="wide").stdout, learn("help").stdout)

    def test_a_table_is_broken_in_its_last_column(self):
        said = learn("help", COLUMNS="60").stdout
        self.assertIn("  ./learn demo                  crawl a practice site on\n" + 32 * " " + "this machine with each stage\n", said)
        said = learn("help", COLUMNS="40").stdout
        self.assertIn("  ./learn demo\n      crawl a practice site on this\n      machine with each stage\n", said)

    def test_plain_text_has_no_escapes(self):
        for more in ({"NO_COLOR": "1"}, {"TERM": "dumb"}, {"CI": "true"}):
            for words in [("help",), ("list",), ("chek",)]:
                self.assertNotIn("\033", on_terminal(80, TOP / "learn", *words, **more))

    def test_it_says_where_the_reader_is(self):
        with tempfile.TemporaryDirectory() as folder:
            top = Path(folder)
            (top / "tests/setup").mkdir(parents=True)
            (top / ".learn").mkdir()
            (top / "bin").mkdir()
            for tool in ("awk", "cat", "dirname"):  # a bare machine: there is no Python
                (top / "bin" / tool).symlink_to(shutil.which(tool))
            shutil.copy(TOP / "learn", top)
            shutil.copy(TOP / "tests/setup/machine.sh", top / "tests/setup")
            bare = {"PATH": str(top / "bin"), "COLUMNS": "50"}
            shell = shutil.which("sh")
            said = subprocess.run([shell, top / "learn"], env=bare, capture_output=True, text=True, check=True)
            self.assertIn("./learn demo", said.stdout)
            (top / ".learn/place").write_text("You are on page 02, Sockets that don't wait; 2 of 70 exercises are done.\n")
            said = subprocess.run([shell, top / "learn"], env=bare, capture_output=True, text=True, check=True)
            self.assertIn("\nYou are on page 02, Sockets that don't wait; 2 of\n70 exercises are done.\n\n  ./learn check ", said.stdout)
            self.assertEqual(said.stderr, "")
            self.assertNotIn("./learn demo", said.stdout)

    def test_a_long_command_shows_its_time_each_second(self):
        script = "live=$1 columns=60 red= plain=\n" + "\n".join(map(function_of_learn, (
            "say", "wrapped", "begin", "title_before", "tell_time", "end", "quietly"))) + '\nquietly "$2/log" "Building a long title" sh -c "$3" sh "$2"'
        with tempfile.TemporaryDirectory() as folder:
            fifo = Path(folder) / "fifo"
            os.mkfifo(fifo)
            command = [shutil.which("sh"), "-c", script, "learn"]
            said = on_terminal(60, *command, "1", folder, 'echo "[3/67] x"; read -r line <"$1/fifo"',
                               awaited=b" 3 of 67 files, ", fifo=fifo)
            self.assertRegex(said, r"\ABuilding a long title \.\.\. (\rBuilding a long title \.\.\. 3 of 67 files, \d+ s\033\[K)+"
                                   r"\rBuilding a long title \.\.\. \033\[K\d+ s\n\Z")
            for columns in (20, 30, 40):
                titled = ["sh", "-c", script.replace("columns=60", f"columns={columns}").replace("Building a", "Building quite a"), "learn"]
                said = on_terminal(columns, *titled, "1", folder, 'echo "[3/67] x"; read -r line <"$1/fifo"', awaited=b" s\033[K", fifo=fifo)
                self.assertEqual("of 67 files" in said, columns == 40)
                for line in re.split("[\r\n]", said.replace("\033[K", "")):
                    self.assertLess(len(line), columns, line)
            self.assertRegex(run(*command, "", folder, "true").stderr, r"\ABuilding a long title \.\.\. \d+ s\n\Z")
            self.assertRegex(run(*command, "", folder, "false").stderr, r"\.\.\. failed\n\Z")

    def test_a_log_is_quoted_in_lines_that_fit(self):
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "log"
            log.write_text("[1/2] one\nFAILED: a.o\nc++ -c a.cpp\n../a.cpp:1:2: error: a sentence that goes on for longer than it\n"
                           "    1 | int answer() { return a_name_that_is_not_known; }\n      |     ^\n[2/2] two\n")
            script = "top=$1 columns=40 dir=$2\n" + "\n".join(map(function_of_learn, (
                "say", "wrapped", "show_end", "say_log", "show_first_error"))) + "\n" + re.search(
                    r"^quote\(\) .*$", (TOP / "learn").read_text(encoding="utf-8"), re.M)[0] + '\nshow_first_error "$3"\nshow_end "$3"'
            said = on_terminal(40, "sh", "-c", script, "learn", TOP, folder, log)
            self.assertTrue(said.startswith("    ../a.cpp:1:2: error: a sentence that\n      goes on for longer than it\n"
                                            "        1 | int answer() { return a_n...\n          |     ^\n"), said)
            self.assertEqual(said.count("\n      goes on for longer than it\n"), 2)
            bare = on_terminal(40, "sh", "-c", script, "learn", "/nowhere", folder, log)  # without Python, say
            self.assertIn("    ../a.cpp:1:2: error: a sentence that goes on for", bare)

    def test_yes_is_taken_anywhere(self):
        # None of these builds anything, since `demo` takes no argument.
        for words in [("--yes", "demo", "now"), ("demo", "--yes", "now"), ("demo", "now", "--yes")]:
            said = learn(*words)
            self.assertEqual(said.returncode, 2)
            self.assertEqual(said.stderr, "learn: demo takes no argument 'now' (see ./learn help)\n")


if __name__ == "__main__":
    unittest.main()
