#!/usr/bin/env python3
"""Records the scenes of the book anew, by running the programs.

    book/scenes/record.py --build build            all of them
    book/scenes/record.py --build build 18a-chain   only this one
    book/scenes/record.py --stories FOLDER         records nothing, and tells what the traces say

For each scene in scenes.json it writes NAME.trace, what the program has told, and NAME.lines.json,
what the source lines say that are named there. Then it tells each scene's story, which is what the
page says about each step (for that, there must be node or Chromium): stories.json gets a checksum
of it, and FOLDER, the story itself. To see what has changed, tell the stories before and after
your change into two folders, and compare these. Draw the still pictures anew, too
(book/scenes/stills.py), and README's (picture.py). All happens on this machine; the practice site that some scenes need is
started here, and ended.
"""
from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # no __pycache__ beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "viewer"))
import recording  # noqa: E402  (its folder has just been put on the path)
from scenes import STORIES, NoSuchMoment, Scene, all_scenes, lines_of  # noqa: E402
from story import checksum, story_of  # noqa: E402
from traces import BadTrace, parse  # noqa: E402


def record(scene: Scene, programs: dict[str, Path]) -> None:
    text = recording.record(programs, scene.command, scene.site)
    trace = parse(text, scene.name)
    scene.moments(trace)
    scene.trace_file.write_text(text, encoding="utf-8")
    lines = json.dumps(lines_of(trace), ensure_ascii=False, indent=1, sort_keys=True)
    scene.lines_file.write_text(lines + "\n", encoding="utf-8")
    print(f"{scene.name}: {len(trace.events)} events, {len(text)} bytes")


def tell(known: dict[str, Scene], folder: Path | None) -> None:
    stories = {name: story_of(scene.trace_file.read_text(encoding="utf-8"))
               for name, scene in known.items()}
    if None in stories.values():
        print("record.py: no stories, since there is neither node nor Chromium", file=sys.stderr)
        return
    checksums = {name: checksum(story) for name, story in stories.items()}
    STORIES.write_text(json.dumps(checksums, indent=1) + "\n", encoding="utf-8")
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        for name, story in stories.items():
            (folder / f"{name}.txt").write_text(story, encoding="utf-8")


def main() -> int:
    options = argparse.ArgumentParser(description="Records the scenes of the book anew.")
    options.add_argument("--build", type=Path, help="where the programs are")
    options.add_argument("--stories", type=Path, metavar="FOLDER", help="where to tell the stories")
    options.add_argument("scenes", nargs="*", metavar="SCENE")
    given = options.parse_args()
    known = all_scenes()
    if given.build is None:
        if given.stories is None or given.scenes:
            options.error("--build is missing")
        tell(known, given.stories)
        return 0
    programs = {name: given.build.resolve() / path for name, path in recording.PROGRAMS.items()}
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
    tell(known, given.stories)
    return 0


if __name__ == "__main__":
    sys.exit(main())
