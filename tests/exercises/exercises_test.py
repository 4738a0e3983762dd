#!/usr/bin/env python3
"""Tests of exercises.py: a reader works through three small exercises in a temporary folder, and
through a track of three steps.

The environment variable BUILD names a meson build directory of this repository, whose compiler and
libraries are used. The compiler is slow, so all tests share one folder, and each starts without
any of the reader's files. Except in Memory, what passes is not compiled a second time.
"""
import contextlib
import fnmatch
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
import unittest.mock
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))
import answers  # noqa: E402
import exercises  # noqa: E402
import memory  # noqa: E402
import questions  # noqa: E402
import record  # noqa: E402
import track  # noqa: E402
import wrong  # noqa: E402
import yours  # noqa: E402

BUILD = Path(os.environ.get("BUILD", HERE.parents[1] / "build"))

README = """\
# {number} Say {answer}

Kind: {kind}
About {minutes} minutes.

Return it.

<details><summary>Hint 1</summary>

It is a number.

</details>

<details><summary>Hint 2</summary>

It is small.

</details>

<details><summary>Hint 3</summary>

It is {answer}.

</details>
"""

# It uses a header and a library of the repository, to see that both are found.
TEST = """\
#include "common/system/selector.h"
#include "exercise.h"
#include <doctest/doctest.h>
TEST_CASE("selectors are linked") {{ CHECK(common::make_selector()->size() == 0); }}
TEST_CASE("the answer is right") {{ CHECK_MESSAGE(answer() == {answer}, "think of {answer}"); }}
TEST_CASE("it is right again") {{ CHECK(answer() == {answer}); }}
"""

