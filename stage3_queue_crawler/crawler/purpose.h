// Why a URL is visited: to follow its links, or to see whether it's alive.
//
// A page is fetched and read, and leads on. Of anything else, the first line of an answer
// is enough. Page 32 of the book.
#pragma once

#include <cstdint>

namespace stage3 {

enum class Purpose : std::uint8_t {
    follow,        ///< fetch it, read it, and follow its links
    check,         ///< is it alive? Nothing is read
    check_foreign, ///< the same, on a server that isn't the crawl's own
};

} // namespace stage3
