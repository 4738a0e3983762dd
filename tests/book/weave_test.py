#!/usr/bin/env python3
"""Tests of book/weave.py: small books in temporary folders, made clean and then spoiled.

The last class spoils every single character that weave answers for, one at a time. Run it
with `python3 tests/book/weave_test.py`; it takes a few seconds.
"""
import contextlib
import io
import re
import stat
import subprocess
import sys
import tempfile
import textwrap
import unittest
import unittest.mock
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "book"))
import weave  # noqa: E402

HEADER = """\
// What a queue is.
namespace common {
// [queue]
struct Queue {
    // [put]
    void put(int item) {
        items.push_back(item);
    }
    // [/put]
    std::vector<int> items;
};
// [/queue]
} // namespace common
"""

PAGE = """\
# A queue

<!-- code: common/queue.h#queue -->
<!-- /code -->

See [how to put](#to-put), [the next page](02-next.md#one-more) and ![it](figures/queue.svg).

## To put

<!-- code: common/queue.h#put -->
<!-- /code -->

## Check your understanding

<details>Because.</details>
<details>It would not.</details>
"""

NEXT = """\
# Next

## One more

<!-- sketch: the standard's own words -->
```cpp
int main();
```

## Check your understanding

<details>Yes.</details>
<details>No.</details>
"""


