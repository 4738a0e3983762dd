#!/usr/bin/env python3
"""Tests of book/weave.py: what `weave.py --check` on the real book can't show.

These are mistakes and awkward texts, in small books in temporary folders. The last class spoils every
single character that weave answers for, one at a time. Run it with `python3 tests/book/weave_test.py`; it
takes a few seconds.
"""
import contextlib
import io
import os
import random
import re
import select
import socket
import stat
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
import unittest.mock
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "book"))
import try_it  # noqa: E402
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


def code(body):
    return f"<!-- code: {body} -->\n<!-- /code -->\n"


def output(body):
    return f"<!-- run: {body} -->\n<!-- /run -->\n"


QUESTIONS = "## Check your understanding\n\n<details>Because.</details>\n<details>It would not.</details>\n"
PAGE = f"""\
# A queue

{code("common/queue.h#queue")}
See [how to put](#to-put), [the next page](02-next.md#one-more) and ![it](figures/queue.svg).

## To put

{code("common/queue.h#put")}
{QUESTIONS}"""
NEXT = f"# Next\n\n## One more\n\n<!-- sketch: the standard's own words -->\n```cpp\nint main();\n```\n\n{QUESTIONS}"


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

    def read(self, path="book/00-page.md"):
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
        self.write(f"book/{name}", text)

    def woven(self, text):
        """What weave makes of a page."""
        self.page(text)
        status, printed = self.weave()
        self.assertEqual(status, 0, printed)
        return self.read()

    def assert_clean(self, *arguments, summary=""):
        status, printed = self.weave("--check", *arguments)
        self.assertEqual(status, 0, printed)
        self.assertIn(summary, printed)

    def assert_problem(self, place, text, *arguments):
        """--check must fail, and say this of this place; returns all the places it names."""
        status, printed = self.weave("--check", *arguments)
        self.assertEqual(status, 1, f"this was not noticed: {text}\n{printed}")
        lines = [line for line in printed.splitlines() if not line.startswith(" ")]
        self.assertTrue([line for line in lines if line.startswith(f"{place}: ") and text in line],
                        f"no '{place}: … {text}' in:\n{printed}")
        return lines

    def assert_only_problem(self, place, text, *arguments):
        self.assertEqual(len(lines := self.assert_problem(place, text, *arguments)), 1, lines)

    def assert_faults(self, rows):
        """Each row: a page, the line that is named, and what is said of it."""
        for text, line, said in rows:
            with self.subTest(text):
                self.page(text)
                self.assert_only_problem(f"book/00-page.md:{line}", said)


