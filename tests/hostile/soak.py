#!/usr/bin/env python3
"""A long crawl, by stage 3, of a site that misbehaves at random: is every URL in the records once, with the expected
outcome? And are memory and descriptors at the end what they were at the beginning?

    tests/hostile/soak.py [--seed N] [--urls N]    one crawl
    tests/hostile/soak.py --seconds 28800          for a night: crawl after crawl, each with another seed, until
                                                   something is wrong; the last lines say what, and with which seed
    tests/hostile/soak.py --record FILE            a crawl, and one of as many pages with nothing wrong; records how
                                                   both went
    tests/hostile/soak.py --report                 what is recorded (book/figures/soak.json)

Every quarter of a second, the number of records, the program's memory (VmRSS) and its number of descriptors are read
from Linux's /proc. A crawler keeps something for each URL that it knows, so its memory grows with their number. A line
is fitted (least squares) to the samples after the first fifth, and its slope is how many bytes each further URL takes.
"""
import argparse
import collections
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import checks
import crawls
import soak_site
from record import write

BOOK = crawls.HERE.parents[1] / "book/figures/soak.json"
WORKERS = 20
OPTIONS = ["--workers", WORKERS, "--max-tries", 2, "--max-body", "64k", "--fetch-timeout", 10]
# A URL takes about 150 (see page F). Short crawls are exempt, because chance weighs more in them.
MOST_BYTES_A_URL, ENOUGH_URLS = 300, 50_000
# Workers, kept connections (100), the standard ones, the selector's, and those that are about to be closed.
MOST_DESCRIPTORS = WORKERS + 100 + 20

Sample = collections.namedtuple("Sample", "seconds records rss descriptors")


class Served:
    """A site in a separate process, so that it is quick."""

    def __init__(self, seed, urls, plain):
        self._process = subprocess.Popen(
            [sys.executable, str(crawls.HERE / "soak_site.py"), "--seed", str(seed), "--urls", str(urls),
             *["--plain"] * plain], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        origins = json.loads(self._process.stdout.readline())
        self.site = soak_site.Site(seed, urls, origins, plain)

    def __enter__(self):
        return self.site

    def __exit__(self, *_):
        self._process.communicate()


class Watched:
    """A crawl, and what was measured during it."""

    def __init__(self, site, within):
        self.samples = []
        self.peak = 0
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as said:
            command = [crawls.PROGRAMS["stage3"], *map(str, OPTIONS), "--format", "jsonl", site.root]
            begun = time.monotonic()
            program = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=said)
            try:
                late = self._watch(program, output.fileno(), begun, within)
            finally:
                if program.returncode is None:
                    program.kill()
                    program.wait()
            status = "late" if late else program.returncode if program.returncode >= 0 else 128 - program.returncode
            self.seconds = time.monotonic() - begun
            output.seek(0)
            said.seek(0)
            self.result = crawls.Result(status, output.read(), said.read(), self.seconds, self.peak)

    def _watch(self, program, output, begun, within):
        """Takes samples until the program ends. Returns whether it has to be killed."""
        records, read = 0, 0
        while True:
            try:
                program.wait(0.25)
                return False
            except subprocess.TimeoutExpired:
                pass
            while more := os.pread(output, 1024 * 1024, read):
                records, read = records + more.count(b"\n"), read + len(more)
            seconds = time.monotonic() - begun
            try:
                proc = pathlib.Path(f"/proc/{program.pid}")
                told = dict(line.split(":", 1) for line in (proc / "status").read_text().splitlines())
                self.peak = int(told["VmHWM"].split()[0]) * 1024
                self.samples.append(Sample(seconds, records, int(told["VmRSS"].split()[0]) * 1024,
                                           len(os.listdir(proc / "fd"))))
            except (OSError, KeyError):
                pass  # it has just ended, or this isn't Linux
            if seconds > within:
                return True


def slope(points):
    """The slope of the line through these points."""
    xs, ys = zip(*points)
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    below = sum((each - x) ** 2 for each in xs)
    return sum((a - x) * (b - y) for a, b in points) / below if below else 0.0


def settled(samples, urls):
    """The samples without the first fifth of the crawl, in which buffers and threads are created."""
    return [sample for sample in samples if sample.records > urls / 5]


def bytes_a_url(samples, urls):
    points = [(sample.records, sample.rss) for sample in settled(samples, urls)]
    return slope(points) if len(points) > 2 else 0.0


def wrong_with(watched, site, expected):
    result, samples = watched.result, watched.samples
    dead = any(wanted.is_dead for wanted in expected.values())
    yield from checks.wrong_end(result, int(dead))
    yield from checks.wrong_jsonl(result.output)
    try:
        yield from checks.wrong_records(checks.read_records(result.output), expected)
    except ValueError:
        pass  # `wrong_jsonl` reports this
    most = max((sample.descriptors for sample in samples), default=0)
    if most > MOST_DESCRIPTORS:
        yield f"it had {most} descriptors, but may have only {MOST_DESCRIPTORS}"
    if os.environ.get("HOSTILE_MEMORY") == "no":
        return
    yield from checks.wrong_memory(result, WORKERS, soak_site.MAX_BODY)
    grows = bytes_a_url(samples, len(expected))
    if len(expected) > ENOUGH_URLS and grows > MOST_BYTES_A_URL:
        yield f"its memory grows by {grows:.0f} bytes per URL, but may grow only by {MOST_BYTES_A_URL}"


