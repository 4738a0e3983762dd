#include "common/web/links.h"
#include "common/web/query_encoder.h"
#include "tests/support/prelude.h"

namespace {

/// A query, as a page in that character set has it (named as `to_utf8` does).
std::string query(std::string_view text, std::string_view charset) {
    common::QueryEncoder encoder(charset);
    return std::string(encoder.in_charset("?" + std::string(text))).substr(1);
}

/// The targets of all links and assets of a page at http://h/d/p.html, a blank between
/// them.
std::string targets_in(std::string_view page, std::string_view type) {
    common::LinkLimits limits;
    limits.assets = true;
    const common::Links links =
        common::find_links(page, type, *common::parse_url("http://h/d/p.html"), limits);
    std::string result;
    for (const auto& url : links.urls)
        result.append(result.empty() ? "" : " ").append(url.target());
    for (const auto& other : links.others)
        result.append(result.empty() ? "" : " ").append(other.url.target());
    return result;
}

const std::string_view cyrillic = "text/html; charset=windows-1251";

} // namespace

TEST_SUITE("URL Standard: percent-encode after encoding") {
    TEST_CASE("a query is encoded in its page's encoding, and a path in UTF-8") {
        CHECK(targets_in("<a href='/\xef?q=\xef#\xef'>", cyrillic) == "/%D0%BF?q=%EF");
        CHECK(targets_in("<a href='?q=\xe6'>", cyrillic) == "/d/p.html?q=%E6");
        CHECK(targets_in("<a href='//h:80/?\xe6?\xe6'>", cyrillic) == "/?%E6?%E6");
        CHECK(targets_in("<a href='?\xe6'>", "text/html; charset=latin1")
              == "/d/p.html?%E6");
        CHECK(targets_in("<a href='?\xd6\xd0'>", "text/html; charset=gb2312")
              == "/d/p.html?%D6%D0");
        for (const auto* label : {"shift_jis", "Windows-31J", "ms932", "csShiftJIS"})
            CHECK(targets_in("<a href='?\x87\x40'>",
                             fmt::format("text/html; charset={}", label))
                  == "/d/p.html?%87@");
        CHECK(targets_in("<a href='?\x95\x5c'>", "text/html; charset=shift_jis")
              == "/d/p.html?%95\\"); // the second byte of this letter is a backslash
        CHECK(targets_in("<a href='?\xb7\xa2\xad\xa1'>", "text/html; charset=euc-jp")
              == "/d/p.html?%B7%A2%AD%A1");
    }
    TEST_CASE("what is encoded already stays, and ASCII is encoded as everywhere") {
        CHECK(targets_in("<a href='?%D0%B6&amp;\xe6=&quot;%zz |'>", cyrillic)
              == "/d/p.html?%D0%B6&%E6=%22%zz%20|");
        CHECK(targets_in("<a href=' ?a\t\xe6\n '>", cyrillic) == "/d/p.html?a%E6");
    }
    TEST_CASE("a character reference is a character") {
        CHECK(targets_in("<a href='?&#1078;&#xe9;'>", cyrillic)
              == "/d/p.html?%E6%26%23233%3B");
    }
    TEST_CASE("a character that the encoding lacks becomes a numeric reference") {
        CHECK(query("\u4e2d\U0001f4a9", "windows-1252")
              == "%26%2320013%3B%26%23128169%3B");
        // A byte that is no character, or half of a surrogate pair, is one that it lacks.
        CHECK(targets_in("<a href='?\x98&#xd800;'>", cyrillic)
              == "/d/p.html?%26%2365533%3B%26%2365533%3B");
        CHECK(targets_in("<a href='?\x81'>", "text/html; charset=shift_jis")
                  .find("%26%2365533%3B")
              != std::string::npos);
    }
    TEST_CASE("the srcdoc of an iframe is a document in UTF-8") {
        CHECK(targets_in("<iframe srcdoc='<a href=?\xe6>'></iframe><a href=?\xe6>",
                         cyrillic)
              == "/d/p.html?%D0%B6 /d/p.html?%E6");
    }
    TEST_CASE("UTF-8 and UTF-16 pages have queries in UTF-8") {
        CHECK(targets_in("<a href='?\u0436'>", "text/html; charset=utf-8")
              == "/d/p.html?%D0%B6");
        std::string wide;
        for (const char c : std::string_view("<a href='?\xe9'>"))
            wide.append({c, '\0'});
        CHECK(targets_in(wide, "text/html; charset=utf-16le") == "/d/p.html?%C3%A9");
    }
}

