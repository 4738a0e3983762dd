#!/usr/bin/env python3
"""HTTP/1.1 beside HTTP/2, over TLS: our crawler and wget2 against nginx, with and without latency.

    http2_bench.py --build build-bench [--pages N] [--rounds N] [--json FILE]
    http2_bench.py --from FILE

Needs nginx with its echo module (Debian: nginx, libnginx-mod-http-echo). All rounds are one run, and contestants
take turns. For each: the median of URLs per second, of processor time per URL, and how many connections there were.
What nginx logged must be each page once, in the version of HTTP that was wanted; otherwise the row says so.
"""
import collections
import ctypes
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

from common import STAGE3, TESTS, measure_or_show, parser_of, run
from nginx_server import PROGRAM, free_port, nginx  # its folder is on the path since `common` was imported

TLS = TESTS / "support/tls"
ECHO = "/usr/lib/nginx/modules/ngx_http_echo_module.so"
CONFIGURATION = """
  log_format short '$server_protocol $connection $status $uri'; access_log {folder}/access.log short;
  types {{ text/html html; }}
  keepalive_requests 1000000;
  server {{
    listen 127.0.0.1:{port} ssl{http2};
    ssl_certificate {certificate}; ssl_certificate_key {certificate};
    location / {{ {latency} echo_exec @file; }}
    location @file {{ root {folder}/site; index index.html; }}
  }}
"""


def make_site(folder: pathlib.Path, pages: int):
    folder.mkdir()
    numbers = random.Random(1)
    for page in range(pages):
        links = [10 * page + i + 1 for i in range(10) if 10 * page + i + 1 < pages]
        links += [numbers.randrange(pages) for _ in range(10)]
        text = "".join(f'<a href="/{link}.html">{link}</a>\n' for link in links) + "<p>" + 20_000 * "x"
        (folder / f"{page}.html").write_text(text)
    (folder / "index.html").write_text('<a href="/0.html">0</a>')


def configuration(folder: pathlib.Path, port: int, latency_ms: int) -> str:
    return CONFIGURATION.format(folder=folder, port=port, certificate=TLS / "site.pem",
                                latency=f"echo_sleep {latency_ms / 1000};" if latency_ms else "",
                                http2="; http2 on" if version_of(PROGRAM) > "nginx/1.25" else " http2")


def contestants(stage3: pathlib.Path, workers: int):
    ours = [stage3, "-q", "--no-robots", "--cacert", TLS / "ca.pem", "-w", str(workers), "-o", os.devnull]
    yield "stage 3, 1.1", "HTTP/1.1", [*ours, "--http1.1"]
    yield "stage 3, 2", "HTTP/2.0", [*ours, "--http2"]
    if shutil.which("wget2"):
        rival = ["wget2", "-q", "-r", "-l", "inf", "--no-robots", f"--ca-certificate={TLS / 'ca.pem'}",
                 f"--max-threads={workers}", "--http2-request-window=1",  # default: 30 at once in each thread
                 "-O", os.devnull]
        yield "wget2, 1.1", "HTTP/1.1", [*rival, "--http2=off"]
        yield "wget2, 2", "HTTP/2.0", [*rival, "--http2=on"]


Figures = collections.namedtuple("Figures", "seconds cpu connections fault")


def measured(command, url, log: pathlib.Path, version, urls) -> Figures:
    log.write_text("")
    used = run([*command, url], good=())
    time.sleep(0.2)  # the log's last lines
    lines = [line.split() for line in log.read_text().splitlines()]
    pages = collections.Counter(line[3] for line in lines if line[2] == "200")
    fault = ("" if len(pages) == urls and set(pages.values()) == {1} else f"{len(pages)} pages, {len(lines)} requests")
    if {line[0] for line in lines} != {version}:
        fault += f" {dict(collections.Counter(line[0] for line in lines))}"
    return Figures(used.wall, used.cpu, len({line[1] for line in lines}), fault)


def rows_of(stage3: pathlib.Path, pages: int, rounds: int):
    """All rows, each as soon as it's there."""
    urls = pages + 1  # and the index
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        make_site(folder / "site", pages)
        for latency in (0, 50):
            port = free_port()
            url = f"https://127.0.0.1:{port}/"
            with nginx(folder, configuration(folder, port, latency), port, f"load_module {ECHO};"):
                for workers in (10, 100):
                    rows = list(contestants(stage3, workers))
                    results = collections.defaultdict(list)
                    for _ in range(rounds):
                        for name, version, command in rows:
                            results[name].append(measured(command, url, folder / "access.log", version, urls))
                    for name, _, _ in rows:
                        middle = Figures(*(statistics.median(values) for values in list(zip(*results[name]))[:3]),
                                         "; ".join({figures.fault for figures in results[name]} - {""}))
                        yield {"latency": latency, "workers": workers, "crawler": name,
                               "urls_per_s": urls / middle.seconds, "cpu_ms": 1000 * middle.cpu / urls,
                               "connections": middle.connections, "fault": middle.fault}


HEAD = f"{'latency':>7}  {'at once':>7}  {'crawler':<12}  {'URLs/s':>7}  {'CPU ms a URL':>12}  {'connections':>11}"


def in_words(row) -> str:
    line = (f"{row['latency']:>4} ms  {row['workers']:>7}  {row['crawler']:<12}  {row['urls_per_s']:>7,.0f}  "
            f"{row['cpu_ms']:>12.3f}  {row['connections']:>11.0f}")
    return f"{line}  not exact: {row['fault']}" if row["fault"] else line


def version_of(command: str) -> str:
    said = subprocess.run([command, "-V" if command != PROGRAM else "-v"], capture_output=True, encoding="utf-8")
    return (said.stdout + said.stderr).splitlines()[0].removeprefix("nginx version: ").split(" - ")[0]


def libcurl_of(stage3: pathlib.Path) -> str:
    linked = subprocess.run(["ldd", stage3], capture_output=True, encoding="utf-8").stdout
    library = next(line.split()[2] for line in linked.splitlines() if "libcurl" in line)
    version = ctypes.CDLL(library).curl_version
    version.restype = ctypes.c_char_p
    return version().decode().split()[0]


def measure(options) -> dict:
    if not PROGRAM or not pathlib.Path(ECHO).exists():
        sys.exit("needs nginx and its echo module: apt-get install nginx libnginx-mod-http-echo")
    stage3 = options.build.resolve() / STAGE3
    rivals = [version_of("wget2")] if shutil.which("wget2") else []
    versions = [version_of(PROGRAM), *rivals, libcurl_of(stage3)]
    about = (f"{options.pages:,} pages of 20 kB over TLS, one host; {', '.join(versions)}.\n"
             f"Medians of {options.rounds} rounds on {os.cpu_count()} cores, {datetime.date.today()}.")
    rows = []
    for row in rows_of(stage3, options.pages, options.rounds):
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
