#!/usr/bin/env python3
"""Is the book, as a site and an EPUB, whole? And would the checks notice if it were not?

First the builder and the checker are tried on a small book, into which each kind of fault is
planted once. Then the real book is built, and looked at. What needs a browser is in
whole_book_test.py. Without markdown-it and Pygments all is skipped (exit code 77).
"""
from __future__ import annotations

import atexit
import functools
import json
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile
from html.parser import HTMLParser

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "book" / "site"))
sys.dont_write_bytecode = True
import needs  # noqa: E402  (its folder has just been put on the path)

SKIPPED = 77  # what meson takes for "skipped"
needs.run_with_them(status_without=SKIPPED)
import moved  # noqa: E402
from book import Book, files_of  # noqa: E402
import try_it  # noqa: E402
from check_site import BIGGEST, SiteCheck  # noqa: E402
from drawings import Palette, themed  # noqa: E402
from epub import Epub, modified, with_answers_last  # noqa: E402
from epub_renderer import hanging  # noqa: E402
from glossary import Glossary  # noqa: E402
from highlight import highlight, language_of  # noqa: E402
from sources import REGION, Sources, in_order, names_in  # noqa: E402
from make_book import NotOurs, make  # noqa: E402
from turns import stale  # noqa: E402

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path id="p" fill="{}"/></svg>'
SMALL_BOOK = {
    "README.md": "# A small book\n\nRead [it](book/00-before-you-start.md).\n",
    "book/README.md": "# The map\n\n[one](01-one.md), [its code](../common/one.h)\n",
    "book/00-before-you-start.md": """# 00 Before you start

## The map

**1. Callbacks.** The first stage.

| page | tells |
| --- | --- |
| [01 One](01-one.md) | of `one` |

To look things up:

| page | tells |
| --- | --- |
| [C Glossary](c-glossary.md) | words |
""",
    "book/01-one.md": """# 01 One

> **You will** see *everything*.
> **Run:** nothing.

A future is ready; see [below](#the-end-of-it), or [the code](../common/one.h#L1-L2).

<!-- code: common/one.h -->
<sub>[common/one.h, lines 1–3](../common/one.h#L1-L3)</sub>
```cpp {1-2}
int one = 1;

int two = 2;
```
<!-- /code -->

- <!-- code: common/one.h -->
  <sub>[common/one.h](../common/one.h)</sub>
  ```cpp {3}
  int one = 1;

  int two = 2; // a line that is too long for letters as large as those of a short one
  ```
  <!-- /code -->

```console
$ echo <hello>
<hello>
```

<picture>
  <source media="(prefers-color-scheme: dark)" srcset="figures/dot-dark.svg">
  <img src="figures/dot-light.svg" alt="A dot.">
</picture>

    int indented = 3;

> [!NOTE]
> Mind the gap.

| | b |
| --- | --- |
| `x` | y |

## The end of it

Is `co_await` a word? It is *ready*.

<details><summary>Answer</summary>

It is, unmistakably.

</details>

<details><summary>In Python</summary>

There it is `await`.

</details>

[01.1](../tests/exercises/01.1-try/README.md)
""",
    "book/c-glossary.md": """# C Glossary

| word | means | in Python |
| --- | --- | --- |
| future | what isn't there yet ([01](01-one.md)) | the same |
| ready | at hand ([01](01-one.md)) | |
""",
    "book/figures/dot-light.svg": SVG.format("#1f2328"),
    "book/figures/dot-dark.svg": SVG.format("#e6edf3"),
    "common/one.h": "int one = 1;\n\nint two = 2;\n",
    "common/other.cpp": "struct Other {};\n\nint Other::count() const {\n}\n",
    "tests/exercises/01.1-try/README.md": "# 01.1 Try\n\nKind: build a future\nAbout 5 minutes.\n",
    "tests/exercises/01.1-try/questions.txt":
        "case all: turns sleeps\n\n// Of one turn.\n\nturns = 4711\n? how many?\n! no\n\nsleeps = 0\n! no\n",
    "tests/exercises/Y01-begin/README.md": "# Y01 Begin\n\nKind: build\nAbout 5 minutes.\n",
}
ONE = "book/01-one.md"


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def small_book(self) -> pathlib.Path:
        folder = self.root / "small"
        for path, text in SMALL_BOOK.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        return folder

    def build(self, folder: pathlib.Path) -> tuple[Book, pathlib.Path]:
        book = Book(folder)
        make(book, self.root)
        return book, self.root / "site"

    def change(self, file: pathlib.Path, old: str, new: str):
        text = file.read_text()
        self.assertIn(old, text)
        file.write_text(text.replace(old, new))


