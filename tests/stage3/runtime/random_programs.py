"""Plays random programs of tasks on our runtime and on Python's asyncio, and compares.

A program is a handful of tasks, each with a few steps: wait for a future, a task, a
coroutine, a timer or an event, with a time limit or without; resolve, fail or cancel
futures; cancel tasks; start tasks. Every step is recorded with the time and its outcome.
Our runtime must do what asyncio does, line for line: the same things in the same order.
So you need not trust a model of asyncio that we wrote, because asyncio is the model.

Both run on a virtual clock, so that an hour's sleep takes no time. asyncio leaves the order
of timers that are due at the same time open; here it is fixed to the order of our runtime.
wait_for and gather differ from one version of Python to the next, and ours differ from all
of them in one point each, so Python gets ours, rewritten in Python. It keeps its own
TaskGroup, with what later versions have fixed.

    random_programs.py PLAYER [--seed N] [--count N]
"""

import argparse
import asyncio
import random
import selectors
import subprocess
import sys

HOURS_10 = 36000.0


class Failure(Exception):
    pass


class Selector(selectors.SelectSelector):
    """Advances the loop's clock when the loop sleeps."""

    def select(self, timeout=None):
        if timeout is None:
            raise RuntimeError("all tasks wait, and nothing will ever happen")
        self.loop.now = round(self.loop.now + timeout, 3)
        return []


class Loop(asyncio.SelectorEventLoop):
    def __init__(self):
        self.now, self.timers = 0.0, 0
        selector = Selector()
        super().__init__(selector)
        selector.loop = self
        self._clock_resolution = 0.0005
        self.set_exception_handler(lambda loop, context: None)
        if sys.version_info < (3, 13):
            self.set_task_factory(lambda loop, coroutine, **more: Task(coroutine, loop=loop, **more))

    def time(self):
        return self.now

    def call_at(self, when, callback, *arguments, context=None):
        self.timers += 1  # of timers due together, the one made first runs first
        return super().call_at(round(when, 3) + self.timers * 1e-8, callback, *arguments,
                               context=context)


async def cancel_and_wait(future):
    request = None
    future.cancel(msg="")
    while not future.done():
        ended = asyncio.get_running_loop().create_future()
        callback = lambda _: ended.done() or ended.set_result(None)
        future.add_done_callback(callback)
        try:
            await ended
        except asyncio.CancelledError as another:
            request = another
        finally:
            future.remove_done_callback(callback)
        if request:
            future.cancel(*request.args)
    return request


async def wait_for(awaitable, timeout):
    inner, cancelled = asyncio.ensure_future(awaitable), None
    if timeout > 0 and not inner.done():
        woken = asyncio.get_running_loop().create_future()
        wake = lambda *_: woken.done() or woken.set_result(None)
        inner.add_done_callback(wake)
        timer = asyncio.get_running_loop().call_later(timeout, wake)
        try:
            await woken
        except asyncio.CancelledError as request:
            cancelled = request
        timer.cancel()
        inner.remove_done_callback(wake)
    must_cancel = not inner.done()
    if must_cancel:
        cancelled = await cancel_and_wait(inner) or cancelled
    if cancelled and inner.cancelled():
        raise cancelled
    if cancelled:
        asyncio.current_task().cancel(*cancelled.args)
    if must_cancel and inner.cancelled():
        raise TimeoutError
    return inner.result()


async def gather(futures):
    failed = None
    left, woken = len(futures), asyncio.get_running_loop().create_future()

    def one_is_done(future):
        nonlocal left, failed
        left -= 1
        if failed is None and (future.cancelled() or future.exception()):
            failed = future
        if (left == 0 or failed is not None) and not woken.done():
            woken.set_result(None)

    callbacks = []
    for future in futures:
        callback = lambda done: one_is_done(done)  # one each: removed by identity
        future.add_done_callback(callback)
        callbacks.append((future, callback))
    try:
        try:
            await woken
        except asyncio.CancelledError as request:
            if left == 0 or failed is not None:
                raise
            for future in futures:
                future.cancel(*request.args)
            woken = asyncio.get_running_loop().create_future()
            await woken
            if failed is None or failed.cancelled():
                raise request
    finally:
        for future, callback in callbacks:
            future.remove_done_callback(callback)
    if failed is not None:
        failed.result()
    return [future.result() for future in futures]


