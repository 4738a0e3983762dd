#!/usr/bin/env python3
"""The script in Redis by itself: each operation, with its edge cases. After each test the invariants must hold.

    tests/stage3/shared_frontier/script_test.py [-v] [NAME...]

The crawl's clock moves only when a test moves it, so no test waits for anything. schedules_test.py tests calls in any
order. Each of a class's PLAYS is a test, too: see plays.py.
"""
import functools
import unittest

import invariants
import redis_server
import resp
from plays import Play, plays_in, versions
from script import FORMAT, NEVER, TEXT, Script, chunk, done

redis = None  # the server for all tests


def setUpModule():
    global redis
    redis = redis_server.RedisServer().start()
    unittest.addModuleCleanup(redis.remove)


def page(number, host="h:80"):
    return f"http://{host}/{number}"


def pages(count, host="h:80"):
    return [page(number, host) for number in range(count)]


class ScriptTest(unittest.TestCase):
    PLAYS = ""

    def __init_subclass__(cls):
        for text in plays_in(cls.PLAYS):
            name = "test_" + text.partition(":")[0].replace(" ", "_")
            assert not hasattr(cls, name), name
            setattr(cls, name, functools.partialmethod(cls.play, text))

    def setUp(self):
        self.client = redis.client()
        self.addCleanup(self.client.close)
        self.client.call("FLUSHALL")
        self.scripts = []

    def tearDown(self):
        self.check_invariants()

    def check_invariants(self):
        for script in self.scripts:
            self.assertEqual(script.broken(), [])
        self.scripts.clear()

    def each(self, cases):
        """Each case begins with an empty Redis, and its crawls must keep the invariants."""
        for case in cases:
            self.client.call("FLUSHALL")
            yield case
            self.check_invariants()

    def play(self, text):
        for version in self.each(versions(text)):
            Play(self.script, version)

    def script(self, name="crawl", **settings):
        script = Script(self.client, name, **settings)
        self.scripts.append(script)
        return script

    def crawl_of(self, urls, **settings):
        """Opens a crawl with these roots, and a session."""
        script = self.script(**settings)
        return script, script.open(*urls)

    def everything(self):
        """All data in Redis, as bytes."""
        keys = sorted(self.client.call("KEYS", "*"))
        return {key: self.client.call("DUMP", key) for key in keys}


class NumberedCalls(ScriptTest):
    def test_repeating_a_number_names_its_items_again_and_changes_nothing(self):
        script, session = self.crawl_of(pages(5))
        session.step(2)
        results = done(page(0), [chunk([page(1), page(7)])])
        second = session.step(2, results)
        moved = {script.key("meta"): None, script.key("sessions"): None}  # time passes, and the call renews the lease
        before = {**self.everything(), **moved}
        again = session.say(2, 2, results)
        self.assertEqual(sorted(again.items), sorted(second.items))
        self.assertEqual({**self.everything(), **moved}, before)
        self.assertEqual((again.records, again.known, again.unfinished, again.held), (1, 6, 5, 3))
        self.assertEqual(script.look().number("stale"), 0)

    def test_a_skipped_or_old_number_or_an_unknown_session_means_expired(self):
        script, session = self.crawl_of(pages(5))
        session.step(1)
        session.step(1)
        before = self.everything()
        for number in (1, 4, 100):
            self.assertIsNone(session.say(number, 1))
        self.assertEqual(script.call("step", "7-nobody", 1, "1 0 0"), ["expired"])
        after = self.everything()
        self.assertEqual({**after, script.key("meta"): None}, {**before, script.key("meta"): None})
        self.assertIsNotNone(session.say(3, 0))
        self.assertEqual(script.look().number("held"), 2)

    PLAYS = """
        a session replaces an old one, and has its items at once: h0-2 taken=2
            b: opens h0-2 old=a
            -> expired
            b: 2 -> ~ h0-1
            = lost=0 known=3
        results for items that a session does not hold are refused: h0-1 taken=1
            done h1, park h1, back h1, began h1, rules h1 0 '', done h0, done h0, back h0
            = records=1 stale=5
    """

    def test_unknown_operations_and_crawls_are_refused(self):
        script, _ = self.crawl_of(pages(1))
        with self.assertRaisesRegex(resp.RedisError, "^ERR no operation nonsense"):
            script.call("nonsense")
        with self.assertRaisesRegex(resp.RedisError, "^NOCRAWL there is no crawl {nothing}:meta"):
            self.client.call("EVAL", TEXT, 1, "{nothing}:meta", "step", "1-0", 1, 1)
        self.assertEqual(self.client.call("KEYS", "{nothing}*"), [])


class Leases(ScriptTest):
    PLAYS = """
        a session's items go to others when its lease ends, and not before: h0 taken=1 other=b
            +9.999 b: 1 ->
            +9.999 b: 1 ->
            +9.999 b: 1 ->
            +0.003 b: 1 -> h0 lost=1
            done h0 -> expired
            = records=0
        each call renews the lease, also a repeated one: h0 taken=1 other=b
            +20 again
            +20 b: 1 ->
            +5 0
            +20 b: 1 ->
        a session that calls late, but before any other, loses nothing: h0 taken=1
            +1000 done h0 -> records=1
        a lost process's items come back one by one: h0-7
            8 -> 8
            b: opens
            +30.001 b: 8 -> 1
            +0.199 b: 8 ->
            +0.001 b: 8 -> 1
            +0.2 b: 8 -> 1
            = lost=8
        who leaves gives its items back at once, and they do not count as lost: h0-2 taken=2 other=b
            closes
            b: 2 -> ~ h0-1 lost=0 tries=0
            -> expired
            closes -> expired
    """

    def test_time_without_calls_counts_as_a_third_of_a_lease_at_most(self):
        script, session = self.crawl_of(pages(1), lease=30)
        script.clock_stands = False
        session.take()
        for away in (30, 1_000_000):
            before = script.clock()
            now = int(self.client.call("TIME")[0])
            self.client.call("HSET", script.key("meta"), "seen", round((now - away) * 1e6))
            other = script.open()
            self.assertAlmostEqual(script.clock() - before, 30 / 3, delta=0.00001)
            self.assertEqual(other.take(), [])  # the time was counted only once

    def test_the_clock_never_goes_back_though_redis_s_may(self):
        script, session = self.crawl_of(pages(1))
        script.clock_stands = False
        self.client.call("HSET", script.key("meta"), "seen", NEVER, "clock", 5_000_000)
        session.step(0)
        self.assertEqual(script.clock(), 5)
        session.step(0)
        self.assertGreater(script.clock(), 5)
        self.assertLess(script.clock(), 15.1)

    def test_the_clock_follows_redis_s(self):
        script, session = self.crawl_of(pages(1), lease=1000)
        script.clock_stands = False
        begin = self.client.call("TIME")
        session.step(0)
        clock = script.clock()
        while True:
            now = self.client.call("TIME")
            if int(now[0]) * 1e6 + int(now[1]) - int(begin[0]) * 1e6 - int(begin[1]) > 20_000:
                break
        session.step(0)
        self.assertGreater(script.clock() - clock, 0.015)

    def test_many_lost_items_all_come_back_within_a_lease(self):
        script, dies = self.crawl_of(pages(600))
        lives = script.open()
        dies.take(600)
        script.pass_time(30.001)
        came = []
        for _ in range(30):
            some = lives.take(600)
            self.assertLess(len(some), 30)
            came += some
            script.pass_time(1)
        self.assertEqual(len(came + lives.take(600)), 600)

    def test_many_sessions_may_die_at_once(self):
        script, lives = self.crawl_of(pages(25))
        for _ in range(25):
            self.assertEqual(len(script.open().take()), 1)
        script.pass_time(30.1)
        came = []
        for _ in range(3):  # ten sessions per call
            came += lives.take(30)
        self.assertEqual(sorted(came), sorted(pages(25)))
        self.assertEqual(script.look().sessions, [lives.name])


