// What a process reports about a page, as words on their way to Redis: `done` and `park`
// of frontier/5_results.lua.
//
// All of it is computed from values, and nothing here knows a session: so what a result
// looks like is told apart from when and where it goes. Page 29 of the book.
#pragma once

#include "common/web/links.h"
#include "stage3_queue_crawler/crawler/item.h"
#include "stage3_queue_crawler/crawler/record.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"
#include "stage3_queue_crawler/shared_frontier/chunks.h"
#include "stage3_queue_crawler/shared_frontier/held_items.h"

#include <cstddef>
#include <string>
#include <vector>

namespace stage3 {

/// What a page's links depend on, besides the page.
struct ChunkLimits {
    std::size_t max_depth;
    int max_redirects;
    bool may_be_private; ///< the site's address, so foreign servers' may be, too
};

/// What was found at `item`, in chunks for that many servers. `role`: how the page itself
/// was met.
std::vector<Chunk> chunks_of(const Item& item, common::LinkRole role, const Found& found,
                             const ChunkLimits& limits, std::size_t servers);

/// That page is done. `places`: what is known of fragments; `here`: its own server.
std::vector<std::string> words_of_done(const HeldItem& held, const Record& record,
                                       std::string places, std::vector<Chunk> chunks,
                                       std::size_t here);

/// `held` is to be tried again, after `wait`; `item`: what it has been through.
std::vector<std::string> words_of_park(const HeldItem& held, const Item& item,
                                       EventLoop::Duration wait);

} // namespace stage3
