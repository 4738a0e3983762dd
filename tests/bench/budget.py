#!/usr/bin/env python3
"""Counts the instructions that a page costs stage 3, by part, and holds them against a budget.

    tests/bench/budget.py BUILD             print them, beside budget.txt
    tests/bench/budget.py BUILD --check     fail if the whole is more than 3 % over
    tests/bench/budget.py BUILD --write WHY write budget.txt anew; WHY is the subject of the commit
    tests/bench/budget.py BUILD --features  what a page costs with other options

    --site BUILD    the practice site is that of another build

BUILD is a release build; valgrind must be installed. Pages are counted as in where_it_goes.py: a
site with 1,200 pages, less one with 200, so that what happens only once doesn't count.

A part is what its functions do, and what the libraries do for them: a function's memcpy and malloc
are the function's. libcurl's are libcurl's. The C library has its functions several times, for
different processors, so which ones it takes is fixed here. Even so, answers don't arrive the same
way twice, and a page takes one percent more or less: what is over the budget is counted twice more,
and the least counts. Other compilers and other versions of libcurl make other numbers, so --check
judges only what Debian 12 makes (g++ 12, libcurl 7.88.1, x86-64), and elsewhere prints.
"""
from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from common import PRACTICE_SITE, STAGE3, run
from where_it_goes import events_of, site

BUDGET = Path(__file__).with_name("budget.txt")
FEW, MORE = 200, 1000  # pages
ALLOWED = 1.03
# The variants of memcpy and so on that count each byte of `rep movsb` would make long copies seem dear.
LIBC = "glibc.cpu.hwcaps=-ERMS,-FSRM,-AVX512F,-AVX512VL,-AVX512BW"

# What a function of ours belongs to: the first row that fits its name, without its arguments. In other libraries than
# libcurl, it belongs to whoever calls it; and so do templates of the standard library.
PARTS = [
    ("", r"std::|fmt::|__gnu_cxx::|CLI::|stage3::c_(malloc|calloc|realloc|free|strdup)$"),
    ("URLs", r"common::(Url|SharedText|resolve_url|parse_|malformed_url|without_www|percent|hash|sort_references"
             r"|LinkSorter|operator)|stage3::(Scope|Traps|shape_of|PageJudge::is_trap)"),
    ("loop and tasks", r"common::(Selector|Descriptor)|stage3::(EventLoop|Timers|Handle|Task|Future|Coroutine|Promise"
                       r"|Frame|Queue::|Event::|[Ww]ait|Loop|Mailbox|running_loop|await_child|current_task|Callback)"),
    ("reading", r"common::|stage3::PageReader"),
    ("session", r"stage3::(Session|Transfer|Response|ContentDecoder|Request|make_easy|set|append|Proxies|FetchError"
                r"|PageFetch|GetOptions|Retry|Cookie|TracedFetch)"),
    ("records", r"stage3::(Record|Report|text_report|to_text|Output|Progress|Counts|MentionFinder|split|name_of|describe"
                r"|Summary|Console|Page(Response|Request)?::)"),
    ("frontier", r"stage3::"),
]
NAMES = ["libcurl", *(name for name, _ in PARTS if name), "the rest"]


Function = tuple[str, str]  # its library, and its name


class Profile(NamedTuple):
    """What callgrind has counted. `calls`: (caller, called) → instructions, with all that it calls."""
    own: Counter
    calls: Counter


def read_profile(path: Path) -> Profile:
    own, calls = Counter(), Counter()
    for event in events_of(path):
        function = Path(event.library).name, event.function
        called = Path(event.called_library).name, event.called
        if not event.called:
            own[function] += event.instructions
        elif called != function:  # a recursion is part of what called it first
            calls[function, called] += event.instructions
    return Profile(own, calls)


