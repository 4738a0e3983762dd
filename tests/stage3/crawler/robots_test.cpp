// Numbers in the tests' names are the sections of RFC 9309.
#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/robots.h"
#include "tests/support/prelude.h"

using stage3::Robots;

namespace {

/// Reads a file as "Test-Bot_x" would.
Robots read(std::string_view text) { return Robots::parse(text, "Test-Bot_x"); }

/// Reads rules that are for everyone.
Robots rules(const std::string& lines) { return read("User-agent: *\n" + lines); }

/// True if a rule with this path matches the target.
bool matches(const std::string& path, std::string_view target) {
    return !rules("Disallow: " + path).allows(target);
}

double delay(const std::string& lines) {
    return rules(lines).crawl_delay().value_or(Robots::Duration(-1)).count();
}

std::string repeat(std::string_view text, std::size_t times) {
    std::string result;
    for (std::size_t i = 0; i < times; ++i)
        result += text;
    return result;
}

} // namespace

TEST_CASE("2.1: several names may share a group") {
    const std::string_view text = "User-agent: red\n"
                                  "User-agent: green\n"
                                  "User-agent: blue\n"
                                  "Disallow: /paint\n"
                                  "Disallow: /brush\n";
    for (const auto* name : {"red", "green", "blue"}) {
        CHECK_FALSE(Robots::parse(text, name).allows("/paint"));
        CHECK_FALSE(Robots::parse(text, name).allows("/brush"));
    }
    CHECK(Robots::parse(text, "white").allows("/paint"));
}

TEST_CASE("2.1: a name after a rule begins a new group") {
    const std::string_view text = "User-agent: red\n"
                                  "Disallow: /fire\n"
                                  "User-agent: green\n"
                                  "Disallow: /grass\n";
    CHECK_FALSE(Robots::parse(text, "red").allows("/fire"));
    CHECK(Robots::parse(text, "red").allows("/grass"));
    CHECK(Robots::parse(text, "green").allows("/fire"));
    CHECK_FALSE(Robots::parse(text, "green").allows("/grass"));
}

TEST_CASE(
    "2.1: a name after a rule begins a new group, also with '*' before or after it") {
    const Robots first = read("User-agent: *\nDisallow: /a\n"
                              "User-agent: other\nDisallow: /b");
    CHECK_FALSE(first.allows("/a"));
    CHECK(first.allows("/b"));
    const Robots last = read("User-agent: other\nDisallow: /b\n"
                             "User-agent: *\nDisallow: /a");
    CHECK_FALSE(last.allows("/a"));
    CHECK(last.allows("/b"));
}

TEST_CASE("2.1: an empty rule ends the list of names, too") {
    const Robots robots = read("User-agent: Test-Bot_x\nDisallow:\n"
                               "User-agent: other\nDisallow: /\n");
    CHECK(robots.allows("/a"));
}

TEST_CASE("2.1: an empty line ends nothing") {
    const Robots robots = read("User-agent: Test-Bot_x\n\nUser-agent: other\n\n"
                               "Disallow: /a\n\n\nDisallow: /b\n");
    CHECK_FALSE(robots.allows("/a"));
    CHECK_FALSE(robots.allows("/b"));
}

TEST_CASE("2.1: a rule before any name belongs to no group") {
    const Robots robots = read("Disallow: /\nCrawl-delay: 3\nUser-agent: *\nAllow: /a\n");
    CHECK(robots.allows("/b"));
    CHECK_FALSE(robots.crawl_delay());
}

TEST_CASE("2.2: lines end with CR, LF or both, and the last one may have no end") {
    for (const auto* end : {"\r", "\n", "\r\n"}) {
        const Robots robots = read(std::string("User-agent: *") + end + "Disallow: /a"
                                   + end + end + "Disallow: /b$" + end + "Disallow: /c");
        CHECK_FALSE(robots.allows("/a"));
        CHECK_FALSE(robots.allows("/b"));
        CHECK_FALSE(robots.allows("/c"));
        CHECK(robots.allows("/d"));
        CHECK(robots.allows("/"));
    }
}

TEST_CASE("2.2: blanks around keys and values don't count, nor does the case of keys") {
    const Robots robots = read(" \tUSER-Agent \t:\t * \t\n"
                               "\tdisALLOW\t:/a\t \n"
                               "Disallow:/b$ \n"
                               "  ALLow  :  /a/b  \n"
                               "CRAWL-Delay : 4 \n");
    CHECK_FALSE(robots.allows("/a"));
    CHECK_FALSE(robots.allows("/b"));
    CHECK(robots.allows("/a/b"));
    CHECK(robots.crawl_delay() == Robots::Duration(4));
}

