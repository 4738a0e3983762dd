// Which redirects a site's author should mend, and where.
#include "stage3_queue_crawler/program/formats/formats.h"
#include "tests/support/prelude.h"
#include "tests/support/url.h"

using namespace stage3;
using tests::url_of;

namespace {

/// A crawl of http://h/, whose records reach a format.
struct Site {
    explicit Site(stage3::MakeFormat make, bool wanted = true)
        : format(make({.top = 0, .redirects = wanted})) {}

    void link(const std::string& page, const std::string& to) {
        urls[url_of(to)].meet_on(urls.number_of(url_of(page)));
    }
    /// With an error, it's the last hop of a circle, or beyond the limit.
    void redirect(const std::string& from, int status, const std::string& to,
                  const std::string& error = "") {
        Record record(url_of(from));
        record.outcome = error.empty() ? Outcome::redirect : Outcome::failed;
        record.status = status;
        record.next_url = to;
        record.error = error;
        const auto parent = urls.number_of(record.url);
        if (KnownUrl& target = urls[url_of(to)]; target.is_new())
            target.parent = parent;
        write(record);
    }
    void page(const std::string& url) {
        Record record(url_of(url));
        record.outcome = Outcome::page;
        record.status = 200;
        write(record);
    }
    void dead(const std::string& url, const std::string& error) {
        Record record(url_of(url));
        record.outcome = Outcome::error;
        record.error = error;
        write(record);
    }
    void write(const Record& record) {
        out += format->record(record, stage3::Standing::counts);
        lines.emplace_back(record);
    }
    /// What is said of redirects to mend.
    std::string ending() {
        std::ranges::sort(lines, std::less());
        std::string text = format->end({urls, {}, 1s}, lines);
        const auto begin = text.find("Redirects to mend");
        const auto end = text.find("Done in");
        return begin == std::string::npos ? text : text.substr(begin, end - begin);
    }

    std::unique_ptr<stage3::Format> format;
    KnownUrls urls;
    stage3::ReportLines lines;
    std::string out;
};

} // namespace

TEST_CASE("a permanent redirect is one to mend, with the pages that link to it") {
    Site site(stage3::make_text);
    site.link("http://h/", "http://h/old");
    site.link("http://h/p", "http://h/old");
    site.link("http://h/", "http://h/login");
    site.redirect("http://h/old", 301, "http://h/new");
    site.redirect("http://h/login", 302, "http://h/form");
    site.link("http://h/", "http://h/docs");
    site.redirect("http://h/docs", 308, "http://h/docs/");
    site.page("http://h/new");
    site.page("http://h/docs/");
    CHECK(site.ending()
          == "Redirects to mend:\n"
             "  http://h/docs -> http://h/docs/ (308)\n"
             "    on http://h/\n"
             "  http://h/old -> http://h/new (301)\n"
             "    on http://h/\n"
             "    on http://h/p\n");
}

TEST_CASE("a chain of redirects is one to mend, whatever their statuses, and its hops "
          "aren't listed again") {
    Site site(stage3::make_text);
    site.link("http://h/", "http://h/a");
    site.redirect("http://h/a", 302, "http://h/b");
    site.redirect("http://h/b", 308, "http://h/c");
    site.redirect("http://h/c", 307, "http://other/\x1b");
    CHECK(site.ending()
          == "Redirects to mend:\n"
             "  http://h/a -> http://h/b -> http://h/c -> http://other/\\x1b (302, then "
             "308, then 307; its end was not fetched)\n"
             "    on http://h/\n");
}

TEST_CASE("a hop that pages link to, too, is listed by itself") {
    Site site(stage3::make_text);
    site.link("http://h/", "http://h/a");
    site.link("http://h/p", "http://h/b");
    site.redirect("http://h/b", 301, "http://h/c");
    site.redirect("http://h/a", 302, "http://h/b");
    site.page("http://h/c");
    CHECK(site.ending()
          == "Redirects to mend:\n"
             "  http://h/a -> http://h/b -> http://h/c (302, then 301)\n"
             "    on http://h/\n"
             "  http://h/b -> http://h/c (301)\n"
             "    on http://h/p\n");
}

