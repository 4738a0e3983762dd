"""Tries an answer to an exercise: compiles it, links it, runs it, judges it.

A part of exercises.py, which knows about the reader. Here there is only a file with an answer, a
folder with a test, and a meson build directory. How to compile and link is read from that
directory: three programs in meson.build serve as models, one for the exercises of each stage.
"""
from __future__ import annotations

import copy
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import questions

sys.path.append(str(Path(__file__).resolve().parents[1] / "setup"))
from terminal import bold, green, quoted, red  # noqa: E402

FOLDER = "tests/exercises"
MODELS = [f"{FOLDER}/exercise{stage}" for stage in "123"]  # targets that show how to compile and link
ANSWERS = {"start.cpp", "solution.cpp", "yours.cpp"}  # one of them is in a program, never two


class Trouble(Exception):
    """The request can't be carried out. The message is one line that says what to do."""


def count(number: int, thing: str) -> str:
    return f"{number or 'no'} {thing}{'' if number == 1 else 's'}"


def limited(lines: list[str], most: int) -> str:
    return "\n".join(lines[:most] + [f"... ({count(len(lines) - most, 'more line')})"] * (len(lines) > most))


def indented(lines: list[str], most: int) -> str:
    return quoted(limited(lines, most).split("\n"))


# ---- Compiling, linking, running --------------------------------------------------------


class Broken(Exception):
    """Which step failed ("compile" or "link"), and what it printed."""


def state(paths) -> dict[str, list[int]]:
    """A value that changes when one of these files does."""
    result = {}
    for path in map(str, paths):
        with suppress(FileNotFoundError):
            status = os.stat(path)
            result[path] = [status.st_mtime_ns, status.st_size]
    return result


def without(command: str, options: list[str]) -> list[str]:
    """The words of a command without these options and their values, and without ccache: an object that
    it kept from another folder is the same code, but its debug information names that other file."""
    words = shlex.split(command)
    if Path(words[0]).name == "ccache":
        del words[0]
    for option in options:
        at = words.index(option)
        del words[at:at + 2]
    return words


def model_for(folder: Path) -> str:
    """The model of an exercise, whose page decides which stage's code it may use."""
    page = folder.name[:2]
    about_common = page == "27" or page[0] == "Y"
    return MODELS[0 if page < "05" or about_common else 1 if page < "10" else 2]


class Build:
    """A meson build directory: it has the libraries, and knows how to compile and link."""

    def __init__(self, directory: Path):
        self.directory = directory.resolve()
        names = ["ninja", "ninja-build", "samu"]
        self.ninja = next(filter(None, map(shutil.which, names)), names[0])
        self.lock, self.models = threading.Lock(), {}
        if not (self.directory / "build.ninja").exists():
            raise Trouble(f"{directory} is not a build directory: ./learn check makes one")

    def model(self, target: str) -> Model:
        """Builds what the target needs, once."""
        with self.lock:
            if target not in self.models:
                self.run_ninja(target)
                commands = self.run_ninja("-t", "commands", target).splitlines()
                own = [line for line in commands if f"{target}.p/" in line]
                compile_it = next(line for line in own if "model.cpp.o -c " in line)
                precompile = next((line for line in own if " -x c++-header " in line), "")
                self.models[target] = Model(self.directory, compile_it, commands[-1], precompile)
            return self.models[target]

    def run_ninja(self, *arguments: str) -> str:
        command = [self.ninja, "-C", str(self.directory), *arguments]
        try:
            run = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, errors="replace")
        except FileNotFoundError:
            raise Trouble("ninja, which builds the programs, is missing: ./learn check installs it") from None
        if run.returncode == 0:
            return run.stdout
        lines = run.stdout.splitlines()
        failed = next((at for at, line in enumerate(lines) if line.startswith("FAILED: ")), None)
        if failed is None:  # set up without tests, say
            raise Trouble(f"{self.directory} can't be used ({lines[-1]}). Remove it, then type ./learn check")
        raise Trouble("The repository's own code does not compile. Fix that first:\n"
                      + indented(lines[failed + 2:], 20))


