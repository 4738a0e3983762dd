// What a person at a terminal gets to read.
#include "stage3_queue_crawler/program/formats/problem_report.h"
#include "tests/stage3/program/folder.h"
#include "tests/support/prelude.h"
#include "tests/support/url.h"

using namespace stage3;
using tests::url_of;

namespace {

/// A crawl that began at http://h/.
struct Findings {
    KnownUrls urls;
    ReportLines lines;
    KnownUrls::Number root = urls.number_of(url_of("http://h/"));

    ReportLine& add(const std::string& url, Outcome outcome,
                    const std::string& error = "", Standing standing = Standing::counts) {
        Record record(url_of(url));
        record.outcome = outcome;
        record.error = error;
        return lines.emplace_back(record, standing);
    }
    void add_fragment(const std::string& url, const std::string& fragment,
                      const std::string& on = "http://h/",
                      Outcome outcome = Outcome::error) {
        Record record(url_of(url));
        record.outcome = outcome;
        record.error = "no element has this id";
        record.fragment = fragment;
        record.mentions = {{.page = url_of(on), .place = {}}};
        lines.emplace_back(record);
    }
    void link(const std::string& page, const std::string& to) {
        urls.meet(urls.number_of(url_of(to)), urls.number_of(url_of(page)));
    }
    /// The last link again, with its place.
    void place(const std::string& to, std::uint32_t line) {
        common::PlacesOnPage places;
        places.text = "x.htmlHere";
        places.list = {{.target = 0,
                        .line = line,
                        .column = 7,
                        .begin = 0,
                        .href_size = 6,
                        .text_size = 4,
                        .role = common::LinkRole::hyperlink}};
        urls.add_place(urls.number_of(url_of(to)), places, places.list[0]);
    }
    void redirect(const std::string& from, const std::string& to) {
        const auto number = urls.number_of(url_of(from));
        urls[number].is_redirect = true;
        urls.redirect(urls.number_of(url_of(to)), number);
        urls[url_of(to)].parent = number;
        add(from, Outcome::redirect);
    }
    std::string report(const ReportOptions& options = {.show = Show::urls}) {
        std::ranges::sort(lines, std::less());
        return problem_report(lines, {.urls = urls, .left_out = {}, .time = 1500ms},
                              options);
    }
};

} // namespace

TEST_CASE("a report for a person has only what is wrong, and the sum last") {
    Findings found;
    found.add("http://h/", Outcome::page);
    found.add("http://h/a", Outcome::page);
    found.link("http://h/", "http://h/x");
    found.add("http://h/x", Outcome::error, "HTTP status 404");
    found.link("http://h/a", "http://i/");
    found.add("http://i/", Outcome::unclear, "HTTP status 403");
    found.add("http://h/k", Outcome::error, "HTTP status 404", Standing::known);
    found.add("http://h/r", Outcome::disallowed);
    CHECK(found.report() == R"(Dead:
  http://h/x
    HTTP status 404
    on http://h/

Unclear:
  http://i/
    HTTP status 403
    on http://h/a

1 dead, 1 known, 1 unclear; 2 fetched, 0 redirects, 1 disallowed, in 1.50 s
)");
}

TEST_CASE("if all is well, that's one line") {
    Findings found;
    found.add("http://h/", Outcome::page);
    CHECK(found.report() == "0 dead; 1 fetched, 0 redirects, in 1.50 s\n");
    CHECK(found.report({.show = Show::urls, .has_colours = true})
          == "\x1b[32m0 dead; 1 fetched, 0 redirects, in 1.50 s\x1b[0m\n");
}

TEST_CASE("of many pages, the first ones are named, and the others counted") {
    Findings found;
    for (int i = 0; i < 9; ++i)
        found.link("http://h/" + std::to_string(i), "http://h/x");
    found.add("http://h/x", Outcome::error, "HTTP status 404");
    CHECK(found.report().starts_with("Dead:\n  http://h/x\n    HTTP status 404\n"
                                     "    on http://h/0\n    on http://h/1\n"
                                     "    on http://h/2\n    and on 6 more\n"));
}

