"""23 to 30: servers that are slow or silent, or always busy."""
from cases import Case
from expect import TIMED_OUT, error, failed, like, page, unclear
from pieces import KEEP, Forever, Silence, http, ok, page as a_page, status

SOON = ("--fetch-timeout", 1)  # a short time limit
HTML = "Content-Type: text/html"


def once(number, *headers):
    """This status the first time, and then a page."""
    return lambda request: a_page() if request.count else status(number, *headers)


def asked_twice(served, result, records):
    """Each time on a connection of its own."""
    for path in served.case.expected:
        connections = [request.connection for request in served.site.requests if request.path == path]
        if len(connections) != 2 or connections[0] == connections[1]:
            yield f"{path} was requested on these connections: {connections}"


def others_go_on(served, result, records):
    """The page after the case doesn't wait until the case is given up."""
    times = {path: [request.time for request in served.site.requests if request.path == path]
             for path in ("/case", "/after")}
    if len(times["/case"]) != 2 or not times["/after"] or times["/after"][0] > times["/case"][1]:
        yield f"the requests came at these times: {times}"


CASES = [
    Case("23", "body that drips, a byte each 0.3 s",
         {"/case": [http("HTTP/1.1 200 OK", HTML), Forever("x", pause=0.3)]},
         {"/case": failed(TIMED_OUT, 200, tries=2)},
         options=SOON, check=others_go_on),
    Case("24a", "headers that drip",
         {"/case": [b"HTTP/1.1 200 OK\r\n", Forever("X", pause=0.3)]},
         {"/case": failed(TIMED_OUT, tries=2)},
         options=SOON, check=others_go_on),
    Case("24b", "connection accepted, and not a byte",
         {"/case": Silence()},
         {"/case": failed(TIMED_OUT, tries=2)},
         options=SOON, check=others_go_on),
    Case("24c", "robots.txt that never comes",
         {},
         {"{second}/": failed(TIMED_OUT)},
         options=SOON, second={"/robots.txt": Silence()}),
    Case("24d", "robots.txt that drips",
         {},
         {"{second}/": failed(like(r"robots.txt: timed out after \S+ s"))},
         options=SOON, second={"/robots.txt": [http("HTTP/1.1 200 OK"), Forever("#", pause=0.3)]}),
    Case("24e", "TLS handshake that stalls",
         {"TLS": Silence()},
         {"https://127.0.0.1:{port}/case": failed(TIMED_OUT)},
         options=SOON),
    Case("26a", "Retry-After: -5",
         {"/case": once(503, "Retry-After: -5")},
         {"/case": page(tries=2)}),
    Case("26b", "Retry-After of 20 digits",
         {"/case": once(503, "Retry-After: " + "9" * 20)},
         {"/case": page(tries=2)}),
    Case("26c", "Retry-After: soon",
         {"/case": once(503, "Retry-After: soon")},
         {"/case": page(tries=2)}),
    Case("27", "Retry-After in the year 1970",
         {"/case": once(503, "Retry-After: Thu, 01 Jan 1970 00:00:00 GMT")},
         {"/case": page(tries=2)}),
    Case("28", "Retry-After: 86400",
         {},
         {"{second}/": unclear("HTTP status 503, come back in 86400 s", 503, tries=1)},
         exit=3, second={"/robots.txt": status(404), "/*": status(503, "Retry-After: 86400")},
         not_in_index="it makes a crawl incomplete"),
    Case("29a", "429 for ever",
         {},
         {"{second}/": unclear("its server has refused everything for 2 s", tries=0)},
         options=("--refused-timeout", 2), exit=3, second={"/robots.txt": status(404), "/*": status(429)},
         not_in_index="it makes a crawl incomplete"),
    Case("29b", "503 on every page, for ever",
         {},
         {f"{{second}}/{i}": error(503, tries=2) for i in range(10)},
         second={"/robots.txt": status(404), "/*": status(503)}),
    Case("29c", "408, 421 and 425, and then the page",
         {f"/{number}": once(number) for number in (408, 421, 425)},
         {f"/{number}": page(tries=1) for number in (408, 421, 425)}),
    Case("29d", "408, 421 and 425 for ever",
         {f"/{number}": status(number) for number in (408, 421, 425)},
         {f"/{number}": error(number, tries=1) for number in (408, 421, 425)},
         check=asked_twice),
]
