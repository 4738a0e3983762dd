#!/usr/bin/env python3
"""frontier.lua by itself: each operation, with its edge cases. After each test the invariants must hold.

    tests/stage3/shared_frontier/script_test.py [-v] [NAME...]

The crawl's clock moves only when a test moves it, so no test waits for anything. schedules_test.py tests calls in any
order.
"""
import sys
import unittest

import invariants
import redis_server
import resp
from script import FORMAT, NEVER, TEXT, Script, chunk, done, park

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

    def each(self, *cases):
        """Each case begins with an empty Redis, and its crawls must keep the invariants."""
        for case in cases:
            self.client.call("FLUSHALL")
            yield case
            self.check_invariants()

    def script(self, name="crawl", **settings):
        script = Script(self.client, name, **settings)
        self.scripts.append(script)
        return script

    def crawl_of(self, urls, **settings):
        """Opens a crawl with these roots, and a session."""
        script = self.script(**settings)
        return script, script.open(*urls)

    def items_after(self, seconds, session, want=1):
        """The items that come after this time, and not a millisecond earlier."""
        session.script.pass_time(seconds - 0.001)
        self.assertEqual(session.take(want), [])
        session.script.pass_time(0.001)
        return session.step(want).items

    def everything(self):
        """All data in Redis, as bytes."""
        keys = sorted(self.client.call("KEYS", "*"))
        return {key: self.client.call("DUMP", key) for key in keys}


class NumberedCalls(ScriptTest):
    def test_repeating_a_number_names_the_items_again_and_changes_nothing(self):
        script, session = self.crawl_of(pages(5))
        first = session.step(2)
        moved = {script.key("meta"): None, script.key("sessions"): None}  # time passes, and the call renews the lease
        before = {**self.everything(), **moved}
        again = session.say(1, 2)
        self.assertEqual(sorted(again.items), sorted(first.items))
        self.assertEqual({**self.everything(), **moved}, before)
        self.assertEqual(script.look().number("held"), 2)

    def test_only_the_items_of_that_call_are_named(self):
        _, session = self.crawl_of(pages(5))
        session.step(2)
        second = session.step(1)
        self.assertEqual(session.say(2, 1).items, second.items)

    def test_results_are_not_counted_twice(self):
        script, session = self.crawl_of(pages(1))
        [url] = session.take()
        results = done(url, [chunk([page(1), page(2)])])
        session.step(0, results)
        again = session.say(2, 0, results)
        self.assertEqual((again.records, again.known, again.unfinished), (1, 3, 2))
        self.assertEqual(script.look().number("stale"), 0)

    def test_a_skipped_or_old_number_means_expired(self):
        script, session = self.crawl_of(pages(5))
        session.step(1)
        session.step(1)
        before = self.everything()
        for number in (1, 4, 100):
            self.assertIsNone(session.say(number, 1))
        after = self.everything()
        self.assertEqual({**after, script.key("meta"): None}, {**before, script.key("meta"): None})
        self.assertIsNotNone(session.say(3, 0))
        self.assertEqual(script.look().number("held"), 2)

    def test_an_unknown_session_has_expired(self):
        script, session = self.crawl_of(pages(1))
        session.name = "7-nobody"
        self.assertIsNone(session.step(1))
        self.assertEqual(script.look().number("held"), 0)

    def test_a_session_replaces_an_old_one(self):
        script, old = self.crawl_of(pages(3))
        held = old.take(2)
        new = script.open(*pages(3), old=old.name)
        self.assertIsNone(old.step(0))
        self.assertEqual(sorted(new.take(2)), sorted(held))  # at once, before the third item
        crawl = script.look()
        self.assertEqual((crawl.number("lost"), crawl.number("known")), (0, 3))

    def test_results_for_items_that_a_session_does_not_hold_are_refused(self):
        script, session = self.crawl_of(pages(2))
        [url] = session.take()
        session.step(0, done(page(1)), park(page(1)), ["back", page(1)], ["began", page(1)],
                     ["rules", page(1), 0, ""], done(url), done(url), ["back", url])
        crawl = script.look()
        self.assertEqual((crawl.number("records"), crawl.number("stale")), (1, 5))

    def test_unknown_operations_and_crawls_are_refused(self):
        script, _ = self.crawl_of(pages(1))
        with self.assertRaisesRegex(resp.RedisError, "^ERR no operation nonsense"):
            script.call("nonsense")
        with self.assertRaisesRegex(resp.RedisError, "^NOCRAWL there is no crawl {nothing}:meta"):
            self.client.call("EVAL", TEXT, 1, "{nothing}:meta", "step", "1-0", 1, 1)
        self.assertEqual(self.client.call("KEYS", "{nothing}*"), [])


