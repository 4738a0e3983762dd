#!/usr/bin/env python3
"""Stage 3 over HTTP/2, with a server that breaks each of its rules in turn (see server.py).

    STAGE3=build/stage3_queue_crawler/stage3 tests/stage3/http2/http2_test.py [-v] [CLASS.TEST...]

In each crawl, every URL must have one record. Without python3-h2, all is skipped (exit code 77).

`TRUSTED` marks where the faults of older versions of libcurl show (see program.py).
"""
import asyncio
import collections
import random
import signal
import subprocess
import sys
import time
import unittest
from functools import partial

sys.dont_write_bytecode = True
from program import PROGRAM, crawl, is_trusted, records_in, words  # noqa: E402
from server import Connection, ErrorCodes, Once, Server, Together, links, page, stall  # noqa: E402

TRUSTED = is_trusted()
with_a_good_libcurl = unittest.skipUnless(TRUSTED, "on a busy machine, libcurl 7.88 sometimes says something else")
OPTIONS = ["--max-tries", "2", "--fetch-timeout", "10"]
LATE = 30  # seconds: a crawl that takes longer hangs
BROKEN_OFF = "failed: its HTTP/2 stream was reset"
CLOSED = "failed: the connection was closed in the middle of the body"
BROKEN = "failed: the connection broke"
EMPTY = "failed: empty response"
RESET = "failed: connection reset by peer"
TIMED_OUT, TIMED_OUT_10 = (f"failed: timed out after {seconds} s" for seconds in (2, 10))
FIVE = [f"/{number}" for number in range(1, 6)]


def text_of(record):
    """Such as "page", "page at try 2" or "failed: empty response"."""
    text = record["outcome"] + (f": {record['error']}" if record["error"] else "")
    return text + " at try 2" if record["outcome"] == "page" and record["tries"] == 2 else text


def one(act):
    """A site with one page that is special."""
    return {"/": links("/x", "/y"), "/x": act, "/y": "fine"}


def five(act):
    return {"/": links(*FIVE), **dict.fromkeys(FIVE, act)}


# ---- What to do with requests ----

def reset(code):
    return lambda stream: stream.reset(code)


def no_h2(act):
    """Requires HTTP/1.1, and does that with it."""
    return lambda stream: (act(stream) if stream.connection.version == "http/1.1"
                           else stream.reset(ErrorCodes.HTTP_1_1_REQUIRED))


def no(status):
    return lambda stream: stream.page("no", status=status)


def begin(stream, length=None):
    """The head and a part of the body."""
    stream.head(content_type="text/html", **{"content_length": length} if length else {})
    stream.body("x" * 500, end=False)


def begin_then_reset(code, length=None):
    def act(stream):
        begin(stream, length)
        stream.reset(code)
    return act


def answer(streams):
    for stream in streams:
        stream.page("fine")


def later(seconds, call, *arguments):
    asyncio.get_running_loop().call_later(seconds, call, *arguments)


def soon(stream):
    later(0.02, stream.page, "fine")


def with_headers(count, size):
    """That many, each of that size."""
    return lambda stream: stream.page("fine", **{f"x_{number}": "v" * size for number in range(count)})


def with_length(length):
    def act(stream):
        stream.head(content_type="text/html", content_length=length)
        stream.body("fine")
    return act


class Crawls(unittest.TestCase):
    def crawl(self, site, *options, complaints=(), version="--http2", **how):
        """Crawls a site, whose links must find all of it, and returns what the server has seen, with the records by
        path and the program's exit status."""
        with Server(site, **how) as server:
            done = crawl(server.url, version, *OPTIONS, *options, timeout=LATE)
        self.take_records(server, done.stdout)
        self.assertEqual(sorted(server.records), sorted(set(server.site) - {"/robots.txt"}))
        self.assertEqual((done.stderr, sorted(set(server.complaints))), ("", sorted(complaints)))
        server.status = done.returncode
        failed = any(record["outcome"] == "failed" for record in server.records.values())
        self.assertEqual(server.status, 1 if failed else 0)
        return server

    def take_records(self, server, output):
        records = records_in(output)
        server.records = {record["url"].removeprefix(server.url[:-1]): record for record in records}
        self.assertEqual(len(server.records), len(records), "a URL has two records")

    def assertEnds(self, server, expected, but=None):
        """`expected` is how all pages but the root end, or one of these; `but`: those that end otherwise."""
        for path, record in server.records.items():
            possible = {"/": "page", **(but or {})}.get(path, expected)
            with self.subTest(path):
                self.assertIn(text_of(record), [possible] if isinstance(possible, str) else possible)

    def assertOnlyX(self, server, end, requests=2):
        """/x ends like this, and nothing else suffers, nor is requested twice."""
        self.assertEnds(server, "page", but={"/x": end})
        self.assertEqual(server.counts(), {"/robots.txt": 1, "/": 1, "/x": requests, "/y": 1})


