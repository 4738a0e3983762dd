#include "stage3_queue_crawler/crawler/set_cookie.h"

#include "common/text/ascii.h"
#include "stage3_queue_crawler/crawler/cookie_date.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

namespace stage3 {
namespace {

using std::chrono::sys_seconds;

constexpr auto longest_life = std::chrono::days(400);
constexpr std::string_view blanks = " \t";

/// All but the tab.
bool is_control(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7f;
}

/// "a=b" → "a" and "b", without the blanks around them. Without "=" there is only one of
/// them: the value if `is_value_alone`, else the name.
std::pair<std::string_view, std::string_view> split(std::string_view text,
                                                    bool is_value_alone) {
    const auto equals = text.find('=');
    if (equals == std::string_view::npos) {
        const std::string_view all = common::trim(text, blanks);
        return is_value_alone ? std::pair(std::string_view(), all)
                              : std::pair(all, std::string_view());
    }
    return {common::trim(text.substr(0, equals), blanks),
            common::trim(text.substr(equals + 1), blanks)};
}

/// How many seconds a Max-Age gives a cookie; nothing if it's no number.
std::optional<std::int64_t> seconds_in(std::string_view text) {
    const bool is_negative = text.starts_with('-');
    const std::string_view digits = text.substr(is_negative ? 1 : 0);
    if (digits.empty() || !std::ranges::all_of(digits, common::is_digit))
        return {};
    if (is_negative)
        return 0;
    std::int64_t seconds = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), seconds);
    return error == std::errc() ? seconds : INT64_MAX;
}

/// What the attributes say about the cookie's end: Max-Age goes before Expires.
struct Lifetime {
    std::optional<sys_seconds> max_age;
    std::optional<sys_seconds> expires;

    void take_max_age(std::string_view value, sys_seconds now) {
        const auto seconds = seconds_in(value);
        if (!seconds)
            return;
        const auto most = std::chrono::seconds(longest_life).count();
        max_age = now + std::chrono::seconds(std::min(*seconds, most));
    }
    void take_expires(std::string_view value, sys_seconds now) {
        if (const auto date = parse_cookie_date(value))
            expires = std::min(*date, now + longest_life);
    }
};

/// The last attribute of each name counts.
void take_attribute(std::string_view text, sys_seconds now, SetCookie& cookie,
                    Lifetime& lifetime) {
    const auto [name, value] = split(text, false);
    if (value.size() > SetCookie::most_in_detail)
        return;
    const auto is = [attribute = name](std::string_view known) {
        return common::equal_ignoring_case(attribute, known);
    };
    if (is("Expires")) {
        lifetime.take_expires(value, now);
    } else if (is("Max-Age")) {
        lifetime.take_max_age(value, now);
    } else if (is("Domain")) {
        cookie.domain = common::lower(value.substr(value.starts_with('.') ? 1 : 0));
    } else if (is("Path")) {
        cookie.path = value.starts_with('/') ? value : std::string_view();
    } else if (is("Secure")) {
        cookie.is_secure = true;
    }
}

} // namespace

std::optional<SetCookie> parse_set_cookie(std::string_view text, sys_seconds now) {
    if (std::ranges::any_of(text, is_control))
        return {};
    const auto end = std::min(text.find(';'), text.size());
    const auto [name, value] = split(text.substr(0, end), true);
    if (name.size() + value.size() > SetCookie::most_bytes
        || (name.empty() && value.empty()))
        return {};
    SetCookie cookie{.name = std::string(name), .value = std::string(value)};
    Lifetime lifetime;
    for (std::string_view rest = text.substr(end); !rest.empty();) {
        rest.remove_prefix(1); // the semicolon
        const std::string_view attribute = rest.substr(0, rest.find(';'));
        take_attribute(attribute, now, cookie, lifetime);
        rest.remove_prefix(attribute.size());
    }
    cookie.expires = lifetime.max_age ? lifetime.max_age : lifetime.expires;
    return cookie;
}

} // namespace stage3