class Task(asyncio.tasks._PyTask):
    """Gives versions before 3.13 what 3.13 does when the last request is taken back. Later ones
    use their own tasks, as programs do, because 3.14's TaskGroup doesn't know tasks in Python."""

    def uncancel(self):
        left = super().uncancel()
        if left == 0:
            self._must_cancel = False
        return left


class Permit:
    """Holds one permit of a semaphore, and gives it back unless the loop is gone."""

    def __init__(self, semaphore):
        self.semaphore = semaphore

    async def __aenter__(self):
        await self.semaphore.acquire()

    async def __aexit__(self, kind, *_):
        if kind is not GeneratorExit:
            self.semaphore.release()


class InOrder(dict):
    """A set that keeps the order in which its items came."""

    def add(self, item):
        self[item] = True

    def discard(self, item):
        self.pop(item, None)


class Group(asyncio.TaskGroup):
    """Python's TaskGroup, with what 3.13 does for a group that is cancelled from outside and also
    fails, and with `cancel`, which is ours."""

    def __init__(self):
        super().__init__()
        self._asked = False
        self._tasks = InOrder()  # so that they are cancelled in a known order

    async def __aexit__(self, kind, error, traceback):
        parent, counted = asyncio.current_task(), self._parent_cancel_requested
        try:
            return await super().__aexit__(kind, error, traceback)
        finally:
            if sys.version_info < (3, 13) and self._parent_cancel_requested and not counted:
                parent.uncancel()  # the request came while the children ended

    def cancel(self):
        if not self._aborting:
            self._abort()
            self._aborting, self._asked = False, True  # no child has failed

    def _abort(self):
        if self._asked:
            self._aborting = True  # the children were asked before
        else:
            super()._abort()


async def run_group(tell, body):
    """Our group throws the first failure as it is, and reports each of the others once."""
    group, before = Group(), None

    async def noting(*arguments):
        nonlocal before
        try:
            await body(*arguments)
        except asyncio.CancelledError:
            raise
        except Exception:
            before = len(group._errors)  # how many children had failed by then
            raise

    try:
        async with group:
            await noting(group)
    except BaseExceptionGroup as several:
        failures = list(several.exceptions)
        if before is not None:
            failures.insert(before, failures.pop())  # Python puts the body's failure last
        told = failures[:1]  # one exception in several children is one failure
        told += [one for before, one in zip(failures, failures[1:])
                 if one is not before and one is not failures[0]]
        failures = told
        parent = asyncio.current_task()
        if sys.version_info < (3, 13) and parent.cancelling():
            parent.uncancel()
            parent.cancel(msg="")
        for failure in failures[1:]:
            tell(f"another failure: {describe(failure)}")
        raise failures[0] from None


def describe(error):
    if isinstance(error, asyncio.CancelledError):
        return f"cancelled {error.args[0] if error.args else ''}"
    return "timeout" if isinstance(error, TimeoutError) else str(error)


