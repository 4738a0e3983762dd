#!/usr/bin/env python3
"""Counts what a URL costs in libcurl, to compare its versions: instructions, and calls of the kernel.

    libcurl_versions.py --build build-bench [--pages N] [--json FILE]
    libcurl_versions.py --from FILE... [--brief] [--json FILE]      (a column for each version)

Measures the libcurl that the programs are linked with, so it is run once on each system. callgrind (Debian: valgrind)
counts what the libcurl floor and stage 3 do, with 10 and with 100 fetches at once. As in where_it_goes.py, each
program fetches a small site and one that has N pages more (1000), and the difference is divided by the URLs that the
larger one has more, so that what a program does only once isn't included. Under callgrind, programs are in slow
motion, so whenever they look, much is ready. Therefore each measurement is also made with a site that lets answers
wait, 10 ms for each fetch at once: one answer every 10 ms, for which even a slow program has time. All of it takes
about three minutes.

Stage 3's calls of libcurl and libcurl's of stage 3 are shown with all that they take; curl_multi_socket_action takes
the callbacks, too. Then come the functions of libcurl with the most instructions. Without debug symbols, only what
libcurl exports has a name. Each of the others is shown by its address, the function with a name that calls it,
directly or through others, and what it calls itself.
"""
from __future__ import annotations

import json
import re
import shutil
import sys
from collections import Counter, defaultdict
from pathlib import Path

from common import PRACTICE_SITE, STAGE3, libcurl_of, parser_of
from where_it_goes import FEW, commands, count, events_of, site

PROGRAMS = ("libcurl floor", "stage 3")
AT_ONCE = (10, 100)
PACES = (0, 10)  # ms that an answer waits, for each fetch at once
SETTINGS = [(at_once, pace) for at_once in AT_ONCE for pace in PACES]
KERNEL = ("poll", "recv", "send", "epoll_ctl", "epoll_wait")
BOTH_WAYS = {"own calls": "its calls of libcurl", "callbacks": "libcurl's calls of it"}
MOST = 5  # functions in the list
RARE = 0.5, 1000  # calls and instructions for a URL: what has less of both isn't shown


def title_of(program: str, at_once: int, pace: int) -> str:
    return f"{program}, {at_once} at once" + (f", an answer every {pace} ms" if pace else "")


def in_libcurl(library: str) -> bool:
    return Path(library).name.startswith("libcurl")


def has_name(function: str) -> bool:
    return not function.startswith(("0x", "???"))


def read_libcurl(path: Path) -> Counter:
    """Numbers by what they count: a tuple, the first word of which is the kind."""
    found = Counter()
    for event in events_of(path):
        ours, theirs = (in_libcurl(library) for library in (event.library, event.called_library))
        if not event.called:
            found["instructions",] += event.instructions
            if ours:
                found["in libcurl",] += event.instructions
                found["function", event.function] += event.instructions
            continue
        if event.called in KERNEL:
            found["kernel", event.called] += event.calls
        if theirs:
            found["called", event.called] += event.calls
        if theirs and not ours and has_name(event.called):
            found["own calls", event.called] += event.calls
            found["own calls take", event.called] += event.instructions
        elif ours and Path(event.called_library).name == Path(STAGE3).name:
            found["callbacks", event.called] += event.calls
            found["callbacks take", event.called] += event.instructions
        if ours:
            found["edge", event.function, event.called] += event.instructions
    return found


def above(function: str, edges: dict[str, Counter]) -> str:
    """The nearest function with a name on the way to this one on which the most instructions were taken."""
    seen = {function}
    while callers := Counter({one: number for one, number in edges[function].items() if one not in seen}):
        function = callers.most_common(1)[0][0]
        if has_name(function):
            return function
        seen.add(function)
    return ""


def figures_of(less: Counter, more: Counter, urls: int) -> dict:
    """What a URL takes. `less`, `more`: what was counted with the smaller and the larger site; `urls`: their
    difference."""
    a_url = {what: (more[what] - less[what]) / urls for what in more}
    callers, callees = defaultdict(Counter), defaultdict(Counter)
    for kind, *names in more:
        if kind == "edge":
            caller, called = names
            callers[called][caller] = callees[caller][called] = more[kind, caller, called]
    own = {names[0]: number for (kind, *names), number in a_url.items() if kind == "function"}
    functions = [{"name": name, "instructions": own[name], "calls": a_url.get(("called", name), 0),
                  "under": "" if has_name(name) else above(name, callers),
                  "calls_of": [one for one, _ in callees[name].most_common() if has_name(one)][:4]}
                 for name in sorted(own, key=own.get, reverse=True)]
    both_ways = {kind: {} for kind in BOTH_WAYS}
    for (kind, *names), number in a_url.items():
        if kind in both_ways and (number >= RARE[0] or a_url[f"{kind} take", *names] >= RARE[1]):
            both_ways[kind][names[0]] = [number, a_url[f"{kind} take", *names]]
    return {"instructions": a_url["instructions",], "in libcurl": a_url.get(("in libcurl",), 0),
            "kernel": {name: a_url.get(("kernel", name), 0) for name in KERNEL},
            **both_ways,
            "functions": functions[:10 * MOST]}