WRONG = """\
== start
fails in: the answer is right
fails with: think of {answer}
-int answer() {{ return {answer}; }}
+int answer() {{ return 0; }}
"""
ANSWER = '#include "exercise.h"\nint answer() {{ return {answer}; }}\n'


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Reader(unittest.TestCase):
    """Each test is a new reader; `learn` is what they type."""

    screen = io.StringIO  # what they read it on
    looks_at_memory = False

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="the exercises ")  # a path may have blanks
        cls.addClassCleanup(folder.cleanup)
        cls.root = Path(folder.name).resolve()
        cls.names = ["01.1-one", "01.2-two", "02.1-three"]
        for number, name in enumerate(cls.names, 1):
            path = cls.root / "tests/exercises" / name
            path.mkdir(parents=True)
            words = {"number": name.split("-")[0], "answer": number, "minutes": 5 * number,
                     "kind": ["build", "predict"][number % 2]}
            for file, text in [("README.md", README), ("test.cpp", TEST), ("wrong.txt", WRONG),
                               ("solution.cpp", ANSWER)]:
                (path / file).write_text(text.format(**words))
            (path / "exercise.h").write_text("int answer();\n")
        (cls.root / "tests/exercises/notes").mkdir()  # not an exercise, nor is the next one
        (cls.root / "tests/exercises/01.3-file.md").write_text("")
        cls.given = cls.contents()

    @classmethod
    def contents(cls):
        return {path: path.read_bytes() for path in (cls.root / "tests").rglob("*")
                if path.is_file() and not path.name.startswith(("yours.cpp", "questions.h")) and path.parent.name != "yours"}

    def setUp(self):
        for path in [*self.root.glob("tests/exercises/*/yours.cpp*"), self.root / ".learn/progress",
                     *self.root.glob(".learn/exercises/*/hints_shown"), self.root / ".learn/exercises/last",
                     *(self.root / ".learn/exercises").glob("*/passed"), *(self.root / ".learn/exercises").glob("*/taken"),
                     *(self.root / ".learn/exercises").glob("*/opened"), self.root / ".learn/place"]:
            path.unlink(missing_ok=True)
        shutil.rmtree(self.root / "tests/exercises/yours", ignore_errors=True)
        columns = unittest.mock.patch.dict(os.environ, COLUMNS="1000")  # sentences are compared in one piece
        columns.start()
        self.addCleanup(columns.stop)
        if not self.looks_at_memory:
            self.second = unittest.mock.patch.object(exercises, "look_at_memory",
                                                     return_value=answers.Outcome("passed"))
            self.second.start()
            self.addCleanup(self.second.stop)

    def tearDown(self):
        self.assertEqual(self.contents(), self.given, "what is given was changed")

    def learn(self, *arguments, status=0, errors=""):
        """Runs a command; returns what it printed."""
        out, err = self.screen(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            got = exercises.main([*arguments, "--build", str(BUILD)], self.root)
        self.assertEqual(got, status, out.getvalue() + err.getvalue())
        (self.assertIn if errors else self.assertEqual)(errors, err.getvalue())
        return out.getvalue()

    def folder(self, number):
        return next((self.root / "tests/exercises").glob(f"{number}-*"))

    def yours(self, number="01.1"):
        return self.folder(number) / "yours.cpp"

    def write(self, text, number="01.1"):
        self.yours(number).write_text(textwrap.dedent(text))

    def solve(self, number):
        shutil.copyfile(self.folder(number) / "solution.cpp", self.yours(number))

    def change(self, path, text):
        """Changes what is given, for this test."""
        self.addCleanup(path.write_bytes, path.read_bytes())
        path.write_text(text)
        self.given = self.contents()

    def progress(self):
        return (self.root / ".learn/progress").read_text()

    def assert_in_order(self, text, *parts):
        at = 0
        for part in parts:
            self.assertIn(part, text[at:])
            at = text.index(part, at) + len(part)


class Progress(Reader):
    """From exercise to exercise."""

    def test_a_reader_gets_from_first_to_last(self):
        for done, name in enumerate(self.names):
            number = name.split("-")[0]
            self.assertIn(f"{done} of 3 done", self.learn("list", "--all"))
            said = self.learn("check", status=1)
            self.assert_in_order(
                said, f"Your file is tests/exercises/{name}/yours.cpp", f"exercises/{name}/README.md",
                f"{number} Say {done + 1}: not yet", 'It fails in the test case "the answer is right":',
                f"\n\nthink of {done + 1}\n\n",
                f"    tests/exercises/{name}/test.cpp:5: ERROR: CHECK( answer() == {done + 1} )", "1 more test case failed", f"./learn hint {number} (3 hints left)")
            self.assertEqual(self.yours(number).read_text(), ANSWER.format(answer=0))
            self.assertNotIn("Your file is", self.learn("check", status=1))
            self.solve(number)
            said = self.learn("check")
            self.assert_in_order(said, f"{number} Say {done + 1}: passed", f"./learn solution {number}")
            if done < 2:
                self.assert_in_order(said, "Next: ./learn check " + self.names[done + 1].split("-")[0],
                                     f"tests/exercises/{self.names[done + 1]}/README.md")
        self.assertIn("That was the last one", said)
        self.assertEqual(self.progress(), "".join(name + "\n" for name in self.names))
        self.assertIn("All exercises are done", self.learn("check"))
        self.assertIn("All exercises are done", self.learn("watch"))

    def test_the_list_shows_what_is_done(self):
        self.assertEqual(self.learn("list", "--all"), textwrap.dedent("""\
            01
              01.1  Say 1  predict    5 min  next
              01.2  Say 2  build     10 min
            02
              02.1  Say 3  predict   15 min

            [..............................] 0 of 3 done, 30 minutes left
            `./learn check` takes 01.1; to take another, name it, as in `./learn check 01.2`.
            """))
        self.solve("01.2")
        self.learn("check", "01.2")
        said = self.learn("list", "--all")
        self.assertIn("Say 2  build     10 min  done\n", said)
        self.assertIn("[##########....................] 1 of 3 done, 20 minutes left", said)
        for number in ["01.1", "02.1"]:
            self.solve(number)
            self.learn("check", number)
        self.assertTrue(self.learn("list", "--all").endswith("\n[" + 30 * "#" + "] 3 of 3 done\n"))

    def test_the_list_opens_the_reader_s_page(self):
        self.assertEqual(self.learn("list"), textwrap.dedent("""\
            01: 0 of 2 done
              01.1  Say 1  predict    5 min  next
              01.2  Say 2  build     10 min
            02: 1 exercise, 15 minutes

            [..............................] 0 of 3 done, 30 minutes left
            `./learn check` takes 01.1; to take another, name it, as in `./learn check 01.2`.
            Every exercise, with its title: ./learn list --all
            """))
        for number in ["01.1", "01.2"]:
            self.solve(number)
            self.learn("check", number)
        self.assertTrue(self.learn("list").startswith("01: 2 exercises done\n02: 0 of 1 done\n  02.1  Say 3  predict   15 min  next\n\n"))
        self.solve("02.1")
        self.learn("check")
        self.assertTrue(self.learn("list").startswith("01 to 02: 3 exercises done\n\n["))

    def test_pages_that_are_alike_are_one_line_of_the_list(self):
        def page(number, mark):
            folder = self.root / f"tests/exercises/{number}.1-x{number}"
            folder.mkdir()
            self.addCleanup(shutil.rmtree, folder)
            (folder / "README.md").write_text(README.format(number=f"{number}.1", answer=1, minutes=60, kind="build"))
            if mark == "done":
                (self.root / ".learn").mkdir(exist_ok=True)
                with open(self.root / ".learn/progress", "a", encoding="ascii") as file:
                    file.write(f"{number}.1-x{number}\n")
            if mark == "begun":
                (folder / "yours.cpp").write_text("")
            if mark == "here":
                self.learn("check", f"{number}.1", status=2, errors="learn: ")  # it has no start
        for number, mark in {"03": "done", "04": "done", "05": "skipped", "06": "begun", "07": "done", "08": "here",
                             "09": "", "10": "", "11": "", "18": ""}.items():
            page(number, mark)
        self.given = self.contents()
        (self.root / "book").mkdir()
        self.addCleanup(shutil.rmtree, self.root / "book")
        (self.root / "book/00-before-you-start.md").write_text(
            "[05 A page](05.md)\n\n## The map\n\n**The story** is told.\n\n**2. Coroutines.** Text.\n\n| page | text |\n| [09 Nine](09.md) | text |\n\n"
            "**3. A runtime.**\n\n| [10 Ten](10.md) | text |\n| [11 Eleven](11.md) | text |\n\n**Going further.**\n\n| [18 More](18.md) | text |\n")
        said = self.learn("list")
        self.assertEqual(re.findall(r"^\d\d.*", said, re.M), [
            "01 to 02: 3 exercises, skipped", "03 to 04: 2 exercises done", "05: 1 exercise, skipped", "06: 0 of 1 done",
            "07: 1 exercise done", "08: 0 of 1 done", "09: 1 exercise, 60 minutes", "10 to 11 A runtime: 2 exercises, about 2 hours",
            "18: 1 exercise, 60 minutes"])
        self.assertIn("3 of 13 done, about 8 hours left", said)

    def test_every_line_fits_the_terminal(self):
        words = [["list"], ["list", "--all"], ["hint", "01.1"], ["check", "01.1"], ["check", "none"], ["solution", "01.1"], ["reset"],
                 ["check", "01.2"]]
        self.write("#include <string>\nint answer() { return std::string{}; }\n", "01.2")  # a long message
        for columns in (40, 60, 80, 120):
            with unittest.mock.patch.dict(os.environ, COLUMNS=str(columns)):
                for command in words:
                    said = io.StringIO()
                    with self.subTest(command, columns=columns), contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
                        exercises.main([*command, "--build", str(BUILD)], self.root)
                        for line in said.getvalue().splitlines():
                            self.assertLessEqual(len(line) * (len(line.split()) > 1), columns, line)  # a path stays whole

    def test_a_note_says_where_the_reader_is(self):
        place = self.root / ".learn/place"
        self.learn("list")
        self.assertFalse(place.exists())
        book = self.root / "book"
        book.mkdir()
        self.addCleanup(shutil.rmtree, book)
        (book / "01-first.md").write_text("# 01 The first page\n\nText.\n")
        self.learn("check", status=1)
        self.assertEqual(place.read_text(), "You are on page 01, The first page; 0 of 3 exercises are done.\n"
                                            "Next: 01.1 Say 1 (predict, about 5 minutes).\n"
                                            "The task: tests/exercises/01.1-one/README.md\n")
        for done, number in enumerate(["01.1", "01.2", "02.1"], 1):
            self.solve(number)
            self.learn("check")
            self.assertIn(f"{done} of 3 exercises ", place.read_text())
        self.assertEqual(place.read_text(), "3 of 3 exercises are done.\n")
        place.unlink()
        place.mkdir()  # so that it can't be written
        self.learn("list")  # is nevertheless a success
        place.rmdir()

    def test_an_exercise_is_found_by_number_name_or_path(self):
        self.solve("01.2")
        for name in ["01.2", "01.2-two", "tests/exercises/01.2-two/", "tests/exercises/01.2-two"]:
            self.assertIn("01.2 Say 2: passed", self.learn("check", name))
            self.assertIn("Next: ./learn check 02.1", self.learn("check", name))  # of those behind it
        self.assertEqual(self.progress(), "01.2-two\n")
        self.solve("02.1")
        self.assertIn("Next: ./learn check 01.1", self.learn("check", "02.1"))  # none is left there

    def test_a_page_s_number_stands_for_its_exercises(self):
        self.solve("01.2")
        said = self.learn("check", "01", status=1)
        self.assert_in_order(said, "01.1 Say 1: not yet", "01.2 Say 2: passed", "Next: ./learn check 01.1")
        self.assertIn("01.1  Say 1  predict    5 min  you are here\n", self.learn("list"))  # what isn't done isn't passed by
        self.solve("01.1")
        self.assertNotIn("02.1 Say", self.learn("check", "01").split("Next:")[0])

    def test_unknown_names_are_refused(self):
        for command in ["check", "hint", "solution", "reset", "watch"]:
            for name, advice in [("03", "To see all exercises: ./learn list --all"), ("01.3", "That page has: 01.1 01.2"),
                                 ("one", "To see all"), ("01.1-on", "That page has: 01.1 01.2")]:
                self.learn(command, name, status=2, errors=f"learn: There is no exercise or page '{name}'. {advice}")
        self.learn("hint", "01", status=2, errors="Page 01 has more than one. Choose one of: 01.1 01.2\n")
        self.learn("solution", status=2, errors="./learn solution 01.1")
        self.learn("reset", status=2, errors="./learn reset 01.1")
        self.learn("chekc", status=2, errors="learn: 'chekc' is none of: check, ")

    def test_what_a_command_does_not_take_is_refused(self):
        for words, why in [(["list", "zz"], "list does not take 'zz': it shows the page that you are at. To see every exercise: "
                                            "./learn list --all\n"), (["list", "--al"], "list does not take '--al': "),
                           (["check", "01.1", "01.2"], "check does not take '01.2' (see ./learn check --help)\n"),
                           (["hint", "--all"], "hint does not take '--all' (see "), (["check", "--take"], "check does not take '--take' "),
                           (["explore", "01.1", "--order"], "explore: argument --order: expected one argument (see "),
                           (["reset", "--help"], "reset does not take '--help' (see ")]:
            with self.subTest(words):
                self.assertEqual(self.learn(*words, status=2, errors=f"learn: {why}"), "")

    def test_check_continues_with_the_next_exercise(self):
        self.solve("01.2")
        self.learn("check", "01.2")
        self.assertIn("02.1 Say 3: not yet", self.learn("check", status=1))  # and not 01.1
        self.assertIn("02.1 Say 3: not yet", self.learn("check", status=1))
        self.assert_in_order(self.learn("list", "--all"), "01.1  Say 1  predict    5 min  skipped\n", "10 min  done\n",
                             "02.1  Say 3  predict   15 min  you are here\n", "`./learn check` takes 02.1",
                             "`./learn check 01.1`")
        self.learn("check", "01.1", status=1)
        self.assertIn("01.1 Say 1: not yet", self.learn("check", status=1))
        self.assert_in_order(self.learn("list", "--all"), "01.1  Say 1  predict    5 min  you are here\n",
                             "02.1  Say 3  predict   15 min  begun\n")

    def test_an_exercise_that_was_removed_does_no_harm(self):
        gone = self.root / "tests/exercises/01.3-gone"
        gone.mkdir()
        self.addCleanup(shutil.rmtree, gone)
        (gone / "yours.cpp").write_text("int answer;\n")
        said = self.learn("list", "--all")
        self.assertIn("0 of 3 done", said)
        self.assertIn("tests/exercises/01.3-gone/yours.cpp belongs to an exercise that was removed", said)

    def test_an_exercise_keeps_its_progress_when_its_number_changes(self):
        self.solve("01.2")
        self.learn("check", "01.2")
        self.learn("hint", "01.1")
        old, new = self.folder("01.2"), self.root / "tests/exercises/02.2-two"
        old.rename(new)
        self.addCleanup(new.rename, old)
        taken = self.root / "tests/exercises/01.2-other"
        shutil.copytree(self.folder("01.1"), taken)
        self.addCleanup(shutil.rmtree, taken)
        left = self.root / "tests/exercises/01.1-two/yours.cpp"
        left.parent.mkdir()
        self.addCleanup(shutil.rmtree, left.parent)
        left.write_text("int answer;\n")
        (self.root / ".learn/exercises/01.2/hints_shown").write_text("2 two")
        self.given = self.contents()
        said = self.learn("list", "--all")
        self.assertIn("02.2  Say 2  build     10 min  done\n", said)
        self.assertIn("1 of 4 done", said)
        self.assertIn("01.1-two/yours.cpp belongs to 02.2 today:\n    mv tests/exercises/01.1-two/yours.cpp "
                      "tests/exercises/02.2-two/\n", said)
        self.assertIn("hint 1 of", self.learn("hint", "01.2"))
        self.learn("check", "02.2")
        self.assertEqual(self.progress(), "02.2-two\n")

    def test_what_is_done_stays_done(self):
        (self.root / ".learn").mkdir(exist_ok=True)
        (self.root / ".learn/progress").write_text("00x-older\n01.1-one\n")
        self.write("int", "01.1")
        self.learn("check", "01.1", status=1)
        self.solve("01.2")
        self.learn("check")
        self.assertEqual(self.progress(), "00x-older\n01.1-one\n01.2-two\n")


STEP_TEST = """\
#include "{file}"
#include <doctest/doctest.h>
TEST_CASE("the answer is right") {{ CHECK_MESSAGE(yours::answer_{number}() == {number}, "think of {number}"); }}
"""


class Track(Reader):
    """The steps Y01 to Y03: the second uses the first, the third both; the second's solution is the book's."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        texts = ["inline int answer_1() { return 1; }", "inline int answer_2() { return answer_1() + 1; }",
                 "inline int answer_3() { return answer_2() + 1; }"]
        for number, text in enumerate(texts, 1):
            path = cls.root / f"tests/exercises/Y0{number}-say-{number}"
            path.mkdir()
            file = f"part{number}.h"
            words = {"number": f"Y0{number}", "answer": number, "minutes": 10, "kind": "build"}
            include = f'#include "part{number - 1}.h"\n' if number > 1 else ""
            solution = f"#pragma once\n{include}namespace yours {{\n{text}\n}}\n"
            (path / "README.md").write_text(README.format(**words) + f"\nFile: yours/{file}\n")
            (path / "test.cpp").write_text(STEP_TEST.format(number=number, file=file))
            (path / "start.h").write_text(solution.replace(text[text.index("{"):], "{ return 0; }"))
            (path / "solution.h").write_text(solution)
        (cls.root / "stage3_x/small").mkdir(parents=True)
        (cls.root / "stage3_x/small/part2.h").write_text(
            '#pragma once\n#include "stage3_x/small/part1.h"\n\nnamespace stage3::small {\n// [two]\n'
            "inline int answer_2() { return answer_1() + 1; } // NOLINT(why)\n// [/two]\n} // namespace stage3::small\n")
        (cls.root / "tests/exercises/Y02-say-2/solution.h").write_text(
            "// The same as in the book: stage3_x/small/part2.h\n")
        cls.given = cls.contents()

    def file(self, number):
        return self.root / f"tests/exercises/yours/part{number}.h"

    def write_step(self, number, old="", new=""):
        """Our solution, which the reader has written, perhaps with a change."""
        self.file(number).parent.mkdir(exist_ok=True)
        text = exercises.Course(self.root).steps[number - 1].solution_text().replace(old, new)
        self.file(number).write_text(text + "// mine\n")

    def pass_step(self, number):
        self.write_step(number)
        return self.learn("check", f"Y0{number}")

    def test_a_reader_gets_from_first_to_last(self):
        said = self.learn("check", "Y1", status=1)
        self.assert_in_order(said, "Your file is tests/exercises/yours/part1.h", "Y01 Say 1: not yet", "think of 1",
                             "./learn hint Y01")
        for number in (1, 2, 3):
            self.write_step(number)
            said = self.learn("check", f"y0{number}" if number == 2 else f"part{number}.h")
            self.assert_in_order(said, f"Y0{number} Say {number}: passed", "Your runtime: [", f"{number} of 3 steps")
            if number < 3:
                self.assert_in_order(said, f"Next: ./learn check Y0{number + 1}")
        self.assert_in_order(said, "It's complete", "./learn yours demo", "Next: ./learn check 01.1")

    def test_a_missing_file_of_an_earlier_step_is_named(self):
        said = "learn: Y03 Say 3 builds on files that you don't have yet:\n"
        self.learn("check", "Y03", status=2, errors=said)
        self.learn("check", "Y03", status=2, errors="  yours/part1.h: write it (./learn check Y01), or take ours "
                   "(./learn solution Y01 --take)\n  yours/part2.h: write it")
        self.assertFalse(self.file(3).exists())
        self.learn("solution", "Y01", "--take")
        self.learn("solution", "Y02", "--take")
        self.assertIn("Y03 Say 3: not yet", self.learn("check", "Y03", status=1))

    def test_the_reader_can_take_our_file(self):
        said = self.learn("solution", "Y1", "--take")
        self.assert_in_order(said, "tests/exercises/yours/part1.h is our file now", "./learn reset Y01",
                             "Next: ./learn check Y02")
        self.assertEqual(self.file(1).read_text(), (self.folder("Y01") / "solution.h").read_text())
        self.assertIn("is our file already", self.learn("solution", "Y01", "--take"))
        self.assertIn("Y01   Say 1  build     10 min  ours\n", self.learn("list", "--all"))
        self.learn("reset", "Y01", "--yes")
        self.assertEqual(self.file(1).read_text(), (self.folder("Y01") / "start.h").read_text())
        self.assertIn("Y01   Say 1  build     10 min  you are here\n", self.learn("list", "--all"))
        self.assertEqual([path.name for path in self.file(1).parent.iterdir()], ["part1.h"])
        self.learn("solution", "01.1", "--take", status=2, errors="01.1 is not a step of the track")
        self.assert_in_order(self.learn("solution", "Y03", "--take"), "part3.h is our file now",
                             "builds on tests/exercises/yours/part2.h, which you don't have yet: ./learn check Y02, "
                             "or ./learn solution Y02 --take")

    def test_taking_ours_loses_nothing(self):
        self.learn("check", "Y01", status=1)
        self.file(1).write_text("// mine\n")
        self.assertIn("Your old file is now tests/exercises/yours/part1.h.old", self.learn("solution", "Y01", "--take"))
        self.assertEqual(self.file(1).with_name("part1.h.old").read_text(), "// mine\n")
        self.assertIn("An earlier file of yours: tests/exercises/yours/part1.h.old",
                      self.learn("reset", "Y01", "--yes"))

    def test_a_step_whose_solution_is_the_book_s(self):
        self.learn("solution", "Y01", "--take")
        self.learn("solution", "Y02", "--take")
        self.assertEqual(self.file(2).read_text(), '#pragma once\n#include "part1.h"\n\nnamespace yours {\n'
                         "inline int answer_2() { return answer_1() + 1; }\n} // namespace yours\n")
        self.assert_in_order(self.learn("check", "Y02"), "Y02 Say 2: passed", "This is our file")
        self.assertIn("Yours is the same.", self.learn("solution", "Y02"))
        part = self.root / "part"
        part.write_text("{\n// The same as in the book: stage3_x/small/part2.h, two\n}\n")
        self.assertEqual(track.solution_text(part, self.root),
                         "{\ninline int answer_2() { return answer_1() + 1; }\n}\n")

    def test_a_given_program_is_the_book_s(self):
        book = self.root / "stage3_x/small/dead_links_main.cpp"
        book.write_text('// dead_links: says two\n#include "stage3_x/small/part2.h"\nusing namespace stage3::small;\n'
                        'int main(int, char**) {\n    puts("dead_links: two dead links");\n}\n')
        given = self.root / "main.cpp"
        given.write_text("// The same as in the book: stage3_x/small/dead_links_main.cpp\n")
        self.assertEqual(track.solution_text(given, self.root),
                         '// yours: says two\n#include "part2.h"\nusing namespace yours;\n'
                         'int main(int, char**) {\n    puts("yours: two dead links");\n}\n')

    def test_a_broken_file_that_a_step_builds_on_is_named(self):
        self.pass_step(1)
        self.pass_step(2)
        self.write_step(1, "return 1", "return 7")
        self.write_step(3)
        said = self.learn("check", "Y03", status=1)
        doubt = "builds on tests/exercises/yours/part1.h, whose current version has not passed: ./learn check Y01"
        self.assertIn(doubt, said)
        self.assertNotIn("part2.h, whose", said)
        self.assert_in_order(self.learn("list", "--all"), "Y01   Say 1  build     10 min  changed since it passed\n",
                             "Y02   Say 2  build     10 min  done\n")
        self.write_step(3, "answer_2() + 1", "3")
        said = self.learn("check", "Y03")  # it still passes
        self.assert_in_order(said, doubt, "2 of 3 steps done")
        self.assertNotIn("complete", said)
        self.write_step(1)  # what has passed before
        self.assertIn("complete", self.learn("check", "Y03"))
        self.file(2).unlink()
        self.assertNotIn("Y02   Say 2  build     10 min  done", self.learn("list", "--all"))

    def test_our_file_still_counts_as_ours_when_there_is_a_newer_one(self):
        self.learn("solution", "Y01", "--take")
        solution = self.folder("Y01") / "solution.h"
        self.change(solution, solution.read_text() + "// newer\n")
        self.assertIn("Y01   Say 1  build     10 min  ours\n", self.learn("list", "--all"))
        self.assertIn("This is our file", self.learn("check", "Y01"))
        self.learn("solution", "Y01", "--take")
        self.assertIn("// newer", self.file(1).read_text())
        self.assertEqual([path.name for path in self.file(1).parent.iterdir()], ["part1.h"])

    def test_the_next_step_is_one_that_can_be_begun(self):
        self.write_step(1)
        self.pass_step(2)
        self.file(1).unlink()
        self.learn("check", "Y03", status=2, errors="yours/part1.h: write it")
        self.assertIn("Y01 Say 1: not yet", self.learn("check", status=1))

    def test_the_track_ends_at_what_fails(self):
        self.assertNotIn("Y02", self.learn("check", "Y", status=1))
        self.assertEqual([path.name for path in self.file(1).parent.iterdir()], ["part1.h"])

    def give_pages(self, *pages):
        """Steps that need pages, and the exercises 01.1 to 02.1."""
        for number, page in enumerate(pages, 1):
            readme = self.folder(f"Y0{number}") / "README.md"
            self.change(readme, readme.read_text().replace("minutes.", f"minutes.\nAfter page {page}."))

    def test_a_step_is_listed_after_its_page(self):
        self.give_pages("01", "02", "02")
        self.assert_in_order(self.learn("list", "--all"), "01.2  ", "Y01   Say 1  ", "02.1  ", "Y02 ", "Y03 ",
                             "0 of 6 done", "`./learn check` takes 01.1", "Y01 to Y03 add up to a runtime of your own")

    def test_the_track_goes_no_further_than_the_pages_that_were_read(self):
        self.give_pages("01", "01", "02")
        self.solve("01.2")
        self.assertIn("Next: ./learn check 02.1", self.learn("check", "01.2"))
        self.assertIn("Next: ./learn check Y02, Say 2 (build, about 10 minutes, after page 01)", self.pass_step(1))
        self.assertIn("Next: ./learn check 01.1", self.pass_step(2))
        self.solve("01.1")
        self.assertIn("Next: ./learn check 02.1", self.learn("check", "01.1"))
        self.solve("02.1")
        self.assertIn("Next: ./learn check Y03", self.learn("check", "02.1"))

    def test_a_reader_who_does_only_the_track_stays_on_it(self):
        self.give_pages("01", "02", "02")
        self.assertIn("Next: ./learn check Y02", self.pass_step(1))
        self.assertNotIn("skipped", self.learn("list", "--all"))

    def test_one_exercise_begun_does_not_end_the_track(self):
        self.give_pages("02", "02", "03")
        self.learn("check", "01.1", status=1)
        self.assertIn("Next: ./learn check Y02", self.pass_step(1))
        self.assertIn("Next: ./learn check Y03", self.pass_step(2))

    def test_a_step_stays_passed_or_ours_when_its_number_changes(self):
        self.pass_step(1)
        self.learn("solution", "Y02", "--take")
        notes = self.root / ".learn/exercises"
        for name in ("passed", "taken"):
            for number, file in enumerate(sorted(notes.glob(f"Y*/{name}"))):
                (notes / f"Y1{number}").mkdir(exist_ok=True)
                file.rename(notes / f"Y1{number}" / name)
        solution = self.folder("Y02") / "solution.h"
        self.change(solution, solution.read_text() + "// newer\n")
        said = self.learn("list", "--all")
        self.assertIn("Y01   Say 1  build     10 min  done\n", said)
        self.assertIn("Y02   Say 2  build     10 min  ours\n", said)

    def replace_file(self, number, *was):
        """The step gets another file, new1.h or so."""
        folder = self.folder(f"Y0{number}")
        old = "".join(f"\n<!-- Was: yours/{file} -->" for file in was)
        for name, more in [("README.md", old), ("test.cpp", "")]:
            file = folder / name
            self.change(file, re.sub(rf"part{number}\.h(.*)", rf"new{number}.h\1{more}", file.read_text()))
        return self.file(number).with_name(f"new{number}.h")

    def line_of_step(self, number):
        return next(line for line in self.learn("list", "--all").splitlines() if line.startswith(f"  Y0{number} "))

    def test_a_step_stays_done_when_its_file_is_replaced(self):
        self.pass_step(1)
        new = self.replace_file(1, "other.h", "part1.h")
        self.assertTrue(self.line_of_step(1).endswith(" done"))
        self.assertFalse(new.exists())
        self.file(1).write_text("// changed\n")
        self.assertFalse(self.line_of_step(1).endswith(" done"))

    def test_a_step_whose_file_was_replaced_by_one_of_another_step_stays_done(self):
        self.pass_step(1)
        self.replace_file(2, "part1.h")
        self.assertTrue(self.line_of_step(2).endswith(" done"))
        self.assertTrue(self.line_of_step(1).endswith(" done"))

    def test_a_replaced_file_counts_although_an_older_one_has_the_new_name(self):
        self.pass_step(1)
        new = self.replace_file(1, "part1.h")
        new.write_text("// was there before, and has changed since it passed\n")
        (self.root / ".learn/exercises/Y01/opened").write_text("an-older-step")
        self.assertTrue(self.line_of_step(1).endswith(" done"))

    def test_the_steps_after_a_replaced_file_need_the_new_one(self):
        self.pass_step(1)
        self.pass_step(2)
        self.replace_file(1, "part1.h")
        part = self.root / "stage3_x/small/part2.h"
        self.change(part, part.read_text().replace("part1.h", "new1.h"))
        self.learn("check", "Y03", status=2, errors="Y03 Say 3 builds on files that you don't have yet:\n  yours/new1.h: "
                   "write it (./learn check Y01), or take ours (./learn solution Y01 --take)\n")
        self.assertFalse(exercises.Course(self.root).can_begin(exercises.Course(self.root).steps[2]))
        self.learn("solution", "Y01", "--take")
        self.assertTrue(self.line_of_step(1).endswith(" ours"))

    def test_a_replaced_file_counts_until_the_reader_begins_anew(self):
        self.pass_step(1)
        new = self.replace_file(1, "part1.h")
        self.learn("check", "Y01", status=1)
        self.assertTrue(new.exists())
        self.assertTrue(self.line_of_step(1).endswith("you are here"))
        self.assertIn("Y01 Say 1: not yet", self.learn("check", status=1))
        new.unlink()
        self.assertTrue(self.line_of_step(1).endswith(" done"))
        self.learn("reset", "Y01", "--yes")
        self.assertFalse(self.line_of_step(1).endswith(" done"))

    def test_the_file_is_there_before_anything_is_built(self):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            exercises.main(["check", "Y01", "--needs"], self.root)
        self.assertEqual(out.getvalue(), "tests/exercises/exercise1\n")
        self.assertIn("Your file is tests/exercises/yours/part1.h", err.getvalue())
        self.assertTrue(self.file(1).exists())

    def test_differences_are_of_code(self):
        self.pass_step(1)
        self.assertIn("Yours is the same.", self.learn("solution", "Y01"))

    def test_a_crash_is_reported_with_its_line(self):
        self.second.stop()
        self.learn("check", "Y01", status=1)
        self.file(1).write_text("#pragma once\nnamespace yours {\ninline int answer_1() {\n"
                                "    int* volatile p = nullptr;\n    return *p;\n}\n}\n")
        self.assert_in_order(self.learn("check", "Y01", status=1), "it crashes. Running it again", "It crashed in the test case",
                             "SIGSEGV", "yours/part1.h:5: in answer_1, your code follows a null pointer", "return *p;")

    def test_yours_needs_the_files_of_all_steps(self):
        self.learn("solution", "Y01", "--take")
        self.learn("solution", "Y03", "--take")
        with self.assertRaises(answers.Trouble) as trouble:
            yours.run(yours.options_of(["--needs", "check"]), exercises.Course(self.root))
        self.assertEqual(str(trouble.exception).splitlines()[1:], [
            "  yours/part2.h: write it (./learn check Y02), or take ours (./learn solution Y02 --take)"])


    def test_a_crawler_needs_only_what_its_last_file_includes(self):
        for number in (1, 2):
            self.learn("solution", f"Y0{number}", "--take")
        course = exercises.Course(self.root)
        with self.assertRaises(answers.Trouble) as trouble:
            yours.run(yours.options_of(["--needs", "program"]), course)
        self.assertIn("yours/part3.h", str(trouble.exception))
        self.learn("solution", "Y03", "--take")
        self.assertEqual([step.number for step in yours.steps_for("program", course)], ["Y01", "Y02", "Y03"])
        for number, text in (("Y03", '#include "part2.h"\n'), ("Y02", "\n")):
            solution = self.folder(number) / "solution.h"
            was = solution.read_text()
            solution.write_text(text)
            self.addCleanup(solution.write_text, was)
        numbers = [step.number for step in yours.steps_for("check", exercises.Course(self.root))]
        self.doCleanups()  # before it's checked that nothing was changed
        self.assertEqual(numbers, ["Y02", "Y03"])


class Explore(Reader):
    """`./learn explore`, of an exercise whose test plays every order of two events."""

    TEST = """\
#include "exercise.h"
#include "tests/support/every_order.h"
#include <doctest/doctest.h>
namespace {
struct Loop {
    bool has_ready() const { return false; }
    void turn(std::chrono::milliseconds) {}
};
}
TEST_CASE("plain") { CHECK(true); }
TEST_CASE("in every order, b isn't first") {
    tests::check_every_order({.title = "Two events.", .play = [](tests::Order& order, const auto&) {
        Loop loop;
        std::string first;
        for (const char* name : {"a", "b"})
            order.event(name, [&first, name] { first += first.empty() ? name : ""; });
        order.run(loop);
        order.promise(answer() == 1 || first == "a", "b isn't first");
        if (answer() == 3)
            std::abort();
    }});
}
"""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.root / "tests/exercises/01.1-one/test.cpp").write_text(cls.TEST)
        cls.given = cls.contents()

    def explore(self, answer, *words, status=0):
        self.write(f'#include "exercise.h"\nint answer() {{ return {answer}; }}\n')
        return self.learn("explore", *words, status=status)

    def test_an_answer_that_keeps_its_promises(self):
        said = self.explore(1, "01.1")
        self.assert_in_order(said, "Two events.", "2 orders, which are all", "None breaks a promise:", "b isn't first")
        self.assertNotIn("doctest", said)
        self.assertNotIn("To watch it", said)

    def test_the_smallest_wrong_order_is_told_and_traced(self):
        said = self.explore(2, "01.1", status=1)
        self.assert_in_order(said, "1 of them breaks the promise", "b isn't first", "The smallest:", "1  b", "2  a",
                             "To play it again: ./learn explore 01.1 --order 1", "./learn trace .learn/explore.trace")
        self.assertIn('"name":"b"', (self.root / ".learn/explore.trace").read_text())
        self.assertLessEqual(max(map(len, said.splitlines())), 80)

    def test_one_order_is_played(self):
        self.assert_in_order(self.explore(2, "01.1", "--order", "1", status=1), "This order breaks the promise", "1  b")
        self.assert_in_order(self.explore(2, "01.1", "--order", ""), "This order keeps all promises", "1  a", "2  b")

    def test_a_crash_has_its_order(self):
        self.assertIn("To play it again: ./learn explore 01.1 --order", self.explore(3, "01.1", status=1))

    def test_check_plays_all_orders_and_says_how_to_play_one(self):
        self.write('#include "exercise.h"\nint answer() { return 2; }\n')
        with unittest.mock.patch.dict(os.environ, {"ORDER": ""}):
            self.assertIn("To play it again: ./learn explore 01.1 --order 1", self.learn("check", "01.1", status=1))

    def test_what_has_no_orders_is_refused(self):
        for words, error in [(["02.1"], "The tests of 02.1 don't play every order. These do: 11 12 13 14 17 01.1"),
                             (["01.1", "--order", "?"], "'?' is no order"), ([], "./learn explore 12"),
                             (["99"], "There is no exercise or page '99'")]:
            with self.subTest(words):
                self.learn("explore", *words, status=2, errors=error)

    def test_an_answer_that_does_not_compile(self):
        self.assertIn("It does not compile", self.explore("x", "01.1", status=1))


class Rows(unittest.TestCase):
    """What ./learn yours check reads and prints."""

    TABLE = "# how it is written\n\nLoop\nL1   10   first in, first out\n    Nearly everything\n    breaks.\n" \
            "Queue\nQ2   12   nothing is lost\n    Something is.\n"

    def test_the_table_of_rows_is_read(self):
        table = yours.read_table(self.TABLE)
        self.assertEqual(table.parts, {
            "Loop": [yours.Row("L1", "10", "first in, first out", "Nearly everything breaks.")],
            "Queue": [yours.Row("Q2", "12", "nothing is lost", "Something is.")]})

    def test_each_row_runs_in_its_own_process(self):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "rows"
            program.write_text("#!/bin/sh\ncase $4 in\n"
                               "-tc=L1:*) echo '[doctest] test cases:  1 |  1 passed |  0 failed' ;;\n"
                               "*) kill -SEGV $$ ;;\nesac\n")
            program.chmod(0o755)
            outcomes = yours.run_rows(program, yours.read_table(self.TABLE).rows())
        self.assertEqual({name: outcome.kind for name, outcome in outcomes.items()}, {"L1": "passed", "Q2": "crashed"})

    def test_rows_that_hold_and_fail_are_printed(self):
        row = yours.read_table(self.TABLE).rows()[0]
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            yours.tell_row(row, answers.Outcome("passed"))
            yours.tell_row(row, answers.Outcome("failed", "It fails:", [f"{exercises.ROOT}/a.cpp:1: ERROR"]))
        passed, failed, *rest = out.getvalue().splitlines()
        self.assertEqual([passed, failed], ["  L1   holds  first in, first out", "  L1   fails  first in, first out"])
        self.assertEqual([line.strip() for line in rest], [
            "Without it: Nearly everything breaks.", "a.cpp:1: ERROR",
            "Explained in: book/10-from-a-sketch-to-a-runtime.md"])


QUESTIONS = """\
yours: What is printed? Put a number in place of each `unanswered`.
answers: What has been printed?

case the sum: small
case the words: kind

constexpr int none = 0;
constexpr int some = 1;
namespace words {
constexpr int many = 99;
}

small = 3
? 1 + 2
because: one more than two.
if words::many 12: it adds up, and does not put
  one behind the other.
! count on.

kind = some
? is it more than none?
! look again.
"""


class Predict(Reader):
    """An exercise of which there are only the questions, and a program."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        path = cls.root / "tests/exercises/03.1-four"
        path.mkdir()
        (path / "README.md").write_text(README.format(number="03.1", answer=4, minutes=5, kind="predict"))
        (path / "questions.txt").write_text(QUESTIONS)
        (path / "program.cpp").write_text(
            '#include "questions.h"\nAnswers run_program() { return {.small = 1 + 2, .kind = some}; }\n')
        cls.given = cls.contents()

    def predict(self, small, kind, header="questions.h", status=1):
        self.write(f'#include "{header}"\nconst Answers prediction = {{.small = {small}, .kind = {kind}}};\n', "03.1")
        return self.learn("check", "03.1", status=status)

    def test_the_first_check_makes_both_files(self):
        said = self.learn("check", "03.1", status=1)
        self.assert_in_order(said, "Your file is tests/exercises/03.1-four/yours.cpp", "`03.1 Say 4: passed`",
                             "The questions: tests/exercises/03.1-four/questions.h", 'in the test case "the sum":',
                             "tests/exercises/03.1-four/questions.h:17: ERROR: small is not answered yet")
        self.assertEqual(self.yours("03.1").read_text(), textwrap.dedent("""\
            // What is printed? Put a number in place of each `unanswered`.
            #include "questions.h"

            const Answers prediction = {
                .small = unanswered,
                .kind = unanswered,
            };
            """))
        self.assert_in_order((self.folder("03.1") / "questions.h").read_text(), "constexpr int some = 1;",
                             "/// What has been printed?\nstruct Answers {\n    /// 1 + 2\n    int small = unanswered;\n")

    def test_a_wrong_number_gets_its_advice(self):
        for number, value in [("12", 12), ("words::many", 99)]:
            self.assertIn(f"small is not {value}: it adds up, and does not put one behind the other.",
                          self.predict(number, "some"))
        self.assertIn("small is not 4: count on.", self.predict(4, "some"))
        with unittest.mock.patch.dict(os.environ, COLUMNS="60"):
            self.assertIn("ERROR: small\n      is not 12: it adds up, and does not put one behind the\n      other.\n",
                          self.predict(12, "some"))
        self.assert_in_order(self.predict(3, "none"), 'in the test case "the words"', "kind is not 0: look again.")
        self.assertIn("passed", self.predict(3, "some", status=0))

    def test_a_file_from_before_there_was_questions_h_still_passes(self):
        self.assertIn("passed", self.predict(3, "some", "exercise.h", status=0))

    def test_an_untouched_file_from_before_is_no_work_of_the_reader_s(self):
        self.learn("check", "03.1", status=1)
        self.yours("03.1").write_text(self.yours("03.1").read_text().replace("questions.h", "exercise.h"))
        self.learn("reset", "03.1", "--yes")
        self.assertEqual([path.name for path in self.folder("03.1").glob("yours.cpp*")], ["yours.cpp"])

    def test_what_a_reader_writes_into_the_questions_is_kept(self):
        self.learn("check", "03.1", status=1)
        header = self.folder("03.1") / "questions.h"
        made = header.read_bytes()
        header.write_bytes(made.replace(b"small = unanswered", b"small = 3") + b"// \xe4\n")
        self.addCleanup((old := header.with_name("questions.h.old")).unlink)
        self.assertIn("What you wrote in tests/exercises/03.1-four/questions.h is in "
                      "tests/exercises/03.1-four/questions.h.old now", self.learn("check", "03.1", status=1))
        self.assertEqual(header.read_bytes(), made)
        self.assertIn(b"small = 3", old.read_bytes())

    def test_questions_that_have_changed_are_told_anew(self):
        self.learn("check", "03.1", status=1)
        file = self.folder("03.1") / "questions.txt"
        self.change(file, QUESTIONS.replace("? 1 + 2", "? 2 + 1"))
        said = self.learn("check", "03.1", status=1)
        self.assertIn("The questions: tests/exercises/03.1-four/questions.h", said)
        self.assertIn("/// 2 + 1", (self.folder("03.1") / "questions.h").read_text())
        self.change(file, "<<<<<<< ours\n" + QUESTIONS)
        self.learn("check", "03.1", status=2, errors="learn: 03.1-four/questions.txt: this line begins with no key")

    def test_our_answer_is_made_of_the_questions(self):
        self.predict(2 + 1, "some", status=0)
        said = self.learn("solution", "03.1")
        self.assert_in_order(said, "Our answer: .learn/exercises/03.1/solution.cpp", "+    // one more than two.",
                             "+    .small = 3,", "+    .kind = some,")

    def test_what_is_malformed_is_named(self):
        for change, words in [(("case the words: kind\n", ""), "each question must be there once, and in one case: kind"),
                              (("! look again.\n", ""), "kind has no advice"), (("if words::many 12:", "if 3:"), "for the true answer"),
                              (("12:", "words::many:"), "two pieces of advice"), (("= 3", "= 3 4"), "neither a number"),
                              (("case the words: kind", "case the words: kind\ncase none:"), "has no questions"),
                              (("? 1 + 2", "1 + 2"), "begins with no key"), (("case the sum", "if the sum"), "wrong place"),
                              (("! look again.", "! look again.\n! and again."), "! is there twice"),
                              (("? 1 + 2", "? 1 + 2\n? 2 + 1"), r"\? is there twice")]:
            with self.assertRaisesRegex(questions.Malformed, words):
                questions.read(QUESTIONS.replace(*change))
        for group in ("// about\n// both\n", "// about\n\n// both\n", "yours // about\nyours // both\n"):
            with self.assertRaisesRegex(questions.Malformed, "// is there twice, .* indent what goes on: both"):
                questions.read(group + "\n" + QUESTIONS)
        for key in ("yours", "answers", "why"):
            once = re.sub(rf"(?m)^{key}:.*\n(  .*\n)*", "", QUESTIONS)
            with self.assertRaisesRegex(questions.Malformed, f"{key}: is there twice, .*: B"):
                questions.read(f"{key}: A\n\n{key}: B\n\n{once}")
        for last in ("// about", "yours // about"):
            with self.assertRaisesRegex(questions.Malformed, "no question comes after this: about"):
                questions.read(f"{QUESTIONS}\n\n{last}\n")


class Wrong(unittest.TestCase):
    """Texts with something wrong in them."""

    def applied(self, lines, base="a\nb\nc\n"):
        return wrong.read(f"== it\nhint: h\n{lines}")["it"].applied(base)

    def test_lines_take_the_place_of_others(self):
        self.assertEqual(self.applied("-b\n+x\n+y\n\n-c\n"), "a\nx\ny\n")
        self.assertEqual(self.applied(" b\n-c\n+x\n", "a\nc\nb\nc\n"), "a\nc\nb\nx\n")
        self.assertEqual(self.applied("base: nothing\n+x\n+\n+y\n"), "x\n\ny\n")

    def test_an_answer_may_be_like_another(self):
        found = wrong.read("== one\nbase: two\n-x\n+y\n\n== two\n-b\n+x\n\n== it\nbase: it\n-a\n+b\n\n"
                           "== other\nbase: it\n-a\n+b\n\n== third\nbase: nobody\n-a\n+b\n")
        self.assertEqual(wrong.answer(found, "one", "a\nb\n"), "a\ny\n")
        for name in ("it", "other", "third"):
            with self.assertRaisesRegex(wrong.Malformed, "its base"):
                wrong.answer(found, name, "a\nb\n")

    def test_what_does_not_fit_is_refused(self):
        for lines in ["-z\n", "-a\n+b\n", "-ab\n", "", "base: nothing\n"]:
            with self.assertRaises(wrong.Malformed, msg=lines):
                self.applied(lines, "a\na\nabc\n")
        for text in ["== a\n== a\n", "== a\nhint: h\nb\n", "==a\n", "== a\nhnt: h\n"]:
            with self.assertRaises(wrong.Malformed, msg=text):
                wrong.read(text)

    def test_lines_that_make_one_text_of_another(self):
        for base, other in [("a\nb\nc\n", "a\nx\nc\n"), ("a\na\nb\na\n", "a\na\nb\nx\n"), ("a\n\nb\n", "c\n\na\n\nb\n"),
                            ("a\nb\n", "a\nb\nc\n"), ("a\nx\na\nx\n", "y\na\nx\na\n")]:
            self.assertEqual(self.applied(wrong.compared(base, other), base), other)


# What compilers say about one error: cut down.
SORT = """\
 1777 |       if (__comp(__i, __first))
      |           ~~~~~~^~~~~~~~~~~~~~
"""
CALL = """\
    4 | int answer() { std::vector<X> v(2); std::sort(v.begin(), v.end()); return 0; }
      |                                     ~~~~~~~~~^~~~~~~~~~~~~~~~~~~~
"""
GCC_12_ERROR = """\
In file included from /usr/include/c++/vector:60,
                 from /a b/yours.cpp:1:
/usr/include/c++/ops.h: In instantiation of 'bool less(X*, X*)':
/usr/include/c++/algo.h:1777:14:   required from 'void std::sort(X*, X*)'
/a b/yours.cpp:4:46:   required from here
/usr/include/c++/ops.h:45:23: error: no match for 'operator<' (operand types are 'X' and 'X')
   45 |       { return *__it1 < *__it2; }
      |                ~~~~~~~^~~~~~~~
/usr/include/c++/iterator.h:85:5: note: candidate: 'bool operator<(I, I)'
"""
GCC_14_ERROR = GCC_12_ERROR.replace("X*)'\n", f"X*)'\n{SORT}").replace("here\n", f"here\n{CALL}")
GCC_16_ERROR = f"""\
/usr/include/c++/ops.h:45:23: error: no match for 'operator<' (operand types are 'X' and 'X')
   45 |       {{ return *__it1 < *__it2; }}
      |                ~~~~~~~^~~~~~~~
  • there is 1 candidate
    • required from 'void std::sort(X*, X*)'
      /usr/include/c++/algo.h:1777:14:
{textwrap.indent(SORT, "      ")}\
    • required from here
      /a b/yours.cpp:4:46:
{textwrap.indent(CALL, "      ")}"""
CLANG_ERROR = f"""\
In file included from /a b/yours.cpp:1:
In file included from /usr/include/c++/vector:60:
/usr/include/c++/ops.h:45:23: error: invalid operands to binary expression ('X' and 'X')
   45 |       {{ return *__it1 < *__it2; }}
      |                ~~~~~~~^~~~~~~~
/usr/include/c++/algo.h:1777:14: note: in instantiation of function template specialization 'less' requested here
{SORT}\
/a b/yours.cpp:4:46: note: in instantiation of function template specialization 'std::sort' requested here
{CALL}"""


class Answers(Reader):
    """The ways in which a reader's file can go wrong."""

    def test_a_compile_error_is_shown_with_its_line(self):
        self.write("""\
            #include "exercise.h"
            static void f(int unused) {}
            int answer() {
                int x = nothing;
                return neither;
            }
            """)
        said = self.learn("check", status=1)
        self.assert_in_order(said, "It does not compile:",
                             "    tests/exercises/01.1-one/yours.cpp:4:", "nothing", "1 more error", "./learn hint")
        self.assertNotIn("neither", said)
        self.assertNotIn("unused", said)
        self.assertNotIn(str(self.root), said)

    def test_a_compile_error_deep_in_a_template_is_shown_with_the_reader_s_line(self):
        self.write('#include <vector>\n#include <algorithm>\nstruct X {};\n'
                   'int answer() { std::vector<X> v(2); std::sort(v.begin(), v.end()); return 0; }\n')
        said = self.learn("check", status=1)
        self.assertIn("    tests/exercises/01.1-one/yours.cpp:4:", said)
        self.assertRegex(said, r"\.h:\d+:\d+: error: ")

    def test_the_readers_line_is_at_the_top_of_a_compile_error(self):
        for text, places in [
                (GCC_12_ERROR, ["vector:60,", "yours.cpp:1:", "yours.cpp:4:46:", "ops.h:45:23: error"]),
                (GCC_14_ERROR, ["vector:60,", "yours.cpp:1:", "yours.cpp:4:46:", "    4 | ", "ops.h:45:23: error"]),
                (GCC_16_ERROR, ["ops.h:45:23: error", "   45 | ", "yours.cpp:4:46:", "    4 | "]),
                (CLANG_ERROR, ["yours.cpp:1:", "vector:60:", "ops.h:45:23: error", "yours.cpp:4:46:", "    4 | "])]:
            for file in ["/a b/yours.cpp", "/a b/"]:  # a file, and a folder of headers
                lines, errors = answers.first_diagnostic("a.h:1:1: warning: x\n" + 2 * text, "error", file)
                self.assert_in_order("\n".join(lines), *places, "algo.h:1777:14:")
                self.assertEqual((sorted(lines), errors), (sorted(text.splitlines()), 2))

    def test_a_compile_error_in_a_header_of_the_repository_is_not_the_reader_s(self):
        self.write('#define Selector 1\n#include "common/system/selector.h"\n')
        said = self.learn("check", status=1)
        self.assertRegex(said, r" /.*/common/system/selector\.h:\d+:")
        self.assertNotIn("..", said)

    def test_a_link_error_names_the_missing_function(self):
        self.write("int other();\nint other() { return 1; }\n")
        self.assert_in_order(self.learn("check", status=1), "a function is missing", "undefined", "answer")

    def test_a_warning_is_shown_when_nothing_is_compiled_again(self):
        self.write('#include "exercise.h"\nint answer() { double x = 1.5; return x; }\n')
        for _ in range(2):  # also when nothing has to be compiled
            self.assert_in_order(self.learn("check", "01.1"), "passed", "The compiler warns:", "yours.cpp:2:")

    def test_a_case_in_a_suite_is_named_once(self):
        section = "test.cpp:7:\nTEST SUITE: one suite\nTEST CASE:  it is so\n\ntest.cpp:9: ERROR: CHECK( a == b )\n\n"
        for text in (section, section.replace("TEST SUITE: one suite\n", "")):
            self.assertEqual(answers.judge_case("failed", text), ("it is so", 'It fails in the test case "it is so":', "",
                                                                  ["test.cpp:9: ERROR: CHECK( a == b )"]))

    def test_a_failure_before_a_crash_is_shown_first(self):
        self.write('#include "exercise.h"\nint answer() { static int n = 0; if (n++) __builtin_trap(); return 0; }\n')
        self.assert_in_order(self.learn("check", status=1), 'It fails in the test case "the answer is right":',
                             "think of 1", "After that it crashed")

    def test_a_program_that_hangs_is_stopped(self):
        self.write('#include "exercise.h"\nint answer() { for (volatile int i = 0;; i = 0) {} }\n')
        with unittest.mock.patch.object(exercises, "TIME_LIMIT", 3):
            said = self.learn("check", status=1)
        self.assertIn('It hung and was stopped in the test case "the answer is right":', said)
        self.assertNotIn("SIGTERM", said)

    def test_a_hang_that_ignores_signals_is_stopped(self):
        self.write('#include "exercise.h"\n#include <csignal>\n#include <unistd.h>\n'
                   'int answer() { std::signal(SIGTERM, SIG_IGN); for (;;) ::pause(); }\n')
        with unittest.mock.patch.object(exercises, "TIME_LIMIT", 3):
            self.assertIn("It was stopped after 3 s", self.learn("check", status=1))

    def test_programs_that_the_reader_started_end_too(self):
        self.write('#include "exercise.h"\n#include <cstdio>\n#include <unistd.h>\n'
                   'int answer() { if (::fork() == 0) for (;;) ::pause(); '
                   'std::printf("group %d\\n", ::getpgrp()); return 1; }\n')
        group = int(self.learn("check").split("group ")[1].split()[0])
        for _ in range(100):  # killed, but the system may need a moment to bury it
            try:
                os.killpg(group, 0)
            except ProcessLookupError:
                return
            time.sleep(0.05)
        self.fail("a process is left")

    def test_what_the_reader_s_code_prints_is_shown(self):
        self.write('#include "exercise.h"\n#include <cstdio>\nint answer() { std::printf("got here"); return 1; }\n')
        self.assert_in_order(self.learn("check"), "passed", "It printed:", "    got here")

    def test_only_the_output_of_the_failing_case_is_shown(self):
        self.write('#include "exercise.h"\n#include <cstdio>\nint answer() { std::puts("called"); return 2; }\n')
        said = self.learn("check", status=1)  # two test cases call it
        self.assertIn('fails in the test case "the answer is right":', said)
        self.assertEqual(said.count("called"), 1, said)

    def test_a_program_that_prints_without_end_is_stopped(self):
        self.write('#include "exercise.h"\n#include <cstdio>\nint answer() { for (;;) std::puts("x"); }\n')
        self.assertIn("It was stopped because it printed without end", self.learn("check", status=1))

    def test_an_early_exit_does_not_count_as_success(self):
        self.write('#include "exercise.h"\n#include <cstdlib>\nint answer() { std::_Exit(0); }\n')
        self.assertIn("It exited before its tests had finished", self.learn("check", status=1))

    def test_a_bad_exit_after_good_tests_is_reported(self):
        for end in ["std::_Exit(1)", "for (;;) ::pause()"]:
            self.write('#include "exercise.h"\n#include <cstdlib>\n#include <unistd.h>\n'
                       f'static struct End {{ ~End() {{ {end}; }} }} end;\nint answer() {{ return 1; }}\n')
            with unittest.mock.patch.object(exercises, "TIME_LIMIT", 2):
                self.assertIn("but the program did not exit cleanly", self.learn("check", status=1))

    def test_an_exception_is_shown_with_its_text(self):
        self.write('#include "exercise.h"\n#include <stdexcept>\nint answer() { throw std::runtime_error("why"); }\n')
        self.assert_in_order(self.learn("check", status=1), "It fails in", "THREW exception", "why")

    # ---- building no more and no less than needed

    def commands_of_a_check(self, status):
        """How many compilers and linkers it runs."""
        with unittest.mock.patch.object(answers.subprocess, "run", wraps=subprocess.run) as run:
            self.learn("check", "01.1", status=status)
        return sum("-o" in call.args[0] for call in run.call_args_list)

    def test_only_what_has_changed_is_built(self):
        self.solve("01.1")
        self.learn("check", "01.1")
        self.assertEqual(self.commands_of_a_check(status=0), 0)
        self.write(ANSWER.format(answer=7))
        self.assertEqual(self.commands_of_a_check(status=1), 2)  # yours.cpp, and the program
        self.assertEqual(self.commands_of_a_check(status=1), 0)

    def test_a_header_that_has_changed_is_noticed(self):
        self.solve("01.1")
        self.learn("check", "01.1")
        self.change(self.folder("01.1") / "exercise.h", "void answer();\n")
        self.assertIn("yours.cpp:2:", self.learn("check", "01.1", status=1))

    def test_an_older_file_put_back_is_noticed(self):
        self.solve("01.1")
        os.utime(self.yours(), (1, 1))
        self.learn("check", "01.1")
        self.yours().rename(self.root / "kept")
        self.write(ANSWER.format(answer=7))
        self.learn("check", "01.1", status=1)
        (self.root / "kept").replace(self.yours())
        self.learn("check", "01.1")

    def test_a_file_saved_while_it_is_compiled_is_compiled_again(self):
        self.write(ANSWER.format(answer=7))

        run = subprocess.run

        def compile_slowly(command, **options):
            result = run(command, **options)
            if command[-1].endswith("yours.cpp"):
                self.write(ANSWER.format(answer=1))
            return result
        with unittest.mock.patch.object(subprocess, "run", compile_slowly):
            self.learn("check", "01.1", status=1)
        self.learn("check", "01.1")

    def test_a_folder_that_is_not_a_build_directory_is_refused(self):
        with contextlib.redirect_stderr(io.StringIO()) as said:
            self.assertEqual(exercises.main(["check", "--build", "nowhere"], self.root), 2)
        self.assertEqual(said.getvalue(), "learn: nowhere is not a build directory: ./learn check makes one\n")

    def test_libraries_that_cannot_be_built_are_reported(self):
        for rules, words in [
                ("rule r\n  command = echo 'common/a.cpp:1:2: error: no'; false\nbuild tests/exercises/exercise1: r\n",
                 ["own code does not compile", "    common/a.cpp:1:2: error: no"]),
                ("", ["can't be used", "unknown target", "Remove it"])]:
            with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()) as said:
                Path(folder, "build.ninja").write_text(rules)
                self.assertEqual(exercises.main(["check", "--build", folder], self.root), 2)
            self.assert_in_order(said.getvalue(), "learn: ", *words)

    def test_other_flags_and_a_folder_of_wrong_answers(self):
        build, folder, work = answers.Build(BUILD), self.folder("01.1"), self.root / "work"
        answer = self.root / "other/answer.cpp"
        work.mkdir()
        answer.parent.mkdir()
        answer.write_text('#include "exercise.h"\nint answer() { double x = 1; return x; }\n')
        self.assertEqual(answers.try_answer(build, folder, answer, work, 10).kind, "passed")
        self.assertEqual(answers.try_answer(build, folder, answer, work, 10, ("-Werror",)).kind, "broken")


