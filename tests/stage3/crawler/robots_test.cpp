// Numbers in the tests' names are the sections of RFC 9309.
#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/robots.h"
#include "tests/support/prelude.h"

using stage3::Robots;
using Seconds = Robots::Duration;

namespace {

using Texts = std::vector<std::string>;

/// Reads a file as "Test-Bot_x" would.
Robots read(std::string_view text) { return Robots::parse(text, "Test-Bot_x"); }

/// Reads rules that are for everyone.
Robots rules(const std::string& lines) { return read("User-agent: *\n" + lines); }

/// Checks what is allowed, and what is forbidden.
void check(const Robots& robots, const Texts& allowed, const Texts& forbidden) {
    for (const std::string& target : allowed)
        CHECK_MESSAGE(robots.allows(target), target);
    for (const std::string& target : forbidden)
        CHECK_MESSAGE(!robots.allows(target), target);
}

/// A rule's path, targets that it matches, and others.
struct Rule {
    std::string path;
    Texts matched;
    Texts others = {};
};

void check(const std::vector<Rule>& all) {
    for (const auto& [path, matched, others] : all) {
        CAPTURE(path);
        check(rules("Disallow: " + path), others, matched);
    }
}

std::optional<Seconds> delay(const std::string& lines) {
    return rules(lines).crawl_delay();
}

std::string repeat(std::string_view text, std::size_t times) {
    std::string result;
    for (std::size_t i = 0; i < times; ++i)
        result += text;
    return result;
}

} // namespace

TEST_CASE("2.1: several names may share a group, and one after a rule begins another") {
    const std::string_view text = "User-agent: red\nUser-agent: green\n"
                                  "Disallow: /a\nDisallow: /b\n"
                                  "User-agent: blue\nDisallow: /c\n";
    check(Robots::parse(text, "red"), {"/c"}, {"/a", "/b"});
    check(Robots::parse(text, "green"), {"/c"}, {"/a", "/b"});
    check(Robots::parse(text, "blue"), {"/a", "/b"}, {"/c"});
    check(Robots::parse(text, "white"), {"/a", "/b", "/c"}, {});
    check(read("User-agent: *\nDisallow: /a\nUser-agent: other\nDisallow: /b"), {"/b"},
          {"/a"});
    check(read("User-agent: other\nDisallow: /b\nUser-agent: *\nDisallow: /a"), {"/b"},
          {"/a"});
}

TEST_CASE("2.1: an empty rule ends the list of names, and an empty line doesn't") {
    check(read("User-agent: Test-Bot_x\nDisallow:\nUser-agent: other\nDisallow: /\n"),
          {"/a"}, {});
    check(read("User-agent: Test-Bot_x\n\nUser-agent: other\n\n"
               "Disallow: /a\n\n\nDisallow: /b\n"),
          {}, {"/a", "/b"});
}

TEST_CASE("2.1: a rule before any name belongs to no group") {
    const Robots robots = read("Disallow: /\nCrawl-delay: 3\nUser-agent: *\nAllow: /a\n");
    check(robots, {"/b"}, {});
    CHECK_FALSE(robots.crawl_delay());
}

TEST_CASE("2.2: lines end with CR, LF or both, and the last one may have no end") {
    for (const std::string end : {"\r", "\n", "\r\n"})
        check(read(fmt::format(
                  "User-agent: *{0}Disallow: /a{0}{0}Disallow: /b${0}Disallow: /c", end)),
              {"/d", "/"}, {"/a", "/b", "/c"});
}

TEST_CASE("2.2: blanks around keys and values don't count, nor does the case of keys") {
    const Robots robots = read(" \tUSER-Agent \t:\t * \t\n"
                               "\tdisALLOW\t:/a\t \n"
                               "Disallow:/b$ \n"
                               "  ALLow  :  /a/b  \n"
                               "CRAWL-Delay : 4 \n");
    check(robots, {"/a/b"}, {"/a", "/b"});
    CHECK(robots.crawl_delay() == Seconds(4));
}