def measure(build: Path, pages: int) -> dict:
    runs = {}
    for at_once, pace in SETTINGS:
        latency = ("--size", "20000", "--latency", str(pace * at_once))
        with site(build, FEW, *latency) as (few, few_urls), site(build, FEW + pages, *latency) as (many, many_urls):
            for name in PROGRAMS:
                less, more = (count(commands(build, url, at_once)[name], urls, read_libcurl)
                              for url, urls in ((few, few_urls), (many, many_urls)))
                runs[title_of(name, at_once, pace)] = figures_of(less, more, len(many_urls) - len(few_urls))
                print(f"counted: {title_of(name, at_once, pace)}", file=sys.stderr)
    version = libcurl_of(build / "tests/bench/multi_bench").removeprefix("libcurl/")
    return {"libcurl": version, "urls": len(many_urls) - len(few_urls), "runs": runs}


def thousands(number: float | None) -> str:
    return "-" if number is None else f"{number / 1000:.1f}"


def calls(number: float | None) -> str:
    return "-" if number is None else f"{number:.2f}"


def short(function: str) -> str:
    """Without its arguments, and where it's from."""
    return re.sub(r"\(anonymous namespace\)::|\w+::(?=\w+::)", "", function).partition("(")[0]


def brief(one: dict) -> dict:
    """Of what was measured, the instructions and calls of poll."""
    runs = {title: {"instructions": round(run["instructions"]), "in libcurl": round(run["in libcurl"]),
                    "kernel": {"poll": round(run["kernel"]["poll"], 3)}} for title, run in one["runs"].items()}
    return {"libcurl": one["libcurl"], "urls": one["urls"], "runs": runs}


def line_of(name: str, cells: list[str]) -> str:
    return f"{name:<44}" + "".join(f"  {cell:>13}" for cell in cells)


def times_and_thousands(pair: list[float] | None) -> str:
    return "-" if pair is None else f"{pair[0]:.1f} {pair[1] / 1000:7.1f}"


def table(told: list[dict]) -> str:
    lines = [line_of("a URL, with libcurl", [one["libcurl"] for one in told])]
    for at_once, pace in SETTINGS:
        for name in PROGRAMS:
            title = title_of(name, at_once, pace)
            runs = [one["runs"][title] for one in told]
            if any("functions" in run for run in runs) or name == PROGRAMS[0]:
                lines.append("")
            lines += [title,
                      line_of("  thousand instructions", [thousands(run["instructions"]) for run in runs]),
                      line_of("  of these, in libcurl itself", [thousands(run["in libcurl"]) for run in runs])]
            lines += [line_of(f"  calls of {call}", [calls(run["kernel"].get(call)) for run in runs])
                      for call in KERNEL if any(run["kernel"].get(call, 0) >= 0.005 for run in runs)]
            if (name, at_once, pace) != (PROGRAMS[-1], AT_ONCE[-1], PACES[-1]):
                continue  # the others are much the same, however many there are at once
            for kind, heading in BOTH_WAYS.items():
                if not any(kind in run for run in runs):
                    continue  # they are brief
                lines.append(f"  {heading}, and thousand instructions:")
                taken, of_runs = Counter(), [run.get(kind, {}) for run in runs]
                for one in of_runs:
                    for call, (_, instructions) in one.items():
                        taken[call] = max(taken[call], instructions)
                lines += [line_of(f"    {short(call)}", [times_and_thousands(one.get(call)) for one in of_runs])
                          for call, _ in taken.most_common()]
    return "\n".join([*lines, *(
        line for name in PROGRAMS for one in told for line in functions_of(one, name))])


def functions_of(one: dict, program: str) -> list[str]:
    """The list of a version's functions, in the order of the most at once; nothing if its figures are brief."""
    few, many = (one["runs"][title_of(program, at_once, PACES[-1])].get("functions") for at_once in AT_ONCE)
    if few is None or many is None:
        return []
    before = {function["name"]: function["instructions"] for function in few}
    lines = ["", f"{program} with libcurl {one['libcurl']}, an answer every {PACES[-1]} ms:",
             f"  {'thousand instructions':<24}  {AT_ONCE[0]:>5}  {AT_ONCE[1]:>5} at once; calls"]
    for function in many[:MOST]:
        about = [f"under {function['under']}"] * bool(function["under"])
        about += [f"calls {', '.join(map(short, function['calls_of']))}"] * bool(function["calls_of"])
        name = function["name"] if has_name(function["name"]) else f"{int(function['name'], 16):#x}"
        lines.append(f"  {name:<24}{thousands(before.get(function['name'])):>7}"
                     f"{thousands(function['instructions']):>7}{function['calls']:>8.1f}  {'; '.join(about)}".rstrip())
    return lines


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--build", type=Path, help="the build directory, of --buildtype=release")
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what is shown there")
    parser.add_argument("--brief", action="store_true", help="only instructions, and calls of poll")
    parser.add_argument("--from", type=Path, metavar="FILE", nargs="+", dest="sources", default=[],
                        help="show what was counted earlier, and compare it")
    options = parser.parse_args()
    told = [one for source in options.sources for one in json.loads(source.read_text(encoding="utf-8"))["versions"]]
    if options.build:
        if not shutil.which("valgrind"):
            sys.exit("there is no valgrind: install it (Debian's package has the same name)")
        build = options.build.resolve()
        programs = [build / PRACTICE_SITE, *(commands(build, "")[name][0] for name in PROGRAMS)]
        if missing := [str(path) for path in programs if not path.exists()]:
            sys.exit(f"there is no {missing[0]}: set {build} up with --buildtype=release, and build it")
        told.append(measure(build, options.pages))
    if not told:
        parser.error("name the build directory, of --buildtype=release, or files: --build build-bench")
    if options.brief:
        told = list(map(brief, told))
    if options.json:
        options.json.write_text(json.dumps({"versions": told}, indent=1) + "\n", encoding="utf-8")
    print(table(told))


if __name__ == "__main__":
    main()
