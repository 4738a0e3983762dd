#!/usr/bin/env python3
"""Is the queue with a fault made of the book's queue, and of no other?"""
from __future__ import annotations

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

MAKE = Path(__file__).with_name("make_losing_queue.py")
QUEUE = MAKE.parents[2] / "stage3_queue_crawler/runtime/sync/queue.h"


def made_of(text: str) -> subprocess.CompletedProcess[str]:
    with tempfile.TemporaryDirectory() as folder:
        queue = Path(folder) / "queue.h"
        queue.write_text(text, encoding="utf-8")
        return subprocess.run([sys.executable, MAKE, queue], capture_output=True, text=True, check=False)


class LosingQueue(unittest.TestCase):
    def test_only_lines_of_the_fault_and_of_its_namespace_differ(self):
        queue = QUEUE.read_text(encoding="utf-8").splitlines()
        losing = made_of(QUEUE.read_text(encoding="utf-8")).stdout.splitlines()
        self.assertEqual(len(losing), len(queue))
        self.assertEqual([new for old, new in zip(queue, losing) if old != new],
                         ["namespace stage3::losing {",
                          "            // The fault: here, the book's queue gives the item back.",
                          "            static_cast<void>(queue);",
                          "} // namespace stage3::losing"])

    def test_a_queue_that_has_changed_is_refused_with_what_is_missing(self):
        done = made_of(QUEUE.read_text(encoding="utf-8").replace("queue.give_back(", "queue.return_("))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("this is in queue.h 0 times, and not once:\n            if (!taken", done.stderr)


if __name__ == "__main__":
    unittest.main()
