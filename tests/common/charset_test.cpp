#include "common/web/charset.h"
#include "tests/support/prelude.h"

using common::to_utf8;

namespace {

std::string utf8(std::string_view bytes, std::string_view content_type = "text/html") {
    std::string storage;
    return std::string(to_utf8(bytes, content_type, storage));
}

std::string bytes(std::initializer_list<int> values) {
    std::string result;
    for (const int value : values)
        result += static_cast<char>(value);
    return result;
}

const std::string wrong = "\xef\xbf\xbd";

} // namespace

TEST_SUITE("HTML Standard: determining the character encoding") {
    TEST_CASE("a byte order mark overrides every other declaration") {
        CHECK(utf8("\xef\xbb\xbf\xc3\xa9", "text/html; charset=windows-1252")
              == "\xc3\xa9");
        CHECK(utf8(bytes({0xff, 0xfe, 'a', 0, 0xe9, 0})) == "a\xc3\xa9");
        CHECK(utf8(bytes({0xfe, 0xff, 0, 'a', 0, 0xe9}), "text/html; charset=utf-8")
              == "a\xc3\xa9");
    }
    TEST_CASE("the server's charset overrides a meta element") {
        CHECK(utf8("\xe9", "text/html; charset=iso-8859-2") == "\xc3\xa9");
        CHECK(utf8("\xe9<meta charset=utf-8>", "text/html;charset=\"windows-1252\"")
                  .starts_with("\xc3\xa9"));
        CHECK(utf8("\xd0\xc9", "text/html; charset=KOI8-R") == "\xd0\xbf\xd0\xb8");
        CHECK(utf8(bytes({'a', 0, 'b', 0}), "text/html; charset=utf-16") == "ab");
        CHECK(utf8(bytes({0, 'a'}), "text/html; charset=utf-16be") == "a");
        CHECK(utf8("\x83\x41", "text/html; charset=Shift_JIS") == "\xe3\x82\xa2");
    }
    TEST_CASE("a meta element counts within the first 1,024 bytes") {
        CHECK(utf8("<meta charset=windows-1251>\xef").ends_with("\xd0\xbf"));
        CHECK(
            utf8("<META http-equiv=Content-Type content='text/html; charset=koi8-r'>\xd0")
                .ends_with("\xd0\xbf"));
        CHECK(utf8("<!-- <meta charset=koi8-r> --><meta charset=windows-1251>\xef")
                  .ends_with("\xd0\xbf"));
        const std::string blanks(1024, ' ');
        CHECK(utf8(blanks + "<meta charset=windows-1251>\xef").ends_with("\xc3\xaf"));
        // The meta element could be read, so the page isn't in UTF-16, whatever it says.
        CHECK(utf8("<meta charset=utf-16>\xc3\xa9").ends_with("\xc3\xa9"));
        CHECK(utf8("<a href=x><meta name=x><meta charset=koi8-r>\xd0")
                  .ends_with("\xd0\xbf"));
        // Other meta elements say nothing about the charset.
        CHECK(utf8("<meta name=description content='text/html; charset=koi8-r'>\xef")
                  .ends_with("\xc3\xaf"));
    }
    TEST_CASE("undeclared text is read as UTF-8 if valid and otherwise as windows-1252") {
        CHECK(utf8("\xc3\xa9") == "\xc3\xa9");
        CHECK(utf8("\xe9\x80") == "\xc3\xa9\xe2\x82\xac");
        CHECK(utf8(std::string_view("\xc3\xa9\0", 3)) == "\xc3\xa9" + wrong);
    }
    TEST_CASE("an unknown label is ignored") {
        CHECK(utf8("\xc3\xa9", "text/html; charset=x-unheard-of") == "\xc3\xa9");
        CHECK(utf8("\xc3\xa9<meta charset=bogus>").starts_with("\xc3\xa9"));
        CHECK(utf8("\xc3\xa9", "text/html; charset=") == "\xc3\xa9");
        // Known to the system, but not to browsers: in UTF-7, "+ADw-" would be "<".
        CHECK(utf8("+ADw-", "text/html; charset=utf-7") == "+ADw-");
        CHECK(utf8("\xc3\xa9", "text/html; charset=utf-8//IGNORE") == "\xc3\xa9");
    }
}