class Leases(ScriptTest):
    def test_a_session_s_items_go_to_others_when_its_lease_ends_and_not_before(self):
        script, dies = self.crawl_of(pages(1))
        [url] = dies.take()
        lives = script.open()
        for _ in range(3):
            script.pass_time(9.999)
            self.assertEqual(lives.take(), [])
        script.pass_time(0.003)
        [item] = lives.step(1).items
        self.assertEqual((item.url, item.lost), (url, 1))
        self.assertIsNone(dies.step(0, done(url)))
        self.assertEqual(script.look().records, [])

    def test_each_call_renews_the_lease(self):
        script, session = self.crawl_of(pages(1))
        other = script.open()
        session.take()
        for number in range(12):
            script.pass_time(9)
            if number % 2:
                session.step(0)
            else:
                session.say(session.seq, 0)  # a repeated call renews it, too
            self.assertEqual(other.take(), [])

    def test_a_session_that_calls_late_but_before_any_other_loses_nothing(self):
        script, session = self.crawl_of(pages(1))
        [url] = session.take()
        script.pass_time(1000)
        self.assertIsNotNone(session.step(0, done(url)))
        self.assertEqual(len(script.look().records), 1)

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

    def test_a_lost_process_s_items_come_back_one_by_one(self):
        script, dies = self.crawl_of(pages(8))
        lives = script.open()
        dies.take(8)
        script.pass_time(30.001)
        came = [lives.take(8)]
        for _ in range(7):
            script.pass_time(0.199)
            self.assertEqual(lives.take(8), [])
            script.pass_time(0.001)
            came.append(lives.take(8))
        self.assertEqual([len(urls) for urls in came], [1] * 8)
        self.assertEqual(script.look().number("lost"), 8)

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

    def test_close_gives_items_back_at_once_without_counting_them_as_lost(self):
        script, leaves = self.crawl_of(pages(3))
        held = leaves.step(2).items
        stays = script.open()
        self.assertEqual(leaves.close()[0], "ok")
        again = stays.step(2).items
        self.assertEqual({(item.url, item.lost, item.tries) for item in again},
                         {(item.url, 0, 0) for item in held})
        self.assertIsNone(leaves.step(0))
        self.assertEqual(leaves.close()[0], "expired")  # the answer was lost, and repeating the call changes nothing

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

    def crawl_with_a_suspect(self, others=4, is_tried=True, **settings):
        """Two processes have died while they held a page. Returns a session that is on trial, and may now get it."""
        script = self.script(**settings)
        dies = script.open(page(0))
        for _ in range(2):
            [url] = dies.take()
            dies = self.lose(script)
        lives = script.open(*pages(others + 1), old=dies.name)
        if is_tried:
            self.try_it(lives)
        return script, lives, url

    def try_it(self, session):
        """A session is told that it's on trial before it's given the suspect."""
        reply = session.step(1)
        self.assertEqual((reply.items, reply.on_trial, reply.wait), ([], True, -1))
        return session

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

    def test_a_suspect_is_given_only_to_a_session_that_holds_nothing(self):
        script, session, suspect = self.crawl_with_a_suspect()
        other = script.open()
        [item] = session.step(5).items
        self.assertEqual((item.url, item.lost), (suspect, 2))
        reply = session.step(5)
        self.assertEqual((reply.items, reply.on_trial, reply.wait), ([], True, -1))  # as long as it has that
        self.assertEqual(len(other.take(2)), 2)  # while others go on as usual
        reply = session.step(5, done(suspect))
        self.assertEqual((len(reply.items), reply.on_trial), (2, False))

    def test_a_session_on_trial_is_given_nothing_new_until_it_holds_nothing(self):
        script = self.script()
        busy = script.open(page(0), *pages(4, "busy:80"))
        held = [url for url in busy.take(5) if "busy" in url]
        busy.step(0, ["back", page(0)])
        for _ in range(2):
            script.pass_time(1)
            self.assertEqual(script.open().take(), pages(1))
            script.pass_time(31)
            busy.step(0)
        script.pass_time(1)
        other = script.open(*pages(3, "other:80"))
        reply = busy.step(3)
        self.assertEqual((reply.items, reply.on_trial), ([], True))
        reply = busy.step(3, *map(done, held[:3]))
        self.assertEqual((reply.items, reply.on_trial), ([], True))
        self.assertEqual(other.take(3), pages(3, "other:80"))
        self.assertEqual([item.url for item in busy.step(3, done(held[3])).items], pages(1))

    def test_if_the_session_on_trial_goes_first_another_is_tried(self):
        for way in self.each("leaves", "dies", "begins anew"):
            script, goes, suspect = self.crawl_with_a_suspect(others=0)
            script.open(page(1, "other:80"))
            self.assertEqual(goes.step(1).items[0].url, suspect)
            goes.step(0, ["back", suspect])
            if way == "leaves":
                goes.close()
                stays = script.open()
            elif way == "dies":
                stays = self.lose(script)
            else:
                stays = script.open(old=goes.name)
            [item] = self.try_it(stays).step(1).items
            self.assertEqual((item.url, item.lost), (suspect, 2))

    def test_deaths_at_the_same_time_as_others_are_hardly_evidence(self):
        """What kills several processes at once can't be the page that one of them was fetching."""
        for when in self.each("before", "with", "after"):
            script, session, suspect = self.crawl_with_a_suspect(others=0)
            for _ in range(8):
                self.assertEqual(session.take(), [suspect])
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
        script, session, suspect = self.crawl_with_a_suspect(others=0)
        for _ in range(2):
            self.assertEqual(session.take(), [suspect])
            other = script.open()
            script.pass_time(21)
            session.step(0)
            session = self.lose(script)  # and so is the other
            session.step(1)
        self.assertEqual(script.look().number("given_up"), 1)

    def test_a_suspect_s_host_is_treated_as_politely_as_usual(self):
        script, session, suspect = self.crawl_with_a_suspect(delay=0.5)
        [item] = session.step(1).items
        self.assertEqual((item.url, item.flag), (suspect, "b"))
        other = script.open()
        self.assertEqual(other.take(), [])
        session.step(0, ["began", suspect], park(suspect))
        reply = session.step(1)
        self.assertEqual((reply.items, reply.on_trial, reply.wait), ([], False, 500))
        script.pass_time(0.5)
        self.assertEqual(self.try_it(session).take(), [suspect])

    def test_a_suspect_waits_until_its_host_has_room(self):
        script, session, suspect = self.crawl_with_a_suspect(max_per_host=1)
        other = script.open()
        [url] = other.take(3)
        reply = session.step(1)
        self.assertEqual((reply.items, reply.on_trial), ([], False))
        other.step(0, done(url), ["hold", "h:80", 300])
        script.pass_time(0.299)
        self.assertEqual(session.take(), [])
        script.pass_time(0.001)
        self.assertEqual(self.try_it(session).take(), [suspect])
        self.assertEqual(other.take(3), [])

    def test_a_suspect_s_robots_txt_is_asked_for_alone_too(self):
        script, session, suspect = self.crawl_with_a_suspect(rules=1)
        [item] = session.step(5).items
        self.assertEqual((item.url, item.flag), (suspect, "r"))
        [item] = session.step(5, ["rules", suspect, 0, ""], ["back", suspect]).items
        self.assertEqual((item.url, item.flag), (suspect, "-"))

    def test_max_pages_counts_suspects_exactly(self):
        script, session, suspect = self.crawl_with_a_suspect(max_pages=2)
        other = script.open()
        self.assertEqual(session.take(5), [suspect])
        [url] = other.take(5)
        reply = other.step(5, done(url))
        self.assertEqual((reply.items, reply.state), ([], "running"))
        reply = session.step(5, done(suspect))
        self.assertEqual((reply.items, reply.state), ([], "max_pages"))

    def test_a_session_that_wants_nothing_is_not_tried(self):
        script, session, suspect = self.crawl_with_a_suspect(is_tried=False)
        self.assertFalse(session.step(0).on_trial)
        self.assertEqual(self.try_it(script.open()).take(), [suspect])

    def test_repeating_a_call_names_the_suspect_again(self):
        _, session, suspect = self.crawl_with_a_suspect()
        first = session.step(5)
        again = session.say(session.seq, 5)
        self.assertEqual((again.items, again.on_trial), (first.items, True))
        self.assertEqual(again.items[0].url, suspect)

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
        self.assertEqual((deaths, reply.given_up), (4, 1))
        record = crawl.record(poison)
        self.assertEqual((record["outcome"], record["error"], record["depth"], record["parent"], record["new_links"]),
                         ("failed", "several processes have ended while they fetched only it", "0", "-", "0"))
        self.assertEqual((crawl.number("given_up"), crawl.number("dead"), crawl.number("records")), (1, 1, 8))
        self.assertEqual([record["outcome"] for _, record in crawl.records if record["url"] != poison], ["page"] * 7)
        self.assertEqual(crawl.number("lost"), 8 + 3)  # so each of the others was held once by a session that died

    def test_what_was_given_up_may_be_tried_again(self):
        script, session, suspect = self.crawl_with_a_suspect(others=0)
        self.give_up(script, session)
        session = script.open(page(1))
        reply = session.step(0, *map(done, session.take()))
        self.assertEqual((reply.state, reply.records, reply.dead, reply.given_up), ("complete", 2, 1, 1))
        self.assertEqual(script.call("report", session.name), session.name)
        for _ in range(2):  # the answer is lost, and repeating the call changes nothing
            self.assertEqual(script.call("retry"), ["running", "1", "1", "2", "0", "0", "0", "0"])
            self.assertIsNone(script.look().record(suspect))
            self.assertEqual(script.broken(), [])
        again = self.try_it(script.open())
        [item] = again.step(5).items
        self.assertEqual((item.url, item.lost, item.depth, item.redirects, item.parent), (suspect, 2, 0, 10, "-"))
        reply = again.step(5, done(suspect, [chunk([page(9)])]))
        self.assertEqual([item.url for item in reply.items], [page(9)])
        self.assertEqual(script.look().urls[page(9)].pages, ["3"])  # the number of the withdrawn record isn't used again
        reply = again.step(0, done(page(9)))
        self.assertEqual((reply.state, reply.records, reply.dead, reply.given_up), ("complete", 3, 0, 0))
        self.assertEqual(script.call("report", again.name), again.name)  # there is another report

    def test_what_was_given_up_twice_has_one_record(self):
        script, session, suspect = self.crawl_with_a_suspect(others=0)
        for _ in range(2):
            self.assertEqual(self.give_up(script, session), 2)
            self.assertEqual(len(script.look().records), 1)
            self.assertEqual(script.broken(), [])
            script.call("retry")
            session = script.open()

    def test_retrying_makes_room_for_max_pages(self):
        script, session, suspect = self.crawl_with_a_suspect(others=2, max_pages=1)
        self.give_up(script, session)
        self.assertEqual(script.open().step(5).state, "max_pages")
        self.assertEqual(script.call("retry")[0], "running")
        session = self.try_it(script.open())
        self.assertEqual(session.take(5), [suspect])
        self.assertEqual(session.step(5, done(suspect)).state, "max_pages")


