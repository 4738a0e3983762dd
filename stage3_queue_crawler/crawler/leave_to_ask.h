// May a URL be asked for outside of the frontier, and after which pause?
//
// What waits in the frontier comes out when its host allows it. A request that doesn't
// come from there must be as polite. Page 25 of the book.
#pragma once

#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/crawl_settings.h"
#include "stage3_queue_crawler/crawler/request_rules.h"
#include "stage3_queue_crawler/crawler/robots_cache.h"
#include "stage3_queue_crawler/crawler/scope.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"
#include "stage3_queue_crawler/runtime/task/coroutine.h"

#include <optional>

namespace stage3 {

class LeaveToAsk {
  public:
    /// What it works with must outlive it.
    LeaveToAsk(RobotsSource& robots, const Scope& scope, const RequestRules& rules,
               const CrawlSettings& settings)
        : robots_(robots), scope_(scope), rules_(rules),
          obeys_robots_(settings.robots.obey), delay_(settings.frontier.politeness.delay),
          foreign_delay_(settings.checks.fixed_foreign_delay()) {}

    /// The pause that the URL's host wants from one request to the next; nothing: the
    /// user or robots.txt excludes it, or there is no answer about robots.txt.
    Coroutine<std::optional<EventLoop::Duration>> pause_before(common::Url url);

  private:
    RobotsSource& robots_;
    const Scope& scope_;
    const RequestRules& rules_;
    const bool obeys_robots_;
    const EventLoop::Duration delay_; // between two requests to a host
    const EventLoop::Duration foreign_delay_;
};

} // namespace stage3
