#!/usr/bin/env python3
"""Draws the report of stage3 --html on the practice site, for page 33. Needs Chromium and the programs.

    book/figures/report_still.py [BUILD]        BUILD: where the programs are; else build/

Like the other figures, it's an SVG in two colours, html-report-light.svg and html-report-dark.svg.
"""
from __future__ import annotations

import html
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # no __pycache__ beside the sources
HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "book" / "viewer"), str(ROOT / "tests" / "practice_site")]
from draw import THEMES, Picture, faults  # noqa: E402  (these folders have just been put on the path)
from practice_site import PROGRAM, practice_site  # noqa: E402
from story import browser_here  # noqa: E402

SITE = ["--pages", "200", "--links", "3"]
WINDOW = (800, 800)  # wide enough for columns; what is further down is cut
SCALE, LEFT, TOP = 0.86, 12, 40  # from a point of the window to one of the picture
HEAD = 60  # of the window, with nothing but a name


class AsTheyAre(dict):
    """A theme whose colours are called what they are."""

    def __missing__(self, colour):
        return colour


def report(build: Path, folder: Path) -> str:
    """A report on the practice site, as if that ran at port 8000."""
    file = folder / "report.html"
    with practice_site(build / PROGRAM, *SITE) as site:
        subprocess.run([build / "stage3_queue_crawler/stage3", "-q", "--places", "--html", file.name, site.url],
                       cwd=folder, timeout=60)
        return file.read_text(encoding="utf-8").replace(f":{site.port}", ":8000")


def seen(page: str, theme: str, browser: str, folder: Path) -> dict:
    """What report_still.js sees in a window."""
    script = f'const theme = "{theme}";\n' + (HERE / "report_still.js").read_text(encoding="utf-8")
    page = re.sub('<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)  # it allows no other script
    file = folder / f"{theme}.html"
    file.write_text(page.replace("</body>", f"<script>\n{script}</script></body>"), encoding="utf-8")
    command = [browser, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile",
               f"--window-size={WINDOW[0]},{WINDOW[1]}", "--virtual-time-budget=20000", "--dump-dom", file.as_uri()]
    shown = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=120).stdout
    result = re.search(r'<pre id="result">(.*?)</pre>', shown, re.S)
    if result is None:
        raise SystemExit("report_still.py: the report shows nothing")
    return json.loads(html.unescape(result[1]))


def joined(parts: list[dict]) -> list[dict]:
    """With one text for words and code that follow each other on a line."""
    done = []
    for part in parts:
        if part["kind"] == "text":
            words = f"`{part['words']}`" if part["code"] else part["words"]
            last = done[-1] if done else part
            if (last["kind"] == "text" and last["colour"] == part["colour"] and abs(last["y"] - part["y"]) < 2
                    and 0 <= part["x"] - last["x"] - last["width"] < 12):
                last["words"] += ("" if words[0] in ",.”" else " ") + words
                last["width"] = part["x"] + part["width"] - last["x"]
                continue
            part["words"] = words
        done.append(part)
    return done


def draw(found: dict, theme: str) -> str:
    parts = [part for part in joined(found["parts"]) if part["y"] + part.get("height", 0) < WINDOW[1] - 12]
    said = "; ".join(part["words"].replace("`", "") for part in parts if part["kind"] == "text")
    picture = Picture("A report, in a browser", said, AsTheyAre(THEMES[theme]))

    def place(x, y):
        return round(LEFT + SCALE * x, 1), round(TOP + SCALE * (y - HEAD), 1)
    picture.box(LEFT, TOP, SCALE * WINDOW[0], SCALE * (WINDOW[1] - HEAD), found["page"])
    for part in parts:
        x, y = place(part["x"], part["y"])
        width = round(SCALE * part.get("width", 0), 1)
        if part["kind"] == "box":
            picture.box(x, y, width, round(SCALE * part["height"], 1), part["fill"], part["stroke"])
        elif part["kind"] == "line":
            picture.line(x, y, x + width, y, part["colour"], 1)
        else:
            size = max(12, round(SCALE * part["size"], 1))
            picture.text(x, y, part["words"], part["colour"], size, "bold" if part["bold"] else "normal")
            if part["underlined"]:
                picture.line(x, y + 4, x + width, y + 4, part["colour"], 1)
    svg = picture.svg()
    if found := faults(svg):
        raise SystemExit("\n".join(f"report_still.py: {fault}" for fault in found))
    return svg


def main() -> int:
    browser = browser_here()
    if browser is None:
        print("report_still.py: there is no Chromium: install it, and try again", file=sys.stderr)
        return 1
    build = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build").resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        page = report(build, folder)
        for theme in THEMES:
            svg = draw(seen(page, theme, browser, folder), theme)
            (HERE / f"html-report-{theme}.svg").write_text(svg, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
