"""The second look at an answer: does it also use memory correctly?

A part of exercises.py. An answer that passes its tests may still read freed memory, or never
destroy a coroutine. So it is compiled a second time with the address and undefined behaviour
sanitizers and run again; what they report is summed up in a few words, with the reader's own lines.
Only the exercise and the headers that it includes are compiled that way. The libraries stay as
they are, or a reader would wait for minutes; so the sanitizers see what libraries allocate and
free, but not what the libraries' own code does with freed memory.
"""
from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from answers import Broken, Build, Model, Outcome, judge_run, make_program, model_for, run_limited

# No vptr: it needs the libraries' type information. The other three check each pointer before it is
# used, which takes half of g++'s time; a null pointer ends the program anyway. And of all debug
# information, lines are enough.
FLAGS = ["-fsanitize=address,undefined", "-fno-sanitize=vptr,null,alignment,object-size",
         "-fno-omit-frame-pointer", "-g1"]
SLOWER = 3  # how many times longer a program may take
PAGE = "book/20-what-must-outlive-what.md"


def look_at_memory(build: Build, root: Path, folder: Path, answer: Path, work: Path, limit: float) -> Outcome:
    """Tries an answer that has passed once more, and returns the outcome.

    Its kind is "memory" if a sanitizer found something, and "unseen" if none can run.
    """
    try:
        model, variables = sanitized(build, model_for(folder))
    except Unseen as why:
        return Outcome("unseen", str(why))
    work = work / "memory"
    work.mkdir(exist_ok=True)
    try:
        program, _ = make_program(model, folder, answer, work)
    except Broken:  # without sanitizers it does compile
        return Outcome("unseen", "the compiler can't build this program with sanitizers")
    text, status, late = run_limited(program, SLOWER * limit, variables=variables)
    text = with_lines(text, program)
    log = work / "report.log"
    log.write_text(text, encoding="utf-8")
    whole = f"\nThe whole report: {log}"
    found = explain(text, root, folder, answer)
    if found:
        return Outcome("memory", "Its tests pass, but the sanitizers found a memory error:", found,
                       f"What causes such errors, and how to read a whole report: {PAGE}" + whole)
    if re.search("DEADLYSIGNAL|Shadow memory range", text):  # old ones don't work on some kernels
        return Outcome("unseen", "the sanitizer itself crashed")
    outcome = judge_run(text, status, late, SLOWER * limit)
    if outcome.kind != "passed":
        outcome.advice = ("It passed without sanitizers. They make it slower, and place things elsewhere in memory.\n"
                          "Does anything depend on time, or on an uninitialized variable?" + whole)
    return outcome


# ---- Compiling and running with sanitizers ----------------------------------------------


class Unseen(Exception):
    """Why no sanitizer can run."""


