// The settings of every frontier, and what it works with.
//
// Only a frontier and the code that sets up a crawl need these. Page 18b of the book.
#pragma once

#include "common/web/fragments.h"
#include "stage3_queue_crawler/crawler/answers.h"
#include "stage3_queue_crawler/crawler/checks.h"
#include "stage3_queue_crawler/crawler/gate.h"
#include "stage3_queue_crawler/crawler/order.h"
#include "stage3_queue_crawler/crawler/robots_cache.h"
#include "stage3_queue_crawler/crawler/time_account.h"
#include "stage3_queue_crawler/http/session.h"

#include <chrono>
#include <cstddef>
#include <limits>

namespace stage3 {

struct FrontierSettings {
    static constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

    OrderName order = OrderName::fifo;
    std::size_t max_depth = no_limit; ///< links away from a root
    std::size_t max_pages = no_limit; ///< taken out, in total
    int max_redirects = 20;           ///< followed from any one URL; browsers follow 20
    GateLimits politeness = {};
    common::LinkFragments of_roots = {}; ///< fragments that the user has named
    /// A host that has refused everything for so long is asked nothing more.
    std::chrono::seconds refused_timeout{300};
};

/// What a frontier works with, and what it shares with other parts of a crawl. What is
/// pointed to must outlive the frontier.
struct FrontierHelpers {
    Checks checks = {};
    RobotsSource* robots = nullptr;   ///< nullptr: everything is allowed
    const Answers* answers = nullptr; ///< of earlier visits; nullptr: there were none
    /// Knows whether the site's address is private, so that the addresses of foreign
    /// servers may be private, too: for a frontier that tells other processes.
    Http* session = nullptr;
    TimeAccount* account = nullptr; ///< nullptr: none is kept
};

} // namespace stage3