TEST_CASE("2.2.1: if a group has our name, only its rules count") {
    const std::string_view text = "User-agent: *\nDisallow: /all\nCrawl-delay: 9\n"
                                  "User-agent: Test-Bot_x\nDisallow: /us\n"
                                  "User-agent: *\nDisallow: /everyone\n";
    CHECK_FALSE(read(text).allows("/us"));
    CHECK(read(text).allows("/all"));
    CHECK(read(text).allows("/everyone"));
    CHECK_FALSE(read(text).crawl_delay());
    CHECK(Robots::parse(text, "other").allows("/us"));
}

TEST_CASE("2.2.1: a crawler that is named and forbidden nothing may fetch everything") {
    CHECK(read("User-agent: Test-Bot_x\nDisallow:\nUser-agent: *\nDisallow: /")
              .allows("/a"));
    CHECK(read("User-agent: *\nDisallow: /\nUser-agent: Test-Bot_x").allows("/a"));
}

TEST_CASE("2.2.1: all groups with our name count as one") {
    const Robots robots = read("User-agent: Test-Bot_x\nDisallow: /a\n"
                               "User-agent: other\nDisallow: /b\n"
                               "User-agent: test-bot_X\nDisallow: /c\nAllow: /a/b\n");
    CHECK_FALSE(robots.allows("/a"));
    CHECK(robots.allows("/b"));
    CHECK_FALSE(robots.allows("/c"));
    CHECK(robots.allows("/a/b"));
}

TEST_CASE("2.2.1: all groups for everyone count as one") {
    const Robots robots = read("User-agent: *\nDisallow: /a\n"
                               "User-agent: other\nDisallow: /b\n"
                               "User-agent: third\nUser-agent: *\nDisallow: /c\n");
    CHECK_FALSE(robots.allows("/a"));
    CHECK(robots.allows("/b"));
    CHECK_FALSE(robots.allows("/c"));
}

TEST_CASE("2.2.1: a group may be for us and for everyone") {
    const std::string_view text = "User-agent: *\nUser-agent: Test-Bot_x\nDisallow: /a\n";
    CHECK_FALSE(read(text).allows("/a"));
    CHECK_FALSE(Robots::parse(text, "other").allows("/a"));
}

TEST_CASE("2.2.1: if no group applies to us, everything is allowed") {
    for (const auto* text :
         {"", "\n", "User-agent: other\nDisallow: /\n", "Disallow: /\n",
          "User-agent: *\n", "User-agent:\nDisallow: /", "User-agent: *bot\nDisallow: /",
          "User-agent: **\nDisallow: /"})
        CHECK(read(text).allows("/a"));
}

TEST_CASE("2.2.1: a name is letters, - and _, in any case, and what follows is ignored") {
    for (const auto* name : {"Test-Bot_x", "TEST-BOT_X", "test-bot_x/1.0", "test-bot_x 2",
                             "test-bot_x*", "Test-Bot_x (+http://h/)", "Test-Bot_x7"})
        CHECK_FALSE(
            read("User-agent: " + std::string(name) + "\nDisallow: /").allows("/"));
    for (const auto* name : {"Test-Bot", "Test-Bot_xy", "Test-Bot_x-", "Bot_x", "x",
                             "1Test-Bot_x", "Mozilla/5.0 Test-Bot_x", "/"})
        CHECK(read("User-agent: " + std::string(name) + "\nDisallow: /").allows("/"));
}

TEST_CASE("2.2.1: our own name may have a version, and without a name the rules for "
          "everyone count") {
    const std::string_view text = "User-agent: bee\nDisallow: /b\n"
                                  "User-agent: *\nDisallow: /a\n"
                                  "User-agent:\nDisallow: /c\n";
    CHECK_FALSE(Robots::parse(text, "Bee/2.0 (honey)").allows("/b"));
    CHECK(Robots::parse(text, "Bee/2.0 (honey)").allows("/a"));
    CHECK_FALSE(Robots::parse(text, "").allows("/a"));
    CHECK(Robots::parse(text, "").allows("/c"));
}

TEST_CASE("2.2.1: '*' may be followed by a blank and more") {
    CHECK_FALSE(read("User-agent: * everyone\nDisallow: /").allows("/"));
}

