// Which redirects a site's author should mend, and where.
#include "stage3_queue_crawler/program/formats/formats.h"
#include "stage3_queue_crawler/program/formats/redirects_to_mend.h"
#include "tests/support/prelude.h"
#include "tests/support/url.h"

using namespace stage3;
using tests::url_of;

namespace {

/// A redirect, as in "http://h/" + `from`. With an error, it's the last hop of a circle,
/// or beyond the limit.
struct Hop {
    std::string from;
    int status;
    std::string to;
    std::string error = {};
};

/// A crawl of http://h/, whose records reach a format.
struct Site {
    explicit Site(stage3::MakeFormat make, bool wanted = true)
        : format(make({.top = 0, .redirects = wanted})) {}

    static std::string whole(const std::string& url) {
        return url.find(':') == std::string::npos ? "http://h/" + url : url;
    }
    void link(const std::string& page, const std::string& to) {
        urls.meet(urls.number_of(url_of(whole(to))), urls.number_of(url_of(whole(page))));
    }
    void redirect(const Hop& hop) {
        const std::string to = whole(hop.to);
        const auto parent = urls.number_of(url_of(whole(hop.from)));
        if (KnownUrl& target = urls[url_of(to)]; target.is_new())
            target.parent = parent;
        write(hop.from, hop.error.empty() ? Outcome::redirect : Outcome::failed,
              hop.status, hop.error, to);
    }
    void write(const std::string& url, Outcome outcome, int status,
               const std::string& error = "", const std::string& next = "") {
        Record record(url_of(whole(url)));
        record.outcome = outcome;
        record.status = status;
        record.error = error;
        record.next_url = next;
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

/// What the report says of a crawl with these links (each with its page), redirects, and
/// pages.
std::string to_mend(const std::vector<std::pair<std::string, std::string>>& links,
                    const std::vector<Hop>& hops,
                    const std::vector<std::string>& pages = {}) {
    Site site(stage3::make_text);
    for (const auto& [page, to] : links)
        site.link(page, to);
    for (const Hop& hop : hops)
        site.redirect(hop);
    for (const std::string& page : pages)
        site.write(page, Outcome::page, 200);
    const std::string ending = site.ending();
    const std::string title = "Redirects to mend:\n";
    return ending.starts_with(title) ? ending.substr(title.size()) : ending;
}

} // namespace

TEST_CASE("a permanent redirect is one to mend, with the pages that link to it") {
    CHECK(to_mend({{"", "old"}, {"p", "old"}, {"", "login"}, {"", "docs"}},
                  {{"old", 301, "new"}, {"login", 302, "form"}, {"docs", 308, "docs/"}},
                  {"new", "docs/"})
          == "  http://h/docs -> http://h/docs/ (308)\n"
             "    on http://h/\n"
             "  http://h/old -> http://h/new (301)\n"
             "    on http://h/\n"
             "    on http://h/p\n");
    CHECK(to_mend({}, {{"", 301, "https://h/"}}, {"https://h/"})
          == "  http://h/ -> https://h/ (301)\n"
             "    where the crawl began\n");
}

TEST_CASE("a chain of redirects is one to mend, whatever their statuses, and its hops "
          "are listed again only if pages link to them") {
    CHECK(to_mend({{"", "a"}},
                  {{"a", 302, "b"}, {"b", 308, "c"}, {"c", 307, "http://other/\x1b"}})
          == "  http://h/a -> http://h/b -> http://h/c -> http://other/\\x1b (302, then "
             "308, then 307; its end was not fetched)\n"
             "    on http://h/\n");
    CHECK(to_mend({{"", "a"}, {"p", "b"}}, {{"b", 301, "c"}, {"a", 302, "b"}}, {"c"})
          == "  http://h/a -> http://h/b -> http://h/c (302, then 301)\n"
             "    on http://h/\n"
             "  http://h/b -> http://h/c (301)\n"
             "    on http://h/p\n");
}

TEST_CASE("the report says that there is no redirect to mend only if asked") {
    CHECK(to_mend({}, {{"", 302, "a"}}) == "Redirects to mend: none\n");
    for (auto* const make : {stage3::make_text, stage3::make_jsonl}) {
        Site not_asked(make, false);
        not_asked.redirect({"", 301, "a"});
        CHECK(not_asked.ending().find("mend") == std::string::npos);
    }
}

TEST_CASE("a redirect to mend that ends in a circle is no advice to link there") {
    CHECK(to_mend({{"", "a"}, {"", "self"}}, {{"a", 301, "b"},
                                              {"b", 301, "a", "redirect loop"},
                                              {"self", 301, "self", "redirect loop"}})
          == "  http://h/a -> http://h/b -> http://h/a (301, then 301; ends in a "
             "redirect loop)\n"
             "    on http://h/\n"
             "  http://h/self -> http://h/self (301; ends in a redirect loop)\n"
             "    on http://h/\n");
    // It ends even if the redirect limit hid the circle.
    CHECK(to_mend({{"", "a"}}, {{"a", 302, "a", "redirect limit reached"}})
              .find("ends in a redirect loop")
          != std::string::npos);
}

TEST_CASE("a redirect to mend says if its end is dead or was not fetched") {
    Site site(stage3::make_text);
    for (const char* const link : {"1", "2", "3"})
        site.link("", link);
    site.redirect({"1", 301, "gone"});
    site.write("gone", Outcome::error, 404, "HTTP status 404");
    site.redirect({"2", 301, "beyond-max-pages"});
    site.redirect({"3", 302, "4"});
    site.redirect({"4", 302, "5", "redirect limit reached"});
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

TEST_CASE("as JSON, redirects to mend are the last lines, after a line for each URL") {
    Site site(stage3::make_jsonl);
    for (int i = 0; i < 12; ++i)
        site.link(std::to_string(i), "a");
    site.redirect({"b", 302, "http://i/?\""});
    site.redirect({"a", 301, "b"});
    CHECK(site.out.find("mend") == std::string::npos);
    const std::string ending = site.ending();
    CHECK(ending.starts_with(
        R"({"redirect_to_mend": "http://h/a", "leads_to": ["http://h/b", "http://i/?\""], )"
        R"("statuses": [301, 302], "ends": "not fetched", "linked_on": ["http://h/0", "http://h/1", )"));
    CHECK(ending.ends_with("\"http://h/11\"], \"times_linked\": 12}\n"));
}

TEST_CASE("only redirects to mend are taken for dead, each once, with where it ends") {
    Site site(stage3::make_jsonl);
    for (const char* const link : {"old", "login", "chain", "loop", "known"})
        site.link("", link);
    site.redirect({"old", 301, "gone"});
    site.write("gone", Outcome::error, 404, "HTTP status 404");
    site.redirect({"login", 302, "form"});
    site.redirect({"chain", 302, "hop"});
    site.redirect({"hop", 301, "form"});                   // no page links to it
    site.redirect({"loop", 301, "loop", "redirect loop"}); // dead anyway
    site.redirect({"known", 308, "http://other/\x1b"});
    site.write("form", Outcome::page, 200);
    std::ranges::sort(site.lines, std::less());
    Baseline baseline;
    baseline.read("http://h/known");
    CHECK(take_for_dead(site.lines, site.urls, baseline) == 3);
    std::string dead;
    for (const ReportLine& line : site.lines)
        if (is_dead(line))
            dead += fmt::format("{}: {}{}\n", address(line), why(line),
                                counts_as_dead(line) ? "" : ", known");
    CHECK(dead
          == "http://h/chain: redirects to http://h/form (302, then 301)\n"
             "http://h/gone: HTTP status 404\n"
             "http://h/known: redirects to http://other/\\x1b (308; its end was not "
             "fetched), known\n"
             "http://h/loop: redirect loop\n"
             "http://h/old: redirects to http://h/gone (301; ends in HTTP status 404)\n");
    const Counts counts = count(site.lines);
    CHECK(counts.redirects == 2);
    CHECK(counts.dead == 4);
    CHECK(counts.known == 1);
}

TEST_CASE("as JSON, a redirect to mend that is taken for dead has its excuse, or none") {
    KnownUrls urls;
    RedirectToMend redirect{url_of("http://h/a"), {"http://h/b"}, {301}, ""};
    CHECK(to_json(redirect, urls).ends_with("\"times_linked\": 0}\n"));
    CHECK(to_json(redirect, urls, true).ends_with(", \"excuse\": null}\n"));
    redirect.standing = Standing::known;
    CHECK(to_json(redirect, urls, true).ends_with(", \"excuse\": \"known\"}\n"));
}

TEST_CASE("of a long chain, the first redirects are listed") {
    std::vector<Hop> hops;
    for (int i = 0; i < 30; ++i)
        hops.push_back({std::to_string(i), 302, std::to_string(i + 1)});
    const std::string text = to_mend({{"", "0"}}, hops);
    CHECK(text.find(" -> http://h/20 (302,") != std::string::npos);
    CHECK(text.find("http://h/21") == std::string::npos);
    CHECK(text.find("; ends in more redirects)") != std::string::npos);
}
