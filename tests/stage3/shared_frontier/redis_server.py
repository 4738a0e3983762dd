"""A redis-server for one program in Python: in its own folder, on a Unix socket.

The server that Debian's package starts is left alone. Tests in C++ start theirs with tests/support/redis_server.h.
"""
import atexit
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import resp

SKIPPED = 77  # meson's status for a skipped test


def skip_if_there_is_none():
    """Ends the program with a message if there is no suitable redis-server."""
    path = shutil.which("redis-server")
    if not path:
        print("skipped: redis-server isn't installed")
        sys.exit(SKIPPED)
    told = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
    version = re.search(r"v=(\d+)\.(\d+)\S*", told)
    if not version or (int(version[1]), int(version[2])) < (6, 2):
        print(f"skipped: Redis 6.2 or newer is needed, not {told.strip()!r}")
        sys.exit(SKIPPED)


class RedisServer:
    """`with RedisServer() as redis:`. `options`: more options of redis-server, as words. `keeps`: it writes its data to
    a file, and has it again after `kill` and `start`, except perhaps for the last second or two. `keeps_all`: it writes
    before it answers, so that nothing is lost."""

    def __init__(self, *options, keeps=False, keeps_all=False):
        self.folder = tempfile.mkdtemp(prefix="redis_", dir="/tmp")  # a socket's path may have 107 bytes
        self.socket = self.folder + "/socket"
        self.url = f"unix:{self.socket}"
        self._command = ["redis-server", "--port", "0", "--unixsocket", self.socket, "--dir", self.folder,
                         "--save", "", "--appendonly", "yes" if keeps or keeps_all else "no",
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
        """Starts the server, and waits until it answers."""
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
                    raise RuntimeError("redis-server doesn't answer:\n" + log.read())
            time.sleep(0.01)

    def client(self, timeout=60):
        """A new connection."""
        return resp.Client(self.socket, timeout)

    def log(self):
        """The file to which it writes the calls. Since 7.0 there is another one, with older data."""
        return max(pathlib.Path(self.folder).glob("**/*.aof"), key=lambda path: path.stat().st_size)

    def end(self, number=signal.SIGTERM):
        """Ends the server by a signal, and waits until it's gone. `start` starts it with the data that it wrote."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGCONT)
            self._process.send_signal(number)
            self._process.wait()

    def repair(self):
        """Must be called between `kill` and `start`. Redis may have written half a transaction. It leaves that half out
        at the next start, but (as of 7.0) not at the one after that, when half a transaction is there."""
        [file] = [*pathlib.Path(self.folder).glob("**/*.manifest")] or [self.log()]
        done = subprocess.run(["redis-check-aof", "--fix", file], executable=shutil.which("redis-server"), input="y\n",
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"redis-check-aof: {done.stdout} {done.stderr}")

    def kill(self):
        """Kills the server as if its machine had lost power, except that the kernel still writes its buffers."""
        self.end(signal.SIGKILL)

    def remove(self):
        """Ends the server, and removes its folder."""
        self.end(signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)
