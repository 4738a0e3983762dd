"""A made-up web site on several hosts (ports of 127.0.0.1), with known contents. It records the time of each request.

tests/practice_site is one quick host that never fails. Crawls by several processes need more: links from host to host,
robots.txt, pages that fail once, requests with their times, and tests that do something when a page is asked for.

    /p/17     page 17, or something in its place: a redirect, a file, a page that fails at first, or nothing
    /leaf/3   a small file, to which only one page leads, which has very many links
    /asset/5  a picture on pages, if the site has what is to be checked; every tenth is dead
    /f/7      the same on a foreign host, every tenth dead or forbidden
"""
import collections
import functools
import pathlib
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import web_server  # noqa: E402

Request = collections.namedtuple("Request", "time host path status")  # seconds; its host's number

ROBOTS = "User-agent: *\nDisallow: /p/13\n"
NO_HTTP = web_server.http("HTTP/1.1 400 Bad Request", "Content-Length: 0")


def mix(number):
    """A hash that is always the same (splitmix64)."""
    number = (number + 0x9E3779B97F4A7C15) & (1 << 64) - 1
    number = ((number ^ (number >> 30)) * 0xBF58476D1CE4E5B9) & (1 << 64) - 1
    number = ((number ^ (number >> 27)) * 0x94D049BB133111EB) & (1 << 64) - 1
    return number ^ (number >> 31)


class Site:
    """`latency`: in seconds, on average. `leaves`: how many leaves page 1 leads to. `robots`: the text of each host's
    robots.txt, or None if there is none. `plain`: all are pages. `flaky`: some fail at first.
    `circle`: pages, each of which redirects to the next, and the last to the first. `checks`: pages also have
    pictures, links to a foreign host, and fragments. `on_request`: called with each request's path and its whole head,
    in the site's thread, before the answer."""

    def __init__(self, pages=200, hosts=1, links=8, latency=0.0, leaves=0, robots=ROBOTS, plain=False, flaky=False,
                 circle=(), checks=False):
        self.pages, self.hosts, self.links_on_a_page = pages, hosts, links
        self.latency, self.leaves, self.robots = latency, leaves, robots
        self.plain, self.flaky, self.circle, self.checks = plain, flaky, circle, checks
        self.on_request = lambda path, head: None
        self.requests = []
        self.failures = collections.Counter()
        self._ports = [web_server.Site({"*": functools.partial(self._serve, host), "TLS": NO_HTTP})
                       for host in range(hosts + checks)]
        self.origins = [f"http://{'127.0.0.1' if host < hosts else 'localhost'}:{port.port}"
                        for host, port in enumerate(self._ports)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for port in self._ports:
            port.__exit__()

    def forget(self):
        """Forgets all requests."""
        self.requests = []
        self.failures.clear()

    @property
    def root(self):
        return self.url(0)

    # ---- the contents ----

    def host(self, number):
        return 0 if number == 0 else mix(number) % self.hosts

    def url(self, number):
        return f"{self.origins[self.host(number)]}/p/{number}"

    def leaf(self, number):
        return f"{self.origins[number % self.hosts]}/leaf/{number}"

    def kind(self, number):
        """page, dead, redirect, file, or flaky: a page that fails at first."""
        if number in self.circle:
            return "redirect"
        if number < 2 or self.plain:
            return "page"
        chance = mix(number * 13 + 5) % 1000
        return ("dead" if chance < 20 else "redirect" if chance < 50 else "file" if chance < 70
                else "flaky" if chance < 75 and self.flaky else "page")

    def links(self, url):
        """The links of a page, or the target of a redirect."""
        if "/leaf/" in url:
            return []
        number = int(url.rsplit("/", 1)[1])
        kind = self.kind(number)
        if number in self.circle:
            return [self.url(self.circle[(self.circle.index(number) + 1) % len(self.circle)])]
        if kind == "redirect":
            return [self.url(mix(number) % number)]  # never in a circle
        if kind not in ("page", "flaky"):
            return []
        numbers = [child for child in (2 * number + 1, 2 * number + 2) if child < self.pages]
        numbers += [mix(number * 1009 + k) % self.pages for k in range(self.links_on_a_page - 2)]
        leaves = [self.leaf(leaf) for leaf in range(self.leaves)] if number == 1 else []
        return [*map(self.url, dict.fromkeys(numbers)), *leaves]

    def checked(self, url):
        """What else is on a page, to be checked."""
        if not self.checks or "/p/" not in url:
            return []
        number = int(url.rsplit("/", 1)[1])
        if self.kind(number) not in ("page", "flaky"):
            return []
        asset = mix(number * 7) % (self.pages // 4 + 1)
        others = [f"{self.origins[asset % self.hosts]}/asset/{asset}", self.url(mix(number * 11) % self.pages)]
        if mix(number) % 5 == 0:
            others.append(f"{self.origins[self.hosts]}/f/{mix(number * 17) % 50}")
        return [other for other in others if other not in self.links(url)]

    def fragment(self, number):
        """Of the number-th link on the site, as it's written."""
        return f"#s{mix(number * 23) % 4}" if self.checks and mix(number) % 10 == 0 else ""

    def outcome(self, url):
        """The outcome that a crawler's record must have."""
        if "/leaf/" in url:
            return "file"
        number = int(url.rsplit("/", 1)[1])
        if self.robots and f"/p/{number}".startswith("/p/13"):
            return "disallowed"
        return {"dead": "error", "flaky": "page"}.get(self.kind(number), self.kind(number))

    # ---- the server ----

    def _serve(self, host, request):
        self.on_request(request.path, request.head)
        status, headers, body = self.answer(host, request.path)
        self.requests.append(Request(time.monotonic(), host, request.path, status))
        text = f"HTTP/1.1 {status} x\r\n{headers}Content-Length: {len(body)}\r\n\r\n"
        wait = self.latency * 2 * (mix(len(self.requests)) % 1000) / 1000
        return [web_server.Pause(wait), (text if request.method == "HEAD" else text + body).encode(), web_server.KEEP]

    def answer(self, host, path):
        """(status, headers, body)"""
        if path == "/robots.txt":
            return (404, "", "") if self.robots is None else (200, "Content-Type: text/plain\r\n", self.robots)
        url = self.origins[host] + path
        if path.startswith("/leaf/"):
            return 200, "Content-Type: text/plain\r\n", "a leaf"
        if path.startswith(("/asset/", "/f/")):
            status = {"0": 404, "1": 403 if path.startswith("/f/") else 200}.get(path[-1], 200)
            return status, "Content-Type: image/png\r\n", "a picture"
        number = int(path.rsplit("/", 1)[1]) if path.startswith("/p/") else self.pages
        kind = self.kind(number)
        if number >= self.pages or kind == "dead" or self.url(number) != url:
            return 404, "", ""
        if kind == "redirect":
            return 302, f"Location: {self.links(url)[0]}\r\n", ""
        if kind == "file":
            return 200, "Content-Type: text/plain\r\n", "nothing to be found here"
        if kind == "flaky" and self.failures[url] == 0:
            self.failures[url] += 1
            return 503, "", ""
        links = [f"<a href='{link}{self.fragment(17 * number + place)}'>x</a>\n"
                 for place, link in enumerate(self.links(url))]
        links += [f"<{'a href' if '/f/' in other else 'img src'}='{other}'>\n" for other in self.checked(url)]
        ids = "<p id=s0><p id=s1><p id=s2>" if self.checks else ""
        return 200, "Content-Type: text/html\r\n", "".join(links) + ids
