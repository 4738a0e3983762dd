#!/usr/bin/env python3
"""Crawls with --state that are killed and go on, and crawls that ask only what has changed.

STAGE3 in the environment names the program. KILLS sets how many crawls are killed (4).
"""
import collections
import contextlib
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared_frontier"))
import crawled_site  # noqa: E402
from stage3 import PROGRAM, SAME, Process, missing_fragments, read_records, run_stage3  # noqa: E402

KILLS = int(os.environ.get("KILLS", "4"))
WITH_CHECKS = ("--external", "--external-delay", "0.01", "--fragments")


class Site(crawled_site.Site):
    """Its answers have an ETag. A request whose If-None-Match has that gets a 304. `changed`: new answers, by path."""

    def __init__(self, **options):
        self.changed = {}
        self.etags = True
        super().__init__(**options)
        self.on_request = lambda _, head: setattr(self, "head", head)

    def answer(self, host, path):
        status, headers, body = self.changed.get(path) or super().answer(host, path)
        etag = f'"{hash((status, headers, body)) & 0xffffffff:x}"'
        if status != 200 or not self.etags or path == "/robots.txt":
            return status, headers, body
        if f"If-None-Match: {etag}" in self.head:
            return 304, f"ETag: {etag}\r\n", ""
        return status, headers + f"ETag: {etag}\r\n", body

    def asked(self):
        """How often each URL was asked for, robots.txt aside; and forgets that."""
        counts = collections.Counter(self.origins[request.host] + request.path for request in self.requests
                                     if request.path != "/robots.txt")
        self.requests = []
        return counts


def same(text):
    """What doesn't depend on the way in which URLs were found, or on tries."""
    records = {url: [record[field] for field in SAME] for url, record in read_records(text).items()}
    return records, missing_fragments(text)


def differences(one, other):
    """A few of them."""
    records = [(url, one[0].get(url), other[0].get(url)) for url in sorted(one[0].keys() | other[0].keys())]
    return [record for record in records if record[1] != record[2]][:5] + sorted(set(one[1]) ^ set(other[1]))[:5]


@contextlib.contextmanager
def copied(state, folder):
    """The state as a database. It's copied, so that the next process finds the file as the last one left it."""
    for end in ("", "-wal"):
        if os.path.exists(state + end):
            shutil.copy(state + end, folder / ("copy" + end))
    with contextlib.closing(sqlite3.connect(folder / "copy")) as database:
        yield database
    for end in ("", "-wal", "-shm"):
        (folder / ("copy" + end)).unlink(missing_ok=True)


def answered(state, folder):
    """The URLs whose answers are in the file, and whether the crawl is over. A crawl may have been killed before it made tables,
    or even the file."""
    if not os.path.exists(state):
        return set(), False
    with copied(state, folder) as database:
        if not database.execute("SELECT 1 FROM sqlite_master").fetchone():
            return set(), False
        urls = {url for url, in database.execute("SELECT url FROM answers")}
        return urls, database.execute("SELECT is_over FROM crawl").fetchone() == (1,)


