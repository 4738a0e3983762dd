#include "common/web/fragments.h"

#include "common/text/ascii.h"

#include <algorithm>
#include <cstddef>
#include <functional>

namespace common {
namespace {

int value_of_hex(char c) {
    if (is_digit(c))
        return c - '0';
    const char small = to_lower(c);
    return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

std::string percent_decoded(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool has_two = text[i] == '%' && i + 2 < text.size();
        const int high = has_two ? value_of_hex(text[i + 1]) : -1;
        const int low = has_two ? value_of_hex(text[i + 2]) : -1;
        if (high < 0 || low < 0) {
            result += text[i];
        } else {
            result += static_cast<char>(16 * high + low);
            i += 2;
        }
    }
    return result;
}

} // namespace

std::uint32_t hash_of_id(std::string_view id) {
    const std::size_t hash = std::hash<std::string_view>()(id);
    return static_cast<std::uint32_t>(hash ^ (hash >> 16U >> 16U));
}

std::optional<std::string_view> fragment_to_find(std::string_view reference,
                                                 std::string& storage) {
    const auto hash = reference.find('#');
    if (hash == std::string_view::npos)
        return {};
    std::string_view fragment = reference.substr(hash + 1);
    if (std::ranges::any_of(fragment, [](char c) { return c >= 0 && c <= ' '; })) {
        storage = trim(fragment);
        std::erase_if(storage,
                      [](char c) { return c == '\t' || c == '\r' || c == '\n'; });
        fragment = storage;
    }
    fragment = fragment.substr(0, fragment.find(":~:"));
    if (fragment.empty() || fragment[0] == '!' || fragment[0] == '/')
        return {};
    constexpr std::size_t longest_top = 9; // "%74%6f%70"
    if (fragment.size() <= longest_top
        && equal_ignoring_case(percent_decoded(fragment), "top"))
        return {};
    return fragment;
}

bool is_indicated(std::string_view fragment, const IdHashes& ids) {
    return std::ranges::binary_search(ids, hash_of_id(fragment))
           || (fragment.find('%') != std::string_view::npos
               && std::ranges::binary_search(ids, hash_of_id(percent_decoded(fragment))));
}

} // namespace common
