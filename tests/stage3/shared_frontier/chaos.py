#!/usr/bin/env python3
"""A crawl by several processes in which everything goes wrong: processes are killed, stopped and interrupted, Redis is
killed and comes back, connections are cut, answers get lost. At the end, each URL must have the record that it has in
an undisturbed crawl in memory, and the invariants of frontier/1_meta.lua must hold at every check. No page may be given up,
unless there is one that no process survives (--deadly).

    tests/stage3/shared_frontier/chaos.py [--urls N] [--seconds S] [--seed N] ...

STAGE3 in the environment names the program, which may be one with sanitizers (then with `--urls 5000`). The result
is printed as JSON, and exit status 1 means that something was wrong. For a night:

    for seed in $(seq 1 100); do
        tests/stage3/shared_frontier/chaos.py --urls 100000 --seconds 150 --seed $seed || break
    done

All processes are killed, again and again, while they fetch innocent pages (3 minutes for each seed):

    tests/stage3/shared_frontier/chaos.py --urls 3000 --seconds 115 --processes 3 --kill-all 2 --calm
"""
import argparse
import collections
import json
import random
import shutil
import signal
import sys
import tempfile
import time

import invariants
import redis_server
import stage3
from crawled_site import Site
from lossy_proxy import LossyProxy

CHECKS = "--fragments", "--external", "--external-delay", "0"
PATIENCE = 120  # seconds until all must have joined once the crawl is over
FAULTS = {  # an option's name -> how many seconds apart, its name in the results, and in words
    "kill": (1.2, "kill -9", "kill -9"), "kill_all": (0, "all killed", "kill -9 of all processes at once"),
    "cut": (2, "CLIENT KILL", "CLIENT KILL"), "look": (5, "a look", "check of all invariants"),
    "stop": (5, "SIGSTOP", "SIGSTOP"), "interrupt": (5, "Ctrl-C", "Ctrl-C"),
    "redis": (10, "Redis killed", "kill -9 of Redis"), "restart": (10, "Redis restarted", "restart of Redis")}


class Faults:
    """Which faults happen how often: at random times, a given number of seconds apart on average."""

    def __init__(self, chance, means):
        self.chance, self.means = chance, means
        self.next = {what: time.monotonic() + chance.expovariate(1 / mean) for what, mean in means.items() if mean}
        self.counts = collections.Counter()

    def due(self):
        """The fault that is due now, if any."""
        for what, when in self.next.items():
            if time.monotonic() >= when:
                self.next[what] = time.monotonic() + self.chance.expovariate(1 / self.means[what])
                return what
        return None