class SmallBook(Folder):
    """The builder, feature by feature."""

    def setUp(self):
        super().setUp()
        self.book, self.site = self.build(self.small_book())

    def page(self, url: str = "book/01-one.html") -> str:
        return (self.site / url).read_text()

    IN_PAGES = {  # what is in a page, as it stands there
        "order": ("book/01-one.html", '<a rel="next" href="c-glossary.html" aria-keyshortcuts="ArrowRight"'),
        "order, back": ("book/01-one.html", '<a rel="prev" href="00-before-you-start.html"'),
        "a new part": ("book/01-one.html", "<small>Next part, To look things up <"),
        "the same part": ("exercises/01.1-try.html", "<small>Next <"),
        "where we are": ("book/01-one.html", '<h2 class="here-now">1. Callbacks</h2>'),
        "what a part is about": ("index.html", '<h3>1. Callbacks</h3><p class="part">The first stage.</p>'),
        "journey": ("index.html", '<h3><a href="book/01-one.html">1. Callbacks</a></h3>'),
        "kinds of exercises": ("exercises/index.html", "<dt>Mend</dt><dd>You get code that hangs"),
        "where to begin": ("exercises/index.html", 'Begin with <a href="01.1-try.html">01.1 Try</a>'),
        "printed link": ("print.html", '<a href="#p-01-one-the-end-of-it">below</a>'),
        "printed link to code": ("print.html", '<a href="source/common/one.h.html#L1-L2">the code</a>'),
        "printed page": ("print.html", '<article id="p-01-one">\n<p class="begins"><b>1. Callbacks</b> The first stage.</p>'),
        "printed answer": ("print.html", '<details open=""><summary>Answer</summary>'),
        "exercise": ("exercises/index.html", 'href="01.1-try.html"'),
        "track": ("exercises/index.html", 'href="Y01-begin.html"'),
        "title of the track": ("exercises/index.html", "A runtime of your own"),
        "exercise's page": ("exercises/01.1-try.html", 'Exercise, with <a href="../book/01-one.html">'),
        "questions": ("exercises/01.1-try.html", "<p>Of one turn.</p>\n<ul>\n<li><code>turns</code>: how many?</li>\n"
                                                 "<li><code>sleeps</code></li>\n</ul>"),
        "listing below its source": ("book/01-one.html",
                                     '<figure class="listing"><figcaption><a href="../source/common/one.h.html#L1-L3">'
                                     'common/<wbr />one.h, lines 1–\u20603</a></figcaption><pre class="cpp" tabindex="0" role="group" '
                                     'aria-label="Listing; marked: lines 1 to 2"><code><mark><span class="t">int</span>'),
        "only what is the point is marked": ("book/01-one.html", '</mark>\n<mark></mark>\n<span class="t">int'),
        "listing in a list, with long lines": ("book/01-one.html", '<li>\n<figure class="listing"><figcaption><a href="../'
                                               'source/common/one.h.html">common/<wbr />one.h</a></figcaption><pre '
                                               'class="cpp wide" tabindex="0" role="group" aria-label="Listing; '
                                               'marked: line 3">'),
        "lines of code": ("source/common/one.h.html", '<li id="L1"><i id="L1-L2"></i><i id="L1-L3"></i>'),
        "link from code": ("source/common/one.h.html", '<a href="../../book/01-one.html">01 One</a> <small>lines'),
        "term": ("book/01-one.html", '<a class="term" href="c-glossary.html#term-future" '
                                     'title="what isn&#x27;t there yet">future</a>'),
        "indented code": ("book/01-one.html", '<pre class="cpp" tabindex="0" role="group" aria-label="Listing">'
                                              '<code><span class="t">int</span> indented'),
        "brief": ("book/01-one.html", '<div class="brief">'),
        "lines of a brief": ("book/01-one.html", "<br />\n<strong>Run:</strong>"),
        "drawing": ("book/01-one.html", 'fill="var(--d0)"'),
        "colours of a drawing": ("book.css", "--d0:light-dark(#1f2328,#e6edf3)"),
        "title": ("readme.html", "<title>About the project – Await"),
        "description": ("book/01-one.html", '<meta name="description" content="of one">'),
        "the code": ("source/index.html", "<h1>The code</h1><p>"),
    }

    def test_a_good_book_has_all_that_belongs_into_its_pages(self):
        self.assertEqual(self.book.problems, [])
        self.assertEqual(SiteCheck(self.site).problems, [])
        for what, (url, text) in self.IN_PAGES.items():
            with self.subTest(what):
                self.assertIn(text, self.page(url))
        self.assertNotIn("4711", self.page("exercises/01.1-try.html"))
        for url in ("01.1-try.html", "Y01-begin.html"):
            self.assertRegex(self.page(f"exercises/{url}"), "Kind: build.* · About 5 minutes<")
        self.assertRegex(self.page(),
                         r'<div class="callout note" role="note">\s*<p><strong[^>]*>Note</strong>Mind')
        for file in self.site.rglob("*.html"):
            self.assertNotRegex(file.read_text(), r'(href|src)="/')  # wherever the site is

    def test_parts_and_files_are_in_order(self):
        parts = [(part.title, [page.number for page in part.pages]) for part in self.book.parts]
        self.assertEqual(parts, [("", ["00"]), ("1. Callbacks", ["01"]),
                                 ("To look things up", ["C"])])
        self.assertEqual(files_of(self.root / "small"), set(SMALL_BOOK))  # without git
        files = ["LICENSE", "book/x.py", "common/a.h", "learn", "stage1_x/a.h", "stage2_x/a.h",
                 "tests/a.cpp"]
        self.assertEqual([name.partition("/")[0] for name in sorted(files, key=in_order)],
                         ["common", "stage1_x", "stage2_x", "tests", "book", "LICENSE", "learn"])

    def test_on_github_each_page_leads_to_the_pages_around_it(self):
        command = [sys.executable, ROOT / "book/site/turns.py", "--root", self.root / "small"]
        check = subprocess.run([*command, "--check"], capture_output=True, encoding="utf-8")
        self.assertEqual(check.stdout.count("run book/site/turns.py"), 3)
        self.assertEqual(check.returncode, 1)
        for _ in range(2):  # the second time, nothing is to do
            subprocess.run(command, check=True)
            one = (self.root / "small" / ONE).read_text()
            self.assertEqual(one, SMALL_BOOK[ONE] + "\n<!-- turn -->\n---\n\n"
                             "<sub>← [00 Before you start](00-before-you-start.md) · [All pages](00-before-you-start.md#the-map)"
                             " · Next part, To look things up: [C Glossary](c-glossary.md) →</sub>\n<!-- /turn -->\n")
        subprocess.run([*command, "--check"], check=True)
        make(Book(self.root / "small"), self.root)
        self.assertNotIn("All pages", self.page())
        self.assertNotIn("All pages", self.page("print.html"))

    def test_terms_are_explained_once_and_names_in_code_not_at_all(self):
        self.assertEqual(self.page().count('class="term"'), 2)  # "ready" where it's in italics
        glossary = Glossary(self.book)
        for texts, times in ((("future.h", "yours/future", "std::future", "future::get", "x-future", "future-proof",
                               "future/x.h"), 0), (("the future.", "(future)", "a future: it"), 1)):
            self.assertEqual([len(glossary.find(text, True, set())) for text in texts], [times] * len(texts))
        self.assertNotIn('class="term"', self.page("exercises/01.1-try.html"))

    def test_on_paper_answers_come_last_and_what_it_is_in_python_is_none(self):
        self.assertRegex(self.page(), r'<details class="python"><summary>In Python</summary>\s*<p>There')
        paper = with_answers_last(self.page())
        self.assertRegex(paper, r'<div class="python"><p><strong>In Python</strong></p>\s*<p>There')
        self.assertIn("Answer 1", paper)
        self.assertNotIn("Python 2", paper)
        notes = paper.partition('<section class="answers">')[2]  # no heading is left when they are hidden
        self.assertIn("<aside", notes)
        self.assertEqual("", re.sub(r"(?s)<aside.*?</aside>|</?section>|\s", "", notes))
        self.assertEqual('<span class="line" style="padding-left:8ch;text-indent:-8ch">'
                         "    int a;\n</span>", hanging("    int a;\n"))
        self.assertEqual('<span class="line point" style="padding-left:6ch;text-indent:-6ch">'
                         "  int a;\n</span>", hanging("<mark>  int a;</mark>\n"))

    def test_the_search_knows_text_terms_files_and_names(self):
        index = json.loads(self.page("search-index.js").removeprefix("SEARCH="))
        said = " ".join(text for _, _, _, text, *_ in index)
        for words in ("unmistakably", "co_await", "int one = 1", "one, its code"):
            self.assertIn(words, said)
        explained = {url: more[0] for _, url, _, _, *more in index if more}
        self.assertEqual(explained, {"book/01-one.html": ["future"], "book/01-one.html#the-end-of-it": ["ready"]})
        self.assertEqual(sum("what isn't there yet" in text for _, _, _, text, *_ in index), 1)
        places = {(title or page, url) for page, url, title, *_ in index}
        self.assertLessEqual({("future", "book/c-glossary.html#term-future"),
                              ("common/one.h", "source/common/one.h.html"),
                              ("Other", "source/common/other.cpp.html#L1"),
                              ("Other::count", "source/common/other.cpp.html#L3")}, places)

    def test_a_program_can_be_run_in_the_browser_where_its_output_is(self):
        link = "https://godbolt.org/clientstate/" + "x" * 99
        folder = self.small_book()
        self.change(folder / ONE, "$ echo <hello>", "$ build/stage/tour 1 <hello>")
        with (folder / ONE).open("a") as page:
            page.write(try_it.section({"tour 1 <hello>": link}))
        book, site = self.build(folder)
        self.assertEqual(book.problems + SiteCheck(site).problems, [])
        self.assertEqual(self.page().count('<a class="try" data-unsaid="" href="../try/01-1-tour-1-hello-.html">'), 1)
        sent_on = self.page("try/01-1-tour-1-hello-.html")
        self.assertIn(f'<meta http-equiv="refresh" content="0; url={link}">', sent_on)
        self.assertIn(f'<a href="{link}" rel="noopener noreferrer">Run <code>tour 1 &lt;hello&gt;</code>', sent_on)
        for elsewhere in (self.page(), self.page("print.html"), self.page("search-index.js")):
            self.assertNotIn("clientstate", elsewhere)
        self.assertNotIn('class="try"', self.page("print.html"))
        with zipfile.ZipFile(self.root / "await-the-web.epub") as epub:
            self.assertNotIn("godbolt", epub.read("book/p-01-one.xhtml").decode())

    def test_two_programs_that_differ_in_signs_are_run_by_two_pages(self):
        folder = self.small_book()
        self.change(folder / ONE, "$ echo <hello>", "$ build/stage/tour 1 -x\n```\n\n```console\n$ build/stage/tour 1 --x")
        links = {f"tour 1 {x}": f"https://godbolt.org/clientstate/{x}" for x in ("-x", "--x")}
        with (folder / ONE).open("a") as page:
            page.write(try_it.section(links))
        self.build(folder)
        pages = re.findall('<a class="try" data-unsaid="" href="../(try/[^"]+)">', self.page())
        self.assertEqual([re.search("url=([^\"]+)", self.page(page))[1] for page in pages], list(links.values()))


