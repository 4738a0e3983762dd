#!/usr/bin/env python3
"""What goes wrong beneath HTTP: descriptors, memory, disk, pipes, signals, a server's death, clocks.

    tests/hostile/below_http.py --record FILE    does all of that to stage 3, and records the outcome
    tests/hostile/below_http.py --table a-v      prints what is recorded of these faults

A fault is a function that yields what is wrong: see `fault`. below_http_test.py has a test for each.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
import crawls
import pieces
import record
from pieces import Site

JUMPING_CLOCK = os.environ.get("JUMPING_CLOCK_LIB") or str(crawls.BUILD / "tests/support/libjumping_clock.so")
BOOK = crawls.HERE.parents[1] / "book/figures/below_http.json"
LATE = 60  # seconds; much more than anything takes
SOON = 45 if os.environ.get("HOSTILE_MEMORY") == "no" else 8  # seconds, even on a busy machine; sanitizers are slow
PROMPT = ["--fetch-timeout", "120", "--progress", "never"]

Fault = collections.namedtuple("Fault", "number title function")
FAULTS = []


def fault(number, title):
    """Decorates a function that is called with a Run and yields what is wrong."""
    def take(function):
        FAULTS.append(Fault(number, title, function))
        return function
    return take


class Run:
    """Stage 3 while something is done to it. `end` returns how it ended."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.process, self.begun, self.status, self.seconds = None, 0.0, None, 0.0
        self.said = ""
        self._words = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self._words:
            self._words.close()
        self.folder.cleanup()

    @property
    def file(self):
        return os.path.join(self.folder.name, "records")

    def start(self, url, *options, limits=None, format="jsonl", output=None, stdout=subprocess.DEVNULL, stderr=None, env=None):
        """`output`: --output, if not `file`; "-": standard output."""
        hold = [sys.executable, "-I", "-S", str(crawls.HERE / "hold.py"), json.dumps(limits or {})]
        to = [] if output == "-" else ["--output", output or self.file]
        self._words = tempfile.TemporaryFile()
        self.begun = time.monotonic()
        self.process = subprocess.Popen(
            [*hold, crawls.PROGRAMS["stage3"], *PROMPT, "--format", format, *to, *map(str, options), url],
            stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr or self._words, env={**os.environ, **(env or {})})
        return self.process

    def signal(self, number=signal.SIGINT):
        """Starts measuring the time."""
        self.begun = time.monotonic()
        self.process.send_signal(number)

    def end(self):
        """Waits for it. Returns the status as in a shell."""
        try:
            code = self.process.wait(LATE)
            self.status = code if code >= 0 else 128 - code
        except subprocess.TimeoutExpired:
            self.status = "late"
        self.seconds = time.monotonic() - self.begun
        self._words.seek(0)
        self.said = self._words.read().decode("latin-1")
        return self.status

    def records(self):
        """Raises ValueError if a line isn't whole."""
        try:
            text = pathlib.Path(self.file).read_text(encoding="ascii")
        except FileNotFoundError:
            return []
        if text and not text.endswith("\n"):
            raise ValueError("the last line isn't whole")
        return [line for line in map(json.loads, text.splitlines()) if "url" in line]

    def wrong_end(self, status, words=""):
        """Waits, and yields what is wrong with the end. `words`: a pattern for what it says."""
        self.end()
        if self.status != status:
            yield f"its exit status is {self.status}, but should be {status}; it said {self.said[-1000:]!r}"
        if not re.search(words, self.said):
            yield f"it said {self.said[-1000:]!r}, and not {words!r}"

    def wrong_records(self, least=1, most=None, dead=0):
        """`least`, `most`: of pages."""
        try:
            records = self.records()
        except ValueError as error:
            yield f"its records can't be read: {error}"
            return
        failed = [record for record in records if record["outcome"] in ("error", "failed")]
        if len(failed) != dead:
            yield f"{len(failed)} are dead, but should be {dead}: {failed[:2]}"
        pages = len(records) - len(failed)
        if not least <= pages <= (most or pages):
            yield f"{pages} records, but should be {least} to {most}"

    def wrong_report(self):
        report = pathlib.Path(self.file).read_text(encoding="ascii")
        if "\nDone in " not in report:
            yield f"there is no report: {report[-200:]!r}"

    def wrong_seconds(self, most=SOON):
        if self.seconds > most:
            yield f"it took {self.seconds:.1f} s"


def wait_until(holds):
    end = time.monotonic() + LATE
    while not holds():
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.005)


