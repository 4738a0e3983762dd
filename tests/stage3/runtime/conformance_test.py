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

    def test_one_of_two_tests_fails(self):
        status, said = self.run_on("A1 M  must\n", case("A1: a", True), case("A1: b", False))
        self.assertEqual(status, 1)
        self.assertIn("FAIL", said)

    def test_a_row_without_a_test_is_seen(self):
        for level, expected in (("M", 1), ("S", 1), ("O", 0)):
            status, said = self.run_on(f"A1 {level}  text\n")
            self.assertEqual(status, expected)
            self.assertIn("NO TEST", said)

    def test_a_must_row_can_not_be_excused(self):
        status, _ = self.run_on("A1 M  - not done\n")
        self.assertEqual(status, 1)

    def test_an_optional_row_that_fails_is_seen(self):
        status, _ = self.run_on("A1 O  text\n", case("A1: a", False))
        self.assertEqual(status, 1)

    def test_a_test_without_a_row_is_seen(self):
        status, said = self.run_on("A1 M  text\n", case("A1: a", True), case("A9: b", True))
        self.assertEqual(status, 1)
        self.assertIn("A9", said)

    def test_a_program_that_crashes_is_seen(self):
        status, said = self.run_on("A1 O  text\n", case("A1: a", True), whole=False)
        self.assertEqual(status, 1)
        self.assertIn("did not complete", said)

    def test_a_line_that_is_no_row_is_refused(self):
        status, said = self.run_on("A1 X  some text\n")
        self.assertEqual(status, 1)
        self.assertIn("table.txt:1", said)


if __name__ == "__main__":
    unittest.main()