TEST_CASE("a crawl that is shared says that it keeps ten pages") {
    Findings found;
    found.add_fragment("http://h/a", "x");
    const auto report = [&found](bool is_shared) {
        return found.report({.is_shared = is_shared, .show = Show::urls});
    };
    CHECK(report(true).find("keeps ten") == std::string::npos); // it has kept all
    Record record(url_of("http://h/b"));
    record.outcome = Outcome::error;
    record.error = "no element has this id";
    record.fragment = "y";
    record.more_mentions = 3;
    found.lines.emplace_back(record);
    CHECK(report(true).find("(A crawl that is shared keeps ten pages of each URL.)\n\n0 "
                            "dead, 2 missing")
          != std::string::npos);
    CHECK(report(false).find("keeps ten") == std::string::npos);
}

TEST_CASE("the page to mend is the one that links to the first redirect") {
    Findings found;
    found.link("http://h/a", "http://h/r");
    found.place("http://h/r", 3);
    found.link("http://h/b", "http://h/s");
    found.redirect("http://h/r", "http://h/s");
    found.redirect("http://h/s", "http://h/x");
    found.link("http://h/c", "http://h/x");
    found.add("http://h/x", Outcome::error, "HTTP status 404");
    CHECK(found.report().starts_with("Dead:\n  http://h/x\n    HTTP status 404\n"
                                     "    on http://h/b, through http://h/s\n"
                                     "    on http://h/a, line 3, column 7, a=\"x.html\", "
                                     "\"Here\", through http://h/r, "
                                     "http://h/s\n    on http://h/c\n"));
    const std::string by_page = found.report({.show = Show::pages});
    CHECK(by_page.starts_with(
        "http://h/a\n  line 3, column 7, a=\"x.html\", \"Here\":\n"
        "    http://h/x (HTTP status 404, through http://h/r, http://h/s)\n\n"
        "http://h/b\n  http://h/x (HTTP status 404, through http://h/s)\n\n"
        "http://h/c\n  http://h/x (HTTP status 404)\n\n1 dead;"));
}

