#!/usr/bin/env python3
"""Tests of `./learn bench`: that it counts correctly, notices what a crawler does wrong, and leaves nothing behind.

BUILD in the environment says where the programs are; without, what needs them is skipped.
"""
import contextlib
import importlib.util
import io
import json
import os
import pathlib
import re
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from urllib.parse import urlsplit

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "tests/bench/crawl_bench"
FIGURES = ROOT / "book/figures"
sys.path.insert(0, str(TOOL))
sys.dont_write_bytecode = True
import chart  # noqa: E402  (their folder has just been put on the path)
import contestants  # noqa: E402
import measure  # noqa: E402
import nginx  # noqa: E402
import servers  # noqa: E402
from exactness import Manifest, read_manifest, verdict  # noqa: E402
from report import report  # noqa: E402

BUILD = pathlib.Path(os.environ.get("BUILD", "nowhere")).resolve()
needs_programs = unittest.skipUnless("BUILD" in os.environ, "needs the programs")

# A rival that is given the list of URLs: it does to the list what is written for CHANGE, and asks for those.
FETCH = ("import sys, urllib.request as r, urllib.error as e\n"
         "urls = open(sys.argv[1]).read().split(); CHANGE\n"
         "for url in urls:\n"
         "    try: r.build_opener(type('', (r.HTTPRedirectHandler,), {'redirect_request': lambda *_: None})).open(url)\n"
         "    except e.HTTPError: pass")


def rival(name: str, change: str) -> str:
    return f"--rival={name}={sys.executable} -c {shlex.quote(FETCH.replace('CHANGE', change))} {{urls}}"


def figures(name: str, wall: float, cpu: float, peak: float = 10e6, **more) -> dict:
    def around(value: float) -> dict:
        return {"median": value, "min": value * 0.95, "max": value * 1.05}
    return {"name": name, "ours": name.startswith("stage"), "finds": "floor" not in name, "exact": True, "found": True,
            "faults": [], "wall": around(wall), "cpu": around(cpu), "peak": around(peak)} | more


def part(rows: list[dict], at_once: int = 10, latency: int = 0, pages: int = 1000) -> dict:
    return {"placement": "pinned", "at_once": at_once, "server": "a server", "pages": pages, "urls": pages + 100,
            "redirects": 60, "dead": 40, "site": {"pages": pages, "links": 30, "size": 20_000, "latency": latency},
            "rows": rows}


def sitting(kind: str, *parts: dict) -> dict:
    return {"kind": kind, "when": "2026-01-02", "cores": 2, "rounds": 5, "missing": [["wget", "wget"]],
            "parts": list(parts)}


COST = sitting("cost", part([
    figures("epoll floor", 0.1, 0.015), figures("stage 3", 0.5, 0.08, 16.5e6), figures("wget2", 0.4, 0.1),
    figures("hasty", 0.2, 0.05, exact=False, found=False, faults=["3 not asked for, such as /p/7"]),
    {"name": "broken", "ours": False, "finds": True, "exact": False, "found": False, "failed": True,
     "faults": ["ended with 127: broken: no such file"]},
]))
LATENCY = sitting("latency", *(part([figures("libcurl floor", 110 / n, 0.02), figures(
    "stage 3", 1100 / (18 * n), 0.09, most_at_once={"median": n, "min": n, "max": n})], n, 50) for n in (10, 1000)))