class Out(Folder):
    """The builder removes what it has made and nothing else."""

    def setUp(self):
        super().setUp()
        self.book = Book(self.small_book())
        self.site = self.root / "site"

    def test_a_site_is_made_anew(self):
        make(self.book, self.root)
        (self.site / "book/old.html").write_text("")
        make(self.book, self.root)
        self.assertFalse((self.site / "book/old.html").exists())
        self.assertEqual({file.name for file in self.root.iterdir()},
                         {"small", "site", "await-the-web.epub"})

    def test_a_reader_s_files_and_the_sources_stay(self):
        self.site.mkdir()
        (self.site / "thesis.txt").write_text("mine")
        (self.root / "small/book/site").mkdir()
        (self.root / "small/book/site/icon.svg").write_text("")
        for folder, why in ((".", "site isn't empty"), ("small/book", ""), ("small/book/c-glossary.md", "")):
            with self.assertRaisesRegex(NotOurs, why):
                make(self.book, self.root / folder)
        self.assertEqual((self.site / "thesis.txt").read_text(), "mine")
        self.assertTrue((self.root / "small/book/site/icon.svg").exists())

    def test_after_an_error_the_old_site_is_there(self):
        site = make(self.book, self.root)
        (self.site / "old.html").write_text("")
        site.files["a\0name"] = ""  # can't be written
        with self.assertRaises(ValueError):
            site.write(self.site)
        self.assertTrue((self.site / "old.html").exists())

    def test_trouble_is_reported_in_one_line(self):
        builder = ROOT / "book" / "site" / "make_book.py"
        done = subprocess.run([sys.executable, builder, "--out", ROOT / "LICENSE"],
                              capture_output=True, encoding="utf-8")
        self.assertRegex(done.stderr, "^learn: .*LICENSE.*\n$")
        self.assertEqual(done.returncode, 2)

    def test_git_is_not_needed(self):
        (self.root / "small/.git").mkdir()
        path, os.environ["PATH"] = os.environ["PATH"], ""
        self.addCleanup(os.environ.__setitem__, "PATH", path)
        self.assertEqual(files_of(self.root / "small"), set(SMALL_BOOK))
        self.assertGreater(modified(self.root / "small").year, 2000)