TEST_CASE("a chain of very many redirects is followed back for as many as browsers do") {
    Findings found;
    for (int i = 0; i < 200'000; ++i) // with each a call, the stack would be too small
        found.redirect(fmt::format("http://h/{}", i), fmt::format("http://h/{}", i + 1));
    found.add("http://h/200000", Outcome::error, "HTTP status 404");
    const MentionsOfUrl all = mentions_of(url_of("http://h/200000"), found.urls);
    REQUIRE(all.list.size() == 1);
    CHECK(all.list[0].page == "http://h/199979");
    CHECK(all.list[0].through.size() == 20);
}

TEST_CASE("a page with very many places is named, and the rest are counted") {
    Findings found;
    found.link("http://h/a", "http://h/x");
    for (std::uint32_t line = 1; line <= 9; ++line)
        found.place("http://h/x", line);
    found.link("http://h/b", "http://h/x");
    found.add("http://h/x", Outcome::error, "HTTP status 404");
    CHECK(found.report().find("\n    and in 4 more places\n") != std::string::npos);
}

TEST_CASE("redirects that lead in a circle end") {
    Findings found;
    found.link("http://h/a", "http://h/r");
    found.redirect("http://h/r", "http://h/s");
    found.redirect("http://h/s", "http://h/r");
    found.lines.clear();
    found.add("http://h/s", Outcome::failed, "redirect loop");
    found.urls[url_of("http://h/s")].is_redirect = false;
    CHECK(found.report().find("    on http://h/a, through http://h/r\n")
          != std::string::npos);
}

TEST_CASE("a page with several places has a line for each, in their order") {
    Findings found;
    found.link("http://h/a", "http://h/x");
    found.place("http://h/x", 9);
    found.place("http://h/x", 3);
    found.add("http://h/x", Outcome::error, "HTTP status 404");
    const std::string by_page = found.report({.show = Show::pages});
    const auto third = by_page.find("  line 3,");
    CHECK(third != std::string::npos);
    CHECK(by_page.find("  line 9,") > third);
    CHECK(by_page.find("  line 9,") != std::string::npos);
}

TEST_CASE("missing fragments are apart, and thousands of one page are one line") {
    Findings found;
    found.add_fragment("http://h/a", "x");
    for (int i = 0; i < 60; ++i)
        found.add_fragment("http://h/b", fmt::format("y{:02}", i));
    found.add_fragment("http://h/c", "z");
    const std::string by_url = found.report();
    CHECK(by_url.starts_with("Missing fragments:\n  http://h/a#x\n"));
    CHECK(
        by_url.find("  http://h/b: 60 missing fragments, such as #y00 and #y59 (made by "
                    "scripts?)\n  http://h/c#z\n")
        != std::string::npos);
    CHECK(by_url.ends_with("0 dead, 62 missing fragments; 0 fetched, 0 redirects, in "
                           "1.50 s\n"));
    const std::string by_page = found.report({.show = Show::pages});
    CHECK(by_page.starts_with("http://h/\n  http://h/a#x (no element has this id)\n"
                              "  http://h/b: 60 missing fragments, such as #y00 (made by "
                              "scripts?)\n  http://h/c#z (no element has this id)\n\n"));
}

TEST_CASE("unclear fragments are among what is unclear, and many are one line") {
    Findings found;
    found.add_fragment("http://h/a", "x", "http://h/", Outcome::unclear);
    for (int i = 0; i < 60; ++i)
        found.add_fragment("http://h/b", fmt::format("y{:02}", i), "http://h/",
                           Outcome::unclear);
    CHECK(found.report()
          == "Unclear:\n  http://h/a#x\n    no element has this id\n    on http://h/\n"
             "  http://h/b: 60 missing fragments, such as #y00 and #y59 (made by "
             "scripts?)\n\n"
             "0 dead, 61 unclear; 0 fetched, 0 redirects, in 1.50 s\n");
}

TEST_CASE("lines are broken between words where the terminal ends") {
    Findings found;
    found.link("http://h/a/rather/long/path", "http://h/x");
    found.place("http://h/x", 3);
    found.add("http://h/x", Outcome::error, "a reason of a few words");
    std::string report = found.report({.show = Show::urls, .columns = 40});
    CHECK(report.find("    on http://h/a/rather/long/path, line\n"
                      "      3, column 7, a=\"x.html\", \"Here\"\n")
          != std::string::npos);
    report = found.report({.show = Show::urls, .has_colours = true, .columns = 10});
    CHECK(report.find("\x1b[31mhttp://h/x\x1b[0m") != std::string::npos);
}

TEST_CASE("what a server sends can't colour a terminal, and letters stay letters") {
    Findings found;
    found.add("http://h/x", Outcome::error, "\x1b[2J");
    found.add_fragment("http://h/y", "caf\xc3\xa9");
    // NOLINTNEXTLINE(misc-misleading-bidirectional): this is what the test is about
    found.add_fragment("http://h/y", "\x1b[31m\xe2\x80\xae");
    const std::string report = found.report();
    CHECK(report.find('\x1b') == std::string::npos);
    CHECK(report.find("\\x1b[2J") != std::string::npos);
    CHECK(report.find("http://h/y#caf\xc3\xa9\n") != std::string::npos);
    // NOLINTNEXTLINE(misc-misleading-bidirectional)
    CHECK(report.find("\xe2\x80\xae") == std::string::npos);
}

TEST_CASE("a source says which file a page is") {
    const tests::Folder here;
    std::filesystem::create_directories("public/docs/clean");
    for (const char* const file : {"public/index.html", "public/docs/a b.html",
                                   "public/docs/clean/index.html", "secret.html"})
        tests::Folder::write(file, "");
    const Sources sources{read_source("https://e.org=./public/"),
                          read_source("https://e.org/docs/=public/docs")};
    CHECK(file_of("https://e.org/", sources) == "public/index.html");
    CHECK(file_of("https://e.org/?q", sources) == "public/index.html");
    CHECK(file_of("https://e.org/docs/a%20b.html", sources) == "public/docs/a b.html");
    CHECK(file_of("https://e.org/docs/a%20b", sources) == "public/docs/a b.html");
    CHECK(file_of("https://e.org/docs/clean/", sources)
          == "public/docs/clean/index.html");
    CHECK(file_of("https://e.org/docs/clean", sources) == "public/docs/clean/index.html");
    for (const char* const other :
         {"https://e.org/none", "https://other/", "https://e.org/docs/..%2f..%2fsecret",
          "https://e.org/%2e%2e/secret.html", "https://e.org//secret.html",
          "https://e.org/docs/%00"})
        CHECK_FALSE(file_of(other, sources));
    CHECK(file_of("http://h/index.html", {read_source("http://h/=public")})
          == "public/index.html");
    for (const char* const wrong : {"", "public", "https://e.org/", "ftp://e.org/=public",
                                    "https://e.org/?q=public", "https://e.org/=nowhere"})
        CHECK_THROWS_AS(read_source(wrong), std::invalid_argument);
}
