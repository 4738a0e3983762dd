#!/usr/bin/env python3
"""`meson install` installs a program that runs, its man page, and completions that shells understand.

    tests/stage3/program/installed_test.py BUILD

Without zsh, fish or groff, there are fewer tests.
"""
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD = sys.argv.pop()
EXPECTED = {"bin/stage3", "share/man/man1/stage3.1", "share/bash-completion/completions/stage3.bash",
            "share/zsh/site-functions/_stage3", "share/fish/vendor_completions.d/stage3.fish"}
COMPLETE = """
source "$1"
COMP_WORDS=("${@:2}")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_stage3
printf '%s\\n' "${COMPREPLY[@]}"
"""


def run(*command, **how):
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, **how)


@unittest.skipUnless(shutil.which("meson"), "needs meson")
class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        done = run("meson", "install", "-C", BUILD, "--no-rebuild", "--destdir", cls.folder.name)
        if done.returncode:
            raise RuntimeError(done.stdout + done.stderr)
        cls.top = next(path for path in Path(cls.folder.name).rglob("bin")).parent

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def options(self):
        shown = run(self.top / "bin/stage3", "--help").stdout
        options = set(re.findall(r"^  (?:-\w,)?(--[\w-]+)", shown, re.M))
        self.assertGreater(len(options), 20)
        return options

    def test_only_the_program_its_man_page_and_completions_are_installed(self):
        files = {str(path.relative_to(self.top)) for path in self.top.rglob("*") if path.is_file()}
        self.assertEqual(files, EXPECTED)

    def test_the_installed_program_runs(self):
        done = run(self.top / "bin/stage3", "--version")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"^stage3 \d")

    def test_the_man_page_has_every_option_of_the_help(self):
        page = (self.top / "share/man/man1/stage3.1").read_text().replace("\\-", "-")
        for option in self.options():
            self.assertIn(f"\\fB{option}\\fR", page)

    @unittest.skipUnless(shutil.which("groff"), "needs groff")
    def test_the_man_page_is_set_without_a_warning(self):
        page = self.top / "share/man/man1/stage3.1"
        done = run("groff", "-man", "-ww", "-Tascii", page)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def bash(self, *words):
        script = self.top / "share/bash-completion/completions/stage3.bash"
        done = run("bash", "-c", COMPLETE, "bash", script, "stage3", *words, cwd=self.top)
        self.assertEqual(done.stderr, "")
        return set(done.stdout.split())

    @unittest.skipUnless(shutil.which("bash"), "needs bash")
    def test_bash_completes_options_their_words_and_files(self):
        self.assertLessEqual(self.options(), self.bash("--"))
        self.assertEqual(self.bash("--format", "js"), {"jsonl"})
        self.assertEqual(self.bash("--scope", ""), {"prefix", "host", "domain"})
        self.assertEqual(self.bash("--scope", "="), {"prefix", "host", "domain"})
        self.assertEqual(self.bash("--scope", "=", "d"), {"domain"})
        self.assertEqual(self.bash("-o", "sh"), {"share"})
        self.assertEqual(self.bash("--workers", ""), set())
        self.assertEqual(self.bash("exa"), set())  # a URL
        self.assertNotIn("--print-for", self.bash("--"))

    @unittest.skipUnless(shutil.which("zsh"), "needs zsh")
    def test_zsh_reads_its_completions(self):
        done = run("zsh", "-f", "-n", self.top / "share/zsh/site-functions/_stage3")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    @unittest.skipUnless(shutil.which("fish"), "needs fish")
    def test_fish_completes_options_and_their_words(self):
        script = self.top / "share/fish/vendor_completions.d/stage3.fish"

        def complete(line):
            done = run("fish", "--no-config", "-c", f"source {script}; complete -C '{line}'")
            self.assertEqual(done.stderr, "")
            return {found.split("\t")[0] for found in done.stdout.splitlines()}

        self.assertLessEqual(self.options(), complete("stage3 --"))
        self.assertEqual(complete("stage3 --format js"), {"jsonl"})


if __name__ == "__main__":
    unittest.main()