class Model:
    """How to compile and link, learnt from what meson does for a target."""

    def __init__(self, directory: Path, compile_it: str, link_it: str, precompile: str = ""):
        self.directory = directory
        self.compiler = self._compiler(compile_it)
        self.linker = without(link_it, ["-o"])
        self.precompiler = self._compiler(precompile) if precompile else []
        self.common_headers = directory / precompile.split(" -c ")[-1]  # what that compiles

    def _compiler(self, command: str) -> list[str]:
        return [  # absolute paths: the compiler runs in another folder
            "-I" + os.path.normpath(self.directory / word[2:]) if word.startswith("-I") else word
            for word in without(command, ["-MQ", "-MF", "-o", "-c"])
            # No colours, and a reader's warning is not an error.
            if not word.startswith(("-fdiagnostics", "-fcolor-diagnostics")) and word != "-Werror"]

    def with_flags(self, flags: list[str]) -> Model:
        """The same with other flags, and therefore without the precompiled headers."""
        model = copy.copy(self)
        model.compiler = [*self.compiler, *flags]
        for option in {"-include", "-include-pch"} & {*model.compiler}:  # of g++, or of clang++
            at = model.compiler.index(option)
            del model.compiler[at:at + 2]
        return model

    def sanitized(self, flags: list[str], kept: Path) -> Model:
        """The same with sanitizers. What that needs is built in `kept`, unless it's there."""
        at = self._first_object()
        model = copy.copy(self)
        model.compiler = [*self.compiler, *flags]
        model.linker = [*self.linker[:at], *flags, *self.linker[at:]]
        probe = kept / "probe.cpp"
        if not probe.exists():
            probe.write_text("int main() {}\n")
        model._make("link", kept / "probe", [probe], list,
                    [*self.linker[:at], *flags, "-o", str(kept / "probe"), str(probe)])
        if self.precompiler:
            model._compile(kept / "headers.h.gch", self.common_headers, [*self.precompiler, *flags])
            first = next(at for at, word in enumerate(model.compiler) if word.startswith("-I"))
            model.compiler.insert(first, f"-I{kept}")  # the plain ones come after it
        return model

    def compile(self, source: Path, folder: Path, flags: list[str]) -> tuple[Path, str]:
        """Returns the object, and what the compiler said (warnings)."""
        target = folder / f"{source.parent.name}-{source.stem}.o"
        return target, self._compile(target, source, [*self.compiler, *flags])

    def _compile(self, target: Path, source: Path, compiler: list[str]) -> str:
        depfile = target.with_suffix(".d")

        def headers() -> list[str]:
            rule = depfile.read_text(errors="replace").replace("\\\n", " ").partition(": ")[2]
            return [str(self.directory / path) for path in shlex.split(rule)]
        return self._make("compile", target, [source], headers,
                          [*compiler, "-MF", str(depfile), "-o", str(target), "-c", str(source)])

    def _first_object(self) -> int:
        return next(at for at, word in enumerate(self.linker) if word.endswith(".o"))

    def link(self, target: Path, objects: list[Path]):
        at = self._first_object()
        libraries = [word for word in self.linker[at:] if not word.endswith(".o")]
        names = [str(name) for name in objects]
        inputs = names + [str(self.directory / word) for word in libraries if word.endswith(".a")]
        self._make("link", target, inputs, list,
                   [*self.linker[:at], "-o", str(target), *names, *libraries])

    def _make(self, what: str, target: Path, inputs: list, more_inputs, command: list[str]) -> str:
        """Runs a command, unless it ran before and its files haven't changed since."""
        stamp = Path(f"{target}.stamp")
        with suppress(FileNotFoundError, ValueError, KeyError):
            old = json.loads(stamp.read_text())
            if old["command"] == command and old["files"] == state(old["files"]) and target.exists():
                return old["said"]
        before = state(inputs)  # a file that is saved while the compiler runs is compiled again
        run = subprocess.run(command, cwd=self.directory, text=True, errors="replace",
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, env=dict(os.environ, LC_ALL="C"))
        if run.returncode != 0:
            raise Broken(what, run.stdout)
        stamp.write_text(json.dumps({"command": command, "said": run.stdout,
                                     "files": {**state(more_inputs()), **before}}))
        return run.stdout


