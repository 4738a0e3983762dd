#!/usr/bin/env python3
"""The practice site's programs: what they print, when they end, and with which status. And practice_site.py, which
starts the site for as long as the body of a `with`.

PRACTICE_SITE and DEMO in the environment name the programs.
"""
import http.client
import os
import pathlib
import pty
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
import urllib.request
from subprocess import PIPE, Popen
from urllib.parse import urljoin, urlsplit

sys.dont_write_bytecode = True
import practice_site  # noqa: E402  (it is beside this file)

SITE, DEMO = os.environ.get("PRACTICE_SITE"), os.environ.get("DEMO")


CRAWLER = """# Prints what is dead, as dead_links does.
import re, sys, urllib.error, urllib.parse, urllib.request
*how, root = sys.argv[1:]
found, left = {root: root}, [root]
while left:
    url = left.pop(0)
    if how == ["skip"] and url.endswith("/p/7"):
        continue
    try:
        answer = urllib.request.build_opener(type("Stay", (urllib.request.HTTPRedirectHandler,), {
            "redirect_request": lambda *_: None})).open(url)
        text = answer.read().decode()
    except urllib.error.HTTPError as error:
        text = 'href="' + error.headers.get("Location", "") + '"' if error.code < 400 else ""
        if error.code >= 400 and how != ["quiet"]:
            print(f"{url} (HTTP status {error.code}), found on {found[url]}")
    for link in re.findall('href="([^"#]+)', text):
        link = urllib.parse.urljoin(url, link)
        if link.startswith(root) and link not in found:
            found[link] = url
            left.append(link)
for more in {"twice": ["p/3"], "astray": ["astray"]}.get("".join(how), []):
    try:
        urllib.request.urlopen(root + more)
    except urllib.error.HTTPError:
        pass
"""


def get(connection, path):
    """The answer, and its body."""
    connection.request("GET", path)
    answer = connection.getresponse()
    return answer, answer.read().decode()


def run(program, *options):
    return subprocess.run([program, *options], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)


