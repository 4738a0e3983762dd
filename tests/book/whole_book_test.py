#!/usr/bin/env python3
"""The built book in the hands of others: a browser, judges of accessibility, HTML and EPUBs, GitHub's
own reader of Markdown.

Each is another program: chromium; axe-core and vnu, which npm downloads; epubcheck; cmark-gfm.
What isn't here, or can't be had, is skipped, with a word; with --strict, that is a failure. The
last line counts, as `./learn test --all` wants it; AXE in the environment names a folder that may
keep what npm downloads. What most of the time goes to (npm, epubcheck, axe, vnu) runs beside the rest.
"""
from __future__ import annotations

import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import zipfile
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from html.parser import HTMLParser

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "book" / "site"))
sys.dont_write_bytecode = True
import needs  # noqa: E402  (its folder has just been put on the path)

SKIPPED = 77
needs.run_with_them(status_without=SKIPPED)
from browser import BROWSER, DESK, IN_PAGE, TELEPHONE, dumped, result_in, write_frame  # noqa: E402
import live  # noqa: E402
from make_page import make_page, meta_of  # noqa: E402
from scenes import all_scenes  # noqa: E402
from site_test import built_book  # noqa: E402
from viewer_page_test import watch  # noqa: E402

from book import Book  # noqa: E402
from epub import Epub  # noqa: E402
from markdown_it import MarkdownIt  # noqa: E402

BESIDE = ThreadPoolExecutor()
EPUBCHECK = shutil.which("epubcheck")
PAGE_TEST = pathlib.Path(__file__).with_name("site_page_test.js")
AXE, VNU = "axe-core@4.10.3", "vnu-jar@26.9.27"
RICH = "book/18a-stages-1-and-2-grown-up.html"  # drawings, a scene, listings, outputs, terms
LAST = "book/35-every-order.html"  # is far down in the contents
CODE = "source/common/small/event_loop.h.html"
JUDGED = ["index.html", RICH, "book/13-the-crawler.html", "book/20-what-must-outlive-what.html",
          "book/c-glossary.html", CODE, "exercises/index.html", "search.html?q=callback"]


@functools.cache
def begun(work: Callable) -> Future:
    """Runs in its own thread, beside the rest."""
    return BESIDE.submit(work)


class InABrowser(unittest.TestCase):
    def setUp(self):
        self.folder = built_book()[0]
        self.site = self.folder / "site"

    def with_script(self, url: str, script: pathlib.Path = PAGE_TEST) -> pathlib.Path:
        """A copy of a page, beside it, that begins with a script. It is removed with the test."""
        page = self.site / url
        tags = "".join(f'<script src="{one.as_uri()}"></script>' for one in (IN_PAGE, script))
        copy = page.with_name(f"{page.stem}.tried.html")
        copy.write_text(page.read_text().replace("<head>", f"<head>{tags}", 1))
        self.addCleanup(copy.unlink, missing_ok=True)
        return copy

    def assertFine(self, url: str, at_least: int, *more):
        profile = self.folder / f"profile-{threading.get_ident()}"  # making a new one takes a while
        result = result_in(dumped(url, profile, *more))
        self.assertEqual(result["failures"], [])
        self.assertGreaterEqual(result["checks"], at_least)