class Book(unittest.TestCase):
    """Each test starts from an empty folder; `write` fills it, `weave` runs on it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        (self.root / "book").mkdir()

    def write(self, path, text, program=False):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
        if program:
            file.chmod(file.stat().st_mode | stat.S_IXUSR)

    def read(self, path):
        return (self.root / path).read_bytes().decode()

    def replace(self, path, old, new):
        text = self.read(path)
        self.assertEqual(text.count(old), 1, f"{old!r} in {path}")
        self.write(path, text.replace(old, new))

    def weave(self, *arguments):
        """Runs weave; returns its exit status and what it printed."""
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            status = weave.main(list(arguments), self.root)
        return status, printed.getvalue()

    def clean_book(self):
        self.write("common/queue.h", HEADER)
        self.write("book/figures/queue.svg", "<svg/>")
        self.write("book/01-queue.md", PAGE)
        self.write("book/02-next.md", NEXT)
        self.assertEqual(self.weave()[0], 0)

    def page(self, text, name="00-page.md"):
        """Writes a page that needs no questions at its end."""
        self.write(f"book/{name}", textwrap.dedent(text))

    def woven(self, text):
        """What weave makes of a page."""
        self.page(text)
        status, printed = self.weave()
        self.assertEqual(status, 0, printed)
        return self.read("book/00-page.md")

    def assert_clean(self, *arguments, summary=None):
        status, printed = self.weave("--check", *arguments)
        self.assertEqual(status, 0, printed)
        if summary:
            self.assertEqual(printed, f"{summary}, 0 lines left out, 0 long pages, 0 long listings\n")

    def assert_problem(self, place, text, *arguments):
        """--check must fail, and say this of this place."""
        status, printed = self.weave("--check", *arguments)
        self.assertEqual(status, 1, f"this was not noticed: {text}\n{printed}")
        found = [line for line in printed.splitlines()
                 if line.startswith(f"{place}: ") and text in line]
        self.assertTrue(found, f"no '{place}: … {text}' in:\n{printed}")

    def assert_only_problem(self, place, text, *arguments):
        self.assert_problem(place, text, *arguments)
        lines = self.weave("--check", *arguments)[1].splitlines()
        self.assertEqual(sum(not line.startswith(" ") for line in lines), 1, lines)


class Weaving(Book):
    def test_an_empty_book_is_clean_whatever_regions_there_are(self):
        self.write("common/queue.h", HEADER)
        self.assert_clean(summary="0 pages, 0 listings, 0 outputs, 0 links, 0 sketches")

    def test_a_woven_book_is_clean(self):
        self.clean_book()
        self.assert_clean(summary="2 pages, 2 listings, 0 outputs, 3 links, 1 sketches")

    def test_a_listing_is_the_region_and_a_link_to_its_lines(self):
        self.clean_book()
        self.assertIn(textwrap.dedent("""\
            <!-- code: common/queue.h#queue -->
            ```cpp
            struct Queue {
                void put(int item) {
                    items.push_back(item);
                }
                std::vector<int> items;
            };
            ```
            <sub>[common/queue.h, lines 4–11](../common/queue.h#L4-L11)</sub>
            <!-- /code -->
            """), self.read("book/01-queue.md"))

    def test_common_indentation_is_removed(self):
        self.clean_book()
        self.assertIn("```cpp\nvoid put(int item) {\n    items.push_back(item);\n}\n```\n",
                      self.read("book/01-queue.md"))

    def test_weaving_twice_changes_nothing(self):
        self.write("common/queue.h", HEADER)
        self.write("book/figures/queue.svg", "<svg/>")
        self.write("book/01-queue.md", PAGE)
        self.write("book/02-next.md", NEXT)
        self.assertIn("wrote book/01-queue.md\n", self.weave()[1])
        before = self.read("book/01-queue.md")
        self.assertNotIn("wrote", self.weave()[1])
        self.assertEqual(self.read("book/01-queue.md"), before)

    def test_check_writes_nothing_and_weaving_mends_what_it_found(self):
        self.clean_book()
        self.replace("common/queue.h", "items.push_back", "items.push_front")
        before = self.read("book/01-queue.md")
        self.assert_problem("book/01-queue.md:3", "stale listing of common/queue.h#queue; run "
                            "book/weave.py")
        self.assert_problem("book/01-queue.md:19", "stale listing of common/queue.h#put")
        self.assertIn("\n    +        items.push_front(item);\n", self.weave("--check")[1])
        self.assertEqual(self.read("book/01-queue.md"), before)
        self.weave()
        self.assert_clean()
        self.assertIn("items.push_front", self.read("book/01-queue.md"))

    def test_regions_may_overlap(self):
        self.write("common/a.h", "// [x]\nint a;\n// [y]\nint b;\n// [/x]\nint c;\n// [/y]\n")
        page = self.woven("""\
            <!-- code: common/a.h#x -->
            <!-- /code -->
            <!-- code: common/a.h#y -->
            <!-- /code -->
            """)
        self.assertIn("```cpp\nint a;\nint b;\n```", page)
        self.assertIn("```cpp\nint b;\nint c;\n```", page)

    def test_other_languages_and_whole_files(self):
        self.write("tests/tool.py", "# [py]\nprint(1)\n# [/py]\n")
        self.write("common/meson.build", "# [m]\nproject('x')\n# [/m]\n")
        self.write("learn", "#!/bin/sh\n# [sh]\necho hello\n# [/sh]\n")
        self.write("common/a.lua", "-- [l]\nlocal a = 1\nlocal b = 2\n-- [/l]\n")
        page = self.woven("""\
            <!-- code: common/a.lua#l without="b" -->
            <!-- /code -->
            <!-- code: tests/tool.py#py -->
            <!-- /code -->
            <!-- code: common/meson.build#m -->
            <!-- /code -->
            <!-- code: learn -->
            <!-- /code -->
            <!-- code: learn#sh -->
            <!-- /code -->
            """)
        self.assertIn("```python\nprint(1)\n```\n", page)
        self.assertIn("```meson\nproject('x')\n```\n", page)
        self.assertIn("```lua\nlocal a = 1\n-- …\n```\n", page)
        self.assertIn("```sh\n#!/bin/sh\necho hello\n```\n<sub>[learn](../learn)</sub>", page)
        self.assertIn("```sh\necho hello\n```\n<sub>[learn, line 3](../learn#L3-L3)</sub>", page)

    def test_readme_has_links_from_the_root(self):
        self.clean_book()
        self.write("README.md", "<!-- code: common/queue.h#put -->\n<!-- /code -->\n")
        self.weave()
        self.assertIn("(common/queue.h#L6-L8)", self.read("README.md"))
        self.assert_clean()

    def test_the_map_is_woven_and_checked_but_is_not_a_page(self):
        self.clean_book()
        self.write("book/README.md", "# The map\n\n[01](01-queue.md), [q](../common/queue.h)\n"
                                     "<!-- code: common/queue.h#put -->\n<!-- /code -->\n")
        self.weave()
        self.assertIn("(../common/queue.h#L6-L8)", self.read("book/README.md"))
        self.assert_clean(summary="2 pages, 3 listings, 0 outputs, 5 links, 1 sketches")
        self.replace("book/README.md", "[01](01-queue.md)", "[01](book/01-queue.md)")
        self.assert_only_problem("book/README.md:3", "dead link `book/01-queue.md`")

    def test_a_fence_is_longer_than_those_it_holds(self):
        self.write("common/a.h", "// ```\n/*\n```cpp\n*/\n")
        page = self.woven("<!-- code: common/a.h -->\n<!-- /code -->\n")
        self.assertIn("````cpp\n// ```\n/*\n```cpp\n*/\n````\n", page)
        self.assert_clean()

    def test_marks_in_a_list_keep_its_indentation(self):
        self.write("common/a.h", "struct A {\n\n};\n")
        page = self.woven("1. First\n\n   <!-- code: common/a.h -->\n   <!-- /code -->\n")
        self.assertIn("   ```cpp\n   struct A {\n\n   };\n   ```\n   <sub>", page)
        self.assert_clean()
        for spoiled in ["};", "  x};", "    };"]:
            self.write("book/00-page.md", page.replace("   };", spoiled))
            self.assert_problem("book/00-page.md:3", "stale listing")

    def test_carriage_returns_and_missing_final_newlines(self):
        self.clean_book()
        for path in ["common/queue.h", "book/01-queue.md"]:
            self.write(path, self.read(path).replace("\n", "\r\n"))
        self.assert_clean()
        self.replace("common/queue.h", "push_back", "push_front")
        self.assert_problem("book/01-queue.md:3", "stale")
        self.weave()
        self.assert_clean()
        self.assertNotIn("\n", self.read("book/01-queue.md").replace("\r\n", ""))
        self.write("common/queue.h", self.read("common/queue.h").rstrip())
        page = self.woven("<!-- code: common/queue.h -->\n<!-- /code -->")
        self.assertTrue(page.endswith("</sub>\n<!-- /code -->"), page)
        self.assert_clean()

    def test_text_that_is_not_utf8_survives(self):
        self.write("common/a.h", "int a;\n")
        (self.root / "book/00-page.md").write_bytes(
            b"caf\xe9\n<!-- code: common/a.h -->\n<!-- /code -->\n")
        self.weave()
        page = (self.root / "book/00-page.md").read_bytes()
        self.assertTrue(page.startswith(b"caf\xe9\n"))
        self.assertIn(b"int a;", page)

    def test_list_names_the_page_that_shows_each_region(self):
        self.clean_book()
        self.write("common/b.h", "// [b]\nint b;\n// [/b]\n")
        status, printed = self.weave("--list")
        self.assertEqual(status, 0)
        self.assertEqual(printed, "common/b.h#b: no page\n"
                                  "common/queue.h#put: book/01-queue.md:19\n"
                                  "common/queue.h#queue: book/01-queue.md:3\n")
        self.page("<!-- code: common/b.h -->\n<!-- /code -->\n")
        self.assertTrue(self.weave("--list")[1].startswith("common/b.h: book/00-page.md:1\n"))

    def test_weave_runs_as_a_script(self):
        for path in ("book/weave.py", "tests/practice_site/practice_site.py"):
            self.write(path, (ROOT / path).read_text(), program=True)
        for page, status in [("# Page\n", 0), ("[dead](dead.md)\n", 1)]:
            self.page(page)
            run = subprocess.run([sys.executable, self.root / "book/weave.py", "--check"],
                                 stdout=subprocess.PIPE, check=False)
            self.assertEqual(run.returncode, status, run.stdout)


class Changes(Book):
    def test_a_change_within_a_file_shows_everything_without_line_numbers(self):
        self.write("common/a.h", "// [old]\nint a;\n\nint b;\n// [/old]\n"
                                 "// [new]\nint a;\n\nint c;\n// [/new]\n")
        page = self.woven("<!-- code: common/a.h#new from=old -->\n<!-- /code -->\n")
        self.assertIn("-->\n```diff\n int a;\n\n-int b;\n+int c;\n```\n<sub>[common/a.h, lines 7–9]"
                      "(../common/a.h#L7-L9), changed from [common/a.h, lines 2–4]"
                      "(../common/a.h#L2-L4)</sub>\n", page)
        self.assert_clean()

    def test_a_change_between_files_that_leaves_lines_out_says_where(self):
        lines = [f"int a{number};\n" for number in range(12)]
        self.write("common/a.h", "".join(["// [x]\n", *lines, "// [/x]\n"]))
        lines[6] = "int changed;\n"
        self.write("common/b.h", "".join(["// [x]\n", *lines, "// [/x]\n"]))
        page = self.woven("<!-- code: common/b.h#x from=common/a.h#x -->\n<!-- /code -->\n")
        self.assertIn("```diff\n@@ -4,7 +4,7 @@\n int a3;\n int a4;\n int a5;\n-int a6;\n+int changed;\n"
                      " int a7;\n", page)
        self.assertNotIn("---", page.replace("<!-- ", "").replace(" -->", ""))
        self.assertNotIn("int a2", page)

    def test_an_empty_change_is_a_mistake(self):
        self.write("common/a.h", "// [x]\nint a;\n// [/x]\n")
        self.page("<!-- code: common/a.h#x from=x -->\n<!-- /code -->\n")
        self.assert_only_problem("book/00-page.md:1", "there is no change")


STEP = """\
// [step]
void step(Future& future) {
    // Tell where it stands.
    trace("step", future);

    // This goes on.
    trace("resume");
    resume();
    if (failed()) {
        trace("threw",
              error()); // :-(
        forget();
    }

    work();

    // What the tracer is for.
    // It is for traces.
    if (tracer.on()) {
        tell(")");
    }

    // It also counts.
    trace("count");
}
// [/step]
"""


class LeavingOut(Book):
    def setUp(self):
        super().setUp()
        none = unittest.mock.patch.object(weave, "IGNORED", re.compile("(?!)"))  # any line may stay here
        none.start()
        self.addCleanup(none.stop)

    def listing(self, options, text=STEP, path="common/a.h"):
        """What weave makes of the region [step]: the lines between the fences."""
        self.write(path, text)
        page = self.woven(f"<!-- code: {path}#step {options} -->\n<!-- /code -->\n")
        self.assert_clean()
        return page.split("\n```\n")[0].split("\n", 2)[2]

    def test_an_ellipsis_takes_the_place_of_lines_their_brackets_and_their_comments(self):
        self.assertEqual(self.listing('without="trace"'), textwrap.dedent("""\
            void step(Future& future) {
                // …

                // This goes on.
                // …
                resume();
                if (failed()) {
                    // …
                    forget();
                }

                work();

                // …
            }"""))

    def test_the_number_of_lines_left_out_is_below_the_listing(self):
        self.listing('without="trace"')
        self.assertIn("<sub>[common/a.h, lines 2–25, 13 left out](../common/a.h#L2-L25)</sub>",
                      self.read("book/00-page.md"))
        self.assertIn(" sketches, 13 lines left out, 0 long", self.weave("--check")[1])
        page = self.woven('<!-- code: common/a.h without="work" -->\n<!-- /code -->\n'
                          "<!-- code: common/a.h#step -->\n<!-- /code -->\n")
        self.assertIn("<sub>[common/a.h, lines 1–26, 1 left out](../common/a.h#L1-L26)</sub>", page)
        self.assertIn("<sub>[common/a.h, lines 2–25](../common/a.h#L2-L25)</sub>", page)

    def test_lines_in_between_stay(self):
        text = "// [step]\nx = 1\n\n  # Two.\n  trace(1)\n\n# Three.\ny = 2\n# [/step]\n"
        self.assertEqual(self.listing('without="trace"', text.replace("//", "#"), "tests/a.py"),
                         "x = 1\n\n  # …\n\n# Three.\ny = 2")
        (self.root / "tests/a.py").unlink()
        text = "# [step]\n# One.\ntrace 1\n\n# Two.\n\ntrace 2\n# [/step]\n"
        self.assertEqual(self.listing('without="trace"', text, "learn"),
                         "# …\n\n# Two.\n\n# …")
        (self.root / "learn").unlink()
        text = "// [step]\n  // One.\n// Two.\ntrace();\nf(')');\n// [/step]\n"
        self.assertEqual(self.listing('without="trace"', text),
                         "  // One.\n// Two.\n// …\nf(')');")
        text = text.replace("f(", "// Three.\nf(")
        self.assertEqual(self.listing('without="trace"', text),
                         "  // One.\n// …\n// Three.\nf(')');")
        self.assertEqual(self.listing('without="f."', text),
                         "  // One.\n// Two.\ntrace();\n// …")

    def test_each_of_several_patterns_must_find_something(self):
        self.assertIn("    // …\n    if (failed()) {\n        // …\n    }\n",
                      self.listing('without="resume" without="forget" without="threw"'))
        for options in ['without="trace" without="traec"', 'without="traec"',
                        'from=old without="traec"']:
            self.write("common/a.h", STEP + "// [old]\nint a;\n// [/old]\n")
            self.page(f"<!-- code: common/a.h#step {options} -->\n<!-- /code -->\n"
                      "<!-- code: common/a.h#old -->\n<!-- /code -->\n")
            self.weave()
            self.assert_only_problem("book/00-page.md:1", 'without="traec" finds no line')

    def test_a_pattern_applies_to_both_sides_of_a_change(self):
        self.write("common/a.h", "// [old]\nint a;\nint b;\ntrace(1);\n// [/old]\n"
                                 "// [new]\nint a;\nint c;\ntrace(2);\n// [/new]\n")
        for options in ['from=old without="trace"', 'without="trace" from=common/a.h#old']:
            page = self.woven(f"<!-- code: common/a.h#new {options} -->\n<!-- /code -->\n")
            self.assertIn("```diff\n int a;\n-int b;\n+int c;\n // …\n```\n<sub>[common/a.h, lines "
                          "7–9, 1 left out](../common/a.h#L7-L9), changed from [common/a.h, lines "
                          "2–4, 1 left out](../common/a.h#L2-L4)</sub>", page)
        page = self.woven('<!-- code: common/a.h#new from=old without="int b" -->\n<!-- /code -->\n')
        self.assertIn("-// …\n-trace(1);\n+int c;\n", page)

    def test_one_bracket_of_a_pair_cannot_be_left_out(self):
        for pattern in ["error", "^    }", "void step", "else"]:
            self.write("common/a.h", STEP.replace("forget();", "} else {").replace("\n}\n", "\n"))
            self.page(f'<!-- code: common/a.h#step without="{pattern}" -->\n<!-- /code -->\n')
            self.assertIn("can't leave out `", self.weave()[1])
            self.assert_only_problem("book/00-page.md:1", "a bracket's other end is")

    def test_leaving_lines_out_never_changes_what_an_if_or_a_loop_controls(self):
        for text, left in [
                ("for (x : xs)\n    trace(x);\nfor (x : xs)\n    f(x);", "// …\nfor (x : xs)\n    f(x);"),
                ("if (a)\n    f();\nelse\n    trace();\ng();", "if (a)\n    f();\n// …\ng();"),
                ("while (a)\n    if (b &&\n        c)\n        trace();\ng();", "// …\ng();"),
                ("if (a) {\n    trace();\n    f();\n}", "if (a) {\n    // …\n    f();\n}"),
                ("if (a &&\n    b) {\n    trace();\n}", "if (a &&\n    b) {\n    // …\n}"),
                ("if (a) {\n    f();\n} else { // b\n    trace();\n}",
                 "if (a) {\n    f();\n} else { // b\n    // …\n}"),
                ("if (a)\n    f();\ntrace();\ng();", "if (a)\n    f();\n// …\ng();")]:
            self.assertEqual(self.listing('without="trace"', f"// [step]\n{text}\n// [/step]\n"), left)
        for text, trouble in [
                ("if (a)\n    trace();\nelse\n    f();", "`trace();` alone: an `else` follows"),
                ("if (a) {\n    f();\n} else\n    trace();", "`} else` alone: a bracket's other end")]:
            self.write("common/a.h", f"// [step]\n{text}\n// [/step]\n")
            self.assert_only_problem("book/00-page.md:1", "can't leave out " + trouble)

    def test_unknown_options_of_a_listing_are_refused(self):
        self.write("common/a.h", STEP)
        for options in ["without=trace", 'without=""', 'without="trace', 'witout="trace"',
                        'without="trace"  without="work"', "from=step from=step", 'from="step"']:
            self.page(f"<!-- code: common/a.h#step {options} -->\n<!-- /code -->\n"
                      "<!-- code: common/a.h#step -->\n<!-- /code -->\n")
            self.weave()
            self.assert_only_problem("book/00-page.md:1", "can't read `common/a.h#step ")
        self.page('<!-- code: common/a.h#step without="(" -->\n<!-- /code -->\n')
        self.assert_only_problem("book/00-page.md:1", 'without="(" is no regular expression')


class Regions(Book):
    def setUp(self):
        super().setUp()
        self.clean_book()

    def test_a_moved_region_makes_its_link_stale(self):
        self.replace("common/queue.h", "// What a queue is.\n", "// What a queue is.\n\n")
        self.assert_problem("book/01-queue.md:3", "stale listing of common/queue.h#queue")

    def test_a_missing_region_is_reported(self):
        self.replace("book/01-queue.md", "common/queue.h#put -->", "common/queue.h#puts -->")
        self.assert_problem("book/01-queue.md:19", "missing region common/queue.h#puts; there are "
                                                   "['put', 'queue']")

    def test_a_missing_file_is_reported(self):
        for path in ["common/que.h#put", "common/queue.h:6-8", "../" + self.root.name +
                     "/common/queue.h#put", str(self.root / "common/queue.h"), "common#put"]:
            self.page(f"<!-- code: {path} -->\n<!-- /code -->\n")
            self.assert_only_problem("book/00-page.md:1", f"no file `{path.split('#')[0]}`")

    def test_an_unreadable_mark_is_reported(self):
        self.page("<!-- code: common/queue.h #put -->\n<!-- /code -->\n")
        self.assert_only_problem("book/00-page.md:1", "can't read `common/queue.h #put`")

    def test_a_duplicate_region_is_reported(self):
        self.write("common/queue.h", HEADER + "// [put]\nint b;\n// [/put]\n")
        self.assert_problem("common/queue.h:16", "region [put] must open once and then close once; "
                                                 "it has markers on lines [5, 9, 14, 16]")

    def test_unclosed_and_unopened_regions_are_reported(self):
        self.write("tests/a.py", "# [a]\nx = 1\n\n# [/b]\n# [/c]\n# [c]\n")
        self.assert_problem("tests/a.py:1", "region [a] must open once and then close once")
        self.assert_problem("tests/a.py:4", "region [b] must open once and then close once")
        self.assert_problem("tests/a.py:6", "region [c] must open once and then close once")

    def test_an_empty_region_is_reported(self):
        self.write("common/a.h", "int a;\n// [a]\n\n// [/a]\n")
        self.write("book/00-page.md", "<!-- code: common/a.h#a -->\n<!-- /code -->\n")
        self.assert_problem("common/a.h:2", "empty region [a]")

    def test_an_unused_region_is_reported(self):
        for path in ["common/a.h", "tests/stage1/b.cpp"]:
            self.write(path, "int a;\n// [a]\nint b;\n// [/a]\n")
            self.assert_only_problem(f"{path}:2", "unused region [a]")
            (self.root / path).unlink()
        for path in ["learn", ".ci/run", "book/make.py"]:
            self.write(path, "#!/bin/sh\n# [a]\necho\n# [/a]\n")
            self.assert_only_problem(f"{path}:2", "unused region [a]")
            (self.root / path).unlink()

    def test_a_region_shown_only_as_the_old_side_of_a_change_is_used(self):
        self.write("common/a.h", "// [x]\nint a;\n// [/x]\n// [y]\nint b;\n// [/y]\n")
        self.woven("<!-- code: common/a.h#y from=x -->\n<!-- /code -->\n")
        self.assert_clean()

    def test_text_that_only_looks_like_a_region_is_ignored(self):
        self.write("common/a.h", "// [x] is the unknown\n/// [x]\nint a; // [x]\n// [X]\n// [a b]\n"
                                 "// [0, 1)\n//[x]\n# [x]:\n")
        self.write("common/notes.txt", "// [x]\n# [x]\n")
        self.assert_clean()

    def test_builds_and_fixtures_are_not_sources(self):
        for folder in ["build", "common/build", "tests/build-x/y", "tests/book", "book/__pycache__",
                       "common/.cache", "elsewhere"]:
            self.write(f"{folder}/a.cpp", "// [x]\n")
        self.assert_clean()

    def test_code_with_a_mark_in_it_is_refused(self):
        self.write("common/a.h", "int a;\n<!-- /code -->\n")
        self.page("<!-- code: common/a.h -->\n<!-- /code -->\n")
        self.assertIn("is itself a mark", self.weave()[1])
        self.assertNotIn("int a;", self.read("book/00-page.md"))


class Marks(Book):
    def setUp(self):
        super().setUp()
        self.clean_book()

    def test_unclosed_and_misnested_marks_are_reported(self):
        for marks, line, text in [
                ("<!-- code: common/queue.h#put -->", 2, "<!-- code"),
                ("<!-- run: true -->\n<!-- /code -->", 2, "<!-- run"),
                ("<!-- run: true -->\n<!-- /code -->", 3, "<!-- /code"),
                ("<!-- /run -->", 2, "<!-- /run"),
                ("<!-- /code -->\n<!-- /code -->", 2, "<!-- /code"),
                ("<!-- /run -->\n<!-- code: common/queue.h#put -->\n<!-- /code -->", 2, "<!-- /run"),
                ("<!-- code: common/queue.h#put -->\n<!-- code: common/queue.h#put -->\n"
                 "<!-- /code -->", 2, "<!-- code")]:
            self.page("text\n" + marks + "\ntext\n")
            self.assert_problem(f"book/00-page.md:{line}", "mark without a partner: " + text)
            before = self.read("book/00-page.md")
            self.assertEqual(self.weave()[0], 1)
            self.assertEqual(self.read("book/00-page.md"), before, "a broken page is left alone")

    def test_a_broken_fence_in_a_block_costs_no_text_after_it(self):
        page = self.read("book/01-queue.md").replace("};\n```\n", "};\n``\n")
        self.write("book/01-queue.md", page)
        self.assert_problem("book/01-queue.md:3", "stale listing")
        self.weave()
        self.assert_clean()
        self.assertIn("See [how to put]", self.read("book/01-queue.md"))

    def test_marks_and_links_in_other_fences_and_inline_code_are_text(self):
        self.page("""\
            ```markdown
            <!-- code: nowhere -->
            [dead](dead.md)
            ```
            ~~~
            ```cpp
            ~~~
            ```
            ```
            > ```
            > [dead](dead.md)
            > ```
            Write `[dead](dead.md)`, ``a ` [dead](dead.md)`` and `<!-- /code -->`.
            <!-- [dead](dead.md) -->
            """)
        self.assert_clean()

    def test_an_unclosed_fence_is_reported(self):
        self.page("text\n\n```console\n$ true\n")
        self.assert_only_problem("book/00-page.md:3", "never closed")

    def test_hand_pasted_code_is_reported(self):
        for fence in ["```cpp\nint a;\n```", "~~~ C++\nint a;\n~~~", "> ```cpp\n> int a;\n> ```",
                      "- ```h\n  int a;\n  ```", "``````{.cc}\nint a;\n``````"]:
            self.page("text\n\n" + fence + "\n")
            self.assert_only_problem("book/00-page.md:3", "hand-pasted code")
        self.page("```console\nint a;\n```\n")
        self.assert_clean()

    def test_a_sketch_excuses_the_next_fence_only(self):
        sketch = "<!-- sketch: not ours -->\n\n```cpp\nint a;\n```\n"
        self.page(sketch)
        self.assert_clean(summary="3 pages, 2 listings, 0 outputs, 3 links, 2 sketches")
        self.page(sketch + "```cpp\nint a;\n```\n")
        self.assert_only_problem("book/00-page.md:6", "hand-pasted code")
        self.page(sketch.replace("\n\n", "\ntext\n"))
        self.assert_only_problem("book/00-page.md:3", "hand-pasted code")
        self.page(sketch.replace(" not ours", ""))
        self.assert_only_problem("book/00-page.md:3", "hand-pasted code")


class Links(Book):
    def setUp(self):
        super().setUp()
        self.clean_book()

    def assert_dead(self, text, line, target):
        self.page(text)
        self.assert_only_problem(f"book/00-page.md:{line}", f"dead link `{target}`")

    def test_dead_links_are_reported(self):
        for text, line, target in [
                ("see\n[x](03-gone.md)", 2, "03-gone.md"),
                ("[a\nb](03-gone.md)", 2, "03-gone.md"),
                ("[x](../gone/)", 1, "../gone/"),
                ("[x](02-next.md#one-less)", 1, "02-next.md#one-less"),
                ("[x](02-next.md#One-more)", 1, "02-next.md#One-more"),
                ("# Here\n\n[x](#there)", 3, "#there"),
                ("[x](#)", 1, "#"),
                ("[x]()", 1, ""),
                ("![x](figures/gone.svg)", 1, "figures/gone.svg"),
                ("[![x](figures/gone.svg)](02-next.md)", 1, "figures/gone.svg"),
                ("[`a[0]` x](gone.h \"with a title\")", 1, "gone.h"),
                ("[x](<gone file.md>)", 1, "gone file.md"),
                ("\n<img width='3' src=\"gone.png\">", 2, "gone.png"),
                ("<img\n  alt='' src='gone.png'>", 2, "gone.png"),
                ("<source srcset='figures/queue.svg 1x, gone.svg 2x'>", 1, "gone.svg"),
                ("<a href='02-next.md#gone'>x</a>", 1, "02-next.md#gone"),
                ("[x][y]\n\n[y]: gone.md", 3, "gone.md"),
                ("[x](/common/queue.h)", 1, "/common/queue.h"),
                ("[x](../../elsewhere)", 1, "../../elsewhere"),
                ("[x](../build/a)", 1, "../build/a"),
                ("[x](../common/queue.h#put)", 1, "../common/queue.h#put"),
                ("[x](../common/queue.h#L6-L8)", 1, "../common/queue.h#L6-L8"),
                ("[x](../common/queue.h:6)", 1, "../common/queue.h:6"),
                ("[x](queue.h:6)", 1, "queue.h:6"),
                ("[x](figures#L6)", 1, "figures#L6")]:
            self.write("build/a", "")
            with self.subTest(text):
                self.assert_dead(text + "\n", line, target)

    def test_good_links_are_accepted(self):
        self.write("book/with space (1).md", "# C++20: `Future<T>`, *and* [more](02-next.md)\n")
        self.page("""\
            # Here & there

            [a](02-next.md) [b](02-next.md#one-more) [c](#here--there) [d](../common/) [e](..)
            [f](https://example.org/gone.md) [g](mailto:a@example.org) [h](//example.org/x)
            [i](with%20space%20(1).md) [j](<with space (1).md#c20-futuret-and-more>)
            ![k](figures/queue.svg?raw=true "title") [l][m] [M][] [m] [^1][^1]
            <a id="anchor"></a> [n](#anchor) <img src='figures/queue.svg'> a list[3] (of three)

            [m]: 02-next.md "title"
            [^1]: A footnote.
            """)
        self.assert_clean()

    def test_malformed_and_undefined_links_are_reported(self):
        self.page("text\n\n[x](02-next.md and more)\n")
        self.assert_only_problem("book/00-page.md:3", "malformed link")
        self.page("text\n\n[x][nothing]\n")
        self.assert_only_problem("book/00-page.md:3", "nothing defines [nothing]")

    def test_links_in_the_readme_are_checked(self):
        self.write("README.md", "# Title\n\n[x](book/02-next.md#gone) [y](book/)\n")
        self.assert_only_problem("README.md:3", "dead link `book/02-next.md#gone`")
        self.write("book/03-b.md", NEXT + "[x](../README.md#title)")
        self.write("README.md", "# Title\n")
        self.assert_clean()

    def test_anchors_are_those_of_github(self):
        for heading, anchor in [
                ("Sockets that don't wait", "sockets-that-dont-wait"),
                ("What is `co_await`?", "what-is-co_await"),
                ("`Future<T>` and `std::span`", "futuret-and-stdspan"),
                ("C++20 — in short", "c20--in-short"),
                ("A *very* **bold** _claim_ ~~struck~~", "a-very-bold-claim-struck"),
                ("With [a link](x.md#y) and [another][z]", "with-a-link-and-another"),
                ("Write `[x](y)`", "write-xy"),
                ("snake_case stays, <b>tags</b> go", "snake_case-stays-tags-go"),
                ("closed ##", "closed"),
                ("Überholt 3.2", "überholt-32"),
                ("a  b", "a--b")]:
            self.write("book/03-x.md", f"## {heading}\n")
            self.assertIn(anchor, weave.Page(self.root, "book/03-x.md").anchors(), heading)
        self.write("book/03-x.md", "# A\n# B\n## A\n### A\n```\n# C\n```\n#no\n")
        self.assertEqual(weave.Page(self.root, "book/03-x.md").anchors(), {"a", "b", "a-1", "a-2"})


class Conventions(Book):
    def test_a_numbered_page_asks_and_answers(self):
        self.page("# Page\n", "03-page.md")
        self.assert_only_problem("book/03-page.md:1", "no heading \"Check your understanding\"")
        ask = "# Page\n<details></details>\n## Check your understanding\n<details>a</details>\n"
        self.page(ask, "03b-page.md")
        self.page(NEXT, "03-page.md")
        self.assert_only_problem("book/03b-page.md:3", "fewer than two <details>")
        self.page(ask + "## More\n<details>b</details>\n", "03b-page.md")
        self.assert_only_problem("book/03b-page.md:3", "fewer than two <details>")
        self.page(ask + "### First\n<details>b</details>\n", "03b-page.md")
        self.assert_clean()

    def test_other_pages_need_no_questions(self):
        for name in ["00-before.md", "a-reading.md", "b-cpp.md", "README.md"]:
            self.page("# Page\n", name)
        self.write("README.md", "# Page\n")
        self.assert_clean()


class Figures(Book):
    def figures(self):
        """What --figures prints below its header, and before the summary."""
        status, printed = self.weave("--check", "--figures")
        self.assertEqual(status, 0, printed)
        header, *lines, self.summary = printed.splitlines()
        self.assertEqual(header, "    words listings     long left out")
        return lines

    def test_a_page_without_problems_only_has_figures(self):
        self.clean_book()
        self.assertEqual(self.figures(), [
            "       25        2        0        0  book/01-queue.md",
            "       11        0        0        0  book/02-next.md"])
        self.assertNotIn("book/01", self.weave("--check")[1])

    def test_a_long_page_only_gets_a_warning(self):
        self.page("word " * 2000 + "\n```\n" + "code " * 100 + "\n```\n")
        self.assertNotIn("warning", self.weave("--check")[1])
        self.page("word " * 2001)
        status, printed = self.weave("--check")
        self.assertEqual(status, 0)
        self.assertTrue(printed.startswith("warning: book/00-page.md: 2001 words;"), printed)
        self.assertIn(", 1 long pages,", printed)

    def test_a_long_page_may_say_why(self):
        # What looks like a tag in inline code is none, and hides no words.
        self.page("`a <` " + "word " * 2000 + " `>`")
        self.assertIn("book/00-page.md: 2003 words;", self.weave()[1])

        self.page("word " * 2001 + "\n\n<!-- long: it lists all words -->\n")
        self.assertEqual(self.figures(), [
            "     2001        0        0        0  book/00-page.md",
            "    long: it lists all words"])
        self.assertIn(", 1 long pages,", self.summary)
        self.page("word " * 2000 + "\n\n<!-- long: it lists all words -->\n")
        self.assert_only_problem("book/00-page.md:3", "this page isn't long: it has 2000 words")
        self.page("word " * 2001 + "\n```\n<!-- long: this is no mark -->\n```\n")
        self.assertIn("warning", self.weave("--check")[1])
        self.page("<!-- long: it excuses no fence -->\n```cpp\nint a;\n```\n" + "word " * 2001)
        self.assert_only_problem("book/00-page.md:2", "hand-pasted code")

    def test_long_listings_and_lines_left_out_are_counted(self):
        self.write("common/a.h", "// [a]\n" + "int a;\n" * 25 + "// [/a]\n"
                                 "// [b]\n" + "int a;\n" * 12 + "int b;\n" * 14 + "// [/b]\n")
        self.woven("<!-- code: common/a.h#a -->\n<!-- /code -->\n"
                   "<!-- code: common/a.h#b -->\n<!-- /code -->\n"
                   '<!-- code: common/a.h#b without="a" -->\n<!-- /code -->\n'
                   "<!-- code: common/a.h#b from=a -->\n<!-- /code -->\n")
        self.assertEqual(self.figures(), [
            "        0        4        2       12  book/00-page.md",
            "    long listing: common/a.h#b, 26 lines",
            "    long listing: common/a.h#b, 31 lines"])
        self.assertTrue(self.summary.endswith(", 12 lines left out, 0 long pages, 2 long listings"), self.summary)

    def test_code_to_ignore_is_found(self):
        ignored = ["tracer_.ready(event);", "Tracer& tracer;", "trace(why);", "TracedFetch told;",
                   "const CallbackRuns runs;", "Witness* w;", "f(witness);", "f(); // NOLINT",
                   "FailOnPurpose never;", "fail_parsing.count();", "[[gnu::noinline]] void f();"]
        others = ["retrace(why);", "TracedError error;", "fail(parsing);"]
        self.write("common/a.h", "\n".join(["// [a]", *ignored, "// [/a]",
                                            "// [b]", *others, "// [/b]"]))
        self.page("<!-- code: common/a.h#a -->\n<!-- /code -->\n"
                  "<!-- code: common/a.h#b -->\n<!-- /code -->\n")
        self.weave()
        self.assert_only_problem("book/00-page.md:1", "code to ignore in common/a.h#a; leave it out, or say")
        self.assertIn("\n    ".join([" is about:", *ignored]) + "\n", self.weave("--check")[1])

    def test_a_listing_may_be_about_just_that(self):
        self.write("common/a.h", STEP)
        self.woven('<!-- code: common/a.h#step about="what a trace costs" -->\n<!-- /code -->\n')
        self.assertEqual(self.figures(), [
            "        0        1        0        0  book/00-page.md",
            "    about what a trace costs: common/a.h#step"])
        self.woven('<!-- code: common/a.h#step about="x" without="trace[(]" -->\n<!-- /code -->\n')
        self.page('<!-- code: common/a.h#step about="x" without="trace" -->\n<!-- /code -->\n')
        self.assert_only_problem("book/00-page.md:1", "there is nothing to ignore in this listing")

    def test_code_to_ignore_is_an_error(self):
        self.write("common/a.h", STEP)
        shown = "<!-- code: common/a.h#step -->\n<!-- /code -->\n"
        self.page("\n" + shown + NEXT, "03-page.md")
        self.weave()
        self.assert_only_problem("book/03-page.md:2", "code to ignore in common/a.h#step")
        self.assertIn(':\n    trace("step", future);\n', self.weave("--check")[1])
        for option in ['about="traces"', 'without="trace"']:
            self.page("\n" + shown.replace("step", f"step {option}") + NEXT, "03-page.md")
            self.weave()
            self.assert_clean()


SITE = """\
#!/usr/bin/env python3
import http.server, sys

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(f"{sys.argv[1:]} at {self.headers['Host']}".encode())
    def log_message(self, *_):
        pass

server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{server.server_port}/", flush=True)
server.serve_forever()
"""

GET = """\
#!/usr/bin/env python3
import sys, urllib.request
print(sys.argv[1], urllib.request.urlopen(sys.argv[1]).read().decode())
"""


class Outputs(Book):
    """The "programs" of these books are shell scripts in a folder that plays the build."""

    def setUp(self):
        super().setUp()
        self.program("echo one; echo two >&2; echo took 12 ms")
        self.page("text\n<!-- run: build/x -->\n<!-- /run -->\n")

    def program(self, script, path="out/x"):
        self.write(path, "#!/bin/sh\n" + script + "\n", program=True)

    def build(self):
        return ["--build", str(self.root / "out")]

    def weave_outputs(self, run=None):
        """Weaves a page with this run mark, and returns the text between its fences."""
        if run:
            self.page(f"<!-- run: {run} -->\n<!-- /run -->\n")
        status, printed = self.weave(*self.build())
        self.assertEqual(status, 0, printed)
        page = self.read("book/00-page.md")
        self.assertIn("```console\n", page)
        self.assert_clean(*self.build())
        return page.split("```console\n")[1].split("\n```\n")[0]

    def test_a_command_is_shown_with_its_output(self):
        self.assertEqual(self.weave_outputs(), "$ build/x\none\ntwo\ntook 12 ms")
        self.assert_clean(summary="1 pages, 0 listings, 1 outputs, 0 links, 0 sketches")
        self.assertNotIn("wrote", self.weave(*self.build())[1])

    def test_a_changed_output_is_stale(self):
        self.weave_outputs()
        self.program("echo one; echo three >&2; echo took 99 ms")
        self.assert_clean()
        self.assert_only_problem("book/00-page.md:2", "stale output of `build/x`; run book/weave.py "
                                 f"--build {self.root}/out", *self.build())
        self.assertIn("\n    -two\n    +three\n", self.weave("--check", *self.build())[1])
        self.weave()
        self.assertIn("two", self.read("book/00-page.md"))
        self.assertEqual(self.weave_outputs(), "$ build/x\none\nthree\ntook 99 ms")

    def test_figures_may_differ_and_the_page_keeps_the_old_ones(self):
        self.weave_outputs()
        self.program("echo one; echo two; echo took 1.5 ms")
        self.assert_clean(*self.build())
        self.assertIn("took 12 ms", self.weave_outputs())
        self.page("<!-- run: build/x -->\n<!-- /run -->\n")
        self.assertIn("took 1.5 ms", self.weave_outputs())

    def test_the_command_shown_must_be_the_one_that_runs_even_without_a_build(self):
        self.assert_only_problem("book/00-page.md:2", "no output of `build/x` here; run book/weave.py"
                                 " --build build")
        self.weave_outputs()
        for old, new in [("$ build/x", "$ build/y"), ("```console", "```sh"), ("-->\n```", "-->\n\n```"),
                         ("12 ms\n```", "12 ms\n```\n")]:
            before = self.read("book/00-page.md")
            self.replace("book/00-page.md", old, new)
            self.assert_only_problem("book/00-page.md:2", "no output of `build/x` here")
            self.weave_outputs()
            self.assertEqual(self.read("book/00-page.md"), before)

    def test_figures_in_the_command_itself_are_not_forgiven(self):
        self.weave_outputs("build/x 5 ms")
        self.replace("book/00-page.md", "$ build/x 5 ms", "$ build/x 6 ms")
        self.assert_problem("book/00-page.md:1", "stale output of `build/x 5 ms`", *self.build())
        self.weave(*self.build())
        self.assert_clean(*self.build())

    def test_a_command_may_print_nothing(self):
        self.program("true")
        self.assertEqual(self.weave_outputs(), "$ build/x")

    def test_the_exit_status_must_be_the_expected_one(self):
        self.program("echo no such host; exit 3")
        text = "`build/x` ended with status 3, not 0; its last line: no such host"
        self.assert_only_problem("book/00-page.md:2", text, *self.build())
        self.assertIn(text, self.weave(*self.build())[1])
        self.assertEqual(self.weave_outputs("build/x ; status=3"), "$ build/x\nno such host")
        self.program("echo no such host")
        self.assert_only_problem("book/00-page.md:1", "status 0, not 3", *self.build())
        self.program("kill -9 $$")
        self.assert_only_problem("book/00-page.md:1", "status 137, not 3; its last line:", *self.build())
        self.page("<!-- run: kill -9 $$ -->\n<!-- /run -->\n")
        self.assert_only_problem("book/00-page.md:1", "status 137, not 0; its last line: "
                                 "(it printed nothing)", *self.build())

    def test_a_program_that_is_not_built_is_reported(self):
        self.page("<!-- run: build/y -->\n<!-- /run -->\n")
        self.assert_only_problem("book/00-page.md:1", "ended with status 127", *self.build())

    def test_timeout_ends_the_whole_command(self):
        self.page("<!-- run: sleep 60 | cat ; timeout=0.2 -->\n<!-- /run -->\n")
        self.assert_only_problem("book/00-page.md:1", "`sleep 60 | cat` did not end within 0.2 s",
                                 *self.build())
        self.page("<!-- run: sleep 60 & ; timeout=0.2 -->\n<!-- /run -->\n")
        self.assert_only_problem("book/00-page.md:1", "did not end within 0.2 s", *self.build())

    def test_a_command_runs_in_the_same_surroundings_everywhere(self):
        self.program('cat; echo "$LC_ALL $BUILD"; pwd; echo "$0 ${0%/x}x"; echo ../../a.cpp:3')
        (self.root / "out/deep").mkdir()
        self.write("out/deep/x", self.read("out/x"), program=True)
        self.page("<!-- run: A=1 build/x && ls my-build/ ./build/deep tests/build/ -->\n<!-- /run -->\n")
        self.write("my-build/mine", "")
        self.write("tests/build/theirs", "")
        self.write("out/deep/deep/ours", "")
        status, printed = self.weave("--build", str(self.root / "out/deep"))
        self.assertEqual(status, 0, printed)
        page = self.read("book/00-page.md")
        self.assertIn("$ A=1 build/x && ls my-build/ ./build/deep tests/build/\nC build\n", page)
        self.assertIn("\nbuild/x out/deepx\n../a.cpp:3\n", page)
        self.assertIn("mine", page)
        self.assertIn("ours", page)
        self.assertIn("theirs", page)
        self.assertNotIn(str(self.root) + "/", page)

    def test_head_and_tail_shorten_the_output(self):
        self.program("seq 9")
        self.assertEqual(self.weave_outputs("build/x ; head=2"), "$ build/x\n1\n2\n…")
        self.assertEqual(self.weave_outputs("build/x ; tail=1"), "$ build/x\n…\n9")
        self.assertEqual(self.weave_outputs("build/x ; head=1 ; tail=2"), "$ build/x\n1\n…\n8\n9")
        self.assertEqual(self.weave_outputs("build/x ; head=5 ; tail=4").count("\n"), 9)

    def test_shows_replaces_the_command_that_is_shown(self):
        self.assertEqual(self.weave_outputs('X=1 build/x ; shows="./learn demo"').split("\n")[0],
                         "$ ./learn demo")

    def test_an_unchecked_output_is_recorded_once(self):
        self.weave_outputs('build/x ; unchecked="takes an hour"')
        self.program("echo something else")
        self.assert_clean(*self.build())
        self.assertIn("two", self.weave_outputs())
        self.replace("book/00-page.md", "$ build/x", "$ build/y")
        self.assert_problem("book/00-page.md:1", "no output")

    def test_a_command_can_have_a_practice_site(self):
        self.write("out/tests/practice_site/practice_site", SITE, program=True)
        self.write("out/get", GET, program=True)
        self.assertEqual(
            self.weave_outputs('build/get http://127.0.0.1:8000/a ; site="--pages 9"'),
            "$ build/get http://127.0.0.1:8000/a\nhttp://127.0.0.1:8000/a "
            "['--pages', '9', '--port', '0', '--until-eof'] at 127.0.0.1:8000")
        self.weave_outputs("build/get http://127.0.0.1:8000/a ; site")

    def test_a_practice_site_that_fails_is_reported(self):
        self.page("<!-- run: build/x ; site -->\n<!-- /run -->\n")
        self.assert_only_problem("book/00-page.md:1", "practice site is not built", *self.build())
        self.program("exit 1", "out/tests/practice_site/practice_site")
        self.assert_only_problem("book/00-page.md:1", "did not print its address", *self.build())

    def test_unknown_options_of_a_command_are_refused(self):
        self.weave_outputs()
        for option in ["statsu=1", "status", "status=", "status=one", "head=0", "tail=-1", "only=x",
                       "normalise=all", "normalise=", "unchecked", 'shows=""', "timeout=soon",
                       "normalise=numbers,", 'shows="a"; head=1', ""]:
            self.page(f"<!-- run: build/x ; {option} ; tail=3 -->\n<!-- /run -->\n")
            self.assert_only_problem("book/00-page.md:1", "unknown option or unfit value")
        self.page("<!-- run: build/x; status=1 -->\n<!-- /run -->\n")
        self.assert_only_problem("book/00-page.md:1", "an option needs a blank before its `;`")

    def test_the_build_directory_must_exist(self):
        with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()) as said:
            self.weave("--check", "--build", "nowhere")
        self.assertIn("there is no directory nowhere: build first", said.getvalue())


class Normalising(unittest.TestCase):
    def assert_same(self, one, other, how=""):
        for old, new in [(one, other), (other, one)]:
            self.assertEqual(weave.differences(old.split("\n"), new.split("\n"), how), [], how)

    def assert_different(self, one, other, how=""):
        for old, new in [(one, other), (other, one)]:
            self.assertNotEqual(weave.differences(old.split("\n"), new.split("\n"), how), [], new)

    def test_harmless_differences_are_forgiven(self):
        for one, other in [
                ("took 1.25 s", "took 300 s"), ("3ms", "17ms"), ("5 µs", "6 µs"), ("1 min", "2 min"),
                ("12 ns, 3 us", "1 ns, 99 us"), ("(97 %)", "(3.5 %)"), ("50%", "7%"),
                ("1,234,567 bytes", "5 bytes"), ("2.5 kB", "12 kB"), ("3 MiB", "4 MiB"),
                ("812.5 pages/s", "7 pages/s"), ("9 pages per second", "10 pages per second"),
                ("real 0m1.004s", "real 1m0.5s"), ("frame at 0x55d0c0ffee", "frame at 0x1"),
                ("http://127.0.0.1:4711/a", "http://127.0.0.1:80/a"), ("[::1]:1", "[::1]:22"),
                ("localhost:1", "localhost:2"), ("on port 4711", "on port 99"),
                ("pid=17", "pid=4711"), ("Pid: 17", "Pid: 4711"),
                ("at 12:34:56.789", "at 1:02:03"), ("2024-02-29T12:34:56Z", "2025-03-01T01:01:01Z"),
                ("Mon, 06 May 2024 12:34:56 GMT", "Tue, 17 Jun 2025 01:02:03 GMT"),
                ("epoll    3.5 ms  x", "epoll  123.5 ms  x"), ("  9 ms", "1000 ms")]:
            self.assert_same(one, other)
            self.assert_different(one, other, "exact")

    def test_other_differences_are_not_forgiven(self):
        for one, other in [
                ("404 pages", "405 pages"), ("status 200", "status 404"), ("3 ms", "3 s"),
                ("3 kB", "3 MB"), ("took 3 ms", "took about 3 ms"), ("3 pages, 1 ms", "4 pages, 1 ms"),
                ("a  b", "a b"), ("main.cpp:12", "main.cpp:13"), ("x1 ms", "x2 ms"),
                ("2 sheep", "3 sheep"), ("0x1", "0y1"), ("127.0.0.1", "127.0.0.2"),
                ("12 ms", "12 msx"), ("support 3", "support 4"), ("page/3", "page/4")]:
            self.assert_different(one, other)

    def test_normalisations_forgive_what_they_name(self):
        self.assert_same("404 pages, 1.5", "7 pages, 12", "numbers")
        self.assert_different("404 pages", "404 links", "numbers")
        self.assert_same("b\na 1 s", "a 2 s\nb", "order")
        self.assert_same("b\na 1 s", "a 1 s\nb", "order,exact")
        self.assert_different("b\na", "a\nb")
        self.assert_different("b\na 1 s", "a 2 s\nb", "order,exact")

    def test_a_gap_may_change_with_the_figure_beside_it(self):
        for one, other in [
                ("a   3 ms  b", "a 123 ms  b"),                  # aligned to the right
                ("a  3 ms    b", "a  123 ms  b"),                # to the left
                ("a  3 ms  b", "a  123 ms  b"),                  # or not at all
                ("   3 ms   12 ms  b", "1234 ms    2 ms  b"),
                ("3 ms    12 ms   b", "123 ms  1 ms    b"),
                ("3 ms  1 ms   b", "13 ms  12 ms  b"),           # the first isn't aligned
                ("took 3 ms     7 ms  b", "took 300 ms   1.5 ms  b"),
                ("a    9 ms  b", "a 12345678 ms  b"),            # too long for its column
                ("a  9 ms   b", "a  12345678 ms b"),
                ("  9 ms   7 s", "1000 ms   7 s"),
                ("at http://127.0.0.1:80/    b", "at http://127.0.0.1:8000/  b"),
                ("on  6 May 2024   b", "on 16 May 2024   b")]:
            self.assert_same(one, other)
        self.assert_same("a   3   7  b", "a 123 456  b", "numbers")

    def test_a_gap_that_no_figure_explains_is_stale(self):
        for one, other in [
                ("page      200  http://127.0.0.1:80/", "page        200  http://127.0.0.1:80/"),
                ("page      200  http://127.0.0.1:80/", "page        200  http://127.0.0.1:8000/"),
                ("3 ms  b", "3 ms   b"),
                ("3 ms  b", "3  ms  b"),
                ("3 ms", " 3 ms"),
                ("a   3 ms  b", "a   12 ms b  c"),
                ("a   3 ms   b", "a  12 ms  b"),                 # it can't explain both
                ("a   3 ms   b", "a    12 ms   b"),              # nor the wrong way round
                ("a   b  3 ms", "a  b  12 ms")]:
            self.assert_different(one, other)
        self.assertEqual(weave.differences(["x", "a  3 ms"], ["x", "a   4 ms"], ""),
                         ["-a  3 ms", "+a   4 ms"])
        self.assert_different("a   1", "a  1", "numbers")
        self.assert_different("b\na  3 ms", "a   3 ms\nb", "order")


class EveryCharacter(Book):
    """Changes, then drops, every character that weave checks; each change must be noticed."""

    def assert_each_matters(self, path, start, end, *arguments, spare=lambda text, at: False):
        """`start` and `end` are texts: the first and the last of what must not change."""
        text = self.read(path)
        first = text.index(start)
        last = text.index(end, first) + len(end)
        build = Path(arguments[1]) if arguments else None
        for at in range(first, last):
            for new in ["Y" if text[at] == "X" else "X", ""]:
                if spare(text, at):
                    continue
                self.write(path, text[:at] + new + text[at + 1:])
                book = weave.Book(self.root, build, write=False)
                with contextlib.redirect_stdout(io.StringIO()):
                    book.weave()
                if not book.problems:
                    self.fail(f"{text[at]!r} → {new!r} at {at} went unnoticed:\n{self.read(path)}")
        self.write(path, text)
        self.assert_clean(*arguments)

    def test_each_character_of_a_listing_matters(self):
        self.clean_book()
        for name in ["queue", "put"]:
            self.assert_each_matters("book/01-queue.md", f"<!-- code: common/queue.h#{name}",
                                     "<!-- /code -->")

    def test_each_character_of_a_region_matters(self):
        self.clean_book()
        self.assert_each_matters("common/queue.h", "// [queue]", "// [/queue]",
                                 spare=lambda text, at: text[at:].lstrip(" ").startswith("// ["))

    def test_each_character_of_a_change_matters(self):
        self.write("common/a.h", "// [x]\nint a;\nint b;\n// [/x]\n// [y]\nint a;\nint c;\n// [/y]\n")
        self.woven("<!-- code: common/a.h#y from=x -->\n<!-- /code -->\n")
        self.assert_each_matters("book/00-page.md", "<!-- code", "<!-- /code -->")
        self.assert_each_matters("common/a.h", "// [x]", "// [/y]")

    def test_each_character_of_a_shortened_listing_matters(self):
        self.write("common/a.h", "// [x]\nint a;\n// Of it.\nint b;\n// [/x]\n")
        self.woven('<!-- code: common/a.h#x without="b" -->\n<!-- /code -->\n')
        self.assert_each_matters("book/00-page.md", "<!-- code", "<!-- /code -->")

    def test_each_character_of_a_link_matters(self):
        self.clean_book()
        self.write("README.md", '<img src="book/figures/queue.svg">\n\n[x]: book/02-next.md#next\n')
        for path, start, end in [("book/01-queue.md", "#to-put", ")"),
                                 ("book/01-queue.md", "02-next.md", ")"),
                                 ("book/01-queue.md", "figures/queue.svg", ")"),
                                 ("README.md", "book/figures/queue.svg", "svg"),
                                 ("README.md", "book/02-next.md#next", "next")]:
            self.assert_each_matters(path, start, end.rstrip(")") or start)

    def test_each_character_of_an_output_matters(self):
        self.write("out/x", "#!/bin/sh\necho page 3; echo 'took 12.5 ms   ok'\n", program=True)
        build = ["--build", str(self.root / "out")]
        for mark, figures in [("build/x ; normalise=exact", ""), ("build/x", "12.5")]:
            self.page(f"<!-- run: {mark} -->\n<!-- /run -->\n")
            self.weave(*build)
            self.assert_clean(*build)
            with unittest.mock.patch.object(weave, "execute") as execute:  # it would take long
                execute.return_value = ("page 3\ntook 12.5 ms   ok\n", 0)
                self.assert_each_matters("book/00-page.md", "```console", "<!-- /run -->", *build,
                                         spare=lambda text, at: "took" in text[at - 9:at]
                                         and text[at] in figures)


if __name__ == "__main__":
    unittest.main()
