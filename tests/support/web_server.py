"""A web server for tests, which sends whatever it is told to, decent or not.

    with Site({"/": page("/a", "/b"), "/a": ok("fine"), "/b": [http("HTTP/1.1 200 OK"), Silence()]}) as site:
        ... site.origin ... site.requests ...

An answer is bytes, or a list of bytes and of the pieces below, which are sent one after the other. When there is no
more, the connection is closed, unless the last piece is KEEP. A function may stand for an answer: it's called with the
Request, and returns one. All sites of a program share a thread, so an answer that waits has a Pause or Silence instead.
"""
import asyncio
import collections
import itertools
import socket
import struct
import threading
import time

# `time`: when it came. `connection`: on which one, counted from 0. `count`: how often this path was requested before.
# `headers`: by their names in lower case. `head`: all as it came.
Request = collections.namedtuple("Request", "time connection method path headers count site head transport")


# ---- Pieces ----

class Piece:
    """What comes between bytes. A function is a piece, too: it's called with the transport, which is its own then."""


class Pause(Piece):
    """This many seconds without a byte."""

    def __init__(self, seconds):
        self.seconds = seconds


class Silence(Piece):
    """No more bytes, but the connection stays open until the client leaves."""


class Reset(Piece):
    """The connection breaks, with RST instead of the FIN of a connection that is closed."""


