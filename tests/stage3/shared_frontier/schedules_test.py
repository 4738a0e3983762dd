#!/usr/bin/env python3
"""The script in Redis under random schedules: sessions call in any order, repeat calls, skip numbers, die, stop and come back;
any of them may carry links between servers; the clock jumps. After each call the invariants must hold, and at the end
each URL of a small made-up web must have the right record.

    tests/stage3/shared_frontier/schedules_test.py [--seed N] [--rounds N]

A round is a crawl. If it fails, its seed is printed, and `--seed N --rounds 1` repeats it. For a night:

    tests/stage3/shared_frontier/schedules_test.py --seed 1000000 --rounds 20000
"""
import argparse
import collections
import random
import sys
import traceback

import invariants
import redis_server
import script

LEAST_ALONE, MOST_ALONE = 2, 8  # deaths after which a URL is given up: see ENOUGH in 4_leases.lua
EVENTS = 120  # in a round, before it ends without disturbance
LEASE = 30
PATIENCE = 3000  # calls that the end may take


class Web:
    """Some pages on some hosts, with known contents."""

    def __init__(self, chance, servers):
        self.hosts = [f"host{number}:80" for number in range(chance.randint(servers, 6))]
        self.urls = [f"http://{chance.choice(self.hosts)}/{'x' * chance.randint(0, 5)}{number}"
                     for number in range(chance.randint(1, 50))]
        self.kinds = {url: chance.choice(["page"] * 8 + ["file", "error", "disallowed", "redirect", "flaky", "flaky"])
                      for url in self.urls}
        self.kinds[self.urls[0]] = "page"
        self.links = {url: self._links(chance, url, number) for number, url in enumerate(self.urls)}
        self.fails = {url: chance.randint(1, 3) if kind == "flaky" else 0 for url, kind in self.kinds.items()}
        self.foreign = [f"abroad{number}:80" for number in range(chance.randint(0, 3))]
        strangers = [f"http://{chance.choice(self.foreign)}/{number}" for number in range(8)] if self.foreign else []
        self.kinds.update({url: chance.choice(["file", "error", "disallowed", "flaky"]) for url in strangers})
        self.fails.update({url: self.kinds[url] == "flaky" for url in strangers})
        self.assets = {url: self._assets(chance, url, strangers) for url in self.urls}
        self.deadly = chance.choice([None, self.urls[-1], chance.choice(self.urls)])  # no process survives this page
        self.delays = {host: chance.choice([0, 0, 0.3]) for host in self.hosts + self.foreign}  # as its robots.txt says

    def _links(self, chance, url, number):
        if self.kinds[url] == "redirect":
            return [chance.choice(self.urls)]
        if self.kinds[url] not in ("page", "flaky"):
            return []
        near = self.urls[2 * number + 1:2 * number + 3]
        some = chance.sample(self.urls, min(len(self.urls), chance.choice([0, 2, 5, 40])))
        return list(dict.fromkeys(near + some))

    def _assets(self, chance, url, strangers):
        """URL -> why it's to be checked, for what is on that page and no link to follow."""
        if self.kinds[url] not in ("page", "flaky"):
            return {}
        some = chance.sample(self.urls, min(len(self.urls), chance.choice([0, 0, 1, 4])))
        assets = {one: "cg" for one in some if one not in self.links[url]}
        return assets | {one: "xa" for one in chance.sample(strangers, min(len(strangers), chance.choice([0, 1, 2])))}

    def outcome(self, url, purpose="f"):
        """A page is read only if it's to be followed."""
        outcome = "page" if self.kinds[url] == "flaky" else self.kinds[url]
        return "file" if outcome == "page" and purpose != "f" else outcome


class Process:
    """A process's state: its session on a server, what it holds, and the call whose answer it hasn't received."""

    def __init__(self, server, session):
        self.server, self.session = server, session
        self.items = {}
        self.unanswered = None  # (number, want, ahead, results)


