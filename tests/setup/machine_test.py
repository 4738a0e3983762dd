#!/usr/bin/env python3
"""Tests of machine.sh's search for a Redis: on made-up machines, which have next to nothing."""
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

MACHINE = Path(__file__).with_name("machine.sh")
TOOLS = ("awk", "cat", "ln", "mkdir", "sed", "tr")  # all that it needs to look


class Redis(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top, self.bin = Path(folder.name) / "top", Path(folder.name) / "bin"
        (self.top / ".learn").mkdir(parents=True)
        self.bin.mkdir()
        for tool in TOOLS:
            (self.bin / tool).symlink_to(shutil.which(tool))
        self.link = self.top / ".learn/bin/redis-server"

    def install(self, name, version, kind="Redis"):
        """A program that says its version if it's called as a server, as the real ones do."""
        program = self.bin / name
        program.write_text('#!/bin/sh\ncase $0 in *-server) ;; *) exit 1 ;; esac\n'
                           f'echo "{kind} server v={version} sha=00000000:0 malloc=jemalloc-5.2.1 bits=64"\n')
        program.chmod(0o755)

    def look(self, manager=None):
        """What it finds missing: packages, reasons, what is too old."""
        if manager:
            (self.bin / manager).symlink_to(shutil.which("true"))
        script = f'top={self.top} logs=$top/.learn; . {MACHINE}; look_for needs_for_many; ' \
                 'echo "$missing|$reasons|$outdated|$(command -v redis-server)"'
        said = subprocess.run([shutil.which("sh"), "-c", script], env={"PATH": str(self.bin)}, capture_output=True,
                              text=True, check=True)
        self.assertEqual(said.stderr, "")
        return [part.strip() for part in said.stdout.strip().split("|")]

    def test_a_server_that_is_installed_is_taken_as_it_is(self):
        self.install("redis-server", "7.0.15")
        self.install("redis-check-rdb", "7.0.15")
        self.assertEqual(self.look(), ["", "", "", str(self.bin / "redis-server")])
        self.assertFalse(os.path.lexists(self.link))

    def test_valkey_will_do(self):
        self.install("valkey-server", "8.1.3", "Valkey")
        self.assertEqual(self.look(), ["", "", "", str(self.link)])
        self.assertEqual(os.readlink(self.link), str(self.bin / "valkey-server"))

    def test_the_tools_have_a_server_in_them(self):
        self.install("redis-check-rdb", "7.0.15")
        self.assertEqual(self.look(), ["", "", "", str(self.link)])
        self.assertEqual(os.readlink(self.link), str(self.bin / "redis-check-rdb"))
        self.assertEqual(self.look(), ["", "", "", str(self.link)])  # and the link is found, the next time

    def test_a_link_to_what_is_gone_is_made_anew(self):
        self.install("redis-check-rdb", "7.0.15")
        self.look()
        (self.bin / "redis-check-rdb").unlink()
        self.install("valkey-server", "8.1.3", "Valkey")
        self.assertEqual(self.look()[:3], ["", "", ""])
        self.assertEqual(os.readlink(self.link), str(self.bin / "valkey-server"))

    def test_what_is_too_old_is_told(self):
        self.install("redis-server", "6.0.16")
        missing, reasons, outdated, _ = self.look()
        self.assertEqual((missing, reasons), ("", ""))
        self.assertEqual(outdated, "redis-server 6.0.16 is too old: 6.2 or later is needed")

    def test_something_newer_beside_it_will_do(self):
        self.install("redis-server", "6.0.16")
        self.install("valkey-server", "8.1.3", "Valkey")
        self.assertEqual(self.look(), ["", "", "", str(self.link)])

    def test_where_there_is_none_it_names_the_package(self):
        for manager, package in [("apt-get", "redis-tools"), ("dnf", "valkey"), ("pacman", "valkey"),
                                 ("apk", "valkey"), ("brew", "valkey")]:
            with self.subTest(manager):
                missing, reasons, outdated, found = self.look(manager)
                self.assertEqual((missing, outdated, found), (package, "", ""))
                self.assertRegex(reasons, f"^{package} +keeps what the processes of a shared crawl must all know$")
                (self.bin / manager).unlink()


if __name__ == "__main__":
    unittest.main()