class Forever(Piece):
    """The same again and again, until the client leaves. `pause`: seconds in between."""

    def __init__(self, what, pause=0.0):
        self.what, self.pause = as_bytes(what), pause

    def __iter__(self):
        # Small pieces are sent many at a time: the client's work counts, not ours.
        chunk = self.what if self.pause else self.what * max(1, 65536 // len(self.what))
        return itertools.cycle([chunk, Pause(self.pause)])


KEEP = Piece()  # the connection stays open for the next request


def steps_of(answer):
    """The bytes of an answer, and what comes between them."""
    for piece in answer if isinstance(answer, list) else [answer]:
        yield from piece if isinstance(piece, Forever) else [piece]


# ---- Answers ----

def as_bytes(text):
    """Each character of a `str` is one byte here: "\\xff" is just that byte."""
    return text if isinstance(text, bytes) else text.encode("latin-1")


def http(*lines, body=b""):
    """The bytes of a response: its lines, an empty one, its body."""
    return "".join(line + "\r\n" for line in [*lines, ""]).encode("latin-1") + as_bytes(body)


def ok(body=b"", *headers, type="text/html"):
    """A response with nothing wrong except perhaps its headers and its body."""
    body = as_bytes(body)
    return [http("HTTP/1.1 200 OK", f"Content-Type: {type}", *headers, f"Content-Length: {len(body)}", body=body), KEEP]


def page(*links, text=""):
    """A good page. Links are inserted as they are."""
    return ok("<!doctype html><title>a page</title>\n" + "".join(f'<a href="{link}">x</a>\n' for link in links) + text)


def status(number, *headers, reason="So"):
    """A response with only a status."""
    return [http(f"HTTP/1.1 {number} {reason}", *headers, "Content-Length: 0"), KEEP]


def reply(request, number, headers, body=b""):
    """A good answer to this request: to HEAD, it has no body. `headers`: a dictionary."""
    head = http(f"HTTP/1.1 {number} So", *(f"{name}: {value}" for name, value in headers.items()),
                f"Content-Length: {len(body)}")
    return [head + (b"" if request.method == "HEAD" else body), KEEP]


# ---- The server ----

LOOP = asyncio.new_event_loop()
threading.Thread(target=LOOP.run_forever, daemon=True).start()


def in_loop(coroutine):
    """What it returns, once it has run in the servers' thread."""
    return asyncio.run_coroutine_threadsafe(coroutine, LOOP).result()


class Site:
    """One port. `answers`: what is sent for which path; "/x/*" is whatever begins so, and "TLS" is for what is no
    request. A path that isn't there: 404. `address`: another one of 127.0.0.0/8 is another host. `tls`: an SSLContext.
    """

    def __init__(self, answers, address="127.0.0.1", port=0, tls=None):
        self.answers = answers
        self.requests = []
        self.errors = []  # of the functions that stand for answers
        self.most_at_once = 0  # requests that weren't answered yet
        self.answering, self.transports = set(), set()
        self._counts = collections.Counter()
        self._numbers = itertools.count()
        self._server = in_loop(self._listen(address, port, tls))
        self.port = self._server.sockets[0].getsockname()[1]
        self.origin = f"http{'s' if tls else ''}://{address}:{self.port}"

    async def _listen(self, address, port, tls):
        return await LOOP.create_server(lambda: _Connection(self, next(self._numbers)), address, port, ssl=tls,
                                        backlog=1000)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """Accepts no more clients, and disconnects the others. If an answer's function has failed, so does the test."""
        in_loop(self._close())
        if self.errors:
            raise self.errors[0]

    async def _close(self):
        self._server.close()
        for transport in self.transports:
            transport.abort()
        await asyncio.sleep(0)

    def forget(self):
        """Forgets all requests."""
        self.requests = []
        self._counts.clear()

    def paths(self):
        """The requested paths in order, without robots.txt."""
        return [request.path for request in self.requests if request.path != "/robots.txt"]

    def note(self, head, number, transport):
        first, *lines = head.split("\r\n")
        method, path = (first.split(" ") + [""])[:2]
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        request = Request(time.monotonic(), number, method, path, headers, self._counts[path], self, head, transport)
        self.requests.append(request)
        self._counts[path] += 1
        return request

    def answer(self, request):
        path = request.path.split("?")[0]
        begins = [key for key in self.answers if key.endswith("*") and request.path.startswith(key[:-1])]
        for key in [request.path, path, *sorted(begins, key=len, reverse=True)]:
            if key in self.answers:
                answer = self.answers[key]
                return answer(request) if callable(answer) else answer
        return status(404, reason="Not Found")


class _Connection(asyncio.Protocol):
    METHODS = b"GET ", b"HEAD ", b"CONNECT "

    def __init__(self, site, number):
        self.site, self.number = site, number
        self.received, self.steps, self.is_full = b"", None, False

    def connection_made(self, transport):
        self.transport = transport
        self.site.transports.add(transport)

    def connection_lost(self, _):
        self.site.transports.discard(self.transport)
        self.site.answering.discard(self)
        self.steps = None

    def pause_writing(self):
        self.is_full = True

    def resume_writing(self):
        self.is_full = False
        self._go_on()

    def data_received(self, data):
        self.received += data
        self._next_request()

    def _next_request(self):
        if self.steps is not None or not self.received:
            return
        if not any(method.startswith(self.received[:len(method)]) for method in self.METHODS):
            self._begin(self.site.answers.get("TLS", []))  # it can't be anything else
        elif b"\r\n\r\n" in self.received:
            head, _, self.received = self.received.partition(b"\r\n\r\n")
            request = self.site.note(head.decode("latin-1"), self.number, self.transport)
            self._begin(self._call(self.site.answer, request))

    def _call(self, function, argument):
        """Calls a function of the test. Its failure ends the connection."""
        try:
            return function(argument)
        except Exception as error:
            self.site.errors.append(error)
            self.transport.abort()
            return []

    def _begin(self, answer):
        self.site.answering.add(self)
        self.site.most_at_once = max(len(self.site.answering), self.site.most_at_once)
        self.steps = steps_of(answer)
        self._go_on()

    def _go_on(self):
        """Sends the next pieces, as long as the client takes them."""
        if self.steps is None:
            return
        for step in self.steps:
            if self.transport.is_closing():  # the client has had enough
                return
            if step is KEEP:
                self.site.answering.discard(self)
                self.steps = None
                return self._next_request()
            if isinstance(step, Pause):
                LOOP.call_later(step.seconds, self._go_on)
                return
            if isinstance(step, Silence):
                return
            if isinstance(step, Reset):
                linger = struct.pack("ii", 1, 0)
                self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                return self.transport.abort()
            if callable(step):
                return self._call(step, self.transport)
            self.transport.write(step)
            if self.is_full:
                return
        self.site.answering.discard(self)
        # What the client still sends is read. Otherwise, it would see a reset, and lose what it hasn't read yet.
        if self.transport.can_write_eof():
            self.transport.write_eof()
        else:
            self.transport.close()
