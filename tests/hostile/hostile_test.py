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

AT_ONCE = 6
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
    """Those that have begun, and those that are over."""

    def __init__(self):
        self.pool = concurrent.futures.ThreadPoolExecutor(AT_ONCE)
        self.futures = {}

    def begin(self, case):
        if case.number not in self.futures:
            self.futures[case.number] = self.pool.submit(run_case, case)
        return self.futures[case.number]


RUNS = Runs()


class Section(unittest.TestCase):
    """The tests of a file of cases."""
    longMessage = False

    def run_and_check(self, case):
        _, wrong, _ = RUNS.begin(case).result()
        self.assertEqual(wrong, [], "\n".join([f"{case.number}, {case.title}:", *wrong]))

    @classmethod
    def of(cls, number):
        def test_of(case):
            def test(self):
                self.run_and_check(case)
            test.case = case
            return test
        tests = {f"test_{case.name}": test_of(case) for case in cases.cases_of(number)}
        return type(cases.SECTIONS[number].title(), (cls,), {"__module__": __name__, **tests})


Bodies, Delays, Redirects, Endless, Documents, Output, Scheduling = map(Section.of, cases.SECTIONS)
del Section  # it has no tests


class Program(unittest.TestProgram):
    """Begins all crawls of the tests that were asked for before the first test waits."""

    def runTests(self):
        todo = [self.test]
        for test in todo:
            if isinstance(test, unittest.TestSuite):
                todo += test
            elif hasattr(method := getattr(test, test._testMethodName), "case"):
                RUNS.begin(method.case)
        super().runTests()


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    Program()
