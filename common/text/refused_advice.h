// What to say when a crawl's root refuses the connection: the same words in all stages.
//
// The book's reader begins with a crawl of this machine, and has often forgotten to start
// the practice site. Page 00 of the book.
#pragma once

#include <string_view>

namespace common {

/// What a user can do about it; empty if `host` is another machine's.
inline std::string_view advice_if_refused(std::string_view host) {
    const bool is_here =
        host == "localhost" || host == "[::1]" || host.starts_with("127.");
    return is_here ? "nothing listens there; ./learn site --port 8000 starts the "
                     "practice site"
                   : "";
}

} // namespace common