class Suspects(ScriptTest):
    """A URL with which processes have died is fetched only alone, and only then can it be given up."""

    PLAYS = """
        a suspect is given only to a session that holds nothing: suspect h0-4
            5 -> trial=1 wait=-1                # it's told before
            b: opens
            5 -> h0 lost=2 trial=1
            5 again -> h0 trial=1
            5 -> trial=1 wait=-1                # as long as it has that
            b: 2 -> 2 trial=0                   # while others go on as usual
            5 done h0 -> 2 trial=0
        a session on trial is given nothing new until it holds nothing: h0 b0-3 taken=5
            back h0
            +1 b: opens
            b: 1 -> h0
            +31 0
            +1 c: opens
            c: 1 -> h0
            +31 0
            +1 d: opens o0-2
            3 -> trial=1
            3 done b0-2 -> trial=1
            d: 3 -> o0-2
            3 done b3 -> h0
        if the session on trial goes first, another is tried: trial h0
            b: opens o1
            1 -> h0
            back h0
            {closes|all die|a: opens old=a}
            c: opens
            c: 1 -> trial=1 wait=-1
            c: 1 -> h0 lost=2
        a suspect's host is treated as politely as usual: trial h0-4 delay=0.5
            1 -> h0 flag=b
            b: opens
            b: 1 ->
            began h0, park h0
            1 -> wait=500 trial=0
            +0.5 1 -> trial=1
            1 -> h0
        a suspect waits until its host has room: trial h0-4 max_per_host=1 other=b
            b: 3 -> h1
            1 -> trial=0
            b: done h1, hold h 300
            +0.299 1 ->
            +0.001 1 -> trial=1
            1 -> h0
            b: 3 ->
        a suspect's robots.txt is asked for alone, too: trial h0-4 rules=1
            5 -> h0 flag=r
            5 rules h0 0 '', back h0 -> h0 flag=-
        max_pages counts suspects exactly: trial h0-4 max_pages=2 other=b
            5 -> h0
            b: 5 -> h1
            b: 5 done h1 -> state=running
            5 done h0 -> state=max_pages
        a session that wants nothing is not tried: suspect h0-4
            0 -> trial=0
            b: opens
            b: 1 -> trial=1
            b: 1 -> h0
    """

    def crawl_with_a_suspect(self, others=0, **settings):
        """A session that is on trial, and may now get what it's for."""
        urls = " h0" if others == 0 else f" h0-{others}"
        words = "".join(f" {name}={value}" for name, value in settings.items())
        play = Play(self.script, f"a suspect: trial{urls}{words}")
        return play.script, play.sessions["a"]

    def lose(self, script):
        """The lease of all sessions ends. Returns a new one."""
        script.pass_time(31)
        session = script.open()
        session.step(0)
        script.pass_time(1)
        return session

    def give_up(self, script, session):
        """Each process that has the suspect dies, until there is none. Returns how many did."""
        for deaths in range(9):
            if not session.step(1).on_trial:
                session.close()
                return deaths
            session.step(1)
            session = self.lose(script)

    def test_deaths_at_the_same_time_as_others_are_hardly_evidence(self):
        """What kills several processes at once can't be the page that one of them was fetching."""
        for when in self.each(["before", "with", "after"]):
            script, session = self.crawl_with_a_suspect()
            for _ in range(8):
                self.assertEqual(session.take(), [page(0)])
                if when == "before":
                    session.step(0)
                other = script.open()
                other.step(0)
                if when == "before":
                    script.pass_time(15)
                    session.step(0)
                if when == "after":
                    script.pass_time(9)
                    other.step(0)
                self.assertEqual(script.look().number("given_up"), 0)
                session = self.lose(script)
                script.pass_time(30)
                session.step(1)
            self.assertEqual(script.look().number("given_up"), 1, when)

    def test_deaths_long_before_or_after_do_not_weaken_the_evidence(self):
        script, session = self.crawl_with_a_suspect()
        for _ in range(2):
            self.assertEqual(session.take(), [page(0)])
            script.open()
            script.pass_time(21)
            session.step(0)
            session = self.lose(script)  # and so is the other
            session.step(1)
        self.assertEqual(script.look().number("given_up"), 1)

    def test_a_page_that_kills_is_given_up_and_no_other_page(self):
        script, session = self.crawl_of(pages(8))
        poison, deaths = page(3), 0
        reply = session.step(8)
        while reply.state != "complete":
            urls = [item.url for item in reply.items]
            if poison in urls:
                deaths += 1
                session, urls = script.open(), []
            script.pass_time(0.15)
            reply = session.step(8, *map(done, urls))
        crawl = script.look()
        self.assertEqual((deaths, reply.given_up, reply.dead, reply.records), (4, 1, 1, 8))
        record = crawl.record(poison)
        self.assertEqual((record["outcome"], record["error"], record["depth"], record["parent"], record["new_links"]),
                         ("failed", "several processes have ended while they fetched only it", "0", "-", "0"))
        self.assertEqual([record["outcome"] for _, record in crawl.records if record["url"] != poison], ["page"] * 7)
        self.assertEqual(crawl.number("lost"), 8 + 3)  # so each of the others was held once by a session that died

    def test_what_was_given_up_may_be_tried_again(self):
        script, session = self.crawl_with_a_suspect()
        self.give_up(script, session)
        session = script.open(page(1))
        reply = session.step(0, *map(done, session.take()))
        self.assertEqual((reply.state, reply.records, reply.dead, reply.given_up), ("complete", 2, 1, 1))
        self.assertEqual(script.call("report", session.name), session.name)
        for _ in range(2):  # the answer is lost, and repeating the call changes nothing
            self.assertEqual(script.call("retry"), ["running", "1", "1", "2", "0", "0", "0", "0"])
            self.assertIsNone(script.look().record(page(0)))
            self.assertEqual(script.broken(), [])
        again = script.open()
        self.assertTrue(again.step(1).on_trial)
        [item] = again.step(5).items
        self.assertEqual((item.url, item.lost, item.depth, item.redirects, item.parent), (page(0), 2, 0, 10, "-"))
        reply = again.step(5, done(page(0), [chunk([page(9)])]))
        self.assertEqual([item.url for item in reply.items], [page(9)])
        self.assertEqual(script.look().urls[page(9)].pages, ["3"])  # the withdrawn record's number isn't used again
        reply = again.step(0, done(page(9)))
        self.assertEqual((reply.state, reply.records, reply.dead, reply.given_up), ("complete", 3, 0, 0))
        self.assertEqual(script.call("report", again.name), again.name)  # there is another report

    def test_what_was_given_up_twice_has_one_record(self):
        script, session = self.crawl_with_a_suspect()
        for _ in range(2):
            self.assertEqual(self.give_up(script, session), 2)
            self.assertEqual(len(script.look().records), 1)
            self.assertEqual(script.broken(), [])
            script.call("retry")
            session = script.open()

    def test_retrying_makes_room_for_max_pages(self):
        script, session = self.crawl_with_a_suspect(others=2, max_pages=1)
        self.give_up(script, session)
        self.assertEqual(script.open().step(5).state, "max_pages")
        self.assertEqual(script.call("retry")[0], "running")
        session = script.open()
        session.step(1)
        self.assertEqual(session.take(5), [page(0)])
        self.assertEqual(session.step(5, done(page(0))).state, "max_pages")