class Planted(Folder):
    """Each kind of fault is noticed, by the builder or by the checker of what it has built."""

    IN_THE_BOOK = [  # a file, what is changed in it to what, and what is said then
        (ONE, "../common/one.h#L1-L2", "../common/none.h", "01-one.md: dead link to common/none.h"),
        (ONE, "one.h#L1-L2", "one.h#L3-L4", "common/one.h has no line L3-L4"),
        (ONE, "## The end of it", "## The end", "book/01-one.html: no such place: #the-end-of-it"),
        ("tests/exercises/01.1-try/questions.txt", "all: turns", "all:", "questions.txt: each question must"),
        ("book/figures/dot-dark.svg", "0 0 9 9", "0 0 8 8", "differ in more than colours"),
        ("book/00-before-you-start.md", "[01 One](01-one.md)", "01", "book/01-one.md: the map"),
        *[(ONE, 'alt="A dot."', alt, said) for alt in ('alt=""', "")
          for said in ("01-one.md: book/figures/dot has no description",
                       "book/01-one.html: a picture without a description")],
    ]
    IN_THE_SITE = [
        ("search-index.js", "unmistakably", "clearly", "book/01-one.html: a search doesn't find: unmistakably"),
        ("index.html", "</main>", "", "</body> inside <main>"),
        *[("index.html", "</main>", f"{more}</main>", said) for more, said in (
            ('<img alt="." src="//example.org">', "index.html: loads //example.org"),
            ('<p id="main"></p>', "2 elements have the id main"),
            ('<img src="icon.svg">', "a picture without a description"),
            (random.Random(1).randbytes(BIGGEST).hex(), "index.html: weighs"))],
    ]

    def assert_said(self, problems: list[str], words: str):
        self.assertTrue(any(words in problem for problem in problems), f"{words!r}: {problems}")

    def test_a_fault_of_the_book_is_noticed(self):
        for path, old, new, said in self.IN_THE_BOOK:
            with self.subTest(said):
                folder = self.small_book()
                self.change(folder / path, old, new)
                book, site = self.build(folder)
                self.assert_said(book.problems + SiteCheck(site).problems, said)
        (folder / "book/figures/dot-dark.svg").unlink()
        self.assert_said(self.build(folder)[0].problems, "no picture book/figures/dot-dark.svg")

    def test_a_damage_to_the_site_is_noticed(self):
        for path, old, new, said in self.IN_THE_SITE:
            with self.subTest(said):
                _, site = self.build(self.small_book())
                self.change(site / path, old, new)
                self.assert_said(SiteCheck(site).problems, said)
        (site / "book.css").unlink()
        self.assert_said(SiteCheck(site).problems, "dead link ../book.css")

    def test_a_screenshot_is_there_in_both_themes(self):
        png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 1320, 828)
        folder = self.small_book()
        self.change(folder / ONE, "figures/dot-light.svg", "figures/screen-light.png")
        (folder / "book/figures/screen-light.png").write_bytes(png + b"light" + random.Random(1).randbytes(BIGGEST))
        self.assert_said(self.build(folder)[0].problems, "no picture book/figures/screen-dark.png")
        (folder / "book/figures/screen-dark.png").write_bytes(png + b"dark")
        book, site = self.build(folder)
        self.assertEqual(book.problems + SiteCheck(site).problems, [])
        images = re.findall("<img[^>]*>", (site / "book/01-one.html").read_text())
        for image, theme in zip(images, ("light", "dark"), strict=True):
            self.assertIn(f'class="{theme}" src="../pictures/screen-{theme}.png" alt="A dot."', image)
            self.assertIn('width="1320" height="828"', image)
            self.assertTrue((site / f"pictures/screen-{theme}.png").read_bytes().startswith(png + theme.encode()))
        Epub(book).write(self.root / "small.epub")
        with zipfile.ZipFile(self.root / "small.epub") as epub:
            self.assertTrue(epub.read("book/pictures/screen-light.png").startswith(png))
            self.assertIn('src="pictures/screen-light.png" alt="A dot."', epub.read("book/p-01-one.xhtml").decode())

    def test_malformed_xhtml_is_noticed(self):
        folder = self.small_book()
        self.change(folder / ONE, "Mind the gap.", "Mind <br> the gap.")
        book = Book(folder)
        Epub(book).write(self.root / "small.epub")
        self.assert_said(book.problems, "01-one.md: its XHTML is not well-formed")


