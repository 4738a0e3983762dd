"""Serves the practice site, and knows what it was asked for.

Here it serves itself; nginx.py has nginx serve its pages.
"""
from __future__ import annotations

import http.client
import os
import subprocess
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from exactness import Manifest, read_manifest
from measure import Trouble

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "practice_site"))
from practice_site import PROGRAM as PRACTICE_SITE  # noqa: E402  (its folder has just been put on the path)
from practice_site import NotStarted, practice_site  # noqa: E402


@dataclass(frozen=True)
class Site:
    """What the practice site is asked to be. The latency is in milliseconds."""
    pages: int
    links: int
    size: int
    latency: int = 0

    def options(self) -> list[str]:
        return [f"--{name}={value}" for name, value in vars(self).items()]


class Server:
    """A server that runs as long as its `with` block. It knows what it was asked for if it has a log."""

    def __init__(self, port: int, log: Path | None, core: int | None):
        self.port, self.log, self.core = port, log, core
        self.process: subprocess.Popen | None = None
        self.running = ExitStack()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.running.close()

    def forget(self):
        """Begins the log anew."""
        os.truncate(self.log, 0)

    def asked(self) -> list[str]:
        """The paths that it was asked for since then.

        A last request of our own tells that the log is complete: there is one thread that answers
        and writes, so what was asked before stands before.
        """
        mark = "/that-is-all"
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        client.request("GET", mark)
        client.getresponse().read()
        client.close()
        for _ in range(1000):
            lines = [line.split(" ", 1) for line in self.log.read_text(encoding="utf-8").splitlines()]
            paths = [path for _, path in lines]
            if mark not in paths:
                time.sleep(0.01)
                continue
            for status, path in lines:
                if status.startswith("5"):
                    raise Trouble(f"the server failed: it answered {status} to {path}; what it said may be above")
            return paths[:paths.index(mark)]
        raise Trouble(f"the server does not write its log, {self.log}")


class PracticeSite(Server):
    """The practice site itself."""

    def __init__(self, build: Path, site: Site, port: int = 0, log: Path | None = None, core: int | None = None,
                 manifest: bool = False):
        super().__init__(port, log, core)
        self.build, self.site, self.wants_manifest = build, site, manifest
        self.manifest: Manifest | None = None

    def start(self):
        options = [*self.site.options(), "--keep", "--counts", *["--manifest"] * self.wants_manifest,
                   *[f"--log={self.log}"] * (self.log is not None)]
        try:
            server = self.running.enter_context(
                practice_site(self.build / PRACTICE_SITE, *options, port=self.port, core=self.core))
        except NotStarted:
            raise Trouble("the practice site did not start: it said why, above") from None
        self.process, self.port = server.process, server.port
        if self.wants_manifest:
            self.manifest = read_manifest(list(iter(self.line, "end")))

    def line(self) -> str:
        line = self.process.stdout.readline()
        if not line:
            raise Trouble("the practice site has ended: it said why, above")
        return line.rstrip("\n")

    def most_at_once(self) -> int:
        """How many requests have waited side by side since this was asked the last time."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        words = self.line().split()
        return int(words[words.index("at_once") + 1])

    def about(self) -> str:
        return "the practice site, one thread, with its pages at hand"