@unittest.skipUnless(BROWSER, "there is no Chromium here")
class Browser(InABrowser):
    def test_what_a_reader_does_works(self):
        for page, asked, checks in ((RICH, "?test=desk", 30), (CODE, "?test=lines#L19-L49", 3),
                                    ("search.html", "?q=co_await&test=results", 2)):
            with self.subTest(asked):
                self.assertFine(self.with_script(page).as_uri() + asked, checks)

    def test_a_scene_plays_in_its_page(self):
        page = self.with_script(RICH).as_uri()
        for size in (DESK, (768, 1024), (1600, 900)):
            with self.subTest(size):  # otherwise, a page from disk may not look into a frame from disk
                self.assertFine(f"{page}?test=scene", 15, size, "--allow-file-access-from-files")

    def test_a_live_scene_has_a_page_beside_the_recorded_one_and_plays_there_too(self):
        try:
            live.program()  # which the book's builder has kept
        except live.NoModule as reason:
            self.skipTest(str(reason))
        scenes = {name for name, scene in all_scenes().items() if scene.live}
        found = {file.stem.removesuffix("-live") for file in (self.site / "scenes").glob("*-live.html")}
        self.assertEqual(found, scenes)
        page = self.with_script("book/12-a-queue-of-work.html").as_uri()
        self.assertFine(f"{page}?test=live", 15, DESK, "--allow-file-access-from-files")

    def test_no_page_is_too_wide_for_a_telephone(self):
        folders = [sorted((self.site / name).glob("*.html")) for name in ("book", "exercises")]
        pages = ["index.html", "search.html", CODE, *(
            file.relative_to(self.site).as_posix() for files in folders for file in files
            if "location.replace" not in file.read_text())]  # that one is only a redirect
        long_words = ["print.html", "book/b-cpp20-for-this-book.html"]
        for urls, size in ((pages, TELEPHONE), (long_words, (305, 800))):
            with self.subTest(size):
                copies = [f"{self.with_script(url).relative_to(self.site).as_posix()}?test=narrow" for url in urls]
                frames = write_frame(self.site / "frames.html", copies, size)
                self.addCleanup(frames.unlink, missing_ok=True)
                self.assertFine(frames.as_uri(), 3 * len(urls))

    def test_what_is_on_a_page_is_listed_from_1100_px_on(self):
        for size in ((1100, 800), (1280, 800), (1440, 800)):
            with self.subTest(size):
                copies = [f"{self.with_script(LAST).relative_to(self.site).as_posix()}?test=beside"]
                frames = write_frame(self.site / "frames.html", copies, size)
                self.addCleanup(frames.unlink, missing_ok=True)
                self.assertFine(frames.as_uri(), 4)

    def test_without_a_script_nothing_is_missing(self):
        # A browser without any script can report nothing, so it may run one, and no other.
        page = self.with_script(RICH)
        text = re.sub(r"<script(?! src=.file:).*?</script>|</?noscript>", "", page.read_text())
        page.write_text(text)
        self.assertFine(f"{page.as_uri()}?test=plain", 6)


# ---- Accessibility ----------------------------------------------------------------------

JUDGE = """const COLOURS = ["color-contrast"]; // all else is the same in both themes
addEventListener("load", () => setTimeout(async () => {
  while (document.querySelector("#change") && !document.documentElement.dataset.ready)
    await new Promise(requestAnimationFrame); // a live page runs its program first
  const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  const failures = [];
  let checks = 0;
  for (const theme of ["light", "dark"]) {
    document.documentElement.dataset.theme = theme;
    const found = await axe.run(document, { runOnly: theme === "light" ? rules : COLOURS });
    checks += found.passes.length;
    for (const { id, nodes } of found.violations)
      failures.push(`${theme}, ${id}: ${nodes.length} times, as in ${nodes[0].html.slice(0, 120)}`);
  }
  InPage.report({ failures, checks });
}, 500));
"""


def modules_here() -> pathlib.Path:
    """Downloads axe-core and vnu, if npm and the network allow it and they aren't here already."""
    folder = pathlib.Path(os.environ.get("AXE") or built_book()[0] / "axe")
    folder.mkdir(exist_ok=True, parents=True)
    modules = folder / "node_modules"
    if shutil.which("npm") and not all((modules / name.split("@")[0]).exists() for name in (AXE, VNU)):
        command = ["npm", "install", "--prefix", folder, "--no-audit", "--no-fund", "--no-save",
                   "--fetch-retries=1", AXE, VNU]
        try:
            subprocess.run(command, capture_output=True, timeout=120)
        except subprocess.TimeoutExpired:
            pass
    return modules