class Code(unittest.TestCase):
    def test_no_element_goes_beyond_its_line(self):
        comment = highlight('/* a\n   b */ int x = 1; // "c"\n', "cpp")
        self.assertEqual(comment.count("\n"), 3 - 1)
        for line in comment.split("\n"):
            self.assertEqual(line.count("<span"), line.count("</span>"), line)

    def test_highlighting_loses_no_text(self):
        for language in ("cpp", "python", "sh", "console", "diff", "text", "", "no-such-language"):
            text = "$ a <b> & 'c'\n\n  // \"d\"\n-e\n+f\n@@ g\n"
            self.assertEqual(shown(highlight(text, language)), text, language)

    def test_what_stands_out(self):
        for text, language, html in [
                ("f(); // a", "cpp", '<span class="c">// a</span>'),
                ("f(); /// a", "cpp", '<span class="c">/// a</span>'),
                ("co_await x;", "cpp", '<span class="co">co_await</span>'),
                ("$ ls\n# ls", "console", '<span class="o">$ </span><span class="b">ls</span>\n# ls'),
                ("-a\n+b\n c", "diff", '<span class="del">-a</span>\n<span class="add">+b</span>\n c')]:
            self.assertIn(html, highlight(text, language))
        for path, mark in (("a.cpp", "// [x]"), ("a.py", "# [/x]"), ("a.lua", "-- [x]")):
            self.assertTrue(REGION.fullmatch(highlight(mark, language_of(path))), mark)


