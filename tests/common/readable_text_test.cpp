// What of a text can be shown as it is.
#include "common/web/fragments.h"
#include "common/web/readable_text.h"
#include "tests/support/prelude.h"

using common::readable;
using common::readable_fragment;

TEST_CASE("letters stay, and what can't be seen is written as bytes") {
    CHECK(readable("plain \\ text~") == "plain \\ text~");
    CHECK(readable("caf\xc3\xa9 \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x98\x80")
          == "caf\xc3\xa9 \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x98\x80");
    CHECK(readable("\x1b[2J\x07\r\n\x7f") == "\\x1b[2J\\x07\\x0d\\x0a\\x7f");
    // NOLINTNEXTLINE(misc-misleading-bidirectional): this is what the test is about
    CHECK(readable("a\xe2\x80\xae"
                   "b")
          == "a\\xe2\\x80\\xae"
             "b");
    // NOLINTBEGIN(misc-misleading-bidirectional)
    for (const char* const hidden :
         {"\xc2\x9b", "\xc2\xa0", "\xc2\xad", "\xe2\x80\x8b", "\xe2\x81\xa6",
          "\xef\xbb\xbf", "\xef\xb8\x8f", "\xee\x80\x80", "\xf3\xa0\x81\x81",
          "\xf4\x8f\xbf\xbf"})
        CHECK(readable(hidden)[0] == '\\');
    // NOLINTEND(misc-misleading-bidirectional)
}

TEST_CASE("what isn't UTF-8 is written as bytes") {
    CHECK(readable("\xff\xc3z") == "\\xff\\xc3z");
    CHECK(readable("\xc0\xaf") == "\\xc0\\xaf");          // too long
    CHECK(readable("\xe0\x80\xaf") == "\\xe0\\x80\\xaf"); // likewise
    CHECK(readable("\xed\xa0\x80") == "\\xed\\xa0\\x80"); // a surrogate
    CHECK(readable("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");
    CHECK(readable("\xe2\x82") == "\\xe2\\x82"); // cut off
    CHECK(readable("") == "");
}

TEST_CASE("a fragment has one spelling, which can be read and opened") {
    CHECK(readable_fragment("caf%C3%A9") == "caf\xc3\xa9");
    CHECK(readable_fragment("caf\xc3\xa9") == "caf\xc3\xa9");
    CHECK(readable_fragment("caf%c3%a9") == "caf\xc3\xa9");
    CHECK(readable_fragment("a b\"<>`") == "a%20b%22%3C%3E%60");
    CHECK(readable_fragment("100%") == "100%25");
    CHECK(readable_fragment("100%25") == "100%25");
    CHECK(readable_fragment("%FF\x1b%00") == "%FF%1B%00");
    // NOLINTNEXTLINE(misc-misleading-bidirectional)
    CHECK(readable_fragment("\xe2\x80\xae") == "%E2%80%AE");
    for (const char* const text :
         {"caf\xc3\xa9", "a%20b", "100%", "x\\y", "%FF", "a#b?c/d"})
        CHECK(readable_fragment(readable_fragment(text)) == readable_fragment(text));
}