TEST_CASE("2.2.2: a rule matches from the start of the path to its own end") {
    CHECK(matches("/tea", "/tea"));
    CHECK(matches("/tea", "/teapot"));
    CHECK(matches("/tea", "/tea/green?cup=2"));
    CHECK(matches("/tea?cup", "/tea?cup=2"));
    CHECK_FALSE(matches("/tea", "/te"));
    CHECK_FALSE(matches("/tea", "/a/tea"));
    CHECK_FALSE(matches("/tea/", "/tea"));
    CHECK_FALSE(matches("tea", "/tea"));
    CHECK(matches("/", "/"));
    CHECK(matches("/", "/anything?at=all"));
}

TEST_CASE("2.2.2: paths are case-sensitive") {
    CHECK(matches("/Tea", "/Tea"));
    CHECK_FALSE(matches("/Tea", "/tea"));
    CHECK_FALSE(matches("/tea", "/Tea"));
}

TEST_CASE("2.2.2: the longest rule that matches decides, wherever it is") {
    for (const auto* lines :
         {"Allow: /mail/open\nDisallow: /mail\nDisallow: /mail/open/up",
          "Disallow: /mail/open/up\nDisallow: /mail\nAllow: /mail/open",
          "Disallow: /mail\nAllow: /mail/open\nDisallow: /mail/open/up"}) {
        const Robots robots = rules(lines);
        CHECK(robots.allows("/"));
        CHECK_FALSE(robots.allows("/mail"));
        CHECK_FALSE(robots.allows("/mail/box"));
        CHECK(robots.allows("/mail/open"));
        CHECK(robots.allows("/mail/open/down"));
        CHECK_FALSE(robots.allows("/mail/open/up"));
    }
}

TEST_CASE("2.2.2: a rule's own length counts, with its signs, and not the length of its "
          "match") {
    CHECK(rules("Disallow: /*z\nAllow: /ab").allows("/abcdefgz"));
    CHECK_FALSE(rules("Disallow: /*yz\nAllow: /ab").allows("/abcdefgyz"));
    CHECK_FALSE(rules("Disallow: /a*\nAllow: /a").allows("/a"));
    CHECK_FALSE(rules("Disallow: /a$\nAllow: /a").allows("/a"));
    CHECK(rules("Disallow: /%7e\nAllow: /*?")
              .allows("/~?")); // counts as "/~", two characters
    // In the percent-encoded form, all octets of a character count.
    CHECK_FALSE(rules("Disallow: /\u00fc\nAllow: /*????").allows("/\u00fc????"));
}

TEST_CASE("2.2.2: of two equally long rules, the one that allows decides") {
    for (const auto* lines : {"Allow: /a\nDisallow: /a", "Disallow: /a\nAllow: /a",
                              "Disallow: /a*\nAllow: /ab", "Disallow: /ab\nAllow: /a*"})
        CHECK(rules(lines).allows("/abc"));
    CHECK(rules("Disallow: /\u00fc\nAllow: /%c3%bc").allows("/%C3%BC"));
}

TEST_CASE("2.2.2: an empty rule matches nothing") {
    CHECK(rules("Disallow:").allows("/"));
    CHECK(rules("Disallow: \t").allows("/a"));
    CHECK(rules("Disallow: # everything").allows("/a"));
    CHECK_FALSE(rules("Disallow: /\nAllow:").allows("/a"));
}

TEST_CASE("2.2.2: /robots.txt is always allowed") {
    CHECK(rules("Disallow: /").allows("/robots.txt"));
    CHECK(rules("Disallow: /robots.txt").allows("/robots.txt"));
    CHECK(rules("Disallow: /robots.txt$").allows("/robots%2etxt"));
    CHECK_FALSE(rules("Disallow: /").allows("/robots.txt.html"));
    CHECK_FALSE(rules("Disallow: /").allows("/a/robots.txt"));
}

TEST_CASE("2.2.2: an unreserved character is the same encoded or not") {
    for (const auto* plain : {"/~x", "/a-z", "/A.Z", "/0_9"}) {
        std::string encoded = "/";
        for (const char c : std::string_view(plain).substr(1)) {
            constexpr std::string_view digits = "0123456789abcdef";
            const auto octet = static_cast<unsigned char>(c);
            encoded += {'%', digits[octet / 16U], digits[octet % 16U]};
        }
        CAPTURE(encoded);
        CHECK(matches(plain, encoded));
        CHECK(matches(encoded, plain));
        CHECK(matches(encoded, encoded));
    }
    CHECK_FALSE(matches("/%41", "/a"));
}