class Memory(Reader):
    """An answer that has passed runs again with sanitizers."""

    looks_at_memory = True
    FREED = """\
        #include "exercise.h"
        #include <memory>
        int answer() {
            auto one = std::make_unique<int>(1);
            const int* kept = one.get();
            one.reset();
            const int gone = *kept;
            return gone == 2 ? 2 : 1;
        }
        """

    def test_sanitizers_do_not_run_before_the_tests_pass(self):
        self.assertNotIn("Running it again", self.learn("check", status=1))

    def test_an_answer_that_fails_with_sanitizers_is_not_done(self):
        self.write(self.FREED)
        said = self.learn("check", status=1)
        yours = "    tests/exercises/01.1-one/yours.cpp"
        self.assert_in_order(
            said, "01.1 Say 1: its tests pass. Running it again", "01.1 Say 1: not yet", "memory error",
            f"{yours}:7: in answer, your code reads memory that has been freed:\n        const int gone = *kept;",
            f"{yours}:6: in answer, your code had freed it:\n        one.reset();",
            f"{yours}:4: in answer, your code had allocated it:\n        auto one",
            "book/20-what-must-outlive-what.md", "The whole report: .learn/exercises/01.1/memory/report.log",
            "./learn hint 01.1")
        self.assertNotIn("0x", said)
        self.assertFalse((self.root / ".learn/progress").exists())
        self.learn("solution", "01.1", status=1)
        self.assertIn("AddressSanitizer", (self.root / ".learn/exercises/01.1/memory/report.log").read_text())
        self.solve("01.1")
        self.assert_in_order(self.learn("check"), "01.1 Say 1: its tests pass. Running it again",
                             "01.1 Say 1: passed\n", "./learn solution")
        self.assertEqual(self.progress(), "01.1-one\n")

    def test_undefined_behaviour_without_a_crash_is_reported(self):
        self.write('#include "exercise.h"\nint answer() { int n = 2147483647; ++n; return 1; }\n')
        self.assert_in_order(self.learn("check", status=1), "yours.cpp:2: in answer, your code does what C++ does not "
                             "define (signed integer overflow", "int n = 2147483647")

    def test_an_answer_that_fails_only_with_sanitizers_is_reported(self):
        self.write('#include "exercise.h"\n#include <cstdlib>\n'
                   'int answer() { return std::getenv("ASAN_OPTIONS") ? 2 : 1; }\n')
        with unittest.mock.patch.dict(os.environ):
            os.environ.pop("ASAN_OPTIONS", None)  # meson sets it
            said = self.learn("check", status=1)
        self.assert_in_order(said, "not yet", 'It fails in the test case "the answer is right":',
                             "It passed without sanitizers", "report.log")

    def test_a_compiler_without_sanitizers_is_tolerated(self):
        self.write(self.FREED)
        with unittest.mock.patch.object(memory, "FLAGS", ["-fsanitize=nothing-like-that"]):
            said = self.learn("check")
        self.assert_in_order(said, "01.1 Say 1: passed\n", "Its use of memory was not checked: "
                             "your compiler comes without sanitizers.", "./learn solution 01.1")
        self.assertEqual(self.progress(), "01.1-one\n")

    def run_where(self, forbidden):
        """Runs programs as on a machine that forbids those with this option."""
        def run(program, *arguments, variables):
            if forbidden in variables["ASAN_OPTIONS"]:
                return "", 1, False
            return answers.run_limited(program, *arguments, variables=variables)
        return unittest.mock.patch.object(memory, "run_limited", run)

    def test_a_machine_where_leaks_cannot_be_found_is_tolerated(self):
        self.write('#include "exercise.h"\nint* made;\nint answer() { made = new int; made = nullptr; return 1; }\n')
        with self.run_where("detect_leaks=1"):
            self.assertNotIn("was not checked", self.learn("check"))
        self.write(self.FREED)
        with self.run_where("detect_leaks=1"):
            self.assertIn("has been freed", self.learn("check", "01.1", status=1))

    def test_a_machine_where_no_sanitizer_runs_is_tolerated(self):
        self.write(self.FREED)
        with self.run_where("detect_leaks"):
            self.assert_in_order(self.learn("check"), "passed", "programs built with sanitizers don't run on this machine")

    def test_a_sanitizer_that_crashes_is_tolerated(self):
        self.solve("01.1")

        def run(program, *arguments, variables):
            if program.name == "probe":
                return "", 0, False
            return "AddressSanitizer:DEADLYSIGNAL\n", -signal.SIGSEGV, False
        with unittest.mock.patch.object(memory, "run_limited", run):
            self.assert_in_order(self.learn("check"), "passed", "the sanitizer itself crashed")

    def test_only_what_has_changed_is_built(self):
        self.solve("01.1")
        self.learn("check", "01.1")
        with unittest.mock.patch.object(answers.subprocess, "run", wraps=subprocess.run) as run:
            self.learn("check", "01.1")
        self.assertEqual([call.args[0] for call in run.call_args_list if "-o" in call.args[0]], [])


