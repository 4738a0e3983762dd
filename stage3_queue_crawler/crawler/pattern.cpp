#include "stage3_queue_crawler/crawler/pattern.h"

#include "common/text/ascii.h"
#include "common/text/byte_set.h"
#include "common/web/percent_encoding.h"

#include <fmt/core.h>

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string_view>

namespace stage3 {
namespace {

/// What to write instead of a backslash and this letter.
std::string instead_of(char letter) {
    switch (letter) {
    case 'd': return "a digit is [0-9]";
    case 'D': return "all but digits are [^0-9]";
    case 'A': return "the beginning is ^";
    case 'z':
    case 'Z': return "the end is $";
    default: return "no letter needs a backslash";
    }
}

/// The end of what begins with a '[' at `begin`.
std::size_t end_of_brackets(std::string_view text, std::size_t begin) {
    std::size_t at = begin + 1;
    at += text.substr(at).starts_with('^') ? 1 : 0;
    at += text.substr(at).starts_with(']') ? 1 : 0; // the first one stands for itself
    while (at < text.size() && text[at] != ']') {
        const std::string_view rest = text.substr(at);
        const bool is_class =
            rest.starts_with("[:") || rest.starts_with("[.") || rest.starts_with("[=");
        const auto end =
            is_class ? rest.find(std::string{rest[1], ']'}, 2) : std::string_view::npos;
        at += end == std::string_view::npos ? 1 : end + 2;
    }
    return at;
}

/// What would mean something else than its writer thinks; empty if there is no such
/// thing.
std::string misunderstood_in(std::string_view text) {
    constexpr std::string_view known = "wWsSbB"; // to the C library
    for (std::size_t at = 0; at < text.size(); ++at) {
        const std::string_view rest = text.substr(at);
        if (rest.starts_with('[')) {
            const std::size_t end = end_of_brackets(text, at);
            const std::string_view inside = text.substr(at + 1, end - at - 1);
            const auto slash = inside.find('\\');
            if (slash != std::string_view::npos && slash + 1 < inside.size()
                && (common::is_alpha(inside[slash + 1])
                    || common::is_digit(inside[slash + 1])))
                return fmt::format(
                    "in brackets, a backslash is just a backslash, and {} is "
                    "no class (a digit is 0-9, a letter a-zA-Z)",
                    inside.substr(slash, 2));
            at = end;
        } else if (rest.starts_with("(?")) {
            return fmt::format(
                "{} has no meaning here: a group is (...), and there is no "
                "way to look ahead, to look behind or to ignore case",
                rest.substr(0, 3));
        } else if (rest.starts_with('\\') && rest.size() > 1) {
            if ((common::is_alpha(rest[1])
                 && known.find(rest[1]) == std::string_view::npos)
                || rest[1] == '0')
                return fmt::format("{} has no meaning here ({})", rest.substr(0, 2),
                                   instead_of(rest[1]));
            ++at;
        }
    }
    return {};
}

} // namespace

Pattern::Pattern(const std::string& text) {
    if (const std::string why = misunderstood_in(text); !why.empty())
        throw std::invalid_argument(why);
    auto compiled = std::make_unique<regex_t>();
    if (const int code =
            regcomp(compiled.get(), text.c_str(), REG_EXTENDED | REG_NOSUB)) {
        std::array<char, 200> message{};
        regerror(code, compiled.get(), message.data(), message.size());
        throw std::invalid_argument(message.data());
    }
    compiled_.reset(compiled.release());
}

bool Pattern::is_found_in(const char* text) const {
    return regexec(compiled_.get(), text, 0, nullptr, 0) == 0;
}

bool Pattern::is_found_in_url(const std::string& url) const {
    constexpr common::ByteSet unprintable = common::percent_encode_set("");
    if (is_found_in(url.c_str()))
        return true;
    std::string encoded;
    common::append_encoded(encoded, url, unprintable);
    return encoded.size() > url.size() && is_found_in(encoded.c_str());
}

} // namespace stage3
