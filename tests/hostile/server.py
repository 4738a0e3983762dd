#!/usr/bin/env python3
"""A server of whatever bytes a case says. Run alone, it serves all cases that fit into one crawl:

    tests/hostile/server.py [--port N]

prints the URL of a page with a link to each case, and serves until Ctrl-C. Point stage3 at it, or anything else.

Each case has its own port, so what it does to connections, to robots.txt or to a host's place in the queue affects no
other. To a crawler they are still one host, since `--scope host` ignores ports.
"""
import argparse
import collections
import itertools
import resource
import selectors
import socket
import sys
import threading
import time

import pieces

AFTER = pieces.page(text="<p>This is what comes after the case, and it's whole.\n" * 10)
AFTER_BYTES = len(AFTER[0]) - AFTER[0].index(b"\r\n\r\n") - 4

# `time`: when it came. `connection`: on which one, counted from 0. `count`: how often this path was requested before.
Request = collections.namedtuple("Request", "time connection path headers count site")


class Door:
    """Watches all sockets that nothing has arrived on, in one thread: a crawl of all cases has hundreds, and some
    machines don't start as many threads."""

    def __init__(self):
        self._selector = selectors.DefaultSelector()
        threading.Thread(target=self._run, daemon=True).start()

    def when_readable(self, sock, callback):
        """Calls it whenever there is something to read, or to accept, until `forget`."""
        try:
            self._selector.register(sock, selectors.EVENT_READ, callback)
        except KeyError:  # its descriptor was that of a socket that another thread has closed just before it was watched
            self.forget(sock)
            self._selector.register(sock, selectors.EVENT_READ, callback)

    def forget(self, sock):
        try:
            self._selector.unregister(sock)
        except (KeyError, ValueError):
            pass  # another thread has done it

    def _run(self):
        while True:
            for key, _ in self._selector.select():
                try:
                    key.data()
                except RuntimeError as error:  # no thread, for now
                    print(f"hostile server: {error}", file=sys.stderr, flush=True)
                    self.when_readable(key.fileobj, key.data)
                    time.sleep(0.1)


def _take_descriptors(enough=4096):
    """Many systems let a program open 1024 files unless it asks for more, and all cases in three crawls need 1300."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < enough:
        most = enough if hard == resource.RLIM_INFINITY else min(hard, enough)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


_take_descriptors()
DOOR = Door()


class Site:
    """One port. `answers`: what is sent for which path; "/x/*" is whatever begins so. A path that isn't there: 404.
    `address`: another one of 127.0.0.0/8 is another host."""

    def __init__(self, answers, address="127.0.0.1", port=0):
        self.answers = answers
        self.requests = []
        self.served = None  # the case (see cases.py) that it's a part of
        self._lock = threading.Lock()
        self._counts = collections.Counter()
        self._numbers = itertools.count()
        self._connections = set()
        self._listener = socket.socket()
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listener.bind((address, port))
        self._listener.listen(1000)
        self._listener.setblocking(False)
        self.port = self._listener.getsockname()[1]
        self.origin = f"http://{address}:{self.port}"
        DOOR.when_readable(self._listener, self._accept)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """Accepts no more clients, and disconnects the others."""
        with self._lock:
            sockets = [self._listener, *self._connections]
        for each in sockets:
            DOOR.forget(each)
            _shut(each)

    def forget(self):
        """Forgets all requests."""
        with self._lock:
            self.requests = []
            self._counts.clear()

    def paths(self):
        """The requested paths in order, without robots.txt."""
        return [request.path for request in self.requests if request.path != "/robots.txt"]

    def _accept(self):
        try:
            connection, _ = self._listener.accept()
            connection.setblocking(True)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except OSError:
            return  # the client has left already
        with self._lock:
            self._connections.add(connection)
        self._await_request(connection, next(self._numbers), b"")

    def _await_request(self, connection, number, received):
        """`received`: what has arrived of it so far."""
        def begin():
            DOOR.forget(connection)
            threading.Thread(target=self._serve, args=(connection, number, received), daemon=True).start()
        DOOR.when_readable(connection, begin)

    def _serve(self, connection, number, received):
        try:
            received = self._converse(connection, number, received)
            if received is not None:
                self._await_request(connection, number, received)
                return
        except (OSError, ValueError):
            pass  # the client has left: it has had enough (ValueError: the site has closed the socket)
        with self._lock:
            self._connections.discard(connection)
        connection.close()

    def _converse(self, connection, number, received):
        """Answers what has arrived, and returns the beginning of the next request; None if the connection has ended."""
        more = connection.recv(65536)
        received += more
        if received and not any(method.startswith(received[:len(method)]) for method in (b"GET ", b"HEAD ")):
            self._send(self.answers.get("TLS", []), connection)  # it can't be anything else
            return None
        while b"\r\n\r\n" in received:
            head, received = received.split(b"\r\n\r\n", 1)
            if not self._send(self._answer(self._note(head.decode("latin-1"), number)), connection):
                return None
        return received if more else None

    @staticmethod
    def _send(answer, connection):
        """Is the connection kept?"""
        for piece in pieces.pieces_of(answer):
            if piece is pieces.KEEP:
                return True
            if isinstance(piece, pieces.Piece):
                piece.send(connection)
            else:
                connection.sendall(piece)
        _say_goodbye(connection)
        return False

    def _note(self, head, number):
        lines = head.split("\r\n")
        path = (lines[0].split(" ") + [""])[1]
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:])}
        with self._lock:
            request = Request(time.monotonic(), number, path, headers, self._counts[path], self)
            self.requests.append(request)
            self._counts[path] += 1
        return request

    def _answer(self, request):
        path = request.path.split("?")[0]
        begins = [key for key in self.answers if key.endswith("*") and request.path.startswith(key[:-1])]
        for key in [request.path, path, *sorted(begins, key=len, reverse=True)]:
            if key in self.answers:
                answer = self.answers[key]
                return answer(request) if callable(answer) else answer
        return pieces.status(404, reason="Not Found")


def _say_goodbye(connection):
    """Finishes sending, and reads what the client still sends. Otherwise the client would see its connection reset
    instead of closed, and lose what it has not read yet."""
    connection.shutdown(socket.SHUT_WR)
    connection.settimeout(5)
    while connection.recv(65536):
        pass


def _shut(connection):
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    connection.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0, help="port of the page with the links (any free one)")
    options = parser.parse_args()
    import cases
    index = cases.Index(port=options.port)
    print(f"{len(index.served)} cases: {index.root}", flush=True)
    for served in index.served:
        print(f"{served.case.number:>4}  port {served.site.port}  {served.case.title}", flush=True)
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
