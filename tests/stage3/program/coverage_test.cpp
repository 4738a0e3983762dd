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

/// A crawl of some roots, of which the first ones were typed.
struct Rooted {
    explicit Rooted(std::vector<std::string> typed,
                    std::vector<std::string> listed = {}) {
        std::set<common::Url> searched;
        for (const std::string& url : typed)
            roots.push_back(*searched.insert(url_of(url)).first);
        for (const std::string& url : listed)
            roots.push_back(url_of(url));
        coverage = Coverage(searched);
    }

    Rooted& say(const std::string& url, Outcome outcome, const std::string& next = "",
                int status = 200) {
        Record record(url_of(url));
        record.outcome = outcome;
        record.status = status;
        record.next_url = next;
        record.content_type = "application/zip";
        record.error = outcome == Outcome::disallowed ? "disallowed by robots.txt" : "";
        if (const bool is_root = std::ranges::find(roots, record.url) != roots.end();
            !is_root)
            record.parent = roots.front();
        coverage.record(record);
        return *this;
    }
    std::string why() const {
        std::vector<stage3::Pattern> excluded;
        excluded.emplace_back("/excluded");
        const Scope scope(Reach::host, roots, std::move(excluded));
        return coverage.why_nothing(roots, &scope);
    }

    std::vector<common::Url> roots;
    Coverage coverage{{}};
};

} // namespace

TEST_CASE("a page, or something dead, is a result") {
    CHECK(Rooted({"http://h/"}).say("http://h/", Outcome::page).why().empty());
    CHECK(Rooted({"http://h/"}).say("http://h/", Outcome::error).why().empty());
    CHECK(Rooted({"http://h/"}).say("http://h/", Outcome::failed).why().empty());
    CHECK(Rooted({"http://h/a", "http://h/b"})
              .say("http://h/a", Outcome::redirect, "http://g/")
              .say("http://h/b", Outcome::page)
              .why()
              .empty());
}

TEST_CASE("a root that leads out of the crawl is none, and its user hears what to type") {
    CHECK(Rooted({"http://h/"}).say("http://h/", Outcome::redirect, "http://g/").why()
          == "http://h/ redirects to http://g/, which is out of scope: crawl http://g/ "
             "instead");
    CHECK(Rooted({"http://h/"})
              .say("http://h/", Outcome::redirect, "http://h/2")
              .say("http://h/2", Outcome::redirect, "http://g/")
              .why()
          == "http://h/ redirects to http://g/, which is out of scope: crawl http://g/ "
             "instead");
    // A page that only leads away (its meta refresh) is no better.
    CHECK(Rooted({"http://h/"})
              .say("http://h/", Outcome::redirect, "http://h/2")
              .say("http://h/2", Outcome::page, "http://g/")
              .why()
          == "http://h/ redirects to http://g/, which is out of scope: crawl http://g/ "
             "instead");
    CHECK(Rooted({}, {"http://h/"})
              .say("http://h/", Outcome::page, "http://g/")
              .why()
              .empty());
    CHECK(
        Rooted({"http://h/"}).say("http://h/", Outcome::redirect, "mailto:\xffg").why()
        == "http://h/ redirects to mailto:\\xffg, which is no web page: give the URL of "
           "one");
    CHECK(
        Rooted({"http://h/"})
            .say("http://h/", Outcome::redirect, "http://h/excluded")
            .why()
        == "http://h/ redirects to http://h/excluded, which is excluded (see --exclude)");
    CHECK(Rooted({"http://h/", "http://h/"})
              .say("http://h/", Outcome::redirect, "http://h/2")
              .why()
          == "http://h/ redirects to http://h/2, which is not included (see --include)");
    CHECK(Rooted({"http://h/excluded"}).why()
          == "http://h/excluded is excluded (see --exclude)");
    // Its target was checked, as --external asks for, but that isn't a crawl of it.
    CHECK(Rooted({"http://h/"})
              .say("http://h/", Outcome::redirect, "http://g/")
              .say("http://g/", Outcome::file)
              .why()
          == "http://h/ redirects to http://g/, which is out of scope: crawl http://g/ "
             "instead");
    CHECK(
        Rooted({"http://h/a", "http://h/b", "http://h/c"})
            .say("http://h/b", Outcome::redirect, "http://g/b")
            .say("http://h/a", Outcome::redirect, "http://g/a")
            .say("http://h/c", Outcome::redirect, "http://g/c")
            .why()
        == "http://h/a redirects to http://g/a, which is out of scope: crawl http://g/a "
           "instead (2 other URLs came to nothing, too)");
}

TEST_CASE("a root that may not be fetched, or holds no links, is none") {
    CHECK(Rooted({"http://h/"}).say("http://h/", Outcome::disallowed).why()
          == "http://h/ is forbidden (disallowed by robots.txt): if the site is yours, "
             "--no-robots ignores its robots.txt");
    CHECK(Rooted({"http://h/z"}).say("http://h/z", Outcome::file).why()
          == "http://h/z is application/zip" + no_page);
    CHECK(Rooted({"http://h/"})
              .say("http://h/", Outcome::redirect, "http://h/z")
              .say("http://h/z", Outcome::file)
              .why()
          == "http://h/ redirects to http://h/z, which is application/zip" + no_page);
    CHECK(Rooted({"http://h/"}).say("http://h/", Outcome::file, "", 204).why()
          == "http://h/ answers with status 204, and no page to search for links");
}

TEST_CASE("a list may name files, and what a style sheet mentions is checked, too") {
    CHECK(Rooted({}, {"http://h/z"}).say("http://h/z", Outcome::file).why().empty());
    CHECK(Rooted({}, {"http://h/a"})
              .say("http://h/a", Outcome::redirect, "http://h/z")
              .say("http://h/z", Outcome::file)
              .why()
              .empty());
    CHECK(Rooted({"http://h/a"}, {"http://h/z"})
              .say("http://h/a", Outcome::redirect, "http://g/")
              .say("http://h/z", Outcome::file)
              .why()
              .empty());
    CHECK(Rooted({"http://h/a.css"})
              .say("http://h/a.css", Outcome::file)
              .say("http://h/b.png", Outcome::file)
              .why()
              .empty());
    CHECK_FALSE(Rooted({}, {"http://h/a"})
                    .say("http://h/a", Outcome::redirect, "http://g/")
                    .why()
                    .empty());
}

TEST_CASE("redirects in a circle don't keep anyone from learning that") {
    CHECK_FALSE(Rooted({"http://h/a"})
                    .say("http://h/a", Outcome::redirect, "http://h/b")
                    .say("http://h/b", Outcome::redirect, "http://h/a")
                    .why()
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
