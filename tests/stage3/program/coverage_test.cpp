// When is a crawl a success? Not if it has checked nothing, and not if something is dead.
#include "stage3_queue_crawler/program/coverage.h"
#include "stage3_queue_crawler/program/exit_status.h"
#include "tests/support/prelude.h"
#include "tests/support/url.h"

using namespace stage3;
using tests::url_of;

namespace {

const std::string no_page = ", and such files aren't searched for links: give the URL of "
                            "a page, or, to check just this one, a list (--urls-from)";

/// What became of a URL.
struct Said {
    std::string url;
    Outcome outcome = Outcome::page;
    std::string next = {};
    int status = 200;
};

/// Why a crawl of these roots, of which the first ones were typed, is none.
std::string why_none(const std::vector<std::string>& typed,
                     const std::vector<std::string>& listed,
                     const std::vector<Said>& records) {
    std::vector<common::Url> roots;
    std::set<common::Url> searched;
    for (const std::string& url : typed)
        roots.push_back(*searched.insert(url_of(url)).first);
    for (const std::string& url : listed)
        roots.push_back(url_of(url));
    Coverage coverage(searched.size());
    bool has_checked = false;
    for (const auto& [url, outcome, next, status] : records) {
        Record record(url_of(url));
        record.outcome = outcome;
        record.status = status;
        record.next_url = next;
        record.content_type = "application/zip";
        record.error = outcome == Outcome::disallowed ? "disallowed by robots.txt" : "";
        if (std::ranges::find(roots, record.url) == roots.end())
            record.parent = roots.front();
        has_checked = has_checked || coverage.has_checked_with(record);
    }
    std::vector<stage3::Pattern> excluded;
    excluded.emplace_back("/excluded");
    const Scope scope(Reach::host, roots, std::move(excluded));
    return coverage.why_nothing({.all = roots, .searched = searched}, &scope);
}
std::string why_none(const std::vector<std::string>& typed,
                     const std::vector<Said>& records) {
    return why_none(typed, {}, records);
}

const std::string away = "http://h/ redirects to http://g/, which is out of scope: crawl "
                         "http://g/ instead";

} // namespace

TEST_CASE("a page, or something dead, is a result") {
    for (const Outcome outcome : {Outcome::page, Outcome::error, Outcome::failed})
        CHECK(why_none({"http://h/"}, {{"http://h/", outcome}}).empty());
    CHECK(why_none({"http://h/a", "http://h/b"},
                   {{"http://h/a", Outcome::redirect, "http://g/"}, {"http://h/b"}})
              .empty());
}

TEST_CASE("a root that leads out of the crawl is none, and its user hears what to type") {
    const std::vector<std::string> root{"http://h/"};
    CHECK(why_none(root, {{"http://h/", Outcome::redirect, "http://g/"}}) == away);
    CHECK(why_none(root, {{"http://h/", Outcome::redirect, "http://h/2"},
                          {"http://h/2", Outcome::redirect, "http://g/"}})
          == away);
    // A page that only leads away (its meta refresh) is no better.
    CHECK(why_none(root, {{"http://h/", Outcome::redirect, "http://h/2"},
                          {"http://h/2", Outcome::page, "http://g/"}})
          == away);
    CHECK(why_none({}, root, {{"http://h/", Outcome::page, "http://g/"}}).empty());
    // Its target was checked, as --external asks for, but that isn't a crawl of it.
    CHECK(why_none(root, {{"http://h/", Outcome::redirect, "http://g/"},
                          {"http://g/", Outcome::file}})
          == away);
    for (const auto& [target, why] :
         {std::pair("mailto:\xffg",
                    "mailto:\\xffg, which is no web page: give the URL of "
                    "one"),
          {"http://h/excluded", "http://h/excluded, which is excluded (see --exclude)"},
          {"http://h/2", "http://h/2, which is not included (see --include)"}})
        CHECK(why_none({"http://h/", "http://h/"},
                       {{"http://h/", Outcome::redirect, target}})
              == std::string("http://h/ redirects to ") + why);
    CHECK(why_none({"http://h/excluded"}, {})
          == "http://h/excluded is excluded (see --exclude)");
    const std::string first = "http://h/a redirects to http://g/a, which is out of "
                              "scope: crawl http://g/a instead";
    CHECK(why_none({"http://h/a", "http://h/b"},
                   {{"http://h/b", Outcome::redirect, "http://g/b"},
                    {"http://h/a", Outcome::redirect, "http://g/a"}})
          == first + " (1 other URL came to nothing, too)");
    CHECK(why_none({"http://h/a", "http://h/b", "http://h/c"},
                   {{"http://h/a", Outcome::redirect, "http://g/a"}})
          == first + " (2 other URLs came to nothing, too)");
}

TEST_CASE("a root that may not be fetched, or holds no links, is none") {
    CHECK(why_none({"http://h/"}, {{"http://h/", Outcome::disallowed}})
          == "http://h/ is forbidden (disallowed by robots.txt): if the site is yours, "
             "--no-robots ignores its robots.txt");
    CHECK(why_none({"http://h/z"}, {{"http://h/z", Outcome::file}})
          == "http://h/z is application/zip" + no_page);
    CHECK(why_none({"http://h/"}, {{"http://h/", Outcome::redirect, "http://h/z"},
                                   {"http://h/z", Outcome::file}})
          == "http://h/ redirects to http://h/z, which is application/zip" + no_page);
    CHECK(why_none({"http://h/"}, {{"http://h/", Outcome::file, "", 204}})
          == "http://h/ answers with status 204, and no page to search for links");
}

TEST_CASE("a list may name files, and what a style sheet mentions is checked, too") {
    const std::vector<std::string> list{"http://h/z"};
    const Said file{"http://h/z", Outcome::file};
    CHECK(why_none({}, list, {file}).empty());
    CHECK(why_none({}, {"http://h/a"},
                   {{"http://h/a", Outcome::redirect, "http://h/z"}, file})
              .empty());
    CHECK(why_none({"http://h/a"}, list,
                   {{"http://h/a", Outcome::redirect, "http://g/"}, file})
              .empty());
    CHECK(why_none({"http://h/a.css"},
                   {{"http://h/a.css", Outcome::file}, {"http://h/b.png", Outcome::file}})
              .empty());
    CHECK_FALSE(
        why_none({}, {"http://h/a"}, {{"http://h/a", Outcome::redirect, "http://g/"}})
            .empty());
}

TEST_CASE("redirects in a circle don't keep anyone from learning that") {
    CHECK_FALSE(
        why_none({"http://h/a"}, {{"http://h/a", Outcome::redirect, "http://h/b"},
                                  {"http://h/b", Outcome::redirect, "http://h/a"}})
            .empty());
}

TEST_CASE("a dead URL is never hidden by a crawl that isn't complete") {
    using stage3::exit_status;
    CHECK(exit_status(Ending::complete, 0) == 0);
    CHECK(exit_status(Ending::complete, 1) == 1);
    CHECK(exit_status(Ending::complete, 0, true) == 3);
    CHECK(exit_status(Ending::complete, 1, true) == 1);
    for (const Ending early : {Ending::max_pages, Ending::timed_out, Ending::no_memory}) {
        CHECK(exit_status(early, 0) == 3);
        CHECK(exit_status(early, 2) == 1);
    }
}
