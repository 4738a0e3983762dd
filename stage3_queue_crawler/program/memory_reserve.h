// When memory runs out: end the crawl, and still write what was done.
//
// Memory has a limit where the user set one (`ulimit -v`). Beyond it, every page would
// fail, although nothing is wrong with any of them, and even the report would find no
// room. So some memory is kept for that moment. When an allocation fails, `operator new`
// calls a handler and tries again: ours gives up the reserve, and asks the crawl to end,
// as Ctrl-C does.
//
// One large block would go to the next page's body, and a moment later there would be
// none left to end tasks with. So the reserve is in pieces, each too small for a body.
// Every second one is given up at first, and the others only for the report.
#pragma once

#include "stage3_queue_crawler/crawler/crawl_settings.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"
#include "stage3_queue_crawler/runtime/task/task.h"

namespace stage3 {

/// While it lives, running out of memory cancels the crawl. Only one can exist at a time,
/// and it uses SIGUSR1.
class MemoryReserve {
  public:
    /// The loop must outlive it. Throws std::bad_alloc if there is no memory for it.
    MemoryReserve(EventLoop& loop, Task<Ending> crawl);
    MemoryReserve(const MemoryReserve&) = delete;
    MemoryReserve& operator=(const MemoryReserve&) = delete;
    ~MemoryReserve();

    /// From now on, the report may use the rest.
    void crawl_has_ended();
    /// True if it was needed.
    bool is_used() const;

  private:
    EventLoop& loop_;
};

/// Like curl_global_init, but libcurl's allocations, which bypass `operator new`, use the
/// reserve, too.
void init_curl_with_reserve();

} // namespace stage3