class Program:
    """The same as in random_programs.cpp."""

    def __init__(self, line):
        self.loop, self.log = Loop(), []
        count, _, rest = line.partition(" ")
        self.futures = [self.loop.create_future() for _ in range(int(count))]
        self.scripts = []
        for script in rest.split("|"):
            words = script.split()
            self.scripts.append([(words[i], *map(int, words[i + 1:i + 4]))
                                 for i in range(0, len(words), 4)])
        self.tasks = [None] * len(self.scripts)
        self.event, self.semaphore = asyncio.Event(), asyncio.Semaphore(1)

    def play_all(self):
        for i in range(min(2, len(self.scripts))):
            self.spawn(i)
        self.loop.call_later(HOURS_10, self.loop.stop)
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()
        for i, task in enumerate(self.tasks):
            if task:
                self.log.append(f"task {i}: {self.state_of(task)}")
                if not task.done():
                    task._log_destroy_pending = False
        for i, future in enumerate(self.futures):
            self.log.append(f"future {i}: {self.state_of(future)}")
        self.loop.close()
        return self.log

    def state_of(self, future):
        if not future.done():
            return "pending"
        try:
            return f"result {future.result()}"
        except BaseException as error:
            return describe(error)

    def spawn(self, i):
        if not self.tasks[i]:
            self.tasks[i] = self.loop.create_task(self.play(i))

    def tell(self, i, what):
        self.log.append(f"{i} at {round(self.loop.now * 1000)}: {what}")

    async def play(self, i):
        last = i
        for operation, a, b, catches in self.scripts[i]:
            thrown = None
            try:
                last = await self.play_step(i, operation, a, b)
                outcome = str(last)
            except GeneratorExit:
                raise
            except BaseException as error:
                thrown, outcome = error, describe(error)
            self.tell(i, f"{operation} {a} {b} -> {outcome}")
            if thrown and not catches:
                raise thrown
            if operation == "return":
                return a
        return last

    async def play_step(self, i, operation, a, b):
        future, task = self.futures[a % len(self.futures)], self.tasks[a % len(self.tasks)]
        if operation == "turn":
            await asyncio.sleep(0)
        elif operation == "sleep":
            await asyncio.sleep(a / 1000)
        elif operation == "future":
            return await future
        elif operation == "task":
            return await task if task else 0
        elif operation == "call":
            return await self.play(a)
        elif operation == "for_future":
            return await wait_for(future, b / 1000)
        elif operation == "for_task":
            return await wait_for(task, b / 1000) if task else 0
        elif operation == "for_call":
            return await wait_for(self.play(a), b / 1000)
        elif operation == "gather":
            return sum(await gather([future, self.futures[b]]))
        elif operation in ("group", "group_fail", "group_cancel"):
            await run_group(lambda what: self.tell(i, what),
                            lambda group: self.group_body(group, operation, a, b))
        elif operation == "permit":
            async with Permit(self.semaphore):
                await asyncio.sleep(a / 1000)
        elif operation == "permit_call":
            async with Permit(self.semaphore):
                return await self.play(a)
        elif operation == "event":
            await self.event.wait()
        elif operation == "event_set":
            self.event.set()
        elif operation == "event_clear":
            self.event.clear()
        elif operation == "set":
            return 0 if future.done() else future.set_result(b) or 1
        elif operation == "fail":
            if not future.done():
                future.set_exception(Failure(f"failure {b}"))
        elif operation == "cancel_future":
            return int(future.cancel(msg=str(b)))
        elif operation == "cancel":
            return int(task.cancel(msg=str(b))) if task else 0
        elif operation == "spawn":
            self.spawn(a)
        elif operation == "callback":
            future.add_done_callback(
                lambda done: self.tell(i, f"callback {a} {b}: {self.state_of(done)}"))
        elif operation == "later":
            self.loop.call_later(a / 1000, self.later, i, a, b)
        elif operation == "throw":
            raise Failure(f"failure {a}")
        return 0

    async def group_body(self, group, operation, a, b):
        for child in range(a, min(a + 2, len(self.tasks))):
            if not self.tasks[child]:
                self.tasks[child] = group.create_task(self.play(child))
        await asyncio.sleep(b / 1000)
        if operation == "group_fail":
            raise Failure("failure of a body")
        if operation == "group_cancel":
            group.cancel()

    def later(self, i, a, b):
        self.tell(i, f"later {a} {b}")
        if not self.futures[b].done():
            self.futures[b].set_result(a)


