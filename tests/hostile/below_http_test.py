#!/usr/bin/env python3
"""Stage 3 and what goes wrong beneath HTTP: one test per fault (see below_http.py).

    STAGE3=build/stage3_queue_crawler/stage3 tests/hostile/below_http_test.py [-v] [Faults.TEST...]

HOSTILE_MEMORY=no means that the program has sanitizers. Then memory isn't limited, because they reserve terabytes, nor
are descriptors, because they need some to inspect an object; and the clock doesn't jump, because the library that makes
it jump would have to be loaded before theirs.
"""
import os
import re
import sys
import unittest

sys.dont_write_bytecode = True
import below_http
from beside import Program, beside, fail_if


def test_of(one):
    def body(_):
        run, wrong = below_http.try_fault(one)
        fail_if(wrong or list(below_http.wrong_row(one, run)), one.title)
    return beside(body)


def is_possible(one):
    return os.environ.get("HOSTILE_MEMORY") != "no" or not re.match("no more memory|all but|the wall clock", one.title)


def name_of(one):
    return f"test_{one.number}_" + re.sub(r"\W+", "_", one.title).strip("_")


Faults = type("Faults", (unittest.TestCase,), {"__module__": __name__, **{
    name_of(one): test_of(one) for one in below_http.FAULTS if is_possible(one)}})


if __name__ == "__main__":
    Program()
