"""The second look at an answer: does it also treat memory as it should?

A part of exercises.py. What has passed its tests may still read what is gone, or never destroy
a coroutine. So it is compiled a second time, with the address and undefined behaviour
sanitizers, and run again; what they report is told in a few words, with the reader's own lines.
Only the exercise is compiled that way, with the headers that it includes: the libraries stay as
they are, or a reader would wait for minutes. So what their own code does with memory that is
gone isn't seen; but what they allocate and free is.
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

# No vptr: it wants type information of the libraries. The other three check each pointer before
# it is used, for half of the time that g++ takes; a null pointer ends the program anyway. And of
# all that a debugger wants, lines are enough.
FLAGS = ["-fsanitize=address,undefined", "-fno-sanitize=vptr,null,alignment,object-size",
         "-fno-omit-frame-pointer", "-g1"]
SLOWER = 3  # how many times longer a program may take
PAGE = "book/20-what-must-outlive-what.md"


def look_at_memory(build: Build, root: Path, folder: Path, answer: Path, work: Path, limit: float) -> Outcome:
    """Tries an answer that has passed once more, and returns what came of that.

    It is of kind "memory" if a sanitizer has found something, and "unseen" if none can look.
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
        return Outcome("unseen", "the compiler can't make this program with sanitizers")
    text, status, late = run_limited(program, SLOWER * limit, variables=variables)
    text = with_lines(text, program)
    log = work / "report.log"
    log.write_text(text, encoding="utf-8")
    whole = f"\nThe whole report: {log}"
    found = explain(text, root, folder, answer)
    if found:
        return Outcome("memory", "Its tests pass, but something is wrong all the same:", found,
                       f"How such things come about, and how to read a whole report: {PAGE}" + whole)
    if re.search("DEADLYSIGNAL|Shadow memory range", text):  # old ones can't live with some kernels
        return Outcome("unseen", "the sanitizer itself has crashed")
    outcome = judge_run(text, status, late, SLOWER * limit)
    if outcome.kind != "passed":
        outcome.advice = ("It had passed, and then sanitizers watched: they make it slower, and put things elsewhere.\n"
                          "Does anything depend on time, or on a variable that nobody has set?" + whole)
    return outcome


# ---- Compiling and running with sanitizers ----------------------------------------------


class Unseen(Exception):
    """Why no sanitizer can look."""


def sanitized(build: Build, target: str) -> tuple[Model, dict[str, str]]:
    """How to compile and link with sanitizers, and the environment for what is made.

    What that needs is kept in the build directory: another compiler gets its own.
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
    # Leaks are looked for with the rights of a debugger, which a container may not have.
    for leaks in [1, 0]:
        variables = environment(leaks, plain.compiler)
        if run_limited(kept / "probe", 30, variables=variables)[1] == 0:
            return model, variables
    raise Unseen("a program with sanitizers does not run here")


def environment(leaks: int, compiler: list[str]) -> dict[str, str]:
    variables = {
        # Containers: ours and a library's need not agree on who marks their spare room. Signals:
        # doctest would take them, and tell less.
        "ASAN_OPTIONS": f"detect_leaks={leaks}:detect_stack_use_after_return=1:detect_container_overflow=0:"
                        "detect_odr_violation=0:handle_segv=2:handle_sigbus=2",
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    }
    # clang's own reader of lines is in a package of its own; g++ needs none.
    reader = shutil.which("addr2line")
    if any("clang" in word for word in compiler[:2]) and not shutil.which("llvm-symbolizer") and reader:
        variables["ASAN_SYMBOLIZER_PATH"] = reader
    return variables


def with_lines(text: str, program: Path) -> str:
    """A report with the lines that g++'s sanitizers leave out: those of inline functions, say in a header."""
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
    """Where a stack of calls was: a function, and a line, if that is known."""
    function: str
    file: Path
    line: int


# Behind the function stand a file and a line (and clang's column); or a library; or a file alone.
FRAME = re.compile(r"\s+#(\d+) 0x[0-9a-f]+ in (.*?)"
                   r"(?: (\.{0,2}/.*?):(\d+)(?::\d+)?| \(.*\+0x[0-9a-f]+\).*| /.*)?$")