TEST_CASE("a root that redirects permanently is one to mend") {
    Site site(stage3::make_text);
    site.redirect("http://h/", 301, "https://h/");
    site.page("https://h/");
    CHECK(site.ending()
          == "Redirects to mend:\n"
             "  http://h/ -> https://h/ (301)\n"
             "    where the crawl began\n");
}

TEST_CASE("the report says that there is no redirect to mend only if asked") {
    Site asked(stage3::make_text);
    asked.redirect("http://h/", 302, "http://h/a");
    CHECK(asked.ending() == "Redirects to mend: none\n");
    Site not_asked(stage3::make_text, false);
    not_asked.redirect("http://h/", 301, "http://h/a");
    CHECK(not_asked.ending().find("mend") == std::string::npos);
}

TEST_CASE("a redirect to mend that ends in a circle is no advice to link there") {
    Site site(stage3::make_text);
    site.link("http://h/", "http://h/a");
    site.link("http://h/", "http://h/self");
    site.redirect("http://h/a", 301, "http://h/b");
    site.redirect("http://h/b", 301, "http://h/a", "redirect loop");
    site.redirect("http://h/self", 301, "http://h/self", "redirect loop");
    CHECK(
        site.ending()
        == "Redirects to mend:\n"
           "  http://h/a -> http://h/b -> http://h/a (301, then 301; ends in a redirect "
           "loop)\n"
           "    on http://h/\n"
           "  http://h/self -> http://h/self (301; ends in a redirect loop)\n"
           "    on http://h/\n");
}

TEST_CASE("a redirect to mend says if its end is dead or was not fetched") {
    Site site(stage3::make_text);
    for (const char* const link : {"http://h/1", "http://h/2", "http://h/3"})
        site.link("http://h/", link);
    site.redirect("http://h/1", 301, "http://h/gone");
    site.dead("http://h/gone", "HTTP status 404");
    site.redirect("http://h/2", 301, "http://h/beyond-max-pages");
    site.redirect("http://h/3", 302, "http://h/4");
    site.redirect("http://h/4", 302, "http://h/5", "redirect limit reached");
    CHECK(site.ending()
          == "Redirects to mend:\n"
             "  http://h/1 -> http://h/gone (301; ends in HTTP status 404)\n"
             "    on http://h/\n"
             "  http://h/2 -> http://h/beyond-max-pages (301; its end was not fetched)\n"
             "    on http://h/\n"
             "  http://h/3 -> http://h/4 -> http://h/5 (302, then 302; its end was not "
             "fetched)\n"
             "    on http://h/\n");
}

TEST_CASE("redirects to mend end even if the redirect limit hid their circle") {
    Site site(stage3::make_text);
    site.link("http://h/", "http://h/a");
    site.redirect("http://h/a", 302, "http://h/a", "redirect limit reached");
    CHECK(site.ending().find("ends in a redirect loop") != std::string::npos);
}

TEST_CASE("as JSON, redirects to mend are the last lines, after a line for each URL") {
    Site site(stage3::make_jsonl);
    for (int i = 0; i < 12; ++i)
        site.link(fmt::format("http://h/{}", i), "http://h/a");
    site.redirect("http://h/b", 302, "http://i/?\"");
    site.redirect("http://h/a", 301, "http://h/b");
    CHECK(site.out.find("mend") == std::string::npos);
    const std::string ending = site.ending();
    CHECK(ending.starts_with(
        R"({"redirect_to_mend": "http://h/a", "leads_to": ["http://h/b", "http://i/?\""], )"
        R"("statuses": [301, 302], "ends": "not fetched", "linked_on": ["http://h/0", "http://h/1", )"));
    CHECK(ending.ends_with("\"http://h/11\"], \"times_linked\": 12}\n"));
    Site not_asked(stage3::make_jsonl, false);
    not_asked.redirect("http://h/a", 301, "http://h/b");
    CHECK(not_asked.ending().empty());
}

TEST_CASE("of a long chain, the first redirects are listed") {
    Site site(stage3::make_text);
    site.link("http://h/", "http://h/0");
    for (int i = 0; i < 30; ++i)
        site.redirect("http://h/" + std::to_string(i), 302,
                      "http://h/" + std::to_string(i + 1));
    const std::string text = site.ending();
    CHECK(text.find(" -> http://h/20 (302,") != std::string::npos);
    CHECK(text.find("http://h/21") == std::string::npos);
    CHECK(text.find("; ends in more redirects)") != std::string::npos);
}
