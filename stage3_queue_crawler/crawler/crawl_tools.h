// What a crawl's preparations work with.
//
// Before the first page, some roots and the sitemaps may be asked for. Reading sitemaps
// needs nearly all that the workers need, and this holds it together. Page 18b of the
// book.
#pragma once

#include "stage3_queue_crawler/crawler/crawl_settings.h"
#include "stage3_queue_crawler/crawler/host_pauses.h"
#include "stage3_queue_crawler/crawler/leave_to_ask.h"
#include "stage3_queue_crawler/crawler/page_fetch.h"
#include "stage3_queue_crawler/crawler/page_request.h"
#include "stage3_queue_crawler/crawler/request_rules.h"
#include "stage3_queue_crawler/crawler/robots_cache.h"
#include "stage3_queue_crawler/crawler/scope.h"
#include "stage3_queue_crawler/http/session.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"

namespace stage3 {

struct CrawlTools {
    EventLoop& loop;
    Scope& scope;
    const RequestRules& rules;
    Http& session;
    PageFetch& fetch;  ///< the door to the servers
    PageSource& pages; ///< the same, or what stands before it
    RobotsSource& robots;
    LeaveToAsk& leave;  ///< for requests outside of the frontier
    HostPauses& pauses; ///< is told of each request
    const CrawlSettings& settings;
    const CrawlEvents& events;
};

} // namespace stage3
