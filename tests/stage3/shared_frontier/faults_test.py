#!/usr/bin/env python3
"""What may go wrong when processes share a crawl, one fault per test: with the real program, a separate Redis, and a
site that records each request. chaos.py has many faults at once, at random.

    STAGE3=build/stage3_queue_crawler/stage3 tests/stage3/shared_frontier/faults_test.py [-v] [CLASS.TEST...]
"""
import collections
import os
import random
import shutil
import signal
import socket
import tempfile
import threading
import time
import unittest

import invariants
import redis_server
import stage3
from crawled_site import Site
from script import Script

PATIENCE = 120  # seconds for something that takes one or two on an idle machine


def status_of_a_part(records):
    """Of a crawl that isn't over."""
    return 1 if any(record["outcome"] in ("error", "failed") for record in records.values()) else 3


class FaultTest(unittest.TestCase):
    def setUp(self):
        self.start_redis(keeps=True)
        self.folder = tempfile.mkdtemp(prefix="faults_", dir="/tmp")
        self.addCleanup(shutil.rmtree, self.folder)
        self.processes = []
        self.addCleanup(self.end_processes)

    def end_processes(self):
        for process in self.processes:
            process.kill()

    def start_redis(self, *options, count=1, **keeps):
        self.servers = [redis_server.RedisServer(*options, **keeps).start() for _ in range(count)]
        for server in self.servers:
            self.addCleanup(server.remove)
        self.redis = self.servers[0]

    @property
    def urls(self):
        return [server.url for server in self.servers]

    def site(self, *arguments, **options):
        site = Site(*arguments, **options)
        self.addCleanup(site.__exit__)
        return site

    def start(self, site, *arguments, **limits):
        words = stage3.shared(self.urls, "crawl", *arguments, site.root)
        process = stage3.Process(self.folder, f"process{len(self.processes)}", *map(str, words), **limits)
        self.processes.append(process)
        return process

    def start_some(self, count, site, *arguments):
        return [self.start(site, *arguments) for _ in range(count)]

    def wait_for(self, condition, what):
        deadline = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), deadline, f"wanted {what}: {[each.words() for each in self.processes]}")
            time.sleep(0.01)

    def wait_for_requests(self, site, count):
        self.wait_for(lambda: len(site.requests) >= count, f"{count} requests")

    def wait_for_sessions(self, count):
        """A process that has begun a session has signal handlers, and may be signalled."""
        self.wait_for(lambda: int(self.meta("new_session") or 0) >= count, f"{count} sessions")

    def statuses(self, processes):
        return [process.wait(PATIENCE) for process in processes]

    def assert_joined(self, processes):
        """All processes must end because the crawl is over."""
        ended = [(status, process.words()) for status, process in zip(self.statuses(processes), processes)]
        self.assertEqual([each for each in ended if each[0] not in (0, 1)], [])

    def crawl(self, redis=None):
        with (redis or self.redis).client() as client:
            return invariants.Crawl(client, "crawl")

    def meta(self, field):
        with self.redis.client() as client:
            return client.call("HGET", "{crawl}:meta", field)

    def report(self, *urls):
        """The records, read by a process that has not taken part."""
        words = stage3.shared(urls or self.urls, "crawl")
        status, text, said = stage3.run("--report", "--format", "jsonl", *words)
        self.assertEqual(len(stage3.records_in(text)), len(stage3.read_records(text)), "a URL has two records")
        return status, stage3.read_records(text), said

    def assert_all_is_right(self, site, *arguments):
        """The crawl must be complete, and have found what a crawl in memory finds. Returns the first Redis's part."""
        status, records, said = self.report()
        self.assertIn(status, (0, 1), said)
        crawls = [self.crawl(redis=server) for server in self.servers]
        self.assertEqual([broken for crawl in crawls for broken in invariants.broken_in(crawl)], [])
        self.assertEqual({crawl.meta["state"] for crawl in crawls}, {"complete"})
        requests, failures = site.requests, collections.Counter(site.failures)
        site.latency = 0
        site.forget()
        alone = stage3.crawl_alone(*arguments, site.root)
        site.requests, site.failures = requests, failures
        self.assertEqual(list(stage3.wrong_records(site, records, alone, is_spread=len(crawls) > 1)), [])
        self.assertEqual(list(stage3.wrong_counts(site, records, crawls)), [])
        return crawls[0]


