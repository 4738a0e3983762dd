// What is asked of a host besides pages: its robots.txt, sitemaps, folders.
//
// These requests don't come through the frontier, but they tire the server all the same.
// So the code that makes one says so here, and the crawl's pages keep their distance.
// Page 25 of the book.
#pragma once

#include "stage3_queue_crawler/runtime/loop/event_loop.h"

#include <string>

namespace stage3 {

class HostPauses {
  public:
    HostPauses() = default;
    HostPauses(const HostPauses&) = delete;
    HostPauses& operator=(const HostPauses&) = delete;
    virtual ~HostPauses() = default;

    /// A request goes out to this host: the pause that it wants starts here.
    virtual void has_asked(const std::string& host) = 0;
    /// This host gets no requests for `duration`.
    virtual void hold(const std::string& host, EventLoop::Duration duration) = 0;
    /// This host has refused a request, and wants a pause of `duration`. If that is too
    /// long, it's asked nothing more.
    virtual void refused(const std::string& host, EventLoop::Duration duration) = 0;
};

} // namespace stage3
