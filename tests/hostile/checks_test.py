#!/usr/bin/env python3
"""Doctored results must be refused: tests of checks.py and of the programs that use it."""
import dataclasses
import http.client
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import types
import unittest
import urllib.request
from unittest import mock

sys.dont_write_bytecode = True
import cases
import checks
import crawls
import expect
import pieces
import record
import soak
import soak_site
import trial
from expect import failed, like, page
from server import AFTER_BYTES

ROOT = "http://h/"
RECORD = {"url": ROOT, "depth": 0, "parent": None, "outcome": "page", "status": 200, "next_url": None, "error": None,
          "content_type": "text/html", "charset": None, "bytes": 17, "links": 1, "new_links": 1, "tries": 1,
          "seconds": 0.25, "kind": None, "fragment": None, "excuse": None,
          "nearest_id": None, "line": None, "column": None, "text": None, "href": None}
DEAD = {**RECORD, "url": ROOT + "a", "outcome": "failed", "status": None, "error": "timed out after 1 s"}
BOTH = [RECORD, DEAD]
MORE = [*BOTH, {**RECORD, "url": "http://x/"}]
EXPECTED = {ROOT: page(), ROOT + "a": failed(expect.TIMED_OUT)}
GOOD = crawls.Result(status=1, output=b"", said=b"", seconds=1.0, peak=20 * checks.MEGA)


def line_of(record):
    return json.dumps(record).encode() + b"\n"


class Checks(unittest.TestCase):
    def assert_says(self, wrong, *words):
        """Exactly these things are wrong: there is a line for each word, and the word is in it."""
        told = list(wrong)
        self.assertEqual(len(told), len(words), told)
        for line, word in zip(told, words):
            self.assertIn(word, line)

    def test_right_results_pass(self):
        for wrong in [checks.wrong_end(GOOD, 1), checks.wrong_memory(GOOD, 4, checks.MEGA),
                      checks.wrong_records(BOTH, EXPECTED), checks.wrong_records(MORE, EXPECTED, more=True),
                      checks.wrong_jsonl(line_of(RECORD) + line_of(DEAD))]:
            self.assertEqual(list(wrong), [])

    def test_a_crawl_that_ends_wrongly_or_takes_too_much_memory_is_seen(self):
        self.assert_says(checks.wrong_end(GOOD._replace(status="late"), 1), "still running")
        for status in (0, 139):
            self.assert_says(checks.wrong_end(GOOD._replace(status=status), 1), "exit status")
        self.assert_says(checks.wrong_memory(GOOD._replace(peak=69 * checks.MEGA), 4, checks.MEGA), "peak")
        self.assert_says(checks.wrong_memory(GOOD._replace(peak=67 * checks.MEGA), 4, checks.MEGA))

    def test_a_missing_repeated_unexpected_or_wrong_record_is_seen(self):
        for records, word in [([RECORD], "lost"), ([*BOTH, DEAD], "2 records"), (MORE, "not expected")]:
            self.assert_says(checks.wrong_records(records, EXPECTED), word)
        for changed, word in [({"outcome": "error"}, "its outcome"), ({"status": 200}, "its status"),
                              ({"error": "timed out after 1 s or so"}, "its error"), ({"error": None}, "its error")]:
            self.assert_says(checks.wrong_records([RECORD, {**DEAD, **changed}], EXPECTED), word)
        self.assert_says(checks.wrong_record({**RECORD, "bytes": 18}, page(bytes=17)), "its bytes")
        self.assert_says(checks.wrong_record({**RECORD, "error": "x"}, page()), "its error")

    def test_bytes_that_no_terminal_should_get_are_seen(self):
        for byte in [b"\x1b", b"\a", b"\r", b"\0", b"\x7f", b"\x9b", "\u202e".encode(), b"\xff", b"\t"]:
            self.assert_says(checks.wrong_bytes(b"a\n" + byte + b"[31m\n"), "line 2")

    def test_malformed_json_is_seen(self):
        line = line_of(RECORD)
        self.assert_says(checks.wrong_jsonl(line.replace(b"text", b"t\x1bxt")), "line 1", "no JSON")
        self.assert_says(checks.wrong_jsonl(line[:-3] + b"\n"), "no JSON")
        self.assert_says(checks.wrong_jsonl(b'{"url": "x"}\n'), "other fields")



