#!/usr/bin/env python3
"""Programs that read JSON, CSV and Graphviz can read stage 3's formats, whatever a server sends.

STAGE3 in the environment names the program. Without Graphviz's `dot`, its format is checked less.
"""
import csv
import io
import json
import pathlib
import shutil
import subprocess
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import web_server  # noqa: E402
from run_stage3 import run_stage3  # noqa: E402

FIELDS = ["url", "depth", "parent", "outcome", "status", "next_url", "error", "content_type", "charset", "bytes", "links",
          "new_links", "tries", "seconds", "kind", "fragment", "excuse", "nearest_id", "line", "column", "text", "href"]
NUMBERS = {"depth": int, "status": int, "bytes": int, "links": int, "new_links": int, "tries": int, "seconds": float}
EVERY_BYTE = bytes(b for b in range(1, 256) if b not in b"\r\n")

REPLIES = {
    "/": b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n"
          b"<a href='/type'><a href='/moved'><a href='/formula'><a href='/reason'><a href='/utf8'><a href='/a\"b,c;d?\\'>"
          b"<a href='/%1b[31m'>",
    "/type": b"HTTP/1.0 200 OK\r\nContent-Type: a" + EVERY_BYTE.replace(b";", b"") + b"z; charset=\"" + EVERY_BYTE
              + b"\r\n\r\n",
    "/moved": b"HTTP/1.0 302 Found\r\nLocation: x:" + EVERY_BYTE + b"\r\n\r\n",
    "/formula": b"HTTP/1.0 200 OK\r\nContent-Type: =cmd|' /C calc'!A0\r\n\r\n",
    "/reason": b"HTTP/1.0 500 \x1b[2J\xff\r\n\r\n",
    "/utf8": b"HTTP/1.0 200 OK\r\nContent-Type: text/\xc3\xa9\xe2\x80\xae\r\n\r\n",
}


class Formats(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.url = cls.enterClassContext(web_server.Site(REPLIES)).origin + "/"

    def crawl(self, form):
        # Its status is 1 because of /reason, and two pages that are missing.
        done = run_stage3("-w", "1", "--format", form, self.url, status=1, encoding=None)
        self.assertEqual(done.stderr, b"")
        for byte in done.stdout:
            self.assertTrue(byte in b"\r\n" or 0x20 <= byte < 0x7f, hex(byte))
        return done.stdout.decode("ascii")

    def check(self, records):
        self.assertEqual([record["url"] for record in records],
                         [self.url + path for path in ("", "type", "moved", "formula", "reason", "utf8",
                                                       "a%22b,c;d?\\", "%1b[31m")])
        outcomes = [record["outcome"] for record in records]
        self.assertEqual(outcomes, ["page", "file", "redirect", "file", "error", "file", "error", "error"])
        for record in records:
            self.assertEqual(list(record), FIELDS)

    def check_numbers(self, records, read):
        for record in records:
            for field, kind in NUMBERS.items():
                self.assertIsInstance(read(kind, record[field]), kind)

    def test_json_reads_jsonl(self):
        records = [json.loads(line) for line in self.crawl("jsonl").splitlines()]
        self.check(records)
        self.check_numbers(records, lambda _, value: value)
        self.assertEqual(records[5]["content_type"], "text/\u00e9\u202e")
        self.assertTrue(records[2]["next_url"].startswith("x:\x01\x02"))

    def test_csv_reads_csv(self):
        records = list(csv.DictReader(io.StringIO(self.crawl("csv"), newline="")))
        self.check(records)
        self.check_numbers(records, lambda kind, text: kind(text))
        self.assertEqual(records[3]["content_type"], "'=cmd|' /C calc'!A0")  # not a formula

    def test_graphviz_reads_dot(self):
        graph = self.crawl("dot")
        self.assertTrue(graph.startswith("strict digraph crawl {\n") and graph.endswith("}\n"))
        if not shutil.which("dot"):
            self.skipTest("Graphviz is not installed")
        done = subprocess.run(["dot", "-Tplain"], input=graph.encode(), capture_output=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(done.stdout.count(b"\nnode "), 9)  # eight URLs, and the target of /moved


if __name__ == "__main__":
    unittest.main()
