// The reports for browsers and for CI, with whatever a server may send. Other programs
// read them in reports_test.py.
#include "stage3_queue_crawler/program/formats/escape.h"
#include "stage3_queue_crawler/program/formats/formats.h"
#include "stage3_queue_crawler/program/formats/report_page.h"
#include "tests/support/prelude.h"
#include "tests/support/url.h"

using namespace stage3;
using tests::url_of;

namespace {

/// A crawl of which the formats report.
struct Crawl {
    KnownUrls urls;
    ReportLines lines;
    std::vector<std::string> revived = {};
    std::string cut_short = {};
    std::string nothing_checked = {};
    std::vector<stage3::LeftOut> left_out = {};

    void add(const std::string& url, Outcome outcome, const std::string& error,
             Standing standing = Standing::counts, const std::string& place = "") {
        const auto root = urls.number_of(url_of("http://h/"));
        urls.meet(urls.number_of(url_of(url)), root);
        Record record(url_of(url));
        record.outcome = outcome;
        record.error = error;
        record.fragment = place;
        if (!place.empty())
            record.mentions = {{.page = url_of("http://h/"), .place = {}}};
        lines.emplace_back(record, standing);
    }
    std::string in(stage3::MakeFormat make) const {
        return make({})->end({.urls = urls,
                              .left_out = left_out,
                              .time = 1500ms,
                              .root = "http://h/",
                              .cut_short = cut_short,
                              .nothing_checked = nothing_checked,
                              .revived = revived},
                             lines);
    }
};

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

constexpr std::string_view hostile = "</script><script>'\"&]]>--> ::error::%0A | `x` "
                                     "[y](z) @me #1\r\n\x1b\xe2\x80\xa8\xff";

} // namespace

TEST_CASE("as markup, no text is markup") {
    CHECK(stage3::as_markup("a<b>&\"'\n") == "a&#60;b&#62;&#38;&#34;&#39;\\x0a");
}

TEST_CASE("formats have names, and a list of them reads like English") {
    CHECK(stage3::all_formats.front().name == "text");
    CHECK(stage3::formats_with(&stage3::FormatEntry::needs_links) == "dot");
    CHECK(stage3::formats_with(&stage3::FormatEntry::takes_redirects)
          == "text, jsonl or html");
    CHECK_THROWS(stage3::format_named("pdf"));
}

TEST_CASE("the text report lists apart what is known, ignored, and alive again") {
    Crawl crawl;
    crawl.add("http://h/a", Outcome::error, "gone", Standing::known);
    crawl.add("http://h/b", Outcome::error, "gone", Standing::ignored);
    crawl.add("http://h/c", Outcome::error, "gone");
    crawl.revived = {"http://h/d"};
    CHECK(crawl.in(stage3::make_text)
              .ends_with(
                  "Done in 1.50 s: 0 fetched, 0 redirects, 1 dead, 1 known, 1 ignored.\n"
                  "Alive again (in the baseline):\n  http://h/d\n"
                  "Ignored (--ignore-file):\n  http://h/b (gone)\n"
                  "Known (in the baseline):\n  http://h/a (gone)\n"
                  "Dead:\n  http://h/c (gone)\n    on http://h/\n"));
}

TEST_CASE("as JUnit's XML, each URL is a test, and only what counts as dead fails") {
    Crawl crawl;
    crawl.add("http://h/", Outcome::page, "");
    crawl.add("http://h/?'", Outcome::error, "a<b>&\"'");
    crawl.add("http://h/k", Outcome::failed, "gone", Standing::known);
    crawl.add("http://h/i", Outcome::failed, "gone", Standing::ignored);
    crawl.add("http://h/p", Outcome::error, "no place", Standing::counts, "x&");
    crawl.add("http://h/d", Outcome::disallowed, "by robots.txt");
    crawl.add("http://i/", Outcome::unclear, "503");
    CHECK(crawl.in(stage3::make_junit) == R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="6" failures="2" errors="0" time="1.500">
  <testsuite name="links of http://h/" tests="6" failures="2" errors="0" time="1.500" skipped="3">
    <testcase classname="h" name="http://h/"/>
    <testcase classname="h" name="http://h/?%27"><failure type="error" message="a&#60;b&#62;&#38;&#34;&#39;">on http://h/
</failure></testcase>
    <testcase classname="h" name="http://h/k"><skipped message="known: gone"/></testcase>
    <testcase classname="h" name="http://h/i"><skipped message="ignored: gone"/></testcase>
    <testcase classname="h" name="http://h/p#x&#38;"><failure type="error" message="no place">on http://h/
</failure></testcase>
    <testcase classname="i" name="http://i/"><skipped message="unclear: 503"/></testcase>
  </testsuite>
</testsuites>
)");
}

