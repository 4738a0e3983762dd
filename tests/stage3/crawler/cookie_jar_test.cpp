// Which cookies are kept, and who gets them.
#include "stage3_queue_crawler/crawler/cookie_jar.h"
#include "stage3_queue_crawler/crawler/registrable_domain.h"
#include "stage3_queue_crawler/http/response_head.h"
#include "tests/support/prelude.h"
#include "tests/support/url.h"

using stage3::CookieJar;
using tests::url_of;

namespace {

const bool knows_suffixes = stage3::rule_of_domains() == "registrable domain";
constexpr std::chrono::sys_days today = std::chrono::year(2026) / 7 / 1;

struct Jar {
    void take(const std::string& url, std::string_view text) {
        jar.take(url_of(url), text, now);
    }
    std::string sent_to(const std::string& url) {
        return jar.header_for(url_of(url), now);
    }

    CookieJar jar;
    std::chrono::sys_seconds now = today;
};

/// What comes back to `asked` after `set` has come from `from`.
struct Row {
    std::string from;
    std::string_view set;
    std::string asked;
    std::string_view sent;
};

void check(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
        CAPTURE(row.from);
        CAPTURE(row.set);
        CAPTURE(row.asked);
        Jar jar;
        jar.take(row.from, row.set);
        CHECK(jar.sent_to(row.asked) == row.sent);
    }
}

const std::string www_url = "https://www.example.com/";

/// The same, from and to one URL.
void check_here(const std::vector<std::pair<std::string, std::string>>& rows) {
    for (const auto& [set, sent] : rows)
        check({{www_url, set, www_url, sent}});
}

} // namespace

TEST_CASE("a cookie has a name and a value, and either may be missing") {
    check_here({{"a=b", "a=b"},
                {" a\t=  b c ; x=y", "a=b c"},
                {"a=b=c", "a=b=c"},
                {"a=\"b; c\"", "a=\"b"},
                {"a=", "a="},
                {"=b", "b"},
                {"b", "b"},
                {"", ""},
                {" ; Path=/", ""},
                {"=", ""},
                {"a=\xc3\xa4", "a=\xc3\xa4"},
                {"a=b\tc", "a=b\tc"},
                {"a=b\x01", ""},
                {"a=b; x=\x7f", ""},
                {std::string("a=b\0c", 5), ""},
                {"a=" + std::string(4095, 'x'), "a=" + std::string(4095, 'x')},
                {"a=" + std::string(4096, 'x'), ""},
                {"a=b; SameSite=Strict; HttpOnly; Partitioned; other", "a=b"}});
}

TEST_CASE("a Domain lets other hosts of the site have it, and nobody else") {
    const std::string www = "http://www.example.co.uk/";
    const std::string_view wide = knows_suffixes ? "a=b" : "";
    check({{www, "a=b", "http://example.co.uk/", ""},
           {www, "a=b", "http://x.www.example.co.uk/", ""},
           {www, "a=b", "http://www.example.co.uk:8080/x", "a=b"}, // at any port
           {www, "a=b; Domain=example.co.uk", "http://example.co.uk/", wide},
           {www, "a=b; domain = .EXAMPLE.co.uk", "http://a.b.example.co.uk/", wide},
           {www, "a=b; Domain=example.co.uk", www, "a=b"},
           {www, "a=b; Domain=example.co.uk", "http://notexample.co.uk/", ""},
           {www, "a=b; Domain=www.example.co.uk", "http://example.co.uk/", ""},
           {www, "a=b; Domain=other.co.uk", www, ""},
           {www, "a=b; Domain=other.co.uk; Domain=", www, "a=b"}, // the last one counts
           {www, "a=b; Domain=x.www.example.co.uk", www, ""},
           {www, "a=b; Domain=xample.co.uk", www, ""},
           {www, "a=b; Domain=example.co.uk.", www, ""},
           {www, "a=b; Domain=" + std::string(1025, 'x'), www, "a=b"}});
}

TEST_CASE("nobody can set a cookie for a public suffix, but it may have its own") {
    const std::string www = "http://www.example.co.uk/";
    const std::string_view kept = knows_suffixes ? "" : "a=b"; // for its host alone
    check({{www, "a=b; Domain=co.uk", "http://other.co.uk/", ""},
           {www, "a=b; Domain=co.uk", www, kept},
           {www, "a=b; Domain=uk", www, ""},
           {"http://a.example.com/", "a=b; Domain=com", "http://a.example.com/", ""},
           {"http://me.github.io/", "a=b; Domain=github.io", "http://you.github.io/", ""},
           {"http://co.uk/", "a=b; Domain=co.uk", "http://co.uk/", "a=b"},
           {"http://co.uk/", "a=b; Domain=co.uk", "http://x.co.uk/", ""},
           {"http://localhost/", "a=b; Domain=localhost", "http://localhost:1/", "a=b"},
           {"http://localhost/", "a=b; Domain=localhost", "http://x.localhost/", ""},
           {"http://x.localhost/", "a=b; Domain=localhost", "http://localhost/", ""},
           {"http://example.com./", "a=b; Domain=example.com.", "http://example.com./",
            "a=b"},
           {"http://example.com./", "a=b; Domain=example.com.", "http://a.example.com./",
            ""},
           {"http://a.example.com./", "a=b", "http://a.example.com/", ""}});
}

