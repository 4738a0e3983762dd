// What the program's exit status means.
#pragma once

#include "stage3_queue_crawler/crawler/crawl_settings.h"
#include "stage3_queue_crawler/program/interrupt.h"

#include <cstddef>

namespace stage3 {

/// Also for a crawl that can't continue.
constexpr int cut_short_status = 3;

/// `dead`: how many URLs are. `left_out`: whether there are links that weren't followed,
/// or URLs that were given up.
inline int exit_status(Ending ending, std::size_t dead, bool left_out = false) {
    switch (ending) {
    case Ending::interrupted: return interrupted_status;
    case Ending::timed_out:
    case Ending::no_memory:
    case Ending::max_pages: return cut_short_status;
    case Ending::complete: break;
    }
    if (left_out)
        return cut_short_status;
    return dead > 0 ? 1 : 0;
}

} // namespace stage3
