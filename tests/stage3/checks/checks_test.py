#!/usr/bin/env python3
"""Stage 3 finds every kind of dead link on a generated site, and takes nothing that is alive for dead.

STAGE3 in the environment names the program.
"""
import socket
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from site_with_all_links import (ASSETS, BAD_FRAGMENTS, FOREIGN, GOOD_FRAGMENTS, SHEETS, Server, Site, answer_foreign, answer_of)
from run_stage3 import records_in, run_stage3  # its folder is on the path since site_with_all_links was imported


def crawl(*options, expect):
    return records_in(run_stage3("-q", "--format", "jsonl", *options, status=expect).stdout)


def dead(records):
    return {record["url"] for record in records if record["outcome"] in ("error", "failed") and not record["fragment"]}


class Crawled(unittest.TestCase):
    def setUp(self):
        self.site = Site(each=3)
        self.server = self.enterContext(Server(answer_of(self.site)))
        self.root = f"http://127.0.0.1:{self.server.port}"


class Assets(Crawled):
    def dead_targets(self, kinds):
        return {self.root + target for kind in kinds for target in self.site.targets(kind) if "/dead/" in target}

    def test_every_kind_of_asset_is_checked_and_nothing_else(self):
        records = crawl(self.root, expect=1)
        self.assertEqual(dead(records), self.dead_targets(["a", *ASSETS, *SHEETS]))
        asked = {path for method, path in self.server.requests}
        self.assertFalse([path for path in asked if "trap" in path and path != "/page/traps"])
        kinds = {record["url"]: record["kind"] for record in records}
        for path, kind in (("/img/dead/0", "img"), ("/srcset/dead/0", "img"), ("/css/dead/0", "css"), ("/import/dead/0", "stylesheet"),
                           ("/form/dead/0", "form"), ("/icon/dead/0", "link"), ("/a/dead/0", "a"), ("/track/dead/0", "media")):
            self.assertEqual(kinds[self.root + path], kind)
        self.assertIsNone(kinds[self.root + "/"])

    def test_what_is_checked_gets_a_head_and_is_asked_for_once(self):
        crawl(self.root, expect=1)
        self.assertEqual(self.server.requests["HEAD", "/img/alive/0"], 1)
        self.assertNotIn(("GET", "/img/alive/0"), self.server.requests)
        self.assertEqual(self.server.requests["GET", "/img/dead/0"], 1)  # a 404 to HEAD may not be meant
        self.assertNotIn(("HEAD", "/a/alive/0"), self.server.requests)
        self.assertTrue(all(count == 1 for count in self.server.requests.values()))

    def test_with_no_assets_only_links_are_followed(self):
        records = crawl("--no-assets", self.root, expect=1)
        self.assertEqual(dead(records), self.dead_targets(["a", "area", "iframe"]))
        self.assertFalse([1 for method, path in self.server.requests if method == "HEAD"])

    def test_a_page_that_is_also_a_canonical_link_is_read(self):
        with Server(lambda method, path: (200, {"Content-Type": "text/html"}, {
                "/": b"<link rel=canonical href=/b><link rel=alternate href=/c><a href=/a>", "/a": b"<a href=/b>",
                "/b": b"<a href=/found>"}.get(path, b""))) as server:
            records = crawl("--no-robots", f"http://127.0.0.1:{server.port}/", expect=0)
        self.assertEqual([record["outcome"] for record in records], ["page"] * 4 + ["file"])
        self.assertEqual(server.requests["GET", "/found"], 1)
        self.assertEqual(server.requests["HEAD", "/b"], 0)


    def test_style_sheets_that_import_one_another_for_ever_are_a_trap(self):
        def answer(_, path):
            number = int(path.partition("?")[2] or 0) + 1
            page = b"<link rel=stylesheet href=/a.css?1>" if path == "/" else f"@import 'a.css?{number}';".encode()
            return 200, {"Content-Type": "text/html" if path == "/" else "text/css"}, page
        with Server(answer) as server:
            crawl("--no-robots", "--max-queries", "5", f"http://127.0.0.1:{server.port}/", expect=3)
        self.assertLess(sum(server.requests.values()), 20)


