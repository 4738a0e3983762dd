// A Set-Cookie header, read as browsers read it.
//
// What it says is only the server's wish: whether such a cookie is kept, and who gets it,
// is the jar's decision (cookie_jar.h).
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace stage3 {

struct SetCookie {
    static constexpr std::size_t most_bytes = 4096;     ///< of name and value together
    static constexpr std::size_t most_in_detail = 1024; ///< of an attribute's value

    std::string name; ///< may be empty
    std::string value;
    std::string domain = {}; ///< lower case, without a dot before it; empty: none
    std::string path = {};   ///< begins with a slash; empty: none
    /// When it ends; nothing: with the crawl. At most 400 days from now.
    std::optional<std::chrono::sys_seconds> expires = {};
    bool is_secure = false;
};

/// Reads the header's value. Nothing if no cookie may come of it: it has control
/// characters, is too long, or has neither a name nor a value.
///
/// SameSite, HttpOnly and Partitioned are about pages that embed others, and scripts;
/// a crawl has neither, so they make no difference.
/// Source: RFC 6265bis, section "The Set-Cookie Header Field" for user agents.
std::optional<SetCookie> parse_set_cookie(std::string_view text,
                                          std::chrono::sys_seconds now);

} // namespace stage3