class Exactness(unittest.TestCase):
    manifest = Manifest(("http://h:1/", "http://h:1/p/1"), ("http://h:1/old/7",), ("http://h:1/missing/0?q",))
    all_paths = ["/", "/p/1", "/old/7", "/missing/0?q"]

    def test_a_manifest_is_read_as_the_practice_site_prints_it(self):
        lines = ["dead\thttp://h:1/missing/0?q", "page\thttp://h:1/", "page\thttp://h:1/p/1",
                 "redirect\thttp://h:1/old/7\thttp://h:1/p/7"]
        self.assertEqual(read_manifest(lines), self.manifest)

    def test_each_url_once_in_any_order_is_exact_and_robots_txt_is_free(self):
        for asked in (self.all_paths, [*reversed(self.all_paths), "/robots.txt", "/robots.txt"]):
            self.assertEqual(verdict(self.manifest, asked), {"exact": True, "found": True, "faults": []})

    def test_missing_repeated_and_extra_urls_are_not_exact(self):
        for asked, found, fault in (
                (self.all_paths[1:], False, "1 not asked for, such as /"),
                ([*self.all_paths, "/p/1"], True, "1 asked for more than once, such as /p/1"),
                ([*self.all_paths, "/favicon.ico"], False, "1 not of this site, such as /favicon.ico"),
                ([], False, "4 not asked for, such as /")):
            self.assertEqual(verdict(self.manifest, asked), {"exact": False, "found": found, "faults": [fault]})


class Report(unittest.TestCase):
    maxDiff = None

    def test_the_table_of_costs_is_printed(self):
        self.assertEqual(report(COST), """\
1,000 pages of 20 kB with 30 links; 1,100 URLs, with redirects (60) and dead links (40).
Served by a server.

10 at once; pinned: the crawler on one core, the server on another
              exact  wall s    × wget2  CPU ms a page  × wget2  peak MB
epoll floor     yes    0.10       0.25          0.015     0.15     10.0
stage 3         yes    0.50       1.25          0.080     0.80     16.5
wget2           yes    0.40       1.00          0.100     1.00     10.0
hasty            NO    0.20       0.50          0.050     0.50     10.0
broken       failed       -          -              -        -        -

Not exact: hasty: 3 not asked for, such as /p/7.
Not exact: broken: ended with 127: broken: no such file.
Not here, so not measured: wget (Debian's package wget).
Medians of 5 rounds on 2 cores, 2026-01-02. Compare ratios: other machines have other seconds.""")

    def test_other_sittings_are_told_in_their_own_way(self):
        slow = figures("stage 3", 1, 1) | {"wall": {"median": 1, "min": 0.95, "max": 1.2}}
        memory = [part([figures("stage 3", 1, 1, peak)], pages=pages) for peak, pages in ((10e6, 1000), (19e6, 10_000))]
        without_wget2 = sitting("cost", part([figures("stage 1", 0.5, 0.08), figures("stage 3", 0.25, 0.04)]))
        for what, said in ((without_wget2, r"× stage 1(?s:.*)stage 3 +yes +0.25 +0.50 +0.040 +0.50"),
                           (LATENCY, r"\A[^\n]*each answer after 50 ms"), (LATENCY, r"\nideal +200 +100 % +10\n"),
                           (LATENCY, r"\nstage 3 +yes +180 +90 % +10 +0.090 +10.0\n"),
                           (LATENCY, r"\nlibcurl floor +yes +10,000 +50 % +- +0.020 +10.0\n"),
                           (sitting("memory", *memory), r"\nstage 3 +yes +10.0 +19.0 +1,000\n"),
                           (sitting("cost", part([slow])), r"stage 3 +yes +1.00 ~ [^~]*\n~: noisy"),
                           (COST | {"cores": 1}, "takes two cores, and here is one")):
            with self.subTest(said):
                self.assertRegex(report(what), said)


def stale_charts(folder: pathlib.Path) -> list[str]:
    """The figures of which there is no chart, or none as it would be drawn now; whatever its name is."""
    there = {path.read_text(encoding="utf-8") for path in folder.glob("*.svg")}
    stale = []
    for path in sorted(folder.glob("*.json")):
        what = json.loads(path.read_text(encoding="utf-8"))
        if what.get("kind") in chart.DRAWN and not there.issuperset(chart.charts(what, path).values()):
            stale.append(f"{path.name}: type ./learn bench --from book/figures/{path.name} --chart book/figures/NAME.svg")
    return stale