class Hosts(ScriptTest):
    def test_max_per_host_covers_all_sessions(self):
        script, a = self.crawl_of(pages(5) + pages(1, "other:80"), max_per_host=2)
        b = script.open()
        first = a.take(1) + [url for url in b.take(9)]
        self.assertEqual(sum("//h:80/" in url for url in first), 2)
        self.assertIn(page(0, "other:80"), first)
        self.assertEqual(a.take(9), [])
        mine = next(url for url in first if "//h:80/" in url)
        self.assertEqual(len(a.step(9, done(mine)).items), 1)

    def test_hosts_take_turns(self):
        urls = [page(number, host) for host in ("a:80", "b:80", "c:80") for number in range(20)]
        _, session = self.crawl_of(urls)
        taken = session.take(6) + session.take(3) + session.take(1) + session.take(2)
        for host in ("a:80", "b:80", "c:80"):
            self.assertEqual(sum(f"//{host}/" in url for url in taken), 4)

    def test_a_host_that_was_asked_goes_after_one_that_was_not(self):
        script, session = self.crawl_of(pages(10, "a:80"))
        first = session.take()
        script.pass_time(1)
        session.step(0, done(first[0], [chunk(pages(10, "b:80"))]))
        script.pass_time(1)
        hosts = [url.split("/")[2] for _ in range(6) for url in session.take()]
        self.assertEqual(sorted(hosts[:2]), ["a:80", "b:80"])
        self.assertEqual(hosts[2:], 2 * hosts[:2])

    def test_a_delay_is_counted_from_the_beginning_of_a_request(self):
        script, session = self.crawl_of(pages(3), delay=0.5)
        [item] = session.step(3).items  # one, although three were wanted
        self.assertEqual(item.flag, "b")
        script.pass_time(5)
        self.assertEqual(session.step(1).items, [])  # as long as the item hasn't begun
        self.assertEqual(session.step(1, ["began", item.url]).wait, 500)
        script.pass_time(0.4999)
        self.assertEqual(session.step(1).items, [])
        script.pass_time(0.0001)
        [second] = session.step(1).items
        session.step(0, done(item.url))
        self.assertEqual(session.step(1, ["began", second.url]).items, [])

    def test_an_item_that_never_begins_delays_its_host_from_its_end(self):
        for way in self.each(done, lambda url: ["back", url], lambda url: park(url, 100)):
            script, session = self.crawl_of(pages(3), delay=0.5)
            [url] = session.take()
            script.pass_time(5)
            self.assertEqual(session.step(1, way(url)).items, [])
            script.pass_time(0.5)
            self.assertEqual(len(session.take()), 1)

    def test_an_item_whose_process_dies_first_does_not_block_its_host(self):
        script, dies = self.crawl_of(pages(3), delay=0.5)
        lives = script.open()
        dies.take()
        script.pass_time(30.1)
        self.assertEqual(lives.take(), [])  # since the item may have just begun
        script.pass_time(0.5)
        self.assertEqual(len(lives.take()), 1)

    def test_a_host_may_want_a_longer_delay(self):
        script, session = self.crawl_of(pages(4), delay=0.1)
        [url] = session.take()
        session.step(0, ["delay", "h:80", 2000], ["began", url], done(url))
        script.pass_time(1.9)
        self.assertEqual(session.take(), [])
        script.pass_time(0.1)
        [url] = session.take()
        session.step(0, ["delay", "h:80", 1], ["began", url], done(url))  # a shorter delay doesn't count
        self.assertEqual(len(self.items_after(0.1, session)), 1)

    def test_a_host_that_is_held_hands_out_nothing(self):
        script, session = self.crawl_of(pages(4) + pages(1, "other:80"))
        session.step(0, ["hold", "h:80", 400])
        self.assertEqual(session.take(4), [page(0, "other:80")])
        self.assertEqual(session.step(1).wait, 400)
        session.step(0, ["hold", "h:80", 100])  # doesn't make the hold shorter
        self.assertEqual(len(self.items_after(0.4, session, 4)), 4)

    def test_a_disallowed_url_costs_no_pause(self):
        """robots.txt forbids the URL, so its host wasn't asked for anything."""
        _, session = self.crawl_of(pages(3), delay=0.5)
        [url] = session.take()
        self.assertEqual(len(session.step(1, done(url, outcome="disallowed")).items), 1)

    def test_a_hold_is_kept_though_an_earlier_item_begins_after_it(self):
        script, session = self.crawl_of(pages(4), delay=0.01)
        [url] = session.take()
        session.step(0, ["hold", "h:80", 400])
        session.step(0, ["began", url])
        self.assertEqual(len(self.items_after(0.4, session)), 1)

    def test_another_request_to_the_host_starts_the_delay(self):
        script, session = self.crawl_of(pages(4), delay=0.5)
        session.step(0, ["asked", "h:80"])
        self.assertEqual(len(self.items_after(0.5, session)), 1)

    def test_an_item_that_is_put_off_comes_back_at_its_time(self):
        script, session = self.crawl_of(pages(3))
        [url] = session.take()
        reply = session.step(5, park(url, 1.5))
        self.assertEqual(len(reply.items), 2)
        self.assertEqual(reply.wait, 1500)
        [item] = self.items_after(1.5, session)
        self.assertEqual((item.url, item.tries, item.lost), (url, 1, 0))