def site_of(pages, body="", delay=0.0, **others):
    """A site whose first page links to this many others."""
    page = pieces.page(text=body)
    answer = [pieces.Pause(delay), *page] if delay else page
    return Site({"/robots.txt": pieces.status(404), "/": pieces.page(*[f"/p/{i}" for i in range(pages)]),
                 "/p/*": answer, **{"/" + path: answer for path, answer in others.items()}})


# ---- Limits of the system ----

@fault("a", "all but 14 of 64 descriptors are in use already, and there are 60 workers")
def descriptors_in_use(run):
    with site_of(200, delay=0.02) as site:
        run.start(site.origin, "-w", 60, limits={"descriptors": 64, "taken": 47})
        yield from run.wrong_end(0, "no descriptor is left for another socket: fetches wait")
        yield from run.wrong_records(201, 201)


@fault("b", "no more memory, with large bodies (ulimit -v)")
def no_memory_for_bodies(run):
    with site_of(100, body="<p>" * (2 << 20)) as site:
        run.start(site.origin, "-w", 50, limits={"memory": 150 << 20})
        yield from run.wrong_end(3, r"no memory is left \(see ulimit -v, or use fewer --workers\): \d+ URLs")
        yield from run.wrong_records(1, 100)


def endless(request):
    return pieces.page(*[f"{request.path.rstrip('/')}/{'z' * 60}{i}" for i in range(5000)])


def site_without_end():
    return Site({"/robots.txt": pieces.status(404), "/*": endless})


@fault("c", "no more memory, with ever more links")
def no_memory_for_urls(run):
    with site_without_end() as site:
        run.start(site.origin, limits={"memory": 100 << 20})
        yield from run.wrong_end(3, r"no memory is left .*: \d+ URLs that are known were not fetched")
        yield from run.wrong_records()


@fault("d", "no more memory, and the results are a report")
def no_memory_and_a_report(run):
    with site_without_end() as site:
        run.start(site.origin, format="text", limits={"memory": 100 << 20})
        yield from run.wrong_end(3, "no memory is left")
        yield from run.wrong_report()


@fault("e", "disk full (-o /dev/full)")
def disk_full(run):
    with site_of(50) as site:
        run.start(site.origin, output="/dev/full")
        yield from run.wrong_end(3, "^stage3: can't write results: No space left on device\n$")


@fault("f", "file that may not grow beyond 16 KiB (ulimit -f)")
def file_full(run):
    with site_of(500) as site:
        run.start(site.origin, limits={"file": 16384})
        yield from run.wrong_end(3, "^stage3: can't write results: File too large\n$")
        results = pathlib.Path(run.file).read_bytes()
        if not 15_000 < len(results) <= 16384 or not results.endswith(b"\n"):
            yield f"{len(results)} bytes of results were written, and then {results[-20:]}"


# ---- Pipes ----

@fault("g", "who reads the results leaves (| head -n 1)")
def reader_leaves(run):
    with site_of(5000) as site:
        process = run.start(site.origin, output="-", stdout=subprocess.PIPE)
        process.stdout.readline()
        process.stdout.close()
        yield from run.wrong_end(3, "^$")
        if len(site.requests) > 4000:
            yield f"it went on: {len(site.requests)} requests"


def unread_pipe():
    """Both ends of a pipe that is full."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    try:
        while True:
            os.write(writing, b"x" * 4096)
    except BlockingIOError:
        os.set_blocking(writing, True)
    return reading, writing


@fault("h", "what it says (-v) goes into a full pipe, which nobody reads")
def words_unread(run):
    reading, writing = unread_pipe()
    with site_of(1000) as site, os.fdopen(reading), os.fdopen(writing, "wb", closefd=True) as pipe:
        run.start(site.origin, "-v", "--progress", "always", stderr=pipe)
        yield from run.wrong_end(0)
        yield from run.wrong_records(1001, 1001)


@fault("i", "what it says (-v) goes into a pipe whose reader is gone")
def words_unreadable(run):
    reading, writing = os.pipe()
    os.close(reading)
    with site_of(100) as site, os.fdopen(writing, "wb") as pipe:
        run.start(site.origin, "-v", "--progress", "always", stderr=pipe)
        yield from run.wrong_end(0)
        yield from run.wrong_records(101, 101)


@fault("j", "disk full, and standard error is a full pipe, which nobody reads")
def complaint_unread(run):
    reading, writing = unread_pipe()
    with site_of(50) as site, os.fdopen(reading), os.fdopen(writing, "wb") as pipe:
        run.start(site.origin, output="/dev/full", stderr=pipe)
        yield from run.wrong_end(3)


# ---- Ctrl-C, whatever the program is doing ----

def ends_at_ctrl_c(run, site, ready, *options, pages=(1, None), format="jsonl"):
    """`ready`: true when it's time to press Ctrl-C."""
    run.start(site.origin, *options, format=format)
    wait_until(ready)
    time.sleep(0.1)  # now it's in the middle of it
    run.signal()
    yield from run.wrong_end(130, r"interrupted: \d+ URLs that are known were not fetched")
    yield from run.wrong_seconds()
    if format == "jsonl":
        yield from run.wrong_records(*pages)
    else:
        yield from run.wrong_report()


