// URLs that are served somewhere else: what is asked, and what comes back.
#include "stage3_queue_crawler/http/url_mappings.h"
#include "tests/support/prelude.h"
#include "tests/support/url.h"

#include <initializer_list>
#include <tuple>

using stage3::UrlMappings;
using tests::url_of;

namespace {

/// "https://example.org" is a folder's; "/docs/" of it, and "http://other/", a server's.
UrlMappings mappings() {
    UrlMappings all;
    all.add({.from = url_of("https://example.org/docs/deep/"),
             .to = url_of("http://localhost:5/")});
    all.add({.from = url_of("https://example.org/"),
             .to = url_of("http://127.0.0.1:1/"),
             .is_folder = true});
    all.add({.from = url_of("https://example.org/docs/"),
             .to = url_of("http://localhost:2/site/")});
    all.add({.from = url_of("http://other:81/a/"), .to = url_of("http://localhost:3/")});
    all.add({.from = url_of("http://folder/b/"),
             .to = url_of("http://127.0.0.1:4/"),
             .is_folder = true});
    return all;
}

/// "ask URL", "redirect URL", "its own", or "as it is".
std::string way_of(const std::string& url) {
    const auto way = mappings().find(url_of(url));
    if (!way)
        return "as it is";
    if (way->to)
        return "ask " + std::string(way->to->href());
    return way->redirect_to ? "redirect " + std::string(way->redirect_to->href())
                            : "its own";
}

std::string renamed(const std::string& text) {
    common::Url url = url_of(text);
    mappings().rename(url);
    return std::string(url.href());
}

} // namespace

TEST_CASE("a URL below a mapped one is asked for at the other place") {
    for (const auto& [url, way] :
         {std::tuple("https://example.org/", "ask http://127.0.0.1:1/"),
          {"https://example.org/a?b=/docs/", "ask http://127.0.0.1:1/a?b=/docs/"},
          {"https://example.org/docs/", "ask http://localhost:2/site/"},
          {"https://example.org/docs/x?y", "ask http://localhost:2/site/x?y"},
          {"https://example.org/docs/deep/x", "ask http://localhost:5/x"},
          {"https://example.org/docsx", "ask http://127.0.0.1:1/docsx"},
          {"http://other:81/a/b", "ask http://localhost:3/b"},
          {"http://other:81/b", "as it is"},
          {"http://other/a/", "as it is"},
          {"https://example.org:8443/", "as it is"},
          {"https://example.org.evil/", "as it is"},
          {"https://sub.example.org/", "as it is"}})
        CHECK_MESSAGE(way_of(url) == way, url);
}

TEST_CASE("another spelling of a mapped URL redirects there, as published sites do") {
    for (const auto& [url, way] :
         {std::tuple("http://example.org/a?b", "redirect https://example.org/a?b"),
          {"https://www.example.org/", "redirect https://example.org/"},
          {"http://www.example.org/docs/x", "redirect https://example.org/docs/x"},
          {"http://other:81/a", "redirect http://other:81/a/"},
          {"http://other:81/a?q", "redirect http://other:81/a/?q"},
          {"https://other:81/a/", "redirect http://other:81/a/"},
          {"http://www.other:81/a/", "as it is"}})
        CHECK_MESSAGE(way_of(url) == way, url);
    CHECK(way_of("https://example.org/docs") == "redirect https://example.org/docs/");
    CHECK(way_of("https://example.org/docs?q") == "redirect https://example.org/docs/?q");
}

TEST_CASE("robots.txt is that of the whole server") {
    CHECK(way_of("https://example.org/robots.txt")
          == "ask http://127.0.0.1:1/robots.txt");
    CHECK(way_of("http://other:81/robots.txt") == "its own");
    CHECK(way_of("http://folder/robots.txt") == "its own");
    CHECK(way_of("http://folder/robots.txt?x") == "as it is");
    CHECK(way_of("http://else/robots.txt") == "as it is");
}

TEST_CASE("what a server calls its own gets the name that is meant") {
    for (const auto& [url, name] :
         {std::tuple("http://localhost:2/site/x?y", "https://example.org/docs/x?y"),
          {"http://localhost:3/", "http://other:81/a/"},
          {"http://127.0.0.1:1/robots.txt", "https://example.org/robots.txt"},
          {"http://localhost:2/", "http://localhost:2/"},
          {"https://example.org/", "https://example.org/"}})
        CHECK_MESSAGE(renamed(url) == name, url);
}

TEST_CASE("a mapping counts what it has served") {
    const UrlMappings all = mappings();
    (void)all.find(url_of("https://example.org/docs/a"));
    (void)all.find(url_of("http://other:81/a"));
    (void)all.find(url_of("http://folder/robots.txt")); // which says nothing of pages
    CHECK(all.all()[1].used == 0);
    CHECK(all.all()[2].used == 1);
    CHECK(all.all()[3].used == 1);
    CHECK(all.all()[4].used == 0);
}

TEST_CASE("a URL that would be too long elsewhere is left as it is") {
    const std::string longest(common::max_url_length - 16, 'x');
    CHECK(way_of("http://folder/b/" + longest) == "as it is");
}
