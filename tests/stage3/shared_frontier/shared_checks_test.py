#!/usr/bin/env python3
"""Processes that share a crawl check the same assets, foreign links and fragments as one that crawls alone."""
import json
import pathlib
import sys
import tempfile
import unittest

import invariants
import redis_server
from stage3 import Process, run, shared

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "checks"))
from site_with_all_links import Server, Site, answer_foreign, answer_of  # noqa: E402

SAME = ("outcome", "status", "next_url", "error", "content_type", "links", "depth", "kind")


def by_place(text):
    """(URL, fragment) -> the record. None may occur twice."""
    records = [json.loads(line) for line in text.splitlines()]
    result = {(record["url"], record["fragment"]): record for record in records}
    assert len(result) == len(records), "records occur twice"
    return result


class SharedChecks(unittest.TestCase):
    def setUp(self):
        site = Site(each=5)
        self.server, self.foreign = self.enter(Server(answer_of(site))), self.enter(Server(answer_foreign, latency=0.01))
        site.foreign = [f"http://localhost:{self.foreign.port}"]
        self.root = f"http://127.0.0.1:{self.server.port}/"
        self.folder = self.enter(tempfile.TemporaryDirectory())

    def enter(self, manager):
        result = manager.__enter__()
        self.addCleanup(manager.__exit__, None, None, None)
        return result

    def crawl_together(self, processes, servers, *options):
        """The records, from the report of one of them."""
        words = shared([server.url for server in servers], "site", *options, self.root)
        running = [Process(self.folder, str(number), *words) for number in range(processes)]
        self.assertEqual({process.wait(120) for process in running}, {1}, [process.words() for process in running])
        for server in servers:
            with server.client() as client:
                self.assertEqual(invariants.broken(client, "site"), [])
        return by_place("".join(process.wrote.read_text() for process in running))

    def compare(self, processes, servers, *options):
        status, text, said = run("-q", "--format", "jsonl", *options, self.root)
        self.assertEqual(status, 1, said)
        alone = by_place(text)
        self.server.requests.clear()
        self.foreign.requests.clear()
        together = self.crawl_together(processes, servers, *options)
        self.assertEqual(together.keys(), alone.keys())
        for place, record in alone.items():
            for field in SAME:
                self.assertEqual(together[place][field], record[field], (place, field))
        self.assertEqual({one: count for one, count in self.server.requests.items() if count > 1 and one[1] != "/robots.txt"}, {})
        self.assertLessEqual(self.foreign.most_at_once, 1)
        return together

    def test_by_two_processes_over_two_servers(self):
        servers = [self.enter(redis_server.RedisServer(keeps_all=True)) for _ in range(2)]
        together = self.compare(2, servers, "--external", "--external-delay", "0.01", "--fragments")
        self.assertGreater(len([1 for _, fragment in together if fragment]), 5)

    def test_the_report_says_how_pages_refer_to_what_is_dead(self):
        redis = self.enter(redis_server.RedisServer())
        words = shared(redis.url, "site", self.root)
        status, text, _ = run(*words)
        self.assertEqual(status, 1)
        self.assertIn(f"{self.root}img/dead/0 (img: HTTP status 404)", text)
        self.assertEqual(run(*words)[0], 1)

    def test_a_process_without_the_report_ends_as_the_one_with_it(self):
        redis = self.enter(redis_server.RedisServer())
        words = shared(redis.url, "site", "--fragments", "--no-assets", "--scope", "prefix", "--exclude", "dead",
                       self.root + "page/fragments")
        self.assertEqual([run(*words)[0], run(*words)[0]], [1, 1])

    def test_redirects_to_mend_are_dead_for_each_process_and_for_a_report_that_wants_it(self):
        answers = {"/": (200, {"Content-Type": "text/html"}, b"<a href=/old>"), "/old": (301, {"Location": "/"}, b"")}
        server = self.enter(Server(lambda method, path: answers.get(path, (404, {}, b""))))
        redis = self.enter(redis_server.RedisServer())
        words = shared(redis.url, "site", "--redirects=error", f"http://127.0.0.1:{server.port}/")
        report = shared(redis.url, "site", "--report")
        self.assertEqual([run(*each)[0] for each in (words, words, report, [*report, "--redirects=error"])], [1, 1, 0, 1])

    def test_each_process_says_that_nothing_was_checked(self):
        redis = self.enter(redis_server.RedisServer())
        words = shared(redis.url, "site", self.root + "img/alive/0")
        for again in (words, words, shared(redis.url, "site", "--report")):
            status, _, said = run(*again)
            self.assertEqual(status, 3, said)
            self.assertIn("nothing was checked: " + self.root + "img/alive/0 is ", said)

    def test_each_process_learns_that_a_prefix_is_a_folder(self):
        page = {"Content-Type": "text/html"}
        answers = {"/docs": (301, {"Location": "/docs/"}, b""), "/docs/": (200, page, b"<a href=a><a href=b><a href=/>"),
                   "/docs/a": (200, page, b"<a href=/other>"), "/docs/b": (200, page, b"<a href=/docs2>")}
        server = self.enter(Server(lambda method, path: answers.get(path, (404, {}, b""))))
        redis = self.enter(redis_server.RedisServer())
        words = shared(redis.url, "site", "--scope", "prefix", f"http://127.0.0.1:{server.port}/docs")
        running = [Process(self.folder, str(number), *words) for number in range(2)]
        self.assertEqual([process.wait(60) for process in running], [0, 0], [process.words() for process in running])
        self.assertEqual({path for _, path in server.requests} - {"/robots.txt"}, set(answers))


if __name__ == "__main__":
    redis_server.skip_if_there_is_none()
    unittest.main()
