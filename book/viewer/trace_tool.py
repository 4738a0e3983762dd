#!/usr/bin/env python3
"""Records a run, and makes a page of it that shows it step by step.

This is what `./learn trace` calls; HELP says what a reader types. The exit status is 0 if there is a page, 1 if
there is none, 2 for wrong usage.
"""
from __future__ import annotations

import difflib
import json
import shlex
import shutil
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

sys.dont_write_bytecode = True  # no __pycache__ beside the sources
import live  # noqa: E402  (what is imported is beside this file)
import recording  # noqa: E402
import scenes  # noqa: E402
from as_text import text_of  # noqa: E402
from compare import compare_page  # noqa: E402
from make_page import TITLES, make_page, meta_of  # noqa: E402
from steps import step_numbers  # noqa: E402
from traces import ROOT, BadTrace, Trace, read  # noqa: E402

sys.path.append(str(ROOT / "tests/setup"))
from terminal import say, table  # noqa: E402

HELP = {
    "./learn trace [1|2|3] [URL]": "record stage 2, or the one you name, on a small practice site or on URL; the stage's own "
                                   "options may follow",
    "./learn trace 1 2": "compare two stages, both on one time axis, with a page of each beside it: of x.html, these are x-1.html and x-2.html",
    "./learn trace 2 --latency 10 40": "compare two runs of one stage, on a practice site that answers after 10 ms, and after 40",
    "./learn trace FILE": "show a trace that you already have",
    "./learn trace --scene [NAME]": "record a scene of the book, or list them all",
}
OPTIONS = {
    "--latency MS": "how long the practice site takes for an answer (20)",
    "--text": "print the steps as a table instead of making a page",
    "--live": "with --scene: make a page in which you can change the run (some scenes; needs a clang++ for WebAssembly)",
    "-o FILE": "write the page there instead of in .learn/",
    "--open": "open the page, too",
}

FEW_WORKERS = ["-w", "2", "--no-robots"]  # of stage 3, on the practice site: not too much to see


class Misuse(Exception):
    """That can't be meant."""


class Run(NamedTuple):
    """One to be recorded."""
    stage: int
    latency: str | None  # of the practice site, in ms; None: as always

    @property
    def program(self) -> str:
        return f"stage{self.stage}"


class Request:
    """What was typed. Throws Misuse."""

    def __init__(self, words: list[str]):
        self.text, self.output, self.open, self.live = False, None, False, False
        self.scene: str | None = None  # "": which are there?
        self.stages: list[int] = []     # two: to be compared
        self.latencies: list[str] = []  # likewise
        self.url: str | None = None
        self.file: str | None = None
        self.options: list[str] = []   # of the stage
        self.typed = " ".join(["./learn trace", *map(shlex.quote, words)])
        self._take(list(words))
        self._check()

    def _take(self, words: list[str]) -> None:
        first = True  # may this still be a stage, a file or a URL?
        while words:
            word = words.pop(0)
            if word == "--text":
                self.text = True
            elif word == "-o":
                if not words:
                    raise Misuse("-o needs a file to write to")
                self.output = words.pop(0)
            elif word == "--latency":
                while words and words[0].isdigit():
                    self.latencies.append(words.pop(0))
                if not self.latencies:
                    raise Misuse("--latency needs a number of milliseconds, or two to compare")
            elif word == "--open":
                self.open = True
            elif word == "--live":
                self.live = True
            elif word == "--scene":
                self.scene = words.pop(0) if words and not words[0].startswith("-") else ""
            elif first and not word.startswith("-"):
                first = self._take_what(word)
            elif self.url is None and word.startswith(("http://", "https://")):
                self.url = word  # behind options
            else:
                first = False
                self.options.append(word)

    def _take_what(self, word: str) -> bool:
        """A stage, and then another or a URL may follow; a URL; or a file."""
        if word.isdigit() and not Path(word).exists():
            if word not in ("1", "2", "3"):
                raise Misuse(f"there is no stage {word}: there are 1, 2 and 3")
            self.stages.append(int(word))
            return True
        if self.stages or "://" in word:
            self.url = word
        else:
            self.file = word
        return False

    def _check(self) -> None:
        if self.scene is not None and (self.stages or self.latencies or self.url or self.file or self.options):
            raise Misuse("a scene is recorded already: it takes no stage, no URL and no file")
        if self.live and (not self.scene or self.text):
            raise Misuse("--live is for the page of a scene: --scene NAME --live")
        if self.file is not None and self.options:
            raise Misuse(f"{self.file} is recorded already: {self.options[0]} would be "
                         "a stage's option")
        if self.file is not None and self.latencies:
            raise Misuse(f"{self.file} is recorded already: --latency is for a new run")
        if self.url is not None and self.latencies:
            raise Misuse("--latency is the practice site's, and can't be chosen for a URL")
        if len(self.runs()) > 2:
            raise Misuse("two runs can be compared, not more: two stages, or one with two latencies")
        if len(self.runs()) == 2 and self.text:
            raise Misuse("--text prints one run: a comparison is a page")
        if self.file is not None and not Path(self.file).exists():
            raise Misuse(f"there is no file {self.file}, and a URL begins with http://")
        if any(word == "--trace" or word.startswith("--trace=") for word in self.options):
            raise Misuse("--trace is chosen here; -o says where the page goes")

    def runs(self) -> list[Run]:
        """What is to run."""
        if self.file is not None or self.scene is not None:
            return []
        return [Run(stage, latency) for stage in self.stages or [2]
                for latency in self.latencies or [None]]

    def needs(self) -> list[str]:
        """What must be built, as ninja knows it."""
        programs = list(dict.fromkeys(run.program for run in self.runs()))
        names = programs if self.url or not programs else [*programs, "practice_site"]
        return [recording.PROGRAMS[name] for name in names]

    def target(self, kept: Path) -> Path | None:
        """Where the answer goes; None: to standard output."""
        if self.output is not None:
            return Path(self.output)
        return None if self.text else kept / "trace.html"