A_PROGRAM = """#!{python} -IS
import json, sys, time
root = sys.argv[-1]
good = dict(depth=0, parent=None, outcome="page", status=200, next_url=None, error=None, content_type="text/html",
            charset=None, bytes={after}, links=0, new_links=0, tries=1, seconds=0.1, kind=None, fragment=None,
            excuse=None, nearest_id=None, line=None, column=None, text=None, href=None)
bad = dict(good, outcome="failed", status=None, error="not an HTTP response")
lines = [json.dumps(dict(url=root, **good)), json.dumps(dict(url=root + "after", **good)),
         json.dumps(dict(url=root + "case", **bad))]
status = 1
{mischief}
print(*lines, sep="\\n")
sys.exit(status)
"""


class Programs(unittest.TestCase):
    """Programs that get a case wrong, in the place of stage 3."""
    CASE = cases.Case("0", "no answer at all", {"/case": b"what?"}, {"/case": failed("not an HTTP response", tries=1)},
                      within=5)

    def wrong(self, mischief, case=CASE):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "program")
            program.write_text(A_PROGRAM.format(python=sys.executable, after=AFTER_BYTES, mischief=mischief))
            program.chmod(0o700)
            with mock.patch.dict(crawls.PROGRAMS, stage3=str(program)), mock.patch.object(trial, "MEMORY", True):
                return " ".join(trial.try_case(case).wrong)

    def test_programs_that_are_wrong_are_found_out(self):
        self.assertEqual(self.wrong(""), "")
        for mischief, word in [
                ("lines.pop()", "is lost"), ("status = 0", "exit status"), ("sys.exit(3)", "is lost"),
                ("lines[2] = lines[2].replace('HTTP', 'H\\x1bTP')", "no JSON"),
                ("print('\\x1b[2J', file=sys.stderr)", "\\x1b"),
                ("all = bytearray(90_000_000)", "its peak of memory"),
                ("import os; os.abort()", "its exit status is 134")]:
            with self.subTest(mischief):
                self.assertIn(word, self.wrong(mischief))

    def test_a_program_that_never_ends_is_found_out(self):
        self.assertIn("still running", self.wrong("time.sleep(60)", dataclasses.replace(self.CASE, within=0.5)))


