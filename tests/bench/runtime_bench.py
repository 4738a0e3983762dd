"""Measures the runtime beside Python's asyncio, and Asio's if it was built, in one run.

    runtime_bench.py BUILD      (such as: runtime_bench.py build-release)
    runtime_bench.py BUILD --yours PROGRAM

A build without optimisation measures the compiler's laziness: set one up with
`meson setup build-release --buildtype=release`.

PROGRAM is tests/exercises/track/bench.cpp, compiled with a runtime that a reader has built.
The table has that one first then, and no more rows than it has.
"""

import asyncio
import sys
import time
from pathlib import Path

from common import nanoseconds, parser_of

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
    """Nanoseconds for one of MANY, in the best of three rounds."""
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter_ns()
        work()
        best = min(best, time.perf_counter_ns() - start)
    return best / MANY


def measure_asyncio(names):
    """The nanoseconds of these; a name is one of `works`."""
    run = asyncio.run
    works = {
        "switch, 1 task": lambda: run(among(1, MANY, switch_often)),
        "switch, 1000 tasks": lambda: run(among(1000, MANY // 1000, switch_often)),
        "future, 1 task": lambda: run(await_futures(MANY)),
        "future, 1000 tasks": lambda: run(among(1000, MANY // 1000, await_futures)),
        "create and await a task": lambda: run(await_tasks(MANY)),
        "await a child": lambda: run(await_children(MANY)),
        "queue of 1, per item": lambda: run(pass_through(1, MANY)),
        "queue, per item": lambda: run(pass_through(0, MANY)),
        "generator, resume": resume_generator,
    }
    return {name: measure(works[name]) for name in names}


def measure_program(program):
    return nanoseconds(program) if program.exists() else {}


def print_table(first: str, columns: dict[str, dict[str, float]]):
    """A row for each name in `first`: its nanoseconds, and how many times as long the others take."""
    others = {title: numbers for title, numbers in columns.items() if title != first}
    print(f"{'nanoseconds for one':26} {first:>8}"
          + "".join(f" {title:>9} {'ratio':>7}" for title in others))
    for name, ns in columns[first].items():
        line = f"{name:26} {ns:8.1f}"
        for numbers in others.values():
            if name in numbers:
                line += f" {numbers[name]:9.1f} {numbers[name] / ns:7.1f}"
        print(line)


def main():
    parser = parser_of(__doc__)
    parser.add_argument("build", type=Path, metavar="BUILD")
    parser.add_argument("--yours", type=Path, metavar="PROGRAM")
    options = parser.parse_args()
    folder = options.build / "tests/bench"
    ours = measure_program(folder / "runtime_bench")
    if not ours:
        sys.exit(f"there is no {folder}/runtime_bench: type meson compile -C {options.build} benchmarks")
    about_python = f"asyncio of Python {sys.version.split()[0]}"
    if options.yours:
        yours = measure_program(options.yours)
        if not yours:
            sys.exit(f"there is no {options.yours}")
        print_table("yours", {"yours": yours, "stage 3": ours, "asyncio": measure_asyncio(yours)})
        print(f"({about_python}; ratios: how many times yours it takes)")
        return
    asio = measure_program(folder / "asio_bench")
    print_table("ours", {"ours": ours, "asyncio": measure_asyncio(ours)} | ({"Asio": asio} if asio else {}))
    print(f"({about_python}; ratios: how many times ours it takes)")
    if not asio:
        print("(without Asio: its headers were not there when this was built)")


if __name__ == "__main__":
    main()