# ---- Recording --------------------------------------------------------------------------


def record(request: Request, run: Run, file: Path, build: Path) -> Path:
    """Runs the stage. What it prints goes into a file; what it complains of is seen."""
    printed = file.with_suffix(".txt")
    file.unlink(missing_ok=True)
    name, options, url = run.program, request.options, request.url
    with ExitStack() as stack:
        if url is None:
            site = build / recording.PROGRAMS["practice_site"]
            latency = ["--latency", run.latency] if run.latency is not None else []
            small = recording.practice_site(site, *recording.SMALL_SITE, *latency)
            url = stack.enter_context(small).url
            if name == "stage3" and not options:
                options = FEW_WORKERS
        command = [build / recording.PROGRAMS[name], "--trace", file, *options, url]
        out = stack.enter_context(printed.open("w"))
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out)
        status = recording.wait_for(process)
    if status == 2:
        raise Misuse(f"{name} did not take its options")  # it has said why
    if not file.exists():
        raise BadTrace(f"{name} has ended with exit status {status}, and left no trace. "
                       f"What it printed: {printed}")
    recording.add_sources(file)
    return file


# ---- What is made of it -----------------------------------------------------------------


def render(request: Request, trace: Trace) -> str:
    return text_of(trace) if request.text else make_page(trace, meta_of(trace))


def render_scene(request: Request) -> str:
    known = scenes.all_scenes()
    if request.scene not in known:
        meant = " or ".join(scenes_like(request.scene, list(known)))
        raise Misuse(f"there is no scene {request.scene}; "
                     + (f"did you mean {meant}?" if meant else f"there are: {', '.join(known)}"))
    scene = known[request.scene]
    if request.live and scene.live is None:
        changing = ", ".join(name for name, one in known.items() if one.live)
        raise Misuse(f"the run of {scene.name} can't be changed; you can change the runs of {changing}")
    if not request.text:
        if request.live and live.will_compile():
            say("Compiling the crawl for its page. This takes about ten seconds, and only the first time.", file=sys.stderr)
        return scenes.scene_page(scene, program=live.program() if request.live else None)
    trace, _ = scenes.move_lines(scene.trace(), scene.lines())
    return render(request, trace)


def scenes_like(asked: str, known: list[str]) -> list[str]:
    """Those that may be meant: one word of a name such as 12-queue will do, and so will a slip in it."""
    asked = asked.lower()
    having = [name for name in known if asked in name.split("-")]
    near = difflib.get_close_matches(asked, known, 1) or difflib.get_close_matches(
        asked, [name.split("-", 1)[1] for name in known], 1, 0.7)
    return having or [name for name in known if near and name.endswith(near[0])]


def list_scenes() -> None:
    print(table({f"{scene.name:<14} page {scene.page}": scene.title for scene in scenes.all_scenes().values()}))


def deliver(text: str, steps: str, request: Request, kept: Path) -> None:
    target = request.target(kept)
    if target is None:
        sys.stdout.write(text)
        return
    target.write_text(text, encoding="utf-8")
    where = target.resolve()
    if request.text:
        say(f"{steps}: {where}")
        return
    say(f"{steps}: open {where.as_uri()}")
    if request.open:
        open_in_browser(where)
    opens = "" if request.open else f"open that page in a browser, or let {request.typed} --open do it; "
    say(f"Next: {opens}book/03a-watch-it-turn.md tells how to read it.")


