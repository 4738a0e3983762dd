"""Chromium, for tests: opens a page, and takes what a script in it has found (see in_page.js)."""
import contextlib
import html
import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "book" / "viewer"))
sys.dont_write_bytecode = True
from story import browser_here  # noqa: E402  (its folder has just been put on the path)

BROWSER = browser_here()
DESK, TELEPHONE = (1366, 900), (390, 844)
IN_PAGE = pathlib.Path(__file__).with_name("in_page.js")

# A browser's window can't be as narrow as a telephone, but a frame can. Pages tell their frame what they have found.
FRAME = """<!doctype html><meta charset="utf-8"><body style="margin:0"><script>
const pages = PAGES, found = { checks: 0, failures: [] };
const frame = document.createElement("iframe");
frame.style.border = 0;
[frame.width, frame.height] = SIZE;
const next = () => {
  if (pages.length > 0)
    return frame.src = pages.pop();
  const pre = document.createElement("pre");
  pre.id = "result";
  pre.textContent = JSON.stringify(found);
  document.body.append(pre);
  if (location.protocol === "http:")
    fetch("result", { method: "POST", body: pre.textContent });
};
addEventListener("message", ({ data }) => {
  const { checks, failures, ...more } = JSON.parse(data);
  found.checks += checks;
  found.failures.push(...failures);
  Object.assign(found, more);
  next();
});
document.body.append(frame);
next();
</script>
"""


def write_frame(file: pathlib.Path, pages: list[str], size: tuple[int, int]) -> pathlib.Path:
    """A page that shows these in a frame, one after the other."""
    file.write_text(FRAME.replace("PAGES", json.dumps(pages)).replace("SIZE", str(list(size))), encoding="utf-8")
    return file


def command(profile: pathlib.Path, size: tuple[int, int], *more: str) -> list[str]:
    return [BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", f"--window-size={size[0]},{size[1]}",
            f"--user-data-dir={profile}", *more]


def dumped(url: str, profile: pathlib.Path, size: tuple[int, int] = DESK, *more: str) -> str:
    """What a browser makes of a page. Virtual time doesn't wait for timers: when nothing is left to do, the clock jumps
    to the next one. (On a busy machine, Chromium has been seen to do nothing for ever; then it's asked once more.)"""
    for patience, folder in ((150, profile), (300, profile.with_name(f"{profile.name}-again"))):
        words = command(folder, size, "--virtual-time-budget=600000", "--dump-dom", *more, url)
        with contextlib.suppress(subprocess.TimeoutExpired):
            return subprocess.run(words, capture_output=True, encoding="utf-8", timeout=patience).stdout
    return ""  # which is no result


def result_in(shown: str) -> dict:
    found = re.search(r'<pre id="result">(.*?)</pre>', shown, re.S)
    return json.loads(html.unescape(found[1])) if found else {"failures": [f"nothing was reported: {shown[-300:]}"]}
