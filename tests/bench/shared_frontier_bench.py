#!/usr/bin/env python3
"""What it costs to share a crawl: page 30's table.

    tests/bench/shared_frontier_bench.py --build build-bench [--json FILE]
    tests/bench/shared_frontier_bench.py --from FILE

It crawls one site with the frontier in memory, and then with one in Redis, with 1, 2 and 4 processes: what does a page
take of the processor, here and in Redis; how many calls, and how many bytes; how much memory does Redis need for a URL?
nginx serves the site, if it's installed. All share this machine's cores: so this doesn't show how much
faster a crawl gets with more processes. For that, see page 30's plan.
"""
from __future__ import annotations

import contextlib
import os
import queue
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from common import STAGE3, TESTS, measure_or_show, parser_of, processor_seconds

sys.path.append(str(TESTS / "stage3/shared_frontier"))
from measure import Trouble  # noqa: E402  (its folder is on the path since `common` was imported)
from nginx import Nginx, find_nginx, write_files  # noqa: E402
from redis_server import RedisServer, skip_if_there_is_none  # noqa: E402
from servers import PracticeSite, Site  # noqa: E402


@dataclass(frozen=True)
class Way:
    """One way to crawl. No processes: the frontier in memory. In milliseconds, `latency`: of each of the site's answers;
    `away`: to Redis and back."""
    processes: int
    workers: int = 10
    latency: int = 0
    away: int = 0

    def name(self) -> str:
        if self.processes == 0:
            return "in memory"
        return "Redis, 1 process" if self.processes == 1 else f"Redis, {self.processes} processes"


WAYS = [Way(0), Way(1), Way(2), Way(4), Way(1, 1), Way(1, 100), Way(1, 100, away=5), Way(2, 100, away=5),
        Way(4, 100, away=5), Way(1, 10, 20)]


class Distance:
    """Passes on what Redis and its clients say, and is as slow as a network that needs `away` milliseconds there and
    back. A thread for each direction of each connection: their number is small."""

    def __init__(self, path: str, away: int):
        self.path, self.seconds = path, away / 2000
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.url = f"redis://127.0.0.1:{self.listener.getsockname()[1]}"

    def __enter__(self):
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.close()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                redis = socket.socket(socket.AF_UNIX)
                redis.connect(self.path)
                for source, target in ((client, redis), (redis, client)):
                    sent: queue.Queue = queue.Queue()
                    threading.Thread(target=self.read, args=(source, sent), daemon=True).start()
                    threading.Thread(target=self.write, args=(target, sent), daemon=True).start()

    @staticmethod
    def read(source: socket.socket, sent: queue.Queue):
        data = b" "
        while data:
            try:
                data = source.recv(1 << 18)
            except OSError:
                data = b""
            sent.put((time.monotonic(), data))

    def write(self, target: socket.socket, sent: queue.Queue):
        with contextlib.suppress(OSError):
            while True:
                when, data = sent.get()
                time.sleep(max(0.0, when + self.seconds - time.monotonic()))
                if not data:
                    target.shutdown(socket.SHUT_WR)
                    return
                target.sendall(data)


def info(redis, section: str) -> dict[str, str]:
    text = redis.call("INFO", section)
    return dict(line.split(":", 1) for line in text.splitlines() if ":" in line)


def calls_in(redis) -> int:
    """How often the script was called."""
    stats = info(redis, "commandstats").get("cmdstat_evalsha", "calls=0")
    return int(stats.split("calls=")[1].split(",")[0])


def crawl(build: Path, way: Way, url: str, urls: int, server: RedisServer | None, redis_url: str = "") -> dict:
    """Crawls once, and says what it took. Throws Trouble if something was not found."""
    program, folder = str(build / STAGE3), tempfile.mkdtemp()
    command = [program, url, "-w", str(way.workers), "-q", "--no-robots", "--parse-threads", "0", "--format", "jsonl"]
    if server:
        command += ["--frontier", redis_url, "--crawl", "bench"]
    count = max(way.processes, 1)
    outputs = [f"{folder}/{i}" for i in range(count)]
    redis = server.client() if server else None
    before = (int(info(redis, "memory")["used_memory"]), info(redis, "stats"), processor_seconds(server.pid),
              calls_in(redis)) if redis else None
    own = os.times()
    began = time.monotonic()
    processes = [subprocess.Popen([*command, "-o", output]) for output in outputs]
    for process in processes:
        process.wait()
    wall = time.monotonic() - began
    now = os.times()
    found = {"wall": wall, "cpu": (now.children_user + now.children_system - own.children_user - own.children_system)}
    records = sum(Path(output).read_text(encoding="utf-8").count("\n") for output in outputs if os.path.exists(output))
    if records != urls:
        raise Trouble(f"{way.name()}: {records:,} records, and there are {urls:,} URLs")
    if redis:
        memory, stats, cpu, calls = before
        after = info(redis, "stats")
        found["redis_cpu"] = processor_seconds(server.pid) - cpu
        found["calls"] = calls_in(redis) - calls
        found["bytes_out"] = int(after["total_net_input_bytes"]) - int(stats["total_net_input_bytes"])
        found["memory"] = int(info(redis, "memory")["used_memory"]) - memory
        redis.close()
    return found


