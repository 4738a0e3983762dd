#include "stage3_queue_crawler/crawler/registrable_domain.h"
#include "stage3_queue_crawler/crawler/scope.h"
#include "tests/support/in_bulk.h"
#include "tests/support/prelude.h"
#include "tests/support/url.h"

#include <random>

using namespace stage3;
using tests::url_of;

namespace {

std::vector<Pattern> patterns(const std::vector<std::string>& texts) {
    std::vector<Pattern> all;
    for (const std::string& text : texts)
        all.emplace_back(text);
    return all;
}

/// Checks which URLs are in a scope, and which aren't; "http://" is left out.
void check(const Scope& scope, const std::vector<std::string>& inside,
           const std::vector<std::string>& outside) {
    const auto contains = [&scope](const std::string& text) {
        return scope.contains(
            url_of(text.find("://") == std::string::npos ? "http://" + text : text));
    };
    for (const std::string& url : inside)
        CHECK_MESSAGE(contains(url), url);
    for (const std::string& url : outside)
        CHECK_MESSAGE(!contains(url), url);
}

} // namespace

TEST_CASE("host: the root's host is in scope at any port, with any scheme, and with or "
          "without www.") {
    check({Reach::host, {url_of("http://example.com/docs/")}},
          {"example.com/", "https://example.com:8443/x", "www.example.com/"},
          {"foo.example.com/", "example.com.evil.org/"});
}

TEST_CASE("prefix: URLs beneath the root's folder are in scope") {
    check({Reach::prefix, {url_of("http://example.com/docs/start.html?a=/x/")}},
          {"example.com/docs/", "example.com/docs/a/b?c", "example.com/docs/start.html",
           "https://www.example.com/docs/"},
          {"example.com/docs", "example.com/", "example.com/docsets/",
           "example.com:81/docs/", "docs.example.com/docs/"});
}

TEST_CASE("domain: the same registrable domain is in scope") {
    check({Reach::domain, {url_of("http://docs.example.com/")}},
          {"foo.example.com/", "a.b.example.com./", "example.com/",
           "foo.example.com:8080/"},
          {"example.org/", "badexample.com/", "com/"});
    check({Reach::domain, {url_of("http://localhost/")}},
          {"localhost:81/", "www.localhost/"}, {"foo.localhost/", "other/"});
}

// Names below co.uk have many owners. A program without libpsl doesn't know that.
TEST_CASE("domain: a public suffix has no owner") {
    const bool knows = stage3::rule_of_domains() == "registrable domain";
    const auto domain_of = [](const std::string& host) {
        const auto url = url_of("http://" + host + "/");
        return std::string(registrable_domain(url));
    };
    CHECK(domain_of("www.docs.example.co.uk") == (knows ? "example.co.uk" : "co.uk"));
    CHECK(domain_of("example.co.uk.") == (knows ? "example.co.uk" : "co.uk"));
    CHECK(domain_of("www.me.github.io") == (knows ? "me.github.io" : "github.io"));
    CHECK(domain_of("xn--55qx5d.cn") == "xn--55qx5d.cn"); // a public suffix, in Chinese
    CHECK(domain_of("a.b.xn--55qx5d.cn")
          == (knows ? "b.xn--55qx5d.cn" : "xn--55qx5d.cn"));
    CHECK(domain_of("co.uk") == "co.uk");
    CHECK(domain_of("com.") == "com");
    CHECK(domain_of("www.com") == "www.com");
    CHECK(domain_of("a.b.no-such-suffix") == "b.no-such-suffix");
    CHECK(domain_of("10.0.0.1") == "10.0.0.1");
    CHECK(domain_of("[::1]") == "[::1]");

    const Scope scope(Reach::domain,
                      {url_of("http://www.example.co.uk/"), url_of("http://com/")});
    check(scope, {"shop.example.co.uk/"}, {"example.com/"});
    CHECK(scope.contains(url_of("http://other.co.uk/")) == !knows);
}