def run_limited(program: Path, limit: float, case: str = "",
                variables: dict[str, str] | None = None) -> tuple[str, int, bool]:
    """Returns what a test program printed, its exit status, and whether it had to be stopped.

    With `case`, it runs this test case alone; `variables` are for its environment.
    """
    # No core dumps, and a program that prints forever does not fill the disk.
    command = ("{ ulimit -c 0; ulimit -f 8192; } 2>/dev/null; "
               'exec "$0" --no-intro=true --no-version=true --no-colors=true "$@"')
    # doctest takes a comma for the end of a name, and a question mark for any letter.
    only = [f"-tc={case.replace(',', '?')}"] if case else []
    # A test that plays every order must not be told to play one alone, unless we say so.
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("ORDER", "EXPLORE", "EXPLORE_COMMAND")}
    late = False
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(["sh", "-c", command, str(program), *only], cwd=program.parent,
                                   stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.STDOUT, start_new_session=True,
                                   env={**environment, **(variables or {})})
        try:
            process.wait(limit)
        except subprocess.TimeoutExpired:
            late = True
            os.killpg(process.pid, signal.SIGTERM)  # doctest then says where it was
            with suppress(subprocess.TimeoutExpired):
                process.wait(5)
        finally:
            with suppress(ProcessLookupError, PermissionError):  # none is left: the usual case
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        output.seek(0)
        return output.read().decode("utf-8", "replace"), process.returncode, late


# ---- Judging an answer ------------------------------------------------------------------


CRASHED = "test case CRASHED: "


@dataclass
class Outcome:
    kind: str                 # passed, failed, crashed, late; or broken: it does not build (memory.py has more)
    headline: str = ""
    details: list[str] = field(default_factory=list)
    advice: str = ""
    case: str = ""            # the test case that the details are from
    printed: list[str] = field(default_factory=list)  # what the reader's code printed
    warnings: list[str] = field(default_factory=list)
    told: str = ""            # what the test says to the reader, before what doctest says of it


def try_answer(build: Build, folder: Path, answer: Path, work: Path, limit: float,
               flags: tuple = (), given_flags: tuple = ()) -> Outcome:
    """Builds a program from this answer and what is given in an exercise's folder, and runs it.

    Build products go to `work`; `flags` are for the answer, `given_flags` for the rest, and `limit`
    is in seconds.
    """
    file = f"{answer.parent}/" if answer.suffix == ".h" else str(answer)  # headers include each other
    try:
        program, said = make_program(build.model(model_for(folder)), folder, answer, work, flags, given_flags)
    except Broken as broken:
        return judge_build(*broken.args, file)
    variables = {"EXPLORE_COMMAND": f"./learn explore {folder.name.partition('-')[0]}"}
    outcome = judge_run(*run_limited(program, limit, variables=variables), limit)
    if outcome.kind == "failed" and outcome.printed and outcome.case:
        # What other test cases printed would only mislead.
        alone = judge_run(*run_limited(program, limit, outcome.case, variables), limit)
        if alone.case == outcome.case:
            outcome.printed, outcome.told, outcome.details = alone.printed, alone.told, alone.details
    outcome.warnings = first_diagnostic(said, "warning", file)[0]
    return outcome


def make_program(model: Model, folder: Path, answer: Path, work: Path,
                 flags: tuple = (), given_flags: tuple = ()) -> tuple[Path, str]:
    """Returns the program, and what the compiler said about the answer.

    An answer that is a header is compiled with the test, which includes it.
    """
    given = sorted(path for path in folder.glob("*.cpp") if path.name not in ANSWERS)
    program, include = work / f"test-{answer.stem}", [f"-I{folder}"]
    predicts = (folder / questions.FILE).exists()
    if predicts:
        made = questions.make(folder, work / "made")
        given = [path for path in given if path.name != "test.cpp"] + [made / "test.cpp"]
        include.insert(0, f"-I{made}")
    sources = [(answer, flags), *((one, given_flags) for one in given)]
    if answer.suffix == ".h":
        include.append(f"-I{answer.parent}")
        sources = [(one, flags) for one in given]
    # Numbers need no header of the system. To load the precompiled ones takes longer than to compile them.
    answers_model = model.with_flags([]) if predicts else model
    with ThreadPoolExecutor() as pool:
        jobs = [pool.submit((answers_model if one == answer else model).compile, one, work, [*include, *more])
                for one, more in sources]
    made = [job.result() for job in jobs]  # if several are broken, the answer comes first
    model.link(program, [target for target, _ in made])
    return program, made[0][1]


