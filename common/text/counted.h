// A number and what it counts, in a sentence.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace common {

/// "1 page", "2 pages".
inline std::string counted(std::size_t number, std::string_view thing) {
    std::string text = std::to_string(number) + ' ';
    text += thing;
    if (number != 1)
        text += 's';
    return text;
}

} // namespace common
