"""Measures the runtime beside Python's asyncio, and Asio's if it was built, in one run.

    runtime_bench.py BUILD      (such as: runtime_bench.py build-release)

A build without optimisation measures the compiler's laziness: set one up with
`meson setup build-release --buildtype=release`.
"""

import asyncio
import subprocess
import sys
import time
from pathlib import Path

MANY = 100_000


async def switch_often(times):
    for _ in range(times):
        await asyncio.sleep(0)


async def await_futures(times):
    loop = asyncio.get_running_loop()
    for _ in range(times):
        future = loop.create_future()
        loop.call_soon(future.set_result, None)
        await future


async def among(tasks, times, one):
    await asyncio.gather(*(one(times) for _ in range(tasks)))


async def child(value):
    return value + 1


async def await_children(times):
    value = 0
    for _ in range(times):
        value = await child(value)


async def await_tasks(times):
    value = 0
    for _ in range(times):
        value = await asyncio.create_task(child(value))


async def put_many(queue, times):
    for i in range(times):
        await queue.put(i)


async def get_many(queue, times):
    for _ in range(times):
        await queue.get()


async def pass_through(max_size, times):
    queue = asyncio.Queue(max_size)
    await asyncio.gather(put_many(queue, times), get_many(queue, times))


def count():
    i = 0
    while True:
        yield i
        i += 1


def resume_generator():
    generator = count()
    for _ in range(MANY):
        next(generator)


def measure(work):
    """Nanoseconds for one of MANY, the best of three rounds."""
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter_ns()
        work()
        best = min(best, time.perf_counter_ns() - start)
    return best / MANY


def measure_asyncio():
    run = asyncio.run
    return {
        "switch, 1 task": measure(lambda: run(among(1, MANY, switch_often))),
        "switch, 1000 tasks": measure(lambda: run(among(1000, MANY // 1000, switch_often))),
        "future, 1 task": measure(lambda: run(await_futures(MANY))),
        "future, 1000 tasks": measure(lambda: run(among(1000, MANY // 1000, await_futures))),
        "create and await a task": measure(lambda: run(await_tasks(MANY))),
        "await a child": measure(lambda: run(await_children(MANY))),
        "queue of 1, per item": measure(lambda: run(pass_through(1, MANY))),
        "queue, per item": measure(lambda: run(pass_through(0, MANY))),
        "generator, resume": measure(resume_generator),
    }


def measure_program(program):
    if not program.exists():
        return {}
    output = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout
    return {name: float(ns) for name, ns in (line.split("\t") for line in output.splitlines())}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    folder = Path(sys.argv[1]) / "tests/bench"
    ours = measure_program(folder / "runtime_bench")
    if not ours:
        sys.exit(f"there is no {folder}/runtime_bench: type meson compile -C {sys.argv[1]} benchmarks")
    asio, python = measure_program(folder / "asio_bench"), measure_asyncio()
    print(f"{'nanoseconds for one':26} {'ours':>8} {'asyncio':>9} {'ratio':>7} {'Asio':>8} {'ratio':>7}")
    for name, ns in ours.items():
        line = f"{name:26} {ns:8.1f} {python[name]:9.0f} {python[name] / ns:7.1f}"
        if name in asio:
            line += f" {asio[name]:8.1f} {asio[name] / ns:7.1f}"
        print(line)
    print(f"(asyncio of Python {sys.version.split()[0]}; ratios: how many times ours it takes)")
    if not asio:
        print("(without Asio: its headers were not there when this was built)")


if __name__ == "__main__":
    main()