class Sharing(Crawls):
    def test_all_workers_share_one_connection(self):
        server = self.crawl(five(Together(5, answer)))
        self.assertEnds(server, "page")
        self.assertEqual((server.connections, server.most_streams), (["h2"], 5))

    def test_with_http_1_1_each_worker_has_a_connection(self):
        # The server answers once five requests have come. If they waited for one connection, they never would.
        for version, alpn in (("--http1.1", ["h2", "http/1.1"]), ("--http2", ["http/1.1"]), ("--http2", [])):
            with self.subTest(version, alpn=alpn):
                server = self.crawl(five(Together(5, answer)), version=version, alpn=alpn)
                self.assertEnds(server, "page")
                self.assertEqual(server.connections, 5 * ["http/1.1"])

    def test_a_server_may_limit_the_streams_of_a_connection(self):
        paths = [f"/{number}" for number in range(40)]
        for room in (1, 3):
            with self.subTest(room=room):
                server = self.crawl({"/": links(*paths), **dict.fromkeys(paths, soon)}, room=room)
                self.assertEnds(server, "page")
                self.assertEqual((set(server.counts().values()), server.most_streams), ({1}, room))
                self.assertLessEqual(server.most_open, 10)  # one per worker

    def test_big_bodies_come_on_many_streams_at_once_or_byte_by_byte(self):
        for size, piece in ((3_000_000, 16384), (200, 1)):
            def act(streams):
                for stream in streams:
                    stream.head(content_type="text/html", content_length=size)
                    stream.body("x" * size, piece=piece)
            server = self.crawl(five(Together(5, act)))
            self.assertEnds(server, "page")
            self.assertEqual({server.records[path]["bytes"] for path in FIVE}, {size})
            self.assertEqual(len(server.connections), 1)


@with_a_good_libcurl
class BrokenStreams(Crawls):
    def test_a_broken_stream_harms_no_other(self):
        errors = ErrorCodes.NO_ERROR, ErrorCodes.PROTOCOL_ERROR, ErrorCodes.INTERNAL_ERROR, ErrorCodes.CANCEL
        statuses = 408, 421, 425  # about the connection, so libcurl asks again at once, on a new one
        for name, act, end, requests, connections in [
                *[("reset with " + code.name, reset(code), BROKEN_OFF, 2, 1) for code in errors],
                ("reset once", Once(reset(ErrorCodes.INTERNAL_ERROR)), "page at try 2", 2, 1),
                *[("reset in its body", begin_then_reset(code, length), BROKEN_OFF, 2, 1)
                  for code in errors[2:] for length in (1000, None)],
                # libcurl doesn't say that the end of the stream is missing.
                ("ended without a length", begin_then_reset(ErrorCodes.NO_ERROR), "page", 1, 1),
                *[(f"length {length}", with_length(length), BROKEN_OFF, 2, 1) for length in (2, 100)],
                # libcurl makes six requests of each try.
                ("always refused", reset(ErrorCodes.REFUSED_STREAM), "failed: the connection broke", 2 * 6, None),
                *[(f"status {status}", Once(no(status)), "page", 2, 2) for status in statuses],
                ("HTTP/1.1 required", no_h2(lambda stream: stream.page("fine")), "page", 2, None)]:
            with self.subTest(name):
                server = self.crawl(one(act))
                self.assertOnlyX(server, end, requests)
                self.assertIn(len(server.connections), [connections] if connections else range(1, 20))
                self.assertEqual("http/1.1" in server.connections, "1.1" in name)

    def test_a_body_that_ends_early_is_no_page(self):
        for act, ends in [(begin_then_reset(ErrorCodes.NO_ERROR, 1000), [CLOSED] if TRUSTED else [CLOSED, EMPTY]),
                          (begin_then_reset(ErrorCodes.REFUSED_STREAM, 1000), [BROKEN]),
                          # It has offered HTTP/1.1 in TLS, and then says nothing.
                          (no_h2(lambda stream: stream.connection.cut()), [EMPTY, BROKEN, RESET])]:
            with self.subTest(ends):
                self.assertEnds(self.crawl(one(act)), "page", but={"/x": ends})

    def test_a_refused_stream_is_requested_again_at_once(self):
        # The server promises that it has done nothing, so libcurl asks again, and that isn't another try.
        server = self.crawl(five(Once(reset(ErrorCodes.REFUSED_STREAM))))
        self.assertEnds(server, "page")
        self.assertEqual({server.counts()[path] for path in FIVE}, {2})
        if TRUSTED:  # 7.88 opens a connection for each
            self.assertLess(len(server.connections), 6)

    def test_a_stream_stalls_and_the_others_do_not(self):
        site = {**five(page), "/1": stall, "/2": lambda stream: stream.head(content_type="text/html")}
        server = self.crawl(site, "--fetch-timeout", "2")
        self.assertEnds(server, "page", but={"/1": TIMED_OUT, "/2": TIMED_OUT})
        self.assertEqual(len(server.connections), 1)
        self.assertLess(max(server.records[path]["seconds"] for path in FIVE[2:]), 2)
        if TRUSTED:  # 7.88 doesn't always tell the server that it has given up
            self.assertEqual(server.resets, {"/1": 2, "/2": 2})

    def test_a_download_ends_and_its_connection_does_not(self):
        def act(stream):
            stream.head(content_type="application/zip", content_length=5_000_000)
            stream.body("x" * 500, end=False)
        server = self.crawl(one(act))
        self.assertOnlyX(server, "file", requests=1)
        self.assertEqual(len(server.connections), 1)
        if TRUSTED:  # 7.88 doesn't always tell the server that it has given up
            self.assertEqual(server.resets, {"/x": 1})

    def test_one_path_that_requires_http_1_1_does_not_keep_the_others_from_sharing(self):
        # If it did, each of the others would open a connection once the first is gone.
        def act(stream):
            for other in stream.connection.server.open - {stream.connection}:
                other.close()
            later(0.1, lambda: stream.page(links(*FIVE), connection="close"))
        server = self.crawl({"/": links("/x"), "/x": no_h2(act), **dict.fromkeys(FIVE, Together(5, answer))})
        self.assertEnds(server, "page")
        self.assertEqual(sorted(server.connections), ["h2", "h2", "http/1.1"])