class Charts(unittest.TestCase):
    def test_a_bar_is_as_long_as_its_number(self):
        text = chart.charts(COST, pathlib.Path("b.svg"))[pathlib.Path("b-light.svg")]
        bars = [float(width) for width in re.findall(r'<rect [^>]*width="([\d.]+)" height="20"', text)]
        # 0.015, 0.05, 0.08 and 0.1 ms; the scale begins at 0 and ends at 0.1.
        self.assertEqual([round(bar) for bar in bars], [70, 235, 376, 470])

    def test_the_books_charts_are_what_their_figures_say(self):
        self.assertEqual(stale_charts(FIGURES), [])

    def test_a_change_of_a_chart_or_of_its_figures_is_noticed(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "cost.json").write_text(json.dumps(COST), encoding="utf-8")
            (folder / "memory.json").write_text(json.dumps(sitting("memory")), encoding="utf-8")  # has no chart
            chart.draw_charts(COST, folder / "what-a-page-costs.svg")
            self.assertEqual(stale_charts(folder), [])
            for file in ("cost.json", "what-a-page-costs-light.svg", "what-a-page-costs-dark.svg"):
                text = (folder / file).read_text(encoding="utf-8")
                (folder / file).write_text(text.replace("stage 3", "stage 4"), encoding="utf-8")
                self.assertEqual(stale_charts(folder), ["cost.json: type ./learn bench --from book/figures/cost.json "
                                                        "--chart book/figures/NAME.svg"])
                (folder / file).write_text(text, encoding="utf-8")

class Turns(unittest.TestCase):
    def test_each_round_begins_with_another_contestant_and_failed_ones_drop_out(self):
        order = []

        def run_one(one):
            order.append(one.name)
            if one.name == "c" and len(order) > 3:
                raise measure.Failed("too late")
            return measure.Run(1, 1, 1)
        runs, failed = measure.in_turns([measure.Contestant(name, []) for name in "abc"], 3, run_one)
        self.assertEqual("".join(order), "abc" "bca" "ab")
        self.assertEqual(({name: len(of) for name, of in runs.items()}, failed), ({"a": 3, "b": 3}, {"c": "too late"}))

    def test_a_summary_has_the_median_and_the_spread(self):
        summary = measure.summary([3.0, 1.0, 2.0])
        self.assertEqual(summary, {"median": 2.0, "min": 1.0, "max": 3.0})
        self.assertEqual(measure.spread(summary), 1.0)


@needs_programs
class Timed(unittest.TestCase):
    def run_it(self, *command: str, limit: float = 60) -> measure.Run:
        return measure.run(BUILD / contestants.TIMED, list(command), pathlib.Path(os.devnull), limit=limit)

    def test_the_time_and_memory_of_a_program_are_measured(self):
        done = self.run_it("sh", "-c", "exit 8")
        self.assertEqual(done.status, 8)
        self.assertGreater(done.wall, 0)
        busy = self.run_it(sys.executable, "-c", "x = bytes(range(256)) * 200_000; sum(x[:2_000_000])")
        self.assertGreater(busy.cpu, 0.01)
        self.assertGreater(busy.peak, 50e6)

    @unittest.skipUnless(sys.platform == "linux", "others count otherwise")
    def test_our_own_memory_does_not_count_as_the_program_s(self):
        held = bytes(range(256)) * 400_000
        self.assertLess(self.run_it("true").peak, len(held) / 10)

    def test_programs_that_cannot_start_crash_or_never_end_are_reported(self):
        for command, limit, why in ((["/no/such/program"], 60, "ended with 127: timed: /no/such/program: No such file"),
                                    (["sh", "-c", "kill -SEGV $$"], 60, "was ended by signal 11"),
                                    (["sleep", "60"], 0.2, "did not end within 0.2 s")):
            with self.assertRaisesRegex(measure.Failed, why):
                self.run_it(*command, limit=limit)

    def test_what_a_program_has_started_ends_with_it(self):
        with tempfile.TemporaryDirectory() as folder:
            told = pathlib.Path(folder) / "told"
            with self.assertRaisesRegex(measure.Failed, "did not end within 3 s"):
                self.run_it("sh", "-c", f"sleep 60 & echo $! >{told}; wait", limit=3)
            wait_until(lambda: is_gone(int(told.read_text(encoding="ascii"))))

    @unittest.skipUnless(hasattr(os, "sched_getaffinity"), "no such thing here")
    def test_a_program_stays_on_its_core(self):
        core = measure.cores()[-1]
        command = [sys.executable, "-c", f"import os; exit(os.sched_getaffinity(0) != {{{core}}})"]
        self.assertEqual(measure.run(BUILD / contestants.TIMED, command, pathlib.Path(os.devnull), core).status, 0)