def shown(html: str) -> str:
    """The text of some HTML."""
    said = []
    parser = HTMLParser()
    parser.handle_data = said.append
    parser.feed(html)
    parser.close()
    return "".join(said)


class Names(unittest.TestCase):
    """What the search knows about the code."""

    def test_all_that_is_defined_and_nothing_that_is_called(self):
        text = """// about: run(it)
template <class T, int (*F)()>
class Queue : public Base<T>,
              Other {
  public:
    explicit Queue(int size)
        : size_(size) {
        called(1);
    }
    Queue(const Queue&) = delete;
    [[nodiscard]] Task<T> get() const { return called(2); }
    static std::function<void()> twice(std::function<void()> what,
        int times);
    enum class Kind { A, B };
    struct Inner {
        void deep();
    };
    using Item = T;
    friend void swap(Queue& a, Queue& b);
    std::function<void()> member_;
    Item item_ = called(3);
};

template <class T>
Coroutine<std::vector<T>> gather(std::vector<Future<T>> futures) {
    return called(4);
}
int main(int argc, char** argv) { return small::run_program(argc, argv); }
char* Queue::data() const {
static_assert(called(5));
const int x = called(6);
bool operator==(const Queue&, const Queue&);
class Later;
using Name = std::string;
concept Small = sizeof(T) < 9;
"""
        self.assertEqual([name for _, name in names_in(text)], [
            "Queue", "Queue::Queue", "Queue::get", "Queue::twice", "Queue::Kind", "Queue::Inner",
            "Queue::Inner::deep", "Queue::Item", "gather", "main", "Queue::data", "Name", "Small"])
        self.assertEqual(names_in(text)[0][0], 3)

    def test_definitions_are_found_where_the_book_s_code_has_them(self):
        sources = Sources(Book(ROOT), None)
        found: dict[str, str] = {}  # a small class may have the name of a real one
        for _, url, name, _ in sources.names():
            found[name] = found.get(name, "") + url + "\n"
        self.assertIn("runtime/loop/event_loop.h", found["EventLoop::call_later"])
        self.assertIn("runtime/sync/queue.h", found["Queue::get"])
        self.assertIn("runtime/task/wait.h", found["gather"])
        self.assertIn("common/small/program.cpp", found["run_program"])
        self.assertNotIn("small::run_program", found)


