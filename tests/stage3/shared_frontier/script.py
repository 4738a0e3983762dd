"""Calls the script in Redis as stage 3 does, with a clock that moves only when a test moves it, and a little with each call.

frontier/6_operations.lua explains the calls, before each operation.
"""
import collections
import hashlib
import itertools
import pathlib

import invariants

FOLDER = pathlib.Path(__file__).resolve().parents[3] / "stage3_queue_crawler/shared_frontier/frontier"
TEXT = b"".join(path.read_bytes() for path in sorted(FOLDER.glob("*.lua")))  # as meson joins them
SHA = hashlib.sha1(TEXT).hexdigest()
FORMAT = "5"  # of what the script keeps
A_CALL = 20  # microseconds: the distance between hosts' places in line
NEVER = 9_000_000_000_000_000  # microseconds: Redis's clock will not get there in our time

Reply = collections.namedtuple("Reply", "wait on_trial state unfinished records known dead held given_up holds items")
Leased = collections.namedtuple("Leased", ["url", *invariants.Held._fields])
Settings = collections.namedtuple("Settings", "lease delay foreign_delay max_per_host max_pages max_lost servers rules order refused_timeout")
USUAL = Settings(lease=30, delay=0, foreign_delay=0, max_per_host=0, max_pages=0, max_lost=2, servers=1, rules=0, order="fifo",
                 refused_timeout=300)


def host_of(url):
    return url.split("/")[2]


def chunk(urls, depth=1, redirects=10, what="l", why="fa"):
    """Links for the script (l: on a page; d: too deep; r: on no page), one per line: what they are, whose, and they.
    `why`: f: to be followed, c: to be checked, x: the same on a foreign host; and a letter for the kind of link."""
    groups = collections.defaultdict(list)
    for url in urls:
        groups[host_of(url)].append(url)
    hosts = " ".join(f"{host} {len(some)}" for host, some in groups.items())
    return "\n".join([f"{depth} {redirects} {what} {why}", hosts, *itertools.chain(*groups.values())])


def words_of(text):
    """A chunk as `done` has it."""
    kind, hosts, *urls = text.split("\n")
    return [kind, hosts, len(urls), *urls]


def done(url, chunks=(), others=(), outcome="page", status="200", links=0, tries=1, places="", reaction="a", **fields):
    """`chunks`: chunks of links. `others`: (server, chunk) for other servers. `places`: see shared_fragments.h. `reaction`: a
    if its host has answered, else -."""
    record = {"next_url": "", "error": "", "content_type": "text/html", "charset": "", "bytes": 4096, "seconds": "0.01"}
    record.update(fields)
    return ["done", url, outcome, status, record["next_url"], record["error"], record["content_type"],
            record["charset"], record["bytes"], links, tries, record["seconds"], places, reaction,
            len(others), *itertools.chain(*others), len(chunks), *itertools.chain(*map(words_of, chunks))]


def park(url, seconds=0, tries=1, refusals=0, reaction="-"):
    """To be tried again, later."""
    return ["park", url, round(seconds * 1000), tries, refusals, reaction]


class Script:
    """The script for one crawl. Its clock hardly moves by itself: see `pass_time`."""

    def __init__(self, client, name="crawl", settings=None, **changed):
        self.client, self.name = client, name
        self.settings = (settings or USUAL)._replace(**changed)
        self.nonces = itertools.count()
        self.clock_stands = True
        client.call("SCRIPT", "LOAD", TEXT)

    def key(self, name):
        return f"{{{self.name}}}:{name}"

    def call(self, operation, *words):
        call = ["EVALSHA", SHA, 1, self.key("meta"), operation, *words]
        if not self.clock_stands or operation == "open":
            return self.client.call(*call)
        meta = self.key("meta")
        return self.client.call_all([["HSET", meta, "seen", NEVER], ["HINCRBY", meta, "clock", A_CALL], call])[2]

    def pass_time(self, seconds):
        """Lets time pass without any call, all of which counts."""
        self.client.call("HINCRBY", self.key("meta"), "clock", round(seconds * 1e6))

    def clock(self):
        return int(self.client.call("HGET", self.key("meta"), "clock")) / 1e6

    def raw_open(self, chunks=(), old="", settings="{}", name="test", format=FORMAT):
        s = self.settings
        if self.clock_stands and self._is_there():
            self.client.call("HSET", self.key("meta"), "seen", NEVER)
        return self.call("open", format, settings, round(s.lease * 1e6), round(s.delay * 1e6), s.max_per_host,
                         s.max_pages, s.max_lost, s.servers, s.rules, s.order, round(s.foreign_delay * 1e6),
                         round(s.refused_timeout * 1e6), next(self.nonces), name, old, len(chunks), *chunks)

    def _is_there(self):
        meta = self.key("meta")
        return self.client.call("TYPE", meta) == "hash" and self.client.call("HEXISTS", meta, "seen") == 1

    def open(self, *roots, old="", **more):
        """Opens a new session."""
        reply = self.raw_open([chunk(roots, 0, what="r")] if roots else [], old, **more)
        if reply[0] != "ok":
            raise AssertionError(reply)
        return Session(self, reply[1])

    def look(self):
        return invariants.Crawl(self.client, self.name)

    def broken(self):
        return invariants.broken(self.client, self.name)


class Session:
    def __init__(self, script, name):
        self.script, self.name, self.seq = script, name, 0

    def step(self, want=0, *results, ahead=0, foreign=0):
        """Makes the next call. Returns None if the session has expired."""
        self.seq += 1
        return self.say(self.seq, want, *results, ahead=ahead, foreign=foreign)

    def say(self, seq, want=0, *results, ahead=0, foreign=0):
        """Makes a call with the given number."""
        reply = self.script.call("step", self.name, seq, f"{want} {ahead} {foreign}", *itertools.chain(*results))
        if reply == ["expired"]:
            return None
        assert reply[0] == "ok", reply
        items = [Leased(url, *invariants.held(text)) for url, text in zip(reply[11::2], reply[12::2])]
        return Reply(int(reply[1]), reply[2] == "1", reply[3], *map(int, reply[4:11]), items)

    def take(self, want=1):
        """Asks for items. Returns their URLs."""
        return [item.url for item in self.step(want).items]

    def close(self):
        return self.script.call("close", self.name)
