"""45 to 54: sites that never end or grow without bound, and texts that could keep a robots.txt reader or a regular
expression busy forever."""
import hashlib

from cases import Case
from expect import disallowed, page
from pieces import Pause, ok, page as a_page, redirect as to, status

HUGE = "its site has no end"


def tail(request):
    """The number at the end of a path."""
    return int(request.path.rsplit("/", 1)[1])


def an_id(request):
    """A different one for each page, and the same in all its links."""
    return hashlib.md5(str(len(request.site.requests)).encode()).hexdigest()


def have_records(count):
    def check(served, result, records):
        if len(records) != count:
            yield f"{len(records)} URLs have a record, but {count} should"
    return check


def cut_short(*options):
    """The crawl ends because the user has set a limit, and says so."""
    return dict(options=options, exit=3, more=True, not_in_index=HUGE)


def max_pages(count):
    return dict(cut_short("--max-pages", count), check=and_also(says("--max-pages"), have_records(count)))


def ends_at_depth(depth, path):
    """`path`: the path at a depth."""
    def check(served, result, records):
        deepest = max(record["depth"] for record in records)
        if deepest != depth or served.url(path(depth)) not in {record["url"] for record in records}:
            yield f"the crawl ends at depth {deepest}: {sorted(record['url'] for record in records)[-1]}"
    return check


def says(words):
    """The program says these words to the user."""
    def check(served, result, records):
        if words.encode() not in result.said:
            yield f"the program doesn't say {words!r}: {result.said}"
    return check


def and_also(*checks):
    return lambda *arguments: (line for check in checks for line in check(*arguments))


def is_fetched_once(served, result, records):
    paths = served.site.paths()
    if len(paths) != len(set(paths)):
        yield f"requested twice: {sorted(path for path in set(paths) if paths.count(path) > 1)}"


def rules(text):
    """A second port has these rules."""
    return dict(answers={}, second={"/robots.txt": ok(text, type="text/plain"), "/*": a_page()})


ALLOWED, FORBIDDEN = "{second}/allowed", "{second}/forbidden"
BOTH = {ALLOWED: page(), FORBIDDEN: disallowed()}

