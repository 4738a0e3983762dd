#!/usr/bin/env python3
"""A crawl over TLS, with HTTP/1.1 and with HTTP/2: stage 3, wget2 and libcurl alone against nginx.

    tls_bench.py --build build-bench [--pages N] [--rounds N] [--json FILE]
    tls_bench.py --from FILE

Needs nginx with its echo module (Debian: nginx, libnginx-mod-http-echo). The site has N pages (5000) and 150 links
that are dead. Answers come at once, or after 50 ms. All rounds are one run, and contestants take turns. For each: the
medians of URLs per second, of the crawler's processor time per URL, of connections, and of TLS handshakes; `resumed`:
so many of them went on with an earlier connection's session, and so were cheaper.
`wget2, 2, 1 x 100` is wget2 with HTTP/2, one thread (--max-threads) and up to 100 streams in each thread's connection
(--http2-request-window). With `10 x 30`, only the threads were chosen, and `as it comes`, nothing: 5 x 30.
What nginx logged must be each URL once, in the version of HTTP that was wanted; otherwise the row says so.
"""
import collections
import datetime
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from typing import NamedTuple

from common import STAGE3, TESTS, libcurl_of, measure_or_show, parser_of, run
from nginx_server import PROGRAM, free_port, nginx  # its folder is on the path since `common` was imported

TLS = TESTS / "support/tls"
ROBOTS = "/robots.txt"  # wget2 2.2 asks for it even if it's told not to: once, which is let pass
DEAD = 150  # links of the site that lead nowhere
ECHO = "/usr/lib/nginx/modules/ngx_http_echo_module.so"
CONFIGURATION = """
  log_format short '$server_protocol $connection $ssl_session_reused $status $request_uri';
  access_log {folder}/access.log short;
  types {{ text/html html; }}
  keepalive_requests 1000000;
  server {{
    listen 127.0.0.1:{port} ssl{http2};
    ssl_certificate {certificate}; ssl_certificate_key {certificate};
    location / {{ {latency} echo_exec @file; }}
    location @file {{ root {folder}/site; index index.html; }}
  }}
  server {{ listen 127.0.0.1:{status_port}; access_log off; location / {{ stub_status; }} }}
"""


def make_site(folder: pathlib.Path, pages: int) -> dict[str, str]:
    """Returns the status that each path must have."""
    folder.mkdir()
    numbers = random.Random(1)
    dead = collections.defaultdict(list)
    for number in range(DEAD):
        dead[numbers.randrange(pages)].append(f"/gone/{number}.html")
    paths = ["/", *(f"/{page}.html" for page in range(1, pages))]
    for page in range(pages):
        links = [10 * page + i + 1 for i in range(10) if 10 * page + i + 1 < pages]
        links += [numbers.randrange(pages) for _ in range(10)]
        text = "".join(f'<a href="{link}">{link}</a>\n' for link in [*(paths[link] for link in links), *dead[page]])
        (folder / (paths[page][1:] or "index.html")).write_text(text + "<p>" + 20_000 * "x")
    return {path: "200" for path in paths} | {path: "404" for of_page in dead.values() for path in of_page}


def configuration(folder: pathlib.Path, port: int, status_port: int, latency_ms: int) -> str:
    return CONFIGURATION.format(folder=folder, port=port, status_port=status_port, certificate=TLS / "site.pem",
                                latency=f"echo_sleep {latency_ms / 1000};" if latency_ms else "",
                                http2="; http2 on" if version_of(PROGRAM) > "nginx/1.25" else " http2")


class Contestant(NamedTuple):
    name: str
    version: str  # of HTTP, as nginx logs it
    at_once: int
    command: list
    knows_urls: bool = False  # it doesn't look for them: they are on its standard input