TEST_CASE("an address is in no domain") {
    check({{"http://10.1.2.3/", "a=b", "http://10.1.2.3:81/", "a=b"},
           {"http://10.1.2.3/", "a=b; Domain=10.1.2.3", "http://10.1.2.3/", "a=b"},
           {"http://10.1.2.3/", "a=b; Domain=2.3", "http://10.1.2.3/", ""},
           {"http://10.1.2.3/", "a=b; Domain=.3", "http://9.1.2.3/", ""},
           {"http://10.1.2.3/", "a=b", "http://9.10.1.2.3.example.com/", ""},
           {"http://[::1]/", "a=b; Domain=[::1]", "http://[::1]/", "a=b"}});
}

TEST_CASE("a cookie is for its path and what is below that") {
    const std::string from = "http://h.example/docs/a/page?q=/x/";
    const auto at = [](const std::string& target) { return "http://h.example" + target; };
    check({{from, "a=b", at("/docs/a"), "a=b"},
           {from, "a=b", at("/docs/a/"), "a=b"},
           {from, "a=b", at("/docs/a?q"), "a=b"},
           {from, "a=b", at("/docs/ab"), ""},
           {from, "a=b", at("/docs"), ""},
           {from, "a=b; Path=/docs/", at("/docs/x"), "a=b"},
           {from, "a=b; Path=/docs/", at("/docs"), ""},
           {from, "a=b; Path=/Docs", at("/docs"), ""},
           {from, "a=b; Path=/other", at("/other/x"), "a=b"}, // not only for its own
           {from, "a=b; Path=docs", at("/docs/a/x"), "a=b"},  // the default path
           {from, "a=b; Path=/x; Path=", at("/docs/a/x"), "a=b"},
           {from, "a=b; Path=/" + std::string(1024, 'x'), at("/docs/a/x"), "a=b"},
           {at("/top"), "a=b", at("/"), "a=b"},
           {at("/" + std::string(1500, 'x') + "/"), "a=b",
            at("/" + std::string(1500, 'x')), ""}});
}

TEST_CASE("a cookie for TLS comes by TLS and goes by TLS, or to this machine") {
    const std::string_view set = "a=b; Secure";
    check({{"https://h.example/", set, "https://h.example/", "a=b"},
           {"https://h.example/", set, "http://h.example/", ""},
           {"https://h.example/", "a=b", "http://h.example/", "a=b"},
           {"http://h.example/", set, "https://h.example/", ""},
           {"http://localhost:8000/", set, "http://localhost/", "a=b"},
           {"http://a.localhost/", set, "http://a.localhost/", "a=b"},
           {"http://127.0.0.2/", set, "http://127.0.0.2/", "a=b"},
           {"http://[::1]/", set, "http://[::1]/", "a=b"},
           {"http://127.example/", set, "http://127.example/", ""}});
    Jar jar;
    const std::string secret = "https://h.example/a/b";
    jar.take(secret, "a=b; Secure; Path=/a");
    for (const auto* const text :
         {"a=x; Path=/a", "a=x; Path=/a/c", "a=; Path=/a; Max-Age=0"})
        jar.take("http://h.example/a/", text);
    CHECK(jar.sent_to(secret) == "a=b");
    jar.take("http://h.example/a/", "a=x; Path=/"); // as RFC 6265bis has it
    CHECK(jar.sent_to(secret) == "a=b; a=x");
    jar.take(secret, "a=c; Path=/a");
    CHECK(jar.sent_to(secret) == "a=c; a=x");
}

TEST_CASE("a name's prefix is a promise") {
    const std::string https = "https://h.example/x/";
    const std::string http = "http://h.example/x/";
    check({{https, "__Secure-a=b; Secure", https, "__Secure-a=b"},
           {https, "__secure-a=b", https, ""},
           {http, "__Secure-a=b; Secure", https, ""},
           {https, "__Host-a=b; Secure; Path=/", https, "__Host-a=b"},
           {https, "__HOST-a=b; Secure; Path=/x/", https, ""},
           {https, "__Host-a=b; Secure", "https://h.example/", ""},
           {https, "__Host-a=b; Path=/", https, ""},
           {https, "__Host-a=b; Secure; Path=/; Domain=h.example", https, ""},
           {https, "__Host=b", https, "__Host=b"},
           {https, "=__Secure-a=b; Secure", https, ""},
           {https, "__host-a; Secure; Path=/", https, ""},
           {https, "=x__Host-", https, "x__Host-"}});
}

