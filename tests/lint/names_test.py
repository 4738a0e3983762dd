#!/usr/bin/env python3
"""names.py finds the names that no page explains, and no others."""
import contextlib
import io
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
import names  # noqa: E402

SAYS = "The function `twist` gives back what it is given.\n"
USES = "twist(1);"


def fenced(code, language="cpp"):
    return f"```{language}\n{code}\n```\n"


class Names(unittest.TestCase):
    def found(self, *pages):
        return [list(words) for words in names.unexplained(dict(zip("abc", pages))).values()]

    def unknown_in(self, *listings):
        return self.found("".join(fenced(code) for code in listings))[0]

    def test_an_unexplained_name_is_found_once_on_each_page(self):
        page = "# One\n\n" + fenced("int a = 1;\n" + USES + USES)
        self.assertEqual(names.problems({"book/01-one.md": page, "book/02-two.md": page}, {}), [
            f"book/{name}.md: line 5: `twist` is used in a listing, but no page so far says what it is"
            for name in ("01-one", "02-two")])

    def test_what_an_earlier_listing_defines_is_known(self):
        defines = fenced("int twist(int number) { return number; }")
        for pages, unknown in [((defines + fenced(USES),), [[]]), ((defines, fenced(USES)), [[], []]),
                               ((fenced(USES) + defines,), [["twist"]]),
                               ((fenced(USES, "console") + fenced("if true { twist }", "rust"),), [[]])]:
            self.assertEqual(self.found(*pages), unknown)

    def test_a_sentence_introduces_a_name(self):
        self.assertEqual(self.found(SAYS + fenced(USES)), [[]])
        self.assertEqual(self.found(SAYS, fenced(USES)), [[], []])
        self.assertEqual(self.found(fenced(USES), SAYS), [["twist"], []])
        self.assertEqual(self.found("It is what `twist(a, 2)` gives back.\n" + fenced("twist(a)")), [[]])

    def test_what_is_below_the_listing_counts_up_to_the_next_heading(self):
        self.assertEqual(self.found("# One\n\n" + fenced(USES) + "\nAnd so on.\n\n- " + SAYS), [[]])
        two = "\n## Two\n\n" + SAYS + fenced(USES)
        self.assertEqual(self.found("# One\n\n" + fenced(USES) + two), [["twist"]])

    def test_code_font_alone_introduces_nothing(self):
        for text in ["`twist`", "See `twist`.", "`twist`, `turn`, and the good old `bend`.", "## " + SAYS,
                     "| name | what |\n| --- | --- |\n| `twist` | " + SAYS.strip() + " |", "> " + SAYS,
                     "<details><summary>More</summary>\n\n" + SAYS + "\n</details>\n", SAYS.replace("`", ""),
                     "What does the function `twist` do then?", fenced(SAYS, "text"), f"<!-- {SAYS} -->",
                     "The file `small/twist.h` has all of it.", "Nothing but `twist.h` has all of it.",
                     "The command `./twist` does that, too."]:
            with self.subTest(text):
                self.assertEqual(self.found(text + "\n\n" + fenced(USES)), [["twist"]])

    def test_comments_strings_and_known_words_do_not_count(self):
        self.assertEqual(self.unknown_in(
            '#include "twist.h"\n// twist\nint a = 1\'000; /* twist;\n */ [[twist]] int b{a};\n',
            'TEST_CASE("twist \\" twist") { CHECK(\'t\' == R"(twist)"); }',
            "std::twist<int> c = std::views::twist; auto d = common::a.size() + c.front().second;"
            "std::twist<int>::turn e;"), [])
        self.assertEqual(self.unknown_in("size();"), ["size"])  # no standard type's

    def test_what_a_listing_declares_is_known(self):
        for code in [
                "Type f(Type& a, const Type* b, Type&& c, std::vector<std::pair<int, Type>> d, int& e, Type** g) "
                "{ use(a, b, c, d, e, g); }",
                "void f(std::string& a, const other* b, Type const& c, small_type& d, std::vector<Type>* e, "
                "struct other& g) { use(a, b, c, d, e, g); }",
                "class Type : Other { Type g(); int a_ = 0; Type* b_; other* c_; void (Type::*h)(int); }; "
                "void Type::k() { use(a_, b_, c_, h, g()); k(); } int Type<int>::l() { use(l()); }",
                "enum class Type { one, two = 2 }; use(Type::one, Type::two);",
                "auto [a, b] = 1; auto f = [c = a, &d = b](int e) { return a + b + c + d + e; }; f();",
                "template <class A, typename B, std::size_t c, class... D> B f(A a) { return f<c, D>(a); }",
                "int a = f(1, 2), b, c{3}; for (const auto& d : c) use(a, b, d);",
                "for (int i = 0, n = 1; i < n; ++i) use(i, n);",
                "using Type = int; namespace space { } space::Type x; concept y = 1; y z;",
                "#define TWIST 1\nTWIST;"]:
            with self.subTest(code):
                known = {"use", "f", "Type", "Other", "other", "small_type"}
                self.assertEqual([name for name in self.unknown_in(code) if name not in known], [])

    def test_what_a_listing_only_uses_is_not_known(self):
        for code, unknown in [
                ("a < b && c > d;", "abcd"), ("(a < b) > c;", "abc"), ("a < f(b > c);", "afbc"),
                ("f(a * b, a & b, c && d);", "fabcd"), ("f(1'000, 'x', g);", "fg"),
                ("a[b] = c;", "abc"), ("[a, &b] {};", "ab"), ("(*a)(b);", "ab"), ("a(b); c = d; e.f(g);", "abcdefg"),
                ("return a; throw b; co_await c(); new d; delete e;", "abcde"),
                ("using a::b; friend class C; class D;", "abCD"), ("struct a b;", "a"), ("enum a { b = c };", "c"),
                ("a::b(c);", "abc"), ("A<int>::b(c);", "Abc"), ("void A::b();", "A"),
                ("int a = 1; b, c, d;", "bcd"), ("f(int a), b, c;", "fbc"), ("int a = f(b, c, d);", "fbcd"),
                ("f(int a, B b);", "fB"),
                ("template <class A> B f();", "B")]:
            with self.subTest(code):
                self.assertEqual(self.unknown_in(code), list(unknown))

    def test_a_parameter_or_variable_is_no_member_and_is_known_on_its_page_only(self):
        takes = fenced("template <class T> void f(int twist) { int turn = twist; }")
        use = fenced("f(twist, turn);")
        self.assertEqual(self.found(takes + use, use), [[], ["twist", "turn"]])
        self.assertEqual(self.found(takes + fenced("f(1).twist; f(2)->turn();")), [["twist", "turn"]])
        self.assertEqual(self.found(takes + fenced("::twist();")), [["twist"]])
        self.assertEqual(self.found(fenced("void g() {}\nnamespace b { struct A { int twist; }; }"),
                                    fenced("f(a.twist);")), [[], ["f", "a"]])

    def test_a_change_is_an_old_and_a_new_text(self):
        lines = fenced(" int g() {\n-    e(1); {\n+    f(2); twist(); {\n     }\n }\n int h();", "diff")
        for text in (lines, "1. One:\n\n" + textwrap.indent(lines, "   ")):
            self.assertEqual(self.found(text, fenced("g(h());")), [["e", "f", "twist"], []])
        parts = fenced("@@ -1,2 +1,3 @@\n void f() {\n+    int a;\n@@ -8 +9,2 @@\n+int b;\n int c;", "diff")
        self.assertEqual(self.found(parts, fenced("f(a, b, c);")), [[], ["a"]])
        for path, unknown in [("a/b.h#c", ["e", "f", "twist"]), ("a/b.py from=c/d.py", [])]:
            self.assertEqual(self.found(f"<!-- code: {path} -->\n{lines}"), [unknown])

    def test_exceptions_have_a_reason_are_few_and_are_needed(self):
        pages = {"book/01-one.md": fenced(USES)}
        why = "page 30 explains it"
        self.assertEqual(names.problems(pages, {"twist": why}), [])
        self.assertEqual(names.problems(pages, {"twist": " "}), ["EXCEPTIONS: `twist` needs a reason"])
        self.assertEqual(names.problems(pages, {"twist": why, "turn": why}),
                         ["EXCEPTIONS: `turn` is explained by now, or used no longer"])
        for count, said in [(20, []), (21, ["EXCEPTIONS has 21 names; 20 are allowed"])]:
            many = {f"twist{number}": why for number in range(count)}
            pages = {"book/01-one.md": fenced(" ".join(f"{name}();" for name in many))}
            self.assertEqual(names.problems(pages, many), said)

    def test_the_pages_of_the_story_are_read_in_their_order(self):
        after = f"{names.LAST + 1}-later.md"
        for files, options, status, said in [
                ({"02-a.md": fenced(USES), "01-b.md": SAYS, "README.md": fenced("turn();"), after: fenced("turn();")},
                 [], 0, "every name in the story's listings is explained\n"),
                ({"03-a.md": fenced(USES), "03a-b.md": SAYS}, [], 1, "book/03-a.md: line 2: `twist` is .*\n"),
                ({"03-a.md": fenced(USES), "03a-b.md": SAYS}, ["--count"], 0,
                 " +1  book/03-a.md\n +0  book/03a-b.md\n +1  in all\n")]:
            with self.subTest(said), tempfile.TemporaryDirectory() as folder:
                for name, text in files.items():
                    Path(folder, "book").mkdir(exist_ok=True)
                    Path(folder, "book", name).write_text(text, encoding="utf-8")
                output = io.StringIO()
                with mock.patch.object(names, "EXCEPTIONS", {}), contextlib.redirect_stdout(output), \
                        mock.patch.object(sys, "argv", ["names.py", *options, folder]):
                    self.assertEqual(names.main(), status)
                self.assertRegex(output.getvalue(), f"^{said}$")


if __name__ == "__main__":
    unittest.main()
