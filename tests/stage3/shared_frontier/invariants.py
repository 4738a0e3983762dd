"""What must be true of a crawl in Redis between any two calls of its script.

The invariants are those in the head of frontier/1_meta.lua, written again in another language. In addition, counters
must have the values that counting gives. No call may come in meanwhile, since the crawl is read in several steps.
"""
import collections
import json
import re

MOST_PAGES = 10  # that are remembered for a URL
AT_ONCE = 5000  # how many records are read at once
GIVEN_UP = "processes have ended while they fetched only it"

Item = collections.namedtuple("Item", "depth redirects tries refusals lost parent why url")
Held = collections.namedtuple("Held", "seq host flag epoch depth redirects tries refusals lost parent why reason")
Host = collections.namedtuple("Host", "next delay busy held_until gate kind answers began pace")
Pace = collections.namedtuple("Pace", "epoch window rate refused_at measures refused_since")  # no limit, has answered: 0
Known = collections.namedtuple("Known", "state times_met pages")


def pairs(flat):
    """A hash, as Redis answers it."""
    return dict(zip(flat[::2], flat[1::2]))


def item(text):
    url, *numbers, parent, why = text.split(" ")
    return Item(*map(int, numbers), parent, why, url)


def held(text):
    seq, host, flag, epoch, depth, redirects, tries, refusals, lost, parent, why, *reason = text.split(" ", 11)
    numbers = map(int, (epoch, depth, redirects, tries, refusals, lost))
    return Held(int(seq), host, flag, *numbers, parent, why, "".join(reason))


def host_as(text):
    """A host. Its pace is None if it has never refused."""
    *words, paced, answers, began = text.split(" ")[:9]
    pace = text.split(" ")[9:]
    assert (paced == "p") == bool(pace), text
    return Host(*map(int, words[:4]), *words[4:], int(answers), int(began),
                Pace(int(pace[0]), int(pace[1]), *map(float, pace[2:4]), pace[4] == "1", int(pace[5])) if pace else None)


def read_known(urls, met):
    """URL -> what is known of it. `met`: texts such as "7 q1m2": on page 7 there are links to the URLs 1 and 2."""
    pages = collections.defaultdict(list)
    for text in met:
        page, links = text.split(" ")
        for number in re.findall(r"[a-z](\d+)", links):
            pages[int(number)].append(page)
    return {url: Known(text[0], len(pages[int(text[1:])]), pages[int(text[1:])][:MOST_PAGES])
            for url, text in urls.items()}


def read_records(client, name):
    """(number of its page, fields) for each record, in the order in which they came."""
    records, begin = [], "-"
    while True:
        some = client.call("XRANGE", f"{{{name}}}:records", begin, "+", "COUNT", AT_ONCE)
        for _, flat in some:
            fields = pairs(flat)
            records.append((int(fields.pop("number")), fields))
        if len(some) < AT_ONCE:
            return records
        begin = "(" + some[-1][0]