TEST_CASE("Max-Age ends a cookie, and goes before Expires") {
    check_here({{"a=b; Max-Age=1", "a=b"},
                {"a=b; Max-Age=0", ""},
                {"a=b; max-age=-1", ""},
                {"a=b; Max-Age=-", "a=b"},
                {"a=b; Max-Age=1x", "a=b"},
                {"a=b; Max-Age=+1", "a=b"},
                {"a=b; Max-Age=", "a=b"},
                {"a=b; Max-Age=0; Max-Age=9", "a=b"},
                {"a=b; Max-Age=99999999999999999999999", "a=b"},
                {"a=b; Max-Age=-99999999999999999999999", ""},
                {"a=b; Expires=Wed, 01 Jul 2026 00:00:01 GMT", "a=b"},
                {"a=b; Expires=Wed, 01 Jul 2026 00:00:00 GMT", ""},
                {"a=b; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=5", "a=b"},
                {"a=b; Max-Age=0; Expires=Fri, 01 Jan 2027 00:00:00 GMT", ""},
                {"a=b; Expires=whenever", "a=b"}});
    for (const auto* const text :
         {"a=b; Max-Age=999999999", "a=b; Expires=Fri, 31 Dec 9999 23:59:59 GMT"}) {
        CAPTURE(text);
        Jar jar;
        jar.take(www_url, text);
        jar.now += std::chrono::days(400) - 1s;
        CHECK(jar.sent_to(www_url) == "a=b");
        jar.now += 1s;
        CHECK(jar.sent_to(www_url).empty());
        CHECK(jar.jar.size() == 0);
    }
    Jar jar;
    jar.take(www_url, "a=b");
    jar.take(www_url, "a=x; Max-Age=0");
    CHECK(jar.sent_to(www_url).empty());
    CHECK(jar.jar.has_known(url_of(www_url)));
    CHECK_FALSE(jar.jar.has_known(url_of("https://other.example/")));
}

TEST_CASE("a new value takes the old one's place, longer paths come first, then older") {
    Jar jar;
    const std::string url = "http://h.example/a/b/c";
    jar.take(url, "one=1; Path=/");
    jar.take(url, "two=2; Path=/a/b");
    jar.take(url, "three=3; Path=/");
    jar.take(url, "one=0; Path=/a");
    jar.take(url, "one=4; Path=/");
    CHECK(jar.sent_to(url) == "two=2; one=0; one=4; three=3");
    CHECK(jar.jar.size() == 4);
}

TEST_CASE("there is room for 50 cookies of a site: what was not used for longest goes") {
    Jar jar;
    const std::string base = "http://h.example/";
    for (std::size_t i = 0; i < CookieJar::most_of_site; ++i)
        jar.take(base, fmt::format("c{0}={0}; Path=/{0}", i));
    CHECK(jar.sent_to(base + "0") == "c0=0");
    jar.take("http://other.example/", "x=y");
    jar.take(base, "new=1; Path=/new");
    CHECK(jar.jar.size() == CookieJar::most_of_site + 1);
    CHECK(jar.sent_to(base + "0") == "c0=0");
    CHECK(jar.sent_to(base + "1").empty());
    CHECK(jar.sent_to("http://other.example/") == "x=y");
    jar.take(base, "c7=7; Path=/7; Max-Age=1");
    jar.now += 1s;
    jar.take(base, "c8=8; Path=/8");
    jar.take(base, "newer=1; Path=/newer");
    CHECK(jar.sent_to(base + "7").empty()); // it had expired
    CHECK(jar.sent_to(base + "2") == "c2=2");
}

TEST_CASE("there is room for 3000 cookies in all") {
    Jar jar;
    const auto site = [](std::size_t i) { return fmt::format("http://h{}.example/", i); };
    for (std::size_t i = 0; i < CookieJar::most; ++i)
        jar.take(site(i), "a=b");
    CHECK(jar.sent_to(site(0)) == "a=b");
    jar.take(site(2), "a=b; Max-Age=1");
    jar.take("http://new.example/", "a=b");
    CHECK(jar.jar.size() == CookieJar::most);
    CHECK(jar.sent_to(site(0)) == "a=b");
    CHECK(jar.sent_to(site(1)).empty());
    jar.now += 1s;
    jar.take("http://newer.example/", "a=b");
    CHECK(jar.sent_to(site(2)).empty()); // it had expired
    CHECK(jar.sent_to(site(3)) == "a=b");
    CHECK(jar.jar.size() == CookieJar::most);
}

TEST_CASE("a request has no more than 8 KiB of them") {
    Jar jar;
    for (int i = 0; i < 5; ++i)
        jar.take(www_url, fmt::format("c{}={}", i, std::string(3000, 'x')));
    jar.take(www_url, "small=1");
    const std::string header = jar.sent_to(www_url);
    CHECK(header.size() <= CookieJar::longest_header);
    CHECK(header.size() > 6000);
    CHECK(header.ends_with("; small=1"));
}

TEST_CASE("each Set-Cookie header is one cookie, whatever its commas") {
    stage3::ResponseHead head(10'000);
    for (const auto* const line : {"HTTP/1.1 200 OK\r\n", "Set-Cookie: a=b, c=d\r\n",
                                   "X: y\r\n", "set-cookie: e=f\r\n", "\r\n"})
        REQUIRE(head.take(line));
    CookieJar jar;
    jar.take_all(url_of(www_url), head);
    CHECK(jar.header_for(url_of(www_url), CookieJar::now()) == "a=b, c=d; e=f");
}