class Soak(unittest.TestCase):
    """A site that is generated from a seed, and the checks of its crawl."""
    ORIGINS = [f"http://{name}" for name in ("quick1", "quick2", "busy1", "busy2", "closed")]

    def site(self, seed, urls):
        return soak_site.Site(seed, urls, self.ORIGINS)

    def test_the_same_seed_is_the_same_site(self):
        wanted = self.site(1, 500).expected()
        self.assertEqual(self.site(1, 500).expected(), wanted)
        self.assertNotEqual(self.site(2, 500).expected(), wanted)

    def test_each_fate_occurs(self):
        site = self.site(1, 100_000)
        counts = {fate.name: 0 for fate in soak_site.FATES}
        for number in range(site.urls):
            counts[site.fate(number).name] += 1
        self.assertEqual(len(counts), len(soak_site.FATES), "two fates have the same name")
        # Except what a time limit ends, which is rare.
        self.assertEqual([name for name, count in counts.items() if count == 0 and name != "not a byte"], [])

    def test_each_url_can_be_reached(self):
        site = self.site(3, 2000)
        known, line = {site.root}, [0]
        while line:
            number = line.pop()
            if site.fate(number).leads_on:
                for url in re.findall(r'href="([^"#]*)', site.body(number).decode()):
                    if url not in known:
                        known.add(url)
                        line.append(int(url.rpartition("/")[2]))
        self.assertEqual(known, {site.url(number) for number in range(site.urls)})

    def test_a_site_that_answers_differently_is_noticed(self):
        """The site's own seed is different, and so are most of the fates."""
        with soak.Served(1, 200, plain=False) as site:
            site.seed = 2
            wrong = " ".join(soak.wrong_with(soak.Watched(site, within=60), site, site.expected()))
        for words in ("its outcome", "its bytes", "is lost", "is not expected"):
            self.assertIn(words, wrong)

    def wrong(self, records=(RECORD, DEAD), grow=150, descriptors=30, **changes):
        result = GOOD._replace(output=b"".join(map(line_of, records)), **changes)
        samples = [soak.Sample(i, i, 20_000_000 + grow * i, descriptors if i == 5 else 10) for i in range(10)]
        with mock.patch.object(soak, "ENOUGH_URLS", 1), mock.patch.dict(soak.os.environ, HOSTILE_MEMORY="yes"):
            return " ".join(soak.wrong_with(types.SimpleNamespace(result=result, samples=samples), None, EXPECTED))

    def test_what_is_wrong_is_said(self):
        self.assertEqual(self.wrong(), "")
        self.assertIn("is lost", self.wrong([RECORD]))
        self.assertIn("its exit status", self.wrong(status=0))
        self.assertIn("its peak", self.wrong(peak=90 * checks.MEGA))
        self.assertIn("grows by 1000 bytes per URL", self.wrong(grow=1000))
        self.assertIn("had 500 descriptors", self.wrong(descriptors=500))


class Cases(unittest.TestCase):
    def test_each_case_has_its_own_number_and_name(self):
        every = cases.all_cases()
        self.assertGreater(len(every), 100)
        for of in ("number", "name", "title"):
            texts = [getattr(case, of) for case in every]
            self.assertEqual(sorted(set(texts)), sorted(texts))

    def test_every_number_has_a_case_or_a_reason(self):
        there = {int(case.number.rstrip("abcdefghijklmnopq")) for case in cases.all_cases()}
        self.assertEqual(there & set(cases.ELSEWHERE), set())
        self.assertEqual(sorted(there | set(cases.ELSEWHERE)), list(range(1, 85)))

    def test_titles_are_short(self):
        self.assertLessEqual(max(len(case.title) for case in cases.all_cases()), 60)

    def test_the_files_of_numbers_without_a_case_exist(self):
        for number, where in cases.ELSEWHERE.items():
            for word in where.split():
                path = word.strip("().,:;")
                if "/" in path and "." in path:
                    self.assertTrue((crawls.HERE.parents[1] / path).exists(), f"{number}: {path}")

    def test_what_counts_as_dead(self):
        self.assertEqual(expect.error(404).error, "HTTP status 404")
        self.assertTrue(expect.error(404).is_dead and failed("x").is_dead)
        self.assertFalse(page().is_dead or expect.disallowed().is_dead or expect.redirect().is_dead)
        self.assertTrue(expect.fits(like("a+"), "aa") and not expect.fits(like("a+"), "aab"))
        self.assertTrue(expect.fits("a+", "a+") and not expect.fits("a+", "aa"))


