"""Has nginx serve the practice site: the same pages, at the same URLs.

nginx is what others measure with, so it serves if it's installed: from files that hold the practice
site's own pages, and with its redirects. Without it, and wherever answers must wait, the practice
site serves itself. With --keep, which makes up each page once only, it is about as little in the way.
"""
from __future__ import annotations

import http.client
import resource
import subprocess
import sys
from pathlib import Path

from exactness import path_of
from measure import Trouble
from servers import PracticeSite, Server

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
import nginx_server  # noqa: E402  (its folder has just been put on the path)

CONF = """
    log_format asked '$status $request_uri'; access_log {log};
    sendfile on; tcp_nopush on; keepalive_requests 1000000000; keepalive_timeout 1h; absolute_redirect off;
    open_file_cache max={files} inactive=1h; types {{ }} default_type 'text/html; charset=utf-8';
    server {{
        listen 127.0.0.1:{port} backlog=4096; root {folder}/pages;
        location = / {{ try_files /index =404; }}
{redirects}
    }}
"""


class Nginx(Server):
    """nginx, on files that `write_files` has written."""

    def __init__(self, folder: Path, redirects: str, port: int, log: Path | None = None, core: int | None = None):
        super().__init__(port, log, core)
        self.folder, self.redirects = folder, redirects

    def start(self):
        log = "off" if self.log is None else f"{self.log} asked"
        # A file that it keeps open takes a descriptor, as a connection does: both must have enough.
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        descriptors = 20_000 if hard == resource.RLIM_INFINITY else min(20_000, hard)
        conf = CONF.format(folder=self.folder, port=self.port, log=log, redirects=self.redirects,
                           files=descriptors * 2 // 5)
        try:
            self.process = self.running.enter_context(nginx_server.nginx(
                self.folder, conf, self.port, f"worker_rlimit_nofile {descriptors};", descriptors // 2, self.core))
        except RuntimeError as error:
            raise Trouble(f"{error}\nWithout it: ./learn bench --server practice_site") from None

    def about(self) -> str:
        said = subprocess.run([nginx_server.PROGRAM, "-v"], capture_output=True, text=True).stderr
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
    return "\n".join(redirects)


def find_nginx() -> str | None:
    return nginx_server.PROGRAM