@fault("k", "Ctrl-C, while robots.txt is awaited")
def ctrl_c_at_robots(run):
    with Site({"/robots.txt": [pieces.Silence()]}) as site:
        yield from ends_at_ctrl_c(run, site, lambda: site.requests, pages=(0, 0), format="text")


@fault("l", "Ctrl-C, while it connects")
def ctrl_c_while_connecting(run):
    with socket.socket() as listener, site_of(0) as site:
        # A connection that arrives when the queue is full isn't answered at all.
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        full = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        line = [socket.socket() for _ in range(4)]
        for one in line:
            one.setblocking(False)
            one.connect_ex(listener.getsockname())
        site.answers["/"] = pieces.page(full)
        has_record = lambda: pathlib.Path(run.file).exists() and pathlib.Path(run.file).stat().st_size > 0
        yield from ends_at_ctrl_c(run, site, has_record, "--no-robots", pages=(1, 1), format="jsonl")
        for one in line:
            one.close()


@fault("m", "Ctrl-C, in the middle of a body")
def ctrl_c_in_body(run):
    body = [pieces.http("HTTP/1.1 200 OK", "Content-Type: text/html", "Content-Length: 1000", body="<p>"), pieces.Silence()]
    with site_of(20, **{"p/*": body}) as site:
        yield from ends_at_ctrl_c(run, site, lambda: len(site.paths()) > 5, "--no-robots", pages=(1, 1))


@fault("n", "Ctrl-C, while a page of 14 MB with 300,000 links is read")
def ctrl_c_while_parsing(run):
    links = b"".join(b'<a href="/p/%d%s">x</a>' % (i, b"x" * 30) for i in range(300_000))
    with site_of(0, large=pieces.ok(links)) as site:
        site.answers["/"] = pieces.page("/large")
        yield from ends_at_ctrl_c(run, site, lambda: "/large" in site.paths(), "--no-robots")


@fault("o", "Ctrl-C, while a slow pattern is looked for in 2,000 long links")
def ctrl_c_at_a_slow_pattern(run):
    links = b"".join(b'<a href="/%d%s">x</a>' % (i, b"a" * 7900) for i in range(2000))  # 0.1 s each
    with site_of(0, large=pieces.ok(links)) as site:
        site.answers["/"] = pieces.page("/large")
        yield from ends_at_ctrl_c(run, site, lambda: "/large" in site.paths(), "--no-robots", "--max-body", "64M",
                                  "--parse-threads", 0, "--exclude", ".*a.*a.*a.*z", pages=(1, 1))


@fault("p", "Ctrl-C, before the second try")
def ctrl_c_before_retry(run):
    later = pieces.status(503, "Retry-After: 50")
    with site_of(0, later=later) as site:
        site.answers["/"] = pieces.page("/later")
        yield from ends_at_ctrl_c(run, site, lambda: "/later" in site.paths(), pages=(1, 1))


@fault("q", "Ctrl-C, during --delay 50")
def ctrl_c_during_delay(run):
    with site_of(5) as site:
        yield from ends_at_ctrl_c(run, site, site.paths, "--delay", 50, "--no-robots", pages=(1, 1), format="text")


@fault("r", "Ctrl-C twice, while nobody reads the report")
def ctrl_c_twice(run):
    with site_of(2000) as site:
        process = run.start(site.origin, "-w", 50, output="-", format="text", stdout=subprocess.PIPE)
        wait_until(lambda: len(site.paths()) == 2001)
        time.sleep(1)  # the last pages must be in the report, and the pipe full
        run.signal()
        time.sleep(0.2)
        if process.poll() is not None:
            yield "the report was not waited for"
        run.signal()
        yield from run.wrong_end(130)
        yield from run.wrong_seconds(SOON)
        process.stdout.close()


# ---- The world outside ----

@fault("s", "its terminal is closed (SIGHUP, twice)")
def terminal_closed(run):
    with site_of(50, delay=30) as site:
        run.start(site.origin)
        wait_until(lambda: len(site.paths()) > 10)
        run.signal(signal.SIGHUP)
        run.signal(signal.SIGHUP)
        yield from run.wrong_end(129, r"interrupted: \d+ URLs that are known were not fetched")
        yield from run.wrong_seconds()
        yield from run.wrong_records(1, 1)


