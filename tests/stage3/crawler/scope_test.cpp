#include "stage3_queue_crawler/crawler/scope.h"
#include "tests/support/url.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

using stage3::Pattern;
using stage3::Reach;
using stage3::Scope;
using tests::url_of;

namespace {

struct Asked {
    explicit Asked(Reach reach, const std::vector<std::string>& roots)
        : scope(reach, [&] {
              std::vector<common::Url> urls;
              for (const auto& root : roots)
                  urls.push_back(url_of(root));
              return urls;
          }()) {}
    bool operator()(const std::string& text) const {
        return scope.contains(url_of(text));
    }

    Scope scope;
};

} // namespace

TEST_CASE("host: the root's host, at any port and with any scheme, www. aside") {
    const Asked contains(Reach::host, {"http://example.com/docs/"});
    CHECK(contains("http://example.com/"));
    CHECK(contains("https://example.com:8443/x"));
    CHECK(contains("http://www.example.com/"));
    CHECK_FALSE(contains("http://foo.example.com/"));
    CHECK_FALSE(contains("http://example.com.evil.org/"));
}

TEST_CASE("prefix: beneath the root's folder") {
    const Asked contains(Reach::prefix, {"http://example.com/docs/start.html?a=/x/"});
    CHECK(contains("http://example.com/docs/"));
    CHECK(contains("http://example.com/docs/a/b?c"));
    CHECK(contains("http://example.com/docs/start.html"));
    CHECK_FALSE(contains("http://example.com/docs"));
    CHECK_FALSE(contains("http://example.com/"));
    CHECK_FALSE(contains("http://example.com/docsets/"));
    CHECK_FALSE(contains("http://example.com:81/docs/"));
    CHECK(contains("https://www.example.com/docs/"));
    CHECK_FALSE(contains("http://docs.example.com/docs/"));
}

TEST_CASE("domain: the same last two labels") {
    const Asked contains(Reach::domain, {"http://docs.example.com/"});
    CHECK(contains("http://foo.example.com/"));
    CHECK(contains("http://a.b.example.com./"));
    CHECK(contains("http://example.com/"));
    CHECK_FALSE(contains("http://example.org/"));
    CHECK_FALSE(contains("http://badexample.com/"));
    CHECK_FALSE(contains("http://com/"));
    const Asked local(Reach::domain, {"http://localhost/"});
    CHECK(local("http://localhost:81/"));
    CHECK_FALSE(local("http://other/"));
}

TEST_CASE("an address is itself and nothing else, whatever the reach") {
    for (const Reach reach : {Reach::host, Reach::domain}) {
        const Asked contains(reach, {"http://10.0.0.1/", "http://[::1]/"});
        CHECK(contains("http://10.0.0.1:81/"));
        CHECK(contains("http://0x0a.1/")); // the same, spelled otherwise
        CHECK(contains("http://[0::1]:81/"));
        CHECK_FALSE(contains("http://11.0.0.1/"));
        CHECK_FALSE(contains("http://[::2]/"));
        CHECK_FALSE(contains("http://0.1.example.com/"));
    }
}

TEST_CASE("several roots: what belongs to any of them") {
    const Asked contains(Reach::prefix, {"http://a.org/x/", "http://b.org/"});
    CHECK(contains("http://a.org/x/y"));
    CHECK(contains("http://b.org/y"));
    CHECK_FALSE(contains("http://a.org/y"));
}

TEST_CASE("what is excluded is out, wherever in the URL it is found") {
    std::vector<Pattern> patterns;
    patterns.emplace_back("\\.pdf$");
    patterns.emplace_back("/(tag|author)s?/");
    const Scope scope(Reach::host, {url_of("http://example.com/")}, std::move(patterns));
    CHECK(scope.contains(url_of("http://example.com/a.pdf?x")));
    CHECK(scope.contains(url_of("http://example.com/tagged/")));
    CHECK_FALSE(scope.contains(url_of("http://example.com/a.pdf")));
    CHECK_FALSE(scope.contains(url_of("http://example.com/tags/x")));
    CHECK_FALSE(scope.contains(url_of("http://example.com/b/author/y")));
}

TEST_CASE("where something must be included, all else is out; roots are only excluded") {
    std::vector<Pattern> excluded;
    excluded.emplace_back("x");
    std::vector<Pattern> included;
    included.emplace_back("/docs/");
    included.emplace_back("[.]html$");
    const Scope scope(Reach::host, {url_of("http://h/")}, std::move(excluded),
                      std::move(included));
    CHECK(scope.contains(url_of("http://h/docs/a")));
    CHECK(scope.contains(url_of("http://h/b.html")));
    CHECK_FALSE(scope.contains(url_of("http://h/docs/x")));
    CHECK_FALSE(scope.contains(url_of("http://h/")));
    CHECK_FALSE(scope.contains(url_of("http://g/docs/a")));
    CHECK_FALSE(scope.excludes(url_of("http://h/")));
    CHECK(scope.excludes(url_of("http://h/x")));
}

TEST_CASE("a pattern that can't be read is refused, and says why") {
    CHECK_THROWS_AS(Pattern("("), std::invalid_argument);
    CHECK_THROWS_WITH(Pattern("a{2"), doctest::Contains("{"));
}

TEST_CASE("a long URL is no trouble for a pattern") {
    const Pattern pattern("a.*a.*a.*z");
    CHECK_FALSE(pattern.is_found_in(("http://h/" + std::string(8000, 'a')).c_str()));
    CHECK(pattern.is_found_in(("http://h/" + std::string(8000, 'a') + "z").c_str()));
    CHECK_FALSE(
        Pattern("a$").is_found_in(("http://h/" + std::string(8000, 'a') + "z").c_str()));
}
