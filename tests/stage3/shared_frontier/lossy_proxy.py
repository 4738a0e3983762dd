"""Stands between stage 3 and Redis, and loses answers: the call arrives, and then the connection is cut."""
import asyncio
import random
import threading


class LossyProxy:
    """`with LossyProxy(redis.socket, chance=0.01) as proxy:` and `proxy.url`. `chance`: that of each answer to get
    lost, or to be cut in the middle; it may be changed at any time."""

    def __init__(self, path, chance=0.0, seed=1):
        self.path, self.chance = path, chance
        self.lost = 0
        self.port = None
        self._random = random.Random(seed)
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

    @property
    def url(self):
        return f"redis://127.0.0.1:{self.port}"

    def _run(self):
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        self._is_up.set()
        self._loop.run_forever()
        server.close()
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self._loop.close()

    async def _serve(self, reader, writer):
        try:
            from_redis, to_redis = await asyncio.open_unix_connection(self.path)
        except OSError:
            writer.transport.abort()
            return
        there = asyncio.ensure_future(self._forward(reader, to_redis, lambda: False))
        back = asyncio.ensure_future(self._forward(from_redis, writer, self._loses))
        try:
            await asyncio.wait([there, back], return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in (there, back):
                each.cancel()
            for each in (writer, to_redis):
                each.transport.abort()

    def _loses(self):
        self.lost += (loses := self._random.random() < self.chance)
        return loses

    async def _forward(self, reader, writer, loses):
        try:
            while data := await reader.read(1 << 16):
                if loses():
                    writer.write(data[:self._random.choice([0, len(data) // 2])])
                    await asyncio.sleep(0)
                    return
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