def open_in_browser(page: Path) -> None:
    opener = shutil.which("xdg-open") or shutil.which("open")
    if opener is None:
        say("learn: there is no xdg-open here: open the page yourself", file=sys.stderr)
        return
    subprocess.run([opener, page.as_uri()], check=False)


def run(words: list[str]) -> None:
    """The first words may be learn's own: --needs, to hear what must be built; or --build and
    --kept, where that is, and where files go."""
    only_needs, build, kept = False, ROOT / "build", ROOT / ".learn"
    while words[:1] in (["--needs"], ["--build"], ["--kept"]):
        option = words.pop(0)
        if option == "--needs":
            only_needs = True
        elif option == "--build":
            build = Path(words.pop(0))
        else:
            kept = Path(words.pop(0))
    if {"-h", "--help"} & {*words}:
        print("" if only_needs else f"{table(HELP)}\n\n{table(OPTIONS)}")
        return
    request = Request(words)
    if only_needs:
        print(" ".join(request.needs()))
    elif request.scene == "":
        list_scenes()
    else:
        kept.mkdir(exist_ok=True)
        show(request, build, kept)


def read_run(file: Path | str) -> Trace:
    trace = read(file)
    if trace.cut_off:
        say(f"learn: {trace.name} was cut off: what came after is not known", file=sys.stderr)
    return trace


def names_of(runs: list[Run]) -> tuple[list[str], str]:
    """What tells one of two from the other, and what both are about."""
    one, other = runs
    if one.stage != other.stage:
        return [TITLES[f"stage{run.stage}"] for run in runs], f"Stage {one.stage} beside stage {other.stage}"
    return ([f"Answers after {run.latency or 20} ms" for run in runs],
            f"Stage {one.stage}, with answers after {one.latency or 20} and {other.latency or 20} ms")


def pages_beside(target: Path) -> list[str]:
    """The names of each run's own page, which lie beside the comparison."""
    return [f"{target.stem}-{number}.html" for number in (1, 2)]


def link_to(target: Path) -> dict[str, str]:
    """What is in the page of each run that has been compared, and in no other."""
    return {"title": "Compared", "href": target.name}


def check_pages_beside(target: Path) -> None:
    """May they be written? Over those that an earlier comparison of this name has left there. Throws Misuse."""
    mark = json.dumps(link_to(target), ensure_ascii=False, separators=(",", ":")).encode()
    for page in map(target.with_name, pages_beside(target)):
        if page.exists() and not (page.is_file() and mark in page.read_bytes()):
            raise Misuse(f"{page} is there already, and no comparison has made it, so it stays: move it away, or give "
                         "the comparison another name, with -o")


def compare(both: list[Trace], runs: list[Run], request: Request, kept: Path) -> None:
    """Three pages: the comparison, and beside it each run's own, which lead to each other."""
    names, title = names_of(runs)
    target = request.target(kept)
    assert target is not None  # --text prints one run
    pages = pages_beside(target)
    short = [f"Run {number}" if runs[0].stage == runs[1].stage else f"Stage {run.stage}"
             for number, run in enumerate(runs, 1)]
    for trace, name, page in zip(both, names, pages):
        links = [link_to(target)]
        links += [{"title": words} if other == page else {"title": words, "href": other}
                  for words, other in zip(short, pages)]
        meta = meta_of(trace, title=name, links=links)
        target.with_name(page).write_text(make_page(trace, meta), encoding="utf-8")
    deliver(compare_page(both, names, pages, title), "two runs, compared", request, kept)


def show(request: Request, build: Path, kept: Path) -> None:
    if request.scene is not None:
        deliver(render_scene(request), f"scene {request.scene}", request, kept)
        return
    runs = request.runs()
    if len(runs) == 2:
        check_pages_beside(request.target(kept))
        both = [read_run(record(request, run, kept / f"run{number}.trace", build))
                for number, run in enumerate(runs, 1)]
        compare(both, runs, request, kept)
        return
    trace = read_run(request.file or record(request, runs[0], kept / "run.trace", build))
    steps = sum(number is not None for number in step_numbers(trace))
    deliver(render(request, trace), f"{steps} steps of {trace.program}", request, kept)


def main() -> int:
    try:
        run(sys.argv[1:])
        sys.stdout.flush()
        return 0
    except Misuse as error:
        say(f"learn: {error} (see ./learn trace --help)", file=sys.stderr)
        return 2
    except (BadTrace, recording.NotStarted, live.NoModule) as error:
        say(f"learn: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # `| head`: who reads has enough
        sys.stderr.close()
        return 0
    except OSError as error:
        say(f"learn: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
