#!/usr/bin/env python3
"""Proves that coroutine_lint.py finds what it should, and nothing else.

The files in cases/ mark each line that must be found with `// bad: FORM`.
"""
from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
CASES = HERE / "cases"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(HERE / "coroutine_lint.py"), *arguments],
                          capture_output=True, text=True)


def lint(*names: str) -> subprocess.CompletedProcess[str]:
    return run(*[str(CASES / name) for name in names], "--", "-std=c++20")


def found(names: list[str]) -> list[tuple[str, int, str]]:
    return findings(lint(*names).stdout)


def findings(printed: str) -> list[tuple[str, int, str]]:
    lines = re.findall(r"^(\S+?):(\d+):\d+: (\w+): \S", printed, re.M)
    return sorted((Path(path).name, int(line), form) for path, line, form in lines)


def marked(names: list[str]) -> list[tuple[str, int, str]]:
    result = []
    for name in names:
        for number, line in enumerate((CASES / name).read_text().splitlines(), 1):
            result += [(name, number, form) for form in re.findall(r"// bad: (\w+)", line)]
    return sorted(result)


class Forms(unittest.TestCase):
    maxDiff = None

    def check(self, sources: list[str], *also: str) -> None:
        expected = marked(sources + list(also))
        self.assertTrue(expected)
        self.assertEqual(found(sources), expected)

    def test_conditions(self) -> None:
        self.check(["conditions.cpp"])

    def test_temporaries_and_braces(self) -> None:
        self.check(["temporaries.cpp"])

    def test_every_form_has_a_case(self) -> None:
        forms = {form for _, _, form in marked([path.name for path in CASES.iterdir()])}
        self.assertEqual(forms, {"condition", "conditional", "temporary", "braces"})

    def test_a_header_is_looked_into_and_told_once(self) -> None:
        self.check(["header_user_1.cpp", "header_user_2.cpp"], "in_header.h")

    def test_what_is_fine_is_left_alone(self) -> None:
        result = lint("fine.cpp")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))

    def test_something_found_is_exit_status_1(self) -> None:
        self.assertEqual(lint("conditions.cpp").returncode, 1)


class Builds(unittest.TestCase):
    """Build directories name files as they are seen from there."""

    def check(self, unity: bool) -> None:
        sources = ["conditions.cpp", "temporaries.cpp"]
        with tempfile.TemporaryDirectory(dir=HERE) as build:
            names = [f"../cases/{name}" for name in sources]
            if unity:
                names = ["cases-unity0.cpp"]
                (Path(build) / names[0]).write_text(
                    "".join(f"#include<{build}/../cases/{name}>\n" for name in sources))
            (Path(build) / "compile_commands.json").write_text(json.dumps([
                {"directory": build, "file": name, "command": f"clang++ -std=c++20 -c {name}"} for name in names]))
            result = run("-p", build, *[str(CASES / name) for name in sources])
        self.assertEqual(result.stderr, "")
        self.assertEqual(findings(result.stdout), marked(sources))

    def test_each_file_by_itself(self) -> None:
        self.check(unity=False)

    def test_several_files_compiled_as_one(self) -> None:
        self.check(unity=True)

    def test_a_file_that_is_not_compiled(self) -> None:
        with tempfile.TemporaryDirectory() as build:
            (Path(build) / "compile_commands.json").write_text("[]")
            result = run("-p", build, str(CASES / "fine.cpp"))
        self.assertEqual(result.returncode, 2)
        self.assertIn("fine.cpp is not compiled by", result.stderr)


class Failures(unittest.TestCase):
    def test_a_file_that_does_not_parse_is_an_error(self) -> None:
        for names in (["broken.cpp"], ["fine.cpp", "broken.cpp"]):
            result = lint(*names)
            self.assertEqual(result.returncode, 2)
            self.assertIn("broken.cpp:3", result.stderr)

    def test_a_file_that_is_not_there_is_an_error(self) -> None:
        self.assertEqual(lint("nobody.cpp").returncode, 2)

    def test_without_the_tool_nothing_passes(self) -> None:
        result = run("--clang-query", "no-such-command", str(CASES / "fine.cpp"), "--", "-std=c++20")
        self.assertEqual(result.returncode, 2)
        self.assertIn("no-such-command is not installed", result.stderr)

    def test_without_a_build_directory_nothing_passes(self) -> None:
        result = run("-p", str(CASES), str(CASES / "fine.cpp"))
        self.assertEqual(result.returncode, 2)
        self.assertIn("compile_commands.json is not there", result.stderr)
        self.assertEqual(run(str(CASES / "fine.cpp")).returncode, 2)


if __name__ == "__main__":
    program = unittest.main(exit=False, verbosity=2)
    failed = len(program.result.failures) + len(program.result.errors)
    print(f"{program.result.testsRun - failed} passed, {failed} failed")
    sys.exit(failed != 0)