class Verdicts(FaultTest):
    def test_a_circle_of_redirects_spread_over_processes_is_seen(self):
        site = self.site(60, 2, latency=0.02, plain=True, circle=range(20, 50))
        processes = self.start_some(3, site, "--workers", 2)
        self.assert_joined(processes)
        reports = [process.records() for process in processes if process.records()]
        reports.append(self.report()[1])  # a later report is the same
        self.assertEqual(len(reports), 2)
        for report in reports:
            hops = [report[site.url(number)] for number in site.circle]
            dead = [hop for hop in hops if hop["outcome"] == "failed"]
            self.assertEqual([hop["error"] for hop in dead], ["redirect loop"])
            self.assertEqual({hop["outcome"] for hop in hops if hop not in dead}, {"redirect"})
        self.assertEqual(self.report()[0], 1)


class Removing(FaultTest):
    def test_removing_a_crawl_leaves_everything_else(self):
        site = self.site(100, 2)
        self.assertIn(self.start(site).wait(PATIENCE), (0, 1))
        with self.redis.client() as client:
            client.call("SET", "mine", "1")
            status, _, said = stage3.run("--forget", *stage3.shared(self.redis.url, "crawl"))
            self.assertEqual(status, 0, said)
            self.assertIn("the crawl 'crawl' is removed", said)
            self.assertEqual(client.call("KEYS", "*"), ["mine"])
        status, _, said = stage3.run("--forget", *stage3.shared(self.redis.url, "crawl"))
        self.assertEqual(status, 2)
        self.assertIn("there is no crawl 'crawl'", said)