# What sanitizers have said of the program below: cut down, and with its path as FILE.
PROGRAM = """\
Gen numbers(int n) {
    for (int i = 0; i < n; ++i)
        co_yield i;
}
void use() {
    Gen g = numbers(3);
    g.handle.destroy();
    g.handle.resume();
}
std::function<int()> callback() {
    int ticks = 1;
    return [&ticks] { return ++ticks; };
}
"""
GCC_DESTROYED = """\
==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x608000000030 at pc 0x5 bp 0x7 sp 0x7
READ of size 4 at 0x608000000030 thread T0
    #0 0x55b95 in std::__n4861::coroutine_handle<Gen::promise_type>::resume() const /usr/include/c++/12/coroutine:244
    #1 0x55b95 in use() FILE:8
    #2 0x7f428 in __libc_start_call_main ../sysdeps/nptl/libc_start_call_main.h:58
    #3 0x55b95 in _start (/tmp/a-g+++0x10310)

0x608000000030 is located 16 bytes inside of 88-byte region [0x608000000020,0x608000000078)
freed by thread T0 here:
    #0 0x7f428 in operator delete(void*) ../../../../src/libsanitizer/asan/asan_new_delete.cpp:152
    #1 0x55b95 in numbers FILE:4
    #2 0x55b95 in numbers FILE:1
    #3 0x55b95 in std::__n4861::coroutine_handle<Gen::promise_type>::destroy() const /usr/include/c++/12/coroutine:246
    #4 0x55b95 in use() FILE:7

previously allocated by thread T0 here:
    #0 0x7f428 in operator new(unsigned long) ../../../../src/libsanitizer/asan/asan_new_delete.cpp:95
    #1 0x55b95 in numbers(int) FILE:4
    #2 0x55b95 in use() FILE:6

SUMMARY: AddressSanitizer: heap-use-after-free FILE:8 in use()
"""
CLANG_DESTROYED = """\
==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x506000000030 at pc 0x5 bp 0x7 sp 0x7
READ of size 8 at 0x506000000030 thread T0
    #0 0x55d97 in std::__n4861::coroutine_handle<Gen::promise_type>::resume() const /usr/lib/gcc/12/../include/coroutine
    #1 0x55d97 in use() FILE:8:14
    #2 0x55d97 in _start (/tmp/a-clang++-19+0x30400) (BuildId: 6cf147)

freed by thread T0 here:
    #0 0x55d97 in operator delete(void*, unsigned long) (/tmp/a-clang++-19+0x110802) (BuildId: 6cf147)
    #1 0x55d97 in numbers(int) (.destroy) FILE:1:5
    #2 0x55d97 in std::__n4861::coroutine_handle<Gen::promise_type>::destroy() const /usr/lib/gcc/12/../coroutine:246:30
    #3 0x55d97 in use() FILE:7:14

previously allocated by thread T0 here:
    #0 0x55d97 in operator new(unsigned long) (/tmp/a-clang++-19+0x10fb9d) (BuildId: 6cf147)
    #1 0x55d97 in numbers(int) FILE:1:5
    #2 0x55d97 in use() FILE:6:13
"""
DESTROYED = """\
FILE:8: in use, your code resumes a coroutine that has already been destroyed:
    g.handle.resume();
FILE:7: in use, your code had destroyed numbers:
    g.handle.destroy();
FILE:6: in use, your code had called the coroutine numbers, which made its frame:
    Gen g = numbers(3);
"""
GCC_LEAK = """\
==7==ERROR: LeakSanitizer: detected memory leaks

Indirect leak of 41 byte(s) in 1 object(s) allocated from:
    #0 0x7fd4c in operator new(unsigned long) ../../../../src/libsanitizer/asan/asan_new_delete.cpp:95
    #1 0x5570e in std::allocator<char>::allocate(unsigned long) /usr/include/c++/12/bits/allocator.h:188
    #2 0x5570e in callback() FILE:11

Direct leak of 88 byte(s) in 1 object(s) allocated from:
    #0 0x7fd4c in operator new(unsigned long) ../../../../src/libsanitizer/asan/asan_new_delete.cpp:95
    #1 0x5570e in numbers(int) FILE:4
    #2 0x5570e in use() FILE:6
"""
LEAK = """\
FILE:6: in use, your code calls the coroutine numbers, whose frame is never destroyed:
    Gen g = numbers(3);
"""
RETURNED_STACK = """\
==7==ERROR: AddressSanitizer: stack-use-after-return on address 0x7f9be at pc 0x55 bp 0x7f sp 0x7f
WRITE of size 4 at 0x7f9beb200030 thread T0
    #0 0x55c38 in FUNCTION FILE:12:30
    #1 0x55c38 in std::function<int ()>::operator()() const /usr/include/c++/12/bits/std_function.h:591

Address 0x7f9beb200030 is located in stack of thread T0 at offset 48 in frame
    #0 0x55c38 in callback() FILE:10

  This frame has 2 object(s):
    [48, 52) 'ticks' (line 11) <== Memory access at offset 48 is inside this variable
    [64, 72) '<unknown>'
"""
RETURNED = """\
FILE:12: in a lambda, your code writes to a variable of a function that has returned:
    return [&ticks] { return ++ticks; };
FILE:11: in callback, your code had created it as the variable ticks:
    int ticks = 1;
"""
GCC_RETURNED = RETURNED_STACK.replace("FUNCTION", "operator()").replace(":12:30", ":12")
CLANG_RETURNED = RETURNED_STACK.replace("FUNCTION", "callback()::$_0::operator()() const")
CLANG_PARAMETER = (CLANG_RETURNED.replace("'ticks' (line 11)", "'n.addr'")
                   .replace("callback() FILE:10", "numbers(int) FILE:1"))
