#!/usr/bin/env python3
"""What `./learn many` prints in given states. Needs no Redis."""
import io
import os
import sys
import unittest
from unittest import mock

sys.dont_write_bytecode = True
import many  # noqa: E402
import many_table  # noqa: E402
from many_table import Row, Screen, View  # noqa: E402

SITE = "http://127.0.0.1:8000"


def some_urls(*numbers):
    return [f"{SITE}/p/{number}" for number in numbers]


class Table(unittest.TestCase):
    def test_the_table_shows_holders_and_the_dead(self):
        view = View([Row(1, 4711, "fetching", some_urls(8, 7, 10), 1234), Row(2, 4712, "dead", [SITE + "/"], 5),
                     Row(3, 4713, "taken over", [], 17)], 2000, 744, 1256, [(0.04, "process 1 comes")])
        table = many_table.lines(view, 80)
        self.assertEqual(table, [
            "process       pid  state       holds    done   those that it holds",
            "      1      4711  fetching        3   1,234   /p/7 /p/8 /p/10",
            "      2      4712  dead            1       5   /",
            "      3      4713  taken over      0      17",
            "",
            "  2,000 URLs known: 1,256 done, 744 unfinished",
            "",
            "    0.0 s  process 1 comes",
        ])
        coloured = many_table.lines(view, 80, colours=True)
        for row, colour in (0, many_table.BOLD), (2, many_table.RED):
            table[row] = f"{colour}{table[row]}{many_table.PLAIN}"
        self.assertEqual(coloured, table)
        self.assertEqual(many_table.lines(View([]), 80)[1:], ["", "  nothing is known yet"])

    def test_no_line_is_too_long_and_dots_replace_what_does_not_fit(self):
        view = View([Row(1, 4711, "fetching", some_urls(*range(100, 150)), 1)], 5, 4, 1,
                    [(123.4, "what process 2 held is done: 6 URLs by process 1, 4 by process 3")])
        for columns in (30, *range(60, 80), 120, 200):
            table = many_table.lines(view, columns)
            self.assertLessEqual(max(map(len, table)), columns)
            self.assertEqual(table[1].endswith(" …"), columns > 50)
        self.assertEqual(many_table.lines(view, 60)[-2:], [
            "  123.4 s  what process 2 held is done: 6 URLs by process 1,", "           4 by process 3"])
        for width, text in ((14, "/p/1 /p/2 /p/3"), (13, "/p/1 /p/2 …"), (6, "/p/1 …"), (5, "")):
            self.assertEqual(many_table.as_many_as_fit(["/p/1", "/p/2", "/p/3"], width), text)

    def test_a_command_is_broken_between_words(self):
        command = ["build/stage3", "--crawl", "many", "-o", "a file", SITE + "/"]
        self.assertEqual(many_table.command_lines(command, 80), [f"$ build/stage3 --crawl many -o 'a file' {SITE}/"])
        self.assertEqual(many_table.command_lines(command, 31), [
            "$ build/stage3 --crawl many \\", "    -o 'a file' \\", f"    {SITE}/"])
        for columns, first in ((30, "$ build/stage3 --crawl many \\"), (28, "$ build/stage3 --crawl \\")):
            self.assertEqual(many_table.command_lines(command, columns)[0], first)


class Terminal(io.StringIO):
    def isatty(self):
        return True