class Server(unittest.TestCase):
    def test_alone_it_serves_all_cases_that_fit_into_one_crawl(self):
        command = [sys.executable, str(crawls.HERE / "server.py")]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                count, url = re.fullmatch(r"(\d+) cases: (\S+)\n", server.stdout.readline()).groups()
                with urllib.request.urlopen(url, timeout=20) as answer:
                    links = re.findall(r'<a href="(http://127.0.0.1:\d+/)">', answer.read().decode())
                self.assertEqual(len(links), int(count))
                with urllib.request.urlopen(links[-1], timeout=20) as answer:
                    self.assertIn(b'<a href="/after">', answer.read())
            finally:
                server.kill()

    def test_it_records_each_request_and_its_connection(self):
        with cases.Site({"/": pieces.page("a"), "/x/*": lambda request: pieces.ok(str(request.count))}) as site:
            connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=20)
            bodies = []
            for path in ["/", "/x/1?a", "/x/1?a", "/y"]:
                connection.request("GET", path, headers={"X-Name": "me"})
                bodies.append(connection.getresponse().read())
            connection.close()
            urllib.request.urlopen(site.origin, timeout=20).close()
            self.assertEqual(bodies[1:], [b"0", b"1", b""])
            self.assertEqual([(request.path, request.connection) for request in site.requests],
                             [("/", 0), ("/x/1?a", 0), ("/x/1?a", 0), ("/y", 0), ("/", 1)])
            self.assertEqual(site.requests[0].headers["x-name"], "me")

    def test_an_answer_s_function_that_fails_fails_its_test(self):
        with self.assertRaises(ZeroDivisionError):
            with cases.Site({"/": lambda request: 1 / 0}) as site, self.assertRaises(http.client.RemoteDisconnected):
                urllib.request.urlopen(site.origin, timeout=20)


class Book(unittest.TestCase):
    """What record.py has recorded."""
    ROW = {"number": "5", "section": 1, "title": "gzip, cut off", "outcome": "failed",
           "error": "the body's compression was cut off\x1b", "status": 1, "seconds": 0.4, "peak_mb": 15.5}

    def test_a_long_row_continues_on_the_next_line(self):
        other = {**self.ROW, "number": "6", "section": 2}
        lines = record.table({"cases": [self.ROW, other]}, lambda row: row["section"] == 1).splitlines()
        self.assertEqual([line.split() for line in lines[1:]],
                         ["5 gzip, cut off failed: the body's compression 0.40 16".split(), r"was cut off\x1b".split()])
        self.assertEqual(lines[2].index("was"), lines[1].index("failed"))

    def test_an_unusual_exit_status_has_a_column(self):
        fine = {**self.ROW, "outcome": "page", "error": "", "status": 0}
        lines = record.table({"cases": [self.ROW, fine, {**fine, "status": 3}]}, lambda row: True).splitlines()
        self.assertEqual([line.split()[-3:] for line in (lines[0], lines[1], *lines[-2:])],
                         [["exit", "s", "MB"], *([status, "0.40", "16"] for status in "103")])
        self.assertNotIn("exit", record.table({"cases": [self.ROW, fine]}, lambda row: True))

    def test_no_line_is_too_long_for_a_page(self):
        for section in cases.SECTIONS:
            lines = record.table(record.read(), lambda row: row["section"] == section).splitlines()
            self.assertLessEqual(max(map(len, lines)), 90)

    def test_a_row_that_is_not_true_is_found_out(self):
        case = types.SimpleNamespace(number="5", title="gzip, cut off")
        tried = trial.Trial(self.ROW["outcome"], self.ROW["error"], 1, 0.1, 1, [])

        def wrong(**changes):
            return " ".join(record.told_otherwise(case, tried, {"5": {**self.ROW, **changes}}))
        self.assertEqual(wrong(), "")
        self.assertEqual(wrong(seconds=9, peak_mb=99), "")
        for name, value in [("title", "gzip"), ("outcome", "page"), ("error", ""), ("status", 0), ("status", None)]:
            self.assertIn(f"its {name} is ", wrong(**{name: value}))
        self.assertIn("the book has None", " ".join(record.told_otherwise(case, tried, {})))

    def test_the_book_has_exactly_these_cases(self):
        self.assertEqual([row["number"] for row in record.read()["cases"]], [case.number for case in cases.all_cases()])


if __name__ == "__main__":
    unittest.main()