TEST_CASE("2.2.2: a reserved character is not the same encoded and unencoded") {
    for (const auto* octet : {"2F", "3F", "26", "3D", "3B", "40", "2B", "5B", "21"}) {
        const auto plain =
            std::string(1, static_cast<char>(std::stoi(octet, nullptr, 16)));
        const std::string encoded = "%" + std::string(octet);
        CAPTURE(encoded);
        CHECK(matches("/x" + plain + "y", "/x" + plain + "y"));
        CHECK(matches("/x" + encoded + "y", "/x" + encoded + "y"));
        CHECK_FALSE(matches("/x" + plain + "y", "/x" + encoded + "y"));
        CHECK_FALSE(matches("/x" + encoded + "y", "/x" + plain + "y"));
    }
    CHECK_FALSE(matches("/100%25", "/100%")); // '%' is reserved, too
    CHECK_FALSE(matches("/%2541", "/A"));
    CHECK_FALSE(matches("/A", "/%2541"));
}

TEST_CASE("2.2.2: the case of hexadecimal digits makes no difference") {
    CHECK(matches("/a%2fb", "/a%2Fb"));
    CHECK(matches("/a%2Fb", "/a%2fb"));
    CHECK(matches("/%c3%Bc", "/%C3%bC"));
    CHECK(matches("/*%C", "/%c3%bc"));
}

TEST_CASE("2.2.2: a character outside ASCII is the same encoded or not") {
    CHECK(matches("/caf\u00e9", "/caf%C3%A9"));
    CHECK(matches("/caf%c3%a9", "/caf%C3%A9"));
    CHECK(matches("/\u8336/*.html$", "/%E8%8C%B6/a.html"));
    CHECK(matches("/caf%C3%A9", "/caf\u00e9"));
    CHECK_FALSE(matches("/caf\u00e9", "/cafe"));
    CHECK_FALSE(matches("/\xe9", "/%C3%A9")); // Latin-1 is not UTF-8
}

TEST_CASE("2.2.2: a character that is always encoded in a URL matches its encoding") {
    CHECK(matches("/my tea", "/my%20tea"));
    CHECK(matches("/\"{<^|>}\"", "/%22%7B%3C%5E%7C%3E%7D%22"));
    CHECK(matches("/a\\b", "/a%5cb"));
    CHECK(matches("/a|b", "/a|b"));
}

TEST_CASE("2.2.2: a % that encodes nothing stands for itself") {
    CHECK(matches("/100%", "/100%"));
    CHECK(matches("/100%$", "/100%"));
    CHECK(matches("/%zz", "/%zz"));
    CHECK(matches("/%+1", "/%+1"));
    CHECK(matches("/*%", "/a%20b"));
    CHECK(matches("/%2", "/%2"));
    CHECK_FALSE(matches("/%2", "/2"));
    CHECK_FALSE(matches("/%4g", "/%04"));
}

TEST_CASE("2.2.2: rules match a URL as the crawler stores it") {
    const auto url = common::parse_url("http://h/caf\u00e9/../t\u00e9 x/%7ea?q=\u00fc#z");
    REQUIRE(url);
    CHECK(matches("/t\u00e9 x/~a?q=\u00fc$", url->target()));
}

TEST_CASE("2.2.3: '#' begins a comment, wherever it is") {
    const Robots robots = read("# Disallow: /z\n"
                               "User-agent: * # all\n"
                               "Disallow: /a# not /a#b\n"
                               "Disallow: /b%23c\n"
                               "Disallow # : /d\n");
    CHECK_FALSE(robots.allows("/a"));
    CHECK_FALSE(robots.allows("/ab"));
    CHECK(robots.allows("/b"));
    CHECK_FALSE(robots.allows("/b%23c"));
    CHECK(robots.allows("/d"));
    CHECK(robots.allows("/z"));
}

TEST_CASE("2.2.3: '*' matches any sequence of characters, even the empty one") {
    CHECK(matches("/a*b", "/ab"));
    CHECK(matches("/a*b", "/a/x?y=/b/c"));
    CHECK_FALSE(matches("/a*b", "/ba"));
    CHECK_FALSE(matches("/a*b", "/xab"));
    CHECK(matches("*", "/"));
    CHECK(matches("*.gif", "/a/b.gif"));
    CHECK_FALSE(matches("*.gif", "/a/bgif"));
    CHECK(matches("/a**b***", "/ab"));
    CHECK(matches("/*one*two*three", "/one-two-three"));
    CHECK_FALSE(matches("/*one*two*three", "/one-three-two"));
    CHECK_FALSE(matches("/a*a", "/a")); // one character can't match twice
    CHECK_FALSE(matches("/*ab*bc", "/abc"));
    CHECK_FALSE(matches("/*aa*aa", "/aaa"));
    CHECK_FALSE(matches("/*aa*aa", "/aaab")); // long enough, but still one a too few
    CHECK(matches("/*aa*aa", "/aaaa"));
    CHECK(matches("/*aab", "/aaab")); // found where the first try fails
}

