"""Has nginx serve the practice site: the same pages, at the same URLs.

nginx is what others measure with, so it serves if it's installed: from files that hold the practice
site's own pages, and with its redirects. Without it, and wherever answers must wait, the practice
site serves itself. With --keep, which makes up each page once only, it is about as little in the way.
"""
from __future__ import annotations

import ctypes
import http.client
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from exactness import path_of
from measure import Trouble
from servers import PracticeSite, Server, ended_at_last

CONF = """
worker_processes 1; worker_rlimit_nofile {descriptors}; daemon off; error_log stderr crit; pid {folder}/nginx.pid;
events {{ worker_connections {connections}; }}
http {{
    log_format asked '$status $request_uri'; access_log {log};
    sendfile on; tcp_nopush on; keepalive_requests 1000000000; keepalive_timeout 1h; absolute_redirect off;
    open_file_cache max={files} inactive=1h; types {{ }} default_type 'text/html; charset=utf-8';
    client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c;
    uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
    server {{
        listen 127.0.0.1:{port} backlog=4096; root {folder}/pages;
        location = / {{ try_files /index =404; }}
{redirects}
    }}
}}
"""


def spawn(command: list, core: int | None) -> subprocess.Popen:
    """Starts nginx: on one core, if one is named; and it ends if we do, however that comes."""
    def in_the_child():
        if core is not None:
            os.sched_setaffinity(0, [core])
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG
    return subprocess.Popen(command, preexec_fn=in_the_child)


class Nginx(Server):
    """nginx, on files that `write_files` has written."""

    def __init__(self, program: str, folder: Path, redirects: str, port: int, log: Path | None, core: int | None):
        super().__init__(port, log, core)
        self.program, self.folder, self.redirects = program, folder, redirects

    def start(self):
        log = "off" if self.log is None else f"{self.log} asked"
        conf = self.folder / "nginx.conf"
        # A file that it keeps open takes a descriptor, as a connection does: both must have enough.
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        descriptors = 20_000 if hard == resource.RLIM_INFINITY else min(20_000, hard)
        conf.write_text(CONF.format(folder=self.folder, port=self.port, log=log, redirects=self.redirects,
                                    descriptors=descriptors, files=descriptors * 2 // 5, connections=descriptors // 2),
                        encoding="utf-8")
        self.process = self.running.enter_context(
            ended_at_last(spawn([self.program, "-p", self.folder, "-c", conf], self.core)))
        for _ in range(200):
            try:
                return socket.create_connection(("127.0.0.1", self.port), timeout=5).close()
            except OSError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.05)
        raise Trouble("nginx does not answer: what it said about that is above. "
                      "Without it: ./learn bench --server practice_site")

    def about(self) -> str:
        said = subprocess.run([self.program, "-v"], capture_output=True, text=True).stderr
        return f"{said.rpartition(': ')[2].strip() or 'nginx'}, one worker process, from files in memory"


def write_files(server: PracticeSite, folder: Path) -> str:
    """Writes the practice site's pages into the folder, for nginx. Returns its redirects, as nginx has them."""
    (folder / "pages/p").mkdir(parents=True)
    client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    redirects = []
    for path in map(path_of, [*server.manifest.pages, *server.manifest.redirects]):
        client.request("GET", path)
        answer = client.getresponse()
        body = answer.read()
        if answer.status == 200:
            (folder / "pages" / (path[1:] or "index")).write_bytes(body)
        else:
            redirects.append(f"location = {path} {{ return {answer.status} {answer.headers['Location']}; }}")
    client.close()
    for made in [folder, *folder.rglob("*")]:  # as root, nginx's worker is another user
        made.chmod(0o755 if made.is_dir() else 0o644)
    return "\n".join(redirects)


def find_nginx() -> str | None:
    """Debian keeps it where only root's PATH leads."""
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
