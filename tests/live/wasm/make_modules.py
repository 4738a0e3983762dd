#!/usr/bin/env python3
"""Compiles the runtime and what is in this folder to WebAssembly.

    make_modules.py find                     prints a clang++ that can do it, or why there is none (exit status 1)
    make_modules.py make [--werror] CLANG BUILD DEPFILE live.wasm tours.wasm cases.wasm miscompiled.wasm
                                             makes these; BUILD is where meson's losing_queue.h is; --werror: a
                                             warning is an error

Not with meson's own compiler: the programs of one build are all for one machine.
"""
from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
HERE = "tests/live/wasm"
RUNTIME = "stage3_queue_crawler/runtime"
COMPILERS = ("clang++-19", "clang++")
PACKAGES = "on Debian, clang-19 lld-19 libc++-19-dev-wasm32 libc++abi-19-dev-wasm32 libclang-rt-19-dev-wasm32 wasi-libc"
# What the compiler and its library must have, and where fmt must be. It's linked, too: headers without libraries are
# of no use.
PROBE = """\
#include <fmt/core.h>
#include <condition_variable>
#include <coroutine>
#include <csignal>
#include <cstdio>
#include <mutex>
#include <source_location>
#include <thread>
int main() {
    std::mutex mutex;
    const std::lock_guard lock(mutex);
    const std::unique_lock other(mutex);
    std::printf("%u", std::source_location::current().line());
    return sizeof(std::coroutine_handle<>) + sizeof(std::thread) > 100;
}
"""
# The files of the runtime that a crawl uses, as they are. Each list is compiled as one file, as meson does it.
PARTS = {
    "common": ["common/system/selector.cpp", "common/system/selector_poll.cpp", "common/system/selector_select.cpp",
               "common/trace/place.cpp", "common/trace/trace.cpp"],
    "runtime": [*(f"{RUNTIME}/loop/{name}.cpp" for name in
                  ("callback", "event_loop", "mailbox", "report", "thread_pool", "timers")),
                *(f"{RUNTIME}/task/{name}.cpp" for name in ("future", "run", "task", "wait")),
                f"{RUNTIME}/sync/event.cpp"],
    "machine": [f"{HERE}/machine.cpp", f"{HERE}/door.cpp"],
    "exceptions": [f"{HERE}/exceptions.cpp"],
    "crawl": ["tests/live/settings.cpp", "tests/live/crawl.cpp", f"{HERE}/live.cpp"],
    "tours": [f"{HERE}/tours.cpp"],
    "cases": [f"{HERE}/exception_cases.cpp"],
    "miscompiled": [f"{HERE}/miscompiled.cpp"],
}
ALL_HAVE = ("common", "runtime", "machine", "exceptions")
MODULES = {"live.wasm": (*ALL_HAVE, "crawl"), "tours.wasm": (*ALL_HAVE, "tours"), "cases.wasm": (*ALL_HAVE, "cases"),
           "miscompiled.wasm": ("miscompiled",)}
OLDER_WAY = ["-fexceptions", "-mllvm", "-enable-emscripten-cxx-exceptions"]  # exceptions.cpp says why
ALONE = {"miscompiled.wasm": ["-nostdlib", "-Wl,--no-entry"]}
EXCEPTIONS = {"exceptions": ["-fno-exceptions"], "miscompiled": ["-fwasm-exceptions", "-fno-crash-diagnostics"]}
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion"]


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(word) for word in command], cwd=ROOT, capture_output=True, text=True, check=False)


def as_cpp(compiler: str) -> list[str]:
    """How it's told to compile C++ for this machine. Since clang 20, the machine has a new name, under which
    Debian's packages are found."""
    version = int(run(compiler, "-dumpversion").stdout.partition(".")[0] or 0)
    return [f"--target=wasm32-{'wasi' if version < 20 else 'wasip1'}", "-std=c++20", "-D_WASI_EMULATED_SIGNAL",
            "-isystem", f"{HERE}/machine"]


def with_fmt(work: Path) -> list[str]:
    """What finds the headers of fmt, and no others of this machine's."""
    try:
        found = run("pkg-config", "--variable=includedir", "fmt").stdout.strip()
    except OSError:  # there is no pkg-config: meson has others to ask
        found = ""
    (work / "fmt").mkdir(exist_ok=True)
    link = work / "fmt/fmt"
    link.unlink(missing_ok=True)
    link.symlink_to(Path(found or "/usr/include") / "fmt")
    return ["-isystem", str(link.parent), "-DFMT_HEADER_ONLY"]


