#include "stage3_queue_crawler/program/typed_line.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace stage3 {
namespace {

constexpr std::string_view hidden = "***";
/// Options whose whole value may be a secret.
constexpr auto secret = std::to_array<std::string_view>({"--header", "--frontier"});

/// Hides what stands before the host in a URL, which may come after "=", and may lack its
/// scheme. The @ of a path stays.
std::string without_password(std::string_view word) {
    const std::size_t scheme = word.find("://");
    std::size_t begin = scheme == std::string_view::npos ? 0 : scheme + 3;
    if (scheme == std::string_view::npos && word.starts_with("--"))
        begin =
            word.find('=') == std::string_view::npos ? word.size() : word.find('=') + 1;
    const std::size_t end = std::min(word.find_first_of("/?#\\", begin), word.size());
    const std::size_t at = word.substr(0, end).rfind('@');
    if (at == std::string_view::npos || at < begin)
        return std::string(word);
    return std::string(word.substr(0, begin)).append(hidden).append(word.substr(at));
}

std::string for_shell(const std::string& word) {
    constexpr std::string_view plain =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
        "0123456789-_=+,.:/@%*";
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos)
        return word;
    std::string text = "'";
    for (const char c : word)
        text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

} // namespace

std::string typed_line(const std::vector<std::string>& words, std::string_view config) {
    std::string line;
    bool hides_next = false;
    for (const std::string& word : words) {
        const std::string name = word.substr(0, word.find('='));
        const bool is_secret = std::ranges::find(secret, name) != secret.end();
        std::string shown = without_password(word);
        if (hides_next)
            shown = hidden;
        else if (is_secret && name != word)
            shown = name + '=' + std::string(hidden);
        hides_next = !hides_next && is_secret && name == word;
        line += (line.empty() ? "" : " ") + for_shell(shown);
    }
    if (!config.empty())
        line.append(line.empty() ? "" : " and ").append(config);
    return line;
}

} // namespace stage3