def listens(url: str) -> bool:
    try:
        socket.create_connection(("127.0.0.1", urlsplit(url).port), timeout=5).close()
        return True
    except OSError:
        return False


def is_gone(pid: int) -> bool:
    """It has ended, though perhaps its parent hasn't noticed yet."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    status = pathlib.Path(f"/proc/{pid}/stat")
    return status.exists() and status.read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z"


def wait_until(condition, seconds: float = 20):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("it never came")
        time.sleep(0.01)


os.environ["COLUMNS"] = "1000"  # sentences are compared in one piece


def bench(*options: str, **more) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, TOOL, "--build", BUILD, *options], capture_output=True, text=True,
                          timeout=120, **more)


TINY = ["--pages", "20", "--links", "4", "--size", "1000", "--rounds", "1", "--server", "practice_site"]


@needs_programs
class Servers(unittest.TestCase):
    site = servers.Site(pages=20, links=4, size=1000)

    def test_the_server_lists_the_paths_it_was_asked_for(self):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / "log"
            with servers.PracticeSite(BUILD, self.site, log=log, manifest=True) as server:
                self.assertEqual(len(server.manifest.pages), 20)
                self.assertEqual(server.asked(), [])
                server.forget()
                urls = pathlib.Path(folder) / "urls"
                urls.write_text(f"{server.url}p/3\n{server.url}missing/0\n", encoding="ascii")
                measure.run(BUILD / contestants.TIMED, [str(BUILD / contestants.LIBCURL), "1"], urls)
                self.assertEqual(server.asked(), ["/p/3", "/missing/0"])

    def test_a_server_that_fails_ends_the_measurement(self):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / "log"
            with servers.PracticeSite(BUILD, self.site, log=log) as server:
                log.write_text("500 /p/3\n", encoding="ascii")
                with self.assertRaisesRegex(measure.Trouble, "the server failed: it answered 500 to /p/3"):
                    server.asked()

    def interrupt(self, number: int, server: str = "practice_site") -> int:
        """Ends the tool while an endless rival runs. Returns the tool's status."""
        with tempfile.TemporaryDirectory() as folder:
            told = pathlib.Path(folder) / "told"
            endless = f"echo {{url}} {{folder}} $$ >{folder}/new; mv {folder}/new {told}; exec sleep 60"
            with subprocess.Popen([sys.executable, TOOL, "--build", BUILD, *TINY, "--server", server,
                                   "--only", "endless", "--rival", f"endless=sh -c '{endless}'"], stderr=subprocess.PIPE, text=True,
                                  # A program in the background may ignore Ctrl-C.
                                  preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as tool:
                try:
                    wait_until(lambda: told.exists() or tool.poll() is not None)
                    if tool.poll() is not None:
                        self.fail(f"the tool ended with {tool.returncode}: {tool.stderr.read()}")
                    url, own, pid = told.read_text(encoding="utf-8").split()
                    self.assertTrue(listens(url))
                    tool.send_signal(number)
                    said = tool.communicate(timeout=20)[1]
                finally:
                    tool.kill()
            self.assertEqual(said, "")
            wait_until(lambda: not listens(url))
            wait_until(lambda: is_gone(int(pid)))
            if number != signal.SIGKILL:
                self.assertFalse(pathlib.Path(own).parent.exists())
            else:  # no process was left to clean up
                subprocess.run(["rm", "-r", pathlib.Path(own).parent], check=True)
            return tool.returncode

    def test_a_signal_ends_all_programs(self):
        for number, server, status in ((signal.SIGINT, "practice_site", 130),
                                       (signal.SIGTERM, "practice_site", 128 + signal.SIGTERM),
                                       # Other systems don't tell the programs that their parent was killed.
                                       *((signal.SIGKILL, server, -signal.SIGKILL) for server in (
                                           ["practice_site", *["nginx"] * bool(nginx.find_nginx())]
                                           if sys.platform == "linux" else []))):
            with self.subTest(number, server=server):
                self.assertEqual(self.interrupt(number, server), status)

    @unittest.skipUnless(nginx.find_nginx(), "there is no nginx here")
    def test_nginx_serves_the_same_site(self):
        done = bench(*TINY[:-2], "--server", "nginx", "--placement", "free", "--only", "floor,stage,asyncio")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, "Served by nginx")
        self.assertEqual(len(re.findall("(?m)^(?:epoll|libcurl|stage|Python).* yes ", done.stdout)), 9, done.stdout)


