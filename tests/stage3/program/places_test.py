#!/usr/bin/env python3
"""Where links are, as Python's own HTML parser sees them; and what a person sees on a terminal.

STAGE3 in the environment names the program.
"""
import html
import html.parser
import json
import os
import pathlib
import pty
import subprocess
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import web_server  # noqa: E402
from run_stage3 import PROGRAM, run_stage3  # noqa: E402

PAGE = """<!doctype html>
<title>A page</title>
<p>Caf\u00e9 <a class="x" href="a.html">A</a>, <a href='gone?a=1&amp;b=2'>The <b>gone</b>
 one &amp; more</a>
\t<a
  id=y
  href = gone.html#x>\u65e5\u672c</a><img srcset="small.png 1x,
  large.png 2x" src=pic.png alt='A picture'>
<a href="a.html#caf%C3%A9">coffee</a> <a href="a.html#caf\u00e9">more coffee</a> <a href="a.html#xpath">x</a>
<a href="old">moved</a>
"""

def page(text):
    body = text.encode()
    return (b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
            b"Content-Length: %d\r\n\r\n" % len(body)) + body


REPLIES = {
    "/": page(PAGE),
    "/a.html": page("<h1 id=XPath>A</h1><a href=gone.html>g</a>"),
    "/old": b"HTTP/1.1 302 Found\r\nLocation: /older\r\nContent-Length: 0\r\n\r\n",
    "/older": b"HTTP/1.1 302 Found\r\nLocation: /gone.html\r\nContent-Length: 0\r\n\r\n",
}


class Tags(html.parser.HTMLParser):
    """The places of attributes' values in a text: {(line, column): value}, of the tags that begin there."""

    def __init__(self, text):
        super().__init__()
        self.lines = text.split("\n")
        self.tags = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        line, column = self.getpos()
        self.tags.append((line, column, self.get_starttag_text(), [value for _, value in attributes if value]))

    def tag_at(self, line, column):
        """The values of the tag in which this place is."""
        for first, begin, text, values in self.tags:
            rows = text.split("\n")
            row = line - first
            if 0 <= row < len(rows) and 0 <= column - 1 - (begin if row == 0 else 0) < len(rows[row]):
                return values
        return []


