#include "stage3_queue_crawler/crawler/registrable_domain.h"
#include "stage3_queue_crawler/crawler/scope.h"
#include "tests/support/in_bulk.h"
#include "tests/support/prelude.h"
#include "tests/support/url.h"

#include <random>

using namespace stage3;
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

TEST_CASE("host: the root's host is in scope at any port, with any scheme, and with or "
          "without www.") {
    const Asked contains(Reach::host, {"http://example.com/docs/"});
    CHECK(contains("http://example.com/"));
    CHECK(contains("https://example.com:8443/x"));
    CHECK(contains("http://www.example.com/"));
    CHECK_FALSE(contains("http://foo.example.com/"));
    CHECK_FALSE(contains("http://example.com.evil.org/"));
}

TEST_CASE("prefix: URLs beneath the root's folder are in scope") {
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

TEST_CASE("domain: the same registrable domain is in scope") {
    const Asked contains(Reach::domain, {"http://docs.example.com/"});
    CHECK(contains("http://foo.example.com/"));
    CHECK(contains("http://a.b.example.com./"));
    CHECK(contains("http://example.com/"));
    CHECK(contains("http://foo.example.com:8080/"));
    CHECK_FALSE(contains("http://example.org/"));
    CHECK_FALSE(contains("http://badexample.com/"));
    CHECK_FALSE(contains("http://com/"));
    const Asked local(Reach::domain, {"http://localhost/"});
    CHECK(local("http://localhost:81/"));
    CHECK(local("http://www.localhost/"));
    CHECK_FALSE(local("http://foo.localhost/"));
    CHECK_FALSE(local("http://other/"));
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

    const Asked contains(Reach::domain, {"http://www.example.co.uk/", "http://com/"});
    CHECK(contains("http://shop.example.co.uk/"));
    CHECK(contains("http://other.co.uk/") == !knows);
    CHECK_FALSE(contains("http://example.com/"));
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
    for (const Reach reach : {Reach::host, Reach::domain}) {
        const Asked contains(reach, {"http://10.0.0.1/", "http://[::1]/"});
        CHECK(contains("http://10.0.0.1:81/"));
        CHECK(contains("http://0x0a.1/")); // the same address, in another spelling
        CHECK(contains("http://[0::1]:81/"));
        CHECK_FALSE(contains("http://11.0.0.1/"));
        CHECK_FALSE(contains("http://[::2]/"));
        CHECK_FALSE(contains("http://0.1.example.com/"));
    }
}

TEST_CASE("several roots: a URL in any root's scope is in scope") {
    const Asked contains(Reach::prefix, {"http://a.org/x/", "http://b.org/"});
    CHECK(contains("http://a.org/x/y"));
    CHECK(contains("http://b.org/y"));
    CHECK_FALSE(contains("http://a.org/y"));
}

TEST_CASE("an excluded URL is out, wherever in it the pattern is found") {
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

TEST_CASE(
    "if patterns must be included, all other URLs are out; roots can only be excluded") {
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

TEST_CASE("a pattern that can't be parsed is refused with a reason") {
    CHECK_THROWS_AS(Pattern("("), std::invalid_argument);
    CHECK_THROWS_WITH(Pattern("a{2"), doctest::Contains("{"));
}

TEST_CASE("a long URL can be matched against a pattern") {
    const Pattern pattern("a.*a.*a.*z");
    CHECK_FALSE(pattern.is_found_in(("http://h/" + std::string(8000, 'a')).c_str()));
    CHECK(pattern.is_found_in(("http://h/" + std::string(8000, 'a') + "z").c_str()));
    CHECK_FALSE(
        Pattern("a$").is_found_in(("http://h/" + std::string(8000, 'a') + "z").c_str()));
}

TEST_CASE("a server is someone else's, even if its URLs are excluded") {
    std::vector<Pattern> excluded;
    excluded.emplace_back("robots");
    const Scope scope(Reach::prefix, {url_of("http://h/docs/")}, std::move(excluded));
    CHECK(scope.is_elsewhere(url_of("http://10.9.9.9/robots.txt")));
    CHECK(scope.is_elsewhere(url_of("http://10.9.9.9/")));
    CHECK_FALSE(scope.is_elsewhere(url_of("http://h/robots.txt")));
    CHECK_FALSE(scope.is_elsewhere(url_of("http://h:81/")));
}
