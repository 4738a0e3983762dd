#include "common/web/url.h"
#include "tests/support/prelude.h"
#include "tests/support/url.h"

#include <unordered_set>

using namespace common;

namespace {

/// The normal form of an absolute URL, or "none".
std::string parsed(std::string_view text) {
    const auto url = parse_url(text);
    return std::string(url ? url->href() : "none");
}

std::string resolved(std::string_view reference,
                     std::string_view base = "http://h/a/b/c.html?q") {
    const auto url = resolve_url(reference, *parse_url(base));
    return std::string(url ? url->href() : "none");
}

void check_refused(std::initializer_list<const char*> texts) {
    for (const char* text : texts) {
        CAPTURE(text);
        CHECK(parsed(text) == "none");
    }
}

} // namespace

TEST_CASE("a URL gives access to its parts") {
    struct Parts {
        const char *url, *scheme, *host, *authority;
        int port;
        const char* target;
    };
    for (const Parts& parts : {
             Parts{"http://example.com:8080/a/b?c=d", "http", "example.com",
                   "example.com:8080", 8080, "/a/b?c=d"},
             {"http://h/", "http", "h", "h", 80, "/"}, // its scheme's default port
             {"https://h/", "https", "h", "h", 443, "/"},
             {"http://[::1]:8000/x", "http", "[::1]", "[::1]:8000", 8000, "/x"},
         }) {
        const auto url = *parse_url(parts.url);
        CHECK(url.scheme() == parts.scheme);
        CHECK(url.host() == parts.host);
        CHECK(url.authority() == parts.authority);
        CHECK(url.port() == parts.port);
        CHECK(url.target() == parts.target);
    }
}

TEST_CASE("host_is_address distinguishes addresses from names") {
    for (const std::string_view address :
         {"http://127.0.0.1/", "http://127.1/", "http://0x7f000001/", "http://[::1]/",
          "http://[::ffff:1.2.3.4]:80/"})
        CHECK(common::parse_url(address).value().host_is_address());
    for (const std::string_view name :
         {"http://localhost/", "http://a.example/", "http://1.example/", "http://a1/",
          "http://127.0.0.1.example/", "http://1a/"})
        CHECK_FALSE(common::parse_url(name).value().host_is_address());
}

TEST_CASE("different spellings of a URL become one URL, and different paths stay") {
    CHECK(parsed("HTTP://EXAMPLE.com/") == "http://example.com/");
    CHECK(parsed("http://h") == "http://h/");
    CHECK(parsed("http://h?q") == "http://h/?q");
    CHECK(parsed("https://h:443/") == "https://h/");
    CHECK(parsed("http://h/a/../b/./c") == "http://h/b/c");
    CHECK(parsed("http://h/#part") == "http://h/");
    CHECK(parsed("  http://h/x \n") == "http://h/x");
    CHECK(parsed("http://user:secret@h/") == "http://h/");
    for (const char* url :
         {"http://h/A", "http://h/a/", "http://h/%7Ea", "http://h/a%2Fc"})
        CHECK(parsed(url) == url);
}

TEST_CASE("text that is not an http or https URL is refused") {
    check_refused({"", "nonsense", "nonsense:", "mailto:me@example.com",
                   "javascript:void 0", "ftp://h/", "file:///etc/passwd", "http://",
                   "//h/x", "/x"});
}

TEST_CASE("a byte of zero does not end a URL early") {
    CHECK(parsed(std::string_view("http://h/a\0b", 12)) == "http://h/a%00b");
    CHECK(resolved(std::string_view("a\0b", 3)) == "http://h/a/b/a%00b");
    CHECK(parsed(std::string_view("http://h\0b/", 11)) == "none");
}

TEST_CASE("a URL longer than the limit is refused") {
    const std::string prefix = "http://h/";
    const std::string longest =
        prefix + std::string(common::max_url_length - prefix.size(), 'a');
    CHECK(parsed(longest) == longest);
    CHECK(parsed(longest + "a") == "none");
}