def contestants(build: pathlib.Path, at_once: int) -> list[Contestant]:
    """wget2 fetches as many at once as it has threads, times streams in a connection of each. The threads are named
    first. As it comes, it has 5 threads and 30 streams; 30 is also what it has if only the threads are chosen."""
    ca = TLS / "ca.pem"
    ours = [build / STAGE3, "-q", "--no-robots", "--cacert", ca, "-w", at_once, "-o", os.devnull]
    floor = [build / "tests/bench/multi_bench", at_once, "--cacert", ca]
    found = [Contestant("libcurl floor, 1.1", "HTTP/1.1", at_once, [*floor, "--http1.1"], True),
             Contestant("libcurl floor, 2", "HTTP/2.0", at_once, [*floor, "--http2"], True),
             Contestant("stage 3, 1.1", "HTTP/1.1", at_once, [*ours, "--http1.1"]),
             Contestant("stage 3, 2", "HTTP/2.0", at_once, [*ours, "--http2"])]
    if not shutil.which("wget2"):
        return found
    wget2 = ["wget2", "-q", "-r", "-l", "inf", "--no-robots", f"--ca-certificate={ca}", "-O", os.devnull]
    found.append(Contestant(f"wget2, 1.1, {at_once} threads", "HTTP/1.1", at_once,
                            [*wget2, "--http2=off", f"--max-threads={at_once}"]))
    middle = 2 if at_once == 10 else 10  # threads
    for threads, streams in ((1, at_once), (middle, at_once // middle), (at_once, 1)):
        found.append(Contestant(f"wget2, 2, {threads} x {streams}", "HTTP/2.0", at_once,
                                [*wget2, f"--max-threads={threads}", f"--http2-request-window={streams}"]))
    found.append(Contestant("wget2, 2, 10 x 30", "HTTP/2.0", 300, [*wget2, "--max-threads=10"]) if at_once == 10 else
                 Contestant("wget2, 2, as it comes", "HTTP/2.0", 150, wget2))
    return found


class Figures(NamedTuple):
    seconds: float
    cpu: float
    connections: int  # that nginx has accepted
    handshakes: int  # connections with a request in them
    resumed: int  # of the handshakes
    fault: str


def accepted(status_port: int) -> int:
    """How many connections nginx has accepted until now. Asking is one more, which is left out."""
    with urllib.request.urlopen(f"http://127.0.0.1:{status_port}/") as answer:
        numbers = answer.read().decode().splitlines()[2]
    accepted.asked += 1
    return int(numbers.split()[0]) - accepted.asked


accepted.asked = 0


def read_log(text: str, version: str, wanted: dict[str, str]) -> tuple[int, int, str]:
    """Handshakes, resumed ones, and what was not exact."""
    lines = [line.split() for line in text.splitlines()]
    asked = collections.Counter((path, status) for *_, status, path in lines if path != ROBOTS)
    right = sum(asked[one] == 1 for one in wanted.items())
    requests = sum(asked.values())
    fault = "" if right == len(wanted) == requests else f"{right} of {len(wanted)} right, {requests} requests"
    if {line[0] for line in lines} != {version}:
        fault += f" {dict(collections.Counter(line[0] for line in lines))}"
    sessions = {connection: reused for _, connection, reused, *_ in lines}
    return len(sessions), sum(reused == "r" for reused in sessions.values()), fault


def measured(one: Contestant, url: str, log: pathlib.Path, status_port: int, wanted: dict[str, str]) -> Figures:
    log.write_text("")
    before = accepted(status_port)
    given = "".join(f"{url[:-1]}{path}\n" for path in wanted) if one.knows_urls else url
    used = run(one.command if one.knows_urls else [*one.command, url], given, good=())
    time.sleep(0.2)  # the log's last lines
    handshakes, resumed, fault = read_log(log.read_text(), one.version, wanted)
    return Figures(used.wall, used.cpu, accepted(status_port) - before, handshakes, resumed, fault)


def rows_of(build: pathlib.Path, pages: int, rounds: int):
    """All rows, each as soon as it's there."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        wanted = make_site(folder / "site", pages)
        for latency in (0, 50):
            port, status_port = free_port(), free_port()
            url = f"https://127.0.0.1:{port}/"
            accepted.asked = 0
            with nginx(folder, configuration(folder, port, status_port, latency), port, f"load_module {ECHO};"):
                for at_once in (10, 100):
                    rows = contestants(build, at_once)
                    results = collections.defaultdict(list)
                    for _ in range(rounds):
                        for one in rows:
                            results[one.name].append(measured(one, url, folder / "access.log", status_port, wanted))
                    for one in rows:
                        yield row_of(latency, one, results[one.name], len(wanted))


def row_of(latency: int, one: Contestant, results: list[Figures], urls: int) -> dict:
    seconds, cpu, connections, handshakes, resumed = (statistics.median(values) for values in list(zip(*results))[:5])
    return {"latency": latency, "at_once": one.at_once, "crawler": one.name, "urls_per_s": urls / seconds,
            "cpu_ms": 1000 * cpu / urls, "connections": connections, "handshakes": handshakes, "resumed": resumed,
            "fault": "; ".join(sorted({figures.fault for figures in results} - {""}))}


HEAD = f"{'latency':>7}  at once  {'crawler':<23}  {'URLs/s':>6}  CPU ms  connections  handshakes  resumed"


def in_words(row: dict) -> str:
    line = (f"{row['latency']:>4} ms  {row['at_once']:>7}  {row['crawler']:<23}  {row['urls_per_s']:>6,.0f}  "
            f"{row['cpu_ms']:>6.3f}  {row['connections']:>11.0f}  {row['handshakes']:>10.0f}  {row['resumed']:>7.0f}")
    return f"{line}  not exact: {row['fault']}" if row["fault"] else line


def version_of(command: str) -> str:
    said = subprocess.run([command, "-V" if command != PROGRAM else "-v"], capture_output=True, encoding="utf-8")
    return (said.stdout + said.stderr).splitlines()[0].removeprefix("nginx version: ").split(" - ")[0]


def measure(options) -> dict:
    if not PROGRAM or not pathlib.Path(ECHO).exists():
        sys.exit("needs nginx and its echo module: apt-get install nginx libnginx-mod-http-echo")
    build = options.build.resolve()
    rivals = [version_of("wget2")] if shutil.which("wget2") else []
    versions = [version_of(PROGRAM), *rivals, libcurl_of(build / STAGE3)]
    about = (f"{options.pages:,} pages of 20 kB and {DEAD} dead links over TLS, one host; {', '.join(versions)}.\n"
             f"Medians of {options.rounds} rounds on {os.cpu_count()} cores, {datetime.date.today()}. "
             "CPU ms: the crawler's, per URL.")
    rows = []
    for row in rows_of(build, options.pages, options.rounds):
        rows.append(row)
        print(in_words(row), file=sys.stderr)
    return {"about": about, "rows": rows}


if __name__ == "__main__":
    options_of = parser_of(__doc__)
    options_of.add_argument("--build", type=pathlib.Path, help="the build directory, of --buildtype=release")
    options_of.add_argument("--pages", type=int, default=5000)
    options_of.add_argument("--rounds", type=int, default=5)
    sys.exit(measure_or_show(options_of, measure, lambda told, _: "\n".join(
        [told["about"], HEAD, *map(in_words, told["rows"])])))