TEST_CASE("2.2.1: if a group has our name, only its rules count") {
    const std::string_view text = "User-agent: *\nDisallow: /all\nCrawl-delay: 9\n"
                                  "User-agent: Test-Bot_x\nDisallow: /us\n"
                                  "User-agent: *\nDisallow: /everyone\n";
    check(read(text), {"/all", "/everyone"}, {"/us"});
    CHECK_FALSE(read(text).crawl_delay());
    check(Robots::parse(text, "other"), {"/us"}, {"/all", "/everyone"});
    const std::string everyone = "User-agent: *\nUser-agent: Test-Bot_x\nDisallow: /a\n";
    check(read(everyone), {}, {"/a"});
    check(Robots::parse(everyone, "other"), {}, {"/a"});
}

TEST_CASE("2.2.1: a crawler that is named and forbidden nothing may fetch everything") {
    check(read("User-agent: Test-Bot_x\nDisallow:\nUser-agent: *\nDisallow: /"), {"/a"},
          {});
    check(read("User-agent: *\nDisallow: /\nUser-agent: Test-Bot_x"), {"/a"}, {});
}

TEST_CASE("2.2.1: all groups with our name count as one, and all for everyone") {
    check(read("User-agent: Test-Bot_x\nDisallow: /a\n"
               "User-agent: other\nDisallow: /b\n"
               "User-agent: test-bot_X\nDisallow: /c\nAllow: /a/b\n"),
          {"/b", "/a/b"}, {"/a", "/c"});
    check(read("User-agent: *\nDisallow: /a\nUser-agent: other\nDisallow: /b\n"
               "User-agent: third\nUser-agent: *\nDisallow: /c\n"),
          {"/b"}, {"/a", "/c"});
}

TEST_CASE("2.2.1: if no group applies to us, everything is allowed") {
    for (const auto* text :
         {"", "\n", "User-agent: other\nDisallow: /\n", "Disallow: /\n",
          "User-agent: *\n", "User-agent:\nDisallow: /", "User-agent: *bot\nDisallow: /",
          "User-agent: **\nDisallow: /"})
        CHECK(read(text).allows("/a"));
}

TEST_CASE("2.2.1: a name is letters, - and _, in any case, and what follows is ignored") {
    const auto is_ours = [](const std::string& name) {
        return !read("User-agent: " + name + "\nDisallow: /").allows("/");
    };
    for (const auto* name :
         {"Test-Bot_x", "TEST-BOT_X", "test-bot_x/1.0", "test-bot_x 2", "test-bot_x*",
          "Test-Bot_x (+http://h/)", "Test-Bot_x7", "* everyone"})
        CHECK_MESSAGE(is_ours(name), name);
    for (const auto* name : {"Test-Bot", "Test-Bot_xy", "Test-Bot_x-", "Bot_x", "x",
                             "1Test-Bot_x", "Mozilla/5.0 Test-Bot_x", "/"})
        CHECK_MESSAGE(!is_ours(name), name);
}

TEST_CASE("2.2.1: our own name may have a version, and without a name the rules for "
          "everyone count") {
    const std::string_view text = "User-agent: bee\nDisallow: /b\n"
                                  "User-agent: *\nDisallow: /a\n"
                                  "User-agent:\nDisallow: /c\n";
    check(Robots::parse(text, "Bee/2.0 (honey)"), {"/a"}, {"/b"});
    check(Robots::parse(text, ""), {"/c"}, {"/a"});
}

TEST_CASE("2.2.2: a rule matches from the start of the path to its own end") {
    check({{"/tea", {"/tea", "/teapot", "/tea/green?cup=2"}, {"/te", "/a/tea", "/Tea"}},
           {"/tea?cup", {"/tea?cup=2"}},
           {"/tea/", {"/tea/"}, {"/tea"}},
           {"tea", {}, {"/tea"}},
           {"/Tea", {"/Tea"}, {"/tea"}},
           {"/", {"/", "/anything?at=all"}}});
}