TEST_CASE("2.2.3: '$' at the end matches the end of the URL") {
    CHECK(matches("/a$", "/a"));
    CHECK_FALSE(matches("/a$", "/ab"));
    CHECK_FALSE(matches("/a$", "/a?b"));
    CHECK(matches("/$", "/"));
    CHECK_FALSE(matches("/$", "/a"));
    CHECK_FALSE(matches("$", "/"));
    CHECK(matches("/*.php$", "/a.php.php"));
    CHECK_FALSE(matches("/*.php$", "/a.php?x"));
    CHECK(matches("/a*$", "/ab"));
    CHECK(matches("/*a*b$", "/xaxbxb"));
    CHECK_FALSE(matches("/a*a$", "/a"));
    CHECK_FALSE(matches("/*ab*ba$", "/aba"));
}

TEST_CASE("2.2.3: '$' elsewhere is an ordinary character") {
    CHECK(matches("/a$b", "/a$bc"));
    CHECK_FALSE(matches("/a$b", "/a"));
    CHECK(matches("/a$$", "/a$"));
    CHECK_FALSE(matches("/a$$", "/a$$"));
    CHECK(matches("/a$*", "/a$b"));
    CHECK_FALSE(matches("/a$*", "/a"));
}

TEST_CASE("2.2.3: encoded, '*' and '$' stand for themselves") {
    CHECK(matches("/a%2Ab", "/a*b"));
    CHECK(matches("/a%2ab", "/a%2Ab"));
    CHECK_FALSE(matches("/a%2Ab", "/axb"));
    CHECK(matches("/a%24", "/a$b"));
    CHECK(matches("/a$b", "/a%24b"));
    CHECK_FALSE(matches("/a%24", "/a"));
    CHECK(matches("/a*b", "/a%2Ab"));
    CHECK_FALSE(matches("/*2A", "/*")); // the star is one character, not three
    // No octet in a target is mistaken for a sign of a rule, or the other way round.
    CHECK_FALSE(matches("/%01b", "/axb"));
    CHECK_FALSE(matches("/a%02", "/a"));
    CHECK_FALSE(matches("/a\1b", "/axb"));
    CHECK_FALSE(matches("/a*b", "/a"));
}

TEST_CASE("2.2.4: other lines neither disturb a group nor end it") {
    const Robots robots = read("Sitemap: http://h/map.xml\n"
                               "User-agent: Test-Bot_x\n"
                               "Sitemap: http://h/map.xml\n"
                               "Host: h\n"
                               "User-agent: other\n"
                               "Disallow: /a\n"
                               "Sitemap: http://h/map.xml\n"
                               "Disallow: /b\n");
    CHECK_FALSE(robots.allows("/a"));
    CHECK_FALSE(robots.allows("/b"));
}

TEST_CASE("2.2.4: Crawl-delay is a number of seconds, and neither a rule nor invalid") {
    CHECK(delay("Crawl-delay: 10") == 10);
    CHECK(delay("Crawl-delay: 0.25 # s") == 0.25);
    CHECK(delay("Crawl-delay: .5") == 0.5);
    CHECK(delay("Crawl-delay: 0") == 0);
    CHECK(delay("Crawl-delay: 123456789") == Robots::longest_delay.count());
    CHECK(delay("Disallow: /") == -1);
    for (const auto* bad : {"", "-1", "-0", "+1", "inf", "nan", "1s", "1 s", "1,5", "1e3",
                            "0x10", "1:5", ".", "1.2.3", "ten"})
        CHECK(delay("Crawl-delay: " + std::string(bad)) == -1);
    CHECK(delay("Crawl-delay: " + std::string(400, '9')) == -1);
}

