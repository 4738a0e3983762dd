#!/usr/bin/env python3
"""Hostile servers and the programs of stages 1 and 2: the cases that a plain client meets as well.

    STAGE1=... STAGE2=... tests/hostile/plain_test.py [-v] [Stage1|Stage2[.TEST]...]

With HOSTILE_MEMORY=no, memory isn't checked. plain.py says which cases are left out, and why. The slowest case is a
server that stays silent: it takes 30 s, after which these programs give up if nothing at all happens.
"""
import os
import sys
import unittest

sys.dont_write_bytecode = True
import cases
import checks
import crawls
import plain
from beside import Program, beside, fail_if

MEMORY = os.environ.get("HOSTILE_MEMORY") != "no"
MAX_RESPONSE = 16 * checks.MEGA


def wrong_crawl(stage, case):
    with cases.Served(case) as served:
        result = crawls.run(stage, [served.root], descriptors=case.descriptors, within=120)
        try:
            records = list(plain.read_records(result.output))
        except ValueError as error:
            yield str(error)
            records = []
        dead = any(wanted.is_dead for wanted in plain.expected_of(served).values())
        yield from checks.wrong_end(result, int(dead))
        yield from checks.wrong_bytes(result.output)
        yield from checks.wrong_bytes(result.said)
        yield from plain.wrong_records(records, served)
        if MEMORY:
            yield from checks.wrong_memory(result, 1, MAX_RESPONSE)


def test_of(stage, case):
    return beside(lambda _: fail_if(list(wrong_crawl(stage, case)), f"{stage}, {case.number}, {case.title}"),
                  first=case.number == "24b")  # it takes 30 s


def tests_of(stage):
    tests = {f"test_{case.name}": test_of(stage, case) for case in plain.cases_to_try()}
    return type(stage.title(), (unittest.TestCase,), {"__module__": __name__, **tests})


Stage1, Stage2 = tests_of("stage1"), tests_of("stage2")


class Tables(unittest.TestCase):
    """plain.py names only cases that exist, and all that stage 3 finds dead."""

    def test_numbers(self):
        numbers = {case.number for case in cases.all_cases()}
        for table in (plain.WITHOUT, plain.DEAD, plain.OTHERS):
            self.assertEqual(set(table) - numbers, set())
        for case in plain.cases_to_try():
            if any(wanted.is_dead for wanted in case.expected.values()):
                self.assertTrue(case.number in plain.DEAD or case.number in plain.OTHERS, case.number)

    def test_what_is_wrong_is_seen(self):
        case = next(case for case in cases.all_cases() if case.number == "12a")
        with cases.Served(case) as served:
            good = [f"page      200       100  {served.root}", f"page      200       577  {served.url('/after')}",
                    f"dead      200         0  {served.url('/case')} (malformed chunk)", "3 URLs fetched"]

            def wrong(*lines):
                return list(plain.wrong_records(list(plain.read_records("\n".join(lines).encode())), served))
            self.assertEqual(wrong(*good), [])
            self.assertEqual(len(wrong(*good[1:])), 1)
            self.assertEqual(len(wrong(good[0], *good)), 1)
            self.assertEqual(len(wrong(good[0], good[1].replace("577", "6"), *good[2:])), 1)
            self.assertEqual(len(wrong(*good[:2], good[2].replace("chunk", "lump"), good[3])), 1)
            self.assertEqual(len(wrong(*good[:2], good[2].replace("dead", "page"), good[3])), 1)
            with self.assertRaisesRegex(ValueError, "no record"):
                wrong("what?", *good)


if __name__ == "__main__":
    Program()
