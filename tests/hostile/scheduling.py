"""79 to 84: what keeps a crawl from ending, ends it too early, or lets one host delay all others."""
from cases import Case
from expect import failed, like, page
from pieces import Pause, page as a_page, status

PAGES = 1000


def slowly(*links, seconds=1.0):
    return [Pause(seconds), *a_page(*links)]


def others_go_on(served, result, records):
    """All pages of the quick host were requested before the slow one was done."""
    quick = [request.time for request in served.site.requests]
    slow = [request.time for request in served.second.requests if request.path != "/robots.txt"]
    if not slow or max(quick) > max(slow):
        yield f"the quick host's last request was {max(quick) - max(slow, default=0):.1f} s after the slow one's"


def once(served, result, records):
    asked = served.site.paths().count("/same")
    if asked != 1:
        yield f"/same was requested {asked} times"


def some_pages(count, *links):
    """The pages /p/1, /p/2 ..., and their expected records."""
    return dict(answers={"/p/*": a_page(*links)}, expected={f"/p/{i}": page() for i in range(count)})


CASES = [
    Case("79", "page at which reading fails",
         {"/a": a_page(), "/b": a_page(), "/c": a_page()},
         {"/a": failed(like(".*fail.*"), 200), "/b": page(), "/c": page()},
         options=("--fail-parsing", 2, "--workers", 1, "--parse-threads", 0), not_in_index="it fails on demand"),
    Case("80", "one worker, and more links than any queue should hold",
         **some_pages(2000),
         options=("--workers", 1), not_in_index="it's large"),
    Case("81a", "last page, slow, with more links",
         {"/last": slowly("/behind"), "/behind": slowly("/the-end"), "/the-end": a_page()},
         {"/last": page(), "/behind": page(), "/the-end": page()},
         links=["/last"]),
    Case("81b", "links that are found at the second try",
         {"/last": lambda request: a_page("/the-end") if request.count else status(503, "Retry-After: 1"),
          "/the-end": a_page()},
         {"/last": page(tries=1), "/the-end": page()},
         links=["/last"]),
    Case("82", "slow host among others, and --max-per-host",
         {"/p/*": a_page()},
         {**{f"{{second}}/{i}": page() for i in range(6)}, **{f"/p/{i}": page() for i in range(50)}},
         options=("--max-per-host", 2), second={"/robots.txt": status(404), "/*": slowly(seconds=4)},
         check=others_go_on, not_in_index="its option is for all hosts"),
    Case("83", "2000 workers, and 64 descriptors",
         **some_pages(500),
         options=("--workers", 2000), descriptors=64, not_in_index="it's large"),
    Case("84", "link that is on 1000 pages",
         {"/p/*": a_page("/same", "/same#part", "/p/../same"), "/same": a_page()},
         {"/same": page(), **{f"/p/{i}": page() for i in range(PAGES)}},
         check=once, options=("--workers", 10), not_in_index="it's large"),
]
