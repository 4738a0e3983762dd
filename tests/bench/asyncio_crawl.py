#!/usr/bin/env python3
"""A crawler on Python's asyncio, to compare ours with: standard library only.

    asyncio_crawl.py [-w TASKS] URL

It is written for use, and not to be slow: an asyncio.Queue, ten tasks, for each of them a
connection that is kept open, and a regular expression for links, since html.parser takes
several times as long. What it leaves out is what costs: no robots.txt, no records, no scope but the
host, no retries, no charset but UTF-8, no Transfer-Encoding. A redirect's target is a URL like
others. Prints how many of each status there were; exit status 1 if something is dead.
"""
import argparse
import asyncio
import html
import re
import sys
from collections import Counter
from urllib.parse import urldefrag, urljoin, urlsplit

HREF = re.compile(r"""<a\s[^>]*?href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))""", re.IGNORECASE)


class Connection:
    """One connection to the server, opened when it's needed, and again if the server has hung up."""

    def __init__(self, host: str, port: int):
        self.host, self.port = host, port
        self.writer = None

    async def fetch(self, target: str) -> tuple[int, dict[str, str], bytes]:
        """The status, the headers (their names in lower case) and the body."""
        request = f"GET {target} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\n\r\n".encode()
        was_open = self.writer is not None
        try:
            return await self.ask(request)
        except (ConnectionError, asyncio.IncompleteReadError):
            self.close()
            if not was_open:
                raise
            return await self.ask(request)  # it was left open for too long

    async def ask(self, request: bytes) -> tuple[int, dict[str, str], bytes]:
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection(self.host, self.port)
        self.writer.write(request)
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head[:-4].split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        body = await self.reader.readexactly(int(headers["content-length"]))
        if headers.get("connection", "").lower() == "close":
            self.close()
        return int(first.split(" ", 2)[1]), headers, body

    def close(self):
        if self.writer is not None:
            self.writer.close()
        self.writer = None


class Crawler:
    def __init__(self, root: str):
        self.site = urlsplit(root)
        self.queue = asyncio.Queue()
        self.seen = set()
        self.statuses = Counter()
        self.add(root, root)

    def add(self, base: str, link: str):
        url = urldefrag(urljoin(base, link)).url
        if url in self.seen:
            return
        self.seen.add(url)
        parts = urlsplit(url)
        if (parts.scheme, parts.netloc) == (self.site.scheme, self.site.netloc):
            self.queue.put_nowait(url)

    async def work(self):
        connection = Connection(self.site.hostname, self.site.port or 80)
        try:
            while True:
                url = await self.queue.get()
                try:
                    await self.visit(connection, url)
                finally:
                    self.queue.task_done()
        finally:
            connection.close()

    async def visit(self, connection: Connection, url: str):
        parts = urlsplit(url)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        try:
            status, headers, body = await connection.fetch(target)
        except (OSError, EOFError, KeyError, ValueError) as problem:
            self.statuses[f"failed: {type(problem).__name__}"] += 1
            connection.close()
            return
        self.statuses[status] += 1
        if "location" in headers and 300 <= status < 400:
            self.add(url, headers["location"])
        elif status == 200 and headers.get("content-type", "").startswith("text/html"):
            for groups in HREF.findall(body.decode("utf-8", "replace")):
                self.add(url, html.unescape("".join(groups)))

    async def run(self, tasks: int):
        workers = [asyncio.create_task(self.work()) for _ in range(tasks)]
        await self.queue.join()
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)


async def crawl(root: str, tasks: int) -> Counter:
    crawler = Crawler(root)
    await crawler.run(tasks)
    return crawler.statuses


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("-w", "--workers", type=int, default=10, metavar="TASKS")
    parser.add_argument("url", metavar="URL")
    options = parser.parse_args()
    statuses = asyncio.run(crawl(options.url, options.workers))
    for status, number in sorted(statuses.items(), key=str):
        print(f"{number:8} {status}")
    return 0 if all(isinstance(status, int) and status < 400 for status in statuses) else 1


if __name__ == "__main__":
    sys.exit(main())
