"""What a hostile server sends, in pieces: bytes and what comes between them.

An answer is bytes, or a list of bytes and of the pieces below, which are sent one after the other. When there is no
more, the connection is closed; unless the last piece is KEEP.

A function may stand for an answer: it's called with the Request, and returns one. So may an answer be counted, or hold
the URL of the server itself.
"""
import socket
import struct
import time


class Piece:
    """`send` does something with a connection. An OSError ends the answer, because the other side has left."""

    def send(self, connection):
        raise NotImplementedError


class Pause(Piece):
    """This many seconds without a byte."""

    def __init__(self, seconds):
        self.seconds = seconds

    def send(self, connection):
        time.sleep(self.seconds)


class Silence(Piece):
    """No more bytes, but the connection stays open until the client leaves."""

    def send(self, connection):
        while connection.recv(65536):
            pass


class Forever(Piece):
    """The same again and again, until the client leaves. `pause`: seconds in between."""

    def __init__(self, what, pause=0.0):
        self.what, self.pause = as_bytes(what), pause

    def send(self, connection):
        # Small pieces are sent many at a time: the client's work counts, not ours.
        chunk = self.what if self.pause else self.what * max(1, 65536 // len(self.what))
        while True:
            connection.sendall(chunk)
            if self.pause:
                time.sleep(self.pause)


class Times(Piece):
    """The same, this many times."""

    def __init__(self, count, what):
        self.count, self.what = count, as_bytes(what)

    def send(self, connection):
        at_once = max(1, 65536 // len(self.what))
        for _ in range(self.count // at_once):
            connection.sendall(self.what * at_once)
        connection.sendall(self.what * (self.count % at_once))


class Reset(Piece):
    """The connection breaks, with RST instead of the FIN of a connection that is closed."""

    def send(self, connection):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()


KEEP = Piece()  # the connection stays open for the next request


def as_bytes(text):
    """Each character of a `str` is one byte here: "\\xff" is just that byte."""
    return text if isinstance(text, bytes) else text.encode("latin-1")


def pieces_of(answer):
    """The answer as a list."""
    return answer if isinstance(answer, list) else [answer]


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


def redirect(to, status=302):
    """`to` is sent as it is, except that "{other}" and the like are filled in as in cases.py."""
    return lambda request: [http(f"HTTP/1.1 {status} Elsewhere", f"Location: {request.site.served.fill_in(to)}",
                                 "Content-Length: 0"), KEEP]


def status(number, *headers, reason="So"):
    """A response with only a status."""
    return [http(f"HTTP/1.1 {number} {reason}", *headers, "Content-Length: 0"), KEEP]
