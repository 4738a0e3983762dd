"""A redis-server for one program in Python: in its own folder, on a unix socket, and on a port if asked to.

Debian's package starts one for all; that one is left alone. Tests in C++ start theirs by tests/support/redis_server.h.
"""
import atexit
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import resp

SKIPPED = 77  # by which meson knows that a test was skipped


def skip_if_there_is_none():
    """Ends the program, with a word, where there is no redis-server that will do."""
    path = shutil.which("redis-server")
    if not path:
        print("skipped: redis-server isn't installed")
        sys.exit(SKIPPED)
    told = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
    version = re.search(r"v=(\d+)\.(\d+)\S*", told)
    if not version or (int(version[1]), int(version[2])) < (6, 2):
        print(f"skipped: Redis 6.2 or newer is needed, and not {told.strip()!r}")
        sys.exit(SKIPPED)


def free_port():
    """One that nobody uses just now."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


class RedisServer:
    """`with RedisServer() as redis:`. `options`: further ones of redis-server's, as words. `keeps`: it writes down what
    it's told, so that it knows it after `kill` and `start`. `keeps_all`: before it answers; else it may forget the last
    second or two."""

    def __init__(self, *options, keeps=False, keeps_all=False, port=None):
        self.folder = tempfile.mkdtemp(prefix="redis_", dir="/tmp")  # a socket's path may have 107 bytes
        self.socket = self.folder + "/socket"
        self.port = port
        self.url = f"unix:{self.socket}"
        self._command = ["redis-server", "--port", str(port or 0), "--bind", "127.0.0.1", "--unixsocket", self.socket,
                         "--dir", self.folder, "--save", "", "--appendonly", "yes" if keeps or keeps_all else "no",
                         "--appendfsync", "always" if keeps_all else "everysec",
                         "--logfile", self.folder + "/log", "--daemonize", "no", *options]
        self._process = None
        atexit.register(self.remove)

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.remove()

    @property
    def pid(self):
        return self._process.pid

    def start(self):
        """Starts it, and waits until it answers."""
        self._process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while True:
            try:
                with self.client() as client:
                    client.call("PING")
                    return self
            except resp.RedisError as error:
                if error.code == "NOAUTH":
                    return self
            except OSError:
                pass
            if self._process.poll() is not None or time.monotonic() > deadline:
                with open(self.folder + "/log", encoding="utf-8") as log:
                    raise RuntimeError("redis-server doesn't come up:\n" + log.read())
            time.sleep(0.01)

    def client(self, timeout=60):
        """A new connection."""
        return resp.Client(self.socket, timeout)

    def log(self):
        """The file to which it writes what it's told. (Since 7.0 there is another one, of what was there before.)"""
        return max(pathlib.Path(self.folder).glob("**/*.aof"), key=lambda path: path.stat().st_size)

    def end(self, number=signal.SIGTERM):
        """Ends it by that signal, and waits until it's gone. `start` starts it again, on what it had written."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGCONT)
            self._process.send_signal(number)
            self._process.wait()

    def repair(self):
        """What is to be done between `kill` and `start`, and not later. Redis may have written half a transaction down.
        It leaves that out when it starts, but (as of 7.0) not the next time: then half a transaction is there."""
        [file] = [*pathlib.Path(self.folder).glob("**/*.manifest")] or [self.log()]
        done = subprocess.run(["redis-check-aof", "--fix", file], executable=shutil.which("redis-server"), input="y\n",
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"redis-check-aof: {done.stdout} {done.stderr}")

    def kill(self):
        """As if its machine's power had gone (but for what the kernel had still to write)."""
        self.end(signal.SIGKILL)

    def remove(self):
        """Ends it, and removes its folder."""
        self.end(signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)
