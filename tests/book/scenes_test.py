#!/usr/bin/env python3
"""Do the programs still do what the book's scenes show, and do the scenes still fit the sources?

STAGE1, STAGE2, STAGE3, CHAIN_TOUR, FETCH_ONE, RUNTIME_TOUR, SERVER_TOUR, REDIS_TOUR, LIVE_CRAWL and PRACTICE_SITE in
the environment name the programs; without them, what needs them is skipped, as are the stories without node and
Chromium. If something has changed on purpose: `book/scenes/record.py --build build`, and look at
what git says has changed.
"""
import json
import os
import pathlib
import re
import struct
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "book" / "viewer"), str(ROOT / "book" / "scenes")]
sys.dont_write_bytecode = True
import picture  # noqa: E402  (their folders have just been put on the path)
import recording  # noqa: E402
import scenes  # noqa: E402
import stills  # noqa: E402
from steps import step_numbers  # noqa: E402
from story import checksum, story_of  # noqa: E402
from traces import LOSING_QUEUE, QUEUE, Trace, parse, split_place  # noqa: E402

PROGRAMS = {name: os.environ[name.upper()] for name in recording.PROGRAMS
            if name.upper() in os.environ}
SCENES = scenes.all_scenes()
ANEW = "the sources or the programs have changed: run book/scenes/record.py"


def structure(trace: Trace, count: int) -> list[str]:
    """What the first events are, without times, numbers and lines; and without what compilers call
    differently: arguments of templates."""
    told = []
    for event in trace.events[:count]:
        keys = ("event", "phase", "name", "function", "outcome", "item", "word", "how", "by")
        numbers = ("size", "unfinished", "getters", "putters")  # of a queue
        words = [str(event[key]) for key in keys + numbers if key in event]
        words += [f"in {place['name']}" for place in event.get("chain", [])]
        words += [split_place(event["at"])[0]] if "at" in event else []
        told.append(re.sub("<.*?>", "", " ".join(words)))
    return told


def steps_of(story: str, count: int) -> list[str]:
    """The first steps of a story. An indented line belongs to the step before it."""
    lines = story.splitlines()
    begins = [number for number, line in enumerate(lines) if not line.startswith(" ")]
    return lines[:begins[count]] if count < len(begins) else lines


def meta_in(page: str) -> dict:
    return json.loads(re.search(r'<script id="meta" type="application/json">(.*?)</script>', page, re.S)[1])


class Kept(unittest.TestCase):
    def test_each_scene_belongs_to_a_page_and_is_small(self):
        self.assertGreater(len(SCENES), 8)
        for scene in SCENES.values():
            with self.subTest(scene.name):
                self.assertTrue(scene.name.startswith(scene.page + "-"))
                self.assertEqual(len(list((ROOT / "book").glob(scene.page + "-*.md"))), 1)
                self.assertLess(scene.trace_file.stat().st_size, 100_000)

    def test_the_picture_of_the_viewer_is_small_and_shows_a_step_of_its_scene(self):
        for theme in stills.THEMES:
            file = ROOT / "book" / "figures" / f"viewer-{theme}.png"
            self.assertLess(file.stat().st_size, 150_000)
            width, height = struct.unpack(">II", file.read_bytes()[16:24])
            self.assertEqual((width, height), (picture.WIDTH * picture.SCALE, picture.HEIGHT * picture.SCALE))
        trace = SCENES[picture.SCENE].trace()
        event = trace.events[step_numbers(trace).index(picture.STEP)]
        self.assertEqual((event["event"], event["phase"]), ("task", "step"))

    def test_its_page_names_it_beside_its_still(self):
        for scene in SCENES.values():
            pages = "".join(page.read_text(encoding="utf-8")
                            for page in (ROOT / "book").glob(scene.page + "*-*.md"))
            for said in (f"./learn trace --scene {scene.name}\n", f"`./learn trace --scene {scene.name}`"):
                if said in pages:
                    break
            else:
                self.fail(f"page {scene.page} does not say how to open {scene.name}")
            self.assertIn(f'src="scenes/{scene.name}-light.svg"', pages)

    def test_the_steps_that_page_03a_numbers_are_those_of_its_scene(self):
        page = (ROOT / "book" / "03a-watch-it-turn.md").read_text(encoding="utf-8")
        scene = SCENES["03-callbacks"]
        numbers = step_numbers(scene.trace())
        self.assertEqual([int(number) for number in re.findall(r"\(step (\d+)\)", page)],
                         [numbers[index] for index in scene.moments(scene.trace())])

    def test_no_recording_is_left_over(self):
        known = {path.name for scene in SCENES.values()
                 for path in (scene.trace_file, scene.lines_file)}
        found = {path.name for kind in ("*.trace", "*.lines.json")
                 for path in (ROOT / "book" / "scenes").glob(kind)}
        self.assertEqual(found, known)

    def test_each_moment_is_in_its_trace_and_is_a_step(self):
        for scene in SCENES.values():
            with self.subTest(scene.name):
                trace = scene.trace()
                numbers = step_numbers(trace)
                self.assertFalse(trace.cut_off)
                self.assertNotIn(None, [numbers[index] for index in scene.moments(trace)])
                self.assertGreater(scene.steady(trace), 20)

    def test_each_line_that_a_scene_names_is_still_there(self):
        for scene in SCENES.values():
            with self.subTest(scene.name):
                self.assertEqual(scenes.move_lines(scene.trace(), scene.lines())[1], [], ANEW)

    def test_each_still_was_drawn_from_its_scene(self):
        for scene in SCENES.values():
            for theme in stills.THEMES:
                with self.subTest(scene.name, theme=theme):
                    self.assertTrue(stills.is_fresh(scene, theme), "run book/scenes/stills.py")

    def test_the_viewer_tells_each_scene_s_story_as_before(self):
        stories = {name: story_of(scene.trace_file.read_text(encoding="utf-8"))
                   for name, scene in SCENES.items()}
        if None in stories.values():
            self.skipTest("neither node nor Chromium")
        self.assertEqual({name: checksum(story) for name, story in stories.items()},
                         json.loads(scenes.STORIES.read_text(encoding="utf-8")),
                         "to see what it tells: book/scenes/record.py --stories FOLDER")


