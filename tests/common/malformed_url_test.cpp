// Links that aren't URLs: which ones are reported, as what, and why.
#include "common/text/ascii.h"
#include "common/web/malformed_url.h"
#include "tests/support/prelude.h"

namespace {

/// "TEXT: WHY", with a question mark if that isn't sure; empty if it isn't reported.
std::string told(std::string_view reference) {
    const auto url = common::malformed_url(reference);
    if (!url)
        return {};
    CHECK(url->is_malformed());
    const auto [why, is_sure] = common::explain(*url);
    return fmt::format("{}: {}{}", url->href(), why, is_sure ? "" : "?");
}

} // namespace

TEST_CASE("a link that isn't a URL is reported as it's written, and says why") {
    struct Case {
        const char* reference;
        const char* text; // null: as `reference`
        const char* why;
    };
    const char* const host = "it has no host";
    const char* const blank = "its host contains a blank";
    const char* const v6 = "the brackets don't hold an IPv6 address";
    const char* const v4 = "its host ends in a number, but isn't an IPv4 address";
    const char* const port = "its port isn't a number up to 65535";
    const std::vector<Case> cases{
        {"http://", nullptr, host},
        {"https:/", nullptr, host},
        {"//", nullptr, host},
        {"\\\\", nullptr, host},
        {"http://?q", nullptr, host},
        {"http://:80/", nullptr, host},
        {"http:// a/b", nullptr, blank},
        {"http://a%20b/", nullptr, blank},
        {"//a b/c?d e", nullptr, blank},
        {" \n http://a b/#c d \t", "http://a b/", blank},
        {"ht\ntp://a b/", "http://a b/", blank},
        {"HTTP://A B/", nullptr, blank},
        {"http://me:secret@a b/p@q", "http://***@a b/p@q", blank},
        {"http://me@", "http://***@", host},
        {"http://me:secret@//h/", "http://***@//h/", host},
        {"http://@", nullptr, host},
        {"http://<server>/", nullptr, "its host contains a <"},
        {"http://a%2Fb/", nullptr, "its host contains a /"},
        {"http://a%b/", nullptr, "its host contains a %"},
        {"http://a\x01/", "http://a%01/", "its host contains a control character"},
        {"http://a%00/", nullptr, "its host contains a control character"},
        {"http://a b/\xc3\xbc", "http://a b/%C3%BC", blank},
        {"http://[::1/", nullptr, v6},
        {"http://[::1]x/", nullptr, v6},
        {"http://[]:80/", nullptr, v6},
        {"http://1.2.3.4.5/", nullptr, v4},
        {"http://256.256.256.256/", nullptr, v4},
        {"http://a.0x/", nullptr, v4},
        {"http://h:99999/", nullptr, port},
        {"http://h:8o/", nullptr, port},
        {"http://[::1]:x/", nullptr, port},
    };
    const common::Url page = *common::parse_url("http://h/");
    for (const auto& [reference, text, why] : cases) {
        CAPTURE(reference);
        CHECK(!common::resolve_url(reference, page));
        CHECK(
            told(reference)
            == fmt::format("{}: not a URL: {}", text != nullptr ? text : reference, why));
    }
}

TEST_CASE("a scheme that is one letter away from http or https may be known elsewhere") {
    for (const std::string scheme : {"htpp", "ttp", "htp", "htttp", "hhtp", "thtp",
                                     "http2", "httpss", "htps", "httsp", "HTPP"})
        CHECK(told(scheme + "://h/")
              == fmt::format("{}://h/: unknown scheme {}: (http?)?", scheme,
                             common::lower(scheme)));
    CHECK(told("htpp://me:secret@h/") == "htpp://***@h/: unknown scheme htpp: (http?)?");
    for (const std::string scheme : {"mailto", "javascript", "ftp", "data", "tel",
                                     "shttp", "hxxp", "htlp2", "h", "file", "about"})
        CHECK(told(scheme + "://h/").empty());
}

TEST_CASE("a host may have letters that a browser knows, and we don't") {
    CHECK(told("http://\xff/")
          == "http://%FF/: perhaps not a URL: its host has letters that can't be "
             "converted?");
}

TEST_CASE("what is only too long isn't reported as malformed") {
    constexpr std::size_t most = common::max_url_length;
    CHECK(told("http://a b/" + std::string(most, 'x')).empty());
    CHECK(told(std::string(most + 1, 'x')).empty());
    // Percent-encoded, these are longer than they look.
    const common::Url page = *common::parse_url("http://h/");
    for (const std::string beginning :
         {"http://h/", "//h/", "https://h/?", "http://[::1]:8080/", "http://me@h/",
          "HTTP:h2/", "//h?"}) {
        CAPTURE(beginning);
        const std::string text = beginning + std::string(most / 2, '"');
        CHECK(!common::resolve_url(text, page));
        CHECK(told(text).empty());
    }
    CHECK(told("http://" + std::string(most - 7, 'h')).empty());
}

TEST_CASE("a malformed URL has no parts, and is read again as it's written") {
    for (const char* text : {"//", "http://", "http://a b:80/c", "htpp://h/",
                             "http://***@/", "htt:/@/me:pw@h/"}) {
        CAPTURE(text);
        const auto url = common::read_href(text);
        REQUIRE(url);
        CHECK(url->is_malformed());
        CHECK(url->href() == text);
        CHECK(url->scheme().empty());
        CHECK(url->host().empty());
        CHECK(url->authority().empty());
        CHECK(url->port() == 0);
        CHECK(url == common::malformed_url(text));
    }
    const auto sound = common::read_href("http://h/");
    REQUIRE(sound);
    CHECK_FALSE(sound->is_malformed());
    CHECK_FALSE(common::read_href("h"));
    CHECK_FALSE(common::read_href("mailto:a@b"));
}

TEST_CASE("what a fragment has kept from being a URL is no URL without it, either") {
    for (const char* const reference :
         {"http://a #", "http://a #b", " //a  # b", "http:// #", "htp://a #b",
          "http://a:1 #/", "https://[::1] #"}) {
        CAPTURE(reference);
        const auto url = common::malformed_url(reference);
        REQUIRE(url);
        CHECK_FALSE(common::parse_url(url->href()));
        CHECK(common::malformed_url(url->href()) == url);
    }
}
