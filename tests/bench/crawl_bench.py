"""Measures stage 3 beside a bare libcurl client, and other crawlers that are installed, in one run.

    crawl_bench.py BUILD [PAGES]      (such as: crawl_bench.py build-release 5000)

The work is a practice site whose answers wait 50 ms, and one whose answers don't wait. The bare client is given
the list of URLs; crawlers must find it. Then stage 3 alone, with more or fewer threads to read pages. A build without optimisation measures the compiler's laziness: set one up
with `meson setup build-release --buildtype=release`.
"""

import os
import resource
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROUNDS = 3


class Site:
    """A practice site in a process of its own."""

    def __init__(self, build, *options):
        self.process = subprocess.Popen(
            [build / "tests/practice_site/practice_site", *options, "--manifest", "--until-eof"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.manifest, self.url = [], None
        for line in self.process.stdout:
            words = line.split()
            if words[0].startswith("http"):
                self.url = words[0]
            elif words[0] != "end":
                self.manifest.append(words)
            if self.url and words[0] == "end":
                break

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()


def measure(command, stdin=""):
    """Wall and CPU seconds of a command, which may say that links are dead."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    done = subprocess.run(command, input=stdin, capture_output=True, text=True)
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1, 8):  # 8: wget's word for dead links
        sys.exit(f"{command[0]} ended with {done.returncode}: {done.stderr[:500]}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compare(title, contestants, number):
    """Runs them in turn, so that whatever else the machine does falls on all."""
    taken = {name: [] for name, _, _ in contestants}
    for i in range(ROUNDS):
        for name, command, stdin in contestants[i % len(contestants):] + contestants[:i % len(contestants)]:
            taken[name].append(measure(command, stdin))
    first = None
    for name, _, _ in contestants:
        wall = statistics.median(w for w, _ in taken[name])
        cpu = statistics.median(c for _, c in taken[name])
        first = first or wall
        print(f"{title:<28} {name:<12} {wall:8.2f} s {number / wall:8.0f} URLs/s {first / wall:6.2f} × "
              f"{1e3 * cpu / number:8.3f} ms CPU each", flush=True)


def main():
    build = Path(sys.argv[1])
    pages = int(sys.argv[2]) if len(sys.argv) > 2 else 5000
    stage3 = build / "stage3_queue_crawler/stage3"
    multi = build / "tests/bench/multi_bench"
    if not multi.exists():
        sys.exit(f"there is no {multi}: type meson compile -C {build} benchmarks")
    options = ["--pages", str(pages), "--links", "30", "--size", "20000"]
    with Site(build, *options, "--latency", "50") as site:
        urls = "".join(f"{words[1]}\n" for words in site.manifest)
        number = len(site.manifest)
        for workers in (10, 100, 1000):
            if number / workers * 0.05 > 30:
                print(f"({workers} at once: too slow for {number} URLs; left out)")
                continue
            compare(f"50 ms, {workers} at once", [
                ("bare multi", [multi, str(workers)], urls),
                ("stage3", [stage3, "-q", "-w", str(workers), "-o", os.devnull, site.url], ""),
            ], number)
    with Site(build, *options) as site:
        urls = "".join(f"{words[1]}\n" for words in site.manifest)
        contestants = [("bare multi", [multi, "10"], urls),
                       ("stage3", [stage3, "-q", "-o", os.devnull, site.url], "")]
        if shutil.which("wget2"):
            contestants.append(("wget2", ["wget2", "-q", "-r", "-l", "inf", "--max-threads=10", "-O", os.devnull,
                                          "--no-robots", site.url], ""))
        compare("no latency, 10 at once", contestants, len(site.manifest))
    for links, size, share in ((30, 20_000, 1), (300, 20_000, 2), (1000, 60_000, 5)):
        with Site(build, "--pages", str(pages // share), "--links", str(links), "--size", str(size)) as site:
            compare(f"{links} links, {size // 1000} kB", [
                (f"{threads} threads", [stage3, "-q", "--parse-threads", str(threads), "-o", os.devnull, site.url], "")
                for threads in (0, 1, 3)
            ], len(site.manifest))


if __name__ == "__main__":
    main()