class Places(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.url = cls.enterClassContext(web_server.Site(REPLIES)).origin + "/"
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))

    def crawl(self, *options, status=1):
        return run_stage3("--no-config", *options, self.url, status=status)

    def lines(self, *options):
        return [json.loads(line) for line in self.crawl("--format", "jsonl", "--fragments", *options).stdout.splitlines()]

    def test_each_place_is_where_another_parser_sees_it(self):
        tags = Tags(PAGE)
        found = 0
        for line in self.lines("--places"):
            for mention in line.get("mentions", []):
                if mention["page"] != self.url:
                    continue
                found += 1
                with self.subTest(mention):
                    rest = "\n".join(tags.lines[mention["line"] - 1:])[mention["column"] - 1:]
                    self.assertTrue(html.unescape(rest).startswith(mention["href"]), rest[:60])
                    values = tags.tag_at(mention["line"], mention["column"])
                    self.assertTrue(any(mention["href"] in value for value in values), values)
        self.assertEqual(found, 9)

    def test_a_mention_has_words_and_kind_and_the_way_there(self):
        mentions = {(line["mentions_of"].removeprefix(self.url), line["fragment"]): line["mentions"]
                    for line in self.lines("--places") if "mentions_of" in line}
        [gone] = mentions["gone?a=1&b=2", None]
        self.assertEqual((gone["text"], gone["href"], gone["kind"]), ("The gone one & more", "gone?a=1&b=2", "a"))
        self.assertEqual([(one["text"], one["kind"]) for one in mentions["large.png", None]], [("A picture", "img")])
        ways = [(one["page"].removeprefix(self.url), [hop.removeprefix(self.url) for hop in one["through"]])
                for one in mentions["gone.html", None]]
        self.assertEqual(sorted(ways), [("", []), ("", ["old", "older"]), ("a.html", [])])
        self.assertEqual({one["text"] for one in mentions["a.html", "caf\u00e9"]}, {"coffee", "more coffee"})

    def test_without_places_a_record_has_none_and_no_lines_are_added(self):
        lines = self.lines()
        self.assertTrue(all("url" in line and line["line"] is None and line["href"] is None for line in lines))
        self.assertEqual([line["nearest_id"] for line in lines if line["fragment"] == "xpath"], ["XPath"])

    def test_an_old_baseline_and_both_spellings_mean_the_same(self):
        for spelling in ("caf%C3%A9", "caf%c3%a9", "caf\u00e9"):
            for text in (f"{self.url}a.html#{spelling}\n", f"#{spelling}$\n"):
                if "%c3" in spelling and text.startswith("#"):
                    continue  # a pattern is in upper case
                with self.subTest(text):
                    (self.folder / "ignored").write_text(text if text.startswith("http") else "(" + text.strip() + ")\n")
                    excused = [line["fragment"] for line in self.lines("--ignore-file", self.folder / "ignored")
                               if line["excuse"] == "ignored"]
                    self.assertEqual(excused, ["caf\u00e9"])
        self.crawl("--fragments", "-q", "--write-baseline", self.folder / "known")
        self.assertIn("a.html#caf\u00e9\n", (self.folder / "known").read_text(encoding="utf-8"))
        self.crawl("--fragments", "-q", "--baseline", self.folder / "known", status=0)

    def test_excluding_a_place_leaves_its_page_in(self):
        for pattern in ("#caf%C3%A9", "#caf\u00e9", "a.html#c"):
            lines = self.lines("--exclude", pattern)
            self.assertEqual([line["fragment"] for line in lines if line["fragment"]], ["xpath"])
            self.assertIn(self.url + "a.html", [line["url"] for line in lines])

    def test_a_source_turns_places_into_those_of_files(self):
        (self.folder / "public").mkdir(exist_ok=True)
        (self.folder / "public/index.html").write_text(PAGE, encoding="utf-8")
        options = ["--no-config", "--places", "--source", f"{self.url}=public", self.url]
        github = run_stage3("--format", "github", *options, status=1, cwd=self.folder).stdout
        self.assertIn(f"::error title=Dead link,file=public/index.html,line=3,col=52::{self.url}gone?a=1&b=2 (HTTP", github)
        run = json.loads(run_stage3("--format", "sarif", *options, status=1, cwd=self.folder).stdout)["runs"][0]
        [gone] = [one for one in run["results"] if "gone?a=1" in one["message"]["text"]]
        place = gone["locations"][0]["physicalLocation"]
        self.assertEqual(place["artifactLocation"]["uri"], "public/index.html")
        self.assertEqual(place["region"], {"startLine": 3, "startColumn": 52})
        wrong = run_stage3("--format", "text", *options, status=2, cwd=self.folder)
        self.assertIn("--source needs --format github or sarif", wrong.stderr)
        wrong = run_stage3("--format", "github", "--source", f"{self.url}=nowhere", self.url, status=2, cwd=self.folder)
        self.assertIn("names no folder: 'nowhere'", wrong.stderr)

    def on_terminal(self, *options, **environment):
        ours, theirs = pty.openpty()
        process = subprocess.Popen([PROGRAM, "--no-config", *options, self.url], stdin=subprocess.DEVNULL, stdout=theirs,
                                   stderr=subprocess.PIPE, env={**os.environ, "TERM": "xterm", "NO_COLOR": "", **environment})
        os.close(theirs)
        text = b""
        while True:
            try:
                some = os.read(ours, 4096)
            except OSError:  # Linux says so when the other side is closed
                some = b""
            if not some:
                break
            text += some
        os.close(ours)
        process.communicate(timeout=60)
        return text.decode().replace("\r\n", "\n")

    def test_on_a_terminal_there_is_only_what_is_wrong_in_colour(self):
        text = self.on_terminal()
        self.assertTrue(text.startswith("\x1b[1mDead:\x1b[0m\n"), text[:40])
        self.assertRegex(text, r"\n\x1b\[31m5 dead; 2 fetched, 2 redirects, in [\d.]+ s\x1b\[0m\n$")
        self.assertNotIn("page        200", text)
        for plain in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertNotIn("\x1b", self.on_terminal(**plain))

    def test_what_goes_elsewhere_has_all_and_no_colours(self):
        self.assertIn("page        200", self.on_terminal("--show", "all"))
        piped = self.crawl()
        self.assertTrue(piped.stdout.startswith("page        200"))
        self.assertNotIn("\x1b", piped.stdout)
        self.assertTrue(self.crawl("--show", "urls").stdout.startswith("Dead:\n"))
        self.on_terminal("-o", str(self.folder / "out"))
        self.assertTrue((self.folder / "out").read_text().startswith("page        200"))
        self.on_terminal("--also", f"text={self.folder / 'also'}")
        self.assertTrue((self.folder / "also").read_text().startswith("page        200"))

    def test_files_are_named_at_the_end(self):
        done = self.crawl("-o", self.folder / "o", "--html", self.folder / "h")
        self.assertRegex(done.stderr, rf"stage3: 5 dead; 2 fetched, 2 redirects, in [\d.]+ s: {self.folder}/o, {self.folder}/h\n$")
        self.assertEqual(self.crawl("-q", "-o", self.folder / "o").stderr, "")
        self.assertEqual(self.crawl().stderr, "")


if __name__ == "__main__":
    unittest.main()