class Weaving(Book):
    def test_a_book_is_woven_once_and_again_after_a_change(self):
        self.write("common/queue.h", HEADER)
        self.assert_clean(summary="0 pages, 0 listings, 0 outputs, 0 links, 0 sketches")
        self.clean_book()
        self.assert_clean(summary="2 pages, 2 listings, 0 outputs, 3 links, 1 sketches, 0 lines left out")
        self.assertNotIn("wrote", self.weave()[1])
        self.replace("common/queue.h", "items.push_back", "items.push_front")
        before = self.read("book/01-queue.md")
        self.assert_problem("book/01-queue.md:3", "stale listing of common/queue.h#queue; run book/weave.py")
        self.assert_problem("book/01-queue.md:19", "stale listing of common/queue.h#put")
        self.assertIn("\n    +        items.push_front(item);\n", self.weave("--check")[1])
        self.assertEqual(self.read("book/01-queue.md"), before)
        self.assertIn("wrote book/01-queue.md\n", self.weave()[1])
        self.assert_clean()
        self.assertIn("items.push_front", self.read("book/01-queue.md"))

    def test_a_fence_is_longer_than_those_it_holds_and_marks_in_a_list_keep_its_indentation(self):
        self.write("learn", "# ```\n#\n```cpp\n")
        self.assertIn("<sub>[learn](../learn)</sub>\n````sh\n# ```\n#\n```cpp\n````\n", self.woven(code("learn")))
        self.assert_clean()
        self.write("common/a.h", "struct A {\n\n};\n")
        page = self.woven("1. First\n\n   <!-- code: common/a.h -->\n   <!-- /code -->\n")
        self.assertIn("</sub>\n   ```cpp\n   struct A {\n\n   };\n   ```\n   <!--", page)
        for spoiled in ["};", "  x};", "    };"]:
            self.page(page.replace("   };", spoiled))
            self.assert_problem("book/00-page.md:3", "stale listing")

    def test_line_ends_and_bytes_of_a_page_stay(self):
        self.clean_book()
        for path in ["common/queue.h", "book/01-queue.md"]:
            self.write(path, self.read(path).replace("\n", "\r\n"))
        self.assert_clean()
        self.replace("common/queue.h", "push_back", "push_front")
        self.weave()
        self.assert_clean()
        self.assertNotIn("\n", self.read("book/01-queue.md").replace("\r\n", ""))
        self.write("common/queue.h", self.read("common/queue.h").rstrip())
        self.assertTrue(self.woven(code("common/queue.h").rstrip()).endswith("\n```\n<!-- /code -->"))
        (self.root / "book/00-page.md").write_bytes(b"caf\xe9\n" + code("common/queue.h").encode())
        self.weave()
        page = (self.root / "book/00-page.md").read_bytes()
        self.assertTrue(page.startswith(b"caf\xe9\n") and b"struct Queue" in page)

    def test_list_names_the_page_that_shows_each_region(self):
        self.clean_book()
        self.write("common/b.h", "// [b]\nint b;\n// [/b]\n")
        self.assertEqual(self.weave("--list"), (0, "common/b.h#b: no page\n"
                                                "common/queue.h#put: book/01-queue.md:19\n"
                                                "common/queue.h#queue: book/01-queue.md:3\n"))
        self.page(code("common/b.h"))
        self.assertTrue(self.weave("--list")[1].startswith("common/b.h: book/00-page.md:1\n"))

    def test_a_script_ends_with_its_status(self):
        for path in ("book/weave.py", "book/try_it.py", "tests/practice_site/practice_site.py"):
            self.write(path, (ROOT / path).read_text(), program=True)
        for page, status in [("# Page\n", 0), ("[dead](dead.md)\n", 1)]:
            self.page(page)
            run = subprocess.run([sys.executable, self.root / "book/weave.py", "--check"], stdout=subprocess.PIPE)
            self.assertEqual(run.returncode, status, run.stdout)


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
        page = self.woven(code(f"{path}#step {options}"))
        self.assert_clean()
        (self.root / path).unlink()
        return page.split("\n```\n")[0].split("\n", 3)[3]

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
        self.assertIn("<sub>[common/a.h, lines 2–25, 13 left out](../common/a.h#L2-L25)</sub>", self.read())
        self.write("common/a.h", STEP)
        self.assertIn(" sketches, 13 lines left out, 0 long", self.weave("--check")[1])
        self.assertIn("<sub>[common/a.h, lines 1–26, 1 left out](../common/a.h#L1-L26)</sub>",
                      self.woven(code('common/a.h without="work"') + code("common/a.h#step")))

    def test_lines_in_between_stay_and_so_does_what_an_if_or_a_loop_controls(self):
        cpp = "  // One.\n// Two.\ntrace();\nf(')');"
        for path, text, left in [
                ("tests/a.py", "x = 1\n\n  # Two.\n  trace(1)\n\n# Three.\ny = 2",
                 "x = 1\n\n  # …\n\n# Three.\ny = 2"),
                ("learn", "# One.\ntrace 1\n\n# Two.\n\ntrace 2", "# …\n\n# Two.\n\n# …"),
                ("common/a.lua", "local trace = 1\nlocal b = 2", "-- …\nlocal b = 2"),
                ("common/a.h", cpp, "  // One.\n// Two.\n// …\nf(')');"),
                ("common/a.h", cpp.replace("f(", "// Three.\nf("), "  // One.\n// …\n// Three.\nf(')');"),
                ("common/a.h", "  // One.\n// Two.\ng();\n// Three.\ntrace(')');", "  // One.\n// Two.\ng();\n// …"),
                *[("common/a.h", *row) for row in [
                    ("for (x : xs)\n    trace(x);\nfor (x : xs)\n    f(x);", "// …\nfor (x : xs)\n    f(x);"),
                    ("if (a)\n    f();\nelse\n    trace();\ng();", "if (a)\n    f();\n// …\ng();"),
                    ("while (a)\n    if (b &&\n        c)\n        trace();\ng();", "// …\ng();"),
                    ("if (a) {\n    trace();\n    f();\n}", "if (a) {\n    // …\n    f();\n}"),
                    ("if (a &&\n    b) {\n    trace();\n}", "if (a &&\n    b) {\n    // …\n}"),
                    ("if (a) {\n    f();\n} else { // b\n    trace();\n}",
                     "if (a) {\n    f();\n} else { // b\n    // …\n}"),
                    ("if (a)\n    f();\ntrace();\ng();", "if (a)\n    f();\n// …\ng();")]]]:
            mark = {".h": "//", ".lua": "--"}.get(Path(path).suffix, "#")
            with self.subTest(text):
                text = f"{mark} [step]\n{text}\n{mark} [/step]\n"
                self.assertEqual(self.listing('without="trace"', text, path), left)

    def test_lines_that_come_later_leave_no_trace_and_are_marked_where_they_are_new(self):
        self.write("common/a.h", "// [step]\nint a = 1;\n\n// [place]\n// Where it is.\nPlace place;\n// [/place]\n\n"
                                 "// [f]\nvoid f() {\n    place = here();\n    g();\n}\n// [/f]\n// [/step]\n")

        def shown(*options):
            """Language and lines of each listing of a page, and then those that this test is not about."""
            page = self.woven("".join(code(f"common/a.h#{one}") for one in [*options, "place", "f"]))
            return re.findall(r"(?s)</sub>\n```(.*?)\n```\n", page)[:len(options)]
        later = 'step later="[Pp]lace"'
        grown = ("diff\n int a = 1;\n\n+// Where it is.\n+Place place;\n+\n void f() {\n+    place = here();\n"
                 "     g();\n }")
        first, second, third = shown(later, "step", "step")
        self.assertEqual(first, "cpp\nint a = 1;\n\nvoid f() {\n    g();\n}")
        self.assertIn("<sub>[common/a.h, lines 2–14, 4 to come](../common/a.h#L2-L14)</sub>\n", self.read())
        self.assertEqual(second, grown)
        self.assertEqual(third, grown.replace("\n ", "\n").replace("+", "").replace("diff", "cpp"))  # old by now
        self.assertEqual(shown('step later="[Pp]lace|g[(]"', 'step later="g[(]"', "f")[1:],
                         [grown.replace("\n     g();", ""), "diff\n void f() {\n     place = here();\n+    g();\n }"])
        self.assertEqual(shown(later, 'step without="here[(]"')[1],
                         grown.replace("+    place = here();", "     // …"))
        self.assertEqual(shown(later, "place")[1], "cpp\n// Where it is.\nPlace place;")  # all new: no marks
        self.assertEqual(shown(later, 'step point="^int a" point="place = here.*\\n.*g"')[1].split("\n")[0],
                         "diff {1,7-8}")

    def test_what_is_to_come_must_come(self):
        self.write("common/a.h", "// [a]\nint a;\n\nint b;\nint c;\n// [/a]\n")
        self.page(code("common/a.h") + code('common/a.h#a later="b|c"'))  # before it isn't after it
        self.weave()
        self.assert_only_problem("book/00-page.md:10",
                                 "no later listing shows what is to come here: common/a.h:4, common/a.h:5")
        self.page(code("common/a.h#a"), "a-later.md")
        self.weave()
        self.assert_clean()

    def test_what_cannot_be_left_out_is_refused(self):
        region = "// [step]\n{}\n// [/step]\n"
        broken = STEP.replace("forget();", "} else {").replace("\n}\n", "\n")
        bracket, many = "alone: a bracket's other end is", code("common/a.h#old")
        for text, options, said in [
                *[(broken, f'without="{pattern}"', bracket) for pattern in ["error", "^    }", "void step", "else"]],
                (region.format("if (a)\n    trace();\nelse\n    f();"), 'without="trace"',
                 "can't leave out `trace();` alone: an `else` follows"),
                (region.format("if (a) {\n    f();\n} else\n    trace();"), 'without="trace"',
                 f"can't leave out `}} else` {bracket}"),
                (STEP, 'without="("', 'without="(" is no regular expression'),
                *[(STEP, options, 'without="traec" finds no line') for options in
                  ['without="trace" without="traec"', 'without="traec"', 'from=old without="traec"']],
                *[(STEP, options, "can't read `common/a.h#step ") for options in
                  ["without=trace", 'without=""', 'without="trace', 'witout="trace"',
                   'without="trace"  without="work"', "from=step from=step", 'from="step"']]]:
            with self.subTest(options, said=said):
                self.write("common/a.h", text + "// [old]\nint a;\n// [/old]\n")
                self.page(code(f"common/a.h#step {options}") + many + code("common/a.h"))
                self.weave()
                self.assertEqual([said in line for line in self.weave("--check")[1].splitlines()
                                  if line.startswith("book/00-page.md:1: ")], [True])

    def test_both_sides_of_a_change_lose_lines(self):
        self.write("common/a.h", "// [old]\nint a;\nint b;\ntrace(1);\n// [/old]\n"
                                 "// [new]\nint a;\nint c;\ntrace(2);\n// [/new]\n")
        for options, shown in [
                ('from=old without="trace"', "<sub>[common/a.h, lines 7–9, 1 left out](../common/a.h#L7-L9), changed from "
                 "[common/a.h, lines 2–4, 1 left out](../common/a.h#L2-L4)</sub>\n"
                 "```diff\n int a;\n-int b;\n+int c;\n // …\n```\n"),
                ('without="trace" without="int a" from=common/a.h#old', "diff\n // …\n-int b;\n+int c;\n // …\n```"),
                ('from=old without="int b"', "-// …\n-trace(1);\n+int c;\n")]:
            self.assertIn(shown, self.woven(code(f"common/a.h#new {options}")))