class Hosts(ScriptTest):
    PLAYS = """
        max_per_host covers all sessions: h0-4 o0 max_per_host=2 taken=1 other=b
            b: 9 -> ~ h1 o0
            9 ->
            9 done h0 -> 1
        hosts take turns: a0-19 b0-19 c0-19 taken=6
            3 -> ~ a2 b2 c2
        a host that was asked goes after one that was not: a0-9 taken=1
            +1 done a0 > b0-9
            +1 2 -> ~ a1 b0
            2 -> ~ a2 b1
        a delay is counted from the beginning of a request: h0-2 delay=0.5
            3 -> h0 flag=b                      # one, although three were wanted
            +5 1 ->                             # as long as it hasn't begun
            1 began h0 -> wait=500
            +0.4999 1 ->
            +0.0001 1 -> h1
            done h0
            1 began h1 ->
        an item that never begins delays its host from its end: h0-2 delay=0.5 taken=1
            +5 1 {done h0|back h0|park h0 100} ->
            +0.5 1 -> 1
        an item whose process dies first does not block its host: h0-2 delay=0.5 taken=1 other=b
            +30.1 b: 1 ->                       # since the item may have just begun
            +0.5 b: 1 -> 1
        a host may want a longer delay: h0-1 delay=0.1 rules=1 taken=1
            rules h0 2000 ''
            +2 began h0, done h0
            +1.999 1 ->
            +0.001 1 -> h1
        a host may not want a shorter delay: h0-1 delay=0.1 rules=1 taken=1
            rules h0 1 ''
            +2 began h0, done h0
            +0.099 1 ->
            +0.001 1 -> h1
        a host that is held hands out nothing: h0-3 o0
            hold h 400
            4 -> o0
            1 -> wait=400
            hold h 100                          # doesn't make the hold shorter
            +0.399 4 ->
            +0.001 4 -> 4
        a disallowed URL costs no pause, since its host was not asked: h0-2 delay=0.5 taken=1
            1 done h0 outcome=disallowed -> 1
        a hold is kept though an earlier item begins after it: h0-3 delay=0.01 taken=1
            hold h 400
            began h0
            +0.399 1 ->
            +0.001 1 -> 1
        another request to the host starts the delay: h0-3 delay=0.5
            asked h
            +0.499 1 ->
            +0.001 1 -> 1
        an item that is put off comes back at its time: h0-2 taken=1
            5 park h0 1.5 -> h1-2 wait=1500
            +1.499 1 ->
            +0.001 1 -> h0 tries=1 lost=0
    """


class Refusals(ScriptTest):
    """What hosts say about our pace. Its numbers, and what interrupts refusals, are pace_test.py's concern."""

    PLAYS = """
        a refusal holds its host for all, and then one request at a time goes out: h0-19 taken=5 other=b
            3 refuse h0 0.7, done h1-4 -> holds=1
            b: 3 -> holds=1
            +0.699 b: 3 ->
            +0.001 b: 3 -> h0 flag=b            # what was put off goes first
            3 ->
        a refusal of what its session no longer holds holds the host, and changes no pace: h0-2 taken=1 other=b
            b: refused h0 300
            1 ->
            host h pace=None
        items know how often they were refused, and which refusal they came after: h0-2
            1 -> h0 tries=0 refusals=0 epoch=0
            1 refuse h0 0 -> h0 tries=0 refusals=1 epoch=1
            began h0
            1 refuse h0 0 refusals=20 -> h0 refusals=20 epoch=2
        refusals survive the death of a process: h0 taken=1
            1 refuse h0 0 refusals=7 -> 1
            b: opens
            +31 b: 1 -> h0 refusals=7 lost=1
        the first request after a refusal sets the distance, also if there is room for two: slow h0-39
            done h9
            +0.22 5 ->
            +0.003 5+5 -> 1 flag=b
            +10 5 ->                            # since it hasn't begun
            began h10
            +0.223 5 -> 1
        all sessions share the window: slow h0-39 other=b
            +10 b: 3 ->
            done h9
            +1 b: 3 -> h10
            b: began h10
            +1 3 -> 1
            b: 3 ->
        a window without a distance gives none ahead: h0-8 taken=1
            refuse h0 0                         # without an answer, there is no rate
            3 -> h0
            began h0, done h0
            0+5 ->
            5+5 -> 2
        what has not begun was not refused: h0-2 delay=0.5 taken=1
            refuse h0 0
            host h pace=None
        later refusals call nothing back, since nothing of that host is ahead: slow h0-39
            0 -> holds=1
            refuse h9 0 -> holds=1
        what stays unanswered changes no pace: h0-8 taken=1
            park h0
            host h answers=0
            1 -> h0
            park h0 reaction=a                  # 502
            1 -> h0
            done h0 outcome=failed reaction=-
            host h answers=1
        a host that ends hands out all at once, with the reason: h0-8 o0-1 delay=5 taken=2 other=b
            began h0, end h tired, end h twice -> holds=1
            b: 4+2 -> 6 flag=e reason=tired host=h:80
            b: 4+2 again -> 6 flag=e reason=tired
            9 -> 2 flag=e reason=tired
            done h0                             # what was under way ends as it ends
            = records=1
        what was put off comes out when its host ends: h0-2 taken=2
            refuse h0 30
            1 end h tired -> h0
            2 park h1 50 -> h1-2
        what is ahead comes out again with the reason: h0-2
            1+2 -> h0-2
            2 end h tired, back h1-2 -> ~ h1-2 flag=e
        a host that refuses everything for too long ends: h0-4 refused_timeout=10 taken=2
            refuse h0 0
            +9.9 refuse h1 0
            1 -> h1 reason=''
            began h1
            +0.1 5 refuse h1 0 -> 5 flag=e reason='its server has refused everything for 10 s'
        robots.txt may end its host: h0-2 rules=1
            1 -> h0 flag=r
            5 end h tired{|, rules h0 500 no}, back h0 -> 3 flag=e
        a foreign host may end: h0 taken=1
            done h0 > x0-2 why=xa
            end x tired
            0/3 -> 3 flag=e
        a delay from robots.txt counts from the end of a request to the next: h0-2 rules=1 taken=1
            rules h0 500 ''
            +0.5 began h0
            +7 3 {done h0|park h0|back h0} ->
            +0.499 3 ->
            +0.001 3 -> 1
        with max_per_host, a delay from robots.txt counts from the start: h0-4 max_per_host=2 rules=1 taken=1
            rules h0 500 ''
            +0.5 began h0
            +0.5 3 -> h1
            began h1
            +0.5 3 ->                           # two are under way
            3 done h1 -> 1
        the first page comes a delay after the delay is known: h0-2 rules=1 taken=1
            rules h0 500 '', back h0
            +0.499 3 ->
            +0.001 3 -> 1
    """

    def test_the_urls_of_a_host_that_has_ended_count_for_nothing_that_is_asked(self):
        script, session = self.crawl_of(pages(5) + pages(2, "other:80"), max_pages=2)
        session.step(0, ["end", "h:80", "tired"])
        for _ in range(3):
            session.step(0, *[done(item.url, outcome="unclear", status="", tries=0, reaction="-")
                              for item in session.step(2).items if item.flag == "e"])
        self.assertEqual(script.look().number("counted"), 0)
        self.assertEqual(session.step(2).state, "running")