class Chaos:
    def __init__(self, options):
        self.options = options
        self.chance = random.Random(options.seed)
        self.folder = tempfile.mkdtemp(prefix="chaos_", dir="/tmp")
        self.site = Site(options.urls, options.hosts, links=12, leaves=min(1500, options.urls // 4),
                         flaky=True, checks=True)
        # A single server may forget its last second. Several servers rely on each other's answers.
        keeps_all = options.servers > 1
        self.servers = [redis_server.RedisServer(keeps=True, keeps_all=keeps_all).start()
                        for _ in range(options.servers)]
        self.proxies = [LossyProxy(server.socket, chance=options.lost_answers, seed=options.seed)
                        for server in self.servers]
        # Only the root's host is told which process asks. Below this page, there are no others.
        self.deadly = options.deadly and next(
            self.site.url(number) for number in range(options.urls // 2, options.urls)
            if self.site.host(number) == 0 and self.site.outcome(self.site.url(number)) == "page")
        self.processes, self.stopped, self.started = [], {}, 0
        self.by_number = {}
        self.statuses = collections.Counter()
        self.bad = []

    def arguments(self):
        there = self.chance.choice([self.servers, self.proxies])
        return [*stage3.shared([each.url for each in there], "chaos"), "--lease", self.options.lease, "--workers",
                self.options.workers, "--header", f"X-Number: {self.started}", *CHECKS, self.site.root]

    def start(self):
        self.started += 1
        words = map(str, self.arguments())
        self.processes.append(stage3.Process(self.folder, f"process{self.started}", *words))
        self.by_number[self.started] = self.processes[-1]

    def on_request(self, path, head):
        if self.deadly and self.deadly.endswith(path) and "X-Number: " in head:
            self.by_number[int(head.split("X-Number: ")[1].split()[0])].send_signal(signal.SIGKILL)

    def run(self):
        alone = stage3.report_alone(*CHECKS, self.site.root)
        self.site.forget()
        self.site.on_request = self.on_request
        # So that the crawl takes about as long as the faults go on.
        at_once = self.options.processes * self.options.workers
        self.site.latency = min(0.5, self.options.seconds * at_once / self.options.urls / 2)
        begin = time.monotonic()
        faults = Faults(self.chance, {what: getattr(self.options, name) for name, (_, what, _) in FAULTS.items()})
        for _ in range(self.options.processes):
            self.start()
        while not self.note_ends() and time.monotonic() < begin + self.options.seconds * 20:
            what = faults.due() if time.monotonic() < begin + self.options.seconds else None
            if what and self.happen(what):
                faults.counts[what] += 1
            self.wake()
            while len(self.processes) < self.options.processes:
                self.start()
            time.sleep(0.02)
        self.join()
        return self.tell(alone, faults.counts, time.monotonic() - begin)

    @property
    def good(self):
        """The exit statuses of a process that has joined."""
        return (1,) if self.deadly else (0, 1)

    # ---- the faults ----

    def happen(self, what):
        """Returns False if the fault isn't possible now."""
        running = [process for process in self.processes if process not in self.stopped]
        server = self.chance.choice(self.servers)
        if what == "CLIENT KILL":
            with server.client() as client:
                client.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        elif what == "a look":
            self.look(running)
        elif what.startswith("Redis"):
            server.end(signal.SIGKILL if what == "Redis killed" else signal.SIGTERM)
            server.repair()
            time.sleep(self.chance.choice([0.05, 0.3, 1.3 * self.options.lease]))
            server.start()
        elif not running:
            return False
        elif what == "SIGSTOP":
            process = self.chance.choice(running)
            process.send_signal(signal.SIGSTOP)
            self.stopped[process] = time.monotonic() + self.options.lease * self.chance.uniform(0.5, 2.5)
        elif what == "all killed":
            for process in running:
                process.send_signal(signal.SIGKILL)
        else:
            self.chance.choice(running).send_signal(signal.SIGKILL if what == "kill -9" else signal.SIGINT)
        return True

    def look(self, running):
        """Checks the invariants while no process calls."""
        for process in running:
            process.send_signal(signal.SIGSTOP)
        time.sleep(0.1)
        for server in self.servers:
            with server.client() as client:
                if client.call("EXISTS", "{chaos}:meta"):
                    self.bad += invariants.broken(client, "chaos")
        for process in running:
            process.send_signal(signal.SIGCONT)

    def wake(self, all_of_them=False):
        for process, when in list(self.stopped.items()):
            if all_of_them or time.monotonic() >= when:
                process.send_signal(signal.SIGCONT)
                del self.stopped[process]

    def note_ends(self):
        """True if a process has joined, which means that the crawl is over."""
        for process in [process for process in self.processes if process.poll() is not None]:
            self.processes.remove(process)
            self.stopped.pop(process, None)
            self.statuses[process.returncode] += 1
            words = process.words()
            if process.returncode == 2 and "hangs up without an answer" in words:
                continue  # its connection was killed just then
            if process.returncode not in (*self.good, -9, -signal.SIGINT) or "Sanitizer" in words or "runtime error" in words:
                self.bad.append(f"{process.args} ended with {process.returncode}: {words}")
        return sum(self.statuses[status] for status in self.good) > 0 or len(self.bad) > 20

    def join(self):
        """Ends the faults. All processes must notice that the crawl is over."""
        self.wake(all_of_them=True)
        deadline = time.monotonic() + PATIENCE
        while self.processes and time.monotonic() < deadline:
            time.sleep(0.02)
            self.note_ends()
        for process in self.processes:
            self.bad.append(f"process {process.pid} does not join: {process.words()}")
            process.kill()

    # ---- the result ----

    def tell(self, alone, faults, seconds):
        fragments, alone = stage3.missing_fragments(alone), stage3.read_records(alone)
        words = stage3.shared([server.url for server in self.servers], "chaos")
        status, text, said = stage3.run("--report", "--format", "jsonl", *words)
        if status not in self.good:
            self.bad.append(f"--report: {said}")
        records = stage3.read_records(text)
        crawls = []
        for server in self.servers:
            with server.client() as client:
                crawls.append(invariants.Crawl(client, "chaos"))
        for crawl in crawls:
            self.bad += invariants.broken_in(crawl)
            if crawl.meta["state"] != "complete" or crawl.sessions and not self.statuses[-9]:
                self.bad.append(f"at the end: {crawl.meta}, {crawl.sessions}")
        found = stage3.missing_fragments(text)
        if found != fragments and not self.deadly:
            self.bad.append(f"{len(fragments)} fragments are missing, and these are wrong: {set(found) ^ set(fragments)}")
        if len(text.splitlines()) != len(records) + len(found):
            self.bad.append("the report has a URL twice")
        self.bad += stage3.wrong_records(self.site, records, alone, is_spread=len(crawls) > 1)
        self.bad += stage3.wrong_counts(self.site, records, crawls)
        given_up = {url for url, record in records.items() if stage3.GIVEN_UP in (record["error"] or "")}
        if given_up != ({self.deadly} if self.deadly else set()):
            self.bad.append(f"these URLs were given up: {given_up}")
        if records.keys() != alone.keys():
            self.bad.append(f"{len(alone.keys() - records.keys())} URLs are lost")
        return {
            "seed": self.options.seed, "records": len(records), "missing fragments": len(found), "in memory": len(alone), "given up": len(given_up),
            "requests": len(self.site.requests), "fetched again": stage3.fetched_again(self.site, records),
            "taken over": sum(crawl.number("lost") for crawl in crawls),
            "sessions": sum(crawl.number("new_session") for crawl in crawls),
            "answers lost": sum(proxy.lost for proxy in self.proxies), "faults": faults,
            "exit statuses": self.statuses, "seconds": round(seconds, 1), "wrong": len(self.bad),
            "such as": self.bad[:10]}

    def clean_up(self):
        for process in self.processes:
            process.kill()
        for server in self.servers:
            server.remove()
        if not self.bad:
            shutil.rmtree(self.folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--urls", type=int, default=2000, help="of the site, and some that are redirected to or leaves")
    parser.add_argument("--seconds", type=float, default=20, help="of faults; the crawl may take longer")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hosts", type=int, default=20)
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--workers", type=int, default=10)
    parser.add_argument("--servers", type=int, default=1, help="Redis servers, over which hosts are spread")
    parser.add_argument("--lease", type=float, default=2)
    parser.add_argument("--lost-answers", type=float, default=0.01, help="the share of answers that are lost")
    for name, (seconds, _, what) in FAULTS.items():
        parser.add_argument("--" + name.replace("_", "-"), type=float, default=seconds,
                            help=f"seconds from one {what} to the next (0: never)")
    parser.add_argument("--calm", action="store_true", help="only --kill-all")
    parser.add_argument("--deadly", action="store_true", help="no process survives a certain page")
    options = parser.parse_args()
    if options.calm:
        vars(options).update({name: 0 for name in [*FAULTS, "lost_answers"] if name != "kill_all"})
    redis_server.skip_if_there_is_none()
    chaos = Chaos(options)
    try:
        told = chaos.run()
    finally:
        chaos.clean_up()
    print(json.dumps(told, indent=1))
    return 1 if chaos.bad else 0


if __name__ == "__main__":
    sys.exit(main())
