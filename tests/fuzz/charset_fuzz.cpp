// What must hold for every text, whatever bytes it was made from. The input is a
// Content-Type, a line break, and a page.
#include "common/web/charset.h"
#include "tests/fuzz/fuzz.h"

#include <string>

void tests::fuzz(std::string_view input) {
    const auto line = input.find('\n');
    const std::string_view type =
        line == std::string_view::npos ? "" : input.substr(0, line);
    std::string storage;
    const std::string_view text =
        common::to_utf8(input.substr(line + 1), type, storage); // npos + 1 is 0
    require(text.find('\0') == std::string_view::npos, "the text has no zero bytes");
    // Valid text is left alone, so this text is valid.
    std::string unused;
    const std::string marked = "\xef\xbb\xbf" + std::string(text);
    const std::string_view again = common::to_utf8(marked, type, unused);
    require(again == text && unused.empty(), "the text is valid UTF-8");
    require(text.size() <= 4 * input.size() + 4,
            "the text is no more than four times as long as the input");
}
