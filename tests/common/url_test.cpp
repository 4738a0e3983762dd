#include "common/url.h"

#include <doctest/doctest.h>

#include <string>
#include <unordered_set>

using common::parse_root_url;
using common::parse_url;
using common::resolve_url;

namespace {

/// The normal form of an absolute URL, or "none".
std::string parsed(std::string_view text) {
    const auto url = parse_url(text);
    return url ? url->href() : "none";
}

std::string resolved(std::string_view reference,
                     std::string_view base = "http://h/a/b/c.html?q") {
    const auto url = resolve_url(reference, *parse_url(base));
    return url ? url->href() : "none";
}

} // namespace

TEST_CASE("a URL gives out its parts") {
    const auto url = *parse_url("http://example.com:8080/a/b?c=d");
    CHECK(url.scheme() == "http");
    CHECK(url.host() == "example.com");
    CHECK(url.authority() == "example.com:8080");
    CHECK(url.port() == 8080);
    CHECK(url.target() == "/a/b?c=d");
}

TEST_CASE("the port of a URL that leaves it out is its scheme's") {
    CHECK(parse_url("http://h/")->port() == 80);
    CHECK(parse_url("https://h/")->port() == 443);
    CHECK(parse_url("http://h/")->authority() == "h");
}

TEST_CASE("an IPv6 address keeps its brackets") {
    const auto url = *parse_url("http://[::1]:8000/x");
    CHECK(url.host() == "[::1]");
    CHECK(url.authority() == "[::1]:8000");
    CHECK(url.port() == 8000);
}

TEST_CASE("spellings of one URL become one URL") {
    CHECK(parsed("HTTP://EXAMPLE.com/") == "http://example.com/");
    CHECK(parsed("http://h") == "http://h/");
    CHECK(parsed("http://h?q") == "http://h/?q");
    CHECK(parsed("http://h:80/") == "http://h/");
    CHECK(parsed("https://h:443/") == "https://h/");
    CHECK(parsed("http://h/a/../b/./c") == "http://h/b/c");
    CHECK(parsed("http://h/#part") == "http://h/");
    CHECK(parsed("  http://h/x \n") == "http://h/x");
    CHECK(parsed("http://h/a\n\tb") == "http://h/ab");
    CHECK(parsed("http:\\\\h\\x") == "http://h/x");
    CHECK(parsed("http://user:secret@h/") == "http://h/");
}

TEST_CASE("paths that differ stay different") {
    CHECK(parsed("http://h/A") == "http://h/A");
    CHECK(parsed("http://h/a/") == "http://h/a/");
    CHECK(parsed("http://h/%7Ea") == "http://h/%7Ea");
    CHECK(parsed("http://h/a%2Fc") == "http://h/a%2Fc");
}

TEST_CASE("what may not stand in a URL is percent-encoded") {
    CHECK(parsed("http://h/a b") == "http://h/a%20b");
    CHECK(parsed("http://h/\xc3\xa9") == "http://h/%C3%A9");
    CHECK(parsed("http://h/?a=\"b\"") == "http://h/?a=%22b%22");
    CHECK(parsed("http://h/{a}") == "http://h/%7Ba%7D");
    CHECK(parsed("http://h/a\x01") == "http://h/a"); // a control byte at the end is blank
    CHECK(parsed("http://h/a\x01z") == "http://h/a%01z");
}

TEST_CASE("what is no http or https URL is refused") {
    for (const char* text :
         {"", "nonsense", "nonsense:", "mailto:me@example.com", "javascript:void 0",
          "ftp://h/", "file:///etc/passwd", "http://", "http://h:99999/", "http://h:x/",
          "http://a b/", "http://a%00b/", "http://[::1/", "//h/x", "/x"}) {
        CAPTURE(text);
        CHECK(parsed(text) == "none");
    }
}

TEST_CASE("a byte of zero does not end a URL early") {
    CHECK(parsed(std::string_view("http://h/a\0b", 12)) == "none");
    CHECK(resolved(std::string_view("a\0b", 3)) == "none");
}

TEST_CASE("a URL longer than the limit is refused") {
    const std::string prefix = "http://h/";
    const std::string longest =
        prefix + std::string(common::max_url_length - prefix.size(), 'a');
    CHECK(parsed(longest) == longest);
    CHECK(parsed(longest + "a") == "none");
}

TEST_CASE("references are resolved against the page that they stand on") {
    CHECK(resolved("d.html") == "http://h/a/b/d.html");
    CHECK(resolved("../d.html") == "http://h/a/d.html");
    CHECK(resolved("../../../../d") == "http://h/d");
    CHECK(resolved("/d") == "http://h/d");
    CHECK(resolved("//other.org/d") == "http://other.org/d");
    CHECK(resolved("?page=2") == "http://h/a/b/c.html?page=2");
    CHECK(resolved("https://other.org") == "https://other.org/");
    CHECK(resolved("a b") == "http://h/a/b/a%20b");
    CHECK(resolved("mailto:me@example.com") == "none");
    CHECK(resolved("javascript:void(0)") == "none");
    CHECK(resolved("data:text/html,x") == "none");
}

TEST_CASE("a fragment alone is the page itself, not its folder") {
    CHECK(resolved("#top") == "http://h/a/b/c.html?q");
    CHECK(resolved("") == "http://h/a/b/c.html?q");
    CHECK(resolved("d.html#top") == "http://h/a/b/d.html");
}

TEST_CASE("a root may be typed without its scheme") {
    CHECK(parse_root_url("localhost:8000/docs")->href() == "http://localhost:8000/docs");
    CHECK(parse_root_url("example.com")->href() == "http://example.com/");
    CHECK(parse_root_url("127.0.0.1:1")->href() == "http://127.0.0.1:1/");
    CHECK(parse_root_url("https://h/")->href() == "https://h/");
    CHECK_FALSE(parse_root_url("nonsense:"));
    CHECK_FALSE(parse_root_url("mailto:me@example.com"));
    CHECK_FALSE(parse_root_url(""));
}

TEST_CASE("URLs can be told apart, sorted and put into sets") {
    std::unordered_set<common::Url> seen;
    CHECK(seen.insert(*parse_url("http://h/a")).second);
    CHECK_FALSE(seen.insert(*parse_url("http://H/./a#x")).second);
    CHECK(*parse_url("http://h/a") < *parse_url("http://h/b"));
}
