#!/usr/bin/env python3
"""One crawl by several processes, on this machine, while you watch: `./learn many`.

It starts everything that it needs: its own Redis, in its own folder; the practice site; and some processes of stage 3
that share a crawl. When a third of the crawl is done, one of them is killed. At the end, their results are compared
with those of one undisturbed process. Whatever happens, nothing is left behind: see many_keeper.py. Page 29 uses it.
"""
import argparse
import collections
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True  # no __pycache__ beside the sources
sys.path.append(str(Path(__file__).resolve().parents[1]))
import redis_server  # noqa: E402
from many_keeper import Keeper  # noqa: E402
from many_table import Row, Screen, View, path_of  # noqa: E402
from many_watch import Watch  # noqa: E402

STAGE3 = "stage3_queue_crawler/stage3"
PRACTICE_SITE = "tests/practice_site/practice_site"
CRAWL = "many"
WORKERS = 10
LATENCY = 100  # milliseconds: without it, all would be over before you could watch
LEASE = 2  # seconds: so short that you needn't wait long
PATIENCE = 120  # seconds in which nothing happens

# The fields of a record that are the same whichever process fetches the URL. Depth and parent depend on the first one.
COMPARED = ("outcome", "status", "next_url", "error", "content_type", "charset", "bytes", "links")


class Trouble(Exception):
    """Why the tool can't continue, in a message for its user."""


class Stopped(Exception):
    """We were asked to end."""

    def __init__(self, number):
        self.number = number


class Stop:
    """Signals that ask us to end. They are kept until we look, so that nothing is half started when we end."""

    def __init__(self):
        self._number = 0
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, self._note)

    def _note(self, number, _):
        self._number = number

    def sleep(self, seconds):
        time.sleep(seconds)
        if self._number:
            raise Stopped(self._number)


class Crawler:
    """A process of stage 3 that takes part."""

    def __init__(self, number, process, folder):
        self.number, self.process, self.pid = number, process, process.pid
        self.log, self.report = folder / f"{number}.log", folder / f"{number}.jsonl"
        self.killed_at = None
        self.held_when_killed = []
        self.waits_for = []  # the URLs of these that aren't done yet
        self.done_in_all = None  # known once it has left

    def fetched(self):
        """The URLs that it has begun to fetch, according to -v."""
        return re.findall(r"^worker \d+, depth \d+: (\S+)$", self.log.read_text(encoding="utf-8"), re.MULTILINE)


def plural(count, word):
    return f"{count:,} {word}" + ("" if count == 1 else "s")


def words(names):
    """1, 2 and 3."""
    names = [str(name) for name in names]
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


