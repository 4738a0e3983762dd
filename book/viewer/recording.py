"""Runs programs, and has them write traces. All on this machine: 127.0.0.1."""
from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

import traces

sys.path.insert(0, str(traces.ROOT / "tests" / "practice_site"))
from practice_site import PROGRAM as PRACTICE_SITE  # noqa: E402  (its folder is on the path now)
from practice_site import NotStarted, practice_site  # noqa: E402, F401

PROGRAMS = {
    "stage1": "stage1_callbacks/stage1",
    "stage2": "stage2_coroutines/stage2",
    "stage3": "stage3_queue_crawler/stage3",
    "chain_tour": "stage2_coroutines/chain_tour",
    "generator_session": "stage2_coroutines/generator_session",
    "fetch_one": "stage2_coroutines/fetch_one",
    "runtime_tour": "stage3_queue_crawler/tours/runtime_tour",
    "server_tour": "stage3_queue_crawler/tours/server_tour",
    "redis_tour": "stage3_queue_crawler/tours/redis_tour",
    "live_crawl": "tests/live/crawl",
    "practice_site": PRACTICE_SITE,
}
SMALL_SITE = ["--pages", "8", "--links", "3", "--latency", "20"]


def record(programs: dict[str, Path | str], command: list[str], site: str | None) -> str:
    """What one of the programs writes into its trace. In the command, TRACE is the file, and URL
    the practice site's, if there is one; in the trace, the site's port is always 8000."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        words = {"TRACE": str(Path(folder) / "trace")}
        if site is not None:
            running = practice_site(programs["practice_site"], *site.split())
            words["URL"] = stack.enter_context(running).url
        arguments = [words.get(word, word) for word in command[1:]]
        subprocess.run([programs[command[0]], *arguments], capture_output=True, timeout=60)
        text = Path(words["TRACE"]).read_text(encoding="utf-8")
    if site is not None:
        text = text.replace(words["URL"], "http://127.0.0.1:8000/")
    return text


def wait_for(process: subprocess.Popen) -> int:
    """Its exit status. Ctrl-C goes to the process, too, and it's up to that one what to do."""
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            continue


def add_sources(path: Path) -> None:
    """Writes into a trace's first line with which sources it was recorded."""
    first, newline, rest = path.read_text(encoding="utf-8", errors="replace").partition("\n")
    event = traces.event_of(first)
    if event is not None:
        event["sources"] = traces.sources_hash()
        path.write_text(json.dumps(event, separators=(",", ":")) + newline + rest, encoding="utf-8")