SKETCH = "<!-- sketch: not ours -->\n\n```cpp\nint a;\n```\n"


class Points(Book):
    """The lines that a page is about."""

    TEXT = "// [a]\nint a;\n\nif (a) {\n    b();\n    c();\n}\nreturn a;\n// [/a]\n"

    def setUp(self):
        super().setUp()
        self.write("common/a.h", self.TEXT)

    def test_marked_lines_are_told_behind_the_language(self):
        for options, marks in [
                ('point="int a"', " {1}"), ('point="return" point="int"', " {1,7}"), ('point="b.*\\n.*c"', " {4-5}"),
                ('point="if[^}]*}" point="int"', " {1,3-6}"), ('point="^int a;$"', " {1}"), ("", ""),
                ('point="int.*\\n"', " {1}"),             # the end of a line is no new line
                ('point="\\n    c"', " {5}"),             # nor does one begin before it
                ('point="\\n.*b"', " {4}"), ('point=";\\n    c"', " {4-5}"), ('point="\\n\\nif"', " {2-3}"),
                ('point="(?<=if [(]a[)] {\\n)    b"', " {4}"),
                ('point="…" without="c[(]"', " {5}"), ('point="return" later="c[(]" --', " {6}")]:
            with self.subTest(options):
                more = code("common/a.h#a") * options.endswith("--")
                self.assertIn(f"</sub>\n```cpp{marks}\nint a;\n",
                              self.woven(code(f"common/a.h#a {options.removesuffix(' --')}".rstrip()) + more))
                self.assert_clean()

    def test_marks_that_find_nothing_or_too_much_are_refused(self):
        one = "this listing; it must find one"
        for options, said in [
                ('point="d"', f'point="d" finds no places in {one}'), ('point="a"', f'point="a" finds 3 places in {one}'),
                ('point="int b"', "finds no places"), ('point="c[(]" without="c[(]"', "finds no places"),
                ('point=""', 'point="" finds nothing but blanks'), ('point="^"', "finds nothing but blanks"),
                ('point="\\n\\n"', "finds nothing but blanks"), ('point=" *"', "finds nothing but blanks"),
                ('point="int" point="int"', 'point="int" finds a line that is marked already'),
                ('point="b" point="[(][)];\\n    c"', "finds a line that is marked already"),
                ('point="(?s).*a;"', "the whole listing is marked, so nothing is"),
                ('point="("', 'point="(" is no regular expression'),
                ("point=int", "can't read"), ('pont="int"', "can't read"), ('later=""', "can't read"),
                ('without=""', "can't read"), ('about=""', "can't read")]:
            with self.subTest(options):
                self.page(code(f"common/a.h#a {options}") + code("common/a.h#a"))
                self.weave()
                self.assert_only_problem("book/00-page.md:1", said)

    def test_a_mark_that_no_longer_finds_its_line_is_noticed(self):
        self.woven(code('common/a.h#a point="c[(]"'))
        self.replace("common/a.h", "c();", "d();")
        self.assert_only_problem("book/00-page.md:1", 'point="c[(]" finds no places')
        self.replace("common/a.h", "    b();\n    d();", "    c();\n    b();")
        self.assert_only_problem("book/00-page.md:1", "stale listing of common/a.h#a point")


class Faults(Book):
    """What an author gets wrong."""

    def setUp(self):
        super().setUp()
        self.clean_book()

    def test_what_is_no_region_or_file_is_reported(self):
        self.assert_faults([
            *[(code(path), 1, f"no file `{path.split('#')[0]}`") for path in
              ["common/que.h#put", "common/queue.h:6-8", f"../{self.root.name}/common/queue.h#put",
               str(self.root / "common/queue.h"), "common#put"]],
            (code("common/queue.h#puts"), 1, "missing region common/queue.h#puts; there are ['put', 'queue']"),
            (code("common/queue.h #put"), 1, "can't read `common/queue.h #put`"),
            (code("common/queue.h#put from=put"), 1, "there is no change")])
        self.write("common/a.h", "int a;\n<!-- /code -->\n")
        self.page(code("common/a.h"))
        self.assertIn("is itself a mark", self.weave()[1])
        self.assertNotIn("int a;", self.read())

    def test_a_broken_region_is_reported(self):
        once = "] must open once and then close once"
        for path, text, problems in [
                ("common/queue.h", HEADER + "// [put]\nint b;\n// [/put]\n",
                 {16: f"region [put{once}; it has markers on lines [5, 9, 14, 16]"}),
                ("tests/a.py", "# [a]\nx = 1\n\n# [/b]\n# [/c]\n# [c]\n",
                 {1: f"region [a{once}", 4: f"region [b{once}", 6: f"region [c{once}"}),
                ("common/a.h", "int a;\n// [a]\n\n// [/a]\n", {2: "empty region [a]"}),
                *[(path, "#!/bin/sh\n# [a]\necho\n# [/a]\n", {2: "unused region [a]"})
                  for path in ["tests/stage1/b.py", "learn", ".ci/run", "book/make.py"]]]:
            self.write(path, text)
            for line, said in problems.items():
                self.assert_problem(f"{path}:{line}", said)
            (self.root / path).unlink()

    def test_what_only_looks_like_a_region_is_ignored(self):
        self.write("common/a.h", "// [x] is the unknown\n/// [x]\nint a; // [x]\n// [X]\n// [a b]\n"
                                 "// [0, 1)\n//[x]\n# [x]:\n")
        self.write("common/notes.txt", "// [x]\n# [x]\n")
        for folder in ["build", "common/build", "tests/build-x/y", "tests/book", "book/__pycache__",
                       "common/.cache", "elsewhere"]:
            self.write(f"{folder}/a.cpp", "// [x]\n")
        self.write("common/b.h", "// [x]\nint a;\n// [/x]\n// [y]\nint b;\n// [/y]\n")
        self.woven(code("common/b.h#y from=x"))  # the old side of a change is shown, too
        self.assert_clean()

    def test_marks_without_a_partner_are_reported_and_the_page_is_left_alone(self):
        put = "<!-- code: common/queue.h#put -->"
        for marks, line, said in [
                (put, 2, "<!-- code"), ("<!-- run: true -->\n<!-- /code -->", 2, "<!-- run"),
                ("<!-- run: true -->\n<!-- /code -->", 3, "<!-- /code"), ("<!-- /run -->", 2, "<!-- /run"),
                (f"<!-- /run -->\n{put}\n<!-- /code -->", 2, "<!-- /run"),
                (f"{put}\n{put}\n<!-- /code -->", 2, "<!-- code")]:
            self.page(f"text\n{marks}\ntext\n")
            self.assert_problem(f"book/00-page.md:{line}", "mark without a partner: " + said)
            before = self.read()
            self.assertEqual(self.weave()[0], 1)
            self.assertEqual(self.read(), before)

    def test_fences_are_closed_and_hold_no_pasted_code(self):
        self.assert_faults([
            ("text\n\n```console\n$ true\n", 3, "never closed"),
            *[(f"text\n\n{fence}\n", 3, "hand-pasted code") for fence in
              ["```cpp\nint a;\n```", "~~~ C++\nint a;\n~~~", "> ```cpp\n> int a;\n> ```",
               "- ```h\n  int a;\n  ```", "``````{.cc}\nint a;\n``````"]],
            (SKETCH + "```cpp\nint a;\n```\n", 6, "hand-pasted code"),  # it excuses the next fence only
            (SKETCH.replace("\n\n", "\ntext\n"), 3, "hand-pasted code"),
            (SKETCH.replace(" not ours", ""), 3, "hand-pasted code")])
        self.page("```console\nint a;\n```\n" + SKETCH)
        self.assert_clean(summary="3 pages, 2 listings, 0 outputs, 3 links, 2 sketches")
        page = self.read("book/01-queue.md").replace("};\n```\n", "};\n``\n")
        self.write("book/01-queue.md", page)
        self.weave()
        self.assert_clean()
        self.assertIn("See [how to put]", self.read("book/01-queue.md"))

    def test_marks_and_links_in_other_fences_and_inline_code_are_text(self):
        self.page("```markdown\n<!-- code: nowhere -->\n[dead](dead.md)\n```\n~~~\n```cpp\n~~~\n```\n```\n"
                  "> ```\n> [dead](dead.md)\n> ```\n"
                  "Write `[dead](dead.md)`, ``a ` [dead](dead.md)`` and `<!-- /code -->`.\n<!-- [dead](dead.md) -->\n")
        self.assert_clean()

    def test_a_numbered_page_asks_and_answers_and_others_need_not(self):
        ask = "# Page\n<details></details>\n## Check your understanding\n<details>a</details>\n"
        more = "<details>b</details>\n"
        for text, line, said in [("# Page\n", 1, "no heading \"Check your understanding\""),
                                 (ask, 3, "fewer than two <details>"),
                                 (ask + "## More\n" + more, 3, "fewer than two <details>")]:
            self.page(text, "03b-page.md")
            self.assert_only_problem(f"book/03b-page.md:{line}", said)
        self.page(ask + "### First\n" + more, "03b-page.md")
        for name in ["00-before.md", "a-reading.md", "b-cpp.md", "README.md"]:
            self.page("# Page\n", name)
        self.assert_clean()


