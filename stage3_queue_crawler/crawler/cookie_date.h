// The dates in which cookies expire.
//
// They come in more forms than HTTP's other dates, so RFC 6265bis doesn't say what a date
// looks like, but how to find its parts: four kinds of token, in any order, with anything
// between them. libcurl's curl_getdate has other rules: it knows time zones, and takes
// dates without a time or with two days.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace stage3 {

/// The date in an Expires attribute, such as "Wed, 09 Jun 2027 10:18:14 GMT"; always in
/// UTC. Nothing if there is none. Source: RFC 6265bis, section "Dates".
std::optional<std::chrono::sys_seconds> parse_cookie_date(std::string_view text);

} // namespace stage3