TEMPORARY = CLANG_RETURNED.replace("'ticks'", "'ref.tmp'")
OF_UNDEFINED = """\
FILE:2:29: runtime error: signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'
    #0 0x5634f in numbers(int) FILE:2:29
"""
UNDEFINED = """\
FILE:2: in numbers, your code does what C++ does not define (signed integer overflow: 2147483647 + 1 cannot be \
represented in type 'int'):
    for (int i = 0; i < n; ++i)
"""
ELSEWHERE = """\
==7==ERROR: AddressSanitizer: attempting double-free on 0x602 in thread T0:
    #0 0x7fd4c in operator delete(void*) ../../../../src/libsanitizer/asan/asan_new_delete.cpp:152
    #1 0x5570e in stage3::Callback::run() HERE/stage3_queue_crawler/callback.cpp:18
    #2 0x5570e in DOCTEST_ANON_FUNC_2() HERE/tests/exercises/01.1-one/test.cpp:2
"""


class Reports(unittest.TestCase):
    """What a reader gets to see of the sanitizers' reports."""

    def explain(self, report):
        with tempfile.TemporaryDirectory(prefix="the reports ") as folder:
            root = Path(folder).resolve()
            exercise = root / "tests/exercises/01.1-one"
            exercise.mkdir(parents=True)
            (exercise / "yours.cpp").write_text(PROGRAM)
            (exercise / "test.cpp").write_text("\nTEST_CASE(\"x\") {}\n")
            file = str(exercise / "yours.cpp")
            lines = memory.explain(report.replace("FILE", file).replace("HERE", str(root)), root, exercise,
                                   exercise / "yours.cpp")
            return "".join(f"{line}\n" for line in lines).replace(file, "FILE").replace(str(root), "HERE")

    def test_reports_are_put_into_words(self):
        self.maxDiff = None
        for report, told in [(GCC_DESTROYED, DESTROYED), (CLANG_DESTROYED, DESTROYED), (GCC_LEAK, LEAK),
                             (GCC_RETURNED, RETURNED), (CLANG_RETURNED, RETURNED), (OF_UNDEFINED, UNDEFINED)]:
            self.assertEqual(self.explain(report), told)
        self.assertIn("FILE:1: in numbers, your code had created it as the variable n:", self.explain(CLANG_PARAMETER))
        self.assertIn("FILE:11: in callback, your code had created it as a temporary:", self.explain(TEMPORARY))

    def test_each_kind_of_error_has_its_words(self):
        for kind, words in [
                ("heap-buffer-overflow on", "reads memory outside"), ("stack-overflow on", "has filled the stack"),
                ("stack-use-after-scope on", "whose scope has ended"), ("attempting double-free on", "already been freed"),
                ("attempting free on address which was not malloc()-ed:", "was never allocated"),
                ("alloc-dealloc-mismatch (operator new vs free) on", "in a different way"),
                ("new-delete-type-mismatch on", "of another type"), ("SEGV on unknown", "an invalid pointer"),
                ("something-new on", "what the sanitizer calls something-new")]:
            told = self.explain(f"==7==ERROR: AddressSanitizer: {kind} 0x1\n    #0 0x5 in numbers(int) FILE:3\n")
            self.assertIn(f"FILE:3: in numbers, your code {words}" if "reads" in words else words, told)
        self.assertIn("null pointer", self.explain(
            "==7==ERROR: AddressSanitizer: SEGV on unknown address 0x0\nHint: address points to the zero page.\n"
            "    #0 0x5 in numbers(int) FILE:3\n"))

    def test_the_readers_line_comes_first(self):
        self.assertIn("FILE:8: in use, your code frees", self.explain(ELSEWHERE + "    #3 0x5 in use() FILE:8\n"))

    def explain_step(self, report):
        with tempfile.TemporaryDirectory(prefix="the reports ") as folder:
            root = Path(folder).resolve()
            yours_folder = root / "tests/exercises/yours"
            yours_folder.mkdir(parents=True)
            for name in ["task.h", "loop.h"]:
                (yours_folder / name).write_text(PROGRAM)
            lines = memory.explain(report.replace("YOURS", str(yours_folder)), root, root / "tests/exercises/Y06-step",
                                   yours_folder / "task.h")
            return "".join(f"{line}\n" for line in lines)

    def test_all_of_the_reader_s_headers_count_as_theirs(self):
        told = self.explain_step("==7==ERROR: AddressSanitizer: heap-use-after-free on 0x1\nREAD of size 8\n"
                                 "    #0 0x5 in std::move() /usr/include/c++/12/bits/move.h:3\n"
                                 "    #1 0x5 in yours::Loop::run_due() YOURS/loop.h:3\n")
        self.assertIn("yours/loop.h:3: in Loop::run_due, your code reads memory that has been freed", told)

    def test_a_frame_that_leaks_comes_before_what_it_holds(self):
        told = self.explain_step("==7==ERROR: LeakSanitizer: detected memory leaks\n\n"
                                 "Direct leak of 8 byte(s) in 1 object(s) allocated from:\n"
                                 "    #0 0x5 in operator new(unsigned long) /a.cpp:9\n"
                                 "    #1 0x5 in std::vector<int>::push_back(int) /usr/include/c++/12/v.h:2\n"
                                 "    #2 0x5 in yours::Task::run() YOURS/task.h:3\n\n"
                                 "Direct leak of 96 byte(s) in 1 object(s) allocated from:\n"
                                 "    #0 0x5 in operator new(unsigned long) /a.cpp:9\n"
                                 "    #1 0x5 in numbers(int) YOURS/loop.h:1\n"
                                 "    #2 0x5 in use() YOURS/loop.h:8\n\n")
        self.assertIn("yours/loop.h:8: in use, your code calls the coroutine numbers, whose frame is never destroyed",
                      told)

    def test_a_report_without_a_line_of_the_reader_s(self):
        self.assertEqual(self.explain(ELSEWHERE),
                         "HERE/tests/exercises/01.1-one/test.cpp:2: in a test case, the exercise's code "
                         "frees what has already been freed:\n    TEST_CASE(\"x\") {}\n")
        only_ours = "".join(line for line in ELSEWHERE.splitlines(True) if "test.cpp" not in line)
        self.assertEqual(self.explain(only_ours), "HERE/stage3_queue_crawler/callback.cpp:18: in "
                         "stage3::Callback::run, our code frees what has already been freed:\n")
        neither = "".join(line for line in ELSEWHERE.splitlines(True) if "HERE" not in line)
        self.assertEqual(self.explain(neither), "the program frees what has already been freed.\n")

    def test_output_without_a_report_gives_no_words(self):
        for text in ["[doctest] Status: SUCCESS!\nERROR: nothing\n", "I print: runtime error: mine\n"]:
            self.assertEqual(self.explain(text), "")


