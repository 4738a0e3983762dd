// When memory is used up: end the crawl, and still write what was done.
//
// There is an end to it where somebody has set one (`ulimit -v`). From then on every page
// would fail, though nothing is wrong with it; and there would be no room for the report
// either. So some memory is kept for that moment. When an allocation fails, `operator
// new` calls a handler, and tries again: ours gives up the reserve, and asks the crawl to
// end, as Ctrl-C does.
#pragma once

#include "stage3_queue_crawler/crawler/crawl_settings.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"
#include "stage3_queue_crawler/runtime/task/task.h"

#include <cstddef>

namespace stage3 {

/// While it lives, memory that is used up cancels the crawl. There can be one at a time,
/// and SIGUSR1 is its own.
class MemoryReserve {
  public:
    static constexpr std::size_t usual_size = std::size_t{16} * 1024 * 1024;

    /// Of so many bytes. The loop must outlive it.
    MemoryReserve(EventLoop& loop, Task<Ending> crawl, std::size_t size = usual_size);
    MemoryReserve(const MemoryReserve&) = delete;
    MemoryReserve& operator=(const MemoryReserve&) = delete;
    ~MemoryReserve();

    /// True if it was needed.
    bool is_used() const;

  private:
    EventLoop& loop_;
};

/// As curl_global_init; but libcurl's allocations, which know nothing of `operator new`,
/// use the reserve, too.
void init_curl_with_reserve();

} // namespace stage3
