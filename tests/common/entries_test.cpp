#include "common/text/entries.h"
#include "tests/support/prelude.h"

namespace {

/// "1:a 2:b "
std::string read(std::string_view text, std::string_view comment_marks = "#") {
    std::string result;
    for (const auto& [line, entry] : common::entries_of(text, comment_marks))
        result += std::to_string(line) + ':' + std::string(entry) + ' ';
    return result;
}

} // namespace

TEST_CASE("entries are trimmed, and numbered by their lines") {
    CHECK(read("a\n\n \t b c \r\n  \nd") == "1:a 3:b c 5:d ");
    CHECK(read("") == "");
    CHECK(read("\n\n") == "");
}

TEST_CASE("a line that begins with a comment's mark is no entry") {
    CHECK(read("# a\n  # b\nc # d\n; e") == "3:c # d 4:; e ");
    CHECK(read("# a\n; b\nc", "#;") == "3:c ");
}

TEST_CASE("a byte order mark at the beginning is no part of an entry") {
    CHECK(read("\xef\xbb\xbf"
               "a")
          == "1:a ");
    CHECK(read("\xef\xbb\xbf# a\nb") == "2:b ");
}