class Help(Reader):
    """Hints, solutions, starting over, and a check whenever a file is saved."""

    def test_hints_come_one_at_a_time(self):
        for shown, text in enumerate(["It is a number.", "It is small.", "It is 1.", "It is 1."]):
            said = self.learn("hint", *["01.1"] * (shown % 2))
            self.assert_in_order(said, f"01.1 Say 1, hint {min(shown + 1, 3)} of 3", text)
            self.assertEqual(said.count("It is"), 1)
            self.assertIn(["2 hints left", "1 hint left", "No hints left", "No hints left"][shown], said)
        self.assertIn("./learn solution 01.1 --give-up", said)
        self.assertIn("(no hints left)", self.learn("check", status=1))
        self.assertIn("2 hints left", self.learn("hint", "01.2"))

    def test_solution_is_locked_until_yours_passes(self):
        said = self.learn("solution", "01.1", status=1)
        self.assertIn("./learn solution 01.1 --give-up", said)
        self.assertNotIn("return 1", said)
        self.assertIn("solution.cpp", self.learn("solution", "01.1", "--give-up"))
        self.write('#include "exercise.h"\nint answer() { return 2 - 1; }\n')
        self.learn("check")
        said = self.learn("solution", "01.1")
        self.assert_in_order(said, "tests/exercises/01.1-one/solution.cpp", "--- tests/exercises/01.1-one/yours.cpp",
                             "-int answer() { return 2 - 1; }", "+int answer() { return 1; }")
        self.solve("01.1")
        self.assertIn("Yours is the same.", self.learn("solution", "01.1"))

    def test_reset_keeps_what_the_reader_wrote(self):
        for number, name in enumerate(["yours.cpp.old", "yours.cpp.old2", "yours.cpp.old3"]):
            self.write(f"// work {number}\n")
            self.assertIn(f"01.1-one/{name}", self.learn("reset", "01.1", "--yes"))
            self.assertEqual(self.yours().read_text(), ANSWER.format(answer=0))
            self.learn("reset", "01.1", "--yes")  # nothing to keep
        for number, name in enumerate(["yours.cpp.old", "yours.cpp.old2", "yours.cpp.old3"]):
            self.assertEqual((self.folder("01.1") / name).read_text(), f"// work {number}\n")
        self.assertEqual(len(list(self.folder("01.1").glob("yours.cpp*"))), 4)

    def test_reset_starts_over(self):
        self.solve("01.1")
        self.learn("check")
        self.learn("hint", "01.1")
        self.learn("reset", "01.1", "--yes")
        self.assertEqual(self.progress(), "")
        self.assertIn("hint 1 of 3", self.learn("hint", "01.1"))
        self.learn("solution", "01.1", status=1)

    def test_reset_asks(self):
        self.write("// work\n")
        with unittest.mock.patch.object(sys, "stdin") as stdin:
            stdin.isatty.return_value = False
            self.learn("reset", "01.1", status=2, errors="./learn reset 01.1 --yes")
            stdin.isatty.return_value = True
            for word, status in [("", 1), ("n", 1), ("yes", 0)]:
                self.assertEqual(self.yours().read_text(), "// work\n")
                with unittest.mock.patch("builtins.input", return_value=word):
                    self.learn("reset", "01.1", status=status)
        self.assertEqual((self.folder("01.1") / "yours.cpp.old").read_text(), "// work\n")

    def test_no_file_of_the_reader_is_written_but_by_reset(self):
        self.write("// work\n")
        for command in [["check"], ["check", "01"], ["hint"], ["solution", "01.1", "--give-up"], ["list"]]:
            with contextlib.redirect_stdout(io.StringIO()):
                exercises.main([*command, "--build", str(BUILD)], self.root)
        self.assertEqual(self.yours().read_text(), "// work\n")

    def test_watch_checks_each_time_a_file_is_saved(self):
        script = ("import sys; from pathlib import Path; import exercises; "
                  "sys.exit(exercises.main(sys.argv[2:], Path(sys.argv[1])))")
        command = [sys.executable, "-B", "-c", script, self.root, "watch", "--build", BUILD]
        printed = self.root / "printed"
        with open(printed, "wb") as out, \
                subprocess.Popen(command, cwd=HERE, stdout=out, stderr=subprocess.STDOUT) as process:
            def wait_for(text):
                for _ in range(3000):
                    if text in printed.read_text():
                        return
                    time.sleep(0.1)
                self.fail(f"no '{text}' in:\n{printed.read_text()}")
            try:
                wait_for("think of 1")
                self.write(ANSWER.format(answer=7))
                wait_for("values: CHECK( 7 == 1 )")
                time.sleep(1)  # nothing happens, so nothing is checked
                self.solve("01.1")
                wait_for("01.1 Say 1: passed")
                wait_for("think of 2")
                self.assertTrue(self.yours("01.2").exists())
                process.send_signal(signal.SIGINT)
                self.assertEqual(process.wait(60), 0)
            finally:
                process.kill()
        self.assertEqual(self.progress(), "01.1-one\n")
        self.assertNotIn("Traceback", printed.read_text())
        self.assertEqual(printed.read_text().count("not yet"), 3, printed.read_text())

    def test_await_where_gcc_12_is_wrong(self):
        self.write("""\
            #include "exercise.h"
            int answer() {
                // if (co_await x)
                if (co_await x)
                    return 1;
                return 1;
            }
            """)
        self.assert_in_order(self.learn("check", status=1),
                             "tests/exercises/01.1-one/yours.cpp:4: co_await in the parentheses of if(...)",
                             "GCC 12", "It does not compile")

    def test_colours_are_used_only_on_a_terminal(self):
        self.solve("01.1")
        with unittest.mock.patch.dict(os.environ, TERM="xterm", NO_COLOR="", CI=""):
            self.assertNotIn("\033", self.learn("check", "01.1") + self.learn("list", "--all"))
            self.screen = Terminal
            self.assertIn("\033[32mpassed\033[0m", self.learn("check", "01.1"))
            self.assertIn("\033[31mnot yet\033[0m", self.learn("check", "01.2", status=1))
            for name, value in [("NO_COLOR", "1"), ("TERM", "dumb"), ("CI", "true")]:
                with unittest.mock.patch.dict(os.environ, {name: value}):
                    self.assertNotIn("\033", self.learn("check", "01.1") + self.learn("list", "--all"))