class Drawings(unittest.TestCase):
    def test_ids_of_two_drawings_do_not_collide_and_a_pair_of_colours_has_one_name(self):
        light = ('<svg viewBox="0 0 9 9"><defs><clipPath id="a"/></defs>'
                 '<g clip-path="url(#a)" fill="#fff"/></svg>')
        palette = Palette()
        svg = themed(light, light.replace("#fff", "#000"), palette, "", "one")
        self.assertIn('id="in-one-a"', svg)
        self.assertIn('url(#in-one-a)', svg)
        self.assertEqual(palette.name("#fff", "#000"), palette.name("#fff", "#000"))
        self.assertNotEqual(palette.name("#fff", "#000"), palette.name("#fff", "#111"))

    def test_code_in_a_drawing_stays_code(self):
        text = ('<svg viewBox="0 0 9 9"><text font-family="system-ui, sans-serif" fill="#fff">the '
                '<tspan font-family="ui-monospace, monospace">i</tspan></text>'
                '<text font-family="monospace">j</text></svg>')
        svg = themed(text, text, Palette(), "", "one")
        self.assertEqual(svg.count('font-family="var(--mono)"'), 2)
        self.assertNotIn("sans-serif", svg)


@functools.lru_cache
def built_book(*options: str) -> tuple[pathlib.Path, subprocess.CompletedProcess]:
    """Where the real book is, and what its builder has said. It is built once, and removed at the
    end."""
    folder = pathlib.Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    builder = ROOT / "book" / "site" / "make_book.py"
    return folder, subprocess.run([sys.executable, builder, "--out", folder, *options], capture_output=True,
                                  encoding="utf-8")


