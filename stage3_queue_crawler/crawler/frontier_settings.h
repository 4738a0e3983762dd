// The settings of every frontier: its limits, its order, and how to ask what robots.txt
// allows.
//
// Only a frontier and the code that sets up a crawl need these. Page 18b of the book.
#pragma once

#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/gate.h"
#include "stage3_queue_crawler/crawler/order.h"
#include "stage3_queue_crawler/crawler/purpose.h"
#include "stage3_queue_crawler/crawler/robots_cache.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>

namespace stage3 {

struct FrontierSettings {
    static constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

    OrderName order = OrderName::fifo;
    std::size_t max_depth = no_limit; ///< links away from a root
    std::size_t max_pages = no_limit; ///< taken out, in total
    int max_redirects = 20;           ///< followed from any one URL; browsers follow 20
    GateLimits politeness = {};
    /// A host that has refused everything for so long is asked nothing more.
    std::chrono::seconds refused_timeout{300};
    Checks checks = {};
    RobotsCache::Ask ask_robots = {}; ///< empty: everything is allowed
    /// Called when the answers still to come are probably no longer needed.
    std::function<void()> withdraw_questions = [] {};
    /// Does this URL need no request, because its server was asked before? Such a URL
    /// waits for nobody. Empty: they all need one.
    std::function<bool(const common::Url&, Purpose)> needs_no_request = {};
    /// For a frontier of several processes: has this one seen that the site's address is
    /// private, so that foreign servers' addresses may be private, too?
    std::function<bool()> is_site_private = [] { return false; };
    /// Another one has.
    std::function<void()> note_private_site = [] {};
};

} // namespace stage3
