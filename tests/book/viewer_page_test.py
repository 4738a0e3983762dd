#!/usr/bin/env python3
"""Are the viewer's pages what a reader needs, in a real browser?

A scene of the book is made into a page, with viewer_page_test.js in it, and Chromium opens it: as
wide as a desk's screen, or as a telephone's. That script looks at everything, and leaves in the page
what is wrong. Without Chromium all is skipped (exit code 77).

That takes its time; so one small scene of each stage must do.
"""
import concurrent.futures
import functools
import http.server
import json
import pathlib
import queue
import subprocess
import sys
import tempfile
import threading
import unittest

sys.dont_write_bytecode = True
from browser import BROWSER, DESK, IN_PAGE, TELEPHONE, command, dumped, result_in, write_frame  # noqa: E402

import make_page  # noqa: E402  (its folder is on the path since `browser` was imported)
import scenes  # noqa: E402
from compare import compare_page  # noqa: E402

SELF_TEST = "".join(path.read_text(encoding="utf-8") for path in (IN_PAGE, IN_PAGE.with_name("viewer_page_test.js")))
CALM = "--force-prefers-reduced-motion"
SKIPPED = 77  # what meson takes for "skipped"
SCREENS = [(800, 640), (1024, 700), (1366, 768), (1920, 1080), TELEPHONE]
IN_THE_BOOK = (1262, 648)  # a scene, in a page that is 1280 px wide
SCENES = scenes.all_scenes()
SMALL = "07-fetch-one"
BIGGEST = 170_000  # bytes of a page, without what it shows

def with_self_test(page: str, part: str = "everything") -> str:
    before, end, after = page.rpartition("</script>")
    return f'{before}const PART = "{part}";\n{SELF_TEST}{end}{after}'


def with_first(page: str, script: str) -> str:
    """With a script that runs before the page's own."""
    before, begin, after = page.partition("<script>\n")
    return f"{before}{begin}{script}\n{after}"


def framed(folder: pathlib.Path, page: str, size: tuple[int, int], link: str = "") -> pathlib.Path:
    (folder / "page.html").write_text(page, encoding="utf-8")
    return write_frame(folder / "frame.html", [f"page.html{link}"], size)


def look_at(page: str, size: tuple[int, int], link: str = "") -> dict:
    """What the self test finds in a page that is opened with a link such as "#step=42"."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        return result_in(dumped(framed(folder, page, size, link).as_uri(), folder / "profile", window_of(size), CALM))


def window_of(size: tuple[int, int]) -> tuple[int, int]:
    return max(600, size[0]), size[1] + 100


class Reports(http.server.SimpleHTTPRequestHandler):
    """Hands out a folder, and takes what the page in it has found."""
    found: queue.Queue

    def do_POST(self):
        self.found.put(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def watch(page: str, size: tuple[int, int], link: str = "") -> dict:
    """As look_at, but the browser draws each frame, as it does for a reader: what the page does
    when the browser is about to draw never happens in virtual time."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = pathlib.Path(name)
        framed(folder, page, size, link)
        kind = type("Kind", (Reports,), {"found": queue.Queue()})
        with http.server.ThreadingHTTPServer(
                ("127.0.0.1", 0), functools.partial(kind, directory=name)) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            words = command(folder / "profile", window_of(size), CALM, "--disable-frame-rate-limit",
                            f"http://127.0.0.1:{server.server_port}/frame.html")
            browser = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                return json.loads(kind.found.get(timeout=240))
            except queue.Empty:
                return {"failures": ["the page has reported nothing"]}
            finally:
                browser.terminate()
                browser.wait()
                server.shutdown()


class Page(unittest.TestCase):
    def assertFine(self, page: str, size: tuple[int, int], link: str = "#walk=every"):
        result = look_at(with_self_test(page), size, link)
        self.assertEqual(result["failures"], [])
        self.assertEqual(result["width"], size[0])
        self.assertGreater(result["checks"], 200)


class OneOfEachStage(Page):
    def test_a_page_works_on_a_desk_and_on_a_telephone(self):
        for name, size, *link in (("03-callbacks", TELEPHONE), (SMALL, DESK, "#step=17&theme=dark&walk=every"),
                                  ("06-send", TELEPHONE), ("10-next-turn", DESK)):
            with self.subTest(name):
                self.assertFine(scenes.scene_page(SCENES[name]), size, *link)