class BadInput(FaultTest):
    """Each refusal is one line and exit status 2, and writes nothing to any Redis."""

    SITE = "http://127.0.0.1:9/"  # no process gets that far

    def refused(self, pattern, *arguments, redis_url=None, site=SITE):
        with self.redis.client() as client:
            before = self.everything(client)
        words = stage3.shared(redis_url or self.redis.url, "crawl", "--wait-for-frontier", "0", *arguments, site)
        status, wrote, said = stage3.run(*words, timeout=PATIENCE)
        self.assertEqual((status, wrote, said.count("\n")), (2, "", 1), said)
        self.assertRegex(said, f"^stage3: .*{pattern}")
        self.assertNotIn("guess", said)
        with self.redis.client() as client:
            self.assertEqual(self.everything(client), before)

    def everything(self, client):
        """A hash isn't read by DUMP: its order changes by itself while Redis enlarges the table."""
        return {key: invariants.pairs(client.call("HGETALL", key)) if client.call("TYPE", key) == "hash"
                else client.call("DUMP", key) for key in client.call("KEYS", "*")}

    def port_without_listener(self):
        """It stays in use, so that no other program gets it."""
        bound = socket.socket()
        bound.bind(("127.0.0.1", 0))
        self.addCleanup(bound.close)
        return bound.getsockname()[1]

    def test_no_server_listens(self):
        port = self.port_without_listener()
        self.refused("nothing listens there", redis_url=f"redis://127.0.0.1:{port}")
        self.refused("nothing listens there", redis_url=f"unix:{self.folder}/nothing")

    def test_a_user_without_dangerous_commands_may_take_part(self):
        """INFO is one of these."""
        with self.redis.client() as client:
            client.call("ACL", "SETUSER", "careful", "on", ">guess", "~*", "+@all", "-@dangerous")
        site = self.site(20)
        words = stage3.shared(f"unix://careful:guess@{self.redis.socket}", "crawl", "--format", "jsonl", site.root)
        status, wrote, said = stage3.run(*words, timeout=PATIENCE)
        self.assertIn(status, (0, 1), said)
        self.assertEqual(stage3.read_records(wrote).keys(), stage3.crawl_alone(site.root).keys())
        self.assertIn("doesn't let us call INFO, so whether it is fit wasn't checked", said)

    def test_no_server_listens_though_we_wait_for_it(self):
        port = self.port_without_listener()
        words = stage3.shared(f"redis://127.0.0.1:{port}", "crawl", "--wait-for-frontier", "2", self.SITE)
        begin = time.monotonic()
        status, _, said = stage3.run(*words, timeout=PATIENCE)
        self.assertGreater(time.monotonic() - begin, 1.9)
        self.assertEqual(status, 2)
        self.assertRegex(said, "isn't ready .nothing listens there: connection refused.: waiting for it, 2 s at most\n"
                               ".*: nothing listens there")

    def test_the_user_may_not_write_these_keys(self):
        with self.redis.client() as client:
            client.call("ACL", "SETUSER", "other", "on", ">guess", "~elsewhere:*", "+@all")
        self.refused("no permission|NOPERM", redis_url=f"unix://other:guess@{self.redis.socket}")

    def test_what_is_there_is_no_crawl_of_this_version(self):
        for command, pattern in [
                (["SET", "{crawl}:meta", "a poem"], "{crawl}:meta is there, and is no crawl of stage3"),
                (["RPUSH", "{crawl}:urls", "a list"], "{crawl}:urls is there, and is no crawl of stage3"),
                (["HSET", "{crawl}:meta", "format", "0", "settings", ""],
                 "the crawl has format 0, and not 5: another version of stage3 has begun it; finish it .*--forget")]:
            with self.redis.client() as client:
                client.call_all([["FLUSHALL"], command])
            self.refused(pattern)

    def test_the_other_processes_have_other_settings(self):
        site = self.site(20)
        login = "--header", "Cookie: secret"
        self.assertIn(self.start(site, "--delay", "0.001", *login).wait(PATIENCE), (0, 1))
        self.assertNotIn("secret", self.meta("settings"))
        self.refused("other settings: with --delay 0.001, where this is --delay 0;", *login, site=site.root)
        self.refused("with --header Cookie", "--delay", "0.001", site=site.root)
        self.refused("other settings: with URLs .*/p/0, where this is URLs .*/p/1;", "--delay", "0.001", *login,
                     site=site.url(1))
        self.refused("other settings", "--delay", "0.001", *login, "--exclude", "x", site=site.root)
        words = stage3.shared(self.redis.url, "crawl", "--delay", "0.001", *login, "--insecure", site.root)
        status, _, said = stage3.run(*words)
        self.assertEqual(status, 2)
        self.assertIn("where this is --insecure", said)



