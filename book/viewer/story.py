"""A trace's story: each step's sentences, as the page says them.

story.js tells it, so something must run JavaScript: node, or else Chromium. Without either there
is no story, and None is what you get.
"""
from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from urllib.parse import unquote

from make_page import HERE, for_script, script_text

SCRIPTS = ["steps.json", "model.js", "words.js", "words_generators.js", "story.js"]
BROWSERS = ["chromium", "chromium-browser", "google-chrome"]
TELL = r"Story.story(Model.read(TRACE)).join('\n') + '\n'"


def story_of(text: str) -> str | None:
    """`text`: a trace's."""
    trace = f"const TRACE = {for_script(json.dumps(text))};"
    with tempfile.TemporaryDirectory() as folder:
        if node := shutil.which("node"):
            return told_by_node(node, trace, Path(folder))
        if browser := browser_here():
            return told_by_browser(browser, trace, Path(folder))
    return None


def checksum(story: str) -> str:
    return hashlib.sha256(story.encode()).hexdigest()[:12]


def browser_here() -> str | None:
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def told_by_node(node: str, trace: str, folder: Path) -> str:
    script = folder / "story.js"
    script.write_text("\n".join((
        f"const Model = require({json.dumps(str(HERE / 'model.js'))});",
        f"const Story = require({json.dumps(str(HERE / 'story.js'))});",
        trace, f"process.stdout.write({TELL});")), encoding="utf-8")
    return said_by([node, script])


def told_by_browser(browser: str, trace: str, folder: Path) -> str:
    scripts = "\n".join(map(script_text, SCRIPTS))
    # In percents, so that nothing is lost on the way through HTML.
    tell = f"document.body.textContent = '[[' + encodeURIComponent({TELL}) + ']]';"
    page = folder / "story.html"
    page.write_text('<!doctype html><meta charset="utf-8"><body>'
                    f"<script>{scripts}\n{trace}\n{tell}</script>", encoding="utf-8")
    shown = said_by([browser, "--headless=new", "--no-sandbox", "--disable-gpu",
                     f"--user-data-dir={folder}/profile", "--dump-dom", page.as_uri()])
    return unquote(shown.split("[[", 1)[1].rsplit("]]", 1)[0])


def said_by(command: list) -> str:
    done = subprocess.run(command, check=True, capture_output=True, encoding="utf-8", timeout=60)
    return done.stdout