def axe_here() -> pathlib.Path | None:
    script = begun(modules_here).result() / "axe-core" / "axe.min.js"
    return script if script.exists() else None


# What browsers know of CSS, and vnu not yet: two properties, and the unit cqh.
NEWER_CSS = ".*CSS: “((container-type|paint-order)”|(width|padding-bottom)”: Unknown dimension).*"


def what_vnu_says(*places: pathlib.Path) -> str | None:
    """Errors and warnings about HTML pages; None if vnu can't be had."""
    jar = begun(modules_here).result() / "vnu-jar" / "build" / "dist" / "vnu.jar"
    if not jar.exists() or not shutil.which("java"):
        return None
    said = subprocess.run(["java", "-jar", jar, "--skip-non-html", "--filterpattern", NEWER_CSS, *places],
                          capture_output=True, encoding="utf-8", timeout=240)
    return "\n".join(line for line in said.stderr.splitlines() if ": info: " not in line)


def vnu_on_the_site() -> str | None:
    return what_vnu_says(built_book()[0] / "site")


@unittest.skipUnless(BROWSER, "there is no Chromium here")
class Accessible(InABrowser):
    def test_axe_finds_nothing(self):
        axe = begun(axe_here).result()
        if axe is None:
            self.skipTest("axe-core can't be had: no npm here, or no network")
        judge = self.folder / "judge.js"
        judge.write_text(axe.read_text() + JUDGE)
        urls = [f"{self.with_script(path, judge).as_uri()}?{query}"
                for path, _, query in (url.partition("?") for url in JUDGED)]
        with ThreadPoolExecutor(os.cpu_count()) as browsers:
            list(browsers.map(lambda url: self.assertFine(url, 20), urls))
        frames = write_frame(self.site / "judged.html", urls, TELEPHONE)
        self.addCleanup(frames.unlink)
        self.assertFine(frames.as_uri(), 20 * len(urls))

    def test_axe_finds_nothing_in_the_viewer(self):
        axe = begun(axe_here).result()
        if axe is None:
            self.skipTest("axe-core can't be had: no npm here, or no network")
        trace = all_scenes()["16-workers"].trace()
        judge = f"{IN_PAGE.read_text()}\n{axe.read_text()}\n{JUDGE}".replace("</script", "<\\/script")
        for name, more in (("card", {}), ("run", {"moments": [{"step": 40, "caption": "No card is on this one."}]})):
            page = self.folder / f"viewer-{name}.html"
            shown = make_page(trace, meta_of(trace, **more))
            page.write_text(shown.replace("<head>", f"<head><script>{judge}</script>", 1))
            for size in (DESK, TELEPHONE):
                with self.subTest(name, size=size):
                    self.assertFine(write_frame(self.folder / "viewer.html", [page.name], size).as_uri(), 20)

    def test_axe_finds_nothing_in_a_live_page(self):
        axe = begun(axe_here).result()
        pages = sorted((self.site / "scenes").glob("*-live.html"))
        if axe is None or not pages:
            self.skipTest("axe-core can't be had, or no page is live")
        judge = f"{IN_PAGE.read_text()}\n{axe.read_text()}\n{JUDGE}".replace("</script", "<\\/script")
        judged = [(page, page.read_text().replace("<head>", f"<head><script>{judge}</script>", 1), size)
                  for page in pages for size in (DESK, TELEPHONE)]
        with ThreadPoolExecutor(os.cpu_count()) as browsers:
            for (page, _, size), result in zip(judged, browsers.map(lambda one: watch(one[1], one[2]), judged)):
                with self.subTest(page.name, size=size):
                    self.assertEqual(result["failures"], [])
                    self.assertGreater(result["checks"], 20)


# ---- EPUB, and Markdown -----------------------------------------------------------------


