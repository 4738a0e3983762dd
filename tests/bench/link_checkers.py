#!/usr/bin/env python3
"""Which dead links do link checkers find, what do they take for dead that isn't, and what does that cost?

    link_checkers.py --build build-bench [--each N] [--json FILE]      measures, and perhaps keeps that
    link_checkers.py --from FILE                                       shows what was kept

A generated site (tests/stage3/checks/site_with_all_links.py) has N links of each kind that are alive and as many that are dead. The
same site is given to stage 3 and to each other link checker that is there: linkchecker, and linkinator if LINKINATOR names its
program. All may ask as fast as they like, with their usual number of requests at once. Foreign servers are other addresses of this
machine, so this needs Linux.
"""
import csv
import json
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from common import STAGE3, TESTS, measure_or_show, parser_of, run

sys.path.insert(0, str(TESTS / "stage3/checks"))
from site_with_all_links import (ASSETS, BAD_FRAGMENTS, FOREIGN, GOOD_FRAGMENTS, SHEETS, Server, Site,  # noqa: E402
                                 answer_foreign, answer_of)

KINDS = ["a", *ASSETS, *SHEETS]
GROUPS = {
    "links": ["a", "area", "iframe"],
    "images": ["img", "srcset", "picture", "poster", "input"],
    "scripts and style sheets": ["script", "stylesheet", "import"],
    "other link elements": ["icon", "preload", "manifest", "alternate", "canonical"],
    "media, objects": ["video", "audio", "source", "track", "object", "embed"],
    "forms": ["form"],
    "url() in CSS": ["style", "attribute", "css", "escape"],
}


def dead_of_stage3(output):
    dead, unclear = set(), set()
    for line in output.splitlines():
        record = json.loads(line)
        url = record["url"] + ("#" + record["fragment"] if record["fragment"] else "")
        if record["outcome"] in ("error", "failed"):
            dead.add(url)
        elif record["outcome"] == "unclear":
            unclear.add(url)
    return dead, unclear


def dead_of_linkchecker(output):
    lines = [line for line in output.splitlines() if line and not line.startswith("# ")]
    dead = set()
    for row in csv.DictReader(lines, delimiter=";"):
        if row.get("valid") == "False":
            dead.add(row["url"] or row["urlname"])
        elif "Anchor" in (row.get("warningstring") or ""):
            dead.add(row["url"])
    return dead, set()


def dead_of_linkinator(output):
    links = json.loads(output)["links"]
    return {link["url"] for link in links if link["state"] == "BROKEN"}, set()


def contestants(stage3, folder):
    (folder / "linkchecker.rc").write_text("[checking]\nmaxrequestspersecond=10000\n[AnchorCheck]\n")
    folder.chmod(0o755)
    yield ("stage 3", [stage3, "-q", "--format", "jsonl", "--external", "--external-delay", "0", "--fragments"], dead_of_stage3)
    if program := shutil.which("linkchecker"):
        yield ("linkchecker", [program, "-f", "linkchecker.rc", "--no-status", "--check-extern", "-o", "csv"], dead_of_linkchecker)
    if program := os.environ.get("LINKINATOR"):
        yield ("linkinator", [program, "--recurse", "--check-css", "--check-fragments", "--format", "json"], dead_of_linkinator)


def judge(site, root, dead, unclear):
    """For each group: found, of how many, and how many false alarms."""
    def count(expected, alive):
        return {"found": len(expected & dead), "of": len(expected), "false": len(alive & dead)}

    def with_state(kinds, state):
        return {root + target for kind in kinds for target in site.targets(kind) if f"/{state}/" in target}

    table = {group: count(with_state(kinds, "dead"), with_state(kinds, "alive")) for group, kinds in GROUPS.items()}
    foreign = {state: set(site.foreign_targets(state)) for state in FOREIGN}
    table["other sites"] = count(foreign["dead"], foreign["alive"])
    for state, name in (("nohead", "other sites that refuse HEAD"), ("liar", "other sites that answer HEAD with 404"),
                        ("login", "other sites with 403"), ("busy", "other sites with 429"), ("broken", "other sites with 500"),
                        ("private", "other sites whose robots.txt forbids it")):
        table[name] = count(set(), foreign[state])
        table[name]["unclear"] = len(foreign[state] & unclear)
    pages = [root + "/page/fragments"] + [f"{root}/page/places?{i}" for i in range(2)]

    def fragments(which):
        return {re.sub("&amp;", "&", f"{page}#{fragment}") for page in pages for fragment in which}

    table["fragments"] = count(fragments([f for f in BAD_FRAGMENTS if "%" not in f]), fragments(GOOD_FRAGMENTS[:3]))
    table["what is no link"] = {"found": 0, "of": 0, "false": sum("/trap" in url for url in dead)}
    return table


def measure(options):
    results = {}
    with tempfile.TemporaryDirectory() as name:
        for who, command, read in contestants(options.build.resolve() / STAGE3, Path(name)):
            site = Site(options.each)
            with Server(answer_of(site)) as server, Server(answer_foreign, "127.0.0.2") as foreign:
                site.foreign = [f"http://127.0.0.2:{foreign.port}"]
                root = f"http://127.0.0.1:{server.port}"
                used = run([*command, root + "/"], good=(), cwd=name)
                table = judge(site, root, *read(used.output))
            results[who] = {"seconds": round(used.wall, 1), "cpu": round(used.cpu, 2), "table": table}
    return results


def table_of(results):
    lines = [f"{'':40}" + "".join(f"{who:>22}" for who in results),
             f"{'':40}" + "      found     false " * len(results)]
    for group in next(iter(results.values()))["table"]:
        rows = [result["table"][group] for result in results.values()]
        cells = [f"{row['found']:5} of {row['of']:3}" if row["of"] else " " * 12 for row in rows]
        lines.append(f"{group:40}" + "".join(f"{cell}{row['false']:9} " for cell, row in zip(cells, rows)))
    for what, key in (("seconds", "seconds"), ("seconds of CPU", "cpu")):
        lines.append(f"{what:40}" + "".join(f"{result[key]:>21} " for result in results.values()))
    return "\n".join(lines)


if __name__ == "__main__":
    options_of = parser_of(__doc__)
    options_of.add_argument("--build", type=Path, help="the build directory, of --buildtype=release")
    options_of.add_argument("--each", type=int, default=50)
    sys.exit(measure_or_show(options_of, measure, lambda results, _: table_of(results)))
