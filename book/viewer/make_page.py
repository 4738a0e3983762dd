"""Makes one HTML file out of a trace: a page that shows the run step by step.

The page holds all that it needs, the sources too, and loads nothing: it opens from disk, and can
be sent to somebody. `./learn trace` makes one of a file, or of a run.

What page.html finds under {{DATA}}: two script elements. `meta` is an object with title, about,
program, stage; sources {path: text}; anchors {name: {path, line}}; lost [places whose line isn't
known any more]; and, where there are some, start (the step to open at), moments [{step, caption}],
links [{title, href}] and note. `trace` is the trace as it was recorded; a big one is packed, with
gzip, in base64.
"""
from __future__ import annotations

import base64
import gzip
import html
import json
import re
import sys
from pathlib import Path
from typing import Iterable

sys.dont_write_bytecode = True  # no __pycache__ beside the sources
from anchors import anchors_for  # noqa: E402  (what is imported is beside this file)
from traces import ROOT, Trace, source_of, sources_hash, split_place  # noqa: E402

HERE = Path(__file__).resolve().parent
PANES = ["view_chain.js", "view_tasks.js", "view_loop.js", "view_queue.js", "axis.js", "view_zoom.js", "view_time.js"]
PANES_OF_GENERATORS = ["words_generators.js", "view_generators.js"]  # for who talks with them
SCRIPTS = [
    "steps.json", "model.js", "stops.js", "busy.js", "words.js", "view_dom.js", "view.js", "view_places.js",
    "view_source.js", "view_signs.js", "view_lanes.js", "view_thread.js", *PANES, "view_say.js",
    "view_scroll.js", "view_controls.js", "view_welcome.js", "view_run.js", "view_start.js",
]
OF_LIVE_PAGES = ["../../tests/live/wasm/module.js", "view_knobs.js", "view_moments.js", "view_live.js"]
TITLES = {
    "stage1": "Stage 1: an event loop with callbacks",
    "stage2": "Stage 2: coroutines made by hand",
    "stage3": "Stage 3: tasks, a queue and libcurl",
    "chain_tour": "Frames of coroutines",
    "generator_session": "A conversation with a generator",
    "fetch_one": "One fetch, one coroutine",
    "runtime_tour": "A walk through the runtime",
    "server_tour": "A server and its clients",
    "redis_tour": "A lost answer",
}
COMMENT = re.compile(r"(^|\s)//[^\"'`]*$|^\s*//.*")  # no quote follows: so it's in no string
PLAIN = re.compile(r"[^'`/]*")  # code, with nothing else in it
STRING = re.compile(r'("(?:[^"\\]|\\.)*"|`[^`]*`)')
SPACES = re.compile(r" ?([=<>?:,{}()&|;*]|(?<!\+)\+(?! ?\+)) ?")
USE_STRICT = '"use strict";'
BIG = 100_000  # characters of a trace: a bigger one is packed


def notes_on(trace: Trace, root: Path) -> str:
    """What a reader must know before believing the page."""
    notes = []
    recorded_with = trace.events[0].get("sources")
    if recorded_with is not None and recorded_with != sources_hash(root):
        notes.append("It was recorded with other sources than those shown here: lines may be off.")
    if trace.cut_off:
        notes.append("The trace was cut off: what came after its last step is not known.")
    return " ".join(notes)


def lost_places(trace: Trace, sources: dict[str, str]) -> list[str]:
    """Places in files that are not here, or beyond their end."""
    lengths = {path: len(text.splitlines()) for path, text in sources.items()}
    return [place for place in trace.places()
            for path, line in [split_place(place)]
            if path not in lengths or (line is not None and not 1 <= line <= lengths[path])]


