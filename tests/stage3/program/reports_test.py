#!/usr/bin/env python3
"""Stage 3's reports in other hands: CI, readers of XML, JSON and Markdown, a browser.

STAGE3 in the environment names the program. What xmllint, cmark-gfm or Chromium would say is skipped
without them; so is axe's opinion, unless AXE names a folder with node_modules/axe-core in it.
"""
import base64
import hashlib
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE.parent / "checks"), str(HERE.parents[2] / "book" / "viewer")]
from site_with_all_links import Server, Site, answer_of  # noqa: E402  (its folder has just been put on the path)
from run_stage3 import PROGRAM, run_stage3  # noqa: E402  (site_with_all_links has put its folder there)
from story import browser_here  # noqa: E402

BROWSER = browser_here()
AXE = pathlib.Path(os.environ.get("AXE", "none")) / "node_modules" / "axe-core" / "axe.min.js"
PLANT = "document.title='planted'"
HOSTILE = {
    "/hostile": (200, {"Content-Type": "text/html"}, f"<a href=\"/q?<script>{PLANT}</script>|`x`\"><a href=/gone><a href=/script>"
                 "<a href=/markup><a href=/chain>".encode()),
    "/gone": (404, {"Content-Type": f"a</script><script>{PLANT}</script>"}, b""),
    "/script": (302, {"Location": f"javascript:{PLANT}"}, b""),
    "/markup": (302, {"Location": f"x:</script><img src=x onerror={PLANT}>|`\xe2\x80\xa8"}, b""),
    "/chain": (301, {"Location": "/chain2"}, b""),
    "/chain2": (302, {"Location": "/page/a"}, b""),
}
MANY = {  # pages with a dead link, places of a page that it lacks, and a dead URL behind a redirect
    "/many": (200, {"Content-Type": "text/html"}, b"<p id=section><a href='#sektion'>x</a><a href=././d/2>two</a><a href=d/10>ten</a>"
              b"<a href=moved-gone>&uuml;brig</a><a href=many2>m</a>" + b"".join(b"<a href=/n/%d>n</a>" % i for i in range(150))),
    "/many2": (200, {"Content-Type": "text/html"}, b"".join(b"<a href='#L%d'>L</a>" % i for i in range(60))),
    "/moved-gone": (301, {"Location": "/gone"}, b""),
    **{f"/n/{i}": (200, {"Content-Type": "text/html"}, b"<a href=/shop/0>Our shop</a>") for i in range(150)},
}


