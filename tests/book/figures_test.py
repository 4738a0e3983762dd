#!/usr/bin/env python3
"""Are the figures what their sources say, and does what was recorded still happen?

STAGE1 and PRACTICE_SITE in the environment name the programs; without them, what needs them is skipped. (Some
figures show runs of scenes, which scenes_test.py compares with new ones.)
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ET

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIGURES = ROOT / "book" / "figures"
sys.path[:0] = [str(FIGURES), str(ROOT / "tests" / "practice_site")]
sys.dont_write_bytecode = True
import draw  # noqa: E402  (their folders have just been put on the path)
from practice_site import practice_site  # noqa: E402


class Drawn(unittest.TestCase):
    def run_check(self, folder):
        return subprocess.run([sys.executable, "-B", folder / "draw.py", "--check"], capture_output=True, text=True)

    def test_every_figure_is_what_its_source_says(self):
        done = self.run_check(FIGURES)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_a_change_of_a_figure_or_of_a_source_is_noticed(self):
        for name, old, new in (("two-stacks-dark.svg", "main", "niam"), ("two-stacks.fig", "main", "niam"),
                               ("three-pages.trace", "connected", "detcennoc"),
                               ("../scenes/07-fetch-one.trace", "on writable", "elbatirw no")):
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                copy = pathlib.Path(folder) / "figures"
                shutil.copytree(FIGURES, copy, ignore=shutil.ignore_patterns("__pycache__"))
                shutil.copytree(FIGURES.parent / "scenes", copy.parent / "scenes")
                text = (copy / name).read_text(encoding="utf-8")
                self.assertIn(old, text)
                (copy / name).write_text(text.replace(old, new), encoding="utf-8")
                done = self.run_check(copy)
                self.assertEqual(done.returncode, 1)
                self.assertIn("run book/figures/draw.py", done.stdout)

    def test_figures_are_complete_and_nothing_leaves_their_frame(self):
        figures = sorted(FIGURES.glob("*.svg"))
        self.assertGreaterEqual(len(figures), 8)
        svg = "{http://www.w3.org/2000/svg}"
        for path in figures:
            with self.subTest(path.name):
                root = ET.parse(path).getroot()
                self.assertTrue(root.find(svg + "title").text)
                self.assertTrue(root.find(svg + "desc").text)
                _, _, width, height = map(float, root.get("viewBox").split())
                for text in root.iter(svg + "text"):
                    long = len(text.text) * float(text.get("font-size")) * 0.56
                    left = {"start": 0, "middle": long / 2, "end": long}[text.get("text-anchor")]
                    begin = float(text.get("x")) - left
                    self.assertGreaterEqual(begin, 0, text.text)
                    self.assertLessEqual(begin + long, width + 8, text.text)
                    self.assertLess(float(text.get("y")), height, text.text)


@unittest.skipUnless("STAGE1" in os.environ and "PRACTICE_SITE" in os.environ, "needs the programs")
class Recorded(unittest.TestCase):
    """A new run of the same crawl has the structure of the recorded one."""

    def record(self, folder):
        trace = pathlib.Path(folder) / "new.trace"
        options = "--pages 4 --links 3 --seed 1 --latency 20".split()
        with practice_site(os.environ["PRACTICE_SITE"], *options) as site:
            subprocess.run([os.environ["STAGE1"], "--trace", trace, site.url],
                           check=True, capture_output=True, timeout=60)
        return trace

    def calls(self, trace):
        """Each fetch's callbacks in their order, by path; and all of them in order."""
        fetches, turns = draw.read_trace(trace)
        path = {fetch: "/" + known["url"].split("/", 3)[3] for fetch, known in fetches.items()}
        told = [(path[fetch], name) for turn in turns for fetch, name, _ in turn["calls"]]
        return {page: [name for where, name in told if where == page] for page in path.values()}, told

    def test_the_trace_in_the_book_still_matches(self):
        with tempfile.TemporaryDirectory() as folder:
            now, order = self.calls(self.record(folder))
        then, _ = self.calls(FIGURES / "three-pages.trace")
        # A response that comes in two pieces is one more call of the same callback.
        self.assertEqual({page: sorted(set(names)) for page, names in now.items()},
                         {page: sorted(set(names)) for page, names in then.items()})
        for page, names in now.items():
            self.assertEqual(names[0], "connected", page)
        links = [entry for entry in order if entry[0] != "/"]
        self.assertEqual([name for _, name in links[:3]], ["connected"] * 3)
        self.assertLess(order.index(("/", "read_response")), order.index(links[0]))


if __name__ == "__main__":
    unittest.main()
