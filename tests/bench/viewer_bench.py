#!/usr/bin/env python3
"""How long the viewer's page takes to open, and a step in it, with runs of different lengths.

    tests/bench/viewer_bench.py --build build [EVENTS...]    1000 10000 100000, if none is given

Stage 3 crawls the practice site; of its trace, this many events are taken. Chromium opens the page,
and a script in it goes forwards, backwards and to and fro, and sends the times to this program:
real ones, so let nothing else run meanwhile. It prints a table, and checks nothing.
"""
from __future__ import annotations

import argparse
import http.server
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # no __pycache__ beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "book" / "viewer"))
import recording  # noqa: E402  (its folder has just been put on the path)
from make_page import make_page, meta_of  # noqa: E402
from story import browser_here  # noqa: E402
from traces import Trace, parse  # noqa: E402

COMMAND = ["stage3", "--no-robots", "--progress", "never", "--trace", "TRACE", "URL"]
EVENTS_A_PAGE = 35  # that many, at least
TIMES = """
(() => {
  const middle = numbers => numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
  function timeOf(steps) {
    return steps.map(step => {
      const begin = performance.now();
      viewer.go(step);
      document.body.getBoundingClientRect(); // with its layout
      return performance.now() - begin;
    });
  }
  async function tell() {
    const last = viewer.steps(), half = Math.floor(last / 2), some = Math.min(100, half - 1);
    const next = Array.from({ length: some }, (_, i) => half + i);
    const jump = Array.from({ length: 30 }, (_, i) => 1 + (i * 7919) % last);
    const told = { steps: last, opened: viewer.times().opened };
    for (const [name, way] of Object.entries({ on: next, back: [...next].reverse(), jump })) {
      const times = timeOf(way);
      told[name] = [middle([...times]), Math.max(...times)];
    }
    await fetch("ADDRESS", { method: "POST", body: JSON.stringify(told), mode: "no-cors" });
  }
  const wait = setInterval(() => {
    if (document.documentElement.dataset.ready === "yes") {
      clearInterval(wait);
      setTimeout(tell, 500);
    }
  }, 20);
})();
"""


def first_events(trace: Trace, count: int) -> Trace:
    return Trace(trace.name, trace.events[:count], True)


def measure(trace: Trace, browser: str) -> tuple[dict, int]:
    """What the page reports, and its size in bytes."""
    told: list[dict] = []

    class Listener(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            told.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_arguments):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Listener) as server, \
            tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        server.timeout = 120
        script = TIMES.replace("ADDRESS", f"http://127.0.0.1:{server.server_port}/")
        page = make_page(trace, meta_of(trace), script)
        file = Path(folder) / "page.html"
        file.write_text(page, encoding="utf-8")
        shown = subprocess.Popen(
            [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1366,900",
             f"--user-data-dir={folder}/profile", file.as_uri()],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            server.handle_request()
        finally:
            shown.terminate()
            shown.wait()
    if not told:
        raise SystemExit("viewer_bench.py: the page has reported nothing for two minutes")
    return told[0], len(page.encode())


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--build", type=Path, required=True, help="where the programs are")
    options.add_argument("events", nargs="*", type=int, default=[1000, 10_000, 100_000])
    given = options.parse_args()
    browser = browser_here()
    if browser is None:
        print("viewer_bench.py: there is no Chromium here", file=sys.stderr)
        return 1
    programs = {name: given.build.resolve() / path for name, path in recording.PROGRAMS.items()}
    pages = max(given.events) // EVENTS_A_PAGE
    whole = parse(recording.record(programs, COMMAND, f"--pages {pages} --links 4"), "a crawl")
    print(f"{len(whole.events)} events of a crawl are there to take from; times in ms\n")
    print("  events   steps     bytes   opens   a step on (longest)   back (longest)   jump (longest)")
    for count in given.events:
        told, size = measure(first_events(whole, count), browser)
        ways = "".join(f"{told[way][0]:12.1f} ({told[way][1]:.0f})" for way in ("on", "back", "jump"))
        print(f"{min(count, len(whole.events)):8} {told['steps']:7} {size:9} {told['opened']:7.0f}{ways}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