class Robots(ScriptTest):
    PLAYS = """
        one session asks, its answer opens the gate, and the first answer is kept: h0-3 o0-3 rules=1
            10 -> ~ h0 o0 flag=r
            b: opens
            b: 10 ->
            rules h0 0 'Disallow: /é', rules h0 0 second
            b: 10 -> h1-3 flag=-
            host h rules='Disallow: /é'
        if a process dies while it asks, another asks: h0-1 rules=1 taken=1 other=b
            +30.1 b: 2 -> h0 flag=r
            rules h0 0 '' -> expired
            b: 1 ->
        if its page comes back without an answer, robots.txt is asked for again: h0-1 rules=1 taken=1
            2 {back h0|park h0|done h0 outcome=failed} -> 1 flag=r
        with a delay, the request after robots.txt's page has to wait: h0-2 rules=1 taken=1
            rules h0 500 'Crawl-delay: 0.5'
            host h gate=b
            +5 1 ->                             # the page itself is still to be asked for
            began h0
            +5 1 ->                             # one at a time
            done h0
            +0.499 1 ->
            +0.001 1 -> 1 flag=b
        with a delay, the page may be given back until its turn: h0-2 rules=1 delay=0.5 taken=1
            1 rules h0 0 '', back h0 ->
            +0.499 1 ->
            +0.001 1 -> h0 flag=b
        with a delay, no session asks again at once: h0-2 rules=1 delay=0.5 taken=1
            1 back h0 ->                        # since it may have asked already
            +0.5 1 -> 1 flag=r
        after a day, one session asks again: h0-8 rules=1 taken=1
            rules h0 0 old, done h0
            1 -> h1 flag=-
            done h1
            +86364 1 -> h2 flag=-
            done h2
            +72 a: opens                        # its lease has ended
            5 -> h3 flag=r
            b: opens
            b: 5 ->
            rules h3 0 new
            b: 9 -> h4-8 flag=-
            host h rules=new
        max_per_host holds after robots.txt, too: h0-4 rules=1 max_per_host=2
            5 -> h0
            5 rules h0 0 '' -> 1
    """


class Orders(ScriptTest):
    NAMES = [f"http://h:80/{name}" for name in ("ccc", "a", "bb", "d", "ee")]
    ORDERS = {"fifo": [0, 1, 2, 3, 4], "lifo": [4, 3, 2, 1, 0], "priority": [1, 3, 2, 4, 0]}

    def test_each_order_is_kept_and_what_comes_back_goes_first(self):
        for order, way in self.each([(order, way) for order in self.ORDERS for way in ("done", "back", "park")]):
            _, session = self.crawl_of(self.NAMES, order=order)
            expected = [self.NAMES[number] for number in self.ORDERS[order]]
            first = session.take(2)
            self.assertEqual(first, expected[:2])
            session.step(0, *[done(url) if way == "done" else ["back", url] if way == "back" else
                              ["park", url, 0, 1, 0, "-"] for url in reversed(first)])
            then = [url for _ in range(5) for url in session.take()]
            again = 0 if way == "done" else 2
            self.assertEqual((sorted(then[:again]), then[again:]), (sorted(first)[:again], expected[2:]), (order, way))
            if (order, way) == ("fifo", "back"):
                self.assertEqual(then[:2], first)

    def test_items_that_come_back_go_before_shorter_ones(self):
        _, session = self.crawl_of([f"http://h:80/{name}" for name in ("a", "bbb", "ccc")], order="priority")
        a, b = session.take(2)
        session.step(0, done(a, [chunk(["http://h:80/d"])]), ["back", b])
        self.assertEqual([session.take() for _ in range(2)], [[b], ["http://h:80/d"]])

    def test_more_than_a_thousand_items_are_handed_out_at_once(self):
        for order in self.each(["fifo", "lifo", "priority"]):
            urls = [f"http://h:80/{number:04}" for number in range(2500)]
            script = self.script(order=order)
            script.raw_open([chunk(urls[begin:begin + 500], 0, what="r") for begin in range(0, 2500, 500)])
            session = script.open()
            expected = urls[::-1] if order == "lifo" else urls
            self.assertEqual(session.take(2500), expected)
            self.assertEqual(session.say(session.seq).held, 2500)
            script.pass_time(31)
            script.open().step(0)


