#!/usr/bin/env python3
"""Draws the still picture of each scene, for the pages of the book. Needs Chromium.

    book/scenes/stills.py            those that are not what their scene is
    book/scenes/stills.py --all      all of them
    book/scenes/stills.py --check    only says which those are

A still is the thread as the viewer shows it (and the frames, where somebody talks with them), at the
moment of scenes.json that has "still", or else at the first: NAME-light.svg and NAME-dark.svg. For the
first pages, it ends with what its signs mean. A comment in it says what it was drawn from, so that a
test can tell, without a browser, whether it's still that.
"""
from __future__ import annotations

import argparse
import hashlib
import html
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # no __pycache__ beside the sources
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "viewer"))
from make_page import make_page, meta_of  # noqa: E402  (its folder has just been put on the path)
from scenes import Scene, all_scenes, move_lines  # noqa: E402
from steps import step_numbers  # noqa: E402
from story import browser_here  # noqa: E402

THEMES = ("light", "dark")
WITHOUT_SIGNS = "14"  # from here on, a reader knows what the signs mean
WIDTH = 760  # what a page's column holds, on most screens


def moment_of(scene: Scene) -> tuple[int, str]:
    """The step to draw, and its caption."""
    trace = scene.trace()
    which = next((i for i, step in enumerate(scene.steps) if step.get("still")), 0)
    return step_numbers(trace)[scene.moments(trace)[which]], scene.steps[which]["caption"]


def drawn_from(scene: Scene) -> str:
    """What a still depends on, in short. (Not on how the viewer draws: look at that yourself.)"""
    step, caption = moment_of(scene)
    known = f"{step}\n{caption}\n{scene.trace().text()}"
    return hashlib.sha256(known.encode()).hexdigest()[:12]


def file_of(scene: Scene, theme: str) -> Path:
    return HERE / f"{scene.name}-{theme}.svg"


def is_fresh(scene: Scene, theme: str) -> bool:
    file = file_of(scene, theme)
    return file.exists() and f"<!-- {drawn_from(scene)} -->" in file.read_text(encoding="utf-8")


def draw(scene: Scene, theme: str, browser: str) -> None:
    step, caption = moment_of(scene)
    trace, _ = move_lines(scene.trace(), scene.lines())
    meta = meta_of(trace, title=scene.title, still={"step": step, "signs": scene.page < WITHOUT_SIGNS})
    page = make_page(trace, meta, (HERE / "still.js").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "page.html"
        file.write_text(page, encoding="utf-8")
        # The pane is that much narrower than its window.
        command = [browser, "--headless=new", "--no-sandbox", "--disable-gpu",
                   f"--user-data-dir={folder}/profile", f"--window-size={WIDTH + 40},1100",
                   "--virtual-time-budget=20000", "--dump-dom", f"{file.as_uri()}#theme={theme}"]
        shown = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=120).stdout
    result = re.search(r'<pre id="result">(.*?)</pre>', shown, re.S)
    if result is None:
        raise SystemExit(f"stills.py: {scene.name}: the page has drawn nothing")
    picture = json.loads(html.unescape(result[1]))["picture"]
    described = f"<title>{html.escape(f'{scene.title}, step {step}: {caption}')}</title>"
    begin = picture.index(">") + 1
    svg = picture[:begin] + f"<!-- {drawn_from(scene)} -->" + described + picture[begin:]
    lines = re.sub(r"(</(?:g|text|defs)>)", r"\1\n", svg)
    file_of(scene, theme).write_text(lines + "\n", encoding="utf-8")


def main() -> int:
    options = argparse.ArgumentParser(description="Draws the still picture of each scene.")
    options.add_argument("--all", action="store_true", help="also those that need no drawing")
    options.add_argument("--check", action="store_true", help="draw nothing, only compare")
    given = options.parse_args()
    stale = [(scene, theme) for scene in all_scenes().values() for theme in THEMES
             if given.all or not is_fresh(scene, theme)]
    if given.check:
        for scene, theme in stale:
            print(f"{file_of(scene, theme).name}: not what its scene is; run book/scenes/stills.py")
        return 1 if stale else 0
    browser = browser_here()
    if browser is None and stale:
        print("stills.py: there is no Chromium: install it, and try again", file=sys.stderr)
        return 1
    for scene, theme in stale:
        draw(scene, theme, browser)
        print(file_of(scene, theme).name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
