#!/usr/bin/env python3
"""Tests of how machine.sh looks for a Redis, on made-up machines that have next to nothing."""
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

MACHINE = Path(__file__).with_name("machine.sh")
TOOLS = ("awk", "cat", "ln", "mkdir", "sed", "tr")  # all that the search needs


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
        """A program that prints its version when called as a server, as the real ones do."""
        program = self.bin / name
        program.write_text('#!/bin/sh\ncase $0 in *-server) ;; *) exit 1 ;; esac\n'
                           f'echo "{kind} server v={version} sha=00000000:0 malloc=jemalloc-5.2.1 bits=64"\n')
        program.chmod(0o755)

    def look(self, manager=None):
        """What it reports: missing packages, reasons, what is too old."""
        if manager:
            (self.bin / manager).symlink_to(shutil.which("true"))
        script = f'top={self.top} logs=$top/.learn; . {MACHINE}; look_for needs_for_many; ' \
                 'echo "$missing|$reasons|$outdated|$(command -v redis-server)"'
        said = subprocess.run([shutil.which("sh"), "-c", script], env={"PATH": str(self.bin)}, capture_output=True,
                              text=True, check=True)
        self.assertEqual(said.stderr, "")
        return [part.strip() for part in said.stdout.strip().split("|")]

    def test_an_installed_server_is_used_directly(self):
        self.install("redis-server", "7.0.15")
        self.install("redis-check-rdb", "7.0.15")
        self.assertEqual(self.look(), ["", "", "", str(self.bin / "redis-server")])
        self.assertFalse(os.path.lexists(self.link))

    def test_valkey_is_accepted(self):
        self.install("valkey-server", "8.1.3", "Valkey")
        self.assertEqual(self.look(), ["", "", "", str(self.link)])
        self.assertEqual(os.readlink(self.link), str(self.bin / "valkey-server"))

    def test_the_package_of_tools_contains_a_server(self):
        self.install("redis-check-rdb", "7.0.15")
        self.assertEqual(self.look(), ["", "", "", str(self.link)])
        self.assertEqual(os.readlink(self.link), str(self.bin / "redis-check-rdb"))
        self.assertEqual(self.look(), ["", "", "", str(self.link)])  # and next time the link is found

    def test_a_dangling_link_is_replaced(self):
        self.install("redis-check-rdb", "7.0.15")
        self.look()
        (self.bin / "redis-check-rdb").unlink()
        self.install("valkey-server", "8.1.3", "Valkey")
        self.assertEqual(self.look()[:3], ["", "", ""])
        self.assertEqual(os.readlink(self.link), str(self.bin / "valkey-server"))

    def test_an_old_version_is_reported(self):
        self.install("redis-server", "6.0.16")
        missing, reasons, outdated, _ = self.look()
        self.assertEqual((missing, reasons), ("", ""))
        self.assertEqual(outdated, "redis-server 6.0.16 is too old: 6.2 or later is needed")

    def test_a_newer_server_beside_it_is_used(self):
        self.install("redis-server", "6.0.16")
        self.install("valkey-server", "8.1.3", "Valkey")
        self.assertEqual(self.look(), ["", "", "", str(self.link)])

    def test_without_a_server_it_names_the_package(self):
        for manager, package in [("apt-get", "redis-tools"), ("dnf", "valkey"), ("pacman", "valkey"),
                                 ("apk", "valkey"), ("brew", "valkey")]:
            with self.subTest(manager):
                missing, reasons, outdated, found = self.look(manager)
                self.assertEqual((missing, outdated, found), (package, "", ""))
                self.assertRegex(reasons, f"^{package} +holds the state that the processes of a shared crawl have in common$")
                (self.bin / manager).unlink()


if __name__ == "__main__":
    unittest.main()
