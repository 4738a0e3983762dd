#!/usr/bin/env python3
"""Says which room includes one that it must not know, which headers include each other, and
which header relies on others for what it uses.

    tests/lint/arrows.py [ROOT]

A room is a folder. KNOWS lists for each room the others that it may include; a room that isn't
listed may include nothing of ours. A header has what it uses of GIVES, itself or from headers of
ours: clang-tidy, which has these precompiled (see tidy.py), wouldn't notice if it didn't. Exit status: 0,
nothing found; 1, something found.
"""
from __future__ import annotations

import re
import sys
from pathlib import Path

RUNTIME = "stage3_queue_crawler/runtime"
COMMON = ["common/text", "common/web", "common/system", "common/trace"]
SIMPLE = [*COMMON, "common/command_line", "common/simple_crawl"]
WHOLE_RUNTIME = [f"{RUNTIME}/{room}" for room in ["loop", "task", "sync", "executor", "net"]]
KNOWS = {
    "common/text": [],
    "common/web": ["common/text"],
    "common/system": ["common/text"],
    "common/trace": ["common/system"],
    "common/command_line": ["common/text", "common/system"],
    "common/simple_crawl": SIMPLE,
    "common/small": ["common/web", "common/system"],
    "stage1_callbacks": SIMPLE,
    "stage1_callbacks/small": ["common/web", "common/system", "common/small"],
    "stage2_coroutines": SIMPLE,
    "stage2_coroutines/small": ["common/web", "common/system", "common/trace",
                                "common/command_line", "common/small"],
    "stage3_queue_crawler/small": ["common/web", "common/system", "common/text",
                                   "common/command_line", "common/small"],
    f"{RUNTIME}/loop": ["common/system", "common/trace"],
    f"{RUNTIME}/task": ["common/trace", f"{RUNTIME}/loop"],
    f"{RUNTIME}/sync": [f"{RUNTIME}/loop", f"{RUNTIME}/task"],
    f"{RUNTIME}/executor": ["common/system", f"{RUNTIME}/loop", f"{RUNTIME}/task"],
    f"{RUNTIME}/net": ["common/system", f"{RUNTIME}/loop", f"{RUNTIME}/task", f"{RUNTIME}/sync"],
    "stage3_queue_crawler/http": [*COMMON, *WHOLE_RUNTIME],
    "stage3_queue_crawler/redis": [*COMMON, *WHOLE_RUNTIME],
    "stage3_queue_crawler/crawler": [*COMMON, *WHOLE_RUNTIME, "stage3_queue_crawler/http"],
    "stage3_queue_crawler/shared_frontier": [*COMMON, *WHOLE_RUNTIME, "stage3_queue_crawler/http",
                                             "stage3_queue_crawler/crawler",
                                             "stage3_queue_crawler/redis"],
    "stage3_queue_crawler/state": ["common/system", "common/web", *WHOLE_RUNTIME, "stage3_queue_crawler/crawler"],
    "stage3_queue_crawler/program/formats": ["common/text", "common/web", "stage3_queue_crawler/crawler"],
    "stage3_queue_crawler/program": [*COMMON, "common/command_line", *WHOLE_RUNTIME,
                                     "stage3_queue_crawler/http", "stage3_queue_crawler/crawler",
                                     "stage3_queue_crawler/redis",
                                     "stage3_queue_crawler/shared_frontier",
                                     "stage3_queue_crawler/state",
                                     "stage3_queue_crawler/program/formats"],
    # The small programs of the pages.
    "stage3_queue_crawler/tours": [*COMMON, *WHOLE_RUNTIME, "stage3_queue_crawler/redis",
                                   "stage3_queue_crawler/crawler"],
}
FLOORS = ["common", "stage1_callbacks", "stage2_coroutines", "stage3_queue_crawler"]
INCLUDE = re.compile(r'\s*#\s*include\s*"([^"]+)"')
SYSTEM_INCLUDE = re.compile(r"^\s*#\s*include\s*<([^>]+)>", re.M)
GIVES = {
    "array": r"std::array\b",
    "atomic": r"std::atomic\b",
    "concepts": r"std::(convertible_to|derived_from|invocable|same_as)\b",
    "condition_variable": r"std::condition_variable\b",
    "cstddef": r"std::(byte|max_align_t|ptrdiff_t|size_t)\b",
    "cstdint": r"std::u?int(8|16|32|64)_t\b",
    "deque": r"std::deque\b",
    "exception": r"std::(current_exception|exception|exception_ptr|rethrow_exception|terminate)\b",
    "limits": r"std::numeric_limits\b",
    "list": r"std::list\b",
    "set": r"std::set\b",
    "source_location": r"std::source_location\b",
    "span": r"std::span\b",
    "stdexcept": r"std::(invalid_argument|logic_error|out_of_range|runtime_error)\b",
    "string_view": r"std::string_view\b",
    "system_error": r"std::(errc|error_code|generic_category|make_error_code|system_error)\b",
    "tuple": r"std::tuple\b",
    "type_traits": r"std::(is_\w+_v|conditional_t|decay_t|remove_cvref_t)\b",
    "unordered_set": r"std::unordered_set\b",
    "utility": r"std::(declval|exchange|forward|in_place|move|pair|swap)\b",
    "variant": r"std::(monostate|variant|visit)\b",
    "algorithm": r"std::(ranges::)?(any_of|all_of|count|find|find_if|reverse|sort|min|max)\b",
    "chrono": r"std::chrono::",
    "coroutine": r"std::(coroutine_handle|suspend_\w+|noop_coroutine)\b",
    "doctest/doctest.h": r"\b(CAPTURE|CHECK|MESSAGE|REQUIRE|SUBCASE|TEST_CASE)\w*\(",
    "filesystem": r"std::filesystem\b",
    "fmt/core.h": r"\bfmt::(print|format_to_n|format_string)\b",
    "fstream": r"std::[io]?fstream\b",
    "functional": r"std::function\b",
    "map": r"std::map\b",
    "memory": r"std::(enable_shared_from_this|(make_)?(unique|shared)(_ptr)?|weak_ptr)\b",
    "mutex": r"std::(mutex|lock_guard|unique_lock|scoped_lock)\b",
    "optional": r"std::(optional|nullopt)\b",
    "random": r"std::(mt19937|uniform_)\w*",
    "sstream": r"std::[io]?stringstream\b",
    "string": r"std::(string|to_string)\b",
    "thread": r"std::(jthread|this_thread|thread)\b",
    "unordered_map": r"std::unordered_map\b",
    "vector": r"std::vector\b",
}