def warm_up(build: Path, url: str, server: RedisServer):
    """Lets Redis read the script, which takes memory, and forget the rest."""
    subprocess.run([build / STAGE3, url, "-q", "--max-pages", "1", "--frontier", server.url, "--crawl", "warm"],
                   stdout=subprocess.DEVNULL, check=False)
    with server.client() as redis:
        redis.call("FLUSHALL")


def measure_once(build: Path, way: Way, url: str, urls: int) -> dict:
    if way.processes == 0:
        return crawl(build, way, url, urls, None)
    with RedisServer() as server, Distance(server.socket, way.away) as distance:
        warm_up(build, url, server)
        return crawl(build, way, url, urls, server, distance.url if way.away else server.url)


def measure_ways(build: Path, ways: list[Way], url: str, urls: int, rounds: int) -> list[dict]:
    """The medians of each way. The ways take turns, because a machine has better and worse minutes."""
    runs: dict[Way, list[dict]] = {way: [] for way in ways}
    for _ in range(rounds):
        for way in ways:
            runs[way].append(measure_once(build, way, url, urls))
            print(f"{way}: {runs[way][-1]}", file=sys.stderr)
    return [{"way": asdict(way), "urls": urls,
             **{key: statistics.median(run[key] for run in of_way) for key in of_way[0]}}
            for way, of_way in runs.items()]


def measure(options) -> dict:
    skip_if_there_is_none()
    build, rows = options.build.resolve(), []
    site = Site(pages=options.pages, links=30, size=4096)
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as serving:
        server = serving.enter_context(PracticeSite(build, site, manifest=True))
        urls, url, about = len(server.manifest.urls()), server.url, server.about()
        if find_nginx():
            redirects = write_files(server, Path(folder))
            serving.close()  # nginx takes its port: the pages have links to it
            about = serving.enter_context(Nginx(Path(folder), redirects, server.port)).about()
        rows += measure_ways(build, [way for way in WAYS if not way.latency], url, urls, options.rounds)
    slow = Site(pages=options.pages // 5, links=30, size=4096, latency=20)
    with PracticeSite(build, slow, manifest=True) as practice:
        rows += measure_ways(build, [way for way in WAYS if way.latency], practice.url, len(practice.manifest.urls()),
                             options.rounds)
    return {"cores": len(os.sched_getaffinity(0)), "server": about, "pages": options.pages, "rounds": options.rounds,
            "rows": rows}


def table(found: dict) -> str:
    """For the page."""
    lines = [f"for each URL of a site with {found['pages']:,} pages of 4 kB and 30 links, on {found['cores']} cores:",
             f"{'frontier':<38}{'workers':>7}{'URLs/s':>9}{'stage 3':>9}{'Redis':>9}{'calls':>8}{'sent':>9}{'memory':>9}"]
    for row in found["rows"]:
        way, urls = Way(**row["way"]), row["urls"]
        name = way.name() + (f", answers take {way.latency} ms" if way.latency else "")
        name += f", {way.away} ms away" if way.away else ""
        cells = f"{name:<38}{way.workers:>7}{urls / row['wall']:>9,.0f}{row['cpu'] / urls * 1e6:>6.0f} µs"
        if way.processes:
            cells += (f"{row['redis_cpu'] / urls * 1e6:>6.0f} µs{row['calls'] / urls:>8.2f}"
                      f"{row['bytes_out'] / urls / 1000:>6.1f} kB{row['memory'] / urls:>7.0f} B")
        lines.append(cells)
    return "\n".join(lines)


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument("--build", type=Path, help="the build directory, of --buildtype=release")
    parser.add_argument("--pages", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    try:
        return measure_or_show(parser, measure, lambda found, _: table(found))
    except Trouble as trouble:
        sys.exit(f"shared_frontier_bench: {trouble}")


if __name__ == "__main__":
    sys.exit(main())
