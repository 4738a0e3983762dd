#!/usr/bin/env python3
"""Tests of what `./learn trace` does: reading traces, and making pages and tables.

small.trace is written by hand, and has one event of nearly every kind; small.txt is the table that
must be made of it. BUILD in the environment says where the programs are; without, none is run.
    tests/book/trace_tool_test.py --write    writes small.txt anew
"""
import base64
import gzip
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "tests" / "book"
VIEWER = ROOT / "book" / "viewer"
sys.path.insert(0, str(VIEWER))
sys.dont_write_bytecode = True
import anchors  # noqa: E402  (their folder has just been put on the path)
import make_page  # noqa: E402
import scenes  # noqa: E402
import steps  # noqa: E402
import traces  # noqa: E402
from as_text import text_of  # noqa: E402

SMALL = HERE / "small.trace"
GOLDEN = HERE / "small.txt"
FIRST = '{"t":0,"turn":0,"event":"trace","version":2,"program":"stage2"}\n'
SELECT = '{"t":1,"turn":1,"event":"select","timeout_ms":0,"fds":1}\n'
END = '{"t":2,"turn":1,"event":"end","whole":true}\n'


def event_at(place: str) -> str:
    event = {"t": 1, "turn": 0, "event": "future", "phase": "new", "id": 1, "at": place}
    return json.dumps(event) + "\n"


class Read(unittest.TestCase):
    def refused(self, text: str) -> str:
        with self.assertRaises(traces.BadTrace) as caught:
            traces.parse(text, "x.trace")
        return str(caught.exception)

    def test_what_is_no_trace_is_refused(self):
        for path, said in (("nowhere.trace", "no file .*nowhere.trace.*--trace FILE"),
                           (HERE, "can't be read: Is a directory")):
            with self.assertRaisesRegex(traces.BadTrace, said):
                traces.read(path)
        newer = FIRST.replace('"version":2', '"version":3')
        for text, said in (
                *((text, "x.trace is no trace") for text in
                  ("Hello\n", SELECT, "[1]\n", '{"event": 3}\n', '{"event": "trace"}\n')),
                ("", "is empty"), (FIRST, "nothing to show"), (FIRST + END, "nothing to show"),
                (newer + SELECT, "version 3, and version 2"),
                *((FIRST + line + "\n" + SELECT, "x.trace, line 2") for line in
                  ('{"t":1,"tu', '{"event":"select"}', ""))):
            self.assertIn(said, self.refused(text))

    def test_an_unknown_event_is_refused(self):
        for fields, fault in (
                ('"event":"select","fds":1', 'there is no "timeout_ms"'),
                ('"event":"watch","phase":"add","fd":1,"events":"read"', 'there is no "name"'),
                ('"event":"task"', 'there is no "phase"'),
                ('"event":"task","phase":"new","id":true', "id is not a whole number"),
                ('"event":"task","phase":"new","id":1e2', "id is not a whole number"),
                ('"event":"task","phase":"new","id":' + "9" * 30, "id is not a whole number"),
                ('"event":"task","phase":["new"],"id":1', "phase is not a text"),
                ('"event":"awake","ready":0,"at":"\\ud800"', "at is not a text"),
                ('"event":"x","chain":[{"name":"f"}]', "chain is not a list of places"),
                ('"event":"x","a\\nb":{}', r"a\u000ab is not something that is known")):
            with self.subTest(fields):
                line = '{"t":1,"turn":0,' + fields + "}\n"
                self.assertEqual(self.refused(FIRST + line + SELECT),
                                 f"x.trace, line 2: {fault}. Was the file changed? Record it anew")
        for number in ("1e999", "NaN", "-Infinity"):
            self.assertIn("line 2: this is no event",
                          self.refused(FIRST + f'{{"t":{number},"turn":0,"event":"x"}}\n' + SELECT))
        deep = "[" * 100_000 + "\n"
        self.assertIn("line 2: this is no event", self.refused(FIRST + deep + SELECT))

    def test_unknown_fields_of_newer_programs_are_accepted(self):
        line = '{"t":1,"turn":0,"event":"new","more":[],"less":null,"most":1.5}\n'
        self.assertIn("more is not", self.refused(FIRST + line))
        self.assertEqual(len(traces.parse(FIRST + line.replace("[]", "false")).events), 2)

    def test_only_a_line_feed_ends_a_line(self):
        event = event_at("a\u2028b\x85c").encode().decode("unicode_escape")
        self.assertEqual(traces.parse(FIRST + event).events[1]["at"], "a\u2028b\x85c")

    def test_a_trace_that_is_cut_off_is_accepted(self):
        for text, cut_off in ((FIRST + SELECT, True), (FIRST + SELECT + SELECT[:20], True), (FIRST + SELECT + END, False)):
            trace = traces.parse(text)
            self.assertEqual((trace.cut_off, len(trace.events)), (cut_off, 3 - cut_off))

    def test_the_stage_is_found_from_the_events(self):
        task = '{"t":1,"turn":0,"event":"task","phase":"new","id":1}\n'
        mailbox = '{"t":1,"turn":0,"event":"watch","phase":"add","fd":3,"events":"read",' \
                  '"name":"mailbox"}\n'
        for program, events, stage in (("fetch_one", event_at(""), 2), ("runtime_tour", event_at(""), 3),
                                       ("mine", event_at(""), 1), ("mine", task, 2),
                                       ("mine", mailbox + task, 3)):
            text = FIRST.replace("stage2", program) + events
            self.assertEqual(traces.parse(text).stage, stage)

    def test_the_hash_is_that_of_what_a_trace_can_name(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "common").mkdir()
            (root / "common" / "a.h").write_text("one", encoding="utf-8")
            before = traces.sources_hash(root)
            (root / "common" / "meson.build").write_text("two", encoding="utf-8")
            self.assertEqual(traces.sources_hash(root), before)
            self.assertRegex(before, "^[0-9a-f]{12}$")
            (root / "common" / "a.h").write_text("three", encoding="utf-8")
            self.assertNotEqual(traces.sources_hash(root), before)

    def test_no_file_but_the_sources_gets_into_a_page(self):
        for path in ("/etc/passwd", "common/../x.h", "learn", "../x.h", "common/meson.build",
                     "common/none.h", "tests/live/settings.cpp", "tests/exercises/01.1-who-is-waiting/README.md"):
            self.assertIsNone(traces.source_of(path), path)
        for path in (traces.LIVE, traces.LOSING_QUEUE, "tests/exercises/01.1-who-is-waiting/program.cpp"):
            self.assertIsNotNone(traces.source_of(path), path)
        self.assertIn("class Tracer", traces.source_of("common/trace/trace.h"))