TEST_CASE(
    "for GitHub, a dead URL is an error on one line, and an unclear one a warning") {
    Crawl crawl;
    crawl.add("http://h/a%25", Outcome::error, "50%\n::error::x");
    crawl.add("http://h/k", Outcome::error, "gone", Standing::known);
    crawl.add("http://i/", Outcome::unclear, "503");
    crawl.revived = {"http://h/r"};
    crawl.cut_short = "interrupted";
    CHECK(crawl.in(stage3::make_github)
          == "::error title=Dead link::http://h/a%2525 (50%25\\x0a::error::x) on "
             "http://h/\n"
             "::warning title=Unclear link::http://i/ (503) on http://h/\n"
             "::notice title=Alive again::http://h/r can leave the baseline\n"
             "0 fetched, 0 redirects, 1 dead, 1 known, 1 unclear\n"
             "::warning title=Cut short::interrupted\n");
}

TEST_CASE("a crawl that isn't complete looks like that in every format") {
    Crawl crawl;
    crawl.add("http://h/", Outcome::page, "");
    for (const stage3::FormatEntry& format : stage3::all_formats) {
        CAPTURE(format.name);
        const std::string text = crawl.in(format.make);
        for (const char* const word : {"ncomplete", "hecked", "ut short", "eft out"})
            CHECK_FALSE(contains(text.substr(text.find("</head>") + 1), word));
    }
    crawl.nothing_checked = "it's <moved>";
    crawl.cut_short = "the time is over";
    crawl.left_out = {{"links beyond a limit", "", 7, "http://h/a"},
                      {"links that never end", "http://h/b/b", 12}};
    for (const stage3::FormatEntry& format : stage3::all_formats) {
        CAPTURE(format.name);
        const std::string text = crawl.in(format.make);
        CHECK(contains(text, "moved"));
        CHECK(contains(text, "the time is over"));
        CHECK(contains(text, "7 links beyond a limit, on http"));
        CHECK(contains(text, "12 links that never end, such as http"));
    }
    CHECK(crawl.in(stage3::make_jsonl)
          == R"({"incomplete": "nothing checked", "why": "it's <moved>"}
{"incomplete": "cut short", "why": "the time is over"}
{"incomplete": "left out", "why": "7 links beyond a limit, on http://h/a"}
{"incomplete": "left out", "why": "12 links that never end, such as http://h/b/b"}
)");
    CHECK(crawl.in(stage3::make_csv)
              .starts_with("http://h/,,,incomplete,,,\"nothing checked: it's "
                           "<moved>\",,,,,,,,,,,,,,,\r\n"));
    const std::string junit = crawl.in(stage3::make_junit);
    CHECK(
        contains(junit, R"(tests="5" failures="1" errors="1" time="1.500" skipped="2")"));
    CHECK(contains(junit,
                   R"(name="nothing checked"><failure message="it&#39;s &#60;moved)"));
    CHECK(contains(junit, R"(name="cut short"><error message="the time is over"/>)"));
    CHECK(contains(crawl.in(stage3::make_sarif), R"("executionSuccessful": false)"));
    CHECK(contains(crawl.in(stage3::make_github), "::error title=Nothing checked::it's"));
}

TEST_CASE("a redirect that is taken for dead is named and counted in every format") {
    const auto moved = [](const std::string& error, Standing standing) {
        Crawl crawl;
        Record record(url_of("http://h/old"));
        record.outcome = Outcome::redirect;
        record.status = 301;
        record.next_url = "http://h/new";
        record.error = error;
        crawl.urls.meet(crawl.urls.number_of(record.url),
                        crawl.urls.number_of(url_of("http://h/")));
        crawl.lines.emplace_back(record, standing);
        return crawl;
    };
    const std::string why = "redirects to http://h/new (301)";
    const auto crawls =
        std::to_array({moved(why, Standing::counts), moved(why, Standing::known),
                       moved("", Standing::counts)});
    const std::string row =
        "http://h/old,,,redirect to mend,301,http://h/new,\"" + why + "\",,,,,,,,,,";
    struct Said {
        MakeFormat* make;
        std::array<std::string, 3> parts; // if it's dead, known, or no redirect to mend
    };
    const auto all = std::to_array<Said>({
        {make_text,
         {"0 redirects, 1 dead.\nDead:\n  http://h/old (" + why + ")\n    on http://h/\n",
          "0 dead, 1 known.\nKnown (in the baseline):\n  http://h/old (" + why + ")\n",
          "1 redirect, 0 dead.\n"}},
        {make_csv, {row + ",,,,,\r\n", row + "known,,,,,\r\n", ""}},
        {make_dot, {"\"http://h/old\" [color=red, ", "[color=red, ", "}\n"}},
        {make_html,
         {">/old</a></td><td>" + why + "</td><td><ul><li><a href=\"http://h/\"",
          R"("http://h/old",1,"http://h/new",1,0,1,0,[[[],[0]]]])",
          R"("http://h/old",0,"http://h/new",0])"}},
        {make_junit,
         {R"(failures="1" errors="0" time="1.500" skipped="0")",
          "<skipped message=\"known: " + why, R"(name="http://h/old"/>)"}},
        {make_github,
         {"::error title=Redirect to mend::http://h/old (" + why + ") on http://h/\n",
          "0 redirects, 0 dead, 1 known\n", "1 redirect, 0 dead\n"}},
        {make_markdown,
         {"\n### Dead\n", "**0 dead, 1 known**; 0 fetched, 0 redirects",
          "**0 dead**; 0 fetched, 1 redirect,"}},
        {make_sarif,
         {R"("ruleId": "redirect-to-mend", "level": "error")",
          R"("baselineState": "unchanged")", "\"results\": [\n]"}},
    });
    for (const auto& [make, parts] : all)
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const std::string text = crawls.at(i).in(make);
            CAPTURE(text);
            CHECK(contains(text, parts.at(i)));
            CHECK((i < 2 || !contains(text, "redirects to")));
            CHECK(contains(text, "<failure") == (i == 0 && make == make_junit));
            CHECK(contains(text, "::error") == (i == 0 && make == make_github));
        }
}

TEST_CASE("as Markdown, a cell can't leave its table, or be more than text") {
    Crawl crawl;
    crawl.add("http://h/?a|b`c", Outcome::error, std::string(hostile));
    crawl.add("http://h/p", Outcome::error, "no place", Standing::counts, "a b>c|");
    const std::string text = crawl.in(stage3::make_markdown);
    CHECK(text.starts_with(
        "## Links of <http://h/>\n\n**1 dead, 1 missing fragment**; 0 fetched, 0 "
        "redirects, in 1.5 s.\n\n### Dead\n\n| URL | Why | On |\n"
        "| --- | --- | --- |\n| <http://h/?a%7Cb%60c> | &#60;/script"));
    CHECK(contains(text, "| <http://h/p#a%20b%3Ec%7C> | no place | <http://h/> |\n"));
    CHECK(std::ranges::count(text, '|') == 2 * 3 * 4);
    CHECK_FALSE(contains(text, "`"));
    CHECK_FALSE(contains(text, "@me"));
}

TEST_CASE("Markdown is never longer than a comment may be") {
    Crawl crawl;
    for (int i = 0; i < 2000; ++i)
        crawl.add(fmt::format("http://h/{}", i), Outcome::error, "HTTP status 404");
    for (int i = 0; i < 2000; ++i)
        crawl.add(fmt::format("http://i/{}", i), Outcome::unclear, "HTTP status 403");
    for (int i = 0; i < 2000; ++i)
        crawl.revived.push_back(fmt::format("http://j/{}", i));
    const std::string text = crawl.in(stage3::make_markdown);
    CHECK(text.size() < 65'536);
    CHECK(contains(text, "\n- and "));
    CHECK(contains(text, "\n\nAnd "));
    CHECK(text.ends_with("\nAnd 2000 more.\n"));
}

TEST_CASE("as SARIF, a result has the pages as its locations, and its state") {
    Crawl crawl;
    crawl.add("http://h/a", Outcome::error, "\"");
    crawl.add("http://h/k", Outcome::error, "gone", Standing::known);
    crawl.add("http://h/i", Outcome::unclear, "403", Standing::ignored);
    const std::string text = crawl.in(stage3::make_sarif);
    const auto locations = [](const char* url) {
        return R"("locations": [{"physicalLocation": {"artifactLocation": {"uri": )"
               R"("h"}}, "logicalLocations": [{"fullyQualifiedName": ")"
               + std::string(url) + R"(", "kind": "resource"}]}]})";
    };
    CHECK(contains(text,
                   R"j({"ruleId": "dead-link", "level": "error", "message": {"text": )j"
                   R"j("http://h/a (\") on http://h/"}, "partialFingerprints": )j"
                   R"j({"url/v1": "http://h/a"}, "baselineState": "new", )j"
                       + locations("http://h/a")));
    CHECK(contains(text, R"("baselineState": "unchanged", )" + locations("http://h/k")));
    CHECK(contains(text, R"("baselineState": "new", "suppressions": [{"kind": )"
                         R"("external"}], )"
                             + locations("http://h/i")));
    CHECK(contains(text, R"("ruleId": "unclear-link", "level": "warning")"));
}

