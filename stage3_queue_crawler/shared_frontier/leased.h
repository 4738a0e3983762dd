// A URL as a server has handed it out: read from its reply, before anything is known here
// about its host. Page 29 of the book.
#pragma once

#include "stage3_queue_crawler/crawler/purpose.h"
#include "stage3_queue_crawler/shared_frontier/chunks.h"

#include <cstdint>
#include <string>

namespace stage3 {

/// A URL as a server has handed it out.
struct Leased {
    /// What the server wants to be told before the page is requested.
    enum class Wants : std::uint8_t {
        nothing,
        begin, ///< that the request begins
        rules, ///< what its host's robots.txt says
        end,   ///< nothing, since the page isn't requested: its host has ended
    };
    std::string url;
    std::string host;
    Wants wants = Wants::nothing;
    std::uint32_t depth = 0;
    int redirects_left = 0;
    int tries = 0;    ///< so far
    int refusals = 0; ///< the same
    bool is_root = false;
    Why why = {};
    std::string ended; ///< why its host is asked nothing more, if it isn't

    bool is_foreign() const { return why.purpose == Purpose::check_foreign; }
};

/// `held`: "SEQ H FLAG EPOCH DEPTH REDIRECTS TRIES REFUSALS LOST PARENT WHY ENDED", as
/// frontier/1_meta.lua has it. (What `ended` says has several words.)
Leased read_leased(std::string url, const std::string& held);

} // namespace stage3
