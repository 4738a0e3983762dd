#include "exercise.h"
#include "tests/support/prelude.h"
#include "tests/support/url.h"

using common::LinkRole;
using stage3::Outcome;
using stage3::Record;
using stage3::Standing;
using tests::url_of;

namespace {

constexpr std::string_view not_found = "HTTP status 404";

/// A crawl of http://h/, which the reader's format reports.
struct Crawl {
    stage3::KnownUrls urls = {};
    stage3::ReportLines lines = {};

    /// A record of a URL that these pages link to.
    void add(const std::string& url, const std::vector<std::string>& pages,
             std::string_view error = not_found, Outcome outcome = Outcome::error,
             Standing standing = Standing::counts) {
        for (const std::string& page : pages) {
            const auto number = urls.number_of(url_of(page));
            urls.meet(urls.number_of(url_of(url)), number);
        }
        Record record(url_of(url));
        record.outcome = outcome;
        record.error = error;
        lines.emplace_back(record, standing);
    }
    /// A place that `url` lacks. So many more pages point to it.
    void add_place(const std::string& url, const std::string& place,
                   const std::string& page, std::size_t more = 0) {
        Record record(url_of(url));
        record.outcome = Outcome::error;
        record.error = "no such place";
        record.fragment = place;
        record.mentions = {{.page = url_of(page), .place = {}}};
        record.more_mentions = more;
        lines.emplace_back(record);
    }

    void check(std::string_view expected, const std::string& advice) const {
        using namespace std::chrono_literals;
        const std::unique_ptr<stage3::Format> format = stage3::make_by_page({});
        const stage3::ReportLines none;
        std::string text = format->begin();
        const bool keeps = format->keeps_records();
        text +=
            format->end({.urls = urls, .left_out = {}, .time = 1s}, keeps ? lines : none);
        const bool right = text == expected;
        CHECK_MESSAGE(right, (keeps || expected.empty()
                                  ? advice
                                  : "the program keeps no records unless a format asks "
                                    "for them: override keeps_records.")
                                 << "\nThe report should be:\n"
                                 << std::string(expected) << "but it is:\n"
                                 << text);
    }
};

} // namespace

TEST_CASE("what is dead is listed under its page") {
    Crawl crawl;
    crawl.add("http://h/a", {"http://h/"}, "", Outcome::page);
    crawl.add("http://h/gone", {"http://h/a"});
    crawl.check("http://h/a\n  http://h/gone (HTTP status 404)\n",
                "a page's URL has a line, and what is dead on it follows, indented.");
}

TEST_CASE("pages are sorted, and each is named once") {
    Crawl crawl;
    crawl.add("http://h/1", {"http://h/b", "http://h/a"});
    crawl.add("http://h/2", {"http://h/c", "http://h/b"});
    crawl.check("http://h/a\n  http://h/1 (HTTP status 404)\n"
                "http://h/b\n  http://h/1 (HTTP status 404)\n"
                "  http://h/2 (HTTP status 404)\n"
                "http://h/c\n  http://h/2 (HTTP status 404)\n",
                "all that is dead on a page belongs under its one heading, and the "
                "headings are in the order of their URLs.");
}

TEST_CASE("only what counts as dead is in it") {
    Crawl crawl;
    crawl.add("http://h/known", {"http://h/a"}, not_found, Outcome::error,
              Standing::known);
    crawl.add("http://h/ignored", {"http://h/a"}, not_found, Outcome::error,
              Standing::ignored);
    crawl.check("", "what is in the baseline, or ignored, isn't to be mended.");

    Crawl unclear;
    unclear.add("http://i/busy", {"http://h/a"}, "HTTP status 429", Outcome::unclear);
    unclear.check("", "a URL that is unclear may well be alive.");
}

TEST_CASE("the reader sees how a page refers to what is dead") {
    Crawl crawl;
    crawl.add("http://h/lost.png", {"http://h/a"});
    crawl.urls[url_of("http://h/lost.png")].role = LinkRole::image;
    crawl.check("http://h/a\n  http://h/lost.png (img: HTTP status 404)\n",
                "an editor who looks for a link will not find a picture.");
}

TEST_CASE("a place that a page lacks is on the pages that point to it") {
    Crawl crawl;
    crawl.add("http://h/b", {"http://h/", "http://h/a"}, "", Outcome::page);
    crawl.add_place("http://h/b", "x", "http://h/a");
    crawl.check("http://h/a\n  http://h/b#x (no such place)\n",
                "a place has its own list of pages, and its address ends in a fragment. "
                "The URL without the fragment is that of a page that is alive.");
}

TEST_CASE("what no page links to comes first") {
    Crawl crawl;
    crawl.add("http://h/gone", {"http://h/a"});
    crawl.add("http://h/old", {});
    crawl.check("(no page)\n  http://h/old (HTTP status 404)\n"
                "http://h/a\n  http://h/gone (HTTP status 404)\n",
                "a dead URL is lost if no page links to it, such as one of those where "
                "the crawl began.");
}

TEST_CASE("the last lines count the pages that aren't noted") {
    Crawl crawl;
    crawl.add("http://h/b", {"http://h/"}, "", Outcome::page);
    crawl.add_place("http://h/b", "x", "http://h/a", 3);
    crawl.add_place("http://h/b", "y", "http://h/a", 1);
    crawl.check("http://h/a\n  http://h/b#x (no such place)\n"
                "  http://h/b#y (no such place)\n"
                "http://h/b#x is on 3 more pages\nhttp://h/b#y is on 1 more page\n",
                "the crawl may have noted only some of the pages: once these are mended, "
                "everything seems done.");
}

TEST_CASE("a server can't write a line of the report") {
    Crawl crawl;
    crawl.add("http://h/gone", {"http://h/a"}, "HTTP status 500 \nhttp://h/b\n  x");
    crawl.check("http://h/a\n  http://h/gone (HTTP status 500 \\x0ahttp://h/b\\x0a  x)\n",
                "the error has a line end that the server sent: the report must not "
                "contain it as it is.");
}
