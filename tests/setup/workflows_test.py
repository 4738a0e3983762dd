#!/usr/bin/env python3
"""What runs elsewhere (on GitHub, in a container), as far as it can run here: the script of the action check-site,
the script that keeps an issue for outside links, and what the files beside them say.

STAGE3 in the environment names the program.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.append(str(TOP / "tests/support"))
from run_stage3 import PROGRAM  # noqa: E402
from web_server import Site, ok, page, status  # noqa: E402

ACTION = ".github/actions/check-site"
ACTION_FILE = (TOP / ACTION / "action.yml").read_text(encoding="utf-8")
# The environment of its steps: {"SITE": "site", …}.
VARIABLES = dict(re.findall(r"^ +([A-Z]+): \$\{\{ inputs\.([a-z]+) \}\}$", ACTION_FILE, re.M))

DEFAULTS = dict(re.findall(r"^  ([a-z]+):\n +description: .*\n +default: '(.*)'$", ACTION_FILE, re.M))


def setUpModule():
    if not os.access(PROGRAM, os.X_OK):  # the script would build one, for minutes
        raise FileNotFoundError(f"there is no {PROGRAM}: build it, or name another in STAGE3")


class InAFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, text="", mode=0o644):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(mode)
        return path

    def run_script(self, script, *words, status=0, **environment):
        done = subprocess.run(["bash", script, *words], cwd=self.folder, env=os.environ | environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=120)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout


class Action(InAFolder):
    """Its script's steps, with the files that GitHub would give it."""

    def step(self, name, top=TOP, status=0, **environment):
        """What it prints, and what it adds to each file."""
        files = {"GITHUB_OUTPUT": self.write("output"), "GITHUB_STEP_SUMMARY": self.write("summary", "before\n")}
        said = self.run_script(top / ACTION / "check-site.sh", name, status=status,
                               RUNNER_TEMP=str(self.folder / "of the runner"), **environment,
                               **{variable: str(path) for variable, path in files.items()})
        outputs, summary = (path.read_text(encoding="utf-8") for path in files.values())
        return said, dict(line.split("=", 1) for line in outputs.splitlines()), summary


