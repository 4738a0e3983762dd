#!/usr/bin/env python3
"""Compiles the runtime and what is in this folder to WebAssembly.

    make_modules.py find                     prints a clang++ that can do it, or why there is none (exit status 1)
    make_modules.py make [--werror] CLANG BUILD DEPFILE live.wasm tours.wasm cases.wasm miscompiled.wasm
                                             makes these; BUILD is where meson's losing_queue.h is. If that fails,
                                             they are empty, and it prints a warning. --werror: then it's an error,
                                             and so is each of the compiler's warnings
    make_modules.py page FOLDER              makes FOLDER/live.wasm, and prints that path, or why it can't (exit
                                             status 1). Without a change, nothing is compiled again

Other scripts call `page_module`, which does the last.

Not with meson's own compiler: the programs of one build are all for one machine.
"""
from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
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
# The files of the runtime that a crawl uses, as they are. Each list is compiled as one file, as meson does it; those
# that take longest come first. (Of two cores, "runtime" takes one, and a module's other parts take the other.)
PARTS = {
    "runtime": ["common/system/selector.cpp", "common/system/selector_poll.cpp", "common/system/selector_select.cpp",
                "common/trace/place.cpp", "common/trace/trace.cpp",
                *(f"{RUNTIME}/loop/{name}.cpp" for name in
                  ("callback", "event_loop", "mailbox", "report", "thread_pool", "timers")),
                *(f"{RUNTIME}/task/{name}.cpp" for name in ("future", "run", "task", "wait")),
                f"{RUNTIME}/sync/event.cpp"],
    "crawl": ["tests/live/settings.cpp", "tests/live/crawl.cpp", f"{HERE}/live.cpp"],
    "tours": [f"{HERE}/tours.cpp"],
    "machine": [f"{HERE}/machine.cpp", f"{HERE}/door.cpp"],
    "exceptions": [f"{HERE}/exceptions.cpp"],
    "cases": [f"{HERE}/exception_cases.cpp"],
    "miscompiled": [f"{HERE}/miscompiled.cpp"],
}
ALL_HAVE = ("runtime", "machine", "exceptions")
MODULES = {"live.wasm": (*ALL_HAVE, "crawl"), "tours.wasm": (*ALL_HAVE, "tours"), "cases.wasm": (*ALL_HAVE, "cases"),
           "miscompiled.wasm": ("miscompiled",)}
OLDER_WAY = ["-fexceptions", "-mllvm", "-enable-emscripten-cxx-exceptions"]  # exceptions.cpp says why
ALONE = {"miscompiled.wasm": ["-nostdlib", "-Wl,--no-entry"]}
EXCEPTIONS = {"exceptions": ["-fno-exceptions"], "miscompiled": ["-fwasm-exceptions", "-fno-crash-diagnostics"]}
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion"]
SCRIPTS = [ROOT / HERE / "make_modules.py", ROOT / "tests/live/make_losing_queue.py"]
QUEUE = f"{RUNTIME}/sync/queue.h"


class NoModule(Exception):
    """Why there is none: a line for people. `log` is all that the compiler has printed."""

    def __init__(self, why: str, log: str = "") -> None:
        super().__init__(why)
        self.log = log


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    """A program that isn't there fails like any other."""
    words = [str(word) for word in command]
    try:
        return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, errors="replace", check=False)
    except OSError as error:
        return subprocess.CompletedProcess(words, 127, "", str(error))


def trouble_of(done: subprocess.CompletedProcess[str]) -> str:
    return "" if done.returncode == 0 else done.stderr.strip() or f"it fails with status {done.returncode}"


def in_short(trouble: str) -> str:
    lines = trouble.splitlines()
    return next((line for line in lines if "error:" in line), lines[-1]).split("error: ")[-1]


def as_cpp(compiler: str) -> list[str]:
    """How it's told to compile C++ for this machine. Since clang 20, the machine has a new name, under which
    Debian's packages are found."""
    version = int(run(compiler, "-dumpversion").stdout.partition(".")[0] or 0)
    return [f"--target=wasm32-{'wasi' if version < 20 else 'wasip1'}", "-std=c++20", "-D_WASI_EMULATED_SIGNAL",
            "-isystem", f"{HERE}/machine"]


def with_fmt(work: Path) -> list[str]:
    """What finds the headers of fmt, and no others of this machine's."""
    found = run("pkg-config", "--variable=includedir", "fmt").stdout.strip()  # if it's there: meson has others to ask
    (work / "fmt").mkdir(exist_ok=True)
    link = work / "fmt/fmt"
    link.unlink(missing_ok=True)
    link.symlink_to(Path(found or "/usr/include") / "fmt")
    return ["-isystem", str(link.parent), "-DFMT_HEADER_ONLY"]


def find() -> str:
    """A compiler that can do it. Raises NoModule."""
    reasons = []
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "probe.cpp"
        source.write_text(PROBE, encoding="utf-8")
        for compiler in filter(shutil.which, COMPILERS):
            done = run(compiler, *as_cpp(compiler), *OLDER_WAY, *with_fmt(Path(folder)), source, "-o",
                       Path(folder) / "probe.wasm", "-Wl,--allow-undefined")  # what exceptions.cpp has
            if done.returncode == 0:
                return compiler
            reasons.append(f"{compiler}: {in_short(trouble_of(done))}")
    raise NoModule(f"no clang++ here can compile C++20 for WebAssembly ({'; '.join(reasons) or 'there is none'}); "
                   f"{PACKAGES}")


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


