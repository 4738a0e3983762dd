// What must hold for every text, whatever bytes it was made from. The input is a
// Content-Type, a line break, and a page.
#include "common/web/charset.h"
#include "common/web/query_encoder.h"
#include "tests/fuzz/fuzz.h"

#include <algorithm>
#include <string>

void tests::fuzz(std::string_view input) {
    const auto line = input.find('\n');
    const std::string_view type =
        line == std::string_view::npos ? "" : input.substr(0, line);
    std::string storage;
    std::string charset;
    const std::string_view text =
        common::to_utf8(input.substr(line + 1), type, storage, &charset); // npos + 1 is 0
    require(text.find('\0') == std::string_view::npos, "the text has no zero bytes");
    // Valid text is left alone, so this text is valid.
    std::string unused;
    const std::string marked = "\xef\xbb\xbf" + std::string(text);
    const std::string_view again = common::to_utf8(marked, type, unused);
    require(again == text && unused.empty(), "the text is valid UTF-8");
    require(text.size() <= 4 * input.size() + 4,
            "the text is no more than four times as long as the input");
    // The way back, of a reference that has all of the text in its query.
    std::string query = "p?" + std::string(text);
    std::ranges::replace(query, '#', '?');
    common::QueryEncoder encoder(charset);
    const std::string encoded(encoder.in_charset(query));
    require(std::ranges::all_of(encoded, [](char c) { return c > 0; }),
            "a query in the page's character set is ASCII");
    require(encoded.starts_with("p?") && encoded.find('#') == std::string::npos,
            "a query stays where it was");
    require(encoded.size() <= 14 * query.size(), "a query doesn't become much longer");
    common::QueryEncoder others("windows-1252"); // which sees no character to encode
    require(others.in_charset(encoded) == encoded, "what is encoded stays as it is");
}