class Check(Action):
    def setUp(self):
        super().setUp()
        program = Path(self.step("key")[1]["folder"]) / "stage3"
        program.parent.mkdir(parents=True)
        program.symlink_to(PROGRAM)  # as if from the cache

    def check(self, status=0, **inputs):
        values = {name: inputs.pop(name, DEFAULTS.get(name, "")) for name in VARIABLES.values()}
        self.assertEqual(inputs, {}, "no such input")
        return self.step("check", status=status, **{variable: values[name] for variable, name in VARIABLES.items()})

    def test_a_dead_link_is_annotated_and_reported_and_fails(self):
        with Site({"/": page("/gone", "/fine"), "/fine": ok("x")}) as site:
            said, outputs, summary = self.check(site=site.origin, status=1)
            self.assertEqual(re.findall("^::.*", said, re.M), [
                f"::error title=Dead link::{site.origin}/gone (HTTP status 404) on {site.origin}/"])
        self.assertEqual((outputs["status"], sorted(outputs)), ("1", ["report", "status", "summary"]))
        self.assertIn("<!doctype html>", Path(outputs["report"]).read_text(encoding="utf-8").lower())
        table = Path(outputs["summary"]).read_text(encoding="utf-8")
        self.assertIn(f"<{site.origin}/gone>", table)
        self.assertEqual(summary, "before\n" + table)

    def test_without_dead_links_it_succeeds_silently(self):
        with Site({"/": page("/fine"), "/fine": ok("x")}) as site:
            said, outputs, summary = self.check(site=site.origin)
        self.assertNotIn("::", said)
        self.assertEqual(outputs["status"], "0")
        self.assertIn("**0 dead**", summary)

    def test_what_is_in_the_baseline_does_not_count(self):
        with Site({"/": page("/old", "/new")}) as site:
            self.write("known dead.txt", f"{site.origin}/old\n")
            said, _, _ = self.check(site=site.origin, baseline="known dead.txt", status=1)
            self.assertEqual(re.findall(r"^::.*?::(\S*)", said, re.M), [f"{site.origin}/new"])
            self.write("known dead.txt", f"{site.origin}/old\n{site.origin}/new\n")
            said, outputs, _ = self.check(site=site.origin, baseline="known dead.txt")
            self.assertEqual((outputs["status"], "::" in said), ("0", False))
            said, outputs, _ = self.check(site=site.origin, baseline="no such file", status=2)
            self.assertEqual(outputs, {"status": "2"})

    def test_blanks_and_line_ends_around_an_input_are_none_of_it(self):
        self.write("public/index.html", '<a href="gone">a</a>')
        self.write("known dead.txt", "/gone\n")
        _, outputs, _ = self.check(site="\n  public \n", baseline=" known dead.txt\n", fail="false\n")
        self.assertEqual(outputs["status"], "0")
        said, outputs, _ = self.check(site="public\r\nmore\n", status=2)
        self.assertIn("site has several lines", said)
        self.assertEqual(outputs, {"status": "2"})

    def test_a_path_is_no_host(self):
        """An existing one isn't, even where stage3 would take it for one."""
        self.write("localhost/index.html", "fine")
        for site in ("localhost", "localhost/index.html", str(self.folder / "localhost"), "./localhost"):
            said, _, summary = self.check(site=site)
            self.assertNotIn("http", said + summary, site)
        self.check(site="./no-such-folder", status=2)

    def test_two_uses_in_a_job_have_a_report_each(self):
        self.write("one/index.html", "fine")
        self.write("other/index.html", '<a href="gone">a</a>')
        reports = [self.check(site=f"./{site}", fail="false")[1] for site in ("one", "other")]
        for kind in ("report", "summary"):
            texts = [Path(outputs[kind]).read_text(encoding="utf-8") for outputs in reports]
            self.assertEqual(["gone" in text for text in texts], [False, True])

    def test_only_a_file_with_options_that_is_asked_for_is_read(self):
        self.write("public/index.html", '<a href="gone">a</a>')
        self.write(".await-the-web.ini", "exclude = gone\nalso = text=pwned\n")
        self.write("mine.ini", "exclude = gone\n")
        self.check(site="./public", status=1)
        self.check(site="./public", options="--no-config", status=1)
        for options in ("--config=mine.ini", "--workers=1\n --config \nmine.ini"):
            self.check(site="./public", options=options)
        self.assertEqual(list(self.folder.rglob("pwned")), [])

    def test_no_input_is_code(self):
        site = """it's "my" $(touch pwned) `touch pwned`; site"""
        self.write(f"{site}/index.html", '<a href="a%20$(touch%20pwned)b">a</a> <a href="gone">b</a>')
        said, _, _ = self.check(site=site, status=1, options="""--exclude="?[$][(]touch%20pwned""")
        self.assertEqual(re.findall(r"^::.*?::(\S*)", said, re.M), ["/gone"])
        self.write("--x/index.html", "fine")
        self.check(site="--x")
        with Site({"/": ok("x")}) as server:
            agent = """it's "mine" $(touch pwned) `touch pwned`; * $HOME"""
            self.check(site=server.origin, options=f"""
                --user-agent={agent}

                --workers=1
                """)
            self.assertEqual({request.headers["user-agent"] for request in server.requests}, {agent})
        self.assertEqual(list(self.folder.rglob("pwned")), [])

    def test_options_are_one_a_line(self):
        self.write("public/index.html", '<a href="#no">a</a>')
        self.check(site="public", options="--fragments\n--workers=1", status=1)
        for line in ("--fragments --strict", "--exclude a=b", "-w 10"):
            said, outputs, _ = self.check(site="public", options=line, status=2)
            self.assertIn(f"::error title=check-site::options has the line '{line}': give one option a line", said)
            self.assertEqual(outputs, {"status": "2"})
        self.assertIn("options has the line '--'", self.check(site="public", options="--strict\n --\n", status=2)[0])
        self.assertIn("'50%25%0Dx': give true or false", self.check(site="public", fail="50%\rx", status=2)[0])

    def test_with_fail_false_only_wrong_usage_fails(self):
        self.write("public/index.html", '<a href="gone">a</a> <a href="more">b</a>')
        said, outputs, _ = self.check(site="public", fail="false")
        self.assertEqual((outputs["status"], said.count("::error")), ("1", 2))
        self.write("public/index.html", '<a href="more">a</a>')
        self.write("public/more.html")
        _, outputs, _ = self.check(site="public", fail="false", options="--max-pages=1")
        self.assertEqual(outputs["status"], "3")
        self.check(site="public", options="--max-pages=1", status=3)
        self.check(site="public", fail="false", options="--no-such-option", status=2)
        self.assertIn("fail is 'no': give true or false", self.check(site="public", fail="no", status=2)[0])
        self.assertIn("site is empty", self.check(status=2)[0])


