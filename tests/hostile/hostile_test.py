#!/usr/bin/env python3
"""Hostile servers, one test a case: the crawl ends, with every URL in its records once, for the right reason; in memory
that is bounded, and without a byte of a server's in its output that isn't escaped.

    STAGE3=build/stage3_queue_crawler/stage3 tests/hostile/hostile_test.py [-v] [SECTION[.TEST]...]

HOSTILE_MEMORY=no: memory isn't looked at. (A program with sanitizers in it needs many times as much.) The sections are
Bodies, Delays, Redirects, Endless, Documents, Output, Scheduling; and Together: all cases in one crawl.

Most cases wait, for a server or for a time limit. So crawls run beside each other; each test waits for its own.
"""
import concurrent.futures
import os
import sys
import unittest

import cases
import checks
import crawls

AT_ONCE = 8
MEMORY = os.environ.get("HOSTILE_MEMORY") != "no"
WORKERS, MAX_BODY = 4, 2 * checks.MEGA  # as in crawls.COMMON


def number_after(options, name, usual):
    """What an option's value is, with its unit."""
    words = list(map(str, options))
    if name not in words:
        return usual
    text = words[len(words) - 1 - words[::-1].index(name) + 1]
    return int(text.rstrip("M")) * (checks.MEGA if text.endswith("M") else 1)


def run_case(case):
    """(Result, what is wrong with it, the records of the case's own URLs)"""
    with cases.Served(case) as served:
        result = crawls.crawl([served.root], case.options, within=case.within, descriptors=case.descriptors)
        try:
            records = checks.read_records(result.output)
        except ValueError:
            records = []
        wrong = [*checks.wrong_end(result, served.exit), *checks.wrong_jsonl(result.output),
                 *checks.wrong_bytes(result.said), *checks.wrong_records(records, served.expected, case.more),
                 *(case.check(served, result, records) if case.check else [])]
        if MEMORY:
            wrong += checks.wrong_memory(result, number_after(case.options, "--workers", WORKERS),
                                         number_after(case.options, "--max-body", MAX_BODY))
        own = [(text, record) for text in case.expected for record in records if record["url"] == served.url(text)]
        return result, wrong, own


class Runs:
    """Tests that have begun, and those that are over."""

    def __init__(self):
        self.pool = concurrent.futures.ThreadPoolExecutor(AT_ONCE)
        self.futures = {}

    def begin(self, test, body):
        if test.id() not in self.futures:
            self.futures[test.id()] = self.pool.submit(body, test)
        return self.futures[test.id()]


RUNS = Runs()


def beside(body):
    """A test that runs beside others: it has begun before it's its turn, which only shows what has come of it."""
    def test(self):
        RUNS.begin(self, body).result()
    test.body = body
    return test


def fail_if(wrong, what):
    """With a line for each thing that is wrong."""
    if wrong:
        raise AssertionError("\n".join([f"{what}:", *wrong]))


def test_of(case):
    return beside(lambda _: fail_if(run_case(case)[1], f"{case.number}, {case.title}"))


def tests_of(section):
    """All cases of a file, as a class."""
    tests = {f"test_{case.name}": test_of(case) for case in cases.cases_of(section)}
    return type(cases.SECTIONS[section].title(), (unittest.TestCase,), {"__module__": __name__, **tests})


Bodies, Delays, Redirects, Endless, Documents, Output, Scheduling = map(tests_of, cases.SECTIONS)


class Together(unittest.TestCase):
    """All cases that fit into one crawl, in one: each comes out as it does by itself. Once for each format."""
    OPTIONS = ("--fetch-timeout", 4, "--workers", 40)

    def crawl(self, index, format, what_is_wrong):
        """`what_is_wrong`: with the Result, besides what may be wrong in any format."""
        result = crawls.crawl([index.root], self.OPTIONS, format, within=120)
        wrong = [*checks.wrong_end(result, 1), *checks.wrong_bytes(result.said), *what_is_wrong(result)]
        if MEMORY:
            wrong += checks.wrong_memory(result, 40, MAX_BODY)
        fail_if([index.with_numbers(line) for line in wrong], "all cases together")
        return result

    @beside
    def test_as_jsonl_and_csv(self):
        def wrong_jsonl(result):
            records = checks.read_records(result.output)
            yield from checks.wrong_jsonl(result.output)
            yield from checks.wrong_records(records, index.expected)
            for served in index.served:
                if served.case.check:
                    own = [record for record in records if record["url"] in served.expected]
                    yield from served.case.check(served, result, own)
        with cases.Index() as index:
            self.assertGreater(len(index.served), 100)
            records = checks.read_records(self.crawl(index, "jsonl", wrong_jsonl).output)
            index.forget()
            self.crawl(index, "csv", lambda result: checks.wrong_csv(result.output, records))

    @beside
    def test_as_a_report(self):
        with cases.Index() as index:
            self.crawl(index, "text", lambda result: checks.wrong_report(result.output, index.expected))

    @beside
    def test_as_a_graph(self):
        def wrong_dot(result):
            yield from checks.wrong_dot(result.output)
            for url in index.expected:
                if f'\n  "{url}" [color='.encode() not in result.output.replace(b"\\\\", b"\\").replace(b'\\"', b'"'):
                    yield f"{url} is no node"
        with cases.Index() as index:
            self.crawl(index, "dot", wrong_dot)


class Program(unittest.TestProgram):
    """Begins all tests that it was asked for, before it waits for the first."""

    def runTests(self):
        tests = [self.test]
        for test in tests:
            if isinstance(test, unittest.TestSuite):
                tests += test
        for test in sorted(tests, key=lambda test: not isinstance(test, Together)):  # what takes longest begins first
            body = getattr(getattr(test, getattr(test, "_testMethodName", ""), None), "body", None)
            if body:
                RUNS.begin(test, body)
        super().runTests()


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    Program()
