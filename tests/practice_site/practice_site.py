"""Starts the practice site for Python programs. It runs as long as the body of a `with`:

    with practice_site(build / PROGRAM, "--pages", "8") as site:
        urllib.request.urlopen(site.url)
"""
from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, Popen, TimeoutExpired
from typing import Iterator, NamedTuple
from urllib.parse import urlsplit

PROGRAM = "tests/practice_site/practice_site"  # in a build directory
PATIENCE = 10  # seconds that a server has to end


class NotStarted(Exception):
    """The site did not print its URL. The reason is on standard error."""


class Site(NamedTuple):
    process: Popen  # standard input is a pipe, and so is standard output after the URL
    url: str

    @property
    def port(self) -> int:
        return urlsplit(self.url).port


@contextmanager
def practice_site(program: Path | str, *options: str, port: int = 0, core: int | None = None) -> Iterator[Site]:
    """The site, ready to answer, at a free port unless one is given, and on one core if one is given.
    If this process is killed, the site ends with its standard input. Throws NotStarted."""
    def in_the_child():
        os.sched_setaffinity(0, [core])
    process = Popen([program, *options, "--port", str(port), "--until-eof"], stdin=PIPE, stdout=PIPE, text=True,
                    preexec_fn=None if core is None else in_the_child)
    with ended_at_last(process):
        url = process.stdout.readline().strip()
        if not url.startswith("http://"):
            raise NotStarted(f"`{' '.join(['practice_site', *options])}` did not print its address")
        yield Site(process, url)


@contextmanager
def ended_at_last(process: Popen) -> Iterator[Popen]:
    """Ends a server after the body of the `with`, even if that throws. If it doesn't end, it is killed."""
    with process:
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(PATIENCE)
            except TimeoutExpired:
                process.kill()