@needs_programs
class Whole(unittest.TestCase):
    maxDiff = None

    def test_a_small_sitting_gives_the_right_verdicts(self):
        with tempfile.TemporaryDirectory() as folder:
            kept, drawn = f"{folder}/a.json", f"{folder}/a.svg"
            done = bench(*TINY, "--placement", "free", "--only", "floor,stage,asyncio,mine", "--json", kept, "--chart",
                         drawn, rival("mine, exact", ""), rival("mine, hasty", "urls.remove(urls[5])"),
                         rival("mine, twice", "urls.append(urls[5])"),
                         rival("mine, astray", "urls.append(urls[0] + 'x/y')"), "--rival", "mine, broken=false {url}")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            verdicts = dict(re.findall(r"(?m)^(\S.*?)  +(yes|twice|NO|failed) ", done.stdout))
            self.assertEqual(verdicts, {name: "yes" for name in (
                *["epoll floor"] * contestants.HAS_EPOLL, "libcurl floor", "stage 1", "stage 2", "stage 3",
                "stage 3, jsonl", "stage 3, no thread", "stage 3, 1 thread",
                *["stage 3, 3 threads"] * (len(measure.cores()) > 3), "Python's asyncio", "mine, exact")}
                | {"mine, hasty": "NO", "mine, twice": "twice", "mine, astray": "NO", "mine, broken": "NO"})
            for words in ("hasty: 1 not asked for", "twice: 1 asked for more than once", "astray: 1 not of this site",
                          "broken: 23 not asked for"):
                self.assertIn(f"Not exact: mine, {words}", done.stdout)
            light = pathlib.Path(folder, "a-light.svg").read_text(encoding="utf-8")
            again = bench("--from", kept, "--chart", f"{folder}/b.svg")
            self.assertEqual(again.stdout, done.stdout)
            self.assertEqual(pathlib.Path(folder, "b-light.svg").read_text(encoding="utf-8"), light)

    def test_a_sitting_with_latency_reaches_its_limit(self):
        done = bench(*TINY, "--latency", "50", "--workers", "3", "--only", "stage 3,libcurl")
        self.assertRegex(done.stdout, r"\nlibcurl floor +yes +[\d,]+ +~? +\d+ % +3 ")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"\nideal +60 +100 % +3\n")
        self.assertRegex(done.stdout, r"\nstage 3 +yes +[\d,]+ +~? +\d+ % +3 ")

    def test_a_sitting_measures_memory(self):
        done = bench(*TINY, "--memory", "--only", "stage 3")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"\nstage 3, jsonl +yes +[\d.]+ +[\d.]+ +-?[\d,]+\n")


