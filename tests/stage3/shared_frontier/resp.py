"""A client for Redis, for tests: one connection, which blocks.

RESP, Redis's protocol, is small: a call is a list of byte strings, and the first byte of an answer says which of five
kinds it is. Stage 3's own client is in stage3_queue_crawler/redis/; this one is independent of it on purpose.
"""
import socket


class RedisError(Exception):
    """An error from Redis. Its first word is a code, such as NOAUTH."""

    @property
    def code(self):
        return str(self).split(" ", 1)[0]


def encode(*words):
    """The bytes of a call."""
    parts = [b"*%d\r\n" % len(words)]
    for word in words:
        word = word if isinstance(word, bytes) else str(word).encode()
        parts += (b"$%d\r\n" % len(word), word, b"\r\n")
    return b"".join(parts)


class Client:
    """`address`: a unix socket's path, or (host, port). Answers are str, int, None or lists; errors are raised."""

    def __init__(self, address, timeout=60):
        self.socket = socket.socket(socket.AF_UNIX if isinstance(address, str) else socket.AF_INET)
        self.socket.settimeout(timeout)
        try:
            self.socket.connect(address)
        except OSError:
            self.socket.close()
            raise
        self.file = self.socket.makefile("rb", buffering=1 << 16)

    def close(self):
        self.file.close()
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def call(self, *words):
        return self.call_all([words])[0]

    def call_all(self, calls):
        """Sends all calls, and then reads all answers, which is faster than one by one."""
        self.socket.sendall(b"".join(encode(*words) for words in calls))
        answers = [self._read() for _ in calls]
        for answer in answers:
            if isinstance(answer, RedisError):
                raise answer
        return answers

    def _read(self):
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionError("Redis has hung up")
        kind, rest = line[:1], line[1:-2].decode("utf-8", "surrogateescape")
        if kind == b"+":
            return rest
        if kind == b"-":
            return RedisError(rest)
        if kind == b":":
            return int(rest)
        length = int(rest)
        if length < 0:
            return None
        if kind == b"$":
            return self.file.read(length + 2)[:-2].decode("utf-8", "surrogateescape")
        return [self._read() for _ in range(length)]