class ProcessesGo(FaultTest):
    def test_who_leaves_gives_its_urls_back_at_once_and_the_same_command_continues(self):
        site = self.site(300, 3, latency=0.02, flaky=True)
        first = self.start_some(2, site, "--lease", 3600)  # nobody could wait for that
        self.wait_for_sessions(2)
        self.wait_for_requests(site, 80)
        for process, number in zip(first, (signal.SIGINT, signal.SIGTERM)):
            process.send_signal(number)
            self.assertEqual(process.wait(PATIENCE), -number)
            self.assertIn("--report tells what is done", process.words())
        status, records, said = self.report()
        self.assertEqual((status, len(records)), (status_of_a_part(records), self.crawl().number("records")))
        self.assertIn("the crawl 'crawl' is not over", said)
        self.redis.end()
        self.redis.start()
        self.assert_joined(self.start_some(2, site, "--lease", 3600))
        crawl = self.assert_all_is_right(site)
        self.assertEqual((crawl.number("lost"), crawl.sessions), (0, []))
        self.assertLessEqual(len(records) + 20, crawl.number("records"))


    @unittest.skipIf(os.environ.get("LIMITED_MEMORY") == "no", "sanitizers need more memory than there would be")
    def test_a_page_that_is_larger_than_a_process_s_memory_fails(self):
        site = self.site(1, robots=None)
        usual_answer = site.answer
        site.answer = lambda host, path: (
            usual_answer(host, path) if path == "/robots.txt" else (200, "Content-Type: text/html\r\n", "<p>" * (12 << 20)))
        for limit in (80, 100):  # where memory grows, the reserve may be enough for one more piece, or not
            small = self.start(site, "--max-body", "1G", memory=limit << 20)
            self.assertEqual(small.wait(PATIENCE), 3)
            self.assertIn("no memory is left (see ulimit -v, or use fewer --workers). The crawl 'crawl' has 1 URL left",
                          small.words())
        self.assertEqual(self.crawl().sessions, [])
        self.assert_joined([self.start(site, "--max-body", "1G")])

    def test_a_second_ctrl_c_ends_at_once(self):
        site = self.site(100, latency=0.2)
        process = self.start(site)
        self.wait_for_requests(site, 10)
        os.kill(self.redis.pid, signal.SIGSTOP)  # so that it can't give its URLs back
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        self.assertIsNone(process.poll())
        # Of two signals that come while a process doesn't run, it gets one.
        self.wait_for(lambda: process.poll() is not None or process.send_signal(signal.SIGINT), "the end")
        self.assertEqual(process.wait(PATIENCE), -signal.SIGINT)
        self.assertNotIn("when its lease has ended", process.words())  # the process hasn't waited for that

    def test_ctrl_c_works_while_redis_is_away(self):
        site = self.site(100, latency=0.2)
        process = self.start(site, "--lease", 7)
        self.wait_for_requests(site, 10)
        self.redis.kill()
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(PATIENCE), -signal.SIGINT)
        self.assertIn("Redis doesn't answer: what this process held goes to others when its lease has ended, in 7 s",
                      process.words())