class Anchors(unittest.TestCase):
    def test_each_anchor_is_found(self):
        for known in (*anchors.ANCHORS.values(), *anchors.OTHERWISE.values(),
                      anchors.OF_GENERATORS):
            for name, (path, text) in known.items():
                self.assertIsNotNone(anchors.find(path, text),
                                     f"{name}: no line of {path} holds {text}")

    def test_a_page_has_the_anchors_that_its_events_need(self):
        for name, some, none in (
                ("03-callbacks", {"select", "call", "start"}, {"queue put", "step", "new"}),
                ("06-send", set(anchors.OF_GENERATORS), {"select", "step"}),
                ("07-fetch-one", {"new", "suspend", "resolve"}, {"start", "end"}),
                ("11-request", {"nextTurn", "cancel"}, {"start", "queue put"}),
                ("12-queue", {"queue put", "queue wait_to_put", "nextTurn", "start"}, {"next"})):
            found = set(anchors.anchors_for(scenes.all_scenes()[name].trace()))
            self.assertLessEqual(some, found)
            self.assertFalse(none & found)

    def test_the_queue_of_a_crawl_that_loses_an_item_is_another_file_with_the_same_lines(self):
        books, losing = (anchors.anchors_for(scenes.all_scenes()[name].trace())["queue put"]
                         for name in ("13-room", "12-queue"))
        self.assertEqual((books["path"], losing["path"]), (traces.QUEUE, traces.LOSING_QUEUE))
        self.assertEqual(books["line"], losing["line"])
        lines = [traces.source_of(one["path"]).splitlines()[one["line"] - 1] for one in (books, losing)]
        self.assertEqual(lines[0], lines[1])
        self.assertIn("items_.push(", lines[0])


class Parts(html.parser.HTMLParser):
    """The parts of a page."""

    def __init__(self, page: str):
        super().__init__()
        self.scripts, self.kind = {}, None
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.kind = dict(attributes).get("id", "code") if tag == "script" else None

    def handle_data(self, text):
        if self.kind:
            self.scripts[self.kind] = self.scripts.get(self.kind, "") + text

    def handle_endtag(self, tag):
        if tag == "script":
            self.kind = None


