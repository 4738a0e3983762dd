"""Runs stage 3. STAGE3 in the environment names the program; the default is the one in ../../build."""
import json
import os
import pathlib
import subprocess

PROGRAM = os.environ.get("STAGE3") or str(
    pathlib.Path(__file__).resolve().parents[2] / "build/stage3_queue_crawler/stage3")


def run_stage3(*arguments, status=None, **how):
    """Runs it to its end. Returns what subprocess.run does, with text. `status`: what its exit status must be."""
    usual = {"stdin": subprocess.DEVNULL, "capture_output": True, "encoding": "utf-8", "timeout": 60}
    if "input" in how:
        del usual["stdin"]
    done = subprocess.run([PROGRAM, *map(str, arguments)], **usual | how)
    if status not in (None, done.returncode):
        raise AssertionError(f"exit status {done.returncode}, not {status}: {done.stderr}{(done.stdout or '')[-2000:]}")
    return done


def records_in(text):
    """The records of --format jsonl, without the lines that say why a crawl isn't complete."""
    return [record for record in map(json.loads, text.splitlines()) if "url" in record]