def first_diagnostic(text: str, word: str, file: str) -> tuple[list[str], int]:
    """The lines of the first error (or warning), and how many there are.

    An error in a template comes with pages of notes, which each compiler orders differently. So the
    line of the reader's file, whose path begins with `file`, and the error itself come first.
    """
    # Each line together with the source shown below it.
    pieces = re.split(r"\n(?! *\S* \|| +from )", text.rstrip())
    context = re.compile(r"In file included from|.*:\s+(In|At|required) ")
    starts = [at for at, piece in enumerate(pieces) if re.match(r"\S.*?: (\w+ )*(error|warning): ", piece)]
    found = [at for at in starts if re.match(rf".*{word}: ", pieces[at])]
    if not found:
        return [], 0
    first, end = found[0], next((at for at in starts if at > found[0]), len(pieces))
    while first > 0 and context.match(pieces[first - 1]):
        first -= 1
    while context.match(pieces[end - 1]):
        end -= 1
    before, error, notes = pieces[first:found[0]], pieces[found[0]], pieces[found[0] + 1:end]
    theirs = re.compile(rf"\s*{re.escape(file)}\S*:\d+:\d")
    top = [piece for piece in before if file in piece or piece.startswith("In file")] + [error]
    if not any(map(theirs.match, top)):
        top += list(filter(theirs.match, notes))[:1]
    return "\n".join(top + [piece for piece in before + notes if piece not in top]).splitlines(), len(found)


def judge_build(what: str, text: str, file: str) -> Outcome:
    lines, number = first_diagnostic(text, "error", file)
    if what == "link":
        lines = [line for line in text.splitlines() if re.search("undefined ref|multiple def", line)]
        headline = "It compiles, but a function is missing, or is defined twice:"
        return Outcome("broken", headline, lines or text.splitlines())
    more = f"{count(number - 1, 'more error')}, which may go away with this one." if number > 1 else ""
    return Outcome("broken", "It does not compile:", lines or text.splitlines(), more)


def judge_run(text: str, status: int, late: bool, limit: float) -> Outcome:
    printed, *sections = re.split(r"={79}\n", text)
    printed = printed.strip("\n")
    cases = [section for section in sections if "TEST CASE:" in section]
    total = re.search(r"\[doctest\] test cases: .* (\d+) passed \| +(\d+) failed", text)
    passed, failed = map(int, total.groups()) if total else (0, 0)
    if status == 0 and not late and passed > 0 and failed == 0:
        return Outcome("passed", printed=printed.splitlines() if sections else [])
    kind = "late" if late else "crashed" if status < 0 or CRASHED in text or not failed else "failed"
    outcome = Outcome(kind, printed=printed.splitlines() if sections else [])
    outcome.case, headline, outcome.told, lines = judge_case(kind, cases[0]) if cases else ("", "", "", [])
    outcome.headline = headline or (
        "Its tests passed, but the program did not exit cleanly:" if passed and not failed else
        f"It was stopped after {limit:g} s." if late else
        "It was stopped because it printed without end." if status == -signal.SIGXFSZ else
        "It exited before its tests had finished. Did it crash, or call exit?")
    outcome.details = lines if cases else text.strip().splitlines()[-15:]
    if cases and kind != "failed" and CRASHED not in cases[0]:
        later = "hung and was stopped" if late else "crashed"
        outcome.advice = f"After that it {later}; fix this first."
    elif failed > 1:
        outcome.advice = f"{count(failed - 1, 'more test case')} failed; fix this one first."
    return outcome


def judge_case(kind: str, section: str) -> tuple[str, str, str, list[str]]:
    """What doctest said about a test case that failed: its name, a headline, what the test says, the rest."""
    name = re.search(r"TEST CASE:\s+(.*)", section)[1]
    how = "fails"
    if CRASHED in section:
        how = "hung and was stopped" if kind == "late" else "crashed"
    section = re.sub(r"^DEEPEST SUBCASE STACK REACHED.*\n(  .*\n)*", "", section, flags=re.M)
    # Before the name come its place and perhaps its suite; the headline has the name.
    lines = [line for line in section.split(name, 1)[1].splitlines() if kind != "late" or CRASHED not in line]
    text = re.sub(r"\n{2,}", "\n", "\n".join(lines)).strip("\n")
    told, rest = apart(text.splitlines())
    return name, f'It {how} in the test case "{name}":', told, rest