class Links(Book):
    def setUp(self):
        super().setUp()
        self.clean_book()

    def test_dead_links_are_reported(self):
        self.write("build/a", "")
        self.assert_faults([(text + "\n", line, f"dead link `{target}`") for text, line, target in [
            ("see\n[x](03-gone.md)", 2, "03-gone.md"),
            ("[a\nb](03-gone.md)", 2, "03-gone.md"),
            ("[x](02-next.md#One-more)", 1, "02-next.md#One-more"),
            ("# Here\n\n[x](#there)", 3, "#there"),
            ("[x](#)", 1, "#"),
            ("[x]()", 1, ""),
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
            ("[x](../common/queue.h#L6-L8)", 1, "../common/queue.h#L6-L8"),
            ("[x](queue.h:6)", 1, "queue.h:6"),
            ("[x](figures#L6)", 1, "figures#L6")]])
        self.assert_faults([("text\n\n[x](02-next.md and more)\n", 3, "malformed link"),
                            ("text\n\n[x][nothing]\n", 3, "nothing defines [nothing]")])

    def test_good_links_are_accepted(self):
        self.write("book/with space (1).md", "# C++20: `Future<T>`, *and* [more](02-next.md)\n")
        self.page("# Here & there\n\n[a](02-next.md) [b](02-next.md#one-more) [c](#here--there)\n"
                  "[d](../common/) [e](..)\n"
                  "[f](https://example.org/gone.md) [g](mailto:a@example.org) [h](//example.org/x)\n"
                  "[i](with%20space%20(1).md) [j](<with space (1).md#c20-futuret-and-more>)\n"
                  "![k](figures/queue.svg?raw=true \"title\") [l][m] [M][] [m] [^1][^1]\n"
                  "<a id=\"anchor\"></a> [n](#anchor) <img src='figures/queue.svg'> a list[3] (of three)\n\n"
                  "[m]: 02-next.md \"title\"\n[^1]: A footnote.\n")
        self.assert_clean()

    def test_anchors_are_those_of_github(self):
        for heading, anchor in [
                ("Sockets that don't wait", "sockets-that-dont-wait"),
                ("`Future<T>` and `std::span`", "futuret-and-stdspan"),
                ("C++20 — in short", "c20--in-short"),
                ("A *very* **bold** _claim_ ~~struck~~", "a-very-bold-claim-struck"),
                ("With [a link](x.md#y) and [another][z]", "with-a-link-and-another"),
                ("Write `[x](y)`", "write-xy"),
                ("snake_case stays, <b>tags</b> go", "snake_case-stays-tags-go"),
                ("closed ##", "closed"),
                ("Überholt 3.2", "überholt-32")]:
            self.page(f"## {heading}\n", "03-x.md")
            self.assertIn(anchor, weave.Page(self.root, "book/03-x.md").anchors(), heading)
        self.page("# A\n# B\n## A\n### A\n```\n# C\n```\n#no\n", "03-x.md")
        self.assertEqual(weave.Page(self.root, "book/03-x.md").anchors(), {"a", "b", "a-1", "a-2"})


