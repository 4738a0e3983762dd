"""Where asyncio's queue and Tornado's differ from ours: rows Q14 to Q16.

queue_test.cpp shows that no task jumps the line of our queue, and that nothing is lost.
Page 12 says that asyncio's lets others jump the line, and that Tornado's loses an item. This
test shows both. If it fails with a newer version, they have been fixed, and the page must
say so.
"""

import asyncio
import unittest

try:
    from tornado.queues import Queue as TornadoQueue
except ImportError:  # Debian: python3-tornado
    TornadoQueue = None


async def turns(count=3):
    for _ in range(count):
        await asyncio.sleep(0)


class PeerQueues(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.log = []

    def getter(self, queue, name):
        async def get():
            self.log.append((name, await queue.get()))

        return asyncio.ensure_future(get())

    async def test_asyncio_lets_a_getter_cut_in(self):
        queue = asyncio.Queue()
        waiting = [self.getter(queue, 1), self.getter(queue, 2)]
        await turns()
        queue.put_nowait(7)  # wakes getter 1 ...
        self.assertEqual(queue.get_nowait(), 7)  # ... whose item is taken here
        await turns()
        queue.put_nowait(8)
        queue.put_nowait(9)
        await asyncio.gather(*waiting)
        self.assertEqual(self.log, [(2, 8), (1, 9)])  # fair: 1 before 2

    async def test_asyncio_lets_a_putter_cut_in(self):
        queue = asyncio.Queue(1)
        queue.put_nowait(0)
        waiting = [asyncio.ensure_future(queue.put(item)) for item in (1, 2)]
        await turns()
        queue.get_nowait()
        queue.put_nowait(9)  # takes the room that was made for 1
        left = []
        while len(left) < 3:
            left.append(await queue.get())
            await turns()
        await asyncio.gather(*waiting)
        self.assertEqual(left, [9, 1, 2])  # fair: 1, 2, 9

    async def test_asyncio_loses_nothing(self):
        queue = asyncio.Queue()
        first, second = self.getter(queue, 1), self.getter(queue, 2)
        await turns()
        queue.put_nowait(7)
        first.cancel()
        await turns()
        self.assertTrue(second.done())
        self.assertEqual(self.log, [(2, 7)])

    @unittest.skipUnless(TornadoQueue, "needs Tornado")
    async def test_tornado_lets_no_task_cut_in(self):
        queue = TornadoQueue(1)
        queue.put_nowait(0)
        waiting = [queue.put(item) for item in (1, 2)]
        left = [queue.get_nowait()]
        with self.assertRaises(Exception):
            queue.put_nowait(9)
        while queue.qsize():
            left.append(queue.get_nowait())
            await turns()
        await asyncio.gather(*waiting)
        self.assertEqual(left, [0, 1, 2])

    @unittest.skipUnless(TornadoQueue, "needs Tornado")
    async def test_tornado_loses_an_item(self):
        queue = TornadoQueue()
        first, second = self.getter(queue, 1), self.getter(queue, 2)
        await turns()
        queue.put_nowait(7)
        first.cancel()
        await turns()
        self.assertEqual((self.log, queue.qsize(), second.done()), ([], 0, False))
        second.cancel()


if __name__ == "__main__":
    unittest.main()