def compile_modules(compiler: str, build: Path, outputs: list[Path], more: list[str]) -> None:
    """Raises NoModule."""
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
        return trouble_of(run(*compile_, *EXCEPTIONS.get(name, OLDER_WAY), "-MD", "-MF", work / f"{name}.d", one,
                              "-o", work / f"{name}.o"))

    def link_module(output: Path) -> str:
        return trouble_of(run(*link, *ALONE.get(output.name, []),
                              *(work / f"{part}.o" for part in MODULES[output.name]), "-o", output))

    def make_miscompiled(output: Path) -> None:
        """What becomes of it is the test's affair: it's empty if this compiler makes nothing of it."""
        if compile_part("miscompiled") or link_module(output):
            output.write_bytes(b"")

    usual = [output for output in outputs if output.name != "miscompiled.wasm"]
    parts = [part for part in PARTS if any(part in MODULES[output.name] for output in usual)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        troubles = list(filter(None, pool.map(compile_part, parts)))
        if not troubles:
            troubles = list(filter(None, pool.map(link_module, usual)))
        for output in set(outputs).difference(usual):
            make_miscompiled(output)
    if troubles:
        raise NoModule(f"{compiler} can't compile it: {in_short(troubles[0])}", "\n".join(troubles))


def make(compiler: str, build: Path, depfile: Path, outputs: list[Path], strict: bool) -> None:
    """For meson: a compiler for another machine, which nobody has asked for, is no reason for a build to fail.
    Raises NoModule only if somebody has."""
    try:
        compile_modules(compiler, build, outputs, ["-Werror"] if strict else [])
        read = read_by(outputs)
    except NoModule as error:
        if strict:
            raise
        print(f"warning: no module for a page, and its test is skipped (-Dlive=enabled says more): {error}",
              file=sys.stderr)
        for output in outputs:
            output.write_bytes(b"")
        (work_folder(outputs) / "why").write_text(f"{error}\n", encoding="utf-8")  # for the test
        # All that it may have read: clang doesn't say it of a file in which there is an error.
        read = [str(file) for folder in ("common", RUNTIME, "tests/live", "tests/support")
                for file in sorted((ROOT / folder).rglob("*")) if file.is_file() and "__pycache__" not in file.parts]
    depfile.write_text(f"{in_depfile(str(outputs[0]))}: {' '.join(map(in_depfile, read))}\n", encoding="utf-8")


# ---- For a book's page: without a build directory, and only if something has changed ----


def fingerprint(compiler: str, read: list[str], module: Path) -> str:
    """Of all that the module is made of, and of itself. Raises OSError if a file is gone."""
    parts = [run(compiler, "--version").stdout.encode()]
    parts += (word for file in read for word in (file.encode(), (ROOT / file).read_bytes()))
    parts.append(module.read_bytes())
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


def is_up_to_date(module: Path, stamp: Path) -> bool:
    try:
        kept = json.loads(stamp.read_text(encoding="utf-8"))
        return kept["fingerprint"] == fingerprint(kept["compiler"], kept["read"], module)
    except (OSError, ValueError, KeyError, TypeError):
        return False


def make_page_module(compiler: str, module: Path, stamp: Path) -> None:
    """In a folder of its own: somebody else may be making the same module."""
    with tempfile.TemporaryDirectory(prefix=".live-", dir=module.parent) as name:
        work = Path(name).resolve()
        begun = work.stat().st_mtime_ns
        made, made_stamp, queue = work / module.name, work / stamp.name, work / "tests/live/losing_queue.h"
        done = run(sys.executable, SCRIPTS[1], QUEUE)
        if trouble := trouble_of(done):
            raise NoModule(trouble)
        queue.parent.mkdir(parents=True)
        queue.write_text(done.stdout, encoding="utf-8")
        compile_modules(compiler, work, [made], [])

        files = {Path(one) for one in read_by([made])}.difference([queue]).union(SCRIPTS)
        read = sorted(str(one.relative_to(ROOT) if ROOT in one.parents else one) for one in files)
        # A file that has changed meanwhile was perhaps compiled as it was before: then there is no stamp.
        if all(one.stat().st_mtime_ns < begun for one in files):
            kept = {"compiler": compiler, "fingerprint": fingerprint(compiler, read, made), "read": read}
            made_stamp.write_text(json.dumps(kept, indent=1), encoding="utf-8")
        made.replace(module)
        if made_stamp.exists():
            made_stamp.replace(stamp)


def page_module(folder: Path) -> Path:
    """The module for a page, folder/live.wasm. Raises NoModule, whatever is wrong: a page is possible without."""
    module, stamp = folder / "live.wasm", folder / "live.wasm.json"
    if is_up_to_date(module, stamp):
        return module
    try:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            make_page_module(COMPILERS[0], module, stamp)  # to ask first whether it can takes another second
        except NoModule:
            other = find()
            if other == COMPILERS[0]:
                raise
            make_page_module(other, module, stamp)
    except OSError as error:
        raise NoModule(f"its files can't be written or read: {error}") from error
    return module


def main(arguments: list[str]) -> int:
    strict = "--werror" in arguments[1:2]
    try:
        if arguments == ["find"]:
            print(find())
        elif arguments[:1] == ["page"] and len(arguments) == 2:
            print(page_module(Path(arguments[1])))
        elif arguments[:1] == ["make"] and len(arguments) - strict == 4 + len(MODULES):
            compiler, *paths = arguments[1 + strict:]
            build, depfile, *outputs = (Path(one).absolute() for one in paths)
            make(compiler, build, depfile, outputs, strict)
        else:
            print(__doc__, file=sys.stderr)
            return 2
    except NoModule as error:
        if error.log:
            print(error.log, file=sys.stderr)
        print(error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