TEST_CASE("domain: all of a root's host is in scope, whatever its name") {
    std::mt19937 random(1); // NOLINT(cert-msc32-c,cert-msc51-cpp): always the same
    const auto number = [&random](std::size_t below) {
        return std::uniform_int_distribution<std::size_t>(0, below - 1)(random);
    };
    const std::vector<std::string> labels{"www", "a",  "example",  "github", "kobe",
                                          "com", "co", "uk",       "io",     "jp",
                                          "ck",  "1",  "localhost"};
    const auto random_host = [&] {
        std::string host = number(4) == 0 ? "www." : "";
        for (std::size_t more = 1 + number(3); more > 0; --more)
            host += labels[number(labels.size())] + (more > 1 ? "." : "");
        return host + (number(4) == 0 ? "." : "");
    };
    int on_host = 0;
    for (int i = 0; i < tests::in_bulk(20'000); ++i) {
        const auto root = common::parse_url("http://" + random_host() + "/");
        const auto other = common::parse_url("http://" + random_host() + "/");
        if (!root || !other) // such as "a.1", which ends like an address, but isn't one
            continue;
        CAPTURE(root->host());
        CAPTURE(other->host());
        const Scope host(Reach::host, {*root});
        const Scope domain(Reach::domain, {*root});
        on_host += host.contains(*other);
        CHECK((!host.contains(*other) || domain.contains(*other)));
        CHECK(domain.contains(*other) == Scope(Reach::domain, {*other}).contains(*root));
        const auto of_domain = url_of("http://" + std::string(registrable_domain(*root)));
        CHECK(registrable_domain(of_domain) == of_domain.host());
    }
    CHECK(on_host > 0);
}

TEST_CASE("an address is only itself, whatever the reach") {
    for (const Reach reach : {Reach::host, Reach::domain})
        check({reach, {url_of("http://10.0.0.1/"), url_of("http://[::1]/")}},
              // The second one is the same address, in another spelling.
              {"10.0.0.1:81/", "0x0a.1/", "[0::1]:81/"},
              {"11.0.0.1/", "[::2]/", "0.1.example.com/"});
}

TEST_CASE("several roots: a URL in any root's scope is in scope") {
    check({Reach::prefix, {url_of("http://a.org/x/"), url_of("http://b.org/")}},
          {"a.org/x/y", "b.org/y"}, {"a.org/y"});
}

TEST_CASE("an excluded URL is out, wherever in it the pattern is found") {
    check({Reach::host,
           {url_of("http://example.com/")},
           patterns({"\\.pdf$", "/(tag|author)s?/"})},
          {"example.com/a.pdf?x", "example.com/tagged/"},
          {"example.com/a.pdf", "example.com/tags/x", "example.com/b/author/y"});
}

TEST_CASE(
    "if patterns must be included, all other URLs are out; roots can only be excluded") {
    const Scope scope(Reach::host, {url_of("http://h/")}, patterns({"x"}),
                      patterns({"/docs/", "[.]html$"}));
    check(scope, {"h/docs/a", "h/b.html"}, {"h/docs/x", "h/", "g/docs/a"});
    CHECK_FALSE(scope.excludes(url_of("http://h/")));
    CHECK(scope.excludes(url_of("http://h/x")));
}

TEST_CASE("a pattern that can't be parsed is refused with a reason") {
    CHECK_THROWS_AS(Pattern("("), std::invalid_argument);
    CHECK_THROWS_WITH(Pattern("a{2"), doctest::Contains("{"));
}

TEST_CASE("a pattern in which another dialect means something else is refused by name") {
    for (const char* const text : {"\\d+", "a\\D", "\\x41", "\\n", "\\A/", "\\0",
                                   "\\\\\\d", "(a|\\pL)", "[]a]\\d", "[[:digit:]]\\d"})
        CHECK_THROWS_WITH(Pattern{text}, doctest::Contains("has no meaning here"));
    for (const char* const text :
         {"[\\d]", "[^\\w-]", "[]\\s]", "[[:alpha:]\\d]", "a[\\1]"})
        CHECK_THROWS_WITH(Pattern{text}, doctest::Contains("just a backslash"));
    for (const char* const text : {"(?=a)", "a(?!b)", "(?:a|b)", "(?i)a", "(?<=a)b"})
        CHECK_THROWS_WITH(Pattern{text}, doctest::Contains("look ahead"));
    CHECK_THROWS_WITH(Pattern("/\\d"), "\\d has no meaning here (a digit is [0-9])");
    for (const char* const text :
         {"\\.", "a\\?b", "\\/", "\\\\d", "[.?(]", "[\\.]", "\\(?", "[(?]", "[[:digit:]]",
          "[]d]", "[^]d]", "\\[\\]", "(a)\\1", "a*?"})
        CHECK_NOTHROW(Pattern{text});
    CHECK(Pattern("[0-9]\\.html").is_found_in("http://h/1.html"));
}

TEST_CASE("a long URL can be matched against a pattern") {
    const Pattern pattern("a.*a.*a.*z");
    CHECK_FALSE(pattern.is_found_in(("http://h/" + std::string(8000, 'a')).c_str()));
    CHECK(pattern.is_found_in(("http://h/" + std::string(8000, 'a') + "z").c_str()));
    CHECK_FALSE(
        Pattern("a$").is_found_in(("http://h/" + std::string(8000, 'a') + "z").c_str()));
}

TEST_CASE("a server is someone else's, even if its URLs are excluded") {
    const Scope scope(Reach::prefix, {url_of("http://h/docs/")}, patterns({"robots"}));
    CHECK(scope.is_elsewhere(url_of("http://10.9.9.9/robots.txt")));
    CHECK(scope.is_elsewhere(url_of("http://10.9.9.9/")));
    CHECK_FALSE(scope.is_elsewhere(url_of("http://h/robots.txt")));
    CHECK_FALSE(scope.is_elsewhere(url_of("http://h:81/")));
}