class Await(unittest.TestCase):
    """Which forms GCC 12 miscompiles: see `miscompiled`."""

    def test_the_miscompiled_forms_are_found(self):
        for code, place in [
                ("if (co_await f()) g();", "if"), ("if (a && f(co_await b))", "if"), ("if(co_await f())", "if"),
                ("if (const auto x = co_await f(); x)", "if"), ("if constexpr (co_await f())", "if"),
                ("while (co_await f()) {}", "while"), ("do {} while (!co_await f());", "while"),
                ("switch (co_await f()) {}", "switch"), ("for (;co_await f();) {}", "for"),
                ("for (int i = 0; i < co_await f(); ++i)", "for"), ("if (co_yield 1)", "if"),
                ("CHECK(co_await f() == 1);", "CHECK"), ("REQUIRE_THROWS_AS(co_await f(), E);", "REQUIRE_THROWS_AS"),
                ("CHECK_MESSAGE(co_await f(), 1);", "CHECK_MESSAGE"), ("assert(co_await f());", "assert"),
                ("x = a ? co_await f() : 1;", "?"), ("x = a ? 1 : co_await f();", "?"),
                ("x = co_await f() ? 1 : 2;", "?"), ("x = co_await f() == 3 ? 1 : 2;", "?"),
                ("g(1, a ? 1 : h(co_await f()), 2);", "?"), ('if (s == ")" && co_await f())', "if"),
                ("if (c == ')' || co_await f())", "if"), ("if (n > 1'000 && co_await f(1'000))", "if")]:
            places = answers.miscompiled(f"int x;\n{code}\n")
            self.assertEqual([line for line, _ in places], [2], code)
            self.assertIn(f" {place}(" if place != "?" else "?", places[0][1])

    def test_other_forms_are_not_found(self):
        for code in ["const bool b = co_await f(); if (b) g();", "if (a) co_await f();", "while (a) { co_await f(); }",
                     "for (auto x : co_await f()) g();", "for (auto x : y) co_await f();", "do co_await f(); while (a);",
                     "for (int i = 0; i < 3; ++i) co_await f();", "for (int i = co_await f(); i < 3; ++i) g();",
                     "for (;;) co_await f();", "// if (co_await f())", "/* if (co_await f()) */",
                     'say("if (co_await f())");', 'say(R"(a ? co_await b : c)");', "co_await f(a ? 1 : 2);",
                     "co_await g(); x = a ? 1 : 2;", "h(co_await f(), a ? 1 : 2);", "h(a ? 1 : 2, co_await f());",
                     'say(R"(" if (co_await f()) ")");', "x = a ? 1 : 2; co_await f();",
                     "switch (a) { case 1: co_await f(); }", "notify(co_await f());", "my_if(co_await f());"]:
            self.assertEqual(answers.miscompiled(code), [], code)