class Show:
    """The whole show, from the first process to the last message. `with Show(…) as show: show.run()`"""

    def __init__(self, options, keeper, stop, screen):
        self.options, self.keeper, self.stop, self.screen = options, keeper, stop, screen
        self.redis = redis_server.RedisServer()
        keeper.remove_at_last(self.redis.folder)
        self.folder = Path(self.redis.folder)
        self.site_log = self.folder / "site.log"
        self.stage3 = options.build / STAGE3
        self.crawlers = []
        self.started = 0.0
        self.view = View([])
        self.watch = None

    # ---- Starting everything ----

    def start_site(self):
        errors = self.folder / "site.errors"
        with open(errors, "w", encoding="utf-8") as stderr:
            site = self.keeper.start([self.options.build / PRACTICE_SITE, f"--pages={self.options.pages}", "--keep",
                                      f"--latency={LATENCY}", f"--log={self.site_log}", "--until-eof"],
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, text=True)
        self.url = site.stdout.readline().strip()
        if not self.url:
            raise Trouble(f"the practice site did not start: {errors.read_text(encoding='utf-8').strip()}")
        self.screen.tell(f"Serving {plural(self.options.pages, 'page')} at {self.url}. It's slow on purpose: each answer "
                         f"takes {LATENCY} ms. Else all would be over before you had seen anything.")

    def crawl_alone(self):
        """What one undisturbed process finds: URL -> record."""
        log, report = self.folder / "alone.log", self.folder / "alone.jsonl"
        began = time.monotonic()
        with open(log, "w", encoding="utf-8") as errors:
            process = self.keeper.start([self.stage3, "-w", "200", "--format", "jsonl", "--output", report, self.url],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=errors)
        while not self.keeper.has_ended(process):
            self.stop.sleep(0.02)
        self.check_status("one process alone", process.returncode, log)
        records = read_report(report)
        self.screen.tell(f"First, one process alone, with 200 workers, finds {plural(len(records), 'URL')} in "
                         f"{time.monotonic() - began:.1f} s.")
        return {record["url"]: record for record in records}

    def start_redis(self):
        self.redis.start()
        self.keeper.end_at_last(self.redis.pid)
        self.watch = Watch(self.redis.client(), CRAWL)
        self.screen.tell(f"A Redis for this alone is at {self.redis.url}.")

    def start_crawlers(self):
        command = [self.stage3, "--frontier", self.redis.url, "--crawl", CRAWL, "--lease", str(LEASE), "-w",
                   str(WORKERS)]
        times = {1: "once", 2: "twice"}.get(self.options.processes, f"{self.options.processes} times")
        plan = {0: "none is killed", 1: "one is killed when a third is done"}.get(
            self.options.kill, f"{self.options.kill} are killed, one after the other")
        self.screen.say()
        self.screen.tell_command([*map(str, command), self.url])
        self.screen.tell(f"(That is started {times}; {plan}. By --lease {LEASE}, who is silent for {LEASE} s counts as "
                         f"dead. Without it, you would wait for 30 s.)")
        self.screen.say()
        self.started = time.time()
        for number in range(1, self.options.processes + 1):
            with open(self.folder / f"{number}.log", "w", encoding="utf-8") as errors:
                process = self.keeper.start([*command, "-v", "--format", "jsonl", "--output",
                                             self.folder / f"{number}.jsonl", self.url],
                                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                            stderr=errors)
            self.crawlers.append(Crawler(number, process, self.folder))

    def check_status(self, name, status, log):
        if status not in (0, 1):  # 1 means that there are dead links
            said = log.read_text(encoding="utf-8").strip().splitlines()[-3:]
            raise Trouble("\n".join([f"{name} ended with status {status}", *said]))

    # ---- While they crawl ----

    def run(self):
        """Returns the exit status."""
        self.start_site()
        alone = self.crawl_alone()
        asked_before = self.site_log.stat().st_size
        self.start_redis()
        self.start_crawlers()
        self.accompany(len(alone))
        self.screen.show(self.view, is_last=True)
        self.screen.say()
        return self.judge(alone, self.asked(asked_before))

    def accompany(self, urls):
        """Looks, shows, kills, until all have ended."""
        drawn, moved, records = 0.0, time.monotonic(), 0
        running = True
        while running:
            # This comes before the look, because a process that has ended has nothing more to tell Redis.
            running = [crawler for crawler in self.crawlers if not self.keeper.has_ended(crawler.process)]
            events = self.watch.look()
            for moment in sorted(self.told_by_redis(events) + self.seen_of_the_dead(events)):
                self.happened(*moment)
            self.kill_one(urls)
            self.check_the_others()
            now = time.monotonic()
            if self.watch.records != records:
                moved, records = now, self.watch.records
            if now - moved > PATIENCE:
                raise Trouble(f"nothing has happened for {PATIENCE} s")
            if now - drawn > 0.2 or not self.screen.is_live:
                self.screen.show(self.refresh())
                drawn = now
            self.stop.sleep(0.05)
        for crawler in self.crawlers:
            # A process that leaves removes its count, mostly before we could read the last of it. But if it wasn't
            # killed, it has done what it began.
            if crawler.killed_at is None:
                crawler.done_in_all = len(set(crawler.fetched()))
        self.refresh()

    def happened(self, at, text):
        self.view.happened.append((at - self.started, text))

    def told_by_redis(self, events):
        """The events of the crawl's history: when they happened, and in words."""
        told = []
        for event in events:
            number = next(crawler.number for crawler in self.crawlers if crawler.pid == event.pid)
            urls = plural(event.urls, "URL")
            told.append((event.time, {
                "came": f"process {number} comes",
                "left": f"process {number} leaves" + (f", and gives back {urls}" if event.urls else ""),
                "lost": f"process {number} is lost: silent for {LEASE} s. Its {urls} go back, one by one",
            }[event.what]))
        return told

    def kill_one(self, urls):
        """Kills the next process, if it's time. If only one is killed, that is when a third is done."""
        killed = sum(crawler.killed_at is not None for crawler in self.crawlers)
        if killed == self.options.kill or self.watch.records * (self.options.kill + 2) < urls * (killed + 1):
            return
        victim = self.crawlers[killed + 1]
        # It must hold something, or there would be nothing to see.
        if victim.process.returncode is not None or not any(session.held for session in self.watch.of(victim.pid)):
            return
        victim.process.kill()
        self.keeper.has_ended(victim.process)
        victim.killed_at = time.time()
        self.happened(victim.killed_at, f"process {victim.number} is killed: kill -9 {victim.pid}")

    def seen_of_the_dead(self, events):
        """The same for an event that is not in the history: all that a killed process held is done."""
        # If so, that was before the first process left.
        now = min([time.time(), *(event.time - 0.001 for event in events if event.what == "left")])
        seen = []
        for crawler in self.crawlers:
            sessions = self.watch.of(crawler.pid)
            if crawler.killed_at is None:
                continue
            if not sessions[-1].ending:
                # It will hold its present items until its lease ends.
                crawler.held_when_killed = crawler.waits_for = sessions[-1].held
            elif crawler.waits_for:
                done = self.watch.are_finished(crawler.waits_for)
                crawler.waits_for = [url for url in crawler.waits_for if url not in done]
                if not crawler.waits_for:
                    seen.append((now, f"what process {crawler.number} held is done: {self.who_took_over(crawler)}"))
        return seen

    def who_took_over(self, dead):
        """6 URLs by process 1, 4 by process 3."""
        count = collections.Counter()
        for crawler in self.crawlers:
            if crawler is not dead and crawler.killed_at is None:
                count[crawler.number] = len(set(crawler.fetched()) & set(dead.held_when_killed))
        shares = [(number, urls) for number, urls in sorted(count.items()) if urls]
        return ", ".join(f"{urls if place else plural(urls, 'URL')} by process {number}"
                         for place, (number, urls) in enumerate(shares))

    def check_the_others(self):
        for crawler in self.crawlers:
            if crawler.killed_at is None and crawler.process.returncode is not None:
                self.check_status(f"process {crawler.number}", crawler.process.returncode, crawler.log)

    def refresh(self):
        self.view.rows = [self.row(crawler) for crawler in self.crawlers]
        self.view.known, self.view.unfinished = self.watch.known, self.watch.unfinished
        self.view.records = self.watch.records
        return self.view

    def row(self, crawler):
        sessions = self.watch.of(crawler.pid)
        held = sessions[-1].held if sessions else []
        done = sum(session.done for session in sessions) if crawler.done_in_all is None else crawler.done_in_all
        if not sessions:
            state = "starting"
        elif crawler.killed_at is not None:
            state = "taken over" if sessions[-1].ending else "dead"
        elif sessions[-1].ending == "left":
            state = "left"
        else:
            state = "fetching" if held else "waiting"
        return Row(crawler.number, crawler.pid, state, held, done)

    # ---- The verdict ----

    def asked(self, position):
        """path -> how often the site was asked for it since then."""
        with open(self.site_log, encoding="utf-8") as log:
            log.seek(position)
            return collections.Counter(line.rstrip("\n").split(" ", 1)[1] for line in log)

    def judge(self, alone, asked):
        writers = [crawler for crawler in self.crawlers
                   if crawler.report.exists() and crawler.report.stat().st_size]
        faults = []
        if len(writers) != 1:
            faults.append(f"{len(writers)} processes wrote a report")
        records = [record for crawler in writers[:1] for record in read_report(crawler.report)]
        faults += differences(alone, records)
        self.say_who_wrote_it(writers, records)
        self.say_what_was_repeated(asked)
        if faults:
            self.screen.say("Not what one process alone found:")
            for fault in faults:
                self.screen.say(f"  {fault}")
            return 1
        outcomes = collections.Counter(record["outcome"] for record in records)
        self.screen.tell(f"Exact: {plural(outcomes['page'], 'page')}, {plural(outcomes['redirect'], 'redirect')} and "
                         f"{plural(outcomes['error'], 'dead link')}, each once, as one process alone found them.")
        return 0

    def say_who_wrote_it(self, writers, records):
        if writers:
            self.screen.tell(f"Process {words(crawler.number for crawler in writers)} wrote the report, of "
                             f"{plural(len(records), 'record')}.")

    def say_what_was_repeated(self, asked):
        twice = {path for path, times in asked.items() if times > 1}
        theirs = {path_of(url) for crawler in self.crawlers for url in crawler.held_when_killed}
        if not twice:
            self.screen.tell("No URL was fetched twice.")
        elif twice <= theirs:
            dead = [crawler.number for crawler in self.crawlers if crawler.held_when_killed]
            who, they = ("process", "it") if len(dead) == 1 else ("processes", "they")
            self.screen.tell(f"{plural(len(twice), 'URL')} fetched twice: {who} {words(dead)} had asked for them, and "
                             f"died before {they} could say what came.")
        else:
            self.screen.tell(f"{plural(len(twice), 'URL')} fetched twice; of these, {len(twice & theirs)} had been "
                             f"with processes that were killed.")

    def wait_with_redis(self):
        """Leaves Redis running until Ctrl-C."""
        client = next(filter(shutil.which, ("redis-cli", "valkey-cli")), "redis-cli")
        at = f"{client} -s {self.redis.socket}"
        self.screen.say(f"\nRedis goes on until Ctrl-C. From another terminal:\n"
                        f"  {at} hgetall '{{{CRAWL}}}:meta'\n"
                        f"  {at} xrange '{{{CRAWL}}}:history' - +\n"
                        f"  {at} xrange '{{{CRAWL}}}:records' - + count 1\n"
                        f"  {self.stage3} --frontier {self.redis.url} --crawl {CRAWL} --report")
        with contextlib.suppress(Stopped):
            while True:
                self.stop.sleep(0.2)


