#include "exercise.h"

#include <vector>

namespace {

/// The segment with its encoded dots written as dots.
std::string plain(std::string_view segment) {
    std::string result;
    for (std::size_t i = 0; i < segment.size(); ++i) {
        const std::string_view three = segment.substr(i, 3);
        const bool is_dot = three == "%2e" || three == "%2E";
        result += is_dot ? '.' : segment[i];
        i += is_dot ? 2 : 0;
    }
    return result;
}

} // namespace

std::string without_dots(std::string_view path) {
    std::vector<std::string_view> kept;
    bool folder = false;
    while (!path.empty()) {
        path.remove_prefix(1); // the slash
        const std::string_view segment = path.substr(0, path.find('/'));
        path.remove_prefix(segment.size());
        const std::string meaning = plain(segment);
        const bool up = meaning == "..";
        folder = up || meaning == ".";
        if (up && !kept.empty())
            kept.pop_back();
        if (!folder)
            kept.push_back(segment); // as it was written
    }
    std::string result;
    for (const std::string_view segment : kept)
        result.append("/").append(segment);
    return folder ? result + "/" : result;
}