TEST_CASE("2.2.4: of several delays, the longest one for us counts") {
    CHECK(delay("Crawl-delay: 2\nCrawl-delay: 7\nCrawl-delay: 5\nCrawl-delay: x") == 7);
    CHECK(delay("Crawl-delay: 2\nUser-agent: *\nCrawl-delay: 4") == 4);
    const std::string_view text = "User-agent: red\nCrawl-delay: 1\nDisallow: /a\n"
                                  "User-agent: green\nCrawl-delay: 2\n"
                                  "User-agent: red\nCrawl-delay: 3\n"
                                  "User-agent: *\nCrawl-delay: 4\n";
    CHECK(Robots::parse(text, "red").crawl_delay() == Robots::Duration(3));
    CHECK(Robots::parse(text, "green").crawl_delay() == Robots::Duration(2));
    CHECK(Robots::parse(text, "blue").crawl_delay() == Robots::Duration(4));
    const Robots us = read("User-agent: Test-Bot_x\nCrawl-delay: 3\nCrawl-delay: 2\n"
                           "User-agent: other\nCrawl-delay: 9\n");
    CHECK(us.crawl_delay() == Robots::Duration(3));
    CHECK(delay("Crawl-delay: 3\nUser-agent: other\nCrawl-delay: 9") == 3);
    CHECK(delay("Disallow: /\nUser-agent: other\nCrawl-delay: 9") == -1);
}

TEST_CASE("2.2.4: Crawl-delay neither ends a list of names nor applies to later ones") {
    const std::string_view text = "User-agent: red\nCrawl-delay: 1\n"
                                  "User-agent: green\nDisallow: /a\n";
    CHECK_FALSE(Robots::parse(text, "red").allows("/a"));
    CHECK_FALSE(Robots::parse(text, "green").allows("/a"));
    CHECK(Robots::parse(text, "red").crawl_delay() == Robots::Duration(1));
    CHECK_FALSE(Robots::parse(text, "green").crawl_delay());
    const Robots blue = Robots::parse(
        "User-agent: red\nUser-agent: blue\nDisallow: /a\nCrawl-delay: 3", "blue");
    CHECK(blue.crawl_delay() == Robots::Duration(3));
}

TEST_CASE("2.3.1.3: without a robots.txt, everything is allowed") {
    CHECK(Robots::allow_all().allows("/a?b"));
    CHECK_FALSE(Robots::allow_all().crawl_delay());
}

TEST_CASE("2.3.1.4: while robots.txt can't be fetched, only fetching it is allowed") {
    CHECK_FALSE(Robots::allow_nothing().allows("/"));
    CHECK_FALSE(Robots::allow_nothing().allows("/a?b"));
    CHECK(Robots::allow_nothing().allows("/robots.txt"));
    CHECK_FALSE(Robots::allow_nothing().crawl_delay());
}

TEST_CASE("2.3.1.5: lines that can't be understood are skipped") {
    const Robots robots = rules("Disallow /c\nno such thing\n: /\n:\n"
                                "Disallow: /a\nDis allow: /d\nDisallowed: /e\n\xff\xfe\n"
                                "<p>Disallow: /f</p>\nDisallow: /b\n");
    CHECK_FALSE(robots.allows("/a"));
    CHECK_FALSE(robots.allows("/b"));
    for (const auto* target : {"/", "/c", "/d", "/e", "/f"})
        CHECK(robots.allows(target));
}

TEST_CASE("2.3.1.5: a byte order mark at the start is skipped") {
    const std::string mark = "\xEF\xBB\xBF";
    CHECK_FALSE(read(mark + "User-agent: *\nDisallow: /").allows("/"));
    CHECK(rules(mark + "Disallow: /").allows("/")); // elsewhere, it's part of a name
}

TEST_CASE("2.3.1.5: NUL bytes and UTF-16 make lines unreadable, and nothing worse") {
    using namespace std::string_view_literals;
    const Robots robots = read("\0\nUser-agent: *\nDis\0allow: /a\nDisallow: /b\0\n"
                               "\0Disallow: /c\nDisallow: /d\n"sv);
    CHECK(robots.allows("/a"));
    CHECK(robots.allows("/b"));
    CHECK_FALSE(robots.allows("/b%00"));
    CHECK(robots.allows("/c"));
    CHECK_FALSE(robots.allows("/d"));
    CHECK(read("\xff\xfeU\0s\0e\0r\0-\0a\0g\0e\0n\0t\0:\0*\0\n\0"
               "D\0i\0s\0a\0l\0l\0o\0w\0:\0/\0\n\0"sv)
              .allows("/"));
}

