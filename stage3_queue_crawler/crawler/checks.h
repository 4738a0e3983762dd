// What a crawl checks besides following links, and how: pictures, fragments, other sites.
//
// On other people's servers the crawler is a guest: it asks one question at a time, with
// a pause after each, and believes no more than it must. Page 32 of the book.
#pragma once

#include "common/web/links.h"
#include "stage3_queue_crawler/crawler/guest_pace.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace stage3 {

struct Checks {
    bool assets = false;    ///< what pages need or name: pictures, style sheets, ...
    bool fragments = false; ///< is there a "#section" on the page?
    bool foreign = false;   ///< links that leave the scope
    bool places = false;    ///< say where on their pages links are written
    std::size_t max_links = common::LinkLimits().links;         ///< URLs on a page
    std::size_t max_fragments = common::LinkLimits().fragments; ///< likewise
    std::size_t foreign_hosts = 10;                             ///< at once, at most
    /// Between two requests to one of these; nothing: as it puts up with, see
    /// guest_pace.h.
    std::optional<EventLoop::Duration> foreign_delay = {};
    /// The same, where it can't be found out.
    EventLoop::Duration fixed_foreign_delay() const {
        return foreign_delay.value_or(GuestPace::longest);
    }
    /// How long to wait for the second try, which is the last one.
    std::chrono::milliseconds foreign_retry{10'000};
    /// Which statuses count as alive, besides 2xx: from, to.
    std::vector<std::pair<int, int>> accepted = {};

    /// How many bytes a page's URLs may have: 419 each, if there may be more than usual.
    std::size_t most_link_bytes() const {
        const common::LinkLimits usual;
        return std::max(usual.bytes, usual.bytes / usual.links * max_links);
    }
    bool accepts(int status) const {
        return std::ranges::any_of(accepted, [status](const auto& range) {
            return status >= range.first && status <= range.second;
        });
    }
};

/// True for a status with which a foreign server says nothing about the URL, but about
/// us: who are you, not now, not from there; or that it's broken.
constexpr bool is_unclear(int status) {
    return status == 401 || status == 403 || status == 407 || status == 429
           || status == 451 || status == 999 || (status >= 500 && status <= 599);
}

} // namespace stage3
