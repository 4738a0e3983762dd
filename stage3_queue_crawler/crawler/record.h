// What the crawl says of a URL once its fetch has ended.
#pragma once

#include "common/web/url.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace stage3 {

/// What became of it.
enum class Outcome : std::uint8_t {
    page,       ///< 2xx, and read for links
    file,       ///< 2xx, of a type that holds no links
    redirect,   ///< sent elsewhere
    error,      ///< there is an answer, and it leads nowhere
    failed,     ///< no whole response, or no way to one
    disallowed, ///< by robots.txt: not fetched
};

/// "page", "file" and so on.
std::string_view name_of(Outcome outcome);

/// True for what a link should not lead to.
inline bool is_dead(Outcome outcome) {
    return outcome == Outcome::error || outcome == Outcome::failed;
}

/// A value: it points into no table, so it may outlive the crawl.
struct Record {
    explicit Record(common::Url u) : url(std::move(u)) {}

    common::Url url;
    std::optional<common::Url> parent = {}; ///< where it was first found; none: a root
    std::size_t depth = 0;                  ///< links away from a root, by way of it
    Outcome outcome = Outcome::failed;
    int status = 0;           ///< 0 if there was none
    std::string next_url;     ///< where a redirect leads; empty if it is none
    std::string error;        ///< why it is dead, in words; else empty
    std::string content_type; ///< as sent, without its parameters
    std::string charset;      ///< that the header names
    std::size_t bytes = 0;    ///< of the body, decompressed
    std::size_t links = 0;    ///< different ones on the page, that are in scope
    std::size_t new_links = 0;
    int tries = 1;
    double seconds = 0; ///< from the first try's beginning
};

} // namespace stage3
