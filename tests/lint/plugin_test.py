#!/usr/bin/env python3
"""Proves what clang-tidy's plugin does: with own_code.cpp, all is found in our code that is found
without, also with the system's headers precompiled (see tidy.py); and coroutine_forms.cpp and
lent_temporaries.cpp find what they should, and nothing else.

    plugin_test.py PLUGIN [CLANG-TIDY]

The files in cases/ mark each line that must be found with `// bad: FORM`.
"""
from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
import tidy  # noqa: E402

CASES = Path(__file__).resolve().parent / "cases"
CONFIG = CASES.parents[2] / ".clang-tidy"
HEADER = """\
#pragma once
#include <string>
template <class T> T* nothing() { return 0; }
struct Shallow {
    explicit Shallow(int n) : data(new int[n]) {}
    ~Shallow() { delete[] data; }
    int* data;
};
inline bool is_empty(const std::string& text) { return text.size() == 0; }
"""
SOURCE = """\
#include "bad.h"
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>
using std::map;
#define TWICE(x) x + x
int exported() { return TWICE(2); }
static std::string use(std::string text) {
    std::string other = std::move(text);
    return text + other;
}
static std::size_t count(std::vector<std::string> words) {
    std::size_t sum = 0;
    for (const auto word : words) sum += word.size();
    return sum;
}
static int follow(bool is_there, const int* there) {
    const int* p = nullptr;
    if (is_there) p = there;
    return *p;
}
class Thing {
  public:
    ~Thing() { throw std::runtime_error("no"); }
    const std::string& name() const { return name_of_it; }
  private:
    std::string name_of_it;
};
int main(int argc, char**) {
    int unused;
    Thing thing;
    const std::string_view gone = std::string("gone");
    std::vector<int> numbers;
    for (std::size_t i = 0; i < 3; i++) numbers.push_back(nothing<int>() == 0 ? 1 : static_cast<int>(gone.size()));
    return static_cast<int>(count({use("a"), thing.name()})) + follow(argc > 1, numbers.data()) + Shallow(3).data[0];
}
"""
EXPECTED = """
    bugprone-dangling-handle bugprone-exception-escape bugprone-macro-parentheses bugprone-use-after-move
    clang-analyzer-core.NullDereference clang-diagnostic-unused-variable
    cppcoreguidelines-special-member-functions misc-const-correctness misc-unused-using-decls
    misc-use-internal-linkage modernize-use-nullptr performance-for-range-copy
    performance-unnecessary-value-param readability-container-size-empty
""".split()


class OwnCode(unittest.TestCase):
    def findings(self, *options, precompiled=False):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in [("bad.h", HEADER), ("bad.cpp", SOURCE)]:
                Path(folder, name).write_text(text)
            more = []
            if precompiled:
                headers = frozenset(re.findall(r"^#include <(.*)>", SOURCE, re.M))
                made = tidy.precompile(Path(folder), 0, headers, ["clang++-19", "-std=c++20", "-Wall"])
                more = ["-Xclang", "-include-pch", "-Xclang", str(made)]
            run = subprocess.run(
                [TIDY, *options, f"--config-file={CONFIG}", "--header-filter=.*", f"{folder}/bad.cpp",
                 "--", "-std=c++20", "-Wall", *more], stdout=subprocess.PIPE, text=True, stderr=subprocess.DEVNULL)
        self.assertNotEqual(run.returncode, 0)
        return set(re.findall(r"^\S+/(bad\.\w+:\d+:\d+: error: .*)$", run.stdout, re.M))

    def test_the_plugin_leaves_the_findings_unchanged(self):
        found = self.findings(f"--load={PLUGIN}")
        self.assertEqual(found, self.findings())
        self.assertEqual(found, self.findings(f"--load={PLUGIN}", precompiled=True))
        for check in EXPECTED:
            self.assertIn(check, " ".join(found))


class Sets(unittest.TestCase):
    """Which headers are precompiled for which file."""

    def test_a_file_gets_no_header_that_it_does_not_include(self):
        with tempfile.TemporaryDirectory() as folder:
            ours, source = Path(folder, "ours.h"), Path(folder, "source.cpp")
            ours.write_text("#include <memory>\n#include <cstdio>\n")
            source.write_text('#include "ours.h"\n#include <string>\n// #include <map>\n')
            needs = tidy.heavy_headers(source)
        self.assertEqual(needs, {"memory", "string"})
        sets = [frozenset({"string"}), frozenset({"map", "memory", "string"})]
        self.assertEqual(tidy.best(sets, needs), {"string"})
        self.assertEqual(tidy.best(sets, frozenset({"map"})), frozenset())

    def test_the_set_of_headers_that_saves_most_is_chosen(self):
        many, few = frozenset({"map", "string"}), frozenset({"map", "random", "string"})
        self.assertEqual(tidy.choose_sets([many] * 9 + [few] * 9), [many, few])
        self.assertEqual(tidy.choose_sets([many] * 9 + [few]), [many])
        self.assertEqual(tidy.choose_sets([many]), [])


class Forms(unittest.TestCase):
    """Each line that is marked is found by a check of the plugin, and no other."""
    maxDiff = None

    FORMS = [  # a check, the file that it reads, and the one with the marks
        ("coroutine-forms", "conditions.cpp", "conditions.cpp"),
        ("coroutine-forms", "temporaries.cpp", "temporaries.cpp"),
        ("coroutine-forms", "header_user.cpp", "in_header.h"),  # also in a template that is used
        ("coroutine-forms", "fine.cpp", "fine.cpp"),
        ("lent-temporaries", "lent.cpp", "lent.cpp"),
    ]

    def test_the_marked_lines_are_found(self):
        for check, source, marked_in in self.FORMS:
            with self.subTest(source):
                marks = [(marked_in, number, form)
                         for number, line in enumerate((CASES / marked_in).read_text().splitlines(), 1)
                         for form in re.findall(r"// bad: (\w+)", line)]
                self.assertEqual(bool(marks), source != "fine.cpp")
                run = subprocess.run(
                    [TIDY, f"--load={PLUGIN}", f"--config-file={CONFIG}", f"--checks=-*,{check}", str(CASES / source),
                     "--", "-std=c++20", f"-isystem{CASES}/system"], capture_output=True, text=True)
                found = re.findall(rf"^\S+/(\w+\.\w+):(\d+):\d+: error: (?:(\w+): )?\S.* \[{check},",
                                   run.stdout, re.M)
                self.assertEqual([(name, int(line), form or "lent") for name, line, form in found], marks,
                                 run.stdout + run.stderr)
                self.assertEqual(run.returncode != 0, bool(marks))


if __name__ == "__main__":
    PLUGIN, TIDY = [*sys.argv[1:], "clang-tidy-19"][:2]
    unittest.main(argv=sys.argv[:1])