def random_program(chance):
    futures, tasks = chance.randint(1, 4), chance.randint(2, 6)
    delays = [0, 1, 2, 3, 5, 10, 10, 20]

    def step(i):
        a_future, another = chance.randrange(futures), chance.randrange(futures)
        any_task, delay = chance.randrange(tasks), chance.choice(delays)
        # Tasks that wait only for later ones can't wait in a circle.
        behind = chance.randrange(i + 1, tasks) if i + 1 < tasks else None
        steps = [("turn", 0, 0), ("turn", 0, 0), ("sleep", delay, 0),
                 ("future", a_future, 0), ("future", a_future, 0),
                 ("for_future", a_future, delay), ("gather", a_future, another),
                 ("event", 0, 0), ("event_set", 0, 0), ("event_clear", 0, 0),
                 ("set", a_future, chance.randrange(100)), ("set", a_future, 1),
                 ("fail", a_future, chance.randrange(100)), ("cancel_future", a_future, 7),
                 ("cancel", any_task, chance.randrange(100)), ("cancel", any_task, 3),
                 ("callback", a_future, chance.randrange(100)), ("later", delay, a_future),
                 ("throw", chance.randrange(100), 0), ("return", chance.randrange(100), 0),
                 ("permit", delay, 0), ("permit", delay, 0)]
        if behind is not None:
            steps += [("task", behind, 0), ("task", behind, 0), ("call", behind, 0),
                      ("for_task", behind, delay), ("for_call", behind, delay),
                      ("spawn", behind, 0), ("spawn", behind, 0), ("spawn", behind, 0),
                      ("permit_call", behind, 0), ("group", behind, delay),
                      ("group", behind, delay), ("group", behind, 0),
                      ("group_fail", behind, delay), ("group_cancel", behind, delay)]
        return (*chance.choice(steps), chance.randrange(2))

    scripts = [" ".join(f"{op} {a} {b} {c}" for op, a, b, c in
                        (step(i) for _ in range(chance.randint(1, 8))))
               for i in range(tasks)]
    return f"{futures} " + " | ".join(scripts)


def same(theirs, ours):
    # asyncio gives a cancellation's message once, and later askers get none.
    return ours.startswith(theirs) if theirs.endswith("cancelled ") else ours == theirs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("player")
    parser.add_argument("--seed", type=int, default=random.randrange(10**9))
    parser.add_argument("--count", type=int, default=2000)
    options = parser.parse_args()
    if sys.version_info < (3, 11):
        print("needs Python 3.11: earlier ones lack messages of cancellations")
        return 77  # skipped, for meson
    print(f"seed {options.seed}, {options.count} programs")
    chance = random.Random(options.seed)
    programs = [random_program(chance) for _ in range(options.count)]
    answer = subprocess.run([options.player], input="\n".join(programs) + "\n", text=True,
                            stdout=subprocess.PIPE, check=False)
    ours = [log.splitlines() for log in answer.stdout.split("end\n")]
    differing, entries = [], 0
    for i, program in enumerate(programs):
        theirs = Program(program).play_all()
        entries += len(theirs)
        if i >= len(ours) or len(ours[i]) != len(theirs) or not all(map(same, theirs, ours[i])):
            differing.append((len(program), i, theirs))
    print(f"{entries} entries, {len(differing)} programs differ, "
          f"status of the player {answer.returncode}")
    if differing:
        _, i, theirs = min(differing)
        print(f"the shortest:\n{programs[i]}")
        ours.append([])  # if the player ended early
        i = min(i, len(ours) - 1)
        for k in range(max(len(theirs), len(ours[i]))):
            one = theirs[k] if k < len(theirs) else ""
            other = ours[i][k] if k < len(ours[i]) else ""
            print(f"{'  ' if same(one, other) else '!!'} {one:50} {other}")
        print("(on the left asyncio, on the right ours)")
    return 1 if differing or answer.returncode != 0 or entries < options.count else 0


if __name__ == "__main__":
    sys.exit(main())
