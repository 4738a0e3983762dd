#!/usr/bin/env python3
"""Can a reader change the runs of the book's live scenes, in a real browser?

LIVE_WASM in the environment names the module. As in viewer_page_test.py, a script in each page looks at it from
within (live_page_test.js); here, the pages are also opened where a browser refuses to run the module. Without the
module or Chromium, all is skipped (exit code 77).
"""
import concurrent.futures
import json
import os
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import viewer_page_test as viewer  # noqa: E402
from browser import BROWSER, DESK, TELEPHONE, dumped  # noqa: E402

import scenes  # noqa: E402  (its folder is on the path since `browser` was imported)

HERE = pathlib.Path(__file__).resolve().parent
WASM = pathlib.Path(os.environ.get("LIVE_WASM", ""))
LIVE = {name: scene for name, scene in scenes.all_scenes().items() if scene.live}
BIGGEST = 500_000  # bytes of a page, with all that it needs
NO_EVAL = """<meta http-equiv="Content-Security-Policy" content="script-src 'unsafe-inline'">"""


def page_of(name: str) -> str:
    return scenes.scene_page(LIVE[name], program=WASM.read_bytes())


def with_live_test(page: str) -> str:
    script = f"const LIVE_SOURCES = {json.dumps(scenes.OF_LIVE_RUNS)};\n"
    script += (HERE / "live_page_test.js").read_text(encoding="utf-8")
    return viewer.with_self_test(viewer.with_first(page, script), "live")


class Live(unittest.TestCase):
    def assertAllFine(self, looks: list[tuple[str, tuple[int, int], int, str]]):
        """Of each: a page, its size, how many checks there are at least, and the end of its address. They are opened
        side by side. (Not with virtual time, in which a module is compiled while no time passes for the page.)"""
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for look, seen in zip(looks, pool.map(lambda look: viewer.watch(look[0], look[1], look[3]), looks)):
                with self.subTest(seen.get("title"), size=look[1], link=look[3]):
                    self.assertEqual(seen["failures"], [])
                    self.assertGreater(seen["checks"], look[2])

    def test_a_reader_changes_each_scene_s_run_on_a_desk_and_on_a_telephone(self):
        self.assertGreaterEqual(len(LIVE), 3)
        self.assertAllFine([(with_live_test(page_of(name)), size, 1_000, "") for name in LIVE for size in (DESK, TELEPHONE)])

    def test_an_address_may_name_settings(self):
        self.assertAllFine([(with_live_test(page_of(name)), DESK, at_least, link) for name, link, at_least in (
            ("12-queue", "#ask=2&at=150&pages=12&workers=3", 10), ("18-workers", "#step=1", 2),
            ("13-room", "#workers=2&room=1", 15), ("13-room", "#workers=many&room=1", 15))])

    def test_a_page_that_can_not_be_unpacked_says_so(self):
        page = viewer.with_first(page_of("12-queue"), "delete window.DecompressionStream;")
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            seen = dumped(viewer.framed(folder, page, DESK).with_name("page.html").as_uri(), folder / "profile", DESK)
        self.assertRegex(seen, '<p id="note">This browser can.t unpack')

    def test_a_page_is_small(self):
        for name in LIVE:
            self.assertLess(len(page_of(name).encode()), BIGGEST, name)

    def test_where_the_module_may_not_run_the_recorded_run_is_played(self):
        looks = []
        for name in LIVE:
            refused = page_of(name).replace("<head>", f"<head>{NO_EVAL}", 1)
            self.assertIn(NO_EVAL, refused)
            looks += [(viewer.with_self_test(refused, "refused"), DESK, 8, ""),
                      (viewer.with_self_test(scenes.scene_page(LIVE[name]), "recorded"), DESK, 4, "")]
        self.assertAllFine(looks)


def main() -> int:
    if BROWSER is None or not WASM.is_file() or WASM.stat().st_size == 0:
        print("live_page_test.py: there is no Chromium here, or no module; nothing is tested")
        return viewer.SKIPPED
    return 0 if unittest.main(exit=False).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