def soak(seed, urls, within, plain=False):
    """One crawl: (Watched, the expected records, what is wrong)."""
    with Served(seed, urls, plain) as site:
        expected = site.expected()
        watched = Watched(site, within)
        return watched, expected, list(wrong_with(watched, site, expected))


def in_words(watched, expected):
    counts = collections.Counter(wanted.outcome for wanted in expected.values())
    outcomes = ", ".join(f"{count:,} {name}" for name, count in counts.most_common())
    return (f"{len(expected):,} URLs ({outcomes}) in {watched.seconds:.0f} s; at most {watched.peak / 1e6:.0f} MB; "
            f"{bytes_a_url(watched.samples, len(expected)):.0f} bytes per further URL")


def tell_wrong(seed, urls, wrong):
    for line in wrong[:20]:
        print(line[:2000])
    if len(wrong) > 20:
        print(f"... and {len(wrong) - 20} more")
    print(f"{len(wrong)} wrong. Again: tests/hostile/soak.py --seed {seed} --urls {urls}", flush=True)


def one_after_the_other(options):
    """Crawls again and again until the time is up or something is wrong."""
    end = time.monotonic() + options.seconds
    seed = options.seed
    while True:
        watched, expected, wrong = soak(seed, options.urls, options.within)
        print(f"seed {seed}: {in_words(watched, expected)}", flush=True)
        if wrong:
            tell_wrong(seed, options.urls, wrong)
            return 1
        if time.monotonic() >= end:
            return 0
        seed += 1


def row_of(name, watched, expected):
    """The figures for the book. `parts`: the samples of memory, grouped by tenths of the crawl."""
    records = checks.read_records(watched.result.output)
    parts = []
    for begin in range(10):
        part = [sample for sample in watched.samples
                if begin * len(expected) <= 10 * sample.records < (begin + 1) * len(expected)]
        if part:
            parts.append({"tenth": begin + 1, "mb": round(sum(s.rss for s in part) / len(part) / 1e6, 1),
                          "descriptors": max(s.descriptors for s in part)})
    return {"name": name, "urls": len(expected), "tries": sum(record["tries"] for record in records),
            "seconds": round(watched.seconds, 1), "peak_mb": round(watched.peak / 1e6, 1),
            "bytes_a_url": round(bytes_a_url(watched.samples, len(expected))),
            "outcomes": dict(collections.Counter(record["outcome"] for record in records).most_common()),
            "reasons": len({record["error"] for record in records if record["error"]}), "tenths": parts}


def record(options):
    told = {"kind": "soak", "when": time.strftime("%Y-%m-%d"), "cores": os.cpu_count(), "seed": options.seed,
            "fates": len(soak_site.FATES), "rows": []}
    for name, plain in (("misbehaving", False), ("plain pages", True)):
        watched, expected, wrong = soak(options.seed, options.urls, options.within, plain)
        print(f"{name}: {in_words(watched, expected)}", file=sys.stderr)
        if wrong:  # then nothing is recorded
            tell_wrong(options.seed, options.urls, wrong)
            return 1
        told["rows"].append(row_of(name, watched, expected))
    write(options.record, told, "rows")
    return 0


def report(told):
    bad, plain = told["rows"]
    lines = [f"A site with {told['fates']} kinds of answers, seed {told['seed']}; and one of plain pages.", "",
             f"{'':22}{bad['name']:>14}{plain['name']:>14}"]

    def line(name, value, digits=0):
        lines.append(f"{name:22}" + "".join(f"{value(row):>14,.{digits}f}" for row in (bad, plain)))

    def in_tenth(row, number, field):
        return next(tenth[field] for tenth in row["tenths"] if tenth["tenth"] == number)
    line("URLs", lambda row: row["urls"])
    for outcome in bad["outcomes"]:
        line(f"  {outcome}", lambda row: row["outcomes"].get(outcome, 0))
    line("tries", lambda row: row["tries"])
    line("reasons", lambda row: row["reasons"])
    line("seconds", lambda row: row["seconds"])
    for number in (2, 6, 10):
        line(f"MB, {number}th tenth".replace("2th", "2nd"), lambda row: in_tenth(row, number, "mb"), 1)
    line("bytes a further URL", lambda row: row["bytes_a_url"])
    for number in (2, 6, 10):
        line(f"files open, {number}th tenth".replace("2th", "2nd"), lambda row: in_tenth(row, number, "descriptors"))
    return "\n".join([*lines, "", f"On {told['cores']} cores, {told['when']}."])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, help="1; with --seconds, the current time")
    parser.add_argument("--urls", type=int, default=200_000, help="of the site; redirects' targets not counted")
    parser.add_argument("--seconds", type=float, default=0, help="crawl after crawl, for this long")
    parser.add_argument("--within", type=float, default=3600, help="seconds that a crawl may take")
    parser.add_argument("--record", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--from", type=pathlib.Path, default=BOOK, metavar="FILE", dest="source",
                        help="where it's recorded (book/figures/soak.json)")
    options = parser.parse_args()
    if options.seed is None:
        options.seed = int(time.time()) if options.seconds else 1
    if options.report:
        print(report(json.loads(options.source.read_text(encoding="utf-8"))))
        return 0
    return record(options) if options.record else one_after_the_other(options)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # not without ending the program and the site
    sys.exit(main())