class Build(Action):
    """In a made-up repository, whose learn writes a program that says how it was built."""

    def setUp(self):
        super().setUp()
        script = (TOP / ACTION / "check-site.sh").read_text(encoding="utf-8")
        for name in sources():
            self.write(f"repository/{name}" + ("" if "." in name else "/a.cpp") * (name != "learn"))
        self.write(f"repository/{ACTION}/check-site.sh", script)
        self.write("repository/learn", """#!/bin/sh
            mkdir -p build/stage3_queue_crawler
            { echo '#!/bin/sh'; echo "echo $LEARN_BUILD_OPTIONS / $*"; } >build/stage3_queue_crawler/stage3
            chmod +x build/stage3_queue_crawler/stage3""", 0o755)
        self.top = self.folder / "repository"
        self.write("bin/sudo", '#!/bin/sh\nexec "$@"\n', 0o755)
        self.write("bin/apt-get", f"#!/bin/sh\necho $* >>'{self.folder}/installed'\n", 0o755)
        self.tools = {"PATH": f"{self.folder}/bin:{os.environ['PATH']}"}

    def program(self):
        return Path(self.step("key", self.top)[1]["folder"]) / "stage3"

    def build(self, **environment):
        self.step("build", self.top, **self.tools, **environment)

    def key(self):
        return self.step("key", self.top)[1]["key"]

    def test_it_is_built_unless_the_cache_had_one_that_runs(self):
        program = self.program()
        self.build()
        built = program.read_text(encoding="utf-8")
        self.assertIn("-Dcpp_args=-DFMT_HEADER_ONLY / crawl 3 --version --yes", built)
        program.write_text("#!/bin/sh\n", encoding="utf-8")
        self.build()
        self.assertEqual(program.read_text(encoding="utf-8"), "#!/bin/sh\n")
        program.write_text("#!/no/such/library\n", encoding="utf-8")
        self.build()
        self.assertEqual(program.read_text(encoding="utf-8"), built)

    def test_without_the_cache_it_is_built_although_there_is_one(self):
        self.build()
        program = self.program()
        built = program.read_text(encoding="utf-8")
        program.write_text("#!/bin/sh\n", encoding="utf-8")
        self.build(CACHE="false")
        self.assertEqual(program.read_text(encoding="utf-8"), built)
        self.step("build", self.top, status=2, CACHE="no", **self.tools)

    def test_two_versions_in_a_job_have_a_program_each(self):
        self.build()
        first = self.program()
        self.write("repository/common/a.cpp", "newer")
        self.assertNotEqual(self.program(), first)
        self.assertFalse(self.program().exists())
        self.build()
        self.assertTrue(self.program().exists() and first.exists())

    def test_it_can_do_what_the_image_can(self):
        self.build()
        words = self.program().read_text(encoding="utf-8").split()
        image = (TOP / ".devcontainer/stage3.Containerfile").read_text(encoding="utf-8")
        options = re.search("LEARN_BUILD_OPTIONS='(.*)'", image)[1].split()
        self.assertIn("-Dstate=enabled", options)
        self.assertLessEqual(set(options), set(words))
        packages = re.search("apt-get install -y --no-install-recommends (.*)", image)[1]
        self.assertRegex((self.folder / "installed").read_text(encoding="utf-8"), f"update\n.* install {packages}\n$")

    def test_a_build_that_fails_fails(self):
        self.write("repository/learn", "#!/bin/sh\nexit 7\n", 0o755)
        self.step("build", self.top, status=7, **self.tools)

    def test_its_key_is_that_of_its_sources(self):
        first = self.key()
        self.assertRegex(first, r"^stage3-[\w.-]+-[0-9a-f]{20}$")
        self.write("repository/book/01.md", "not a source")
        self.assertEqual(self.key(), first)
        self.write("repository/common/web/b.cpp", "new")
        second = self.key()
        self.assertNotEqual(second, first)
        (self.top / "common/web/b.cpp").rename(self.top / "common/b.cpp")
        third = self.key()
        self.assertNotIn(third, (first, second))
        with open(self.top / ACTION / "check-site.sh", "a", encoding="utf-8") as script:  # it says how to build
            script.write("# more\n")
        self.assertNotIn(self.key(), (first, second, third))

    def test_without_all_sources_there_is_no_key(self):
        shutil.rmtree(self.top / "common")
        self.step("key", self.top, status=1)


