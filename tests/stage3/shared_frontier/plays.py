"""Plays for the script in Redis: one call per row, and what its answer must say.

    a host that is held hands out nothing: h0-3 o0 delay=0.1    the play's name, the crawl's roots, its settings;
                                           taken=2: a session has two items already; other=b: there is another one
        hold h 400                         a session, called a, tells something
        4 -> o0                            it wants four items, and gets this one, http://o:80/0
        b: opens                           another session
        +0.4 b: 4+2/1 done o0 -> 4 wait=0  0.4 s later, that has done o0, wants 4, 2 ahead, 1 foreign, and gets 4

After the arrow come items, or their number; ~ if their order doesn't matter; what all of them have (flag=b lost=1);
and what the answer has (state=complete). Without an arrow, the answer may say anything. `done h0 > h1-2 > x1 why=xa`
has two chunks of links. `refuse` is `refused` and `park`. `again` repeats a call. {x|y}: once with x, once with y.
"""
import re
import shlex
import textwrap

from script import Leased, chunk, done, park

ROW = re.compile(r"(?:\+([\d.]+) ?)?(?:(\w): ?)?(?:(\d+)(?:\+(\d+))?(?:/(\d+))?(?: |$))?(.*)")
TWO_DEATHS = ["1 -> h0", "all die"] * 2
BEGINNINGS = {
    # Two processes have died while they held h0. Only then are the roots added. For "trial", a is on trial then.
    "suspect": TWO_DEATHS, "trial": TWO_DEATHS,
    # A host has refused at about 10 a second; its next request, which has begun, is answered next.
    "slow": ["10 -> 10", "+1 done h0-8, refuse h9 1", "+1 5 -> h9", "began h9"],
}


def plays_in(text):
    """The text of each, without comments: it begins with its least indented line."""
    text = textwrap.dedent(re.sub(r" +#.*", "", text)).strip()
    return re.split(r"\n(?=\S)", text) if text else []


def versions(play):
    """Itself, or one for each of its {alternatives}."""
    found = re.search(r"\{(.*?)\}", play)
    return [play.replace(found[0], choice) for choice in found[1].split("|")] if found else [play]


def read(text):
    """The words of a text, and what its words NAME=VALUE say."""
    def value(word):
        return int(word) if word.isdecimal() else float(word) if re.fullmatch(r"[\d.]+", word) else word
    words = shlex.split(text)
    return [word for word in words if "=" not in word], {
        name: value(word) for name, _, word in (word.partition("=") for word in words if "=" in word)}


def urls_of(words):
    """h3: http://h:80/3. h0-4: five of them."""
    for word in words:
        host, first, last = re.fullmatch(r"([a-z]+)(\d+)(?:-(\d+))?", word).groups()
        yield from (f"http://{host}:80/{number}" for number in range(int(first), int(last or first) + 1))


def results_of(text):
    head, *links = text.split(" > ")
    (verb, where, *more), options = read(head)
    if verb in ("hold", "asked", "end"):
        return [[verb, where + ":80", *more]]
    results = []
    for url in urls_of([where]):
        host = url.split("/")[2]
        if verb == "done":
            results.append(done(url, [chunk([*urls_of(words)], **how) for words, how in map(read, links)], **options))
        elif verb == "park":
            results.append(park(url, *map(float, more), **options))
        elif verb == "refuse":
            results += [["refused", host, url, round(float(more[0]) * 1000)],
                        park(url, float(more[0]), **{"tries": 0, "refusals": 1, **options})]
        else:
            results.append(["refused", host, url, *more] if verb == "refused" else [verb, url, *more])
    return results


class Play:
    def __init__(self, make_script, text):
        """`make_script`: called with the crawl's settings."""
        first, *rows = text.split("\n")
        words, settings = read(first.partition(": ")[2])
        taken, other = settings.pop("taken", None), settings.pop("other", None)
        begins = words.pop(0) if words[0] in BEGINNINGS else None
        has_suspect = begins in ("suspect", "trial")
        self.script, self.text = make_script(**settings), text
        self.sessions = {"a": self.script.open(*urls_of(["h0"] if has_suspect else words))}
        rows[:0] = [*BEGINNINGS.get(begins, []), *["opens old=a " + " ".join(words)] * has_suspect,
                    *["1 -> trial=1 wait=-1"] * (begins == "trial"), *[f"{taken} -> {taken}"] * bool(taken),
                    *[f"{other}: opens"] * bool(other)]
        for row in rows:
            self.row(row.strip())

    def row(self, row):
        call, arrow, answer = map(str.strip, row.partition("->"))
        if call.startswith(("= ", "host ")):
            self.look(row)
            return
        time, who, want, ahead, foreign, what = ROW.fullmatch(call).groups()
        if time:
            self.script.pass_time(float(time))
        session = self.sessions.get(who or "a")
        if what == "all die":  # the lease of all sessions ends
            self.script.pass_time(31)
            self.sessions["a"] = self.script.open()
            self.sessions["a"].step(0)
            self.script.pass_time(1)
        elif what.startswith("opens"):
            words, options = read(what)
            old = self.sessions[options["old"]].name if options else ""
            self.sessions[who or "a"] = self.script.open(*urls_of(words[1:]), old=old)
        elif what == "closes":
            self.expect(row, session.close()[0], answer or "ok")
        elif want or what or arrow:
            session.seq += what != "again"
            results = [result for text in what.split(", ") if text not in ("", "again") for result in results_of(text)]
            reply = session.say(session.seq, int(want or 0), *results, ahead=int(ahead or 0), foreign=int(foreign or 0))
            expected = "expired" if answer == "expired" else "an answer"
            self.expect(row, "expired" if reply is None else "an answer", expected)
            if arrow and reply:
                self.compare(row, reply, answer)

    def compare(self, row, reply, answer):
        words, options = read(answer)
        urls = [item.url for item in reply.items]
        if [word for word in words if word.isdecimal()]:
            self.expect(row, len(urls), int(words[0]))
        elif "~" in words:
            self.expect(row, sorted(urls), sorted(urls_of(words[1:])))
        else:
            self.expect(row, urls, [*urls_of(words)])
        for name, value in options.items():
            if name in Leased._fields:
                self.expect(row, {str(getattr(item, name)) for item in reply.items}, {str(value)})
            else:
                got = int(reply.on_trial) if name == "trial" else getattr(reply, name)
                self.expect(row, f"{name}={got}", f"{name}={value}")

    def look(self, row):
        """= NAME=VALUE: what the crawl's meta says. host H NAME=VALUE: what it says of a host."""
        words, options = read(row.removeprefix("= "))
        crawl = self.script.look()
        for name, value in options.items():
            if not words:
                got = crawl.meta[name]
            else:
                host = words[1] + ":80"
                got = crawl.rules.get(host) if name == "rules" else getattr(crawl.hosts[host], name)
            self.expect(row, f"{name}={got}", f"{name}={value}")

    def expect(self, row, got, expected):
        if got != expected:
            raise AssertionError(f"{row}: {got!r}, not {expected!r}, in the play\n{self.text}")
