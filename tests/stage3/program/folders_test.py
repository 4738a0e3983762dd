#!/usr/bin/env python3
"""A site that isn't published yet: a folder as a root, and --remap.

STAGE3 in the environment names the program.
"""
import json
import os
import pathlib
import re
import resource
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import nginx_server  # noqa: E402
import web_server  # noqa: E402
from run_stage3 import records_in, run_stage3  # noqa: E402

FORMATS = ["text", "jsonl", "csv", "junit", "sarif", "github", "html", "markdown", "dot"]

FILES = {
    "index.html": '<h1 id=top>Home</h1>\n<a href="guide/">guide</a> <a href="guide">again</a> <a href="about">about</a>\n'
                  '<a href="gone.html">gone</a> <a href="guide/#nope">part</a> <img src="logo.png"> <a href="loop">l</a>',
    "about.html": '<a href="/guide/a%20b">a b</a> <a href="/drafts/new">draft</a> <link rel=canonical href="about">',
    "guide/index.html": '<a href="..">up</a> <a href="missing">m</a> <h2 id=yes>Yes</h2>',
    "guide/a b.html": "<p>fine",
    "404.html": '<a href="/never">never</a>',
    "logo.png": "x",
}


class Folder(unittest.TestCase):
    """A folder of its own, with a site in it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.site = self.write("public", FILES)

    def write(self, name, files):
        for file, text in files.items():
            path = self.folder / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return self.folder / name

    def crawl(self, *arguments, status=1, **how):
        return run_stage3("--no-config", *arguments, status=status, cwd=self.folder, **how)

    def records(self, *arguments, **how):
        return records_in(self.crawl("--format", "jsonl", *arguments, **how).stdout)

    def dead(self, *arguments, **how):
        """The URL of each, with its fragment, and the status."""
        return {(record["url"] + (f'#{record["fragment"]}' if record["fragment"] else ""), record["status"])
                for record in self.records(*arguments, **how) if record["outcome"] in ("error", "failed")}


class AFolder(Folder):
    DEAD = {("/gone.html", 404), ("/guide/#nope", 200), ("/guide/missing", 404), ("/drafts/new", 404), ("/loop", None)}

    def setUp(self):
        super().setUp()
        (self.site / "loop").symlink_to("loop")

    def test_its_records_name_paths(self):
        for spelling in ("public", "public/", "./public", str(self.site), f"file://{self.site}", "public/index.html"):
            self.assertEqual(self.dead("--fragments", spelling), self.DEAD)
        self.assertEqual({record["url"] for record in self.records("public")},
                         {"/", "/about", "/guide", "/guide/", "/guide/a%20b", "/logo.png"} | {url for url, _ in self.DEAD if "#" not in url})

    def test_no_format_tells_where_it_was_served(self):
        said = ""
        for form in FORMATS:
            done = self.crawl("--fragments", "--places", "--redirects" if form in ("text", "jsonl") else "--strict", "--format", form,
                              "-v", "--trace", "trace", "public")
            said += done.stdout + done.stderr + (self.folder / "trace").read_text(encoding="utf-8")
            self.assertIn("/guide/missing", done.stdout)
        for form in ("--show=pages", "--show=urls"):
            said += self.crawl("--fragments", "--places", form, "public").stdout
        self.assertEqual(re.findall(r".*(?:_folder|127\.0\.0\.1).*", said)[:3], [])

    def test_several_folders_and_urls_together(self):
        self.write("other site", {"index.html": '<a href="/x">x</a> <a href="//h.invalid/">h</a>'})
        with web_server.Site({"/": web_server.page("/y")}) as site:
            dead = self.dead("public", "other site", site.origin)
        self.assertEqual({url for url, _ in dead if "public" not in url}, {"other-site/x", site.origin + "/y"})
        self.assertIn(("public/guide/missing", 404), dead)

    def test_baseline_ignore_file_and_patterns_name_paths(self):
        self.crawl("-q", "--fragments", "--write-baseline", "known", "public")
        lines = (self.folder / "known").read_text(encoding="utf-8").splitlines()
        self.assertEqual(lines[1:], ["/drafts/new", "/gone.html", "/guide/#nope", "/guide/missing", "/loop"])
        self.crawl("--fragments", "--baseline", "known", "public", status=0)
        self.crawl("--fragments", "--baseline", "known", str(self.site), status=0)
        (self.folder / "ignored").write_text("^/guide/\n/gone.html\n^/drafts/new$\n^/loop", encoding="utf-8")
        self.crawl("--fragments", "--ignore-file", "ignored", "public", status=0)
        self.assertEqual(self.dead("--exclude", "^/guide", "--exclude", "^/(gone|loop)", "public"), {("/drafts/new", 404)})
        # With several, their names come first.
        self.write("other", {"index.html": ""})
        self.crawl("-q", "--write-baseline", "known", "public", "other")
        self.assertIn("public/gone.html", (self.folder / "known").read_text(encoding="utf-8").splitlines())
        self.crawl("--baseline", "known", "other", "public", status=0)

    def test_state_knows_what_has_not_changed(self):
        if "without SQLite" in self.crawl("-q", "--state", "state", "public", status=None).stderr:
            self.skipTest("without SQLite")
        self.write("other", {"index.html": ""})
        said = self.crawl("--state", "state", "other", status=2).stderr
        self.assertIn("the folder other/", said)
        self.assertNotIn("_folder", said)
        again = self.crawl("--state", "state", "./public/")
        self.assertRegex(again.stderr, r"asked about \d+ URLs, of which [3-9] have not changed")
        (self.site / "guide/index.html").write_text('<a href="new-link">n</a>', encoding="utf-8")
        self.assertIn(("/guide/new-link", 404), self.dead("--state", "state", "public"))

    def test_annotations_name_files(self):
        said = self.crawl("--places", "--format", "github", "public").stdout
        self.assertIn("file=public/index.html,line=3,col=10", said)
        self.assertIn("file=public/guide/index.html,line=1", said)
        sarif = json.loads(self.crawl("--format", "sarif", "public").stdout)
        files = {location["physicalLocation"]["artifactLocation"]["uri"]
                 for result in sarif["runs"][0]["results"] for location in result["locations"]}
        self.assertEqual(files, {"public/index.html", "public/guide/index.html", "public/about.html"})

    def test_slashes_name_no_host(self):
        self.write("slashes", {"index.html": '<a href="/x/..//docs">d</a><a href="/x/..//no">n</a>', "docs/index.html": ""})
        records = {record["url"]: record for record in self.records("slashes")}
        self.assertEqual(records["//docs"]["next_url"], "/docs/")
        self.crawl("-q", "--write-baseline", "known", "slashes")
        self.crawl("--baseline", "known", "slashes", status=0)

    def test_its_robots_txt_counts(self):
        (self.site / "robots.txt").write_text("User-agent: *\nDisallow: /guide/\n", encoding="utf-8")
        outcomes = {record["url"]: record["outcome"] for record in self.records("public")}
        self.assertEqual(outcomes["/guide/"], "disallowed")

    def test_who_may_not_read_a_file_is_told(self):
        if os.geteuid() != 0:
            for name in ("guide/index.html", "about.html"):
                (self.site / name).chmod(0)
            dead = {record["url"]: record["error"] for record in self.records("public")}
            self.assertEqual(dead["/about"], "Permission denied")
        (self.folder / "none").mkdir()
        self.assertIn("no index.html", self.crawl("none", status=2).stderr)
        self.assertIn("nothing there", self.crawl("./nowhere", status=2).stderr)
        self.assertIn("--frontier", self.crawl("--frontier", "redis://localhost", "--crawl", "x", "public", status=2).stderr)

    def test_pages_that_no_link_leads_to_are_told(self):
        def told(*arguments):
            return [line for line in self.crawl(*arguments, status=None).stderr.splitlines() if "reached" in line]
        self.assertEqual(told("public"), [])
        self.write("public", {"drafts/index.html": "", "zz.html": "", "notes.txt": ""})
        self.assertEqual(told("public"), ["stage3: 2 of 6 pages in 'public' were not reached, such as /drafts/index.html: "
                                          "no link leads there"])
        self.assertEqual(told("public", "--exclude", "^/zz"), ["stage3: 1 of 5 pages in 'public' was not reached, such as "
                                                               "/drafts/index.html: no link leads there"])
        for arguments in (["-d", "1"], ["-q"], ["--max-pages", "2"]):
            self.assertEqual(told("public", *arguments), [])
        self.write("far", {"index.html": '<a href="https://example.org/a">a</a>', "a.html": ""})
        self.assertRegex(told("far")[0], "1 of 2 pages .*say so: --remap https://ADDRESS=far")
        self.assertEqual(told("--remap", "https://example.org=far"), [])

    def test_it_holds_with_few_descriptors(self):
        many = "".join(f'<a href="p{i}.html">p</a>' for i in range(300))
        self.write("many", {"index.html": many} | {f"p{i}.html": "<p>" for i in range(300)})
        done = self.crawl("-w", "100", "many", status=0, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_NOFILE, (64, 64)))
        self.assertIn("301 fetched", done.stdout)


class ARemap(Folder):
    def test_a_folder_is_the_site_that_is_meant(self):
        self.write("public", {"sitemap.xml": "<urlset><url><loc>https://example.org/listed</loc></url>"
                                             "<url><loc>https://example.org/orphan</loc></url></urlset>",
                              "orphan.html": '<base href="https://example.org/guide/"><a href="a%20b">b</a><a href="zz">z</a>'
                                             '<a href="http://www.example.org/about">w</a><a href="//example.org/guide">g</a>'})
        dead = self.dead("--sitemap", "--remap", "https://example.org=public")
        self.assertEqual({url for url, _ in dead}, {"https://example.org/" + path for path in (
            "gone.html", "guide/missing", "guide/zz", "listed", "drafts/new", "loop")})
        root = self.dead("--sitemap", "--remap", "https://example.org=public", "https://example.org/", "--no-assets")
        self.assertEqual(root, dead)

    def test_a_test_server_speaks_of_the_site_that_is_meant(self):
        """As those of Hugo and others, which write their own address into pages."""
        def own(text, **more):
            return lambda request: web_server.ok(text.replace("OWN", site.origin), **more)
        answers = {
            "/": own('<a href="OWN/a">a</a><a href="moved">m</a><a href="http://127.0.0.1:1/docs/b">b</a>'
                     '<a href="OWN/gone#x">g</a><a href="http://127.0.0.1:1/other">not mapped</a>'),
            "/a": own('<base href="OWN/sub/"><a href="c">c</a>'),
            "/b": own("<p>b"), "/sub/c": own("<p>c"), "/d": own("<p>d"),
            "/moved": lambda request: web_server.http(
                "HTTP/1.1 302 Found", f"Location: {site.origin}/d", "Content-Length: 0"),
            "/map.txt": own("OWN/listed\nhttp://127.0.0.1:1/docs/a\n"),
        }
        with web_server.Site(answers) as site:
            records = self.records("--sitemap=http://127.0.0.1:1/docs/map.txt", "--scope", "prefix", "--remap",
                                   f"http://127.0.0.1:1/docs={site.origin}", site.origin + "/")
        urls = {record["url"].removeprefix("http://127.0.0.1:1/docs/"): record["outcome"] for record in records}
        self.assertEqual(urls, {"": "page", "a": "page", "b": "page", "sub/c": "page", "d": "page", "moved": "redirect",
                                "gone": "error", "listed": "error"})

    def test_its_robots_txt_may_name_its_sitemap(self):
        def own(text):
            return lambda request: web_server.ok(text.replace("OWN", site.origin))
        with web_server.Site({"/": own("<p>"), "/robots.txt": own("Sitemap: OWN/map.txt"), "/map.txt": own("OWN/listed")}) as site:
            urls = {record["url"] for record in self.records("--sitemap", "--remap", f"http://127.0.0.1:1={site.origin}")}
        self.assertEqual(urls, {"http://127.0.0.1:1/", "http://127.0.0.1:1/listed"})

    def test_it_is_as_if_the_site_were_published(self):
        """The same site behind nginx, at the address that it's built for: all records are the same."""
        if nginx_server.PROGRAM is None:
            self.skipTest("without nginx")
        port = nginx_server.free_port()
        origin = f"http://127.0.0.1:{port}"
        self.write("public", {"more.html": f'<a href="{origin}/guide/a%20b">a</a> <a href="{origin}/nowhere">n</a>'
                                           f'<link rel=canonical href="{origin}/more.html"> <a href="{origin}/guide#yes">y</a>',
                              "guide/index.html": f'<a href="{origin}/more.html">m</a> <h2 id=yes>Yes</h2><img src=none.png>'})
        server = (f"types {{ text/html html; image/png png; }} server {{ listen 127.0.0.1:{port}; root {self.site};"
                  f" absolute_redirect off; error_page 404 /404.html; try_files $uri $uri.html $uri/ =404; }}")
        with nginx_server.nginx(self.folder, server, port):
            published = self.records("--fragments", origin)
        meant = self.records("--fragments", "--remap", f"{origin}=public")
        self.assertGreater(len(meant), 10)

        def essence(records):
            return {(record["url"], record["fragment"]): [record[key] for key in (
                "outcome", "status", "next_url", "error", "bytes", "links", "depth", "kind")] for record in records}
        for record in published:
            if record["outcome"] == "redirect":
                record["bytes"] = 0  # nginx sends a page with it
        self.assertEqual(essence(meant), essence(published))

    def test_a_login_in_a_root_goes_where_it_is_served(self):
        asked = []

        def answer(request):
            asked.append(request.headers.get("authorization"))
            return web_server.ok("<p>")
        with web_server.Site({"/": answer, "/x/": answer}) as site:
            root = site.origin.replace("://", "://me:pw@")
            self.crawl("--no-robots", "--remap", f"https://example.org={site.origin}", root, status=0)
            self.crawl("--no-robots", "--remap", f"https://example.org={site.origin}", "https://me:pw@example.org/", status=0)
        self.assertEqual(asked, ["Basic bWU6cHc="] * 2)

    def test_headers_for_servers_dont_confuse_a_folder(self):
        (self.site / "loop").unlink(missing_ok=True)
        self.assertIn(("/gone.html", 404), self.dead("--header", "Host: example.org", "--header", "Content-Length: 0", "public"))

    def test_only_the_first_mapping_is_a_root(self):
        self.write("cdn", {"a.png": "x"})
        self.write("page", {"index.html": '<img src="https://cdn.example/a.png">'})
        self.crawl("--remap", "https://example.org=page", "--remap", "https://cdn.example=cdn", "--external", status=0)

    def test_a_mapping_that_is_never_used_is_told(self):
        for quiet in ([], ["-q"]):
            done = self.crawl(*quiet, "--remap", "https://exmple.org=public", "public")
            self.assertIn("--remap https://exmple.org=public: nothing", done.stderr)
        for arguments in ([], ["--max-pages", "1"]):
            done = self.crawl("--remap", "https://example.org=public", *arguments, status=None)
            self.assertNotIn("--remap", done.stderr)

    def test_what_is_no_mapping_is_refused(self):
        (self.folder / "file").write_text("", encoding="utf-8")
        for text, why in {"public": "is no FROM=TO", "example.org=public": "no http or https URL before",
                          "https://example.org=nowhere": "neither a folder nor a URL", "https://example.org=file": "neither",
                          "https://example.org=": "neither", "https://example.org?q=public": "a query or a fragment before",
                          "https://h/=ftp://h/": "no http or https URL after", "=public": "before"}.items():
            self.assertIn(why, self.crawl("--remap", text, status=2).stderr)
        self.assertIn("a login", self.crawl("--remap", "https://a:b@h=public", status=2).stderr)
        self.assertIn("is a path", self.crawl("public", "--sitemap=/map.xml", status=2).stderr)
        twice = self.crawl("--remap", "https://h=public", "--remap", "https://h/=file", "--remap", "https://h/=public", status=2)
        self.assertIn("neither", twice.stderr)
        twice = self.crawl("--remap", "https://h=public", "--remap", "https://h/=public", status=2)
        self.assertIn("has two places", twice.stderr)


if __name__ == "__main__":
    unittest.main()
