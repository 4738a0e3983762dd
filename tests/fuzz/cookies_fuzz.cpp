// What a jar may never do, whatever servers set. Each line of the input is a host, a
// space, and a Set-Cookie header from there; with a "!" before it, the host has no TLS.
#include "stage3_queue_crawler/crawler/cookie_date.h"
#include "stage3_queue_crawler/crawler/cookie_jar.h"
#include "stage3_queue_crawler/crawler/registrable_domain.h"
#include "stage3_queue_crawler/crawler/set_cookie.h"
#include "tests/fuzz/fuzz.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using stage3::CookieJar;

constexpr std::chrono::sys_days today = std::chrono::year(2026) / 7 / 1;

bool has_controls(std::string_view text) {
    return std::ranges::any_of(text, [](char c) {
        return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
    });
}

/// The URL's site. (As a number, since a host's name may have a semicolon.)
std::string site_of(const common::Url& url) {
    return std::to_string(std::hash<std::string_view>()(stage3::registrable_domain(url)));
}

/// A URL at the host that a line begins with.
std::optional<common::Url> url_in(std::string_view line, std::string_view path) {
    const bool is_plain = line.starts_with('!');
    const std::string_view host = line.substr(0, line.find(' ')).substr(is_plain ? 1 : 0);
    return common::parse_url((is_plain ? "http://" : "https://") + std::string(host)
                             + std::string(path));
}

/// The same header, with a name and a value that say who has set it, and how.
std::string marked(const common::Url& url, std::string_view text) {
    const auto set = stage3::parse_set_cookie(text, today);
    const std::string_view name = set && set->is_secure ? "secure=" : "plain=";
    const auto rest = text.substr(std::min(text.find(';'), text.size()));
    return std::string(name) + site_of(url) + std::string(rest);
}

void check_marks(std::string_view header, const common::Url& url) {
    while (!header.empty()) {
        const auto end = std::min(header.find("; "), header.size());
        const std::string_view cookie = header.substr(0, end);
        header.remove_prefix(std::min(end + 2, header.size()));
        tests::require(cookie.substr(cookie.find('=') + 1) == site_of(url),
                       "a cookie goes only to the site that has set it");
        tests::require(cookie.starts_with("plain=") || url.scheme() == "https"
                           || url.host_is_address() || url.host().ends_with("localhost"),
                       "a secure cookie never goes out in the clear");
    }
}

void check_header(const std::string& header, const CookieJar& jar) {
    tests::require(!has_controls(header), "a Cookie header has no control characters");
    tests::require(header.size() <= CookieJar::longest_header,
                   "a Cookie header is no longer than the limit");
    tests::require(jar.size() <= CookieJar::most, "a jar has its limit");
}

} // namespace

void tests::fuzz(std::string_view input) {
    (void)stage3::parse_cookie_date(input);
    CookieJar jar;
    CookieJar of_marks;
    std::vector<common::Url> urls;
    std::size_t headers = 0;
    while (!input.empty()) {
        const auto end = std::min(input.find('\n'), input.size());
        const std::string_view line = input.substr(0, end);
        input.remove_prefix(std::min(end + 1, input.size()));
        const auto url = url_in(line, "/a/b");
        if (!url)
            continue;
        const std::string_view text =
            line.substr(std::min(line.find(' ') + 1, line.size()));
        jar.take(*url, text, today);
        ++headers;
        of_marks.take(*url, marked(*url, text), today);
        for (const std::string_view path : {"/a/b", "/"})
            if (const auto other = url_in(line, path))
                urls.push_back(*other);
    }
    require(jar.size() <= headers, "a header is one cookie at most");
    for (const common::Url& url : urls) {
        check_header(jar.header_for(url, today), jar);
        check_marks(of_marks.header_for(url, today), url);
    }
}