class Figures(Book):
    def figures(self):
        """What --figures prints below its header, and before the summary."""
        status, printed = self.weave("--check", "--figures")
        self.assertEqual(status, 0, printed)
        header, *lines, self.summary = printed.splitlines()
        self.assertEqual(header, "    words listings left out")
        return lines

    def test_a_long_page_gets_a_warning_unless_it_says_why(self):
        self.clean_book()
        self.page("word " * 2000 + "\n```\n" + "code " * 100 + "\n```\n")
        self.assertNotIn("warning", self.weave("--check")[1])
        for page, words in [("word " * 2001, 2001), ("word " * 2001 + "\n```\n<!-- long: no mark -->\n```\n", 2001),
                            ("`a <` " + "word " * 2000 + " `>`", 2003)]:  # inline code has no tags
            self.page(page)
            status, printed = self.weave("--check")
            self.assertEqual(status, 0)
            self.assertTrue(printed.startswith(f"warning: book/00-page.md: {words} words;"), printed)
            self.assertIn(", 1 long pages,", printed)
        self.page("word " * 2001 + "\n\n<!-- long: it lists all words -->\n\n<sub>small print</sub>\n")
        self.assertEqual(self.figures(), [
            "     2001        0        0  book/00-page.md", "    long: it lists all words",
            "       25        2        0  book/01-queue.md",
            "       13        0        0  book/02-next.md"])
        self.assertIn(", 1 long pages,", self.summary)
        self.assert_faults([
            ("word " * 2000 + "\n\n<!-- long: it lists all words -->\n", 3, "this page isn't long: it has 2000 words"),
            ("<!-- long: it excuses no fence -->\n```cpp\nint a;\n```\n" + "word " * 2001, 2, "hand-pasted code")])

    def test_lines_left_out_are_counted(self):
        self.write("common/a.h", "// [b]\n" + "int a;\n" * 12 + "int b;\n" * 14 + "// [/b]\n")
        self.woven(code('common/a.h#b without="a"') + code('common/a.h#b point="a;\\nint b"'))
        self.assertEqual(self.figures(), ["        0        2       12  book/00-page.md"])
        self.assertTrue(self.summary.endswith(", 12 lines left out, 0 long pages, 1 listings with a point, "
                                              "0 links to try a program"),
                        self.summary)

    def test_no_listing_may_be_longer_than_what_a_reader_keeps_in_mind(self):
        for lines, more in [(40, ""), (41, "a listing of 41 lines; over 40, split it")]:
            text = "\n".join(["x"] * lines)
            self.write("common/a.h", f"// [a]\n{text}\n// [/a]\n// [b]\n" + text.replace("x", "y", 1) + "\n// [/b]\n")
            both = code("common/a.h#a") + code("common/a.h#b")
            for page, at in [(both, 1), (f"text\n\n```yaml\n{text}\n```\n" + code("common/a.h"), 3),
                             (f"<!-- run: seq {lines - 1} ; unchecked=\"x\" -->\n```console\n$ seq {lines - 1}\n"
                              + "\n".join(map(str, range(1, lines))) + "\n```\n<!-- /run -->\n", 1)]:
                with self.subTest(page[:30], lines=lines):
                    self.page(page)
                    printed = self.weave()[1]
                    said = [line for line in printed.splitlines() if line.startswith(f"book/00-page.md:{at}: ")]
                    self.assertEqual(said and said[0].partition(": ")[2][:len(more)], more or [], printed)

    def test_code_to_ignore_is_left_out_or_said_to_be_what_a_listing_is_about(self):
        ignored = ["tracer_.ready(event);", "Tracer& tracer;", "trace(why);", "TracedFetch told;",
                   "const CallbackRuns runs;", "Witness* w;", "f(witness);", "f(); // NOLINT",
                   "FailOnPurpose never;", "fail_parsing.count();", "[[gnu::noinline]] void f();"]
        others = ["retrace(why);", "TracedError error;", "fail(parsing);"]
        self.write("common/a.h", "\n".join(["// [a]", *ignored, "// [/a]", "// [b]", *others, "// [/b]"]))
        shown = code("common/a.h#b")
        self.page(code("common/a.h#a") + shown)
        self.weave()
        self.assert_only_problem("book/00-page.md:1", "code to ignore in common/a.h#a; leave it out, or say")
        self.assertIn("\n    ".join([" is about:", *ignored]) + "\n", self.weave("--check")[1])
        self.woven(code('common/a.h#a about="what a trace costs"') + shown)
        self.assertEqual(self.figures(), ["        0        2        0  book/00-page.md",
                                          "    about what a trace costs: common/a.h#a"])
        self.woven(code('common/a.h#a about="x" without="trace[(]"') + shown)
        self.page(code('common/a.h#a about="x" without="."') + shown)
        self.weave()
        self.assert_only_problem("book/00-page.md:1", "there is nothing to ignore in this listing")


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

