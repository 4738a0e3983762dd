"""1 to 22: bodies and headers that are too large, cut off, broken, or lie."""
import functools
import gzip
import zlib

from cases import Case
from expect import TIMED_OUT, error, failed, file, like, page
from pieces import KEEP, Forever, Pause, Reset, Silence, http, ok, status

MEGA = 1024 * 1024
HTML = "Content-Type: text/html"
A_LINK = '<a href="/found">x</a>'
FOUND = {"/found": ok("found")}

TOO_LARGE = failed("body larger than 2 MiB", 200)
NO_HTTP = failed("not an HTTP response", tries=1)
HEADERS = failed("headers larger than 64 KiB", tries=1)
BAD_ENCODING = failed("the body's compression is broken or unknown", 200, tries=1)
TOO_MANY_ENCODINGS = failed("too many content encodings", tries=1)
BAD_LENGTH = failed("invalid Content-Length", tries=1)
CHUNKS = failed("the body's chunks are broken", 200, tries=1)


@functools.cache
def bomb():
    """A gibibyte of zeros, as gzip: a megabyte."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(bytes(MEGA)) + packer.flush(zlib.Z_FULL_FLUSH)  # starts afresh, so it can be repeated
    checksum = 0x5b64c2b0  # of this many zeros
    return (b"\x1f\x8b\x08" + bytes(6) + b"\xff" + block * 1024 + packer.flush()
            + checksum.to_bytes(4, "little") + (1024 * MEGA).to_bytes(4, "little"))


@functools.cache
def bomb_twice():
    return gzip.compress(bomb())


def encoded(body, *encodings):
    return [http("HTTP/1.1 200 OK", HTML, *(f"Content-Encoding: {each}" for each in encodings),
                 f"Content-Length: {len(body)}", body=body), KEEP]


def chunked(*pieces):
    return [http("HTTP/1.1 200 OK", HTML, "Transfer-Encoding: chunked"), *pieces]


def of_length(*lengths, body="0123456789"):
    return [http("HTTP/1.1 200 OK", HTML, *(f"Content-Length: {each}" for each in lengths), body=body)]


def head_of(type, length):
    return http("HTTP/1.1 200 OK", f"Content-Type: {type}", f"Content-Length: {length}")


def image(to_head, said=file(tries=2)):
    """What is said of an image whose HEAD gets this answer, while its GET gets the image."""
    return dict(answers={"/page": ok('<img src="/case">'),
                         "/case": lambda request: ok("it", type="image/png") if request.count else to_head},
                expected={"/page": page(), "/case": said}, links=["/page"])


FORGED = http("HTTP/1.1 200 OK", HTML, "Content-Length: 6", body="forged")
A_PAGE = b"<p>A page" + b" that is long enough" * 500

CASES = [
    Case("1", "gzip bomb",
         {"/case": lambda request: encoded(bomb(), "gzip")},
         {"/case": TOO_LARGE}),
    Case("2", "gzip bomb in gzip",
         {"/case": lambda request: encoded(bomb_twice(), "gzip, gzip")},
         {"/case": TOO_LARGE}),
    Case("3a", "200 encodings in a header",
         {"/case": encoded(A_PAGE, ", ".join(["gzip"] * 200))},
         {"/case": TOO_MANY_ENCODINGS}),
    Case("3b", "200 headers with an encoding",
         {"/case": encoded(A_PAGE, *["gzip"] * 200)},
         {"/case": TOO_MANY_ENCODINGS}),
    Case("4a", "encoding that nobody knows",
         {"/case": encoded(A_PAGE, "rot13")},
         {"/case": BAD_ENCODING}),
    Case("4b", "plain body, said to be gzip",
         {"/case": encoded(A_PAGE, "gzip")},
         {"/case": BAD_ENCODING}),
    Case("5", "gzip, cut off",
         {"/case": encoded(gzip.compress(A_PAGE)[:-20], "gzip")},
         {"/case": failed("the body's compression was cut off", 200, tries=2)}),
    Case("6", "body without end",
         {"/case": [http("HTTP/1.1 200 OK", HTML), Forever("<p>and so on\n")]},
         {"/case": TOO_LARGE}),
    Case("7", "body of 5 GB, as it says",
         {"/case": [*of_length(5_000_000_000), Forever("<p>and so on\n")]},
         {"/case": TOO_LARGE}),
    Case("8", "Content-Length too big",
         {"/case": of_length(1000)},
         {"/case": failed("the connection was closed in the middle of the body", 200, tries=2)}),
    Case("9a", "Content-Length too small, a forged answer behind it",
         {"/case": [of_length(10)[0] + FORGED, KEEP]},
         {"/case": page(bytes=10)},
         options=("--workers", 1)),
    # This can't be noticed: the next page has already been requested when it arrives. It hurts only the server itself,
    # which could just as well answer that request so.
    Case("9b", "forged answer that comes late",
         {"/case": [*of_length(10), Pause(0.05), FORGED, KEEP]},
         {"/case": page(bytes=10), "/after": page()},
         options=("--workers", 1)),
    Case("10a", "Content-Length negative",
         {"/case": of_length(-10)},
         {"/case": BAD_LENGTH}),
    Case("10b", "Content-Length of 20 digits",
         {"/case": of_length("9" * 20)},
         {"/case": BAD_LENGTH}),
    Case("10c", "two Content-Lengths that differ",
         {"/case": of_length(5, 6)},
         {"/case": BAD_LENGTH}),
    Case("10d", "two Content-Lengths in a header",
         {"/case": of_length("5, 6")},
         {"/case": BAD_LENGTH}),
    Case("10e", "two Content-Lengths that agree",
         {"/case": [*of_length(10, 10), KEEP]},
         {"/case": page(bytes=10)}),
    Case("11", "Transfer-Encoding and Content-Length",
         {"/case": [http("HTTP/1.1 200 OK", HTML, "Content-Length: 5", "Transfer-Encoding: chunked"),
                    b"16\r\n" + A_LINK.encode() + b"\r\n0\r\n\r\n", KEEP], **FOUND},
         {"/case": page(bytes=22, links=1), "/found": page()},
         links=["/case"], options=("--workers", 1)),
    Case("12a", "chunk whose size is no number",
         {"/case": chunked(b"what\r\nonly this\r\n0\r\n\r\n")},
         {"/case": CHUNKS}),
    Case("12b", "chunk of 2^72 bytes",
         {"/case": chunked(b"1000000000000000000\r\nonly this\r\n0\r\n\r\n")},
         {"/case": CHUNKS}),
    Case("12c", "last chunk missing",
         {"/case": chunked(b"9\r\nonly this\r\n")},
         {"/case": failed("the connection was closed in the middle of the body", 200, tries=2)}),
    Case("12d", "trailers behind the chunks",
         {"/case": chunked(b"9\r\nonly this\r\n0\r\nX-Checksum: 17\r\n\r\n", KEEP)},
         {"/case": page(bytes=9)}),
    Case("13", "chunk extension without end",
         {"/case": chunked(b"9", Forever(";extension=more" * 100, pause=0.005))},
         {"/case": failed(TIMED_OUT, 200)},
         options=("--fetch-timeout", 1)),
    Case("14", "trailers without end",
         {"/case": chunked(b"9\r\nonly this\r\n0\r\n", Forever("X-Trailer: more\r\n"))},
         {"/case": failed("headers larger than 64 KiB", 200, tries=1)}),
    Case("15", "headers without end",
         {"/case": [b"HTTP/1.1 200 OK\r\n", Forever("X-Header: more\r\n")]},
         {"/case": HEADERS}),
    Case("16", "103 Early Hints without end",
         {"/case": Forever(http("HTTP/1.1 103 Early Hints", "Link: </style.css>; rel=preload"))},
         {"/case": HEADERS}),
    Case("17", "header line of 1 MB",
         {"/case": [http("HTTP/1.1 200 OK", "X-Header: " + "x" * MEGA, body="only this")]},
         {"/case": NO_HTTP}),
    Case("18a", "zero byte in a header",
         {"/case": http("HTTP/1.1 200 OK", "X-Header: a\0b", HTML, body="only this")},
         {"/case": NO_HTTP}),
    Case("18b", "header without a colon",
         {"/case": http("HTTP/1.1 200 OK", "X-Header", HTML, body="only this")},
         {"/case": NO_HTTP}),
    Case("19a", "body without a status line (HTTP/0.9)",
         {"/case": b"<p>hello"},
         {"/case": NO_HTTP}),
    Case("19b", "status 000",
         {"/case": status("000")},
         {"/case": NO_HTTP}),
    Case("19c", "status abc",
         {"/case": status("abc")},
         {"/case": NO_HTTP}),
    Case("19d", "status 999",
         {"/case": status(999)},
         {"/case": error(999, "HTTP status 999, which HTTP doesn't have")}),
    Case("20a", "204 with a body",
         {"/case": [http("HTTP/1.1 204 No Content", HTML, "Content-Length: 22", body=A_LINK), KEEP]},
         {"/case": file(204, bytes=0)},
         options=("--workers", 1)),
    Case("20b", "304 with a body",
         {"/case": [http("HTTP/1.1 304 Not Modified", HTML, "Content-Length: 22", body=A_LINK), KEEP]},
         {"/case": error(304, "HTTP status 304 (not modified) to a request without a condition")},
         options=("--workers", 1)),
    Case("20c", "headers without carriage returns",
         {"/case": b"HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Length: 22\n\n" + A_LINK.encode(), **FOUND},
         {"/case": page(bytes=22), "/found": page()},
         links=["/case"]),
    Case("20d", "folded header",
         {"/case": http("HTTP/1.1 200 OK", "Content-Type: text/html;", "  charset=utf-8", body=A_LINK), **FOUND},
         {"/case": page(charset="utf-8"), "/found": page()},
         links=["/case"]),
    Case("20e", "HTTP/1.0, without a length",
         {"/case": http("HTTP/1.0 200 OK", HTML, body=A_LINK), **FOUND},
         {"/case": page(bytes=22), "/found": page()},
         links=["/case"]),
    # After the start page, on its connection: a libcurl handle that had been used before crashed here.
    Case("20f", "first header continues none",
         {"/case": http("HTTP/1.1 200 OK", " a: b", HTML, body="only this")},
         {"/case": NO_HTTP},
         options=("--workers", 1)),
    Case("21a", "reset in the body",
         {"/case": [*of_length(1000), Pause(0.1), Reset()]},
         {"/case": failed(like("(?i)connection reset.*"), 200, tries=2)}),
    Case("21b", "closed without a word",
         {"/case": []},
         {"/case": failed("empty response", tries=2)}),
    Case("21c", "port at which nobody is",
         {},
         {"{closed}/": failed(like("(?i)connection refused"), tries=2)}),
    Case("21d", "https, where only http is spoken",
         {"TLS": http("HTTP/1.1 400 Bad Request", "Content-Length: 0")},
         {"https://127.0.0.1:{port}/case": failed(like(".*(SSL|TLS).*"))}),
    Case("21e", "reset at once",
         {"/case": [Reset()]},
         {"/case": failed(like("(?i)connection reset.*"), tries=2)}),
    Case("22a", "image, said to be HTML",
         {"/case": ok(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 10)},
         {"/case": page(links=0)}),
    Case("22b", "HTML, said to be PDF",
         {"/case": ok(A_LINK, type="application/pdf")},
         {"/case": file(links=0)}),
    Case("22c", "HTML without a type",
         {"/case": http("HTTP/1.1 200 OK", body=A_LINK), **FOUND},
         {"/case": page(links=1), "/found": page()},
         links=["/case"]),
    Case("22d", "HTML with an empty type",
         {"/case": ok(A_LINK, type=""), **FOUND},
         {"/case": page(links=1), "/found": page()},
         links=["/case"]),
    Case("22e", "no HTML, and no type",
         {"/case": http("HTTP/1.1 200 OK", body="what? " + A_LINK)},
         {"/case": file(links=0)}),
    Case("22f", "type that is none",
         {"/case": ok(A_LINK, type="text html; ;;=\"")},
         {"/case": file(content_type="text html")}),
    # What isn't searched for links is alive by its head.
    Case("22g", "download of 5 GB, as it says",
         {"/case": [head_of("application/zip", 5_000_000_000), Forever("and so on")]},
         {"/case": file(tries=1)},
         not_in_index="how much of it comes is chance"),
    Case("22h", "download, cut off",
         {"/case": [head_of("application/zip", 1000) + b"only this"]},
         {"/case": file(tries=1)}),
    Case("22i", "download, whose compression is broken",
         {"/case": http("HTTP/1.1 200 OK", "Content-Type: application/zip", "Content-Encoding: gzip", body="only this")},
         {"/case": file(tries=1)}),
    Case("22j", "stream of events without end",
         {"/case": [http("HTTP/1.1 200 OK", "Content-Type: text/event-stream"), Forever("data: x\n\n", pause=0.1)]},
         {"/case": file(tries=1)},
         not_in_index="how much of it comes is chance"),
    Case("22k", "download whose body never comes",
         {"/case": [head_of("application/zip", 1000), Silence()]},
         {"/case": file(tries=1)}),
    Case("22l", "404 whose body never comes",
         {"/case": [http("HTTP/1.1 404 Not Found", HTML, "Content-Length: 1000"), Silence()]},
         {"/case": error(404, tries=1)}),
    Case("22m", "no type, and no body ever comes",
         {"/case": [http("HTTP/1.1 200 OK", "Content-Length: 1000"), Silence()]},
         {"/case": failed(TIMED_OUT, 200)},
         options=("--fetch-timeout", 1)),
    # An image is asked for with HEAD.
    Case("22n", "HEAD leads to an error page",
         **image([http("HTTP/1.1 302 Found", "Location: /error", "Content-Length: 0"), KEEP])),
    Case("22o", "HEAD gets no HTTP",
         **image(b"what?\r\n\r\n", file())),  # on a kept connection, the session repeats the HEAD itself
    Case("22p", "HEAD gets no answer",
         **image([Silence()]), options=("--fetch-timeout", 1)),
]
