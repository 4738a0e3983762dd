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

    def test_what_waits_for_long_without_a_reason_is_found(self):
        here_doc = 'run("""\necho x\nsleep 3\n""")\n'
        cpp = 'run({"sh", "-c",\n\n    R"(echo "x";\n\nsleep 3)"});\n'
        for text, lines, *name in [
                *[(wait, [1]) for wait in [
                    "time.sleep(1)", "time.sleep(0.51)", "sleep(3)", "process.wait(10)", "event.wait(timeout=1.5)",
                    "run(['sh', '-c', 'sleep 1; echo x'])", "run(f'sleep 2m {x}')"]],
                ("async def f():\n    await asyncio.sleep(2)", [2]),
                *[(wait, []) for wait in [
                    "time.sleep(0.5)", "time.sleep(x)", "event.wait()", "process.wait(timeout=0.25)", "run('sleep .1')",
                    "say('they sleep well')", "subprocess.run(x, timeout=60)", "snooze(9)"]],
                ("sleep(1)  # the clock has seconds", []), ("# The clock has seconds.\nsleep(1)", []),
                ("# The clock has seconds.\n\nsleep(1)\n# Now it is over.", [3]), ("sleep(1), say('# no comment')", [1]),
                # A name is looked up, and may have the comment.
                ("LATE = 5\nx = 0\nsleep(LATE)", [3]), ("SOON = 0.2\nsleep(SOON)", []),
                ("LATE = 5  # more than anything takes\nx = 0\nsleep(LATE)", []),
                # So may a string of many lines.
                (here_doc, [3]), ("# The other has to wait.\n" + here_doc, []), (cpp, [5], "a_test.cpp"),
                (cpp.replace("\n\n    R", "\n// It waits.\n    R"), [], "a_test.cpp"),
                ('f("sleep 1; curl http://a");', [1], "a_test.cpp"),
                ("// sleep 1\nf('\"', 1); // sleep 1", [], "a_test.cpp"),
                # What readers don't run may wait.
                ("sleep(1)", [], "bench/a_test.py"), ("sleep(1)", [1], "benches/a_test.py")]:
            with self.subTest(text):
                self.assertEqual(self.found(text + "\n", *name), lines)


if __name__ == "__main__":
    unittest.main()
