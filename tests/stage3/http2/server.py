"""A server for HTTP/2 over TLS, on a free port of 127.0.0.1, that misbehaves where it is told to.

A site is a dictionary: for a path, either the text of a page, or what to do with a request, which is a function that
takes a Stream. Everything happens in one thread, so the functions need no locks.

    with Server({"/": links("/a", "/b"), "/a": "a page", "/b": lambda stream: stream.reset(PROTOCOL_ERROR)}) as server:
        ...server.url...

It is made with the h2 library (Debian's python3-h2), which refuses to break the protocol. What h2 won't send is built
from hyperframe's frames.
"""
import asyncio
import collections
import importlib.util
import os
import pathlib
import socket
import ssl
import sys
import threading

from program import CERTIFICATE, KEY, SKIPPED

PYTHON_OF_THE_SYSTEM = "/usr/bin/python3"


def need_h2():
    """Returns if h2 is here. Otherwise, starts this script again with the system's Python, for which the system has
    the package; if that doesn't have it either, says so and exits."""
    if importlib.util.find_spec("h2"):
        return
    if sys.executable != PYTHON_OF_THE_SYSTEM and os.path.exists(PYTHON_OF_THE_SYSTEM):
        os.execv(PYTHON_OF_THE_SYSTEM, [PYTHON_OF_THE_SYSTEM, *sys.argv])
    print(f"{pathlib.Path(sys.argv[0]).name}: skipped, because there is no python3-h2", file=sys.stderr)
    sys.exit(SKIPPED)


need_h2()
import h2.config  # noqa: E402
import h2.connection  # noqa: E402
import h2.events  # noqa: E402
import h2.exceptions  # noqa: E402
import h2.settings  # noqa: E402
from h2.errors import ErrorCodes  # noqa: E402
from hyperframe.frame import GoAwayFrame, PushPromiseFrame  # noqa: E402



def links(*paths):
    """A page that links to these."""
    return "".join(f'<a href="{path}">{path}</a>\n' for path in paths)


# ---- What a site can do with a request ----

def page(stream):
    stream.page("fine")


def stall(_stream):
    """Nothing more comes."""


class Once:
    """Does one thing with the first request for each path, and another with the others."""

    def __init__(self, first, then=page):
        self.first, self.then, self.seen = first, then, set()

    def __call__(self, stream):
        first = stream.path not in self.seen
        self.seen.add(stream.path)
        (self.first if first else self.then)(stream)


class Together:
    """Waits until `count` requests are in flight, and does one thing with all of them; later, another with each."""

    def __init__(self, count, act, then=page):
        self.count, self.act, self.then, self.waiting = count, act, then, []

    def __call__(self, stream):
        if len(self.waiting) == self.count:
            self.then(stream)
            return
        self.waiting.append(stream)
        if len(self.waiting) == self.count:
            self.act(self.waiting)


class Stream:
    """One request, and what to do with it."""

    def __init__(self, connection, number, path):
        self.connection, self.number, self.path = connection, number, path
        self.pending, self.piece, self.at_end = b"", 16384, None

    def head(self, status=200, end=False, **headers):
        names = [(name.replace("_", "-"), str(value)) for name, value in headers.items()]
        self.connection.h2.send_headers(self.number, [(":status", str(status)), *names], end_stream=end)

    def body(self, text, end=True, piece=16384, trailers=()):
        """As the client's window allows it, in pieces."""
        self.pending, self.piece = self.pending + text.encode(), piece
        if end:
            self.at_end = trailers
        self.connection.pump()

    def page(self, text, status=200, **headers):
        self.head(status, content_type="text/html", content_length=len(text.encode()), **headers)
        self.body(text)

    def reset(self, code):
        self.connection.streams.pop(self.number, None)
        self.connection.h2.reset_stream(self.number, code)

    def push(self, path):
        """Promises a page, although the client has forbidden that."""
        frame = PushPromiseFrame(self.number, promised_stream_id=2, flags=["END_HEADERS"])
        frame.data = self.connection.h2.encoder.encode(
            [(":method", "GET"), (":scheme", "https"), (":authority", "127.0.0.1"), (":path", path)])
        self.connection.send_raw(frame)


class PlainStream(Stream):
    """The same over HTTP/1.1, as far as it's needed there."""

    def head(self, status=200, end=False, **headers):
        lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
        self.connection.transport.write(f"HTTP/1.1 {status} So\r\n{lines}\r\n".encode())

    def body(self, text, end=True, piece=0, trailers=()):
        self.connection.streams.pop(self.number, None)
        self.connection.transport.write(text.encode())