class Round:
    def __init__(self, client, seed):
        self.chance = chance = random.Random(seed)
        self.client = client
        self.servers = chance.choice([1, 1, 2, 3])
        self.web = Web(chance, self.servers)
        self.settings = script.Settings(
            lease=LEASE, delay=chance.choice([0, 0, 0.2]), foreign_delay=chance.choice([0, 0.5]), max_per_host=chance.choice([0, 0, 1, 3]),
            max_pages=chance.choice([0, 0, 0, 12]) if self.servers == 1 else 0, max_lost=chance.choice([1, 2, 2, 4]),
            servers=self.servers, rules=chance.choice([0, 1]), order=chance.choice(["fifo", "lifo", "priority"]),
            refused_timeout=chance.choice([300, 20]))
        self.refusing = chance.choice([0, 0, 0.1, 0.5])  # the share of requests that are refused
        self.max_depth = chance.choice([99, 99, 3])
        self.in_chunk = chance.choice([3, 500])
        self.scripts = [script.Script(client, f"server{number}", self.settings) for number in range(self.servers)]
        self.processes = []
        self.pictures = [None] * self.servers
        self.lost = collections.Counter()  # how often a process was lost that held this URL
        self.blamed = collections.Counter()  # how often it held nothing else, having been lost max_lost times before
        self.starts = collections.defaultdict(list)  # the times of requests to a host that has a delay
        self.pass_one = None

    def server_of(self, url):
        return (self.web.hosts + self.web.foreign).index(script.host_of(url)) % self.servers

    def delay_of(self, host):
        return max(self.settings.delay, self.settings.foreign_delay if host in self.web.foreign else 0, self.web.delays[host] if self.settings.rules else 0)

    # ---- the events ----

    def run(self):
        for number in range(self.servers):
            self.open(number)
        events = [self.call] * 12 + [self.lose_answer] * 2 + [self.repeat] * 3 + [self.pass_time] * 3 + [
            self.die, self.come, self.leave, self.come_again, self.call_out_of_turn, self.carry, self.carry,
            self.carry_half, self.look_for_the_end, self.retry]
        for _ in range(EVENTS):
            self.chance.choice(events)()
        self.end()
        self.check_the_end()

    def any_process(self, is_waiting=False):
        some = [process for process in self.processes if bool(process.unanswered) == is_waiting]
        return self.chance.choice(some) if some else None

    def open(self, number, old=""):
        roots = [self.web.urls[0]] if self.server_of(self.web.urls[0]) == number else []
        process = Process(number, self.scripts[number].open(*roots, old=old))
        self.processes.append(process)
        self.look(number, given_up=old)
        return process

    def come(self):
        self.open(self.chance.randrange(self.servers))

    def come_again(self):
        """A process gives its session up, whether that has expired or not."""
        if process := self.any_process():
            self.processes.remove(process)
            self.open(process.server, old=process.session.name)

    def die(self):
        if self.processes:
            self.processes.remove(self.chance.choice(self.processes))

    def leave(self):
        if process := self.any_process():
            self.processes.remove(process)
            for _ in range(self.chance.randint(1, 2)):
                process.session.close()
                self.look(process.server, given_up=process.session.name)

    def call(self):
        if process := self.any_process():
            process.session.seq += 1
            process.unanswered = process.session.seq, self.wanted([0, 1, 1, 3, 10]), self.results(process)
            self.say(process)

    def lose_answer(self):
        """A call arrives, but its answer is lost."""
        if process := self.any_process():
            process.session.seq += 1
            process.unanswered = process.session.seq, self.wanted([0, 1, 3]), self.results(process)
            self.send(process)
            self.look(process.server)

    def repeat(self):
        if process := self.any_process(is_waiting=True):
            self.say(process)

    def call_out_of_turn(self):
        """A call with an impossible number changes nothing."""
        if process := self.any_process():
            seq = process.session.seq + self.chance.choice([-1, 2, 7])
            assert seq == -1 or process.session.say(seq, 5) is None or seq < 0, "a call out of turn was accepted"
            self.look(process.server)

    def pass_time(self):
        seconds = self.chance.choice([0.01, 0.1, 0.3, 1, LEASE / 3, LEASE + 1])
        for each in self.scripts:
            each.pass_time(seconds)

    def retry(self):
        """What was given up becomes work again, on all servers."""
        for number, each in enumerate(self.scripts):
            for _ in range(self.chance.randint(1, 2)):  # perhaps because the answer was lost
                assert each.call("retry")[6] == "0"
                self.look(number)

    def wanted(self, choices):
        """How many items: now, ahead, foreign."""
        return self.chance.choice(choices), self.chance.choice([0, 0, 1, 4]), self.chance.choice([0, 0, 1, 3])

    def send(self, process):
        seq, (want, ahead, foreign), results = process.unanswered
        return process.session.say(seq, want, *results, ahead=ahead, foreign=foreign)

    def say(self, process):
        """Calls, perhaps not for the first time, and gets the answer."""
        reply = self.send(process)
        _, (want, _, foreign), results = process.unanswered
        process.unanswered = None
        self.look(process.server)
        if reply is None:
            self.processes.remove(process)
            if self.chance.random() < 0.7:
                self.open(process.server, old=process.session.name)
            return
        for result in results:
            if result[0] in ("done", "park", "back"):
                del process.items[result[1]]
        is_ordered = self.settings.order != "fifo" or self.settings.max_per_host
        home = [item for item in reply.items if item.why[0] != "x"]
        is_trial = any(item.lost >= self.settings.max_lost for item in reply.items)
        assert len(reply.items) - len(home) <= (1 if is_trial else foreign), f"too many foreign items: {reply.items}"
        assert len(home) <= want or not is_ordered, f"{len(home)} items came, and {want} were wanted"
        careful = [item for item in home if item.flag in "br"]
        assert len(careful) <= want, f"these came ahead, though their hosts want pauses: {careful}"
        for item in reply.items:
            self.take(process, item)
        held = self.pictures[process.server].held.get(process.session.name, {})
        assert held.keys() == process.items.keys(), f"it holds {sorted(process.items)}, but Redis has {sorted(held)}"
        if self.web.deadly in process.items and process.items[self.web.deadly].flag != "e":
            self.processes.remove(process)

    def take(self, process, item):
        assert item.url not in process.items, f"{item.url} was given to a process that holds it"
        picture = self.pictures[process.server]
        pace = picture.hosts[item.host].pace
        has_delay = self.delay_of(item.host) > 0 and (not self.settings.rules or item.host in self.rules())
        has_delay = has_delay or pace and (pace.measures or pace.rate > 0)
        assert (item.flag == "e") == (item.host in picture.ended), f"{item}: the hosts {picture.ended} have ended"
        assert (item.flag == "b") == bool(has_delay and item.flag not in "re"), f"{item}: its host's delay"
        assert item.epoch == (pace.epoch if pace else 0), f"{item}: its host's pace is {pace}"
        assert item.reason == picture.ended.get(item.host, ""), item
        process.items[item.url] = item
        if item.flag == "r":
            self.start(item)  # robots.txt is asked for

    def rules(self):
        return {host for picture in self.pictures if picture for host in picture.rules}

    def start(self, item):
        self.starts[item.host].append(self.scripts[self.server_of(item.url)].clock())

    # ---- the results of an item ----

    def results(self, process):
        results = []
        for url, item in list(process.items.items()):
            if self.chance.random() < 0.6:
                results += self.result(process, url, item)
        if self.chance.random() < 0.05:
            results.append(["hold", self.chance.choice(self.web.hosts), 200])
        if self.chance.random() < 0.05:
            results.append(["asked", self.chance.choice(self.web.hosts)])
        if self.chance.random() < self.refusing / 50:
            some = [host for host in self.web.hosts + self.web.foreign if self.server_of(f"http://{host}/") == process.server]
            results += [["end", host, f"{host} wants no more"] for host in some[:1]]
        return results

    def result(self, process, url, item):
        """A list of results: the first ones of an item that stays held, or its last ones."""
        way = self.chance.random()
        if way < 0.1:
            return [["back", url]]
        if item.flag == "e":
            return [script.done(url, outcome="unclear", status="", tries=item.tries, reaction="-")]
        if item.flag == "r":
            delay = self.web.delays[item.host]
            told = [["rules", url, round(delay * 1000), f"rules of {item.host}"]]
            process.items[url] = item._replace(flag="-")
            return told + [["back", url]] if self.delay_of(item.host) > 0 else told
        if self.web.kinds[url] == "disallowed":
            return [self.done(item)]  # it isn't asked for
        if item.flag == "b":
            self.start(item)
            process.items[url] = item._replace(flag="-")
            return [["began", url]]
        if self.chance.random() < self.refusing:
            how, seconds = self.chance.choice(["refused", "refused", "busy"]), self.chance.choice([0, 0.1, 5])
            tries, refusals = item.tries, item.refusals + 1
            return [[how, item.host, url, round(seconds * 1000)], script.park(url, seconds, tries, refusals)]
        if item.tries < self.web.fails[url]:
            return [script.park(url, self.chance.choice([0, 0.1, 5]), item.tries + 1)]
        return [self.done(item)]

    def done(self, item):
        is_page = item.why[0] == "f" or self.web.kinds[item.url] == "redirect"
        links, outcome = self.web.links[item.url] if is_page else [], self.web.outcome(item.url, item.why[0])
        is_redirect = outcome == "redirect"
        depth = item.depth if is_redirect else item.depth + 1
        what = "r" if is_redirect else "l" if item.depth < self.max_depth else "d"
        chunks, others = [], []
        assets = self.web.assets.get(item.url, {}) if outcome == "page" else {}
        kinds = [(links, depth, what, item.why if is_redirect else "fa"),
                 ([url for url, why in assets.items() if why == "cg"], item.depth, "l", "cg"),
                 ([url for url, why in assets.items() if why == "xa"], depth, what, "xa")]
        for server in range(self.servers):
            for urls, *kind in kinds:
                some = [url for url in urls if self.server_of(url) == server]
                for begin in range(0, len(some), self.in_chunk):
                    one = script.chunk(some[begin:begin + self.in_chunk], kind[0], 10, *kind[1:])
                    if server == self.server_of(item.url):
                        chunks.append(one)
                    else:
                        others.append((server, one))
        return script.done(item.url, chunks, others, outcome, links=0 if is_redirect else len(links),
                           tries=item.tries + 1)

    # ---- between servers ----

    def carry(self, dies=False):
        """Carries the links that one server has for another."""
        if self.servers == 1:
            return
        source, target = self.chance.sample(range(self.servers), 2)
        box = self.scripts[source].key(f"outbox:{target}")
        entries = self.client.call("XRANGE", box, "-", "+", "COUNT", self.chance.choice([1, 3, 100]))
        last = self.client.call("HGET", self.scripts[target].key("inbox"), source) or "0-0"
        new = [entry for entry in entries if place(entry[0]) > place(last)]
        if new:
            fields = [invariants.pairs(fields) for _, fields in new]
            words = [word for one in fields for word in (one["page"], one["chunk"])]
            for _ in range(self.chance.randint(1, 2)):  # perhaps by two processes at once
                assert self.scripts[target].call("put", source, last, new[-1][0], *words) == new[-1][0]
                self.look(target)
            last = new[-1][0]
        if entries and not dies:
            self.scripts[source].call("sent", target, last)
            self.look(source)

    def carry_half(self):
        self.carry(dies=True)

    def counts(self):
        meta = [self.client.call("HMGET", each.key("meta"), "unfinished", "created", "checking", "to_follow") for each in self.scripts]
        return [tuple(map(int, each)) for each in meta]

    def look_for_the_end(self):
        """Makes one of two passes. Much may happen between them."""
        if self.servers == 1:
            return
        if self.pass_one is None:
            self.pass_one = self.counts()
            return
        pass_one, self.pass_one = self.pass_one, None
        if all((each[0] if each[2] else each[3]) == 0 for each in pass_one) and self.counts() == pass_one:
            checking = min(each[2] for each in pass_one)
            for each in self.scripts:
                if self.chance.random() < 0.1:
                    break  # the process dies
                state = each.call("finish", checking)[0]
                assert checking == 0 or state == "complete", "not all servers were done, though two passes said so"
            for number in range(self.servers):
                self.look(number)

    # ---- the checks ----

    def look(self, number, given_up=""):
        """Checks a server after each call to it."""
        before, now = self.pictures[number], invariants.Crawl(self.client, self.scripts[number].name)
        self.pictures[number] = now
        broken = invariants.broken_in(now)
        assert not broken, broken
        for name in set(before.sessions if before else []) - set(now.sessions) - {given_up}:
            held = before.held.get(name, {}).keys()
            self.blamed.update(url for url in held if len(held) == 1 and self.lost[url] >= self.settings.max_lost)
            self.lost.update(held)
        for url in now.given_up.keys() - (before.given_up.keys() if before else ()):
            assert LEAST_ALONE <= self.blamed.pop(url, 0) <= MOST_ALONE, f"{url} was given up, but {self.lost[url]=}"
            self.lost[url] = self.settings.max_lost  # so that it's still a suspect if it's tried again
        assert max(self.blamed.values(), default=0) < MOST_ALONE, f"these weren't given up: {self.blamed}"
        if now.meta["state"] == "complete":
            unfinished = [each[name] for each in map(self.meta, range(self.servers)) for name in ("unfinished", "deferred")]
            assert set(unfinished) == {"0"}, f"the state is complete, but unfinished is {unfinished}"

    def meta(self, number):
        return invariants.pairs(self.client.call("HGETALL", self.scripts[number].key("meta")))

    def end(self):
        """All processes are gone, and new ones do the rest."""
        self.processes.clear()
        done = self.settings.max_pages and "max_pages"
        processes = [self.open(number) for number in range(self.servers)]
        for _ in range(PATIENCE):
            for number, process in enumerate(processes):
                if process not in self.processes:
                    processes[number] = process = self.open(number)
                self.call_of(process)
            self.pass_time()
            self.carry()
            self.look_for_the_end()
            if {picture.meta["state"] for picture in self.pictures} <= {"complete", done}:
                return
        raise AssertionError(f"the crawl doesn't end: {[picture.meta for picture in self.pictures]}")

    def call_of(self, process):
        process.session.seq += 1
        process.unanswered = process.session.seq, (5, 0, 2), self.results(process)
        self.say(process)

    def check_the_end(self):
        for url in {self.web.deadly} & set().union(*(picture.urls for picture in self.pictures)):
            picture = self.pictures[self.server_of(url)]
            states = ("dm", "dmqc")[self.settings.max_pages > 0] + "f" * (script.host_of(url) in picture.ended)
            assert picture.urls[url].state in states, f"{url} was survived"
        records = {(number, index): record for number, picture in enumerate(self.pictures)
                   for index, record in picture.records}
        by_url = {record["url"]: record for record in records.values()}
        known = {url: each for picture in self.pictures for url, each in picture.urls.items()}
        met = collections.Counter(url for page in by_url.values() if page["outcome"] == "page"
                                  for url in [*self.web.links[page["url"]], *self.web.assets[page["url"]]])
        for (server, _), record in records.items():
            self.check_record(server, record, records, by_url)
        for url, each in known.items():
            assert each.times_met == met[url], f"{url} was met on {met[url]} pages: {each}"
            on = [self.parent(self.server_of(url), page, records)["url"] for page in each.pages]
            assert len(set(on)) == len(on) == min(10, met[url]), f"{url}: {each}"
            assert all(url in self.web.links[page] or url in self.web.assets[page] for page in on), f"{url}: {on}"
        if self.servers == 1:
            new = sum(int(record["new_links"]) for record in by_url.values())
            redirects = sum(record["outcome"] == "redirect" for record in by_url.values())
            assets = {one for page in by_url.values() for one in self.web.assets.get(page["url"], ())}
            least = len(known) - 1 - redirects - len(assets)
            assert least <= new <= len(known) - 1, f"new links: {new} of {len(known)}"
        if self.settings.max_pages:
            counted = sum(record["outcome"] != "disallowed" and (record["outcome"], record["tries"]) != ("unclear", "0")
                          for record in by_url.values())
            assert counted <= self.settings.max_pages
            if self.pictures[0].meta["state"] == "max_pages":
                assert counted == self.settings.max_pages
        for host, starts in self.starts.items():
            gaps = [b - a for a, b in zip(starts, starts[1:])]
            delay = self.settings.foreign_delay if host in self.web.foreign else 0
            delay = max(delay, self.delay_of(host) if not self.settings.rules else self.settings.delay)
            assert min(gaps, default=99) >= delay - 0.0001, f"{host} was asked after {min(gaps)} s, but wants {delay} s"

    def parent(self, server, name, records):
        source, number = name.split(".") if "." in name else (server, name)
        return records[int(source), int(number)]

    def check_record(self, server, record, records, by_url):
        url = record["url"]
        assert self.server_of(url) == server
        has_killed = url in self.pictures[server].given_up
        purpose = "f" if record["outcome"] == "page" else "c"
        has_ended = record["outcome"] == "unclear"
        if has_ended:
            assert script.host_of(url) in self.pictures[server].ended, record
        else:
            assert record["outcome"] == ("failed" if has_killed else self.web.outcome(url, purpose)), record
        if not has_killed and not has_ended:
            assert int(record["tries"]) == self.web.fails[url] + 1, record
        depth = int(record["depth"])
        assert depth <= self.max_depth, record
        if record["parent"] == "-":
            assert url == self.web.urls[0] and depth == 0, record
        else:
            parent = self.parent(server, record["parent"], records)
            as_link = depth == int(parent["depth"]) + (parent["outcome"] == "page")
            if url in self.web.links.get(parent["url"], ()):
                assert as_link, (record, parent)
            else:
                why = self.web.assets[parent["url"]][url]
                assert as_link if why == "xa" else depth == int(parent["depth"]), (record, parent)
                assert record["kind"] == why[1], record
        is_followed = record["outcome"] == "redirect" or record["outcome"] == "page" and depth < self.max_depth
        if is_followed and self.pictures[server].meta["state"] == "complete":
            links = self.web.links[url]
            for link in [*links, *(self.web.assets[url] if record["outcome"] == "page" else ())]:
                assert link in by_url, f"{link}, which {url} has, wasn't crawled"
            is_retried = any(picture.number("retried") for picture in self.pictures)
            if record["outcome"] == "page" and not is_retried:
                for link in links:
                    read = self.web.outcome(link) != "page" or by_url[link]["outcome"] in ("page", "failed", "unclear")
                    assert read, f"{link} was only checked, but {url} has a link to it"


def place(entry):
    return tuple(map(int, entry.split("-")))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=25)
    options = parser.parse_args()
    redis_server.skip_if_there_is_none()
    told = collections.Counter()
    with redis_server.RedisServer() as redis, redis.client() as client:
        for seed in range(options.seed, options.seed + options.rounds):
            client.call("FLUSHALL")
            one = Round(client, seed)
            try:
                one.run()
            except Exception:
                traceback.print_exc()
                print(f"This was: schedules_test.py --seed {seed} --rounds 1", file=sys.stderr)
                return 1
            told["records"] += sum(len(picture.records) for picture in one.pictures)
            told["lost"] += sum(picture.number("lost") for picture in one.pictures)
            told["given up"] += sum(picture.number("given_up") + picture.number("retried") for picture in one.pictures)
    print(f"{options.rounds} crawls: {told['records']} records, {told['lost']} times a process was lost with a URL, "
          f"{told['given up']} times one was given up")
    return 0


if __name__ == "__main__":
    sys.exit(main())