class Reports(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.changed = dict(HOSTILE)  # answers that differ from the site's
        self.site = Site(each=3)
        plain = answer_of(self.site)

        def answer(method, path):
            if path in self.changed:
                return self.changed[path]
            status, headers, body = plain(method, path)
            return status, headers, body + b"<a href=/hostile><a href=/many>" if path == "/" and "/many" in self.changed \
                else body + b"<a href=/hostile>" if path == "/" else body
        server = self.enterContext(Server(answer))
        self.root = f"http://127.0.0.1:{server.port}"

    def run_stage3(self, *options, expect=1, url="/"):
        urls = [self.root + url] if url else []
        return run_stage3(*options, *urls, status=expect, cwd=self.folder)

    def file(self, name):
        return self.folder / name

    def write(self, name, *lines):
        self.file(name).write_text("".join(f"{line}\n" for line in lines))
        return name


class WhatCounts(Reports):
    """On a page with three links that are dead."""

    def crawl(self, *options, expect):
        return self.run_stage3(*options, expect=expect, url="/page/a").stdout

    def dead(self, i):
        return f"{self.root}/a/dead/{i}"

    def test_with_a_baseline_only_what_is_newly_dead_fails(self):
        self.crawl("--write-baseline", "known", expect=1)
        self.assertEqual(self.file("known").read_text().splitlines()[1:], [self.dead(i) for i in range(3)])
        text = self.crawl("--baseline", "known", expect=0)
        self.assertIn(" 0 dead, 3 known.\nKnown (in the baseline):\n", text)
        self.crawl("--baseline", "known", "--also", "jsonl=records", expect=0)
        records = map(json.loads, self.file("records").read_text().splitlines())
        self.assertEqual({record["excuse"] for record in records if record["status"] == 404}, {"known"})
        self.changed["/a/alive/1"] = (404, {}, b"")
        self.changed["/a/dead/2"] = (200, {}, b"")
        text = self.crawl("--baseline", "known", "--write-baseline", "known", expect=1)
        self.assertTrue(text.endswith(f"Dead:\n  {self.root}/a/alive/1 (HTTP status 404)\n    on {self.root}/page/a\n"), text)
        self.assertIn(f"Alive again (in the baseline):\n  {self.dead(2)}\n", text)
        self.assertEqual(self.file("known").read_text().splitlines()[1:],
                         [f"{self.root}/a/alive/1", self.dead(0), self.dead(1)])

    def test_a_redirect_to_mend_can_be_known_even_of_a_root(self):
        self.changed["/moved"] = (301, {"Location": "/new"}, b"")
        self.changed["/new"] = (200, {"Content-Type": "text/html"}, b"")
        self.run_stage3("--redirects=error", "--write-baseline", "known", url="/moved")
        self.assertEqual(self.file("known").read_text().splitlines()[1:], [f"{self.root}/moved"])
        text = self.run_stage3("--redirects=error", "--baseline", "known", url="/moved", expect=0).stdout
        self.assertIn(" 0 redirects, 0 dead, 1 known.\nKnown (in the baseline):\n", text)

    def test_a_crawl_that_is_cut_short_leaves_the_baseline_as_it_was(self):
        self.write("known", "# as it was")
        self.crawl("--write-baseline", "known", "--max-pages", "2", expect=3)
        self.assertEqual(self.file("known").read_text(), "# as it was\n")

    def test_a_dead_root_leaves_the_baseline_as_it_was(self):
        self.write("known", "http://h/")
        done = self.run_stage3("--write-baseline", "known", url="/gone")
        self.assertIn("--write-baseline: 'known' is as it was, since its root is dead", done.stderr)
        self.assertEqual(self.file("known").read_text(), "http://h/\n")

    def test_a_wrong_option_leaves_old_results_as_they_were(self):
        self.write("old", "results")
        self.run_stage3("-o", "old", "--html", "none/x", expect=2)
        self.assertEqual(self.file("old").read_text(), "results\n")
        self.run_stage3("-o", "new", "--html", "none/x", expect=2)
        self.assertFalse(self.file("new").exists())

    def test_reports_are_whole_though_nobody_reads_the_results(self):
        command = [PROGRAM, "--html", "r.html", "--write-baseline", "known", self.root + "/"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=self.folder) as running:
            running.stdout.close()
            self.assertEqual(running.wait(60), 3)
        self.assertTrue(self.file("r.html").read_text().endswith("</html>\n"))
        self.assertIn("/dead/", self.file("known").read_text())

    def test_what_is_ignored_never_fails(self):
        self.write("ignored", "# not ours", self.dead(0), "/dead/[12]$")
        text = self.crawl("--ignore-file", "ignored", "--write-baseline", "known", expect=0)
        self.assertIn(" 0 dead, 3 ignored.\n", text)
        self.assertEqual(len(self.file("known").read_text().splitlines()), 1)

    def test_missing_places_can_be_known(self):
        self.run_stage3("--fragments", "--write-baseline", "known", url="/page/fragments")
        self.assertIn(f"{self.root}/page/fragments#missing\n", self.file("known").read_text())
        self.run_stage3("--fragments", "--baseline", "known", url="/page/fragments", expect=0)
        self.write("more", f"{self.root}/page/fragments#a1")
        text = self.run_stage3("--fragments", "--baseline", "more", url="/page/fragments").stdout
        self.assertIn(f"Alive again (in the baseline):\n  {self.root}/page/fragments#a1\n", text)
        text = self.run_stage3("--baseline", "more", url="/page/fragments", expect=0).stdout
        self.assertNotIn("Alive again", text)  # nothing has looked


class OptionsInAFile(Reports):
    def test_the_folder_s_file_is_read_and_mentioned(self):
        self.write(".await-the-web.ini", "# ours", f"url = {self.root}/page/a", "format = jsonl")
        done = self.run_stage3(url="")
        self.assertEqual(len(done.stdout.splitlines()), 7)
        self.assertEqual(done.stderr, "stage3: options from .await-the-web.ini (--no-config: without them)\n")
        done = self.run_stage3("-q", "--format", "csv", url="/page/img")
        self.assertTrue(done.stdout.startswith(f"url,"))
        self.assertNotIn("/page/a,", done.stdout)
        self.assertEqual(done.stderr, "")
        self.assertIn("give a URL", self.run_stage3("--no-config", url="", expect=2).stderr)

    def test_a_fault_is_named_with_its_line(self):
        self.write("mine", "workers = 3", "workers = many")
        self.assertEqual(self.run_stage3("--config", "mine", expect=2).stderr,
                         "stage3: mine, line 2: workers: 'many' is not a number from 1 to 100000 (see stage3 --help)\n")


class Formats(Reports):
    def setUp(self):
        super().setUp()
        self.known = self.write("known", f"{self.root}/a/dead/0")

    def report(self, form):
        self.run_stage3("--fragments", "--baseline", self.known, "-q", "--also", f"{form}=report")
        return self.file("report").read_text()

    def test_several_reports_in_one_run(self):
        done = self.run_stage3("--format", "jsonl", "-o", "-", "--html", "a.html", "--also", "junit=b.xml", "--also", "dot=c")
        self.assertIn('"outcome": "error"', done.stdout)
        self.assertFalse(self.file("-").exists())
        self.assertTrue(self.file("a.html").read_text().startswith("<!doctype html>"))
        self.assertTrue(self.file("b.xml").read_text().startswith("<?xml"))
        self.assertTrue(self.file("c").read_text().startswith("strict digraph"))

    def test_junit_is_xml_whose_numbers_are_right(self):
        suite = ElementTree.fromstring(self.report("junit")).find("testsuite")
        cases = suite.findall("testcase")
        self.assertEqual(len({case.get("name") for case in cases}), len(cases))
        for attribute, found in (("tests", cases), ("failures", suite.findall("testcase/failure")),
                                 ("skipped", suite.findall("testcase/skipped"))):
            self.assertEqual(int(suite.get(attribute)), len(found))
        self.assertEqual([case.get("name") for case in cases if case.find("skipped") is not None], [f"{self.root}/a/dead/0"])
        if shutil.which("xmllint"):
            subprocess.run(["xmllint", "--noout", self.file("report")], check=True, timeout=60)

    def test_markdown_is_a_table(self):
        text = self.report("markdown")
        self.assertLess(len(text), 65_536)
        if shutil.which("cmark-gfm"):
            shown = subprocess.run(["cmark-gfm", "-e", "table", "-e", "autolink"], input=text, capture_output=True, text=True,
                                   timeout=60).stdout
            self.assertEqual(shown.count("<td>"), 3 * (shown.count("</tr>") - shown.count("<table>")))
            self.assertEqual(set(re.findall(r"<(\w+)", shown)),
                             {"h2", "h3", "a", "p", "strong", "table", "thead", "tr", "th", "tbody", "td", "br"} - (
                                 set() if "<br" in shown else {"br"}))

    def test_sarif_is_json_with_what_readers_look_for(self):
        run = json.loads(self.report("sarif"))["runs"][0]
        self.assertEqual(len([1 for result in run["results"] if result["baselineState"] == "unchanged"]), 1)
        rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
        for result in run["results"]:
            self.assertIn(result["ruleId"], rules)
            uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
            self.assertEqual(uri, "127.0.0.1")  # GitHub takes no URLs there


# A browser's window can't be as narrow as a telephone, but a frame can.
FRAME = """<!doctype html><meta charset="utf-8"><body style="margin:0">
<script>
addEventListener("message", event => {
  const pre = document.createElement("pre");
  pre.id = "result";
  pre.textContent = event.data;
  document.body.append(pre);
});
</script>
<iframe src="tried.html" width="WIDTH" height="844" style="border:0"></iframe>
"""
JUDGE = """addEventListener("load", async () => {
  const failures = [];
  let checks = 0;
  for (const theme of ["light", "dark"])
    for (const button of [...document.querySelectorAll(".views button")]) {
      document.documentElement.dataset.theme = theme;
      button.click();
      const found = await axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] });
      checks += found.passes.length;
      for (const { id, nodes } of found.violations)
        failures.push(`${theme}, ${button.textContent}, ${id}: ${nodes.length} times, as in ${nodes[0].html.slice(0, 200)}`);
    }
  parent.postMessage(JSON.stringify({ failures, checks }), "*");
});
"""


@unittest.skipUnless(BROWSER, "there is no Chromium here")
class InABrowser(Reports):
    def setUp(self):
        super().setUp()
        self.changed |= MANY
        self.run_stage3("-q", "--fragments", "--places", "--html", "report.html")
        self.page = self.file("report.html").read_text()

    def shown(self, file):
        command = [BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={self.folder}/profile",
                   "--window-size=1366,900", "--virtual-time-budget=60000", "--dump-dom", self.file(file).as_uri()]
        return subprocess.run(command, capture_output=True, encoding="utf-8", timeout=240).stdout

    def with_script(self, script, width):
        """What a script finds that the page's policy wouldn't run."""
        page = re.sub(r"<meta http-equiv[^>]*>", "", self.page)
        self.file("tried.html").write_text(page.replace("</body>", f"<script>{script}</script></body>"))
        self.file("frame.html").write_text(FRAME.replace("WIDTH", str(width)))
        result = re.search(r'<pre id="result">(.*?)</pre>', self.shown("frame.html"), re.S)
        self.assertIsNotNone(result)
        return json.loads(html.unescape(result[1]))

    def test_the_policy_allows_what_the_page_has_and_no_more(self):
        policy = re.search(r'Content-Security-Policy" content="([^"]*)"', self.page)[1]
        hashes = {name: "'sha256-" + base64.b64encode(hashlib.sha256(re.search(
            rf"<{name}>(.*?)</{name}>", self.page, re.S)[1].encode()).digest()).decode() + "'" for name in ("style", "script")}
        self.assertEqual(policy, f"default-src 'none'; style-src {hashes['style']}; script-src {hashes['script']}; "
                                 "base-uri 'none'; form-action 'none'")
        self.assertEqual(len(re.findall("<script", self.page)), 2)
        shown = self.shown("report.html")
        self.assertGreater(shown.count("<tr>"), 50)
        self.assertIn(f"<title>Links of {self.root}/</title>", shown)
        self.assertNotIn("<img", shown)

    def test_what_a_reader_does_works(self):
        script = (HERE / "report_page_test.js").read_text()
        for width in (1366, 390):
            with self.subTest(width):
                result = self.with_script(script, width)
                self.assertEqual(result["failures"], [])
                self.assertGreaterEqual(result["checks"], 45)

    def test_a_page_that_knows_not_all_mentions_says_so(self):
        script = """parent.postMessage(JSON.stringify([document.querySelector(".partly").hidden ? "" : "partly",
            [...document.querySelectorAll("tbody tr")].find(row => row.textContent.startsWith("/gone")).lastChild.textContent,
            (form => { form.by.value = "page"; form.dispatchEvent(new Event("input")); return document.querySelector(".shown").textContent; })(
                document.querySelector(".tools"))]), "*");"""
        self.assertEqual(self.with_script(script, 1366)[0], "")
        row = re.search(r'\[3,404,.*"http://[^"]*/gone",.*', self.page)[0]
        known = re.match(r'(\[.*?/gone",\d+,"",0,\d+,2),0,', row)[1]
        self.page = self.page.replace(f"{known},0,", f"{known},55,")
        partly, text, shown = self.with_script(script, 1366)
        self.assertEqual(partly, "partly")
        self.assertTrue(text.endswith("and at least 55 pages more, for which there was no memory"), text)
        self.assertRegex(shown, r"^\d+ URLs, on at least 1\d\d pages$")
        self.page = self.page.replace('"isShared":false', '"isShared":true')
        text = self.with_script(script, 1366)[1]
        self.assertTrue(text.endswith("2 of 57 pages are known: a crawl that is shared keeps ten"), text)

    def test_without_a_script_everything_wrong_is_there(self):
        text = re.search(r"<noscript>(.*)</noscript>", self.page, re.S)[1]
        for part in ("<h2>Dead: ", "<h2>Missing fragments: ", ">/shop/0</a>", "and 100 more places", ">/many#sektion</a>",
                     "did you mean #section?", "And 10 more fragments of <a href=\"" + self.root + "/many2\"",
                     "a=&#34;././d/2&#34;, &#34;two&#34;", "through <a href=\"" + self.root + "/moved-gone\""):
            self.assertIn(part, text)

    def test_the_page_tells_its_options_but_no_secret(self):
        self.run_stage3("-q", "--html", "r.html", "--header", "X-Key: hush", "--exclude", "a b", url="/page/a")
        text = html.unescape(re.search(r"Options: <code>(.*?)</code>", self.file("r.html").read_text())[1])
        self.assertEqual(text, f"-q --html r.html --header *** --exclude 'a b' {self.root}/page/a")
        self.assertNotIn("hush", self.file("r.html").read_text())

    @unittest.skipUnless(AXE.exists(), "AXE names no folder with axe-core")
    def test_axe_finds_nothing(self):
        for width in (1366, 390):
            with self.subTest(width):
                result = self.with_script(AXE.read_text().replace("</script>", "<\\/script>") + JUDGE, width)
                self.assertEqual(result["failures"], [])
                self.assertGreaterEqual(result["checks"], 20)


if __name__ == "__main__":
    unittest.main()