class Refusals(ScriptTest):
    """What hosts say about our pace. Its numbers, and what interrupts refusals, are pace_test.py's concern."""

    def refuse(self, item, seconds=0.0, how="refused", refusals=1):
        """The results for an item that its host has refused, and when it may come back."""
        milliseconds = round(seconds * 1000)
        return [how, item.host, item.url, milliseconds], park(item.url, seconds, item.tries, refusals)

    def pace(self, script, host="h:80"):
        return script.look().hosts[host].pace

    def slow_crawl(self, seconds=1.0, count=40, **settings):
        """A host that has refused at about 10 a second; its next request, which has begun, is answered next."""
        script, session = self.crawl_of(pages(count), **settings)
        items = session.step(10).items
        script.pass_time(1)
        session.step(0, *map(done, [item.url for item in items[:9]]), *self.refuse(items[9], seconds))
        script.pass_time(seconds)
        [item] = session.step(5).items
        session.step(0, ["began", item.url])
        return script, session, item

    def test_a_refusal_holds_its_host_for_all_and_then_one_request_at_a_time_goes_out(self):
        script, session = self.crawl_of(pages(20))
        other = script.open()
        first = session.step(5).items
        reply = session.step(3, *self.refuse(first[0], 0.7), *(done(item.url) for item in first[1:]))
        self.assertEqual((reply.items, reply.holds), ([], 1))
        self.assertEqual(other.step(3).holds, 1)
        [item] = self.items_after(0.7, other, 3)
        self.assertEqual((item.url, item.flag), (first[0].url, "b"))  # what was put off goes first
        self.assertEqual(session.take(3), [])

    def test_a_refusal_of_what_a_session_no_longer_holds_holds_the_host(self):
        script, session = self.crawl_of(pages(3))
        other = script.open()
        [item] = session.step(1).items
        other.step(0, ["refused", "h:80", item.url, 300])
        self.assertEqual(session.take(), [])
        self.assertIsNone(self.pace(script))

    def test_items_know_how_often_they_were_refused_and_which_refusal_they_came_after(self):
        _, session = self.crawl_of(pages(3))
        [item] = session.step(1).items
        self.assertEqual((item.tries, item.refusals, item.epoch), (0, 0, 0))
        [item] = session.step(1, *self.refuse(item)).items
        self.assertEqual((item.url, item.tries, item.refusals, item.epoch), (page(0), 0, 1, 1))
        session.step(0, ["began", item.url])
        [item] = session.step(1, *self.refuse(item, refusals=20)).items
        self.assertEqual((item.refusals, item.epoch), (20, 2))

    def test_refusals_survive_the_death_of_a_process(self):
        script, dies = self.crawl_of(pages(1))
        [item] = dies.step(1).items
        dies.step(1, *self.refuse(item, refusals=7))
        lives = script.open()
        script.pass_time(31)
        [item] = lives.step(1).items
        self.assertEqual((item.refusals, item.lost), (7, 1))

    def test_the_first_request_after_a_refusal_sets_the_distance(self):
        script, session, item = self.slow_crawl()
        pace = self.pace(script)
        self.assertAlmostEqual(pace.rate, 9 / 2, delta=0.01)
        self.assertAlmostEqual(pace.refused_at, 1.5 * 9 / 2, delta=0.01)
        self.assertFalse(pace.measures)
        distance = 1 / pace.rate
        session.step(0, done(item.url))
        script.pass_time(distance - 0.01)
        self.assertEqual(session.take(5), [])
        script.pass_time(0.01)
        [item] = session.step(5, ahead=5).items  # one, although the window has room for two
        self.assertEqual(item.flag, "b")
        script.pass_time(10)
        self.assertEqual(session.take(5), [])  # since it hasn't begun
        session.step(0, ["began", item.url])
        script.pass_time(distance)
        self.assertEqual(len(session.take(5)), 1)

    def test_all_sessions_share_the_window(self):
        script, session, item = self.slow_crawl()
        other = script.open()
        script.pass_time(10)
        self.assertEqual(other.take(3), [])
        session.step(0, done(item.url))
        script.pass_time(1)
        [url] = other.take(3)
        other.step(0, ["began", url])
        script.pass_time(1)
        self.assertEqual(len(session.take(3)), 1)
        self.assertEqual(other.take(3), [])

    def test_a_window_without_a_distance_gives_none_ahead(self):
        script, session = self.crawl_of(pages(9))
        [item] = session.step(1).items
        session.step(0, *self.refuse(item))  # without an answer, there is no rate
        [item] = session.step(3).items
        session.step(0, ["began", item.url], done(item.url))
        self.assertEqual(session.step(0, ahead=5).items, [])
        self.assertEqual(len(session.step(5, ahead=5).items), 2)

    def test_what_has_not_begun_was_not_refused(self):
        script, session = self.crawl_of(pages(3), delay=0.5)
        [item] = session.step(1).items
        session.step(0, *self.refuse(item))
        self.assertIsNone(self.pace(script))

    def test_later_refusals_call_nothing_back(self):
        """There is nothing of that host ahead any more, and what is ahead of others may stay."""
        _, session, item = self.slow_crawl()
        before = session.step(0).holds
        self.assertEqual(session.step(0, *self.refuse(item)).holds, before)

    def test_what_stays_unanswered_changes_no_pace(self):
        script, session = self.crawl_of(pages(9))
        [url] = session.take()
        session.step(0, park(url, reaction="-"))
        self.assertEqual(script.look().hosts["h:80"].answers, 0)
        [url] = session.take()
        session.step(0, park(url, reaction="a"))  # 502
        [url] = session.take()
        session.step(0, done(url, outcome="failed", reaction="-"))
        self.assertEqual(script.look().hosts["h:80"].answers, 1)

    # ---- Hosts that are asked nothing more ----

    REASON = "its server asked to come back in 3600 s"

    def unasked(self, item):
        return done(item.url, outcome="unclear", status="", tries=item.tries, reaction="-", error=item.reason)

    def test_a_host_that_ends_hands_out_all_at_once_with_the_reason(self):
        script, session = self.crawl_of(pages(9) + pages(2, "other:80"), delay=5)
        [first] = [item for item in session.step(2).items if item.host == "h:80"]
        other = script.open()
        reply = session.step(0, ["began", first.url], ["end", "h:80", self.REASON], ["end", "h:80", "twice"])
        self.assertEqual(reply.holds, 1)
        some = other.step(4, ahead=2).items
        items = some + session.step(9).items
        self.assertEqual({(item.host, item.flag, item.reason) for item in items}, {("h:80", "e", self.REASON)})
        self.assertEqual(len(items), 8)
        self.assertEqual(sorted(other.say(1).items), sorted(some))  # if the answer is lost
        self.assertEqual(script.look().ended, {"h:80": self.REASON})
        session.step(0, done(first.url))  # what was under way ends as it ends
        self.assertEqual(script.look().record(first.url)["outcome"], "page")

    def test_the_urls_of_a_host_that_has_ended_count_for_nothing_that_is_asked(self):
        script, session = self.crawl_of(pages(5) + pages(2, "other:80"), max_pages=2)
        session.step(0, ["end", "h:80", self.REASON])
        for _ in range(3):
            session.step(0, *map(self.unasked, [item for item in session.step(2).items if item.flag == "e"]))
        self.assertEqual(script.look().number("counted"), 0)
        self.assertEqual(session.step(2).state, "running")

    def test_what_was_put_off_comes_out_when_its_host_ends(self):
        script, session = self.crawl_of(pages(3))
        first, second = session.step(2).items
        session.step(0, *self.refuse(first, 30))
        self.assertEqual([item.url for item in session.step(1, ["end", "h:80", self.REASON]).items], [first.url])
        self.assertEqual([item.url for item in session.step(2, park(second.url, 50)).items], [second.url, page(2)])

    def test_what_is_ahead_comes_out_again_with_the_reason(self):
        _, session = self.crawl_of(pages(3))
        ahead = session.step(1, ahead=2).items[1:]
        items = session.step(2, ["end", "h:80", self.REASON], *(["back", item.url] for item in ahead)).items
        self.assertEqual(sorted(item.url for item in items), [item.url for item in ahead])
        self.assertEqual({item.flag for item in items}, {"e"})

    def test_a_host_that_refuses_everything_for_too_long_ends(self):
        script, session = self.crawl_of(pages(5), refused_timeout=10)
        first, item = session.step(2).items
        session.step(0, *self.refuse(first))
        script.pass_time(9.9)
        session.step(0, *self.refuse(item))
        self.assertEqual(script.look().ended, {})
        [item] = session.step(1).items
        session.step(0, ["began", item.url])
        script.pass_time(0.1)
        [again, *_] = session.step(5, *self.refuse(item)).items
        self.assertEqual((again.flag, again.reason), ("e", "its server has refused everything for 10 s"))

    def test_robots_txt_may_end_its_host(self):
        for answer in self.each([], ["rules", page(0), 500, "no"]):
            _, session = self.crawl_of(pages(3), rules=1)
            [item] = session.step(1).items
            self.assertEqual((item.url, item.flag), (page(0), "r"))
            reply = session.step(5, ["end", "h:80", self.REASON], answer, ["back", item.url])
            self.assertEqual([one.flag for one in reply.items], ["e"] * 3)

    def test_a_foreign_host_may_end(self):
        _, session = self.crawl_of(pages(1))
        [url] = session.take()
        session.step(0, done(url, [chunk(pages(3, "x:80"), why="xa")]))
        session.step(0, ["end", "x:80", self.REASON])
        self.assertEqual([item.flag for item in session.step(0, abroad=3).items], ["e"] * 3)

    # ---- A delay that robots.txt wants ----

    def test_a_delay_from_robots_txt_counts_from_the_end_of_a_request_to_the_next(self):
        for leave in self.each(done, park, lambda url: ["back", url]):
            script, session = self.crawl_of(pages(3))
            session.step(0, ["delay", "h:80", 500])
            script.pass_time(0.5)
            [url] = session.take(3)
            session.step(0, ["began", url])
            script.pass_time(7)
            self.assertEqual(session.step(3, leave(url)).items, [])
            self.assertEqual(len(self.items_after(0.5, session, 3)), 1)

    def test_with_max_per_host_it_counts_from_the_start(self):
        script, session = self.crawl_of(pages(5), max_per_host=2)
        session.step(0, ["delay", "h:80", 500])
        script.pass_time(0.5)
        for _ in range(2):
            [url] = session.take(3)
            session.step(0, ["began", url])
            script.pass_time(0.5)
        self.assertEqual(session.take(3), [])  # two are under way
        self.assertEqual(len(session.step(3, done(url)).items), 1)

    def test_the_first_page_comes_a_delay_after_the_delay_is_known(self):
        script, session = self.crawl_of(pages(3))
        session.step(0, ["delay", "h:80", 500])
        script.pass_time(0.499)
        self.assertEqual(session.take(3), [])
        session.step(0, ["delay", "h:80", 500])  # it's known
        script.pass_time(0.001)
        self.assertEqual(len(session.take(3)), 1)


class Robots(ScriptTest):
    def test_only_one_session_asks_and_its_answer_opens_the_gate(self):
        script, a = self.crawl_of(pages(4) + pages(4, "other:80"), rules=1)
        b = script.open()
        items = a.step(10).items
        self.assertEqual([item.flag for item in items], ["r", "r"])
        self.assertEqual({item.host for item in items}, {"h:80", "other:80"})
        self.assertEqual(b.take(10), [])
        first = next(item for item in items if item.host == "h:80")
        a.step(0, ["rules", first.url, 0, "User-agent: *\nDisallow: /é\n"])
        more = b.step(10).items
        self.assertEqual([(item.host, item.flag) for item in more], [("h:80", "-")] * 3)
        self.assertEqual(script.look().rules, {"h:80": "User-agent: *\nDisallow: /é\n"})

    def test_if_a_process_dies_while_it_asks_another_asks(self):
        script, dies = self.crawl_of(pages(2), rules=1)
        lives = script.open()
        dies.take()
        script.pass_time(30.1)
        [item] = lives.step(2).items
        self.assertEqual(item.flag, "r")
        self.assertIsNone(dies.step(0, ["rules", item.url, 0, ""]))
        self.assertEqual(lives.take(), [])

    def test_if_a_page_comes_back_without_an_answer_robots_txt_is_asked_for_again(self):
        for way in self.each(lambda url: ["back", url], park, lambda url: done(url, outcome="failed")):
            script, session = self.crawl_of(pages(2), rules=1)
            [url] = session.take()
            [item] = session.step(2, way(url)).items
            self.assertEqual(item.flag, "r")

    def test_with_a_delay_the_request_after_robots_txt_s_page_has_to_wait(self):
        script, session = self.crawl_of(pages(3), rules=1)
        [url] = session.take()
        session.step(0, ["rules", url, 500, "Crawl-delay: 0.5"])
        script.pass_time(5)
        self.assertEqual(session.take(), [])  # the page itself is still to be asked for
        session.step(0, ["began", url])
        script.pass_time(5)
        self.assertEqual(session.take(), [])  # one at a time
        session.step(0, done(url))
        [item] = self.items_after(0.5, session)
        self.assertEqual(item.flag, "b")

    def test_with_a_delay_the_page_may_be_given_back_until_its_turn(self):
        script, session = self.crawl_of(pages(3), rules=1, delay=0.5)
        [url] = session.take()
        self.assertEqual(session.step(1, ["rules", url, 0, ""], ["back", url]).items, [])
        [item] = self.items_after(0.5, session)
        self.assertEqual((item.url, item.flag), (url, "b"))

    def test_with_a_delay_no_session_asks_again_at_once(self):
        script, session = self.crawl_of(pages(3), rules=1, delay=0.5)
        [url] = session.take()
        self.assertEqual(session.step(1, ["back", url]).items, [])  # since it may have asked already
        script.pass_time(0.5)
        self.assertEqual([item.flag for item in session.step(1).items], ["r"])

    def test_the_first_rules_are_kept(self):
        script, session = self.crawl_of(pages(3), rules=1)
        [url] = session.take()
        session.step(0, ["rules", url, 0, "first"], ["rules", url, 0, "second"])
        self.assertEqual(script.look().rules, {"h:80": "first"})

    def test_after_a_day_one_session_asks_again(self):
        script, a = self.crawl_of(pages(9), rules=1)
        [url] = a.take()
        a.step(0, ["rules", url, 0, "old"], done(url))
        for hours in (12, 11.99, 0.02):
            [item] = a.step(1).items
            self.assertEqual(item.flag, "-")
            a.step(0, done(item.url))
            script.pass_time(hours * 3600)
        a, b = script.open(), script.open()  # the lease has ended
        [item] = a.step(5).items
        self.assertEqual((item.flag, b.take(5)), ("r", []))
        a.step(0, ["rules", item.url, 0, "new"])
        self.assertEqual([item.flag for item in b.step(9).items], ["-"] * 4)
        self.assertEqual(script.look().rules, {"h:80": "new"})
        self.assertEqual(script.broken(), [])

    def test_max_per_host_holds_after_robots_txt_too(self):
        _, session = self.crawl_of(pages(5), rules=1, max_per_host=2)
        [url] = session.take(5)
        self.assertEqual(len(session.step(5, ["rules", url, 0, ""]).items), 1)