def epubchecked() -> list[subprocess.CompletedProcess]:
    """Of the EPUB, and of the one that links to the site."""
    folder = built_book()[0]
    Epub(Book(ROOT), "https://example.org/book/").write(folder / "linked.epub")
    # Debian's command is a Java archive, which the kernel runs only if it is configured to.
    java = ["java", "-jar"] if zipfile.is_zipfile(EPUBCHECK) else []
    return [subprocess.run([*java, EPUBCHECK, folder / name], capture_output=True, encoding="utf-8", timeout=240)
            for name in ("await-the-web.epub", "linked.epub")]


class Valid(unittest.TestCase):
    @unittest.skipUnless(EPUBCHECK, "there is no epubcheck here")
    def test_epubcheck_finds_nothing(self):
        for done in begun(epubchecked).result():
            said = done.stdout + done.stderr
            self.assertIn("No errors or warnings detected", said, said[-3000:])
            self.assertEqual(done.returncode, 0)

    def test_vnu_finds_nothing(self):
        said = begun(vnu_on_the_site).result()
        if said is None:
            self.skipTest("vnu can't be had: no npm or no java here, or no network")
        self.assertEqual(said, "")

    def test_vnu_would_find_an_error(self):
        if begun(vnu_on_the_site).result() is None:
            self.skipTest("vnu can't be had: no npm or no java here, or no network")
        page = built_book()[0] / "site" / "index.html"
        with tempfile.TemporaryDirectory() as name:
            wrong = pathlib.Path(name) / "wrong.html"
            wrong.write_text(page.read_text().replace("</main>", '<p id="twice"><p id="twice"></main>'))
            self.assertIn("Duplicate ID", what_vnu_says(wrong))


class Flat(HTMLParser):
    """HTML as a list: words, elements, and where links lead. What each writes in its own way, and
    means the same, is left out."""
    SAME = {"p", "br", "hr", "img", "source", "tbody", "thead"}

    def __init__(self, text: str):
        super().__init__()
        self.list: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        known = dict(attributes)
        where = " ".join(f"{name}={known[name]}" for name in ("href", "src", "start")
                         if name in known)
        if tag not in self.SAME or where:
            self.list.append(f"<{tag} {where}>")

    def handle_endtag(self, tag):
        if tag not in self.SAME:
            self.list.append(f"</{tag}>")

    def handle_data(self, text):
        self.list += text.split()


def parse_as_github_does(text: str) -> list[str]:
    extensions = ("table", "strikethrough", "autolink", "tasklist")
    command = ["cmark-gfm", "--unsafe", *(word for name in extensions for word in ("-e", name))]
    done = subprocess.run(command, input=text, capture_output=True, encoding="utf-8", check=True)
    return Flat(done.stdout).list


def parse_as_we_do(text: str) -> list[str]:
    md = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    return Flat(md.render(text)).list


@unittest.skipUnless(shutil.which("cmark-gfm"), "there is no cmark-gfm here")
class Markdown(unittest.TestCase):
    def test_each_page_is_read_as_github_reads_it(self):
        pages = Book(ROOT).pages
        self.assertGreater(len(pages), 60)
        for path, page in pages.items():
            with self.subTest(path):
                self.assertEqual(parse_as_we_do(page.text), parse_as_github_does(page.text))

    def test_a_difference_from_github_would_be_noticed(self):
        for text in ("www.example.org", "- [ ] to do", "~x~"):
            self.assertNotEqual(parse_as_we_do(text), parse_as_github_does(text), text)


def main() -> int:
    words = [word for word in sys.argv if word != "--strict"]
    if len(words) == 1:  # all is wanted
        built_book()
        begun(modules_here)
        begun(axe_here)
        begun(vnu_on_the_site)
        if EPUBCHECK:
            begun(epubchecked)
    done = unittest.main(argv=words, exit=False, verbosity=2).result
    for test, why in done.skipped:
        print(f"skipped: {test}: {why}")
    failed, skipped = len(done.failures) + len(done.errors), len(done.skipped)
    print(f"{done.testsRun - failed - skipped} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or (skipped and "--strict" in sys.argv) else 0


if __name__ == "__main__":
    sys.exit(main())
