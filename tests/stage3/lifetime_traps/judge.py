#!/usr/bin/env python3
"""Which tool finds which of the traps of book/20? Checks that the table on that page is true.

    judge.py run PROGRAM COMPILER VERSION    the address sanitizer's verdicts (status 77: there is none)
    judge.py lint COMMAND...                 clang-tidy's verdicts on wrong.cpp and mended.cpp
    judge.py warn COMPILER...                what clang warns about if the runtime has attributes for it
    judge.py report PROGRAM TRAP             a report for the page, with only the frames in our files

PROGRAM is lifetime_traps, built by COMPILER (gcc or clang) of VERSION. The table covers two compilers;
the findings of others are printed, and only findings in the mended traps are mistakes.

"warn" compiles copies of the headers and of the traps to which ATTRIBUTES have been added.
"""
from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PAGE = ROOT / "book/20-what-must-outlive-what.md"
SKIPPED = 77  # meson's status for "skipped"
NOTHING = "nothing"
BY_CHANCE = "by chance"  # the tool may find that something is wrong, but not what
AFTER_RETURN = "detect_stack_use_after_return="
FINE = ["at-once", "by-index"]
KNOWN = {("gcc", "12"): ["g++ 12", "g++ 12, told to"], ("clang", "19"): ["clang++ 19"]}
TIDY = "clang-tidy 19"
WARNS = "clang++ 19, attributes"
NEWER = {"19": {}, "22": {"2": "-Wreturn-stack-address"}}  # what else the page says about these versions
# What to add where: a coroutine's arguments must outlive what the call returns, and what becomes of that.
TASK = "stage3_queue_crawler/runtime/task"
ATTRIBUTES = [
    (f"{TASK}/coroutine.h", r"class \[\[(?=nodiscard)", "clang::coro_return_type, clang::coro_lifetimebound, "),
    (f"{TASK}/coroutine.h", r"(?m)^ +(?=Coroutine get_return_object)",
     "[[clang::coro_wrapper, clang::coro_disable_lifetimebound]] "),
    (f"{TASK}/wait.h", r"(?m)^(?=Coroutine<)", "[[clang::coro_wrapper]] "),
    (f"{TASK}/task.h", r"\bcreate_task\((?:EventLoop& loop, )?Coroutine<T> coroutine", " [[clang::lifetimebound]]"),
    ("tests/stage3/lifetime_traps/wrong.cpp", r"\blinks\(\) const", " [[clang::lifetimebound]]"),
    ("tests/stage3/lifetime_traps/mended.cpp", r"\blinks\(\) const", " [[clang::lifetimebound]]"),
]
# The third trap without the runtime, and C++23's cure for it.
CLOSURE = """
#include <coroutine>
#include <cstdio>
#include <string>
struct Coroutine {
    struct promise_type {
        Coroutine get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
    std::coroutine_handle<> frame;
};
int main() {
    Coroutine coroutine;
    {
        const std::string host = "a text that is too long to be inside the string";
        coroutine = [host](PARAMETERS) -> Coroutine { co_return void(std::puts(host.c_str())); }();
    }
    coroutine.frame.resume();
    coroutine.frame.destroy();
}
"""


def claims() -> dict[str, dict[str, str]]:
    """What the page says: the verdict of each tool, by the trap's number."""
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")]
            for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    heads = next(row for row in rows if TIDY in row)
    found = {row[0]: dict(zip(heads, (cell.strip("`") for cell in row))) for row in rows if row[0].isdigit()}
    if list(found) != [str(number + 1) for number in range(8)]:
        sys.exit(f"{PAGE.name}: the table should have the rows 1 to 8, and has {list(found)}")
    return found


def play(program: str, *arguments: str, options: str = "") -> tuple[str, str]:
    """What the sanitizer finds in a run, and the output. There are no symbols, which take most of the time."""
    run = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True, errors="replace", timeout=60,
                         env=dict(os.environ, ASAN_OPTIONS=f"symbolize=0:{options}"))
    verdict = re.search(r"ERROR: AddressSanitizer: ([\w-]+)", run.stderr)
    if verdict or run.returncode == 0:
        return verdict[1] if verdict else NOTHING, run.stdout
    return f"exit status {run.returncode}", run.stdout + run.stderr