def sources():
    script = (TOP / ACTION / "check-site.sh").read_text(encoding="utf-8")
    return re.search(r"^sources=\((.*?)\)", script, re.M | re.S)[1].split()


class Files(unittest.TestCase):
    """What can be said of them without GitHub and without an image."""

    def test_the_action_gives_its_script_every_input_and_no_shell_reads_one(self):
        declared = re.findall(r"^  ([a-z]+):$", ACTION_FILE.split("\ninputs:")[1].split("\noutputs:")[0], re.M)
        self.assertEqual(set(declared), set(VARIABLES.values()))
        self.assertEqual(ACTION_FILE.count("${{ inputs"), len(VARIABLES))
        steps = re.findall(r"""^ +run: '"\$GITHUB_ACTION_PATH/check-site.sh" (\w+)'$""", ACTION_FILE, re.M)
        self.assertEqual(steps, ["key", "build", "check"])
        for script in (f"{ACTION}/check-site.sh", ".github/workflows/outside-links.sh"):
            self.assertTrue(os.access(TOP / script, os.X_OK), script)

    def test_workflows_use_inputs_and_options_that_there_are(self):
        for file in (".github/workflows/outside-links.yml", "book/33-reports-that-people-read.md"):
            used = re.split(rf"uses: \S*{ACTION}", (TOP / file).read_text(encoding="utf-8"))[1]
            used = re.match(r".*\n +with:\n((?: {10,}.*\n)+)", used)[1]
            inputs = re.findall(r"^ +([a-z]+):", used, re.M)
            self.assertLessEqual(set(inputs), set(VARIABLES.values()), file)
            self.assertRegex(re.search("^ +site: (.*)", used, re.M)[1], r"^(https://|\./)", file)
            if_there = r"\$\{\{ hashFiles\('(.*)'\) && '(--.*)' \}\}"  # a file that is optional
            for named in re.findall(if_there, used):
                self.assertEqual(named[1], f"--ignore-file={named[0]}")
            for unless in ("", r"\2"):
                options = re.findall("--.*", re.sub(if_there, unless, used))
                with tempfile.TemporaryDirectory() as folder:
                    Path(folder, "index.html").write_text("fine", encoding="utf-8")
                    Path(folder, ".github").mkdir()
                    Path(folder, ".github/outside-links-ignored.txt").write_text("# none yet\n", encoding="utf-8")
                    done = subprocess.run([PROGRAM, *options, "."], capture_output=True, text=True, check=False,
                                          cwd=folder)
                self.assertEqual((done.returncode, "--external" in options), (0, True), f"{file}: {done.stderr}")

    def test_what_a_job_runs_cannot_take_its_right_to_write(self):
        jobs = [job for file in sorted((TOP / ".github/workflows").glob("*.yml"))
                for job in re.split(r"\n(?=  [\w-]+:\n)", file.read_text(encoding="utf-8").split("\njobs:\n")[1])]
        writing = [job for job in jobs if ": write\n" in job and "uses: actions/checkout" in job]
        self.assertEqual(len(writing), 1)
        for job in writing:
            self.assertRegex(job, r"uses: actions/checkout\S*\n +with:\n +persist-credentials: false\b")

    def test_issues_are_written_only_for_the_book_as_published(self):
        text = (TOP / ".github/workflows/outside-links.yml").read_text(encoding="utf-8")
        self.assertIn("\n    if: github.ref == 'refs/heads/main' && !github.event.repository.fork\n", text)

    def test_the_image_has_the_sources_that_the_key_is_made_of(self):
        text = (TOP / ".devcontainer/stage3.Containerfile").read_text(encoding="utf-8")
        copied = [word for line in re.findall("^COPY ([^-].*)", text, re.M) for word in line.split()[:-1]]
        self.assertEqual(sorted(copied), sorted(sources()))
        for name in copied:
            self.assertTrue((TOP / name).exists(), name)
        self.assertRegex(text, r'\nENTRYPOINT \["stage3"\]\n$')  # a shell before it would keep signals to itself

    def test_a_new_container_runs_a_command_of_learn(self):
        text = (TOP / ".devcontainer/devcontainer.json").read_text(encoding="utf-8")
        file = json.loads(re.sub(r"^\s*//.*", "", text, flags=re.M))
        learn, command, *options = file["onCreateCommand"].split()
        self.assertEqual(learn, "./learn")

        def help_on(*what):
            done = subprocess.run([TOP / "learn", "help", *what], capture_output=True, text=True, check=False,
                                  env=os.environ | {"COLUMNS": "1000"})
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout
        self.assertIn("with --yes it doesn't ask", help_on())
        self.assertLessEqual(set(options), {"--yes", *re.findall(r"--[\w-]+", help_on(command))})
        self.assertEqual(list(file["portsAttributes"]), [str(port) for port in file["forwardPorts"]])