class Connection(asyncio.Protocol):
    def __init__(self, server):
        self.server, self.streams, self.count = server, {}, 0
        self.h2, self.last_stream = None, None

    # ---- For sites ----

    def go_away(self, last_stream):
        """It will answer nothing beyond that stream. h2 wouldn't answer the others either, so it isn't told."""
        self.last_stream = last_stream
        self.streams = {number: stream for number, stream in self.streams.items() if number <= last_stream}
        self.send_raw(GoAwayFrame(0, last_stream_id=last_stream))
        self.close_if_done()

    def cut(self):
        """Ends without a word, not even of TLS."""
        self.transport.abort()

    def close(self):
        """Ends as most servers do: says so in TLS, and doesn't wait for the client to say so, too."""
        if not self.transport.is_closing():
            self.transport.close()
            self.transport.get_extra_info("socket").shutdown(socket.SHUT_WR)

    # ---- For asyncio ----

    def connection_made(self, transport):
        self.transport = transport
        self.number = len(self.server.connections)
        self.version = transport.get_extra_info("ssl_object").selected_alpn_protocol() or "http/1.1"
        self.server.connections.append(self.version)
        self.server.open.add(self)
        self.server.most_open = max(self.server.most_open, len(self.server.open))
        if self.version != "h2" or self.server.mute:
            self.buffer = b""
            return
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(
            client_side=False, header_encoding="utf-8", validate_outbound_headers=False))
        self.h2.initiate_connection()
        if self.server.room:  # in a second frame: the client doesn't know at first
            self.h2.update_settings({h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: self.server.room})
        self.flush()

    def connection_lost(self, _):
        self.server.open.discard(self)
        self.streams.clear()

    def data_received(self, data):
        if self.h2 is None:
            self.take_plain(data)
            return
        try:
            events = self.h2.receive_data(data)
        except h2.exceptions.ProtocolError as error:
            self.server.complaints.append(f"{type(error).__name__}: {error}")
            self.flush()
            self.close()
            return
        for event in events:
            self.take(event)
        self.pump()

    def take(self, event):
        if isinstance(event, h2.events.RequestReceived):
            # After a GOAWAY, ours or the client's, nothing is answered.
            if self.last_stream is None and not self.is_over():
                self.begin(Stream(self, event.stream_id, dict(event.headers)[":path"]))
        elif isinstance(event, h2.events.StreamReset):
            if stream := self.streams.pop(event.stream_id, None):
                self.server.resets[stream.path] += 1
        elif isinstance(event, h2.events.ConnectionTerminated):
            if event.error_code:
                self.server.complaints.append(ErrorCodes(event.error_code).name)
            self.close()

    def is_over(self):
        return self.h2.state_machine.state == h2.connection.ConnectionState.CLOSED

    def begin(self, stream):
        server = self.server
        if server.room and len(self.streams) == server.room:
            stream.reset(ErrorCodes.REFUSED_STREAM)  # as nginx does
            return
        self.count += 1
        self.streams[stream.number] = stream
        server.requests.append((stream.path, self.number))
        server.most_streams = max(server.most_streams, len(self.streams))
        if self.count == server.requests_per_connection:
            self.go_away(stream.number)
        answer = server.site.get(stream.path, lambda it: it.page("no such page", status=404))
        if isinstance(answer, str):
            stream.page(answer)
        else:
            answer(stream)

    def take_plain(self, data):
        """HTTP/1.1, and what it makes of HTTP/2's first bytes."""
        self.buffer += data
        while b"\r\n\r\n" in self.buffer:
            head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
            if head.startswith(b"PRI"):
                self.transport.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                self.close()
                return
            self.begin(PlainStream(self, self.count + 1, head.split(b" ")[1].decode()))

    # ---- Sending ----

    def pump(self):
        """Sends one piece of each body in turn, until the windows are full or everything is sent."""
        moved = self.h2 is not None and not self.is_over()
        while moved:
            moved = False
            for stream in list(self.streams.values()):
                moved = self.send_piece(stream) or moved
        if self.h2 is not None:
            self.flush()
            self.close_if_done()

    def send_piece(self, stream):
        room = min(stream.piece, self.h2.local_flow_control_window(stream.number),
                   self.h2.max_outbound_frame_size) if stream.pending else 0
        if room > 0:
            self.h2.send_data(stream.number, stream.pending[:room])
            stream.pending = stream.pending[room:]
        if stream.at_end is None or stream.pending:
            return room > 0
        if stream.at_end:
            self.h2.send_headers(stream.number, stream.at_end, end_stream=True)
        else:
            self.h2.end_stream(stream.number)
        self.streams.pop(stream.number)
        return True

    def send_raw(self, frame):
        self.flush()
        if not self.transport.is_closing():
            self.transport.write(frame.serialize())

    def flush(self):
        if not self.transport.is_closing():
            self.transport.write(self.h2.data_to_send())

    def close_if_done(self):
        if self.last_stream is not None and not self.streams:
            self.close()


class Server:
    """`room`: for streams on one connection; no limit if it's 0. `alpn`: what it offers in TLS. `mute`: it offers h2,
    but speaks only HTTP/1.1. `requests_per_connection`: then it sends GOAWAY, and closes once these are answered.

    What it has seen: `connections`, each by its version; `requests`, as path and number of the connection; `resets`
    by the client, per path; how many connections, and streams of one connection, there were at once at most; and
    `complaints`, where a client broke the protocol, or says that we did."""

    def __init__(self, site, room=0, alpn=("h2", "http/1.1"), mute=False, requests_per_connection=None):
        self.site = {"/robots.txt": "", **site}
        self.room, self.mute, self.requests_per_connection = room, mute, requests_per_connection
        self.connections, self.requests, self.complaints = [], [], []
        self.resets = collections.Counter()
        self.open, self.most_open, self.most_streams = set(), 0, 0
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._tls.load_cert_chain(CERTIFICATE, KEY)
        self._tls.set_alpn_protocols(alpn)

    def counts(self):
        """How many requests there were for each path."""
        return collections.Counter(path for path, _ in self.requests)

    def __enter__(self):
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(self._note)
        self._server = self._loop.run_until_complete(
            self._loop.create_server(lambda: Connection(self), "127.0.0.1", 0, ssl=self._tls))
        self.url = f"https://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/"
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._server.close()
        for connection in list(self.open):
            connection.transport.abort()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()

    def _note(self, _loop, context):
        """Of a mistake in here. That a client goes away is none."""
        error = context.get("exception")
        if not isinstance(error, OSError):
            self.complaints.append(f"{context['message']}: {error!r}")
