#include "common/web/malformed_url.h"

#include "common/text/ascii.h"
#include "common/web/host_parser.h"
#include "common/web/percent_encoding.h"
#include "common/web/url_syntax.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>

namespace common {
namespace {

/// True if one letter makes the difference: it's wrong, missing, or too much, or two have
/// changed places.
bool is_one_letter_away(std::string_view a, std::string_view b) {
    while (!a.empty() && !b.empty() && a.front() == b.front()) {
        a.remove_prefix(1);
        b.remove_prefix(1);
    }
    while (!a.empty() && !b.empty() && a.back() == b.back()) {
        a.remove_suffix(1);
        b.remove_suffix(1);
    }
    const bool are_swapped =
        a.size() == 2 && b.size() == 2 && a[0] == b[1] && a[1] == b[0];
    return are_swapped || (a.size() <= 1 && b.size() <= 1 && a != b);
}

/// True for "htpp" and "httsp". (There once was an "shttp".)
bool resembles_web_scheme(std::string_view scheme) {
    return scheme != "shttp"
           && (is_one_letter_away(scheme, "http") || is_one_letter_away(scheme, "https"));
}

bool is_meant_for_web(std::string_view text) {
    const std::string scheme = lower(scheme_of(text));
    if (scheme.empty()) // else it's relative, and can always be resolved
        return text.size() >= 2 && is_slash(text[0]) && is_slash(text[1]);
    return is_web_scheme(scheme) || resembles_web_scheme(scheme);
}

/// Where the authority of a text begins: behind its scheme and the slashes.
std::size_t authority_begin(std::string_view text) {
    const std::string_view scheme = scheme_of(text);
    const std::size_t begin = scheme.empty() ? 0 : scheme.size() + 1;
    const auto* const authority = std::ranges::find_if_not(text.substr(begin), is_slash);
    return static_cast<std::size_t>(authority - text.begin());
}

/// "user@h:80" of "http://user@h:80/path".
std::string_view authority_of(std::string_view text) {
    text.remove_prefix(authority_begin(text));
    return text.substr(0, text.find_first_of("/\\?"));
}

/// True if it's a URL up to its path: then it's only too long.
bool has_origin(std::string_view text) {
    const std::size_t end = authority_begin(text) + authority_of(text).size();
    std::string origin = scheme_of(text).empty() ? "http:" : "";
    origin.append(text.substr(0, end)).append("/");
    return parse_url(origin).has_value();
}

/// No report shows a password. (Without anything in front of the @, what is behind it
/// might become a URL.)
std::string without_login(std::string_view text) {
    const std::size_t login = authority_of(text).rfind('@');
    std::string result(text);
    if (login != std::string_view::npos && login > 0)
        result.replace(authority_begin(text), login, "***");
    return result;
}

Malformation not_a_url(std::string_view why) {
    return {.text = fmt::format("not a URL: {}", why), .is_sure = true};
}

/// Why `parse_host` refuses it.
Malformation explain_host(std::string_view text) {
    if (text.empty())
        return not_a_url("it has no host");
    if (text.starts_with('['))
        return not_a_url("the brackets don't hold an IPv6 address");
    const std::string host = percent_decoded(text);
    constexpr std::string_view forbidden = "#%/:<>?@[\\]^|";
    const auto is_control = [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    };
    const auto is_beyond_ascii = [](char c) { return static_cast<signed char>(c) < 0; };
    if (host.find(' ') != std::string::npos)
        return not_a_url("its host contains a blank");
    if (const auto at = host.find_first_of(forbidden); at != std::string::npos)
        return not_a_url(fmt::format("its host contains a {}", host[at]));
    if (std::ranges::any_of(host, is_control))
        return not_a_url("its host contains a control character");
    if (std::ranges::any_of(host, is_beyond_ascii)) // browsers may know more letters
        return {.text =
                    "perhaps not a URL: its host has letters that can't be converted"};
    return not_a_url("its host ends in a number, but isn't an IPv4 address");
}

} // namespace

/// The only one besides UrlParser that can fill a Url.
class MalformedUrl {
  public:
    static Url of(std::string_view text) {
        return {SharedText(text), {.scheme_end = 0, .host_end = 3, .path_begin = 3}};
    }
};

std::optional<Url> malformed_url(std::string_view reference) {
    std::string storage;
    const std::string_view text = stripped(reference, storage);
    if (!is_meant_for_web(text) || has_origin(text))
        return std::nullopt;
    std::string written;
    append_encoded(written, without_login(text), percent_encode_set(""));
    if (written.ends_with(' ')) // a fragment was behind it; at an end, it wouldn't count
        written += '#';
    constexpr std::string_view longest_scheme = "https:"; // it may come from the page
    if (longest_scheme.size() + written.size() >= max_url_length)
        return std::nullopt;
    return MalformedUrl::of(written);
}

std::optional<Url> read_href(std::string_view href) {
    auto url = parse_url(href);
    return url ? url : malformed_url(href);
}

Malformation explain(const Url& malformed) {
    const std::string_view text = malformed.href();
    if (const std::string scheme = lower(scheme_of(text));
        !scheme.empty() && !is_web_scheme(scheme))
        return {.text = fmt::format("unknown scheme {}: (http?)", scheme)};
    const std::string_view authority = authority_of(text);
    const std::string_view host_and_port =
        authority.substr(authority.rfind('@') + 1); // npos + 1 is 0
    const auto bracket =
        host_and_port.starts_with('[') ? host_and_port.find(']') : std::size_t{0};
    const auto colon = host_and_port.find(':', std::min(bracket, host_and_port.size()));
    const std::string_view host = host_and_port.substr(0, colon);
    if (colon != std::string_view::npos && parse_host(host))
        return not_a_url("its port isn't a number up to 65535");
    return explain_host(host);
}

} // namespace common
