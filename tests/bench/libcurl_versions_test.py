#!/usr/bin/env python3
"""Tests of libcurl_versions.py: does it count what is libcurl's, and compare it?"""
from __future__ import annotations

import contextlib
import io
import json
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
import libcurl_versions  # noqa: E402

# main sets 6 options and performs; 0x10, which has no name, polls for that, and calls back twice.
PROFILE = """\
ob=/build/stage3
fn=main
1 100
cob=/lib/libcurl.so.4
cfn=curl_easy_setopt
calls=6 0
2 60
cob=/lib/libcurl.so.4
cfn=curl_multi_perform
calls=1 0
3 500
ob=/lib/libcurl.so.4
fn=curl_easy_setopt
0 60
fn=curl_multi_perform
0 40
cfn=0x10
calls=3 0
0 460
fn=0x10
0 400
cob=/lib/libc.so.6
cfn=poll
calls=4 0
0 20
cob=/build/stage3
cfn=rt::(anonymous namespace)::on_body(char*)
calls=2 0
0 40
fn=0x10
0 0
ob=/build/stage3
fn=rt::(anonymous namespace)::on_body(char*)
5 40
ob=/lib/libc.so.6
fn=poll
0 20
totals: 660
"""


def counted(text: str = PROFILE):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "out"
        path.write_text(text, encoding="utf-8")
        return libcurl_versions.read_libcurl(path)


def told_of(version: str, urls: int) -> dict:
    figures = libcurl_versions.figures_of(type(counted())(), counted(), urls)
    return {"libcurl": version, "urls": urls, "runs": {
        libcurl_versions.title_of(name, *setting): figures
        for name in libcurl_versions.PROGRAMS for setting in libcurl_versions.SETTINGS}}


def said_to(*arguments: str) -> str:
    said = io.StringIO()
    with mock.patch("sys.argv", ["", *arguments]), contextlib.redirect_stdout(said):
        libcurl_versions.main()
    return said.getvalue()


class Counts(unittest.TestCase):
    def test_a_url_takes_the_difference_between_two_sites(self):
        less = counted(PROFILE.replace("0 400", "0 100").replace("calls=4", "calls=1").replace("660", "360"))
        figures = libcurl_versions.figures_of(less, counted(), 3)
        self.assertEqual((figures["instructions"], figures["in libcurl"], figures["kernel"]["poll"]), (100, 100, 1))

    def test_calls_go_both_ways(self):
        figures = libcurl_versions.figures_of(type(counted())(), counted(), 2)
        self.assertEqual(figures["own calls"], {"curl_easy_setopt": [3, 30], "curl_multi_perform": [0.5, 250]})
        self.assertEqual(list(figures["callbacks"].values()), [[1, 20]])

    def test_a_function_without_a_name_is_known_by_those_around_it(self):
        first = libcurl_versions.figures_of(type(counted())(), counted(), 1)["functions"][0]
        self.assertEqual((first["name"], first["calls"], first["under"]), ("0x10", 3, "curl_multi_perform"))
        self.assertIn("poll", first["calls_of"])


class Compares(unittest.TestCase):
    def test_each_version_has_a_column_and_a_list(self):
        text = libcurl_versions.table([told_of("7.88.1", 1), told_of("8.14.1", 2)])
        self.assertRegex(text, r"a URL, with libcurl +7\.88\.1 +8\.14\.1\n")
        self.assertRegex(text, r"floor, 100 at once, an answer every 10 ms\n"
                         r".*instructions +0\.7 +0\.3\n.*itself +0\.5 +0\.2\n.*poll +4\.00 +2\.00\n")
        self.assertRegex(text, r"curl_easy_setopt +6\.0 +0\.1 +3\.0 +0\.0\n")
        self.assertRegex(text, r"\n +rt::on_body +2\.0 +0\.0 ")
        self.assertRegex(text, r"stage 3 with libcurl 8\.14\.1, .*\n.*\n"
                         r" +0x10 +0\.2 +0\.2 +1\.5  under curl_multi_perform; "
                         r"calls rt::on_body, poll\n")

    def test_what_a_version_never_calls_is_a_dash(self):
        other = told_of("8.14.1", 1)
        other = json.loads(json.dumps(other).replace("curl_easy_setopt", "curl_easy_init"))
        self.assertRegex(libcurl_versions.table([told_of("7.88.1", 1), other]), r"curl_easy_setopt +6\.0 +0\.1 +-\n")

    def test_several_files_become_one_table(self):
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for version in ("7.88.1", "8.14.1"):
                files.append(str(Path(folder) / version))
                Path(files[-1]).write_text(json.dumps({"versions": [told_of(version, 1)]}), encoding="utf-8")
            self.assertRegex(said_to("--from", *files), r"^a URL, with libcurl +7\.88\.1 +8\.14\.1\n(.*\n)+.*0x10")

    def test_what_is_brief_can_be_shown_again(self):
        with tempfile.TemporaryDirectory() as folder:
            whole, short = (str(Path(folder) / name) for name in ("whole", "short"))
            Path(whole).write_text(json.dumps({"versions": [told_of("7.88.1", 1), told_of("8.14.1", 2)]}), encoding="utf-8")
            text = said_to("--from", whole, "--brief", "--json", short)
            self.assertRegex(text, r"floor, 10 at once\n.*instructions +0\.7 +0\.3\n.*itself +0\.5 +0\.2\n"
                             r".*poll +4\.00 +2\.00\nstage 3")
            self.assertNotRegex(text, "0x10|curl_easy_setopt|recv")
            self.assertEqual(said_to("--from", short), text)

    def test_what_is_brief_can_be_shown_beside_what_is_not(self):
        recv = told_of("8.14.1", 1)
        for run in recv["runs"].values():
            run["kernel"]["recv"] = 3
        versions = {"whole": [recv], "short": [libcurl_versions.brief(told_of("7.88.1", 1))]}
        with tempfile.TemporaryDirectory() as folder:
            for name, told in versions.items():
                Path(folder, name).write_text(json.dumps({"versions": told}), encoding="utf-8")
            for order in (("whole", "short"), ("short", "whole")):
                text = said_to("--from", *(str(Path(folder) / name) for name in order))

                def row(name, whole, brief):
                    return name + "".join(rf" +{whole if one == 'whole' else brief}" for one in order) + r"\n"
                self.assertRegex(text, row("calls of poll", r"4\.00", r"4\.00"))
                self.assertRegex(text, row("calls of recv", r"3\.00", "-"))
                self.assertRegex(text, row("curl_easy_setopt", r"6\.0 +0\.1", "-"))
                self.assertRegex(text, r"stage 3 with libcurl 8\.14\.1, .*\n.*\n +0x10 ")
                self.assertNotIn("stage 3 with libcurl 7.88.1", text)


if __name__ == "__main__":
    unittest.main()