class Crawl:
    """All data of a crawl in Redis, at one moment."""

    def __init__(self, client, name):
        prefix = f"{{{name}}}:"
        keys = [key[len(prefix):] for key in client.call("KEYS", f"{{{name}}}:*")]

        def read_each(room, *command):
            found = [key for key in keys if key.startswith(room + ":")]
            calls = [[command[0], prefix + key, *command[1:]] for key in found]
            return {key.split(":", 1)[1]: answer for key, answer in zip(found, client.call_all(calls))} if found else {}

        (meta, urls, hosts, ready, foreign, parked, suspects, sessions, links, inbox, rules, given_up, met,
         checks, ended) = client.call_all([
            ["HGETALL", prefix + "meta"], ["HGETALL", prefix + "urls"], ["HGETALL", prefix + "hosts"],
            ["ZRANGE", prefix + "ready", 0, -1, "WITHSCORES"],
            ["ZRANGE", prefix + "ready_abroad", 0, -1, "WITHSCORES"], ["ZRANGE", prefix + "parked", 0, -1],
            ["ZRANGE", prefix + "suspects", 0, -1],
            ["ZRANGE", prefix + "sessions", 0, -1], ["LRANGE", prefix + "links", 0, -1], ["HGETALL", prefix + "inbox"],
            ["HGETALL", prefix + "rules"], ["HGETALL", prefix + "given_up"],
            ["LRANGE", prefix + "met", 0, -1], ["LRANGE", prefix + "checks", 0, -1], ["HGETALL", prefix + "ended"]])
        self.meta = pairs(meta)
        is_zset = self.meta.get("order") == "priority"
        self.urls = read_known(pairs(urls), met)
        self.numbers = [int(text[1:]) for text in urls[1::2]]
        self.hosts = {host: host_as(text) for host, text in pairs(hosts).items()}
        self.ready, self.ready_abroad = [{host: int(score) for host, score in pairs(each).items()}
                                         for each in (ready, foreign)]
        self.parked, self.suspects, self.checks = [
            [(text.split(" ", 1)[0], item(text.split(" ", 1)[1])) for text in texts]
            for texts in (parked, suspects, checks)]
        self.given_up, self.ended = pairs(given_up), pairs(ended)
        self.queues = {host: [item(text) for text in texts]
                       for host, texts in read_each("queue", "ZRANGE" if is_zset else "LRANGE", 0, -1).items()}
        self.sessions = sessions
        self.session = {session: pairs(flat) for session, flat in read_each("session", "HGETALL").items()}
        self.held = {session: {url: held(text) for url, text in pairs(flat).items()}
                     for session, flat in read_each("held", "HGETALL").items()}
        self.links = [json.loads(text) for text in links]
        self.outboxes = {server: [pairs(fields) for _, fields in entries]
                         for server, entries in read_each("outbox", "XRANGE", "-", "+").items()}
        self.inbox = pairs(inbox)
        self.rules = pairs(rules)
        self.records = read_records(client, name)

    def number(self, name):
        return int(self.meta[name])

    def record(self, url):
        """The record of a URL, or None."""
        return next((record for _, record in self.records if record["url"] == url), None)

    def where(self):
        """URL -> the places in which it is."""
        places = collections.defaultdict(list)
        for host, items in self.queues.items():
            for one in items:
                places[one.url].append(f"queue:{host}")
        for _, one in self.parked:
            places[one.url].append("parked")
        for _, one in self.suspects:
            places[one.url].append("suspects")
        for _, one in self.checks:
            if self.urls[one.url].state == "c":
                places[one.url].append("checks")
        for session, urls in self.held.items():
            for url in urls:
                places[url].append(f"held:{session}")
        for url in self.in_links():
            places[url].append("links")
        return places

    def in_links(self):
        """The URLs whose pages' links are still to be put in."""
        return [entry["record"][0] for entry in self.links if "record" in entry]


def broken(client, name):
    """The invariants that don't hold, one line for each case; an empty list if all hold. Waits for calls that still
    come in."""
    while True:
        begun = client.call("HGET", f"{{{name}}}:meta", "begun")
        crawl = Crawl(client, name)
        if begun == crawl.meta["begun"] == client.call("HGET", f"{{{name}}}:meta", "begun"):
            return broken_in(crawl)


def broken_in(crawl):
    return [*_one_place(crawl), *_unfinished(crawl), *_one_record(crawl), *_hosts(crawl), *_sessions(crawl),
            *_whole_calls(crawl), *_suspects(crawl), *_given_up(crawl), *_numbers(crawl),
            *_counters(crawl)]


def _one_place(crawl):
    places = crawl.where()
    for url, state in crawl.urls.items():
        if len(places.get(url, [])) != (state.state in "qc") or ("checks" in places.get(url, [])) != (state.state == "c"):
            yield f"1: {url} is {state.state}, and is in {places.get(url, [])}"
    for url in places.keys() - crawl.urls.keys():
        yield f"1: {url} is in {places[url]}, but isn't known"


