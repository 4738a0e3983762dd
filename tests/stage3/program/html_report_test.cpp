// What the page of --html says: its data, which report.js shows, and what is there
// without a script. What a browser makes of it is in reports_test.py.
#include "stage3_queue_crawler/program/formats/report_data.h"
#include "stage3_queue_crawler/program/formats/report_text.h"
#include "tests/support/prelude.h"
#include "tests/support/url.h"

using namespace stage3;
using tests::url_of;

namespace {

bool says(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

struct Reported {
    KnownUrls urls = {};
    ReportLines lines = {};

    Record& on(Record& record, const std::vector<std::string>& pages) {
        const auto number = urls.number_of(record.url);
        for (const std::string& page : pages)
            urls.meet(number, urls.number_of(url_of(page)));
        return record;
    }
    void add(const std::string& url, Outcome outcome,
             const std::vector<std::string>& pages = {},
             Standing standing = Standing::counts) {
        Record record(url_of(url));
        record.outcome = outcome;
        if (is_dead(outcome) || outcome == Outcome::unclear)
            record.error = "gone";
        lines.emplace_back(on(record, pages), standing);
    }
    void add_redirect(const std::string& from, const std::string& to) {
        const auto number = urls.number_of(url_of(from));
        urls[number].is_redirect = true;
        urls.redirect(urls.number_of(url_of(to)), number);
    }
    void add_fragment(const std::string& url, const std::string& fragment,
                      const std::string& nearest = "",
                      Standing standing = Standing::counts,
                      Outcome outcome = Outcome::error) {
        Record record(url_of(url));
        record.outcome = outcome;
        record.error = "no id";
        record.fragment = fragment;
        record.nearest_id = nearest;
        record.mentions.push_back({url_of("http://h/from"), {}});
        lines.emplace_back(record, standing);
    }
    /// The last page that mentions it does so here.
    void add_place(const std::string& url, std::uint32_t line, std::uint32_t column,
                   const std::string& href, const std::string& words) {
        common::PlacesOnPage page;
        page.text = href + words;
        urls.add_place(urls.number_of(url_of(url)), page,
                       {.target = 0,
                        .line = line,
                        .column = column,
                        .begin = 0,
                        .href_size = static_cast<std::uint16_t>(href.size()),
                        .text_size = static_cast<std::uint16_t>(words.size()),
                        .role = common::LinkRole::hyperlink});
    }
    Summary summary() const {
        return {.urls = urls, .left_out = {}, .time = 1500ms, .root = "http://h/"};
    }
    std::string data(const ReportOptions& options = {}) const {
        return report_data(summary(), lines, options);
    }
    std::string sums(const ReportOptions& options = {}) const {
        return html_sums(summary(), lines, options);
    }
    std::string tables() const { return html_tables(summary(), lines); }
};

} // namespace

TEST_CASE("mentions with the same words are a group, and their numbers differences") {
    Reported crawl;
    const std::string dead = "http://h/x";
    for (const char* const page : {"http://h/2", "http://h/10", "http://h/9"}) {
        Record record(url_of(dead));
        crawl.on(record, {page});
        crawl.add_place(dead, 7, page[9] == '1' ? 5 : 3, "x", "&lt;Here>");
    }
    crawl.add(dead, Outcome::error);
    const std::string data = crawl.data();
    // Its kind, 3 pages, none more, and the group: no redirects; page 0 at line 7, column
    // 3; page 1 there; page 2 two columns further; the numbers of its texts.
    CHECK(says(data, R"(0,3,0,[[[],[0,7,3,1,0,0,1,0,2],2,3,4]]])"));
    CHECK(says(data, R"("texts":["","gone","\u003cHere\u003e","x","a"])"));
    CHECK(says(data, "\"pages\":[\"http://h/2\",\n\"http://h/9\",\n\"http://h/10\"]"));
}

TEST_CASE("a page that leads to a dead URL through a redirect is one of its pages") {
    Reported crawl;
    Record old(url_of("http://h/old"));
    crawl.on(old, {"http://h/p"});
    crawl.add_redirect("http://h/old", "http://h/dead");
    crawl.add("http://h/dead", Outcome::error, {"http://h/p", "http://h/q"});
    CHECK(says(crawl.data(), R"(0,2,0,[[[],[0,1]],[[2],[0]]]])"));
    CHECK(says(crawl.tables(), ">/p</a> <small>through <a href=\"http://h/old\" "));
}

TEST_CASE("fragments are apart from URLs, by target, with the nearest id") {
    Reported crawl;
    crawl.add("http://h/a", Outcome::page);
    crawl.add_fragment("http://h/a", "l10");
    crawl.add_fragment("http://h/a", "l9", "l8");
    const std::string data = crawl.data();
    CHECK(says(data, R"("rows":[[0,0,0,"http://h/a"]],)"));
    CHECK(says(data,
               "\"fragments\":[[\"http://h/a\",1,[[\"l9\",0,1,0,[[[],[0]]],\"l8\"],\n"
               "[\"l10\",0,1,0,[[[],[0]]]]]]],"));
    CHECK(says(crawl.tables(), ">/a#l9</a></td><td>no id: did you mean #l8?</td>"));
}

TEST_CASE("an unclear fragment is among what is unclear") {
    Reported crawl;
    crawl.add("http://h/a", Outcome::file);
    crawl.add_fragment("http://h/a", "x", "", Standing::counts, Outcome::unclear);
    CHECK(says(crawl.data(),
               "\"fragments\":[[\"http://h/a\",1,[[\"x\",0,1,0,[[[],[0]]]]],6]],"));
    CHECK(says(crawl.tables(), "<h2>Unclear: 1</h2>"));
    CHECK_FALSE(says(crawl.tables(), "Missing"));
    CHECK(says(crawl.sums(), "1 alive. 1 unclear fragment.<"));
    CHECK_FALSE(says(crawl.sums(), "well"));
}

TEST_CASE("the data says whether all mentions are known, and the crawl complete") {
    Reported crawl;
    crawl.add("http://h/a", Outcome::page);
    CHECK(says(crawl.data(), R"("isShared":false,"isComplete":true,)"));
    CHECK(says(crawl.data({.is_shared = true}), R"("isShared":true,)"));
    Summary summary = crawl.summary();
    summary.cut_short = "x";
    CHECK(says(report_data(summary, crawl.lines, {}), R"("isComplete":false,)"));
}

TEST_CASE("sums agree: each URL is counted once, and a fragment is no URL") {
    Reported crawl;
    crawl.add("http://h/", Outcome::page);
    crawl.add("http://h/d", Outcome::error);
    crawl.add("http://h/f", Outcome::failed);
    crawl.add("http://h/i", Outcome::unclear, {}, Standing::ignored);
    crawl.add("http://h/k", Outcome::error, {}, Standing::known);
    crawl.add("http://h/r", Outcome::redirect);
    crawl.add("http://h/s", Outcome::disallowed);
    crawl.add("http://h/u", Outcome::unclear);
    crawl.add_fragment("http://h/", "a");
    crawl.add_fragment("http://h/", "b", "", Standing::known);
    CHECK(says(crawl.sums(),
               ">8 URLs: 2 dead, 1 known to be dead, 1 ignored, 1 unclear, 1 alive, 1 "
               "forbidden by robots.txt, 1 redirect. 1 missing fragment. 1 more that "
               "don't count.<"));
    for (int i = 0; i < 2000; ++i)
        crawl.add(fmt::format("http://h/{}", i), Outcome::file);
    CHECK(says(crawl.sums(), ">2,008 URLs: 2 dead, "));
}

TEST_CASE("a site without dead links is well, but not if the crawl wasn't complete") {
    Reported crawl;
    crawl.add("http://h/", Outcome::page);
    CHECK(says(crawl.sums(), "<p class=\"well\">All is well: no link is dead.<"));
    Summary summary = crawl.summary();
    summary.left_out = {{"links beyond a limit", "", 7, "http://h/a"}};
    CHECK_FALSE(says(html_sums(summary, crawl.lines, {}), "well"));
    crawl.add("http://h/k", Outcome::error, {}, Standing::known);
    CHECK(says(crawl.sums(), "no link is newly dead"));
    crawl.add_fragment("http://h/", "a");
    CHECK_FALSE(says(crawl.sums(), "well"));
}

TEST_CASE("the page tells when, and with which options, it was made") {
    const std::string sums = Reported{}.sums({.settings = "--exclude '<b>'"});
    CHECK(says(sums, " UTC, after 1.50 s. Options: <code>--exclude "
                     "&#39;&#60;b&#62;&#39;</code>"));
    CHECK_FALSE(says(Reported{}.sums(), "Options"));
}

TEST_CASE("the host that most URLs share is said once") {
    Reported crawl;
    crawl.add("http://h/", Outcome::page);
    crawl.add("http://h/d", Outcome::error, {"http://h/", "http://i/"});
    crawl.add("http://i/d", Outcome::error);
    CHECK(says(crawl.sums(), "URLs that begin with / are on http://h.<"));
    const std::string text = crawl.tables();
    CHECK(says(text, "<a href=\"http://h/d\" rel=\"noreferrer noopener\">/d</a>"));
    CHECK(says(text, "<li><a href=\"http://i/\" rel=\"noreferrer noopener\">http://i/<"));
    CHECK(says(text, ">http://i/d</a>"));
    crawl.add("http://j/", Outcome::page);
    crawl.add("http://k/", Outcome::page);
    CHECK_FALSE(says(crawl.sums(), "begin with"));
    CHECK(says(crawl.data(), R"({"origin":"",)"));
}

TEST_CASE(
    "without a script, all that is wrong is listed, up to what a browser can show") {
    Reported crawl;
    crawl.add("http://h/u", Outcome::unclear);
    std::vector<std::string> pages;
    for (int i = 0; i < 60; ++i)
        pages.push_back(fmt::format("http://h/p/{}", i));
    crawl.add("http://h/nav", Outcome::error, pages);
    for (int i = 0; i < 600; ++i)
        crawl.add(fmt::format("http://h/d/{}", i), Outcome::error);
    for (int i = 0; i < 70; ++i)
        crawl.add_fragment("http://h/f", fmt::format("L{}", i));
    const std::string text = crawl.tables();
    CHECK(says(text, "<h2>Dead: 601</h2>"));
    CHECK(says(text, "<p>And 101 more.</p>"));
    CHECK(says(text, "<h2>Unclear: 1</h2>"));
    CHECK(says(text, "<h2>Missing fragments: 70</h2>"));
    CHECK(says(text, "<p>And 20 more fragments of <a href=\"http://h/f\""));
    CHECK(says(text, "#L49<"));
    CHECK_FALSE(says(text, "#L50<"));
    Reported nav;
    nav.add("http://h/nav", Outcome::error, pages);
    CHECK(says(nav.tables(), "<li>and 10 more places</li>"));
}