def meta_of(trace: Trace, root: Path = ROOT, also: Iterable[str] = (), **more) -> dict:
    """All that the page knows beside the trace. `also`: sources that the trace doesn't name. What is in `more` goes in
    as it is, or instead."""
    anchors = anchors_for(trace, root)
    named = {split_place(place)[0] for place in trace.places()}
    named |= {anchor["path"] for anchor in anchors.values()} | set(also)
    texts = {path: source_of(path, root) for path in sorted(named)}
    sources = {path: text for path, text in texts.items() if text is not None}
    meta = {
        "title": TITLES.get(trace.program, trace.program),
        "about": f"a run of {trace.program}, recorded",
        "program": trace.program,
        "stage": trace.stage,
        "anchors": anchors,
        "lost": lost_places(trace, sources),
        "note": notes_on(trace, root),
        **more,
        "sources": sources,
    }
    return {key: value for key, value in meta.items() if value not in (None, "")}


def for_script(text: str) -> str:
    """JSON that can stand inside a script element: nothing in it ends or hides the element."""
    return text.replace("</", "<\\/").replace("<!--", "<\\u0021--")


def data_of(trace: Trace, meta: dict, program: bytes | None = None) -> str:
    known = json.dumps(meta, ensure_ascii=False, separators=(",", ":"))
    text = trace.text()
    if len(text) > BIG or program is not None:
        recorded = f'<script id="trace" type="text/plain">{packed(text.encode())}</script>'
    else:
        recorded = f'<script id="trace" type="application/x-ndjson">{for_script(text)}</script>'
    module = "" if program is None else f'\n<script id="wasm" type="text/plain">{packed(program)}</script>'
    return f'<script id="meta" type="application/json">{for_script(known)}</script>\n{recorded}{module}'


def file_text(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


def script_text(name: str) -> str:
    """What a browser can run: steps.json becomes a constant, which model.js reads."""
    text = file_text(name)
    return f"const Steps = {text.rstrip()};\n" if name == "steps.json" else text


def slim_script(text: str) -> str:
    """Without what only its readers need: a page is sent about, and its sources are elsewhere."""
    lines = (COMMENT.sub("", line).strip() for line in text.splitlines())
    return "\n".join(slim_line(line) for line in lines if line not in ("", USE_STRICT))


def slim_line(line: str) -> str:
    parts = STRING.split(line)  # code, string, code, and so on
    is_nested = any(text.count("{") != text.count("}") for text in parts[1::2])  # `a ${is ? `b` : "c"}`
    if is_nested or not all(map(PLAIN.fullmatch, parts[::2])):
        return line
    return "".join(SPACES.sub(r"\1", part) if i % 2 == 0 else part for i, part in enumerate(parts))


def slim_style(text: str) -> str:
    without_comments = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    one_line = re.sub(r"\s+", " ", without_comments).strip()
    return re.sub(r" ?([{};,]) ?|: ", lambda found: found[1] or ":", one_line).replace(";}", "}")


def scripts_for(trace: Trace, is_live: bool) -> list[str]:
    """Each page carries the panes that it needs."""
    if is_live:
        return SCRIPTS[:-1] + OF_LIVE_PAGES
    if not trace.talks:
        return SCRIPTS
    first = SCRIPTS.index(PANES[0])
    return SCRIPTS[:first] + PANES_OF_GENERATORS + SCRIPTS[first + len(PANES):]


def packed(content: bytes) -> str:
    """With gzip, as base64: a script of the page unpacks it."""
    return base64.b64encode(gzip.compress(content, 9, mtime=0)).decode()


def make_page(trace: Trace, meta: dict, last: str = "", program: bytes | None = None) -> str:
    """The page's text. `last` is a script that runs after all others. `program` is a WebAssembly module (tests/live):
    then the page is live, and plays the trace only if it can't run the module."""
    scripts = "\n".join(slim_script(script_text(name)) for name in scripts_for(trace, program is not None))
    if "</script" in scripts + last:
        raise ValueError("a script of the page holds </script, which would end it there")
    style, change = file_text("style.css"), ""
    if program is not None:
        style, change = style + file_text("live.css"), file_text("live.html")
    parts = {
        "TITLE": html.escape(meta["title"]),
        "CSS": slim_style(style),
        "CHANGE": change,
        "JS": f"{USE_STRICT}\n{scripts}\n{last}",
        "DATA": data_of(trace, meta, program),
    }
    return re.sub(r"\{\{(TITLE|CSS|CHANGE|JS|DATA)\}\}", lambda mark: parts[mark[1]], file_text("page.html"))