TEST_CASE("a reference may be an absolute URL, of any scheme") {
    CHECK(resolved("https://other.org") == "https://other.org/");
    CHECK(resolved("mailto:me@example.com") == "none");
    CHECK(resolved("javascript:void(0)") == "none");
    CHECK(resolved("data:text/html,x") == "none");
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

TEST_CASE("a login is parsed but is not part of the URL") {
    using common::Login;
    const auto login = [](const char* text) {
        // Whatever the login, the URL is the same.
        CHECK(parse_root_url(text)->href() == "http://h/a@b:c");
        return common::login_in(text);
    };
    CHECK(login("http://me:secret@h/a@b:c") == Login{"me", "secret"});
    CHECK(login("http://me@h/a@b:c") == Login{"me", ""});
    CHECK(login("http://:secret@h/a@b:c") == Login{"", "secret"});
    CHECK(login("http://m%65:s%3Acr%40t:%2f@h/a@b:c") == Login{"me", "s:cr@t:/"});
    CHECK(login("http://me:one@two@h/a@b:c") == Login{"me", "one@two"});
    CHECK(login("http://h/a@b:c") == std::nullopt);
    CHECK(login("http://@h/a@b:c") == std::nullopt);
    CHECK(login("http://:@h/a@b:c") == std::nullopt);
    CHECK(login("h/a@b:c") == std::nullopt);
    CHECK(login("http:/me:secret@h/a@b:c") == Login{"me", "secret"});
    CHECK(login("http:\\\\me:secret@h/a@b:c") == Login{"me", "secret"});
    CHECK(login("http:me:secret@h/a@b:c") == Login{"me", "secret"});
    CHECK(login("http://me:sec\nret@h/a@b:c") == Login{"me", "secret"});
    CHECK(login("me@h/a@b:c") == Login{"me", ""});
    CHECK(login("me:1secret@h/a@b:c") == Login{"me", "1secret"});
    for (const char* none :
         {"", "h", "//", "http:", "http://h?me:secret@x", "http://h#a:b@c",
          "h/x//me:secret@y/", "ftp://me:secret@h/", "http://me:secret@h:99999/"})
        CHECK(common::login_in(none) == std::nullopt);
    CHECK(parse_url("https://me@h:8080/a?b")->origin() == "https://h:8080");
}

TEST_CASE("URLs can be compared, sorted and put into sets") {
    std::unordered_set<common::Url> seen;
    CHECK(seen.insert(*parse_url("http://h/a")).second);
    CHECK_FALSE(seen.insert(*parse_url("http://H/./a#x")).second);
    CHECK(*parse_url("http://h/a") < *parse_url("http://h/b"));
}

// The rest follows the URL Standard, section by section: https://url.spec.whatwg.org/

TEST_SUITE("section 1.3, percent-encoded bytes") {
    TEST_CASE("each part of a URL has its own set of encoded characters") {
        CHECK(parsed("http://h/\"#") == "http://h/%22");
        CHECK(parsed("http://h/<>^`{}") == "http://h/%3C%3E%5E%60%7B%7D");
        CHECK(parsed("http://h/!$&'()*+,-.:;=@_~|[]") == "http://h/!$&'()*+,-.:;=@_~|[]");
        CHECK(parsed("http://h/?\"<>'") == "http://h/?%22%3C%3E%27");
        CHECK(parsed("http://h/?^`{}|[]\\/?") == "http://h/?^`{}|[]\\/?");
        CHECK(parsed("http://h/\x7f?\x7f") == "http://h/%7F?%7F");
        CHECK(parsed("http://h/\xc3\xa9") == "http://h/%C3%A9");
        CHECK(parsed("http://h/a b?c d") == "http://h/a%20b?c%20d");
        CHECK(parsed("http://h/a\x01") == "http://h/a"); // at the end, it's a blank
        CHECK(parsed("http://h/a\x01z") == "http://h/a%01z");
    }
    TEST_CASE("text with percent signs stays as it is, even if they encode nothing") {
        CHECK(parsed("http://h/%41%zz%?%41%zz%") == "http://h/%41%zz%?%41%zz%");
    }
}

TEST_SUITE("section 3.5, hosts") {
    TEST_CASE("a host is percent-decoded and then lowercased") {
        CHECK(parsed("http://EX%41mple.COM/") == "http://example.com/");
        CHECK(parsed("http://h%2e/") == "http://h./");
        CHECK(parsed("http://a_b-c.d/") == "http://a_b-c.d/");
    }
    TEST_CASE("a host with a forbidden code point is refused, encoded or not") {
        check_refused({"http://a b/", "http://a%20b/", "http://a%2fb/", "http://a%3Ab/",
                       "http://a|b/", "http://a<b/", "http://a>b/", "http://a^b/",
                       "http://a%b/", "http://a%25b/", "http://a%00b/", "http://a\x01z/",
                       "http://a\x7fz/", "http://a[b/", "http://a]b/", "http://a%5Db/",
                       "http://%/"});
    }
    TEST_CASE("a non-ASCII host is converted to ASCII") {
        CHECK(parsed("http://b\xc3\xbc"
                     "cher.example/")
              == "http://xn--bcher-kva.example/");
        CHECK(parsed("http://B\xc3\x9c"
                     "CHER.example/")
              == "http://xn--bcher-kva.example/");
        CHECK(parsed("http://b%C3%BC"
                     "cher.example/")
              == "http://xn--bcher-kva.example/");
        CHECK(parsed("http://\xff.example/") == "none"); // not UTF-8
    }
    TEST_CASE("a host that ends in a number is an IPv4 address in any form") {
        CHECK(parsed("http://127.0.0.1/") == "http://127.0.0.1/");
        CHECK(parsed("http://127.1/") == "http://127.0.0.1/");
        CHECK(parsed("http://2130706433/") == "http://127.0.0.1/");
        CHECK(parsed("http://0x7f.0.0.0x1/") == "http://127.0.0.1/");
        CHECK(parsed("http://0177.0.0.1/") == "http://127.0.0.1/");
        CHECK(parsed("http://0X7F000001/") == "http://127.0.0.1/");
        CHECK(parsed("http://127.0.0.1./") == "http://127.0.0.1/");
        CHECK(parsed("http://0x/") == "http://0.0.0.0/");
        CHECK(parsed("http://1.65535/") == "http://1.0.255.255/");
        CHECK(parsed("http://4294967295/") == "http://255.255.255.255/");
        CHECK(parsed("http://255.1/") == "http://255.0.0.1/");
    }
    TEST_CASE("a host that ends in a number but is no IPv4 address is refused") {
        check_refused({"http://4294967296/", "http://1.2.3.4.5/", "http://1.2.3.256/",
                       "http://256.1/", "http://1..2/", "http://09/", "http://a.0x1g.2/",
                       "http://a.1/", "http://1.2.65536/",
                       "http://99999999999999999999999/", "http://.1/"});
        CHECK(parsed("http://1.a/") == "http://1.a/"); // doesn't end in a number
        CHECK(parsed("http://1e2/") == "http://1e2/");
    }
    TEST_CASE("IPv6 addresses have one normal form") {
        CHECK(parsed("http://[0:0:0:0:0:0:0:1]/") == "http://[::1]/");
        CHECK(parsed("http://[1:0::]/") == "http://[1::]/");
        CHECK(parsed("http://[1:0:0:2:0:0:0:3]/") == "http://[1:0:0:2::3]/");
        CHECK(parsed("http://[1:0:0:2:0:0:3:4]/") == "http://[1::2:0:0:3:4]/");
        CHECK(parsed("http://[1:0:2:3:4:5:6:7]/") == "http://[1:0:2:3:4:5:6:7]/");
        CHECK(parsed("http://[ABCD::00ef]/") == "http://[abcd::ef]/");
        CHECK(parsed("http://[::ffff:192.0.2.1]/") == "http://[::ffff:c000:201]/");
        CHECK(parsed("http://[::]:81/") == "http://[::]:81/");
    }
    TEST_CASE("malformed IPv6 addresses are refused") {
        check_refused({"http://[]/", "http://[:1]/", "http://[1:]/", "http://[1::2::3]/",
                       "http://[1:2:3:4:5:6:7]/", "http://[1:2:3:4:5:6:7:8:9]/",
                       "http://[1:2:3:4:5:6:7::8]/", "http://[12345::]/", "http://[g::]/",
                       "http://[::1.2.3]/", "http://[::1.2.3.256]/",
                       "http://[::1.2.3.04]/", "http://[1:2:3:4:5:6:7:1.2.3.4]/",
                       "http://[::1.2.3.4:5]/", "http://[::1]x/", "http://[::1%25eth0]/",
                       "http://[::.1.2.3]/", "http://[:::]/",
                       "http://[1:2:3:4:5:6:7:8:]/"});
    }
}

TEST_SUITE("section 4.4, the parser's states") {
    TEST_CASE("scheme: any number of slashes or backslashes is forgiven") {
        CHECK(parsed("http:h/x") == "http://h/x");
        CHECK(parsed("http:/h/x") == "http://h/x");
        CHECK(parsed("http:////h/x") == "http://h/x");
        CHECK(parsed("hTTp:\\/h\\x") == "http://h/x");
        CHECK(resolved("http:d") == "http://h/a/b/d"); // relative, as in old pages
        CHECK(resolved("http:/d") == "http://h/d");
        CHECK(resolved("https:d") == "https://d/");
        CHECK(resolved("1x:y") == "http://h/a/b/1x:y"); // a scheme begins with a letter
        CHECK(resolved("a!:y") == "http://h/a/b/a!:y");
        CHECK(resolved("x-y+z.1:") == "none");
    }
    TEST_CASE("relative: leading backslashes count as slashes") {
        CHECK(resolved("\\d") == "http://h/d");
        CHECK(resolved("\\\\other.org\\d") == "http://other.org/d");
        CHECK(resolved("/\\other.org/d") == "http://other.org/d");
        CHECK(resolved("////other.org/d") == "http://other.org/d");
        CHECK(resolved("//") == "none");
    }
    TEST_CASE("authority: user and password are removed, whatever they contain") {
        CHECK(parsed("http://a:b@c@h/") == "http://h/");
        CHECK(parsed("http://@h/") == "http://h/");
        CHECK(parsed("http://a@/x") == "none");
        CHECK(parsed("http://a:80@/") == "none");
    }
    TEST_CASE("port: only digits up to 65535 are accepted") {
        CHECK(parsed("http://h:/") == "http://h/");
        CHECK(parsed("http://h:0/") == "http://h:0/");
        CHECK(parsed("http://h:00080/") == "http://h/");
        CHECK(parsed("http://h:65535/") == "http://h:65535/");
        check_refused({"http://h:65536/", "http://h:8a/", "http://h:-1/", "http://h:1:2/",
                       "http://:80/", "http://h:99999999999999/"});
        CHECK(parsed("https://h:80/") == "https://h:80/");
    }
    TEST_CASE("path: dot segments are resolved in all their forms") {
        CHECK(parsed("http://h/a/%2e/b") == "http://h/a/b");
        CHECK(parsed("http://h/a/%2E%2e/b") == "http://h/b");
        CHECK(parsed("http://h/a/.%2e/b") == "http://h/b");
        CHECK(parsed("http://h/a/..") == "http://h/");
        CHECK(parsed("http://h/a/b/.") == "http://h/a/b/");
        CHECK(parsed("http://h/..\\../a") == "http://h/a");
        CHECK(parsed("http://h/.../...") == "http://h/.../...");
        CHECK(parsed("http://h/a//../b") == "http://h/a/b");
        CHECK(parsed("http://h//a") == "http://h//a");
        CHECK(parsed("http://h/%2e.%2e") == "http://h/%2e.%2e");
    }
    TEST_CASE("query: it is kept even if it is empty") {
        CHECK(parsed("http://h/?") == "http://h/?");
        CHECK(parsed("http://h/a?b?c#d") == "http://h/a?b?c");
        CHECK(parsed("http://h/a?/../b") == "http://h/a?/../b");
        CHECK(resolved("?") == "http://h/a/b/c.html?");
        CHECK(resolved("./?q") == "http://h/a/b/?q");
        CHECK(resolved("..?q") == "http://h/a/?q");
    }
    TEST_CASE("tabs and line breaks are removed, wherever they are") {
        CHECK(parsed("ht\ntp://h\t/a\r\nb?c\nd") == "http://h/ab?cd");
        CHECK(resolved("\t/\n/other.org/") == "http://other.org/");
        CHECK(resolved("\x01 d \x1f") == "http://h/a/b/d");
    }
}

TEST_SUITE("RFC 3986, section 5.4") {
    TEST_CASE("references resolve as in the examples of the RFC") {
        const std::map<std::string, std::string> examples{
            {"g", "b/c/g"},
            {"./g", "b/c/g"},
            {"g/", "b/c/g/"},
            {"/g", "g"},
            {"?y", "b/c/d;p?y"},
            {"g?y", "b/c/g?y"},
            {"#s", "b/c/d;p?q"},
            {"g#s", "b/c/g"},
            {";x", "b/c/;x"},
            {"g;x", "b/c/g;x"},
            {"", "b/c/d;p?q"},
            {".", "b/c/"},
            {"./", "b/c/"},
            {"..", "b/"},
            {"../", "b/"},
            {"../g", "b/g"},
            {"../..", ""},
            {"../../", ""},
            {"../../g", "g"},
            {"../../../g", "g"},
            {"/./g", "g"},
            {"/../g", "g"},
            {"g.", "b/c/g."},
            {".g", "b/c/.g"},
            {"g..", "b/c/g.."},
            {"..g", "b/c/..g"},
            {"./../g", "b/g"},
            {"./g/.", "b/c/g/"},
            {"g/./h", "b/c/g/h"},
            {"g/../h", "b/c/h"},
            {"g;x=1/./y", "b/c/g;x=1/y"},
            {"g;x=1/../y", "b/c/y"},
            {"g?y/../x", "b/c/g?y/../x"},
        };
        for (const auto& [reference, expected] : examples) {
            CAPTURE(reference);
            CHECK(resolved(reference, "http://a/b/c/d;p?q") == "http://a/" + expected);
        }
    }
}

TEST_CASE("the short and the long way to resolve a reference give the same URL") {
    // A leading "./" takes the long way.
    for (const char* path : {"d", "d.html", "d/e/f.html", "a~b_c-d!$&()*+,;=@", "d./e",
                             "d/", "d/e/", "d#f", "d/#/f/../g", ""}) {
        for (const char* base :
             {"http://h/a/b/c.html?q/r", "http://h/", "https://h:8/a/"}) {
            CAPTURE(path);
            const std::string origin(tests::url_of(base).origin());
            if (*path != '\0')
                CHECK(resolved(path, base) == resolved(std::string("./") + path, base));
            const std::string rooted = resolved(std::string("/./") + path, base);
            CHECK(resolved(std::string("/") + path, base) == rooted);
            CHECK(resolved(origin + "/" + path, base) == rooted);
            CHECK(rooted.starts_with(origin + "/"));
        }
    }
    const std::string deep = "http://h/" + std::string(common::max_url_length - 9, 'a');
    CHECK(resolved("b", deep) == "http://h/b");
    const std::string folder = deep.substr(0, deep.size() - 1) + "/";
    CHECK(resolved("bc", folder) == "none");
}

TEST_CASE("an origin that is parsed again equals one taken from the page") {
    for (const char* origin :
         {"http://h", "https://h:8", "http://[::1]", "http://1.2.3.4:8080"}) {
        for (const char* rest :
             {"", "/", "/a/../b", "//b/c", "/\\b", "/./", "?q", "#f", "/?q#f", "\\b",
              "/b c", "x/b", ":80/b", ":81/b", "@other/b", "/@b:c/d", ".other/b"}) {
            const std::string url = std::string(origin) + rest;
            CAPTURE(url);
            CHECK(resolved(url, std::string(origin) + "/a/b?q") == parsed(url));
        }
    }
}

TEST_CASE("a URL in normal form is parsed unchanged") {
    for (const char* text : {"http://h/", "https://[::1]:8/a%20b/?c%22d", "http://h//a/?",
                             "http://127.0.0.1/%zz", "http://xn--bcher-kva.example/"}) {
        CHECK(parsed(text) == text);
        CHECK(parse_url(parsed(text))->target() == parse_url(text)->target());
    }
}
