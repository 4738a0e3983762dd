"""A base for the site and the proxy, each of which listens on an event loop in its own thread."""
import asyncio
import threading


class LoopThread:
    """Runs from its construction until its `with` block ends. Classes derived from it have `async _listen()`, which
    returns the servers, and `async _end()`, which ends what those have begun."""

    def __init__(self):
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._is_up = threading.Event()
        self._thread.start()
        self._is_up.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self):
        asyncio.set_event_loop(self._loop)
        servers = self._loop.run_until_complete(self._listen())
        self._is_up.set()
        self._loop.run_forever()
        for server in servers:
            server.close()
        self._loop.run_until_complete(self._end())
        self._loop.close()