def bare(name: str) -> str:
    """"void f<T>::g(int)" → "f::g", and so "_ZN1f1gEi", which valgrind leaves as it is if it's too long."""
    if name.startswith("_ZN"):
        parts, rest = [], name[3:].lstrip("K")
        while match := re.match(r"\d+", rest):
            end = match.end() + int(match[0])
            parts.append(rest[match.end():end])
            rest = rest[end:]
        return "::".join(parts)
    name = re.sub(r"\(anonymous namespace\)::", "", name)
    while (shorter := re.sub(r"<[^<>]*>", "", name)) != name:
        name = shorter
    return name.partition("(")[0].rpartition(" ")[2]


def part_of(function: Function) -> str:
    """Empty: it belongs to whoever calls it."""
    library, name = function
    if library.startswith("libcurl"):
        return "libcurl"
    if not re.fullmatch(r"stage\d", library):
        return ""
    return next((part for part, pattern in PARTS if re.match(pattern, bare(name))), "the rest")


def by_part(profile: Profile) -> Counter:
    """Instructions of each part, with those of the libraries that it calls. A library may call back: what it does
    itself is shared among its callers as all that it takes is."""
    parts = {function: part_of(function) for pair in profile.calls for function in pair}
    parts.update({function: part_of(function) for function in profile.own})
    helpers = {function for function, part in parts.items() if not part}
    taken = Counter({function: profile.own[function] for function in helpers})
    for (caller, _), number in profile.calls.items():
        if caller in helpers:
            taken[caller] += number
    itself = {function: 1.0 for function in helpers}  # of what it takes, with the libraries that it calls
    for _ in range(30):
        own = Counter({function: float(profile.own[function]) for function in helpers})
        for (caller, called), number in profile.calls.items():
            if caller in helpers and called in helpers:
                own[caller] += number * itself[called]
        itself = {function: min(1.0, own[function] / taken[function]) if taken[function] else 0 for function in helpers}
    found = Counter({name: 0 for name in NAMES})
    for function, number in profile.own.items():
        if parts[function]:
            found[parts[function]] += number
    for (caller, called), number in profile.calls.items():
        if parts[caller] and called in helpers:
            found[parts[caller]] += number * itself[called]
    found["the rest"] += sum(profile.own.values()) - sum(found.values())
    return found


class Builds(NamedTuple):
    crawler: Path
    site: Path


def count(builds: Builds, pages: int, options: list[str]) -> Counter:
    with tempfile.TemporaryDirectory() as folder, site(builds.site, pages) as (url, _):
        out = Path(folder) / "callgrind.out"
        run(["valgrind", "--tool=callgrind", "--compress-strings=no", "--compress-pos=no",
             f"--callgrind-out-file={out}", builds.crawler / STAGE3, "-q", "--no-config", "--parse-threads", "0", *options,
             "-o", os.devnull, url], env={**os.environ, "GLIBC_TUNABLES": LIBC})
        return by_part(read_profile(out))


def per_page(builds: Builds, options: list[str]) -> dict[str, float]:
    few, many = count(builds, FEW, options), count(builds, FEW + MORE, options)
    return {name: (many[name] - few[name]) / MORE for name in NAMES}


def whole(parts: dict[str, float]) -> float:
    return sum(parts.values())


def read_budget(text: str) -> dict[str, float]:
    """Raises ValueError if a part is missing or unknown."""
    budget = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, number = re.split(r" {2,}", line)[:2]
            budget[name] = float(number.replace(",", ""))
    if list(budget) != NAMES:
        raise ValueError(f"{BUDGET.name} has other parts than budget.py: write it anew")
    return budget


def budget_text(parts: dict[str, float], why: str, old: str) -> str:
    """The subject of the commit stands beside the numbers that it has changed by more than noise."""
    lines = ["# Instructions of a page of 20 kB with 30 links, in a release build by g++ 12 on Debian 12, and the",
             "# commit that has changed them: tests/bench/budget.py"]
    known = dict(re.findall(r"^(\w[\w ]*?) {2,}([\d,]+ {2,}.*)$", old, re.MULTILINE))
    for name, number in parts.items():
        before, _, reason = known.get(name, "0  ").partition("  ")
        is_same = abs(number - float(before.replace(",", ""))) <= 0.03 * number
        lines.append(f"{name:16}  {before if is_same else f'{number:,.0f}':>8}  {reason.strip() if is_same else why}".rstrip())
    return "\n".join(lines) + "\n"