TEST_CASE("2.2.2: the longest rule that matches decides, wherever it is") {
    for (const auto* lines :
         {"Allow: /mail/open\nDisallow: /mail\nDisallow: /mail/open/up",
          "Disallow: /mail/open/up\nDisallow: /mail\nAllow: /mail/open",
          "Disallow: /mail\nAllow: /mail/open\nDisallow: /mail/open/up"})
        check(rules(lines), {"/", "/mail/open", "/mail/open/down"},
              {"/mail", "/mail/box", "/mail/open/up"});
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

TEST_CASE("2.2.2: an empty rule matches nothing, and no rule /robots.txt") {
    for (const auto* lines : {"Disallow:", "Disallow: \t", "Disallow: # everything"})
        check(rules(lines), {"/", "/a"}, {});
    check(rules("Disallow: /\nAllow:"), {"/robots.txt"},
          {"/a", "/robots.txt.html", "/a/robots.txt"});
    check(rules("Disallow: /robots.txt"), {"/robots.txt"}, {});
    check(rules("Disallow: /robots.txt$"), {"/robots%2etxt"}, {});
}

TEST_CASE("2.2.2: an unreserved character is the same encoded or not") {
    for (const auto& [plain, encoded] : {std::pair("/~x", "/%7e%78"),
                                         {"/a-z", "/%61%2d%7a"},
                                         {"/A.Z", "/%41%2e%5a"},
                                         {"/0_9", "/%30%5f%39"}})
        check({{plain, {encoded}}, {encoded, {plain, encoded}}});
    check({{"/%41", {}, {"/a"}}});
}

TEST_CASE("2.2.2: a reserved character is not the same encoded and unencoded") {
    for (const auto* octet : {"2F", "3F", "26", "3D", "3B", "40", "2B", "5B", "21"}) {
        const char plain = static_cast<char>(std::stoi(octet, nullptr, 16));
        const std::string one = fmt::format("/x{}y", plain);
        const std::string other = fmt::format("/x%{}y", octet);
        check({{one, {one}, {other}}, {other, {other}, {one}}});
    }
    check({{"/100%25", {}, {"/100%"}}, // '%' is reserved, too
           {"/%2541", {}, {"/A"}},
           {"/A", {}, {"/%2541"}}});
}

TEST_CASE("2.2.2: the case of hexadecimal digits makes no difference") {
    check({{"/a%2fb", {"/a%2Fb"}},
           {"/a%2Fb", {"/a%2fb"}},
           {"/%c3%Bc", {"/%C3%bC"}},
           {"/*%C", {"/%c3%bc"}}});
}

TEST_CASE("2.2.2: what is always encoded in a URL is the same encoded or not") {
    check({{"/caf\u00e9", {"/caf%C3%A9"}, {"/cafe"}},
           {"/caf%c3%a9", {"/caf%C3%A9"}},
           {"/caf%C3%A9", {"/caf\u00e9"}},
           {"/\u8336/*.html$", {"/%E8%8C%B6/a.html"}},
           {"/\xe9", {}, {"/%C3%A9"}}, // Latin-1 is not UTF-8
           {"/my tea", {"/my%20tea"}},
           {"/\"{<^|>}\"", {"/%22%7B%3C%5E%7C%3E%7D%22"}},
           {"/a\\b", {"/a%5cb"}},
           {"/a|b", {"/a|b"}}});
    const auto url = common::parse_url("http://h/caf\u00e9/../t\u00e9 x/%7ea?q=\u00fc#z");
    REQUIRE(url);
    check({{"/t\u00e9 x/~a?q=\u00fc$", {std::string(url->target())}}});
}

TEST_CASE("2.2.2: a % that encodes nothing stands for itself") {
    check({{"/100%", {"/100%"}},
           {"/100%$", {"/100%"}},
           {"/%zz", {"/%zz"}},
           {"/%+1", {"/%+1"}},
           {"/*%", {"/a%20b"}},
           {"/%2", {"/%2"}, {"/2"}},
           {"/%4g", {}, {"/%04"}}});
}

TEST_CASE("2.2.3: '#' begins a comment, wherever it is") {
    check(read("# Disallow: /z\n"
               "User-agent: * # all\n"
               "Disallow: /a# not /a#b\n"
               "Disallow: /b%23c\n"
               "Disallow # : /d\n"),
          {"/b", "/d", "/z"}, {"/a", "/ab", "/b%23c"});
}

TEST_CASE("2.2.3: '*' matches any sequence of characters, even the empty one") {
    check({{"/a*b", {"/ab", "/a/x?y=/b/c"}, {"/ba", "/xab", "/a"}},
           {"*", {"/"}},
           {"*.gif", {"/a/b.gif"}, {"/a/bgif"}},
           {"/a**b***", {"/ab"}},
           {"/*one*two*three", {"/one-two-three"}, {"/one-three-two"}},
           {"/a*a", {}, {"/a"}}, // one character can't match twice
           {"/*ab*bc", {}, {"/abc"}},
           {"/*aa*aa", {"/aaaa"}, {"/aaa", "/aaab"}}, // the last is long enough
           {"/*aab", {"/aaab"}}});                    // found where the first try fails
}

TEST_CASE("2.2.3: '$' at the end matches the end of the URL, elsewhere itself") {
    check({{"/a$", {"/a"}, {"/ab", "/a?b"}},
           {"/$", {"/"}, {"/a"}},
           {"$", {}, {"/"}},
           {"/*.php$", {"/a.php.php"}, {"/a.php?x"}},
           {"/a*$", {"/ab"}},
           {"/*a*b$", {"/xaxbxb"}},
           {"/a*a$", {}, {"/a"}},
           {"/*ab*ba$", {}, {"/aba"}},
           {"/a$b", {"/a$bc", "/a%24b"}, {"/a"}},
           {"/a$$", {"/a$"}, {"/a$$"}},
           {"/a$*", {"/a$b"}, {"/a"}}});
}

TEST_CASE("2.2.3: encoded, '*' and '$' stand for themselves") {
    check({{"/a%2Ab", {"/a*b"}, {"/axb"}},
           {"/a%2ab", {"/a%2Ab"}},
           {"/a%24", {"/a$b"}, {"/a"}},
           {"/a*b", {"/a%2Ab"}},
           {"/*2A", {}, {"/*"}}, // the star is one character, not three
           // No octet in a target is mistaken for a sign of a rule, or the other way
           // round.
           {"/%01b", {}, {"/axb"}},
           {"/a%02", {}, {"/a"}},
           {"/a\1b", {}, {"/axb"}}});
}

TEST_CASE("2.2.4: other lines neither disturb a group nor end it") {
    const std::string map = "Sitemap: http://h/map.xml\n";
    check(read(map + "User-agent: Test-Bot_x\n" + map + "Host: h\nUser-agent: other\n"
               + "Disallow: /a\n" + map + "Disallow: /b\n"),
          {}, {"/a", "/b"});
}

TEST_CASE("2.2.4: Crawl-delay is a number of seconds, and neither a rule nor invalid") {
    CHECK(delay("Crawl-delay: 10") == Seconds(10));
    CHECK(delay("Crawl-delay: 0.25 # s") == Seconds(0.25));
    CHECK(delay("Crawl-delay: .5") == Seconds(0.5));
    CHECK(delay("Crawl-delay: 0") == Seconds(0));
    CHECK(delay("Crawl-delay: 123456789") == Robots::longest_delay);
    CHECK_FALSE(delay("Disallow: /"));
    for (const std::string bad : {"", "-1", "-0", "+1", "inf", "nan", "1s", "1 s", "1,5",
                                  "1e3", "0x10", "1:5", ".", "1.2.3", "ten"})
        CHECK_FALSE(delay("Crawl-delay: " + bad));
    CHECK_FALSE(delay("Crawl-delay: " + std::string(400, '9')));
}

TEST_CASE("2.2.4: of several delays, the longest one for us counts") {
    CHECK(delay("Crawl-delay: 2\nCrawl-delay: 7\nCrawl-delay: 5\nCrawl-delay: x")
          == Seconds(7));
    CHECK(delay("Crawl-delay: 2\nUser-agent: *\nCrawl-delay: 4") == Seconds(4));
    const std::string_view text = "User-agent: red\nCrawl-delay: 1\nDisallow: /a\n"
                                  "User-agent: green\nCrawl-delay: 2\n"
                                  "User-agent: red\nCrawl-delay: 3\nCrawl-delay: 2\n"
                                  "User-agent: *\nCrawl-delay: 4\n";
    CHECK(Robots::parse(text, "red").crawl_delay() == Seconds(3));
    CHECK(Robots::parse(text, "green").crawl_delay() == Seconds(2));
    CHECK(Robots::parse(text, "blue").crawl_delay() == Seconds(4));
    CHECK(delay("Crawl-delay: 3\nUser-agent: other\nCrawl-delay: 9") == Seconds(3));
    CHECK_FALSE(delay("Disallow: /\nUser-agent: other\nCrawl-delay: 9"));
}

TEST_CASE("2.2.4: Crawl-delay neither ends a list of names nor applies to later ones") {
    const std::string_view text = "User-agent: red\nCrawl-delay: 1\n"
                                  "User-agent: green\nDisallow: /a\n";
    check(Robots::parse(text, "red"), {}, {"/a"});
    check(Robots::parse(text, "green"), {}, {"/a"});
    CHECK(Robots::parse(text, "red").crawl_delay() == Seconds(1));
    CHECK_FALSE(Robots::parse(text, "green").crawl_delay());
    CHECK(Robots::parse("User-agent: red\nUser-agent: blue\nDisallow: /a\nCrawl-delay: 3",
                        "blue")
              .crawl_delay()
          == Seconds(3));
}

TEST_CASE("2.3.1: without a robots.txt, everything is allowed; while it can't be had, "
          "only to fetch it") {
    check(Robots::allow_all(), {"/a?b"}, {});
    check(Robots::allow_nothing(), {"/robots.txt"}, {"/", "/a?b"});
    CHECK_FALSE(Robots::allow_all().crawl_delay());
    CHECK_FALSE(Robots::allow_nothing().crawl_delay());
}

TEST_CASE("2.3.1.5: lines that can't be understood are skipped") {
    check(rules("Disallow /c\nno such thing\n: /\n:\n"
                "Disallow: /a\nDis allow: /d\nDisallowed: /e\n\xff\xfe\n"
                "<p>Disallow: /f</p>\nDisallow: /b\n"),
          {"/", "/c", "/d", "/e", "/f"}, {"/a", "/b"});
}

TEST_CASE("2.3.1.5: a byte order mark at the start is skipped") {
    const std::string mark = "\xEF\xBB\xBF";
    CHECK_FALSE(read(mark + "User-agent: *\nDisallow: /").allows("/"));
    CHECK(rules(mark + "Disallow: /").allows("/")); // elsewhere, it's part of a name
}

TEST_CASE("2.3.1.5: NUL bytes and UTF-16 make lines unreadable, and nothing worse") {
    using namespace std::string_view_literals;
    check(read("\0\nUser-agent: *\nDis\0allow: /a\nDisallow: /b\0\n"
               "\0Disallow: /c\nDisallow: /d\n"sv),
          {"/a", "/b", "/c"}, {"/b%00", "/d"});
    CHECK(read("\xff\xfeU\0s\0e\0r\0-\0a\0g\0e\0n\0t\0:\0*\0\n\0"
               "D\0i\0s\0a\0l\0l\0o\0w\0:\0/\0\n\0"sv)
              .allows("/"));
}

TEST_CASE("2.5: 500 KiB are read, whatever comes before a rule") {
    const std::string comment = "#" + std::string(1022, '.') + "\n";
    const std::string longest = "/" + std::string(3000, 'b');
    check(rules(repeat(comment, 499) + "Disallow: /a\nDisallow: " + longest),
          {longest.substr(0, 3000)}, {"/a", longest});
}

TEST_CASE(
    "2.5: the whole lines within the first max_size bytes of a larger file are read") {
    const std::string first = "User-agent: *\nDisallow: /a\n#";
    const std::string last = "\nDisallow: /bcd";
    const std::string filling(Robots::max_size - first.size() - last.size(), '.');
    const std::string full = first + filling + last;
    for (const auto* end : {"", "\n", "\r", "\nDisallow: /e"})
        check(read(full + end), {"/e"}, {"/bcd", "/a"});
    // With one more byte, the rule would be cut to "/bcd".
    check(read(full + "e\n"), {"/bcd", "/bcde"}, {"/a"});
    CHECK(read("User-agent: *#" + std::string(Robots::max_size, '.') + "\nDisallow: /")
              .allows("/"));
    CHECK_FALSE(rules("Disallow: /a\n" + repeat("Allow: /a/b\n", 900'000)).allows("/a"));
}

// Trying all ways to place the stars below would take longer than the world will last.
// Failing once per star and position takes no noticeable time.
TEST_CASE("2.2.3: many stars don't multiply the work") {
    const std::string a = "/" + std::string(8000, 'a');
    const std::string stars = "/" + repeat("*a", 2000);
    check({{"/*a*a*a*a*a*a*b", {a + "b"}, {a}},
           {stars + "*b", {}, {a}},
           {stars + "b$", {}, {a + "bb"}},
           {stars + "*b$", {a + "bb"}},
           {"/" + repeat("*", 500'000), {a}},
           {"/" + repeat("*a", 200'000), {}, {a}}});
    CHECK(rules("Allow: /a\nDisallow: /" + repeat("*a", 200'000)).allows(a));
}

TEST_CASE("a large file gets the exact answer, even for a long target") {
    std::string lines;
    for (int i = 0; i < 5000; ++i)
        lines += (i % 2 == 0 ? "Disallow: */page" : "Disallow: /*?*page")
                 + std::to_string(10'000 + i) + "/\n";
    const std::string longest = "/" + repeat("p/page/?", 260);
    REQUIRE(longest.size() == 2081);
    check(rules(lines + "Allow: /*/page12000/*.html$\n"),
          {longest, longest + "12000/", longest + "page12000/", // not after a '/'
           longest + "/page12000/.html"},
          {longest + "/page12000/", longest + "page12001/", longest + "/page12000/.htm"});
}

TEST_CASE("a piece between stars counts as a whole, however long it is") {
    const std::string a(1000, 'a');
    check({{"/*" + a + "b", {"/b" + a + "b"}, {"/b" + a + "c"}},
           {"/*b*" + a + "b", {}, {"/" + a + "b" + a}}});
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
    check(often, {"/b"}, {"/a"});
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
    check({{"/" + half + "*" + half, {target}}});
    CHECK(rules(numbered("Disallow: /" + half + "*a" + half, 100)).allows(target));
}

TEST_CASE("sitemaps are for every crawler, wherever they are named") {
    const Robots robots = read("Sitemap: http://h/a.xml # one\n\nUser-agent: other\n"
                               "Disallow: /\nSITEMAP:/b.xml\nSitemap:\n");
    CHECK(robots.sitemaps() == std::vector<std::string>{"http://h/a.xml", "/b.xml"});
    CHECK(robots.allows("/a"));
    CHECK(robots.memory() > 0);
}
