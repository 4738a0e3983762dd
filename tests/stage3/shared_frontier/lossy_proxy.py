"""A proxy between stage 3 and Redis that loses answers: the call arrives, and then the connection is cut."""
import asyncio
import random

from crawled_site import web_server


class LossyProxy:
    """`with LossyProxy(redis.socket, chance=0.01) as proxy:` and `proxy.url`. `chance`: the chance of each answer
    to get lost, or to be cut in the middle. It may be changed at any time."""

    def __init__(self, path, chance=0.0, seed=1):
        self.path, self.chance = path, chance
        self.lost = 0
        self._random = random.Random(seed)
        self._tasks = set()
        self._server = web_server.in_loop(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port = self._server.sockets[0].getsockname()[1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        web_server.in_loop(self._end())

    @property
    def url(self):
        return f"redis://127.0.0.1:{self.port}"

    async def _end(self):
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader, writer):
        self._tasks.add(task := asyncio.current_task())
        task.add_done_callback(self._tasks.discard)
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
