#!/usr/bin/env python3
"""One crawl by several processes, on this machine, while you watch: `./learn many`.

It starts everything that it needs: its own Redis, in its own folder; the practice site; and some processes of stage 3
that share a crawl. When a third of the crawl is done, one of them is killed. At the end, their results are compared
with those of one undisturbed process. Whatever happens, nothing is left behind: see Keeper. Page 29 uses it.
"""
import argparse
import collections
import contextlib
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
import invariants  # noqa: E402
import redis_server  # noqa: E402
import stage3  # noqa: E402
from many_table import Row, Screen, View, path_of, say  # noqa: E402

STAGE3 = "stage3_queue_crawler/stage3"
PRACTICE_SITE = "tests/practice_site/practice_site"
CRAWL = "many"
KEYS = f"{{{CRAWL}}}:"  # what begins so is in Redis: see the head of frontier/1_meta.lua
WORKERS = 10
LATENCY = 100  # milliseconds: without it, all would be over before you could watch
LEASE = 2  # seconds: so short that you needn't wait long
PATIENCE = 120  # seconds in which nothing happens


class Trouble(Exception):
    """Why the tool can't continue, in a message for its user."""


class Stopped(Exception):
    """We were asked to end, by the signal with this number."""


class Stop:
    """Signals that ask us to end. They are kept until we look, so that nothing is half started when we end."""

    def __init__(self):
        self._number = 0
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, lambda number, _: setattr(self, "_number", number))

    def sleep(self, seconds):
        time.sleep(seconds)
        if self._number:
            raise Stopped(self._number)


