#!/usr/bin/env python3
"""Tests of what ./learn says before it builds anything."""
import os
import subprocess
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
TOOLS = ["tests/bench/crawl_bench", "book/viewer/trace_tool.py", "book/site/make_book.py",
         "tests/stage3/shared_frontier/many/many.py", "tests/exercises/exercises.py"]
PROGRAMS = os.environ.get("PROGRAMS", "").split()


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "COLUMNS": "80"}, check=False,
                          stdin=subprocess.DEVNULL)


def learn(*words):
    return run(TOP / "learn", *words)


class WhatLearnSays(unittest.TestCase):
    def assert_no_wider(self, text, columns, what):
        self.assertGreater(len(text.splitlines()), 4, what)
        for line in text.splitlines():
            self.assertLessEqual(len(line), columns, f"{what}: {line}")

    def test_alone_it_names_five_commands_on_twelve_short_lines(self):
        said = learn()
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        self.assert_no_wider(said.stdout, 78, "learn")
        self.assertLessEqual(len(said.stdout.splitlines()), 12)
        self.assertEqual(said.stdout.count("\n  ./learn "), 5)
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
        text = (TOP / "learn").read_text(encoding="utf-8")
        commands = text.split("\ncommands='")[1].split("'")[0].split()
        help_page = learn("help").stdout
        for command in commands:
            self.assertIn(f"\n  ./learn {command}", help_page)

    def test_a_typo_gets_the_nearest_command(self):
        for typo, command in {"chek": "check", "tets": "test", "hlep": "help", "crawl3": "crawl", "lsit": "list"}.items():
            said = learn(typo)
            self.assertEqual(said.returncode, 2)
            self.assertEqual(said.stderr, f"learn: there is no command '{typo}'; did you mean '{command}'? "
                                          "(see ./learn help)\n")
        for word in ["x", "deploy", "--all"]:
            self.assertEqual(learn(word).stderr, f"learn: there is no command '{word}' (see ./learn help)\n")

    def test_yes_is_taken_anywhere(self):
        # None of these builds anything, since `demo` takes no argument.
        for words in [("--yes", "demo", "now"), ("demo", "--yes", "now"), ("demo", "now", "--yes")]:
            said = learn(*words)
            self.assertEqual(said.returncode, 2)
            self.assertEqual(said.stderr, "learn: demo takes no argument 'now' (see ./learn help)\n")


if __name__ == "__main__":
    unittest.main()