def find() -> int:
    reasons = []
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "probe.cpp"
        source.write_text(PROBE, encoding="utf-8")
        for compiler in COMPILERS:
            try:
                done = run(compiler, *as_cpp(compiler), *OLDER_WAY, *with_fmt(Path(folder)), source, "-o",
                           Path(folder) / "probe.wasm", "-Wl,--allow-undefined")  # what exceptions.cpp has
            except OSError:
                continue
            if done.returncode == 0:
                print(compiler)
                return 0
            errors = [line for line in done.stderr.splitlines() if "error:" in line]
            reasons.append(f"{compiler}: {(errors or ['it fails'])[0].split('error: ')[-1]}")
    print(f"no clang++ here can compile C++20 for WebAssembly ({'; '.join(reasons) or 'there is none'}); {PACKAGES}")
    return 1


def work_folder(outputs: list[Path]) -> Path:
    return outputs[0].parent / "wasm.p"


def read_by(outputs: list[Path]) -> list[str]:
    """Every file that was compiled, for ninja; this one, too. Not those that are written here: one that is newer
    than an output would let ninja make all of it again, each time."""
    work = work_folder(outputs).resolve()
    found = {Path(__file__).resolve()}
    for depfile in work.glob("*.d"):
        _, *words = re.split(r"(?<!\\)\s+", depfile.read_text(encoding="utf-8").replace("\\\n", " ").strip())
        found |= {(ROOT / re.sub(r"\\([ #])", r"\1", word).replace("$$", "$")).resolve() for word in words}
    return sorted(str(path) for path in found if work not in path.parents)


def in_depfile(path: str) -> str:
    """As make writes it, and ninja reads it."""
    return re.sub(r"[ #]", r"\\\g<0>", path).replace("$", "$$")


def make(compiler: str, build: Path, outputs: list[Path], more: list[str]) -> int:
    work = work_folder(outputs)
    work.mkdir(exist_ok=True)
    compile_ = [compiler, *as_cpp(compiler), "-Os", "-c", "-I.", f"-I{build}", *with_fmt(work),
                "-D_GNU_SOURCE", "-ffunction-sections", "-fdata-sections",
                f"-ffile-prefix-map={build}/=", f"-ffile-prefix-map={work}/fmt/=", *WARNINGS, *more]
    link = [compiler, *as_cpp(compiler), "-mexec-model=reactor", "-Wl,--gc-sections,--strip-all,--export-table",
            "-Wl,--export=__stack_pointer,-z,stack-size=1048576"]

    def compile_part(name: str) -> str:
        one = work / f"{name}.cpp"
        one.write_text("".join(f'#include "{file}"\n' for file in PARTS[name]), encoding="utf-8")
        done = run(*compile_, *EXCEPTIONS.get(name, OLDER_WAY), "-MD", "-MF", work / f"{name}.d", one,
                   "-o", work / f"{name}.o")
        return done.stderr if done.returncode else ""

    def link_module(output: Path) -> str:
        done = run(*link, *ALONE.get(output.name, []), *(work / f"{part}.o" for part in MODULES[output.name]),
                   "-o", output)
        return done.stderr if done.returncode else ""

    def make_miscompiled(output: Path) -> None:
        """What becomes of it is the test's affair: it's empty if this compiler makes nothing of it."""
        if compile_part("miscompiled") or link_module(output):
            output.write_bytes(b"")

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        miscompiled = pool.submit(make_miscompiled, outputs[-1])
        trouble = list(filter(None, pool.map(compile_part, [part for part in PARTS if part != "miscompiled"])))
        if not trouble:
            trouble = list(filter(None, pool.map(link_module, outputs[:-1])))
        miscompiled.result()  # or its exception
    if trouble:
        print("\n".join(trouble), file=sys.stderr)
        return 1
    return 0


def main(arguments: list[str]) -> int:
    if arguments == ["find"]:
        return find()
    more = ["-Werror"] if "--werror" in arguments[1:2] else []
    if arguments[:1] == ["make"] and len(arguments) - len(more) == 4 + len(MODULES):
        compiler, *paths = arguments[1 + len(more):]
        build, depfile, *outputs = (Path(one).absolute() for one in paths)
        if status := make(compiler, build, outputs, more):
            return status
        read = " ".join(map(in_depfile, read_by(outputs)))
        depfile.write_text(f"{in_depfile(paths[2])}: {read}\n", encoding="utf-8")
        return 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