class RedisGoes(FaultTest):
    def test_processes_may_start_before_redis(self):
        site = self.site(40)
        self.redis.kill()
        processes = self.start_some(2, site)
        self.wait_for(lambda: all("isn't ready" in process.words() for process in processes), "both to wait for Redis")
        self.assertEqual([process.poll() for process in processes], [None, None])
        self.redis.start()
        self.assert_joined(processes)
        self.assert_all_is_right(site)


    def test_redis_is_away_for_three_leases_and_no_lease_ends(self):
        site = self.site(400, 3, latency=0.05)
        processes = self.start_some(2, site, "--lease", 2.5)  # a process that tries again may pause for 1.5 s
        self.wait_for_sessions(2)
        self.wait_for_requests(site, 100)
        self.redis.end()
        time.sleep(7.6)
        self.redis.start()
        self.assert_joined(processes)
        crawl = self.assert_all_is_right(site)
        self.assertEqual((crawl.number("lost"), crawl.number("new_session")), (0, 2))
        self.assertEqual(stage3.fetched_again(site, {}), 0)
        for process in processes:
            self.assertIn("trying again", process.words())
            self.assertIn("is back after", process.words())

    def test_redis_s_machine_loses_power(self):
        """What Redis had written may end anywhere. Each call of the script must be there as a whole, or not at all."""
        site = self.site(150, 3)
        self.redis.remove()
        self.start_redis("--auto-aof-rewrite-percentage", "0", keeps=True)
        self.assertIn(self.start(site, "--max-per-host", 3, "--lease", 0.6).wait(PATIENCE), (0, 1))
        self.redis.end()
        log = self.redis.log()
        written = log.read_bytes()
        chance = random.Random(7)
        for cut in sorted((chance.randrange(len(written) // 10, len(written)) for _ in range(15)), reverse=True):
            log.write_bytes(written[:cut])
            self.redis.start()
            self.assertEqual(invariants.broken_in(self.crawl()), [], f"cut at {cut}")
            self.redis.end()
        self.redis.start()
        before = self.crawl().number("records")
        self.assertIn(self.start(site, "--max-per-host", 3, "--lease", 0.6).wait(PATIENCE), (0, 1))
        crawl = self.assert_all_is_right(site, "--max-per-host", "3")
        self.assertLess(before, crawl.number("records"))

    def test_half_a_call_that_comes_back_is_detected(self):
        """Redis is killed while it writes a call, and starts twice. As of 7.0, that brings half the call back."""
        site = self.site(60, 3, latency=0.02)
        [process] = self.start_some(1, site, "--lease", 600)
        self.wait_for(lambda: int(self.meta("records") or 0) > 20, "more than 20 records")
        process.kill()
        self.redis.end()
        log = self.redis.log()
        written = log.read_bytes()
        begin = written.rindex(b"*1\r\n$5\r\nMULTI\r\n")
        chance = random.Random(7)
        damaged = 0
        for cut in (begin + chance.randrange(30, len(written) - begin - 1) for _ in range(6)):
            for repairs in (False, True):
                log.write_bytes(written[:cut])
                if repairs:
                    self.redis.repair()
                self.redis.start()
                with self.redis.client() as client:
                    Script(client).call("sent", 1, "0")  # any call, which is written after the half
                self.redis.end()
                self.redis.start()
                is_damaged = self.meta("begun") != self.meta("ended")
                damaged += is_damaged
                if is_damaged:
                    self.assertFalse(repairs)
                    self.assert_damaged(site)
                else:
                    self.assertEqual(invariants.broken_in(self.crawl()), [], f"cut at {cut}, {repairs=}")
                self.redis.end()
        with self.redis.start().client() as client:
            if "redis_version:7.0." in client.call("INFO", "server"):
                self.assertGreater(damaged, 0)

    def assert_damaged(self, site):
        damaged = "the crawl 'crawl' is damaged: a call was only half done.* run redis-check-aof --fix"
        process = self.start(site)
        self.assertEqual(process.wait(PATIENCE), 2)
        self.assertRegex(process.words(), damaged)
        status, records, said = self.report()
        self.assertEqual((status, said.count("\n")), (status_of_a_part(records), 1))
        self.assertRegex(said, damaged)
        self.assertGreater(len(records), 10)

    def test_half_a_call_that_comes_back_stops_running_processes(self):
        site = self.site(300, 3, latency=0.02)
        [process] = self.start_some(1, site)
        self.wait_for_requests(site, 60)
        with self.redis.client() as client:
            client.call("HINCRBY", "{crawl}:meta", "begun", 1)
        self.assertEqual(process.wait(PATIENCE), 3)
        self.assertRegex(process.words(), "the crawl 'crawl' is damaged: a call was only half done")
        status, _, _ = stage3.run("--forget", *stage3.shared(self.redis.url, "crawl"))
        self.assertEqual(status, 0)
        self.assert_joined(self.start_some(1, site))
        self.assert_all_is_right(site)


class SeveralServers(FaultTest):
    def setUp(self):
        super().setUp()
        # All three servers rely on each other's answers.
        self.start_redis(count=3, keeps_all=True)

    def test_a_page_that_kills_is_given_up_on_its_server_and_nothing_else_is(self):
        site = self.site(200, 12, plain=True, robots=None, latency=0.02)
        poison = next(url for url in map(site.url, range(5, 200)) if site.host(int(url.rsplit("/")[-1])) == 0)
        # Each process that asks for it is killed, and another takes its place, until one ends by itself. (A page of
        # another server that is tried at the same time would be held alone there.)
        site.on_request = lambda path, _: poison.endswith(path) and self.processes[-1].send_signal(signal.SIGKILL)
        status = -signal.SIGKILL
        while status == -signal.SIGKILL:
            self.assertLess(len(self.processes), 12)
            status = self.start(site, "--lease", 0.5, "--workers", 5).wait(PATIENCE)
        self.assertEqual(status, 1)
        self.assertIn("1 URL was given up, since processes died while they fetched only it", self.processes[-1].words())
        status, records, said = self.report()
        self.assertEqual(status, 1)
        self.assertIn("stage3: 1 URL was given up, since processes died while they fetched only it: see the report; "
                      "--retry-given-up tries it again", said)
        self.assertEqual((records[poison]["outcome"], records[poison]["error"]),
                         ("failed", "several processes have ended while they fetched only it"))
        self.assertEqual({record["outcome"] for url, record in records.items() if url != poison}, {"page"})

        site.on_request = lambda path, head: None
        again = self.start(site, "--lease", 0.5, "--retry-given-up")
        self.assertEqual(again.wait(PATIENCE), 0, again.words())
        self.assertEqual(again.records(), self.report()[1])  # a report was written again
        self.assert_all_is_right(site)

    def test_the_report_wants_all_servers(self):
        site = self.site(20, 6)
        self.statuses([self.start(site)])
        status, _, said = self.report(self.urls[0])
        self.assertEqual(status, 2)
        self.assertIn("the crawl 'crawl' has 3 servers: name them all", said)


class Refusals(FaultTest):
    def test_a_host_that_asks_for_too_much_is_asked_nothing_more_by_any_process(self):
        site = self.site(400, latency=0.02, plain=True, robots=None)
        usual_answer = site.answer
        full = 429, "Retry-After: 3600\r\n", ""
        site.answer = lambda host, path: full if path == "/p/9" else usual_answer(host, path)
        are_there = threading.Event()  # before the root is answered
        self.addCleanup(are_there.set)
        site.on_request = lambda path, head: are_there.wait(PATIENCE)
        processes = self.start_some(3, site, "--workers", 5)
        self.wait_for_sessions(3)
        are_there.set()
        statuses = set(self.statuses(processes))
        self.assertTrue({3} <= statuses <= {0, 3}, statuses)  # 0: this one has seen nothing of it, nor the report
        status, records, _ = self.report()  # each URL once
        crawl, why = self.crawl(), "its server asked to come back in 3600 s"
        self.assertEqual((status, invariants.broken_in(crawl), crawl.meta["state"]), (3, [], "complete"))
        refused = records.pop(site.url(9))
        self.assertEqual((refused["outcome"], refused["status"], refused["tries"]), ("unclear", 429, 1))
        asked_for = {site.origins[0] + request.path for request in site.requests}
        for url, record in records.items():
            told = record["outcome"], record["status"], record["tries"], record["error"]
            self.assertIn(told, [("page", 200, 1, None)] if url in asked_for else [("unclear", None, 0, why)])
        said = [process.words().count(why) for process in processes]
        self.assertEqual(max(said), 1, said)


class Manners(FaultTest):

    def test_one_process_writes_the_report_and_the_others_say_so(self):
        site = self.site(300, 3, latency=0.02)
        processes = self.start_some(3, site)
        self.wait_for_requests(site, 50)
        site.latency = 1  # otherwise, the crawl might be over before the report begins
        status, records, said = self.report()  # during the crawl, by another process
        site.latency = 0.02
        self.assertEqual(status, status_of_a_part(records))
        self.assertIn("is not over", said)
        self.assertGreater(len(records), 0)
        self.assert_joined(processes)
        wrote = [process for process in processes if process.wrote.stat().st_size > 0]
        self.assertEqual(len(wrote), 1)
        for process in processes:
            says_so = "is over, and its report is another process's (once more: --report" in process.words()
            self.assertEqual(says_so, process not in wrote)
        self.assertEqual(wrote[0].records(), self.report()[1])


if __name__ == "__main__":
    redis_server.skip_if_there_is_none()
    unittest.main()
