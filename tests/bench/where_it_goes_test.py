#!/usr/bin/env python3
"""Tests of where_it_goes.py: does it read what callgrind writes?"""
from __future__ import annotations

import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
import where_it_goes  # noqa: E402

# A crawler's main takes 10 instructions itself, and calls the reader (30, and 5 of memchr for it)
# twice in 70. libcurl takes 7, and 3 of malloc, one of which is in a recursion; and it polls.
PROFILE = """\
# callgrind format
events: Ir
ob=/somewhere/stage3
fl=???
fn=main
12 10
cob=/somewhere/stage3
cfn=common::find_links(std::basic_string_view<char>)
calls=2 40
12 70
fn=common::find_links(std::basic_string_view<char>)
40 20
+3 10
cob=/lib/libc.so.6
cfn=__memchr_avx2
calls=9 0
* 10
fn=common::HtmlScanner::next(common::LinkTag&)
41 30
ob=/lib/libc.so.6
fl=memchr.S
fn=__memchr_avx2
0 10
fn=malloc
0 2
fn=malloc'2
0 1
fn=poll
0 4
ob=/lib/libcurl.so.4.8.0
fn=0x0000000000047d60
0 7
cfn=poll
calls=3 0
0 4
cfn=malloc
calls=1 0
0 3
totals: 94
"""


class ReadsProfile(unittest.TestCase):
    def read(self, text: str):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "out"
            path.write_text(text, encoding="utf-8")
            return where_it_goes.read_profile(path)

    def test_each_function_is_in_one_group_and_system_calls_are_counted(self):
        found = self.read(PROFILE)
        self.assertEqual(+found, {"libcurl": 7, "malloc, free, new and delete": 3,
                                  "copying, comparing, searching bytes": 10, "finding links": 60, "all other code of the crawler": 10, "all other libraries": 4,
                                  where_it_goes.READING: 70, "poll": 3})

    def test_a_line_that_was_not_understood_is_noticed(self):
        with self.assertRaisesRegex(ValueError, "counted 95 instructions, and 94"):
            self.read(PROFILE.replace("totals: 94", "totals: 95"))


if __name__ == "__main__":
    unittest.main()