class Usage(unittest.TestCase):
    def run_here(self, options: list[str], figures: dict | None = None) -> tuple[int, str, str]:
        """The tool's status, and what it says, in this process: that's quicker.

        With figures, these are what it has measured.
        """
        tool = importlib.util.module_from_spec(importlib.util.spec_from_file_location("tool", TOOL / "__main__.py"))
        tool.__spec__.loader.exec_module(tool)
        if figures:
            tool.sit = lambda _: figures
        printed, said = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(said):
            try:
                status = tool.main(["--build", str(BUILD), *options])
            except SystemExit as end:
                status = end.code
        return status, printed.getvalue(), said.getvalue()

    def test_each_wrong_option_is_reported_in_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "b.json").write_text('{"kind": "cost"}', encoding="utf-8")
            for options, why in (
                    (["--pages", "0"], "'0' is not a number from 1 to 1,000,000"),
                    (["--pages", "ten"], "'ten' is not a number"),
                    (["--workers", "10,,20"], "'' is not a number from 1 to 10,000"),
                    (["--latency", "50", "--memory"], "not allowed with argument"),
                    (["--late", "5"], "unrecognized arguments: --late 5"),
                    (["--rival", "mine"], "has no name, or no command; write it like"),
                    (["--rival", "=x {url}"], "has no name, or no command"),
                    (["--rival", "mine=crawl 'it {url}"], "No closing quotation; write it like"),
                    (["--rival", "mine=true"], r"does not say where the URL goes: put \{url\} there"),
                    (["--rival", "mine=/no/such/program {url}"], "there is no program '/no/such/program'"),
                    (["--json", f"{folder}/none/x.json"], "there is no folder .*; make it first"),
                    (["--json", folder], "can't be written; name another file"),
                    (["--chart", f"{folder}/a.png"], "must end with .svg"),
                    (["--chart", f"{folder}/a.svg", "--memory"], "leave out --chart"),
                    (["--memory", "--pages", "9"], "needs 10 --pages at least"),
                    (["--memory", "--workers", "1,2"], "takes one number"),
                    (["--from", f"{folder}/none.json"], "no such file; --json FILE writes one"),
                    (["--from", f"{folder}/b.json"], "that isn't what --json writes"),
                    (["--from", f"{folder}/b.json", "--pages", "5"], "it takes --json and --chart only"),
                    ([], "leaves no crawler; there are: .*stage 3|there is no .*: ./learn bench builds it"),
                    (["--rival", "stage 3=true {url}"], "called 'stage 3': give your rival another name|builds it"),
                    (["--latency", "5", "--server", "nginx"], "answers wait only if .* leave out --server nginx"),
                    (["--build", folder], "there is no .*stage1: ./learn bench builds it")):
                with self.subTest(options):
                    # What isn't found to be wrong ends there.
                    status, printed, said = self.run_here(["--only", "nobody", *options])
                    self.assertIn(status, (1, 2))
                    self.assertRegex(said, rf"\Alearn: bench: [^\n]*(?:{why})[^\n]*\n\Z")
                    self.assertEqual(printed, "")

    def test_only_our_own_crawlers_have_to_be_exact(self):
        wrong = sitting("cost", part([figures("stage 3", 1, 1, exact=False)]))
        self.assertEqual([self.run_here([], what)[0] for what in (COST, wrong)], [0, 1])

    def test_the_tool_names_what_must_be_built(self):
        done = bench("--needs", "--memory")
        self.assertIn(" stage3_queue_crawler/stage3 ", done.stdout)
        self.assertEqual(bench("--needs", "--from", str(TOOL / "__main__.py")).stdout.strip(), "")


if __name__ == "__main__":
    unittest.main()