CASES = [
    Case("45a", "calendar without an end, and --max-pages",
         {"/day/*": lambda request: a_page(f"/day/{tail(request) + 1}")},
         {"/day/1": page()},
         **max_pages(20)),
    Case("45b", "calendar without an end, and --max-depth",
         {"/day/*": lambda request: a_page(f"/day/{tail(request) + 1}")},
         {"/day/1": page(), "/day/20": page()},
         links=["/day/1"], options=("--max-depth", 20), more=True, not_in_index=HUGE,
         check=ends_at_depth(20, lambda depth: f"/day/{depth}")),
    Case("45c", "calendar without an end, and --timeout",
         {"/day/*": lambda request: [Pause(0.05), *a_page(f"/day/{tail(request) + 1}")]},
         {"/day/1": page()},
         **cut_short("--timeout", 5)),
    Case("46a", "relative link that grows, and --max-repeats, which is 3",
         {"/a/*": a_page("a/")},
         {"/a/": page(), "/a/a/": page(), "/a/a/a/": page()},
         exit=3, links=["/a/"], check=says("--max-repeats")),
    Case("46b", "path that grows by another part, and --max-path-depth",
         {"/in/*": lambda request: a_page(f"{request.path.count('/')}/")},
         {"/in/": page(), "/in/2/": page(), "/in/2/3/": page()},
         exit=3, links=["/in/"], options=("--max-path-depth", 4), check=says("--max-path-depth"),
         not_in_index="its option is for one site"),
    Case("47a", "query that grows by a kilobyte, up to the longest URL",
         {"/q*": lambda request: a_page(f"{request.path}&amp;{'x' * 1000}")},
         {f"/q?1{('&' + 'x' * 1000) * i}": page() for i in range(9)},
         links=["/q?1"], exit=3, check=says("too long for URLs")),
    Case("47b", "query that grows slowly, and --max-queries",
         {"/q*": lambda request: a_page(f"{request.path}&amp;p=1")},
         {"/q" + "?p=1" + "&p=1" * i: page() for i in range(5)},
         exit=3, links=["/q?p=1"], options=("--max-queries", 5), check=says("--max-queries"),
         not_in_index="its option is for one site"),
    Case("47c", "ampersand that is escaped twice",
         {"/q*": a_page()},
         {"/q?a=1&amp;b=2": page(), "/q?a=1&b=2": page()},
         links=["/q?a=1&amp;amp;b=2", "/q?a=1&amp;b=2", "/q?a=1&b=2"]),
    Case("48a", "session number in each query, and --max-queries",
         {"/s/*": lambda request: a_page(f"/s/home?session={len(request.site.requests)}")},
         {"/s/home": page()},
         exit=3, options=("--max-queries", 5), more=True, check=and_also(says("--max-queries"), have_records(8)),
         not_in_index="its option is for one site"),
    Case("48b", "session number in each path, and --max-pages",
         {"/s/*": lambda request: a_page(f"/s/{len(request.site.requests)}/home")},
         {},
         links=["/s/0/home"], **max_pages(30)),
    Case("48c", "session id in each path, and --max-queries",
         {"/s/*": lambda request: a_page(*(f"/s/{an_id(request)}/{page}" for page in ("", "news")))},
         {"/s/8a6e0804bd5011f0/news": page()},
         exit=3, links=["/s/8a6e0804bd5011f0/news"], options=("--max-queries", 5), more=True,
         check=and_also(says("--max-queries"), have_records(12)), not_in_index="its option is for one site"),
    Case("49", "page with a million links",
         {"/case": lambda request: ok("".join(f"<a href={i}>" for i in range(1_000_000)))},
         {"/case": page(links=10_000)},
         exit=3, options=("--max-depth", 1, "--max-body", "16M"), check=says("left out: 990000 links beyond --max-links (10000)"),
         not_in_index="it has ten thousand links"),
    Case("50", "nothing is ever missing, and --max-pages",
         {"/*": lambda request: a_page(f"{request.path}x", f"{request.path}/y")},
         {},
         links=["/no-such-page"], **max_pages(40)),
    Case("51", "one page in many spellings",
         {"/same": a_page(), "/same/": a_page(), "/~a": a_page(), "/%7Ea": a_page()},
         {"/same": page(), "/same/": page(), "/~a": page(), "/%7Ea": page()},
         links=["HTTP://127.0.0.1:{port}/same", "/./same", "/x/../same", "/x/%2e%2E/same", "/same#part", "\\same",
                "/same/", "/~a", "/%7Ea", " /same ", "http:/same"],
         check=is_fetched_once),
    Case("52a", "robots.txt of 10 MB",
         **rules(b"User-agent: *\nDisallow: /forbidden\n" + b"Disallow: /more\n" * 650_000), expected=BOTH),
    Case("52b", "robots.txt with zero bytes",
         **rules(b"\0\0\nUser-agent: *\nDisallow: /no\0ne\n\0\nDisallow: /forbidden\n"), expected=BOTH),
    Case("52c", "robots.txt with a byte order mark",
         **rules(b"\xef\xbb\xbfUser-agent: *\nDisallow: /forbidden\n"), expected=BOTH),
    Case("52d", "robots.txt in UTF-16",  # which no rule is written in: RFC 9309, section 2.3
         **rules("\ufeffUser-agent: *\nDisallow: /forbidden\n".encode("utf-16-le")),
         expected={ALLOWED: page(), FORBIDDEN: page()}),
    Case("52e", "rule of 3 kB, and one behind 5 kB of others",
         **rules("User-agent: *\n" + "Disallow: /" + "x" * 3000 + "\n" * 2 + "Disallow: /y\n" * 400
                 + "Disallow: /forbidden\n"), expected=BOTH),
    Case("52f", "robots.txt in a circle of redirects",
         {}, {"{second}/a": page()},
         second={"/robots.txt": to("/robots.txt"), "/a": a_page()}),
    Case("52g", "robots.txt: 500",
         {}, {"{second}/a": disallowed("robots.txt: HTTP status 500")},
         second={"/robots.txt": status(500), "/a": a_page()}),
    Case("52h", "robots.txt: 403",
         {}, {"{second}/a": page()},
         second={"/robots.txt": status(403), "/a": a_page()}),
    Case("52i", "robots.txt that is a redirect to another host",
         {}, {"{second}/a": disallowed(), "{second}/b": page()},
         second={"/robots.txt": to("{other}/rules"), "/a": a_page(), "/b": a_page()},
         other={"/rules": ok("User-agent: *\nDisallow: /a\n", type="text/plain")}),
    Case("53", "rule of many stars, and a long path",
         {}, {"{second}/" + "a" * 4000: page()},
         second={"/robots.txt": ok("User-agent: *\nDisallow: /" + "*a" * 500 + "*b\n", type="text/plain"),
                 "/a*": a_page()}),
    Case("54", "regular expression of the user's, and a long path",
         {"/a*": a_page()},
         {"/" + "a" * 4000: page()},
         options=("--exclude", "a.*a.*a.*z", "--exclude", "(a|aa)+$z", "--exclude", "(a*)*z"),
         not_in_index="its options are for one site"),
]
