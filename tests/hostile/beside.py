"""Tests that run beside each other, because they spend most of their time waiting."""
import concurrent.futures
import unittest

AT_ONCE = 8


class Runs:
    """Tests that have begun or finished."""

    def __init__(self):
        self.pool = concurrent.futures.ThreadPoolExecutor(AT_ONCE)
        self.futures = {}

    def begin(self, test, body):
        if test.id() not in self.futures:
            self.futures[test.id()] = self.pool.submit(body, test)
        return self.futures[test.id()]


RUNS = Runs()


def beside(body, first=False):
    """A test that begins long before its turn and then only reports its outcome. `first`: it takes long and should
    begin before others."""
    def test(self):
        RUNS.begin(self, body).result()
    test.body, test.first = body, first
    return test


def fail_if(wrong, what):
    """Fails with a line for each thing that is wrong."""
    if wrong:
        raise AssertionError("\n".join([f"{what}:", *wrong]))


class Program(unittest.TestProgram):
    """Begins all requested tests before it waits for one."""

    def runTests(self):
        tests = [self.test]
        for test in tests:
            if isinstance(test, unittest.TestSuite):
                tests += test
        methods = [(test, getattr(test, getattr(test, "_testMethodName", ""), None)) for test in tests]
        for test, method in sorted(methods, key=lambda pair: not getattr(pair[1], "first", False)):
            if hasattr(method, "body"):
                RUNS.begin(test, method.body)
        super().runTests()
