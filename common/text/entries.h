// Text files that people write by hand, with an entry per line.
#pragma once

#include "common/text/ascii.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace common {

struct Entry {
    std::size_t line; ///< its number, from 1
    std::string_view text;
};

/// The lines of `text`, trimmed, without empty ones and comments: lines that begin with
/// one of `comment_marks`.
inline std::vector<Entry> entries_of(std::string_view text,
                                     std::string_view comment_marks = "#") {
    std::vector<Entry> entries;
    constexpr std::string_view mark = "\xef\xbb\xbf"; // Windows' Notepad puts it
    if (text.starts_with(mark))
        text.remove_prefix(mark.size());
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::string_view whole = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(whole.size() + 1, text.size()));
        const std::string_view entry = trim(whole);
        if (!entry.empty() && comment_marks.find(entry.front()) == std::string_view::npos)
            entries.push_back({number, entry});
    }
    return entries;
}

} // namespace common
