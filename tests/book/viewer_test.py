#!/usr/bin/env python3
"""Runs viewer_model_test.js: in node, or else in Chromium; without either, it is skipped (77).

It reads the traces of book/scenes, which scenes_test.py compares with what the programs write now.
With --browser, Chromium is taken even if there is node.
"""
from __future__ import annotations

import html
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "book" / "viewer"))
sys.dont_write_bytecode = True
from make_page import script_text  # noqa: E402  (its folder has just been put on the path)
from story import SCRIPTS, browser_here  # noqa: E402

TEST = ROOT / "tests" / "book" / "viewer_model_test.js"
SKIPPED = 77


def main() -> int:
    node = None if "--browser" in sys.argv[1:] else shutil.which("node")
    browser = browser_here()
    if node is None and browser is None:
        print("neither node nor Chromium is here: skipped")
        return SKIPPED
    traces = sorted((ROOT / "book" / "scenes").glob("*.trace"))
    with tempfile.TemporaryDirectory() as name:
        report = run_in_node(node, traces) if node else run_in_browser(browser, traces, pathlib.Path(name))
    print(report)
    return 0 if report.startswith("all passed") else 1


def run_in_node(node: str, traces: list[pathlib.Path]) -> str:
    done = subprocess.run([node, TEST, *traces], capture_output=True, encoding="utf-8", timeout=300)
    return (done.stdout + done.stderr).strip()


def run_in_browser(browser: str, traces: list[pathlib.Path], folder: pathlib.Path) -> str:
    texts = {path.name: path.read_text(encoding="utf-8") for path in traces}
    data = json.dumps(texts).replace("<", "\\u003c")
    scripts = [*map(script_text, [*SCRIPTS, "stops.js"]), f"const TRACES = {data};", TEST.read_text(encoding="utf-8")]
    page = folder / "test.html"
    page.write_text('<!doctype html><meta charset="utf-8"><body>not run'
                    + "".join(f"<script>{script}</script>" for script in scripts), encoding="utf-8")
    command = [browser, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}",
               "--timeout=200000", "--dump-dom", page.as_uri()]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=300)
    body = done.stdout.split("<body>", 1)[-1].split("</body>", 1)[0]
    return html.unescape(body).strip() or done.stderr.strip()


if __name__ == "__main__":
    sys.exit(main())
