#!/usr/bin/env python3
"""Tests of budget.py: who pays for what, and when is it too much?"""
from __future__ import annotations

import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
import budget  # noqa: E402

# The loop takes 10 instructions itself. It calls std::function (3 itself), which calls the reader: 20 itself, and 8 of
# memcpy. libcurl takes 5, 2 of memcpy, and calls the session back: 7.
PROFILE = """\
# callgrind format
ob=/build/stage3_queue_crawler/stage3
fn=stage3::EventLoop::run(stage3::Callback&)
1 10
cfn=void std::function<void (stage3::Session)>::operator()() const
calls=1 1
1 31
cob=/lib/libcurl.so.4
cfn=0x0047
calls=1 1
1 14

fn=void std::function<void (stage3::Session)>::operator()() const
1 3
cfn=common::(anonymous namespace)::find_links(common::Url const&)
calls=1 1
1 28

fn=common::(anonymous namespace)::find_links(common::Url const&)
1 20
cob=/lib/libc.so.6
cfn=memcpy
calls=2 1
1 8

fn=stage3::Transfer::on_body(char*)
1 7

ob=/lib/libcurl.so.4
fn=0x0047
1 5
cob=/lib/libc.so.6
cfn=memcpy
calls=1 1
1 2
cob=/build/stage3_queue_crawler/stage3
cfn=stage3::Transfer::on_body(char*)
calls=1 1
1 7

ob=/lib/libc.so.6
fn=memcpy
1 10
totals: 55
"""
FULL = {"libcurl": 100.0, "URLs": 50.0, "loop and tasks": 10.0, "reading": 60.0, "session": 20.0, "records": 10.0,
        "frontier": 20.0, "the rest": 0.0}


def parts_of(profile: str) -> budget.Counter:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "callgrind.out"
        path.write_text(profile, encoding="utf-8")
        return budget.by_part(budget.read_profile(path))


class Budget(unittest.TestCase):
    def test_a_part_pays_for_what_libraries_do_for_it(self):
        found = parts_of(PROFILE)
        self.assertEqual({name: round(number, 6) for name, number in found.items() if round(number, 6)},
                         {"loop and tasks": 13, "reading": 28, "libcurl": 7, "session": 7})

    def test_the_part_depends_on_the_name_and_not_on_the_arguments(self):
        for name, part in (("stage3::Queue<common::Url>::put(stage3::Session)", "loop and tasks"),
                           ("void stage3::set<long>(void*, CURLoption, long)", "session"),
                           ("stage3::(anonymous namespace)::c_malloc(unsigned long)", ""),
                           ("common::HtmlScanner::next(common::Url&)", "reading"),
                           ("stage3::MemoryFrontier::done(stage3::Record&)", "frontier")):
            self.assertEqual(budget.part_of(("stage3", name)), part, name)
        self.assertEqual(budget.part_of(("stage3", "_ZN6stage310PageReader4readEN6common3UrlE")), "reading")
        self.assertEqual(budget.part_of(("libcurl-gnutls.so.4", "malloc")), "libcurl")

    def test_what_belongs_to_no_part_counts_all_the_same(self):
        profile = PROFILE.replace("fn=stage3::Transfer::on_body(char*)\n1 7", "fn=main\n1 7")
        found = parts_of(profile)
        self.assertEqual(sum(found.values()), 55)
        self.assertEqual(round(found["the rest"], 6), 7)

    def test_a_profile_that_is_cut_off_is_refused(self):
        with self.assertRaisesRegex(ValueError, "counted 55 instructions, and 54"):
            parts_of(PROFILE.replace("1 20", "1 19"))

    def test_a_budget_that_is_written_can_be_read(self):
        text = budget.budget_text(FULL, "First", "")
        self.assertEqual(budget.read_budget(text), FULL)
        with self.assertRaisesRegex(ValueError, "other parts"):
            budget.read_budget(text.replace("reading", "writing"))

    def test_a_number_that_has_hardly_changed_keeps_its_commit(self):
        text = budget.budget_text({**FULL, "URLs": 40.0, "reading": 61.0}, "Second", budget.budget_text(FULL, "First", ""))
        self.assertEqual([line.split("  ")[-1] for line in text.splitlines() if line.startswith(("URLs", "reading"))],
                         ["Second", "First"])
        self.assertEqual(budget.read_budget(text), {**FULL, "URLs": 40.0})

    def judged(self, costs: list[float], is_judged: bool = True) -> int:
        pages = [{**FULL, "libcurl": 100 + cost} for cost in costs]
        with mock.patch.multiple(budget, read_budget=lambda _: FULL, per_page=lambda *_: pages.pop(0),
                                 is_judged=lambda _: is_judged, print=lambda *_: None, create=True):
            return budget.judge(budget.Builds(None, None))

    def test_three_percent_are_allowed_and_the_least_of_three_counts(self):
        self.assertEqual(self.judged([8]), 0)
        self.assertEqual(self.judged([9, 9, 8]), 0)
        self.assertEqual(self.judged([9, 10, 9]), 1)

    def test_a_crawl_that_stops_early_is_not_cheap(self):
        self.assertEqual(self.judged([-136]), 1)

    def test_what_other_compilers_make_is_not_judged(self):
        self.assertEqual(self.judged([99, 99, 99], is_judged=False), 0)


if __name__ == "__main__":
    unittest.main()
