// Where does a <meta http-equiv=refresh> lead?
#include "common/text/ascii.h"
#include "common/web/html_scanner.h"
#include "common/web/html_text.h"

#include <algorithm>

namespace common {

std::string_view refresh_target(std::string_view content) {
    const auto skip = [&](auto predicate) {
        const auto* end = std::ranges::find_if_not(content, predicate);
        const auto count = static_cast<std::size_t>(end - content.begin());
        content.remove_prefix(count);
        return count;
    };
    skip(is_blank);
    // The seconds; what is behind their point doesn't count.
    if (skip([](char c) { return is_digit(c) || c == '.'; }) == 0)
        return {};
    if (content.empty()
        || (content[0] != ';' && content[0] != ',' && !is_blank(content[0])))
        return {};
    skip(is_blank);
    if (content.starts_with(';') || content.starts_with(','))
        content.remove_prefix(1);
    skip(is_blank);
    if (content.size() > 3 && equal_ignoring_case(content.substr(0, 3), "url")) {
        const std::string_view whole = content;
        content.remove_prefix(3);
        skip(is_blank);
        if (content.starts_with('=')) {
            content.remove_prefix(1);
            skip(is_blank);
        } else {
            content = whole; // it only looked like "url="
        }
    }
    if (content.starts_with('"') || content.starts_with('\'')) {
        const char quote = content[0];
        content.remove_prefix(1);
        content = content.substr(0, content.find(quote));
    }
    return content;
}

} // namespace common