@mock.patch.dict(os.environ, {"COLUMNS": "80", "LINES": "24", "TERM": "xterm", "NO_COLOR": "", "CI": ""})
class OnAScreen(unittest.TestCase):
    def setUp(self):
        self.view = View([Row(1, 4711, "fetching", some_urls(1), 1)], 2, 1, 1, [(0.1, "process 1 comes")])

    def shown(self, screen, **how):
        """What that adds."""
        before = len(screen._stream.getvalue())
        screen.show(self.view, **how)
        return screen._stream.getvalue()[before:]

    def test_a_terminal_is_redrawn_in_place(self):
        screen = Screen(Terminal())
        height = self.shown(screen).count("\n")
        self.assertEqual(height, len(many_table.lines(self.view, 79)))
        self.view.happened.append((0.2, "process 2 comes"))
        again = self.shown(screen)
        self.assertTrue(again.startswith(f"\033[{height}A"))
        self.assertEqual(again.count("\n"), height + 1)

    def test_without_a_terminal_or_room_events_are_lines_and_the_table_comes_at_the_end(self):
        for stream, lines in ((io.StringIO(), "24"), (Terminal(), "4")):
            with mock.patch.dict(os.environ, {"LINES": lines}):
                self.setUp()
                screen = Screen(stream)
                self.assertEqual(self.shown(screen) + self.shown(screen), "    0.1 s  process 1 comes\n")
                self.view.happened.append((0.2, "process 1 leaves"))
                self.assertEqual(self.shown(screen, is_last=True).splitlines(), [
                    "    0.2 s  process 1 leaves", "", *many_table.lines(View(self.view.rows, 2, 1, 1), 79)])

    def test_if_there_is_too_little_room_the_oldest_events_disappear_until_the_end(self):
        self.view.happened.append((0.2, "process 2 comes"))
        with mock.patch.dict(os.environ, {"LINES": "7"}):
            screen = Screen(Terminal())
            first = self.shown(screen)
            self.assertEqual([name in first for name in ("process 1 comes", "process 2 comes")], [False, True])
            last = self.shown(screen, is_last=True)
        self.assertTrue(last.startswith("\033[6A"))
        self.assertIn("process 1 comes", last)


class Verdict(unittest.TestCase):
    def test_each_kind_of_difference_is_listed(self):
        record = dict.fromkeys(many.stage3.SAME, "")
        records = [dict(record, url=url, links=3, depth=depth) for depth, url in enumerate(some_urls(1, 2, 3))]
        alone = {record["url"]: dict(record) for record in records}
        records[0]["depth"] = 7  # the process that was first may differ
        self.assertEqual(many.differences(alone, records[::-1]), [])
        records[0]["links"] = 4
        records[1]["url"] = f"{SITE}/p/9"
        records.append(records[2])
        self.assertEqual(many.differences(alone, records), [
            f"1 URL missing, such as {SITE}/p/2",
            f"1 URL not known to one process alone, such as {SITE}/p/9",
            f"1 URL recorded more than once, such as {SITE}/p/3",
            f"1 URL with another links, such as {SITE}/p/1",
        ])

    def test_urls_fetched_twice_are_listed(self):
        for asked, held, text in (
                ({"/p/1": 1}, {1: [], 2: some_urls(1)}, "No URL was fetched twice."),
                ({"/p/1": 2, "/p/2": 1}, {1: [], 2: some_urls(1)},
                 "1 URL fetched twice: process 2 had asked for them, and died before it could say what came."),
                ({"/p/1": 2, "/p/2": 3}, {2: some_urls(1), 3: some_urls(2)},
                 "2 URLs fetched twice: processes 2 and 3 had asked for them, and died before they could say what "
                 "came."),
                ({"/p/1": 2, "/p/2": 2}, {2: some_urls(1)},
                 "2 URLs fetched twice; of these, 1 had been with processes that were killed.")):
            self.assertEqual(many.repeated(asked, held), text)


class Options(unittest.TestCase):
    def test_only_valid_combinations_are_accepted(self):
        self.assertEqual([many.read_options(words).kill for words in ([], ["--processes", "1"])], [1, 0])
        for words, said in ((["--processes", "2", "--kill", "2"],
                             "many: --kill 2 would leave none of 2 (see ./learn many --help)\n"),
                            (["--processes", "0"], "'0' is not a number from 1 to 50"),
                            (["--page", "3"], "unrecognized arguments: --page")):
            with mock.patch("sys.stderr", io.StringIO()) as stderr, self.assertRaises(SystemExit) as exit_:
                many.read_options(words)
            self.assertEqual(exit_.exception.code, 2)
            self.assertIn(said, stderr.getvalue())


if __name__ == "__main__":
    unittest.main()