class Ahead(ScriptTest):
    """Items for workers that don't wait yet."""

    PLAYS = """
        as many more come as are asked for: h0-19
            2+3 -> h0-4
            2+3 again -> ~ h0-4
            0+4 -> h5-8
            1+1 -> h9-10
        what is ahead comes from all hosts in turn: h0-8 i0-8
            1+5 -> ~ h0-2 i0-2
        a host with a delay gives none ahead: h0-8 i0-8 rules=1 taken=2
            rules h0 100 '', rules i0 0 ''
            +0.1 began h0, done h0 ->
            +1 0+4 -> i1-3
            2+4 -> ~ h1 i4-8
        a host whose rules are unknown gives none ahead: h0-8 rules=1
            0+5 ->
            1+5 -> h0 flag=r
            0+5 rules h0 0 '' -> h1-5
        with a limit per host or another order, none are ahead: h0-8 {max_per_host=3|order=lifo|order=priority}
            2+5 -> 2
        what is ahead counts for max_pages: h0-19 max_pages=7
            2+3 -> 5
            1+9 -> 2 wait=0
            1+9 ->
        what is ahead is given back in its order: h0-5
            0+4 -> 4
            b: opens
            closes
            b: 4 -> ~ h0-3
            b: 2 -> h4-5
        the answers say that a host is to be left alone, and what is ahead of it stays there: h0-8
            1+3 -> h0-3
            b: opens
            b: hold h 100 -> holds=1
            0 -> holds=1
            1+3 back h1-3 ->
        a session on trial gets none ahead: suspect h0-8
            1+5 -> trial=1
            1+5 -> h0
            1+5 ->
    """


class Links(ScriptTest):
    PLAYS = """
        a link too deep is known, but fetched only when it is met higher up: h0-1 taken=2
            1 done h0 > h7 what=d -> known=3 unfinished=1
            1 done h1 > h7 -> h7 parent=2
        roots are on no page, however often they are added: h0
            b: opens h0
            c: opens h0
            0 -> known=1 unfinished=1
            1 -> h0 depth=0 redirects=10 tries=0 parent=-
        a redirect's target has the same depth: h0 taken=1
            1 done h0 outcome=redirect > h1 depth=0 redirects=9 what=r -> h1 depth=0 redirects=9 parent=1
    """

    def test_it_is_known_on_which_pages_a_link_is(self):
        script, session = self.crawl_of(pages(1))
        [root] = session.take()
        [item] = session.step(1, done(root, [chunk([page(1), page(2)], depth=1)])).items
        self.assertEqual((item.url, item.depth, item.redirects, item.parent), (page(1), 1, 10, "1"))
        session.step(0, done(item.url, [chunk([page(2), page(3), root, item.url], depth=2)]))
        [url] = session.take()
        session.step(0, done(url, [chunk([page(9)], 1, 9, "r")], outcome="redirect"))
        crawl = script.look()
        self.assertEqual({url: tuple(known) for url, known in crawl.urls.items()},
                         {root: ("f", 1, ["2"]), page(1): ("f", 2, ["1", "2"]), page(2): ("f", 2, ["1", "2"]),
                          page(3): ("q", 1, ["2"]), page(9): ("q", 0, [])})
        self.assertEqual([record["new_links"] for _, record in crawl.records], ["2", "1", "0"])

    def test_a_link_keeps_the_first_ten_pages_that_have_it(self):
        script, session = self.crawl_of(pages(13))
        for url in session.take(13):
            session.step(0, done(url, [chunk([page(99)])]))
        known = script.look().urls[page(99)]
        self.assertEqual(known, ("q", 13, [str(number) for number in range(1, 11)]))

    def test_a_record_has_all_its_fields(self):
        script, session = self.crawl_of(pages(1))
        [url] = session.take()
        told = {"outcome": "redirect", "status": "302", "next_url": "http://h:80/né w", "error": "\"error\"\r\n\x00",
                "content_type": "text/html", "charset": "utf-8", "bytes": "17", "links": "0", "tries": "2",
                "seconds": "1.25"}
        session.step(0, done(url, **told))
        self.assertEqual(script.look().records, [(1, {
            "url": url, "depth": "0", "parent": "-", "new_links": "0", "kind": "a", "purpose": "f", **told})])


class BigPages(ScriptTest):
    def chunks(self, count=3000):
        urls = [f"http://host{number % 300}:80/{number}" for number in range(count)]
        return [chunk(urls[begin:begin + 500]) for begin in range(0, count, 500)]

    def replies_until_all_are_in(self, session, want=0):
        while self.client.call("EXISTS", session.script.key("links")):
            self.assertEqual(session.script.broken(), [])
            yield session.step(want)

    def test_a_big_page_s_links_come_in_gradually_and_then_its_record_though_its_process_is_gone(self):
        script, session = self.crawl_of(pages(1))
        any_bytes = bytes(range(256)) + b"\\u0041{}[]\""
        known = [session.step(0, done(session.take()[0], self.chunks(10_000), error=any_bytes, content_type="")).known]
        session.close()
        for reply in self.replies_until_all_are_in(script.open()):
            known.append(reply.known)
            self.assertLessEqual(len(script.look().records), known[-1] == 10_001)
        self.assertLessEqual(max(b - a for a, b in zip([1, *known], known)), 1000)
        crawl = script.look()
        [(_, record)] = crawl.records
        self.assertEqual((record["new_links"], record["error"], record["content_type"]),
                         ("10000", any_bytes.decode("utf-8", "surrogateescape"), ""))
        self.assertEqual({known.times_met for url, known in crawl.urls.items() if url != page(0)}, {1})

    def test_no_call_takes_long(self):
        """The limit is generous: on an idle machine, a call takes a few milliseconds."""
        self.client.call("CONFIG", "SET", "slowlog-log-slower-than", 0, "slowlog-max-len", 1000)
        _, session = self.crawl_of(pages(1))
        [url] = session.take()
        self.client.call("SLOWLOG", "RESET")
        session.step(0, done(url, self.chunks(10_000)))
        while session.step(0).records == 0:
            pass
        slowest = max(entry[2] for entry in self.client.call("SLOWLOG", "GET", 1000) if entry[3][0] == "EVALSHA")
        self.assertLess(slowest, 1_000_000)

    def test_other_pages_do_not_wait_for_a_big_one_and_the_numbers_stay_right(self):
        script, session = self.crawl_of(pages(4))
        big, a, b, c = session.take(4)
        session.step(0, done(big, self.chunks()), done(a, [chunk([page(77)])]))
        session.step(0, done(b, [chunk([page(77), page(78)])], outcome="page"))
        session.step(0, done(c, self.chunks(), outcome="error"))
        list(self.replies_until_all_are_in(session))
        crawl = script.look()
        self.assertEqual([(number, record["url"], record["new_links"]) for number, record in crawl.records],
                         [(2, a, "1"), (3, b, "1"), (1, big, "3000"), (4, c, "0")])
        self.assertEqual(crawl.urls[page(77)], ("q", 2, ["2", "3"]))

    def test_another_page_may_be_given_up_while_a_big_one_waits(self):
        script, session = self.crawl_of(pages(2), max_lost=1)
        [big] = session.take()
        for results in ((), (), (done(big, self.chunks()),)):
            script.pass_time(1)
            dies = script.open()
            self.assertEqual(dies.take() or dies.take(), [page(1)])
            script.pass_time(31)
            session.step(0, *results)
        list(self.replies_until_all_are_in(session))
        self.assertEqual([(number, record["outcome"]) for number, record in script.look().records],
                         [(2, "failed"), (1, "page")])

    def test_a_big_page_counts_for_max_pages_before_its_record_is_there(self):
        _, session = self.crawl_of(pages(3), max_pages=2)
        [item] = session.step(9, done(session.take()[0], self.chunks())).items
        reply = session.step(9, done(item.url))
        self.assertEqual((reply.items, reply.wait, reply.state), ([], 0, "running"))
        *_, reply = self.replies_until_all_are_in(session, 9)
        self.assertEqual((reply.items, reply.state, reply.records), ([], "max_pages", 2))

    def test_while_very_many_links_wait_no_pages_are_handed_out(self):
        script, session = self.crawl_of(pages(10))
        urls = session.take(5)
        chunks = [chunk([f"http://host:80/{page}/{number}" for number in range(500)]) for page in range(25)]
        reply = session.step(5, *(done(url, chunks) for url in urls))  # 125 chunks, of which this call puts two in
        self.assertEqual((reply.items, reply.wait), ([], 0))
        while self.client.call("LLEN", script.key("links")) > 100:
            reply = session.step(5)
        self.assertEqual(len(reply.items), 5)


