#!/usr/bin/env python3
"""Tests of frontier_bench.py. BUILD isn't needed; redis-server is, for the one that measures."""
import contextlib
import io
import json
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
        rows = [line.split("   ")[0] + " | " + " ".join(line[46:].split())
                for line in frontier_bench.plan(TOLD, 1e9).splitlines()]
        text = "\n".join(rows)
        for what in ["500 GB", "25 GB", "27 GB", "5 GB", "57 GB", "1,157", "0.29 ", "0.46 Gbit/s", "2.7%", "10^-21",
                     "1,700,000"]:
            self.assertIn(f"| {what}", text)

    def test_twice_as_many_urls_take_twice_as_much(self):
        self.assertIn(" 1,000 GB ", frontier_bench.plan(TOLD, 2e9))
        self.assertIn("10.3%", frontier_bench.plan(TOLD, 2e9))  # four times as many pairs

    def test_a_url_has_74_bytes(self):
        self.assertEqual({len(frontier_bench.url_of(number)) for number in (0, 7, 199_999)}, {74})

    def test_the_table_has_a_line_for_each_measurement(self):
        self.assertEqual(len(frontier_bench.table(TOLD).splitlines()), 1 + 7 + 2 + 3)

    def test_no_line_is_too_long_for_a_page(self):
        for text in (frontier_bench.table(TOLD), frontier_bench.plan(TOLD, 1e9), frontier_bench.chaos(CHAOS)):
            self.assertLess(max(map(len, text.splitlines())), 90)

    def test_the_results_of_chaos_become_a_table(self):
        lines = [" ".join(line.split()) for line in frontier_bench.chaos(CHAOS).splitlines()]
        self.assertIn("records 100,000", lines)
        self.assertIn("fetched again 1,098", lines)
        self.assertEqual(lines[-1], "131 x kill -9, 18 x SIGSTOP")

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