def sanitized(build: Build, target: str) -> tuple[Model, dict[str, str]]:
    """How to compile and link with sanitizers, and the environment for running the result.

    What that needs is kept in the build directory, so each compiler has its own.
    """
    kept = build.directory / "sanitizers" / Path(target).name
    kept.mkdir(parents=True, exist_ok=True)
    plain = build.model(target)
    with open(kept / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # a second ./learn may want the same
        try:
            model = plain.sanitized(FLAGS, kept)
        except Broken:
            raise Unseen("your compiler comes without sanitizers") from None
    # The search for leaks needs a debugger's rights, which a container may not grant.
    for leaks in [1, 0]:
        variables = environment(leaks, plain.compiler)
        if run_limited(kept / "probe", 30, variables=variables)[1] == 0:
            return model, variables
    raise Unseen("programs built with sanitizers don't run on this machine")


def environment(leaks: int, compiler: list[str]) -> dict[str, str]:
    variables = {
        # Containers: our code and a library's need not agree on marking their unused capacity. Signals:
        # doctest would catch them, and say less.
        "ASAN_OPTIONS": f"detect_leaks={leaks}:detect_stack_use_after_return=1:detect_container_overflow=0:"
                        "detect_odr_violation=0:handle_segv=2:handle_sigbus=2",
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    }
    # clang's own symbolizer is in a separate package; g++ needs none.
    reader = shutil.which("addr2line")
    if any("clang" in word for word in compiler[:2]) and not shutil.which("llvm-symbolizer") and reader:
        variables["ASAN_SYMBOLIZER_PATH"] = reader
    return variables


def with_lines(text: str, program: Path) -> str:
    """Adds the lines that g++'s sanitizers leave out: those of inline functions, for instance in a header."""
    place = re.compile(rf"\({re.escape(str(program))}\+(0x[0-9a-f]+)\).*$", re.M)
    addresses = sorted(set(place.findall(text)))
    reader = shutil.which("addr2line")
    if not addresses or not reader:
        return text
    run = subprocess.run([reader, "-e", str(program), *addresses], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True, errors="replace")
    lines = dict(zip(addresses, (line.split(" (")[0] for line in run.stdout.splitlines())))
    return place.sub(lambda found: found[0] if lines.get(found[1], "??").startswith("??") else lines[found[1]], text)


# ---- Reading a report -------------------------------------------------------------------


@dataclass
class Frame:
    """One entry of a stack trace: a function and, if known, a line."""
    function: str
    file: Path
    line: int


# After the function come a file and a line (and clang's column), or a library, or a file alone.
FRAME = re.compile(r"\s+#(\d+) 0x[0-9a-f]+ in (.*?)"
                   r"(?: (\.{0,2}/.*?):(\d+)(?::\d+)?| \(.*\+0x[0-9a-f]+\).*| /.*)?$")


def stacks_of(text: str) -> list[tuple[str, list[Frame]]]:
    """The stack traces in a report, each with the line above it, which says what it is."""
    stacks, title = [], ""
    for line in text.splitlines():
        found = FRAME.match(line)
        if found:
            if found[1] == "0":
                stacks.append((title, []))
            if stacks:
                stacks[-1][1].append(Frame(found[2], Path(os.path.normpath(found[3] or "/")), int(found[4] or 0)))
        elif line.strip() and not re.match(r"\s+#\d+ ", line):
            title = line
    return stacks


def short(function: str) -> str:
    """A function's name as its author would write it."""
    if re.search(r"\{lambda|<lambda|\$_\d|^operator\(\)", function):
        return "a lambda"
    if "DOCTEST_ANON_FUNC" in function:
        return "a test case"
    name = re.sub(r"\(anonymous namespace\)::|\{anonymous\}::|\[.*?\]|\bconst$", "", function)
    for opening, closing in [(r"\(", r"\)"), ("<", ">")]:
        before = ""
        while before != name:
            before, name = name, re.sub(f"{opening}[^{opening}{closing}]*{closing}", "", name)
    words = name.replace("const", "").split()
    return words[-1].removeprefix("yours::") if words else function


class Report:
    """What the reader of an exercise needs from a sanitizer's report."""

    def __init__(self, text: str, root: Path, folder: Path, answer: Path):
        self.text, self.root, self.folder, self.answer = text, root, folder, answer
        self.stacks = stacks_of(text)

    def stack(self, title: str) -> list[Frame]:
        return next((frames for line, frames in self.stacks if re.search(title, line)), [])

    def is_yours(self, frame: Frame) -> bool:
        """In the answer or, if that is a header, in those beside it."""
        return frame.file == self.answer or self.answer.suffix == ".h" and frame.file.parent == self.answer.parent

    def is_ours(self, frame: Frame) -> bool:
        return self.root in frame.file.parents

    def place(self, frames: list[Frame]) -> Frame | None:
        """The innermost place in the reader's file; failing that, in the exercise; then in our code."""
        for is_wanted in [lambda frame: frame.file == self.answer, self.is_yours,
                          lambda frame: self.folder in frame.file.parents, self.is_ours]:
            for frame in frames:
                if is_wanted(frame):
                    return frame
        return None

    def tell(self, frames: list[Frame], what: str) -> list[str]:
        """`what` happened there, and its line. The {} in it stands for whose code that is."""
        frame = self.place(frames)
        if not frame:
            return [what.format("the program") + "."]
        whose = ("your code" if self.is_yours(frame) else
                 "the exercise's code" if self.folder in frame.file.parents else "our code")
        line = self.source(frame)
        return [f"{frame.file}:{frame.line}: in {short(frame.function)}, {what.format(whose)}:",
                *[f"    {line}"] * bool(line)]

    @staticmethod
    def source(frame: Frame) -> str:
        """The text of that line."""
        if not frame.file.is_file():
            return ""
        lines = frame.file.read_text(encoding="utf-8", errors="replace").splitlines()
        return "".join(lines[frame.line - 1:frame.line]).strip()

    def coroutine(self, frames: list[Frame]) -> str:
        """The coroutine whose call allocated this memory, if it is a frame."""
        if len(frames) < 3 or not frames[0].function.startswith("operator new") or not self.is_ours(frames[1]):
            return ""
        by_hand = re.search(r"\bnew\b", self.source(frames[1]))
        return "" if by_hand else short(frames[1].function)

    def lines(self) -> list[str]:
        """Empty if the text is no report."""
        undefined = re.search(r"^\S.*:\d+:\d+: runtime error: (.*)$", self.text, re.M)
        error = re.search(r"ERROR: (?:Address|Leak)Sanitizer: (.*)", self.text)
        if error and not (undefined and undefined.start() < error.start()):
            return self.leak() if "memory leaks" in error[1] else self.memory(error[1])
        if undefined:
            what = re.sub("[{}]", "", undefined[1])
            return self.tell(self.stacks[0][1] if self.stacks else [], f"{{}} does what C++ does not define ({what})")
        return []

    def leak(self) -> list[str]:
        leaks = [frames for title, frames in self.stacks if "leak of" in title and self.place(frames)]
        direct = [frames for title, frames in self.stacks if title.startswith("Direct leak") and frames in leaks]
        mine = [frames for frames in direct + leaks if self.place(frames).file == self.answer]
        of_coroutines = [frames for frames in direct if self.coroutine(frames)]
        frames = next(iter(of_coroutines + mine + direct + leaks), [])
        name = self.coroutine(frames)
        if name:
            return self.tell(frames[2:] if self.place(frames[2:]) else frames, (
                f"{{}} calls the coroutine {name}, whose frame is never destroyed"))
        return self.tell(frames, "{} allocates something that is never freed")

    def memory(self, error: str) -> list[str]:
        used = self.stacks[0][1] if self.stacks else []
        made = self.stack("^(previously )?allocated by")
        lines = self.tell(used, "{} " + self.says(error, used))
        freed = self.stack("^freed by")
        name = self.coroutine(made)
        if freed:
            lines += self.freed(freed, name)
        if made:
            lines += self.tell(made[2:] if name and self.place(made[2:]) else made,
                               f"{{}} had called the coroutine {name}, which made its frame" if name else
                               "{} had allocated it")
        lines += self.variable()
        return lines

    def says(self, error: str, used: list[Frame]) -> str:
        uses = "writes to" if re.search("^WRITE of|caused by a WRITE", self.text, re.M) else "reads"
        innermost = used[0].function if used else ""
        handle = re.search(r"coroutine_handle<.*>::(destroy|resume|done|operator\(\))\(\)", innermost)
        if handle and "use-after-free" in error:
            does = {"destroy": "destroys", "done": "calls done() on"}.get(handle[1], "resumes")
            return f"{does} a coroutine that has already been destroyed"
        null = "zero page" in self.text
        for kind, words in [
                ("heap-use-after-free", f"{uses} memory that has been freed"),
                ("stack-use-after-return", f"{uses} a variable of a function that has returned"),
                ("stack-use-after-scope", f"{uses} a variable, or a temporary, whose scope has ended"),
                ("buffer-overflow|underflow", f"{uses} memory outside of what was allocated"),
                ("attempting double-free", "frees what has already been freed"),
                ("attempting free", "frees what was never allocated"),
                ("alloc-dealloc-mismatch", "frees it in a different way than it was allocated (delete[] goes with new[])"),
                ("new-delete-type-mismatch", "deletes it as an object of another type: is a virtual destructor missing?"),
                ("stack-overflow", "has filled the stack: does a function call itself without end?"),
                ("SEGV", "follows a null pointer" if null else "follows an invalid pointer")]:
            if re.search(kind, error):
                return words
        return f"does what the sanitizer calls {error.split(' ')[0]}"

    def freed(self, freed: list[Frame], name: str) -> list[str]:
        """What freed it. A coroutine frees its own frame; the line to show is the one that destroyed it."""
        at = next((at for at, frame in enumerate(freed)
                   if re.search(r"coroutine_handle<.*>::destroy\(\)", frame.function)), 0)
        if at and self.place(freed[at + 1:]):
            what = f"had destroyed {name or short(freed[at - 1].function)}"
            return self.tell(freed[at + 1:], "{} " + what + ("" if name else ", and what is in its frame"))
        return self.tell(freed, "{} had freed it")

    def variable(self) -> list[str]:
        """The variable on the stack that it was."""
        stack = self.stack("is located in stack of")
        found = re.search(r"'(.*)'(?: \(line (\d+)\))? <== Memory access", self.text)
        if not stack or not found or not self.is_ours(stack[0]):
            return []
        name = found[1].removesuffix(".addr")  # what clang calls a parameter
        name = f"the variable {name}" if re.fullmatch(r"[A-Za-z_]\w*", name) else "a temporary"
        line = int(found[2] or stack[0].line)
        return self.tell([Frame(stack[0].function, stack[0].file, line)], f"{{}} had created it as {name}")


def explain(text: str, root: Path, folder: Path, answer: Path) -> list[str]:
    """A sanitizer's report in a few words, with lines of the exercise; empty if there is no report."""
    return Report(text, root, folder, answer).lines()