class Fragments(Crawled):
    def test_fragments_without_an_element_are_dead(self):
        records = crawl("--no-assets", "--fragments", self.root, expect=1)
        found = {(record["url"][len(self.root):], record["fragment"]) for record in records if record["fragment"]}
        pages = ["/page/fragments", "/page/places?0", "/page/places?1"]
        self.assertEqual(found, {(page, fragment) for page in pages for fragment in BAD_FRAGMENTS} | {("/moved", "gone")})
        for record in records:
            if record["fragment"]:
                self.assertEqual((record["outcome"], record["parent"]), ("error", self.root + "/page/fragments"))
        text = run_stage3("--no-assets", "--fragments", self.root).stdout
        self.assertIn(f"  {self.root}/page/places?0#missing (no element has this id)\n    on {self.root}/page/fragments\n", text)
        self.assertIn("13 missing fragment", text)

    def test_without_the_option_fragments_make_no_difference(self):
        self.assertFalse([1 for record in crawl("--no-assets", self.root, expect=1) if record["fragment"]])


class Foreign(Crawled):
    def setUp(self):
        super().setUp()
        self.foreign = self.enterContext(Server(answer_foreign, latency=0.01))
        self.site.foreign = [f"http://localhost:{self.foreign.port}"]

    def check(self, *options, expect=1):
        return crawl("--no-assets", "--external", "--external-delay", "0.01", "--header", "Secret: x", *options,
                     self.root + "/page/foreign", expect=expect)

    def test_foreign_links_are_alive_dead_or_unclear(self):
        outcomes = {}
        for record in self.check():
            if record["url"].startswith("http://localhost"):
                outcomes.setdefault(record["url"].split("/")[3], set()).add(record["outcome"])
        self.assertEqual(outcomes, {
            "alive": {"file"}, "dead": {"error"}, "nohead": {"file"}, "liar": {"file"}, "login": {"unclear"}, "busy": {"unclear"},
            "broken": {"unclear"}, "999": {"unclear"}, "private": {"unclear"}})

    def test_foreign_servers_are_asked_gently(self):
        self.check()
        requests = self.foreign.requests
        self.assertEqual(requests["GET", "/robots.txt"], 1)
        self.assertEqual((requests["HEAD", "/alive/0"], requests["GET", "/alive/0"]), (1, 0))
        self.assertEqual((requests["HEAD", "/nohead/0"], requests["GET", "/nohead/0"]), (1, 1))
        self.assertFalse([path for method, path in requests if path.startswith("/private/")])
        self.assertEqual(self.foreign.most_at_once, 1)
        for headers in self.foreign.headers:
            for name in ("secret", "referer", "authorization", "cookie"):
                self.assertNotIn(name, headers)

    def test_without_the_option_no_foreign_server_is_asked(self):
        crawl(self.root, expect=1)
        self.assertFalse(self.foreign.requests)

    def test_a_foreign_server_that_does_not_answer_is_asked_once_more_and_is_dead_then(self):
        with socket.create_server(("127.0.0.1", 0)) as closed:
            port = closed.getsockname()[1]
        self.site.foreign_targets = lambda state: [f"http://localhost:{port}/"] if state == "alive" else []
        began = time.monotonic()
        with ThreadPoolExecutor() as both:  # without robots.txt, and with it
            for records in both.map(lambda options: self.check(*options), (("--no-robots",), ())):
                self.assertEqual([(record["outcome"], record["tries"], record["error"]) for record in records[1:]],
                                 [("failed", 2, "connection refused")])
                self.assertGreaterEqual(time.monotonic() - began, 10)

    def test_what_is_unclear_counts_only_if_the_user_is_strict(self):
        self.site.foreign_targets = lambda state: [f"http://localhost:{self.foreign.port}/login/1"] if state == "alive" else []
        self.check(expect=0)
        self.check("--strict", expect=1)
        self.check("--strict", "--accept", "200..299,403", expect=0)
        text = run_stage3("--external", self.root + "/page/foreign").stdout
        self.assertIn(" 1 unclear.\nUnclear:\n  http://localhost:", text)
        self.assertIn("0 dead, 1 unclear", text)


if __name__ == "__main__":
    unittest.main()
