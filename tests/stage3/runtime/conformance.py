"""Prints what asyncio promises and whether our runtime keeps it.

Each row of conformance.txt has tests whose names begin with the row's. This runs the
tests, and prints the table with their verdicts: pass, fail, no test, or not done. A row
of level M or S that has not passed makes the status 1; so does a test of a row that
doesn't exist.

    conformance.py [--table FILE] PROGRAM...
    conformance.py                       takes the programs in build/tests/stage3
"""

import argparse
import re
import subprocess
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

HERE = Path(__file__).parent
ROW = re.compile(r"(?P<name>[A-Z]\d+)\s+(?P<level>[MSO])\s+(?P<text>.*)")


def read_table(path: Path):
    """The lines of the table: matches of ROW, and headings as plain strings."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        row = ROW.fullmatch(line)
        if not row and len(line.split()) > 2:
            sys.exit(f"{path.name}:{number}: neither a row nor a heading: {line}")
        yield row or line


def run_tests(programs) -> dict[str, list[bool]]:
    """The results of each row's tests, by the row's name."""
    verdicts: dict[str, list[bool]] = {}
    for program in programs:
        # Only the tests of rows: the other tests take long, and run elsewhere anyway.
        answer = subprocess.run([program, "-r=xml", "-d", "-tc=??:*,???:*"],
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
        try:
            cases = list(xml.fromstring(answer.stdout).iter("TestCase"))
        except xml.ParseError as error:
            sys.exit(f"{program} did not complete its report: {error}")
        for case in cases:
            result = case.find("OverallResultsAsserts")
            name = re.match(r"([A-Z]\d+):", case.get("name"))
            if name and result is not None:
                passed = result.get("test_case_success") == "true"
                verdicts.setdefault(name[1], []).append(passed)
    return verdicts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--table", type=Path, default=HERE / "conformance.txt")
    parser.add_argument("programs", nargs="*", type=Path)
    options = parser.parse_args()
    programs = options.programs or sorted((HERE.parents[2] / "build/tests/stage3").glob("*_test"))
    if not programs:
        sys.exit("no test programs: run ./learn test first, or name them")
    verdicts = run_tests(programs)
    missed = passed = 0
    for row in read_table(options.table):
        if isinstance(row, str):
            print(f"\n{row}")
            continue
        results = verdicts.pop(row["name"], None)
        if results:
            verdict = "pass" if all(results) else "FAIL"
        else:
            verdict = "not done" if row["text"].startswith("-") else "NO TEST"
        passed += verdict == "pass"
        missed += verdict == "FAIL" or (verdict != "pass" and row["level"] in "MS")
        print(f"  {row['name']:4} {row['level']}  {verdict:9} {row['text'].removeprefix('- ')}")
    for name in verdicts:
        print(f"  {name}: a test, but no such row")
    print(f"\n{passed} rows pass, {missed} of those that must or should do not")
    return 1 if missed or verdicts else 0


if __name__ == "__main__":
    sys.exit(main())