@unittest.skipUnless(shutil.which("git"), "needs git")
class Attributes(InAFolder):
    def test_a_clone_made_on_windows_has_the_same_bytes(self):
        files = {"learn": b"#!/bin/sh\necho 1\n", "a.png": b"\x89PNG\r\n\0\n",
                 "tests/fuzz/seeds/a.txt": b"a\r\nb\nc"}
        for name, content in files.items():
            self.write(name).write_bytes(content)
        shutil.copy(TOP / ".gitattributes", self.folder)

        def git(*words):
            subprocess.run(["git", "-c", "core.autocrlf=true", *words], cwd=self.folder, check=True, capture_output=True)
        git("init")
        git("add", ".")
        for name in files:
            (self.folder / name).unlink()
        git("checkout", "--", ".")
        self.assertEqual({name: (self.folder / name).read_bytes() for name in files}, files)


@unittest.skipUnless(shutil.which("meson"), "needs meson")
class Sources(InAFolder):
    def test_they_are_all_that_a_build_of_stage3_needs(self):
        for name in sources():
            target = self.folder / "copy" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if (TOP / name).is_dir() else shutil.copy)(TOP / name, target)
        done = subprocess.run(["meson", "setup", "-Dtests=false", "build", "copy"], cwd=self.folder, check=False,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)