class WithState(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.state = str(self.folder / "state")

    def start_site(self, **options):
        return self.enterContext(Site(**options))

    def start(self, *options):
        return Process(self.folder, "crawl", "--state", self.state, *options)

    def crawl(self, *options, status=1):
        """Returns what it wrote on standard output, and on standard error."""
        process = self.start(*options)
        self.assertIn(process.wait(60), status if isinstance(status, tuple) else (status,), process.words())
        return process.wrote.read_text(encoding="utf-8"), process.words()


class Killed(WithState):
    def forget(self):
        for end in ("", "-wal"):
            pathlib.Path(self.state + end).unlink(missing_ok=True)

    def kill_at_random(self, seed, site, alone, options):
        """Kills a crawl up to three times, then lets it end. Returns how often it was killed, and how many answers were
        lost by that."""
        self.forget()
        chance = random.Random(seed)
        kills, lost, done = 0, 0, set()
        for _ in range(chance.randint(1, 3)):
            process = self.start(*options, site.root)
            requests = chance.randrange(150)
            while len(site.requests) < requests and process.poll() is None:
                time.sleep(0.001)
            process.kill()
            asked = site.asked()
            self.assertEqual(len(done & asked.keys()), 0, f"seed {seed}: asked again")
            before, (done, is_over) = done, answered(self.state, self.folder)
            self.assertEqual(len(before - done), 0, f"seed {seed}: answers are gone")
            if is_over:  # it came to its end, so the next one begins anew
                self.forget()
                done = set()
                continue
            kills += 1
            lost += len(asked.keys() - done)
        text, words = self.crawl(*options, site.root)
        self.assertEqual(len(done & site.asked().keys()), 0, f"seed {seed}: asked again")
        self.assertEqual(differences(same(text), alone), [], f"seed {seed}")
        return kills, lost

    def test_a_killed_crawl_continues_and_asks_nothing_that_it_has_written_down(self):
        site = self.start_site(pages=300, links=8, latency=0.02, checks=True)
        options = ["-w", "20", *WITH_CHECKS]
        alone = same(self.crawl(*options, site.root)[0])
        self.assertGreater(len(alone[0]), 290)
        site.asked()
        results = [self.kill_at_random(seed, site, alone, options) for seed in range(KILLS)]
        kills, lost = (sum(numbers) for numbers in zip(*results))
        self.assertGreater(kills, KILLS // 2)
        print(f"{kills} kills; {lost} answers were lost by them")


class Continued(WithState):
    def test_after_ctrl_c(self):
        site = self.start_site(pages=300, links=8, latency=0.02)
        process = self.start(site.root)
        while len(site.requests) < 50:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(60), -signal.SIGINT)
        self.assertIn("run the same command again to continue", process.words())
        done = site.asked()
        text, words = self.crawl(site.root)
        self.assertIn("continuing the crawl of ", words)
        self.assertLessEqual(len(done.keys() & site.asked().keys()), 10)  # those under way, one for each worker
        pathlib.Path(self.state).unlink()
        undisturbed, _ = self.crawl(site.root)
        self.assertEqual(same(text), same(undisturbed))

    def test_after_its_time_was_over(self):
        site = self.start_site(pages=300, links=8, latency=0.02)
        for seconds in ("0.3", "1", "3", "10"):  # on a slow machine, a crawl takes long to begin
            self.crawl("--timeout", seconds, site.root, status=(1, 3))  # the dead page may have been found by then
            if answered(self.state, self.folder)[0]:
                break
        _, words = self.crawl(site.root)
        self.assertIn("continuing the crawl of ", words)

    def test_a_limit_on_pages_is_an_end(self):
        site = self.start_site(pages=300, links=8)
        self.crawl("--max-pages", "50", site.root, status=1)
        self.assertEqual(len(site.asked()), 50)
        _, words = self.crawl("--max-pages", "50", site.root, status=1)
        self.assertIn("asking what has changed", words)
        self.assertEqual(len(site.asked()), 50)

    def test_a_limit_on_depth_counts_from_the_root_as_it_did(self):
        """Fast pages make a long way to /p/9, and a slow one makes a short way. After the crawl was interrupted, the long way
        is in the file, and must not win."""
        site = self.start_site(pages=20, links=4, robots=None, plain=True)
        html = "Content-Type: text/html\r\n"
        for page, links in {0: [1, 5], 1: [2], 2: [9], 5: [9], 9: [10], 10: []}.items():
            site.changed[f"/p/{page}"] = (200, html, "".join(f"<a href=/p/{link}>" for link in links))
        slow = threading.Event()
        answer = site.answer
        site.answer = lambda host, path: (502, "", "") if path == "/p/5" and not slow.is_set() else answer(host, path)
        process = self.start("-d", "3", site.root)
        while not {"/p/5", "/p/9"} <= {request.path for request in site.requests}:  # so /p/2 has been read
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        process.wait(60)
        threading.Timer(0.3, slow.set).start()
        text, _ = self.crawl("-d", "3", site.root, status=0)
        self.assertIn(site.url(10), read_records(text))

    def test_other_options_are_an_error_and_nothing_is_lost(self):
        site, report = self.start_site(pages=20, links=8, robots=None), self.folder / "report"
        self.crawl("-o", report, site.root, status=0)
        before, reported = pathlib.Path(self.state).read_bytes(), report.read_text()
        _, words = self.crawl("-o", report, "--fragments", site.root, status=2)
        self.assertIn("it holds a crawl with other options (then: nothing more; now: --fragments)", words)
        self.assertEqual(report.read_text(), reported)
        _, words = self.crawl(site.root + "/x", status=2)
        self.assertIn(f"(then: URLs {site.root}; now: URLs", words)
        self.assertEqual(pathlib.Path(self.state).read_bytes(), before)


ONE_BY_ONE = ("--workers", "1")  # else either page may be answered first, and the other is the one that opens


class CookieSite(Site):
    """Pages 1 and 2 redirect to each other, and 2 sets the cookie that opens 1."""

    def answer(self, host, path):
        if path == "/p/1" and "Cookie: key=mystery" not in self.head:
            return 302, "Location: /p/2\r\n", ""
        if path == "/p/2":
            return 302, "Location: /p/1\r\nSet-Cookie: key=mystery\r\n", ""
        return super().answer(host, path)


class Cookies(WithState):
    def crawl_alive(self, site, *options):
        text, words = self.crawl("-v", *ONE_BY_ONE, *options, site.root, status=0)
        self.assertEqual({url: record["outcome"] for url, record in read_records(text).items()
                          if url in (site.url(1), site.url(2))}, {site.url(1): "redirect", site.url(2): "page"})
        self.assertNotIn("mystery", text + words)
        self.assertNotIn(b"mystery", pathlib.Path(self.state).read_bytes())
        return same(text)

    def start_cookie_site(self):
        return self.enterContext(CookieSite(pages=20, links=4, robots=None, plain=True))

    def test_a_circle_that_a_cookie_opens_stays_open(self):
        site = self.start_cookie_site()
        first = self.crawl_alive(site)
        asked = site.asked()
        self.assertEqual(asked[site.url(1)], 2)
        for options in [(), ("--max-age", "1h")]:
            self.assertEqual(self.crawl_alive(site, *options), first)
            self.assertEqual(site.asked(), collections.Counter() if options else asked)

    def test_after_a_crawl_was_killed_on_its_way_round(self):
        site, started, kept = self.start_cookie_site(), threading.Event(), []

        def kill(path, head):
            site.head = head
            if path == "/p/1" and "Cookie" in head and not kept:
                started.wait(20)
                while site.url(1) not in answered(self.state, self.folder)[0]:
                    time.sleep(0.001)
                kept.append(site.url(1))
                process.kill()

        site.on_request = kill
        process = self.start(*ONE_BY_ONE, site.root)
        started.set()
        process.wait(60)
        self.assertTrue(kept)
        self.assertNotIn(site.url(2), answered(self.state, self.folder)[0])
        site.asked()
        self.crawl_alive(site)
        self.assertEqual(site.asked()[site.url(2)], 1)


class Later(WithState):
    """The next crawl."""

    def test_unchanged_pages_are_asked_about_and_not_sent(self):
        site = self.start_site(pages=300, links=8, checks=True)
        first, _ = self.crawl(*WITH_CHECKS, site.root)
        sent = {site.origins[request.host] + request.path for request in site.requests if request.status == 200}
        asked = site.asked()
        second, words = self.crawl(*WITH_CHECKS, site.root)
        self.assertEqual(same(second), same(first))
        unchanged = [request for request in site.requests if request.status == 304]
        self.assertEqual(site.asked(), asked)
        alive = {url for url, record in read_records(first).items() if record["status"] == 200 and record["kind"] in (None, "a")}
        self.assertEqual({site.origins[request.host] + request.path for request in unchanged},
                         {url for url in alive & sent if not url.startswith("http://localhost")})
        self.assertIn(f"of which {len(unchanged)} have not changed\n", words)

    def test_what_has_changed_is_read_anew(self):
        site = self.start_site(pages=50, links=4, robots=None)
        text, _ = self.crawl(site.root, status=1)
        page = next(url for url, record in read_records(text).items() if record["outcome"] == "page" and url != site.root)
        site.changed[page[len(site.origins[0]):]] = (200, "Content-Type: text/html\r\n", "<a href=/new>")
        text, _ = self.crawl(site.root)
        self.assertEqual(read_records(text)[site.origins[0] + "/new"]["parent"], page)
        site.changed[page[len(site.origins[0]):]] = (410, "", "")
        text, _ = self.crawl(site.root)
        self.assertEqual(read_records(text)[page]["status"], 410)
        self.assertNotIn(site.origins[0] + "/new", read_records(text))

    def test_a_place_on_a_foreign_page_needs_an_answer_with_ids(self):
        site, html, asked = self.start_site(pages=1, robots=None, checks=True), "Content-Type: text/html\r\n", []
        foreign = site.origins[1] + "/f/1"
        site.changed["/f/1"] = (200, html, "<p id=a>")

        def note(path, head):
            site.head = head
            if path == "/f/1":
                asked.append((head.split()[0], "If-None-Match" in head))

        site.on_request = note
        for link, request in ("", ("HEAD", False)), ("#b", ("GET", False)), ("#b", ("GET", True)), ("#a", ("GET", True)):
            site.changed["/p/0"] = (200, html, f"<a href={foreign}{link}>")
            text, _ = self.crawl(*WITH_CHECKS, site.root, status=0)
            self.assertEqual(asked, [request])
            self.assertEqual(missing_fragments(text), [(foreign, "b")] if link == "#b" else [])
            self.assertEqual(read_records(text)[foreign]["outcome"], "file")
            asked.clear()
        self.crawl(*WITH_CHECKS, "--max-age", "1h", site.root, status=0)
        self.assertEqual(asked, [])

    def test_what_no_crawl_has_had_a_use_for_is_forgotten_after_a_while(self):
        site = self.start_site(pages=50, links=4)
        self.crawl(site.root)
        site.changed["/p/0"] = (500, "", "")
        self.crawl("--max-tries", "1", site.root)
        self.assertGreater(len(answered(self.state, self.folder)[0]), 40)  # one bad night is no reason
        for _ in range(10):
            self.crawl("--max-tries", "1", site.root)
        self.assertEqual(answered(self.state, self.folder)[0], {site.root})

    def test_without_validators_everything_is_fetched(self):
        site = self.start_site(pages=50, links=4)
        site.etags = False
        first, _ = self.crawl(site.root)
        second, words = self.crawl(site.root)
        self.assertEqual(same(second), same(first))
        self.assertNotIn("have not changed", words)

    def test_a_304_that_nothing_had_asked_for_is_dead_as_ever(self):
        site = self.start_site(pages=50, links=4)
        site.changed["/p/1"] = (304, "", "")
        text, _ = self.crawl(site.root)
        self.assertEqual(read_records(text)[site.url(1)]["error"],
                         "HTTP status 304 (not modified) to a request without a condition")
        text, _ = self.crawl(site.root)
        self.assertEqual(read_records(text)[site.url(1)]["outcome"], "error")

    def test_a_wall_is_asked_again_unless_its_status_is_accepted(self):
        for accept, end, status in [((), 3, 200), (("--accept", "403"), 0, 403)]:
            with self.subTest(accept=accept):
                self.state += "1"
                site = self.start_site(pages=20, links=4, plain=True, robots=None)
                site.changed["/p/1"] = (403, "cf-mitigated: challenge\r\n", "")
                self.crawl(*accept, site.root, status=end)
                site.changed = {}
                text, _ = self.crawl("--max-age", "1h", *accept, site.root, status=0)
                self.assertEqual(read_records(text)[site.url(1)]["status"], status)

    def test_with_max_age_what_went_wrong_is_asked_about_again(self):
        """And nothing else. A request that fails takes nothing away: what is there is only asked about."""
        broken, html = (200, "Content-Encoding: gzip\r\n", "this isn't gzip"), (200, "Content-Type: text/html\r\n")
        lacks, has = (*html, "<a href='#new'>x</a>"), (*html, "<a href='#new' id=new>x</a>")
        for path, wrong, mended, asked, error in [
                ("/p/1", (302, "Location: /p/1\r\n", ""), None, ("/p/1", 200), "redirect loop"),
                ("/p/1", broken, None, ("/p/1", 304), "the body's compression"),
                ("/robots.txt", broken, None, ("/p/0", 304), "robots.txt"), ("/p/1", lacks, has, ("/p/1", 200), None)]:
            with self.subTest(path=path, wrong=wrong):
                self.state += "1"
                site = self.start_site(pages=20, links=4, plain=True, robots=None)
                if error not in ("redirect loop", None):
                    self.crawl("--fragments", site.root, status=0)
                site.changed[path] = wrong
                records = read_records(self.crawl("--fragments", site.root)[0])
                self.assertIn(error, records[site.origins[0] + asked[0]]["error"] if error else [None])
                site.changed = {path: mended} if mended else {}
                site.requests = []
                self.crawl("--fragments", "--max-age", "1h", site.root, status=0)
                self.assertEqual([(request.path, request.status) for request in site.requests
                                  if request.path != "/robots.txt"], [asked])

    def test_with_max_age_only_what_was_dead_is_asked_for(self):
        site = self.start_site(pages=300, links=8)
        first, _ = self.crawl(site.root)
        dead = {url for url, record in read_records(first).items() if record["outcome"] == "error"}
        self.assertTrue(dead)
        site.asked()
        second, words = self.crawl("--max-age", "1h", site.root)
        self.assertEqual(same(second), same(first))
        self.assertEqual(site.asked().keys(), dead)
        with copied(self.state, self.folder) as database:
            database.execute("UPDATE answers SET asked_at = asked_at - 3601")
            database.commit()
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            shutil.copy(self.folder / "copy", self.state)
        self.crawl("--max-age", "1h", site.root)
        allowed = {url for url, record in read_records(first).items() if record["outcome"] != "disallowed"}
        self.assertEqual(site.asked().keys(), allowed)

    def test_what_needs_no_request_waits_for_no_pause(self):
        site = self.start_site(pages=100, links=8, robots=None, plain=True)
        first, _ = self.crawl(site.root, status=0)
        begin = time.monotonic()
        second, _ = self.crawl("--max-age", "1h", "--delay", "1", site.root, status=0)
        self.assertLess(time.monotonic() - begin, 20)
        self.assertEqual(same(second), same(first))

    def test_links_that_are_damaged_in_the_file_are_fetched_again(self):
        site = self.start_site(pages=50, links=4)
        first, _ = self.crawl(site.root)
        site.asked()
        with contextlib.closing(sqlite3.connect(self.state)) as database:
            database.execute("UPDATE answers SET links = x'ff' WHERE url = ?", [site.url(1)])
            database.execute("UPDATE answers SET etag = '\"a' || char(13, 10) || 'X: y\"' WHERE url = ?", [site.url(2)])
            database.commit()
        heads = []
        site.on_request = lambda _, head: (setattr(site, "head", head), heads.append(head))
        second, _ = self.crawl("--max-age", "1h", site.root)
        self.assertEqual(same(second), same(first))
        self.assertIn(site.url(1), site.asked())
        self.assertFalse([head for head in heads if "X: y" in head])


class Unusable(WithState):
    def refused(self, *options, status=2):
        _, words = self.crawl(*options, "http://127.0.0.1:1/", status=status)
        return words

    def write(self, command):
        with contextlib.closing(sqlite3.connect(self.state)) as database:
            database.execute(command)

    def test_a_file_that_cannot_be_a_state_is_refused_and_left_alone(self):
        path, pipe = pathlib.Path(self.state), str(self.folder / "pipe")
        os.mkfifo(pipe)
        for state, prepare, words in [
                (self.state, lambda: path.write_text("my notes\n" * 1000), "file is not a database"),
                (self.state, lambda: self.write("CREATE TABLE bookmarks (url)"), "belongs to another program"),
                (self.state, lambda: (self.refused(status=1), self.write("PRAGMA user_version = 99")),
                 "another version of stage3"),
                (self.state + "/none/state", None, "No such file or directory"), (pipe, None, "isn't a regular file"),
                ("", None, "--state needs a file"), ("-", None, "--state needs a file")]:
            with self.subTest(words):
                path.unlink(missing_ok=True)
                self.state = state
                if prepare:
                    prepare()
                before = prepare and path.read_bytes()
                self.assertIn(words, self.refused())
                self.assertEqual(prepare and path.read_bytes(), before)

    def test_a_file_in_use(self):
        site = self.start_site(pages=300, links=8, latency=0.05)
        first = self.start(site.root)
        while not site.requests:
            time.sleep(0.01)
        site.latency = 10  # so that the first one isn't over before the second one has begun
        second = run_stage3("--state", self.state, site.root, status=2)
        self.assertIn("is in use by another crawl", second.stderr)
        first.kill()

    def test_a_disk_that_is_full(self):
        site = self.start_site(pages=300, links=8)
        undisturbed, _ = self.crawl(site.root)
        pathlib.Path(self.state).unlink()
        words = ["sh", "-c", 'ulimit -f 64; exec "$@"', "sh", PROGRAM, "--state", self.state, "--format", "jsonl", site.root]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, "(full|disk I/O error).*; from now on, nothing is kept")
        self.assertEqual(same(done.stdout), same(undisturbed))
        text, words = self.crawl(site.root)
        self.assertEqual(same(text), same(undisturbed))

    def test_names_that_sqlite_takes_for_something_else(self):
        site = self.start_site(pages=10, links=4, robots=None, plain=True)
        for name in (":memory:", "file:x?mode=memory"):
            run_stage3("--state", name, "-q", site.root, status=0, cwd=self.folder)
            self.assertTrue((self.folder / name).exists())

    def test_the_file_is_for_its_owner_only_and_has_no_passwords(self):
        site = self.start_site(pages=10, links=4, robots=None, plain=True)
        root = site.root.replace("://", "://me:secret@")
        self.crawl("--header", "X-Key: mystery", root, status=0)
        self.assertEqual(os.stat(self.state).st_mode & 0o777, 0o600)
        written = pathlib.Path(self.state).read_bytes()
        self.assertNotIn(b"secret", written)
        self.assertNotIn(b"mystery", written)
        _, words = self.crawl("--header", "X-Key: another", root, status=2)
        self.assertIn("other options", words)

    def test_options_that_do_not_go_together(self):
        self.assertIn("give one of these", self.refused("--frontier", "redis://localhost", "--crawl", "x"))
        self.assertIn("not an age", self.refused("--max-age", "7w"))
        self.assertIn("--max-age needs a --state FILE", run_stage3("--max-age", "7d", "http://127.0.0.1:1/").stderr)
        self.assertIn("also --output's file", self.refused("-o", self.state))


if __name__ == "__main__":
    unittest.main()
