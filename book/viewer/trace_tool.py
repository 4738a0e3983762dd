#!/usr/bin/env python3
"""Records a run, and makes a page of it that shows it step by step.

This is what `./learn trace` calls; a reader types:

    ./learn trace [1|2|3] [URL]   record stage 2, or the one you name, on a
                                  small practice site or on URL; the stage's
                                  own options may follow
    ./learn trace FILE            show a trace that you already have
    ./learn trace --scene [NAME]  record a scene of the book, or list them all

    --text               print the steps as a table instead of making a page
    -o FILE              write the page there instead of in .learn/
    --open               open the page, too

The exit status is 0 if there is a page, 1 if there is none, 2 for wrong usage.
"""
from __future__ import annotations

import shutil
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

sys.dont_write_bytecode = True  # no __pycache__ beside the sources
import recording  # noqa: E402  (what is imported is beside this file)
import scenes  # noqa: E402
from as_text import text_of  # noqa: E402
from make_page import make_page, meta_of  # noqa: E402
from traces import ROOT, BadTrace, Trace, read  # noqa: E402

FEW_WORKERS = ["-w", "2", "--no-robots"]  # of stage 3, on the practice site: not too much to see


class Misuse(Exception):
    """That can't be meant."""


class Request:
    """What was typed. Throws Misuse."""

    def __init__(self, words: list[str]):
        self.text, self.output, self.open = False, None, False
        self.scene: str | None = None  # "": which are there?
        self.stage: int | None = None
        self.url: str | None = None
        self.file: str | None = None
        self.options: list[str] = []   # of the stage
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
            elif word == "--open":
                self.open = True
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
        """A stage, and then a URL may follow; a URL; or a file."""
        if word.isdigit() and self.stage is None and not Path(word).exists():
            if word not in ("1", "2", "3"):
                raise Misuse(f"there is no stage {word}: there are 1, 2 and 3")
            self.stage = int(word)
            return True
        if self.stage is not None or "://" in word:
            self.url = word
        else:
            self.file = word
        return False

    def _check(self) -> None:
        if self.scene is not None and (self.stage or self.url or self.file or self.options):
            raise Misuse("a scene is recorded already: it takes no stage, no URL and no file")
        if self.file is not None and self.options:
            raise Misuse(f"{self.file} is recorded already: {self.options[0]} would be "
                         "a stage's option")
        if self.file is not None and not Path(self.file).exists():
            raise Misuse(f"there is no file {self.file}, and a URL begins with http://")
        if any(word == "--trace" or word.startswith("--trace=") for word in self.options):
            raise Misuse("--trace is chosen here; -o says where the page goes")

    def program(self) -> str | None:
        """Which one is to run."""
        if self.file is not None or self.scene is not None:
            return None
        return f"stage{self.stage or 2}"

    def needs(self) -> list[str]:
        """What must be built, as ninja knows it."""
        program = self.program()
        if program is None:
            return []
        names = [program] if self.url else [program, "practice_site"]
        return [recording.PROGRAMS[name] for name in names]

    def target(self, kept: Path) -> Path | None:
        """Where the answer goes; None: to standard output."""
        if self.output is not None:
            return Path(self.output)
        return None if self.text else kept / "trace.html"


# ---- Recording --------------------------------------------------------------------------


def record(request: Request, build: Path, kept: Path) -> Path:
    """Runs the stage. What it prints goes into a file; what it complains of is seen."""
    file, printed = kept / "run.trace", kept / "run.txt"
    file.unlink(missing_ok=True)
    name, options, url = request.program(), request.options, request.url
    with ExitStack() as stack:
        if url is None:
            site = build / recording.PROGRAMS["practice_site"]
            url = stack.enter_context(recording.practice_site(site, *recording.SMALL_SITE)).url
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
        raise Misuse(f"there is no scene {request.scene}; there are: {', '.join(known)}")
    scene = known[request.scene]
    if not request.text:
        return scenes.scene_page(scene)
    trace, _ = scenes.move_lines(scene.trace(), scene.lines())
    return render(request, trace)


def list_scenes() -> None:
    for scene in scenes.all_scenes().values():
        print(f"{scene.name:<14} page {scene.page}   {scene.title}")


def deliver(text: str, steps: str, request: Request, kept: Path) -> None:
    target = request.target(kept)
    if target is None:
        sys.stdout.write(text)
        return
    target.write_text(text, encoding="utf-8")
    where = target.resolve()
    if request.text:
        print(f"{steps}: {where}")
        return
    print(f"{steps}: open {where.as_uri()}")
    if request.open:
        open_in_browser(where)


def open_in_browser(page: Path) -> None:
    opener = shutil.which("xdg-open") or shutil.which("open")
    if opener is None:
        print("learn: there is no xdg-open here: open the page yourself", file=sys.stderr)
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
    if words[:1] in (["-h"], ["--help"]):
        print("" if only_needs else __doc__.split("types:\n\n")[1].rstrip())
        return
    request = Request(words)
    if only_needs:
        print(" ".join(request.needs()))
    elif request.scene == "":
        list_scenes()
    else:
        kept.mkdir(exist_ok=True)
        show(request, build, kept)


def show(request: Request, build: Path, kept: Path) -> None:
    if request.scene is not None:
        deliver(render_scene(request), f"scene {request.scene}", request, kept)
        return
    trace = read(request.file or record(request, build, kept))
    if trace.cut_off:
        print(f"learn: {trace.name} was cut off: what came after is not known", file=sys.stderr)
    deliver(render(request, trace), f"{len(trace.events)} events of {trace.program}", request, kept)


def main() -> int:
    try:
        run(sys.argv[1:])
        sys.stdout.flush()
        return 0
    except Misuse as error:
        print(f"learn: {error} (see ./learn help)", file=sys.stderr)
        return 2
    except (BadTrace, recording.NotStarted) as error:
        print(f"learn: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # `| head`: who reads has enough
        sys.stderr.close()
        return 0
    except OSError as error:
        print(f"learn: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