def read_report(path):
    with open(path, encoding="utf-8") as report:
        return [record for record in map(json.loads, report) if "url" in record]


def differences(alone, records):
    """What is wrong with the records, one line each; an empty list if nothing is."""
    found = collections.Counter(record["url"] for record in records)
    twice = sorted(url for url, times in found.items() if times > 1)
    problems = [
        ("missing", sorted(alone.keys() - found.keys())),
        ("not known to one process alone", sorted(found.keys() - alone.keys())),
        ("recorded more than once", twice),
    ]
    problems += [(f"with another {name}", sorted(record["url"] for record in records if record["url"] in alone
                                                 and record[name] != alone[record["url"]][name])) for name in COMPARED]
    return [f"{plural(len(urls), 'URL')} {what}, such as {urls[0]}" for what, urls in problems if urls]


def read_options(arguments):
    def number(least, most):
        def read(text):
            if not text.isdecimal() or not least <= int(text) <= most:
                raise argparse.ArgumentTypeError(f"'{text}' is not a number from {least} to {most}")
            return int(text)
        return read

    class Parser(argparse.ArgumentParser):
        def error(self, message):
            self.exit(2, f"many: {message} (see ./learn many --help)\n")

    parser = Parser(
        prog="many", usage="./learn many [OPTIONS]", allow_abbrev=False,
        description="Several processes share one crawl through a Redis of its own. One of them is killed. You see "
                    "who holds what, who died, and what was taken over.")
    parser.add_argument("--processes", metavar="N", type=number(1, 50), default=3, help="how many take part (3)")
    parser.add_argument("--kill", metavar="N", type=number(0, 49), help="how many of them are killed (1)")
    parser.add_argument("--pages", metavar="N", type=number(1, 1_000_000), default=3000,
                        help="of the practice site (3000)")
    parser.add_argument("--keep", action="store_true",
                        help="leave Redis running until Ctrl-C, and say how to look at it")
    parser.add_argument("--build", metavar="DIR", type=Path, default=Path("build"), help=argparse.SUPPRESS)
    parser.add_argument("--needs", action="store_true", help=argparse.SUPPRESS)  # prints what must be built, and ends
    if "--needs" in arguments and {"-h", "--help"} & set(arguments):
        sys.exit(0)  # --help needs nothing
    options = parser.parse_args(arguments)
    if options.kill is None:
        options.kill = min(1, options.processes - 1)
    if options.kill >= options.processes:
        parser.error(f"--kill {options.kill} would leave none of {options.processes}")
    return options


def main():
    options = read_options(sys.argv[1:])
    if options.needs:
        print(STAGE3, PRACTICE_SITE)
        return 0
    stop, screen = Stop(), Screen(sys.stdout)
    try:
        if not shutil.which("redis-server"):
            raise Trouble("there is no redis-server in PATH; ./learn many finds one, or installs it")
        with Keeper() as keeper:
            show = Show(options, keeper, stop, screen)
            status = show.run()
            if options.keep:
                show.wait_with_redis()
            return status
    except Stopped as stopped:
        print("\nmany: interrupted; all is ended that was started", file=sys.stderr)
        return 128 + stopped.number
    except BrokenPipeError:  # the reader has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (Trouble, OSError, RuntimeError) as trouble:
        print(f"many: {trouble}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