FAILURE = re.compile(r"\S.*:\d+: (FATAL )?ERROR: |\S.*:\d+: (MESSAGE|WARNING): ")
LOGGED = "  logged: "


def apart(lines: list[str]) -> tuple[str, list[str]]:
    """What the test says of its first failure (doctest has logged it), and the other lines."""
    first = next((at for at, line in enumerate(lines) if line.startswith(LOGGED)), len(lines))
    end = next((at for at in range(first + 1, len(lines)) if FAILURE.match(lines[at])), len(lines))
    if first == len(lines) or sum(bool(FAILURE.match(line)) for line in lines[:first]) != 1:
        return "", lines  # it says nothing, or only of a later one
    told = "\n".join([lines[first][len(LOGGED):], *(line.removeprefix(" " * len(LOGGED)) for line in lines[first + 1:end])])
    return told, lines[:first] + lines[end:]


# GCC 12 confuses a coroutine's memory when it waits in the middle of a condition.
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"'
                     r"|(?<![\da-fA-F])'(?:\\.|[^'\\\n])*'", re.S)
AWAIT = re.compile(r"\bco_(?:await|yield)\b")
HOLDERS = re.compile(r"\b(if|while|switch|for|assert|(?:CHECK|REQUIRE|WARN)(?:_\w+)?)\b"
                     r"(?:\s*constexpr)?\s*\(")


def up_to(code: str, at: int, step: int, stops: str) -> int:
    """Walks from `at` to one of `stops`, or out of the surrounding brackets, skipping inner ones."""
    depth, opening, closing = 0, *("([{", ")]}")[::step]
    while 0 <= at < len(code) and (depth or code[at] not in stops + closing):
        depth += (code[at] in opening) - (code[at] in closing)
        at += step
    return at


def miscompiled(text: str) -> list[tuple[int, str]]:
    """Where GCC 12 miscompiles a co_await or co_yield: the line, and what it is in."""
    code = NO_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    places = []
    for holder in HOLDERS.finditer(code):
        start = holder.end()
        end = up_to(code, start, 1, ";" if holder[1] == "for" else "")
        if holder[1] == "for":  # only what is between the two semicolons is a condition
            start = end + 1
            end = up_to(code, start, 1, ";") if code[end:start] == ";" else start
        waits = AWAIT.search(code, start, end)
        if waits:
            places.append((waits.start(), f"{waits[0]} in the parentheses of {holder[1]}(...)"))
    for mark in re.finditer(r"\?", code):
        start, end = up_to(code, mark.start() - 1, -1, ",;{}") + 1, up_to(code, mark.end(), 1, ",;")
        waits = AWAIT.search(code, start, end)
        if waits:
            places.append((waits.start(), f"{waits[0]} inside ... ? ... : ..."))
    return [(code.count("\n", 0, at) + 1, place) for at, place in sorted(places)]


def report(root: Path, title: str, answer: Path | None, outcome: Outcome) -> str:
    """What a reader is told about an outcome. Without an answer, their file isn't looked at."""
    parts = [bold(f"{title}: ") + (green("passed") if outcome.kind == "passed" else red("not yet"))]
    for line, place in miscompiled(answer.read_text(encoding="utf-8", errors="replace") if answer else ""):
        parts.append(f"{answer}:{line}: {place}: GCC 12 miscompiles this, and the program may crash.\n"
                     "Give the result a name first (const auto result = co_await ...;), then use it.\n")
    for title, lines in [("It printed:", outcome.printed[-20:]), (outcome.headline, outcome.details),
                         ("The compiler warns:", outcome.warnings)]:
        if lines or title == outcome.headline != "":
            told = f"{limited(outcome.told.splitlines(), 30)}\n\n" if outcome.told and title == outcome.headline else ""
            short = [line.replace(f"{root}/", "") for line in lines]
            parts.append(f"{title}\n\n{told}{indented(short, 30)}\n".rstrip() + "\n")
    parts.append(outcome.advice)
    return "\n".join(filter(None, parts)).replace(f"{root}/", "")
