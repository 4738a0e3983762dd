#!/usr/bin/env python3
"""Tests of practice_site.py: the site runs as long as the body of the `with`, and no longer.

PRACTICE_SITE in the environment names the program.
"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import urllib.request

sys.dont_write_bytecode = True
import practice_site  # noqa: E402  (it is beside this file)

PROGRAM = os.environ.get("PRACTICE_SITE")


@unittest.skipUnless(PROGRAM, "needs the program")
class Started(unittest.TestCase):
    def assertEnded(self, site, status=0):
        self.assertEqual(site.process.returncode, status)
        self.assertTrue(site.process.stdin.closed and site.process.stdout.closed)
        with self.assertRaises(OSError):
            urllib.request.urlopen(site.url, timeout=10)

    def test_it_answers_and_then_ends(self):
        with practice_site.practice_site(PROGRAM, "--pages", "3") as site:
            self.assertEqual(urllib.request.urlopen(site.url, timeout=10).status, 200)
            self.assertEqual(site.url, f"http://127.0.0.1:{site.port}/")
        self.assertEnded(site)

    def test_it_ends_when_the_body_throws(self):
        with self.assertRaises(ZeroDivisionError), practice_site.practice_site(PROGRAM) as site:
            1 / 0
        self.assertEnded(site)

    def test_it_is_killed_if_it_does_not_end(self):
        with unittest.mock.patch.object(practice_site, "PATIENCE", 0.1):
            with practice_site.practice_site(PROGRAM) as site:
                site.process.send_signal(signal.SIGSTOP)  # a stopped process doesn't act on SIGTERM
        self.assertEnded(site, -signal.SIGKILL)

    def test_it_may_have_ended_before_the_body_does(self):
        with practice_site.practice_site(PROGRAM) as site:
            site.process.terminate()
            site.process.wait(30)  # it ends at once
        self.assertEnded(site)

    def test_the_port_and_the_core_may_be_chosen(self):
        core = min(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None
        with practice_site.practice_site(PROGRAM) as first:
            pass
        with practice_site.practice_site(PROGRAM, port=first.port, core=core) as site:
            self.assertEqual(site.port, first.port)
            if core is not None:
                self.assertEqual(os.sched_getaffinity(site.process.pid), {core})

    def test_it_ends_with_a_process_that_is_killed(self):
        told = "import os, signal, sys; sys.path.insert(0, sys.argv[1]); import practice_site\n" \
               "with practice_site.practice_site(sys.argv[2]) as site:\n" \
               "    print(site.process.pid, flush=True)\n    os.kill(os.getpid(), signal.SIGKILL)"
        here = pathlib.Path(__file__).parent
        done = subprocess.run([sys.executable, "-c", told, here, PROGRAM], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=60)  # its pipe ends when the site does
        self.assertEqual((done.returncode, done.stderr), (-signal.SIGKILL, ""))

    def test_a_site_that_does_not_start_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            silent = pathlib.Path(folder) / "silent"
            silent.write_text("#!/bin/sh\nexit 1\n", encoding="ascii")
            silent.chmod(0o755)
            with self.assertRaisesRegex(practice_site.NotStarted, "^`practice_site --pages 3` did not print its address$"):
                with practice_site.practice_site(silent, "--pages", "3"):
                    self.fail("it never ran")


if __name__ == "__main__":
    unittest.main()