class Judge:
    def __init__(self):
        self.problems = 0

    def hold(self, what: str, claim: str, verdict: str):
        # A report of another kind doesn't prove what the page explains.
        fine = verdict == claim or claim == BY_CHANCE and not verdict.startswith("stack-use-after")
        print(f"{'ok  ' if fine else 'FAIL'} {what}: {verdict}" + ("" if fine else f", not {claim}"))
        self.problems += not fine

    def run(self, program: str, compiler: str, version: str) -> int:
        if play(program, "1")[0] == "exit status 2":
            print(play(program, "1")[1])
            return SKIPPED
        columns = KNOWN.get((compiler, version.split(".")[0]), [])
        told_to = AFTER_RETURN + "1"
        for number, row in claims().items():
            found, printed = play(program, number, options=told_to)
            for column in columns or [f"{compiler} {version}"]:
                if column == "g++ 12":
                    found_here = play(program, number, options=AFTER_RETURN + "0")[0]
                else:
                    found_here = found
                self.hold(f"{number} with {column}", row[column] if columns else found_here, found_here)
            found_in_mended, printed_mended = play(program, number, "mended", options=told_to)
            self.hold(f"{number} mended", NOTHING, found_in_mended)
            if found == NOTHING and sorted(printed) == sorted(printed_mended):
                self.hold(f"{number} prints something else", "true", "false")
        for name in FINE:
            self.hold(name, NOTHING, play(program, name, options=told_to)[0])
        return 1 if self.problems else 0

    def lint(self, command: list[str]) -> int:
        """Findings in wrong.cpp belong to the trap whose part of the file they are in."""
        for number, row in claims().items():
            self.hold(f"{number} with {TIDY}", row[TIDY], self.findings(command, "wrong.cpp").get(number, NOTHING))
        self.hold("by-index", "modernize-loop-convert performance-unnecessary-copy-initialization",
                  self.findings(command, "wrong.cpp").get("Not a trap", NOTHING))
        self.hold("mended.cpp", "{}", str(self.findings(command, "mended.cpp")))
        return 1 if self.problems else 0

    def warn(self, compiler: list[str]) -> int:
        version = subprocess.run([*compiler, "-dumpversion"], stdout=subprocess.PIPE, text=True, check=True).stdout
        major = version.split(".")[0]
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder)
            for name in {name for name, _, _ in ATTRIBUTES}:
                text = (ROOT / name).read_text(encoding="utf-8")
                for _, place, attribute in (one for one in ATTRIBUTES if one[0] == name):
                    text, times = re.subn(place, lambda found, added=attribute: found[0] + added, text)
                    self.hold(f"{name}: a place for {attribute.strip(' ,')}", "True", str(times > 0))
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                (copy / name).write_text(text, encoding="utf-8")
            command = [*compiler, "-std=c++20", "-Wall", "-Wextra", "-fsyntax-only", f"-I{copy}", f"-I{ROOT}"]
            traps = copy / "tests/stage3/lifetime_traps"
            found = self.findings(command, "wrong.cpp", traps)
            for number, row in claims().items():
                verdict = found.get(number, NOTHING)
                claim = NEWER[major].get(number, row[WARNS]) if major in NEWER else verdict
                self.hold(f"{number} with {Path(compiler[0]).name} {version.strip()}", claim, verdict)
            self.hold("by-index", NOTHING, found.get("Not a trap", NOTHING))
            self.hold("mended.cpp", "{}", str(self.findings(command, "mended.cpp", traps)))
            for parameters, claim in [("", "stack-use-after-scope"), ("this auto", NOTHING)]:
                source, program = copy / "closure.cpp", str(copy / "closure")
                source.write_text(CLOSURE.replace("PARAMETERS", parameters), encoding="utf-8")
                self.hold(f"[host]({parameters}) in C++23", "0", str(subprocess.run(
                    [*compiler, "-std=c++23", "-fsyntax-only", source]).returncode))
                if subprocess.run([*compiler, "-std=c++23", "-fsanitize=address", source, "-o", program],
                                  stderr=subprocess.DEVNULL).returncode == 0:  # else it has no sanitizer here
                    self.hold(f"[host]({parameters})", claim, play(program)[0])
        return 1 if self.problems else 0

    cache: dict[tuple, dict[str, str]] = {}

    def findings(self, command: list[str], name: str, folder: Path = HERE) -> dict[str, str]:
        key = (*command, name)
        if key not in self.cache:
            run = subprocess.run([*command, folder / name], stdin=subprocess.DEVNULL, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            parts, lines = {}, (folder / name).read_text(encoding="utf-8").splitlines()
            if folder != HERE and run.returncode != 0:  # clang-tidy's status only says that it found something
                sys.exit(run.stdout)
            for line, check in re.findall(rf"/{name}:(\d+):\d+: (?:error|warning): .* \[([^,\]]+)", run.stdout):
                part = next(found[1] for at in lines[int(line) - 1::-1]
                            if (found := re.match(r"// ---- (.*) ----", at)))
                parts.setdefault(part, []).append(check)
            self.cache[key] = {part: " ".join(sorted(set(checks))) for part, checks in parts.items()}
        return self.cache[key]


def report(program: str, trap: str) -> int:
    """The report's frames in this repository, at most four per stack, and the lines above them."""
    run = subprocess.run([program, trap], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, errors="replace",
                         env=dict(os.environ, ASAN_OPTIONS=AFTER_RETURN + "1"))
    text = run.stdout.partition("SUMMARY: ")[0]
    shown = 0
    for line in text.splitlines():
        frame = re.match(r" +#\d+ 0x[0-9a-f]+ in (.*?) \S*?((?:stage3_queue_crawler|tests)/\S*:\d+)", line)
        if frame:
            shown += 1
            if shown <= 4:
                print(f"    {frame[1]}  {frame[2]}")
        elif line.strip() and not re.match(r" +#|===|HINT|  +", line):
            shown = 0
            print(re.sub(r"==\d+==|( at pc .*)", "", line))
    return 0


def main(what: str, *arguments: str) -> int:
    if what == "run" and len(arguments) == 3:
        return Judge().run(*arguments)
    if what == "lint" and arguments:
        return Judge().lint(list(arguments))
    if what == "warn" and arguments:
        return Judge().warn(list(arguments))
    if what == "report" and len(arguments) == 2:
        return report(*arguments)
    sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(main(*(sys.argv[1:] or [""])))