class Ends(ScriptTest):
    PLAYS = """
        a crawl is complete when all is done: h0-1 taken=2
            1 done h0 -> state=running
            1 done h1 -> state=complete wait=-1 unfinished=0
        a crawl ends at max_pages: h0-8 max_pages=4 taken=3 other=b
            b: 3 -> h3
            b: 3 -> wait=-1 state=running
            3 done h0 outcome=disallowed, done h1 -> h4     # what robots.txt forbids isn't fetched
            3 done h2, done h4 -> state=running
            b: 3 done h3 outcome=error -> wait=-1 state=max_pages records=5
        a lost page counts once for max_pages: h0-2 max_pages=1 taken=1 other=b
            b: 1 ->
            +30.1 b: 1 -> h0
            b: 1 done h0 -> state=max_pages
        with max_pages, a session waits for a host that is ready later: h0-8 max_pages=4
            9 hold h 300 -> wait=300
    """

    def test_a_crawl_without_roots_is_complete(self):
        self.assertEqual(self.script().raw_open()[2:4], ["complete", "0"])

    def test_only_one_session_writes_the_report(self):
        script, a = self.crawl_of(pages(1))
        b = script.open()
        for session in (b, a, b):  # also if the answer was lost
            self.assertEqual(script.call("report", session.name), b.name)

    def test_the_history_says_who_came_and_went(self):
        script, a = self.crawl_of(pages(3))
        b = script.open(name="another process")
        b.take(2)
        a.close()
        script.pass_time(31)
        script.open().step(0)
        events = [invariants.pairs(fields) for _, fields in self.client.call("XRANGE", script.key("history"), "-", "+")]
        self.assertEqual([(event["what"], event["name"], event["urls"]) for event in events],
                         [("came", "test", "0"), ("came", "another process", "0"), ("left", "test", "0"),
                          ("lost", "another process", "2"), ("came", "test", "0")])

    def test_the_last_to_leave_and_the_next_to_come_sweep_dead_sessions(self):
        for sweep in self.each([lambda script, last: last.close(), lambda script, last: script.open(old=last.name)]):
            script, last = self.crawl_of(pages(1))
            script.open()
            last.step(0, *map(done, last.take()))
            for _ in range(4):
                script.pass_time(10)
                last.say(last.seq)  # a repeated call sweeps nothing
            self.assertEqual(len(script.look().sessions), 2)
            sweep(script, last)
            self.assertLessEqual(len(script.look().sessions), 1)