TEST_SUITE("Encoding Standard: labels") {
    TEST_CASE("some labels mean a different encoding from the one they name") {
        for (const char* label : {"iso-8859-1", "ascii", "Latin1", " us-ascii "}) {
            CAPTURE(label);
            CHECK(utf8("\x80", std::string("text/html; charset=") + label)
                  == "\xe2\x82\xac"); // the euro sign, which only windows-1252 has
        }
        CHECK(utf8("\xfd", "text/html; charset=iso-8859-9") == "\xc4\xb1");
        CHECK(utf8("\x81\x30\x81\x30", "text/html; charset=gb2312") == "\xc2\x80");
    }
}

TEST_CASE("where systems have several tables, the one of the web is taken") {
    // The circled one that Windows has added, the wave that is a tilde, and a Cyrillic
    // Zhe.
    CHECK(utf8("\xad\xa1\xa1\xc1", "text/html; charset=euc-jp")
          == "\xe2\x91\xa0\xef\xbd\x9e");
    CHECK(utf8("\xc7\xfa", "text/html; charset=big5") == "\xd0\x96");
}

TEST_CASE("the last letter is there, though an accent could follow") {
    CHECK(utf8("ba", "text/html; charset=windows-1258") == "ba");
}

TEST_SUITE("bytes that can't be decoded") {
    TEST_CASE("each malformed part of a character becomes one U+FFFD") {
        // The Unicode Standard, table 3-8, and its neighbours.
        const std::string type = "text/html; charset=utf-8";
        CHECK(utf8("a\xf1\x80\x80\xe1\x80\xc2z", type)
              == "a" + wrong + wrong + wrong + "z");
        CHECK(utf8("\xc0\xaf", type) == wrong + wrong);             // too long a form
        CHECK(utf8("\xed\xa0\x80", type) == wrong + wrong + wrong); // a surrogate
        CHECK(utf8("\xf4\x90\x80\x80", type) == wrong + wrong + wrong + wrong);
        CHECK(utf8("\xe2\x82", type) == wrong); // cut off
        CHECK(utf8("\x80z", type) == wrong + "z");
        CHECK(utf8("\xf0\x9f\x92\xa9", type) == "\xf0\x9f\x92\xa9");
    }
    TEST_CASE("a zero byte becomes U+FFFD") {
        CHECK(utf8(std::string_view("a\0b", 3)) == "a" + wrong + "b");
        CHECK(utf8(std::string_view("a\0\xef", 3), "text/html; charset=windows-1251")
              == "a" + wrong + "\xd0\xbf");
    }
    TEST_CASE("a bad byte becomes U+FFFD anywhere in a long text") {
        for (std::size_t place = 0; place < 300; ++place)
            for (const char byte : {'\0', '\x80', '\xff'}) {
                CAPTURE(place);
                std::string text(300, 'x');
                text[place] = byte;
                std::string expected = text;
                expected.replace(place, 1, wrong);
                CHECK(utf8(text, "text/html; charset=utf-8") == expected);
            }
    }
    TEST_CASE("other encodings replace bad bytes one by one and decode the rest") {
        CHECK(utf8("\x83", "text/html; charset=shift_jis") == wrong); // cut off
        CHECK(utf8(bytes({'a', 0, 0x00, 0xd8, 'b', 0}), "text/html; charset=utf-16le")
                  .ends_with("b"));
        const std::string many(200'000, '\xff');
        CHECK(utf8(many, "text/html; charset=euc-jp").size() == many.size() * 3);
    }
}

TEST_CASE("a page that is already valid UTF-8 is not copied") {
    std::string storage;
    const std::string page = "<p>\xc3\xa9" + std::string(100, 'x');
    CHECK(to_utf8(page, "text/html", storage).data() == page.data());
    CHECK(storage.empty());
}