server = http.server.HTTPServer(("127.0.0.1", int(sys.argv[sys.argv.index("--port") + 1])), Handler)
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
        self.build = ["--build", str(self.root / "out")]

    def program(self, script, path="out/x"):
        self.write(path, f"#!/bin/sh\n{script}\n", program=True)

    def shown(self, run=None):
        """Weaves a page with this run mark, and returns the text between its fences."""
        if run:
            self.page(output(run))
        status, printed = self.weave(*self.build)
        self.assertEqual(status, 0, printed)
        self.assert_clean(*self.build)
        return self.read().split("```console\n")[1].split("\n```\n")[0]

    def test_a_changed_output_is_stale_and_figures_alone_are_not(self):
        self.page(output("build/x"))
        self.assert_only_problem("book/00-page.md:1", "no output of `build/x` here; run book/weave.py --build build")
        self.assertEqual(self.shown(), "$ build/x\none\ntwo\ntook 12 ms")
        self.assert_clean(summary="1 pages, 0 listings, 1 outputs, 0 links, 0 sketches")
        self.assertNotIn("wrote", self.weave(*self.build)[1])
        self.program("echo one; echo two; echo took 1.5 ms")
        self.assertIn("took 12 ms", self.shown())
        self.assertIn("took 1.5 ms", self.shown("build/x"))
        self.program("echo one; echo three >&2; echo took 99 ms")
        self.assert_clean()
        self.assert_only_problem("book/00-page.md:1", "stale output of `build/x`; run book/weave.py "
                                 f"--build {self.root}/out", *self.build)
        self.assertIn("\n    -two\n    +three\n", self.weave("--check", *self.build)[1])
        self.assertEqual(self.shown(), "$ build/x\none\nthree\ntook 99 ms")

    def test_the_exit_status_must_be_the_expected_one(self):
        self.program("echo no such host; exit 3")
        text = "`build/x` ended with status 3, not 0; its last line: no such host"
        self.page(output("build/x"))
        self.assert_only_problem("book/00-page.md:1", text, *self.build)
        self.assertIn(text, self.weave(*self.build)[1])
        self.assertEqual(self.shown("build/x ; status=3"), "$ build/x\nno such host")
        self.program("kill -9 $$")
        for run, said in [("build/x ; status=3", "status 137, not 3; its last line:"),
                          ("kill -9 $$", "status 137, not 0; its last line: (it printed nothing)"),
                          ("build/y", "ended with status 127"),
                          ("kill -9 $$ ; terminal", "status 137, not 0; its last line: (it printed nothing)")]:
            self.page(output(run))
            self.assert_only_problem("book/00-page.md:1", said, *self.build)

    def test_a_command_that_does_not_end_is_ended_with_all_its_processes(self):
        os.mkfifo(self.root / "alive")
        alive = os.open(self.root / "alive", os.O_RDONLY | os.O_NONBLOCK)  # at its end if no process writes to it
        self.addCleanup(os.close, alive)
        before = sorted(os.listdir("/dev/fd"))
        for command in ["sleep 60", "sleep 60 | cat", "sleep 60 &", "exec sleep 60 >&- 2>&-",
                        "(while :; do echo on; done)"]:
            for options in ["timeout=0.2", "timeout=0.2 ; terminal"]:
                with self.subTest(command, options=options):
                    command = f"exec 3>alive; {command}"
                    self.page(output(f"{command} ; {options}"))
                    start = time.monotonic()
                    self.assert_only_problem("book/00-page.md:1", f"`{command}` did not end within 0.2 s", *self.build)
                    self.assertLess(time.monotonic(), start + 10)
                    self.assertTrue(select.select([alive], [], [], 10)[0], "a process is left")
        self.page(output("echo ; terminal"))
        self.weave(*self.build)
        self.assertEqual(sorted(os.listdir("/dev/fd")), before)

    def test_reading_ends_in_time_though_there_is_more_and_no_failure_is_taken_for_the_end(self):
        self.write("file", "x" * 100_000)
        for mode, late, outcome in [("rb", -1, TimeoutError), ("wb", 60, io.UnsupportedOperation)]:
            with open(self.root / "file", mode, buffering=0) as file, self.assertRaises(outcome):
                weave.read_to_end(file, time.monotonic() + late)

    def test_a_command_runs_in_the_same_surroundings_everywhere(self):
        self.program('cat; echo "$LC_ALL $BUILD"; pwd; echo "$0 ${0%/x}x"; echo ../../a.cpp:3')
        (self.root / "out/deep").mkdir()
        self.write("out/deep/x", self.read("out/x"), program=True)
        self.page(output("A=1 build/x && ls my-build/ ./build/deep tests/build/"))
        for path in ("my-build/mine", "tests/build/theirs", "out/deep/deep/ours"):
            self.write(path, "")
        status, printed = self.weave("--build", str(self.root / "out/deep"))
        self.assertEqual(status, 0, printed)
        page = self.read()
        for said in ("$ A=1 build/x && ls my-build/ ./build/deep tests/build/\nC build\n",
                     "\nbuild/x out/deepx\n../a.cpp:3\n", "mine", "ours", "theirs"):
            self.assertIn(said, page)
        self.assertNotIn(str(self.root) + "/", page)

    def test_options_shorten_and_replace_what_is_shown(self):
        self.assertEqual(self.shown('X=1 build/x ; shows="./learn demo"').split("\n")[0], "$ ./learn demo")
        self.program("seq 9")
        for options, shown in [("head=2", "\n1\n2\n…"), ("tail=1", "\n…\n9"), ("head=1 ; tail=2", "\n1\n…\n8\n9"),
                               ("head=5 ; tail=4", "".join(f"\n{n}" for n in range(1, 10)))]:
            self.assertEqual(self.shown(f"build/x ; {options}"), "$ build/x" + shown)
        self.program("true")
        self.assertEqual(self.shown("build/x"), "$ build/x")

    def test_a_command_can_have_a_terminal(self):
        self.program('for fd in 0 1 2; do test -t $fd && echo $fd; done; echo "$TERM $NO_COLOR"')
        size = "stty size <&1"
        for run, shown in [("build/x", "dumb 1"), ("build/x ; terminal", "1\n2\ndumb 1"),
                           (f"{size} ; terminal", "50 80"), ("build/x | cat ; terminal", "2\ndumb 1"),
                           ("build/x 2>/dev/null ; terminal", "1\ndumb 1"),
                           ("seq 30000 ; terminal ; head=2 ; tail=1", "1\n2\n…\n30000"),
                           ("printf '\\303\\274 \\t.' ; terminal", "ü \t."),
                           ("true ; terminal", "")]:
            with self.subTest(run):
                self.assertEqual(self.shown(run).partition("\n")[2], shown)

    def test_on_a_terminal_lines_stay_in_order_and_a_progress_line_is_rubbed_out(self):
        progress = r"printf '\r\033[K50 of 100' >&2"
        self.program(f"{progress}; sleep 0.05; {progress}; printf '\\r\\033[Kone\\n' >&2; echo two; echo three >&2; "
                     f"{progress}; printf '\\r\\033[K' >&2; printf '\\033[1mfour\\033[0m\\n'")
        self.assertEqual(self.shown("build/x ; terminal"), "$ build/x\none\ntwo\nthree\nfour")
        for written, seen in [("abc\rx", "xbc"), ("abc\r\x1b[Kx", "x"), ("abc\r\x1b[0K", ""), ("abc\x1b[2K\rx", "x  "),
                              ("abc\x1b[2Kx", "   x"), ("abc\r\r", "abc"), ("a\tb\a\0", "a\tb"),
                              ("\x1b[38;5;1mred\x1b[m", "red"), ("\x1b[?25lx\x1b[?25h", "x"),
                              ("\x1b]8;;http://a/\x1b\\a\x1b]8;;\x07", "a"), ("\x1b(Bx\x1b7\x1bM", "x")]:
            with self.subTest(written):
                self.assertEqual(weave.left_on_screen(written), seen)

    def test_an_unchecked_output_is_recorded_once(self):
        self.shown('build/x ; unchecked="takes an hour"')
        self.program("echo something else")
        self.assertIn("two", self.shown())
        self.replace("book/00-page.md", "$ build/x", "$ build/y")
        self.assert_problem("book/00-page.md:1", "no output")

    def test_a_command_can_have_a_practice_site(self):
        site = "out/tests/practice_site/practice_site"
        for text, said in [(None, "practice site is not built"), ("#!/bin/sh\nexit 1\n", "did not print its address")]:
            if text:
                self.write(site, text, program=True)
            self.page(output("build/x ; site"))
            self.assert_only_problem("book/00-page.md:1", said, *self.build)
        self.write(site, SITE, program=True)
        self.write("out/get", GET, program=True)
        self.assertEqual(
            self.shown('build/get http://127.0.0.1:8000/a ; site="--pages 9"'),
            "$ build/get http://127.0.0.1:8000/a\nhttp://127.0.0.1:8000/a "
            "['--pages', '9', '--port', '0', '--until-eof'] at 127.0.0.1:8000")
        self.shown("build/get http://127.0.0.1:8000/a ; site")

    def test_with_a_terminal_the_site_has_an_address_as_long_as_the_one_that_is_shown(self):
        self.write("out/tests/practice_site/practice_site", SITE, program=True)
        self.write("out/get", GET, program=True)
        self.program('"$BUILD/get" "$1"; echo "$1"; printf %s "$1" | wc -c | tr -d " "')
        url = "http://127.0.0.1:8000/a"
        mark = f"build/x {url} ; site ; terminal"
        self.assertEqual(self.shown(mark).split("\n"),
                         [f"$ build/x {url}", f"{url} ['--port', '8000', '--until-eof'] at 127.0.0.1:8000",
                          url, str(len(url))])
        with socket.create_server(("127.0.0.1", 0)) as taken, unittest.mock.patch.object(weave, "random") as chance:
            port = taken.getsockname()[1]
            chance.sample.return_value = [port, 0]  # 0: the system chooses one
            self.assertIn(url, self.shown(mark))
            chance.sample.return_value = [port]
            self.page(output(mark))
            self.assert_only_problem("book/00-page.md:1", "no port from 8001 to 8099 is free", *self.build)

    def test_unknown_options_of_a_command_are_refused(self):
        self.assert_faults([
            *[(output(f"build/x ; {option} ; tail=3"), 1, "unknown option or unfit value") for option in
              ["statsu=1", "terminal=1", "status", "status=", "status=one", "head=0", "tail=-1", "only=x",
               "normalise=all", "normalise=", "unchecked", 'shows=""', "timeout=soon",
               "normalise=numbers,", 'shows="a"; head=1', ""]],
            (output("build/x; status=1"), 1, "an option needs a blank before its `;`")])
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