@unittest.skipUnless(SITE and DEMO, "needs the programs")
class Programs(unittest.TestCase):
    def start(self, *options):
        """The site's process and URL."""
        process = Popen([SITE, *map(str, options)], stdin=PIPE, stdout=PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(process.kill)
        return process, process.stdout.readline().strip()

    def connect(self, url):
        connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=20)
        self.addCleanup(connection.close)
        return connection

    def status(self, url, path):
        return get(self.connect(url), path)[0].status

    def assertEnds(self, process):
        """With its input, or already."""
        rest, _ = process.communicate(timeout=20)
        self.assertEqual((process.returncode, rest), (0, ""))

    def test_it_prints_its_url_and_ends_with_its_input(self):
        process, url = self.start("--pages", 20, "--size", 5000, "--until-eof")
        self.assertRegex(url, r"^http://127\.0\.0\.1:\d+/$")
        self.assertEqual(len(get(self.connect(url), "/p/19")[1]), 5000)
        self.assertEqual(self.status(url, "/p/20"), 404)
        self.assertEnds(process)

    def test_it_ends_on_signals_with_clients_waiting(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process, url = self.start("--latency", 60000)
            client, another = self.connect(url), self.connect(url)
            client.request("GET", "/")
            another.connect()
            process.stdin.close()  # which it ignores without --until-eof
            process.stdin = None
            time.sleep(0.05)
            self.assertIsNone(process.poll())
            process.send_signal(number)
            self.assertEnds(process)

    def test_it_shows_on_a_terminal_how_busy_it_is(self):
        try:
            ours, theirs = pty.openpty()
        except OSError as problem:
            self.skipTest(f"no pseudo-terminals (is /dev/pts mounted?): {problem}")
        process = Popen([SITE, "--pages", "5"], stdin=theirs, stdout=theirs, stderr=theirs)
        self.addCleanup(process.kill)
        os.close(theirs)
        said = ""

        def until(text):
            nonlocal said
            while text not in said:
                said += os.read(ours, 4096).decode()
            before, _, said = said.partition(text)
            return before
        client = self.connect(until("\r\n"))
        self.assertEqual([get(client, path)[0].status for path in ("/", "/p/1")], [200, 200])
        self.assertIn("1 connections open, ", until(" 2 in all"))
        until(" 0 requests/s, 2 in all")
        process.send_signal(signal.SIGINT)
        until("\r\x1b[K")  # the line is gone
        self.assertEqual((process.wait(20), said), (0, ""))
        os.close(ours)

    def test_it_prints_the_manifest_and_serves_what_that_says(self):
        process, url = self.start("--pages", 60, "--links", 8, "--seed", 5, "--manifest", "--selector", "poll",
                                  "--until-eof")
        lines = [line.rstrip("\n").split("\t") for line in iter(process.stdout.readline, "end\n")]
        self.assertEqual([kind for kind, *_ in lines].count("page"), 60)
        self.assertEqual({kind for kind, *_ in lines}, {"page", "dead", "redirect"})
        client = self.connect(url)
        for kind, page, *target in lines:
            answer, _ = get(client, urlsplit(page).path)
            self.assertEqual(answer.status // 100, {"page": 2, "dead": 4, "redirect": 3}[kind], page)
            if target:
                self.assertEqual(urljoin(page, answer.headers["Location"]), target[0])
        self.assertEnds(process)

    def test_it_serves_a_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            process, url = self.start("--root", folder, "--until-eof")
            self.assertEqual([self.status(url, path) for path in ("/", "/../", "/%2e%2e/")], [200, 404, 404])
            self.assertEnds(process)

    def test_it_keeps_pages_logs_requests_and_prints_counts(self):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder, "log")
            process, url = self.start("--pages", 20, "--keep", "--counts", "--log", log)
            client = self.connect(url)
            told = [get(client, path) for path in ("/p/3", "/p/3", "/nothing", "/nothing", "/old/7")]
            self.assertEqual([answer.status for answer, _ in told], [200, 200, 404, 404, 301])
            self.assertEqual(told[0][1], told[1][1])
            self.assertEqual(log.read_text(), "200 /p/3\n200 /p/3\n404 /nothing\n404 /nothing\n301 /old/7\n")
            client.sock.sendall(b"GET / HTTP/1.1\r\nHost: me\r\nConnection: close\r\n\r\n")
            while client.sock.recv(65536):  # so that all are counted
                pass
            for words in ("requests 6 at_once 1 connections 1\n", "requests 0 at_once 0 "):
                process.stdin.write("\n")
                process.stdin.flush()
                self.assertTrue(process.stdout.readline().startswith(words), words)
            self.assertEnds(process)  # --until-eof need not be said
        done = run(SITE, "--log", "/no/such/folder/log")
        self.assertEqual((done.returncode, done.stderr[:40]), (1, "practice_site: cannot write to /no/such/"))

    def test_bad_usage_prints_one_line(self):
        for words in ["--pages 0", "--pages 1000001", "--pages", "--links 0", "--links 10001", "--size 100000001",
                      "--latency 3600001", "--seed 2000000001", "--port 65536", "--selector sundial",
                      "--root /no/such/folder", "--root /tmp --pages 100", "--root /tmp --links 10",
                      "--root /tmp --size 1", "--root /tmp --seed 1", "--manifest --root /tmp", "--keep --root /tmp",
                      "--no-such-option", "something"]:
            with self.subTest(words):
                done = run(SITE, *words.split())
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertRegex(done.stderr, r"\Apractice_site: .*\n\Z")

    def test_a_port_that_is_taken_is_named(self):
        process, url = self.start("--until-eof")
        done = run(SITE, "--port", str(urlsplit(url).port))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, rf"\Apractice_site: cannot listen on port {urlsplit(url).port}.*\n\Z")
        self.assertEnds(process)

    def test_the_demonstration_reports_what_a_stage_missed_and_which_did_not_run(self):
        for stage in ("echo", "true"):  # echo prints the URL, which is no finding; true prints nothing
            done = run(DEMO, "--pages", "30", f"idle={stage}")
            self.assertEqual(done.returncode, 1)
            self.assertIn("demo: idle missed 30 of 30 pages, such as http://127.0.0.1:", done.stderr)
            self.assertIn("\nidle  ", done.stdout)  # the table
        done = run(DEMO, "broken=false", "absent=/no/such/program", "idle=echo")
        self.assertEqual(done.returncode, 1)
        self.assertIn("demo: cannot run '/no/such/program': no such file", done.stderr)
        self.assertIn("demo: absent ended by itself, with status 127", done.stderr)
        done = run(DEMO, "stage1")
        self.assertEqual((done.returncode, done.stderr[:6]), (2, "demo: "))

    def test_the_demonstration_s_lines_fit_the_terminal(self):
        with unittest.mock.patch.dict(os.environ, COLUMNS="60"):
            narrow = run(DEMO, "--pages", "30", "stage3, 100 workers=echo").stdout.splitlines()
        with unittest.mock.patch.dict(os.environ, COLUMNS="120"):
            wide = run(DEMO, "--pages", "30", "stage3, 100 workers=echo").stdout.splitlines()
        self.assertLess(len(wide), len(narrow))
        self.assertEqual([line for line in narrow if len(line) > 60 and not line.startswith("$")], [])
        at = next(at for at, line in enumerate(narrow) if line.startswith("stage  "))
        self.assertEqual({len(line) for line in narrow[at - 1:at + 2]}, {60})  # the table's columns are one below the other

    def test_the_demonstration_asks_the_server_about_a_crawler_that_lists_only_what_is_dead(self):
        with tempfile.TemporaryDirectory() as folder:
            for words, complaint in [
                    ("", ""), ("skip", "demo: mine missed 1 of 20 pages, such as http://127.0.0.1:"),
                    ("twice", "demo: mine fetched 1 of its URLs more than once, such as http://127.0.0.1:"),
                    ("quiet", "demo: mine missed "), ("astray", "demo: mine was wrong about 1 of 21 pages, such as ")]:
                with self.subTest(words):
                    crawler = pathlib.Path(folder) / "crawler"
                    crawler.write_text(f"#!{sys.executable}\n{CRAWLER}", encoding="ascii")
                    crawler.chmod(0o755)
                    done = run(DEMO, "--pages", "20", "--latency", "0", f"mine={crawler} {words}")
                    self.assertEqual(done.stderr[:len(complaint) or None], complaint)
                    self.assertEqual(done.returncode, 1 if complaint else 0)