class Orders(ScriptTest):
    def urls(self, *names):
        return [f"http://h:80/{name}" for name in names]

    def taken(self, order, back=()):
        """The order in which items are taken if the first two come back in the way that `back` says."""
        _, session = self.crawl_of(self.urls("ccc", "a", "bb", "d", "ee"), order=order)
        first = session.take(2)
        results = [["back", url] for url in reversed(first)] if back == "back" else []
        results += [park(url) for url in first] if back == "park" else []
        session.step(0, *results)
        names = [url.rsplit("/")[-1] for url in first]
        return names, [url.rsplit("/")[-1] for _ in range(5) for url in session.take()]

    def test_fifo_is_first_in_first_out(self):
        self.assertEqual(self.taken("fifo"), (["ccc", "a"], ["bb", "d", "ee"]))

    def test_lifo_is_last_in_first_out(self):
        self.assertEqual(self.taken("lifo"), (["ee", "d"], ["bb", "a", "ccc"]))

    def test_priority_is_shorter_urls_first_and_then_the_order_of_arrival(self):
        self.assertEqual(self.taken("priority"), (["a", "d"], ["bb", "ee", "ccc"]))

    def test_items_that_come_back_go_first(self):
        for order, rest in {"fifo": ["bb", "d", "ee"], "lifo": ["bb", "a", "ccc"],
                            "priority": ["bb", "ee", "ccc"]}.items():
            for way in self.each("back", "park"):
                first, then = self.taken(order, way)
                self.assertEqual(sorted(then[:2]), sorted(first), (order, way))
                self.assertEqual(then[2:], rest, (order, way))
                if (order, way) == ("fifo", "back"):
                    self.assertEqual(then[:2], first)

    def test_items_that_come_back_go_before_shorter_ones(self):
        _, session = self.crawl_of(self.urls("a", "bbb", "ccc"), order="priority")
        a, b = session.take(2)
        session.step(0, done(a, [chunk(self.urls("d"))]), ["back", b])
        self.assertEqual([session.take() for _ in range(3)], [[b], self.urls("d"), self.urls("ccc")])

    def test_more_than_a_thousand_items_are_handed_out_at_once(self):
        for order in self.each("fifo", "lifo", "priority"):
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

    def counts(self, session, want, ahead, *results):
        """How many items of each host came."""
        urls = [item.url for item in session.step(want, *results, ahead=ahead).items]
        return {host: sum(f"//{host}:" in url for url in urls) for host in ("h", "i") if any(f"//{host}:" in url
                                                                                           for url in urls)}

    def test_as_many_more_come_as_are_asked_for(self):
        _, session = self.crawl_of(pages(20))
        self.assertEqual(session.step(2, ahead=3).items, session.say(1).items)
        self.assertEqual(self.counts(session, 0, 4), {"h": 4})
        self.assertEqual([item.url for item in session.step(1, ahead=1).items], [page(9), page(10)])

    def test_they_come_from_all_hosts_in_turn(self):
        _, session = self.crawl_of([*pages(9), *pages(9, "i:80")])
        self.assertEqual(self.counts(session, 1, 5), {"h": 3, "i": 3})

    def test_a_host_with_a_delay_gives_none_ahead(self):
        script, session = self.crawl_of([*pages(9), *pages(9, "i:80")])
        session.step(0, ["delay", "h:80", 100])
        script.pass_time(1)
        self.assertEqual(self.counts(session, 0, 4).keys(), {"i"})
        self.assertEqual(self.counts(session, 2, 4)["h"], 1)

    def test_a_host_whose_rules_are_unknown_gives_none_ahead(self):
        _, session = self.crawl_of(pages(9), rules=1)
        self.assertEqual(self.counts(session, 0, 5), {})
        [item] = session.step(1, ahead=5).items
        self.assertEqual(item.flag, "r")
        self.assertEqual(self.counts(session, 0, 5, ["rules", item.url, 0, ""]), {"h": 5})

    def test_with_a_limit_per_host_or_another_order_there_are_none(self):
        for settings in self.each({"max_per_host": 3}, {"order": "lifo"}, {"order": "priority"}):
            script, session = self.crawl_of(pages(9), **settings)
            self.assertEqual(self.counts(session, 2, 5), {"h": 2})

    def test_they_count_for_max_pages(self):
        _, session = self.crawl_of(pages(20), max_pages=7)
        self.assertEqual(self.counts(session, 2, 3), {"h": 5})
        reply = session.step(1, ahead=9)
        self.assertEqual((len(reply.items), reply.wait), (2, 0))
        self.assertEqual(len(session.step(1, ahead=9).items), 0)

    def test_they_are_given_back_in_their_order(self):
        script, leaves = self.crawl_of(pages(6))
        leaves.step(0, ahead=4)
        stays = script.open()
        leaves.close()
        self.assertEqual(sorted(stays.take(4)), pages(4))
        self.assertEqual(stays.take(2), pages(6)[4:])

    def test_the_answers_say_that_a_host_is_to_be_left_alone(self):
        """What another session has ahead must go back, and then doesn't come out."""
        script, quick = self.crawl_of(pages(9))
        ahead = quick.step(1, ahead=3).items[1:]
        other = script.open()
        self.assertEqual(other.step(0, ["hold", "h:80", 100], ["delay", "h:80", 0]).holds, 2)
        self.assertEqual(quick.step(0).holds, 2)
        self.assertEqual(self.counts(quick, 1, 3, *(["back", item.url] for item in ahead)), {})

    def test_a_session_on_trial_gets_none(self):
        script = self.script()
        for _ in range(2):
            session = script.open(page(0))
            session.take()
            script.pass_time(31)
            script.open().step(0)
            script.pass_time(1)
        session = script.open(*pages(9))
        self.assertTrue(session.step(1, ahead=5).on_trial)
        self.assertEqual([item.url for item in session.step(1, ahead=5).items], [page(0)])
        self.assertEqual(self.counts(session, 1, 5), {})


class Links(ScriptTest):
    def test_a_link_s_fields_are_stored(self):
        script, session = self.crawl_of(pages(1))
        [root] = session.step(1).items
        self.assertEqual((root.depth, root.redirects, root.tries, root.parent), (0, 10, 0, "-"))
        session.step(0, done(root.url, [chunk([page(1), page(2)], depth=1)]))
        [item] = session.step(1).items
        self.assertEqual((item.url, item.depth, item.redirects, item.parent), (page(1), 1, 10, "1"))
        session.step(0, done(item.url, [chunk([page(2), page(3), root.url, item.url], depth=2)]))
        crawl = script.look()
        self.assertEqual({url: tuple(known) for url, known in crawl.urls.items()},
                         {root.url: ("f", 1, ["2"]), page(1): ("f", 2, ["1", "2"]),
                          page(2): ("q", 2, ["1", "2"]), page(3): ("q", 1, ["2"])})
        self.assertEqual([record["new_links"] for _, record in crawl.records], ["2", "1"])

    def test_a_link_keeps_the_first_ten_pages_that_have_it(self):
        script, session = self.crawl_of(pages(13))
        for url in session.take(13):
            session.step(0, done(url, [chunk([page(99)])]))
        known = script.look().urls[page(99)]
        self.assertEqual(known, ("q", 13, [str(number) for number in range(1, 11)]))

    def test_a_record_has_all_its_fields(self):
        script, session = self.crawl_of(pages(1))
        [url] = session.take()
        session.step(0, done(url, outcome="redirect", status="302", next_url="http://h:80/né w", tries=2, links=0,
                             error="an \"error\"\r\n\x00", content_type="text/html", charset="utf-8", bytes=17,
                             seconds="1.25"))
        self.assertEqual(script.look().records, [(1, {
            "url": url, "depth": "0", "parent": "-", "outcome": "redirect", "status": "302",
            "next_url": "http://h:80/né w", "error": "an \"error\"\r\n\x00", "content_type": "text/html",
            "charset": "utf-8", "bytes": "17", "links": "0", "new_links": "0", "tries": "2", "seconds": "1.25",
            "kind": "a", "purpose": "f"})])

    def test_a_link_too_deep_is_recorded_but_fetched_only_when_met_higher_up(self):
        script, session = self.crawl_of(pages(2))
        a, b = session.take(2)
        reply = session.step(1, done(a, [chunk([page(7)], 1, what="d")]))
        self.assertEqual((reply.items, reply.known, reply.unfinished), ([], 3, 1))
        self.assertEqual(script.look().urls[page(7)].state, "m")
        [item] = session.step(1, done(b, [chunk([page(7)], 1)])).items
        self.assertEqual((item.url, item.parent), (page(7), "2"))
        self.assertEqual([record["new_links"] for _, record in script.look().records], ["1", "0"])

    def test_a_redirect_s_target_is_on_no_page_and_no_new_link(self):
        script, session = self.crawl_of(pages(1))
        [url] = session.take()
        [item] = session.step(1, done(url, [chunk([page(1)], 0, 9, "r")], outcome="redirect")).items
        self.assertEqual((item.depth, item.redirects, item.parent), (0, 9, "1"))
        crawl = script.look()
        self.assertEqual(crawl.urls[page(1)], ("q", 0, []))
        self.assertEqual(crawl.record(url)["new_links"], "0")

    def test_roots_are_on_no_page_however_often_they_are_added(self):
        script = self.script()
        for _ in range(3):
            script.open(page(0))
        self.assertEqual(script.look().urls[page(0)], ("q", 0, []))
        self.assertEqual(script.look().number("unfinished"), 1)


