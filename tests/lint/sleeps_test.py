#!/usr/bin/env python3
"""sleeps.py finds what is planted."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SLEEPS = Path(__file__).with_name("sleeps.py")


class Sleeps(unittest.TestCase):
    def found(self, text, name="a_test.py"):
        """The lines that sleeps.py names in a tree with this file alone."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "tests", name)
            path.parent.mkdir(parents=True)
            path.write_text(text, encoding="utf-8")
            run = subprocess.run([sys.executable, SLEEPS, folder], capture_output=True, text=True)
        self.assertEqual(run.stderr, "")
        lines = [int(line.split(":")[1]) for line in run.stdout.splitlines() if line.startswith("tests/")]
        self.assertEqual(run.returncode, 1 if lines else 0)
        return lines

    def test_long_waits_are_found(self):
        for wait in ["time.sleep(1)", "time.sleep(0.51)", "await asyncio.sleep(2)", "sleep(3)", "process.wait(10)",
                     "event.wait(timeout=1.5)", "run(['sh', '-c', 'sleep 1; echo x'])", "run(f'sleep 2m {x}')"]:
            self.assertEqual(self.found(f"async def f():\n    {wait}\n"), [2], wait)

    def test_short_waits_and_unknown_ones_pass(self):
        for wait in ["time.sleep(0.5)", "time.sleep(x)", "event.wait()", "process.wait(timeout=0.25)",
                     "run('sleep .1')", "say('they sleep well')", "subprocess.run(x, timeout=60)", "snooze(9)"]:
            self.assertEqual(self.found(f"{wait}\n"), [], wait)

    def test_a_comment_on_the_line_or_above_will_do(self):
        self.assertEqual(self.found("sleep(1)  # the clock has seconds\n"), [])
        self.assertEqual(self.found("# The clock has seconds.\nsleep(1)\n"), [])
        self.assertEqual(self.found("# The clock has seconds.\n\nsleep(1)\n# Now it is over.\n"), [3])
        self.assertEqual(self.found("sleep(1), say('# no comment')\n"), [1])

    def test_names_are_looked_up(self):
        self.assertEqual(self.found("LATE = 5\nx = 0\nsleep(LATE)\n"), [3])
        self.assertEqual(self.found("SOON = 0.2\nsleep(SOON)\n"), [])
        self.assertEqual(self.found("LATE = 5  # more than anything takes\nx = 0\nsleep(LATE)\n"), [])

    def test_commands_in_strings_of_many_lines_are_found(self):
        text = 'run("""\necho x\nsleep 3\n""")\n'
        self.assertEqual(self.found(text), [3])
        self.assertEqual(self.found("# The other has to wait.\n" + text), [])

    def test_commands_of_cpp_are_found(self):
        text = 'run({"sh", "-c",\n\n    R"(echo "x";\n\nsleep 3)"});\n'
        self.assertEqual(self.found(text, "a_test.cpp"), [5])
        self.assertEqual(self.found(text.replace("\n\n    R", "\n// It waits.\n    R"), "a_test.cpp"), [])
        self.assertEqual(self.found('f("sleep 1; curl http://a");\n', "a_test.cpp"), [1])
        self.assertEqual(self.found("// sleep 1\nf('\"', 1); // sleep 1\n", "a_test.cpp"), [])

    def test_tests_that_readers_do_not_run_may_wait(self):
        self.assertEqual(self.found("sleep(1)\n", "bench/a_test.py"), [])
        self.assertEqual(self.found("sleep(1)\n", "benches/a_test.py"), [1])


if __name__ == "__main__":
    unittest.main()
