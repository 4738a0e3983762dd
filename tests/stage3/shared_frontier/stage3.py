"""Crawls by several processes of the real program, and checks of what they have found.

STAGE3 in the environment names the program: see tests/support/run_stage3.py.
"""
import collections
import pathlib
import resource
import subprocess
import sys

import invariants

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from run_stage3 import PROGRAM, records_in, run_stage3  # noqa: E402

GIVEN_UP = invariants.GIVEN_UP
# What a record has in common with that of any other crawl of the same site. Depth and parent depend on the way in which
# it was found, and tries don't count if their process was killed.
SAME = ("outcome", "status", "next_url", "error", "content_type", "charset", "bytes", "links")


class Process(subprocess.Popen):
    """A process that takes part. Its standard error is kept in the file `said`, and its standard output in `wrote`.
    `memory` limits its address space to that many bytes."""

    def __init__(self, folder, name, *arguments, format="jsonl", memory=None):
        limit_memory = memory and (lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory)))
        self.said, self.wrote = pathlib.Path(folder, name + ".said"), pathlib.Path(folder, name + ".wrote")
        with open(self.said, "wb") as said, open(self.wrote, "wb") as wrote:
            super().__init__([PROGRAM, "--format", format, *arguments], stdin=subprocess.DEVNULL, stdout=wrote,
                             stderr=said, preexec_fn=limit_memory)

    def kill(self):
        """Ends the process by kill -9, and waits until it's gone."""
        super().kill()
        self.wait()

    def words(self):
        return self.said.read_text(encoding="utf-8")

    def records(self):
        """The records of its report, or none if another process has written that."""
        return read_records(self.wrote.read_text(encoding="utf-8"))


def read_records(text):
    return {record["url"]: record for record in records_in(text) if not record["fragment"]}


def missing_fragments(text):
    """(URL, fragment), sorted."""
    records = records_in(text)
    return sorted((record["url"], record["fragment"]) for record in records if record["fragment"])


def run(*arguments, timeout=120):
    """Runs the program to its end. Returns (exit status, standard output, standard error)."""
    done = run_stage3(*arguments, timeout=timeout)
    return done.returncode, done.stdout, done.stderr


def report_alone(*arguments):
    """The records of a crawl by one undisturbed process, with its frontier in memory, as text."""
    status, text, said = run("--format", "jsonl", "--quiet", *arguments, timeout=3600)
    if status not in (0, 1):
        raise RuntimeError(said)
    return text


def crawl_alone(*arguments):
    """The same, by their URLs."""
    return read_records(report_alone(*arguments))


def shared(redis_urls, name, *arguments):
    """The words of a command that takes part. `redis_urls`: one URL, or a list of several."""
    urls = [redis_urls] if isinstance(redis_urls, str) else redis_urls
    return [*(word for url in urls for word in ("--frontier", url)), "--crawl", name, *arguments]


def wrong_records(site, records, alone, is_spread=False):
    """What is wrong with a complete crawl's records, one line each. `alone`: the records of `crawl_alone`. `is_spread`:
    the crawl has several servers, so it isn't known for all links whether they were new."""
    given_up = {url for url, record in records.items() if GIVEN_UP in (record["error"] or "")}
    if not given_up and records.keys() != alone.keys():
        yield f"{len(alone.keys() - records.keys())} URLs are lost, {len(records.keys() - alone.keys())} don't exist"
    for url in records.keys() & alone.keys() - given_up:
        for field in SAME:
            if records[url][field] != alone[url][field]:
                yield f"{url}: its {field} is {records[url][field]!r}, and was {alone[url][field]!r} in memory"
        if not 1 <= records[url]["tries"] + (records[url]["outcome"] == "disallowed") <= 4:
            yield f"{url}: {records[url]['tries']} tries"
    for url, record in records.items():
        if url not in given_up and record["outcome"] in ("page", "redirect"):
            for link in site.links(url) + site.checked(url):
                if link not in records:
                    yield f"{link} is lost, though {url} leads to it"
        yield from _wrong_way(site, url, record, records)
    checked = {other for url in records for other in site.checked(url)}
    known = len(records)
    redirects = sum(record["outcome"] == "redirect" for record in records.values())
    new = sum(record["new_links"] for record in records.values())
    if not is_spread and not known - 1 - redirects - len(checked) <= new <= known - 1:
        yield f"{new} links were new, and {known} URLs are known"


def _wrong_way(site, url, record, records):
    """What is wrong with the way in which a URL was found: its parent and its depth."""
    parent = records.get(record["parent"])
    if (parent is None) != (url == site.root):
        yield f"{url}: its parent is {record['parent']}"
    elif parent is not None:
        if url not in site.links(parent["url"]) + site.checked(parent["url"]):
            yield f"{url} isn't on {parent['url']}"
        if record["depth"] != parent["depth"] + (parent["outcome"] == "page" and record["kind"] == "a"):
            yield f"{url}: its depth is {record['depth']}, and its parent's {parent['depth']}"


def wrong_counts(site, records, crawls):
    """What is wrong with what Redis knows about each URL: how many pages have it, and the first ten of these. `crawls`
    has an invariants.Crawl for each server."""
    pages = {(server, number): record["url"] for server, crawl in enumerate(crawls) for number, record in crawl.records}
    links = {url: {*site.links(url), *site.checked(url)} for url, record in records.items() if record["outcome"] == "page"}
    met = collections.Counter(link for some in links.values() for link in some)
    for server, crawl in enumerate(crawls):
        for url, known in crawl.urls.items():
            if known.times_met != met[url]:
                yield f"{url} is on {met[url]} pages, and was met {known.times_met} times"
            names = [name.split(".") if "." in name else (server, name) for name in known.pages]
            found = {pages[int(source), int(number)] for source, number in names}
            if len(found) != min(10, met[url]) or not all(url in links.get(page, ()) for page in found):
                yield f"{url} was met on {sorted(found)}"


def fetched_again(site, records):
    """How many requests were made again because their process was killed before it could report the result."""
    requests = collections.Counter(site.origins[request.host] + request.path for request in site.requests
                                   if request.path != "/robots.txt")
    wanted = {url: 1 + (site.failures[url] > 0) for url in requests}
    return sum(count - min(count, wanted[url]) for url, count in requests.items())
