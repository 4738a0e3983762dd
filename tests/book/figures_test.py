#!/usr/bin/env python3
"""Are the figures what their sources say, and does what was recorded still happen?

STAGE1 and PRACTICE_SITE in the environment name the programs; without them, what needs them is skipped. (Some
figures show runs of scenes, which scenes_test.py compares with new ones.)
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ET

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIGURES = ROOT / "book" / "figures"
sys.path[:0] = [str(FIGURES), str(ROOT / "book" / "viewer"), str(ROOT / "tests" / "practice_site")]
sys.dont_write_bytecode = True
import draw  # noqa: E402  (their folders have just been put on the path)
import report_still  # noqa: E402
from practice_site import practice_site  # noqa: E402
from story import browser_here  # noqa: E402


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

    def test_every_figure_is_complete_and_has_no_fault(self):
        figures = sorted(FIGURES.glob("*.svg"))
        self.assertGreaterEqual(len(figures), 8)
        for path in figures:
            with self.subTest(path.name):
                text = path.read_text(encoding="utf-8")
                root = ET.fromstring(text)
                self.assertTrue(root.find("{*}title").text)
                self.assertTrue(root.find("{*}desc").text)
                self.assertEqual(draw.faults(text), [])

    def test_a_figure_with_a_fault_is_not_drawn(self):
        box, words = "box | 100 50 120 30 | one | words", "text | 100 100 | ink | words"
        for rows, fault in (
                (words + "\narrow | 40 96 300 96 | one", 'a line runs through "words"'),
                (words + "\nline | 110 60 130 140 | one", 'a line runs through "words"'),
                (words + "\narrow | 40 60 120 60 120 130 | one", 'a line runs through "words"'),
                ("text | 100 100 | ink | it is `i;\narrow | 40 96 140 96 | one", 'a line runs through "it is i;"'),
                ("arrow | 10 50 50 50 60 90 | one", "an arrow has a bend at 50, 50 that isn't a right angle"),
                ("line | 10 50 50 50 | one\narrow | 50 50 60 90 | one", "a bend at 50, 50 that isn't"),
                ("line | 9 50 9 60 | one\nline | 9 60 50 60 | one\narrow | 50 60 60 90 | one", "a bend at 50, 60"),
                (box + "\narrow | 20 55 300 55 | one", "an arrow runs through the box at 100, 50"),
                ("box | 100 50 120 30 | one | words that are longer", 'crosses the edge of the box at 100, 50'),
                ("box | 100 50 120 30 | one\ntext | 90 70 | ink | words", 'crosses the edge of the box at 100, 50'),
                (words + "\ntext | 110 104 | ink | more", '"more" and "words" touch'),
                ("text | 9 90 | ink | call next_turn", "is code, or some of it"),
                ("text | 9 90 | ink | `co_await` calls next()", "is code, or some of it"),
                ("text | -9 90 | ink | words", '"words" leaves the frame'),
                ("label | 9 90 | ink | words", '"words" leaves the frame'),
                ("text | 690 90 | ink | words", "720 is a page's width"),
                ("circle | 9 90 | ink", "there is no circle")):
            with self.subTest(rows), tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "new.fig"
                path.write_text(f"# kind: diagram\ntitle = New\n{rows}\n", encoding="utf-8")
                with self.assertRaises(SystemExit) as stopped:
                    draw.draw(path, draw.THEMES["light"])
                self.assertIn(fault, str(stopped.exception))

    def test_letters_that_a_phone_shows_too_small_are_a_fault(self):
        picture = draw.Picture("New", "", draw.THEMES["light"])
        picture.text(12, 60, "words", size=11)
        self.assertEqual(draw.faults(picture.svg()), ['"words" has size 11; 12 is the least'])

    def test_a_figure_beside_a_fault_is_drawn(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "new.fig"
            path.write_text("# kind: diagram\ntitle = New\n"
                            "box | 90 50 200 60 | soft\n"  # a frame around others
                            "box | 100 60 80 30 | one | `next()\n"
                            "arrow | 20 75 98 75 | one\narrow | 20 100 60 100 60 130 90 130 | one\n"
                            "line | 20 160 40 160 | one\nline | 40 160 20 160 | one\n"  # there and back
                            "arrow | 20 160 60 160 | one\n"
                            "arrow | 60 160 80 180 | one\n"  # begins where another ends
                            "text | 92 134 | ink | `next()` and words, `i;\n", encoding="utf-8")
            svg = draw.draw(path, draw.THEMES["light"])
        fonts = [font.partition(",")[0] for font in re.findall('<(?:text|tspan) [^>]*font-family="([^"]*)', svg)]
        code, words = "ui-monospace", "system-ui"
        self.assertEqual(fonts, [words, code, words, code, code])  # the title; in a box; a sentence with two names
        self.assertIn('viewBox="0 0 302 ', svg)  # as wide as what is in it


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

    @unittest.skipUnless("BUILD" in os.environ and browser_here(), "needs the programs and Chromium")
    def test_the_report_in_the_book_is_still_what_is_written(self):
        def words(svg):
            said = ET.fromstring(svg).find("{*}desc").text
            return re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d|after [\d.]+ s", "", said).split("; ")
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            page = report_still.report(pathlib.Path(os.environ["BUILD"]), folder)
            now = report_still.draw(report_still.seen(page, "light", browser_here(), folder), "light")
        then = (FIGURES / "html-report-light.svg").read_text(encoding="utf-8")
        self.assertEqual(words(now), words(then), "run book/figures/report_still.py, and look at what it draws")


if __name__ == "__main__":
    unittest.main()