class Commands(unittest.TestCase):
    def test_a_filter_in_a_readme_selects_a_test_of_its_exercise(self):
        filters = 0
        for readme in Path(__file__).parent.glob("*/README.md"):
            if (readme.parent / "questions.txt").exists():
                continue
            names = re.findall(r'TEST_CASE(?:_FIXTURE)?\((?:\w+, )?"([^"]+)"',
                               (readme.parent / "test.cpp").read_text())
            for wanted in re.findall(r"-tc='([^']+)'", readme.read_text()):
                filters += 1
                self.assertTrue(fnmatch.filter(names, wanted), f"{readme}: {wanted}")
        self.assertGreater(filters, 1)


class Parts(unittest.TestCase):
    def test_the_map_is_read_as_the_site_reads_it(self):
        script = ("import sys, pathlib, json; sys.path.insert(0, sys.argv[1] + '/book/site'); import book; "
                  "print(json.dumps([[page.number, part.name] for part in book.Book(pathlib.Path(sys.argv[1])).parts "
                  "for page in part.pages if part.title]))")
        said = subprocess.run([sys.executable, "-Bc", script, exercises.ROOT], capture_output=True, text=True, check=True)
        course = exercises.Course()
        self.assertEqual(course.parts, dict(json.loads(said.stdout)))
        self.assertEqual([one.name for one in course.exercises if one.after not in course.parts], [])


class Traces(unittest.TestCase):
    """For exercises with a trace: the lines that it names are still the right ones."""

    def test_a_trace_fits_the_program_it_was_recorded_with(self):
        with_trace = [one for one in exercises.Course().exercises if record.trace_of(one).exists()]
        self.assertTrue(with_trace)
        for one in with_trace:
            self.assertTrue(record.fits_program(one), f"program.cpp has changed since run.trace was "
                            f"recorded: tests/exercises/record.py {one.number}")

    def test_names_files_as_seen_from_the_root(self):
        for one in exercises.Course().exercises:
            for event in record.comparable(one.read("run.trace")):
                for place in [event, *event.get("chain", [])]:
                    file = place.get("at", "README.md").split(":")[0]
                    self.assertTrue((exercises.ROOT / file).is_file(), place)
                    self.assertFalse(Path(file).is_absolute(), place)


if __name__ == "__main__":
    unittest.main()