def stacks_of(text: str) -> list[tuple[str, list[Frame]]]:
    """The stacks in a report, each with the line above it, which says what it is."""
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
    """A function's name, as its author would write it."""
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
    """What is worth telling of a sanitizer's report, for the reader of an exercise."""

    def __init__(self, text: str, root: Path, folder: Path, answer: Path):
        self.text, self.root, self.folder, self.answer = text, root, folder, answer
        self.stacks = stacks_of(text)

    def stack(self, title: str) -> list[Frame]:
        return next((frames for line, frames in self.stacks if re.search(title, line)), [])

    def is_yours(self, frame: Frame) -> bool:
        """The answer; and if that is a header, those beside it."""
        return frame.file == self.answer or self.answer.suffix == ".h" and frame.file.parent == self.answer.parent

    def is_ours(self, frame: Frame) -> bool:
        return self.root in frame.file.parents

    def place(self, frames: list[Frame]) -> Frame | None:
        """The innermost place in the reader's file; if none is there, in the exercise; then in ours."""
        for is_wanted in [lambda frame: frame.file == self.answer, self.is_yours,
                          lambda frame: self.folder in frame.file.parents, self.is_ours]:
            for frame in frames:
                if is_wanted(frame):
                    return frame
        return None

    def tell(self, frames: list[Frame], what: str) -> list[str]:
        """`what` happened there, and the line of it. Its {} is whose code that is."""
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
        """What is written in that line."""
        if not frame.file.is_file():
            return ""
        lines = frame.file.read_text(encoding="utf-8", errors="replace").splitlines()
        return "".join(lines[frame.line - 1:frame.line]).strip()

    def coroutine(self, frames: list[Frame]) -> str:
        """The coroutine whose call has made this memory: then it is its frame."""
        if len(frames) < 3 or not frames[0].function.startswith("operator new") or not self.is_ours(frames[1]):
            return ""
        by_hand = re.search(r"\bnew\b", self.source(frames[1]))
        return "" if by_hand else short(frames[1].function)

    def lines(self) -> list[str]:
        """Empty, if it is no report."""
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
                f"{{}} calls the coroutine {name}, and nobody ever destroys its frame"))
        return self.tell(frames, "{} makes something that is never freed")

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
                               "{} had made it")
        lines += self.variable()
        return lines

    def says(self, error: str, used: list[Frame]) -> str:
        uses = "writes to" if re.search("^WRITE of|caused by a WRITE", self.text, re.M) else "reads"
        innermost = used[0].function if used else ""
        handle = re.search(r"coroutine_handle<.*>::(destroy|resume|done|operator\(\))\(\)", innermost)
        if handle and "use-after-free" in error:
            does = {"destroy": "destroys", "done": "asks for the end of"}.get(handle[1], "resumes")
            return f"{does} a coroutine that has been destroyed before"
        null = "zero page" in self.text
        for kind, words in [
                ("heap-use-after-free", f"{uses} memory that has been freed"),
                ("stack-use-after-return", f"{uses} a variable of a function that has returned"),
                ("stack-use-after-scope", f"{uses} a variable, or a temporary, whose scope has ended"),
                ("buffer-overflow|underflow", f"{uses} memory outside of what was made"),
                ("attempting double-free", "frees what has been freed before"),
                ("attempting free", "frees what was not made to be freed"),
                ("alloc-dealloc-mismatch", "frees it in another way than it was made (delete[] is for new[])"),
                ("new-delete-type-mismatch", "deletes it as something of another type: no virtual destructor?"),
                ("stack-overflow", "has filled the stack: does something call itself, again and again?"),
                ("SEGV", "follows a null pointer" if null else "follows a pointer that leads nowhere")]:
            if re.search(kind, error):
                return words
        return f"does what the sanitizer calls {error.split(' ')[0]}"

    def freed(self, freed: list[Frame], name: str) -> list[str]:
        """Who freed it. If a frame was destroyed, that isn't the coroutine, but who destroyed it."""
        at = next((at for at, frame in enumerate(freed)
                   if re.search(r"coroutine_handle<.*>::destroy\(\)", frame.function)), 0)
        if at and self.place(freed[at + 1:]):
            what = f"had destroyed {name or short(freed[at - 1].function)}"
            return self.tell(freed[at + 1:], "{} " + what + ("" if name else ", and what is in its frame"))
        return self.tell(freed, "{} had freed it")

    def variable(self) -> list[str]:
        """Which variable on the stack it was."""
        stack = self.stack("is located in stack of")
        found = re.search(r"'(.*)'(?: \(line (\d+)\))? <== Memory access", self.text)
        if not stack or not found or not self.is_ours(stack[0]):
            return []
        name = found[1].removesuffix(".addr")  # what clang calls a parameter
        name = f"the variable {name}" if re.fullmatch(r"[A-Za-z_]\w*", name) else "a temporary"
        line = int(found[2] or stack[0].line)
        return self.tell([Frame(stack[0].function, stack[0].file, line)], f"{{}} had made it, as {name}")


def explain(text: str, root: Path, folder: Path, answer: Path) -> list[str]:
    """A sanitizer's report in a few words, with lines of the exercise; empty if there is none."""
    return Report(text, root, folder, answer).lines()
