#!/usr/bin/env python3
"""Records the scenes of the book anew, by running the programs.

    book/scenes/record.py --build build            all of them
    book/scenes/record.py --build build 08-chain   only this one

For each scene in scenes.json it writes NAME.trace, what the program has told; NAME.lines.json,
what the source lines say that are named there; and NAME.story.txt, what the page says about each
step (for that, there must be node or Chromium). Look at what has changed before you keep it, and
draw the still pictures anew (book/scenes/stills.py). All happens on this machine; the practice
site that some scenes need is started here, and ended.
"""
from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # no __pycache__ beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "viewer"))
import recording  # noqa: E402  (its folder has just been put on the path)
from scenes import NoSuchMoment, Scene, all_scenes, lines_of  # noqa: E402
from story import story_of  # noqa: E402
from traces import BadTrace, parse  # noqa: E402


def record(scene: Scene, programs: dict[str, Path]) -> None:
    text = recording.record(programs, scene.command, scene.site)
    trace = parse(text, scene.name)
    scene.moments(trace)
    scene.trace_file.write_text(text, encoding="utf-8")
    lines = json.dumps(lines_of(trace), ensure_ascii=False, indent=1, sort_keys=True)
    scene.lines_file.write_text(lines + "\n", encoding="utf-8")
    story = story_of(text)
    if story is None:
        print(f"{scene.name}: no story, since there is neither node nor Chromium", file=sys.stderr)
    else:
        scene.story_file.write_text(story, encoding="utf-8")
    print(f"{scene.name}: {len(trace.events)} events, {len(text)} bytes")


def main() -> int:
    options = argparse.ArgumentParser(description="Records the scenes of the book anew.")
    options.add_argument("--build", type=Path, required=True, help="where the programs are")
    options.add_argument("scenes", nargs="*", metavar="SCENE")
    given = options.parse_args()
    programs = {name: given.build.resolve() / path for name, path in recording.PROGRAMS.items()}
    known = all_scenes()
    for name in given.scenes or known:
        if name not in known:
            print(f"record.py: there is no scene {name}; there are: {', '.join(known)}",
                  file=sys.stderr)
            return 2
        try:
            record(known[name], programs)
        except (BadTrace, NoSuchMoment) as error:
            print(f"record.py: {name}: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