class Keeper:
    """Starts processes that don't outlive us, even if we are ended by kill -9.

    A shell waits until its standard input ends, which happens when we are gone, whatever the reason. Then it ends the
    processes, which are one process group, so that Ctrl-C ends only us; and it removes the folder."""

    def __init__(self, folder):
        script = 'while read -r one; do all="$all $one"; done; kill -s KILL -- $all 2>/dev/null; rm -rf "$1"'
        self._shell = subprocess.Popen(["sh", "-c", script, "sh", folder], stdin=subprocess.PIPE, text=True,
                                       start_new_session=True)
        self._group = 0
        self._started = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in [self._shell, *self._started]:
            if process.stdin:
                process.stdin.close()
            process.wait()

    def start(self, command, said, **pipes):
        """Starts a process. What it says goes into the file `said`."""
        with open(said, "w", encoding="utf-8") as errors:
            process = subprocess.Popen(command, preexec_fn=lambda: os.setpgid(0, self._group), stderr=errors, **{
                "stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, **pipes})
        self._started.append(process)
        if not self._group:
            self._group = process.pid
            self.end_at_last(-process.pid)
        return process

    def end_at_last(self, pid):
        """Adds a process that another one has started."""
        print(pid, file=self._shell.stdin, flush=True)


class Session:
    """A process's part in the crawl, from when it came until it "left" or was "lost", which is its `ending` then."""

    def __init__(self, name):
        self.name, self.held, self.done, self.ending = name, [], 0, ""


class Crawler:
    """A process of stage 3 that takes part. One that was lost but still lives has a second session."""

    def __init__(self, number, folder):
        self.number, self.process = number, None
        self.log, self.report = folder / f"{number}.log", folder / f"{number}.jsonl"
        self.sessions = []
        self.killed_at = None
        self.held_when_killed = []
        self.waits_for = []  # the URLs of these that aren't done yet
        self.done_in_all = None  # known once it has left

    def fetched(self):
        """The URLs that it has begun to fetch, according to -v."""
        return set(re.findall(r"^worker \d+, depth \d+: (\S+)$", self.log.read_text(encoding="utf-8"), re.MULTILINE))

    def row(self):
        last = self.sessions[-1] if self.sessions else Session("")
        done = sum(session.done for session in self.sessions) if self.done_in_all is None else self.done_in_all
        if not self.sessions:
            state = "starting"
        elif self.killed_at is not None:
            state = "taken over" if last.ending else "dead"
        else:
            state = "left" if last.ending == "left" else "fetching" if last.held else "waiting"
        return Row(self.number, self.process.pid, state, last.held, done)


def plural(count, word):
    return f"{count:,} {word}" + ("" if count == 1 else "s")


def words(names):
    """1, 2 and 3."""
    *others, last = map(str, names)
    return f"{', '.join(others)} and {last}" if others else last


class Show:
    """The whole show, from the first process to the last message. `Show(…).run()`"""

    def __init__(self, options, redis, keeper, stop, screen):
        self.options, self.redis, self.keeper, self.stop, self.screen = options, redis, keeper, stop, screen
        self.folder = Path(redis.folder)
        self.site_log = self.folder / "site.log"
        self.stage3 = options.build / STAGE3
        self.crawlers = []
        self.started = 0.0
        self.view = View([])
        self.history = "-"  # as far as it was read

    # ---- Starting everything ----

    def start_site(self):
        errors = self.folder / "site.errors"
        site = self.keeper.start([self.options.build / PRACTICE_SITE, f"--pages={self.options.pages}", "--keep",
                                  f"--latency={LATENCY}", f"--log={self.site_log}", "--until-eof"],
                                 errors, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.url = site.stdout.readline().strip()
        if not self.url:
            raise Trouble(f"the practice site did not start: {errors.read_text(encoding='utf-8').strip()}")
        self.screen.tell(f"Serving {plural(self.options.pages, 'page')} at {self.url}. It's slow on purpose: each answer "
                         f"takes {LATENCY} ms. Else all would be over before you had seen anything.")

    def crawl_alone(self):
        """What one undisturbed process finds: URL -> record."""
        log, report = self.folder / "alone.log", self.folder / "alone.jsonl"
        began = time.monotonic()
        process = self.keeper.start([self.stage3, "-w", "200", "--format", "jsonl", "--output", report, self.url], log)
        while process.poll() is None:
            self.stop.sleep(0.02)
        check_status("one process alone", process, log)
        records = read_report(report)
        self.screen.tell(f"First, one process alone, with 200 workers, finds {plural(len(records), 'URL')} in "
                         f"{time.monotonic() - began:.1f} s.")
        return {record["url"]: record for record in records}

    def start_redis(self):
        self.redis.start()
        self.keeper.end_at_last(self.redis.pid)
        self.client = self.redis.client()
        self.screen.tell(f"A Redis for this alone is at {self.redis.url}.")

    def start_crawlers(self):
        command = [self.stage3, *stage3.shared(self.redis.url, CRAWL, "--lease", str(LEASE), "-w", str(WORKERS))]
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
            crawler = Crawler(number, self.folder)
            crawler.process = self.keeper.start(
                [*command, "-v", "--format", "jsonl", "--output", crawler.report, self.url], crawler.log)
            self.crawlers.append(crawler)

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
            running = [crawler for crawler in self.crawlers if crawler.process.poll() is None]
            told = self.look()
            self.view.happened += sorted(told + self.seen_of_the_dead(told))
            self.kill_one(urls)
            for crawler in self.crawlers:
                if crawler.killed_at is None and crawler.process.returncode is not None:
                    check_status(f"process {crawler.number}", crawler.process, crawler.log)
            now = time.monotonic()
            if self.view.records != records:
                moved, records = now, self.view.records
            if now - moved > PATIENCE:
                raise Trouble(f"nothing has happened for {PATIENCE} s")
            if now - drawn > 0.2 or not self.screen.is_live:
                self.refresh()
                self.screen.show(self.view)
                drawn = now
            self.stop.sleep(0.05)
        for crawler in self.crawlers:
            # A process that leaves removes its count, mostly before we could read the last of it. But if it wasn't
            # killed, it has done what it began.
            if crawler.killed_at is None:
                crawler.done_in_all = len(crawler.fetched())
        self.refresh()

    def refresh(self):
        self.view.rows = [crawler.row() for crawler in self.crawlers]

    def look(self):
        """Reads what Redis knows, which disturbs no process. Returns what has happened since the last look."""
        counts, history = self.client.call_all([["HMGET", KEYS + "meta", "known", "unfinished", "records"],
                                                ["XRANGE", KEYS + "history", self.history, "+"]])
        self.view.known, self.view.unfinished, self.view.records = (int(count or 0) for count in counts)
        told = [self.note(entry, invariants.pairs(flat)) for entry, flat in history]
        present = [session for crawler in self.crawlers for session in crawler.sessions if not session.ending]
        answers = self.client.call_all([call for session in present for call in (
            ["HGET", f"{KEYS}session:{session.name}", "done"], ["HKEYS", f"{KEYS}held:{session.name}"])])
        for session, done, held in zip(present, answers[::2], answers[1::2]):
            if done is not None:  # None means that it has ended between our two calls
                session.done, session.held = int(done), held
        return told

    def note(self, entry, fields):
        """An entry of the crawl's history: when it happened, and in words. A process's name is "HOST, pid N"."""
        self.history = "(" + entry
        pid = int(fields["name"].rsplit(" ", 1)[1])
        crawler = next(crawler for crawler in self.crawlers if crawler.process.pid == pid)
        if fields["what"] == "came":
            crawler.sessions.append(Session(fields["session"]))
        else:
            session = next(session for session in crawler.sessions if session.name == fields["session"])
            session.ending, session.held = fields["what"], []
        urls = plural(int(fields["urls"]), "URL")
        return int(entry.split("-")[0]) / 1000 - self.started, f"process {crawler.number} " + {
            "came": "comes",
            "left": "leaves" + (f", and gives back {urls}" if fields["urls"] != "0" else ""),
            "lost": f"is lost: silent for {LEASE} s. Its {urls} go back, one by one",
        }[fields["what"]]

    def kill_one(self, urls):
        """Kills the next process, if it's time. If only one is killed, that is when a third is done."""
        killed = sum(crawler.killed_at is not None for crawler in self.crawlers)
        if killed == self.options.kill or self.view.records * (self.options.kill + 2) < urls * (killed + 1):
            return
        victim = self.crawlers[killed + 1]
        # It must hold something, or there would be nothing to see.
        if victim.process.returncode is not None or not any(session.held for session in victim.sessions):
            return
        victim.process.kill()
        victim.killed_at = time.time() - self.started
        self.view.happened.append(
            (victim.killed_at, f"process {victim.number} is killed: kill -9 {victim.process.pid}"))

    def seen_of_the_dead(self, told):
        """The same for an event that is not in the history: all that a killed process held is done."""
        # If so, that was before the first process left.
        now = min([time.time() - self.started, *(when - 0.001 for when, text in told if " leaves" in text)])
        seen = []
        for crawler in self.crawlers:
            if crawler.killed_at is None:
                continue
            if not crawler.sessions[-1].ending:
                # It will hold its present items until its lease ends.
                crawler.held_when_killed = crawler.waits_for = crawler.sessions[-1].held
            elif crawler.waits_for:
                states = self.client.call("HMGET", KEYS + "urls", *crawler.waits_for)
                crawler.waits_for = [url for url, state in zip(crawler.waits_for, states) if (state or " ")[0] not in "fd"]
                if not crawler.waits_for:
                    seen.append((now, f"what process {crawler.number} held is done: {self.who_took_over(crawler)}"))
        return seen

    def who_took_over(self, dead):
        """6 URLs by process 1, 4 by process 3."""
        shares = [(crawler.number, len(crawler.fetched() & set(dead.held_when_killed)))
                  for crawler in self.crawlers if crawler.killed_at is None]
        shares = [(number, urls) for number, urls in shares if urls]
        return ", ".join(f"{urls if place else plural(urls, 'URL')} by process {number}"
                         for place, (number, urls) in enumerate(shares))

    # ---- The verdict ----

    def asked(self, position):
        """path -> how often the site was asked for it since then."""
        with open(self.site_log, encoding="utf-8") as log:
            log.seek(position)
            return collections.Counter(line.rstrip("\n").split(" ", 1)[1] for line in log)

    def judge(self, alone, asked):
        writers = [crawler for crawler in self.crawlers
                   if crawler.report.exists() and crawler.report.stat().st_size]
        records = [record for crawler in writers[:1] for record in read_report(crawler.report)]
        faults = [f"{len(writers)} processes wrote a report"] * (len(writers) != 1) + differences(alone, records)
        if writers:
            self.screen.tell(f"Process {words(crawler.number for crawler in writers)} wrote the report, of "
                             f"{plural(len(records), 'record')}.")
        self.screen.tell(repeated(asked, {crawler.number: crawler.held_when_killed for crawler in self.crawlers}))
        if faults:
            self.screen.tell("\n".join(["Not what one process alone found:", *(f"  {fault}" for fault in faults)]))
            return 1
        outcomes = collections.Counter(record["outcome"] for record in records)
        self.screen.tell(f"Exact: {plural(outcomes['page'], 'page')}, {plural(outcomes['redirect'], 'redirect')} and "
                         f"{plural(outcomes['error'], 'dead link')}, each once, as one process alone found them.")
        return 0

    def wait_with_redis(self):
        """Leaves Redis running until Ctrl-C."""
        client = next(filter(shutil.which, ("redis-cli", "valkey-cli")), "redis-cli")
        at = f"{client} -s {self.redis.socket}"
        self.screen.say("", "Redis goes on until Ctrl-C. From another terminal:",
                        f"  {at} hgetall '{KEYS}meta'",
                        f"  {at} xrange '{KEYS}history' - +",
                        f"  {at} xrange '{KEYS}records' - + count 1",
                        f"  {self.stage3} --frontier {self.redis.url} --crawl {CRAWL} --report")
        with contextlib.suppress(Stopped):
            while True:
                self.stop.sleep(0.2)


def check_status(name, process, log):
    if process.returncode not in (0, 1):  # 1 means that there are dead links
        said = log.read_text(encoding="utf-8").strip().splitlines()[-3:]
        raise Trouble("\n".join([f"{name} ended with status {process.returncode}", *said]))


def read_report(path):
    return stage3.records_in(path.read_text(encoding="utf-8"))


def differences(alone, records):
    """What is wrong with the records, one line each; an empty list if nothing is."""
    found = collections.Counter(record["url"] for record in records)
    problems = [
        ("missing", alone.keys() - found.keys()),
        ("not known to one process alone", found.keys() - alone.keys()),
        ("recorded more than once", {url for url, times in found.items() if times > 1}),
    ]
    problems += [(f"with another {name}", {record["url"] for record in records if record["url"] in alone
                                           and record[name] != alone[record["url"]][name]}) for name in stage3.SAME]
    return [f"{plural(len(urls), 'URL')} {what}, such as {min(urls)}" for what, urls in problems if urls]


def repeated(asked, held):
    """Which URLs were fetched twice, in words. `asked`: path -> how often; `held`: by whom, when it was killed."""
    twice = {path for path, times in asked.items() if times > 1}
    theirs = {path_of(url) for urls in held.values() for url in urls}
    dead = [number for number, urls in held.items() if urls]
    who, they = ("process", "it") if len(dead) == 1 else ("processes", "they")
    if not twice:
        return "No URL was fetched twice."
    if twice <= theirs:
        return (f"{plural(len(twice), 'URL')} fetched twice: {who} {words(dead)} had asked for them, and died before "
                f"{they} could say what came.")
    return (f"{plural(len(twice), 'URL')} fetched twice; of these, {len(twice & theirs)} had been with processes that "
            f"were killed.")


def read_options(arguments):
    def number(least, most):
        def read(text):
            if not text.isdecimal() or not least <= int(text) <= most:
                raise argparse.ArgumentTypeError(f"'{text}' is not a number from {least} to {most}")
            return int(text)
        return read

    parser = argparse.ArgumentParser(
        prog="many", usage="./learn many [OPTIONS]", allow_abbrev=False,
        description="Several processes share one crawl through a Redis of its own. One of them is killed. You see "
                    "who holds what, who died, and what was taken over.")
    def refuse(message):
        say(f"many: {message} (see ./learn many --help)", file=sys.stderr)
        sys.exit(2)
    parser.error = refuse
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
        redis = redis_server.RedisServer()
        with Keeper(redis.folder) as keeper:
            show = Show(options, redis, keeper, stop, screen)
            status = show.run()
            if options.keep:
                show.wait_with_redis()
            return status
    except Stopped as stopped:
        say("\nmany: interrupted; all is ended that was started", file=sys.stderr)
        return 128 + stopped.args[0]
    except BrokenPipeError:  # the reader has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (Trouble, OSError, RuntimeError) as trouble:
        say(f"many: {trouble}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
