#!/usr/bin/env python3
"""Hostile servers, one test per case: the crawl ends with every URL in its records once, for the right reason, in
bounded memory, and without an unescaped byte from a server in its output.

    STAGE3=build/stage3_queue_crawler/stage3 tests/hostile/hostile_test.py [-v] [SECTION[.TEST]...]

With HOSTILE_MEMORY=no, memory isn't checked, because a program with sanitizers needs many times as much. The sections
are Bodies, Delays, Redirects, Endless, Documents, Output and Scheduling; Quick, one crawl of the cases that take hardly
any time; and Together, one crawl of all cases.

Most cases wait for a server or for a time limit, so tests run beside each other. Together takes longest, 20 s, most of
which are time limits of 8 s, twice for each silent server. Of the others, those of Delays take 3 s each.
"""
import sys
import unittest

sys.dont_write_bytecode = True
import cases
import checks
import crawls
import record
import trial
from beside import Program, beside, fail_if


def fail_if_told_otherwise(case, tried):
    """The book's table must have this outcome."""
    wrong = list(record.told_otherwise(case, tried, record.rows()))
    if wrong:
        wrong.append("update it with: tests/hostile/record.py --record book/figures/hostile.json")
    fail_if(wrong, f"{case.number}, in book/figures/hostile.json")


def test_of(case):
    def body(_):
        tried = trial.try_case(case)
        fail_if(tried.wrong, f"{case.number}, {case.title}")
        fail_if_told_otherwise(case, tried)
    return beside(body)


def tests_of(name, some_cases):
    """A class with a test for each case."""
    tests = {f"test_{case.name}": test_of(case) for case in some_cases}
    return type(name, (unittest.TestCase,), {"__module__": __name__, **tests})


def is_quick(case):
    return record.rows().get(case.number, {}).get("seconds", 1) < 0.1


Bodies, Delays, Redirects, Endless, Documents, Output, Scheduling = (
    tests_of(title.title(), cases.cases_of(section)) for section, title in cases.SECTIONS.items())


def crawl_together(index, *options):
    """One crawl of an index: each case has the same outcome as alone."""
    result = crawls.crawl([index.root], options, within=120 * min(trial.PATIENCE, 2))
    records = checks.read_records(result.output)
    statuses = {served.exit for served in index.served}
    status = 1 if 1 in statuses else max(statuses)
    wrong = [*checks.wrong_end(result, status), *checks.wrong_bytes(result.said), *checks.wrong_jsonl(result.output),
             *checks.wrong_records(records, index.expected)]
    for served in index.served:
        if served.case.check:
            own = [record for record in records if record["url"] in served.expected]
            wrong += served.case.check(served, result, own)
    if trial.MEMORY:
        wrong += checks.wrong_memory(result, 40, trial.MAX_BODY)
    fail_if([index.with_numbers(line) for line in wrong], "all cases together")


class Quick(unittest.TestCase):
    """For readers: a single crawl of all cases that take hardly any time."""

    def test_in_one_crawl(self):
        with cases.Index(some_cases=list(filter(is_quick, cases.all_cases()))) as index:
            self.assertGreater(len(index.served), 80)
            crawl_together(index, "--workers", 40)


class Together(unittest.TestCase):
    """All cases that fit into one crawl."""

    def test_in_one_crawl(self):
        with cases.Index() as index:
            self.assertGreater(len(index.served), 100)
            crawl_together(index, "--workers", 40, "--fetch-timeout", 8)


if __name__ == "__main__":
    Program()
