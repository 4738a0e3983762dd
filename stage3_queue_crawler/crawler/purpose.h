// Why a URL is visited: to follow its links, or to see whether it's alive.
//
// A page is fetched and read, and leads on. Of anything else, the first line of an answer
// is enough; but if a link names a place on a page of another site, that page has to be
// searched for it. Page 32 of the book.
#pragma once

#include <cstdint>

namespace stage3 {

/// A state file has these as numbers (state_tables.h).
enum class Purpose : std::uint8_t {
    follow,         ///< fetch it, read it, and follow its links
    check,          ///< is it alive? Nothing is read
    check_foreign,  ///< the same, on a server that isn't the crawl's own
    search,         ///< is it alive, and which ids has it? Its links don't matter
    search_foreign, ///< the same, on a server that isn't the crawl's own
};

/// True on a server that isn't the crawl's own.
constexpr bool is_foreign(Purpose purpose) {
    return purpose == Purpose::check_foreign || purpose == Purpose::search_foreign;
}
/// True if a HEAD will do.
constexpr bool is_check(Purpose purpose) {
    return purpose == Purpose::check || purpose == Purpose::check_foreign;
}
/// What a check becomes if a link names a place there; others stay the same.
constexpr Purpose with_ids(Purpose purpose) {
    switch (purpose) {
    case Purpose::check: return Purpose::search;
    case Purpose::check_foreign: return Purpose::search_foreign;
    default: return purpose;
    }
}

} // namespace stage3
