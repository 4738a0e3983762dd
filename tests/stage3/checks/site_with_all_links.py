"""A site with every kind of link, alive and dead, and the foreign servers that it links to.

Each target's path says what it is: "/img/dead/3" is dead, and anything below "/trap/" is no link at all. Pages are made when they
are asked for. For tests, and for a comparison of link checkers (tests/bench/link_checkers.py).
"""
import collections
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import web_server  # noqa: E402

# How a page mentions a target. Style sheets come below.
ASSETS = {
    "area": "<map name=m><area href='{}'></map>",
    "iframe": "<iframe src='{}'></iframe>",
    "img": "<img src='{}'>",
    "srcset": "<img srcset='{} 2x, data:,x 3x'>",
    "picture": "<picture><source srcset='{} 100w'></picture>",
    "script": "<script src='{}'></script>",
    "icon": "<link rel='shortcut icon' href='{}'>",
    "preload": "<link rel=preload as=font href='{}'>",
    "manifest": "<link rel=manifest href='{}'>",
    "alternate": "<link rel=alternate href='{}'>",
    "canonical": "<link rel=canonical href='{}'>",
    "stylesheet": "<link rel=stylesheet href='{}'>",
    "video": "<video src='{}'></video>",
    "poster": "<video poster='{}'></video>",
    "audio": "<audio src='{}'></audio>",
    "source": "<video><source src='{}'></video>",
    "track": "<video><track src='{}'></video>",
    "object": "<object data='{}'></object>",
    "embed": "<embed src='{}'>",
    "form": "<form action='{}'></form>",
    "input": "<input type=image src='{}'>",
    "style": "<style>p {{ background: url({}) }}</style>",
    "attribute": "<p style=\"background: URL('{}')\">",
}
SHEETS = {
    "css": "p {{ background: url( \"{}\" ) }}",
    "import": "@import '{}' screen;",
    "escape": "p {{ background: \\75 rl({}) }}",
}
# What a foreign server does with a path that begins so: its answers to HEAD and to GET.
FOREIGN = {
    "alive": (200, 200), "dead": (404, 404), "nohead": (405, 200), "liar": (404, 200), "login": (403, 403), "busy": (429, 429),
    "broken": (500, 500), "999": (999, 999), "private": (200, 200),
}
# Fragments of a page with these places.
PLACES = "<p id=a1><a name=a2></a><p id='ü'><p id='%20'><p id=\"x&amp;y\"><p ID=upper>"
GOOD_FRAGMENTS = ["a1", "a2", "%C3%BC", "ü", "%20", "x&amp;y", "upper", "", "top", "TOP", ":~:text=word", "a1:~:text=word", "!/route",
                  "/route"]
BAD_FRAGMENTS = ["A1", "missing", "x", "%C3"]
TRAPS = ["<form method=post action='/trap/post'></form>", "<link rel=preconnect href='/trap/preconnect'>",
         "<!-- <img src='/trap/comment'> -->", "<script>'<img src=/trap/script>'</script>", "<img src=''>", "<img src='data:,/trap'>",
         "<style>/* url(/trap/css) */ @namespace url(/trap/namespace); p { content: 'url(/trap/string)'; mask: url(#trap) }</style>"]


class Site:
    """The pages of the site. `each`: how many targets of each kind are alive, and how many dead. `foreign`: the origins of
    foreign servers."""

    def __init__(self, each, foreign=()):
        self.each = each
        self.foreign = list(foreign)

    def targets(self, kind):
        return [f"/{kind}/{state}/{i}" for i in range(self.each) for state in ("alive", "dead")]

    def foreign_targets(self, state):
        return [f"{self.foreign[i % len(self.foreign)]}/{state}/{i}" for i in range(self.each)] if self.foreign else []

    def page(self, path):
        """The type and the body of a page or a style sheet; None if it's dead."""
        name = path.strip("/").split("/")
        if path == "/":
            pages = ["a", "fragments", "traps", "foreign", *ASSETS, *SHEETS]
            return "text/html", "".join(f"<a href='/page/{page}'>" for page in pages)
        if name[0] == "sheet" and name[1] in SHEETS:
            return "text/css", "\n".join(SHEETS[name[1]].format(target) for target in self.targets(name[1]))
        if name[0] != "page":
            sheet = name[0] in ("stylesheet", "import")
            return ("text/css", "/**/") if name[1] == "alive" and sheet else ("text/plain", "alive") if name[1] == "alive" else None
        if name[1] == "a":
            return "text/html", "".join(f"<a href='{target}'>" for target in self.targets("a"))
        if name[1] in ASSETS:
            return "text/html", "".join(ASSETS[name[1]].format(target) for target in self.targets(name[1]))
        if name[1] in SHEETS:
            return "text/html", f"<link rel=stylesheet href='/sheet/{name[1]}'>"
        if name[1] == "fragments":
            here = "".join(f"<a href='#{f}'>" for f in GOOD_FRAGMENTS + BAD_FRAGMENTS)
            there = "".join(f"<a href='/page/places?{i % 2}#{f}'>" for i in range(self.each) for f in GOOD_FRAGMENTS + BAD_FRAGMENTS)
            return "text/html; charset=utf-8", PLACES + here + there + "<a href='/moved#a1'><a href='/moved#gone'>"
        if name[1].startswith("places"):
            return "text/html; charset=utf-8", PLACES
        if name[1] == "traps":
            return "text/html", "".join(TRAPS)
        if name[1] == "foreign":
            return "text/html", "".join(f"<a href='{url}'>" for state in FOREIGN for url in self.foreign_targets(state))
        return None


class Server:
    """Serves until the end of a `with`, and notes the requests: (method, path), and their headers. `answer`: called
    with these two; returns a status, headers and a body, or a piece. `latency`: of each answer, in seconds."""

    def __init__(self, answer, address="127.0.0.1", latency=0.0):
        self.requests, self.headers = collections.Counter(), []

        def answer_to(request):
            self.requests[request.method, request.path] += 1
            self.headers.append(request.headers)
            told = answer(request.method, request.path)
            return told if isinstance(told, web_server.Piece) else [
                web_server.Pause(latency), *web_server.reply(request, *told)]
        self._site = web_server.Site({"*": answer_to}, address)
        self.port = self._site.port

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._site.__exit__()

    @property
    def most_at_once(self):
        return self._site.most_at_once


def answer_of(site):
    def answer(method, path):
        if path == "/robots.txt":
            return 404, {}, b""
        if path == "/moved":
            return 301, {"Location": "/page/places?0"}, b""
        page = site.page(path)
        if page is None:
            return 404, {"Content-Type": "text/html"}, b"gone"
        return 200, {"Content-Type": page[0]}, page[1].encode()
    return answer


def answer_foreign(method, path):
    if path == "/robots.txt":
        return 200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /private/\n"
    head, get = FOREIGN[path.split("/")[1]]
    return head if method == "HEAD" else get, {"Content-Type": "text/html"}, b"x" * 100
