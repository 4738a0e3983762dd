#!/usr/bin/env python3
"""Stage 3 begins at the URLs of sitemaps, too, and says which of them no page links to.

STAGE3 in the environment names the program.
"""
import gzip
import json
import signal
import subprocess
import tempfile
import threading
import time
import unittest

from site_with_all_links import Server
from run_stage3 import PROGRAM, run_stage3  # its folder is on the path since site_with_all_links was imported
from web_server import Piece, Silence


def urlset(*urls):
    inside = "".join(f"<url><loc>{url}</loc></url>" for url in urls)
    return f"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{inside}</urlset>".encode()


def index(*urls):
    return ("<sitemapindex>" + "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls) + "</sitemapindex>").encode()


class Crawled(unittest.TestCase):
    def serve(self, pages):
        """A server of `pages`, which hold a path's body, or a status and a Location."""
        def answer(_, path):
            page = pages.get(path)
            if callable(page):
                page = page()
            if isinstance(page, tuple):
                return page[0], {"Location": page[1]} if len(page) > 1 else {}, b""
            if isinstance(page, Piece):
                return page
            kind = "text/html" if path.endswith("/") else "text/plain"
            return (404, {}, b"") if page is None else (200, {"Content-Type": kind}, page)
        server = self.enterContext(Server(answer))
        self.root = f"http://127.0.0.1:{server.port}"
        return server

    def run_it(self, *options, expect=0):
        return run_stage3("--no-config", *options, self.root + "/", status=expect)

    def records(self, *options, expect=0):
        """What is known of each URL, and the orphans."""
        self.done = self.run_it("--format", "jsonl", *options, expect=expect)
        lines = [json.loads(line) for line in self.done.stdout.splitlines()]
        records = {line["url"][len(self.root):]: line for line in lines if "url" in line}
        return records, [(line["orphan"][len(self.root):], line["sitemap"][len(self.root):]) for line in lines if "orphan" in line]


class Sitemaps(Crawled):
    def test_the_lines_of_robots_txt_lead_to_an_index_and_to_orphans(self):
        server = self.serve({
            "/robots.txt": b"User-agent: x\nDisallow: /\nSitemap: /map.xml\nsitemap:/more.txt # text\n",
            "/map.xml": index("/map.xml", "/packed.xml.gz"),
            "/packed.xml.gz": gzip.compress(urlset("/", "/linked", "/alone/", "/gone", "http://elsewhere.test/x")),
            "/more.txt": lambda: f"{self.root}/linked".encode(), "/": b"<a href=/linked>", "/linked": b"x", "/alone/": b"<link rel=canonical href='/alone/'><a href=/child>",
            "/child": b"x"})
        records, orphans = self.records("--sitemap", expect=1)
        self.assertEqual(orphans, [("/alone/", "/packed.xml.gz")])
        self.assertEqual(set(records), {"/", "/linked", "/alone/", "/gone", "/child"})
        gone = records["/gone"]
        self.assertEqual((gone["parent"], gone["depth"], gone["kind"], gone["outcome"]),
                         (self.root + "/packed.xml.gz", 0, "sitemap", "error"))
        self.assertIsNone(records["/"]["parent"])
        self.assertEqual(records["/child"]["parent"], self.root + "/alone/")
        self.assertIn("out of scope, so it's left out: 1 URL, such as http://elsewhere.test/x", self.done.stderr)
        self.assertTrue(all(count == 1 for count in server.requests.values()), server.requests)
        self.assertTrue(all(path != "/sitemap.xml" for _, path in server.requests))

    def test_the_text_report_says_where_a_dead_url_was_found_and_lists_orphans(self):
        self.serve({"/sitemap.xml": urlset("/gone", "/both", "/alone"), "/": b"<a href=/both>", "/alone": b"x"})
        text = self.run_it("--sitemap", expect=1).stdout
        self.assertIn(f"Orphans, which a sitemap lists, and no page that was read links to: 1\n  {self.root}/alone\n", text)
        self.assertIn(f"  {self.root}/gone (sitemap: HTTP status 404)\n    on {self.root}/sitemap.xml\n", text)
        self.assertIn(f"  {self.root}/both (HTTP status 404)\n    on {self.root}/\n", text)
        self.assertIn(f"       1  {self.root}/both\n", text)
        text = self.run_it("--sitemap", "--max-pages", "2", expect=1).stdout
        self.assertIn("Orphans: unknown, since the crawl was cut short\n", text)
        text = self.run_it("--sitemap", "--max-pages", "2", "--format", "html", expect=1).stdout
        self.assertIn("<h2>Orphans: unknown, since the crawl was cut short</h2>\n", text)
        self.assertNotIn("<ul>\n</ul>", text)
        self.assertNotIn("Orphans", self.run_it(expect=1).stdout)

    def test_if_a_sitemap_was_not_read_in_full_the_list_of_orphans_may_be_inexact(self):
        self.serve({"/robots.txt": b"Sitemap: /good.xml\nSitemap: /bad.xml", "/good.xml": urlset("/alone"), "/bad.xml": b"", "/": b"",
                    "/alone": b"x"})
        unknown = "Orphans: unknown, since not all sitemaps were read in full\n"
        some = "links to: 1, perhaps not exactly these, since not all sitemaps were read in full"
        self.assertIn(f"{some}\n  {self.root}/alone\n", self.run_it("--sitemap", expect=3).stdout)
        self.assertEqual(self.records("--sitemap", expect=3)[1], [("/alone", "/good.xml")])
        html = self.run_it("--sitemap", "--format", "html", expect=3).stdout
        self.assertIn(f"{some}</h2>\n<ul>\n<li><a href=\"{self.root}/alone\" rel=\"noreferrer noopener\">{self.root}/alone</a></li>\n", html)
        self.assertIn(some, self.run_it("--sitemap", "--exclude", "bad").stdout)
        self.assertIn(unknown, self.run_it("--sitemap", "--exclude", "alone", expect=3).stdout)
        self.assertIn("none", self.run_it(f"--sitemap={self.root}/good.xml", "--exclude", "alone").stdout)
        done = self.run_it(f"--sitemap={self.root}/good.xml", "--exclude", "good")
        self.assertIn(unknown, done.stdout)
        self.assertIn(f"the sitemap {self.root}/good.xml: excluded", done.stderr)
        self.serve({"/": b""})
        self.assertIn(unknown, self.run_it("--sitemap").stdout)

    def test_a_redirect_that_can_be_found_makes_its_target_no_orphan(self):
        self.serve({"/sitemap.xml": urlset("/old", "/new", "/hidden", "/end"), "/": b"<a href=/old>", "/old": (301, "/mid"),
                    "/mid": (302, "/new"), "/new": b"x", "/hidden": (301, "/end"), "/end": b"x"})
        _, orphans = self.records("--sitemap")
        self.assertEqual(orphans, [("/end", "/sitemap.xml")])
        text = self.run_it("--sitemap", "--redirects").stdout
        self.assertIn(f"  {self.root}/hidden -> {self.root}/end (301)\n    on {self.root}/sitemap.xml\n", text)
        self.assertNotIn(f"  {self.root}/mid ->", text.partition("Redirects to mend")[2])

    def test_a_page_behind_a_listed_redirect_is_an_orphan_and_so_is_one_that_links_to_itself_by_a_redirect(self):
        self.serve({"/sitemap.xml": urlset("/old", "/new", "/self/", "/linked-old"), "/": b"<a href=/linked>", "/old": (301, "/mid"),
                    "/mid": (301, "/new"), "/new": b"x", "/self/": b"<a href=/self>", "/self": (301, "/self/"),
                    "/linked-old": (301, "/linked"), "/linked": b"x"})
        self.assertEqual(self.records("--sitemap")[1], [("/new", "/sitemap.xml"), ("/self/", "/sitemap.xml")])
        self.serve({"/sitemap.xml": urlset("/old", "/round"), "/": b"", "/old": (301, "/new"), "/new": b"x", "/round": (301, "/round")})
        self.assertEqual(self.records("--sitemap", expect=1)[1], [("/new", "/sitemap.xml")])

    def test_a_url_with_the_option_is_read_also_from_a_file_and_the_next_word_is_a_root(self):
        server = self.serve({"/robots.txt": b"Sitemap: /other.xml", "/my.xml": urlset("/alone"), "/": b"", "/alone": b"x"})
        self.assertEqual(self.records(f"--sitemap={self.root}/my.xml")[1], [("/alone", "/my.xml")])
        self.assertNotIn(("GET", "/other.xml"), server.requests)
        with tempfile.NamedTemporaryFile("w") as file:
            print(f"sitemap = {self.root}/my.xml", file=file, flush=True)
            done = run_stage3("--config", file.name, self.root)
        self.assertIn("links to: 1\n", done.stdout)
        for text, typed, is_read in (("= False", [], False), ("= true", [], True), ("", [], True), ("= false", ["--sitemap"], True),
                                     ("= true", ["--sitemap=false"], False), ("= false", ["--sitemap=True"], True)):
            with self.subTest(text, typed=typed), tempfile.NamedTemporaryFile("w") as file:
                print("sitemap", text, file=file, flush=True)
                done = run_stage3("--config", file.name, *typed, self.root)
                self.assertEqual("Orphans" in done.stdout, is_read, (done.stdout, done.stderr))
        self.assertIn("is not a sitemap's URL", run_stage3("--sitemap=:", self.root, status=2).stderr)
        self.assertIn("--sitemap is for a crawl by one process",
                      run_stage3("--sitemap", "--frontier", "redis://h", "--crawl", "x", self.root, status=2).stderr)

    def test_excluded_urls_are_not_fetched(self):
        server = self.serve({"/sitemap.xml": urlset("/private/a", "/alone"), "/": b"", "/alone": b"x"})
        self.assertEqual(set(self.records("--sitemap", "--exclude", "/private/")[0]), {"/", "/alone"})
        self.assertNotIn("out of scope", self.done.stderr)
        self.serve({"/sitemap.xml": urlset("/a", ""), "/": b"", "/a": b"x"})
        self.records("--sitemap")
        self.assertIn("/sitemap.xml has no http or https URL in 1 place\n", self.done.stderr)
        self.assertNotIn(("GET", "/private/a"), server.requests)


class WithoutOne(Crawled):
    def test_a_sitemap_that_robots_txt_forbids_is_not_fetched(self):
        server = self.serve({"/robots.txt": b"User-agent: *\nDisallow: /maps/\nSitemap: /maps/a.xml", "/maps/a.xml": urlset("/a"),
                             "/a": b"x", "/": b""})
        self.records("--sitemap", expect=3)
        self.assertIn("/maps/a.xml: disallowed by robots.txt", self.done.stderr)
        self.assertNotIn(("GET", "/maps/a.xml"), server.requests)
        self.assertIn("/a", self.records("--sitemap", "--no-robots")[0])

    def test_a_named_sitemap_that_is_dead_makes_the_crawl_incomplete_and_one_that_no_one_named_does_not(self):
        self.serve({"/": b"x"})
        self.records("--sitemap")
        self.assertIn("/sitemap.xml: no sitemap here (HTTP status 404), and robots.txt names none", self.done.stderr)
        self.records(f"--sitemap={self.root}/sitemap.xml", expect=3)
        self.assertIn("/sitemap.xml: HTTP status 404", self.done.stderr)
        text = self.run_it(f"--sitemap={self.root}/sitemap.xml", expect=3).stdout
        self.assertIn(f"  1 sitemap that can't be read to their end, such as {self.root}/sitemap.xml\n", text)

    def test_a_sitemap_from_which_nothing_is_taken_is_told(self):
        for text in (b"<urlset/>", b"<urlset><urlset><url><loc>/a</loc></url></urlset></urlset>",
                     b"<sitemapindex><sitemap>/s.xml</sitemap></sitemapindex>"):
            with self.subTest(text):
                self.serve({"/": b"x", "/sitemap.xml": text})
                self.records(f"--sitemap={self.root}/sitemap.xml")
                self.assertIn("/sitemap.xml: it lists no URL\n", self.done.stderr)

    def test_what_is_no_sitemap_where_no_one_named_one_is_no_failure(self):
        page = b"<!doctype html><html><body><p>Hello<br></body></html>"
        declared = b"<!DOCTYPE a [<!ENTITY b 'c'>]><urlset/>"
        for more, why in (({"/sitemap.xml": page}, "broken XML"), ({"/sitemap.xml": (410,)}, "HTTP status 410"),
                          ({"/sitemap.xml": (403,)}, "HTTP status 403"), ({"/sitemap.xml": (302, "/")}, "broken XML"),
                          ({"/sitemap.xml": b""}, "empty"), ({"/sitemap.xml": declared}, "not read, since it declares its own kind of XML"),
                          ({"/robots.txt": b"User-agent: *\nDisallow: /sitemap"}, "disallowed by robots.txt")):
            with self.subTest(more):
                self.serve({"/": page, **more})
                self.records("--sitemap")
                self.assertIn(f"/sitemap.xml: no sitemap here ({why}", self.done.stderr)
                self.assertIn("), and robots.txt names none\n", self.done.stderr)
        self.serve({"/": page, "/sitemap.xml": page})
        self.records(f"--sitemap={self.root}/sitemap.xml", expect=3)
        self.serve({"/": page, "/sitemap.xml": (500,)})
        self.records("--sitemap", expect=3)
        self.assertIn("/sitemap.xml: HTTP status 500", self.done.stderr)

    def test_sitemaps_that_are_gone_are_counted_and_only_the_first_are_told(self):
        self.serve({"/": b"x", "/sitemap.xml": index(*(f"/{i}.xml" for i in range(51))), "/50.xml": urlset("http://elsewhere.test/")})
        text = self.run_it("--sitemap", expect=3)
        self.assertEqual(text.stderr.count("HTTP status 404"), 20)
        self.assertIn("more sitemaps can't be read to their end: text and html reports count them", text.stderr)
        self.assertIn("such as http://elsewhere.test/", text.stderr)
        self.assertIn("  50 sitemaps that can't be read to their end", text.stdout)

    def test_redirects_are_followed_and_failures_tried_again(self):
        pages = {"/sitemap.xml": (301, "/real.xml"), "/": b"", "/a": b"x"}
        self.serve({**pages, "/real.xml": urlset("/a")})
        self.assertEqual(self.records("--sitemap")[1], [("/a", "/real.xml")])
        self.serve({**pages, "/sitemap.xml": (301, "/sitemap.xml")})
        self.records("--sitemap", expect=3)
        self.assertIn("redirect limit reached", self.done.stderr)
        answers = iter([(503,), urlset("/a")])
        server = self.serve({**pages, "/sitemap.xml": lambda: next(answers)})
        self.assertEqual(self.records("--sitemap")[1], [("/a", "/sitemap.xml")])
        self.assertEqual(server.requests["GET", "/sitemap.xml"], 2)


class Limits(Crawled):
    def test_what_is_too_deep_too_long_or_too_large_is_left_out(self):
        for maps, words in (({"/sitemap.xml": index("/1.xml"), "/1.xml": index("/2.xml"), "/2.xml": urlset("/a")}, None),
                            ({"/sitemap.xml": index("/1.xml", "/good.xml"), "/good.xml": urlset("/a"),
                              "/1.xml": index("/2.xml"), "/2.xml": index("/3.xml"), "/3.xml": urlset("/b")},
                             "an index in an index"),
                            ({"/sitemap.xml": urlset(*["/a"] * 50_000, "/b")}, "entries of a sitemap beyond the first 50000"),
                            ({"/sitemap.xml": gzip.compress(urlset("/a")[:-9] + b" " * 200_000_000)},
                             "/sitemap.xml: only its first 50 MiB are read")):
            with self.subTest(words):
                self.serve({**maps, "/": b"", "/a": b"x", "/b": b"x"})
                self.assertEqual(set(self.records("--sitemap", expect=3 if words else 0)[0]), {"/", "/a"})
                self.assertIn(words or "", self.done.stderr)

    def test_delay_counts_for_sitemaps_too(self):
        server = self.serve({"/robots.txt": b"Sitemap: /1.txt\nSitemap: /2.txt", "/": b"", "/1.txt": b"http://x.test/",
                             "/2.txt": b"http://x.test/"})
        begin = time.monotonic()
        self.records("--sitemap", "--delay", "0.3")
        self.assertEqual(server.requests.total(), 4)
        self.assertGreater(time.monotonic() - begin, 3 * 0.3)

    def test_a_silent_server_meanwhile_is_given_up_by_ctrl_c_and_by_the_time_limit(self):
        asked = threading.Event()

        def wait():
            asked.set()
            return Silence()
        self.serve({"/sitemap.xml": wait, "/": b""})
        self.records("--sitemap", "--timeout", "0.5", expect=3)
        asked.clear()
        process = subprocess.Popen([PROGRAM, "-q", "--sitemap", self.root], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self.assertTrue(asked.wait(10))  # it asks at once
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(10), -signal.SIGINT)  # it ends at once


if __name__ == "__main__":
    unittest.main()
