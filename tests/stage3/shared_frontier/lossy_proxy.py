"""A proxy between stage 3 and Redis that loses answers: the call arrives, and then the connection is cut."""
import asyncio
import random

from loop_thread import LoopThread


class LossyProxy(LoopThread):
    """`with LossyProxy(redis.socket, chance=0.01) as proxy:` and `proxy.url`. `chance`: the chance of each answer
    to get lost, or to be cut in the middle. It may be changed at any time."""

    def __init__(self, path, chance=0.0, seed=1):
        self.path, self.chance = path, chance
        self.lost = 0
        self.port = None
        self._random = random.Random(seed)
        super().__init__()

    @property
    def url(self):
        return f"redis://127.0.0.1:{self.port}"

    async def _listen(self):
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        return [server]

    async def _end(self):
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

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