class Page(unittest.TestCase):
    def page_of(self, text: str, **more):
        trace = traces.parse(text)
        return Parts(make_page.make_page(trace, make_page.meta_of(trace, **more)))

    def meta_of(self, text: str):
        return json.loads(self.page_of(text).scripts["meta"])

    def test_a_slimmed_script_does_the_same(self):
        for script, slim in (
                ('"use strict";\n\n  // Why it\'s so.\n  go("a // b"); // now\n  to("http://x");\n',
                 'go("a // b");\nto("http://x");'),
                ('go("a , b", "\\" = ", c);', 'go("a , b","\\" = ",c);'),
                ("if (a < b - 1) {\n  c = d => [d, e];\n}", "if(a<b - 1){\nc=d=>[d,e];\n}")):
            self.assertEqual(make_page.slim_script(script), slim)
        style = "/* a\n b */\na:hover, b > c {\n  color: red;\n  width: calc(1px + 2px);\n}\n"
        self.assertEqual(make_page.slim_style(style), "a:hover,b > c{color:red;width:calc(1px + 2px)}")

    def test_a_page_contains_the_trace_and_its_sources(self):
        text = SMALL.read_text(encoding="utf-8")
        page = self.page_of(text, title="A <title>", start=7)
        meta = json.loads(page.scripts["meta"])
        self.assertEqual([meta[key] for key in ("title", "program", "stage", "start")],
                         ["A <title>", "runtime_tour", 3, 7])
        self.assertIn("stage3_queue_crawler/tours/runtime_tour_main.cpp", meta["sources"])
        self.assertLessEqual({anchor["path"] for anchor in meta["anchors"].values()},
                             set(meta["sources"]))
        self.assertNotIn("note", meta)
        self.assertEqual([json.loads(line) for line in page.scripts["trace"].splitlines()],
                         [json.loads(line) for line in text.splitlines()])

    def test_a_trace_cannot_end_its_script(self):
        name = "</script><!--<script>"
        page = self.page_of(FIRST + event_at(name) + END)
        self.assertEqual(json.loads(page.scripts["trace"].splitlines()[1])["at"], name)
        self.assertEqual(json.loads(page.scripts["meta"])["lost"], [name])

    def test_a_large_trace_is_compressed(self):
        page = self.page_of(FIRST + SELECT * 3000 + END)
        unpacked = gzip.decompress(base64.b64decode(page.scripts["trace"])).decode()
        self.assertEqual(unpacked.count("\n"), 3002)

    def test_a_page_notes_what_a_reader_must_know(self):
        self.assertIn("cut off", self.meta_of(FIRST + SELECT)["note"])
        other = FIRST.replace('"stage2"', '"stage2","sources":"0123456789ab"')
        self.assertIn("lines may be off", self.meta_of(other + SELECT + END)["note"])
        same = FIRST.replace('"stage2"', f'"stage2","sources":"{traces.sources_hash()}"')
        self.assertNotIn("note", self.meta_of(same + SELECT + END))

    def test_places_outside_the_sources_are_lost(self):
        task = "stage2_coroutines/task.h"
        for place, is_lost in ((f"{task}:30", False), (task, False), (f"{task}:99999", True), (f"{task}:0", True),
                               ("/usr/x.h:3", True), ("common/\0.h:1", True), (f"{task}:\u00b2", True),
                               (f"{task}:{'9' * 5000}", True)):
            self.assertEqual(self.meta_of(FIRST + event_at(place) + END)["lost"], [place] * is_lost)


class Steps(unittest.TestCase):
    TELL = """
        const Model = require(process.argv[1]);
        const text = require("fs").readFileSync(process.argv[2], "utf8");
        console.log(JSON.stringify(Model.read(text).steps.map(step => step.i)));
    """

    def test_the_table_s_words_are_those_of_the_page(self):
        node = shutil.which("node")
        if node is None:
            self.skipTest("no node")
        for path in (SMALL, *(scene.trace_file for scene in scenes.all_scenes().values())):
            with self.subTest(path.name):
                done = subprocess.run([node, "-e", self.TELL, VIEWER / "model.js", path],
                                      check=True, capture_output=True, text=True)
                ours = steps.step_numbers(traces.read(path))
                self.assertEqual([index for index, number in enumerate(ours) if number],
                                 json.loads(done.stdout))


