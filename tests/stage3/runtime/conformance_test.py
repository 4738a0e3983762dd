"""Does conformance.py find the mistakes that it is meant to find?"""

import subprocess
import sys
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).parent


def case(name, success):
    return (f'<TestCase name="{name}"><OverallResultsAsserts successes="1" failures="0" '
            f'test_case_success="{str(success).lower()}"/></TestCase>')


class Conformance(unittest.TestCase):
    def run_on(self, table, *cases, whole=True):
        with TemporaryDirectory() as folder:
            path, program = Path(folder) / "table.txt", Path(folder) / "program"
            path.write_text(table)
            report = "<doctest><TestSuite>" + "".join(cases) + "</TestSuite></doctest>" * whole
            program.write_text(f"#!/bin/sh\ncat <<'END'\n{report}\nEND\n")
            program.chmod(0o755)
            answer = subprocess.run(
                [sys.executable, HERE / "conformance.py", "--table", path, program],
                capture_output=True, text=True, check=False)
            return answer.returncode, answer.stdout + answer.stderr

    def test_all_rows_pass(self):
        status, said = self.run_on("Part\nA1 M  must\nA2 O  - may\n", case("A1: it does", True),
                                   case("of no row", False))
        self.assertEqual(status, 0, said)
        self.assertIn("A1   M  pass      must", said)
        self.assertIn("A2   O  not done  may", said)

    def test_each_mistake_is_seen(self):
        passes = case("A1: a", True)
        for what, status, word, table, *cases in (
                ("one of two tests fails", 1, "FAIL", "A1 M  must\n", passes, case("A1: b", False)),
                ("a row that must be kept has no test", 1, "NO TEST", "A1 M  text\n"),
                ("a row that should be kept has no test", 1, "NO TEST", "A1 S  text\n"),
                ("an optional row has no test", 0, "NO TEST", "A1 O  text\n"),
                ("a row that must be kept is excused", 1, "not done", "A1 M  - not done\n"),
                ("an optional row fails", 1, "FAIL", "A1 O  text\n", case("A1: a", False)),
                ("a test has no row", 1, "A9", "A1 M  text\n", passes, case("A9: b", True)),
                ("a line is no row", 1, "table.txt:1", "A1 X  some text\n")):
            with self.subTest(what):
                found, said = self.run_on(table, *cases)
                self.assertEqual(found, status, said)
                self.assertIn(word, said)

    def test_a_program_that_crashes_is_seen(self):
        status, said = self.run_on("A1 O  text\n", case("A1: a", True), whole=False)
        self.assertEqual(status, 1)
        self.assertIn("did not complete", said)


if __name__ == "__main__":
    unittest.main()