@unittest.skipUnless(len(PROGRAMS) == len(recording.PROGRAMS), "needs the programs")
class Recorded(unittest.TestCase):
    """A new run has the structure of the recorded one."""

    def test_a_new_run_of_each_scene_matches_the_recorded_one(self):
        for scene in SCENES.values():
            with self.subTest(scene.name):
                text = recording.record(PROGRAMS, scene.command, scene.site)
                self.compare(scene, scene.trace(), parse(text, "a new run"), text)

    def compare(self, scene, then: Trace, now: Trace, text: str):
        steady = scene.steady(then)
        self.assertEqual(scene.steady(now), steady)
        self.assertEqual(structure(now, steady), structure(then, steady))
        scene.moments(now)
        story = story_of(text)
        if story is not None:
            count = sum(number is not None for number in step_numbers(then)[:steady])
            kept = story_of(scene.trace_file.read_text(encoding="utf-8"))
            self.assertEqual(steps_of(story, count), steps_of(kept, count))


class Moved(unittest.TestCase):
    """Lines that have moved since."""

    FIRST = '{"t":0,"turn":0,"event":"trace","version":2,"program":"stage2"}\n'
    FILE = "stage2_coroutines/a.cpp"

    def moved(self, source: str, place: str, said: str):
        text = self.FIRST + f'{{"t":1,"turn":0,"event":"schedule","at":"{place}"}}\n'
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / self.FILE).parent.mkdir()
            (root / self.FILE).write_text(source, encoding="utf-8")
            trace, lost = scenes.move_lines(parse(text), {place: said}, root)
        return trace.events[1]["at"], lost

    def test_a_place_moves_to_the_nearest_line_that_says_the_same_or_is_lost(self):
        for source, at, said, today, is_lost in [
                ("one\ntwo\n    three\n", ":1", "three", ":3", False),
                ("x\n" * 3 + "y\n" * 3 + "x\n", ":6", "x", ":7", False),
                ("one\ntwo\n", ":2", "another", ":2", True),
                ("one\n", "", "", "", False)]:  # a file without a line
            place = self.FILE + at
            self.assertEqual(self.moved(source, place, said), (self.FILE + today, [place] * is_lost))

    def test_a_live_page_knows_of_the_recorded_run_what_that_run_s_own_page_knows(self):
        for scene in filter(lambda scene: scene.live, SCENES.values()):
            own, live = (meta_in(scenes.scene_page(scene, program=program)) for program in (None, b"a module"))
            of_recorded = ("about", "start", "moments", "anchors", "lost")
            self.assertEqual({key: live["recorded"][key] for key in of_recorded}, {key: own[key] for key in of_recorded})
            self.assertFalse({"start", "moments", "lost", "note"} & live.keys(), "that's true of the recorded run alone")

    def test_a_reader_who_takes_the_queue_s_cure_out_still_gets_all_pages(self):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            queue = root / QUEUE
            queue.parent.mkdir(parents=True)
            queue.write_text((ROOT / QUEUE).read_text(encoding="utf-8").replace("queue.give_back(", "// queue.give_back("),
                             encoding="utf-8")
            for program in (None, b"a module"):
                meta = meta_in(scenes.scene_page(SCENES["12-queue"], root, program))
                self.assertNotIn(LOSING_QUEUE, meta["sources"])
                self.assertIn(LOSING_QUEUE, " ".join(meta.get("recorded", meta)["lost"]))

    def test_a_rule_that_finds_nothing_names_itself(self):
        with self.assertRaisesRegex(scenes.NoSuchMoment, '"event": "select"'):
            trace = parse(self.FIRST + '{"t":1,"turn":1,"event":"task","phase":"step","id":1}\n')
            scenes.find(trace, {"event": "select"})


if __name__ == "__main__":
    unittest.main()