TEST_CASE("GitHub gets at most ten annotations of a kind, of which one says how many "
          "more there are") {
    Crawl crawl;
    for (int i = 0; i < 10; ++i)
        crawl.add(fmt::format("http://h/{:02}", i), Outcome::error, "gone");
    const auto count = [&crawl](std::string_view what) {
        const std::string text = crawl.in(stage3::make_github);
        std::size_t number = 0;
        for (auto at = text.find(what); at != std::string::npos;
             at = text.find(what, at + 1))
            ++number;
        return number;
    };
    CHECK(count("::error ") == 10);
    CHECK(count("::error title=More") == 0);
    crawl.add("http://h/10", Outcome::error, "gone");
    for (int i = 0; i < 12; ++i)
        crawl.add(fmt::format("http://i/{:02}", i), Outcome::unclear, "HTTP status 403");
    CHECK(count("::error ") == 10);
    CHECK(count("::error title=More dead links::2 more are dead") == 1);
    CHECK(count("\nhttp://h/10 (gone) on http://h/\n") == 1); // in the log
    CHECK(count("::warning title=More unclear links::3 more are unclear") == 1);
}

TEST_CASE("SARIF has no more results and locations than GitHub shows, and says so") {
    Crawl crawl;
    crawl.add("http://h/known", Outcome::error, "gone", Standing::known);
    for (int i = 0; i < 5'002; ++i)
        crawl.add(fmt::format("http://h/{}", i), Outcome::error, "gone");
    const std::string text = crawl.in(stage3::make_sarif);
    CHECK(std::ranges::count(text, '\n') < 5'020);
    CHECK(contains(text, "and 3 more; at most 5000 are listed"));
    CHECK_FALSE(contains(text, "http://h/known")); // what counts goes first
}

TEST_CASE("whatever a server sends, the HTML page has the same elements") {
    const auto page_of = [](std::string_view said) {
        Crawl crawl;
        crawl.add("http://h/a", Outcome::error, std::string(said));
        crawl.add("http://h/p", Outcome::error, "x", Standing::counts, std::string(said));
        Record redirect(url_of("http://h/r"));
        redirect.outcome = Outcome::redirect;
        redirect.status = 301;
        redirect.next_url = said;
        crawl.lines.emplace_back(redirect);
        crawl.cut_short = said;
        crawl.revived = {std::string(said)};
        return crawl.in(stage3::make_html);
    };
    const std::string page = page_of(hostile);
    for (const char mark : {'<', '>'})
        CHECK(std::ranges::count(page, mark) == std::ranges::count(page_of("x"), mark));
    for (const char c : page)
        CHECK((c == '\n' || (c >= 0x20 && c < 0x7f)));
    CHECK(contains(page, R"([3,0,0,"http://h/a",1,"",0,)"));
    CHECK(contains(page, R"("texts":["","\u003c/script\u003e\u003cscript\u003e'\"&)"));
    CHECK(contains(page, R"("mend":[["http://h/r",["\u003c/script\u003e)"));
}

TEST_CASE("the HTML page allows its own script and style, and nothing else") {
    const std::string_view page = stage3::report_page();
    CHECK(contains(page, "content=\"default-src 'none'; style-src 'sha256-"));
    CHECK_FALSE(contains(page, "unsafe"));
    CHECK_FALSE(contains(page, "style=\""));
    CHECK_FALSE(contains(page, " src="));
    std::size_t at = 0;
    for (const char* const mark :
         {"{{TITLE}}", "{{HEADING}}", "{{SUMS}}", "{{PLAIN}}", "{{NOTES}}", "{{DATA}}"}) {
        at = page.find(mark, at);
        REQUIRE_MESSAGE(at != std::string_view::npos, mark);
    }
}