class Golden(unittest.TestCase):
    def test_the_small_trace_gives_the_expected_table(self):
        self.assertEqual(text_of(traces.read(SMALL)), GOLDEN.read_text(encoding="utf-8"))

    def test_a_table_has_no_control_characters_and_says_that_a_trace_was_cut_off(self):
        table = text_of(traces.parse(FIRST + event_at("\x1b[2J\n\u202e")))
        self.assertIn(r"\u001b[2J\u000a\u202e", table)
        self.assertTrue(table.endswith("(Here the trace was cut off.)\n"))


class Tool(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_tool(self, *words, **environment):
        own = ["--build", os.environ.get("BUILD", "nowhere"), "--kept", self.folder / "kept"]
        return subprocess.run([sys.executable, VIEWER / "trace_tool.py", *own, *words],
                              capture_output=True, text=True, cwd=self.folder, timeout=60, stdin=subprocess.DEVNULL,
                              env={**os.environ, "COLUMNS": "1000", **environment})  # sentences are compared in one piece

    def page_named_in(self, said: str) -> str:
        url = re.search(r"file://\S+", said)[0]
        with urllib.request.urlopen(url) as page:
            return page.read().decode()

    def test_senseless_commands_are_refused(self):
        for words, why in ((["4"], "no stage 4"), (["nowhere"], "no file nowhere"),
                           (["-o"], "-o needs a file"),
                           (["--scene", "nothing"], "there are: 03-callbacks"),
                           *[(["--scene", typo], "did you mean 12-queue?")
                             for typo in ("queue", "12-Queue", "12-quue", "quue", "12-queues")],
                           (["--scene", "18a"], "did you mean 18a-innermost or 18a-chain?"),
                           (["--scene", "12-queue", "3"], "recorded already"),
                           *[(words, "--live is for the page of a scene") for words in
                             (["--live"], ["2", "--live"], ["--scene", "--live"], ["--scene", "12-queue", "--live", "--text"])],
                           (["--scene", "16-workers", "--live"], "can't be changed; .* 12-queue, 13-room, 18-workers"),
                           ([SMALL, "-w", "3"], "-w would be"),
                           (["1", "--trace", "x"], "--trace is chosen"),
                           (["1", "2", "3"], "two runs can be compared"),
                           (["1", "2", "--latency", "5", "6"], "two runs can be compared"),
                           (["1", "2", "--text"], "--text prints one run"),
                           (["2", "--latency"], "--latency needs a number"),
                           (["2", "http://x/", "--latency", "5"], "can't be chosen for a URL"),
                           ([SMALL, "--latency", "5"], "--latency is for a new run")):
            with self.subTest(words):
                done = self.run_tool(*words)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertRegex(done.stderr, f"^learn: .*{why}.* \\(see ./learn trace --help\\)\n$")

    def test_the_tool_names_what_must_be_built(self):
        site = "tests/practice_site/practice_site"
        stage3 = "stage3_queue_crawler/stage3"
        for words, needs in (([], f"stage2_coroutines/stage2 {site}"),
                             (["1"], f"stage1_callbacks/stage1 {site}"),
                             (["3", "-w", "2", "http://x/"], stage3),
                             (["1", "3"], f"stage1_callbacks/stage1 {stage3} {site}"),
                             (["1", "--latency", "5", "9"], f"stage1_callbacks/stage1 {site}"),
                             (["3", "example.org"], stage3), ([SMALL], ""), (["--scene"], "")):
            with self.subTest(words):
                done = self.run_tool("--needs", *words)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, needs + "\n", ""))

    def test_a_page_or_a_table_is_made_of_a_file(self):
        done = self.run_tool(SMALL)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("kept/trace.html", done.stdout)
        table = GOLDEN.read_text(encoding="utf-8").splitlines()
        last = [line[:6].strip() for line in table if line[:6].strip()][-1]  # the page's last step
        self.assertRegex(done.stdout, rf"\A{last} steps of runtime_tour: open file:")
        self.assertIn(f"\nNext: open that page in a browser, or let ./learn trace {SMALL} --open do it; ", done.stdout)
        self.assertIn('"program":"runtime_tour"', self.page_named_in(done.stdout))
        self.assertEqual(self.run_tool(SMALL, "--text").stdout, GOLDEN.read_text(encoding="utf-8"))
        (self.folder / "cut.trace").write_text(FIRST.replace("stage2", "") + SELECT + SELECT[:9])
        done = self.run_tool("cut.trace")
        self.assertEqual(done.returncode, 0)
        self.assertIn("was cut off", done.stderr)
        self.assertIn('"title":"?"', self.page_named_in(done.stdout))

    def test_a_page_can_be_written_elsewhere(self):
        done = self.run_tool(SMALL, "-o", "my page.html")
        self.assertIn("my%20page.html", done.stdout)
        self.assertTrue((self.folder / "my page.html").exists())
        for words, said in ((SMALL, "-o", "nowhere/page.html"), "nowhere/page.html: No such file"), \
                ((HERE / "trace_tool_test.py",), "is no trace"):
            done = self.run_tool(*words)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn(said, done.stderr)

    def test_without_a_compiler_for_it_no_page_is_live(self):
        done = self.run_tool("--scene", "12-queue", "--live", PATH=str(self.folder))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, "^learn: no clang\\+\\+ here can compile C\\+\\+20 for WebAssembly")

    def test_scenes(self):
        listed = self.run_tool("--scene").stdout
        for scene in scenes.all_scenes().values():
            self.assertIn(f"{scene.name} ", listed)
        page = self.page_named_in(self.run_tool("--scene", "12-queue").stdout)
        meta = json.loads(Parts(page).scripts["meta"])
        self.assertEqual(meta["title"], "A queue that loses an item")
        self.assertEqual(meta["start"], meta["moments"][0]["step"])
        self.assertEqual(len(meta["moments"]), 4)

    @unittest.skipUnless("BUILD" in os.environ, "needs the programs")
    def test_a_run_is_recorded(self):
        for words, program in (([], "stage2"), (["1"], "stage1"), (["3"], "stage3"),
                               (["3", "-w", "3", "--no-robots"], "stage3")):
            with self.subTest(words):
                done = self.run_tool(*words)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                meta = json.loads(Parts(self.page_named_in(done.stdout)).scripts["meta"])
                self.assertEqual((meta["program"], meta.get("note")), (program, None))
                self.assertEqual(meta["lost"], [])
                trace = traces.read(self.folder / "kept" / "run.trace")
                self.assertEqual(trace.events[0]["sources"], traces.sources_hash())

    @unittest.skipUnless("BUILD" in os.environ, "needs the programs")
    def test_two_runs_are_compared(self):
        for words, programs, names in (
                (["1", "2"], ["stage1", "stage2"],
                 ["Stage 1: an event loop with callbacks", "Stage 2: coroutines made by hand"]),
                (["2", "--latency", "5", "30"], ["stage2"] * 2, ["Answers after 5 ms", "Answers after 30 ms"])):
            with self.subTest(words):
                done = self.run_tool(*words)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                page = Parts(self.page_named_in(done.stdout))
                runs = json.loads(page.scripts["meta"])["runs"]
                self.assertEqual([run["name"] for run in runs], names)
                for run, program in zip(runs, programs):  # each has a page of its own beside it, which leads back
                    own = Parts((self.folder / "kept" / run["page"]).read_text(encoding="utf-8"))
                    meta = json.loads(own.scripts["meta"])
                    self.assertEqual((meta["program"], meta["title"]), (program, run["name"]))
                    self.assertEqual({link["href"] for link in meta["links"] if "href" in link} | {run["page"]},
                                     {"trace.html", *(each["page"] for each in runs)})
                both = [traces.parse(run["trace"]) for run in runs]
                self.assertEqual([(trace.program, trace.cut_off) for trace in both], [(one, False) for one in programs])
        self.assertGreater(both[1].events[-1]["t"], 60_000)  # of a page and then another one, at 30 ms each

    @unittest.skipUnless("BUILD" in os.environ, "needs the programs")
    def test_a_comparison_writes_over_no_page_but_its_own(self):
        command, other = ["1", "2", "-o", "both.html"], self.folder / "both-2.html"
        self.assertEqual(self.run_tool(SMALL, "-o", other).returncode, 0)
        before = other.read_bytes()
        done = self.run_tool(*command)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, "^learn: both-2.html is there already.* another name, with -o")
        self.assertEqual(other.read_bytes(), before)
        self.assertEqual([file.name for file in self.folder.glob("both*")], ["both-2.html"])
        other.unlink()
        for _ in range(2):  # the second time, over what the first one has made
            done = self.run_tool(*command)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    @unittest.skipUnless("BUILD" in os.environ, "needs the programs")
    def test_a_run_that_the_stage_refuses_is_reported(self):
        done = self.run_tool("2", "--bogus")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("stage2: unknown option --bogus", done.stderr)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        GOLDEN.write_text(text_of(traces.read(SMALL)), encoding="utf-8")
    else:
        unittest.main()