def _unfinished(crawl):
    count = sum(known.state == "q" for known in crawl.urls.values())
    to_check = sum(known.state == "c" for known in crawl.urls.values())
    count += to_check * crawl.number("checking")
    if crawl.number("deferred") != to_check * (1 - crawl.number("checking")):
        yield f"2: deferred is {crawl.meta['deferred']}, but {to_check} wait to be checked"
    count += sum(len(entries) for entries in crawl.outboxes.values())
    if crawl.number("unfinished") != count:
        yield f"2: unfinished is {crawl.meta['unfinished']}, but there are {count}"
    work = [one for some in crawl.queues.values() for one in some]
    work += [one for _, one in crawl.parked + crawl.suspects]
    work += [one for some in crawl.held.values() for one in some.values()]
    to_follow = sum(one.why[0] == "f" for one in work) + sum(len(entries) for entries in crawl.outboxes.values())
    to_follow += sum(entry["record"][14] == "f" for entry in crawl.links if "record" in entry)
    if crawl.number("to_follow") != to_follow:
        yield f"2: to_follow is {crawl.meta['to_follow']}, but there are {to_follow}"
    left = count if crawl.number("checking") else to_follow
    if (crawl.meta["state"] in ("complete", "idle")) != (left == 0):
        yield f"2: the state is {crawl.meta['state']}, but {left} are left"


def _numbers(crawl):
    if sorted(crawl.numbers) != list(range(1, len(crawl.urls) + 1)):
        yield f"10: the URLs aren't numbered from 1 to {len(crawl.urls)}: {sorted(crawl.numbers)}"


def _one_record(crawl):
    recorded = collections.Counter(record["url"] for _, record in crawl.records)
    for url, count in recorded.items():
        if count != 1:
            yield f"3: {url} has {count} records"
    done = {url for url, known in crawl.urls.items() if known.state in "fd"}
    for url in done ^ recorded.keys():
        yield f"3: {url} is {crawl.urls.get(url)}, but has {recorded[url]} records"
    for _, record in crawl.records:
        is_dead = record["outcome"] in ("error", "failed")
        if record["url"] in done and is_dead != (crawl.urls[record["url"]].state == "d"):
            yield f"3: {record['url']} is {crawl.urls[record['url']].state}, and its outcome {record['outcome']}"
    numbers = [number for number, _ in crawl.records] + [entry["number"] for entry in crawl.links if "record" in entry]
    last = len(numbers) + crawl.number("retried")  # the numbers of records that were withdrawn are missing
    if len(set(numbers)) != len(numbers) or not set(numbers) <= set(range(1, last + 1)):
        yield f"3: the records aren't numbered from 1 to {last}: {numbers}"