# Knows what the script uses of gh, and nothing else. Its issues are in a file.
GH = '''#!/usr/bin/env python3
import json, pathlib, sys
file = pathlib.Path(__file__).with_name("issues.json")
state = json.loads(file.read_text())
words = sys.argv[1:]
def take(name, *allowed):
    at = words.index(name)
    value = words[at + 1]
    del words[at:at + 2]
    assert not allowed or value in allowed, value
    return value
what = tuple(words[:2]); del words[:2]
if what == ("issue", "list"):
    take("--state", "open"); take("--json", "number,body"); take("--jq", ".[] | .number, .body"); take("--limit", "1")
    label, author = take("--label"), take("--app")
    for number, one in [(number, one) for number, one in state["issues"].items()
                        if one["open"] and label in one["labels"] and one["author"] == author][-1:]:
        print(number, one["body"], sep="\\n")
elif what == ("label", "create"):
    description, label = take("--description"), words.pop()
    if label in state["labels"]:
        sys.exit("label already exists; use `--force` to update its color and description")
    state["labels"][label] = description
elif what == ("issue", "create"):
    label = take("--label")
    assert label in state["labels"], "could not add label: not found"
    state["issues"][str(len(state["issues"]) + 1)] = {
        "open": True, "author": "github-actions", "labels": [label], "title": take("--title"),
        "body": pathlib.Path(take("--body-file")).read_text(), "comments": []}
elif what == ("issue", "edit"):
    state["issues"][words.pop(0)]["body"] = pathlib.Path(take("--body-file")).read_text()
elif what == ("issue", "comment"):
    state["issues"][words.pop(0)]["comments"].append(take("--body"))
elif what == ("issue", "close"):
    issue = state["issues"][words.pop(0)]
    issue["open"] = False
    issue["comments"].append(take("--comment"))
assert not words, words
file.write_text(json.dumps(state))
'''


