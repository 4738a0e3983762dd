"""The cases, each with its number: what a server does, and the outcome that is expected.

They are in files by subject: `bodies`, `delays`, `redirects`, `endless`, `documents`, `output`, `scheduling`. This file
defines what a case is and how it's served, and lists the numbers that have no case, with the reasons.
"""
import dataclasses
import functools
import importlib
import re
import socket
import typing

import expect
import pieces
from pieces import Site
from server import AFTER, AFTER_BYTES


@dataclasses.dataclass(frozen=True)
class Case:
    """A server with a page that links to something hostile, and then to /after, which isn't and must not suffer.

    In texts, "{here}" stands for the server's origin, "{port}" for its port, "{second}" for a second port's origin,
    "{other}" for another host's, and "{closed}" for that of a port on which nothing listens.
    """
    number: str
    title: str
    answers: dict  # what is sent for which path: see pieces.py
    expected: dict  # by path or by URL; except the start page and /after, which must be pages
    links: "list | None" = None  # those of the start page; by default all paths of `expected`
    options: tuple = ()  # of stage 3
    exit: "int | None" = None  # by default 1 if anything is dead
    second: "dict | None" = None  # what a second port answers: other robots.txt, other connections, the same scope
    other: "dict | None" = None  # what another host answers, 127.0.0.2
    more: bool = False  # there may be records of URLs that `expected` doesn't name
    check: "typing.Callable | None" = None  # called with (served, result, records); yields what else is wrong
    within: float = 40  # seconds
    descriptors: int = 0  # that the program may have
    not_in_index: str = ""  # why it can't be a part of a large crawl

    @property
    def name(self):
        """The name of its test."""
        return f"{self.number:0>{3 if self.number[-1].isalpha() else 2}}_" + re.sub(r"\W+", "_", self.title).strip("_")


class Served:
    """A case on its own ports."""

    def __init__(self, case):
        self.case = case
        self.site = Site({"/": lambda _: self.start, "/after": AFTER, **case.answers})
        self.second = None if case.second is None else Site(case.second)
        self.other = None if case.other is None else Site(case.other, "127.0.0.2")
        self.sites = [site for site in (self.site, self.second, self.other) if site]
        for site in self.sites:
            site.served = self
        self._nobody = socket.socket()
        self._nobody.bind(("127.0.0.1", 0))  # and never listens
        links = list(case.expected) if case.links is None else case.links
        # Most cases spoil a connection or a host, but what comes after must still be fetched.
        self.start = pieces.page(*map(self.fill_in, [*links, "/after"]))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._nobody.close()
        for site in self.sites:
            site.__exit__()

    @property
    def root(self):
        return self.site.origin + "/"

    def fill_in(self, text):
        values = {"here": self.site.origin, "port": self.site.port,
                  "second": self.second and self.second.origin, "other": self.other and self.other.origin,
                  "closed": f"http://127.0.0.1:{self._nobody.getsockname()[1]}"}
        return re.sub(r"\{(\w+)\}", lambda name: str(values.get(name[1], name[0])), text)

    def url(self, text):
        return self.site.origin + text if text.startswith("/") else self.fill_in(text)

    @functools.cached_property
    def expected(self):
        """The expected records, by URL."""
        usual = {"/": expect.page(), "/after": expect.page(bytes=AFTER_BYTES)}
        return {self.url(text): self._filled_in(wanted) for text, wanted in {**usual, **self.case.expected}.items()}

    def _filled_in(self, wanted):
        fields = {name: self.fill_in(value) if isinstance(value, str) else value
                  for name, value in wanted.fields.items()}
        return dataclasses.replace(wanted, fields=fields)

    @property
    def exit(self):
        """The right exit status."""
        if self.case.exit is not None:
            return self.case.exit
        return int(any(wanted.is_dead for wanted in self.expected.values()))


class Index:
    """Cases in one crawl, with a page that links to the start page of each: by default, all that fit into one."""

    def __init__(self, port=0, some_cases=None):
        self.served = [Served(case) for case in some_cases or all_cases() if not case.not_in_index]
        self.site = Site({"/": pieces.page(*(served.root for served in self.served))}, port=port)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for each in [self.site, *self.served]:
            each.__exit__()

    @property
    def root(self):
        return self.site.origin + "/"

    def with_numbers(self, text):
        """Replaces origins: "[20a]/case" says more than a URL with a random port."""
        for served in self.served:
            for site in served.sites:
                text = text.replace(site.origin + "/", f"[{served.case.number}]/")
        return text

    @property
    def expected(self):
        wanted = {self.root: expect.page()}
        for served in self.served:
            wanted.update(served.expected)
        return wanted


SECTIONS = {1: "bodies", 2: "delays", 3: "redirects", 4: "endless", 5: "documents", 6: "output", 7: "scheduling"}


def cases_of(section):
    return importlib.import_module(SECTIONS[section]).CASES


def all_cases():
    return [case for section in SECTIONS for case in cases_of(section)]


# Numbers without a case here, and why.
ELSEWHERE = {
    25: "no server: a name that is never found. tests/stage3/program/slow_names_test.cpp, tests/support/slow_names.cpp",
    30: "no server: Ctrl-C, once and twice. tests/stage3/program/interrupts_test.cpp",
    70: "no crawl needed: hostile sitemaps. tests/stage3/crawler/sitemap_test.cpp, tests/stage3/crawler/sitemap_limits_test.cpp",
    74: "pages are not saved",
    75: "no server: the reader of the results leaves. tests/stage3/program/writing_results_test.cpp",
    76: "no server: what can't be written. tests/stage3/program/writing_results_test.cpp. A full disk under --state: tests/stage3/state/state_test.py",
    77: "no server: what is in Redis is wrong. tests/stage3/shared_frontier/faults_test.py",
    78: "no shell is called anywhere",
}
