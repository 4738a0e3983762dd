"""The scenes of the book: recorded runs, each with the moments that its page talks about.

book/scenes/scenes.json lists them; beside it lie each one's trace and the source lines that it names
(NAME.lines.json). A scene's story is made when it's needed; stories.json only holds a checksum of it.
A moment is found in the trace by a rule, and not by its number, which the next recording would
change. A rule is an object: a field of an event and its value, for as many as it takes. Besides,

    "nth": 2                the second event that is like this (the first one)
    "after": true           look behind the moment before this one
    "task": "worker 2"      of this task, by its name
    "innermost": "inner"    of a task that waits in this coroutine

Sources change, and lines move. So when a page is made, a place moves to the line of today's source
that reads as that line did when the trace was recorded, or to the nearest one if there are some.
"""
from __future__ import annotations

import json
from pathlib import Path

from anchors import in_losing_queue
from make_page import make_page, meta_of
from steps import step_numbers
from traces import LIVE, LOSING_QUEUE, QUEUE, ROOT, Trace, read, source_of, split_place, with_places

FOLDER = ROOT / "book" / "scenes"
STORIES = FOLDER / "stories.json"
# What the traces of live crawls name, whatever their settings; a test holds that it's all.
RUNTIME = "stage3_queue_crawler/runtime"
OF_LIVE_RUNS = [LIVE, LOSING_QUEUE, QUEUE, f"{RUNTIME}/loop/event_loop.cpp", f"{RUNTIME}/sync/event.cpp",
                f"{RUNTIME}/sync/event.h", f"{RUNTIME}/task/run.h", f"{RUNTIME}/task/wait.cpp"]


class NoSuchMoment(Exception):
    """A rule finds nothing in a trace."""


class Scene:
    def __init__(self, known: dict, folder: Path = FOLDER):
        self.name, self.page = known["name"], known["page"]
        self.title, self.about = known["title"], known["about"]
        self.command, self.site = known["command"], known.get("site")
        self.steps = known["steps"]
        self.steady_until = known.get("steady_until")
        self.live = known.get("live")
        self.trace_file = folder / f"{self.name}.trace"
        self.lines_file = folder / f"{self.name}.lines.json"

    def trace(self) -> Trace:
        return read(self.trace_file)

    def lines(self) -> dict[str, str]:
        return json.loads(self.lines_file.read_text(encoding="utf-8"))

    def moments(self, trace: Trace) -> list[int]:
        """Where in `trace.events` its steps are. Throws NoSuchMoment."""
        found: list[int] = []
        for step in self.steps:
            begin = found[-1] + 1 if step["find"].get("after") else 0
            found.append(find(trace, step["find"], begin))
        return found

    def steady(self, trace: Trace) -> int:
        """How many of its events are the same in every run, in the same order."""
        return find(trace, self.steady_until, 0) if self.steady_until else len(trace.events)


def all_scenes(folder: Path = FOLDER) -> dict[str, Scene]:
    known = json.loads((folder / "scenes.json").read_text(encoding="utf-8"))
    return {one["name"]: Scene(one, folder) for one in known["scenes"]}


# ---- Finding a moment -------------------------------------------------------------------


def find(trace: Trace, rule: dict, begin: int = 0) -> int:
    """The index of the event that a rule means. Throws NoSuchMoment."""
    left = rule.get("nth", 1)
    names = {event["id"]: event.get("name") for event in trace.events
             if event["event"] == "task" and event.get("phase") == "new"}
    for index in range(begin, len(trace.events)):
        left -= is_like(trace.events[index], rule, names)
        if left == 0:
            return index
    raise NoSuchMoment(f"{trace.name}: no event is like {json.dumps(rule, ensure_ascii=False)}")


def is_like(event: dict, rule: dict, names: dict[int, str]) -> bool:
    for key, value in rule.items():
        if key in ("nth", "after"):
            continue
        if key == "task":
            is_so = names.get(event.get("id" if event["event"] == "task" else "task")) == value
        elif key == "innermost":
            is_so = bool(event.get("chain")) and event["chain"][-1]["name"] == value
        else:
            is_so = key in event and event[key] == value
        if not is_so:
            return False
    return True


# ---- Lines that have moved --------------------------------------------------------------


def lines_of(trace: Trace, root: Path = ROOT) -> dict[str, str]:
    """What each place's line says, without the blanks around."""
    said = {}
    for place in trace.places():
        path, line = split_place(place)
        text = source_of(path, root)
        if line is not None and text is not None:
            said[place] = text.splitlines()[line - 1].strip()
    return said


def move_lines(trace: Trace, said: dict[str, str], root: Path = ROOT) -> tuple[Trace, list[str]]:
    """The trace with places of today's sources, and those places that are nowhere any more."""
    moved, lost = {}, []
    for place in trace.places():
        path, line = split_place(place)
        text = source_of(path, root)
        if text is None or (line is not None and place not in said):
            lost.append(place)
        elif line is not None:
            today = nearest(said[place], line, text)
            if today is None:
                lost.append(place)
            else:
                moved[place] = f"{path}:{today}"
    events = [with_places(event, moved) for event in trace.events]
    return Trace(trace.name, events, trace.cut_off), lost


def nearest(said: str, line: int, text: str) -> int | None:
    """Of the lines that say this, the one that is nearest to where it was said."""
    alike = [number for number, today in enumerate(text.splitlines(), 1) if today.strip() == said]
    return min(alike, key=lambda number: abs(number - line), default=None)


def scene_page(scene: Scene, root: Path = ROOT, program: bytes | None = None) -> str:
    """Its page. `program`: the module that plays a live scene; without one, the page plays what was recorded."""
    recorded = scene.trace()
    numbers = step_numbers(recorded)
    trace, lost = move_lines(recorded, scene.lines(), root)
    steps = [numbers[index] for index in scene.moments(recorded)]
    moments = [{"step": number, "caption": step["caption"]}
               for step, number in zip(scene.steps, steps)]
    shown = {"about": scene.about, "start": steps[0], "moments": moments}
    is_live = program is not None and scene.live is not None
    meta = meta_of(trace, root, OF_LIVE_RUNS if is_live else (), title=scene.title, **shown)
    meta["lost"] = sorted({*meta["lost"], *lost})
    return make_page(trace, live_meta(scene, meta), program=program) if is_live else make_page(trace, meta)


def live_meta(scene: Scene, meta: dict) -> dict:
    """The same, of a page whose run is still to be made; what is only true of the recorded one stands apart."""
    of_recorded = {"about", "start", "moments", "anchors", "lost", "note"}
    recorded = {key: value for key, value in meta.items() if key in of_recorded}
    books = {name: {**at, "path": QUEUE} if at["path"] == LOSING_QUEUE else at for name, at in meta["anchors"].items()}
    return {**{key: value for key, value in meta.items() if key not in of_recorded},
            "about": scene.live["about"], "live": scene.live, "recorded": recorded,
            "anchors": books, "anchors_losing": in_losing_queue(books)}