def table(parts: dict[str, float], budget: dict[str, float]) -> str:
    rows = [*parts.items(), ("in all", whole(parts))]
    allowed = {**budget, "in all": whole(budget)}
    return "\n".join([f"{'':16} {'a page':>9} {'budget':>9}",
                      *(f"{name:16} {number:9,.0f} {allowed[name]:9,.0f}" + (f"  {number / allowed[name] - 1:+.1%}" if allowed[name] else "")
                        for name, number in rows)])


def libcurl() -> str:
    """Its version."""
    return subprocess.run(["pkg-config", "--modversion", "libcurl"], capture_output=True, encoding="utf-8").stdout.strip()


def is_judged(crawler: Path) -> bool:
    """Is it a build whose instructions the budget is about?"""
    introduced = crawler / "meson-info" / "intro-buildoptions.json"
    options = {one["name"]: one["value"] for one in json.loads(introduced.read_text(encoding="utf-8"))}
    comment = subprocess.run(["readelf", "-p", ".comment", crawler / STAGE3], capture_output=True, encoding="utf-8").stdout
    compilers = set(re.findall(r"GCC: \(.*?\) (\d+)|(clang)", comment))
    return (options["buildtype"] == "release" and compilers == {("12", "")} and platform.machine() == "x86_64"
            and libcurl() == "7.88.1")


def judge(builds: Builds) -> int:
    budget = read_budget(BUDGET.read_text(encoding="utf-8"))
    parts = per_page(builds, [])
    for _ in range(2):
        if whole(parts) > ALLOWED * whole(budget):
            parts = min(parts, per_page(builds, []), key=whole)
    print(table(parts, budget))
    if whole(parts) < 0.5 * whole(budget):
        print("A page can't have become so cheap: what was counted isn't a whole crawl.")
        return 1
    if whole(parts) <= ALLOWED * whole(budget):
        return 0
    print(f"A page costs {whole(parts) / whole(budget) - 1:.1%} more than its budget. Make it cheaper; or if it's worth "
          "that, say so in the commit, with tests/bench/budget.py BUILD --write 'SUBJECT'.")
    return 1 if is_judged(builds.crawler) else 0


FEATURES = {"text": [], "jsonl": ["--format", "jsonl"], "no assets": ["--no-assets"],
            "fragments": ["--fragments"], "places": ["--places"], "why-slow": ["--why-slow"]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path, metavar="BUILD")
    parser.add_argument("--site", type=Path, metavar="BUILD")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--check", action="store_true")
    how.add_argument("--write", metavar="WHY")
    how.add_argument("--features", action="store_true")
    options = parser.parse_args()
    if not shutil.which("valgrind"):
        sys.exit("there is no valgrind: install it (Debian's package has the same name)")
    builds = Builds(options.build, options.site or options.build)
    if missing := [path for path in (builds.crawler / STAGE3, builds.site / PRACTICE_SITE) if not path.exists()]:
        sys.exit(f"there is no {missing[0]}: set {options.build} up with --buildtype=release, and build it")
    if options.features:
        for name, words in FEATURES.items():
            cost = whole(per_page(builds, words))
            plain = cost if name == "text" else plain
            print(f"{name:12} {cost:9,.0f}  {cost / plain - 1:+.1%}", flush=True)
        return 0
    if options.check:
        return judge(builds)
    old = BUDGET.read_text(encoding="utf-8") if BUDGET.exists() else ""
    parts = per_page(builds, [])
    if options.write:
        BUDGET.write_text(budget_text(parts, options.write, old), encoding="utf-8")
        old = BUDGET.read_text(encoding="utf-8")
    print(table(parts, read_budget(old)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