class RealBook(unittest.TestCase):
    """The book itself, built as `./learn book` builds it where no clang++ can make what live scenes run."""

    def setUp(self):
        self.folder, self.made = built_book("--no-live")

    def test_without_a_compiler_for_it_no_scene_is_live_and_whoever_insists_gets_no_book(self):
        with tempfile.TemporaryDirectory() as name:
            made = subprocess.run([sys.executable, ROOT / "book/site/make_book.py", "--out", name, "--live"],
                                  capture_output=True, encoding="utf-8", env={**os.environ, "PATH": name})
            self.assertEqual((made.returncode, made.stdout, os.listdir(name)), (1, "", []))
        self.assertRegex(made.stderr, "^learn: --live: no clang")
        self.assertIn("Readers can't change the run of any scene: --no-live was given", self.made.stdout)

    def test_the_book_is_built_without_complaint_and_passes_every_check(self):
        self.assertEqual((self.made.stderr, self.made.returncode), ("", 0))
        check = SiteCheck(self.folder / "site")
        self.assertEqual(check.problems, [])
        self.assertGreater(check.links, 10_000)
        weight, page = check.heaviest
        print(self.made.stdout.splitlines()[0])
        print(f"{len(check.pages)} pages, {check.links} links, {weight} bytes at most, of {page}")

    def test_no_file_is_hidden(self):
        hidden = [str(path) for path in (self.folder / "site").rglob(".*")]
        self.assertEqual(hidden, [], "GitHub's upload-pages-artifact leaves them out, so no link may lead there")

    def test_the_links_at_the_pages_ends_are_up_to_date(self):
        self.assertEqual(list(stale(Book(ROOT))), [], "run book/site/turns.py")

    def test_the_epub_s_contents_have_parts_and_number_nothing_twice(self):
        with zipfile.ZipFile(self.folder / "await-the-web.epub") as archive:
            contents, style = (archive.read(f"book/{name}").decode() for name in ("contents.xhtml", "book.css"))
            journey = archive.read("book/journey.xhtml").decode()
        told = [(part.title, part.pages[0].number) for part in Book(ROOT).parts if part.title and part.pages[0].number.isdigit()]
        self.assertGreater(len(told), 3)
        for title, first in told:
            self.assertRegex(contents, f'<li><span>{title}</span><ol><li><a href="p-{first}-')
            self.assertRegex(journey, f'<h2><a href="p-{first}-[^"]*">{title}</a></h2>')
        self.assertIn("nav ol { list-style: none;", style)

    def built(self, folder: str) -> set[str]:
        """The names of its pages, without those that lead on from an old address."""
        old = moved.old_addresses({file.relative_to(self.folder / "site").as_posix()
                                   for file in (self.folder / "site").rglob("*.html")
                                   if "http-equiv" not in file.read_text()})
        return {file.stem for file in (self.folder / "site" / folder).glob("*.html")
                if f"{folder}/{file.name}" not in old}

    def test_old_addresses_lead_to_where_the_pages_are_now(self):
        site = self.folder / "site"
        old = [f"{folder}/{number}-{name}.html" for folder, names in moved.MOVED.items()
               for name, numbers in names.items() for number in numbers]
        for address in [*old, *moved.RENAMED]:
            with self.subTest(address):
                found = re.search(r"location\.replace\(\"([^\"]+)\" \+ location\.hash",
                                  (site / address).read_text())
                self.assertTrue((site / address).with_name(found[1]).exists())

    def test_the_book_has_all_exercises_pages_and_scenes(self):
        names = {file.parent.name for file in (ROOT / "tests/exercises").glob("*/README.md")}
        pages = {file.stem for file in (ROOT / "book").glob("*.md")} - {"README"}
        scenes = {one["name"] for one in json.loads((ROOT / "book/scenes/scenes.json").read_text())["scenes"]}
        self.assertEqual([self.built(folder) for folder in ("exercises", "book", "scenes")],
                         [names | {"index"}, pages | {"map"}, scenes])
        text = "".join(file.read_text() for file in (self.folder / "site/book").glob("*.html"))
        self.assertEqual(set(re.findall(r'class="watch" href="../scenes/([^"]+)\.html"', text)), scenes)

    def test_an_epub_links_to_the_site_if_there_is_one(self):
        book = Book(ROOT)
        Epub(book, "https://example.org/book/").write(self.folder / "linked.epub")
        with zipfile.ZipFile(self.folder / "linked.epub") as archive:
            page = archive.read("book/p-18a-stages-1-and-2-grown-up.xhtml").decode()
        self.assertIn('href="https://example.org/book/scenes/18a-chain.html"', page)
        self.assertIn('"https://example.org/book/source/stage2_coroutines/generator.h.html#L', page)


if __name__ == "__main__":
    unittest.main()