TEST_CASE("2.5: 500 KiB are read, whatever comes before a rule") {
    const std::string comment = "#" + std::string(1022, '.') + "\n";
    const Robots robots = rules(repeat(comment, 499) + "Disallow: /a\nDisallow: /"
                                + std::string(3000, 'b'));
    CHECK_FALSE(robots.allows("/a"));
    CHECK(robots.allows("/" + std::string(2999, 'b')));
    CHECK_FALSE(robots.allows("/" + std::string(3000, 'b')));
}

TEST_CASE(
    "2.5: the whole lines within the first max_size bytes of a larger file are read") {
    const std::string first = "User-agent: *\nDisallow: /a\n#";
    const std::string last = "\nDisallow: /bcd";
    const std::string filling(Robots::max_size - first.size() - last.size(), '.');
    const std::string full = first + filling + last;
    CHECK_FALSE(read(full).allows("/bcd"));
    for (const auto* end : {"\n", "\r", "\nDisallow: /e"}) {
        CHECK_FALSE(read(full + end).allows("/bcd"));
        CHECK_FALSE(read(full + end).allows("/a"));
        CHECK(read(full + end).allows("/e"));
    }
    // With one more byte, the rule would be cut to "/bcd".
    CHECK(read(full + "e\n").allows("/bcd"));
    CHECK(read(full + "e\n").allows("/bcde"));
    CHECK_FALSE(read(full + "e\n").allows("/a"));
    CHECK(read("User-agent: *#" + std::string(Robots::max_size, '.') + "\nDisallow: /")
              .allows("/"));
    CHECK_FALSE(rules("Disallow: /a\n" + repeat("Allow: /a/b\n", 900'000)).allows("/a"));
}

// Trying all ways to place the stars below would take longer than the world will last.
// Failing once per star and position takes no noticeable time.
TEST_CASE("2.2.3: many stars don't multiply the work") {
    const std::string a(8000, 'a');
    CHECK_FALSE(matches("/*a*a*a*a*a*a*b", "/" + a));
    CHECK(matches("/*a*a*a*a*a*a*b", "/" + a + "b"));
    const std::string stars = repeat("*a", 2000);
    CHECK_FALSE(matches("/" + stars + "*b", "/" + a));
    CHECK_FALSE(matches("/" + stars + "b$", "/" + a + "bb"));
    CHECK(matches("/" + stars + "*b$", "/" + a + "bb"));
    CHECK(matches("/" + repeat("*", 500'000), "/" + a));
    CHECK_FALSE(matches("/" + repeat("*a", 200'000), "/" + a));
    CHECK(rules("Allow: /a\nDisallow: /" + repeat("*a", 200'000)).allows("/" + a));
}

TEST_CASE("a large file gets the exact answer, even for a long target") {
    std::string lines;
    for (int i = 0; i < 5000; ++i)
        lines += (i % 2 == 0 ? "Disallow: */page" : "Disallow: /*?*page")
                 + std::to_string(10'000 + i) + "/\n";
    const Robots robots = rules(lines + "Allow: /*/page12000/*.html$\n");
    const std::string longest = "/" + repeat("p/page/?", 260);
    REQUIRE(longest.size() == 2081);
    CHECK(robots.allows(longest));
    CHECK(robots.allows(longest + "12000/"));
    CHECK_FALSE(robots.allows(longest + "/page12000/"));
    CHECK_FALSE(robots.allows(longest + "page12001/"));
    CHECK(robots.allows(longest + "page12000/")); // not after a '/'
    CHECK(robots.allows(longest + "/page12000/.html"));
    CHECK_FALSE(robots.allows(longest + "/page12000/.htm"));
}

TEST_CASE("a piece between stars counts as a whole, however long it is") {
    const std::string a(1000, 'a');
    CHECK(matches("/*" + a + "b", "/b" + a + "b"));
    CHECK_FALSE(matches("/*" + a + "b", "/b" + a + "c"));
    CHECK_FALSE(matches("/*b*" + a + "b", "/" + a + "b" + a));
}

namespace {

/// `count` different rules, whose pieces are all in a target full of `a`.
std::string alike(const std::string& begin, std::size_t count) {
    std::string lines;
    for (std::size_t i = 0; i < count; ++i) {
        lines += begin;
        for (std::size_t rest = i + 1; rest > 0; rest /= 4)
            lines += "*" + std::string(rest % 4 + 1, 'a');
        lines += '\n';
    }
    return lines;
}

/// `count` different lines that begin with `begin`.
std::string numbered(const std::string& begin, std::size_t count) {
    std::string lines;
    for (std::size_t i = 0; i < count; ++i)
        lines += begin + std::to_string(i) + '\n';
    return lines;
}

} // namespace

// Each of these rules almost matches: only the order of its pieces is wrong.
TEST_CASE("a file that would take too much work counts as forbidding everything") {
    const std::string target = "/" + std::string(2000, 'a') + "b";
    const std::string hostile = alike("Allow: /*b", 14'000);
    const std::string longer = "/" + std::string(50, 'a');
    CHECK_FALSE(rules(hostile).allows(target));
    CHECK_FALSE(rules(hostile + "Allow: /\n").allows(target)); // shorter, so tried later
    CHECK(rules(hostile + "Allow: " + longer + "\n").allows(target));
    CHECK_FALSE(rules(hostile + "Disallow: " + longer + "\n").allows(target));
    CHECK(rules(hostile).allows("/ab")); // takes little work
    CHECK(rules(hostile).allows("/robots.txt"));
    CHECK(hostile.size() < Robots::max_size);
}

TEST_CASE("parsed rules can be written out, and mean the same when read again") {
    const Robots robots =
        Robots::parse("User-agent: me\nDisallow: /a*b$\nAllow: /a/%2a$\n"
                      "Disallow: /c%24d\nDisallow: /%23\nAllow: /j\xC3\xBC\n"
                      "Disallow: /%%341\nCrawl-delay: 1.5\n"
                      "User-agent: *\nDisallow: /\n",
                      "me");
    const Robots again = Robots::read_text(robots.text());
    CHECK(again.text() == robots.text());
    CHECK(again.crawl_delay() == robots.crawl_delay());
    for (const char* const target :
         {"/%%341", "/%41", "/A", "/%%41", "/", "/axb", "/axbc", "/a/*", "/a/*b", "/a/x",
          "/c$d", "/cd", "/c$", "/%23x", "/j\xC3\xBC", "/%", "/%41", "/k"})
        CHECK_MESSAGE(again.allows(target) == robots.allows(target), target);
    CHECK_FALSE(again.allows("/c$d"));
    CHECK(Robots::read_text(Robots::allow_all().text()).allows("/x"));
    CHECK_FALSE(Robots::read_text(Robots::allow_nothing().text()).allows("/x"));
}

TEST_CASE("parsed rules can be written out, however long they are") {
    std::string text = "User-agent: *\nDisallow: /z\n";
    while (text.size() < Robots::max_size - 100)
        text +=
            "Disallow: /" + std::string(60, '\x80') + std::to_string(text.size()) + "\n";
    const Robots robots = Robots::parse(text, "me");
    CHECK(robots.text().size() > Robots::max_size); // %80 is longer
    CHECK_FALSE(Robots::read_text(robots.text()).allows("/z"));
}

TEST_CASE("a rule that is repeated many times is kept once") {
    const Robots once = rules("Allow: /b\nDisallow: /a\n");
    const Robots often = rules(repeat("Disallow: /a\nAllow: /b\nDisallow: /a\n", 10'000));
    CHECK(often.memory() == once.memory());
    CHECK_FALSE(often.allows("/a"));
    CHECK(often.allows("/b"));
    CHECK(once.memory() > 0);
    CHECK(rules("Disallow: /" + std::string(1000, 'x')).memory() > 1000);
}

TEST_CASE("long pieces between stars count as more work than short ones") {
    const std::string target = "/" + std::string(2000, 'a');
    const auto forty = [](const std::string& piece) {
        return rules(numbered("Allow: /*" + piece + "b", 40)); // none matches
    };
    CHECK(forty("aa").allows(target));
    CHECK_FALSE(forty(std::string(1000, 'a')).allows(target));
}

TEST_CASE("a rule that is longer than the target costs no work") {
    const std::string target = "/" + std::string(2000, 'a');
    const std::string half(1000, 'a');
    CHECK(matches("/" + half + "*" + half, target));
    CHECK(rules(numbered("Disallow: /" + half + "*a" + half, 100)).allows(target));
}

TEST_CASE("sitemaps are for every crawler, wherever they are named") {
    const Robots robots = read("Sitemap: http://h/a.xml # one\n\nUser-agent: other\n"
                               "Disallow: /\nSITEMAP:/b.xml\nSitemap:\n");
    CHECK(robots.sitemaps() == std::vector<std::string>{"http://h/a.xml", "/b.xml"});
    CHECK(robots.allows("/a"));
    CHECK(robots.memory() > 0);
}