def includes_of(path: Path) -> list[tuple[int, str]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [(number, found[1]) for number, line in enumerate(lines, 1)
            if (found := INCLUDE.match(line))]


def wrong_arrows(root: Path) -> list[str]:
    problems = []
    for floor in FLOORS:
        for path in sorted((root / floor).rglob("*")):
            if path.suffix not in (".h", ".cpp") or not path.is_file():
                continue
            name = path.relative_to(root).as_posix()
            room = path.parent.relative_to(root).as_posix()
            for number, included in includes_of(path):
                other = included.rpartition("/")[0]
                if not (root / included).is_file():
                    problems.append(f"{name}:{number}: includes {included}, which isn't there: "
                                    "every include names its room")
                elif other != room and other not in KNOWS.get(room, []):
                    problems.append(f"{name}:{number}: {room} must not know {other}: "
                                    "see KNOWS in tests/lint/arrows.py")
    return problems


def circles(root: Path) -> list[str]:
    """Headers that include themselves, by way of others."""
    known: dict[str, list[str]] = {}
    problems, done = [], set()

    def visit(name: str, way: list[str]) -> None:
        if name in way:
            problems.append("a circle: " + " -> ".join([*way[way.index(name):], name]))
        if name in way or name in done:
            return
        if name not in known:
            known[name] = [other for _, other in includes_of(root / name)
                           if (root / other).is_file()]
        for other in known[name]:
            visit(other, [*way, name])
        done.add(name)

    for floor in FLOORS:
        for path in sorted((root / floor).rglob("*.h")):
            visit(path.relative_to(root).as_posix(), [])
    return problems


def lacking(root: Path) -> list[str]:
    """Headers that use what they don't include."""
    def reached(name: str, found: set[str]) -> set[str]:
        if name not in found and (root / name).is_file():
            found.add(name)
            for _, other in includes_of(root / name):
                reached(other, found)
        return found

    problems = []
    for floor in [*FLOORS, "tests"]:
        for path in sorted((root / floor).rglob("*.h")):
            name = path.relative_to(root).as_posix()
            if name.startswith(("tests/lint/cases/", "tests/exercises/")):
                continue
            code = re.sub(r"//.*", "", path.read_text(encoding="utf-8"))
            texts = [(root / one).read_text(encoding="utf-8") for one in reached(name, set())]
            has = {header for text in texts for header in SYSTEM_INCLUDE.findall(text)}
            problems += [f"{name}: uses {use[0]}, and doesn't include <{header}>"
                         for header, pattern in GIVES.items()
                         if header not in has and (use := re.search(pattern, code))]
    return problems


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    problems = wrong_arrows(root) + circles(root) + lacking(root)
    print("\n".join(problems) or "each room knows only those that it may")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