class OutsideLinks(InAFolder):
    def setUp(self):
        super().setUp()
        self.write("bin/gh", GH, 0o755)
        self.write("bin/issues.json", '{"labels": {}, "issues": {}}')

    def state(self):
        return json.loads((self.folder / "bin/issues.json").read_text(encoding="utf-8"))

    def week(self, said, status=0, summary="links.md"):
        """The issues after a check, of which stage3 said that."""
        self.said = self.run_script(TOP / ".github/workflows/outside-links.sh", status=status, STATUS=str(said),
                                    SUMMARY=summary and str(self.folder / summary), RUN="https://run.example/",
                                    PATH=f"{self.folder}/bin:{os.environ['PATH']}")
        return self.state()["issues"]

    def crawl(self, *options, site="book"):
        """Leaves a real summary, and returns stage3's exit status."""
        return subprocess.run([PROGRAM, "--external-delay=0", "--no-config", "--workers=1", *options, "--output",
                               self.folder / "links.md", "--format=markdown", site], cwd=self.folder, check=False,
                              stderr=subprocess.DEVNULL).returncode

    def with_links(self, *links):
        self.write("book/index.html", "".join(f'<a href="{link}">x</a>' for link in links))

    def test_while_all_is_well_there_is_no_issue(self):
        self.with_links("/")
        self.assertEqual(self.week(self.crawl()), {})

    def test_one_issue_is_opened_kept_up_to_date_and_closed(self):
        self.with_links("/gone")
        issues = self.week(self.crawl())
        self.assertEqual(list(issues), ["1"])
        self.assertIn("| /gone |", issues["1"]["body"])
        self.assertIn("(https://run.example/)", issues["1"]["body"])
        self.with_links("/lost", "/gone")
        issues = self.week(self.crawl())
        self.assertEqual(list(issues), ["1"])
        self.assertIn("| /lost |", issues["1"]["body"])
        self.with_links("/")
        issues = self.week(self.crawl())
        self.assertFalse(issues["1"]["open"])
        self.assertIn("https://run.example/", issues["1"]["comments"][-1])
        self.assertEqual(self.week(self.crawl()), issues)
        self.with_links("/gone")
        self.assertEqual([one["open"] for one in self.week(self.crawl()).values()], [False, True])

    def test_a_comment_says_that_the_list_has_changed(self):
        def comments(*links):
            self.with_links(*links)
            return self.week(self.crawl("--fragments"))["1"]["comments"]
        self.assertEqual(comments("/gone"), [])
        self.assertEqual(comments("/gone", "/", "htp://unclear.example/"), [])
        said = [f"The list has changed: {sums}, says [this check](https://run.example/)." for sums in
                ("2 dead, 1 unclear", "2 dead, 1 missing fragment", "1 dead")]
        self.assertEqual(comments("/lost", "/gone", "htp://unclear.example/"), said[:1])
        state = self.state()
        state["issues"]["1"]["body"] = state["issues"]["1"]["body"].replace("\n", "\r\n")  # by hand, in a browser
        self.write("bin/issues.json", json.dumps(state))
        self.assertEqual(comments("/gone", "/lost"), said[:1])
        self.assertEqual(comments("/lost", "/gone", "#no"), said[:2])
        self.assertEqual(comments("/lost"), said)

    def test_what_has_become_unclear_is_not_alive(self):
        with Site({"/moody": status(404)}, address="127.0.0.2") as outside, \
                Site({"/": page(f"{outside.origin}/moody", "htp://unclear.example/")}) as site:
            before = self.week(self.crawl("--external", site=site.origin))
            self.assertIn("/moody", before["1"]["body"])
            outside.answers["/moody"] = status(403)
            self.assertEqual(self.week(self.crawl("--external", site=site.origin)), before)
            self.assertIn("issue 1 are unclear", self.said)
            outside.answers["/moody"] = ok("alive")
            issue = self.week(self.crawl("--external", site=site.origin))["1"]
        self.assertFalse(issue["open"])
        self.assertIn("0 dead, 1 unclear", issue["comments"][-1])

    def test_an_incomplete_check_changes_nothing_and_fails(self):
        self.with_links("/gone", "/a", "/b")
        before = self.week(self.crawl())
        for said in ("2", "3", "130"):
            self.assertEqual(self.week(said, status=1), before)
            self.assertIn(f"::error::The check was not complete (stage3's exit status: {said}).", self.said)

    def test_so_does_one_that_found_something_dead_before_it_was_cut_short(self):
        self.with_links("/gone", "/a", "/b")
        self.write("book/a.html")
        before = self.week(self.crawl())
        self.with_links("/lost", "/gone", "/a", "/b")
        for option in ("--max-pages=3", "--max-links=2"):
            self.assertEqual(self.crawl(option), 1)
            self.assertEqual(self.week(1, status=1), before)
            self.assertIn("::error::The check was not complete, says its summary.", self.said)
        self.assertEqual(len(self.week(self.crawl())["1"]["comments"]), 1)

    def test_without_a_summary_nothing_is_known(self):
        for issues in (0, 1):
            before = self.state()
            self.write("empty.md")
            for said in (0, 1):
                for summary in ("empty.md", "no such.md", ""):
                    self.week(said, status=1, summary=summary)
                    self.assertIn("::error::The check has left no summary.", self.said)
                    self.assertEqual(self.state(), before)
            self.with_links("/gone")
            self.assertEqual((len(before["issues"]), len(self.week(self.crawl()))), (issues, 1))

    def test_what_others_have_made_stays_as_it_is(self):
        others = {"open": True, "author": "somebody", "labels": ["outside-links"], "body": "an idea", "comments": []}
        self.write("bin/issues.json", json.dumps({"labels": {"outside-links": "ours"}, "issues": {"1": others}}))
        self.with_links("/")
        self.week(self.crawl())
        self.with_links("/gone")
        self.assertEqual(list(self.week(self.crawl())), ["1", "2"])
        self.with_links("/lost")
        self.assertEqual(self.week(self.crawl())["1"], others)
        self.assertEqual(self.state()["labels"], {"outside-links": "ours"})

    def test_it_fails_if_gh_does(self):
        self.write("bin/gh", "#!/bin/sh\necho no network >&2\nexit 4\n", 0o755)
        for said in (0, 1):
            self.with_links(*["/gone"] * said)
            self.week(self.crawl(), status=4)


if __name__ == "__main__":
    unittest.main()