def _hosts(crawl):
    held = [one for urls in crawl.held.values() for one in urls.values()]
    busy = collections.Counter(one.host for one in held)
    for name in busy.keys() | crawl.queues.keys() | crawl.ready.keys() | crawl.ready_abroad.keys():
        if name not in crawl.hosts:
            yield f"4: {name} has work, but isn't a host"
    for name, host in crawl.hosts.items():
        is_one_by_one = host.kind == "x" or host.delay > 0 and not crawl.number("max_per_host")
        most = 1 if is_one_by_one else crawl.number("max_per_host")
        ready, other = crawl.ready, crawl.ready_abroad
        if host.kind == "x":
            ready, other = other, ready
        if name in other:
            yield f"5: {name} is in the wrong one of ready and ready_abroad"
        if host.busy != busy[name]:
            yield f"4: {name} has {host.busy} busy, but {busy[name]} are held"
        if most and host.busy > most and not host.delay and host.gate != "e":  # a delay may have come meanwhile
            yield f"4: {name} has {host.busy} busy, but {most} are allowed"
        flags = sorted(one.flag for one in held if one.host == name and one.flag != "-")
        if host.gate == "e":  # what was held before that may still be
            flags = [flag for flag in flags if flag not in "erb"]
        if flags != {"a": ["r"], "b": ["b"]}.get(host.gate, []):
            yield f"4: {name} has its gate at {host.gate}, but the held flags are {flags}"
        if (host.gate == "e") != (name in crawl.ended):
            yield f"11: {name} has its gate at {host.gate}, and has ended for {crawl.ended.get(name)}"
        window = host.pace.window if host.pace else 0
        has_room = host.gate == "e" or (host.gate in "?o" and not (most and host.busy >= most)
                                        and not (window and host.busy >= window))
        has_work = bool(crawl.queues.get(name))
        if (name in ready) != (has_room and has_work):
            yield (f"5: {name} is {'' if name in ready else 'not '}ready; its queue is "
                   f"{crawl.queues.get(name, [])}, and it is {host}")
        if host.gate != "e" and ready.get(name, 1 << 60) < max(host.next, host.held_until):
            yield f"5: {name} is ready before its time"
    for name, items in crawl.queues.items():
        for one in items:
            if name not in one.url:
                yield f"5: {one.url} waits for {name}"


def _sessions(crawl):
    if crawl.session.keys() != set(crawl.sessions):
        yield f"6: the sessions are {crawl.sessions}, but session:S exists for {sorted(crawl.session)}"
    for session in crawl.held.keys() - set(crawl.sessions):
        yield f"6: {session} holds something, but isn't a session"


def _whole_calls(crawl):
    if crawl.meta["begun"] != crawl.meta["ended"]:
        yield f"7: {crawl.meta['begun']} calls have begun, but {crawl.meta['ended']} have ended"


def _suspects(crawl):
    most = crawl.number("max_lost")
    for place, items in {"suspects": crawl.suspects, **{f"queue:{host}": [(host, one) for one in items]
                                                        for host, items in crawl.queues.items()}}.items():
        for host, one in items:
            if (one.lost >= most) != (place == "suspects"):
                yield f"8: {one.url} of {host} was lost {one.lost} times, and is in {place}"
    for session, urls in crawl.held.items():
        if any(one.lost >= most for one in urls.values()) and (len(urls) > 1 or session != crawl.meta["trial"]):
            yield f"8: {session} holds {urls}, and on trial is {crawl.meta['trial']!r}"
    if crawl.meta["trial"] not in ("", *crawl.sessions):
        yield f"8: {crawl.meta['trial']} is on trial, but isn't a session"


def _given_up(crawl):
    said = {record["url"] for _, record in crawl.records if GIVEN_UP in record["error"]}
    if said != crawl.given_up.keys():
        yield f"9: given_up has {sorted(crawl.given_up)}, but the records say {sorted(said)}"


def _counters(crawl):
    records = [record for _, record in crawl.records]
    in_links = [entry["record"] for entry in crawl.links if "record" in entry]
    outcomes = [(record["outcome"], record["tries"]) for record in records] + [(record[3], record[11]) for record in in_links]
    counted = {
        "known": len(crawl.urls),
        "held": sum(map(len, crawl.held.values())),
        "records": len(outcomes),
        "counted": sum(outcome != "disallowed" and (outcome, tries) != ("unclear", "0") for outcome, tries in outcomes),
        "dead": sum(record["outcome"] in ("error", "failed") for record in records),
        "given_up": len(crawl.given_up),
    }
    if crawl.number("servers") == 1:  # otherwise, links that went to other servers are counted, too
        counted["created"] = (sum(known.state != "m" for known in crawl.urls.values()) - crawl.number("deferred")
                              + crawl.number("retried"))
    for name, count in counted.items():
        if crawl.number(name) != count:
            yield f"{name} is {crawl.meta[name]}, but there are {count}"