TEST_SUITE("which encoding is the page's") {
    TEST_CASE("a byte order mark, the header, a meta element, or what it is read as") {
        CHECK(targets_in("\xef\xbb\xbf<a href='?\u0436'>", cyrillic)
              == "/d/p.html?%D0%B6");
        CHECK(targets_in("<meta charset=koi8-r><a href='?\xe6'>", cyrillic)
              == "/d/p.html?%E6");
        CHECK(targets_in("<meta charset=koi8-r><a href='?&#1078;'>", "text/html")
              == "/d/p.html?%D6");
        CHECK(targets_in("<meta charset=utf-16><a href='?\u0436'>", "text/html")
              == "/d/p.html?%D0%B6");
        CHECK(targets_in("<a href='?\xe9'>", "text/html") == "/d/p.html?%E9");
        CHECK(targets_in("<a href='?\u0436'>", "text/html") == "/d/p.html?%D0%B6");
        CHECK(targets_in("<a href='?&eacute;'>", "text/html; charset=x-unheard-of")
              == "/d/p.html?%C3%A9");
    }
    TEST_CASE("an XML document's declaration") {
        const auto link_in = [](const std::string& declaration) {
            return targets_in(declaration
                                  + "<html xmlns='u'><a href='\xef?\xe6&#233;'/></html>",
                              "application/xhtml+xml");
        };
        const std::string target = "/d/%D0%BF?%E6%26%23233%3B";
        CHECK(link_in("<?xml version='1.0' encoding='windows-1251'?>") == target);
        CHECK(link_in("<?xml version='1.0' encoding = \"Windows-1251\" ?>") == target);
        const std::string plain = "<html xmlns='u'><a href='?&#233;'/></html>";
        for (const char* start : {"", "\xef\xbb\xbf", "<?xml version='1.0'?>",
                                  "<?xml version='1.0' encoding='utf-8'?>"})
            CHECK(targets_in(start + plain, "text/xml") == "/d/p.html?%C3%A9");
        for (const char* start : {"<?xml encoding", "<?xml encoding=", "<?xml encoding='",
                                  "<?xml encoding='koi8-r", "<?xml encoding=''?>"})
            CHECK(targets_in(start + plain, "text/xml").empty());
    }
}

TEST_SUITE("which URLs of a page") {
    TEST_CASE("a base, and everything that HTML refers to") {
        CHECK(targets_in("<base href='/\xef?\xe6'><a href=''><a href='?\xe7'>"
                         "<meta http-equiv=refresh content='0;url=r?\xe6'>"
                         "<img srcset='i?\xe6 1x'><form action='f?\xe6'>"
                         "<link rel=stylesheet href='s?\xe6'>",
                         cyrillic)
              == "/%D0%BF?%E6 /%D0%BF?%E7 /r?%E6 /i?%E6 /f?%E6 /s?%E6");
    }
    TEST_CASE("in style sheets, queries are in UTF-8") {
        CHECK(targets_in("<style>@import '\xef?\xe6';</style>"
                         "<p style='f: url(x?\xe6)'><img src='x?\xe6'>",
                         cyrillic)
              == "/d/%D0%BF?%D0%B6 /d/x?%D0%B6 /d/x?%E6");
    }
    TEST_CASE("a hostile page can't make a URL longer than the limit") {
        const std::string page =
            "<a href='?" + std::string(20'000, '\x98') + "'><a href=x>";
        CHECK(targets_in(page, cyrillic) == "/d/x");
    }
}

TEST_SUITE("Encoding Standard: encoders") {
    TEST_CASE("GBK has the euro sign and no four bytes, and gb18030 has everything") {
        CHECK(query("\u20ac\u4e2d\u00e9\u00ea\u00eb", "gbk")
              == "%80%D6%D0%A8%A6%A8%BA%26%23235%3B");
        CHECK(query("\u20ac\u00eb\U0001f4a9", "gb18030") == "%A2%E3%810%8A5%949%DA3");
        CHECK(query("\ue5e5", "gb18030") == "%26%2358853%3B");
    }
    TEST_CASE("Shift_JIS and EUC-JP have Windows' characters, and none for private use") {
        CHECK(query("\u2460\uff76\uff5e", "cp932") == "%87@%B6%81`");
        CHECK(query("\u2460\uff76\uff5e", "euc-jp") == "%AD%A1%8E%B6%A1%C1");
        for (const char* charset : {"cp932", "euc-jp"}) {
            CAPTURE(charset);
            CHECK(query("\u00a5\u203e", charset) == "\\~");
            CHECK(query("\u2212", charset) == query("\uff0d", charset));
            CHECK(query("\ue000\u301c\u0081", charset)
                  == "%26%2357344%3B%26%2312316%3B%26%23129%3B");
        }
        // It would be three bytes in EUC-JP, of a table that is only read.
        CHECK(query("\u4e02", "euc-jp") == "%26%2319970%3B");
    }
    TEST_CASE("ISO-2022-JP changes its state with escape sequences") {
        CHECK(query("a\u3042\u3044b\u00a5", "iso-2022-jp")
              == "a%1B$B$%22$$%1B(Bb%1B(J\\%1B(B");
        CHECK(query("\u00a5a~", "iso-2022-jp") == "%1B(J\\a%1B(B~");
        CHECK(query("\uff71\u3042", "iso-2022-jp") == "%1B$B%%22$%22%1B(B");
        CHECK(query("\u3042\u00e9", "iso-2022-jp") == "%1B$B$%22%1B(B%26%23233%3B");
        CHECK(query("\x1b(B", "iso-2022-jp") == "%26%2365533%3B(B");
        CHECK(query("\u3042\t\u3042", "iso-2022-jp") == "%1B$B$%22$%22%1B(B");
        CHECK(
            targets_in("<a href='?\x1b$B$\"!A\x1b(B'>", "text/html; charset=iso-2022-jp")
            == "/d/p.html?%1B$B$%22!A%1B(B");
    }
    TEST_CASE("EUC-KR is Windows', and Big5 is written without Hong Kong's letters") {
        CHECK(query("\uac00\uac02", "cp949") == "%B0%A1%81A");
        CHECK(query("\u4e2d\u0416", "big5") == "%A4%A4%C7%FA");
        CHECK(query("\u00ca\u00c0", "big5") == "%26%23202%3B%26%23192%3B");
    }
    TEST_CASE("windows-1258 has accents, but not letters with them") {
        CHECK(
            query("\u1ea5\u00e2\u0301", "windows-1258").starts_with("%26%237845%3B%E2"));
    }
}
