// What to say when a crawl's root refuses the connection: the same words in all stages.
//
// The book's reader begins with a crawl of this machine, and has often forgotten to start
// the practice site. Page 00 of the book.
#pragma once

#include <string_view>

namespace common {

/// What a user can do about it; empty if `host` is another machine's. `has_learn`: the
/// user is where the book's ./learn is.
inline std::string_view advice_if_refused(std::string_view host, bool has_learn) {
    if (host != "localhost" && host != "[::1]" && !host.starts_with("127."))
        return "";
    return has_learn ? "nothing listens there; ./learn site --port 8000 starts the "
                       "practice site"
                     : "nothing listens there";
}

} // namespace common
