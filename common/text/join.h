// Words in a row, with something between them. (fmt::join does more, and takes seconds to
// compile in each file that has it.)
#pragma once

#include <string>
#include <string_view>

namespace common {

/// `words`: a range of strings or string views. {"a", "b"}, ", " → "a, b".
template <class Words>
std::string join(const Words& words, std::string_view between) {
    std::string text;
    bool first = true;
    for (const auto& word : words) {
        if (!first)
            text += between;
        text += word;
        first = false;
    }
    return text;
}

} // namespace common