@unittest.skipUnless(SITE, "needs the program")
class Started(unittest.TestCase):
    def assertEnded(self, site, status=0):
        self.assertEqual(site.process.returncode, status)
        self.assertTrue(site.process.stdin.closed and site.process.stdout.closed)
        with self.assertRaises(OSError):
            urllib.request.urlopen(site.url, timeout=10)

    def test_it_answers_and_then_ends(self):
        with practice_site.practice_site(SITE, "--pages", "3") as site:
            self.assertEqual(urllib.request.urlopen(site.url, timeout=10).status, 200)
            self.assertEqual(site.url, f"http://127.0.0.1:{site.port}/")
        self.assertEnded(site)

    def test_it_ends_when_the_body_throws(self):
        with self.assertRaises(ZeroDivisionError), practice_site.practice_site(SITE) as site:
            1 / 0
        self.assertEnded(site)

    def test_it_is_killed_if_it_does_not_end(self):
        with unittest.mock.patch.object(practice_site, "PATIENCE", 0.1):
            with practice_site.practice_site(SITE) as site:
                site.process.send_signal(signal.SIGSTOP)  # a stopped process doesn't act on SIGTERM
        self.assertEnded(site, -signal.SIGKILL)

    def test_it_may_have_ended_before_the_body_does(self):
        with practice_site.practice_site(SITE) as site:
            site.process.terminate()
            site.process.wait(30)  # it ends at once
        self.assertEnded(site)

    def test_the_port_and_the_core_may_be_chosen(self):
        core = min(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None
        with practice_site.practice_site(SITE) as first:
            pass
        with practice_site.practice_site(SITE, port=first.port, core=core) as site:
            self.assertEqual(site.port, first.port)
            if core is not None:
                self.assertEqual(os.sched_getaffinity(site.process.pid), {core})

    def test_it_ends_with_a_process_that_is_killed(self):
        told = "import os, signal, sys; sys.path.insert(0, sys.argv[1]); import practice_site\n" \
               "with practice_site.practice_site(sys.argv[2]) as site:\n" \
               "    print(site.process.pid, flush=True)\n    os.kill(os.getpid(), signal.SIGKILL)"
        here = pathlib.Path(__file__).parent
        done = subprocess.run([sys.executable, "-c", told, here, SITE], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=60)  # its pipe ends when the site does
        self.assertEqual((done.returncode, done.stderr), (-signal.SIGKILL, ""))

    def test_a_site_that_does_not_start_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            silent = pathlib.Path(folder) / "silent"
            silent.write_text("#!/bin/sh\nexit 1\n", encoding="ascii")
            silent.chmod(0o755)
            with self.assertRaisesRegex(practice_site.NotStarted,
                                        "^`practice_site --pages 3` did not print its address$"):
                with practice_site.practice_site(silent, "--pages", "3"):
                    self.fail("it never ran")


if __name__ == "__main__":
    unittest.main()
