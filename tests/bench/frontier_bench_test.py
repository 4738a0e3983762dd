#!/usr/bin/env python3
"""Tests of frontier_bench.py. BUILD isn't needed; redis-server is, for the one that measures."""
import contextlib
import io
import json
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import frontier_bench  # noqa: E402

TOLD = {"redis": "7", "bytes": {"entry": 100, "link": 5, "waiting": 90, "record": 250, "host": 500,
                                "digest 16": 25, "digest 8": 14},
        "times": {"1": {"us": 400}, "10": {"us": 250}, "100": {"us": 200}}}

CHAOS = {"seed": 1, "records": 100_000, "in memory": 100_000, "given up": 0, "requests": 101_098, "fetched again": 1098,
         "taken over": 1200, "sessions": 150, "answers lost": 900,
         "faults": {"kill -9": 131, "a look": 3, "SIGSTOP": 18}, "exit statuses": {"0": 4}, "seconds": 90, "wrong": 0}


class Paper(unittest.TestCase):
    def test_the_plan_is_computed_from_the_measurements(self):
        for urls, numbers in ((1e9, ["500 GB", "25 GB", "27 GB", "5 GB", "57 GB", "1,157", "0.29", "0.46 Gbit/s",
                                     "2.7%", "10^-21", "1,700,000"]),
                              (2e9, ["1,000 GB", "10.3%"])):  # twice as much, and four times as many pairs
            text = frontier_bench.plan(TOLD, urls)
            for number in numbers:
                self.assertRegex(text, rf"(?m) {re.escape(number)}(   |$)")

    def test_a_url_has_74_bytes(self):
        self.assertEqual({len(frontier_bench.url_of(number)) for number in (0, 7, 199_999)}, {74})

    def test_the_tables_have_a_line_for_each_measurement_and_none_is_too_long_for_a_page(self):
        texts = [frontier_bench.table(TOLD), frontier_bench.chaos(CHAOS), frontier_bench.plan(TOLD, 1e9)]
        self.assertEqual([len(text.splitlines()) for text in texts], [1 + 7 + 2 + 3, 8 + 1, 1 + 13])
        self.assertLess(max(len(line) for text in texts for line in text.splitlines()), 90)
        self.assertEqual(texts[1].splitlines()[-1], "131 x kill -9, 18 x SIGSTOP")

    def test_a_list_of_faults_is_broken_at_commas(self):
        faults = {f"Redis killed {i} times": i for i in range(10, 20)}
        lines = frontier_bench.chaos({**CHAOS, "faults": faults}).splitlines()[8:]
        self.assertGreater(len(lines), 1)
        self.assertLessEqual(max(map(len, lines)), 80)
        self.assertEqual([line[-1] for line in lines[:-1]], [","] * (len(lines) - 1))


@unittest.skipUnless(shutil.which("redis-server"), "redis-server isn't installed")
class Measured(unittest.TestCase):
    def test_the_measurement_runs_against_redis(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "frontier.json"
            arguments = ["frontier_bench.py", "--urls", "3000", "--pages", "300", "--save", str(file)]
            with mock.patch.object(sys, "argv", arguments), contextlib.redirect_stdout(io.StringIO()) as said:
                self.assertEqual(frontier_bench.main(), 0)
            told = json.loads(file.read_text())
        self.assertEqual(said.getvalue(), frontier_bench.table(told) + "\n")
        self.assertTrue(all(one["pages"] == 300 for one in told["times"].values()), told)
        sizes = told["bytes"]
        self.assertTrue(all(size > 8 for what, size in sizes.items() if what != "link"), sizes)
        self.assertTrue(2 < sizes["link"] < 10, sizes)
        self.assertGreater(sizes["entry"], 74)  # the URL itself is in there
        self.assertLess(sizes["digest 16"], 40)


if __name__ == "__main__":
    unittest.main()