class BigPages(ScriptTest):
    def chunks(self, count=3000):
        urls = [f"http://host{number % 300}:80/{number}" for number in range(count)]
        return [chunk(urls[begin:begin + 500]) for begin in range(0, count, 500)]

    def some_wait(self, script):
        return self.client.call("EXISTS", script.key("links")) == 1

    def test_a_big_page_s_links_come_in_gradually_and_then_its_record(self):
        script, session = self.crawl_of(pages(1))
        known = [session.step(0, done(session.take()[0], self.chunks(10_000))).known]
        while self.some_wait(script):
            self.assertEqual(script.look().records, [])
            self.assertEqual(script.broken(), [])
            known.append(session.step(0).known)
        self.assertLessEqual(max(b - a for a, b in zip([1, *known], known)), 1000)
        self.assertEqual(known[-1], 10_001)
        crawl = script.look()
        self.assertEqual([record["new_links"] for _, record in crawl.records], ["10000"])
        self.assertEqual({known.times_met for url, known in crawl.urls.items() if url != page(0)}, {1})

    def test_no_call_takes_long(self):
        """The limit is generous: on an idle machine, a call takes a few milliseconds."""
        self.client.call("CONFIG", "SET", "slowlog-log-slower-than", 0, "slowlog-max-len", 1000)
        _, session = self.crawl_of(pages(1))
        [url] = session.take()
        self.client.call("SLOWLOG", "RESET")
        session.step(0, done(url, self.chunks(10_000)))
        while session.step(0).records == 0 or self.some_wait(session.script):
            pass
        slowest = max(entry[2] for entry in self.client.call("SLOWLOG", "GET", 1000) if entry[3][0] == "EVALSHA")
        self.assertLess(slowest, 1_000_000)

    def test_other_pages_do_not_wait_for_a_big_one_and_the_numbers_stay_right(self):
        script, session = self.crawl_of(pages(4))
        big, a, b, c = session.take(4)
        session.step(0, done(big, self.chunks()), done(a, [chunk([page(77)])]))
        session.step(0, done(b, [chunk([page(77), page(78)])], outcome="page"))
        session.step(0, done(c, outcome="error"))
        self.assertEqual(script.broken(), [])
        while session.step(0) and self.some_wait(script):
            self.assertEqual(script.broken(), [])
        crawl = script.look()
        self.assertEqual([(number, record["url"], record["new_links"]) for number, record in crawl.records],
                         [(2, a, "1"), (3, b, "1"), (4, c, "0"), (1, big, "3000")])
        self.assertEqual(crawl.urls[page(77)], ("q", 2, ["2", "3"]))
        self.assertEqual(crawl.urls["http://host7:80/7"], ("q", 1, ["1"]))

    def test_another_page_may_be_given_up_while_a_big_one_waits(self):
        script, session = self.crawl_of(pages(2), max_lost=1)
        [big] = session.take()
        for results in ((), (), (done(big, self.chunks()),)):
            script.pass_time(1)
            dies = script.open()
            self.assertEqual(dies.take() or dies.take(), [page(1)])
            script.pass_time(31)
            session.step(0, *results)
        self.assertEqual(script.broken(), [])
        while session.step(0) and self.some_wait(script):
            pass
        self.assertEqual([(number, record["outcome"]) for number, record in script.look().records],
                         [(2, "failed"), (1, "page")])

    def test_a_big_page_s_links_come_in_though_its_process_is_gone(self):
        script, session = self.crawl_of(pages(1))
        session.step(0, done(session.take()[0], self.chunks()))
        session.close()
        other = script.open()
        while other.step(0) and self.some_wait(script):
            pass
        self.assertEqual(len(script.look().urls), 3001)

    def test_a_big_page_counts_for_max_pages_before_its_record_is_there(self):
        script, session = self.crawl_of(pages(3), max_pages=2)
        big, = session.take()
        reply = session.step(9, done(big, self.chunks()))
        self.assertEqual(len(reply.items), 1)
        reply = session.step(9, done(reply.items[0].url))
        self.assertEqual((reply.items, reply.wait, reply.state), ([], 0, "running"))
        while self.some_wait(script):
            reply = session.step(9)
        self.assertEqual((reply.items, reply.state, reply.records), ([], "max_pages", 2))

    def test_a_big_page_s_record_may_hold_any_bytes(self):
        script, session = self.crawl_of(pages(1))
        any_bytes = bytes(range(256)) + b"\\u0041{}[]\""
        session.step(0, done(session.take()[0], self.chunks(501), error=any_bytes, content_type="", links=501))
        session.step(0)
        record = script.look().record(page(0))
        self.assertEqual(record["error"], any_bytes.decode("utf-8", "surrogateescape"))
        self.assertEqual((record["content_type"], record["links"], record["new_links"]), ("", "501", "501"))

    def test_while_very_many_links_wait_no_pages_are_handed_out(self):
        script, session = self.crawl_of(pages(10))
        urls = session.take(5)
        chunks = [chunk([f"http://host:80/{page}/{number}" for number in range(500)]) for page in range(25)]
        reply = session.step(5, *(done(url, chunks) for url in urls))  # 125 chunks, of which this call puts two in
        self.assertEqual((reply.items, reply.wait), ([], 0))
        while self.client.call("LLEN", script.key("links")) > 100:
            reply = session.step(5)
        self.assertEqual(len(reply.items), 5)

    def test_links_of_two_big_pages_are_new_only_once(self):
        script, session = self.crawl_of(pages(2))
        a, b = session.take(2)
        session.step(0, done(a, self.chunks()), done(b, self.chunks()))
        while session.step(0) and self.some_wait(script):
            pass
        self.assertEqual([record["new_links"] for _, record in script.look().records], ["3000", "0"])


