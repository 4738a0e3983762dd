#!/usr/bin/env python3
"""Prints the targets that ninja must build before some tests can run.

    targets.py BUILD [--suite NAME]... [--no-suite NAME]... [TEST]...

Tests are selected as `meson test` selects them. BUILD is a build directory.
"""
import argparse
import json
import os
from pathlib import Path


def chosen(test, options):
    suites = {suite.partition(":")[2] for suite in test["suite"]}
    return (not (suites & set(options.no_suite)) and (not options.suite or suites & set(options.suite))
            and (not options.tests or test["name"] in options.tests))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("tests", nargs="*")
    parser.add_argument("--suite", action="append", default=[])
    parser.add_argument("--no-suite", action="append", default=[])
    options = parser.parse_args()
    tests, targets = (json.loads(Path(options.build, f"meson-info/intro-{what}.json").read_text(encoding="utf-8"))
                      for what in ("tests", "targets"))
    files = {target["id"]: target["filename"] for target in targets}
    needed = {id for test in tests if chosen(test, options) for id in test["depends"]}
    for name in sorted(files[id][0] for id in needed):
        print(os.path.relpath(name, os.path.realpath(options.build)))


if __name__ == "__main__":
    main()
