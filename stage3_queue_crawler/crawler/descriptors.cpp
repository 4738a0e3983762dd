#include "stage3_queue_crawler/crawler/descriptors.h"

#include <algorithm>
#include <limits>

#include <sys/resource.h>

namespace stage3 {

std::size_t allow_descriptors() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 256; // what every system gives
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = limit.rlim_max;
    if (::setrlimit(RLIMIT_NOFILE, &limit) != 0)
        limit.rlim_cur = before; // macOS says "unlimited", and doesn't mean it
    if (limit.rlim_cur == RLIM_INFINITY)
        return std::numeric_limits<int>::max();
    return static_cast<std::size_t>(limit.rlim_cur);
}

} // namespace stage3