class Ends(ScriptTest):
    def test_a_crawl_is_complete_when_all_is_done(self):
        script, session = self.crawl_of(pages(2))
        a, b = session.take(2)
        self.assertEqual(session.step(1, done(a)).state, "running")
        reply = session.step(1, done(b))
        self.assertEqual((reply.state, reply.wait, reply.unfinished), ("complete", -1, 0))
        self.assertEqual(script.raw_open()[2], "complete")  # a later process gets the same state

    def test_a_crawl_without_roots_is_complete(self):
        script = self.script()
        self.assertEqual(script.raw_open()[2:4], ["complete", "0"])

    def test_a_crawl_ends_at_max_pages(self):
        script, session = self.crawl_of(pages(9), max_pages=4)
        other = script.open()
        mine, theirs = session.take(3), other.take(3)
        self.assertEqual((len(mine), len(theirs)), (3, 1))
        reply = other.step(3)
        self.assertEqual((reply.items, reply.wait, reply.state), ([], -1, "running"))
        # A URL that robots.txt forbids doesn't count as a fetch.
        reply = session.step(3, done(mine[0], outcome="disallowed"), done(mine[1]))
        self.assertEqual(len(reply.items), 1)
        session.step(3, done(mine[2]), done(reply.items[0].url))
        reply = other.step(3, done(theirs[0], outcome="error"))
        self.assertEqual((reply.items, reply.wait, reply.state, reply.records), ([], -1, "max_pages", 5))

    def test_a_lost_page_counts_once_for_max_pages(self):
        script, dies = self.crawl_of(pages(3), max_pages=1)
        lives = script.open()
        [lost] = dies.take()
        self.assertEqual(lives.take(), [])
        script.pass_time(30.1)
        self.assertEqual(lives.take(), [lost])
        self.assertEqual(lives.step(1, done(lost)).state, "max_pages")

    def test_with_max_pages_a_session_waits_for_a_host_that_is_ready_later(self):
        _, session = self.crawl_of(pages(9), max_pages=4)
        self.assertEqual(session.step(9, ["hold", "h:80", 300]).wait, 300)

    def test_only_one_session_writes_the_report(self):
        script, a = self.crawl_of(pages(1))
        b = script.open()
        self.assertEqual(script.call("report", b.name), b.name)
        self.assertEqual(script.call("report", a.name), b.name)
        self.assertEqual(script.call("report", b.name), b.name)  # the answer was lost

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
        for sweep in self.each(lambda script, last: last.close(), lambda script, last: script.open(old=last.name)):
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
    def refused(self, pattern, prepare, **more):
        prepare()
        before = self.everything()
        with self.assertRaisesRegex(resp.RedisError, pattern):
            Script(self.client, "crawl").raw_open([chunk(pages(1), 0, what="r")], **more)
        self.assertEqual(self.everything(), before)
        self.client.call("FLUSHALL")

    def test_another_program_s_keys_are_left_alone(self):
        call = self.client.call
        what = "is there, and is no crawl of stage3"
        self.refused(f"^FOREIGN {{crawl}}:meta {what}", lambda: call("SET", "{crawl}:meta", "x"))
        self.refused(f"^FOREIGN {{crawl}}:meta {what}", lambda: call("HSET", "{crawl}:meta", "x", "y"))
        for name in ("urls", "hosts", "ready", "parked", "sessions", "records", "links", "rules", "history", "inbox",
                     "suspects", "given_up"):
            self.refused(f"^FOREIGN {{crawl}}:{name} {what}", lambda: call("SET", f"{{crawl}}:{name}", "x"))

    def test_a_crawl_of_another_version_is_left_alone(self):
        self.refused(f"^FORMAT the crawl has format 0, and not {FORMAT}",
                     lambda: self.client.call("HSET", "{crawl}:meta", "format", "0", "settings", "{}"))
        self.client.call("HSET", "{crawl}:meta", "format", "0", "settings", "{}")
        before = self.everything()
        for operation in ("look", "step", "close", "report", "retry", "put", "sent", "finish"):
            with self.assertRaisesRegex(resp.RedisError, "^FORMAT the crawl has format 0"):
                self.client.call("EVAL", TEXT, 1, "{crawl}:meta", operation, "1-0", 1, 1)
        self.assertEqual(self.everything(), before)

    def test_a_version_that_the_script_does_not_speak_makes_no_crawl(self):
        self.refused("^FORMAT", lambda: None, format=FORMAT + "0")

    def test_a_call_that_began_and_never_ended_is_seen(self):
        script, session = self.crawl_of(pages(1))
        script.clock_stands = False
        self.client.call("HINCRBY", "{crawl}:meta", "begun", 1)
        before = self.everything()
        for operation in ("look", "open"):
            with self.assertRaisesRegex(resp.RedisError, "^HALF {crawl}:meta has a call"):
                script.call(operation, FORMAT, "{}")
        for operation in ("step", "close", "report", "retry", "put", "sent", "finish"):
            with self.assertRaisesRegex(resp.RedisError, "^HALF {crawl}:meta has a call"):
                script.call(operation, session.name, 1, 1)
        self.assertEqual(self.everything(), before)
        self.client.call("HINCRBY", "{crawl}:meta", "begun", -1)
        self.assertEqual(session.take(), pages(1))

    def test_a_half_done_call_is_seen_even_without_a_crawl(self):
        script = Script(self.client)
        script.clock_stands = False
        self.client.call("HINCRBY", "{crawl}:meta", "begun", 1)
        with self.assertRaisesRegex(resp.RedisError, "^HALF {crawl}:meta has a call"):
            script.call("look", FORMAT, "{}")

    def test_a_crawl_from_before_calls_were_counted_still_works(self):
        _, session = self.crawl_of(pages(2))
        self.client.call("HDEL", "{crawl}:meta", "begun", "ended")
        self.assertEqual(session.take(2), pages(2))

    def test_a_call_that_fails_in_the_middle_is_seen(self):
        script, session = self.crawl_of(pages(1))
        script.clock_stands = False
        with self.assertRaisesRegex(resp.RedisError, "a nil value"):
            session.step(1, ["nonsense"])
        with self.assertRaisesRegex(resp.RedisError, "^HALF"):
            session.step(1)
        self.scripts.clear()

    def test_other_settings_are_refused_and_nothing_is_written(self):
        script, _ = self.crawl_of(pages(1))
        script.clock_stands = False
        before = self.everything()
        self.assertEqual(script.raw_open([chunk(pages(3), 0, what="r")], settings="{others}"), ["settings", "{}"])
        self.assertEqual(self.everything(), before)

    def test_look_writes_nothing(self):
        look = ["look", FORMAT, "{}"]
        script = Script(self.client)
        self.assertEqual(script.client.call("EVAL", TEXT, 1, script.key("meta"), *look), ["ok"])
        self.assertEqual(self.everything(), {})
        self.crawl_of(pages(1))
        before = self.everything()
        self.assertEqual(script.client.call("EVAL", TEXT, 1, script.key("meta"), *look), ["ok"])
        self.assertEqual(script.client.call("EVAL", TEXT, 1, script.key("meta"), *look[:2], "others"),
                         ["settings", "{}"])
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
        for name in ("meta", "urls", "hosts", "ready", "parked", "sessions", "records", "links", "rules", "history",
                     "inbox", "outboxes", "suspects", "given_up", *[f"{room}:{session.name}" for room in ("session", "held")]):
            self.client.call("DEL", old.key(name))  # the queues and the outbox are forgotten
        session = old.open(page(7))
        self.assertEqual(session.take(9), [page(7)])
        self.assertEqual(old.look().outboxes, {})
        session.step(0, done(page(7), [chunk(pages(1, "other:80"))]))
        self.assertEqual(session.take(9), pages(1, "other:80"))

    def test_two_crawls_may_share_a_redis(self):
        a, b = self.script("a"), self.script("b")
        in_a, in_b = a.open(page(0)), b.open(page(0))
        in_a.step(0, done(in_a.take()[0], [chunk([page(1)])]))
        self.assertEqual(in_b.take(5), [page(0)])
        self.assertEqual((len(a.look().urls), len(b.look().urls)), (2, 1))

    def test_when_memory_is_full_no_call_is_half_done(self):
        script, session = self.crawl_of(pages(3))
        [url] = session.take()
        before = self.everything()
        used = next(line for line in self.client.call("INFO", "memory").splitlines() if line.startswith("used_memory:"))
        self.client.call("CONFIG", "SET", "maxmemory", int(used.split(":")[1]) // 2)
        self.addCleanup(self.client.call, "CONFIG", "SET", "maxmemory", 0)
        script.clock_stands = False
        with self.assertRaisesRegex(resp.RedisError, "OOM"):
            session.step(1, done(url, [chunk([page(9)])]))
        with self.assertRaisesRegex(resp.RedisError, "OOM"):
            script.raw_open()
        self.assertEqual(self.everything(), before)
        self.assertEqual(script.call("sent", 1, "+")[0], "running")  # which makes room
        self.assertEqual(session.close()[0], "ok")
        self.client.call("CONFIG", "SET", "maxmemory", 0)
        self.assertEqual(script.open().take(), [url])


class Checks(ScriptTest):
    """What is to be checked, and not followed."""

    def test_a_check_waits_until_nothing_is_left_to_follow(self):
        _, session = self.crawl_of(pages(2))
        a, b = session.take(2)
        reply = session.step(5, done(a, [chunk([page(10), page(11)], 0, why="cg"), chunk([page(3)])]))
        self.assertEqual([item.url for item in reply.items], [page(3)])
        self.assertEqual(reply.unfinished, 4)  # also those that wait to be checked
        self.assertEqual(session.step(5, done(page(3))).items, [])
        session.step(0, done(b))
        items = session.step(5).items
        self.assertEqual([(item.url, item.why) for item in items], [(page(10), "cg"), (page(11), "cg")])
        self.assertEqual(session.step(1, *[done(item.url, outcome="file") for item in items]).state, "complete")

    def test_a_link_turns_a_check_into_a_page(self):
        script, session = self.crawl_of(pages(2))
        a, b = session.take(2)
        session.step(0, done(a, [chunk([page(10)], 0, why="cg")]))
        [item] = session.step(5, done(b, [chunk([page(10)])])).items
        self.assertEqual((item.url, item.why, item.depth), (page(10), "fa", 1))
        self.assertEqual(session.step(5, done(page(10), [chunk([page(11)], 1, why="cg")])).unfinished, 1)
        self.assertEqual([item.url for item in session.step(5).items], [page(11)])
        self.assertEqual(len(script.look().urls), 4)

    def test_what_is_met_while_checking_is_checked_at_once(self):
        _, session = self.crawl_of(pages(1))
        session.step(0, done(session.take()[0], [chunk([page(10)], 0, why="cg")]))
        [url] = session.take()
        reply = session.step(5, done(url, [chunk([page(11)], 0, what="r", why="cg")], outcome="redirect"))
        self.assertEqual([item.url for item in reply.items], [page(11)])

    def test_a_thousand_checks_become_work_in_several_calls(self):
        _, session = self.crawl_of(pages(1))
        chunks = [chunk([page(100 * n + m) for m in range(100, 200)], 0, why="cg") for n in range(25)]
        session.step(0, done(session.take()[0], chunks))
        replies = [session.step(3000) for _ in range(10)]
        self.assertEqual([len(reply.items) for reply in replies if reply.items], [1000, 1000, 500])
        self.assertEqual([reply.wait for reply in replies], [0] * 4 + [-1] * 6)

    def test_an_item_of_a_foreign_host_is_only_for_workers_abroad(self):
        _, session = self.crawl_of(pages(1), foreign_delay=2)
        links = [chunk([page(number, host)], why="xa") for number in range(3) for host in ("f:80", "g:80")]
        [url] = session.take()
        self.assertEqual(session.step(9, done(url, links), ahead=9).items, [])
        items = session.step(9, abroad=9).items
        self.assertEqual(sorted(item.host for item in items), ["f:80", "g:80"])  # one at a time
        session.step(0, *[["began", item.url] for item in items])
        self.assertEqual(session.step(0, abroad=9).items, [])
        session.step(0, *[done(item.url, outcome="file") for item in items])
        self.assertEqual(session.step(0, abroad=9).items, [])
        session.script.pass_time(2)
        self.assertEqual(len(session.step(0, abroad=1).items), 1)

    def test_who_waits_abroad_is_not_told_of_work_at_home(self):
        _, session = self.crawl_of(pages(2))
        [url] = session.take()
        self.assertEqual(session.step(0, abroad=9).wait, -1)
        links = [chunk([page(0, "f:80")], why="xa")]
        session.step(0, done(url, links))
        self.assertEqual(len(session.step(0, abroad=9).items), 1)

    def test_foreign_items_count_towards_max_pages(self):
        _, session = self.crawl_of(pages(1), max_pages=2)
        links = [chunk([page(0, f"f{number}:80") for number in range(5)], why="xa")]
        session.step(0, done(session.take()[0], links))
        self.assertEqual(len(session.step(0, abroad=5).items), 1)

    def test_servers_begin_to_check_when_none_has_anything_to_follow(self):
        servers = [Script(self.client, f"server{number}", servers=2) for number in range(2)]
        a, b = [server.open(page(0, host)) for server, host in zip(servers, ("a:80", "b:80"))]
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

    def servers(self, count):
        return [self.script(f"server{number}", servers=count) for number in range(count)]

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

    def test_links_go_to_other_servers_and_know_their_page(self):
        a, b = servers = self.servers(2)
        at_a, at_b = a.open(page(0, "a:80")), b.open()
        self.assertEqual((a.look().meta["state"], b.look().meta["state"]), ("running", "idle"))
        [url] = at_a.take()
        at_a.step(0, done(url, [chunk([page(1, "a:80")])], [(1, chunk([page(0, "b:80")], 1))]))
        self.assertEqual(a.look().number("unfinished"), 2)  # including the link in the outbox
        self.assertEqual(a.look().number("created"), 3)
        self.assertEqual(self.carry(servers, 0, 1), 1)
        self.assertEqual(a.look().number("unfinished"), 1)
        [item] = at_b.step(5).items
        self.assertEqual((item.url, item.depth, item.parent), (page(0, "b:80"), 1, "0.1"))
        self.assertEqual(b.look().urls[item.url], ("q", 1, ["0.1"]))

    def test_links_carried_twice_or_by_a_session_that_dies_arrive_once(self):
        a, b = servers = self.servers(2)
        at_a, _ = a.open(*pages(3, "a:80")), b.open()
        for number, url in enumerate(at_a.take(3)):
            at_a.step(0, done(url, [], [(1, chunk([page(number, "b:80"), page(9, "b:80")], 1))]))
        self.carry(servers, 0, 1, dies="put")
        self.assertEqual((a.look().number("unfinished"), b.look().number("unfinished")), (3, 4))
        crawl = a.look()
        # Another process has read the outbox before that, and comes too late.
        entries = self.client.call("XRANGE", a.key("outbox:1"), "-", "+")
        words = [word for _, fields in entries for word in (fields[1], fields[3])]
        self.assertEqual(b.call("put", 0, "0-0", entries[-1][0], *words), entries[-1][0])
        self.assertEqual(b.look().urls[page(9, "b:80")].times_met, 3)
        self.assertEqual(self.carry(servers, 0, 1), 0)
        self.assertEqual(a.look().number("unfinished"), 0)
        b_before = b.look().meta["unfinished"]
        a.call("sent", 1, entries[-1][0])  # again, because the answer was lost
        self.assertEqual((a.look().meta["unfinished"], b.look().meta["unfinished"]), ("0", b_before))
        self.assertEqual(len(crawl.outboxes["1"]), 3)

    def test_only_links_that_have_arrived_are_removed(self):
        a, b = servers = self.servers(2)
        at_a, _ = a.open(*pages(2, "a:80")), b.open()
        first, second = at_a.take(2)
        at_a.step(0, done(first, [], [(1, chunk([page(0, "b:80")], 1))]))
        self.carry(servers, 0, 1, dies="put")
        at_a.step(0, done(second, [], [(1, chunk([page(1, "b:80")], 1))]))
        last = self.client.call("HGET", b.key("inbox"), "0")
        a.call("sent", 1, last)
        self.assertEqual(len(a.look().outboxes["1"]), 1)
        # Both the last link put in and the last one that arrived are kept, so a server that forgets is noticed.
        has_had = self.client.call("XRANGE", a.key("outbox:1"), "-", "+")[-1][0]
        self.assertEqual(self.client.call("HMGET", a.key("outboxes"), "1", "sent:1"), [has_had, last])
        self.carry(servers, 0, 1)
        self.assertEqual(b.look().number("unfinished"), 2)

    def false_zero(self):
        """Two servers, read one after the other, while a link goes from the second to the first."""
        a, b = servers = self.servers(2)
        at_a, at_b = a.open(), b.open(page(0, "b:80"))
        [url] = at_b.take()
        seen_first = self.zeros([a])
        at_b.step(0, done(url, [], [(0, chunk([page(0, "a:80")], 1))]))
        self.carry(servers, 1, 0)
        return servers, at_a, at_b, seen_first + self.zeros([b])

    def test_reading_zeros_one_after_the_other_is_no_proof_of_the_end(self):
        servers, at_a, _, first_pass = self.false_zero()
        self.assertEqual([unfinished for unfinished, _ in first_pass], ["0", "0"])
        self.assertEqual(servers[0].look().number("unfinished"), 1)  # so the crawl isn't over at all
        second_pass = self.zeros(servers)
        self.assertNotEqual(first_pass, second_pass)
        # A process that believes the first pass does no harm to a server that has work,
        self.assertEqual(servers[0].call("finish", 1)[0], "running")
        # but ends the crawl on the others.
        servers[1].call("finish", 0)
        self.assertEqual(servers[1].call("finish", 1)[0], "complete")
        [url] = at_a.take()
        self.assertEqual(at_a.step(0, done(url)).state, "idle")

    def test_two_passes_over_unfinished_alone_are_no_proof_either(self):
        servers, at_a, at_b, first_pass = self.false_zero()
        # The link is done at once, and its own link goes to the second server before that is read again.
        [url] = at_a.take()
        at_a.step(0, done(url, [], [(1, chunk([page(1, "b:80")], 2))]))
        self.carry(servers, 0, 1)
        second_pass = self.zeros(servers[:1])
        [url] = at_b.take()
        at_b.step(0, done(url, [], [(0, chunk([page(1, "a:80")], 3))]))
        self.carry(servers, 1, 0)
        second_pass += self.zeros(servers[1:])
        self.assertEqual([unfinished for unfinished, _ in first_pass + second_pass], ["0"] * 4)
        self.assertEqual(servers[0].look().number("unfinished"), 1)
        self.assertNotEqual(first_pass, second_pass)  # `created` differs

    def test_the_end_of_three_servers_is_detected(self):
        servers = self.servers(3)
        hosts = [f"host{number}:80" for number in range(3)]
        sessions = [server.open(page(0, host)) for server, host in zip(servers, hosts)]
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


if __name__ == "__main__":
    redis_server.skip_if_there_is_none()
    unittest.main()