@with_a_good_libcurl
class BrokenConnections(Crawls):
    def test_goaway_leaves_streams_unanswered(self):
        def act(streams):
            answer(streams[:2])
            streams[0].connection.go_away(streams[1].number)
        server = self.crawl(five(Together(5, act)))
        self.assertEnds(server, "page")
        self.assertEqual(sorted(server.counts()[path] for path in FIVE), [1, 1, 2, 2, 2])
        if TRUSTED:
            self.assertEqual(len(server.connections), 2)

    def test_goaway_after_some_requests(self):
        paths = [f"/{number}" for number in range(40)]
        for count in (1, 3):
            with self.subTest(count):
                server = self.crawl({"/": links(*paths), **dict.fromkeys(paths, soon)}, requests_per_connection=count)
                # A request that comes after a GOAWAY is repeated at once, and may come after the next one, too.
                self.assertEnds(server, ["page", "page at try 2"])
                self.assertEqual(set(server.counts().values()), {1})  # the server has answered it once
                self.assertEqual(max(collections.Counter(number for _, number in server.requests).values()), count)

    def test_a_connection_ends_in_the_middle_of_requests(self):
        for end, *begins in ((Connection.cut, None, begin, partial(begin, length=1000)),
                             (Connection.close, None, begin, partial(begin, length=1000)),
                             (lambda connection: connection.go_away(1), begin)):
            for start in begins:  # None: before the headers
                with self.subTest(end=end, start=start):
                    def act(streams):
                        for stream in streams if start else []:
                            start(stream)
                        end(streams[0].connection)
                    server = self.crawl(five(Together(5, act)))
                    self.assertEnds(server, "page at try 2" if start else "page")
                    self.assertEqual({server.counts()[path] for path in FIVE}, {2})
                    if TRUSTED:
                        self.assertEqual(server.connections, ["h2", "h2"])

    def test_each_connection_ends_before_the_headers(self):
        for act, ends in [
                (lambda stream: stream.connection.close(), [EMPTY] if TRUSTED else [EMPTY, TIMED_OUT_10]),
                (lambda stream: stream.connection.cut(), [EMPTY, BROKEN, RESET, "failed: broken pipe"]),
                (lambda stream: stream.connection.go_away(stream.number - 2), [EMPTY])]:
            with self.subTest(ends):
                self.assertEnds(self.crawl(five(act)), ends)

    def test_a_page_is_pushed_although_that_is_forbidden(self):
        def act(stream):
            stream.push("/pushed")
            stream.page("fine")
        server = self.crawl(one(act), complaints=["PROTOCOL_ERROR"])
        self.assertEnds(server, "page", but={"/x": BROKEN_OFF if TRUSTED else EMPTY})

    def test_a_server_offers_http_2_and_speaks_http_1_1(self):
        server = self.crawl({"/": ""}, mute=True)
        self.assertEqual(text_of(server.records["/"]), EMPTY)
        self.assertEqual(server.connections, ["h2", "h2"])