@fault("t", "server that dies in the middle, and comes back after a second")
def server_comes_back(run):
    first = site_of(400, delay=0.01)
    with first:
        run.start(first.origin, "-w", 10, "--max-tries", 8)
        wait_until(lambda: len(first.paths()) > 100)
        if run.process.poll() is not None:
            yield "it had ended before"
    time.sleep(1)  # long enough for each worker to be refused, and shorter than eight tries
    with Site(first.answers, port=first.port):
        yield from run.wrong_end(0)
        yield from run.wrong_records(401, 401)


@fault("u", "the wall clock jumps by days, at each look")
def clock_jumps(run):
    slow = [pieces.Pause(0.3), *pieces.page()]
    with site_of(5, slow=slow, busy=lambda request: pieces.page() if request.count else pieces.status(503, "Retry-After: 1"),
                 silent=[pieces.Silence()]) as site:
        site.answers["/"] = pieces.page("/slow", "/busy", "/silent", *[f"/p/{i}" for i in range(5)])
        run.start(site.origin, "--delay", 0.3, "--fetch-timeout", 1.5, "--max-tries", 2, env={
            "LD_PRELOAD": JUMPING_CLOCK,
            # A sanitizer has to be the first library.
            "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"})
        yield from run.wrong_end(1)
        yield from run.wrong_records(8, 8, dead=1)
        times = [request.time for request in site.requests if request.path.startswith("/p/")]
        if max(times, default=0) - min(times, default=0) < 0.9:  # from the first to the fifth
            yield f"--delay was not kept: {times}"
        if not 3 < run.seconds < 30:
            yield f"it took {run.seconds:.1f} s"


@fault("v", "crawl of 127.0.0.1 with --no-private")
def private_root(run):
    with site_of(5) as site:
        run.start(site.origin, "--no-private", env={name: "" for name in ("http_proxy", "all_proxy", "ALL_PROXY",
                                                                         "https_proxy", "HTTPS_PROXY")})
        yield from run.wrong_end(1)
        records = run.records()
        if [(record["error"], record["tries"]) for record in records] != [("address 127.0.0.1 is private (--no-private)", 1)]:
            yield f"its records are {records}"
        if site.requests:
            yield "it connected all the same"


# ---- All of them ----

def try_fault(one):
    """(Run, what is wrong)"""
    with Run() as run:
        return run, list(one.function(run))


def said_by(run):
    """What the user reads, in one line, without what differs from run to run."""
    lines = [line for line in run.said.strip().splitlines() if " fetched, " not in line]  # these are the sums
    last = lines[-1:] or [""]
    return re.sub(r"\d+ URLs", "N URLs", last[0].removeprefix("stage3: "))


def record_all(path):
    told = {"kind": "below-http", "when": time.strftime("%Y-%m-%d"), "cores": os.cpu_count(), "cases": []}
    wrong = []
    for one in FAULTS:
        run, found = try_fault(one)
        wrong += [f"{one.number}, {one.title}: {what}" for what in found]
        told["cases"].append({"number": one.number, "section": "below HTTP", "title": one.title, "said": said_by(run),
                              "status": run.status, "seconds": round(run.seconds, 2)})
        print(f"{one.number}  {run.status:4} {run.seconds:6.2f}  {said_by(run)}", file=sys.stderr)
    if wrong:  # then nothing is recorded
        print("\n".join(wrong), file=sys.stderr)
        return 1
    record.write(path, told, "cases")
    return 0


def rows(path):
    return json.loads(path.read_text(encoding="utf-8"))["cases"]


def wrong_row(one, run):
    """What is wrong with the book's row for this fault."""
    told = [row for row in rows(BOOK) if row["title"] == one.title]
    if [(row["status"], row["said"]) for row in told] != [(run.status, said_by(run))]:
        yield f"it said {said_by(run)!r}, status {run.status}, but what is recorded is {told}: see --record"


def table(path, wanted):
    """Of the rows whose letters are wanted, as in `a-j`."""
    first, _, last = wanted.partition("-")
    widths = (38, 32)
    lines = [f"   {'what is done':{widths[0]}}  {'what it says':{widths[1]}} exit     s"]
    for row in [row for row in rows(path) if first <= row["number"] <= last]:
        lines += record.lines_of(f"{row['number']:3}", (row["title"], row["said"]), widths,
                                 f" {row['status']:4}{row['seconds']:6.2f}")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--record", type=pathlib.Path, metavar="FILE")
    what.add_argument("--table", metavar="LETTERS")
    options = parser.parse_args()
    if options.record:
        return record_all(options.record)
    print(table(BOOK, options.table))
    return 0


if __name__ == "__main__":
    sys.exit(main())