TOUR = """\
// Counts.
#include "stage/count.h"

#include <fmt/core.h>

// [main]
int main() { fmt::print("{}\\n", stage::count()); } // it's one
// [/main]
"""
COUNT = """\
// What counts.
#pragma once

#ifdef ON_IO_URING
#include "stage/ring.h"
#ifdef __linux__
#include <none.h>
#endif
#else
#include "common/clock.h"
#endif

#include <cstdio>
#ifdef __linux__
#include <sys/epoll.h>
#endif

namespace stage {
// NOLINTNEXTLINE(some-check)
int count(); // not "// this"
}
"""
TOUR_WHOLE = """\
// tour, and all that it includes, in one file. The program itself is at the end.

#include <chrono>
#include <cstdio>
#include <fmt/core.h>

// ==== clock.h, a smaller stand-in ====

// No clock.

// ==== count.h ====

// What counts.

#ifdef __linux__
#include <sys/epoll.h>
#endif

namespace stage {
int count(); // not "// this"
}

// ==== count.cpp ====

int stage::count() { return 1; }

// ==== tour_main.cpp ====

// Counts.

int main() { fmt::print("{}\\n", stage::count()); } // it's one
"""


class Tries(Book):
    """Links to programs in the browser."""

    def setUp(self):
        super().setUp()
        for path, text in {
                "stage/meson.build": "tour_exe = executable(\n  'tour',\n  'tour_main.cpp',\n  dependencies: [fmt],\n)\n",
                "stage/tour_main.cpp": TOUR, "stage/count.h": COUNT,
                "stage/count.cpp": '#include "stage/count.h"\n\nint stage::count() { return 1; } // NOLINT\n',
                "common/clock.h": "#include <sys/socket.h>\n", "common/clock.cpp": "int clock;\n",
                f"{try_it.STAND_INS}/common/clock.h": "// No clock.\n#pragma once\n#include <chrono>\n"}.items():
            self.write(path, text)
        self.write("out/stage/tour", "#!/bin/sh\necho 1\n", program=True)

    def shown(self, *commands, tail=""):
        """The links on a page that shows what these commands print, and has `tail` at its end."""
        self.page("".join(map(output, commands)) + code("stage/tour_main.cpp#main") + tail)
        status, printed = self.weave("--build", str(self.root / "out"))
        self.assertEqual(status, 0, printed)
        self.assert_clean()
        return try_it.links_in(self.read())

    def source_in(self, link):
        return try_it.state_in(link)["sessions"][0]["source"]

    def test_a_program_and_what_it_includes_are_one_text(self):
        link = self.shown("build/stage/tour")["tour"]
        self.assertEqual(self.source_in(link), TOUR_WHOLE)

    def test_the_sources_of_a_program_are_the_end_of_its_text(self):
        self.write("stage/more.cpp", '#include "stage/more.h"\nint more() { return 2; }\n')
        self.write("stage/more.h", "int more();\n")
        self.replace("stage/meson.build", "'tour_main.cpp',", "'tour_main.cpp',\n  'more.cpp',")
        text = self.source_in(self.shown("build/stage/tour")["tour"])
        self.assertEqual(re.findall("// ==== (.*) ====", text),
                         ["clock.h, a smaller stand-in", "count.h", "more.h", "count.cpp", "tour_main.cpp", "more.cpp"])

    def test_a_link_tells_compiler_explorer_what_to_compile_and_run(self):
        one, two = self.shown("build/stage/tour 1 --x=y", "build/stage/tour 2").items()
        self.assertEqual((one[0], two[0]), ("tour 1 --x=y", "tour 2"))
        self.assertRegex(one[1], r"^https://godbolt\.org/clientstate/[\w-]+$")
        runs, = try_it.state_in(one[1])["sessions"][0]["executors"]
        self.assertEqual(runs["arguments"], "1 --x=y")
        self.assertEqual(runs["compiler"]["libs"], [{"name": "fmt", "ver": "910"}])
        self.assertEqual(os.path.commonprefix([one[1], two[1]])[:200], one[1][:200])

    def test_links_stand_before_those_to_other_pages_and_follow_the_program(self):
        turn = "\n<!-- turn -->\n---\n<!-- /turn -->\n"
        link = self.shown("build/stage/tour", tail=turn)["tour"]
        self.assertTrue(self.read().endswith(
            f"<!-- /code -->\n\n<!-- try -->\n<sub>Run it on godbolt.org: [`tour`][try-1]</sub>\n\n"
            f"[try-1]: {link}\n<!-- /try -->\n{turn}"))
        self.replace("stage/count.cpp", "return 1", "return 2")
        self.assert_only_problem("book/00-page.md:14", "stale links to try tour; run book/weave.py")
        self.weave()
        self.assert_clean(summary=", 1 links to try a program")
        self.assertIn("return 2", self.source_in(try_it.links_in(self.read())["tour"]))
        self.replace("stage/count.cpp", "int stage", "#include <netdb.h>\nint stage")
        self.assert_problem("book/00-page.md:14", "stale links to try tour")
        self.weave()
        self.assertNotIn("try", self.read())
        self.assertTrue(self.read().endswith(f"<!-- /code -->\n{turn}"))

    def test_a_link_that_another_zlib_has_packed_is_as_good(self):
        link = self.shown("build/stage/tour")["tour"]
        with unittest.mock.patch.object(zlib, "compressobj", lambda _, new=zlib.compressobj: new(1)):
            other = try_it.link_to(try_it.state_in(link))
        self.assertNotEqual(link, other)
        self.replace("book/00-page.md", link, other)
        self.assert_clean()

    def test_without_comments_more_programs_are_short_enough(self):
        noise = random.Random(1).randbytes(6000).hex()
        self.write("stage/count.h", f"{COUNT}// {noise}\n")
        text = self.source_in(self.shown("build/stage/tour")["tour"])
        self.assertIn("The comments of the other files are left out", text)
        self.assertIn('int count();\n}\n\n// ==== count.cpp', text)
        self.assertIn("// it's one", text)
        for length, there in ((len(try_it.link_to(try_it.state_of(text, ""))), True), (100, False)):
            with unittest.mock.patch.object(try_it, "LONGEST", length):
                self.assertEqual("tour" in self.shown("build/stage/tour"), there)
        self.write("stage/count.h", f"{COUNT}int x{noise};\n")
        self.assertEqual(self.shown("build/stage/tour"), {})

    def test_what_looks_like_a_comment_in_a_string_is_not_cut(self):
        noise = random.Random(1).randbytes(6000).hex()
        for line, why in [('auto x = "one // two";', "a string holds what looks like a comment: auto x = \"one // two\";"),
                          ('auto x = R"(\n// one\n)";', "a raw string may hold what looks like a comment"),
                          ('auto x = u8R"(\n// one\n)";', "a raw string may hold what looks like a comment"),
                          ('auto x = "\\" // two";', "a string holds what looks like a comment"), ("auto x = '\"'; // it", None),
                          ('auto x = "one"; // "it', None)]:
            with self.subTest(line):
                self.write("stage/count.h", f"{COUNT}{line}\n")
                self.assertIn(line, self.source_in(self.shown("build/stage/tour")["tour"]))  # whole, it's short enough
                self.write("stage/count.h", f"{COUNT}{line}\n// {noise}\n")
                link = self.shown("build/stage/tour").get("tour")
                said = self.weave("--check", "--figures")[1]
                if why:
                    self.assertIsNone(link)
                    self.assertRegex(said, rf"characters; its comments stay: {re.escape(why)}")
                else:
                    self.assertIn(line.partition(" //")[0] + "\n", self.source_in(link))
        self.write("stage/count.h", f'{COUNT}auto x = "one // NOLINT";\n')
        self.assertEqual(self.shown("build/stage/tour"), {})

    def test_a_comment_behind_an_include_changes_nothing(self):
        self.write("stage/count.h", COUNT.replace("<cstdio>", "<cstdio> // for it"))
        self.replace("stage/tour_main.cpp", '"stage/count.h"', '"stage/count.h"  // for it')
        self.assertEqual(self.source_in(self.shown("build/stage/tour")["tour"]), TOUR_WHOLE)

    def test_figures_tell_why_a_program_has_no_link(self):
        for change, command, why in [
                (None, "build/stage/tour > /dev/null", "it's more than a program and its arguments"),
                (None, "build/stage/tour ; unchecked=\"why\"", "its output is not checked"),
                (None, "build/stage/tour ; shows=\"tour\"", "what the page shows is not all that it does"),
                (None, "build/stage/tour ; terminal", "what the page shows is not all that it does"),
                (("stage/meson.build", "'tour'", "'turn'"), "build/stage/tour", "stage/meson.build names no sources of it"),
                (("stage/count.h", "<cstdio>", "<sys/socket.h>"), "build/stage/tour", "stage/count.h includes <sys/socket.h>"),
                (("stage/count.h", "<cstdio>", "<curl/curl.h>"), "build/stage/tour", "stage/count.h includes <curl/curl.h>"),
                (("stage/count.h", "<cstdio>", '"stage/none.h"'), "build/stage/tour", "there is no stage/none.h"),
                (("stage/count.h", "<cstdio>", "<netdb.h> // for it"), "build/stage/tour", "stage/count.h includes <netdb.h>"),
                (("stage/count.h", "#include <cstdio>", "#include FILE"), "build/stage/tour",
                 "stage/count.h has an include that isn't understood: #include FILE"),
                (("stage/count.h", "#include <cstdio>", "#endif\n"), "build/stage/tour", "this belongs to no #if: #endif"),
                (("stage/count.h", "#include <cstdio>", "#else\n"), "build/stage/tour", "this belongs to no #if: #else"),
                (("stage/count.h", "#include <cstdio>", "#if X\n"), "build/stage/tour", "an #if has no #endif"),
                (("stage/count.h", "#include <cstdio>", "#ifdef WITH_X\n#elif Y\n#endif\n"), "build/stage/tour",
                 "this isn't understood after one of our macros: #elif Y")]:
            with self.subTest(why):
                before = self.read(change[0]) if change else ""
                if change:
                    self.replace(*change)
                self.assertEqual(self.shown(command), {})
                self.assertIn(f"    not to try: {command.split(' ; ')[0]}: {why}\n", self.weave("--check", "--figures")[1])
                if change:
                    self.write(change[0], before)

    def test_each_character_of_links_matters(self):
        link = self.shown("build/stage/tour")["tour"]
        text = self.read()
        first, last = text.index("<!-- try -->"), text.index("<!-- /try -->\n") + 14
        for at in range(first, last):
            in_link = text.index(link) <= at < text.index(link) + len(link)
            if in_link and (at % 9 or text[at + 1] == "\n"):  # there are many; the last may hold no bits
                continue
            for new in ("Y" if text[at] == "X" else "X", ""):
                self.page(text[:at] + new + text[at + 1:])
                self.assertEqual(self.weave("--check")[0], 1, f"{text[at]!r} → {new!r} at {at} went unnoticed")


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

    def test_each_character_of_listings_regions_and_links_matters(self):
        self.clean_book()
        self.write("README.md", '<img src="book/figures/queue.svg">\n\n[x]: book/02-next.md#next\n')
        for name in ["queue", "put"]:
            self.assert_each_matters("book/01-queue.md", f"<!-- code: common/queue.h#{name}", "<!-- /code -->")
        self.assert_each_matters("common/queue.h", "// [queue]", "// [/queue]",
                                 spare=lambda text, at: text[at:].lstrip(" ").startswith("// ["))
        for path, start, end in [("book/01-queue.md", "#to-put", "#to-put"),
                                 ("book/01-queue.md", "02-next.md", "02-next.md"),
                                 ("book/01-queue.md", "figures/queue.svg", "figures/queue.svg"),
                                 ("README.md", "book/figures/queue.svg", "svg"),
                                 ("README.md", "book/02-next.md#next", "next")]:
            self.assert_each_matters(path, start, end)

    def test_each_character_of_a_change_and_of_a_shortened_listing_matters(self):
        for path, text, options in [
                ("common/a.h", "// [y]\nint a;\nint b;\n// [/y]\n// [x]\nint a;\nint c;\n// [/x]\n", "from=y"),
                ("common/b.h", "// [x]\nint a;\n// Of it.\nint b;\n// [/x]\n", 'without="b"'),
                ("common/c.h", "// [x]\nint a;\nint b;\nint c;\n// [/x]\n", 'point="nt b;\\nint c;$"')]:
            self.write(path, text)
            self.woven(code(f"{path}#x {options}"))
            self.assert_each_matters("book/00-page.md", "<sub>" if "point" in options else "<!-- code", "<!-- /code -->")
            if "from" in options:
                self.assert_each_matters(path, "// [y]", "// [/x]")
            (self.root / path).unlink()

    def test_each_character_of_an_output_matters(self):
        self.write("out/x", "#!/bin/sh\necho page 3; echo 'took 12.5 ms   ok'\n", program=True)
        build = ["--build", str(self.root / "out")]
        for mark, figures in [("build/x ; normalise=exact", ""), ("build/x", "12.5")]:
            self.page(output(mark))
            self.weave(*build)
            self.assert_each_matters("book/00-page.md", "```console", "$ build/x\n")  # nothing runs
            with unittest.mock.patch.object(weave, "execute") as execute:  # it would take long
                execute.return_value = ("page 3\ntook 12.5 ms   ok\n", 0)
                self.assert_each_matters("book/00-page.md", "```console", "<!-- /run -->", *build,
                                         spare=lambda text, at: "took" in text[at - 9:at]
                                         and text[at] in figures)


if __name__ == "__main__":
    unittest.main()
