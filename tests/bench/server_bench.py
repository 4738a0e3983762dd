"""Measures the practice site as a server: beside nginx, and with ten thousand connections.

    server_bench.py BUILD [CONNECTIONS]      (such as: server_bench.py build-release 10000)

First, requests per second: wrk asks for 100 pages in turn, each server has one core, and nginx serves the very
bytes that the site makes. The site makes up its pages anew for each request; a second one keeps them, as
nginx has its files. Then CONNECTIONS are opened that have been answered once and stay open, and for 30 s
100 other clients ask ten times a second each, measured against the same without those connections. Needs wrk,
nginx and taskset, and three cores. A build without optimization measures the compiler's laziness: set one up with
`meson setup build-release --buildtype=release`.
"""

import http.client
import select
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import deque
from pathlib import Path

from common import PRACTICE_SITE, practice_site, processor_seconds, take_descriptors
from nginx_server import free_port, nginx  # its folder is on the path since `common` was imported

ROUNDS = 3
PAGES = 100
SERVER_CORE, CLIENT_CORES = 0, "1-2"

NGINX = """
    access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000000;
    open_file_cache max=1000; default_type text/html;
    server {{ listen 127.0.0.1:{port}; root {folder}/pages; }}
"""

WRK = """
local next = 0
function request()
    next = (next + 1) % {pages}
    return wrk.format("GET", "/p/" .. next + 1)
end
"""


def memory(process):
    """How many bytes of it are in memory."""
    for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("no VmRSS")


def our_server(build, *options):
    return practice_site(build / PRACTICE_SITE, "--pages", str(PAGES + 1), *options, core=SERVER_CORE)


def wrk(url, script, connections=64):
    said = subprocess.run(["taskset", "-c", CLIENT_CORES, "wrk", "-t2", f"-c{connections}", "-d5s", "-s", script, url],
                          capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in said or "Socket errors" in said:
        sys.exit(said)
    return float(said.split("Requests/sec:")[1].split()[0])


def beside_nginx(build, script):
    with our_server(build) as site, our_server(build, "--keep") as ready, tempfile.TemporaryDirectory() as name:
        folder, port, sizes = Path(name), free_port(), []
        (folder / "pages/p").mkdir(parents=True)
        client = http.client.HTTPConnection("127.0.0.1", site.port)
        for number in range(1, PAGES + 1):
            client.request("GET", f"/p/{number}")
            sizes.append((folder / f"pages/p/{number}").write_bytes(client.getresponse().read()))
        client.close()
        with nginx(folder, NGINX.format(folder=folder, port=port), port, core=SERVER_CORE):
            servers = {"nginx": f"http://127.0.0.1:{port}/", "our server, pages at hand": ready.url,
                       "our server, pages made up": site.url}
            rates = {name: [] for name in servers}
            for _ in range(ROUNDS):
                for name, url in servers.items():
                    rates[name].append(wrk(url, script))
    first = statistics.median(rates["nginx"])
    size = statistics.mean(sizes)
    for name, all_rates in rates.items():
        rate = statistics.median(all_rates)
        print(f"{PAGES} pages of {size:.0f} bytes, one core: {name:<25} {rate:8.0f} requests/s {rate / first:6.2f} ×",
              flush=True)


def receive(connection):
    """One response. Ours come in a few pieces."""
    received = b""
    length = None
    while length is None or len(received) < length:
        some = connection.recv(65536)
        if not some:
            sys.exit("the server has hung up")
        received += some
        if length is None and b"\r\n\r\n" in received:
            head = received.partition(b"\r\n\r\n")[0]
            length = len(head) + 4 + int(head.split(b"Content-Length: ")[1].split()[0])


REQUEST = b"GET /p/7 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


def latencies(site, clients, seconds):
    """Of `clients` that ask ten times a second each, at even distances: milliseconds, sorted. They count from the
    moment when a request was due: a client that still waits for an answer then isn't let off the next one."""
    connections = [socket.create_connection(("127.0.0.1", site.port)) for _ in range(clients)]
    poll = select.epoll()
    by_fd = {connection.fileno(): connection for connection in connections}
    for fd in by_fd:
        poll.register(fd, select.EPOLLIN)
    taken, due = [], {fd: deque() for fd in by_fd}
    start, number, total = time.perf_counter(), 0, clients * 10 * seconds
    while len(taken) < total:
        next_one = start + number / (clients * 10)
        if number < total and next_one <= time.perf_counter():
            connection = connections[number % clients]
            due[connection.fileno()].append(next_one)
            if len(due[connection.fileno()]) == 1:
                connection.send(REQUEST)
            number += 1
            continue
        left = next_one - time.perf_counter() if number < total else 10
        for fd, _ in poll.poll(max(left - 0.001, 0)):  # it counts in milliseconds, and rounds up
            receive(by_fd[fd])
            taken.append(1e3 * (time.perf_counter() - due[fd].popleft()))
            if due[fd]:
                by_fd[fd].send(REQUEST)
    poll.close()
    for connection in connections:
        connection.close()
    return sorted(taken)


def held(build, number):
    with our_server(build) as site:
        for count in (0, number):
            before = memory(site.process)
            connections = []
            for _ in range(count):
                connections.append(socket.create_connection(("127.0.0.1", site.port)))
                connections[-1].send(REQUEST)
                receive(connections[-1])
            each = (memory(site.process) - before) / max(count, 1)
            start = time.monotonic()
            cpu = processor_seconds(site.process.pid)
            taken = latencies(site, 100, 30)
            cpu = (processor_seconds(site.process.pid) - cpu) / (time.monotonic() - start)
            for connection in connections:  # none of them was hung up on
                connection.send(REQUEST)
                receive(connection)
                connection.close()
            print(f"{count} connections held for {time.monotonic() - start:.0f} s"
                  + (f", {each:.0f} bytes each" if count else "")
                  + f"; 100 others, {len(taken)} requests: "
                  + ", ".join(f"{share} % within {taken[int(len(taken) * share / 100) - 1]:.2f} ms"
                              for share in (50, 99, 99.9, 100))
                  + f"; {100 * cpu:.1f} % of a core", flush=True)


def main():
    build = Path(sys.argv[1])
    number = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    take_descriptors()
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(WRK.format(pages=PAGES))
        script.flush()
        beside_nginx(build, script.name)
    held(build, number)


if __name__ == "__main__":
    main()
