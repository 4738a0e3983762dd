#!/usr/bin/env python3
"""Tests of tls_bench.py: what does it read in nginx's log? (Nothing is measured.)"""
from __future__ import annotations

import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
import tls_bench  # noqa: E402

WANTED = {"/": "200", "/1.html": "200", "/gone/0.html": "404"}
LOG = """\
HTTP/2.0 7 . 200 /
HTTP/2.0 7 . 200 /1.html
HTTP/2.0 9 r 404 /gone/0.html
"""


class ReadsLog(unittest.TestCase):
    def test_a_connection_is_one_handshake_and_may_have_resumed_a_session(self):
        self.assertEqual(tls_bench.read_log(LOG, "HTTP/2.0", WANTED), (2, 1, ""))

    def test_robots_txt_is_no_url_of_the_site(self):
        self.assertEqual(tls_bench.read_log(LOG + "HTTP/2.0 9 r 404 /robots.txt\n", "HTTP/2.0", WANTED), (2, 1, ""))

    def test_each_url_must_be_there_once_with_its_status_in_the_version_that_was_wanted(self):
        for change, fault in ((("9 r 404", "9 r 200"), "2 of 3 right, 3 requests"),
                              (("HTTP/2.0 7 . 200 /1.html\n", ""), "2 of 3 right, 2 requests"),
                              (("200 /1.html", "200 /1.html\nHTTP/2.0 7 . 200 /1.html"), "2 of 3 right, 4 requests"),
                              (("200 /1.html", "200 /1.html\nHTTP/2.0 7 . 200 /more"), "3 of 3 right, 4 requests"),
                              (("HTTP/2.0 9", "HTTP/1.1 9"), " {'HTTP/2.0': 2, 'HTTP/1.1': 1}")):
            with self.subTest(change):
                self.assertEqual(tls_bench.read_log(LOG.replace(*change), "HTTP/2.0", WANTED)[2], fault)


class Site(unittest.TestCase):
    def test_every_url_has_a_link_and_no_page_links_elsewhere(self):
        with tempfile.TemporaryDirectory() as folder:
            wanted = tls_bench.make_site(Path(folder) / "site", 200)
            texts = [path.read_text(encoding="utf-8") for path in (Path(folder) / "site").iterdir()]
        links = Counter(part.partition('"')[0] for text in texts for part in text.split('href="')[1:])
        self.assertEqual(links.keys() | {"/"}, wanted.keys())
        self.assertEqual(Counter(wanted.values()), {"200": 200, "404": tls_bench.DEAD})


class Table(unittest.TestCase):
    def test_a_row_names_what_it_was_given_and_what_was_not_exact(self):
        figures = [tls_bench.Figures(2, 0.5, 11, 10, 4, ""), tls_bench.Figures(4, 0.5, 11, 10, 4, "2 of 3 right")]
        one = tls_bench.Contestant("wget2, 2, 1 x 10", "HTTP/2.0", 10, [])
        self.assertRegex(tls_bench.in_words(tls_bench.row_of(50, one, figures, 300)),
                         r"^  50 ms +10  wget2, 2, 1 x 10 +100 +1\.667 +11 +10 +4  not exact: 2 of 3 right$")


if __name__ == "__main__":
    unittest.main()