class Strangers(ScriptTest):
    def refused(self, pattern, call, *words):
        """Such a call is refused, and nothing is written."""
        before = self.everything()
        with self.assertRaisesRegex(resp.RedisError, pattern):
            call(*words)
        self.assertEqual(self.everything(), before)

    def raw_open(self, **more):
        Script(self.client).raw_open([chunk(pages(1), 0, what="r")], **more)

    def eval(self, *words):
        return self.client.call("EVAL", TEXT, 1, "{crawl}:meta", *words)

    def test_another_program_s_keys_are_left_alone(self):
        names = ("meta", "urls", "hosts", "ready", "parked", "sessions", "records", "links", "rules", "history",
                 "inbox", "suspects", "given_up")
        for name, command in [("meta", ["HSET", "x", "y"]), *[(name, ["SET", "x"]) for name in names]]:
            self.client.call("FLUSHALL")
            self.client.call(command[0], f"{{crawl}}:{name}", *command[1:])
            self.refused(f"^FOREIGN {{crawl}}:{name} is there, and is no crawl of stage3", self.raw_open)

    def test_a_crawl_of_another_version_is_left_alone(self):
        self.client.call("HSET", "{crawl}:meta", "format", "0", "settings", "{}")
        self.refused(f"^FORMAT the crawl has format 0, and not {FORMAT}", self.raw_open)
        for operation in ("look", "step", "close", "report", "retry", "put", "sent", "finish"):
            self.refused("^FORMAT the crawl has format 0", self.eval, operation, "1-0", 1, 1)
        self.client.call("FLUSHALL")
        self.refused("^FORMAT", functools.partial(self.raw_open, format=FORMAT + "0"))  # the script doesn't speak it

    def test_a_call_that_began_and_never_ended_is_seen(self):
        self.client.call("HINCRBY", "{crawl}:meta", "begun", 1)
        self.refused("^HALF {crawl}:meta has a call", self.eval, "look", FORMAT, "{}")  # even without a crawl
        self.client.call("FLUSHALL")
        _, session = self.crawl_of(pages(2))
        self.client.call("HINCRBY", "{crawl}:meta", "begun", 1)
        for operation in ("look", "open"):
            self.refused("^HALF {crawl}:meta has a call", self.eval, operation, FORMAT, "{}")
        for operation in ("step", "close", "report", "retry", "put", "sent", "finish"):
            self.refused("^HALF {crawl}:meta has a call", self.eval, operation, session.name, 1, 1)
        self.client.call("HDEL", "{crawl}:meta", "begun", "ended")  # as before calls were counted
        self.assertEqual(session.take(2), pages(2))

    def test_a_call_that_fails_in_the_middle_is_seen(self):
        script, session = self.crawl_of(pages(1))
        script.clock_stands = False
        with self.assertRaisesRegex(resp.RedisError, "a nil value"):
            session.step(1, ["nonsense"])
        with self.assertRaisesRegex(resp.RedisError, "^HALF"):
            session.step(1)
        self.scripts.clear()

    def test_look_writes_nothing_nor_does_who_has_other_settings(self):
        self.assertEqual(self.eval("look", FORMAT, "{}"), ["ok"])
        self.assertEqual(self.everything(), {})
        script, _ = self.crawl_of(pages(1))
        script.clock_stands = False
        before = self.everything()
        self.assertEqual(self.eval("look", FORMAT, "{}"), ["ok"])
        self.assertEqual(self.eval("look", FORMAT, "others"), ["settings", "{}"])
        self.assertEqual(script.raw_open([chunk(pages(3), 0, what="r")], settings="{others}"), ["settings", "{}"])
        self.assertEqual(self.everything(), before)

    def test_a_user_without_all_permissions_is_refused(self):
        """Redis would stop the script halfway, when it had already written something."""
        if int(self.client.call("INFO", "server").split("redis_version:")[1].split(".")[0]) < 7:
            self.skipTest("before Redis 7, a script can't know")
        for forbidden in ("xadd", "zpopmin", "hset", "lpop"):
            self.client.call("ACL", "SETUSER", "weak", "reset", "on", ">guess", "~*", "+@all", "-" + forbidden)
            with redis.client() as weak:
                weak.call("AUTH", "weak", "guess")
                with self.assertRaisesRegex(resp.RedisError, f"^NOPERM this user may not call {forbidden.upper()}"):
                    Script(weak, "crawl").raw_open([chunk(pages(1), 0, what="r")])
        self.assertEqual(self.everything(), {})

    def test_the_remains_of_a_crawl_that_was_removed_by_hand_do_no_harm(self):
        old = self.script("server0", servers=2)
        session = old.open(*pages(3), *pages(2, "other:80"))
        session.step(0, done(session.take()[0], [], [(1, chunk(pages(1, "far:80")))]))
        for key in self.client.call("KEYS", "*"):
            if not key.startswith(("{server0}:queue:", "{server0}:outbox:")):  # these are forgotten
                self.client.call("DEL", key)
        session = old.open(page(7))
        self.assertEqual(session.take(9), [page(7)])
        self.assertEqual(old.look().outboxes, {})
        session.step(0, done(page(7), [chunk(pages(1, "other:80"))]))
        self.assertEqual(session.take(9), pages(1, "other:80"))

    def test_when_memory_is_full_no_call_is_half_done(self):
        script, session = self.crawl_of(pages(3))
        [url] = session.take()
        used = next(line for line in self.client.call("INFO", "memory").splitlines() if line.startswith("used_memory:"))
        self.client.call("CONFIG", "SET", "maxmemory", int(used.split(":")[1]) // 2)
        self.addCleanup(self.client.call, "CONFIG", "SET", "maxmemory", 0)
        script.clock_stands = False
        self.refused("OOM", session.step, 1, done(url, [chunk([page(9)])]))
        self.refused("OOM", script.raw_open)
        self.assertEqual(script.call("sent", 1, "+")[0], "running")  # which makes room
        self.assertEqual(session.close()[0], "ok")
        self.client.call("CONFIG", "SET", "maxmemory", 0)
        self.assertEqual(script.open().take(), [url])


class Checks(ScriptTest):
    """What is to be checked, and not followed."""

    PLAYS = """
        a check waits until nothing is left to follow: h0-1 taken=2
            5 done h0 > h10-11 depth=0 why=cg > h3 -> h3 unfinished=4
            5 done h3 ->
            done h1
            5 -> h10-11 why=cg
            1 done h10-11 outcome=file -> state=complete
        a link turns a check into a page: h0-1 taken=2
            done h0 > h10 depth=0 why=cg
            5 done h1 > h10 -> h10 why=fa depth=1
            5 done h10 > h11 why=cg -> unfinished=1 known=4
            5 -> h11
        what is met while checking is checked at once: h0 taken=1
            done h0 > h10 depth=0 why=cg
            1 -> h10
            5 done h10 outcome=redirect > h11 depth=0 what=r why=cg -> h11
        an item of a foreign host is only for foreign workers, and one at a time: h0 foreign_delay=2 taken=1
            9+9 done h0 > f0-2 g0-2 why=xa ->
            9/9 -> ~ f0 g0
            began f0, began g0
            0/9 ->
            done f0 outcome=file, done g0 outcome=file
            0/9 ->
            +2 0/1 -> 1
        who waits foreign is not told of work at home: h0-1 taken=1
            0/9 -> wait=-1
            done h0 > f0 why=xa
            0/9 -> f0
        foreign items count towards max_pages: h0 max_pages=2 taken=1
            done h0 > a0 b0 c0 why=xa
            0/5 -> 1
    """

    def test_a_thousand_checks_become_work_in_several_calls(self):
        _, session = self.crawl_of(pages(1))
        chunks = [chunk([page(100 * n + m) for m in range(100, 200)], 0, why="cg") for n in range(25)]
        session.step(0, done(session.take()[0], chunks))
        replies = [session.step(3000) for _ in range(10)]
        self.assertEqual([len(reply.items) for reply in replies if reply.items], [1000, 1000, 500])
        self.assertEqual([reply.wait for reply in replies], [0] * 4 + [-1] * 6)

    def test_places_are_kept_with_their_page_once(self):
        script, session = self.crawl_of(pages(2))
        first, second = session.take(2)
        session.step(0, done(first, places="ids 1 2\nhttp://h:80/1\tx"))
        session.step(0, done(first, places="none"))  # it isn't held any more
        session.step(0, done(second, places="none"))
        self.assertEqual(self.client.call("LRANGE", script.key("places"), 0, -1),
                         ["1\nids 1 2\nhttp://h:80/1\tx", "2\nnone"])


class Servers(ScriptTest):
    """Several servers, which are several independent crawls in one Redis here."""

    def servers(self, *roots):
        """One for each of these URLs. Returns the servers, and a session on each."""
        servers = [self.script(f"server{number}", servers=len(roots)) for number in range(len(roots))]
        return servers, [server.open(*([root] if root else [])) for server, root in zip(servers, roots)]

    def tell(self, session, url, target, *links, depth=1):
        """A page is done, and has these links to another server."""
        session.step(0, done(url, [], [(target, chunk(links, depth))]))

    def carry(self, servers, source, target, dies=None):
        """Carries source's links to target, as a process does. `dies`: the operation after which the process dies."""
        entries = self.client.call("XRANGE", servers[source].key(f"outbox:{target}"), "-", "+")
        last = self.client.call("HGET", servers[target].key("inbox"), source) or "0-0"
        order = [tuple(map(int, entry.split("-"))) for entry, _ in entries]
        new = [entry for entry, place in zip(entries, order) if place > tuple(map(int, last.split("-")))]
        if new:
            fields = [invariants.pairs(fields) for _, fields in new]
            pages_and_chunks = [word for one in fields for word in (one["page"], one["chunk"])]
            last = servers[target].call("put", source, last, new[-1][0], *pages_and_chunks)
        if entries and dies != "put":
            servers[source].call("sent", target, last)
        return len(new)

    def zeros(self, servers):
        return [tuple(self.client.call("HMGET", server.key("meta"), "unfinished", "created")) for server in servers]

    def unfinished(self, servers):
        return [server.look().number("unfinished") for server in servers]

    def test_links_go_to_other_servers_and_know_their_page(self):
        servers, (at_a, at_b) = self.servers(page(0, "a:80"), None)
        self.assertEqual([server.look().meta["state"] for server in servers], ["running", "idle"])
        [url] = at_a.take()
        at_a.step(0, done(url, [chunk([page(1, "a:80")])], [(1, chunk([page(0, "b:80")], 1))]))
        self.assertEqual(self.zeros(servers[:1]), [("2", "3")])  # including the link in the outbox
        self.assertEqual(self.carry(servers, 0, 1), 1)
        self.assertEqual(self.unfinished(servers), [1, 1])
        [item] = at_b.step(5).items
        self.assertEqual((item.url, item.depth, item.parent), (page(0, "b:80"), 1, "0.1"))
        self.assertEqual(servers[1].look().urls[item.url], ("q", 1, ["0.1"]))

    def test_links_carried_twice_or_by_a_session_that_dies_arrive_once(self):
        (a, b), (at_a, _) = servers, _ = self.servers(page(0, "a:80"), None)
        a.open(*pages(3, "a:80"))
        for number, url in enumerate(at_a.take(3)):
            self.tell(at_a, url, 1, page(number, "b:80"), page(9, "b:80"))
        self.carry(servers, 0, 1, dies="put")
        self.assertEqual(self.unfinished(servers), [3, 4])
        # Another process has read the outbox before that, and comes too late.
        entries = self.client.call("XRANGE", a.key("outbox:1"), "-", "+")
        words = [word for _, fields in entries for word in (fields[1], fields[3])]
        self.assertEqual(b.call("put", 0, "0-0", entries[-1][0], *words), entries[-1][0])
        self.assertEqual(b.look().urls[page(9, "b:80")].times_met, 3)
        self.assertEqual(self.carry(servers, 0, 1), 0)
        self.assertEqual(self.unfinished(servers), [0, 4])
        a.call("sent", 1, entries[-1][0])  # again, because the answer was lost
        self.assertEqual(self.unfinished(servers), [0, 4])

    def test_only_links_that_have_arrived_are_removed(self):
        (a, b), (at_a, _) = servers, _ = self.servers(page(0, "a:80"), None)
        a.open(page(1, "a:80"))
        first, second = at_a.take(2)
        self.tell(at_a, first, 1, page(0, "b:80"))
        self.carry(servers, 0, 1, dies="put")
        self.tell(at_a, second, 1, page(1, "b:80"))
        last = self.client.call("HGET", b.key("inbox"), "0")
        a.call("sent", 1, last)
        self.assertEqual(len(a.look().outboxes["1"]), 1)
        # Both the last link put in and the last one that arrived are kept, so a server that forgets is noticed.
        has_had = self.client.call("XRANGE", a.key("outbox:1"), "-", "+")[-1][0]
        self.assertEqual(self.client.call("HMGET", a.key("outboxes"), "1", "sent:1"), [has_had, last])
        self.carry(servers, 0, 1)
        self.assertEqual(b.look().number("unfinished"), 2)

    def test_reading_zeros_one_after_the_other_is_no_proof_of_the_end(self):
        servers, (at_a, at_b) = self.servers(None, page(0, "b:80"))
        first_pass = self.zeros(servers[:1])
        self.tell(at_b, at_b.take()[0], 0, page(0, "a:80"))  # while a link goes from the second server to the first
        self.carry(servers, 1, 0)
        first_pass += self.zeros(servers[1:])
        self.assertEqual([unfinished for unfinished, _ in first_pass], ["0", "0"])
        self.assertEqual(self.unfinished(servers), [1, 0])  # so the crawl isn't over at all
        # A process that believes the first pass does no harm to a server that has work.
        self.assertEqual(servers[0].call("finish", 1)[0], "running")
        # The link is done at once, and its own link goes to the second server before that is read again.
        self.tell(at_a, at_a.take()[0], 1, page(1, "b:80"), depth=2)
        self.carry(servers, 0, 1)
        second_pass = self.zeros(servers[:1])
        self.tell(at_b, at_b.take()[0], 0, page(1, "a:80"), depth=3)
        self.carry(servers, 1, 0)
        second_pass += self.zeros(servers[1:])
        self.assertEqual([unfinished for unfinished, _ in second_pass], ["0", "0"])
        self.assertEqual(self.unfinished(servers), [1, 0])
        self.assertNotEqual(first_pass, second_pass)  # `created` differs

    def test_the_end_of_three_servers_is_detected_and_of_one_that_was_believed_to_be_done(self):
        hosts = [f"host{number}:80" for number in range(3)]
        servers, sessions = self.servers(*[page(0, host) for host in hosts])
        for rounds in range(4):
            for me, session in enumerate(sessions):
                for url in session.take(5):
                    others = [(other, chunk([page(rounds + 1, hosts[other])], rounds + 1)) for other in range(3)
                              if other != me and rounds < 3]
                    session.step(0, done(url, [], others))
            for source in range(3):
                for target in range(3):
                    if source != target:
                        self.carry(servers, source, target)
        first, second = self.zeros(servers), self.zeros(servers)
        self.assertEqual([unfinished for unfinished, _ in first], ["0"] * 3)
        self.assertEqual(first, second)
        self.assertEqual({session.step(1).state for session in sessions}, {"idle"})
        self.assertEqual([server.call("finish", 0)[0] for server in servers], ["idle"] * 3)
        self.assertEqual([server.call("finish", 1)[0] for server in servers], ["complete"] * 3)
        self.assertEqual({session.step(1).state for session in sessions}, {"complete"})
        self.assertEqual([len(server.look().records) for server in servers], [4] * 3)

    def test_servers_begin_to_check_when_none_has_anything_to_follow(self):
        servers, (a, b) = self.servers(page(0, "a:80"), page(0, "b:80"))
        a.step(0, done(a.take()[0], [chunk([page(1, "a:80")], 0, why="cg")]))
        self.assertEqual(a.step(5).state, "idle")
        self.assertEqual(servers[0].call("finish", 1)[0], "idle")
        b.step(0, done(b.take()[0]))
        self.assertEqual([server.call("finish", 0)[0] for server in servers], ["running", "idle"])
        self.assertEqual(servers[0].call("finish", 1)[0], "running")
        [url] = a.take()
        a.step(0, done(url, outcome="file"))
        self.assertEqual(servers[0].call("finish", 0)[0], "idle")
        self.assertEqual([server.call("finish", 1)[0] for server in servers], ["complete"] * 2)


if __name__ == "__main__":
    redis_server.skip_if_there_is_none()
    unittest.main()