class AtRandom(Crawls):
    def test_streams_are_reset_and_connections_end(self):
        """Every URL has one record, and none is fetched twice."""
        chance, answered = random.Random(7), collections.Counter()
        codes = ErrorCodes.INTERNAL_ERROR, ErrorCodes.CANCEL, ErrorCodes.REFUSED_STREAM

        def answer_to(stream):
            number = int(stream.path[1:] or 0)
            if chance.random() >= 0.01:
                answered[stream.path] += 1
                stream.page(links(*(f"/{child}" for child in range(10 * number + 1, min(10 * number + 11, 2000)))))
                return
            if chance.random() < 0.5:
                begin(stream, chance.choice([None, 1000]))
            stream.reset(chance.choice(codes))
        site = dict.fromkeys(["/", *(f"/{number}" for number in range(1, 2000))], answer_to)
        server = self.crawl(site, "--workers", "20", "--max-tries", "4", requests_per_connection=500)
        self.assertEqual({record["outcome"] for record in server.records.values()}, {"page"})
        self.assertEqual({path for path, count in answered.items() if count > 1}, set())


class Heads(Crawls):
    @unittest.skipUnless(TRUSTED, "libcurl 7.88 may wait in vain for more than 16 kB of headers")
    def test_headers_of_60_kb_are_taken_and_of_100_kb_refused(self):
        self.assertOnlyX(self.crawl(one(with_headers(15, 4000))), "page", requests=1)
        server = self.crawl(one(with_headers(25, 4000)))
        self.assertEnds(server, "page", but={"/x": "failed: headers larger than 64 KiB"})
        self.assertEqual(len(server.connections), 1)

    @with_a_good_libcurl
    def test_a_header_of_100_kb_ends_the_connection(self):
        # Without it, the client couldn't decode the headers of later streams.
        server = self.crawl(one(with_headers(1, 100_000)), complaints=["COMPRESSION_ERROR"])
        self.assertEnds(server, "page", but={"/x": EMPTY})

    def test_early_hints_come_before_a_head_and_trailers_after_a_body(self):
        def act(stream):
            stream.head(103, link="</style.css>; rel=preload")
            stream.head(content_type="text/html")
            stream.body("fine", trailers=[("x-check", "1"), ("location", "/elsewhere")])
        self.assertOnlyX(self.crawl(one(act)), "page", requests=1)


class Cancelling(Crawls):
    @with_a_good_libcurl
    def test_bodies_that_are_too_large_leave_the_connection_to_the_others(self):
        def act(streams):
            for stream in streams:
                stream.page("x" * 20_000_000 if stream.path in ("/1", "/2") else "x" * 900)
        server = self.crawl(five(Together(5, act)), "--max-body", "1000")
        self.assertEnds(server, "page", but=dict.fromkeys(("/1", "/2"), "failed: body larger than 1000 bytes"))
        self.assertEqual(server.connections, ["h2"])
        self.assertEqual(server.resets, {"/1": 1, "/2": 1})

    def test_ctrl_c_ends_a_crawl_whose_streams_stall(self):
        arrived = []
        with Server(five(Together(5, arrived.append))) as server:
            program = subprocess.Popen([PROGRAM, *words(server.url, "--http2")], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
            while not arrived and program.poll() is None:
                time.sleep(0.01)
            begun = time.monotonic()
            program.send_signal(signal.SIGINT)
            output, said = program.communicate(timeout=LATE)
            seconds = time.monotonic() - begun
        self.take_records(server, output)
        self.assertEqual(program.returncode, -signal.SIGINT, said)
        self.assertLess(seconds, 30)
        self.assertEqual(text_of(server.records["/"]), "page")
        self.assertEqual((server.connections, server.complaints), (["h2"], []))


if __name__ == "__main__":
    unittest.main()