class OtherParts(Page):
    def assertPart(self, part: str, page: str, size: tuple[int, int], at_least: int):
        with self.subTest(part, size=size):
            result = look_at(with_self_test(page, part), size)
            self.assertEqual(result["failures"], [])
            self.assertGreater(result["checks"], at_least)

    def page(self, name: str) -> str:
        trace = SCENES[name].trace()
        return make_page.make_page(trace, make_page.meta_of(trace))

    def test_a_page_goes_from_stop_to_stop_or_shows_every_step(self):
        for name, size in (("18a-chain", DESK), ("09-exception", TELEPHONE)):
            self.assertPart("walk", self.page(name), size, 100)

    def test_a_new_reader_is_told_what_the_page_shows_and_any_key_closes_that(self):
        page = self.page("09-exception")
        touched = with_first(page, "const real = matchMedia.bind(window); window.matchMedia = query => "
                             "query === '(pointer: coarse)' ? { matches: true } : real(query);")
        for size, seen in ((DESK, page), (TELEPHONE, touched)):
            self.assertPart("card", seen, size, 20)
        refusing = with_first(page, "Object.defineProperty(window, 'localStorage', "
                              "{ get() { throw new Error('refused'); } });")
        self.assertPart("card", refusing, DESK, 20)

    def test_two_runs_share_one_time_axis(self):
        both = [SCENES[name].trace() for name in ("03-callbacks", "18a-chain")]
        page = compare_page(both, ["Stage 1", "Stage 2"], ["run-1.html", "run-2.html"], "Stage 1 beside stage 2")
        for size in ((1366, 768), TELEPHONE):
            self.assertPart("compare", page, size, 60)

    def test_a_page_without_sources_of_a_trace_that_was_cut_off_works(self):
        whole = SCENES[SMALL].trace()
        cut = make_page.Trace("cut", whole.events[:30], True)
        meta = make_page.meta_of(cut) | {"sources": {}, "anchors": {}}
        self.assertPart("walk", make_page.make_page(cut, meta), DESK, 20)


    def as_drawn(self, trace: make_page.Trace, **more) -> str:
        with tempfile.TemporaryDirectory() as name:
            page = pathlib.Path(name, "page.html")
            page.write_text(make_page.make_page(trace, make_page.meta_of(trace, **more)), encoding="utf-8")
            return dumped(page.as_uri(), page.with_name("profile"))

    def test_a_page_of_a_trace_without_a_step_says_so(self):
        events = SCENES[SMALL].trace().events
        shown = self.as_drawn(make_page.Trace("empty", [events[0], events[-1]], False))
        self.assertRegex(shown, '<p id="note"[^>]*>There is no step in this trace[.]</p>')

    def test_a_page_leads_to_the_runs_that_it_is_compared_with(self):
        links = [{"title": "Both"}, {"title": "Stage 1", "href": "run-1.html"}]
        shown = self.as_drawn(SCENES[SMALL].trace(), links=links)
        self.assertIn('<b aria-current="page">Both</b><a href="run-1.html">Stage 1</a>', shown)


class Sight(Page):
    def test_the_current_line_is_in_sight_while_a_key_is_held(self):
        pages = {name: with_self_test(make_page.make_page(trace, make_page.meta_of(trace)), "sight")
                 for name in ("09-exception", "12-queue") for trace in [SCENES[name].trace()]}
        looks = [*(("09-exception", size) for size in SCREENS), ("12-queue", IN_THE_BOOK)]
        with concurrent.futures.ThreadPoolExecutor() as pool:
            for (name, size), seen in zip(looks, pool.map(lambda look: watch(pages[look[0]], look[1]), looks)):
                with self.subTest(name, size=size):
                    self.assertEqual(seen["failures"], [])
                    self.assertGreater(seen["checks"], 130)


class Size(unittest.TestCase):
    def test_a_page_without_its_data_is_small(self):
        for name in (SMALL, "06-send"):
            trace = SCENES[name].trace()
            page = make_page.make_page(trace, {"title": ""})
            shown = make_page.data_of(trace, {"title": ""})
            self.assertLess(len(page.encode()) - len(shown.encode()), BIGGEST)


def main() -> int:
    if BROWSER is None:
        print("viewer_page_test.py: there is no Chromium here; nothing is tested")
        return SKIPPED
    return 0 if unittest.main(exit=False).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
